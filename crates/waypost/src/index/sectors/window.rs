//! A* inside a few sectors, small enough to belong to one agent and to be spread over its moves.
//!
//! The window's memory depends on the side of a sector and on the number of sectors alone, never on the map. The search
//! can be stopped after any number of expansions and resumed; the blocking call drives the same loop.

use super::Layout;
use crate::cost::{Cost, UNREACHED};
use crate::grid::scan::canonical;
use crate::grid::{Cell, Direction, Directions, Point};
use crate::map::Map;
use crate::trace::Event;

/// The state of a window's search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowState {
    /// There is more to expand.
    Open,
    /// The target's best path is known.
    Found,
    /// The target cannot be reached inside the window.
    Exhausted,
}

const NO_SLOT: u8 = u8::MAX;
const CLOSED: u8 = 0x80;
const NO_DIRECTION: u8 = 0x0f;
const NO_NODE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    g: Cost,
    /// Neighbours in the bucket that the node waits in.
    next: u32,
    previous: u32,
    /// The search that it belongs to; what other searches have left is void.
    stamp: u16,
    /// The direction of the move that reached it, and whether it is closed.
    state: u8,
}

const FRESH: Node = Node {
    g: UNREACHED,
    next: NO_NODE,
    previous: NO_NODE,
    stamp: 0,
    state: NO_DIRECTION,
};

/// A resumable A* in a set of sectors.
#[derive(Clone, Debug)]
pub struct Window {
    layout: Layout,
    most_sectors: usize,
    /// The corner of the box of sectors, and its side, in sectors.
    corner: (u32, u32),
    box_side: u32,
    slots: Vec<u8>,
    used: usize,
    nodes: Vec<Node>,
    stamp: u16,
    open: Buckets,
    /// Column and row of the sector in each slot.
    places: Vec<(u32, u32)>,
    from: Cell,
    target: Cell,
    target_point: Point,
    state: WindowState,
    /// The node expanded last.
    last: u32,
}

impl Window {
    /// Memory for windows of at most `most_sectors` sectors within a box of `box_side` sectors on a side.
    pub fn new(layout: Layout, most_sectors: usize, box_side: u32) -> Window {
        Window {
            layout,
            most_sectors: most_sectors.min(usize::from(NO_SLOT)),
            corner: (0, 0),
            box_side,
            slots: vec![NO_SLOT; (box_side * box_side) as usize],
            used: 0,
            nodes: vec![FRESH; most_sectors * layout.area()],
            stamp: 0,
            open: Buckets::new(),
            places: vec![(0, 0); most_sectors],
            from: Cell::NONE,
            target: Cell::NONE,
            target_point: Point { x: 0, y: 0 },
            state: WindowState::Exhausted,
            last: NO_NODE,
        }
    }

