//! `Navigator`: one world, from a map to paths and crowds.

mod places;
mod world;

use crate::agent::Agent;
use crate::arrays::{Points, numbers, pair, points_of, standing, to_array};
use crate::crowd::Crowd;
use crate::errors::{Failure, Outcome, read, write};
use crate::long::{OfCall, watched_call};
use crate::map::Map;
use crate::numbers;
use crate::path::Path;
use crate::pool::on_threads;
use crate::questions::{batch, between, to_nearest};
use crate::requests::Requests;
use crate::units::unit_types;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping};
use std::path::PathBuf;
use std::sync::Arc;
use waypost::navigator::BuildOptions;

/// One world: a map that may change, the index that suits it, unit types, paths and crowds.
///
/// Points are `(x, y)`. A point outside the map or in a wall raises ValueError and is named; where there is no way the answer is
/// None. All methods may be called from any thread; paths are found with the interpreter released. `units` are types of units
/// beside the one of one cell (`{"tank": {"size": 2, "terrain": {"S": 3.0}}}`), `max_bytes` and `max_seconds` limit the index,
/// `progress` is None (a bar by tqdm where it is installed and a terminal looks on), True, False, or something to call with
/// a stage, the parts done and those in all. Ctrl-C stops a build.
///
/// >>> import numpy, waypost
/// >>> mask = numpy.ones((30, 40), dtype=bool)
/// >>> mask[:25, 20] = False
/// >>> nav = waypost.Navigator(waypost.Map.from_array(mask))
/// >>> path = nav.path((3, 4), (35, 4))
/// >>> path.points[0].tolist(), path.points[-1].tolist(), path.cost > 50
/// ([3, 4], [35, 4], True)
/// >>> nav.patch(block=[(20, y) for y in range(25, 30)])
/// 5
/// >>> print(nav.path((3, 4), (35, 4)))
/// None
#[pyclass(frozen, module = "waypost")]
pub struct Navigator {
    pub nav: waypost::Navigator,
    /// The map that it was built from.
    origin: Arc<Map>,
}

impl Navigator {
    /// The world as a unit type sees it.
    fn seen_by(&self, unit: Option<&str>) -> Outcome<waypost::Navigator> {
        match unit {
            None => Ok(self.nav.clone()),
            Some(name) => Ok(self.nav.for_unit(name)?),
        }
    }
}

fn usable(map: &Map) -> Outcome<()> {
    match map.size {
        1 => Ok(()),
        size => Err(Failure::Value(format!(
            "the map was made for units of {size} cells; give the map of one cell and unit types: Navigator(map, units={{\"large\": {{\"size\": {size}}}}})"
        ))),
    }
}

#[pymethods]
impl Navigator {
    #[new]
    #[pyo3(signature = (map, *, units=None, max_bytes=None, max_seconds=None, threads=None, progress=None))]
    fn new(
        map: &Bound<'_, Map>,
        units: Option<&Bound<'_, PyMapping>>,
        #[pyo3(from_py_with = numbers::max_bytes)] max_bytes: Option<u64>,
        #[pyo3(from_py_with = numbers::max_seconds)] max_seconds: Option<f64>,
        #[pyo3(from_py_with = numbers::threads)] threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Navigator> {
        let (py, given) = (map.py(), map.get());
        usable(given)?;
        let mut options = BuildOptions::default().progress(OfCall);
        if let Some(bytes) = max_bytes {
            options = options.max_bytes(bytes);
        }
        if let Some(seconds) = max_seconds {
            if seconds.is_nan() || seconds <= 0.0 {
                let text = format!("max_seconds is {seconds}; give a number above 0");
                return Err(Failure::Value(text).into());
            }
            options = options.max_seconds(seconds);
        }
        for unit in unit_types(units)? {
            options = options.unit_type(unit);
        }
        let nav = watched_call(py, progress, threads, || {
            Ok(waypost::Navigator::build_with(
                (*given.map).clone(),
                options,
            )?)
        })?;
        Ok(Navigator {
            nav,
            origin: Arc::new(given.with_grid(given.level.grid.clone())?),
        })
    }

    /// Opens a file that `save` wrote, for the map that its indexes are of (see `save`), with the same doors and rules; refused with ValueError
    /// for others. Doors may be open or closed.
    #[staticmethod]
    fn load(py: Python<'_>, map: &Bound<'_, Map>, file: PathBuf) -> PyResult<Navigator> {
        let given = map.get();
        let bytes = py.detach(|| read(&file))?;
        Navigator::open(py, given, bytes).map_err(|failure| match failure {
            Failure::Value(text) => Failure::of_file(&file, text).into(),
            other => other.into(),
        })
    }

