//! A shooter's level, described as vectors and rasterised to the size asked for.
//!
//! The level is laid out on a canvas of its own units, which depends on the seed and on the ratio of the sides only; one
//! seed gives the same level at 200 x 150 and at 5000 x 3750 cells. Halls and courtyards stand on a jittered lattice, a
//! spanning tree and some loops of corridors join them, ramps lie in corridors, crates and pillars in halls. Obstacles
//! keep off the edges of halls, so that one can always walk round them.

mod layout;
mod raster;

use crate::grid::Grid;
use crate::rng::Rng;

pub(super) fn draw(grid: &mut Grid, rng: &mut Rng) {
    let level = layout::level(grid.width(), grid.height(), rng);
    let raster = raster::Raster::new(grid, level.size);
    for shape in &level.shapes {
        raster.fill(grid, &shape.outline, shape.is_floor);
    }
}
