//! `jps` and `jump-graph`: plan a whole optimal path over jump points on the first move, then follow it.
//!
//! All agents of one spec share the bitmaps or the graph. When the map changes, the first agent that hears of it repairs
//! them and the others take over what it made; repaired ones equal new ones, so it does not matter who is first. In crowds the
//! repair is sliced ([`Planner::advance_repair`]), and nobody plans before it is done.
//!
//! On noise there are so many jump points that searching them costs more than searching cells: `jump-graph` then plans
//! with A* on cells ([`JumpGraph::is_too_dense`] is the rule). `jps` always does what its name says.

use super::whole_path::{Planned, Planner, SearchPlanner};
use super::{Agent, Budget, Context};
use crate::grid::{Cell, ChangeSet};
use crate::index::jump::JumpGraph;
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::search::AStar;
use crate::search::jps::{Jps, JumpSearch, JumpSpace, Status};
use crate::spec::{AgentFactory, Algorithm, PlannerResult, SpecError, SpecText};
use crate::trace::Trace;
use std::sync::{Arc, Mutex, PoisonError};

/// What jump searches run on, derived from a map and kept in step with it.
pub trait JumpSource: JumpSpace + Clone + Send + Sync + 'static {
    /// Derives it from a map.
    fn derive(map: &Map) -> Self;
    /// Notes that the map has changed.
    fn queue_repair(&mut self, map: &Map, changes: &ChangeSet);
    /// Goes on with a repair for about so many operations. Is it done?
    fn advance_repair(&mut self, map: &Map, operations: u64) -> bool;
    /// Is no repair under way? Before that the source must not be searched.
    fn is_repaired(&self) -> bool;
    /// The revision of the map that it belongs to, once its repair is done.
    fn revision(&self) -> u64;
    /// Is a search of cells faster?
    fn is_too_dense(&self) -> bool;
}

impl JumpSource for Jps {
    fn derive(map: &Map) -> Jps {
        Jps::new(map)
    }
    fn queue_repair(&mut self, map: &Map, changes: &ChangeSet) {
        Jps::queue_repair(self, map, changes);
    }
    fn advance_repair(&mut self, map: &Map, operations: u64) -> bool {
        Jps::advance_repair(self, map, operations)
    }
    fn is_repaired(&self) -> bool {
        Jps::is_repaired(self)
    }
    fn revision(&self) -> u64 {
        Jps::revision(self)
    }
    fn is_too_dense(&self) -> bool {
        false
    }
}

impl JumpSource for JumpGraph {
    fn derive(map: &Map) -> JumpGraph {
        JumpGraph::build(map)
    }
    fn queue_repair(&mut self, map: &Map, changes: &ChangeSet) {
        JumpGraph::queue_repair(self, map, changes);
    }
    fn advance_repair(&mut self, map: &Map, operations: u64) -> bool {
        JumpGraph::advance_repair(self, map, operations)
    }
    fn is_repaired(&self) -> bool {
        JumpGraph::is_repaired(self)
    }
    fn revision(&self) -> u64 {
        JumpGraph::revision(self)
    }
    fn is_too_dense(&self) -> bool {
        JumpGraph::is_too_dense(self)
    }
}

/// The newest form of a source, shared by the agents that use it.
#[derive(Debug)]
pub struct Shared<J>(Arc<Mutex<Arc<J>>>);

impl<J> Clone for Shared<J> {
    fn clone(&self) -> Shared<J> {
        Shared(self.0.clone())
    }
}

impl<J: JumpSource> Shared<J> {
    /// Shares a source.
    pub fn new(source: Arc<J>) -> Shared<J> {
        Shared(Arc::new(Mutex::new(source)))
    }

    /// The source for the map as it is now. `changes` led to it, if they are known.
    pub fn current(&self, map: &Map, changes: Option<&ChangeSet>) -> Arc<J> {
        let mut newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Self::follow(&mut newest, map, changes);
        if !newest.is_repaired() {
            Arc::make_mut(&mut newest).advance_repair(map, u64::MAX);
        }
        newest.clone()
    }

