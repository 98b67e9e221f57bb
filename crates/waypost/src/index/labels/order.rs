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
                let trees = Trees::<u32>::sample(graph, progress)?;
                sorted_by(graph, |id| trees.weight[id as usize])
            }
            HubOrder::Coverage if graph.len() < usize::from(u16::MAX) => {
                Trees::<u16>::sample(graph, progress)?.by_coverage(graph, progress)?
            }
            HubOrder::Coverage => {
                Trees::<u32>::sample(graph, progress)?.by_coverage(graph, progress)?
            }
            HubOrder::Contraction => contraction::arrange(graph),
        })
    }
}

fn sorted_by(graph: &CornerGraph, key: impl Fn(u32) -> u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..graph.len() as u32).collect();
    order.sort_by_key(|&id| (Reverse(key(id)), Reverse(graph.arcs(id).len()), id));
    order
}

/// Shortest-path trees of a sample of roots, with numbers as small as the graph allows: all of them are held at once.
struct Trees<N> {
    trees: Vec<Tree<N>>,
    /// Paths through each corner: the sizes of its subtrees, over all trees.
    weight: Vec<u64>,
}

/// A number of a corner or of a place in a tree.
trait Number: Copy + PartialOrd + Send + Sync {
    fn from_usize(number: usize) -> Self;
    fn index(self) -> usize;
}

impl Number for u16 {
    fn from_usize(number: usize) -> u16 {
        number as u16
    }

    fn index(self) -> usize {
        self.into()
    }
}

impl Number for u32 {
    fn from_usize(number: usize) -> u32 {
        number as u32
    }

    fn index(self) -> usize {
        self as usize
    }
}

/// Its corners depth first: those beyond a corner come right after it.
struct Tree<N> {
    /// By place: the corner.
    corners: Vec<N>,
    /// By place: that of the corner before it on the way from the root; the root's is its own.
    parents: Vec<N>,
    /// By corner: its place; the number of places where the root does not reach it.
    places: Vec<N>,
    /// A bit for every place: whether no hub so far covers it.
    left: Vec<u64>,
}

const NONE: u32 = u32::MAX;
/// Enough for the order to settle: twice as many made labels 1% fewer on the maps tried.
const MAX_TREES: usize = 128;

