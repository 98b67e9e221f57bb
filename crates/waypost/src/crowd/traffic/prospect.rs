//! What a walker thinks of the cells around it, by the piece of its path that it sees from there.

use super::track::{Track, moved};
use crate::cost::Cost;
use crate::grid::{Cell, Corners, Direction, Point};
use crate::map::Map;

/// How many cells ahead a neighbour may see for its value.
const LOOK: u8 = 8;
/// What is added to the value of a cell that sees no cell of the path.
const UNSEEN: Cost = 1 << 24;

/// What a walker thinks of the cells around it.
pub(super) struct Prospect {
    /// Cells of the path with what is left from each to the last of them.
    cells: [(Point, Cost); LOOK as usize + 2],
    count: usize,
    /// Which of them the walker is nearest to.
    place: usize,
    /// Of the next step.
    direction: Direction,
}

impl Prospect {
    /// The path from one cell behind the walker's place to some ahead.
    pub fn of(map: &Map, track: &Track) -> Prospect {
        let from = track.place.saturating_sub(1);
        let to = (track.place + LOOK).min(track.length);
        let mut point = track.back_to(map.grid().point(track.here), from);
        let mut cells = [(point, 0); LOOK as usize + 2];
        for step in from..to {
            point = moved(point, track.direction(step));
            cells[usize::from(step - from) + 1].0 = point;
        }
        let count = usize::from(to - from) + 1;
        for i in (0..count - 1).rev() {
            let direction = track.direction(from + i as u8);
            let cost = match map.ground() {
                None => map.rules().cost(direction),
                Some(_) => map
                    .grid()
                    .cell(cells[i].0)
                    .map_or(0, |cell| map.step_cost(cell, direction)),
            };
            cells[i].1 = cells[i + 1].1 + cost;
        }
        Prospect {
            cells,
            count,
            place: usize::from(track.place - from),
            direction: track.direction(track.place),
        }
    }

    /// Whether a step leads to the left of the path.
    #[inline]
    pub fn is_left(&self, direction: Direction) -> bool {
        (direction as u8 + 8 - self.direction as u8) % 8 > 4
    }

    /// The least value that a cell at this point may have.
    pub fn bound(&self, map: &Map, from: Point) -> Cost {
        octile(map, from, self.cells[self.count - 1].0)
    }

    /// The value of a cell near the walker; less is better. The furthest cell of the path that can be seen is the one
    /// that counts: the way to a nearer one and on along the path is no shorter.
    pub fn value(&self, map: &Map, cell: Cell, from: Point) -> Cost {
        if map.ground().is_some() {
            return self.value_on_ground(map, cell, from);
        }
        let mut seen = self.cells[..self.count].iter().rev();
        let seen = seen.find(|(to, _)| sees(map, cell, from, *to));
        match seen {
            Some(&(to, left)) => octile(map, from, to) + left,
            None => self.unseen(map, from),
        }
    }

    /// The same where steps cost by the ground: straight to a far cell of the path may be dearer than to a near one and on along the path.
    fn value_on_ground(&self, map: &Map, cell: Cell, from: Point) -> Cost {
        let mut best = self.unseen(map, from);
        for &(to, left) in self.cells[..self.count].iter().rev() {
            if octile(map, from, to) + left < best {
                for way in straight_ways(from, to) {
                    if let Some(cost) = cost_of_walk(map, cell, way) {
                        best = best.min(cost + left);
                    }
                }
            }
        }
        best
    }

    /// The value of a cell that sees no cell of the path.
    fn unseen(&self, map: &Map, from: Point) -> Cost {
        let (to, left) = self.cells[self.place];
        octile(map, from, to) + left + UNSEEN
    }
}

/// The least that it costs to go from one point to another.
#[inline]
fn octile(map: &Map, from: Point, to: Point) -> Cost {
    let (dx, dy) = from.distances(to);
    match map.ground() {
        None => map.rules().costs.octile(dx, dy),
        Some(_) => map.least_steps().octile(dx, dy),
    }
}

/// Steps in one direction, and in another.
type Walk = [(Option<Direction>, u32); 2];

/// The two ways straight from one point to another: diagonal steps first, or last.
fn straight_ways(from: Point, to: Point) -> [Walk; 2] {
    let (dx, dy) = (
        to.x.wrapping_sub(from.x) as i32,
        to.y.wrapping_sub(from.y) as i32,
    );
    let diagonals = dx.unsigned_abs().min(dy.unsigned_abs());
    let straights = dx.unsigned_abs().max(dy.unsigned_abs()) - diagonals;
    let straight = if dx.unsigned_abs() > dy.unsigned_abs() {
        Direction::of_step(dx.signum(), 0)
    } else {
        Direction::of_step(0, dy.signum())
    };
    let diagonal = (Direction::of_step(dx.signum(), dy.signum()), diagonals);
    let straight = (straight, straights);
    [[diagonal, straight], [straight, diagonal]]
}

/// Whether one can go straight from a cell to a point, diagonal steps first or last.
fn sees(map: &Map, cell: Cell, from: Point, to: Point) -> bool {
    if map.rules().corners != Corners::NoDiagonals && map.grid().is_free_between(from, to) {
        return true;
    }
    let [one, other] = straight_ways(from, to);
    walks(map, cell, one) || (one.iter().all(|part| part.1 > 0) && walks(map, cell, other))
}

fn walks(map: &Map, cell: Cell, walk: Walk) -> bool {
    every_step(map, cell, walk, |_, _| {})
}

/// What a walk costs by the ground; `None` where it is not free.
fn cost_of_walk(map: &Map, cell: Cell, walk: Walk) -> Option<Cost> {
    let mut cost = 0;
    every_step(map, cell, walk, |cell, direction| {
        cost += map.step_cost(cell, direction);
    })
    .then_some(cost)
}

/// Goes a walk from a cell as far as it is free; whether that is all of it.
#[inline]
fn every_step(
    map: &Map,
    mut cell: Cell,
    walk: Walk,
    mut visit: impl FnMut(Cell, Direction),
) -> bool {
    for (direction, steps) in walk {
        let Some(direction) = direction else {
            continue;
        };
        for _ in 0..steps {
            if !map.legal(cell).contains(direction) {
                return false;
            }
            visit(cell, direction);
            cell = map.grid().neighbour(cell, direction);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, MoveRules};

    #[test]
    fn values_respect_walls() {
        // A wall with a gap at its lower end.
        let grid = Grid::from_fn(30, 12, |p| p.x != 12 || p.y == 11).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let cell = |x, y| map.grid().cell(Point { x, y }).expect("inside");
        // Down along the wall, through the gap, and up on the other side.
        let steps = [
            (Direction::South, 4),
            (Direction::East, 2),
            (Direction::North, 5),
        ];
        let mut at = cell(11, 7);
        let mut track = Track::at(at);
        for (direction, count) in steps {
            for _ in 0..count {
                at = map.grid().neighbour(at, direction);
                track.lay(&map, direction, at);
            }
        }
        let prospect = Prospect::of(&map, &track);
        let value = |cell: Cell| prospect.value(&map, cell, map.grid().point(cell));
        let [down, up] = [cell(11, 8), cell(11, 6)].map(value);
        assert!(down < value(cell(11, 7)) && down < up);
        // Just across the wall the path ends near by, but this cell sees it from the other side.
        assert!(value(cell(13, 8)) < down);
    }
}
