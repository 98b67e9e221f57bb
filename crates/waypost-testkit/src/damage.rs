//! Damage to files: what transport, editors and attackers do to bytes.

use crate::TestRng;

/// Numbers and pieces that loaders stumble over.
const PIECES: [&[u8]; 14] = [
    b"0",
    b"-1",
    b"65535",
    b"65536",
    b"4294967295",
    b"18446744073709551616",
    b"99999999999999999999999999",
    b"1e308",
    b"nan",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff\xff\xff\xff",
    b"<a>",
];
/// The first pieces are numbers.
const NUMBERS: u32 = 7;

/// One to four changes: a bit, a byte, a piece put in, a part doubled or taken out, a number for another.
pub fn damage(bytes: &mut Vec<u8>, rng: &mut TestRng) {
    for _ in 0..rng.between(1, 4) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.below(bytes.len() as u32) as usize;
        let end = (at + rng.between(1, 40) as usize).min(bytes.len());
        match rng.below(6) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = rng.below(256) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            4 => {
                let piece = PIECES[rng.below(PIECES.len() as u32) as usize];
                bytes.splice(at..at, piece.iter().copied());
            }
            _ => {
                // A whole number becomes another one: headers live and die by theirs.
                let start = bytes[..at].iter().rposition(|b| !b.is_ascii_digit());
                let start = start.map_or(0, |before| before + 1);
                let length = bytes[start..]
                    .iter()
                    .take_while(|b| b.is_ascii_digit())
                    .count();
                let piece = PIECES[rng.below(NUMBERS) as usize];
                bytes.splice(start..start + length, piece.iter().copied());
            }
        }
    }
}

/// One to six 32-bit words of a part of a file become others: 0, all ones, one more or less, a word from elsewhere, a small
/// number, another bit; or two parts change places. For binary files whose numbers name places in themselves.
pub fn damage_words(bytes: &mut [u8], rng: &mut TestRng) {
    let words = bytes.len() / 4;
    if words == 0 {
        return;
    }
    // Mostly one: what is checked finds many lies at once sooner than a single one.
    let most = rng.between(1, 6);
    for _ in 0..rng.between(1, most) {
        let at = 4 * rng.below(words as u32) as usize;
        let other = 4 * rng.below(words as u32) as usize;
        let word = |at: usize, bytes: &[u8]| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let (old, elsewhere) = (word(at, bytes), word(other, bytes));
        let new = match rng.below(9) {
            0 => 0,
            1 => u32::MAX,
            2 => old.wrapping_add(1),
            3 => old.wrapping_sub(1),
            4 => elsewhere,
            5 => rng.below(600),
            6 => old ^ 1 << rng.below(32),
            7 => rng.next(),
            _ => {
                bytes[other..other + 4].copy_from_slice(&old.to_le_bytes());
                elsewhere
            }
        };
        bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
    }
}
