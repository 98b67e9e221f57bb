//! Trials: one algorithm on all problems of one map.
//!
//! A trial's key is a hash of everything that its counts depend on: map, rules, problems, spec, limits and what is measured.
//! The name under which a suite lists the algorithm is not part of it, nor is the commit: a record says with which commit
//! it was made, and reports list them.

use super::suite::{Algorithm, Limits, Measuring, Suite};
use super::whole_path::WholePaths;
use crate::journey::Conditions;
use crate::measure::{Problem, Timed, Walker, suboptimality_pct};
use crate::refinement::{Bench, Clock, Solved, delay, slowdown, solve_at_once};
use crate::stats::Histogram;
use crate::workbench::Workbench;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use waypost::agent::Scratch;
use waypost::cost::Length;
use waypost::grid::Cell;
use waypost::hierarchy::Hierarchy;
use waypost::index::cpd::PathDatabase;
use waypost::index::{IndexKind, IndexRequest, Indexes};
use waypost::methods::pra::PraParams;
use waypost::methods::pra::frames::FrameModel;
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::run::Outcome as WalkOutcome;
use waypost::spec::{AgentSpec, SpecText};
use waypost::{Agent, Map};
use xxhash_rust::xxh3::xxh3_64;

/// The format of records. Raised when records of before can no longer be compared with new ones.
pub const FORMAT: u32 = 3;

/// What is kept of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// The trial.
    pub key: String,
    /// The format of this record.
    pub format: u32,
    /// The commit that the program was built from.
    pub commit: String,
    /// The map's name.
    pub map: String,
    /// The map's fingerprint, in hexadecimal digits.
    pub fingerprint: String,
    /// Its passable cells.
    pub cells: u64,
    /// The algorithm as the suite names it.
    pub algorithm: String,
    /// The algorithm as Waypost names it.
    pub spec: String,
    /// What happened.
    pub outcome: Outcome,
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The algorithm ran.
    Measured(Box<Measured>),
    /// It cannot run on this map; why.
    Refused(String),
}

/// What was measured. Counts depend on the key alone; times are this machine's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Every problem, in order.
    pub problems: Vec<ProblemRecord>,
    /// The indexes that the algorithm used.
    pub index: IndexRecord,
    /// The published bound on the operations of a move, where there is one.
    pub operations_bound: Option<u64>,
    /// Times of single moves: buckets of [`crate::stats::Histogram`].
    pub move_histogram: Vec<(u32, u64)>,
    /// With how many seeds of records the same problems were walked, one after the other; 0 and 1 are the same.
    #[serde(default)]
    pub record_seeds: usize,
}

impl Measured {
    /// With how many seeds of records each problem was walked.
    pub fn seeds(&self) -> usize {
        self.record_seeds.max(1)
    }

    /// Puts what was measured with another seed of records behind this; what is measured once a map becomes the mean.
    pub fn append(&mut self, other: &Measured) {
        let seeds = self.seeds();
        self.problems.extend_from_slice(&other.problems);
        self.index.average(&other.index, seeds as u64);
        self.operations_bound = self.operations_bound.max(other.operations_bound);
        let mut moves = Histogram::default();
        moves.add_sparse(&self.move_histogram);
        moves.add_sparse(&other.move_histogram);
        self.move_histogram = moves.sparse();
        self.record_seeds = seeds + 1;
    }
}

/// What was built off-line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexRecord {
    /// Bytes in memory.
    pub bytes: u64,
    /// Records in it.
    pub records: u64,
    /// States stored, as the papers on kNN LRTA* count them: those of the records, and a region for every cell of the grid
    /// where regions are stored.
    pub states: u64,
    /// Cells of the whole grid, walls included.
    pub grid_cells: u64,
    /// Seconds to build it.
    pub build_seconds: f64,
    /// Processor seconds to build it, all threads together.
    pub build_cpu_seconds: f64,
    /// Records of a path database that a look-up compares: the mean over random pairs of cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<f64>,
}

impl IndexRecord {
    /// The mean of this, which stands for so many, and another.
    fn average(&mut self, other: &IndexRecord, weight: u64) {
        let whole = |a: u64, b: u64| (a * weight + b).div_ceil(weight + 1);
        let part = |a: f64, b: f64| (a * weight as f64 + b) / (weight + 1) as f64;
        self.bytes = whole(self.bytes, other.bytes);
        self.records = whole(self.records, other.records);
        self.states = whole(self.states, other.states);
        self.build_seconds = part(self.build_seconds, other.build_seconds);
        self.build_cpu_seconds = part(self.build_cpu_seconds, other.build_cpu_seconds);
    }
}