    /// Goes on with the repair for the map as it is now, for about so many operations. Is it done?
    pub fn advance(&self, map: &Map, changes: Option<&ChangeSet>, operations: u64) -> bool {
        let mut newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Self::follow(&mut newest, map, changes);
        newest.is_repaired() || Arc::make_mut(&mut newest).advance_repair(map, operations)
    }

    /// Notes the changes that led to the map, or begins anew where they are not known.
    fn follow(newest: &mut Arc<J>, map: &Map, changes: Option<&ChangeSet>) {
        let wanted = map.grid().revision();
        if newest.revision() != wanted {
            match changes {
                Some(changes) if newest.revision() + 1 == wanted => {
                    Arc::make_mut(newest).queue_repair(map, changes);
                }
                _ => *newest = Arc::new(J::derive(map)),
            }
        }
    }

    /// Makes a copy where others hold on to the newest form: repairs then change it where it stands.
    pub fn detach(&self, map: &Map) {
        drop(self.current(map, None));
        let mut newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut newest);
    }
}

/// Plans over jump points: in the memory that the thread shares, or under a limited budget in memory of its own, which keeps
/// the search from one move to the next.
#[derive(Debug)]
pub struct JumpPlanner<J> {
    /// Nobody holds on to a source for longer than a plan takes: one that is not shared is repaired where it stands.
    shared: Shared<J>,
    own: Option<Box<JumpSearch>>,
    under_way: Option<UnderWay>,
    used_bytes: usize,
    uses_cells: bool,
    cells: SearchPlanner<AStar>,
}

/// A search that goes on with the next move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UnderWay {
    from: Cell,
    goal: Cell,
    revision: u64,
}

impl<J: JumpSource> JumpPlanner<J> {
    /// A planner on a shared source.
    pub fn new(shared: Shared<J>) -> JumpPlanner<J> {
        JumpPlanner {
            shared,
            own: None,
            under_way: None,
            used_bytes: 0,
            uses_cells: false,
            cells: SearchPlanner::new(|scratch| &mut scratch.astar),
        }
    }
}

/// Goes on point by point and records each; the start has been expanded already.
fn advance_traced<J: JumpSpace>(
    search: &mut JumpSearch,
    source: &J,
    map: &Map,
    most_expansions: u64,
    trace: &mut Trace,
) -> Status {
    let mut record = |search: &JumpSearch| {
        if let Some(event) = search.last_expanded(source, map.grid()) {
            trace.record(event);
        }
    };
    if search.expansions() == 1 {
        record(search);
    }
    for _ in 0..most_expansions {
        if search.status() != Status::Running {
            break;
        }
        search.advance(source, 1);
        record(search);
    }
    search.status()
}

impl<J: JumpSource> Planner<Map> for JumpPlanner<J> {
    fn plan(
        &mut self,
        context: &mut Context<Map>,
        from: Cell,
        goal: Cell,
        path: &mut Vec<Cell>,
    ) -> Planned {
        let map = context.space;
        let source = self.shared.current(map, None);
        self.uses_cells = source.is_too_dense();
        if self.uses_cells {
            return self.cells.plan(context, from, goal, path);
        }
        let unlimited = context.budget == Budget::UNLIMITED;
        let search = if unlimited {
            &mut context.scratch.jump
        } else {
            &mut **self.own.get_or_insert_default()
        };
        let source = &*source;
        let asked = UnderWay {
            from,
            goal,
            revision: map.grid().revision(),
        };
        let before = if unlimited || self.under_way != Some(asked) {
            search.begin(source, map, map.grid().point(from), map.grid().point(goal));
            0
        } else {
            search.expansions()
        };
        let status = match context.trace.as_deref_mut() {
            None => search.advance(source, context.budget.operations),
            Some(trace) => advance_traced(search, source, map, context.budget.operations, trace),
        };
        context.meter.expansions += search.expansions() - before;
        self.used_bytes = search.used_bytes();
        self.under_way = (status == Status::Running).then_some(asked);
        match status {
            Status::Running => Planned::Unfinished,
            Status::NotFound => Planned::NoPath,
            Status::Found => {
                if let Some(found) = search.found_path(source) {
                    found.write_cells(map.grid(), path);
                }
                Planned::Path
            }
        }
    }

