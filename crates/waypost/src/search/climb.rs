//! Hill climbing on grids, leg by leg: the same walk as [`super::hill_climb`], found in runs instead of cell by cell.
//!
//! Let the goal be `a` cells away along the major axis and `b` along the minor one. Under octile distance the neighbours
//! that lower `h`, from the least `g + h` to the greatest, ties settled by the higher `g`, are
//!
//! 1. the diagonal towards the goal (`b >= 1`): `g + h` is the present `h`;
//! 2. straight along the major axis (`a > b`): the same `g + h`, but the lower `g`;
//! 3. straight along the minor axis (`b >= 1`), or where `a = b` along either: `2 straight - diagonal` more;
//! 4. the diagonal that approaches along the major axis and strays along the minor one (`a >= b + 2`):
//!    `2 (diagonal - straight)` more;
//!
//! and every other neighbour raises `g + h` by a straight move or more and does not lower `h`. That holds for both cost
//! pairs (408 + 408 > 577 and 2 + 2 > 3); what is left are ties between two straight moves (`a = b`) or two straying
//! diagonals (`b = 0`), which the fixed order of directions settles. So a climb is a sequence of legs:
//!
//! - run on the diagonal until it is blocked or `b = 0`;
//! - slide along the major axis until the diagonal opens again, `a = b`, or a wall;
//! - creep along the minor axis past a wall across the major one until the wall ends or `b = 0`;
//! - otherwise one step by the rules above, or the end.
//!
//! A [`Ground`] answers how long a leg is. [`Map`] looks at cell after cell and needs no memory beyond the grid: agents
//! climb with it. [`Scans`] finds every leg by words of bits: the builder of subgoal databases climbs with it.

use super::hill_climb::{self, Climb, climb_by};
use crate::grid::scan::{Opening, Scans};
use crate::grid::{Cell, Direction, Directions, Grid, Point};
use crate::map::Map;
use std::cmp::Ordering;

/// What legs are measured on.
pub trait Ground {
    /// Legal moves in a direction, one after the other, at most `limit`.
    fn run(&self, at: Point, direction: Direction, limit: u32) -> u32;

    /// Legal moves in a straight direction, at most `limit`, up to the first cell (not `at` itself) from which the diagonal
    /// between `along` and `aside` is legal.
    fn slide(&self, at: Point, along: Direction, aside: Direction, limit: u32) -> u32;

    /// Legal moves in a straight direction, at most `limit`, up to the first cell (not `at` itself) from which `aside`,
    /// or the diagonal between the two, is legal.
    fn creep(&self, at: Point, along: Direction, aside: Direction, limit: u32) -> u32;
}

/// A part of a climb in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Where to.
    pub direction: Direction,
    /// How many steps, at least one.
    pub steps: u32,
}

/// The next leg of the climb from one point to another, of at most `limit` steps (at least 1); `None` where climbing
/// ends, at the goal or before it.
#[inline]
pub fn next_leg(ground: &impl Ground, at: Point, goal: Point, limit: u32) -> Option<Leg> {
    let (dx, dy) = (goal.x as i32 - at.x as i32, goal.y as i32 - at.y as i32);
    let (width, height) = (dx.unsigned_abs(), dy.unsigned_abs());
    let (a, b) = (width.max(height), width.min(height));
    let leg = |direction, steps| (steps > 0).then_some(Leg { direction, steps });
    if b > 0 {
        let diagonal = Direction::of_step(dx.signum(), dy.signum())?;
        let run = ground.run(at, diagonal, b.min(limit));
        if run > 0 {
            return leg(diagonal, run);
        }
    }
    let across = Direction::of_step(dx.signum(), 0);
    let down = Direction::of_step(0, dy.signum());
    let (major, minor) = match width.cmp(&height) {
        Ordering::Equal => return even_step(ground, at, across?, down?),
        Ordering::Greater => (across?, down),
        Ordering::Less => (down?, across),
    };
    let Some(minor) = minor else {
        let run = ground.run(at, major, a.min(limit));
        return leg(major, run).or_else(|| stray(ground, at, major, None, a));
    };
    let slide = ground.slide(at, major, minor, (a - b).min(limit));
    if slide > 0 {
        return leg(major, slide);
    }
    let creep = ground.creep(at, minor, major, b.min(limit));
    leg(minor, creep).or_else(|| stray(ground, at, major, Some(minor), a - b))
}

