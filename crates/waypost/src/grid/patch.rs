//! Changes of a map while it is in use.

use super::{Cell, Grid, Point};

/// Rectangles of cells to block and to open, in order: the last word on a point counts. What lies outside the map is ignored.
///
/// ```
/// use waypost::Patch;
/// let mut patch = Patch::new();
/// patch.block_rect((60, 40), (2, 6)).open((61, 42)).block((7, 7));
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
}

impl GridPatch {
    /// A patch that changes nothing yet.
    pub fn new() -> GridPatch {
        GridPatch::default()
    }

    /// The point becomes a wall.
    #[doc(alias = "close")]
    pub fn block(&mut self, point: impl Into<Point>) -> &mut GridPatch {
        self.block_rect(point, (1, 1))
    }

    /// The point becomes passable.
    pub fn open(&mut self, point: impl Into<Point>) -> &mut GridPatch {
        self.open_rect(point, (1, 1))
    }

    /// A rectangle of columns and rows, by its top left point, becomes a wall.
    pub fn block_rect(&mut self, at: impl Into<Point>, size: (u32, u32)) -> &mut GridPatch {
        self.edit(at.into(), size, false)
    }

    /// A rectangle of columns and rows, by its top left point, becomes passable.
    pub fn open_rect(&mut self, at: impl Into<Point>, size: (u32, u32)) -> &mut GridPatch {
        self.edit(at.into(), size, true)
    }

    /// The map becomes as this grid is, from its top left corner on.
    pub fn layer(&mut self, layer: &super::Grid) -> &mut GridPatch {
        for y in 0..layer.height() {
            let mut x = 0;
            while x < layer.width() {
                let passable = |x| layer.passable_cell(Point { x, y }).is_some();
                let first = passable(x);
                let end = (x..layer.width()).find(|&x| passable(x) != first);
                let end = end.unwrap_or(layer.width());
                self.edit(Point { x, y }, (end - x, 1), first);
                x = end;
            }
        }
        self
    }

    fn edit(&mut self, at: Point, (width, height): (u32, u32), passable: bool) -> &mut GridPatch {
        self.edits.push(Edit {
            at,
            width,
            height,
            passable,
        });
        self
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
            patch.block(grid.point(cell));
        }
        for &cell in &self.opened {
            patch.open(grid.point(cell));
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
