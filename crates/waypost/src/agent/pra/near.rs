//! The nodes of a level on all paths that are not much longer than the best.
//!
//! An abstract cost is only roughly that of the path below: edges are measured between means of positions, and of two
//! routes the one that looks longer may be the shorter one on the ground. Errors of single edges largely cancel out: over a
//! path of `n` nodes they add up to a share of its cost that falls with the root of `n`. So the corridor is made of every
//! node on a path within `slack / sqrt(n)` percent of the best. It contains the route that is best on the ground far more
//! often than the neighbourhood of a single path does (`docs/hierarchy.md` has the figures).
//!
//! Two searches find these nodes: one from the goal, which goes on past the start until estimates exceed the bound, and
//! one from the start that takes the costs of the first for its estimates and so expands the wanted nodes and no others.

use super::corridor::{Aim, Corridor};
use super::paged::PagedNodes;
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::hierarchy::Hierarchy;
use crate::map::Map;
use crate::open_list::Heap;
use crate::search::Status;
use crate::search::best_first::{BestFirst, Surface};
use crate::trace::Event;

/// Two searches of one level between a start and a goal.
#[derive(Clone, Debug)]
pub(super) struct NearPaths {
    level: u32,
    start: Cell,
    goal: Cell,
    from_goal: BestFirst<PagedNodes<Cell>, Heap>,
    from_start: BestFirst<PagedNodes<Cell>, Heap>,
    /// What the paths wanted cost at most, once the best is known.
    bound: Option<Cost>,
    /// The second search runs.
    second: bool,
}

/// What one step of the searches did.
pub(super) struct Step {
    /// [`Status::Found`] when all nodes wanted have been seen.
    pub status: Status,
    /// A node that was expanded.
    pub expanded: Option<Event>,
    /// Is it one of those wanted?
    pub wanted: bool,
}

impl NearPaths {
    /// Nothing to search yet.
    pub fn new() -> NearPaths {
        NearPaths {
            level: 0,
            start: Cell::NONE,
            goal: Cell::NONE,
            from_goal: BestFirst::default(),
            from_start: BestFirst::default(),
            bound: None,
            second: false,
        }
    }

    /// Begins between two nodes of a level above the ground.
    pub fn begin(&mut self, hierarchy: &Hierarchy, map: &Map, level: u32, [start, goal]: [u32; 2]) {
        (self.level, self.start, self.goal) = (level, Cell(start), Cell(goal));
        (self.bound, self.second) = (None, false);
        let surface = self.towards(hierarchy, map, self.start);
        self.from_goal
            .begin(&surface, self.goal, None, UNREACHED - 1);
    }

    /// Takes one node off the list of the search that is due.
    pub fn step(&mut self, hierarchy: &Hierarchy, map: &Map, slack: u32) -> Step {
        if self.second {
            return self.step_from_start(hierarchy, map);
        }
        let surface = self.towards(hierarchy, map, self.start);
        let before = self.from_goal.expansions();
        let mut status = self.from_goal.advance(&surface, 1);
        let expanded = (self.from_goal.expansions() > before)
            .then(|| self.from_goal.last_expanded(&surface))
            .flatten();
        if self.bound.is_none() && self.from_goal.last_cell() == Some(self.start) {
            self.bound = self.bound(&surface, slack);
        }
        if let Some(bound) = self.bound {
            let beyond = matches!(expanded, Some(Event::Expanded { f, .. }) if f > bound);
            if beyond || status == Status::NotFound {
                let onwards = Onwards {
                    corridor: self.towards(hierarchy, map, self.goal),
                    from_goal: &self.from_goal,
                };
                self.from_start.begin(&onwards, self.start, None, bound);
                self.second = true;
            }
            status = Status::Running;
        }
        Step {
            status,
            expanded,
            wanted: false,
        }
    }

    fn step_from_start(&mut self, hierarchy: &Hierarchy, map: &Map) -> Step {
        let onwards = Onwards {
            corridor: self.towards(hierarchy, map, self.goal),
            from_goal: &self.from_goal,
        };
        let before = self.from_start.expansions();
        let status = match self.from_start.advance(&onwards, 1) {
            // It has no goal: it is done when no nodes are left.
            Status::NotFound => Status::Found,
            status => status,
        };
        let expanded = (self.from_start.expansions() > before)
            .then(|| self.from_start.last_expanded(&onwards))
            .flatten();
        Step {
            status,
            wanted: expanded.is_some(),
            expanded,
        }
    }

    /// Writes the best path from the start to the goal.
    pub fn best_path(&self, hierarchy: &Hierarchy, map: &Map, path: &mut Vec<Cell>) {
        let surface = self.towards(hierarchy, map, self.start);
        self.from_goal.trace(&surface, self.start, path);
        path.reverse();
    }

    /// The most nodes held at a time.
    pub fn expansions(&self) -> u64 {
        self.from_goal.expansions() + self.from_start.expansions()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.from_goal.memory_bytes() + self.from_start.memory_bytes()
    }

    fn towards<'a>(&self, hierarchy: &'a Hierarchy, map: &'a Map, node: Cell) -> Corridor<'a> {
        Corridor::new(hierarchy, map, self.level, None, Aim::Node(node.0))
    }

    /// The bound that follows from the best path.
    fn bound(&self, surface: &Corridor, slack: u32) -> Option<Cost> {
        let cost = self.from_goal.g(self.start)?;
        let mut nodes = 1u32;
        let mut at = self.start;
        while let Some(next) = self
            .from_goal
            .link(at)
            .and_then(|link| Surface::parent(surface, at, link))
        {
            nodes += 1;
            at = next;
        }
        // In hundredths of a percent, and the root of the number of nodes in hundredths: whole numbers do.
        let share = u64::from(slack) * 10_000 / (u64::from(nodes) * 10_000).isqrt();
        let more = u64::from(cost) * share / 10_000;
        Some((u64::from(cost) + more).min(u64::from(UNREACHED - 1)) as Cost)
    }
}

/// A level on the way to the goal, with what is left known.
struct Onwards<'a> {
    corridor: Corridor<'a>,
    from_goal: &'a BestFirst<PagedNodes<Cell>, Heap>,
}

impl Surface for Onwards<'_> {
    type Link = Cell;
    type Place = [u32; 2];

    fn start_link(&self) -> Cell {
        self.corridor.start_link()
    }

    fn place(&self, node: Cell) -> [u32; 2] {
        self.corridor.place(node)
    }

    fn estimate(&self, node: Cell, _place: [u32; 2]) -> Cost {
        self.from_goal.g(node).unwrap_or(UNREACHED)
    }

    fn for_each_successor(
        &self,
        node: Cell,
        link: Cell,
        visit: impl FnMut(Cell, Cost, Cell, [u32; 2]),
    ) {
        self.corridor.for_each_successor(node, link, visit);
    }

    fn parent(&self, node: Cell, link: Cell) -> Option<Cell> {
        Surface::parent(&self.corridor, node, link)
    }

    fn id_bound(&self) -> usize {
        self.corridor.id_bound()
    }

    fn growth(&self) -> Cost {
        Cost::MAX
    }
}
