//! What changes a world: walls, doors, unit types and the upkeep of indexes.

use super::Navigator;
use crate::arrays::{Points, to_array};
use crate::errors::Failure;
use crate::long::{OfCall, Watcher, watched, watched_call};
use crate::map::Map;
use crate::numbers;
use crate::pool::on_threads;
use crate::questions::{change, set_doors};
use crate::units::unit_type;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use waypost::index::slot::IndexState;

/// Operations of repairs between two looks at Ctrl-C: some hundredths of a second.
const SLICE: u64 = 1 << 23;

impl Navigator {
    /// Whether an index is being repaired or rebuilt.
    fn is_at_work(&self) -> bool {
        let mut states = self.nav.index_states().into_iter();
        states.any(|(_, _, state)| matches!(state, IndexState::Repairing | IndexState::Rebuilding))
    }
}

#[pymethods]
impl Navigator {
    /// Makes cells walls or free; gives the number of cells that changed. Paths see it at once, crowds at their next tick.
    ///
    /// `block` and `open` are points [n, 2]. A cell in both becomes a wall.
    #[pyo3(signature = (block=None, open=None))]
    fn patch(
        &self,
        py: Python<'_>,
        block: Option<&Bound<'_, PyAny>>,
        open: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        change(py, &self.nav, block, open)
    }

    /// Opens and closes doors; gives the number of cells that changed. No index becomes stale by that.
    ///
    /// >>> import numpy, waypost
    /// >>> mask = numpy.ones((5, 9), dtype=bool)
    /// >>> mask[:, 4] = False
    /// >>> doors = numpy.zeros_like(mask)
    /// >>> doors[2, 4] = True
    /// >>> nav = waypost.Navigator(waypost.Map.from_array(mask, doors=doors))
    /// >>> print(nav.distance((0, 2), (8, 2)))
    /// None
    /// >>> nav.set_doors(open=[(4, 2)])
    /// 1
    /// >>> nav.distance((0, 2), (8, 2))
    /// 8.0
    #[pyo3(signature = (open=None, close=None))]
    fn set_doors(
        &self,
        py: Python<'_>,
        open: Option<&Bound<'_, PyAny>>,
        close: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        let open = Points::read_if_given(open, "open")?;
        let close = Points::read_if_given(close, "close")?;
        Ok(py.detach(|| set_doors(&self.nav, &open, &close))?)
    }

    /// Adds a type of unit and builds its index. Gives its name; one that a type of the world has is refused, and so is `unit`.
    ///
    /// `size` is the number of cells along a side; a unit's position is its top left cell. `terrain` says what kinds of
    /// ground cost this type (`{"S": 3.0, "W": None}`, None is a wall for it).
    ///
    /// >>> import numpy, waypost
    /// >>> mask = numpy.ones((9, 9), dtype=bool)
    /// >>> mask[:, 4] = False
    /// >>> mask[3, 4] = True                                      # a gap of one cell
    /// >>> nav = waypost.Navigator(waypost.Map.from_array(mask))
    /// >>> tank = nav.unit_type("tank", size=2)
    /// >>> nav.path((0, 0), (7, 0)) is None, nav.path((0, 0), (7, 0), unit=tank) is None
    /// (False, True)
    #[pyo3(signature = (name, *, size=1, terrain=None, threads=None, progress=None))]
    fn unit_type(
        &self,
        py: Python<'_>,
        name: &str,
        #[pyo3(from_py_with = numbers::size)] size: u32,
        terrain: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = numbers::threads)] threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let unit = unit_type(name, size, terrain)?;
        let built = watched_call(py, progress, threads, || {
            Ok(self.nav.unit_type_job(unit).progress(OfCall).run()?)
        })?;
        // Added when `progress` has had its last word: what it stops is not there.
        let added = py.detach(|| self.nav.add_built_unit_type(built));
        added.map_err(Failure::from)?;
        Ok(name.to_string())
    }

    /// The names of all unit types; the first is the one of one cell.
    #[getter]
    fn unit_types(&self) -> Vec<String> {
        let units = self.nav.unit_types();
        units.iter().map(|unit| unit.name().to_string()).collect()
    }

    /// The map as it is now.
    #[getter]
    fn map(&self, py: Python<'_>) -> PyResult<Map> {
        Ok(py.detach(|| {
            let grid = self.nav.world().map().grid().clone();
            self.origin.with_grid(grid)
        })?)
    }

    /// Another world, equal to this one until either changes.
    fn fork(&self, py: Python<'_>) -> PyResult<Navigator> {
        let nav = py.detach(|| self.nav.fork()).map_err(Failure::from)?;
        Ok(Navigator {
            nav,
            origin: self.origin.clone(),
        })
    }

    /// How the indexes of all unit types stand: dicts with `unit`, `index` and `state` ("current", "repairing", "rebuilding", "stale").
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for (unit, kind, state) in self.nav.index_states() {
            let row = PyDict::new(py);
            row.set_item("unit", unit)?;
            row.set_item("index", kind.name())?;
            let state = match state {
                IndexState::Stale => "stale",
                other => other.name(),
            };
            row.set_item("state", state)?;
            list.append(row)?;
        }
        Ok(list)
    }

    /// Carries repairs of indexes on for about this many operations each, and says how many were published. Crowds do this with every
    /// tick; a world without crowds does it here.
    #[pyo3(signature = (operations=20_000))]
    fn advance(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = numbers::operations)] operations: u64,
    ) -> PyResult<usize> {
        let work = || on_threads(None, || self.nav.advance(operations).len());
        Ok(py.detach(work)?)
    }

    /// Builds again what is stale, and waits for it; says how many indexes that were. Where Ctrl-C or `progress` stops it, the next call
    /// begins again with what was not done.
    #[pyo3(signature = (*, threads=None, progress=None))]
    fn rebuild(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = numbers::threads)] threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        let watcher = Watcher::default();
        watched(py, &watcher, progress, threads, || {
            let jobs = self.nav.rebuild_jobs();
            let count = jobs.len();
            for job in jobs {
                job.run(&watcher);
                watcher.go_on()?;
            }
            while self.is_at_work() {
                watcher.go_on()?;
                self.nav.advance(SLICE);
            }
            // What goes with indexes.
            self.nav.advance(1 << 40);
            Ok(count)
        })
    }

    /// The cells that are doors, open or closed, int32 [n, 2].
    #[getter]
    fn doors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let doors = self.origin.level.doors.iter();
        to_array(py, doors.map(|door| door.at).collect())
    }

    /// The index that was chosen: a dict with `kind`, `reason`, `memory_bytes` and `facts`.
    #[getter]
    fn index<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let known = self.nav.inspect();
        let dict = PyDict::new(py);
        dict.set_item("kind", known.kind())?;
        dict.set_item("reason", &known.reason)?;
        dict.set_item("memory_bytes", known.memory_bytes)?;
        let facts = PyDict::new(py);
        for (name, value) in &known.facts {
            facts.set_item(name, value)?;
        }
        dict.set_item("facts", facts)?;
        Ok(dict)
    }
}
