//! Indexes are built beside the game, never in a frame.

use crate::stage::*;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_waypost::prelude::*;
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
    let level = noise(300, 19);
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
        patch.open_rect((rng.below(280), rng.below(280)), (15, 15));
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
        .replace(map_of(&noise(300, 20)));
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
