//! Where maps come from: seeds, files, links. And back: maps as files and links.

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};
use std::sync::Arc;
use waypost::formats::map::GroundLines;
use waypost::formats::{FileKind, Level, Reading, ldtk, map, png, tiled};
use waypost::generate::{Kind, generate, terrain};
use waypost::grid::{Grid, GridError, MAX_CELLS, MAX_SIDE, MoveRules};
use waypost::terrain::{Class, Classes, Factor, Footing, Footings};
use waypost::{Map, Point};

/// The letters of doors in `.map` files: open and closed.
pub const DOOR_LETTERS: &str = "dD";

/// A map that is made on the spot.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Seeded {
    /// Its kind, as `waypost gen` names it.
    pub kind: String,
    /// Cells from left to right.
    pub width: u32,
    /// Cells from top to bottom.
    pub height: u32,
    /// The seed.
    pub seed: u64,
    /// Whether ground is strewn over it.
    pub terrain: bool,
}

/// The maps that the page offers, with a few words each.
pub fn gallery() -> Vec<(&'static str, Seeded)> {
    let seeded = |kind: &str, width, height, seed, terrain| Seeded {
        kind: kind.to_string(),
        width,
        height,
        seed,
        terrain,
    };
    vec![
        ("Rooms", seeded("rooms", 96, 64, 3, false)),
        ("Caves", seeded("caves", 240, 160, 7, false)),
        ("Maze", seeded("maze", 121, 81, 1, false)),
        ("City", seeded("city", 512, 384, 5, false)),
        (
            "Country with roads and water",
            seeded("caves", 320, 240, 4, true),
        ),
        (
            "Arena, 0.2 million cells",
            seeded("arena", 512, 384, 1, false),
        ),
        (
            "Arena, 3 million cells",
            seeded("arena", 2000, 1500, 1, false),
        ),
        (
            "Arena, 25 million cells",
            seeded("arena", 5800, 4350, 1, false),
        ),
        (
            "Arena, 100 million cells",
            seeded("arena", 11500, 8600, 1, false),
        ),
    ]
}

/// A map and what a file says of it beyond walls.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The map.
    pub map: Map,
    /// The kinds of ground.
    pub classes: Option<Arc<Classes>>,
    /// A bit for every cell that is a door; none where there are none.
    pub doors: Option<Grid>,
    /// Its name, for people.
    pub name: String,
    /// The seed that it was made from.
    pub seeded: Option<Seeded>,
    /// Of a `.map` file, what its letters cost, as `--terrain` takes it; none of others, which say it themselves.
    pub letters: Option<String>,
    /// Whether it comes from a link: nobody has it as a file.
    pub is_linked: bool,
    /// Files that it names and that were not there.
    pub missing: Vec<String>,
}

impl Opened {
    /// From a level.
    pub fn of_level(level: Level, name: &str) -> Result<Opened, String> {
        let map = level.map(MoveRules::default(), 1);
        let map = map.map_err(|error| error.to_string())?;
        let mut doors = None;
        if !level.doors.is_empty() {
            let mut mask = no_cells(&map);
            level.doors.iter().for_each(|door| mask.set(door.at, true));
            doors = Some(mask);
        }
        Ok(Opened {
            map,
            classes: level.classes.map(Arc::new),
            doors,
            name: name.to_string(),
            seeded: None,
            letters: None,
            is_linked: false,
            missing: Vec::new(),
        })
    }

    /// From a seed.
    pub fn of_seed(seeded: &Seeded) -> Result<Opened, String> {
        let kind = Kind::from_name(&seeded.kind).ok_or_else(|| {
            let kinds = Kind::ALL.map(Kind::name).join(", ");
            format!(
                "no kind of map is called `{}`; there are {kinds}",
                seeded.kind
            )
        })?;
        let grid = generate(kind, seeded.width, seeded.height, seeded.seed);
        let grid = grid.map_err(|error| error.to_string())?;
        let level = match seeded.terrain {
            true => terrain::strew(&grid, seeded.seed),
            false => Level::plain(grid),
        };
        let opened = Opened::of_level(level, &format!("{}.map", seeded.kind))?;
        let costs = opened.classes.as_deref().map(costs_of);
        Ok(Opened {
            seeded: Some(seeded.clone()),
            letters: Some(costs.unwrap_or_default()),
            ..opened
        })
    }
}

/// The name of the file that a map is saved as. What its letters cost is part of it, since the format has no other place for that.
pub fn saved_name(name: &str, classes: Option<&Classes>) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = match costs_in(stem) {
        Some((at, _)) => stem[..at].trim_end(),
        None => stem,
    };
    match classes.map(costs_of).filter(|costs| !costs.is_empty()) {
        Some(costs) => format!("{stem} ({costs}).map"),
        None => format!("{stem}.map"),
    }
}