    fn map_changed(&mut self, map: &Map, changes: &ChangeSet) {
        self.shared.current(map, Some(changes));
        self.under_way = None;
        self.cells.map_changed(map, changes);
    }

    fn expect_changes(&mut self, map: &Map) {
        self.shared.detach(map);
    }

    fn advance_repair(&mut self, map: &Map, changes: Option<&ChangeSet>, operations: u64) -> bool {
        if let Some(changes) = changes {
            self.under_way = None;
            self.cells.map_changed(map, changes);
        }
        self.shared.advance(map, changes, operations)
    }

    fn memory_bytes(&self) -> usize {
        if self.uses_cells {
            Planner::<Map>::memory_bytes(&self.cells)
        } else {
            self.used_bytes
        }
    }
}

/// `jps`.
pub static JPS: Algorithm = Algorithm {
    name: "jps",
    about: "jump point search without preprocessing beyond bitmaps; all corner rules",
    keys: &[],
    parse: |_: &SpecText| -> Result<Box<dyn AgentFactory>, SpecError> {
        Ok(Box::new(JpsFactory::default()))
    },
};

/// Keeps the bitmaps of the last map, so that a crowd built from one spec shares them.
#[derive(Default)]
struct JpsFactory {
    last: Mutex<Option<(MapIdentity, Shared<Jps>)>>,
}

type MapIdentity = (u64, u64, crate::grid::MoveRules);

impl AgentFactory for JpsFactory {
    fn needs_uniform_moves(&self) -> bool {
        true
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        self.whole_paths(map, indexes)
    }

    fn planner(&self, map: &Map, _indexes: &Indexes) -> PlannerResult {
        let grid = map.grid();
        let identity = (grid.fingerprint(), grid.revision(), map.rules());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = match &*last {
            Some((known, shared)) if *known == identity => shared.clone(),
            _ => {
                let shared = Shared::new(Arc::new(Jps::new(map)));
                *last = Some((identity, shared.clone()));
                shared
            }
        };
        Ok(Some(Box::new(JumpPlanner::new(shared))))
    }
}

/// `jump-graph`.
pub static JUMP_GRAPH: Algorithm = Algorithm {
    name: "jump-graph",
    about: "optimal search over the stored jump-point graph; A* on cells where jump points are too dense",
    keys: &[],
    parse: |_: &SpecText| -> Result<Box<dyn AgentFactory>, SpecError> {
        Ok(Box::new(JumpGraphFactory::default()))
    },
};

/// Remembers the index that agents were built on last, so that they share its repaired forms.
#[derive(Default)]
struct JumpGraphFactory {
    last: Mutex<Option<(Arc<JumpGraph>, Shared<JumpGraph>)>>,
}

impl AgentFactory for JumpGraphFactory {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![IndexRequest::new(IndexKind::Jump)]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        self.whole_paths(map, indexes)
    }

    fn planner(&self, _map: &Map, indexes: &Indexes) -> PlannerResult {
        let graph = indexes
            .find::<JumpGraph>(&IndexRequest::new(IndexKind::Jump))
            .ok_or("it needs a `jump` index; build one with `waypost build jump`")?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = match &*last {
            Some((known, shared)) if Arc::ptr_eq(known, &graph) => shared.clone(),
            _ => {
                let shared = Shared::new(graph.clone());
                *last = Some((graph, shared.clone()));
                shared
            }
        };
        Ok(Some(Box::new(JumpPlanner::new(shared))))
    }
}

#[cfg(test)]
mod tests;
