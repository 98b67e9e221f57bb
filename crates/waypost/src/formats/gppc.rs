//! Scenarios with map changes: the dynamic track of the Grid-based Path Planning Competition.
//!
//! A `version 2` scenario gives the size of a map, the name of a file of patches, and commands in the order of frames:
//! `Q frame start-x start-y goal-x goal-y length` asks for a path, `P frame patch x y` lays a patch on the map with its
//! upper left corner at `x,y`. The map is open at first. A patch overwrites what it covers, `.` as well as `@`; in the
//! files at hand no `.` ever falls on a wall, so reading `.` as "leave as it is" would give the same lengths.

use super::scen::digits::{self, Digits};
use super::text::{Field, Line, Lines, quote};
use crate::grid::{Grid, GridError, GridPatch, MAX_SIDE, Point};
use thiserror::Error;

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GppcError {
    /// A line is not what it has to be.
    #[error("line {line}, column {column}: expected {expected}, got {got}; correct the line")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What belongs there.
        expected: &'static str,
        /// What was found.
        got: String,
    },
    /// The file ends too early.
    #[error("line {line}: expected {expected}, got the end of the file; is it cut short?")]
    End {
        /// The line behind the last.
        line: usize,
        /// What belongs there.
        expected: &'static str,
    },
    /// A place outside the map.
    #[error("line {line}: {what} {point} lies outside a map of {width} x {height} cells")]
    Outside {
        /// The line, from 1.
        line: usize,
        /// `start`, `goal` or `patch corner`.
        what: &'static str,
        /// Where it is.
        point: Point,
        /// The map's width.
        width: u32,
        /// The map's height.
        height: u32,
    },
    /// A command names a patch that is not there, or one that does not fit.
    #[error(
        "command {command}: patch {patch} at {at} does not exist or leaves the map; expected one of {patches} patches, inside the map"
    )]
    NoSuchPatch {
        /// The command, from 1.
        command: usize,
        /// The patch.
        patch: u32,
        /// Where it should be laid.
        at: Point,
        /// How many patches there are.
        patches: usize,
    },
    /// The map's size is not a legal one.
    #[error(transparent)]
    Size(#[from] GridError),
}

/// The last frame that a command may name: a scenario is played frame by frame, those without a command included.
pub const MAX_FRAME: u32 = 1_000_000;

/// A scenario with map changes.
#[derive(Clone, Debug, PartialEq)]
pub struct DynamicScenario {
    /// The map's width.
    pub width: u32,
    /// The map's height.
    pub height: u32,
    /// The name of the file of patches.
    pub patch_name: String,
    /// What happens, in order.
    pub commands: Vec<Command>,
}

/// A line of a dynamic scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The map changes.
    Patch {
        /// When.
        frame: u32,
        /// Which patch of the file.
        patch: u32,
        /// Where its upper left corner goes.
        at: Point,
    },
    /// A path is asked for.
    Query(Query),
}

/// A problem on the map of its frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// When it is asked.
    pub frame: u32,
    /// Where the path begins.
    pub start: Point,
    /// Where it ends.
    pub goal: Point,
    /// The optimal length as printed.
    pub length: f64,
    /// How far the true length may lie from it, by the digits printed.
    pub tolerance: f64,
}

/// A rectangle of cells to lay on a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchShape {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row by row: whether the cell is passable.
    passable: Vec<bool>,
}

impl PatchShape {
    /// The edits that lay the shape on a map with its upper left corner at a point.
    pub fn placed(&self, at: Point) -> GridPatch {
        let mut patch = GridPatch::new();
        for (row, y) in self.passable.chunks(self.width.max(1) as usize).zip(at.y..) {
            for (&passable, x) in row.iter().zip(at.x..) {
                patch.set(Point { x, y }, passable);
            }
        }
        patch
    }
}

impl DynamicScenario {
    /// The map before the first command: open everywhere.
    pub fn first_map(&self) -> Result<Grid, GppcError> {
        let mut grid = Grid::blocked(self.width, self.height)?;
        for y in 0..self.height {
            grid.set_run(y, 0..self.width, true);
        }
        Ok(grid)
    }

