//! The crowd of a world: units that wander from goal to goal or go where they are sent, and the frames that show them.

mod frame;
mod gauge;

use gauge::Gauge;
use std::collections::BTreeMap;
use std::time::Instant;
use waypost::crowd::Tick;
use waypost::prelude::*;
use waypost::rng::Rng;

/// Tries to find a cell before a unit is left out, or keeps its goal.
const TRIES: u32 = 256;
/// Ticks after which the bound is looked up again, besides after patches: repairs under way change it too.
const BOUND_TICKS: u32 = 16;
/// Ticks that a frame tells the times of, at most.
const MAX_HISTORY: usize = 64;

/// A crowd and what is told of it.
pub struct Walkers {
    crowd: Crowd,
    /// Names this crowd: places of units in frames mean something in this one alone.
    pub epoch: u32,
    /// The method.
    pub spec: String,
    /// Whether only one unit may stand in a cell.
    pub exclusive: bool,
    ids: Vec<UnitId>,
    goals: Vec<Point>,
    wanders: Vec<bool>,
    rng: Rng,
    width: u32,
    ticks: u32,
    last: Tick,
    arrivals: u64,
    plan_operations: u64,
    bound: Option<u64>,
    /// Whether the map has changed since the bound was looked up in a tick.
    is_bound_stale: bool,
    gauge: Gauge,
    history: Vec<(f32, u32)>,
    /// Microseconds of all ticks with their frames, and how many these were.
    spent: (f64, u64),
    /// The place of the unit whose way is shown.
    pub followed: Option<u16>,
    states: Vec<u8>,
    arrived: Vec<UnitId>,
}

/// What a crowd is asked to be.
#[derive(Clone, Debug)]
pub struct Wish {
    /// How many units.
    pub units: u32,
    /// The method with its keys.
    pub spec: String,
    /// Whether only one unit may stand in a cell.
    pub exclusive: bool,
    /// The seed of places and goals.
    pub seed: u64,
}

