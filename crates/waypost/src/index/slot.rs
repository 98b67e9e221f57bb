//! Slots: the one thing that holds an index of a world that changes.
//!
//! A slot has the index of the moment (immutable, shared by whoever reads it), a version that counts its replacements, the
//! repair or rebuild under way, and a state for people to read. Agents and guides hold the slot and look at its version when
//! they plan; nobody is told one by one. A patch reaches the slot once ([`Slot::follow`]), whoever made it: the map itself says
//! what has changed since the slot looked last.
//!
//! | kind | after a patch | agents meanwhile |
//! |---|---|---|
//! | components | repaired in [`Map::apply`] | |
//! | `jump` | a copy that the agents of a world share is repaired where it stands, in slices ([`Live`](crate::methods::jump::Live)); the lower bounds of the index serve it after walls alone | old runs as far as they are free |
//! | `hierarchy` | `pra`: the first agent that looks repairs it, the others share that; `quickpath`: repaired beside the moves | plan on the repaired one; `quickpath` walks by LRTA\* until it is there |
//! | `subgoals` | records whose climbs no longer arrive are marked, in slices | climb, or LRTA\* where a climb is blocked |
//! | `sectors` | repaired in slices; equal to a new build once no patch waits | old hops, windows on the map as it is, LRTA\* where one is empty |
//! | `labels` | want a rebuild | old paths where they are free, which are shortest after walls alone; else a search of repaired jump points |
//! | `cpd` | want a rebuild ([`PathDatabase::patched`](crate::index::cpd::PathDatabase::patched) does it for small patches) | old paths with searched detours, A\* where there is none |
//! | `regions`, `climb-regions` | want a rebuild | subgoals that can be reached, else LRTA\* |
//! | `landmarks`, `tables` | want a rebuild | distances are lower bounds to search with after walls alone; else octile distance |
//!
//! **Rebuilds** are jobs for a thread of the game's own ([`Slot::rebuild_job`]). What a job has built is published after as many
//! operations of upkeep as its size stands for ([`REBUILD_SPEED`]), never when a thread happens to be done: in lockstep a late job is waited for,
//! and one that nobody has begun is done on the spot. Otherwise a late one is published when it is there, which the game sees
//! ([`Published::late`]).

mod companions;
mod reader;
mod rebuild;

pub use companions::Companion;
pub use reader::Reader;
pub use rebuild::RebuildJob;

use super::{Index, IndexKind, IndexRequest, Prepared, fits, request_again};
use crate::artifact::ArtifactError;
use crate::grid::ChangeSet;
use crate::map::Map;
use companions::Kept;
use rebuild::{Built, Delivery};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Operations that a rebuild is taken to make for each operation of upkeep: it has a thread of its own, upkeep a small part of
/// a tick. With 20,000 operations of upkeep a tick a rebuild of a second takes over after 800 ticks.
pub const REBUILD_SPEED: u64 = 64;

/// What an index does about a patch.
pub enum Repair {
    /// This one takes its place.
    Done(Arc<dyn Index>),
    /// It takes a while.
    Sliced(Box<dyn RepairJob>),
    /// It says what it said before: those that use it keep in step what depends on the map as it is.
    NotNeeded,
    /// It must be built again; agents that use the old one go on safely.
    Rebuild,
}

/// A repair under way.
pub trait RepairJob: Send {
    /// The map has changed once more.
    fn map_changed(&mut self, map: &Map, changes: &ChangeSet);

    /// Goes on for about this many operations; gives the repaired index when it is ready.
    fn advance(&mut self, map: &Map, operations: u64) -> Option<Arc<dyn Index>>;

    /// After an index was given: whether there is nothing left to do.
    fn is_done(&self) -> bool {
        true
    }

    /// The same repair for another world, equal to this one so far.
    fn fork(&self) -> Box<dyn RepairJob>;
}

/// The state of a slot's index beside the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// It is of the map as it is (doors aside), or what a patch touched in it is marked.
    Current,
    /// Its repair is under way.
    Repairing,
    /// A new one is being built.
    Rebuilding,
    /// It is of an older map and waits for a rebuild.
    Stale,
}

