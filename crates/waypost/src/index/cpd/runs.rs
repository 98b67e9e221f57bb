//! Rows as runs: targets in [`super::order::NodeOrder`], cut where no move is optimal for all targets since the last cut.
//!
//! A row is a list of `first rank << 4 | symbol`, in the order of ranks; a symbol is a direction or the heuristic move
//! ([`super::heuristic_move`]). Cutting only when the intersection of the sets becomes empty gives the fewest runs that an
//! order allows (intervals are covered greedily). The source itself is optimal for every move: it never cuts.
//!
//! The successors' wildcards were weighed: keeping only one direction of every pair halves rows but lets moves arrive from the goal's end,
//! which a first-move query cannot wait for, so it is left out.

use super::heuristic_move::{HeuristicMoves, SYMBOL, side};
use crate::grid::{Direction, Directions};

/// Ranks fit in 28 bits.
pub(crate) const MOST_CELLS: u64 = 1 << 28;

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
pub(crate) fn look_up(row: &[u32], rank: u32) -> Option<u32> {
    let key = rank << 4 | 15;
    let after = row.partition_point(|&record| record <= key);
    row.get(after.wrapping_sub(1)).map(|record| record & 15)
}

/// Is this the row of a source with these legal moves in a component with these ranks?
pub(crate) fn is_valid(row: &[u32], component: std::ops::Range<u32>, legal: Directions) -> bool {
    if component.len() < 2 {
        return row.is_empty();
    }
    let symbols_are_legal = row.iter().all(|&record| {
        let symbol = record & 15;
        symbol == SYMBOL || symbol < 8 && legal.contains(Direction::from_number(symbol as u8))
    });
    symbols_are_legal
        && row.first().is_some_and(|&r| r >> 4 == component.start)
        && row.last().is_some_and(|&r| r >> 4 < component.end)
        && row.windows(2).all(|w| w[0] >> 4 < w[1] >> 4)
}
