//! Grids: one bit per cell, a blocked border all round, rows padded to whole words.
//!
//! A [`Cell`] is the position of its bit, so the neighbours of a cell lie at fixed offsets and no step needs a bounds
//! check: the border is always blocked. Arrays over cells have [`Grid::id_bound`] entries.

mod cell;
pub mod components;
mod direction;
mod fingerprint;
mod patch;
pub mod pruning;
pub mod ranks;
mod rules;
pub mod scan;
mod size;
mod surroundings;

pub use cell::{Cell, Point};
pub use components::Components;
pub use direction::{Direction, Directions};
pub(crate) use fingerprint::mix;
pub use patch::{ChangeSet, Edit, GridPatch};
pub use rules::{Corners, MoveRules, Neighbourhood};
pub use size::MAX_SIZE;
pub use surroundings::Surroundings;

use thiserror::Error;

/// The longest side of a map.
pub const MAX_SIDE: u32 = 65_535;
/// The most cells of a map, blocked ones included.
pub const MAX_CELLS: u64 = 2_000_000_000;

/// Why a grid could not be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GridError {
    /// A side of length 0.
    #[error("a map of {width} x {height} cells is empty; expected at least 1 x 1")]
    Empty {
        /// The width asked for.
        width: u32,
        /// The height asked for.
        height: u32,
    },
    /// A side or the area is over the limit.
    #[error(
        "a map of {width} x {height} cells is too large; expected at most {MAX_SIDE} on a side and {MAX_CELLS} cells in all"
    )]
    TooLarge {
        /// The width asked for.
        width: u32,
        /// The height asked for.
        height: u32,
    },
}

/// The bits of a grid.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    words: &'a [u64],
    words_per_row: usize,
}

impl Rows<'_> {
    /// Which of the eight cells around a passable cell are passable.
    #[inline]
    pub fn neighbourhood(self, cell: Cell) -> Neighbourhood {
        neighbourhood_in(cell, self.words_per_row, |at| self.words[at])
    }
}

/// The neighbourhood of a cell in rows of bits that are read word by word.
#[inline]
pub(crate) fn neighbourhood_in(
    cell: Cell,
    words_per_row: usize,
    read: impl Fn(usize) -> u64,
) -> Neighbourhood {
    // Rows are whole words, so the three cells above, beside and below lie at the same place of their words.
    let (word, shift) = (((cell.0 - 1) >> 6) as usize, (cell.0 - 1) & 63);
    let (above, below) = (word - words_per_row, word + words_per_row);
    let mut rows = [
        read(above) >> shift,
        read(word) >> shift,
        read(below) >> shift,
    ];
    if shift > 61 {
        rows[0] |= read(above + 1) << (64 - shift);
        rows[1] |= read(word + 1) << (64 - shift);
        rows[2] |= read(below + 1) << (64 - shift);
    }
    let [above, here, below] = rows;
    Neighbourhood(((above & 7) | (here & 1) << 3 | (here & 4) << 2 | below << 5) as u8)
}

/// Which cells of a map can be stood on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    width: u32,
    height: u32,
    words_per_row: u32,
    /// `ceil(2^40 / words_per_row)`: turns the division in [`Grid::point`] into a multiplication.
    row_reciprocal: u64,
    offsets: [i32; 8],
    words: Vec<u64>,
}

impl Grid {
    /// A grid with every cell blocked.
    pub fn blocked(width: u32, height: u32) -> Result<Grid, GridError> {
        if width == 0 || height == 0 {
            return Err(GridError::Empty { width, height });
        }
        if width > MAX_SIDE || height > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_CELLS
        {
            return Err(GridError::TooLarge { width, height });
        }
        // Column 0 is the border; the right border is column 0 of the next row.
        let words_per_row = Grid::stride_of(width) / 64;
        let stride = (words_per_row * 64) as i32;
        // One spare word: the last cell's neighbourhood may reach a bit beyond the last row.
        let words = vec![0; (height as usize + 2) * words_per_row as usize + 1];
        Ok(Grid {
            width,
            height,
            words_per_row,
            row_reciprocal: (1u64 << 40).div_ceil(u64::from(words_per_row)),
            offsets: Direction::ALL.map(|d| d.dy() * stride + d.dx()),
            words,
        })
    }

