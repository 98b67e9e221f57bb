//! `solve`: one path by any method, with what it took.

use crate::arrays::{inside, pair, to_array};
use crate::bench::open_indexes;
use crate::errors::{Failure, Outcome};
use crate::json::to_python;
use crate::long::{Watcher, watched};
use crate::map::given;
use crate::numbers;
use crate::path::points_of;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::path::PathBuf;
use waypost::Point;
use waypost::agent::{Context, Scratch};
use waypost::grid::Cell;
use waypost::questions::turns;
use waypost::run::{Outcome as Ended, UnlessCancelled, walk};
use waypost::spec::AgentSpec;
use waypost::{Map, agent::Meter};
use waypost_lab::optimal::Optimal;
use waypost_lab::workbench::Workbench;

/// Finds one path by a method: a dict with the fields of `waypost solve --json`, `path` as int32 [n, 2].
///
/// Ctrl-C stops it between two moves. `status` is "arrived", "unreachable" (with `cost` None), "gave-up" or "out-of-moves".
///
/// >>> import numpy, waypost
/// >>> m = waypost.Map.from_array(numpy.ones((10, 10), dtype=bool))
/// >>> answer = waypost.solve(m, (0, 0), (9, 3), "lrta")
/// >>> answer["status"], answer["moves"], answer["cost"] == answer["optimal_cost"]
/// ('arrived', 9, True)
#[pyfunction]
#[pyo3(signature = (map, start, goal, spec="waypost", *, indexes=None, max_moves=10_000_000, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn solve<'py>(
    map: &Bound<'py, PyAny>,
    start: &Bound<'py, PyAny>,
    goal: &Bound<'py, PyAny>,
    spec: &str,
    indexes: Option<Vec<PathBuf>>,
    #[pyo3(from_py_with = numbers::max_moves)] max_moves: u64,
    #[pyo3(from_py_with = numbers::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = map.py();
    let spec = AgentSpec::parse(spec).map_err(Failure::value)?;
    let map = given(map)?;
    let map = &*map.get().map;
    let cell = |value: &Bound<'_, PyAny>, name: &str| -> Outcome<Cell> {
        let at = pair(value, name)?;
        let point = inside(map, at, name)?;
        map.passable_cell(point)
            .ok_or_else(|| Failure::Value(format!("{name} (x={}, y={}) is a wall", at[0], at[1])))
    };
    let ends = (cell(start, "start")?, cell(goal, "goal")?);
    let watcher = Watcher::default();
    let (row, points) = watched(py, &watcher, progress, threads, || {
        if !map.components().connected(ends.0, ends.1) {
            return Ok((described(map, &spec, ends, None), Vec::new()));
        }
        let mut bench = Workbench::new(open_indexes(map, indexes.as_deref().unwrap_or_default())?);
        bench.prepare(map, &spec, &watcher)?;
        let mut agent = spec.build(map, bench.indexes()).map_err(Failure::value)?;
        let mut scratch = Scratch::new();
        let mut context = Context::new(map, &mut scratch);
        let walked = walk(
            agent.as_mut(),
            &mut context,
            ends.0,
            ends.1,
            max_moves,
            &mut UnlessCancelled::new(&mut (), &watcher),
        )
        .map_err(Failure::value)?;
        watcher.go_on()?;
        let optimal = Optimal::prepare(map, &watcher)
            .and_then(|optimal| optimal.lengths(map, &[ends], &watcher))
            .map_err(Failure::value)?;
        let length = map.path_length(&walked.path).unwrap_or_default();
        let found = Found {
            status: match walked.outcome {
                Ended::Arrived => "arrived",
                Ended::Unreachable => "gave-up",
                Ended::OutOfMoves => "out-of-moves",
            },
            cost: map.length(length),
            optimal_cost: map.length(optimal[0].unwrap_or_default()),
            moves: walked.path.len() - 1,
            turns: turns(map, &walked.path),
            decisions: walked.decisions,
            meter: walked.meter,
            ops_per_move_max: walked.operations_per_move_max,
        };
        Ok((
            described(map, &spec, ends, Some(found)),
            points_of(map, &walked.path),
        ))
    })?;
    let dict = to_python(py, &row)?.cast_into::<PyDict>()?;
    dict.set_item("path", to_array(py, points)?)?;
    Ok(dict)
}

struct Found {
    status: &'static str,
    cost: f64,
    optimal_cost: f64,
    moves: usize,
    turns: usize,
    decisions: u64,
    meter: Meter,
    ops_per_move_max: u64,
}

fn described(map: &Map, spec: &AgentSpec, ends: (Cell, Cell), found: Option<Found>) -> Value {
    let Point { x, y } = map.grid().point(ends.1);
    let mut row = json!({
        "algo": spec.to_string(),
        "goal": [x, y],
        "status": "unreachable",
        "cost": Value::Null,
        "optimal_cost": Value::Null,
        "moves": 0,
    });
    if let Some(found) = found {
        row["status"] = json!(found.status);
        row["cost"] = json!(found.cost);
        row["optimal_cost"] = json!(found.optimal_cost);
        row["moves"] = json!(found.moves);
        row["turns"] = json!(found.turns);
        row["decisions"] = json!(found.decisions);
        row["expansions"] = json!(found.meter.expansions);
        row["operations"] = json!(found.meter.operations());
        row["ops_per_move_max"] = json!(found.ops_per_move_max);
    }
    row
}
