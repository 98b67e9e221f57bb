//! Unit types: what a unit covers, and what the world looks like to it.

use super::exact::ExactPaths;
use super::{BuildOptions, Error, Navigator, covered};
use crate::grid::{ChangeSet, Grid, GridPatch, Point};
use crate::index::{Index, IndexKind, IndexRequest, Indexes};
use crate::map::{Doors, Map};
use crate::world::World;
use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

/// The largest unit, in cells on a side.
pub const MAX_SIZE: u32 = 64;

/// A named type of unit: how large it is.
///
/// ```
/// use waypost::prelude::*;
/// # fn main() -> Result<(), waypost::Error> {
/// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
/// let tank = nav.add_unit_type(UnitType::new("tank").size(2))?;
/// assert!(nav.path((3, 4), (35, 28)).is_ok());
/// assert!(tank.path((3, 4), (35, 28)).is_err(), "the gap is one cell wide");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitType {
    name: String,
    size: u32,
}

impl UnitType {
    /// A unit of one cell.
    pub fn new(name: impl Into<String>) -> UnitType {
        UnitType {
            name: name.into(),
            size: 1,
        }
    }

    /// Covers so many cells on a side; its position is its top left cell.
    pub fn size(mut self, cells: u32) -> UnitType {
        self.size = cells;
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Cells on a side.
    pub fn cells(&self) -> u32 {
        self.size
    }

    fn check(&self, map: &Map) -> Result<(), Error> {
        let bad = |reason: String| Error::BadUnitType {
            name: self.name.clone(),
            reason,
        };
        let side = map.grid().width().min(map.grid().height());
        if self.size == 0 || self.size > MAX_SIZE {
            return Err(bad(format!(
                "a size of {} cells; give 1 to {MAX_SIZE}",
                self.size
            )));
        }
        if self.size > side {
            return Err(bad(format!(
                "{} cells do not fit a map of {side} cells on a side",
                self.size
            )));
        }
        if self.name.is_empty() || self.name.contains(['\n', '\r']) {
            return Err(bad("a name of one line is needed".to_string()));
        }
        Ok(())
    }

    /// The map as this unit sees it: a cell is free where all that the unit covers there is.
    fn map_of<'a>(&self, map: &'a Map) -> Cow<'a, Map> {
        if self.size == 1 {
            return Cow::Borrowed(map);
        }
        let grid = eroded(map.grid(), self.size);
        Cow::Owned(match map.doors() {
            None => Map::new(grid, map.rules()),
            Some(doors) => {
                let mut mask = Doors::none(&grid);
                for door in doors.cells() {
                    for point in standing_on(map.grid().point(door), self.size) {
                        mask.add(point);
                    }
                }
                Map::with_doors(grid, map.rules(), mask)
            }
        })
    }
}

/// The places whose unit covers a point.
fn standing_on(point: Point, size: u32) -> impl Iterator<Item = Point> {
    let reach = move |v: u32| v.saturating_sub(size - 1)..=v;
    reach(point.y).flat_map(move |y| reach(point.x).map(move |x| Point { x, y }))
}

/// Whether all that a unit of this size covers at a point is free.
fn fits(grid: &Grid, at: Point, size: u32) -> bool {
    (0..size).all(|dy| {
        (0..size).all(|dx| {
            let point = Point {
                x: at.x + dx,
                y: at.y + dy,
            };
            grid.passable_cell(point).is_some()
        })
    })
}

/// The grid of the places where a unit of this size fits: rows narrowed by doubling shifts, then columns.
fn eroded(grid: &Grid, size: u32) -> Grid {
    let mut narrowed = grid.clone();
    let words = grid.words_per_row();
    for y in 0..grid.height() {
        let row = |y: u32| &grid.words()[(y as usize + 1) * words..(y as usize + 2) * words];
        let mut bits: Vec<u64> = row(y).to_vec();
        for below in 1..size {
            match y + below < grid.height() {
                true => bits
                    .iter_mut()
                    .zip(row(y + below))
                    .for_each(|(a, b)| *a &= b),
                false => bits.fill(0),
            }
        }
        let mut done = 1;
        while done < size {
            let step = done.min(size - done);
            let shifted = shifted_left(&bits, step);
            bits.iter_mut().zip(shifted).for_each(|(a, b)| *a &= b);
            done += step;
        }
        // Bits of a row begin with the border's.
        narrowed.set_row_bits(y, &shifted_left(&bits, 1));
    }
    narrowed
}

/// Bits moved towards the lower end by less than a word.
fn shifted_left(bits: &[u64], by: u32) -> Vec<u64> {
    let word = |i: usize| bits.get(i).copied().unwrap_or(0);
    let shifted = |i: usize| word(i) >> by | word(i + 1).checked_shl(64 - by).unwrap_or(0);
    (0..bits.len()).map(shifted).collect()
}

