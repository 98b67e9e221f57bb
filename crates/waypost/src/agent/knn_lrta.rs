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
//! paper tried and dropped. What the papers name as future work is there as options too: [`super::knn_lrta_select`].
//!
//! # Walking
//! Every subgoal that is selected can be reached by climbing: by construction of the records, or because a climb was just
//! tried. By Theorem 5 LRTA* would walk exactly that climb, and what it learned on the way would never be read again. So
//! the agent climbs and learns nothing, and holds no table. Only where no record was found, or where the map has changed
//! and a climb gets stuck, LRTA* ([`Lrta`]) walks and learns. `learn=always` walks by LRTA* all the time, as printed; the
//! moves are the same. Steps of a climb are found a leg at a time ([`crate::search::climb`]), up to [`LEG`] ahead, and each is checked
//! when it is made.
//!
//! # Bounds
//! A selection looks at `visits` nodes of the tree at most (4096, or the number of records where that is less: then
//! the answer is exact for certain), and tries `2 candidates + 3` climbs of `climb` steps, more with some options. So the work of a move is bounded
//! by parameters alone ([`Agent::operations_bound`]), where the paper's bound grows with the database. An agent takes under
//! 128 bytes until it learns; what it learns comes in blocks from a pool that the agents of a thread share.
//!
//! Complete (Theorem 7): LRTA* is, selections that fail interrupt it once, and a subgoal that cannot be reached any more
//! sends the agent to its goal by LRTA* for good. A blended subgoal promises no progress, so there are `MOST_BLENDS` of
//! them on a problem at most; after that records are followed as printed.

use super::knn_lrta_cases::{CaseSpace, Heading, LEG, Lookup, SHARPER_POOL, climbs};
use super::knn_lrta_select::{Selected, Selection, selection_bound};
use super::lrta::{Lrta, LrtaParams};
use super::{Agent, BYTES_PER_STATE, Context, Decision, Leg};
use crate::cost::Cost;
use crate::grid::{Cell, ChangeSet};
use crate::index::Index;
use crate::index::subgoals::{Part, Records, SubgoalDatabase};
use crate::space::Space;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

pub use super::knn_lrta_select::{CaseExtras, Choice, Join};
pub use super::knn_lrta_spec::KNN_LRTA;

/// Blended subgoals on one problem.
const MOST_BLENDS: u8 = 64;

/// The parameters of kNN LRTA*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnnParams {
    /// The papers' `M`: records tried; `u32::MAX` for all.
    pub candidates: u32,
    /// The most steps of a climb on-line.
    pub climb: u32,
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
}

impl KnnParams {
    /// The most tree nodes that a query looks at unless told otherwise.
    pub const VISITS: u32 = 4096;
}

