//! Problems for a map: pairs of connected cells whose optimal cost lies in a range, spread evenly over it.
//!
//! The papers draw problems in buckets of cost; pairs of cells drawn blindly are mostly long. So the range is cut into
//! [`BUCKETS`] equal parts, problem `i` is meant for part `i % BUCKETS`, and pairs are drawn until one falls there. Which
//! pairs have which cost only a search can tell, and the search is the caller's: see [`make`].
//!
//! Each problem has its own generator, so problem `i` is the same however many are asked for, in whatever order.

use crate::difficulty::Range;
use std::sync::Arc;
use thiserror::Error;
use waypost::cost::Length;
use waypost::formats::scen::{BUCKET_LENGTH, Problem};
use waypost::grid::{Cell, Grid, Point};
use waypost::map::Map;
use waypost::rng::Rng;

/// Sets problems apart from the records of subgoal databases, which are drawn the same way: the same seed for both must not make
/// records of the very problems that they are judged on.
const STREAM: u64 = 0x7072_6f62_6c65_6d73;

/// Parts that the range of costs is cut into.
pub const BUCKETS: u64 = 10;
/// The most problems that are made at once.
pub const MAX_PROBLEMS: usize = 10_000_000;
/// Pairs whose optimal cost is computed for a problem before any cost in the range will do.
const AIMED_TRIES: u32 = 24;
/// Pairs whose optimal cost is computed for a problem before the maker gives up.
const TRIES: u32 = 200;
/// Pairs drawn for each of those before it is given up: drawing is cheap, searching is not.
const DRAWS: u32 = 64;

/// Which problems are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// How many, at most [`MAX_PROBLEMS`].
    pub count: usize,
    /// The seed.
    pub seed: u64,
    /// The least optimal length.
    pub least: f64,
    /// The greatest optimal length; where it is missing, whatever the map gives.
    pub most: Option<f64>,
    /// How hard for A*: expansions for each move of the path. As many problems in each range; any where there is none.
    pub difficulty: Vec<Range>,
    /// The name of the map that goes into each problem.
    pub map_name: String,
}

/// Why problems could not be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProblemsError {
    /// The map has no two connected cells.
    #[error("the map has no two passable cells that are connected; use a map with open ground")]
    NoPairs,
    /// More than anybody can wait for.
    #[error("{count} problems are too many; give at most {MAX_PROBLEMS}, and other seeds for more")]
    TooMany {
        /// How many were wanted.
        count: usize,
    },
    /// The range is empty or not a range.
    #[error("{what} from {least} to {most} are no range; expected 0 <= least <= greatest")]
    BadRange {
        /// Lengths or difficulties.
        what: &'static str,
        /// The least asked for.
        least: f64,
        /// The greatest asked for.
        most: f64,
    },
    /// No pair in the range was found.
    #[error(
        "no pair of cells with an optimal length {}{difficulty} was found in {tries} tries (the longest had {longest:.1}); widen the range",
        range_in_words(*least, *most)
    )]
    NoneInRange {
        /// The least length asked for.
        least: f64,
        /// The greatest length asked for.
        most: f64,
        /// Pairs that were solved.
        tries: u32,
        /// The longest optimal length among them.
        longest: f64,
        /// The difficulty asked for, in words; empty for any.
        difficulty: String,
    },
}

fn range_in_words(least: f64, most: f64) -> String {
    match most.is_finite() {
        true => format!("from {least} to {most}"),
        false => format!("of {least} and more"),
    }
}

/// Makes problems one by one, in any order; threads may share it.
pub struct ProblemMaker<'a> {
    map: &'a Map,
    wanted: &'a Wanted,
    most: f64,
    map_name: Arc<str>,
    /// Passable cells before each row: a random passable cell is found by its number.
    cells_before_row: Vec<u64>,
    /// The least factor of the terrain; 1 where there is none.
    least_factor: f64,
}

/// Makes the problems wanted. `solve` gives the counted moves of an optimal path and `difficulty` what A* expands for each,
/// or `None` where there is no path; they are called a few times for each problem, `difficulty` only where a range is wanted.
pub fn make(
    map: &Map,
    wanted: &Wanted,
    mut solve: impl FnMut(Cell, Cell) -> Option<Length>,
    mut difficulty: impl FnMut(Cell, Cell) -> Option<f64>,
) -> Result<Vec<Problem>, ProblemsError> {
    let maker = ProblemMaker::new(map, wanted)?;
    (0..wanted.count as u64)
        .map(|item| maker.problem(item, &mut solve, &mut difficulty))
        .collect()
}

