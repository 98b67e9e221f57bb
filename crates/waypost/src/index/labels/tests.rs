use super::*;
use crate::artifact::{AlignedBytes, Artifact};
use crate::cost::{Cost, UNREACHED};
use crate::grid::{Cell, Corners, Grid, MoveRules};
use crate::index::{self, Index};
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::search::jps::LowerBound;
use std::sync::Arc;
use waypost_testkit::{Corner, Rules, TestMap, distances, shapes};

fn engine_map(map: &TestMap, rules: Rules) -> Map {
    let grid = Grid::from_fn(map.width(), map.height(), |p| map.is_open_at((p.x, p.y)));
    let corners = match rules.corner {
        Corner::Never => Corners::Never,
        Corner::One => Corners::One,
        Corner::Always => Corners::Always,
        Corner::NoDiagonals => Corners::NoDiagonals,
    };
    let costs = if rules.straight == 5 {
        CostPair::OnePointFour
    } else {
        CostPair::Sqrt2
    };
    Map::new(grid.expect("a legal size"), MoveRules { corners, costs })
}

fn labels_of(map: &Map) -> CornerLabels {
    CornerLabels::build(map, Settings::default(), &NoProgress).expect("few corners")
}

/// Labels that are to fit this part of what all of them take, or those of one hub.
fn cut_to(map: &Map, part: u64) -> CornerLabels {
    let whole = labels_of(map);
    // Header, table and gaps of the file, and the labels of one hub.
    let least = 1000 + 20 * whole.corners() as u64;
    let settings = Settings {
        fit_bytes: Some((whole.to_bytes().as_ref().len() as u64 / part).max(least)),
        ..Settings::default()
    };
    CornerLabels::build(map, settings, &NoProgress).expect("room for a hub")
}

fn count(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |n| n.parse().expect("a number"))
}

#[test]
fn four_ways_are_refused_with_the_reason() {
    let rules = MoveRules {
        corners: Corners::NoDiagonals,
        ..MoveRules::default()
    };
    let open = Grid::from_fn(20, 20, |p| p.x != 9 || p.y > 14).expect("a legal size");
    let refused = CornerLabels::build(&Map::new(open, rules), Settings::default(), &NoProgress);
    assert!(matches!(refused, Err(BuildError::Unsuitable { .. })));
}

#[test]
fn all_pairs_equal_the_oracle_under_every_rule() {
    let mut query = LabelQuery::new();
    let mut cells = Vec::new();
    let all_rules = Rules::all();
    for seed in 0..count("WAYPOST_TEST_MAPS", 300) {
        let test_map = shapes::any(seed, 3, 15);
        let rules = all_rules[seed as usize % all_rules.len()];
        let map = engine_map(&test_map, rules);
        // Every other map with labels of some hubs alone.
        let index = match seed % 2 {
            0 => labels_of(&map),
            _ => cut_to(&map, 2 + seed % 5),
        };
        let bound = index.measures().operations_bound();
        let costs = map.rules().costs;
        for from in test_map.open_cells() {
            let best = distances(&test_map, rules, from);
            let start = Point {
                x: from.0,
                y: from.1,
            };
            for to in test_map.open_cells() {
                let end = Point { x: to.0, y: to.1 };
                let optimal = best[(to.1 * test_map.width() + to.0) as usize];
                let what = || {
                    format!(
                        "seed {seed} {rules:?} {start} -> {end}\n{}",
                        test_map.to_text()
                    )
                };
                let distance = query.distance(&index, start, end);
                assert_eq!(distance.map(u64::from), optimal, "{}", what());
                let path = query.path(&index, start, end);
                assert_eq!(path.is_some(), optimal.is_some(), "{}", what());
                if let Some(path) = path {
                    path.write_cells(map.grid(), &mut cells);
                    let length = map.path_length(&cells);
                    assert_eq!(length, Some(path.length()), "illegal: {}", what());
                    assert_eq!((path.start(), path.end()), (start, end), "{}", what());
                    assert_eq!(Some(u64::from(path.cost(costs))), optimal, "{}", what());
                }
                assert!(query.operations() <= bound, "{}", what());
                let route = query.route(&index, start, end);
                let cost = route.as_ref().map(|route| u64::from(route.cost()));
                assert_eq!(cost, optimal);
                if let Some(route) = route {
                    check_runs(&map, &index, &route);
                    check_marks(&map, &index, &route);
                }
                let sliced = in_slices(&mut query, &index, (start, end), 1 + seed % 9);
                let cost = sliced.as_ref().map(|route| u64::from(route.cost()));
                assert_eq!(cost, optimal, "in slices: {}", what());
                if let Some(route) = sliced {
                    check_runs(&map, &index, &route);
                }
            }
        }
    }
}

