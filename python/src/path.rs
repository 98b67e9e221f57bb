//! `Path`: what a question for a way is answered with.

use crate::arrays::to_array;
use crate::errors::{Failure, Outcome};
use numpy::PyArray2;
use pyo3::prelude::*;
use waypost::grid::Cell;
use waypost::questions::{few_turns, smooth};
use waypost::{Map, Navigator, Point};

/// A shortest path.
///
/// >>> import numpy, waypost
/// >>> nav = waypost.Navigator(waypost.Map.from_array(numpy.ones((8, 8), dtype=bool)))
/// >>> path = nav.path((0, 0), (3, 1))
/// >>> len(path), round(path.cost, 3), path.points.dtype.name
/// (4, 3.414, 'int32')
#[pyclass(frozen, module = "waypost")]
pub struct Path {
    nav: Navigator,
    /// The map that it was found on.
    fingerprint: u64,
    ends: [Point; 2],
    steps: usize,
    points: Py<PyArray2<i32>>,
    corners: Vec<Point>,
    /// What it costs: its length, or on terrain the sum of its steps' lengths times their factors.
    #[pyo3(get)]
    cost: f64,
}

impl Path {
    /// A path of a world that had this fingerprint when it was found.
    pub fn new(
        py: Python<'_>,
        nav: Navigator,
        fingerprint: u64,
        path: waypost::navigator::Path,
    ) -> PyResult<Path> {
        let points = path.points().to_vec();
        Ok(Path {
            nav,
            fingerprint,
            ends: [points[0], points[points.len() - 1]],
            steps: path.steps(),
            corners: path.corners(),
            cost: path.length(),
            points: to_array(py, points)?.unbind(),
        })
    }

    /// Does something with the map that the path was found on.
    fn on_its_map<R: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&Map, &[Cell]) -> R + Send,
    ) -> PyResult<R> {
        let corners = &self.corners;
        let answer = py.detach(|| -> Outcome<R> {
            let map = self.nav.world().map();
            if map.fingerprint() != self.fingerprint {
                return Err(Failure::Value(
                    "the world has changed since this path was found; ask for it again".to_string(),
                ));
            }
            Ok(ask(&map, &cells_between(&map, corners)))
        });
        Ok(answer?)
    }
}

/// The cells of a path that turns at these points.
fn cells_between(map: &Map, corners: &[Point]) -> Vec<Cell> {
    let mut cells = Vec::new();
    let toward = |from: u32, to: u32| (i64::from(to) - i64::from(from)).signum();
    for ends in corners.windows(2) {
        let (mut at, to) = (ends[0], ends[1]);
        while at != to {
            cells.extend(map.grid().cell(at));
            at.x = (i64::from(at.x) + toward(at.x, to.x)) as u32;
            at.y = (i64::from(at.y) + toward(at.y, to.y)) as u32;
        }
    }
    cells.extend(corners.last().and_then(|&last| map.grid().cell(last)));
    cells
}

#[pymethods]
impl Path {
    /// Every point (x, y), start and goal included: int32 [n, 2].
    #[getter]
    fn points(&self, py: Python<'_>) -> Py<PyArray2<i32>> {
        self.points.clone_ref(py)
    }

    /// The points at which it turns, start and goal included: int32 [n, 2].
    #[getter]
    fn corners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        to_array(py, self.corners.clone())
    }

    /// Straightens it: waypoints at any angle whose straight lines are free for the unit; never longer than the path.
    ///
    /// >>> import numpy, waypost
    /// >>> nav = waypost.Navigator(waypost.Map.from_array(numpy.ones((8, 8), dtype=bool)))
    /// >>> nav.path((0, 0), (6, 3)).smooth().points.tolist()
    /// [[0, 0], [6, 3]]
    fn smooth(&self, py: Python<'_>) -> PyResult<Smoothed> {
        let (points, length) = self.on_its_map(py, |map, cells| {
            let smoothed = smooth(map, cells);
            (points_of(map, &smoothed.waypoints), smoothed.length)
        })?;
        Ok(Smoothed {
            points: to_array(py, points)?.unbind(),
            length,
        })
    }

    /// The points of a path of the same cost with few turns: int32 [n, 2].
    fn few_turns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let points = self.on_its_map(py, |map, cells| points_of(map, &few_turns(map, cells)))?;
        to_array(py, points)
    }

    fn __len__(&self) -> usize {
        self.steps + 1
    }

    fn __repr__(&self) -> String {
        let [from, goal] = self.ends;
        format!(
            "Path(({}, {}) to ({}, {}), {} steps, cost={:.3})",
            from.x, from.y, goal.x, goal.y, self.steps, self.cost
        )
    }
}

/// The points of cells.
pub fn points_of(map: &Map, cells: &[Cell]) -> Vec<Point> {
    cells.iter().map(|&cell| map.grid().point(cell)).collect()
}

/// A straightened path.
#[pyclass(frozen, module = "waypost")]
pub struct Smoothed {
    points: Py<PyArray2<i32>>,
    /// Its length, or on terrain its cost.
    #[pyo3(get)]
    length: f64,
}

#[pymethods]
impl Smoothed {
    /// Start, turns and goal: int32 [n, 2].
    #[getter]
    fn points(&self, py: Python<'_>) -> Py<PyArray2<i32>> {
        self.points.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        format!("Smoothed(length={:.3})", self.length)
    }
}
