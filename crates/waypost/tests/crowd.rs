//! Crowds: every move legal, nobody lost, the same state whatever the number of threads.

mod common;

use common::{cell, engine_map, map_count};
use std::sync::Arc;
use waypost::agent::Agent;
use waypost::agent::lrta::{LrtaAgent, LrtaParams};
use waypost::agent::sectors::SectorsAgent;
use waypost::crowd::{Crowd, Options, PathQueue, RequestState, Status, WalkerId};
use waypost::index::repair::Standing;
use waypost::index::sectors::SectorIndex;
use waypost::index::{IndexKind, IndexRequest, Indexes, Shard, build};
use waypost::progress::NoProgress;
use waypost::spec::AgentSpec;
use waypost::{GridPatch, Map, Point};
use waypost_testkit::{Rules, TestMap, TestRng, check_path, optimal_cost, shapes};

fn random_point(map: &TestMap, rng: &mut TestRng) -> Point {
    let (x, y) = map.random_open_cell(rng).expect("an open cell");
    Point { x, y }
}

fn patch_both(test_map: &mut TestMap, rng: &mut TestRng, keep: &[Point]) -> GridPatch {
    let mut patch = GridPatch::new();
    for _ in 0..rng.between(1, 8) {
        let (x, y) = (rng.below(test_map.width()), rng.below(test_map.height()));
        let open = rng.percent(50);
        if !open && keep.contains(&Point { x, y }) {
            continue;
        }
        test_map.set(x, y, open);
        if open {
            patch.open(Point { x, y });
        } else {
            patch.block(Point { x, y });
        }
    }
    patch
}

/// A long run with patches, new goals, withdrawals, followers, removals and additions; every step goes through the
/// independent checker. Returns all places at the end.
fn soak<A: Agent<Map>>(
    seed: u64,
    ticks: u64,
    walkers: usize,
    exclusive: bool,
    make: impl Fn(&Map) -> A,
) -> Vec<(WalkerId, Point)> {
    let mut rng = TestRng::new(seed);
    let rules = Rules::all()[seed as usize % 6];
    let side = 60.max((walkers as u32 * 10).isqrt());
    let mut test_map = shapes::noise(side, side - 10, 20, &mut rng);
    let map = engine_map(&test_map, rules);
    let options = Options {
        set_up_operations: 2_000,
        exclusive,
        ..Options::default()
    };
    let fresh = map.clone();
    let mut crowd = Crowd::new(map, options);
    let mut ids = Vec::new();
    while ids.len() < walkers {
        if let Ok(id) = crowd.add(make(&fresh), random_point(&test_map, &mut rng)) {
            ids.push(id);
        }
    }
    for tick in 0..ticks {
        for _ in 0..rng.between(0, 5) {
            let id = ids[rng.below(ids.len() as u32) as usize];
            match rng.below(10) {
                0 => crowd.halt(id).expect("it is there"),
                1 => {
                    let leader = ids[rng.below(ids.len() as u32) as usize];
                    crowd.follow(id, leader).expect("both are there");
                }
                _ => crowd
                    .send(id, random_point(&test_map, &mut rng))
                    .expect("a point of the map"),
            }
        }
        if tick % 7 == 3 {
            let keep: Vec<Point> = crowd.iter().map(|(_, at, _)| at).collect();
            let patch = patch_both(&mut test_map, &mut rng, &keep);
            crowd.patch(&patch);
        }
        let before: Vec<(WalkerId, Point)> = crowd.iter().map(|(id, at, _)| (id, at)).collect();
        crowd.tick();
        let mut taken = std::collections::HashSet::new();
        for (id, from) in before {
            let to = crowd.position(id).expect("nobody is lost");
            if to != from {
                let step = [(from.x, from.y), (to.x, to.y)];
                check_path(&test_map, rules, &step).unwrap_or_else(|e| {
                    panic!("seed {seed} tick {tick}: {e}\n{}", test_map.to_text())
                });
            }
            assert!(
                taken.insert(to) || !exclusive,
                "seed {seed} tick {tick}: two at {to}"
            );
        }
    }
    assert_eq!(crowd.len(), walkers);
    let places = crowd.iter().map(|(id, at, _)| (id, at)).collect();
    for id in ids {
        crowd.remove(id).expect("walker and agent are there");
    }
    assert!(crowd.is_empty());
    places
}