/// One problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProblemRecord {
    /// The length of a shortest path.
    pub optimal: f64,
    /// States that A* expands for each move of the path.
    pub difficulty: f64,
    /// What was counted.
    pub counts: Counts,
    /// What was timed.
    pub times: Times,
    /// Frames until arrival over the least possible, with 10, 2 and 1 ms a frame for planning at the paper's rate of
    /// expansions; with `measuring = "frames"` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdowns: Option<[f64; 3]>,
    /// The same frames over those that walking the sequences found takes, "disregarding thinking time", as the paper words it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays: Option<[f64; 3]>,
    /// What all trials came to, where there may be several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RepeatsRecord>,
}

/// What all trials of a problem came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepeatsRecord {
    /// How many there were.
    pub trials: u32,
    /// The last ones were the same.
    pub settled: bool,
    /// The length of the last.
    pub last: f64,
    /// The length of all together.
    pub travelled: f64,
}

/// What was counted of a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Whether the goal was reached within the limit.
    pub solved: bool,
    /// The length walked.
    pub length: f64,
    /// Decisions asked for.
    pub moves: u64,
    /// Node expansions.
    pub expansions: u64,
    /// Steps of climbs that test what can be reached.
    pub climb_steps: u64,
    /// The most operations of any single move.
    pub operations_max: u64,
    /// Steps onto cells stood on before.
    pub revisits: u64,
    /// Strictly on-line memory at its largest, as the papers count it: states kept, 4 bytes each.
    pub online_bytes: u64,
    /// What the agent held after the walk, without the search memory that agents of a thread share.
    pub held_bytes: u64,
    /// Looks into tables and databases.
    pub look_ups: u64,
}

/// What was timed of a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Processor nanoseconds for all moves.
    pub cpu_ns: u64,
    /// Nanoseconds for the first move.
    pub first_move_ns: u64,
    /// Processor nanoseconds for the whole path in one call, where the algorithm has such a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_ns: Option<u64>,
}

/// A failure that is a bug, of an agent or of an exact search.
#[derive(Debug, Error)]
#[error("{algorithm} on {map}: {message}")]
pub struct TrialError {
    /// The algorithm.
    pub algorithm: String,
    /// The map.
    pub map: String,
    /// What went wrong.
    pub message: String,
}

/// The key of a trial.
pub fn key(map: &Map, suite: &Suite, problems_key: &str, algorithm: &Algorithm) -> String {
    let rules = map.rules();
    let everything = format!(
        "{FORMAT}|{:016x}|{}|{}|{problems_key}|{}|{}|{:?}{}{}{}",
        map.grid().fingerprint(),
        rules.costs.name(),
        rules.corners.name(),
        algorithm.spec,
        suite.limits.times_optimal,
        suite.measuring,
        conditions_key(suite.conditions),
        ground_key(map),
        whole_path_key(&algorithm.spec),
    );
    format!("{:016x}", xxh3_64(everything.as_bytes()))
}

/// Nothing where the map is known and walked once.
fn conditions_key(conditions: Conditions) -> String {
    match conditions == Conditions::default() {
        true => String::new(),
        false => format!("|{:?} {}", conditions.sensor, conditions.trials),
    }
}

/// Nothing but for path databases, whose whole paths are timed as well.
fn whole_path_key(spec: &str) -> &'static str {
    match SpecText::split(spec) {
        Ok(text) if text.name() == "cpd" => "|whole paths",
        _ => "",
    }
}

/// Nothing where all ground is the same.
fn ground_key(map: &Map) -> String {
    match map.terrain_digest() {
        0 => String::new(),
        digest => format!("|terrain {digest:016x}"),
    }
}

/// The part of a trial's key that names the problems of a map.
pub fn problems_key(suite: &Suite, scenario: Option<&[u8]>) -> String {
    let wanted = &suite.problems;
    match scenario {
        Some(bytes) => format!(
            "scen {:016x} {} {}",
            xxh3_64(bytes),
            wanted.count,
            wanted.difficulty()
        ),
        None => format!(
            "{} {} {:?} {} {:?}{}",
            wanted.count,
            wanted.least,
            wanted.most,
            wanted.seed,
            wanted.difficulty_parts(),
            seeds_key(&wanted.seeds)
        ),
    }
}

