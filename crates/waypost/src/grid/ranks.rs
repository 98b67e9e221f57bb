//! Numbers for passable cells alone, so that tables need no room for walls.

use crate::grid::{Cell, Grid};

/// The rank of every passable cell among the passable cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranks {
    /// For every word of the grid's bits, the passable cells before it.
    before: Vec<u32>,
    /// The grid's bits: it may have got walls since.
    words: Vec<u64>,
    passable: u32,
}

impl Ranks {
    /// Counts the cells of a grid.
    pub fn of(grid: &Grid) -> Ranks {
        let mut passable = 0;
        let before = grid.words().iter().map(|word| {
            let before = passable;
            passable += word.count_ones();
            before
        });
        Ranks {
            before: before.collect(),
            words: grid.words().to_vec(),
            passable,
        }
    }

    /// How many cells have a rank.
    pub fn passable(&self) -> usize {
        self.passable as usize
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.before.len() * 4 + self.words.len() * 8
    }

    /// For looking them up.
    pub fn view(&self) -> RankView<'_> {
        RankView {
            before: &self.before,
            words: &self.words,
        }
    }
}

/// Looks up ranks.
#[derive(Clone, Copy)]
pub(crate) struct RankView<'a> {
    before: &'a [u32],
    words: &'a [u64],
}

impl RankView<'_> {
    /// The rank of a cell that was passable when they were counted.
    #[inline]
    pub fn rank(self, cell: Cell) -> usize {
        let word = (cell.0 >> 6) as usize;
        let below = self.words[word] & ((1u64 << (cell.0 & 63)) - 1);
        (self.before[word] + below.count_ones()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_in_the_order_of_cells() {
        let grid = Grid::from_fn(130, 5, |p| (p.x * 7 + p.y * 3) % 5 != 0).expect("a legal size");
        let ranks = Ranks::of(&grid);
        assert_eq!(ranks.passable(), grid.cells().count());
        for (i, cell) in grid.cells().enumerate() {
            assert_eq!(ranks.view().rank(cell), i);
        }
    }
}