/// The runs of a route, one by one, are a legal path at the route's cost.
/// The same route, found in slices of so many labels, none of which takes more than its bound.
fn in_slices(
    query: &mut LabelQuery,
    index: &CornerLabels,
    ends: (Point, Point),
    labels: u64,
) -> Option<Route> {
    // A list has at least one label in every slice.
    let most = index.measures().slice_bound(labels.max(64), 0);
    let mut slice = query.route_in_slices(index, ends, labels);
    for _ in 0..=index.corners() {
        assert!(
            query.operations() <= most,
            "{} of {most}",
            query.operations()
        );
        match slice {
            Slice::NoPath => return None,
            Slice::Found(route) => return Some(route),
            Slice::Unfinished(so_far) => {
                let kept = Unfinished::from_numbers(so_far.numbers(), index);
                let kept = kept.expect("of these labels");
                slice = query.go_on(index, ends, kept, labels);
            }
        }
    }
    panic!("more slices than hubs");
}

/// A route that is left off at a corner goes on there as if it had not been.
fn check_marks(map: &Map, index: &CornerLabels, route: &Route) {
    let mut runs = route.runs();
    let mut at = route.from();
    while let Some((first, second)) = runs.next_leg(index) {
        for run in [first, second] {
            at = crate::grid::scan::moved(at, run.direction, run.steps);
        }
        let Some(mark) = runs.mark() else { continue };
        let mut rest = index.resume(mark, at, route.to()).expect("a mark of it");
        let mut unbroken = runs.clone();
        while let Some(leg) = unbroken.next_leg(index) {
            assert_eq!(rest.next_leg(index), Some(leg), "{at} of {map:?}");
        }
        assert_eq!(rest.next_leg(index), None);
    }
    assert_eq!(at, route.to());
}

fn check_runs(map: &Map, index: &CornerLabels, route: &Route) {
    let (mut runs, mut at) = (route.runs(), map.grid().cell(route.from()).expect("a cell"));
    let mut cells = vec![at];
    while let Some(run) = runs.next_run(index) {
        assert!(run.steps > 0, "{route:?}");
        for _ in 0..run.steps {
            at = map.grid().neighbour(at, run.direction);
            cells.push(at);
        }
    }
    assert_eq!(map.grid().point(at), route.to());
    let length = map.path_length(&cells).expect("a legal path");
    let costs = map.rules().costs;
    let cost = length.straight * u64::from(costs.straight())
        + length.diagonal * u64::from(costs.diagonal());
    assert_eq!(cost, u64::from(route.cost()), "{route:?}");
}

#[test]
fn long_routes_unroll_as_they_are_walked() {
    // Combs: a way of hundreds of corners, and walks through the middle of it.
    let grid = Grid::from_fn(400, 12, |p| match p.x % 4 {
        1 => p.y != 0,
        3 => p.y != 11,
        _ => true,
    });
    let map = Map::new(grid.expect("a legal size"), MoveRules::default());
    let index = labels_of(&map);
    assert!(index.measures().longest_chain > 40);
    let mut query = LabelQuery::new();
    let mut rng = Rng::new(11);
    for pair in random_points(&map, &mut rng, 200).windows(2) {
        let route = query.route(&index, pair[0], pair[1]).expect("all joined");
        check_runs(&map, &index, &route);
        let first = query.first_run(&index, pair[0], pair[1]);
        assert_eq!(first, Some((route.cost(), route.runs().next_run(&index))));
    }
}

