//! Carries out the trials of a suite, map by map, and keeps a record of each as it ends.

use super::places::{PlaceError, Source};
use super::records::{Records, RecordsError};
use super::suite::Suite;
use super::trial::{Bed, FORMAT, Outcome, TrialError, TrialRecord, key, problems_key};
use crate::measure::Problem;
use crate::workbench::Workbench;
use thiserror::Error;
use waypost::Map;
use waypost::index::IndexRequest;
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
    let keys = || plans.iter().flat_map(|plan| &plan.keys);
    let recorded = keys().filter(|key| records.get(key).is_some()).count();
    watch.planned(keys().count() as u64 * parts, recorded as u64 * parts);
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

/// A map with the keys of its trials.
struct Plan {
    source: Source,
    name: String,
    map: Map,
    scenario: Option<Vec<u8>>,
    keys: Vec<String>,
}

impl Plan {
    fn new(source: Source, suite: &Suite) -> Result<Plan, PlaceError> {
        let map = source.load(suite.rules)?;
        let scenario = source.scenario(&suite.problems)?;
        let problems = problems_key(suite, scenario.as_deref());
        let algorithms = suite.algorithms.iter();
        Ok(Plan {
            name: source.name(),
            keys: algorithms
                .map(|algorithm| key(&map, suite, &problems, algorithm))
                .collect(),
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
        if self.keys.iter().any(|key| records.get(key).is_none()) {
            watch.doing(&format!("problems on {}", ground.name));
            let scenario = self.scenario.as_deref();
            match ground.source.problems(&ground.map, suite, scenario)? {
                Ok(problems) => run_missing(
                    &ground, suite, &self.keys, &problems, records, commit, watch,
                )?,
                Err(reason) => {
                    let parts = suite.problems.count as u64 + BUILD_PARTS;
                    watch.advance(self.keys.len() as u64 * parts);
                    ground.skipped = Some(reason);
                    return Ok(ground);
                }
            }
        }
        let found = self.keys.iter().zip(&suite.algorithms);
        ground.trials = found
            .filter_map(|(key, algorithm)| {
                let mut record = records.get(key)?.clone();
                // The same trial may have been recorded under another name.
                record.algorithm.clone_from(&algorithm.name);
                record.map.clone_from(&ground.name);
                Some(record)
            })
            .collect();
        Ok(ground)
    }
}

fn run_missing(
    ground: &Ground,
    suite: &Suite,
    keys: &[String],
    problems: &[Problem],
    records: &mut Records,
    commit: &str,
    watch: &dyn Watch,
) -> Result<(), RunError> {
    let bed = Bed {
        name: &ground.name,
        map: &ground.map,
        problems,
        limits: suite.limits,
    };
    let needs = |spec: &str| {
        AgentSpec::parse(spec)
            .map(|spec| spec.needs())
            .unwrap_or_default()
    };
    let todo: Vec<_> = keys
        .iter()
        .zip(&suite.algorithms)
        .filter(|(key, _)| records.get(key).is_none())
        .map(|(key, algorithm)| (key, algorithm, needs(&algorithm.spec)))
        .collect();
    let mut benches: Vec<(Vec<IndexRequest>, Workbench)> = Vec::new();
    for (i, (key, algorithm, needs)) in todo.iter().enumerate() {
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
    algorithm: &super::suite::Algorithm,
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
