//! The order of targets in run-length rows, and the slots that rows and ranks are found by.

use crate::grid::{Cell, Direction, Grid};
use crate::map::Map;

/// Neighbours in the order in which they are put on a stack: the last one is visited first.
const LAST_FIRST: [u8; 8] = [7, 5, 3, 1, 6, 4, 2, 0];

/// Passable cells in an order in which neighbours tend to be near, component by component.
///
/// Depth-first preorder from the first cell of each component: targets that share a first move tend to lie in one
/// subtree, so rows have few runs. The order is part of the file format: a file holds it only where it is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeOrder {
    /// The cell of every rank.
    pub cells: Vec<Cell>,
    /// The first rank of every component, then the number of cells.
    pub starts: Vec<u32>,
}

impl NodeOrder {
    /// Depth-first preorder, straight neighbours before diagonal ones, components by their first cell. (Rows have up to a fifth fewer runs than
    /// with neighbours all the way round in turn: `docs/measurements/cpd.md`.)
    pub fn depth_first(map: &Map) -> NodeOrder {
        let grid = map.grid();
        let mut seen = vec![0u64; grid.id_bound().div_ceil(64)];
        let mut order = NodeOrder {
            cells: Vec::with_capacity(grid.passable_count() as usize),
            starts: Vec::new(),
        };
        let mut stack = Vec::new();
        for first in grid.cells() {
            if bit(&seen, first) {
                continue;
            }
            order.starts.push(order.cells.len() as u32);
            stack.push(first);
            while let Some(cell) = stack.pop() {
                if bit(&seen, cell) {
                    continue;
                }
                seen[cell.index() >> 6] |= 1 << (cell.0 & 63);
                order.cells.push(cell);
                let legal = map.legal(cell);
                for d in LAST_FIRST.map(Direction::from_number) {
                    let next = grid.neighbour(cell, d);
                    if legal.contains(d) && !bit(&seen, next) {
                        stack.push(next);
                    }
                }
            }
        }
        order.starts.push(order.cells.len() as u32);
        order
    }

    /// The ranks of the component that holds a rank.
    pub fn component_of(&self, rank: u32) -> std::ops::Range<u32> {
        let after = self.starts.partition_point(|&start| start <= rank);
        match (
            after.checked_sub(1).and_then(|i| self.starts.get(i)),
            self.starts.get(after),
        ) {
            (Some(&start), Some(&end)) => start..end,
            _ => rank..rank,
        }
    }

    /// The ranks of every component.
    pub fn components(&self) -> impl Iterator<Item = std::ops::Range<u32>> + '_ {
        self.starts.windows(2).map(|w| w[0]..w[1])
    }
}

#[inline]
fn bit(words: &[u64], cell: Cell) -> bool {
    words[cell.index() >> 6] >> (cell.0 & 63) & 1 != 0
}

/// Numbers for the passable cells that leave out most walls and take two loads: cells in aligned groups of eight, groups
/// without a passable cell left out. A slot is a cell's place in arrays of [`Slots::len`] entries.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// The first slot of a group.
    bases: Vec<u32>,
    length: u32,
}

impl Slots {
    pub fn of(grid: &Grid) -> Slots {
        let mut length = 0;
        let groups = grid.words().iter().flat_map(|word| word.to_le_bytes());
        let bases = groups
            .map(|cells| {
                let base = length;
                length += if cells == 0 { 0 } else { 8 };
                base
            })
            .collect();
        Slots { bases, length }
    }

    /// The slot of a passable cell.
    #[inline]
    pub fn of_cell(&self, cell: Cell) -> usize {
        (self.bases[(cell.0 >> 3) as usize] + (cell.0 & 7)) as usize
    }

    /// How many slots there are, unused ones included.
    pub fn len(&self) -> usize {
        self.length as usize
    }

    pub fn memory_bytes(&self) -> usize {
        self.bases.len() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::cpd::testing::random_map;

    #[test]
    fn an_order_holds_every_cell_once_component_by_component() {
        for seed in 0..30 {
            let map = random_map(seed, 3, 20).1;
            let order = NodeOrder::depth_first(&map);
            let mut sorted = order.cells.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(map.grid().cells()), "seed {seed}");
            for range in order.components() {
                let label = map.components().of(order.cells[range.start as usize]);
                assert!(
                    range
                        .clone()
                        .all(|r| map.components().of(order.cells[r as usize]) == label)
                );
                assert_eq!(
                    map.components().size(label.expect("passable")),
                    range.len() as u64
                );
                assert_eq!(order.component_of(range.end - 1), range);
            }
        }
    }

    #[test]
    fn slots_are_different_and_in_the_order_of_cells() {
        for seed in 0..30 {
            let map = random_map(seed, 3, 70).1;
            let slots = Slots::of(map.grid());
            let all: Vec<_> = map.grid().cells().map(|c| slots.of_cell(c)).collect();
            assert!(all.windows(2).all(|w| w[0] < w[1]), "seed {seed}");
            assert!(all.iter().all(|&s| s < slots.len()));
        }
    }
}
