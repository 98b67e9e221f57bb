//! `Agent`: a published method, asked for one move at a time.

use crate::arrays::{Pair, pair, to_array};
use crate::errors::{Failure, Outcome};
use crate::long::{Watcher, watched};
use crate::map::given;
use crate::numbers;
use crate::path::points_of;
use crate::requests::alone;
use numpy::PyArray2;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};
use waypost::agent::{Context, Decision, Meter, Scratch};
use waypost::cost::Length;
use waypost::grid::Cell;
use waypost::index::{Indexes, Shard, build};

use waypost::spec::AgentSpec;
use waypost::{Map, World};

/// One walker of a method by name, such as "lrta", "tba:slice=50" or "knn-lrta"; `waypost.algorithms` has the names.
///
/// The index that the method needs is built where there is none. Agents of `Navigator.agent` walk in a world that changes.
///
/// >>> import numpy, waypost
/// >>> agent = waypost.Agent(waypost.Map.from_array(numpy.ones((10, 10), dtype=bool)), "lrta")
/// >>> agent.start((0, 0), (3, 1))
/// >>> while agent.step() in ("moved", "thinking"):
/// ...     pass
/// >>> agent.position, agent.status, len(agent.path)
/// ((3, 1), 'arrived', 4)
#[pyclass(frozen, module = "waypost")]
pub struct Agent {
    world: Arc<World>,
    spec: AgentSpec,
    inner: Mutex<Inner>,
}

struct Inner {
    agent: Box<dyn waypost::Agent<Map>>,
    scratch: Scratch,
    path: Vec<Cell>,
    /// What it has walked, as the ground was then.
    walked: Length,
    goal: Option<Cell>,
    status: &'static str,
    last: Meter,
    total: Meter,
}

/// Builds what a method needs and the world does not have.
pub fn provide(
    py: Python<'_>,
    world: &World,
    spec: &AgentSpec,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let needs = spec.needs().into_iter();
    let missing: Vec<_> = needs
        .filter(|request| !world.indexes().has(request))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let watcher = Watcher::default();
    watched(py, &watcher, progress, None, || {
        for request in &missing {
            world.provide_watched(request, &watcher)?;
        }
        Ok(())
    })
}

