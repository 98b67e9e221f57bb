//! What makes a map hard for real-time search: four of the measures of Huntley and Bulitko ("Search-space characterization for
//! real-time heuristic search", 2013), over random pairs of connected cells. Methods that climb to subgoals live on the first
//! two, methods that spread A* over moves on the third, methods that learn on the fourth.

use crate::difficulty::{Difficulties, Spread};
use crate::make::{MakeError, make_problems};
use crate::optimal::Optimal;
use crate::problems::Wanted;
use serde::Serialize;
use waypost::Map;
use waypost::grid::Cell;
use waypost::progress::Progress;
use waypost::search::hill_climb::climb;
use waypost::space::Space;

/// Pairs are drawn by this seed: a map has one set of measures.
const SEED: u64 = 2013;

/// The measures of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MapMeasures {
    /// Pairs that were looked at.
    pub pairs: usize,
    /// Percent of pairs whose goal hill climbing reaches.
    pub climbable_pct: f64,
    /// Subgoals, the goal included, into which climbing cuts an optimal path: the mean.
    pub subgoals: f64,
    /// States that A* expands for each move of the path: the mean.
    pub difficulty: f64,
    /// The median of the same.
    pub difficulty_median: f64,
    /// Percent that optimal paths are longer than their estimate: the mean.
    pub estimate_error_pct: f64,
}

/// Measures a map over this many pairs.
pub fn measure(map: &Map, pairs: usize, progress: &dyn Progress) -> Result<MapMeasures, MakeError> {
    let wanted = Wanted {
        count: pairs,
        seed: SEED,
        least: 0.0,
        most: None,
        difficulty: Vec::new(),
        map_name: String::new(),
    };
    let problems = make_problems(map, &wanted, progress)?;
    let ends = problems.iter().filter_map(|p| p.ends(map.grid()).ok());
    let ends: Vec<(Cell, Cell)> = ends.collect();
    let difficulties = Difficulties::prepare(map)?.of_all(map, &ends, progress)?;
    let hardness = Spread::of(difficulties).unwrap_or_default();
    let mut sums = Sums::default();
    let optimal = Optimal::prepare(map, progress)?;
    let mut solver = optimal.solver(map)?;
    for &(from, goal) in &ends {
        if let Some(path) = solver.path(from, goal)? {
            sums.add(map, &path);
        }
    }
    Ok(sums.finish(ends.len(), hardness))
}

#[derive(Default)]
struct Sums {
    climbable: usize,
    subgoals: usize,
    error: f64,
}

impl Sums {
    fn add(&mut self, map: &Map, path: &[Cell]) {
        let (Some(&from), Some(&goal)) = (path.first(), path.last()) else {
            return;
        };
        let subgoals = compressed(map, path);
        self.climbable += usize::from(climbs(map, from, goal));
        self.subgoals += subgoals;
        let estimate = map.approximate_length(map.heuristic(from, goal));
        let length = map.length(map.path_length(path).unwrap_or_default());
        if estimate > 0.0 {
            self.error += length / estimate - 1.0;
        }
    }

    fn finish(self, pairs: usize, hardness: Spread) -> MapMeasures {
        let count = pairs.max(1) as f64;
        MapMeasures {
            pairs,
            climbable_pct: self.climbable as f64 * 100.0 / count,
            subgoals: self.subgoals as f64 / count,
            difficulty: hardness.mean,
            difficulty_median: hardness.median,
            estimate_error_pct: self.error * 100.0 / count,
        }
    }
}

/// Whether climbing from one cell ends at another.
fn climbs(map: &Map, from: Cell, goal: Cell) -> bool {
    climb(map, from, goal, u32::MAX, |_| {}).reached
}

/// Into how many subgoals climbing cuts a path, by the papers' binary search for the next.
fn compressed(map: &Map, path: &[Cell]) -> usize {
    let (mut at, mut subgoals) = (0, 0);
    while at + 1 < path.len() {
        let (mut next, mut high) = (at + 1, path.len());
        let mut low = next + 1;
        while low < high {
            let middle = low + (high - 1 - low) / 2;
            if climbs(map, path[at], path[middle]) {
                next = middle;
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (at, subgoals) = (next, subgoals + 1);
    }
    subgoals
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::grid::{Grid, MoveRules};
    use waypost::progress::NoProgress;

    #[test]
    fn an_open_field_is_easy_and_rooms_are_not() {
        let of = |passable: fn(u32, u32) -> bool| {
            let grid = Grid::from_fn(60, 40, |p| passable(p.x, p.y)).expect("a legal size");
            let map = Map::new(grid, MoveRules::default());
            measure(&map, 60, &NoProgress).expect("pairs")
        };
        let field = of(|_, _| true);
        assert_eq!((field.climbable_pct, field.subgoals), (100.0, 1.0));
        assert!(field.estimate_error_pct.abs() < 0.01);
        // Ends beside each other take an expansion or two more than they have moves: the median tells.
        assert!((0.9..1.5).contains(&field.difficulty_median), "{field:?}");
        let rooms = of(|x, y| x % 12 != 11 || y % 20 == 3);
        assert!(rooms.climbable_pct < 60.0, "{rooms:?}");
        assert!(rooms.subgoals > field.subgoals, "{rooms:?}");
        assert!(
            rooms.difficulty_median > field.difficulty_median,
            "{rooms:?}"
        );
        assert!(rooms.estimate_error_pct > 1.0);
    }
}
