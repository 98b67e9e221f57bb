//! The cells of a knot: those around a walker, as many as are asked for, numbered.

use super::NOBODY;
use crate::grid::{Cell, Direction};
use crate::map::Map;
use std::collections::BTreeSet;

/// Numbered cells and the steps between them.
#[derive(Debug)]
pub struct Window {
    /// By number, in the order in which they were reached.
    cells: Vec<Cell>,
    /// Cells with their numbers, in the order of ids.
    numbers: Vec<(Cell, u16)>,
    /// Where a step leads from each cell, by direction.
    steps: Vec<[u16; 8]>,
    /// Whether no step leads out of it, but for cells of walkers that nobody can move.
    is_closed: bool,
}

impl Window {
    /// The cells within reach of one, walls and what `is_wall` says aside. Where there are more than `most` it is the first `few` of them, and
    /// not closed.
    pub fn around(
        map: &Map,
        from: Cell,
        most: usize,
        few: usize,
        is_wall: impl Fn(Cell) -> bool,
    ) -> Window {
        let mut cells = vec![from];
        let mut seen = BTreeSet::from([from]);
        let mut done = 0;
        while done < cells.len() && cells.len() <= most {
            let cell = cells[done];
            done += 1;
            for direction in map.legal(cell) {
                let next = map.grid().neighbour(cell, direction);
                if !is_wall(next) && seen.insert(next) {
                    cells.push(next);
                }
            }
        }
        let is_closed = cells.len() <= most;
        if !is_closed {
            cells.truncate(few);
        }
        Window::of(map, cells, is_closed)
    }

    /// These cells, all different and on the map.
    pub fn of(map: &Map, cells: Vec<Cell>, is_closed: bool) -> Window {
        let numbered = cells.iter().zip(0u16..);
        let mut numbers: Vec<_> = numbered.map(|(&cell, number)| (cell, number)).collect();
        numbers.sort_unstable();
        let mut window = Window {
            cells,
            numbers,
            steps: Vec::new(),
            is_closed,
        };
        let steps = window.cells.iter().map(|&cell| {
            let mut steps = [NOBODY; 8];
            for direction in map.legal(cell) {
                let next = map.grid().neighbour(cell, direction);
                steps[direction as usize] = window.number(next).unwrap_or(NOBODY);
            }
            steps
        });
        window.steps = steps.collect();
        window
    }

    /// The number of a cell.
    pub fn number(&self, cell: Cell) -> Option<u16> {
        let found = self
            .numbers
            .binary_search_by_key(&cell, |&(cell, _)| cell)
            .ok()?;
        Some(self.numbers[found].1)
    }

    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Where steps lead from a cell, by direction.
    #[inline]
    pub fn steps(&self, cell: u16) -> &[u16; 8] {
        &self.steps[usize::from(cell)]
    }

    /// The direction of the step between two neighbours.
    pub fn direction(&self, from: u16, to: u16) -> Option<Direction> {
        let mut steps = self.steps(from).iter();
        let number = steps.position(|&next| next == to)?;
        Some(Direction::from_number(number as u8))
    }

    /// The cells along it, from one to the next, where each has two neighbours at most: a line, or a ring (`true`).
    pub fn as_line(&self) -> Option<(Vec<u16>, bool)> {
        let neighbours = |cell: u16| self.steps(cell).iter().copied().filter(|&n| n != NOBODY);
        let count = self.cells.len() as u16;
        if (0..count).any(|cell| neighbours(cell).count() > 2) {
            return None;
        }
        let end = (0..count).find(|&cell| neighbours(cell).count() < 2);
        let mut line = vec![end.unwrap_or(0)];
        let mut before = NOBODY;
        while let Some(&last) = line.last() {
            let next = neighbours(last).find(|&next| next != before && next != line[0]);
            let Some(next) = next else {
                break;
            };
            before = last;
            line.push(next);
        }
        Some((line, end.is_none()))
    }
}
