//! `bench`: algorithms over scenarios, as the command line runs them; `scenario`: problems to run them on.

use crate::arrays::{inside, outside_every_map};
use crate::errors::{Failure, Outcome, can_write, read, write};
use crate::json::rows;
use crate::long::{Watcher, watched};
use crate::map::{Map, given};
use crate::numbers;
use crate::whole::{Other, Whole};
use numpy::PyUntypedArrayMethods;
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

/// Problems from a scenario file, or from an array of whole numbers [n, 4]: start x, start y, goal x, goal y. Where it is strict, every end can be
/// stood on.
fn problems(scen: &Bound<'_, PyAny>, map: &Map, is_strict: bool) -> PyResult<Vec<Problem>> {
    let (listed, given) = match scen.extract::<PathBuf>() {
        Ok(path) => (scen.py().detach(|| from_file(&path, map))?, Some(path)),
        Err(_) => (from_array(scen, map, is_strict)?, None),
    };
    if is_strict {
        let name = |i: usize| match &given {
            Some(path) => format!("{}: problem {}", path.display(), i + 1),
            None => format!("scen[{i}]"),
        };
        scen.py().detach(|| can_be_stood_on(&listed, map, name))?;
    }
    Ok(listed)
}

fn from_array(scen: &Bound<'_, PyAny>, map: &Map, is_strict: bool) -> PyResult<Vec<Problem>> {
    let whole = Whole::read(scen, "scen")?.map_err(|Other { dtype, .. }| {
        Failure::Type(format!(
            "scen has elements of type {dtype}; give a .scen file, or whole numbers [n, 4]: start x, y, goal x, y"
        ))
    })?;
    let shape = whole.array.shape();
    if shape.len() != 2 || shape[1] != 4 {
        let text = format!("scen has the shape {shape:?}; expected [n, 4]: start x, y, goal x, y");
        return Err(Failure::Value(text).into());
    }
    let grid = &map.level.grid;
    let numbers = whole.array.as_slice().map_err(Failure::value)?;
    let rows = numbers.as_chunks::<4>().0.iter().enumerate();
    let problem = |(i, row): (usize, &[i64; 4])| -> Outcome<Problem> {
        let end = |at: usize, name: &str| {
            let name = format!("scen[{i}]: the {name}");
            let beyond = whole.first_beyond();
            if is_strict && beyond.is_some_and(|place| place / 2 == i * 2 + at / 2) {
                let [x, y] = [at, at + 1].map(|at| whole.given(i * 4 + at));
                return Err(Failure::Value(outside_every_map(&name, &x, &y)));
            }
            match inside(&map.map, [row[at], row[at + 1]], &name) {
                // Outside every map, and so no way leads there.
                Err(_) if !is_strict => Ok(Point {
                    x: u32::MAX,
                    y: u32::MAX,
                }),
                place => place,
            }
        };
        Ok(Problem {
            bucket: 0,
            map_name: "".into(),
            width: grid.width(),
            height: grid.height(),
            start: end(0, "start")?,
            goal: end(2, "goal")?,
            length: 0.0,
            tolerance: 0.0,
        })
    };
    Ok(rows.map(problem).collect::<Outcome<_>>()?)
}

fn from_file(path: &Path, map: &Map) -> Outcome<Vec<Problem>> {
    let named = |error: &dyn std::fmt::Display| Failure::of_file(path, error);
    let problems = scen::parse(&read(path)?).map_err(|error| named(&error))?;
    scen::check_size(&problems, map.map.grid()).map_err(|error| named(&error))?;
    Ok(problems)
}

/// Refuses the first end that is a wall or outside the map.
fn can_be_stood_on(problems: &[Problem], map: &Map, name: impl Fn(usize) -> String) -> Outcome<()> {
    let map = &*map.map;
    let free = |p: Point| map.passable_cell(p).is_some();
    for (i, problem) in problems.iter().enumerate() {
        for (end, at) in [("start", problem.start), ("goal", problem.goal)] {
            if free(at) {
                continue;
            }
            let name = format!("{}: the {end}", name(i));
            inside(map, [at.x, at.y].map(i64::from), &name)?;
            let mut text = format!("{name} (x={}, y={}) is a wall", at.x, at.y);
            let swapped = |p: Point| free(Point { x: p.y, y: p.x });
            if problems.iter().all(|p| swapped(p.start) && swapped(p.goal)) {
                text += "; with x and y swapped all ends are free: a row is start x, y, goal x, y, and x is the column";
            }
            text += "; with strict=False such problems count as unsolvable";
            return Err(Failure::Value(text));
        }
    }
    Ok(())
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
/// An end in a wall or outside the map is refused with ValueError; with `strict=False` such problems count as `unsolvable`, as those
/// without a way do. Ctrl-C stops it between two moves.
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
#[pyo3(signature = (map, scen, specs=None, *, indexes=None, limit=None, max_moves=10_000_000, sensor=None, trials=1, strict=true, threads=None, progress=None))]
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
    strict: bool,
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
    let mut listed = problems(scen, map, strict)?;
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
///
/// An end in a wall of the map or outside it is refused with ValueError; with `strict=False` it is as the file has it.
#[pyfunction]
#[pyo3(signature = (scen, map, *, strict=true))]
pub fn read_scenario<'py>(
    scen: &Bound<'py, PyAny>,
    map: &Bound<'py, PyAny>,
    strict: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let map = given(map)?;
    let read = problems(scen, map.get(), strict)?;
    as_rows(scen.py(), &read)
}

/// The ends of problems, four numbers a row.
fn as_rows<'py>(py: Python<'py>, problems: &[Problem]) -> PyResult<Bound<'py, PyAny>> {
    let ends = problems.iter().flat_map(|p| [p.start, p.goal]).collect();
    let array = crate::arrays::to_array(py, ends)?;
    array.call_method1("reshape", (problems.len(), 4))
}

/// Makes solvable problems from a seed: whole numbers int32 [n, 4], start x, y, goal x, y; with `out` a .scen file too. At most ten million.
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
    if let Some(path) = &out {
        can_write(path)?;
    }
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
