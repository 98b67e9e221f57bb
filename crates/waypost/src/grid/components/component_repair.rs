//! Keeps components right after a patch.

use super::row_runs::Run;
use super::{Components, NONE};
use crate::grid::{Cell, ChangeSet, Grid};
use std::collections::VecDeque;

/// Fewer pieces than this are never too many.
const SPARE_PIECES: usize = 1024;

impl Components {
    /// Follows a patch: `grid` is the grid after it, `changes` what it changed. Afterwards the components are those that
    /// [`Components::find`] would find, though perhaps with other numbers.
    ///
    /// The work follows the changed cells, the runs of their rows, and the smaller parts where the patch cuts something
    /// off; see the module's documentation.
    pub fn repair(&mut self, grid: &Grid, changes: &ChangeSet) {
        if changes.is_empty() {
            return;
        }
        let rows = self.changed_rows(changes);
        if rows.len() * 2 > grid.height() as usize || self.is_worn() {
            *self = Components::find(grid, self.corners);
            return;
        }
        let mut concerned = Vec::new();
        for &cell in &changes.blocked {
            if let Some(label) = self.runs.label_at(cell.0) {
                let component = self.pieces[label as usize].component;
                self.parts[component as usize].cells -= 1;
                concerned.push(label);
            }
        }
        for row in rows {
            self.renew_row(grid, row);
        }
        self.add_opened(&changes.opened, &mut concerned);
        self.part_around(&changes.blocked);
        self.drop_empty(&concerned);
    }

    /// Many more pieces than components, or many slots without a run: time to build again.
    fn is_worn(&self) -> bool {
        let allowed = self.parts.len() + self.runs.slots() / 16 + SPARE_PIECES;
        self.pieces.len() > allowed || self.runs.is_wasteful()
    }

