//! Walkers that share what plans for them: each keeps the next few runs of its path and nothing else.
//!
//! An agent of its own may hold a whole path, a window, or the memory of a search. Ten thousand of them in a crowd do not
//! need that: plans are made one after the other, in turns, so a [`Guide`] lends whatever planning takes to one walker at a
//! time. A [`RunWalker`] holds sixteen runs of two bytes and asks again where they end, while it walks the last of them.
//!
//! **Where the guide's paths are shortest** (`astar`, `dijkstra`, `jps`, `jump-graph`, `tables`) what is left of one is shortest
//! too, so walks stay optimal although they are planned in pieces. **Sectors** plan in pieces anyway; the walker keeps the
//! region that the next window begins with ([`SectorGuide`](crate::agent::sectors)).
//!
//! A patch that opens cells drops the runs of exact guides; all others are left, and each run is measured before it is
//! walked. While what the guide plans with is repaired, a slice a tick, nobody plans ([`Guide::is_ready`]): walkers go on along
//! their runs, and where these end step provisionally as they do before their turn. Where the guide knows no way (its index is of an older map) LRTA* walks until the next patch or index.

use super::runs::{MOST_STEPS, Runs};
use super::{AnyCrowd, Options, Squad};
use crate::agent::lrta::{Lrta, LrtaParams};
use crate::agent::whole_path::{Planned, Planner};
use crate::agent::{Agent, Context, Decision, Leg};
use crate::grid::{Cell, ChangeSet};
use crate::index::{Index, Indexes};
use crate::map::Map;
use crate::search::climb::Ground;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Plans for all walkers of a crowd.
pub(crate) trait Guide: Send + Sync {
    /// Finds the next piece of a walker's path from `trip.from` and keeps it in the trip; `false` where no way is known.
    fn plan(&self, context: &mut Context<Map>, trip: &mut Trip) -> bool;

    /// The map has changed; called once for a patch.
    fn map_changed(&self, map: &Map, changes: &ChangeSet);

    /// Carries the repair of what it plans with on for about so many operations. Is it ready to plan?
    fn mend(&self, map: &Map, operations: u64) -> bool {
        let _ = (map, operations);
        true
    }

    /// Are its paths shortest? Then runs from before a patch that opened cells are dropped: they may not be so any more.
    fn is_exact(&self) -> bool {
        false
    }

    /// May it be asked to plan? Until a repair is done walkers go on without.
    fn is_ready(&self) -> bool {
        true
    }

    /// Another index in the place of the one of its kind; called by every walker, so the second time it means nothing.
    fn replace_index(&self, index: &Arc<dyn Index>);
}

/// A walker's way, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trip {
    /// Where the next piece begins.
    pub from: Cell,
    pub goal: Cell,
    /// What the guide has noted down about this walker; 0 for a new goal.
    pub note: u32,
    runs: Runs,
}

impl Trip {
    /// Keeps the first runs of a path, its first cell included. Did all of them fit?
    pub fn keep(&mut self, map: &Map, path: impl ExactSizeIterator<Item = Cell>) -> bool {
        let steps = path.len().saturating_sub(1);
        self.runs.keep_cells(map.grid(), path) == steps
    }

    /// Does the way go on after the runs?
    pub fn goes_on(&mut self, more: bool) {
        self.runs.set_more(more);
    }
}

/// How a walker finds its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Runs,
    /// By LRTA*: no way is known.
    Learning,
}

/// An agent that follows the runs that a shared guide finds.
pub(crate) struct RunWalker<G> {
    guide: Arc<G>,
    lrta: Option<Box<Lrta>>,
    trip: Trip,
    /// Low bits of the revision of the map that the runs are from.
    revision: u32,
    mode: Mode,
}

impl<G: Guide> RunWalker<G> {
    /// An agent without a problem yet.
    pub fn new(guide: Arc<G>) -> RunWalker<G> {
        RunWalker {
            guide,
            lrta: None,
            trip: Trip {
                from: Cell::NONE,
                goal: Cell::NONE,
                note: 0,
                runs: Runs::default(),
            },
            revision: 0,
            mode: Mode::Runs,
        }
    }

    /// Drops runs and what was learned.
    fn forget(&mut self, context: &mut Context<Map>) {
        self.drop_runs();
        if let Some(mut lrta) = self.lrta.take() {
            lrta.forget(context);
        }
    }

