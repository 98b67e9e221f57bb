//! Dynamic programming over the graph of regions: the next region on the way to every other.
//!
//! One search from each target gives what every region is away from it along chains, and a region's hop is the neighbour
//! of least cost there plus the cost of the chain to it; of equals the first. Chains cost something, so every hop is nearer to
//! the target than the region before it, and no route comes to a region twice.

use super::chains::{Chains, Neighbours};
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::index::desks::ScratchPool;
use crate::index::packed::Packer;
use crate::index::region_pairs::RegionPairs;
use crate::open_list::Heap;
use crate::parallel::prelude::*;
use crate::progress::Progress;
use crate::search::best_first::{BestFirst, Surface};
use crate::search::nodes::Stamped;

/// Targets whose rows are in memory unpacked at a time.
const BLOCK: u32 = 256;

type Search = BestFirst<Stamped<Cell>, Heap>;

/// The graph of regions with the costs of its chains.
pub(super) struct RegionGraph<'a> {
    neighbours: &'a Neighbours,
    costs: &'a [Cost],
    /// The cost of each edge's twin.
    back: Vec<Cost>,
}

impl<'a> RegionGraph<'a> {
    /// The graph of some chains.
    pub fn new(neighbours: &'a Neighbours, chains: &'a Chains) -> RegionGraph<'a> {
        let mut back = Vec::with_capacity(chains.costs.len());
        for from in 0..neighbours.first.len().saturating_sub(1) as u32 {
            for edge in neighbours.edges(from) {
                // Steps are legal both ways, so every edge has a twin.
                let twins = neighbours.edges(neighbours.targets[edge]);
                let twin = neighbours.targets[twins.clone()].binary_search(&from);
                back.push(twin.map_or(UNREACHED, |at| chains.costs[twins.start + at]));
            }
        }
        RegionGraph {
            neighbours,
            costs: &chains.costs,
            back,
        }
    }

    /// For every pair of regions which of the first one's neighbours is next, packed in the order of pairs; 0 for a region and
    /// itself.
    pub fn hops(&self, pairs: &RegionPairs, progress: &dyn Progress) -> Vec<u64> {
        let regions = self.neighbours.first.len().saturating_sub(1) as u32;
        progress.begin("next regions", u64::from(regions));
        let mut packer = Packer::new(u64::from(self.neighbours.most()));
        let desks = ScratchPool::new();
        for first in (0..regions).step_by(BLOCK as usize) {
            let rows: Vec<Vec<u32>> = (first..regions.min(first + BLOCK))
                .into_par_iter()
                .map(|target| {
                    let row = |search: &mut Search| self.row(pairs, target, search);
                    desks.work(Search::default, row)
                })
                .collect();
            progress.advance(rows.len() as u64);
            rows.iter().flatten().for_each(|&hop| packer.push(hop));
        }
        packer.finish()
    }

    /// The hops of all regions of a target's component.
    fn row(&self, pairs: &RegionPairs, target: u32, search: &mut Search) -> Vec<u32> {
        search.begin(self, Cell(target), None, UNREACHED - 1);
        search.advance(self, u64::MAX);
        let hop = |from: u32| {
            let edges = self.neighbours.edges(from);
            let over = |edge: usize| {
                let onwards = search.g(Cell(self.neighbours.targets[edge]));
                self.costs[edge].saturating_add(onwards.unwrap_or(UNREACHED))
            };
            let best = edges.clone().min_by_key(|&edge| over(edge));
            best.map_or(0, |edge| (edge - edges.start) as u32)
        };
        let sources = pairs.component_of(target);
        sources
            .map(|from| if from == target { 0 } else { hop(from) })
            .collect()
    }
}

/// As a search from a target sees it: along twins.
impl Surface for RegionGraph<'_> {
    type Link = Cell;
    type Place = ();

    fn start_link(&self) -> Cell {
        Cell::NONE
    }

    fn place(&self, _region: Cell) {}

    fn estimate(&self, _region: Cell, (): ()) -> Cost {
        0
    }

    fn for_each_successor(
        &self,
        region: Cell,
        _link: Cell,
        mut visit: impl FnMut(Cell, Cost, Cell, ()),
    ) {
        for edge in self.neighbours.edges(region.0) {
            let next = Cell(self.neighbours.targets[edge]);
            visit(next, self.back[edge], region, ());
        }
    }

    fn parent(&self, _region: Cell, link: Cell) -> Option<Cell> {
        (link != Cell::NONE).then_some(link)
    }

    fn id_bound(&self) -> usize {
        self.neighbours.first.len().saturating_sub(1)
    }

    fn growth(&self) -> Cost {
        Cost::MAX
    }
}
