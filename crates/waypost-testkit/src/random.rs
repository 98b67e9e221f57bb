//! Random numbers for tests (PCG, 32 bits out of 64), apart from the engine's.

/// A seeded stream of numbers.
#[derive(Clone, Debug)]
pub struct TestRng(u64);

impl TestRng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> TestRng {
        let mut rng = TestRng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(1));
        for _ in 0..4 {
            rng.next();
        }
        rng
    }

    /// The next 32 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u32 {
        let old = self.0;
        self.0 = old
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = (((old >> 18) ^ old) >> 27) as u32;
        mixed.rotate_right((old >> 59) as u32)
    }

    /// A number below `bound`; 0 where the bound is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound == 0 { 0 } else { self.next() % bound }
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// True `percent` times in a hundred.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}
