//! Plans a path in segments: a whole path on a coarse level, refined only as far as the next few nodes.
//!
//! Each level between the start level and the ground has a *lane*, a path of its nodes from where planning has come to.
//! The lane of the start level leads to the goal; each lower one leads through the next `k` nodes of the lane above. A
//! segment is planned by finding the lowest level whose lane still reaches far enough and searching downwards from
//! there: everything above is the cache that the paper asks for.

use super::corridor::{Aim, Corridor};
use super::paged::{PagedNodes, PagedSet};
use super::{Meter, PraParams};
use crate::cost::UNREACHED;
use crate::grid::Cell;
use crate::hierarchy::{Hierarchy, Place};
use crate::map::Map;
use crate::open_list::BucketsOrHeap;
use crate::search::Status;
use crate::search::best_first::BestFirst;

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

/// A path on one level.
#[derive(Clone, Debug, Default)]
struct Lane {
    nodes: Vec<u32>,
    /// Where on it planning has come to.
    at: usize,
    /// Does it lead to the goal's ancestor?
    complete: bool,
    /// The cell that it was searched from.
    searched_from: Option<Cell>,
}

impl Lane {
    fn clear(&mut self) {
        self.nodes.clear();
        self.at = 0;
        self.complete = false;
        self.searched_from = None;
    }

    /// Nodes ahead.
    fn ahead(&self) -> usize {
        self.nodes.len().saturating_sub(self.at + 1)
    }
}

/// A search on one level, perhaps unfinished.
#[derive(Clone, Copy, Debug)]
struct Refinement {
    level: u32,
    aim: Aim,
    restricted: bool,
}

/// Plans for one walker. All memory is kept from problem to problem.
#[derive(Clone, Debug)]
pub struct PraPlanner {
    params: PraParams,
    search: BestFirst<PagedNodes, BucketsOrHeap>,
    marked: PagedSet,
    /// Marked nodes in the order of marking.
    fringe: Vec<u32>,
    /// Entry `l` for level `l`; entry 0 is not used.
    lanes: Vec<Lane>,
    start_level: u32,
    goal: Cell,
    planned_to: Cell,
    under_way: Option<Refinement>,
    segment: Vec<Cell>,
    loop_watch: LoopWatch,
    /// Lanes are used up before they are searched again: slower progress in quality, certain progress in distance.
    strict: bool,
    most_expansions: u64,
}

/// Notices when planning comes back to a cell it has been at (Brent's rule: watched cells are 1, 2, 4, ... segments apart).
#[derive(Clone, Copy, Debug)]
struct LoopWatch {
    cell: Cell,
    segments: u32,
    until: u32,
}

impl LoopWatch {
    fn new(cell: Cell) -> LoopWatch {
        LoopWatch {
            cell,
            segments: 0,
            until: 1,
        }
    }

    fn is_back(&mut self, at: Cell) -> bool {
        if at == self.cell {
            return true;
        }
        self.segments += 1;
        if self.segments == self.until {
            self.cell = at;
            self.segments = 0;
            self.until = self.until.saturating_mul(2);
        }
        false
    }
}

impl PraPlanner {
    /// A planner without a problem yet.
    pub fn new(params: PraParams) -> PraPlanner {
        PraPlanner {
            params,
            search: BestFirst::default(),
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
        }
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
        self.start_level = meeting.unwrap_or(0) * self.params.start_percent.min(100) / 100;
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
        let Some(refinement) = self.under_way else {
            return Status::NotFound;
        };
        let corridor = corridor(hierarchy, map, &self.marked, refinement);
        let before = self.search.expansions();
        let status = self.search.advance(&corridor, pops);
        meter.expansions += self.search.expansions() - before;
        self.most_expansions = self.most_expansions.max(self.search.expansions());
        status
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
        let restricted = level < self.start_level;
        let aim = if restricted {
            self.mark_corridor(hierarchy, map, level, goal)
        } else {
            Aim::Node(goal)
        };
        let refinement = Refinement {
            level,
            aim,
            restricted,
        };
        let from = hierarchy.ancestor(self.planned_to, level);
        let corridor = corridor(hierarchy, map, &self.marked, refinement);
        self.search.begin(
            &corridor,
            Cell(from.id),
            Some(corridor.end()),
            UNREACHED - 1,
        );
        self.under_way = Some(refinement);
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
        // Ring by ring; each node is looked at once.
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

    /// Keeps the path found: as a lane, or on the ground as a segment. True for a segment.
    fn take_result(&mut self, hierarchy: &Hierarchy, map: &Map, meter: &mut Meter) -> bool {
        let Some(refinement) = self.under_way.take() else {
            return false;
        };
        let corridor = corridor(hierarchy, map, &self.marked, refinement);
        self.search
            .trace(&corridor, corridor.end(), &mut self.segment);
        let complete = matches!(refinement.aim, Aim::Node(_));
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
        // Half a segment is committed to: the rest is planned again with a look further ahead.
        if !complete && !self.strict {
            self.segment.truncate(self.segment.len().div_ceil(2).max(2));
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

fn corridor<'a>(
    hierarchy: &'a Hierarchy,
    map: &'a Map,
    marked: &'a PagedSet,
    refinement: Refinement,
) -> Corridor<'a> {
    let inside = refinement.restricted.then_some(marked);
    Corridor::new(hierarchy, map, refinement.level, inside, refinement.aim)
}

/// Moves a lane's place to the node that planning has come to. In a widened corridor that may be a neighbour of the
/// lane: it takes the place of the node before the one that it touches.
fn catch_up(hierarchy: &Hierarchy, map: &Map, level: u32, lane: &mut Lane, id: u32) -> bool {
    if let Some(ahead) = lane.nodes[lane.at..].iter().position(|&node| node == id) {
        lane.at += ahead;
        return true;
    }
    let touching = lane.nodes[lane.at..]
        .iter()
        .rposition(|&node| hierarchy.adjacent(map, level, node, id));
    match touching.map(|ahead| lane.at + ahead) {
        None => return false,
        Some(0) => lane.nodes.insert(0, id),
        Some(index) => {
            lane.nodes[index - 1] = id;
            lane.at = index - 1;
        }
    }
    true
}

/// Are these nodes of a level, each a neighbour of the one before?
fn is_path(hierarchy: &Hierarchy, level: u32, nodes: &[u32]) -> bool {
    nodes
        .iter()
        .all(|&id| (id as usize) < hierarchy.node_bound() && hierarchy.level_of(id) == level)
        && nodes
            .windows(2)
            .all(|step| hierarchy.edges(step[0]).binary_search(&step[1]).is_ok())
}