/// The costs that the name of a file has in brackets, and where these begin.
fn costs_in(name: &str) -> Option<(usize, &str)> {
    let mut brackets = name.match_indices('(');
    brackets.find_map(|(at, _)| {
        let (costs, _) = name[at + 1..].split_once(')')?;
        Footings::parse(costs).is_ok().then_some((at, costs))
    })
}

/// What the letters of a map's file cost, as `--terrain` takes it; empty where the format's own meaning does.
pub fn costs_of(classes: &Classes) -> String {
    let mut costs = Footings::new();
    for (class, letter) in classes.kinds().iter().zip(letters_of(classes)) {
        let is_usual = b".GS".contains(&letter.letter);
        match class.footing {
            Footing::Factor(Factor::ONE) if is_usual => {}
            Footing::Factor(_) => costs.set(&char::from(letter.letter).to_string(), class.footing),
            Footing::Wall => {}
        }
    }
    costs.to_string()
}

/// A map as a `.map` file, with letters for ground and doors; [`costs_of`] says what these cost.
pub fn to_file(grid: &Grid, doors: Option<&Grid>, classes: Option<&Classes>) -> Vec<u8> {
    let (width, height) = (grid.width(), grid.height());
    let mut bytes = format!("type octile\nheight {height}\nwidth {width}\nmap\n").into_bytes();
    bytes.reserve((width as usize + 1) * height as usize);
    let letters = classes.map(letters_of).unwrap_or_default();
    let mut covered = GroundLines::default();
    for y in 0..height {
        for x in 0..width {
            let at = Point { x, y };
            let is_open = grid.passable_cell(at).is_some();
            let is_door = doors.is_some_and(|doors| doors.passable_cell(at).is_some());
            let class = classes.map(|classes| classes.at(at));
            let ground = class.map_or(Letter::PLAIN, |class| letters[usize::from(class)]);
            if ground.is_costly && (is_door || !is_open) {
                covered.add(at, ground.letter);
            }
            bytes.push(match (is_door, is_open) {
                (true, true) => b'd',
                (true, false) => b'D',
                (false, true) if ground.is_wall => b'.',
                (false, false) if !ground.is_wall => b'@',
                (false, _) => ground.letter,
            });
        }
        bytes.push(b'\n');
    }
    covered.write(&mut bytes);
    bytes
}

/// How many stretches of floor the rows of a grid have: what parts of a map take grows with them.
pub fn stretches(grid: &Grid) -> u64 {
    let begun = |row: &[u64]| {
        let mut before = 0;
        let begun = row.iter().map(|&word| {
            let begins = word & !(word << 1 | before);
            before = word >> 63;
            u64::from(begins.count_ones())
        });
        begun.sum::<u64>()
    };
    grid.words().chunks(grid.words_per_row()).map(begun).sum()
}

/// A mask as large as a map, empty.
pub fn no_cells(map: &Map) -> Grid {
    let (width, height) = (map.grid().width(), map.grid().height());
    match Grid::blocked(width, height) {
        Ok(grid) => grid,
        Err(_) => unreachable!("as large as a map that there is"),
    }
}

#[derive(Clone, Copy)]
struct Letter {
    letter: u8,
    is_wall: bool,
    /// Whether it is ground that costs something else than `.`.
    is_costly: bool,
}

impl Letter {
    const PLAIN: Letter = Letter {
        letter: b'.',
        is_wall: false,
        is_costly: false,
    };
}

/// The letter of each class: its own where it has one of the format's, else one for ground of its kind, else any.
fn letters_of(classes: &Classes) -> Vec<Letter> {
    let own = |class: &Class| match class.name.as_bytes() {
        [letter @ (b'.' | b'G' | b'S' | b'T' | b'W')] => Some(*letter),
        _ => None,
    };
    let mut taken: Vec<u8> = classes.kinds().iter().filter_map(own).collect();
    let kinds = classes.kinds().iter();
    let plain = kinds.clone().find(|class| class.name == ".");
    let plain = plain.map_or(Footing::Factor(Factor::ONE), |class| class.footing);
    kinds
        .map(|class| {
            let is_wall = class.footing == Footing::Wall;
            let letter = match own(class) {
                Some(letter @ (b'T' | b'W')) if is_wall => letter,
                _ if is_wall => b'@',
                Some(letter) => letter,
                None if class.footing == Footing::Factor(Factor::ONE) => b'.',
                None => {
                    let ground = crate::tiles::ground_of(class);
                    let fitting = b"GSTW".get(usize::from(ground).wrapping_sub(1)).copied();
                    let any = fitting.into_iter().chain(b'a'..=b'z');
                    let mut free = any.filter(|letter| *letter != b'd' && !taken.contains(letter));
                    let letter = free.next().unwrap_or(b'S');
                    taken.push(letter);
                    letter
                }
            };
            Letter {
                letter,
                is_wall,
                is_costly: !is_wall && class.footing != plain,
            }
        })
        .collect()
}

