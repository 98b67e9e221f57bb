//! What can be read off records: of one problem, and of an algorithm over all its problems and maps.

use super::trial::{Measured, ProblemRecord};
use crate::refinement::percentile;
use crate::stats::Histogram;
use crate::table::has_tail;
use serde::Deserialize;

/// A number of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PerProblem {
    /// Microseconds for the whole path.
    QueryUs,
    /// Milliseconds for the whole path.
    QueryMs,
    /// Length over optimal length.
    LengthRatio,
    /// Nodes expanded.
    Expansions,
    /// Moves.
    Moves,
    /// Frames over the least possible, 10 ms a frame for planning.
    #[serde(rename = "slowdown-10ms")]
    Slowdown10,
    /// With 2 ms.
    #[serde(rename = "slowdown-2ms")]
    Slowdown2,
    /// With 1 ms.
    #[serde(rename = "slowdown-1ms")]
    Slowdown1,
}

impl PerProblem {
    /// Its value; `None` where it was not measured.
    pub fn of(self, problem: &ProblemRecord) -> Option<f64> {
        let counts = &problem.counts;
        let slowdown = |i: usize| problem.slowdowns.map(|slowdowns| slowdowns[i]);
        match self {
            PerProblem::QueryUs => Some(problem.times.cpu_ns as f64 / 1e3),
            PerProblem::QueryMs => Some(problem.times.cpu_ns as f64 / 1e6),
            PerProblem::LengthRatio => Some(length_ratio(problem)),
            PerProblem::Expansions => Some(counts.expansions as f64),
            PerProblem::Moves => Some(counts.moves as f64),
            PerProblem::Slowdown10 => slowdown(0),
            PerProblem::Slowdown2 => slowdown(1),
            PerProblem::Slowdown1 => slowdown(2),
        }
    }
}

/// How many times as long as optimal; a problem without a move is solved perfectly. What was walked before a problem was
/// given up counts: the true ratio would be larger.
fn length_ratio(problem: &ProblemRecord) -> f64 {
    if problem.optimal == 0.0 {
        return 1.0;
    }
    problem.counts.length / problem.optimal
}

/// A number of an algorithm over all its problems and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// Percent that paths are longer than optimal: the mean over problems.
    Suboptimality,
    /// The median.
    SuboptimalityP50,
    /// The 95th percentile.
    SuboptimalityP95,
    /// The 99th percentile.
    SuboptimalityP99,
    /// The worst.
    SuboptimalityMax,
    /// Mean length over optimal length.
    LengthRatio,
    /// Percent of problems with a path at most 1% longer than optimal.
    #[serde(rename = "within-1-percent")]
    Within1Percent,
    /// Percent of problems with a path at most 0.5% longer than optimal.
    #[serde(rename = "within-half-percent")]
    WithinHalfPercent,
    /// Percent of problems with a path at most 10% longer than optimal.
    #[serde(rename = "within-10-percent")]
    Within10Percent,
    /// Percent of problems whose goal was reached.
    Solved,
    /// Microseconds a move: a problem's time over its moves, averaged over problems as in the papers.
    MoveUs,
    /// 999 in 1000 single moves take at most so many microseconds.
    MoveP999Us,
    /// The longest single move in microseconds.
    MoveMaxUs,
    /// Microseconds for the first move: the mean.
    FirstMoveUs,
    /// The 99th percentile of the same.
    FirstMoveP99Us,
    /// Microseconds for whole paths: the mean.
    QueryUs,
    /// Nodes expanded a move, averaged over problems.
    ExpansionsPerMove,
    /// Nodes expanded, or climbed over in tests of what can be reached, a move: averaged over problems.
    StatesPerMove,
    /// Nodes expanded in a problem: the mean.
    Expansions,
    /// Operations of the costliest single move.
    OperationsMax,
    /// Steps onto cells stood on before: the mean over problems.
    Revisits,
    /// Strictly on-line memory in kilobytes (1,000 bytes): the mean over problems.
    OnlineKb,
    /// Bytes of the index in kilobytes: the mean over maps.
    DatabaseKb,
    /// Bytes of the index in megabytes (1,000 kilobytes): the mean over maps.
    DatabaseMb,
    /// Bytes of the index for each passable cell: the mean over maps.
    BytesPerCell,
    /// States stored over cells of the grid: the mean over maps.
    DatabaseRelative,
    /// On-line memory and index together in kilobytes.
    CumulativeKb,
    /// Records of the index: the mean over maps.
    Records,
    /// Seconds to build the index: the mean over maps.
    BuildSeconds,
    /// Processor seconds to build the index, all threads together: the mean over maps.
    BuildCpuSeconds,
    /// The least number of agents that together take less memory than as many of another algorithm.
    BreakEven,
    /// Pairs of cells over records: how much smaller than a full table, record for record.
    Compression,
    /// The 98th percentile of frames over the least possible, 10 ms a frame for planning.
    #[serde(rename = "slowdown-10ms-p98")]
    Slowdown10,
    /// With 2 ms.
    #[serde(rename = "slowdown-2ms-p98")]
    Slowdown2,
    /// With 1 ms.
    #[serde(rename = "slowdown-1ms-p98")]
    Slowdown1,
}