    fn drop_runs(&mut self) {
        self.trip.runs.forget();
        self.trip.note = 0;
        self.mode = Mode::Runs;
    }

    fn plan(&mut self, context: &mut Context<Map>, from: Cell) {
        if from != self.trip.from {
            self.trip.note = 0;
        }
        if let Some(mut lrta) = self.lrta.take() {
            lrta.forget(context);
        }
        self.trip.from = from;
        self.revision = context.space.grid().revision() as u32;
        if !self.guide.is_ready() {
            return self.drop_runs();
        }
        let found = self.guide.plan(context, &mut self.trip);
        if !found || self.trip.runs.is_empty() {
            self.mode = Mode::Learning;
        }
    }

    fn advance(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        if let Some(decision) = Decision::at_once(context.space, at, self.trip.goal) {
            return Leg::single(decision);
        }
        if self.mode == Mode::Runs && (at != self.trip.from || self.trip.runs.is_empty()) {
            self.plan(context, at);
        }
        if self.mode == Mode::Learning {
            return self.step_by_learning(context, at);
        }
        self.walk_run(context, at, most)
    }

    /// The next run, as far as it is legal on the map as it is.
    fn walk_run(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        let map = context.space;
        let run = self.trip.runs.first();
        let mut steps = run.map_or(0, |run| run.steps.min(most));
        if let (true, Some(run)) = (self.revision != map.grid().revision() as u32, run) {
            steps = map.run(map.grid().point(at), run.direction, steps);
            context.meter.climb_steps += u64::from(steps);
        }
        let Some(run) = run.filter(|_| steps > 0) else {
            // Blocked since it was planned: the next plan waits for its turn.
            self.drop_runs();
            return Leg::single(Decision::Thinking);
        };
        self.trip.runs.walked(steps);
        let next = map.grid().neighbour(at, run.direction);
        let offset = next.0.wrapping_sub(at.0);
        self.trip.from = Cell(at.0.wrapping_add(offset.wrapping_mul(steps)));
        context.meter.trace_steps += 1;
        Leg {
            decision: Decision::Step(next),
            more: steps - 1,
        }
    }

    fn step_by_learning(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        let goal = self.trip.goal;
        let lrta = self.lrta.get_or_insert_with(|| {
            let mut lrta = Box::new(Lrta::new(LrtaParams::default()));
            lrta.start(context, goal);
            lrta
        });
        let step = lrta.step(context, at);
        self.trip.from = step.unwrap_or(at);
        Leg::single(step.map_or(Decision::Unreachable, Decision::Step))
    }
}

impl<G: Guide> Agent<Map> for RunWalker<G> {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.forget(context);
        (self.trip.from, self.trip.goal) = (from, goal);
    }

    fn next_move(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        self.advance(context, at, 1).decision
    }

    fn next_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        self.advance(context, at, MOST_STEPS)
    }

    fn wants_plan(&self) -> bool {
        self.mode == Mode::Runs && self.trip.runs.is_empty() && self.trip.runs.has_more()
    }

    fn plan_ahead(&mut self, context: &mut Context<Map>, from: Cell) {
        if from != self.trip.goal {
            self.plan(context, from);
        }
    }

    fn replace_index(&mut self, index: &Arc<dyn Index>) {
        self.guide.replace_index(index);
        // Runs are as good as they were. Where they end, or where there are none, the new index is asked.
        self.trip.note = 0;
        if self.mode == Mode::Learning {
            self.drop_runs();
        }
    }

    fn map_changed(&mut self, context: &mut Context<Map>, changes: &ChangeSet) {
        // What LRTA* has learned may be too high where cells opened, and the guide may know a way again.
        let may_be_longer = !changes.opened.is_empty() && self.guide.is_exact();
        if self.mode == Mode::Learning || may_be_longer {
            self.forget(context);
        }
    }

    fn memory_bytes(&self) -> usize {
        size_of::<RunWalker<G>>() + self.learned_bytes()
    }

    fn learned_bytes(&self) -> usize {
        let lrta = self.lrta.as_ref();
        lrta.map_or(0, |lrta| size_of::<Lrta>() + lrta.reserved_bytes())
    }

    fn operations_bound(&self, _map: &Map) -> Option<u64> {
        None
    }
}

