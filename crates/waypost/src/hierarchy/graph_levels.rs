//! The clique abstraction of an explicit graph, as figure 2 of the paper has it: the same rules as on grids, with any edges.
//!
//! Level 0 is the graph. A node of the next level stands for a clique of up to four nodes, with the orphans whose only
//! neighbour is in it. Cliques of four are taken first, then those of three and two, nodes with few neighbours before those
//! with many. Nodes without edges have no parent: each stands for a component.

use super::grouping::LARGEST_CLIQUE;
use super::{NO_NODE, POSITION_SCALE};
use crate::grid::Cell;
use crate::space::ExplicitGraph;

/// A graph of nodes at positions.
#[derive(Clone, Debug, Default)]
pub struct GraphLevel {
    /// Means of the children's positions, in sixteenths of the graph's units.
    pub(crate) positions: Vec<[i64; 2]>,
    /// Neighbours of each node, sorted.
    pub(crate) edges: Vec<Vec<u32>>,
    /// The node above each; [`NO_NODE`] for those without neighbours.
    pub(crate) parents: Vec<u32>,
    /// The nodes below each; empty on level 0.
    pub(crate) children: Vec<Vec<u32>>,
}

/// All levels of a graph, the graph itself first.
#[derive(Clone, Debug)]
pub struct GraphLevels {
    levels: Vec<GraphLevel>,
}

impl GraphLevel {
    fn ground(graph: &ExplicitGraph) -> GraphLevel {
        let nodes = (0..graph.len() as u32).map(Cell);
        let scale = i64::from(POSITION_SCALE);
        let position = |cell| graph.position(cell).map(|p| i64::from(p) * scale);
        let edges = |cell| graph.edges_of(cell).iter().map(|(next, _)| next.0);
        GraphLevel {
            positions: nodes.clone().map(position).collect(),
            edges: nodes.map(|cell| edges(cell).collect()).collect(),
            ..GraphLevel::default()
        }
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.edges.len()
    }

    /// How many pairs of nodes are joined.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// Which nodes of the level below a node stands for.
    pub fn children(&self, node: u32) -> &[u32] {
        &self.children[node as usize]
    }

    fn adjacent(&self, a: u32, b: u32) -> bool {
        self.edges[a as usize].binary_search(&b).is_ok()
    }

    /// A clique of `size` free nodes with `node` among them.
    fn clique(&self, node: u32, size: usize) -> Option<Vec<u32>> {
        let free = |&next: &u32| self.parents[next as usize] == NO_NODE;
        let candidates = self.edges[node as usize].iter().copied().filter(free);
        let candidates: Vec<u32> = candidates.collect();
        let mut clique = vec![node];
        self.complete(&candidates, size, &mut clique)
            .then_some(clique)
    }

    /// Adds candidates until the clique has `size` nodes: the first that fit, in order of ids.
    fn complete(&self, candidates: &[u32], size: usize, clique: &mut Vec<u32>) -> bool {
        if clique.len() == size {
            return true;
        }
        for (i, &next) in candidates.iter().enumerate() {
            let later = candidates[i + 1..].iter().copied();
            let common: Vec<u32> = later.filter(|&other| self.adjacent(next, other)).collect();
            clique.push(next);
            if self.complete(&common, size, clique) {
                return true;
            }
            clique.pop();
        }
        false
    }

    /// Gives every node with neighbours a parent, and returns the level above.
    fn abstracted(&mut self) -> GraphLevel {
        let mut above = GraphLevel::default();
        self.parents = vec![NO_NODE; self.nodes()];
        let mut order: Vec<u32> = (0..self.nodes() as u32).collect();
        order.retain(|&node| !self.edges[node as usize].is_empty());
        order.sort_by_key(|&node| self.edges[node as usize].len());
        for size in (2..=LARGEST_CLIQUE).rev() {
            for &node in &order {
                if self.parents[node as usize] == NO_NODE
                    && let Some(clique) = self.clique(node, size)
                {
                    self.join(clique, &mut above);
                }
            }
        }
        for &node in &order {
            if self.parents[node as usize] != NO_NODE {
                continue;
            }
            match self.edges[node as usize][..] {
                [only] => {
                    let parent = self.parents[only as usize];
                    self.parents[node as usize] = parent;
                    above.children[parent as usize].push(node);
                }
                _ => self.join(vec![node], &mut above),
            }
        }
        self.finish(&mut above);
        above
    }

    fn join(&mut self, nodes: Vec<u32>, above: &mut GraphLevel) {
        let parent = above.children.len() as u32;
        for &node in &nodes {
            self.parents[node as usize] = parent;
        }
        above.children.push(nodes);
    }

