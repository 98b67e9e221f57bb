//! For games with threads and frames of their own: whether a tick would wait, how much a crowd may spend, and what a wall would cut
//! off.

use super::{Crowd, Navigator};
use crate::grid::{GridPatch, Point};
use crate::map::Map;
use std::borrow::Borrow;
use std::sync::Arc;

impl Navigator {
    /// Whether a tick in lockstep with this many operations of upkeep would wait for an index that is due and not there yet. A
    /// game that must not stand still asks before, and ticks later.
    pub fn would_wait(&self, operations: u64) -> bool {
        let indexes = self.world().indexes();
        indexes.slots().any(|slot| slot.would_wait(operations))
    }

    /// Whether every one of these pairs of points would still have a way between them after a patch. Nothing is changed; takes
    /// about as long as a copy of the map, for types of units other than the first several.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y / 2 == 3)?)?;
    /// let ends = [((3, 4).into(), (35, 28).into())];
    /// assert!(nav.stays_connected(Patch::new().block((20, 6)), &ends));
    /// assert!(!nav.stays_connected(Patch::new().block_rect((20, 6), (1, 2)), &ends));
    /// # Ok(())
    /// # }
    /// ```
    pub fn stays_connected(&self, patch: impl Borrow<GridPatch>, ends: &[(Point, Point)]) -> bool {
        let patch = patch.borrow();
        let mut dams = self.shared.hold().clone();
        let first = self.profiles()[0].clone();
        let mut map = Map::clone(&first.world().map());
        dams.note(&map, patch);
        let changes = map.apply(patch);
        if !Arc::ptr_eq(&first, &self.profile) {
            map = self.profile.map_after(&map, &dams, patch, &changes);
        }
        ends.iter().all(|&(from, goal)| {
            let cells = map.passable_cell(from).zip(map.passable_cell(goal));
            cells.is_some_and(|(from, goal)| map.components().connected(from, goal))
        })
    }
}

impl Crowd {
    /// Sets what a tick may spend from now on: operations of plans, and of repairs and rebuilds, for each type of unit.
    pub fn set_budget(&mut self, plan_operations: u64, repair_operations: u64) {
        self.options.plan_operations = plan_operations;
        self.options.repair_operations = repair_operations;
        for squad in &mut self.squads {
            squad.inner.set_budget(plan_operations, repair_operations);
        }
    }

    /// The most weighted operations ([`Meter::weighted`](crate::agent::Meter::weighted), about nanoseconds) that the move of one
    /// unit takes on the map as it is, its plan included; `None` where the method has no bound, or nobody is there.
    pub fn unit_bound(&self) -> Option<u64> {
        let there = self.squads.iter().filter(|squad| !squad.inner.is_empty());
        let mut bounds = there.map(|squad| squad.inner.walker_bound());
        let first = bounds.next()??;
        bounds.try_fold(first, |most, bound| Some(most.max(bound?)))
    }

    /// How many units wait for a plan.
    pub fn planning(&self) -> usize {
        self.squads.iter().map(|squad| squad.inner.planning()).sum()
    }
}
