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

mod pieces;
mod shared_search;
mod standing;

use super::jump::Live;
use crate::agent::follower::Follower;
use crate::agent::guide::{Ask, Bound, Carry, Effort, Found, Guide};
use crate::agent::trail::{LongTrail, Trail};
use crate::agent::{Agent, Context, KNOWN_JUMP_POINT, MEASURED_RUN, Meter, WEIGHTS};
use crate::crowd::{MadeCrowd, Options, guided_crowd};
use crate::grid::Point;
use crate::index::jump::JumpGraph;
use crate::index::labels::{CornerLabels, HubOrder, WaysTo};
use crate::index::slot::{Companion, Reader, Slot};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::search::jps::{JumpSearch, JumpSpace, Status};
use crate::world::World;
use pieces::{LABELS_A_MOVE, PIECE, Piece, next_piece};
use shared_search::{OldWays, Problem, SharedSearch, left_of};
use standing::{Asked, Known, Standing, look_along};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A slice is this part of what a query may take: about as much as the worst queries do take.
const SLICE_PART: u64 = 3;
/// Weighted operations of a slice where that is less: a search must get on.
const MIN_SLICE: u64 = 3_200;
/// Runs of a path from old labels whose cells a move looks at: the rest waits for the next move.
const MEASURED_A_MOVE: u32 = 24;

/// Plans for all followers of labels on one world.
#[derive(Debug)]
pub struct LabelGuide {
    known: Mutex<Known>,
    graph: Live<JumpGraph>,
    shared: Mutex<SharedSearch>,
}

/// What the guide notes down of a follower: it has to search, or waits for the search that all share.
const SEARCHES: u32 = 1;
const SHARES: u32 = 2;
/// Above these: how often the graph was found in step with a map that had changed again by then.
const BEHIND: u32 = 1 << 8;
/// A follower that has seen that so often searches the graph as it is: the map never rests.
const RESTLESS: u32 = 8 * BEHIND;
/// This bit: as many runs of the labels' path as the low half says are free on the map whose fingerprint begins like the bits between.
const MEASURES: u32 = 1 << 31;

impl LabelGuide {
    /// What the followers of labels on this world share, made by the first of them.
    pub fn of(slot: &Arc<Slot>, map: &Map) -> Result<Arc<LabelGuide>, String> {
        slot.companion(map, || LabelGuide::new(slot, map))
    }

    fn new(slot: &Arc<Slot>, map: &Map) -> Result<LabelGuide, String> {
        let reader = Reader::<CornerLabels>::new(slot).ok_or("the index holds no labels")?;
        let labels = reader.index();
        // The graph is there before the first change, so that no move has to build it.
        let graph = match slot.take_prepared() {
            // Upkeep and moves bring it in step.
            Some(prepared) => Live::reserved(prepared),
            None => {
                let graph = Live::reserved(Self::graph_of(labels, map));
                graph.follow(map, u64::MAX);
                graph
            }
        };
        let mut shared = SharedSearch::default();
        graph.look(|graph| shared.reserve(graph));
        let mut known = Known::new(reader);
        known.look(map);
        Ok(LabelGuide {
            known: Mutex::new(known),
            graph,
            shared: Mutex::new(shared),
        })
    }

