//! `bench`: algorithms over scenarios, as the command line runs them; `scenario`: problems to run them on.

use crate::arrays::{copied, kind};
use crate::errors::{Failure, Outcome, read, write};
use crate::json::rows;
use crate::long::{Watcher, watched};
use crate::map::{Map, given};
use crate::numbers;
use numpy::{Ix2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use waypost::Point;
use waypost::artifact::Artifact;
use waypost::formats::scen::{self, Problem};
use waypost::index::{BuildError, Indexes};
use waypost::progress::Progress;
use waypost::spec::AgentSpec;
use waypost_lab::bench::{Bench, BenchError};
use waypost_lab::journey::{Conditions, MAX_SENSOR, MAX_TRIALS};
use waypost_lab::lab::places::evenly;
use waypost_lab::make::{MakeError, make_problems};
use waypost_lab::measure::MeasureError;
use waypost_lab::optimal::OptimalError;
use waypost_lab::problems::Wanted;

/// Specs as a list, or as one text with `;` between them.
pub fn specs(given: &Bound<'_, PyAny>) -> PyResult<Vec<AgentSpec>> {
    let texts: Vec<String> = match given.extract::<String>() {
        Ok(text) => text.split(';').map(str::to_string).collect(),
        Err(_) => given.extract()?,
    };
    let texts: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
    if texts.is_empty() {
        return Err(Failure::value("specs names no algorithm; see waypost.algorithms").into());
    }
    let parsed: Result<_, _> = texts.iter().map(|text| AgentSpec::parse(text)).collect();
    Ok(parsed.map_err(Failure::value)?)
}

/// Indexes from files, for a map.
pub fn open_indexes(map: &waypost::Map, files: &[PathBuf]) -> Outcome<Indexes> {
    let mut indexes = Indexes::new();
    for path in files {
        let named = |error: &dyn std::fmt::Display| Failure::of_file(path, error);
        let artifact = Artifact::open(read(path)?).map_err(|error| named(&error))?;
        let index = waypost::index::open(&artifact, map).map_err(|error| named(&error))?;
        indexes.add(index);
    }
    Ok(indexes)
}

/// Problems from a scenario file, or from an array of whole numbers [n, 4]: start x, start y, goal x, goal y.
fn problems(scen: &Bound<'_, PyAny>, map: &Map) -> PyResult<Vec<Problem>> {
    if let Ok(path) = scen.extract::<PathBuf>() {
        return Ok(scen.py().detach(|| from_file(&path, map))?);
    }
    let (kind, dtype, _) = kind(scen, "scen")?;
    if !matches!(kind, 'i' | 'u') {
        let text = format!(
            "scen has elements of type {dtype}; give a .scen file, or whole numbers [n, 4]: start x, y, goal x, y"
        );
        return Err(Failure::Type(text).into());
    }
    let array = copied::<i64, Ix2>(scen, "int64", "scen")?;
    if array.shape()[1] != 4 {
        let text = format!(
            "scen has the shape {:?}; expected [n, 4]: start x, y, goal x, y",
            array.shape()
        );
        return Err(Failure::Value(text).into());
    }
    let grid = &map.level.grid;
    let mut all = Vec::with_capacity(array.shape()[0]);
    for (i, row) in array.as_array().rows().into_iter().enumerate() {
        let end = |at: usize, name: &str| -> Outcome<Point> {
            let pair = [row[at], row[at + 1]];
            crate::arrays::inside(&map.map, pair, &format!("scen[{i}]: the {name}"))
        };
        all.push(Problem {
            bucket: 0,
            map_name: "".into(),
            width: grid.width(),
            height: grid.height(),
            start: end(0, "start")?,
            goal: end(2, "goal")?,
            length: 0.0,
            tolerance: 0.0,
        });
    }
    Ok(all)
}

fn from_file(path: &Path, map: &Map) -> Outcome<Vec<Problem>> {
    let named = |error: &dyn std::fmt::Display| Failure::of_file(path, error);
    let problems = scen::parse(&read(path)?).map_err(|error| named(&error))?;
    scen::check_size(&problems, map.map.grid()).map_err(|error| named(&error))?;
    Ok(problems)
}

fn failure(error: BenchError) -> Failure {
    match error {
        BenchError::Build(BuildError::Cancelled)
        | BenchError::Optimal(OptimalError::Build(BuildError::Cancelled))
        | BenchError::Measure(MeasureError::Cancelled) => Failure::Cancelled,
        other => Failure::value(other),
    }
}

/// Runs algorithms over a scenario file: a dict for each, with the fields of `waypost bench --json`.
///
/// `map` is a Map or the file of one, `scen` a .scen file or whole numbers [n, 4] (start x, y, goal x, y), `specs` are algorithms as the
/// command line names them. `indexes` are files; what is needed and not given is built. `limit` takes so many problems, evenly.
/// With `sensor` agents take the map to be free of walls and see so many cells around them; with `trials` they walk a problem again
/// and again, with what they have learned, until they walk the same way three times (`convergence`).
/// `pandas.json_normalize(rows)` makes flat columns such as `query_us.mean`.
///
/// >>> import waypost
/// >>> m = waypost.Map.generate("caves", 64, 48, seed=3)
/// >>> rows = waypost.bench(m, waypost.scenario(m, 20, seed=1), ["astar", "waypost"])
/// >>> [(row["algo"], row["solved"], row["suboptimality_pct"]["max"]) for row in rows]
/// [('astar', 20, 0.0), ('waypost', 20, 0.0)]
#[pyfunction]
#[pyo3(signature = (map, scen, specs=None, *, indexes=None, limit=None, max_moves=10_000_000, sensor=None, trials=1, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn bench<'py>(
    map: &Bound<'py, PyAny>,
    scen: &Bound<'py, PyAny>,
    specs: Option<&Bound<'py, PyAny>>,
    indexes: Option<Vec<PathBuf>>,
    #[pyo3(from_py_with = numbers::limit)] limit: Option<usize>,
    #[pyo3(from_py_with = numbers::max_moves)] max_moves: u64,
    #[pyo3(from_py_with = numbers::sensor)] sensor: Option<u32>,
    #[pyo3(from_py_with = numbers::trials)] trials: u32,
    #[pyo3(from_py_with = numbers::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = map.py();
    if !(1..=MAX_SENSOR).contains(&sensor.unwrap_or(1)) || !(1..=MAX_TRIALS).contains(&trials) {
        let text = format!("expected sensor from 1 to {MAX_SENSOR}, trials from 1 to {MAX_TRIALS}");
        return Err(Failure::Value(text).into());
    }
    let conditions = Conditions { sensor, trials };
    let usual = pyo3::types::PyString::new(py, "waypost").into_any();
    let specs = self::specs(specs.unwrap_or(&usual))?;
    let map = given(map)?;
    let map = map.get();
    let mut listed = problems(scen, map)?;
    if let Some(limit) = limit {
        listed = evenly(&listed, limit);
    }
    let watcher = Watcher::default();
    let found = watched(py, &watcher, progress, threads, || {
        let unknown = conditions.unknown(&map.map);
        let known = unknown.as_ref().unwrap_or(&map.map);
        let given = open_indexes(known, indexes.as_deref().unwrap_or_default())?;
        let bench = Bench::prepare(&map.map, &specs, &listed, given, conditions, &watcher)
            .map_err(failure)?;
        if watcher.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let results = bench.run(max_moves, &watcher).map_err(failure)?;
        Ok((bench.problems(), bench.unsolvable(), results))
    })?;
    let (solvable, unsolvable, results) = found;
    let rules = map.rules;
    let described = results.iter().map(|result| -> Outcome<Value> {
        let mut row = serde_json::to_value(result).map_err(Failure::value)?;
        row["map"] = json!(map.title());
        row["rules"] = json!({
            "costs": rules.costs.name(),
            "corners": rules.corners.name(),
            "moves": rules.ways(),
        });
        row["problems"] = json!(solvable);
        row["unsolvable"] = json!(unsolvable);
        Ok(row)
    });
    rows(py, &described.collect::<Outcome<Vec<_>>>()?)
}

