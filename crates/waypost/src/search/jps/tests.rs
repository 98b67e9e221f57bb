use super::*;
use crate::grid::{Cell, Grid, GridPatch, MoveRules};
use crate::index::jump::JumpGraph;
use crate::rng::Rng;
use crate::space::Space;

/// Plain Dijkstra over all cells.
fn distances(map: &Map, from: Cell) -> Vec<Cost> {
    let mut best = vec![Cost::MAX; map.id_bound()];
    let mut open = std::collections::BinaryHeap::new();
    best[from.index()] = 0;
    open.push((std::cmp::Reverse(0), from));
    while let Some((std::cmp::Reverse(g), cell)) = open.pop() {
        if g > best[cell.index()] {
            continue;
        }
        map.for_each_neighbour(cell, |next, cost| {
            if g + cost < best[next.index()] {
                best[next.index()] = g + cost;
                open.push((std::cmp::Reverse(g + cost), next));
            }
        });
    }
    best
}

fn random_map(rng: &mut Rng, rules: MoveRules) -> Map {
    let (width, height) = (rng.between(1, 34), rng.between(1, 34));
    let walls = rng.below(50);
    // Blocks of walls make long straight edges, single ones make noise.
    let block = rng.between(1, 3);
    let mut grid = Grid::from_fn(width, height, |_| true).expect("a legal size");
    for _ in 0..width * height * walls / (100 * block * block) {
        let (x, y) = (rng.below(width), rng.below(height));
        for dy in 0..block {
            grid.set_run(y + dy, x..x + block, false);
        }
    }
    Map::new(grid, rules)
}

fn check(map: &Map, cells: &[Cell], found: Option<PathRuns>, from: Point, to: Point, best: Cost) {
    let costs = map.rules().costs;
    match found {
        None => assert_eq!(best, Cost::MAX),
        Some(path) => {
            assert_eq!((path.start(), path.end()), (from, to));
            assert_eq!(path.cost(costs), best, "not optimal");
            let length = map.path_length(cells).expect("a legal path");
            assert_eq!(length, path.length());
        }
    }
}

#[test]
fn paths_equal_the_oracle_under_every_rule() {
    let maps = std::env::var("WAYPOST_FUZZ_MAPS").map_or(1500, |n| n.parse().expect("a number"));
    let mut search = JumpSearch::new();
    let mut cells = Vec::new();
    for seed in 0..maps {
        let mut rng = Rng::for_item(21, seed);
        let rules = MoveRules::ALL[seed as usize % 6];
        let map = random_map(&mut rng, rules);
        let all: Vec<_> = map.grid().cells().collect();
        if all.is_empty() {
            continue;
        }
        let graph = JumpGraph::build(&map);
        let jps = Jps::new(&map);
        for _ in 0..4 {
            let from = all[rng.below(all.len() as u32) as usize];
            let best = distances(&map, from);
            let start = map.grid().point(from);
            for _ in 0..8 {
                let to = all[rng.below(all.len() as u32) as usize];
                let end = map.grid().point(to);
                let describe = || format!("seed {seed} {rules} {start} -> {end}");
                let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    let found = search.shortest(&jps, &map, start, end);
                    if let Some(path) = found {
                        path.write_cells(map.grid(), &mut cells);
                    }
                    check(&map, &cells, found, start, end, best[to.index()]);
                    let online: Option<Vec<Run>> = found.map(|path| path.runs().to_vec());
                    let found = search.shortest(&graph, &map, start, end);
                    let stored = found.map(|path| path.runs().to_vec());
                    assert_eq!(online, stored, "on-line and stored paths differ");
                }));
                assert!(caught.is_ok(), "{}\n{:?}", describe(), map.grid());
            }
        }
    }
}

