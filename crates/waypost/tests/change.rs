//! What every agent of the registry promises on maps that change, whoever is told and whoever is not: every step is legal on
//! the map as it is, no move passes the published bound, which never goes away, `Arrived` and `Unreachable` are true, and
//! nobody walks for ever. Patches, teleports, restarts, forks, indexes that come late, are built by jobs or are wrong.

mod common;

use common::lone::{Lone, try_build};
use common::{engine_map, map_count};
use std::time::Duration;
use waypost::agent::Scratch;
use waypost::index::IndexKind;
use waypost::index::slot::RebuildJob;
use waypost::progress::NoProgress;
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost_testkit::allocations::Counting;
use waypost_testkit::{Rules, TestMap, TestRng, optimal_cost, shapes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// More moves than anybody needs on maps of this size.
const MAX_MOVES: u32 = 400_000;

/// Every algorithm, databases of records aside, which need no 10,000 on small maps.
fn registered() -> Vec<String> {
    let spec = |algorithm: &&waypost::spec::Algorithm| {
        let draws_records = algorithm.keys.iter().any(|(key, _)| *key == "records");
        let records = if draws_records { ":records=20" } else { "" };
        format!("{}{records}", algorithm.name)
    };
    ALGORITHMS.iter().map(spec).collect()
}

/// The methods whose paths are shortest once their index is of the map as it is.
const EXACT: [&str; 8] = [
    "astar",
    "dijkstra",
    "jps",
    "jump-graph",
    "labels",
    "tables",
    "cpd",
    "waypost",
];

fn is_exact(lone: &Lone) -> bool {
    // The default takes sectors where labels do not suit the map.
    let chose_labels = lone.indexes.iter().all(|index| {
        let inner = index.inner();
        inner.is_none_or(|inner| inner.kind() == IndexKind::Labels)
    });
    EXACT.contains(&lone.spec.name()) && chose_labels
}

/// How what depends on the map is kept in step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Upkeep {
    /// Not at all.
    None,
    /// Slots look at the map and repair in slices.
    Slices,
    /// And rebuilds are jobs on threads.
    Jobs,
}

/// Runs jobs on threads that take their time.
#[derive(Default)]
struct Threads(Vec<std::thread::JoinHandle<()>>);

impl Threads {
    fn run(&mut self, job: RebuildJob, delay: u32) {
        self.0.push(std::thread::spawn(move || {
            std::thread::sleep(Duration::from_micros(u64::from(delay)));
            job.run(&NoProgress);
        }));
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        for thread in self.0.drain(..) {
            thread.join().expect("a job does not panic");
        }
    }
}

fn any_open(lone: &Lone, rng: &mut TestRng) -> Option<(u32, u32)> {
    lone.test_map.random_open_cell(rng)
}

/// Something happens to the map, the agent or its indexes.
fn event(lone: &mut Lone, scratch: &mut Scratch, rng: &mut TestRng) {
    match rng.below(10) {
        0..=5 => lone.patch_anywhere(rng),
        6 | 7 => {
            if let Some(point) = any_open(lone, rng) {
                lone.at = point;
            }
        }
        8 => {
            if let (Some(from), Some(goal)) = (any_open(lone, rng), any_open(lone, rng)) {
                lone.start(scratch, from, goal);
            }
        }
        _ => replace_indexes(lone),
    }
}

/// Gives every index that is used a new one.
fn replace_indexes(lone: &Lone) {
    for request in lone.spec.needs() {
        if let Ok(index) = try_build(&lone.map, &request) {
            let replaced = lone.indexes.replace(&lone.map, index);
            replaced.unwrap_or_else(|error| panic!("{error}: {}", lone.story()));
        }
    }
}

fn keep_up(lone: &Lone, upkeep: Upkeep, threads: &mut Threads, rng: &mut TestRng, delay: u32) {
    if upkeep == Upkeep::None {
        return;
    }
    let operations = 1 << rng.below(14);
    let wants_job = upkeep == Upkeep::Jobs && rng.percent(20);
    if wants_job {
        for slot in lone.indexes.slots() {
            if let Some(job) = slot.rebuild_job(&lone.map, false) {
                threads.run(job, delay);
            }
        }
    }
    lone.indexes.advance(&lone.map, operations, true);
}

