//! Crowds of agents whose kind is known only at run time.

use super::tick::Planning;
use super::{
    Crowd, CrowdError, CrowdMemory, Formation, Options, Snapshot, SnapshotError, Status, Tick,
    WalkerId, WalkerView,
};
use crate::agent::Agent;
use crate::agent::follower::Follower;
use crate::agent::guide::{Guide, Memo};
use crate::agent::trail::ShortTrail;
use crate::grid::{ChangeSet, GridPatch, Point};
use crate::index::slot::{IndexState, Published, ReplaceError};
use crate::index::{Index, IndexKind, Indexes};
use crate::map::Map;
use crate::stream::Reader;
use crate::world::World;
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
    /// As [`Crowd::send_group`].
    fn send_group(
        &mut self,
        ids: &[WalkerId],
        place: Point,
        formation: Formation,
    ) -> Result<Vec<WalkerId>, CrowdError>;
    /// As [`Crowd::set_pace`].
    fn set_pace(&mut self, id: WalkerId, ticks: u32) -> Result<(), CrowdError>;
    /// As [`Crowd::hold`].
    fn hold(&mut self, id: WalkerId, holds: bool) -> Result<(), CrowdError>;
    /// As [`Crowd::halt`].
    fn halt(&mut self, id: WalkerId) -> Result<(), CrowdError>;
    /// As [`Crowd::arrive`].
    fn arrive(&mut self, id: WalkerId) -> Result<(), CrowdError>;
    /// As [`Crowd::position`].
    fn position(&self, id: WalkerId) -> Result<Point, CrowdError>;
    /// As [`Crowd::status`].
    fn status(&self, id: WalkerId) -> Result<Status, CrowdError>;
    /// Calls `visit` with every walker, in the order of ids.
    fn for_each(&self, visit: &mut dyn FnMut(WalkerView));
    /// One walker.
    fn view(&self, id: WalkerId) -> Result<WalkerView, CrowdError>;
    /// As [`Crowd::glance`].
    fn glance(&self, id: WalkerId) -> Result<WalkerView, CrowdError>;
    /// As [`Crowd::is_held`].
    fn is_held(&self, at: Point) -> bool;
    /// As [`Crowd::path_ahead`].
    fn path_ahead(&self, id: WalkerId) -> Result<Vec<Point>, CrowdError>;
    /// As [`Crowd::patch`].
    fn patch(&mut self, patch: &GridPatch) -> ChangeSet;
    /// The states of the world's indexes.
    fn index_states(&self) -> Vec<(IndexKind, IndexState)>;
    /// Gives the world another index, built for the map as it is, in the place of the one of its kind: an error where nothing
    /// uses that kind, or the index is of another map. Walkers that are under way plan with it from now on.
    fn replace_index(&mut self, index: &Arc<dyn Index>) -> Result<(), ReplaceError> {
        self.world().replace_index(index.clone())
    }
    /// As [`Crowd::tick`].
    fn tick(&mut self) -> Tick;
    /// As [`Crowd::set_budget`].
    fn set_budget(&mut self, set_up_operations: u64, repair_operations: u64);
    /// As [`Crowd::planning`].
    fn planning(&self) -> usize;
    /// The indexes that were published in the last tick.
    fn published(&self) -> Option<Published>;
    /// The world that it walks on.
    fn world(&self) -> &Arc<World>;
    /// As [`Crowd::map`].
    fn map(&self) -> Arc<Map> {
        self.world().map()
    }
    /// As [`Crowd::len`].
    fn len(&self) -> usize;
    /// As [`Crowd::is_empty`].
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// As [`Crowd::memory`].
    fn memory(&self) -> CrowdMemory;
    /// As [`Crowd::walker_bound`].
    fn walker_bound(&self) -> Option<u64>;
    /// The crowd and its world as they are between two ticks ([`Snapshot`]).
    fn snapshot(&self) -> Result<Snapshot, SnapshotError>;
    /// Refuses a snapshot of another map, method or kind of crowd.
    fn fits(&self, snapshot: &Snapshot) -> Result<(), SnapshotError>;
    /// Goes back to a snapshot, or on from one of another process: crowd and world are as they were then. A snapshot that is of
    /// another map, method or kind of crowd is refused, and then the crowd is as it was.
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError>;
    /// What its method is called, for [`AnyCrowd::snapshot`].
    fn set_method(&mut self, name: String);
}

