//! Three search spaces of one map, as figure 17.3 of Game AI Pro, chapter 17, has them: the grid, a graph of waypoints at the
//! corners of obstacles ([`waypoints`]), and a navigation mesh of rectangles ([`mesh`]).
//!
//! All are searched by the same A*, so that what differs is the space, or what it estimates by: [`gates`] and [`marks`] store
//! distances, [`weights`] overestimates. Paths are lists of cells between which straight lines
//! are free; [`pulled`] takes out those that are not needed.

pub mod gates;
pub mod marks;
pub mod mesh;
pub mod waypoints;
pub mod weights;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use waypost::grid::{Cell, Point};
use waypost::questions::sees;
use waypost::{Cost, Map, Space};

/// The length of a line of one cell.
pub const UNIT: f64 = 1000.0;

/// A search space between two cells of a map. The start is node 0; nodes below [`SearchSpace::nodes`].
pub trait SearchSpace {
    /// How many nodes there are at most.
    fn nodes(&self) -> usize;

    /// A lower bound, or an estimate, of what is left from a node.
    fn estimate(&self, node: u32) -> u64;

    /// Whether a node is where the search ends.
    fn is_goal(&self, node: u32) -> bool;

    /// What can be reached from a node, and at what cost.
    fn for_each(&mut self, node: u32, visit: &mut dyn FnMut(u32, u64));

    /// A node has been reached in a better way from another.
    fn reached(&mut self, node: u32, from: u32) {
        let _ = (node, from);
    }
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The nodes from start to goal; empty where there is no way.
    pub nodes: Vec<u32>,
    /// Nodes expanded.
    pub expansions: u64,
    /// What the path costs.
    pub cost: u64,
}

/// Plain A* with a heap: the same for all spaces.
pub fn search(space: &mut impl SearchSpace, start: u32) -> Found {
    search_weighted(space, start, 100)
}

/// The same with estimates times a weight in hundredths.
pub fn search_weighted(space: &mut impl SearchSpace, start: u32, weight: u32) -> Found {
    let weight = u64::from(weight);
    let mut costs = vec![u64::MAX; space.nodes()];
    let mut parents = vec![u32::MAX; space.nodes()];
    let mut open = BinaryHeap::new();
    let mut found = Found::default();
    costs[start as usize] = 0;
    open.push(Reverse((space.estimate(start) * weight, Reverse(0), start)));
    let mut edges = Vec::new();
    while let Some(Reverse((_, Reverse(cost), node))) = open.pop() {
        if cost > costs[node as usize] {
            continue;
        }
        found.expansions += 1;
        if space.is_goal(node) {
            let back = |&node: &u32| Some(parents[node as usize]).filter(|&p| p != u32::MAX);
            found.nodes = std::iter::successors(Some(node), back).collect();
            found.nodes.reverse();
            found.cost = cost;
            return found;
        }
        edges.clear();
        space.for_each(node, &mut |next, step| edges.push((next, cost + step)));
        for &(next, cost) in &edges {
            if cost < costs[next as usize] {
                costs[next as usize] = cost;
                parents[next as usize] = node;
                space.reached(next, node);
                let f = cost * 100 + space.estimate(next) * weight;
                open.push(Reverse((f, Reverse(cost), next)));
            }
        }
    }
    found
}

/// The distance from the nearest of some cells to every cell, by its id; the largest cost where there is no way.
pub fn distances_from(map: &Map, cells: &[Cell]) -> Vec<Cost> {
    let mut found = vec![Cost::MAX; map.id_bound()];
    let mut open = BinaryHeap::new();
    for &cell in cells {
        found[cell.index()] = 0;
        open.push(Reverse((0, cell)));
    }
    while let Some(Reverse((cost, cell))) = open.pop() {
        if cost > found[cell.index()] {
            continue;
        }
        map.for_each_neighbour(cell, |next, step| {
            let cost = cost + step;
            if cost < found[next.index()] {
                found[next.index()] = cost;
                open.push(Reverse((cost, next)));
            }
        });
    }
    found
}

