//! Levels of editors: the maps that come with Tiled, where `WAYPOST_MAPS` names a folder of them, and small ones made here.
#![cfg(feature = "tiled")]

use waypost::formats::tiled::{Blocking, parse_level};
use waypost::formats::{Level, Reading, map};
use waypost::terrain::Footings;
use waypost::{MoveRules, Point};

fn rows(level: &Level) -> Vec<String> {
    let grid = &level.grid;
    let letter = |x, y| match grid.passable_cell(Point { x, y }) {
        Some(_) => '.',
        None => '@',
    };
    let row = |y| (0..grid.width()).map(|x| letter(x, y)).collect();
    (0..grid.height()).map(row).collect()
}

fn read(text: &str) -> Level {
    let level = parse_level(
        text.as_bytes(),
        &Blocking::Auto,
        &Reading::default(),
        &mut |_| None,
    );
    level.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn tmx(attributes: &str, tiles: &str, rest: &str) -> String {
    format!(
        r#"<?xml version="1.0"?><!DOCTYPE map SYSTEM "http://example.org/map.dtd">
<map orientation="orthogonal" width="3" height="2" tilewidth="16" tileheight="16" {attributes}>
 <tileset firstgid="1" name="t">{tiles}</tileset>{rest}</map>"#
    )
}

const GROUND: &str =
    r#"<layer name="ground" width="3" height="2"><data encoding="csv">1,2,1,0,1,2</data></layer>"#;

#[test]
fn the_usual_properties_are_tried_in_turn_and_said() {
    for (name, value) in [
        ("blocked", "true"),
        ("solid", "true"),
        ("collides", "true"),
        ("walkable", "false"),
    ] {
        let tile = format!(
            r#"<tile id="1"><properties><property name="{name}" type="bool" value="{value}"/></properties></tile>"#
        );
        let level = read(&tmx("", &tile, GROUND));
        assert_eq!(rows(&level), [".@.", "..@"], "{name}");
        assert!(level.notes[0].contains(name), "{:?}", level.notes);
    }
    let shape = r#"<tile id="1"><objectgroup><object x="0" y="0" width="16" height="8"/></objectgroup></tile>"#;
    assert_eq!(rows(&read(&tmx("", shape, GROUND))), [".@.", "..@"]);
    // Nothing says what a wall is: the empty cell.
    let level = read(&tmx("", "", GROUND));
    assert_eq!(rows(&level), ["...", "@.."]);
    assert!(
        level.notes[0].contains("--blocked-layer"),
        "{:?}",
        level.notes
    );
}

#[test]
fn objects_and_named_layers_are_walls() {
    let objects = r#"<objectgroup name="Collision"><object x="16" y="0" width="16" height="20"/></objectgroup>
        <objectgroup name="spawns"><object x="0" y="0" width="16" height="16"/></objectgroup>"#;
    let level = read(&tmx("", "", &format!("{GROUND}{objects}")));
    assert_eq!(rows(&level), [".@.", ".@."]);
    let marked = r#"<objectgroup name="things"><object x="16" y="0" width="16" height="16"><properties><property name="solid" type="bool" value="true"/></properties></object>
        <object x="0" y="0" width="16" height="16"/></objectgroup>"#;
    let level = read(&tmx("", "", &format!("{GROUND}{marked}")));
    assert_eq!(rows(&level), [".@.", "..."], "the other object is none");
    assert!(level.notes[0].contains("objects"), "{:?}", level.notes);
    let walls = r#"<layer name="Walls" width="3" height="2"><data encoding="csv">0,0,7,7,0,0</data></layer>"#;
    assert_eq!(
        rows(&read(&tmx("", "", &format!("{GROUND}{walls}")))),
        ["..@", "@.."]
    );
}

#[test]
fn marked_layers_and_shapes_of_any_form_are_walls() {
    let solid = r#"<properties><property name="solid" type="bool" value="true"/></properties>"#;
    let marked = format!(
        r#"<layer name="upper" width="3" height="2">{solid}<data encoding="csv">0,0,7,7,0,0</data></layer>"#
    );
    let text = tmx("", "", &format!("{GROUND}{marked}"));
    assert_eq!(rows(&read(&text)), ["..@", "@.."]);
    let by_name = parse_level(
        text.as_bytes(),
        &Blocking::Property("solid".to_string()),
        &Reading::default(),
        &mut |_| None,
    );
    assert_eq!(rows(&by_name.expect("a layer has it")), ["..@", "@.."]);
    let full = r#"<layer name="ground" width="3" height="2"><data encoding="csv">1,1,1,1,1,1</data></layer>"#;
    let shapes = [
        (
            r#"x="0" y="0"><polygon points="16,0 48,0 48,16 16,16"/>"#,
            [".@@", "..."],
        ),
        (
            r#"x="48" y="0"><polygon points="0,0 0,32 -32,32"/>"#,
            ["..@", ".@@"],
        ),
        (
            r#"x="8" y="8"><polyline points="0,0 0,16 32,16"/>"#,
            ["@..", "@@@"],
        ),
        (
            r#"x="32" y="0" width="32" height="16" rotation="90""#,
            [".@.", ".@."],
        ),
        (r#"x="20" y="4"><point/>"#, ["...", "..."]),
        (
            r#"x="20" y="4" width="8" height="20"><ellipse/>"#,
            [".@.", ".@."],
        ),
    ];
    for (shape, expected) in shapes {
        let end = if shape.contains('>') {
            "</object>"
        } else {
            "/>"
        };
        let layer = format!(r#"<objectgroup name="Walls"><object {shape}{end}</objectgroup>"#);
        assert_eq!(
            rows(&read(&tmx("", "", &format!("{full}{layer}")))),
            expected,
            "{shape}"
        );
    }
    let json = r#"{"orientation":"orthogonal","width":3,"height":2,"tilewidth":16,"tileheight":16,"tilesets":[],"layers":[
        {"type":"tilelayer","name":"g","width":3,"height":2,"data":[1,1,1,1,1,1]},
        {"type":"objectgroup","name":"Walls","objects":[
        {"x":48,"y":0,"polygon":[{"x":0,"y":0},{"x":0,"y":32},{"x":-32,"y":32}]},
        {"x":8,"y":8,"rotation":90,"polyline":[{"x":0,"y":0},{"x":16,"y":0}]}]}]}"#;
    assert_eq!(rows(&read(json)), ["@.@", "@@@"]);
}

#[test]
fn costs_of_tiles_are_factors() {
    let read = |cost: &str| {
        let tile = format!(
            r#"<tile id="1"><properties><property name="cost" type="float" value="{cost}"/></properties></tile>"#
        );
        let text = tmx("", &tile, GROUND);
        parse_level(
            text.as_bytes(),
            &Blocking::Auto,
            &Reading::default(),
            &mut |_| None,
        )
    };
    assert!(read("2.5").expect("a factor").classes.is_some());
    for bad in ["0", "-1", "NaN", "inf", "100.5", "2.345", "much"] {
        let error = read(bad).expect_err(bad).to_string();
        assert!(
            error.contains("0.1 to 100") && error.contains(bad),
            "{error}"
        );
    }
}

#[test]
fn infinite_maps_are_cropped() {
    let layer = r#"<layer name="ground" width="3" height="2"><data encoding="csv">
        <chunk x="-16" y="0" width="2" height="2">0,1,0,1</chunk>
        <chunk x="-14" y="0" width="2" height="2">1,0,0,0</chunk></data></layer>"#;
    let level = read(&tmx("infinite=\"1\"", "", layer));
    assert_eq!(rows(&level), ["..", ".@"]);
    let json = r#"{"orientation":"orthogonal","width":3,"height":2,"infinite":true,"tilesets":[],
        "layers":[{"type":"tilelayer","name":"g","width":3,"height":2,
        "chunks":[{"x":5,"y":5,"width":2,"height":1,"data":[1,1]},{"x":5,"y":6,"width":2,"height":1,"data":[0,1]}]}]}"#;
    assert_eq!(rows(&read(json)), ["..", "@."]);
    let far = layer.replace("x=\"-14\"", "x=\"60000\"");
    let far = tmx("infinite=\"1\"", "", &far.replace("0,1,0,1", "1,1,1,1"));
    let wide = parse_level(
        far.as_bytes(),
        &Blocking::Auto,
        &Reading::default(),
        &mut |_| None,
    );
    assert!(wide.is_ok_and(|level| level.grid.width() > 60_000));
}