    fn changed_rows(&self, changes: &ChangeSet) -> Vec<usize> {
        let cells = changes.blocked.iter().chain(&changes.opened);
        let mut rows: Vec<usize> = cells.map(|cell| self.runs.row_of(cell.0)).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Reads a row again. A run takes the label of a run that it shares cells with, and joins several such; a run of
    /// opened cells alone is a new component, for now of no cells.
    fn renew_row(&mut self, grid: &Grid, row: usize) {
        let row_start = row as u32 * self.runs.stride();
        let old: Vec<(Run, u32)> = self
            .runs
            .runs_touching(row, row_start, row_start + self.runs.stride())
            .map(|run| (run, self.runs.label(run.slot)))
            .collect();
        let mut found = Vec::new();
        self.runs.mark_row(grid, row, &mut found);
        let mut labels = Vec::with_capacity(found.len());
        let mut first = 0;
        for (start, end) in found {
            while first < old.len() && old[first].0.end <= start {
                first += 1;
            }
            let sharing = old[first..].iter().take_while(|(run, _)| run.start < end);
            let mut label = NONE;
            for &(_, other) in sharing {
                if label == NONE {
                    label = other;
                } else {
                    self.join(label, other);
                }
            }
            labels.push(if label == NONE {
                self.new_part(0)
            } else {
                label
            });
        }
        self.runs.set_row_labels(row, &labels);
    }

    /// Counts opened cells and joins what touches them in the rows above and below.
    fn add_opened(&mut self, opened: &[Cell], concerned: &mut Vec<u32>) {
        let (stride, reach) = (self.runs.stride(), self.reach());
        for &Cell(id) in opened {
            let Some(label) = self.runs.label_at(id) else {
                continue;
            };
            concerned.push(label);
            let component = self.pieces[label as usize].component;
            self.parts[component as usize].cells += 1;
            for middle in [id - stride, id + stride] {
                for beside in middle - reach..=middle + reach {
                    if let Some(other) = self.runs.label_at(beside) {
                        self.join(label, other);
                    }
                }
            }
        }
    }

    /// Makes the components of two pieces one.
    fn join(&mut self, a: u32, b: u32) {
        let of = |piece: u32| self.pieces[piece as usize].component;
        let (a, b) = (of(a), of(b));
        if a == b {
            return;
        }
        // The one with fewer pieces is renamed.
        let pieces = |component: u32| self.parts[component as usize].pieces;
        let (keep, gone) = if pieces(a) >= pieces(b) {
            (a, b)
        } else {
            (b, a)
        };
        let moved = self.parts[gone as usize];
        self.rename(moved.first, keep);
        let kept = &mut self.parts[keep as usize];
        self.pieces[kept.last as usize].next = moved.first;
        kept.last = moved.last;
        kept.pieces += moved.pieces;
        kept.cells += moved.cells;
        self.remove_part(gone);
    }

    fn rename(&mut self, first: u32, component: u32) {
        let mut piece = first;
        while piece != NONE {
            self.pieces[piece as usize].component = component;
            piece = self.pieces[piece as usize].next;
        }
    }

    /// Takes a component's entry away; the last one gets its number.
    fn remove_part(&mut self, component: u32) {
        self.parts.swap_remove(component as usize);
        if let Some(part) = self.parts.get(component as usize) {
            self.rename(part.first, component);
        }
    }

    /// Drops components that have lost their last cell; every one of them is named by a label in `concerned`.
    fn drop_empty(&mut self, concerned: &[u32]) {
        for &label in concerned {
            let component = self.pieces[label as usize].component;
            if component == NONE || self.parts[component as usize].cells > 0 {
                continue;
            }
            self.rename(self.parts[component as usize].first, NONE);
            self.remove_part(component);
        }
    }

    /// Finds out whether blocked cells have cut their components apart.
    fn part_around(&mut self, blocked: &[Cell]) {
        let rim = self.rim(blocked);
        let groups = self.groups(&rim);
        let contested = self.contested(blocked, &rim, &groups);
        let mut members: Vec<(u32, u32, Run)> = rim
            .into_iter()
            .zip(groups)
            .filter(|&(_, group)| contested[group as usize])
            .map(|(run, group)| {
                let label = self.runs.label(run.slot);
                (self.pieces[label as usize].component, group, run)
            })
            .collect();
        members.sort_unstable_by_key(|&(component, group, run)| (component, group, run.start));
        for same in members.chunk_by(|a, b| a.0 == b.0) {
            let sides: Vec<Vec<Run>> = same
                .chunk_by(|a, b| a.1 == b.1)
                .map(|side| side.iter().map(|member| member.2).collect())
                .collect();
            // Where a component has one group alone, nothing is cut off.
            if sides.len() > 1 {
                Contest::new(self, same[0].0, sides).run();
            }
        }
    }

    /// The runs that touch a blocked cell, in the order of ids.
    fn rim(&self, blocked: &[Cell]) -> Vec<Run> {
        let stride = self.runs.stride();
        let mut rim = Vec::new();
        for &Cell(id) in blocked {
            for middle in [id - stride, id, id + stride] {
                let row = self.runs.row_of(middle);
                rim.extend(self.runs.runs_touching(row, middle - 1, middle + 2));
            }
        }
        rim.sort_unstable_by_key(|run| run.start);
        rim.dedup();
        rim
    }

    /// Which groups lie around a cluster of blocked cells that has another group around it, too? A path through a cluster with
    /// one group can go round it along that group, so what such clusters touch is not cut off by them.
    fn contested(&self, blocked: &[Cell], rim: &[Run], groups: &[u32]) -> Vec<bool> {
        let stride = self.runs.stride();
        let mut cells: Vec<u32> = blocked.iter().map(|cell| cell.0).collect();
        cells.sort_unstable();
        let mut cluster: Vec<u32> = (0..cells.len() as u32).collect();
        for (i, &id) in cells.iter().enumerate() {
            for before in [id - 1, id - stride - 1, id - stride, id - stride + 1] {
                if let Ok(j) = cells[..i].binary_search(&before) {
                    unite(&mut cluster, i as u32, j as u32);
                }
            }
        }
        let mut pairs = Vec::new();
        for (i, &id) in cells.iter().enumerate() {
            let cluster = root(&mut cluster, i as u32);
            for middle in [id - stride, id, id + stride] {
                let first = rim.partition_point(|run| run.end < middle);
                let touching = rim[first..].iter().zip(&groups[first..]);
                let touching = touching.take_while(|(run, _)| run.start < middle + 2);
                pairs.extend(touching.map(|(_, &group)| (cluster, group)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut contested = vec![false; rim.len()];
        for around in pairs.chunk_by(|a, b| a.0 == b.0).filter(|a| a.len() > 1) {
            around
                .iter()
                .for_each(|pair| contested[pair.1 as usize] = true);
        }
        contested
    }

    /// For each run of the rim the number of its group: runs that touch are in one.
    fn groups(&self, rim: &[Run]) -> Vec<u32> {
        let (stride, reach) = (self.runs.stride(), self.reach());
        let mut group: Vec<u32> = (0..rim.len() as u32).collect();
        for i in 0..rim.len() {
            let (from, to) = (rim[i].start + stride - reach, rim[i].end + stride + reach);
            let below = rim.partition_point(|run| run.end <= from);
            let touching = rim[below..].iter().take_while(|run| run.start < to).count();
            for j in below..below + touching {
                unite(&mut group, i as u32, j as u32);
            }
        }
        (0..rim.len() as u32).map(|i| root(&mut group, i)).collect()
    }
}

/// The least member of the set that a number belongs to.
fn root(sets: &mut [u32], mut i: u32) -> u32 {
    while sets[i as usize] != i {
        sets[i as usize] = sets[sets[i as usize] as usize];
        i = sets[i as usize];
    }
    i
}

fn unite(sets: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(sets, a), root(sets, b));
    sets[a.max(b) as usize] = a.min(b);
}

/// Floods from several sides of one component that take turns, until all but one have met another or ended.
struct Contest<'a> {
    components: &'a mut Components,
    component: u32,
    /// Side `i` writes label `base + i`.
    base: u32,
    sides: Vec<Side>,
    /// Sides that have neither met another nor ended.
    open: usize,
}

struct Side {
    frontier: VecDeque<Run>,
    cells: u64,
    /// The side that it has become part of; itself while it is on its own.
    with: u32,
    has_ended: bool,
}

impl Contest<'_> {
    fn new(components: &mut Components, component: u32, groups: Vec<Vec<Run>>) -> Contest<'_> {
        let base = components.pieces.len() as u32;
        let mut sides = Vec::with_capacity(groups.len());
        for group in groups {
            let piece = components.new_piece(component);
            for run in &group {
                components.runs.set_label(run.slot, piece);
            }
            sides.push(Side {
                cells: group.iter().map(|run| u64::from(run.end - run.start)).sum(),
                frontier: group.into(),
                with: piece - base,
                has_ended: false,
            });
        }
        Contest {
            components,
            component,
            base,
            open: sides.len(),
            sides,
        }
    }

    fn run(mut self) {
        let mut turns: VecDeque<u32> = (0..self.sides.len() as u32).collect();
        while self.open > 1 {
            let Some(side) = turns.pop_front() else {
                break;
            };
            if self.sides[side as usize].with != side {
                continue;
            }
            match self.sides[side as usize].frontier.pop_front() {
                Some(run) => {
                    self.expand(side, run);
                    turns.push_back(side);
                }
                None => {
                    self.sides[side as usize].has_ended = true;
                    self.open -= 1;
                }
            }
        }
        self.settle();
    }

    /// Takes the runs above and below that nobody has, and meets those who have theirs.
    fn expand(&mut self, side: u32, run: Run) {
        let (stride, reach) = (self.components.runs.stride(), self.components.reach());
        let row = self.components.runs.row_of(run.start);
        let mut mine = side;
        let neighbours = [
            (row - 1, run.start - stride, run.end - stride),
            (row + 1, run.start + stride, run.end + stride),
        ];
        for (row, from, to) in neighbours {
            let runs = &mut self.components.runs;
            let mut at = from - reach;
            while let Some(next) = runs.runs_touching(row, at, to + reach).next() {
                at = next.end;
                let label = runs.label(next.slot);
                if label < self.base {
                    runs.set_label(next.slot, self.base + mine);
                    let side = &mut self.sides[mine as usize];
                    side.cells += u64::from(next.end - next.start);
                    side.frontier.push_back(next);
                } else {
                    mine = meet(&mut self.sides, &mut self.open, mine, label - self.base);
                }
            }
        }
    }

    /// Sides that ended are components of their own; the rest stays what it was.
    fn settle(self) {
        let (components, mut sides) = (self.components, self.sides);
        let mut numbers = vec![self.component; sides.len()];
        for side in 0..sides.len() {
            if sides[side].has_ended {
                numbers[side] = components.parts.len() as u32;
                components.parts.push(super::Part {
                    cells: sides[side].cells,
                    first: NONE,
                    last: NONE,
                    pieces: 0,
                });
                components.parts[self.component as usize].cells -= sides[side].cells;
            }
        }
        for side in 0..sides.len() as u32 {
            let component = numbers[leader(&mut sides, side) as usize];
            let piece = self.base + side;
            let part = &mut components.parts[component as usize];
            components.pieces[piece as usize] = super::Piece {
                component,
                next: part.first,
            };
            part.first = piece;
            if part.last == NONE {
                part.last = piece;
            }
            part.pieces += 1;
        }
    }
}

fn leader(sides: &mut [Side], mut side: u32) -> u32 {
    while sides[side as usize].with != side {
        let above = sides[sides[side as usize].with as usize].with;
        sides[side as usize].with = above;
        side = above;
    }
    side
}

/// Two sides have met: one goes on for both. Gives the one that does.
fn meet(sides: &mut [Side], open: &mut usize, a: u32, b: u32) -> u32 {
    let (a, b) = (leader(sides, a), leader(sides, b));
    if a == b {
        return a;
    }
    let waiting = |side: u32| sides[side as usize].frontier.len();
    let (keep, gone) = if waiting(a) >= waiting(b) {
        (a, b)
    } else {
        (b, a)
    };
    let mut frontier = std::mem::take(&mut sides[gone as usize].frontier);
    let cells = sides[gone as usize].cells;
    sides[gone as usize].with = keep;
    let kept = &mut sides[keep as usize];
    kept.frontier.append(&mut frontier);
    kept.cells += cells;
    *open -= 1;
    keep
}
