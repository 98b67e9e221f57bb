//! kNN LRTA* (JAIR 2010): follow the most similar solved problem, subgoal by subgoal.
//!
//! Bulitko, Björnsson and Lawrence, "Case-based subgoaling in real-time heuristic search for video game pathfinding"
//! (JAIR 39), figure 8 with the six enhancements of section 6.2, each with a switch of its own:
//!
//! | enhancement | key | default |
//! |---|---|---|
//! | 1. head for the global goal where climbing reaches it | `goal-first` | on |
//! | 2. head for the record's first subgoal where climbing reaches it, else for its start | `first-subgoal` | on |
//! | 3. from the last subgoal straight to the global goal where climbing reaches it | `last-subgoal` | on |
//! | 4. try the M most similar records alone | `candidates` | 10 (`all`: off) |
//! | 5. find them in a kd-tree | `lookup` | tree (`scan`: off) |
//! | 6. interrupt LRTA* without a subgoal after a quota, and select once more | `quota` | 3 (0: off) |
//!
//! `climb` caps climbs on-line (250). `fragments` searches all parts of records besides whole ones, the variant that the
//! paper tried and dropped. What the papers name as future work is there as options too: [`select`].
//!
//! # An agent that notices
//! Section 10 of the paper leaves a self-aware agent to others, one that looks at how its core algorithm gets on and acts on it. With
//! `aware=N` the agent counts steps of LRTA* onto states whose values it has raised before, which is scrubbing, and costs nothing to
//! see. After N of them it selects once more from where it stands, and after 2 N, 4 N and so on again: each place that it has
//! scrubbed to is another start for a record. The intervals grow beyond whatever LRTA* needs, so it arrives as before.
//!
//! # Walking
//! Every subgoal that is selected can be reached by climbing: by construction of the records, or because a climb was just
//! tried. So the agent climbs and learns nothing ([`super::climber`]). Only where no record was found, or where the map has
//! changed and a climb gets stuck, LRTA* walks and learns. `learn=always` walks by LRTA* all the time, as printed; the
//! moves are the same.
//!
//! # Bounds
//! A selection looks at `visits` nodes of the tree at most (1024, or the number of records where that is less: then
//! the answer is exact for certain), and its candidates are tried by climbs of up to `climb` steps, `effort` steps together at most; a few
//! more climbs are to the goal and past a record's first state. So the work of a move is bounded
//! by parameters alone ([`Agent::operations_bound`]), where the paper's bound grows with the database. An agent takes under
//! 128 bytes until it learns; what it learns comes in blocks from a pool that the agents of a thread share.
//!
//! Complete (Theorem 7): LRTA* is, selections that fail interrupt it once, and a subgoal that cannot be reached any more
//! sends the agent to its goal by LRTA* for good. A blended subgoal promises no progress, so there are `MAX_BLENDS` of
//! them on a problem at most; after that records are followed as printed.

pub mod cases;
pub mod select;
mod spec;
pub mod version_2009;

use super::climber::Climber;
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, Leg, Meter};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::subgoals::{Part, Records};
use crate::map::News;
use crate::space::Space;
use cases::{CaseScratch, CaseSpace, Lookup, SHARPER_POOL, climbs};
use select::{Selected, Selection, selection_bound};
use std::sync::Arc;

pub use select::{CaseExtras, Choice, Join};
pub(crate) use spec::KNN_LRTA;

/// Blended subgoals on one problem.
const MAX_BLENDS: u8 = 64;

/// The parameters of kNN LRTA*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnnParams {
    /// The papers' `M`: records tried; `u32::MAX` for all.
    pub candidates: u32,
    /// The most steps of a climb on-line.
    pub climb: u32,
    /// The most steps that the climbs to and from the candidates of one selection take together; `u32::MAX` for any number.
    pub effort: u32,
    /// How records are found.
    pub lookup: Lookup,
    /// The travel quota in multiples of the heuristic; 0 for none.
    pub quota: f32,
    /// Enhancement 1.
    pub goal_first: bool,
    /// Enhancement 2.
    pub first_subgoal: bool,
    /// Enhancement 3.
    pub last_subgoal: bool,
    /// Walk by LRTA* also where climbing is known to arrive.
    pub learn_always: bool,
    /// Which usable candidate is followed.
    pub choose: Choice,
    /// Where records may be entered and left.
    pub join: Join,
    /// Records whose subgoals are blended (`k`); 1 for none.
    pub neighbours: u8,
    /// Steps onto states that have learned, after which records are looked for again; 0 for never.
    pub aware: u32,
}

impl KnnParams {
    /// The most tree nodes that a query looks at unless told otherwise.
    pub(crate) const VISITS: u32 = 1024;

    /// The steps of all climbs of a selection unless told otherwise: three fifths of a climb for each candidate, which is more than any
    /// selection was seen to take, and two climbs where that is more. Two whole climbs for each would make a bound far above the work.
    pub(crate) fn default_effort(candidates: u32, climb: u32) -> u32 {
        let share = u64::from(candidates) * u64::from(climb) * 3 / 5;
        let effort = share.max(2 * u64::from(climb));
        u32::try_from(effort).unwrap_or(u32::MAX)
    }
}

