//! Crowds at the door: units of one type or several, with stable ids, events, goals of several kinds.

mod goal;
mod snapshot;
mod squad;
mod unit;

pub use goal::Goal;
pub use snapshot::CrowdSnapshot;
pub use unit::{Event, TickReport, Unit, UnitId};

use super::profile::Profile;
use super::{Error, Navigator, Transform};
use crate::crowd::{CrowdError, Formation, Options, Status, Tick, WalkerId};
use crate::grid::{GridPatch, Point};
use crate::spec::AgentSpec;
use squad::TypeCrowd;
use std::borrow::Borrow;
use std::sync::{Arc, PoisonError};

/// One that follows a unit of another type plans again when that one has moved away from the place it heads for by more than a part
/// of the way to it.
const STALE_PART: u32 = 8;

/// How a crowd is made.
#[derive(Clone, Debug)]
pub struct CrowdOptions {
    /// Whether only one unit may stand in a cell.
    pub exclusive: bool,
    /// Weighted operations (about nanoseconds) of a tick that may be spent on plans, for each type of unit.
    pub plan_operations: u64,
    /// Operations of a tick that may be spent on repairs and rebuilds of indexes.
    pub repair_operations: u64,
    /// Whether an index that is due is waited for, so that what happens depends on calls alone.
    pub lockstep: bool,
    /// The method that units walk by, as the command line names it.
    pub method: String,
    /// Where cells lie in the game's own coordinates.
    pub transform: Transform,
}

impl Default for CrowdOptions {
    fn default() -> CrowdOptions {
        let options = Options::default();
        CrowdOptions {
            exclusive: options.exclusive,
            plan_operations: options.set_up_operations,
            repair_operations: options.repair_operations,
            lockstep: options.lockstep,
            method: "waypost".to_string(),
            transform: Transform::default(),
        }
    }
}

impl CrowdOptions {
    fn inner(&self) -> Options {
        Options {
            exclusive: self.exclusive,
            set_up_operations: self.plan_operations,
            repair_operations: self.repair_operations,
            lockstep: self.lockstep,
            ..Options::default()
        }
    }
}

/// Many units in one world.
///
/// ```
/// use waypost::prelude::*;
/// # fn main() -> Result<(), waypost::Error> {
/// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
/// let mut crowd = nav.crowd(CrowdOptions::default())?;
/// let scout = crowd.spawn((3, 4))?;
/// let cart = crowd.spawn((3, 5))?;
/// crowd.set_pace(cart, 3)?; // a step every third tick
/// for unit in [scout, cart] {
///     crowd.send(unit, (35, 28))?;
/// }
/// let mut arrived = Vec::new();
/// while arrived.len() < 2 {
///     let report = crowd.tick();
///     arrived.extend(report.events().filter_map(|event| match event {
///         Event::Arrived(unit) => Some(unit),
///         _ => None,
///     }));
/// }
/// assert_eq!(arrived, [scout, cart]);
/// # Ok(())
/// # }
/// ```
pub struct Crowd {
    spec: AgentSpec,
    pub(super) options: CrowdOptions,
    /// One for each type of unit; the first is the type that the crowd was made for.
    pub(super) squads: Vec<TypeCrowd>,
    /// Units that follow one of another type: who, whom, and where that one was.
    chases: Vec<(UnitId, UnitId, Point)>,
    events: Vec<Event>,
}

impl Navigator {
    /// A crowd without units, of this unit type; others can be spawned in it too.
    pub fn crowd(&self, options: CrowdOptions) -> Result<Crowd, Error> {
        let spec = AgentSpec::parse(&options.method)?;
        let squad = TypeCrowd::new(self.clone(), 0, &spec, options.inner())?;
        Ok(Crowd {
            spec,
            options,
            squads: vec![squad],
            chases: Vec::new(),
            events: Vec::new(),
        })
    }
}

impl Crowd {
    /// Puts a unit of the crowd's own type on the map.
    pub fn spawn(&mut self, at: impl Into<Point>) -> Result<UnitId, Error> {
        self.squads[0].spawn(at.into())
    }

    /// Puts a unit of any type of the world on the map. Units of different types take no room from each other, so this is not
    /// for exclusive crowds.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y / 3 == 2)?)?;
    /// nav.add_unit_type(UnitType::new("tank").size(2))?;
    /// let mut crowd = nav.crowd(CrowdOptions::default())?;
    /// let tank = crowd.spawn_type("tank", (3, 4))?;
    /// crowd.send(tank, (35, 28))?;
    /// while !crowd.all_arrived() {
    ///     crowd.tick();
    /// }
    /// assert_eq!(crowd.position(tank)?, (35, 28).into());
    /// # Ok(())
    /// # }
    /// ```
    pub fn spawn_type(&mut self, unit_type: &str, at: impl Into<Point>) -> Result<UnitId, Error> {
        let mut known = self.squads.iter();
        let known = known.position(|s| s.nav.unit_type().name() == unit_type);
        let squad = match known {
            Some(squad) => squad,
            None => self.add_squad(unit_type)?,
        };
        self.squads[squad].spawn(at.into())
    }