/// Crowds of every kind of index that a patch can touch, over their specs: every step legal by the independent checker, and
/// the walkers arrive on the map as it is in the end.
#[test]
fn crowds_of_all_indexes_survive_patches() {
    for (seed, spec) in [
        "labels",
        "knn-lrta:records=300",
        "sectors:side=8",
        "jump-graph",
        "pra",
        "cpd",
        "d-lrta",
        "astar:landmarks=2",
        "waypost",
    ]
    .into_iter()
    .enumerate()
    {
        for exclusive in [false, true] {
            patched_run(seed as u64, spec, exclusive, 240);
        }
    }
}

fn patched_run(seed: u64, spec: &str, exclusive: bool, ticks: u64) {
    let mut rng = TestRng::new(seed);
    let rules = Rules::all()[0];
    let mut test_map = shapes::noise(48, 40, 15, &mut rng);
    let map = engine_map(&test_map, rules);
    let parsed = AgentSpec::parse(spec).expect("a right spec");
    let mut indexes = Indexes::new();
    for request in parsed.needs() {
        let built = build(&map, &request, Shard::WHOLE, &NoProgress);
        indexes.add(built.expect("a small map"));
    }
    let options = Options {
        set_up_operations: 5_000,
        exclusive,
        ..Options::default()
    };
    let mut crowd = parsed
        .crowd(&map, &indexes, options)
        .expect("indexes are there");
    let mut ids = Vec::new();
    while ids.len() < 40 {
        if let Ok(id) = crowd.add(random_point(&test_map, &mut rng)) {
            ids.push(id);
        }
    }
    let mut arrived = 0;
    for tick in 0..ticks {
        if tick % 40 == 0 {
            for &id in &ids {
                let goal = random_point(&test_map, &mut rng);
                crowd.send(id, goal).expect("on the map");
            }
        }
        if tick % 25 == 10 {
            let keep: Vec<Point> = ids
                .iter()
                .map(|&id| crowd.position(id).expect("there"))
                .collect();
            crowd.patch(&patch_both(&mut test_map, &mut rng, &keep));
        }
        let before: Vec<Point> = ids
            .iter()
            .map(|&id| crowd.position(id).expect("there"))
            .collect();
        arrived += crowd.tick().arrived;
        for (&id, from) in ids.iter().zip(before) {
            let to = crowd.position(id).expect("nobody is lost");
            if to != from {
                let step = [(from.x, from.y), (to.x, to.y)];
                check_path(&test_map, rules, &step).unwrap_or_else(|e| {
                    panic!(
                        "{spec} seed {seed} tick {tick}: {e}\n{}",
                        test_map.to_text()
                    )
                });
            }
        }
    }
    assert!(
        arrived > ticks / 4,
        "{spec}: only {arrived} arrived, {:?}",
        crowd.standings()
    );
}

/// On maps too large for the jump-point graph old labels go on: round new walls by LRTA*, legally, until the goal.
#[test]
fn labels_of_the_old_map_serve_on_a_large_one() {
    let mut test_map = TestMap::filled(700, 600, true);
    test_map.set_rectangle(200, 100, 5, 300, false);
    let map = engine_map(&test_map, Rules::all()[0]);
    let spec = AgentSpec::parse("labels").expect("a right spec");
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        indexes.add(build(&map, &request, Shard::WHOLE, &NoProgress).expect("few corners"));
    }
    let options = Options::default();
    let mut crowd = spec
        .crowd(&map, &indexes, options)
        .expect("indexes are there");
    let mut ids = Vec::new();
    for i in 0..20 {
        let (from, to) = (
            Point {
                x: 20 + i,
                y: 90 + 20 * i,
            },
            Point { x: 600, y: 300 + i },
        );
        let id = crowd.add(from).expect("a free cell");
        crowd.send(id, to).expect("on the map");
        ids.push(id);
    }
    let mut arrived = 0;
    for tick in 0..6000 {
        if tick == 100 {
            let mut patch = GridPatch::new();
            for y in 250..330 {
                test_map.set(400, y, false);
                patch.block(Point { x: 400, y });
            }
            crowd.patch(&patch);
        }
        let before: Vec<Point> = ids
            .iter()
            .map(|&id| crowd.position(id).expect("there"))
            .collect();
        arrived += crowd.tick().arrived;
        for (&id, from) in ids.iter().zip(before) {
            let to = crowd.position(id).expect("there");
            if to != from {
                let step = [(from.x, from.y), (to.x, to.y)];
                check_path(&test_map, Rules::all()[0], &step).expect("a legal step");
            }
        }
        if arrived == 20 {
            return;
        }
    }
    panic!("only {arrived} of 20 arrived");
}

