//! The cells under polygons and lines.

use std::ops::Range;

/// Rows times edges of one polygon that are worked out; one with more counts as the rectangle round it.
const MAX_WORK: u64 = 1 << 20;
/// What lies so close to the border of a cell, in cells, lies on it.
const NEAR: f64 = 1e-6;

/// Visits the cells that a polygon covers or touches, or a line touches, as stretches of rows, each cell once. Corners are in cells. A line that runs along a border belongs to the cells below it, or to the right.
pub(super) fn touched(
    corners: &[[f64; 2]],
    is_line: bool,
    rows: Range<i32>,
    mut visit: impl FnMut(i32, Range<i32>),
) {
    if corners.len() < 2 || corners.iter().flatten().any(|number| !number.is_finite()) {
        return;
    }
    let [left, right] = bounds(corners, 0);
    let [top, bottom] = bounds(corners, 1);
    let rows = clipped(stretch(top, bottom, is_line), &rows);
    if u64::from(rows.end.abs_diff(rows.start)) * corners.len() as u64 > MAX_WORK {
        rows.for_each(|row| visit(row, stretch(left, right, is_line)));
        return;
    }
    let closing = if is_line { None } else { corners.first() };
    let ends = corners[1..].iter().chain(closing);
    let edges = || corners.iter().zip(ends.clone());
    let mut stretches: Vec<(i32, Range<i32>)> = Vec::new();
    for (&from, &to) in edges() {
        let [top, bottom] = bounds(&[from, to], 1);
        for row in clipped(stretch(top, bottom, is_line), &rows) {
            let across = [f64::from(row), f64::from(row) + 1.0].map(|y| column(from, to, y));
            let [left, right] = match bottom > top {
                true => [across[0].min(across[1]), across[0].max(across[1])],
                false => bounds(&[from, to], 0),
            };
            stretches.push((row, stretch(left, right, is_line)));
        }
    }
    let mut crossings = Vec::new();
    for row in rows.filter(|_| !is_line) {
        let middle = f64::from(row) + 0.5;
        let crossing = edges().filter(|(from, to)| (from[1] <= middle) != (to[1] <= middle));
        crossings.clear();
        crossings.extend(crossing.map(|(&from, &to)| column(from, to, middle)));
        crossings.sort_by(f64::total_cmp);
        for pair in crossings.chunks_exact(2) {
            stretches.push((row, stretch(pair[0], pair[1], false)));
        }
    }
    stretches.sort_unstable_by_key(|(row, columns)| (*row, columns.start));
    let (mut last_row, mut end) = (i32::MIN, i32::MIN);
    for (row, columns) in stretches {
        if row != last_row {
            (last_row, end) = (row, i32::MIN);
        }
        if columns.end > end {
            visit(row, columns.start.max(end)..columns.end);
            end = columns.end;
        }
    }
}

/// The least and the largest coordinate along an axis.
fn bounds(corners: &[[f64; 2]], axis: usize) -> [f64; 2] {
    let numbers = || corners.iter().map(|corner| corner[axis]);
    [
        numbers().fold(f64::INFINITY, f64::min),
        numbers().fold(f64::NEG_INFINITY, f64::max),
    ]
}

/// Where an edge is at a height, no further than its ends.
fn column(from: [f64; 2], to: [f64; 2], y: f64) -> f64 {
    let part = ((y - from[1]) / (to[1] - from[1])).clamp(0.0, 1.0);
    from[0] + part * (to[0] - from[0])
}

/// The cells from one number to another; of a line at least one.
fn stretch(low: f64, high: f64, is_line: bool) -> Range<i32> {
    let (first, end) = ((low + NEAR).floor() as i32, (high - NEAR).ceil() as i32);
    first..end.max(first.saturating_add(i32::from(is_line)))
}

fn clipped(range: Range<i32>, to: &Range<i32>) -> Range<i32> {
    range.start.max(to.start)..range.end.min(to.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(corners: &[[f64; 2]], is_line: bool) -> Vec<String> {
        let mut rows = vec![vec!['.'; 6]; 5];
        touched(corners, is_line, 0..5, |row, columns| {
            for column in columns.start.max(0)..columns.end.min(6) {
                let cell = &mut rows[row as usize][column as usize];
                assert_eq!(*cell, '.', "visited once");
                *cell = '@';
            }
        });
        rows.into_iter().map(|row| row.iter().collect()).collect()
    }

    #[test]
    fn polygons_and_lines_touch_cells() {
        let square = [[1.0, 1.0], [4.0, 1.0], [4.0, 3.0], [1.0, 3.0]];
        assert_eq!(
            drawn(&square, false),
            ["......", ".@@@..", ".@@@..", "......", "......"]
        );
        let triangle = [[0.0, 0.0], [5.0, 5.0], [0.0, 5.0]];
        assert_eq!(
            drawn(&triangle, false),
            ["@.....", "@@....", "@@@...", "@@@@..", "@@@@@."]
        );
        let ring = [
            [0.0, 0.0],
            [6.0, 0.0],
            [6.0, 5.0],
            [0.0, 5.0],
            [0.0, 0.0],
            [1.0, 1.0],
            [1.0, 4.0],
            [5.0, 4.0],
            [5.0, 1.0],
            [1.0, 1.0],
        ];
        assert_eq!(
            drawn(&ring, false),
            ["@@@@@@", "@....@", "@....@", "@....@", "@@@@@@"]
        );
        let sliver = [[0.2, 2.1], [5.5, 2.2], [5.5, 2.3]];
        assert_eq!(drawn(&sliver, false)[2], "@@@@@@");
        let line = [[0.5, 0.5], [3.5, 0.5], [3.5, 4.5]];
        assert_eq!(
            drawn(&line, true),
            ["@@@@..", "...@..", "...@..", "...@..", "...@.."]
        );
        assert_eq!(drawn(&[[1.0, 2.0], [4.0, 2.0]], true)[2], ".@@@..");
        for odd in [[f64::NAN, 0.0], [f64::INFINITY, 2.0]] {
            assert_eq!(
                drawn(&[odd, [1.0, 1.0], [2.0, 1.0]], false)
                    .concat()
                    .find('@'),
                None
            );
        }
        assert_eq!(drawn(&[[1.0, 1.0]], true).concat().find('@'), None);
        drawn(&[[-1e300, -1e300], [1e300, 1e300], [1e300, -1e300]], false);
    }
}
