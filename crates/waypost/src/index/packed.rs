//! Whole numbers in as few bits as the largest needs.

use crate::artifact::{Array, ArtifactError};

/// How many bits a number below `bound` needs.
pub(super) const fn bits_below(bound: u64) -> u32 {
    if bound <= 1 {
        0
    } else {
        64 - (bound - 1).leading_zeros()
    }
}

/// Packs numbers below a bound, one after the other.
pub(super) struct Packer {
    words: Vec<u64>,
    bits: u32,
    /// Bits used so far.
    used: u64,
}

impl Packer {
    /// None yet.
    pub fn new(bound: u64) -> Packer {
        Packer {
            words: vec![0],
            bits: bits_below(bound),
            used: 0,
        }
    }

    /// Adds a number below the bound.
    pub fn push(&mut self, number: u32) {
        let (word, shift) = ((self.used / 64) as usize, self.used % 64);
        self.used += u64::from(self.bits);
        self.words.resize(self.used.div_ceil(64).max(1) as usize, 0);
        if self.bits == 0 {
            return;
        }
        self.words[word] |= u64::from(number) << shift;
        if shift + u64::from(self.bits) > 64 {
            self.words[word + 1] |= u64::from(number) >> (64 - shift);
        }
    }

    /// The words. A spare one follows, so that reading never needs a test for the end.
    pub fn finish(mut self) -> Vec<u64> {
        self.words.push(0);
        self.words
    }
}

/// Packs numbers below a bound.
pub(super) fn pack(numbers: impl IntoIterator<Item = u32>, bound: u64) -> Vec<u64> {
    let mut packer = Packer::new(bound);
    numbers.into_iter().for_each(|number| packer.push(number));
    packer.finish()
}

/// Packed numbers.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    pub words: Array<u64>,
    bits: u32,
}

impl Packed {
    /// `count` numbers below a bound; fails where the words are too few.
    pub fn new(words: Array<u64>, count: usize, bound: u64) -> Result<Packed, ArtifactError> {
        let bits = bits_below(bound);
        let needed = (count as u64 * u64::from(bits)).div_ceil(64).max(1) + 1;
        if words.len() as u64 != needed {
            return Err(ArtifactError::malformed(format!(
                "{count} numbers of {bits} bits in {} words, expected {needed}",
                words.len()
            )));
        }
        Ok(Packed { words, bits })
    }

    /// The number at an index.
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        let at = index * self.bits as usize;
        let (word, shift) = (at / 64, at % 64);
        let low = self.words[word] >> shift;
        // Shifted in two steps: a shift by 64 is not defined.
        let high = self.words[word + 1] << 1 << (63 - shift);
        ((low | high) & ((1u64 << self.bits) - 1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn packed_numbers_come_back() {
        let mut rng = Rng::new(1);
        for bound in [1u64, 2, 3, 5, 64, 65, 1000, 65_536, 65_537, 1 << 32] {
            let numbers: Vec<u32> = (0..200).map(|_| (rng.next_u64() % bound) as u32).collect();
            let words = pack(numbers.iter().copied(), bound);
            let packed = Packed::new(Array::from_slice(&words), 200, bound).expect("enough words");
            for (i, &number) in numbers.iter().enumerate() {
                assert_eq!(packed.get(i), number, "{i} below {bound}");
            }
            assert!(Packed::new(Array::from_slice(&words), 1000, bound.max(2)).is_err());
        }
    }
}
