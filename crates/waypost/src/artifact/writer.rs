//! Writes artifacts.

use super::{
    AlignedBytes, CHECKSUM_BYTES, HEADER_BYTES, Header, MAGIC, SECTION_ALIGNMENT,
    TABLE_ENTRY_BYTES, VERSION,
};
use xxhash_rust::xxh3::xxh3_64;

/// Collects sections and lays them out. The same sections give the same bytes.
pub struct ArtifactWriter<'a> {
    header: Header,
    sections: Vec<(u32, u32, &'a [u8])>,
}

impl<'a> ArtifactWriter<'a> {
    /// An artifact without sections.
    pub fn new(header: Header) -> ArtifactWriter<'a> {
        ArtifactWriter {
            header,
            sections: Vec::new(),
        }
    }

    /// Adds a section. Tags are the kind's own; each may be used once.
    pub fn section<T: bytemuck::Pod>(mut self, tag: u32, elements: &'a [T]) -> ArtifactWriter<'a> {
        self.sections
            .push((tag, size_of::<T>() as u32, bytemuck::cast_slice(elements)));
        self
    }

    /// The bytes of the file.
    pub fn finish(self) -> AlignedBytes {
        let parameters = parameter_lines(&self.header);
        let table_end = HEADER_BYTES + self.sections.len() * TABLE_ENTRY_BYTES;
        let lengths = self.sections.iter().map(|(_, _, bytes)| bytes.len() as u64);
        let mut offsets = Vec::with_capacity(self.sections.len());
        let total = lay_out(&parameters, &lengths.collect::<Vec<_>>(), |offset| {
            offsets.push(offset as usize);
        }) as usize;
        let body = total - CHECKSUM_BYTES;
        let mut file = AlignedBytes::zeroed(total);
        let out = file.as_mut();
        out[..8].copy_from_slice(&MAGIC);
        put_u32(out, 8, VERSION);
        put_u32(out, 12, self.header.kind as u32);
        put_u64(out, 16, self.header.fingerprint);
        put_u32(out, 24, self.header.width);
        put_u32(out, 28, self.header.height);
        put_u32(out, 32, self.header.rules.corners as u32);
        put_u32(out, 36, self.header.rules.costs as u32);
        put_u32(out, 40, self.sections.len() as u32);
        put_u32(out, 44, parameters.len() as u32);
        put_u64(out, 48, self.header.terrain);
        put_u64(out, 56, total as u64);
        for (i, (tag, element_bytes, bytes)) in self.sections.iter().enumerate() {
            let at = HEADER_BYTES + i * TABLE_ENTRY_BYTES;
            put_u32(out, at, *tag);
            put_u32(out, at + 4, *element_bytes);
            put_u64(out, at + 8, offsets[i] as u64);
            put_u64(out, at + 16, bytes.len() as u64);
            out[offsets[i]..offsets[i] + bytes.len()].copy_from_slice(bytes);
        }
        out[table_end..table_end + parameters.len()].copy_from_slice(parameters.as_bytes());
        let checksum = xxh3_64(&out[..body]);
        put_u64(out, body, checksum);
        file
    }
}

/// Bytes of a file with this header and sections of these lengths, in their order: what [`ArtifactWriter::finish`] makes of them.
pub(crate) fn file_bytes(header: &Header, lengths: &[u64]) -> u64 {
    lay_out(&parameter_lines(header), lengths, |_| {})
}

/// Tells where each section begins; the bytes of the whole file.
fn lay_out(parameters: &str, lengths: &[u64], mut place: impl FnMut(u64)) -> u64 {
    let mut end = (HEADER_BYTES + lengths.len() * TABLE_ENTRY_BYTES + parameters.len()) as u64;
    for length in lengths {
        let offset = end.next_multiple_of(SECTION_ALIGNMENT as u64);
        place(offset);
        end = offset + length;
    }
    end.next_multiple_of(8) + CHECKSUM_BYTES as u64
}

/// The parameters as the file has them, one a line.
fn parameter_lines(header: &Header) -> String {
    let mut lines = String::new();
    for (key, value) in &header.parameters {
        let line = format!("{key}={value}").replace(char::is_control, " ");
        lines.push_str(&line);
        lines.push('\n');
    }
    lines
}

fn put_u32(out: &mut [u8], at: usize, value: u32) {
    out[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put_u64(out: &mut [u8], at: usize, value: u64) {
    out[at..at + 8].copy_from_slice(&value.to_le_bytes());
}
