//! The stops that a cell sees, some at a time: in the midst of open ground there may be thousands.

use super::bits::for_each_set;
use super::{Directions, Point, Scans, Stop};
use crate::grid::Direction;

/// Stops that are visited at once, and cells of a diagonal that are looked along for them.
const STOPS_AT_ONCE: usize = 32;
const CELLS_AT_ONCE: usize = 1024;

/// Where a look at the stops of a cell goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopCursor {
    direction: u8,
    /// Of a diagonal: the stop on it, those to the left, those to the right.
    part: u8,
    /// The cell of the diagonal from which to go on, as a bit of its line.
    next: usize,
}

impl Scans {
    /// Visits some of the stops that [`Scans::for_each_stop`] does, in the same order; whether there may be more.
    pub(crate) fn some_stops(
        &self,
        at: Point,
        directions: Directions,
        cursor: &mut StopCursor,
        mut visit: impl FnMut(Stop),
    ) -> bool {
        let (visit, mut left) = (&mut visit, STOPS_AT_ONCE);
        while cursor.direction < 8 {
            let direction = Direction::from_number(cursor.direction);
            if directions.contains(direction) {
                let is_done = match direction {
                    Direction::NorthEast => {
                        self.some_of_diagonal::<1, 0, 2>(at, cursor, &mut left, visit)
                    }
                    Direction::SouthEast => {
                        self.some_of_diagonal::<3, 2, 4>(at, cursor, &mut left, visit)
                    }
                    Direction::SouthWest => {
                        self.some_of_diagonal::<5, 4, 6>(at, cursor, &mut left, visit)
                    }
                    Direction::NorthWest => {
                        self.some_of_diagonal::<7, 6, 0>(at, cursor, &mut left, visit)
                    }
                    straight => {
                        self.for_each_stop(at, Directions::NONE.with(straight), &mut *visit);
                        true
                    }
                };
                if !is_done {
                    return true;
                }
            }
            *cursor = StopCursor {
                direction: cursor.direction + 1,
                ..StopCursor::default()
            };
        }
        false
    }

    /// Those of a diagonal; whether these were all.
    fn some_of_diagonal<const D: u8, const L: u8, const R: u8>(
        &self,
        at: Point,
        cursor: &mut StopCursor,
        left: &mut usize,
        visit: &mut impl FnMut(Stop),
    ) -> bool {
        let is_first = cursor.part == 0;
        let reach = self.diagonal_reach::<D>(at, &mut |stop| {
            if is_first {
                visit(stop);
            }
        });
        if is_first {
            (cursor.part, cursor.next) = (1, reach.from);
        }
        while cursor.part < 3 {
            let plane = &self.hits[D as usize / 2][cursor.part as usize - 1];
            while cursor.next <= reach.to {
                if *left == 0 {
                    return false;
                }
                // A word of cells at a time; what is visited counts, and so does looking.
                let to = reach.to.min(cursor.next | 63);
                let mut stops = 0;
                for_each_set(plane, cursor.next, to, |turn| {
                    let diagonal = turn.abs_diff(reach.here) as u32;
                    match cursor.part {
                        1 => self.turned_stop::<D, L>(at, diagonal, visit),
                        _ => self.turned_stop::<D, R>(at, diagonal, visit),
                    }
                    stops += 1;
                });
                cursor.next = to + 1;
                let looked = 64 * STOPS_AT_ONCE / CELLS_AT_ONCE;
                *left = left.saturating_sub(stops.max(looked));
            }
            (cursor.part, cursor.next) = (cursor.part + 1, reach.from);
        }
        true
    }
}
