//! What the plugin's systems cost beside the bare crowd's tick: the same walkers with the same goals on the same map, tick by
//! tick in one run, in processor time of all threads.
//!
//! `cargo bench -p bevy_waypost --bench cost -- [--cells 3000000] [--walkers 10000] [--ticks 1000]`

use bevy_app::{App, FixedUpdate, RunFixedMainLoop, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use cpu_time::ProcessTime;
use std::time::{Duration, Instant};
use waypost::generate::{Kind, generate};
use waypost::navigator::{Crowd, CrowdOptions, Event, UnitId};
use waypost::rng::Rng;
use waypost::{MoveRules, Point};

/// Ticks before the clock counts: everybody has a plan then.
const WARM_UP: u64 = 300;

/// Two clocks: the processor's and the one on the wall.
#[derive(Clone, Copy, Default)]
struct Spent {
    processor: Duration,
    wall: Duration,
    longest: Duration,
}

impl Spent {
    fn add(&mut self, processor: Duration, wall: Duration) {
        self.processor += processor;
        self.wall += wall;
        self.longest = self.longest.max(wall);
    }

    fn add_to_last(&mut self, processor: Duration, wall: Duration) {
        self.processor += processor;
        self.wall += wall;
    }
}

#[derive(Resource)]
struct Clock {
    begun: (ProcessTime, Instant),
    /// Of the tick, and of moving transforms.
    tick: (Duration, Duration),
    interpolation: (Duration, Duration),
}

fn begin(mut clock: ResMut<Clock>) {
    clock.begun = (ProcessTime::now(), Instant::now());
}

fn end_tick(mut clock: ResMut<Clock>) {
    clock.tick = (clock.begun.0.elapsed(), clock.begun.1.elapsed());
}

fn end_interpolation(mut clock: ResMut<Clock>) {
    clock.interpolation = (clock.begun.0.elapsed(), clock.begun.1.elapsed());
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

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        WaypostPlugin::default(),
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.insert_resource(Clock {
        begun: (ProcessTime::now(), Instant::now()),
        tick: Default::default(),
        interpolation: Default::default(),
    });
    app.add_systems(
        FixedUpdate,
        (
            begin.before(WaypostSystems::Prepare),
            end_tick.after(WaypostSystems::Report),
        ),
    );
    app.add_systems(
        RunFixedMainLoop,
        (
            begin.before(WaypostSystems::Interpolate),
            end_interpolation.after(WaypostSystems::Interpolate),
        )
            .in_set(bevy_app::RunFixedMainLoopSystems::AfterFixedMainLoop),
    );
    app
}

/// A frame of the app, and what the plugin's systems took of it.
fn frame(app: &mut App) -> [(Duration, Duration); 2] {
    app.update();
    let clock = app.world().resource::<Clock>();
    [clock.tick, clock.interpolation]
}

fn main() {
    let side = (number("--cells", 3_000_000) as f64).sqrt() as u32;
    let (walkers, ticks) = (number("--walkers", 10_000), number("--ticks", 1_000));
    let grid = generate(Kind::Arena, side, side, 1).expect("an arena");
    let map = Map::new(grid, MoveRules::default());
    let mut app = app();
    let entity = app.world_mut().spawn(NavMap::new(map.clone())).id();
    let begun = Instant::now();
    let mut longest = Duration::ZERO;
    while !app
        .world()
        .get::<NavMap>(entity)
        .is_some_and(NavMap::is_ready)
    {
        let frame = Instant::now();
        app.update();
        longest = longest.max(frame.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    let nav = app
        .world()
        .get::<NavMap>(entity)
        .and_then(NavMap::navigator)
        .expect("ready")
        .clone();
    println!(
        "arena of {side} x {side} cells, {}: index built in {:.1} s beside the game, longest frame meanwhile {:.2} ms",
        nav.inspect().kind(),
        begun.elapsed().as_secs_f64(),
        longest.as_secs_f64() * 1e3
    );
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
}

fn measure(
    app: &mut App,
    bare: &mut Crowd,
    map: &Map,
    (entities, units): (&[Entity], &[UnitId]),
    ticks: u64,
) {
    let (mut alone, mut tick, mut interpolation) =
        (Spent::default(), Spent::default(), Spent::default());
    let mut rng = Rng::new(2);
    let number = |unit: UnitId| units.iter().position(|&known| known == unit);
    let place: std::collections::HashMap<u64, usize> = units
        .iter()
        .enumerate()
        .map(|(i, unit)| (unit.to_bits(), i))
        .collect();
    let _ = number;
    let mut arrivals = 0u64;
    for now in 0..WARM_UP + ticks {
        let begun = (ProcessTime::now(), Instant::now());
        bare.tick();
        let bare_took = (begun.0.elapsed(), begun.1.elapsed());
        let [tick_took, interpolation_took] = frame(app);
        if now >= WARM_UP {
            alone.add(bare_took.0, bare_took.1);
            tick.add(tick_took.0, tick_took.1);
            interpolation.add_to_last(interpolation_took.0, interpolation_took.1);
        }
        let done: Vec<usize> = bare
            .events()
            .iter()
            .filter_map(|event| match event {
                Event::Arrived(unit) | Event::Unreachable(unit, _) => {
                    place.get(&unit.to_bits()).copied()
                }
                _ => None,
            })
            .collect();
        arrivals += done.len() as u64;
        for i in done {
            let goal = random_cell(map, &mut rng);
            bare.send(units[i], goal).expect("on the map");
            let mut sent = app
                .world_mut()
                .get_mut::<Goal>(entities[i])
                .expect("a walker");
            *sent = Goal::Cell(UVec2::new(goal.x, goal.y));
        }
    }
    // Both have walked the same ways.
    for (&entity, &unit) in entities.iter().zip(units) {
        let walker = app.world().get::<Walker>(entity).expect("a walker");
        let at = bare.position(unit).expect("there");
        assert_eq!(walker.cell(), UVec2::new(at.x, at.y));
    }
    let mean = |spent: Duration| spent.as_secs_f64() * 1e6 / ticks as f64;
    println!(
        "{} walkers, {ticks} ticks, {arrivals} arrivals; means of a tick:",
        entities.len()
    );
    println!("| | processor | wall | longest |");
    println!("|---|---|---|---|");
    for (name, spent) in [
        ("the crowd's tick alone", alone),
        ("the plugin's systems, a tick", tick),
        ("the plugin's systems, transforms", interpolation),
    ] {
        println!(
            "| {name} | {:.0} us | {:.0} us | {:.2} ms |",
            mean(spent.processor),
            mean(spent.wall),
            spent.longest.as_secs_f64() * 1e3
        );
    }
    let ratio = |a: Duration, b: Duration, c: Duration| (a + b).as_secs_f64() / c.as_secs_f64();
    println!(
        "the plugin's systems cost {:.2} times the tick alone (processor), {:.2} times (wall)",
        ratio(tick.processor, interpolation.processor, alone.processor),
        ratio(tick.wall, interpolation.wall, alone.wall)
    );
}
