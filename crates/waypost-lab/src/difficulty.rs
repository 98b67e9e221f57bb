//! How hard a problem is for A*: states expanded for each move of the path found (JAIR 39, 2010, section 8.1). Problems of
//! the same length differ in it a hundredfold, and methods that spread A* over moves are as slow as it says.

use crate::optimal::{Optimal, OptimalError};
use crate::stats::sorted_percentile;
use rayon::prelude::*;
use waypost::Map;
use waypost::grid::Cell;
use waypost::progress::{NoProgress, Progress};

/// The A* whose expansions are counted.
const ASTAR: &str = "astar";

/// How hard problems are wanted to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least expansions a move.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// Any difficulty.
impl Default for Range {
    fn default() -> Range {
        Range {
            least: 0.0,
            most: f64::INFINITY,
        }
    }
}

impl Range {
    /// From the two ends that a user gave, if any.
    pub fn new(least: Option<f64>, most: Option<f64>) -> Range {
        let any = Range::default();
        Range {
            least: least.unwrap_or(any.least),
            most: most.unwrap_or(any.most),
        }
    }

    /// Whether every difficulty is in it, so that none needs to be computed.
    pub fn is_any(&self) -> bool {
        *self == Range::default()
    }

    /// Whether it is a range at all.
    pub fn is_sound(&self) -> bool {
        self.least >= 0.0 && self.least <= self.most
    }

    /// Whether a difficulty is in it.
    pub fn contains(&self, difficulty: f64) -> bool {
        (self.least..=self.most).contains(&difficulty)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.most.is_finite() {
            true => write!(f, "{} to {}", self.least, self.most),
            false => write!(f, "{} and more", self.least),
        }
    }
}

/// A* ready to be counted on one map.
pub struct Difficulties {
    astar: Optimal,
}

impl Difficulties {
    /// Prepares A* for a map.
    pub fn prepare(map: &Map) -> Result<Difficulties, OptimalError> {
        Ok(Difficulties {
            astar: Optimal::with(map, ASTAR, &NoProgress)?,
        })
    }

    /// A counter for one thread.
    pub fn counter<'a>(&'a self, map: &'a Map) -> Result<Counter<'a>, OptimalError> {
        Ok(Counter {
            solver: self.astar.solver(map)?,
        })
    }

    /// The difficulty of every pair of connected cells, on all threads of the pool.
    pub fn of_all(
        &self,
        map: &Map,
        pairs: &[(Cell, Cell)],
        progress: &dyn Progress,
    ) -> Result<Vec<f64>, OptimalError> {
        progress.begin("difficulties", pairs.len() as u64);
        let parts: Vec<Vec<f64>> = pairs
            .par_chunks(16)
            .map(|part| {
                let mut counter = self.counter(map)?;
                let of = |&(from, goal): &(Cell, Cell)| {
                    progress.advance(1);
                    Ok(counter.difficulty(from, goal)?.unwrap_or(0.0))
                };
                part.iter().map(of).collect()
            })
            .collect::<Result<_, OptimalError>>()?;
        Ok(parts.concat())
    }
}

/// A* at work on one thread.
pub struct Counter<'a> {
    solver: crate::optimal::Solver<'a>,
}

impl Counter<'_> {
    /// States that A* expands for each move of its path; `None` where there is no path.
    pub fn difficulty(&mut self, from: Cell, goal: Cell) -> Result<Option<f64>, OptimalError> {
        let solved = self.solver.effort(from, goal)?;
        Ok(solved.map(|(moves, expansions)| expansions as f64 / moves.max(1) as f64))
    }
}

/// What papers print of a list of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Spread {
    /// Of a list, in any order; `None` where it is empty.
    pub fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        let (&least, &most) = (values.first()?, values.last()?);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2));
        Some(Spread {
            mean,
            median: sorted_percentile(&values, 50.0),
            deviation: (squares.sum::<f64>() / count).sqrt(),
            least,
            most,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::formats::{Reading, map};
    use waypost::grid::{Grid, MoveRules, Point};
    use waypost::terrain::Footings;

    #[test]
    fn a_straight_way_is_easy_and_a_dead_end_is_not() {
        // A bay open to the left between start and goal: A* fills it before it goes round.
        let bay = |p: Point| {
            !(p.x == 30 && (5..26).contains(&p.y)
                || (10..30).contains(&p.x) && (p.y == 5 || p.y == 25))
        };
        let grid = Grid::from_fn(40, 31, bay).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
        let difficulties = Difficulties::prepare(&map).expect("A* runs everywhere");
        let pairs = [(cell(0, 0), cell(39, 0)), (cell(2, 15), cell(39, 15))];
        let of = difficulties
            .of_all(&map, &pairs, &NoProgress)
            .expect("both have paths");
        assert!((0.9..=1.1).contains(&of[0]), "{of:?}");
        assert!(of[1] > 5.0, "{of:?}");
        assert!(Range::new(None, Some(2.0)).contains(of[0]));
        assert!(!Range::new(None, Some(2.0)).contains(of[1]));
    }

    #[test]
    fn difficulty_on_terrain_counts_moves_and_not_what_they_cost() {
        let text = format!("type octile\nheight 1\nwidth 40\nmap\n{}\n", "S".repeat(40));
        let reading = Reading {
            footings: Footings::parse("S=9").expect("a factor"),
            ..Reading::default()
        };
        let level = map::parse_level(text.as_bytes(), &reading).expect("a level");
        let map = level.map(MoveRules::default(), 1).expect("a map");
        let ends = [0, 39].map(|x| map.passable_cell(Point { x, y: 0 }).expect("passable"));
        let difficulties = Difficulties::prepare(&map).expect("A* runs everywhere");
        let of = difficulties.of_all(&map, &[(ends[0], ends[1])], &NoProgress);
        let of = of.expect("there is a path");
        assert!((0.9..=1.1).contains(&of[0]), "{of:?}");
    }

    #[test]
    fn spreads_are_those_of_textbooks() {
        let spread = Spread::of(vec![4.0, 2.0, 9.0, 5.0, 4.0, 7.0, 4.0, 5.0]).expect("values");
        assert_eq!(
            (spread.mean, spread.median, spread.deviation),
            (5.0, 4.0, 2.0)
        );
        assert_eq!((spread.least, spread.most), (2.0, 9.0));
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
