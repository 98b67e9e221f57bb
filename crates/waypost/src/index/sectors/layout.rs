//! How a map is cut into square sectors.

use crate::grid::{Cell, Grid, Point};

/// Square sectors of `2^bits` cells on a side, numbered row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    bits: u32,
    columns: u32,
    rows: u32,
}

impl Layout {
    /// Cuts a grid into sectors of `2^bits` cells on a side.
    pub fn new(grid: &Grid, bits: u32) -> Layout {
        Layout {
            bits,
            columns: grid.width().div_ceil(1 << bits),
            rows: grid.height().div_ceil(1 << bits),
        }
    }

    /// Whether it cuts a grid of this size in the same way.
    pub fn fits(self, grid: &Grid) -> bool {
        let other = Layout::new(grid, self.bits);
        (self.columns, self.rows) == (other.columns, other.rows)
    }

    /// The side of a sector is `2^bits` cells.
    #[inline]
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Cells on a side of a sector.
    #[inline]
    pub fn side(self) -> u32 {
        1 << self.bits
    }

    /// Cells in a whole sector.
    #[inline]
    pub fn area(self) -> usize {
        1 << (2 * self.bits)
    }

    /// How many sectors there are.
    #[inline]
    pub fn count(self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// Sectors side by side.
    #[inline]
    pub fn columns(self) -> u32 {
        self.columns
    }

    /// Sectors one above the other.
    #[inline]
    pub fn rows(self) -> u32 {
        self.rows
    }

    /// Column and row of the sector that a point is in.
    #[inline]
    pub fn place(self, point: Point) -> (u32, u32) {
        (point.x >> self.bits, point.y >> self.bits)
    }

    /// The number of the sector that a point is in.
    #[inline]
    pub fn sector(self, point: Point) -> usize {
        let (column, row) = self.place(point);
        (row * self.columns + column) as usize
    }

    /// Where a point is within its sector, row by row.
    #[inline]
    pub fn offset(self, point: Point) -> usize {
        let mask = self.side() - 1;
        ((point.y & mask) << self.bits | (point.x & mask)) as usize
    }

    /// Whether a place within a sector lies off its edges; whole sectors before it do not count.
    #[inline]
    pub fn is_inner(self, offset: usize) -> bool {
        let mask = self.side() - 1;
        let (x, y) = (offset as u32 & mask, (offset >> self.bits) as u32 & mask);
        let inner = mask.wrapping_sub(1);
        x.wrapping_sub(1) < inner && y.wrapping_sub(1) < inner
    }

    /// Column and row of a sector.
    #[inline]
    pub fn place_of(self, sector: usize) -> (u32, u32) {
        (sector as u32 % self.columns, sector as u32 / self.columns)
    }

    /// The sectors of the 3 x 3 block around a place that lie on the map, in order.
    pub fn block(self, (column, row): (u32, u32)) -> impl Iterator<Item = (u32, u32)> {
        let rows = row.saturating_sub(1)..(row + 2).min(self.rows);
        rows.flat_map(move |r| {
            (column.saturating_sub(1)..(column + 2).min(self.columns)).map(move |c| (c, r))
        })
    }

    /// The passable cells of a sector with their offsets in it, in order.
    pub fn cells(self, grid: &Grid, sector: usize) -> impl Iterator<Item = (usize, Cell)> + '_ {
        let (column, row) = self.place_of(sector);
        let (left, top) = (column << self.bits, row << self.bits);
        (0..self.area()).filter_map(move |offset| {
            let point = Point {
                x: left + (offset as u32 & (self.side() - 1)),
                y: top + (offset as u32 >> self.bits),
            };
            grid.passable_cell(point).map(|cell| (offset, cell))
        })
    }
}
