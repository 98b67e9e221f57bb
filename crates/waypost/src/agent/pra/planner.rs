//! Plans a path in segments: a whole path on a coarse level, refined only as far as the next few nodes.
//!
//! Each level between the start level and the ground has a *lane*, a path of its nodes from where planning has come to.
//! The lane of the start level leads to the goal; each lower one leads through the next `k` nodes of the lane above. A
//! segment is planned by finding the lowest level whose lane still reaches far enough and searching downwards from
//! there: everything above is the cache that the paper asks for.
//!
//! With `slack`, PRA*(∞) searches the start level for all paths that are nearly best (`near`) and refines their nodes
//! straight to the ground: every level in between would narrow the corridor by costs that are only roughly right.

use super::corridor::{Aim, CellsInside, Corridor};
use super::lanes::{Lane, LoopWatch, catch_up, is_path};
use super::near::NearPaths;
use super::paged::{PagedNodes, PagedSet};
use super::{Meter, PraParams};
use crate::cost::UNREACHED;
use crate::grid::Cell;
use crate::heuristic::Octile;
use crate::hierarchy::{Hierarchy, Place};
use crate::map::Map;
use crate::open_list::{Buckets, BucketsOrHeap, OpenList};
use crate::search::Status;
use crate::search::best_first::{BestFirst, Surface};
use crate::search::nodes::NodeMemory;
use crate::search::pruning::Pruning;
use crate::search::surface::GridSurface;
use crate::trace::Event;

/// Ends that come together below this level are so near that the ground is searched at once, where a small share of the
/// level comes to none.
const LEAST_HEIGHT: u32 = 3;

/// How planning stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planning {
    /// The operations are used up: call again to go on.
    Unfinished,
    /// The next segment is ready.
    Segment,
    /// Segments lead all the way to the goal.
    Complete,
    /// There is no path.
    NoPath,
}

/// A search on one level, perhaps unfinished.
#[derive(Clone, Copy, Debug)]
struct Refinement {
    level: u32,
    aim: Aim,
    /// The level of the marked nodes that it stays below; `None` for no restriction.
    below: Option<u32>,
}

/// What planning is at.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// All nearly best paths of the start level.
    Near,
    Search(Refinement),
    /// The rest of the path on the ground: no other search is as long, and this one knows grids.
    Ground,
}

/// Plans for one walker. All memory is kept from problem to problem.
#[derive(Clone, Debug)]
pub struct PraPlanner {
    params: PraParams,
    search: BestFirst<PagedNodes<Cell>, BucketsOrHeap>,
    ground: BestFirst<PagedNodes<u8>, Buckets>,
    near: NearPaths,
    marked: PagedSet,
    /// Marked nodes in the order of marking.
    fringe: Vec<u32>,
    /// Entry `l` for level `l`; entry 0 is not used.
    lanes: Vec<Lane>,
    start_level: u32,
    goal: Cell,
    planned_to: Cell,
    under_way: Option<Work>,
    segment: Vec<Cell>,
    loop_watch: LoopWatch,
    /// Lanes are used up before they are searched again: slower progress in quality, certain progress in distance.
    strict: bool,
    most_expansions: u64,
    /// What was expanded, where somebody wants to know.
    events: Option<Vec<Event>>,
}

impl PraPlanner {
    /// A planner without a problem yet.
    pub fn new(params: PraParams) -> PraPlanner {
        PraPlanner {
            params,
            search: BestFirst::default(),
            ground: BestFirst::default(),
            near: NearPaths::new(),
            marked: PagedSet::default(),
            fringe: Vec::new(),
            lanes: Vec::new(),
            start_level: 0,
            goal: Cell::NONE,
            planned_to: Cell::NONE,
            under_way: None,
            segment: Vec::new(),
            loop_watch: LoopWatch::new(Cell::NONE),
            strict: false,
            most_expansions: 0,
            events: None,
        }
    }

    /// Keeps events from now on, or no longer.
    pub fn keep_events(&mut self, keep: bool) {
        if keep != self.events.is_some() {
            self.events = keep.then(Vec::new);
        }
    }