    /// Begins with an empty window whose box starts at a sector: [`Window::include`] fills it.
    pub fn clear(&mut self, corner: (u32, u32)) {
        self.corner = corner;
        self.slots.fill(NO_SLOT);
        self.used = 0;
        self.open.clear();
        self.state = WindowState::Exhausted;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.nodes.fill(FRESH);
            self.stamp = 1;
        }
    }

    /// Adds a sector to the window; one outside the box or beyond the window's size is left out.
    pub fn include(&mut self, place: (u32, u32)) {
        let Some(at) = self.box_index(place) else {
            return;
        };
        if self.slots[at] != NO_SLOT || self.used == self.most_sectors {
            return;
        }
        self.slots[at] = self.used as u8;
        self.places[self.used] = place;
        self.used += 1;
    }

    /// Makes room for the costs of a map: on terrain keys lie further apart.
    pub fn fit(&mut self, map: &Map) {
        self.open.fit(2 * map.max_step_cost());
    }

    /// Begins a search. Without a target it is a Dijkstra search of the whole window.
    pub fn begin(&mut self, map: &Map, from: Cell, target: Option<Cell>) {
        self.fit(map);
        self.from = from;
        self.target = target.unwrap_or(Cell::NONE);
        self.target_point = map.grid().point(target.unwrap_or(from));
        self.state = WindowState::Exhausted;
        self.last = NO_NODE;
        let Some(at) = self.index(map.grid().point(from)) else {
            return;
        };
        self.freshen(at);
        self.nodes[at].g = 0;
        let f = self.estimate(map, map.grid().point(from));
        self.open.start(f);
        self.open.insert(&mut self.nodes, f, at as u32);
        self.state = WindowState::Open;
    }

    /// Expands up to `most` nodes, each cell of the window at most once in all; returns how many it took.
    pub fn advance(&mut self, map: &Map, most: u64) -> u64 {
        let mut expansions = 0;
        while self.state == WindowState::Open && expansions < most {
            let Some(at) = self.open.pop(&mut self.nodes) else {
                self.state = WindowState::Exhausted;
                break;
            };
            expansions += 1;
            self.last = at;
            self.expand(map, at as usize);
        }
        expansions
    }

    fn expand(&mut self, map: &Map, at: usize) {
        let point = self.point_of(at);
        let cell = map.grid().cell(point).unwrap_or(Cell::NONE);
        self.nodes[at].state |= CLOSED;
        if cell == self.target {
            self.state = WindowState::Found;
            return;
        }
        let node = self.nodes[at];
        // Off the edges of its sector all eight cells around lie in the window, a fixed way from this one.
        let is_inner = self.layout.is_inner(at);
        for direction in self.moves(map, cell, node.state & NO_DIRECTION, is_inner) {
            let next_point = Point {
                x: point.x.wrapping_add_signed(direction.dx()),
                y: point.y.wrapping_add_signed(direction.dy()),
            };
            let next = if is_inner {
                let down = direction.dy() as isize * self.layout.side() as isize;
                at.wrapping_add_signed(down + direction.dx() as isize)
            } else if let Some(next) = self.index(next_point) {
                next
            } else {
                continue;
            };
            self.freshen(next);
            let (g, known) = (node.g + map.step_cost(cell, direction), self.nodes[next].g);
            if g < known {
                let h = self.estimate(map, next_point);
                if known != UNREACHED {
                    self.open.remove(&mut self.nodes, known + h, next as u32);
                }
                self.nodes[next].g = g;
                self.nodes[next].state = direction as u8;
                self.open.insert(&mut self.nodes, g + h, next as u32);
            }
        }
    }

    /// The moves worth trying from a cell that was entered in a direction. What is left out is reached as cheaply over the cells
    /// around, so it may be left out only where steps cost the same everywhere and all of these are in the window.
    #[inline]
    fn moves(&self, map: &Map, cell: Cell, arrival: u8, is_inner: bool) -> Directions {
        let around = map.grid().neighbourhood(cell);
        if arrival == NO_DIRECTION {
            return map.rules().legal(around);
        }
        let arrival = Direction::from_number(arrival);
        match is_inner && map.ground().is_none() {
            true => canonical::after(map.rules().corners, arrival, around),
            false => map.rules().legal(around).without(arrival.opposite()),
        }
    }

    /// Voids what another search has left in a node.
    #[inline]
    fn freshen(&mut self, at: usize) {
        if self.nodes[at].stamp != self.stamp {
            self.nodes[at] = Node {
                stamp: self.stamp,
                ..FRESH
            };
        }
    }

    /// The node of a cell that this search has reached.
    fn node(&self, map: &Map, cell: Cell) -> Option<Node> {
        let node = self.nodes[self.index(map.grid().point(cell))?];
        (node.stamp == self.stamp).then_some(node)
    }

    #[inline]
    fn estimate(&self, map: &Map, point: Point) -> Cost {
        if self.target == Cell::NONE {
            return 0;
        }
        let (dx, dy) = point.distances(self.target_point);
        map.least_steps().octile(dx, dy)
    }

    /// How far the search is.
    pub fn state(&self) -> WindowState {
        self.state
    }

    /// The expansion made last, for a trace.
    pub(crate) fn last_expanded(&self, map: &Map) -> Option<Event> {
        let node = self.nodes.get(self.last as usize)?;
        let point = self.point_of(self.last as usize);
        let cell = map.grid().cell(point)?;
        Some(Event::Expanded {
            cell,
            parent: self.before(map, cell).unwrap_or(Cell::NONE),
            g: node.g,
            f: node.g + self.estimate(map, point),
        })
    }

    /// Where the search began.
    pub fn from(&self) -> Cell {
        self.from
    }

    /// The cost of the best path to a cell that has been expanded.
    pub(crate) fn settled_cost(&self, map: &Map, cell: Cell) -> Option<Cost> {
        let node = self.node(map, cell)?;
        (node.state & CLOSED != 0).then_some(node.g)
    }

    /// The most promising place that has not been expanded; the target itself once it is found.
    pub fn best(&self) -> Option<Point> {
        match self.state {
            WindowState::Found => Some(self.target_point),
            _ => self.open.peek().map(|at| self.point_of(at as usize)),
        }
    }

    /// The cell before this one on its best path; `None` at the start and outside what was reached.
    pub fn before(&self, map: &Map, cell: Cell) -> Option<Cell> {
        let direction = self.node(map, cell)?.state & NO_DIRECTION;
        (direction != NO_DIRECTION).then(|| {
            map.grid()
                .neighbour(cell, Direction::from_number(direction).opposite())
        })
    }

    /// The number of each sector of the box among those of the window, row by row, and for all cells of these, one sector after
    /// the other, the direction of the move that reached it.
    pub fn arrivals(&self) -> (&[u8], impl ExactSizeIterator<Item = Option<Direction>> + '_) {
        let nodes = self.nodes[..self.used * self.layout.area()].iter();
        let arrivals = nodes.map(|node| {
            let direction = node.state & NO_DIRECTION;
            let reached = node.stamp == self.stamp && direction != NO_DIRECTION;
            reached.then(|| Direction::from_number(direction))
        });
        (&self.slots, arrivals)
    }

    /// Bytes that the window takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Window>()
            + self.slots.len()
            + self.places.len() * 8
            + self.nodes.len() * size_of::<Node>()
            + self.open.memory_bytes()
    }

    #[inline]
    fn point_of(&self, at: usize) -> Point {
        let (column, row) = self.places[at / self.layout.area()];
        let offset = (at % self.layout.area()) as u32;
        Point {
            x: (column << self.layout.bits()) + (offset & (self.layout.side() - 1)),
            y: (row << self.layout.bits()) + (offset >> self.layout.bits()),
        }
    }

    #[inline]
    fn box_index(&self, (column, row): (u32, u32)) -> Option<usize> {
        let (x, y) = (
            column.wrapping_sub(self.corner.0),
            row.wrapping_sub(self.corner.1),
        );
        (x < self.box_side && y < self.box_side).then(|| (y * self.box_side + x) as usize)
    }

    #[inline]
    fn index(&self, point: Point) -> Option<usize> {
        let slot = self.slots[self.box_index(self.layout.place(point))?];
        (slot != NO_SLOT)
            .then(|| usize::from(slot) * self.layout.area() + self.layout.offset(point))
    }
}