/// What an algorithm did on all maps, and on how many cells each.
#[derive(Clone, Debug, Default)]
pub struct Sample<'a> {
    /// Passable cells and what was measured, map by map.
    pub maps: Vec<(u64, &'a Measured)>,
    /// Leave out problems that are shorter.
    pub min_length: f64,
}

impl Sample<'_> {
    fn problems(&self) -> impl Iterator<Item = &ProblemRecord> {
        let problems = self.maps.iter().flat_map(|(_, map)| &map.problems);
        problems.filter(|problem| problem.optimal >= self.min_length)
    }

    /// Was every problem solved? Where not, lengths are lower bounds.
    pub fn all_solved(&self) -> bool {
        self.problems().all(|problem| problem.counts.solved)
    }

    fn mean_over_problems(&self, of: impl Fn(&ProblemRecord) -> f64) -> f64 {
        mean(self.problems().map(of))
    }

    /// A percentile where enough problems lie beyond it.
    fn tail(&self, percent: f64, value: impl Fn(&ProblemRecord) -> f64) -> Option<f64> {
        let problems = self.problems().count() as u64;
        has_tail(percent, problems).then(|| self.percentile(percent, value))
    }

    fn percentile(&self, percent: f64, of: impl Fn(&ProblemRecord) -> f64) -> f64 {
        percentile(self.problems().map(of).collect(), percent)
    }

    fn share(&self, is: impl Fn(&ProblemRecord) -> bool) -> f64 {
        self.mean_over_problems(|problem| if is(problem) { 100.0 } else { 0.0 })
    }

    fn mean_over_maps(&self, of: impl Fn(u64, &Measured) -> f64) -> f64 {
        mean(self.maps.iter().map(|(cells, map)| of(*cells, map)))
    }

    fn moves(&self) -> Histogram {
        let mut all = Histogram::default();
        for (_, map) in &self.maps {
            all.add_sparse(&map.move_histogram);
        }
        all
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    if count == 0 {
        f64::NAN
    } else {
        sum / count as f64
    }
}

const KB: f64 = 1000.0;

