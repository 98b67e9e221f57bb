//! TBA*, Time-Bounded A* (Björnsson, Bulitko and Sturtevant 2009; JAIR 2010, section 4), and its weighted form, TB(WA*).
//!
//! One A* search from the start runs for the whole walk, a slice of it in each move; its open and closed lists persist.
//! In between the agent walks towards the most promising state found so far, and steps back along its own path when the best
//! path turns out to leave it behind. Once the goal is expanded and traced, nothing is left to plan.
//!
//! # A slice
//! `slice` counts expansions. A step of back-tracing costs a tenth of an expansion (the papers' ratio): nine tenths of the
//! slice are expansions, the rest traces; what tracing leaves over is expanded too, and after the search is done all of
//! it traces. Every node taken from the open list counts, outdated ones included, and the open list works in constant
//! time ([`open`]), so the bound on operations is a bound on time.
//!
//! # The path as an array
//! The path being followed lies in an array by depth: entry `d` is the state `d` edges from the root. Closed states keep their
//! parents for ever, so a state is on the path if the entry at its depth is that state (constant time, no marks to
//! erase), and a trace from a new best state may stop at the first state that it finds in place: below it both paths are
//! the same. A trace that runs out of budget goes on in the next slice, from where it stopped and towards the same state,
//! however much better another one looks by then; starting again each time might never end. While a trace is under way
//! the entries below it are the old path, and the agent walks there.
//!
//! # What the agent may stand on
//! Only closed states: an open state may yet get another parent. The traces start at the state expanded last, which is closed
//! (the paper takes the best open state, whose path would have to be cut at its parent). With `weight` above 1, closed
//! states are not reopened either: the path found costs at most about `weight` times the best.
//!
//! # Deviations
//! Where the path ends and no better one is known yet, the paper's agent steps back and forth, since it has to act; ours
//! waits ([`Decision::Thinking`]), which costs nothing. `idle=back` gives the paper's behaviour.
//!
//! # Memory
//! 12 bytes for each state of the touched pages of the map, 8 for each entry of the open list, private to the agent.
//! Set-up reserves [`RESERVED_BYTES`] of address space; beyond that lists grow by segments of a fixed size.

pub mod nodes;
pub mod open;
pub mod segments;

use super::lrta::parse_weight;
use crate::agent::learned::Weight;
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, WEIGHTS};
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::index::Indexes;
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm};
use crate::search::best_first::{BestFirst, Status, Surface};
use crate::search::nodes::NodeMemory;
use crate::space::{ExplicitGraph, Space};
use nodes::{PagedNodes, TreeLink};
use open::SliceBuckets;
use segments::Segments;

/// Trace steps for the price of an expansion.
pub(crate) const TRACES_PER_EXPANSION: u64 = 10;
/// The most that `slice` may be.
pub(crate) const MAX_SLICE: u32 = 10_000_000;
/// What set-up reserves for nodes; less on smaller maps.
pub const RESERVED_BYTES: usize = 16 << 20;
/// Entries of the open list and of the path that set-up reserves.
const RESERVED_ENTRIES: usize = 1 << 16;

/// The parameters of TBA*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TbaParams {
    /// Work per move, in expansions; at least 2.
    pub slice: u32,
    /// Multiplies the heuristic.
    pub weight: Weight,
    /// Step back where there is no step forward, instead of waiting.
    pub steps_back_when_idle: bool,
}

/// The space as the search sees it: links count their depth, the heuristic is weighted.
struct TreeSurface<'a, S> {
    space: &'a S,
    goal: Cell,
    weight: Weight,
}

impl<S: Space> Surface for TreeSurface<'_, S> {
    type Link = TreeLink;
    type Place = ();

    fn start_link(&self) -> TreeLink {
        TreeLink {
            parent: Cell::NONE,
            depth: 0,
        }
    }

    fn place(&self, _cell: Cell) {}

    #[inline]
    fn estimate(&self, cell: Cell, _place: ()) -> Cost {
        self.weight.times(self.space.heuristic(cell, self.goal))
    }

    #[inline]
    fn for_each_successor(
        &self,
        cell: Cell,
        link: TreeLink,
        mut visit: impl FnMut(Cell, Cost, TreeLink, ()),
    ) {
        let next_link = TreeLink {
            parent: cell,
            depth: link.depth + 1,
        };
        let visit = |next, cost| visit(next, cost, next_link, ());
        if self.weight.is_one() {
            self.space.for_each_successor(cell, link.parent, visit);
        } else {
            // Out of order, a node that was left out may never come up again.
            self.space.for_each_neighbour(cell, visit);
        }
    }

    fn parent(&self, _cell: Cell, link: TreeLink) -> Option<Cell> {
        (link.parent != Cell::NONE).then_some(link.parent)
    }

    fn id_bound(&self) -> usize {
        self.space.id_bound()
    }

    fn growth(&self) -> Cost {
        self.space.max_edge_cost().saturating_mul(2)
    }
}

