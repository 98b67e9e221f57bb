//! Makes problems with their optimal lengths and of the difficulty that is wanted.

use crate::difficulty::{Counter, Difficulties};
use crate::optimal::{Optimal, OptimalError, Solver};
use crate::problems::{ProblemMaker, ProblemsError, Wanted};
use rayon::prelude::*;
use thiserror::Error;
use waypost::Map;
use waypost::formats::scen;
use waypost::index::BuildError;
use waypost::progress::Progress;

/// Why problems could not be made.
#[derive(Debug, Error)]
pub enum MakeError {
    /// The map has no such problems.
    #[error(transparent)]
    Problems(#[from] ProblemsError),
    /// Their lengths could not be found.
    #[error(transparent)]
    Optimal(#[from] OptimalError),
}

/// Makes problems with their optimal lengths, every one from its own number, on all threads of the pool.
pub fn make_problems(
    map: &Map,
    wanted: &Wanted,
    progress: &dyn Progress,
) -> Result<Vec<scen::Problem>, MakeError> {
    let maker = ProblemMaker::new(map, wanted)?;
    let optimal = Optimal::prepare(map, progress)?;
    let difficulties = Difficulties::prepare(map)?;
    progress.begin("problems", wanted.count as u64);
    let solvers =
        || -> Result<_, OptimalError> { Ok((optimal.solver(map)?, difficulties.counter(map)?)) };
    (0..wanted.count as u64)
        .into_par_iter()
        .map_init(
            || None,
            |solver: &mut Option<(Solver, Counter)>, item| {
                if progress.is_cancelled() {
                    return Err(OptimalError::from(BuildError::Cancelled).into());
                }
                let (solver, counter) = match solver {
                    Some(solvers) => solvers,
                    None => solver.insert(solvers()?),
                };
                let mut failure = None;
                let mut difficulty_failure = None;
                let made = maker.problem(
                    item,
                    |from, goal| {
                        solver.length(from, goal).unwrap_or_else(|error| {
                            failure = Some(error);
                            None
                        })
                    },
                    |from, goal| {
                        counter.difficulty(from, goal).unwrap_or_else(|error| {
                            difficulty_failure = Some(error);
                            None
                        })
                    },
                );
                progress.advance(1);
                match failure.or(difficulty_failure) {
                    Some(error) => Err(error.into()),
                    None => Ok(made?),
                }
            },
        )
        .collect()
}
