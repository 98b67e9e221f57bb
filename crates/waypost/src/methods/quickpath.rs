//! QuickPath as an agent: refines one step at a time and never searches (see [`crate::hierarchy::quick_path`]).
//!
//! The first move climbs to the common ancestor; every move looks at no more than one group on each level. The walk is
//! complete and can be much longer than needed. After a map change or for a new goal it begins again where it stands, which
//! costs no more than a move. The hierarchy is repaired beside the moves ([`HierarchyKeeper`]); where nobody has done so, it
//! walks by LRTA*.

use super::on_graphs::{LevelsAgent, Refinement};
use super::pra::find_hierarchy;
use crate::agent::lrta::{Lrta, LrtaParams};
use crate::agent::walkers::Walkers;
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, WEIGHTS};
use crate::grid::Cell;
use crate::hierarchy::graph_levels::GraphLevels;
use crate::hierarchy::quick_path::QuickPath;
use crate::index::hierarchy::{HierarchyKeeper, LiveHierarchy};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm};
use crate::space::ExplicitGraph;
use crate::trace::Event;
use std::sync::Arc;

/// The agent.
#[derive(Clone, Debug)]
pub struct QuickPathAgent {
    hierarchy: LiveHierarchy,
    /// Repairs the hierarchy beside the moves, for as long as there are agents.
    keeper: Option<Arc<HierarchyKeeper>>,
    lrta: Option<Box<Lrta>>,
    path: QuickPath,
    goal: Cell,
    /// Where the agent stood, and the cell that it was sent to; `None` before the first move and after changes.
    under_way: Option<(Cell, Cell)>,
    bound: u64,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl QuickPathAgent {
    /// An agent on the hierarchy of its map, which it repairs itself.
    pub fn new(hierarchy: LiveHierarchy) -> QuickPathAgent {
        let mut agent = QuickPathAgent {
            seen: 0,
            hierarchy,
            keeper: None,
            lrta: None,
            path: QuickPath::new(),
            goal: Cell::NONE,
            under_way: None,
            bound: 0,
        };
        agent.prepare();
        agent
    }

    /// A move refines at most once on each level, and then looks at the children of one node; the first one climbs.
    fn prepare(&mut self) {
        let hierarchy = self.hierarchy.get();
        let groups: u64 = (1..=hierarchy.height())
            .map(|level| hierarchy.largest_group(level) as u64)
            .sum();
        self.bound = groups + u64::from(hierarchy.height());
        self.path.reserve(hierarchy);
    }

    /// Whether the hierarchy is of the map as it is. The one that is is taken over, for the next move: its groups may be larger, and the bound
    /// of this move has been published.
    fn is_in_step(&mut self, map: &Map) -> bool {
        let state = self.hierarchy.get().state();
        if state == map.fingerprint() {
            return true;
        }
        if self.keeper.is_none() {
            self.hierarchy.follow(map);
        }
        let is_there = self.hierarchy.take_over(map);
        if is_there {
            self.under_way = None;
            // Groups may have grown, and there may be another level.
            self.prepare();
        }
        false
    }

    fn step_by_learning(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        let mut lrta = match self.lrta.take() {
            Some(lrta) => lrta,
            None => Walkers::take(context),
        };
        lrta.set_goal(self.goal);
        let step = lrta.step(context, at);
        self.lrta = Some(lrta);
        step.map_or(Decision::Unreachable, Decision::Step)
    }

    fn begin(&mut self, context: &mut Context<Map>, at: Cell) -> bool {
        let hierarchy = self.hierarchy.get();
        context.meter.trace_steps += u64::from(hierarchy.height());
        self.path.start(hierarchy, at, self.goal)
    }
}

impl Agent<Map> for QuickPathAgent {
    fn start(&mut self, context: &mut Context<Map>, _from: Cell, goal: Cell) {
        self.hierarchy.follow(context.space);
        self.hierarchy.take_over(context.space);
        self.prepare();
        self.goal = goal;
        self.under_way = None;
        if let Some(lrta) = self.lrta.take() {
            Walkers::give_back(context, lrta);
        }
        Walkers::prepare(context);
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        if !self.is_in_step(context.space) {
            return self.step_by_learning(context, at);
        }
        let next = match self.under_way {
            // The last move was held up: try it again.
            Some((from, to)) if from == at => Some(to),
            Some((_, to)) if to == at => self.path.next_cell(self.hierarchy.get(), context.space),
            _ => {
                if !self.begin(context, at) {
                    return Decision::Unreachable;
                }
                self.path.next_cell(self.hierarchy.get(), context.space)
            }
        };
        context.meter.expansions += self.path.take_count();
        if let Some(trace) = context.trace.as_deref_mut() {
            // It knows no costs: what it looks at has none.
            for (cell, parent) in self.path.cells_looked_at() {
                let (g, f) = (0, 0);
                trace.record(Event::Expanded { cell, parent, g, f });
            }
        }
        match next.filter(|&to| context.space.legal_step(at, to).is_some()) {
            Some(to) => {
                self.under_way = Some((at, to));
                Decision::Step(to)
            }
            None => {
                self.under_way = None;
                Decision::Thinking
            }
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<Map>, news: News) {
        self.under_way = None;
        if let Some(lrta) = &mut self.lrta {
            lrta.changed(context, news);
        }
    }

    fn memory_bytes(&self) -> usize {
        let learned = self.lrta.as_ref().map_or(0, |lrta| lrta.states_in_memory());
        self.path.memory_bytes() / 4 * BYTES_PER_STATE + learned * BYTES_PER_STATE
    }

    fn learned_bytes(&self) -> usize {
        self.lrta.as_ref().map_or(0, |lrta| lrta.reserved_bytes())
    }

    fn operations_bound(&self, _map: &Map) -> Option<u64> {
        // Or one step of LRTA*.
        Some(self.bound.max(1))
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        let learning = Lrta::new(LrtaParams::default()).weighted_bound(map);
        Some(self.bound.saturating_mul(WEIGHTS.expansions).max(learning))
    }
}

/// `quickpath` in specs.
pub(crate) static QUICKPATH: Algorithm = Algorithm {
    name: "quickpath",
    about: "QuickPath: refines the clique abstraction step by step without search",
    keys: &[],
    parse: |_| Ok(Box::new(QuickPathFactory)),
};

struct QuickPathFactory;

impl AgentFactory for QuickPathFactory {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![IndexRequest::new(IndexKind::Hierarchy)]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let request = IndexRequest::new(IndexKind::Hierarchy);
        let index = find_hierarchy(map, indexes)?;
        let keeper = indexes
            .slot(map, &request)?
            .companion(map, || Ok(HierarchyKeeper::new(index.clone())))?;
        let hierarchy = LiveHierarchy::new(index);
        let mut agent = QuickPathAgent::new(hierarchy);
        agent.keeper = Some(keeper);
        Ok(Box::new(agent))
    }

    fn build_on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        let levels = Arc::new(GraphLevels::of(graph));
        Some(Box::new(LevelsAgent::new(levels, Refinement::Quick)))
    }
}
