//! Exact searches against the independent oracle: random maps of every shape, all six rules.

use std::sync::Arc;
mod common;

use common::{cell, engine_map, map_count, points};
use waypost::cost::UNREACHED;
use waypost::grid::pruning::Pruning;
use waypost::heuristic::{Heuristic, Weight};
use waypost::index::landmarks::{Landmarks, Parameters, Placing};
use waypost::index::tables::Tables;
use waypost::open_list::Ties;
use waypost::progress::NoProgress;
use waypost::search::{
    AStar, Dijkstra, GraphSearch, MemoryChoice, OpenChoice, PathSearch, SearchOptions, Status,
    Successors,
};
use waypost::space::ExplicitGraph;
use waypost::{Cell, Map};
use waypost_testkit::{Rules, TestMap, TestRng, check_path, distances, shapes};

/// Runs `check` on random maps under all six rules, each with a random open source and the oracle's costs from there.
fn on_random_maps(mut check: impl FnMut(&str, &TestMap, Rules, &Map, (u32, u32), &[Option<u64>])) {
    for seed in 0..map_count(600) {
        let test_map = shapes::any(seed, 4, 40);
        let mut rng = TestRng::new(seed + 1_000_000);
        let Some(source) = test_map.random_open_cell(&mut rng) else {
            continue;
        };
        for rules in Rules::all() {
            let map = engine_map(&test_map, rules);
            let costs = distances(&test_map, rules, source);
            let what = format!(
                "seed {seed}, {rules:?}, from {source:?}\n{}",
                test_map.to_text()
            );
            check(&what, &test_map, rules, &map, source, &costs);
        }
    }
}

fn check_search<R: PathSearch<Map> + Default>(search: &mut R, seed_offset: u64) {
    let mut rng = TestRng::new(seed_offset);
    on_random_maps(|what, test_map, rules, map, source, costs| {
        for _ in 0..12 {
            let target = test_map
                .random_open_cell(&mut rng)
                .expect("there is the source");
            let optimal = costs[(target.1 * test_map.width() + target.0) as usize];
            let found = search.shortest_path(map, cell(map, source), cell(map, target));
            assert_eq!(
                found.as_ref().map(|p| u64::from(p.cost)),
                optimal,
                "to {target:?}, {what}"
            );
            if let Some(path) = found {
                let walked = points(map, &path.cells);
                assert_eq!(
                    (walked[0], walked[walked.len() - 1]),
                    (source, target),
                    "{what}"
                );
                let checked = check_path(test_map, rules, &walked).expect(what);
                assert_eq!(Some(checked.cost), optimal, "to {target:?}, {what}");
            }
        }
    });
}

#[test]
fn astar_is_optimal() {
    check_search(&mut AStar::new(), 1);
}

#[test]
fn dijkstra_is_optimal() {
    check_search(&mut Dijkstra::new(), 2);
}

#[test]
fn graph_search_is_optimal_on_maps() {
    check_search(&mut GraphSearch::new(), 3);
}

#[test]
fn a_spread_knows_every_cost_within_its_limit() {
    let mut dijkstra = Dijkstra::new();
    let mut rng = TestRng::new(4);
    on_random_maps(|what, test_map, _, map, source, costs| {
        let limit = if rng.percent(50) {
            UNREACHED
        } else {
            rng.below(20_000)
        };
        dijkstra.spread_within(map, cell(map, source), limit);
        for (i, &cost) in costs.iter().enumerate() {
            let at = (i as u32 % test_map.width(), i as u32 / test_map.width());
            let expected = cost.filter(|&c| c <= u64::from(limit));
            let got = dijkstra.cost_to(cell(map, at));
            let got = (got <= limit && got != UNREACHED).then_some(u64::from(got));
            assert_eq!(got, expected, "to {at:?} within {limit}, {what}");
        }
    });
}