/// Nothing where one seed draws all problems.
fn seeds_key(seeds: &[u64]) -> String {
    match seeds {
        [] => String::new(),
        seeds => format!(" seeds {seeds:?}"),
    }
}

/// The moves of a path of this length; on terrain, where lengths do not tell, the most that they can be.
fn moves_at_most(map: &Map, length: Length) -> f64 {
    match map.ground() {
        None => length.moves() as f64,
        Some(_) => map.length(length) / map.approximate_length(map.least_steps().straight),
    }
}

/// One map with its problems, ready for any algorithm.
pub struct Bed<'a> {
    /// The map's name.
    pub name: &'a str,
    /// The map.
    pub map: &'a Map,
    /// Its problems.
    pub problems: &'a [Problem],
    /// How hard each of them is.
    pub difficulties: &'a [f64],
    /// When walks are given up.
    pub limits: Limits,
    /// How problems are put to agents.
    pub conditions: Conditions,
}

impl Bed<'_> {
    /// Runs one algorithm over all problems. `each` is called after every problem.
    pub fn run(
        &self,
        measuring: Measuring,
        algorithm: &Algorithm,
        bench: &mut Workbench,
        each: &mut dyn FnMut(),
    ) -> Result<Outcome, TrialError> {
        let cells = self.map.grid().passable_count();
        if let Some(most) = algorithm.most_cells.filter(|&most| most < cells) {
            return Ok(Outcome::Refused(format!(
                "the suite leaves it out on maps with more than {most} passable cells"
            )));
        }
        match measuring {
            Measuring::Agents => self.agent(algorithm, bench, each),
            Measuring::Frames => self.frames(algorithm, each),
        }
    }

    fn failure(&self, algorithm: &Algorithm, message: impl ToString) -> TrialError {
        TrialError {
            algorithm: algorithm.name.clone(),
            map: self.name.to_string(),
            message: message.to_string(),
        }
    }

    fn agent(
        &self,
        algorithm: &Algorithm,
        bench: &mut Workbench,
        each: &mut dyn FnMut(),
    ) -> Result<Outcome, TrialError> {
        let spec =
            AgentSpec::parse(&algorithm.spec).map_err(|error| self.failure(algorithm, error))?;
        if let Some(reason) = self.conditions.unsuitable(self.map) {
            return Ok(Outcome::Refused(reason.to_string()));
        }
        let unknown = self.conditions.unknown(self.map);
        let known = unknown.as_ref().unwrap_or(self.map);
        if let Err(error) = bench.prepare(known, &spec, &NoProgress) {
            return Ok(Outcome::Refused(error.to_string()));
        }
        let mut walker = match Walker::new(self.map, &spec, bench, self.conditions) {
            Ok(walker) => walker,
            Err(error) => return Ok(Outcome::Refused(error.to_string())),
        };
        let mut whole_paths = match self.conditions == Conditions::default() {
            true => WholePaths::new(&spec, bench.indexes()),
            false => None,
        };
        let mut problems = Vec::with_capacity(self.problems.len());
        for (problem, &difficulty) in self.problems.iter().zip(self.difficulties) {
            let moves = moves_at_most(self.map, problem.optimal) * self.limits.times_optimal;
            let timed = walker
                .walk(problem, (moves as u64).max(1000), &NoProgress)
                .map_err(|error| self.failure(algorithm, error))?;
            let mut record = self.problem_record(problem, &timed);
            record.difficulty = difficulty;
            if let Some(paths) = &mut whole_paths {
                let time = paths.time(problem);
                record.times.path_ns =
                    Some(time.map_err(|message| self.failure(algorithm, message))?);
            }
            problems.push(record);
            each();
        }
        Ok(Outcome::Measured(Box::new(Measured {
            problems,
            index: self.index_record(&spec, bench),
            operations_bound: walker.operations_bound(),
            move_histogram: walker.moves().sparse(),
            record_seeds: 1,
        })))
    }

    fn problem_record(&self, problem: &Problem, timed: &Timed) -> ProblemRecord {
        let walk = &timed.walk;
        let length = self.map.path_length(&walk.path).unwrap_or_default();
        // Where a path is optimal its length is the same number, not one that differs in the last digit.
        let exact = suboptimality_pct(self.map, length, problem.optimal) == 0.0;
        let optimal = self.map.length(problem.optimal);
        ProblemRecord {
            optimal,
            counts: Counts {
                solved: walk.outcome == WalkOutcome::Arrived,
                length: if exact {
                    optimal
                } else {
                    self.map.length(length)
                },
                moves: walk.decisions,
                expansions: walk.meter.expansions,
                climb_steps: walk.meter.climb_steps,
                operations_max: walk.operations_per_move_max,
                revisits: walk.revisits,
                online_bytes: walk.memory_bytes_max as u64,
                held_bytes: timed.held_bytes,
                look_ups: walk.meter.look_ups,
            },
            times: Times {
                cpu_ns: timed.cpu_ns,
                first_move_ns: timed.first_move_ns,
                path_ns: None,
            },
            repeats: timed.repeats.map(|repeats| RepeatsRecord {
                trials: repeats.trials,
                settled: repeats.settled,
                last: self.map.length(repeats.last),
                travelled: self.map.length(repeats.travelled),
            }),
            ..ProblemRecord::default()
        }
    }

    fn index_record(&self, spec: &AgentSpec, bench: &Workbench) -> IndexRecord {
        let (bytes, build_seconds) = bench.price_of(spec);
        let grid = self.map.grid();
        let grid_cells = u64::from(grid.width()) * u64::from(grid.height());
        let mut record = IndexRecord {
            bytes,
            build_seconds,
            build_cpu_seconds: bench.build_cpu_seconds(spec),
            grid_cells,
            ..IndexRecord::default()
        };
        for request in spec.needs() {
            record.records += bench
                .indexes()
                .get(&request)
                .map_or(0, |index| index.records());
            record.states += states(&request, bench, grid_cells);
            record.checks = record.checks.or_else(|| self.checks(&request, bench));
        }
        record
    }

    /// What a look-up of a path database compares, over random pairs of connected cells (AIIDE 2011, proposition 1).
    fn checks(&self, request: &IndexRequest, bench: &Workbench) -> Option<f64> {
        let index: &dyn std::any::Any = bench.indexes().get(request)?.as_ref();
        let database = index.downcast_ref::<PathDatabase>()?;
        let cells: Vec<Cell> = self.map.grid().cells().collect();
        let mut rng = Rng::new(CHECKED_SEED);
        let (mut looked, mut compared) = (0u64, 0u64);
        for _ in 0..CHECKED_PAIRS {
            let mut any = || cells[rng.below(cells.len() as u32) as usize];
            let (from, to) = (any(), any());
            let mut moves = database.moves(from, to);
            if moves.next().is_some() {
                looked += 1;
                compared += moves.records_compared();
            }
        }
        (looked > 0).then(|| compared as f64 / looked as f64)
    }

    /// An A* with settings of its own; `None` for the plain spec and for PRA*.
    fn other_astar(
        &self,
        algorithm: &Algorithm,
    ) -> Result<Option<Box<dyn Agent<Map>>>, TrialError> {
        if !algorithm.spec.starts_with("astar:") {
            return Ok(None);
        }
        let spec = AgentSpec::parse(&algorithm.spec);
        let agent = spec.map_err(|error| self.failure(algorithm, error.to_string()))?;
        let agent = agent.build(self.map, &Indexes::new());
        let agent = agent.map_err(|error| self.failure(algorithm, error.to_string()))?;
        Ok(Some(agent))
    }

    fn frames(&self, algorithm: &Algorithm, each: &mut dyn FnMut()) -> Result<Outcome, TrialError> {
        let params =
            pra_params(&algorithm.spec).map_err(|message| self.failure(algorithm, message))?;
        let (begun, cpu) = (std::time::Instant::now(), cpu_time::ProcessTime::now());
        let hierarchy = Hierarchy::build(self.map);
        let (build_seconds, build_cpu_seconds) =
            (begun.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        let listed: Vec<PraParams> = params.into_iter().collect();
        let mut bench = Bench::new(self.map, &hierarchy, &listed);
        let mut other_astar = self.other_astar(algorithm)?;
        let mut scratch = Scratch::new();
        let mut problems = Vec::with_capacity(self.problems.len());
        for (problem, &difficulty) in self.problems.iter().zip(self.difficulties) {
            let trial = bench.run(problem.from, problem.goal).ok_or_else(|| {
                self.failure(algorithm, "a problem with a solution was not solved")
            })?;
            let unsolved = || self.failure(algorithm, "a problem with a solution was not solved");
            let others = match &mut other_astar {
                None => None,
                Some(agent) => {
                    let (from, goal) = (problem.from, problem.goal);
                    let solved = solve_at_once(&mut **agent, self.map, &mut scratch, from, goal);
                    Some(solved.ok_or_else(unsolved)?)
                }
            };
            let solved: &Solved = match &others {
                Some(others) => others,
                None => trial.pra.first().unwrap_or(&trial.astar),
            };
            let slowdowns = PLANNING_MS.map(|ms| {
                slowdown(
                    &trial,
                    solved,
                    FrameModel::with_planning_ms(ms),
                    Clock::Paper,
                )
            });
            problems.push(ProblemRecord {
                optimal: trial.astar.length,
                difficulty,
                counts: Counts {
                    solved: true,
                    length: solved.length,
                    moves: solved.steps.len() as u64,
                    expansions: solved.expansions(),
                    ..Counts::default()
                },
                times: Times {
                    cpu_ns: (solved.ms() * 1e6) as u64,
                    first_move_ns: solved.steps.first().map_or(0, |s| (s.ms * 1e6) as u64),
                    path_ns: None,
                },
                slowdowns: Some(slowdowns),
                delays: Some(
                    PLANNING_MS
                        .map(|ms| delay(solved, FrameModel::with_planning_ms(ms), Clock::Paper)),
                ),
                repeats: None,
            });
            each();
        }
        let index = match params {
            None => IndexRecord::default(),
            Some(_) => IndexRecord {
                records: (0..=hierarchy.height())
                    .map(|level| hierarchy.level_size(level) as u64)
                    .sum(),
                build_seconds,
                build_cpu_seconds,
                ..IndexRecord::default()
            },
        };
        Ok(Outcome::Measured(Box::new(Measured {
            problems,
            index,
            ..Measured::default()
        })))
    }
}

