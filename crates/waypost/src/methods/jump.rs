//! `jps` and `jump-graph`: plan a whole optimal path over jump points on the first move, then follow it.
//!
//! All agents of a world share the bitmaps or the graph ([`Live`]). The first that plans after a change repairs them; repaired
//! ones equal new ones, so it does not matter who is first. In crowds the repair is sliced ([`Planner::follow`]), and nobody plans
//! before it is done.
//!
//! On noise there are so many jump points that searching them costs more than searching cells: `jump-graph` then plans
//! with A* on cells ([`JumpGraph::is_too_dense`] is the rule). `jps` always does what its name says.

use crate::agent::whole_path::{Planned, Planner, SearchPlanner};
use crate::agent::{Agent, Budget, Context};
use crate::grid::{Cell, ChangeSet};
use crate::index::jump::JumpGraph;
use crate::index::slot::{Companion, Slot};
use crate::index::{Index, IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm, PlannerResult, SpecError, SpecText};
use crate::search::AStar;
use crate::search::jps::{Jps, JumpSearch, JumpSpace, Status};
use crate::trace::Trace;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};

/// Changed cells that memory is reserved for: repairs within moves take no more of them at once.
const MAX_CHANGES: usize = 256;

/// What jump searches run on, derived from a map and kept in step with it.
pub trait JumpSource: JumpSpace + Clone + Send + Sync + 'static {
    /// Another one, derived from a map.
    fn derive_again(&self, map: &Map) -> Self;
    /// Goes by another index of the kind that it is kept beside.
    fn renew(&mut self, _index: Arc<Self>, _map: &Map) {}
    /// Looks what has changed on the map.
    fn queue_repair(&mut self, map: &Map);
    /// Goes on with a repair for about `operations`; returns whether it is done.
    fn advance_repair(&mut self, map: &Map, operations: u64) -> bool;
    /// Is no repair under way? Before that the source must not be searched.
    fn is_repaired(&self) -> bool;
    /// The state of the map that it belongs to, once its repair is done.
    fn state(&self) -> u64;
    /// Whether a repair of this many changed cells is faster than a new one.
    fn can_repair(&self, changed: usize) -> bool;
    /// Makes room for repairs within moves.
    fn reserve_repair(&mut self) {}
    /// Whether a search of cells is faster.
    fn is_too_dense(&self) -> bool;
    /// Its bytes.
    fn memory_bytes(&self) -> usize;
}

impl JumpSource for Jps {
    fn derive_again(&self, map: &Map) -> Jps {
        Jps::new(map)
    }
    fn queue_repair(&mut self, map: &Map) {
        Jps::queue_repair(self, map);
    }
    fn advance_repair(&mut self, map: &Map, operations: u64) -> bool {
        Jps::advance_repair(self, map, operations)
    }
    fn is_repaired(&self) -> bool {
        Jps::is_repaired(self)
    }
    fn state(&self) -> u64 {
        Jps::state(self)
    }
    fn can_repair(&self, _changed: usize) -> bool {
        true
    }
    fn is_too_dense(&self) -> bool {
        false
    }
    fn memory_bytes(&self) -> usize {
        Jps::memory_bytes(self)
    }
}

impl JumpSource for JumpGraph {
    fn derive_again(&self, map: &Map) -> JumpGraph {
        JumpGraph::derive_again(self, map)
    }
    fn renew(&mut self, index: Arc<JumpGraph>, map: &Map) {
        self.go_by(&index, map);
    }
    fn queue_repair(&mut self, map: &Map) {
        JumpGraph::queue_repair(self, map);
    }
    fn advance_repair(&mut self, map: &Map, operations: u64) -> bool {
        JumpGraph::advance_repair(self, map, operations)
    }
    fn is_repaired(&self) -> bool {
        JumpGraph::is_repaired(self)
    }
    fn state(&self) -> u64 {
        JumpGraph::state(self)
    }
    fn can_repair(&self, changed: usize) -> bool {
        JumpGraph::can_repair(self, changed)
    }
    fn reserve_repair(&mut self) {
        JumpGraph::reserve_repair(self, MAX_CHANGES);
    }
    fn is_too_dense(&self) -> bool {
        JumpGraph::is_too_dense(self)
    }
    fn memory_bytes(&self) -> usize {
        Index::memory_bytes(self)
    }
}

