//! What the plugin's systems cost beside the bare crowd's tick: the same walkers with the same goals on the same map, tick by
//! tick in one run, in processor time of all threads. And what the main thread has to do with indexes: its longest frame while one
//! is built, and while it is renewed after a change.
//!
//! `cargo bench -p bevy_waypost --bench cost -- [--cells 3000000] [--walkers 10000] [--ticks 1000]`

use bevy_app::{App, FixedUpdate, PreUpdate, RunFixedMainLoop, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use cpu_time::{ProcessTime, ThreadTime};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use waypost::generate::{Kind, generate};
use waypost::navigator::{Crowd, CrowdOptions, Event, UnitId};
use waypost::rng::Rng;
use waypost::{MoveRules, Point};

/// Ticks before the clock counts: everybody has a plan then.
const WARM_UP: u64 = 300;

/// Two clocks: the processor's and the one on the wall.
#[derive(Clone, Copy, Default)]
struct Took {
    processor: Duration,
    wall: Duration,
}

/// When something began.
#[derive(Clone, Copy)]
struct Begun(ProcessTime, Instant);

impl Begun {
    fn now() -> Begun {
        Begun(ProcessTime::now(), Instant::now())
    }

    fn took(self) -> Took {
        Took {
            processor: self.0.elapsed(),
            wall: self.1.elapsed(),
        }
    }
}

/// Sums over ticks.
#[derive(Clone, Copy, Default)]
struct Spent {
    all: Took,
    longest: Duration,
}

impl Spent {
    fn add(&mut self, took: Took) {
        self.all.processor += took.processor;
        self.all.wall += took.wall;
        self.longest = self.longest.max(took.wall);
    }
}

/// The three places of a frame where the plugin's systems run: builds, ticks, transforms.
#[derive(Resource)]
struct Clock {
    begun: Begun,
    took: [Took; 3],
}

fn begin(mut clock: ResMut<Clock>) {
    clock.begun = Begun::now();
}

fn end<const PLACE: usize>(mut clock: ResMut<Clock>) {
    clock.took[PLACE] = clock.begun.took();
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        WaypostPlugin::default(),
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.insert_resource(Clock {
        begun: Begun::now(),
        took: Default::default(),
    });
    app.add_systems(
        PreUpdate,
        (
            begin.before(WaypostSystems::Build),
            end::<0>.after(WaypostSystems::Build),
        ),
    );
    app.add_systems(
        FixedUpdate,
        (
            begin.before(WaypostSystems::Prepare),
            end::<1>.after(WaypostSystems::Report),
        ),
    );
    app.add_systems(
        RunFixedMainLoop,
        (
            begin.before(WaypostSystems::Interpolate),
            end::<2>.after(WaypostSystems::Interpolate),
        )
            .in_set(bevy_app::RunFixedMainLoopSystems::AfterFixedMainLoop),
    );
    app
}

fn number(name: &str, usual: u64) -> u64 {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    let given = arguments.nth(1).and_then(|text| text.parse().ok());
    given.unwrap_or(usual)
}

fn random_cell(map: &Map, rng: &mut Rng) -> Point {
    loop {
        let (x, y) = (
            rng.below(map.grid().width()),
            rng.below(map.grid().height()),
        );
        if map.passable_cell(Point { x, y }).is_some() {
            return Point { x, y };
        }
    }
}

fn main() {
    let side = (number("--cells", 3_000_000) as f64).sqrt() as u32;
    let (walkers, ticks) = (number("--walkers", 10_000), number("--ticks", 1_000));
    let grid = generate(Kind::Arena, side, side, 1).expect("an arena");
    let map = Map::new(grid, MoveRules::default());
    let mut app = app();
    println!("arena of {side} x {side} cells");
    let entity = app.world_mut().spawn(NavMap::new(map.clone())).id();
    watch_until_ready(&mut app, entity, "built");
    let nav = app.world().get::<NavMap>(entity);
    let nav = nav.and_then(NavMap::navigator).expect("ready").clone();
    println!("the index: {}", nav.inspect().kind());
    // The same walkers, in the app and without it.
    let bare_nav = nav.fork().expect("a fork");
    let mut bare = bare_nav.crowd(CrowdOptions::default()).expect("a crowd");
    let (mut entities, mut units) = (Vec::new(), Vec::new());
    let mut rng = Rng::new(1);
    for _ in 0..walkers {
        let (from, goal) = (random_cell(&map, &mut rng), random_cell(&map, &mut rng));
        let place = GridTransform::default().position(UVec2::new(from.x, from.y));
        let walker = (
            Walker::default(),
            Transform::from_translation(place),
            Goal::Cell(UVec2::new(goal.x, goal.y)),
        );
        entities.push(app.world_mut().spawn(walker).id());
        let unit = bare.spawn(from).expect("free");
        bare.send(unit, goal).expect("on the map");
        units.push(unit);
    }
    measure(&mut app, &mut bare, &map, (&entities, &units), ticks);
    let mut nav_map = app.world_mut().get_mut::<NavMap>(entity).expect("a map");
    let changed = nav_map.patch(Patch::new().block_rect((side / 2, side / 2), (30, 30)));
    println!("\na wall in the middle: {changed} cells changed");
    watch_until_ready(&mut app, entity, "renewed");
}

/// Frames until the index is of the map as it is, and the longest of them on the main thread.
fn watch_until_ready(app: &mut App, map: Entity, what: &str) {
    let begun = Begun::now();
    let (mut frames, mut longest) = (0u32, Duration::ZERO);
    loop {
        let frame = ThreadTime::now();
        app.update();
        (frames, longest) = (frames + 1, longest.max(frame.elapsed()));
        let map = app.world().get::<NavMap>(map);
        if map.is_some_and(|map| map.state() == NavState::Ready) {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let took = begun.took();
    println!(
        "the index was {what} beside the game in {:.2} s, {:.2} s of processors; the longest of {frames} frames meanwhile took {:.2} ms of the main thread's",
        took.wall.as_secs_f64(),
        took.processor.as_secs_f64(),
        longest.as_secs_f64() * 1e3
    );
}

fn measure(
    app: &mut App,
    bare: &mut Crowd,
    map: &Map,
    (entities, units): (&[Entity], &[UnitId]),
    ticks: u64,
) {
    let mut alone = Spent::default();
    let mut systems = [Spent::default(); 3];
    let mut whole = Spent::default();
    let mut rng = Rng::new(2);
    let numbers = units.iter().enumerate();
    let place: HashMap<u64, usize> = numbers.map(|(i, unit)| (unit.to_bits(), i)).collect();
    let mut arrivals = 0u64;
    for now in 0..WARM_UP + ticks {
        let begun = Begun::now();
        bare.tick();
        let bare_took = begun.took();
        let begun = Begun::now();
        app.update();
        let frame = begun.took();
        if now >= WARM_UP {
            alone.add(bare_took);
            whole.add(frame);
            let took = app.world().resource::<Clock>().took;
            systems
                .iter_mut()
                .zip(took)
                .for_each(|(spent, took)| spent.add(took));
        }
        let done = bare.events().iter().filter_map(|event| match event {
            Event::Arrived(unit) | Event::Unreachable(unit, _) => place.get(&unit.to_bits()),
            _ => None,
        });
        let done: Vec<usize> = done.copied().collect();
        arrivals += done.len() as u64;
        for i in done {
            let goal = random_cell(map, &mut rng);
            bare.send(units[i], goal).expect("on the map");
            let sent = app.world_mut().get_mut::<Goal>(entities[i]);
            *sent.expect("a walker") = Goal::Cell(UVec2::new(goal.x, goal.y));
        }
    }
    check_same(app, bare, entities, units);
    println!(
        "\n{} walkers, {ticks} ticks, {arrivals} arrivals; means of a tick:",
        entities.len()
    );
    print(alone, systems, whole, ticks);
}

/// Both have walked the same ways.
fn check_same(app: &App, bare: &Crowd, entities: &[Entity], units: &[UnitId]) {
    for (&entity, &unit) in entities.iter().zip(units) {
        let walker = app.world().get::<Walker>(entity).expect("a walker");
        let at = bare.position(unit).expect("there");
        assert_eq!(walker.cell(), UVec2::new(at.x, at.y));
    }
}

fn print(alone: Spent, systems: [Spent; 3], whole: Spent, ticks: u64) {
    let mean = |spent: Duration| spent.as_secs_f64() * 1e6 / ticks as f64;
    println!("| | processor | wall | longest |");
    println!("|---|---|---|---|");
    for (name, spent) in [
        ("the crowd's tick alone", alone),
        ("the plugin's systems: builds", systems[0]),
        ("the plugin's systems: a tick", systems[1]),
        ("the plugin's systems: transforms", systems[2]),
        ("the whole frame", whole),
    ] {
        println!(
            "| {name} | {:.0} us | {:.0} us | {:.2} ms |",
            mean(spent.all.processor),
            mean(spent.all.wall),
            spent.longest.as_secs_f64() * 1e3
        );
    }
    let ratio = |time: fn(Took) -> Duration| {
        let plugin: Duration = systems.iter().map(|spent| time(spent.all)).sum();
        plugin.as_secs_f64() / time(alone.all).as_secs_f64()
    };
    println!(
        "the plugin's systems cost {:.2} times the tick alone (processor), {:.2} times (wall)",
        ratio(|took| took.processor),
        ratio(|took| took.wall)
    );
}
