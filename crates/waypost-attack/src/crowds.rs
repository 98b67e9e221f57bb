//! Crowds: walkers that come, go, follow, change their minds, on a map that changes under them, alone in their cells or not.

use crate::adapter::{self, patch_of};
use crate::scene::Scene;
use crate::{Arena, Verdict, Work};
use std::collections::HashSet;
use waypost::Point;
use waypost::crowd::{AnyCrowd, Options, WalkerId};
use waypost_testkit::TestRng;

struct Stage {
    scene: Scene,
    crowd: Box<dyn AnyCrowd>,
    ids: Vec<WalkerId>,
    exclusive: bool,
    rng: TestRng,
}

/// A crowd of any method for some hundred ticks.
pub fn case(_: &Arena, seed: u64) -> Verdict {
    let mut rng = TestRng::new(seed);
    let specs = adapter::specs();
    let spec = &specs[rng.below(specs.len() as u32) as usize];
    let scene = Scene::any(&mut rng, 8, 40);
    let mut work = Work::default();
    let Some(indexes) = adapter::indexes_for(spec, &scene.map) else {
        return Ok(work);
    };
    let exclusive = rng.percent(50);
    let options = Options {
        exclusive,
        set_up_operations: u64::from(rng.between(1, 20_000)),
        repair_operations: u64::from(rng.between(1, 200_000)),
        ..Options::default()
    };
    let Ok(crowd) = adapter::crowd(spec, &scene.map, &indexes, options) else {
        return Ok(work);
    };
    let mut stage = Stage {
        scene,
        crowd,
        ids: Vec::new(),
        exclusive,
        rng,
    };
    for _ in 0..stage.rng.between(1, 60) {
        stage.add();
    }
    for _ in 0..stage.rng.between(50, 400) {
        for _ in 0..stage.rng.below(4) {
            stage.disturb();
        }
        let moves = stage
            .tick()
            .map_err(|wrong| format!("{spec}: {wrong}\n{}", stage.scene.judge))?;
        work.executions += 1;
        work.moves += moves;
    }
    Ok(work)
}

impl Stage {
    fn any_point(&mut self) -> Point {
        let (x, y) = self.scene.any_point(&mut self.rng);
        Point { x, y }
    }

    fn any_walker(&mut self) -> Option<WalkerId> {
        let i = self.rng.below(self.ids.len().max(1) as u32) as usize;
        self.ids.get(i).copied()
    }

    fn add(&mut self) {
        let at = self.any_point();
        if let Ok(id) = self.crowd.add(at) {
            self.ids.push(id);
        }
    }

    /// Whatever is refused is refused: walls, places outside, walkers that are gone.
    fn disturb(&mut self) {
        let Some(id) = self.any_walker() else {
            return self.add();
        };
        match self.rng.below(16) {
            0 => drop(self.crowd.halt(id)),
            1 | 2 => {
                let leader = self.any_walker().unwrap_or(id);
                drop(self.crowd.follow(id, leader));
            }
            3 => {
                drop(self.crowd.remove(id));
                self.ids.retain(|&other| other != id);
                // A walker that is gone is refused, not confused with another.
                drop(self.crowd.send(id, Point { x: 0, y: 0 }));
            }
            4 => self.add(),
            5 | 6 => self.patch(),
            7 => {
                let far = Point {
                    x: self.rng.next(),
                    y: self.rng.next(),
                };
                drop(self.crowd.send(id, far));
            }
            _ => {
                let goal = self.any_point();
                drop(self.crowd.send(id, goal));
            }
        }
    }

    fn patch(&mut self) {
        let mut edits = Vec::new();
        for _ in 0..self.rng.between(1, 40) {
            let point = self.scene.any_point(&mut self.rng);
            let open = self.rng.percent(70);
            self.scene.judge.set(point.0, point.1, open);
            edits.push((point, open));
        }
        self.crowd.patch(&patch_of(&edits));
    }

    fn places(&self) -> Result<Vec<(u32, u32)>, String> {
        let place = |&id: &WalkerId| {
            let point = self.crowd.position(id).map_err(|error| error.to_string())?;
            Ok((point.x, point.y))
        };
        self.ids.iter().map(place).collect()
    }

    fn tick(&mut self) -> Result<u64, String> {
        let before = self.places()?;
        self.crowd.tick();
        let after = self.places()?;
        let mut taken = HashSet::new();
        let mut moves = 0;
        for (&from, &to) in before.iter().zip(&after) {
            if from != to {
                moves += 1;
                if !self.scene.is_step(from, to) {
                    return Err(format!("an illegal step from {from:?} to {to:?}"));
                }
            }
            if !taken.insert(to) && self.exclusive {
                return Err(format!("two at {to:?}"));
            }
        }
        Ok(moves)
    }
}
