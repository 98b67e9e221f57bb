//! Indexes are built beside the game, never in a frame.

use crate::stage::*;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_tasks::AsyncComputeTaskPool;
use bevy_time::TimeUpdateStrategy;
use bevy_waypost::prelude::*;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use waypost_testkit::allocations::{is_counting, measure};
use waypost_testkit::{TestMap, TestRng};

/// What building the index allocates where it is built on the thread that asks.
fn bytes_of_a_build(level: &TestMap) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread();
    let pool = pool.build().expect("a pool");
    let map = map_of(level);
    let (nav, used) = measure(|| pool.install(|| waypost::Navigator::build(map)));
    nav.expect("it can be built");
    used.bytes
}

/// A frame, and what it allocated on the main thread.
fn frame(app: &mut App) -> u64 {
    measure(|| app.update()).1.bytes
}

/// The most that a frame allocates until something is so.
fn most_until(app: &mut App, mut is_so: impl FnMut(&NavMap) -> bool, map: Entity) -> u64 {
    let mut most = 0;
    for _ in 0..60_000 {
        most = most.max(frame(app));
        if is_so(app.world().get::<NavMap>(map).expect("a map")) {
            return most;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("it never came");
}

#[test]
fn no_frame_builds_an_index() {
    assert!(is_counting());
    // Large enough that frames pass while it is built.
    let level = noise(450, 19);
    let build = bytes_of_a_build(&level);
    let mut app = app();
    let mut most = frame(&mut app);
    let map = app.world_mut().spawn(NavMap::new(map_of(&level))).id();
    let mut states = Vec::new();
    let ready = most_until(
        &mut app,
        |map| {
            let state = (map.state(), map.progress().map(|p| p.stage));
            if states.last() != Some(&state) {
                states.push(state);
            }
            map.is_ready()
        },
        map,
    );
    most = most.max(ready);
    assert!(
        states.iter().any(|(state, _)| *state == NavState::Building),
        "{states:?}"
    );
    assert_eq!(states.last().map(|s| s.0), Some(NavState::Ready));
    // Walkers that keep planning, so that whatever they need would be built.
    let mut rng = TestRng::new(4);
    let mut crowd = Vec::new();
    for _ in 0..50 {
        let mut cell = || level.random_open_cell(&mut rng).expect("open");
        let (from, goal) = (cell(), cell());
        crowd.push(walker(&mut app, from, goal));
    }
    (0..50).for_each(|_| most = most.max(frame(&mut app)));
    // The index becomes stale and is renewed.
    let mut patch = Patch::new();
    for _ in 0..10 {
        patch = patch.open_rect((rng.below(280), rng.below(280)), (15, 15));
    }
    app.world_mut()
        .get_mut::<NavMap>(map)
        .expect("a map")
        .patch(&patch);
    assert_eq!(
        app.world().get::<NavMap>(map).expect("a map").state(),
        NavState::Renewing
    );
    most = most.max(most_until(
        &mut app,
        |map| map.state() == NavState::Ready,
        map,
    ));
    assert!(!read::<bevy_waypost::IndexRenewed>(&mut app).is_empty());
    // A walker of a type that nobody has built for.
    let large = (
        Walker::default(),
        NavProfile::new("large", 2),
        at(9, 9),
        Goal::Cell(UVec2::new(250, 250)),
    );
    let large = app.world_mut().spawn(large).id();
    most = most.max(most_until(&mut app, |map| map.walkers() == 51, map));
    assert!(look(&app, large).map().is_some());
    // Another map.
    app.world_mut()
        .get_mut::<NavMap>(map)
        .expect("a map")
        .replace(map_of(&noise(450, 20)));
    most = most.max(most_until(
        &mut app,
        |map| map.state() == NavState::Ready,
        map,
    ));
    (0..50).for_each(|_| most = most.max(frame(&mut app)));
    assert!(
        most < build / 10,
        "a frame allocated {most} bytes on the main thread; a build allocates {build}"
    );
}

#[test]
fn a_map_that_goes_while_it_is_built_is_forgotten() {
    let mut app = app();
    for seed in 0..20 {
        let map = app
            .world_mut()
            .spawn(NavMap::new(map_of(&noise(200, seed))))
            .id();
        let entity = walker(&mut app, (5, 5), (190, 190));
        app.update();
        if seed % 2 == 0 {
            app.world_mut()
                .get_mut::<NavMap>(map)
                .expect("a map")
                .replace(map_of(&noise(50, seed)));
            app.update();
        }
        app.world_mut().despawn(map);
        app.world_mut().despawn(entity);
        app.update();
    }
    let map = app
        .world_mut()
        .spawn(NavMap::new(map_of(&noise(50, 1))))
        .id();
    wait_until_ready(&mut app, map);
    assert_eq!(app.world().get::<NavMap>(map).expect("a map").walkers(), 0);
}

/// Keeps every thread busy that indexes are built on, until it is dropped.
struct Busy {
    gate: Arc<(Mutex<(usize, bool)>, Condvar)>,
}

impl Busy {
    fn new() -> Busy {
        let gate = Arc::new((Mutex::new((0, false)), Condvar::new()));
        let pool = AsyncComputeTaskPool::get();
        for _ in 0..pool.thread_num() {
            let gate = gate.clone();
            let wait = async move {
                let (state, bell) = &*gate;
                let mut state = state.lock().expect("no panic");
                state.0 += 1;
                bell.notify_all();
                drop(bell.wait_while(state, |(_, is_over)| !*is_over));
            };
            pool.spawn(wait).detach();
        }
        let (state, bell) = &*gate;
        let all = pool.thread_num();
        drop(bell.wait_while(state.lock().expect("no panic"), |(busy, _)| *busy < all));
        Busy { gate }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let (state, bell) = &*self.gate;
        state.lock().expect("no panic").1 = true;
        bell.notify_all();
    }
}

/// Frames while no index can be built but in a frame.
fn frames_without_workers(app: &mut App) {
    (0..300).for_each(|_| app.update());
}

fn state(app: &App, map: Entity) -> (NavState, u64) {
    let map = app.world().get::<NavMap>(map).expect("a map");
    (map.state(), map.ticks())
}

fn change(app: &mut App, map: Entity) -> Mut<'_, NavMap> {
    app.world_mut().get_mut::<NavMap>(map).expect("a map")
}

/// A map that gets labels, which are built again after a change.
fn pillars(side: u32) -> Map {
    Map::from_fn(side, side, |p| p.x % 7 > 1 || p.y % 9 > 2).expect("a map")
}

#[test]
fn with_no_worker_free() {
    let Ok(part) = std::env::var(PART) else {
        return;
    };
    let mut app = app();
    let mut level = NavMap::new(pillars(60));
    if part == "free" {
        level = level.without_lockstep();
    }
    let busy = Busy::new();
    let map = app.world_mut().spawn(level).id();
    let entity = walker(&mut app, (3, 3), (59, 59));
    frames_without_workers(&mut app);
    assert_eq!(state(&app, map), (NavState::Building, 0));
    drop(busy);
    wait_until_ready(&mut app, map);
    // A change after which the index is built again.
    let busy = Busy::new();
    change(&mut app, map).patch(Patch::new().open_rect((7, 9), (2, 3)));
    frames_without_workers(&mut app);
    let (stage, ticks) = state(&app, map);
    assert_eq!(stage, NavState::Renewing);
    frames_without_workers(&mut app);
    let (stage, later) = state(&app, map);
    assert_eq!(stage, NavState::Renewing);
    match part.as_str() {
        "lockstep" => assert_eq!(later, ticks, "walkers stand still, the game goes on"),
        _ => assert_eq!((later, cell(&app, entity)), (ticks + 300, (59, 59))),
    }
    drop(busy);
    wait_until_ready(&mut app, map);
    // A type of walkers that nobody has built for.
    let busy = Busy::new();
    let place = (at(3, 3), NavProfile::new("large", 2));
    let large = app.world_mut().spawn((Walker::default(), place)).id();
    frames_without_workers(&mut app);
    assert_eq!(look(&app, large).status(), WalkerStatus::Joining);
    drop(busy);
    wait_until(&mut app, |world| {
        let walker = world.get::<Walker>(large);
        walker.is_some_and(|walker| walker.map().is_some())
    });
    // Another map.
    let busy = Busy::new();
    change(&mut app, map).replace(pillars(40));
    frames_without_workers(&mut app);
    assert_eq!(state(&app, map).0, NavState::Renewing);
    assert_eq!(change(&mut app, map).size(), UVec2::splat(60));
    drop(busy);
    wait_until(&mut app, |world| {
        let map = world.get::<NavMap>(map).expect("a map");
        map.size() == UVec2::splat(40) && map.state() == NavState::Ready
    });
}

#[test]
fn no_index_is_built_on_the_main_thread() {
    for part in ["lockstep", "free"] {
        in_its_own_process("background::with_no_worker_free", part, "2");
    }
}

#[test]
fn a_map_that_is_ready_has_its_obstacles() {
    let mut app = app_between_ticks();
    let frame = Duration::from_micros(500);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
    let wall = (Obstacle::rectangle(1.0, 20.0), at(10, 5));
    app.world_mut().spawn(wall);
    let map = app.world_mut().spawn(NavMap::new(open(20, 10))).id();
    for _ in 0..2 {
        // Between two ticks too, and from the first frame on.
        wait_until(&mut app, |world| {
            let map = world.get::<NavMap>(map).expect("a map");
            let way = map.path(at(2, 5).translation, at(18, 5).translation);
            assert!(way.is_err(), "a way through the wall");
            map.is_ready() && map.progress().is_none()
        });
        nav_map(&mut app, map).replace(open(20, 10));
    }
}
