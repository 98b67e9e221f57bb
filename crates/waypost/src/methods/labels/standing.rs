//! How labels stand to a map that changes, and how far a path of theirs is free on it.

use crate::agent::MEASURED_RUN;
use crate::grid::Cell;
use crate::grid::scan::moved;
use crate::index::labels::CornerLabels;
use crate::index::slot::Reader;
use crate::map::Map;
use crate::search::climb::Ground;
use crate::search::jps::PathRuns;
use std::ops::Range;

/// Words of the map, or changed cells, that a look within a move goes through.
const LOOKED_AT: usize = 1024;

/// The newest labels, and how they stand to a map.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) reader: Reader<CornerLabels>,
    /// The map that was looked at last.
    seen: u64,
    /// How many cells of the words that were looked at are passable and were walls when the labels were built.
    opened: u64,
    /// How many words have not been looked at: the last ones.
    unseen: usize,
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
    pub(super) fn new(reader: Reader<CornerLabels>) -> Known {
        Known {
            seen: reader.index().state(),
            opened: 0,
            unseen: 0,
            reader,
        }
    }

    /// Takes the newest labels and counts what has opened since they were built.
    pub(super) fn look(&mut self, map: &Map) {
        self.look_at(map, usize::MAX);
    }

    /// The same within a move: what takes longer is gone on with by the next one.
    pub(super) fn look_a_little(&mut self, map: &Map) {
        self.look_at(map, LOOKED_AT);
    }

    fn look_at(&mut self, map: &Map, most: usize) {
        if self.reader.refresh() {
            (self.seen, self.opened, self.unseen) = (self.reader.index().state(), 0, 0);
        }
        if self.seen == map.fingerprint() && self.unseen == 0 {
            return;
        }
        if !self
            .reader
            .index()
            .scans()
            .fit(map.grid(), map.rules().corners)
        {
            // Another map altogether: nothing that they know holds.
            (self.seen, self.opened, self.unseen) = (map.fingerprint(), 1, 0);
            return;
        }
        if self.reader.index().state() == map.open_fingerprint() {
            // Doors alone have closed.
            (self.seen, self.opened, self.unseen) = (map.fingerprint(), 0, 0);
            return;
        }
        if self.seen != map.fingerprint() {
            match self.opened_by_patches(map, most) {
                Some(opened) => self.opened = opened,
                // It is not remembered what has changed, or that is much: all words are counted.
                None => (self.opened, self.unseen) = (0, map.grid().words().len()),
            }
            self.seen = map.fingerprint();
        }
        let first = map.grid().words().len() - self.unseen;
        let words = self.unseen.min(most);
        let scans = self.reader.index().scans();
        self.opened += scans.walls_open_in(map.grid(), first..first + words);
        self.unseen -= words;
    }

    /// What is opened in the words that were looked at after the patches since then.
    fn opened_by_patches(&self, map: &Map, most_cells: usize) -> Option<u64> {
        let scans = self.reader.index().scans();
        let counted = map.grid().words().len() - self.unseen;
        let walls = |cells: &[Cell]| {
            let is_wall = |&&cell: &&Cell| {
                cell.index() / 64 < counted && !scans.is_passable(map.grid().point(cell))
            };
            cells.iter().filter(is_wall).count() as u64
        };
        let mut patches = map.few_patches_since(self.seen, most_cells)?;
        patches.try_fold(self.opened, |opened, patch| {
            (opened + walls(&patch.opened)).checked_sub(walls(&patch.blocked))
        })
    }

    pub(super) fn standing_after_look(&mut self, map: &Map) -> Standing {
        self.look_a_little(map);
        self.standing(map)
    }

    pub(super) fn standing(&self, map: &Map) -> Standing {
        if self.reader.index().state() == map.fingerprint() {
            Standing::Current
        } else if self.seen == map.fingerprint() && (self.opened, self.unseen) == (0, 0) {
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
