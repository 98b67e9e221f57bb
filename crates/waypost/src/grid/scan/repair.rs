//! Repair of scans after a change of the map.

use super::bits::{bit, next_set, previous_set, put_bit};
use super::build::{DIAGONALS, STRAIGHTS, stops_diagonals};
use super::{Direction, Grid, Lines, Point, Scans, lines_of, moved};
use crate::grid::{Cell, ChangeSet};

/// What a repair of scans has found to be different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The changed cells and their neighbours on the map, walls included, each once: where moves and stops may be others.
    pub near: Vec<Point>,
    /// Passable cells of `near` and straight directions: a scan in that direction that comes to the cell ends at another stop
    /// than before, or no longer at one.
    pub rays: Vec<(Point, Direction)>,
}

/// Cells of a line from which scans end at a stop now, or no longer do.
#[derive(Clone, Copy, Debug)]
struct Flip {
    /// The cell after the first of them, in the direction of the scans.
    at: Point,
    straight: Direction,
    hit: bool,
    /// How many of them, and how many have been seen to.
    cells: u32,
    done: u32,
}

/// A repair of scans that can be carried out a slice at a time.
///
/// Moves and stops depend on the eight cells around, so only those near a change are looked at again. Whether a
/// diagonal cell leads to a stop depends on its row and column: a scan is the same before and after up to the first
/// cell near a change, so it ends elsewhere only where scans that begin at that cell do. From each such cell its line is
/// followed back to the halt before. The result equals a new build bit for bit; the work grows with the
/// length of those pieces of lines, and they are what is sliced: until all are done the planes must not be asked.
#[derive(Clone, Debug, Default)]
pub struct ScanRepair {
    /// Cells that have changed and not been looked at yet.
    queued: Vec<Cell>,
    touched: Touched,
    flips: Vec<Flip>,
}

impl ScanRepair {
    /// How many cells of a flip are an operation: each costs a fraction of what an expansion does.
    const CELLS_PER_OPERATION: u32 = 4;
    /// Operations for each cell near a change.
    const NEAR: u64 = 8;

    /// The map has changed.
    pub fn queue(&mut self, changes: &ChangeSet) {
        let changed = changes.blocked.iter().chain(&changes.opened);
        self.queued.extend(changed);
    }

    /// Nothing to do?
    pub fn is_done(&self) -> bool {
        self.queued.is_empty() && self.touched.near.is_empty()
    }

    /// Goes on for about so many operations, which are counted down; tells what is different once the planes are right. `grid` is
    /// the map with all changes so far: those that were queued after the repair had begun may be left for another.
    pub fn advance(
        &mut self,
        scans: &mut Scans,
        grid: &Grid,
        operations: &mut u64,
    ) -> Option<Touched> {
        if self.touched.near.is_empty() {
            self.begin(scans, grid);
            *operations = operations.saturating_sub(Self::NEAR * self.touched.near.len() as u64);
        }
        while let Some(flip) = self.flips.last_mut() {
            let affordable = operations.saturating_mul(Self::CELLS_PER_OPERATION.into());
            let cells = affordable.min(u64::from(flip.cells - flip.done)) as u32;
            scans.put_hits(flip, cells);
            flip.done += cells;
            if flip.done < flip.cells {
                return None;
            }
            self.flips.pop();
            let spent = cells.div_ceil(Self::CELLS_PER_OPERATION);
            *operations = operations.saturating_sub(spent.into());
        }
        Some(std::mem::take(&mut self.touched))
    }

