//! Corner labels for crowds: a few runs of the optimal path at a time, in an agent of fixed size.
//!
//! [`crate::agent::labels`] keeps its whole path. Here an agent holds the next [`RUNS`] runs of it in two bytes each and asks
//! the labels again where they end; what is left of an optimal path is one too, so the walk stays optimal. The next
//! runs are asked for while the last one is walked ([`Agent::plan_ahead`]), so that nobody waits for them.
//!
//! **On a map that has changed** labels are of no use until new ones are handed over ([`SharedLabels::replace`]). Until then
//! plans come from the jump-point graph, which all walkers of a crowd share and which is repaired with every patch: optimal
//! too, but without the bound of labels on the work, so walkers take turns all the more. Runs from before the patch are
//! walked on as far as they are legal, each measured before it is walked; they may be longer than ways that a patch has
//! opened.

use crate::agent::jump::Shared;
use crate::agent::labels::SharedLabels;
use crate::agent::{Agent, Context, Decision, Leg};
use crate::grid::{Cell, ChangeSet, Direction};
use crate::index::Index;
use crate::index::jump::JumpGraph;
use crate::index::labels::CornerLabels;
use crate::map::Map;
use crate::search::climb::Ground;
use crate::search::jps::Run;
use std::any::Any;
use std::sync::Arc;

/// Runs that an agent holds.
const RUNS: usize = 16;
/// Words of bits, about, that a query scans for the corners that its ends see, beyond the operations that it counts: measured
/// on maps of 8 million cells, where a query takes as long as so many operations.
const SCANNED: u64 = 600;
/// Bits of a packed run for its steps.
const STEP_BITS: u32 = 13;

/// A direction and a number of steps in 16 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PackedRun(u16);

impl PackedRun {
    const MOST_STEPS: u32 = (1 << STEP_BITS) - 1;

    fn new(direction: Direction, steps: u32) -> PackedRun {
        PackedRun((direction as u16) << STEP_BITS | steps as u16)
    }

    fn direction(self) -> Direction {
        Direction::from_number((self.0 >> STEP_BITS) as u8)
    }

    fn steps(self) -> u32 {
        u32::from(self.0) & PackedRun::MOST_STEPS
    }
}

/// What the walkers of a crowd share.
#[derive(Debug)]
pub struct LabelGuide {
    labels: SharedLabels,
    graph: Shared<JumpGraph>,
}

impl LabelGuide {
    /// Labels, and the jump-point graph for when the map changes. Building the graph takes about as long as loading the map.
    pub fn new(labels: SharedLabels, map: &Map) -> LabelGuide {
        LabelGuide {
            labels,
            graph: Shared::new(Arc::new(JumpGraph::build(map))),
        }
    }

    /// Follows a patch. To be called for every patch, or the graph is built anew.
    pub fn map_changed(&self, map: &Map, changes: &ChangeSet) {
        self.graph.current(map, Some(changes));
    }
}

/// An agent that follows labels, a few runs at a time.
#[derive(Debug)]
pub struct LabelWalker {
    guide: Arc<LabelGuide>,
    goal: Cell,
    /// Where the agent stands when it is asked next.
    expected: Cell,
    /// Low bits of the revision of the map that the runs are from.
    revision: u32,
    runs: [PackedRun; RUNS],
    next: u8,
    end: u8,
    /// Does the path go on after the last run?
    more: bool,
}

impl LabelWalker {
    /// An agent without a problem yet.
    pub fn new(guide: Arc<LabelGuide>) -> LabelWalker {
        LabelWalker {
            guide,
            goal: Cell::NONE,
            expected: Cell::NONE,
            revision: 0,
            runs: [PackedRun::default(); RUNS],
            next: 0,
            end: 0,
            more: false,
        }
    }

    fn forget(&mut self) {
        (self.next, self.end, self.more) = (0, 0, true);
    }

