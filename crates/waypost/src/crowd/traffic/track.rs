//! The piece of a walker's path around it: what it needs to come back after a push, and to know which of its neighbours is good.
//!
//! A track is all that traffic wants of whatever plans for a walker: the next cells of its path. It holds the last few cells
//! behind the walker and up to [`STEPS`] in all, three bits a step. Agents are asked for what comes after its end, so they stand,
//! as far as they know, some cells ahead of the walker.

use crate::grid::{Cell, Direction, Grid, Point};
use crate::map::Map;
use crate::stream::{Reader, Writer};

/// Steps that a track holds.
pub(in crate::crowd) const STEPS: usize = 42;
/// Cells behind the walker that are kept.
const BEHIND: u8 = 2;
/// How many cells ahead a walker looks for its place after a step off its path.
const AHEAD: u8 = 6;

/// The path around a walker.
#[derive(Clone, Copy, Debug)]
pub(in crate::crowd) struct Track {
    first: Cell,
    end: Cell,
    /// Directions of the steps, the first one in the lowest bits.
    steps: u128,
    pub(super) length: u8,
    /// The cell, counted from the first one, that the walker is nearest to.
    pub(super) place: u8,
    /// That cell.
    pub(super) here: Cell,
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
    pub const BYTES: usize = 34;

    pub fn save(&self, out: &mut Writer) {
        for cell in [self.first, self.end, self.here, self.previous] {
            out.u32(cell.0);
        }
        out.u64(self.steps as u64);
        out.u64((self.steps >> 64) as u64);
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
            steps: u128::from(from.u64()?) | u128::from(from.u64()?) << 64,
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

    /// Goes on by one step of the walker's path, and takes it as early as it can be without a dearer way: diagonal steps come before straight ones.
    ///
    /// Which of many shortest paths a method gives is nothing to a walker alone, but crowds feel it: where labels, which lead from corner to corner, and
    /// jump points gave paths of the same length, crowds with those of labels reached 4.5% fewer goals (lak303d, 700 walkers). With diagonal steps first
    /// the way back bends to the other side of the straight line between the ends, so those that come towards each other need not meet.
    pub fn lay(&mut self, map: &Map, direction: Direction, to: Cell) {
        self.push(direction, to);
        if !direction.is_diagonal() {
            return;
        }
        let grid = map.grid();
        let mut step = self.length - 1;
        let mut cell = grid.neighbour(to, direction.opposite());
        while step > self.place {
            let before = self.direction(step - 1);
            let from = grid.neighbour(cell, before.opposite());
            if !may_change_places(map, from, before, direction) {
                return;
            }
            let both = direction as u128 | (before as u128) << 3;
            let shift = 3 * (step - 1);
            self.steps = self.steps & !(0o77 << shift) | both << shift;
            (step, cell) = (step - 1, from);
        }
    }

    /// Goes on by one step.
    #[inline]
    fn push(&mut self, direction: Direction, to: Cell) {
        self.steps |= (direction as u128) << (3 * self.length);
        self.length += 1;
        self.end = to;
    }

    #[inline]
    pub(super) fn direction(&self, step: u8) -> Direction {
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
    pub(super) fn back_to(&self, mut point: Point, step: u8) -> Point {
        for step in (step..self.place).rev() {
            point = moved(point, self.direction(step).opposite());
        }
        point
    }
}

/// Whether a straight step and a diagonal one after it may be made the other way round, for no more than they cost.
fn may_change_places(map: &Map, from: Cell, straight: Direction, diagonal: Direction) -> bool {
    let turn = (diagonal as u8 + 8 - straight as u8) % 8;
    let between = map.grid().neighbour(from, diagonal);
    let is_free = matches!(turn, 1 | 7)
        && map.legal(from).contains(diagonal)
        && map.legal(between).contains(straight);
    if !is_free || map.ground().is_none() {
        return is_free;
    }
    let after = map.grid().neighbour(from, straight);
    let cost = map.step_cost(from, straight) + map.step_cost(after, diagonal);
    map.step_cost(from, diagonal) + map.step_cost(between, straight) <= cost
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
    fn diagonal_steps_come_first_where_that_is_free() {
        let map = map();
        let directions = |track: &Track| -> Vec<Direction> {
            (0..track.length)
                .map(|step| track.direction(step))
                .collect()
        };
        let lay = |x, y, steps: &[(Direction, u32)]| {
            let mut cell = map.grid().cell(Point { x, y }).expect("inside");
            let mut track = Track::at(cell);
            for &(direction, count) in steps {
                for _ in 0..count {
                    cell = map.grid().neighbour(cell, direction);
                    track.lay(&map, direction, cell);
                }
            }
            assert!(track.is_free(&map) && track.is_whole(map.grid()));
            assert_eq!(track.end(), cell);
            directions(&track)
        };
        use Direction::{East, North, NorthEast, South, SouthEast};
        assert_eq!(
            lay(
                0,
                2,
                &[(East, 2), (SouthEast, 2), (East, 1), (NorthEast, 1)]
            ),
            [SouthEast, SouthEast, NorthEast, East, East, East]
        );
        // What is no bend of a shortest path stays as it is.
        assert_eq!(
            lay(0, 6, &[(East, 1), (North, 1), (SouthEast, 1)]),
            [East, North, SouthEast]
        );
        // Through the gap in the wall there is no other way round the corners.
        let around = [(South, 2), (East, 2), (NorthEast, 1)];
        assert_eq!(lay(11, 9, &around), [South, South, East, East, NorthEast]);
    }

    #[test]
    fn steps_that_a_walker_has_behind_it_stay_as_they_are() {
        let map = map();
        let mut track = track(&map, 0, 4, &[(Direction::East, 3)]);
        let here = map.grid().cell(Point { x: 2, y: 4 }).expect("inside");
        assert_eq!(track.follow(map.grid(), here), 0);
        let to = map.grid().cell(Point { x: 4, y: 5 }).expect("inside");
        track.lay(&map, Direction::SouthEast, to);
        assert_eq!(track.step(), Some((here, Direction::SouthEast)));
        assert_eq!(track.direction(0), Direction::East);
        assert!(track.is_whole(map.grid()));
    }
}
