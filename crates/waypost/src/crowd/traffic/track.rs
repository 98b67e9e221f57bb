//! The piece of a walker's path around it: what it needs to come back after a push, and to know which of its neighbours is good.
//!
//! A track is all that traffic wants of whatever plans for a walker: the next cells of its path. It holds the last few cells
//! behind the walker and up to [`STEPS`] in all, three bits a step. Agents are asked for what comes after its end, so they stand,
//! as far as they know, some cells ahead of the walker.

use crate::cost::Cost;
use crate::grid::{Cell, Corners, Direction, Grid, Point};
use crate::map::Map;
use crate::stream::{Reader, Writer};

/// Steps that a track holds.
pub(in crate::crowd) const STEPS: usize = 21;
/// Cells behind the walker that are kept.
const BEHIND: u8 = 2;
/// How many cells ahead a walker looks for its place after a step off its path.
const AHEAD: u8 = 6;
/// How many cells ahead a neighbour may see for its value.
const LOOK: u8 = 8;
/// What is added to the value of a cell that sees no cell of the path.
const UNSEEN: Cost = 1 << 24;

/// The path around a walker.
#[derive(Clone, Copy, Debug)]
pub(in crate::crowd) struct Track {
    first: Cell,
    end: Cell,
    /// Directions of the steps, the first one in the lowest bits.
    steps: u64,
    length: u8,
    /// The cell, counted from the first one, that the walker is nearest to.
    place: u8,
    /// That cell.
    here: Cell,
    /// Where the walker's last step led from.
    previous: Cell,
}

impl Track {
    /// A track without steps.
    pub fn at(cell: Cell) -> Track {
        Track {
            first: cell,
            end: cell,
            steps: 0,
            length: 0,
            place: 0,
            here: cell,
            previous: cell,
        }
    }

    /// Forgets the path of a walker that stands at a cell.
    pub fn restart(&mut self, cell: Cell) {
        *self = Track {
            previous: self.previous,
            ..Track::at(cell)
        };
    }

    /// Bytes that it is written down in.
    pub const BYTES: usize = 26;

    pub fn save(&self, out: &mut Writer) {
        for cell in [self.first, self.end, self.here, self.previous] {
            out.u32(cell.0);
        }
        out.u64(self.steps);
        out.u8(self.length);
        out.u8(self.place);
    }

    /// What [`Track::save`] wrote; `None` where it is no track on this map.
    pub fn load(map: &Map, from: &mut Reader) -> Option<Track> {
        let mut cell = || from.cell(map.grid().id_bound());
        let [first, end, here, previous] = [cell()?, cell()?, cell()?, cell()?];
        let track = Track {
            first,
            end,
            steps: from.u64()?,
            length: from.u8()?,
            place: from.u8()?,
            here,
            previous,
        };
        track.is_whole(map.grid()).then_some(track)
    }

    /// Whether its steps lead where it says.
    fn is_whole(&self, grid: &Grid) -> bool {
        let mut cell = self.first;
        let mut is_here = self.place > 0 || cell == self.here;
        if usize::from(self.length) > STEPS || self.place > self.length {
            return false;
        }
        // Walls may have come since, but no step leads out of the map.
        let margin = grid.stride() as usize + 1;
        for step in 0..self.length {
            if !(margin..grid.id_bound() - margin).contains(&cell.index()) {
                return false;
            }
            cell = grid.neighbour(cell, self.direction(step));
            is_here |= step + 1 == self.place && cell == self.here;
        }
        is_here && cell == self.end
    }

    /// Where the walker's last step led from.
    pub fn previous(&self) -> Cell {
        self.previous
    }

    /// The walker leaves a cell.
    #[inline]
    pub fn leave(&mut self, cell: Cell) {
        self.previous = cell;
    }

    /// The cell of the path that the walker is nearest to, and the directions from there on.
    pub fn path_ahead(&self) -> (Cell, impl Iterator<Item = Direction> + use<>) {
        let track = *self;
        let steps = (track.place..track.length).map(move |step| track.direction(step));
        (track.here, steps)
    }

    /// Where it ends.
    pub fn end(&self) -> Cell {
        self.end
    }

    /// Steps after the walker's place.
    #[inline]
    pub fn ahead(&self) -> u8 {
        self.length - self.place
    }

    /// Whether there is room for another step.
    #[inline]
    pub fn has_room(&self) -> bool {
        usize::from(self.length) < STEPS
    }

    /// Goes on by one step.
    #[inline]
    pub fn push(&mut self, direction: Direction, to: Cell) {
        self.steps |= (direction as u64) << (3 * self.length);
        self.length += 1;
        self.end = to;
    }

    #[inline]
    fn direction(&self, step: u8) -> Direction {
        Direction::from_number((self.steps >> (3 * step)) as u8)
    }

    /// Drops what lies too far behind.
    pub fn forget_behind(&mut self, grid: &Grid) {
        while self.place > BEHIND {
            self.first = grid.neighbour(self.first, self.direction(0));
            self.steps >>= 3;
            self.length -= 1;
            self.place -= 1;
        }
    }