#[test]
fn slices_give_the_same_path_as_one_go() {
    let (mut whole, mut sliced) = (AStar::new(), AStar::new());
    let mut rng = TestRng::new(5);
    on_random_maps(|what, test_map, _, map, source, _| {
        let target = test_map
            .random_open_cell(&mut rng)
            .expect("there is the source");
        let (from, to) = (cell(map, source), cell(map, target));
        let expected = whole.shortest_path(map, from, to);
        sliced.begin(map, from, to);
        let slice = u64::from(rng.between(1, 9));
        let mut before = 0;
        while sliced.advance(map, slice) == Status::Running {
            assert!(sliced.expansions() - before <= slice, "{what}");
            before = sliced.expansions();
        }
        let mut cells = Vec::new();
        let cost = sliced.path_into(map, &mut cells);
        assert_eq!(expected.as_ref().map(|p| p.cost), cost, "{what}");
        assert_eq!(
            expected.map(|p| p.cells).unwrap_or_default(),
            cells,
            "{what}"
        );
    });
}

#[test]
fn limits_of_cost_are_exact() {
    let mut search = AStar::new();
    let mut rng = TestRng::new(6);
    on_random_maps(|what, test_map, _, map, source, costs| {
        let target = test_map
            .random_open_cell(&mut rng)
            .expect("there is the source");
        let (from, to) = (cell(map, source), cell(map, target));
        let optimal = costs[(target.1 * test_map.width() + target.0) as usize];
        let Some(optimal) = optimal.map(|c| c as u32) else {
            assert_eq!(
                search.distance_within(map, from, to, UNREACHED),
                None,
                "{what}"
            );
            return;
        };
        assert_eq!(
            search.distance_within(map, from, to, optimal),
            Some(optimal),
            "{what}"
        );
        if optimal > 0 {
            assert_eq!(
                search.distance_within(map, from, to, optimal - 1),
                None,
                "{what}"
            );
        }
    });
}

fn pick<T: Clone>(rng: &mut TestRng, items: &[T]) -> T {
    items[rng.below(items.len() as u32) as usize].clone()
}

/// Switches at random, with every heuristic built for the map.
fn random_options(map: &Map, rng: &mut TestRng) -> SearchOptions {
    let parameters = Parameters {
        pivots: rng.between(0, 5) as usize,
        placing: pick(rng, &[Placing::Farthest, Placing::Rim]),
        states: rng.between(0, 12) as usize,
    };
    let landmarks = || {
        let built = Landmarks::build(map, &parameters, &NoProgress);
        Arc::new(built.expect("a small map"))
    };
    // A table of all pairs takes a search per cell.
    let kinds = if map.grid().passable_count() < 200 {
        7
    } else {
        6
    };
    let heuristic = match rng.below(kinds) {
        0 => Heuristic::Octile,
        1 => Heuristic::Euclid,
        2 => Heuristic::Chebyshev,
        3 => Heuristic::Zero,
        4 => Heuristic::Differential(landmarks()),
        5 => Heuristic::Canonical(landmarks()),
        _ => {
            let built = Tables::build(map, 0, &NoProgress);
            Heuristic::Table(Arc::new(built.expect("a small map")))
        }
    };
    SearchOptions {
        heuristic,
        weight: Weight::ONE,
        open: pick(
            rng,
            &[OpenChoice::Buckets, OpenChoice::Heap, OpenChoice::Array],
        ),
        front: rng.percent(50),
        ties: pick(rng, &[Ties::LargerG, Ties::Unbroken]),
        memory: pick(
            rng,
            &[
                MemoryChoice::Stamped,
                MemoryChoice::Fresh,
                MemoryChoice::Hash,
            ],
        ),
        pruning: pick(rng, &[Pruning::None, Pruning::Parent, Pruning::Dominated]),
        successors: pick(rng, &[Successors::Cached, Successors::Rows]),
    }
}

