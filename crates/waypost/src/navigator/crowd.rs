//! Crowds at the door: units with stable ids, events, goals of several kinds.

use super::{Error, Navigator, Transform};
use crate::crowd::{AnyCrowd, Options, Status, Tick, WalkerId, WalkerView};
use crate::grid::{Direction, GridPatch, Point};
use crate::index::IndexKind;
use crate::spec::AgentSpec;

/// Names a unit; never names another one, also after the unit was removed.
pub type UnitId = WalkerId;

/// How a crowd is made.
#[derive(Clone, Debug)]
pub struct CrowdOptions {
    /// Whether only one unit may stand in a cell.
    pub exclusive: bool,
    /// Weighted operations (about nanoseconds) of a tick that may be spent on plans.
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

/// Where a unit is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A cell.
    Cell(Point),
    /// Any cell of a rectangle, by its top left point, columns and rows.
    Area(Point, (u32, u32)),
    /// Any cell at most so many cells from a point.
    Within(Point, u32),
    /// Wherever another unit is.
    Unit(UnitId),
}

impl<P: Into<Point>> From<P> for Goal {
    fn from(point: P) -> Goal {
        Goal::Cell(point.into())
    }
}

/// What happened to a unit or to the world in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It stands on its goal.
    Arrived(UnitId),
    /// There is no way to its goal; the nearest cell that it can reach, if any.
    Unreachable(UnitId, Option<Point>),
    /// Its cell has become a wall.
    Blocked(UnitId),
    /// Its cell is free again.
    Freed(UnitId),
    /// A repaired or rebuilt index serves from now on.
    IndexRenewed {
        /// Its kind.
        kind: IndexKind,
        /// Whether it came after the tick that it was due at.
        late: bool,
    },
}

/// What a tick did.
#[derive(Clone, Copy, Debug)]
pub struct TickReport<'a> {
    events: &'a [Event],
    /// Counts: moves, arrivals, plans, waits, operations.
    pub counts: Tick,
}

impl<'a> TickReport<'a> {
    /// What happened, units in the order of their ids.
    pub fn events(&self) -> impl Iterator<Item = Event> + 'a {
        self.events.iter().copied()
    }
}

/// A unit as it is after the last tick.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    view: WalkerView,
    transform: Transform,
}

impl Unit {
    /// Its id.
    pub fn id(&self) -> UnitId {
        self.view.id
    }

    /// The cell that it stands in.
    pub fn position(&self) -> Point {
        self.view.at
    }

    /// The cell that its last step led from; its own where there was none.
    pub fn previous(&self) -> Point {
        self.view.previous
    }

    /// Where it is in the game's coordinates, `part` of the way from the last tick to this one.
    pub fn position_between(&self, part: f32) -> [f32; 2] {
        self.transform
            .between(self.view.previous, self.view.at, part)
    }

    /// The direction of its last step.
    pub fn heading(&self) -> Option<Direction> {
        let (from, to) = (self.view.previous, self.view.at);
        Direction::of_step(to.x as i32 - from.x as i32, to.y as i32 - from.y as i32)
    }

    /// What it is doing.
    pub fn status(&self) -> Status {
        self.view.status
    }
}

/// Many units in one world.
pub struct Crowd {
    nav: Navigator,
    inner: Box<dyn AnyCrowd>,
    transform: Transform,
    events: Vec<Event>,
    /// By the place of a unit: what was last told of it, and a goal that is more than a cell.
    told: Vec<Told>,
}

#[derive(Clone, Copy, Debug)]
struct Told {
    id: Option<UnitId>,
    said: Said,
    goal: Option<Goal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Arrived,
    Unreachable,
    Blocked,
}

impl Navigator {
    /// A crowd without units, of this unit type.
    pub fn crowd(&self, options: CrowdOptions) -> Result<Crowd, Error> {
        let spec = AgentSpec::parse(&options.method)?;
        let crowd_options = Options {
            exclusive: options.exclusive,
            set_up_operations: options.plan_operations,
            repair_operations: options.repair_operations,
            lockstep: options.lockstep,
            ..Options::default()
        };
        for request in spec.needs() {
            self.world().provide(&request)?;
        }
        Ok(Crowd {
            inner: spec.crowd_in(self.world(), crowd_options)?,
            nav: self.clone(),
            transform: options.transform,
            events: Vec::new(),
            told: Vec::new(),
        })
    }
}

impl Crowd {
    /// Puts a unit on the map.
    pub fn spawn(&mut self, at: impl Into<Point>) -> Result<UnitId, Error> {
        let id = self.inner.add(at.into())?;
        let fresh = Told {
            id: Some(id),
            said: Said::Nothing,
            goal: None,
        };
        if self.told.len() <= id.index() {
            self.told.resize(id.index() + 1, Told { id: None, ..fresh });
        }
        self.told[id.index()] = fresh;
        Ok(id)
    }

    /// Takes a unit off the map.
    pub fn despawn(&mut self, unit: UnitId) -> Result<(), Error> {
        self.inner.remove(unit)?;
        self.told[unit.index()].id = None;
        Ok(())
    }

    /// Sends a unit to a goal, whatever it was doing. A goal that cannot be reached is taken too: the next tick tells so.
    pub fn send(&mut self, unit: UnitId, goal: impl Into<Goal>) -> Result<(), Error> {
        let goal = goal.into();
        let at = self.inner.position(unit)?;
        match goal {
            Goal::Unit(leader) => self.inner.follow(unit, leader)?,
            Goal::Cell(point) => self.inner.send(unit, point)?,
            Goal::Area(corner, size) => {
                let target = self.nearest_within(at, nearest_of(corner, size, at));
                self.inner.send(unit, target)?;
            }
            Goal::Within(point, _) => {
                let target = self.nearest_within(at, point);
                self.inner.send(unit, target)?;
            }
        }
        let told = &mut self.told[unit.index()];
        (told.said, told.goal) = (Said::Nothing, Some(goal));
        Ok(())
    }

