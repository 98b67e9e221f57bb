//! Run-length rows as a database keeps them: first ranks counted from the component's first, in the narrowest of three widths that
//! holds all of them.
//!
//! | width | a record takes | first ranks |
//! |---|---|---|
//! | short | 2 bytes, the symbol in the lowest four bits | below 4,096 |
//! | split | 2 bytes, and half a byte for the symbol in an array beside them | below 65,536 |
//! | long | 4 bytes, the symbol in the lowest four bits | below 2^28 |
//!
//! Equal rows of different cells are kept apart: `docs/measurements/cpd.md` has what sharing them would save.

use super::heuristic_move::SYMBOL;
use super::run_lengths;
use crate::artifact::{Array, Artifact, ArtifactError, ArtifactWriter};
use crate::grid::{Direction, Directions};
use std::ops::Range;

/// How records are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Short,
    Split,
    Long,
}

impl Width {
    /// The narrowest for first ranks up to this one, counted from the component's first.
    pub fn of(farthest: u32) -> Width {
        match farthest {
            0..=0xfff => Width::Short,
            0x1000..=0xffff => Width::Split,
            _ => Width::Long,
        }
    }

    /// What this many records take.
    pub fn bytes(self, records: u64) -> u64 {
        match self {
            Width::Short => 2 * records,
            Width::Split => 2 * records + records.div_ceil(2),
            Width::Long => 4 * records,
        }
    }
}

/// The records of all rows.
#[derive(Clone, Debug)]
pub(crate) enum PackedRuns {
    Short(Array<u16>),
    /// First ranks, and symbols two a byte, the first in the lower half.
    Split(Array<u16>, Array<u8>),
    Long(Array<u32>),
}

/// The same, fetched once for many look-ups.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RunView<'a> {
    Short(&'a [u16]),
    Split(&'a [u16], &'a [u8]),
    Long(&'a [u32]),
}

/// The sections that hold them in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tags {
    pub short: u32,
    pub starts: u32,
    pub symbols: u32,
    pub long: u32,
}

impl PackedRuns {
    /// Packs a builder's rows, each with this many records.
    pub fn of(counts: &[u32], data: &[u8]) -> PackedRuns {
        let farthest = relative(counts, data).map(|record| record >> 4).max();
        PackedRuns::in_width(Width::of(farthest.unwrap_or(0)), counts, data)
    }

    /// The same in a width that is known to do.
    pub fn in_width(width: Width, counts: &[u32], data: &[u8]) -> PackedRuns {
        let records = relative(counts, data);
        match width {
            Width::Short => PackedRuns::Short(Array::from_vec(records.map(|r| r as u16).collect())),
            Width::Long => PackedRuns::Long(Array::from_vec(records.collect())),
            Width::Split => {
                let (mut starts, mut symbols) = (Vec::new(), Vec::new());
                for record in records {
                    let symbol = (record & 15) as u8;
                    match symbols.last_mut() {
                        Some(last) if starts.len() % 2 == 1 => *last |= symbol << 4,
                        _ => symbols.push(symbol),
                    }
                    starts.push((record >> 4) as u16);
                }
                PackedRuns::Split(Array::from_vec(starts), Array::from_vec(symbols))
            }
        }
    }

    pub fn view(&self) -> RunView<'_> {
        match self {
            PackedRuns::Short(records) => RunView::Short(records),
            PackedRuns::Split(starts, symbols) => RunView::Split(starts, symbols),
            PackedRuns::Long(records) => RunView::Long(records),
        }
    }

    /// How many records there are; `None` where starts and symbols do not belong together.
    pub fn len(&self) -> Option<usize> {
        match self {
            PackedRuns::Short(records) => Some(records.len()),
            PackedRuns::Long(records) => Some(records.len()),
            PackedRuns::Split(starts, symbols) => {
                (symbols.len() == starts.len().div_ceil(2)).then_some(starts.len())
            }
        }
    }

    pub fn width(&self) -> Width {
        match self {
            PackedRuns::Short(_) => Width::Short,
            PackedRuns::Split(..) => Width::Split,
            PackedRuns::Long(_) => Width::Long,
        }
    }

    pub fn write<'a>(&'a self, tags: Tags, writer: ArtifactWriter<'a>) -> ArtifactWriter<'a> {
        match self {
            PackedRuns::Short(records) => writer.section(tags.short, records),
            PackedRuns::Split(starts, symbols) => writer
                .section(tags.starts, starts)
                .section(tags.symbols, symbols),
            PackedRuns::Long(records) => writer.section(tags.long, records),
        }
    }

    pub fn read(tags: Tags, artifact: &Artifact) -> Result<PackedRuns, ArtifactError> {
        let has = |wanted: u32| artifact.sections().any(|(tag, _)| tag == wanted);
        if has(tags.short) {
            return Ok(PackedRuns::Short(artifact.section(tags.short)?));
        }
        if has(tags.starts) {
            let starts = artifact.section(tags.starts)?;
            return Ok(PackedRuns::Split(starts, artifact.section(tags.symbols)?));
        }
        Ok(PackedRuns::Long(artifact.section(tags.long)?))
    }
}