/// A trace under way: the state to write next, and where it came from.
#[derive(Clone, Copy, Debug)]
struct BackTrace {
    cell: Cell,
    depth: u32,
    /// The state that it started from, and its depth.
    target: Cell,
    length: u32,
}

/// An agent that runs TBA*.
#[derive(Clone, Debug)]
pub struct TbaAgent {
    params: TbaParams,
    goal: Cell,
    root: Cell,
    search: BestFirst<PagedNodes, SliceBuckets>,
    path: Segments<u32>,
    /// Entries of the path that the agent may follow, the root included; 0 before the first slice.
    followed: u32,
    /// The last state of the path that was traced to its end.
    traced_to: Cell,
    trace: Option<BackTrace>,
    /// The state of the space that the search began on: where it has changed, the search begins again.
    state: Option<u64>,
    /// Where the agent last stood, for stepping back and forth.
    before: Cell,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl TbaAgent {
    /// An agent with these parameters.
    pub fn new(params: TbaParams) -> TbaAgent {
        TbaAgent {
            seen: 0,
            params,
            goal: Cell::NONE,
            root: Cell::NONE,
            search: BestFirst::default(),
            path: Segments::default(),
            followed: 0,
            traced_to: Cell::NONE,
            trace: None,
            state: None,
            before: Cell::NONE,
        }
    }

    fn surface<'a, S: Space>(&self, space: &'a S) -> TreeSurface<'a, S> {
        TreeSurface {
            space,
            goal: self.goal,
            weight: self.params.weight,
        }
    }

    /// Begins the search from a state. Constant time: what the last search held is older than this one.
    fn begin<S: Space>(&mut self, space: &S, at: Cell) {
        let surface = self.surface(space);
        self.search
            .begin(&surface, at, Some(self.goal), UNREACHED - 1);
        self.root = at;
        self.path.put(0, at.0);
        self.followed = 1;
        self.traced_to = at;
        self.trace = None;
        self.state = Some(space.state());
        self.before = Cell::NONE;
    }

    /// The slice of planning that belongs to one move.
    fn plan<S: Space>(&mut self, context: &mut Context<S>) {
        let whole = u64::from(self.params.slice) * TRACES_PER_EXPANSION;
        let units = whole.min(context.budget.operations).max(2);
        let for_traces = (units / 10).max(TRACES_PER_EXPANSION).min(units / 2);
        let expansions = ((units - for_traces) / TRACES_PER_EXPANSION).max(1);
        let mut left = units;
        left = left.saturating_sub(self.expand(context, expansions) * TRACES_PER_EXPANSION);
        left = self.trace_back(context, left.max(1));
        let spare = left / TRACES_PER_EXPANSION;
        if spare > 0 {
            self.expand(context, spare);
        }
    }

    /// Expands up to a number of nodes and says how many were taken from the open list.
    fn expand<S: Space>(&mut self, context: &mut Context<S>, most: u64) -> u64 {
        let surface = self.surface(context.space);
        let before = self.search.pops();
        if context.trace.is_none() {
            self.search.advance(&surface, most);
        } else {
            // One at a time, so that each can be recorded.
            for _ in 0..most {
                let expanded = self.search.expansions();
                self.search.advance(&surface, 1);
                let event = self.search.last_expanded(&surface);
                if let (Some(event), Some(trace)) = (event, context.trace.as_deref_mut())
                    && self.search.expansions() > expanded
                {
                    trace.record(event);
                }
            }
        }
        let pops = self.search.pops() - before;
        context.meter.expansions += pops;
        pops
    }

    /// Traces back from the most promising state, or goes on with the trace under way. Returns the steps left over.
    fn trace_back<S: Space>(&mut self, context: &mut Context<S>, most: u64) -> u64 {
        let mut left = most;
        while left > 0 {
            let Some(mut trace) = self.trace.or_else(|| self.new_trace()) else {
                break;
            };
            let done = self.advance_trace(&mut trace, &mut left);
            if done {
                self.trace = None;
                self.followed = trace.length + 1;
                self.traced_to = trace.target;
            } else {
                self.trace = Some(trace);
            }
        }
        context.meter.trace_steps += most - left;
        left
    }

    /// A trace from the state expanded last, if the path does not end there already.
    fn new_trace(&self) -> Option<BackTrace> {
        let target = self.search.last_cell()?;
        if target == self.traced_to {
            return None;
        }
        let (_, link) = self.search.nodes().reached(target)?;
        Some(BackTrace {
            cell: target,
            depth: link.depth,
            target,
            length: link.depth,
        })
    }

    /// Writes states into the path until one is found in place. True when that has happened.
    fn advance_trace(&mut self, trace: &mut BackTrace, left: &mut u64) -> bool {
        while *left > 0 {
            *left -= 1;
            let in_place =
                trace.depth < self.followed && self.path.get(trace.depth as usize) == trace.cell.0;
            if in_place {
                return true;
            }
            self.path.put(trace.depth as usize, trace.cell.0);
            self.followed = self.followed.min(trace.depth);
            match self.search.nodes().reached(trace.cell) {
                Some((_, link)) if link.parent != Cell::NONE => {
                    trace.cell = link.parent;
                    trace.depth -= 1;
                }
                _ => return true,
            }
        }
        false
    }

    /// The step that the path asks for.
    fn step(&self, at: Cell) -> Option<Cell> {
        let (_, link) = self.search.nodes().reached(at)?;
        let depth = link.depth;
        let on_path = depth < self.followed && self.path.get(depth as usize) == at.0;
        if !on_path {
            return (link.parent != Cell::NONE).then_some(link.parent);
        }
        if depth + 1 < self.followed {
            return Some(Cell(self.path.get(depth as usize + 1)));
        }
        if !self.params.steps_back_when_idle {
            return None;
        }
        let back = if link.parent != Cell::NONE {
            link.parent
        } else {
            self.before
        };
        (back != Cell::NONE).then_some(back)
    }
}