/// The straight line between two points, in [`UNIT`]s.
pub fn line(a: Point, b: Point) -> f64 {
    let [dx, dy] = [(a.x, b.x), (a.y, b.y)].map(|(a, b)| f64::from(a) - f64::from(b));
    dx.hypot(dy) * UNIT
}

/// The length of straight lines from cell to cell, in cells.
pub fn length(map: &Map, cells: &[Cell]) -> f64 {
    let lines = cells.windows(2);
    let lines = lines.map(|pair| line(map.grid().point(pair[0]), map.grid().point(pair[1])));
    lines.sum::<f64>() / UNIT
}

/// A path without the cells that a straight line can leave out: from each on to the farthest that it sees.
pub fn pulled(map: &Map, cells: &[Cell]) -> Vec<Cell> {
    let mut path: Vec<Cell> = cells.first().copied().into_iter().collect();
    let mut at = 0;
    while at + 1 < cells.len() {
        let farthest = (at + 2..cells.len())
            .rev()
            .find(|&next| sees(map, cells[at], cells[next]));
        at = farthest.unwrap_or(at + 1);
        path.push(cells[at]);
    }
    path
}

/// The grid: a node a cell, its id.
pub struct GridSpace<'a> {
    /// The map.
    pub map: &'a Map,
    /// Where to.
    pub goal: Cell,
}