impl Aggregate {
    /// Its value over a sample; `None` where nothing of the kind was measured. `against` is for [`Aggregate::BreakEven`].
    pub fn of(self, sample: &Sample, against: Option<&Sample>) -> Option<f64> {
        if sample.maps.is_empty() {
            return None;
        }
        let longer = |problem: &ProblemRecord| (length_ratio(problem) - 1.0) * 100.0;
        let per_move =
            |problem: &ProblemRecord, value: f64| value / problem.counts.moves.max(1) as f64;
        let online = |problem: &ProblemRecord| problem.counts.online_bytes as f64 / KB;
        let value = match self {
            Aggregate::Suboptimality => sample.mean_over_problems(longer),
            Aggregate::SuboptimalityP50 => sample.percentile(50.0, longer),
            Aggregate::SuboptimalityP95 => sample.percentile(95.0, longer),
            Aggregate::SuboptimalityP99 => sample.tail(99.0, longer)?,
            Aggregate::SuboptimalityMax => sample.percentile(100.0, longer),
            Aggregate::LengthRatio => sample.mean_over_problems(length_ratio),
            Aggregate::Within1Percent => sample.share(|p| length_ratio(p) <= 1.01),
            Aggregate::WithinHalfPercent => sample.share(|p| length_ratio(p) <= 1.005),
            Aggregate::Within10Percent => sample.share(|p| length_ratio(p) <= 1.1),
            Aggregate::Solved => sample.share(|p| p.counts.solved),
            Aggregate::MoveUs => {
                sample.mean_over_problems(|p| per_move(p, p.times.cpu_ns as f64 / 1e3))
            }
            Aggregate::MoveP999Us => sample.moves().quantile(999) as f64 / 1e3,
            Aggregate::MoveMaxUs => sample.moves().quantile(1000) as f64 / 1e3,
            Aggregate::FirstMoveUs => {
                sample.mean_over_problems(|p| p.times.first_move_ns as f64 / 1e3)
            }
            Aggregate::FirstMoveP99Us => {
                sample.tail(99.0, |p| p.times.first_move_ns as f64 / 1e3)?
            }
            Aggregate::QueryUs => sample.mean_over_problems(|p| p.times.cpu_ns as f64 / 1e3),
            Aggregate::ExpansionsPerMove => {
                sample.mean_over_problems(|p| per_move(p, p.counts.expansions as f64))
            }
            Aggregate::StatesPerMove => sample.mean_over_problems(|p| {
                per_move(p, (p.counts.expansions + p.counts.climb_steps) as f64)
            }),
            Aggregate::Expansions => sample.mean_over_problems(|p| p.counts.expansions as f64),
            Aggregate::OperationsMax => {
                sample.percentile(100.0, |p| p.counts.operations_max as f64)
            }
            Aggregate::Revisits => sample.mean_over_problems(|p| p.counts.revisits as f64),
            Aggregate::OnlineKb => sample.mean_over_problems(online),
            Aggregate::DatabaseKb => sample.mean_over_maps(|_, map| map.index.bytes as f64 / KB),
            Aggregate::DatabaseMb => {
                sample.mean_over_maps(|_, map| map.index.bytes as f64 / (KB * KB))
            }
            Aggregate::BytesPerCell => {
                sample.mean_over_maps(|cells, map| map.index.bytes as f64 / cells.max(1) as f64)
            }
            Aggregate::DatabaseRelative => sample.mean_over_maps(|_, map| {
                map.index.states as f64 / map.index.grid_cells.max(1) as f64
            }),
            Aggregate::CumulativeKb => {
                sample.mean_over_problems(online)
                    + sample.mean_over_maps(|_, map| map.index.bytes as f64 / KB)
            }
            Aggregate::Records => sample.mean_over_maps(|_, map| map.index.records as f64),
            Aggregate::BuildSeconds => sample.mean_over_maps(|_, map| map.index.build_seconds),
            Aggregate::BuildCpuSeconds => {
                sample.mean_over_maps(|_, map| map.index.build_cpu_seconds)
            }
            Aggregate::BreakEven => {
                let other = against?.mean_over_problems(online);
                let database = sample.mean_over_maps(|_, map| map.index.bytes as f64 / KB);
                break_even(database, sample.mean_over_problems(online), other)?
            }
            Aggregate::Compression => sample.mean_over_maps(|cells, map| {
                // Without records this is no number, and shown as none.
                (cells as f64).powi(2) / map.index.records as f64
            }),
            Aggregate::Slowdown10 => slowdown(sample, PerProblem::Slowdown10)?,
            Aggregate::Slowdown2 => slowdown(sample, PerProblem::Slowdown2)?,
            Aggregate::Slowdown1 => slowdown(sample, PerProblem::Slowdown1)?,
        };
        value.is_finite().then_some(value)
    }

