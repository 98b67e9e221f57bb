//! From cells to the world and back.

use bevy_math::{UVec2, Vec2, Vec3};
use bevy_reflect::Reflect;
use serde::{Deserialize, Serialize};
use waypost::navigator::Transform as Cells;
use waypost::prelude::Point;

/// The plane that the cells of a map lie in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect, Serialize, Deserialize)]
pub enum Plane {
    /// Columns along x, rows along y: games in two dimensions.
    #[default]
    Xy,
    /// Columns along x, rows along z: games in three dimensions, y being height.
    Xz,
}

/// Where the cells of a map lie in the world. Height (z in two dimensions, y in three) is the game's own: walkers keep theirs.
///
/// ```
/// use bevy_math::prelude::*;
/// use bevy_waypost::GridTransform;
///
/// let flat = GridTransform::flat(Vec2::ZERO, 16.0); // row 0 on top, y upwards
/// assert_eq!(flat.position(UVec2::new(2, 1)), Vec3::new(40.0, -24.0, 0.0));
/// let ground = GridTransform::ground(Vec3::new(-10.0, 3.0, -10.0), 1.0);
/// assert_eq!(ground.position(UVec2::new(2, 1)), Vec3::new(-7.5, 3.0, -8.5));
/// assert_eq!(ground.cell(Vec3::new(-7.5, 99.0, -8.5)), Some(UVec2::new(2, 1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect, Serialize, Deserialize)]
pub struct GridTransform {
    /// The outer corner of the cell 0, 0.
    pub origin: Vec3,
    /// From one column to the next and from one row to the next; negative where rows go down an axis that points up.
    pub cell: Vec2,
    /// The plane of the cells.
    pub plane: Plane,
}

impl Default for GridTransform {
    fn default() -> GridTransform {
        GridTransform::flat(Vec2::ZERO, 1.0)
    }
}

impl GridTransform {
    /// Square cells in two dimensions: the map's top left corner at `origin`, rows downwards.
    pub fn flat(origin: Vec2, cell: f32) -> GridTransform {
        GridTransform {
            origin: origin.extend(0.0),
            cell: Vec2::new(cell, -cell),
            plane: Plane::Xy,
        }
    }

    /// Square cells on the ground of three dimensions: the corner of the cell 0, 0 at `origin`, rows along z.
    pub fn ground(origin: Vec3, cell: f32) -> GridTransform {
        GridTransform {
            origin,
            cell: Vec2::splat(cell),
            plane: Plane::Xz,
        }
    }

    /// The same with the middle of a map of so many columns and rows at the origin.
    pub fn centred(mut self, size: UVec2) -> GridTransform {
        let half = self.cell * size.as_vec2() / 2.0;
        let corner = self.flatten(self.origin) - half;
        self.origin = self.lift(corner, self.origin);
        self
    }

    /// The middle of a cell.
    pub fn position(&self, cell: UVec2) -> Vec3 {
        self.lift(self.place(cell.as_vec2() + 0.5), self.origin)
    }

    /// The cell at a position; `None` left of or above the map, or where the position is no number. Height does not matter.
    pub fn cell(&self, position: Vec3) -> Option<UVec2> {
        let cells = Cells {
            origin: self.flatten(self.origin).to_array(),
            cell: self.cell.to_array(),
        };
        let point = cells.cell(self.flatten(position).to_array())?;
        Some(UVec2::new(point.x, point.y))
    }

    /// A point of the plane, counted in cells, in the two coordinates of the plane.
    pub(crate) fn place(&self, cells: Vec2) -> Vec2 {
        self.flatten(self.origin) + cells * self.cell
    }

    /// The coordinates of a position that lie in the plane.
    pub(crate) fn flatten(&self, position: Vec3) -> Vec2 {
        self.plane.flatten(position)
    }

    /// A place of the plane at the height of another position.
    pub(crate) fn lift(&self, place: Vec2, height: Vec3) -> Vec3 {
        self.plane.lift(place, height)
    }
}

impl Plane {
    #[inline]
    pub(crate) fn flatten(self, position: Vec3) -> Vec2 {
        match self {
            Plane::Xy => Vec2::new(position.x, position.y),
            Plane::Xz => Vec2::new(position.x, position.z),
        }
    }

    #[inline]
    pub(crate) fn lift(self, place: Vec2, height: Vec3) -> Vec3 {
        match self {
            Plane::Xy => Vec3::new(place.x, place.y, height.z),
            Plane::Xz => Vec3::new(place.x, height.y, place.y),
        }
    }
}

/// A cell as the engine has it.
pub(crate) fn point(cell: UVec2) -> Point {
    Point {
        x: cell.x,
        y: cell.y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back_to_their_cells() {
        let size = UVec2::new(40, 30);
        for transform in [
            GridTransform::default(),
            GridTransform::flat(Vec2::new(-37.5, 12.0), 0.25),
            GridTransform::flat(Vec2::ZERO, 8.0).centred(size),
            GridTransform::ground(Vec3::new(3.0, 9.0, -4.0), 2.5),
            GridTransform::ground(Vec3::ZERO, 1.0).centred(size),
        ] {
            for cell in [UVec2::ZERO, UVec2::new(17, 3), UVec2::new(39, 29)] {
                let mut at = transform.position(cell);
                assert_eq!(transform.cell(at), Some(cell), "{transform:?}");
                match transform.plane {
                    Plane::Xy => at.z += 1e6,
                    Plane::Xz => at.y += 1e6,
                }
                assert_eq!(transform.cell(at), Some(cell), "height does not matter");
            }
            assert_eq!(transform.cell(Vec3::NAN), None);
        }
        let middle = GridTransform::flat(Vec2::ZERO, 8.0).centred(size);
        let (first, last) = (middle.position(UVec2::ZERO), middle.position(size - 1));
        assert_eq!(first + last, Vec3::ZERO);
    }
}
