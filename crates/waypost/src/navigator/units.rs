//! Unit types: what a unit covers, and what the world looks like to it.

use super::exact::ExactPaths;
use super::{BuildOptions, Error, Navigator};
use crate::grid::{ChangeSet, Edit, Grid, GridPatch, MAX_SIZE, Point};
use crate::index::{Index, IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::terrain::{Factor, Footing, Footings, TerrainError};
use crate::world::World;
use std::sync::{Arc, Mutex, PoisonError};

/// A named type of unit: how large it is, and what it makes of the kinds of ground.
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
///
/// Ground: the letters of a MovingAI map, the classes of a Tiled map.
///
/// ```
/// use waypost::prelude::*;
/// # fn main() -> Result<(), waypost::Error> {
/// let nav = Navigator::build(Map::from_movingai("type octile\nheight 3\nwidth 5\nmap\n..S..\n..S..\nWWWWW\n")?)?;
/// let cart = nav.add_unit_type(UnitType::new("cart").factor("S", 3.0)?)?;
/// let boat = nav.add_unit_type(UnitType::new("boat").factor("W", 1.0)?.blocked(".").blocked("S"))?;
/// assert_eq!(nav.distance((0, 0), (4, 0))?, 4.0);
/// assert_eq!(cart.distance((0, 0), (4, 0))?, 6.0);
/// assert_eq!(boat.distance((0, 2), (4, 2))?, 4.0);
/// assert!(boat.path((0, 0), (4, 0)).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitType {
    name: String,
    size: u32,
    footings: Footings,
}

impl UnitType {
    /// A unit of one cell.
    pub fn new(name: impl Into<String>) -> UnitType {
        UnitType {
            name: name.into(),
            size: 1,
            footings: Footings::new(),
        }
    }

    /// Covers so many cells on a side; its position is its top left cell.
    pub fn size(mut self, cells: u32) -> UnitType {
        self.size = cells;
        self
    }

    /// A step on this class of ground costs so many times its length, 0.1 to 100. A class that is a wall to others is free
    /// for this type then.
    pub fn factor(mut self, class: &str, factor: f64) -> Result<UnitType, TerrainError> {
        let known = Factor::from_number(factor).ok_or_else(|| TerrainError::BadFactor {
            class: class.to_string(),
            value: factor.to_string(),
        })?;
        self.footings.set(class, Footing::Factor(known));
        Ok(self)
    }

    /// This class of ground is a wall for this type.
    pub fn blocked(mut self, class: &str) -> UnitType {
        self.footings.set(class, Footing::Wall);
        self
    }

    /// What this type makes of the classes that it names; it takes the others as the map has them.
    pub fn terrain(mut self, footings: Footings) -> UnitType {
        self.footings = footings;
        self
    }

    /// What it makes of classes of ground.
    pub fn footings(&self) -> &Footings {
        &self.footings
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

    /// The map as this unit sees it: a cell is free where all that the unit covers there is. The grid of single cells is given
    /// too where it is not that of the map of all units.
    fn map_of(&self, map: &Map) -> Result<(Map, Option<Grid>), Error> {
        self.check(map)?;
        let own = match self.footings.is_empty() {
            true => None,
            false => Some(map.with_footings(&self.footings)?),
        };
        let seen = match self.size {
            1 => own.clone().unwrap_or_else(|| map.clone()),
            size => own.as_ref().unwrap_or(map).enlarged(size)?,
        };
        Ok((seen, own.map(|own| own.grid().clone())))
    }
}

/// A unit type with the world as it sees it.
pub(super) struct Profile {
    unit: UnitType,
    world: Arc<World>,
    exact: ExactPaths,
    /// Which single cells are free, where this type makes something of its own of classes of ground.
    cells: Option<Mutex<Grid>>,
}

impl Profile {
    /// Builds the index for a unit type on the map of one cell.
    pub fn build(map: &Map, unit: UnitType, options: &BuildOptions) -> Result<Arc<Profile>, Error> {
        let (map, cells) = unit.map_of(map)?;
        let mut indexes = Indexes::new();
        indexes.add(options.build(&map)?);
        Profile::of(unit, World::new(map, &indexes), cells)
    }

    fn of(unit: UnitType, world: Arc<World>, cells: Option<Grid>) -> Result<Arc<Profile>, Error> {
        let exact = ExactPaths::new(&world)?;
        Ok(Arc::new(Profile {
            unit,
            world,
            exact,
            cells: cells.map(Mutex::new),
        }))
    }

    /// The same with an index that is opened for the map as the unit sees it.
    pub fn open(
        map: &Map,
        unit: UnitType,
        open: impl FnOnce(&Map) -> Result<Arc<dyn Index>, Error>,
    ) -> Result<Arc<Profile>, Error> {
        let (map, cells) = unit.map_of(map)?;
        let mut indexes = Indexes::new();
        indexes.add(open(&map)?);
        Profile::of(unit, World::new(map, &indexes), cells)
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
        let cells = self.cells.as_ref();
        let cells = cells.map(|c| c.lock().unwrap_or_else(PoisonError::into_inner).clone());
        Profile::of(self.unit.clone(), self.world.fork(), cells)
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

    /// Takes over what a patch has changed on the map of all units.
    pub fn follow(&self, base: &Map, patch: &GridPatch, changes: &ChangeSet) {
        let size = self.unit.size;
        let seen = match &self.cells {
            None => base
                .grid()
                .eroded_patch(self.world.map().grid(), changes, size),
            Some(cells) => {
                let mut cells = cells.lock().unwrap_or_else(PoisonError::into_inner);
                let changes = cells.apply(&self.own_part(base, patch));
                cells.eroded_patch(self.world.map().grid(), &changes, size)
            }
        };
        self.world.patch(&seen);
    }

    /// Takes over what has changed on the map of all units where the world of this type has been brought back by itself.
    pub fn bring_back(&self, base: &Map, patch: &GridPatch) {
        if let Some(cells) = &self.cells {
            let own = self.own_part(base, patch);
            let mut cells = cells.lock().unwrap_or_else(PoisonError::into_inner);
            cells.apply(&own);
        }
    }

    /// A patch as this type sees it: what is blocked is a wall to all; what is opened is free unless its ground is a wall to
    /// this type alone.
    fn own_part(&self, base: &Map, patch: &GridPatch) -> GridPatch {
        let mut own = GridPatch::new();
        let map = self.world.map();
        let is_closed = |at: Point| {
            let class_is_wall =
                |map: &Map| map.class_at(at).is_some_and(|c| c.footing == Footing::Wall);
            class_is_wall(&map) && !class_is_wall(base)
        };
        for &edit in patch.edits() {
            let size = (edit.width, edit.height);
            match edit.passable {
                false => _ = own.block_rect(edit.at, size),
                true => open_where(&mut own, base.grid(), edit, |at| !is_closed(at)),
            }
        }
        own
    }
}

/// Opens the points of a rectangle for which `free` holds, run by run.
fn open_where(patch: &mut GridPatch, grid: &Grid, edit: Edit, free: impl Fn(Point) -> bool) {
    let end = |first: u32, length: u32, side: u32| first.saturating_add(length).min(side);
    let right = end(edit.at.x, edit.width, grid.width());
    for y in edit.at.y..end(edit.at.y, edit.height, grid.height()) {
        let mut x = edit.at.x;
        while x < right {
            let is_free = free(Point { x, y });
            let run = (x..right).find(|&x| free(Point { x, y }) != is_free);
            let run = run.unwrap_or(right);
            if is_free {
                patch.open_rect(Point { x, y }, (run - x, 1));
            }
            x = run;
        }
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
