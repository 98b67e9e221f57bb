//! Searches over jump points: [`Jps`] finds them on-line by word scans, a [`crate::index::jump::JumpGraph`] holds them.
//!
//! Both run the one loop of [`JumpSearch`], an A* over (jump point, arrival direction):
//!
//! - a state's successors are the stops that [`Scans::for_each_stop`] finds: diagonal cells that only lead to a straight
//!   jump point are skipped over, so that only points with a forced turn enter the open list;
//! - every popped point is tested for a free walk to the goal, diagonal steps first, by a scan at most. Such a walk costs
//!   exactly the heuristic, and the popped point has the least f, so the path through it is optimal: the search ends with its equals. The
//!   last leg of every canonical path is such a walk, so successors need no test for the goal, and a precomputed graph
//!   needs no insertion of it;
//! - a point may be entered with the same cost from several directions, each of which has its own successors: a
//!   direction is tried unless the same point has been entered that way as cheaply before.
//!
//! **The canonical path.** Which of several optimal paths comes out is fixed by the map, the rules and the two ends, not by the order in which points
//! are expanded: it leaves the last of its points as early as any does, and every point is come to from the first of the points, row by row, that it is
//! as near from. Of equal f the least g leaves the open list first, so that all these have been expanded when a point
//! that sees the goal leaves it: each has an f of at most the optimum and a lesser g. Every leg goes diagonally first. So the path
//! is the same on-line, on a graph, on a graph that was repaired or opened from a file, and whatever lower bounds are known.
//!
//! Nothing is allocated per search once the memory has grown to the map. The search stops after any number of
//! expansions and goes on later ([`JumpSearch::advance`]); [`JumpSearch::shortest`] drives the same loop to its end. What
//! is left out on purpose: bidirectional search, path caches, and many searches interleaved in one memory (Game AI Pro,
//! chapter 17, calls them bad ideas: they cost more than they bring).

mod goal_bounds;
mod online;
mod path_runs;
mod points;
mod queue;

pub use goal_bounds::GoalBounds;
pub(crate) use goal_bounds::LANDMARKS;
pub use online::Jps;
pub use path_runs::{PathRuns, Run, RunBuffer, RunWriter};
pub use points::{JumpPoints, Renumbered};

pub use super::best_first::Status;
use crate::cost::{Cost, CostPair, UNREACHED};
use crate::grid::scan::{Approach, Scans, Stop, StopAt, StopCursor};
use crate::grid::{Cell, Direction, Directions, Grid, Point};
use crate::map::Map;
use crate::trace::Event;

use queue::{BLANK, Node, Popped, Queue};
use std::ops::Range;

/// Where jump searches find points and successors.
pub trait JumpSpace {
    /// The jump points and their numbers.
    fn points(&self) -> &JumpPoints;

    /// The scans that stop at jump points.
    fn scans(&self) -> &Scans;

    /// Calls `visit` with every successor of a point entered in a direction: its number, how it is entered, the cost.
    fn for_each_successor(
        &self,
        id: u32,
        arrival: Direction,
        costs: CostPair,
        visit: impl FnMut(u32, Direction, Cost),
    );

    /// The same for some of them, counted in this order; whether there are more. A space that cannot tell them apart has all of them be the
    /// first.
    fn some_successors(
        &self,
        id: u32,
        arrival: Direction,
        costs: CostPair,
        successors: Range<usize>,
        visit: impl FnMut(u32, Direction, Cost),
    ) -> bool {
        if successors.start == 0 {
            self.for_each_successor(id, arrival, costs, visit);
        }
        false
    }

    /// Where a numbered point is.
    #[inline]
    fn point(&self, id: u32) -> Point {
        self.points().point(id)
    }

    /// Whether it may know how far its points are from landmarks.
    const HAS_LANDMARKS: bool = false;

    /// How far a goal is from these, where that is known.
    fn goal_bounds(&self, _goal: Point) -> Option<GoalBounds> {
        None
    }

    /// A cost that no way from a point to the goal is below.
    #[inline]
    fn at_least(&self, _id: u32, _goal: &GoalBounds) -> Cost {
        0
    }
}

/// What is known beforehand of the ways to the goal of a search.
pub trait LowerBound {
    /// Whether anything is known.
    const KNOWS: bool;

    /// A cost that no way from a point to the goal is below.
    fn at_least(&self, at: Point) -> Cost;
}

/// Nothing is known but how long the ways would be on a map without walls.
#[derive(Clone, Copy, Debug)]
pub struct NothingKnown;

impl LowerBound for NothingKnown {
    const KNOWS: bool = false;

    fn at_least(&self, _at: Point) -> Cost {
        0
    }
}

