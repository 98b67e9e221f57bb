//! Carries out the trials of a suite, map by map, and keeps a record of each as it ends.

use super::places::{PlaceError, Source};
use super::records::{Records, RecordsError};
use super::suite::{Algorithm, Suite};
use super::trial::{Bed, FORMAT, Outcome, TrialError, TrialRecord, key, problems_key};
use crate::difficulty::Difficulties;
use crate::measure::Problem;
use crate::workbench::Workbench;
use thiserror::Error;
use waypost::Map;
use waypost::index::IndexRequest;
use waypost::progress::NoProgress;
use waypost::spec::AgentSpec;

/// Why a run ended early. Records so far are kept.
#[derive(Debug, Error)]
pub enum RunError {
    /// Maps or problems.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The file of records.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// A bug of an algorithm.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// Whoever watched wanted no more of it.
    #[error("the run was cancelled; the same run goes on where it was")]
    Cancelled,
    /// No map has such problems.
    #[error("no map has problems as the suite wants them: {reasons}")]
    NothingToDo {
        /// Map by map.
        reasons: String,
    },
}

/// Is told how far a run is.
pub trait Watch {
    /// So many parts in all, so many of which are recorded already.
    fn planned(&self, total: u64, recorded: u64);
    /// What is being done.
    fn doing(&self, what: &str);
    /// So many parts are done.
    fn advance(&self, parts: u64);
    /// Whether to stop: asked before every trial.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl Watch for () {
    fn planned(&self, _total: u64, _recorded: u64) {}
    fn doing(&self, _what: &str) {}
    fn advance(&self, _parts: u64) {}
}

/// A map of a run.
pub struct Ground {
    /// Where it comes from.
    pub source: Source,
    /// Its name.
    pub name: String,
    /// The map.
    pub map: Map,
    /// Why it could not be used.
    pub skipped: Option<String>,
    /// A record for every algorithm of the suite, in its order; none where the map was not used.
    pub trials: Vec<TrialRecord>,
}

/// Parts of the progress that building a trial's index counts for; every problem counts for one.
const BUILD_PARTS: u64 = 10;

/// Runs everything that is not recorded. Results do not depend on what was recorded before.
pub fn run(
    suite: &Suite,
    sources: Vec<Source>,
    records: &mut Records,
    commit: &str,
    watch: &dyn Watch,
) -> Result<Vec<Ground>, RunError> {
    let mut plans = Vec::new();
    for source in sources {
        watch.doing(&format!("map {}", source.name()));
        plans.push(Plan::new(source, suite)?);
    }
    let parts = suite.problems.count as u64 + BUILD_PARTS;
    let trials = || plans.iter().flat_map(|plan| plan.trials.iter().flatten());
    let recorded = trials().filter(|t| records.get(&t.key).is_some()).count();
    watch.planned(trials().count() as u64 * parts, recorded as u64 * parts);
    let mut grounds = Vec::new();
    for plan in plans {
        grounds.push(plan.carry_out(suite, records, commit, watch)?);
    }
    if grounds.iter().all(|ground| ground.skipped.is_some()) {
        let reasons = grounds
            .iter()
            .map(|g| format!("{}: {}", g.name, g.skipped.as_deref().unwrap_or_default()));
        return Err(RunError::NothingToDo {
            reasons: reasons.collect::<Vec<_>>().join("; "),
        });
    }
    Ok(grounds)
}

/// A map with its trials: for every algorithm of the suite one for each seed of its records.
struct Plan {
    source: Source,
    name: String,
    map: Map,
    scenario: Option<Vec<u8>>,
    trials: Vec<Vec<PlannedTrial>>,
}

struct PlannedTrial {
    algorithm: Algorithm,
    key: String,
}

impl Plan {
    fn new(source: Source, suite: &Suite) -> Result<Plan, PlaceError> {
        let map = source.load(suite)?;
        let scenario = source.scenario(&suite.problems)?;
        let problems = problems_key(suite, scenario.as_deref());
        let planned = |algorithm: Algorithm| PlannedTrial {
            key: key(&map, suite, &problems, &algorithm),
            algorithm,
        };
        let trials = suite
            .algorithms
            .iter()
            .map(|algorithm| algorithm.trials().into_iter().map(planned).collect())
            .collect();
        Ok(Plan {
            name: source.name(),
            trials,
            source,
            map,
            scenario,
        })
    }

