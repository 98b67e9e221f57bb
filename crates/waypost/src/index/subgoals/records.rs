//! Records in flat arrays: 4 bytes a state and a little over 2 bytes a record to find them.
//!
//! The first and last state of each record lie together, because a similarity query looks at nothing else; the states
//! between them follow each other in one array. A record's place there is the place of its block of 32 records plus the
//! counts before it in the block: a constant amount of work, and half the size of an offset per record.

use super::marks::Marks;
use crate::artifact::{Array, ArtifactError};
use crate::grid::Cell;

/// Records per block.
const BLOCK: usize = 32;
/// The most states between the ends of a record.
pub(super) const MAX_INNER: usize = u16::MAX as usize;

/// Compressed paths, in a fixed order.
#[derive(Clone, Debug)]
pub struct Records {
    ends: Array<[Cell; 2]>,
    inner: Array<Cell>,
    counts: Array<u16>,
    blocks: Array<u32>,
    marks: Marks,
}

/// The arrays of [`Records`] as plain slices: loops take them once.
#[derive(Clone, Copy, Debug)]
pub struct RecordSlices<'a> {
    /// First and last state of each record.
    pub ends: &'a [[Cell; 2]],
    pub(super) inner: &'a [Cell],
    pub(super) counts: &'a [u16],
    pub(super) blocks: &'a [u32],
    marks: &'a Marks,
}

impl Records {
    /// Puts arrays together that came from an artifact, and checks that every record lies within them.
    pub(super) fn from_arrays(
        ends: Array<[Cell; 2]>,
        inner: Array<Cell>,
        counts: Array<u16>,
        blocks: Array<u32>,
    ) -> Result<Records, ArtifactError> {
        let wrong = |what: String| Err(ArtifactError::malformed(what));
        if counts.len() != ends.len() || blocks.len() != ends.len().div_ceil(BLOCK) {
            return wrong(format!(
                "{} records with {} counts and {} blocks",
                ends.len(),
                counts.len(),
                blocks.len()
            ));
        }
        let mut place = 0usize;
        for (record, &count) in counts.iter().enumerate() {
            if record % BLOCK == 0 && blocks[record / BLOCK] as usize != place {
                return wrong(format!("block {} begins elsewhere", record / BLOCK));
            }
            place += usize::from(count);
        }
        if place != inner.len() {
            return wrong(format!("{} states for {place} counted", inner.len()));
        }
        Ok(Records {
            ends,
            inner,
            counts,
            blocks,
            marks: Marks::default(),
        })
    }

    /// Records that are of no use on the map as it is. Not part of artifacts.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The same records with other marks.
    pub(super) fn with_marks(&self, marks: Marks) -> Records {
        Records {
            marks,
            ..self.clone()
        }
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// States stored in all records together.
    pub fn states(&self) -> usize {
        self.ends.len() * 2 + self.inner.len()
    }

    /// Bytes of all arrays.
    pub fn bytes(&self) -> usize {
        self.states() * size_of::<Cell>() + self.counts.len() * 2 + self.blocks.len() * 4
    }

    /// The arrays as slices.
    #[inline]
    pub fn slices(&self) -> RecordSlices<'_> {
        RecordSlices {
            ends: &self.ends,
            inner: &self.inner,
            counts: &self.counts,
            blocks: &self.blocks,
            marks: &self.marks,
        }
    }
}

impl<'a> RecordSlices<'a> {
    /// Whether the record is of no use on the map as it is.
    #[inline]
    pub(crate) fn is_marked(&self, record: u32) -> bool {
        self.marks.contains(record)
    }

    /// How many states a record has: at least two.
    #[inline]
    pub fn state_count(&self, record: u32) -> u32 {
        u32::from(self.counts[record as usize]) + 2
    }

    /// The state at a position of a record: 0 is its start, `state_count - 1` its end.
    #[inline]
    pub fn state(&self, record: u32, position: u32) -> Cell {
        let [start, end] = self.ends[record as usize];
        if position == 0 {
            return start;
        }
        self.inner_of(record)
            .get(position as usize - 1)
            .copied()
            .unwrap_or(end)
    }

    /// The states between the ends of a record.
    #[inline]
    pub(crate) fn inner_of(&self, record: u32) -> &'a [Cell] {
        let record = record as usize;
        let block = record / BLOCK;
        let before: u32 = self.counts[block * BLOCK..record]
            .iter()
            .map(|&count| u32::from(count))
            .sum();
        let place = (self.blocks[block] + before) as usize;
        &self.inner[place..place + usize::from(self.counts[record])]
    }
}

/// Records while they are made.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordList {
    ends: Vec<[Cell; 2]>,
    inner: Vec<Cell>,
    counts: Vec<u16>,
}

