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
//! **Nobody builds or searches beyond a slice in a move.** An agent alone that finds its old path blocked searches for
//! [`SLICE`] expansions in the memory of its thread. Where that does not do it walks a little of the old path, and goes on
//! from where that ends: in one search that lasts from move to move and that all agents of the world share. Until the graph
//! is repaired, each move carries the repair on for a slice. In crowds the repair is part of a tick, and plans are made whole,
//! in turns under the crowd's budget.

use super::jump::Live;
use crate::agent::follower::{Ask, Effort, Follower, Found, Guide};
use crate::agent::trail::{LongTrail, ShortTrail, Trail};
use crate::agent::{Agent, Context, Meter};
use crate::crowd::{MadeCrowd, Options, guided_crowd};
use crate::grid::{Cell, Point};
use crate::index::jump::JumpGraph;
use crate::index::labels::{CornerLabels, HubOrder};
use crate::index::slot::{Companion, Reader, Slot};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::search::climb::Ground;
use crate::search::jps::{JumpSearch, PathRuns, Run, Status};
use crate::world::World;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Expansions of jump points in one move, while a way round a new wall is looked for.
pub const SLICE: u64 = 256;
/// Operations of one move for the repair of the jump-point graph: each takes about as long as a quarter of an expansion.
const REPAIR_SLICE: u64 = 1024;
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
    standing: Standing,
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
/// What the guide notes down of a follower: it waits for the repair of the graph, or for the search that all share.
const REPAIRS: u32 = 1;
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
        let graph = Live::new(match is_open {
            true => JumpGraph::of_scans(&open, labels.scans().clone()),
            false => JumpGraph::build(map),
        });
        graph.follow(map, u64::MAX);
        let mut shared = SharedSearch::default();
        graph.with(map, |graph| shared.search.reserve(graph));
        Ok(LabelGuide {
            known: Mutex::new(Known {
                reader,
                seen: !map.fingerprint(),
                standing: Standing::Unknown,
            }),
            graph,
            shared: Mutex::new(shared),
        })
    }

    /// The newest labels, and how they stand to the map.
    fn labels(&self, map: &Map) -> (Arc<CornerLabels>, Standing) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.reader.refresh() || known.seen != map.fingerprint() {
            known.seen = map.fingerprint();
            known.standing = stands(known.reader.index().state(), map);
        }
        (known.reader.index().clone(), known.standing)
    }

    fn shared(&self) -> MutexGuard<'_, SharedSearch> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the labels, and puts their path behind the trail if it is free and so a shortest one. Otherwise says how much of it
    /// is free.
    fn ask_labels<T: Trail>(
        &self,
        context: &mut Context<Map>,
        ask: &Ask,
        trail: &mut T,
    ) -> Result<(), ShortTrail> {
        let map = context.space;
        let (labels, standing) = self.labels(map);
        if standing == Standing::Unknown {
            return Err(ShortTrail::default());
        }
        let query = &mut context.scratch.labels;
        let (from, goal) = ends(map, ask);
        let path = query.path(&labels, from, goal);
        let answer = match path {
            None => Err(ShortTrail::default()),
            Some(path) if standing == Standing::Current => {
                trail.extend(path.runs().iter().copied());
                Ok(())
            }
            Some(path) => match first_blocked(map, &path, &mut context.meter.climb_steps) {
                None => {
                    trail.extend(path.runs().iter().copied());
                    Ok(())
                }
                Some(free) => Err(first_steps(path.runs(), free.min(WALKED_MEANWHILE))),
            },
        };
        context.meter.look_ups += query.operations() + scanned(map);
        answer
    }

    /// Searches the jump-point graph to the end.
    fn search<T: Trail>(&self, context: &mut Context<Map>, ask: &Ask, trail: &mut T) -> Found {
        let search = &mut context.scratch.jump;
        let ends = ends(context.space, ask);
        let found = self.graph.with(context.space, |graph| {
            search.begin(graph, context.space, ends.0, ends.1);
            search.advance(graph, u64::MAX);
            context.meter.expansions += search.expansions();
            take_path(search, graph, trail)
        });
        found.unwrap_or(Found::Later)
    }

    /// Searches the jump-point graph for a slice, in the memory of the thread.
    fn try_search<T: Trail>(&self, context: &mut Context<Map>, ask: &Ask, trail: &mut T) -> Found {
        let (from, goal) = ends(context.space, ask);
        let found = self.graph.with(context.space, |graph| {
            let search = &mut context.scratch.jump;
            search.begin(graph, context.space, from, goal);
            search.advance(graph, SLICE);
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
        let found = self.graph.with(map, |graph| {
            let mut shared = self.shared();
            shared.go_on(context, graph, problem);
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

    /// A plan in slices: the labels and a short search first, then what goes on from move to move.
    fn plan_slice<T: Trail>(
        &self,
        context: &mut Context<Map>,
        ask: &mut Ask,
        trail: &mut T,
    ) -> Found {
        let map = context.space;
        let mut free = ShortTrail::default();
        if ask.note == 0 {
            match self.ask_labels(context, ask, trail) {
                Ok(()) => return Found::Way,
                Err(prefix) => free = prefix,
            }
        }
        if !self.graph.is_current(map) {
            context.meter.climb_steps += REPAIR_SLICE;
            if !self.graph.follow_in_move(map, REPAIR_SLICE) {
                trail.extend(free.ahead());
                ask.note = REPAIRS;
                return Found::Later;
            }
        }
        let found = match ask.note {
            SHARES => self.share_search(context, ask, trail),
            _ => self.try_search(context, ask, trail),
        };
        ask.note = match found {
            Found::Later => SHARES,
            _ => 0,
        };
        if found == Found::Later {
            trail.extend(free.ahead());
        }
        found
    }
}

/// Steps of a blocked path that are walked while a way round is looked for.
const WALKED_MEANWHILE: u32 = 16;

fn stands(state: u64, map: &Map) -> Standing {
    if state == map.fingerprint() {
        Standing::Current
    } else if state == map.open_fingerprint() || map.news_since(state) == Some(News::Walls) {
        Standing::Walls
    } else {
        Standing::Unknown
    }
}

fn ends(map: &Map, ask: &Ask) -> (Point, Point) {
    (map.grid().point(ask.from), map.grid().point(ask.goal))
}

/// How many steps of a path are free, where not all of them are; counts the runs that were measured.
fn first_blocked(map: &Map, path: &PathRuns, measured: &mut u64) -> Option<u32> {
    let (mut at, mut free) = (path.start(), 0);
    for run in path.runs() {
        *measured += 1;
        let steps = map.run(at, run.direction, run.steps);
        free += steps;
        if steps < run.steps {
            return Some(free);
        }
        at = crate::grid::scan::moved(at, run.direction, run.steps);
    }
    None
}

/// The first so many steps of a path.
fn first_steps(runs: &[Run], mut steps: u32) -> ShortTrail {
    let mut first = ShortTrail::default();
    first.keep(runs.iter().map_while(|run| {
        let taken = run.steps.min(steps);
        steps -= taken;
        (taken > 0).then_some(Run {
            steps: taken,
            ..*run
        })
    }));
    first
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
    fn go_on(&mut self, context: &mut Context<Map>, graph: &JumpGraph, problem: Problem) {
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
            (self.problem, self.unclaimed) = (Some(problem), 0);
        }
        let before = if is_void { 0 } else { self.search.expansions() };
        if is_void || self.search.status() == Status::Running {
            self.search.advance(graph, SLICE);
            context.meter.expansions += self.search.expansions() - before;
        }
    }
}

impl Companion for LabelGuide {
    fn follow(&self, map: &Map, operations: u64) -> bool {
        self.graph.follow(map, operations)
    }
}

impl Guide for LabelGuide {
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found {
        if ask.effort == Effort::Slice {
            return self.plan_slice(context, ask, trail);
        }
        match self.ask_labels(context, ask, trail) {
            Ok(()) => Found::Way,
            Err(_) => self.search(context, ask, trail),
        }
    }

    fn follow(&self, map: &Map, operations: u64) -> bool {
        self.graph.follow(map, operations)
    }

    /// Two between any two of the corners on the ways from both ends to a hub, twice as many for ways round new walls.
    fn max_runs(&self, map: &Map) -> usize {
        let chain = self.labels(map).0.measures().longest_chain;
        8 * (chain as usize + 2)
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        let measures = self.labels(map).0.measures();
        let query = measures.operations_bound() + scanned(map);
        // A path bends at corners alone, with two runs between two of them; each run is measured once.
        let measuring = 4 * (measures.longest_chain + 2);
        Some(query + measuring + REPAIR_SLICE + SLICE + 1)
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        let measures = self.labels(map).0.measures();
        let work = Meter {
            expansions: SLICE + 1,
            trace_steps: 0,
            climb_steps: 4 * (measures.longest_chain + 2) + REPAIR_SLICE,
            look_ups: measures.operations_bound() + scanned(map),
        };
        Some(work.weighted())
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