    /// Checks that every patch named is there and stays inside the map.
    pub fn check_patches(&self, patches: &[PatchShape]) -> Result<(), GppcError> {
        for (i, command) in self.commands.iter().enumerate() {
            let &Command::Patch { patch, at, .. } = command else {
                continue;
            };
            let fits = |shape: &PatchShape| {
                at.x.saturating_add(shape.width) <= self.width
                    && at.y.saturating_add(shape.height) <= self.height
            };
            if !patches.get(patch as usize).is_some_and(fits) {
                return Err(GppcError::NoSuchPatch {
                    command: i + 1,
                    patch,
                    at,
                    patches: patches.len(),
                });
            }
        }
        Ok(())
    }
}

/// Lines that are not blank, with what is missing where there is none.
struct Reader<'a>(Lines<'a>);

impl<'a> Reader<'a> {
    fn next(&mut self, expected: &'static str) -> Result<Line<'a>, GppcError> {
        let line = self.0.find(|line| !line.is_blank());
        line.ok_or(GppcError::End {
            line: self.0.number() + 1,
            expected,
        })
    }

    /// The number behind a keyword.
    fn number(&mut self, keyword: &[u8], expected: &'static str) -> Result<u32, GppcError> {
        let line = self.next(expected)?;
        let mut fields = line.fields();
        match (fields.next(), fields.next(), fields.next()) {
            (Some(word), Some(value), None) if word.bytes == keyword => {
                value.number().ok_or_else(|| wrong(line, value, expected))
            }
            _ => Err(wrong_line(line, expected)),
        }
    }

    fn exactly(&mut self, words: &[&[u8]], expected: &'static str) -> Result<(), GppcError> {
        let line = self.next(expected)?;
        if line
            .fields()
            .map(|field| field.bytes)
            .eq(words.iter().copied())
        {
            Ok(())
        } else {
            Err(wrong_line(line, expected))
        }
    }

    fn side(&mut self, keyword: &[u8], expected: &'static str) -> Result<u32, GppcError> {
        let side = self.number(keyword, expected)?;
        if (1..=MAX_SIDE).contains(&side) {
            return Ok(side);
        }
        Err(GppcError::Line {
            line: self.0.number(),
            column: 1,
            expected,
            got: side.to_string(),
        })
    }
}

fn wrong(line: Line, field: Field, expected: &'static str) -> GppcError {
    GppcError::Line {
        line: line.number,
        column: field.column,
        expected,
        got: quote(field.bytes),
    }
}

fn wrong_line(line: Line, expected: &'static str) -> GppcError {
    GppcError::Line {
        line: line.number,
        column: 1,
        expected,
        got: quote(line.bytes),
    }
}

/// Reads a `version 2` scenario.
pub fn parse_scenario(bytes: &[u8]) -> Result<DynamicScenario, GppcError> {
    let mut reader = Reader(Lines::new(bytes));
    reader.exactly(&[b"version", b"2"], "`version 2`")?;
    let height = reader.side(b"height", "`height` and a number from 1 to 65535")?;
    let width = reader.side(b"width", "`width` and a number from 1 to 65535")?;
    reader.exactly(&[b"cost", b"1", b"octile"], "`cost 1 octile`")?;
    let line = reader.next("`patch` and a file name")?;
    let patch_name = line.bytes.trim_ascii().strip_prefix(b"patch ");
    let patch_name = patch_name.ok_or_else(|| wrong_line(line, "`patch` and a file name"))?;
    reader.exactly(&[b"commands"], "`commands`")?;
    let mut scenario = DynamicScenario {
        width,
        height,
        patch_name: String::from_utf8_lossy(patch_name.trim_ascii()).into_owned(),
        commands: Vec::new(),
    };
    let mut printed = Vec::new();
    for line in reader.0.filter(|line| !line.is_blank()) {
        let command = command(line, &scenario, &mut printed)?;
        scenario.commands.push(command);
    }
    let style = Digits::style(&printed);
    let queries = scenario
        .commands
        .iter_mut()
        .filter_map(|command| match command {
            Command::Query(query) => Some(query),
            Command::Patch { .. } => None,
        });
    for (query, digits) in queries.zip(&printed) {
        query.tolerance = digits.tolerance(query.length, style);
    }
    Ok(scenario)
}

fn command(
    line: Line,
    scenario: &DynamicScenario,
    printed: &mut Vec<Digits>,
) -> Result<Command, GppcError> {
    const QUERY: &str = "`Q frame start-x start-y goal-x goal-y length`";
    const PATCH: &str = "`P frame patch x y`";
    let mut fields = line.fields();
    let letter = fields.next();
    let fields: Vec<Field> = fields.take(7).collect();
    let number = |i: usize| {
        let field: Field = fields[i];
        field
            .number()
            .ok_or_else(|| wrong(line, field, "a whole number"))
    };
    let frame = || {
        let frame = number(0)?;
        if frame <= MAX_FRAME {
            return Ok(frame);
        }
        Err(wrong(line, fields[0], "a frame from 0 to 1000000"))
    };
    let inside = |x: u32, y: u32, what| {
        let point = Point { x, y };
        if x < scenario.width && y < scenario.height {
            return Ok(point);
        }
        Err(GppcError::Outside {
            line: line.number,
            what,
            point,
            width: scenario.width,
            height: scenario.height,
        })
    };
    match letter.map(|field| field.bytes) {
        Some(b"P") if fields.len() == 4 => Ok(Command::Patch {
            frame: frame()?,
            patch: number(1)?,
            at: inside(number(2)?, number(3)?, "the patch corner")?,
        }),
        Some(b"P") => Err(wrong_line(line, PATCH)),
        Some(b"Q") if fields.len() == 6 => {
            let found = digits::length(fields[5].bytes);
            let (length, digits) = found.ok_or_else(|| wrong(line, fields[5], "a length"))?;
            printed.push(digits);
            Ok(Command::Query(Query {
                frame: frame()?,
                start: inside(number(1)?, number(2)?, "the start")?,
                goal: inside(number(3)?, number(4)?, "the goal")?,
                length,
                tolerance: 0.0,
            }))
        }
        _ => Err(wrong_line(line, QUERY)),
    }
}

/// Reads a file of patches.
pub fn parse_patches(bytes: &[u8]) -> Result<Vec<PatchShape>, GppcError> {
    let mut reader = Reader(Lines::new(bytes));
    reader.exactly(&[b"type", b"patch"], "`type patch`")?;
    let count = reader.number(b"patches", "`patches` and a number")?;
    let mut patches = Vec::new();
    for number in 0..count {
        let found = reader.number(b"patch", "`patch` and its number")?;
        if found != number {
            return Err(GppcError::Line {
                line: reader.0.number(),
                column: 1,
                expected: "patches numbered from 0 in order",
                got: found.to_string(),
            });
        }
        patches.push(patch_shape(&mut reader)?);
    }
    match reader.0.find(|line| !line.is_blank()) {
        None => Ok(patches),
        Some(line) => Err(wrong_line(line, "the end of the file")),
    }
}

fn patch_shape(reader: &mut Reader) -> Result<PatchShape, GppcError> {
    let height = reader.side(b"height", "`height` and a number from 1 to 65535")?;
    let width = reader.side(b"width", "`width` and a number from 1 to 65535")?;
    reader.exactly(&[b"map"], "`map`")?;
    let mut passable = Vec::new();
    for _ in 0..height {
        let line = reader.next("a row of the patch")?;
        let row = line.bytes.trim_ascii_end();
        if row.len() != width as usize {
            return Err(wrong_line(line, "a row as wide as the patch"));
        }
        for (i, &letter) in row.iter().enumerate() {
            passable.push(match letter {
                b'.' | b'G' | b'S' => true,
                b'@' | b'O' | b'T' | b'W' => false,
                _ => {
                    let field = Field {
                        column: i + 1,
                        bytes: &row[i..=i],
                    };
                    return Err(wrong(line, field, "`.` or `@`"));
                }
            });
        }
    }
    Ok(PatchShape {
        width,
        height,
        passable,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = "version 2\nheight 5\nwidth 6\ncost 1 octile\npatch a b.patch\ncommands\n\
        Q 0 0 0 5 4 6.6568542494924\nP 1 0 2 1\nP 1 1 0 0\nQ 1 0 0 5 0 5\n";
    const PATCHES: &str = "type patch\npatches 2\npatch 0\nheight 2\nwidth 3\nmap\n@@@\n.@.\npatch 1\nheight 1\nwidth 1\nmap\n.\n";

    #[test]
    fn scenarios_and_patches_are_read() {
        let scenario = parse_scenario(SCENARIO.as_bytes()).expect("a good scenario");
        assert_eq!((scenario.width, scenario.height), (6, 5));
        assert_eq!(
            (scenario.patch_name.as_str(), scenario.commands.len()),
            ("a b.patch", 4)
        );
        let windows = SCENARIO.replace('\n', "\r\n");
        assert_eq!(parse_scenario(windows.as_bytes()), Ok(scenario.clone()));
        let patches = parse_patches(PATCHES.as_bytes()).expect("good patches");
        assert_eq!(scenario.check_patches(&patches), Ok(()));
        let mut grid = scenario.first_map().expect("a legal size");
        for command in &scenario.commands {
            if let Command::Patch { patch, at, .. } = command {
                grid.apply(&patches[*patch as usize].placed(*at));
            }
        }
        assert_eq!(grid.passable_count(), 30 - 4);
        let at = |x, y| grid.passable_cell(Point { x, y }).is_some();
        assert!(!at(2, 1) && !at(4, 1) && at(2, 2) && !at(3, 2) && at(4, 2));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: String| {
            parse_scenario(text.as_bytes())
                .expect_err("refused")
                .to_string()
        };
        assert!(error(String::new()).contains("`version 2`"));
        assert!(error(SCENARIO.replace("version 2", "version 1")).contains("line 1"));
        assert!(error(SCENARIO.replace("height 5", "height 0")).contains("line 2"));
        assert!(error(SCENARIO.replace("width 6", "width 70000")).contains("70000"));
        assert!(error(SCENARIO.replace("octile", "manhattan")).contains("line 4"));
        assert!(error(SCENARIO.replace("P 1 0 2 1", "P 1 0 2")).contains("line 8"));
        assert!(error(SCENARIO.replace("P 1 0 2 1", "P 1 0 9 1")).contains("outside"));
        assert!(error(SCENARIO.replace("Q 0 0", "Q 0 -1")).contains("`-1`"));
        assert!(error(SCENARIO.replace("Q 1", "X 1")).contains("line 10"));
        for frame in ["1000001", "2000000000", "4294967295"] {
            for letter in ["P", "Q"] {
                let text = SCENARIO.replace(&format!("{letter} 1"), &format!("{letter} {frame}"));
                let message = error(text);
                assert!(message.contains(frame) && message.contains("0 to 1000000"));
            }
        }
        let error = |text: String| {
            parse_patches(text.as_bytes())
                .expect_err("refused")
                .to_string()
        };
        assert!(error(PATCHES.replace("patches 2", "patches 4000000000")).contains("cut short"));
        assert!(error(PATCHES.replace("patches 2", "patches 1")).contains("end of the file"));
        assert!(error(PATCHES.replace("patch 1", "patch 7")).contains("in order"));
        assert!(error(PATCHES.replace(".@.", ".@")).contains("line 8"));
        assert!(error(PATCHES.replace(".@.", ".x.")).contains("column 2"));
        let scenario = parse_scenario(SCENARIO.replace("P 1 0 2 1", "P 1 0 4 1").as_bytes());
        let patches = parse_patches(PATCHES.as_bytes()).expect("good patches");
        let found = scenario.expect("a good scenario").check_patches(&patches);
        assert!(matches!(
            found,
            Err(GppcError::NoSuchPatch { command: 2, .. })
        ));
    }
}
