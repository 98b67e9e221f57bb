//! A map in use: a grid, the rules on it, and its components, kept in step.

use crate::cost::{Cost, Length};
use crate::grid::{
    Cell, ChangeSet, Components, Direction, Directions, Grid, GridPatch, MoveRules, Point,
};
use crate::space::Space;

/// What searches, indexes and agents work on.
#[derive(Clone, Debug)]
pub struct Map {
    grid: Grid,
    rules: MoveRules,
    components: Components,
}

impl Map {
    /// Finds the components of a grid under the rules.
    pub fn new(grid: Grid, rules: MoveRules) -> Map {
        let components = Components::find(&grid, rules.corners);
        Map {
            grid,
            rules,
            components,
        }
    }

    /// The grid.
    #[inline]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The rules.
    #[inline]
    pub fn rules(&self) -> MoveRules {
        self.rules
    }

    /// The connected components.
    #[inline]
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// The legal moves from a passable cell.
    #[inline]
    pub fn legal(&self, cell: Cell) -> Directions {
        self.rules.legal(self.grid.neighbourhood(cell))
    }

    /// The cell at a point, if it can be stood on.
    pub fn passable_cell(&self, point: Point) -> Option<Cell> {
        self.grid.passable_cell(point)
    }

    /// The direction of a legal move between two cells; `None` where the move is illegal.
    pub fn legal_step(&self, from: Cell, to: Cell) -> Option<Direction> {
        if !self.grid.is_passable(from) {
            return None;
        }
        self.legal(from)
            .find(|&d| self.grid.neighbour(from, d) == to)
    }

    /// Counts the moves of a path of neighbouring cells; `None` where a move is illegal.
    pub fn path_length(&self, path: &[Cell]) -> Option<Length> {
        let mut length = Length::default();
        for step in path.windows(2) {
            if self.legal_step(step[0], step[1])?.is_diagonal() {
                length.diagonal += 1;
            } else {
                length.straight += 1;
            }
        }
        Some(length)
    }

    /// Changes the grid and repairs the components.
    pub fn apply(&mut self, patch: &GridPatch) -> ChangeSet {
        let changes = self.grid.apply(patch);
        if !changes.is_empty() {
            self.components = Components::find(&self.grid, self.rules.corners);
        }
        changes
    }
}

impl Space for Map {
    fn id_bound(&self) -> usize {
        self.grid.id_bound()
    }

    #[inline]
    fn contains(&self, cell: Cell) -> bool {
        self.grid.is_passable(cell)
    }

    #[inline]
    fn for_each_neighbour(&self, cell: Cell, mut visit: impl FnMut(Cell, Cost)) {
        for d in self.legal(cell) {
            visit(self.grid.neighbour(cell, d), self.rules.cost(d));
        }
    }

    #[inline]
    fn heuristic(&self, from: Cell, to: Cell) -> Cost {
        let (dx, dy) = self.grid.point(from).distances(self.grid.point(to));
        self.rules.costs.octile(dx, dy)
    }

    #[inline]
    fn connected(&self, a: Cell, b: Cell) -> bool {
        self.components.connected(a, b)
    }

    fn most_neighbours(&self) -> u32 {
        8
    }

    fn cheapest_edge(&self) -> Cost {
        self.rules.costs.straight()
    }

    /// The cells within `cost` on a map without walls.
    fn most_within(&self, cost: Cost) -> u64 {
        let costs = self.rules.costs;
        let (straight, shorter) = (costs.straight(), costs.diagonal() - costs.straight());
        (0..=cost / straight)
            .map(|dx| {
                let dy = if dx.saturating_mul(costs.diagonal()) <= cost {
                    (cost - dx * shorter) / straight
                } else {
                    (cost - dx * straight) / shorter
                };
                (1 + 2 * u64::from(dy)) * if dx == 0 { 1 } else { 2 }
            })
            .sum()
    }

    fn dearest_edge(&self) -> Cost {
        self.rules.costs.diagonal()
    }
}
