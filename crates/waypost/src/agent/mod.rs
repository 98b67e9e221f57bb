//! Agents: asked for one move per tick, under a budget counted in operations, never in seconds.
//!
//! Every method is an [`Agent`], also those that plan a whole path on their first move, so that all of them run in the
//! same harness ([`crate::run`]) and the price of their first move can be seen. Agents are generic over the [`Space`];
//! [`crate::spec::AgentSpec`] names and builds them for grids.

pub mod follower;
pub mod guide;
pub mod learned;
pub mod local_search;
pub mod lrta;
pub mod plan;
pub mod planner_guide;
mod scratch;
pub mod trail;
pub mod walkers;
pub mod whole_path;

pub use crate::search::BYTES_PER_STATE;
pub use scratch::Scratch;

use crate::cost::Cost;
use crate::grid::Cell;
use crate::map::News;
use crate::search::jps::Run;
use crate::space::Space;
use crate::stream::{Reader, Writer};
use crate::trace::{Event, Trace};

/// What an agent does in this tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Go to this neighbour of the current cell.
    Step(Cell),
    /// No move yet: the budget of this tick is used up.
    Thinking,
    /// The agent stands on its goal.
    Arrived,
    /// There is no path to the goal.
    Unreachable,
}

impl Decision {
    /// What needs no planning: [`Decision::Arrived`] on the goal, [`Decision::Unreachable`] where the components say so.
    #[inline]
    pub fn at_once<S: Space>(space: &S, at: Cell, goal: Cell) -> Option<Decision> {
        if !space.connected(at, goal) {
            Some(Decision::Unreachable)
        } else if at == goal {
            Some(Decision::Arrived)
        } else {
            None
        }
    }
}

/// A decision that may reach further than one move: what crowds ask for ([`crate::crowd`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// What to do in this tick.
    pub decision: Decision,
    /// How many more steps follow a [`Decision::Step`] in the same direction, all legal on the map as it is now.
    pub more: u32,
}

impl Leg {
    /// No further than this move.
    pub const fn single(decision: Decision) -> Leg {
        Leg { decision, more: 0 }
    }
}

/// The most operations (node expansions, trace steps, climb steps, table look-ups) that one move may take.
///
/// Agents bound each move by their own parameters and publish the bound ([`Agent::operations_bound`]); a budget can only
/// make it smaller, for agents whose planning can be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Operations per move.
    pub operations: u64,
}

impl Budget {
    /// No limit but the agent's own.
    pub const UNLIMITED: Budget = Budget {
        operations: u64::MAX,
    };
}

/// Counts what agents do. Every loop of a `next_move` that can run more than a few times counts here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// Nodes whose neighbours were looked at in a search.
    pub expansions: u64,
    /// Steps along parent pointers or stored paths.
    pub trace_steps: u64,
    /// Hill-climbing steps tried ahead of walking.
    pub climb_steps: u64,
    /// Records, rows, labels or tree nodes looked at in an index.
    pub look_ups: u64,
    /// Expansions, counted above, that are whole steps of LRTA*: each asks what was learned of every neighbour, and learns. No operations of
    /// their own, but they weigh more.
    pub learning_steps: u64,
}

/// What an operation of each kind takes, in nanoseconds of the machine that `docs/measurements/change.md` was measured on: a look-up
/// reads one label, a trace step follows one link of a stored path, a climb step looks at one cell or is one operation of the repair
/// of jump points, an expansion is that of a cell in A*, and a learning step is what a step of LRTA* takes beyond its expansion. What takes
/// longer counts as several of these: [`JUMP_POINT`], [`MEASURED_RUN`], the corners that a query of labels sees. So a bound in weighted
/// operations means a bound in time.
pub const WEIGHTS: Meter = Meter {
    expansions: 16,
    trace_steps: 6,
    climb_steps: 12,
    look_ups: 1,
    learning_steps: 112,
};

/// Expansions that the expansion of a jump point by the default agent counts as: its point is tested for a walk to the goal, and several
/// points are entered.
pub const JUMP_POINT: u64 = 5;
/// The same where labels say of every point that is reached how far the goal is at least.
pub(crate) const KNOWN_JUMP_POINT: u64 = 8;
/// Climb steps that a run of cells counts as whose length is measured on the map.
pub const MEASURED_RUN: u64 = 7;

