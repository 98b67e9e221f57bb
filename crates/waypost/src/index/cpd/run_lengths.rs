//! Rows as runs: targets in [`super::order::NodeOrder`], cut where no move is optimal for all targets since the last cut.
//!
//! A row is a list of first ranks and symbols, in the order of ranks; a symbol is a direction or the heuristic move
//! ([`super::heuristic_move`]). Cutting only when the intersection of the sets becomes empty gives the fewest runs that an
//! order allows (intervals are covered greedily). The source itself is optimal for every move: it never cuts. How records are stored:
//! [`super::packed_runs`].
//!
//! What was weighed and left out (figures: `docs/measurements/cpd.md`): the successors' wildcards, which keep one direction of every pair, halve
//! rows but let moves arrive from the goal's end, which a first-move query cannot wait for; squares round the source in which the heuristic
//! move is always right save a twelfth of the runs for another look at every move; rows as differences from a neighbour's save a quarter
//! of the records for two searches in place of one.

use super::heuristic_move::{HeuristicMoves, SYMBOL, side};
use crate::grid::Directions;

/// Ranks fit in 28 bits.
pub(crate) const MAX_CELLS: u64 = 1 << 28;

/// Bytes of a record between builder and file: `first rank << 4 | symbol`.
pub(crate) const RECORD_BYTES: usize = 4;

/// Appends a record.
#[inline]
pub(crate) fn write(record: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&record.to_le_bytes());
}

/// The records of a builder's rows.
pub(crate) fn records(data: &[u8]) -> impl Iterator<Item = u32> {
    data.as_chunks::<RECORD_BYTES>()
        .0
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
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

/// The symbol for a rank in a builder's row.
pub(crate) fn look_up(row: &[u8], rank: u32) -> Option<u32> {
    let before = records(row).take_while(|record| record >> 4 <= rank);
    before.last().map(|record| record & 15)
}
