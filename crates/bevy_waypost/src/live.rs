//! The world of a map that is ready: crowds, one for each type of walkers.

mod nearest;
mod profiles;
mod squad;

pub(crate) use nearest::Near;
pub(crate) use squad::{Seen, Squad, place};

use crate::GridTransform;
use crate::background::Workers;
use crate::covers::Covers;
use crate::options::MapOptions;
use crate::room::Effort;
use crate::space::point;
use crate::step::{Home, Step};
use crate::walker::{NavProfile, Walker};
use bevy_ecs::entity::Entity;
use bevy_math::UVec2;
use nearest::NearestCells;
use profiles::Coming;
use std::sync::atomic::{AtomicU32, Ordering};
use waypost::Error;
use waypost::crowd::{CrowdError, Tick};
use waypost::navigator::{Goal, Navigator, UnitId, UnitType};
use waypost::prelude::{IndexState, Patch, Point};
use waypost::progress::NoProgress;

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
    /// What this tick may still look at for walkers whose own cell is taken.
    effort: Effort,
    /// Where those go who follow somebody out of reach.
    nearest: NearestCells,
    options: MapOptions,
    /// Types of walkers whose index is being built.
    coming: Vec<(NavProfile, Coming)>,
    /// Types that cannot be built, lest it is tried again and again.
    refused: Vec<(NavProfile, String)>,
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
            effort: Effort::default(),
            nearest: NearestCells::default(),
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

    /// The squad of a walker; none where it is of another world.
    pub fn squad_of(&self, home: Home) -> Option<&Squad> {
        let squad = self.squads.get(home.squad as usize);
        squad.filter(|_| home.world == self.generation)
    }

    fn squad_of_mut(&mut self, home: Home) -> Option<&mut Squad> {
        let is_of_this = home.world == self.generation;
        let squad = self.squads.get_mut(home.squad as usize);
        squad.filter(|_| is_of_this)
    }

    /// A tick begins in which walkers may join.
    pub fn begin_joining(&mut self) {
        self.effort = Effort::of_a_tick();
        self.nearest.begin();
        for squad in &mut self.squads {
            squad.rooms.begin(self.changes);
        }
    }

    /// Puts a walker on the map, as near as can be to where it wants to be; `None` where there is no room, or none has been found in this
    /// tick.
    pub fn join(&mut self, squad: u32, entity: Entity, wish: UVec2) -> Option<(UnitId, UVec2)> {
        self.squads[squad as usize].join(entity, wish, &mut self.effort)
    }

    /// Takes a walker off the map.
    pub fn leave(&mut self, home: Home) {
        if let Some(squad) = self.squad_of_mut(home) {
            // One that was removed already is gone for good.
            let _ = squad.crowd_mut().despawn(home.unit);
            if let Some(known) = squad.known.get_mut(place(home.unit)) {
                known.entity = None;
            }
        }
    }

    pub fn send(&mut self, home: Home, goal: Goal) -> Result<(), Error> {
        let squad = self.squad_of_mut(home).ok_or(CrowdError::NoSuchWalker)?;
        if let Some(seen) = squad.seen.get_mut(place(home.unit)) {
            seen.waited = 0;
        }
        squad.crowd_mut().send(home.unit, goal)
    }

    /// The way to a place for a walker that goes as near to it as it can. A search for the nearest cell serves all who stand in the same part
    /// of the map, and a tick makes so many and no more.
    pub fn near(&mut self, home: Home, to: Point) -> Near {
        self.nearest.keep_up(self.changes);
        let squad = self.squads.get(home.squad as usize);
        let seen = squad.and_then(|squad| squad.seen.get(place(home.unit)));
        match squad.zip(seen) {
            Some((squad, seen)) => {
                let from = (home.squad, point(seen.cell));
                self.nearest.find(&squad.nav, from, to)
            }
            None => Near::Short(to),
        }
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
        self.squad_of(home).map_or(1, |squad| squad.size)
    }

    pub fn stop(&mut self, home: Home) {
        if let Some(squad) = self.squad_of_mut(home) {
            // A walker that is not there has nothing to stop.
            let _ = squad.crowd_mut().stop(home.unit);
        }
    }

    /// Tells the crowd a walker's pace and whether it holds its ground.
    pub fn set_gait(&mut self, home: Home, walker: &Walker, step: &mut Step) {
        let Some(squad) = self.squad_of_mut(home) else {
            return;
        };
        let crowd = squad.crowd_mut();
        step.gait = walker.gait();
        let (pace, holds) = step.gait;
        // A walker that is not there has no pace.
        let _ = crowd.set_pace(home.unit, u32::from(pace));
        let _ = crowd.hold(home.unit, holds);
    }

    /// The way that a walker is going to go; empty where it is not of this world.
    pub fn path_ahead(&self, home: Home) -> Vec<UVec2> {
        let path = self
            .squad_of(home)
            .map(|squad| squad.crowd().path_ahead(home.unit));
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
