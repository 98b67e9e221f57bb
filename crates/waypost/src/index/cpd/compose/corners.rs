//! Corners, the corners that every cell meets first, and the distances between corners.

use super::super::INDEX_NAME;
use super::super::order::{NodeOrder, Slots};
use super::tile::Tile;
use crate::cost::Cost;
use crate::grid::scan::{Scans, StopAt};
use crate::grid::{Cell, Direction, Point};
use crate::index::{BuildError, unless_cancelled};
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// More than any distance, with room to add one.
pub(super) const FAR: i32 = 1 << 29;

const NO_CORNER: u32 = u32::MAX;

/// Distances between all corners of a component are kept if they take no more than this.
const MATRIX_BYTES: usize = 128 << 20;

/// Looks at every so many cells whether to go on.
#[inline]
fn look(cells: usize, progress: &dyn Progress) -> Result<(), BuildError> {
    match cells.is_multiple_of(1024) {
        true => unless_cancelled(progress),
        false => Ok(()),
    }
}

/// A corner, numbered within its component, and the cost of the walk to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub corner: u32,
    pub cost: i32,
}

/// The corners of a map and the walks to them.
#[derive(Debug)]
pub(in super::super) struct CornerGraph {
    scans: Scans,
    slots: Slots,
    /// One bit per cell id.
    marks: Vec<u64>,
    /// By slot: the corner's number in its component, or `NO_CORNER`.
    numbers: Vec<u32>,
    /// By slot: first and last column and row that are met without a corner.
    reaches: Vec<[u16; 4]>,
    /// Corners by component, in the order of ranks.
    corners: Vec<Cell>,
    /// The first corner of each component, then their number.
    component_starts: Vec<u32>,
    /// By slot: the first edge. One more at the end.
    first_edge: Vec<u32>,
    edges: Vec<Edge>,
    /// Distances between the corners of each component; empty where they would take too much.
    matrices: Vec<Vec<i32>>,
}

impl CornerGraph {
    /// Finds corners and edges, and the distances between corners where they fit; gives up where whoever watches wants no more of it.
    pub fn of(
        map: &Map,
        order: &NodeOrder,
        progress: &dyn Progress,
    ) -> Result<CornerGraph, BuildError> {
        let (grid, rules) = (map.grid(), map.rules());
        let scans = Scans::new(grid, rules.corners, StopAt::Corners);
        let slots = Slots::of(grid);
        let marks = scans.stop_marks();
        let is_corner = |cell: Cell| marks[cell.index() >> 6] >> (cell.0 & 63) & 1 != 0;
        let mut numbers = vec![NO_CORNER; slots.len()];
        let (mut corners, mut component_starts) = (Vec::new(), vec![0]);
        for component in order.components() {
            let first = corners.len();
            for rank in component {
                let cell = order.cells[rank as usize];
                if is_corner(cell) {
                    numbers[slots.of_cell(cell)] = (corners.len() - first) as u32;
                    corners.push(cell);
                }
            }
            component_starts.push(corners.len() as u32);
        }
        let (mut edges, mut first_edge) = (Vec::new(), vec![0; slots.len() + 1]);
        let mut next_slot = 0;
        for (number, cell) in grid.cells().enumerate() {
            look(number, progress)?;
            let slot = slots.of_cell(cell);
            first_edge[next_slot..=slot].fill(edges.len() as u32);
            next_slot = slot + 1;
            scans.for_each_stop(grid.point(cell), map.legal(cell), |stop| {
                let corner = grid.cell(stop.at).map_or(0, |c| numbers[slots.of_cell(c)]);
                let cost =
                    stop.diagonal * rules.costs.diagonal() + stop.straight * rules.costs.straight();
                edges.push(Edge {
                    corner,
                    cost: cost as i32,
                });
            });
        }
        first_edge[next_slot..].fill(edges.len() as u32);
        let mut graph = CornerGraph {
            scans,
            slots,
            marks,
            reaches: vec![[0; 4]; numbers.len()],
            numbers,
            corners,
            component_starts,
            first_edge,
            edges,
            matrices: Vec::new(),
        };
        graph.find_reaches(map, progress)?;
        graph.check_distances()?;
        graph.find_matrices(progress)?;
        graph.drop_dominated(map, order, progress)?;
        Ok(graph)
    }