    /// The nodes expanded since the last call, if events are kept. Abstract nodes appear as one of their cells.
    pub fn take_events(&mut self) -> impl Iterator<Item = Event> + '_ {
        self.events.iter_mut().flat_map(|events| events.drain(..))
    }

    /// A new problem: nothing of the last one is kept.
    pub fn start(&mut self, hierarchy: &Hierarchy, map: &Map, from: Cell, goal: Cell) {
        self.goal = goal;
        self.planned_to = from;
        self.strict = false;
        self.most_expansions = 0;
        self.begin_lanes(hierarchy, map);
    }

    /// Plans from another cell, with nothing kept but the goal.
    fn begin_lanes(&mut self, hierarchy: &Hierarchy, map: &Map) {
        self.under_way = None;
        self.loop_watch = LoopWatch::new(self.planned_to);
        let meeting = hierarchy.meeting_level(map, self.planned_to, self.goal);
        let height = meeting.unwrap_or(0);
        self.start_level = height * self.params.start_percent.min(100) / 100;
        if height >= LEAST_HEIGHT && self.params.start_percent > 0 {
            self.start_level = self.start_level.max(1);
        }
        if self.lanes.len() <= self.start_level as usize {
            self.lanes
                .resize_with(self.start_level as usize + 1, Lane::default);
        }
        self.lanes.iter_mut().for_each(Lane::clear);
    }

    /// Another goal: lanes that lead towards it all the same are kept. Tells whether anything was.
    pub fn change_goal(&mut self, hierarchy: &Hierarchy, map: &Map, goal: Cell) -> bool {
        self.goal = goal;
        self.under_way = None;
        self.loop_watch = LoopWatch::new(self.planned_to);
        let level = self.start_level;
        let place = hierarchy.ancestor(goal, level);
        let kept = level > 0 && place.level == level && self.redirect(hierarchy, map, place.id);
        if !kept {
            self.begin_lanes(hierarchy, map);
        }
        kept
    }

    /// Cuts the uppermost lane where it passes the goal's ancestor or a neighbour of it, and drops what led further.
    fn redirect(&mut self, hierarchy: &Hierarchy, map: &Map, end: u32) -> bool {
        let level = self.start_level;
        let lane = &mut self.lanes[level as usize];
        let near = |&id: &u32| id == end || hierarchy.adjacent(map, level, id, end);
        let Some(cut) = lane.nodes[lane.at..].iter().position(near) else {
            return false;
        };
        lane.nodes.truncate(lane.at + cut + 1);
        if lane.nodes.last() != Some(&end) {
            lane.nodes.push(end);
        }
        self.drop_loose_lanes(hierarchy);
        true
    }

    /// Drops lanes that do not end under the lane above, or that led to a goal of the past.
    fn drop_loose_lanes(&mut self, hierarchy: &Hierarchy) {
        for level in (1..self.start_level as usize).rev() {
            let (below, above) = self.lanes.split_at_mut(level + 1);
            let (lane, upper) = (&mut below[level], &above[0]);
            let tail = lane.nodes.last().map(|&id| {
                let level = level as u32;
                hierarchy.parent(Place { level, id })
            });
            let fits = tail.is_some_and(|tail| upper.nodes[upper.at..].contains(&tail));
            let goal = hierarchy.ancestor(self.goal, level as u32).id;
            if !fits || lane.complete && lane.nodes.last() != Some(&goal) {
                lane.clear();
            }
        }
    }

    /// The map and its hierarchy have changed: lanes that still are paths to the same end are kept.
    pub fn map_changed(&mut self, hierarchy: &Hierarchy, map: &Map, planned_to: Cell) {
        self.under_way = None;
        self.planned_to = planned_to;
        self.loop_watch = LoopWatch::new(planned_to);
        for (level, lane) in self.lanes.iter_mut().enumerate().skip(1) {
            lane.searched_from = None;
            if !is_path(hierarchy, level as u32, &lane.nodes) {
                lane.clear();
            }
        }
        let level = self.start_level;
        let end = hierarchy.ancestor(self.goal, level);
        let lane = self.lanes.get(level as usize);
        let leads_on = lane.is_some_and(|lane| level > 0 && lane.nodes.last() == Some(&end.id));
        if leads_on && end.level == level {
            self.drop_loose_lanes(hierarchy);
        } else {
            self.begin_lanes(hierarchy, map);
        }
    }

    /// The cell up to which segments have been planned.
    pub fn planned_to(&self) -> Cell {
        self.planned_to
    }

    /// The cells of the last segment, without the one that it starts from.
    pub fn segment(&self) -> &[Cell] {
        &self.segment
    }

    /// Nodes held at most by a single search of this problem, and by the lanes now.
    pub fn states_in_memory(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|lane| lane.nodes.len()).sum();
        self.most_expansions as usize + lanes
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|l| l.nodes.capacity() * 4).sum();
        self.search.memory_bytes()
            + self.ground.memory_bytes()
            + self.near.memory_bytes()
            + self.marked.memory_bytes()
            + lanes
            + self.segment.capacity() * 4
    }

    /// Goes on planning for at most so many operations.
    pub fn advance(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        meter: &mut Meter,
        operations: u64,
    ) -> Planning {
        let end = meter.operations().saturating_add(operations);
        loop {
            if self.under_way.is_none() {
                if self.planned_to == self.goal {
                    return Planning::Complete;
                }
                let level = self.level_to_search(hierarchy, map);
                self.begin_refinement(hierarchy, map, level);
            }
            let left = end.saturating_sub(meter.operations());
            if left == 0 {
                return Planning::Unfinished;
            }
            match self.run(hierarchy, map, meter, left) {
                Status::Running => return Planning::Unfinished,
                Status::Found => {
                    if self.take_result(hierarchy, map, meter) {
                        self.watch_loops(hierarchy, map);
                        return Planning::Segment;
                    }
                }
                // A hierarchy of another revision than the map, if the agent was not told: search the ground alone.
                Status::NotFound if self.start_level > 0 => {
                    self.lanes.iter_mut().for_each(Lane::clear);
                    self.under_way = None;
                    self.start_level = 0;
                }
                Status::NotFound => return Planning::NoPath,
            }
        }
    }

    fn run(&mut self, hierarchy: &Hierarchy, map: &Map, meter: &mut Meter, pops: u64) -> Status {
        let (status, expansions, in_all) = match self.under_way {
            None => return Status::NotFound,
            Some(Work::Near) => return self.run_near(hierarchy, map, meter, pops),
            Some(Work::Search(refinement)) => {
                let corridor = corridor(hierarchy, map, &self.marked, refinement);
                // The node that ends a partial refinement is no place.
                let is_place = |cell| complete(refinement.aim) || cell != corridor.end();
                let show = |event| match event {
                    Event::Expanded { cell, .. } if is_place(cell) => {
                        Some(on_the_ground(hierarchy, refinement.level, event))
                    }
                    _ => None,
                };
                let (status, new) =
                    advance(&mut self.search, &corridor, pops, &mut self.events, show);
                (status, new, self.search.expansions())
            }
            Some(Work::Ground) => {
                let surface = ground(hierarchy, map, &self.marked, self.goal);
                let (status, new) =
                    advance(&mut self.ground, &surface, pops, &mut self.events, Some);
                (status, new, self.ground.expansions())
            }
        };
        meter.expansions += expansions;
        self.most_expansions = self.most_expansions.max(in_all);
        status
    }

    /// Finds the nodes of all nearly best paths, and marks them.
    fn run_near(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        meter: &mut Meter,
        pops: u64,
    ) -> Status {
        for _ in 0..pops {
            let step = self.near.step(hierarchy, map, self.params.slack);
            if let Some(event @ Event::Expanded { cell, .. }) = step.expanded {
                meter.expansions += 1;
                if step.wanted {
                    self.marked.insert(cell.0);
                    self.fringe.push(cell.0);
                }
                if let Some(events) = &mut self.events {
                    events.push(on_the_ground(hierarchy, self.start_level, event));
                }
            }
            if step.status != Status::Running {
                return step.status;
            }
        }
        Status::Running
    }

    /// The lowest level that can be searched now: the first below a lane that reaches far enough.
    fn level_to_search(&mut self, hierarchy: &Hierarchy, map: &Map) -> u32 {
        let mut level = 0;
        while level < self.start_level && !self.lane_serves(hierarchy, map, level + 1) {
            level += 1;
        }
        level
    }

    /// Does the lane of a level pass the planner's place and reach far enough ahead?
    fn lane_serves(&mut self, hierarchy: &Hierarchy, map: &Map, level: u32) -> bool {
        let place = hierarchy.ancestor(self.planned_to, level);
        let enough = match self.params.k {
            Some(k) if !self.strict => (k as usize / 2).max(1),
            _ => 1,
        };
        let lane = &mut self.lanes[level as usize];
        place.level == level
            && catch_up(hierarchy, map, level, lane, place.id)
            && (lane.complete
                || lane.ahead() >= enough
                || lane.searched_from == Some(self.planned_to))
    }

    fn begin_refinement(&mut self, hierarchy: &Hierarchy, map: &Map, level: u32) {
        let goal = hierarchy.ancestor(self.goal, level).id;
        let top = level == self.start_level;
        if top && level > 0 && self.params.k.is_none() && self.params.slack > 0 {
            let from = hierarchy.ancestor(self.planned_to, level).id;
            self.marked.begin(hierarchy.node_bound());
            self.fringe.clear();
            self.near.begin(hierarchy, map, level, [from, goal]);
            self.under_way = Some(Work::Near);
            return;
        }
        let aim = if top {
            Aim::Node(goal)
        } else {
            self.mark_corridor(hierarchy, map, level, goal)
        };
        let below = (!top).then_some(level + 1);
        self.begin_search(hierarchy, map, Refinement { level, aim, below });
    }

    fn begin_search(&mut self, hierarchy: &Hierarchy, map: &Map, refinement: Refinement) {
        let to_goal = refinement.aim == Aim::Node(self.goal.0);
        if refinement.level == 0 && to_goal && refinement.below.is_some() && self.params.widen > 0 {
            self.mark_down_from(hierarchy, refinement.below.unwrap_or(1));
            let surface = ground(hierarchy, map, &self.marked, self.goal);
            self.ground
                .begin(&surface, self.planned_to, Some(self.goal), UNREACHED - 1);
            self.under_way = Some(Work::Ground);
            return;
        }
        let from = hierarchy.ancestor(self.planned_to, refinement.level);
        let corridor = corridor(hierarchy, map, &self.marked, refinement);
        self.search.begin(
            &corridor,
            Cell(from.id),
            Some(corridor.end()),
            UNREACHED - 1,
        );
        self.under_way = Some(Work::Search(refinement));
    }

    /// Marks the nodes of level 1 below those marked.
    fn mark_down_from(&mut self, hierarchy: &Hierarchy, level: u32) {
        for _ in 1..level {
            let above = self.fringe.len();
            for i in 0..above {
                hierarchy.children(self.fringe[i], &mut self.fringe);
            }
            self.fringe.drain(..above);
        }
        for &id in &self.fringe {
            self.marked.insert(id);
        }
    }

    /// The nodes of nearly best paths are marked: keeps the best path as a lane, and goes on with the ground.
    fn refine_near_paths(&mut self, hierarchy: &Hierarchy, map: &Map) {
        let level = self.start_level;
        self.most_expansions = self.most_expansions.max(self.near.expansions());
        self.near.best_path(hierarchy, map, &mut self.segment);
        let lane = &mut self.lanes[level as usize];
        lane.clear();
        lane.nodes.extend(self.segment.iter().map(|cell| cell.0));
        lane.complete = true;
        lane.searched_from = Some(self.planned_to);
        self.widen_corridor(hierarchy);
        let refinement = Refinement {
            level: 0,
            aim: Aim::Node(self.goal.0),
            below: Some(level),
        };
        self.begin_search(hierarchy, map, refinement);
    }

    /// Marks the next `k` nodes of the lane above and as many rings of neighbours as the corridor is widened by.
    fn mark_corridor(&mut self, hierarchy: &Hierarchy, map: &Map, level: u32, goal: u32) -> Aim {
        let lane = &self.lanes[level as usize + 1];
        let last = lane.nodes.len() - 1;
        let tail = match self.params.k {
            Some(k) => last.min(lane.at.saturating_add(k as usize)),
            None => last,
        };
        self.marked.begin(hierarchy.node_bound());
        self.fringe.clear();
        for &id in &lane.nodes[lane.at..=tail] {
            self.marked.insert(id);
            self.fringe.push(id);
        }
        self.widen_corridor(hierarchy);
        let lane = &self.lanes[level as usize + 1];
        if lane.complete && tail == last {
            return Aim::Node(goal);
        }
        let beyond = Place {
            level: level + 1,
            id: lane.nodes[last.min(tail + 1)],
        };
        Aim::Inside {
            parent: lane.nodes[tail],
            towards: hierarchy.position(map, beyond),
        }
    }

    /// Marks rings of neighbours round the marked nodes, ring by ring; each node is looked at once.
    fn widen_corridor(&mut self, hierarchy: &Hierarchy) {
        let mut ring = 0..self.fringe.len();
        for _ in 0..self.params.widen {
            for i in ring.clone() {
                for &near in hierarchy.edges(self.fringe[i]) {
                    if !self.marked.contains(near) {
                        self.marked.insert(near);
                        self.fringe.push(near);
                    }
                }
            }
            ring = ring.end..self.fringe.len();
        }
    }

    /// Keeps the path found: as a lane, or on the ground as a segment. True for a segment.
    fn take_result(&mut self, hierarchy: &Hierarchy, map: &Map, meter: &mut Meter) -> bool {
        let refinement = match self.under_way.take() {
            Some(Work::Search(refinement)) => refinement,
            Some(Work::Ground) => {
                let surface = ground(hierarchy, map, &self.marked, self.goal);
                self.ground.trace(&surface, self.goal, &mut self.segment);
                meter.trace_steps += self.segment.len() as u64;
                self.segment.remove(0);
                self.planned_to = self.goal;
                return true;
            }
            Some(Work::Near) => {
                self.refine_near_paths(hierarchy, map);
                return false;
            }
            None => return false,
        };
        let corridor = corridor(hierarchy, map, &self.marked, refinement);
        self.search
            .trace(&corridor, corridor.end(), &mut self.segment);
        let complete = complete(refinement.aim);
        if !complete {
            self.segment.pop();
        }
        meter.trace_steps += self.segment.len() as u64;
        if refinement.level > 0 {
            let lane = &mut self.lanes[refinement.level as usize];
            lane.clear();
            lane.nodes.extend(self.segment.iter().map(|cell| cell.0));
            lane.complete = complete;
            lane.searched_from = Some(self.planned_to);
            return false;
        }
        self.segment.remove(0);
        if let Some(&end) = self.segment.last() {
            self.planned_to = end;
        }
        true
    }

    fn watch_loops(&mut self, hierarchy: &Hierarchy, map: &Map) {
        if self.planned_to != self.goal && self.loop_watch.is_back(self.planned_to) {
            self.strict = true;
            self.begin_lanes(hierarchy, map);
        }
    }
}

