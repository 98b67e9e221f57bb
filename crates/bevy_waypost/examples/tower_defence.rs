//! Walls are placed under a stream of enemies. Before each the map is asked whether the gate could still be reached from everywhere where
//! enemies come in: a wall that would cut them off is not placed.

use bevy_app::{ScheduleRunnerPlugin, TaskPoolPlugin, prelude::*};
use bevy_ecs::prelude::*;
use bevy_math::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;
use bevy_waypost::prelude::*;
use waypost::rng::Rng;

const SIZE: UVec2 = UVec2::new(48, 32);
const GATE: UVec2 = UVec2::new(47, 16);
const ENTRIES: [UVec2; 3] = [UVec2::new(0, 4), UVec2::new(0, 16), UVec2::new(0, 28)];
const TICKS: u64 = 2_000;

#[derive(Component)]
struct Enemy;

#[derive(Resource)]
struct Game {
    rng: Rng,
    placed: u32,
    refused: u32,
    through: u32,
}

fn main() {
    App::new()
        .add_plugins((
            TaskPoolPlugin::default(),
            TimePlugin,
            ScheduleRunnerPlugin::default(),
        ))
        .add_plugins(WaypostPlugin::default())
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Game {
            rng: Rng::new(5),
            placed: 0,
            refused: 0,
            through: 0,
        })
        .add_systems(Startup, start)
        .add_systems(
            FixedUpdate,
            (
                (send_enemies, place_walls).before(WaypostSystems::Prepare),
                score.after(WaypostSystems::Report),
            ),
        )
        .run();
}

fn start(mut commands: Commands) {
    let map = Map::from_fn(SIZE.x, SIZE.y, |_| true).expect("a map of this size");
    commands.spawn(NavMap::new(map).exclusive());
}

fn send_enemies(map: Single<&NavMap>, mut commands: Commands) {
    if map.is_ready() && map.ticks().is_multiple_of(10) {
        let entry = ENTRIES[(map.ticks() / 10) as usize % ENTRIES.len()];
        let at = Transform::from_translation(map.transform.position(entry));
        // Anywhere next to the gate will do: they do not wait for each other there.
        let goal = Goal::Within {
            cell: GATE,
            cells: 1,
        };
        commands.spawn((Enemy, Walker::slow(2), at, goal));
    }
}

/// What a player would do, at random.
fn place_walls(
    map: Single<&NavMap>,
    mut game: ResMut<Game>,
    enemies: Query<&Walker, With<Enemy>>,
    mut commands: Commands,
) {
    if !map.is_ready() || map.ticks() % 7 != 3 {
        return;
    }
    let corner = UVec2::new(game.rng.between(2, SIZE.x - 5), game.rng.below(SIZE.y - 3));
    let size = match game.rng.percent(50) {
        true => UVec2::new(1, 4),
        false => UVec2::new(3, 1),
    };
    let covers = |cell: UVec2| cell.cmpge(corner).all() && cell.cmplt(corner + size).all();
    // Nobody is walled in, and every enemy and every entry keeps a way to the gate.
    let walkers: Vec<UVec2> = enemies
        .iter()
        .filter(|enemy| enemy.map().is_some())
        .map(Walker::cell)
        .collect();
    let ends: Vec<_> = walkers
        .iter()
        .chain(&ENTRIES)
        .map(|&from| (from, GATE))
        .collect();
    let patch = Patch::new().block_rect((corner.x, corner.y), (size.x, size.y));
    if walkers.iter().any(|&cell| covers(cell)) || !map.stays_connected(&patch, &ends) {
        game.refused += 1;
        return;
    }
    game.placed += 1;
    // An obstacle, so that selling the wall is despawning it.
    let sides = size.as_vec2();
    let middle = (map.transform.position(corner) + map.transform.position(corner + size - 1)) / 2.0;
    commands.spawn((
        Obstacle::rectangle(sides.x, sides.y),
        Transform::from_translation(middle),
    ));
}

fn score(
    mut arrived: MessageReader<Arrived>,
    mut unreachable: MessageReader<Unreachable>,
    map: Single<&NavMap>,
    mut game: ResMut<Game>,
    mut commands: Commands,
    mut exit: MessageWriter<AppExit>,
) {
    for news in arrived.read() {
        game.through += 1;
        commands.entity(news.entity).despawn();
    }
    if let Some(news) = unreachable.read().next() {
        panic!(
            "{} has no way, though every wall was asked for first",
            news.entity
        );
    }
    if map.ticks() >= TICKS {
        println!(
            "{TICKS} ticks: {} walls placed, {} refused, {} enemies at the gate, {} on their way, nobody ever cut off",
            game.placed,
            game.refused,
            game.through,
            map.walkers()
        );
        exit.write(AppExit::Success);
    }
}
