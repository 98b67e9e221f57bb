//! `Crowd`: many units in one world.

use crate::agent::provide;
use crate::arrays::{Pair, Points, inside, numbers, pair, shown, to_array};
use crate::errors::{Failure, Outcome};
use crate::events::{Event, Tick};
use crate::ids::{read_ids, read_speeds};
use crate::members::Members;
use crate::numbers;
use crate::pool::on_threads;
use crate::questions::{all_standing, change};
use crate::requests::alone;
use crate::snapshot::Snapshot;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Mutex;
use waypost::Point;
use waypost::crowd::{Formation, Status};
use waypost::navigator::{CrowdOptions, Goal, UnitId};
use waypost::spec::AgentSpec;

/// Many units in one world, moved tick by tick.
///
/// Units have numbers from 0 on that are never given again, but after `restore`. `positions()` has a row for every living unit, in the order of
/// `ids()`. One thread at a time may use a crowd (RuntimeError otherwise); the interpreter is released while a tick runs.
///
/// >>> import numpy, waypost
/// >>> nav = waypost.Navigator(waypost.Map.from_array(numpy.ones((30, 40), dtype=bool)))
/// >>> crowd = nav.crowd()
/// >>> ids = crowd.spawn([(0, 0), (0, 5), (0, 10)])
/// >>> crowd.send(ids, [(20, 0), (20, 5), (20, 10)])
/// >>> out = numpy.empty((3, 2), dtype=numpy.int32)
/// >>> while not crowd.all_arrived:
/// ...     tick = crowd.tick()
/// >>> crowd.positions(out=out).tolist(), [event.kind for event in tick.events]
/// ([[20, 0], [20, 5], [20, 10]], ['arrived', 'arrived', 'arrived'])
#[pyclass(frozen, module = "waypost")]
pub struct Crowd {
    /// The `Navigator` that it was asked of.
    owner: Py<PyAny>,
    nav: waypost::Navigator,
    spec: AgentSpec,
    pub inner: Mutex<Inner>,
}

/// All units.
pub struct Inner {
    pub crowd: waypost::navigator::Crowd,
    members: Members,
}

impl Crowd {
    /// A crowd without units.
    pub fn new(
        py: Python<'_>,
        owner: Py<PyAny>,
        nav: waypost::Navigator,
        options: CrowdOptions,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Crowd> {
        let spec = AgentSpec::parse(&options.method).map_err(Failure::value)?;
        provide(py, nav.world(), &spec, progress)?;
        let made = py.detach(|| -> Outcome<Inner> {
            Ok(Inner {
                crowd: on_threads(None, || nav.crowd(options))??,
                members: Members::default(),
            })
        });
        Ok(Crowd {
            owner,
            nav,
            spec,
            inner: Mutex::new(made?),
        })
    }
}

impl Inner {
    fn spawn(&mut self, unit: Option<&str>, points: &[Pair], paces: &[u32]) -> Outcome<Vec<i64>> {
        let nav = self.crowd.navigator();
        match unit {
            None => all_standing(nav, points, "points")?,
            Some(name) => all_standing(&nav.for_unit(name)?, points, "points")?,
        }
        let mut spawned = Vec::with_capacity(points.len());
        for (i, (&[x, y], &pace)) in points.iter().zip(paces.iter().cycle()).enumerate() {
            let at = Point {
                x: x as u32,
                y: y as u32,
            };
            let made = match unit {
                None => self.crowd.spawn(at),
                Some(name) => self.crowd.spawn_type(name, at),
            };
            let made = made.and_then(|unit| {
                spawned.push(unit);
                self.crowd.set_pace(unit, pace)
            });
            if let Err(error) = made {
                // All or none.
                for unit in spawned {
                    let _ = self.crowd.despawn(unit);
                }
                return Err(Failure::Value(format!("points[{i}]: {error}")));
            }
        }
        let numbers = self.members.add(&spawned);
        Ok(numbers.map(|id| id as i64).collect())
    }

