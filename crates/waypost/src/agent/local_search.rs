//! The lookahead of real-time agents: a small search round the agent, the one core that all of them share.
//!
//! Two shapes (JAIR 2010, section 4, "local search space"):
//! - **full width** ([`LocalSearch::within`]): everything up to a cost. The paper's breadth-first search with duplicate
//!   detection, made to yield true costs: nodes are taken in the order of `g`. A node is expanded where all its edges end
//!   within the limit; the others are the frontier. The agent's own node is always expanded.
//! - **A*-shaped** ([`LocalSearch::towards`]): the nodes of least `g + h`, up to a number of expansions. Nodes are reopened
//!   when a better path turns up, so the frontier's costs are right also where learned values are inconsistent.
//!
//! The goal is never expanded: a frontier separates the agent from the goal, or holds it.
//!
//! Every node expanded counts as one expansion; a node that is popped without being expanded and a frontier node looked
//! at count as look-ups. Memory is private to the search and sized by [`LocalSearch::reserve`]: independent of the map.

use super::Context;
use crate::cost::Cost;
use crate::grid::Cell;
use crate::space::Space;

/// The number of a node in the search: nodes are numbered as they are reached, the agent's own is 0.
pub type Local = u32;

const NO_LOCAL: Local = Local::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the heap.
    Open,
    /// Taken from the heap of a full-width search and left unexpanded.
    Edge,
    /// Expanded.
    Closed,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    cell: Cell,
    g: Cost,
    h: Cost,
    /// The most `g + h` of any node on the path but the agent's own.
    most_f: u64,
    parent: Local,
    /// What the heap orders by, least first.
    key: (u64, u64),
    heap_position: u32,
    state: State,
}

/// What a lookahead found best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    /// The frontier node.
    pub node: Local,
    /// The value by which it was chosen.
    pub f: u64,
}

/// A bounded search in memory of its own.
#[derive(Clone, Debug, Default)]
pub struct LocalSearch {
    nodes: Vec<Node>,
    heap: Vec<Local>,
    /// Open addressing from cells to nodes: stamp and number. A power of two long.
    table: Vec<(u32, Local)>,
    stamp: u32,
    expansions: u64,
}