impl Agent {
    /// An agent in a world that others may share.
    pub fn in_world(
        py: Python<'_>,
        world: Arc<World>,
        spec: &str,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Agent> {
        let spec = AgentSpec::parse(spec).map_err(Failure::value)?;
        provide(py, &world, &spec, progress)?;
        let agent = py.detach(|| -> Outcome<_> {
            let (map, indexes) = (world.map(), world.indexes());
            spec.build(&map, &indexes).map_err(Failure::value)
        })?;
        Ok(Agent {
            world,
            spec,
            inner: Mutex::new(Inner {
                agent,
                scratch: Scratch::new(),
                path: Vec::new(),
                walked: Length::default(),
                goal: None,
                status: "idle",
                last: Meter::default(),
                total: Meter::default(),
            }),
        })
    }

    fn start_at(&self, start: Pair, goal: Pair) -> Outcome<()> {
        let map = self.world.map();
        let cell = |at: Pair, name: &str| -> Outcome<Cell> {
            let point = crate::arrays::inside(&map, at, name)?;
            map.passable_cell(point).ok_or_else(|| {
                Failure::Value(format!("{name} (x={}, y={}) is a wall", at[0], at[1]))
            })
        };
        let (start, goal) = (cell(start, "start")?, cell(goal, "goal")?);
        let inner = &mut *alone(&self.inner, "agent")?;
        let mut context = Context::new(&*map, &mut inner.scratch);
        inner.agent.start(&mut context, start, goal);
        (inner.last, inner.total) = (context.meter, context.meter);
        (inner.path, inner.goal) = (vec![start], Some(goal));
        inner.walked = Length::default();
        inner.status = "moving";
        Ok(())
    }
}

impl Inner {
    fn step(&mut self, map: &Map) -> Outcome<&'static str> {
        let Some(&at) = self.path.last() else {
            let text = "the agent has no problem yet; call start(start, goal)";
            return Err(Failure::Value(text.to_string()));
        };
        let mut context = Context::new(map, &mut self.scratch);
        let decision = self.agent.next_move(&mut context, at);
        self.last = context.meter;
        self.total.add(&context.meter);
        let (answer, status) = match decision {
            Decision::Step(to) => {
                let Some(step) = map.path_length(&[at, to]) else {
                    let text = "the agent wanted to make an illegal move; please report this map";
                    return Err(Failure::State(text.to_string()));
                };
                self.walked.straight += step.straight;
                self.walked.diagonal += step.diagonal;
                self.path.push(to);
                ("moved", "moving")
            }
            Decision::Thinking => ("thinking", "moving"),
            Decision::Arrived => ("arrived", "arrived"),
            Decision::Unreachable => ("unreachable", "unreachable"),
        };
        self.status = status;
        Ok(answer)
    }
}

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (map, spec="waypost", *, threads=None, progress=None))]
    fn new(
        map: &Bound<'_, PyAny>,
        spec: &str,
        #[pyo3(from_py_with = numbers::threads)] threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Agent> {
        let py = map.py();
        let map = given(map)?;
        let map = (*map.get().map).clone();
        let parsed = AgentSpec::parse(spec).map_err(Failure::value)?;
        let watcher = Watcher::default();
        let world = watched(py, &watcher, progress, threads, || {
            let mut indexes = Indexes::new();
            for request in parsed.needs() {
                let built = build(&map, &request, Shard::WHOLE, &watcher)?;
                indexes.add_built(request, built);
            }
            Ok(World::new(map, &indexes))
        })?;
        Agent::in_world(
            py,
            world,
            spec,
            Some(pyo3::types::PyBool::new(py, false).as_any()),
        )
    }

    /// Begins a problem.
    fn start(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (start, goal) = (pair(start, "start")?, pair(goal, "goal")?);
        Ok(py.detach(|| self.start_at(start, goal))?)
    }

    /// Makes the move of this tick: "moved", "thinking" (the budget of this tick is used up), "arrived" or "unreachable".
    fn step(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(py.detach(|| {
            let map = self.world.map();
            alone(&self.inner, "agent")?.step(&map)
        })?)
    }

    /// Steps until it has arrived or given up, at most `limit` times; gives `status`.
    #[pyo3(signature = (limit=10_000_000))]
    fn walk(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = numbers::limit)] limit: u64,
    ) -> PyResult<&'static str> {
        let watcher = Watcher::default();
        let quiet = pyo3::types::PyBool::new(py, false).to_owned();
        watched(py, &watcher, Some(quiet.as_any()), None, || {
            use waypost::progress::Progress;
            let mut inner = alone(&self.inner, "agent")?;
            for _ in 0..limit {
                let answer = inner.step(&self.world.map())?;
                if matches!(answer, "arrived" | "unreachable") {
                    break;
                }
                if watcher.is_cancelled() {
                    return Err(Failure::Cancelled);
                }
            }
            Ok(inner.status)
        })
    }

    /// Where it stands, as (x, y); None before `start`.
    #[getter]
    fn position(&self) -> PyResult<Option<(u32, u32)>> {
        let inner = alone(&self.inner, "agent")?;
        let map = self.world.map();
        let at = inner.path.last().map(|&cell| map.grid().point(cell));
        Ok(at.map(|p| (p.x, p.y)))
    }

    /// "idle", "moving", "arrived" or "unreachable".
    #[getter]
    fn status(&self) -> PyResult<&'static str> {
        Ok(alone(&self.inner, "agent")?.status)
    }

    /// Every point that it has stood on: int32 [n, 2].
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let points = {
            let inner = alone(&self.inner, "agent")?;
            points_of(&self.world.map(), &inner.path)
        };
        to_array(py, points)
    }

    /// What it has walked so far costs.
    #[getter]
    fn cost(&self) -> PyResult<f64> {
        let inner = alone(&self.inner, "agent")?;
        Ok(self.world.map().length(inner.walked))
    }

    /// Operations of the last move, and of all together.
    #[getter]
    fn operations(&self) -> PyResult<(u64, u64)> {
        let inner = alone(&self.inner, "agent")?;
        Ok((inner.last.operations(), inner.total.operations()))
    }

    /// The most operations that a move may take; None for methods that have no bound.
    #[getter]
    fn operations_bound(&self) -> PyResult<Option<u64>> {
        let inner = alone(&self.inner, "agent")?;
        Ok(inner.agent.operations_bound(&self.world.map()))
    }

    /// Strictly on-line memory in bytes.
    #[getter]
    fn memory_bytes(&self) -> PyResult<usize> {
        Ok(alone(&self.inner, "agent")?.agent.memory_bytes())
    }

    fn __repr__(&self) -> String {
        format!("Agent({:?})", self.spec.to_string())
    }
}
