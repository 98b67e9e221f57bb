//! Scans: how far a walk in one of the eight directions goes, found by words of bits instead of cell by cell.
//!
//! Jump point search spends nine tenths of its time scanning (Harabor and Grastien, "The JPS pathfinding system", 2012,
//! scan rows by words). Here every direction is scanned by words: rows as they are, columns in a transposed copy,
//! diagonals in two sheared copies. For each direction a second plane marks the cells where a scan
//! halts: a wall, a stop ([`StopAt`]), and on diagonals also every cell from which a straight scan sideways reaches a
//! stop, so that the cells between are never looked at.
//!
//! A [`Scans`] holds twelve bits a cell, takes about a nanosecond a cell to build, and is repaired after a change
//! of the map by looking again at the lines through the changed cells ([`Scans::repair`]).

mod bits;
pub mod canonical;
mod count;
mod planes;
mod repair;
mod slide;
mod stops;

pub use slide::Opening;
pub use stops::StopAt;

use super::{Corners, Direction, Directions, Grid, Point};
use bits::{bit, next_set, previous_set};
use planes::{Lines, Shape};
use stops::Around;

/// The end of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Steps to the stop, or to the last cell before the wall.
    pub steps: u32,
    /// Does it end at a stop?
    pub stop: bool,
}

/// A place where a scan ended in a stop: diagonal steps first, then straight ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Where.
    pub at: Point,
    /// The direction of the first step.
    pub departure: Direction,
    /// The direction of the last step.
    pub arrival: Direction,
    /// Diagonal steps.
    pub diagonal: u32,
    /// Straight steps after them.
    pub straight: u32,
}

/// The bits of a grid, laid out for scanning in eight directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scans {
    kind: StopAt,
    corners: Corners,
    shape: Shape,
    /// 1 = wall, row layout.
    row_walls: Vec<u64>,
    /// 1 = wall, column layout.
    column_walls: Vec<u64>,
    /// 1 = the move south-east from here is illegal, falling layout.
    falling_walls: Vec<u64>,
    /// 1 = the move south-west from here is illegal, rising layout.
    rising_walls: Vec<u64>,
    /// By direction, each in its layout: 1 = a scan halts here.
    halts: [Vec<u64>; 8],
}

impl Scans {
    /// Lays out a grid. About twelve bits a cell.
    pub fn new(grid: &Grid, corners: Corners, kind: StopAt) -> Scans {
        let shape = Shape::of(grid);
        let free = grid.words();
        let stops = Direction::ALL.map(|d| stop_plane(&shape, free, kind, corners, d));
        let legal = Direction::ALL.map(|d| {
            if d.is_diagonal() {
                legal_plane(&shape, free, corners, d)
            } else {
                Vec::new()
            }
        });
        let hits = Direction::ALL.map(|d| {
            if d.is_diagonal() {
                Vec::new()
            } else {
                stops::hits(&shape, free, &stops[d as usize], d)
            }
        });
        let halts = Direction::ALL.map(|d| {
            let n = d as usize;
            if !d.is_diagonal() {
                let plane = combined(free.len(), |at| stops[n][at] | !free[at]);
                return laid_out(&shape, plane, d);
            }
            let (left, right) = (&hits[(n + 7) & 7], &hits[(n + 1) & 7]);
            let plane = combined(free.len(), |at| {
                left[at] | right[at] | stops[n][at] | !legal[n][at]
            });
            laid_out(&shape, plane, d)
        });
        let illegal = |d: Direction| combined(free.len(), |at| !legal[d as usize][at]);
        let row_walls = combined(free.len(), |at| !free[at]);
        Scans {
            kind,
            corners,
            column_walls: shape.lay_out(&row_walls, Lines::Columns, u64::MAX),
            row_walls,
            falling_walls: shape.lay_out(&illegal(Direction::SouthEast), Lines::Falling, u64::MAX),
            rising_walls: shape.lay_out(&illegal(Direction::SouthWest), Lines::Rising, u64::MAX),
            halts,
            shape,
        }
    }

    /// Where these scans stop.
    pub fn kind(&self) -> StopAt {
        self.kind
    }

    /// The corner rule that diagonals obey.
    pub fn corners(&self) -> Corners {
        self.corners
    }

