//! The one search loop: best-first, resumable, the same for A*, weighted A* and Dijkstra, for grids and graphs.
//!
//! A [`Surface`] says how a space looks to a search with one goal: the successors of a node and the estimate of what is
//! left. The loop stops after a number of pops and goes on later; a blocking search calls it once without a limit.
//!
//! Keys are raised to the parent's key where a heuristic is inconsistent or weighted (pathmax), and nodes are reopened when
//! a better path turns up. With an admissible heuristic the first pop of the goal is then optimal, and with weight `w` at
//! most `w` times as dear: some node of an optimal path is always open with its optimal g and a key of at most `w` times the
//! optimal cost, and the goal's key is never below its own g.
//!
//! Where a surface allows it, the open list may round keys: a node may then be expanded before another one of slightly lesser key,
//! and again when that one improves its path. The search ends when it has gone through the bucket in which it found the goal:
//! what is left there and could still improve the path to the goal is expanded, the rest is dropped.
//!
//! Left out on purpose, as the chapter's section 17.11 advises: bidirectional search (both halves back up behind the same
//! wall; the island that it would help with is answered by connected components at once), caches of found paths (too many
//! different ones; indexes store distances instead), and many interleaved searches (one open list per request thrashes the
//! cache; one search at a time is advanced, and queues of requests belong above this module).

use super::nodes::{NodeMemory, Paths};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::open_list::{Nodes, OpenList};
use crate::trace::Event;

/// A space as a search with one goal sees it.
pub trait Surface {
    /// What is kept of the way to a node.
    type Link: Copy;
    /// What is known of a successor's position while it is generated.
    type Place: Copy;

    /// Whether keys never fall along a path.
    const CONSISTENT: bool = false;

    /// Whether the open list may round keys.
    const ROUNDS: bool = false;

    /// The link of the start.
    fn start_link(&self) -> Self::Link;

    /// Where a node is.
    fn place(&self, cell: Cell) -> Self::Place;

    /// A lower bound on the cost to the goal, perhaps weighted.
    fn estimate(&self, cell: Cell, place: Self::Place) -> Cost;

    /// Calls `visit` with the successors of a node that was reached over `link`: node, cost of the edge, link, place.
    fn for_each_successor(
        &self,
        cell: Cell,
        link: Self::Link,
        visit: impl FnMut(Cell, Cost, Self::Link, Self::Place),
    );

    /// The node before `cell` on the path that `link` belongs to; `None` for the start.
    fn parent(&self, cell: Cell, link: Self::Link) -> Option<Cell>;

    /// Node ids are below this.
    fn id_bound(&self) -> usize;

    /// The most by which a successor's key exceeds its parent's.
    fn growth(&self) -> Cost;

    /// By how many bits keys may be rounded, where they may: less than an edge costs.
    fn most_rounding(&self) -> u32 {
        0
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// There is more to expand.
    Running,
    /// The goal has been reached by a path that is best under the search's promise.
    Found,
    /// There is no path, or none within the limit of cost.
    NotFound,
}

/// Open list and node memory of a search, reused by the next one.
#[derive(Clone, Debug, Default)]
pub struct BestFirst<M, O> {
    nodes: M,
    open: O,
    goal: Option<Cell>,
    limit: Cost,
    expansions: u64,
    pops: u64,
    pushes: u64,
    status: Option<Status>,
    /// Key, perhaps rounded, and node of the expansion before: for traces.
    last: Option<(Cost, Cell)>,
    /// The rounded key with which the goal was taken from the open list, and the cost of its path then.
    found: Option<(Cost, Cost)>,
}

impl<M: NodeMemory, O: OpenList> BestFirst<M, O> {
    /// A search with an open list of the caller's.
    pub(crate) fn with_open(open: O) -> BestFirst<M, O> {
        BestFirst {
            open,
            nodes: M::default(),
            goal: None,
            limit: 0,
            expansions: 0,
            pops: 0,
            pushes: 0,
            status: None,
            last: None,
            found: None,
        }
    }

    /// Begins a search. Without a goal it spreads over everything within the limit and ends with [`Status::NotFound`].
    pub fn begin<S: Surface<Link = M::Link>>(
        &mut self,
        surface: &S,
        from: Cell,
        goal: Option<Cell>,
        limit: Cost,
    ) {
        self.nodes.begin(surface.id_bound());
        self.goal = goal;
        self.limit = limit;
        self.expansions = 0;
        self.pops = 0;
        self.pushes = 1;
        self.last = None;
        self.found = None;
        self.status = Some(Status::Running);
        let key = surface.estimate(from, surface.place(from));
        if S::ROUNDS {
            let growth = surface.growth();
            self.open
                .clear_rounded(key, growth, surface.most_rounding());
        } else {
            self.open.clear(key, surface.growth());
        }
        self.nodes.improve(from, 0, surface.start_link());
        if key <= limit {
            push::<S>(&mut self.open, key, 0, from);
        }
    }

    /// Ends a search before it has begun: there is nothing to find.
    pub fn refuse(&mut self) {
        self.expansions = 0;
        self.last = None;
        self.goal = None;
        self.status = Some(Status::NotFound);
    }

    /// Goes on for at most `pops` nodes taken from the open list, those found outdated included.
    pub fn advance<S: Surface<Link = M::Link>>(&mut self, surface: &S, pops: u64) -> Status {
        if let Some(done @ (Status::Found | Status::NotFound)) = self.status {
            return done;
        }
        let status = self.run(surface, pops);
        self.status = Some(status);
        status
    }