impl<S: Space> Agent<S> for TbaAgent {
    fn start(&mut self, context: &mut Context<S>, from: Cell, goal: Cell) {
        self.goal = goal;
        self.state = None;
        let ids = context.space.id_bound();
        let (nodes, open) = self.search.parts();
        nodes.reserve(ids, RESERVED_BYTES);
        open.prepare(
            !self.params.weight.is_one(),
            RESERVED_ENTRIES.min(ids),
            8 * ids,
        );
        self.path.expect(ids);
        self.path.reserve(RESERVED_ENTRIES.min(ids));
        // Also where the goal is out of reach: it may be given back.
        if [from, goal]
            .into_iter()
            .all(|end| context.space.connected(end, end))
        {
            self.begin(context.space, from);
        }
    }

    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        // An agent that does not stand in its own tree was put there by someone else.
        let known = self.state == Some(context.space.state());
        if !known || self.search.nodes().reached(at).is_none() {
            self.begin(context.space, at);
        }
        self.plan(context);
        let Some(next) = self.step(at) else {
            return match self.search.status() {
                Status::NotFound => Decision::Unreachable,
                _ => Decision::Thinking,
            };
        };
        self.before = at;
        Decision::Step(next)
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, _context: &mut Context<S>, _news: News) {
        self.state = None;
    }

    fn memory_bytes(&self) -> usize {
        self.search.nodes().reached_count() * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<TbaAgent>() + self.search.memory_bytes() + self.path.memory_bytes()
    }

    fn operations_bound(&self, _space: &S) -> Option<u64> {
        Some(u64::from(self.params.slice) * TRACES_PER_EXPANSION)
    }

    /// A slice is all trace steps at most: in the place of as many stands one expansion.
    fn weighted_bound(&self, space: &S) -> Option<u64> {
        let dearest = (WEIGHTS.trace_steps * TRACES_PER_EXPANSION).max(WEIGHTS.expansions);
        Some(self.operations_bound(space)?.div_ceil(TRACES_PER_EXPANSION) * dearest)
    }
}

/// `tba` in specs.
pub static TBA: Algorithm = Algorithm {
    name: "tba",
    about: "TBA*: A* in slices, one a move, and a walk towards the best state found so far",
    keys: &[
        (
            "slice",
            "expansions per move, or ten times as many trace steps (default 50)",
        ),
        ("weight", "multiplies the heuristic (default 1)"),
        ("idle", "without a step forward: `wait` (default) or `back`"),
    ],
    parse: |text| {
        let idle = text.text("idle").unwrap_or("wait").to_string();
        let known = |_: &String| idle == "wait" || idle == "back";
        text.value("idle", String::new(), "`wait` or `back`", known)?;
        Ok(Box::new(TbaParams {
            slice: text.value("slice", 50, "a whole number from 2 to 10000000", |n| {
                (2..=MAX_SLICE).contains(n)
            })?,
            weight: parse_weight(text)?,
            steps_back_when_idle: idle == "back",
        }))
    },
};

impl AgentFactory for TbaParams {
    fn build(&self, map: &Map, _indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        if map.id_bound() >= nodes::MAX_IDS {
            return Err("the map has too many cells; expected fewer than 2^31".to_string());
        }
        Ok(Box::new(TbaAgent::new(*self)))
    }

    fn build_on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        (graph.id_bound() < nodes::MAX_IDS)
            .then(|| Box::new(TbaAgent::new(*self)) as Box<dyn Agent<ExplicitGraph>>)
    }
}
