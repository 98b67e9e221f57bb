//! A level with everything in it, for thousands of ticks.

use crate::stage::*;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use waypost_testkit::{TestMap, TestRng};

const TICKS: u32 = 4_000;
const DOORS: usize = 25;

/// A level of noise whose doors are cells of it.
struct Level {
    cells: TestMap,
    doors: Vec<UVec2>,
}

impl Level {
    fn new(side: u32, rng: &mut TestRng) -> Level {
        let cells = noise(side, rng.below(1_000).into());
        let doors = (0..DOORS).map(|_| open_cell(&cells, rng)).collect();
        Level { cells, doors }
    }

    fn map(&self) -> Map {
        map_of(&self.cells).and_doors(self.doors.iter().map(|door| (door.x, door.y)))
    }
}

fn open_cell(level: &TestMap, rng: &mut TestRng) -> UVec2 {
    let (x, y) = level.random_open_cell(rng).expect("open");
    UVec2::new(x, y)
}

struct Game {
    app: App,
    map: Entity,
    rng: TestRng,
    walkers: Vec<Entity>,
    obstacles: Vec<Entity>,
    /// Where walkers were, on the map of the moment.
    known: Vec<Option<UVec2>>,
    arrivals: usize,
}

impl Game {
    fn new(level: &Level, exclusive: bool, seed: u64) -> Game {
        let map = NavMap::new(level.map());
        let (mut app, map) = on_map(if exclusive { map.exclusive() } else { map });
        let mut rng = TestRng::new(seed);
        let obstacles = (0..12).map(|i| {
            let shape = match i % 3 {
                0 => Obstacle::default(),
                1 => Obstacle::rectangle(3.0, 1.0),
                _ => Obstacle::disc(1.5),
            };
            let place = at(rng.below(50), rng.below(50));
            app.world_mut().spawn((shape, place)).id()
        });
        let obstacles = obstacles.collect();
        Game {
            app,
            map,
            rng,
            walkers: Vec::new(),
            obstacles,
            known: Vec::new(),
            arrivals: 0,
        }
    }

    fn nav_map(&mut self) -> Mut<'_, NavMap> {
        let map = self.app.world_mut().get_mut::<NavMap>(self.map);
        map.expect("a map")
    }

    fn come(&mut self, level: &Level) {
        let from = open_cell(&level.cells, &mut self.rng);
        let goal = open_cell(&level.cells, &mut self.rng);
        let entity = walker(&mut self.app, from.into(), goal.into());
        self.walkers.push(entity);
        self.known.push(None);
    }

    fn go(&mut self) {
        let place = self.rng.below(self.walkers.len() as u32) as usize;
        let entity = self.walkers.swap_remove(place);
        self.known.swap_remove(place);
        assert!(self.app.world_mut().despawn(entity));
    }

    /// What happens before a tick.
    fn act(&mut self, tick: u32, level: &Level) {
        if tick.is_multiple_of(7) {
            let door = level.doors[self.rng.below(DOORS as u32) as usize];
            let opens = self.rng.below(2) == 0;
            let mut map = self.nav_map();
            let changed = match opens {
                true => map.set_doors([door], []),
                false => map.set_doors([], [door]),
            };
            assert!(changed.is_ok(), "tick {tick}: {changed:?}");
        }
        if tick.is_multiple_of(3) {
            let one = self.obstacles[self.rng.below(12) as usize];
            let place = at(self.rng.below(60), self.rng.below(60));
            let transform = self.app.world_mut().get_mut::<Transform>(one);
            *transform.expect("there") = place;
        }
        if tick.is_multiple_of(11) {
            self.go();
            self.come(level);
        }
    }

    /// A tick, and what became of everybody.
    fn tick(&mut self, tick: u32, exclusive: bool) {
        ticks(&mut self.app, 1);
        let mut taken: Vec<UVec2> = Vec::new();
        let world = self.app.world();
        let nav = world.get::<NavMap>(self.map).and_then(NavMap::navigator);
        let nav = nav.expect("ready");
        for (&entity, known) in self.walkers.iter().zip(&mut self.known) {
            let walker = look(&self.app, entity);
            let (now, status) = (walker.cell(), walker.status());
            if status == WalkerStatus::Joining {
                *known = None;
                continue;
            }
            let is_free = nav.is_free((now.x, now.y));
            assert!(
                is_free || status == WalkerStatus::Blocked,
                "tick {tick}: {status:?} in the wall {now}"
            );
            if let Some(before) = known.replace(now) {
                let step = (now.as_ivec2() - before.as_ivec2()).abs();
                assert!(step.max_element() <= 1, "tick {tick}: a step of {step}");
            }
            taken.push(now);
        }
        if exclusive {
            let walkers = taken.len();
            taken.sort_by_key(|cell| (cell.y, cell.x));
            taken.dedup();
            assert_eq!(taken.len(), walkers, "tick {tick}: a cell is shared");
        }
    }

    /// Sends those who have arrived, or cannot, elsewhere.
    fn send_on(&mut self, level: &Level) {
        let arrived = read::<Arrived>(&mut self.app).into_iter();
        let arrived: Vec<Entity> = arrived.map(|news| news.entity).collect();
        self.arrivals += arrived.len();
        let lost = read::<Unreachable>(&mut self.app).into_iter();
        for entity in arrived.into_iter().chain(lost.map(|news| news.entity)) {
            if self.app.world().get_entity(entity).is_ok() {
                let goal = open_cell(&level.cells, &mut self.rng);
                send(&mut self.app, entity, Goal::Cell(goal));
            }
        }
    }
}

#[test]
fn a_level_lives_for_thousands_of_ticks() {
    for exclusive in [false, true] {
        let mut rng = TestRng::new(5);
        let levels = [60, 48, 72].map(|side| Level::new(side, &mut rng));
        let mut level = &levels[0];
        let mut game = Game::new(level, exclusive, 17);
        (0..80).for_each(|_| game.come(level));
        for tick in 0..TICKS {
            if tick > 0 && tick.is_multiple_of(700) {
                level = &levels[(tick / 700) as usize % 3];
                game.nav_map().replace(level.map());
                let map = game.map;
                wait_until_ready(&mut game.app, map);
                game.known.fill(None);
            }
            game.act(tick, level);
            game.tick(tick, exclusive);
            game.send_on(level);
        }
        assert!(game.arrivals > 2_000, "{} arrivals", game.arrivals);
        let walkers = game.walkers.len();
        assert_eq!(game.nav_map().walkers(), walkers, "nobody is lost");
    }
}
