//! What followers ask for the next piece of their way: one [`Guide`] for all of a world.

use super::trail::Trail;
use super::{Context, Meter};
use crate::grid::Cell;
use crate::map::Map;
use std::any::Any;
use std::sync::Arc;

/// How a plan came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The trail holds the next piece of the way.
    Way,
    /// The trail holds one that was right a little earlier, on a map that changes faster than the guide can follow: it may be blocked,
    /// and need not be shortest.
    OldWay,
    /// Not yet: ask again with the next move.
    Later,
    /// The guide knows no way.
    Nothing,
}

/// How much a guide may do at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// All that the plan takes: walkers of a crowd plan in turns, under a budget of the crowd.
    Whole,
    /// No more than a move may take ([`Guide::bound`]): the rest with the next moves.
    Slice,
}

/// What a guide has kept of the way of one follower, to go on where the trail ends: numbers that mean something to that guide alone, all 0 where
/// there is nothing. The follower drops it when the map has changed and when its trail ends elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carry {
    /// Where it goes on.
    pub numbers: [u32; 2],
    /// What the numbers mean; 0 where nothing is kept.
    pub kind: u8,
}

/// What a follower asks its guide for.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Where the piece begins.
    pub from: Cell,
    /// Where the way ends.
    pub goal: Cell,
    /// What the guide has noted down about this follower; 0 for a new goal or a cell that no plan led to.
    pub note: u32,
    /// What it has kept of the way since the last piece.
    pub carry: Carry,
    /// Pieces that were found one after the other since the note was 0. A guide whose index may go in circles counts on it.
    pub pieces: u32,
    /// How much may be done now.
    pub effort: Effort,
}

/// What a guide keeps between plans beside the map and its indexes.
#[derive(Clone, Default)]
pub struct Memo {
    /// Enough to go on from here, also elsewhere.
    pub bytes: Vec<u8>,
    /// What need not be made again within the process.
    pub shared: Option<Arc<dyn Any + Send + Sync>>,
}

/// Plans for all followers of a world.
pub trait Guide: Send + Sync {
    /// Puts the next piece of way from `ask.from` behind what the trail holds.
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found;

    /// Brings what it plans with in step with the map, for about this many operations; whether all is in step. Crowds call this
    /// once a tick, so that planning itself never has to.
    fn follow(&self, map: &Map, operations: u64) -> bool {
        let _ = (map, operations);
        true
    }

    /// What it keeps between plans.
    fn memo(&self) -> Memo {
        Memo::default()
    }

    /// Goes on from a memo, on the map and with the indexes that it was made with; `None` where it is none of this guide's.
    fn recall(&self, map: &Map, memo: &Memo) -> Option<()> {
        let _ = map;
        memo.bytes.is_empty().then_some(())
    }

    /// Reserves the memory that plans of this effort use; about how many runs a path has at most.
    fn prepare(&self, context: &mut Context<Map>, effort: Effort) -> usize {
        let _ = (context, effort);
        0
    }

    /// Whether its paths are shortest. Then runs from before cells opened are in doubt: they may not be so any more.
    fn is_exact(&self) -> bool {
        false
    }

    /// Whether what it knows is of the map as it is, so that its paths from here on are shortest at once.
    fn is_current(&self, map: &Map) -> bool {
        let _ = map;
        false
    }

    /// Whether it can plan on the map as it is, or has to bring something in step before.
    fn is_ready(&self, map: &Map) -> bool {
        let _ = map;
        true
    }

    /// The most work of one call of [`Guide::plan`] on the map as it is; `None` where there is no bound.
    fn bound(&self, map: &Map, effort: Effort) -> Option<Bound>;
}

/// The most that may be done at once, counted and weighted ([`Meter::weighted`]): the two may come from different kinds of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// Operations.
    pub operations: u64,
    /// Weighted operations.
    pub weighted: u64,
}

impl Bound {
    /// All of this.
    pub const fn of(work: Meter) -> Bound {
        Bound {
            operations: work.operations(),
            weighted: work.weighted(),
        }
    }

    /// One or the other.
    pub fn or(self, other: Bound) -> Bound {
        Bound {
            operations: self.operations.max(other.operations),
            weighted: self.weighted.max(other.weighted),
        }
    }

    /// One after the other.
    pub fn then(self, other: Bound) -> Bound {
        Bound {
            operations: self.operations.saturating_add(other.operations),
            weighted: self.weighted.saturating_add(other.weighted),
        }
    }
}
