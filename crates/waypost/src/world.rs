//! One world: a map that changes and the indexes of it, with one owner for crowds and single agents to share.
//!
//! A patch goes to the world, once ([`World::patch`]). Crowds look at the map when they tick, agents when they are asked, slots
//! when they are advanced; none of them is told.

mod story;

pub use story::{Mark, MarkError};

use crate::grid::{ChangeSet, GridPatch};
use crate::index::slot::{Published, ReplaceError, Slot};
use crate::index::{BuildError, Index, IndexRequest, Indexes, Shard, build};
use crate::map::Map;
use crate::progress::{NoProgress, Progress};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use story::Book;

/// A map and its indexes.
#[derive(Debug)]
pub struct World {
    map: RwLock<Map>,
    indexes: RwLock<Indexes>,
    book: Book,
}

impl World {
    /// A world of this map. The indexes are its own from now on: what becomes of them elsewhere does not concern it.
    pub fn new(map: Map, indexes: &Indexes) -> Arc<World> {
        Arc::new(World {
            book: Book::new(&map),
            map: RwLock::new(map),
            indexes: RwLock::new(indexes.fork()),
        })
    }

    /// Another world, equal to this one until either changes.
    pub fn fork(&self) -> Arc<World> {
        World::new(self.map().clone(), &self.indexes())
    }

    /// The map as it is. It cannot change while somebody holds on to this.
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

    /// [`World::provide`], telling how far the build is and asking whether to go on. The map must not be patched meanwhile: a
    /// patch waits for the build.
    pub fn provide_watched(
        &self,
        request: &IndexRequest,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        if self.indexes().has(request) {
            return Ok(());
        }
        let built = build(&self.map(), request, Shard::WHOLE, progress)?;
        let indexes = self.indexes.write();
        let mut indexes = indexes.unwrap_or_else(PoisonError::into_inner);
        indexes.add_built(request.clone(), built);
        Ok(())
    }

    /// Changes the map. Waits until nobody looks at it.
    pub fn patch(&self, patch: &GridPatch) -> ChangeSet {
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

    /// Begins to rebuild every index that is stale, each on a thread of its own; where there are no threads, it is built when it
    /// is due. Says whether a rebuild was begun.
    pub fn rebuild_stale(&self) -> bool {
        let map = self.map();
        let indexes = self.indexes();
        let jobs = indexes
            .slots()
            .filter_map(|slot| slot.rebuild_job(&map, false));
        let mut begun = false;
        for job in jobs {
            begun = true;
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
