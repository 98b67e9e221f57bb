//! What every agent promises: it arrives by legal moves wherever there is a path and says `Unreachable` elsewhere, no move
//! exceeds the bound that it publishes, and after set-up no move allocates. The agents are those of the registry
//! ([`ALGORITHMS`]), so a new one is tested as soon as it has a name.

mod common;

use common::{REAL_TIME_SPECS, cell, engine_map, map_count, points};
use std::collections::BTreeMap;
use waypost::agent::Scratch;
use waypost::index::{self, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::run::{Outcome, walk};
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::{Agent, Context, Decision, Map};
use waypost_testkit::allocations::{Allocations, Counting, is_counting, measure};
use waypost_testkit::shapes::Shape;
use waypost_testkit::{Rules, TestMap, TestRng, check_path, component_numbers, shapes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Settings besides the defaults that take other ways through an agent's code.
const OPTIONS: &[&str] = &[
    "knn-lrta:records=2",
    "knn-lrta:records=40,candidates=all,learn=always",
    "knn-lrta:records=40,lookup=scan,fragments=on",
    "knn-lrta:records=40,goal-first=off,first-subgoal=off,last-subgoal=off,quota=0",
    "knn-lrta:records=40,draw=uncovered",
    "knn-lrta:records=40,draw=regions",
    "knn-lrta:records=40,choose=cost",
    "knn-lrta:records=40,join=any",
    "knn-lrta:records=40,k=3",
    "knn-lrta:records=2,aware=1",
    "knn-lrta:records=40,aware=9,quota=0",
    "knn-lrta:records=40,candidates=4,landmarks=2",
    "knn-lrta:records=40,draw=uncovered,choose=cost,join=any,k=8,landmarks=4,fragments=on",
    "knn-lrta-2009:records=2,lookahead=1",
    "sectors:side=8,k=1,commit=1,slice=16",
    "sectors:side=8,k=6,slice=40",
    "hcdps:ahead=0,climb=1",
    "hcdps:ahead=32,seed=7",
    "dba:side=4,levels=3,ahead=0",
    "dba:side=8,climb=1",
];

/// More moves than any of these agents needs on maps of this size.
const MOVES: u64 = 2_000_000;

/// Every algorithm as its name alone gives it, databases of records aside, which need no 10,000 on small maps.
fn registered() -> Vec<String> {
    ALGORITHMS
        .iter()
        .map(|algorithm| {
            let draws_records = algorithm.keys.iter().any(|(key, _)| *key == "records");
            let records = if draws_records { ":records=40" } else { "" };
            format!("{}{records}", algorithm.name)
        })
        .collect()
}

fn all_specs() -> Vec<String> {
    let mut specs = registered();
    for spec in REAL_TIME_SPECS.iter().chain(OPTIONS) {
        if !specs.iter().any(|known| known == spec) {
            specs.push(spec.to_string());
        }
    }
    specs
}

/// The agent with its indexes, which are built where they are not at hand; why not, where map or rules do not suit it.
fn build(spec: &str, map: &Map, indexes: &mut Indexes) -> Result<Box<dyn Agent<Map>>, String> {
    let spec = AgentSpec::parse(spec).expect("a good spec");
    for request in spec.needs() {
        if !indexes.has(&request) {
            let built = index::build(map, &request, Shard::WHOLE, &NoProgress);
            let index = built.map_err(|error| error.to_string())?;
            indexes.add_built(request, index);
        }
    }
    spec.build(map, indexes).map_err(|error| error.to_string())
}

struct Trial<'a> {
    test_map: &'a TestMap,
    map: &'a Map,
    rules: Rules,
    components: &'a [Option<u32>],
}

impl Trial<'_> {
    fn component(&self, (x, y): (u32, u32)) -> Option<u32> {
        self.components[(y * self.test_map.width() + x) as usize]
    }

    /// One walk: it must end as the oracle says, by legal moves within the bound.
    fn check(
        &self,
        agent: &mut dyn Agent<Map>,
        scratch: &mut Scratch,
        [from, goal]: [(u32, u32); 2],
        what: &dyn Fn() -> String,
    ) {
        let mut context = Context::new(self.map, scratch);
        let (start, end) = (cell(self.map, from), cell(self.map, goal));
        let walk = walk(agent, &mut context, start, end, MOVES, &mut ())
            .unwrap_or_else(|e| panic!("{e}: {}", what()));
        if self.component(from) != self.component(goal) {
            assert_eq!(walk.outcome, Outcome::Unreachable, "{}", what());
            assert_eq!(walk.decisions, 1, "{}", what());
            return;
        }
        assert_eq!(walk.outcome, Outcome::Arrived, "{}", what());
        let path = points(self.map, &walk.path);
        assert_eq!((path[0], path[path.len() - 1]), (from, goal), "{}", what());
        let checked = check_path(self.test_map, self.rules, &path);
        let checked = checked.unwrap_or_else(|e| panic!("{e}: {}", what()));
        assert_eq!(checked.cost, walk.cost, "{}", what());
        if let Some(bound) = agent.operations_bound(self.map) {
            let most = walk.operations_per_move_max;
            assert!(most <= bound, "{most} > {bound}: {}", what());
        }
    }
}

/// How many maps of each rule a spec was tried on.
type Tried = BTreeMap<String, [u32; 6]>;

