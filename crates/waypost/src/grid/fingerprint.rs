//! What identifies a map in files: a hash of its size and of which cells are passable.

use super::Grid;
use xxhash_rust::xxh3::Xxh3;

impl Grid {
    /// Identifies a map in files: depends on the size and on which cells are passable.
    pub fn fingerprint(&self) -> u64 {
        fingerprint_of(self.width, self.height, self.words.iter().copied())
    }

    /// The fingerprint of a grid that does not change meanwhile, some words at a time.
    pub(crate) fn begin_fingerprint(&self) -> FingerprintSoFar {
        FingerprintSoFar {
            hash: Box::new(hash_of_size(self.width, self.height)),
            words: 0,
        }
    }
}

/// A fingerprint of which some words are still missing.
#[derive(Clone)]
pub(crate) struct FingerprintSoFar {
    hash: Box<Xxh3>,
    words: usize,
}

impl FingerprintSoFar {
    /// Takes in at most so many words more; gives the fingerprint once all are in.
    pub fn advance(&mut self, grid: &Grid, most: usize) -> Option<u64> {
        let end = grid.words.len().min(self.words.saturating_add(most));
        let more = grid.words[self.words..end].iter().copied();
        take_in(&mut self.hash, more);
        self.words = end;
        (end == grid.words.len()).then(|| self.hash.digest())
    }
}

/// What identifies a grid of this size whose rows of bits are these words.
pub(super) fn fingerprint_of(width: u32, height: u32, words: impl Iterator<Item = u64>) -> u64 {
    let mut hash = hash_of_size(width, height);
    take_in(&mut hash, words);
    hash.digest()
}

fn hash_of_size(width: u32, height: u32) -> Xxh3 {
    let mut hash = Xxh3::new();
    hash.update(&width.to_le_bytes());
    hash.update(&height.to_le_bytes());
    hash
}

fn take_in(hash: &mut Xxh3, words: impl Iterator<Item = u64>) {
    for word in words {
        hash.update(&word.to_le_bytes());
    }
}