/// `a = b` and the diagonal is blocked: one straight step, the first in the fixed order that is legal.
fn even_step(ground: &impl Ground, at: Point, across: Direction, down: Direction) -> Option<Leg> {
    first_legal(ground, at, [across.min(down), across.max(down)])
}

/// A diagonal step that approaches along the major axis alone; `lead` is `a - b`.
fn stray(
    ground: &impl Ground,
    at: Point,
    major: Direction,
    minor: Option<Direction>,
    lead: u32,
) -> Option<Leg> {
    if lead < 2 {
        return None;
    }
    match minor {
        Some(minor) => first_legal(ground, at, [between(major, minor.opposite())]),
        None => {
            let [left, right] = [7, 1].map(|turn| Direction::from_number(major as u8 + turn));
            first_legal(ground, at, [left.min(right), left.max(right)])
        }
    }
}

fn first_legal<const N: usize>(
    ground: &impl Ground,
    at: Point,
    directions: [Direction; N],
) -> Option<Leg> {
    let legal = directions.into_iter().find(|&d| ground.run(at, d, 1) > 0);
    legal.map(|direction| Leg {
        direction,
        steps: 1,
    })
}

/// The diagonal between two straight directions at right angles.
#[inline]
fn between(one: Direction, other: Direction) -> Direction {
    let (low, high) = (one.min(other) as u8, one.max(other) as u8);
    // North and west have 7 between them, all others their mean.
    Direction::from_number(if high - low > 2 { 7 } else { low + 1 })
}

/// The point that a leg ends at.
#[inline]
fn after(at: Point, leg: Leg) -> Point {
    let steps = leg.steps as i32;
    Point {
        x: at.x.wrapping_add_signed(leg.direction.dx() * steps),
        y: at.y.wrapping_add_signed(leg.direction.dy() * steps),
    }
}

/// Climbs between two cells of a grid for at most `cap` steps. Gives what [`super::hill_climb::climb`] gives. Allocates
/// nothing.
pub fn climb(grid: &Grid, ground: &impl Ground, from: Cell, goal: Cell, cap: u32) -> Climb {
    let (mut at, end) = (grid.point(from), grid.point(goal));
    let mut steps = 0;
    while at != end && steps < cap {
        let Some(leg) = next_leg(ground, at, end, cap - steps) else {
            break;
        };
        at = after(at, leg);
        steps += leg.steps;
    }
    Climb {
        at: grid.cell(at).unwrap_or(from),
        steps,
        reached: at == end,
    }
}

/// Cell by cell, for agents.
/// The climb on a map: in legs, or step by step where moves go four ways or do not cost the same everywhere.
#[inline]
pub(crate) fn climb_on(map: &Map, from: Cell, goal: Cell, cap: u32) -> Climb {
    if map.is_uniform() {
        climb(map.grid(), map, from, goal, cap)
    } else {
        climb_by_steps(map, from, goal, cap, |_| {})
    }
}

/// The climb on any map, step by step, calling `visit` with every cell reached.
pub(crate) fn climb_by_steps(
    map: &Map,
    from: Cell,
    goal: Cell,
    cap: u32,
    visit: impl FnMut(Cell),
) -> Climb {
    climb_by(from, goal, cap, |at| step_on(map, at, goal), visit)
}

/// One step of a climb on any map. A goal that is one move away is always reached: on terrain the neighbour of least `g + h` may
/// be another one, and subgoals one move apart could not be climbed between.
#[inline]
pub(crate) fn step_on(map: &Map, at: Cell, goal: Cell) -> Option<Cell> {
    match map.legal_step(at, goal) {
        Some(_) => Some(goal),
        None => hill_climb::climb_step(map, at, goal),
    }
}