#[test]
fn a_search_in_parts_equals_one_in_one_go() {
    for seed in 0..60 {
        let mut rng = Rng::for_item(22, seed);
        let map = random_map(&mut rng, MoveRules::ALL[seed as usize % 6]);
        let all: Vec<_> = map.grid().cells().collect();
        if all.is_empty() {
            continue;
        }
        let graph = JumpGraph::build(&map);
        let (mut whole, mut parts) = (JumpSearch::new(), JumpSearch::new());
        for _ in 0..20 {
            let [from, to] =
                [(); 2].map(|_| map.grid().point(all[rng.below(all.len() as u32) as usize]));
            let expected = whole
                .shortest(&graph, &map, from, to)
                .map(|p| p.runs().to_vec());
            let mut status = parts.begin(&graph, &map, from, to);
            while status == Status::Running {
                let before = parts.expansions();
                status = parts.advance(&graph, 2);
                assert!(parts.expansions() <= before + 2);
            }
            let found = parts.found_path(&graph).map(|p| p.runs().to_vec());
            assert_eq!(found, expected, "seed {seed} {from} -> {to}");
            assert_eq!(parts.expansions(), whole.expansions());
        }
    }
}

/// A few cells here and there, or a block of them: walls go up and come down.
fn random_patch(map: &Map, rng: &mut Rng) -> GridPatch {
    let (width, height) = (map.grid().width(), map.grid().height());
    let mut patch = GridPatch::new();
    let any = |rng: &mut Rng| Point {
        x: rng.below(width),
        y: rng.below(height),
    };
    if rng.percent(30) {
        let (corner, opens) = (any(rng), rng.percent(50));
        let (right, bottom) = (rng.between(1, 6), rng.between(1, 6));
        for y in corner.y..(corner.y + bottom).min(height) {
            for x in corner.x..(corner.x + right).min(width) {
                patch.set(Point { x, y }, opens);
            }
        }
        return patch;
    }
    for _ in 0..rng.between(1, 4) {
        let at = any(rng);
        patch.set(at, !rng.percent(50));
    }
    patch
}

#[test]
fn repaired_graphs_equal_new_ones() {
    for seed in 0..240 {
        let mut rng = Rng::for_item(23, seed);
        let rules = MoveRules::ALL[seed as usize % 6];
        // Open ground, too: there lines are long, and a change is seen from afar.
        let mut map = if seed % 3 == 0 {
            let percent = rng.between(1, 6);
            let (width, height) = (rng.between(20, 150), rng.between(20, 90));
            let open = |_| !rng.percent(percent);
            Map::new(
                Grid::from_fn(width, height, open).expect("a legal size"),
                rules,
            )
        } else {
            random_map(&mut rng, rules)
        };
        let mut graph = JumpGraph::build(&map);
        let mut jps = Jps::new(&map);
        for round in 0..8 {
            let patch = random_patch(&map, &mut rng);
            map.apply(&patch);
            graph.repair(&map);
            jps.repair(&map);
            let fresh = JumpGraph::build(&map);
            assert!(
                graph == fresh && jps == Jps::new(&map),
                "seed {seed} round {round} {patch:?}"
            );
            let bytes = |graph: &JumpGraph| crate::index::Index::to_bytes(graph);
            assert!(
                bytes(&graph).as_ref() == bytes(&fresh).as_ref(),
                "seed {seed} round {round}"
            );
        }
    }
}

/// Slices of any size, with patches that come while a repair is under way, end where a new build would.
#[test]
fn repairs_in_slices_end_as_new_builds() {
    let mut most_slices = 0;
    for seed in 0..60 {
        let mut rng = Rng::for_item(31, seed);
        let mut map = random_map(&mut rng, MoveRules::ALL[seed as usize % 6]);
        let mut graph = JumpGraph::build(&map);
        let mut jps = Jps::new(&map);
        for round in 0..6 {
            let operations = u64::from(rng.below(300));
            let (mut slices, mut patches) = (0, 0);
            loop {
                if patches < 3 && (patches == 0 || rng.percent(40)) {
                    map.apply(&random_patch(&map, &mut rng));
                    graph.queue_repair(&map);
                    jps.queue_repair(&map);
                    patches += 1;
                }
                let ready = (
                    graph.advance_repair(&map, operations + 1),
                    jps.advance_repair(&map, operations + 1),
                );
                assert_eq!(ready, (graph.is_repaired(), jps.is_repaired()));
                slices += 1;
                if ready == (true, true) {
                    break;
                }
            }
            most_slices = most_slices.max(slices);
            assert!(
                graph == JumpGraph::build(&map) && jps == Jps::new(&map),
                "seed {seed} round {round}"
            );
        }
    }
    assert!(most_slices > 20, "{most_slices}");
}

