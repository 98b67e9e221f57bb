//! One world: a map that changes and the indexes of it, with one owner for crowds and single agents to share.
//!
//! A patch goes to the world, once ([`World::patch`]). Crowds look at the map when they tick, agents when they are asked, slots
//! when they are advanced; none of them is told.

mod story;

pub use story::{Mark, MarkError};

use crate::grid::{ChangeSet, GridPatch};
use crate::index::slot::{Published, RebuildJob, ReplaceError, Slot};
use crate::index::{BuildError, Index, IndexRequest, Indexes, Shard, build};
use crate::map::Map;
use crate::progress::{NoProgress, Progress};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use story::Book;

/// A map and its indexes.
#[derive(Debug)]
pub struct World {
    map: RwLock<Map>,
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
            map: RwLock::new(map),
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
        World::of(self.book.clone(), self.map().clone(), &self.indexes())
    }

    fn hold(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a crowd walk in it, for as long as it holds on to this.
    pub(crate) fn join(&self) -> Arc<()> {
        self.crowds.clone()
    }

    /// Whether a crowd walks in it.
    pub(crate) fn has_crowd(&self) -> bool {
        Arc::strong_count(&self.crowds) > 1
    }

    /// The map as it is now, to hold on to: a copy that stays as it is, made once for every state of the map that is asked for.
    pub fn map_now(&self) -> Arc<Map> {
        let map = self.map();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match &*shown {
            Some(copy) if copy.fingerprint() == map.fingerprint() => copy.clone(),
            _ => shown.insert(Arc::new(map.clone())).clone(),
        }
    }

    /// The map as it is. It cannot change while somebody holds on to this: whoever does must not ask for it again, nor change it, nor
    /// wait for others who may.
    pub fn map(&self) -> RwLockReadGuard<'_, Map> {
        self.map.read().unwrap_or_else(PoisonError::into_inner)
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
            let map = self.map().clone();
            let built = build(&map, request, Shard::WHOLE, progress)?;
            let _held = self.hold();
            if self.map().fingerprint() == map.fingerprint() {
                self.add_built(request, built);
                return Ok(());
            }
        }
        let _held = self.hold();
        let map = self.map().clone();
        let built = build(&map, request, Shard::WHOLE, progress)?;
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

    /// Changes the map. Waits until nobody looks at it.
    pub fn patch(&self, patch: &GridPatch) -> ChangeSet {
        let _held = self.hold();
        let changes = {
            let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
            map.apply(patch)
        };
        if !changes.is_empty() {
            self.book.patched(&changes);
            self.indexes().follow(&self.map());
        }
        changes
    }

    /// Carries repairs and rebuilds on for about this many operations; says what was published.
    pub fn advance(&self, operations: u64, lockstep: bool) -> Option<Published> {
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