impl<'a> ProblemMaker<'a> {
    /// Checks what is wanted and counts the map's cells.
    pub fn new(map: &'a Map, wanted: &'a Wanted) -> Result<ProblemMaker<'a>, ProblemsError> {
        if wanted.count > MAX_PROBLEMS {
            let count = wanted.count;
            return Err(ProblemsError::TooMany { count });
        }
        let components = map.components();
        let largest = components.largest().map_or(0, |c| components.size(c));
        let most = wanted.most.unwrap_or(f64::INFINITY);
        // Written so that a NaN is refused too.
        if !(wanted.least >= 0.0 && wanted.least <= most) {
            return Err(ProblemsError::BadRange {
                what: "lengths",
                least: wanted.least,
                most,
            });
        }
        if let Some(bad) = wanted.difficulty.iter().find(|range| !range.is_sound()) {
            return Err(ProblemsError::BadRange {
                what: "difficulties",
                least: bad.least,
                most: bad.most,
            });
        }
        if largest < 2 {
            return Err(ProblemsError::NoPairs);
        }
        Ok(ProblemMaker {
            map,
            wanted,
            most,
            map_name: wanted.map_name.as_str().into(),
            cells_before_row: cells_before_row(map.grid()),
            least_factor: map.approximate_length(map.least_steps().straight),
        })
    }

    /// Makes problem number `item`, from 0: what [`make`] puts there.
    pub fn problem(
        &self,
        item: u64,
        mut solve: impl FnMut(Cell, Cell) -> Option<Length>,
        mut difficulty: impl FnMut(Cell, Cell) -> Option<f64>,
    ) -> Result<Problem, ProblemsError> {
        let hardness = self.hardness(item);
        let (least, most) = (self.wanted.least, self.most);
        let mut rng = Rng::for_item(self.wanted.seed ^ STREAM, item);
        let aim = self.aim(item, least, most);
        let mut longest = 0.0f64;
        for attempt in 0..TRIES {
            // Distance times the least factor is a lower bound of length: pairs further apart than the aim cannot be in it.
            let (low, high) = if attempt < AIMED_TRIES {
                aim
            } else {
                (least, most)
            };
            let Some((start, goal)) = self.pair(high / self.least_factor, &mut rng) else {
                continue;
            };
            let Some(moves) = solve(start, goal) else {
                continue;
            };
            let length = self.map.length(moves);
            longest = longest.max(length);
            if length < low || length > high {
                continue;
            }
            if hardness.is_any() || difficulty(start, goal).is_some_and(|d| hardness.contains(d)) {
                return Ok(self.entry(start, goal, length));
            }
        }
        Err(ProblemsError::NoneInRange {
            least,
            most,
            tries: TRIES,
            longest,
            difficulty: match hardness.is_any() {
                true => String::new(),
                false => format!(" and a difficulty of {hardness}"),
            },
        })
    }

    /// The range of difficulties that a problem is meant for. Lengths go through all their parts before the next range comes.
    fn hardness(&self, item: u64) -> Range {
        let ranges = &self.wanted.difficulty;
        let number = item / BUCKETS % (ranges.len() as u64).max(1);
        ranges.get(number as usize).copied().unwrap_or_default()
    }

    /// The part of the range that a problem is meant for. Without an upper end any length will do.
    fn aim(&self, item: u64, least: f64, most: f64) -> (f64, f64) {
        if most.is_infinite() {
            return (least, most);
        }
        let part = (most - least) / BUCKETS as f64;
        let low = least + part * (item % BUCKETS) as f64;
        (low, low + part)
    }

    /// Two different connected cells at most `distance` apart.
    fn pair(&self, distance: f64, rng: &mut Rng) -> Option<(Cell, Cell)> {
        let grid = self.map.grid();
        for _ in 0..DRAWS {
            let start = self.cell(rng)?;
            let goal = self.near(start, distance, rng);
            let Some(goal) = goal.filter(|&goal| goal != start) else {
                continue;
            };
            let (dx, dy) = grid.point(start).distances(grid.point(goal));
            let moves = Length {
                straight: u64::from(dx.abs_diff(dy)),
                diagonal: u64::from(dx.min(dy)),
            };
            if self.map.rules().costs.length(moves) <= distance
                && self.map.components().connected(start, goal)
            {
                return Some((start, goal));
            }
        }
        None
    }

    /// A passable cell in the square around a cell that reaches `distance` far, if the draw hits one.
    fn near(&self, from: Cell, distance: f64, rng: &mut Rng) -> Option<Cell> {
        let grid = self.map.grid();
        let side = f64::from(grid.width().max(grid.height()));
        if distance >= side {
            return self.cell(rng);
        }
        let reach = distance as u32;
        let at = grid.point(from);
        let mut draw = |centre: u32, end: u32| {
            let low = centre.saturating_sub(reach);
            rng.between(low, (centre + reach).min(end - 1))
        };
        let x = draw(at.x, grid.width());
        let y = draw(at.y, grid.height());
        grid.passable_cell(Point { x, y })
    }

    /// A passable cell, each equally likely.
    fn cell(&self, rng: &mut Rng) -> Option<Cell> {
        let total = *self.cells_before_row.last()?;
        let number = u64::from(rng.below(total as u32));
        let row = self
            .cells_before_row
            .partition_point(|&before| before <= number)
            - 1;
        let mut rest = number - self.cells_before_row[row];
        let words = self.map.grid().words_per_row();
        let first = (row + 1) * words;
        for (i, &word) in self.map.grid().words()[first..first + words]
            .iter()
            .enumerate()
        {
            let count = u64::from(word.count_ones());
            if rest < count {
                return Some(Cell(((first + i) * 64) as u32 + nth_bit(word, rest as u32)));
            }
            rest -= count;
        }
        None
    }

    fn entry(&self, start: Cell, goal: Cell, length: f64) -> Problem {
        let grid: &Grid = self.map.grid();
        Problem {
            bucket: (length / BUCKET_LENGTH) as u32,
            map_name: self.map_name.clone(),
            width: grid.width(),
            height: grid.height(),
            start: grid.point(start),
            goal: grid.point(goal),
            length,
            tolerance: 5e-9,
        }
    }
}

