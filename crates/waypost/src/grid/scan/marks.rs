//! Marked cells laid out along diagonals: which cells come to a cell by diagonal steps.

use super::bits::{next_set, previous_set, put_bit};
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
    pub(crate) fn for_each_behind(
        &self,
        scans: &Scans,
        at: Point,
        diagonal: Direction,
        mut visit: impl FnMut(Point),
    ) {
        let (plane, walls) = match lines_of(diagonal) {
            Some(Lines::Falling) => (&self.falling, &scans.falling_walls),
            _ => (&self.rising, &scans.rising_walls),
        };
        let (back, here) = (diagonal.opposite(), scans.halt_bit(at, diagonal));
        let stops = &scans.diagonal_stops[diagonal as usize / 2];
        let visit = |marked: usize| visit(moved(at, back, marked.abs_diff(here) as u32));
        // The legality of a step is kept at its upper end. From a stop itself a walk sets out.
        if diagonal.dy() > 0 {
            let stop = match stops.is_empty() {
                true => 0,
                false => previous_set(stops, here - 1),
            };
            for_each_down(plane, walls, here - 1, stop, visit);
        } else {
            let stop = match stops.is_empty() {
                true => usize::MAX,
                false => next_set(stops, here + 1),
            };
            for_each_up(plane, walls, here, stop, visit);
        }
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        (self.falling.len() + self.rising.len()) * 8
    }
}

/// Calls `visit` with the set bits from `from` down to the first wall, which is left out, or to `last`, which is not.
#[inline]
fn for_each_down(
    plane: &[u64],
    walls: &[u64],
    from: usize,
    last: usize,
    mut visit: impl FnMut(usize),
) {
    let mut at = from >> 6;
    let mut mask = u64::MAX >> (63 - (from & 63));
    loop {
        let wall = walls[at] & mask;
        let mut bits = plane[at] & mask;
        if wall != 0 {
            bits &= !(u64::MAX >> wall.leading_zeros());
        }
        if at == last >> 6 {
            bits &= u64::MAX << (last & 63);
        }
        while bits != 0 {
            visit(at * 64 + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
        if wall != 0 || at <= last >> 6 {
            return;
        }
        at -= 1;
        mask = u64::MAX;
    }
}

/// Calls `visit` with the set bits after `from` up to the first wall at `from` or after it, or to `last`, both included.
#[inline]
fn for_each_up(
    plane: &[u64],
    walls: &[u64],
    from: usize,
    last: usize,
    mut visit: impl FnMut(usize),
) {
    let mut at = from >> 6;
    let mut mask = u64::MAX << (from & 63);
    // The cell itself is none of those behind it.
    let mut itself = 1 << (from & 63);
    loop {
        let wall = walls[at] & mask;
        let mut bits = plane[at] & mask & !itself;
        if wall != 0 {
            // Up to the lowest wall.
            bits &= wall ^ (wall - 1);
        }
        if at == last >> 6 {
            bits &= u64::MAX >> (63 - (last & 63));
        }
        while bits != 0 {
            visit(at * 64 + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
        if wall != 0 || at >= last >> 6 {
            return;
        }
        at += 1;
        (mask, itself) = (u64::MAX, 0);
    }
}