/// A walk among events, then one that nothing disturbs; the cells that were stood on.
fn life(lone: &mut Lone, scratch: &mut Scratch, upkeep: Upkeep, delay: u32) -> Vec<(u32, u32)> {
    let mut rng = TestRng::new(lone.seed ^ 0xC0FFEE);
    let mut threads = Threads::default();
    let mut cells = Vec::new();
    let (Some(from), Some(goal)) = (any_open(lone, &mut rng), any_open(lone, &mut rng)) else {
        return cells;
    };
    lone.start(scratch, from, goal);
    for _ in 0..60 {
        if rng.percent(25) {
            event(lone, scratch, &mut rng);
        }
        keep_up(lone, upkeep, &mut threads, &mut rng, delay);
        lone.ask(scratch);
        cells.push(lone.at);
    }
    lone.walk(scratch, MAX_MOVES);
    cells.push(lone.at);
    cells
}

fn map_and_rules(seed: u64) -> (TestMap, Rules) {
    (shapes::any(seed, 4, 16), Rules::all()[seed as usize % 6])
}

#[test]
fn agents_are_legal_bounded_and_truthful_whatever_happens() {
    let specs = registered();
    let maps = map_count(300);
    let mut tried = vec![0; specs.len()];
    for seed in 0..maps {
        let (test_map, rules) = map_and_rules(seed);
        let mut scratch = Scratch::new();
        let upkeep = [Upkeep::None, Upkeep::Slices][seed as usize / 6 % 2];
        for (spec, tried) in specs.iter().zip(&mut tried) {
            let Ok(mut lone) = Lone::new(spec, &test_map, rules, seed) else {
                continue;
            };
            life(&mut lone, &mut scratch, upkeep, 0);
            *tried += 1;
        }
    }
    let enough = tried.iter().all(|&count| count >= maps / 2);
    assert!(enough, "{tried:?} of {maps}");
}

#[test]
fn after_renewal_exact_methods_walk_shortest_paths_again() {
    for seed in 0..map_count(120) {
        let (test_map, rules) = map_and_rules(seed);
        let mut scratch = Scratch::new();
        for spec in EXACT {
            let Ok(mut lone) = Lone::new(spec, &test_map, rules, seed) else {
                continue;
            };
            life(&mut lone, &mut scratch, Upkeep::Slices, 0);
            let mut rng = TestRng::new(seed);
            for slot in lone.indexes.slots() {
                slot.rebuild_when_due(&lone.map);
                slot.advance(&lone.map, u64::MAX, true);
                slot.advance(&lone.map, u64::MAX, true);
            }
            let (Some(from), Some(goal)) = (any_open(&lone, &mut rng), any_open(&lone, &mut rng))
            else {
                continue;
            };
            lone.start(&mut scratch, from, goal);
            let best = optimal_cost(&lone.test_map, lone.rules, from, goal);
            let walked = lone.walk(&mut scratch, MAX_MOVES);
            if is_exact(&lone) {
                assert_eq!(walked, best, "{}", lone.story());
            }
        }
    }
}

/// On noise the default goes by sectors, but whoever names a size for labels has them there too, and shortest paths again after
/// every renewal.
#[test]
fn with_a_size_named_for_labels_the_default_walks_shortest_paths_on_noise() {
    let mut scratch = Scratch::new();
    for seed in 0..6 {
        let test_map = shapes::noise(48, 48, 25, &mut TestRng::new(seed));
        let rules = Rules::all()[0];
        let plain = Lone::new("waypost", &test_map, rules, seed).expect("it suits every map");
        assert!(!is_exact(&plain), "seed {seed} is not noise");
        let spec = "waypost:max-bytes=67108864";
        let mut lone = Lone::new(spec, &test_map, rules, seed).expect("it suits every map");
        let mut rng = TestRng::new(seed);
        for place in [(10, 10), (30, 20), (20, 34)] {
            assert!(is_exact(&lone), "{}", lone.story());
            lone.patch_rectangle(place, (4, 4), rng.below(2) == 0);
            for slot in lone.indexes.slots() {
                slot.rebuild_when_due(&lone.map);
                slot.advance(&lone.map, u64::MAX, true);
                slot.advance(&lone.map, u64::MAX, true);
            }
            for _ in 0..10 {
                let ends = (any_open(&lone, &mut rng), any_open(&lone, &mut rng));
                let (Some(from), Some(goal)) = ends else {
                    continue;
                };
                lone.start(&mut scratch, from, goal);
                let best = optimal_cost(&lone.test_map, lone.rules, from, goal);
                let walked = lone.walk(&mut scratch, MAX_MOVES);
                assert_eq!(walked, best, "{}", lone.story());
            }
        }
    }
}

