//! Fills polygons on a grid, in integers.

use crate::grid::Grid;

/// A place on the canvas of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vector {
    pub x: i64,
    pub y: i64,
}

/// Parts of a cell: corners of polygons are rounded to these.
const FINE: i64 = 256;

/// The scale from a canvas to a grid.
pub(super) struct Raster {
    width: i64,
    height: i64,
    canvas: Vector,
}

impl Raster {
    pub fn new(grid: &Grid, canvas: Vector) -> Raster {
        Raster {
            width: i64::from(grid.width()),
            height: i64::from(grid.height()),
            canvas,
        }
    }

    /// Opens or blocks the cells whose centres lie in a polygon (even-odd rule).
    pub fn fill(&self, grid: &mut Grid, outline: &[Vector], passable: bool) {
        let corners: Vec<Vector> = outline
            .iter()
            .map(|corner| Vector {
                x: corner.x * self.width * FINE / self.canvas.x,
                y: corner.y * self.height * FINE / self.canvas.y,
            })
            .collect();
        let top = corners.iter().map(|corner| corner.y).min().unwrap_or(0);
        let bottom = corners.iter().map(|corner| corner.y).max().unwrap_or(0);
        let rows = (top / FINE).clamp(0, self.height)..(bottom / FINE + 1).clamp(0, self.height);
        let mut crossings = Vec::new();
        for row in rows {
            // Centres of rows lie between multiples of two, so no corner is hit exactly twice.
            crossings_of_row(&corners, row * FINE + FINE / 2, &mut crossings);
            for pair in crossings.chunks_exact(2) {
                let first = (pair[0] + FINE / 2).div_euclid(FINE).clamp(0, self.width);
                let end = (pair[1] + FINE / 2).div_euclid(FINE).clamp(0, self.width);
                grid.set_run(row as u32, first as u32..end as u32, passable);
            }
        }
    }
}

/// Where the horizontal line at `y` crosses the outline, from left to right. An edge holds its upper end, not its lower.
fn crossings_of_row(corners: &[Vector], y: i64, crossings: &mut Vec<i64>) {
    crossings.clear();
    for (i, &a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let (upper, lower) = if a.y < b.y { (a, b) } else { (b, a) };
        if upper.y <= y && y < lower.y {
            let along = (lower.x - upper.x) * (y - upper.y) / (lower.y - upper.y);
            crossings.push(upper.x + along);
        }
    }
    crossings.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Point;

    fn vector(x: i64, y: i64) -> Vector {
        Vector { x, y }
    }

    #[test]
    fn rectangles_and_triangles_cover_their_area() {
        let mut grid = Grid::blocked(100, 50).expect("a legal size");
        let raster = Raster::new(&grid, vector(1000, 500));
        let square = [
            vector(100, 100),
            vector(300, 100),
            vector(300, 200),
            vector(100, 200),
        ];
        raster.fill(&mut grid, &square, true);
        assert_eq!(grid.passable_count(), 20 * 10);
        let open = |grid: &Grid, x, y| grid.passable_cell(Point { x, y }).is_some();
        assert!(open(&grid, 10, 10) && open(&grid, 29, 19) && !open(&grid, 30, 10));
        raster.fill(&mut grid, &square, false);
        let triangle = [vector(0, 0), vector(400, 0), vector(0, 400)];
        raster.fill(&mut grid, &triangle, true);
        let area = grid.passable_count();
        assert!((780..=820).contains(&area), "{area}");
    }

    #[test]
    fn what_lies_outside_is_cut_off() {
        let mut grid = Grid::blocked(20, 20).expect("a legal size");
        let raster = Raster::new(&grid, vector(200, 200));
        let huge = [
            vector(-900, -900),
            vector(900, -900),
            vector(900, 900),
            vector(-900, 900),
        ];
        raster.fill(&mut grid, &huge, true);
        assert_eq!(grid.passable_count(), 400);
        raster.fill(&mut grid, &[], false);
        raster.fill(&mut grid, &huge[..1], false);
        assert_eq!(grid.passable_count(), 400);
    }
}
