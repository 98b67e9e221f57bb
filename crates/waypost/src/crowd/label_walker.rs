//! Corner labels for crowds: a few runs of the optimal path at a time, in an agent of fixed size.
//!
//! [`crate::agent::labels`] keeps its whole path. Here an agent holds the next sixteen runs of it in two bytes each and asks
//! the labels again where they end; what is left of an optimal path is one too, so the walk stays optimal. The next
//! runs are asked for while the last one is walked ([`Agent::plan_ahead`]), so that nobody waits for them.
//!
//! **On a map that has changed** labels are of no use until new ones are handed over ([`SharedLabels::replace`]). Until then:
//!
//! - on maps of up to [`GRAPH_CELLS`] cells plans come from the jump-point graph, which all walkers of a crowd share and which
//!   is repaired with every patch: optimal too, but without the bound of labels on the work, so walkers take turns all
//!   the more. On larger maps that repair would pass what a frame can spare (it looks at every cell);
//! - there labels of the old map go on serving, safely. Every run is measured on the map as it is before it is walked. Where
//!   one is blocked, LRTA* leads to the next cell of the old path that can be reached, and the labels lead on from there.
//!   Each such cell is nearer to the goal on the old map than the one before, so the walk ends. Where the labels know no
//!   way at all (an end of the problem was a wall or an island) LRTA* walks until they do, or to the goal; LRTA* is complete.
//!
//! Runs from before a patch are walked on as far as they are legal; they may be longer than ways that a patch has opened.

use super::runs::{MOST_STEPS, Runs};
use crate::agent::jump::Shared;
use crate::agent::labels::SharedLabels;
use crate::agent::lrta::{Lrta, LrtaParams};
use crate::agent::{Agent, Context, Decision, Leg};
use crate::grid::{Cell, ChangeSet};
use crate::index::Index;
use crate::index::jump::JumpGraph;
use crate::index::labels::CornerLabels;
use crate::map::Map;
use crate::search::climb::Ground;
use crate::space::Space;
use std::any::Any;
use std::sync::Arc;

/// The largest map, border included, on which the jump-point graph stands in for labels after a patch.
pub const GRAPH_CELLS: usize = 400_000;
/// Words of bits, about, that a query scans for the corners that its ends see, beyond the operations that it counts: measured
/// on maps of 8 million cells, where a query takes as long as so many operations.
const SCANNED: u64 = 600;
/// What the walkers of a crowd share.
#[derive(Debug)]
pub struct LabelGuide {
    labels: SharedLabels,
    graph: Option<Shared<JumpGraph>>,
}

impl LabelGuide {
    /// Labels, and on small maps the jump-point graph for when the map changes.
    pub fn new(labels: SharedLabels, map: &Map) -> LabelGuide {
        let small = map.id_bound() <= GRAPH_CELLS;
        LabelGuide {
            labels,
            graph: small.then(|| Shared::new(Arc::new(JumpGraph::build(map)))),
        }
    }

    /// Follows a patch. To be called for every patch, or the graph is built anew.
    pub fn map_changed(&self, map: &Map, changes: &ChangeSet) {
        if let Some(graph) = &self.graph {
            graph.current(map, Some(changes));
        }
    }
}

/// How the agent finds its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Along the runs that it holds.
    Runs,
    /// By LRTA* to a cell beyond an obstacle.
    Round,
    /// By LRTA* to the goal, until the labels know a way.
    Lost,
    /// By LRTA* to the goal: the labels will never know one.
    Hopeless,
}

/// An agent that follows labels, a few runs at a time.
#[derive(Debug)]
pub struct LabelWalker {
    guide: Arc<LabelGuide>,
    lrta: Option<Box<Lrta>>,
    goal: Cell,
    /// Where the agent stands when it is asked next.
    expected: Cell,
    /// Low bits of the revision of the labels that the runs are from.
    revision: u32,
    runs: Runs,
    mode: Mode,
}

impl LabelWalker {
    /// An agent without a problem yet.
    pub fn new(guide: Arc<LabelGuide>) -> LabelWalker {
        LabelWalker {
            guide,
            lrta: None,
            goal: Cell::NONE,
            expected: Cell::NONE,
            revision: 0,
            runs: Runs::default(),
            mode: Mode::Runs,
        }
    }

    fn forget(&mut self, context: &mut Context<Map>) {
        self.runs.forget();
        self.mode = Mode::Runs;
        if let Some(mut lrta) = self.lrta.take() {
            lrta.forget(context);
        }
    }

    fn is_planned(&self) -> bool {
        !self.runs.is_empty() || self.mode != Mode::Runs
    }

