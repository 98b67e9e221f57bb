use super::*;
use crate::grid::Point;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::Write;

const TILES: [u32; 6] = [1, 3, 2, 0, 0xa000_0003, 1];

fn rows(grid: &Grid) -> String {
    let cell = |x, y| {
        if grid.passable_cell(Point { x, y }).is_some() {
            '.'
        } else {
            '@'
        }
    };
    let row = |y| {
        (0..grid.width())
            .map(|x| cell(x, y))
            .chain(['/'])
            .collect::<String>()
    };
    (0..grid.height()).map(row).collect()
}

fn tmx(data: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" width="3" height="2" infinite="0">
 <tileset firstgid="1" name="ground" tilewidth="16" tileheight="16" tilecount="4" columns="2">
  <tile id="2"><properties><property name="blocked" type="bool" value="true"/></properties></tile>
  <tile id="0"><properties><property name="blocked" type="bool" value="false"/></properties></tile>
 </tileset>
 <group name="all">
  <layer id="1" name="ground" width="3" height="2">{data}</layer>
 </group>
 <layer id="2" name="walls" width="3" height="2"><data encoding="csv">
0,0,0,
4,0,0
</data></layer>
</map>"#
    )
}

fn tmj(data: &str) -> String {
    format!(
        r#"{{"type":"map","orientation":"orthogonal","width":3,"height":2,"infinite":false,
"tilesets":[{{"firstgid":1,"tiles":[{{"id":2,"properties":[{{"name":"blocked","type":"bool","value":true}},
{{"name":"weight","type":"object","value":{{"deep":[1,2.5,null,"x"]}}}}]}}]}}],
"layers":[{{"type":"group","name":"all","layers":[{{"type":"tilelayer","name":"ground","width":3,"height":2,{data}}}]}},
{{"type":"objectgroup","name":"things","objects":[{{"x":1}}]}},
{{"type":"tilelayer","name":"walls","width":3,"height":2,"data":[0,0,0,4,0,0]}}]}}"#
    )
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut bits = 0u32;
        (0..3).for_each(|i| bits = bits << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= chunk.len() {
                letter as char
            } else {
                '='
            });
        }
    }
    text
}

/// The tiles in every compression, as base64.
fn packed() -> [(&'static str, String); 3] {
    let raw: Vec<u8> = TILES.iter().flat_map(|tile| tile.to_le_bytes()).collect();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    zlib.write_all(&raw).expect("memory");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&raw).expect("memory");
    [
        ("", base64(&raw)),
        ("zlib", base64(&zlib.finish().expect("memory"))),
        ("gzip", base64(&gzip.finish().expect("memory"))),
    ]
}

/// The same map in every form that Tiled stores it in.
fn all_forms() -> Vec<String> {
    let elements: String = TILES
        .iter()
        .map(|tile| format!("<tile gid=\"{tile}\"/>"))
        .collect();
    let list = TILES.map(|tile| tile.to_string()).join(",");
    let mut forms = vec![
        tmx(&format!("<data>{elements}</data>")),
        tmx(&format!("<data encoding=\"csv\">\n{list}\n</data>")),
        tmj(&format!("\"data\":[{list}]")),
    ];
    for (compression, text) in packed() {
        forms.push(tmx(&format!(
            "<data encoding=\"base64\" compression=\"{compression}\">\n  {text}\n</data>"
        )));
        forms.push(tmj(&format!(
            "\"encoding\":\"base64\",\"compression\":\"{compression}\",\"data\":\"{text}\""
        )));
    }
    forms
}

fn no_tilesets(_: &str) -> Option<Vec<u8>> {
    None
}

fn property(name: &str) -> Blocking {
    Blocking::Property(name.to_owned())
}

fn layer(name: &str) -> Blocking {
    Blocking::Layer(name.to_owned())
}