impl Meter {
    /// All operations together, each by what it takes ([`WEIGHTS`]).
    pub const fn weighted(&self) -> u64 {
        self.expansions * WEIGHTS.expansions
            + self.trace_steps * WEIGHTS.trace_steps
            + self.climb_steps * WEIGHTS.climb_steps
            + self.look_ups * WEIGHTS.look_ups
            + self.learning_steps * WEIGHTS.learning_steps
    }

    /// All operations together.
    pub const fn operations(&self) -> u64 {
        self.expansions + self.trace_steps + self.climb_steps + self.look_ups
    }

    /// Adds another meter's counts.
    pub fn add(&mut self, other: &Meter) {
        self.expansions += other.expansions;
        self.trace_steps += other.trace_steps;
        self.climb_steps += other.climb_steps;
        self.look_ups += other.look_ups;
        self.learning_steps += other.learning_steps;
    }
}

/// What an agent may use while it decides: the space, scratch memory shared by the agents of a thread, its budget, and
/// the meter that its work is counted on.
pub struct Context<'a, S: Space> {
    /// The map or graph.
    pub space: &'a S,
    /// Memory without content between calls.
    pub scratch: &'a mut Scratch,
    /// The limit for this move.
    pub budget: Budget,
    /// Where operations are counted.
    pub meter: Meter,
    /// Where events are recorded, if anywhere.
    pub trace: Option<&'a mut Trace>,
}

impl<'a, S: Space> Context<'a, S> {
    /// A context without a limit of its own.
    pub fn new(space: &'a S, scratch: &'a mut Scratch) -> Context<'a, S> {
        Context {
            space,
            scratch,
            budget: Budget::UNLIMITED,
            meter: Meter::default(),
            trace: None,
        }
    }

    /// Counts an expansion and, where there is a trace, records it: every search calls this for each node it expands.
    #[inline]
    pub fn expanded(&mut self, cell: Cell, parent: Cell, g: Cost, f: Cost) {
        self.meter.expansions += 1;
        if let Some(trace) = self.trace.as_deref_mut() {
            trace.record(Event::Expanded { cell, parent, g, f });
        }
    }
}

/// One walker with one goal.
pub trait Agent<S: Space>: Send {
    /// A new problem. Whatever was learned or planned for the last one may be dropped. This is the set-up: memory that
    /// moves use is reserved here, so that [`Agent::next_move`] allocates nothing.
    fn start(&mut self, context: &mut Context<S>, from: Cell, goal: Cell);

    /// The move of this tick, for an agent that stands at `at`, wherever that is. A step is legal on the map as it is now:
    /// nobody needs to tell the agent of a change. Allocates nothing, or, where a document of the agent says so, blocks of a
    /// fixed size.
    #[inline]
    fn next_move(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        if *self.seen() != context.space.state() {
            self.notice(context);
        }
        self.decide(context, at)
    }

    /// The move of this tick, and how often it is repeated: crowds do not ask again before the leg is walked. The agent is
    /// then asked where the leg ends, or, if it was held up or sent elsewhere on the way, wherever it stands.
    #[inline]
    fn next_leg(&mut self, context: &mut Context<S>, at: Cell) -> Leg {
        if *self.seen() != context.space.state() {
            self.notice(context);
        }
        self.decide_leg(context, at)
    }

    /// [`Agent::next_move`], for an agent that has noticed what has changed: what a method implements.
    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision;

    /// [`Agent::next_leg`], for an agent that has noticed what has changed.
    fn decide_leg(&mut self, context: &mut Context<S>, at: Cell) -> Leg {
        Leg::single(self.decide(context, at))
    }

    /// Does a plan have to be made before the agent can go on? Crowds let such agents take turns.
    fn wants_plan(&self) -> bool {
        false
    }

    /// Makes the plan that [`Agent::wants_plan`] speaks of, for an agent that will be asked next at `from`.
    fn plan_ahead(&mut self, context: &mut Context<S>, from: Cell) {
        let _ = (context, from);
    }

    /// Calls `visit` with the runs that the agent is going to walk after the leg that it gave last, as far as its plan reaches: none where it
    /// does not expect to be asked next at `from`.
    fn runs_ahead(&self, from: Cell, visit: &mut dyn FnMut(Run)) {
        let _ = (from, visit);
    }

