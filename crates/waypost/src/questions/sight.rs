//! Straight lines over cells.
//!
//! A line runs from the middle of one cell to the middle of another and touches every cell that it passes through (a
//! supercover). Where it passes exactly through a corner point, the two cells beside it are asked for what the corner rule asks
//! of a diagonal move. On the map of a large unit the line leads over its places: every square of its size at a place that the
//! line touches is free then.

use crate::grid::{Cell, Corners, Point};
use crate::map::Map;

/// Is the straight line between two places free? A wall at either end hides it.
pub fn sees(map: &Map, from: Cell, to: Cell) -> bool {
    line_is_free(map, from, to, |_| true)
}

/// The same where every cell that the line touches must also be `good`.
pub(super) fn line_is_free(map: &Map, from: Cell, to: Cell, good: impl Fn(Cell) -> bool) -> bool {
    let grid = map.grid();
    let free = |x: i64, y: i64| {
        let point = Point {
            x: x as u32,
            y: y as u32,
        };
        let cell = grid.cell(point);
        cell.is_some_and(|cell| grid.is_passable(cell) && good(cell))
    };
    let at = |cell: Cell| {
        let point = grid.point(cell);
        (i64::from(point.x), i64::from(point.y))
    };
    if !grid.is_passable(from) || !grid.is_passable(to) || !good(from) {
        return false;
    }
    let ((mut x, mut y), (end_x, end_y)) = (at(from), at(to));
    let (dx, dy) = ((end_x - x).abs(), (end_y - y).abs());
    let (step_x, step_y) = ((end_x - x).signum(), (end_y - y).signum());
    // Crossings of vertical edges so far times dy against those of horizontal ones times dx, both from the cell's middle.
    let (mut crossed_x, mut crossed_y) = (dy, dx);
    while (x, y) != (end_x, end_y) {
        if crossed_x == crossed_y && dx > 0 && dy > 0 {
            let sides = [free(x + step_x, y), free(x, y + step_y)];
            let passes = match map.rules().corners {
                Corners::Never | Corners::NoDiagonals => sides[0] && sides[1],
                Corners::One => sides[0] || sides[1],
                Corners::Always => true,
            };
            if !passes {
                return false;
            }
            (x, y) = (x + step_x, y + step_y);
            crossed_x += 2 * dy;
            crossed_y += 2 * dx;
        } else if dy == 0 || (dx > 0 && crossed_x < crossed_y) {
            x += step_x;
            crossed_x += 2 * dy;
        } else {
            y += step_y;
            crossed_y += 2 * dx;
        }
        if !free(x, y) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, MoveRules};
    use crate::rng::Rng;

    /// Cells whose inside the segment passes, by clipping it against each.
    fn touched(from: Point, to: Point, cell: Point) -> bool {
        // In half cells: cell (x, y) spans from 2x - 1 to 2x + 1. A line passes the open square where its two ends are not on one
        // side and the square's corners are not on one side of it.
        let [a, b] = [from, to].map(|p| (2 * i64::from(p.x), 2 * i64::from(p.y)));
        let (cx, cy) = (2 * i64::from(cell.x), 2 * i64::from(cell.y));
        let apart = |a: i64, b: i64, c: i64| a.max(b) < c || a.min(b) > c;
        if apart(a.0, b.0, cx) || apart(a.1, b.1, cy) {
            return false;
        }
        let side = |x: i64, y: i64| ((b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0)).signum();
        let corners = [
            side(cx - 1, cy - 1),
            side(cx + 1, cy - 1),
            side(cx - 1, cy + 1),
            side(cx + 1, cy + 1),
        ];
        corners.contains(&1) && corners.contains(&-1)
    }

    #[test]
    fn lines_are_free_where_every_cell_that_they_pass_is() {
        let mut seen = 0;
        for seed in 0..3000 {
            let mut rng = Rng::new(seed);
            let (width, height) = (1 + rng.below(14), 1 + rng.below(14));
            let density = rng.below(25);
            let grid = Grid::from_fn(width, height, |_| !rng.percent(density)).expect("legal");
            let rules = MoveRules {
                corners: Corners::Always,
                ..MoveRules::default()
            };
            let map = Map::new(grid, rules);
            let point = |rng: &mut Rng| Point {
                x: rng.below(width),
                y: rng.below(height),
            };
            let (a, b) = (point(&mut rng), point(&mut rng));
            let cells = [a, b].map(|p| map.grid().cell(p).expect("inside"));
            let all = (0..height).flat_map(|y| (0..width).map(move |x| Point { x, y }));
            let expected = all
                .filter(|&p| touched(a, b, p) || p == a || p == b)
                .all(|p| map.passable_cell(p).is_some());
            assert_eq!(
                sees(&map, cells[0], cells[1]),
                expected,
                "seed {seed}: {a} {b}"
            );
            assert_eq!(
                sees(&map, cells[1], cells[0]),
                expected,
                "seed {seed}: {b} {a}"
            );
            seen += u32::from(expected);
        }
        assert!((500..2500).contains(&seen), "{seen}");
    }
}
