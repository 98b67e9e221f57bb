//! Names of places: points for people, cells for the engine.

use std::fmt;

/// A place on a map, origin top left, as in `.scen` files. Two numbers in a row, so that many of them are one array for bindings.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    bytemuck::Pod,
    bytemuck::Zeroable,
)]
#[repr(C)]
pub struct Point {
    /// The column.
    pub x: u32,
    /// The row.
    pub y: u32,
}

impl Point {
    /// The point in a column and a row.
    pub const fn new(x: u32, y: u32) -> Point {
        Point { x, y }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

impl From<(u32, u32)> for Point {
    fn from((x, y): (u32, u32)) -> Point {
        Point { x, y }
    }
}

impl From<&Point> for Point {
    fn from(point: &Point) -> Point {
        *point
    }
}

impl From<[u32; 2]> for Point {
    fn from([x, y]: [u32; 2]) -> Point {
        Point { x, y }
    }
}

impl From<Point> for (u32, u32) {
    fn from(point: Point) -> (u32, u32) {
        (point.x, point.y)
    }
}

impl Point {
    /// Column and row differences to another point, without sign.
    #[inline]
    pub const fn distances(self, other: Point) -> (u32, u32) {
        (self.x.abs_diff(other.x), self.y.abs_diff(other.y))
    }
}

/// The 32-bit id of a grid's cell (the position of its bit) or of an explicit graph's vertex.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable,
)]
#[repr(transparent)]
pub struct Cell(pub u32);

impl Cell {
    /// No cell at all: above every id of every space.
    pub const NONE: Cell = Cell(u32::MAX);

    /// The id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
