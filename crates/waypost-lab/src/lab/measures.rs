//! What can be read off records: of one problem, and of an algorithm over all its problems and maps.

use super::sample::{MapSample, Sample};
use super::trial::{Measured, ProblemRecord, RepeatsRecord};
use crate::refinement::percentile;
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
    /// Microseconds for the whole path in one call; for all moves where the algorithm has no such call.
    PathUs,
    /// Length over optimal length.
    LengthRatio,
    /// Nodes expanded.
    Expansions,
    /// Moves.
    Moves,
    /// States that A* expands for each move of the path.
    Difficulty,
    /// Frames over the least possible, 10 ms a frame for planning.
    #[serde(rename = "slowdown-10ms")]
    Slowdown10,
    /// With 2 ms.
    #[serde(rename = "slowdown-2ms")]
    Slowdown2,
    /// With 1 ms.
    #[serde(rename = "slowdown-1ms")]
    Slowdown1,
    /// Frames over those that walking alone takes along the same path, 10 ms a frame for planning.
    #[serde(rename = "delay-10ms")]
    Delay10,
    /// With 2 ms.
    #[serde(rename = "delay-2ms")]
    Delay2,
    /// With 1 ms.
    #[serde(rename = "delay-1ms")]
    Delay1,
}

impl PerProblem {
    /// Its value; `None` where it was not measured.
    pub fn of(self, problem: &ProblemRecord) -> Option<f64> {
        let counts = &problem.counts;
        let slowdown = |i: usize| problem.slowdowns.map(|slowdowns| slowdowns[i]);
        let delay = |i: usize| problem.delays.map(|delays| delays[i]);
        match self {
            PerProblem::QueryUs => Some(problem.times.cpu_ns as f64 / 1e3),
            PerProblem::QueryMs => Some(problem.times.cpu_ns as f64 / 1e6),
            PerProblem::PathUs => Some(path_ns(problem) / 1e3),
            PerProblem::LengthRatio => Some(length_ratio(problem)),
            PerProblem::Expansions => Some(counts.expansions as f64),
            PerProblem::Moves => Some(counts.moves as f64),
            PerProblem::Difficulty => Some(problem.difficulty),
            PerProblem::Slowdown10 => slowdown(0),
            PerProblem::Slowdown2 => slowdown(1),
            PerProblem::Slowdown1 => slowdown(2),
            PerProblem::Delay10 => delay(0),
            PerProblem::Delay2 => delay(1),
            PerProblem::Delay1 => delay(2),
        }
    }
}

/// The whole path in one call; all moves where the algorithm has no such call.
fn path_ns(problem: &ProblemRecord) -> f64 {
    problem.times.path_ns.unwrap_or(problem.times.cpu_ns) as f64
}

/// How many times as long as optimal; a problem without a move is solved perfectly. What was walked before a problem was
/// given up counts: the true ratio would be larger.
fn length_ratio(problem: &ProblemRecord) -> f64 {
    over_optimal(problem, problem.counts.length)
}

/// Was the goal reached by a path of at most so many times the optimal length?
fn within(problem: &ProblemRecord, times: f64) -> bool {
    problem.counts.solved && length_ratio(problem) <= times
}

fn over_optimal(problem: &ProblemRecord, length: f64) -> f64 {
    if problem.optimal == 0.0 {
        return 1.0;
    }
    length / problem.optimal
}