/// Buckets of exact costs in a ring: every f in use lies within twice the largest edge of the least one, so a ring of
/// more slots than that keeps costs apart. A bitmap finds the next bucket in use. Buckets are lists through the nodes
/// themselves, so a node whose cost falls moves from one to the other and is never met twice: the number of expansions
/// is bounded by the number of cells. The node put in last comes out first, which prefers larger g among equal f.
#[derive(Clone, Debug)]
struct Buckets {
    heads: Vec<u32>,
    in_use: Vec<u64>,
    /// Which words of `in_use` are not zero: keys in use lie some words apart.
    words_in_use: Vec<u64>,
    current: usize,
}

/// More than twice 1393, a power of two: enough on plain ground.
const PLAIN_SLOTS: usize = 4096;

impl Buckets {
    fn new() -> Buckets {
        Buckets {
            heads: vec![NO_NODE; PLAIN_SLOTS],
            in_use: vec![0; PLAIN_SLOTS / 64],
            words_in_use: vec![0; PLAIN_SLOTS / 4096],
            current: 0,
        }
    }

    /// A ring of more slots than keys can differ by. It must be empty.
    fn fit(&mut self, growth: Cost) {
        let slots = (growth as usize + 1).next_power_of_two();
        if slots > self.heads.len() {
            self.heads.resize(slots, NO_NODE);
            self.in_use.resize(slots / 64, 0);
            self.words_in_use.resize(slots / 4096, 0);
        }
    }

