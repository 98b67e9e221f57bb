//! The world of a map that is ready: crowds, one for each type of walkers.

mod squad;

pub(crate) use squad::{Seen, Squad, place};

use crate::GridTransform;
use crate::background::Workers;
use crate::covers::Covers;
use crate::options::MapOptions;
use crate::step::{Home, Step};
use crate::walker::{NavProfile, Walker};
use bevy_ecs::entity::Entity;
use bevy_math::UVec2;
use bevy_tasks::{Task, futures::check_ready};
use std::sync::atomic::{AtomicU32, Ordering};
use waypost::Error;
use waypost::crowd::Tick;
use waypost::navigator::{BuiltUnitType, Goal, Navigator, UnitId, UnitType};
use waypost::prelude::{IndexState, Patch, Point};
use waypost::progress::NoProgress;

/// Cells of a tick that are looked at for walkers whose own cell is taken.
const MAX_TRIES: u32 = 2_048;

/// Counts the worlds that there have been, those of other maps too: one that takes the place of another is never mistaken for it.
static WORLDS: AtomicU32 = AtomicU32::new(0);

/// A world and everybody in it.
pub(crate) struct Live {
    pub nav: Navigator,
    pub squads: Vec<Squad>,
    pub covers: Covers,
    pub ticks: u64,
    /// Whether the last tick was made.
    pub has_ticked: bool,
    /// Where its cells lie, as far as walkers have gone there.
    pub grid: GridTransform,
    /// What the crowds did in the last tick.
    pub counts: Tick,
    /// Tells this world from all others.
    pub generation: u32,
    /// Counts the patches that have changed its cells.
    pub changes: u32,
    /// Cells that may still be looked at in this tick for walkers whose own cell is taken.
    tries: u32,
    options: MapOptions,
    /// Types of walkers whose index is being built.
    coming: Vec<(NavProfile, Coming)>,
    /// Types that cannot be built, lest it is tried again and again.
    refused: Vec<(NavProfile, String)>,
}

/// How far a type of walkers is.
enum Coming {
    Index(Task<Result<BuiltUnitType, Error>>),
    Squad(Task<Result<Squad, Error>>),
}

impl Live {
    /// A world with a crowd for each type of walkers.
    pub fn new(nav: Navigator, options: &MapOptions) -> Result<Live, Error> {
        let types = nav.unit_types();
        let squad = |unit: &UnitType| Squad::new(nav.for_unit(unit.name())?, options);
        Ok(Live {
            squads: types.iter().map(squad).collect::<Result<_, _>>()?,
            covers: Covers::default(),
            ticks: 0,
            has_ticked: false,
            grid: GridTransform::default(),
            counts: Tick::default(),
            generation: WORLDS.fetch_add(1, Ordering::Relaxed).wrapping_add(1),
            changes: 0,
            tries: 0,
            options: options.clone(),
            coming: Vec::new(),
            refused: Vec::new(),
            nav,
        })
    }

    pub fn walkers(&self) -> usize {
        self.squads.iter().map(|squad| squad.crowd().len()).sum()
    }

    /// Whether every index is of the map as it is and no type of walkers is on its way.
    pub fn is_current(&self) -> bool {
        let states = self.nav.index_states();
        let current = states.iter().all(|(_, _, s)| *s == IndexState::Current);
        current && self.coming.is_empty()
    }

    /// Whether the index of some type of walkers is being built for the first time.
    pub fn awaits_profile(&self) -> bool {
        !self.coming.is_empty()
    }

    /// The number of the squad for a profile; where there is none yet, it is begun: `Ok(None)`.
    pub fn squad_for(
        &mut self,
        profile: Option<&NavProfile>,
        workers: &Workers,
    ) -> Result<Option<u32>, String> {
        let Some(profile) = profile else {
            return Ok(Some(0));
        };
        let unit = profile.unit_type().map_err(|error| error.to_string())?;
        let known = self
            .squads
            .iter()
            .position(|s| s.unit.name() == unit.name());
        if let Some(number) = known {
            return match self.squads[number].unit == unit {
                true => Ok(Some(number as u32)),
                false => Err(format!(
                    "a profile `{}` of another size or ground is on this map; give them different names",
                    profile.name
                )),
            };
        }
        if let Some((_, reason)) = self.refused.iter().find(|(known, _)| known == profile) {
            return Err(reason.clone());
        }
        if !self.coming.iter().any(|(known, _)| known == profile) {
            let job = self.nav.unit_type_job(unit);
            let task = workers.spawn(move || job.run());
            self.coming.push((profile.clone(), Coming::Index(task)));
        }
        Ok(None)
    }

    /// Goes on with the types of walkers that are on their way.
    pub fn advance_profiles(&mut self, workers: &Workers) {
        let mut coming = std::mem::take(&mut self.coming);
        coming.retain_mut(
            |(profile, state)| match self.advance_profile(state, workers) {
                Ok(goes_on) => goes_on,
                Err(error) => {
                    self.refused.push((profile.clone(), error.to_string()));
                    false
                }
            },
        );
        self.coming = coming;
    }

