//! Whole paths in one call, as AIIDE 2011 times them.
//!
//! An agent asks a path database for one move after the other, and each decision is a call that looks the goal up again. The
//! paper extracts a path in one go. Both are timed: an agent's moves with all other algorithms, and here the call that
//! writes a whole path down.

use crate::measure::Problem;
use cpu_time::ThreadTime;
use std::hint::black_box;
use waypost::grid::Cell;
use waypost::index::Indexes;
use waypost::index::cpd::PathDatabase;
use waypost::spec::AgentSpec;

/// A path takes microseconds, less than the clock of the processor tells apart well: it is extracted so often between two
/// readings, after once that is not timed.
const TIMES: u32 = 16;

/// What an algorithm with a path database needs to give whole paths.
pub struct WholePaths<'a> {
    database: &'a PathDatabase,
    path: Vec<Cell>,
}

impl<'a> WholePaths<'a> {
    /// Of the database that a spec walks by; `None` where it has none.
    pub fn new(spec: &AgentSpec, indexes: &'a Indexes) -> Option<WholePaths<'a>> {
        let mut databases = spec.needs().into_iter().filter_map(|request| {
            let index: &dyn std::any::Any = indexes.get(&request)?.as_ref();
            index.downcast_ref::<PathDatabase>()
        });
        Some(WholePaths {
            database: databases.next()?,
            path: Vec::new(),
        })
    }

    /// Processor nanoseconds for the whole path of a problem. What it gives must be a shortest path.
    pub fn time(&mut self, problem: &Problem) -> Result<u64, String> {
        let length = self.extract(problem);
        if length != Some(problem.optimal) {
            return Err(format!(
                "a whole path of {length:?} where {:?} is optimal",
                problem.optimal
            ));
        }
        let begun = ThreadTime::now();
        for _ in 0..TIMES {
            black_box(self.extract(black_box(problem)));
        }
        Ok(begun.elapsed().as_nanos() as u64 / u64::from(TIMES))
    }

    fn extract(&mut self, problem: &Problem) -> Option<waypost::cost::Length> {
        self.database
            .path_into(problem.from, problem.goal, &mut self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::Workbench;
    use waypost::cost::Length;
    use waypost::progress::NoProgress;
    use waypost::{Grid, Map, MoveRules, Point};

    #[test]
    fn only_path_databases_give_whole_paths_and_wrong_lengths_are_told() {
        let grid = Grid::from_fn(9, 3, |_| true).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let cell = |x, y| map.passable_cell(Point { x, y }).expect("free");
        let mut bench = Workbench::default();
        for (text, has) in [("astar", false), ("cpd:encoding=rectangles", true)] {
            let spec = AgentSpec::parse(text).expect("a spec");
            bench.prepare(&map, &spec, &NoProgress).expect("built");
            let paths = WholePaths::new(&spec, bench.indexes());
            assert_eq!(paths.is_some(), has, "{text}");
            let Some(mut paths) = paths else { continue };
            let mut problem = Problem {
                from: cell(0, 0),
                goal: cell(8, 0),
                optimal: Length {
                    straight: 8,
                    diagonal: 0,
                },
            };
            assert!(paths.time(&problem).is_ok());
            problem.optimal.straight = 7;
            assert!(paths.time(&problem).is_err(), "a shorter one than there is");
        }
    }
}