    /// Bytes that the planes take.
    pub fn memory_bytes(&self) -> usize {
        let planes = [
            &self.row_walls,
            &self.column_walls,
            &self.falling_walls,
            &self.rising_walls,
        ];
        let words: usize = planes.into_iter().chain(&self.halts).map(Vec::len).sum();
        size_of::<Scans>() + words * 8 + self.shape.row_turn.len() * 4
    }

    /// Can the point be stood on?
    #[inline]
    pub fn is_passable(&self, at: Point) -> bool {
        !bit(&self.row_walls, self.shape.row_bit(at))
    }

    /// Legal steps from a passable point in a direction until something blocks the next.
    #[inline]
    pub fn run(&self, at: Point, direction: Direction) -> u32 {
        let (shape, d) = (&self.shape, direction);
        let steps = match d {
            Direction::East => ahead(&self.row_walls, shape.row_bit(at) + 1),
            Direction::West => behind(&self.row_walls, shape.row_bit(at) - 1),
            Direction::South => ahead(&self.column_walls, shape.column_bit(at) + 1),
            Direction::North => behind(&self.column_walls, shape.column_bit(at) - 1),
            Direction::SouthEast => ahead(&self.falling_walls, shape.falling_bit(at)),
            Direction::NorthWest => behind(&self.falling_walls, shape.falling_bit(at) - 1),
            Direction::SouthWest => ahead(&self.rising_walls, shape.rising_bit(at)),
            Direction::NorthEast => behind(&self.rising_walls, shape.rising_bit(at) - 1),
        };
        steps as u32
    }

    /// The first stop in a straight direction from a passable point, or the last free cell.
    #[inline]
    pub fn jump(&self, at: Point, straight: Direction) -> Jump {
        match straight {
            Direction::North => self.jump_to::<0>(at),
            Direction::East => self.jump_to::<2>(at),
            Direction::South => self.jump_to::<4>(at),
            _ => self.jump_to::<6>(at),
        }
    }

    /// The same with the direction known to the compiler: planes and signs are then constants of the code.
    #[inline]
    fn jump_to<const D: u8>(&self, at: Point) -> Jump {
        let direction = const { Direction::from_number(D) };
        let halts = &self.halts[D as usize];
        let (walls, here) = if direction.dy() == 0 {
            (&self.row_walls, self.shape.row_bit(at))
        } else {
            (&self.column_walls, self.shape.column_bit(at))
        };
        let (halt, steps) = if direction.dx() + direction.dy() > 0 {
            let halt = next_set(halts, here + 1);
            (halt, halt - here)
        } else {
            let halt = previous_set(halts, here - 1);
            (halt, here - halt)
        };
        let stop = !bit(walls, halt);
        Jump {
            steps: steps as u32 - u32::from(!stop),
            stop,
        }
    }

    /// Is the point itself a stop for scans in this direction?
    #[inline]
    pub fn is_stop(&self, at: Point, direction: Direction) -> bool {
        self.around(at).stops(self.kind, self.corners, direction) & 1 != 0
    }

    /// The directions in which scans stop at a passable point.
    pub fn stop_directions(&self, at: Point) -> Directions {
        let around = self.around(at);
        Direction::ALL
            .into_iter()
            .filter(|&d| around.stops(self.kind, self.corners, d) & 1 != 0)
            .fold(Directions::NONE, Directions::with)
    }

    /// One bit per cell id: is the cell a stop in any direction?
    pub fn stop_marks(&self) -> Vec<u64> {
        let free = combined(self.row_walls.len(), |at| !self.row_walls[at]);
        let mut marks = vec![0; free.len()];
        for at in inner_words(&self.shape) {
            let around = Around::of(&free, at, self.shape.row_words);
            for d in Direction::ALL {
                marks[at] |= around.stops(self.kind, self.corners, d);
            }
        }
        marks
    }

    /// The moves worth trying from a passable point: all legal ones at a start, the canonical ones after an arrival.
    #[inline]
    pub fn moves(&self, at: Point, arrival: Option<Direction>) -> Directions {
        let around = self.neighbourhood(at);
        match arrival {
            Some(d) => canonical::after(self.corners, d, around),
            None => super::MoveRules {
                corners: self.corners,
                ..super::MoveRules::default()
            }
            .legal(around),
        }
    }

