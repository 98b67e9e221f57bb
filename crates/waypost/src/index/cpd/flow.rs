//! Flow fields: one reverse row for many agents that go to one goal.
//!
//! The move from every cell towards one goal, found by one search from the goal when it is first asked for. Stored reverse
//! rows compress 20 to 240 times worse than forward rows (a neighbour's move differs more often than a far target's), so
//! they are not part of the database.

use crate::cost::{Cost, UNREACHED};
use crate::grid::{Cell, Direction};
use crate::map::Map;
use crate::search::Dijkstra;
use std::sync::Arc;

/// No move: the goal, a wall, or an island.
const NO_MOVE: u8 = 8;

/// An optimal move from every cell towards one goal. A byte a cell; shared by all agents that go there.
#[derive(Clone, Debug)]
pub struct FlowField {
    goal: Cell,
    state: u64,
    moves: Vec<u8>,
}

impl FlowField {
    /// Searches from the goal, in the caller's memory.
    pub fn towards(map: &Map, goal: Cell, search: &mut Dijkstra) -> FlowField {
        let grid = map.grid();
        let mut moves = vec![NO_MOVE; grid.id_bound()];
        if grid.is_passable(goal) {
            search.spread(map, goal);
            let cost = |cell: Cell| search.cost_to(cell);
            for cell in grid.cells().filter(|&c| c != goal && cost(c) < UNREACHED) {
                // Moves cost the same both ways: the distance from the goal is the distance to it.
                let nearer = |d: &Direction| -> bool {
                    let next: Cost = cost(grid.neighbour(cell, *d));
                    next < UNREACHED && next + map.step_cost(cell, *d) == cost(cell)
                };
                if let Some(d) = map.legal(cell).find(nearer) {
                    moves[cell.index()] = d as u8;
                }
            }
        }
        FlowField {
            goal,
            state: map.fingerprint(),
            moves,
        }
    }

    /// The goal.
    pub fn goal(&self) -> Cell {
        self.goal
    }

    /// The state of the grid that it is for.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// An optimal move from a cell; `None` at the goal and where there is no path.
    #[inline]
    pub fn direction(&self, at: Cell) -> Option<Direction> {
        let number = *self.moves.get(at.index())?;
        (number != NO_MOVE).then(|| Direction::from_number(number))
    }

    /// Bytes that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<FlowField>() + self.moves.len()
    }
}

/// Flow fields at hand, the least recently asked for dropped first.
#[derive(Clone, Debug)]
pub struct FlowFields {
    capacity: usize,
    search: Dijkstra,
    /// The most recent one last.
    fields: Vec<Arc<FlowField>>,
}

impl FlowFields {
    /// Room for this many fields; at least one.
    pub fn with_capacity(capacity: usize) -> FlowFields {
        FlowFields {
            capacity: capacity.max(1),
            search: Dijkstra::new(),
            fields: Vec::new(),
        }
    }

    /// The field of a goal: the one at hand if the map has not changed since, or a new one.
    ///
    /// ```
    /// use waypost::index::cpd::flow::FlowFields;
    /// use waypost::{Grid, Map, MoveRules, Point};
    ///
    /// let map = Map::new(Grid::from_fn(6, 3, |_| true).unwrap(), MoveRules::default());
    /// let goal = map.passable_cell(Point { x: 5, y: 0 }).unwrap();
    /// let mut fields = FlowFields::with_capacity(4);
    /// let field = fields.towards(&map, goal);
    /// let mut at = map.passable_cell(Point { x: 0, y: 2 }).unwrap();
    /// while let Some(direction) = field.direction(at) {
    ///     at = map.grid().neighbour(at, direction);
    /// }
    /// assert_eq!(at, goal);
    /// ```
    pub fn towards(&mut self, map: &Map, goal: Cell) -> Arc<FlowField> {
        let state = map.fingerprint();
        self.fields.retain(|field| field.state == state);
        let field = match self.fields.iter().position(|field| field.goal == goal) {
            Some(known) => self.fields.remove(known),
            None => Arc::new(FlowField::towards(map, goal, &mut self.search)),
        };
        if self.fields.len() >= self.capacity {
            self.fields.remove(0);
        }
        self.fields.push(field.clone());
        field
    }

    /// How many fields are at hand.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether none is at hand.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{oracle_rules, random_map};
    use super::*;
    use crate::grid::GridPatch;
    use waypost_testkit::distances;

    #[test]
    fn every_cell_flows_to_the_goal_at_the_least_cost() {
        for seed in 0..30 {
            let (test, map) = random_map(500 + seed, 2, 20);
            let mut fields = FlowFields::with_capacity(2);
            for goal in map.grid().cells().step_by(7) {
                let field = fields.towards(&map, goal);
                let point = map.grid().point(goal);
                let costs = distances(&test, oracle_rules(map.rules()), (point.x, point.y));
                for from in map.grid().cells() {
                    let start = map.grid().point(from);
                    let expected = costs[(start.y * test.width() + start.x) as usize];
                    let (mut at, mut cost) = (from, 0);
                    while let Some(d) = field.direction(at) {
                        assert!(map.legal(at).contains(d), "seed {seed}");
                        cost += u64::from(map.step_cost(at, d));
                        at = map.grid().neighbour(at, d);
                    }
                    assert_eq!(
                        (at == goal).then_some(cost),
                        expected,
                        "seed {seed} {start}"
                    );
                }
            }
        }
    }

    #[test]
    fn fields_are_shared_bounded_and_renewed() {
        let mut map = random_map(3, 12, 12).1;
        let goals: Vec<_> = map.grid().cells().take(3).collect();
        let mut fields = FlowFields::with_capacity(2);
        let first = fields.towards(&map, goals[0]);
        assert!(Arc::ptr_eq(&first, &fields.towards(&map, goals[0])));
        fields.towards(&map, goals[1]);
        fields.towards(&map, goals[2]);
        assert_eq!(fields.len(), 2);
        let patch = GridPatch::new().block_rect((6, 6), (1, 2));
        let patch = patch.open_rect((2, 2), (2, 1));
        let changed = !map.apply(&patch).is_empty();
        assert!(changed && fields.towards(&map, goals[2]).state() == map.fingerprint());
        assert_eq!(fields.len(), 1);
    }
}
