use super::*;
use crate::formats::FileKind;
use crate::terrain::Footings;

const LAYER: &str = r#"{"__identifier":"Collisions","__type":"IntGrid","__cWid":4,"__cHei":2,"__gridSize":16,
"intGridCsv":[0,1,2,3, 4,0,1,0]}"#;
const TILES: &str =
    r#"{"__identifier":"Art","__type":"Tiles","__cWid":4,"__cHei":2,"intGridCsv":[]}"#;

fn definitions(names: [Option<&str>; 4]) -> String {
    let value = |(i, name): (usize, &Option<&str>)| {
        let name = name.map_or("null".to_string(), |name| format!("\"{name}\""));
        format!(
            r##"{{"value":{},"identifier":{name},"color":"#000"}}"##,
            i + 1
        )
    };
    let values: Vec<_> = names.iter().enumerate().map(value).collect();
    format!(
        r#"{{"layers":[{{"identifier":"Collisions","type":"IntGrid","uid":7,"intGridValues":[{}]}}]}}"#,
        values.join(",")
    )
}

fn project(defs: &str, levels: &str) -> String {
    format!(
        r#"{{"__header__":{{"fileType":"LDtk Project JSON","app":"LDtk"}},"jsonVersion":"1.5.3","defs":{defs},"levels":[{levels}]}}"#
    )
}

fn level(name: &str, layers: &str) -> String {
    format!(
        r#"{{"identifier":"{name}","pxWid":64,"layerInstances":[{layers}],"externalRelPath":null}}"#
    )
}

fn parse(text: &str, choice: &Choice, terrain: &str) -> Result<Level, LdtkError> {
    let reading = Reading {
        footings: match terrain {
            "" => Footings::new(),
            terrain => Footings::parse(terrain).expect("terrain"),
        },
        ..Reading::default()
    };
    parse_level(text.as_bytes(), choice, &reading, &mut |_| None)
}

fn rows(level: &Level) -> String {
    let letter = |x, y| match level.grid.passable_cell(Point { x, y }) {
        Some(_) => '.',
        None => '@',
    };
    let row = |y| {
        (0..level.grid.width())
            .map(|x| letter(x, y))
            .collect::<String>()
    };
    (0..level.grid.height())
        .map(row)
        .collect::<Vec<_>>()
        .join("/")
}

#[test]
fn values_without_names_are_walls() {
    let text = project(
        &definitions([None; 4]),
        &level("Cellar", &format!("{TILES},{LAYER}")),
    );
    assert_eq!(FileKind::of(text.as_bytes()), FileKind::Ldtk);
    let read = parse(&text, &Choice::default(), "").expect("a project");
    assert_eq!(rows(&read), ".@@@/@.@.");
    assert!(
        read.notes.iter().any(|note| note.contains("all but 0")),
        "{:?}",
        read.notes
    );
    let choice = Choice {
        walls: vec![2, 3],
        ..Choice::default()
    };
    assert_eq!(
        rows(&parse(&text, &choice, "").expect("a project")),
        "..@@/...."
    );
}

#[test]
fn names_of_values_say_walls_doors_and_ground() {
    let defs = definitions([
        Some("mud"),
        Some("Stone_Wall"),
        Some("door_closed"),
        Some("Door"),
    ]);
    let text = project(&defs, &level("Cellar", LAYER));
    let read = parse(&text, &Choice::default(), "").expect("a project");
    assert_eq!(rows(&read), "..@@/....");
    let doors: Vec<_> = read
        .doors
        .iter()
        .map(|door| (door.at.x, door.at.y, door.is_open))
        .collect();
    assert_eq!(doors, [(3, 0, false), (0, 1, true)]);
    // Kept for unit types to ask for; nobody has said that it costs anything.
    assert!(read.classes.is_some_and(|classes| !classes.matter()));
    let read = parse(&text, &Choice::default(), "mud=3").expect("a project");
    let classes = read.classes.expect("ground");
    assert!(classes.matter());
    assert_eq!(
        classes.kinds()[usize::from(classes.at((1, 0).into()))].name,
        "mud"
    );
    let read = parse(&text, &Choice::default(), "mud=#").expect("a project");
    assert_eq!(rows(&read), ".@@@/..@.");
    let wrong = parse(&text, &Choice::default(), "lava=3");
    assert!(wrong.is_err_and(|e| e.to_string().contains("lava")));
}

#[test]
fn what_costs_is_no_wall() {
    let defs = definitions([Some("mud"), Some("rock"), None, None]);
    let text = project(&defs, &level("Cellar", LAYER));
    assert_eq!(
        rows(&parse(&text, &Choice::default(), "mud=2").expect("a project")),
        "..@@/@..."
    );
}

