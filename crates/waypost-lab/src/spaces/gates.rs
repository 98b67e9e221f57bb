//! Heuristics from distances that are stored for some places alone: the gateway heuristic (Björnsson and Halldórsson 2006) and the
//! portal-based one (Goldenberg and others 2010), which the paper on path databases names beside landmarks.
//!
//! The map is cut into square areas. Cells from which a move leads out of their area, side by side along one border, are a gate;
//! the distance between any two gates is stored. A path into another area leaves the first by one of its gates and enters the last by one
//! of its own: the least sum of the way to a gate, the stored distance, and the way from a gate to the goal is a lower bound.
//! The gateway heuristic takes straight estimates for both ends; the portal-based one stores the distance from every
//! cell to the gates of its area.

use super::{SearchSpace, distances_from};
use waypost::grid::{Cell, Point};
use waypost::{Cost, Map, Space};

const FAR: Cost = Cost::MAX;

/// Cells along one border of an area, from the first to the last.
#[derive(Clone, Debug)]
struct Gate {
    area: usize,
    first: Point,
    last: Point,
    cells: Vec<Cell>,
}

/// What of a map is stored.
pub struct Gates {
    side: u32,
    columns: u32,
    gates: Vec<Gate>,
    /// The numbers of each area's gates.
    of_area: Vec<Vec<u32>>,
    /// The distance from every gate to every gate.
    between: Vec<Cost>,
    /// Of every gate the distance from each cell of its area, row by row; empty for the gateway heuristic.
    to_cells: Vec<Vec<Cost>>,
}

impl Gates {
    /// The gates of areas of `side` by `side` cells, for the portal-based heuristic where `portals` is set.
    pub fn of(map: &Map, side: u32, portals: bool) -> Gates {
        let side = side.max(2);
        let grid = map.grid();
        let (columns, rows) = (grid.width().div_ceil(side), grid.height().div_ceil(side));
        let mut gates = Gates {
            side,
            columns,
            gates: Vec::new(),
            of_area: vec![Vec::new(); (columns * rows) as usize],
            between: Vec::new(),
            to_cells: Vec::new(),
        };
        for area in 0..gates.of_area.len() {
            gates.find(map, area);
        }
        let count = gates.gates.len();
        gates.between = vec![FAR; count * count];
        for number in 0..count {
            let found = distances_from(map, &gates.gates[number].cells);
            for other in 0..count {
                let cells = gates.gates[other].cells.iter();
                let least = cells.map(|cell| found[cell.index()]).min();
                gates.between[number * count + other] = least.unwrap_or(FAR);
            }
            if portals {
                let cells = gates.cells_of(gates.gates[number].area).map(|point| {
                    let cell = grid.passable_cell(point);
                    cell.map_or(FAR, |cell| found[cell.index()])
                });
                gates.to_cells.push(cells.collect());
            }
        }
        gates
    }

    /// Bytes of everything stored.
    pub fn bytes(&self) -> usize {
        let cells: usize = self.to_cells.iter().map(Vec::len).sum();
        (self.between.len() + cells) * size_of::<Cost>() + self.gates.len() * size_of::<Gate>()
    }

    /// How many gates there are.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether no area has a way out.
    pub fn is_empty(&self) -> bool {
        self.gates.is_empty()
    }

    fn area(&self, point: Point) -> usize {
        (point.y / self.side * self.columns + point.x / self.side) as usize
    }

    fn corner(&self, area: usize) -> Point {
        let area = area as u32;
        Point {
            x: area % self.columns * self.side,
            y: area / self.columns * self.side,
        }
    }

    /// The cells of an area, row by row, those beyond the map included.
    fn cells_of(&self, area: usize) -> impl Iterator<Item = Point> + use<> {
        let (corner, side) = (self.corner(area), self.side);
        (0..side * side).map(move |i| Point {
            x: corner.x + i % side,
            y: corner.y + i / side,
        })
    }

