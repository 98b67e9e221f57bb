//! Scans: how far a walk in one of the eight directions goes, found by words of bits instead of cell by cell.
//!
//! Jump point search spends nine tenths of its time scanning (Harabor and Grastien, "The JPS pathfinding system", 2012,
//! scan rows by words). Here every direction is scanned by words: rows as they are, columns in a transposed copy,
//! diagonals in two sheared copies. For each straight direction a second plane marks the cells where a scan
//! halts: a wall or a stop ([`StopAt`]). For each diagonal and each of its two sides another marks the cells from which a
//! straight scan to that side reaches a stop, so that the cells between are never looked at and no scan is in vain.
//!
//! A [`Scans`] holds sixteen bits a cell (twenty where diagonal scans have stops of their own) and is repaired after a
//! change of the map by looking again at the lines through the changed cells ([`Scans::repair`]).

mod bits;
mod build;
pub mod canonical;
mod count;
mod longest;
mod marks;
mod planes;
mod scan_repair;
mod slide;
mod some_stops;
mod stops;

pub use marks::DiagonalMarks;
pub use scan_repair::{ScanRepair, Touched};
pub use slide::Opening;
pub use some_stops::StopCursor;
pub use stops::StopAt;

use super::{Corners, Direction, Directions, Grid, Point};
use bits::{bit, for_each_set, next_set, previous_set};
use build::{combined, inner_words, legal_plane, lines_of, stop_plane};
use planes::{Lines, Shape};
use stops::Around;

/// The end of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Steps to the stop, or to the last cell before the wall.
    pub steps: u32,
    /// Whether it ends at a stop.
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
    /// By straight direction, each in its layout: 1 = a scan halts here.
    halts: [Vec<u64>; 4],
    /// By diagonal and side (left, right), each in the diagonal's layout: 1 = a scan to that side ends at a stop.
    hits: [[Vec<u64>; 2]; 4],
    /// By diagonal, in its layout: 1 = a diagonal scan stops here. Empty where none ever does.
    diagonal_stops: [Vec<u64>; 4],
}

