//! The searches of a planner: which nodes a corridor is made of, and what becomes of the path found inside it.

use super::corridor::{Aim, Corridor};
use super::planner::{PraPlanner, Refinement, Work};
use super::workspace::{CellsInside, Enclosure, Marks, Workspace};
use crate::agent::Meter;
use crate::cost::UNREACHED;
use crate::grid::pruning::Pruning;
use crate::grid::{Cell, Surroundings};
use crate::heuristic::Octile;
use crate::hierarchy::{Hierarchy, Place};
use crate::map::Map;
use crate::open_list::OpenList;
use crate::search::Status;
use crate::search::best_first::{BestFirst, Surface};
use crate::search::nodes::NodeMemory;
use crate::search::surface::GridSurface;
use crate::trace::Event;

impl PraPlanner {
    pub(super) fn run(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        workspace: &mut Workspace,
        meter: &mut Meter,
        pops: u64,
    ) -> Status {
        let (status, expansions, in_all) = match self.under_way {
            None => return Status::NotFound,
            Some(Work::Near) => self.run_near(hierarchy, map, workspace, pops),
            Some(Work::Search(refinement)) => {
                let corridor = corridor(hierarchy, map, &workspace.marked, refinement);
                // The node that ends a partial refinement is no place.
                let is_place = |cell| complete(refinement.aim) || cell != corridor.end();
                let show = |event| match event {
                    Event::Expanded { cell, .. } if is_place(cell) => {
                        Some(on_the_ground(hierarchy, refinement.level, event))
                    }
                    _ => None,
                };
                let search = &mut workspace.search;
                let (status, new) = advance(search, &corridor, pops, &mut self.events, show);
                (status, new, search.expansions())
            }
            Some(Work::Ground) => {
                let Workspace {
                    ground: search,
                    marked,
                    enclosure,
                    ..
                } = workspace;
                let surface = ground(hierarchy, map, (enclosure, marked), self.goal);
                let events = &mut self.events;
                let (status, new) = match map.ground() {
                    None => advance(search, &surface, pops, events, Some),
                    Some(ground) => {
                        let surface = surface.on_ground(ground, map.rules());
                        advance(search, &surface, pops, events, Some)
                    }
                };
                (status, new, search.expansions())
            }
            Some(Work::Plain) => {
                let (search, events) = (&mut workspace.ground, &mut self.events);
                let surface = plain(map, self.goal);
                let (status, new) = match map.ground() {
                    None => advance(search, &surface, pops, events, Some),
                    Some(ground) => {
                        let surface = surface.on_ground(ground, map.rules());
                        advance(search, &surface, pops, events, Some)
                    }
                };
                (status, new, search.expansions())
            }
        };
        meter.expansions += expansions;
        self.most_expansions = self.most_expansions.max(in_all);
        status
    }

    /// Finds the nodes of all nearly best paths.
    fn run_near(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        workspace: &mut Workspace,
        pops: u64,
    ) -> (Status, u64, u64) {
        let show = |event| Some(on_the_ground(hierarchy, self.start_level, event));
        let (mut status, mut expansions) = (Status::Running, 0);
        while status == Status::Running && expansions < pops {
            let (now, new) = self.near.advance(
                workspace,
                (hierarchy, map),
                self.params.slack,
                pops - expansions,
                &mut self.fringe,
                (&mut self.events, &show),
            );
            status = now;
            expansions += new;
        }
        (status, expansions, self.near.expansions(workspace))
    }

    pub(super) fn begin_refinement(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        workspace: &mut Workspace,
        level: u32,
    ) {
        let goal = hierarchy.ancestor(self.goal, level).id;
        let top = level == self.start_level;
        if top && level > 0 && self.params.k.is_none() && self.params.slack > 0 {
            let from = hierarchy.ancestor(self.planned_to, level).id;
            self.fringe.clear();
            let ends = [from, goal];
            self.near.begin(workspace, hierarchy, map, level, ends);
            self.under_way = Some(Work::Near);
            return;
        }
        let aim = if top {
            Aim::Node(goal)
        } else {
            self.mark_corridor(hierarchy, map, &mut workspace.marked, level, goal)
        };
        let below = (!top).then_some(level + 1);
        self.begin_search(hierarchy, map, workspace, Refinement { level, aim, below });
    }

    fn begin_search(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        workspace: &mut Workspace,
        refinement: Refinement,
    ) {
        let to_goal = refinement.aim == Aim::Node(self.goal.0);
        if refinement.level == 0 && to_goal && refinement.below.is_none() {
            let (from, to) = (self.planned_to, Some(self.goal));
            let surface = plain(map, self.goal);
            workspace.ground.begin(&surface, from, to, UNREACHED - 1);
            self.under_way = Some(Work::Plain);
            return;
        }
        if refinement.level == 0 && to_goal && refinement.below.is_some() && self.params.widen > 0 {
            let Workspace {
                ground: search,
                marked,
                enclosure,
                ..
            } = workspace;
            self.mark_down_from(hierarchy, marked, refinement.below.unwrap_or(1));
            enclosure.begin(map.grid().words().len());
            let surface = ground(hierarchy, map, (enclosure, marked), self.goal);
            search.begin(&surface, self.planned_to, Some(self.goal), UNREACHED - 1);
            self.under_way = Some(Work::Ground);
            return;
        }
        let from = hierarchy.ancestor(self.planned_to, refinement.level);
        let corridor = corridor(hierarchy, map, &workspace.marked, refinement);
        workspace.search.begin(
            &corridor,
            Cell(from.id),
            Some(corridor.end()),
            UNREACHED - 1,
        );
        self.under_way = Some(Work::Search(refinement));
    }