    /// The gates along the four borders of an area. A cell in a corner may be in two.
    fn find(&mut self, map: &Map, area: usize) {
        let (corner, side) = (self.corner(area), self.side);
        let leads_out = |cell: Cell| {
            let mut out = false;
            map.for_each_neighbour(cell, |next, _| {
                out |= self.area(map.grid().point(next)) != area;
            });
            out
        };
        let mut found = Vec::new();
        for border in 0..4 {
            let mut run: Vec<(Point, Cell)> = Vec::new();
            for i in 0..=side {
                let (x, y) = match border {
                    0 => (corner.x + i, corner.y),
                    1 => (corner.x + i, corner.y + side - 1),
                    2 => (corner.x, corner.y + i),
                    _ => (corner.x + side - 1, corner.y + i),
                };
                let point = Point { x, y };
                let cell = (i < side)
                    .then(|| map.grid().passable_cell(point))
                    .flatten();
                match cell.filter(|&cell| leads_out(cell)) {
                    Some(cell) => run.push((point, cell)),
                    None if !run.is_empty() => found.push(std::mem::take(&mut run)),
                    None => {}
                }
            }
        }
        for run in found {
            self.of_area[area].push(self.gates.len() as u32);
            self.gates.push(Gate {
                area,
                first: run[0].0,
                last: run[run.len() - 1].0,
                cells: run.into_iter().map(|(_, cell)| cell).collect(),
            });
        }
    }

    /// A lower bound of the way between a cell and a gate of its area.
    fn end(&self, map: &Map, gate: u32, point: Point) -> Cost {
        if let Some(stored) = self.to_cells.get(gate as usize) {
            let corner = self.corner(self.gates[gate as usize].area);
            let place = (point.y - corner.y) * self.side + point.x - corner.x;
            return stored[place as usize];
        }
        let Gate { first, last, .. } = self.gates[gate as usize];
        let off =
            |at: u32, first: u32, last: u32| first.saturating_sub(at) + at.saturating_sub(last);
        let [dx, dy] = [off(point.x, first.x, last.x), off(point.y, first.y, last.y)];
        map.rules().costs.octile(dx, dy)
    }
}

/// The grid with estimates from gates, towards one goal.
pub struct GatedSpace<'a> {
    map: &'a Map,
    gates: &'a Gates,
    goal: Cell,
    goal_area: usize,
    /// The least from each gate to the goal.
    to_goal: Vec<Cost>,
}

impl<'a> GatedSpace<'a> {
    /// Prepares the estimates for a goal.
    pub fn new(map: &'a Map, gates: &'a Gates, goal: Cell) -> GatedSpace<'a> {
        let point = map.grid().point(goal);
        let goal_area = gates.area(point);
        let count = gates.gates.len();
        let last = &gates.of_area[goal_area];
        let ends: Vec<Cost> = last
            .iter()
            .map(|&gate| gates.end(map, gate, point))
            .collect();
        let to_goal = (0..count).map(|gate| {
            let ways = last.iter().zip(&ends).map(|(&other, &end)| {
                gates.between[gate * count + other as usize].saturating_add(end)
            });
            ways.min().unwrap_or(FAR)
        });
        GatedSpace {
            to_goal: to_goal.collect(),
            map,
            gates,
            goal,
            goal_area,
        }
    }
}

impl SearchSpace for GatedSpace<'_> {
    fn nodes(&self) -> usize {
        self.map.id_bound()
    }

    fn estimate(&self, node: u32) -> u64 {
        let cell = Cell(node);
        let straight = self.map.heuristic(cell, self.goal);
        let point = self.map.grid().point(cell);
        let area = self.gates.area(point);
        if area == self.goal_area {
            return u64::from(straight);
        }
        let ways = self.gates.of_area[area].iter().map(|&gate| {
            let end = self.gates.end(self.map, gate, point);
            end.saturating_add(self.to_goal[gate as usize])
        });
        let least = ways.min().filter(|&way| way != FAR).unwrap_or(straight);
        u64::from(straight.max(least))
    }

    fn is_goal(&self, node: u32) -> bool {
        Cell(node) == self.goal
    }

    fn for_each(&mut self, node: u32, visit: &mut dyn FnMut(u32, u64)) {
        self.map
            .for_each_neighbour(Cell(node), |next, cost| visit(next.0, u64::from(cost)));
    }
}
