//! The tiles of a layer in all the ways that they are stored, unpacked one at a time.

use std::io::{self, BufReader, Read};

/// The tiles of a layer, as they stand in the file.
pub(super) enum Tiles {
    /// Numbers.
    Plain(Vec<u32>),
    /// Numbers between commas.
    Csv(String),
    /// Little-endian numbers as base64.
    Base64(String, Compression),
    /// A way of storing that is not known.
    Unknown(String),
}

/// How base64 data is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Zlib,
    Gzip,
}

/// The low bits of a stored number name the tile; the high ones say how it is turned.
const TILE_NUMBER: u32 = 0x0fff_ffff;
/// Deflate writes at most this many bytes for one that it reads.
const MAX_PER_BYTE: u64 = 1032;

impl Tiles {
    /// Tiles stored as text with the names of their encoding and compression.
    pub fn from_text(text: String, encoding: &str, compression: &str) -> Tiles {
        match (encoding, compression) {
            ("csv", "") => Tiles::Csv(text),
            ("base64", "") => Tiles::Base64(text, Compression::None),
            ("base64", "zlib") => Tiles::Base64(text, Compression::Zlib),
            ("base64", "gzip") => Tiles::Base64(text, Compression::Gzip),
            _ => {
                let known: String = encoding.chars().take(20).collect();
                let pressed: String = compression.chars().take(20).collect();
                Tiles::Unknown(format!("encoding `{known}` with compression `{pressed}`"))
            }
        }
    }

    /// More tiles than this cannot be in the data, by its length alone.
    pub fn most_tiles(&self) -> u64 {
        match self {
            Tiles::Plain(tiles) => tiles.len() as u64,
            Tiles::Csv(text) => (text.len() as u64).div_ceil(2),
            Tiles::Base64(text, Compression::None) => text.len() as u64 * 3 / 16,
            Tiles::Base64(text, _) => (text.len() as u64 * 3 / 16).saturating_mul(MAX_PER_BYTE),
            Tiles::Unknown(_) => u64::MAX,
        }
    }

    /// Calls `visit` with the first `most` tiles and gives the number of tiles, counted no further than one beyond.
    pub fn for_each_tile(&self, most: u64, mut visit: impl FnMut(u32)) -> Result<u64, String> {
        let mut count = 0;
        let mut take = |tile: u32| {
            if count < most {
                visit(tile & TILE_NUMBER);
            }
            count += 1;
            count <= most
        };
        match self {
            Tiles::Plain(tiles) => {
                let _ = tiles.iter().all(|&tile| take(tile));
            }
            Tiles::Csv(text) => {
                // Tiled ends rows with a comma, other programs end the last one so too.
                let text = text.trim();
                for field in text.strip_suffix(',').unwrap_or(text).split(',') {
                    let tile = field.trim().parse().map_err(|_| {
                        let start: String = field.trim().chars().take(20).collect();
                        format!("`{start}` is not a tile number")
                    })?;
                    if !take(tile) {
                        break;
                    }
                }
            }
            Tiles::Base64(text, compression) => {
                let bytes = Base64::new(text);
                let unpacked = match compression {
                    Compression::None => read_tiles(bytes, take),
                    Compression::Zlib => read_tiles(flate2::read::ZlibDecoder::new(bytes), take),
                    Compression::Gzip => read_tiles(flate2::read::GzDecoder::new(bytes), take),
                };
                unpacked.map_err(|error| error.to_string())?;
            }
            Tiles::Unknown(what) => return Err(format!("{what} is not supported")),
        }
        Ok(count)
    }
}

/// Reads numbers until the data or the taker has had enough.
fn read_tiles(data: impl Read, mut take: impl FnMut(u32) -> bool) -> io::Result<()> {
    let mut data = BufReader::new(data);
    loop {
        let mut number = [0; 4];
        match data.read(&mut number[..1])? {
            0 => return Ok(()),
            _ => data.read_exact(&mut number[1..])?,
        }
        if !take(u32::from_le_bytes(number)) {
            return Ok(());
        }
    }
}

/// Base64 as a stream of bytes; blanks are skipped, `=` ends it.
struct Base64<'a> {
    letters: std::slice::Iter<'a, u8>,
    /// Bits that have been read and not given out, and how many.
    bits: u32,
    count: u32,
}

impl Base64<'_> {
    fn new(text: &str) -> Base64<'_> {
        Base64 {
            letters: text.as_bytes().iter(),
            bits: 0,
            count: 0,
        }
    }

    fn next_byte(&mut self) -> io::Result<Option<u8>> {
        while self.count < 8 {
            let value = match self.letters.next() {
                None | Some(b'=') => {
                    self.letters = [].iter();
                    return Ok(None);
                }
                Some(b' ' | b'\t' | b'\r' | b'\n') => continue,
                Some(letter @ b'A'..=b'Z') => letter - b'A',
                Some(letter @ b'a'..=b'z') => letter - b'a' + 26,
                Some(letter @ b'0'..=b'9') => letter - b'0' + 52,
                Some(b'+') => 62,
                Some(b'/') => 63,
                Some(other) => {
                    let message = format!("`{}` is not base64", other.escape_ascii());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
            };
            self.bits = self.bits << 6 | u32::from(value);
            self.count += 6;
        }
        self.count -= 8;
        let byte = (self.bits >> self.count) as u8;
        self.bits &= (1 << self.count) - 1;
        Ok(Some(byte))
    }
}

impl Read for Base64<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for (i, place) in buffer.iter_mut().enumerate() {
            match self.next_byte()? {
                Some(byte) => *place = byte,
                None => return Ok(i),
            }
        }
        Ok(buffer.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Base64::new(text).read_to_end(&mut bytes).map(|_| bytes)
    }

    #[test]
    fn base64_is_read_with_and_without_padding() {
        assert_eq!(decoded("").expect("good"), b"");
        assert_eq!(decoded("aGk=").expect("good"), b"hi");
        assert_eq!(decoded(" aGV\nsbG8 ").expect("good"), b"hello");
        assert_eq!(decoded("////").expect("good"), [255; 3]);
        assert!(decoded("a-b_").is_err());
    }

    #[test]
    fn no_more_tiles_are_unpacked_than_asked_for() {
        let mut seen = Vec::new();
        let tiles = Tiles::Csv("1,2,3,4,5".to_owned());
        assert_eq!(tiles.for_each_tile(2, |tile| seen.push(tile)), Ok(3));
        assert_eq!(seen, [1, 2]);
        let turned = Tiles::Plain(vec![0xe000_0007]);
        assert_eq!(turned.for_each_tile(1, |tile| seen.push(tile)), Ok(1));
        assert_eq!(seen[2], 7);
        assert!(
            Tiles::Csv("1,,2".to_owned())
                .for_each_tile(9, |_| {})
                .is_err()
        );
    }
}
