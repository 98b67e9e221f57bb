//! Makes problems for a map: solvable, with known optimal lengths, spread over lengths.
//!
//! The papers take problems from ranges of cost, as many from each: the MovingAI sets ten from every four units of length,
//! the real-time search papers as many as wanted between a least and a greatest cost. [`make`] divides the wished range
//! into equal parts and fills each with the same number; what a map has no problems for is filled with the others.

use crate::optimal::{Optimal, OptimalError};
use std::sync::Arc;
use thiserror::Error;
use waypost::Map;
use waypost::formats::scen::{BUCKET_LENGTH, Problem};
use waypost::grid::{Cell, Point};
use waypost::progress::Progress;
use waypost::rng::Rng;

/// What problems to make.
#[derive(Clone, Debug)]
pub struct Wish {
    /// How many.
    pub count: usize,
    /// The seed of all choices.
    pub seed: u64,
    /// The least optimal length.
    pub min_cost: f64,
    /// The greatest; the longest that is found where there is no limit.
    pub max_cost: Option<f64>,
    /// Equal parts of the range that get as many problems each.
    pub parts: usize,
    /// The map's name in the problems.
    pub map_name: String,
}

/// Why there are no such problems.
#[derive(Debug, Error)]
pub enum ProblemError {
    /// The map has no two connected cells.
    #[error(
        "the map has no two connected cells, so no problems; expected passable cells side by side"
    )]
    NoPairs,
    /// Too few lie in the range.
    #[error(
        "found {found} of {wanted} problems with lengths from {min} to {max} in {tried} tries (longest seen: {longest:.1}); widen --min-cost and --max-cost"
    )]
    OutOfRange {
        /// How many were found.
        found: usize,
        /// How many were wanted.
        wanted: usize,
        /// The least length wished.
        min: f64,
        /// The greatest length wished.
        max: f64,
        /// The pairs tried.
        tried: u64,
        /// The longest shortest path among them.
        longest: f64,
    },
    /// The exact search failed.
    #[error(transparent)]
    Optimal(#[from] OptimalError),
}

/// Rounds of candidates before the map is said not to have such problems.
const ROUNDS: u64 = 40;
/// Cells tried as the goal of one candidate.
const GOALS_TRIED: u32 = 64;

/// Makes problems. The same wish gives the same problems, whatever the number of threads.
pub fn make(map: &Map, wish: &Wish, progress: &dyn Progress) -> Result<Vec<Problem>, ProblemError> {
    let cells = startable(map);
    if cells.is_empty() {
        return Err(ProblemError::NoPairs);
    }
    let optimal = Optimal::prepare(map, progress)?;
    let parts = wish.parts.clamp(1, wish.count.max(1));
    let mut maker = Maker {
        map,
        wish,
        cells,
        parts,
        found: Vec::new(),
        kept: vec![0; parts],
        longest: 0.0,
        tried: 0,
    };
    for _ in 0..ROUNDS {
        if maker.is_full() {
            break;
        }
        maker.round(&optimal, progress)?;
    }
    maker.finish()
}

/// Cells that have a neighbour to go to.
fn startable(map: &Map) -> Vec<Cell> {
    map.grid()
        .cells()
        .filter(|&cell| !map.legal(cell).is_empty())
        .collect()
}

struct Candidate {
    from: Cell,
    goal: Cell,
    length: f64,
}

struct Maker<'a> {
    map: &'a Map,
    wish: &'a Wish,
    cells: Vec<Cell>,
    parts: usize,
    found: Vec<Candidate>,
    kept: Vec<usize>,
    longest: f64,
    tried: u64,
}

