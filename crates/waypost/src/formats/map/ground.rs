//! Lines behind the rows: what lies under walls and doors.
//!
//! `ground X Y N LETTER`: the N cells from (X, Y) to the right, all of them walls or doors, stand on ground of that letter. Without such
//! a line they stand on plain ground. The lines are in the order of the rows and do not overlap, so that reading takes no longer than
//! the map is large. Maps without them are those of the format as it is known.

use super::MapError;
use crate::formats::text::{Line, Lines, quote};
use crate::grid::Point;
use std::io::Write;

/// Cells of one row with the same ground under them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub at: Point,
    pub cells: u32,
    pub letter: u8,
}

impl Stretch {
    /// Its points.
    pub fn points(self) -> impl Iterator<Item = Point> {
        let Point { x, y } = self.at;
        (x..x + self.cells).map(move |x| Point { x, y })
    }
}

const KEYWORD: &[u8] = b"ground";

/// Reads what follows the rows to the end of the file. `takes` says whether a stretch lies under walls or doors and its letter is known.
pub(super) fn read(
    lines: Lines,
    (width, height): (u32, u32),
    mut takes: impl FnMut(Stretch) -> bool,
) -> Result<(), MapError> {
    if lines.rest().trim_ascii().is_empty() {
        return Ok(());
    }
    // The first cell that the next line may name.
    let mut free = 0;
    for line in lines.filter(|line| !line.is_blank()) {
        if line.fields().next().is_none_or(|f| f.bytes != KEYWORD) {
            return Err(MapError::ExtraRows {
                line: line.number,
                expected: height,
                got: quote(line.bytes),
            });
        }
        let number_of = |at: Point| u64::from(at.y) * u64::from(width) + u64::from(at.x);
        let stretch = parse(line).filter(|stretch| {
            let Point { x, y } = stretch.at;
            x < width
                && y < height
                && (1..=width - x).contains(&stretch.cells)
                && number_of(stretch.at) >= free
                && takes(*stretch)
        });
        let Some(stretch) = stretch else {
            return Err(MapError::Ground {
                line: line.number,
                got: quote(line.bytes),
            });
        };
        free = number_of(stretch.at) + u64::from(stretch.cells);
    }
    Ok(())
}

fn parse(line: Line) -> Option<Stretch> {
    let mut fields = line.fields().skip(1);
    let mut number = || fields.next()?.number();
    let (x, y, cells) = (number()?, number()?, number()?);
    let &[letter] = fields.next()?.bytes.trim_ascii_end() else {
        return None;
    };
    fields.next().is_none().then_some(Stretch {
        at: Point { x, y },
        cells,
        letter,
    })
}

/// Collects what lies under walls and doors, cell by cell in the order of the rows, and writes it behind them.
#[derive(Debug, Default)]
pub struct GroundLines {
    stretches: Vec<Stretch>,
}

impl GroundLines {
    /// The next cell, with the letter of the ground under it.
    pub fn add(&mut self, at: Point, letter: u8) {
        if let Some(last) = self.stretches.last_mut()
            && (last.at.y, last.letter) == (at.y, letter)
            && last.at.x + last.cells == at.x
        {
            last.cells += 1;
            return;
        }
        self.stretches.push(Stretch {
            at,
            cells: 1,
            letter,
        });
    }

    /// The lines.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        for Stretch { at, cells, letter } in &self.stretches {
            let letter = char::from(*letter);
            // Writing to memory does not fail.
            let _ = writeln!(bytes, "ground {} {} {cells} {letter}", at.x, at.y);
        }
    }
}
