//! Grids and other spaces as searches see them.

use super::best_first::Surface;
use super::pruning::{NO_ARRIVAL, Pruning, SuccessorTable};
use crate::cost::Cost;
use crate::grid::{Cell, Direction, Grid, Point};
use crate::heuristic::GridHeuristic;
use crate::map::Map;
use crate::space::Space;

/// A map: links are arrival directions, successors come from bit rows and a table.
#[derive(Clone, Copy)]
pub struct GridSurface<'a, H> {
    grid: &'a Grid,
    heuristic: H,
    table: &'a SuccessorTable,
    costs: [Cost; 2],
    growth: Cost,
}

impl<'a, H: GridHeuristic> GridSurface<'a, H> {
    /// A map with an estimate towards the goal.
    pub fn new(map: &'a Map, heuristic: H, pruning: Pruning) -> GridSurface<'a, H> {
        let rules = map.rules();
        GridSurface {
            grid: map.grid(),
            growth: heuristic.growth(rules.costs),
            heuristic,
            table: pruning.table(rules.corners),
            costs: [rules.costs.straight(), rules.costs.diagonal()],
        }
    }
}

impl<H: GridHeuristic> Surface for GridSurface<'_, H> {
    type Link = u8;
    type Place = Point;

    fn start_link(&self) -> u8 {
        NO_ARRIVAL
    }

    #[inline]
    fn place(&self, cell: Cell) -> Point {
        self.grid.point(cell)
    }

    #[inline]
    fn estimate(&self, cell: Cell, point: Point) -> Cost {
        self.heuristic.estimate(cell, point)
    }

    #[inline]
    fn for_each_successor(
        &self,
        cell: Cell,
        arrival: u8,
        mut visit: impl FnMut(Cell, Cost, u8, Point),
    ) {
        let around = self.grid.neighbourhood(cell);
        let mut left = self.table[usize::from(arrival) << 8 | usize::from(around.0)];
        let point = self.grid.point(cell);
        while left != 0 {
            let number = left.trailing_zeros() as u8;
            left &= left - 1;
            let direction = Direction::from_number(number);
            let place = Point {
                x: point.x.wrapping_add_signed(direction.dx()),
                y: point.y.wrapping_add_signed(direction.dy()),
            };
            let next = self.grid.neighbour(cell, direction);
            visit(next, self.costs[usize::from(number & 1)], number, place);
        }
    }

    #[inline]
    fn parent(&self, cell: Cell, arrival: u8) -> Option<Cell> {
        (arrival != NO_ARRIVAL).then(|| {
            let back = Direction::from_number(arrival).opposite();
            self.grid.neighbour(cell, back)
        })
    }

    fn id_bound(&self) -> usize {
        self.grid.id_bound()
    }

    fn growth(&self) -> Cost {
        self.growth
    }
}

/// Any other space: links are parents, which are not stepped back to.
pub struct SpaceSurface<'a, S> {
    space: &'a S,
    goal: Option<Cell>,
}

impl<'a, S: Space> SpaceSurface<'a, S> {
    /// A space with the goal that its heuristic estimates towards, or none.
    pub fn new(space: &'a S, goal: Option<Cell>) -> SpaceSurface<'a, S> {
        SpaceSurface { space, goal }
    }
}

impl<S: Space> Surface for SpaceSurface<'_, S> {
    type Link = Cell;
    type Place = ();

    fn start_link(&self) -> Cell {
        Cell::NONE
    }

    fn place(&self, _cell: Cell) {}

    #[inline]
    fn estimate(&self, cell: Cell, _place: ()) -> Cost {
        self.goal.map_or(0, |goal| self.space.heuristic(cell, goal))
    }

    #[inline]
    fn for_each_successor(
        &self,
        cell: Cell,
        parent: Cell,
        mut visit: impl FnMut(Cell, Cost, Cell, ()),
    ) {
        self.space.for_each_neighbour(cell, |next, cost| {
            if next != parent {
                visit(next, cost, cell, ());
            }
        });
    }

    #[inline]
    fn parent(&self, _cell: Cell, parent: Cell) -> Option<Cell> {
        (parent != Cell::NONE).then_some(parent)
    }

    fn id_bound(&self) -> usize {
        self.space.id_bound()
    }

    fn growth(&self) -> Cost {
        self.space.dearest_edge().saturating_mul(2)
    }
}