    /// Brings everything near the changes up to date and finds what else depends on it.
    fn begin(&mut self, scans: &mut Scans, grid: &Grid) {
        let mut changed = std::mem::take(&mut self.queued);
        // Cells may have changed more than once since they were queued.
        changed.retain(|&cell| scans.is_passable(grid.point(cell)) != grid.is_passable(cell));
        let near = near_points(grid, &changed);
        let before: Vec<_> = near.iter().map(|&at| scans.scan_ends(at)).collect();
        for &cell in &changed {
            scans.put_wall(grid.point(cell), !grid.is_passable(cell));
        }
        near.iter().for_each(|&at| scans.refresh_local(at));
        let mut rays = Vec::new();
        for (&at, before) in near.iter().zip(before) {
            scans.refresh_hits(at);
            if !scans.is_passable(at) {
                continue;
            }
            let now = scans.scan_ends(at);
            for straight in STRAIGHTS.map(Direction::from_number) {
                let number = straight as usize / 2;
                let (before, now) = (before[number], now[number]);
                if before != now {
                    rays.push((at, straight));
                }
                if before.is_some() == now.is_some() {
                    continue;
                }
                let flip = Flip {
                    at,
                    straight,
                    hit: now.is_some(),
                    cells: scans.cells_behind(at, straight),
                    done: 0,
                };
                self.flips.extend((flip.cells > 0).then_some(flip));
            }
        }
        self.touched = Touched { near, rays };
    }
}

impl Scans {
    /// Brings the planes up to date with a grid that `changes` have been made to, and tells what is different: a
    /// [`ScanRepair`] in one go.
    pub fn repair(&mut self, grid: &Grid, changes: &ChangeSet) -> Touched {
        let mut repair = ScanRepair::default();
        repair.queue(changes);
        let mut unlimited = u64::MAX;
        let touched = repair.advance(self, grid, &mut unlimited);
        touched.unwrap_or_default()
    }

    fn put_wall(&mut self, at: Point, wall: bool) {
        put_bit(&mut self.row_walls, self.shape.row_bit(at), wall);
        put_bit(&mut self.column_walls, self.shape.column_bit(at), wall);
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

    /// Scans from the next cells of a flip now end at a stop, or no longer do. Two diagonals have the direction at their side;
    /// from cell to cell the bit moves to the next line of the diagonal's plane, and round the map's edge.
    fn put_hits(&mut self, flip: &Flip, cells: u32) {
        let back = flip.straight.opposite();
        let first = moved(flip.at, back, flip.done + 1);
        let line_bits = self.shape.line_words as isize * 64;
        let all_bits = self.shape.cycle as isize * line_bits;
        for (diagonal, side) in at_side(flip.straight) {
            let lines = match lines_of(diagonal) {
                Some(Lines::Falling) => back.dx() - back.dy(),
                _ => back.dx() + back.dy(),
            };
            let step = lines as isize * line_bits + back.dy() as isize;
            let mut position = self.halt_bit(first, diagonal) as isize;
            let plane = &mut self.hits[diagonal as usize / 2][side];
            for _ in 0..cells {
                put_bit(plane, position as usize, flip.hit);
                position += step;
                if position >= all_bits {
                    position -= all_bits;
                } else if position < 0 {
                    position += all_bits;
                }
            }
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

    /// Does a scan in a straight direction from here end at a stop?
    fn put_hit(&mut self, at: Point, straight: Direction, hit: bool) {
        for (diagonal, side) in at_side(straight) {
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

/// The two diagonals that have a straight direction at their side, with that side.
fn at_side(straight: Direction) -> [(Direction, usize); 2] {
    // The straight direction is left of the diagonal after it and right of the one before.
    [(1, 0), (7, 1)].map(|(turn, side)| (Direction::from_number((straight as u8 + turn) & 7), side))
}

/// Changed cells and their neighbours on the map, in the order of points, each once.
fn near_points(grid: &Grid, changed: &[Cell]) -> Vec<Point> {
    let mut near = Vec::with_capacity(9 * changed.len());
    for &cell in changed {
        let at = grid.point(cell);
        near.push(at);
        near.extend(Direction::ALL.map(|d| moved(at, d, 1)));
    }
    near.retain(|&at| grid.cell(at).is_some());
    near.sort_unstable();
    near.dedup();
    near
}
