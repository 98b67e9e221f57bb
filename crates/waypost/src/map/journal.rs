//! What happened to a map lately: so that nobody has to be told of a patch, only to look.

use crate::grid::ChangeSet;
use crate::space::News;
use crate::stream::{Reader, Writer};
use std::collections::VecDeque;
use std::sync::Arc;

/// Patches that are remembered.
const MAX_ENTRIES: usize = 256;
/// Changed cells that are remembered, all patches together.
const MAX_CELLS: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    before: u64,
    changes: Arc<ChangeSet>,
}

/// The latest patches of a map, each under the fingerprint that the map had before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Journal {
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

    /// The same where they have changed at most this many cells, all together; else `None`.
    pub fn few_since(
        &self,
        fingerprint: u64,
        most_cells: usize,
    ) -> Option<impl Iterator<Item = &ChangeSet>> {
        let mut left = most_cells;
        for patch in self.since(fingerprint)? {
            left = left.checked_sub(patch.len())?;
        }
        self.since(fingerprint)
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

    /// Writes it down.
    pub fn save(&self, out: &mut Writer) {
        out.u64(self.entries.len() as u64);
        for entry in &self.entries {
            out.u64(entry.before);
            out.cells(&entry.changes.blocked);
            out.cells(&entry.changes.opened);
        }
    }

    /// Reads what [`Journal::save`] wrote, for a map with ids below this bound; `None` where it is none.
    pub fn load(from: &mut Reader, id_bound: usize) -> Option<Journal> {
        let mut journal = Journal::default();
        for _ in 0..from.count(24)? {
            let before = from.u64()?;
            let (blocked, opened) = (from.cells(id_bound)?, from.cells(id_bound)?);
            journal.add(before, &ChangeSet { blocked, opened });
        }
        Some(journal)
    }
}