/// Points that a space may get after memory was reserved, beside a quarter of what it has.
const MORE_POINTS: usize = 256;
/// Bends of a path that memory is reserved for: paths that have more are rare.
const MAX_BENDS: usize = 1 << 14;

/// The parent of points reached from the start.
const START: u32 = u32::MAX;
/// Successors of a point that an expansion sees to, where a search has a limit: more take more expansions.
const SUCCESSORS: usize = 32;

/// What is left of an expansion.
#[derive(Clone, Copy, Debug, Default)]
enum Rest {
    #[default]
    Nothing,
    /// Of the start.
    Start(StopCursor),
    /// Of a point that was entered in this direction, from this successor on, and then in those that are left.
    Point(Popped, Direction, usize),
}

impl Rest {
    /// The next of the directions that a point was entered in.
    fn of_point(mut popped: Popped) -> Rest {
        match popped.arrivals.next() {
            Some(arrival) => Rest::Point(popped, arrival, 0),
            None => Rest::Nothing,
        }
    }
}

/// Memory of jump searches: grows to the map once, is never cleared.
#[derive(Clone, Debug)]
pub struct JumpSearch {
    nodes: Vec<Node>,
    stamp: u32,
    open: Queue,
    from: Point,
    goal: Point,
    approach: Approach,
    bounds: Option<GoalBounds>,
    costs: CostPair,
    status: Status,
    last: u32,
    /// The best point so far that sees the goal, and its key.
    seen_from: Option<(u64, u32)>,
    rest: Rest,
    expansions: u64,
    reached: usize,
    chain: Vec<Point>,
    path: RunBuffer,
}

impl Default for JumpSearch {
    fn default() -> JumpSearch {
        JumpSearch {
            nodes: Vec::new(),
            stamp: 0,
            open: Queue::default(),
            from: Point::default(),
            goal: Point::default(),
            approach: Approach::default(),
            bounds: None,
            costs: CostPair::Sqrt2,
            status: Status::NotFound,
            last: START,
            seen_from: None,
            rest: Rest::Nothing,
            expansions: 0,
            reached: 0,
            chain: Vec::new(),
            path: RunBuffer::default(),
        }
    }
}

impl JumpSearch {
    /// Empty memory.
    pub fn new() -> JumpSearch {
        JumpSearch::default()
    }