    /// A grid in which `passable` decides for every point.
    pub fn from_fn(
        width: u32,
        height: u32,
        mut passable: impl FnMut(Point) -> bool,
    ) -> Result<Grid, GridError> {
        let mut grid = Grid::blocked(width, height)?;
        for y in 0..height {
            for x in 0..width {
                if passable(Point { x, y }) {
                    grid.set(Point { x, y }, true);
                }
            }
        }
        Ok(grid)
    }

    /// A grid of the same size that says of no cell whether it is passable: enough to know where cells are.
    pub(crate) fn shape(&self) -> Grid {
        Grid {
            words: Vec::new(),
            ..*self
        }
    }

    /// What has to change here for another grid of the same size to come of it.
    pub(crate) fn changes_to(&self, other: &Grid) -> ChangeSet {
        let mut changes = ChangeSet::default();
        for (number, (&mine, &theirs)) in self.words.iter().zip(&other.words).enumerate() {
            let mut differing = mine ^ theirs;
            while differing != 0 {
                let bit = differing.trailing_zeros();
                let cell = Cell(64 * number as u32 + bit);
                match mine >> bit & 1 {
                    0 => changes.opened.push(cell),
                    _ => changes.blocked.push(cell),
                }
                differing &= differing - 1;
            }
        }
        changes
    }

    /// The number of columns.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number of rows.
    #[inline]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Cell ids are below this: the length of an array over cells.
    #[inline]
    pub fn id_bound(&self) -> usize {
        (self.height as usize + 2) * self.stride() as usize
    }

    /// The difference between the ids of a cell and the cell below it.
    #[inline]
    pub fn stride(&self) -> u32 {
        self.words_per_row * 64
    }

    /// The stride of every grid of a width.
    pub(crate) const fn stride_of(width: u32) -> u32 {
        (width + 1).next_multiple_of(64)
    }

    /// Words of a row of bits.
    #[inline]
    pub fn words_per_row(&self) -> usize {
        self.words_per_row as usize
    }

    /// All bits: bit `id % 64` of word `id / 64` says whether the cell `id` is passable. One spare word follows.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The cell at a point of the map, blocked or not; `None` outside.
    #[inline]
    pub fn cell(&self, point: Point) -> Option<Cell> {
        (point.x < self.width && point.y < self.height)
            .then(|| Cell((point.y + 1) * self.stride() + point.x + 1))
    }

    /// Where a cell of this grid is.
    #[inline]
    pub fn point(&self, cell: Cell) -> Point {
        let row = ((u64::from(cell.0 >> 6) * self.row_reciprocal) >> 40) as u32;
        Point {
            x: (cell.0 - row * self.stride()).wrapping_sub(1),
            y: row.wrapping_sub(1),
        }
    }

    /// Can the cell be stood on? False for ids outside the map.
    #[inline]
    pub fn is_passable(&self, cell: Cell) -> bool {
        self.words
            .get((cell.0 >> 6) as usize)
            .is_some_and(|word| word >> (cell.0 & 63) & 1 != 0)
    }

    /// The passable cell at a point, if there is one.
    pub fn passable_cell(&self, point: Point) -> Option<Cell> {
        self.cell(point).filter(|&cell| self.is_passable(cell))
    }

    /// Blocks or opens a point while a map is made; points outside are ignored. Once a map is in use it changes through
    /// [`crate::Map::apply`], which keeps what is known of it in step.
    #[inline]
    pub fn set(&mut self, point: Point, passable: bool) {
        if let Some(cell) = self.cell(point) {
            self.set_cell(cell, passable);
        }
    }

    /// Makes a horizontal run of cells passable or blocked; what lies outside is ignored.
    pub(crate) fn set_run(&mut self, y: u32, xs: std::ops::Range<u32>, passable: bool) {
        let end = xs.end.min(self.width);
        if y >= self.height || xs.start >= end {
            return;
        }
        let row = (y + 1) * self.stride();
        let (first, last) = (row + xs.start + 1, row + end);
        for word in first >> 6..=last >> 6 {
            let low = first.saturating_sub(word * 64);
            let high = (last - word * 64).min(63);
            let mask = u64::MAX << low & u64::MAX >> (63 - high);
            if passable {
                self.words[word as usize] |= mask;
            } else {
                self.words[word as usize] &= !mask;
            }
        }
    }