#[test]
fn terrain_and_doors_come_from_properties() {
    let tiles = r#"<tile id="0"><properties><property name="terrain" value="swamp"/></properties></tile>
        <tile id="1"><properties><property name="door" value="closed"/></properties></tile>"#;
    let text = tmx("", tiles, GROUND);
    let mut reading = Reading {
        footings: Footings::parse("swamp=2.5").expect("good"),
        ..Reading::default()
    };
    let level =
        parse_level(text.as_bytes(), &Blocking::Auto, &reading, &mut |_| None).expect("good");
    let doors: Vec<_> = level
        .doors
        .iter()
        .map(|d| (d.at.x, d.at.y, d.is_open))
        .collect();
    assert_eq!(doors, [(1, 0, false), (2, 1, false)]);
    assert_eq!(rows(&level), [".@.", "@.@"]);
    assert_eq!(level.all_open().passable_count(), 5);
    let map = level.map(MoveRules::default(), 1).expect("good");
    assert_eq!(map.doors().map(|doors| doors.len()), Some(2));
    assert_ne!(map.fingerprint(), map.open_fingerprint());
    assert_eq!(map.with_doors_open().fingerprint(), map.open_fingerprint());
    assert!(
        level
            .map(MoveRules::default(), 1)
            .expect("good")
            .ground()
            .is_some()
    );
    reading.footings = Footings::parse("lava=2").expect("good");
    let unknown = parse_level(text.as_bytes(), &Blocking::Auto, &reading, &mut |_| None);
    let error = unknown.expect_err("no such class").to_string();
    assert!(
        error.contains("`lava`") && error.contains("swamp"),
        "{error}"
    );
}