#[test]
fn every_form_gives_the_same_map() {
    for form in all_forms() {
        let read = |blocking| parse(form.as_bytes(), &blocking, &mut no_tilesets);
        assert_eq!(
            read(property("blocked")).map(|g| rows(&g)),
            Ok(".@./.@./".to_owned()),
            "{form}"
        );
        assert_eq!(
            read(layer("walls")).map(|g| rows(&g)),
            Ok(".../@../".to_owned()),
            "{form}"
        );
        assert_eq!(
            read(layer("ground")).map(|g| rows(&g)),
            Ok("@@@/.@@/".to_owned()),
            "{form}"
        );
        let error = read(layer("roof")).expect_err("no such layer").to_string();
        assert!(error.contains("`ground`, `walls`"), "{error}");
        assert!(matches!(
            read(property("lava")),
            Err(TiledError::NoProperty { .. })
        ));
    }
}

#[test]
fn tilesets_in_other_files_are_asked_for() {
    let text = &all_forms()[1];
    let start = text.find("<tileset").expect("a tileset");
    let end = text.find("</tileset>").expect("a tileset") + "</tileset>".len();
    let text = format!(
        "{}<tileset firstgid=\"2\" source=\"a/b.tsx\"/>{}",
        &text[..start],
        &text[end..]
    );
    let tsx = r#"<tileset name="x"><tile id="0"><properties><property name="blocked" value="true"/></properties></tile></tileset>"#;
    let tsj = r#"{"name":"x","tiles":[{"id":0,"properties":[{"name":"blocked","type":"bool","value":true}]}]}"#;
    for set in [tsx, tsj] {
        let mut asked = Vec::new();
        let mut give = |name: &str| {
            asked.push(name.to_owned());
            Some(set.as_bytes().to_vec())
        };
        let grid = parse(text.as_bytes(), &property("blocked"), &mut give).expect("a good map");
        assert_eq!(
            (rows(&grid).as_str(), asked),
            ("..@/.../", vec!["a/b.tsx".to_owned()])
        );
    }
    let missing = parse(text.as_bytes(), &property("blocked"), &mut no_tilesets);
    assert!(matches!(missing, Err(TiledError::NoTileset { .. })));
    assert!(parse(text.as_bytes(), &layer("walls"), &mut no_tilesets).is_ok());
}

#[test]
fn sizes_are_not_believed() {
    let read = |text: &str| parse(text.as_bytes(), &layer("ground"), &mut no_tilesets);
    for form in all_forms() {
        for (from, to) in [
            ("width=\"3\"", "width=\"60000\""),
            ("\"width\":3", "\"width\":60000"),
        ] {
            let found = read(&form.replace(from, to));
            assert!(
                found.is_ok() != form.contains(from)
                    || matches!(found, Err(TiledError::Tiles { .. }))
            );
        }
        let found = read(&form.replacen("height=\"2\"", "height=\"3\"", 1).replacen(
            "\"height\":2",
            "\"height\":3",
            1,
        ));
        assert!(matches!(found, Err(TiledError::Tiles { .. })), "{found:?}");
    }
    for side in ["0", "65536"] {
        let text = all_forms()[1].replace("width=\"3\"", &format!("width=\"{side}\""));
        assert!(matches!(read(&text), Err(TiledError::Side { .. })));
    }
}

#[test]
fn what_is_not_read_is_named() {
    let form = &all_forms()[1];
    let error = |text: &str| {
        let found = parse(text.as_bytes(), &layer("ground"), &mut no_tilesets);
        found.expect_err("refused").to_string()
    };
    assert!(error(&form.replace("orthogonal", "hexagonal")).contains("six neighbours"));
    assert!(error(&form.replace("orthogonal", "spherical")).contains("`spherical`"));
    assert!(error(&form.replace("csv", "base91")).contains("`base91`"));
    assert!(error(&form.replace("1,3,2", "1,x,2")).contains("`x`"));
    assert!(error(&form.replace("width=\"3\"", "width=\"-3\"")).contains("line 2"));
    assert!(error("<mop/>").contains("`mop`"));
    assert!(error("{\"width\":1}").contains("missing field"));
    for bad in ["", "<map", "{", "type octile", "<map/>", "\u{feff}"] {
        error(bad);
    }
    assert!(matches!(
        parse(b"\xff\xfe<", &layer("x"), &mut no_tilesets),
        Err(TiledError::Syntax { .. })
    ));
}
