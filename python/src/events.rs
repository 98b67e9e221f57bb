//! What happened in a tick.

use pyo3::prelude::*;
use pyo3::types::PyList;
use waypost::crowd::{Hindrance, Tick as Counts};
use waypost::navigator::{Event as E, UnitId};

/// Something that happened to a unit or to the world.
///
/// `kind` is "arrived", "unreachable" (with the `nearest` cell that can be reached), "blocked" and "freed" (the unit's own cell became a wall,
/// or free again), "stuck" (other units are in its way and cannot all have their goals; `why` is "holders", "no-room" or "goal-taken") or
/// "index-renewed" (without a unit).
#[pyclass(frozen, get_all, module = "waypost", from_py_object)]
#[derive(Clone)]
pub struct Event {
    /// What happened.
    kind: &'static str,
    /// To which unit.
    unit: Option<u64>,
    /// The nearest cell (x, y) that an unreachable goal leaves.
    nearest: Option<(u32, u32)>,
    /// Why a unit is stuck.
    why: Option<&'static str>,
}

impl Event {
    /// Says what happened; `id` names units.
    pub fn new(event: E, id: impl Fn(UnitId) -> Option<u64>) -> Event {
        let of = |kind, unit| Event {
            kind,
            unit: id(unit),
            nearest: None,
            why: None,
        };
        match event {
            E::Arrived(unit) => of("arrived", unit),
            E::Blocked(unit) => of("blocked", unit),
            E::Freed(unit) => of("freed", unit),
            E::Unreachable(unit, nearest) => Event {
                nearest: nearest.map(|p| (p.x, p.y)),
                ..of("unreachable", unit)
            },
            E::Stuck(unit, why) => Event {
                why: Some(match why {
                    Hindrance::Holders => "holders",
                    Hindrance::NoRoom => "no-room",
                    Hindrance::GoalTaken => "goal-taken",
                }),
                ..of("stuck", unit)
            },
            E::IndexRenewed { .. } => Event {
                kind: "index-renewed",
                unit: None,
                nearest: None,
                why: None,
            },
        }
    }
}

#[pymethods]
impl Event {
    fn __repr__(&self) -> String {
        let unit = self
            .unit
            .map_or(String::new(), |unit| format!(", unit={unit}"));
        let nearest = self.nearest;
        let nearest = nearest.map_or(String::new(), |(x, y)| format!(", nearest=({x}, {y})"));
        let why = self
            .why
            .map_or(String::new(), |why| format!(", why={why:?}"));
        format!("Event({:?}{unit}{nearest}{why})", self.kind)
    }
}

/// What a tick did.
#[pyclass(frozen, module = "waypost")]
pub struct Tick {
    counts: Counts,
    happened: Vec<Event>,
}

impl Tick {
    /// The counts of all units and what happened to them.
    pub fn new(counts: Counts, happened: Vec<Event>) -> Tick {
        Tick { counts, happened }
    }
}

#[pymethods]
impl Tick {
    /// Steps made.
    #[getter]
    fn moves(&self) -> u64 {
        self.counts.moves
    }

    /// Units that reached their goal.
    #[getter]
    fn arrived(&self) -> u64 {
        self.counts.arrived
    }

    /// Units that planned.
    #[getter]
    fn planned(&self) -> u64 {
        self.counts.set_up
    }

    /// Units that took a provisional step because it was not their turn to plan.
    #[getter]
    fn provisional(&self) -> u64 {
        self.counts.provisional
    }

    /// Units that stood still because their next cell was taken.
    #[getter]
    fn waits(&self) -> u64 {
        self.counts.waits
    }

    /// Operations of all units.
    #[getter]
    fn operations(&self) -> u64 {
        self.counts.meter.operations()
    }

    /// What happened, in the order of units.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.happened.iter().cloned())
    }

    fn __repr__(&self) -> String {
        let Counts {
            moves,
            arrived,
            waits,
            ..
        } = self.counts;
        let events = self.happened.len();
        format!("Tick(moves={moves}, arrived={arrived}, waits={waits}, events={events})")
    }
}
