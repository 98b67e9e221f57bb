//! Files that are broken and mended, and indexes that do not fit.

use crate::assets::{LEVEL, app_with_files, load};
use crate::stage::*;
use bevy_asset::{
    AssetEvent, AssetLoadError, AssetLoadFailedEvent, AssetPath, AssetServer, Assets,
};
use bevy_ecs::prelude::*;
use bevy_waypost::prelude::*;
use std::path::Path;
use std::sync::Arc;
use waypost::navigator::{BuildOptions, Navigator, UnitType};

const BROKEN: &str = "type octile\nheight 3\nwidth 5\nmap\n.....\n";
const OPEN: &str = "type octile\nheight 3\nwidth 5\nmap\n.....\n.....\n.....\n";

fn is_in(world: &World, map: Entity, state: NavState) -> bool {
    world.get::<NavMap>(map).expect("a map").state() == state
}

#[test]
fn a_level_that_is_mended_is_built() {
    let (mut app, files) = app_with_files();
    files.insert_asset_text(Path::new("a.map"), BROKEN);
    let level = load(&app, "a.map");
    let map = app.world_mut().spawn(NavMap::load(level)).id();
    wait_until(&mut app, |world| is_in(world, map, NavState::Failed));
    (0..5).for_each(|_| app.update());
    files.insert_asset_text(Path::new("a.map"), LEVEL);
    app.world().resource::<AssetServer>().reload("a.map");
    wait_until(&mut app, |world| is_in(world, map, NavState::Ready));
    assert!(!is_free(&app, map, 2, 1));
}

#[test]
fn a_level_that_gets_broken_is_told_of() {
    let (mut app, files) = app_with_files();
    files.insert_asset_text(Path::new("a.map"), LEVEL);
    let level = load(&app, "a.map");
    let map = app.world_mut().spawn(NavMap::load(level)).id();
    wait_until_ready(&mut app, map);
    let entity = walker(&mut app, (0, 0), (4, 2));
    files.insert_asset_text(Path::new("a.map"), BROKEN);
    app.world().resource::<AssetServer>().reload("a.map");
    let mut told = Vec::new();
    wait_until(&mut app, |world| is_in(world, map, NavState::Failed));
    for _ in 0..5 {
        told.extend(read::<NavMapFailed>(&mut app));
        app.update();
    }
    let reason = &told[0].reason;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        reason.contains("a.map") && reason.lines().count() == 1,
        "{reason}"
    );
    assert_eq!(nav_map(&mut app, map).error(), Some(reason.as_str()));
    // Walkers go on on the map that is there.
    ticks(&mut app, 20);
    assert_eq!(cell(&app, entity), (4, 2));
    files.insert_asset_text(Path::new("a.map"), OPEN);
    app.world().resource::<AssetServer>().reload("a.map");
    wait_until(&mut app, |world| is_in(world, map, NavState::Ready));
    assert!(is_free(&app, map, 2, 1));
}

#[test]
fn a_level_that_is_added_and_breaks_in_one_frame_is_broken() {
    let (mut app, files) = app_with_files();
    files.insert_asset_text(Path::new("a.map"), LEVEL);
    let level = load(&app, "a.map");
    let map = app.world_mut().spawn(NavMap::load(level.clone())).id();
    wait_until_ready(&mut app, map);
    app.world_mut()
        .write_message(AssetEvent::Added { id: level.id() });
    let path = AssetPath::from("a.map");
    app.world_mut().write_message(AssetLoadFailedEvent {
        id: level.id(),
        path: path.clone(),
        error: AssetLoadError::EmptyPath(path),
    });
    app.update();
    assert!(is_in(app.world(), map, NavState::Failed));
}

#[test]
fn a_level_that_changes_and_breaks_in_one_frame_is_built_and_told_of() {
    let (mut app, _) = app_with_files();
    let level = |map| NavLevel {
        map: Arc::new(map),
        notes: Vec::new(),
    };
    let mut levels = app.world_mut().resource_mut::<Assets<NavLevel>>();
    let handle = levels.add(level(open(5, 5)));
    let map = app.world_mut().spawn(NavMap::load(handle.clone())).id();
    wait_until_ready(&mut app, map);
    let mut levels = app.world_mut().resource_mut::<Assets<NavLevel>>();
    levels
        .insert(handle.id(), level(open(7, 7)))
        .expect("a place");
    let (id, path) = (handle.id(), AssetPath::from("a.map"));
    app.world_mut().write_message(AssetEvent::Modified { id });
    app.world_mut().write_message(AssetLoadFailedEvent {
        id,
        path: path.clone(),
        error: AssetLoadError::EmptyPath(path),
    });
    app.update();
    assert_eq!(read::<NavMapFailed>(&mut app).len(), 1);
    wait_until(&mut app, |world| is_in(world, map, NavState::Ready));
    assert!(is_free(&app, map, 6, 6));
}

#[test]
fn an_index_with_another_type_of_that_name_is_done_without() {
    let (mut app, _) = app_with_files();
    let tank = UnitType::new("tank").size(2);
    let options = BuildOptions::default().unit_type(tank);
    let nav = Navigator::build_with(open(40, 40), options).expect("built");
    let bytes: Arc<[u8]> = nav.save().expect("saved").to_vec().into();
    let level = NavLevel {
        map: Arc::new(open(40, 40)),
        notes: Vec::new(),
    };
    let level = app
        .world_mut()
        .resource_mut::<Assets<NavLevel>>()
        .add(level);
    let index = NavIndex { bytes };
    let index = app
        .world_mut()
        .resource_mut::<Assets<NavIndex>>()
        .add(index);
    // The tanks of the game have grown since the index was made.
    let map = NavMap::load(level)
        .with_index(index)
        .with_profile(NavProfile::new("tank", 3));
    let map = app.world_mut().spawn(map).id();
    wait_until_ready(&mut app, map);
    let entity = walker(&mut app, (2, 2), (30, 30));
    let tank = NavProfile::new("tank", 3);
    app.world_mut().entity_mut(entity).insert(tank);
    ticks(&mut app, 40);
    assert_eq!(cell(&app, entity), (30, 30));
}

#[test]
fn a_level_that_breaks_while_it_is_built_is_told_of_once() {
    let (mut app, files) = app_with_files();
    files.insert_asset_text(Path::new("a.map"), &noise(400, 4).to_movingai());
    let level = load(&app, "a.map");
    let map = app.world_mut().spawn(NavMap::load(level)).id();
    wait_until(&mut app, |world| is_in(world, map, NavState::Building));
    files.insert_asset_text(Path::new("a.map"), BROKEN);
    app.world().resource::<AssetServer>().reload("a.map");
    let mut told = Vec::new();
    while told.is_empty() || is_in(app.world(), map, NavState::Building) {
        app.update();
        told.extend(read::<NavMapFailed>(&mut app));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    for _ in 0..100 {
        app.update();
        told.extend(read::<NavMapFailed>(&mut app));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(told.len(), 1, "{told:?}");
}
