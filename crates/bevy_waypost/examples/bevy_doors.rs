//! Guards walk their rounds through doors that open and close; a cart that is pushed about blocks what it stands on.

use bevy_app::{ScheduleRunnerPlugin, TaskPoolPlugin, prelude::*};
use bevy_ecs::prelude::*;
use bevy_math::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;
use bevy_waypost::prelude::*;

/// Two halls with three doors between them; `+` is open at first, `-` closed.
const LEVEL: [&str; 9] = [
    "....................#....................",
    "....................+....................",
    "....................#....................",
    "....####............#...........####.....",
    "....#..#............-...........#..#.....",
    "....#...............#..............#.....",
    "....####............#...........####.....",
    "....................+....................",
    "....................#....................",
];
const DOORS: [UVec2; 3] = [UVec2::new(20, 1), UVec2::new(20, 4), UVec2::new(20, 7)];
const TICKS: u64 = 1_200;

#[derive(Component)]
struct Round(usize, [UVec2; 2]);

#[derive(Component)]
struct Cart;

fn main() {
    App::new()
        .add_plugins((
            TaskPoolPlugin::default(),
            TimePlugin,
            ScheduleRunnerPlugin::default(),
        ))
        .add_plugins(WaypostPlugin::default())
        // As fast as it goes; a game leaves this out.
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Startup, start)
        .add_systems(
            FixedUpdate,
            (
                (doors, push_cart).before(WaypostSystems::Prepare),
                rounds.after(WaypostSystems::Report),
            ),
        )
        .run();
}

fn start(mut commands: Commands) {
    let letter = |x: u32, y: u32| LEVEL[y as usize].as_bytes()[x as usize];
    let map = Map::from_fn(41, 9, |cell| !matches!(letter(cell.x, cell.y), b'#' | b'-'));
    let map = map
        .expect("a map of this size")
        .and_doors(DOORS.map(|door| (door.x, door.y)));
    let grid = GridTransform::default();
    commands.spawn(NavMap::new(map).exclusive());
    for i in 0..12 {
        let (left, right) = (UVec2::new(1, i % 9), UVec2::new(39, (i * 5) % 9));
        let at = Transform::from_translation(grid.position(left + UVec2::new(i / 9, 0)));
        commands.spawn((
            Walker::default(),
            at,
            Goal::Cell(right),
            Round(0, [left, right]),
        ));
    }
    commands.spawn((
        Cart,
        Obstacle::rectangle(2.0, 2.0),
        Transform::from_translation(grid.position(UVec2::new(18, 1))),
    ));
}

/// Every 100 ticks another door is the closed one.
fn doors(mut map: Single<&mut NavMap>) {
    let ticks = map.ticks();
    if map.is_ready() && ticks % 100 == 50 {
        let closed = (ticks / 100) as usize % 3;
        let open = DOORS.into_iter().filter(|door| *door != DOORS[closed]);
        match map.set_doors(open, [DOORS[closed]]) {
            Ok(changed) => {
                println!("tick {ticks}: door {closed} is the closed one, {changed} cells changed")
            }
            Err(error) => println!("tick {ticks}: {error}"),
        }
    }
}

fn push_cart(map: Single<&NavMap>, mut cart: Single<&mut Transform, With<Cart>>) {
    if map.ticks().is_multiple_of(30) {
        let row = (map.ticks() / 30 % 8) as u32;
        cart.translation = map.transform.position(UVec2::new(18, row));
    }
}

/// Who arrives turns round; who cannot get there waits for a door.
fn rounds(
    mut arrived: MessageReader<Arrived>,
    mut unreachable: MessageReader<Unreachable>,
    mut guards: Query<(&mut Round, &mut Goal)>,
    map: Single<&NavMap>,
    mut done: Local<usize>,
    mut exit: MessageWriter<AppExit>,
) {
    for news in arrived.read() {
        if let Ok((mut round, mut goal)) = guards.get_mut(news.entity) {
            *done += 1;
            round.0 += 1;
            *goal = Goal::Cell(round.1[(round.0 + 1) % 2]);
        }
    }
    for news in unreachable.read() {
        println!("{} waits for a door", news.entity);
    }
    if map.ticks() >= TICKS {
        println!(
            "{} guards made {} ways in {TICKS} ticks",
            map.walkers(),
            *done
        );
        exit.write(AppExit::Success);
    }
}