    fn add_squad(&mut self, unit_type: &str) -> Result<usize, Error> {
        let nav = self.navigator().for_unit(unit_type)?;
        let number = u8::try_from(self.squads.len()).map_err(|_| Error::BadUnitType {
            name: unit_type.to_string(),
            reason: format!("a crowd holds {} types at most", unit::MAX_SQUADS),
        })?;
        let squad = TypeCrowd::new(nav, number, &self.spec, self.options.inner())?;
        self.squads.push(squad);
        Ok(usize::from(number))
    }

    /// The units of a type, and what the type calls a unit; ids that no type has name nobody.
    fn squad(&self, unit: UnitId) -> Result<(&TypeCrowd, WalkerId), Error> {
        let squad = self.squads.get(usize::from(unit.squad));
        Ok((squad.ok_or(CrowdError::NoSuchWalker)?, unit.walker))
    }

    fn squad_mut(&mut self, unit: UnitId) -> Result<(&mut TypeCrowd, WalkerId), Error> {
        let squad = self.squads.get_mut(usize::from(unit.squad));
        Ok((squad.ok_or(CrowdError::NoSuchWalker)?, unit.walker))
    }

    /// Takes a unit off the map.
    pub fn despawn(&mut self, unit: UnitId) -> Result<(), Error> {
        let (squad, walker) = self.squad_mut(unit)?;
        squad.inner.remove(walker)?;
        self.chases.retain(|&(who, _, _)| who != unit);
        Ok(())
    }

    /// Sends a unit to a goal, whatever it was doing. A goal that cannot be reached is taken too: the next tick tells so. One that
    /// is outside the map is refused.
    pub fn send(&mut self, unit: UnitId, goal: impl Into<Goal>) -> Result<(), Error> {
        let goal = goal.into();
        let leader = match goal {
            Goal::Unit(leader) if leader.squad != unit.squad => Some(leader),
            _ => None,
        };
        let place = leader.map(|leader| self.position(leader)).transpose()?;
        let (squad, walker) = self.squad_mut(unit)?;
        squad.send(walker, place.map_or(goal, Goal::Cell))?;
        self.chases.retain(|&(who, _, _)| who != unit);
        let chase = leader.zip(place);
        self.chases
            .extend(chase.map(|(leader, place)| (unit, leader, place)));
        Ok(())
    }

    /// Sends units of one type to a place together: each to a cell of its own around it, in a formation if one is asked for. A place that is a
    /// wall stands for the cell nearest to it that the first unit can reach; one outside the map is refused. Units that have no way there go as near
    /// as they can, and are given back in the order of their ids.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20)?)?;
    /// let mut crowd = nav.crowd(CrowdOptions::default())?;
    /// let (near, far) = (crowd.spawn((30, 4))?, crowd.spawn((3, 5))?);
    /// let cannot = crowd.send_group(&[near, far], (35, 28), Formation::Close)?;
    /// assert_eq!(cannot, [far]);
    /// while !crowd.all_arrived() {
    ///     crowd.tick();
    /// }
    /// assert_eq!(crowd.position(near)?, (35, 28).into());
    /// assert_eq!(crowd.position(far)?, (19, 28).into());
    /// # Ok(())
    /// # }
    /// ```
    pub fn send_group(
        &mut self,
        units: &[UnitId],
        place: impl Into<Point>,
        formation: Formation,
    ) -> Result<Vec<UnitId>, Error> {
        let Some(first) = units.first() else {
            return Ok(Vec::new());
        };
        if units.iter().any(|unit| unit.squad != first.squad) {
            return Err(Error::BadUnitType {
                name: self.squad(*first)?.0.nav.unit_type().name().to_string(),
                reason: "a group is of one type; send each type by itself".to_string(),
            });
        }
        let place = place.into();
        let walkers: Vec<_> = units.iter().map(|unit| unit.walker).collect();
        let (squad, _) = self.squad_mut(*first)?;
        squad.check_inside(place)?;
        let apart = squad.inner.send_group(&walkers, place, formation)?;
        walkers.iter().for_each(|&walker| squad.forget_goal(walker));
        self.chases.retain(|(who, _, _)| !units.contains(who));
        let squad = first.squad;
        let apart = apart.into_iter().map(|walker| UnitId { squad, walker });
        Ok(apart.collect())
    }