impl Walkers {
    /// Units in random places of the largest part of the map, each with a random goal. There may be fewer than asked for where there is no
    /// room.
    pub fn new(nav: &Navigator, wish: &Wish, epoch: u32) -> Result<Walkers, String> {
        let options = CrowdOptions {
            exclusive: wish.exclusive,
            method: wish.spec.clone(),
            lockstep: false,
            ..CrowdOptions::default()
        };
        let plan_operations = options.plan_operations;
        let mut crowd = nav.crowd(options).map_err(|error| error.to_string())?;
        let mut rng = Rng::for_item(wish.seed, 0x51a7);
        let mut ids = Vec::with_capacity(wish.units as usize);
        let largest = nav.world().map().components().largest();
        for _ in 0..wish.units {
            let spawned = (0..TRIES).find_map(|_| {
                let at = random_point(&nav.world().map(), &mut rng);
                let part = nav.world().map().passable_cell(at);
                let part = part.and_then(|cell| nav.world().map().components().of(cell));
                (part.is_some() && part == largest)
                    .then(|| crowd.spawn(at).ok())
                    .flatten()
            });
            ids.extend(spawned);
        }
        let mut walkers = Walkers {
            epoch,
            spec: wish.spec.clone(),
            exclusive: wish.exclusive,
            goals: vec![Point { x: 0, y: 0 }; ids.len()],
            wanders: vec![true; ids.len()],
            rng,
            width: nav.world().map().grid().width(),
            ticks: 0,
            last: Tick::default(),
            arrivals: 0,
            plan_operations,
            bound: crowd.unit_bound(),
            is_bound_stale: false,
            gauge: Gauge::new(ids.len()),
            history: Vec::with_capacity(MAX_HISTORY),
            spent: (0.0, 0),
            followed: None,
            states: Vec::with_capacity(ids.len()),
            arrived: Vec::new(),
            ids,
            crowd,
        };
        (0..walkers.len()).for_each(|unit| walkers.wander(unit));
        Ok(walkers)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Gives a unit a random goal that it can reach.
    fn wander(&mut self, unit: usize) {
        let (id, nav) = (self.ids[unit], self.crowd.navigator().clone());
        let Ok(at) = self.crowd.position(id) else {
            return;
        };
        let goal = {
            let map = nav.world().map();
            let from = map.passable_cell(at);
            let is_goal = |goal: &Point| {
                let ends = from.zip(map.passable_cell(*goal));
                *goal != at && ends.is_some_and(|(from, to)| map.components().connected(from, to))
            };
            let mut tries = (0..TRIES).map(|_| random_point(&map, &mut self.rng));
            tries.find(is_goal)
        };
        if let Some(goal) = goal {
            self.wanders[unit] = true;
            self.send_one(unit, goal);
        }
    }

    fn send_one(&mut self, unit: usize, goal: Point) {
        self.goals[unit] = goal;
        self.gauge.forget(unit);
        // The id is one of this crowd's own.
        let _ = self.crowd.send(self.ids[unit], goal);
    }

    /// Everybody wanders again.
    pub fn wander_all(&mut self) {
        (0..self.len()).for_each(|unit| self.wander(unit));
    }

    /// Sends units to a place, all of them where none are named.
    pub fn send(&mut self, units: &[u16], goal: Point) -> Result<(), String> {
        let all: Vec<u16> = (0..self.len() as u16).collect();
        let units = if units.is_empty() { &all[..] } else { units };
        let known = units.iter().map(|&unit| usize::from(unit));
        let known: Vec<usize> = known.filter(|&unit| unit < self.len()).collect();
        if known.is_empty() {
            return Err("there is no unit to send".to_string());
        }
        let parts = self.by_parts(&known);
        if parts.is_empty() {
            return Err("nothing can be reached from where the units stand".to_string());
        }
        // What is nearest to the place is another cell for those that are walled in.
        let nav = self.crowd.navigator().clone();
        for (at, units) in parts.into_values() {
            if let Some(goal) = nav.nearest_reachable(at, goal) {
                self.send_together(&units, goal)?;
            }
        }
        Ok(())
    }

    /// Units by the connected part of the map that they stand in, each part with a place in it. Who stands in a wall is left out.
    fn by_parts(&self, units: &[usize]) -> BTreeMap<u32, (Point, Vec<usize>)> {
        let map = self.crowd.navigator().world().map();
        let mut parts = BTreeMap::<u32, (Point, Vec<usize>)>::new();
        for &unit in units {
            let at = self.crowd.position(self.ids[unit]).ok();
            let cell = at.and_then(|at| Some((at, map.passable_cell(at)?)));
            let part = cell.and_then(|(at, cell)| Some((at, map.components().of(cell)?)));
            if let Some((at, part)) = part {
                let group = parts.entry(part).or_insert_with(|| (at, Vec::new()));
                group.1.push(unit);
            }
        }
        parts
    }

    /// Sends units that all have a way to a goal there.
    fn send_together(&mut self, units: &[usize], goal: Point) -> Result<(), String> {
        for &unit in units {
            self.wanders[unit] = false;
        }
        if !self.exclusive || units.len() < 2 {
            units.iter().for_each(|&unit| self.send_one(unit, goal));
            return Ok(());
        }
        let ids: Vec<UnitId> = units.iter().map(|&unit| self.ids[unit]).collect();
        let sent = self.crowd.send_group(&ids, goal, Formation::Close);
        units.iter().for_each(|&unit| self.goals[unit] = goal);
        self.gauge.restart();
        sent.map(|_| ()).map_err(|error| error.to_string())
    }

    /// The map has changed: what was measured on it before says nothing of the ways on it now.
    pub fn map_changed(&mut self) {
        self.gauge.restart();
        self.bound = self.crowd.unit_bound();
        self.is_bound_stale = true;
    }

    /// One tick; with a frame where one is to be shown. The time told is that of the tick and the frame together.
    pub fn tick(&mut self, framed: bool) -> Option<Vec<u8>> {
        let begun = Instant::now();
        self.arrived.clear();
        let (states, arrived) = (&mut self.states, &mut self.arrived);
        let mut cells = framed.then(|| frame::begin(self.ids.len()));
        states.clear();
        let width = self.width;
        let report = match &mut cells {
            Some(frame) => self.crowd.tick_and_visit(|unit| {
                frame::add_cell(frame, unit.position(), width);
                states.push(frame::state(&unit));
            }),
            None => self.crowd.tick(),
        };
        self.last = report.counts;
        // Those that have been cut off from their goals look for others, as those that have arrived do.
        arrived.extend(report.events().filter_map(|event| match event {
            Event::Arrived(unit) | Event::Unreachable(unit, _) => Some(unit),
            _ => None,
        }));
        self.ticks = self.ticks.wrapping_add(1);
        self.arrivals += self.last.arrived;
        if self.is_bound_stale || self.ticks.is_multiple_of(BOUND_TICKS) {
            self.bound = self.crowd.unit_bound();
            self.is_bound_stale = false;
        }
        let frame = cells.map(|frame| self.finish(frame));
        let micros = begun.elapsed().as_secs_f64() * 1e6;
        self.note(micros, frame.is_some());
        self.after_tick();
        frame.map(|frame| self.with_history(frame))
    }

    fn note(&mut self, micros: f64, framed: bool) {
        if self.history.len() == MAX_HISTORY {
            self.history.remove(0);
        }
        let operations = self.last.meter.weighted().min(u64::from(u32::MAX));
        self.history.push((micros as f32, operations as u32));
        if framed {
            self.spent = (self.spent.0 + micros, self.spent.1 + 1);
        }
    }

    /// New goals for those that have arrived, and a look at how well units get on.
    fn after_tick(&mut self) {
        for id in std::mem::take(&mut self.arrived) {
            let Ok(unit) = self.ids.binary_search(&id) else {
                continue;
            };
            if self.wanders[unit] {
                self.wander(unit);
            }
        }
        self.gauge.look(&self.crowd, &self.ids, &self.goals);
    }

    /// A frame of units as they are, without a tick.
    pub fn show(&mut self) -> Vec<u8> {
        let mut frame = frame::begin(self.ids.len());
        let (states, width) = (&mut self.states, self.width);
        states.clear();
        self.crowd.for_each(|unit| {
            frame::add_cell(&mut frame, unit.position(), width);
            states.push(frame::state(&unit));
        });
        let frame = self.finish(frame);
        self.with_history(frame)
    }
}

fn random_point(map: &Map, rng: &mut Rng) -> Point {
    Point {
        x: rng.below(map.grid().width()),
        y: rng.below(map.grid().height()),
    }
}

#[cfg(test)]
mod tests;