/// As in the paper's experiments.
impl Default for KnnParams {
    fn default() -> KnnParams {
        KnnParams {
            candidates: 10,
            climb: 250,
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
    /// The newest form of the records: where the map has changed some are marked.
    cases: Mutex<Arc<Records>>,
    extras: Option<Arc<CaseExtras>>,
    params: KnnParams,
}

impl Guide {
    fn cases(&self) -> Arc<Records> {
        self.cases
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// An agent of kNN LRTA*. Clones share their records and parameters.
#[derive(Clone, Debug)]
pub struct KnnLrta {
    guide: Arc<Guide>,
    /// LRTA*, once it was needed.
    walker: Option<Box<Lrta>>,
    goal: Cell,
    /// The goal or subgoal of the moment.
    target: Cell,
    /// Where the last move was decided: the agent still stands there if somebody was in its way.
    stood: Cell,
    /// Where the last move led: the agent stands elsewhere only if it was stopped or moved by something else.
    expected: Cell,
    part: Part,
    /// The place of the target in its record.
    position: u32,
    heading: Option<Heading>,
    /// Cost that may still be travelled before the second attempt.
    quota: u64,
    phase: Phase,
    /// Selections that failed in a row.
    failures: u8,
    /// Blended subgoals so far.
    blends: u8,
    /// Climbing has not let the agent down on the way to this target.
    climbing: bool,
}

impl KnnLrta {
    /// An agent that shares these records. On a grid they must be in the order of their tree
    /// ([`crate::index::subgoals::SubgoalDatabase::cases`]) unless the parameters ask for a scan.
    pub fn new(cases: Arc<Records>, params: KnnParams) -> KnnLrta {
        KnnLrta {
            guide: Arc::new(Guide {
                cases: Mutex::new(cases),
                extras: None,
                params,
            }),
            walker: None,
            goal: Cell::NONE,
            target: Cell::NONE,
            stood: Cell::NONE,
            expected: Cell::NONE,
            part: Part::default(),
            position: 0,
            heading: None,
            quota: 0,
            phase: Phase::Select,
            failures: 0,
            blends: 0,
            climbing: true,
        }
    }

    /// What options of the parameters need: parts of records, costs along them, landmarks.
    pub fn with_extras(mut self, extras: Arc<CaseExtras>) -> KnnLrta {
        self.guide = Arc::new(Guide {
            cases: Mutex::new(self.guide.cases()),
            extras: Some(extras),
            params: self.guide.params,
        });
        self
    }

    /// How many records or parts of records a query looks among.
    fn cases_len(&self) -> usize {
        let extras = self.guide.extras.as_ref();
        let fragments = extras.and_then(|e| e.fragments.as_ref());
        fragments.map_or_else(|| self.guide.cases().len(), |fragments| fragments.len())
    }

    fn has_landmarks(&self) -> bool {
        let extras = self.guide.extras.as_ref();
        extras.is_some_and(|e| e.landmarks.is_some())
    }

    /// Figure 8: finds a record, or resorts to the global goal.
    fn select<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) {
        let guide = self.guide.clone();
        let (params, goal, space) = (guide.params, self.goal, context.space);
        self.climbing = true;
        if params.goal_first && climbs(space, &mut context.meter, at, goal, params.climb) {
            return self.go_to_goal();
        }
        let records = guide.cases();
        let selection = Selection {
            space,
            cases: records.slices(),
            extras: guide.extras.as_deref(),
            params: &params,
            at,
            goal,
            blended: if self.blends < MOST_BLENDS {
                params.neighbours
            } else {
                1
            },
        };
        match selection.find(context) {
            None => return self.resort_to_goal(space, at),
            Some(Selected::Blend(cell)) => {
                self.target = cell;
                self.phase = Phase::Blend;
                self.blends += 1;
            }
            Some(Selected::Part { part, position }) => {
                self.target = records.slices().state(part.record, position);
                (self.part, self.position) = (part, position);
                self.phase = Phase::Follow;
            }
        }
        self.failures = 0;
    }

    fn go_to_goal(&mut self) {
        self.phase = Phase::Direct;
        self.target = self.goal;
        self.climbing = true;
        self.failures = 0;
    }

    /// No record: LRTA* to the global goal, interrupted once.
    fn resort_to_goal<S: Space>(&mut self, space: &S, at: Cell) {
        self.phase = Phase::Search;
        self.target = self.goal;
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
        self.target = self.guide.cases().slices().state(record, self.position);
        self.climbing = true;
    }

    /// A move that needs thought.
    fn decide<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        self.heading = None;
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        let interrupted = self.phase == Phase::Search && self.quota == 0;
        let moved_away = at != self.expected && at != self.stood;
        let blend_ends = self.phase == Phase::Blend && at == self.target;
        if moved_away || interrupted || blend_ends {
            self.phase = Phase::Select;
        }
        if self.phase == Phase::Select {
            self.select(context, at);
        }
        while self.phase == Phase::Follow && at == self.target {
            self.follow_on(context, at);
        }
        match self.step(context, at) {
            Some(next) => {
                (self.stood, self.expected) = (at, next);
                Decision::Step(next)
            }
            None => Decision::Unreachable,
        }
    }

    fn step<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) -> Option<Cell> {
        if self.phase != Phase::Search && self.climbing && !self.guide.params.learn_always {
            if let Some((next, heading)) = context.space.climb_step(at, self.target) {
                context.meter.climb_steps += 1 + heading.map_or(0, |h| u64::from(h.steps));
                self.heading = heading;
                return Some(next);
            }
            // The map is not what it was.
            self.climbing = false;
        }
        if !context.space.connected(at, self.target) {
            self.failures = u8::MAX;
            self.resort_to_goal(context.space, at);
        }
        let next = self.walk(context, at)?;
        if self.phase == Phase::Search && self.quota != u64::MAX {
            let cost: Cost = context.space.edge_cost(at, next).unwrap_or(0);
            self.quota = self.quota.saturating_sub(u64::from(cost));
        }
        Some(next)
    }

    /// A step of LRTA* towards the target.
    fn walk<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) -> Option<Cell> {
        let mut walker = match self.walker.take() {
            Some(walker) => walker,
            None => Walkers::take(context),
        };
        walker.set_goal(self.target);
        let next = walker.step(context, at);
        self.walker = Some(walker);
        next
    }
}

impl<S: CaseSpace> Agent<S> for KnnLrta {
    fn start(&mut self, context: &mut Context<S>, from: Cell, goal: Cell) {
        if let Some(walker) = self.walker.take() {
            Walkers::give_back(context, walker);
        }
        Walkers::prepare(context);
        let mut candidates = self.guide.params.candidates;
        if self.has_landmarks() {
            candidates = candidates.saturating_mul(SHARPER_POOL);
        }
        let cases = &mut context.scratch.cases;
        cases.reserve(candidates, self.cases_len());
        self.goal = goal;
        (self.stood, self.expected) = (from, from);
        self.phase = Phase::Select;
        self.failures = 0;
        self.blends = 0;
        self.heading = None;
    }

