//! What both versions of kNN LRTA* ask of a space: similar records, and climbing.

use crate::agent::{Context, Meter};
use crate::cost::Cost;
use crate::grid::{Cell, Direction, Point};
use crate::heuristic::GridHeuristic;
use crate::index::landmarks::Landmarks;
use crate::index::subgoals::{Candidate, Query, Similarity, nearest, scan};
use crate::map::Map;
use crate::search::climb::{self, next_leg};
use crate::search::hill_climb::{self, Climb};
use crate::space::{ExplicitGraph, Space};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How records are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// By the kd-tree that their order makes, looking at this many of its nodes at most.
    Tree {
        /// The most nodes.
        visits: u32,
    },
    /// By looking at all of them.
    Scan,
}

/// A search for similar records.
#[derive(Clone, Copy, Debug)]
pub struct CaseQuery<'a> {
    /// Where the agent is.
    pub from: Cell,
    /// Where it wants to go.
    pub goal: Cell,
    /// The measure.
    pub similarity: Similarity,
    /// How to look.
    pub lookup: Lookup,
    /// How many records to try; `u32::MAX` for all.
    pub candidates: u32,
    /// Distances that know of obstacles: [`SHARPER_POOL`] times the candidates are found by the measure, and the
    /// candidates among them by these.
    pub landmarks: Option<&'a Landmarks>,
}

/// How many times the candidates are ranked again where landmarks are at hand.
pub const SHARPER_POOL: u32 = 4;
/// Cells looked at for one that can be stood on: a square of 17 on a side.
pub const SNAP_CELLS: u32 = 17 * 17;

/// The direction of the next steps of a climb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Where to.
    pub direction: Direction,
    /// How many steps.
    pub steps: u32,
}

/// Steps of a climb that are found at once.
pub const LEG: u32 = 64;

/// A space on which kNN LRTA* runs. What is given here serves any graph: all records are looked at, by the space's own
/// heuristic, and climbs go step by step. Grids do better in everything.
pub trait CaseSpace: Space + Sized {
    /// The most similar records, best first, into `best`; gives the number of records looked at.
    fn most_similar(
        &self,
        ends: &[[Cell; 2]],
        query: &CaseQuery,
        best: &mut Vec<Candidate>,
    ) -> u32 {
        best.clear();
        for (record, &[start, end]) in ends.iter().enumerate() {
            let candidate = Candidate {
                distance: self.dissimilarity(query, start, end),
                record: record as u32,
            };
            candidate.keep_among(best, query.candidates as usize);
        }
        ends.len() as u32
    }

    /// How dissimilar a record with these ends is.
    #[inline]
    fn dissimilarity(&self, query: &CaseQuery, start: Cell, end: Cell) -> Cost {
        query.similarity.of(
            self.heuristic(query.from, start),
            self.heuristic(query.goal, end),
        )
    }

    /// The distance between two nodes as far as landmarks know it.
    fn sharper(&self, landmarks: &Landmarks, from: Cell, to: Cell) -> Cost {
        let _ = landmarks;
        self.heuristic(from, to)
    }

    /// The node nearest to the weighted mean of some nodes, and the number of nodes looked at; `None` where nodes have no
    /// places or none is near.
    fn mean_cell(&self, weighted: &[(Cell, u64)]) -> (Option<Cell>, u32) {
        let _ = weighted;
        (None, 0)
    }

    /// Climbs for at most `cap` steps.
    fn climb(&self, from: Cell, to: Cell, cap: u32) -> Climb {
        hill_climb::climb(self, from, to, cap, |_| {})
    }

    /// The next cell of a climb, and how it goes on from there where that is known; `None` where the climb ends.
    fn climb_step(&self, at: Cell, to: Cell) -> Option<(Cell, Option<Heading>)> {
        hill_climb::climb_step(self, at, to).map(|next| (next, None))
    }

    /// The neighbour in a direction if the move is legal.
    fn ahead(&self, at: Cell, direction: Direction) -> Option<Cell> {
        let _ = (at, direction);
        None
    }

