//! The clique abstraction: ever coarser graphs of a map, until one node stands for each connected component.
//!
//! Sturtevant and Buro, *Partial Pathfinding Using Map Abstraction and Refinement*, AAAI 2005. Level 0 is the grid with
//! its legal moves. A node of level `l + 1` stands for a clique of up to four nodes of level `l`, together with the
//! *orphans* whose only neighbour is in it; two nodes are joined by an edge where any of their children are, so where
//! any ground move leads from one to the other. A node without edges is a *top*: it has no parent, and its ground cells
//! are exactly one component.
//!
//! - **Order**: at each level all 4-cliques are taken first, then 3-cliques, pairs and orphans, nodes with few neighbours
//!   before those with many. What is left is alone in its parent. Cliques come from the edge set, never from coordinates.
//! - **Positions** are means of the children's positions, every child with equal weight, in sixteenths of a cell.
//! - **Costs** of abstract edges are octile distances of positions, rounded up, and the heuristic is the same distance
//!   rounded down: as a metric it is consistent, so searches on every level never open a node twice. (Notes of the field
//!   warn of inconsistent abstract heuristics; that is so only for other edge costs, such as counted steps.)
//! - **On terrain** a node has the mean of its children's factors, and an edge costs that distance times the mean of both
//!   nodes' factors; the heuristic takes the least factor of the map.
//! - **Memory**: 4 bytes for each cell id and about 64 for each node of a level, nodes of all levels in one array. Ground
//!   children are not stored: they are connected, so they are found from one of them.
//! - **Complexity**: building is O(n) as long as degrees are bounded; a chain of parents is O(log n) long on game maps
//!   (the paper: Θ(n) in pathological orders). A repair visits, level by level, the groups next to the change.
//!
//! ```
//! use waypost::{Grid, Map, MoveRules, Point, hierarchy::Hierarchy};
//! let grid = Grid::from_fn(40, 30, |p| p.x != 20)?;
//! let map = Map::new(grid, MoveRules::default());
//! let hierarchy = Hierarchy::build(&map);
//! let cell = |x, y| map.passable_cell(Point { x, y }).unwrap();
//! assert!(hierarchy.connected(cell(0, 0), cell(19, 29)));
//! assert!(!hierarchy.connected(cell(0, 0), cell(21, 0)));
//! # Ok::<(), waypost::grid::GridError>(())
//! ```

mod build;
mod check;
mod edges;
mod grouping;

mod clique_repair;
pub mod graph_levels;
pub mod quick_path;
mod sections;
#[cfg(test)]
pub(crate) mod testing;

pub use check::Flaw;
pub use clique_repair::Repair;
pub(crate) use sections::{open, write};

use crate::cost::{Cost, StepCosts};
use crate::grid::Cell;
use crate::map::Map;
use edges::{EdgeList, EdgePool};

/// No node: the parent of tops and of walls.
pub const NO_NODE: u32 = u32::MAX;
/// Positions are in parts of a cell: this many to a side.
pub const POSITION_SCALE: u32 = 16;

/// An abstract node. Ids of parents, children, siblings and neighbours are numbers in one array for all levels; the
/// children of level 1 are cell ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Node {
    pub parent: u32,
    pub first_child: u32,
    pub next_sibling: u32,
    pub x: u32,
    pub y: u32,
    pub edge_start: u32,
    pub edge_count: u32,
    /// From 1; 0 where the entry is unused.
    pub level: u32,
}

impl Node {
    const UNUSED: Node = Node {
        parent: NO_NODE,
        first_child: NO_NODE,
        next_sibling: NO_NODE,
        x: 0,
        y: 0,
        edge_start: 0,
        edge_count: 0,
        level: 0,
    };

    #[inline]
    fn edges(&self) -> EdgeList {
        EdgeList {
            start: self.edge_start,
            count: self.edge_count,
        }
    }
}

/// A node of any level: a cell on level 0, else an abstract node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The level, 0 for the ground.
    pub level: u32,
    /// The cell's id on level 0, the node's number above.
    pub id: u32,
}

