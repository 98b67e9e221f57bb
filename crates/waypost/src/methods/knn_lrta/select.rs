//! How kNN LRTA* selects: figure 8 of JAIR 2010, and the cures that the papers name as future work.
//!
//! As printed, the most similar record whose start climbing reaches from the agent, and from whose end climbing reaches the
//! goal, is followed. The cures, each with a switch (all off by default):
//!
//! | cure | key | named in |
//! |---|---|---|
//! | of all usable candidates take the one of least estimated total cost | `choose=cost` | - |
//! | enter and leave a record at any of its states | `join=any` | JAIR 2010, section 6.2, in spirit |
//! | blend the subgoals of `k` records into one | `k` | AIIDE 2009, section 6 |
//! | similarity that knows of obstacles, by landmarks | `landmarks` | AIIDE 2009, section 6 |
//!
//! A fifth is a matter of the database: records drawn where the ones before do not serve (`draw=uncovered`, JAIR 2010,
//! section 10).
//!
//! # Bounds
//! `join=any` tries at most [`MAX_JOINS`] states at each end of a record, nearest by estimated cost first; a blend looks at
//! [`SNAP_CELLS`] cells for one that can be stood on. So every selection stays within a number of operations that the
//! parameters give (`selection_bound`).

use super::KnnParams;
use super::cases::SHARPER_POOL;
use super::cases::{CaseQuery, CaseSpace, SNAP_CELLS, climbs, first_usable, look_ups_bound};
use crate::agent::{Context, Meter};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::landmarks::Landmarks;
use crate::index::subgoals::{Fragments, Part, RecordCosts, RecordSlices, Similarity};
use std::sync::Arc;

/// States of a record at which it may be entered, and states at which it may be left.
pub const MAX_JOINS: usize = 16;
/// The most records that are blended.
pub(crate) const MAX_BLENDED: usize = 8;

/// Which of the usable candidates is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    /// The most similar.
    #[default]
    Similarity,
    /// The one of least estimated cost to the goal.
    Cost,
}

/// Where a record may be entered and left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Join {
    /// At its ends.
    #[default]
    Ends,
    /// At any of its states.
    Any,
}

/// What the options need beside the records; shared by the agents of a database.
#[derive(Clone, Debug, Default)]
pub struct CaseExtras {
    /// Parts of records to search besides whole ones.
    pub fragments: Option<Arc<Fragments>>,
    /// For [`Choice::Cost`] and [`Join::Any`].
    pub costs: Option<Arc<RecordCosts>>,
    /// For similarity that knows of obstacles.
    pub landmarks: Option<Arc<Landmarks>>,
}

/// What was selected.
#[derive(Clone, Copy, Debug)]
pub(super) enum Selected {
    /// A part of a record, entered at its first state or, with enhancement 2, at the one after it.
    Part { part: Part, position: u32 },
    /// A single subgoal: after it the next selection is due.
    Blend(Cell),
}

/// A candidate that serves.
#[derive(Clone, Copy)]
struct Usable {
    part: Part,
    /// From the agent along the record to the goal.
    estimate: u64,
}

/// One selection.
pub(super) struct Selection<'a, S> {
    pub space: &'a S,
    pub cases: RecordSlices<'a>,
    pub extras: Option<&'a CaseExtras>,
    pub params: &'a KnnParams,
    pub at: Cell,
    pub goal: Cell,
    /// How many records are blended: 1 for none.
    pub blended: u8,
    /// The count of climb steps on the meter at which no more candidates are tried.
    pub effort_ends: u64,
}