    /// Marks the nodes of level 1 below those marked.
    fn mark_down_from(&mut self, hierarchy: &Hierarchy, marked: &mut Marks, level: u32) {
        for _ in 1..level {
            let above = self.fringe.len();
            for i in 0..above {
                hierarchy.children(self.fringe[i], &mut self.fringe);
            }
            self.fringe.drain(..above);
        }
        for &id in &self.fringe {
            marked.insert(id);
        }
    }

    /// The nodes of nearly best paths are marked: keeps the best path as a lane, and goes on with the ground.
    fn refine_near_paths(&mut self, hierarchy: &Hierarchy, map: &Map, workspace: &mut Workspace) {
        let level = self.start_level;
        self.near
            .best_path(workspace, hierarchy, map, &mut self.segment);
        let lane = &mut self.lanes[level as usize];
        lane.clear();
        lane.nodes.extend(self.segment.iter().map(|cell| cell.0));
        lane.complete = true;
        lane.searched_from = Some(self.planned_to);
        let marked = &mut workspace.marked;
        marked.begin(hierarchy.node_bound());
        self.fringe.retain(|&id| {
            let first = !marked.contains(id);
            marked.insert(id);
            first
        });
        self.widen_corridor(hierarchy, marked);
        let refinement = Refinement {
            level: 0,
            aim: Aim::Node(self.goal.0),
            below: Some(level),
        };
        self.begin_search(hierarchy, map, workspace, refinement);
    }

    /// Marks the next `k` nodes of the lane above and as many rings of neighbours as the corridor is widened by.
    fn mark_corridor(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        marked: &mut Marks,
        level: u32,
        goal: u32,
    ) -> Aim {
        let lane = &self.lanes[level as usize + 1];
        let last = lane.nodes.len() - 1;
        let tail = match self.params.k {
            Some(k) => last.min(lane.at.saturating_add(k as usize)),
            None => last,
        };
        marked.begin(hierarchy.node_bound());
        self.fringe.clear();
        for &id in &lane.nodes[lane.at..=tail] {
            marked.insert(id);
            self.fringe.push(id);
        }
        self.widen_corridor(hierarchy, marked);
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
    fn widen_corridor(&mut self, hierarchy: &Hierarchy, marked: &mut Marks) {
        let mut ring = 0..self.fringe.len();
        for _ in 0..self.params.widen {
            for i in ring.clone() {
                for &near in hierarchy.edges(self.fringe[i]) {
                    if !marked.contains(near) {
                        marked.insert(near);
                        self.fringe.push(near);
                    }
                }
            }
            ring = ring.end..self.fringe.len();
        }
    }

    /// Keeps the path found: as a lane, or on the ground as a segment. True for a segment.
    pub(super) fn take_result(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        workspace: &mut Workspace,
        meter: &mut Meter,
    ) -> bool {
        let refinement = match self.under_way.take() {
            Some(Work::Search(refinement)) => refinement,
            Some(Work::Ground) => {
                let Workspace {
                    ground: search,
                    marked,
                    enclosure,
                    ..
                } = workspace;
                let surface = ground(hierarchy, map, (enclosure, marked), self.goal);
                search.trace(&surface, self.goal, &mut self.segment);
                meter.trace_steps += self.segment.len() as u64;
                self.segment.remove(0);
                self.planned_to = self.goal;
                return true;
            }
            Some(Work::Plain) => {
                let surface = plain(map, self.goal);
                let search = &workspace.ground;
                search.trace(&surface, self.goal, &mut self.segment);
                meter.trace_steps += self.segment.len() as u64;
                self.segment.remove(0);
                self.planned_to = self.goal;
                return true;
            }
            Some(Work::Near) => {
                self.refine_near_paths(hierarchy, map, workspace);
                return false;
            }
            None => return false,
        };
        let corridor = corridor(hierarchy, map, &workspace.marked, refinement);
        workspace
            .search
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
}

/// Whether a search leads to the goal, or its ancestor.
fn complete(aim: Aim) -> bool {
    matches!(aim, Aim::Node(_))
}

/// Takes nodes off a search's list and keeps events where they are wanted; tells how many were expanded.
pub(super) fn advance<S: Surface<Link = M::Link>, M: NodeMemory, O: OpenList>(
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

/// The whole ground, on the way to the goal.
fn plain(map: &Map, goal: Cell) -> GridSurface<'_, Octile, &Surroundings> {
    let octile = Octile::new(map.grid().point(goal), map.least_steps());
    GridSurface::new(map, octile, Pruning::Dominated).with(map.surroundings())
}

/// The ground inside marked nodes of level 1, on the way to the goal.
fn ground<'a>(
    hierarchy: &'a Hierarchy,
    map: &'a Map,
    (enclosure, marked): (&'a mut Enclosure, &'a Marks),
    goal: Cell,
) -> GridSurface<'a, Octile, CellsInside<'a>> {
    let octile = Octile::new(map.grid().point(goal), map.least_steps());
    GridSurface::new(map, octile, Pruning::Dominated).with(enclosure.of(hierarchy, map, marked))
}

fn corridor<'a>(
    hierarchy: &'a Hierarchy,
    map: &'a Map,
    marked: &'a Marks,
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
