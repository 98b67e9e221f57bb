//! Which of the cells around it a walker tries first.

use crate::cost::Cost;
use crate::grid::{Cell, Point};

/// Values beyond this one count as this one.
const MAX_VALUE: Cost = (1 << 30) - 2;

/// The cells that a walker may go to, the best one first. Values are found as late as possible: a bound that takes no
/// look at walls comes first, and most walkers take the first cell or the second.
pub(super) struct Ways {
    /// Value or bound, whether somebody holds the cell, whether it is in the way of a pusher, and the cell, from the highest
    /// bits to the lowest; less is better.
    keys: [u64; 9],
    points: [Point; 9],
    /// What is added to the values.
    extra: [Cost; 9],
    count: usize,
    /// Of which the value is known, a bit each.
    exact: u16,
}

/// A way that was tried.
const TRIED: u64 = u64::MAX;

impl Ways {
    /// No cell yet. Where values are not exact they are bounds, and found when they matter.
    pub fn new(exact: bool) -> Ways {
        Ways {
            keys: [TRIED; 9],
            points: [Point::default(); 9],
            extra: [0; 9],
            count: 0,
            exact: if exact { !0 } else { 0 },
        }
    }

    /// Adds a cell; `extra` is added to its value. Of two with the same value one that nobody holds comes first, then one that
    /// is not in the way of a pusher.
    #[inline]
    pub fn add(&mut self, value: Cost, extra: Cost, faults: [bool; 2], cell: Cell, point: Point) {
        let faults = u64::from(faults[0]) << 1 | u64::from(faults[1]);
        self.keys[self.count] = key(value + extra, faults, cell);
        self.extra[self.count] = extra;
        self.points[self.count] = point;
        self.count += 1;
    }

    /// The best of what is left.
    #[inline]
    pub fn next(&mut self, value: impl Fn(Cell, Point) -> Cost) -> Option<Cell> {
        loop {
            let (mut best, mut found) = (0, TRIED);
            for (way, &key) in self.keys.iter().enumerate() {
                if key < found {
                    (best, found) = (way, key);
                }
            }
            if found == TRIED {
                return None;
            }
            let (cell, faults) = (Cell(found as u32), found >> 32 & 3);
            if self.exact >> best & 1 != 0 {
                self.keys[best] = TRIED;
                return Some(cell);
            }
            let value = value(cell, self.points[best]) + self.extra[best];
            self.keys[best] = key(value, faults, cell);
            self.exact |= 1 << best;
        }
    }
}

#[inline]
fn key(value: Cost, faults: u64, cell: Cell) -> u64 {
    u64::from(value.min(MAX_VALUE)) << 34 | faults << 32 | u64::from(cell.0)
}