#[test]
fn in_lockstep_results_do_not_depend_on_when_jobs_are_done() {
    for seed in 0..map_count(60) {
        let (test_map, rules) = map_and_rules(seed);
        for spec in ["waypost", "labels", "sectors", "cpd", "tables", "hcdps"] {
            let walk = |delay| {
                let mut scratch = Scratch::new();
                let mut lone = Lone::new(spec, &test_map, rules, seed).ok()?;
                Some(life(&mut lone, &mut scratch, Upkeep::Jobs, delay))
            };
            let fast = walk(0);
            assert_eq!(fast, walk(400), "{spec}, seed {seed}, {rules:?}");
        }
    }
}

/// A stale index in its slot, and a job for another.
fn stale(spec: &str) -> (Lone, RebuildJob) {
    let map = TestMap::filled(40, 30, true);
    let mut lone = Lone::new(spec, &map, Rules::all()[0], 1).expect("it suits the map");
    lone.patch_rectangle((10, 5), (3, 20), false);
    let slot = lone.indexes.slots().next().expect("one index");
    let job = slot.rebuild_job(&lone.map, true).expect("it is stale");
    (lone, job)
}

fn version_of(lone: &Lone) -> u64 {
    lone.indexes.version()
}

#[test]
fn whoever_holds_a_job_and_does_not_run_it_keeps_nobody_waiting() {
    let (lone, job) = stale("labels");
    let published = lone.indexes.advance(&lone.map, u64::MAX, true);
    let published = published.expect("in lockstep it is there when it is due");
    assert!(!published.late);
    let version = version_of(&lone);
    // It has been built already.
    job.run(&NoProgress);
    assert_eq!(lone.indexes.advance(&lone.map, u64::MAX, true), None);
    assert_eq!(version_of(&lone), version);
}

/// A builder that asks for what it is building: nobody can wait for himself.
#[test]
fn a_job_that_carries_its_own_slot_on_does_not_wait_for_itself() {
    struct Impatient<'a>(&'a waypost::Map, &'a waypost::index::Indexes);
    impl waypost::progress::Progress for Impatient<'_> {
        fn begin(&self, _stage: &str, _total: u64) {
            assert_eq!(self.1.advance(self.0, u64::MAX, true), None);
        }
        fn advance(&self, _parts: u64) {}
    }
    let (lone, job) = stale("quickpath");
    job.run(&Impatient(&lone.map, &lone.indexes));
    assert!(lone.indexes.advance(&lone.map, u64::MAX, true).is_some());
}

#[test]
fn without_lockstep_a_late_job_is_an_event() {
    let (lone, job) = stale("labels");
    let (let_go, held) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        held.recv().expect("somebody lets it go");
        job.run(&NoProgress);
    });
    for _ in 0..3 {
        assert_eq!(lone.indexes.advance(&lone.map, u64::MAX, false), None);
    }
    let_go.send(()).expect("the thread waits");
    thread.join().expect("a job does not panic");
    let published = lone.indexes.advance(&lone.map, u64::MAX, false);
    assert!(published.expect("it is there now").late);
    // What nobody runs is built when it is due.
    let (lone, job) = stale("labels");
    drop(job);
    assert!(lone.indexes.advance(&lone.map, u64::MAX, false).is_some());
}

