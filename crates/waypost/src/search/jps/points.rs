//! The numbers of marked cells: a bit per cell and a count per word.

use crate::grid::scan::Scans;
use crate::grid::{Direction, Grid, Point};

/// The cells where scans stop, numbered in the order of cell ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JumpPoints {
    row_bits: usize,
    marks: Vec<u64>,
    /// Marks before each word.
    before: Vec<u32>,
    /// `x | y << 16`.
    points: Vec<u32>,
}

impl JumpPoints {
    /// Numbers every cell at which a scan stops in any direction.
    pub fn new(grid: &Grid, scans: &Scans) -> JumpPoints {
        JumpPoints::of_marks(grid, scans.stop_marks())
    }

    /// Numbers marked cells: one bit per cell id.
    pub fn of_marks(grid: &Grid, marks: Vec<u64>) -> JumpPoints {
        let mut count = 0;
        let before = marks
            .iter()
            .map(|word| {
                let before = count;
                count += word.count_ones();
                before
            })
            .collect();
        let mut points = Vec::with_capacity(count as usize);
        for (at, &word) in marks.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let id = at as u32 * 64 + rest.trailing_zeros();
                let point = grid.point(crate::grid::Cell(id));
                points.push(point.x | point.y << 16);
                rest &= rest - 1;
            }
        }
        JumpPoints {
            row_bits: grid.stride() as usize,
            marks,
            before,
            points,
        }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Where a numbered point is.
    #[inline]
    pub fn point(&self, id: u32) -> Point {
        let packed = self.points[id as usize];
        Point {
            x: packed & 0xffff,
            y: packed >> 16,
        }
    }

    /// The number of a marked cell; of another, the number of the next marked cell.
    #[inline]
    pub fn id(&self, at: Point) -> u32 {
        let bit = (at.y as usize + 1) * self.row_bits + at.x as usize + 1;
        let below = self.marks[bit >> 6] & ((1 << (bit & 63)) - 1);
        self.before[bit >> 6] + below.count_ones()
    }

    /// The number of a cell, if it is marked.
    #[inline]
    pub fn marked(&self, at: Point) -> Option<u32> {
        let bit = (at.y as usize + 1) * self.row_bits + at.x as usize + 1;
        (self.marks[bit >> 6] >> (bit & 63) & 1 != 0).then(|| self.id(at))
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        (0..self.len() as u32).map(|id| self.point(id))
    }

    /// Directions in which scans stop at a numbered point.
    pub fn arrivals(&self, scans: &Scans, id: u32) -> impl Iterator<Item = Direction> {
        let stops = scans.stop_directions(self.point(id));
        Direction::ALL
            .into_iter()
            .filter(move |&d| stops.contains(d))
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.marks.len() * 8 + self.before.len() * 4 + self.points.len() * 4
    }
}
