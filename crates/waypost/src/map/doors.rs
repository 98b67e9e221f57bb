//! Doors: cells that may open and close while a level is played.
//!
//! Indexes are built for the map with all doors open; a closed door is a wall that was put up later. So no door ever makes
//! an index stale: what it knows are lower bounds, and its paths are shortest wherever they are free.

use crate::grid::{Cell, Grid, Point};

/// The cells of a map that are doors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doors {
    /// A grid in which the doors are the passable cells.
    cells: Grid,
}

impl Doors {
    /// No doors on a map of the size of `grid`.
    pub fn none(grid: &Grid) -> Doors {
        let cells = Grid::blocked(grid.width(), grid.height());
        Doors {
            cells: cells.unwrap_or_else(|_| grid.clone()),
        }
    }

    /// Makes a cell a door; points outside the map are ignored.
    pub fn add(&mut self, point: Point) {
        self.cells.set(point, true);
    }

    /// Makes a door of a cell that is none, and none of one that is.
    pub(super) fn toggle(&mut self, cell: Cell) {
        let point = self.cells.point(cell);
        self.cells.set(point, !self.cells.is_passable(cell));
    }

    /// Whether the cell is a door.
    #[inline]
    pub fn contains(&self, cell: Cell) -> bool {
        self.cells.is_passable(cell)
    }

    /// Whether the point is a door.
    pub(crate) fn has_at(&self, point: Point) -> bool {
        self.cells.passable_cell(point).is_some()
    }

    /// All doors, in the order of cells.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.cells.cells()
    }

    /// How many cells are doors.
    pub fn len(&self) -> usize {
        self.cells.passable_count() as usize
    }

    /// Whether no cell is a door.
    pub fn is_empty(&self) -> bool {
        self.cells.words().iter().all(|&word| word == 0)
    }

    /// The grid with all doors open.
    pub(super) fn opened(&self, grid: &Grid) -> Grid {
        let mut open = grid.clone();
        for cell in self.cells() {
            open.set(grid.point(cell), true);
        }
        open
    }

    /// The grid with all doors closed.
    pub(super) fn closed(&self, grid: &Grid) -> Grid {
        let mut closed = grid.clone();
        for cell in self.cells() {
            closed.set(grid.point(cell), false);
        }
        closed
    }

    pub(super) fn fingerprint(&self) -> u64 {
        self.cells.fingerprint()
    }

    pub(super) fn mask(&self) -> &Grid {
        &self.cells
    }
}
