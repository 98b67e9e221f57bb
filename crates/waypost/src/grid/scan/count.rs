//! The most stops that any cell sees, counted for all cells at once.

use super::stops::hits;
use super::{Direction, Scans, combined, legal_plane, stop_plane};

impl Scans {
    /// A bound on the number of stops that [`Scans::for_each_stop`] visits from any passable cell, over all directions.
    ///
    /// The stops of a diagonal are those of its next cell, plus what that cell's sides hit; so two sweeps over the rows
    /// count them for all cells. The bound adds the most of the upper half and the most of the lower half, and the row.
    pub fn most_stops(&self) -> u64 {
        let free = combined(self.row_walls.len(), |at| !self.row_walls[at]);
        let (up, down) = crate::parallel::join(
            || self.most_in_half(&free, Direction::North),
            || self.most_in_half(&free, Direction::South),
        );
        u64::from(up) + u64::from(down) + 2
    }

    /// The most stops that any cell sees straight ahead and on the two diagonals beside.
    fn most_in_half(&self, free: &[u64], ahead: Direction) -> u32 {
        let n = ahead as u8;
        let vertical = self.hit_plane(free, ahead);
        let diagonals = [7, 1].map(|turn| Direction::from_number(n + turn));
        let sides = [6, 2].map(|turn| self.hit_plane(free, Direction::from_number(n + turn)));
        let legal = diagonals.map(|d| legal_plane(&self.shape, free, self.corners, d));
        let stops = diagonals.map(|d| stop_plane(&self.shape, free, self.kind, self.corners, d));
        let columns = self.shape.row_words * 64;
        let mut beyond = [vec![0u32; columns], vec![0u32; columns]];
        let mut here = beyond.clone();
        let mut most = 0;
        let rows = self.shape.rows as usize;
        for i in 1..rows - 1 {
            // Rows nearer to where the scans lead come first.
            let y = if ahead == Direction::North {
                i
            } else {
                rows - 1 - i
            };
            let next_row = y.wrapping_add_signed(ahead.dy() as isize) * columns;
            for side in 0..2 {
                let dx = diagonals[side].dx() as isize;
                let (legal, stops) = (&legal[side], &stops[side]);
                for (x, count) in here[side].iter_mut().enumerate() {
                    *count = 0;
                    if get(legal, y * columns + x) != 0 {
                        let x_next = x.wrapping_add_signed(dx);
                        let next = next_row + x_next;
                        *count = if get(stops, next) != 0 {
                            1
                        } else {
                            get(&vertical, next) + get(&sides[side], next) + beyond[side][x_next]
                        };
                    }
                }
            }
            for (x, (left, right)) in here[0].iter().zip(&here[1]).enumerate() {
                most = most.max(left + right + get(&vertical, y * columns + x));
            }
            std::mem::swap(&mut here, &mut beyond);
        }
        most
    }

    fn hit_plane(&self, free: &[u64], straight: Direction) -> Vec<u64> {
        let stops = stop_plane(&self.shape, free, self.kind, self.corners, straight);
        hits(&self.shape, free, &stops, straight)
    }
}

#[inline]
fn get(plane: &[u64], at: usize) -> u32 {
    (plane[at >> 6] >> (at & 63) & 1) as u32
}