/// A crowd as a factory of agents makes it: `None` where there is no better layout than a box for each, or why it cannot be made.
pub type MadeCrowd = Result<Option<Box<dyn AnyCrowd>>, String>;

/// What the walkers of a crowd share: a [`Guide`], whatever its type.
trait Lead: Send {
    fn follow(&self, map: &Map, operations: u64) -> bool;
    fn is_ready(&self, map: &Map) -> bool;
    fn memo(&self) -> Memo;
    fn recall(&self, map: &Map, memo: &Memo) -> Option<()>;
}

impl<G: Guide> Lead for Arc<G> {
    fn follow(&self, map: &Map, operations: u64) -> bool {
        Guide::follow(&**self, map, operations)
    }

    fn is_ready(&self, map: &Map) -> bool {
        Guide::is_ready(&**self, map)
    }

    fn memo(&self) -> Memo {
        Guide::memo(&**self)
    }

    fn recall(&self, map: &Map, memo: &Memo) -> Option<()> {
        Guide::recall(&**self, map, memo)
    }
}

/// A crowd and what makes its agents.
pub(crate) struct CrowdOf<A, F> {
    crowd: Crowd<A>,
    make: F,
    /// What the walkers plan with together. Nobody plans before it is ready.
    lead: Option<Box<dyn Lead>>,
    is_in_step: bool,
    /// The version of the indexes that the agents were made with, where they have to be made again with others.
    made_with: Option<u64>,
    published: Option<Published>,
    options: Options,
    method: String,
}

impl<A, F> CrowdOf<A, F>
where
    A: Agent<Map> + 'static,
    F: FnMut(&Map) -> Result<A, String> + Send + 'static,
{
    /// An empty crowd.
    fn new(world: &Arc<World>, options: Options, make: F) -> CrowdOf<A, F> {
        CrowdOf {
            crowd: Crowd::new(world.clone(), options),
            make,
            lead: None,
            is_in_step: true,
            made_with: None,
            published: None,
            options,
            method: String::new(),
        }
    }
}

impl<A: Agent<Map>, F: FnMut(&Map) -> Result<A, String> + Send> CrowdOf<A, F> {
    /// Carries on what follows the map, and takes what was published.
    fn keep_up(&mut self) {
        let operations = self.options.repair_operations;
        let world = self.crowd.world().clone();
        if self.options.rebuild {
            world.rebuild_stale();
        }
        self.published = world.advance(operations, self.options.lockstep);
        let map = world.map();
        if let Some(lead) = &self.lead {
            self.is_in_step = lead.follow(&map, operations);
        }
        if self.is_in_step {
            world.note_in_step();
        }
        let version = world.indexes().version();
        if self.made_with.is_some_and(|known| known != version) {
            self.made_with = Some(version);
            self.crowd.renew_agents(&map, &mut self.make);
        }
    }
}