/// The problems of a scenario as whole numbers int32 [n, 4]: start x, y, goal x, y.
#[pyfunction]
pub fn read_scenario<'py>(
    scen: &Bound<'py, PyAny>,
    map: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let map = given(map)?;
    let read = problems(scen, map.get())?;
    as_rows(scen.py(), &read)
}

/// The ends of problems, four numbers a row.
fn as_rows<'py>(py: Python<'py>, problems: &[Problem]) -> PyResult<Bound<'py, PyAny>> {
    let ends = problems.iter().flat_map(|p| [p.start, p.goal]).collect();
    let array = crate::arrays::to_array(py, ends)?;
    array.call_method1("reshape", (problems.len(), 4))
}

/// Makes solvable problems from a seed: whole numbers int32 [n, 4], start x, y, goal x, y; with `out` a .scen file too.
#[pyfunction]
#[pyo3(signature = (map, count, seed=0, *, min_cost=0.0, max_cost=None, out=None, progress=None))]
pub fn scenario<'py>(
    map: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = numbers::count)] count: usize,
    #[pyo3(from_py_with = numbers::seed)] seed: u64,
    #[pyo3(from_py_with = numbers::min_cost)] min_cost: f64,
    #[pyo3(from_py_with = numbers::max_cost)] max_cost: Option<f64>,
    out: Option<PathBuf>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = map.py();
    let map = given(map)?;
    let map = map.get();
    let wanted = Wanted {
        count,
        seed,
        least: min_cost,
        most: max_cost,
        difficulty: Vec::new(),
        map_name: map.title(),
    };
    let watcher = Watcher::default();
    let made = watched(py, &watcher, progress, None, || {
        make_problems(&map.map, &wanted, &watcher).map_err(|error| match error {
            MakeError::Problems(error) => Failure::value(error),
            MakeError::Optimal(error) => failure(error.into()),
        })
    })?;
    if let Some(path) = &out {
        py.detach(|| write(path, &scen::write(&made)))?;
    }
    as_rows(py, &made)
}