/// Does a search lead to the goal, or its ancestor?
fn complete(aim: Aim) -> bool {
    matches!(aim, Aim::Node(_))
}

/// Takes nodes off a search's list and keeps events where they are wanted; tells how many were expanded.
fn advance<S: Surface<Link = M::Link>, M: NodeMemory, O: OpenList>(
    search: &mut BestFirst<M, O>,
    surface: &S,
    pops: u64,
    events: &mut Option<Vec<Event>>,
    show: impl Fn(Event) -> Option<Event>,
) -> (Status, u64) {
    let before = search.expansions();
    let Some(events) = events else {
        let status = search.advance(surface, pops);
        return (status, search.expansions() - before);
    };
    let mut status = Status::Running;
    for _ in 0..pops {
        let expansions = search.expansions();
        status = search.advance(surface, 1);
        if search.expansions() > expansions {
            events.extend(search.last_expanded(surface).and_then(&show));
        }
        if status != Status::Running {
            break;
        }
    }
    (status, search.expansions() - before)
}

/// The ground inside marked nodes of level 1, on the way to the goal.
fn ground<'a>(
    hierarchy: &'a Hierarchy,
    map: &'a Map,
    marked: &'a PagedSet,
    goal: Cell,
) -> GridSurface<'a, Octile, CellsInside<'a>> {
    let octile = Octile::new(map.grid().point(goal), map.rules().costs);
    GridSurface::new(map, octile, Pruning::Dominated).with(CellsInside {
        hierarchy,
        map,
        marked,
    })
}

fn corridor<'a>(
    hierarchy: &'a Hierarchy,
    map: &'a Map,
    marked: &'a PagedSet,
    refinement: Refinement,
) -> Corridor<'a> {
    let inside = refinement.below.map(|level| (level, marked));
    Corridor::new(hierarchy, map, refinement.level, inside, refinement.aim)
}

/// An event of a search on some level with cells in the place of nodes.
fn on_the_ground(hierarchy: &Hierarchy, level: u32, event: Event) -> Event {
    let shown = |node: Cell| hierarchy.some_cell(Place { level, id: node.0 });
    match event {
        Event::Expanded { cell, parent, g, f } => Event::Expanded {
            cell: shown(cell),
            parent: shown(parent),
            g,
            f,
        },
        other => other,
    }
}
