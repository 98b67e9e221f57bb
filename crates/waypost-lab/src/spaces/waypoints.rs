//! Waypoints at the corners of obstacles, with an edge between any two that see each other. Start and goal are joined to all that
//! they see when they are known.

use super::{SearchSpace, line, search};
use waypost::Map;
use waypost::grid::{Cell, Point};
use waypost::questions::sees;

/// Corners of a map and who sees whom.
pub struct Waypoints {
    cells: Vec<Cell>,
    /// Of each waypoint those that it sees, and the line to them.
    edges: Vec<Vec<(u32, u64)>>,
}

impl Waypoints {
    /// The waypoints of a map.
    pub fn of(map: &Map) -> Waypoints {
        let cells: Vec<Cell> = map
            .grid()
            .cells()
            .filter(|&cell| is_corner(map, cell))
            .collect();
        let mut edges = vec![Vec::new(); cells.len()];
        for (i, &a) in cells.iter().enumerate() {
            for (j, &b) in cells.iter().enumerate().skip(i + 1) {
                if sees(map, a, b) {
                    let cost = between(map, a, b);
                    edges[i].push((j as u32, cost));
                    edges[j].push((i as u32, cost));
                }
            }
        }
        Waypoints { cells, edges }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether the map has no corner.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many pairs see each other.
    pub fn edges(&self) -> usize {
        self.edges.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// The shortest path of straight lines that turns at waypoints alone, empty where there is none, and how many nodes were expanded.
    pub fn path(&self, map: &Map, from: Cell, to: Cell) -> (Vec<Cell>, u64) {
        let count = self.cells.len() as u32;
        let seen = |from: Cell| self.cells.iter().map(move |&cell| sees(map, from, cell));
        let mut space = Joined {
            waypoints: self,
            map,
            ends: [from, to],
            from_start: seen(from).collect(),
            to_goal: seen(to).collect(),
        };
        let found = search(&mut space, count);
        let cell = |&node: &u32| space.cell(node);
        (found.nodes.iter().map(cell).collect(), found.expansions)
    }
}

/// Whether an obstacle has a corner at a cell: a blocked cell lies across, and both cells beside that are free.
fn is_corner(map: &Map, cell: Cell) -> bool {
    let Point { x, y } = map.grid().point(cell);
    let free = |dx: i32, dy: i32| {
        let point = (x.checked_add_signed(dx), y.checked_add_signed(dy));
        let (Some(x), Some(y)) = point else {
            return false;
        };
        map.grid().passable_cell(Point { x, y }).is_some()
    };
    let mut across = [(1, 1), (1, -1), (-1, 1), (-1, -1)].into_iter();
    across.any(|(dx, dy)| !free(dx, dy) && free(dx, 0) && free(0, dy))
}

fn between(map: &Map, a: Cell, b: Cell) -> u64 {
    line(map.grid().point(a), map.grid().point(b)) as u64
}

/// Waypoints with the start, the node after the last of them, and the goal, the one after that.
struct Joined<'a> {
    waypoints: &'a Waypoints,
    map: &'a Map,
    ends: [Cell; 2],
    from_start: Vec<bool>,
    to_goal: Vec<bool>,
}

impl Joined<'_> {
    fn cell(&self, node: u32) -> Cell {
        let known = self.waypoints.cells.get(node as usize).copied();
        known.unwrap_or_else(|| self.ends[node as usize - self.waypoints.len()])
    }
}

impl SearchSpace for Joined<'_> {
    fn nodes(&self) -> usize {
        self.waypoints.len() + 2
    }

    fn estimate(&self, node: u32) -> u64 {
        between(self.map, self.cell(node), self.ends[1])
    }

    fn is_goal(&self, node: u32) -> bool {
        node as usize == self.waypoints.len() + 1
    }

    fn for_each(&mut self, node: u32, visit: &mut dyn FnMut(u32, u64)) {
        let (count, at) = (self.waypoints.len(), self.cell(node));
        let goal = (count + 1) as u32;
        if node as usize == count {
            if sees(self.map, at, self.ends[1]) {
                visit(goal, between(self.map, at, self.ends[1]));
            }
            for (i, _) in self
                .from_start
                .iter()
                .enumerate()
                .filter(|(_, seen)| **seen)
            {
                visit(i as u32, between(self.map, at, self.waypoints.cells[i]));
            }
            return;
        }
        for &(next, cost) in &self.waypoints.edges[node as usize] {
            visit(next, cost);
        }
        if self.to_goal[node as usize] {
            visit(goal, between(self.map, at, self.ends[1]));
        }
    }
}
