use super::*;
use crate::artifact::{AlignedBytes, Artifact};
use crate::cost::UNREACHED;
use crate::grid::{Cell, Grid, MoveRules, Point};
use crate::heuristic::GridHeuristic;
use crate::index::{Index, open};
use crate::map::Map;
use crate::progress::NoProgress;
use crate::search::Dijkstra;
use crate::space::Space;
use waypost_testkit::{TestRng, shapes};

fn random_map(seed: u64) -> Map {
    let rules = MoveRules::ALL[seed as usize % 6];
    let test_map = shapes::any(seed, 5, 32);
    let grid = Grid::from_fn(test_map.width(), test_map.height(), |p| {
        test_map.is_open_at((p.x, p.y))
    });
    Map::new(grid.expect("a legal size"), rules)
}

fn build(map: &Map, seed: u64) -> Landmarks {
    let mut rng = TestRng::new(seed);
    let cells: Vec<_> = map.grid().cells().collect();
    let placing = match seed % 3 {
        0 => Placing::Farthest,
        1 => Placing::Rim,
        _ => {
            let mut point = || {
                map.grid()
                    .point(cells[rng.below(cells.len() as u32) as usize])
            };
            Placing::Given(vec![point(), point(), point()])
        }
    };
    let parameters = Parameters {
        pivots: (seed % 7) as usize,
        placing,
        states: 6,
    };
    Landmarks::build(map, &parameters, &NoProgress).expect("a small map")
}

/// Checks an estimate against true distances: never above them, and, where `consistent`, never falling by more than an
/// edge costs.
fn check(map: &Map, goal: Cell, estimate: &impl GridHeuristic, consistent: bool, what: &str) {
    let mut dijkstra = Dijkstra::new();
    dijkstra.spread(map, goal);
    let at = |cell: Cell| estimate.estimate(cell, map.grid().point(cell));
    for cell in map.grid().cells() {
        let cost = dijkstra.cost_to(cell);
        if cost == UNREACHED {
            continue;
        }
        assert!(
            at(cell) <= cost,
            "{what}: {} > {cost} at {cell:?}",
            at(cell)
        );
        map.for_each_neighbour(cell, |next, step| {
            let growth = (step + at(next)).saturating_sub(at(cell));
            assert!(
                growth <= estimate.growth(map.max_step_cost()),
                "{what}: growth {growth}"
            );
            if consistent {
                assert!(
                    at(cell) <= step + at(next),
                    "{what}: inconsistent at {cell:?}"
                );
            }
        });
    }
    assert_eq!(at(goal), 0, "{what}: at the goal");
}

#[test]
fn estimates_are_admissible_and_differential_ones_consistent() {
    for seed in 0..240 {
        let map = random_map(seed);
        let cells: Vec<_> = map.grid().cells().collect();
        if cells.is_empty() {
            continue;
        }
        let index = build(&map, seed);
        let mut rng = TestRng::new(seed);
        for _ in 0..4 {
            let goal = cells[rng.below(cells.len() as u32) as usize];
            let what = format!("seed {seed}, goal {goal:?}");
            let from = cells[rng.below(cells.len() as u32) as usize];
            let differential = index.differential(&map, from, goal);
            check(&map, goal, &differential, true, &what);
            check(&map, goal, &index.canonical(&map, goal), false, &what);
        }
    }
}

#[test]
fn pivots_stand_in_different_places_of_the_larger_components() {
    for seed in 0..60 {
        let map = random_map(seed * 3);
        let index = build(&map, seed * 3);
        let mut cells = index.pivots().to_vec();
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), index.pivots().len(), "seed {}", seed * 3);
        if let Some(largest) = map.components().largest().filter(|_| !cells.is_empty()) {
            let inside = |&cell: &Cell| map.components().of(cell) == Some(largest);
            assert!(index.pivots().iter().any(inside));
        }
    }
}

#[test]
fn artifacts_open_as_they_were_built_and_damage_is_noticed() {
    for seed in 0..12 {
        let map = random_map(seed);
        if map.grid().passable_count() == 0 {
            continue;
        }
        let index = build(&map, seed);
        let bytes = index.to_bytes();
        let open_bytes =
            |bytes: AlignedBytes| Artifact::open(bytes).and_then(|artifact| open(&artifact, &map));
        let opened = open_bytes(bytes.clone()).expect("what was written");
        assert_eq!(opened.to_bytes(), bytes);
        assert_eq!(opened.parameters(), index.parameters());
        assert_eq!(bytes, build(&map, seed).to_bytes(), "built twice");
        let mut damaged = bytes.clone();
        let middle = damaged.as_ref().len() / 2;
        damaged.as_mut()[middle] ^= 1;
        assert!(open_bytes(damaged).is_err());
    }
}

#[test]
fn given_points_must_be_passable() {
    let grid = Grid::from_fn(4, 4, |p| p.x != 1).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let parameters = Parameters {
        pivots: 1,
        placing: Placing::Given(vec![Point { x: 1, y: 1 }]),
        states: 0,
    };
    assert!(Landmarks::build(&map, &parameters, &NoProgress).is_err());
}