#[test]
fn ways_to_a_goal_are_never_overestimated() {
    let mut query = LabelQuery::new();
    let (mut raised, mut all) = (0, 0);
    for seed in 0..24 {
        let map = rooms(seed, 60, MoveRules::ALL[seed as usize % 6]);
        let index = Arc::new(labels_of(&map));
        let mut rng = Rng::for_item(43, seed);
        for goal in random_points(&map, &mut rng, 12) {
            let known = WaysTo::new(&index, goal, &mut query).expect("the goal is free");
            assert!(query.operations() > 0);
            for corner in 0..index.corners() as u32 {
                let at = index.graph().points().point(corner);
                let Some(distance) = query.distance(&index, at, goal) else {
                    continue;
                };
                let (dx, dy) = at.distances(goal);
                let octile = map.rules().costs.octile(dx, dy);
                let bound = known.at_least(at);
                assert!(bound <= distance, "{at} {goal}: {bound} {distance}");
                raised += usize::from(bound > octile);
                all += usize::from(distance > octile);
            }
        }
        assert!(WaysTo::new(&index, Point { x: 60, y: 0 }, &mut query).is_none());
    }
    assert!(raised * 2 > all, "{raised} of {all} are raised");
}

/// A map of rooms, large enough to have long chains of hubs.
fn rooms(seed: u64, side: u32, rules: MoveRules) -> Map {
    let mut rng = Rng::for_item(41, seed);
    let mut grid = Grid::from_fn(side, side, |_| true).expect("a legal size");
    for _ in 0..side * side / 60 {
        let (x, y) = (rng.below(side), rng.below(side));
        let (width, height) = (rng.between(1, 9), rng.between(1, 9));
        for row in y..y + height {
            grid.set_run(row, x..x + width, false);
        }
    }
    Map::new(grid, rules)
}

fn random_points(map: &Map, rng: &mut Rng, count: usize) -> Vec<Point> {
    let cells: Vec<Cell> = map.grid().cells().collect();
    (0..count)
        .map(|_| {
            map.grid()
                .point(cells[rng.below(cells.len() as u32) as usize])
        })
        .collect()
}

