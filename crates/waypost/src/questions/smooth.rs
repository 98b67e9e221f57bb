//! Straightened paths: fewer turns at the same cost or less.

use super::sight::line_is_free;
use crate::cost::Length;
use crate::grid::{Cell, Direction};
use crate::map::Map;

/// A path of straight lines at any angle.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// Start, turns, goal.
    pub waypoints: Vec<Cell>,
    /// Its length, or on terrain its cost.
    pub length: f64,
}

/// Straightens a path of single moves: waypoints whose straight lines are free for the unit and cross ground of one factor, or
/// single moves of the path. Never longer than the path: a straight line is shorter than any way between its ends over the same
/// ground, and is not taken where the path costs less over cheaper ground. Where that would turn more often than the path does,
/// the waypoints are the cells at which the path turns.
///
/// Greedy from the front, then once more from the back over what is left.
pub fn smooth(map: &Map, path: &[Cell]) -> Smoothed {
    let forwards = pull(map, path);
    let mut waypoints: Vec<Cell> = forwards.into_iter().rev().collect();
    waypoints = drop_needless(map, &waypoints);
    waypoints.reverse();
    if turns(map, &waypoints) > turns(map, path) {
        return Smoothed {
            waypoints: turning_cells(map, path),
            length: map.length(map.path_length(path).unwrap_or_default()),
        };
    }
    let length = waypoints
        .windows(2)
        .map(|ends| line_length(map, ends[0], ends[1]));
    Smoothed {
        length: length.sum(),
        waypoints,
    }
}

/// Start, the cells at which a path of moves changes its direction, and goal.
fn turning_cells(map: &Map, path: &[Cell]) -> Vec<Cell> {
    let inner = path.windows(3).filter(|cells| turns(map, cells) > 0);
    let inner = inner.map(|cells| cells[1]);
    let last = path.last().filter(|_| path.len() > 1);
    path.first()
        .copied()
        .into_iter()
        .chain(inner)
        .chain(last.copied())
        .collect()
}

/// Sums of the same lengths in another order differ by less than this part.
const ROUNDING: f64 = 1e-9;

/// Keeps the last cell of every stretch that its first one sees whole, and that costs no less than the line.
fn pull(map: &Map, path: &[Cell]) -> Vec<Cell> {
    let Some(&start) = path.first() else {
        return Vec::new();
    };
    let mut kept = vec![start];
    let (mut from, mut walked) = (start, 0.0);
    for pair in path.windows(2) {
        let step = line_length(map, pair[0], pair[1]);
        walked += step;
        let is_line = || {
            joins(map, from, pair[1])
                && line_length(map, from, pair[1]) <= walked * (1.0 + ROUNDING)
        };
        if pair[0] != from && !is_line() {
            (from, walked) = (pair[0], step);
            kept.push(from);
        }
    }
    if path.len() > 1 {
        kept.extend(path.last());
    }
    kept
}

/// Leaves out every waypoint whose neighbours see each other.
fn drop_needless(map: &Map, waypoints: &[Cell]) -> Vec<Cell> {
    let mut kept: Vec<Cell> = Vec::with_capacity(waypoints.len());
    for (i, &at) in waypoints.iter().enumerate() {
        let needless = match (kept.last(), waypoints.get(i + 1)) {
            (Some(&before), Some(&after)) => {
                joins(map, before, after)
                    && line_length(map, before, after)
                        <= line_length(map, before, at) + line_length(map, at, after)
            }
            _ => false,
        };
        if !needless {
            kept.push(at);
        }
    }
    kept
}

/// May a path go straight from one cell to another? On terrain all cells that the line touches must have one factor.
fn joins(map: &Map, from: Cell, to: Cell) -> bool {
    match map.ground() {
        None => line_is_free(map, from, to, |_| true),
        Some(ground) => {
            let factor = ground.hundredths(from);
            line_is_free(map, from, to, |cell| ground.hundredths(cell) == factor)
        }
    }
}

/// The length of a straight line, or the cost of a single move.
fn line_length(map: &Map, from: Cell, to: Cell) -> f64 {
    if map.legal_step(from, to).is_some() {
        return map.length(map.path_length(&[from, to]).unwrap_or_default());
    }
    let (dx, dy) = map.grid().point(from).distances(map.grid().point(to));
    // Where a diagonal move is said to cost 1.4, no line may cost more than the moves that it replaces.
    let moves = map.rules().costs.length(Length {
        straight: dx.abs_diff(dy).into(),
        diagonal: dx.min(dy).into(),
    });
    let length = f64::from(dx).hypot(f64::from(dy)).min(moves);
    let factor = map.ground().map_or(100, |ground| ground.hundredths(from));
    length * f64::from(factor) / 100.0
}

