//! Four ways, terrain and large units: every method against the independent oracle, or refused with the reason.

mod common;

use common::{REAL_TIME_SPECS, cell, engine_map, engine_rules, map_count, points};
use waypost::index::{self, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::run::{Outcome, walk};
use waypost::search::Scratch;
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::terrain::{Class, Classes, Factor, Footing};
use waypost::{Agent, Context, Grid, Map, Point};
use waypost_testkit::{Mover, Rules, TestMap, TestRng, shapes};

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
    "waypost",
];

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
            500_000,
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
    let others = OTHERS.iter().chain(REAL_TIME_SPECS);
    for spec in others {
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

/// Patches of up to five classes with random factors over a map.
fn random_classes(test_map: &TestMap, seed: u64) -> Classes {
    let mut rng = TestRng::new(seed + 77);
    let factors: &[&[u32]] = &[
        &[100, 200, 450],
        &[100, 150, 300, 1000],
        &[10, 100, 10_000],
        &[125, 275, 350, 400, 775],
        &[100, 101],
        &[300],
    ];
    let factors = factors[rng.below(factors.len() as u32) as usize];
    let kinds = factors.iter().enumerate().map(|(i, &hundredths)| Class {
        name: i.to_string(),
        footing: Footing::Factor(Factor::from_hundredths(hundredths).expect("in range")),
    });
    let (width, height) = (test_map.width(), test_map.height());
    let mut cells = vec![0; (width * height) as usize];
    for _ in 0..rng.below(12) {
        let class = rng.below(factors.len() as u32) as u8;
        let (x, y) = (rng.below(width), rng.below(height));
        let (w, h) = (rng.between(1, 9), rng.between(1, 9));
        for (dx, dy) in (0..h).flat_map(|dy| (0..w).map(move |dx| (dx, dy))) {
            if x + dx < width && y + dy < height {
                cells[((y + dy) * width + x + dx) as usize] = class;
            }
        }
    }
    Classes::new(width, height, kinds.collect(), cells).expect("as many cells as the map has")
}

/// The map of a unit on random terrain, with the oracle's rules and factors for it.
fn unit_map(test_map: &TestMap, rules: Rules, size: u32, seed: u64) -> (Map, Rules, Vec<u64>) {
    let classes = random_classes(test_map, seed);
    let (width, height) = (test_map.width(), test_map.height());
    let grid = Grid::from_fn(width, height, |p| test_map.is_open_at((p.x, p.y)));
    let grid = grid.expect("a legal size");
    let map = Map::for_unit(&grid, engine_rules(rules), Some(&classes), size);
    let map = map.expect("costs fit");
    let scale = map.ground().map(|ground| ground.scale());
    let hundredths = classes.kinds().iter().map(|class| match class.footing {
        Footing::Factor(factor) => factor.hundredths(),
        Footing::Wall => 0,
    });
    let hundredths: Vec<u32> = hundredths.collect();
    let unit = scale.map_or(1, |scale| scale.unit);
    let of_cell = |i: u32| {
        let class = classes.at(Point {
            x: i % width,
            y: i / width,
        });
        u64::from(hundredths[usize::from(class)] / unit)
    };
    let factors = (0..width * height).map(of_cell).collect();
    let rules = Rules {
        straight: scale.map_or(rules.straight, |s| s.straight.into()),
        diagonal: scale.map_or(rules.diagonal, |s| s.diagonal.into()),
        ..rules
    };
    (map, rules, factors)
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
