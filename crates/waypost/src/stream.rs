//! Numbers one after the other as little-endian bytes: what snapshots are made of.

use crate::grid::Cell;

/// Bytes that are written.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Nothing yet, with room for this many bytes.
    pub fn with_capacity(bytes: usize) -> Writer {
        Writer {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// These bytes as they are.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    /// Two bytes.
    #[inline]
    pub fn u16(&mut self, number: u16) {
        self.raw(&number.to_le_bytes());
    }

    /// Four bytes.
    #[inline]
    pub fn u32(&mut self, number: u32) {
        self.raw(&number.to_le_bytes());
    }

    /// Eight bytes.
    #[inline]
    pub fn u64(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    /// How many there are, then each of them.
    pub fn u32s(&mut self, numbers: impl ExactSizeIterator<Item = u32>) {
        self.u64(numbers.len() as u64);
        numbers.for_each(|number| self.u32(number));
    }

    /// How many cells there are, then each of them.
    pub fn cells(&mut self, cells: &[Cell]) {
        self.u32s(cells.iter().map(|cell| cell.0));
    }

    /// How long a text is, then the text.
    pub fn text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.raw(text.as_bytes());
    }
}

/// Bytes that are read. Whatever they hold, nothing but `None` comes of reading beyond their end.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    is_own: bool,
}

impl<'a> Reader<'a> {
    /// Reads these bytes from their beginning.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        let is_own = false;
        Reader { bytes, is_own }
    }

    /// Reads bytes that this process has written: what they hold need not be checked.
    pub(crate) fn of_own(bytes: &'a [u8]) -> Reader<'a> {
        let is_own = true;
        Reader { bytes, is_own }
    }

    /// Whether this process has written the bytes.
    #[inline]
    pub(crate) fn is_own(&self) -> bool {
        self.is_own
    }

    /// Whether all has been read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// This many bytes as they are.
    #[inline]
    pub fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.bytes.split_at_checked(length)?;
        self.bytes = left;
        Some(taken)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, left) = self.bytes.split_first_chunk()?;
        self.bytes = left;
        Some(*taken)
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    /// Two bytes.
    #[inline]
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes.
    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes.
    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// How many elements follow, each of this many bytes at least: more than the bytes hold is no number.
    pub fn count(&mut self, element: usize) -> Option<usize> {
        let count = usize::try_from(self.u64()?).ok()?;
        (count <= self.bytes.len() / element.max(1)).then_some(count)
    }

    /// What [`Writer::u32s`] wrote.
    pub fn u32s(&mut self) -> Option<Vec<u32>> {
        let count = self.count(4)?;
        (0..count).map(|_| self.u32()).collect()
    }

    /// What [`Writer::cells`] wrote, all below this bound of ids.
    pub fn cells(&mut self, id_bound: usize) -> Option<Vec<Cell>> {
        let cells: Vec<Cell> = self.u32s()?.into_iter().map(Cell).collect();
        cells
            .iter()
            .all(|cell| cell.index() < id_bound)
            .then_some(cells)
    }

    /// A cell below this bound of ids, or [`Cell::NONE`].
    pub fn cell(&mut self, id_bound: usize) -> Option<Cell> {
        let cell = Cell(self.u32()?);
        (cell == Cell::NONE || cell.index() < id_bound).then_some(cell)
    }

    /// What [`Writer::text`] wrote.
    pub fn text(&mut self) -> Option<&'a str> {
        let length = self.count(1)?;
        std::str::from_utf8(self.raw(length)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_beyond_it() {
        let mut out = Writer::default();
        out.u8(7);
        out.u16(0x1234);
        out.u32(5);
        out.u64(1 << 40);
        out.cells(&[Cell(3), Cell(9)]);
        out.text("abc");
        let bytes = out.into_bytes();
        let mut from = Reader::new(&bytes);
        assert_eq!(
            (from.u8(), from.u16(), from.u32(), from.u64()),
            (Some(7), Some(0x1234), Some(5), Some(1 << 40))
        );
        assert!(from.clone().cells(9).is_none(), "a cell beyond the map");
        assert_eq!(from.cells(10), Some(vec![Cell(3), Cell(9)]));
        assert_eq!(from.text(), Some("abc"));
        assert!(from.is_at_end());
        assert_eq!(from.u8(), None);
        // A count of more than there is.
        let mut many = Writer::default();
        many.u64(u64::MAX);
        assert_eq!(Reader::new(&many.into_bytes()).u32s(), None);
    }
}