    /// Is its value a lower bound because problems were given up? Those walked the farthest, so percentiles below their share
    /// are exact.
    pub fn is_lower_bound(self, sample: &Sample) -> bool {
        let given_up = sample.share(|problem| !problem.counts.solved);
        match self {
            Aggregate::Suboptimality | Aggregate::SuboptimalityMax | Aggregate::LengthRatio => {
                given_up > 0.0
            }
            Aggregate::SuboptimalityP50 => given_up > 50.0,
            Aggregate::SuboptimalityP95 => given_up > 5.0,
            Aggregate::SuboptimalityP99 => given_up > 1.0,
            _ => false,
        }
    }
}

fn slowdown(sample: &Sample, measure: PerProblem) -> Option<f64> {
    let values: Option<Vec<f64>> = sample.problems().map(|p| measure.of(p)).collect();
    Some(percentile(values?, 98.0))
}

/// The least number of agents whose memory, the shared database included, is less than that of as many others.
fn break_even(database: f64, each: f64, other_each: f64) -> Option<f64> {
    let saved = other_each - each;
    (saved > 0.0).then(|| (database / saved).floor() + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::trial::{Counts, IndexRecord, Times};

    fn problem(optimal: f64, length: f64, moves: u64, cpu_ns: u64) -> ProblemRecord {
        ProblemRecord {
            optimal,
            counts: Counts {
                solved: true,
                length,
                moves,
                online_bytes: 2000,
                ..Counts::default()
            },
            times: Times {
                cpu_ns,
                first_move_ns: 500,
            },
            slowdowns: None,
        }
    }

    #[test]
    fn means_are_over_problems_or_maps() {
        let map = |problems, bytes| Measured {
            problems,
            index: IndexRecord {
                bytes,
                records: 10,
                ..IndexRecord::default()
            },
            ..Measured::default()
        };
        let first = map(
            vec![
                problem(10.0, 11.0, 10, 10_000),
                problem(20.0, 20.0, 20, 60_000),
            ],
            1000,
        );
        let second = map(vec![problem(30.0, 60.0, 60, 0)], 3 * 1000);
        let sample = Sample {
            maps: vec![(100, &first), (50, &second)],
            min_length: 0.0,
        };
        let of = |measure: Aggregate| measure.of(&sample, None).expect("measured");
        assert!((of(Aggregate::Suboptimality) - 110.0 / 3.0).abs() < 1e-9);
        assert!((of(Aggregate::MoveUs) - (1.0 + 3.0 + 0.0) / 3.0).abs() < 1e-9);
        assert_eq!(of(Aggregate::SuboptimalityMax), 100.0);
        assert_eq!(of(Aggregate::DatabaseKb), 2.0);
        assert_eq!(of(Aggregate::CumulativeKb), 4.0);
        assert_eq!(of(Aggregate::Compression), (1000.0 + 250.0) / 2.0);
        assert!(Aggregate::Slowdown1.of(&sample, None).is_none());
        let long = Sample {
            min_length: 25.0,
            ..sample
        };
        assert_eq!(Aggregate::Suboptimality.of(&long, None), Some(100.0));
        assert!(Aggregate::Solved.of(&Sample::default(), None).is_none());
    }

    #[test]
    fn break_even_points_are_the_papers() {
        // Table 5 of JAIR 2010 gives table 6.
        assert_eq!(break_even(265.65 - 8.62, 8.62, 1353.94), Some(1.0));
        assert_eq!(break_even(1547.85 - 4.23, 4.23, 1353.94), Some(2.0));
        assert_eq!(break_even(87456.35 - 3.04, 3.04, 1353.94), Some(65.0));
        assert_eq!(break_even(87019.74 - 18.76, 18.76, 1353.94), Some(66.0));
        assert_eq!(break_even(1.0, 5.0, 4.0), None);
    }
}
