//! The nodes of a level on all paths that are not much longer than the best.
//!
//! An abstract cost is only roughly that of the path below: edges are measured between means of positions, and of two
//! routes the one that looks longer may be the shorter one on the ground. Errors of single edges largely cancel out: over a
//! path of `n` nodes they add up to a share of its cost that falls with the root of `n`. So the corridor is made of every
//! node on a path within `slack / sqrt(n)` percent of the best. It contains the route that is best on the ground far more
//! often than the neighbourhood of a single path does (`docs/measurements/hierarchy.md` has the figures).
//!
//! Two searches find these nodes: one from the goal, which goes on past the start until estimates exceed the bound, and
//! one from the start that takes the costs of the first for its estimates and so expands the wanted nodes and no others.
//!
//! The first search does not look at every node whether it has passed the start, but a few dozen at a time: what it
//! expands too many lies beyond the bound and changes nothing.

use super::corridor::{Aim, Corridor};
use super::refine::advance;
use super::workspace::{LevelSearch, Workspace};
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::hierarchy::Hierarchy;
use crate::map::Map;
use crate::search::Status;
use crate::search::best_first::Surface;
use crate::trace::Event;
use std::cell::RefCell;

/// How many nodes are taken off the list before the search looks where it stands.
const AT_A_TIME: u64 = 32;

/// Two searches of one level between a start and a goal.
#[derive(Clone, Debug)]
pub(super) struct NearPaths {
    level: u32,
    start: Cell,
    goal: Cell,
    /// What the paths wanted cost at most, once the best is known.
    bound: Option<Cost>,
    /// The second search runs.
    second: bool,
}

impl NearPaths {
    /// Nothing to search yet.
    pub fn new() -> NearPaths {
        NearPaths {
            level: 0,
            start: Cell::NONE,
            goal: Cell::NONE,
            bound: None,
            second: false,
        }
    }

    /// Begins between two nodes of a level above the ground.
    pub fn begin(
        &mut self,
        workspace: &mut Workspace,
        hierarchy: &Hierarchy,
        map: &Map,
        level: u32,
        [start, goal]: [u32; 2],
    ) {
        (self.level, self.start, self.goal) = (level, Cell(start), Cell(goal));
        (self.bound, self.second) = (None, false);
        let surface = self.towards(hierarchy, map, self.start);
        workspace
            .search
            .begin(&surface, self.goal, None, UNREACHED - 1);
    }

    /// Takes some nodes off the list of the search that is due. Appends nodes wanted, some perhaps twice, and tells how many
    /// were expanded; [`Status::Found`] when all nodes wanted have been seen.
    pub fn advance(
        &mut self,
        workspace: &mut Workspace,
        level: (&Hierarchy, &Map),
        slack: u32,
        pops: u64,
        wanted: &mut Vec<u32>,
        shown: (&mut Option<Vec<Event>>, &dyn Fn(Event) -> Option<Event>),
    ) -> (Status, u64) {
        let (hierarchy, map) = level;
        let (events, show) = shown;
        if self.second {
            let onwards = Onwards {
                corridor: self.towards(hierarchy, map, self.goal),
                from_goal: &workspace.search,
                expanded: RefCell::new(std::mem::take(wanted)),
            };
            let search = &mut workspace.from_start;
            let (status, expansions) = advance(search, &onwards, pops, events, show);
            *wanted = onwards.expanded.into_inner();
            // It has no goal: it is done when no nodes are left.
            let status = match status {
                Status::NotFound => Status::Found,
                status => status,
            };
            return (status, expansions);
        }
        let surface = self.towards(hierarchy, map, self.start);
        let search = &mut workspace.search;
        let (status, expansions) = advance(search, &surface, pops.min(AT_A_TIME), events, show);
        let key = match workspace.search.last_expanded(&surface) {
            Some(Event::Expanded { f, .. }) if status != Status::NotFound => f,
            _ => UNREACHED,
        };
        let passed = |search: &LevelSearch| search.g(self.start).is_some_and(|g| key > g);
        if self.bound.is_none() && passed(&workspace.search) {
            self.bound = self.bound(&workspace.search, &surface, slack);
        }
        match self.bound {
            Some(bound) if key > bound => {
                self.begin_second(workspace, hierarchy, map, bound);
                (Status::Running, expansions)
            }
            _ => (status, expansions),
        }
    }

    fn begin_second(
        &mut self,
        workspace: &mut Workspace,
        hierarchy: &Hierarchy,
        map: &Map,
        bound: Cost,
    ) {
        let onwards = Onwards {
            corridor: self.towards(hierarchy, map, self.goal),
            from_goal: &workspace.search,
            expanded: RefCell::default(),
        };
        workspace
            .from_start
            .begin(&onwards, self.start, None, bound);
        self.second = true;
    }

    /// Writes the best path from the start to the goal.
    pub fn best_path(
        &self,
        workspace: &Workspace,
        hierarchy: &Hierarchy,
        map: &Map,
        path: &mut Vec<Cell>,
    ) {
        let surface = self.towards(hierarchy, map, self.start);
        workspace.search.trace(&surface, self.start, path);
        path.reverse();
    }

    /// Nodes that the searches hold.
    pub fn expansions(&self, workspace: &Workspace) -> u64 {
        let second = match self.second {
            true => workspace.from_start.expansions(),
            false => 0,
        };
        workspace.search.expansions() + second
    }

    fn towards<'a>(&self, hierarchy: &'a Hierarchy, map: &'a Map, node: Cell) -> Corridor<'a> {
        Corridor::new(hierarchy, map, self.level, None, Aim::Node(node.0))
    }

    /// The bound that follows from the best path.
    fn bound(&self, from_goal: &LevelSearch, surface: &Corridor, slack: u32) -> Option<Cost> {
        let cost = from_goal.g(self.start)?;
        let mut nodes = 1u32;
        let mut at = self.start;
        while let Some(next) = from_goal
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
    from_goal: &'a LevelSearch,
    /// The nodes expanded: all of them are wanted.
    expanded: RefCell<Vec<u32>>,
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
        self.expanded.borrow_mut().push(node.0);
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
