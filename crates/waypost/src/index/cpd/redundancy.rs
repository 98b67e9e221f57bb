//! How much rows of different cells have in common: the open question of the 2011 paper, "redundancy across tables".

use super::database::{PathDatabase, Records};
use crate::grid::Cell;
use crate::index::Index;
use std::ops::Range;

/// What rows of runs have in common; see [`PathDatabase::redundancy`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Redundancy {
    /// Rows, and their records.
    pub rows: u64,
    /// Records of all rows.
    pub records: u64,
    /// Rows of which no earlier one is a copy.
    pub distinct_rows: u64,
    /// Records of these.
    pub distinct_records: u64,
    /// Rows that equal that of a neighbour before them (west, or one of the three to the north).
    pub as_a_neighbour: u64,
    /// Records, if every row were the difference from the most similar of these neighbours' (records that come and records that go), or
    /// whole where that is less. A look-up would have to follow differences from row to row.
    pub as_differences: u64,
    /// The same, but every difference is one from a row that is stored whole: a look-up searches two lists.
    pub as_one_difference: u64,
    /// Rows that are stored as such a difference.
    pub differing_rows: u64,
}

impl PathDatabase {
    /// Counts what rows have in common; `None` for encodings other than runs. Sorts all rows once.
    pub fn redundancy(&self) -> Option<Redundancy> {
        let Records::Runs(runs) = &self.records else {
            return None;
        };
        let view = runs.view();
        let row = |cell: Cell| -> Vec<(u32, u32)> { view.records(self.row(cell)).collect() };
        let mut rows: Vec<Range<usize>> = self.grid.cells().map(|cell| self.row(cell)).collect();
        let mut found = Redundancy {
            rows: rows.len() as u64,
            records: self.records(),
            ..Redundancy::default()
        };
        rows.sort_by(|a, b| view.records(a.clone()).cmp(view.records(b.clone())));
        for equal in rows.chunk_by(|a, b| view.records(a.clone()).eq(view.records(b.clone()))) {
            found.distinct_rows += 1;
            found.distinct_records += equal[0].len() as u64;
        }
        let stride = self.grid.stride();
        // The whole row that a cell's row is stored against: its own, or that of the neighbour.
        let mut bases: Vec<u32> = vec![u32::MAX; self.grid.id_bound()];
        for cell in self.grid.cells() {
            let here = row(cell);
            let neighbours = [1, stride - 1, stride, stride + 1].map(|back| Cell(cell.0 - back));
            let known = || neighbours.into_iter().filter(|&n| self.grid.is_passable(n));
            let whole = here.len() as u64;
            let to_neighbour = known().map(|n| difference(&here, &row(n))).min();
            found.as_a_neighbour += u64::from(to_neighbour == Some(0));
            found.as_differences += to_neighbour.map_or(whole, |d| d.min(whole));
            let to_base = known()
                .map(|n| Cell(bases[n.index()]))
                .map(|base| (difference(&here, &row(base)), base))
                .min();
            // As long as the difference is short: a row that drifts away becomes a base of its own.
            match to_base.filter(|(by, _)| 2 * by < whole) {
                Some((by, base)) => {
                    bases[cell.index()] = base.0;
                    found.as_one_difference += by;
                    found.differing_rows += 1;
                }
                None => {
                    bases[cell.index()] = cell.0;
                    found.as_one_difference += whole;
                }
            }
        }
        Some(found)
    }
}

/// Records of one row that the other lacks, both ways.
fn difference(a: &[(u32, u32)], b: &[(u32, u32)]) -> u64 {
    let common = a.iter().filter(|record| b.binary_search(record).is_ok());
    let common = common.count();
    (a.len() + b.len() - 2 * common) as u64
}
