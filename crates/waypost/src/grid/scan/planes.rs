//! Planes: a grid's bits laid out so that columns and diagonals, too, are runs of neighbouring bits.
//!
//! Inside this module cells are counted with the border: column 0 and row 0 are border. With `cycle = width + 1`
//! columns, row `y` of
//!
//! - the **column** plane is line `x`, position `y`;
//! - the **falling** plane (moves south-east and north-west) is line `(x - y) mod cycle`, position `y`;
//! - the **rising** plane (south-west and north-east) is line `(x + y) mod cycle`, position `y`.
//!
//! Taking the line number modulo the cycle wraps every diagonal round the map's edge, where the border column stops all
//! scans: no bit is wasted, and all three planes have the size of the grid. Each is made 64 rows at a time: rotate the
//! rows, then turn 64 x 64 blocks over.

use super::bits::{bits_from, transpose};
use crate::grid::{Grid, Point};

/// Which lines a plane keeps together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    Columns,
    Falling,
    Rising,
}

/// The sizes that all planes of a map share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Columns including one border column.
    pub cycle: u32,
    /// Rows including both borders.
    pub rows: u32,
    /// Words of a row in the row layout.
    pub row_words: usize,
    /// Words of a line in the other layouts.
    pub line_words: usize,
    /// `y mod cycle` for every row.
    pub row_turn: Vec<u32>,
}

impl Shape {
    pub fn of(grid: &Grid) -> Shape {
        let (cycle, rows) = (grid.width() + 1, grid.height() + 2);
        Shape {
            cycle,
            rows,
            row_words: grid.words_per_row(),
            line_words: rows.div_ceil(64) as usize,
            row_turn: (0..rows).map(|y| y % cycle).collect(),
        }
    }

    /// Words of a plane of lines, its sentinel included.
    pub fn line_plane_words(&self) -> usize {
        self.cycle as usize * self.line_words + 1
    }

    /// The position of a cell's bit in the row layout: its id.
    #[inline]
    pub fn row_bit(&self, at: Point) -> usize {
        (at.y as usize + 1) * (self.row_words * 64) + at.x as usize + 1
    }

    /// The cell of a bit in the row layout.
    pub fn row_point(&self, bit: usize) -> Point {
        let columns = self.row_words * 64;
        Point {
            x: (bit % columns) as u32 - 1,
            y: (bit / columns) as u32 - 1,
        }
    }

    /// The position of a cell's bit among columns.
    #[inline]
    pub fn column_bit(&self, at: Point) -> usize {
        (at.x as usize + 1) * (self.line_words * 64) + at.y as usize + 1
    }

    /// The position of a cell's bit among falling diagonals.
    #[inline]
    pub fn falling_bit(&self, at: Point) -> usize {
        let turn = self.row_turn[at.y as usize + 1];
        let line = at.x + 1;
        let line = if line >= turn {
            line - turn
        } else {
            line + self.cycle - turn
        };
        line as usize * (self.line_words * 64) + at.y as usize + 1
    }

    /// The position of a cell's bit among rising diagonals.
    #[inline]
    pub fn rising_bit(&self, at: Point) -> usize {
        let line = at.x + 1 + self.row_turn[at.y as usize + 1];
        let line = if line >= self.cycle {
            line - self.cycle
        } else {
            line
        };
        line as usize * (self.line_words * 64) + at.y as usize + 1
    }

    #[inline]
    pub fn bit(&self, lines: Lines, at: Point) -> usize {
        match lines {
            Lines::Columns => self.column_bit(at),
            Lines::Falling => self.falling_bit(at),
            Lines::Rising => self.rising_bit(at),
        }
    }

    /// Lays a plane of rows out in lines. `sentinel` is the word that ends the plane.
    pub fn lay_out(&self, plane: &[u64], lines: Lines, sentinel: u64) -> Vec<u64> {
        let mut out = vec![0; self.line_plane_words()];
        let words = (self.cycle as usize).div_ceil(64);
        let mut block = [0; 64];
        for line_word in 0..self.line_words {
            let first_row = line_word * 64;
            let rows = 64.min(self.rows as usize - first_row);
            for word in 0..words {
                for (i, bits) in block.iter_mut().enumerate() {
                    *bits = if i < rows {
                        self.rotated(plane, first_row + i, lines, word * 64)
                    } else {
                        0
                    };
                }
                transpose(&mut block);
                let first_line = word * 64;
                let last = 64.min(self.cycle as usize - first_line);
                for (i, &bits) in block[..last].iter().enumerate() {
                    out[(first_line + i) * self.line_words + line_word] = bits;
                }
            }
        }
        out[self.line_plane_words() - 1] = sentinel;
        out
    }

    /// The bits of row `y` on lines `first_line ..`, 64 of them.
    fn rotated(&self, plane: &[u64], y: usize, lines: Lines, first_line: usize) -> u64 {
        let cycle = self.cycle as usize;
        let row = &plane[y * self.row_words..(y + 1) * self.row_words];
        let turn = self.row_turn[y] as usize;
        let mut from = first_line
            + match lines {
                Lines::Columns => 0,
                Lines::Falling => turn,
                Lines::Rising => cycle - turn,
            };
        if from >= cycle {
            from %= cycle;
        }
        let ahead = cycle - from;
        let mut bits = bits_from(row, from);
        if ahead < 64 {
            bits &= (1 << ahead) - 1;
            // A map narrower than a word wraps several times; lines beyond the cycle are never read.
            bits |= bits_from(row, 0) << ahead;
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::bit;
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn every_layout_holds_every_cell() {
        let mut rng = Rng::new(3);
        for (width, height) in [(1, 1), (5, 9), (63, 70), (64, 3), (130, 61), (3, 200)] {
            let grid = Grid::from_fn(width, height, |_| rng.percent(60)).expect("a legal size");
            let shape = Shape::of(&grid);
            for lines in [Lines::Columns, Lines::Falling, Lines::Rising] {
                let plane = shape.lay_out(grid.words(), lines, 0);
                for y in 0..height {
                    for x in 0..width {
                        let at = Point { x, y };
                        let free = grid.passable_cell(at).is_some();
                        assert_eq!(bit(&plane, shape.bit(lines, at)), free, "{lines:?} {at}");
                    }
                }
            }
        }
    }
}
