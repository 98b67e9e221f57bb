//! Regions that climbing crosses both ways (JAIR 2010, section 10: "such partitions should have all their states
//! reachable from each other by LRTA* without scrubbing. Then start and end states for the database records can be
//! selected within these partitions").
//!
//! A random cell that lies in no region yet becomes the seed of one; the region grows from it, breadth first, over cells from
//! which climbing reaches the seed and which climbing reaches from the seed, within [`CLIMB`] steps. Every cell of the map
//! lies in one region, so every agent can climb to the seed of its region, and from the goal's seed to the goal. Records
//! between all pairs of seeds would therefore serve every problem; that is the idea of HCDPS, which stores them all. As the
//! paper asks, regions are forgotten once the records are made.

use crate::grid::Cell;
use crate::map::Map;
use crate::rng::Rng;
use std::collections::VecDeque;

/// The most steps of a climb between a seed and a cell of its region: what agents climb by default.
const CLIMB: u32 = 250;

/// The seeds of all regions of the cells given, in the order of their making.
pub(super) fn seeds(
    map: &Map,
    mut cells: Vec<Cell>,
    climbs: impl Fn(Cell, Cell, u32) -> bool,
    seed: u64,
) -> Vec<Cell> {
    let mut waits = vec![false; map.grid().id_bound()];
    for &cell in &cells {
        waits[cell.index()] = true;
    }
    Rng::new(seed).shuffle(&mut cells);
    let (mut seeds, mut queue) = (Vec::new(), VecDeque::new());
    for &cell in &cells {
        if !waits[cell.index()] {
            continue;
        }
        waits[cell.index()] = false;
        seeds.push(cell);
        queue.push_back(cell);
        while let Some(at) = queue.pop_front() {
            for direction in map.legal(at) {
                let next = map.grid().neighbour(at, direction);
                if waits[next.index()] && climbs(next, cell, CLIMB) && climbs(cell, next, CLIMB) {
                    waits[next.index()] = false;
                    queue.push_back(next);
                }
            }
        }
    }
    seeds
}

/// A pair of two different seeds for a record: in turn where the database has room for all of them, else at random.
pub(super) fn pair_of(
    seeds: &[Cell],
    number: u64,
    records: u64,
    rng: &mut Rng,
) -> Option<(Cell, Cell)> {
    let count = seeds.len() as u64;
    let pairs = count * count.saturating_sub(1);
    if pairs == 0 {
        return None;
    }
    let pair = if pairs <= records {
        number % pairs
    } else {
        let [from, to] = [count, count - 1].map(|below| u64::from(rng.below(below as u32)));
        from * (count - 1) + to
    };
    let (from, to) = (pair / (count - 1), pair % (count - 1));
    let to = to + u64::from(to >= from);
    Some((seeds[from as usize], seeds[to as usize]))
}
