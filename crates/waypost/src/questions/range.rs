//! All cells within a cost: where a unit can go this turn.

use crate::cost::{Cost, Length};
use crate::grid::Cell;
use crate::map::Map;
use crate::search::Dijkstra;

/// A cell within range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The cell.
    pub cell: Cell,
    /// The cost of a cheapest path to it.
    pub cost: Cost,
    /// The moves of one, as [`Map::path_length`] counts them.
    pub length: Length,
}

/// All cells whose cheapest path is at most `most` long (as [`Map::length`] counts it), the start included, in the order of cell
/// ids. Empty where the start is a wall or `most` is negative or not a number.
pub fn range(map: &Map, search: &mut Dijkstra, from: Cell, most: f64) -> Vec<Reached> {
    if !map.grid().is_passable(from) || most.is_nan() || most < 0.0 {
        return Vec::new();
    }
    // Integer costs are a little off the true lengths: look a little further and leave out what is too far.
    let unit = 1.0 / map.approximate_length(1 << 20) * f64::from(1 << 20);
    let limit = (most * unit * 1.003 + 2.0).min(f64::from(Cost::MAX - 2)) as Cost;
    search.spread_within(map, from, limit);
    let cells = map
        .grid()
        .cells()
        .filter(|&cell| search.cost_to(cell) <= limit);
    let mut reached: Vec<Reached> = cells
        .map(|cell| Reached {
            cell,
            cost: search.cost_to(cell),
            length: Length::default(),
        })
        .collect();
    measure(map, search, &mut reached);
    // Sums of the same moves in another order differ in their last digits.
    reached.retain(|r| map.length(r.length) <= most * (1.0 + 1e-12) + 1e-9);
    reached
}

/// Counts the moves to every cell, those to the cell before it first.
fn measure(map: &Map, search: &Dijkstra, reached: &mut [Reached]) {
    let mut order: Vec<u32> = (0..reached.len() as u32).collect();
    order.sort_unstable_by_key(|&i| reached[i as usize].cost);
    for i in order {
        let cell = reached[i as usize].cell;
        let Some(before) = search.step_back(map, cell) else {
            continue;
        };
        let Ok(at) = reached.binary_search_by_key(&before, |r| r.cell) else {
            continue;
        };
        let mut length = reached[at].length;
        length += map.path_length(&[before, cell]).unwrap_or_default();
        reached[i as usize].length = length;
    }
}