    /// Calls `visit` with every stop that a walk of diagonal steps, then straight ones, reaches first when it sets out in one of
    /// the directions. Diagonal cells that only lead to stops are skipped over.
    #[inline]
    pub fn for_each_stop(&self, at: Point, directions: Directions, mut visit: impl FnMut(Stop)) {
        let visit = &mut visit;
        for d in directions {
            match d {
                Direction::North => self.straight_stop::<0>(at, d, 0, visit),
                Direction::NorthEast => self.diagonal_stops::<1, 0, 2>(at, visit),
                Direction::East => self.straight_stop::<2>(at, d, 0, visit),
                Direction::SouthEast => self.diagonal_stops::<3, 2, 4>(at, visit),
                Direction::South => self.straight_stop::<4>(at, d, 0, visit),
                Direction::SouthWest => self.diagonal_stops::<5, 4, 6>(at, visit),
                Direction::West => self.straight_stop::<6>(at, d, 0, visit),
                Direction::NorthWest => self.diagonal_stops::<7, 6, 0>(at, visit),
            }
        }
    }

    #[inline]
    fn straight_stop<const D: u8>(
        &self,
        at: Point,
        departure: Direction,
        diagonal: u32,
        visit: &mut impl FnMut(Stop),
    ) {
        let jump = self.jump_to::<D>(at);
        if jump.stop {
            let direction = const { Direction::from_number(D) };
            visit(Stop {
                at: moved(at, direction, jump.steps),
                departure,
                arrival: direction,
                diagonal,
                straight: jump.steps,
            });
        }
    }

    /// `D` is the diagonal, `L` and `R` are its straight parts.
    #[inline]
    fn diagonal_stops<const D: u8, const L: u8, const R: u8>(
        &self,
        at: Point,
        visit: &mut impl FnMut(Stop),
    ) {
        let direction = const { Direction::from_number(D) };
        let (walls, here) = if D == 3 || D == 7 {
            (&self.falling_walls, self.shape.falling_bit(at))
        } else {
            (&self.rising_walls, self.shape.rising_bit(at))
        };
        let halts = &self.halts[D as usize];
        let mut last = here;
        loop {
            // The step onwards from the last cell looked at: its legality is kept at its upper end.
            let (legal, halt, steps) = if direction.dy() > 0 {
                if bit(walls, last) {
                    return;
                }
                let halt = next_set(halts, last + 1);
                (!bit(walls, halt), halt, halt - here)
            } else {
                if bit(walls, last - 1) {
                    return;
                }
                let halt = previous_set(halts, last - 1);
                (!bit(walls, halt - 1), halt, here - halt)
            };
            let steps = steps as u32;
            let turn = moved(at, direction, steps);
            if self.stops_diagonal(turn, direction) {
                visit(Stop {
                    at: turn,
                    departure: direction,
                    arrival: direction,
                    diagonal: steps,
                    straight: 0,
                });
                return;
            }
            self.straight_stop::<L>(turn, direction, steps, visit);
            self.straight_stop::<R>(turn, direction, steps, visit);
            if !legal {
                return;
            }
            last = halt;
        }
    }

    /// Does a diagonal scan stop at a cell that it has reached?
    #[inline]
    fn stops_diagonal(&self, at: Point, direction: Direction) -> bool {
        match (self.kind, self.corners) {
            (StopAt::JumpPoints, Corners::Never) => false,
            (StopAt::JumpPoints, _) => self.is_stop(at, direction),
            // Corners halt every scan, also those along the row.
            (StopAt::Corners, _) => bit(
                &self.halts[Direction::East as usize],
                self.shape.row_bit(at),
            ),
        }
    }

    /// Is the walk from one passable point to another, diagonal steps first, then straight ones, free?
    #[inline]
    pub fn walk_is_free(&self, from: Point, to: Point) -> bool {
        let walk = Walk::between(from, to);
        let mut turn = from;
        if walk.diagonal_steps > 0 {
            if self.run(from, walk.diagonal) < walk.diagonal_steps {
                return false;
            }
            turn = moved(from, walk.diagonal, walk.diagonal_steps);
        }
        walk.straight_steps == 0 || self.run(turn, walk.straight) >= walk.straight_steps
    }

    fn around(&self, at: Point) -> Around {
        let around = self.neighbourhood(at);
        Around {
            here: 1,
            side: Direction::ALL.map(|d| u64::from(around.is_passable(d))),
        }
    }

