//! Plans a path in segments: a whole path on a coarse level, refined only as far as the next few nodes.
//!
//! Each level between the start level and the ground has a *lane*, a path of its nodes from where planning has come to.
//! The lane of the start level leads to the goal; each lower one leads through the next `k` nodes of the lane above. A
//! segment is planned by finding the lowest level whose lane still reaches far enough and searching downwards from
//! there: everything above is the cache that the paper asks for.
//!
//! With `slack`, PRA*(∞) searches the start level for all paths that are nearly best (`near`) and refines their nodes
//! straight to the ground: every level in between would narrow the corridor by costs that are only roughly right.

use super::corridor::Aim;
use super::lanes::{Lane, LoopWatch, catch_up, is_path};
use super::near::NearPaths;
use super::workspace::Workspace;
use super::{Meter, PraParams};
use crate::grid::Cell;
use crate::hierarchy::{Hierarchy, Place};
use crate::map::Map;
use crate::search::Status;
use crate::trace::Event;

/// Ends that come together below this level are so near that the ground is searched at once, where a small share of the
/// level comes to none.
const MIN_HEIGHT: u32 = 3;

/// The state of planning.
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
pub(super) struct Refinement {
    pub level: u32,
    pub aim: Aim,
    /// The level of the marked nodes that it stays below; `None` for no restriction.
    pub below: Option<u32>,
}

/// What planning is at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// All nearly best paths of the start level.
    Near,
    Search(Refinement),
    /// The rest of the path on the ground: no other search is as long, and this one knows grids.
    Ground,
    /// The whole path on the ground, with nothing above it.
    Plain,
}

/// Plans for one walker. All memory is kept from problem to problem.
#[derive(Clone, Debug)]
pub struct PraPlanner {
    pub(super) params: PraParams,
    pub(super) near: NearPaths,
    /// Marked nodes in the order of marking.
    pub(super) fringe: Vec<u32>,
    /// Entry `l` for level `l`; entry 0 is not used.
    pub(super) lanes: Vec<Lane>,
    pub(super) start_level: u32,
    pub(super) goal: Cell,
    pub(super) planned_to: Cell,
    pub(super) under_way: Option<Work>,
    pub(super) segment: Vec<Cell>,
    loop_watch: LoopWatch,
    /// Lanes are used up before they are searched again: slower progress in quality, certain progress in distance.
    strict: bool,
    pub(super) most_expansions: u64,
    /// What was expanded, where somebody wants to know.
    pub(super) events: Option<Vec<Event>>,
}

impl PraPlanner {
    /// A planner without a problem yet.
    pub fn new(params: PraParams) -> PraPlanner {
        PraPlanner {
            params,
            near: NearPaths::new(),
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
    pub(crate) fn keep_events(&mut self, keep: bool) {
        if keep != self.events.is_some() {
            self.events = keep.then(Vec::new);
        }
    }

    /// The nodes expanded since the last call, if events are kept. Abstract nodes appear as one of their cells.
    pub(crate) fn take_events(&mut self) -> impl Iterator<Item = Event> + '_ {
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
        let meeting = match self.is_near(map) {
            true => None,
            false => hierarchy.meeting_level(map, self.planned_to, self.goal),
        };
        let height = meeting.unwrap_or(0);
        self.start_level = height * self.params.start_percent.min(100) / 100;
        if height >= MIN_HEIGHT && self.params.start_percent > 0 {
            self.start_level = self.start_level.max(1);
        }
        if self.lanes.len() <= self.start_level as usize {
            self.lanes
                .resize_with(self.start_level as usize + 1, Lane::default);
        }
        self.lanes.iter_mut().for_each(Lane::clear);
    }

    /// Whether the ground is to be searched at once.
    fn is_near(&self, map: &Map) -> bool {
        let PraParams {
            k, slack, ground, ..
        } = self.params;
        let grid = map.grid();
        let (from, to) = (grid.point(self.planned_to), grid.point(self.goal));
        let longest = from.x.abs_diff(to.x).max(from.y.abs_diff(to.y));
        k.is_none() && slack > 0 && longest < ground
    }

    /// Another goal: lanes that lead towards it all the same are kept. Tells whether anything was.
    pub(crate) fn change_goal(&mut self, hierarchy: &Hierarchy, map: &Map, goal: Cell) -> bool {
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
    pub(crate) fn states_in_memory(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|lane| lane.nodes.len()).sum();
        self.most_expansions as usize + lanes
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|l| l.nodes.capacity() * 4).sum();
        lanes + (self.segment.capacity() + self.fringe.capacity()) * 4
    }

    /// Is a search under way? Then the next call of [`PraPlanner::advance`] needs the same workspace.
    pub(crate) fn is_searching(&self) -> bool {
        self.under_way.is_some()
    }

    /// Goes on planning for at most this many operations.
    pub fn advance(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        workspace: &mut Workspace,
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
                self.begin_refinement(hierarchy, map, workspace, level);
            }
            let left = end.saturating_sub(meter.operations());
            if left == 0 {
                return Planning::Unfinished;
            }
            match self.run(hierarchy, map, workspace, meter, left) {
                Status::Running => return Planning::Unfinished,
                Status::Found => {
                    if self.take_result(hierarchy, map, workspace, meter) {
                        self.watch_loops(hierarchy, map);
                        return Planning::Segment;
                    }
                }
                // A hierarchy of another state than the map, if the agent was not told: search the ground alone.
                Status::NotFound if self.start_level > 0 => {
                    self.lanes.iter_mut().for_each(Lane::clear);
                    self.under_way = None;
                    self.start_level = 0;
                }
                Status::NotFound => return Planning::NoPath,
            }
        }
    }

    /// The lowest level that can be searched now: the first below a lane that reaches far enough.
    fn level_to_search(&mut self, hierarchy: &Hierarchy, map: &Map) -> u32 {
        let mut level = 0;
        while level < self.start_level && !self.lane_serves(hierarchy, map, level + 1) {
            level += 1;
        }
        level
    }

    /// Whether the lane of a level passes the planner's place and reaches far enough ahead.
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

    fn watch_loops(&mut self, hierarchy: &Hierarchy, map: &Map) {
        if self.planned_to != self.goal && self.loop_watch.is_back(self.planned_to) {
            self.strict = true;
            self.begin_lanes(hierarchy, map);
        }
    }
}