    /// The optimal path, or `None` where there is none (either end blocked, outside the map, or in another component).
    pub fn shortest<J: JumpSpace>(
        &mut self,
        space: &J,
        map: &Map,
        from: Point,
        to: Point,
    ) -> Option<PathRuns<'_>> {
        self.begin(space, map, from, to);
        self.advance(space, u64::MAX);
        self.found_path(space)
    }

    /// Begins a search. A free walk from the start to the goal is found at once.
    pub fn begin<J: JumpSpace>(&mut self, space: &J, map: &Map, from: Point, to: Point) -> Status {
        self.begin_with(space, map, (from, to), &NothingKnown)
    }

    /// The same where something is known of the ways to the goal; what is known goes with every [`JumpSearch::advance_with`] too.
    pub fn begin_with<J: JumpSpace, B: LowerBound>(
        &mut self,
        space: &J,
        map: &Map,
        ends: (Point, Point),
        known: &B,
    ) -> Status {
        self.begin_in_slices(space, map, ends);
        if self.status == Status::Running {
            self.rest = Rest::Nothing;
            self.expansions += 1;
            let moves = space.scans().moves(self.from, None);
            space.scans().for_each_stop(self.from, moves, |stop| {
                self.reach_from_start(space, stop, known);
            });
        }
        self.status
    }

    /// The same; what the start sees is left to [`JumpSearch::advance_with`].
    pub(crate) fn begin_in_slices<J: JumpSpace>(
        &mut self,
        space: &J,
        map: &Map,
        (from, to): (Point, Point),
    ) -> Status {
        (self.from, self.goal, self.costs) = (from, to, map.rules().costs);
        (self.last, self.expansions, self.reached) = (START, 0, 0);
        (self.seen_from, self.bounds) = (None, None);
        self.rest = Rest::Nothing;
        let ends = map.passable_cell(from).zip(map.passable_cell(to));
        self.status = match ends {
            Some((a, b)) if map.components().connected(a, b) => Status::Running,
            _ => Status::NotFound,
        };
        if self.status == Status::Running {
            let (dx, dy) = from.distances(to);
            self.open.clear(self.costs, self.costs.octile(dx, dy));
            self.stamp_memory(space.points().number_bound());
            self.approach = space.scans().approach(to);
            self.rest = Rest::Start(StopCursor::default());
            if space.scans().walk_is_free(from, to) {
                self.expansions += 1;
                self.status = Status::Found;
            } else if J::HAS_LANDMARKS {
                self.bounds = space.goal_bounds(to);
            }
        }
        self.status
    }

    /// Makes room for searches of a space, also where it grows a little.
    pub fn reserve<J: JumpSpace>(&mut self, space: &J) {
        let points = space.points().number_bound();
        let more = points / 4 + MORE_POINTS;
        self.nodes
            .reserve((points + more).saturating_sub(self.nodes.len()));
        self.stamp_memory(points);
        let bends = (points + more).min(MAX_BENDS);
        self.chain.reserve(bends);
        self.path.reserve(2 * bends);
    }

    fn stamp_memory(&mut self, id_bound: usize) {
        if self.nodes.len() < id_bound {
            self.nodes.resize(id_bound, BLANK);
        }
        if self.stamp == u32::MAX {
            self.nodes.fill(BLANK);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    #[inline]
    fn reach_from_start<J: JumpSpace, B: LowerBound>(&mut self, space: &J, stop: Stop, known: &B) {
        let costs = self.costs;
        let cost = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
        let id = space.points().id(stop.at);
        self.reach(space, (id, stop.arrival), cost, START, known);
    }

    #[inline]
    fn reach<J: JumpSpace, B: LowerBound>(
        &mut self,
        space: &J,
        (id, arrival): (u32, Direction),
        g: Cost,
        from: u32,
        known: &B,
    ) {
        let node = &mut self.nodes[id as usize];
        let arrivals = Directions::NONE.with(arrival);
        if node.stamp == self.stamp {
            if g > node.g {
                return;
            }
            if g == node.g {
                // Beyond the range of costs all are equal: there the first parent stays, or points could lead to each other for ever.
                if g < UNREACHED && comes_before(space, from, node.parent) {
                    node.parent = from;
                }
                if !node.arrivals.contains(arrival) {
                    let was_open = !node.waiting.is_empty();
                    node.arrivals = node.arrivals.with(arrival);
                    node.waiting = node.waiting.with(arrival);
                    if !was_open {
                        self.open.put(&mut self.nodes, id);
                    }
                }
                return;
            }
            let ahead = node.f - node.g;
            if !node.waiting.is_empty() {
                self.open.take(&mut self.nodes, id);
            }
            let node = &mut self.nodes[id as usize];
            (node.g, node.f, node.parent) = (g, g.saturating_add(ahead), from);
            (node.arrivals, node.waiting) = (arrivals, arrivals);
        } else {
            let at = space.point(id);
            let (dx, dy) = at.distances(self.goal);
            let mut ahead = self.costs.octile(dx, dy);
            if B::KNOWS {
                ahead = ahead.max(known.at_least(at));
            }
            if J::HAS_LANDMARKS
                && let Some(bounds) = &self.bounds
            {
                ahead = ahead.max(space.at_least(id, bounds));
            }
            self.reached += 1;
            *node = Node {
                stamp: self.stamp,
                g,
                f: g.saturating_add(ahead),
                parent: from,
                arrivals,
                waiting: arrivals,
                ..BLANK
            };
        }
        self.open.put(&mut self.nodes, id);
    }

    /// Goes on for at most `expansions` expansions.
    pub fn advance<J: JumpSpace>(&mut self, space: &J, expansions: u64) -> Status {
        self.advance_with(space, expansions, &NothingKnown)
    }

    /// The same where something is known of the ways to the goal. Under a limit no expansion takes long: what a point has in successors
    /// beyond 32 counts as more of them.
    pub fn advance_with<J: JumpSpace, B: LowerBound>(
        &mut self,
        space: &J,
        expansions: u64,
        known: &B,
    ) -> Status {
        let mut left = expansions;
        let is_limited = expansions != u64::MAX;
        while self.status == Status::Running && left > 0 {
            left -= 1;
            if !matches!(self.rest, Rest::Nothing) {
                self.expansions += 1;
                self.go_on(space, known);
                continue;
            }
            if is_limited && !self.open.is_ready(&mut self.nodes) {
                self.expansions += 1;
                continue;
            }
            let popped = self.open.pop(&mut self.nodes);
            if self.is_over(popped) {
                break;
            }
            if let Some(popped) = popped {
                self.expansions += 1;
                self.expand(space, popped, is_limited, known);
            }
        }
        self.status
    }

    /// Whether nothing is left that could be better than what is found.
    #[inline]
    fn is_over(&mut self, popped: Option<Popped>) -> bool {
        let key = popped.map(|popped| self.nodes[popped.id as usize].key());
        match self.seen_from {
            Some((best, id)) if key != Some(best) => (self.status, self.last) = (Status::Found, id),
            None if key.is_none() => self.status = Status::NotFound,
            _ => return false,
        }
        true
    }

    #[inline]
    fn expand<J: JumpSpace, B: LowerBound>(
        &mut self,
        space: &J,
        popped: Popped,
        is_limited: bool,
        known: &B,
    ) {
        let Popped { g, id, arrivals } = popped;
        self.last = id;
        if space.scans().reaches(space.point(id), &self.approach) {
            let best = self
                .seen_from
                .map_or(id, |(_, best)| match comes_before(space, id, best) {
                    true => id,
                    false => best,
                });
            self.seen_from = Some((self.nodes[id as usize].key(), best));
            return;
        }
        // A way over a point with an equal key is longer before its last point.
        if self.seen_from.is_some() {
            return;
        }
        if is_limited {
            self.rest = Rest::of_point(popped);
            return self.go_on(space, known);
        }
        self.expansions += u64::from(arrivals.len() - 1);
        for arrival in arrivals {
            space.for_each_successor(id, arrival, self.costs, |next, entered, cost| {
                let g = g.saturating_add(cost);
                self.reach(space, (next, entered), g, id, known);
            });
        }
    }

    /// Sees to more of what an expansion has left.
    fn go_on<J: JumpSpace, B: LowerBound>(&mut self, space: &J, known: &B) {
        self.rest = match self.rest {
            Rest::Nothing => Rest::Nothing,
            Rest::Start(mut cursor) => {
                let moves = space.scans().moves(self.from, None);
                let more = space
                    .scans()
                    .some_stops(self.from, moves, &mut cursor, |stop| {
                        self.reach_from_start(space, stop, known);
                    });
                if more {
                    Rest::Start(cursor)
                } else {
                    Rest::Nothing
                }
            }
            Rest::Point(popped, arrival, first) => {
                let Popped { g, id, .. } = popped;
                let (some, costs) = (first..first + SUCCESSORS, self.costs);
                let reach = |next, entered, cost: Cost| {
                    let g = g.saturating_add(cost);
                    self.reach(space, (next, entered), g, id, known);
                };
                match space.some_successors(id, arrival, costs, some, reach) {
                    true => Rest::Point(popped, arrival, first + SUCCESSORS),
                    false => Rest::of_point(popped),
                }
            }
        };
    }

    /// How far the search is.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Expansions of the current search so far, the start included: one for every direction that a point was entered in.
    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// Points that the current search has reached so far: after [`JumpSearch::begin`] those that the start sees.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// The jump point expanded last, as an event: a search that is advanced point by point is traced so.
    pub(crate) fn last_expanded<J: JumpSpace>(&self, space: &J, grid: &Grid) -> Option<Event> {
        let cell = |id| match id {
            START => grid.cell(self.from),
            id => grid.cell(space.point(id)),
        };
        let (parent, g) = match self.last {
            START => (None, 0),
            id => (
                cell(self.nodes[id as usize].parent),
                self.nodes[id as usize].g,
            ),
        };
        let cell = cell(self.last)?;
        let (dx, dy) = grid.point(cell).distances(self.goal);
        Some(Event::Expanded {
            cell,
            parent: parent.unwrap_or(Cell::NONE),
            g,
            f: g.saturating_add(self.costs.octile(dx, dy)),
        })
    }

    /// The path of a search that has found it.
    pub fn found_path<J: JumpSpace>(&mut self, space: &J) -> Option<PathRuns<'_>> {
        if self.status != Status::Found {
            return None;
        }
        self.chain.clear();
        self.chain.push(self.goal);
        let mut id = self.last;
        while id != START {
            self.chain.push(space.point(id));
            id = self.nodes[id as usize].parent;
        }
        let mut at = self.from;
        self.path.begin(at);
        for &next in self.chain.iter().rev() {
            self.path.push_diagonal_first(at, next);
            at = next;
        }
        Some(self.path.path())
    }

    /// What the current search uses of its memory: the points that it has reached.
    pub(crate) fn used_bytes(&self) -> usize {
        self.reached * size_of::<Node>()
    }

    /// Bytes of memory that the search holds on to.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.open.memory_bytes()
            + self.chain.capacity() * size_of::<Point>()
            + self.path.memory_bytes()
    }
}

/// Whether a point, or the start, comes before another, row by row.
#[inline]
fn comes_before<J: JumpSpace>(space: &J, id: u32, other: u32) -> bool {
    if id == START || other == START {
        return id == START;
    }
    let [a, b] = [id, other].map(|id| space.point(id));
    (a.y, a.x) < (b.y, b.x)
}

/// Scans for jump searches on a map.
pub(crate) fn jump_scans(map: &Map) -> Scans {
    Scans::new(map.grid(), map.rules().corners, StopAt::JumpPoints)
}

#[cfg(test)]
mod tests;
