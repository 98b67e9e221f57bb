//! One container on disk for every index.
//!
//! ```text
//! magic "WAYPOST\n" | version | kind | fingerprint | width, height | corners, costs | counts and lengths | terrain
//! section table: tag, element size, offset, length       parameters: text, one key=value a line
//! sections, each at a multiple of 64 bytes               xxh3 checksum of everything before it
//! ```
//!
//! Little-endian throughout, no `usize`. [`Artifact::open`] checks magic, version, every length and the checksum once;
//! after that a section is a typed slice of the given bytes, without a copy, and no access can leave it.
//!
//! The checksum finds damage, not malice: a file with a right checksum may still hold anything, so every index checks its
//! own contents against the map when it is opened. A file that is memory-mapped must not be changed in place meanwhile;
//! `waypost build` and `merge` write beside it and rename.

mod bytes;
mod kind;
mod writer;

pub use bytes::{AlignedBytes, Array, SharedBytes};
pub use kind::IndexKind;
pub use writer::ArtifactWriter;
pub(crate) use writer::file_bytes;

use crate::cost::CostPair;
use crate::grid::{Corners, MAX_SIDE, MoveRules};
use crate::map::Map;
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every artifact.
pub const MAGIC: [u8; 8] = *b"WAYPOST\n";
/// The format that this version writes and the newest that it reads.
pub const VERSION: u32 = 1;

pub(crate) const HEADER_BYTES: usize = 72;
pub(crate) const TABLE_ENTRY_BYTES: usize = 24;
pub(crate) const CHECKSUM_BYTES: usize = 8;
pub(crate) const SECTION_ALIGNMENT: usize = 64;
const MAX_SECTIONS: u32 = 256;

/// Why bytes are not a usable artifact.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArtifactError {
    /// Not an artifact at all.
    #[error(
        "not an index file of Waypost: expected it to begin with \"WAYPOST\"; give a file made by `waypost build`"
    )]
    NotAnArtifact,
    /// Written by a later version.
    #[error(
        "format {found} of index files is newer than this program reads ({VERSION}); update Waypost or rebuild the index"
    )]
    NewerVersion {
        /// The file's version.
        found: u32,
    },
    /// Shorter or longer than its header says.
    #[error(
        "the index file is cut off or damaged: expected {expected} bytes, got {found}; rebuild it"
    )]
    WrongLength {
        /// What the header says.
        expected: u64,
        /// What there is.
        found: u64,
    },
    /// Contents changed since it was written.
    #[error(
        "the index file is damaged: checksum {found:016x}, expected {expected:016x}; rebuild it"
    )]
    WrongChecksum {
        /// What the file says.
        expected: u64,
        /// What its contents give.
        found: u64,
    },
    /// A structure inside is impossible.
    #[error("the index file is malformed: {what}; rebuild it")]
    Malformed {
        /// What is wrong.
        what: String,
    },
    /// Another kind of index than the one wanted.
    #[error("this is a `{found}` index; expected `{expected}`")]
    WrongKind {
        /// What it is.
        found: &'static str,
        /// What was wanted.
        expected: &'static str,
    },
    /// Built for another map.
    #[error(
        "the index was built for another map: expected fingerprint {expected:016x} ({expected_size}), got {found:016x} ({found_size}); rebuild it for this map"
    )]
    WrongMap {
        /// The map at hand.
        expected: u64,
        /// Its size.
        expected_size: String,
        /// The artifact's map.
        found: u64,
        /// Its size.
        found_size: String,
    },
    /// Built under other move rules.
    #[error(
        "the index was built for other move rules ({found}); the map is used with {expected}; pass the same --moves, --corners and --costs or rebuild it"
    )]
    WrongRules {
        /// The rules at hand.
        expected: MoveRules,
        /// The artifact's rules.
        found: MoveRules,
    },
    /// Built for other costs of steps.
    #[error(
        "the index was built {built} terrain than the map has; pass the same --terrain and --size or rebuild it"
    )]
    WrongTerrain {
        /// How it differs.
        built: &'static str,
    },
    /// The machine stores numbers the other way round.
    #[error("index files are little-endian and this machine is not; they cannot be opened here")]
    BigEndian,
}

impl ArtifactError {
    /// A [`ArtifactError::Malformed`] with its reason.
    pub fn malformed(what: impl Into<String>) -> ArtifactError {
        ArtifactError::Malformed { what: what.into() }
    }
}

/// What an artifact says of itself before its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What kind of index it holds.
    pub kind: IndexKind,
    /// The fingerprint of its map.
    pub fingerprint: u64,
    /// The map's size.
    pub width: u32,
    /// The map's size.
    pub height: u32,
    /// The rules that it was built for.
    pub rules: MoveRules,
    /// What steps cost beyond the rules ([`Map::terrain_digest`]).
    pub terrain: u64,
    /// Parameters of the build, in the order of keys.
    pub parameters: BTreeMap<String, String>,
}