#[test]
fn one_to_many_and_first_moves_agree_with_single_queries() {
    for seed in 0..12 {
        let map = rooms(seed, 70, MoveRules::ALL[seed as usize % 6]);
        let index = labels_of(&map);
        let mut rng = Rng::for_item(42, seed);
        let mut many = random_points(&map, &mut rng, 40);
        many.push(Point { x: 7_000, y: 1 });
        let (mut query, mut single) = (LabelQuery::new(), LabelQuery::new());
        let (mut costs, mut cells, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for one in random_points(&map, &mut rng, 10) {
            query.distances(&index, one, &many, &mut costs);
            let expected: Vec<Cost> = many
                .iter()
                .map(|&to| single.distance(&index, to, one).unwrap_or(UNREACHED))
                .collect();
            assert_eq!(costs, expected, "seed {seed} {one}");
            let nearest = query.nearest(&index, one, &many, &mut costs);
            let least = expected.iter().copied().min().expect("many");
            assert_eq!(nearest.map(|(i, c)| (expected[i], c)), Some((least, least)));
            let to = many[3];
            if let Some(path) = single.path(&index, one, to) {
                path.write_cells(map.grid(), &mut whole);
                for k in [0, 1, 5, 1_000_000] {
                    let found = query.first_moves(&index, map.grid(), one, to, k, &mut cells);
                    assert_eq!(found, Some(()));
                    assert_eq!(cells, whole[1..(k + 1).min(whole.len())]);
                }
            }
        }
    }
}

#[test]
fn builds_are_deterministic_and_files_come_back() {
    for (seed, rules) in MoveRules::ALL.into_iter().enumerate() {
        let map = rooms(seed as u64, 60, rules);
        for build in [
            labels_of,
            |map: &Map| cut_to(map, 2),
            |map: &Map| cut_to(map, 4),
        ] {
            let index = build(&map);
            let bytes = index.to_bytes();
            assert_eq!(bytes, build(&map).to_bytes());
            let artifact = Artifact::open(bytes.clone()).expect("a good artifact");
            let opened = index::open(&artifact, &map).expect("its own map");
            assert_eq!(opened.to_bytes(), bytes);
            assert_eq!(opened.facts(), index.facts());
        }
    }
}

/// The same artifact with one 64-bit word of its contents replaced and the checksum set right.
fn with_word(bytes: &AlignedBytes, at: usize, value: u64) -> AlignedBytes {
    let mut copy = bytes.clone();
    let data = copy.as_mut();
    data[at..at + 8].copy_from_slice(&value.to_le_bytes());
    let body = data.len() - 8;
    let checksum = xxhash_rust::xxh3::xxh3_64(&data[..body]);
    data[body..].copy_from_slice(&checksum.to_le_bytes());
    copy
}

#[test]
fn absurd_contents_are_refused_or_harmless() {
    let map = rooms(3, 40, MoveRules::default());
    for index in [labels_of(&map), cut_to(&map, 2), cut_to(&map, 4)] {
        open_absurd_contents(&map, &index);
    }
}

fn open_absurd_contents(map: &Map, index: &CornerLabels) {
    let bytes = index.to_bytes();
    let length = bytes.as_ref().len();
    let mut rng = Rng::new(77);
    let (mut refused, mut opened_count) = (0, 0);
    let mut query = LabelQuery::new();
    let mut cells = Vec::new();
    for round in 0..1500 {
        let at = (rng.below((length / 8 - 1) as u32) as usize) * 8;
        let old = u64::from_le_bytes(bytes.as_ref()[at..at + 8].try_into().expect("eight bytes"));
        let value = match round % 4 {
            0 => rng.next_u64(),
            1 => old ^ 1 << rng.below(64),
            2 => u64::MAX,
            _ => old.wrapping_add(u64::from(rng.below(3))),
        };
        let Ok(artifact) = Artifact::open(with_word(&bytes, at, value)) else {
            refused += 1;
            continue;
        };
        let Ok(opened) = index::open(&artifact, map) else {
            refused += 1;
            continue;
        };
        opened_count += 1;
        let any: std::sync::Arc<dyn std::any::Any + Send + Sync> = opened;
        let opened = any.downcast::<CornerLabels>().expect("labels");
        let points = random_points(map, &mut rng, 12);
        for pair in points.windows(2) {
            if let Some(path) = query.path(&opened, pair[0], pair[1]) {
                path.write_cells(map.grid(), &mut cells);
                assert!(map.path_length(&cells).is_some(), "byte {at}: {value:x}");
            }
        }
    }
    assert!(
        refused > 1000 && opened_count > 0,
        "{refused} {opened_count}"
    );
}

#[test]
fn noise_and_small_limits_are_refused_with_an_estimate() {
    let map = rooms(5, 80, MoveRules::default());
    let limit = |max_bytes| Settings {
        max_bytes,
        ..Settings::default()
    };
    let build = |max_bytes| CornerLabels::build(&map, limit(max_bytes), &NoProgress);
    // The file says how many were allowed.
    let bytes = build(100_000).expect("labels").to_bytes().as_ref().len() as u64;
    assert!((10_000..100_000).contains(&bytes), "{bytes}");
    for max_bytes in [0, 1000, bytes / 2, bytes - 8, bytes - 1] {
        let refused = CornerLabels::build(&map, limit(max_bytes), &NoProgress);
        let message = refused.expect_err("too small a limit").to_string();
        assert!(
            message.contains("bytes") && message.contains("jump-graph"),
            "{message}"
        );
    }
    assert_eq!(
        build(bytes).expect("labels").to_bytes().as_ref().len() as u64,
        bytes
    );
    let open = Map::new(
        Grid::from_fn(40, 30, |_| true).expect("legal"),
        MoveRules::default(),
    );
    assert!(CornerLabels::build(&open, limit(1), &NoProgress).is_err());
    let mut rng = Rng::new(2);
    let noise = Grid::from_fn(512, 512, |_| !rng.percent(25)).expect("a legal size");
    let refused = CornerLabels::build(
        &Map::new(noise, MoveRules::default()),
        Settings::default(),
        &NoProgress,
    );
    assert!(refused.is_err());
}

#[test]
fn labels_fit_the_memory_given_and_know_every_distance() {
    let map = rooms(5, 80, MoveRules::default());
    let whole = labels_of(&map);
    let bytes = whole.to_bytes().as_ref().len() as u64;
    let points = random_points(&map, &mut Rng::new(3), 60);
    let (mut query, mut whole_query) = (LabelQuery::new(), LabelQuery::new());
    let (mut costs, mut expected) = (Vec::new(), Vec::new());
    let mut hubs = whole.corners() + 1;
    for part in [1, 2, 4, 10] {
        let settings = Settings {
            fit_bytes: Some(bytes / part),
            ..Settings::default()
        };
        let index = CornerLabels::build(&map, settings, &NoProgress).expect("room for a hub");
        assert!(
            index.to_bytes().as_ref().len() as u64 <= bytes / part,
            "1/{part}"
        );
        // Half of the bytes are enough for all labels.
        let is_whole = index.hubs.len() == whole.corners();
        assert_eq!(is_whole, part <= 2, "1/{part}");
        assert!(
            is_whole || index.hubs.len() < hubs,
            "1/{part}: {hubs} hubs before"
        );
        hubs = index.hubs.len();
        let artifact = Artifact::open(index.to_bytes()).expect("a sound file");
        let opened = index::open(&artifact, &map).expect("labels");
        assert_eq!(opened.to_bytes(), index.to_bytes());
        for pair in points.windows(2) {
            query.distances(&index, pair[0], &points, &mut costs);
            whole_query.distances(&whole, pair[0], &points, &mut expected);
            assert_eq!(costs, expected, "1/{part}");
            assert!(
                query.path(&index, pair[0], pair[1]).is_some()
                    == whole_query.path(&whole, pair[0], pair[1]).is_some()
            );
        }
    }
    for fit_bytes in [1, bytes / 1000] {
        let settings = Settings {
            fit_bytes: Some(fit_bytes),
            ..Settings::default()
        };
        let refused = CornerLabels::build(&map, settings, &NoProgress);
        let message = refused.expect_err("too little").to_string();
        assert!(message.contains("those of one hub take"), "{message}");
    }
    let settings = Settings {
        fit_bytes: Some(2_000_000),
        max_bytes: 1_000_000,
        ..Settings::default()
    };
    let refused = CornerLabels::build(&map, settings, &NoProgress);
    let message = refused.expect_err("more than allowed").to_string();
    assert!(message.contains("max-bytes"), "{message}");
}

#[test]
fn maps_without_corners_have_direct_walks_only() {
    let grid = Grid::from_fn(9, 4, |p| p.x != 4).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let index = labels_of(&map);
    let mut query = LabelQuery::new();
    let [a, b, c] = [(0, 0), (3, 3), (8, 1)].map(|(x, y)| Point { x, y });
    assert_eq!(query.distance(&index, a, b), Some(3 * 1393));
    assert_eq!(query.distance(&index, a, c), None);
    assert_eq!(query.path(&index, a, c), None);
    assert_eq!(query.distance(&index, a, Point { x: 4, y: 0 }), None);
    assert_eq!(query.distance(&index, a, Point { x: 9, y: 0 }), None);
}
