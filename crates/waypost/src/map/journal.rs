//! What happened to a map lately: so that nobody has to be told of a patch, only to look.

use crate::grid::ChangeSet;
use crate::space::News;
use std::collections::VecDeque;
use std::sync::Arc;

/// Patches that are remembered.
const MAX_ENTRIES: usize = 256;
/// Changed cells that are remembered, all patches together.
const MAX_CELLS: usize = 1 << 20;

#[derive(Clone, Debug)]
struct Entry {
    before: u64,
    changes: Arc<ChangeSet>,
}

/// The latest patches of a map, each under the fingerprint that the map had before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    entries: VecDeque<Entry>,
    cells: usize,
}

impl Journal {
    /// Takes a patch down and forgets the oldest ones where there are too many.
    pub fn add(&mut self, before: u64, changes: &ChangeSet) {
        self.cells += changes.len();
        let changes = Arc::new(changes.clone());
        self.entries.push_back(Entry { before, changes });
        while self.entries.len() > MAX_ENTRIES || self.cells > MAX_CELLS {
            match self.entries.pop_front() {
                Some(oldest) => self.cells -= oldest.changes.len(),
                None => return,
            }
        }
    }

    /// The patches since the map had this fingerprint last; `None` where that is forgotten or never was.
    pub fn since(&self, fingerprint: u64) -> Option<impl Iterator<Item = &ChangeSet>> {
        let first = self.entries.iter().rposition(|e| e.before == fingerprint)?;
        Some(self.entries.range(first..).map(|entry| &*entry.changes))
    }

    /// What can have become wrong since then.
    pub fn news(&self, fingerprint: u64) -> News {
        let patches = self.since(fingerprint);
        let walls_alone = patches.is_some_and(|mut all| all.all(|p| p.opened.is_empty()));
        if walls_alone {
            News::Walls
        } else {
            News::Openings
        }
    }

    /// All changes since then in one; cells that were changed back are not in it.
    pub fn changes(&self, fingerprint: u64) -> Option<ChangeSet> {
        self.since(fingerprint).map(ChangeSet::sum)
    }
}