/// Which map and rules an index is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The map's fingerprint ([`Map::file_fingerprint`]).
    pub fingerprint: u64,
    /// The map's size.
    pub width: u32,
    /// The map's size.
    pub height: u32,
    /// The rules.
    pub rules: MoveRules,
    /// What steps cost beyond the rules ([`Map::terrain_digest`]).
    pub terrain: u64,
}

impl Identity {
    /// Whether it may be that of an earlier or later state of this map: same size, same rules, same ground.
    pub(crate) fn is_of_a_state_of(&self, map: &Map) -> bool {
        (self.width, self.height) == (map.grid().width(), map.grid().height())
            && self.rules == map.rules()
            && self.terrain == map.terrain_digest()
    }

    /// Fails unless it is that of this map, as it is but for its doors, and these rules.
    pub fn check(&self, map: &Map) -> Result<(), ArtifactError> {
        let grid = map.grid();
        let expected = map.file_fingerprint();
        if self.terrain != map.terrain_digest() {
            return Err(ArtifactError::WrongTerrain {
                built: match self.terrain {
                    0 => "without the",
                    _ => "for other",
                },
            });
        }
        if self.fingerprint != expected
            || (self.width, self.height) != (grid.width(), grid.height())
        {
            return Err(ArtifactError::WrongMap {
                expected,
                expected_size: format!("{} x {}", grid.width(), grid.height()),
                found: self.fingerprint,
                found_size: format!("{} x {}", self.width, self.height),
            });
        }
        if self.rules != map.rules() {
            return Err(ArtifactError::WrongRules {
                expected: map.rules(),
                found: self.rules,
            });
        }
        Ok(())
    }
}

impl Header {
    /// Which map and rules the index is of.
    pub fn identity(&self) -> Identity {
        Identity {
            fingerprint: self.fingerprint,
            width: self.width,
            height: self.height,
            rules: self.rules,
            terrain: self.terrain,
        }
    }

