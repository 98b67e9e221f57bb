//! Bytes that indexes are read from in place.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

/// Bytes shared by all parts of an opened artifact: a memory map, a loaded file, or what a build wrote.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Bytes at a multiple of 8, so that sections can be read in place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignedBytes {
    words: Vec<u64>,
    length: usize,
}

impl AlignedBytes {
    /// `length` zero bytes.
    pub fn zeroed(length: usize) -> AlignedBytes {
        AlignedBytes {
            words: vec![0; length.div_ceil(8)],
            length,
        }
    }

    /// A copy of bytes that may lie anywhere.
    pub(crate) fn copy_of(bytes: &[u8]) -> AlignedBytes {
        let mut copy = AlignedBytes::zeroed(bytes.len());
        copy.as_mut().copy_from_slice(bytes);
        copy
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }
}

impl AsMut<[u8]> for AlignedBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.length]
    }
}

/// A typed slice inside shared bytes. Getting at the slice costs a few instructions: hot loops take it once, before.
#[derive(Clone)]
pub struct Array<T> {
    bytes: SharedBytes,
    offset: usize,
    length: usize,
    of: PhantomData<T>,
}

impl<T: bytemuck::Pod> Array<T> {
    /// The part of the bytes that begins at `offset` and is `length` bytes long; `None` where it is not within, does not
    /// hold whole elements, or is not aligned for them.
    pub fn part_of(bytes: SharedBytes, offset: usize, length: usize) -> Option<Array<T>> {
        let part = (*bytes).as_ref().get(offset..offset.checked_add(length)?)?;
        bytemuck::try_cast_slice::<u8, T>(part).ok()?;
        Some(Array {
            bytes,
            offset,
            length,
            of: PhantomData,
        })
    }

    /// An array of its own, for indexes that were just built.
    pub fn from_slice(elements: &[T]) -> Array<T> {
        let raw: &[u8] = bytemuck::cast_slice(elements);
        Array {
            length: raw.len(),
            bytes: Arc::new(AlignedBytes::copy_of(raw)),
            offset: 0,
            of: PhantomData,
        }
    }

    /// An array of its own that takes the elements over, without copying them.
    pub fn from_vec(elements: Vec<T>) -> Array<T>
    where
        T: Send + Sync,
    {
        Array {
            length: size_of_val(elements.as_slice()),
            bytes: Arc::new(Elements(elements)),
            offset: 0,
            of: PhantomData,
        }
    }
}

/// Elements that are read as bytes.
struct Elements<T>(Vec<T>);

impl<T: bytemuck::Pod> AsRef<[u8]> for Elements<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<T: bytemuck::Pod> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&(*self.bytes).as_ref()[self.offset..self.offset + self.length])
    }
}

impl AsRef<[u8]> for Array<u8> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<T: bytemuck::Pod + std::fmt::Debug> std::fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Array of {} elements", self.len())
    }
}
