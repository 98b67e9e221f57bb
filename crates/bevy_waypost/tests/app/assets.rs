//! Levels and indexes from files, and files that change.

use crate::stage::*;
use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::io::memory::{Dir, MemoryAssetReader};
use bevy_asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy_asset::{AssetApp, AssetPlugin, AssetServer, Handle};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_waypost::NavLevelSettings;
use bevy_waypost::prelude::*;
use std::path::Path;
use waypost_testkit::TestMap;

/// An app whose files are in memory.
pub fn app_with_files() -> (App, Dir) {
    let files = Dir::default();
    let root = files.clone();
    let mut app = App::new();
    app.register_asset_source(
        AssetSourceId::Default,
        AssetSourceBuilder::new(move || Box::new(MemoryAssetReader { root: root.clone() })),
    );
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        AssetPlugin::default(),
        WaypostPlugin::default(),
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    (app, files)
}

pub fn load(app: &App, path: &'static str) -> Handle<NavLevel> {
    app.world().resource::<AssetServer>().load(path)
}

fn rows(app: &App, map: Entity) -> String {
    let nav = app
        .world()
        .get::<NavMap>(map)
        .and_then(NavMap::navigator)
        .expect("ready");
    let map = nav.map();
    let letter = |x, y| {
        if map.passable_cell((x, y).into()).is_some() {
            '.'
        } else {
            '@'
        }
    };
    let row = |y| {
        (0..map.grid().width())
            .map(|x| letter(x, y))
            .collect::<String>()
    };
    (0..map.grid().height())
        .map(row)
        .collect::<Vec<_>>()
        .join("/")
}

pub const LEVEL: &str = "type octile\nheight 3\nwidth 5\nmap\n.....\n.@@@.\n.....\n";
const ROWS: &str = "...../.@@@./.....";

#[cfg(feature = "png")]
fn png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 5, 3);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("memory");
    let pixels: Vec<u8> = ROWS
        .bytes()
        .filter(|&b| b != b'/')
        .map(|b| if b == b'.' { 255 } else { 0 })
        .collect();
    writer.write_image_data(&pixels).expect("memory");
    drop(writer);
    bytes
}

const TMX: &str = r#"<map orientation="orthogonal" width="5" height="3" tilewidth="8" tileheight="8">
<tileset firstgid="1" source="sets/walls.tsx"/>
<layer name="ground" width="5" height="3"><data encoding="csv">1,1,1,1,1, 1,2,2,2,1, 1,1,1,1,1</data></layer></map>"#;
const TSX: &str = r#"<tileset name="walls"><tile id="1"><properties><property name="solid" type="bool" value="true"/></properties></tile></tileset>"#;
const LDTK: &str = r#"{"jsonVersion":"1.5.3","defs":{"layers":[]},"levels":[{"identifier":"Hall","layerInstances":[
{"__identifier":"Walls","__type":"IntGrid","__cWid":5,"__cHei":3,"intGridCsv":[0,0,0,0,0,0,1,1,1,0,0,0,0,0,0]}]},
{"identifier":"Yard","layerInstances":[
{"__identifier":"Walls","__type":"IntGrid","__cWid":2,"__cHei":2,"intGridCsv":[0,1,0,0]}]}]}"#;

#[test]
fn levels_of_all_kinds() {
    let (mut app, files) = app_with_files();
    files.insert_asset_text(Path::new("a.map"), LEVEL);
    files.insert_asset(Path::new("a.png"), png());
    files.insert_asset_text(Path::new("levels/a.tmx"), TMX);
    files.insert_asset_text(Path::new("levels/sets/walls.tsx"), TSX);
    files.insert_asset_text(Path::new("a.ldtk"), LDTK);
    for path in ["a.map", "a.png", "levels/a.tmx", "a.ldtk"] {
        let level = load(&app, path);
        let map = app.world_mut().spawn(NavMap::load(level)).id();
        wait_until_ready(&mut app, map);
        assert_eq!(rows(&app, map), ROWS, "{path}");
        app.world_mut().despawn(map);
    }
}

#[cfg(feature = "ldtk")]
#[test]
fn levels_of_one_project_side_by_side() {
    let (mut app, files) = app_with_files();
    files.insert_asset_text(Path::new("a.ldtk"), LDTK);
    files.insert_asset_text(Path::new("b.ldtk"), LDTK);
    let spawn = |app: &mut App, level| {
        let map = app.world_mut().spawn(NavMap::load(level)).id();
        wait_until_ready(app, map);
        map
    };
    let levels = ["a.ldtk", "a.ldtk#Yard", "a.ldtk#Hall"].map(|path| load(&app, path));
    let maps = levels.map(|level| spawn(&mut app, level));
    let settings = |settings: &mut NavLevelSettings| {
        settings.ldtk_level = Some("Yard".to_string());
    };
    let server = app.world().resource::<AssetServer>();
    let chosen = server.load_builder().with_settings(settings).load("b.ldtk");
    let chosen = spawn(&mut app, chosen);
    let drawn = maps.map(|map| rows(&app, map));
    assert_eq!(drawn, [ROWS, ".@/..", ROWS]);
    assert_eq!(rows(&app, chosen), ".@/..");
    // A change of the file changes all of them.
    let changed = LDTK.replace("[0,1,0,0]", "[0,1,1,0]");
    files.insert_asset_text(Path::new("a.ldtk"), &changed);
    app.world().resource::<AssetServer>().reload("a.ldtk");
    wait_until(&mut app, |world| {
        let map = world.get::<NavMap>(maps[1]).expect("a map");
        map.state() == NavState::Ready && map.navigator().is_some_and(|nav| !nav.is_free((0, 1)))
    });
}