#[test]
fn letters_have_factors_and_doors() {
    let text = b"type octile\nheight 2\nwidth 5\nmap\n.SW@d\nTGxD.\n";
    let reading = |terrain: &str, doors: &str| Reading {
        footings: Footings::parse(terrain).expect("good"),
        door_letters: doors.to_string(),
    };
    let level = map::parse_level(text, &reading("S=2,W=4.5,x=3,G=#", "dD")).expect("good");
    assert_eq!(rows(&level), ["...@.", "@@.@."]);
    let doors: Vec<_> = level
        .doors
        .iter()
        .map(|d| (d.at.x, d.at.y, d.is_open))
        .collect();
    assert_eq!(doors, [(4, 0, true), (3, 1, false)]);
    let again = map::parse_level(text, &reading("S=2", "dD")).expect_err("x is unknown");
    assert!(again.to_string().contains("`x`"), "{again}");
    let unknown = map::parse_level(text, &reading("q=2,x=1", "dD")).expect_err("no q");
    assert!(unknown.to_string().contains("`q`"), "{unknown}");
    // A letter of the format that the map does not have is no mistake.
    assert!(map::parse_level(text, &reading("O=2,x=1", "dD")).is_ok());
}

#[test]
fn the_editors_own_maps_open() {
    let Some(folder) = std::env::var_os("WAYPOST_MAPS") else {
        return;
    };
    let folder = std::path::Path::new(&folder).join("tiled");
    let Ok(files) = std::fs::read_dir(&folder) else {
        return;
    };
    for file in files.map(|file| file.expect("readable").path()) {
        if file.extension().is_none_or(|e| e != "tmx") {
            continue;
        }
        let bytes = std::fs::read(&file).expect("readable");
        let mut beside = |name: &str| std::fs::read(folder.join(name)).ok();
        let level = parse_level(&bytes, &Blocking::Auto, &Reading::default(), &mut beside);
        match level {
            Ok(level) => assert!(level.grid.passable_count() > 0, "{file:?}"),
            Err(error) => assert!(
                error.to_string().contains("six neighbours"),
                "{file:?}: {error}"
            ),
        }
    }
}