/// Pairs of cells whose look-ups are counted, and what they are drawn by.
const CHECKED_PAIRS: usize = 10_000;
const CHECKED_SEED: u64 = 2011;

/// Planning milliseconds a frame of figure 7 (AAAI 2005).
pub const PLANNING_MS: [f64; 3] = [10.0, 2.0, 1.0];

/// The parameters of `pra:...`; `None` for A*.
fn pra_params(spec: &str) -> Result<Option<PraParams>, String> {
    let text = SpecText::split(spec).map_err(|error| error.to_string())?;
    if text.name() != "pra" {
        return Ok(None);
    }
    let params = PraParams::parse(&text).map_err(|error| error.to_string())?;
    Ok(Some(params))
}

/// States stored, as the papers count them.
fn states(request: &IndexRequest, bench: &Workbench, grid_cells: u64) -> u64 {
    let Some(index) = bench.indexes().get(request) else {
        return 0;
    };
    // "Each D LRTA* database record stores exactly three states", and so do those of kNN LRTA* of 2009.
    let three_each = 3 * index.records();
    match request.kind {
        IndexKind::Subgoals => {
            let facts = index.facts();
            let counted = facts.iter().find(|(name, _)| name == "states");
            let is_2009 = request
                .parameters
                .get("method")
                .is_some_and(|m| m == "2009");
            match counted.and_then(|(_, value)| value.parse().ok()) {
                Some(counted) if !is_2009 => counted,
                _ => three_each,
            }
        }
        IndexKind::Regions => grid_cells + three_each,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_of_other_seeds_are_other_problems() {
        assert_eq!(seeds_key(&[]), "");
        assert_ne!(seeds_key(&[4, 5]), seeds_key(&[4, 6]));
        assert_ne!(seeds_key(&[4, 5]), seeds_key(&[]));
    }

    #[test]
    fn specs_of_pra_are_read_as_the_agent_reads_them() {
        assert_eq!(pra_params("astar"), Ok(None));
        let params = pra_params("pra:k=4,widen=off,start=25")
            .expect("good")
            .expect("pra");
        assert_eq!(
            (params.k, params.widen, params.start_percent),
            (Some(4), 0, 25)
        );
        let params = pra_params("pra:k=inf").expect("good").expect("pra");
        assert_eq!(params, PraParams::new(None));
    }
}
