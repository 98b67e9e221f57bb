//! `labels`: the whole optimal path from corner labels within a published number of operations, then one operation a move.
//!
//! When the map changes, the labels are of no use any more (unless the corners are still the same): until labels of the
//! new map are handed over ([`SharedLabels::replace`], from a build in the background), agents plan on the jump-point graph,
//! which is repaired at once. Paths stay optimal and legal; the bound on the first move is lost meanwhile.

use super::jump::{JumpPlanner, Shared};
use super::whole_path::{Planned, Planner};
use super::{Agent, Context, Decision};
use crate::crowd::{LabelGuide, LabelWalker, MadeCrowd, Options, Squad};
use crate::grid::{Cell, ChangeSet, Direction};
use crate::index::jump::JumpGraph;
use crate::index::labels::{CornerLabels, HubOrder};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::search::jps::Run;
use crate::spec::{AgentFactory, Algorithm, SpecError, SpecText};
use std::sync::{Arc, Mutex, PoisonError};

/// The newest labels, shared by the agents that use them.
#[derive(Clone, Debug)]
pub struct SharedLabels(Arc<Mutex<Arc<CornerLabels>>>);

impl SharedLabels {
    /// Shares labels.
    pub fn new(labels: Arc<CornerLabels>) -> SharedLabels {
        SharedLabels(Arc::new(Mutex::new(labels)))
    }

    /// Hands over labels of a newer map: agents take them with their next plan.
    pub fn replace(&self, labels: Arc<CornerLabels>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = labels;
    }

    /// The newest labels, of whichever map.
    pub fn newest(&self) -> Arc<CornerLabels> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The labels of the map as it is now, if there are any.
    pub fn current(&self, map: &Map) -> Option<Arc<CornerLabels>> {
        let newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (newest.revision() == map.grid().revision()).then(|| newest.clone())
    }
}

/// Follows paths from labels.
#[derive(Debug)]
pub struct LabelsAgent {
    shared: SharedLabels,
    labels: Option<Arc<CornerLabels>>,
    goal: Cell,
    runs: Vec<Run>,
    /// The run under way, the steps of it made, and where the agent stands then.
    run: usize,
    made: u32,
    expected: Cell,
    fallback: Option<Fallback>,
}

#[derive(Debug)]
struct Fallback {
    planner: JumpPlanner<JumpGraph>,
    path: Vec<Cell>,
}

impl LabelsAgent {
    /// An agent without a problem yet.
    pub fn new(shared: SharedLabels, map: &Map) -> LabelsAgent {
        LabelsAgent {
            labels: shared.current(map),
            shared,
            goal: Cell::NONE,
            runs: Vec::new(),
            run: 0,
            made: 0,
            expected: Cell::NONE,
            fallback: None,
        }
    }

    fn forget(&mut self) {
        self.runs.clear();
        (self.run, self.made) = (0, 0);
        self.expected = Cell::NONE;
    }

    /// Plans from `at`; what is not a path is the decision.
    fn plan(&mut self, context: &mut Context<Map>, at: Cell) -> Result<(), Decision> {
        let map = context.space;
        self.forget();
        if self
            .labels
            .as_ref()
            .is_none_or(|l| l.revision() != map.grid().revision())
        {
            self.labels = self.shared.current(map);
        }
        let Some(labels) = self.labels.clone() else {
            return self.plan_without_labels(context, at);
        };
        let query = &mut context.scratch.labels;
        let ends = (map.grid().point(at), map.grid().point(self.goal));
        let path = query.path(&labels, ends.0, ends.1);
        self.runs
            .extend_from_slice(path.map_or(&[], |path| path.runs()));
        context.meter.look_ups += query.operations();
        if self.runs.is_empty() {
            return Err(Decision::Unreachable);
        }
        self.expected = at;
        Ok(())
    }

    fn plan_without_labels(
        &mut self,
        context: &mut Context<Map>,
        at: Cell,
    ) -> Result<(), Decision> {
        let map = context.space;
        let fallback = self.fallback.get_or_insert_with(|| Fallback {
            planner: JumpPlanner::new(Shared::new(Arc::new(JumpGraph::build(map)))),
            path: Vec::new(),
        });
        fallback.path.clear();
        match fallback
            .planner
            .plan(context, at, self.goal, &mut fallback.path)
        {
            Planned::Unfinished => return Err(Decision::Thinking),
            Planned::NoPath => return Err(Decision::Unreachable),
            Planned::Path => {}
        }
        for step in fallback.path.windows(2) {
            let (a, b) = (map.grid().point(step[0]), map.grid().point(step[1]));
            let (dx, dy) = (b.x as i32 - a.x as i32, b.y as i32 - a.y as i32);
            match (Direction::of_step(dx, dy), self.runs.last_mut()) {
                (Some(direction), Some(last)) if last.direction == direction => last.steps += 1,
                (Some(direction), _) => self.runs.push(Run {
                    direction,
                    steps: 1,
                }),
                (None, _) => return Err(Decision::Unreachable),
            }
        }
        self.expected = at;
        Ok(())
    }

