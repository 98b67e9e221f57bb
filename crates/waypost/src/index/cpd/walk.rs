//! Whole paths: one look-up after another.
//!
//! Each look-up waits for the one before it, which says where it happens; three dependent reads of a table that does not
//! fit the nearest cache are most of what a move costs. Paths run straight for many moves, so the walk treats a turn as the
//! exception: as long as the direction stays, the next cell does not depend on what was read, only the decision to leave
//! the loop does. Processors predict that decision and read the rows ahead.

use super::database::{PathDatabase, Target, View};
use super::heuristic_move::{SYMBOL, side};
use super::packed_runs::{self, RunView};
use super::{quadtree, rectangles, table};
use crate::grid::{Cell, Direction};
use std::ops::Range;

impl PathDatabase {
    /// Walks from a cell that reaches the target, showing every move and the cell that it enters; returns the last cell,
    /// which is the target unless a damaged file with a right checksum leads elsewhere.
    pub(super) fn walk(
        &self,
        from: Cell,
        target: &Target,
        visit: impl FnMut(Direction, Cell),
    ) -> Cell {
        let number = target.number();
        match self.view() {
            View::Runs(RunView::Short(records)) => self.walk_by(from, target, visit, |row| {
                packed_runs::short(records, row, number)
            }),
            View::Runs(RunView::Split(starts, symbols)) => {
                self.walk_by(from, target, visit, |row| {
                    packed_runs::split(starts, symbols, row, number)
                })
            }
            View::Runs(RunView::Long(records)) => self.walk_by(from, target, visit, |row| {
                packed_runs::long(records, row, number)
            }),
            View::Rectangles(shape, records) => self.walk_by(from, target, visit, |row| {
                let row = &records[row.start * shape.bytes..row.end * shape.bytes];
                let found = rectangles::look_up(shape, row, target.x, target.y);
                found.map(|(direction, _)| u32::from(direction))
            }),
            View::Quadtree(records) => self.walk_by(from, target, visit, |row| {
                quadtree::look_up(&records[row], target.code)
            }),
            View::Table(records) => self.walk_by(from, target, visit, |row| {
                table::look_up(&records[row], number)
            }),
        }
    }

    #[inline]
    fn walk_by(
        &self,
        from: Cell,
        target: &Target,
        mut visit: impl FnMut(Direction, Cell),
        symbol_in: impl Fn(Range<usize>) -> Option<u32>,
    ) -> Cell {
        let start = self.grid.point(from);
        let mut dx = target.x as i32 - start.x as i32;
        let mut dy = target.y as i32 - start.y as i32;
        let look_up = |at: Cell, dx: i32, dy: i32| {
            let slot = self.slots.of_cell(at);
            let (head, next) = (self.heads[slot], self.heads[slot + 1]);
            let symbol = symbol_in(head.first as usize..next.first as usize)?;
            Some(match symbol {
                SYMBOL => head.heuristic.towards(side(dx, dy)),
                _ => Direction::from_number(symbol as u8),
            })
        };
        let mut at = from;
        // Each move gets nearer; a file that says otherwise is damaged, and the walk ends.
        let mut left = target.end_rank - target.first_rank;
        if at == target.cell {
            return at;
        }
        let mut turn = look_up(at, dx, dy);
        while let Some(direction) = turn {
            turn = loop {
                at = self.grid.neighbour(at, direction);
                dx -= direction.dx();
                dy -= direction.dy();
                left -= 1;
                visit(direction, at);
                if at == target.cell || left == 0 {
                    return at;
                }
                let next = look_up(at, dx, dy);
                if next != Some(direction) {
                    break next;
                }
            };
        }
        at
    }
}