/// Crowds under patches, with rebuilds on threads of their own: where everybody stands, tick by tick.
fn crowd_story(spec: &str, test_map: &TestMap, rules: Rules, seed: u64) -> Option<Vec<u64>> {
    let lone = Lone::new(spec, test_map, rules, seed).ok()?;
    let world = waypost::World::new(lone.map.clone(), &lone.indexes);
    let options = waypost::crowd::Options {
        exclusive: seed.is_multiple_of(2),
        set_up_operations: 20_000,
        repair_operations: 200,
        rebuild: true,
        ..Default::default()
    };
    let mut crowd = lone.spec.crowd_in(&world, options).ok()?;
    let mut rng = TestRng::new(seed);
    let point = |(x, y): (u32, u32)| waypost::Point { x, y };
    let mut ids = Vec::new();
    for _ in 0..12 {
        let (from, goal) = (any_open(&lone, &mut rng)?, any_open(&lone, &mut rng)?);
        if let Ok(id) = crowd.add(point(from)) {
            crowd.send(id, point(goal)).expect("on the map");
            ids.push(id);
        }
    }
    let mut story = Vec::new();
    for tick in 0..80 {
        if tick % 9 == 4 {
            let mut patch = waypost::GridPatch::new();
            let at = (rng.below(test_map.width()), rng.below(test_map.height()));
            for dx in 0..3 {
                let at = point((at.0 + dx, at.1));
                patch.set(at, !rng.percent(60));
            }
            crowd.patch(&patch);
        }
        let bounds = [crowd.walker_bound(), {
            crowd.tick();
            crowd.walker_bound()
        }];
        let keeps = !ids.is_empty() && lone.bound().is_some();
        assert!(
            !keeps || bounds.iter().all(Option::is_some),
            "{spec}: {bounds:?}, seed {seed}"
        );
        let digest = ids.iter().fold(tick, |digest: u64, &id| {
            let at = crowd.position(id).expect("nobody is lost");
            (digest ^ u64::from(at.x) << 20 ^ u64::from(at.y)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        story.push(digest);
    }
    Some(story)
}

#[test]
fn crowds_under_patches_and_rebuilds_do_not_depend_on_threads() {
    let pool = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads")
    };
    let (one, three) = (pool(1), pool(3));
    for seed in 0..map_count(24) {
        let (test_map, rules) = map_and_rules(seed);
        for spec in [
            "waypost",
            "labels",
            "sectors:side=8",
            "cpd",
            "hcdps",
            "quickpath",
        ] {
            let alone = one.install(|| crowd_story(spec, &test_map, rules, seed));
            let shared = three.install(|| crowd_story(spec, &test_map, rules, seed));
            assert_eq!(alone, shared, "{spec}, seed {seed}, {rules:?}");
        }
    }
}

/// Maps that were cloned from one go other ways, under one spec and with one set of indexes.
#[test]
fn clones_and_forks_do_not_disturb_each_other() {
    for seed in 0..map_count(100) {
        let (test_map, rules) = map_and_rules(seed);
        let mut rng = TestRng::new(seed + 77);
        let mut scratch = Scratch::new();
        for spec in registered() {
            let Ok(first) = Lone::new(&spec, &test_map, rules, seed) else {
                continue;
            };
            let forks = seed % 2 == 0;
            let mut all = vec![first];
            for _ in 0..2 {
                let (map, shared) = (all[0].map.clone(), all[0].indexes.clone());
                let indexes = if forks { shared.fork() } else { shared };
                let spec = AgentSpec::parse(&spec).expect("a good spec");
                let lone = Lone::on(spec, &test_map, map, indexes, (rules, seed));
                all.push(lone.expect("the map is the same still"));
            }
            let ends = [(); 2].map(|()| test_map.random_open_cell(&mut rng));
            let [Some(from), Some(goal)] = ends else {
                continue;
            };
            for lone in &mut all {
                lone.start(&mut scratch, from, goal);
            }
            for _ in 0..40 {
                for lone in &mut all {
                    if rng.percent(15) {
                        lone.patch_anywhere(&mut rng);
                    }
                    if forks {
                        lone.indexes.advance(&lone.map, 500, true);
                    }
                    lone.ask(&mut scratch);
                }
            }
            for lone in &mut all {
                lone.walk(&mut scratch, MAX_MOVES);
            }
        }
    }
}

/// An index of another map, another size, other rules or an older state is refused, when an agent is made and when it is given later.
#[test]
fn wrong_indexes_are_refused_everywhere() {
    let mut refused = 0;
    for seed in 0..map_count(40) {
        let (test_map, rules) = map_and_rules(seed);
        let map = engine_map(&test_map, rules);
        let (other_map, _) = map_and_rules(seed + 1000);
        let mut older = Lone::new("astar", &test_map, rules, seed).expect("A* runs anywhere");
        older.patch_anywhere(&mut TestRng::new(seed));
        let wrong = [
            engine_map(&other_map, rules),
            engine_map(&test_map, Rules::all()[(seed as usize + 1) % 6]),
            older.map,
        ];
        for spec in registered() {
            let Ok(lone) = Lone::new(&spec, &test_map, rules, seed) else {
                continue;
            };
            let world = waypost::World::new(map.clone(), &lone.indexes);
            for other in &wrong {
                if other.fingerprint() == map.fingerprint() && other.rules() == map.rules() {
                    continue;
                }
                for request in lone.spec.needs() {
                    let Ok(index) = try_build(other, &request) else {
                        continue;
                    };
                    let mut indexes = waypost::index::Indexes::new();
                    indexes.add(index.clone());
                    assert!(lone.spec.build(&map, &indexes).is_err(), "{}", lone.story());
                    assert!(
                        lone.spec
                            .crowd(&map, &indexes, waypost::crowd::Options::default())
                            .is_err()
                    );
                    assert!(lone.indexes.replace(&map, index.clone()).is_err());
                    for slot in lone.indexes.slots() {
                        assert!(slot.replace(&map, index.clone()).is_err());
                    }
                    let crowd = lone
                        .spec
                        .crowd_in(&world, waypost::crowd::Options::default());
                    let mut crowd = crowd.expect("it walks alone");
                    assert!(crowd.replace_index(&index).is_err(), "{}", lone.story());
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
