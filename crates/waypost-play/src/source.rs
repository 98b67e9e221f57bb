//! Where maps come from: seeds, files, links. And back: maps as files and links.

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};
use std::sync::Arc;
use waypost::formats::{Level, Reading, ldtk, map, png, tiled};
use waypost::generate::{Kind, generate, terrain};
use waypost::grid::{Grid, GridError, MAX_CELLS, MAX_SIDE, MoveRules};
use waypost::terrain::{Classes, Footing, Footings};
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
        Ok(Opened {
            seeded: Some(seeded.clone()),
            ..opened
        })
    }
}

/// A map as a `.map` file, with letters for ground and doors.
pub fn to_file(grid: &Grid, doors: Option<&Grid>, classes: Option<&Classes>) -> Vec<u8> {
    let (width, height) = (grid.width(), grid.height());
    let mut bytes = format!("type octile\nheight {height}\nwidth {width}\nmap\n").into_bytes();
    bytes.reserve((width as usize + 1) * height as usize);
    let letters = classes.map(letters_of).unwrap_or_default();
    for y in 0..height {
        for x in 0..width {
            let at = Point { x, y };
            let is_open = grid.passable_cell(at).is_some();
            let is_door = doors.is_some_and(|doors| doors.passable_cell(at).is_some());
            let class = classes.map(|classes| classes.at(at));
            let ground = class.map_or(Letter::PLAIN, |class| letters[usize::from(class)]);
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
    bytes
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
}

impl Letter {
    const PLAIN: Letter = Letter {
        letter: b'.',
        is_wall: false,
    };
}

/// The letter of each class: its own where it has one of the format's, else one for ground of its kind.
fn letters_of(classes: &Classes) -> Vec<Letter> {
    let kinds = classes.kinds().iter();
    kinds
        .map(|class| {
            let is_wall = class.footing == Footing::Wall;
            let letter = match class.name.as_bytes() {
                [letter @ (b'.' | b'G' | b'S' | b'T' | b'W')] => *letter,
                _ if is_wall => b'@',
                _ => b".GSTW"[usize::from(crate::tiles::ground_of(class)).min(4)],
            };
            Letter { letter, is_wall }
        })
        .collect()
}

/// Reads a file of any kind that the engine reads; the kind is seen from the contents. `costs` gives letters of `.map` files the
/// factors that generated ground has.
pub fn read_file(name: &str, bytes: &[u8], costs: bool) -> Result<Opened, String> {
    let level = read_level(bytes, costs).map_err(|error| format!("{name}: {error}"))?;
    Opened::of_level(level, name).map_err(|error| format!("{name}: {error}"))
}

fn read_level(bytes: &[u8], costs: bool) -> Result<Level, String> {
    let reading = Reading {
        footings: match costs {
            true => terrain::footings(),
            false => Footings::default(),
        },
        door_letters: DOOR_LETTERS.to_string(),
    };
    if bytes.starts_with(b"\x89PNG") {
        let grid = png::parse(bytes, png::DEFAULT_THRESHOLD);
        return grid.map(Level::plain).map_err(|error| error.to_string());
    }
    if ldtk::is_ldtk(bytes) {
        let choice = ldtk::Choice::default();
        let level = ldtk::parse_level(bytes, &choice, &reading, &mut |_| None);
        return level.map_err(|error| error.to_string());
    }
    if matches!(bytes.trim_ascii_start().first(), Some(b'<' | b'{')) {
        let blocking = tiled::Blocking::Auto;
        let level = tiled::parse_level(bytes, &blocking, &reading, &mut |_| None);
        return level.map_err(|error| error.to_string());
    }
    let plain = map::parse(bytes);
    // Rows of dots and at signs are all there is to most maps; others are read again, letter by letter.
    let letters = b"GSTWOdD";
    let has_letters = bytes[bytes.len().min(40)..]
        .iter()
        .any(|byte| letters.contains(byte));
    match (plain, has_letters) {
        (Ok(grid), false) => Ok(Level::plain(grid)),
        (Err(error), false) => Err(error.to_string()),
        (_, true) => {
            let footings = match costs {
                true => reading.footings.clone(),
                false => Footings::parse(".=1").unwrap_or_default(),
            };
            let reading = Reading {
                footings,
                ..reading
            };
            map::parse_level(bytes, &reading).map_err(|error| error.to_string())
        }
    }
}

/// Columns and rows of an image, before it is unpacked.
pub fn image_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let sizes = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
    let number = |bytes: &[u8]| bytes.try_into().map(u32::from_be_bytes).ok();
    Some((number(&sizes[..4])?, number(&sizes[4..])?))
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
    fn maps_come_back_from_files_and_links() {
        let text = b"type octile\nheight 2\nwidth 6\nmap\n..SdD@\nTW.G@@\n";
        for costs in [false, true] {
            let opened = read_file("a.map", text, costs).expect("a map");
            let doors = opened.doors.as_ref().expect("doors");
            assert_eq!(doors.passable_count(), 2);
            let classes = opened.classes.as_deref();
            let written = to_file(opened.map.grid(), Some(doors), classes);
            assert_eq!(written, text, "{}", String::from_utf8_lossy(&written));
            let link = unpack(&pack(&written), 1000).expect("whole");
            assert_eq!(link, text);
            assert!(unpack(&pack(&written), 10).is_err());
        }
        assert!(unpack(b"nonsense that is no packed map", 1000).is_err());
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

    #[test]
    fn images_tell_their_size_first() {
        let opened = Opened::of_seed(&gallery()[0].1).expect("small");
        let image = png::write(opened.map.grid()).expect("an image");
        assert_eq!(image_size(&image), Some((96, 64)));
        let again = read_file("a.png", &image, false).expect("a map");
        assert_eq!(again.map.grid(), opened.map.grid());
        assert_eq!(image_size(b"\x89PNG"), None);
    }
}