impl IndexState {
    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            IndexState::Current => "current",
            IndexState::Repairing => "repairing",
            IndexState::Rebuilding => "rebuilding",
            IndexState::Stale => "stale, rebuild wanted",
        }
    }
}

/// An index that has just taken another's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// What kind it is.
    pub kind: IndexKind,
    /// Whether it came after the tick that it was due at, because its job was not done.
    pub late: bool,
}

/// What a slot holds that is not busy.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub index: Arc<dyn Index>,
    pub is_stale: bool,
    /// The map that the index was built for, before repairs.
    pub built_for: u64,
}

/// A slot for one index.
#[derive(Debug)]
pub struct Slot {
    version: AtomicU64,
    state: Mutex<State>,
}

struct State {
    index: Arc<dyn Index>,
    /// The fingerprint of the map that the index is of while a repair is under way.
    of: u64,
    /// On a map with doors the index as it was given or built, for all of them open: where nobody remembers which have closed since the
    /// index was repaired last, the repair begins with it.
    original: Option<Arc<dyn Index>>,
    /// The world that the slot was made for, or that it has followed first: however long nobody has looked, its map is one that the index can
    /// follow.
    world: Option<Weak<()>>,
    /// The map that the index was built for, as files name it: repairs leave it.
    built_for: u64,
    /// What those that use it ask for.
    asked: IndexRequest,
    /// The doors of the map.
    doors: u64,
    /// The fingerprint of the map that was looked at last.
    seen: u64,
    repair: Option<Box<dyn RepairJob>>,
    rebuild: Option<Rebuild>,
    is_stale: bool,
    /// The map for which a new index could not be built, lest it is tried again and again.
    refused: Option<u64>,
    companions: Vec<Kept>,
    /// What the index has prepared for companions that nobody has made yet.
    prepared: Option<Prepared>,
    /// Whether all companions were in step with the map when they were carried on last.
    is_in_step: bool,
}

/// A rebuild under way.
struct Rebuild {
    delivery: Arc<Delivery>,
    /// The fingerprint of the map that it was ordered for, all doors open.
    of: u64,
    /// Operations of upkeep until it is published.
    due: u64,
    late: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("kind", &self.index.kind())
            .field("seen", &self.seen)
            .finish_non_exhaustive()
    }
}

impl State {
    /// Whether this is the map of the slot's world, or it has followed none yet.
    fn is_of_world(&self, map: &Map) -> bool {
        let world = Arc::downgrade(map.world());
        self.world.as_ref().is_none_or(|own| own.ptr_eq(&world))
    }
}

fn has_doors(map: &Map) -> bool {
    map.doors().is_some()
}

impl Slot {
    /// A slot for an index of this map, refused where it is of another one. `asked` is what those that use it ask for.
    pub fn new(
        map: &Map,
        index: Arc<dyn Index>,
        asked: IndexRequest,
    ) -> Result<Arc<Slot>, ArtifactError> {
        index.identity().check(map)?;
        let slot = Slot {
            version: AtomicU64::new(1),
            state: Mutex::new(State {
                seen: map.open_fingerprint(),
                of: map.open_fingerprint(),
                doors: map.doors_fingerprint(),
                original: has_doors(map).then(|| index.clone()),
                world: Some(Arc::downgrade(map.world())),
                built_for: index.identity().fingerprint,
                index,
                asked,
                repair: None,
                rebuild: None,
                is_stale: false,
                refused: None,
                companions: Vec::new(),
                prepared: None,
                is_in_step: true,
            }),
        };
        slot.follow(map);
        Ok(Arc::new(slot))
    }