impl Scans {
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
        let words: usize = planes
            .into_iter()
            .chain(&self.halts)
            .chain(self.hits.iter().flatten())
            .chain(&self.diagonal_stops)
            .map(Vec::len)
            .sum();
        size_of::<Scans>() + words * 8 + self.shape.row_turn.len() * 4
    }

    /// The fingerprint of the grid that the planes are of.
    pub fn fingerprint(&self) -> u64 {
        let (width, height) = (self.shape.cycle - 1, self.shape.rows - 2);
        super::fingerprint::fingerprint_of(width, height, self.row_walls.iter().map(|walls| !walls))
    }

    /// Whether they can be of a state of this map: the same size, the same corner rule.
    pub(crate) fn fit(&self, grid: &Grid, corners: Corners) -> bool {
        let size = (self.shape.cycle - 1, self.shape.rows - 2);
        size == (grid.width(), grid.height()) && self.corners == corners
    }

    /// How many cells of these words are walls here and passable in a grid of the same size.
    pub(crate) fn walls_open_in(&self, grid: &Grid, words: std::ops::Range<usize>) -> u64 {
        let words = self.row_walls[words.clone()]
            .iter()
            .zip(&grid.words()[words]);
        words
            .map(|(&walls, &free)| u64::from((walls & free).count_ones()))
            .sum()
    }

    /// Whether the point can be stood on.
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
        let (halt, steps) = self.halt::<D>(at);
        let walls = if direction.dy() == 0 {
            &self.row_walls
        } else {
            &self.column_walls
        };
        let stop = !bit(walls, halt);
        Jump {
            steps: steps - u32::from(!stop),
            stop,
        }
    }

    /// The first halt in a straight direction: its position in the layout, and steps to it.
    #[inline]
    fn halt<const D: u8>(&self, at: Point) -> (usize, u32) {
        let direction = const { Direction::from_number(D) };
        let halts = &self.halts[D as usize / 2];
        let here = if direction.dy() == 0 {
            self.shape.row_bit(at)
        } else {
            self.shape.column_bit(at)
        };
        if direction.dx() + direction.dy() > 0 {
            let halt = next_set(halts, here + 1);
            (halt, (halt - here) as u32)
        } else {
            let halt = previous_set(halts, here - 1);
            (halt, (here - halt) as u32)
        }
    }

    /// Whether the point itself is a stop for scans in this direction.
    #[cfg(test)]
    pub(crate) fn is_stop(&self, at: Point, direction: Direction) -> bool {
        self.around(at).stops(self.kind, self.corners, direction) & 1 != 0
    }

    /// The directions in which scans stop at a passable point.
    pub(crate) fn stop_directions(&self, at: Point) -> Directions {
        let around = self.around(at);
        Direction::ALL
            .into_iter()
            .filter(|&d| around.stops(self.kind, self.corners, d) & 1 != 0)
            .fold(Directions::NONE, Directions::with)
    }

    /// The points of the map among these that are stops in any direction.
    pub(crate) fn marks_of<'a>(
        &'a self,
        points: &'a [Point],
    ) -> impl Iterator<Item = (Point, bool)> + 'a {
        points.iter().map(|&at| {
            let marked = self.is_passable(at) && self.stop_directions(at) != Directions::NONE;
            (at, marked)
        })
    }

    /// One bit per cell id: whether the cell is a stop in any direction.
    pub(crate) fn stop_marks(&self) -> Vec<u64> {
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
        // Eight branches, which are easier to foretell than one jump by the number of the direction.
        let sets_out = |d: Direction| directions.contains(d);
        if sets_out(Direction::North) {
            self.straight_stop::<0>(at, Direction::North, 0, visit);
        }
        if sets_out(Direction::NorthEast) {
            self.diagonal_stops::<1, 0, 2>(at, visit);
        }
        if sets_out(Direction::East) {
            self.straight_stop::<2>(at, Direction::East, 0, visit);
        }
        if sets_out(Direction::SouthEast) {
            self.diagonal_stops::<3, 2, 4>(at, visit);
        }
        if sets_out(Direction::South) {
            self.straight_stop::<4>(at, Direction::South, 0, visit);
        }
        if sets_out(Direction::SouthWest) {
            self.diagonal_stops::<5, 4, 6>(at, visit);
        }
        if sets_out(Direction::West) {
            self.straight_stop::<6>(at, Direction::West, 0, visit);
        }
        if sets_out(Direction::NorthWest) {
            self.diagonal_stops::<7, 6, 0>(at, visit);
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
        let DiagonalReach { here, from, to } = self.diagonal_reach::<D>(at, visit);
        let [left, right] = &self.hits[D as usize / 2];
        for_each_set(left, from, to, |turn| {
            self.turned_stop::<D, L>(at, turn.abs_diff(here) as u32, visit);
        });
        for_each_set(right, from, to, |turn| {
            self.turned_stop::<D, R>(at, turn.abs_diff(here) as u32, visit);
        });
    }

    /// How far a diagonal leads; visits the stop on it.
    #[inline(always)]
    fn diagonal_reach<const D: u8>(
        &self,
        at: Point,
        visit: &mut impl FnMut(Stop),
    ) -> DiagonalReach {
        let direction = const { Direction::from_number(D) };
        let forward = direction.dy() > 0;
        let (walls, here) = if D == 3 || D == 7 {
            (&self.falling_walls, self.shape.falling_bit(at))
        } else {
            (&self.rising_walls, self.shape.rising_bit(at))
        };
        // The last cell that the diagonal reaches. The legality of a step is kept at its upper end.
        let mut last = if forward {
            next_set(walls, here)
        } else {
            previous_set(walls, here - 1) + 1
        };
        let stops = &self.diagonal_stops[D as usize / 2];
        if !stops.is_empty() && last != here {
            let stop = if forward {
                next_set(stops, here + 1)
            } else {
                previous_set(stops, here - 1)
            };
            if (forward && stop <= last) || (!forward && stop >= last) {
                let steps = stop.abs_diff(here) as u32;
                visit(Stop {
                    at: moved(at, direction, steps),
                    departure: direction,
                    arrival: direction,
                    diagonal: steps,
                    straight: 0,
                });
                last = if forward { stop - 1 } else { stop + 1 };
            }
        }
        let (from, to) = if forward {
            (here + 1, last)
        } else {
            (last, here - 1)
        };
        DiagonalReach { here, from, to }
    }

    /// The stop that diagonal steps and then a straight scan, known to hit, lead to.
    #[inline]
    fn turned_stop<const D: u8, const S: u8>(
        &self,
        at: Point,
        diagonal: u32,
        visit: &mut impl FnMut(Stop),
    ) {
        let (departure, arrival) = const { (Direction::from_number(D), Direction::from_number(S)) };
        let turn = moved(at, departure, diagonal);
        let (_, straight) = self.halt::<S>(turn);
        visit(Stop {
            at: moved(turn, arrival, straight),
            departure,
            arrival,
            diagonal,
            straight,
        });
    }

    /// Whether the walk from one passable point to another, diagonal steps first, then straight ones, is free.
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

    /// What is known beforehand of walks to a passable point.
    pub fn approach(&self, goal: Point) -> Approach {
        Approach {
            goal,
            free: STRAIGHT.map(|d| self.run(goal, d.opposite())),
        }
    }

    /// The same as [`Scans::walk_is_free`] for many starts and one goal: straight legs are compared with what lies free round
    /// the goal, which settles most walks without a scan.
    #[inline]
    pub fn reaches(&self, from: Point, approach: &Approach) -> bool {
        let walk = Walk::between(from, approach.goal);
        walk.straight_steps <= approach.free[walk.straight as usize / 2]
            && (walk.diagonal_steps == 0 || walk.diagonal_steps <= self.run(from, walk.diagonal))
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

/// A diagonal from a cell: the cell's bit on its line, and the bits between it and the stop or wall from where straight parts may lead to stops.
struct DiagonalReach {
    here: usize,
    from: usize,
    to: usize,
}

/// The point some steps away.
#[inline]
pub fn moved(at: Point, direction: Direction, steps: u32) -> Point {
    Point {
        x: at.x.wrapping_add_signed(direction.dx() * steps as i32),
        y: at.y.wrapping_add_signed(direction.dy() * steps as i32),
    }
}

/// What lies free round the goal of many walks; see [`Scans::approach`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Approach {
    goal: Point,
    /// Free cells before the goal for walks that arrive northward, eastward, southward, westward.
    free: [u32; 4],
}

const STRAIGHT: [Direction; 4] = [
    Direction::North,
    Direction::East,
    Direction::South,
    Direction::West,
];

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

#[cfg(test)]
mod tests;
