//! Runs an algorithm over problems and measures it.
//!
//! Every problem is walked twice by the same agent, always on one thread, so that nothing else of ours disturbs the
//! clock:
//! 1. *checked*: [`waypost::run::walk`] verifies every move and counts operations; a watch reads the clock around each
//!    single decision. These times give the tails of `move_ns` and all of `first_move_ns`. What two readings of the clock
//!    take with nothing between them is measured beforehand and taken off.
//! 2. *bare*: nothing but the agent's own calls, with the clock read once before the first and once after the last. These
//!    times give `query_us`, and the mean of `move_ns` as their sum over all moves: the clock's own cost, as large as a
//!    fast method's move, does not show in it. The thread's processor time is read around the same calls, for experiments
//!    on machines that have other things to do.
//!
//! Before all others the first problem is walked like this and forgotten: what is cold at the beginning, of the machine and of the agent's
//! memory, says nothing of a method.
//!
//! The two walks of a problem must end alike, after as many decisions: agents have no state that outlives a problem.
//!
//! Under other [`Conditions`] than a known map and one walk, problems are walked by [`crate::journey`], checked and once: the time of
//! a problem is the sum of its moves then, without what the clock takes. Of several trials the first is measured; what they came
//! to is a [`Convergence`].

use crate::journey::{Conditions, Repeats, journey};
use crate::stats::{Histogram, Percentages, Times};
use crate::workbench::Workbench;
use cpu_time::ThreadTime;
use serde::Serialize;
use std::time::Instant;
use thiserror::Error;
use waypost::Map;
use waypost::agent::Scratch;
use waypost::agent::{Agent, Context, Decision, Meter};
use waypost::cost::Length;
use waypost::grid::Cell;
use waypost::index::Indexes;
use waypost::progress::Progress;
use waypost::run::{IllegalMove, Outcome, UnlessCancelled, Walk, Watch, walk};
use waypost::spec::{AgentSpec, SpecError};

/// A problem whose shortest path is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The start.
    pub from: Cell,
    /// The goal, connected with the start.
    pub goal: Cell,
    /// The moves of a shortest path.
    pub optimal: Length,
}

/// Why a measurement ended early: a fault of an agent, never of a problem, or somebody's wish.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// The agent cannot run on this map.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The agent broke the rules.
    #[error("{algo}: {error}")]
    Illegal {
        /// The algorithm.
        algo: String,
        /// What it did.
        error: IllegalMove,
    },
    /// The agent did something else the second time.
    #[error(
        "{algo} took {first} decisions from cell {from:?} to {goal:?} and {second} the second time"
    )]
    Unsteady {
        /// The algorithm.
        algo: String,
        /// The start.
        from: Cell,
        /// The goal.
        goal: Cell,
        /// Decisions of the checked walk.
        first: u64,
        /// Decisions of the bare walk.
        second: u64,
    },
    /// Whoever watched the progress wanted no more of it.
    #[error("the measurement was cancelled")]
    Cancelled,
}

/// Mean and largest of a size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bytes {
    /// The mean over problems.
    pub mean: f64,
    /// The largest of any problem.
    pub max: u64,
}

/// What an algorithm did over all problems. All but the times depends on map, problems and spec alone.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// The spec.
    pub algo: String,
    /// Problems whose goal was reached.
    pub solved: u64,
    /// Problems given up, or not done within the limit of moves.
    pub failed: u64,
    /// The length of all paths walked to a goal.
    pub cost_total: f64,
    /// The length of the shortest paths of the same problems.
    pub optimal_total: f64,
    /// `(cost / optimal - 1) * 100` of each solved problem.
    pub suboptimality_pct: Percentages,
    /// Microseconds for all moves of a problem.
    pub query_us: Times,
    /// Nanoseconds for a single move.
    pub move_ns: Times,
    /// Processor nanoseconds a move, the mean: on a machine with other things to do the clock counts those as well. `None` under other
    /// conditions than a known map and one walk, which are timed by the clock.
    pub move_cpu_ns: Option<f64>,
    /// Nanoseconds for the first move of a problem.
    pub first_move_ns: Times,
    /// Decisions asked for in all problems, those without a step included.
    pub moves_total: u64,
    /// Node expansions in all problems.
    pub expansions_total: u64,
    /// Steps onto cells stood on before.
    pub revisits_total: u64,
    /// The most operations of any single move.
    pub ops_per_move_max: u64,
    /// The published bound on the operations of a move, where the method has one.
    pub ops_per_move_bound: Option<u64>,
    /// Strictly on-line memory of the agent, at its largest in each problem.
    pub online_bytes: Bytes,
    /// Bytes of the indexes that it used.
    pub index_bytes: u64,
    /// Seconds to build them; 0 for those opened from files.
    pub build_seconds: f64,
    /// Seconds to make the agent itself.
    pub setup_seconds: f64,
    /// Moves until arrival, those without a step included: goal achievement time in ticks of a game, the mean of solved problems.
    pub ticks: f64,
    /// What several trials of each problem came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convergence: Option<Convergence>,
}