    /// Positions and edges of the level above.
    fn finish(&self, above: &mut GraphLevel) {
        for children in &above.children {
            let count = children.len() as i64;
            let mean = |axis: usize| {
                let sum = children.iter().map(|&c| self.positions[c as usize][axis]);
                sum.sum::<i64>() / count
            };
            above.positions.push([mean(0), mean(1)]);
            let beyond = children.iter().flat_map(|&c| &self.edges[c as usize]);
            let mut edges: Vec<u32> = beyond.map(|&next| self.parents[next as usize]).collect();
            edges.sort_unstable();
            edges.dedup();
            let own = above.edges.len() as u32;
            edges.retain(|&next| next != own);
            above.edges.push(edges);
        }
    }

    /// The straight line between two nodes in sixteenths, rounded down.
    pub(crate) fn line(&self, a: u32, b: u32) -> u64 {
        let [a, b] = [a, b].map(|node| self.positions[node as usize]);
        let square = |axis: usize| u128::from(a[axis].abs_diff(b[axis])).pow(2);
        (square(0) + square(1)).isqrt() as u64
    }
}

impl GraphLevels {
    /// Abstracts a graph until no level has an edge.
    pub fn of(graph: &ExplicitGraph) -> GraphLevels {
        let mut levels = vec![GraphLevel::ground(graph)];
        while let Some(last) = levels.last_mut().filter(|level| level.edge_count() > 0) {
            let above = last.abstracted();
            levels.push(above);
        }
        if let Some(last) = levels.last_mut() {
            last.parents = vec![NO_NODE; last.nodes()];
        }
        GraphLevels { levels }
    }

    /// The levels, the graph first.
    pub fn levels(&self) -> &[GraphLevel] {
        &self.levels
    }

    /// What stands for a node of the graph on each level, from the graph up.
    pub(crate) fn ancestors(&self, cell: Cell) -> Vec<u32> {
        let mut line = vec![cell.0];
        for level in &self.levels {
            let last = line[line.len() - 1];
            match level.parents[last as usize] {
                NO_NODE => break,
                parent => line.push(parent),
            }
        }
        line
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        let of = |level: &GraphLevel| {
            let lists = level.edges.iter().chain(&level.children);
            let entries: usize = lists
                .map(|list| list.len() * 4 + size_of::<Vec<u32>>())
                .sum();
            entries + level.positions.len() * 16 + level.parents.len() * 4
        };
        self.levels.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figure 2: two cliques of four, an orphan of the first, and between them a node alone and one with an orphan.
    pub(crate) fn figure_2() -> ExplicitGraph {
        let mut edges = Vec::new();
        for first in [0u32, 4] {
            for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                edges.push((first + a, first + b, 10));
            }
        }
        // 8 hangs on clique A, 9 is C with 10 hanging on it, 11 is D.
        edges.extend([(8, 0, 10), (10, 9, 10), (9, 1, 10), (9, 4, 10)]);
        edges.extend([(11, 2, 10), (11, 5, 10)]);
        let positions = (0..12).map(|n| [n % 4 * 10, n / 4 * 10]).collect();
        ExplicitGraph::new(positions, &edges).expect("a good graph")
    }

    #[test]
    fn the_graph_of_figure_2_is_abstracted_as_the_paper_says() {
        let levels = GraphLevels::of(&figure_2());
        let sizes: Vec<(usize, usize)> = levels
            .levels()
            .iter()
            .map(|level| (level.nodes(), level.edge_count()))
            .collect();
        // Twelve nodes and 18 edges, four and four, then two nodes and one edge, then a single node.
        assert_eq!(sizes, [(12, 18), (4, 4), (2, 1), (1, 0)]);
        let mut groups: Vec<Vec<u32>> = levels.levels()[1].children.clone();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort();
        assert_eq!(
            groups,
            [vec![0, 1, 2, 3, 8], vec![4, 5, 6, 7], vec![9, 10], vec![11]]
        );
    }

    #[test]
    fn every_component_has_one_top_and_nodes_without_edges_have_none() {
        let edges = [(0, 1, 3), (1, 2, 3), (3, 4, 3)];
        let graph = ExplicitGraph::new(vec![[0, 0]; 6], &edges).expect("a good graph");
        let levels = GraphLevels::of(&graph);
        let top = |n: u32| {
            let line = levels.ancestors(Cell(n));
            (line.len(), line[line.len() - 1])
        };
        assert_eq!(top(0), top(2));
        assert_eq!(top(3), top(4));
        assert_ne!(top(0), top(3));
        assert_eq!(top(5), (1, 5));
    }
}
