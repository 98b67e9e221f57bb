//! The region graph: what it costs to walk from one region's representative to the next one's.

use super::layout::Layout;
use super::sector_regions::Regions;
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::sectors::{Window, WindowState};
use crate::index::{BuildError, unless_cancelled};
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;

/// Edges that a region may have: the slots that a row of next hops can name, and the bits of a set of them.
pub const MAX_EDGES: usize = 128;

/// Directed edges in flat arrays, those of a region in the order of their costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionGraph {
    /// The first edge of each region; one more entry closes the last.
    pub first: Vec<u32>,
    /// Where each edge leads.
    pub to: Vec<u32>,
    /// What it costs from representative to representative.
    pub cost: Vec<Cost>,
    /// The least and the greatest cost of an edge.
    costs: Option<(Cost, Cost)>,
}

impl RegionGraph {
    /// Finds, for every region, the cheapest ways to the representatives in the 3 x 3 sectors around it, walking inside
    /// those sectors, and drops every edge that two others replace at no more cost.
    /// Each sector is a part of the stage under way.
    pub fn find(
        map: &Map,
        layout: Layout,
        regions: &Regions,
        progress: &dyn Progress,
    ) -> Result<RegionGraph, BuildError> {
        let count = regions.representatives.len();
        let number = |sector: usize, i: usize| regions.first[sector] + i as u32;
        let all: Vec<Vec<(Cost, u32)>> = (0..layout.count())
            .into_par_iter()
            .with_min_len(8)
            .map_init(
                || BlockSearch::new(layout),
                |search, sector| {
                    unless_cancelled(progress)?;
                    progress.advance(1);
                    let from = regions.of_sector(sector).iter();
                    let edges = from.map(|&cell| {
                        search.begin(map, sector, cell);
                        search.advance(map, u64::MAX);
                        search.edges(map, |s| regions.of_sector(s), number)
                    });
                    Ok(edges.collect::<Vec<_>>())
                },
            )
            .collect::<Result<Vec<_>, BuildError>>()?
            .into_iter()
            .flatten()
            .collect();
        let kept: Vec<Vec<(Cost, u32)>> = (0..count as u32)
            .into_par_iter()
            .map(|region| without_detours(|r: u32| &all[r as usize], region, &mut 0))
            .collect();
        let edges = kept.iter().map(Vec::len).sum();
        let mut graph = RegionGraph::with_capacity(count, edges);
        kept.iter().for_each(|edges| graph.push(edges));
        Ok(graph)
    }

    /// No regions yet, and room for this many with this many edges.
    pub fn with_capacity(regions: usize, edges: usize) -> RegionGraph {
        let mut first = Vec::with_capacity(regions + 1);
        first.push(0);
        RegionGraph {
            first,
            to: Vec::with_capacity(edges),
            cost: Vec::with_capacity(edges),
            costs: None,
        }
    }

    /// Adds the next region with its edges.
    pub fn push<'a>(&mut self, edges: impl IntoIterator<Item = &'a (Cost, u32)>) {
        for &(cost, to) in edges {
            self.to.push(to);
            self.cost.push(cost);
            let (least, most) = self.costs.unwrap_or((cost, cost));
            self.costs = Some((least.min(cost), most.max(cost)));
        }
        self.first.push(self.to.len() as u32);
    }

    /// How many regions there are.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// The least and the greatest cost of an edge; 1 where there is none.
    pub fn costs(&self) -> (Cost, Cost) {
        self.costs.unwrap_or((1, 1))
    }

    /// How many edges a region has.
    #[inline]
    pub fn degree(&self, region: u32) -> usize {
        (self.first[region as usize + 1] - self.first[region as usize]) as usize
    }

    /// Where the edges of a region lead, cheapest first.
    #[inline]
    pub fn targets(&self, region: u32) -> &[u32] {
        &self.to[self.first[region as usize] as usize..self.first[region as usize + 1] as usize]
    }

    /// The edges of a region: where they lead and what they cost.
    #[inline]
    pub fn edges(&self, region: u32) -> impl Iterator<Item = (u32, Cost)> + '_ {
        let range = self.first[region as usize] as usize..self.first[region as usize + 1] as usize;
        self.to[range.clone()]
            .iter()
            .copied()
            .zip(self.cost[range].iter().copied())
    }
}

