//! `labels`: optimal paths from corner labels within a published number of operations a move, also on maps that change.
//!
//! A [`LabelGuide`] plans for all followers of a world. While the labels are of the map as it is, a plan is a query. After a
//! change they go on serving:
//!
//! - **Walls only lengthen.** A path that the old labels give and that is still free is still a shortest one
//!   (chapter 17.3.1 says as much of tables built for the empty map). Closed doors are such walls, for ever.
//! - Where the old path is blocked, and where cells have opened, the jump-point graph is searched. It is repaired where it
//!   stands, once for all followers of a world, and the path found is a shortest one.
//!
//! **Nobody builds or searches beyond a slice in a move.** A move asks the labels, or carries the repair of the graph on, or
//! searches it, and none of these takes longer than a query does at worst: so what a move costs at most is about the same before
//! and after a change. An agent alone that finds the labels' path blocked searches with its next moves: for a slice in the memory of its
//! thread, and where that does not do, in one search that lasts from move to move and that all agents of the world share. In
//! crowds the repair is part of a tick, and plans are made whole, in turns under the crowd's budget.

use super::jump::{Live, MAX_CHANGES};
use crate::agent::follower::{Ask, Bound, Effort, Follower, Found, Guide};
use crate::agent::trail::{LongTrail, Trail};
use crate::agent::{Agent, Context, Meter, WEIGHTS};
use crate::crowd::{MadeCrowd, Options, guided_crowd};
use crate::grid::{Cell, ChangeSet, Point};
use crate::index::jump::JumpGraph;
use crate::index::labels::{CornerLabels, HubOrder};
use crate::index::slot::{Companion, Reader, Slot};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::search::climb::Ground;
use crate::search::jps::{JumpSearch, PathRuns, Status};
use crate::world::World;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A slice is this part of what a query may take: about as much as the worst queries do take.
const SLICE_PART: u64 = 3;
/// Weighted operations of a slice where that is less: a search must get on.
const MIN_SLICE: u64 = 3_200;
/// What a query scans for the corners that its ends see, beyond the operations that it counts, takes as long as an operation for
/// so many cells of the map's width and height: measured on a map of 5102 x 3802 cells, where that makes 600.
const CELLS_AN_OPERATION: u64 = 15;

/// Operations that a query's scans take.
fn scanned(map: &Map) -> u64 {
    let (width, height) = (map.grid().width(), map.grid().height());
    (u64::from(width) + u64::from(height)).div_ceil(CELLS_AN_OPERATION)
}

/// Plans for all followers of labels on one world.
#[derive(Debug)]
pub struct LabelGuide {
    known: Mutex<Known>,
    graph: Live<JumpGraph>,
    shared: Mutex<SharedSearch>,
}

/// The newest labels, and how they stand to a map.
#[derive(Clone, Debug)]
struct Known {
    reader: Reader<CornerLabels>,
    /// The map that was looked at last.
    seen: u64,
    /// How many of its cells are passable that were walls when the labels were built; `None` where nobody has counted them.
    opened: Option<u64>,
}

/// How labels stand to the map as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// They are of it.
    Current,
    /// Walls went up since: their paths are shortest where they are free.
    Walls,
    /// They know nothing for certain.
    Unknown,
}

/// A search that goes on from move to move.
#[derive(Debug, Default)]
struct SharedSearch {
    search: JumpSearch,
    problem: Option<Problem>,
    /// Slices since the owner asked last: one that never comes back loses its search.
    unclaimed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Problem {
    from: Cell,
    goal: Cell,
    state: u64,
}

/// Slices that a finished search waits for its owner.
const MAX_UNCLAIMED: u32 = 256;
/// What the guide notes down of a follower: it has to search, or waits for the search that all share.
const SEARCHES: u32 = 1;
const SHARES: u32 = 2;

impl LabelGuide {
    /// What the followers of labels on this world share, made by the first of them.
    pub fn of(slot: &Arc<Slot>, map: &Map) -> Result<Arc<LabelGuide>, String> {
        slot.companion(map, || LabelGuide::new(slot, map))
    }

