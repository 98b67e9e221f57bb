//! Where scans stop, 64 cells at a time.

use super::bits::{flood_down, flood_up};
use super::planes::Shape;
use crate::grid::{Corners, Direction};

/// At which cells a scan stops before the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// Where the canonical ordering of paths may turn, for the direction of the scan: jump points.
    JumpPoints,
    /// At every cell round which some shortest path bends, whatever the direction: corners.
    Corners,
}

/// The cells of a word and their neighbours, by direction.
pub(super) struct Around {
    pub here: u64,
    pub side: [u64; 8],
}

impl Around {
    /// The neighbourhood of word `at` of a plane of rows; `at` must lie in a row between the borders.
    pub fn of(plane: &[u64], at: usize, row_words: usize) -> Around {
        let shifted = |word: usize| {
            let middle = plane[word];
            let left = word.checked_sub(1).map_or(0, |left| plane[left]);
            let from_left = middle << 1 | left >> 63;
            let from_right = middle >> 1 | plane[word + 1] << 63;
            (from_left, middle, from_right)
        };
        let (nw, n, ne) = shifted(at - row_words);
        let (w, here, e) = shifted(at);
        let (sw, s, se) = shifted(at + row_words);
        Around {
            here,
            side: [n, ne, e, se, s, sw, w, nw],
        }
    }

    #[inline]
    fn turned(&self, direction: usize, eighths: usize) -> u64 {
        self.side[(direction + eighths) & 7]
    }

    /// Where a diagonal move is legal.
    pub fn legal(&self, corners: Corners, diagonal: Direction) -> u64 {
        let d = diagonal as usize;
        let (left, right) = (self.turned(d, 7), self.turned(d, 1));
        let sides = match corners {
            Corners::Never => left & right,
            Corners::One => left | right,
            Corners::Always => u64::MAX,
            Corners::NoDiagonals => 0,
        };
        self.here & self.side[d] & sides
    }

    /// Where a scan in a direction stops although it could go on.
    pub fn stops(&self, kind: StopAt, corners: Corners, direction: Direction) -> u64 {
        match kind {
            StopAt::Corners => self.corners(corners),
            StopAt::JumpPoints if direction.is_diagonal() => {
                self.diagonal_jumps(corners, direction)
            }
            StopAt::JumpPoints => self.straight_jumps(corners, direction),
        }
    }

    /// Cells round which shortest paths bend: under `never` those diagonal to a wall with both sides free, under the
    /// other rules the two ends of every diagonal move that passes a wall.
    fn corners(&self, corners: Corners) -> u64 {
        let mut found = 0;
        for d in [1, 3, 5, 7] {
            let (left, right) = (self.turned(d, 7), self.turned(d, 1));
            found |= match corners {
                Corners::Never => !self.side[d] & left & right,
                Corners::One => self.side[d] & (left ^ right),
                Corners::Always => self.side[d] & !(left & right),
                Corners::NoDiagonals => 0,
            };
        }
        self.here & found
    }

    /// The cell behind must be free: nobody arrives from a wall.
    fn straight_jumps(&self, corners: Corners, direction: Direction) -> u64 {
        let d = direction as usize;
        let ahead = match corners {
            Corners::One => self.side[d],
            _ => u64::MAX,
        };
        let forced = |side: usize, front: usize, rear: usize| match corners {
            Corners::Never => self.turned(d, side) & !self.turned(d, rear),
            _ => !self.turned(d, side) & self.turned(d, front) & ahead,
        };
        self.here & self.turned(d, 4) & (forced(6, 7, 5) | forced(2, 1, 3))
    }

    fn diagonal_jumps(&self, corners: Corners, direction: Direction) -> u64 {
        let d = direction as usize;
        let (left, right) = (self.turned(d, 5), self.turned(d, 3));
        let entered = self.here & self.turned(d, 4);
        let forced = |side: u64, out: usize, beside: usize| {
            let legal = match corners {
                Corners::Never | Corners::NoDiagonals => 0,
                Corners::One => self.turned(d, beside),
                Corners::Always => u64::MAX,
            };
            !side & self.turned(d, out) & legal
        };
        let arrival = match corners {
            Corners::Never | Corners::NoDiagonals => 0,
            Corners::One => left | right,
            Corners::Always => u64::MAX,
        };
        entered & arrival & (forced(left, 6, 7) | forced(right, 2, 1))
    }
}

/// For a straight direction: the cells from which a scan in it reaches a stop before a wall. `stops` is in the row layout.
pub(super) fn hits(shape: &Shape, free: &[u64], stops: &[u64], direction: Direction) -> Vec<u64> {
    let width = shape.row_words;
    let (first, end) = (width, (shape.rows as usize - 1) * width);
    let mut reach = vec![0; free.len()];
    match direction {
        Direction::East => {
            for at in (first..end).rev() {
                let carry = reach[at + 1] << 63 & free[at];
                reach[at] = flood_down(stops[at] | carry, free[at]);
            }
        }
        Direction::West => {
            for at in first..end {
                let carry = reach[at - 1] >> 63 & free[at];
                reach[at] = flood_up(stops[at] | carry, free[at]);
            }
        }
        Direction::South => {
            for at in (first..end).rev() {
                reach[at] = stops[at] | (free[at] & reach[at + width]);
            }
        }
        _ => {
            for at in first..end {
                reach[at] = stops[at] | (free[at] & reach[at - width]);
            }
        }
    }
    // A scan begins one step ahead.
    let mut hits = vec![0; free.len()];
    for at in first..end {
        let ahead = match direction {
            Direction::East => reach[at] >> 1 | reach[at + 1] << 63,
            Direction::West => reach[at] << 1 | reach[at - 1] >> 63,
            Direction::South => reach[at + width],
            _ => reach[at - width],
        };
        hits[at] = ahead & free[at];
    }
    hits
}
