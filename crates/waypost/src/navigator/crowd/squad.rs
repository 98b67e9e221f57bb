//! The units of one type in a crowd.

use super::goal::Goal;
use super::unit::{Event, MAX_UNITS, Unit, UnitId};
use crate::crowd::{AnyCrowd, CrowdError, Options, Status, WalkerId};
use crate::grid::Point;
use crate::navigator::{Error, Navigator, Transform, outside};
use crate::spec::AgentSpec;
use crate::stream::{Reader, Writer};
use std::collections::BTreeSet;

/// Units that a tick tells to be cut off from their goals; others are told of in the next ones.
const MAX_LOST: usize = 64;
/// How often a unit comes back to an area that others push it out of: where these have to pass, it stays outside in the end.
const MAX_RETURNS: u8 = 16;

pub(in crate::navigator) struct TypeCrowd {
    pub nav: Navigator,
    pub inner: Box<dyn AnyCrowd>,
    number: u8,
    is_exclusive: bool,
    /// By the place of a unit: its goal, and what was last told of it.
    told: Vec<Told>,
    /// For the time of a tick: walkers that stand in the area that they were sent to, and those whose cell of it cannot be reached.
    within: Vec<WalkerId>,
    cut_off: Vec<WalkerId>,
    /// Those that were pushed out of the area that they had arrived at.
    strayed: Vec<WalkerId>,
    /// The cells that those claim, by row and column.
    claimed: BTreeSet<(u32, u32)>,
    /// Where the next tick goes on to look after units that are cut off from one cell of their goals and may reach another.
    next_doubtful: usize,
}

#[derive(Clone, Copy, Debug)]
struct Told {
    said: Said,
    /// Whether it was told that the unit stands in a wall.
    is_blocked: bool,
    goal: Option<Goal>,
    /// The goal of several cells that it has arrived at, where no two share one: pushed out, it comes back, to a cell that it claims.
    home: Option<Goal>,
    claim: Option<Point>,
    /// How often it has come back.
    returns: u8,
    /// The map on which no cell of the goal could be reached.
    lost_on: u64,
}

impl Told {
    const NOTHING: Told = Told {
        said: Said::Nothing,
        is_blocked: false,
        goal: None,
        home: None,
        claim: None,
        returns: 0,
        lost_on: 0,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Arrived,
    Unreachable,
    Stuck,
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
            is_exclusive: options.exclusive,
            told: Vec::new(),
            within: Vec::new(),
            cut_off: Vec::new(),
            strayed: Vec::new(),
            claimed: BTreeSet::new(),
            next_doubtful: 0,
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
        self.check_inside(at)?;
        let walker = self.inner.add(at)?;
        if self.told.len() <= walker.index() {
            self.told.resize(walker.index() + 1, Told::NOTHING);
        }
        self.give_up_claim(walker);
        self.told[walker.index()] = Told::NOTHING;
        Ok(self.id(walker))
    }

    /// Refuses a point outside the map.
    pub fn check_inside(&self, at: Point) -> Result<(), Error> {
        let map = self.nav.live_map();
        match map.grid().cell(at) {
            Some(_) => Ok(()),
            None => Err(outside(&map, at)),
        }
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
        self.give_up_claim(unit);
        let told = &mut self.told[unit.index()];
        *told = Told {
            goal,
            is_blocked: told.is_blocked,
            ..Told::NOTHING
        };
    }

    fn give_up_claim(&mut self, unit: WalkerId) {
        if let Some(claim) = self.told[unit.index()].claim.take() {
            self.claimed.remove(&(claim.y, claim.x));
        }
    }

    /// Writes down what was told of units.
    pub fn save_told(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u64(self.next_doubtful as u64);
        out.u64(self.told.len() as u64);
        for told in &self.told {
            out.u8(told.said as u8);
            out.u8(told.is_blocked.into());
            Goal::save(told.goal, &mut out);
            Goal::save(told.home, &mut out);
            Goal::save(told.claim.map(Goal::Cell), &mut out);
            out.u8(told.returns);
            out.u64(told.lost_on);
        }
        out.into_bytes()
    }

    /// Takes over what [`TypeCrowd::save_told`] wrote; `None` where it is no such thing.
    pub fn load_told(&mut self, bytes: &[u8]) -> Option<()> {
        let from = &mut Reader::new(bytes);
        let next_doubtful = usize::try_from(from.u64()?).ok()?;
        let mut all = Vec::new();
        for _ in 0..from.count(14)? {
            let number = from.u8()?;
            let said = [Said::Nothing, Said::Arrived, Said::Unreachable, Said::Stuck];
            let said = said.into_iter().find(|said| *said as u8 == number)?;
            let is_blocked = from.u8()? != 0;
            let goal = Goal::load(from)?;
            let home = Goal::load(from)?;
            let claim = match Goal::load(from)? {
                None => None,
                Some(Goal::Cell(place)) => Some(place),
                Some(_) => return None,
            };
            all.push(Told {
                said,
                is_blocked,
                goal,
                home,
                claim,
                returns: from.u8()?,
                lost_on: from.u64()?,
            });
        }
        self.next_doubtful = next_doubtful;
        let claims = all.iter().filter_map(|told| told.claim);
        self.claimed = claims.map(|claim| (claim.y, claim.x)).collect();
        self.told = all;
        from.is_at_end().then_some(())
    }