/// A planner of whole shortest paths and the memory for one.
struct Desk {
    planner: Box<dyn Planner<Map>>,
    path: Vec<Cell>,
}

/// What makes planners.
type MakePlanner = dyn Fn(&Map, &Indexes) -> Result<Box<dyn Planner<Map>>, String> + Send + Sync;

/// Guides walkers by planners of whole shortest paths: as many as there are threads.
pub(crate) struct PlannerGuide {
    make: Box<MakePlanner>,
    state: Mutex<Desks>,
    is_ready: AtomicBool,
}

struct Desks {
    free: Vec<Desk>,
    indexes: Indexes,
    /// The index that came last.
    newest: Option<Arc<dyn Index>>,
}

impl PlannerGuide {
    /// A guide with one planner so far.
    pub fn new(
        map: &Map,
        indexes: &Indexes,
        make: Box<MakePlanner>,
    ) -> Result<PlannerGuide, String> {
        let desks = Desks {
            free: Vec::new(),
            indexes: indexes.clone(),
            newest: None,
        };
        let guide = PlannerGuide {
            make,
            state: Mutex::new(desks),
            is_ready: AtomicBool::new(true),
        };
        // One for each thread now: after a patch planners of the map as it was could not be made any more.
        let desks: Result<Vec<_>, _> = (0..rayon::current_num_threads())
            .map(|_| guide.borrow_desk(map))
            .collect();
        let mut desks = desks?;
        if let Some(first) = desks.first_mut() {
            first.planner.expect_changes(map);
        }
        guide.state().free = desks;
        Ok(guide)
    }

    fn state(&self) -> MutexGuard<'_, Desks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes changes down and goes on with the repair of what the planners use, one after the other. Are all ready?
    fn advance_repair(&self, map: &Map, changes: Option<&ChangeSet>, operations: u64) -> bool {
        let mut ready = true;
        for desk in &mut self.state().free {
            let operations = if ready { operations } else { 0 };
            ready &= desk.planner.advance_repair(map, changes, operations);
        }
        self.is_ready.store(ready, Ordering::Relaxed);
        ready
    }

    /// Lends a planner to one walker.
    fn borrow_desk(&self, map: &Map) -> Result<Desk, String> {
        let mut state = self.state();
        if let Some(desk) = state.free.pop() {
            return Ok(desk);
        }
        let planner = (self.make)(map, &state.indexes)?;
        let path = Vec::new();
        Ok(Desk { planner, path })
    }
}

impl Guide for PlannerGuide {
    fn plan(&self, context: &mut Context<Map>, trip: &mut Trip) -> bool {
        let Ok(mut desk) = self.borrow_desk(context.space) else {
            return false;
        };
        desk.path.clear();
        let path = &mut desk.path;
        let found = desk.planner.plan(context, trip.from, trip.goal, path) == Planned::Path;
        if found {
            trip.keep(context.space, path.iter().copied());
        }
        self.state().free.push(desk);
        found
    }

    fn map_changed(&self, map: &Map, changes: &ChangeSet) {
        self.advance_repair(map, Some(changes), 0);
    }

    fn mend(&self, map: &Map, operations: u64) -> bool {
        self.advance_repair(map, None, operations)
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Relaxed)
    }

    fn replace_index(&self, index: &Arc<dyn Index>) {
        let mut state = self.state();
        let known = state.newest.as_ref();
        if known.is_none_or(|known| !Arc::ptr_eq(known, index)) {
            state.newest = Some(index.clone());
            state.indexes.replace(index.clone());
            state.free.clear();
            self.is_ready.store(true, Ordering::Relaxed);
        }
    }
}

/// A crowd of walkers that one guide leads.
pub(crate) fn guided_crowd(
    map: &Map,
    options: Options,
    guide: impl Guide + 'static,
) -> Box<dyn AnyCrowd> {
    let guide = Arc::new(guide);
    let (told, mended) = (guide.clone(), guide.clone());
    let recruit = move |_: &Map| Ok(RunWalker::new(guide.clone()));
    let mut squad = Squad::new(map.clone(), options, recruit);
    squad.tell(move |map, changes| told.map_changed(map, changes));
    squad.mend(move |map, operations| mended.mend(map, operations));
    Box::new(squad)
}