impl SearchSpace for GridSpace<'_> {
    fn nodes(&self) -> usize {
        self.map.id_bound()
    }

    fn estimate(&self, node: u32) -> u64 {
        u64::from(self.map.heuristic(Cell(node), self.goal))
    }

    fn is_goal(&self, node: u32) -> bool {
        Cell(node) == self.goal
    }

    fn for_each(&mut self, node: u32, visit: &mut dyn FnMut(u32, u64)) {
        self.map
            .for_each_neighbour(Cell(node), |next, cost| visit(next.0, u64::from(cost)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesh::Mesh;
    use waypoints::Waypoints;
    use waypost::generate::{Kind, generate};
    use waypost::grid::MoveRules;
    use waypost::rng::Rng;

    /// Whatever the space: a way where there is one, free lines all along, and none where cells are not connected. Waypoints make
    /// the shortest ways in all, middles of portals the longest.
    #[test]
    fn all_three_spaces_find_free_ways() {
        let mut sums = [0.0; 3];
        for seed in 0..12 {
            let kind = [Kind::Rooms, Kind::Caves, Kind::Random][seed as usize % 3];
            let grid = generate(kind, 40, 30, seed).expect("a legal size");
            let map = Map::new(grid, MoveRules::default());
            let (mesh, waypoints) = (Mesh::of(&map), Waypoints::of(&map));
            let cells: Vec<Cell> = map.grid().cells().collect();
            let mut rng = Rng::new(seed);
            for _ in 0..20 {
                let [from, to] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
                let what = format!("seed {seed}, {from:?} to {to:?}");
                let mut space = GridSpace {
                    map: &map,
                    goal: to,
                };
                let by_grid = search(&mut space, from.0).nodes;
                let by_grid: Vec<Cell> = by_grid.into_iter().map(Cell).collect();
                let paths = [
                    pulled(&map, &by_grid),
                    mesh.path(&map, from, to).0,
                    waypoints.path(&map, from, to).0,
                ];
                for path in &paths {
                    assert_eq!(path.is_empty(), !map.connected(from, to), "{what}");
                    let free = path.windows(2).all(|pair| sees(&map, pair[0], pair[1]));
                    assert!(free, "{what}: {path:?}");
                    let ends = (path.first().copied(), path.last().copied());
                    assert!(path.is_empty() || ends == (Some(from), Some(to)), "{what}");
                }
                for (sum, path) in sums.iter_mut().zip(&paths) {
                    *sum += length(&map, path);
                }
            }
        }
        let [grid, mesh, waypoints] = sums;
        assert!(waypoints < grid && grid < mesh, "{sums:?}");
    }

    #[test]
    fn a_mesh_covers_every_cell_once_with_few_rectangles() {
        let grid = generate(Kind::Rooms, 60, 45, 3).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let mesh = Mesh::of(&map);
        let covered: u64 = mesh.rectangles().iter().map(|r| r.cells()).sum();
        assert_eq!(covered, map.grid().passable_count());
        for cell in map.grid().cells() {
            let rectangle = mesh.rectangles()[mesh.of_cell(cell) as usize];
            assert!(rectangle.holds(map.grid().point(cell)));
        }
        assert!(mesh.rectangles().len() * 5 < covered as usize);
    }

    /// Whatever is stored, estimates are lower bounds: paths are optimal. And they are worth something.
    #[test]
    fn stored_distances_keep_paths_optimal_and_searches_small() {
        let mut expanded = [0; 4];
        for seed in 0..9 {
            let kind = [Kind::Rooms, Kind::Caves, Kind::Maze][seed as usize % 3];
            let grid = generate(kind, 60, 45, seed).expect("a legal size");
            let rules = MoveRules::ALL[seed as usize % 6];
            let map = Map::new(grid, rules);
            let gateway = gates::Gates::of(&map, 8, false);
            let portals = gates::Gates::of(&map, 8, true);
            assert!(gateway.len() == portals.len() && gateway.bytes() < portals.bytes());
            let marks = marks::Marks::of(&map, 6);
            let cells: Vec<Cell> = map.grid().cells().collect();
            let mut rng = Rng::new(seed);
            for _ in 0..20 {
                let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
                let exact = distances_from(&map, &[goal])[from.index()];
                let all = [
                    search(&mut GridSpace { map: &map, goal }, from.0),
                    search(
                        &mut marks::MarkedSpace {
                            map: &map,
                            marks: &marks,
                            goal,
                        },
                        from.0,
                    ),
                    search(&mut gates::GatedSpace::new(&map, &gateway, goal), from.0),
                    search(&mut gates::GatedSpace::new(&map, &portals, goal), from.0),
                ];
                for (found, sum) in all.iter().zip(&mut expanded) {
                    assert_eq!(found.nodes.is_empty(), exact == Cost::MAX);
                    assert!(found.nodes.is_empty() || found.cost == u64::from(exact));
                    *sum += found.expansions;
                }
            }
        }
        let [octile, marks, gateway, portals] = expanded;
        assert!(
            marks < octile && portals < gateway && gateway < octile,
            "{expanded:?}"
        );
    }

    /// Optimistic searches keep their bound on every path, weights of areas their tolerance about.
    #[test]
    fn overestimates_stay_within_what_was_asked() {
        let (mut plain, mut hopeful, mut excess, mut paths) = (0, 0, 0.0, 0);
        for seed in 0..8 {
            let kind = [Kind::Rooms, Kind::Caves, Kind::Random, Kind::Arena][seed as usize % 4];
            let grid = generate(kind, 60, 45, seed).expect("a legal size");
            let map = Map::new(grid, MoveRules::default());
            let learned = weights::AreaWeights::learn(&map, 16, 5.0, 10, seed);
            let cells: Vec<Cell> = map.grid().cells().collect();
            let mut rng = Rng::new(seed);
            for _ in 0..25 {
                let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
                if from == goal || !map.connected(from, goal) {
                    continue;
                }
                let space = || GridSpace { map: &map, goal };
                let best = search(&mut space(), from.0);
                let found = weights::optimistic(&mut space(), from.0, 120);
                assert!(found.cost >= best.cost, "seed {seed}");
                assert!(found.cost * 100 <= best.cost * 120, "seed {seed}");
                plain += best.expansions;
                hopeful += found.expansions;
                let by_area = search_weighted(&mut space(), from.0, learned.of(&map, goal));
                excess += by_area.cost as f64 / best.cost as f64 - 1.0;
                paths += 1;
            }
        }
        assert!(hopeful < plain, "{hopeful} {plain}");
        assert!(excess / f64::from(paths) < 0.07, "{excess} over {paths}");
    }
}