    /// The header of an index of this map.
    pub fn of(kind: IndexKind, map: &Map, parameters: BTreeMap<String, String>) -> Header {
        Header {
            kind,
            fingerprint: map.file_fingerprint(),
            width: map.grid().width(),
            height: map.grid().height(),
            rules: map.rules(),
            terrain: map.terrain_digest(),
            parameters,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct SectionEntry {
    tag: u32,
    element_bytes: u32,
    offset: usize,
    length: usize,
}

/// A checked artifact.
#[derive(Clone)]
pub struct Artifact {
    bytes: SharedBytes,
    header: Header,
    sections: Vec<SectionEntry>,
}

impl std::fmt::Debug for Artifact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Artifact")
            .field("header", &self.header)
            .field("sections", &self.sections)
            .finish_non_exhaustive()
    }
}

impl Artifact {
    /// Checks bytes and finds their sections. The bytes are kept, not copied, where they lie at a multiple of 8, as
    /// memory maps and [`AlignedBytes`] do.
    pub fn open(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Artifact, ArtifactError> {
        let bytes: SharedBytes = if bytes.as_ref().as_ptr().align_offset(8) == 0 {
            Arc::new(bytes)
        } else {
            Arc::new(AlignedBytes::copy_of(bytes.as_ref()))
        };
        if cfg!(target_endian = "big") {
            return Err(ArtifactError::BigEndian);
        }
        let data: &[u8] = (*bytes).as_ref();
        if data.len() < 8 || data[..8] != MAGIC {
            return Err(ArtifactError::NotAnArtifact);
        }
        let too_short = |expected: u64| ArtifactError::WrongLength {
            expected,
            found: data.len() as u64,
        };
        if data.len() < HEADER_BYTES + CHECKSUM_BYTES {
            return Err(too_short((HEADER_BYTES + CHECKSUM_BYTES) as u64));
        }
        let version = u32_at(data, 8);
        if version > VERSION {
            return Err(ArtifactError::NewerVersion { found: version });
        }
        if version == 0 {
            return Err(ArtifactError::malformed("format 0, which never was"));
        }
        let total = u64_at(data, 56);
        if total != data.len() as u64 {
            return Err(too_short(total));
        }
        let body = data.len() - CHECKSUM_BYTES;
        let (expected, found) = (u64_at(data, body), xxh3_64(&data[..body]));
        if expected != found {
            return Err(ArtifactError::WrongChecksum { expected, found });
        }
        let (header, sections) = read_header(data, body)?;
        Ok(Artifact {
            bytes,
            header,
            sections,
        })
    }

    /// What the artifact says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What kind of index it holds.
    pub fn kind(&self) -> IndexKind {
        self.header.kind
    }

    /// Bytes of the whole file.
    pub fn len(&self) -> usize {
        (*self.bytes).as_ref().len()
    }

    /// Never: an artifact has at least a header.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tag and length in bytes of every section, in the order of the file.
    pub fn sections(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.sections.iter().map(|s| (s.tag, s.length))
    }

    /// Fails unless it holds this kind of index, for this map and these rules.
    pub fn check(&self, kind: IndexKind, map: &Map) -> Result<(), ArtifactError> {
        if self.kind() != kind {
            return Err(ArtifactError::WrongKind {
                found: self.kind().name(),
                expected: kind.name(),
            });
        }
        self.check_map(map)
    }

    /// Fails unless it was built for this map and these rules.
    pub(crate) fn check_map(&self, map: &Map) -> Result<(), ArtifactError> {
        self.header.identity().check(map)
    }

    /// A section as a typed slice of the artifact's bytes.
    pub fn section<T: bytemuck::Pod>(&self, tag: u32) -> Result<Array<T>, ArtifactError> {
        let entry = self
            .sections
            .iter()
            .find(|s| s.tag == tag)
            .ok_or_else(|| ArtifactError::malformed(format!("section {tag} is missing")))?;
        if entry.element_bytes as usize != size_of::<T>() {
            return Err(ArtifactError::malformed(format!(
                "section {tag} has elements of {} bytes, expected {}",
                entry.element_bytes,
                size_of::<T>()
            )));
        }
        Array::part_of(self.bytes.clone(), entry.offset, entry.length).ok_or_else(|| {
            ArtifactError::malformed(format!("section {tag} does not hold whole elements"))
        })
    }
}

fn read_header(data: &[u8], body: usize) -> Result<(Header, Vec<SectionEntry>), ArtifactError> {
    let kind = IndexKind::from_number(u32_at(data, 12))
        .ok_or_else(|| ArtifactError::malformed(format!("unknown kind {}", u32_at(data, 12))))?;
    let corners = match u32_at(data, 32) {
        0 => Corners::Never,
        1 => Corners::One,
        2 => Corners::Always,
        3 => Corners::NoDiagonals,
        other => return Err(ArtifactError::malformed(format!("corner rule {other}"))),
    };
    let costs = match u32_at(data, 36) {
        0 => CostPair::Sqrt2,
        1 => CostPair::OnePointFour,
        other => return Err(ArtifactError::malformed(format!("cost pair {other}"))),
    };
    let (width, height) = (u32_at(data, 24), u32_at(data, 28));
    if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
        return Err(ArtifactError::malformed(format!(
            "a map of {width} x {height} cells"
        )));
    }
    if u64_at(data, 64) != 0 {
        return Err(ArtifactError::malformed("a reserved field is not 0"));
    }
    let section_count = u32_at(data, 40);
    let parameter_bytes = u32_at(data, 44) as usize;
    if section_count > MAX_SECTIONS {
        return Err(ArtifactError::malformed(format!(
            "{section_count} sections"
        )));
    }
    let table_end = HEADER_BYTES + section_count as usize * TABLE_ENTRY_BYTES;
    let parameters_end = table_end
        .checked_add(parameter_bytes)
        .filter(|&end| end <= body)
        .ok_or_else(|| ArtifactError::malformed("the section table leaves the file"))?;
    let text = std::str::from_utf8(&data[table_end..parameters_end])
        .map_err(|_| ArtifactError::malformed("the parameters are not text"))?;
    let parameters = text
        .lines()
        .map(|line| {
            line.split_once('=')
                .map(|(k, v)| (k.to_string(), v.to_string()))
                .ok_or_else(|| ArtifactError::malformed("a parameter without a value"))
        })
        .collect::<Result<_, _>>()?;
    let mut sections: Vec<SectionEntry> = Vec::with_capacity(section_count as usize);
    let mut free_from = parameters_end;
    for i in 0..section_count as usize {
        let section = read_section(data, HEADER_BYTES + i * TABLE_ENTRY_BYTES, free_from, body)?;
        if sections.iter().any(|other| other.tag == section.tag) {
            return Err(ArtifactError::malformed(format!(
                "section {} is there twice",
                section.tag
            )));
        }
        free_from = section.offset + section.length;
        sections.push(section);
    }
    Ok((
        Header {
            kind,
            fingerprint: u64_at(data, 16),
            width,
            height,
            rules: MoveRules { corners, costs },
            terrain: u64_at(data, 48),
            parameters,
        },
        sections,
    ))
}

fn read_section(
    data: &[u8],
    at: usize,
    first: usize,
    body: usize,
) -> Result<SectionEntry, ArtifactError> {
    let (tag, element_bytes) = (u32_at(data, at), u32_at(data, at + 4));
    let (offset, length) = (u64_at(data, at + 8), u64_at(data, at + 16));
    let end = offset.checked_add(length);
    let fits = end.is_some_and(|end| end <= body as u64)
        && offset >= first as u64
        && offset % SECTION_ALIGNMENT as u64 == 0
        && element_bytes > 0
        && length % u64::from(element_bytes) == 0;
    if !fits {
        return Err(ArtifactError::malformed(format!(
            "section {tag} of {length} bytes at {offset} does not fit"
        )));
    }
    Ok(SectionEntry {
        tag,
        element_bytes,
        offset: offset as usize,
        length: length as usize,
    })
}

/// The checksum that ends an artifact.
pub fn checksum(body: &[u8]) -> u64 {
    xxh3_64(body)
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(data[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests;
