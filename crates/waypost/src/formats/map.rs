//! MovingAI `.map` files.
//!
//! A header (`type octile`, `height H`, `width W` in either order, `map`) and `H` rows of `W` letters. Passable are `.`,
//! `G` and `S`; blocked are `@`, `O`, `T` and `W`. Lines end in `\n` or `\r\n`; the last may lack its end, and blank
//! lines may follow. What lies under walls and doors and costs something of its own stands in lines behind the rows
//! (`ground X Y N LETTER`: the N cells from (X, Y) to the right); files of others have none.
//!
//! A row is turned into bits as it is read: 20 million cells take a few hundredths of a second.

mod ground;
mod write;

pub use ground::GroundLines;
pub use write::{DOOR_LETTERS, WriteError, write, write_level};

use super::level::{Door, Level, Reading};
use super::text::{Line, Lines, quote};
use crate::grid::{Grid, GridError, MAX_SIDE, Point};
use crate::terrain::{Class, Classes, Factor, Footing, LETTERS, TerrainError};
use thiserror::Error;

/// Why a `.map` file was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MapError {
    /// The caller's factors do not fit the map.
    #[error(transparent)]
    Factors(#[from] TerrainError),
    /// There are no bytes, or only blanks.
    #[error("the map file is empty; expected `type octile` in line 1")]
    Empty,
    /// The file is something else that Waypost knows.
    #[error("{what}; expected a map")]
    Other {
        /// What it is, and what it is for.
        what: &'static str,
    },
    /// A header line is not what it has to be.
    #[error(
        "line {line}, column {column}: expected {expected}, got {got}; a map begins with the lines `type octile`, `height H`, `width W`, `map`"
    )]
    Header {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What belongs there.
        expected: &'static str,
        /// What was found.
        got: String,
    },
    /// The type is not `octile`.
    #[error("line {line}, column {column}: map type {got} is not supported; expected `octile`")]
    Type {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The type found.
        got: String,
    },
    /// The width or height is not a number that a side can have.
    #[error(
        "line {line}, column {column}: expected a {field} from 1 to {MAX_SIDE}, got {got}; correct the header"
    )]
    Side {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// `width` or `height`.
        field: &'static str,
        /// What was found.
        got: String,
    },
    /// The sides are legal, the area is not.
    #[error("line {line}: {error}; split the map")]
    Size {
        /// The last line of the header.
        line: usize,
        /// What is too large.
        error: GridError,
    },
    /// A row is shorter or longer than the width.
    #[error(
        "line {line}, column {column}: expected a row of {expected} cells, got {got}; correct the row or the header's width"
    )]
    RowLength {
        /// The line, from 1.
        line: usize,
        /// The column at which the row ends too early or goes on too long.
        column: usize,
        /// The header's width.
        expected: u32,
        /// The cells of the row.
        got: usize,
    },
    /// A letter that stands for no terrain.
    #[error(
        "line {line}, column {column}: unknown terrain {got}; expected `.`, `G` or `S` (passable), `@`, `O`, `T` or `W` (blocked)"
    )]
    Terrain {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The letter.
        got: String,
    },
    /// The file ends before the last row.
    #[error(
        "line {line}: the map ends after {got} of {expected} rows; is the file cut short, or the header's height too large?"
    )]
    MissingRows {
        /// The last line of the file.
        line: usize,
        /// The header's height.
        expected: u32,
        /// The rows found.
        got: u32,
    },
    /// A line about the ground under walls and doors is wrong.
    #[error(
        "line {line}: expected `ground X Y N LETTER` for N cells from X,Y to the right that are walls or doors, in the order of the rows, got {got}; correct or remove the line"
    )]
    Ground {
        /// The line, from 1.
        line: usize,
        /// The line found.
        got: String,
    },
    /// Something follows the last row.
    #[error(
        "line {line}: expected the end of the file after {expected} rows, got {got}; is the header's height too small?"
    )]
    ExtraRows {
        /// The line, from 1.
        line: usize,
        /// The header's height.
        expected: u32,
        /// What follows.
        got: String,
    },
}