impl RecordList {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a record of at least two states; its inner states must be at most [`MAX_INNER`].
    pub fn push(&mut self, states: &[Cell]) {
        let (Some(&start), Some(&end)) = (states.first(), states.last()) else {
            return;
        };
        let inner = states.get(1..states.len() - 1).unwrap_or(&[]);
        debug_assert!(inner.len() <= MAX_INNER);
        self.ends.push([start, end]);
        self.inner.extend_from_slice(inner);
        self.counts.push(inner.len() as u16);
    }

    /// Adds all records of another list.
    pub fn append(&mut self, mut other: RecordList) {
        self.ends.append(&mut other.ends);
        self.inner.append(&mut other.inner);
        self.counts.append(&mut other.counts);
    }

    /// Adds all records of an artifact.
    pub(crate) fn append_records(&mut self, other: &Records) {
        self.ends.extend_from_slice(&other.ends);
        self.inner.extend_from_slice(&other.inner);
        self.counts.extend_from_slice(&other.counts);
    }

    /// Whether there are more inner states than 32-bit places can name.
    pub(crate) fn is_too_large(&self) -> bool {
        self.inner.len() > u32::MAX as usize
    }

    /// The first and last states, in the order of the list.
    pub fn ends(&self) -> &[[Cell; 2]] {
        &self.ends
    }

    /// The records in the order that they were added.
    pub fn finish(self) -> Records {
        let mut blocks = Vec::with_capacity(self.len().div_ceil(BLOCK));
        let mut place = 0u32;
        for block in self.counts.chunks(BLOCK) {
            blocks.push(place);
            place += block.iter().map(|&count| u32::from(count)).sum::<u32>();
        }
        Records {
            ends: Array::from_slice(&self.ends),
            inner: Array::from_slice(&self.inner),
            counts: Array::from_slice(&self.counts),
            blocks: Array::from_slice(&blocks),
            marks: Marks::default(),
        }
    }

    /// The records in another order: `order` names each record once.
    pub(crate) fn finish_in(self, order: &[u32]) -> Records {
        let mut places = Vec::with_capacity(self.len());
        let mut place = 0usize;
        for &count in &self.counts {
            places.push(place);
            place += usize::from(count);
        }
        let mut sorted = RecordList {
            ends: order.iter().map(|&r| self.ends[r as usize]).collect(),
            inner: Vec::with_capacity(self.inner.len()),
            counts: order.iter().map(|&r| self.counts[r as usize]).collect(),
        };
        for &r in order {
            let first = places[r as usize];
            let last = first + usize::from(self.counts[r as usize]);
            sorted.inner.extend_from_slice(&self.inner[first..last]);
        }
        sorted.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn records_come_back_in_any_order() {
        let mut rng = Rng::new(5);
        let all: Vec<Vec<Cell>> = (0..200)
            .map(|_| {
                (0..rng.between(2, 9))
                    .map(|_| Cell(rng.below(1000)))
                    .collect()
            })
            .collect();
        let mut list = RecordList::default();
        all.iter().for_each(|record| list.push(record));
        let mut order: Vec<u32> = (0..200).collect();
        rng.shuffle(&mut order);
        let (plain, shuffled) = (list.clone().finish(), list.finish_in(&order));
        for (place, &record) in order.iter().enumerate() {
            let states = &all[record as usize];
            for (records, at) in [(&plain, record), (&shuffled, place as u32)] {
                let slices = records.slices();
                assert_eq!(slices.state_count(at) as usize, states.len());
                let back: Vec<_> = (0..states.len() as u32)
                    .map(|i| slices.state(at, i))
                    .collect();
                assert_eq!(&back, states);
            }
        }
        let total: usize = all.iter().map(Vec::len).sum();
        assert_eq!(plain.states(), total);
        assert!(plain.bytes() * 10 <= total * 4 * 13);
    }

    #[test]
    fn impossible_arrays_are_refused() {
        let mut list = RecordList::default();
        (0..40).for_each(|i| list.push(&[Cell(i), Cell(7), Cell(9)]));
        let good = list.finish();
        let (ends, inner) = (good.ends.clone(), good.inner.clone());
        let check = |counts: &[u16], blocks: &[u32]| {
            Records::from_arrays(
                ends.clone(),
                inner.clone(),
                Array::from_slice(counts),
                Array::from_slice(blocks),
            )
            .is_ok()
        };
        assert!(check(&[1; 40], &[0, 32]));
        assert!(!check(&[1; 39], &[0, 32]));
        assert!(!check(&[1; 40], &[0]));
        assert!(!check(&[1; 40], &[0, 31]));
        assert!(!check(&[1; 40], &[1, 32]));
        let mut counts = [1; 40];
        counts[39] = 2;
        assert!(!check(&counts, &[0, 32]));
    }
}
