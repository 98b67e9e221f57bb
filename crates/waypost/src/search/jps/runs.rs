//! Paths as runs: a direction and a number of steps at a time. Cells are made on demand.

use crate::cost::{Cost, CostPair, Length};
use crate::grid::scan::{Walk, moved};
use crate::grid::{Cell, Direction, Grid, Point};

/// Steps in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which way.
    pub direction: Direction,
    /// How often.
    pub steps: u32,
}

/// A path that owns its memory, so that the next one can reuse it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunBuffer {
    start: Point,
    runs: Vec<Run>,
}

impl Default for RunBuffer {
    fn default() -> RunBuffer {
        RunBuffer {
            start: Point { x: 0, y: 0 },
            runs: Vec::new(),
        }
    }
}

impl RunBuffer {
    /// Begins a new path.
    pub fn begin(&mut self, start: Point) {
        self.start = start;
        self.runs.clear();
    }

    /// Goes on in a direction. Runs in the same direction become one.
    #[inline]
    pub fn push(&mut self, direction: Direction, steps: u32) {
        if steps == 0 {
            return;
        }
        match self.runs.last_mut() {
            Some(last) if last.direction == direction => last.steps += steps,
            _ => self.runs.push(Run { direction, steps }),
        }
    }

    /// Goes on over open ground: diagonal steps first, then straight ones.
    #[inline]
    pub fn push_diagonal_first(&mut self, from: Point, to: Point) {
        let walk = Walk::between(from, to);
        self.push(walk.diagonal, walk.diagonal_steps);
        self.push(walk.straight, walk.straight_steps);
    }

    /// Goes on over open ground: straight steps first, then diagonal ones.
    #[inline]
    pub fn push_straight_first(&mut self, from: Point, to: Point) {
        let walk = Walk::between(from, to);
        self.push(walk.straight, walk.straight_steps);
        self.push(walk.diagonal, walk.diagonal_steps);
    }

    /// The path so far.
    pub fn path(&self) -> PathRuns<'_> {
        PathRuns {
            start: self.start,
            runs: &self.runs,
        }
    }

    /// Bytes that the buffer holds on to.
    pub fn memory_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}

/// A path as runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRuns<'a> {
    start: Point,
    runs: &'a [Run],
}

impl<'a> PathRuns<'a> {
    /// Where the path begins.
    pub fn start(self) -> Point {
        self.start
    }

    /// The runs, in order.
    pub fn runs(self) -> &'a [Run] {
        self.runs
    }

    /// Where the path ends.
    pub fn end(self) -> Point {
        self.runs
            .iter()
            .fold(self.start, |at, run| moved(at, run.direction, run.steps))
    }

    /// The counted moves.
    pub fn length(self) -> Length {
        let mut length = Length::default();
        for run in self.runs {
            if run.direction.is_diagonal() {
                length.diagonal += u64::from(run.steps);
            } else {
                length.straight += u64::from(run.steps);
            }
        }
        length
    }

    /// What the path costs.
    pub fn cost(self, costs: CostPair) -> Cost {
        let length = self.length();
        (length.straight as Cost)
            .wrapping_mul(costs.straight())
            .wrapping_add((length.diagonal as Cost).wrapping_mul(costs.diagonal()))
    }

    /// Appends every point, start and end included, in any form.
    pub fn extend_points<T>(self, points: &mut Vec<T>, form: impl Fn(Point) -> T) {
        let moves: usize = self.runs.iter().map(|run| run.steps as usize).sum();
        points.reserve(moves + 1);
        points.push(form(self.start));
        let mut at = self.start;
        for run in self.runs {
            // One step and a range of known length: the compiler writes several points at a time.
            let (dx, dy) = (run.direction.dx() as u32, run.direction.dy() as u32);
            points.extend((1..run.steps + 1).map(|k| {
                form(Point {
                    x: at.x.wrapping_add(dx.wrapping_mul(k)),
                    y: at.y.wrapping_add(dy.wrapping_mul(k)),
                })
            }));
            at = moved(at, run.direction, run.steps);
        }
    }

    /// Writes every cell, start and end included, over the contents of a vector. Allocates only where it must grow.
    pub fn write_cells(self, grid: &Grid, cells: &mut Vec<Cell>) {
        cells.clear();
        let Some(start) = grid.cell(self.start) else {
            return;
        };
        let moves: usize = self.runs.iter().map(|run| run.steps as usize).sum();
        cells.reserve(moves + 1);
        cells.push(start);
        let mut at = start.0;
        for run in self.runs {
            let offset = grid.neighbour(Cell(at), run.direction).0.wrapping_sub(at);
            // A half-open range has a known length: the compiler writes several cells at a time.
            cells.extend((1..run.steps + 1).map(|k| Cell(at.wrapping_add(offset.wrapping_mul(k)))));
            at = at.wrapping_add(offset.wrapping_mul(run.steps));
        }
    }
}