/// All levels above a map.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    stride: u32,
    /// The level-1 node of every cell; [`NO_NODE`] for walls and for cells without a legal move.
    cell_parents: Vec<u32>,
    nodes: Vec<Node>,
    /// On terrain the mean factor of every node in hundredths; else nothing.
    weights: Vec<u32>,
    edges: EdgePool,
    unused: Vec<u32>,
    /// Nodes of each level; entry 0 counts passable cells.
    level_sizes: Vec<u32>,
    /// The most children that a node of each level has; after repairs, has had.
    largest_groups: Vec<u32>,
    state: u64,
}

impl Hierarchy {
    /// The highest level that has nodes: 0 on a map without moves.
    pub fn height(&self) -> u32 {
        self.level_sizes.len() as u32 - 1
    }

    /// How many nodes a level has; level 0 has the passable cells.
    pub fn level_size(&self, level: u32) -> u32 {
        self.level_sizes.get(level as usize).copied().unwrap_or(0)
    }

    /// Abstract nodes of all levels.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len() - self.unused.len()
    }

    /// Ids of abstract nodes are below this: the length of an array over them.
    #[inline]
    pub(crate) fn node_bound(&self) -> usize {
        self.nodes.len()
    }

    /// The state of the grid that it describes.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Hierarchy>()
            + self.cell_parents.len() * 4
            + self.nodes.len() * size_of::<Node>()
            + self.weights.len() * 4
            + self.edges.memory_bytes()
            + self.unused.len() * 4
    }

    /// The level of an abstract node.
    pub(crate) fn level_of(&self, node: u32) -> u32 {
        self.nodes[node as usize].level
    }

    /// The parent of a node; [`NO_NODE`] for tops, walls and ids that do not exist.
    #[inline]
    pub fn parent(&self, place: Place) -> u32 {
        if place.level == 0 {
            self.cell_parents
                .get(place.id as usize)
                .copied()
                .unwrap_or(NO_NODE)
        } else {
            self.nodes
                .get(place.id as usize)
                .map_or(NO_NODE, |node| node.parent)
        }
    }

    /// A cell below a node, always the same one; [`Cell::NONE`] for a node that does not exist.
    pub(crate) fn some_cell(&self, mut place: Place) -> Cell {
        while place.level > 0 {
            let Some(node) = self.nodes.get(place.id as usize) else {
                return Cell::NONE;
            };
            place = Place {
                level: place.level - 1,
                id: node.first_child,
            };
        }
        Cell(place.id)
    }

    /// The ancestor of a cell at a level, or its top where that is lower.
    #[inline]
    pub fn ancestor(&self, cell: Cell, level: u32) -> Place {
        let mut place = Place {
            level: 0,
            id: cell.0,
        };
        while place.level < level {
            let parent = self.parent(place);
            if parent == NO_NODE {
                break;
            }
            place = Place {
                level: place.level + 1,
                id: parent,
            };
        }
        place
    }

    /// The node that stands for the whole component of a passable cell.
    pub fn top(&self, cell: Cell) -> Place {
        self.ancestor(cell, u32::MAX)
    }

    /// Is there a path between two passable cells? O(height).
    pub fn connected(&self, a: Cell, b: Cell) -> bool {
        self.top(a) == self.top(b)
    }

    /// The lowest level on which the ancestors of two cells are the same or neighbours: the paper's coarse measure of
    /// the distance between them. `None` where there is no path.
    pub(crate) fn meeting_level(&self, map: &Map, a: Cell, b: Cell) -> Option<u32> {
        let (mut a, mut b) = (Place { level: 0, id: a.0 }, Place { level: 0, id: b.0 });
        loop {
            if a == b || self.adjacent(map, a.level, a.id, b.id) {
                return Some(a.level);
            }
            let (up_a, up_b) = (self.parent(a), self.parent(b));
            if up_a == NO_NODE || up_b == NO_NODE {
                return None;
            }
            let level = a.level + 1;
            a = Place { level, id: up_a };
            b = Place { level, id: up_b };
        }
    }

    /// Appends the children of an abstract node.
    pub fn children(&self, node: u32, out: &mut Vec<u32>) {
        let entry = &self.nodes[node as usize];
        if entry.level == 1 {
            self.ground_children(node, entry.first_child, out);
        } else {
            let mut child = entry.first_child;
            while child != NO_NODE {
                out.push(child);
                child = self.nodes[child as usize].next_sibling;
            }
        }
    }

    /// Cells of a level-1 node: connected by single steps, so found from the first. Steps are taken without regard to
    /// walls, which makes this right also between a patch and the repair.
    fn ground_children(&self, node: u32, first: u32, out: &mut Vec<u32>) {
        let mut next = out.len();
        out.push(first);
        let stride = self.stride;
        while next < out.len() {
            let at = out[next];
            next += 1;
            for near in [
                at.wrapping_sub(stride + 1),
                at.wrapping_sub(stride),
                at.wrapping_sub(stride - 1),
                at.wrapping_sub(1),
                at.wrapping_add(1),
                at.wrapping_add(stride - 1),
                at.wrapping_add(stride),
                at.wrapping_add(stride + 1),
            ] {
                if self.cell_parents.get(near as usize) == Some(&node) && !out.contains(&near) {
                    out.push(near);
                }
            }
        }
    }

    /// No node of a level has more children than this; after repairs it is the most that any has had.
    pub(crate) fn largest_group(&self, level: u32) -> usize {
        let known = self.largest_groups.get(level as usize);
        known.copied().unwrap_or(0) as usize
    }

    /// Counts the children of all nodes: one pass over cells and nodes.
    fn measure_groups(&mut self) {
        let mut children = vec![0u32; self.nodes.len()];
        let above = self.nodes.iter().map(|node| node.parent);
        for parent in self.cell_parents.iter().copied().chain(above) {
            if parent != NO_NODE {
                children[parent as usize] += 1;
            }
        }
        self.largest_groups.clear();
        for (id, children) in children.into_iter().enumerate() {
            self.note_group(self.nodes[id].level, children);
        }
    }

    /// A node of this level has so many children.
    fn note_group(&mut self, level: u32, children: u32) {
        let level = level as usize;
        if self.largest_groups.len() <= level {
            self.largest_groups.resize(level + 1, 0);
        }
        let most = &mut self.largest_groups[level];
        *most = children.max(*most);
    }

    /// The neighbours of an abstract node, sorted by id.
    #[inline]
    pub fn edges(&self, node: u32) -> &[u32] {
        self.edges.list(self.nodes[node as usize].edges())
    }

    /// Calls `visit` with every neighbour of a node of any level, in a fixed order.
    #[inline]
    pub fn for_each_neighbour(&self, map: &Map, place: Place, mut visit: impl FnMut(u32)) {
        if place.level == 0 {
            let cell = Cell(place.id);
            for d in map.legal(cell) {
                visit(map.grid().neighbour(cell, d).0);
            }
        } else {
            for &next in self.edges(place.id) {
                visit(next);
            }
        }
    }

    /// Whether an edge joins two nodes of a level.
    pub fn adjacent(&self, map: &Map, level: u32, a: u32, b: u32) -> bool {
        if level == 0 {
            return map.legal_step(Cell(a), Cell(b)).is_some();
        }
        let (few, other) = if self.nodes[a as usize].edge_count <= self.nodes[b as usize].edge_count
        {
            (a, b)
        } else {
            (b, a)
        };
        self.edges(few).binary_search(&other).is_ok()
    }

    /// Has a node exactly one neighbour, several, or none? Counts no further than two.
    fn few_neighbours(&self, map: &Map, place: Place) -> u32 {
        if place.level == 0 {
            map.legal(Cell(place.id)).len().min(2)
        } else {
            self.nodes[place.id as usize].edge_count.min(2)
        }
    }

    /// Where a node is, in parts of a cell ([`POSITION_SCALE`]).
    #[inline]
    pub fn position(&self, map: &Map, place: Place) -> [u32; 2] {
        if place.level == 0 {
            let point = map.grid().point(Cell(place.id));
            [point.x * POSITION_SCALE, point.y * POSITION_SCALE]
        } else {
            let node = &self.nodes[place.id as usize];
            [node.x, node.y]
        }
    }

    #[inline]
    pub(crate) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }
}

