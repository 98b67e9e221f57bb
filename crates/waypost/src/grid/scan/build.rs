//! Laying a grid out for scanning.

use super::planes::{Lines, Shape};
use super::stops::{self, Around};
use super::{Corners, Direction, Grid, Scans, StopAt};

/// The diagonals, in the order of their planes.
pub(super) const DIAGONALS: [u8; 4] = [1, 3, 5, 7];
/// The straight directions, in the order of their planes.
pub(super) const STRAIGHTS: [u8; 4] = [0, 2, 4, 6];

/// Grids of so many words, some 250,000 cells, are laid out by two threads: below, a thread costs more than it saves.
const MANY_WORDS: usize = 1 << 12;

impl Scans {
    /// Lays out a grid. Sixteen to twenty bits a cell.
    pub fn new(grid: &Grid, corners: Corners, kind: StopAt) -> Scans {
        let shape = Shape::of(grid);
        let free = grid.words();
        let stops = |d| stop_plane(&shape, free, kind, corners, d);
        let straight_stops = STRAIGHTS.map(|n| stops(Direction::from_number(n)));
        let side_hits = || {
            let hits = STRAIGHTS.map(|n| {
                let stops = &straight_stops[usize::from(n / 2)];
                stops::hits(&shape, free, stops, Direction::from_number(n))
            });
            DIAGONALS.map(|n| {
                [7, 1].map(|turn| {
                    let side = usize::from((n + turn) & 7) / 2;
                    lay_out_lines(&shape, &hits[side], Direction::from_number(n))
                })
            })
        };
        let halts_and_walls = || {
            let halts = STRAIGHTS.map(|n| {
                let stops = &straight_stops[usize::from(n / 2)];
                let plane = combined(free.len(), |at| stops[at] | !free[at]);
                laid_out(&shape, plane, Direction::from_number(n))
            });
            let diagonal_stops = DIAGONALS.map(|n| {
                let d = Direction::from_number(n);
                if !stops_diagonals(kind, corners) {
                    return Vec::new();
                }
                // The border, too, so that every search for a stop ends.
                let stops = stops(d);
                let plane = combined(free.len(), |at| stops[at] | !free[at]);
                lay_out_lines(&shape, &plane, d)
            });
            let illegal = |d: Direction| {
                let legal = legal_plane(&shape, free, corners, d);
                combined(free.len(), |at| !legal[at])
            };
            let row_walls = combined(free.len(), |at| !free[at]);
            let walls = [
                shape.lay_out(&row_walls, Lines::Columns, u64::MAX),
                shape.lay_out(&illegal(Direction::SouthEast), Lines::Falling, u64::MAX),
                shape.lay_out(&illegal(Direction::SouthWest), Lines::Rising, u64::MAX),
            ];
            (halts, diagonal_stops, row_walls, walls)
        };
        // Scans are laid out under locks, too: two threads that take up nothing else.
        let (hits, (halts, diagonal_stops, row_walls, walls)) = match free.len() < MANY_WORDS {
            true => (side_hits(), halts_and_walls()),
            false => crate::parallel::both(side_hits, halts_and_walls),
        };
        let [column_walls, falling_walls, rising_walls] = walls;
        Scans {
            kind,
            corners,
            column_walls,
            row_walls,
            falling_walls,
            rising_walls,
            halts,
            hits,
            diagonal_stops,
            shape,
        }
    }
}

/// Do diagonal scans have stops of their own? Jump points have none where corners may not be cut.
pub(super) fn stops_diagonals(kind: StopAt, corners: Corners) -> bool {
    kind == StopAt::Corners || corners != Corners::Never
}

fn lay_out_lines(shape: &Shape, plane: &[u64], diagonal: Direction) -> Vec<u64> {
    let lines = lines_of(diagonal).unwrap_or(Lines::Columns);
    shape.lay_out(plane, lines, u64::MAX)
}

pub(super) fn combined(words: usize, word: impl Fn(usize) -> u64) -> Vec<u64> {
    (0..words).map(word).collect()
}

pub(super) fn laid_out(shape: &Shape, plane: Vec<u64>, direction: Direction) -> Vec<u64> {
    match lines_of(direction) {
        None => plane,
        Some(lines) => shape.lay_out(&plane, lines, u64::MAX),
    }
}

/// The layout in which a direction's cells are neighbours; `None` for rows.
pub(super) fn lines_of(direction: Direction) -> Option<Lines> {
    match direction {
        Direction::East | Direction::West => None,
        Direction::South | Direction::North => Some(Lines::Columns),
        Direction::SouthEast | Direction::NorthWest => Some(Lines::Falling),
        Direction::SouthWest | Direction::NorthEast => Some(Lines::Rising),
    }
}

/// Words between the two border rows.
pub(super) fn inner_words(shape: &Shape) -> std::ops::Range<usize> {
    shape.row_words..(shape.rows as usize - 1) * shape.row_words
}

pub(super) fn stop_plane(
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

pub(super) fn legal_plane(
    shape: &Shape,
    free: &[u64],
    corners: Corners,
    diagonal: Direction,
) -> Vec<u64> {
    let mut plane = vec![0; free.len()];
    for at in inner_words(shape) {
        plane[at] = Around::of(free, at, shape.row_words).legal(corners, diagonal);
    }
    plane
}