/// A source that follows its map, shared by all that plan with it on one world. It is repaired where it stands, so nobody may
/// hold on to it for longer than a plan takes.
#[derive(Debug)]
pub struct Live<J> {
    source: RwLock<J>,
    /// What holds the index that it is kept beside, if it is a copy of one.
    slot: Weak<Slot>,
}

impl<J: JumpSource> Live<J> {
    /// Shares a source.
    pub fn new(source: J) -> Live<J> {
        Live {
            source: RwLock::new(source),
            slot: Weak::new(),
        }
    }

    /// Shares a copy of the index in a slot.
    pub fn beside(slot: &Arc<Slot>, source: J) -> Live<J> {
        Live {
            slot: Arc::downgrade(slot),
            ..Live::new(source)
        }
    }

    /// Shares a source that moves may repair: there is room for it.
    pub fn reserved(mut source: J) -> Live<J> {
        source.reserve_repair();
        Live::new(source)
    }

    /// Makes room for repairs within moves once more: those since the last time may have used it up.
    pub fn make_room(&self) {
        let mut source = self.source.write().unwrap_or_else(PoisonError::into_inner);
        source.reserve_repair();
    }

    fn read(&self) -> RwLockReadGuard<'_, J> {
        self.source.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_of(source: &J, map: &Map) -> bool {
        source.state() == map.fingerprint() && source.is_repaired()
    }

    /// Whether it is of the map as it is.
    pub fn is_current(&self, map: &Map) -> bool {
        Self::is_of(&self.read(), map)
    }

    /// What `plan` gives for the source of the map as it is; `None` where it is not in step ([`Live::follow`]).
    pub fn with<R>(&self, map: &Map, plan: impl FnOnce(&J) -> R) -> Option<R> {
        let source = self.read();
        Self::is_of(&source, map).then(|| plan(&source))
    }

    /// What `plan` gives for the source as it was repaired last, and whether that is of the map as it is; `None` while a repair is under way.
    pub fn with_repaired<R>(&self, map: &Map, plan: impl FnOnce(&J, bool) -> R) -> Option<R> {
        let source = self.read();
        let is_current = source.state() == map.fingerprint();
        source.is_repaired().then(|| plan(&source, is_current))
    }

    /// What `look` gives for the source, of whatever map it is.
    pub fn look<R>(&self, look: impl FnOnce(&J) -> R) -> R {
        look(&self.read())
    }

    /// Goes on with the repair for the map as it is, for about this many operations; whether it is done. Without a limit, where a new one is
    /// the faster, it is derived again.
    pub fn follow(&self, map: &Map, operations: u64) -> bool {
        if self.is_current(map) {
            return true;
        }
        let mut source = self.source.write().unwrap_or_else(PoisonError::into_inner);
        if source.state() != map.fingerprint() {
            let can_repair = |changes: ChangeSet| source.can_repair(changes.len());
            if operations == u64::MAX && !map.changes_since(source.state()).is_some_and(can_repair)
            {
                *source = source.derive_again(map);
                source.reserve_repair();
                return true;
            }
            source.queue_repair(map);
        }
        source.advance_repair(map, operations)
    }

    /// Its bytes.
    pub fn memory_bytes(&self) -> usize {
        self.read().memory_bytes()
    }
}

impl<J: JumpSource> Companion for Live<J> {
    fn follow(&self, map: &Map, operations: u64) -> bool {
        Live::follow(self, map, operations)
    }

    fn renewed(&self, map: &Map) {
        let index = self.slot.upgrade().map(|slot| slot.index());
        let index = index.and_then(|index| (index as Arc<dyn Any + Send + Sync>).downcast().ok());
        if let Some(index) = index {
            let mut source = self.source.write().unwrap_or_else(PoisonError::into_inner);
            source.renew(index, map);
        }
    }
}

