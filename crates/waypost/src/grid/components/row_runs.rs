//! The runs of a grid's rows and their labels.

use crate::grid::Grid;

/// Passable cells side by side, as large as they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The id of the first cell.
    pub start: u32,
    /// The id behind the last cell.
    pub end: u32,
    /// Where its label is.
    pub slot: usize,
}

/// Where the labels of a row are.
#[derive(Clone, Copy, Debug, Default)]
struct RowSlots {
    first: u32,
    capacity: u32,
}

/// Finds the label of a cell in constant time. Rows can be replaced one by one.
#[derive(Clone, Debug)]
pub(super) struct RunTable {
    words_per_row: usize,
    /// As in [`Grid`]: a division by multiplication.
    row_reciprocal: u64,
    /// Bit `id` is set where passability changes between the cell before and this one. Every row begins blocked.
    marks: Vec<u64>,
    /// Marks of the row before each word.
    before: Vec<u16>,
    rows: Vec<RowSlots>,
    labels: Vec<u32>,
    /// Slots of rows that have moved.
    abandoned: usize,
}

impl RunTable {
    /// A table for a grid, all of it blocked.
    pub fn blocked(grid: &Grid) -> RunTable {
        let (words_per_row, rows) = (grid.words_per_row(), grid.height() as usize + 2);
        RunTable {
            words_per_row,
            row_reciprocal: (1u64 << 40).div_ceil(words_per_row as u64),
            marks: vec![0; words_per_row * rows],
            before: vec![0; words_per_row * rows],
            rows: vec![RowSlots::default(); rows],
            labels: Vec::new(),
            abandoned: 0,
        }
    }

    /// The difference between the ids of a cell and the cell below it.
    pub fn stride(&self) -> u32 {
        (self.words_per_row * 64) as u32
    }

    /// The row of a cell, counted from the border above the map.
    #[inline]
    pub fn row_of(&self, id: u32) -> usize {
        ((u64::from(id >> 6) * self.row_reciprocal) >> 40) as usize
    }

    /// The label of a cell's run; `None` where it is blocked or outside.
    #[inline]
    pub fn label_at(&self, id: u32) -> Option<u32> {
        let marks = self.marks_up_to(id)?;
        // Marks alternate: after an odd number of them one is in a run.
        if marks & 1 == 0 {
            return None;
        }
        Some(self.labels[(self.rows[self.row_of(id)].first + marks / 2) as usize])
    }

    #[inline]
    fn marks_up_to(&self, id: u32) -> Option<u32> {
        let word = (id >> 6) as usize;
        let marks = self.marks.get(word)?;
        // The bits up to and with the cell's own.
        let mask = u64::MAX >> (63 - (id & 63));
        Some(u32::from(self.before[word]) + (marks & mask).count_ones())
    }

    /// The label in a slot.
    pub fn label(&self, slot: usize) -> u32 {
        self.labels[slot]
    }

    /// Changes the label in a slot.
    pub fn set_label(&mut self, slot: usize, label: u32) {
        self.labels[slot] = label;
    }

    /// All labels, to be changed all at once.
    pub fn labels_mut(&mut self) -> &mut [u32] {
        &mut self.labels
    }

    /// How many labels there are, unused slots included.
    pub fn slots(&self) -> usize {
        self.labels.len()
    }

    /// Whether slots without a use outnumber the others.
    pub fn is_wasteful(&self) -> bool {
        self.abandoned > 4096 && self.abandoned * 2 > self.labels.len()
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.marks.len() * 8
            + self.before.len() * 2
            + self.rows.len() * size_of::<RowSlots>()
            + self.labels.len() * 4
    }

    /// Takes the marks of a row from the grid; its runs come out in order as `(start, end)`. Their labels are still those
    /// of the row as it was: the caller sets new ones with [`RunTable::set_row_labels`].
    pub fn mark_row(&mut self, grid: &Grid, row: usize, runs: &mut Vec<(u32, u32)>) {
        runs.clear();
        let first = row * self.words_per_row;
        let (mut carry, mut count) = (0, 0u32);
        let mut start = None;
        for word in first..first + self.words_per_row {
            let bits = grid.words()[word];
            let marks = bits ^ (bits << 1 | carry);
            carry = bits >> 63;
            self.marks[word] = marks;
            // At most 65,472 marks lie before the last word of the widest row.
            self.before[word] = count as u16;
            count += marks.count_ones();
            let mut rest = marks;
            while rest != 0 {
                let id = word as u32 * 64 + rest.trailing_zeros();
                rest &= rest - 1;
                match start.take() {
                    None => start = Some(id),
                    Some(start) => runs.push((start, id)),
                }
            }
        }
        if let Some(start) = start {
            runs.push((start, ((first + self.words_per_row) * 64) as u32));
        }
    }

