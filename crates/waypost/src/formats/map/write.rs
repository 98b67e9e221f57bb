//! Levels as `.map` files: a letter for every cell, and behind the rows what lies under walls and doors.

use super::GroundLines;
use crate::formats::Level;
use crate::grid::{Grid, Point};
use crate::terrain::{Class, Classes, Factor, Footing};
use thiserror::Error;

/// The letters of written doors, open and closed: what [`crate::formats::Reading::door_letters`] has to have.
pub const DOOR_LETTERS: &str = "dD";

/// Why a level cannot be written as a `.map` file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    /// A class whose name is no letter.
    #[error(
        "ground of the class `{class}` at ({}, {}) has no letter in a .map file; name classes by one printable character each", at.x, at.y
    )]
    NoLetter {
        /// The class.
        class: String,
        /// The first cell of it.
        at: Point,
    },
    /// A class that is named like a door, on a level with doors.
    #[error(
        "the class `{class}` has the letter of a door in a .map file ({DOOR_LETTERS}); give the class another name"
    )]
    LetterOfDoors {
        /// The class.
        class: String,
    },
    /// All letters of walls are those of ground.
    #[error("the letters @, O, T and W are all ground here, and a .map file needs one for walls")]
    NoLetterForWalls,
    /// A wall by its class costs, once it is open, what no letter says.
    #[error(
        "the wall by its class at ({}, {}) is ground of factor {factor} when it is opened, which no letter of a .map file says: there it is ground of factor {plain}", at.x, at.y
    )]
    Hidden {
        /// Where.
        at: Point,
        /// What it costs when it is open.
        factor: Factor,
        /// What it would cost when the file is read.
        plain: Factor,
    },
}

/// Writes a map with the letters of its classes, which have one letter each; other walls are `@`, doors `d` (open) and `D`
/// (closed); ground under them that costs something of its own stands in lines behind the rows. Read with the same factors and [`DOOR_LETTERS`] it has the same walls, doors and costs; a level of which that
/// would not be true is refused.
///
/// ```
/// use waypost::formats::{Reading, map};
/// use waypost::terrain::Footings;
/// let reading = Reading {
///     footings: Footings::parse("S=2")?,
///     door_letters: map::DOOR_LETTERS.to_string(),
/// };
/// let text = b"type octile\nheight 1\nwidth 5\nmap\n.SD@d\n";
/// let level = map::parse_level(text, &reading)?;
/// assert_eq!(map::write_level(&level)?, text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_level(level: &Level) -> Result<Vec<u8>, WriteError> {
    let (width, height) = (level.grid.width(), level.grid.height());
    let plain = Classes::plain(width, height);
    let classes = level.classes.as_ref().unwrap_or(&plain);
    let letters = Letters::new(classes.kinds(), !level.doors.is_empty())?;
    let mut bytes = head(&level.grid);
    let mut covered = GroundLines::default();
    let mut doors: Vec<(u32, u32)> = level.doors.iter().map(|d| (d.at.y, d.at.x)).collect();
    doors.sort_unstable();
    doors.dedup();
    let mut doors = doors.into_iter().peekable();
    for y in 0..height {
        for x in 0..width {
            let at = Point { x, y };
            let class = usize::from(classes.at(at));
            let is_open = level.grid.passable_cell(at).is_some();
            let is_door = doors.next_if_eq(&(y, x)).is_some();
            if let Some(letter) = letters.under(class, at, is_open && !is_door)? {
                covered.add(at, letter);
            }
            bytes.push(match (is_door, is_open) {
                (true, _) => DOOR_LETTERS.as_bytes()[usize::from(!is_open)],
                (false, true) => letters.ground(class, at)?,
                (false, false) => letters.wall(class),
            });
        }
        bytes.push(b'\n');
    }
    covered.write(&mut bytes);
    Ok(bytes)
}

