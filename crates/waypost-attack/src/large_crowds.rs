//! Crowds of up to ten thousand, for thousands of ticks, on a map that changes every twenty: a patch puts walls up, wherever
//! walkers stand or are about to go, and takes older ones down. Who arrives is sent on. The judge looks at every walker after
//! every tick.

use crate::adapter::{self, patch_of};
use crate::scene::Scene;
use crate::{Arena, Verdict, Work};
use std::collections::VecDeque;
use waypost::Point;
use waypost::crowd::{AnyCrowd, Options, Status, WalkerId};
use waypost::spec::AgentSpec;
use waypost_testkit::{Rules, TestMap, TestRng, shapes};

/// The largest crowd.
const MAX_WALKERS: usize = 10_000;
/// Cells of a map for each walker, where cells are not shared: a crowd that can still move.
const ROOM: usize = 6;
/// Ticks from patch to patch.
const PATCH_TICKS: u32 = 20;
/// Patches after which a wall goes down again.
const WALLS_LAST: usize = 12;
/// Bytes that walkers may learn: methods that keep tables of their own walk until they have as much.
const MAX_LEARNED: usize = 1 << 30;
/// The sides of maps: large ones where the index is quickly built, smaller ones where it grows with the square of the map.
const SIDES: [u32; 3] = [120, 180, 250];
const MIDDLE_SIDE: u32 = 90;
const SMALL_SIDE: u32 = 40;
/// Operations and ticks of a case: whichever is reached first. Methods that plan little walk the longer.
const MAX_OPERATIONS: u64 = 60_000_000;
const MAX_TICKS: u32 = 8000;

/// A crowd and where the judge saw its walkers last.
struct Field {
    scene: Scene,
    crowd: Box<dyn AnyCrowd>,
    exclusive: bool,
    rng: TestRng,
    /// In the order of ids.
    places: Vec<(u32, u32)>,
    /// The tick in which a cell was last seen taken, where that matters.
    taken: Vec<u32>,
    tick: u32,
    /// Who has nothing to do.
    idle: Vec<WalkerId>,
    walls: VecDeque<Vec<(u32, u32)>>,
}

/// A crowd of any method.
pub fn case(_: &Arena, seed: u64) -> Verdict {
    let mut rng = TestRng::new(seed);
    let specs = adapter::specs();
    // Methods take turns, so that a run of any length is fair to all.
    let spec = &specs[(seed % specs.len() as u64) as usize];
    let scene = scene(spec, &mut rng);
    let exclusive = rng.percent(50);
    let options = Options {
        exclusive,
        set_up_operations: u64::from(rng.between(2000, 40_000)),
        repair_operations: u64::from(rng.between(2000, 40_000)),
        ..Options::default()
    };
    let crowd = adapter::indexes_for(spec, &scene.map)
        .and_then(|indexes| adapter::crowd(spec, &scene.map, &indexes, options).ok());
    let Some(crowd) = crowd else {
        return Ok(Work::default());
    };
    let cells = (scene.judge.width() * scene.judge.height()) as usize;
    let walkers = match exclusive {
        true => MAX_WALKERS.min(cells / ROOM),
        false => MAX_WALKERS,
    };
    let mut field = Field {
        taken: vec![0; cells],
        scene,
        crowd,
        exclusive,
        rng,
        places: Vec::new(),
        tick: 0,
        idle: Vec::new(),
        walls: VecDeque::new(),
    };
    field.fill(walkers);
    let walked = field.walk();
    walked.map_err(|wrong| format!("{spec}, tick {}: {wrong}", field.tick))
}

/// A map that the index of the method can be built for in a moment.
fn scene(spec: &AgentSpec, rng: &mut TestRng) -> Scene {
    let needs = spec.needs();
    let sides = needs.iter().map(|need| side(need.kind.name(), rng));
    let side = sides.min().unwrap_or(SIDES[rng.below(3) as usize]);
    let map: TestMap = match rng.below(3) {
        0 => shapes::noise(side, side - 10, 12, rng),
        1 => shapes::Shape::Pillars.make(side, side - 10, rng),
        _ => shapes::Shape::Bars.make(side, side - 10, rng),
    };
    Scene::of(map, Rules::all()[rng.below(6) as usize])
}