/// How files begin that are taken for maps, and what they are.
const OTHERS: [(&[u8], &str); 4] = [
    (
        b"version 1",
        "these are problems for a map (`waypost bench MAP --scen FILE` walks them)",
    ),
    (
        b"version 2",
        "this is a scenario with map changes (`waypost crowd FILE` runs it)",
    ),
    (
        b"WAYPOST",
        "this is an index file (`--index FILE` gives it beside its map)",
    ),
    (
        b"waypost-graph",
        "this is a graph of waypoints (`waypost graph FILE --from NODE --to NODE` finds a path on it)",
    ),
];

const BLOCKED: u8 = 0;
const PASSABLE: u8 = 1;
const UNKNOWN: u8 = 2;

/// What each letter stands for.
static TERRAIN: [u8; 256] = {
    let mut table = [UNKNOWN; 256];
    let mut i = 0;
    while i < 4 {
        table[b"@OTW"[i] as usize] = BLOCKED;
        i += 1;
    }
    table[b'.' as usize] = PASSABLE;
    table[b'G' as usize] = PASSABLE;
    table[b'S' as usize] = PASSABLE;
    table
};

/// Reads a map.
///
/// ```
/// let grid = waypost::formats::map::parse(b"type octile\nheight 2\nwidth 3\nmap\n..@\nTG.\n")?;
/// assert_eq!((grid.width(), grid.height(), grid.passable_count()), (3, 2, 4));
/// # Ok::<(), waypost::formats::MapError>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Grid, MapError> {
    let mut lines = Lines::new(bytes);
    let (width, height) = header(&mut lines)?;
    // A header that claims more than the file holds is refused before any memory is taken for it.
    let least = u64::from(width) * u64::from(height) + u64::from(height - 1);
    if (lines.rest().len() as u64) < least {
        return Err(what_is_missing(lines, width, height));
    }
    let mut grid = Grid::blocked(width, height).map_err(|error| MapError::Size {
        line: lines.number(),
        error,
    })?;
    let mut bits = vec![0u64; (width as usize).div_ceil(64)];
    for y in 0..height {
        let before = lines.clone();
        let row = lines.next_of_width(width as usize);
        if !row.is_some_and(|row| row_bits(row, &mut bits)) {
            // Once more, and slowly: perhaps only blanks follow the row, or it is shorter and the next began in it.
            lines = before;
            let row = next_row(&mut lines, width, height, y)?;
            if !row_bits(row, &mut bits) {
                return Err(unknown_terrain(lines.number(), row));
            }
        }
        grid.set_row_bits(y, &bits);
    }
    ground::read(lines, (width, height), |stretch| {
        let is_known = TERRAIN[usize::from(stretch.letter)] != UNKNOWN;
        let mut points = stretch.points();
        is_known && points.all(|at| grid.passable_cell(at).is_none())
    })?;
    Ok(grid)
}

/// Reads a map with its kinds of ground and its doors. A letter that has a factor is passable; one that is named a wall is
/// blocked; the others keep their meaning. Letters beyond those of the format are read where the caller names them.
///
/// ```
/// use waypost::formats::{Reading, map};
/// use waypost::terrain::Footings;
/// let reading = Reading {
///     footings: Footings::parse("S=2,W=4.5")?,
///     door_letters: "dD".to_string(),
/// };
/// let level = map::parse_level(b"type octile\nheight 1\nwidth 5\nmap\n.SWdD\n", &reading)?;
/// assert_eq!((level.grid.passable_count(), level.doors.len()), (4, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_level(bytes: &[u8], reading: &Reading) -> Result<Level, MapError> {
    if reading.footings.is_empty() && reading.door_letters.is_empty() {
        return parse(bytes).map(Level::plain);
    }
    let mut lines = Lines::new(bytes);
    let (width, height) = header(&mut lines)?;
    let least = u64::from(width) * u64::from(height) + u64::from(height - 1);
    if (lines.rest().len() as u64) < least {
        return Err(what_is_missing(lines, width, height));
    }
    let mut alphabet = Alphabet::new(reading);
    let mut cells = Vec::with_capacity(width as usize * height as usize);
    let mut doors = Vec::new();
    let mut grid = Grid::blocked(width, height).map_err(|error| MapError::Size {
        line: lines.number(),
        error,
    })?;
    for y in 0..height {
        let row = next_row(&mut lines, width, height, y)?;
        for (x, &letter) in (0..width).zip(row) {
            let Some(kind) = alphabet.kind(letter) else {
                return Err(MapError::Terrain {
                    line: lines.number(),
                    column: x as usize + 1,
                    got: quote(&[letter]),
                });
            };
            let at = Point { x, y };
            grid.set(at, kind.passable);
            cells.push(kind.class);
            if kind.door {
                doors.push(Door {
                    at,
                    is_open: kind.passable,
                });
            }
        }
    }
    // Of what follows the rows, only cells that were no ground are taken.
    ground::read(lines, (width, height), |stretch| {
        let kind = alphabet.kind(stretch.letter).filter(|kind| !kind.door);
        let mut points = stretch.points();
        let is_covered = |at: Point| {
            let index = doors.binary_search_by_key(&(at.y, at.x), |door| (door.at.y, door.at.x));
            grid.passable_cell(at).is_none() || index.is_ok()
        };
        let Some(kind) = kind.filter(|_| points.all(is_covered)) else {
            return false;
        };
        let begin = stretch.at.y as usize * width as usize + stretch.at.x as usize;
        cells[begin..begin + stretch.cells as usize].fill(kind.class);
        true
    })?;
    let classes = Classes::new(width, height, alphabet.classes, cells)?;
    let classes = classes.with(&reading.footings, &LETTERS)?;
    Ok(Level {
        grid,
        classes: Some(classes),
        doors,
        notes: Vec::new(),
    })
}