#[test]
fn no_switch_costs_optimality() {
    let mut rng = TestRng::new(7);
    let mut cells = Vec::new();
    on_random_maps(|what, test_map, rules, map, source, costs| {
        let options = random_options(map, &mut rng);
        let mut search = options.build();
        for _ in 0..6 {
            let target = test_map.random_open_cell(&mut rng).expect("the source");
            let optimal = costs[(target.1 * test_map.width() + target.0) as usize];
            search.begin(map, cell(map, source), cell(map, target));
            while search.advance(map, 7) == Status::Running {}
            let found = search.path_into(map, &mut cells).map(u64::from);
            assert_eq!(found, optimal, "to {target:?}, {options:?}, {what}");
            if found.is_some() {
                let walked = check_path(test_map, rules, &points(map, &cells));
                assert_eq!(walked.map(|w| w.cost).ok(), optimal, "{options:?}, {what}");
            }
        }
    });
}

#[test]
fn weights_bound_the_cost() {
    let mut rng = TestRng::new(8);
    on_random_maps(|what, test_map, _, map, source, costs| {
        let weight = Weight::new(1.0 + f64::from(rng.below(300)) / 100.0).expect("in range");
        let mut options = SearchOptions {
            weight,
            ..SearchOptions::default()
        };
        options.open = pick(&mut rng, &[OpenChoice::Buckets, OpenChoice::Heap]);
        let mut search = options.build();
        for _ in 0..4 {
            let target = test_map.random_open_cell(&mut rng).expect("the source");
            let optimal = costs[(target.1 * test_map.width() + target.0) as usize];
            let found = search.distance(map, cell(map, source), cell(map, target));
            assert_eq!(found.is_some(), optimal.is_some(), "{what}");
            if let (Some(found), Some(optimal)) = (found, optimal) {
                let bound = optimal as f64 * weight.ratio();
                assert!(u64::from(found) >= optimal, "{what}");
                assert!(f64::from(found) <= bound, "{found} > {bound}, {what}");
            }
        }
    });
}

/// The plainest way to shortest paths: relax every edge as often as there are nodes.
fn bellman_ford(nodes: usize, edges: &[(u32, u32, u32)], from: u32) -> Vec<Option<u64>> {
    let mut costs = vec![None; nodes];
    costs[from as usize] = Some(0u64);
    for _ in 0..nodes {
        for &(a, b, cost) in edges {
            for (a, b) in [(a as usize, b as usize), (b as usize, a as usize)] {
                if let Some(to_a) = costs[a] {
                    let by_a = to_a + u64::from(cost);
                    costs[b] = Some(costs[b].map_or(by_a, |to_b| to_b.min(by_a)));
                }
            }
        }
    }
    costs
}

#[test]
fn graph_search_is_optimal_on_graphs_with_any_costs() {
    let mut search = GraphSearch::new();
    for seed in 0..map_count(600) {
        let mut rng = TestRng::new(seed);
        let nodes = rng.between(2, 40);
        let positions: Vec<[i32; 2]> = (0..nodes)
            .map(|_| [rng.below(100) as i32 - 50, rng.below(100) as i32 - 50])
            .collect();
        // Small costs are searched with buckets, large ones with a heap.
        let highest = [9, 5000, 50_000_000][seed as usize % 3];
        let edges: Vec<_> = (0..rng.below(nodes * 3))
            .map(|_| (rng.below(nodes), rng.below(nodes), rng.between(1, highest)))
            .collect();
        let graph = ExplicitGraph::new(positions, &edges).expect("a good graph");
        let from = rng.below(nodes);
        let costs = bellman_ford(nodes as usize, &edges, from);
        for to in 0..nodes {
            let path = search.shortest_path(&graph, Cell(from), Cell(to));
            let what = format!("seed {seed}, {from} to {to}");
            let cost = path.as_ref().map(|path| u64::from(path.cost));
            assert_eq!(cost, costs[to as usize], "{what}");
        }
        search.spread(&graph, Cell(from));
        for to in 0..nodes {
            let cost = search.cost_to(Cell(to));
            let cost = (cost != UNREACHED).then_some(u64::from(cost));
            assert_eq!(cost, costs[to as usize], "seed {seed}, {from} to all, {to}");
        }
    }
}
