//! What games ask beside "which way", against the independent oracle.

mod common;

use common::terrain::unit_map;
use common::{cell, engine_map, map_count, points};
use waypost::agent::Scratch;
use waypost::cost::UNREACHED;
use waypost::questions::{Field, few_turns, nearest_goal, range, sees, smooth, turns};
use waypost::search::{AStar, Dijkstra, PathSearch};
use waypost::terrain::{Class, Classes, Factor, Footing};
use waypost::{Cell, Grid, Map, MoveRules, Point};
use waypost_testkit::{Mover, Rules, TestMap, TestRng, shapes};

/// A random map with random rules, size and terrain, and some of its places.
struct Place {
    test_map: TestMap,
    map: Map,
    rules: Rules,
    size: u32,
    factors: Option<Vec<u64>>,
    cells: Vec<(u32, u32)>,
}

impl Place {
    fn new(seed: u64) -> Option<Place> {
        let test_map = shapes::any(seed + 9000, 3, 30);
        let all: Vec<Rules> = Rules::all().into_iter().chain(Rules::four_ways()).collect();
        let rules = all[seed as usize % 8];
        let (map, rules, size, factors) = if seed.is_multiple_of(3) {
            (engine_map(&test_map, rules), rules, 1, None)
        } else {
            let size = [1, 2][seed as usize % 2];
            let (map, scaled, factors) = unit_map(&test_map, rules, size, seed);
            let factors = map.ground().map(|_| factors);
            (map, scaled, size, factors)
        };
        let mut rng = TestRng::new(seed);
        let cells: Vec<_> = map.grid().cells().map(|c| map.grid().point(c)).collect();
        let draw = |_| {
            let p = cells[rng.below(cells.len() as u32) as usize];
            (p.x, p.y)
        };
        let cells = match cells.is_empty() {
            true => return None,
            false => (0..14).map(draw).collect(),
        };
        Some(Place {
            test_map,
            map,
            rules,
            size,
            factors,
            cells,
        })
    }

    fn mover(&self) -> Mover<'_> {
        Mover {
            map: &self.test_map,
            rules: self.rules,
            size: self.size,
            factors: self.factors.as_deref(),
        }
    }

    fn distances(&self, from: (u32, u32)) -> impl Fn((u32, u32)) -> Option<u64> {
        let (all, width) = (self.mover().distances(from), self.test_map.width());
        move |to: (u32, u32)| all[(to.1 * width + to.0) as usize]
    }
}

fn places() -> impl Iterator<Item = (u64, Place)> {
    (0..map_count(400)).filter_map(|seed| Some((seed, Place::new(seed)?)))
}

#[test]
fn the_nearest_of_few_or_many_goals_is_found() {
    let mut scratch = Scratch::new();
    for (seed, place) in places() {
        let from = place.cells[0];
        let distance = place.distances(from);
        for goals in [&place.cells[1..4], &place.cells[1..]] {
            let expected = goals.iter().filter_map(|&goal| distance(goal)).min();
            let cells: Vec<Cell> = goals.iter().map(|&goal| cell(&place.map, goal)).collect();
            let found = nearest_goal(&place.map, &mut scratch, cell(&place.map, from), &cells);
            assert_eq!(
                found.map(|(_, cost)| u64::from(cost)),
                expected,
                "seed {seed}"
            );
            if let Some((goal, cost)) = found {
                let at = points(&place.map, &[goal])[0];
                assert_eq!(distance(at), Some(u64::from(cost)), "seed {seed}");
            }
        }
    }
}

#[test]
fn ranges_hold_every_cell_within_the_cost_and_no_other() {
    let mut search = Dijkstra::new();
    for (seed, place) in places() {
        let (map, from) = (&place.map, place.cells[0]);
        let distance = place.distances(from);
        let mut rng = TestRng::new(seed);
        let most = f64::from(rng.below(4000)) / 100.0;
        let reached = range(map, &mut search, cell(map, from), most);
        for r in &reached {
            let at = points(map, &[r.cell])[0];
            assert_eq!(distance(at), Some(u64::from(r.cost)), "seed {seed}");
            assert!(map.length(r.length) <= most + 1e-6, "seed {seed}");
        }
        // Costs and lengths differ by the roundness of integers alone.
        for at in map.grid().cells() {
            let Some(cost) = distance(points(map, &[at])[0]) else {
                continue;
            };
            let about = map.approximate_length(u32::try_from(cost).unwrap_or(UNREACHED));
            let inside = reached.iter().any(|r| r.cell == at);
            if about < most * 0.997 {
                assert!(inside, "seed {seed}: {about} of {most}");
            }
        }
    }
}