fn cells_before_row(grid: &Grid) -> Vec<u64> {
    let words = grid.words_per_row();
    let mut before = 0;
    (0..=grid.height() as usize)
        .map(|y| {
            let count = before;
            let row = &grid.words()[(y + 1) * words..(y + 2) * words];
            before += row.iter().map(|w| u64::from(w.count_ones())).sum::<u64>();
            count
        })
        .collect()
}

/// The place of the `n`th set bit, from 0.
fn nth_bit(mut word: u64, n: u32) -> u32 {
    for _ in 0..n {
        word &= word - 1;
    }
    word.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::MoveRules;
    use waypost::index::Shard;
    use waypost::index::subgoals::{SubgoalDatabase, SubgoalParameters};
    use waypost::progress::NoProgress;

    /// Problems of any difficulty never ask for one.
    fn no_difficulty(_: Cell, _: Cell) -> Option<f64> {
        panic!("nobody asked for a difficulty")
    }

    /// On an open field the optimal path is the octile one.
    fn octile(map: &Map) -> impl FnMut(Cell, Cell) -> Option<Length> + '_ {
        |a, b| {
            let (dx, dy) = map.grid().point(a).distances(map.grid().point(b));
            let moves = Length {
                straight: u64::from(dx.abs_diff(dy)),
                diagonal: u64::from(dx.min(dy)),
            };
            Some(moves)
        }
    }

    fn field(width: u32, height: u32) -> Map {
        let grid = Grid::from_fn(width, height, |_| true).expect("a legal size");
        Map::new(grid, MoveRules::default())
    }

    fn wanted(count: usize, least: f64, most: Option<f64>) -> Wanted {
        Wanted {
            count,
            seed: 5,
            least,
            most,
            difficulty: Vec::new(),
            map_name: "field.map".to_owned(),
        }
    }

    #[test]
    fn lengths_spread_over_the_range() {
        let map = field(300, 200);
        let wish = wanted(100, 50.0, Some(150.0));
        let problems =
            make(&map, &wish, octile(&map), no_difficulty).expect("an open field has such pairs");
        let mut parts = [0; 10];
        for problem in &problems {
            assert!((50.0..=150.0).contains(&problem.length), "{problem:?}");
            assert_eq!(problem.bucket, (problem.length / 4.0) as u32);
            parts[((problem.length - 50.0) / 10.0).min(9.0) as usize] += 1;
        }
        assert!(parts.iter().all(|&count| count >= 6), "{parts:?}");
    }

    #[test]
    fn a_problem_does_not_depend_on_the_others() {
        let map = field(120, 90);
        let wish = wanted(30, 10.0, Some(80.0));
        let all = make(&map, &wish, octile(&map), no_difficulty).expect("pairs");
        let few = make(
            &map,
            &wanted(7, 10.0, Some(80.0)),
            octile(&map),
            no_difficulty,
        )
        .expect("pairs");
        assert_eq!(all[..7], few);
        let maker = ProblemMaker::new(&map, &wish).expect("a good wish");
        assert_eq!(
            Ok(&all[22]),
            maker.problem(22, octile(&map), no_difficulty).as_ref()
        );
    }

    #[test]
    fn every_range_of_difficulties_gets_as_many() {
        let map = field(120, 90);
        let wish = Wanted {
            difficulty: vec![
                Range::new(None, Some(60.5)),
                Range::new(Some(60.5), Some(80.0)),
            ],
            ..wanted(40, 10.0, Some(80.0))
        };
        // Hard is what starts far to the right.
        let right = |from: Cell, _: Cell| Some(f64::from(map.grid().point(from).x));
        let made = make(&map, &wish, octile(&map), right).expect("pairs");
        for (i, problem) in made.iter().enumerate() {
            let hard = problem.start.x > 60;
            assert_eq!(hard, i / 10 % 2 == 1, "{i}: {problem:?}");
            assert!(problem.start.x <= 80);
        }
    }

    #[test]
    fn problems_are_not_the_records_of_the_same_seed() {
        let map = field(120, 90);
        let problems =
            make(&map, &wanted(50, 0.0, None), octile(&map), no_difficulty).expect("pairs");
        let parameters = SubgoalParameters {
            records: 200,
            seed: 5,
            ..SubgoalParameters::default()
        };
        let database = SubgoalDatabase::build(&map, &parameters, Shard::WHOLE, &NoProgress);
        let database = database.expect("a field has records");
        let records = database.cases().slices();
        let ends = |record| {
            let last = records.state_count(record) - 1;
            [records.state(record, 0), records.state(record, last)]
                .map(|cell| map.grid().point(cell))
        };
        let ends: Vec<[Point; 2]> = (0..200).map(ends).collect();
        let shared = problems
            .iter()
            .filter(|p| ends.contains(&[p.start, p.goal]));
        assert_eq!(shared.count(), 0);
    }

    #[test]
    fn impossible_wishes_end_in_an_error() {
        let map = field(30, 30);
        let far = make(
            &map,
            &wanted(1, 500.0, Some(600.0)),
            octile(&map),
            no_difficulty,
        );
        assert!(
            matches!(far, Err(ProblemsError::NoneInRange { .. })),
            "{far:?}"
        );
        for (least, most) in [(-1.0, None), (5.0, Some(4.0)), (f64::NAN, None)] {
            let made = make(&map, &wanted(1, least, most), octile(&map), no_difficulty);
            assert!(matches!(made, Err(ProblemsError::BadRange { .. })));
        }
        let none_so_hard = Wanted {
            difficulty: vec![Range::new(Some(50.0), None)],
            ..wanted(1, 5.0, Some(20.0))
        };
        let made = make(&map, &none_so_hard, octile(&map), |_, _| Some(1.0));
        let error = made.expect_err("all are easy").to_string();
        assert!(error.contains("a difficulty of 50 and more"), "{error}");
        let turned = Wanted {
            difficulty: vec![Range::new(Some(5.0), Some(4.0))],
            ..none_so_hard
        };
        let made = make(&map, &turned, octile(&map), no_difficulty);
        let error = made.expect_err("no range").to_string();
        assert!(error.contains("difficulties from 5 to 4"), "{error}");
        let walls = Map::new(Grid::blocked(9, 9).expect("legal"), MoveRules::default());
        assert_eq!(
            make(&walls, &wanted(1, 0.0, None), |_, _| None, no_difficulty),
            Err(ProblemsError::NoPairs)
        );
        let lonely = Map::new(
            Grid::from_fn(9, 9, |p| p.x % 2 == 0 && p.y % 2 == 0).expect("legal"),
            MoveRules::default(),
        );
        assert_eq!(
            make(&lonely, &wanted(1, 0.0, None), |_, _| None, no_difficulty),
            Err(ProblemsError::NoPairs)
        );
    }

    #[test]
    fn cells_are_found_by_number() {
        let grid = Grid::from_fn(130, 20, |p| (p.x * 31 + p.y * 17) % 7 < 5).expect("legal");
        let map = Map::new(grid, MoveRules::default());
        let wish = wanted(1, 0.0, None);
        let sampler = ProblemMaker::new(&map, &wish).expect("a good wish");
        let mut rng = Rng::new(3);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..20_000 {
            let cell = sampler.cell(&mut rng).expect("the map has cells");
            assert!(map.grid().is_passable(cell));
            seen.insert(cell);
        }
        assert_eq!(seen.len() as u64, map.grid().passable_count());
    }
}