    /// Opens the bytes that `to_bytes` gave, for the same map as `load`.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, map: &Bound<'_, Map>, data: Vec<u8>) -> PyResult<Navigator> {
        Ok(Navigator::open(py, map.get(), data)?)
    }

    /// Writes the file to ship with the map: all unit types and their indexes, without the map.
    ///
    /// The file is of the map that the indexes are of: the map as it was built or, where every index is "current" again after `rebuild`
    /// (`states` says so), the map as it is now, doors aside. Patches that no index knows yet are not in it.
    fn save(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        Ok(py.detach(|| write(&file, &self.nav.save()?))?)
    }

    /// What `save` writes, of the same map.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| -> Outcome<Vec<u8>> { Ok(self.nav.save()?) })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A shortest path; None where there is no way.
    #[pyo3(signature = (start, goal, *, unit=None))]
    fn path(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        unit: Option<&str>,
    ) -> PyResult<Option<Path>> {
        let (start, goal) = (pair(start, "start")?, pair(goal, "goal")?);
        let nav = self.seen_by(unit)?;
        let ask = || -> Outcome<_> {
            let fingerprint = nav.world().map().fingerprint();
            Ok(between(&nav, start, goal, |a, b| nav.path(a, b))?.map(|path| (fingerprint, path)))
        };
        let Some((fingerprint, path)) = py.detach(ask)? else {
            return Ok(None);
        };
        Path::new(py, nav, fingerprint, path).map(Some)
    }

    /// What a shortest path costs; None where there is no way.
    #[pyo3(signature = (start, goal, *, unit=None))]
    fn distance(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        unit: Option<&str>,
    ) -> PyResult<Option<f64>> {
        let (start, goal) = (pair(start, "start")?, pair(goal, "goal")?);
        let nav = self.seen_by(unit)?;
        Ok(py.detach(|| between(&nav, start, goal, |a, b| nav.distance(a, b)))?)
    }

    /// Many shortest paths at once, on all cores: points int32 [m, 2], offsets int64 [n + 1], costs float64 [n].
    ///
    /// Path i is `points[offsets[i]:offsets[i + 1]]`; where there is no way it is empty and its cost is inf. With `strict` an end
    /// outside the map or in a wall raises ValueError; without it such a path is empty too. Ctrl-C stops it.
    ///
    /// >>> import numpy, waypost
    /// >>> nav = waypost.Navigator(waypost.Map.from_array(numpy.ones((8, 8), dtype=bool)))
    /// >>> points, offsets, costs = nav.paths([(0, 0), (5, 5)], [(3, 0), (5, 7)])
    /// >>> points[offsets[1]:offsets[2]].tolist(), costs.tolist()
    /// ([[5, 5], [5, 6], [5, 7]], [3.0, 2.0])
    #[pyo3(signature = (starts, goals, *, unit=None, strict=true))]
    #[expect(clippy::type_complexity, reason = "three arrays")]
    fn paths<'py>(
        &self,
        py: Python<'py>,
        starts: &Bound<'py, PyAny>,
        goals: &Bound<'py, PyAny>,
        unit: Option<&str>,
        strict: bool,
    ) -> PyResult<(
        Bound<'py, PyArray2<i32>>,
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyArray1<f64>>,
    )> {
        let (starts, goals) = (
            Points::read(starts, "starts")?,
            Points::read(goals, "goals")?,
        );
        let (starts, goals) = match strict {
            true => (starts.pairs()?, goals.pairs()?),
            false => (starts.any_pairs()?, goals.any_pairs()?),
        };
        if starts.len() != goals.len() {
            let text = format!(
                "{} starts and {} goals; give one goal for every start",
                starts.len(),
                goals.len()
            );
            return Err(Failure::Value(text).into());
        }
        let nav = self.seen_by(unit)?;
        let found = batch(py, &nav, starts, goals, strict)?;
        let offsets = found.offsets().map(|offset| offset as i64).collect();
        let lengths = found.lengths().collect();
        Ok((
            points_of(py, &found)?,
            numbers(py, offsets),
            numbers(py, lengths),
        ))
    }

    /// Every cell whose cheapest path from a point costs at most `cost`: points int32 [n, 2], row by row, and costs float64 [n].
    ///
    /// >>> import numpy, waypost
    /// >>> nav = waypost.Navigator(waypost.Map.from_array(numpy.ones((8, 8), dtype=bool)))
    /// >>> points, costs = nav.range((0, 0), 1.0)
    /// >>> points.tolist(), costs.tolist()
    /// ([[0, 0], [1, 0], [0, 1]], [0.0, 1.0, 1.0])
    #[pyo3(signature = (start, cost, *, unit=None))]
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn range<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = numbers::cost)] cost: f64,
        unit: Option<&str>,
    ) -> PyResult<(Bound<'py, PyArray2<i32>>, Bound<'py, PyArray1<f64>>)> {
        let start = pair(start, "start")?;
        if !(0.0..).contains(&cost) {
            return Err(Failure::Value(format!("cost is {cost}; give 0 or more")).into());
        }
        let nav = self.seen_by(unit)?;
        let (points, costs) = py.detach(|| -> Outcome<(Vec<_>, Vec<_>)> {
            let start = {
                let map = nav.world().map();
                standing(&nav, &map, start, "start")?
            };
            Ok(nav.range(start, cost)?.into_iter().unzip())
        })?;
        Ok((to_array(py, points)?, numbers(py, costs)))
    }

    /// The goal that costs least to reach, of goals [n, 2]: its number and a shortest path to it; the first of equals. None where none can
    /// be reached; goals in walls are passed over.
    #[pyo3(signature = (start, goals, *, unit=None))]
    fn path_to_nearest(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goals: &Bound<'_, PyAny>,
        unit: Option<&str>,
    ) -> PyResult<Option<(usize, Path)>> {
        let start = pair(start, "start")?;
        let goals = Points::read(goals, "goals")?;
        let goals = goals.pairs()?;
        let nav = self.seen_by(unit)?;
        let found = py.detach(|| to_nearest(&nav, start, goals))?;
        let Some((number, fingerprint, path)) = found else {
            return Ok(None);
        };
        Ok(Some((number, Path::new(py, nav, fingerprint, path)?)))
    }

    /// A crowd without units. With `exclusive` only one unit may stand in a cell.
    ///
    /// `method` is an algorithm as the command line names it, whose index is built where there is none; `plan_operations` and `repair_operations` are what a tick may spend
    /// on plans and on indexes; without `lockstep` an index that is late is not waited for.
    #[pyo3(signature = (*, exclusive=false, method="waypost", plan_operations=None, repair_operations=None, lockstep=true, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn crowd(
        slf: Py<Self>,
        py: Python<'_>,
        exclusive: bool,
        method: &str,
        #[pyo3(from_py_with = numbers::plan_operations)] plan_operations: Option<u64>,
        #[pyo3(from_py_with = numbers::repair_operations)] repair_operations: Option<u64>,
        lockstep: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Crowd> {
        let mut options = waypost::navigator::CrowdOptions {
            exclusive,
            lockstep,
            method: method.to_string(),
            ..Default::default()
        };
        options.plan_operations = plan_operations.unwrap_or(options.plan_operations);
        options.repair_operations = repair_operations.unwrap_or(options.repair_operations);
        let nav = slf.get().nav.clone();
        Crowd::new(py, slf.into_any(), nav, options, progress)
    }

    /// An agent of any published method in this world, asked for one move at a time.
    #[pyo3(signature = (spec="waypost", *, unit=None, progress=None))]
    fn agent(
        &self,
        py: Python<'_>,
        spec: &str,
        unit: Option<&str>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Agent> {
        Agent::in_world(py, self.seen_by(unit)?.world().clone(), spec, progress)
    }

    /// A queue of requests for whole paths, spread over ticks. Those whose ends are at most `short` steps apart do not wait behind
    /// longer ones.
    #[pyo3(signature = (short=64, *, unit=None))]
    fn requests(
        &self,
        #[pyo3(from_py_with = numbers::short)] short: u32,
        unit: Option<&str>,
    ) -> PyResult<Requests> {
        Ok(Requests::new(self.seen_by(unit)?, short))
    }

    fn __repr__(&self) -> String {
        let map = self.nav.world().map();
        let (width, height) = (map.grid().width(), map.grid().height());
        let known = self.nav.inspect();
        format!(
            "Navigator(width={width}, height={height}, index={:?})",
            known.kind()
        )
    }
}

impl Navigator {
    fn open(py: Python<'_>, given: &Map, bytes: Vec<u8>) -> Outcome<Navigator> {
        usable(given)?;
        let opened = py.detach(|| {
            on_threads(None, || {
                waypost::Navigator::open((*given.map).clone(), bytes)
            })
        });
        Ok(Navigator {
            nav: opened??,
            origin: Arc::new(given.with_grid(given.level.grid.clone())?),
        })
    }
}
