//! The index of a slot, read as what it is.

use super::Slot;
use crate::index::Index;
use std::any::Any;
use std::sync::Arc;

/// The index of a slot as its own type, for those that keep it between plans.
#[derive(Debug)]
pub struct Reader<T> {
    slot: Arc<Slot>,
    version: u64,
    index: Arc<T>,
}

impl<T> Clone for Reader<T> {
    fn clone(&self) -> Reader<T> {
        Reader {
            slot: self.slot.clone(),
            version: self.version,
            index: self.index.clone(),
        }
    }
}

impl<T: Index> Reader<T> {
    /// Reads a slot that holds an index of this type, by itself or as what the chooser has chosen.
    pub fn new(slot: &Arc<Slot>) -> Option<Reader<T>> {
        let version = slot.version();
        Some(Reader {
            index: as_type(slot.index())?,
            slot: slot.clone(),
            version,
        })
    }

    /// The index that was read last.
    #[inline]
    pub fn index(&self) -> &Arc<T> {
        &self.index
    }

    /// Looks whether there is another index, and takes it.
    #[inline]
    pub(crate) fn refresh(&mut self) -> bool {
        if self.version == self.slot.version() {
            return false;
        }
        self.version = self.slot.version();
        let newer = as_type(self.slot.index());
        let is_there = newer.is_some();
        self.index = newer.unwrap_or_else(|| self.index.clone());
        is_there
    }
}

fn as_type<T: Index>(index: Arc<dyn Index>) -> Option<Arc<T>> {
    let index = index.inner().unwrap_or(index);
    (index as Arc<dyn Any + Send + Sync>).downcast().ok()
}
