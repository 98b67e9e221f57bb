//! One world: a map that changes and the indexes of it, with one owner for crowds and single agents to share.
//!
//! A patch goes to the world, once ([`World::patch`]). Crowds look at the map when they tick, agents when they are asked, slots
//! when they are advanced; none of them is told.
//!
//! **Locks.** Whoever looks at the map holds on to it, not to a lock: a patch that comes meanwhile changes a copy, which takes its place. No lock is
//! held while work is shared with a pool of threads (`parallel`), because a thread of a pool that waits for others takes up what it
//! finds in the pool, a patch perhaps, which would wait for the lock for ever. So ticks, patches, paths and rebuilds may all be tasks of one pool.

mod story;

pub use story::{Mark, MarkError};

use crate::grid::{Cell, ChangeSet, GridPatch};
use crate::index::slot::{Published, RebuildJob, ReplaceError, Slot};
use crate::index::{BuildError, Index, IndexRequest, Indexes, Shard, build};
use crate::map::Map;
use crate::parallel;
use crate::progress::{NoProgress, Progress};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use story::Book;

/// Looks at the map that a patch waits for, each of them about a microsecond, before it copies the map.
const PATIENCE: u32 = 256;

/// A map and its indexes.
#[derive(Debug)]
pub struct World {
    map: RwLock<Arc<Map>>,
    indexes: RwLock<Indexes>,
    book: Book,
    /// A copy of the map for those who look at it at their leisure.
    shown: Mutex<Option<Arc<Map>>>,
    /// Held while map and indexes go from one state to the next, and by whoever reads both.
    changing: Mutex<()>,
    /// Shared with the crowds that walk in it.
    crowds: Arc<()>,
}

impl World {
    /// A world of this map. The indexes are its own from now on: what becomes of them elsewhere does not concern it.
    pub fn new(map: Map, indexes: &Indexes) -> Arc<World> {
        World::of(Book::new(&map), map, indexes)
    }

    fn of(book: Book, map: Map, indexes: &Indexes) -> Arc<World> {
        Arc::new(World {
            book,
            map: RwLock::new(Arc::new(map)),
            indexes: RwLock::new(indexes.fork()),
            shown: Mutex::default(),
            changing: Mutex::default(),
            crowds: Arc::default(),
        })
    }

    /// Another world, equal to this one until either changes. Repairs that are under way are under way there too; rebuilds stay with
    /// this one, and the other one's indexes are stale.
    pub fn fork(&self) -> Arc<World> {
        let _held = self.hold();
        World::of(self.book.clone(), Map::clone(&self.map()), &self.indexes())
    }

    fn hold(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for so much upkeep. In lockstep late jobs are waited for before: what they report their progress to may look at the world and
    /// change it.
    fn hold_for(&self, operations: u64, lockstep: bool) -> MutexGuard<'_, ()> {
        loop {
            let slots: Vec<Arc<Slot>> = self.indexes().slots().cloned().collect();
            if lockstep {
                slots.iter().for_each(|slot| slot.wait(operations));
            }
            let held = self.hold();
            if !lockstep || !slots.iter().any(|slot| slot.would_wait(operations)) {
                return held;
            }
        }
    }

    /// Lets a crowd walk in it, for as long as it holds on to this.
    pub(crate) fn join(&self) -> Arc<()> {
        self.crowds.clone()
    }

    /// Whether a crowd walks in it.
    pub(crate) fn has_crowd(&self) -> bool {
        Arc::strong_count(&self.crowds) > 1
    }

    /// The map as it is now, to hold on to: a copy that stays as it is, made once for every state of the map that is asked for. Agents that are
    /// asked on it share what the world keeps up.
    pub fn map_now(&self) -> Arc<Map> {
        let map = self.map();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match &*shown {
            Some(copy) if copy.fingerprint() == map.fingerprint() => copy.clone(),
            _ => shown.insert(Arc::new(map.successor())).clone(),
        }
    }

    /// The map as it is, for as long as one call needs it: a patch that comes meanwhile makes a copy of it first. For longer see
    /// [`World::map_now`].
    pub fn map(&self) -> Arc<Map> {
        let map = self.map.read().unwrap_or_else(PoisonError::into_inner);
        map.clone()
    }

    /// Changes the map: itself where nobody looks at it, else a copy that takes its place.
    fn change<R>(&self, change: impl FnOnce(&mut Map) -> R) -> R {
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        // Most looks are over soon, and nobody can begin another one.
        for _ in 0..PATIENCE {
            if Arc::get_mut(&mut map).is_some() {
                break;
            }
            std::thread::yield_now();
        }
        match Arc::get_mut(&mut map) {
            Some(own) => change(own),
            None => {
                let mut next = map.successor();
                let changed = change(&mut next);
                *map = Arc::new(next);
                changed
            }
        }
    }

