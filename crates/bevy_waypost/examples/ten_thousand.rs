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

const SIDE: u32 = 1_732;
const WALKERS: usize = 10_000;
const TICKS: u64 = 1_000;

#[derive(Resource)]
struct Dice(Rng);

fn main() {
    App::new()
        .add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(ScheduleRunnerPlugin::run_loop(Duration::from_millis(1)))
        .add_plugins(WaypostPlugin::default())
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Dice(Rng::new(1)))
        .add_systems(Startup, start)
        .add_systems(Update, (loading_screen, begin))
        .add_systems(FixedUpdate, wander.after(WaypostSystems::Report))
        .run();
}

fn start(mut commands: Commands) {
    let grid = generate(Kind::Arena, SIDE, SIDE, 1).expect("a level of this size");
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
        let cell = UVec2::new(rng.below(SIDE), rng.below(SIDE));
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
    mut dice: ResMut<Dice>,
    mut commands: Commands,
) {
    for news in ready.read() {
        let Ok(map) = maps.get(news.map) else {
            continue;
        };
        println!("{:?}: {WALKERS} walkers set out", map.state());
        for _ in 0..WALKERS {
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
    map: Single<&NavMap>,
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
    if map.ticks() >= TICKS {
        let seconds = sums.2.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        println!(
            "{TICKS} ticks: {} steps, {} goals reached, {seconds:.1} s",
            sums.1, sums.0
        );
        exit.write(AppExit::Success);
    }
}