    fn despawn(&mut self, ids: &[i64]) -> Outcome<()> {
        let mut units = self.members.units(ids)?;
        units.sort_unstable();
        // An id may be named twice.
        units.dedup();
        let mut gone = Vec::with_capacity(units.len());
        let taken = units.into_iter().try_for_each(|unit| {
            self.crowd.despawn(unit)?;
            gone.push(unit);
            Ok(())
        });
        self.members.remove(&gone);
        taken
    }

    fn tick(&mut self) -> Tick {
        let report = self.crowd.tick();
        let number = |unit: UnitId| self.members.number(unit);
        let happened = report.events().map(|event| Event::new(event, number));
        Tick::new(report.counts, happened.collect())
    }

    /// Writes where all living units are, in the order of their numbers.
    fn write_positions(&mut self, out: &mut [[i32; 2]]) {
        let mut rows = self.members.rows().iter();
        self.crowd.for_each(|unit| {
            let Point { x, y } = unit.position();
            if let Some(place) = rows.next().and_then(|&row| out.get_mut(row as usize)) {
                *place = [x as i32, y as i32];
            }
        });
    }

    fn snapshot(&self) -> Outcome<Snapshot> {
        Ok(Snapshot {
            taken: self.crowd.snapshot()?,
            members: self.members.clone(),
            is_read: false,
        })
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Outcome<()> {
        let before = match snapshot.is_read {
            true => Some(self.crowd.snapshot()?),
            false => None,
        };
        self.crowd.restore(&snapshot.taken)?;
        let living = snapshot.members.living();
        let is_there = |(_, unit): &(u64, UnitId)| self.crowd.unit(*unit).is_ok();
        if living.len() != self.crowd.len() || !living.iter().all(is_there) {
            if let Some(before) = before {
                self.crowd.restore(&before)?;
            }
            let text = "the snapshot numbers other units than it has; it was put together wrongly";
            return Err(Failure::Value(text.to_string()));
        }
        self.members = snapshot.members.clone();
        Ok(())
    }

    /// Sends units to goals; a goal must be inside the map, and may be a wall.
    fn send(&mut self, ids: &[i64], goals: &[Goal]) -> Outcome<()> {
        for (unit, goal) in self.members.units(ids)?.into_iter().zip(goals) {
            self.crowd.send(unit, *goal)?;
        }
        Ok(())
    }
}

#[pymethods]
impl Crowd {
    /// Puts units on the map: points [n, 2], or one. Gives their ids, int64 [n]. All of them or, with ValueError, none.
    ///
    /// `unit` is a unit type of the navigator. `speed` is how many ticks a move takes, 1 to 16: one number, or one for each unit.
    #[pyo3(signature = (points, *, unit=None, speed=None))]
    fn spawn<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        unit: Option<&str>,
        speed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let points = Points::read(points, "points")?;
        let points = points.pairs()?;
        let paces = read_speeds(speed, points.len())?;
        if let Some(name) = unit {
            let nav = self.nav.for_unit(name).map_err(Failure::from)?;
            provide(py, nav.world(), &self.spec, None)?;
        }
        let ids = py.detach(|| -> Outcome<Vec<i64>> {
            alone(&self.inner, "crowd")?.spawn(unit, points, &paces)
        })?;
        Ok(numbers(py, ids))
    }

    /// Takes units off the map.
    fn despawn(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        let ids = read_ids(ids)?;
        Ok(py.detach(|| alone(&self.inner, "crowd")?.despawn(&ids))?)
    }