    /// Sets a unit's speed: from its next step on each takes this many ticks, 1 (as at first) to
    /// [`MAX_MOVE_TICKS`](crate::crowd::MAX_MOVE_TICKS). The step that it is at takes no longer than these.
    pub fn set_pace(&mut self, unit: UnitId, ticks: u32) -> Result<(), Error> {
        let (squad, walker) = self.squad_mut(unit)?;
        Ok(squad.inner.set_pace(walker, ticks)?)
    }

    /// Lets a unit hold its ground, or go on: one that holds it keeps its goal, does not move, and gives way to nobody.
    pub fn hold(&mut self, unit: UnitId, holds: bool) -> Result<(), Error> {
        let (squad, walker) = self.squad_mut(unit)?;
        Ok(squad.inner.hold(walker, holds)?)
    }

    /// Withdraws a unit's goal: it stands still.
    pub fn stop(&mut self, unit: UnitId) -> Result<(), Error> {
        let (squad, walker) = self.squad_mut(unit)?;
        squad.inner.halt(walker)?;
        squad.forget_goal(walker);
        self.chases.retain(|&(who, _, _)| who != unit);
        Ok(())
    }

    /// Changes the world for everybody in it ([`Navigator::patch`]); says how many cells that changed.
    pub fn patch(&mut self, patch: impl Borrow<GridPatch>) -> usize {
        self.navigator().patch(patch)
    }

    /// Opens and closes doors for everybody in the world ([`Navigator::set_doors`]).
    pub fn set_doors<P: Into<Point>>(
        &mut self,
        open: impl IntoIterator<Item = P>,
        close: impl IntoIterator<Item = P>,
    ) -> Result<usize, Error> {
        self.navigator().set_doors(open, close)
    }

    /// Opens these doors ([`Navigator::open_doors`]).
    pub fn open_doors<P: Into<Point>>(
        &mut self,
        doors: impl IntoIterator<Item = P>,
    ) -> Result<usize, Error> {
        self.navigator().open_doors(doors)
    }

    /// Closes these doors ([`Navigator::close_doors`]).
    pub fn close_doors<P: Into<Point>>(
        &mut self,
        doors: impl IntoIterator<Item = P>,
    ) -> Result<usize, Error> {
        self.navigator().close_doors(doors)
    }

    /// Opens or closes one door ([`Navigator::set_door`]).
    pub fn set_door(&mut self, at: impl Into<Point>, open: bool) -> Result<usize, Error> {
        self.navigator().set_door(at, open)
    }

