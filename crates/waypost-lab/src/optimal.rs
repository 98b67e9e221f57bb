//! Shortest paths of many problems, by the fastest exact search that suits the map, on all threads.

use rayon::prelude::*;
use waypost::Map;
use waypost::agent::Scratch;
use waypost::agent::{Agent, Context};
use waypost::cost::Length;
use waypost::grid::Cell;
use waypost::index::BuildError;
use waypost::progress::Progress;
use waypost::run::{Outcome, Walk, walk};
use waypost::spec::{AgentSpec, SpecError};

use crate::workbench::Workbench;
use thiserror::Error;

/// Why no shortest path could be had: a fault of the search, not of the problem.
#[derive(Debug, Error)]
pub enum OptimalError {
    /// No exact search runs on this map.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Its index could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The search made an illegal path or none between connected cells.
    #[error("{algo} found no legal path between the connected cells {from:?} and {goal:?}")]
    Broken {
        /// The search.
        algo: String,
        /// The start.
        from: Cell,
        /// The goal.
        goal: Cell,
    },
}

/// Exact searches, the fastest first. Those that do not suit a map or its rules say so when they are built.
const EXACT: [&str; 4] = ["jump-graph", "jps", "astar", "dijkstra"];

/// Dense obstacles make nearly every cell a jump point, and jump-point graphs slower than A* (measured on random maps with a
/// quarter of the cells blocked: twice as slow).
const DENSE_CORNER_PERCENT: u64 = 20;

/// An exact search, ready for any number of problems on one map.
pub struct Optimal {
    spec: AgentSpec,
    bench: Workbench,
}

impl Optimal {
    /// Prepares the fastest exact search for a map.
    pub fn prepare(map: &Map, progress: &dyn Progress) -> Result<Optimal, OptimalError> {
        let dense = is_dense(map);
        let mut refusal = None;
        for name in EXACT.iter().filter(|name| !dense || !name.starts_with("j")) {
            match Optimal::with(map, name, progress) {
                Ok(ready) => return Ok(ready),
                Err(error) => refusal = Some(error),
            }
        }
        Err(refusal.expect("the list of exact searches is not empty"))
    }

    /// Prepares a search by its spec, which must be exact.
    pub fn with(map: &Map, spec: &str, progress: &dyn Progress) -> Result<Optimal, OptimalError> {
        let spec = AgentSpec::parse(spec)?;
        let mut bench = Workbench::default();
        bench.prepare(map, &spec, progress)?;
        spec.build(map, bench.indexes())?;
        Ok(Optimal { spec, bench })
    }

    /// The search in use.
    pub fn spec(&self) -> &AgentSpec {
        &self.spec
    }

    /// A solver for one thread.
    pub fn solver<'a>(&'a self, map: &'a Map) -> Result<Solver<'a>, OptimalError> {
        Ok(Solver {
            map,
            spec: &self.spec,
            agent: self.spec.build(map, self.bench.indexes())?,
            scratch: Scratch::new(),
        })
    }

    /// The moves of a shortest path for each pair of cells; `None` where there is no path or an end is blocked. Runs on all
    /// threads of the pool; the answers do not depend on their number.
    pub fn lengths(
        &self,
        map: &Map,
        pairs: &[(Cell, Cell)],
        progress: &dyn Progress,
    ) -> Result<Vec<Option<Length>>, OptimalError> {
        progress.begin("shortest paths", pairs.len() as u64);
        let chunk = pairs
            .len()
            .div_ceil(rayon::current_num_threads() * 8)
            .max(1);
        let parts: Vec<Vec<Option<Length>>> = pairs
            .par_chunks(chunk)
            .map(|part| {
                let mut solver = self.solver(map)?;
                part.iter()
                    .map(|&(from, goal)| {
                        progress.advance(1);
                        solver.length(from, goal)
                    })
                    .collect()
            })
            .collect::<Result<_, OptimalError>>()?;
        Ok(parts.concat())
    }
}

/// The exact search at work on one thread.
pub struct Solver<'a> {
    map: &'a Map,
    spec: &'a AgentSpec,
    agent: Box<dyn Agent<Map>>,
    scratch: Scratch,
}

impl Solver<'_> {
    /// The moves of a shortest path; `None` where there is no path or an end is blocked.
    pub fn length(&mut self, from: Cell, goal: Cell) -> Result<Option<Length>, OptimalError> {
        let path = self.path(from, goal)?;
        Ok(path.map(|path| self.map.path_length(&path).unwrap_or_default()))
    }

    /// How many moves a shortest path has, and the nodes that the search expanded. (The moves of a [`Length`] are weighted by
    /// factors on terrain.)
    pub fn effort(&mut self, from: Cell, goal: Cell) -> Result<Option<(u64, u64)>, OptimalError> {
        let walked = self.walk(from, goal)?;
        Ok(walked.map(|walked| {
            let moves = walked.path.len().saturating_sub(1) as u64;
            (moves, walked.meter.expansions)
        }))
    }

    /// A shortest path, both ends included.
    pub fn path(&mut self, from: Cell, goal: Cell) -> Result<Option<Vec<Cell>>, OptimalError> {
        Ok(self.walk(from, goal)?.map(|walked| walked.path))
    }

    fn walk(&mut self, from: Cell, goal: Cell) -> Result<Option<Walk>, OptimalError> {
        if !self.map.components().connected(from, goal) {
            return Ok(None);
        }
        let mut context = Context::new(self.map, &mut self.scratch);
        let walked = walk(
            self.agent.as_mut(),
            &mut context,
            from,
            goal,
            u64::MAX,
            &mut (),
        );
        walked
            .ok()
            .filter(|walked| {
                let legal = self.map.path_length(&walked.path).is_some();
                walked.outcome == Outcome::Arrived && legal
            })
            .map(Some)
            .ok_or_else(|| OptimalError::Broken {
                algo: self.spec.to_string(),
                from,
                goal,
            })
    }
}

/// Whether more than a fifth of a sample of passable cells touches a wall's corner.
fn is_dense(map: &Map) -> bool {
    let (mut corners, mut cells) = (0u64, 0u64);
    let step = (map.grid().passable_count() / 10_000).max(1) as usize;
    for cell in map.grid().cells().step_by(step) {
        cells += 1;
        let around = map.grid().neighbourhood(cell);
        let corner = [1u8, 3, 5, 7].into_iter().any(|number| {
            let passable = |n: u8| around.is_passable(waypost::Direction::from_number(n));
            !passable(number) && passable(number + 7) && passable(number + 1)
        });
        corners += u64::from(corner);
    }
    corners * 100 > cells * DENSE_CORNER_PERCENT
}