/// The mean of what several trials of each problem came to; `None` where there were none.
fn repeated(sample: &Sample, value: impl Fn(&ProblemRecord, &RepeatsRecord) -> f64) -> Option<f64> {
    let mean = sample.mean_over_problems(|problem| {
        let repeats = problem.repeats.as_ref();
        repeats.map_or(f64::NAN, |repeats| value(problem, repeats))
    });
    mean.is_finite().then_some(mean)
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
    /// The 95th percentile of the same.
    QueryP95Us,
    /// Microseconds for whole paths in one call, as AIIDE 2011 times its databases; for all moves where an algorithm has no such
    /// call: the mean.
    PathUs,
    /// Moves until arrival, those without a step included: goal achievement time in ticks of a game, the mean over problems.
    Ticks,
    /// Trials of a problem until its walk stays the same, or as many as there may be: the mean over problems.
    Trials,
    /// Percent of problems whose walk stayed the same in the end.
    Settled,
    /// Percent that the walks of the last trial are longer than optimal: the mean over problems.
    LastSuboptimality,
    /// The length of the walks of all trials over the optimal length: the mean over problems.
    TravelledRatio,
    /// Nodes expanded a move, averaged over problems.
    ExpansionsPerMove,
    /// Nodes expanded, or climbed over in tests of what can be reached, a move: averaged over problems.
    StatesPerMove,
    /// The same of the problem where it is largest.
    ExpansionsPerMoveMax,
    /// Looks into tables and databases a move, averaged over problems.
    LookUpsPerMove,
    /// Nodes expanded in a problem: the mean.
    Expansions,
    /// The 95th percentile of the same.
    ExpansionsP95,
    /// Operations of the costliest single move.
    OperationsMax,
    /// Steps onto cells stood on before: the mean over problems.
    Revisits,
    /// Strictly on-line memory in kilobytes (1,000 bytes), states of 4 bytes: the mean over problems.
    OnlineKb,
    /// The same in units of 1,024 bytes, as the papers print it.
    OnlineKib,
    /// What an agent holds, in kilobytes, without the search memory that agents of a thread share: the mean over problems.
    HeldKb,
    /// Bytes of the index in kilobytes: the mean over maps.
    DatabaseKb,
    /// Bytes of the index in megabytes (1,000 kilobytes): the mean over maps.
    DatabaseMb,
    /// The same as the papers count and print it: states stored, 4 bytes each, in units of 1,024 times 1,024 bytes.
    DatabaseStatesMib,
    /// Bytes of the index for each passable cell: the mean over maps.
    BytesPerCell,
    /// States stored over cells of the grid: the mean over maps.
    DatabaseRelative,
    /// On-line memory and index together in kilobytes.
    CumulativeKb,
    /// On-line memory and index together as the papers count and print both: states of 4 bytes, in units of 1,024 bytes.
    CumulativeStatesKib,
    /// Records of the index: the mean over maps.
    Records,
    /// Seconds to build the index: the mean over maps.
    BuildSeconds,
    /// Processor seconds to build the index, all threads together: the mean over maps.
    BuildCpuSeconds,
    /// The least number of agents that together take less memory than as many of another algorithm.
    BreakEven,
    /// The same with memory as the papers count it.
    BreakEvenStates,
    /// Records that a look-up of a path database compares, over random pairs of cells: on the map where that is most.
    RecordChecksMax,
    /// Pairs of cells over records: how much smaller than a full table, record for record.
    Compression,
    /// The same on the map where it is largest.
    CompressionMax,
    /// The 98th percentile of frames over the least possible, 10 ms a frame for planning.
    #[serde(rename = "slowdown-10ms-p98")]
    Slowdown10,
    /// With 2 ms.
    #[serde(rename = "slowdown-2ms-p98")]
    Slowdown2,
    /// With 1 ms.
    #[serde(rename = "slowdown-1ms-p98")]
    Slowdown1,
    /// The 98th percentile of frames over those that walking alone takes along the same path, 10 ms a frame for planning.
    #[serde(rename = "delay-10ms-p98")]
    Delay10,
    /// With 2 ms.
    #[serde(rename = "delay-2ms-p98")]
    Delay2,
    /// With 1 ms.
    #[serde(rename = "delay-1ms-p98")]
    Delay1,
}

