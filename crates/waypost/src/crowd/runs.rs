//! The next few runs of a path, in a few bytes: what walkers of a crowd keep instead of whole paths.

use crate::grid::{Cell, Direction, Grid};
use crate::search::jps::Run;

/// Runs that a walker holds.
pub(super) const RUNS: usize = 16;
/// Bits of a packed run for its steps.
const STEP_BITS: u32 = 13;
/// The longest run in one piece.
pub(super) const MOST_STEPS: u32 = (1 << STEP_BITS) - 1;

/// A direction and a number of steps in 16 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PackedRun(u16);

impl PackedRun {
    fn new(direction: Direction, steps: u32) -> PackedRun {
        PackedRun((direction as u16) << STEP_BITS | steps as u16)
    }

    fn unpack(self) -> Run {
        Run {
            direction: Direction::from_number((self.0 >> STEP_BITS) as u8),
            steps: u32::from(self.0) & MOST_STEPS,
        }
    }
}

/// The runs ahead, and whether the path goes on after them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Runs {
    runs: [PackedRun; RUNS],
    next: u8,
    /// Where the runs end, and in [`MORE`] whether the path goes on: a walker has no byte to waste.
    end_and_more: u8,
}

/// The bit that says that the path goes on.
const MORE: u8 = 0x80;

impl Runs {
    /// Nothing is known of the path.
    pub fn forget(&mut self) {
        (self.next, self.end_and_more) = (0, MORE);
    }

    /// No run ahead?
    pub fn is_empty(&self) -> bool {
        self.next == self.end()
    }

    fn end(&self) -> u8 {
        self.end_and_more & !MORE
    }

    /// Does the path go on after the runs?
    pub fn has_more(&self) -> bool {
        self.end_and_more & MORE != 0
    }

    /// The path goes on after the runs, or does not.
    pub fn set_more(&mut self, more: bool) {
        self.end_and_more = self.end() | if more { MORE } else { 0 };
    }

    /// The runs ahead.
    pub fn ahead(&self) -> impl Iterator<Item = Run> + '_ {
        let ahead = &self.runs[usize::from(self.next)..usize::from(self.end())];
        ahead.iter().map(|run| run.unpack())
    }

    /// The next run.
    pub fn first(&self) -> Option<Run> {
        self.ahead().next()
    }

    /// So many steps of the next run have been walked.
    pub fn walked(&mut self, steps: u32) {
        let Some(run) = self.first() else {
            return;
        };
        if steps >= run.steps {
            self.next += 1;
        } else {
            self.runs[usize::from(self.next)] = PackedRun::new(run.direction, run.steps - steps);
        }
    }

    /// Takes the runs of a path in the place of what was known, as many as there is room for.
    pub fn keep(&mut self, runs: impl IntoIterator<Item = Run>) {
        (self.next, self.end_and_more) = (0, 0);
        for run in runs {
            let mut left = run.steps;
            while left > 0 {
                if usize::from(self.end()) == RUNS {
                    self.set_more(true);
                    return;
                }
                let steps = left.min(MOST_STEPS);
                self.runs[usize::from(self.end())] = PackedRun::new(run.direction, steps);
                self.end_and_more += 1;
                left -= steps;
            }
        }
    }

    /// The same for a path given cell by cell, its first cell included. Says how many steps it took.
    pub fn keep_cells(&mut self, grid: &Grid, path: impl Iterator<Item = Cell>) -> usize {
        let mut path = path.peekable();
        let steps = std::iter::from_fn(|| {
            let from = path.next()?;
            let offset = path.peek()?.0.wrapping_sub(from.0);
            Direction::ALL
                .into_iter()
                .find(|&d| grid.neighbour(from, d).0.wrapping_sub(from.0) == offset)
        });
        let mut steps = steps.peekable();
        self.keep(std::iter::from_fn(|| {
            let direction = steps.next()?;
            let mut run = Run {
                direction,
                steps: 1,
            };
            while run.steps < MOST_STEPS && steps.next_if_eq(&direction).is_some() {
                run.steps += 1;
            }
            Some(run)
        }));
        self.ahead().map(|run| run.steps as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Point;

    #[test]
    fn runs_come_back_step_by_step_and_say_when_there_is_more() {
        let grid = Grid::from_fn(60, 60, |_| true).expect("a legal size");
        let cell = |x, y| grid.cell(Point { x, y }).expect("inside");
        // Stairs: 20 steps east, then one south, again and again.
        let mut path = vec![cell(0, 0)];
        for row in 0..2 {
            path.extend((1..=20).map(|x| cell(x + 20 * row, row)));
            path.push(cell(20 * (row + 1), row + 1));
        }
        let mut runs = Runs::default();
        assert_eq!(runs.keep_cells(&grid, path.iter().copied()), 42);
        assert!(!runs.has_more());
        let steps: Vec<u32> = runs.ahead().map(|run| run.steps).collect();
        assert_eq!(steps, [20, 1, 20, 1]);
        runs.walked(15);
        assert_eq!(runs.first().map(|run| run.steps), Some(5));
        runs.walked(5);
        runs.walked(1);
        assert_eq!(runs.ahead().count(), 2);
        // More turns than there is room for.
        let zigzag = (0..40).map(|x| cell(x, x % 2));
        assert_eq!(runs.keep_cells(&grid, zigzag), RUNS);
        assert!(runs.has_more());
        // A run longer than fits in one piece.
        runs.keep([Run {
            direction: Direction::West,
            steps: MOST_STEPS + 3,
        }]);
        let steps: Vec<u32> = runs.ahead().map(|run| run.steps).collect();
        assert_eq!(steps, [MOST_STEPS, 3]);
    }
}