    /// The indexes.
    pub fn indexes(&self) -> RwLockReadGuard<'_, Indexes> {
        self.indexes.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slot of an index that somebody needs.
    pub fn slot(&self, request: &IndexRequest) -> Result<Arc<Slot>, String> {
        self.indexes().slot(&self.map(), request)
    }

    /// Makes sure that an index is there that serves a request: builds it for the map as it is where none does.
    pub fn provide(&self, request: &IndexRequest) -> Result<(), BuildError> {
        self.provide_watched(request, &NoProgress)
    }

    /// [`World::provide`], telling how far the build is and asking whether to go on. Patches do not wait for it: where one comes
    /// meanwhile the index is built again, and only the third time is the world held for it.
    pub fn provide_watched(
        &self,
        request: &IndexRequest,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        for _ in 0..2 {
            if self.indexes().has(request) {
                return Ok(());
            }
            let map = self.map();
            let built = build(&map, request, Shard::WHOLE, progress)?;
            let _held = self.hold();
            if self.map().fingerprint() == map.fingerprint() {
                self.add_built(request, built);
                return Ok(());
            }
        }
        let _held = self.hold();
        let map = self.map();
        let built = parallel::apart(|| build(&map, request, Shard::WHOLE, progress))?;
        self.add_built(request, built);
        Ok(())
    }

    fn add_built(&self, request: &IndexRequest, built: Arc<dyn Index>) {
        let indexes = self.indexes.write();
        let mut indexes = indexes.unwrap_or_else(PoisonError::into_inner);
        if !indexes.has(request) {
            indexes.add_built(request.clone(), built);
        }
    }

    /// Changes the map.
    pub fn patch(&self, patch: &GridPatch) -> ChangeSet {
        let _held = self.hold();
        let changes = self.change(|map| map.apply(patch));
        if !changes.is_empty() {
            self.book.patched(&changes);
            self.indexes().follow(&self.map());
        }
        changes
    }

    /// Makes doors of those of these cells that are none, and none of those that are: where larger units have room if doors are open
    /// follows from the walls around these.
    pub(crate) fn toggle_doors(&self, cells: &[Cell]) {
        if cells.is_empty() {
            return;
        }
        let _held = self.hold();
        self.change(|map| map.toggle_doors(cells));
        self.book.doors_toggled(cells);
        self.indexes().follow(&self.map());
    }

    /// Carries repairs and rebuilds on for about this many operations; says what was published.
    pub fn advance(&self, operations: u64, lockstep: bool) -> Option<Published> {
        let _held = self.hold_for(operations, lockstep);
        let indexes = self.indexes();
        let is_rebuilding = indexes.slots().any(|slot| slot.is_rebuilding());
        let published = indexes.advance(&self.map(), operations, lockstep);
        self.book.kept_up(operations, is_rebuilding);
        published
    }

    /// [`World::advance`] for a world that nobody else may keep up: where no crowd walks in it, all that follows the map is known
    /// here.
    pub(crate) fn keep_up(&self, operations: u64, lockstep: bool) -> Option<Published> {
        let published = self.advance(operations, lockstep);
        if !self.has_crowd() {
            self.note_in_step();
        }
        published
    }

    /// Begins to rebuild every index that is stale: jobs for any thread.
    pub fn rebuild_jobs(&self) -> Vec<RebuildJob> {
        let _held = self.hold();
        let map = self.map();
        let jobs = |slot: &Arc<Slot>| slot.rebuild_job(&map, false);
        let jobs: Vec<_> = self.indexes().slots().filter_map(jobs).collect();
        if !jobs.is_empty() {
            let indexes = self.indexes();
            let built_for = indexes.slots().map(|slot| slot.kept().built_for);
            self.book.rebuilds(&map, &built_for.collect::<Vec<_>>());
        }
        jobs
    }

    /// Begins to rebuild every index that is stale, each on a thread of its own; where there are no threads, it is built when it
    /// is due. Says whether a rebuild was begun.
    pub fn rebuild_stale(&self) -> bool {
        let jobs = self.rebuild_jobs();
        let begun = !jobs.is_empty();
        for job in jobs {
            let thread = std::thread::Builder::new().name(format!("rebuild {}", job.kind().name()));
            // A job that no thread takes is dropped, and so left to its slot.
            let _ = thread.spawn(move || job.run(&NoProgress));
        }
        begun
    }

    /// Takes an index that was built for the map as it is in the place of the one of its kind.
    pub fn replace_index(&self, index: Arc<dyn Index>) -> Result<(), ReplaceError> {
        self.note_replaced();
        self.indexes().replace(&self.map(), index)
    }
}
