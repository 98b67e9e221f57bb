//! Where pivots and canonical states stand.
//!
//! A pivot is worth most where optimal paths from it run through one end of a problem to the other: at the rim of the map,
//! not in its middle. Components get pivots in proportion to their cells.

use super::build::Row;

use crate::grid::{Cell, Point};
use crate::map::Map;
use crate::search::Dijkstra;

/// How pivots are placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placing {
    /// The first as far as possible from anywhere, each further one as far as possible from all before.
    Farthest,
    /// Round the rim: in each of as many angles from the centre of a component the cell farthest from it.
    Rim,
    /// Where the game knows that its agents come and go.
    Given(Vec<Point>),
}

/// How many pivots each component gets: one by one to the component with the most cells per pivot, one more included.
pub(super) fn shares(map: &Map, count: usize) -> Vec<(u32, usize)> {
    let components = map.components();
    let mut shares: Vec<(u32, usize)> = Vec::new();
    let mut order: Vec<u32> = (0..components.count() as u32).collect();
    order.sort_by_key(|&c| (std::cmp::Reverse(components.size(c)), c));
    order.truncate(count);
    for _ in 0..count {
        let given = |c: u32| {
            let found = shares.iter().find(|(component, _)| *component == c);
            found.map_or(0, |(_, n)| *n as u64)
        };
        // A component has no use for more pivots than cells.
        let open = order.iter().filter(|&&c| given(c) < components.size(c));
        let Some(&next) = open.max_by_key(|&&c| {
            let per_pivot = components.size(c) / (given(c) + 1);
            (per_pivot, std::cmp::Reverse(c))
        }) else {
            break;
        };
        match shares.iter_mut().find(|(component, _)| *component == next) {
            Some((_, n)) => *n += 1,
            None => shares.push((next, 1)),
        }
    }
    shares
}

/// The cells of one component.
pub(super) fn cells_of(map: &Map, component: u32) -> Vec<Cell> {
    let of = |&cell: &Cell| map.components().of(cell) == Some(component);
    map.grid().cells().filter(of).collect()
}

/// Places `count` pivots in a component, each as far as possible from the others, and spreads the distances from each.
pub(super) fn farthest(
    map: &Map,
    dijkstra: &mut Dijkstra,
    component: u32,
    count: usize,
    mut placed: impl FnMut(Cell, &Dijkstra),
) {
    let cells = cells_of(map, component);
    let Some(&anywhere) = cells.first() else {
        return;
    };
    dijkstra.spread(map, anywhere);
    let mut nearest: Vec<_> = cells.iter().map(|&cell| dijkstra.cost_to(cell)).collect();
    for number in 0..count {
        // The first of the farthest: independent of everything but the map.
        let Some(at) = (0..cells.len()).max_by_key(|&i| (nearest[i], std::cmp::Reverse(i))) else {
            return;
        };
        dijkstra.spread(map, cells[at]);
        placed(cells[at], dijkstra);
        for (nearest, &cell) in nearest.iter_mut().zip(&cells) {
            let cost = dijkstra.cost_to(cell);
            // The way from the arbitrary first cell has served its purpose once there is a pivot.
            *nearest = if number == 0 {
                cost
            } else {
                (*nearest).min(cost)
            };
        }
    }
}

/// The cells of a component that lie farthest from its centre, one in each of `count` equal angles.
pub(super) fn rim(map: &Map, component: u32, count: usize) -> Vec<Cell> {
    let cells = cells_of(map, component);
    let point = |cell: Cell| map.grid().point(cell);
    let sum = cells.iter().fold((0u64, 0u64), |(x, y), &cell| {
        (x + u64::from(point(cell).x), y + u64::from(point(cell).y))
    });
    let middle = |sum: u64| (sum / cells.len().max(1) as u64) as i64;
    let (cx, cy) = (middle(sum.0), middle(sum.1));
    let mut best: Vec<Option<(i64, Cell)>> = vec![None; count];
    for &cell in &cells {
        let (dx, dy) = (i64::from(point(cell).x) - cx, i64::from(point(cell).y) - cy);
        let sector = (diamond_angle(dx, dy) * count as i64 / FULL_TURN).min(count as i64 - 1);
        let distance = dx * dx + dy * dy;
        let best = &mut best[sector as usize];
        if best.is_none_or(|(d, _)| distance > d) {
            *best = Some((distance, cell));
        }
    }
    best.into_iter().flatten().map(|(_, cell)| cell).collect()
}

const FULL_TURN: i64 = 4 << 16;

/// An angle from 0 to below a full turn in integers: along the sides of a diamond instead of an arc.
fn diamond_angle(dx: i64, dy: i64) -> i64 {
    let whole = dx.abs() + dy.abs();
    if whole == 0 {
        return 0;
    }
    let part = |side: i64| (side.abs() << 16) / whole;
    let angle = match (dx >= 0, dy >= 0) {
        (true, true) => part(dy),
        (false, true) => (1 << 16) + part(dx),
        (false, false) => (2 << 16) + part(dy),
        (true, false) => (3 << 16) + part(dx),
    };
    angle.min(FULL_TURN - 1)
}

/// The distances from one cell to all passable ones, by rank.
pub(super) fn row(map: &Map, dijkstra: &Dijkstra) -> Row {
    map.grid()
        .cells()
        .map(|cell| dijkstra.cost_to(cell))
        .collect()
}
