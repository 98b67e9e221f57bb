//! Strewn obstacles: boulders, logs and lone stones, thick in some places and thin in others, like a forest seen from
//! above. [`independent_cells`] is the plain noise of the benchmark sets.

use super::noise::{Field, TOP};
use crate::grid::{Grid, GridError, Point};
use crate::rng::Rng;

/// A grid in which each cell is blocked on its own, `percent` of them in all. Nothing is connected or filled.
pub fn independent_cells(
    width: u32,
    height: u32,
    percent: u32,
    seed: u64,
) -> Result<Grid, GridError> {
    let mut rng = Rng::new(seed);
    Grid::from_fn(width, height, |_| !rng.percent(percent))
}

pub(super) fn draw(grid: &mut Grid, rng: &mut Rng) {
    let (width, height) = (grid.width(), grid.height());
    for y in 0..height {
        grid.set_run(y, 0..width, true);
    }
    let mut field = Field::new(rng.next_u64(), (width.max(height) / 5).clamp(8, 160));
    let mut detail = Field::new(rng.next_u64(), (width.max(height) / 16).clamp(4, 40));
    let mut row = vec![0; width as usize];
    for y in 0..height {
        row.fill(0);
        field.add_row(y, TOP * 7 / 10, &mut row);
        detail.add_row(y, TOP * 3 / 10, &mut row);
        for x in 0..width {
            // One obstacle in 300 cells in the clearings, one in 20 in the thickets.
            let thickness = (row[x as usize] - TOP * 35 / 100).max(0) * 12 / (TOP / 10);
            if rng.below(1000) < 3 + thickness as u32 {
                obstacle(grid, Point { x, y }, rng);
            }
        }
    }
}

fn obstacle(grid: &mut Grid, at: Point, rng: &mut Rng) {
    match rng.below(20) {
        0..8 => block(grid, at, 1, 1),
        8 => block(grid, at, rng.between(3, 9), 1),
        9 => block(grid, at, 1, rng.between(3, 9)),
        10..15 => block(grid, at, 2, 2),
        _ => boulder(grid, at, rng.between(1, 4)),
    }
}

fn block(grid: &mut Grid, at: Point, w: u32, h: u32) {
    for y in at.y..at.y + h {
        grid.set_run(y, at.x..at.x + w, false);
    }
}

/// A disc.
fn boulder(grid: &mut Grid, at: Point, radius: u32) {
    for down in 0..=2 * radius {
        let dy = down.abs_diff(radius);
        let dx = (radius * radius + radius - dy * dy).isqrt();
        let middle = at.x + radius;
        grid.set_run(at.y + down, middle - dx..middle + dx + 1, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_its_density() {
        let grid = independent_cells(200, 200, 30, 1).expect("a legal size");
        let blocked = 40_000 - grid.passable_count();
        assert!((11_000..13_000).contains(&blocked), "{blocked}");
    }
}
