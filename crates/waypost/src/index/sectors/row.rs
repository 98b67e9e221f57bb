//! One row of next hops: how it is written, copied and read.

/// A set of edges: bit `s` for the region's edge number `s`.
pub type EdgeSet = u128;

/// Bits of a run that name the edge; the others name the first target of the run.
const SLOT_BITS: u32 = 7;
/// The most regions that rows can be written for.
pub const MAX_REGIONS: usize = 1 << (32 - SLOT_BITS);

/// A row as it was before a change.
pub struct KeptRow<'a> {
    /// Its runs.
    pub runs: &'a [u32],
    /// How many columns its targets have moved.
    pub shift: u32,
}

/// How many runs of a row of this many are looked at.
#[inline]
pub const fn looks_at(runs: usize) -> u64 {
    (usize::BITS - runs.leading_zeros()) as u64
}

/// The edge to take in a row for a target column, and the number of runs looked at.
#[inline]
pub fn slot_in_row(row: &[u32], column: u32) -> (u32, u64) {
    // The last run that begins at or before the column.
    let key = column << SLOT_BITS | ((1 << SLOT_BITS) - 1);
    let at = row.partition_point(|&run| run <= key);
    let looks = looks_at(row.len());
    match at.checked_sub(1) {
        Some(i) => (row[i] & ((1 << SLOT_BITS) - 1), looks),
        None => (0, looks),
    }
}

/// The edge that a run names.
pub fn slot_of(run: u32) -> usize {
    (run & ((1 << SLOT_BITS) - 1)) as usize
}

/// Columns of a row, or runs of a kept one, that are written at once.
pub const BLOCK: usize = 512;

/// A row that is being written. Greedy runs: each goes on while some edge serves all of its targets. For a given order no
/// encoding has fewer.
#[derive(Clone, Debug)]
pub struct OpenRow {
    /// The column, or the run of a kept row, that comes next.
    pub next: usize,
    /// Where the open run begins, and the edges that have served all of it.
    start: u32,
    open: EdgeSet,
    /// How many regions of its own component the row's region cannot reach.
    pub out_of_reach: usize,
}

impl Default for OpenRow {
    fn default() -> OpenRow {
        OpenRow {
            next: 0,
            start: 0,
            open: EdgeSet::MAX,
            out_of_reach: 0,
        }
    }
}

impl OpenRow {
    /// A row of which nothing is written; any edge serves the columns before the one given.
    pub fn beginning_at(column: usize) -> OpenRow {
        OpenRow {
            next: column,
            ..OpenRow::default()
        }
    }

    /// Goes on with the edges that serve the next columns.
    pub fn extend(&mut self, sets: &[EdgeSet], write: &mut impl FnMut(u32)) {
        for (column, &set) in (self.next as u32..).zip(sets) {
            let both = self.open & set;
            if both == 0 {
                write(self.start << SLOT_BITS | self.open.trailing_zeros());
                self.start = column;
                self.open = set;
            } else {
                self.open = both;
            }
        }
        self.next += sets.len();
    }

    /// Ends the last run. A row whose every target may have any edge (a region with no edges) needs no run at all.
    pub fn close(&self, mut write: impl FnMut(u32)) {
        if self.open != EdgeSet::MAX {
            write(self.start << SLOT_BITS | self.open.trailing_zeros());
        }
    }

    /// Copies runs of a kept row; false once all are there. Its targets stand together in the order of columns and have moved
    /// together; any edge serves the columns before them, so the first run begins at column 0 as it did.
    pub fn copy_block(&mut self, kept: &KeptRow, mut write: impl FnMut(u32)) -> bool {
        let end = kept.runs.len().min(self.next + BLOCK);
        for (i, &run) in (self.next..end).zip(&kept.runs[self.next..end]) {
            let shift = if i == 0 { 0 } else { kept.shift };
            write(run.wrapping_add(shift << SLOT_BITS));
        }
        self.next = end;
        end < kept.runs.len()
    }
}

/// Numbers that are written one after the other, in pieces: what is there is not moved to make room for more.
#[derive(Clone, Debug, Default)]
pub struct Chunks(Vec<Vec<u32>>);

/// Numbers in a piece.
pub const CHUNK: usize = 1 << 14;

impl Chunks {
    /// Writes one more.
    pub fn push(&mut self, number: u32) {
        match self.0.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(number),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(number);
                self.0.push(chunk);
            }
        }
    }

    /// The pieces so far.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// One of the pieces.
    pub fn get(&self, piece: usize) -> &[u32] {
        &self.0[piece]
    }

    /// How many numbers were written.
    pub fn len(&self) -> usize {
        let full = self.0.len().saturating_sub(1) * CHUNK;
        full + self.0.last().map_or(0, Vec::len)
    }
}
