//! The walkers of one type: their crowd, who is who in it, and what the last tick made of them.

use crate::options::{MapOptions, crowd_options};
use crate::room::{Effort, Rooms};
use crate::space::point;
use crate::walker::WalkerStatus;
use bevy_ecs::entity::Entity;
use bevy_math::UVec2;
use std::sync::{Mutex, MutexGuard, PoisonError};
use waypost::Error;
use waypost::crowd::Tick;
use waypost::navigator::{Crowd, Event, Navigator, UnitId, UnitType};
use waypost::prelude::Status;

/// How far a walker that waits may step back, to let others pass, and still wait in the same place.
const MAX_STEP_BACK: u32 = 2;

/// The walkers of one type.
pub(crate) struct Squad {
    pub unit: UnitType,
    /// Cells on a side.
    pub size: u32,
    pub nav: Navigator,
    crowd: Mutex<Crowd>,
    /// By the place of a unit: who it is, and what is looked at in every tick.
    pub known: Vec<Known>,
    pub seen: Vec<Seen>,
    pub rooms: Rooms,
}

/// Who a unit is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub entity: Option<Entity>,
    /// Where it waits, if it does.
    waited_at: UVec2,
}

/// What the last tick made of a walker.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub cell: UVec2,
    pub status: WalkerStatus,
    /// Ticks that it has waited about there.
    pub waited: u32,
}

impl Seen {
    #[inline]
    fn note(&mut self, cell: UVec2, status: WalkerStatus, waited_at: &mut UVec2) {
        (self.cell, self.status) = (cell, status);
        let waits = status == WalkerStatus::Waiting;
        if !waits && self.waited == 0 {
            return;
        }
        let away = cell.max(*waited_at) - cell.min(*waited_at);
        let stays = away.max_element() <= MAX_STEP_BACK;
        match (waits, stays && self.waited > 0) {
            (true, true) => self.waited = self.waited.saturating_add(1),
            (true, false) => (self.waited, *waited_at) = (1, cell),
            (false, stays) if !stays || status != WalkerStatus::Moving => self.waited = 0,
            _ => {}
        }
    }
}

/// The place of a unit in its crowd.
pub(crate) fn place(unit: UnitId) -> usize {
    (unit.to_bits() & 0xff_ffff) as usize
}

impl Squad {
    pub fn new(nav: Navigator, options: &MapOptions) -> Result<Squad, Error> {
        let size = nav.unit_type().cells();
        Ok(Squad {
            unit: nav.unit_type().clone(),
            size,
            crowd: Mutex::new(nav.crowd(crowd_options(options, size))?),
            nav,
            known: Vec::new(),
            seen: Vec::new(),
            rooms: Rooms::default(),
        })
    }

    pub fn crowd(&self) -> MutexGuard<'_, Crowd> {
        self.crowd.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn crowd_mut(&mut self) -> &mut Crowd {
        self.crowd.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn entity(&self, unit: UnitId) -> Option<Entity> {
        self.known.get(place(unit))?.entity
    }

    pub fn join(
        &mut self,
        entity: Entity,
        wish: UVec2,
        effort: &mut Effort,
    ) -> Option<(UnitId, UVec2)> {
        let (unit, cell) = self.spawn_near(wish, effort)?;
        let place = place(unit);
        if self.known.len() <= place {
            self.known.resize(place + 1, Known::default());
            self.seen.resize(place + 1, Seen::default());
        }
        self.known[place] = Known {
            entity: Some(entity),
            waited_at: cell,
        };
        self.seen[place] = Seen {
            cell,
            status: WalkerStatus::Idle,
            ..Seen::default()
        };
        Some((unit, cell))
    }

    /// Spawns where it is wished, else at the nearest cell that is free, else around it, where there is a way to that cell.
    fn spawn_near(&mut self, wish: UVec2, effort: &mut Effort) -> Option<(UnitId, UVec2)> {
        let crowd = self.crowd.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Ok(unit) = crowd.spawn(point(wish)) {
            return Some((unit, wish));
        }
        if effort.cells == 0 {
            return None;
        }
        let map = self.nav.world().map();
        let wish = point(wish);
        let near = self.rooms.nearest_free(&map, wish, &mut effort.words)?;
        let is_free = |at| map.passable_cell(at).is_some();
        let (unit, at) = self
            .rooms
            .around(near, &mut effort.cells)
            .find(is_free, |at| crowd.spawn(at).ok())?;
        Some((unit, UVec2::new(at.x, at.y)))
    }

    /// Makes a tick under a budget, and notes what it made of everybody.
    pub fn tick(&mut self, plan_operations: u64, repair_operations: u64) -> Tick {
        let crowd = self.crowd.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (seen, known) = (&mut self.seen, &mut self.known);
        crowd.set_budget(plan_operations, repair_operations);
        let report = crowd.tick_and_visit(|unit| {
            let place = place(unit.id());
            if let (Some(seen), Some(known)) = (seen.get_mut(place), known.get_mut(place)) {
                let (at, status) = (unit.position(), status_of(unit.status()));
                seen.note(UVec2::new(at.x, at.y), status, &mut known.waited_at);
            }
        });
        let counts = report.counts;
        for event in report.events() {
            // Who has reached an area is told to stand, and would be idle.
            if let Event::Arrived(unit) = event
                && let Some(seen) = seen.get_mut(place(unit))
            {
                seen.status = WalkerStatus::Arrived;
            }
        }
        counts
    }
}

fn status_of(status: Status) -> WalkerStatus {
    match status {
        Status::Idle => WalkerStatus::Idle,
        Status::Moving => WalkerStatus::Moving,
        Status::Arrived => WalkerStatus::Arrived,
        Status::Unreachable { .. } => WalkerStatus::Unreachable,
        Status::Blocked => WalkerStatus::Blocked,
        Status::Holding => WalkerStatus::Holding,
        Status::Waiting { .. } => WalkerStatus::Waiting,
        Status::Stuck { .. } => WalkerStatus::Stuck,
    }
}