/// Nobody remembers what has changed, or it is a great deal: all of the map is looked at, also while it goes on changing.
#[test]
fn what_is_forgotten_is_found_by_looking_at_all_of_the_map() {
    for seed in 0..40 {
        let mut rng = Rng::for_item(37, seed);
        let mut map = random_map(&mut rng, MoveRules::ALL[seed as usize % 6]);
        let mut graph = JumpGraph::build(&map);
        let mut jps = Jps::new(&map);
        let (width, height) = (map.grid().width(), map.grid().height());
        for _ in 0..300 {
            let mut patch = GridPatch::new();
            for _ in 0..1 + rng.below(4) {
                let at = Point {
                    x: rng.below(width),
                    y: rng.below(height),
                };
                patch.set(at, !rng.percent(50));
            }
            map.apply(&patch);
        }
        let operations = 1 + u64::from(rng.below(200));
        let mut changes = 0;
        while graph.state() != map.fingerprint() || !(graph.is_repaired() && jps.is_repaired()) {
            if graph.state() != map.fingerprint() {
                graph.queue_repair(&map);
                jps.queue_repair(&map);
            }
            graph.advance_repair(&map, operations);
            jps.advance_repair(&map, operations);
            if changes < 20 && rng.percent(30) {
                map.apply(&random_patch(&map, &mut rng));
                changes += 1;
            }
        }
        assert!(graph == JumpGraph::build(&map), "seed {seed}");
        assert!(jps == Jps::new(&map), "seed {seed}");
    }
}

/// Walls that go up and come down again and again: numbers and places of edges that fall free are used again.
#[test]
fn a_graph_that_is_repaired_for_long_stops_growing() {
    let mut rng = Rng::new(29);
    let grid = Grid::from_fn(120, 100, |_| !rng.percent(8)).expect("a legal size");
    let mut map = Map::new(grid, MoveRules::default());
    let mut graph = JumpGraph::build(&map);
    let built = crate::index::Index::memory_bytes(&graph);
    let mut bytes = Vec::new();
    for round in 0..3000 {
        let mut patch = GridPatch::new();
        let at = Point {
            x: 10 * rng.below(12),
            y: 10 * rng.below(10),
        };
        for x in at.x..at.x + 3 {
            if round % 2 == 0 {
                patch.set(Point { x, ..at }, false);
            } else {
                patch.set(Point { x, ..at }, true);
            }
        }
        map.apply(&patch);
        graph.repair(&map);
        if round % 1000 == 999 {
            bytes.push(crate::index::Index::memory_bytes(&graph));
        }
    }
    assert!(graph == JumpGraph::build(&map));
    assert!(bytes[2] < bytes[1] + bytes[1] / 50, "{built} {bytes:?}");
    assert!(bytes[2] < 2 * built, "{built} {bytes:?}");
}

#[test]
fn blocked_and_outside_ends_have_no_path() {
    let grid = Grid::from_fn(5, 5, |p| p.x != 2).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let graph = JumpGraph::build(&map);
    let mut search = JumpSearch::new();
    let inside = Point { x: 0, y: 0 };
    for to in [(2, 2), (4, 4), (99, 0), (0, u32::MAX)].map(|(x, y)| Point { x, y }) {
        assert_eq!(search.shortest(&graph, &map, inside, to), None);
        assert_eq!(search.shortest(&graph, &map, to, inside), None);
    }
    let here = search
        .shortest(&graph, &map, inside, inside)
        .expect("a path of no moves");
    assert!(here.runs().is_empty());
}

