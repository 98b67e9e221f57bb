//! Crowds of agents whose kind is known only at run time.

use super::{Crowd, CrowdError, CrowdMemory, Options, Status, Tick, WalkerId};
use crate::agent::Agent;
use crate::grid::{ChangeSet, GridPatch, Point};
use crate::index::repair::{Standing, Upkeep};
use crate::index::{Index, IndexKind, Indexes};
use crate::map::Map;
use std::sync::{Arc, Mutex, PoisonError};

/// A [`Crowd`] of any kind of agents, as [`crate::spec::AgentSpec::crowd`] makes it: agents are laid out by their own type,
/// and the crowd makes them itself.
pub trait AnyCrowd: Send {
    /// Puts a walker on the map.
    fn add(&mut self, at: Point) -> Result<WalkerId, CrowdError>;
    /// As [`Crowd::reserve`].
    fn reserve(&mut self, walkers: usize);
    /// Takes a walker off the map.
    fn remove(&mut self, id: WalkerId) -> Result<(), CrowdError>;
    /// As [`Crowd::send`].
    fn send(&mut self, id: WalkerId, goal: Point) -> Result<(), CrowdError>;
    /// As [`Crowd::follow`].
    fn follow(&mut self, id: WalkerId, leader: WalkerId) -> Result<(), CrowdError>;
    /// As [`Crowd::halt`].
    fn halt(&mut self, id: WalkerId) -> Result<(), CrowdError>;
    /// As [`Crowd::position`].
    fn position(&self, id: WalkerId) -> Result<Point, CrowdError>;
    /// As [`Crowd::status`].
    fn status(&self, id: WalkerId) -> Result<Status, CrowdError>;
    /// As [`Crowd::patch`].
    fn patch(&mut self, patch: &GridPatch) -> ChangeSet;
    /// Sees to these indexes from now on: repairs them after patches, a slice a tick.
    fn keep(&mut self, upkeep: Upkeep);
    /// How the indexes stand that are seen to.
    fn standings(&self) -> Vec<(IndexKind, Standing)>;
    /// Gives all agents another index, built for the map as it is, in the place of the one of its kind that they use. Walkers
    /// that are under way plan with it in turn. An index of a kind that they do not use changes nothing.
    fn replace_index(&mut self, index: &Arc<dyn Index>);
    /// As [`Crowd::tick`].
    fn tick(&mut self) -> Tick;
    /// As [`Crowd::map`].
    fn map(&self) -> &Map;
    /// As [`Crowd::len`].
    fn len(&self) -> usize;
    /// As [`Crowd::is_empty`].
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// As [`Crowd::memory`].
    fn memory(&self) -> CrowdMemory;
}

/// A crowd as a factory of agents makes it: `None` where there is no better layout than a box for each, or why it cannot be made.
pub type MadeCrowd = Result<Option<Box<dyn AnyCrowd>>, String>;

/// What is told of a patch, with the map as it is after it.
type Told = dyn FnMut(&Map, &ChangeSet) + Send;

/// Carries the repair of what walkers share on for so many operations. Is it ready to plan with?
type Mend = dyn FnMut(&Map, u64) -> bool + Send;

/// What is told of an index that takes another's place.
type Renewed = dyn FnMut(&Arc<dyn Index>) + Send;

/// A crowd and what makes its agents.
pub(crate) struct Squad<A, F> {
    crowd: Crowd<A>,
    recruit: F,
    upkeep: Upkeep,
    /// Told of every patch.
    told: Option<Box<Told>>,
    /// Asked in every tick after a patch until it is ready. Nobody plans before.
    mend: Option<Box<Mend>>,
    is_mended: bool,
    /// Told of every index that is replaced; agents are then made anew with it.
    renewed: Option<Box<Renewed>>,
    repair_operations: u64,
}

impl<A, F> Squad<A, F>
where
    A: Agent<Map> + 'static,
    F: FnMut(&Map) -> Result<A, String> + Send + 'static,
{
    /// An empty crowd.
    pub fn new(map: Map, options: Options, recruit: F) -> Squad<A, F> {
        Squad {
            crowd: Crowd::new(map, options),
            recruit,
            upkeep: Upkeep::default(),
            told: None,
            mend: None,
            is_mended: true,
            renewed: None,
            repair_operations: options.repair_operations,
        }
    }

    /// The same, ready for use by its methods alone.
    pub fn boxed(map: Map, options: Options, recruit: F) -> Box<dyn AnyCrowd> {
        Box::new(Squad::new(map, options, recruit))
    }

    /// Tells what the walkers share of every patch.
    pub fn tell(&mut self, told: impl FnMut(&Map, &ChangeSet) + Send + 'static) {
        self.told = Some(Box::new(told));
    }

    /// What the walkers share is repaired a slice a tick.
    pub fn mend(&mut self, mend: impl FnMut(&Map, u64) -> bool + Send + 'static) {
        self.mend = Some(Box::new(mend));
    }

    /// Agents cannot take another index: they are made anew after this has been told of it.
    pub fn renew(&mut self, renewed: impl FnMut(&Arc<dyn Index>) + Send + 'static) {
        self.renewed = Some(Box::new(renewed));
    }
}

