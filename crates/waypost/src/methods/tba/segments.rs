//! A long array in segments of a fixed size: it grows without ever copying what it holds.

use bytemuck::Zeroable;
use bytemuck::allocation::zeroed_slice_box;

/// Entries of a segment.
pub(crate) const SEGMENT: usize = 1 << 14;

/// An array that grows by one segment at a time. Segments are made zeroed, which costs nothing until they are touched
/// on systems that hand out fresh pages, and are kept for the next search.
#[derive(Clone, Debug)]
pub struct Segments<T> {
    segments: Vec<Box<[T]>>,
}

impl<T> Default for Segments<T> {
    fn default() -> Segments<T> {
        Segments {
            segments: Vec::new(),
        }
    }
}

impl<T: Copy + Zeroable> Segments<T> {
    /// Makes the array at least this long.
    pub fn reserve(&mut self, length: usize) {
        while self.segments.len() * SEGMENT < length {
            self.grow();
        }
    }

    /// Makes room for the list of segments of an array this long, so that growing allocates segments alone.
    pub fn expect(&mut self, length: usize) {
        let segments = length.div_ceil(SEGMENT) + 1;
        self.segments
            .reserve(segments.saturating_sub(self.segments.len()));
    }

    #[cold]
    fn grow(&mut self) {
        self.segments.push(zeroed_slice_box(SEGMENT));
    }

    /// An entry; it must be below the length.
    #[inline]
    pub fn get(&self, i: usize) -> T {
        self.segments[i / SEGMENT][i % SEGMENT]
    }

    /// An entry to change; it must be below the length.
    #[inline]
    pub fn entry(&mut self, i: usize) -> &mut T {
        &mut self.segments[i / SEGMENT][i % SEGMENT]
    }

    /// Writes an entry; the array grows by a segment if the entry is just beyond its end.
    #[inline]
    pub fn put(&mut self, i: usize, value: T) {
        while i / SEGMENT >= self.segments.len() {
            self.grow();
        }
        *self.entry(i) = value;
    }

    /// A part of one segment.
    #[inline]
    pub fn part(&mut self, from: usize, length: usize) -> &mut [T] {
        let i = from % SEGMENT;
        &mut self.segments[from / SEGMENT][i..i + length]
    }

    /// Entries that it has room for.
    pub fn capacity(&self) -> usize {
        self.segments.len() * SEGMENT
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}
