//! Unit types: what a unit covers, what it makes of ground, and how types are added to a world.

use super::profile::{Dams, Profile};
use super::{BuildOptions, Error, Navigator, Shared};
use crate::grid::{Grid, MAX_SIZE};
use crate::map::Map;
use crate::progress::Progress;
use crate::terrain::{Factor, Footing, Footings, TerrainError};
use std::sync::{Arc, PoisonError, Weak};

/// The name of the type that every world has: one cell, ground as the map has it.
pub const FIRST_UNIT_TYPE: &str = "unit";

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

    /// Covers this many cells on a side; its position is its top left cell.
    pub fn size(mut self, cells: u32) -> UnitType {
        self.size = cells;
        self
    }

    /// A step on this class of ground costs this many times its length, 0.1 to 100 with at most two decimals. A class that is a wall to
    /// others is free for this type then.
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

    /// Refuses a name that another type of the world has.
    pub(super) fn check_name<'a>(
        &self,
        mut known: impl Iterator<Item = &'a UnitType>,
    ) -> Result<(), Error> {
        let taken = known.any(|unit| unit.name == self.name);
        if !taken && self.name != FIRST_UNIT_TYPE {
            return Ok(());
        }
        let reason = match self.name == FIRST_UNIT_TYPE {
            true => "every world has a type of this name, its first; choose another one",
            false => "the world has a type of this name; choose another one",
        };
        Err(Error::BadUnitType {
            name: self.name.clone(),
            reason: reason.to_string(),
        })
    }

    /// The map as this unit sees it: a cell is free where all that the unit covers there is. The grid of single cells is given
    /// too where it is not that of the map of all units.
    pub(super) fn map_of(&self, map: &Map, dams: &Dams) -> Result<(Map, Option<Grid>), Error> {
        self.check(map)?;
        let own = match self.footings.is_empty() {
            true => None,
            false => {
                let mut own = map.with_footings(&self.footings)?;
                own.apply(&dams.patch(map.grid()));
                Some(own)
            }
        };
        let seen = match self.size {
            1 => own.clone().unwrap_or_else(|| map.clone()),
            size => own.as_ref().unwrap_or(map).enlarged(size)?,
        };
        Ok((seen, own.map(|own| own.grid().clone())))
    }
}

/// Builds the index of a unit type on any thread, for the map as it was when the job was made.
pub struct UnitTypeJob {
    unit: UnitType,
    map: Map,
    dams: Dams,
    options: BuildOptions,
    world: Weak<Shared>,
}

/// A unit type with its index, to be added with [`Navigator::add_built_unit_type`].
pub struct BuiltUnitType {
    profile: Arc<Profile>,
    /// What it was built for.
    grid: Grid,
    dams: Dams,
    world: Weak<Shared>,
}

impl UnitTypeJob {
    /// Told how far the build is, and asked whether to go on, in the place of what the world was built with.
    pub fn progress(mut self, progress: impl Progress + Send + 'static) -> UnitTypeJob {
        self.options = self.options.progress(progress);
        self
    }

    /// Builds, unless another type of the world has the name by now.
    pub fn run(self) -> Result<BuiltUnitType, Error> {
        if let Some(world) = self.world.upgrade() {
            let profiles = world.profiles.read();
            let profiles = profiles.unwrap_or_else(PoisonError::into_inner);
            self.unit
                .check_name(profiles.iter().map(|known| known.unit()))?;
        }
        Ok(BuiltUnitType {
            profile: Profile::build(&self.map, &self.dams, self.unit, &self.options)?,
            grid: self.map.grid().clone(),
            dams: self.dams,
            world: self.world,
        })
    }
}

impl Navigator {
    /// Adds a type of unit and builds its index: gives the world as that type sees it. Nobody waits for the build; what is
    /// patched meanwhile is taken over. A name that a type of the world has is refused, and so is `unit`, that of the first type.
    pub fn add_unit_type(&self, unit: UnitType) -> Result<Navigator, Error> {
        self.add_built_unit_type(self.unit_type_job(unit).run()?)
    }

    /// [`Navigator::add_unit_type`] in two parts, so that nobody waits for the index: the job is run on any thread, and what it
    /// gives is added by [`Navigator::add_built_unit_type`].
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y / 4 == 2)?)?;
    /// let job = nav.unit_type_job(UnitType::new("tank").size(2));
    /// let thread = std::thread::spawn(|| job.run());
    /// nav.patch(Patch::new().block((20, 9))); // the game goes on
    /// let built = thread.join().expect("no panic")?;
    /// let tank = nav.add_built_unit_type(built)?;
    /// assert!(tank.path((3, 4), (35, 28)).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn unit_type_job(&self, unit: UnitType) -> UnitTypeJob {
        let dams = self.shared.hold().clone();
        let first = self.profiles()[0].clone();
        let map = Map::clone(&first.world().map());
        UnitTypeJob {
            unit,
            map,
            dams,
            options: self.shared.options.clone(),
            world: Arc::downgrade(&self.shared),
        }
    }

    /// Adds a unit type that was built beside the game, with all changes that were made since.
    pub fn add_built_unit_type(&self, built: BuiltUnitType) -> Result<Navigator, Error> {
        let unit = built.profile.unit().clone();
        if !std::ptr::eq(built.world.as_ptr(), Arc::as_ptr(&self.shared)) {
            return Err(Error::BadUnitType {
                name: unit.name,
                reason:
                    "it was built for another world; make the job with the one that it is added to"
                        .to_string(),
            });
        }
        let dams = self.shared.hold();
        self.check_name(&unit)?;
        let first = self.profiles()[0].clone();
        {
            let map = first.world().map();
            let changes = built.grid.changes_to(map.grid());
            let mut touched = changes.to_patch(map.grid());
            built.dams.touch_changes(&dams, map.grid(), &mut touched);
            built.profile.follow(&map, &dams, &touched, &changes);
        }
        let profiles = self.shared.profiles.write();
        let mut profiles = profiles.unwrap_or_else(PoisonError::into_inner);
        profiles.push(built.profile.clone());
        Ok(Navigator {
            shared: self.shared.clone(),
            profile: built.profile,
        })
    }

    fn check_name(&self, unit: &UnitType) -> Result<(), Error> {
        let profiles = self.profiles();
        unit.check_name(profiles.iter().map(|known| known.unit()))
    }

    /// The same world as another type of unit sees it.
    pub fn for_unit(&self, name: &str) -> Result<Navigator, Error> {
        let profiles = self.profiles();
        let found = profiles.iter().find(|profile| profile.unit().name == name);
        let profile = found.cloned().ok_or_else(|| {
            let names: Vec<_> = profiles.iter().map(|p| p.unit().name()).collect();
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
        self.profiles().iter().map(|p| p.unit().clone()).collect()
    }
}