    /// Moves every unit that has a goal by one step.
    pub fn tick(&mut self) -> TickReport<'_> {
        self.tick_and_visit(|_| ())
    }

    /// [`Crowd::tick`], showing every unit as it is afterwards, in the order of ids: for those who look at all of them after
    /// every tick, because the tick does so itself.
    pub fn tick_and_visit(&mut self, mut visit: impl FnMut(Unit)) -> TickReport<'_> {
        self.chase();
        self.events.clear();
        let mut counts = Tick::default();
        for squad in &mut self.squads {
            counts.add(&squad.inner.tick());
            squad.tell(&mut self.events, self.options.transform, &mut visit);
        }
        self.keep_up_others();
        TickReport {
            events: &self.events,
            counts,
        }
    }

    /// Carries on repairs and rebuilds for the types of the world that no unit of the crowd has.
    fn keep_up_others(&mut self) {
        let shared = &self.squads[0].nav.shared;
        let profiles = shared
            .profiles
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if profiles.len() == self.squads.len() {
            return;
        }
        let is_idle = |profile: &&Arc<Profile>| {
            let mut squads = self.squads.iter();
            squads.all(|squad| !Arc::ptr_eq(&squad.nav.profile, profile))
        };
        for profile in profiles.iter().filter(is_idle) {
            let (operations, lockstep) = (self.options.repair_operations, self.options.lockstep);
            let published = profile.world().keep_up(operations, lockstep);
            self.events.extend(published.map(Event::renewed));
        }
    }

    /// Sends those after units of other types to where these are now. A unit whose leader is gone stands still.
    fn chase(&mut self) {
        let mut chases = std::mem::take(&mut self.chases);
        chases.retain_mut(|(unit, leader, place)| {
            let Ok(now) = self.position(*leader) else {
                if let Ok((squad, walker)) = self.squad_mut(*unit) {
                    squad.forget_goal(walker);
                    // It may have been removed itself.
                    let _ = squad.inner.halt(walker);
                }
                return false;
            };
            let Ok((squad, walker)) = self.squad_mut(*unit) else {
                return false;
            };
            let Ok(view) = squad.inner.glance(walker) else {
                return false;
            };
            let away = |(dx, dy): (u32, u32)| dx.max(dy);
            let (moved, way) = (away(now.distances(*place)), away(now.distances(view.at)));
            let is_near_enough = view.status == Status::Moving && moved * STALE_PART < way;
            if moved == 0 || is_near_enough {
                return true;
            }
            *place = now;
            squad.chase(walker, *leader, now).is_ok()
        });
        self.chases = chases;
    }

    /// What happened in the last tick, units in the order of their ids.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Visits all units, in the order of their ids, without memory of its own.
    pub fn for_each(&self, mut visit: impl FnMut(Unit)) {
        let transform = self.options.transform;
        for (squad, number) in self.squads.iter().zip(0..) {
            let size = squad.nav.unit_type().cells();
            squad.inner.for_each(&mut |view| {
                visit(Unit {
                    squad: number,
                    view,
                    transform,
                    size,
                });
            });
        }
    }

    /// All units, in the order of their ids.
    pub fn units(&self) -> impl Iterator<Item = Unit> {
        let mut units = Vec::with_capacity(self.len());
        self.for_each(|unit| units.push(unit));
        units.into_iter()
    }

    /// One unit.
    pub fn unit(&self, unit: UnitId) -> Result<Unit, Error> {
        let (squad, walker) = self.squad(unit)?;
        Ok(Unit {
            squad: unit.squad,
            view: squad.inner.view(walker)?,
            transform: self.options.transform,
            size: squad.nav.unit_type().cells(),
        })
    }

    /// The other units that share a cell with one, or are at most this many columns and rows away from it, in the order of their ids. Looks
    /// at every unit.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |_| true)?)?;
    /// nav.add_unit_type(UnitType::new("bear").size(3))?;
    /// let mut crowd = nav.crowd(CrowdOptions::default())?;
    /// let (hare, bear) = (crowd.spawn((9, 9))?, crowd.spawn_type("bear", (5, 7))?);
    /// assert!(crowd.units_near(hare, 1)?.is_empty());
    /// assert_eq!(crowd.units_near(hare, 2)?[0].id(), bear); // its right column is 7
    /// # Ok(())
    /// # }
    /// ```
    pub fn units_near(&self, unit: UnitId, cells: u32) -> Result<Vec<Unit>, Error> {
        let one = self.unit(unit)?;
        let mut near = Vec::new();
        self.for_each(|other| {
            if other.id() != unit && one.is_near(&other, cells) {
                near.push(other);
            }
        });
        Ok(near)
    }

    /// The world as a unit's type sees it.
    pub fn navigator_of(&self, unit: UnitId) -> Result<&Navigator, Error> {
        Ok(&self.squad(unit)?.0.nav)
    }

    /// Where a unit is.
    pub fn position(&self, unit: UnitId) -> Result<Point, Error> {
        let (squad, walker) = self.squad(unit)?;
        Ok(squad.inner.position(walker)?)
    }

    /// Writes the positions of all units, in the order of their ids, into the caller's memory; says how many there are. Nothing
    /// is written beyond its end.
    pub fn positions(&self, out: &mut [Point]) -> usize {
        let mut at = 0;
        self.for_each(|unit| {
            if let Some(place) = out.get_mut(at) {
                *place = unit.position();
            }
            at += 1;
        });
        at
    }

    /// The cells that a unit is going to walk, its own first, as far as its plan reaches: with labels to the goal or for some twenty bends,
    /// with sectors to the end of a window; its own cell alone while it has no plan. [`Navigator::path`] gives the whole way.
    #[doc(alias = "path")]
    pub fn path_ahead(&self, unit: UnitId) -> Result<Vec<Point>, Error> {
        let (squad, walker) = self.squad(unit)?;
        Ok(squad.inner.path_ahead(walker)?)
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.squads.iter().map(|squad| squad.inner.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every unit that was sent somewhere has arrived. One that cannot get there has not, for as long as it keeps the goal
    /// ([`Event::Unreachable`], [`Crowd::stop`]).
    pub fn all_arrived(&self) -> bool {
        let mut all = true;
        self.for_each(|unit| all &= matches!(unit.status(), Status::Arrived | Status::Idle));
        all
    }

    /// The world that the crowd walks in.
    pub fn navigator(&self) -> &Navigator {
        &self.squads[0].nav
    }
}
