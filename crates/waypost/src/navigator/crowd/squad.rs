//! The units of one type in a crowd.

use super::unit::{Event, Goal, MAX_UNITS, Unit, UnitId, is_within, nearest_of};
use crate::crowd::{AnyCrowd, CrowdError, Options, Status, WalkerId};
use crate::grid::Point;
use crate::navigator::{Error, Navigator, Transform};
use crate::spec::AgentSpec;
use crate::stream::{Reader, Writer};

/// Units that a tick tells to be cut off from their goals; others are told of in the next ones.
const MAX_LOST: usize = 64;

pub(in crate::navigator) struct TypeCrowd {
    pub nav: Navigator,
    pub inner: Box<dyn AnyCrowd>,
    number: u8,
    /// By the place of a unit: what was last told of it, and a goal that is more than a cell.
    told: Vec<Told>,
    /// Walkers that stand in the area that they were sent to, for the time of a tick.
    halted: Vec<WalkerId>,
}

#[derive(Clone, Copy, Debug)]
struct Told {
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

impl TypeCrowd {
    pub fn new(
        nav: Navigator,
        number: u8,
        spec: &AgentSpec,
        options: Options,
    ) -> Result<TypeCrowd, Error> {
        let size = nav.unit_type().cells();
        if options.exclusive && (size > 1 || number > 0) {
            return Err(Error::BadUnitType {
                name: nav.unit_type().name().to_string(),
                reason: "in an exclusive crowd all units are of one type and one cell: make the crowd without `exclusive`, or one for each type"
                    .to_string(),
            });
        }
        for request in spec.needs() {
            nav.world().provide(&request)?;
        }
        Ok(TypeCrowd {
            inner: spec.crowd_in(nav.world(), options)?,
            nav,
            number,
            told: Vec::new(),
            halted: Vec::new(),
        })
    }

    pub fn id(&self, walker: WalkerId) -> UnitId {
        UnitId {
            squad: self.number,
            walker,
        }
    }

    pub fn spawn(&mut self, at: Point) -> Result<UnitId, Error> {
        if self.told.len() == MAX_UNITS && self.inner.len() == MAX_UNITS {
            return Err(Error::Crowd(CrowdError::NoAgent {
                reason: format!("a crowd holds {MAX_UNITS} units of a type at most"),
            }));
        }
        let walker = self.inner.add(at)?;
        let fresh = Told {
            said: Said::Nothing,
            goal: None,
        };
        if self.told.len() <= walker.index() {
            self.told.resize(walker.index() + 1, fresh);
        }
        self.told[walker.index()] = fresh;
        Ok(self.id(walker))
    }

    /// Sends a unit to a goal that is no unit of another type.
    pub fn send(&mut self, unit: WalkerId, goal: Goal) -> Result<(), Error> {
        let at = self.inner.position(unit)?;
        match goal {
            Goal::Unit(leader) => self.inner.follow(unit, leader.walker)?,
            Goal::Cell(point) => self.inner.send(unit, point)?,
            Goal::Area(corner, size) => {
                let target = self.nearest_to(at, nearest_of(corner, size, at));
                self.inner.send(unit, target)?;
            }
            Goal::Within(point, _) => {
                let target = self.nearest_to(at, point);
                self.inner.send(unit, target)?;
            }
        }
        self.told[unit.index()] = Told {
            said: Said::Nothing,
            goal: Some(goal),
        };
        Ok(())
    }

    /// Forgets the goal that a unit had.
    pub fn forget_goal(&mut self, unit: WalkerId) {
        self.told[unit.index()].goal = None;
    }

    /// Writes down what was told of units.
    pub fn save_told(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u64(self.told.len() as u64);
        for told in &self.told {
            out.u8(told.said as u8);
            Goal::save(told.goal, &mut out);
        }
        out.into_bytes()
    }

    /// Takes over what [`TypeCrowd::save_told`] wrote; `None` where it is no such thing.
    pub fn load_told(&mut self, bytes: &[u8]) -> Option<()> {
        let from = &mut Reader::new(bytes);
        let mut all = Vec::new();
        for _ in 0..from.count(2)? {
            let number = from.u8()?;
            let said = [
                Said::Nothing,
                Said::Arrived,
                Said::Unreachable,
                Said::Blocked,
            ];
            let said = said.into_iter().find(|said| *said as u8 == number)?;
            let goal = Goal::load(from)?;
            all.push(Told { said, goal });
        }
        self.told = all;
        from.is_at_end().then_some(())
    }

    pub fn nearest_to(&self, at: Point, goal: Point) -> Point {
        self.nav.nearest_reachable(at, goal).unwrap_or(goal)
    }

    /// Compares what units are doing with what was told of them. Of units that cannot reach their goals up to [`MAX_LOST`] are told of
    /// at a time, for each of them means a search for the nearest cell: a wall that cuts thousands off makes no long tick.
    pub fn tell(
        &mut self,
        events: &mut Vec<Event>,
        transform: Transform,
        visit: &mut impl FnMut(Unit),
    ) {
        if let Some(published) = self.inner.published() {
            events.push(Event::IndexRenewed {
                kind: published.kind,
                late: published.late,
            });
        }
        let first = events.len();
        let mut lost = 0;
        let (told, halted, number) = (&mut self.told, &mut self.halted, self.number);
        self.inner.for_each(&mut |view| {
            visit(Unit {
                squad: number,
                view,
                transform,
            });
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
            if says == Said::Unreachable {
                lost += 1;
                if lost > MAX_LOST {
                    return;
                }
            }
            let unit = UnitId {
                squad: number,
                walker: view.id,
            };
            if told.said == Said::Blocked {
                events.push(Event::Freed(unit));
            }
            match says {
                Said::Arrived => events.push(Event::Arrived(unit)),
                Said::Blocked => events.push(Event::Blocked(unit)),
                Said::Unreachable => events.push(Event::Unreachable(unit, None)),
                Said::Nothing => {}
            }
            told.said = says;
            if says == Said::Arrived {
                told.goal = None;
            }
        });
        for event in &mut events[first..] {
            if let Event::Unreachable(unit, nearest) = event
                && let Ok(Status::Unreachable { nearest: found }) = self.inner.status(unit.walker)
            {
                *nearest = found;
            }
        }
        for id in self.halted.drain(..) {
            // The unit was there a moment ago.
            let _ = self.inner.halt(id);
        }
    }
}