impl LocalSearch {
    /// Makes room for a search of this many nodes, so that it allocates nothing.
    pub fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve(nodes.saturating_sub(self.nodes.len()));
        self.heap.reserve(nodes.saturating_sub(self.heap.len()));
        let slots = (2 * nodes).next_power_of_two().max(64);
        if self.table.len() < slots {
            self.table = vec![(0, 0); slots];
            self.stamp = 0;
        }
    }

    /// How many nodes the search holds: its open and closed lists together.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has found no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Begins at the agent's node, whose own heuristic value is `h`.
    pub fn begin(&mut self, at: Cell, h: Cost) {
        self.nodes.clear();
        self.heap.clear();
        self.expansions = 0;
        self.reserve(1);
        if self.stamp == u32::MAX {
            self.table.fill((0, 0));
            self.stamp = 0;
        }
        self.stamp += 1;
        self.reach(at, 0, NO_LOCAL, || h, |_, _| (0, 0));
    }

    /// Goes on, full width, until everything within `limit` is reached; may be called again with a higher limit.
    pub fn within<S: Space>(
        &mut self,
        context: &mut Context<S>,
        goal: Cell,
        limit: Cost,
        h: impl Fn(Cell) -> Cost,
    ) {
        for node in 0..self.nodes.len() as Local {
            if self.nodes[node as usize].state == State::Edge {
                context.meter.look_ups += 1;
                self.nodes[node as usize].state = State::Open;
                self.push(node);
            }
        }
        let order = |g: Cost, _h: Cost| (u64::from(g), 0);
        while let Some(&top) = self.heap.first() {
            let node = self.nodes[top as usize];
            let highest = most_expensive_edge_of(context.space, node.cell);
            let beyond = node.g.saturating_add(highest) > limit;
            self.pop();
            if node.cell == goal || (beyond && top != 0) {
                context.meter.look_ups += 1;
                self.nodes[top as usize].state = State::Edge;
            } else {
                self.expand(context, top, &h, order);
            }
        }
    }

    /// Searches towards the goal until it is the best node, the frontier is empty, or `most` nodes were expanded.
    pub fn towards<S: Space>(
        &mut self,
        context: &mut Context<S>,
        goal: Cell,
        most: u64,
        h: impl Fn(Cell) -> Cost,
    ) {
        // Ties go to the higher g.
        let order = |g: Cost, h: Cost| (u64::from(g) + u64::from(h), u64::from(Cost::MAX - g));
        while let Some(&top) = self.heap.first() {
            if self.expansions >= most || self.nodes[top as usize].cell == goal {
                break;
            }
            self.pop();
            self.expand(context, top, &h, order);
        }
    }

    fn expand<S: Space>(
        &mut self,
        context: &mut Context<S>,
        node: Local,
        h: &impl Fn(Cell) -> Cost,
        order: impl Fn(Cost, Cost) -> (u64, u64) + Copy,
    ) {
        let Node {
            cell, g, h: own, ..
        } = self.nodes[node as usize];
        self.nodes[node as usize].state = State::Closed;
        self.expansions += 1;
        let parent = self.parent_cell(node);
        context.expanded(cell, parent, g, g.saturating_add(own));
        context.space.for_each_neighbour(cell, |next, cost| {
            self.reach(next, g.saturating_add(cost), node, || h(next), order);
        });
    }

    /// Records a path to a cell if it is the best so far.
    fn reach(
        &mut self,
        cell: Cell,
        g: Cost,
        parent: Local,
        h: impl FnOnce() -> Cost,
        order: impl Fn(Cost, Cost) -> (u64, u64),
    ) {
        let known = self.find(cell);
        let number = match known {
            Ok(number) if self.nodes[number as usize].g <= g => return,
            Ok(number) => number,
            Err(slot) => {
                let number = self.nodes.len() as Local;
                self.table[slot] = (self.stamp, number);
                self.nodes.push(Node {
                    cell,
                    g,
                    h: h(),
                    most_f: 0,
                    parent,
                    key: (0, 0),
                    heap_position: 0,
                    state: State::Closed,
                });
                number
            }
        };
        let before = self.nodes.get(parent as usize).map_or(0, |p| p.most_f);
        let node = &mut self.nodes[number as usize];
        node.g = g;
        node.parent = parent;
        node.key = order(g, node.h);
        if parent != NO_LOCAL {
            node.most_f = before.max(u64::from(g) + u64::from(node.h));
        }
        if node.state == State::Open {
            let position = node.heap_position as usize;
            self.sift_up(position);
        } else {
            node.state = State::Open;
            self.push(number);
        }
        if 2 * self.nodes.len() > self.table.len() {
            self.grow_table();
        }
    }

    /// Where a search outgrows what was reserved, its table is made again: only before set-up knew the bound.
    fn grow_table(&mut self) {
        self.table = vec![(0, 0); 2 * self.table.len()];
        self.stamp = 1;
        for number in 0..self.nodes.len() as Local {
            if let Err(slot) = self.find(self.nodes[number as usize].cell) {
                self.table[slot] = (self.stamp, number);
            }
        }
    }

    /// The number of a cell's node, or the slot of the table where it belongs.
    #[inline]
    fn find(&self, cell: Cell) -> Result<Local, usize> {
        let mask = self.table.len() - 1;
        let mut slot = (cell.0.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        loop {
            let (stamp, number) = self.table[slot];
            if stamp != self.stamp {
                return Err(slot);
            }
            if self.nodes[number as usize].cell == cell {
                return Ok(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The frontier node of least `g + h`, counting for each node the largest such sum on the path to it; ties to the
    /// higher `g`, then to the node reached first.
    pub(crate) fn best_by_path<S: Space>(&self, context: &mut Context<S>) -> Option<Best> {
        self.best(context, |node| node.most_f)
    }

    /// The frontier node of least `g + h`; ties to the higher `g`, then to the node reached first.
    pub fn best_by_end<S: Space>(&self, context: &mut Context<S>) -> Option<Best> {
        self.best(context, |node| u64::from(node.g) + u64::from(node.h))
    }

    fn best<S: Space>(
        &self,
        context: &mut Context<S>,
        value: impl Fn(&Node) -> u64,
    ) -> Option<Best> {
        context.meter.look_ups += self.nodes.len() as u64;
        self.nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.state != State::Closed)
            .min_by_key(|(i, node)| (value(node), Cost::MAX - node.g, *i))
            .map(|(i, node)| Best {
                node: i as Local,
                f: value(node),
            })
    }

    /// The frontier node of the least rank, which is given its cell and its value; ties as in [`LocalSearch::best_by_end`].
    pub(crate) fn best_by_rank<S: Space>(
        &self,
        context: &mut Context<S>,
        rank: impl Fn(Cell, Cost) -> Cost,
    ) -> Option<Local> {
        context.meter.look_ups += self.nodes.len() as u64;
        let frontier = self.heap.iter().copied();
        frontier.min_by_key(|&number| {
            let node = &self.nodes[number as usize];
            let f = u64::from(node.g) + u64::from(node.h);
            (rank(node.cell, node.h), f, Cost::MAX - node.g, number)
        })
    }

    /// The best node of an A*-shaped search: the top of its heap.
    pub fn top(&self) -> Option<Best> {
        self.heap.first().map(|&node| Best {
            node,
            f: u64::from(self.g(node)) + u64::from(self.h(node)),
        })
    }

    /// The cell of a node.
    pub fn cell(&self, node: Local) -> Cell {
        self.nodes[node as usize].cell
    }

    /// The cost of the path to a node.
    pub fn g(&self, node: Local) -> Cost {
        self.nodes[node as usize].g
    }

    /// The heuristic value of a node when it was reached.
    pub fn h(&self, node: Local) -> Cost {
        self.nodes[node as usize].h
    }

    /// The nodes that were expanded and are not open again.
    pub fn closed(&self) -> impl Iterator<Item = Local> + '_ {
        (0..self.nodes.len() as Local)
            .filter(|&node| self.nodes[node as usize].state == State::Closed)
    }

    fn parent_cell(&self, node: Local) -> Cell {
        self.nodes
            .get(self.nodes[node as usize].parent as usize)
            .map_or(Cell::NONE, |parent| parent.cell)
    }

    /// The path to a node, from the node back to the first step; the agent's own node is left out.
    pub(crate) fn path_back(&self, node: Local) -> impl Iterator<Item = Cell> + '_ {
        std::iter::successors(Some(node), |&node| Some(self.nodes[node as usize].parent))
            .take_while(|&node| self.nodes[node as usize].parent != NO_LOCAL)
            .map(|node| self.cell(node))
    }

    /// Lifts the values of all closed nodes to the least cost by which the frontier's values can be reached from them
    /// (Dijkstra's algorithm from the frontier inwards), the learning rule of LSS-LRTA*. Tells `raise` of each cell with
    /// its new value. Uses up the search.
    pub(crate) fn spread_from_frontier<S: Space>(
        &mut self,
        context: &mut Context<S>,
        mut raise: impl FnMut(Cell, Cost),
    ) {
        let mut unsettled = 0usize;
        context.meter.look_ups += self.nodes.len() as u64;
        self.heap.clear();
        for number in 0..self.nodes.len() as Local {
            let node = &mut self.nodes[number as usize];
            if node.state == State::Closed {
                unsettled += 1;
                node.h = Cost::MAX;
            } else {
                node.key = (u64::from(node.h), 0);
                node.state = State::Open;
                self.push(number);
            }
        }
        while unsettled > 0 {
            let Some(&top) = self.heap.first() else {
                break;
            };
            self.pop();
            // All its neighbours are looked at, as in the search itself.
            context.meter.expansions += 1;
            let node = self.nodes[top as usize];
            // Frontier nodes keep their values: only what was expanded has just been settled.
            self.nodes[top as usize].state = State::Edge;
            if node.key.1 == 1 {
                unsettled -= 1;
                raise(node.cell, node.h);
            }
            context.space.for_each_neighbour(node.cell, |next, cost| {
                self.relax(next, node.h.saturating_add(cost));
            });
        }
    }

    fn relax(&mut self, cell: Cell, value: Cost) {
        let Ok(number) = self.find(cell) else {
            return;
        };
        let node = &mut self.nodes[number as usize];
        if node.h <= value || node.state == State::Edge {
            return;
        }
        let waiting = node.state == State::Open;
        if waiting && node.key.1 == 0 {
            return;
        }
        node.h = value;
        node.key = (u64::from(value), 1);
        if waiting {
            let position = node.heap_position as usize;
            self.sift_up(position);
        } else {
            node.state = State::Open;
            self.push(number);
        }
    }

    fn push(&mut self, node: Local) {
        self.heap.push(node);
        self.sift_up(self.heap.len() - 1);
    }

    #[inline]
    fn before(&self, a: Local, b: Local) -> bool {
        (self.nodes[a as usize].key, a) < (self.nodes[b as usize].key, b)
    }

    fn place(&mut self, position: usize, node: Local) {
        self.heap[position] = node;
        self.nodes[node as usize].heap_position = position as u32;
    }

    fn sift_up(&mut self, mut position: usize) {
        let node = self.heap[position];
        while position > 0 {
            let parent = (position - 1) / 2;
            if !self.before(node, self.heap[parent]) {
                break;
            }
            self.place(position, self.heap[parent]);
            position = parent;
        }
        self.place(position, node);
    }

    /// Takes the first node out of the heap.
    fn pop(&mut self) {
        let Some(node) = self.heap.pop() else {
            return;
        };
        let length = self.heap.len();
        if length == 0 {
            return;
        }
        let mut position = 0;
        loop {
            let mut child = 2 * position + 1;
            if child >= length {
                break;
            }
            if child + 1 < length && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.before(self.heap[child], node) {
                break;
            }
            self.place(position, self.heap[child]);
            position = child;
        }
        self.place(position, node);
    }
}

/// The most expensive edge at a node; 0 where it has none.
#[inline]
fn most_expensive_edge_of<S: Space>(space: &S, cell: Cell) -> Cost {
    let mut highest = 0;
    space.for_each_neighbour(cell, |_, cost| highest = highest.max(cost));
    highest
}
