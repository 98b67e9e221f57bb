//! Marked cells laid out along diagonals: who comes to a cell by diagonal steps?

use super::bits::{for_each_set, next_set, previous_set, put_bit};
use super::planes::Lines;
use super::{Direction, Point, Scans, lines_of, moved};

/// One bit per cell in both diagonal layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagonalMarks {
    falling: Vec<u64>,
    rising: Vec<u64>,
}

impl DiagonalMarks {
    /// Lays out marks, one bit per cell id, for the grid of these scans.
    pub fn new(scans: &Scans, marks: &[u64]) -> DiagonalMarks {
        let lay_out = |lines| scans.shape.lay_out(marks, lines, 0);
        DiagonalMarks {
            falling: lay_out(Lines::Falling),
            rising: lay_out(Lines::Rising),
        }
    }

    /// Marks a cell or unmarks it.
    pub fn put(&mut self, scans: &Scans, at: Point, marked: bool) {
        put_bit(&mut self.falling, scans.shape.falling_bit(at), marked);
        put_bit(&mut self.rising, scans.shape.rising_bit(at), marked);
    }

    /// Calls `visit` with every marked cell from which diagonal steps in one direction come to this passable cell without a
    /// stop on the way.
    #[inline]
    pub fn for_each_behind(
        &self,
        scans: &Scans,
        at: Point,
        diagonal: Direction,
        mut visit: impl FnMut(Point),
    ) {
        let back = diagonal.opposite();
        let mut steps = scans.run(at, back) as usize;
        if steps == 0 {
            return;
        }
        let here = scans.halt_bit(at, diagonal);
        let stops = &scans.diagonal_stops[diagonal as usize / 2];
        if !stops.is_empty() {
            let stop = if diagonal.dy() > 0 {
                previous_set(stops, here - 1)
            } else {
                next_set(stops, here + 1)
            };
            steps = steps.min(stop.abs_diff(here));
        }
        let (from, to) = if diagonal.dy() > 0 {
            (here - steps, here - 1)
        } else {
            (here + 1, here + steps)
        };
        let plane = match lines_of(diagonal) {
            Some(Lines::Falling) => &self.falling,
            _ => &self.rising,
        };
        for_each_set(plane, from, to, |marked| {
            visit(moved(at, back, marked.abs_diff(here) as u32));
        });
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        (self.falling.len() + self.rising.len()) * 8
    }
}
