//! The numbers of marked cells: a bit per cell and a count per word.

use crate::grid::scan::Scans;
use crate::grid::{Direction, Grid, Point};

/// The cells where scans stop, numbered.
///
/// The marks of one word of 64 cells have numbers that follow each other, so a number is a sum of two. Fresh numbers are in
/// the order of cell ids. A change of marks gives the marks of that word another run of numbers ([`JumpPoints::remark`])
/// and leaves all others theirs; numbers that fell free are used again.
#[derive(Clone, Debug)]
pub struct JumpPoints {
    row_bits: usize,
    marks: Vec<u64>,
    /// The number of each word's first mark.
    first: Vec<u32>,
    /// By number: `x | y << 16`.
    points: Vec<u32>,
    count: usize,
    /// By length: the first of a run of numbers that belongs to nobody, or [`NO_RUN`]; in the place of its point stands that of the
    /// next such run.
    spare: [u32; 65],
    /// Changed marks of [`JumpPoints::remark`], by word.
    flips: Vec<(usize, u64)>,
}

const NO_RUN: u32 = u32::MAX;

/// Numbers are a matter of history: points are equal where the same cells are marked.
impl PartialEq for JumpPoints {
    fn eq(&self, other: &JumpPoints) -> bool {
        self.row_bits == other.row_bits && self.marks == other.marks
    }
}

impl Eq for JumpPoints {}

/// A word of marks that have got new numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renumbered {
    /// The word's place among all words of marks.
    pub word: usize,
    /// The number of its first mark before.
    pub old_first: u32,
    /// How many marks it had.
    pub old_count: u32,
}

impl JumpPoints {
    /// Numbers every cell at which a scan stops in any direction.
    pub fn new(grid: &Grid, scans: &Scans) -> JumpPoints {
        JumpPoints::of_marks(grid, scans.stop_marks())
    }

    /// Numbers marked cells: one bit per cell id.
    pub(crate) fn of_marks(grid: &Grid, marks: Vec<u64>) -> JumpPoints {
        let row_bits = grid.stride() as usize;
        let mut points = Vec::new();
        let mut first = Vec::with_capacity(marks.len());
        for (at, &word) in marks.iter().enumerate() {
            first.push(points.len() as u32);
            points.extend(places(row_bits, at, word));
        }
        JumpPoints {
            row_bits,
            marks,
            first,
            count: points.len(),
            points,
            spare: [NO_RUN; 65],
            flips: Vec::new(),
        }
    }

    /// Marks points and unmarks others; puts the words whose marks have new numbers now behind the others.
    pub fn remark(
        &mut self,
        changes: impl IntoIterator<Item = (Point, bool)>,
        renumbered: &mut Vec<Renumbered>,
    ) {
        let mut flips = std::mem::take(&mut self.flips);
        flips.clear();
        for (at, marked) in changes {
            let bit = self.bit(at);
            if (self.marks[bit >> 6] >> (bit & 63) & 1 != 0) != marked {
                flips.push((bit >> 6, 1 << (bit & 63)));
            }
        }
        flips.sort_unstable();
        flips.dedup();
        for flips in flips.chunk_by(|a, b| a.0 == b.0) {
            let word = flips[0].0;
            let old = Renumbered {
                word,
                old_first: self.first[word],
                old_count: self.marks[word].count_ones(),
            };
            flips.iter().for_each(|flip| self.marks[word] ^= flip.1);
            self.renumber(old);
            renumbered.push(old);
        }
        self.flips = flips;
    }

    /// Gives the marks of a word other numbers.
    fn renumber(&mut self, old: Renumbered) {
        let marks = self.marks[old.word];
        let first = self.take(marks.count_ones());
        self.give_back(old.old_first, old.old_count);
        self.first[old.word] = first;
        for (i, place) in places(self.row_bits, old.word, marks).enumerate() {
            self.points[first as usize + i] = place;
        }
        self.count = self.count + marks.count_ones() as usize - old.old_count as usize;
    }

    fn give_back(&mut self, first: u32, count: u32) {
        if count > 0 {
            let next = std::mem::replace(&mut self.spare[count as usize], first);
            self.points[first as usize] = next;
        }
    }

    fn take(&mut self, count: u32) -> u32 {
        let spare = self.spare[count as usize];
        if count > 0 && spare != NO_RUN {
            self.spare[count as usize] = self.points[spare as usize];
            return spare;
        }
        let first = self.points.len();
        self.points.resize(first + count as usize, 0);
        first as u32
    }

    /// Makes room for this many more numbers.
    pub fn reserve(&mut self, numbers: usize) {
        self.points.reserve(numbers);
        self.flips.reserve(numbers);
    }

    /// The numbers of a word's marks.
    pub fn numbers(&self, word: usize) -> std::ops::Range<u32> {
        let first = self.first[word];
        first..first + self.marks[word].count_ones()
    }

    /// One bit per cell id.
    pub fn marks(&self) -> &[u64] {
        &self.marks
    }

    /// No number is as large as this.
    #[inline]
    pub(crate) fn number_bound(&self) -> usize {
        self.points.len()
    }

    #[inline]
    fn bit(&self, at: Point) -> usize {
        (at.y as usize + 1) * self.row_bits + at.x as usize + 1
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        self.count == 0
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

    /// The number of a marked cell; of others the answer means nothing.
    #[inline]
    pub fn id(&self, at: Point) -> u32 {
        let bit = self.bit(at);
        let below = self.marks[bit >> 6] & ((1 << (bit & 63)) - 1);
        self.first[bit >> 6] + below.count_ones()
    }

    /// The number of a cell, if it is marked.
    #[inline]
    pub fn marked(&self, at: Point) -> Option<u32> {
        let bit = self.bit(at);
        (self.marks[bit >> 6] >> (bit & 63) & 1 != 0).then(|| self.id(at))
    }

    /// The numbers of all of them, in the order of cell ids.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.marks.len()).flat_map(|word| self.numbers(word))
    }

    /// All of them, in the order of cell ids: fresh ones in that of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        self.ids().map(|id| self.point(id))
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
        self.marks.len() * 8 + (self.first.len() + self.points.len()) * 4
    }
}

/// The marked cells of a word, `x | y << 16` each.
fn places(row_bits: usize, word: usize, marks: u64) -> impl Iterator<Item = u32> {
    let mut rest = marks;
    std::iter::from_fn(move || {
        let bit = (rest != 0).then(|| word * 64 + rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some((bit % row_bits - 1) as u32 | ((bit / row_bits - 1) as u32) << 16)
    })
}
