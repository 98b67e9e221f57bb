//! Many walkers sent to one place: each gets a cell of its own around it, so nobody waits for another's place.

use super::{Crowd, CrowdError, WalkerId};
use crate::agent::Agent;
use crate::grid::{Cell, Point};
use crate::map::Map;
use crate::space::Space;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How a group stands when it has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formation {
    /// As near to the place as possible: those that are near already take the far side, so that they do not stand in the way. Where no two share a
    /// cell, members that are in each other's way on the road exchange their cells.
    #[default]
    Close,
    /// As it stands now, moved: each keeps its offset from the middle of the group where that cell is free.
    Kept,
}

impl<A: Agent<Map>> Crowd<A> {
    /// Sends walkers to a place; each gets a cell of its own, the nearest ones that can be walked to from there. Walkers that have no way to the
    /// place go as near to it as they can, those of one part of the map together; these are given back. A place that is a wall stands for
    /// the cell nearest to it that the first walker can reach. Looks at a few cells for each walker.
    pub fn send_group(
        &mut self,
        ids: &[WalkerId],
        place: Point,
        formation: Formation,
    ) -> Result<Vec<WalkerId>, CrowdError> {
        let mut at = Vec::with_capacity(ids.len());
        for &id in ids {
            at.push(self.walker(id)?.at);
        }
        let world = self.world().clone();
        let map = world.map();
        let Some(goal) = map.grid().cell(place) else {
            return Err(CrowdError::Blocked { point: place });
        };
        let groups = parts_of(&map, &at);
        let meeting = match map.contains(goal) {
            true => Some(goal),
            // A walker that is walled in can reach nothing.
            false => {
                let mut nearest = at.iter().map(|&cell| map.nearest_reachable(cell, place));
                nearest.find_map(|cell| cell)
            }
        };
        let mut apart = Vec::new();
        for members in groups {
            let from: Vec<Cell> = members.iter().map(|&i| at[i]).collect();
            let middle = map.nearest_reachable(from[0], place);
            let goals = match (middle, formation) {
                // Told that there is no way, until it is freed.
                (None, _) => vec![goal; from.len()],
                (Some(middle), Formation::Close) => close_goals(&map, middle, &from),
                (Some(middle), Formation::Kept) => kept_goals(&map, middle, &from),
            };
            if !meeting.is_some_and(|meeting| map.connected(from[0], meeting)) {
                apart.extend(members.iter().map(|&i| ids[i]));
            }
            for (&i, goal) in members.iter().zip(goals) {
                self.send(ids[i], map.grid().point(goal))?;
            }
        }
        if formation == Formation::Close {
            // No other group has this number: sending anybody counts as an order.
            let group = self.orders.max(1);
            for &id in ids {
                self.walker_mut(id)?.join(group);
            }
        }
        apart.sort_unstable();
        Ok(apart)
    }
}

/// Who stand in the same part of the map; those who are walled in are together.
fn parts_of(map: &Map, at: &[Cell]) -> impl Iterator<Item = Vec<usize>> {
    let mut parts = BTreeMap::<_, Vec<usize>>::new();
    for (i, &cell) in at.iter().enumerate() {
        parts.entry(map.components().of(cell)).or_default().push(i);
    }
    parts.into_values()
}

/// The cells around a place, the nearest by steps first, as many as are asked for and can be reached.
fn cells_around(map: &Map, middle: Cell, count: usize) -> Vec<Cell> {
    let mut cells = Vec::with_capacity(count);
    let mut queue = VecDeque::from([middle]);
    let mut seen = BTreeSet::from([middle]);
    while let Some(cell) = queue.pop_front() {
        cells.push(cell);
        if cells.len() >= count {
            break;
        }
        map.for_each_neighbour(cell, |next, _| {
            if seen.insert(next) {
                queue.push_back(next);
            }
        });
    }
    cells
}

/// One cell for each walker: the nearest walker takes the cell that lies furthest from all of them, and so on.
fn close_goals(map: &Map, middle: Cell, at: &[Cell]) -> Vec<Cell> {
    let mut cells = cells_around(map, middle, at.len());
    let centre = centre(map, at);
    let from_group = |cell: &Cell| {
        let (dx, dy) = map.grid().point(*cell).distances(centre);
        (map.rules().costs.octile(dx, dy), *cell)
    };
    cells.sort_unstable_by_key(|cell| std::cmp::Reverse(from_group(cell)));
    let mut order: Vec<usize> = (0..at.len()).collect();
    order.sort_by_key(|&i| (map.heuristic(at[i], middle), i));
    let mut goals = vec![middle; at.len()];
    for (&i, &cell) in order.iter().zip(&cells) {
        goals[i] = cell;
    }
    goals
}

/// The walkers' offsets from their middle, kept round the place; those whose cell is no floor, or taken, get the nearest that is left.
fn kept_goals(map: &Map, middle: Cell, at: &[Cell]) -> Vec<Cell> {
    let (centre, to) = (centre(map, at), map.grid().point(middle));
    let wanted = at.iter().map(|&cell| {
        let from = map.grid().point(cell);
        let point = Point {
            x: (to.x + from.x).checked_sub(centre.x)?,
            y: (to.y + from.y).checked_sub(centre.y)?,
        };
        map.passable_cell(point)
            .filter(|&cell| map.connected(middle, cell))
    });
    let wanted: Vec<Option<Cell>> = wanted.collect();
    let mut taken = BTreeSet::new();
    let mut goals: Vec<Option<Cell>> = wanted
        .into_iter()
        .map(|cell| cell.filter(|&cell| taken.insert(cell)))
        .collect();
    // As many cells again as there are walkers: at least the missing ones are free.
    let around = cells_around(map, middle, 2 * at.len());
    let mut left = around.into_iter().filter(|&cell| taken.insert(cell));
    for goal in &mut goals {
        *goal = goal.or_else(|| left.next());
    }
    goals
        .into_iter()
        .map(|goal| goal.unwrap_or(middle))
        .collect()
}

/// The middle of where walkers stand.
fn centre(map: &Map, at: &[Cell]) -> Point {
    let points = at.iter().map(|&cell| map.grid().point(cell));
    let (x, y) = points.fold((0u64, 0u64), |(x, y), p| {
        (x + u64::from(p.x), y + u64::from(p.y))
    });
    let count = at.len().max(1) as u64;
    Point {
        x: (x / count) as u32,
        y: (y / count) as u32,
    }
}