#[test]
fn a_level_that_cannot_be_read_says_why() {
    let (mut app, files) = app_with_files();
    files.insert_asset_text(
        Path::new("bad.map"),
        "type octile\nheight 3\nwidth 5\nmap\n.....\n",
    );
    for path in ["bad.map", "missing.map"] {
        let level = load(&app, path);
        let map = app.world_mut().spawn(NavMap::load(level)).id();
        assert_eq!(
            app.world().get::<NavMap>(map).expect("a map").state(),
            NavState::Loading
        );
        wait_until(&mut app, |world| {
            world.get::<NavMap>(map).expect("a map").state() == NavState::Failed
        });
        let nav_map = app.world().get::<NavMap>(map).expect("a map");
        assert!(
            nav_map.error().is_some_and(|reason| reason.contains(path)),
            "{:?}",
            nav_map.error()
        );
        let told = read::<NavMapFailed>(&mut app);
        assert_eq!(told.len(), 1);
        app.world_mut().despawn(map);
    }
}

#[test]
fn indexes_are_shipped_and_those_of_other_maps_are_not_believed() {
    let (mut app, files) = app_with_files();
    let level = noise(80, 6);
    let nav = waypost::Navigator::build(map_of(&level)).expect("an index");
    files.insert_asset_text(Path::new("a.map"), &level.to_movingai());
    files.insert_asset(Path::new("a.nav"), nav.save().expect("indexes"));
    files.insert_asset(
        Path::new("cut.nav"),
        nav.save().expect("indexes")[..500].to_vec(),
    );
    files.insert_asset_text(Path::new("b.map"), &noise(80, 7).to_movingai());
    for (map, index) in [
        ("a.map", "a.nav"),
        ("a.map", "cut.nav"),
        ("b.map", "a.nav"),
        ("b.map", "none.nav"),
    ] {
        let level = load(&app, map);
        let index: Handle<NavIndex> = app.world().resource::<AssetServer>().load(index);
        let map = app
            .world_mut()
            .spawn(NavMap::load(level).with_index(index))
            .id();
        wait_until_ready(&mut app, map);
        app.world_mut().despawn(map);
    }
}

#[test]
fn files_that_change_are_built_again() {
    let (mut app, files) = app_with_files();
    files.insert_asset_text(Path::new("a.map"), LEVEL);
    let level = load(&app, "a.map");
    let map = app.world_mut().spawn(NavMap::load(level)).id();
    wait_until_ready(&mut app, map);
    let entity = walker(&mut app, (0, 1), (4, 1));
    app.update();
    app.update();
    let mut other = TestMap::filled(9, 3, true);
    other.set(0, 0, false);
    files.insert_asset_text(Path::new("a.map"), &other.to_movingai());
    app.world().resource::<AssetServer>().reload("a.map");
    wait_until(&mut app, |world| {
        let map = world.get::<NavMap>(map).expect("a map");
        map.size().x == 9 && map.state() == NavState::Ready
    });
    assert_eq!(rows(&app, map), "@......../........./.........");
    (0..9).for_each(|_| app.update());
    assert_eq!(
        cell(&app, entity),
        (4, 1),
        "it goes on to its goal on the new map"
    );
    // A change that cannot be read leaves the map as it is.
    files.insert_asset_text(Path::new("a.map"), "nonsense");
    app.world().resource::<AssetServer>().reload("a.map");
    (0..50).for_each(|_| {
        app.update();
        std::thread::sleep(std::time::Duration::from_millis(1));
    });
    assert_eq!(rows(&app, map), "@......../........./.........");
}

#[cfg(feature = "file_watcher")]
#[test]
fn files_on_disk_are_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.map");
    std::fs::write(&file, LEVEL).expect("written");
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        AssetPlugin {
            file_path: folder.path().to_string_lossy().into_owned(),
            ..AssetPlugin::default()
        },
        WaypostPlugin::default(),
    ));
    let level = load(&app, "a.map");
    let map = app.world_mut().spawn(NavMap::load(level)).id();
    wait_until_ready(&mut app, map);
    std::fs::write(&file, LEVEL.replace('@', ".")).expect("written");
    wait_until(&mut app, |world| {
        let nav = world.get::<NavMap>(map).and_then(NavMap::navigator);
        nav.expect("ready").is_free((2, 1))
    });
}
