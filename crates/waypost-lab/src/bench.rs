//! Algorithms over the problems of a scenario: what `waypost bench` and the Python package run.

use crate::journey::Conditions;
use crate::lab::places::with_lengths;
use crate::measure::{MeasureError, Measurement, Problem, measure};
use crate::optimal::OptimalError;
use crate::workbench::Workbench;
use thiserror::Error;
use waypost::Map;
use waypost::formats::scen;
use waypost::index::{BuildError, Indexes};
use waypost::progress::Progress;
use waypost::spec::AgentSpec;

/// Why a bench ended early.
#[derive(Debug, Error)]
pub enum BenchError {
    /// An index that an algorithm needs.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Shortest paths to compare with.
    #[error(transparent)]
    Optimal(#[from] OptimalError),
    /// An algorithm.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// The map and the conditions.
    #[error("{0}")]
    Unsuitable(&'static str),
}

/// Everything that algorithms need before the clock runs.
pub struct Bench<'a> {
    map: &'a Map,
    specs: &'a [AgentSpec],
    workbench: Workbench,
    problems: Vec<Problem>,
    unsolvable: usize,
    conditions: Conditions,
}

impl<'a> Bench<'a> {
    /// Builds the indexes that are not given and finds the shortest paths, on all threads of the pool.
    pub fn prepare(
        map: &'a Map,
        specs: &'a [AgentSpec],
        listed: &[scen::Problem],
        given: Indexes,
        conditions: Conditions,
        progress: &dyn Progress,
    ) -> Result<Bench<'a>, BenchError> {
        if let Some(reason) = conditions.unsuitable(map) {
            return Err(BenchError::Unsuitable(reason));
        }
        let mut workbench = Workbench::new(given);
        let unknown = conditions.unknown(map);
        for spec in specs {
            workbench.prepare(unknown.as_ref().unwrap_or(map), spec, progress)?;
        }
        let problems = with_lengths(map, listed, progress)?;
        Ok(Bench {
            map,
            specs,
            workbench,
            unsolvable: listed.len() - problems.len(),
            problems,
            conditions,
        })
    }

    /// Problems that have a solution.
    pub fn problems(&self) -> usize {
        self.problems.len()
    }

    /// Problems that were left out because they have none.
    pub fn unsolvable(&self) -> usize {
        self.unsolvable
    }

    /// Measures one algorithm after the other, on this thread alone.
    pub fn run(
        &self,
        move_limit: u64,
        progress: &dyn Progress,
    ) -> Result<Vec<Measurement>, BenchError> {
        let one = |spec: &AgentSpec| {
            let (bench, problems) = (&self.workbench, &self.problems);
            let conditions = self.conditions;
            measure(
                self.map, spec, bench, problems, conditions, move_limit, progress,
            )
        };
        let all: Result<Vec<_>, _> = self.specs.iter().map(one).collect();
        Ok(all?)
    }
}