impl<S: CaseSpace> Selection<'_, S> {
    /// Finds a record to follow.
    pub fn find(&self, context: &mut Context<S>) -> Option<Selected> {
        let fragments = self.extras.and_then(|extras| extras.fragments.as_deref());
        let landmarks = self.extras.and_then(|extras| extras.landmarks.as_deref());
        let ends = fragments.map_or(self.cases.ends, |f| f.ends());
        let query = CaseQuery {
            from: self.at,
            goal: self.goal,
            similarity: Similarity::Larger,
            lookup: self.params.lookup,
            candidates: self.params.candidates,
            landmarks,
        };
        let mut best: Option<Usable> = None;
        let mut targets = Targets {
            cells: [(Cell::NONE, 0); MAX_BLENDED],
            len: 0,
        };
        first_usable(context, ends, &query, |meter, candidate| {
            if meter.climb_steps >= self.effort_ends {
                return true;
            }
            let whole = match fragments {
                Some(fragments) => fragments.part(candidate.record),
                None => Part::whole(candidate.record, &self.cases),
            };
            if self.cases.is_marked(whole.record) {
                return false;
            }
            let Some(usable) = self.try_part(meter, whole) else {
                return false;
            };
            if best.is_none_or(|best| usable.estimate < best.estimate) {
                best = Some(usable);
            }
            if self.blended > 1 {
                let position = self.entry(meter, usable.part);
                let target = self.cases.state(usable.part.record, position);
                return targets.add(target, candidate.distance) == usize::from(self.blended);
            }
            self.params.choose == Choice::Similarity
        });
        let best = best?;
        if targets.len > 1
            && let Some(cell) = self.blend(&mut context.meter, targets.all())
        {
            return Some(Selected::Blend(cell));
        }
        let position = self.entry(&mut context.meter, best.part);
        Some(Selected::Part {
            part: best.part,
            position,
        })
    }

    /// The part of a candidate that serves, if any.
    fn try_part(&self, meter: &mut Meter, whole: Part) -> Option<Usable> {
        match self.params.join {
            Join::Ends => {
                let [first, last] =
                    [whole.first, whole.last].map(|p| self.cases.state(whole.record, p));
                let serves =
                    self.reaches(meter, self.at, first) && self.reaches(meter, last, self.goal);
                serves.then(|| self.usable(meter, whole))
            }
            Join::Any => {
                let first = self.best_entry(meter, whole)?;
                let last = self.best_exit(meter, Part { first, ..whole })?;
                let part = Part {
                    first,
                    last,
                    ..whole
                };
                Some(self.usable(meter, part))
            }
        }
    }

    /// A climb for the sake of a candidate, within the effort that is left.
    fn reaches(&self, meter: &mut Meter, from: Cell, to: Cell) -> bool {
        let left = self.effort_ends.saturating_sub(meter.climb_steps);
        let cap = u64::from(self.params.climb).min(left) as u32;
        cap > 0 && climbs(self.space, meter, from, to, cap)
    }

    fn usable(&self, meter: &mut Meter, part: Part) -> Usable {
        if self.params.choose == Choice::Similarity {
            return Usable { part, estimate: 0 };
        }
        meter.look_ups += 1;
        let to = self.entering(part, part.first);
        let along = self.along(part.record, part.first, part.last);
        let from = self.leaving(part, part.last);
        let estimate = [to, along, from].map(u64::from).iter().sum();
        Usable { part, estimate }
    }

    /// Of the first states of a part the one that the estimate likes best among those that climbing reaches.
    fn best_entry(&self, meter: &mut Meter, part: Part) -> Option<u32> {
        let last = part.last.min(part.first + MAX_JOINS as u32 - 1);
        let value = |position| {
            let rest = self.along(part.record, position, part.last);
            self.entering(part, position).saturating_add(rest)
        };
        self.nearest_joined(meter, part.first, last, value, |meter, position| {
            let state = self.cases.state(part.record, position);
            self.reaches(meter, self.at, state)
        })
    }

    /// Of the last states of a part the one that the estimate likes best among those from which climbing gets to the goal.
    fn best_exit(&self, meter: &mut Meter, part: Part) -> Option<u32> {
        let first = part
            .first
            .max((part.last + 1).saturating_sub(MAX_JOINS as u32));
        let value = |position| {
            let along = self.along(part.record, part.first, position);
            self.leaving(part, position).saturating_add(along)
        };
        self.nearest_joined(meter, first, part.last, value, |meter, position| {
            let state = self.cases.state(part.record, position);
            self.reaches(meter, state, self.goal)
        })
    }

    /// The position of least value, in the order of values, that can be joined.
    fn nearest_joined(
        &self,
        meter: &mut Meter,
        first: u32,
        last: u32,
        value: impl Fn(u32) -> Cost,
        mut joins: impl FnMut(&mut Meter, u32) -> bool,
    ) -> Option<u32> {
        let mut values = [(Cost::MAX, u32::MAX); MAX_JOINS];
        let mut count = 0;
        for position in (first..=last).take(MAX_JOINS) {
            values[count] = (value(position), position);
            count += 1;
        }
        meter.look_ups += count as u64;
        values[..count].sort_unstable();
        values[..count]
            .iter()
            .map(|&(_, position)| position)
            .find(|&position| joins(meter, position))
    }

    fn entering(&self, part: Part, position: u32) -> Cost {
        let state = self.cases.state(part.record, position);
        self.space.heuristic(self.at, state)
    }

    fn leaving(&self, part: Part, position: u32) -> Cost {
        let state = self.cases.state(part.record, position);
        self.space.heuristic(state, self.goal)
    }

    fn along(&self, record: u32, first: u32, last: u32) -> Cost {
        let costs = self.extras.and_then(|extras| extras.costs.as_deref());
        costs.map_or(0, |costs| costs.between(record, first, last))
    }

    /// Where a part is entered: enhancement 2.
    fn entry(&self, meter: &mut Meter, part: Part) -> u32 {
        if !self.params.first_subgoal || part.first == part.last {
            return part.first;
        }
        let next = self.cases.state(part.record, part.first + 1);
        let skip = climbs(self.space, meter, self.at, next, self.params.climb);
        part.first + u32::from(skip)
    }

    /// The mean of the targets, each weighted by how similar its record is, as a cell that climbing reaches.
    fn blend(&self, meter: &mut Meter, targets: &[(Cell, u64)]) -> Option<Cell> {
        let (cell, looks) = self.space.mean_cell(targets);
        meter.look_ups += u64::from(looks);
        let cell = cell.filter(|&cell| cell != self.at)?;
        climbs(self.space, meter, self.at, cell, self.params.climb).then_some(cell)
    }
}

