//! How well units get on: how much nearer to their goals their steps bring a sample of them, by exact distances, for what they walk.
//!
//! The look is taken outside the clock of ticks, at a few units a tick. What a patch does to distances is no progress: after one, every
//! unit of the sample begins again.

use std::time::{Duration, Instant};
use waypost::prelude::*;

/// Units of the sample.
const SAMPLE: usize = 64;
/// Units that are looked at after a tick.
const LOOKS: usize = 2;
/// What looks may take after each tick, in the mean: one that took longer is followed by ticks without any.
const LONG: Duration = Duration::from_micros(50);
/// How much of what was measured counts after each measurement: the latest thousand count.
const MEMORY: f64 = 0.999;

#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    unit: usize,
    at: Option<Point>,
    walked: f64,
    /// How far it was from its goal when it was looked at last.
    distance: Option<f64>,
}

/// The sample and the sums.
#[derive(Debug)]
pub struct Gauge {
    watched: Vec<Watched>,
    next: usize,
    pause: u32,
    gained: f64,
    walked: f64,
}

impl Gauge {
    /// For a crowd of so many.
    pub fn new(units: usize) -> Gauge {
        let sample = units.min(SAMPLE);
        let watched = (0..sample).map(|i| Watched {
            unit: i * units / sample.max(1),
            ..Watched::default()
        });
        Gauge {
            watched: watched.collect(),
            next: 0,
            pause: 0,
            gained: 0.0,
            walked: 0.0,
        }
    }

    /// A unit has another goal.
    pub fn forget(&mut self, unit: usize) {
        if let Ok(i) = self.watched.binary_search_by_key(&unit, |w| w.unit) {
            self.watched[i].distance = None;
        }
    }

    /// All units of the sample begin again.
    pub fn restart(&mut self) {
        self.watched.iter_mut().for_each(|w| w.distance = None);
    }

    /// Progress for cost walked; no number before there is one.
    pub fn efficiency(&self) -> f32 {
        match self.walked > 0.0 {
            true => (self.gained / self.walked) as f32,
            false => f32::NAN,
        }
    }

    /// Takes the steps of this tick in, and looks at the next few.
    pub fn look(&mut self, crowd: &Crowd, ids: &[UnitId], goals: &[Point]) {
        let nav = crowd.navigator();
        {
            let map = nav.world().map();
            for watched in &mut self.watched {
                let Ok(at) = crowd.position(ids[watched.unit]) else {
                    continue;
                };
                let before = watched.at.replace(at);
                watched.walked += before.map_or(0.0, |before| step(&map, before, at));
            }
        }
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        let begun = Instant::now();
        for _ in 0..LOOKS.min(self.watched.len()) {
            self.next = (self.next + 1) % self.watched.len();
            let watched = &mut self.watched[self.next];
            let now = watched.at.map(|at| nav.distance(at, goals[watched.unit]));
            let now = now.and_then(Result::ok);
            if let (Some(before), Some(now)) = (watched.distance, now) {
                self.gained = self.gained * MEMORY + before - now;
                self.walked = self.walked * MEMORY + watched.walked;
            }
            (watched.distance, watched.walked) = (now, 0.0);
        }
        let spent = begun.elapsed();
        if spent > LONG {
            self.pause = (spent.as_micros() / LONG.as_micros()) as u32;
        }
    }
}

/// What a step costs, as a length.
fn step(map: &Map, from: Point, to: Point) -> f64 {
    let cells = map.passable_cell(from).zip(map.grid().cell(to));
    let direction = cells.and_then(|(from, to)| Some((from, map.legal_step(from, to)?)));
    direction.map_or(0.0, |(from, direction)| {
        map.approximate_length(map.step_cost(from, direction))
    })
}
