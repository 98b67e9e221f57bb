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
        let mut parameters = String::new();
        for (key, value) in &self.header.parameters {
            let line = format!("{key}={value}").replace(char::is_control, " ");
            parameters.push_str(&line);
            parameters.push('\n');
        }
        let table_end = HEADER_BYTES + self.sections.len() * TABLE_ENTRY_BYTES;
        let mut end = table_end + parameters.len();
        let mut offsets = Vec::with_capacity(self.sections.len());
        for (_, _, bytes) in &self.sections {
            let offset = end.next_multiple_of(SECTION_ALIGNMENT);
            offsets.push(offset);
            end = offset + bytes.len();
        }
        let body = end.next_multiple_of(8);
        let total = body + CHECKSUM_BYTES;
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

fn put_u32(out: &mut [u8], at: usize, value: u32) {
    out[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put_u64(out: &mut [u8], at: usize, value: u64) {
    out[at..at + 8].copy_from_slice(&value.to_le_bytes());
}
