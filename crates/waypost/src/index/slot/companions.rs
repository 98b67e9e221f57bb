//! What agents keep beside an index, one for each world.

use super::Slot;
use crate::map::Map;
use std::any::Any;
use std::sync::{Arc, Weak};

/// What the agents of one world share beside an index and keep in step with the map.
pub trait Companion: Any + Send + Sync {
    /// Brings it in step with the map, for about this many operations; whether it is.
    fn follow(&self, map: &Map, operations: u64) -> bool;

    /// Another index has taken the place of the one beside which it is kept.
    fn renewed(&self, map: &Map) {
        let _ = map;
    }
}

/// A companion, for as long as an agent holds on to it.
pub(super) struct Kept {
    world: Weak<()>,
    what: Weak<dyn Companion>,
}

impl Slot {
    /// Brings all companions in step with the map.
    pub(crate) fn catch_up(&self, map: &Map) {
        for companion in self.companions(map) {
            while !companion.follow(map, u64::MAX) {}
        }
        self.state().is_in_step = true;
    }

    /// What the agents of a world keep beside the index, made by the first of them.
    pub fn companion<T: Companion>(
        &self,
        map: &Map,
        make: impl FnOnce() -> Result<T, String>,
    ) -> Result<Arc<T>, String> {
        let as_type =
            |what: Arc<dyn Companion>| (what as Arc<dyn Any + Send + Sync>).downcast().ok();
        if let Some(found) = self.companions(map).into_iter().find_map(as_type) {
            return Ok(found);
        }
        Ok(self.keep(map, make()?))
    }

    /// Takes one more companion of a world, for as long as somebody holds on to it.
    pub(crate) fn keep<T: Companion>(&self, map: &Map, what: T) -> Arc<T> {
        let what = Arc::new(what);
        let kept: Weak<T> = Arc::downgrade(&what);
        self.state().companions.push(Kept {
            world: Arc::downgrade(map.world()),
            what: kept,
        });
        what
    }

    /// Tells the companions of a world that there is another index, so that no move has to make what is needed beside it.
    pub(super) fn tell_companions(&self, map: &Map) {
        for companion in self.companions(map) {
            companion.renewed(map);
        }
    }

    /// What the index has prepared, for the first that asks for it as this type.
    pub(crate) fn take_prepared<T: Any>(&self) -> Option<T> {
        let mut state = self.state();
        let prepared = state.prepared.take()?;
        match prepared.downcast() {
            Ok(prepared) => Some(*prepared),
            Err(other) => {
                state.prepared = Some(other);
                None
            }
        }
    }

    /// The companions of a world.
    pub(super) fn companions(&self, map: &Map) -> Vec<Arc<dyn Companion>> {
        let mut state = self.state();
        state.companions.retain(|kept| kept.what.strong_count() > 0);
        let world = Arc::downgrade(map.world());
        let of_world = state.companions.iter().filter(|c| c.world.ptr_eq(&world));
        of_world.filter_map(|kept| kept.what.upgrade()).collect()
    }
}
