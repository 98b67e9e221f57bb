//! Paths of single moves with few turns.

use super::smooth::turns;
use crate::cost::Length;
use crate::grid::{Cell, Direction};
use crate::map::Map;

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
