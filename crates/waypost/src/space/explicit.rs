//! Explicit undirected graphs: waypoints with positions and any positive costs.
//!
//! # The heuristic, and why it is consistent
//! It is the straight line between two nodes, scaled so that no edge is cheaper than its own line: `h = floor(s * D)`, where
//! `D = floor(q * distance)` is the distance in a fixed fraction `1 / q` of a unit, and `s` is rounded down from the least
//! `cost / ceil(q * distance)` of any edge. For an edge from `a` to `b` of cost `c` and any goal: `D(a) <= D(b) + ceil(q *
//! distance(a, b))`, since the floor of a sum is at most the floor of one part plus the ceiling of the other; times `s`
//! that is `s * D(a) <= s * D(b) + c`; and as `c` is whole, `h(a) <= h(b) + c`. Where squares or values pass what fits, they are
//! cut at a constant, and a metric cut at a constant is still a metric. Where all nodes share one place, `h` is 0 and the
//! searches are uninformed, which is right too.

use crate::cost::Cost;
use crate::grid::Cell;
use crate::space::Space;
use thiserror::Error;

/// Why a graph could not be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    /// An edge names a node that does not exist.
    #[error("edge {from}-{to} leaves the graph; expected node numbers below {nodes}")]
    NoSuchNode {
        /// The edge's first node.
        from: u32,
        /// The edge's second node.
        to: u32,
        /// How many nodes there are.
        nodes: u32,
    },
    /// An edge that costs nothing.
    #[error("edge {from}-{to} costs 0; expected a positive cost")]
    FreeEdge {
        /// The edge's first node.
        from: u32,
        /// The edge's second node.
        to: u32,
    },
    /// More than 32-bit ids and positions in flat arrays can tell apart.
    #[error(
        "a graph of {nodes} nodes and {edges} edges is too large; expected at most {MOST} of each"
    )]
    TooLarge {
        /// The nodes given.
        nodes: usize,
        /// The edges given.
        edges: usize,
    },
}

/// The most nodes, and the most edges, of a graph.
pub const MOST: usize = (1 << 30) - 1;

/// An undirected graph in flat arrays. Node `n` is `Cell(n)`.
#[derive(Clone, Debug)]
pub struct ExplicitGraph {
    positions: Vec<[i32; 2]>,
    first_edge: Vec<u32>,
    edges: Vec<(Cell, Cost)>,
    component: Vec<u32>,
    /// Distances are taken in this power of two of a unit.
    precision: u32,
    /// The cost of such a part of a unit, at least, in 2^-32.
    scale: u64,
    most_neighbours: u32,
    cheapest_edge: Cost,
    max_edge_cost: Cost,
}