    fn run<S: Surface<Link = M::Link>>(&mut self, surface: &S, pops: u64) -> Status {
        let goal = self.goal.unwrap_or(Cell::NONE);
        let limit = self.limit;
        let (mut nodes, mut open) = (self.nodes.run(), self.open.run());
        // Counters live in registers while the loop runs.
        let (mut outdated, mut popped, mut pushes) = (0, 0, 0);
        let (mut last_key, mut last_cell) = self.last.unwrap_or((0, Cell::NONE));
        let mut status = Status::Running;
        let mut found = self.found;
        while popped < pops {
            let next = match S::ROUNDS {
                true => open.pop_rounded(),
                false => open.pop(),
            };
            let Some((key, cell)) = next else {
                status = match found {
                    Some(_) if S::ROUNDS => Status::Found,
                    _ => Status::NotFound,
                };
                break;
            };
            if S::ROUNDS && found.is_some_and(|(bucket, _)| key > bucket) {
                status = Status::Found;
                break;
            }
            popped += 1;
            let Some((g, link)) = nodes.close(cell) else {
                outdated += 1;
                continue;
            };
            if S::ROUNDS
                && let Some((_, best)) = found
                && g.saturating_add(surface.estimate(cell, surface.place(cell))) >= best
            {
                continue;
            }
            (last_key, last_cell) = (key, cell);
            if cell == goal {
                if S::ROUNDS && open.rounds() {
                    found = Some((key, g));
                    continue;
                }
                status = Status::Found;
                break;
            }
            surface.for_each_successor(cell, link, |next, step, link, place| {
                let g = g.saturating_add(step);
                if nodes.improve(next, g, link) {
                    let f = g.saturating_add(surface.estimate(next, place));
                    let f = match O::RAISES_KEYS && !S::CONSISTENT {
                        true => f.max(key),
                        false => f,
                    };
                    if f <= limit {
                        pushes += 1;
                        push::<S>(&mut open, f, g, next);
                    }
                }
            });
        }
        self.expansions += popped - outdated;
        self.pops += popped;
        self.pushes += pushes;
        self.last = (last_cell != Cell::NONE).then_some((last_key, last_cell));
        self.found = found;
        status
    }

    /// The state of the search; [`Status::NotFound`] before the first one.
    pub fn status(&self) -> Status {
        self.status.unwrap_or(Status::NotFound)
    }

    /// Nodes expanded by the current search.
    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// The node expanded last, as an event. A search that is advanced node by node is traced so, and one that is not
    /// traced pays nothing for it.
    pub(crate) fn last_expanded<S: Surface<Link = M::Link>>(&self, surface: &S) -> Option<Event> {
        let (f, cell) = self.last?;
        let (g, link) = self.nodes.reached(cell)?;
        let parent = surface.parent(cell, link).unwrap_or(Cell::NONE);
        let f = f.max(g);
        Some(Event::Expanded { cell, parent, g, f })
    }

    /// Nodes taken from the open list by the current search, those found outdated included.
    pub fn pops(&self) -> u64 {
        self.pops
    }

    /// The node expanded last: the most promising one, whose path is final where nodes are not reopened.
    pub(crate) fn last_cell(&self) -> Option<Cell> {
        self.last.map(|(_, cell)| cell)
    }

    /// The memory of nodes.
    pub fn nodes(&self) -> &M {
        &self.nodes
    }

    /// The memory of nodes and the open list, to prepare them for a search.
    pub fn parts(&mut self) -> (&mut M, &mut O) {
        (&mut self.nodes, &mut self.open)
    }

    /// The cost of the best path known to a node.
    #[inline]
    pub fn g(&self, cell: Cell) -> Option<Cost> {
        self.nodes.reached(cell).map(|(g, _)| g)
    }

    /// The last link of the best path known to a node.
    #[inline]
    pub fn link(&self, cell: Cell) -> Option<M::Link> {
        self.nodes.reached(cell).map(|(_, link)| link)
    }

    /// The cost of the path found.
    pub fn cost(&self) -> Option<Cost> {
        match self.status() {
            Status::Found => self.g(self.goal?),
            _ => None,
        }
    }

    /// Writes the best path known to a node, start first. False where the node was not reached.
    pub fn trace<S: Surface<Link = M::Link>>(
        &self,
        surface: &S,
        to: Cell,
        path: &mut Vec<Cell>,
    ) -> bool {
        path.clear();
        let mut cell = to;
        while let Some((_, link)) = self.nodes.reached(cell) {
            path.push(cell);
            match surface.parent(cell, link) {
                Some(parent) => cell = parent,
                None => break,
            }
        }
        path.reverse();
        !path.is_empty()
    }

    /// What the current search uses of the memory, counted as JAIR 2010 counts it (section 8.6): the nodes that it has
    /// expanded and the entries of its open list, at 32 bits each. An expansion moves a node from one list to the other, so
    /// the sum is as large at the end as it ever was, but for outdated entries.
    pub(crate) fn used_bytes(&self) -> usize {
        let open = self.pushes.saturating_sub(self.pops);
        (self.expansions + open) as usize * super::BYTES_PER_STATE
    }

    /// Bytes held by open list and nodes.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.memory_bytes() + self.open.memory_bytes()
    }
}

/// Adds a node to a list whose keys are rounded where the surface allows it.
#[inline(always)]
fn push<S: Surface>(open: &mut impl Nodes, key: Cost, g: Cost, cell: Cell) {
    match S::ROUNDS {
        true => open.push_rounded(key, g, cell),
        false => open.push(key, g, cell),
    }
}
