//! Regions that climbing crosses both ways (JAIR 2010, section 10: "such partitions should have all their states
//! reachable from each other by LRTA* without scrubbing. Then start and end states for the database records can be
//! selected within these partitions").
//!
//! A random cell that lies in no region yet becomes the seed of one; the region grows from it, breadth first, over cells from
//! which climbing reaches the seed and which climbing reaches from the seed, within [`CLIMB`] steps. Every cell of the map
//! lies in one region, so every agent can climb to the seed of its region, and from the goal's seed to the goal.
//!
//! HCDPS keeps the regions ([`super`]). Subgoal databases of kNN LRTA* draw the ends of their records from the seeds and, as
//! the paper asks, forget the regions once the records are made.

use crate::grid::Cell;
use crate::index::cell_regions::NO_REGION;
use crate::map::Map;
use crate::rng::Rng;
use std::collections::VecDeque;

/// The most steps of a climb between a seed and a cell of its region: what agents climb by default.
pub(in crate::index) const CLIMB: u32 = 250;

/// Cells cut into regions.
pub(in crate::index) struct Partition {
    /// The cell that each region has grown from, in the order of their making.
    pub seeds: Vec<Cell>,
    /// The region of each cell, by its id; [`NO_REGION`] for walls and cells that were not asked for.
    pub regions: Vec<u32>,
}

/// Cuts the cells given into regions.
pub(in crate::index) fn partition(
    map: &Map,
    mut cells: Vec<Cell>,
    climbs: impl Fn(Cell, Cell, u32) -> bool,
    seed: u64,
) -> Partition {
    let mut waits = vec![false; map.grid().id_bound()];
    for &cell in &cells {
        waits[cell.index()] = true;
    }
    Rng::new(seed).shuffle(&mut cells);
    let mut regions = vec![NO_REGION; map.grid().id_bound()];
    let (mut seeds, mut queue) = (Vec::new(), VecDeque::new());
    for &cell in &cells {
        if !waits[cell.index()] {
            continue;
        }
        let number = seeds.len() as u32;
        seeds.push(cell);
        waits[cell.index()] = false;
        regions[cell.index()] = number;
        queue.push_back(cell);
        while let Some(at) = queue.pop_front() {
            for direction in map.legal(at) {
                let next = map.grid().neighbour(at, direction);
                // A cell that waits with this number was refused by this region before.
                if !waits[next.index()] || regions[next.index()] == number {
                    continue;
                }
                regions[next.index()] = number;
                if climbs(next, cell, CLIMB) && climbs(cell, next, CLIMB) {
                    waits[next.index()] = false;
                    queue.push_back(next);
                }
            }
        }
    }
    Partition { seeds, regions }
}