    fn advance_profile(&mut self, state: &mut Coming, workers: &Workers) -> Result<bool, Error> {
        match state {
            Coming::Index(task) => {
                let Some(built) = check_ready(task) else {
                    return Ok(true);
                };
                let nav = self.nav.add_built_unit_type(built?)?;
                let options = self.options.clone();
                *state = Coming::Squad(workers.spawn(move || Squad::new(nav, &options)));
                Ok(true)
            }
            Coming::Squad(task) => {
                let Some(squad) = check_ready(task) else {
                    return Ok(true);
                };
                self.squads.push(squad?);
                Ok(false)
            }
        }
    }

    /// Whether a walker is of the type that a profile says.
    pub fn is_of_type(&self, home: Home, profile: Option<&NavProfile>) -> bool {
        let squad = self.squads.get(home.squad as usize);
        match profile {
            None => home.squad == 0,
            Some(profile) => profile
                .unit_type()
                .is_ok_and(|unit| squad.is_some_and(|squad| squad.unit == unit)),
        }
    }

    /// A tick begins in which walkers may join.
    pub fn begin_joining(&mut self) {
        self.tries = MAX_TRIES;
        for squad in &mut self.squads {
            squad.rooms.begin(self.changes);
        }
    }

    /// Puts a walker on the map, as near as can be to where it wants to be; `None` where there is no room, or none has been found in this
    /// tick.
    pub fn join(&mut self, squad: u32, entity: Entity, wish: UVec2) -> Option<(UnitId, UVec2)> {
        self.squads[squad as usize].join(entity, wish, &mut self.tries)
    }

    /// Takes a walker off the map.
    pub fn leave(&mut self, home: Home) {
        if let Some(squad) = self.squads.get_mut(home.squad as usize) {
            // One that was removed already is gone for good.
            let _ = squad.crowd_mut().despawn(home.unit);
            if let Some(known) = squad.known.get_mut(place(home.unit)) {
                known.entity = None;
            }
        }
    }

    pub fn send(&mut self, home: Home, goal: Goal) -> Result<(), Error> {
        let squad = &mut self.squads[home.squad as usize];
        if let Some(seen) = squad.seen.get_mut(place(home.unit)) {
            seen.waited = 0;
        }
        squad.crowd_mut().send(home.unit, goal)
    }

    /// Sends a walker as near to a place as it can get; whether that is the place.
    pub fn send_near(&mut self, home: Home, place: Point) -> Result<bool, Error> {
        let nearest = {
            let crowd = self.squads[home.squad as usize].crowd();
            let at = crowd.position(home.unit)?;
            crowd.navigator().nearest_reachable(at, place)
        };
        self.send(home, Goal::Cell(nearest.unwrap_or(place)))?;
        Ok(nearest == Some(place))
    }

    /// Changes cells; how many.
    pub fn patch(&mut self, patch: &Patch) -> usize {
        let changed = self.nav.patch(patch);
        self.changes = self.changes.wrapping_add(u32::from(changed > 0));
        changed
    }

    /// Cells on a side of a walker.
    #[cfg(feature = "gizmos")]
    pub fn size_of(&self, home: Home) -> u32 {
        let squad = self.squads.get(home.squad as usize);
        squad.map_or(1, |squad| squad.size)
    }

    pub fn stop(&mut self, home: Home) {
        // A walker that is not there has nothing to stop.
        let _ = self.squads[home.squad as usize].crowd_mut().stop(home.unit);
    }

    /// Tells the crowd a walker's pace and whether it holds its ground.
    pub fn set_gait(&mut self, home: Home, walker: &Walker, step: &mut Step) {
        let crowd = self.squads[home.squad as usize].crowd_mut();
        step.gait = walker.gait();
        let (pace, holds) = step.gait;
        // A walker that is not there has no pace.
        let _ = crowd.set_pace(home.unit, u32::from(pace));
        let _ = crowd.hold(home.unit, holds);
    }

    /// The way that a walker is going to go; empty where it is not of this world.
    pub fn path_ahead(&self, home: Home) -> Vec<UVec2> {
        let squad = self.squads.get(home.squad as usize);
        let squad = squad.filter(|_| home.world == self.generation);
        let path = squad.map(|squad| squad.crowd().path_ahead(home.unit));
        let path = path.and_then(Result::ok).unwrap_or_default();
        path.iter().map(|p| UVec2::new(p.x, p.y)).collect()
    }

    /// Everybody who is on the map and where, squad by squad.
    pub fn everybody(&self) -> impl Iterator<Item = (Entity, UVec2)> + '_ {
        let squads = self.squads.iter();
        squads.flat_map(|squad| {
            let units = squad.known.iter().zip(&squad.seen);
            units.filter_map(|(known, seen)| Some((known.entity?, seen.cell)))
        })
    }

    /// Walkers that wait for a plan.
    pub fn planning(&self) -> usize {
        self.squads
            .iter()
            .map(|squad| squad.crowd().planning())
            .sum()
    }

    /// Whether a tick would wait for an index.
    pub fn would_wait(&self, operations: u64) -> bool {
        let mut squads = self.squads.iter();
        squads.any(|squad| squad.nav.would_wait(operations))
    }

    /// Builds stale indexes again, beside the game.
    pub fn renew_indexes(&self, workers: &Workers) {
        for job in self.nav.rebuild_jobs() {
            workers.spawn(move || job.run(&NoProgress)).detach();
        }
    }
}
