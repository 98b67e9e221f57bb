use super::*;
use crate::agent::Context;
use crate::agent::Scratch;
use crate::agent::whole_path::Planner;
use crate::artifact::{AlignedBytes, Array, Artifact};
use crate::grid::{Direction, Grid, GridPatch, MoveRules};
use crate::index::tables::build::{by_dijkstra, roy_floyd_warshall};
use crate::index::{Index, open};
use crate::progress::NoProgress;
use crate::search::{AStar, PathSearch};
use crate::trace::Trace;
use std::sync::Arc;
use waypost_testkit::{TestRng, shapes};

fn random_map(seed: u64, most: u32) -> Map {
    let rules = MoveRules::ALL[seed as usize % 6];
    let test_map = shapes::any(seed, 4, most);
    let grid = Grid::from_fn(test_map.width(), test_map.height(), |p| {
        test_map.is_open_at((p.x, p.y))
    });
    Map::new(grid.expect("a legal size"), rules)
}

#[test]
fn both_ways_to_fill_a_table_agree() {
    for seed in 0..40 {
        let map = random_map(seed, 14);
        let cells: Vec<_> = map.grid().cells().collect();
        let (costs, steps) = roy_floyd_warshall(&map, &cells);
        let (other_costs, other_steps) = by_dijkstra(&map, &cells, &NoProgress);
        assert_eq!(costs, other_costs, "seed {seed}");
        // Steps may differ among equals, but there is one in both or in neither.
        let has_step = |steps: &[u8]| -> Vec<bool> { steps.iter().map(|&s| s < 8).collect() };
        assert_eq!(has_step(&steps), has_step(&other_steps), "seed {seed}");
    }
}

#[test]
fn paths_from_tables_are_legal_and_optimal() {
    let (mut astar, mut search) = (AStar::new(), ZoneSearch::new());
    let mut path = Vec::new();
    for seed in 0..120 {
        let map = random_map(seed, 30);
        let cells: Vec<_> = map.grid().cells().collect();
        if cells.is_empty() {
            continue;
        }
        let side = [0, 3, 8][seed as usize % 3];
        let tables = Tables::build(&map, side, &NoProgress).expect("a small map");
        let mut rng = TestRng::new(seed);
        for _ in 0..25 {
            let mut cell = || cells[rng.below(cells.len() as u32) as usize];
            let (from, to) = (cell(), cell());
            let found = search.path_into(&tables, &map, from, to, &mut path);
            let what = format!("seed {seed}, zone {side}, {from:?} to {to:?}");
            assert_eq!(found, astar.distance(&map, from, to), "{what}");
            if let Some(cost) = found {
                assert_eq!((path[0], path[path.len() - 1]), (from, to), "{what}");
                let moves = map.path_length(&path).expect(&what);
                let costs = map.rules().costs;
                let walked = moves.straight * u64::from(costs.straight())
                    + moves.diagonal * u64::from(costs.diagonal());
                assert_eq!(walked, u64::from(cost), "{what}");
            }
        }
    }
}

#[test]
fn traces_show_what_is_expanded_with_tables_and_without() {
    let mut map = random_map(4, 40);
    let tables = Tables::build(&map, 6, &NoProgress).expect("a small map");
    let mut planner = TablePlanner::new(Arc::new(tables));
    let mut scratch = Scratch::new();
    for patched in [false, true] {
        let cells: Vec<_> = map.grid().cells().collect();
        if patched {
            let patch = GridPatch::new().block(map.grid().point(cells[cells.len() / 2]));
            map.apply(&patch);
        }
        let (from, to) = (cells[0], cells[cells.len() - 1]);
        let mut planned = |trace: Option<&mut Trace>| {
            let mut context = Context::new(&map, &mut scratch);
            context.trace = trace;
            let mut path = Vec::new();
            planner.plan(&mut context, from, to, &mut path);
            (path, context.meter)
        };
        let mut trace = Trace::with_limit(100_000);
        let (plain, traced) = (planned(None), planned(Some(&mut trace)));
        assert_eq!(plain, traced, "a trace changes nothing");
        assert!(traced.1.expansions > 0, "patched: {patched}");
        assert_eq!(trace.events().len() as u64, traced.1.expansions);
    }
}

#[test]
fn artifacts_open_as_they_were_built_and_impossible_steps_are_refused() {
    for seed in 0..12 {
        let map = random_map(seed, 16);
        let tables = Tables::build(&map, [0, 4][seed as usize % 2], &NoProgress).expect("small");
        let bytes = tables.to_bytes();
        let open_bytes =
            |bytes: AlignedBytes| Artifact::open(bytes).and_then(|artifact| open(&artifact, &map));
        let opened = open_bytes(bytes.clone()).expect("what was written");
        assert_eq!(opened.to_bytes(), bytes, "seed {seed}");
        // A table with a step turned round, in a file that is otherwise right.
        let Some(at) = tables.steps.iter().position(|&step| step < 8) else {
            continue;
        };
        let mut steps = tables.steps.to_vec();
        steps[at] = Direction::from_number(steps[at]).opposite() as u8;
        let turned = Tables {
            steps: Array::from_slice(&steps),
            ..tables.clone()
        };
        assert!(open_bytes(turned.to_bytes()).is_err(), "seed {seed}");
    }
}

#[test]
fn one_table_is_for_small_maps() {
    let grid = Grid::from_fn(100, 100, |_| true).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    assert!(Tables::build(&map, 0, &NoProgress).is_err());
}
