//! Headless apps for tests.

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::{UVec2, Vec3};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use waypost_testkit::{TestMap, TestRng};

/// An app with one tick in each frame.
pub fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        WaypostPlugin::default(),
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // The first frame has no time in it.
    app.update();
    app
}

/// The engine's map of a test map.
pub fn map_of(map: &TestMap) -> Map {
    Map::from_movingai(&map.to_movingai()).expect("a map")
}

/// A map of noise in which most cells are connected.
pub fn noise(side: u32, seed: u64) -> TestMap {
    waypost_testkit::shapes::noise(side, side, 20, &mut TestRng::new(seed))
}

/// Frames until a map is ready.
pub fn wait_until_ready(app: &mut App, map: Entity) {
    wait_until(app, |world| {
        world.get::<NavMap>(map).is_some_and(|map| {
            assert_eq!(map.error(), None);
            map.is_ready() && !matches!(map.state(), NavState::Renewing)
        })
    });
}

/// Frames until something is so; gives up after two minutes.
pub fn wait_until(app: &mut App, mut is_so: impl FnMut(&World) -> bool) {
    for _ in 0..120_000 {
        app.update();
        if is_so(app.world()) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("it never came");
}

/// So many ticks of every map that is ready. Where the index of one is due and being built, its walkers stand still for as many frames as
/// that takes: how many these are is the machine's business.
pub fn ticks(app: &mut App, count: u32) {
    let mut maps = app.world_mut().query::<&NavMap>();
    let mut ticked = |world: &World| -> Vec<u64> {
        let ready = maps.iter(world).filter(|map| map.is_ready());
        ready.map(NavMap::ticks).collect()
    };
    for _ in 0..count {
        let before = ticked(app.world());
        wait_until(app, |world| {
            let now = ticked(world);
            now.len() != before.len() || now.iter().zip(&before).all(|(now, before)| now > before)
        });
    }
}

/// A map without walls.
pub fn open(width: u32, height: u32) -> Map {
    Map::from_fn(width, height, |_| true).expect("a map")
}

pub fn nav_map(app: &mut App, map: Entity) -> Mut<'_, NavMap> {
    app.world_mut().get_mut::<NavMap>(map).expect("a map")
}

pub fn is_free(app: &App, map: Entity, x: u32, y: u32) -> bool {
    let nav = app.world().get::<NavMap>(map).expect("a map").navigator();
    nav.expect("ready").is_free((x, y))
}

/// The cells that an obstacle blocks.
pub fn covered(app: &App, obstacle: Entity) -> Vec<(u32, u32)> {
    let covered = app.world().get::<Covered>(obstacle).expect("an obstacle");
    covered.cells().iter().map(|&cell| cell.into()).collect()
}

/// An app with four frames to a tick.
pub fn app_between_ticks() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        WaypostPlugin::default(),
    ));
    let frame = std::time::Duration::from_micros(15_625 / 4);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
    app.update();
    app
}

/// An app with a map that is ready.
pub fn on_map(map: NavMap) -> (App, Entity) {
    let mut app = app();
    let id = app.world_mut().spawn(map).id();
    wait_until_ready(&mut app, id);
    (app, id)
}

/// The transform of a cell of a map whose cells are units.
pub fn at(x: u32, y: u32) -> Transform {
    Transform::from_translation(GridTransform::default().position(UVec2::new(x, y)))
}

/// A walker at a cell with a goal.
pub fn walker(app: &mut App, from: (u32, u32), goal: (u32, u32)) -> Entity {
    let goal = Goal::Cell(UVec2::new(goal.0, goal.1));
    app.world_mut()
        .spawn((Walker::default(), at(from.0, from.1), goal))
        .id()
}

pub fn look(app: &App, walker: Entity) -> &Walker {
    app.world().get::<Walker>(walker).expect("a walker")
}

pub fn cell(app: &App, walker: Entity) -> (u32, u32) {
    look(app, walker).cell().into()
}

pub fn position(app: &App, entity: Entity) -> Vec3 {
    let transform = app.world().get::<Transform>(entity);
    transform.expect("a transform").translation
}

pub fn send(app: &mut App, walker: Entity, goal: Goal) {
    *app.world_mut().get_mut::<Goal>(walker).expect("a walker") = goal;
}

/// All messages of a kind in so many ticks. Bevy keeps messages for two frames.
pub fn told_in<M: Message + Clone>(app: &mut App, count: u32) -> Vec<M> {
    let mut told = Vec::new();
    for _ in 0..count {
        ticks(app, 1);
        told.extend(read(app));
    }
    told
}

/// All messages of a kind since the last time, for tests that read once a frame.
pub fn read<M: Message + Clone>(app: &mut App) -> Vec<M> {
    app.world_mut()
        .resource_mut::<Messages<M>>()
        .drain()
        .collect()
}

/// Set in the processes of [`in_its_own_process`].
pub const PART: &str = "BEVY_WAYPOST_TEST_PART";

/// Runs a test that does nothing unless [`PART`] is set, in a process of its own: Bevy's pools are made once in a process. Gives what it
/// printed.
pub fn in_its_own_process(test: &str, part: &str, threads: &str) -> String {
    let this = std::env::current_exe().expect("this program");
    let output = std::process::Command::new(this)
        .args(["--exact", test, "--nocapture"])
        .env(PART, part)
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{wrong}");
    assert!(text.contains("1 passed"), "no test {test}: {text}");
    text
}
