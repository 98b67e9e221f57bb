//! Four ways, terrain and large units: every method against the independent oracle, or refused with the reason.

mod common;

use common::terrain::unit_map;
use common::{REAL_TIME_SPECS, cell, engine_map, map_count, points};
use waypost::agent::Scratch;
use waypost::index::{self, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::run::{Outcome, walk};
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::{Agent, Context, Map};
use waypost_testkit::{Mover, Rules, TestRng, shapes};

/// Methods whose paths are optimal.
const EXACT: &[&str] = &[
    "astar",
    "dijkstra",
    "astar:landmarks=3",
    "astar:canonical=9",
    "astar:heuristic=euclid",
    "astar:heuristic=chebyshev",
    "astar:heuristic=table",
    "astar:base=textbook",
    "astar:prune=none,successors=rows",
    "tables",
    "cpd",
    "cpd:encoding=table",
    "cpd:encoding=rectangles",
];

/// Methods that arrive.
const OTHERS: &[&str] = &[
    "astar:weight=2",
    "lrts:gmax=3.5,quota=25",
    "sectors",
    "sectors:side=8,k=6,slice=40",
    "pra",
    "pra:k=10",
    "quickpath",
    "d-lrta",
    "knn-lrta:records=40",
    "knn-lrta:records=40,candidates=4,landmarks=2",
    "knn-lrta-2009:records=20",
    "hcdps",
    "dba",
    "waypost",
];

/// LRTS with a quota goes back and forth for long: half a million moves are too few on one map of 4,500.
const MAX_MOVES: u64 = 20_000_000;

/// Methods that rest on jump points.
const REFUSED: &[&str] = &["jps", "jump-graph", "labels"];

fn build(spec: &str, map: &Map, indexes: &mut Indexes) -> Result<Box<dyn Agent<Map>>, String> {
    let spec = AgentSpec::parse(spec).unwrap_or_else(|e| panic!("{e}"));
    for request in spec.needs() {
        if !indexes.has(&request) {
            let built = index::build(map, &request, Shard::WHOLE, &NoProgress);
            indexes.add_built(request, built.map_err(|error| error.to_string())?);
        }
    }
    spec.build(map, indexes).map_err(|error| error.to_string())
}

/// Walks some problems of a map with one method and compares with the oracle.
fn check(spec: &str, exact: bool, mover: &Mover, map: &Map, seed: u64, what: &str) {
    let mut indexes = Indexes::new();
    let mut agent = match build(spec, map, &mut indexes) {
        Ok(agent) => agent,
        // Databases of records need a map with two cells apart.
        Err(reason) if reason.contains("no two cells") => return,
        Err(reason) => panic!("{spec}: {reason}, {what}"),
    };
    let mut scratch = Scratch::new();
    let mut rng = TestRng::new(seed);
    for _ in 0..3 {
        let ends = [0; 2].map(|_| mover.map.random_open_cell(&mut rng));
        let [Some(from), Some(goal)] = ends else {
            return;
        };
        if !map.grid().is_passable(cell(map, from)) || !map.grid().is_passable(cell(map, goal)) {
            continue;
        }
        let optimal = mover.distances(from)[(goal.1 * mover.map.width() + goal.0) as usize];
        let mut context = Context::new(map, &mut scratch);
        let ends = [from, goal].map(|at| cell(map, at));
        let walked = walk(
            agent.as_mut(),
            &mut context,
            ends[0],
            ends[1],
            MAX_MOVES,
            &mut (),
        );
        let walked = walked.unwrap_or_else(|e| panic!("{spec}: {e}, {what}"));
        let Some(optimal) = optimal else {
            assert_eq!(walked.outcome, Outcome::Unreachable, "{spec}, {what}");
            continue;
        };
        assert_eq!(
            walked.outcome,
            Outcome::Arrived,
            "{spec}, {from:?} {goal:?}, {what}"
        );
        let path = points(map, &walked.path);
        let cost = mover.walk(&path).map(|walked| walked.cost);
        assert_eq!(cost, Some(walked.cost), "{spec}, {what}");
        if exact {
            assert_eq!(walked.cost, optimal, "{spec}, {from:?} to {goal:?}, {what}");
        }
        if let Some(bound) = agent.operations_bound(map) {
            let most = walked.operations_per_move_max;
            assert!(most <= bound, "{spec}: {most} > {bound}, {what}");
        }
    }
}

fn check_all(mover: &Mover, map: &Map, seed: u64, what: &str) {
    for spec in EXACT {
        check(spec, true, mover, map, seed, what);
    }
    // What learns takes as many moves as the most expensive ground is dear.
    let is_mild = map.max_step_cost() <= 64 * map.least_steps().straight;
    let others = OTHERS.iter().chain(REAL_TIME_SPECS);
    for spec in others.filter(|_| is_mild) {
        check(spec, false, mover, map, seed, what);
    }
    for spec in REFUSED {
        let refused = build(spec, map, &mut Indexes::new())
            .err()
            .unwrap_or_default();
        assert!(refused.contains("eight ways"), "{spec}: {refused}");
    }
}

#[test]
fn every_method_is_named_here() {
    for algorithm in ALGORITHMS {
        let named = |spec: &&&str| spec.split(':').next() == Some(algorithm.name);
        let all = [EXACT, OTHERS, REFUSED, REAL_TIME_SPECS].concat();
        assert!(all.iter().any(|spec| named(&spec)), "{}", algorithm.name);
    }
}

#[test]
fn every_method_works_four_ways_or_says_why_not() {
    for seed in 0..map_count(60) {
        let test_map = shapes::any(seed, 3, 24);
        let rules = Rules::four_ways()[seed as usize % 2];
        let map = engine_map(&test_map, rules);
        let mover = Mover {
            map: &test_map,
            rules,
            size: 1,
            factors: None,
        };
        let what = format!("seed {seed}, {rules:?}\n{test_map}");
        check_all(&mover, &map, seed, &what);
    }
}

#[test]
fn every_method_works_on_terrain_and_with_large_units_or_says_why_not() {
    let mut on_terrain = 0;
    for seed in 0..map_count(90) {
        let test_map = shapes::any(seed + 5000, 3, 26);
        let all: Vec<Rules> = Rules::all().into_iter().chain(Rules::four_ways()).collect();
        let size = [1, 1, 2, 3][seed as usize % 4];
        let (map, rules, factors) = unit_map(&test_map, all[seed as usize % 8], size, seed);
        if map.ground().is_none() {
            continue;
        }
        on_terrain += 1;
        let mover = Mover {
            map: &test_map,
            rules,
            size,
            factors: Some(&factors),
        };
        let what = format!("seed {seed}, {rules:?}, size {size}\n{test_map}");
        check_all(&mover, &map, seed, &what);
    }
    assert!(on_terrain * 2 > map_count(90));
}