const KB: f64 = 1000.0;
/// The kilobyte of the papers.
const KIB: f64 = 1024.0;

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
        let online_kib = |problem: &ProblemRecord| problem.counts.online_bytes as f64 / KIB;
        let value = match self {
            Aggregate::Suboptimality => sample.mean_over_problems(longer),
            Aggregate::SuboptimalityP50 => sample.percentile(50.0, longer),
            Aggregate::SuboptimalityP95 => sample.percentile(95.0, longer),
            Aggregate::SuboptimalityP99 => sample.tail(99.0, longer)?,
            Aggregate::SuboptimalityMax => sample.percentile(100.0, longer),
            Aggregate::LengthRatio => sample.mean_over_problems(length_ratio),
            Aggregate::Within1Percent => sample.share(|p| within(p, 1.01)),
            Aggregate::WithinHalfPercent => sample.share(|p| within(p, 1.005)),
            Aggregate::Within10Percent => sample.share(|p| within(p, 1.1)),
            Aggregate::Solved => sample.share(|p| p.counts.solved),
            Aggregate::MoveUs => {
                sample.mean_over_problems(|p| per_move(p, p.times.cpu_ns as f64 / 1e3))
            }
            Aggregate::MoveP999Us => {
                let moves = sample.moves();
                has_tail(99.9, moves.total()).then(|| moves.quantile(999) as f64 / 1e3)?
            }
            Aggregate::MoveMaxUs => sample.moves().quantile(1000) as f64 / 1e3,
            Aggregate::FirstMoveUs => {
                sample.mean_over_problems(|p| p.times.first_move_ns as f64 / 1e3)
            }
            Aggregate::FirstMoveP99Us => {
                sample.tail(99.0, |p| p.times.first_move_ns as f64 / 1e3)?
            }
            Aggregate::QueryUs => sample.mean_over_problems(|p| p.times.cpu_ns as f64 / 1e3),
            Aggregate::PathUs => sample.mean_over_problems(|p| path_ns(p) / 1e3),
            Aggregate::ExpansionsPerMove => {
                sample.mean_over_problems(|p| per_move(p, p.counts.expansions as f64))
            }
            Aggregate::ExpansionsPerMoveMax => {
                sample.percentile(100.0, |p| per_move(p, p.counts.expansions as f64))
            }
            Aggregate::Trials => repeated(sample, |_, r| f64::from(r.trials))?,
            Aggregate::Settled => repeated(sample, |_, r| f64::from(u8::from(r.settled)) * 100.0)?,
            Aggregate::LastSuboptimality => {
                repeated(sample, |p, r| (over_optimal(p, r.last) - 1.0) * 100.0)?
            }
            Aggregate::TravelledRatio => repeated(sample, |p, r| over_optimal(p, r.travelled))?,
            Aggregate::Ticks => sample.mean_over_problems(|p| p.counts.moves as f64),
            Aggregate::LookUpsPerMove => {
                sample.mean_over_problems(|p| per_move(p, p.counts.look_ups as f64))
            }
            Aggregate::QueryP95Us => sample.percentile(95.0, |p| p.times.cpu_ns as f64 / 1e3),
            Aggregate::StatesPerMove => sample.mean_over_problems(|p| {
                per_move(p, (p.counts.expansions + p.counts.climb_steps) as f64)
            }),
            Aggregate::Expansions => sample.mean_over_problems(|p| p.counts.expansions as f64),
            Aggregate::ExpansionsP95 => sample.percentile(95.0, |p| p.counts.expansions as f64),
            Aggregate::OperationsMax => {
                sample.percentile(100.0, |p| p.counts.operations_max as f64)
            }
            Aggregate::Revisits => sample.mean_over_problems(|p| p.counts.revisits as f64),
            Aggregate::OnlineKb => sample.mean_over_problems(online),
            Aggregate::OnlineKib => sample.mean_over_problems(online_kib),
            Aggregate::HeldKb => sample.mean_over_problems(|p| p.counts.held_bytes as f64 / KB),
            Aggregate::DatabaseStatesMib => states_kib(sample) / KIB,
            Aggregate::CumulativeStatesKib => {
                sample.mean_over_problems(online_kib) + states_kib(sample)
            }
            Aggregate::BreakEvenStates => {
                let other = against?.mean_over_problems(online_kib);
                let own = sample.mean_over_problems(online_kib);
                break_even(states_kib(sample), own, other)?
            }
            Aggregate::RecordChecksMax => {
                let of = |map: &MapSample| map.measured.index.checks.unwrap_or(f64::NAN);
                sample.maps.iter().map(of).fold(f64::NAN, f64::max)
            }
            Aggregate::CompressionMax => {
                let of = |map: &MapSample| compression(map.cells, map.measured);
                sample.maps.iter().map(of).fold(f64::NAN, f64::max)
            }
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
            Aggregate::Compression => sample.mean_over_maps(compression),
            Aggregate::Slowdown10 => p98(sample, PerProblem::Slowdown10)?,
            Aggregate::Slowdown2 => p98(sample, PerProblem::Slowdown2)?,
            Aggregate::Slowdown1 => p98(sample, PerProblem::Slowdown1)?,
            Aggregate::Delay10 => p98(sample, PerProblem::Delay10)?,
            Aggregate::Delay2 => p98(sample, PerProblem::Delay2)?,
            Aggregate::Delay1 => p98(sample, PerProblem::Delay1)?,
        };
        value.is_finite().then_some(value)
    }

    /// Is its value a lower bound because walks were given up? Those walked the farthest, so percentiles below their share
    /// are exact. What is counted a move is counted over the moves that were made, and is no bound.
    pub fn is_lower_bound(self, sample: &Sample) -> bool {
        let given_up = sample.share(|problem| !problem.counts.solved);
        match self {
            Aggregate::Suboptimality
            | Aggregate::SuboptimalityMax
            | Aggregate::LengthRatio
            | Aggregate::QueryUs
            | Aggregate::PathUs
            | Aggregate::Ticks
            | Aggregate::Trials
            | Aggregate::LastSuboptimality
            | Aggregate::TravelledRatio
            | Aggregate::Expansions
            | Aggregate::OperationsMax
            | Aggregate::Revisits
            | Aggregate::OnlineKb
            | Aggregate::OnlineKib
            | Aggregate::HeldKb
            | Aggregate::CumulativeKb
            | Aggregate::CumulativeStatesKib
            | Aggregate::BreakEven
            | Aggregate::BreakEvenStates => given_up > 0.0,
            Aggregate::SuboptimalityP50 => given_up > 50.0,
            Aggregate::SuboptimalityP95 | Aggregate::QueryP95Us | Aggregate::ExpansionsP95 => {
                given_up > 5.0
            }
            Aggregate::SuboptimalityP99 => given_up > 1.0,
            _ => false,
        }
    }

    /// Does it depend on which problems were drawn? What is measured once for a map, or kept for all moves together, does not,
    /// or cannot be drawn again. Nor can the largest of a sample: no draw has a larger one.
    pub fn varies_with_problems(self) -> bool {
        !matches!(
            self,
            Aggregate::SuboptimalityMax
                | Aggregate::ExpansionsPerMoveMax
                | Aggregate::OperationsMax
                | Aggregate::MoveP999Us
                | Aggregate::MoveMaxUs
                | Aggregate::DatabaseKb
                | Aggregate::DatabaseMb
                | Aggregate::DatabaseStatesMib
                | Aggregate::CompressionMax
                | Aggregate::RecordChecksMax
                | Aggregate::BytesPerCell
                | Aggregate::DatabaseRelative
                | Aggregate::Records
                | Aggregate::BuildSeconds
                | Aggregate::BuildCpuSeconds
                | Aggregate::Compression
        )
    }

    /// Is it a time? Times of one run wander by more than drawing its problems again shows.
    pub fn is_time(self) -> bool {
        matches!(
            self,
            Aggregate::MoveUs
                | Aggregate::MoveP999Us
                | Aggregate::MoveMaxUs
                | Aggregate::FirstMoveUs
                | Aggregate::FirstMoveP99Us
                | Aggregate::QueryUs
                | Aggregate::QueryP95Us
                | Aggregate::PathUs
                | Aggregate::BuildSeconds
                | Aggregate::BuildCpuSeconds
        )
    }

    /// Is it counted a move? Then walks that were given up speak for themselves alone: for moves in circles, and for no arrival.
    pub fn is_per_move(self) -> bool {
        matches!(
            self,
            Aggregate::MoveUs
                | Aggregate::MoveP999Us
                | Aggregate::MoveMaxUs
                | Aggregate::ExpansionsPerMove
                | Aggregate::ExpansionsPerMoveMax
                | Aggregate::StatesPerMove
                | Aggregate::LookUpsPerMove
        )
    }

    /// Is it a mean over problems? Then two algorithms can be compared problem by problem as well.
    pub fn is_mean_over_problems(self) -> bool {
        matches!(
            self,
            Aggregate::Suboptimality
                | Aggregate::LengthRatio
                | Aggregate::MoveUs
                | Aggregate::FirstMoveUs
                | Aggregate::QueryUs
                | Aggregate::PathUs
                | Aggregate::Ticks
                | Aggregate::Trials
                | Aggregate::LastSuboptimality
                | Aggregate::TravelledRatio
                | Aggregate::ExpansionsPerMove
                | Aggregate::StatesPerMove
                | Aggregate::LookUpsPerMove
                | Aggregate::Expansions
                | Aggregate::Revisits
                | Aggregate::OnlineKb
                | Aggregate::OnlineKib
                | Aggregate::HeldKb
        )
    }

    /// Its unit, to stand behind a number; empty for plain counts and ratios.
    pub fn unit(self) -> &'static str {
        match self {
            Aggregate::Suboptimality
            | Aggregate::SuboptimalityP50
            | Aggregate::SuboptimalityP95
            | Aggregate::SuboptimalityP99
            | Aggregate::SuboptimalityMax
            | Aggregate::Within1Percent
            | Aggregate::WithinHalfPercent
            | Aggregate::Within10Percent
            | Aggregate::Settled
            | Aggregate::LastSuboptimality
            | Aggregate::Solved => "%",
            Aggregate::MoveUs | Aggregate::MoveP999Us | Aggregate::MoveMaxUs => "µs a move",
            Aggregate::FirstMoveUs | Aggregate::FirstMoveP99Us => "µs for the first move",
            Aggregate::QueryUs | Aggregate::QueryP95Us | Aggregate::PathUs => "µs a path",
            Aggregate::ExpansionsPerMove | Aggregate::ExpansionsPerMoveMax => "expansions a move",
            Aggregate::LookUpsPerMove => "looks a move",
            Aggregate::RecordChecksMax => "records a look-up",
            Aggregate::Ticks => "ticks",
            Aggregate::Trials => "trials",
            Aggregate::StatesPerMove => "states a move",
            Aggregate::Expansions | Aggregate::ExpansionsP95 => "expansions a path",
            Aggregate::OperationsMax => "operations in a move",
            Aggregate::Revisits => "revisits a path",
            Aggregate::OnlineKb
            | Aggregate::HeldKb
            | Aggregate::DatabaseKb
            | Aggregate::CumulativeKb => "kB",
            Aggregate::OnlineKib | Aggregate::CumulativeStatesKib => "KiB",
            Aggregate::DatabaseMb => "MB",
            Aggregate::DatabaseStatesMib => "MiB",
            Aggregate::BytesPerCell => "bytes a cell",
            Aggregate::DatabaseRelative => "map sizes",
            Aggregate::Records => "records",
            Aggregate::BuildSeconds => "s",
            Aggregate::BuildCpuSeconds => "CPU s",
            Aggregate::BreakEven | Aggregate::BreakEvenStates => "agents",
            Aggregate::Compression | Aggregate::CompressionMax => "pairs a record",
            Aggregate::LengthRatio | Aggregate::TravelledRatio => "times optimal",
            Aggregate::Slowdown10 | Aggregate::Slowdown2 | Aggregate::Slowdown1 => {
                "times the least frames"
            }
            Aggregate::Delay10 | Aggregate::Delay2 | Aggregate::Delay1 => {
                "times the frames without thought"
            }
        }
    }
}