impl Maker<'_> {
    fn round(&mut self, optimal: &Optimal, progress: &dyn Progress) -> Result<(), ProblemError> {
        let batch = (self.wish.count as u64 * 2).clamp(64, 100_000);
        let pairs: Vec<(Cell, Cell)> = (self.tried..self.tried + batch)
            .filter_map(|item| self.candidate(item))
            .collect();
        self.tried += batch;
        let lengths = optimal.lengths(self.map, &pairs, progress)?;
        let first_round = self.found.is_empty() && self.longest == 0.0;
        for (&(from, goal), length) in pairs.iter().zip(lengths) {
            let Some(length) = length.map(|moves| self.map.rules().costs.length(moves)) else {
                continue;
            };
            self.longest = self.longest.max(length);
            let fits = length > 0.0
                && length >= self.wish.min_cost
                && self.wish.max_cost.is_none_or(|max| length <= max);
            if fits {
                self.found.push(Candidate { from, goal, length });
            }
        }
        if first_round && self.wish.max_cost.is_none() {
            // From here on the range is fixed, so that the parts stay the same from round to round.
            self.longest = self.longest.max(self.wish.min_cost + 1.0);
        }
        self.count();
        Ok(())
    }

    /// Two connected cells; every part of the range is aimed at in turn, by a goal no farther away than its length.
    fn candidate(&self, item: u64) -> Option<(Cell, Cell)> {
        let mut rng = Rng::for_item(self.wish.seed, item);
        let from = self.cells[rng.below(self.cells.len() as u32) as usize];
        let part = item as usize % self.parts;
        let reach = self.wish.max_cost.map(|max| {
            let width = (max - self.wish.min_cost) / self.parts as f64;
            (self.wish.min_cost + width * (part + 1) as f64).ceil()
        });
        // Every other candidate ignores the aim: paths round walls join near cells too.
        let reach = if (item / self.parts as u64).is_multiple_of(2) {
            reach
        } else {
            None
        };
        for _ in 0..GOALS_TRIED {
            let goal = match reach {
                Some(reach) => self.near(from, reach.min(65_535.0) as u32, &mut rng),
                None => Some(self.cells[rng.below(self.cells.len() as u32) as usize]),
            };
            let fits = |goal: &Cell| *goal != from && self.map.components().connected(from, *goal);
            if let Some(goal) = goal.filter(fits) {
                return Some((from, goal));
            }
        }
        None
    }

    /// A passable cell at most `reach` columns and rows away.
    fn near(&self, from: Cell, reach: u32, rng: &mut Rng) -> Option<Cell> {
        let grid = self.map.grid();
        let at = grid.point(from);
        let mut within = |centre: u32, side: u32| {
            rng.between(centre.saturating_sub(reach), (centre + reach).min(side - 1))
        };
        let point = Point {
            x: within(at.x, grid.width()),
            y: within(at.y, grid.height()),
        };
        grid.passable_cell(point)
    }

    fn part_of(&self, length: f64) -> usize {
        let min = self.wish.min_cost;
        let max = self.wish.max_cost.unwrap_or(self.longest);
        let share = (length - min) / (max - min).max(1e-9);
        ((share * self.parts as f64) as usize).min(self.parts - 1)
    }

    fn quota(&self) -> usize {
        self.wish.count.div_ceil(self.parts)
    }

    fn count(&mut self) {
        let mut kept = vec![0; self.parts];
        for candidate in &self.found {
            kept[self.part_of(candidate.length)] += 1;
        }
        self.kept = kept;
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.wish.count && self.kept.iter().all(|&n| n >= self.quota())
    }

    /// Takes the quota of every part, then the first of the rest.
    fn finish(self) -> Result<Vec<Problem>, ProblemError> {
        if self.found.len() < self.wish.count {
            return Err(ProblemError::OutOfRange {
                found: self.found.len(),
                wanted: self.wish.count,
                min: self.wish.min_cost,
                max: self.wish.max_cost.unwrap_or(f64::INFINITY),
                tried: self.tried,
                longest: self.longest,
            });
        }
        let mut taken = vec![0; self.parts];
        let (mut chosen, mut spare) = (Vec::new(), Vec::new());
        for candidate in &self.found {
            let part = self.part_of(candidate.length);
            if taken[part] < self.quota() && chosen.len() < self.wish.count {
                taken[part] += 1;
                chosen.push(candidate);
            } else {
                spare.push(candidate);
            }
        }
        chosen.extend(spare.into_iter().take(self.wish.count - chosen.len()));
        chosen.sort_by(|a, b| {
            a.length
                .total_cmp(&b.length)
                .then(a.from.cmp(&b.from))
                .then(a.goal.cmp(&b.goal))
        });
        let name: Arc<str> = self.wish.map_name.as_str().into();
        Ok(chosen.into_iter().map(|c| self.problem(c, &name)).collect())
    }

    fn problem(&self, candidate: &Candidate, name: &Arc<str>) -> Problem {
        let grid = self.map.grid();
        Problem {
            bucket: (candidate.length / BUCKET_LENGTH) as u32,
            map_name: name.clone(),
            width: grid.width(),
            height: grid.height(),
            start: grid.point(candidate.from),
            goal: grid.point(candidate.goal),
            length: candidate.length,
            tolerance: 0.0,
        }
    }
}
