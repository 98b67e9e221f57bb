//! How far a goal is from landmarks: what searches ask for lower bounds with.

use crate::cost::Cost;

/// So many distances of 16 bits are one line of a cache.
pub(crate) const LANDMARKS: usize = 32;

/// The distances of a goal to landmarks, in units of `1 << shift`.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoalBounds {
    pub(crate) shift: u32,
    /// No distance is larger.
    pub(crate) most: [u16; LANDMARKS],
    /// All are larger by more than a unit, or nothing is known.
    pub(crate) before: [u16; LANDMARKS],
}

impl GoalBounds {
    /// What lies at least between the goal and a point that has these distances, which were rounded down.
    #[inline]
    pub(crate) fn between(&self, distances: &[u16; LANDMARKS]) -> Cost {
        let mut most = [0u16; LANDMARKS];
        for i in 0..LANDMARKS {
            let farther = distances[i].saturating_sub(self.most[i]);
            let nearer = self.before[i].saturating_sub(distances[i]);
            // One of them is 0.
            most[i] = farther | nearer;
        }
        // Halves of halves, so that vectors are compared with vectors.
        let mut width = LANDMARKS / 2;
        while width > 0 {
            for i in 0..width {
                most[i] = most[i].max(most[i + width]);
            }
            width /= 2;
        }
        Cost::from(most[0]) << self.shift
    }
}
