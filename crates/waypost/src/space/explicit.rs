//! Explicit undirected graphs: waypoints with positions, or any weighted graph with a heuristic of its own.

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
}

/// An undirected graph in flat arrays. Node `n` is `Cell(n)`.
#[derive(Clone, Debug)]
pub struct ExplicitGraph {
    positions: Vec<[i32; 2]>,
    first_edge: Vec<u32>,
    edges: Vec<(Cell, Cost)>,
    component: Vec<u32>,
    /// Cost per unit of distance is at least `scale / 65536`: makes straight-line distance a consistent heuristic.
    scale: u32,
    most_neighbours: u32,
    cheapest_edge: Cost,
    dearest_edge: Cost,
}

impl ExplicitGraph {
    /// A graph of nodes at positions and undirected edges `(a, b, cost)`.
    pub fn new(
        positions: Vec<[i32; 2]>,
        undirected: &[(u32, u32, Cost)],
    ) -> Result<ExplicitGraph, GraphError> {
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
        let mut graph = ExplicitGraph {
            scale: scale_of(&positions, &directed),
            dearest_edge: directed.iter().map(|e| e.2).max().unwrap_or(1),
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

    /// Has it no nodes?
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Where a node is.
    pub fn position(&self, cell: Cell) -> [i32; 2] {
        self.positions[cell.index()]
    }

    /// The neighbours of a node with the costs of the edges, in the order of ids.
    #[inline]
    pub fn edges_of(&self, cell: Cell) -> &[(Cell, Cost)] {
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

/// The largest factor, in 65536ths, for which no edge is cheaper than its straight line.
fn scale_of(positions: &[[i32; 2]], edges: &[(u32, u32, Cost)]) -> u32 {
    edges
        .iter()
        .filter_map(|&(a, b, cost)| {
            let distance = distance_ceil(positions[a as usize], positions[b as usize]);
            (distance > 0).then(|| ((u64::from(cost) << 16) / distance).min(u64::from(u32::MAX)))
        })
        .min()
        .unwrap_or(0) as u32
}

fn squared(a: [i32; 2], b: [i32; 2]) -> u64 {
    let (dx, dy) = (
        u64::from(a[0].abs_diff(b[0])),
        u64::from(a[1].abs_diff(b[1])),
    );
    // Two squares of 32-bit numbers may pass 64 bits together: the bound stays a bound when it saturates.
    (dx * dx).saturating_add(dy * dy)
}

fn distance_ceil(a: [i32; 2], b: [i32; 2]) -> u64 {
    let square = squared(a, b);
    let root = square.isqrt();
    root + u64::from(root * root < square)
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
        let distance = squared(self.position(from), self.position(to)).isqrt();
        ((u128::from(distance) * u128::from(self.scale)) >> 16).min(u128::from(u32::MAX)) as Cost
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

    fn dearest_edge(&self) -> Cost {
        self.dearest_edge
    }
}
