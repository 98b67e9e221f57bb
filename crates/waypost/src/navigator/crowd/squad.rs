//! The units of one type in a crowd.

use super::goal::Goal;
use super::unit::{Event, MAX_UNITS, Unit, UnitId};
use crate::crowd::{AnyCrowd, CrowdError, Options, Status, WalkerId};
use crate::grid::Point;
use crate::navigator::{Error, Navigator, Transform, outside};
use crate::spec::AgentSpec;
use crate::stream::{Reader, Writer};

/// Units that a tick tells to be cut off from their goals; others are told of in the next ones.
const MAX_LOST: usize = 64;

pub(in crate::navigator) struct TypeCrowd {
    pub nav: Navigator,
    pub inner: Box<dyn AnyCrowd>,
    number: u8,
    /// By the place of a unit: its goal, and what was last told of it.
    told: Vec<Told>,
    /// For the time of a tick: walkers that stand in the area that they were sent to, and those whose cell of it cannot be reached.
    within: Vec<WalkerId>,
    cut_off: Vec<WalkerId>,
}

#[derive(Clone, Copy, Debug)]
struct Told {
    said: Said,
    goal: Option<Goal>,
    /// The map on which no cell of the goal could be reached.
    lost_on: u64,
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
            within: Vec::new(),
            cut_off: Vec::new(),
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
            lost_on: 0,
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
            Goal::Cell(point) | Goal::Area(point, _) | Goal::Within(point, _) => {
                let target = {
                    let map = self.nav.live_map();
                    let target = goal.target(&map, at);
                    target.ok_or_else(|| outside(&map, point))?
                };
                self.inner.send(unit, target.0)?;
            }
        }
        self.has_goal(unit, Some(goal));
        Ok(())
    }

    /// Sends a unit after one of another type, which is at a place. What was told of it stays told.
    pub fn chase(&mut self, unit: WalkerId, leader: UnitId, place: Point) -> Result<(), Error> {
        self.inner.send(unit, place)?;
        self.told[unit.index()].goal = Some(Goal::Unit(leader));
        Ok(())
    }

    /// Forgets the goal that a unit had, and what was told of it.
    pub fn forget_goal(&mut self, unit: WalkerId) {
        self.has_goal(unit, None);
    }

    /// A unit has another goal: whatever becomes of it is news, but that it stands in a wall is not.
    fn has_goal(&mut self, unit: WalkerId, goal: Option<Goal>) {
        let told = &mut self.told[unit.index()];
        if told.said != Said::Blocked {
            told.said = Said::Nothing;
        }
        (told.goal, told.lost_on) = (goal, 0);
    }

    /// Writes down what was told of units.
    pub fn save_told(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u64(self.told.len() as u64);
        for told in &self.told {
            out.u8(told.said as u8);
            Goal::save(told.goal, &mut out);
            out.u64(told.lost_on);
        }
        out.into_bytes()
    }

    /// Takes over what [`TypeCrowd::save_told`] wrote; `None` where it is no such thing.
    pub fn load_told(&mut self, bytes: &[u8]) -> Option<()> {
        let from = &mut Reader::new(bytes);
        let mut all = Vec::new();
        for _ in 0..from.count(10)? {
            let number = from.u8()?;
            let said = [
                Said::Nothing,
                Said::Arrived,
                Said::Unreachable,
                Said::Blocked,
            ];
            let said = said.into_iter().find(|said| *said as u8 == number)?;
            let goal = Goal::load(from)?;
            let lost_on = from.u64()?;
            all.push(Told {
                said,
                goal,
                lost_on,
            });
        }
        self.told = all;
        from.is_at_end().then_some(())
    }

    /// Compares what units are doing with what was told of them. Of units that cannot reach their goals up to [`MAX_LOST`] are told of
    /// at a time, for each of them means a search for the nearest cell: a wall that cuts thousands off makes no long tick.
    pub fn tell(
        &mut self,
        events: &mut Vec<Event>,
        transform: Transform,
        visit: &mut impl FnMut(Unit),
    ) {
        events.extend(self.inner.published().map(Event::renewed));
        let (first, map_now) = (events.len(), self.nav.live_map().fingerprint());
        let (told, number, mut lost) = (&mut self.told, self.number, 0);
        let size = self.nav.unit_type().cells();
        let (within, cut_off) = (&mut self.within, &mut self.cut_off);
        self.inner.for_each(&mut |view| {
            visit(Unit {
                squad: number,
                view,
                transform,
                size,
            });
            let Some(told) = told.get_mut(view.id.index()) else {
                return;
            };
            let goal = told.goal.filter(|goal| goal.has_choice());
            let mut says = match view.status {
                Status::Arrived => Said::Arrived,
                Status::Unreachable { .. } => Said::Unreachable,
                Status::Blocked => Said::Blocked,
                _ => Said::Nothing,
            };
            let is_within = || goal.is_some_and(|goal| goal.contains(view.at));
            if matches!(says, Said::Nothing | Said::Arrived) && is_within() {
                within.push(view.id);
                says = Said::Arrived;
            }
            let is_doubtful =
                says == Said::Unreachable && goal.is_some() && told.lost_on != map_now;
            if says == told.said && !is_doubtful {
                return;
            }
            if says == Said::Unreachable {
                lost += 1;
                if lost > MAX_LOST {
                    return;
                }
            }
            if is_doubtful {
                cut_off.push(view.id);
            }
            let unit = UnitId {
                squad: number,
                walker: view.id,
            };
            if told.said == Said::Blocked {
                events.push(Event::Freed(unit));
            }
            match says {
                Said::Unreachable if told.said == says => {}
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
        for id in self.within.drain(..) {
            // The unit was there a moment ago.
            let _ = self.inner.arrive(id);
        }
        self.choose_again(map_now, events, first);
        for event in &mut events[first..] {
            if let Event::Unreachable(unit, nearest) = event
                && let Ok(Status::Unreachable { nearest: found }) = self.inner.status(unit.walker)
            {
                *nearest = found;
            }
        }
    }

    /// Sends those who cannot reach the cell of their goal that they headed for to another one, and takes back what was said of them.
    fn choose_again(&mut self, map_now: u64, events: &mut Vec<Event>, first: usize) {
        let mut cut_off = std::mem::take(&mut self.cut_off);
        let doubtful = cut_off.len();
        cut_off.retain(|&id| {
            let told = &mut self.told[id.index()];
            let target = self.inner.position(id).ok().and_then(|at| {
                let target = told.goal?.target(&self.nav.live_map(), at)?;
                target.1.then_some(target.0)
            });
            let is_sent = target.is_some_and(|target| self.inner.send(id, target).is_ok());
            match is_sent {
                true => told.said = Said::Nothing,
                false => told.lost_on = map_now,
            }
            !is_sent
        });
        if cut_off.len() < doubtful {
            let mut place = 0;
            events.retain(|event| {
                place += 1;
                let Event::Unreachable(unit, _) = event else {
                    return true;
                };
                place <= first || self.told[unit.walker.index()].said == Said::Unreachable
            });
        }
        cut_off.clear();
        self.cut_off = cut_off;
    }
}