/// A unit type with the world as it sees it.
pub(super) struct Profile {
    unit: UnitType,
    world: Arc<World>,
    exact: ExactPaths,
}

impl Profile {
    /// Builds the index for a unit type on the map of one cell.
    pub fn build(map: &Map, unit: UnitType, options: &BuildOptions) -> Result<Arc<Profile>, Error> {
        unit.check(map)?;
        let map = unit.map_of(map).into_owned();
        let mut indexes = Indexes::new();
        indexes.add(options.build(&map)?);
        Profile::of(unit, World::new(map, &indexes))
    }

    pub fn of(unit: UnitType, world: Arc<World>) -> Result<Arc<Profile>, Error> {
        let exact = ExactPaths::new(&world)?;
        Ok(Arc::new(Profile { unit, world, exact }))
    }

    /// The same on the map of one cell, with indexes that were opened for it.
    pub fn open(map: &Map, unit: UnitType, indexes: &Indexes) -> Result<Arc<Profile>, Error> {
        unit.check(map)?;
        let world = World::new(unit.map_of(map).into_owned(), indexes);
        Profile::of(unit, world)
    }

    pub fn map_for(unit: &UnitType, map: &Map) -> Result<Map, Error> {
        unit.check(map)?;
        Ok(unit.map_of(map).into_owned())
    }

    /// The index to save: that of the map with all doors open.
    pub fn saved_index(&self) -> Arc<dyn Index> {
        let indexes = self.world.indexes();
        let added = indexes.get(&IndexRequest::new(IndexKind::Auto));
        let first = added.cloned();
        let newest = indexes.slots().next().map(|slot| slot.index());
        let map = self.world.map();
        let current = newest.filter(|index| index.identity().check(&map).is_ok());
        current
            .or(first)
            .unwrap_or_else(|| unreachable!("a profile has an index"))
    }

    pub fn fork(&self) -> Result<Arc<Profile>, Error> {
        Profile::of(self.unit.clone(), self.world.fork())
    }

    pub fn unit(&self) -> &UnitType {
        &self.unit
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub fn exact(&self) -> &ExactPaths {
        &self.exact
    }

    /// Takes over what has changed on the map of one cell.
    pub fn follow(&self, map: &Map, changes: &ChangeSet) {
        let mut patch = GridPatch::new();
        for cell in covered(changes) {
            for point in standing_on(map.grid().point(cell), self.unit.size) {
                match fits(map.grid(), point, self.unit.size) {
                    true => patch.open(point),
                    false => patch.block(point),
                };
            }
        }
        self.world.patch(&patch);
    }
}

impl Navigator {
    /// Adds a type of unit and builds its index. Gives the world as that type sees it; a type of the same name is replaced.
    pub fn add_unit_type(&self, unit: UnitType) -> Result<Navigator, Error> {
        let name = unit.name.clone();
        let first = self.profiles()[0].clone();
        let profile = Profile::build(&first.world().map(), unit, &self.shared.options)?;
        let profiles = self.shared.profiles.write();
        let mut profiles = profiles.unwrap_or_else(PoisonError::into_inner);
        match profiles.iter_mut().find(|known| known.unit.name == name) {
            Some(known) => *known = profile,
            None => profiles.push(profile),
        }
        drop(profiles);
        self.for_unit(&name)
    }

    /// The same world as another type of unit sees it.
    pub fn for_unit(&self, name: &str) -> Result<Navigator, Error> {
        let profiles = self.profiles();
        let found = profiles.iter().find(|profile| profile.unit.name == name);
        let profile = found.cloned().ok_or_else(|| {
            let names: Vec<_> = profiles.iter().map(|p| p.unit.name.as_str()).collect();
            Error::NoSuchUnitType {
                name: name.to_string(),
                known: names.join(", "),
            }
        })?;
        Ok(Navigator {
            shared: self.shared.clone(),
            profile,
        })
    }

    /// The type of unit that questions are asked for.
    pub fn unit_type(&self) -> &UnitType {
        self.profile.unit()
    }

    /// All types of units; the first is the one of one cell.
    pub fn unit_types(&self) -> Vec<UnitType> {
        self.profiles().iter().map(|p| p.unit.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn places_of_large_units_are_those_where_they_fit() {
        let mut rng = Rng::new(3);
        for (width, height) in [(9, 7), (64, 5), (65, 20), (130, 30)] {
            let grid = Grid::from_fn(width, height, |_| !rng.percent(8)).expect("a legal size");
            for size in 1..=5.min(height) {
                let eroded = eroded(&grid, size);
                for y in 0..height {
                    for x in 0..width {
                        let at = Point { x, y };
                        let expected = fits(&grid, at, size);
                        assert_eq!(eroded.passable_cell(at).is_some(), expected, "{at} {size}");
                    }
                }
            }
        }
    }
}
