//! Parts of records (JAIR 2010, section 6.2, last paragraph): every pair of states of a record, in the order that it is
//! walked, as a record of its own. The paper found that they crowd out whole records and dropped them; they are here to
//! check that.

use super::records::{RecordSlices, Records};
use super::tree::tree_order;
use crate::grid::{Cell, Point};

/// The most parts that are indexed.
const MAX_PARTS: usize = 1 << 24;

/// A run of states of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Part {
    /// The record.
    pub record: u32,
    /// The place of its first state.
    pub first: u32,
    /// The place of its last state: after `first`.
    pub last: u32,
}

impl Part {
    /// A whole record.
    pub fn whole(record: u32, records: &RecordSlices) -> Part {
        Part {
            record,
            first: 0,
            last: records.state_count(record) - 1,
        }
    }
}

/// All parts of all records, in the order of a kd-tree over their ends.
#[derive(Clone, Debug)]
pub struct Fragments {
    ends: Vec<[Cell; 2]>,
    parts: Vec<Part>,
}

impl Fragments {
    /// Finds all parts; `None` where there are too many.
    pub(super) fn of(records: &Records, point: impl Fn(Cell) -> Point) -> Option<Fragments> {
        let slices = records.slices();
        let mut parts = Vec::new();
        for record in 0..records.len() as u32 {
            let states = slices.state_count(record);
            for first in 0..states - 1 {
                parts.extend((first + 1..states).map(|last| Part {
                    record,
                    first,
                    last,
                }));
                if parts.len() > MAX_PARTS {
                    return None;
                }
            }
        }
        let ends_of = |part: &Part| {
            [part.first, part.last].map(|position| slices.state(part.record, position))
        };
        let ends: Vec<[Cell; 2]> = parts.iter().map(ends_of).collect();
        let order = tree_order(&ends, point);
        Some(Fragments {
            ends: order.iter().map(|&i| ends[i as usize]).collect(),
            parts: order.iter().map(|&i| parts[i as usize]).collect(),
        })
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// First and last state of each part.
    pub fn ends(&self) -> &[[Cell; 2]] {
        &self.ends
    }

    /// The part with a number.
    pub fn part(&self, number: u32) -> Part {
        self.parts[number as usize]
    }
}