    /// The next cell of the path.
    fn step(&mut self, map: &Map) -> Option<Cell> {
        let run = self.runs.get(self.run)?;
        let next = map.grid().neighbour(self.expected, run.direction);
        self.made += 1;
        if self.made == run.steps {
            (self.run, self.made) = (self.run + 1, 0);
        }
        self.expected = next;
        Some(next)
    }

    /// Are all moves left on the path legal?
    fn rest_is_legal(&self, map: &Map) -> bool {
        let mut at = self.expected;
        for (i, run) in self.runs.iter().enumerate().skip(self.run) {
            let made = if i == self.run { self.made } else { 0 };
            for _ in made..run.steps {
                if !map.grid().is_passable(at) || !map.legal(at).contains(run.direction) {
                    return false;
                }
                at = map.grid().neighbour(at, run.direction);
            }
        }
        true
    }
}

impl Agent<Map> for LabelsAgent {
    fn start(&mut self, _context: &mut Context<Map>, _from: Cell, goal: Cell) {
        self.goal = goal;
        self.forget();
    }

    fn next_move(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
            return decision;
        }
        if at != self.expected {
            if let Err(decision) = self.plan(context, at) {
                return decision;
            }
        } else {
            context.meter.trace_steps += 1;
        }
        match self.step(context.space) {
            Some(next) => Decision::Step(next),
            None => Decision::Unreachable,
        }
    }

    fn map_changed(&mut self, context: &mut Context<Map>, changes: &ChangeSet) {
        let map = context.space;
        if let Some(fallback) = &mut self.fallback {
            fallback.planner.map_changed(map, changes);
        }
        if let Some(labels) = self.labels.take() {
            self.labels = self
                .shared
                .current(map)
                .or_else(|| labels.rebind(map).map(Arc::new));
            if let Some(labels) = &self.labels {
                self.shared.replace(labels.clone());
            }
        }
        // New walls make no other path better: a path that is still legal is still the best.
        if !changes.opened.is_empty() || !self.rest_is_legal(map) {
            self.forget();
        }
    }

    fn memory_bytes(&self) -> usize {
        let path = self.fallback.as_ref().map_or(0, |f| f.path.capacity());
        self.runs.len() * size_of::<Run>() + path * size_of::<Cell>()
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        let labels = self.labels.as_ref()?;
        (labels.revision() == map.grid().revision()).then(|| labels.measures().operations_bound())
    }
}

/// `labels`.
pub static LABELS: Algorithm = Algorithm {
    name: "labels",
    about: "optimal paths from corner labels: the first move within a published bound, then one operation a move",
    keys: &[
        (
            "order",
            "order of hubs: coverage (default), betweenness or degree",
        ),
        ("max-bytes", "refuse to build labels that take more bytes"),
    ],
    parse: |text: &SpecText| -> Result<Box<dyn AgentFactory>, SpecError> {
        let order = text.value(
            "order",
            String::new(),
            "coverage, betweenness or degree",
            |name| HubOrder::from_name(name).is_some(),
        )?;
        let max_bytes = text.value("max-bytes", 0u64, "a number of bytes", |_| true)?;
        let mut request = IndexRequest::new(IndexKind::Labels);
        if !order.is_empty() {
            request = request.with("order", order);
        }
        if text.text("max-bytes").is_some() {
            request = request.with("max-bytes", max_bytes);
        }
        Ok(Box::new(LabelsFactory {
            request,
            last: Mutex::default(),
        }))
    },
};

/// Remembers the index that agents were built on last, so that they share what replaces it.
struct LabelsFactory {
    request: IndexRequest,
    last: Mutex<Option<(Arc<CornerLabels>, SharedLabels)>>,
}

impl AgentFactory for LabelsFactory {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![self.request.clone()]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        Ok(Box::new(LabelsAgent::new(self.shared(indexes)?, map)))
    }

    fn crowd(&self, map: &Map, indexes: &Indexes, options: Options) -> MadeCrowd {
        let guide = Arc::new(LabelGuide::new(self.shared(indexes)?, map));
        let told = guide.clone();
        let recruit = move |_: &Map| Ok(LabelWalker::new(guide.clone()));
        let mut squad = Squad::new(map.clone(), options, recruit);
        squad.tell(move |map, changes| told.map_changed(map, changes));
        Ok(Some(Box::new(squad)))
    }
}

impl LabelsFactory {
    fn shared(&self, indexes: &Indexes) -> Result<SharedLabels, String> {
        let labels = indexes
            .find::<CornerLabels>(&self.request)
            .ok_or("it needs a `labels` index; build one with `waypost build labels`")?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = match &*last {
            Some((known, shared)) if Arc::ptr_eq(known, &labels) => shared.clone(),
            _ => {
                let shared = SharedLabels::new(labels.clone());
                *last = Some((labels, shared.clone()));
                shared
            }
        };
        Ok(shared)
    }
}

#[cfg(test)]
mod tests;
