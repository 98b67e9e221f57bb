//! The most that any cell sees, found for all cells at once.

use super::{Direction, Point, Scans, combined, legal_plane, stop_plane};

/// Cells of a row that are looked at together where the halves of the view are added up.
const TILE: usize = 8;

impl Scans {
    /// A bound on what the stops that [`Scans::for_each_stop`] visits from any passable cell weigh together, over all directions.
    ///
    /// What a diagonal leads to is what its next cell's diagonal leads to, and what that cell's sides hit; so two sweeps over the
    /// rows find it for all cells. The two halves of a view are added up for a few cells of a row at a time.
    pub fn most_seen(&self, weight: impl Fn(Point) -> u32 + Sync) -> u64 {
        let free = combined(self.row_walls.len(), |at| !self.row_walls[at]);
        let sweep = |ahead| Sweep::new(self, &free, ahead).run(&weight);
        let (up, down) =
            crate::parallel::both(|| sweep(Direction::North), || sweep(Direction::South));
        let tiles = up.iter().zip(&down);
        tiles
            .map(|(&up, &down)| u64::from(up) + u64::from(down))
            .max()
            .unwrap_or(0)
    }
}

/// A sweep over the rows from where the scans ahead lead to. Planes are in the row layout.
struct Sweep<'a> {
    scans: &'a Scans,
    free: &'a [u64],
    ahead: Direction,
    /// Straight ahead, and to the left and the right.
    ahead_stops: Vec<u64>,
    side_stops: [Vec<u64>; 2],
    /// By diagonal, left and right of the way ahead.
    diagonal_stops: [Vec<u64>; 2],
    legal: [Vec<u64>; 2],
}

/// What the cells of one row see, in weights: straight ahead, to both sides, on both diagonals.
#[derive(Clone, Default)]
struct Row {
    ahead: Vec<u32>,
    sides: [Vec<u32>; 2],
    diagonals: [Vec<u32>; 2],
}

impl Row {
    fn new(columns: usize) -> Row {
        let cells = || vec![0; columns];
        Row {
            ahead: cells(),
            sides: [cells(), cells()],
            diagonals: [cells(), cells()],
        }
    }
}

impl<'a> Sweep<'a> {
    fn new(scans: &'a Scans, free: &'a [u64], ahead: Direction) -> Sweep<'a> {
        let turned = |eighths| Direction::from_number(ahead as u8 + eighths);
        let stops = |d| stop_plane(&scans.shape, free, scans.kind, scans.corners, d);
        let legal = |d| legal_plane(&scans.shape, free, scans.corners, d);
        Sweep {
            scans,
            free,
            ahead,
            ahead_stops: stops(ahead),
            side_stops: [6, 2].map(|eighths| stops(turned(eighths))),
            diagonal_stops: [7, 1].map(|eighths| stops(turned(eighths))),
            legal: [7, 1].map(|eighths| legal(turned(eighths))),
        }
    }

    /// What the tiles of all rows see at most in this half, the row itself counted by the sweep to the north.
    fn run(&self, weight: &impl Fn(Point) -> u32) -> Vec<u32> {
        let rows = self.scans.shape.rows as usize;
        let columns = self.scans.shape.row_words * 64;
        let tiles_a_row = columns / TILE;
        let mut tiles = vec![0; rows * tiles_a_row];
        let (mut beyond, mut here) = (Row::new(columns), Row::new(columns));
        for i in 1..rows - 1 {
            let y = match self.ahead {
                Direction::North => i,
                _ => rows - 1 - i,
            };
            self.fill(&mut here, &beyond, y, weight);
            let own = &mut tiles[y * tiles_a_row..][..tiles_a_row];
            self.tile_maxima(&here, y, own);
            std::mem::swap(&mut here, &mut beyond);
        }
        tiles
    }

    /// Finds what the cells of a row see, from what those of the row beyond see.
    fn fill(&self, here: &mut Row, beyond: &Row, y: usize, weight: &impl Fn(Point) -> u32) {
        let columns = here.ahead.len();
        let (row, next_row) = (y * columns, y.wrapping_add_signed(self.ahead.dy() as isize));
        let weight_at = |bit: usize| weight(self.scans.shape.row_point(bit));
        let seen = |bit: usize, stops: &[u64], further: u32| match () {
            () if !get(self.free, bit) => 0,
            () if get(stops, bit) => weight_at(bit),
            () => further,
        };
        for (x, ahead) in here.ahead.iter_mut().enumerate() {
            *ahead = seen(next_row * columns + x, &self.ahead_stops, beyond.ahead[x]);
        }
        let [left, right] = &mut here.sides;
        let is_to_west = [
            self.ahead == Direction::North,
            self.ahead != Direction::North,
        ];
        for ((side, stops), to_west) in [left, right]
            .into_iter()
            .zip(&self.side_stops)
            .zip(is_to_west)
        {
            let mut further = 0;
            for i in 1..columns {
                // Cells nearer to where the scan leads come first.
                let (x, next) = if to_west {
                    (i, i - 1)
                } else {
                    (columns - 1 - i, columns - i)
                };
                further = seen(row + next, stops, further);
                side[x] = further;
            }
        }
        for (s, diagonal) in here.diagonals.iter_mut().enumerate() {
            let dx = if is_to_west[s] { -1 } else { 1 };
            for (x, sum) in diagonal.iter_mut().enumerate() {
                *sum = 0;
                if get(&self.legal[s], row + x) {
                    let x = x.wrapping_add_signed(dx);
                    let sides = beyond.ahead[x].saturating_add(beyond.sides[s][x]);
                    let further = sides.saturating_add(beyond.diagonals[s][x]);
                    *sum = seen(next_row * columns + x, &self.diagonal_stops[s], further);
                }
            }
        }
    }

    fn tile_maxima(&self, here: &Row, y: usize, tiles: &mut [u32]) {
        let columns = here.ahead.len();
        for x in (0..columns).filter(|x| get(self.free, y * columns + x)) {
            let [left, right] = [0, 1].map(|s| match self.ahead {
                Direction::North => here.diagonals[s][x].saturating_add(here.sides[s][x]),
                _ => here.diagonals[s][x],
            });
            let sum = here.ahead[x].saturating_add(left).saturating_add(right);
            let tile = &mut tiles[x / TILE];
            *tile = (*tile).max(sum);
        }
    }
}

#[inline]
fn get(plane: &[u64], at: usize) -> bool {
    plane[at >> 6] >> (at & 63) & 1 != 0
}