/// As in the paper's experiments.
impl Default for KnnParams {
    fn default() -> KnnParams {
        KnnParams {
            candidates: 10,
            climb: 250,
            effort: KnnParams::default_effort(10, 250),
            lookup: Lookup::Tree {
                visits: KnnParams::VISITS,
            },
            quota: 3.0,
            goal_first: true,
            first_subgoal: true,
            last_subgoal: true,
            learn_always: false,
            choose: Choice::Similarity,
            join: Join::Ends,
            neighbours: 1,
            aware: 0,
        }
    }
}

/// What the agent is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// A subgoal has to be selected.
    Select,
    /// On its way along a record.
    Follow,
    /// On its way to a blended subgoal, after which the next selection is due.
    Blend,
    /// On its way to the global goal, which climbing reaches.
    Direct,
    /// On its way to the global goal by LRTA*.
    Search,
}

/// What the agents of one kind share.
#[derive(Debug)]
struct Guide {
    cases: Arc<Records>,
    extras: Option<Arc<CaseExtras>>,
    params: KnnParams,
}

/// An agent of kNN LRTA*. Clones share their records and parameters.
#[derive(Clone, Debug)]
pub struct KnnLrta {
    guide: Arc<Guide>,
    /// Walks to the goal or subgoal of the moment.
    climber: Climber,
    goal: Cell,
    part: Part,
    /// The place of the target in its record.
    position: u32,
    /// Cost that may still be travelled before the second attempt.
    quota: u64,
    phase: Phase,
    /// Selections that failed in a row.
    failures: u8,
    /// Blended subgoals so far.
    blends: u8,
    /// How often it has noticed that it scrubs.
    notices: u8,
    /// Steps onto states that have learned, until it notices again.
    scrubs_left: u32,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl KnnLrta {
    /// An agent that shares these records. On a grid they must be in the order of their tree
    /// ([`crate::index::subgoals::SubgoalDatabase::cases`]) unless the parameters ask for a scan.
    pub fn new(cases: Arc<Records>, params: KnnParams) -> KnnLrta {
        KnnLrta {
            seen: 0,
            guide: Arc::new(Guide {
                cases,
                extras: None,
                params,
            }),
            climber: Climber::default(),
            goal: Cell::NONE,
            part: Part::default(),
            position: 0,
            quota: 0,
            phase: Phase::Select,
            failures: 0,
            blends: 0,
            notices: 0,
            scrubs_left: 0,
        }
    }

    /// What options of the parameters need: parts of records, costs along them, landmarks.
    pub(crate) fn with_extras(mut self, extras: Arc<CaseExtras>) -> KnnLrta {
        self.guide = Arc::new(Guide {
            cases: self.guide.cases.clone(),
            extras: Some(extras),
            params: self.guide.params,
        });
        self
    }

    /// The record that it follows at the moment, if any.
    pub fn record(&self) -> Option<u32> {
        (self.phase == Phase::Follow).then_some(self.part.record)
    }

    /// How many records or parts of records a query looks among.
    fn cases_len(&self) -> usize {
        let extras = self.guide.extras.as_ref();
        let fragments = extras.and_then(|e| e.fragments.as_ref());
        fragments.map_or_else(|| self.guide.cases.len(), |fragments| fragments.len())
    }

    fn has_landmarks(&self) -> bool {
        let extras = self.guide.extras.as_ref();
        extras.is_some_and(|e| e.landmarks.is_some())
    }

    fn selection_bound(&self) -> Meter {
        selection_bound(&self.guide.params, self.cases_len(), self.has_landmarks())
    }

    /// Figure 8: finds a record, or resorts to the global goal.
    fn select<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) {
        let guide = self.guide.clone();
        let (params, goal, space) = (guide.params, self.goal, context.space);
        if params.goal_first && climbs(space, &mut context.meter, at, goal, params.climb) {
            return self.go_to_goal();
        }
        let records = &guide.cases;
        let selection = Selection {
            space,
            cases: records.slices(),
            extras: guide.extras.as_deref(),
            params: &params,
            at,
            goal,
            blended: if self.blends < MAX_BLENDS {
                params.neighbours
            } else {
                1
            },
            effort_ends: context
                .meter
                .climb_steps
                .saturating_add(u64::from(params.effort)),
        };
        match selection.find(context) {
            None => return self.resort_to_goal(space, at),
            Some(Selected::Blend(cell)) => {
                self.climber.head_for(cell);
                self.phase = Phase::Blend;
                self.blends += 1;
            }
            Some(Selected::Part { part, position }) => {
                let subgoal = records.slices().state(part.record, position);
                self.climber.head_for(subgoal);
                (self.part, self.position) = (part, position);
                self.phase = Phase::Follow;
            }
        }
        self.failures = 0;
    }

    fn go_to_goal(&mut self) {
        self.phase = Phase::Direct;
        self.climber.head_for(self.goal);
        self.failures = 0;
    }

