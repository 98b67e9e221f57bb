//! A small generator whose stream is part of Waypost's promise: the same seed gives the same maps, problems and records
//! on every platform and in every later version. (Generators in the field's crates may change their streams.)
//!
//! SplitMix64 seeds xoshiro256++, as its authors recommend.

/// Deterministic pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Rng {
        let mut z = seed;
        let mut split_mix = || {
            z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(z)
        };
        Rng {
            state: [split_mix(), split_mix(), split_mix(), split_mix()],
        }
    }

    /// The generator of one numbered item of a seeded whole, so that items can be made in any order, on any thread.
    pub fn for_item(seed: u64, item: u64) -> Rng {
        Rng::new(mix(seed ^ 0x5851_f42d_4c95_7f2d) ^ mix(item.wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`, every one equally likely to within 2^-32; 0 where the bound is 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included; `low` where the range is empty.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True `percent` times in a hundred.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Puts a slice in a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_fixed_for_ever() {
        let mut rng = Rng::new(1);
        assert_eq!(
            [rng.next_u64(), rng.next_u64(), rng.next_u64()],
            [
                14_971_601_782_005_023_387,
                13_781_649_495_232_077_965,
                1_847_458_086_238_483_744
            ]
        );
    }

    #[test]
    fn below_stays_below() {
        let mut rng = Rng::for_item(7, 3);
        assert!((0..1000).all(|_| rng.below(13) < 13));
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.between(4, 4), 4);
    }
}
