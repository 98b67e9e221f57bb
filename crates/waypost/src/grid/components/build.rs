//! Finds all components: one pass over the rows, runs joined to the runs above them.

use super::row_runs::RunTable;
use super::{Components, NONE, Part, Piece};
use crate::grid::{Corners, Grid};

/// Labels given on the way and which of them turned out to be one component. A root is the least label of its set.
#[derive(Default)]
struct Labels {
    parent: Vec<u32>,
    cells: Vec<u64>,
}

impl Labels {
    fn fresh(&mut self) -> u32 {
        self.parent.push(self.parent.len() as u32);
        self.cells.push(0);
        self.parent.len() as u32 - 1
    }

    fn root(&mut self, mut label: u32) -> u32 {
        while self.parent[label as usize] != label {
            let above = self.parent[self.parent[label as usize] as usize];
            self.parent[label as usize] = above;
            label = above;
        }
        label
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
        a.min(b)
    }
}

/// A run with its label, its ids counted within its row.
type RowRun = (u32, u32, u32);

pub(super) fn find(grid: &Grid, corners: Corners) -> Components {
    let mut runs = RunTable::blocked(grid);
    let mut labels = Labels::default();
    let reach = u32::from(corners.connects_diagonally());
    let (mut above, mut here): (Vec<RowRun>, Vec<RowRun>) = (Vec::new(), Vec::new());
    let (mut found, mut row_labels) = (Vec::new(), Vec::new());
    for row in 1..=grid.height() as usize {
        runs.mark_row(grid, row, &mut found);
        label_row(
            &found,
            row as u32 * grid.stride(),
            reach,
            &above,
            &mut here,
            &mut labels,
        );
        row_labels.clear();
        row_labels.extend(here.iter().map(|run| run.2));
        runs.set_row_labels(row, &row_labels);
        std::mem::swap(&mut above, &mut here);
    }
    number(runs, labels, corners)
}

/// Gives every run of a row the label of the runs above that it touches, and joins them where there are several.
fn label_row(
    found: &[(u32, u32)],
    row_start: u32,
    reach: u32,
    above: &[RowRun],
    here: &mut Vec<RowRun>,
    labels: &mut Labels,
) {
    here.clear();
    let mut first = 0;
    for &(start, end) in found {
        let (start, end) = (start - row_start, end - row_start);
        while first < above.len() && above[first].1 + reach <= start {
            first += 1;
        }
        let touching = above[first..].iter().take_while(|run| run.0 < end + reach);
        let label = touching
            .map(|run| run.2)
            .reduce(|a, b| labels.join(a, b))
            .unwrap_or_else(|| labels.fresh());
        labels.cells[label as usize] += u64::from(end - start);
        here.push((start, end, label));
    }
}

/// Replaces labels by component numbers without gaps, in the order of first cells.
fn number(mut runs: RunTable, mut labels: Labels, corners: Corners) -> Components {
    let mut numbers = vec![NONE; labels.parent.len()];
    let mut parts: Vec<Part> = Vec::new();
    for label in 0..labels.parent.len() as u32 {
        let root = labels.root(label);
        if root == label {
            let component = parts.len() as u32;
            numbers[label as usize] = component;
            parts.push(Part {
                cells: 0,
                first: component,
                last: component,
                pieces: 1,
            });
        }
        // The root is the least of its set, so it has its number already.
        let component = numbers[root as usize];
        numbers[label as usize] = component;
        parts[component as usize].cells += labels.cells[label as usize];
    }
    for label in runs.labels_mut() {
        *label = numbers[*label as usize];
    }
    let pieces = (0..parts.len() as u32)
        .map(|component| Piece {
            component,
            next: NONE,
        })
        .collect();
    Components {
        corners,
        runs,
        pieces,
        parts,
    }
}
