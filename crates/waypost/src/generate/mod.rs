//! Maps that look like games, made from a seed.
//!
//! The same kind, size and seed give the same map on every platform and in every later version: all numbers are integers
//! and all chance comes from [`Rng`]. Every map is at least 90% one component: what a generator does not connect itself is
//! filled with wall (see `tidy`), except in `random`, which keeps some of its pockets.

mod arena;
mod caves;
mod city;
mod maze;
mod noise;
mod random;
mod rooms;
mod scale;
pub mod terrain;

pub use random::independent_cells;
pub use scale::{ScaleError, scale};

use crate::grid::{Components, Corners, Grid, GridError, Point};
use crate::rng::Rng;

/// The kinds of maps that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The floor of a building: rooms, corridors, doors, pillars, furniture.
    Rooms,
    /// Chambers and winding passages.
    Caves,
    /// Corridors with dead ends and some loops.
    Maze,
    /// Streets, blocks of houses, courtyards, parks, a river with bridges.
    City,
    /// Obstacles strewn over open ground, here thick and there thin.
    Random,
    /// A shooter's level: halls, courtyards, corridors, ramps and crates, drawn as vectors.
    Arena,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] = [
        Kind::Rooms,
        Kind::Caves,
        Kind::Maze,
        Kind::City,
        Kind::Random,
        Kind::Arena,
    ];

    /// The name that the command line uses.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Rooms => "rooms",
            Kind::Caves => "caves",
            Kind::Maze => "maze",
            Kind::City => "city",
            Kind::Random => "random",
            Kind::Arena => "arena",
        }
    }

    /// The kind with a name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Makes a map.
///
/// ```
/// use waypost::generate::{Kind, generate};
/// let grid = generate(Kind::Caves, 200, 120, 7)?;
/// assert_eq!(grid, generate(Kind::Caves, 200, 120, 7)?);
/// # Ok::<(), waypost::grid::GridError>(())
/// ```
pub fn generate(kind: Kind, width: u32, height: u32, seed: u64) -> Result<Grid, GridError> {
    let mut grid = Grid::blocked(width, height)?;
    let mut rng = Rng::for_item(seed, kind as u64);
    match kind {
        Kind::Rooms => rooms::draw(&mut grid, &mut rng),
        Kind::Caves => caves::draw(&mut grid, &mut rng),
        Kind::Maze => maze::draw(&mut grid, &mut rng),
        Kind::City => city::draw(&mut grid, &mut rng),
        Kind::Random => random::draw(&mut grid, &mut rng),
        Kind::Arena => arena::draw(&mut grid, &mut rng),
    }
    let pockets = if kind == Kind::Random { 5 } else { 0 };
    tidy(&mut grid, pockets);
    Ok(grid)
}

/// Fills with wall what is not connected to the largest component, but for `percent` of the passable cells in small
/// pockets. A map without any passable cell gets one in the middle.
fn tidy(grid: &mut Grid, percent: u64) {
    let components = Components::find(grid, Corners::Never);
    let Some(largest) = components.largest() else {
        let (x, y) = (grid.width() / 2, grid.height() / 2);
        grid.set(Point { x, y }, true);
        return;
    };
    let mut spare = grid.passable_count() * percent / 100;
    let mut keep: Vec<bool> = Vec::with_capacity(components.count());
    for component in 0..components.count() as u32 {
        let size = components.size(component);
        let is_kept = component == largest || size <= spare;
        if is_kept && component != largest {
            spare -= size;
        }
        keep.push(is_kept);
    }
    if keep.iter().all(|&kept| kept) {
        return;
    }
    let stray: Vec<Point> = grid
        .cells()
        .filter(|&cell| !components.of(cell).is_some_and(|c| keep[c as usize]))
        .map(|cell| grid.point(cell))
        .collect();
    for point in stray {
        grid.set(point, false);
    }
}

#[cfg(test)]
mod tests;
