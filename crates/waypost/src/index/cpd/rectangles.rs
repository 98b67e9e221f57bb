//! Rows as rectangles: the encoding of the 2011 paper ("Computing CPDs as Preprocessing").
//!
//! The map around a source is cut into eight rectangles, four of them one cell wide. A rectangle in which one move is
//! right for all targets is *homogeneous* and done. From another one the largest homogeneous strip along one of its four
//! sides is cut off; where no side has one, it is halved across its longer side. Walls have no label, so rectangles of
//! walls vanish. The list of a source is sorted by the number of targets in each rectangle, so that few are looked at.
//!
//! Ties follow the paper: a target with several optimal moves takes the one that points at its first rectangle, which
//! keeps the borders of the labels along the borders of the rectangles; where that one is not optimal, the one nearest to
//! it. A record takes 3 bits for the move and four coordinates: 39 bits, five bytes, on maps up to 512 x 512.

use super::planes::{Box2, Planes, Territory, word_mask};
use crate::grid::{Direction, Directions, Grid};

/// How records are packed on a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordShape {
    x_bits: u32,
    y_bits: u32,
    /// Bytes of a record.
    pub bytes: usize,
}

impl RecordShape {
    /// `None` where a record would not fit in 64 bits.
    pub fn of(grid: &Grid) -> Option<RecordShape> {
        let bits = |side: u32| (u32::BITS - (side - 1).leading_zeros()).max(1);
        let (x_bits, y_bits) = (bits(grid.width()), bits(grid.height()));
        let all = 3 + 2 * (x_bits + y_bits);
        (all <= 64).then(|| RecordShape {
            x_bits,
            y_bits,
            bytes: all.div_ceil(8) as usize,
        })
    }

    fn pack(self, r: Box2, direction: Direction) -> u64 {
        let mut packed = direction as u64;
        let mut shift = 3;
        for (value, bits) in [
            (r.x1, self.x_bits),
            (r.y1, self.y_bits),
            (r.x2, self.x_bits),
            (r.y2, self.y_bits),
        ] {
            packed |= u64::from(value) << shift;
            shift += bits;
        }
        packed
    }

    #[inline]
    fn unpack(self, packed: u64) -> (Box2, u8) {
        let (x_mask, y_mask) = ((1u64 << self.x_bits) - 1, (1u64 << self.y_bits) - 1);
        let mut rest = packed >> 3;
        let x1 = rest & x_mask;
        rest >>= self.x_bits;
        let y1 = rest & y_mask;
        rest >>= self.y_bits;
        let x2 = rest & x_mask;
        rest >>= self.x_bits;
        let y2 = rest & y_mask;
        let r = Box2::new(x1 as u32, y1 as u32, x2 as u32, y2 as u32);
        (r, (packed & 7) as u8)
    }

    #[inline]
    fn read(self, record: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        bytes[..record.len()].copy_from_slice(record);
        u64::from_le_bytes(bytes)
    }
}

/// The move for the target at `(x, y)` and the number of rectangles looked at; `None` where no rectangle holds it.
#[inline]
pub(crate) fn look_up(shape: RecordShape, row: &[u8], x: u32, y: u32) -> Option<(u8, u32)> {
    let mut checks = 0;
    for record in row.chunks_exact(shape.bytes) {
        checks += 1;
        let (r, direction) = shape.unpack(shape.read(record));
        if r.x1 <= x && x <= r.x2 && r.y1 <= y && y <= r.y2 {
            return Some((direction, checks));
        }
    }
    None
}

/// Whether this is a list of rectangles on the map, with moves that are legal at the source.
pub(crate) fn is_valid(shape: RecordShape, row: &[u8], grid: &Grid, legal: Directions) -> bool {
    row.len().is_multiple_of(shape.bytes)
        && row.chunks_exact(shape.bytes).all(|record| {
            let packed = shape.read(record);
            let (r, direction) = shape.unpack(packed);
            let direction = Direction::from_number(direction);
            legal.contains(direction)
                && r.x1 <= r.x2
                && r.y1 <= r.y2
                && r.x2 < grid.width()
                && r.y2 < grid.height()
                && shape.pack(r, direction) == packed
        })
}

