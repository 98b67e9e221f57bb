//! Rows as quad-tree squares: the encoding that the 2011 paper compares its rectangles with.
//!
//! The map lies in a square of a power of two, which is quartered until one move is optimal for all targets of a square
//! (sets are intersected, the best that a quad-tree can do). A record is the square's first place in Morton order and its
//! move; records are sorted, and squares of walls left out, so the last record at or before a target holds it.

use super::planes::{Box2, Planes, Territory, word_mask};
use crate::grid::{Direction, Directions, Grid};

/// The longest side that codes of 29 bits have room for.
pub(crate) const MAX_SIDE: u32 = 1 << 14;

/// The place of a point in Morton order: bits of x and y in turn.
#[inline]
pub(crate) fn code(x: u32, y: u32) -> u32 {
    spread(x) | spread(y) << 1
}

/// Puts a zero bit before every bit of a 16-bit number.
#[inline]
fn spread(value: u32) -> u32 {
    let mut v = value & 0xffff;
    v = (v | v << 8) & 0x00ff_00ff;
    v = (v | v << 4) & 0x0f0f_0f0f;
    v = (v | v << 2) & 0x3333_3333;
    (v | v << 1) & 0x5555_5555
}

/// The move for a target with this code; `None` where no square begins at or before it.
#[inline]
pub(crate) fn look_up(row: &[u32], code: u32) -> Option<u32> {
    let key = code << 3 | 7;
    let after = row.partition_point(|&record| record <= key);
    row.get(after.wrapping_sub(1)).map(|record| record & 7)
}

/// Whether this is a sorted list with moves that are legal at the source.
pub(crate) fn is_valid(row: &[u32], component_size: usize, legal: Directions) -> bool {
    (component_size < 2) == row.is_empty()
        && row
            .iter()
            .all(|&record| legal.contains(Direction::from_number(record as u8)))
        && row.windows(2).all(|w| w[0] >> 3 < w[1] >> 3)
}

/// The side of the whole square.
fn whole_side(grid: &Grid) -> u32 {
    grid.width().max(grid.height()).next_power_of_two()
}

/// Appends the row of a source.
pub(crate) fn encode(
    grid: &Grid,
    territory: &Territory,
    planes: &Planes,
    legal: Directions,
    source: (u32, u32),
    out: &mut Vec<u8>,
) {
    let mut tree = Tree {
        territory,
        planes,
        legal,
        source,
        out,
    };
    tree.square(0, 0, whole_side(grid));
}

struct Tree<'a> {
    territory: &'a Territory,
    planes: &'a Planes,
    legal: Directions,
    source: (u32, u32),
    out: &'a mut Vec<u8>,
}

impl Tree<'_> {
    /// The square whose first point on the map is `(x, y)`.
    fn square(&mut self, x: u32, y: u32, side: u32) {
        // The layout counts columns and rows from the border.
        let bounds = self.territory.bounds;
        let r = Box2 {
            x1: (x + 1).max(bounds.x1),
            y1: (y + 1).max(bounds.y1),
            x2: (x + side).min(bounds.x2),
            y2: (y + side).min(bounds.y2),
        };
        if r.x1 > r.x2 || r.y1 > r.y2 {
            return;
        }
        let holds_source =
            (r.x1..=r.x2).contains(&self.source.0) && (r.y1..=r.y2).contains(&self.source.1);
        if self.territory.area(r) == u32::from(holds_source) {
            return;
        }
        if let Some(d) = self.common_move(r) {
            let record = code(x, y) << 3 | d as u32;
            self.out.extend_from_slice(&record.to_le_bytes());
            return;
        }
        let half = side / 2;
        self.square(x, y, half);
        self.square(x + half, y, half);
        self.square(x, y + half, half);
        self.square(x + half, y + half, half);
    }

    /// A move that is optimal for all targets of a rectangle.
    fn common_move(&self, r: Box2) -> Option<Direction> {
        let words = self.territory.words_per_row();
        let mut common = self.legal;
        for y in r.y1..=r.y2 {
            for w in (r.x1 >> 6) as usize..=(r.x2 >> 6) as usize {
                let at = y as usize * words + w;
                let mut targets = self.territory.cells[at] & word_mask(w, r.x1, r.x2);
                if y == self.source.1 && w == (self.source.0 >> 6) as usize {
                    targets &= !(1 << (self.source.0 & 63));
                }
                for d in common {
                    if targets & !self.planes.optimal[d as usize][at] != 0 {
                        common.0 &= !(1 << d as u8);
                    }
                }
                if common.is_empty() {
                    return None;
                }
            }
        }
        common.into_iter().next()
    }
}
