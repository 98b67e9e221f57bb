//! Several maps at once, and maps that are full.

use crate::assets::app_with_files;
use crate::stage::*;
use bevy_app::App;
use bevy_asset::Assets;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_waypost::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

#[test]
fn the_next_level_takes_nothing_from_this_one() {
    let map = NavMap::new(open(20, 20)).with_profile(NavProfile::new("large", 2));
    let (mut app, first) = on_map(map);
    let wall = (Obstacle::rectangle(1.0, 100.0), at(10, 10));
    let wall = app.world_mut().spawn(wall).id();
    let entity = walker(&mut app, (2, 10), (2, 12));
    ticks(&mut app, 5);
    let next = app.world_mut().spawn(NavMap::new(open(20, 20))).id();
    wait_until_ready(&mut app, next);
    ticks(&mut app, 2);
    assert!(!is_free(&app, first, 10, 10) && is_free(&app, next, 10, 10));
    send(&mut app, entity, Goal::Cell(UVec2::new(18, 10)));
    ticks(&mut app, 3);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Unreachable);
    // Another type, another value: still on this one.
    let large = NavProfile::new("large", 2);
    app.world_mut().entity_mut(entity).insert(large);
    app.world_mut().entity_mut(entity).insert(Walker::default());
    ticks(&mut app, 2);
    assert_eq!(look(&app, entity).map(), Some(first));
    // This one goes: what named no map goes on to the one that is left.
    app.world_mut().despawn(first);
    wait_until(&mut app, |world| {
        let walker = world.get::<Walker>(entity).expect("there");
        walker.map() == Some(next)
    });
    assert!(!is_free(&app, next, 10, 10));
    app.world_mut().despawn(wall);
    assert!(is_free(&app, next, 10, 10));
}

/// The walks on a map, while the next one is ready at once, late, or never.
fn walks(is_ready: bool) -> u64 {
    let (mut app, _) = app_with_files();
    let level = noise(120, 3);
    let map = app.world_mut().spawn(NavMap::new(map_of(&level))).id();
    wait_until_ready(&mut app, map);
    let next = match is_ready {
        true => NavMap::new(map_of(&level)),
        false => NavMap::load(app.world().resource::<Assets<NavLevel>>().reserve_handle()),
    };
    let next = app.world_mut().spawn(next).id();
    if is_ready {
        wait_until_ready(&mut app, next);
    }
    let mut settings = app.world_mut().resource_mut::<NavSettings>();
    settings.plan_operations = 20_000;
    let mut rng = waypost_testkit::TestRng::new(8);
    let mut crowd = Vec::new();
    for i in 0..400 {
        let mut cell = || level.random_open_cell(&mut rng).expect("open");
        let (from, goal) = (cell(), cell());
        let entity = walker(&mut app, from, goal);
        let here = [map, next][i % 2];
        app.world_mut().entity_mut(entity).insert(InMap(here));
        crowd.extend((here == map).then_some(entity));
    }
    let mut state = DefaultHasher::new();
    for tick in 0..150 {
        if tick % 10 == 3 {
            let corner = (20 + tick % 90, 20);
            nav_map(&mut app, map).patch(Patch::new().block_rect(corner, (1, 3)));
        }
        let ticked = nav_map(&mut app, map).ticks();
        wait_until(&mut app, |world| {
            world.get::<NavMap>(map).expect("a map").ticks() > ticked
        });
        crowd.iter().for_each(|&e| cell(&app, e).hash(&mut state));
    }
    state.finish()
}

#[test]
fn walks_do_not_depend_on_when_another_map_is_ready() {
    assert_eq!(walks(true), walks(false));
}

#[test]
fn walkers_find_room_however_far() {
    // A closed yard of 400 cells on a large map, one walker a cell.
    let yard = |p: waypost::prelude::Point| p.x < 20 && p.y < 20 || p.x > 22 || p.y > 22;
    let level = Map::from_fn(100, 100, yard).expect("a map");
    let (mut app, map) = on_map(NavMap::new(level).exclusive());
    let crowd: Vec<Entity> = (0..300)
        .map(|_| app.world_mut().spawn((Walker::default(), at(10, 10))).id())
        .collect();
    ticks(&mut app, 2);
    assert_eq!(nav_map(&mut app, map).walkers(), 300);
    let is_inside = |app: &App, e: &Entity| cell(app, *e).0 < 20 && cell(app, *e).1 < 20;
    assert!(
        crowd.iter().all(|e| is_inside(&app, e)),
        "none beyond the wall"
    );
    // More than it holds: they wait, and come in when somebody leaves.
    let more: Vec<Entity> = (0..200)
        .map(|_| app.world_mut().spawn((Walker::default(), at(3, 3))).id())
        .collect();
    ticks(&mut app, 3);
    assert_eq!(nav_map(&mut app, map).walkers(), 400);
    // One who wants a free cell of its own does not wait for them.
    let aside = app.world_mut().spawn((Walker::default(), at(50, 50))).id();
    ticks(&mut app, 1);
    assert_eq!(cell(&app, aside), (50, 50));
    crowd
        .iter()
        .take(150)
        .for_each(|&e| _ = app.world_mut().despawn(e));
    ticks(&mut app, 3);
    assert!(more.iter().all(|&e| look(&app, e).map() == Some(map)));
    assert_eq!(nav_map(&mut app, map).walkers(), 351);
}

#[test]
fn what_is_written_while_the_map_is_disabled_counts() {
    let (mut app, map) = on_map(NavMap::new(open(60, 10)));
    let entity = walker(&mut app, (5, 5), (6, 5));
    ticks(&mut app, 5);
    app.world_mut().entity_mut(map).insert(Disabled);
    (0..3).for_each(|_| app.update());
    send(&mut app, entity, Goal::Cell(UVec2::new(50, 5)));
    app.world_mut()
        .get_mut::<Walker>(entity)
        .expect("there")
        .pace = 3;
    (0..20).for_each(|_| app.update());
    assert_eq!(cell(&app, entity), (6, 5));
    app.world_mut().entity_mut(map).remove::<Disabled>();
    ticks(&mut app, 30);
    assert!((14..=17).contains(&cell(&app, entity).0), "slowly");
    ticks(&mut app, 120);
    assert_eq!(cell(&app, entity), (50, 5));
}

#[test]
fn obstacles_and_walkers_stay_on_a_map_that_is_disabled() {
    let (mut app, a) = on_map(NavMap::new(open(30, 30)));
    app.world_mut().spawn((Obstacle::default(), at(3, 3)));
    let entity = walker(&mut app, (5, 5), (6, 5));
    ticks(&mut app, 2);
    let b = app.world_mut().spawn(NavMap::new(open(30, 30))).id();
    wait_until_ready(&mut app, b);
    app.world_mut().entity_mut(a).insert(Disabled);
    (0..3).for_each(|_| app.update());
    assert!(is_free(&app, b, 3, 3));
    app.world_mut().entity_mut(a).remove::<Disabled>();
    (0..3).for_each(|_| app.update());
    assert!(!is_free(&app, a, 3, 3) && is_free(&app, b, 3, 3));
    assert_eq!(look(&app, entity).map(), Some(a));
}