/// Targets of several records.
struct Targets {
    cells: [(Cell, u64); MAX_BLENDED],
    len: usize,
}

impl Targets {
    /// Adds one, weighted by the inverse of its record's distance; gives their number.
    fn add(&mut self, cell: Cell, distance: Cost) -> usize {
        if self.len < MAX_BLENDED {
            self.cells[self.len] = (cell, (1 << 24) / (u64::from(distance) + 1) + 1);
            self.len += 1;
        }
        self.len
    }

    fn all(&self) -> &[(Cell, u64)] {
        &self.cells[..self.len]
    }
}

/// The most work of a selection among this many records or parts, the climb to the global goal included.
pub(super) fn selection_bound(params: &KnnParams, records: usize, sharper: bool) -> Meter {
    let candidates = if sharper {
        params.candidates.saturating_mul(SHARPER_POOL)
    } else {
        params.candidates
    };
    let tried = u64::from(params.candidates).min(records as u64);
    let mut look_ups = look_ups_bound(params.lookup, candidates, records);
    if sharper {
        look_ups += 2 * u64::from(candidates).min(records as u64);
    }
    let joins = match params.join {
        Join::Ends => 2,
        Join::Any => 2 * MAX_JOINS as u64,
    };
    let blended = u64::from(params.neighbours.saturating_sub(1));
    if params.join == Join::Any {
        look_ups += joins * tried;
    }
    if params.choose == Choice::Cost {
        look_ups += tried;
    }
    if blended > 0 {
        look_ups += u64::from(SNAP_CELLS);
    }
    // Both ends of each candidate, within the effort; the entry of each that is blended; the goal and the entry of the one that is followed.
    let climb = u64::from(params.climb);
    let candidates = (joins * tried * climb).min(u64::from(params.effort));
    Meter {
        look_ups,
        climb_steps: candidates + (2 * blended + 3) * climb,
        ..Meter::default()
    }
}
