//! Units of a crowd: their ids, goals, events and what can be seen of them.

use super::super::Transform;
use crate::crowd::{Hindrance, Status, Tick, WalkerId, WalkerView};
use crate::grid::{Direction, Point};
use crate::index::IndexKind;
use crate::index::slot::Published;

/// Bits of an id's number that say which unit the type has; those above them say the type.
const PLACE_BITS: u32 = 24;
/// Units of one type that a crowd can hold.
pub(super) const MAX_UNITS: usize = 1 << PLACE_BITS;
/// Types of units that a crowd can hold.
pub(super) const MAX_SQUADS: usize = 1 << (32 - PLACE_BITS);

/// Names a unit of a crowd; never names another one of it, also after the unit was removed. Units of the type that the crowd was made for come
/// first, then those of the types that were spawned after it. Other crowds give the same ids to units of their own, and a crowd that goes back to
/// a snapshot gives those again that it has given since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId {
    /// Which type of the crowd.
    pub(super) squad: u8,
    pub(super) walker: WalkerId,
}

impl UnitId {
    /// The id as one number, for bindings and files.
    pub const fn to_bits(self) -> u64 {
        self.walker.to_bits() | (self.squad as u64) << PLACE_BITS
    }

    /// The id that [`UnitId::to_bits`] made a number of; any other number names no unit.
    pub const fn from_bits(bits: u64) -> UnitId {
        let squad_bits = (MAX_SQUADS as u64 - 1) << PLACE_BITS;
        UnitId {
            squad: ((bits & squad_bits) >> PLACE_BITS) as u8,
            walker: WalkerId::from_bits(bits & !squad_bits),
        }
    }
}

/// What happened to a unit or to the world in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It stands on its goal, or on a cell of it.
    Arrived(UnitId),
    /// There is no way to its goal, or to any cell of it; the nearest cell that it can reach, if any. Where many units are cut off at once, some of them
    /// are told of in later ticks.
    Unreachable(UnitId, Option<Point>),
    /// There is a way to its goal, but other units are in it and cannot all have theirs, and why that is so. It makes way for them, and tries again when
    /// the crowd has got other orders or the map has changed; told once for each goal. (Units in its way for a while are no event: it waits or goes
    /// round.)
    Stuck(UnitId, Hindrance),
    /// Its cell has become a wall: it stands still until that is opened.
    Blocked(UnitId),
    /// Its cell is free again.
    Freed(UnitId),
    /// A repaired or rebuilt index serves from now on.
    IndexRenewed {
        /// Its kind.
        kind: IndexKind,
        /// Whether it came after the tick that it was due at.
        late: bool,
    },
}

impl Event {
    pub(super) fn renewed(Published { kind, late }: Published) -> Event {
        Event::IndexRenewed { kind, late }
    }
}

/// What a tick did.
#[derive(Clone, Copy, Debug)]
pub struct TickReport<'a> {
    pub(super) events: &'a [Event],
    /// Counts: moves, arrivals, plans, waits, operations.
    pub counts: Tick,
}

impl<'a> TickReport<'a> {
    /// What happened, units in the order of their ids.
    pub fn events(&self) -> impl Iterator<Item = Event> + 'a {
        self.events.iter().copied()
    }

    /// The same in a list of their own, for those who send units while they look at it.
    pub fn into_events(self) -> Vec<Event> {
        self.events.to_vec()
    }
}

/// A unit as it is after the last tick.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub(super) squad: u8,
    pub(super) view: WalkerView,
    pub(super) transform: Transform,
    /// Cells along a side of it.
    pub(super) size: u32,
}

impl Unit {
    /// Its id.
    pub fn id(&self) -> UnitId {
        UnitId {
            squad: self.squad,
            walker: self.view.id,
        }
    }

    /// The cell that it stands in.
    pub fn position(&self) -> Point {
        self.view.at
    }

    /// The cell that the step led from that it has made in the last tick, or is still at; its own where it stands.
    pub fn previous(&self) -> Point {
        self.view.previous
    }

    /// Cells along a side of it; its position is the top left one.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Whether both share a cell, or at most this many columns and rows lie between a cell of each.
    pub fn is_near(&self, other: &Unit, cells: u32) -> bool {
        let apart = |a: u32, size: u32, b: u32, other: u32| {
            let (first, width, second) = if a <= b { (a, size, b) } else { (b, other, a) };
            second.saturating_sub(first + width - 1)
        };
        let (a, b) = (self.position(), other.position());
        apart(a.x, self.size, b.x, other.size) <= cells
            && apart(a.y, self.size, b.y, other.size) <= cells
    }

    /// Where its middle is in the game's coordinates, `part` of the way from the last tick to this one. A step that takes several ticks
    /// ([`Crowd::set_pace`](super::Crowd::set_pace)) is spread over them; a unit that stands is where it stands.
    pub fn position_between(&self, part: f32) -> [f32; 2] {
        let (ticks, over) = self.view.step_ticks;
        let part = (over as f32 + part) / ticks as f32;
        let corner = self
            .transform
            .between(self.view.previous, self.view.at, part);
        let half = (self.size - 1) as f32 / 2.0;
        [0, 1].map(|i| corner[i] + half * self.transform.cell[i])
    }

    /// The direction of the step that it has made in the last tick, or is still at; `None` where it stands.
    pub fn heading(&self) -> Option<Direction> {
        let (from, to) = (self.view.previous, self.view.at);
        Direction::of_step(to.x as i32 - from.x as i32, to.y as i32 - from.y as i32)
    }

    /// What it is doing. Of a unit seen among all, the cell nearest to a goal that it cannot reach is not looked for:
    /// [`Crowd::unit`](super::Crowd::unit) and [`Event::Unreachable`] have it.
    pub fn status(&self) -> Status {
        self.view.status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers_and_back() {
        for (squad, slot, generation) in [(0, 0, 0), (255, (1 << 24) - 1, u32::MAX), (3, 70_000, 9)]
        {
            let walker = WalkerId::from_bits(u64::from(generation) << 32 | slot);
            let id = UnitId { squad, walker };
            assert_eq!(UnitId::from_bits(id.to_bits()), id);
        }
    }
}
