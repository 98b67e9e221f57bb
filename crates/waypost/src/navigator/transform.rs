//! From cells to the coordinates of a game, and back.

use crate::grid::Point;

/// Where cells lie in a game's own coordinates: for engines that do not think in cells. Copies freely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The top left corner of the cell 0,0.
    pub origin: [f32; 2],
    /// The length of a cell's side. Negative in the second axis where y grows upwards.
    pub cell: [f32; 2],
}

impl Default for Transform {
    fn default() -> Transform {
        Transform {
            origin: [0.0, 0.0],
            cell: [1.0, 1.0],
        }
    }
}

impl Transform {
    /// Square cells of one size from an origin, which may be negative.
    pub fn new(origin: [f32; 2], cell: f32) -> Transform {
        Transform {
            origin,
            cell: [cell, cell],
        }
    }

    /// The same with the second axis upwards.
    pub fn flipped(mut self) -> Transform {
        self.cell[1] = -self.cell[1];
        self
    }

    /// The middle of a cell.
    pub fn position(&self, cell: Point) -> [f32; 2] {
        self.position_of(cell.x as f32 + 0.5, cell.y as f32 + 0.5)
    }

    /// A place on the way between two cells: at 0 the middle of the first, at 1 that of the second.
    pub fn between(&self, from: Point, to: Point, part: f32) -> [f32; 2] {
        let (a, b) = (self.position(from), self.position(to));
        let mix = |i: usize| a[i] + (b[i] - a[i]) * part;
        [mix(0), mix(1)]
    }

    /// The cell that holds a position; `None` left of or above the map, or where the position is no number.
    pub fn cell(&self, position: [f32; 2]) -> Option<Point> {
        let along = |i: usize| {
            let cells = ((position[i] - self.origin[i]) / self.cell[i]).floor();
            (cells >= 0.0 && cells < u32::MAX as f32).then_some(cells as u32)
        };
        Some(Point {
            x: along(0)?,
            y: along(1)?,
        })
    }

    fn position_of(&self, x: f32, y: f32) -> [f32; 2] {
        [
            self.origin[0] + x * self.cell[0],
            self.origin[1] + y * self.cell[1],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back_to_their_cells() {
        for transform in [
            Transform::default(),
            Transform::new([-37.5, 12.0], 0.25),
            Transform::new([-8.0, 100.0], 2.0).flipped(),
        ] {
            for cell in [Point { x: 0, y: 0 }, Point { x: 17, y: 3 }] {
                assert_eq!(transform.cell(transform.position(cell)), Some(cell));
            }
            assert_eq!(transform.cell([f32::NAN, 0.0]), None);
        }
        assert_eq!(Transform::default().cell([-0.5, 3.0]), None);
        let halfway = Transform::default().between((0, 0).into(), (1, 1).into(), 0.5);
        assert_eq!(halfway, [1.0, 1.0]);
    }
}
