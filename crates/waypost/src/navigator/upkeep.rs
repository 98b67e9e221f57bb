//! For games with threads and frames of their own: whether a tick would wait, how much a crowd may spend, unit types that are
//! built beside the game, and what a wall would cut off.

use super::units::Profile;
use super::{BuildOptions, Crowd, Error, Navigator, UnitType};
use crate::grid::{GridPatch, Point};
use crate::map::Map;
use std::sync::{Arc, PoisonError};

/// Builds the index of a unit type on any thread, for the map as it was when the job was made.
pub struct UnitTypeJob {
    unit: UnitType,
    map: Map,
    options: BuildOptions,
}

/// A unit type with its index, to be added with [`Navigator::add_built_unit_type`].
pub struct BuiltUnitType {
    profile: Arc<Profile>,
    /// The map that it was built for.
    fingerprint: u64,
}

impl UnitTypeJob {
    /// Builds.
    pub fn run(self) -> Result<BuiltUnitType, Error> {
        Ok(BuiltUnitType {
            profile: Profile::build(&self.map, self.unit, &self.options)?,
            fingerprint: self.map.fingerprint(),
        })
    }
}

impl Navigator {
    /// [`Navigator::add_unit_type`] in two parts, so that nobody waits for the index: the job is run on any thread, and what it
    /// gives is added by [`Navigator::add_built_unit_type`].
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y / 4 == 2)?)?;
    /// let job = nav.unit_type_job(UnitType::new("tank").size(2));
    /// let thread = std::thread::spawn(|| job.run());
    /// nav.patch(Patch::new().block((20, 9))); // the game goes on
    /// let built = thread.join().expect("no panic")?;
    /// let tank = nav.add_built_unit_type(built)?.expect("few changes since");
    /// assert!(tank.path((3, 4), (35, 28)).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn unit_type_job(&self, unit: UnitType) -> UnitTypeJob {
        let first = self.profiles()[0].clone();
        let map = first.world().map().clone();
        UnitTypeJob {
            unit,
            map,
            options: self.shared.options.clone(),
        }
    }

    /// Adds a unit type that was built beside the game, with the changes that were made since; `None` where these were so many
    /// that it has to be built again. The world must not be patched from another thread meanwhile.
    pub fn add_built_unit_type(&self, built: BuiltUnitType) -> Result<Option<Navigator>, Error> {
        let first = self.profiles()[0].clone();
        {
            let map = first.world().map();
            let Some(changes) = map.changes_since(built.fingerprint) else {
                return Ok(None);
            };
            let patch = changes.to_patch(map.grid());
            built.profile.follow(&map, &patch, &changes);
        }
        let name = built.profile.unit().name().to_string();
        let profiles = self.shared.profiles.write();
        let mut profiles = profiles.unwrap_or_else(PoisonError::into_inner);
        match profiles.iter_mut().find(|p| p.unit().name() == name) {
            Some(known) => *known = built.profile,
            None => profiles.push(built.profile),
        }
        drop(profiles);
        self.for_unit(&name).map(Some)
    }

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
    pub fn stays_connected(&self, patch: &GridPatch, ends: &[(Point, Point)]) -> bool {
        let first = self.profiles()[0].clone();
        let mut map = first.world().map().clone();
        let changes = map.apply(patch);
        if !Arc::ptr_eq(&first, &self.profile) {
            let Ok(other) = self.profile.fork() else {
                return false;
            };
            other.follow(&map, patch, &changes);
            map = other.world().map().clone();
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