/// Plans over jump points: in the memory that the thread shares, or under a limited budget in memory of its own, which keeps
/// the search from one move to the next.
#[derive(Debug)]
pub struct JumpPlanner<J> {
    live: Arc<Live<J>>,
    /// Whether a slot keeps the source in step, as a part of its upkeep.
    is_kept: bool,
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
    state: u64,
}

impl<J: JumpSource> JumpPlanner<J> {
    /// A planner on a shared source, which a slot keeps in step or nobody.
    pub fn new(live: Arc<Live<J>>, is_kept: bool) -> JumpPlanner<J> {
        JumpPlanner {
            live,
            is_kept,
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
        self.live.follow(context.space, u64::MAX);
        let live = self.live.clone();
        // Another world may have taken the source over in between: then the next move tries again.
        live.with(context.space, |source| {
            self.plan_on(source, context, from, goal, path)
        })
        .unwrap_or(Planned::Unfinished)
    }

    /// What a slot keeps in step is not carried on twice. What nobody does is brought in step at once: how far it has got would be a part of
    /// a crowd's state that no snapshot holds.
    fn follow(&mut self, map: &Map, operations: u64) -> bool {
        match self.is_kept && operations != u64::MAX {
            true => self.live.is_current(map),
            false => self.live.follow(map, u64::MAX),
        }
    }

    fn memory_bytes(&self) -> usize {
        if self.uses_cells {
            Planner::<Map>::memory_bytes(&self.cells)
        } else {
            self.used_bytes
        }
    }
}

impl<J: JumpSource> JumpPlanner<J> {
    fn plan_on(
        &mut self,
        source: &J,
        context: &mut Context<Map>,
        from: Cell,
        goal: Cell,
        path: &mut Vec<Cell>,
    ) -> Planned {
        let map = context.space;
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
        let asked = UnderWay {
            from,
            goal,
            state: map.fingerprint(),
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

/// Keeps the bitmaps of the last map, so that all agents of one spec on it share them.
#[derive(Default)]
struct JpsFactory {
    last: Mutex<Option<LastWorld>>,
}

/// A world and its bitmaps.
type LastWorld = (Weak<()>, Arc<Live<Jps>>);

impl AgentFactory for JpsFactory {
    fn needs_uniform_moves(&self) -> bool {
        true
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        self.whole_paths(map, indexes)
    }

    fn planner(&self, map: &Map, _indexes: &Indexes) -> PlannerResult {
        let world = Arc::downgrade(map.world());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let live = match &*last {
            Some((known, live)) if known.ptr_eq(&world) => live.clone(),
            _ => {
                let live = Arc::new(Live::new(Jps::new(map)));
                *last = Some((world, live.clone()));
                live
            }
        };
        Ok(Some(Box::new(JumpPlanner::new(live, false))))
    }
}

/// `jump-graph`.
pub(crate) static JUMP_GRAPH: Algorithm = Algorithm {
    name: "jump-graph",
    about: "optimal search over the stored jump-point graph; A* on cells where jump points are too dense",
    keys: &[],
    parse: |_: &SpecText| -> Result<Box<dyn AgentFactory>, SpecError> {
        Ok(Box::new(JumpGraphFactory))
    },
};

struct JumpGraphFactory;

impl AgentFactory for JumpGraphFactory {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![IndexRequest::new(IndexKind::Jump)]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        self.whole_paths(map, indexes)
    }

    /// All planners of a world share a copy of the graph, which follows the map.
    fn planner(&self, map: &Map, indexes: &Indexes) -> PlannerResult {
        let request = IndexRequest::new(IndexKind::Jump);
        let slot = indexes.slot(map, &request)?;
        let live = slot.companion(map, || {
            let graph = indexes.find::<JumpGraph>(map, &request)?;
            Ok(Live::beside(&slot, JumpGraph::copy_of(&graph)))
        });
        Ok(Some(Box::new(JumpPlanner::new(live?, true))))
    }
}

#[cfg(test)]
mod tests;