    /// Overwrites row `y` with bits: bit `x % 64` of `bits[x / 64]` for column `x`. Missing words count as blocked.
    pub(crate) fn set_row_bits(&mut self, y: u32, bits: &[u64]) {
        if y >= self.height {
            return;
        }
        let start = (y as usize + 1) * self.words_per_row();
        let mut carry = 0;
        for i in 0..self.words_per_row() {
            let first = i as u32 * 64;
            let mut word = bits.get(i).copied().unwrap_or(0);
            if first + 64 > self.width {
                let keep = self.width.saturating_sub(first);
                word &= if keep == 0 {
                    0
                } else {
                    u64::MAX >> (64 - keep)
                };
            }
            self.words[start + i] = word << 1 | carry;
            carry = word >> 63;
        }
    }

    /// Other bits in the same layout.
    fn replace_words(&mut self, words: Vec<u64>) {
        self.words = words;
    }

    #[inline]
    fn set_cell(&mut self, cell: Cell, passable: bool) {
        let (word, bit) = ((cell.0 >> 6) as usize, 1u64 << (cell.0 & 63));
        if passable {
            self.words[word] |= bit;
        } else {
            self.words[word] &= !bit;
        }
    }

    /// The number of passable cells.
    pub fn passable_count(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }

    /// Whether all cells of the rectangle with these two corners are passable; `false` where it is wider than 57 cells, which nobody asks
    /// for.
    #[inline]
    pub(crate) fn is_free_between(&self, a: Point, b: Point) -> bool {
        let (left, right) = (a.x.min(b.x), a.x.max(b.x));
        let (top, bottom) = (a.y.min(b.y), a.y.max(b.y));
        let columns = right - left + 1;
        if columns > 57 {
            return false;
        }
        let mask = (1u64 << columns) - 1;
        let mut at = ((top + 1) * self.stride() + left + 1) as usize;
        (top..=bottom).all(|_| {
            let (word, shift) = (at / 64, at % 64);
            let high = self.words.get(word + 1).copied().unwrap_or(0);
            let bits = self.words[word] >> shift | high << 1 << (63 - shift);
            at += self.stride() as usize;
            bits & mask == mask
        })
    }