    /// Where the agent keeps the state of the space that it looked at last ([`Space::state`]).
    fn seen(&mut self) -> &mut u64;

    /// The space is not as the agent saw it last: whatever it planned may be wrong now. Plans are dropped where they are;
    /// learned values are kept only while they are still lower bounds.
    fn changed(&mut self, context: &mut Context<S>, news: News);

    /// Looks whether the space has changed. Whoever asks for something else than moves calls this before.
    #[cold]
    fn notice(&mut self, context: &mut Context<S>) {
        let state = context.space.state();
        let seen = std::mem::replace(self.seen(), state);
        if seen != state
            && let Some(news) = context.space.news_since(seen)
        {
            self.changed(context, news);
        }
    }

    /// Strictly on-line memory as JAIR 2010 counts it in section 8.6: the largest open and closed lists of the problem and
    /// every learned value, at [`BYTES_PER_STATE`] each. The map, shared indexes and shared scratch are not in it.
    fn memory_bytes(&self) -> usize;

    /// What this agent really holds: tables with their empty slots, paths, lists. Indexes and scratch are shared.
    fn reserved_bytes(&self) -> usize {
        self.memory_bytes()
    }

    /// How many of the reserved bytes hold learned values: an agent that has learned nothing does without them.
    fn learned_bytes(&self) -> usize {
        0
    }

    /// Writes down all that it would need to go on from here, beside map, indexes and what it shares with others; `false` where the
    /// method has no such words.
    fn save(&self, out: &mut Writer) -> bool {
        let _ = out;
        false
    }

    /// Goes on from what [`Agent::save`] wrote; `None` where it is no such thing.
    fn load(&mut self, context: &mut Context<S>, from: &mut Reader) -> Option<()> {
        let _ = (context, from);
        None
    }

    /// The bound on operations of a single move for the agent's parameters; `None` for methods that have none, such as
    /// those that plan the whole path at once.
    fn operations_bound(&self, space: &S) -> Option<u64>;

    /// The bound in weighted operations ([`Meter::weighted`]): as if all were of the most expensive kind, for agents that do not say
    /// more. There is one wherever there is the other.
    fn weighted_bound(&self, space: &S) -> Option<u64> {
        let bound = self.operations_bound(space)?;
        Some(bound.saturating_mul(WEIGHTS.expansions))
    }
}

/// Agents of kinds that are known only at run time.
impl<S: Space, A: Agent<S> + ?Sized> Agent<S> for Box<A> {
    fn start(&mut self, context: &mut Context<S>, from: Cell, goal: Cell) {
        (**self).start(context, from, goal);
    }

    fn next_move(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        (**self).next_move(context, at)
    }

    fn next_leg(&mut self, context: &mut Context<S>, at: Cell) -> Leg {
        (**self).next_leg(context, at)
    }

    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        (**self).decide(context, at)
    }

    fn save(&self, out: &mut Writer) -> bool {
        (**self).save(out)
    }

    fn load(&mut self, context: &mut Context<S>, from: &mut Reader) -> Option<()> {
        (**self).load(context, from)
    }

    fn decide_leg(&mut self, context: &mut Context<S>, at: Cell) -> Leg {
        (**self).decide_leg(context, at)
    }

    fn wants_plan(&self) -> bool {
        (**self).wants_plan()
    }

    fn plan_ahead(&mut self, context: &mut Context<S>, from: Cell) {
        (**self).plan_ahead(context, from);
    }

    fn runs_ahead(&self, from: Cell, visit: &mut dyn FnMut(Run)) {
        (**self).runs_ahead(from, visit);
    }

    fn seen(&mut self) -> &mut u64 {
        (**self).seen()
    }

    fn changed(&mut self, context: &mut Context<S>, news: News) {
        (**self).changed(context, news);
    }

    fn notice(&mut self, context: &mut Context<S>) {
        (**self).notice(context);
    }

    fn memory_bytes(&self) -> usize {
        (**self).memory_bytes()
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<Box<A>>() + (**self).reserved_bytes()
    }

    fn learned_bytes(&self) -> usize {
        (**self).learned_bytes()
    }

    fn operations_bound(&self, space: &S) -> Option<u64> {
        (**self).operations_bound(space)
    }

    fn weighted_bound(&self, space: &S) -> Option<u64> {
        (**self).weighted_bound(space)
    }
}