    /// Finds the next runs from a cell.
    fn plan(&mut self, context: &mut Context<Map>, from: Cell) {
        self.forget();
        self.expected = from;
        let map = context.space;
        let (from, goal) = (map.grid().point(from), map.grid().point(self.goal));
        self.revision = map.grid().revision() as u32;
        if let Some(labels) = self.guide.labels.current(map) {
            let query = &mut context.scratch.labels;
            let path = query.path(&labels, from, goal);
            self.keep(path.map_or(&[], |path| path.runs()));
            context.meter.look_ups += query.operations() + SCANNED;
            return;
        }
        let graph = self.guide.graph.current(map, None);
        let search = &mut context.scratch.jump;
        search.begin(&*graph, map, from, goal);
        search.advance(&*graph, u64::MAX);
        context.meter.expansions += search.expansions();
        let path = search.found_path(&*graph);
        self.keep(path.map_or(&[], |path| path.runs()));
    }

    /// Stores the first runs of a path.
    fn keep(&mut self, runs: &[Run]) {
        self.more = false;
        for run in runs {
            let mut left = run.steps;
            while left > 0 && usize::from(self.end) < RUNS {
                let steps = left.min(PackedRun::MOST_STEPS);
                self.runs[usize::from(self.end)] = PackedRun::new(run.direction, steps);
                self.end += 1;
                left -= steps;
            }
            self.more |= left > 0;
        }
    }

    /// The next leg, of at most so many steps.
    fn advance(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
            return Leg::single(decision);
        }
        let planned = at == self.expected && self.next < self.end;
        if !planned {
            self.plan(context, at);
        }
        let leg = self.walk_run(context, at, most);
        if leg.is_none() && planned {
            // A patch has blocked the way.
            self.plan(context, at);
            let leg = self.walk_run(context, at, most);
            return leg.unwrap_or(Leg::single(Decision::Unreachable));
        }
        leg.unwrap_or(Leg::single(Decision::Unreachable))
    }

    /// The next run, as far as it is legal on the map as it is; `None` where not a step is.
    fn walk_run(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Option<Leg> {
        if self.next == self.end {
            return None;
        }
        let (map, run) = (context.space, self.runs[usize::from(self.next)]);
        let (direction, mut steps) = (run.direction(), run.steps().min(most));
        if self.revision != map.grid().revision() as u32 {
            steps = map.run(map.grid().point(at), direction, steps);
            context.meter.climb_steps += u64::from(steps);
        }
        if steps == 0 {
            return None;
        }
        if steps == run.steps() {
            self.next += 1;
        } else {
            self.runs[usize::from(self.next)] = PackedRun::new(direction, run.steps() - steps);
        }
        let next = map.grid().neighbour(at, direction);
        let offset = next.0.wrapping_sub(at.0);
        self.expected = Cell(at.0.wrapping_add(offset.wrapping_mul(steps)));
        context.meter.trace_steps += 1;
        Some(Leg {
            decision: Decision::Step(next),
            more: steps - 1,
        })
    }
}

impl Agent<Map> for LabelWalker {
    fn start(&mut self, _context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.goal = goal;
        self.forget();
        self.expected = from;
    }

    fn next_move(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        self.advance(context, at, 1).decision
    }

    fn next_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        self.advance(context, at, PackedRun::MOST_STEPS)
    }

    fn wants_plan(&self) -> bool {
        self.more && self.next == self.end
    }

    fn plan_ahead(&mut self, context: &mut Context<Map>, from: Cell) {
        if from != self.goal {
            self.plan(context, from);
        }
    }

    fn replace_index(&mut self, index: &Arc<dyn Index>) {
        let any = index.clone() as Arc<dyn Any + Send + Sync>;
        if let Ok(labels) = any.downcast::<CornerLabels>() {
            self.guide.labels.replace(labels);
        }
    }

    fn map_changed(&mut self, context: &mut Context<Map>, changes: &ChangeSet) {
        // Runs are measured before they are walked, so nothing has to be dropped.
        self.guide.map_changed(context.space, changes);
    }

    fn memory_bytes(&self) -> usize {
        size_of::<LabelWalker>()
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        let labels = self.guide.labels.current(map)?;
        Some(labels.measures().operations_bound() + SCANNED + 1)
    }
}