impl Hierarchy {
    /// The factor of a node of any level in hundredths; 0 where there is no terrain.
    fn weight(&self, map: &Map, place: Place) -> u32 {
        if place.level > 0 {
            return self.weights.get(place.id as usize).copied().unwrap_or(0);
        }
        map.ground()
            .map_or(0, |ground| ground.hundredths(Cell(place.id)))
    }

    /// Gives nodes the mean of their children's factors; lower levels first.
    fn weigh(&mut self, map: &Map, nodes: impl Iterator<Item = u32>) {
        if map.ground().is_none() {
            return;
        }
        self.weights.resize(self.nodes.len(), 0);
        let mut members = Vec::new();
        for node in nodes {
            self.weights[node as usize] = self.mean_weight(map, node, &mut members);
        }
    }

    /// The mean of the children's factors.
    fn mean_weight(&self, map: &Map, node: u32, members: &mut Vec<u32>) -> u32 {
        members.clear();
        self.children(node, members);
        let level = self.nodes[node as usize].level - 1;
        let weight = |&id: &u32| u64::from(self.weight(map, Place { level, id }));
        let sum: u64 = members.iter().map(weight).sum();
        (sum / members.len().max(1) as u64) as u32
    }

    /// The cost of the edge between two abstract nodes at these positions.
    #[inline]
    pub(crate) fn edge_cost(&self, map: &Map, [a, b]: [u32; 2], at: [[u32; 2]; 2]) -> Cost {
        let Some(ground) = map.ground() else {
            return position_cost(map.least_steps(), at[0], at[1]);
        };
        let scale = ground.scale();
        let steps = StepCosts {
            straight: scale.straight,
            diagonal: match map.rules().has_diagonals() {
                true => scale.diagonal,
                false => 2 * scale.straight,
            },
        };
        let factors = self.weights[a as usize] + self.weights[b as usize];
        let scaled = u64::from(scaled_distance(steps, at[0], at[1])) * u64::from(factors);
        let cost = scaled.div_ceil(u64::from(POSITION_SCALE * scale.unit));
        cost.clamp(1, u64::from(crate::cost::UNREACHED - 1)) as Cost
    }
}

