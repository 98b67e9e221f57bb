//! Units: what they are sent to, what they do, what happened to them.

use crate::border::{Failure, failure};
use crate::types::{waypost_point, waypost_status};
use waypost::crowd::Status;
use waypost::navigator::{Event, Goal, Unit, UnitId};

/// Names a unit of a crowd; never names another one, also after the unit was removed. Never 0.
pub type waypost_unit_id = u64;

/// The number of a unit.
pub(crate) fn id_of(unit: UnitId) -> waypost_unit_id {
    unit.to_bits().wrapping_add(1)
}

/// The unit of a number; numbers that `id_of` never gave name no unit.
pub(crate) fn unit_of(id: waypost_unit_id) -> UnitId {
    UnitId::from_bits(id.wrapping_sub(1))
}

/// Kinds of goals.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_goal_kind {
    /// The cell `at`.
    WAYPOST_GOAL_CELL = 0,
    /// Any cell of the rectangle from `at`, `width` columns and `height` rows.
    WAYPOST_GOAL_AREA = 1,
    /// Any cell at most `width` cells from `at`.
    WAYPOST_GOAL_WITHIN = 2,
    /// Wherever `unit` is.
    WAYPOST_GOAL_UNIT = 3,
}

/// How a group stands when it has arrived.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_formation {
    /// As near to the place as possible.
    WAYPOST_FORMATION_CLOSE = 0,
    /// As it stands now, moved, where those cells are free.
    WAYPOST_FORMATION_KEPT = 1,
}

/// Where a unit is sent. Filled with zeros but for `at` it is a cell.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_goal {
    /// One of `waypost_goal_kind`.
    pub kind: u32,
    /// A cell.
    pub at: waypost_point,
    /// Columns, or cells away.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Another unit.
    pub unit: waypost_unit_id,
}

impl waypost_goal {
    pub(crate) fn read(&self) -> Result<Goal, Failure> {
        let at = self.at.into();
        Ok(match self.kind {
            0 => Goal::Cell(at),
            1 if self.width == 0 || self.height == 0 => {
                return Err(failure(
                    waypost_status::WAYPOST_BAD_VALUE,
                    "an area without cells; `goal.width` and `goal.height` are 1 or more",
                ));
            }
            1 => Goal::Area(at, (self.width, self.height)),
            2 => Goal::Within(at, self.width),
            3 => Goal::Unit(unit_of(self.unit)),
            other => {
                return Err(failure(
                    waypost_status::WAYPOST_BAD_VALUE,
                    format!("`goal.kind` is {other}; give 0 to 3"),
                ));
            }
        })
    }
}

/// What happened.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_event_kind {
    /// The unit stands on its goal.
    WAYPOST_EVENT_ARRIVED = 0,
    /// There is no way to the unit's goal; `nearest` is the nearest cell that it can reach where `has_nearest` is not 0.
    WAYPOST_EVENT_UNREACHABLE = 1,
    /// The unit's cell has become a wall.
    WAYPOST_EVENT_BLOCKED = 2,
    /// The unit's cell is free again.
    WAYPOST_EVENT_FREED = 3,
    /// A repaired or rebuilt index serves from now on; `late` where it came after the tick that it was due at.
    WAYPOST_EVENT_INDEX_RENEWED = 4,
    /// Other units are in the unit's way and cannot all have their goals; `why` says more.
    WAYPOST_EVENT_STUCK = 5,
}

/// What happened to a unit or to the world in a tick.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct waypost_event {
    /// What.
    pub kind: waypost_event_kind,
    /// Whether `nearest` is set.
    pub has_nearest: u32,
    /// To which unit; 0 where the event is of the world.
    pub unit: waypost_unit_id,
    /// The nearest cell that it can reach.
    pub nearest: waypost_point,
    /// Not 0 where an index came late.
    pub late: u32,
    /// The kind of the index, as in `waypost_index_info`.
    pub index_kind: u32,
    /// Why a unit is stuck: 0 where units that hold their ground, or stand in walls, close every way; 1 where units cannot pass each other; 2 where
    /// another unit has the same goal.
    pub why: u32,
    /// Nothing.
    pub reserved: u32,
}

