//! Good files of every kind, to be loaded as they are and to be damaged.

use crate::Loader;
use waypost::{Grid, formats};
use waypost_testkit::{TestMap, shapes};

/// Names and bytes.
pub fn files(loader: Loader) -> Vec<(String, Vec<u8>)> {
    let maps = (0..4).map(|seed| (format!("map {seed}"), shapes::any(seed, 3, 60)));
    match loader {
        Loader::Map => maps
            .flat_map(|(name, map)| {
                let text = map.to_movingai();
                let windows = text.replace('\n', "\r\n").trim_end().to_owned();
                [
                    (name.clone(), text.into_bytes()),
                    (format!("{name}, CRLF"), windows.into_bytes()),
                ]
            })
            .chain([(
                "narrow map".to_owned(),
                TestMap::filled(1, 3000, true).to_movingai().into_bytes(),
            )])
            .collect(),
        Loader::Scen => vec![
            ("tabs".to_owned(), scenario("\t").into_bytes()),
            ("spaces".to_owned(), scenario(" ").into_bytes()),
            ("no problems".to_owned(), b"version 1.0\r\n".to_vec()),
        ],
        Loader::DynamicScen => vec![("dynamic".to_owned(), DYNAMIC.as_bytes().to_vec())],
        Loader::Patches => vec![("patches".to_owned(), PATCHES.as_bytes().to_vec())],
        Loader::Png => maps.map(|(name, map)| (name, image(&map))).collect(),
        Loader::Tiled => vec![
            ("tmx".to_owned(), tmx("csv", "", "1,2,1,0,2,1").into_bytes()),
            (
                "tmx base64".to_owned(),
                tmx("base64", "", PLAIN).into_bytes(),
            ),
            (
                "tmx zlib".to_owned(),
                tmx("base64", "zlib", ZLIB).into_bytes(),
            ),
            ("tmj".to_owned(), TMJ.as_bytes().to_vec()),
        ],
    }
}

fn scenario(separator: &str) -> String {
    let problems = (0..12).map(|i| {
        let (x, y) = ((7 * i % 20).to_string(), (3 * i % 15).to_string());
        let length = format!("{}", f64::from(i) * 1.375);
        let fields = [
            &i.to_string(),
            "maps/a b.map",
            "20",
            "15",
            &x,
            &y,
            "4",
            "11",
            &length,
        ];
        fields.join(separator) + "\n"
    });
    format!("version 1\n{}", problems.collect::<String>())
}

fn image(map: &TestMap) -> Vec<u8> {
    let grid = Grid::from_fn(map.width(), map.height(), |p| map.is_open_at((p.x, p.y)));
    formats::png::write(&grid.expect("a legal size")).expect("memory")
}

const DYNAMIC: &str = "version 2\nheight 5\nwidth 6\ncost 1 octile\npatch a.patch\ncommands\n\
    Q 0 0 0 5 4 6.6568542494924\nP 1 0 2 1\nP 1 1 0 0\nQ 1 0 0 5 0 5\n";
const PATCHES: &str = "type patch\npatches 2\npatch 0\nheight 2\nwidth 3\nmap\n@@@\n.@.\npatch 1\nheight 1\nwidth 1\nmap\n.\n";

/// The tiles 1, 2, 1, 0, 2, 1.
const PLAIN: &str = "AQAAAAIAAAABAAAAAAAAAAIAAAABAAAA";
/// The same, pressed.
const ZLIB: &str = "eNpjZGBgYAJiRgYIgLEBAHwACA==";

pub fn tmx(encoding: &str, compression: &str, data: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<map orientation=\"orthogonal\" width=\"3\" height=\"2\">\n\
         <tileset firstgid=\"1\"><tile id=\"1\"><properties>\
         <property name=\"blocked\" type=\"bool\" value=\"true\"/></properties></tile></tileset>\n\
         <layer name=\"walls\" width=\"3\" height=\"2\"><data encoding=\"{encoding}\" compression=\"{compression}\">\
         {data}</data></layer>\n</map>\n"
    )
}

pub const TMJ: &str = r#"{"orientation":"orthogonal","width":3,"height":2,
"tilesets":[{"firstgid":1,"tiles":[{"id":1,"properties":[{"name":"blocked","value":true}]}]}],
"layers":[{"type":"tilelayer","name":"walls","width":3,"height":2,"data":[1,2,1,0,2,1]}]}"#;
