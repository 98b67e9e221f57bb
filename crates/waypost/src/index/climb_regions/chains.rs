//! The graph of regions: which ones touch, and the subgoals from seed to seed.

use super::partition::CLIMB;
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::desks::ScratchPool;
use crate::index::exact_paths::{ExactPaths, PathSearches};
use crate::index::subgoals::compress::compress;
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;
use crate::search::climb;

/// Regions that touch each other, as lists one after the other.
pub(super) struct Neighbours {
    /// Where the list of each region begins, and the end of the last.
    pub first: Vec<u32>,
    /// Neighbours, by number within a list.
    pub targets: Vec<u32>,
}

impl Neighbours {
    /// Regions of a map between which there is a legal step.
    pub fn of(map: &Map, count: usize, region: impl Fn(Cell) -> u32) -> Neighbours {
        let mut pairs = Vec::new();
        for cell in map.grid().cells() {
            let from = region(cell);
            for direction in map.legal(cell) {
                let to = region(map.grid().neighbour(cell, direction));
                if to != from && pairs.last() != Some(&(from, to)) {
                    pairs.push((from, to));
                }
            }
        }
        Neighbours::from_pairs(count, pairs)
    }

    fn from_pairs(count: usize, mut pairs: Vec<(u32, u32)>) -> Neighbours {
        pairs.sort_unstable();
        pairs.dedup();
        let first = (0..=count as u32)
            .map(|number| pairs.partition_point(|&(from, _)| from < number) as u32)
            .collect();
        let targets = pairs.into_iter().map(|(_, to)| to).collect();
        Neighbours { first, targets }
    }

    /// The same for all regions that are at most this many steps from region to region away.
    pub fn up_to(self, levels: u32) -> Neighbours {
        if levels <= 1 {
            return self;
        }
        let count = self.first.len() - 1;
        let mut pairs = Vec::new();
        let mut near = Vec::new();
        let mut reached_from = vec![u32::MAX; count];
        for from in 0..count as u32 {
            near.clear();
            near.push(from);
            reached_from[from as usize] = from;
            let mut done = 0;
            for _ in 0..levels {
                let level = done..near.len();
                done = near.len();
                for at in level {
                    for &to in &self.targets[self.edges(near[at])] {
                        if reached_from[to as usize] != from {
                            reached_from[to as usize] = from;
                            near.push(to);
                            pairs.push((from, to));
                        }
                    }
                }
            }
        }
        Neighbours::from_pairs(count, pairs)
    }

    /// The edges from a region.
    pub fn edges(&self, region: u32) -> std::ops::Range<usize> {
        self.first[region as usize] as usize..self.first[region as usize + 1] as usize
    }

    /// The most neighbours of a region.
    pub fn most(&self) -> u32 {
        let counts = self.first.windows(2).map(|w| w[1] - w[0]);
        counts.max().unwrap_or(0)
    }
}

/// Subgoals along the edges.
#[derive(Default)]
pub(super) struct Chains {
    /// The first subgoal of each edge, and the end of the last.
    pub first: Vec<u32>,
    /// Subgoals between the seeds, which are not among them.
    pub subgoals: Vec<Cell>,
    /// What climbing along each edge costs.
    pub costs: Vec<Cost>,
}

/// Memory of a thread.
#[derive(Default)]
struct Desk {
    searches: PathSearches,
    path: Vec<Cell>,
    record: Vec<Cell>,
}

impl Chains {
    /// For every edge an optimal path between the seeds, compressed to subgoals each of which climbing reaches from the
    /// one before within [`CLIMB`] steps.
    pub fn of(
        map: &Map,
        paths: &ExactPaths,
        seeds: &[Cell],
        neighbours: &Neighbours,
        progress: &dyn Progress,
    ) -> Chains {
        progress.begin("chains", seeds.len() as u64);
        let desks = ScratchPool::new();
        let of_regions: Vec<Vec<(Cost, Vec<Cell>)>> = (0..seeds.len() as u32)
            .into_par_iter()
            .map(|from| {
                let start = seeds[from as usize];
                let targets = &neighbours.targets[neighbours.edges(from)];
                let chains = desks.work(Desk::default, |desk| {
                    let chain = |&to: &u32| desk.chain(map, paths, start, seeds[to as usize]);
                    targets.iter().map(chain).collect()
                });
                progress.advance(1);
                chains
            })
            .collect();
        let mut all = Chains::default();
        all.first.push(0);
        for (cost, subgoals) in of_regions.into_iter().flatten() {
            all.costs.push(cost);
            all.subgoals.extend(subgoals);
            all.first.push(all.subgoals.len() as u32);
        }
        all
    }
}

impl Desk {
    /// The subgoals between two seeds, and what climbing along them costs.
    fn chain(&mut self, map: &Map, paths: &ExactPaths, from: Cell, to: Cell) -> (Cost, Vec<Cell>) {
        paths.find(&mut self.searches, from, to, &mut self.path);
        compress(&self.path, &mut self.record, |from, to| {
            paths.climbs(from, to, CLIMB)
        });
        self.path.clear();
        self.path.push(from);
        for pair in self.record.windows(2) {
            climb::climb_by_steps(map, pair[0], pair[1], CLIMB, |cell| self.path.push(cell));
        }
        let cost = map.path_cost(&self.path).unwrap_or(0);
        let last = self.record.len().saturating_sub(1);
        let inner = self.record.get(1..last).unwrap_or_default().to_vec();
        (Cost::try_from(cost).unwrap_or(Cost::MAX), inner)
    }
}
