//! What an algorithm did over problems and maps, and what it would have done over other problems of the same kind.
//!
//! A mean over some hundreds of problems may be made by three of them. So claims about means are judged by an interval: the
//! problems of each map are drawn again from themselves, with replacement, [`DRAWS`] times, both sides of a comparison on the
//! same draws (a paired bootstrap). Where an algorithm ran with several seeds of records, its seeds are drawn again as well.
//! The draws are a function of their number alone. Maps are not drawn: an interval says nothing about other maps.

use super::trial::{Measured, ProblemRecord};
use crate::refinement::percentile;
use crate::stats::{Histogram, sorted_percentile};
use crate::table::has_tail;
use waypost::rng::Rng;

/// How often problems are drawn again.
pub const DRAWS: u64 = 1000;
/// Of a hundred draws, so many lie inside an interval.
pub const CONFIDENCE_PERCENT: f64 = 95.0;
/// Set apart from the seeds of maps, problems and records.
const STREAM: u64 = 0x6472_6177_6e20_6167;

/// What an algorithm did on all maps.
#[derive(Clone, Debug, Default)]
pub struct Sample<'a> {
    /// Map by map.
    pub maps: Vec<MapSample<'a>>,
}

/// What an algorithm did on one map.
#[derive(Clone, Debug)]
pub struct MapSample<'a> {
    /// Passable cells.
    pub cells: u64,
    /// What was measured once for all problems.
    pub measured: &'a Measured,
    /// The problems that count, those of each seed of records after those of the one before.
    pub problems: Vec<&'a ProblemRecord>,
}

impl<'a> MapSample<'a> {
    /// The problems that are at least so long.
    pub fn new(cells: u64, measured: &'a Measured, min_length: f64) -> MapSample<'a> {
        let long = |problem: &&ProblemRecord| problem.optimal >= min_length;
        MapSample {
            cells,
            measured,
            problems: measured.problems.iter().filter(long).collect(),
        }
    }

    /// Problems of one seed of records.
    fn problems_of_a_seed(&self) -> usize {
        self.problems.len() / self.measured.seeds()
    }

    fn drawn(&self, problems: &[u32], seeds: &mut Rng) -> MapSample<'a> {
        let each = self.problems_of_a_seed();
        let count = self.measured.seeds() as u32;
        let mut drawn = Vec::with_capacity(self.problems.len());
        for _ in 0..count {
            let first = seeds.below(count) as usize * each;
            drawn.extend(problems.iter().map(|&i| self.problems[first + i as usize]));
        }
        MapSample {
            problems: drawn,
            ..*self
        }
    }
}

impl<'a> Sample<'a> {
    /// All problems of all maps.
    pub fn problems(&self) -> impl Iterator<Item = &'a ProblemRecord> {
        self.maps
            .iter()
            .flat_map(|map| map.problems.iter().copied())
    }

    /// Problem by problem: each with the walks of all seeds of records.
    pub fn each_problem(&self) -> impl Iterator<Item = Sample<'a>> {
        self.maps.iter().flat_map(|map| {
            let each = map.problems_of_a_seed();
            (0..each).map(move |i| Sample {
                maps: vec![MapSample {
                    problems: map.problems.iter().skip(i).step_by(each).copied().collect(),
                    ..*map
                }],
            })
        })
    }

    /// Walks that were given up.
    pub fn given_up(&self) -> usize {
        self.problems().filter(|p| !p.counts.solved).count()
    }

    /// The mean over problems.
    pub fn mean_over_problems(&self, of: impl Fn(&ProblemRecord) -> f64) -> f64 {
        mean(self.problems().map(of))
    }

    /// A percentile over problems.
    pub fn percentile(&self, percent: f64, of: impl Fn(&ProblemRecord) -> f64) -> f64 {
        percentile(self.problems().map(of).collect(), percent)
    }

    /// A percentile where enough problems lie beyond it.
    pub fn tail(&self, percent: f64, of: impl Fn(&ProblemRecord) -> f64) -> Option<f64> {
        let problems = self.problems().count() as u64;
        has_tail(percent, problems).then(|| self.percentile(percent, of))
    }

    /// Of a hundred problems, how many are like this.
    pub fn share(&self, is: impl Fn(&ProblemRecord) -> bool) -> f64 {
        self.mean_over_problems(|problem| if is(problem) { 100.0 } else { 0.0 })
    }

    /// The mean over maps.
    pub fn mean_over_maps(&self, of: impl Fn(u64, &Measured) -> f64) -> f64 {
        mean(self.maps.iter().map(|map| of(map.cells, map.measured)))
    }

    /// The times of all single moves.
    pub fn moves(&self) -> Histogram {
        let mut all = Histogram::default();
        for map in &self.maps {
            all.add_sparse(&map.measured.move_histogram);
        }
        all
    }

    /// Draw number `draw` of the problems. The same number draws the same problems for every algorithm; `side` sets the draws
    /// of seeds apart.
    pub fn drawn(&self, draw: u64, side: u64) -> Sample<'a> {
        let mut problems = Rng::for_item(STREAM, draw);
        let mut seeds = Rng::for_item(STREAM + 1 + side, draw);
        let maps = self.maps.iter().map(|map| {
            let count = map.problems_of_a_seed() as u32;
            let drawn: Vec<u32> = (0..count).map(|_| problems.below(count)).collect();
            map.drawn(&drawn, &mut seeds)
        });
        Sample {
            maps: maps.collect(),
        }
    }
}