impl<A: Agent<Map>, F: FnMut(&Map) -> Result<A, String> + Send> Squad<A, F> {
    /// Carries the repair of what walkers share on.
    fn go_on_mending(&mut self) {
        if let Some(mend) = &mut self.mend {
            self.is_mended = mend(self.crowd.map(), self.repair_operations);
        }
    }

    /// Gives the walkers another index.
    fn hand_over(&mut self, index: &Arc<dyn Index>) {
        match &mut self.renewed {
            None => self.crowd.replace_index(index),
            Some(renewed) => {
                renewed(index);
                self.crowd.renew_agents(&mut self.recruit);
            }
        }
    }
}

impl<A: Agent<Map>, F: FnMut(&Map) -> Result<A, String> + Send> AnyCrowd for Squad<A, F> {
    fn add(&mut self, at: Point) -> Result<WalkerId, CrowdError> {
        let agent =
            (self.recruit)(self.crowd.map()).map_err(|reason| CrowdError::NoAgent { reason })?;
        self.crowd.add(agent, at)
    }

    fn reserve(&mut self, walkers: usize) {
        self.crowd.reserve(walkers);
    }

    fn remove(&mut self, id: WalkerId) -> Result<(), CrowdError> {
        self.crowd.remove(id).map(|_| ())
    }

    fn send(&mut self, id: WalkerId, goal: Point) -> Result<(), CrowdError> {
        self.crowd.send(id, goal)
    }

    fn follow(&mut self, id: WalkerId, leader: WalkerId) -> Result<(), CrowdError> {
        self.crowd.follow(id, leader)
    }

    fn halt(&mut self, id: WalkerId) -> Result<(), CrowdError> {
        self.crowd.halt(id)
    }

    fn position(&self, id: WalkerId) -> Result<Point, CrowdError> {
        self.crowd.position(id)
    }

    fn status(&self, id: WalkerId) -> Result<Status, CrowdError> {
        self.crowd.status(id)
    }

    fn patch(&mut self, patch: &GridPatch) -> ChangeSet {
        let changes = self.crowd.patch(patch);
        if !changes.is_empty() {
            let mut ready = Vec::new();
            let map = self.crowd.map();
            if let Some(told) = &mut self.told {
                told(map, &changes);
            }
            // A small patch is mended at once.
            self.go_on_mending();
            let map = self.crowd.map();
            self.upkeep
                .map_changed(map, &changes, |index| ready.push(index.clone()));
            ready.iter().for_each(|index| self.hand_over(index));
        }
        changes
    }

    fn keep(&mut self, upkeep: Upkeep) {
        self.upkeep = upkeep;
    }

    fn standings(&self) -> Vec<(IndexKind, Standing)> {
        self.upkeep.standings_with(self.is_mended).collect()
    }

    fn replace_index(&mut self, index: &Arc<dyn Index>) {
        if self.upkeep.replace(index) {
            self.hand_over(index);
        }
    }

    fn tick(&mut self) -> Tick {
        let mut ready = None;
        let hand_over = |index: &Arc<dyn Index>| ready = Some(index.clone());
        self.upkeep
            .advance(self.crowd.map(), self.repair_operations, hand_over);
        if let Some(index) = ready {
            self.hand_over(&index);
        }
        if !self.is_mended {
            self.go_on_mending();
        }
        self.crowd.tick_with(self.is_mended)
    }

    fn map(&self) -> &Map {
        self.crowd.map()
    }

    fn len(&self) -> usize {
        self.crowd.len()
    }

    fn memory(&self) -> CrowdMemory {
        self.crowd.memory()
    }
}

/// A crowd of agents that are made from indexes, and made anew when one of these is replaced.
pub(crate) fn renewed_crowd<A: Agent<Map> + 'static>(
    map: &Map,
    indexes: &Indexes,
    options: Options,
    make: impl Fn(&Map, &Indexes) -> Result<A, String> + Send + 'static,
) -> Result<Box<dyn AnyCrowd>, String> {
    make(map, indexes)?;
    let known = Arc::new(Mutex::new(indexes.clone()));
    let given = known.clone();
    let recruit = move |map: &Map| {
        let indexes = given.lock().unwrap_or_else(PoisonError::into_inner);
        make(map, &indexes)
    };
    let mut squad = Squad::new(map.clone(), options, recruit);
    squad.renew(move |index| {
        let mut indexes = known.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.replace(index.clone());
    });
    Ok(Box::new(squad))
}
