//! Memory that the threads of a build take turns at.
//!
//! Rayon would make fresh memory for every split of the work. A search's memory can be as large as the map, so there are
//! never more of them here than run at one time. What a desk holds must not change results.

use std::sync::{Mutex, PoisonError};

/// Idle memory.
pub(super) struct ScratchPool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T> ScratchPool<T> {
    /// None yet.
    pub fn new() -> ScratchPool<T> {
        ScratchPool {
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Does a piece of work at an idle desk, or at a new one where all are taken.
    pub fn work<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let lock = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = lock().pop();
        let mut desk = taken.unwrap_or_else(make);
        let result = work(&mut desk);
        lock().push(desk);
        result
    }
}