/// The search for a region's edges: from its representative to all others in the 3 x 3 sectors round it. It can be stopped
/// after any number of expansions.
#[derive(Clone, Debug)]
pub struct BlockSearch {
    layout: Layout,
    window: Window,
    place: (u32, u32),
}

impl BlockSearch {
    /// Memory for searches on a map that is cut like this.
    pub fn new(layout: Layout) -> BlockSearch {
        BlockSearch {
            layout,
            window: Window::new(layout, 9, 3),
            place: (0, 0),
        }
    }

    /// Begins at a cell of a sector.
    pub fn begin(&mut self, map: &Map, sector: usize, from: Cell) {
        self.place = self.layout.place_of(sector);
        let (column, row) = self.place;
        self.window
            .clear((column.saturating_sub(1), row.saturating_sub(1)));
        for place in self.layout.block(self.place) {
            self.window.include(place);
        }
        self.window.begin(map, from, None);
    }

    /// Expands at most this many cells; says how many.
    pub fn advance(&mut self, map: &Map, most: u64) -> u64 {
        self.window.advance(map, most)
    }

    /// Whether nothing is left to expand.
    pub fn is_done(&self) -> bool {
        self.window.state() != WindowState::Open
    }

    /// The edges that a finished search has found, cheapest first. `of_sector` has the representatives of each sector's
    /// regions, `name` says what to call region number `i` of a sector; names are in the order of sectors and numbers.
    pub fn edges<'a, Name: Ord>(
        &self,
        map: &Map,
        of_sector: impl Fn(usize) -> &'a [Cell],
        name: impl Fn(usize, usize) -> Name,
    ) -> Vec<(Cost, Name)> {
        let mut edges = Vec::new();
        for (column, row) in self.layout.block(self.place) {
            let sector = (row * self.layout.columns() + column) as usize;
            for (i, &cell) in of_sector(sector).iter().enumerate() {
                if let Some(cost) = self.window.settled_cost(map, cell)
                    && cell != self.window.from()
                {
                    edges.push((cost, name(sector, i)));
                }
            }
        }
        edges.sort_unstable();
        edges
    }
}

/// An edge is dropped where two cheaper ones together cost at most this part more. In mazes and noise most regions near
/// each other are joined by ways that miss a representative in between by a step or two; without those edges the index of
/// a narrow maze is a sixth smaller, and paths are as long as before (0.5% above the optimum in the mean).
const DETOUR_PART: Cost = 32;

/// To find a region's edges counts like looking at so many.
const FETCH: usize = 12;

/// Drops the edges that two cheaper ones replace; adds to `looks` how many edges were looked at. What is connected stays
/// so: whatever replaces one of the two in turn is made of cheaper edges still.
pub fn without_detours<'a, Name: Copy + Eq + 'a>(
    all: impl Fn(Name) -> &'a [(Cost, Name)],
    region: Name,
    looks: &mut usize,
) -> Vec<(Cost, Name)> {
    let edges = all(region);
    let mut replaced = |cost: Cost, to: Name| {
        let most = cost + cost / DETOUR_PART;
        for &(first, via) in edges.iter().take_while(|edge| edge.0 < cost) {
            let cheap = |edge: &&(Cost, Name)| edge.0 < cost && first + edge.0 <= most;
            let mut seconds = all(via).iter().take_while(cheap);
            *looks += FETCH;
            if seconds.any(|&(_, end)| {
                *looks += 1;
                end == to
            }) {
                return true;
            }
        }
        false
    };
    let mut kept = edges.to_vec();
    kept.retain(|&(cost, to)| !replaced(cost, to));
    kept.truncate(MAX_EDGES);
    kept.shrink_to_fit();
    kept
}