/// What several trials of each problem came to, over all problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Convergence {
    /// Problems whose walk stayed the same in the end.
    pub settled: u64,
    /// The trials of a problem, the last that are the same included.
    pub trials: Percentages,
    /// Percent that the last walk is longer than the shortest path.
    pub last_suboptimality_pct: Percentages,
    /// The length of all walks together over that of the shortest path.
    pub travelled_ratio: Percentages,
}

/// The most decisions of a problem before it counts as failed.
pub const DEFAULT_MOVE_LIMIT: u64 = 10_000_000;

/// Walks every problem and measures, a part of the progress for each.
pub fn measure(
    map: &Map,
    spec: &AgentSpec,
    bench: &Workbench,
    problems: &[Problem],
    conditions: Conditions,
    move_limit: u64,
    progress: &dyn Progress,
) -> Result<Measurement, MeasureError> {
    progress.begin(&spec.to_string(), problems.len() as u64);
    let mut walker = Walker::new(map, spec, bench, conditions)?;
    let mut tally = Tally::default();
    if let Some(first) = problems.first() {
        walker.warm_up(first, move_limit, progress)?;
    }
    for problem in problems {
        go_on(progress)?;
        let timed = walker.walk(problem, move_limit, progress)?;
        tally.queries.record(timed.wall_ns);
        tally.cpu_ns += timed.cpu_ns;
        tally.add(map, problem, &timed.walk);
        if let Some(repeats) = &timed.repeats {
            tally.repeats.add(map, problem, repeats);
        }
        progress.advance(1);
    }
    Ok(tally.finish(map, &walker, bench))
}

/// One problem walked and timed.
pub struct Timed {
    /// The checked walk.
    pub walk: Walk,
    /// Nanoseconds of the bare walk by the clock.
    pub wall_ns: u64,
    /// Nanoseconds of the bare walk by the thread's processor time.
    pub cpu_ns: u64,
    /// Nanoseconds of the first decision.
    pub first_move_ns: u64,
    /// Nanoseconds of the slowest decision.
    pub slowest_move_ns: u64,
    /// Bytes that the agent holds after the walk, without the search memory that agents of a thread share.
    pub held_bytes: u64,
    /// What all trials came to, where there may be several.
    pub repeats: Option<Repeats>,
}

/// An agent that is walked over problem after problem and timed.
pub struct Walker<'a> {
    map: &'a Map,
    spec: &'a AgentSpec,
    indexes: Indexes,
    conditions: Conditions,
    /// The map as the agent knows it at first, where that is not the map as it is.
    unknown: Option<Map>,
    agent: Box<dyn Agent<Map>>,
    scratch: Scratch,
    watch: MoveWatch,
    cpu_clock_cost: u64,
    setup_seconds: f64,
}

