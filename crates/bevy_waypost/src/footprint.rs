//! Which cells a footprint covers.

use crate::obstacle::Footprint;
use crate::{GridTransform, Plane};
use bevy_math::{Affine3A, UVec2, Vec2, Vec3};
use bevy_transform::components::GlobalTransform;

/// Half of the longest side that is reckoned with: longer ones, and endless ones, reach beyond any map all the same.
const MAX_HALF: f32 = 1e12;

impl Footprint {
    /// The cells of a map that it covers, row by row.
    pub(crate) fn cells(
        self,
        at: &GlobalTransform,
        grid: &GridTransform,
        size: UVec2,
    ) -> Vec<UVec2> {
        let middle = grid.cell(at.translation());
        let inverse = to_local(at, grid);
        let local = |cell: UVec2| {
            let position = grid.lift(grid.flatten(grid.position(cell)), at.translation());
            grid.flatten(inverse.transform_point3(position))
        };
        let half = match self {
            Footprint::Cell => Vec2::ZERO,
            Footprint::Rectangle(sides) => {
                let (column, row) = (local(UVec2::X), local(UVec2::Y));
                thicken(
                    sides.abs() / 2.0,
                    column - local(UVec2::ZERO),
                    row - local(UVec2::ZERO),
                )
            }
            Footprint::Disc(radius) => Vec2::splat(radius.abs()),
        };
        let half = half.min(Vec2::splat(MAX_HALF));
        let is_covered = |cell: UVec2| {
            let local = local(cell);
            match self {
                Footprint::Cell => false,
                Footprint::Rectangle(_) => local.abs().cmple(half).all(),
                Footprint::Disc(_) => local.length_squared() <= half.x * half.x,
            }
        };
        let Some((first, last)) = bounds(half, at, grid, size) else {
            return Vec::new();
        };
        let rows =
            (first.y..=last.y).flat_map(|y| (first.x..=last.x).map(move |x| UVec2::new(x, y)));
        rows.filter(|&cell| Some(cell) == middle || is_covered(cell))
            .collect()
    }
}

/// From the world to an obstacle. How high it is does not matter, not even where that is nothing.
fn to_local(at: &GlobalTransform, grid: &GridTransform) -> Affine3A {
    let mut affine = at.affine();
    let axes = &mut affine.matrix3;
    match grid.plane {
        Plane::Xy => axes.z_axis = axes.x_axis.cross(axes.y_axis).normalize_or_zero(),
        Plane::Xz => axes.y_axis = axes.z_axis.cross(axes.x_axis).normalize_or_zero(),
    }
    affine.inverse()
}

/// Half the sides of a rectangle, at least as long as it takes to hold the middle of a cell in every row or in every column that it crosses. A
/// column and a row are given as it measures them.
fn thicken(half: Vec2, column: Vec2, row: Vec2) -> Vec2 {
    // A little more, so that a middle on the very edge is not lost to rounding.
    let least = column.abs().max(row.abs()) * 0.501;
    match least.is_finite() {
        true => half.max(least),
        false => half,
    }
}

/// The cells that a turned rectangle can reach, cut to the map.
fn bounds(
    half: Vec2,
    at: &GlobalTransform,
    grid: &GridTransform,
    size: UVec2,
) -> Option<(UVec2, UVec2)> {
    let (mut least, mut most) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for corner in [
        half,
        -half,
        Vec2::new(half.x, -half.y),
        Vec2::new(-half.x, half.y),
    ] {
        let world = at.transform_point(grid.lift(corner, Vec3::ZERO));
        let cells = (grid.flatten(world) - grid.flatten(grid.origin)) / grid.cell;
        (least, most) = (least.min(cells), most.max(cells));
    }
    let end = size.as_vec2() - 1.0;
    let (least, most) = (least.floor().max(Vec2::ZERO), most.floor().min(end));
    let is_on_map = least.cmple(most).all();
    is_on_map.then(|| (least.as_uvec2(), most.as_uvec2()))
}