fn try_all(specs: &[String], maps: u64, side: u32, tried: &mut Tried) {
    for seed in 0..maps {
        let test_map = shapes::any(seed, 4, side);
        let number = seed as usize % 6;
        let rules = Rules::all()[number];
        let map = engine_map(&test_map, rules);
        let components = component_numbers(&test_map, rules.corner);
        let trial = Trial {
            test_map: &test_map,
            map: &map,
            rules,
            components: &components,
        };
        let mut rng = TestRng::new(seed + 5_000_000);
        let (mut indexes, mut scratch) = (Indexes::new(), Scratch::new());
        for spec in specs {
            // Records need two cells that are three apart: not all of these maps have them.
            let Ok(mut agent) = build(spec, &map, &mut indexes) else {
                continue;
            };
            tried.entry(spec.clone()).or_default()[number] += 1;
            for _ in 0..3 {
                let ends = [(); 2].map(|()| test_map.random_open_cell(&mut rng));
                let [Some(from), Some(goal)] = ends else {
                    continue;
                };
                let what = || {
                    format!("{spec} from {from:?} to {goal:?}, seed {seed}, {rules:?}\n{test_map}")
                };
                trial.check(&mut *agent, &mut scratch, [from, goal], &what);
            }
        }
    }
}

#[test]
fn agents_arrive_legally_within_their_bounds_or_say_unreachable() {
    let maps = map_count(2000);
    let mut tried = Tried::new();
    let specs = all_specs();
    try_all(&specs, maps, 24, &mut tried);
    // Backtracking beyond the quota takes many moves: small maps alone.
    let backtracking = common::BACKTRACKING_SPECS.map(str::to_string);
    try_all(&backtracking, maps, 12, &mut tried);
    for spec in specs.iter().chain(&backtracking) {
        let counts = tried.get(spec).copied().unwrap_or_default();
        println!("{spec}: tried on {counts:?} maps of the six rules");
        let enough = counts.iter().all(|&count| u64::from(count) >= maps / 6 / 2);
        assert!(enough, "{spec}: {counts:?} of {maps} maps");
    }
}

/// What 10,000 moves allocated.
fn moves_of(
    agent: &mut dyn Agent<Map>,
    context: &mut Context<Map>,
    problems: &[[waypost::Cell; 2]],
) -> (u32, Allocations) {
    let (mut moves, mut all) = (0, Allocations::default());
    for &[from, goal] in problems {
        agent.start(context, from, goal);
        let mut at = from;
        let (_, used) = measure(|| {
            for _ in 0..20_000 {
                moves += 1;
                match agent.next_move(context, at) {
                    Decision::Step(to) => at = to,
                    Decision::Thinking => {}
                    Decision::Arrived | Decision::Unreachable => break,
                }
            }
        });
        all.count += used.count;
        all.bytes += used.bytes;
        if moves >= 10_000 {
            break;
        }
    }
    (moves, all)
}

/// Agents that publish a bound and yet write down a whole path on their first move.
const WHOLE_PATHS: [&str; 2] = ["labels", "waypost"];

/// Set-up is, for an agent that publishes a bound, `start` and nothing else. Methods that plan whole paths work in
/// memory that grows with the paths: their set-up is the same problems walked once before.
#[test]
fn ten_thousand_moves_of_every_agent_allocate_nothing() {
    assert!(is_counting());
    let mut rng = TestRng::new(11);
    let rooms = Shape::Rooms.make(100, 100, &mut rng);
    let map = engine_map(&rooms, Rules::all()[0]);
    let problems: Vec<_> = (0..2000)
        .map(|_| [(); 2].map(|()| cell(&map, rooms.random_open_cell(&mut rng).expect("open"))))
        .collect();
    let mut indexes = Indexes::new();
    let mut failures = Vec::new();
    for spec in all_specs() {
        let mut agent = build(&spec, &map, &mut indexes).expect("rooms suit every method");
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        if agent.operations_bound(&map).is_none() || WHOLE_PATHS.contains(&spec.as_str()) {
            moves_of(&mut *agent, &mut context, &problems);
        }
        let (moves, used) = moves_of(&mut *agent, &mut context, &problems);
        assert!(moves >= 10_000, "{spec}: {moves} moves");
        if used.count > 0 {
            failures.push(format!("{spec}: {used:?}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The names between backticks in a piece of text.
fn names_in(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_front_pages_say_whose_moves_are_bounded() {
    let map = engine_map(&TestMap::filled(12, 9, true), Rules::all()[0]);
    let mut indexes = Indexes::new();
    let is_bounded = |name: &str, indexes: &mut Indexes| {
        let agent = build(name, &map, indexes).expect("a small map suits every method");
        agent.operations_bound(&map).is_some()
    };
    let crate_page = include_str!("../src/lib.rs").replace("\n//! ", " ");
    let read_me = include_str!("../../../README.md").replace('\n', " ");
    let between = |text: &str, from: &str, to: &str| {
        let begin = text.find(from).expect(from) + from.len();
        text[begin..begin + text[begin..].find(to).expect(to)].to_string()
    };
    let pages = [
        (
            between(&crate_page, "changes of the map): ", ". Not bounded"),
            between(&crate_page, "before their first move, ", "."),
        ),
        (
            between(&read_me, "during and after changes of the map | ", "|"),
            between(&read_me, "The exact searches ", " think before"),
        ),
    ];
    for (bounded, others) in &pages {
        let (bounded, others) = (names_in(bounded), names_in(others));
        for algorithm in ALGORITHMS {
            let name = algorithm.name;
            let is = is_bounded(name, &mut indexes);
            assert_eq!(bounded.contains(&name), is, "{name} in {bounded:?}");
            assert_eq!(others.contains(&name), !is, "{name} in {others:?}");
        }
    }
}
