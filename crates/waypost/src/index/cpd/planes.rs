//! The first-move sets of one source as bitmaps: for each direction the targets that it is optimal for.

use super::sets::FirstMoves;
use crate::grid::{Cell, Direction, Directions, Grid};

/// Bitmaps in the layout of [`Grid::words`].
#[derive(Clone, Debug)]
pub(crate) struct Planes {
    /// One bitmap per direction.
    pub optimal: [Vec<u64>; 8],
}

impl Planes {
    pub fn new(grid: &Grid) -> Planes {
        Planes {
            optimal: std::array::from_fn(|_| vec![0; grid.words().len()]),
        }
    }

    /// Takes the sets from a search.
    pub fn copy_sets(&mut self, sets: &FirstMoves, targets: &[Cell]) {
        self.optimal.iter_mut().for_each(|plane| plane.fill(0));
        for &target in targets {
            for d in sets.towards(target) {
                self.optimal[d as usize][target.index() >> 6] |= 1 << (target.0 & 63);
            }
        }
    }

    /// Sets groups of eight neighbouring cells: byte `d` of the bits is for direction `d`.
    pub fn set_groups(&mut self, groups: &[u32], bits: &[u64]) {
        for (d, plane) in self.optimal.iter_mut().enumerate() {
            for (&group, &bits) in groups.iter().zip(bits) {
                let shift = group % 8 * 8;
                let word = &mut plane[(group / 8) as usize];
                *word = *word & !(0xff << shift) | (bits >> (8 * d) & 0xff) << shift;
            }
        }
    }

    /// The set of one target.
    pub fn set(&self, target: Cell) -> Directions {
        let (word, shift) = (target.index() >> 6, target.0 & 63);
        let mut set = Directions::NONE;
        for d in Direction::ALL {
            if self.optimal[d as usize][word] >> shift & 1 != 0 {
                set = set.with(d);
            }
        }
        set
    }
}

/// A component as a bitmap, with the number of its cells in any rectangle in constant time.
#[derive(Clone, Debug)]
pub(crate) struct Territory {
    /// Bits of the component's cells in the layout of [`Grid::words`].
    pub cells: Vec<u64>,
    /// First and last column and row, counted as in the layout: one more than in points.
    pub bounds: Box2,
    words_per_row: usize,
    /// Cells above and left of each corner of the bounds, row by row.
    sums: Vec<u32>,
}

/// A rectangle of columns `x1..=x2` and rows `y1..=y2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Box2 {
    pub x1: u32,
    pub y1: u32,
    pub x2: u32,
    pub y2: u32,
}

impl Box2 {
    pub fn new(x1: u32, y1: u32, x2: u32, y2: u32) -> Box2 {
        Box2 { x1, y1, x2, y2 }
    }

    pub fn width(&self) -> u32 {
        self.x2 - self.x1 + 1
    }

    pub fn height(&self) -> u32 {
        self.y2 - self.y1 + 1
    }
}

impl Territory {
    pub fn of(grid: &Grid, cells: &[Cell]) -> Territory {
        let stride = grid.stride();
        let mut bits = vec![0; grid.words().len()];
        let mut bounds = Box2::new(u32::MAX, u32::MAX, 0, 0);
        for &cell in cells {
            bits[cell.index() >> 6] |= 1 << (cell.0 & 63);
            let (x, y) = (cell.0 % stride, cell.0 / stride);
            bounds = Box2 {
                x1: bounds.x1.min(x),
                y1: bounds.y1.min(y),
                x2: bounds.x2.max(x),
                y2: bounds.y2.max(y),
            };
        }
        let mut territory = Territory {
            cells: bits,
            bounds,
            words_per_row: grid.words_per_row(),
            sums: Vec::new(),
        };
        if !cells.is_empty() {
            territory.sum();
        }
        territory
    }

    fn sum(&mut self) {
        let (columns, b) = (self.bounds.width() as usize + 1, self.bounds);
        self.sums = vec![0; columns * (b.height() as usize + 1)];
        for y in b.y1..=b.y2 {
            let row = (y - b.y1) as usize * columns;
            let mut before = 0;
            for x in b.x1..=b.x2 {
                before += u32::from(self.contains(x, y));
                let column = (x - b.x1) as usize + 1;
                self.sums[row + columns + column] = self.sums[row + column] + before;
            }
        }
    }

    #[inline]
    pub fn words_per_row(&self) -> usize {
        self.words_per_row
    }

    #[inline]
    fn contains(&self, x: u32, y: u32) -> bool {
        self.cells[y as usize * self.words_per_row + (x >> 6) as usize] >> (x & 63) & 1 != 0
    }

    /// Cells of the component in a rectangle, which may reach beyond the bounds.
    pub fn area(&self, r: Box2) -> u32 {
        let b = self.bounds;
        let (x1, x2) = (r.x1.max(b.x1), r.x2.min(b.x2));
        let (y1, y2) = (r.y1.max(b.y1), r.y2.min(b.y2));
        if x1 > x2 || y1 > y2 {
            return 0;
        }
        let columns = b.width() as usize + 1;
        let at = |x: u32, y: u32| self.sums[(y - b.y1) as usize * columns + (x - b.x1) as usize];
        at(x2 + 1, y2 + 1) + at(x1, y1) - at(x1, y2 + 1) - at(x2 + 1, y1)
    }
}

/// The bits of columns `x1..=x2` that fall in a word of a row.
#[inline]
pub(crate) fn word_mask(word: usize, x1: u32, x2: u32) -> u64 {
    let first = word as u32 * 64;
    let low = x1.saturating_sub(first).min(63);
    let high = (x2 - first).min(63);
    (u64::MAX << low) & (u64::MAX >> (63 - high))
}
