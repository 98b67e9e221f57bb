//! Rows as runs: targets in [`super::order::NodeOrder`], cut where no move is optimal for all targets since the last cut.
//!
//! A row is a list of `first rank << 4 | symbol`, in the order of ranks; a symbol is a direction or the heuristic move
//! ([`super::heuristic_move`]). Records take two, three or four bytes by the map's width and height, which patches do not
//! change. Cutting only when the intersection of the sets becomes empty gives the fewest runs that an order allows
//! (intervals are covered greedily). The source itself is optimal for every move: it never cuts.
//!
//! The successors' wildcards were weighed: keeping only one direction of every pair halves rows but lets moves arrive from the goal's end,
//! which a first-move query cannot wait for, so it is left out.

use super::heuristic_move::{HeuristicMoves, SYMBOL, side};
use crate::grid::{Direction, Directions, Grid};
use std::ops::Range;

/// Ranks fit in 28 bits.
pub(crate) const MAX_CELLS: u64 = 1 << 28;

/// Bytes of a record on a grid of this width and height. Three would do for a million cells, but a look-up takes a fifth
/// longer than with four, which are small enough on larger maps: rectangles take five bytes and more there.
pub(crate) fn record_bytes(grid: &Grid) -> usize {
    match u64::from(grid.width()) * u64::from(grid.height()) {
        0..=0x1000 => 2,
        0x1001..=0x1_0000 => 3,
        _ => 4,
    }
}

/// Appends a record.
#[inline]
pub(crate) fn write(record: u32, bytes: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&record.to_le_bytes()[..bytes]);
}

/// The records of all rows, or of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    pub data: &'a [u8],
    pub bytes: usize,
}

impl<'a> Runs<'a> {
    /// The records of one row.
    pub fn row(self, row: Range<usize>) -> Runs<'a> {
        let data = &self.data[row.start * self.bytes..row.end * self.bytes];
        Runs { data, ..self }
    }

    /// The symbol for a rank in a row.
    #[inline]
    pub fn look_up(self, row: Range<usize>, rank: u32) -> Option<u32> {
        match self.bytes {
            2 => look_up::<2>(self.data, row, rank),
            3 => look_up::<3>(self.data, row, rank),
            _ => look_up::<4>(self.data, row, rank),
        }
    }

    pub fn records(self) -> impl Iterator<Item = u32> {
        self.data.chunks_exact(self.bytes).map(|record| {
            let mut word = [0; 4];
            word[..record.len()].copy_from_slice(record);
            u32::from_le_bytes(word)
        })
    }
}

/// All moves and the heuristic move: what the source itself and walls count as.
pub(crate) const WILD: u16 = 0x1ff;

/// Collects the runs of one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRun {
    pub start: u32,
    pub moves: u16,
}

impl OpenRun {
    pub fn at(start: u32) -> OpenRun {
        OpenRun { start, moves: WILD }
    }

    /// Goes on to a target with these optimal moves; returns the finished run if the target cuts.
    #[inline]
    pub fn push(&mut self, rank: u32, moves: u16) -> Option<u32> {
        let both = self.moves & moves;
        if both != 0 {
            self.moves = both;
            return None;
        }
        let done = self.record();
        *self = OpenRun { start: rank, moves };
        Some(done)
    }

    /// The run as a record. Plain directions are preferred: they are looked up faster.
    #[inline]
    pub fn record(self) -> u32 {
        record(self.start, self.moves)
    }
}

#[inline]
pub(crate) fn record(start: u32, moves: u16) -> u32 {
    start << 4 | moves.trailing_zeros()
}

/// A set with the bit of the heuristic move.
#[inline]
pub(crate) fn with_heuristic(set: Directions, heuristic: HeuristicMoves, dx: i32, dy: i32) -> u16 {
    let by_heuristic = set.contains(heuristic.towards(side(dx, dy)));
    u16::from(set.0) | u16::from(by_heuristic) << SYMBOL
}

/// The symbol for a rank. The row holds a run that begins at or before the rank, or is empty.
#[inline]
pub(crate) fn look_up<const BYTES: usize>(
    data: &[u8],
    row: Range<usize>,
    rank: u32,
) -> Option<u32> {
    let key = rank << 4 | 15;
    let (mut at, mut left) = (row.start, row.len());
    while left > 1 {
        let half = left / 2;
        // Never the first record of all, so that the four bytes that end with the record can be read at once.
        let end = (at + half + 1) * BYTES;
        let word = data[end - 4..end]
            .first_chunk()
            .map_or(0, |b| u32::from_le_bytes(*b));
        let is_before = word >> (32 - 8 * BYTES) <= key;
        at = std::hint::select_unpredictable(is_before, at + half, at);
        left -= half;
    }
    (left == 1).then(|| u32::from(data[at * BYTES] & 15))
}

/// Whether this is the row of a source with these legal moves in a component with these ranks.
pub(crate) fn is_valid(row: Runs, component: Range<u32>, legal: Directions) -> bool {
    if component.len() < 2 {
        return row.data.is_empty();
    }
    let symbols_are_legal = row.records().all(|record| {
        let symbol = record & 15;
        symbol == SYMBOL || symbol < 8 && legal.contains(Direction::from_number(symbol as u8))
    });
    let starts = || row.records().map(|record| record >> 4);
    symbols_are_legal
        && starts().next() == Some(component.start)
        && starts().all(|start| start < component.end)
        && starts().is_sorted_by(|a, b| a < b)
}
