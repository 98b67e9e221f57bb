//! How labels stand to a map that changes, and how far a path of theirs is free on it.

use crate::agent::MEASURED_RUN;
use crate::grid::scan::moved;
use crate::grid::{Cell, ChangeSet};
use crate::index::labels::CornerLabels;
use crate::index::slot::Reader;
use crate::map::Map;
use crate::methods::jump::MAX_CHANGES;
use crate::search::climb::Ground;
use crate::search::jps::PathRuns;
use std::ops::Range;

/// The newest labels, and how they stand to a map.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) reader: Reader<CornerLabels>,
    /// The map that was looked at last.
    pub(super) seen: u64,
    /// How many of its cells are passable that were walls when the labels were built; `None` where nobody has counted them.
    pub(super) opened: Option<u64>,
}

/// How labels stand to the map as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// They are of it.
    Current,
    /// Walls went up since: their paths are shortest where they are free.
    Walls,
    /// They know nothing for certain.
    Unknown,
}

/// What came of asking the labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Their path is on the trail.
    Free,
    /// The runs that were looked at are free.
    FreeSoFar,
    /// They know no path, or it is blocked.
    Blocked,
}

impl Known {
    /// Takes the newest labels and counts what has opened since they were built, as long as no more cells have changed than this.
    pub(super) fn look(&mut self, map: &Map, max_changes: usize) {
        if self.reader.refresh() {
            (self.seen, self.opened) = (self.reader.index().state(), Some(0));
        }
        let may_take_long = max_changes == usize::MAX;
        if self.seen == map.fingerprint() && (self.opened.is_some() || !may_take_long) {
            return;
        }
        let is_own = self.reader.index().state() == map.open_fingerprint();
        if is_own {
            (self.seen, self.opened) = (map.fingerprint(), Some(0));
            return;
        }
        let changes = map
            .patches_since(self.seen)
            .map(|patches| patches.map(|patch| patch.len()).sum());
        if changes.is_some_and(|changes: usize| changes > max_changes) {
            return;
        }
        self.opened = map.patches_since(self.seen).and_then(|mut patches| {
            patches.try_fold(self.opened?, |opened, patch| self.count(map, opened, patch))
        });
        if self.opened.is_none() && may_take_long {
            self.opened = Some(self.reader.index().scans().walls_open_in(map.grid()));
        }
        self.seen = map.fingerprint();
    }

    /// So many cells are open after a patch that were walls in the map of the labels.
    pub(super) fn count(&self, map: &Map, opened: u64, patch: &ChangeSet) -> Option<u64> {
        let scans = self.reader.index().scans();
        let walls = |cells: &[Cell]| {
            let is_wall = |&&cell: &&Cell| !scans.is_passable(map.grid().point(cell));
            cells.iter().filter(is_wall).count() as u64
        };
        (opened + walls(&patch.opened)).checked_sub(walls(&patch.blocked))
    }

    pub(super) fn standing_after_look(&mut self, map: &Map) -> Standing {
        self.look(map, MAX_CHANGES);
        self.standing(map)
    }

    pub(super) fn standing(&self, map: &Map) -> Standing {
        if self.reader.index().state() == map.fingerprint() {
            Standing::Current
        } else if self.seen == map.fingerprint() && self.opened == Some(0) {
            Standing::Walls
        } else {
            Standing::Unknown
        }
    }
}

/// Whether these runs of a path are free on the map as it is; counts those that were measured.
pub(super) fn look_along(
    map: &Map,
    path: &PathRuns,
    runs: Range<usize>,
    measured: &mut u64,
) -> Asked {
    let mut at = path.start();
    for (i, run) in path.runs().iter().enumerate() {
        if i >= runs.end {
            return Asked::FreeSoFar;
        }
        if i >= runs.start {
            *measured += MEASURED_RUN;
            if map.run(at, run.direction, run.steps) < run.steps {
                return Asked::Blocked;
            }
        }
        at = moved(at, run.direction, run.steps);
    }
    Asked::Free
}