    /// How many steps of a heading are made from a cell before they end or meet the goal, and where that is.
    fn along(&self, from: Cell, heading: Heading, goal: Cell) -> (u32, Cell) {
        let _ = (heading, goal);
        (0, from)
    }
}

impl CaseSpace for ExplicitGraph {}

impl CaseSpace for Map {
    fn most_similar(
        &self,
        ends: &[[Cell; 2]],
        query: &CaseQuery,
        best: &mut Vec<Candidate>,
    ) -> u32 {
        let grid = self.grid();
        let asked = Query {
            from: grid.point(query.from),
            goal: grid.point(query.goal),
            costs: self.least_steps(),
            similarity: query.similarity,
            wanted: query.candidates as usize,
            visits: match query.lookup {
                Lookup::Tree { visits } => visits,
                Lookup::Scan => u32::MAX,
            },
        };
        let point = |cell| grid.point(cell);
        match query.lookup {
            Lookup::Tree { .. } => nearest(ends, point, &asked, best),
            Lookup::Scan => scan(ends, point, &asked, best),
        }
    }

    fn sharper(&self, landmarks: &Landmarks, from: Cell, to: Cell) -> Cost {
        let grid = self.grid();
        if !(landmarks.fits(self) && grid.is_passable(from) && grid.is_passable(to)) {
            return self.heuristic(from, to);
        }
        let estimate = landmarks.differential(self, from, to);
        estimate.estimate(from, grid.point(from))
    }

    fn mean_cell(&self, weighted: &[(Cell, u64)]) -> (Option<Cell>, u32) {
        let grid = self.grid();
        let sum = |of: fn(Point) -> u32| -> u64 {
            let parts = weighted.iter();
            parts
                .map(|&(cell, weight)| u64::from(of(grid.point(cell))) * weight)
                .sum()
        };
        let weights: u64 = weighted.iter().map(|&(_, weight)| weight).sum();
        let Some(centre) = (sum(|p| p.x) + weights / 2)
            .checked_div(weights)
            .zip((sum(|p| p.y) + weights / 2).checked_div(weights))
        else {
            return (None, 0);
        };
        let reach = (SNAP_CELLS.isqrt() / 2) as i64;
        let around = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
        let nearest = around
            .filter_map(|(dx, dy)| {
                let x = u32::try_from(centre.0 as i64 + dx).ok()?;
                let y = u32::try_from(centre.1 as i64 + dy).ok()?;
                Some((dx * dx + dy * dy, self.passable_cell(Point { x, y })?))
            })
            .min();
        (nearest.map(|(_, cell)| cell), SNAP_CELLS)
    }

    #[inline]
    fn climb(&self, from: Cell, to: Cell, cap: u32) -> Climb {
        climb::climb_on(self, from, to, cap)
    }

    #[inline]
    fn climb_step(&self, at: Cell, to: Cell) -> Option<(Cell, Option<Heading>)> {
        let grid = self.grid();
        if !self.is_uniform() {
            return climb::step_on(self, at, to).map(|next| (next, None));
        }
        let leg = next_leg(self, grid.point(at), grid.point(to), LEG)?;
        let rest = (leg.steps > 1).then(|| Heading {
            direction: leg.direction,
            steps: leg.steps - 1,
        });
        Some((grid.neighbour(at, leg.direction), rest))
    }

    #[inline]
    fn ahead(&self, at: Cell, direction: Direction) -> Option<Cell> {
        (self.grid().is_passable(at) && self.legal(at).contains(direction))
            .then(|| self.grid().neighbour(at, direction))
    }

    fn along(&self, from: Cell, heading: Heading, goal: Cell) -> (u32, Cell) {
        let (direction, grid) = (heading.direction, self.grid());
        let offset = grid.neighbour(from, direction).0.wrapping_sub(from.0);
        let (dx, dy) = grid.point(from).distances(grid.point(goal));
        let to_goal = dx.max(dy);
        // Within the map no other multiple of the offset leads to the same cell.
        let met = goal.0 == from.0.wrapping_add(offset.wrapping_mul(to_goal));
        let steps = if met && to_goal < heading.steps {
            to_goal
        } else {
            heading.steps
        };
        (steps, Cell(from.0.wrapping_add(offset.wrapping_mul(steps))))
    }
}