    /// A slot of its own for another world, which shares the index until one of them changes. A repair under way is under way there too; a
    /// rebuild stays behind.
    pub fn fork(&self) -> Arc<Slot> {
        let state = self.state();
        Arc::new(Slot {
            version: AtomicU64::new(self.version()),
            state: Mutex::new(State {
                index: state.index.clone(),
                original: state.original.clone(),
                // The other world is not known yet.
                world: None,
                built_for: state.built_for,
                asked: state.asked.clone(),
                doors: state.doors,
                seen: state.seen,
                of: state.of,
                repair: state.repair.as_ref().map(|repair| repair.fork()),
                rebuild: None,
                is_stale: state.is_stale,
                refused: state.refused,
                companions: Vec::new(),
                prepared: None,
                is_in_step: true,
            }),
        })
    }

    /// Fails unless the index is of this map, or of one that this map has been.
    pub fn check(&self, map: &Map) -> Result<(), ArtifactError> {
        let state = self.state();
        let identity = state.index.identity();
        identity.check(map).or_else(|error| {
            let is_own = state.is_of_world(map);
            let followed = identity.is_of_a_state_of(map)
                && state.doors == map.doors_fingerprint()
                && (is_own || map.changes_since(state.seen).is_some());
            if followed { Ok(()) } else { Err(error) }
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the indexes that the slot has had: one look says whether there is another.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The index of the moment.
    pub fn index(&self) -> Arc<dyn Index> {
        self.state().index.clone()
    }

    /// What kind of index it is for.
    pub fn kind(&self) -> IndexKind {
        self.state().index.kind()
    }

    /// The state of the index beside the map.
    pub fn index_state(&self) -> IndexState {
        let state = self.state();
        match (&state.repair, &state.rebuild, state.is_stale) {
            (Some(_), _, _) => IndexState::Repairing,
            (_, Some(_), _) => IndexState::Rebuilding,
            (_, _, true) => IndexState::Stale,
            _ => IndexState::Current,
        }
    }

    /// Looks at the map: begins or extends the repair that it takes. Costs about as much as there are changed cells.
    pub fn follow(&self, map: &Map) {
        let mut state = self.state();
        let world = || Arc::downgrade(map.world());
        state.world.get_or_insert_with(world);
        let doors = std::mem::replace(&mut state.doors, map.doors_fingerprint());
        if state.seen == map.fingerprint() && state.doors == doors {
            return;
        }
        let mut changes = map.changes_since(state.seen);
        let before = std::mem::replace(&mut state.seen, map.fingerprint());
        state.is_in_step = state.companions.is_empty();
        // Doors aside it may be the map that the index is of, still or again.
        let is_own = state.index.identity().check(map).is_ok();
        state.is_stale &= !is_own;
        if is_own && map.fingerprint() == map.open_fingerprint() {
            (state.repair, state.of) = (None, map.fingerprint());
            return;
        }
        let is_of_map = |index: &Arc<dyn Index>| index.identity().check(map).is_ok();
        let original = match changes {
            None => state.original.clone().filter(is_of_map),
            Some(_) => None,
        };
        let begins_again = original.is_some();
        if let Some(original) = original {
            (state.repair, state.is_stale) = (None, false);
            self.publish(&mut state, original);
            changes = map.changes_since(map.open_fingerprint());
        }
        let Some(changes) = changes else {
            (state.repair, state.is_stale) = (None, !is_own);
            return;
        };
        if let Some(repair) = &mut state.repair {
            repair.map_changed(map, &changes);
            return;
        }
        if state.is_stale {
            return;
        }
        state.of = map.fingerprint();
        match state.index.clone().repair(map, &changes) {
            Repair::Done(index) => self.publish(&mut state, index),
            // What is a door has changed and no cell: there is nothing to repair, and no end to wait for.
            Repair::Sliced(_) if changes.is_empty() => {}
            Repair::Sliced(job) => {
                state.of = match begins_again {
                    true => map.open_fingerprint(),
                    false => before,
                };
                state.repair = Some(job);
            }
            Repair::NotNeeded => {}
            Repair::Rebuild => state.is_stale = !is_own && !begins_again,
        }
    }

    fn publish(&self, state: &mut State, index: Arc<dyn Index>) {
        state.index = index;
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    /// Goes on with the repair or rebuild for about this many operations; says what was published. In lockstep an index that is
    /// due is waited for.
    pub fn advance(&self, map: &Map, operations: u64, lockstep: bool) -> Option<Published> {
        self.follow(map);
        let companions = self.companions(map);
        let follow =
            |in_step, companion: &Arc<dyn Companion>| companion.follow(map, operations) && in_step;
        let is_in_step = companions.iter().fold(true, follow);
        let mut state = self.state();
        state.is_in_step = is_in_step;
        let kind = state.index.kind();
        if let Some(mut repair) = state.repair.take() {
            let ready = repair.advance(map, operations);
            let is_done = repair.is_done();
            if ready.is_none() || !is_done {
                state.repair = Some(repair);
            }
            let ready = ready?;
            // One that is repaired in part is of no map that ever was.
            state.of = if is_done { state.seen } else { 0 };
            self.publish(&mut state, ready);
            return Some(Published { kind, late: false });
        }
        let mut rebuild = state.rebuild.take()?;
        rebuild.due = rebuild.due.saturating_sub(operations);
        if rebuild.due > 0 {
            state.rebuild = Some(rebuild);
            return None;
        }
        let Some(built) = rebuild.delivery.take(lockstep) else {
            rebuild.late = true;
            state.rebuild = Some(rebuild);
            return None;
        };
        let Ok(Built { index, prepared }) = built else {
            state.refused = Some(map.fingerprint());
            return None;
        };
        // What has changed since it was ordered, closed doors among it, is put into it as into any other.
        let is_own = index.identity().check(map).is_ok();
        (state.seen, state.is_stale) = match is_own {
            true => (map.open_fingerprint(), false),
            false => (rebuild.of, false),
        };
        state.of = state.seen;
        state.built_for = index.identity().fingerprint;
        state.original = has_doors(map).then(|| index.clone());
        state.prepared = prepared;
        self.publish(&mut state, index);
        drop(state);
        self.follow(map);
        self.tell_companions(map);
        let late = rebuild.late;
        Some(Published { kind, late })
    }

    /// Whether something is left to do: a repair, a rebuild, or what companions have to follow.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.state();
        state.repair.is_some() || state.rebuild.is_some() || !state.is_in_step
    }

    /// Whether a rebuild is under way.
    pub(crate) fn is_rebuilding(&self) -> bool {
        self.state().rebuild.is_some()
    }

    /// All that there is to a slot that is not busy.
    pub(crate) fn kept(&self) -> Held {
        let state = self.state();
        Held {
            index: state.index.clone(),
            is_stale: state.is_stale,
            built_for: state.built_for,
        }
    }

    /// Takes back what it had when the map was last as it is now ([`Slot::kept`]).
    pub(crate) fn put_back(&self, map: &Map, held: Held) {
        let mut state = self.state();
        (state.repair, state.rebuild, state.refused) = (None, None, None);
        state.prepared = None;
        (state.is_stale, state.seen) = (held.is_stale, map.fingerprint());
        state.built_for = held.built_for;
        self.publish(&mut state, held.index);
        drop(state);
        self.tell_companions(map);
    }

    /// Begins again with an index of this map, doors aside.
    pub(crate) fn restart(&self, map: &Map, index: Arc<dyn Index>) {
        self.put_back(
            map,
            Held {
                index: index.clone(),
                is_stale: false,
                built_for: index.identity().fingerprint,
            },
        );
        let mut state = self.state();
        state.seen = map.open_fingerprint();
        state.of = state.seen;
        state.original = has_doors(map).then_some(index);
        drop(state);
        self.follow(map);
    }

    /// Whether [`Slot::advance`] in lockstep would wait: the index is due, and its job is not done. Whoever calls from within the job waits
    /// for nothing.
    pub fn would_wait(&self, operations: u64) -> bool {
        let due = self.due(operations);
        due.is_some_and(|delivery| !delivery.is_built() && !delivery.is_reported_here())
    }

    /// Waits for what [`Slot::advance`] in lockstep would wait for.
    pub(crate) fn wait(&self, operations: u64) {
        if let Some(delivery) = self.due(operations) {
            delivery.finish();
        }
    }

    /// Where the index arrives that is due after so many operations.
    fn due(&self, operations: u64) -> Option<Arc<Delivery>> {
        let state = self.state();
        let rebuild = state.rebuild.as_ref().filter(|_| state.repair.is_none());
        let due = rebuild.filter(|rebuild| rebuild.due <= operations);
        due.map(|rebuild| rebuild.delivery.clone())
    }

    /// Begins to build the index again for the map as it is, if it is stale or `even_if_current`; the job is to be run on any
    /// thread. It is published when upkeep has got that far: [`Index::rebuild_operations`] at
    /// [`REBUILD_SPEED`]. A job that was stopped or dropped is given again as long as the map is the same.
    pub fn rebuild_job(&self, map: &Map, even_if_current: bool) -> Option<RebuildJob> {
        self.follow(map);
        let mut state = self.state();
        let is_wanted = state.is_stale && state.refused != Some(map.fingerprint());
        if let Some(rebuild) = &state.rebuild
            && is_wanted
            && rebuild.of == map.open_fingerprint()
        {
            return Delivery::take_up(&rebuild.delivery);
        }
        if state.rebuild.is_some() || !(is_wanted || even_if_current) {
            return None;
        }
        let request = request_again(&*state.index, &state.asked);
        let (job, delivery) = rebuild::order(map, &request, state.index.used_kind());
        state.rebuild = Some(Rebuild {
            of: map.open_fingerprint(),
            delivery,
            due: (state.index.rebuild_operations(map) / REBUILD_SPEED).max(1),
            late: false,
        });
        Some(job)
    }

    /// Begins to build again as [`Slot::rebuild_job`] does, without a thread: it is built when it is due.
    pub fn rebuild_when_due(&self, map: &Map) -> bool {
        !self.is_rebuilding() && self.rebuild_job(map, false).is_some()
    }

    /// Takes an index that was built for the map as it is in the place of the one of its kind. The map is the slot's own or equal to
    /// it: an index of another map is refused, also where that map comes with it.
    pub fn replace(&self, map: &Map, index: Arc<dyn Index>) -> Result<(), ReplaceError> {
        let is_own = self.state().is_of_world(map);
        if is_own {
            self.follow(map);
        }
        self.check(map).map_err(ReplaceError::OtherMap)?;
        let mut state = self.state();
        if !is_own && state.seen != map.fingerprint() {
            return Err(ReplaceError::OtherWorld);
        }
        if index.kind() != state.index.kind() {
            return Err(ReplaceError::OtherKind {
                found: index.kind().name(),
                expected: state.index.kind().name(),
            });
        }
        if !fits(&*index, &state.asked) {
            return Err(ReplaceError::OtherParameters {
                kind: index.kind().name(),
            });
        }
        index
            .identity()
            .check(map)
            .map_err(ReplaceError::OtherMap)?;
        (state.repair, state.rebuild, state.is_stale) = (None, None, false);
        state.prepared = None;
        state.seen = map.open_fingerprint();
        state.of = state.seen;
        state.built_for = index.identity().fingerprint;
        state.original = has_doors(map).then(|| index.clone());
        self.publish(&mut state, index);
        drop(state);
        self.follow(map);
        self.tell_companions(map);
        Ok(())
    }
}

/// Why an index cannot take another's place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// Nothing here uses an index of its kind.
    #[error("a `{found}` index cannot take the place of `{expected}`; build one of that kind")]
    OtherKind {
        /// What was given.
        found: &'static str,
        /// What is used.
        expected: &'static str,
    },
    /// It was built with other parameters than those that use an index of its kind ask for.
    #[error(
        "no `{kind}` index is used here that has the parameters of this one; build it with those of the one it is for"
    )]
    OtherParameters {
        /// What kind it is.
        kind: &'static str,
    },
    /// It is of another map, or of an older state of this one.
    #[error("{0}")]
    OtherMap(ArtifactError),
    /// It is of a clone of the map, which has changed since: the clone is another world.
    #[error(
        "the index is of a copy of the map that has changed on its own; build it for the map of the world that is to take it"
    )]
    OtherWorld,
}
