//! Unit types: what a unit covers, and what the world looks like to it.

use super::exact::ExactPaths;
use super::{BuildOptions, Error, Navigator};
use crate::grid::{ChangeSet, MAX_SIZE};
use crate::index::{Index, IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::world::World;
use std::sync::{Arc, PoisonError};

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
    fn map_of(&self, map: &Map) -> Result<Map, Error> {
        self.check(map)?;
        match self.size {
            1 => Ok(map.clone()),
            size => Ok(map.enlarged(size)?),
        }
    }
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
        let map = unit.map_of(map)?;
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
        let world = World::new(unit.map_of(map)?, indexes);
        Profile::of(unit, world)
    }

    pub fn map_for(unit: &UnitType, map: &Map) -> Result<Map, Error> {
        unit.map_of(map)
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
        let size = self.unit.size;
        let patch = map
            .grid()
            .eroded_patch(self.world.map().grid(), changes, size);
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