/// Memory for queries, shared by the agents of a thread.
#[derive(Clone, Debug, Default)]
pub struct CaseScratch {
    best: Vec<Candidate>,
    ranking: Vec<Reverse<Candidate>>,
}

impl CaseScratch {
    /// Makes room for a query among this many records, so that it allocates nothing.
    pub fn reserve(&mut self, candidates: u32, records: usize) {
        if candidates as usize >= records {
            self.ranking.clear();
            self.ranking.reserve(records);
        } else {
            self.best.clear();
            self.best.reserve(candidates as usize);
        }
    }
}

/// The first record, from most to least similar, that `usable` accepts.
pub fn first_usable<S: CaseSpace>(
    context: &mut Context<S>,
    ends: &[[Cell; 2]],
    query: &CaseQuery,
    mut usable: impl FnMut(&mut Meter, Candidate) -> bool,
) -> Option<u32> {
    let (space, meter) = (context.space, &mut context.meter);
    let memory = context.scratch.room::<CaseScratch>();
    if (query.candidates as usize) < ends.len() {
        let looked_at = match query.landmarks {
            None => space.most_similar(ends, query, &mut memory.best),
            Some(landmarks) => most_similar_sharper(space, ends, query, landmarks, memory),
        };
        meter.look_ups += u64::from(looked_at);
        let mut best = memory.best.iter();
        return best
            .find(|&&candidate| usable(meter, candidate))
            .map(|candidate| candidate.record);
    }
    // All records in turn: a heap finds the next best without sorting those that are never asked for.
    memory.ranking.clear();
    let ranked = ends.iter().enumerate().map(|(record, &[start, end])| {
        Reverse(Candidate {
            distance: space.dissimilarity(query, start, end),
            record: record as u32,
        })
    });
    memory.ranking.extend(ranked);
    meter.look_ups += ends.len() as u64;
    let mut heap = BinaryHeap::from(std::mem::take(&mut memory.ranking));
    let mut found = None;
    while let Some(Reverse(candidate)) = heap.pop() {
        meter.look_ups += 1;
        if usable(meter, candidate) {
            found = Some(candidate.record);
            break;
        }
    }
    memory.ranking = heap.into_vec();
    found
}

/// The candidates, ranked again by what landmarks know, of a larger pool; gives the number of records looked at.
fn most_similar_sharper<S: CaseSpace>(
    space: &S,
    ends: &[[Cell; 2]],
    query: &CaseQuery,
    landmarks: &Landmarks,
    memory: &mut CaseScratch,
) -> u32 {
    let pool = CaseQuery {
        candidates: query.candidates.saturating_mul(SHARPER_POOL),
        ..*query
    };
    let looked_at = space.most_similar(ends, &pool, &mut memory.best);
    for candidate in &mut memory.best {
        let [start, end] = ends[candidate.record as usize];
        candidate.distance = query.similarity.of(
            space.sharper(landmarks, query.from, start),
            space.sharper(landmarks, query.goal, end),
        );
    }
    memory.best.sort_unstable();
    let ranked = 2 * memory.best.len() as u32;
    memory.best.truncate(query.candidates as usize);
    looked_at + ranked
}

/// Does a climb of at most `cap` steps get there? Counts its steps.
#[inline]
pub fn climbs<S: CaseSpace>(space: &S, meter: &mut Meter, from: Cell, to: Cell, cap: u32) -> bool {
    let climb = space.climb(from, to, cap);
    meter.climb_steps += u64::from(climb.steps);
    climb.reached
}

/// The most look-ups of [`first_usable`], the tries themselves aside.
pub(crate) fn look_ups_bound(lookup: Lookup, candidates: u32, records: usize) -> u64 {
    let records = records as u64;
    match lookup {
        _ if u64::from(candidates) >= records => 2 * records,
        Lookup::Tree { visits } => records.min(u64::from(visits)),
        Lookup::Scan => records,
    }
}