/// A patch marks records, a patch back unmarks them, and sectors end as a new build would have them.
#[test]
fn indexes_are_repaired_a_slice_a_tick() {
    let test_map = TestMap::filled(64, 48, true);
    let map = engine_map(&test_map, Rules::all()[0]);
    for (spec, ends) in [
        ("knn-lrta:records=200", Standing::Current),
        ("sectors:side=8", Standing::Current),
        ("labels", Standing::NeedsBuild),
    ] {
        let parsed = AgentSpec::parse(spec).expect("a right spec");
        let mut indexes = Indexes::new();
        for request in parsed.needs() {
            indexes.add(build(&map, &request, Shard::WHOLE, &NoProgress).expect("a small map"));
        }
        let options = Options {
            repair_operations: 2_000,
            ..Options::default()
        };
        let mut crowd = parsed
            .crowd(&map, &indexes, options)
            .expect("indexes are there");
        let mut patch = GridPatch::new();
        for y in 0..40 {
            patch.block(Point { x: 30, y });
        }
        crowd.patch(&patch);
        let mut ticks = 0;
        while crowd.standings()[0].1 == Standing::UnderRepair {
            crowd.tick();
            ticks += 1;
            assert!(ticks < 10_000, "{spec}");
        }
        assert_eq!(crowd.standings()[0].1, ends, "{spec} after {ticks} ticks");
        assert!(
            ends == Standing::NeedsBuild || ticks > 1,
            "{spec}: not in slices"
        );
    }
}

fn lrta(_: &Map) -> LrtaAgent {
    LrtaAgent::new(LrtaParams::default())
}

#[test]
fn a_long_run_makes_legal_moves_alone_and_loses_nobody() {
    for seed in 0..map_count(6) {
        soak(seed, 150, 300, seed % 2 == 1, lrta);
    }
}

