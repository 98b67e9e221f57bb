//! Straightened paths: fewer turns at the same cost or less.

use super::sight::line_is_free;
use crate::cost::Length;
use crate::grid::{Cell, Point};
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
/// the waypoints are the cells at which the path turns or ground of another factor begins.
///
/// Candidates are the cells at which the path turns and those that a greedy walk along it keeps, from the front and from the back, with the
/// cells before and after each; of them the fewest are taken that lines between candidates near each other connect. Then two waypoints
/// become one wherever a cell near either of them, on the path or not, serves for both and the whole stays no longer than the path.
pub fn smooth(map: &Map, path: &[Cell]) -> Smoothed {
    let mut waypoints = fewest(map, path);
    join_pairs(map, path, &mut waypoints);
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

/// A line may pass over this many candidates.
const LOOK_AHEAD: usize = 60;

/// The best way over candidates up to one of them.
#[derive(Clone, Copy)]
struct Best {
    lines: usize,
    length: f64,
    before: usize,
}

/// The fewest waypoints, and of the fewest the shortest, with lines that are no dearer than the path between their ends.
fn fewest(map: &Map, path: &[Cell]) -> Vec<Cell> {
    let mut walked = vec![0.0];
    for pair in path.windows(2) {
        walked.push(walked[walked.len() - 1] + line_length(map, pair[0], pair[1]));
    }
    let greedy = pull(map, path);
    let reversed: Vec<Cell> = path.iter().rev().copied().collect();
    let backwards = pull(map, &reversed).into_iter();
    let turns = (1..path.len().saturating_sub(1)).filter(|&i| turns(map, &path[i - 1..=i + 1]) > 0);
    let mut candidates = greedy.clone();
    candidates.extend(backwards.map(|i| path.len() - 1 - i).chain(turns));
    // A line often passes a corner one cell before or after the one at which the path turns.
    for number in 0..candidates.len() {
        let at = candidates[number];
        candidates.extend([at.saturating_sub(1), (at + 1).min(path.len() - 1)]);
    }
    candidates.sort_unstable();
    candidates.dedup();

    let mut best: Vec<Best> = Vec::with_capacity(candidates.len());
    let mut last_greedy = 0;
    for (number, &to) in candidates.iter().enumerate() {
        if number == 0 {
            best.push(Best {
                lines: 0,
                length: 0.0,
                before: 0,
            });
            continue;
        }
        let is_greedy = greedy.binary_search(&to).is_ok();
        let mut found: Option<Best> = None;
        // The line from the greedy walk's cell before is free, however many candidates lie between.
        let near = number.saturating_sub(LOOK_AHEAD)..number;
        let far = (is_greedy && !near.contains(&last_greedy)).then_some(last_greedy);
        for before in far.into_iter().chain(near) {
            let (Some(so_far), from) = (best.get(before), candidates[before]) else {
                continue;
            };
            let (a, b) = (path[from], path[to]);
            let length = so_far.length + line_length(map, a, b);
            let lines = so_far.lines + 1;
            let improves = so_far.lines < UNSEEN
                && found.is_none_or(|f| (lines, length) < (f.lines, f.length));
            let is_line = || {
                to == from + 1
                    || joins(map, a, b)
                        && line_length(map, a, b) <= (walked[to] - walked[from]) * (1.0 + ROUNDING)
            };
            if improves && is_line() {
                found = Some(Best {
                    lines,
                    length,
                    before,
                });
            }
        }
        // No line leads there: a cell that the path alone turns at.
        best.push(found.unwrap_or(Best {
            lines: UNSEEN,
            length: 0.0,
            before: 0,
        }));
        if is_greedy {
            last_greedy = number;
        }
    }
    let mut waypoints = Vec::new();
    let mut number = candidates.len().checked_sub(1);
    while let Some(at) = number {
        waypoints.push(path[candidates[at]]);
        number = (at > 0).then(|| best[at].before);
    }
    waypoints.reverse();
    waypoints
}

/// How far from a waypoint a cell is looked for that could stand for it and for the next one, in columns and rows.
const NEAR: u32 = 3;

/// Puts one waypoint in the place of two as often as there is a cell for it: of several the one with the shortest lines. All waypoints
/// together stay no dearer than the path.
fn join_pairs(map: &Map, path: &[Cell], waypoints: &mut Vec<Cell>) {
    let cost = |cells: &[Cell]| -> f64 {
        let lines = cells.windows(2);
        lines.map(|ends| line_length(map, ends[0], ends[1])).sum()
    };
    let mut spare = cost(path) - cost(waypoints);
    let mut at = 0;
    while let Some(four) = waypoints.get(at..at + 4) {
        let (first, last, before) = (four[0], four[3], cost(four));
        let mut best: Option<(f64, Cell)> = None;
        for middle in cells_near(map, four[1]).chain(cells_near(map, four[2])) {
            // One of the two beside it would be a waypoint twice.
            if middle == first || middle == last {
                continue;
            }
            let after = cost(&[first, middle, last]);
            let improves = best.is_none_or(|(least, _)| after < least) && after <= before + spare;
            if improves && joins(map, first, middle) && joins(map, middle, last) {
                best = Some((after, middle));
            }
        }
        if let Some((after, middle)) = best {
            waypoints.splice(at + 1..at + 3, [middle]);
            spare -= after - before;
            // The lines before it have another end now.
            at = at.saturating_sub(2);
        } else {
            at += 1;
        }
    }
}

/// The cells of the square around a waypoint.
fn cells_near(map: &Map, waypoint: Cell) -> impl Iterator<Item = Cell> {
    let Point { x, y } = map.grid().point(waypoint);
    let rows = y.saturating_sub(NEAR)..=y + NEAR;
    let points =
        rows.flat_map(move |y| (x.saturating_sub(NEAR)..=x + NEAR).map(move |x| Point { x, y }));
    points.filter_map(|point| map.grid().cell(point))
}

/// More lines than any path has: a candidate that none leads to.
const UNSEEN: usize = usize::MAX - 1;

/// Start, the cells at which a path of moves changes its direction, on terrain also those where ground of another factor begins,
/// and goal.
fn turning_cells(map: &Map, path: &[Cell]) -> Vec<Cell> {
    let mut kept: Vec<Cell> = path.first().copied().into_iter().collect();
    let mut from = 0;
    for to in 2..path.len() {
        let turns = turns(map, &path[to - 2..=to]) > 0;
        if turns || map.ground().is_some() && !joins(map, path[from], path[to]) {
            from = to - 1;
            kept.push(path[from]);
        }
    }
    kept.extend(path.last().filter(|_| path.len() > 1));
    kept
}

/// Sums of the same lengths in another order differ by less than this part.
const ROUNDING: f64 = 1e-9;

/// Keeps the last cell of every stretch that its first one sees whole, and that costs no less than the line: places in the path.
fn pull(map: &Map, path: &[Cell]) -> Vec<usize> {
    if path.is_empty() {
        return Vec::new();
    }
    let mut kept = vec![0];
    let (mut from, mut walked) = (0, 0.0);
    for to in 1..path.len() {
        let step = line_length(map, path[to - 1], path[to]);
        walked += step;
        let is_line = || {
            joins(map, path[from], path[to])
                && line_length(map, path[from], path[to]) <= walked * (1.0 + ROUNDING)
        };
        if to - 1 != from && !is_line() {
            (from, walked) = (to - 1, step);
            kept.push(from);
        }
    }
    if path.len() > 1 {
        kept.push(path.len() - 1);
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
