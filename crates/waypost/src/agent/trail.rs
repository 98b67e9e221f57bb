//! The path ahead of a follower, as runs: all of it for an agent alone, the next sixteen in two bytes each for a walker of a
//! crowd, which asks again where they end.

use crate::grid::{Cell, Direction, Grid};
use crate::search::jps::Run;

/// Runs ahead of a follower, and whether the path goes on after them.
pub trait Trail: Default + Send {
    /// Nothing is known of the path.
    fn forget(&mut self);

    /// Puts a run after the others; `false` where there is no room for all of it, and then the path goes on after them.
    fn push(&mut self, run: Run) -> bool;

    /// The `at`-th run ahead.
    fn get(&self, at: usize) -> Option<Run>;

    /// So many steps of the next run have been walked.
    fn walked(&mut self, steps: u32);

    /// Keeps the first so many runs ahead and so many steps of the one after them.
    fn cut(&mut self, runs: usize, steps: u32);

    /// Whether the path goes on after the runs.
    fn has_more(&self) -> bool;

    /// The path goes on after the runs, or does not.
    fn set_more(&mut self, more: bool);

    /// Bytes beyond its own size.
    fn heap_bytes(&self) -> usize;

    /// Makes room for so many runs.
    fn reserve(&mut self, runs: usize) {
        let _ = runs;
    }

    /// The next run.
    fn first(&self) -> Option<Run> {
        self.get(0)
    }

    /// Whether no run is ahead.
    fn is_empty(&self) -> bool {
        self.get(0).is_none()
    }

    /// The runs ahead.
    fn ahead(&self) -> impl Iterator<Item = Run> + '_ {
        (0..).map_while(|at| self.get(at))
    }

    /// Takes the runs of a path in the place of what was known, as many as there is room for.
    fn keep(&mut self, runs: impl IntoIterator<Item = Run>) {
        self.forget();
        self.set_more(false);
        self.extend(runs);
    }

    /// Puts runs after the others, as many as there is room for.
    fn extend(&mut self, runs: impl IntoIterator<Item = Run>) {
        for run in runs {
            if !self.push(run) {
                return;
            }
        }
    }

    /// [`Trail::extend`] for a path given cell by cell, its first cell included. Says how many steps are ahead now.
    fn extend_by_cells(&mut self, grid: &Grid, path: impl Iterator<Item = Cell>) -> usize {
        self.extend(runs_of(grid, path));
        self.ahead().map(|run| run.steps as usize).sum()
    }
}

/// The runs of a path given cell by cell.
fn runs_of(grid: &Grid, path: impl Iterator<Item = Cell>) -> impl Iterator<Item = Run> {
    let mut path = path.peekable();
    let steps = std::iter::from_fn(move || {
        let from = path.next()?;
        let offset = path.peek()?.0.wrapping_sub(from.0);
        Direction::ALL
            .into_iter()
            .find(|&d| grid.neighbour(from, d).0.wrapping_sub(from.0) == offset)
    });
    let mut steps = steps.peekable();
    std::iter::from_fn(move || {
        let direction = steps.next()?;
        let mut run = Run {
            direction,
            steps: 1,
        };
        while run.steps < MAX_STEPS && steps.next_if_eq(&direction).is_some() {
            run.steps += 1;
        }
        Some(run)
    })
}

/// All runs of a path.
#[derive(Clone, Debug, Default)]
pub struct LongTrail {
    runs: Vec<Run>,
    next: usize,
    more: bool,
}

impl Trail for LongTrail {
    fn forget(&mut self) {
        self.runs.clear();
        (self.next, self.more) = (0, true);
    }

    fn push(&mut self, run: Run) -> bool {
        self.runs.push(run);
        true
    }

    fn get(&self, at: usize) -> Option<Run> {
        self.runs.get(self.next + at).copied()
    }

    fn walked(&mut self, steps: u32) {
        if let Some(run) = self.runs.get_mut(self.next) {
            run.steps = run.steps.saturating_sub(steps);
            self.next += usize::from(run.steps == 0);
        }
    }

    fn cut(&mut self, runs: usize, steps: u32) {
        let keep = self.next + runs;
        if let Some(run) = self.runs.get_mut(keep) {
            run.steps = steps;
            self.runs.truncate(keep + usize::from(steps > 0));
        }
    }

    fn has_more(&self) -> bool {
        self.more
    }

    fn set_more(&mut self, more: bool) {
        self.more = more;
    }

    fn heap_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }

    fn reserve(&mut self, runs: usize) {
        self.runs.reserve(runs.saturating_sub(self.runs.len()));
    }
}

/// Runs that a walker holds.
const RUNS: usize = 16;
/// Bits of a packed run for its steps.
const STEP_BITS: u32 = 13;
/// The longest run in one piece.
pub const MAX_STEPS: u32 = (1 << STEP_BITS) - 1;

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
            steps: u32::from(self.0) & MAX_STEPS,
        }
    }
}

/// The next sixteen runs of a path.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortTrail {
    runs: [PackedRun; RUNS],
    next: u8,
    /// Where the runs end, and in [`MORE`] whether the path goes on: a walker has no byte to waste.
    end_and_more: u8,
}

/// The bit that says that the path goes on.
const MORE: u8 = 0x80;

impl ShortTrail {
    fn end(&self) -> u8 {
        self.end_and_more & !MORE
    }
}

impl Trail for ShortTrail {
    fn forget(&mut self) {
        (self.next, self.end_and_more) = (0, MORE);
    }

    fn push(&mut self, run: Run) -> bool {
        let mut left = run.steps;
        while left > 0 {
            if usize::from(self.end()) == RUNS {
                self.set_more(true);
                return false;
            }
            let steps = left.min(MAX_STEPS);
            self.runs[usize::from(self.end())] = PackedRun::new(run.direction, steps);
            self.end_and_more += 1;
            left -= steps;
        }
        true
    }

    #[inline]
    fn get(&self, at: usize) -> Option<Run> {
        let ahead = &self.runs[usize::from(self.next)..usize::from(self.end())];
        ahead.get(at).map(|run| run.unpack())
    }

    fn walked(&mut self, steps: u32) {
        let Some(run) = self.first() else {
            return;
        };
        if steps >= run.steps {
            self.next += 1;
        } else {
            self.runs[usize::from(self.next)] = PackedRun::new(run.direction, run.steps - steps);
        }
    }

    fn cut(&mut self, runs: usize, steps: u32) {
        let Some(run) = self.get(runs) else {
            return;
        };
        let at = usize::from(self.next) + runs;
        self.runs[at] = PackedRun::new(run.direction, steps);
        self.end_and_more = (at + usize::from(steps > 0)) as u8 | (self.end_and_more & MORE);
    }

    #[inline]
    fn has_more(&self) -> bool {
        self.end_and_more & MORE != 0
    }

    fn set_more(&mut self, more: bool) {
        self.end_and_more = self.end() | if more { MORE } else { 0 };
    }

    fn heap_bytes(&self) -> usize {
        0
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
        let mut runs = ShortTrail::default();
        assert_eq!(runs.extend_by_cells(&grid, path.iter().copied()), 42);
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
        runs.keep([]);
        assert_eq!(runs.extend_by_cells(&grid, zigzag), RUNS);
        assert!(runs.has_more());
        // A run longer than fits in one piece.
        runs.keep([Run {
            direction: Direction::West,
            steps: MAX_STEPS + 3,
        }]);
        let steps: Vec<u32> = runs.ahead().map(|run| run.steps).collect();
        assert_eq!(steps, [MAX_STEPS, 3]);
    }
}