impl<A: Agent<Map>, F: FnMut(&Map) -> Result<A, String> + Send> AnyCrowd for CrowdOf<A, F> {
    fn add(&mut self, at: Point) -> Result<WalkerId, CrowdError> {
        let agent = (self.make)(&self.crowd.map());
        let agent = agent.map_err(|reason| CrowdError::NoAgent { reason })?;
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

    fn send_group(
        &mut self,
        ids: &[WalkerId],
        place: Point,
        formation: Formation,
    ) -> Result<Vec<WalkerId>, CrowdError> {
        self.crowd.send_group(ids, place, formation)
    }

    fn set_pace(&mut self, id: WalkerId, ticks: u32) -> Result<(), CrowdError> {
        self.crowd.set_pace(id, ticks)
    }

    fn hold(&mut self, id: WalkerId, holds: bool) -> Result<(), CrowdError> {
        self.crowd.hold(id, holds)
    }

    fn halt(&mut self, id: WalkerId) -> Result<(), CrowdError> {
        self.crowd.halt(id)
    }

    fn arrive(&mut self, id: WalkerId) -> Result<(), CrowdError> {
        self.crowd.arrive(id)
    }

    fn position(&self, id: WalkerId) -> Result<Point, CrowdError> {
        self.crowd.position(id)
    }

    fn status(&self, id: WalkerId) -> Result<Status, CrowdError> {
        self.crowd.status(id)
    }

    fn for_each(&self, visit: &mut dyn FnMut(WalkerView)) {
        self.crowd.for_each(visit);
    }

    fn view(&self, id: WalkerId) -> Result<WalkerView, CrowdError> {
        self.crowd.view(id)
    }

    fn glance(&self, id: WalkerId) -> Result<WalkerView, CrowdError> {
        self.crowd.glance(id)
    }

    fn is_held(&self, at: Point) -> bool {
        self.crowd.is_held(at)
    }

    fn path_ahead(&self, id: WalkerId) -> Result<Vec<Point>, CrowdError> {
        self.crowd.path_ahead(id)
    }

    fn patch(&mut self, patch: &GridPatch) -> ChangeSet {
        self.crowd.patch(patch)
    }

    fn index_states(&self) -> Vec<(IndexKind, IndexState)> {
        let follows = |state| match state {
            IndexState::Current if !self.is_in_step => IndexState::Repairing,
            state => state,
        };
        let indexes = self.world().indexes();
        let states = indexes.states();
        states.map(|(kind, state)| (kind, follows(state))).collect()
    }

    fn tick(&mut self) -> Tick {
        self.keep_up();
        let is_ready = |lead: &dyn Lead| lead.is_ready(&self.crowd.map());
        let planning = match self.is_in_step {
            true => Planning::InStep,
            false if self.lead.as_deref().is_some_and(is_ready) => Planning::Behind,
            false => Planning::Paused,
        };
        self.crowd.tick_with(planning)
    }

    fn set_budget(&mut self, set_up_operations: u64, repair_operations: u64) {
        self.options.repair_operations = repair_operations;
        self.crowd.set_budget(set_up_operations, repair_operations);
    }

    fn planning(&self) -> usize {
        self.crowd.planning()
    }

    fn published(&self) -> Option<Published> {
        self.published
    }

    fn world(&self) -> &Arc<World> {
        self.crowd.world()
    }

    fn len(&self) -> usize {
        self.crowd.len()
    }

    fn memory(&self) -> CrowdMemory {
        self.crowd.memory()
    }

    fn walker_bound(&self) -> Option<u64> {
        self.crowd.walker_bound()
    }

    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        let not_offered = || SnapshotError::NotOffered {
            method: self.method.clone(),
        };
        let lead = self.lead.as_ref().ok_or_else(not_offered)?;
        let walkers = self.crowd.save().ok_or_else(not_offered)?;
        Ok(Snapshot {
            mark: self.world().mark()?,
            kind: self.kind(),
            walkers,
            memo: lead.memo(),
            is_own: true,
        })
    }

    fn fits(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let expected = self.kind();
        if snapshot.kind != expected {
            return Err(SnapshotError::OtherCrowd {
                expected,
                found: snapshot.kind.clone(),
            });
        }
        Ok(self.world().fits(&snapshot.mark)?)
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.fits(snapshot)?;
        // One of this process fits; of bytes nobody knows before they are taken apart.
        let before = match snapshot.memo.shared {
            None => self.snapshot().ok(),
            Some(_) => None,
        };
        let restored = self.go_to(snapshot);
        if let (Err(_), Some(before)) = (&restored, before) {
            // What was true a moment ago can be had again.
            let _ = self.go_to(&before);
        }
        restored
    }