/// Reads a file of any kind that the engine reads; the kind is seen from the contents. `costs` says what letters of `.map` files cost, as
/// `--terrain` takes it; where it is empty, the name of the file may say it ([`saved_name`]).
pub fn read_file(name: &str, bytes: &[u8], costs: &str) -> Result<Opened, String> {
    read_file_if(name, bytes, costs, |_| Ok(()))
}

/// The same, but a level that `admit` refuses does not become a map.
pub fn read_file_if(
    name: &str,
    bytes: &[u8],
    costs: &str,
    admit: impl FnOnce(&Level) -> Result<(), String>,
) -> Result<Opened, String> {
    let costs = match costs {
        "" => costs_in(name).map_or("", |(_, costs)| costs),
        costs => costs,
    };
    let is_letters = matches!(FileKind::of(bytes), FileKind::Letters | FileKind::Graph);
    let mut missing = Vec::new();
    let level = match is_letters {
        true => read_letters(bytes, costs),
        false => read_level(bytes, &mut missing),
    };
    let level = level?;
    admit(&level)?;
    Ok(Opened {
        letters: is_letters.then(|| costs.to_string()),
        missing,
        ..Opened::of_level(level, name)?
    })
}

fn read_level(bytes: &[u8], missing: &mut Vec<String>) -> Result<Level, String> {
    let reading = Reading::default();
    let kind = FileKind::of(bytes);
    if kind == FileKind::Png {
        let grid = png::parse(bytes, png::DEFAULT_THRESHOLD);
        return grid.map(Level::plain).map_err(|error| error.to_string());
    }
    if kind == FileKind::Ldtk {
        let choice = ldtk::Choice::default();
        let level = ldtk::parse_level(bytes, &choice, &reading, &mut |_| None);
        return level.map_err(|error| error.to_string());
    }
    let blocking = tiled::Blocking::Auto;
    let level = tiled::parse_level(bytes, &blocking, &reading, &mut |name| {
        missing.push(name.to_string());
        None
    });
    level.map_err(|error| error.to_string())
}

fn read_letters(bytes: &[u8], costs: &str) -> Result<Level, String> {
    // Rows of dots and at signs are all there is to most maps; others are read letter by letter.
    let header = bytes.windows(4).position(|four| four == b"\nmap");
    let rows = &bytes[header.map_or(0, |at| at + 4)..];
    let has_letters = rows.iter().any(|byte| b"GSTWOdD".contains(byte));
    if !has_letters && costs.is_empty() {
        let grid = map::parse(bytes);
        return grid.map(Level::plain).map_err(|error| error.to_string());
    }
    // A class that walls were drawn over is still among the costs.
    let mut footings = Footings::new();
    footings.set(".", Footing::Factor(Factor::ONE));
    if !costs.is_empty() {
        let costs = Footings::parse(costs).map_err(|error| error.to_string())?;
        // Of a line about ground under walls and doors, the last letter is one of the map's.
        let has = |line: &[u8], letter: u8| match line.strip_prefix(b"ground ") {
            Some(rest) => rest.trim_ascii_end().last() == Some(&letter),
            None => line.contains(&letter),
        };
        let is_met = |letter| {
            rows.split(|byte| *byte == b'\n')
                .any(|line| has(line, letter))
        };
        let met = costs.iter().filter(|(letter, _)| {
            let mut letters = letter.bytes();
            letters.len() != 1 || letters.any(is_met)
        });
        met.for_each(|(letter, footing)| footings.set(letter, footing));
    }
    let reading = Reading {
        footings,
        door_letters: DOOR_LETTERS.to_string(),
    };
    map::parse_level(bytes, &reading).map_err(|error| error.to_string())
}

/// Packs a file for a link.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Unpacks a link's map, which has up to so many bytes.
pub fn unpack(packed: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(packed)
        .take(most + 1)
        .read_to_end(&mut bytes);
    match read {
        Err(error) => Err(format!("the link's map is damaged: {error}")),
        Ok(_) if bytes.len() as u64 > most => {
            Err(format!("the link's map has more than {most} bytes"))
        }
        Ok(_) => Ok(bytes),
    }
}

