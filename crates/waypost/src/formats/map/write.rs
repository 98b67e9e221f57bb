//! Levels as `.map` files: a letter for every cell, and nothing that the letter cannot say.

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
    /// What lies under a wall or a door costs what no letter says.
    #[error(
        "the {what} at ({}, {}) stands on ground of factor {factor}, and a .map file has one letter for both, which is ground of factor {plain}", at.x, at.y
    )]
    Hidden {
        /// `wall` or `door`.
        what: &'static str,
        /// Where.
        at: Point,
        /// What the ground under it costs.
        factor: Factor,
        /// What it would cost when the file is read.
        plain: Factor,
    },
}

/// Writes a map with the letters of its classes, which have one letter each; other walls are `@`, doors `d` (open) and `D`
/// (closed). Read with the same factors and [`DOOR_LETTERS`] it has the same walls, doors and costs; a level of which that
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
    let begin = bytes.len();
    for y in 0..height {
        for x in 0..width {
            let at = Point { x, y };
            let class = usize::from(classes.at(at));
            bytes.push(match level.grid.passable_cell(at) {
                Some(_) => letters.ground(class, at)?,
                None => letters.wall(class, at)?,
            });
        }
        bytes.push(b'\n');
    }
    for door in &level.doors {
        let Point { x, y } = door.at;
        let place = begin + y as usize * (width as usize + 1) + x as usize;
        letters.covers(usize::from(classes.at(door.at)), door.at, "door")?;
        let is_open = level.grid.passable_cell(door.at).is_some();
        bytes[place] = DOOR_LETTERS.as_bytes()[usize::from(!is_open)];
    }
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
        if self.kinds[class].footing != Footing::Wall {
            return self.of[class].ok_or_else(|| WriteError::NoLetter {
                class: self.kinds[class].name.clone(),
                at,
            });
        }
        self.covers(class, at, "opened wall")?;
        Ok(b'.')
    }

    /// A wall: the letter of its class where the class is one.
    fn wall(&self, class: usize, at: Point) -> Result<u8, WriteError> {
        self.covers(class, at, "wall")?;
        let is_wall = self.kinds[class].footing == Footing::Wall;
        Ok(self.of[class].filter(|_| is_wall).unwrap_or(self.wall))
    }

    /// Refuses a cell whose ground is lost under another letter, if that changes what it costs.
    fn covers(&self, class: usize, at: Point, what: &'static str) -> Result<(), WriteError> {
        let (factor, plain) = (self.factors[class], self.plain);
        match factor == plain {
            true => Ok(()),
            false => Err(WriteError::Hidden {
                what,
                at,
                factor,
                plain,
            }),
        }
    }
}

fn is_door(name: &str) -> bool {
    DOOR_LETTERS
        .chars()
        .any(|letter| name == String::from(letter))
}