impl<N: Number> Trees<N> {
    fn sample(graph: &CornerGraph, progress: &dyn Progress) -> Result<Trees<N>, BuildError> {
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
            .collect::<Result<Vec<Tree<N>>, BuildError>>()?;
        let mut sizes = vec![0; graph.len()];
        for tree in &trees {
            tree.sizes(0..tree.corners.len(), &mut sizes);
            for (corner, &size) in tree.corners.iter().zip(&sizes) {
                weight[corner.index()] += u64::from(size);
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
        let mut sizes = vec![0; graph.len()];
        while let Some((weight, paths, Reverse(id))) = heap.pop() {
            let now = self.weight[id as usize];
            if now != weight {
                heap.push((now, paths, Reverse(id)));
                continue;
            }
            unless_cancelled(progress)?;
            order.push(id);
            for tree in &mut self.trees {
                tree.cover(id, &mut self.weight, &mut sizes);
            }
        }
        Ok(order)
    }
}

impl<N: Number> Tree<N> {
    fn grow(graph: &CornerGraph, root: u32) -> Tree<N> {
        let count = graph.len();
        let mut distance = vec![Cost::MAX; count];
        let mut parent = vec![NONE; count];
        let mut is_settled = vec![false; count];
        let mut settled = Vec::new();
        let mut open = BinaryHeap::new();
        distance[root as usize] = 0;
        open.push(Reverse((0, root)));
        while let Some(Reverse((d, id))) = open.pop() {
            if d > distance[id as usize] || is_settled[id as usize] {
                continue;
            }
            is_settled[id as usize] = true;
            settled.push(id);
            for arc in graph.arcs(id) {
                let next = d + arc.cost;
                if next < distance[arc.target as usize] {
                    distance[arc.target as usize] = next;
                    parent[arc.target as usize] = id;
                    open.push(Reverse((next, arc.target)));
                }
            }
        }
        drop((open, is_settled));
        Tree::depth_first(count, &settled, &parent, distance)
    }

    /// Puts corners, given in the order of distance with their parents, depth first; in memory that is not needed any more.
    fn depth_first(count: usize, settled: &[u32], parent: &[u32], memory: Vec<Cost>) -> Tree<N> {
        // By corner: the size of its subtree, then where the next part beyond it goes.
        let mut next = memory;
        for &id in settled {
            next[id as usize] = 1;
        }
        for &id in settled.iter().rev() {
            let above = parent[id as usize];
            if above != NONE {
                next[above as usize] += next[id as usize];
            }
        }
        let zero = N::from_usize(0);
        let mut tree = Tree {
            corners: vec![zero; settled.len()],
            parents: vec![zero; settled.len()],
            places: vec![N::from_usize(settled.len()); count],
            left: vec![u64::MAX; settled.len().div_ceil(64)],
        };
        for &id in settled {
            let (size, above) = (next[id as usize], parent[id as usize]);
            let (place, parent_place) = if above == NONE {
                (0, 0)
            } else {
                let place = next[above as usize];
                next[above as usize] += size;
                (place as usize, tree.places[above as usize].index())
            };
            next[id as usize] = place as Cost + 1;
            tree.corners[place] = N::from_usize(id as usize);
            tree.parents[place] = N::from_usize(parent_place);
            tree.places[id as usize] = N::from_usize(place);
        }
        tree
    }

    #[inline]
    fn is_left(&self, place: usize) -> bool {
        self.left[place / 64] >> (place % 64) & 1 != 0
    }

    /// The places of a subtree: those after its top that lead to none before it.
    fn subtree(&self, top: usize) -> std::ops::Range<usize> {
        let first = N::from_usize(top);
        let beyond = self.parents[top + 1..].iter();
        top..top + 1 + beyond.take_while(|&&parent| parent >= first).count()
    }

    /// By place, from the first of a subtree on: how many corners of each subtree are not covered, 0 where it is.
    fn sizes(&self, subtree: std::ops::Range<usize>, sizes: &mut [u32]) {
        let (first, sizes) = (subtree.start, &mut sizes[..subtree.len()]);
        sizes.fill(0);
        for place in subtree.rev() {
            if self.is_left(place) {
                sizes[place - first] += 1;
                if place > first {
                    let size = sizes[place - first];
                    sizes[self.parents[place].index() - first] += size;
                }
            }
        }
    }

    /// The paths through a corner are covered: its subtree no longer counts.
    fn cover(&mut self, id: u32, weight: &mut [u64], sizes: &mut [u32]) {
        let top = self.places[id as usize].index();
        if top == self.corners.len() || !self.is_left(top) {
            return;
        }
        let subtree = self.subtree(top);
        self.sizes(subtree.clone(), sizes);
        let gone = u64::from(sizes[0]);
        let mut at = top;
        while at > 0 {
            at = self.parents[at].index();
            if !self.is_left(at) {
                break;
            }
            weight[self.corners[at].index()] -= gone;
        }
        for place in subtree {
            weight[self.corners[place].index()] -= u64::from(sizes[place - top]);
            self.left[place / 64] &= !(1 << (place % 64));
        }
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

    /// Corners of a tree that no hub covers and that lead over one to the root, counted one by one.
    fn uncovered_beyond(tree: &Tree<u32>, id: u32, hubs: &[u32]) -> u64 {
        let on_way = |mut place: usize, wanted: &dyn Fn(u32) -> bool| loop {
            if wanted(tree.corners[place]) {
                return true;
            }
            if place == 0 {
                return false;
            }
            place = tree.parents[place] as usize;
        };
        let places = 0..tree.corners.len();
        let counted = places.filter(|&place| {
            on_way(place, &|corner| corner == id)
                && !on_way(place, &|corner| hubs.contains(&corner))
        });
        counted.count() as u64
    }

    #[test]
    fn every_next_hub_is_the_one_on_most_uncovered_paths() {
        let mut rng = Rng::new(3);
        let grid = Grid::from_fn(16, 14, |_| !rng.percent(12)).expect("a legal size");
        let graph = CornerGraph::new(&Map::new(grid, MoveRules::default()));
        let sample = || Trees::<u32>::sample(&graph, &NoProgress).expect("nobody cancels");
        let order = sample().by_coverage(&graph, &NoProgress);
        let order = order.expect("nobody cancels");
        let small = Trees::<u16>::sample(&graph, &NoProgress).expect("nobody cancels");
        assert_eq!(
            small.by_coverage(&graph, &NoProgress).ok(),
            Some(order.clone())
        );
        let (trees, mut hubs) = (sample(), Vec::new());
        while hubs.len() < 12 {
            let left = (0..graph.len() as u32).filter(|id| !hubs.contains(id));
            let best = left.max_by_key(|&id| {
                let uncovered = trees.trees.iter().map(|t| uncovered_beyond(t, id, &hubs));
                (
                    uncovered.sum::<u64>(),
                    trees.weight[id as usize],
                    Reverse(id),
                )
            });
            hubs.push(best.expect("corners are left"));
        }
        assert_eq!(order[..12], hubs);
    }
}