    fn nearest_within(&self, at: Point, goal: Point) -> Point {
        self.nav.nearest_reachable(at, goal).unwrap_or(goal)
    }

    /// Withdraws a unit's goal: it stands still.
    pub fn stop(&mut self, unit: UnitId) -> Result<(), Error> {
        self.inner.halt(unit)?;
        self.told[unit.index()].goal = None;
        Ok(())
    }

    /// Changes the world for everybody in it ([`Navigator::patch`]); says how many cells that changed.
    pub fn patch(&mut self, patch: &GridPatch) -> usize {
        self.nav.patch(patch)
    }

    /// Moves every unit that has a goal by one step.
    pub fn tick(&mut self) -> TickReport<'_> {
        let counts = self.inner.tick();
        self.events.clear();
        if let Some(published) = self.inner.published() {
            self.events.push(Event::IndexRenewed {
                kind: published.kind,
                late: published.late,
            });
        }
        self.tell();
        TickReport {
            events: &self.events,
            counts,
        }
    }

    /// Compares what units are doing with what was told of them.
    fn tell(&mut self) {
        let (told, events) = (&mut self.told, &mut self.events);
        let mut halted = Vec::new();
        self.inner.for_each(&mut |view| {
            let Some(told) = told.get_mut(view.id.index()) else {
                return;
            };
            let mut says = match view.status {
                Status::Arrived => Said::Arrived,
                Status::Unreachable { .. } => Said::Unreachable,
                Status::Blocked => Said::Blocked,
                _ => Said::Nothing,
            };
            if says == Said::Nothing && told.goal.is_some_and(|goal| is_within(goal, view.at)) {
                halted.push(view.id);
                says = Said::Arrived;
            }
            if says == told.said {
                return;
            }
            if told.said == Said::Blocked {
                events.push(Event::Freed(view.id));
            }
            match (says, view.status) {
                (Said::Arrived, _) => events.push(Event::Arrived(view.id)),
                (Said::Blocked, _) => events.push(Event::Blocked(view.id)),
                (_, Status::Unreachable { nearest }) => {
                    events.push(Event::Unreachable(view.id, nearest));
                }
                _ => {}
            }
            told.said = says;
            if says == Said::Arrived {
                told.goal = None;
            }
        });
        for id in halted {
            // The unit was there a moment ago.
            let _ = self.inner.halt(id);
        }
    }

    /// What happened in the last tick, units in the order of their ids.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Visits all units, in the order of their ids, without memory of its own.
    pub fn for_each(&self, mut visit: impl FnMut(Unit)) {
        let transform = self.transform;
        self.inner
            .for_each(&mut |view| visit(Unit { view, transform }));
    }

    /// All units, in the order of their ids.
    pub fn units(&self) -> impl Iterator<Item = Unit> {
        let mut units = Vec::with_capacity(self.inner.len());
        self.for_each(|unit| units.push(unit));
        units.into_iter()
    }

    /// One unit.
    pub fn unit(&self, unit: UnitId) -> Result<Unit, Error> {
        let view = self.inner.view(unit)?;
        Ok(Unit {
            view,
            transform: self.transform,
        })
    }

    /// Where a unit is.
    pub fn position(&self, unit: UnitId) -> Result<Point, Error> {
        Ok(self.inner.position(unit)?)
    }

    /// Writes the positions of all units, in the order of their ids, into the caller's memory; says how many there are. Nothing
    /// is written beyond its end.
    pub fn positions(&self, out: &mut [Point]) -> usize {
        let mut at = 0;
        self.inner.for_each(&mut |view| {
            if let Some(place) = out.get_mut(at) {
                *place = view.at;
            }
            at += 1;
        });
        at
    }

    /// The cells that a unit is going to walk, as far as its plan reaches, its own first.
    pub fn path_ahead(&self, unit: UnitId) -> Result<Vec<Point>, Error> {
        Ok(self.inner.path_ahead(unit)?)
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// Whether every unit that was sent somewhere has arrived.
    pub fn all_arrived(&self) -> bool {
        let mut all = true;
        self.inner.for_each(&mut |view| {
            all &= matches!(view.status, Status::Arrived | Status::Idle);
        });
        all
    }

    /// The world that the crowd walks in.
    pub fn navigator(&self) -> &Navigator {
        &self.nav
    }
}

/// The point of a rectangle nearest to a place.
fn nearest_of(corner: Point, (width, height): (u32, u32), to: Point) -> Point {
    let along = |first: u32, length: u32, value: u32| {
        value.clamp(first, first.saturating_add(length.max(1) - 1))
    };
    Point {
        x: along(corner.x, width, to.x),
        y: along(corner.y, height, to.y),
    }
}

/// Whether a goal that is more than a cell is reached at a place.
fn is_within(goal: Goal, at: Point) -> bool {
    match goal {
        Goal::Cell(_) | Goal::Unit(_) => false,
        Goal::Area(corner, size) => nearest_of(corner, size, at) == at,
        Goal::Within(point, cells) => {
            let (dx, dy) = point.distances(at);
            dx.max(dy) <= cells
        }
    }
}
