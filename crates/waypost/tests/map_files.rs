//! Maps from files that hold several or name others, through the front door.
#![cfg(all(feature = "ldtk", feature = "tiled"))]

use waypost::prelude::*;

const PROJECT: &str = r#"{"levels":[
 {"identifier":"Cellar","layerInstances":[{"__identifier":"Walls","__type":"IntGrid","__cWid":3,"__cHei":1,"intGridCsv":[0,1,0]}]},
 {"identifier":"Attic","layerInstances":null,"externalRelPath":"levels/Attic.ldtkl"}],
 "defs":{"layers":[{"identifier":"Walls","intGridValues":[{"value":1,"identifier":"wall"},{"value":2,"identifier":"mud"}]}]}}"#;
const ATTIC: &str = r#"{"identifier":"Attic","layerInstances":[
 {"__identifier":"Walls","__type":"IntGrid","__cWid":3,"__cHei":2,"intGridCsv":[0,2,0,1,1,1]},
 {"__identifier":"Other","__type":"IntGrid","__cWid":1,"__cHei":1,"intGridCsv":[0]}]}"#;
const TILED: &str = r#"<map orientation="orthogonal" width="3" height="1" tilewidth="8" tileheight="8"><tileset firstgid="1" source="tiles/t.tsx"/>
 <layer name="ground" width="3" height="1"><data encoding="csv">1,2,1</data></layer>
 <layer name="roof" width="3" height="1"><data encoding="csv">0,0,1</data></layer></map>"#;
const TILESET: &str = r#"<tileset name="t" tilewidth="8" tileheight="8"><tile id="1"><properties><property name="solid" type="bool" value="true"/></properties></tile></tileset>"#;

fn beside(name: &str) -> Option<Vec<u8>> {
    let text = match name {
        "levels/Attic.ldtkl" => ATTIC,
        "tiles/t.tsx" => TILESET,
        _ => return None,
    };
    Some(text.as_bytes().to_vec())
}

fn choice(level: Option<&str>, layer: Option<&str>) -> FileChoice {
    FileChoice {
        level: level.map(str::to_string),
        layer: layer.map(str::to_string),
    }
}

fn read(text: &str, choice: &FileChoice) -> Result<Map, waypost::Error> {
    Map::from_files(text.as_bytes(), choice, &mut beside)
}

fn free(map: &Map) -> Vec<bool> {
    let row = |x| map.passable_cell(Point { x, y: 0 }).is_some();
    (0..map.grid().width()).map(row).collect()
}

#[test]
fn a_level_of_a_project_is_chosen() {
    let first = Map::from_bytes(PROJECT.as_bytes()).expect("the first level");
    assert_eq!(free(&first), [true, false, true]);
    let attic = read(PROJECT, &choice(Some("Attic"), None)).expect("a level beside");
    assert_eq!(free(&attic), [true; 3]);
    let other = read(PROJECT, &choice(Some("Attic"), Some("Other"))).expect("another layer");
    assert_eq!(other.grid().width(), 1);
    // Names of ground are kept for unit types to ask for.
    let boots = UnitType::new("boots").factor("mud", 3.0).expect("in range");
    let options = BuildOptions::default().unit_type(boots);
    let nav = Navigator::build_with(attic, options).expect("a world");
    assert_eq!(nav.distance((0, 0), (2, 0)).expect("a way"), 2.0);
    let boots = nav.for_unit("boots").expect("a unit type");
    assert_eq!(boots.distance((0, 0), (2, 0)).expect("a way"), 4.0);
}

#[test]
fn a_tileset_beside_says_what_blocks() {
    let map = read(TILED, &FileChoice::default()).expect("a map");
    assert_eq!(free(&map), [true, false, true]);
    let map = read(TILED, &choice(None, Some("roof"))).expect("a layer");
    assert_eq!(free(&map), [true, true, false]);
}

#[test]
fn what_is_not_there_is_named() {
    let says = |text: &str, choice: &FileChoice, words: &[&str]| {
        let error = read(text, choice).expect_err("refused").to_string();
        for word in words {
            assert!(error.contains(word), "{error}: {word}");
        }
    };
    says(
        PROJECT,
        &choice(Some("Garden"), None),
        &["Garden", "Cellar", "Attic"],
    );
    says(
        TILED,
        &choice(None, Some("sky")),
        &["sky", "ground", "roof"],
    );
    says(TILED, &choice(Some("Attic"), None), &["level", "LDtk"]);
    let plain = "type octile\nheight 1\nwidth 1\nmap\n.\n";
    says(plain, &choice(None, Some("roof")), &["layer", "Tiled"]);
    let alone = Map::from_files(
        PROJECT.as_bytes(),
        &choice(Some("Attic"), None),
        &mut |_| None,
    );
    let error = alone.expect_err("the file is missing").to_string();
    assert!(error.contains("levels/Attic.ldtkl"), "{error}");
}