    fn new(slot: &Arc<Slot>, map: &Map) -> Result<LabelGuide, String> {
        let reader = Reader::<CornerLabels>::new(slot).ok_or("the index holds no labels")?;
        let labels = reader.index();
        // The graph is there before the first change, so that no move has to build it.
        let open = map.with_doors_open();
        let is_open = labels.state() == open.fingerprint();
        let graph = Live::reserved(match is_open {
            true => JumpGraph::of_scans(&open, labels.scans().clone()),
            false => JumpGraph::build(map),
        });
        graph.follow(map, u64::MAX);
        let mut shared = SharedSearch::default();
        graph.with(map, |graph| shared.search.reserve(graph));
        let mut known = Known {
            seen: labels.state(),
            opened: Some(0),
            reader,
        };
        known.look(map, usize::MAX);
        Ok(LabelGuide {
            known: Mutex::new(known),
            graph,
            shared: Mutex::new(shared),
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest labels, and how they stand to the map.
    fn labels(&self, map: &Map) -> (Arc<CornerLabels>, Standing) {
        let mut known = self.known();
        known.look(map, MAX_CHANGES);
        (known.reader.index().clone(), known.standing(map))
    }

    fn shared(&self) -> MutexGuard<'_, SharedSearch> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the labels, and puts their path behind the trail if it is free and so a shortest one.
    fn ask_labels<T: Trail>(&self, context: &mut Context<Map>, ask: &Ask, trail: &mut T) -> bool {
        let map = context.space;
        let (labels, standing) = self.labels(map);
        if standing == Standing::Unknown {
            return false;
        }
        let query = &mut context.scratch.labels;
        let (from, goal) = ends(map, ask);
        let mut is_free = false;
        if let Some(path) = query.path(&labels, from, goal) {
            let measured = &mut context.meter.climb_steps;
            is_free = standing == Standing::Current || is_path_free(map, &path, measured);
            if is_free {
                trail.extend(path.runs().iter().copied());
            }
        }
        context.meter.look_ups += query.operations() + scanned(map);
        is_free
    }

    /// Searches the jump-point graph to the end.
    fn search<T: Trail>(&self, context: &mut Context<Map>, ask: &Ask, trail: &mut T) -> Found {
        let search = &mut context.scratch.jump;
        let ends = ends(context.space, ask);
        let found = self.graph.with(context.space, |graph| {
            search.begin(graph, context.space, ends.0, ends.1);
            context.meter.climb_steps += search.reached() as u64;
            search.advance(graph, u64::MAX);
            context.meter.expansions += search.expansions();
            take_path(search, graph, trail)
        });
        found.unwrap_or(Found::Later)
    }

    /// Searches the jump-point graph for a slice, in the memory of the thread.
    fn try_search<T: Trail>(&self, context: &mut Context<Map>, ask: &Ask, trail: &mut T) -> Found {
        let (from, goal) = ends(context.space, ask);
        let slice = self.slice(context.space);
        let found = self.graph.with(context.space, |graph| {
            let search = &mut context.scratch.jump;
            search.begin(graph, context.space, from, goal);
            let left = after_start(&mut context.meter, slice, search);
            search.advance(graph, left);
            context.meter.expansions += search.expansions();
            take_path(search, graph, trail)
        });
        found.unwrap_or(Found::Later)
    }

    /// Goes on for a slice with the search that all share; where that was another's, with it all the same.
    fn share_search<T: Trail>(
        &self,
        context: &mut Context<Map>,
        ask: &Ask,
        trail: &mut T,
    ) -> Found {
        let map = context.space;
        let problem = Problem {
            from: ask.from,
            goal: ask.goal,
            state: map.fingerprint(),
        };
        let slice = self.slice(map);
        let found = self.graph.with(map, |graph| {
            let mut shared = self.shared();
            shared.go_on(context, graph, problem, slice);
            if shared.problem != Some(problem) {
                return Found::Later;
            }
            let found = take_path(&mut shared.search, graph, trail);
            if found != Found::Later {
                shared.problem = None;
            }
            found
        });
        found.unwrap_or(Found::Later)
    }

    /// A plan in slices: the labels first, where they may know a way; then, move by move, the repair of the graph and a search.
    fn plan_slice<T: Trail>(
        &self,
        context: &mut Context<Map>,
        ask: &mut Ask,
        trail: &mut T,
    ) -> Found {
        let map = context.space;
        let standing = self.known().standing_after_look(map);
        let asks_labels = match standing {
            Standing::Current => true,
            Standing::Walls => ask.note == 0,
            Standing::Unknown => false,
        };
        if asks_labels {
            let is_known = self.ask_labels(context, ask, trail);
            ask.note = if is_known { 0 } else { SEARCHES };
            return if is_known { Found::Way } else { Found::Later };
        }
        if !self.graph.is_current(map) {
            let slice = self.slice(map);
            context.meter.climb_steps += slice.climb_steps;
            self.graph.follow_in_move(map, slice.climb_steps);
            ask.note = SEARCHES;
            return Found::Later;
        }
        let found = match ask.note {
            SHARES => self.share_search(context, ask, trail),
            _ => self.try_search(context, ask, trail),
        };
        ask.note = match found {
            Found::Later => SHARES,
            _ => 0,
        };
        found
    }

    /// How far a move goes with a search, or with a repair.
    fn slice(&self, map: &Map) -> Meter {
        let query = query_bound(self.known().reader.index(), map);
        let weighted = (query / SLICE_PART).max(MIN_SLICE);
        Meter {
            expansions: weighted / WEIGHTS.expansions,
            climb_steps: weighted / WEIGHTS.climb_steps,
            ..Meter::default()
        }
    }
}

/// Weighted operations of a query, at most.
fn query_bound(labels: &CornerLabels, map: &Map) -> u64 {
    labels.measures().operations_bound() + scanned(map)
}

impl Known {
    /// Takes the newest labels and counts what has opened since they were built, as long as no more cells have changed than this.
    fn look(&mut self, map: &Map, max_changes: usize) {
        if self.reader.refresh() {
            (self.seen, self.opened) = (self.reader.index().state(), Some(0));
        }
        let may_take_long = max_changes == usize::MAX;
        if self.seen == map.fingerprint() && (self.opened.is_some() || !may_take_long) {
            return;
        }
        let is_own = self.reader.index().state() == map.open_fingerprint();
        if is_own {
            (self.seen, self.opened) = (map.fingerprint(), Some(0));
            return;
        }
        let changes = map
            .patches_since(self.seen)
            .map(|patches| patches.map(|patch| patch.len()).sum());
        if changes.is_some_and(|changes: usize| changes > max_changes) {
            return;
        }
        self.opened = map.patches_since(self.seen).and_then(|mut patches| {
            patches.try_fold(self.opened?, |opened, patch| self.count(map, opened, patch))
        });
        if self.opened.is_none() && may_take_long {
            self.opened = Some(self.reader.index().scans().walls_open_in(map.grid()));
        }
        self.seen = map.fingerprint();
    }

    /// So many cells are open after a patch that were walls in the map of the labels.
    fn count(&self, map: &Map, opened: u64, patch: &ChangeSet) -> Option<u64> {
        let scans = self.reader.index().scans();
        let walls = |cells: &[Cell]| {
            let is_wall = |&&cell: &&Cell| !scans.is_passable(map.grid().point(cell));
            cells.iter().filter(is_wall).count() as u64
        };
        (opened + walls(&patch.opened)).checked_sub(walls(&patch.blocked))
    }

    fn standing_after_look(&mut self, map: &Map) -> Standing {
        self.look(map, MAX_CHANGES);
        self.standing(map)
    }

    fn standing(&self, map: &Map) -> Standing {
        if self.reader.index().state() == map.fingerprint() {
            Standing::Current
        } else if self.seen == map.fingerprint() && self.opened == Some(0) {
            Standing::Walls
        } else {
            Standing::Unknown
        }
    }
}

fn ends(map: &Map, ask: &Ask) -> (Point, Point) {
    (map.grid().point(ask.from), map.grid().point(ask.goal))
}

/// Whether all steps of a path are free; counts the runs that were measured.
fn is_path_free(map: &Map, path: &PathRuns, measured: &mut u64) -> bool {
    let mut at = path.start();
    path.runs().iter().all(|run| {
        *measured += 1;
        let steps = map.run(at, run.direction, run.steps);
        at = crate::grid::scan::moved(at, run.direction, run.steps);
        steps == run.steps
    })
}

/// Counts what the start of a search has seen, and says how many expansions are left of a slice. A start that sees more than a slice
/// is worth counts as a slice: none on the maps that were measured does.
fn after_start(meter: &mut Meter, slice: Meter, search: &JumpSearch) -> u64 {
    let seen = (search.reached() as u64).min(slice.climb_steps);
    meter.climb_steps += seen;
    (slice.climb_steps - seen) * WEIGHTS.climb_steps / WEIGHTS.expansions
}

/// Puts the path of a finished search behind the trail.
fn take_path<T: Trail>(search: &mut JumpSearch, graph: &JumpGraph, trail: &mut T) -> Found {
    match search.status() {
        Status::Running => Found::Later,
        Status::NotFound => Found::Nothing,
        Status::Found => {
            let path = search.found_path(graph);
            let runs = path.map_or(&[][..], |path| path.runs());
            trail.extend(runs.iter().copied());
            Found::Way
        }
    }
}

impl SharedSearch {
    /// Goes on with the search under way, whoever wants it, or begins one for this problem.
    fn go_on(
        &mut self,
        context: &mut Context<Map>,
        graph: &JumpGraph,
        problem: Problem,
        slice: Meter,
    ) {
        let mut expansions = slice.expansions;
        let map = context.space;
        let is_own = self.problem == Some(problem);
        self.unclaimed = if is_own { 0 } else { self.unclaimed + 1 };
        let is_void = self
            .problem
            .is_none_or(|other| other.state != problem.state)
            || self.unclaimed > MAX_UNCLAIMED;
        if is_void {
            let (from, goal) = (
                map.grid().point(problem.from),
                map.grid().point(problem.goal),
            );
            self.search.begin(graph, map, from, goal);
            expansions = after_start(&mut context.meter, slice, &self.search);
            (self.problem, self.unclaimed) = (Some(problem), 0);
        }
        let before = if is_void { 0 } else { self.search.expansions() };
        if is_void || self.search.status() == Status::Running {
            self.search.advance(graph, expansions);
            context.meter.expansions += self.search.expansions() - before;
        }
    }
}

impl Companion for LabelGuide {
    fn follow(&self, map: &Map, operations: u64) -> bool {
        self.known().look(map, usize::MAX);
        self.graph.follow(map, operations)
    }
}

impl Guide for LabelGuide {
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found {
        if ask.effort == Effort::Slice {
            return self.plan_slice(context, ask, trail);
        }
        match self.ask_labels(context, ask, trail) {
            true => Found::Way,
            false => self.search(context, ask, trail),
        }
    }

    /// The repair itself is part of the slot's upkeep.
    fn follow(&self, map: &Map, _operations: u64) -> bool {
        self.known().look(map, usize::MAX);
        self.graph.is_current(map)
    }

    /// Two runs between any two of the corners on the ways from both ends to a hub, twice as many for ways round new walls.
    fn prepare(&self, context: &mut Context<Map>) -> usize {
        let (labels, _) = self.labels(context.space);
        let scratch = &mut *context.scratch;
        scratch.labels.reserve(&labels);
        self.graph.look(|graph| scratch.jump.reserve(graph));
        8 * (labels.measures().longest_chain as usize + 2)
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn bound(&self, map: &Map, effort: Effort) -> Option<Bound> {
        let (labels, standing) = self.labels(map);
        // A path bends at corners alone, with two runs between two of them; each run is measured once.
        let runs = 4 * (labels.measures().longest_chain + 2);
        let is_current = standing == Standing::Current;
        let query = Bound::of(Meter {
            look_ups: query_bound(&labels, map),
            climb_steps: if is_current { 0 } else { runs },
            ..Meter::default()
        });
        if is_current {
            return Some(query);
        }
        if effort == Effort::Whole {
            // Every edge is a way to a point once, and those that the start sees.
            let (edges, points) = self
                .graph
                .look(|graph| (graph.edge_count() as u64, graph.points().len() as u64));
            let search = Bound::of(Meter {
                expansions: edges + points + 1,
                climb_steps: points,
                ..Meter::default()
            });
            return Some(query.then(search));
        }
        let Meter {
            expansions,
            climb_steps,
            ..
        } = self.slice(map);
        // The start of a search, and what is lost by rounding.
        let search = Bound::of(Meter {
            expansions: expansions + 2,
            ..Meter::default()
        });
        let repair = Bound::of(Meter {
            climb_steps: climb_steps + 2,
            ..Meter::default()
        });
        Some(query.or(search).or(repair))
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
        Ok(Box::new(LabelsFactory { request }))
    },
};

struct LabelsFactory {
    request: IndexRequest,
}

impl AgentFactory for LabelsFactory {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![self.request.clone()]
    }

    fn reads_slots(&self) -> bool {
        true
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        label_agent(&indexes.slot(map, &self.request)?, map)
    }

    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let guide = LabelGuide::of(&world.slot(&self.request)?, &world.map())?;
        Ok(Some(guided_crowd(world, options, guide)))
    }
}

/// An agent of its own that follows the labels in a slot.
pub(super) fn label_agent(slot: &Arc<Slot>, map: &Map) -> Result<Box<dyn Agent<Map>>, String> {
    let guide = LabelGuide::of(slot, map)?;
    let follower: Follower<_, LongTrail> = Follower::new(guide, Effort::Slice);
    Ok(Box::new(follower))
}

#[cfg(test)]
mod tests;