    /// Sends units to goals: one point for each id, or one for all. A goal that cannot be reached is taken too: an event of the next tick
    /// says so and names the nearest cell.
    ///
    /// With `within=n` a unit has arrived up to n cells from its goal, with `area=(width, height)` in that rectangle from its goal on; not both.
    #[pyo3(signature = (ids, goals, *, within=None, area=None))]
    fn send(
        &self,
        py: Python<'_>,
        ids: &Bound<'_, PyAny>,
        goals: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = numbers::within)] within: Option<u32>,
        #[pyo3(from_py_with = numbers::area)] area: Option<(u32, u32)>,
    ) -> PyResult<()> {
        if let Some((within, (width, height))) = within.zip(area) {
            let text = format!(
                "within is {within} and area ({width}, {height}); give one of the two: a goal has one shape"
            );
            return Err(Failure::Value(text).into());
        }
        let ids = read_ids(ids)?;
        let points = Points::read(goals, "goals")?;
        let points = points.pairs()?;
        if points.len() != ids.len() && points.len() != 1 {
            let text = format!(
                "{} goals for {} units; give one goal, or one for each",
                points.len(),
                ids.len()
            );
            return Err(Failure::Value(text).into());
        }
        Ok(py.detach(|| -> Outcome<()> {
            let mut inner = alone(&self.inner, "crowd")?;
            let mut goals = Vec::with_capacity(ids.len());
            {
                let map = inner.crowd.navigator().world().map();
                for i in 0..ids.len() {
                    let row = i % points.len();
                    let at = inside(&map, points[row], &format!("goals[{row}]"))?;
                    goals.push(match (within, area) {
                        (Some(cells), _) => Goal::Within(at, cells),
                        (None, Some(size)) => Goal::Area(at, size),
                        (None, None) => Goal::Cell(at),
                    });
                }
            }
            inner.send(&ids, &goals)
        })?)
    }

    /// Lets units follow another one: their goal is wherever it stands.
    fn follow(
        &self,
        py: Python<'_>,
        ids: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = numbers::leader)] leader: i64,
    ) -> PyResult<()> {
        let ids = read_ids(ids)?;
        Ok(py.detach(|| -> Outcome<()> {
            let mut inner = alone(&self.inner, "crowd")?;
            let unit = inner.members.unit(leader)?;
            inner.send(&ids, &vec![Goal::Unit(unit); ids.len()])
        })?)
    }

    /// Sends units of one type to a place together: each to a cell of its own around it. With `formation="kept"` each keeps its offset from the
    /// middle of the group where that cell is free; "close" packs them. Gives the ids of those that have no way to the place, int64 [n]: they go as
    /// near as they can.
    ///
    /// >>> import numpy, waypost
    /// >>> crowd = waypost.Navigator(waypost.Map.from_array(numpy.ones((30, 40), dtype=bool))).crowd(exclusive=True)
    /// >>> len(crowd.send_group(crowd.spawn([(0, 0), (0, 5), (0, 10)]), (20, 20)))
    /// 0
    /// >>> while not crowd.all_arrived:
    /// ...     tick = crowd.tick()
    /// >>> len({tuple(point) for point in crowd.positions().tolist()})
    /// 3
    #[pyo3(signature = (ids, goal, *, formation="close"))]
    fn send_group<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
        goal: &Bound<'py, PyAny>,
        formation: &str,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let ids = read_ids(ids)?;
        let goal = pair(goal, "goal")?;
        let formation = match formation {
            "close" => Formation::Close,
            "kept" => Formation::Kept,
            other => {
                let text = format!("formation is {other:?}; give \"close\" or \"kept\"");
                return Err(Failure::Value(text).into());
            }
        };
        let cannot = py.detach(|| -> Outcome<Vec<i64>> {
            let mut inner = alone(&self.inner, "crowd")?;
            let units = inner.members.units(&ids)?;
            let goal = inside(&inner.crowd.navigator().world().map(), goal, "goal")?;
            let cannot = inner.crowd.send_group(&units, goal, formation)?;
            let known = cannot.iter().map(|&unit| inner.members.number(unit));
            Ok(known.flatten().map(|number| number as i64).collect())
        })?;
        Ok(numbers(py, cannot))
    }

    /// Withdraws the goals of units: they stand still.
    fn stop(&self, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        self.each(&read_ids(ids)?, |crowd, unit, _| crowd.stop(unit))
    }

    /// Lets units hold their ground, or go on: they keep their goals and give way to nobody.
    #[pyo3(signature = (ids, holds=true))]
    fn hold(&self, ids: &Bound<'_, PyAny>, holds: bool) -> PyResult<()> {
        self.each(&read_ids(ids)?, |crowd, unit, _| crowd.hold(unit, holds))
    }

    /// Sets how many ticks a move of these units takes, 1 to 16: one number, or one for each unit.
    fn set_speed(&self, ids: &Bound<'_, PyAny>, speed: &Bound<'_, PyAny>) -> PyResult<()> {
        let ids = read_ids(ids)?;
        let paces = read_speeds(Some(speed), ids.len())?;
        self.each(&ids, |crowd, unit, i| {
            crowd.set_pace(unit, paces[i % paces.len()])
        })
    }

    /// Moves every unit that has a goal by one step.
    fn tick(&self, py: Python<'_>) -> PyResult<Tick> {
        Ok(py.detach(|| -> Outcome<Tick> {
            let inner = &mut *alone(&self.inner, "crowd")?;
            on_threads(None, || inner.tick())
        })?)
    }

    /// Where all living units are, in the order of their ids: int32 [n, 2]. With `out` into the caller's own array, which is given back.
    #[pyo3(signature = (out=None))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = alone(&self.inner, "crowd")?;
        let living = inner.crowd.len();
        let Some(out) = out else {
            let mut points = vec![[0i32; 2]; living];
            inner.write_positions(&mut points);
            let rows = points.len();
            let flat = points.into_flattened();
            return Ok(numbers(py, flat).reshape([rows, 2])?.into_any());
        };
        let refused = |why: &str| {
            Failure::Value(format!(
                "out {why}; give a writable, contiguous int32 array [n, 2] with n of {living} or more"
            ))
        };
        let array = out.cast::<PyArray2<i32>>().map_err(|_| {
            let of = |name: &str| out.getattr(name).map(|value| shown(&value)).ok();
            match of("dtype").zip(of("shape")) {
                Some((dtype, shape)) => refused(&format!("has {dtype} and the shape {shape}")),
                None => Failure::Type(format!(
                    "out is {}; give an int32 array [n, 2]",
                    shown(&out)
                )),
            }
        })?;
        if array.shape()[1] != 2 || array.shape()[0] < living {
            return Err(refused(&format!("has the shape {:?}", array.shape())).into());
        }
        let flags = array.getattr("flags")?;
        if !array.is_c_contiguous() || !flags.getattr("aligned")?.extract::<bool>()? {
            return Err(refused("is not contiguous").into());
        }
        let mut writable = array
            .try_readwrite()
            .map_err(|error| refused(&error.to_string()))?;
        let flat = writable
            .as_slice_mut()
            .map_err(|error| refused(&error.to_string()))?;
        inner.write_positions(flat.as_chunks_mut::<2>().0);
        drop(writable);
        Ok(out)
    }

    /// The ids of all living units, in order: int64 [n].
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let inner = alone(&self.inner, "crowd")?;
        let living = inner.members.living().iter();
        Ok(numbers(py, living.map(|&(id, _)| id as i64).collect()))
    }

    /// Where a unit is, as (x, y).
    fn position(&self, #[pyo3(from_py_with = numbers::id)] id: i64) -> PyResult<(u32, u32)> {
        let inner = alone(&self.inner, "crowd")?;
        let at = inner
            .crowd
            .position(inner.members.unit(id)?)
            .map_err(Failure::from)?;
        Ok((at.x, at.y))
    }

    /// What a unit is doing: "idle", "moving", "arrived", "unreachable", "blocked", "waiting", "holding" or "stuck".
    fn status(&self, #[pyo3(from_py_with = numbers::id)] id: i64) -> PyResult<&'static str> {
        let inner = alone(&self.inner, "crowd")?;
        let unit = inner
            .crowd
            .unit(inner.members.unit(id)?)
            .map_err(Failure::from)?;
        Ok(match unit.status() {
            Status::Idle => "idle",
            Status::Moving => "moving",
            Status::Arrived => "arrived",
            Status::Unreachable { .. } => "unreachable",
            Status::Blocked => "blocked",
            Status::Waiting { .. } => "waiting",
            Status::Holding => "holding",
            Status::Stuck { .. } => "stuck",
        })
    }

    /// The cells that a unit is going to walk, as far as its plan reaches, its own first: int32 [n, 2].
    fn path_ahead<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = numbers::id)] id: i64,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let points = {
            let inner = alone(&self.inner, "crowd")?;
            inner
                .crowd
                .path_ahead(inner.members.unit(id)?)
                .map_err(Failure::from)?
        };
        to_array(py, points)
    }

    /// Changes the world for everybody in it: `Navigator.patch`.
    #[pyo3(signature = (block=None, open=None))]
    fn patch(
        &self,
        py: Python<'_>,
        block: Option<&Bound<'_, PyAny>>,
        open: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        change(py, &self.nav, block, open)
    }

    /// All units, their plans and goals, and the world with its patches, doors and repairs, as they are between two ticks: for
    /// `restore`, or by `Snapshot.to_bytes` for a file.
    ///
    /// >>> import numpy, waypost
    /// >>> crowd = waypost.Navigator(waypost.Map.from_array(numpy.ones((30, 40), dtype=bool))).crowd()
    /// >>> ids = crowd.spawn([(0, 0), (0, 5)])
    /// >>> crowd.send(ids, (20, 0))
    /// >>> then = crowd.snapshot()
    /// >>> for _ in range(10):
    /// ...     tick = crowd.tick()
    /// >>> crowd.despawn(ids[:1])
    /// >>> crowd.restore(then)
    /// >>> crowd.ids().tolist(), crowd.positions().tolist()
    /// ([0, 1], [[0, 0], [0, 5]])
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        Ok(py.detach(|| alone(&self.inner, "crowd")?.snapshot())?)
    }

    /// Goes back to a snapshot of this crowd, or on from one of another process, made in a world of the same map and file: units with
    /// their ids, goals and plans, and the world, walls and doors included, are as they were then, and what happens next is what
    /// happened then. Ids that were given since are given again. Other crowds of the world have to be restored too. A snapshot of
    /// another world is refused with ValueError, and then all is as it was.
    fn restore(&self, py: Python<'_>, snapshot: &Bound<'_, Snapshot>) -> PyResult<()> {
        let snapshot = snapshot.get();
        Ok(py.detach(|| -> Outcome<()> {
            let inner = &mut *alone(&self.inner, "crowd")?;
            on_threads(None, || inner.restore(snapshot))?
        })?)
    }

    /// How many units wait for a plan.
    #[getter]
    fn planning(&self) -> PyResult<usize> {
        Ok(alone(&self.inner, "crowd")?.crowd.planning())
    }

    /// Whether every unit that was sent somewhere has arrived.
    #[getter]
    fn all_arrived(&self) -> PyResult<bool> {
        Ok(alone(&self.inner, "crowd")?.crowd.all_arrived())
    }

    /// The world that it walks in.
    #[getter]
    fn navigator(&self, py: Python<'_>) -> Py<PyAny> {
        self.owner.clone_ref(py)
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(alone(&self.inner, "crowd")?.crowd.len())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("Crowd(units={})", self.__len__()?))
    }
}

impl Crowd {
    fn each(
        &self,
        ids: &[i64],
        act: impl Fn(&mut waypost::navigator::Crowd, UnitId, usize) -> Result<(), waypost::Error>,
    ) -> PyResult<()> {
        let mut inner = alone(&self.inner, "crowd")?;
        for (i, unit) in inner.members.units(ids)?.into_iter().enumerate() {
            act(&mut inner.crowd, unit, i).map_err(Failure::from)?;
        }
        Ok(())
    }
}
