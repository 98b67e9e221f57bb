//! QuickPath as an agent: refines one step at a time and never searches (see [`crate::hierarchy::quick_path`]).
//!
//! The first move climbs to the common ancestor; every move looks at no more than one group on each level. The walk is
//! complete and can be much longer than needed. After a map change or for a new goal it begins anew where it stands, which
//! costs no more than a move.

use super::pra::find_hierarchy;
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision};
use crate::grid::Cell;
use crate::hierarchy::quick_path::QuickPath;
use crate::index::hierarchy::LiveHierarchy;
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm};
use crate::trace::Event;

/// The agent.
#[derive(Clone, Debug)]
pub struct QuickPathAgent {
    hierarchy: LiveHierarchy,
    path: QuickPath,
    goal: Cell,
    /// Where the agent stood, and the cell that it was sent to; `None` before the first move and after changes.
    under_way: Option<(Cell, Cell)>,
    bound: u64,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl QuickPathAgent {
    /// An agent on the hierarchy of its map.
    pub fn new(hierarchy: LiveHierarchy) -> QuickPathAgent {
        let mut agent = QuickPathAgent {
            seen: 0,
            hierarchy,
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

    fn begin(&mut self, context: &mut Context<Map>, at: Cell) -> bool {
        let hierarchy = self.hierarchy.get();
        context.meter.trace_steps += u64::from(hierarchy.height());
        self.path.start(hierarchy, at, self.goal)
    }
}

impl Agent<Map> for QuickPathAgent {
    fn start(&mut self, context: &mut Context<Map>, _from: Cell, goal: Cell) {
        self.hierarchy.follow(context.space);
        self.goal = goal;
        self.under_way = None;
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
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

    fn changed(&mut self, context: &mut Context<Map>, _news: News) {
        self.hierarchy.follow(context.space);
        self.under_way = None;
        // Groups may have grown, and there may be another level.
        self.prepare();
    }

    fn memory_bytes(&self) -> usize {
        self.path.memory_bytes() / 4 * BYTES_PER_STATE
    }

    fn operations_bound(&self, _map: &Map) -> Option<u64> {
        Some(self.bound)
    }
}

/// `quickpath` in specs.
pub static QUICKPATH: Algorithm = Algorithm {
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
        let hierarchy = LiveHierarchy::new(find_hierarchy(map, indexes)?);
        Ok(Box::new(QuickPathAgent::new(hierarchy)))
    }
}
