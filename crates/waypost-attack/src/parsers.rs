//! Damaged files of every kind that is read. What is read comes back from writing; what is refused says why in few words.

use crate::{Arena, Verdict, Work};
use std::fmt::Display;
use std::sync::OnceLock;
use waypost::MoveRules;
use waypost::formats::{Level, Reading, gppc, graph, map, png, scen, tiled};
use waypost::spec::AgentSpec;
use waypost::terrain::Footings;
use waypost_testkit::{TestRng, damage, shapes};

/// The longest message of an error: a file must not be able to fill a log.
const MAX_MESSAGE: usize = 1000;

/// A reader: gives the message of its error, or what is wrong with what it read.
type Reader = fn(&[u8]) -> Result<Result<(), String>, String>;

struct Kind {
    name: &'static str,
    good: Vec<Vec<u8>>,
    read: Reader,
}

fn kinds() -> &'static [Kind] {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let kind = |name, good: Vec<Vec<u8>>, read| Kind { name, good, read };
        vec![
            kind("map", maps(), read_map),
            kind("scen", vec![SCEN.into()], read_scen),
            kind("dynamic scen", vec![DYNAMIC.into()], read_dynamic),
            kind("patches", vec![PATCHES.into()], read_patches),
            kind("level", vec![LEVEL.into()], read_level),
            kind("footings", vec![FOOTINGS.into()], read_footings),
            kind("png", images(), read_png),
            kind("tiled", vec![TMX.into(), TMJ.into()], read_tiled),
            kind("graph", vec![GRAPH.into()], read_graph),
            kind(
                "spec",
                SPECS.iter().map(|s| (*s).into()).collect(),
                read_spec,
            ),
        ]
    })
}

/// A good file, damaged, given to its own reader or to any other.
pub fn case(_: &Arena, seed: u64) -> Verdict {
    let mut rng = TestRng::new(seed);
    let kinds = kinds();
    let kind = &kinds[rng.below(kinds.len() as u32) as usize];
    let mut bytes = kind.good[rng.below(kind.good.len() as u32) as usize].clone();
    damage(&mut bytes, &mut rng);
    let reader = if rng.percent(95) {
        kind
    } else {
        &kinds[rng.below(kinds.len() as u32) as usize]
    };
    match (reader.read)(&bytes) {
        Ok(Ok(())) => {}
        Ok(Err(message)) if message.len() <= MAX_MESSAGE => {}
        Ok(Err(message)) => {
            return Err(format!(
                "{}: a message of {} bytes",
                reader.name,
                message.len()
            ));
        }
        Err(wrong) => return Err(format!("{}: {wrong}", reader.name)),
    }
    Ok(Work {
        executions: 1,
        moves: 0,
    })
}

fn refused<T>(error: impl Display) -> Result<Result<(), String>, T> {
    Ok(Err(error.to_string()))
}

fn same(comes_back: bool, what: &str) -> Result<Result<(), String>, String> {
    match comes_back {
        true => Ok(Ok(())),
        false => Err(format!("{what} does not come back from writing")),
    }
}

fn read_map(bytes: &[u8]) -> Result<Result<(), String>, String> {
    match map::parse(bytes) {
        Ok(grid) => same(map::parse(&map::write(&grid)) == Ok(grid), "a map"),
        Err(error) => refused(error),
    }
}

/// A map with ground and doors, and what units of one and of two cells make of it.
fn read_level(bytes: &[u8]) -> Result<Result<(), String>, String> {
    match map::parse_level(bytes, reading()) {
        Ok(level) => maps_of(&level),
        Err(error) => refused(error),
    }
}

fn reading() -> &'static Reading {
    static READING: OnceLock<Reading> = OnceLock::new();
    READING.get_or_init(|| Reading {
        footings: Footings::parse(FOOTINGS).expect("good footings"),
        door_letters: "dD".to_string(),
    })
}

/// Files may claim large maps; the maps of small ones are made.
const MAX_MADE: u64 = 4000;

fn maps_of(level: &Level) -> Result<Result<(), String>, String> {
    let cells = u64::from(level.grid.width()) * u64::from(level.grid.height());
    for size in 1..=2 {
        if cells <= MAX_MADE
            && let Err(error) = level.map(MoveRules::default(), size)
        {
            return refused(error);
        }
    }
    Ok(Ok(()))
}

fn read_footings(bytes: &[u8]) -> Result<Result<(), String>, String> {
    match Footings::parse(&String::from_utf8_lossy(bytes)) {
        Ok(_) => Ok(Ok(())),
        Err(error) => refused(error),
    }
}

fn read_scen(bytes: &[u8]) -> Result<Result<(), String>, String> {
    match scen::parse(bytes) {
        Ok(problems) => {
            let again = scen::parse(&scen::write(&problems));
            let again = again.map_err(|error| format!("what was written is refused: {error}"))?;
            let ends = |p: &scen::Problem| (p.bucket, p.width, p.height, p.start, p.goal);
            same(
                problems.iter().map(ends).eq(again.iter().map(ends)),
                "a scenario",
            )
        }
        Err(error) => refused(error),
    }
}

fn read_dynamic(bytes: &[u8]) -> Result<Result<(), String>, String> {
    match gppc::parse_scenario(bytes) {
        Ok(scenario) => {
            let frames = scenario.commands.iter().map(|command| match command {
                gppc::Command::Patch { frame, .. } => *frame,
                gppc::Command::Query(query) => query.frame,
            });
            match frames.max() > Some(gppc::MAX_FRAME) {
                true => Err("a frame beyond the last".to_string()),
                false => Ok(Ok(())),
            }
        }
        Err(error) => refused(error),
    }
}