/// How often a path of moves or waypoints changes its direction.
pub fn turns(map: &Map, path: &[Cell]) -> usize {
    let heading = |pair: &[Cell]| {
        let [a, b] = [pair[0], pair[1]].map(|cell| map.grid().point(cell));
        let (dx, dy) = (
            i64::from(b.x) - i64::from(a.x),
            i64::from(b.y) - i64::from(a.y),
        );
        let divisor = greatest_divisor(dx.unsigned_abs(), dy.unsigned_abs()).max(1) as i64;
        (dx / divisor, dy / divisor)
    };
    let headings: Vec<_> = path.windows(2).map(heading).collect();
    headings
        .windows(2)
        .filter(|pair| pair[0] != pair[1])
        .count()
}

fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_divisor(b, a % b)
    }
}

/// A path of single moves that costs no more and turns no more often, often less: stretches are replaced by one diagonal and one
/// straight run, in either order, where those are free and as cheap. What ties leave open is settled for few turns.
pub fn few_turns(map: &Map, path: &[Cell]) -> Vec<Cell> {
    let mut best = path.to_vec();
    let mut at = 0;
    let mut straight = Vec::new();
    while at + 2 < best.len() {
        // The farthest end that two runs lead to as cheaply: doubled steps, then single ones.
        let (mut reach, mut step) = (at + 2, 1);
        let mut replaced = None;
        while reach < best.len() {
            let old = &best[at..=reach];
            if two_runs(map, old, &mut straight) {
                replaced = Some((reach, straight.clone()));
                step *= 2;
            } else if step == 1 {
                break;
            } else {
                step = 1;
                reach = replaced.as_ref().map_or(at + 1, |(end, _)| *end);
            }
            reach += step;
        }
        match replaced {
            Some((end, runs)) => {
                best.splice(at..=end, runs);
                at = end;
            }
            None => at += 1,
        }
    }
    if turns(map, &best) <= turns(map, path) {
        best
    } else {
        path.to_vec()
    }
}

/// Writes the walk of a diagonal and a straight run between the ends of a stretch that costs no more and has as many moves.
fn two_runs(map: &Map, stretch: &[Cell], out: &mut Vec<Cell>) -> bool {
    let (Some(&from), Some(&to)) = (stretch.first(), stretch.last()) else {
        return false;
    };
    let Some(old) = map.path_length(stretch) else {
        return false;
    };
    let [a, b] = [from, to].map(|cell| map.grid().point(cell));
    let (dx, dy) = (b.x as i32 - a.x as i32, b.y as i32 - a.y as i32);
    let runs = run_lengths(map, dx, dy);
    for order in [[0, 1], [1, 0]] {
        out.clear();
        out.push(from);
        let mut cell = from;
        for (direction, steps) in order.map(|i| runs[i]).into_iter().filter(|r| r.1 > 0) {
            for _ in 0..steps {
                let Some(d) = direction.filter(|&d| map.legal(cell).contains(d)) else {
                    break;
                };
                cell = map.grid().neighbour(cell, d);
                out.push(cell);
            }
        }
        let same = cell == to && out.len() == stretch.len();
        if same
            && map
                .path_length(out)
                .is_some_and(|new| no_longer(map, new, old))
        {
            return true;
        }
    }
    false
}

fn no_longer(map: &Map, new: Length, old: Length) -> bool {
    new == old || map.length(new) <= map.length(old)
}

/// The two runs between places so far apart: diagonal and straight, or across and down where there are four ways.
fn run_lengths(map: &Map, dx: i32, dy: i32) -> [(Option<Direction>, u32); 2] {
    let (across, down) = (dx.unsigned_abs(), dy.unsigned_abs());
    let [x, y] = [
        Direction::of_step(dx.signum(), 0),
        Direction::of_step(0, dy.signum()),
    ];
    if !map.rules().has_diagonals() {
        return [(x, across), (y, down)];
    }
    let diagonal = Direction::of_step(dx.signum(), dy.signum());
    let straight = if across >= down { x } else { y };
    [
        (diagonal, across.min(down)),
        (straight, across.abs_diff(down)),
    ]
}
