//! The region graph: what it costs to walk from one region's representative to the next one's.

use super::layout::Layout;
use super::regions::Regions;
use crate::cost::Cost;
use crate::grid::Cell;
use crate::map::Map;
use crate::search::Window;
use rayon::prelude::*;

/// Edges that a region may have: the slots that a row of next hops can name, and the bits of a set of them.
pub const MOST_EDGES: usize = 128;

/// Directed edges in flat arrays, those of a region in the order of their costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionGraph {
    /// The first edge of each region; one more entry closes the last.
    pub first: Vec<u32>,
    /// Where each edge leads.
    pub to: Vec<u32>,
    /// What it costs from representative to representative.
    pub cost: Vec<Cost>,
}

impl RegionGraph {
    /// Finds, for every region, the cheapest ways to the representatives in the 3 x 3 sectors around it, walking inside
    /// those sectors, and drops every edge that two others replace at no more cost.
    pub fn find(map: &Map, layout: Layout, regions: &Regions) -> RegionGraph {
        let count = regions.representatives.len();
        let all: Vec<Vec<(Cost, u32)>> = (0..layout.count())
            .into_par_iter()
            .with_min_len(8)
            .map_init(
                || block_window(layout),
                |window, sector| {
                    let range = regions.first[sector]..regions.first[sector + 1];
                    range
                        .map(|region| edges_of(map, layout, regions, window, sector, region))
                        .collect::<Vec<_>>()
                },
            )
            .collect::<Vec<_>>()
            .into_iter()
            .flatten()
            .collect();
        let kept: Vec<Vec<(Cost, u32)>> = (0..count)
            .into_par_iter()
            .map(|region| without_detours(|r| &all[r as usize], region as u32))
            .collect();
        RegionGraph::gather(&kept)
    }

    /// The graph of these edges, given region by region.
    pub fn gather(all: &[Vec<(Cost, u32)>]) -> RegionGraph {
        let mut graph = RegionGraph {
            first: vec![0],
            ..RegionGraph::default()
        };
        for edges in all {
            for &(cost, to) in edges {
                graph.to.push(to);
                graph.cost.push(cost);
            }
            graph.first.push(graph.to.len() as u32);
        }
        graph
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

/// Memory for the search of a 3 x 3 block of sectors.
pub fn block_window(layout: Layout) -> Window {
    Window::new(layout, 9, 3)
}

/// The costs from a region's representative to all others in the block of sectors round it, cheapest first.
pub fn edges_of(
    map: &Map,
    layout: Layout,
    regions: &Regions,
    window: &mut Window,
    sector: usize,
    region: u32,
) -> Vec<(Cost, u32)> {
    let place = layout.place_of(sector);
    window.clear((place.0.saturating_sub(1), place.1.saturating_sub(1)));
    layout.block(place).for_each(|p| window.include(p));
    let from: Cell = regions.representatives[region as usize];
    window.begin(map, from, None);
    window.advance(map, u64::MAX);
    let mut edges: Vec<(Cost, u32)> = layout
        .block(place)
        .flat_map(|(column, row)| {
            let other = (row * layout.columns() + column) as usize;
            regions.first[other]..regions.first[other + 1]
        })
        .filter(|&other| other != region)
        .filter_map(|other| {
            let cell = regions.representatives[other as usize];
            Some((window.settled_cost(map, cell)?, other))
        })
        .collect();
    edges.sort_unstable();
    edges
}

/// An edge is dropped where two cheaper ones together cost at most this part more. In mazes and noise most regions near
/// each other are joined by ways that miss a representative in between by a step or two; without those edges the index of
/// a narrow maze is a sixth smaller, and paths are as long as before (0.5% above the optimum in the mean).
const DETOUR_PART: Cost = 32;

/// Drops the edges that two cheaper ones replace. What is connected stays so: whatever replaces one of the two in turn is
/// made of cheaper edges still.
pub fn without_detours<'a>(
    all: impl Fn(u32) -> &'a [(Cost, u32)],
    region: u32,
) -> Vec<(Cost, u32)> {
    let edges = all(region);
    let replaced = |cost: Cost, to: u32| {
        let most = cost + cost / DETOUR_PART;
        edges
            .iter()
            .take_while(|&&(first, _)| first < cost)
            .any(|&(first, via)| {
                all(via)
                    .iter()
                    .take_while(|&&(second, _)| second < cost && first + second <= most)
                    .any(|&(_, end)| end == to)
            })
    };
    let mut kept: Vec<(Cost, u32)> = edges
        .iter()
        .copied()
        .filter(|&(cost, to)| !replaced(cost, to))
        .collect();
    kept.truncate(MOST_EDGES);
    kept
}