#[test]
fn levels_and_layers_are_chosen() {
    let small = LAYER
        .replace("\"__cHei\":2", "\"__cHei\":1")
        .replace("0,1,2,3, 4,0,1,0", "0,0,0,1");
    let ground = small
        .replace("Collisions", "Ground")
        .replace("0,0,0,1", "1,1,1,1");
    let text = project(
        "{}",
        &format!(
            "{},{}",
            level("A", LAYER),
            level("B", &format!("{ground},{small}"))
        ),
    );
    let read = |choice: &Choice| parse(&text, choice, "");
    let named = |level: &str, layer: Option<&str>| Choice {
        level: Some(level.to_string()),
        layer: layer.map(str::to_string),
        walls: Vec::new(),
    };
    let first = read(&Choice::default()).expect("the first");
    assert_eq!(rows(&first), ".@@@/@.@.");
    assert!(
        first.notes[0].contains("first of 2 levels"),
        "{:?}",
        first.notes
    );
    assert_eq!(
        rows(&read(&named("B", None)).expect("named for walls")),
        "...@"
    );
    assert_eq!(
        rows(&read(&named("B", Some("Ground"))).expect("by name")),
        "@@@@"
    );
    let message = |choice: &Choice| read(choice).expect_err("refused").to_string();
    assert_eq!(
        message(&named("C", None)),
        "there is no level `C`; expected one of: `A`, `B`"
    );
    assert_eq!(
        message(&named("B", Some("Sky"))),
        "level `B` has no IntGrid layer `Sky`; expected one of: `Ground`, `Collisions`"
    );
    let worlds = format!(
        r#"{{"levels":[],"worlds":[{{"levels":[{}]}}],"defs":{{}}}}"#,
        level("W", LAYER)
    );
    assert_eq!(
        rows(&parse(&worlds, &Choice::default(), "").expect("a world")),
        ".@@@/@.@."
    );
}

#[test]
fn levels_in_files_of_their_own() {
    let outside =
        r#"{"identifier":"Far","layerInstances":null,"externalRelPath":"maps/Far.ldtkl"}"#;
    let text = project("{}", outside);
    let mut asked = Vec::new();
    let read = parse_level(
        text.as_bytes(),
        &Choice::default(),
        &Reading::default(),
        &mut |name| {
            asked.push(name.to_string());
            Some(level("Far", LAYER).into_bytes())
        },
    );
    assert_eq!(rows(&read.expect("a level")), ".@@@/@.@.");
    assert_eq!(asked, ["maps/Far.ldtkl"]);
    let missing = parse(&text, &Choice::default(), "")
        .expect_err("refused")
        .to_string();
    assert!(
        missing.contains("`maps/Far.ldtkl`, which was not found"),
        "{missing}"
    );
    // The file by itself.
    let alone = level("Far", LAYER);
    assert_eq!(FileKind::of(alone.as_bytes()), FileKind::Ldtk);
    assert_eq!(
        rows(&parse(&alone, &Choice::default(), "").expect("a level")),
        ".@@@/@.@."
    );
}

#[test]
fn bad_files_are_refused() {
    let refused = |text: &str| {
        parse(text, &Choice::default(), "")
            .expect_err(text)
            .to_string()
    };
    assert!(refused("").contains("cannot be read"));
    assert!(refused("{}").contains("missing field"));
    let huge = LAYER.replace("\"__cWid\":4", "\"__cWid\":4000000000");
    assert!(refused(&project("{}", &level("A", &huge))).contains("expected sides from 1"));
    let wide = LAYER
        .replace("\"__cWid\":4", "\"__cWid\":60000")
        .replace("\"__cHei\":2", "\"__cHei\":60000");
    let message = refused(&project("{}", &level("A", &wide)));
    assert!(
        message.contains("got 8") || message.contains("expected sides"),
        "{message}"
    );
    let short = LAYER.replace(",0,1,0]", "]");
    assert!(refused(&project("{}", &level("A", &short))).contains("expected 8 cells, got 5"));
    assert!(
        refused(&project("{}", &level("A", TILES)))
            .contains("has no IntGrid layer; expected one, but there is none")
    );
    assert!(
        [&br#"{"type":"map","layers":[]}"#[..], b"type octile"]
            .iter()
            .all(|bytes| FileKind::of(bytes) != FileKind::Ldtk)
    );
    for end in 0..LAYER.len() {
        let text = project("{}", &level("A", &LAYER[..end]));
        let _ = parse(&text, &Choice::default(), "");
    }
}

#[test]
fn all_levels_are_read_in_their_order() {
    let levels = [
        level("Hall", LAYER),
        level("Empty", TILES),
        level("Yard", LAYER),
    ];
    let text = project("{}", &levels.join(","));
    let read = parse_levels(
        text.as_bytes(),
        &Choice::default(),
        &Reading::default(),
        &mut |_| None,
    );
    let read = read.expect("a project");
    let names: Vec<&str> = read.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Hall", "Empty", "Yard"]);
    let single = parse(&text, &Choice::default(), "").expect("the first");
    assert_eq!(
        read[0].1.as_ref().map(rows).ok(),
        Some(rows(&single)),
        "as it is read alone"
    );
    assert!(
        read[1].1.is_err(),
        "one that cannot be read leaves the rest"
    );
    assert!(read[2].1.is_ok());
}

#[test]
fn words_of_names_are_told_apart_however_they_are_joined() {
    for name in [
        "walls",
        "stone_wall",
        "Stone Wall",
        "StoneWall",
        "solidRock",
        "COLLISIONS",
    ] {
        assert!(says_wall(name), "{name}");
    }
    for name in ["wallpaper", "stonewallflower", "Ground", ""] {
        assert!(!says_wall(name), "{name}");
    }
}