fn read_patches(bytes: &[u8]) -> Result<Result<(), String>, String> {
    match gppc::parse_patches(bytes) {
        Ok(_) => Ok(Ok(())),
        Err(error) => refused(error),
    }
}

fn read_png(bytes: &[u8]) -> Result<Result<(), String>, String> {
    let level = png::parse_level(bytes, png::DEFAULT_THRESHOLD, colours());
    if let Ok(Err(message)) = level.map(|level| maps_of(&level)).unwrap_or(Ok(Ok(()))) {
        return refused(message);
    }
    match png::parse(bytes, png::DEFAULT_THRESHOLD) {
        Ok(grid) => {
            let written = png::write(&grid).map_err(|error| error.to_string())?;
            let again = png::parse(&written, png::DEFAULT_THRESHOLD);
            same(again.is_ok_and(|again| again == grid), "an image")
        }
        Err(error) => refused(error),
    }
}

fn colours() -> &'static Footings {
    static COLOURS: OnceLock<Footings> = OnceLock::new();
    COLOURS.get_or_init(|| Footings::parse("ffffff=2,000000=#").expect("good colours"))
}

fn read_tiled(bytes: &[u8]) -> Result<Result<(), String>, String> {
    let mut tileset = |_: &str| Some(bytes.to_vec());
    let layer = tiled::Blocking::Layer("walls".to_string());
    let property = tiled::Blocking::Property("blocked".to_string());
    let level = tiled::parse_level(bytes, &layer, reading(), &mut tileset);
    if let Ok(Err(message)) = level.map(|level| maps_of(&level)).unwrap_or(Ok(Ok(()))) {
        return refused(message);
    }
    match tiled::parse(bytes, &property, &mut tileset) {
        Ok(_) => Ok(Ok(())),
        Err(error) => refused(error),
    }
}

fn read_graph(bytes: &[u8]) -> Result<Result<(), String>, String> {
    match graph::parse(bytes) {
        Ok(_) => Ok(Ok(())),
        Err(error) => refused(error),
    }
}

fn read_spec(bytes: &[u8]) -> Result<Result<(), String>, String> {
    match AgentSpec::parse(&String::from_utf8_lossy(bytes)) {
        Ok(spec) => {
            let again = AgentSpec::parse(&spec.to_string());
            same(
                again.is_ok_and(|again| again.to_string() == spec.to_string()),
                "a spec",
            )
        }
        Err(error) => refused(error),
    }
}

fn maps() -> Vec<Vec<u8>> {
    let text = |seed| shapes::any(seed, 2, 40).to_movingai();
    let unix = (0..4).map(|seed| text(seed).into_bytes());
    let windows = (4..6).map(|seed| text(seed).replace('\n', "\r\n").into_bytes());
    unix.chain(windows).collect()
}

fn images() -> Vec<Vec<u8>> {
    let image = |seed| {
        let text = shapes::any(seed, 2, 30).to_movingai();
        let grid = map::parse(text.as_bytes()).expect("a good map");
        png::write(&grid).expect("memory")
    };
    (0..4).map(image).collect()
}

const LEVEL: &str =
    "type octile\nheight 5\nwidth 9\nmap\n..SSWW.d.\n.@@@@@@D.\nTTT......\n..GG.OO..\n.SSS.WWW.\n";
const FOOTINGS: &str = "S=2,W=4.5,T=#,G=0.25";
const SCEN: &str = "version 1\n0\tmaps/a b.map\t20\t15\t0\t0\t4\t11\t12.65685424\n1\tmaps/a b.map\t20\t15\t7\t3\t4\t11\t9\n";
const DYNAMIC: &str = "version 2\nheight 5\nwidth 6\ncost 1 octile\npatch a b.patch\ncommands\nQ 0 0 0 5 4 6.65\nP 1 0 2 1\nP 1 1 0 0\nQ 1 0 0 5 0 5\n";
const PATCHES: &str = "type patch\npatches 2\npatch 0\nheight 2\nwidth 3\nmap\n@@@\n.@.\npatch 1\nheight 1\nwidth 1\nmap\n.\n";
const TMX: &str = "<?xml version=\"1.0\"?>\n<map orientation=\"orthogonal\" width=\"3\" height=\"2\" tilewidth=\"8\" tileheight=\"8\" infinite=\"0\"><tileset firstgid=\"1\" name=\"t\" tilecount=\"2\" columns=\"2\"><tile id=\"1\"><properties><property name=\"blocked\" type=\"bool\" value=\"true\"/></properties></tile></tileset><layer name=\"walls\" width=\"3\" height=\"2\"><data encoding=\"csv\">1,2,0,\n0,2,0</data></layer></map>";
const TMJ: &str = "{\"orientation\":\"orthogonal\",\"width\":3,\"height\":2,\"infinite\":false,\"tilesets\":[{\"firstgid\":1,\"tilecount\":2,\"tiles\":[{\"id\":1,\"properties\":[{\"name\":\"blocked\",\"type\":\"bool\",\"value\":true}]}]}],\"layers\":[{\"type\":\"tilelayer\",\"name\":\"walls\",\"width\":3,\"height\":2,\"data\":[1,2,0,0,2,0]}]}";
const GRAPH: &str = "waypost-graph 1\n# a square\nnode 0 0\nnode 3 0\nnode 3 3\nnode 0 3\nedge 0 1\nedge 1 2 5\nedge 2 3\nedge 3 0 9\n";
const SPECS: &[&str] = &[
    "lss-lrta:lookahead=40,weight=3",
    "knn-lrta:records=40,draw=uncovered,choose=cost,join=any,k=8,landmarks=4,fragments=on",
    "sectors:side=8,k=6,slice=40",
    "cpd:encoding=runs,repair=walk-up",
    "astar:landmarks=10",
    "tba:slice=30,weight=10",
];
