//! Changes of a map while it is in use.

use super::{Cell, Grid, Point};

/// Rectangles of cells to block and to open, in order: the last word on a point counts. What lies outside the map is ignored.
///
/// ```
/// use waypost::prelude::*;
/// let patch = Patch::new().block_rect((60, 40), (2, 6)).open((61, 42)).block((7, 7));
/// # let (gate, is_night) = ([Point::from((3, 4)), Point::from((3, 5))], true);
/// let mut patch = patch.block_all(gate);
/// patch.set((9, 9), !is_night); // in place: in loops, and where it depends
/// assert_eq!(patch.edits().len(), 6);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridPatch {
    edits: Vec<Edit>,
}

/// A rectangle that becomes passable or a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Its top left point.
    pub at: Point,
    /// Its columns.
    pub width: u32,
    /// Its rows.
    pub height: u32,
    /// Whether it becomes passable.
    pub passable: bool,
    /// Whether it is part of a [`layer`](GridPatch::layer): walls of it that lie on ground which is a wall anyway are that ground.
    pub is_layer: bool,
}

impl GridPatch {
    /// A patch that changes nothing yet.
    pub fn new() -> GridPatch {
        GridPatch::default()
    }

    /// The point becomes a wall.
    #[doc(alias = "close")]
    pub fn block(self, point: impl Into<Point>) -> GridPatch {
        self.block_rect(point, (1, 1))
    }

    /// The point becomes passable.
    pub fn open(self, point: impl Into<Point>) -> GridPatch {
        self.open_rect(point, (1, 1))
    }

    /// The points become walls.
    pub fn block_all<P: Into<Point>>(mut self, points: impl IntoIterator<Item = P>) -> GridPatch {
        points.into_iter().for_each(|point| self.set(point, false));
        self
    }

    /// The points become passable.
    pub fn open_all<P: Into<Point>>(mut self, points: impl IntoIterator<Item = P>) -> GridPatch {
        points.into_iter().for_each(|point| self.set(point, true));
        self
    }

    /// A rectangle of columns and rows, by its top left point, becomes a wall.
    pub fn block_rect(mut self, at: impl Into<Point>, size: (u32, u32)) -> GridPatch {
        self.set_rect(at, size, false);
        self
    }

    /// A rectangle of columns and rows, by its top left point, becomes passable.
    pub fn open_rect(mut self, at: impl Into<Point>, size: (u32, u32)) -> GridPatch {
        self.set_rect(at, size, true);
        self
    }

    /// The map becomes as this grid is, from its top left corner on, for units of the first type. Where both have walls nothing changes, so
    /// water that boats pass stays water: a dam is [`block_rect`](GridPatch::block_rect).
    pub fn layer(mut self, layer: &super::Grid) -> GridPatch {
        for y in 0..layer.height() {
            let mut x = 0;
            while x < layer.width() {
                let passable = |x| layer.passable_cell(Point { x, y }).is_some();
                let first = passable(x);
                let end = (x..layer.width()).find(|&x| passable(x) != first);
                let end = end.unwrap_or(layer.width());
                self.edits.push(Edit {
                    at: Point { x, y },
                    width: end - x,
                    height: 1,
                    passable: first,
                    is_layer: true,
                });
                x = end;
            }
        }
        self
    }

    /// The point becomes passable or a wall: as [`open`](GridPatch::open) and [`block`](GridPatch::block), in place.
    pub fn set(&mut self, point: impl Into<Point>, passable: bool) {
        self.set_rect(point, (1, 1), passable);
    }

    /// A rectangle becomes passable or a wall, in place.
    pub fn set_rect(&mut self, at: impl Into<Point>, (width, height): (u32, u32), passable: bool) {
        self.edits.push(Edit {
            at: at.into(),
            width,
            height,
            passable,
            is_layer: false,
        });
    }

    /// What to do, in order.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
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
    /// The patch that makes these changes on another grid of this size.
    pub fn to_patch(&self, grid: &Grid) -> GridPatch {
        let mut patch = GridPatch::new();
        for &cell in &self.blocked {
            patch.set(grid.point(cell), false);
        }
        for &cell in &self.opened {
            patch.set(grid.point(cell), true);
        }
        patch
    }

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