/// The octile distance of two positions in sixteenths of a cell, times 16: exact.
#[inline]
fn scaled_distance(costs: StepCosts, a: [u32; 2], b: [u32; 2]) -> Cost {
    costs.octile(a[0].abs_diff(b[0]), a[1].abs_diff(b[1]))
}

/// The same where costs are large.
#[inline]
fn wide_scaled_distance(costs: StepCosts, a: [u32; 2], b: [u32; 2]) -> u64 {
    let [dx, dy] = [0, 1].map(|i| u64::from(a[i].abs_diff(b[i])));
    let (straight, diagonal) = (u64::from(costs.straight), u64::from(costs.diagonal));
    dx.max(dy) * straight + dx.min(dy) * (diagonal - straight)
}

/// A lower bound for the cost between two positions.
#[inline]
pub(crate) fn position_heuristic(costs: StepCosts, a: [u32; 2], b: [u32; 2]) -> Cost {
    (wide_scaled_distance(costs, a, b) / u64::from(POSITION_SCALE)) as Cost
}

/// The cost of an abstract edge between two positions: at least 1, so that no edge is free.
#[inline]
pub(crate) fn position_cost(costs: StepCosts, a: [u32; 2], b: [u32; 2]) -> Cost {
    scaled_distance(costs, a, b).div_ceil(POSITION_SCALE).max(1)
}
