//! A navigation mesh of rectangles: passable cells cut into rectangles, greedily and each cell in one, with a portal wherever two
//! share a piece of border. The search goes from rectangle to rectangle through the middles of portals; what it finds is pulled
//! straight.

use super::{SearchSpace, line, pulled, search};
use waypost::Map;
use waypost::grid::{Cell, Point};

/// Cells from one corner to the opposite one, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// The first column and row.
    pub first: Point,
    /// The last column and row.
    pub last: Point,
}

impl Rectangle {
    /// How many cells it has.
    pub fn cells(&self) -> u64 {
        u64::from(self.last.x - self.first.x + 1) * u64::from(self.last.y - self.first.y + 1)
    }

    /// Whether a point lies in it.
    pub fn holds(&self, point: Point) -> bool {
        (self.first.x..=self.last.x).contains(&point.x)
            && (self.first.y..=self.last.y).contains(&point.y)
    }
}

/// A way from one rectangle into another: the cells on both sides of the middle of their border.
#[derive(Clone, Copy, Debug)]
struct Portal {
    to: u32,
    leave: Point,
    enter: Point,
}

/// The mesh of a map.
pub struct Mesh {
    rectangles: Vec<Rectangle>,
    portals: Vec<Vec<Portal>>,
    /// The rectangle of each cell, by its id.
    of_cell: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Mesh {
    /// Cuts a map into rectangles.
    pub fn of(map: &Map) -> Mesh {
        let mut mesh = Mesh {
            rectangles: Vec::new(),
            portals: Vec::new(),
            of_cell: vec![NONE; map.grid().id_bound()],
        };
        for cell in map.grid().cells() {
            if mesh.of_cell[cell.index()] == NONE {
                let rectangle = mesh.largest_from(map, map.grid().point(cell));
                let number = mesh.rectangles.len() as u32;
                for y in rectangle.first.y..=rectangle.last.y {
                    for x in rectangle.first.x..=rectangle.last.x {
                        if let Some(cell) = map.grid().cell(Point { x, y }) {
                            mesh.of_cell[cell.index()] = number;
                        }
                    }
                }
                mesh.rectangles.push(rectangle);
            }
        }
        mesh.find_portals(map);
        mesh
    }

    /// The largest rectangle of cells in none yet that has a point as its upper left corner.
    fn largest_from(&self, map: &Map, first: Point) -> Rectangle {
        let waits = |x: u32, y: u32| {
            let cell = map.grid().passable_cell(Point { x, y });
            cell.is_some_and(|cell| self.of_cell[cell.index()] == NONE)
        };
        let mut best = Rectangle { first, last: first };
        let mut width = u32::MAX;
        let mut y = first.y;
        while waits(first.x, y) {
            let row = (0..width).take_while(|&i| waits(first.x + i, y)).count() as u32;
            width = row;
            let rectangle = Rectangle {
                first,
                last: Point {
                    x: first.x + width - 1,
                    y,
                },
            };
            if rectangle.cells() > best.cells() {
                best = rectangle;
            }
            y += 1;
        }
        best
    }

    /// Along the right and the lower side of every rectangle.
    fn find_portals(&mut self, map: &Map) {
        self.portals = vec![Vec::new(); self.rectangles.len()];
        for number in 0..self.rectangles.len() as u32 {
            let Rectangle { first, last } = self.rectangles[number as usize];
            let right = (first.y..=last.y).map(|y| [(last.x, y), (last.x + 1, y)]);
            self.find_along(map, number, right);
            let below = (first.x..=last.x).map(|x| [(x, last.y), (x, last.y + 1)]);
            self.find_along(map, number, below);
        }
    }

    fn find_along(&mut self, map: &Map, number: u32, side: impl Iterator<Item = [(u32, u32); 2]>) {
        let pairs: Vec<[Point; 2]> = side.map(|pair| pair.map(|(x, y)| Point { x, y })).collect();
        let beyond = |pair: &[Point; 2]| {
            let cell = map.grid().passable_cell(pair[1]);
            cell.map_or(NONE, |cell| self.of_cell[cell.index()])
        };
        let mut found = Vec::new();
        for part in pairs.chunk_by(|a, b| beyond(a) == beyond(b)) {
            let [leave, enter] = part[part.len() / 2];
            found.push((beyond(&part[0]), leave, enter));
        }
        for (to, leave, enter) in found.into_iter().filter(|(to, ..)| *to != NONE) {
            self.portals[number as usize].push(Portal { to, leave, enter });
            self.portals[to as usize].push(Portal {
                to: number,
                leave: enter,
                enter: leave,
            });
        }
    }

    /// The rectangles.
    pub fn rectangles(&self) -> &[Rectangle] {
        &self.rectangles
    }

    /// How many borders rectangles share.
    pub fn portals(&self) -> usize {
        self.portals.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// The rectangle of a passable cell.
    pub fn of_cell(&self, cell: Cell) -> u32 {
        self.of_cell[cell.index()]
    }

    /// A path of straight lines, empty where there is none, and how many rectangles were expanded.
    pub fn path(&self, map: &Map, from: Cell, to: Cell) -> (Vec<Cell>, u64) {
        let start = self.of_cell(from);
        let mut walk = Walk {
            mesh: self,
            goal: (self.of_cell(to), map.grid().point(to)),
            entries: vec![map.grid().point(from); self.rectangles.len()],
        };
        let found = search(&mut walk, start);
        if found.nodes.is_empty() {
            return (Vec::new(), found.expansions);
        }
        let mut points = vec![map.grid().point(from)];
        for pair in found.nodes.windows(2) {
            let portal = self.portal(pair[0], pair[1]);
            points.extend(portal.into_iter().flat_map(|p| [p.leave, p.enter]));
        }
        points.push(map.grid().point(to));
        let mut cells: Vec<Cell> = points
            .into_iter()
            .filter_map(|point| map.grid().cell(point))
            .collect();
        cells.dedup();
        (pulled(map, &cells), found.expansions)
    }

    /// The way from a rectangle into one beside it.
    fn portal(&self, from: u32, to: u32) -> Option<Portal> {
        let mut portals = self.portals[from as usize].iter();
        portals.find(|portal| portal.to == to).copied()
    }
}

/// A search through rectangles: each is measured from where it was entered.
struct Walk<'a> {
    mesh: &'a Mesh,
    goal: (u32, Point),
    entries: Vec<Point>,
}

impl SearchSpace for Walk<'_> {
    fn nodes(&self) -> usize {
        self.entries.len()
    }

    fn estimate(&self, node: u32) -> u64 {
        line(self.entries[node as usize], self.goal.1) as u64
    }

    fn is_goal(&self, node: u32) -> bool {
        node == self.goal.0
    }

    fn for_each(&mut self, node: u32, visit: &mut dyn FnMut(u32, u64)) {
        let at = self.entries[node as usize];
        for portal in &self.mesh.portals[node as usize] {
            visit(portal.to, line(at, portal.enter) as u64);
        }
    }

    fn reached(&mut self, node: u32, from: u32) {
        if let Some(portal) = self.mesh.portal(from, node) {
            self.entries[node as usize] = portal.enter;
        }
    }
}