    fn set_method(&mut self, name: String) {
        self.method = name;
    }
}

impl<A: Agent<Map>, F: FnMut(&Map) -> Result<A, String> + Send> CrowdOf<A, F> {
    /// What a snapshot has to have in common with the crowd.
    fn kind(&self) -> String {
        let cells = match self.options.exclusive {
            true => "one walker a cell",
            false => "shared cells",
        };
        format!("{}, {}, {}", self.method, self.crowd.map().rules(), cells)
    }

    fn go_to(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let world = self.crowd.world().clone();
        let lead = self.lead.as_ref();
        let mut is_in_step = self.is_in_step;
        world.return_to(&snapshot.mark, &mut |map, operations| {
            is_in_step = lead.is_none_or(|lead| lead.follow(map, operations));
        })?;
        let damaged = |what| SnapshotError::Damaged { what };
        let map = world.map();
        let recalled = lead.is_none_or(|lead| lead.recall(&map, &snapshot.memo).is_some());
        if !recalled {
            return Err(damaged("what the walkers share is wrong"));
        }
        let from = &mut match snapshot.is_own {
            true => Reader::of_own(&snapshot.walkers),
            false => Reader::new(&snapshot.walkers),
        };
        let loaded = self.crowd.load(&map, from, &mut self.make);
        loaded.map_err(damaged)?;
        let options = self.crowd.options();
        self.options.repair_operations = options.repair_operations;
        self.options.set_up_operations = options.set_up_operations;
        self.is_in_step = is_in_step;
        self.published = None;
        Ok(())
    }
}

/// A crowd of agents that are made from indexes, and made again when one of these is replaced. One is made; the others are copies
/// of it, so that they share what can be shared.
pub(crate) fn renewed_crowd<A: Agent<Map> + Clone + 'static>(
    world: &Arc<World>,
    options: Options,
    make: impl Fn(&Map, &Indexes) -> Result<A, String> + Send + 'static,
) -> Result<Box<dyn AnyCrowd>, String> {
    let first = make(&world.map(), &world.indexes())?;
    let made_with = world.indexes().version();
    let model = Mutex::new((made_with, first));
    let owner = world.clone();
    let copy = move |map: &Map| {
        let mut model = model.lock().unwrap_or_else(PoisonError::into_inner);
        let version = owner.indexes().version();
        if model.0 != version {
            *model = (version, make(map, &owner.indexes())?);
        }
        Ok(model.1.clone())
    };
    let mut squad = CrowdOf::new(world, options, copy);
    squad.made_with = Some(made_with);
    Ok(Box::new(squad))
}

/// A crowd of boxed agents that are made from indexes, each for itself, and made again when one of these is replaced.
pub(crate) fn boxed_crowd(
    world: &Arc<World>,
    options: Options,
    make: impl Fn(&Map, &Indexes) -> Result<Box<dyn Agent<Map>>, String> + Send + 'static,
) -> Result<Box<dyn AnyCrowd>, String> {
    make(&world.map(), &world.indexes())?;
    let owner = world.clone();
    let mut squad = CrowdOf::new(world, options, move |map: &Map| make(map, &owner.indexes()));
    squad.made_with = Some(world.indexes().version());
    Ok(Box::new(squad))
}

/// A crowd of walkers that one guide leads.
pub(crate) fn guided_crowd<G: Guide + 'static>(
    world: &Arc<World>,
    options: Options,
    guide: Arc<G>,
) -> Box<dyn AnyCrowd> {
    let shared = guide.clone();
    let make = move |_: &Map| {
        let walker: Follower<Arc<G>, ShortTrail> = Follower::new(guide.clone());
        Ok(walker)
    };
    let mut squad = CrowdOf::new(world, options, make);
    squad.lead = Some(Box::new(shared));
    Box::new(squad)
}
