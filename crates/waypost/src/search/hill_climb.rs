//! Hill climbing: the step that LRTA* takes where nothing was learned, and the walk made of such steps.
//!
//! There is one step rule and this file holds it. Off-line compression of paths, on-line reachability checks and LRTA*
//! itself all choose with [`best_neighbour`], so that Theorem 5 of JAIR 2010 (where climbing reaches `b` from `a`, LRTA*
//! walks the same path and visits no state twice) holds by construction.
//!
//! The rule (JAIR 2010, figures 1 and 7): the neighbour of least `g + h`; ties go to the higher `g`, then to the first
//! in the space's fixed order of neighbours. Climbing stops where no neighbour has a lower `h`.
//!
//! One addition: climbing also stops where the neighbour of least `g + h` does not lower `h`, though another would. On
//! grids under octile distance that never happens (a test goes through all offsets); on other graphs figure 7 as printed
//! could walk in circles for ever there. With it every climb ends: `h` falls with each step.

use crate::cost::Cost;
use crate::grid::Cell;
use crate::space::Space;

/// The neighbour that LRTA* prefers, and what it saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestNeighbour {
    /// The neighbour.
    pub cell: Cell,
    /// `g`: the cost of the edge to it.
    pub cost: Cost,
    /// Its heuristic value.
    pub h: Cost,
}

impl BestNeighbour {
    /// `g + h`.
    #[inline]
    pub const fn f(&self) -> u64 {
        self.cost as u64 + self.h as u64
    }

    /// Is this the better choice of the two? Equals are not better: the first in order stays.
    #[inline]
    const fn beats(&self, other: &BestNeighbour) -> bool {
        self.f() < other.f() || (self.f() == other.f() && self.cost > other.cost)
    }
}

/// The neighbour of least `g + h`, ties to the higher `g`, then to the first in order; `None` where there is none.
#[inline]
pub fn best_neighbour<S: Space>(
    space: &S,
    at: Cell,
    mut h: impl FnMut(Cell) -> Cost,
) -> Option<BestNeighbour> {
    let mut best: Option<BestNeighbour> = None;
    space.for_each_neighbour(at, |cell, cost| {
        let h = h(cell);
        let candidate = BestNeighbour { cell, cost, h };
        if best.is_none_or(|best| candidate.beats(&best)) {
            best = Some(candidate);
        }
    });
    best
}

/// The next cell of a climb from `at` to `goal`; `None` in a local minimum or on a plateau of the heuristic.
#[inline]
pub fn climb_step<S: Space>(space: &S, at: Cell, goal: Cell) -> Option<Cell> {
    best_neighbour(space, at, |cell| space.heuristic(cell, goal))
        .filter(|best| best.h < space.heuristic(at, goal))
        .map(|best| best.cell)
}

/// How a climb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climb {
    /// The last cell.
    pub at: Cell,
    /// Steps made.
    pub steps: u32,
    /// Whether it was the goal.
    pub reached: bool,
}

/// Climbs from `from` towards `goal` for at most `cap` steps and tells `visit` of every cell stepped on (`from` is not).
/// Off-line, `u32::MAX` is no cap: every climb ends by itself. Allocates nothing.
pub fn climb<S: Space>(
    space: &S,
    from: Cell,
    goal: Cell,
    cap: u32,
    visit: impl FnMut(Cell),
) -> Climb {
    climb_by(from, goal, cap, |at| climb_step(space, at, goal), visit)
}

/// The same with steps of another kind.
pub(crate) fn climb_by(
    from: Cell,
    goal: Cell,
    cap: u32,
    step: impl Fn(Cell) -> Option<Cell>,
    mut visit: impl FnMut(Cell),
) -> Climb {
    let (mut at, mut steps) = (from, 0);
    while at != goal && steps < cap {
        let Some(next) = step(at) else {
            break;
        };
        visit(next);
        at = next;
        steps += 1;
    }
    Climb {
        at,
        steps,
        reached: at == goal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Direction, Directions, Grid, MoveRules, Point};
    use crate::map::Map;
    use crate::rng::Rng;

    #[test]
    fn the_least_f_always_lowers_h_on_grids_where_any_neighbour_does() {
        for costs in [MoveRules::ALL[0].costs, MoveRules::ALL[3].costs] {
            for (dx, dy) in (-40i32..=40).flat_map(|x| (-40i32..=40).map(move |y| (x, y))) {
                let h = |d: Direction| {
                    costs.octile((dx + d.dx()).unsigned_abs(), (dy + d.dy()).unsigned_abs())
                };
                let f = |d: Direction| {
                    h(d) + if d.is_diagonal() {
                        costs.diagonal()
                    } else {
                        costs.straight()
                    }
                };
                let here = costs.octile(dx.unsigned_abs(), dy.unsigned_abs());
                for lowers in Directions(255).filter(|&d| h(d) < here) {
                    for other in Directions(255).filter(|&d| h(d) >= here) {
                        assert!(f(lowers) < f(other), "{dx},{dy}: {lowers:?} {other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn open_ground_is_climbed_along_an_optimal_path() {
        let grid = Grid::from_fn(30, 20, |_| true).expect("a legal size");
        for rules in MoveRules::ALL {
            let map = Map::new(grid.clone(), rules);
            let from = grid.cell(Point { x: 1, y: 2 }).expect("inside");
            let goal = grid.cell(Point { x: 28, y: 11 }).expect("inside");
            let mut path = vec![from];
            let end = climb(&map, from, goal, u32::MAX, |cell| path.push(cell));
            assert!(end.reached && end.steps == 27, "{end:?}");
            let moves = map.path_length(&path).expect("legal moves");
            assert_eq!((moves.straight, moves.diagonal), (18, 9));
            // Ties go to the higher g: the diagonals come first.
            assert_eq!(map.grid().point(path[9]), Point { x: 10, y: 11 });
        }
    }

    #[test]
    fn climbs_obey_their_cap_and_stop_at_walls() {
        let grid = Grid::from_fn(9, 9, |p| p.x != 4 || p.y == 0).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
        let capped = climb(&map, cell(0, 8), cell(3, 8), 2, |_| {});
        assert_eq!((capped.steps, capped.reached), (2, false));
        assert!(!climb(&map, cell(3, 8), cell(5, 8), u32::MAX, |_| {}).reached);
        assert!(climb(&map, cell(3, 0), cell(5, 0), u32::MAX, |_| {}).reached);
    }

    #[test]
    fn no_climb_visits_a_cell_twice() {
        for seed in 0..400 {
            let mut rng = Rng::for_item(41, seed);
            let density = rng.below(46);
            let grid = Grid::from_fn(16, 16, |_| !rng.percent(density)).expect("a legal size");
            let map = Map::new(grid, MoveRules::ALL[seed as usize % 6]);
            let cells: Vec<_> = map.grid().cells().collect();
            let goal = cells[rng.below(cells.len() as u32) as usize];
            for &from in &cells {
                let mut path = vec![from];
                let end = climb(&map, from, goal, u32::MAX, |cell| path.push(cell));
                path.sort_unstable();
                path.dedup();
                assert_eq!(path.len() as u32, end.steps + 1, "seed {seed}, {from:?}");
            }
        }
    }
}