impl ExplicitGraph {
    /// A graph of nodes at positions and undirected edges `(a, b, cost)`.
    pub fn new(
        positions: Vec<[i32; 2]>,
        undirected: &[(u32, u32, Cost)],
    ) -> Result<ExplicitGraph, GraphError> {
        if positions.len() > MOST || undirected.len() > MOST {
            return Err(GraphError::TooLarge {
                nodes: positions.len(),
                edges: undirected.len(),
            });
        }
        let nodes = positions.len() as u32;
        for &(from, to, cost) in undirected {
            if from >= nodes || to >= nodes {
                return Err(GraphError::NoSuchNode { from, to, nodes });
            }
            if cost == 0 {
                return Err(GraphError::FreeEdge { from, to });
            }
        }
        let mut directed: Vec<(u32, u32, Cost)> = undirected
            .iter()
            .flat_map(|&(a, b, c)| [(a, b, c), (b, a, c)])
            .filter(|&(a, b, _)| a != b)
            .collect();
        directed.sort_unstable();
        directed.dedup_by_key(|&mut (a, b, _)| (a, b));
        let mut first_edge = vec![0u32; nodes as usize + 1];
        for &(a, ..) in &directed {
            first_edge[a as usize + 1] += 1;
        }
        for i in 0..nodes as usize {
            first_edge[i + 1] += first_edge[i];
        }
        let most_neighbours = first_edge
            .windows(2)
            .map(|w| w[1] - w[0])
            .max()
            .unwrap_or(0);
        let precision = precision_of(&positions);
        let mut graph = ExplicitGraph {
            scale: scale_of(&positions, precision, &directed),
            precision,
            max_edge_cost: directed.iter().map(|e| e.2).max().unwrap_or(1),
            cheapest_edge: directed.iter().map(|e| e.2).min().unwrap_or(1),
            edges: directed.iter().map(|&(_, b, c)| (Cell(b), c)).collect(),
            component: vec![u32::MAX; nodes as usize],
            positions,
            first_edge,
            most_neighbours,
        };
        graph.find_components();
        Ok(graph)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Where a node is.
    pub fn position(&self, cell: Cell) -> [i32; 2] {
        self.positions[cell.index()]
    }

    /// The neighbours of a node with the costs of the edges, in the order of ids.
    #[inline]
    pub(crate) fn edges_of(&self, cell: Cell) -> &[(Cell, Cost)] {
        let i = cell.index();
        &self.edges[self.first_edge[i] as usize..self.first_edge[i + 1] as usize]
    }

    fn find_components(&mut self) {
        let mut stack = Vec::new();
        for start in 0..self.len() {
            if self.component[start] != u32::MAX {
                continue;
            }
            self.component[start] = start as u32;
            stack.push(Cell(start as u32));
            while let Some(cell) = stack.pop() {
                let range = self.first_edge[cell.index()] as usize
                    ..self.first_edge[cell.index() + 1] as usize;
                for &(next, _) in &self.edges[range] {
                    if self.component[next.index()] == u32::MAX {
                        self.component[next.index()] = start as u32;
                        stack.push(next);
                    }
                }
            }
        }
    }
}

/// The finest fraction of a unit, as a power of two up to 8, in which squares of distances still fit into 64 bits.
fn precision_of(positions: &[[i32; 2]]) -> u32 {
    let extent = |axis: usize| {
        let values = || positions.iter().map(|p| p[axis]);
        let (low, high) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
        high.abs_diff(low)
    };
    let bits = 32 - extent(0).max(extent(1)).leading_zeros();
    // Two squares take one bit more than twice the bits of a side; each bit of precision takes two.
    (63u32.saturating_sub(2 * bits + 1) / 2).min(8)
}

/// The largest factor, in 2^-32, for which no edge is cheaper than its straight line.
fn scale_of(positions: &[[i32; 2]], precision: u32, edges: &[(u32, u32, Cost)]) -> u64 {
    edges
        .iter()
        .filter_map(|&(a, b, cost)| {
            let square = squared(positions[a as usize], positions[b as usize], precision);
            let root = square.isqrt();
            let distance = root + u64::from(root * root < square);
            (distance > 0).then(|| (u64::from(cost) << 32) / distance)
        })
        .min()
        .unwrap_or(0)
}

/// The square of a distance in parts of `2^-precision`, cut at what fits.
#[inline]
fn squared(a: [i32; 2], b: [i32; 2], precision: u32) -> u64 {
    let (dx, dy) = (
        u64::from(a[0].abs_diff(b[0])),
        u64::from(a[1].abs_diff(b[1])),
    );
    // With a precision above 0 the extent is small enough for the shift.
    (dx * dx).saturating_add(dy * dy) << (2 * precision)
}

impl Space for ExplicitGraph {
    fn id_bound(&self) -> usize {
        self.len()
    }

    #[inline]
    fn contains(&self, cell: Cell) -> bool {
        cell.index() < self.len()
    }

    #[inline]
    fn for_each_neighbour(&self, cell: Cell, mut visit: impl FnMut(Cell, Cost)) {
        for &(next, cost) in self.edges_of(cell) {
            visit(next, cost);
        }
    }

