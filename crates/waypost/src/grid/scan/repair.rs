//! Repair of scans after a change of the map.

use super::bits::{bit, next_set, previous_set, put_bit};
use super::build::{DIAGONALS, STRAIGHTS, stops_diagonals};
use super::{Direction, Grid, Lines, Point, Scans, lines_of, moved};
use crate::grid::ChangeSet;

/// What a repair of scans has found to be different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The changed cells and their neighbours on the map, walls included, each once: where moves and stops may be others.
    pub near: Vec<Point>,
    /// Passable cells of `near` and straight directions: a scan in that direction that comes to the cell ends at another stop
    /// than before, or no longer at one.
    pub rays: Vec<(Point, Direction)>,
}

impl Scans {
    /// Brings the planes up to date with a grid that `changes` have been made to, and tells what is different.
    ///
    /// Moves and stops depend on the eight cells around, so only those near a change are looked at again. Whether a
    /// diagonal cell leads to a stop depends on its row and column: a scan is the same before and after up to the first
    /// cell near a change, so it ends elsewhere only where scans that begin at that cell do. From each such cell its line is
    /// followed back to the halt before. The result equals a new build bit for bit; the work grows with the
    /// length of those pieces of lines.
    pub fn repair(&mut self, grid: &Grid, changes: &ChangeSet) -> Touched {
        let near = near_points(grid, changes);
        let before: Vec<_> = near.iter().map(|&at| self.scan_ends(at)).collect();
        for &cell in changes.blocked.iter().chain(&changes.opened) {
            let (at, wall) = (grid.point(cell), !grid.is_passable(cell));
            put_bit(&mut self.row_walls, self.shape.row_bit(at), wall);
            put_bit(&mut self.column_walls, self.shape.column_bit(at), wall);
        }
        near.iter().for_each(|&at| self.refresh_local(at));
        let mut rays = Vec::new();
        for (&at, before) in near.iter().zip(before) {
            self.refresh_hits(at);
            if !self.is_passable(at) {
                continue;
            }
            let now = self.scan_ends(at);
            for d in STRAIGHTS.map(Direction::from_number) {
                let (before, now) = (before[d as usize / 2], now[d as usize / 2]);
                if before != now {
                    rays.push((at, d));
                }
                if before.is_some() != now.is_some() {
                    self.refresh_behind(at, d, now.is_some());
                }
            }
        }
        Touched { near, rays }
    }

    /// By straight direction: the stop where a scan ends that comes to this cell, which may be the cell itself.
    fn scan_ends(&self, at: Point) -> [Option<Point>; 4] {
        let wall = !self.is_passable(at);
        STRAIGHTS.map(Direction::from_number).map(|d| {
            if wall {
                return None;
            }
            if bit(&self.halts[d as usize / 2], self.halt_bit(at, d)) {
                return Some(at);
            }
            let jump = self.jump(at, d);
            jump.stop.then(|| moved(at, d, jump.steps))
        })
    }

    /// How many cells lie behind this one from which a scan in a straight direction comes to it: those up to the halt
    /// before, which is one of them unless it is a wall.
    pub fn cells_behind(&self, at: Point, straight: Direction) -> u32 {
        let halts = &self.halts[straight as usize / 2];
        let here = self.halt_bit(at, straight);
        let halt = if straight.dx() + straight.dy() > 0 {
            previous_set(halts, here - 1)
        } else {
            next_set(halts, here + 1)
        };
        let walls = if straight.dy() == 0 {
            &self.row_walls
        } else {
            &self.column_walls
        };
        halt.abs_diff(here) as u32 - u32::from(bit(walls, halt))
    }

    /// Scans from the cells behind this one now end at a stop, or no longer do.
    fn refresh_behind(&mut self, at: Point, straight: Direction, hit: bool) {
        let back = straight.opposite();
        for steps in 1..=self.cells_behind(at, straight) {
            self.put_hit(moved(at, back, steps), straight, hit);
        }
    }

    /// What depends on the eight cells around: legal diagonals, halts and stops.
    fn refresh_local(&mut self, at: Point) {
        let wall = bit(&self.row_walls, self.shape.row_bit(at));
        let around = self.around(at);
        for (d, lines) in [
            (Direction::SouthEast, Lines::Falling),
            (Direction::SouthWest, Lines::Rising),
        ] {
            let illegal = wall || around.legal(self.corners, d) & 1 == 0;
            let position = self.shape.bit(lines, at);
            match lines {
                Lines::Falling => put_bit(&mut self.falling_walls, position, illegal),
                _ => put_bit(&mut self.rising_walls, position, illegal),
            }
        }
        for d in STRAIGHTS.map(Direction::from_number) {
            let halt = wall || around.stops(self.kind, self.corners, d) & 1 != 0;
            let position = self.halt_bit(at, d);
            put_bit(&mut self.halts[d as usize / 2], position, halt);
        }
        if stops_diagonals(self.kind, self.corners) {
            for d in DIAGONALS.map(Direction::from_number) {
                let stop = wall || around.stops(self.kind, self.corners, d) & 1 != 0;
                let position = self.halt_bit(at, d);
                put_bit(&mut self.diagonal_stops[d as usize / 2], position, stop);
            }
        }
    }

    /// From which diagonals a scan to the side ends at a stop.
    fn refresh_hits(&mut self, at: Point) {
        let passable = self.is_passable(at);
        for d in STRAIGHTS.map(Direction::from_number) {
            let hit = passable && self.jump(at, d).stop;
            self.put_hit(at, d, hit);
        }
    }

    /// Does a scan in a straight direction from here end at a stop? Two diagonals have that direction at their side.
    fn put_hit(&mut self, at: Point, straight: Direction, hit: bool) {
        // The straight direction is left of the diagonal after it and right of the one before.
        for (turn, side) in [(1, 0), (7, 1)] {
            let diagonal = Direction::from_number((straight as u8 + turn) & 7);
            let position = self.halt_bit(at, diagonal);
            put_bit(&mut self.hits[diagonal as usize / 2][side], position, hit);
        }
    }

    pub(super) fn halt_bit(&self, at: Point, direction: Direction) -> usize {
        match lines_of(direction) {
            None => self.shape.row_bit(at),
            Some(lines) => self.shape.bit(lines, at),
        }
    }
}

/// Changed cells and their neighbours on the map, in the order of points, each once.
fn near_points(grid: &Grid, changes: &ChangeSet) -> Vec<Point> {
    let mut near = Vec::with_capacity(9 * (changes.blocked.len() + changes.opened.len()));
    for &cell in changes.blocked.iter().chain(&changes.opened) {
        let at = grid.point(cell);
        near.push(at);
        near.extend(Direction::ALL.map(|d| moved(at, d, 1)));
    }
    near.retain(|&at| grid.cell(at).is_some());
    near.sort_unstable();
    near.dedup();
    near
}
