//! The order in which corners become hubs. The earlier a hub lies on many shortest paths, the fewer labels are needed.

use super::contraction;
use super::graph::CornerGraph;
use crate::cost::Cost;
use crate::index::{BuildError, unless_cancelled};
use crate::parallel::prelude::*;
use crate::progress::Progress;
use crate::rng::Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How hubs are ordered. The measured sizes stand in `docs/measurements/labels.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubOrder {
    /// Most arcs first.
    Degree,
    /// Most shortest paths first, counted on a sample of shortest-path trees.
    Betweenness,
    /// The same, counting only paths that no hub so far lies on.
    Coverage,
    /// The last to leave a contraction hierarchy first.
    Contraction,
}

impl HubOrder {
    /// All orders.
    pub const ALL: [HubOrder; 4] = [
        HubOrder::Degree,
        HubOrder::Betweenness,
        HubOrder::Coverage,
        HubOrder::Contraction,
    ];

    /// The name in parameters.
    pub const fn name(self) -> &'static str {
        match self {
            HubOrder::Degree => "degree",
            HubOrder::Betweenness => "betweenness",
            HubOrder::Coverage => "coverage",
            HubOrder::Contraction => "contraction",
        }
    }

    /// The order with this name.
    pub fn from_name(name: &str) -> Option<HubOrder> {
        HubOrder::ALL.into_iter().find(|order| order.name() == name)
    }

    /// The corners of a graph, the first hub first. Depends on the graph alone. An error where whoever watches wants no more of it.
    pub(crate) fn arrange(
        self,
        graph: &CornerGraph,
        progress: &dyn Progress,
    ) -> Result<Vec<u32>, BuildError> {
        Ok(match self {
            HubOrder::Degree => sorted_by(graph, |id| graph.arcs(id).len() as u64),
            HubOrder::Betweenness => {
                let trees = Trees::sample(graph, progress)?;
                sorted_by(graph, |id| trees.weight[id as usize])
            }
            HubOrder::Coverage => Trees::sample(graph, progress)?.by_coverage(graph, progress)?,
            HubOrder::Contraction => contraction::arrange(graph),
        })
    }
}

fn sorted_by(graph: &CornerGraph, key: impl Fn(u32) -> u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..graph.len() as u32).collect();
    order.sort_by_key(|&id| (Reverse(key(id)), Reverse(graph.arcs(id).len()), id));
    order
}

/// Shortest-path trees of a sample of roots.
struct Trees {
    trees: Vec<Tree>,
    /// Paths through each corner: the sizes of its subtrees, over all trees.
    weight: Vec<u64>,
}

struct Tree {
    parent: Vec<u32>,
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
    /// The size of each subtree; 0 once it is covered or where the root does not reach.
    size: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// Enough for the order to settle: twice as many made labels 1% fewer on the maps tried.
const MAX_TREES: usize = 128;

impl Trees {
    fn sample(graph: &CornerGraph, progress: &dyn Progress) -> Result<Trees, BuildError> {
        let mut roots: Vec<u32> = (0..graph.len() as u32).collect();
        Rng::new(0x1abe1).shuffle(&mut roots);
        roots.truncate(MAX_TREES);
        let mut weight = vec![0u64; graph.len()];
        // In parallel, and in the order of the roots whatever the number of threads.
        let trees = roots
            .par_iter()
            .map(|&root| {
                unless_cancelled(progress)?;
                Ok(Tree::grow(graph, root))
            })
            .collect::<Result<Vec<Tree>, BuildError>>()?;
        for tree in &trees {
            for (id, &size) in tree.size.iter().enumerate() {
                weight[id] += u64::from(size);
            }
        }
        Ok(Trees { trees, weight })
    }

    /// Takes the corner with the most uncovered paths, again and again; corners that no sampled path is left for follow by
    /// their share of all sampled paths.
    fn by_coverage(
        mut self,
        graph: &CornerGraph,
        progress: &dyn Progress,
    ) -> Result<Vec<u32>, BuildError> {
        let all_paths = self.weight.clone();
        let mut heap: BinaryHeap<(u64, u64, Reverse<u32>)> = (0..graph.len() as u32)
            .map(|id| {
                (
                    self.weight[id as usize],
                    all_paths[id as usize],
                    Reverse(id),
                )
            })
            .collect();
        let mut order = Vec::with_capacity(graph.len());
        while let Some((weight, paths, Reverse(id))) = heap.pop() {
            let now = self.weight[id as usize];
            if now != weight {
                heap.push((now, paths, Reverse(id)));
                continue;
            }
            unless_cancelled(progress)?;
            order.push(id);
            for tree in &mut self.trees {
                tree.cover(id, &mut self.weight);
            }
        }
        Ok(order)
    }
}

impl Tree {
    fn grow(graph: &CornerGraph, root: u32) -> Tree {
        let count = graph.len();
        let mut distance = vec![Cost::MAX; count];
        let mut tree = Tree {
            parent: vec![NONE; count],
            first_child: vec![NONE; count],
            next_sibling: vec![NONE; count],
            size: vec![0; count],
        };
        let mut settled = Vec::new();
        let mut open = BinaryHeap::new();
        distance[root as usize] = 0;
        open.push(Reverse((0, root)));
        while let Some(Reverse((d, id))) = open.pop() {
            if d > distance[id as usize] || tree.size[id as usize] != 0 {
                continue;
            }
            tree.size[id as usize] = 1;
            settled.push(id);
            for arc in graph.arcs(id) {
                let next = d + arc.cost;
                if next < distance[arc.target as usize] {
                    distance[arc.target as usize] = next;
                    tree.parent[arc.target as usize] = id;
                    open.push(Reverse((next, arc.target)));
                }
            }
        }
        for &id in settled.iter().rev() {
            let parent = tree.parent[id as usize];
            if parent != NONE {
                tree.size[parent as usize] += tree.size[id as usize];
                tree.next_sibling[id as usize] = tree.first_child[parent as usize];
                tree.first_child[parent as usize] = id;
            }
        }
        tree
    }

    /// The paths through a corner are covered: its subtree no longer counts.
    fn cover(&mut self, id: u32, weight: &mut [u64]) {
        let gone = self.size[id as usize];
        if gone == 0 {
            return;
        }
        let mut above = self.parent[id as usize];
        while above != NONE && self.size[above as usize] != 0 {
            self.size[above as usize] -= gone;
            weight[above as usize] -= u64::from(gone);
            above = self.parent[above as usize];
        }
        let mut at = id;
        loop {
            weight[at as usize] -= u64::from(self.size[at as usize]);
            self.size[at as usize] = 0;
            if let Some(next) = self.next_in_subtree(at, id) {
                at = next;
            } else {
                return;
            }
        }
    }

    /// The next corner of a subtree, depth first, leaving out what is covered already.
    fn next_in_subtree(&self, at: u32, top: u32) -> Option<u32> {
        let alive = |mut id: u32| {
            while id != NONE && self.size[id as usize] == 0 {
                id = self.next_sibling[id as usize];
            }
            id
        };
        let child = alive(self.first_child[at as usize]);
        if child != NONE {
            return Some(child);
        }
        let mut at = at;
        while at != top {
            let sibling = alive(self.next_sibling[at as usize]);
            if sibling != NONE {
                return Some(sibling);
            }
            at = self.parent[at as usize];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, MoveRules};
    use crate::map::Map;
    use crate::progress::NoProgress;

    #[test]
    fn every_order_names_every_corner_once() {
        let mut rng = Rng::new(8);
        let grid = Grid::from_fn(40, 40, |_| !rng.percent(20)).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let graph = CornerGraph::new(&map);
        for order in HubOrder::ALL {
            let arrange = || order.arrange(&graph, &NoProgress).expect("nobody cancels");
            let mut ids = arrange();
            assert_eq!(ids, arrange(), "{order:?} is not deterministic");
            ids.sort_unstable();
            assert!(ids.iter().copied().eq(0..graph.len() as u32), "{order:?}");
            assert_eq!(HubOrder::from_name(order.name()), Some(order));
        }
    }
}