    /// All passable cells in the order of their ids: row by row from the top, each from the left.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    Cell(i as u32 * 64 + bit)
                })
            })
        })
    }

    /// Which of the eight cells around a passable cell are passable.
    #[inline]
    pub fn neighbourhood(&self, cell: Cell) -> Neighbourhood {
        self.rows().neighbourhood(cell)
    }

    /// The bits themselves, for loops that look at many cells.
    #[inline]
    pub fn rows(&self) -> Rows<'_> {
        Rows {
            words: &self.words,
            words_per_row: self.words_per_row(),
        }
    }

    /// The cell next to `cell`: a passable cell has eight neighbours, some of them perhaps border or wall.
    #[inline]
    pub fn neighbour(&self, cell: Cell, direction: Direction) -> Cell {
        Cell(cell.0.wrapping_add_signed(self.offsets[direction as usize]))
    }

    /// The direction of a step from a cell to one next to it; `None` where it is not next to it.
    #[inline]
    pub fn direction_between(&self, from: Cell, to: Cell) -> Option<Direction> {
        let (stride, way) = (
            self.offsets[Direction::South as usize],
            to.0.wrapping_sub(from.0) as i32,
        );
        // Rows are whole words: what lies next to it in another row is far from what lies next to it in its own.
        let dy = i32::from(way > 1) - i32::from(way < -1);
        Direction::of_step(way.wrapping_sub(dy * stride), dy)
    }

    /// Bytes that the grid takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Grid>() + self.words.len() * 8
    }

    fn change(&mut self, point: Point, passable: bool, changes: &mut ChangeSet) {
        let cell = self.cell(point);
        if let Some(cell) = cell.filter(|&cell| self.is_passable(cell) != passable) {
            self.set_cell(cell, passable);
            changes.record(cell, passable);
        }
    }

    /// Carries out a patch and says what really changed.
    pub fn apply(&mut self, patch: &GridPatch) -> ChangeSet {
        let mut changes = ChangeSet::default();
        for edit in patch.edits() {
            let bottom = edit.at.y.saturating_add(edit.height).min(self.height);
            let right = edit.at.x.saturating_add(edit.width).min(self.width);
            for y in edit.at.y..bottom {
                for x in edit.at.x..right {
                    self.change(Point { x, y }, edit.passable, &mut changes);
                }
            }
        }
        changes.settle();
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_between_neighbours_are_theirs() {
        for width in [1, 2, 63, 64, 300] {
            let grid = Grid::from_fn(width, 5, |_| true).expect("a legal size");
            let all = (0..5).flat_map(|y| (0..width).map(move |x| Point { x, y }));
            let all: Vec<Cell> = all.map(|p| grid.cell(p).expect("inside")).collect();
            for &from in &all {
                for to in Direction::ALL {
                    let next = grid.neighbour(from, to);
                    assert_eq!(grid.direction_between(from, next), Some(to));
                }
                for &to in &all {
                    let (a, b) = (grid.point(from), grid.point(to));
                    let (dx, dy) = (b.x as i32 - a.x as i32, b.y as i32 - a.y as i32);
                    let known = Direction::of_step(dx, dy);
                    assert_eq!(grid.direction_between(from, to), known);
                }
            }
        }
    }

    #[test]
    fn cells_and_points_agree_on_every_width() {
        for width in [1, 2, 62, 63, 64, 65, 127, 128, 300, 65_535] {
            let grid = Grid::from_fn(width, 3, |_| true).expect("a legal size");
            for y in 0..3 {
                for x in [0, width / 2, width - 1] {
                    let point = Point { x, y };
                    let cell = grid.cell(point).expect("inside");
                    assert_eq!(grid.point(cell), point);
                    assert!(grid.is_passable(cell));
                }
            }
            assert_eq!(grid.passable_count(), u64::from(width) * 3);
            assert_eq!(grid.cells().count(), width as usize * 3);
        }
    }

    #[test]
    fn the_border_is_blocked() {
        let grid = Grid::from_fn(63, 2, |_| true).expect("a legal size");
        for cell in grid.cells() {
            let point = grid.point(cell);
            let around = grid.neighbourhood(cell);
            for d in Direction::ALL {
                let (x, y) = (point.x as i32 + d.dx(), point.y as i32 + d.dy());
                let inside = (0..63).contains(&x) && (0..2).contains(&y);
                assert_eq!(around.is_passable(d), inside, "{point} {d:?}");
                assert_eq!(grid.is_passable(grid.neighbour(cell, d)), inside);
            }
        }
    }

    #[test]
    fn rows_of_bits_equal_single_cells() {
        for width in [1, 63, 64, 65, 128, 130] {
            let mut by_row = Grid::blocked(width, 2).expect("a legal size");
            by_row.set_row_bits(1, &[u64::MAX, 0x5555_5555_5555_5555, u64::MAX]);
            let by_cell = Grid::from_fn(width, 2, |p| {
                p.y == 1 && (!(64..128).contains(&p.x) || p.x % 2 == 0)
            });
            assert_eq!(Ok(by_row), by_cell);
        }
    }

    #[test]
    fn runs_of_cells_equal_single_cells() {
        for width in [1, 63, 64, 130, 200] {
            for (from, to) in [
                (0, 1),
                (0, 300),
                (5, 5),
                (62, 64),
                (63, 129),
                (7, 6),
                (250, 260),
            ] {
                let mut by_run = Grid::from_fn(width, 3, |p| p.y == 2).expect("a legal size");
                by_run.set_run(1, from..to, true);
                by_run.set_run(2, from..to, false);
                by_run.set_run(3, 0..width, true);
                let inside = |x| (from..to).contains(&x);
                let by_cell = Grid::from_fn(width, 3, |p| match p.y {
                    0 => false,
                    1 => inside(p.x),
                    _ => !inside(p.x),
                });
                assert_eq!(Ok(by_run), by_cell, "{from}..{to} of {width}");
            }
        }
    }

    #[test]
    fn sizes_are_checked() {
        assert!(matches!(Grid::blocked(0, 5), Err(GridError::Empty { .. })));
        assert!(matches!(
            Grid::blocked(65_536, 1),
            Err(GridError::TooLarge { .. })
        ));
        assert!(matches!(
            Grid::blocked(65_535, 65_535),
            Err(GridError::TooLarge { .. })
        ));
    }

    #[test]
    fn a_patch_says_what_it_changed() {
        let mut grid = Grid::from_fn(4, 4, |_| true).expect("a legal size");
        let patch = GridPatch::new().block(Point { x: 1, y: 1 });
        assert_eq!(grid.apply(&patch).blocked.len(), 1);
        assert!(grid.apply(&patch).is_empty());
    }
}
