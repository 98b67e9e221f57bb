//! Who makes no progress.

use crate::crowd::walker::{Flags, State, Walker};
use crate::grid::{Cell, Grid};
use crate::stream::{Reader, Writer};

/// Ticks between two looks at a walker.
pub const EVERY: u64 = 64;
/// A walker that is within so many steps of where it was has made no progress, if it moves with every tick.
const NEAR: u32 = 12;
/// So often in a row it has made none when something is done about it, if all that it can reach is a window of its own; and so often if it is not. In a
/// crowd that moves through a large map walkers stand in a throng for hundreds of ticks, and to stop all of them for a search does more harm than good: with
/// 3 for both, 3,000 walkers on brc202d reached 3.6% fewer goals.
const PATIENCE: u8 = 3;
const LONG_PATIENCE: u8 = 16;
/// How often something is tried at most, as far as is counted. One without a way is left alone for two to the power of half of this, in looks.
const MOST_TRIED: u8 = 12;

/// What is known of a walker's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crowd) struct Watch {
    /// Where it was when it last had made some.
    anchor: Cell,
    /// The orders that the crowd had got when it was found to have no way.
    orders: u32,
    /// Looks since then; of one without a way, looks until it tries again.
    looks: u8,
    /// How often something was tried for it since it made progress.
    level: u8,
}

/// What is to be done about a walker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crowd) enum Sample {
    Nothing,
    /// It is in a knot, the level of which is given; whether it has been for long.
    Knot(u8, bool),
    /// It had no way, and may have one now.
    TryAgain,
}

impl Watch {
    pub fn at(cell: Cell) -> Watch {
        Watch {
            anchor: cell,
            orders: 0,
            looks: 0,
            level: 0,
        }
    }

    /// It begins again to wait for progress.
    pub fn restart(&mut self, cell: Cell) {
        (self.anchor, self.looks) = (cell, 0);
    }

    /// Nothing can be done for it now: the next look is to find what this one found.
    pub fn put_off(&mut self) {
        self.looks -= 1;
    }

    /// Something is tried for it.
    pub fn tried(&mut self) {
        self.level = self.level.saturating_add(1).min(MOST_TRIED);
    }

    /// It has no way.
    pub fn has_no_way(&mut self, orders: u32) {
        self.tried();
        (self.orders, self.looks) = (orders, 1 << (self.level / 2));
    }

    /// Looks at it, every [`EVERY`] ticks.
    pub fn look(&mut self, grid: &Grid, walker: &Walker, orders: u32) -> Sample {
        // One that has come back to its goal in this tick may be pushed off it in every other.
        let is_settled = walker.state == State::Arrived && !walker.is(Flags::MOVED);
        match walker.state {
            State::Going | State::New | State::Arrived
                if !walker.is(Flags::HOLDS) && !is_settled =>
            {
                let near = (NEAR / walker.pace.ticks().0).max(1);
                let (dx, dy) = grid.point(self.anchor).distances(grid.point(walker.at));
                if dx.max(dy) > near {
                    *self = Watch::at(walker.at);
                } else {
                    self.looks = self.looks.saturating_add(1);
                }
                if self.looks == PATIENCE || self.looks >= LONG_PATIENCE {
                    return Sample::Knot(self.level, self.looks >= LONG_PATIENCE);
                }
            }
            State::Stuck(_) if self.orders != orders => {
                self.looks = self.looks.saturating_sub(1);
                if self.looks == 0 {
                    self.restart(walker.at);
                    return Sample::TryAgain;
                }
            }
            State::Stuck(_) => {}
            _ => self.restart(walker.at),
        }
        Sample::Nothing
    }

    pub fn save(&self, out: &mut Writer) {
        out.u32(self.anchor.0);
        out.u32(self.orders);
        out.u8(self.looks);
        out.u8(self.level);
    }

    pub fn load(id_bound: usize, from: &mut Reader) -> Option<Watch> {
        Some(Watch {
            anchor: from.cell(id_bound)?,
            orders: from.u32()?,
            looks: from.u8()?,
            level: from.u8()?.min(MOST_TRIED),
        })
    }
}