    /// Finds the next runs from a cell.
    fn plan(&mut self, context: &mut Context<Map>, from: Cell) {
        self.forget(context);
        self.expected = from;
        let map = context.space;
        let ends = (map.grid().point(from), map.grid().point(self.goal));
        let guide = self.guide.clone();
        let labels = guide.labels.newest();
        let is_current = labels.revision() == map.grid().revision();
        if let (Some(graph), false) = (&guide.graph, is_current) {
            let graph = graph.current(map, None);
            let search = &mut context.scratch.jump;
            search.begin(&*graph, map, ends.0, ends.1);
            search.advance(&*graph, u64::MAX);
            context.meter.expansions += search.expansions();
            self.revision = map.grid().revision() as u32;
            let path = search.found_path(&*graph);
            let runs = path.map_or(&[][..], |path| path.runs());
            self.runs.keep(runs.iter().copied());
        } else {
            self.revision = labels.revision() as u32;
            let query = &mut context.scratch.labels;
            match query.path(&labels, ends.0, ends.1) {
                Some(path) => self.runs.keep(path.runs().iter().copied()),
                None => {
                    let scans = labels.scans();
                    let known = scans.is_passable(ends.1) && !scans.is_passable(ends.0);
                    self.mode = if known { Mode::Lost } else { Mode::Hopeless };
                }
            }
            context.meter.look_ups += query.operations() + SCANNED;
        }
        // A path that ends where it begins: what it is from is of another map.
        if self.mode == Mode::Runs && self.runs.is_empty() {
            self.mode = Mode::Hopeless;
        }
    }

    /// The next leg, of at most so many steps.
    fn advance(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
            return Leg::single(decision);
        }
        if at != self.expected || !self.is_planned() {
            self.plan(context, at);
        }
        if self.mode != Mode::Runs {
            self.learn_or_plan(context, at);
        }
        if self.mode == Mode::Runs {
            self.walk_run(context, at, most)
        } else {
            self.step_by_learning(context, at)
        }
    }

    /// The next run, as far as it is legal on the map as it is.
    fn walk_run(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        let (map, Some(run)) = (context.space, self.runs.first()) else {
            return Leg::single(Decision::Thinking);
        };
        let (direction, mut steps) = (run.direction, run.steps.min(most));
        if self.revision != map.grid().revision() as u32 {
            steps = map.run(map.grid().point(at), direction, steps);
            context.meter.climb_steps += u64::from(steps);
        }
        if steps == 0 {
            if self.guide.graph.is_some() {
                // A patch has blocked the way: the graph knows another. Its runs are of the map as it is.
                self.plan(context, at);
                return self.advance(context, at, most);
            }
            return self.go_round(context, at);
        }
        self.runs.walked(steps);
        let next = map.grid().neighbour(at, direction);
        let offset = next.0.wrapping_sub(at.0);
        self.expected = Cell(at.0.wrapping_add(offset.wrapping_mul(steps)));
        context.meter.trace_steps += 1;
        Leg {
            decision: Decision::Step(next),
            more: steps - 1,
        }
    }

    /// The path ahead is blocked: LRTA* to the next cell of it that can be reached.
    fn go_round(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        let map = context.space;
        let mut cell = at;
        let mut target = self.goal;
        'ahead: for run in self.runs.ahead() {
            for _ in 0..run.steps {
                cell = map.grid().neighbour(cell, run.direction);
                context.meter.trace_steps += 1;
                if map.connected(at, cell) {
                    target = cell;
                    break 'ahead;
                }
            }
        }
        self.mode = Mode::Round;
        self.begin_learning(context, target);
        self.step_by_learning(context, at)
    }

    fn begin_learning(&mut self, context: &mut Context<Map>, target: Cell) {
        let mut lrta = Box::new(Lrta::new(LrtaParams::default()));
        lrta.start(context, target);
        self.lrta = Some(lrta);
    }

    /// Goes back from LRTA* to the labels where they know the way.
    fn learn_or_plan(&mut self, context: &mut Context<Map>, at: Cell) {
        let is_there = match self.mode {
            Mode::Round => self.lrta.as_ref().is_none_or(|lrta| lrta.goal() == at),
            Mode::Lost => {
                let point = context.space.grid().point(at);
                self.guide.labels.newest().scans().is_passable(point)
            }
            Mode::Runs | Mode::Hopeless => false,
        };
        if is_there {
            self.plan(context, at);
        }
    }

    fn step_by_learning(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        if self.lrta.is_none() {
            self.begin_learning(context, self.goal);
        }
        let step = self.lrta.as_mut().and_then(|lrta| lrta.step(context, at));
        self.expected = step.unwrap_or(at);
        Leg::single(step.map_or(Decision::Unreachable, Decision::Step))
    }
}

impl Agent<Map> for LabelWalker {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.goal = goal;
        self.forget(context);
        self.expected = from;
    }

    fn next_move(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        self.advance(context, at, 1).decision
    }

    fn next_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        self.advance(context, at, MOST_STEPS)
    }

    fn wants_plan(&self) -> bool {
        self.runs.has_more() && !self.is_planned()
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
            self.runs.forget();
            self.mode = Mode::Runs;
        }
    }

    fn map_changed(&mut self, context: &mut Context<Map>, changes: &ChangeSet) {
        self.guide.map_changed(context.space, changes);
        // Runs are measured before they are walked. What LRTA* has learned may be too high now.
        if self.mode != Mode::Runs && !changes.opened.is_empty() {
            self.forget(context);
        }
    }

    fn memory_bytes(&self) -> usize {
        size_of::<LabelWalker>()
            + self
                .lrta
                .as_ref()
                .map_or(0, |lrta| size_of::<Lrta>() + lrta.reserved_bytes())
    }

    fn learned_bytes(&self) -> usize {
        self.memory_bytes() - size_of::<LabelWalker>()
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        let labels = self.guide.labels.current(map)?;
        Some(labels.measures().operations_bound() + SCANNED + 1)
    }
}