    #[inline]
    fn slot(&self, f: Cost) -> usize {
        f as usize & (self.heads.len() - 1)
    }

    fn clear(&mut self) {
        for (i, word) in self.in_use.iter_mut().enumerate() {
            while *word != 0 {
                self.heads[i * 64 + word.trailing_zeros() as usize] = NO_NODE;
                *word &= *word - 1;
            }
        }
        self.words_in_use.fill(0);
    }

    fn start(&mut self, f: Cost) {
        self.current = self.slot(f);
    }

    #[inline]
    fn insert(&mut self, nodes: &mut [Node], f: Cost, at: u32) {
        let slot = self.slot(f);
        let head = self.heads[slot];
        nodes[at as usize].next = head;
        nodes[at as usize].previous = NO_NODE;
        if head != NO_NODE {
            nodes[head as usize].previous = at;
        }
        self.heads[slot] = at;
        self.in_use[slot / 64] |= 1 << (slot % 64);
        self.words_in_use[slot / 4096] |= 1 << (slot / 64 % 64);
    }

    #[inline]
    fn remove(&mut self, nodes: &mut [Node], f: Cost, at: u32) {
        let Node { next, previous, .. } = nodes[at as usize];
        if next != NO_NODE {
            nodes[next as usize].previous = previous;
        }
        if previous != NO_NODE {
            nodes[previous as usize].next = next;
        } else {
            self.set_head(self.slot(f), next);
        }
    }

    #[inline]
    fn set_head(&mut self, slot: usize, head: u32) {
        self.heads[slot] = head;
        if head == NO_NODE {
            let word = &mut self.in_use[slot / 64];
            *word &= !(1 << (slot % 64));
            if *word == 0 {
                self.words_in_use[slot / 4096] &= !(1 << (slot / 64 % 64));
            }
        }
    }

    fn peek(&self) -> Option<u32> {
        self.next_slot().map(|slot| self.heads[slot])
    }

    #[inline]
    fn pop(&mut self, nodes: &mut [Node]) -> Option<u32> {
        // Mostly there is more in the bucket at hand.
        let mut slot = self.current;
        let mut at = self.heads[slot];
        if at == NO_NODE {
            slot = self.next_slot()?;
            self.current = slot;
            at = self.heads[slot];
        }
        let next = nodes[at as usize].next;
        if next != NO_NODE {
            nodes[next as usize].previous = NO_NODE;
        }
        self.set_head(slot, next);
        Some(at)
    }

    /// The first slot in use at or after the current one, round the ring.
    #[inline]
    fn next_slot(&self) -> Option<usize> {
        let (word, bit) = (self.current / 64, self.current % 64);
        let here = self.in_use[word] >> bit << bit;
        if here != 0 {
            return Some(word * 64 + here.trailing_zeros() as usize);
        }
        let word = self.next_word(word)?;
        Some(word * 64 + self.in_use[word].trailing_zeros() as usize)
    }

    /// The first word in use after one, round the ring and back to that one.
    #[inline]
    fn next_word(&self, word: usize) -> Option<usize> {
        let (group, bit) = (word / 64, word % 64);
        let after = self.words_in_use[group] & (u64::MAX << bit << 1);
        if after != 0 {
            return Some(group * 64 + after.trailing_zeros() as usize);
        }
        let groups = self.words_in_use.len();
        (1..=groups)
            .map(|i| (group + i) & (groups - 1))
            .find(|&group| self.words_in_use[group] != 0)
            .map(|group| group * 64 + self.words_in_use[group].trailing_zeros() as usize)
    }

    fn memory_bytes(&self) -> usize {
        self.heads.len() * 4 + (self.in_use.len() + self.words_in_use.len()) * 8
    }
}

#[cfg(test)]
mod tests;