fn side(index: &str, rng: &mut TestRng) -> u32 {
    match index {
        "tables" => SMALL_SIDE,
        "cpd" | "regions" | "climb-regions" | "labels" | "auto" => MIDDLE_SIDE,
        _ => SIDES[rng.below(3) as usize],
    }
}

impl Field {
    fn fill(&mut self, walkers: usize) {
        for _ in 0..2 * walkers {
            if self.crowd.len() == walkers {
                break;
            }
            if let Some((x, y)) = self.scene.any_open(&mut self.rng) {
                drop(self.crowd.add(Point { x, y }));
            }
        }
        let (places, idle) = (&mut self.places, &mut self.idle);
        self.crowd.for_each(&mut |walker| {
            places.push((walker.at.x, walker.at.y));
            idle.push(walker.id);
        });
    }

    fn walk(&mut self) -> Verdict {
        let mut work = Work::default();
        let mut operations = 0;
        while self.tick < MAX_TICKS && operations < MAX_OPERATIONS {
            if self.tick.is_multiple_of(PATCH_TICKS) {
                self.patch();
                if self.crowd.memory().learned > MAX_LEARNED {
                    break;
                }
            }
            self.send();
            self.tick += 1;
            operations += self.crowd.tick().meter.operations();
            work.executions += 1;
            work.moves += self.judge()?;
        }
        Ok(work)
    }

    /// New goals for those who have none, on the map or in a wall.
    fn send(&mut self) {
        for id in std::mem::take(&mut self.idle) {
            let (x, y) = match self.rng.percent(99) {
                true => self.scene.any_open(&mut self.rng).unwrap_or_default(),
                false => self.scene.any_point(&mut self.rng),
            };
            drop(self.crowd.send(id, Point { x, y }));
        }
    }

    /// A few blocks of walls go up; those of long ago go down.
    fn patch(&mut self) {
        let mut edits = Vec::new();
        if self.walls.len() == WALLS_LAST {
            let old = self.walls.pop_front().unwrap_or_default();
            edits.extend(old.into_iter().map(|point| (point, true)));
        }
        let mut new = Vec::new();
        for _ in 0..self.rng.between(1, 8) {
            let (left, top) = self.scene.any_point(&mut self.rng);
            let (width, height) = (self.rng.between(1, 6), self.rng.between(1, 6));
            let block = (0..width * height).map(|i| (left + i % width, top + i / width));
            new.extend(block.filter(|&point| self.scene.judge.is_open_at(point)));
        }
        edits.extend(new.iter().map(|&point| (point, false)));
        for &((x, y), open) in &edits {
            self.scene.judge.set(x, y, open);
        }
        self.walls.push_back(new);
        self.crowd.patch(&patch_of(&edits));
    }

    /// Looks at everybody; says how many have moved.
    fn judge(&mut self) -> Result<u64, String> {
        let width = self.scene.judge.width();
        let (places, taken, idle) = (&mut self.places, &mut self.taken, &mut self.idle);
        let (scene, tick, exclusive) = (&self.scene, self.tick, self.exclusive);
        let (mut seen, mut moves, mut wrong) = (0, 0, None);
        self.crowd.for_each(&mut |walker| {
            let to = (walker.at.x, walker.at.y);
            let from = std::mem::replace(&mut places[seen], to);
            seen += 1;
            if from != to {
                moves += 1;
                if !scene.is_step(from, to) {
                    wrong = Some(format!("an illegal step from {from:?} to {to:?}"));
                }
            }
            let cell = &mut taken[(to.1 * width + to.0) as usize];
            if exclusive && std::mem::replace(cell, tick) == tick {
                wrong = Some(format!("two at {to:?}"));
            }
            let is_idle = matches!(
                walker.status,
                Status::Idle | Status::Arrived | Status::Unreachable { .. } | Status::Stuck { .. }
            );
            if is_idle {
                idle.push(walker.id);
            }
        });
        match wrong {
            Some(wrong) => Err(wrong),
            None if seen != places.len() => Err(format!("{seen} walkers of {}", places.len())),
            None => Ok(moves),
        }
    }
}