impl<'a> Walker<'a> {
    /// Makes the agent. The indexes are those of the map as it is known at first ([`Conditions::unknown`]).
    pub fn new(
        map: &'a Map,
        spec: &'a AgentSpec,
        bench: &Workbench,
        conditions: Conditions,
    ) -> Result<Walker<'a>, SpecError> {
        let unknown = conditions.unknown(map);
        let setup = Instant::now();
        let agent = spec.build(unknown.as_ref().unwrap_or(map), bench.indexes())?;
        Ok(Walker {
            map,
            spec,
            indexes: bench.indexes().clone(),
            conditions,
            unknown,
            agent,
            setup_seconds: setup.elapsed().as_secs_f64(),
            scratch: Scratch::new(),
            watch: MoveWatch::new(clock_cost_ns()),
            cpu_clock_cost: cpu_clock_cost_ns(),
        })
    }

    /// Walks a problem and keeps nothing of it, so that the first that is measured finds memory and caches as all others do. Under
    /// other conditions, where agents learn and walls are seen, nothing is walked beforehand.
    fn warm_up(
        &mut self,
        problem: &Problem,
        move_limit: u64,
        progress: &dyn Progress,
    ) -> Result<(), MeasureError> {
        if self.conditions == Conditions::default() {
            self.walk(problem, move_limit, progress)?;
            self.watch = MoveWatch::new(self.watch.clock_cost);
        }
        Ok(())
    }

    /// Walks a problem twice: checked, then bare. Under other conditions once, checked. Whoever watches the progress may end it between two
    /// moves.
    pub fn walk(
        &mut self,
        problem: &Problem,
        move_limit: u64,
        progress: &dyn Progress,
    ) -> Result<Timed, MeasureError> {
        if self.conditions != Conditions::default() {
            return self.journey(problem, move_limit, progress);
        }
        let mut context = Context::new(self.map, &mut self.scratch);
        self.watch.begin_problem();
        let walked = walk(
            self.agent.as_mut(),
            &mut context,
            problem.from,
            problem.goal,
            move_limit,
            &mut UnlessCancelled::new(&mut self.watch, progress),
        )
        .map_err(|error| MeasureError::Illegal {
            algo: self.spec.to_string(),
            error,
        })?;
        go_on(progress)?;
        let moves_between_looks = walked.decisions * LOOK_NS / self.watch.problem_ns.max(1);
        let bare = bare_walk(
            self.agent.as_mut(),
            &mut context,
            problem,
            walked.decisions,
            || (!progress.is_cancelled()).then_some(moves_between_looks.max(1)),
        );
        go_on(progress)?;
        if bare.decisions != walked.decisions {
            return Err(MeasureError::Unsteady {
                algo: self.spec.to_string(),
                from: problem.from,
                goal: problem.goal,
                first: walked.decisions,
                second: bare.decisions,
            });
        }
        Ok(Timed {
            walk: walked,
            wall_ns: bare.wall_ns.saturating_sub(self.watch.clock_cost),
            cpu_ns: bare.cpu_ns.saturating_sub(self.cpu_clock_cost),
            first_move_ns: self.watch.first_move_ns,
            slowest_move_ns: self.watch.slowest_move_ns,
            held_bytes: self.agent.reserved_bytes() as u64,
            repeats: None,
        })
    }

    fn journey(
        &mut self,
        problem: &Problem,
        move_limit: u64,
        progress: &dyn Progress,
    ) -> Result<Timed, MeasureError> {
        if let Some(unknown) = &self.unknown {
            // Nobody remembers walls that were seen on the way of another problem.
            self.agent = self.spec.build(unknown, &self.indexes)?;
        }
        self.watch.begin_problem();
        let (walk, repeats) = journey(
            self.agent.as_mut(),
            &mut self.scratch,
            self.map,
            (problem.from, problem.goal),
            self.conditions,
            move_limit,
            &mut UnlessCancelled::new(&mut self.watch, progress),
        )
        .map_err(|error| MeasureError::Illegal {
            algo: self.spec.to_string(),
            error,
        })?;
        go_on(progress)?;
        Ok(Timed {
            walk,
            wall_ns: self.watch.problem_ns,
            cpu_ns: self.watch.problem_ns,
            first_move_ns: self.watch.first_move_ns,
            slowest_move_ns: self.watch.slowest_move_ns,
            held_bytes: self.agent.reserved_bytes() as u64,
            repeats: (self.conditions.trials > 1).then_some(repeats),
        })
    }

    /// The times of all single moves so far.
    pub fn moves(&self) -> &Histogram {
        &self.watch.moves
    }

    /// The published bound on the operations of a move, where the method has one.
    pub fn operations_bound(&self) -> Option<u64> {
        self.agent.operations_bound(self.map)
    }

    /// Seconds to make the agent itself.
    pub fn setup_seconds(&self) -> f64 {
        self.setup_seconds
    }
}