    /// Sets the labels of a row, in the order of its runs. A row that has outgrown its place moves to the end.
    pub fn set_row_labels(&mut self, row: usize, labels: &[u32]) {
        let slots = &mut self.rows[row];
        if labels.len() > slots.capacity as usize {
            // A row that grows once grows again: from the second time on it gets room to spare.
            self.abandoned += slots.capacity as usize;
            let spare = if slots.capacity == 0 {
                0
            } else {
                labels.len() / 2 + 2
            };
            *slots = RowSlots {
                first: self.labels.len() as u32,
                capacity: (labels.len() + spare) as u32,
            };
            self.labels.extend_from_slice(labels);
            self.labels.resize(self.labels.len() + spare, super::NONE);
        } else {
            let first = slots.first as usize;
            self.labels[first..first + labels.len()].copy_from_slice(labels);
        }
    }

    /// The runs of a row that hold a cell with an id in `from..to`, whole, from left to right. The ids must lie in the row.
    pub fn runs_touching(&self, row: usize, from: u32, to: u32) -> RunsTouching<'_> {
        let row_start = row as u32 * self.stride();
        let row_end = row_start + self.stride();
        RunsTouching {
            table: self,
            first_slot: self.rows[row].first as usize,
            at: from.max(row_start),
            to: to.min(row_end),
            row_start,
            row_end,
        }
    }

    /// The last run of a row that begins before an id of the row.
    pub fn run_before(&self, row: usize, id: u32) -> Option<Run> {
        let row_start = row as u32 * self.stride();
        if id <= row_start {
            return None;
        }
        let marks = self.marks_up_to(id - 1)?;
        if marks == 0 {
            return None;
        }
        // After an even number of marks the last one ends the run that is wanted.
        let inside = if marks & 1 == 0 {
            self.last_mark(id - 1, row_start) - 1
        } else {
            id - 1
        };
        Some(Run {
            start: self.last_mark(inside, row_start),
            end: self.next_mark(inside + 1, row_start + self.stride()),
            slot: self.rows[row].first as usize + (marks as usize - 1) / 2,
        })
    }

    /// The first mark in `from..end`, or `end`.
    fn next_mark(&self, from: u32, end: u32) -> u32 {
        if from >= end {
            return end;
        }
        let mut word = (from >> 6) as usize;
        let mut bits = self.marks[word] & (u64::MAX << (from & 63));
        let last = ((end - 1) >> 6) as usize;
        while bits == 0 {
            if word == last {
                return end;
            }
            word += 1;
            bits = self.marks[word];
        }
        (word as u32 * 64 + bits.trailing_zeros()).min(end)
    }

    /// The last mark in `start..=from`; there is one where `from` lies in a run.
    fn last_mark(&self, from: u32, start: u32) -> u32 {
        let mut word = (from >> 6) as usize;
        let mut bits = self.marks[word] & (u64::MAX >> (63 - (from & 63)));
        let first = (start >> 6) as usize;
        while bits == 0 && word > first {
            word -= 1;
            bits = self.marks[word];
        }
        word as u32 * 64 + 63 - bits.leading_zeros().min(63)
    }
}

/// See [`RunTable::runs_touching`].
#[derive(Clone, Debug)]
pub(super) struct RunsTouching<'a> {
    table: &'a RunTable,
    first_slot: usize,
    at: u32,
    to: u32,
    row_start: u32,
    row_end: u32,
}

impl Iterator for RunsTouching<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        if self.at >= self.to {
            return None;
        }
        let mut marks = self.table.marks_up_to(self.at)?;
        if marks & 1 == 0 {
            self.at = self.table.next_mark(self.at + 1, self.row_end);
            marks += 1;
            if self.at >= self.to {
                return None;
            }
        }
        let start = self.table.last_mark(self.at, self.row_start);
        let end = self.table.next_mark(self.at + 1, self.row_end);
        self.at = end;
        Some(Run {
            start,
            end,
            slot: self.first_slot + (marks / 2) as usize,
        })
    }
}