/// Encodes the rows of one component.
#[derive(Clone, Debug)]
pub(crate) struct RectangleEncoder {
    shape: RecordShape,
    /// For each direction, the targets that have another label; filled for the rectangle at hand.
    others: [Vec<u64>; 8],
    columns: [Vec<u64>; 8],
    done: Vec<(u32, u64)>,
    stack: Vec<Box2>,
}

/// What the sides of a rectangle offer: the widths of homogeneous strips, by direction.
struct Strips {
    homogeneous: Option<Direction>,
    best: Option<(Box2, Box2, Direction, u32)>,
}

impl RectangleEncoder {
    pub fn new(grid: &Grid, shape: RecordShape) -> RectangleEncoder {
        RectangleEncoder {
            shape,
            others: std::array::from_fn(|_| vec![0; grid.words().len()]),
            columns: std::array::from_fn(|_| vec![0; grid.words_per_row()]),
            done: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Appends the row of a source at column `x` and row `y` of the layout.
    pub fn encode(
        &mut self,
        territory: &Territory,
        planes: &Planes,
        legal: Directions,
        (x, y): (u32, u32),
        out: &mut Vec<u8>,
    ) {
        self.done.clear();
        for (first, towards) in first_rectangles(territory.bounds, x, y) {
            if territory.area(first) == 0 {
                continue;
            }
            self.label(territory, planes, first, towards);
            self.stack.push(first);
            while let Some(r) = self.stack.pop() {
                self.decompose(territory, legal, r);
            }
        }
        self.done.sort_by_key(|&(area, _)| std::cmp::Reverse(area));
        for &(_, packed) in &self.done {
            out.extend_from_slice(&packed.to_le_bytes()[..self.shape.bytes]);
        }
    }

    /// Gives every target of a first rectangle one of its moves, the nearest to the rectangle's own direction.
    fn label(&mut self, territory: &Territory, planes: &Planes, first: Box2, towards: Direction) {
        let words = territory.words_per_row();
        let preference =
            [0, 1, 7, 2, 6, 3, 5, 4].map(|turn| Direction::from_number(towards as u8 + turn));
        for y in first.y1 as usize..=first.y2 as usize {
            for w in (first.x1 >> 6) as usize..=(first.x2 >> 6) as usize {
                let at = y * words + w;
                let targets = territory.cells[at];
                let mut open = targets;
                for d in preference {
                    let label = open & planes.optimal[d as usize][at];
                    open &= !label;
                    self.others[d as usize][at] = targets & !label;
                }
            }
        }
    }

    /// Files a rectangle if it is homogeneous; cuts it in two if not.
    fn decompose(&mut self, territory: &Territory, legal: Directions, r: Box2) {
        if territory.area(r) == 0 {
            return;
        }
        let strips = self.strips(territory, legal, r);
        if let Some(direction) = strips.homogeneous {
            self.file(territory, r, direction);
        } else if let Some((strip, rest, direction, _)) = strips.best {
            self.file(territory, strip, direction);
            self.stack.push(rest);
        } else {
            let (a, b) = halves(r);
            self.stack.push(b);
            self.stack.push(a);
        }
    }

    fn file(&mut self, territory: &Territory, r: Box2, direction: Direction) {
        let area = territory.area(r);
        if area > 0 {
            let on_map = Box2::new(r.x1 - 1, r.y1 - 1, r.x2 - 1, r.y2 - 1);
            self.done.push((area, self.shape.pack(on_map, direction)));
        }
    }

    /// Looks at all rows and columns of a rectangle for every direction.
    fn strips(&mut self, territory: &Territory, legal: Directions, r: Box2) -> Strips {
        let mut found = Strips {
            homogeneous: None,
            best: None,
        };
        for d in legal {
            let (top, bottom) = self.project(territory.words_per_row(), d, r);
            if top == r.height() {
                found.homogeneous = Some(d);
                return found;
            }
            let (left, right) = self.free_columns(d, r);
            let cuts = [
                (left > 0).then(|| split_at_column(r, r.x1 + left)),
                (right > 0).then(|| swap(split_at_column(r, r.x2 + 1 - right))),
                (top > 0).then(|| split_at_row(r, r.y1 + top)),
                (bottom > 0).then(|| swap(split_at_row(r, r.y2 + 1 - bottom))),
            ];
            for (strip, rest) in cuts.into_iter().flatten() {
                let area = territory.area(strip);
                if found.best.is_none_or(|(.., best)| area > best) {
                    found.best = Some((strip, rest, d, area));
                }
            }
        }
        found
    }

    /// Ors the targets with other labels into one row, and counts the rows without any at the top and at the bottom.
    fn project(&mut self, words: usize, d: Direction, r: Box2) -> (u32, u32) {
        let (others, columns) = (&self.others[d as usize], &mut self.columns[d as usize]);
        let (w1, w2) = ((r.x1 >> 6) as usize, (r.x2 >> 6) as usize);
        columns[w1..=w2].fill(0);
        let (mut top, mut bottom, mut clear) = (0, 0, true);
        for y in r.y1 as usize..=r.y2 as usize {
            let row = &others[y * words..][..words];
            let mut any = 0;
            for w in w1..=w2 {
                let bits = row[w] & word_mask(w, r.x1, r.x2);
                columns[w] |= bits;
                any |= bits;
            }
            if any == 0 {
                bottom += 1;
                top += u32::from(clear);
            } else {
                bottom = 0;
                clear = false;
            }
        }
        (top, bottom)
    }

    /// The columns without other labels at the left and at the right, after a projection that is not empty.
    fn free_columns(&self, d: Direction, r: Box2) -> (u32, u32) {
        let columns = &self.columns[d as usize];
        let (w1, w2) = ((r.x1 >> 6) as usize, (r.x2 >> 6) as usize);
        let first = (w1..=w2).find(|&w| columns[w] != 0).unwrap_or(w1);
        let last = (w1..=w2).rfind(|&w| columns[w] != 0).unwrap_or(w2);
        let first = first as u32 * 64 + columns[first].trailing_zeros();
        let last = last as u32 * 64 + 63 - columns[last].leading_zeros();
        (first - r.x1, r.x2 - last)
    }
}

/// The eight rectangles around a source, each with its direction; absent ones are left out.
fn first_rectangles(b: Box2, x: u32, y: u32) -> impl Iterator<Item = (Box2, Direction)> {
    Direction::ALL.into_iter().filter_map(move |d| {
        let (x1, x2) = match d.dx() {
            -1 => (b.x1, x - 1),
            0 => (x, x),
            _ => (x + 1, b.x2),
        };
        let (y1, y2) = match d.dy() {
            -1 => (b.y1, y - 1),
            0 => (y, y),
            _ => (y + 1, b.y2),
        };
        (x1 <= x2 && y1 <= y2).then(|| (Box2::new(x1, y1, x2, y2), d))
    })
}

/// The part left of a column, then the rest.
fn split_at_column(r: Box2, x: u32) -> (Box2, Box2) {
    (Box2 { x2: x - 1, ..r }, Box2 { x1: x, ..r })
}

/// The part above a row, then the rest.
fn split_at_row(r: Box2, y: u32) -> (Box2, Box2) {
    (Box2 { y2: y - 1, ..r }, Box2 { y1: y, ..r })
}

fn swap<T>((a, b): (T, T)) -> (T, T) {
    (b, a)
}

/// Halves across the longer side; the extra column or row goes right or down.
fn halves(r: Box2) -> (Box2, Box2) {
    if r.width() > r.height() {
        split_at_column(r, r.x1 + r.width() / 2)
    } else {
        split_at_row(r, r.y1 + r.height() / 2)
    }
}