struct Bare {
    wall_ns: u64,
    cpu_ns: u64,
    decisions: u64,
}

/// How long a bare walk goes on before it looks whether it is to end: one look in so many nanoseconds does not show in its times.
const LOOK_NS: u64 = 20_000_000;

/// The calls of a walk and nothing else: nanoseconds from before the first to after the last, and how many there were. `look` says how many
/// come before it is asked again, or `None` where the walk is to end.
fn bare_walk(
    agent: &mut dyn Agent<Map>,
    context: &mut Context<Map>,
    problem: &Problem,
    limit: u64,
    look: impl Fn() -> Option<u64>,
) -> Bare {
    let mut at = problem.from;
    let mut decisions = 0;
    context.meter = Meter::default();
    let cpu = ThreadTime::now();
    let begun = Instant::now();
    agent.start(context, problem.from, problem.goal);
    'walk: while let Some(moves) = look().filter(|_| decisions < limit) {
        let until = limit.min(decisions.saturating_add(moves));
        while decisions < until {
            decisions += 1;
            match agent.next_move(context, at) {
                Decision::Step(to) => at = to,
                Decision::Thinking => {}
                Decision::Arrived | Decision::Unreachable => break 'walk,
            }
        }
    }
    let wall_ns = begun.elapsed().as_nanos() as u64;
    Bare {
        wall_ns,
        cpu_ns: cpu.elapsed().as_nanos() as u64,
        decisions,
    }
}

/// What two readings of the clock take with nothing between them: the median of many.
pub fn clock_cost_ns() -> u64 {
    let mut histogram = Histogram::default();
    for _ in 0..2001 {
        histogram.record(Instant::now().elapsed().as_nanos() as u64);
    }
    histogram.quantile(500)
}

/// The same for the thread's processor time, with a reading of the clock in between as in a bare walk.
fn cpu_clock_cost_ns() -> u64 {
    let mut histogram = Histogram::default();
    for _ in 0..501 {
        let cpu = ThreadTime::now();
        std::hint::black_box(Instant::now().elapsed());
        histogram.record(cpu.elapsed().as_nanos() as u64);
    }
    histogram.quantile(500)
}

/// Reads the clock around every decision.
struct MoveWatch {
    clock_cost: u64,
    begun: Instant,
    first: bool,
    first_move_ns: u64,
    slowest_move_ns: u64,
    /// All moves of the problem.
    problem_ns: u64,
    moves: Histogram,
    first_moves: Histogram,
}

impl MoveWatch {
    fn new(clock_cost: u64) -> MoveWatch {
        MoveWatch {
            clock_cost,
            begun: Instant::now(),
            first: true,
            first_move_ns: 0,
            slowest_move_ns: 0,
            problem_ns: 0,
            moves: Histogram::default(),
            first_moves: Histogram::default(),
        }
    }

    fn begin_problem(&mut self) {
        self.first = true;
        (self.slowest_move_ns, self.problem_ns) = (0, 0);
    }
}

impl Watch for MoveWatch {
    #[inline]
    fn before(&mut self) {
        self.begun = Instant::now();
    }

    #[inline]
    fn after(&mut self, _decision: Decision, _meter: &Meter) {
        let elapsed = self.begun.elapsed().as_nanos() as u64;
        let nanoseconds = elapsed.saturating_sub(self.clock_cost);
        self.moves.record(nanoseconds);
        self.problem_ns += nanoseconds;
        self.slowest_move_ns = self.slowest_move_ns.max(nanoseconds);
        if std::mem::take(&mut self.first) {
            self.first_move_ns = nanoseconds;
            self.first_moves.record(nanoseconds);
        }
    }
}