/// Writes a map with `.` for passable and `@` for blocked cells.
pub fn write(grid: &Grid) -> Vec<u8> {
    let mut bytes = head(grid);
    for y in 0..grid.height() {
        for x in 0..grid.width() {
            let is_passable = grid.passable_cell(Point { x, y }).is_some();
            bytes.push(if is_passable { b'.' } else { b'@' });
        }
        bytes.push(b'\n');
    }
    bytes
}

fn head(grid: &Grid) -> Vec<u8> {
    let (width, height) = (grid.width(), grid.height());
    let mut bytes = format!("type octile\nheight {height}\nwidth {width}\nmap\n").into_bytes();
    bytes.reserve((width as usize + 1) * height as usize);
    bytes
}

/// The letters of a level, and what a reader makes of them.
struct Letters<'a> {
    kinds: &'a [Class],
    /// By class.
    of: Vec<Option<u8>>,
    /// By class: what cells of it cost; that of class 0 where it is a wall.
    factors: Vec<Factor>,
    wall: u8,
    /// What a reader takes the ground of walls and doors for: that of `.`.
    plain: Factor,
}

impl Letters<'_> {
    fn new(kinds: &[Class], has_doors: bool) -> Result<Letters<'_>, WriteError> {
        let factor = |class: &Class| match class.footing {
            Footing::Factor(factor) => Some(factor),
            Footing::Wall => None,
        };
        let letter = |class: &Class| match class.name.as_bytes() {
            &[letter] if letter.is_ascii_graphic() => Some(letter),
            _ => None,
        };
        if has_doors && let Some(class) = kinds.iter().find(|c| is_door(&c.name)) {
            return Err(WriteError::LetterOfDoors {
                class: class.name.clone(),
            });
        }
        let named = |name: &str| kinds.iter().find(|class| class.name == name);
        let opened = kinds.first().and_then(factor).unwrap_or(Factor::ONE);
        let mut walls = "@OTW".chars().map(String::from);
        let wall = walls.find(|name| named(name).and_then(factor).is_none());
        let wall = wall.ok_or(WriteError::NoLetterForWalls)?;
        Ok(Letters {
            of: kinds.iter().map(letter).collect(),
            factors: kinds.iter().map(|c| factor(c).unwrap_or(opened)).collect(),
            wall: wall.as_bytes()[0],
            plain: named(".").and_then(factor).unwrap_or(Factor::ONE),
            kinds,
        })
    }

    /// A passable cell: the letter of its class, or that of plain ground where its class is a wall that was opened.
    fn ground(&self, class: usize, at: Point) -> Result<u8, WriteError> {
        match self.kinds[class].footing {
            Footing::Wall => Ok(b'.'),
            Footing::Factor(_) => self.letter(class, at),
        }
    }

    fn letter(&self, class: usize, at: Point) -> Result<u8, WriteError> {
        self.of[class].ok_or_else(|| WriteError::NoLetter {
            class: self.kinds[class].name.clone(),
            at,
        })
    }

    /// A wall: the letter of its class where the class is one.
    fn wall(&self, class: usize) -> u8 {
        let is_wall = self.kinds[class].footing == Footing::Wall;
        self.of[class].filter(|_| is_wall).unwrap_or(self.wall)
    }

    /// The letter of what lies under a wall or a door, where a reader would take it for plain ground of another cost. Ground that can
    /// be seen has none, and must not be a wall by its class that costs something of its own.
    fn under(&self, class: usize, at: Point, is_seen: bool) -> Result<Option<u8>, WriteError> {
        let (factor, plain) = (self.factors[class], self.plain);
        match self.kinds[class].footing {
            _ if factor == plain => Ok(None),
            Footing::Wall => Err(WriteError::Hidden { at, factor, plain }),
            Footing::Factor(_) if is_seen => Ok(None),
            Footing::Factor(_) => self.letter(class, at).map(Some),
        }
    }
}

fn is_door(name: &str) -> bool {
    DOOR_LETTERS
        .chars()
        .any(|letter| name == String::from(letter))
}
