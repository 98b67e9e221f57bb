//! Walks along a wall until it opens, by words: the legs of hill climbing that are not plain runs.

use super::Scans;
use super::bits::bits_from;
use crate::grid::{Corners, Direction, Point};

/// What ends a walk along a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// The diagonal between the walk's direction and the side becomes legal.
    Diagonal,
    /// The side or that diagonal becomes legal.
    Side,
}

impl Scans {
    /// Legal moves in a straight direction up to the first cell (not `at` itself) with an opening towards `aside`, a straight
    /// direction at right angles; at most `limit`.
    #[inline]
    pub fn slide(
        &self,
        at: Point,
        along: Direction,
        aside: Direction,
        opening: Opening,
        limit: u32,
    ) -> u32 {
        let (walls, here, line) = if along.dy() == 0 {
            let line = self.shape.row_words * 64;
            (&self.row_walls, self.shape.row_bit(at), line)
        } else {
            let line = self.shape.line_words * 64;
            (&self.column_walls, self.shape.column_bit(at), line)
        };
        let beside = if aside.dx() + aside.dy() > 0 {
            here + line
        } else {
            here - line
        };
        let forward = along.dx() + along.dy() > 0;
        let mut steps = 0;
        while steps < limit {
            let step = steps as usize;
            let words = if forward {
                Words {
                    own: !bits_from(walls, here + step + 1),
                    own_next: !bits_from(walls, here + step + 2),
                    side: !bits_from(walls, beside + step + 1),
                    side_next: !bits_from(walls, beside + step + 2),
                }
            } else {
                Words {
                    own: !bits_back(walls, here, step + 1),
                    own_next: !bits_back(walls, here, step + 2),
                    side: !bits_back(walls, beside, step + 1),
                    side_next: !bits_back(walls, beside, step + 2),
                }
            };
            let blocked = !words.own;
            let open = words.open(self.corners, opening);
            let (blocked, open) = (blocked.trailing_zeros(), open.trailing_zeros());
            if blocked.min(open) < 64 {
                // A wall ends the walk before it, an opening on it.
                steps += blocked.min(open + 1);
                break;
            }
            steps += 64;
        }
        steps.min(limit)
    }
}

/// Free cells in the order of the walk: of its own line and of the line beside, each also one step ahead.
struct Words {
    own: u64,
    own_next: u64,
    side: u64,
    side_next: u64,
}

impl Words {
    #[inline]
    fn open(&self, corners: Corners, opening: Opening) -> u64 {
        let sides = match corners {
            Corners::Never => self.own_next & self.side,
            Corners::One => self.own_next | self.side,
            Corners::Always => u64::MAX,
            Corners::NoDiagonals => 0,
        };
        let diagonal = self.side_next & sides;
        self.own
            & match opening {
                Opening::Diagonal => diagonal,
                Opening::Side => diagonal | self.side,
            }
    }
}

/// The 64 bits that end `steps` before a position, in reverse: the bit nearest to the position comes first. What lies
/// before the slice reads as 0.
#[inline]
fn bits_back(words: &[u64], position: usize, steps: usize) -> u64 {
    let bits = match position.checked_sub(steps) {
        None => 0,
        Some(last) if last >= 63 => bits_from(words, last - 63),
        Some(last) => bits_from(words, 0) << (63 - last),
    };
    bits.reverse_bits()
}