/// The interval in which [`CONFIDENCE_PERCENT`] of the draws lie; `None` where a draw has no value.
pub fn interval(of_draw: impl Fn(u64) -> Option<f64>) -> Option<(f64, f64)> {
    let values: Option<Vec<f64>> = (0..DRAWS).map(of_draw).collect();
    let mut values = values?;
    values.sort_by(f64::total_cmp);
    let outside = (100.0 - CONFIDENCE_PERCENT) / 2.0;
    let at = |percent| sorted_percentile(&values, percent);
    Some((at(outside), at(100.0 - outside)))
}

/// The mean; no number for none.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    if count == 0 {
        f64::NAN
    } else {
        sum / count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::trial::Counts;

    fn measured(lengths: &[f64], seeds: usize) -> Measured {
        let problem = |&length: &f64| ProblemRecord {
            optimal: 10.0,
            counts: Counts {
                solved: true,
                length,
                ..Counts::default()
            },
            ..ProblemRecord::default()
        };
        Measured {
            problems: lengths.iter().map(problem).collect(),
            record_seeds: seeds,
            ..Measured::default()
        }
    }

    fn sample(measured: &Measured) -> Sample<'_> {
        Sample {
            maps: vec![MapSample::new(1, measured, 0.0)],
        }
    }

    #[test]
    fn draws_are_paired_and_repeatable() {
        let lengths: Vec<f64> = (0..50).map(f64::from).collect();
        let (left, right) = (measured(&lengths, 1), measured(&lengths, 1));
        for draw in [0, 7, 999] {
            let of = |m: &Measured, side| -> Vec<f64> {
                let drawn = sample(m).drawn(draw, side);
                drawn.problems().map(|p| p.counts.length).collect()
            };
            assert_eq!(of(&left, 0), of(&right, 1), "the same problems");
            assert_ne!(of(&left, 0), lengths, "drawn again");
        }
    }

    #[test]
    fn an_interval_holds_the_mean_and_shrinks_with_more_problems() {
        let of = |count: usize| {
            let lengths: Vec<f64> = (0..count).map(|i| (i % 10) as f64).collect();
            let measured = measured(&lengths, 1);
            let sample = sample(&measured);
            let value = |draw| {
                let drawn = sample.drawn(draw, 0);
                Some(drawn.mean_over_problems(|p| p.counts.length))
            };
            interval(value).expect("every draw has a mean")
        };
        let (few, many) = (of(20), of(2000));
        assert!(few.0 < 4.5 && 4.5 < few.1, "{few:?}");
        assert!(many.0 < 4.5 && 4.5 < many.1, "{many:?}");
        // A hundred times the problems, a tenth of the width.
        let ratio = (few.1 - few.0) / (many.1 - many.0);
        assert!((7.0..14.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn seeds_of_records_are_drawn_too() {
        // All of the first seed's problems are bad, all of the second's good.
        let lengths: Vec<f64> = (0..40).map(|i| if i < 20 { 100.0 } else { 10.0 }).collect();
        let measured = measured(&lengths, 2);
        let sample = sample(&measured);
        let value = |draw| {
            let drawn = sample.drawn(draw, 0);
            assert_eq!(drawn.problems().count(), 40);
            Some(drawn.mean_over_problems(|p| p.counts.length))
        };
        assert_eq!(interval(value), Some((10.0, 100.0)));
    }
}