    /// The cells, from the first one on.
    #[cfg(test)]
    fn cells<'a>(&self, grid: &'a Grid) -> impl Iterator<Item = Cell> + use<'a> {
        let (track, mut cell) = (*self, self.first);
        (0..=track.length).map(move |step| {
            let here = cell;
            if step < track.length {
                cell = grid.neighbour(cell, track.direction(step));
            }
            here
        })
    }

    /// The cell at the walker's place and the direction of the next step.
    #[inline]
    pub fn step(&self) -> Option<(Cell, Direction)> {
        (self.place < self.length).then(|| (self.here, self.direction(self.place)))
    }

    /// Whether a walker at a cell stands on its path, with steps ahead.
    #[inline]
    pub fn is_at(&self, cell: Cell) -> bool {
        self.place < self.length && self.here == cell
    }

    /// The walker has made the next step.
    #[inline]
    pub fn advance(&mut self, to: Cell) {
        self.place += 1;
        self.here = to;
    }

    /// Whether all steps from the walker's place on are legal.
    pub fn is_free(&self, map: &Map) -> bool {
        let mut cell = self.first;
        (0..self.length).all(|step| {
            let direction = self.direction(step);
            let legal = step < self.place || map.legal(cell).contains(direction);
            cell = map.grid().neighbour(cell, direction);
            legal
        })
    }

    /// Finds the walker's place again; gives how many steps it is off its path, as a king goes.
    pub fn follow(&mut self, grid: &Grid, at: Cell) -> u32 {
        let here = grid.point(at);
        let from = self.place.saturating_sub(BEHIND);
        let to = (self.place + AHEAD).min(self.length);
        let mut point = self.back_to(grid.point(self.here), from);
        let (mut best, mut off) = ((from, point), u32::MAX);
        for step in from..=to {
            let (dx, dy) = here.distances(point);
            if dx.max(dy) <= off {
                (best, off) = ((step, point), dx.max(dy));
            }
            if step < to {
                point = moved(point, self.direction(step));
            }
        }
        self.place = best.0;
        self.here = grid.cell(best.1).unwrap_or(at);
        off
    }

    /// Where the path is at a step before the walker's place, which is at a point.
    #[inline]
    fn back_to(&self, mut point: Point, step: u8) -> Point {
        for step in (step..self.place).rev() {
            point = moved(point, self.direction(step).opposite());
        }
        point
    }
}

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

pub(super) fn moved(point: Point, direction: Direction) -> Point {
    Point {
        x: point.x.wrapping_add_signed(direction.dx()),
        y: point.y.wrapping_add_signed(direction.dy()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::MoveRules;

    fn map() -> Map {
        // A wall with a gap at its lower end.
        let grid = Grid::from_fn(30, 12, |p| p.x != 12 || p.y == 11).expect("a legal size");
        Map::new(grid, MoveRules::default())
    }

    fn track(map: &Map, x: u32, y: u32, steps: &[(Direction, u32)]) -> Track {
        let mut cell = map.grid().cell(Point { x, y }).expect("inside");
        let mut track = Track::at(cell);
        for &(direction, count) in steps {
            for _ in 0..count {
                cell = map.grid().neighbour(cell, direction);
                track.push(direction, cell);
            }
        }
        track
    }

    #[test]
    fn a_walker_finds_its_place_again_and_forgets_what_lies_behind() {
        let map = map();
        let grid = map.grid();
        let mut track = track(
            &map,
            0,
            0,
            &[(Direction::East, 8), (Direction::SouthEast, 3)],
        );
        assert_eq!(track.cells(grid).count(), 12);
        assert_eq!(track.ahead(), 11);
        let cell = |x, y| grid.cell(Point { x, y }).expect("inside");
        assert_eq!(track.follow(grid, cell(5, 0)), 0);
        assert_eq!(track.step(), Some((cell(5, 0), Direction::East)));
        assert_eq!(track.follow(grid, cell(5, 2)), 2);
        track.forget_behind(grid);
        assert_eq!(track.cells(grid).last(), Some(track.end()));
        assert_eq!(track.end(), cell(11, 3));
        // The gap through the wall is far: the track is free until a step meets the wall.
        assert!(track.is_free(&map));
        track.push(Direction::East, cell(12, 3));
        assert!(!track.is_free(&map));
    }

    #[test]
    fn values_respect_walls() {
        let map = map();
        let cell = |x, y| map.grid().cell(Point { x, y }).expect("inside");
        // Down along the wall, through the gap, and up on the other side.
        let steps = [
            (Direction::South, 4),
            (Direction::East, 2),
            (Direction::North, 5),
        ];
        let track = track(&map, 11, 7, &steps);
        let prospect = Prospect::of(&map, &track);
        let value = |cell: Cell| prospect.value(&map, cell, map.grid().point(cell));
        let [down, up] = [cell(11, 8), cell(11, 6)].map(value);
        assert!(down < value(cell(11, 7)) && down < up);
        // Just across the wall the path ends near by, but this cell sees it from the other side.
        assert!(value(cell(13, 8)) < down);
    }
}