    fn graph_of(labels: &CornerLabels, map: &Map) -> JumpGraph {
        let open = map.with_doors_open();
        match labels.state() == open.fingerprint() {
            true => JumpGraph::of_scans(&open, labels.scans().clone()),
            false => JumpGraph::plain(map),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest labels, and how they stand to the map.
    fn labels(&self, map: &Map) -> (Arc<CornerLabels>, Standing) {
        let mut known = self.known();
        known.look_a_little(map);
        (known.reader.index().clone(), known.standing(map))
    }

    fn shared(&self) -> MutexGuard<'_, SharedSearch> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the labels, and puts their path behind the trail if it is free and so a shortest one. On a changed map these runs are
    /// looked at, those before them having been; whether they do where there are more.
    fn ask_labels<T: Trail>(
        &self,
        context: &mut Context<Map>,
        ask: &Ask,
        (runs, do_these): (Range<usize>, bool),
        trail: &mut T,
    ) -> Asked {
        let map = context.space;
        let (labels, standing) = self.labels(map);
        if standing == Standing::Unknown {
            return Asked::Blocked;
        }
        let query = &mut context.scratch.labels;
        let (from, goal) = ends(map, ask);
        let mut asked = Asked::Blocked;
        if let Some(path) = query.path(&labels, from, goal) {
            asked = match standing {
                Standing::Current => Asked::Free,
                _ => look_along(map, &path, runs, &mut context.meter.climb_steps),
            };
            if asked == Asked::Free || do_these && asked == Asked::FreeSoFar {
                trail.extend(path.runs().iter().copied());
            }
        }
        context.meter.look_ups += query.operations() + labels.measures().begun();
        asked
    }

    /// Asks labels of the map as it is for the next piece of the way; `None` where they are not, and where a piece is all of it anyway.
    fn ask_for_piece<T: Trail>(
        &self,
        context: &mut Context<Map>,
        ask: &mut Ask,
        trail: &mut T,
    ) -> Option<Piece> {
        let is_whole = ask.effort == Effort::Whole && T::HOLDS_ALL;
        let (labels, standing) = self.labels(context.space);
        let has_pieces = standing == Standing::Current && !is_whole && labels.knows_all();
        has_pieces.then(|| next_piece(context, &labels, ask, trail))
    }

    /// What the labels know of the ways to a goal round walls that went up since they were built.
    fn known_ways(&self, context: &mut Context<Map>, goal: Point) -> OldWays {
        let (labels, standing) = self.labels(context.space);
        if standing == Standing::Unknown {
            return OldWays::default();
        }
        let query = &mut context.scratch.labels;
        let ways = WaysTo::new(&labels, goal, query);
        context.meter.look_ups += query.operations();
        OldWays(ways)
    }

    /// Searches the jump-point graph to the end.
    fn search<T: Trail>(&self, context: &mut Context<Map>, ask: &Ask, trail: &mut T) -> Found {
        let ends = ends(context.space, ask);
        let known = self.known_ways(context, ends.1);
        let search = &mut context.scratch.jump;
        let found = self.graph.with(context.space, |graph| {
            search.begin_with(graph, context.space, ends, &known);
            context.meter.climb_steps += search.reached() as u64;
            search.advance_with(graph, u64::MAX, &known);
            context.meter.expansions += known.point_cost() * search.expansions();
            take_path(search, graph, trail)
        });
        found.unwrap_or(Found::Later)
    }

    /// Searches the jump-point graph for a slice, in the memory of the thread.
    fn try_search<T: Trail>(&self, context: &mut Context<Map>, ask: &Ask, trail: &mut T) -> Found {
        let ends = ends(context.space, ask);
        let slice = self.slice();
        let before = context.meter.look_ups;
        let known = self.known_ways(context, ends.1);
        let left = left_of(slice, context.meter.look_ups - before);
        let found = self
            .graph
            .with_repaired(context.space, |graph, is_current| {
                if !sees_both(graph, ends) {
                    return Found::Nothing;
                }
                let search = &mut context.scratch.jump;
                search.begin_in_slices(graph, context.space, ends);
                search.advance_with(graph, left / known.point_cost(), &known);
                context.meter.expansions += known.point_cost() * search.expansions();
                of_state(take_path(search, graph, trail), is_current)
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
        let slice = self.slice();
        let found = self.graph.with_repaired(map, |graph, is_current| {
            let problem = Problem {
                from: ask.from,
                goal: ask.goal,
                state: graph.state(),
            };
            let mut shared = self.shared();
            if let Some((found, state)) = shared.collect(problem, trail) {
                return of_state(found, state == map.fingerprint());
            }
            let (from, goal) = ends(map, ask);
            if !sees_both(graph, (from, goal)) {
                return Found::Nothing;
            }
            shared.go_on(context, graph, problem, slice, |context| {
                self.known_ways(context, goal)
            });
            if shared.problem != Some(problem) {
                shared.put_aside(graph);
                return Found::Later;
            }
            let found = take_path(&mut shared.search, graph, trail);
            if found != Found::Later {
                shared.forget();
            }
            of_state(found, is_current)
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
            Standing::Walls => ask.note == 0 || ask.note & MEASURES != 0,
            Standing::Unknown => false,
        };
        if asks_labels && let Some(piece) = self.ask_for_piece(context, ask, trail) {
            return match piece {
                Piece::Laid => Found::Way,
                Piece::Later => Found::Later,
                Piece::NoWay => {
                    ask.note = SEARCHES;
                    Found::Later
                }
            };
        }
        // What was kept of a way of other labels would stand in the place of the notes below.
        ask.carry = Carry::default();
        if asks_labels {
            let first = measured_runs(ask.note, map);
            let runs = first as usize..(first + MEASURED_A_MOVE) as usize;
            // The map has changed again before the whole path was looked at: the follower goes by what is free of it.
            let is_restless = first == 0 && ask.note & MEASURES != 0;
            let (note, found) = match self.ask_labels(context, ask, (runs, is_restless), trail) {
                Asked::Free => (0, Found::Way),
                Asked::Blocked => (SEARCHES, Found::Later),
                Asked::FreeSoFar if is_restless => (0, Found::OldWay),
                Asked::FreeSoFar => (measured_note(first + MEASURED_A_MOVE, map), Found::Later),
            };
            ask.note = note;
            return found;
        }
        let is_current = self.graph.is_current(map);
        let (behind, what) = (ask.note / BEHIND * BEHIND, ask.note % BEHIND);
        let is_repaired = is_current || self.graph.with_repaired(map, |_, _| ()).is_some();
        let may_search = is_current || is_repaired && behind >= RESTLESS;
        if !may_search {
            let slice = self.slice();
            context.meter.climb_steps += slice.climb_steps;
            self.graph.follow(map, slice.climb_steps);
            let again = if is_repaired { BEHIND } else { 0 };
            ask.note = SEARCHES | (behind + again).min(RESTLESS);
            return Found::Later;
        }
        let found = match what {
            SHARES => self.share_search(context, ask, trail),
            _ => self.try_search(context, ask, trail),
        };
        ask.note = match found {
            Found::Later => SHARES | behind,
            _ => 0,
        };
        match found {
            // There may be a way on the map as it is: the graph is brought nearer to it first.
            Found::Nothing if !is_current => {
                ask.note = SEARCHES | (RESTLESS - BEHIND);
                Found::Later
            }
            found => found,
        }
    }

    /// How far a move goes with a search, or with a repair.
    fn slice(&self) -> Meter {
        let query = query_bound(self.known().reader.index());
        let weighted = (query / SLICE_PART).max(MIN_SLICE);
        Meter {
            expansions: weighted / WEIGHTS.expansions,
            climb_steps: weighted / WEIGHTS.climb_steps,
            ..Meter::default()
        }
    }
}

/// Weighted operations of a query, at most.
fn query_bound(labels: &CornerLabels) -> u64 {
    labels.measures().operations_bound() * WEIGHTS.look_ups
}

/// What is noted down of a path that this many runs of have been looked at. One of more runs than fit is looked at from its start.
fn measured_note(runs: u32, map: &Map) -> u32 {
    let state = (map.fingerprint() as u32 & 0x7fff) << 16;
    MEASURES | state | if runs <= 0xffff { runs } else { 0 }
}

/// How many runs of the path are known to be free, on the map as it is.
fn measured_runs(note: u32, map: &Map) -> u32 {
    let runs = note & 0xffff;
    if note & MEASURES != 0 && note == measured_note(runs, map) {
        runs
    } else {
        0
    }
}

fn ends(map: &Map, ask: &Ask) -> (Point, Point) {
    (map.grid().point(ask.from), map.grid().point(ask.goal))
}

/// Whether a graph, which may be of an older state of the map, is of one on which both ends are passable.
fn sees_both(graph: &JumpGraph, (from, goal): (Point, Point)) -> bool {
    let scans = JumpSpace::scans(graph);
    scans.is_passable(from) && scans.is_passable(goal)
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

/// What was found on a graph of the map as it is, or of an older state of it.
fn of_state(found: Found, is_current: bool) -> Found {
    match found {
        Found::Way if !is_current => Found::OldWay,
        found => found,
    }
}

impl Companion for LabelGuide {
    /// The search that agents share is carried on, first of all: on a map that changes all the time the graph would never stay as it is for long enough.
    fn follow(&self, map: &Map, operations: u64) -> bool {
        self.known().look(map);
        let expansions = operations.saturating_mul(WEIGHTS.climb_steps) / WEIGHTS.expansions;
        self.graph.with_repaired(map, |graph, _| {
            self.shared().help(graph, expansions);
        });
        if !self.graph.is_current(map) {
            let is_done = self.graph.follow(map, operations);
            // It may have grown: moves that search it find room.
            self.graph.with(map, |graph| {
                let mut shared = self.shared();
                shared.forget();
                shared.reserve(graph);
            });
            return is_done;
        }
        true
    }
}

impl Guide for LabelGuide {
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found {
        if ask.effort == Effort::Slice {
            return self.plan_slice(context, ask, trail);
        }
        let is_laid = match self.ask_for_piece(context, ask, trail) {
            Some(piece) => piece == Piece::Laid,
            None => {
                ask.carry = Carry::default();
                self.ask_labels(context, ask, (0..usize::MAX, false), trail) == Asked::Free
            }
        };
        match is_laid {
            true => Found::Way,
            false => self.search(context, ask, trail),
        }
    }

    fn is_current(&self, map: &Map) -> bool {
        self.labels(map).1 == Standing::Current
    }

    /// Labels know ways as long as nothing has opened since they were built, whether the graph is in step or not.
    fn is_ready(&self, map: &Map) -> bool {
        self.graph.is_current(map) || self.labels(map).1 != Standing::Unknown
    }

    /// The repair itself is part of the slot's upkeep.
    fn follow(&self, map: &Map, _operations: u64) -> bool {
        self.known().look(map);
        self.graph.is_current(map)
    }

    /// Two runs between any two of the corners on the ways from both ends to a hub, twice as many for ways round new walls. Agents alone repair
    /// the graph themselves: it has room for that again.
    fn prepare(&self, context: &mut Context<Map>, effort: Effort) -> usize {
        let (labels, _) = self.labels(context.space);
        if effort == Effort::Slice {
            self.graph.make_room();
            let mut shared = self.shared();
            if shared.problem.is_none() {
                self.graph.look(|graph| shared.reserve(graph));
            }
        }
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
        let runs = match effort {
            Effort::Slice => u64::from(MEASURED_A_MOVE),
            Effort::Whole => 4 * (labels.measures().longest_chain + 2),
        };
        let is_current = standing == Standing::Current;
        let measures = labels.measures();
        let look_ups = match (is_current, effort) {
            (true, Effort::Slice) => measures.slice_bound(LABELS_A_MOVE, PIECE),
            _ => measures.operations_bound(),
        };
        let query = Bound::of(Meter {
            look_ups,
            climb_steps: if is_current { 0 } else { runs * MEASURED_RUN },
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
                expansions: KNOWN_JUMP_POINT * (edges + points + 1),
                climb_steps: points,
                ..Meter::default()
            });
            return Some(query.then(search));
        }
        let Meter {
            expansions,
            climb_steps,
            ..
        } = self.slice();
        // The start of a search, and what is lost by rounding.
        let search = Bound::of(Meter {
            expansions: expansions + 2 * KNOWN_JUMP_POINT,
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
pub(crate) static LABELS: Algorithm = Algorithm {
    name: "labels",
    about: "optimal paths from corner labels: the first move within a published bound, then one operation a move",
    keys: &[
        (
            "order",
            "order of hubs: coverage (default), betweenness or degree",
        ),
        ("max-bytes", "refuse to build labels that take more bytes"),
        (
            "fit-bytes",
            "labels of as many hubs as so many bytes have room for, a search for the rest",
        ),
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
        let expected = "a number of bytes above 0";
        let fit_bytes = text.value("fit-bytes", 0u64, expected, |bytes| *bytes > 0)?;
        if fit_bytes > 0 {
            request = request.with("fit-bytes", fit_bytes);
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
    Ok(guided_agent(LabelGuide::of(slot, map)?))
}

/// An agent of its own that such a guide leads.
pub(super) fn guided_agent(guide: Arc<LabelGuide>) -> Box<dyn Agent<Map>> {
    let follower: Follower<_, LongTrail> = Follower::new(guide);
    Box::new(follower)
}

#[cfg(test)]
mod tests;
