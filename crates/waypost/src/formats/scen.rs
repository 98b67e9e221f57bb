//! MovingAI `.scen` files: problems with their optimal lengths.
//!
//! `version 1` (or `1.0`), then a line for each problem: bucket, map, width, height, start x and y, goal x and y, length.
//! Fields are set apart by tabs or by spaces; a map's name may hold spaces and folders, and is not to be trusted (some sets
//! name another set's folder): what counts is the size. A length of 0 between different points says that there is no path.

pub(super) mod digits;

use super::text::{Field, Line, Lines, quote};
use crate::grid::{Cell, Grid, Point};
use digits::Digits;
use std::fmt::Write;
use std::sync::Arc;
use thiserror::Error;

/// Lengths are sorted into buckets of this many: bucket 3 holds the lengths from 12 to 16.
pub const BUCKET_LENGTH: f64 = 4.0;

/// A problem of a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The group of problems of about the same length.
    pub bucket: u32,
    /// The map's name as it stands in the file, folders included. Problems in a row share the text.
    pub map_name: Arc<str>,
    /// The map's width.
    pub width: u32,
    /// The map's height.
    pub height: u32,
    /// Where the path begins.
    pub start: Point,
    /// Where it ends.
    pub goal: Point,
    /// The optimal length as printed.
    pub length: f64,
    /// How far the true length may lie from the printed one: half a unit of the last digit that was printed.
    pub tolerance: f64,
}

/// One of a problem's two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The start.
    Start,
    /// The goal.
    Goal,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            End::Start => "start",
            End::Goal => "goal",
        })
    }
}

/// Why a scenario was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ScenError {
    /// There are no bytes, or only blanks.
    #[error("the scenario file is empty; expected `version 1` in line 1")]
    Empty,
    /// The first line is not `version 1`.
    #[error("line {line}: expected `version 1`, got {got}; {remedy}")]
    Version {
        /// The line, from 1.
        line: usize,
        /// What was found.
        got: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A line does not have nine fields.
    #[error(
        "line {line}, column {column}: expected 9 fields (bucket, map, width, height, start x, start y, goal x, goal y, length), got {got}; is the line cut short?"
    )]
    Fields {
        /// The line, from 1.
        line: usize,
        /// The column behind the last field.
        column: usize,
        /// The number of fields.
        got: usize,
    },
    /// A field is not the number it has to be.
    #[error("line {line}, column {column}: expected {expected}, got {got}; correct the line")]
    Number {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What belongs there.
        expected: &'static str,
        /// What was found.
        got: String,
    },
    /// A start or goal outside the size given in the same line.
    #[error(
        "line {line}, column {column}: the {end} {point} lies outside a map of {width} x {height} cells; correct the line"
    )]
    Outside {
        /// The line, from 1.
        line: usize,
        /// The column of the x coordinate, from 1.
        column: usize,
        /// Which end.
        end: End,
        /// Where it is.
        point: Point,
        /// The width in the line.
        width: u32,
        /// The height in the line.
        height: u32,
    },
    /// The scenario belongs to a map of another size.
    #[error(
        "problem {problem} is for a map of {expected_width} x {expected_height} cells ({map_name}), this map has {width} x {height}; use the scenario file of this map"
    )]
    OtherMap {
        /// The number of the problem, from 1.
        problem: usize,
        /// The map's name in the scenario.
        map_name: Arc<str>,
        /// The width in the scenario.
        expected_width: u32,
        /// The height in the scenario.
        expected_height: u32,
        /// The map's width.
        width: u32,
        /// The map's height.
        height: u32,
    },
    /// A start or goal on a wall, or outside the map.
    #[error("the {end} {point} is not a passable cell of the map; choose a passable one")]
    Blocked {
        /// Which end.
        end: End,
        /// Where it is.
        point: Point,
    },
}

impl Problem {
    /// Whether the file says that there is no path.
    pub fn claims_unreachable(&self) -> bool {
        self.length == 0.0 && self.start != self.goal
    }

    /// Whether a length is the printed one, as far as its digits tell.
    pub fn agrees_with(&self, length: f64) -> bool {
        (self.length - length).abs() <= self.tolerance
    }

    /// The cells of start and goal, or which of them cannot be stood on.
    pub fn ends(&self, grid: &Grid) -> Result<(Cell, Cell), ScenError> {
        let cell = |end, point| {
            grid.passable_cell(point)
                .ok_or(ScenError::Blocked { end, point })
        };
        Ok((cell(End::Start, self.start)?, cell(End::Goal, self.goal)?))
    }
}

/// Checks that every problem is for a map of this grid's size.
pub fn check_size(problems: &[Problem], grid: &Grid) -> Result<(), ScenError> {
    let fits = |p: &Problem| p.width == grid.width() && p.height == grid.height();
    match problems.iter().position(|problem| !fits(problem)) {
        None => Ok(()),
        Some(index) => Err(ScenError::OtherMap {
            problem: index + 1,
            map_name: problems[index].map_name.clone(),
            expected_width: problems[index].width,
            expected_height: problems[index].height,
            width: grid.width(),
            height: grid.height(),
        }),
    }
}