    /// No record: LRTA* to the global goal, interrupted once.
    fn resort_to_goal<S: Space>(&mut self, space: &S, at: Cell) {
        self.phase = Phase::Search;
        self.climber.head_for(self.goal);
        let aware = u64::from(self.guide.params.aware) << self.notices.min(32);
        self.scrubs_left = u32::try_from(aware).unwrap_or(u32::MAX);
        self.failures = self.failures.saturating_add(1);
        self.quota = if self.failures == 1 && self.guide.params.quota > 0.0 {
            (f64::from(space.heuristic(at, self.goal)) * f64::from(self.guide.params.quota)) as u64
        } else {
            u64::MAX
        };
    }

    /// The target is reached: on to the next state of the record, or to the global goal.
    fn follow_on<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) {
        let Part { record, last, .. } = self.part;
        if self.position >= last {
            return self.go_to_goal();
        }
        let is_last = self.position + 1 == last && self.guide.params.last_subgoal;
        let climb = self.guide.params.climb;
        if is_last && climbs(context.space, &mut context.meter, at, self.goal, climb) {
            return self.go_to_goal();
        }
        self.position += 1;
        let subgoal = self.guide.cases.slices().state(record, self.position);
        self.climber.head_for(subgoal);
    }

    /// A move that needs thought.
    fn decide<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        self.climber.halt();
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        let notices = self.guide.params.aware > 0 && self.scrubs_left == 0;
        let interrupted = self.phase == Phase::Search && (self.quota == 0 || notices);
        self.notices = self
            .notices
            .saturating_add(u8::from(interrupted && notices));
        let moved_away = self.climber.was_moved(at);
        let blend_ends = self.phase == Phase::Blend && at == self.climber.target();
        if moved_away || interrupted || blend_ends {
            self.phase = Phase::Select;
        }
        if self.phase == Phase::Select {
            self.select(context, at);
        }
        while self.phase == Phase::Follow && at == self.climber.target() {
            self.follow_on(context, at);
        }
        match self.step(context, at) {
            Some(next) => {
                self.climber.stepped(at, next);
                Decision::Step(next)
            }
            None => Decision::Unreachable,
        }
    }

    fn step<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) -> Option<Cell> {
        let climbs = self.phase != Phase::Search && self.climber.is_climbing();
        if climbs
            && !self.guide.params.learn_always
            && let Some(next) = self.climber.climb(context, at)
        {
            return Some(next);
        }
        if !context.space.connected(at, self.climber.target()) {
            self.failures = u8::MAX;
            self.resort_to_goal(context.space, at);
        }
        let next = self.climber.walk(context, at)?;
        if self.phase == Phase::Search && self.quota != u64::MAX {
            let cost: Cost = context.space.edge_cost(at, next).unwrap_or(0);
            self.quota = self.quota.saturating_sub(u64::from(cost));
        }
        if self.phase == Phase::Search && self.climber.has_learned_at(next) {
            self.scrubs_left = self.scrubs_left.saturating_sub(1);
        }
        Some(next)
    }
}

impl<S: CaseSpace> Agent<S> for KnnLrta {
    fn start(&mut self, context: &mut Context<S>, from: Cell, goal: Cell) {
        self.climber.start(context, from);
        let mut candidates = self.guide.params.candidates;
        if self.has_landmarks() {
            candidates = candidates.saturating_mul(SHARPER_POOL);
        }
        let cases = context.scratch.room::<CaseScratch>();
        cases.reserve(candidates, self.cases_len());
        self.goal = goal;
        self.phase = Phase::Select;
        self.failures = 0;
        self.blends = 0;
        self.notices = 0;
    }

    #[inline]
    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        // The way along a record may lead over the goal.
        if at != self.goal
            && let Some(next) = self.climber.ahead(context, at)
        {
            return Decision::Step(next);
        }
        self.decide(context, at)
    }

    fn decide_leg(&mut self, context: &mut Context<S>, at: Cell) -> Leg {
        let decision = self.next_move(context, at);
        self.climber.leg(context.space, decision, self.goal)
    }

    fn wants_plan(&self) -> bool {
        self.phase == Phase::Select
    }

    fn plan_ahead(&mut self, context: &mut Context<S>, from: Cell) {
        if from != self.goal {
            self.select(context, from);
            self.climber.stand_at(from);
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<S>, news: News) {
        self.climber.changed(context, news);
        // A record is followed further: where a climb of it is blocked now, LRTA* takes its place.
        if self.phase == Phase::Search {
            self.phase = Phase::Select;
        }
        self.failures = 0;
    }

    fn memory_bytes(&self) -> usize {
        self.climber.states_in_memory() * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<KnnLrta>() + self.climber.learned_bytes()
    }

    fn learned_bytes(&self) -> usize {
        self.climber.learned_bytes()
    }

    fn operations_bound(&self, space: &S) -> Option<u64> {
        Some(self.selection_bound().operations() + Climber::operations_bound(space))
    }

    fn weighted_bound(&self, space: &S) -> Option<u64> {
        Some(self.selection_bound().weighted() + Climber::weighted_bound(space))
    }
}

#[cfg(test)]
mod tests;
