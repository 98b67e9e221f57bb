//! Connected components: "is there a way?" in constant time.
//!
//! **Layout.** A row of the grid is a row of runs: passable cells side by side, which are always connected. Labels are kept
//! for runs, not for cells. A bit map marks where runs begin and end; a cell finds its run by counting the marks before it
//! (one 16-bit count a word and one popcount). Together that is 0.16 bytes a cell and 4 bytes a run, where a label for
//! every cell would take 4 bytes a cell.
//!
//! **Building** goes over the rows once and joins runs that touch runs of the row above (union-find over labels).
//!
//! **Repair.** A label names a *piece*, and pieces belong to components, so that joining two components renames the pieces
//! of one of them and touches no run. After a patch the rows that it changed are read again. Opened cells join what they
//! touch. Around blocked cells, the runs that touched them are grouped by whether they still touch each other; where one
//! component has several groups, a flood starts from each, and all advance in turn, run by run. Floods that meet are one;
//! a flood that ends is a new component. The work follows the patch, its rows and the smaller parts, not the map, except
//! where two large parts hang together by a long way round. When pieces have become many, all is built again.
//!
//! Component numbers run from 0 without gaps. A fresh [`Components::find`] numbers them by their first cell; repairs keep
//! them dense, not in order.

mod build;
mod component_repair;
mod nearest;
mod row_runs;

#[cfg(test)]
mod tests;

use super::{Cell, Corners, Grid};
use row_runs::RunTable;

/// No piece, no component.
const NONE: u32 = u32::MAX;

/// The component of every passable cell.
#[derive(Clone, Debug)]
pub struct Components {
    corners: Corners,
    runs: RunTable,
    pieces: Vec<Piece>,
    parts: Vec<Part>,
}

/// What a label names: a set of runs in one component.
#[derive(Clone, Copy, Debug)]
struct Piece {
    component: u32,
    /// The next piece of the same component.
    next: u32,
}

/// A component: its cells, and the chain of its pieces.
#[derive(Clone, Copy, Debug)]
struct Part {
    cells: u64,
    first: u32,
    last: u32,
    pieces: u32,
}

impl Components {
    /// Finds the components of a grid. Corner rules `never` and `one` connect cells through their sides alone.
    pub fn find(grid: &Grid, corners: Corners) -> Components {
        build::find(grid, corners)
    }

    /// Is there a path between the two cells? False where either is blocked.
    #[inline]
    pub fn connected(&self, a: Cell, b: Cell) -> bool {
        self.of(a)
            .is_some_and(|component| Some(component) == self.of(b))
    }

    /// The number of the component that a passable cell belongs to.
    #[inline]
    pub fn of(&self, cell: Cell) -> Option<u32> {
        let label = self.runs.label_at(cell.0)?;
        Some(self.pieces[label as usize].component)
    }

    /// How many components there are.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The number of cells in a component.
    pub fn size(&self, component: u32) -> u64 {
        self.parts
            .get(component as usize)
            .map_or(0, |part| part.cells)
    }

    /// The component with the most cells, the first of equals; `None` on a map of walls.
    pub fn largest(&self) -> Option<u32> {
        (0..self.parts.len() as u32).max_by_key(|&c| (self.size(c), std::cmp::Reverse(c)))
    }

    /// Bytes that the structure takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Components>()
            + self.runs.memory_bytes()
            + self.pieces.len() * size_of::<Piece>()
            + self.parts.len() * size_of::<Part>()
    }

    /// Columns by which runs of neighbouring rows may miss each other and still touch.
    fn reach(&self) -> u32 {
        u32::from(self.corners.connects_diagonally())
    }

    /// A new piece of a component, not yet in its chain.
    fn new_piece(&mut self, component: u32) -> u32 {
        self.pieces.push(Piece {
            component,
            next: NONE,
        });
        self.pieces.len() as u32 - 1
    }

    /// A new component of one new piece.
    fn new_part(&mut self, cells: u64) -> u32 {
        let piece = self.new_piece(self.parts.len() as u32);
        self.parts.push(Part {
            cells,
            first: piece,
            last: piece,
            pieces: 1,
        });
        piece
    }
}
