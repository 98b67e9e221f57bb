//! What it costs to walk along a record, by estimate: the sums of the heuristic between its states.
//!
//! Needed by agents that choose records by cost or join them half-way. 4 bytes a state, made when the first such agent is
//! built and not stored in files.

use super::records::Records;
use crate::cost::Cost;
use crate::grid::Cell;

/// For every state of every record the estimated cost from the record's start.
#[derive(Clone, Debug)]
pub struct RecordCosts {
    from_start: Vec<Cost>,
    /// Where each record begins in it.
    first: Vec<u32>,
}

impl RecordCosts {
    /// Sums up the estimates of a space.
    pub fn of(records: &Records, heuristic: impl Fn(Cell, Cell) -> Cost) -> RecordCosts {
        let slices = records.slices();
        let mut costs = RecordCosts {
            from_start: Vec::with_capacity(records.states()),
            first: Vec::with_capacity(records.len()),
        };
        for record in 0..records.len() as u32 {
            costs.first.push(costs.from_start.len() as u32);
            let mut before = slices.state(record, 0);
            let mut cost: Cost = 0;
            for position in 0..slices.state_count(record) {
                let state = slices.state(record, position);
                cost = cost.saturating_add(heuristic(before, state));
                costs.from_start.push(cost);
                before = state;
            }
        }
        costs
    }

    /// The cost between two positions of a record, the first of them not after the second.
    #[inline]
    pub fn between(&self, record: u32, first: u32, last: u32) -> Cost {
        let row = &self.from_start[self.first[record as usize] as usize..];
        row[last as usize] - row[first as usize]
    }
}