impl Ground for Map {
    #[inline]
    fn run(&self, at: Point, direction: Direction, limit: u32) -> u32 {
        let Some(mut cell) = self.grid().cell(at) else {
            return 0;
        };
        let mut steps = 0;
        while steps < limit && self.legal(cell).contains(direction) {
            cell = self.grid().neighbour(cell, direction);
            steps += 1;
        }
        steps
    }

    #[inline]
    fn slide(&self, at: Point, along: Direction, aside: Direction, limit: u32) -> u32 {
        let until = Directions::NONE.with(between(along, aside));
        walk_until(self, at, along, until, limit)
    }

    #[inline]
    fn creep(&self, at: Point, along: Direction, aside: Direction, limit: u32) -> u32 {
        let until = Directions::NONE.with(between(along, aside)).with(aside);
        walk_until(self, at, along, until, limit)
    }
}

/// By words of bits, for builders.
impl Ground for Scans {
    #[inline]
    fn run(&self, at: Point, direction: Direction, limit: u32) -> u32 {
        Scans::run(self, at, direction).min(limit)
    }

    #[inline]
    fn slide(&self, at: Point, along: Direction, aside: Direction, limit: u32) -> u32 {
        Scans::slide(self, at, along, aside, Opening::Diagonal, limit)
    }

    #[inline]
    fn creep(&self, at: Point, along: Direction, aside: Direction, limit: u32) -> u32 {
        Scans::slide(self, at, along, aside, Opening::Side, limit)
    }
}

/// Steps along a direction up to the first cell from which one of some moves is legal.
#[inline]
fn walk_until(map: &Map, at: Point, along: Direction, until: Directions, limit: u32) -> u32 {
    let Some(mut cell) = map.grid().cell(at) else {
        return 0;
    };
    let mut legal = map.legal(cell);
    let mut steps = 0;
    while steps < limit && legal.contains(along) {
        cell = map.grid().neighbour(cell, along);
        steps += 1;
        legal = map.legal(cell);
        if legal.0 & until.0 != 0 {
            break;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::MoveRules;
    use crate::grid::scan::StopAt;
    use crate::rng::Rng;
    use crate::search::hill_climb;
    use waypost_testkit::shapes;

    /// Every climb on maps of all shapes, under all rules, with and without caps: cell by cell, on the map, by words.
    #[test]
    fn legs_and_steps_make_the_same_climb() {
        for seed in 0..240 {
            let picture = shapes::any(seed, 3, 90);
            let grid = Grid::from_fn(picture.width(), picture.height(), |p| {
                picture.is_open_at((p.x, p.y))
            })
            .expect("a legal size");
            let map = Map::new(grid, MoveRules::ALL[seed as usize % 6]);
            let scans = Scans::new(map.grid(), map.rules().corners, StopAt::JumpPoints);
            let cells: Vec<Cell> = map.grid().cells().collect();
            let mut rng = Rng::new(seed);
            for _ in 0..if cells.is_empty() { 0 } else { 400 } {
                let [from, goal] = [0; 2].map(|_| cells[rng.below(cells.len() as u32) as usize]);
                let cap = [u32::MAX, 250, 7][rng.below(3) as usize];
                let expected = hill_climb::climb(&map, from, goal, cap, |_| {});
                let on_map = climb(map.grid(), &map, from, goal, cap);
                let by_words = climb(map.grid(), &scans, from, goal, cap);
                let problem = || format!("seed {seed}, cap {cap}, {from:?} to {goal:?}");
                assert_eq!(on_map, expected, "{}\n{picture}", problem());
                assert_eq!(by_words, expected, "{} by words\n{picture}", problem());
            }
        }
    }

    #[test]
    fn diagonals_lie_between_their_parts() {
        for d in [1, 3, 5, 7] {
            let [left, right] = [d + 7, d + 1].map(Direction::from_number);
            assert_eq!(between(left, right), Direction::from_number(d));
            assert_eq!(between(right, left), Direction::from_number(d));
        }
    }
}