/// Reads the problems of a scenario file.
///
/// ```
/// let problems = waypost::formats::scen::parse(b"version 1\n0\tmaps/a.map\t8\t6\t1\t0\t4\t5\t6.24264\n")?;
/// assert_eq!((problems[0].goal.y, problems[0].agrees_with(6.242641)), (5, true));
/// # Ok::<(), waypost::formats::ScenError>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Vec<Problem>, ScenError> {
    let mut lines = Lines::new(bytes);
    version(&mut lines)?;
    let mut problems: Vec<Problem> = Vec::new();
    let mut printed = Vec::new();
    for line in lines.filter(|line| !line.is_blank()) {
        let (problem, digits) = problem(line, problems.last())?;
        problems.push(problem);
        printed.push(digits);
    }
    let style = Digits::style(&printed);
    for (problem, digits) in problems.iter_mut().zip(&printed) {
        problem.tolerance = digits.tolerance(problem.length, style);
    }
    Ok(problems)
}

/// Writes a scenario file: tabs, and lengths with 8 decimals.
pub fn write(problems: &[Problem]) -> Vec<u8> {
    let mut text = String::from("version 1\n");
    for p in problems {
        // Tabs and line ends in a name would make fields and lines of it.
        let name = p.map_name.replace(['\t', '\n', '\r'], " ");
        let name = if name.trim().is_empty() { "map" } else { &name };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{}\t{name}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.8}",
            p.bucket, p.width, p.height, p.start.x, p.start.y, p.goal.x, p.goal.y, p.length
        );
    }
    text.into_bytes()
}

fn version(lines: &mut Lines) -> Result<(), ScenError> {
    if lines.rest().trim_ascii().is_empty() {
        return Err(ScenError::Empty);
    }
    let Some(line) = lines.next() else {
        return Err(ScenError::Empty);
    };
    let mut fields = line.fields().map(|field| field.bytes);
    let words = [fields.next(), fields.next(), fields.next()];
    match words {
        [Some(b"version"), Some(b"1" | b"1.0"), None] => Ok(()),
        [Some(b"version"), Some(b"2"), None] => Err(ScenError::Version {
            line: line.number,
            got: quote(line.bytes),
            remedy: "this is a scenario with map changes, which `waypost crowd FILE` runs",
        }),
        _ => Err(ScenError::Version {
            line: line.number,
            got: quote(line.bytes),
            remedy: "is this a scenario file?",
        }),
    }
}

const NUMBERS: [&str; 6] = ["width", "height", "start x", "start y", "goal x", "goal y"];

fn problem(line: Line, last: Option<&Problem>) -> Result<(Problem, Digits), ScenError> {
    let [bucket, name, numbers @ .., length] = nine_fields(line)?;
    let wrong = |field: Field, expected| ScenError::Number {
        line: line.number,
        column: field.column,
        expected,
        got: quote(field.bytes),
    };
    let bucket = bucket
        .number()
        .ok_or_else(|| wrong(bucket, "a bucket number"))?;
    let mut values = [0; 6];
    for ((value, field), expected) in values.iter_mut().zip(numbers).zip(NUMBERS) {
        *value = field.number().ok_or_else(|| wrong(field, expected))?;
    }
    let [width, height, start_x, start_y, goal_x, goal_y] = values;
    let (start, goal) = (point(start_x, start_y), point(goal_x, goal_y));
    for (end, at, field) in [
        (End::Start, start, numbers[2]),
        (End::Goal, goal, numbers[4]),
    ] {
        if at.x >= width || at.y >= height {
            return Err(ScenError::Outside {
                line: line.number,
                column: field.column,
                end,
                point: at,
                width,
                height,
            });
        }
    }
    let (length_value, digits) =
        digits::length(length.bytes).ok_or_else(|| wrong(length, "a length"))?;
    let problem = Problem {
        bucket,
        map_name: shared_name(name.bytes, last),
        width,
        height,
        start,
        goal,
        length: length_value,
        tolerance: 0.0,
    };
    Ok((problem, digits))
}

fn point(x: u32, y: u32) -> Point {
    Point { x, y }
}

/// Names repeat from line to line: equal ones are kept once.
fn shared_name(name: &[u8], last: Option<&Problem>) -> Arc<str> {
    match last {
        Some(last) if last.map_name.as_bytes() == name => last.map_name.clone(),
        _ => String::from_utf8_lossy(name).into(),
    }
}

/// The fields of a line. Between tabs where they make nine; else the first, the last seven, and the name between them.
fn nine_fields(line: Line<'_>) -> Result<[Field<'_>; 9], ScenError> {
    let empty = Field {
        column: line.end_column(),
        bytes: &[],
    };
    let mut fields = [empty; 9];
    let mut count = 0;
    for field in line.tab_fields() {
        if count < 9 {
            fields[count] = field;
        }
        count += 1;
    }
    if count == 9 {
        return Ok(fields);
    }
    fields = [empty; 9];
    count = 0;
    for field in line.fields() {
        if count < 9 {
            fields[count] = field;
        } else {
            // The name has another word: the seven behind it move up.
            fields.copy_within(3..9, 2);
            fields[8] = field;
        }
        count += 1;
    }
    if count < 9 {
        return Err(ScenError::Fields {
            line: line.number,
            column: line.end_column(),
            got: count,
        });
    }
    let (from, to) = (fields[1].column - 1, fields[2].column - 1);
    fields[1].bytes = line.bytes[from..to].trim_ascii_end();
    Ok(fields)
}

#[cfg(test)]
mod tests;