#[test]
fn fields_lead_to_the_nearest_goal_and_away_from_it() {
    for (seed, place) in places() {
        let map = &place.map;
        let goals = &place.cells[..3];
        let all: Vec<_> = goals.iter().map(|&goal| place.distances(goal)).collect();
        let field = Field::towards(map, &[0, 1, 2].map(|i| (cell(map, goals[i]), 0)));
        let flee = field.fleeing(map);
        for at in map.grid().cells() {
            let here = points(map, &[at])[0];
            let expected = all.iter().filter_map(|distance| distance(here)).min();
            let value = field.value(at);
            assert_eq!(
                (value != UNREACHED).then_some(u64::from(value)),
                expected,
                "seed {seed}"
            );
            let mut walker = at;
            while let Some(d) = field.downhill(map, walker) {
                walker = map.grid().neighbour(walker, d);
            }
            let arrived = goals.iter().any(|&goal| cell(map, goal) == walker);
            assert_eq!(arrived, expected.is_some(), "seed {seed}");
            let (mut fled, mut steps) = (at, 0);
            while let Some(d) = flee.downhill(map, fled) {
                fled = map.grid().neighbour(fled, d);
                steps += 1;
                assert!(steps < 2000, "seed {seed}");
            }
        }
    }
}

#[test]
fn straightened_paths_are_free_and_never_longer() {
    let mut search = AStar::new();
    for (seed, place) in places() {
        let map = &place.map;
        let ends = [place.cells[0], place.cells[1]].map(|at| cell(map, at));
        let Some(path) = search.shortest_path(map, ends[0], ends[1]) else {
            continue;
        };
        let length = map.length(map.path_length(&path.cells).expect("legal"));
        let smoothed = smooth(map, &path.cells);
        let ways = &smoothed.waypoints;
        assert_eq!(
            (ways.first(), ways.last()),
            (path.cells.first(), path.cells.last())
        );
        assert!(
            smoothed.length <= length + 1e-9,
            "seed {seed}: {} of {length}",
            smoothed.length
        );
        assert!(
            ways.windows(2).all(|pair| sees(map, pair[0], pair[1])),
            "seed {seed}"
        );
        for pair in ways.windows(2) {
            assert_ne!(pair[0], pair[1], "seed {seed}: a waypoint twice");
            let single = map.legal_step(pair[0], pair[1]).is_some();
            assert!(single || crosses_one_factor(map, pair), "seed {seed}");
        }
        assert!(turns(map, ways) <= turns(map, &path.cells), "seed {seed}");
        let straighter = few_turns(map, &path.cells);
        let walked = place
            .mover()
            .walk(&points(map, &straighter))
            .expect("legal");
        assert_eq!(walked.cost, u64::from(path.cost), "seed {seed}");
        assert!(
            turns(map, &straighter) <= turns(map, &path.cells),
            "seed {seed}"
        );
    }
}

/// Whether the cells under a straight line, looked at every hundredth of a cell, have one factor.
fn crosses_one_factor(map: &Map, ends: &[Cell]) -> bool {
    let Some(ground) = map.ground() else {
        return true;
    };
    let [a, b] = [ends[0], ends[1]].map(|end| map.grid().point(end));
    let steps = 100 * i64::from(a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)));
    // The cell, and whether the place is on the edge before it.
    let along = |from: u32, to: u32, step: i64| {
        let (from, to) = (i64::from(from), i64::from(to));
        let doubled = 2 * (from * steps + (to - from) * step) + steps;
        let (cell, rest) = (doubled / (2 * steps), doubled % (2 * steps));
        (cell as u32, rest == 0)
    };
    (0..=steps).all(|step| {
        let ((x, on_column), (y, on_row)) = (along(a.x, b.x, step), along(a.y, b.y, step));
        // In the corner of four cells the line is in none of them.
        if on_column && on_row {
            return true;
        }
        let under = map.passable_cell(Point { x, y });
        under.is_some_and(|cell| ground.hundredths(cell) == ground.hundredths(ends[0]))
    })
}

/// The widest map there is, a corridor of 459,000 moves, at the largest factor beside the least.
#[test]
fn the_longest_way_at_the_largest_factor_costs_what_it_should() {
    let (width, height) = (waypost::grid::MAX_SIDE, 13);
    let turn = |y: u32| if y % 4 == 1 { width - 1 } else { 0 };
    let grid = Grid::from_fn(width, height, |p| p.y % 2 == 0 || p.x == turn(p.y));
    let grid = grid.expect("a legal size");
    let class = |name: &str, hundredths| Class {
        name: name.to_string(),
        footing: Footing::Factor(Factor::from_hundredths(hundredths).expect("in range")),
    };
    let mut cells = vec![0; width as usize * height as usize];
    cells[0] = 1;
    let kinds = vec![class("dear", 10_000), class("cheap", 10)];
    let classes = Classes::new(width, height, kinds, cells).expect("good");
    let map = Map::for_unit(&grid, MoveRules::default(), Some(&classes), 1).expect("fits");
    let at = |x, y| map.passable_cell(Point { x, y }).expect("passable");
    let end = at(width - 1, height - 1);
    let path = AStar::new()
        .shortest_path(&map, at(0, 0), end)
        .expect("a path");
    let moves = 7 * (u64::from(width) - 1) + 12;
    assert_eq!(path.cells.len() as u64, moves + 1);
    assert_eq!(map.path_cost(&path.cells), Some(u64::from(path.cost)));
    let length = map.length(map.path_length(&path.cells).expect("legal"));
    let expected = 100.0 * (moves - 1) as f64 + 50.05;
    assert!(
        (length / expected - 1.0).abs() < 1e-12,
        "{length} {expected}"
    );
}
