//! Changes of a map while it is in use.

use super::{Cell, Point};

/// Cells to block and to open, in order: the last word on a point counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridPatch {
    edits: Vec<(Point, bool)>,
}

impl GridPatch {
    /// A patch that changes nothing yet.
    pub fn new() -> GridPatch {
        GridPatch::default()
    }

    /// The point becomes a wall.
    pub fn block(&mut self, point: Point) -> &mut GridPatch {
        self.edits.push((point, false));
        self
    }

    /// The point becomes passable.
    pub fn open(&mut self, point: Point) -> &mut GridPatch {
        self.edits.push((point, true));
        self
    }

    /// What to do, in order: a point and whether it becomes passable.
    pub fn edits(&self) -> &[(Point, bool)] {
        &self.edits
    }
}

/// What a patch really changed, each cell once, in the order of ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Cells that were passable and are walls now.
    pub blocked: Vec<Cell>,
    /// Cells that were walls and are passable now.
    pub opened: Vec<Cell>,
}

impl ChangeSet {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many cells changed.
    pub fn len(&self) -> usize {
        self.blocked.len() + self.opened.len()
    }

    /// All of them in one, given in the order in which they were made.
    pub fn sum<'a>(patches: impl Iterator<Item = &'a ChangeSet>) -> ChangeSet {
        let mut sum = ChangeSet::default();
        for changes in patches {
            sum.blocked.extend_from_slice(&changes.blocked);
            sum.opened.extend_from_slice(&changes.opened);
        }
        sum.settle();
        sum
    }

    pub(super) fn record(&mut self, cell: Cell, passable: bool) {
        if passable {
            self.opened.push(cell);
        } else {
            self.blocked.push(cell);
        }
    }

    /// Sorts, and drops cells that were changed and changed back. A cell's edits alternate, so what is left of it is one
    /// entry in one list, or none.
    pub(super) fn settle(&mut self) {
        let blocked = std::mem::take(&mut self.blocked);
        let opened = std::mem::take(&mut self.opened);
        let mut balance: Vec<(Cell, i32)> = blocked.into_iter().map(|cell| (cell, -1)).collect();
        balance.extend(opened.into_iter().map(|cell| (cell, 1)));
        balance.sort_unstable();
        for group in balance.chunk_by(|a, b| a.0 == b.0) {
            match group.iter().map(|entry| entry.1).sum::<i32>() {
                0 => {}
                sum => self.record(group[0].0, sum > 0),
            }
        }
    }
}