/// What a copy of a graph goes by while its map changes: never more than a way costs, and nothing that changes a path.
#[test]
fn lower_bounds_are_never_too_large_and_change_no_path() {
    let (mut known, mut raised) = (0, 0);
    let (mut search, mut plain_search) = (JumpSearch::new(), JumpSearch::new());
    for seed in 0..300 {
        let mut rng = Rng::for_item(47, seed);
        let mut map = random_map(&mut rng, MoveRules::ALL[seed as usize % 6]);
        let original = std::sync::Arc::new(JumpGraph::build(&map));
        let mut graph = JumpGraph::copy_of(&original);
        let mut undo = Vec::new();
        for round in 0..8 {
            let all: Vec<_> = map.grid().cells().collect();
            if all.is_empty() {
                break;
            }
            let jps = Jps::new(&map);
            for _ in 0..4 {
                let goal = all[rng.below(all.len() as u32) as usize];
                let best = distances(&map, goal);
                let to = map.grid().point(goal);
                for graph in [&graph, &JumpGraph::build(&map)] {
                    let Some(bounds) = graph.goal_bounds(to) else {
                        continue;
                    };
                    known += 1;
                    for id in graph.points().ids() {
                        let at = graph.point(id);
                        let distance = best[map.grid().cell(at).expect("a cell").index()];
                        let bound = graph.at_least(id, &bounds);
                        assert!(bound <= distance, "seed {seed} round {round}: {at} {to}");
                        let (dx, dy) = at.distances(to);
                        raised += usize::from(bound > map.rules().costs.octile(dx, dy));
                    }
                }
                for _ in 0..6 {
                    let from = map.grid().point(all[rng.below(all.len() as u32) as usize]);
                    let found = search.shortest(&graph, &map, from, to);
                    let plain = plain_search.shortest(&jps, &map, from, to);
                    assert_eq!(found, plain, "seed {seed} round {round}: {from} {to}");
                }
            }
            // Walls that come down again as often as not, and now and then an opening.
            let patch = match undo.pop() {
                Some(patch) if rng.percent(40) => patch,
                _ if rng.percent(80) => {
                    let at = map.grid().point(all[rng.below(all.len() as u32) as usize]);
                    undo.push(GridPatch::new().open(at));
                    GridPatch::new().block(at)
                }
                _ => random_patch(&map, &mut rng),
            };
            map.apply(&patch);
            graph.repair(&map);
        }
    }
    assert!(known > 5_000 && raised > 10_000, "{known} {raised}");
}

/// Corridors of more moves than costs can count, and behind them ground that can be crossed in many ways, all of them beyond the largest cost.
#[test]
fn paths_beyond_the_range_of_costs_have_an_end() {
    const CORRIDORS: u32 = 880;
    let (width, height) = (5001, 2 * CORRIDORS + 60);
    let mut rng = Rng::new(3);
    let grid = Grid::from_fn(width, height, |at| match at.y {
        y if y >= 2 * CORRIDORS => at.x < 3 || at.x < 400 && !rng.percent(20),
        y if y % 2 == 0 => true,
        y if y % 4 == 1 => at.x == width - 1,
        _ => at.x == 0,
    });
    let map = Map::new(grid.expect("a legal size"), MoveRules::default());
    let from = map.grid().cell(Point { x: 0, y: 0 }).expect("a cell");
    let beyond = map.grid().cells().filter(|&cell| {
        let at = map.grid().point(cell);
        at.x > 300 && at.y > 2 * CORRIDORS + 30 && map.connected(from, cell)
    });
    let goals: Vec<Cell> = beyond.step_by(500).collect();
    assert!(goals.len() > 4);
    let (graph, mut search, mut cells) = (JumpGraph::build(&map), JumpSearch::new(), Vec::new());
    for goal in goals {
        let ends = (map.grid().point(from), map.grid().point(goal));
        let path = search.shortest(&graph, &map, ends.0, ends.1);
        path.expect("a path").write_cells(map.grid(), &mut cells);
        assert_eq!((cells.first(), cells.last()), (Some(&from), Some(&goal)));
        let length = map.path_length(&cells).expect("a legal path");
        assert!(length.moves() > u64::from(Cost::MAX / map.rules().costs.straight()));
    }
}