/// What a letter stands for.
#[derive(Clone, Copy)]
struct LetterKind {
    class: u8,
    passable: bool,
    door: bool,
}

/// The letters met so far, each with a class.
struct Alphabet<'a> {
    reading: &'a Reading,
    known: [Option<LetterKind>; 256],
    classes: Vec<Class>,
}

impl Alphabet<'_> {
    fn new(reading: &Reading) -> Alphabet<'_> {
        Alphabet {
            reading,
            known: [None; 256],
            // What opened walls and doors are made of.
            classes: vec![Class {
                name: ".".to_string(),
                footing: Footing::Factor(Factor::ONE),
            }],
        }
    }

    /// The kind of a letter; `None` where nobody knows it.
    fn kind(&mut self, letter: u8) -> Option<LetterKind> {
        if let Some(kind) = self.known[usize::from(letter)] {
            return Some(kind);
        }
        let kind = self.new_kind(letter)?;
        self.known[usize::from(letter)] = Some(kind);
        Some(kind)
    }

    fn new_kind(&mut self, letter: u8) -> Option<LetterKind> {
        let name = char::from(letter).to_string();
        if self.reading.door_letters.contains(char::from(letter)) {
            return Some(LetterKind {
                class: 0,
                passable: letter.is_ascii_lowercase(),
                door: true,
            });
        }
        let usual = TERRAIN[usize::from(letter)];
        let footing = match (self.reading.footings.get(&name), usual) {
            (Some(footing), _) => footing,
            (None, PASSABLE) => Footing::Factor(Factor::ONE),
            (None, BLOCKED) => Footing::Wall,
            _ => return None,
        };
        let known = self.classes.iter().position(|class| class.name == name);
        let class = known.unwrap_or(self.classes.len());
        if known.is_none() {
            self.classes.push(Class { name, footing });
        }
        Some(LetterKind {
            class: class as u8,
            passable: footing != Footing::Wall,
            door: false,
        })
    }
}

/// Reads the header and gives width and height.
fn header(lines: &mut Lines) -> Result<(u32, u32), MapError> {
    if lines.rest().trim_ascii().is_empty() {
        return Err(MapError::Empty);
    }
    if let Some((_, what)) = OTHERS
        .iter()
        .find(|(sign, _)| lines.rest().starts_with(sign))
    {
        return Err(MapError::Other { what });
    }
    let line = header_line(lines, "`type octile`")?;
    let kind = value(line, b"type", "`type octile`")?;
    if kind.bytes != b"octile" {
        return Err(MapError::Type {
            line: line.number,
            column: kind.column,
            got: quote(kind.bytes),
        });
    }
    let (mut width, mut height) = (None, None);
    while width.is_none() || height.is_none() {
        let expected = match (width, height) {
            (None, None) => "`height` or `width` and a number",
            (None, _) => "`width` and a number",
            _ => "`height` and a number",
        };
        let line = header_line(lines, expected)?;
        if width.is_none() && first_word(line) == b"width" {
            width = Some(side(line, b"width", "width", expected)?);
        } else if height.is_none() {
            height = Some(side(line, b"height", "height", expected)?);
        } else {
            return Err(unexpected(line, expected));
        }
    }
    let line = header_line(lines, "`map`")?;
    if line.bytes.trim_ascii() != b"map" {
        return Err(unexpected(line, "`map`"));
    }
    Ok((width.unwrap_or(0), height.unwrap_or(0)))
}