/// Whether a map of this size can be made at all.
pub fn check_size(width: u32, height: u32) -> Result<(), String> {
    let fits = width <= MAX_SIDE && u64::from(width) * u64::from(height) <= MAX_CELLS;
    match (width.min(height), fits && height <= MAX_SIDE) {
        (0, _) => Err(GridError::Empty { width, height }.to_string()),
        (_, false) => Err(GridError::TooLarge { width, height }.to_string()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_doors_and_walls_stand_on_comes_back() {
        let rows = "type octile\nheight 2\nwidth 6\nmap\n.dDT@S\nTT.@@.\n";
        let text = format!("{rows}ground 1 0 2 T\nground 4 0 1 S\nground 3 1 2 T\n");
        let opened = read_file("a (S=2,T=8).map", text.as_bytes(), "").expect("a map");
        let (doors, classes) = (opened.doors.as_ref(), opened.classes.as_deref());
        let written = to_file(opened.map.grid(), doors, classes);
        assert_eq!(String::from_utf8(written).as_deref(), Ok(text.as_str()));
        let plain = read_file("a (S=2,T=8).map", rows.as_bytes(), "").expect("a map");
        assert_ne!(plain.map.terrain_digest(), opened.map.terrain_digest());
        // A letter that only the word `ground` has is no letter of the map.
        let costs = "S=2,T=8,r=3";
        assert!(read_file("a.map", text.as_bytes(), costs).is_ok());
    }

    #[test]
    fn maps_come_back_from_files_and_links() {
        let text = b"type octile\nheight 2\nwidth 6\nmap\n..SdD@\nTW.G@@\n";
        for costs in ["", "G=0.5,S=2,T=8,W=4.5", "S=3,T=1,W=#"] {
            let opened = read_file("a.map", text, costs).expect("a map");
            let doors = opened.doors.as_ref().expect("doors");
            assert_eq!(doors.passable_count(), 2);
            let classes = opened.classes.as_deref();
            let written = to_file(opened.map.grid(), Some(doors), classes);
            assert_eq!(written, text, "{}", String::from_utf8_lossy(&written));
            let link = unpack(&pack(&written), 1000).expect("whole");
            assert_eq!(link, text);
            // Saved and opened again, or shared: the same walls at the same costs.
            let name = saved_name("a.map", classes);
            let by_name = read_file(&name, text, "").expect("a map");
            let by_link = read_file(
                "shared.map",
                text,
                &classes.map(costs_of).unwrap_or_default(),
            );
            for again in [by_name, by_link.expect("a map")] {
                assert_eq!(again.map.fingerprint(), opened.map.fingerprint(), "{name}");
                assert_eq!(
                    again.map.terrain_digest(),
                    opened.map.terrain_digest(),
                    "{name}"
                );
                assert_eq!(
                    saved_name(&again.name, again.classes.as_deref()).contains('('),
                    name.contains('(')
                );
            }
            assert_eq!(saved_name(&name, classes), name);
            assert!(unpack(&pack(&written), 10).is_err());
        }
        assert!(unpack(b"nonsense that is no packed map", 1000).is_err());
    }

    #[test]
    fn ground_that_has_no_letter_of_its_own_gets_one() {
        let class = |name: &str, hundredths| Class {
            name: name.to_string(),
            footing: Factor::from_hundredths(hundredths).map_or(Footing::Wall, Footing::Factor),
        };
        let kinds = ["grass", "mud", "deep mud", "lava", "river"];
        let kinds = kinds.iter().zip([100, 200, 350, 0, 450]);
        let kinds = kinds.map(|(name, hundredths)| class(name, hundredths));
        let classes = Classes::new(5, 1, kinds.collect(), vec![0, 1, 2, 3, 4]);
        let level = Level {
            classes: classes.ok(),
            ..Level::plain(Grid::from_fn(5, 1, |at| at.x != 3).expect("legal"))
        };
        let opened = Opened::of_level(level, "a.tmx").expect("a map");
        let classes = opened.classes.as_deref();
        let file = to_file(opened.map.grid(), None, classes);
        let name = saved_name(&opened.name, classes);
        assert_eq!(name, "a (S=2,W=4.5,a=3.5).map");
        let again = read_file(&name, &file, "").expect("a map");
        assert_eq!(again.map.fingerprint(), opened.map.fingerprint());
        let cost = |map: &Map| {
            let cell = |x| map.passable_cell(Point { x, y: 0 });
            map.path_cost(&[cell(0), cell(1), cell(2)].map(|cell| cell.expect("floor")))
        };
        assert_eq!(cost(&again.map), cost(&opened.map));
    }

    #[test]
    fn the_gallery_can_be_made() {
        for (title, seeded) in gallery() {
            check_size(seeded.width, seeded.height).expect(title);
            if seeded.width < 400 {
                let opened = Opened::of_seed(&seeded).expect(title);
                assert!(opened.map.grid().passable_count() > 1000, "{title}");
            }
        }
        assert!(check_size(0, 5).is_err() && check_size(70_000, 5).is_err());
    }
}