    /// Refuses maps with paths that cost about as much as [`FAR`]: nothing would be known of their order.
    fn check_distances(&self) -> Result<(), BuildError> {
        let edges = 4 * self.max_edge_cost();
        for component in 0..self.component_starts.len() - 1 {
            let mut costs = vec![0; self.corners_of(component).len()];
            if costs.is_empty() {
                continue;
            }
            // From one corner: no two are farther from each other than twice the farthest from it.
            self.search(component, 0, &mut costs);
            let farthest = costs.into_iter().max().unwrap_or(0);
            if 2 * farthest + edges >= FAR {
                let reason = "paths of this map have more moves than a path database can tell apart, some 250,000; use `labels` or `sectors`";
                return Err(BuildError::Unsuitable {
                    index: INDEX_NAME,
                    reason: reason.to_string(),
                });
            }
        }
        Ok(())
    }

    /// The most that an edge costs.
    pub fn max_edge_cost(&self) -> i32 {
        self.edges.iter().map(|edge| edge.cost).max().unwrap_or(0)
    }

    /// Drops edges of cells where another edge and a path between the two corners are no longer.
    fn drop_dominated(
        &mut self,
        map: &Map,
        order: &NodeOrder,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let mut component_of_slot = vec![0u32; self.slots.len()];
        for (number, component) in order.components().enumerate() {
            for rank in component {
                let slot = self.slots.of_cell(order.cells[rank as usize]);
                component_of_slot[slot] = number as u32;
            }
        }
        let (mut edges, mut first_edge) = (Vec::new(), vec![0; self.first_edge.len()]);
        let mut next_slot = 0;
        for (number, cell) in map.grid().cells().enumerate() {
            look(number, progress)?;
            let slot = self.slots.of_cell(cell);
            first_edge[next_slot..=slot].fill(edges.len() as u32);
            next_slot = slot + 1;
            let component = component_of_slot[slot] as usize;
            let (matrix, count) = (&self.matrices[component], self.corners_of(component).len());
            let all = self.edges_of(cell);
            edges.extend(all.iter().filter(|edge| {
                matrix.is_empty()
                    || !all.iter().any(|by| {
                        by.corner != edge.corner
                            && by.cost + matrix[by.corner as usize * count + edge.corner as usize]
                                <= edge.cost
                    })
            }));
        }
        first_edge[next_slot..].fill(edges.len() as u32);
        self.edges = edges;
        self.first_edge = first_edge;
        Ok(())
    }

    fn find_reaches(&mut self, map: &Map, progress: &dyn Progress) -> Result<(), BuildError> {
        let mut reaches = std::mem::take(&mut self.reaches);
        for (number, cell) in map.grid().cells().enumerate() {
            look(number, progress)?;
            let mut reach = [u16::MAX, u16::MAX, 0, 0];
            self.for_each_direct(map, cell, 0..u32::MAX, |from, d, steps, _| {
                let end = |at: u32, by: i32| at.wrapping_add_signed(by * steps as i32) as u16;
                for (x, y) in [
                    (from.x as u16, from.y as u16),
                    (end(from.x, d.dx()), end(from.y, d.dy())),
                ] {
                    reach = [
                        reach[0].min(x),
                        reach[1].min(y),
                        reach[2].max(x),
                        reach[3].max(y),
                    ];
                }
            });
            reaches[self.slots.of_cell(cell)] = reach;
        }
        self.reaches = reaches;
        Ok(())
    }

    /// Whether cells of the tile may be met from this cell without a corner.
    #[inline]
    pub(super) fn reaches_directly(&self, cell: Cell, tile: &Tile) -> bool {
        let [x1, y1, x2, y2] = self.reaches[self.slots.of_cell(cell)].map(u32::from);
        // Columns and rows of the layout are one more than those of points.
        (x1 + 1) / 8 < tile.all_groups.end
            && (x2 + 1) / 8 >= tile.all_groups.start
            && y1 + 1 < tile.all_rows.end
            && y2 + 1 >= tile.all_rows.start
    }

    /// The number of a corner in its component.
    pub(super) fn corner_number(&self, cell: Cell) -> Option<u32> {
        let number = self.numbers[self.slots.of_cell(cell)];
        (number != NO_CORNER).then_some(number)
    }