/// How much longer than in CI: `WAYPOST_SOAK=100` makes the long runs a hundred times as long.
fn soak_factor() -> u64 {
    let factor = std::env::var("WAYPOST_SOAK").ok();
    factor.and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn thousands_walk_for_long_under_patches_and_changes_of_mind() {
    let factor = soak_factor();
    for (seed, exclusive) in [(21, false), (22, true)] {
        soak(seed, 200 * factor, 2000, exclusive, lrta);
    }
    // Long runs must not pile anything up: what all walkers hold stays what so many walkers may hold.
    for (seed, spec) in [
        (31, "labels"),
        (32, "knn-lrta:records=300"),
        (33, "waypost"),
    ] {
        patched_run(seed, spec, seed % 2 == 1, 240 * factor);
    }
}

#[test]
fn sector_agents_survive_patches_in_a_crowd() {
    for seed in 0..map_count(2) {
        let index = std::cell::OnceCell::new();
        let make = |map: &Map| {
            let index = index.get_or_init(|| {
                let request = IndexRequest::new(IndexKind::Sectors).with("side", 8);
                Arc::new(SectorIndex::build(map, &request, &NoProgress).expect("a right side"))
            });
            SectorsAgent::new(index.clone())
        };
        soak(seed, 100, 100, seed % 2 == 1, make);
    }
}

#[test]
fn threads_do_not_change_anything() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool")
            .install(|| soak(11, 60, 700, true, lrta))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn every_walker_moves_on_the_first_tick_and_all_arrive() {
    let mut rng = TestRng::new(4);
    let test_map = shapes::noise(80, 80, 10, &mut rng);
    let map = engine_map(&test_map, Rules::all()[0]);
    let options = Options {
        set_up_operations: 10,
        ..Options::default()
    };
    let mut crowd = Crowd::new(map, options);
    let mut sent = 0;
    for _ in 0..600 {
        let at = random_point(&test_map, &mut rng);
        let goal = random_point(&test_map, &mut rng);
        let id = crowd.add(lrta(crowd.map()), at).expect("a passable cell");
        let reachable = optimal_cost(&test_map, Rules::all()[0], (at.x, at.y), (goal.x, goal.y));
        if at != goal && reachable.is_some() {
            crowd.send(id, goal).expect("a point of the map");
            sent += 1;
        }
    }
    let first = crowd.tick();
    assert_eq!(first.moves, sent);
    assert!(first.set_up < 10, "a few plans at a time");
    assert!(first.provisional > 0, "the budget is too small for all");
    let mut arrived = first.arrived;
    for _ in 0..20_000 {
        arrived += crowd.tick().arrived;
        if arrived == sent {
            break;
        }
    }
    assert_eq!(arrived, sent);
}

#[test]
fn unreachable_goals_name_the_nearest_cell() {
    let test_map = TestMap::from_text(".....@..\n.....@..\n.....@..\n");
    let map = engine_map(&test_map, Rules::all()[0]);
    let mut crowd = Crowd::new(map, Options::default());
    let id = crowd
        .add(lrta(crowd.map()), Point { x: 0, y: 1 })
        .expect("free");
    crowd.send(id, Point { x: 7, y: 1 }).expect("on the map");
    crowd.tick();
    let nearest = Some(Point { x: 4, y: 1 });
    assert_eq!(crowd.status(id), Ok(Status::Unreachable { nearest }));
    let mut patch = GridPatch::new();
    patch.open(Point { x: 5, y: 0 });
    crowd.patch(&patch);
    assert!((0..50).any(|_| {
        crowd.tick();
        crowd.status(id) == Ok(Status::Arrived)
    }));
    crowd.remove(id).expect("it is there");
    assert!(crowd.status(id).is_err());
    assert!(crowd.is_empty());
}

#[test]
fn short_requests_overtake_long_ones_and_none_is_dropped() {
    let test_map = TestMap::filled(300, 300, true);
    let mut blocked = test_map.clone();
    blocked.set_rectangle(150, 0, 1, 299, false);
    let map = engine_map(&blocked, Rules::all()[0]);
    let mut queue = PathQueue::new(20 * 985);
    let at = |x, y| cell(&map, (x, y));
    let long = queue.request(&map, at(0, 0), at(299, 0));
    let shared = queue.request(&map, at(0, 0), at(299, 0));
    assert_eq!(long, shared);
    let short: Vec<_> = (0..10)
        .map(|i| queue.request(&map, at(i, 5), at(i + 8, 9)))
        .collect();
    let mut ticks = 0;
    while short
        .iter()
        .any(|&t| !matches!(queue.state(t), RequestState::Found(_)))
    {
        assert!(queue.tick(&map, 100) <= 110);
        ticks += 1;
        assert!(ticks < 100);
    }
    assert!(matches!(queue.state(long), RequestState::Searching));
    while queue.waiting() > 0 {
        queue.tick(&map, 1_000);
    }
    let RequestState::Found(path) = queue.close(long) else {
        panic!("the first holder gets the answer");
    };
    assert_eq!(
        (path[0], path.last().copied()),
        (at(0, 0), Some(at(299, 0)))
    );
    assert!(matches!(queue.close(shared), RequestState::Found(_)));
    assert_eq!(queue.close(long), RequestState::Unknown);
    let cancelled = queue.request(&map, at(0, 0), at(299, 7));
    assert_eq!(queue.close(cancelled), RequestState::Cancelled);
    assert_eq!(queue.waiting(), 0);
}

/// Where a walker begins and where it is sent.
type Trip = ((u32, u32), (u32, u32));

/// Sends walkers on their trips, one a cell, until all stand on their goals at once.
fn all_arrive(test_map: &TestMap, trips: &[Trip], most_ticks: u64) {
    let map = engine_map(test_map, Rules::all()[0]);
    let options = Options {
        exclusive: true,
        ..Options::default()
    };
    let mut crowd = Crowd::new(map, options);
    let mut ids = Vec::new();
    for &((x, y), goal) in trips {
        let agent = LrtaAgent::new(LrtaParams::default());
        let id = crowd.add(agent, Point { x, y }).expect("a free cell");
        crowd
            .send(
                id,
                Point {
                    x: goal.0,
                    y: goal.1,
                },
            )
            .expect("on the map");
        ids.push((id, goal));
    }
    let mut waits = 0;
    for _ in 0..most_ticks {
        waits += crowd.tick().waits;
        let mut cells: Vec<Point> = crowd.iter().map(|(_, at, _)| at).collect();
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), ids.len(), "one walker a cell");
        if crowd.iter().all(|(_, _, status)| status == Status::Arrived) {
            return;
        }
    }
    let left: Vec<_> = crowd
        .iter()
        .filter(|(_, _, status)| *status != Status::Arrived)
        .collect();
    panic!(
        "after {most_ticks} ticks and {waits} waits on\n{}: {left:?}",
        test_map.to_text()
    );
}

