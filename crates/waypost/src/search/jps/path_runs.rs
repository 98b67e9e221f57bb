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
#[derive(Clone, Debug)]
pub struct RunBuffer {
    start: Point,
    /// At least one; those after the last belong to longer paths before.
    runs: Vec<Run>,
    /// The last run so far: without steps where the path has none.
    last: usize,
}

/// The run of a path that goes nowhere.
const NO_RUN: Run = Run {
    direction: Direction::North,
    steps: 0,
};

impl Default for RunBuffer {
    fn default() -> RunBuffer {
        RunBuffer {
            start: Point { x: 0, y: 0 },
            runs: vec![NO_RUN],
            last: 0,
        }
    }
}

impl RunBuffer {
    /// Makes room for this many runs.
    pub fn reserve(&mut self, runs: usize) {
        self.runs.reserve(runs.saturating_sub(self.runs.len()));
    }

    /// Begins a new path.
    pub fn begin(&mut self, start: Point) {
        self.start = start;
        self.runs[0] = NO_RUN;
        self.last = 0;
    }

    /// Goes on with what `write` adds.
    #[inline]
    pub fn extend(&mut self, write: impl FnOnce(&mut RunWriter)) {
        let mut writer = RunWriter {
            run: self.runs[self.last],
            runs: &mut self.runs,
            last: self.last,
        };
        write(&mut writer);
        self.last = writer.last;
    }

    /// Goes on over open ground: diagonal steps first, then straight ones.
    #[inline]
    pub(crate) fn push_diagonal_first(&mut self, from: Point, to: Point) {
        self.extend(|path| path.push_diagonal_first(Walk::between(from, to)));
    }

    /// The path so far.
    pub fn path(&self) -> PathRuns<'_> {
        PathRuns {
            start: self.start,
            runs: if self.runs[self.last].steps == 0 {
                &[]
            } else {
                &self.runs[..=self.last]
            },
        }
    }

    /// Bytes that the buffer holds on to.
    pub fn memory_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}

/// Adds to a path. What it adds to is kept in registers.
pub struct RunWriter<'a> {
    runs: &'a mut Vec<Run>,
    /// The last run, which stands in its place too, and which one that is.
    run: Run,
    last: usize,
}

impl RunWriter<'_> {
    /// Goes on in a direction. Runs in the same direction become one.
    #[inline]
    pub fn push(&mut self, direction: Direction, steps: u32) {
        // Whether a run goes on or another begins cannot be foretold: no branch hangs on it.
        let before = self.run;
        let goes_on = (steps == 0) | (before.steps == 0) | (before.direction == direction);
        self.run = Run {
            direction: if steps == 0 {
                before.direction
            } else {
                direction
            },
            steps: steps + if goes_on { before.steps } else { 0 },
        };
        self.last += usize::from(!goes_on);
        if self.last == self.runs.len() {
            self.runs.push(NO_RUN);
        }
        self.runs[self.last] = self.run;
    }

    /// Goes on over open ground: diagonal steps first, then straight ones.
    #[inline]
    pub(crate) fn push_diagonal_first(&mut self, walk: Walk) {
        self.push(walk.diagonal, walk.diagonal_steps);
        self.push(walk.straight, walk.straight_steps);
    }

    /// Goes on over open ground: straight steps first, then diagonal ones.
    #[inline]
    pub(crate) fn push_straight_first(&mut self, walk: Walk) {
        self.push(walk.straight, walk.straight_steps);
        self.push(walk.diagonal, walk.diagonal_steps);
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
        // Both coordinates in one number, so that a step is one addition.
        let mut at = u64::from(self.start.y) << 32 | u64::from(self.start.x);
        for run in self.runs {
            let (dx, dy) = (run.direction.dx() as i64, run.direction.dy() as i64);
            let step = ((dy << 32) + dx) as u64;
            points.extend((0..run.steps).map(|_| {
                at = at.wrapping_add(step);
                form(Point {
                    x: at as u32,
                    y: (at >> 32) as u32,
                })
            }));
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
            // A range has a known length: the compiler writes several cells at a time.
            cells.extend((0..run.steps).map(|_| {
                at = at.wrapping_add(offset);
                Cell(at)
            }));
        }
    }
}