    /// Compares what units are doing with what was told of them. Of units that cannot reach their goals up to [`MAX_LOST`] are told of
    /// at a time, and as many are looked after whose goals have other cells, for each of them means a search: a wall that cuts thousands off
    /// makes no long tick.
    pub fn tell(
        &mut self,
        events: &mut Vec<Event>,
        transform: Transform,
        visit: &mut impl FnMut(Unit),
    ) {
        events.extend(self.inner.published().map(Event::renewed));
        let (first, map_now) = (events.len(), self.nav.live_map().fingerprint());
        let (told, number, mut lost, mut doubtful) = (&mut self.told, self.number, 0, 0);
        let size = self.nav.unit_type().cells();
        let (within, cut_off, strayed) = (&mut self.within, &mut self.cut_off, &mut self.strayed);
        let from = std::mem::take(&mut self.next_doubtful);
        let next_doubtful = &mut self.next_doubtful;
        let is_exclusive = self.is_exclusive;
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
            let unit = UnitId {
                squad: number,
                walker: view.id,
            };
            let is_blocked = view.status == Status::Blocked;
            if is_blocked != told.is_blocked {
                told.is_blocked = is_blocked;
                events.push(match is_blocked {
                    true => Event::Blocked(unit),
                    false => Event::Freed(unit),
                });
            }
            if is_blocked {
                return;
            }
            if let Some(home) = told.home {
                let is_out = match view.status {
                    Status::Idle => !home.contains(view.at),
                    Status::Unreachable { .. } | Status::Stuck { .. } => true,
                    Status::Arrived => {
                        // It gives way again to those who come after it.
                        within.push(view.id);
                        false
                    }
                    _ => false,
                };
                if is_out {
                    strayed.push(view.id);
                }
                return;
            }
            let goal = told.goal.filter(|goal| goal.has_choice());
            let mut says = match view.status {
                Status::Arrived => Said::Arrived,
                Status::Unreachable { .. } => Said::Unreachable,
                Status::Stuck { .. } => Said::Stuck,
                // It tries again: there is nothing to tell before it gets there.
                Status::Moving | Status::Waiting { .. } if told.said == Said::Stuck => Said::Stuck,
                // Whoever is sent after somebody out of reach is out of reach until a way is found.
                _ if view.is_new && told.said == Said::Unreachable => Said::Unreachable,
                _ => Said::Nothing,
            };
            if says != Said::Unreachable && goal.is_some_and(|goal| goal.contains(view.at)) {
                within.push(view.id);
                says = Said::Arrived;
            }
            let is_doubtful = says == Said::Unreachable
                && goal.is_some()
                && told.lost_on != map_now
                && view.id.index() >= from;
            if says == told.said && !is_doubtful {
                return;
            }
            if says == Said::Unreachable && told.said != says {
                lost += 1;
                if lost > MAX_LOST {
                    return;
                }
                events.push(Event::Unreachable(unit, None));
            }
            if is_doubtful {
                doubtful += 1;
                if doubtful > MAX_LOST {
                    // The next tick begins with the first of those that are left.
                    if *next_doubtful == 0 {
                        *next_doubtful = view.id.index();
                    }
                } else {
                    cut_off.push(view.id);
                }
            }
            told.said = says;
            if let Status::Stuck { why } = view.status
                && says == Said::Stuck
            {
                events.push(Event::Stuck(unit, why));
            }
            if says == Said::Arrived {
                events.push(Event::Arrived(unit));
                told.goal = None;
                told.home = goal.filter(|_| is_exclusive);
            }
        });
        let mut within = std::mem::take(&mut self.within);
        for id in within.drain(..) {
            self.give_up_claim(id);
            // The unit was there a moment ago.
            let _ = self.inner.arrive(id);
        }
        self.within = within;
        self.bring_home();
        self.choose_again(map_now, events, first);
        for event in &mut events[first..] {
            if let Event::Unreachable(unit, nearest) = event
                && let Ok(Status::Unreachable { nearest: found }) = self.inner.status(unit.walker)
            {
                *nearest = found;
            }
        }
    }

    /// Sends those that were pushed out of the area that they had arrived at to a free cell of it.
    fn bring_home(&mut self) {
        let mut strayed = std::mem::take(&mut self.strayed);
        for id in strayed.drain(..).take(MAX_LOST) {
            let told = &mut self.told[id.index()];
            let Some(home) = told.home else {
                continue;
            };
            if told.returns >= MAX_RETURNS {
                told.home = None;
                continue;
            }
            let is_taken =
                |at: Point| self.claimed.contains(&(at.y, at.x)) || self.inner.is_held(at);
            let place = self.inner.position(id).ok().and_then(|at| {
                let map = self.nav.live_map();
                home.free_cell(&map, at, is_taken)
            });
            if let Some(place) = place
                && self.inner.send(id, place).is_ok()
            {
                self.give_up_claim(id);
                let told = &mut self.told[id.index()];
                (told.claim, told.returns) = (Some(place), told.returns + 1);
                self.claimed.insert((place.y, place.x));
            }
        }
        self.strayed = strayed;
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