/// A builder's records with first ranks counted from their component's: that of a row's first record.
fn relative(counts: &[u32], data: &[u8]) -> impl Iterator<Item = u32> {
    let mut records = run_lengths::records(data);
    let mut rows = counts.iter();
    let (mut left, mut first) = (0, 0);
    std::iter::from_fn(move || {
        let record = records.next()?;
        if left == 0 {
            left = *rows.find(|&&count| count > 0)?;
            first = record & !15;
        }
        left -= 1;
        Some(record.wrapping_sub(first))
    })
}

impl<'a> RunView<'a> {
    /// The symbol for a rank, counted from the component's first.
    #[inline]
    pub fn look_up(self, row: Range<usize>, rank: u32) -> Option<u32> {
        match self {
            RunView::Short(records) => short(records, row, rank),
            RunView::Split(starts, symbols) => split(starts, symbols, row, rank),
            RunView::Long(records) => long(records, row, rank),
        }
    }

    /// First ranks and symbols of a row.
    pub fn records(self, row: Range<usize>) -> impl Iterator<Item = (u32, u32)> + Clone + 'a {
        row.map(move |i| match self {
            RunView::Short(records) => (u32::from(records[i] >> 4), u32::from(records[i] & 15)),
            RunView::Split(starts, symbols) => (u32::from(starts[i]), symbol_at(symbols, i)),
            RunView::Long(records) => (records[i] >> 4, records[i] & 15),
        })
    }

    /// Whether this is the row of a source with these legal moves in a component of so many cells.
    pub fn is_valid(self, row: Range<usize>, cells: u32, legal: Directions) -> bool {
        if cells < 2 {
            return row.is_empty();
        }
        let records = self.records(row);
        let symbols_are_legal = records.clone().all(|(_, symbol)| {
            symbol == SYMBOL || symbol < 8 && legal.contains(Direction::from_number(symbol as u8))
        });
        let starts = || records.clone().map(|(start, _)| start);
        symbols_are_legal
            && starts().next() == Some(0)
            && starts().all(|start| start < cells)
            && starts().is_sorted_by(|a, b| a < b)
    }
}

#[inline]
fn symbol_at(symbols: &[u8], record: usize) -> u32 {
    u32::from(symbols[record / 2] >> (4 * (record & 1)) & 15)
}

/// The number of the last record of a row that begins at or before a rank. The first one does.
#[inline]
fn last_begun<T: Copy>(row: &[T], is_begun: impl Fn(T) -> bool) -> usize {
    let (mut at, mut left) = (0, row.len());
    while left > 1 {
        let half = left / 2;
        at = std::hint::select_unpredictable(is_begun(row[at + half]), at + half, at);
        left -= half;
    }
    at
}

/// The symbol for a rank among records of two bytes.
#[inline]
pub(crate) fn short(records: &[u16], row: Range<usize>, rank: u32) -> Option<u32> {
    let (row, key) = (&records[row], (rank << 4 | 15).min(0xffff) as u16);
    let at = last_begun(row, |record| record <= key);
    row.get(at).map(|record| u32::from(record & 15))
}

/// The symbol for a rank among starts and symbols.
#[inline]
pub(crate) fn split(starts: &[u16], symbols: &[u8], row: Range<usize>, rank: u32) -> Option<u32> {
    let (first, is_empty) = (row.start, row.is_empty());
    let key = rank.min(0xffff) as u16;
    let at = last_begun(&starts[row], |start| start <= key);
    (!is_empty).then(|| symbol_at(symbols, first + at))
}

/// The symbol for a rank among records of four bytes.
#[inline]
pub(crate) fn long(records: &[u32], row: Range<usize>, rank: u32) -> Option<u32> {
    let (row, key) = (&records[row], rank << 4 | 15);
    let at = last_begun(row, |record| record <= key);
    row.get(at).map(|record| record & 15)
}
