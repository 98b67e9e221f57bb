//! Dijkstra's algorithm on grids: the costs from one cell to all others.

use super::PathSearch;
use super::best_first::{BestFirst, Status, Surface};
use super::nodes::Stamped;
use super::surface::GridSurface;
use crate::cost::{Cost, UNREACHED};
use crate::grid::pruning::{NO_ARRIVAL, Pruning};
use crate::grid::{Cell, Direction};
use crate::heuristic::Zero;
use crate::map::Map;
use crate::open_list::Buckets;
use crate::space::Space;
use crate::trace::Event;

/// Costs from one cell to all others. Keep one per thread: its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Dijkstra {
    search: BestFirst<Stamped<u8>, Buckets>,
    goal: Option<Cell>,
}

impl Dijkstra {
    /// A search without memory yet.
    pub fn new() -> Dijkstra {
        Dijkstra::default()
    }

    /// Finds the cost to every cell that can be reached.
    pub fn spread(&mut self, map: &Map, from: Cell) {
        self.spread_within(map, from, UNREACHED - 1);
    }

    /// Finds the cost to every cell that costs at most `limit`.
    pub fn spread_within(&mut self, map: &Map, from: Cell, limit: Cost) {
        self.begin_within(map, from, None, limit);
        self.go_on(map, u64::MAX);
    }

    fn go_on(&mut self, map: &Map, most_expansions: u64) -> Status {
        match map.ground() {
            None => self.search.advance(&surface(map), most_expansions),
            Some(ground) => {
                let surface = surface(map).on_ground(ground, map.rules());
                self.search.advance(&surface, most_expansions)
            }
        }
    }

    /// Begins a spread, which ends early when it reaches `goal` if there is one.
    pub(crate) fn begin_within(&mut self, map: &Map, from: Cell, goal: Option<Cell>, limit: Cost) {
        self.goal = goal;
        let limit = limit.min(UNREACHED - 1);
        match map.ground() {
            _ if !map.grid().is_passable(from) => self.search.refuse(),
            None => self.search.begin(&surface(map), from, goal, limit),
            Some(ground) => {
                let surface = surface(map).on_ground(ground, map.rules());
                self.search.begin(&surface, from, goal, limit);
            }
        }
    }

    /// The cost to a cell; [`UNREACHED`] where there is no path within the limit. Final once the spread is done.
    #[inline]
    pub fn cost_to(&self, cell: Cell) -> Cost {
        self.search.g(cell).unwrap_or(UNREACHED)
    }

    /// The direction of the last move to a cell; `None` for the start and where there is no path within the limit.
    pub fn arrival(&self, cell: Cell) -> Option<Direction> {
        let arrival = self.search.link(cell)?;
        (arrival != NO_ARRIVAL).then(|| Direction::from_number(arrival))
    }

    /// Writes the cost to every cell id into a vector of the caller's, [`UNREACHED`] for walls and islands.
    pub(crate) fn costs_into(&self, map: &Map, costs: &mut Vec<Cost>) {
        costs.clear();
        costs.extend((0..map.grid().id_bound() as u32).map(|id| self.cost_to(Cell(id))));
    }

    /// Writes the path to a cell, start first; returns its cost, or `None` where it was not reached.
    pub(crate) fn path_to(&self, map: &Map, to: Cell, cells: &mut Vec<Cell>) -> Option<Cost> {
        cells.clear();
        let cost = self.search.g(to)?;
        self.search.trace(&surface(map), to, cells);
        Some(cost)
    }

    /// The cell before this one on its cheapest path; `None` for the start and for cells not reached.
    #[inline]
    pub(crate) fn step_back(&self, map: &Map, cell: Cell) -> Option<Cell> {
        surface(map).parent(cell, self.search.link(cell)?)
    }

    /// Bytes of reused memory.
    pub fn memory_bytes(&self) -> usize {
        self.search.memory_bytes()
    }
}

impl PathSearch<Map> for Dijkstra {
    fn begin(&mut self, map: &Map, from: Cell, to: Cell) {
        if map.connected(from, to) {
            self.begin_within(map, from, Some(to), UNREACHED - 1);
        } else {
            self.search.refuse();
        }
    }

    /// The map must not have changed since the search began.
    fn advance(&mut self, map: &Map, most_expansions: u64) -> Status {
        self.go_on(map, most_expansions)
    }

    fn path_into(&self, map: &Map, cells: &mut Vec<Cell>) -> Option<Cost> {
        self.search.cost()?;
        self.path_to(map, self.goal?, cells)
    }

    fn cost(&self) -> Option<Cost> {
        self.search.cost()
    }

    fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    fn last_expanded(&self, map: &Map) -> Option<Event> {
        self.search.last_expanded(&surface(map))
    }

    fn used_bytes(&self) -> usize {
        self.search.used_bytes()
    }
}

fn surface(map: &Map) -> GridSurface<'_, Zero> {
    GridSurface::new(map, Zero, Pruning::Dominated)
}
