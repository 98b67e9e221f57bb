//! Ten thousand walkers on a generated level of three million cells, all sent somewhere else whenever they arrive. The index is built
//! beside the game; the loading screen is a line of text.

use bevy_app::{ScheduleRunnerPlugin, TaskPoolPlugin, prelude::*};
use bevy_ecs::prelude::*;
use bevy_math::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;
use bevy_waypost::prelude::*;
use std::time::{Duration, Instant};
use waypost::generate::{Kind, generate};
use waypost::rng::Rng;

/// What can be told on the command line: `ten_thousand [SIDE] [WALKERS] [TICKS]`.
#[derive(Resource, Clone, Copy)]
struct Size {
    side: u32,
    walkers: u32,
    ticks: u32,
}

#[derive(Resource)]
struct Dice(Rng);

fn main() {
    let mut given = std::env::args().skip(1).map(|text| text.parse().ok());
    let mut number = |usual| given.next().flatten().unwrap_or(usual);
    let size = Size {
        side: number(1_732),
        walkers: number(10_000),
        ticks: number(1_000),
    };
    App::new()
        .add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(ScheduleRunnerPlugin::run_loop(Duration::from_millis(1)))
        .add_plugins(WaypostPlugin::default())
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Dice(Rng::new(1)))
        .insert_resource(size)
        .add_systems(Startup, start)
        .add_systems(Update, (loading_screen, begin))
        .add_systems(FixedUpdate, wander.after(WaypostSystems::Report))
        .run();
}

fn start(mut commands: Commands, size: Res<Size>) {
    let grid = generate(Kind::Arena, size.side, size.side, 1).expect("a level of this size");
    commands.spawn(NavMap::new(Map::new(grid, waypost::MoveRules::default())));
}

fn loading_screen(map: Single<&NavMap>, mut shown: Local<String>) {
    if let Some(progress) = map.progress()
        && progress.stage != *shown
    {
        println!(
            "{:?}: {} ({:.0}%)",
            map.state(),
            progress.stage,
            progress.part * 100.0
        );
        *shown = progress.stage;
    }
}

fn random_cell(map: &NavMap, rng: &mut Rng) -> UVec2 {
    loop {
        let cell = UVec2::new(rng.below(map.size().x), rng.below(map.size().y));
        if map
            .navigator()
            .is_none_or(|nav| nav.is_free((cell.x, cell.y)))
        {
            return cell;
        }
    }
}

fn begin(
    mut ready: MessageReader<NavMapReady>,
    maps: Query<&NavMap>,
    size: Res<Size>,
    mut dice: ResMut<Dice>,
    mut commands: Commands,
) {
    for news in ready.read() {
        let Ok(map) = maps.get(news.map) else {
            continue;
        };
        println!("{:?}: {} walkers set out", map.state(), size.walkers);
        for _ in 0..size.walkers {
            let (from, goal) = (random_cell(map, &mut dice.0), random_cell(map, &mut dice.0));
            let at = Transform::from_translation(map.transform.position(from));
            commands.spawn((Walker::default(), at, Goal::Cell(goal)));
        }
    }
}

fn wander(
    mut arrived: MessageReader<Arrived>,
    mut unreachable: MessageReader<Unreachable>,
    mut goals: Query<&mut Goal>,
    (map, size): (Single<&NavMap>, Res<Size>),
    mut dice: ResMut<Dice>,
    mut sums: Local<(u64, u64, Option<Instant>)>,
    mut exit: MessageWriter<AppExit>,
) {
    let done = arrived.read().map(|news| news.entity);
    let done: Vec<Entity> = done
        .chain(unreachable.read().map(|news| news.entity))
        .collect();
    sums.0 += done.len() as u64;
    sums.1 += map.last_tick().moves;
    for entity in done {
        if let Ok(mut goal) = goals.get_mut(entity) {
            *goal = Goal::Cell(random_cell(&map, &mut dice.0));
        }
    }
    if map.walkers() > 0 {
        sums.2.get_or_insert_with(Instant::now);
    }
    if map.ticks() >= u64::from(size.ticks) {
        let seconds = sums.2.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        println!(
            "{} ticks: {} steps, {} goals reached, {seconds:.1} s",
            size.ticks, sums.1, sums.0
        );
        exit.write(AppExit::Success);
    }
}
