//! The integers that costs on terrain are counted in.

use super::{Factor, TerrainError};
use crate::cost::{Cost, CostPair};

/// The pairs for 1 and the root of 2, from the finest to the coarsest: all are best approximations.
const PAIRS: [(Cost, Cost); 6] = [
    (985, 1393),
    (408, 577),
    (169, 239),
    (70, 99),
    (29, 41),
    (12, 17),
];
/// Pairs up to this one are fine: wrong by 5 parts in 100,000 or less.
const FINE: usize = 4;
/// What keys of a search may grow by at a step, if a fine pair allows it: a ring of this many buckets stays in the cache.
const SMALL_GROWTH: u64 = (1 << 18) - 1;
/// The most that a ring of buckets holds.
const MAX_GROWTH: u64 = (1 << 20) - 1;
/// No shortest path may cost more: sums of two still fit.
const MAX_PATH: u64 = 1 << 31;

/// How factors and lengths become integer costs on one map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// A straight step between cells of one unit of factor each costs twice this.
    pub straight: Cost,
    /// And a diagonal one twice this.
    pub diagonal: Cost,
    /// The hundredths of one unit of factor.
    pub unit: u32,
    /// Are all factors in use whole units? Where not even the coarsest pair fits, factors are rounded.
    pub is_exact: bool,
}

impl Scale {
    /// The finest scale for these factors, in hundredths, where no shortest path has more than this many moves.
    pub fn fit(pair: CostPair, hundredths: &[u32], moves: u64) -> Result<Scale, TerrainError> {
        let unit = hundredths.iter().fold(0, |a, &b| divisor(a, b)).max(1);
        let largest = hundredths.iter().max().copied().unwrap_or(unit);
        let units = u64::from(largest / unit);
        let fits = |&&(_, diagonal): &&(Cost, Cost), growth: u64| {
            let highest = 2 * u64::from(diagonal) * units;
            2 * highest <= growth && highest.saturating_mul(moves) <= MAX_PATH
        };
        let found = match pair {
            CostPair::OnePointFour => [(5, 7)].iter().find(|p| fits(p, MAX_GROWTH)).copied(),
            CostPair::Sqrt2 => {
                let fine = PAIRS[..FINE].iter().find(|p| fits(p, SMALL_GROWTH));
                fine.or_else(|| PAIRS.iter().find(|p| fits(p, MAX_GROWTH)))
                    .copied()
            }
        };
        if let Some((straight, diagonal)) = found {
            return Ok(Scale {
                straight,
                diagonal,
                unit,
                is_exact: true,
            });
        }
        let coarsest = match pair {
            CostPair::OnePointFour => (5, 7),
            CostPair::Sqrt2 => PAIRS[PAIRS.len() - 1],
        };
        Scale::rounded(coarsest, largest, moves)
    }

    /// The finest units of factor that fit with the coarsest pair.
    fn rounded(
        (straight, diagonal): (Cost, Cost),
        largest: u32,
        moves: u64,
    ) -> Result<Scale, TerrainError> {
        let step = 2 * u64::from(diagonal);
        let units = (MAX_PATH / (step * moves.max(1))).min(MAX_GROWTH / (2 * step));
        if units == 0 {
            return Err(TerrainError::TooExpensive {
                moves,
                highest: Factor::from_hundredths(largest).unwrap_or(Factor::MAX),
            });
        }
        Ok(Scale {
            straight,
            diagonal,
            // Rounded up, so that the largest factor has no more units than fit.
            unit: u64::from(largest).div_ceil(units) as u32,
            is_exact: false,
        })
    }

    /// A factor in units, the nearest number of them: never none. Where not all factors are whole units, one of at least half a unit
    /// is wrong by half a unit at most, and a smaller one counts as a whole unit.
    pub fn units(self, hundredths: u32) -> u32 {
        match self.is_exact {
            true => hundredths / self.unit,
            false => ((hundredths + self.unit / 2) / self.unit).max(1),
        }
    }

    /// An integer cost as an approximate length.
    pub fn approximate_length(self, cost: Cost) -> f64 {
        f64::from(cost) * f64::from(self.unit) / (200.0 * f64::from(self.straight))
    }
}

/// The largest number that divides both; the other one where one is 0.
fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_factors_have_the_finest_scale() {
        let scale = Scale::fit(CostPair::Sqrt2, &[100, 200, 450], 4000).expect("fits");
        assert_eq!(
            (scale.straight, scale.diagonal, scale.unit),
            (985, 1393, 50)
        );
        assert_eq!(scale.approximate_length(985 * 4), 1.0);
        let uniform = Scale::fit(CostPair::Sqrt2, &[10_000], 400_000).expect("fits");
        assert_eq!((uniform.straight, uniform.unit), (985, 10_000));
    }

    #[test]
    fn far_apart_factors_and_long_paths_have_coarser_ones() {
        let far = Scale::fit(CostPair::Sqrt2, &[10, 10_000], 10_000).expect("fits");
        assert_eq!((far.straight, far.unit), (70, 10));
        let odd = Scale::fit(CostPair::Sqrt2, &[11, 10_000], 3000).expect("fits");
        assert_eq!((odd.straight, odd.unit), (12, 1));
        let long = Scale::fit(CostPair::Sqrt2, &[100, 10_000], 250_000).expect("fits");
        assert_eq!((long.straight, long.unit), (29, 100));
        let rounded = Scale::fit(CostPair::Sqrt2, &[11, 10_000], 1_000_000).expect("fits");
        assert!(!rounded.is_exact && rounded.units(11) == 1);
        for hundredths in [11, 33, 79, 80, 100, 450, 3333, 9999, 10_000] {
            let counts_as = rounded.units(hundredths) * rounded.unit;
            let wrong_by = counts_as.abs_diff(hundredths);
            let is_small = 2 * hundredths < rounded.unit;
            assert!(
                2 * wrong_by <= rounded.unit || is_small && counts_as == rounded.unit,
                "{hundredths} counts as {counts_as}"
            );
        }
        assert!(u64::from(rounded.units(10_000)) * 34 * 1_000_000 <= MAX_PATH);
        assert!(Scale::fit(CostPair::Sqrt2, &[10, 10_000], 1 << 27).is_err());
        let papers = Scale::fit(CostPair::OnePointFour, &[100, 300], 1000).expect("fits");
        assert_eq!((papers.straight, papers.diagonal), (5, 7));
    }
}