    fn find_matrices(&mut self, progress: &dyn Progress) -> Result<(), BuildError> {
        let components = self.component_starts.len() - 1;
        let found: Result<_, BuildError> = (0..components)
            .map(|component| {
                let count = self.corners_of(component).len();
                if count * count * 4 > MATRIX_BYTES {
                    return Ok(Vec::new());
                }
                let mut matrix = vec![0; count * count];
                matrix
                    .par_chunks_mut(count.max(1))
                    .enumerate()
                    .try_for_each(|(from, row)| {
                        unless_cancelled(progress)?;
                        self.search(component, from as u32, row);
                        Ok(())
                    })?;
                Ok(matrix)
            })
            .collect();
        self.matrices = found?;
        Ok(())
    }

    /// The corners of a component.
    pub fn corners_of(&self, component: usize) -> &[Cell] {
        let range = self.component_starts[component]..self.component_starts[component + 1];
        &self.corners[range.start as usize..range.end as usize]
    }

    /// The corners that a cell meets first.
    #[inline]
    pub(super) fn edges_of(&self, cell: Cell) -> &[Edge] {
        let slot = self.slots.of_cell(cell);
        &self.edges[self.first_edge[slot] as usize..self.first_edge[slot + 1] as usize]
    }

    /// The distances from one corner to all corners of its component.
    pub(super) fn distances_from(&self, component: usize, corner: u32) -> Cow<'_, [i32]> {
        let count = self.corners_of(component).len();
        let matrix = &self.matrices[component];
        if !matrix.is_empty() {
            return Cow::Borrowed(&matrix[corner as usize * count..][..count]);
        }
        let mut row = vec![0; count];
        self.search(component, corner, &mut row);
        Cow::Owned(row)
    }

    /// Dijkstra's algorithm over corners.
    fn search(&self, component: usize, from: u32, costs: &mut [i32]) {
        let corners = self.corners_of(component);
        costs.fill(FAR);
        costs[from as usize] = 0;
        let mut heap = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((g, corner))) = heap.pop() {
            if g > costs[corner as usize] {
                continue;
            }
            for edge in self.edges_of(corners[corner as usize]) {
                let through = g + edge.cost;
                if through < costs[edge.corner as usize] {
                    costs[edge.corner as usize] = through;
                    heap.push(Reverse((through, edge.corner)));
                }
            }
        }
    }

    fn is_corner(&self, cell: Cell) -> bool {
        self.marks[cell.index() >> 6] >> (cell.0 & 63) & 1 != 0
    }

    /// Calls `visit` for every straight piece of the walks from a cell that meet no corner: the piece's first point, its
    /// direction, its number of further steps, and the cost to its first point. Level pieces outside `rows` are left out.
    pub(super) fn for_each_direct(
        &self,
        map: &Map,
        from: Cell,
        rows: Range<u32>,
        mut visit: impl FnMut(Point, Direction, u32, Cost),
    ) {
        let (grid, costs) = (map.grid(), map.rules().costs);
        let start = grid.point(from);
        visit(start, Direction::North, 0, 0);
        for d in [0, 2, 4, 6].map(Direction::from_number) {
            self.straight_piece(start, d, 0, &mut visit);
        }
        let legal = map.legal(from);
        for d in [1, 3, 5, 7].map(Direction::from_number) {
            if !legal.contains(d) {
                continue;
            }
            let steps = self.scans.run(start, d);
            let (mut at, mut cell) = (start, from);
            for step in 1..=steps {
                at = Point {
                    x: at.x.wrapping_add_signed(d.dx()),
                    y: at.y.wrapping_add_signed(d.dy()),
                };
                cell = grid.neighbour(cell, d);
                if self.is_corner(cell) {
                    break;
                }
                let cost = step * costs.diagonal();
                let side = Direction::from_number(d as u8 + 7);
                let other = Direction::from_number(d as u8 + 1);
                let (level, upright) = if side.dy() == 0 {
                    (side, other)
                } else {
                    (other, side)
                };
                if rows.contains(&at.y) {
                    visit(at, level, 0, cost);
                    self.straight_piece(at, level, cost, &mut visit);
                }
                self.straight_piece(at, upright, cost, &mut visit);
            }
        }
    }

    #[inline]
    fn straight_piece(
        &self,
        at: Point,
        direction: Direction,
        cost: Cost,
        visit: &mut impl FnMut(Point, Direction, u32, Cost),
    ) {
        let jump = self.scans.jump(at, direction);
        if jump.steps > 0 {
            visit(at, direction, jump.steps, cost);
        }
    }
}