/// Sums while problems are walked.
#[derive(Default)]
struct Tally {
    queries: Histogram,
    /// Processor nanoseconds of all problems.
    cpu_ns: u64,
    solved: u64,
    failed: u64,
    cost: Length,
    optimal: Length,
    suboptimality: Vec<f64>,
    decisions: u64,
    meter: Meter,
    revisits: u64,
    operations_max: u64,
    memory_sum: u128,
    memory_max: u64,
    /// Decisions of the problems that were solved.
    ticks: u64,
    repeats: RepeatsTally,
}

/// Of several trials, problem by problem.
#[derive(Default)]
struct RepeatsTally {
    settled: u64,
    trials: Vec<f64>,
    last: Vec<f64>,
    travelled: Vec<f64>,
}

impl RepeatsTally {
    fn add(&mut self, map: &Map, problem: &Problem, repeats: &Repeats) {
        self.settled += u64::from(repeats.settled);
        self.trials.push(f64::from(repeats.trials));
        self.last
            .push(suboptimality_pct(map, repeats.last, problem.optimal));
        let optimal = map.length(problem.optimal);
        if optimal > 0.0 {
            self.travelled.push(map.length(repeats.travelled) / optimal);
        }
    }

    fn finish(self) -> Option<Convergence> {
        (!self.trials.is_empty()).then(|| Convergence {
            settled: self.settled,
            trials: Percentages::of(self.trials),
            last_suboptimality_pct: Percentages::of(self.last),
            travelled_ratio: Percentages::of(self.travelled),
        })
    }
}

impl Tally {
    fn add(&mut self, map: &Map, problem: &Problem, walked: &Walk) {
        self.decisions += walked.decisions;
        self.meter.add(&walked.meter);
        self.revisits += walked.revisits;
        self.operations_max = self.operations_max.max(walked.operations_per_move_max);
        self.memory_sum += walked.memory_bytes_max as u128;
        self.memory_max = self.memory_max.max(walked.memory_bytes_max as u64);
        let length = map.path_length(&walked.path);
        match (walked.outcome, length) {
            (Outcome::Arrived, Some(length)) => {
                self.solved += 1;
                self.ticks += walked.decisions;
                self.cost += length;
                self.optimal += problem.optimal;
                self.suboptimality
                    .push(suboptimality_pct(map, length, problem.optimal));
            }
            _ => self.failed += 1,
        }
    }

    fn finish(self, map: &Map, walker: &Walker, bench: &Workbench) -> Measurement {
        let spec = walker.spec;
        let rate = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        let mut move_ns = walker.moves().times(1.0);
        move_ns.mean = rate(self.queries.sum() as f64, self.decisions);
        let problems = self.solved + self.failed;
        let (index_bytes, build_seconds) = bench.price_of(spec);
        Measurement {
            algo: spec.to_string(),
            solved: self.solved,
            failed: self.failed,
            cost_total: map.length(self.cost),
            optimal_total: map.length(self.optimal),
            suboptimality_pct: Percentages::of(self.suboptimality),
            query_us: self.queries.times(1000.0),
            move_ns,
            move_cpu_ns: (walker.conditions == Conditions::default())
                .then(|| rate(self.cpu_ns as f64, self.decisions)),
            first_move_ns: walker.watch.first_moves.times(1.0),
            moves_total: self.decisions,
            expansions_total: self.meter.expansions,
            revisits_total: self.revisits,
            ops_per_move_max: self.operations_max,
            ops_per_move_bound: walker.operations_bound(),
            online_bytes: Bytes {
                mean: rate(self.memory_sum as f64, problems),
                max: self.memory_max,
            },
            index_bytes,
            build_seconds,
            setup_seconds: walker.setup_seconds,
            ticks: rate(self.ticks as f64, self.solved),
            convergence: self.repeats.finish(),
        }
    }
}

/// How much longer a path is than the shortest, in percent. A problem that is solved without a move is solved perfectly.
pub fn suboptimality_pct(map: &Map, length: Length, optimal: Length) -> f64 {
    if length == optimal || optimal.moves() == 0 {
        return 0.0;
    }
    (map.length(length) / map.length(optimal) - 1.0) * 100.0
}

/// An error where whoever watches the progress wants no more of it.
fn go_on(progress: &dyn Progress) -> Result<(), MeasureError> {
    match progress.is_cancelled() {
        true => Err(MeasureError::Cancelled),
        false => Ok(()),
    }
}
