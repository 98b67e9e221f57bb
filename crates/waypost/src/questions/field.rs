//! Costs to the nearest of some goals from everywhere: a Dijkstra map. Many units walk downhill on one field.

use crate::cost::{Cost, UNREACHED};
use crate::grid::{Cell, Direction};
use crate::map::Map;
use crate::space::Space;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Fleeing values rise this many tenths as fast as distances fall: far corners are worth passing the pursuer's side for.
const FLEE_TENTHS: u64 = 12;

/// A value for every cell, lower ones to be gone to.
///
/// ```
/// use waypost::questions::Field;
/// use waypost::{Grid, Map, MoveRules, Point};
///
/// let map = Map::new(Grid::from_fn(9, 9, |_| true).unwrap(), MoveRules::default());
/// let cell = |x, y| map.passable_cell(Point { x, y }).unwrap();
/// let field = Field::towards(&map, &[(cell(0, 0), 0), (cell(8, 8), 0)]);
/// let step = field.downhill(&map, cell(7, 6)).unwrap();
/// assert!(field.value(map.grid().neighbour(cell(7, 6), step)) < field.value(cell(7, 6)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    values: Vec<Cost>,
    state: u64,
}

impl Field {
    /// The least cost from every cell to a goal plus what is added for that goal. Walls among the goals are left out.
    pub fn towards(map: &Map, goals: &[(Cell, Cost)]) -> Field {
        let mut values = vec![UNREACHED; map.grid().id_bound()];
        for &(goal, added) in goals.iter().filter(|(goal, _)| map.contains(*goal)) {
            let value = &mut values[goal.index()];
            *value = added.min(*value).min(UNREACHED - 1);
        }
        Field::relaxed(map, values)
    }

    /// Where to go to get away from what this field leads to: its values turned round, so that the farthest cells are lowest, and
    /// smoothed, so that a way out of a dead end leads on. Cells that the field does not reach stay so.
    pub fn fleeing(&self, map: &Map) -> Field {
        let reached = self.values.iter().filter(|&&value| value != UNREACHED);
        let farthest = u64::from(reached.max().copied().unwrap_or(0));
        let turned = |&value: &Cost| match value {
            UNREACHED => UNREACHED,
            value => {
                let height = (farthest - u64::from(value)) * FLEE_TENTHS / 10;
                height.min(u64::from(UNREACHED - 1)) as Cost
            }
        };
        Field::relaxed(map, self.values.iter().map(turned).collect())
    }

    /// Lowers every value to that of a neighbour plus the step to it.
    fn relaxed(map: &Map, mut values: Vec<Cost>) -> Field {
        let reached = map
            .grid()
            .cells()
            .filter(|cell| values[cell.index()] != UNREACHED);
        let mut open: BinaryHeap<_> = reached
            .map(|cell| Reverse((values[cell.index()], cell)))
            .collect();
        while let Some(Reverse((value, cell))) = open.pop() {
            if value > values[cell.index()] {
                continue;
            }
            map.for_each_neighbour(cell, |next, cost| {
                let through = value.saturating_add(cost);
                if through < values[next.index()] {
                    values[next.index()] = through;
                    open.push(Reverse((through, next)));
                }
            });
        }
        Field {
            values,
            state: map.fingerprint(),
        }
    }

    /// The value of a cell; [`UNREACHED`] for walls, islands and what lies outside.
    #[inline]
    pub fn value(&self, cell: Cell) -> Cost {
        self.values.get(cell.index()).copied().unwrap_or(UNREACHED)
    }

    /// The move to the lowest neighbour, if that is lower than the cell; the first of equals.
    pub fn downhill(&self, map: &Map, cell: Cell) -> Option<Direction> {
        let value = |d: &Direction| self.value(map.grid().neighbour(cell, *d));
        let lowest = map.legal(cell).min_by_key(value)?;
        (value(&lowest) < self.value(cell)).then_some(lowest)
    }

    /// The fingerprint of the map that it is for ([`Map::fingerprint`]).
    pub fn state(&self) -> u64 {
        self.state
    }

    /// Bytes that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Field>() + self.values.len() * size_of::<Cost>()
    }
}