/// Pairs of cells over records. Without records this is no number, and shown as none.
fn compression(cells: u64, map: &Measured) -> f64 {
    (cells as f64).powi(2) / map.index.records as f64
}

/// States stored in the index, 4 bytes each, in the papers' kilobytes.
fn states_kib(sample: &Sample) -> f64 {
    sample.mean_over_maps(|_, map| (map.index.states * 4) as f64 / KIB)
}

fn p98(sample: &Sample, measure: PerProblem) -> Option<f64> {
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
                path_ns: None,
            },
            ..ProblemRecord::default()
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
        let least = |min_length| Sample {
            maps: vec![
                MapSample::new(100, &first, min_length),
                MapSample::new(50, &second, min_length),
            ],
        };
        let sample = least(0.0);
        let of = |measure: Aggregate| measure.of(&sample, None).expect("measured");
        assert!((of(Aggregate::Suboptimality) - 110.0 / 3.0).abs() < 1e-9);
        assert!((of(Aggregate::MoveUs) - (1.0 + 3.0 + 0.0) / 3.0).abs() < 1e-9);
        assert_eq!(of(Aggregate::SuboptimalityMax), 100.0);
        assert_eq!(of(Aggregate::DatabaseKb), 2.0);
        assert_eq!(of(Aggregate::CumulativeKb), 4.0);
        assert_eq!(of(Aggregate::Compression), (1000.0 + 250.0) / 2.0);
        assert!(Aggregate::Slowdown1.of(&sample, None).is_none());
        assert_eq!(Aggregate::Suboptimality.of(&least(25.0), None), Some(100.0));
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