    fn carry_out(
        self,
        suite: &Suite,
        records: &mut Records,
        commit: &str,
        watch: &dyn Watch,
    ) -> Result<Ground, RunError> {
        let mut ground = Ground {
            source: self.source,
            name: self.name,
            map: self.map,
            skipped: None,
            trials: Vec::new(),
        };
        let missing: Vec<&PlannedTrial> = self
            .trials
            .iter()
            .flatten()
            .filter(|trial| records.get(&trial.key).is_none())
            .collect();
        if !missing.is_empty() {
            watch.doing(&format!("problems on {}", ground.name));
            let scenario = self.scenario.as_deref();
            match ground.source.problems(&ground.map, suite, scenario)? {
                Ok(problems) => {
                    run_missing(&ground, suite, &missing, &problems, records, commit, watch)?
                }
                Err(reason) => {
                    let parts = suite.problems.count as u64 + BUILD_PARTS;
                    watch.advance(missing.len() as u64 * parts);
                    ground.skipped = Some(reason);
                    return Ok(ground);
                }
            }
        }
        ground.trials = self
            .trials
            .iter()
            .filter_map(|seeds| together(seeds, records, &ground.name))
            .collect();
        Ok(ground)
    }
}

/// The record of an algorithm: all seeds of its records as one.
fn together(seeds: &[PlannedTrial], records: &Records, map: &str) -> Option<TrialRecord> {
    let mut found = seeds.iter().filter_map(|trial| records.get(&trial.key));
    let mut record = found.next()?.clone();
    // The same trial may have been recorded under another name.
    record.algorithm.clone_from(&seeds[0].algorithm.name);
    record.map = map.to_string();
    for other in found {
        match (&mut record.outcome, &other.outcome) {
            (Outcome::Measured(all), Outcome::Measured(other)) => all.append(other),
            (_, Outcome::Refused(reason)) => record.outcome = Outcome::Refused(reason.clone()),
            (Outcome::Refused(_), _) => {}
        }
    }
    Some(record)
}

fn run_missing(
    ground: &Ground,
    suite: &Suite,
    missing: &[&PlannedTrial],
    problems: &[Problem],
    records: &mut Records,
    commit: &str,
    watch: &dyn Watch,
) -> Result<(), RunError> {
    let pairs: Vec<_> = problems.iter().map(|p| (p.from, p.goal)).collect();
    let difficulties = Difficulties::prepare(&ground.map)
        .and_then(|astar| astar.of_all(&ground.map, &pairs, &NoProgress))
        .map_err(PlaceError::from)?;
    let bed = Bed {
        name: &ground.name,
        map: &ground.map,
        problems,
        difficulties: &difficulties,
        limits: suite.limits,
        conditions: suite.conditions,
    };
    let needs = |spec: &str| {
        AgentSpec::parse(spec)
            .map(|spec| spec.needs())
            .unwrap_or_default()
    };
    let todo: Vec<_> = missing
        .iter()
        .map(|trial| (&trial.key, &trial.algorithm, needs(&trial.algorithm.spec)))
        .collect();
    let mut benches: Vec<(Vec<IndexRequest>, Workbench)> = Vec::new();
    for (i, (key, algorithm, needs)) in todo.iter().enumerate() {
        if watch.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        watch.doing(&format!("{} on {}", algorithm.name, ground.name));
        let mut done = 0;
        let outcome = bed.run(
            suite.measuring,
            algorithm,
            shared_bench(&mut benches, needs),
            &mut || {
                done += 1;
                watch.advance(1);
            },
        )?;
        // Indexes may be large: one that no later trial needs is given up.
        benches.retain(|(kept, _)| todo[i + 1..].iter().any(|(_, _, later)| later == kept));
        watch.advance((suite.problems.count as u64 + BUILD_PARTS).saturating_sub(done));
        records.add(record(ground, key, algorithm, outcome, commit))?;
    }
    Ok(())
}

/// The bench with the indexes that an algorithm needs: shared by algorithms that need the same, and by no others, so that
/// none takes an index that was built for other parameters.
fn shared_bench<'a>(
    benches: &'a mut Vec<(Vec<IndexRequest>, Workbench)>,
    needs: &[IndexRequest],
) -> &'a mut Workbench {
    let at = benches
        .iter()
        .position(|(kept, _)| kept == needs)
        .unwrap_or_else(|| {
            benches.push((needs.to_vec(), Workbench::default()));
            benches.len() - 1
        });
    &mut benches[at].1
}

fn record(
    ground: &Ground,
    key: &str,
    algorithm: &Algorithm,
    outcome: Outcome,
    commit: &str,
) -> TrialRecord {
    TrialRecord {
        key: key.to_string(),
        format: FORMAT,
        commit: commit.to_string(),
        map: ground.name.clone(),
        fingerprint: format!("{:016x}", ground.map.grid().fingerprint()),
        cells: ground.map.grid().passable_count(),
        algorithm: algorithm.name.clone(),
        spec: algorithm.spec.clone(),
        outcome,
    }
}