    #[inline]
    fn neighbourhood(&self, at: Point) -> super::Neighbourhood {
        let (here, stride) = (self.shape.row_bit(at), self.shape.row_words * 64);
        let above = !bits::bits_from(&self.row_walls, here - stride - 1) & 7;
        let middle = !bits::bits_from(&self.row_walls, here - 1) & 7;
        let below = !bits::bits_from(&self.row_walls, here + stride - 1) & 7;
        super::Neighbourhood((above | (middle & 1) << 3 | (middle & 4) << 2 | below << 5) as u8)
    }
}

/// The point some steps away.
#[inline]
pub fn moved(at: Point, direction: Direction, steps: u32) -> Point {
    Point {
        x: at.x.wrapping_add_signed(direction.dx() * steps as i32),
        y: at.y.wrapping_add_signed(direction.dy() * steps as i32),
    }
}

/// A direction and how many steps in it.
pub type Leg = (Direction, u32);

/// The shortest walk over open ground: steps in a diagonal direction and in a straight one. Where there are no steps of a
/// kind, its direction means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The diagonal direction.
    pub diagonal: Direction,
    /// Steps in it.
    pub diagonal_steps: u32,
    /// The straight direction.
    pub straight: Direction,
    /// Steps in it.
    pub straight_steps: u32,
}

impl Walk {
    /// The walk between two points.
    #[inline]
    pub fn between(from: Point, to: Point) -> Walk {
        // By the signs of both differences: west, same column, east, for each of north, same row, south.
        const DIAGONAL: [Direction; 4] = [
            Direction::SouthEast,
            Direction::SouthWest,
            Direction::NorthEast,
            Direction::NorthWest,
        ];
        let (west, north) = (to.x < from.x, to.y < from.y);
        let (width, height) = from.distances(to);
        let straight = if width > height {
            [Direction::East, Direction::West][usize::from(west)]
        } else {
            [Direction::South, Direction::North][usize::from(north)]
        };
        Walk {
            diagonal: DIAGONAL[usize::from(north) * 2 + usize::from(west)],
            diagonal_steps: width.min(height),
            straight,
            straight_steps: width.abs_diff(height),
        }
    }
}

/// The two legs of the shortest walk over open ground: diagonal and straight, either of which may be missing.
#[inline]
pub fn legs(from: Point, to: Point) -> (Option<Leg>, Option<Leg>) {
    let walk = Walk::between(from, to);
    (
        (walk.diagonal_steps > 0).then_some((walk.diagonal, walk.diagonal_steps)),
        (walk.straight_steps > 0).then_some((walk.straight, walk.straight_steps)),
    )
}

/// Unset bits from a position on.
#[inline]
fn ahead(plane: &[u64], from: usize) -> usize {
    next_set(plane, from) - from
}

/// Unset bits from a position backwards.
#[inline]
fn behind(plane: &[u64], from: usize) -> usize {
    from - previous_set(plane, from)
}

fn combined(words: usize, word: impl Fn(usize) -> u64) -> Vec<u64> {
    (0..words).map(word).collect()
}

fn laid_out(shape: &Shape, plane: Vec<u64>, direction: Direction) -> Vec<u64> {
    match lines_of(direction) {
        None => plane,
        Some(lines) => shape.lay_out(&plane, lines, u64::MAX),
    }
}

/// The layout in which a direction's cells are neighbours; `None` for rows.
fn lines_of(direction: Direction) -> Option<Lines> {
    match direction {
        Direction::East | Direction::West => None,
        Direction::South | Direction::North => Some(Lines::Columns),
        Direction::SouthEast | Direction::NorthWest => Some(Lines::Falling),
        Direction::SouthWest | Direction::NorthEast => Some(Lines::Rising),
    }
}

/// Words between the two border rows.
fn inner_words(shape: &Shape) -> std::ops::Range<usize> {
    shape.row_words..(shape.rows as usize - 1) * shape.row_words
}

fn stop_plane(
    shape: &Shape,
    free: &[u64],
    kind: StopAt,
    corners: Corners,
    direction: Direction,
) -> Vec<u64> {
    let mut plane = vec![0; free.len()];
    for at in inner_words(shape) {
        plane[at] = Around::of(free, at, shape.row_words).stops(kind, corners, direction);
    }
    plane
}

fn legal_plane(shape: &Shape, free: &[u64], corners: Corners, diagonal: Direction) -> Vec<u64> {
    let mut plane = vec![0; free.len()];
    for at in inner_words(shape) {
        plane[at] = Around::of(free, at, shape.row_words).legal(corners, diagonal);
    }
    plane
}

#[cfg(test)]
mod tests;