fn header_line<'a>(lines: &mut Lines<'a>, expected: &'static str) -> Result<Line<'a>, MapError> {
    lines.next().ok_or(MapError::Header {
        line: lines.number() + 1,
        column: 1,
        expected,
        got: "the end of the file".to_owned(),
    })
}

fn first_word(line: Line<'_>) -> &[u8] {
    line.fields().next().map_or(&[], |field| field.bytes)
}

fn unexpected(line: Line, expected: &'static str) -> MapError {
    MapError::Header {
        line: line.number,
        column: 1,
        expected,
        got: quote(line.bytes),
    }
}

/// The single value behind a keyword.
fn value<'a>(
    line: Line<'a>,
    keyword: &[u8],
    expected: &'static str,
) -> Result<super::text::Field<'a>, MapError> {
    let mut fields = line.fields();
    match (fields.next(), fields.next(), fields.next()) {
        (Some(word), Some(value), None) if word.bytes == keyword => Ok(value),
        _ => Err(unexpected(line, expected)),
    }
}

fn side(
    line: Line,
    keyword: &[u8],
    field: &'static str,
    expected: &'static str,
) -> Result<u32, MapError> {
    let value = value(line, keyword, expected)?;
    value
        .number()
        .filter(|side| (1..=MAX_SIDE).contains(side))
        .ok_or_else(|| MapError::Side {
            line: line.number,
            column: value.column,
            field,
            got: quote(value.bytes),
        })
}

/// The next row, which has exactly `width` letters; blanks behind them are let pass.
fn next_row<'a>(
    lines: &mut Lines<'a>,
    width: u32,
    height: u32,
    y: u32,
) -> Result<&'a [u8], MapError> {
    let Some(line) = lines.next() else {
        return Err(MapError::MissingRows {
            line: lines.number(),
            expected: height,
            got: y,
        });
    };
    let row = line.bytes.trim_ascii_end();
    if row.len() == width as usize {
        return Ok(row);
    }
    // Blank lines to the end of the file are missing rows, not short ones.
    if row.is_empty() && lines.rest().trim_ascii().is_empty() {
        return Err(MapError::MissingRows {
            line: line.number,
            expected: height,
            got: y,
        });
    }
    Err(MapError::RowLength {
        line: line.number,
        column: row.len().min(width as usize) + 1,
        expected: width,
        got: row.len(),
    })
}

/// Turns letters into bits; false where a letter is unknown.
fn row_bits(row: &[u8], bits: &mut [u64]) -> bool {
    let mut seen = 0;
    for (letters, word) in row.chunks(64).zip(bits) {
        let mut packed = 0;
        for (i, &letter) in letters.iter().enumerate() {
            let terrain = TERRAIN[letter as usize];
            seen |= terrain;
            packed |= u64::from(terrain & PASSABLE) << i;
        }
        *word = packed;
    }
    seen & UNKNOWN == 0
}

fn unknown_terrain(line: usize, row: &[u8]) -> MapError {
    let at = row
        .iter()
        .position(|&letter| TERRAIN[letter as usize] == UNKNOWN)
        .unwrap_or(0);
    MapError::Terrain {
        line,
        column: at + 1,
        got: quote(&row[at..=at]),
    }
}

/// Finds the place at which a body that is too short for its header goes wrong.
fn what_is_missing(mut lines: Lines, width: u32, height: u32) -> MapError {
    for y in 0..height {
        if let Err(error) = next_row(&mut lines, width, height, y) {
            return error;
        }
    }
    MapError::MissingRows {
        line: lines.number(),
        expected: height,
        got: height,
    }
}

#[cfg(test)]
mod tests;