#[test]
fn two_meet_in_a_corridor_with_a_bay_and_pass() {
    let map = TestMap::from_text(
        "@@@@@@@@@@@@@@@@@@@@\n@@@@@@@@@@.@@@@@@@@@\n....................\n@@@@@@@@@@@@@@@@@@@@\n",
    );
    all_arrive(&map, &[((0, 2), (19, 2)), ((19, 2), (0, 2))], 500);
    // The bay is nearer to the one that comes second.
    all_arrive(&map, &[((4, 2), (19, 2)), ((19, 2), (0, 2))], 500);
    all_arrive(&map, &[((13, 2), (0, 2)), ((0, 2), (19, 2))], 500);
}

#[test]
fn a_walker_in_a_dead_end_is_let_out() {
    let map = TestMap::from_text("@@@@@@@...\n..........\n@@@@@@@...\n");
    // The one outside has the older goal, at the end of the corridor where the other one stands.
    all_arrive(&map, &[((8, 1), (1, 1)), ((0, 1), (9, 0))], 500);
}

#[test]
fn two_groups_meet_in_a_corridor_that_has_a_way_round() {
    // Two rooms, joined by a corridor and by a loop above it.
    let mut map = TestMap::filled(40, 12, true);
    map.set_rectangle(8, 0, 24, 12, false);
    map.set_rectangle(8, 8, 24, 1, true);
    map.set_rectangle(8, 2, 24, 1, true);
    let mut trips = Vec::new();
    for i in 0..12 {
        let (x, y) = (i % 3, i / 3);
        trips.push(((7 - x, 7 + y), (34 + x, 7 + y)));
        trips.push(((34 + x, 7 + y), (7 - x, 7 + y)));
    }
    all_arrive(&map, &trips, 3000);
}

#[test]
fn two_groups_meet_in_a_corridor_that_has_none() {
    let mut map = TestMap::filled(40, 12, true);
    map.set_rectangle(8, 0, 24, 12, false);
    map.set_rectangle(8, 8, 24, 1, true);
    let mut trips = Vec::new();
    for i in 0..6 {
        let (x, y) = (i % 2, i / 2);
        trips.push(((7 - x, 7 + y), (33 + x, 7 + y)));
        trips.push(((33 + x, 7 + y), (7 - x, 7 + y)));
    }
    all_arrive(&map, &trips, 5000);
}

#[test]
fn a_dense_crowd_in_one_room_sorts_itself_out() {
    let map = TestMap::filled(16, 16, true);
    let mut rng = TestRng::new(3);
    let mut goals: Vec<(u32, u32)> = (0..16).flat_map(|x| (0..16).map(move |y| (x, y))).collect();
    for i in (1..goals.len()).rev() {
        goals.swap(i, rng.below(i as u32 + 1) as usize);
    }
    let starts = (0..150).map(|i| (i % 16, i / 16));
    let trips: Vec<_> = starts.zip(goals).collect();
    all_arrive(&map, &trips, 5000);
}