    #[inline]
    fn next_move(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        // The way along a record may lead over the goal.
        let on_course = at == self.expected && at != self.goal;
        if let (Some(heading), true) = (self.heading, on_course)
            && let Some(next) = context.space.ahead(at, heading.direction)
        {
            context.meter.trace_steps += 1;
            self.heading = (heading.steps > 1).then(|| Heading {
                steps: heading.steps - 1,
                ..heading
            });
            (self.stood, self.expected) = (at, next);
            return Decision::Step(next);
        }
        self.decide(context, at)
    }

    fn next_leg(&mut self, context: &mut Context<S>, at: Cell) -> Leg {
        let decision = self.next_move(context, at);
        let (Decision::Step(next), Some(heading)) = (decision, self.heading) else {
            return Leg::single(decision);
        };
        self.heading = None;
        let (more, end) = context.space.along(next, heading, self.goal);
        self.expected = end;
        Leg { decision, more }
    }

    fn wants_plan(&self) -> bool {
        self.phase == Phase::Select
    }

    fn plan_ahead(&mut self, context: &mut Context<S>, from: Cell) {
        if from != self.goal {
            self.select(context, from);
            (self.stood, self.expected) = (from, from);
        }
    }

    fn replace_index(&mut self, index: &Arc<dyn Index>) {
        let any = index.clone() as Arc<dyn Any + Send + Sync>;
        let Ok(database) = any.downcast::<SubgoalDatabase>() else {
            return;
        };
        let newest = database.cases();
        let cases = self.guide.cases.lock();
        let mut cases = cases.unwrap_or_else(PoisonError::into_inner);
        // Marks alone may differ: the record that is followed must stay what it is.
        if cases.len() == newest.len() && cases.states() == newest.states() {
            *cases = newest.clone();
        }
    }

    fn map_changed(&mut self, context: &mut Context<S>, changes: &ChangeSet) {
        self.heading = None;
        self.climbing = true;
        // A record is followed further: where a climb of it is blocked now, LRTA* takes its place.
        if self.phase == Phase::Search {
            self.phase = Phase::Select;
        }
        self.failures = 0;
        if let Some(walker) = &mut self.walker {
            walker.map_changed(context, changes);
        }
    }

    fn memory_bytes(&self) -> usize {
        // The open and closed lists of a single expansion, also where climbing stands in for LRTA*.
        let states = self.walker.as_ref().map_or(0, |w| w.states_in_memory());
        states.max(9) * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        let walker = self.walker.as_ref().map_or(0, |w| w.reserved_bytes());
        size_of::<KnnLrta>() + walker
    }

    fn learned_bytes(&self) -> usize {
        self.walker.as_ref().map_or(0, |w| w.reserved_bytes())
    }

    fn operations_bound(&self, space: &S) -> Option<u64> {
        let selection = selection_bound(&self.guide.params, self.cases_len(), self.has_landmarks());
        let walk = Lrta::new(LrtaParams::default()).operations_bound(space);
        Some(selection + u64::from(LEG) + walk)
    }
}

/// LRTA* with its memory reserved, for the agents of a thread that will need one.
#[derive(Clone, Debug, Default)]
pub struct Walkers {
    // Boxes go from here to agents and back: a move that begins to learn allocates nothing.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<Lrta>>,
}

impl Walkers {
    /// How many are idle.
    pub(crate) fn len(&self) -> usize {
        self.idle.len()
    }

    /// Takes one of so many equal parts of what others have.
    pub(crate) fn take_part(&mut self, other: &mut Walkers, parts: usize) {
        let rest = other.idle.len() - other.idle.len() / parts.max(1);
        self.idle.extend(other.idle.drain(rest..));
    }

    /// Makes sure that one is idle.
    fn prepare<S: Space>(context: &mut Context<S>) {
        if context.scratch.walkers.idle.is_empty() {
            let walker = Walkers::fresh(context);
            context.scratch.walkers.idle.push(walker);
        }
    }

    fn fresh<S: Space>(context: &mut Context<S>) -> Box<Lrta> {
        let mut walker = Box::new(Lrta::new(LrtaParams::default()));
        walker.start(context, Cell::NONE);
        walker
    }

    fn take<S: Space>(context: &mut Context<S>) -> Box<Lrta> {
        let idle = context.scratch.walkers.idle.pop();
        idle.unwrap_or_else(|| Walkers::fresh(context))
    }

    /// Takes one back, forgetting what it learned.
    fn give_back<S: Space>(context: &mut Context<S>, mut walker: Box<Lrta>) {
        walker.start(context, Cell::NONE);
        context.scratch.walkers.idle.push(walker);
    }
}

#[cfg(test)]
#[path = "knn_lrta_tests.rs"]
mod tests;
