//! Summaries of many numbers: a histogram of times with bounded memory, and exact percentiles of short lists.

use serde::Serialize;

/// Sub-buckets of every power of two: a percentile is at most one part in 128 above the true value.
const STEPS: usize = 128;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// Counts nanoseconds in buckets whose width follows their size, so that billions of moves take 60 kB. Values below 256
/// are kept exactly, and so are the sum and the largest.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum: u128,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            counts: vec![0; bucket_of(u64::MAX) + 1],
            total: 0,
            sum: 0,
            max: 0,
        }
    }
}

/// Mean and tails of times, in the unit that the field's name says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Times {
    /// The mean.
    pub mean: f64,
    /// Half are at most this.
    pub p50: f64,
    /// 99 in 100 are at most this.
    pub p99: f64,
    /// 999 in 1000 are at most this.
    pub p999: f64,
    /// The largest.
    pub max: f64,
}

impl Histogram {
    /// Counts a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.counts[bucket_of(value)] += 1;
        self.total += 1;
        self.sum += u128::from(value);
        self.max = self.max.max(value);
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The sum of all values.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The mean; 0 where there is none.
    pub fn mean(&self) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            self.sum as f64 / self.total as f64
        }
    }

    /// How many values there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The value that `thousandths` in 1000 values do not exceed, to within the width of its bucket.
    pub fn quantile(&self, thousandths: u64) -> u64 {
        let rank = (u128::from(self.total) * u128::from(thousandths)).div_ceil(1000) as u64;
        let mut seen = 0;
        for (bucket, &count) in self.counts.iter().enumerate() {
            seen += count;
            if count > 0 && seen >= rank {
                return last_of(bucket).min(self.max);
            }
        }
        self.max
    }

    /// The buckets that are not empty and what is in them, for records.
    pub fn sparse(&self) -> Vec<(u32, u64)> {
        let counts = self.counts.iter().enumerate();
        counts
            .filter(|&(_, &count)| count > 0)
            .map(|(bucket, &count)| (bucket as u32, count))
            .collect()
    }

    /// Adds what [`Histogram::sparse`] gave. Every value counts as the largest of its bucket; numbers that are no bucket's
    /// are left out.
    pub fn add_sparse(&mut self, buckets: &[(u32, u64)]) {
        for &(bucket, count) in buckets {
            let Some(slot) = self.counts.get_mut(bucket as usize) else {
                continue;
            };
            *slot += count;
            self.total += count;
            let value = last_of(bucket as usize);
            self.sum += u128::from(value) * u128::from(count);
            self.max = self.max.max(value);
        }
    }

    /// Mean and tails, divided by `unit`.
    pub fn times(&self, unit: f64) -> Times {
        Times {
            mean: self.mean() / unit,
            p50: self.quantile(500) as f64 / unit,
            p99: self.quantile(990) as f64 / unit,
            p999: self.quantile(999) as f64 / unit,
            max: self.max as f64 / unit,
        }
    }
}

/// Values below `2 * STEPS` have buckets of their own; above, each power of two has `STEPS` equal ones.
fn bucket_of(value: u64) -> usize {
    let magnitude = 63 - (value | 1).leading_zeros();
    if magnitude <= STEP_BITS {
        return value as usize;
    }
    let shift = magnitude - STEP_BITS;
    shift as usize * STEPS + (value >> shift) as usize
}

/// The largest value of a bucket.
fn last_of(bucket: usize) -> u64 {
    if bucket < 2 * STEPS {
        return bucket as u64;
    }
    let shift = (bucket / STEPS - 1) as u32;
    let step = (bucket % STEPS + STEPS) as u128;
    (((step + 1) << shift) - 1).min(u128::from(u64::MAX)) as u64
}

/// Mean and percentiles of how much longer paths are than the shortest, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentages {
    /// The mean.
    pub mean: f64,
    /// Half are at most this.
    pub p50: f64,
    /// 95 in 100 are at most this.
    pub p95: f64,
    /// The largest.
    pub max: f64,
}

impl Percentages {
    /// Of a list, in any order. All zero where it is empty.
    pub fn of(mut values: Vec<f64>) -> Percentages {
        if values.is_empty() {
            return Percentages::default();
        }
        // The sum of the values in their first order would depend on that order in its last digits.
        values.sort_unstable_by(f64::total_cmp);
        let at = |hundredths: usize| values[(values.len() * hundredths).div_ceil(100).max(1) - 1];
        Percentages {
            mean: values.iter().sum::<f64>() / values.len() as f64,
            p50: at(50),
            p95: at(95),
            max: at(100),
        }
    }
}

/// The value below which `percent` of sorted values lie (the nearest rank); NaN for none.
pub fn sorted_percentile(values: &[f64], percent: f64) -> f64 {
    let rank = (percent / 100.0 * values.len() as f64).ceil() as usize;
    values
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::rng::Rng;

    #[test]
    fn every_value_lies_in_its_bucket() {
        let mut rng = Rng::new(3);
        let mut values: Vec<u64> = (0..600).chain([u64::MAX, u64::MAX / 2, 1 << 40]).collect();
        values.extend((0..2000).map(|_| rng.next_u64() >> rng.below(64)));
        for value in values {
            let bucket = bucket_of(value);
            assert!(last_of(bucket) >= value, "{value}");
            assert!(bucket == 0 || last_of(bucket - 1) < value, "{value}");
            assert!(last_of(bucket) - value <= value / STEPS as u64, "{value}");
        }
    }

    #[test]
    fn quantiles_follow_the_sorted_list() {
        let mut histogram = Histogram::default();
        (1..=1000).rev().for_each(|value| histogram.record(value));
        assert_eq!(histogram.mean(), 500.5);
        assert_eq!(histogram.times(1.0).max, 1000.0);
        for (thousandths, exact) in [(500, 500), (990, 990), (999, 999), (1000, 1000)] {
            let found = histogram.quantile(thousandths);
            assert!((exact..=exact + exact / 128).contains(&found), "{found}");
        }
        assert_eq!(Histogram::default().times(1.0), Times::default());
    }

    #[test]
    fn percentages_of_short_lists_are_exact() {
        let found = Percentages::of(vec![4.0, 0.0, 2.0, 10.0]);
        assert_eq!(
            (found.mean, found.p50, found.p95, found.max),
            (4.0, 2.0, 10.0, 10.0)
        );
        assert_eq!(Percentages::of(Vec::new()), Percentages::default());
    }
}