impl From<Event> for waypost_event {
    fn from(event: Event) -> waypost_event {
        use waypost_event_kind::*;
        let plain = |kind, unit: waypost_unit_id| waypost_event {
            kind,
            has_nearest: 0,
            unit,
            nearest: waypost_point::default(),
            late: 0,
            index_kind: 0,
            why: 0,
            reserved: 0,
        };
        match event {
            Event::Arrived(unit) => plain(WAYPOST_EVENT_ARRIVED, id_of(unit)),
            Event::Blocked(unit) => plain(WAYPOST_EVENT_BLOCKED, id_of(unit)),
            Event::Freed(unit) => plain(WAYPOST_EVENT_FREED, id_of(unit)),
            Event::Stuck(unit, why) => waypost_event {
                why: why as u32,
                ..plain(WAYPOST_EVENT_STUCK, id_of(unit))
            },
            Event::Unreachable(unit, nearest) => waypost_event {
                has_nearest: u32::from(nearest.is_some()),
                nearest: nearest.unwrap_or_default().into(),
                ..plain(WAYPOST_EVENT_UNREACHABLE, id_of(unit))
            },
            Event::IndexRenewed { kind, late } => waypost_event {
                late: u32::from(late),
                index_kind: kind as u32,
                ..plain(WAYPOST_EVENT_INDEX_RENEWED, 0)
            },
        }
    }
}

/// What a unit is doing.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_unit_status {
    /// It has no goal.
    WAYPOST_UNIT_IDLE = 0,
    /// It is on its way.
    WAYPOST_UNIT_MOVING = 1,
    /// It stands on its goal.
    WAYPOST_UNIT_ARRIVED = 2,
    /// There is no way to its goal.
    WAYPOST_UNIT_UNREACHABLE = 3,
    /// The cell that it stands in has become a wall.
    WAYPOST_UNIT_BLOCKED = 4,
    /// Its next cell is taken by another unit.
    WAYPOST_UNIT_WAITING = 5,
    /// It stands still, as it was told to, and keeps its goal.
    WAYPOST_UNIT_HOLDING = 6,
    /// Other units are in its way and cannot all have their goals: it makes way for them.
    WAYPOST_UNIT_STUCK = 7,
}

/// A unit as it is after the last tick.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct waypost_unit {
    /// Its id.
    pub id: waypost_unit_id,
    /// The cell that it stands in.
    pub at: waypost_point,
    /// The cell that its last step led from; its own where there was none.
    pub previous: waypost_point,
    /// What it is doing.
    pub status: waypost_unit_status,
    /// For how many ticks it has waited.
    pub waited: u32,
    /// Cells along a side of it; `at` is the top left one.
    pub cells: u32,
    /// Whether `nearest` is set: of a unit that cannot reach its goal, where it was asked for alone.
    pub has_nearest: u32,
    /// The cell nearest to that goal that it can reach.
    pub nearest: waypost_point,
    /// Why a unit is stuck, as in `waypost_event`.
    pub why: u32,
    /// Nothing.
    pub reserved: u32,
}

impl From<Unit> for waypost_unit {
    fn from(unit: Unit) -> waypost_unit {
        use waypost_unit_status::*;
        let (status, waited) = match unit.status() {
            Status::Idle => (WAYPOST_UNIT_IDLE, 0),
            Status::Moving => (WAYPOST_UNIT_MOVING, 0),
            Status::Arrived => (WAYPOST_UNIT_ARRIVED, 0),
            Status::Unreachable { .. } => (WAYPOST_UNIT_UNREACHABLE, 0),
            Status::Blocked => (WAYPOST_UNIT_BLOCKED, 0),
            Status::Waiting { ticks } => (WAYPOST_UNIT_WAITING, ticks),
            Status::Holding => (WAYPOST_UNIT_HOLDING, 0),
            Status::Stuck { .. } => (WAYPOST_UNIT_STUCK, 0),
        };
        let (nearest, why) = match unit.status() {
            Status::Unreachable { nearest } => (nearest, 0),
            Status::Stuck { why } => (None, why as u32),
            _ => (None, 0),
        };
        waypost_unit {
            id: id_of(unit.id()),
            at: unit.position().into(),
            previous: unit.previous().into(),
            status,
            waited,
            cells: unit.size(),
            has_nearest: u32::from(nearest.is_some()),
            nearest: nearest.unwrap_or_default().into(),
            why,
            reserved: 0,
        }
    }
}