    #[inline]
    fn heuristic(&self, from: Cell, to: Cell) -> Cost {
        let square = squared(self.position(from), self.position(to), self.precision);
        let product = u128::from(square.isqrt()) * u128::from(self.scale);
        (product >> 32).min(u128::from(u32::MAX)) as Cost
    }

    #[inline]
    fn connected(&self, a: Cell, b: Cell) -> bool {
        self.contains(a)
            && self.contains(b)
            && self.component[a.index()] == self.component[b.index()]
    }

    fn most_neighbours(&self) -> u32 {
        self.most_neighbours
    }

    fn cheapest_edge(&self) -> Cost {
        self.cheapest_edge
    }

    fn max_edge_cost(&self) -> Cost {
        self.max_edge_cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A random graph whose positions spread over `extent` and whose costs over `highest`.
    fn random(seed: u64, extent: u32, highest: Cost) -> ExplicitGraph {
        let mut rng = Rng::for_item(9, seed);
        let nodes = rng.between(2, 40);
        let mut coordinate = || (rng.below(extent) as i32).wrapping_sub((extent / 2) as i32);
        let positions = (0..nodes).map(|_| [coordinate(), coordinate()]).collect();
        let edges: Vec<_> = (0..nodes * 2)
            .map(|_| (rng.below(nodes), rng.below(nodes), rng.between(1, highest)))
            .collect();
        ExplicitGraph::new(positions, &edges).expect("a good graph")
    }

    #[test]
    fn the_heuristic_is_consistent_whatever_the_numbers() {
        for seed in 0..600 {
            let extent = [3, 50, 10_000, 1 << 20, 1 << 31, u32::MAX][seed as usize % 6];
            let highest = [1, 9, 3000, Cost::MAX - 1][seed as usize / 6 % 4];
            let graph = random(seed, extent, highest);
            for goal in (0..graph.len() as u32).map(Cell) {
                assert_eq!(graph.heuristic(goal, goal), 0);
                for a in (0..graph.len() as u32).map(Cell) {
                    assert_eq!(graph.heuristic(a, goal), graph.heuristic(goal, a));
                    for &(b, cost) in graph.edges_of(a) {
                        let (here, there) = (graph.heuristic(a, goal), graph.heuristic(b, goal));
                        assert!(
                            u64::from(here) <= u64::from(there) + u64::from(cost),
                            "seed {seed}: {a:?} {b:?} to {goal:?}: {here} > {there} + {cost}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn costs_in_proportion_to_distance_give_nearly_exact_values() {
        let positions = (0..100).map(|x| [x * 3, x * 4]).collect();
        let edges: Vec<_> = (0..99).map(|x| (x, x + 1, 500)).collect();
        let graph = ExplicitGraph::new(positions, &edges).expect("a good graph");
        let h = graph.heuristic(Cell(0), Cell(99));
        assert!((49_499..=49_500).contains(&h), "{h}");
    }

    #[test]
    fn the_cheapest_of_parallel_edges_counts_and_loops_do_not() {
        let edges = [(0, 1, 9), (1, 0, 4), (0, 0, 1), (0, 1, 7)];
        let graph = ExplicitGraph::new(vec![[0, 0], [1, 0], [9, 9]], &edges).expect("good");
        assert_eq!(graph.edges_of(Cell(0)), &[(Cell(1), 4)]);
        assert_eq!(graph.edge_cost(Cell(1), Cell(0)), Some(4));
        assert!(!graph.connected(Cell(0), Cell(2)) && graph.connected(Cell(2), Cell(2)));
        assert_eq!((graph.cheapest_edge(), graph.max_edge_cost()), (4, 4));
    }

    #[test]
    fn bad_edges_are_refused() {
        let one = || vec![[0, 0]];
        assert!(matches!(
            ExplicitGraph::new(one(), &[(0, 1, 3)]),
            Err(GraphError::NoSuchNode { nodes: 1, .. })
        ));
        assert!(matches!(
            ExplicitGraph::new(one(), &[(0, 0, 0)]),
            Err(GraphError::FreeEdge { .. })
        ));
    }
}
