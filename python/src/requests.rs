//! `Requests`: whole paths, spread over ticks.

use crate::arrays::{pair, standing, to_array};
use crate::errors::{Failure, Outcome};
use crate::numbers;
use numpy::PyArray2;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use waypost::Navigator;
use waypost::crowd::Ticket;
use waypost::navigator::{PathRequests, Request};

/// A queue of requests for whole paths, for maps whose exact paths take long.
///
/// >>> import numpy, waypost
/// >>> nav = waypost.Navigator(waypost.Map.from_array(numpy.ones((50, 50), dtype=bool)))
/// >>> requests = nav.requests()
/// >>> ticket = requests.ask((0, 0), (49, 30))
/// >>> while requests.state(ticket) == "pending":
/// ...     spent = requests.tick(expansions=100)
/// >>> requests.state(ticket), len(requests.close(ticket))
/// ('found', 50)
#[pyclass(frozen, module = "waypost")]
pub struct Requests {
    nav: Navigator,
    inner: Mutex<Inner>,
}

struct Inner {
    queue: PathRequests,
    tickets: BTreeMap<u64, Ticket>,
    next: u64,
}

/// A handle that one thread at a time may use.
pub fn alone<'a, T>(handle: &'a Mutex<T>, name: &str) -> Outcome<MutexGuard<'a, T>> {
    handle.try_lock().map_err(|_| {
        Failure::State(format!(
            "another thread is using this {name}; one at a time may, or each one its own"
        ))
    })
}

impl Requests {
    /// An empty queue.
    pub fn new(nav: Navigator, short: u32) -> Requests {
        let inner = Inner {
            queue: nav.requests(short),
            tickets: BTreeMap::new(),
            next: 0,
        };
        Requests {
            nav,
            inner: Mutex::new(inner),
        }
    }
}

impl Inner {
    fn ticket(&self, number: u64) -> Outcome<Ticket> {
        self.tickets.get(&number).copied().ok_or_else(|| {
            Failure::Value(format!(
                "no request has the ticket {number}: it was closed, or never was"
            ))
        })
    }
}

#[pymethods]
impl Requests {
    /// Asks for a path and gives a ticket.
    fn ask(&self, start: &Bound<'_, PyAny>, goal: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (start, goal) = (pair(start, "start")?, pair(goal, "goal")?);
        let (start, goal) = {
            let map = self.nav.world().map();
            (
                standing(&self.nav, &map, start, "start")?,
                standing(&self.nav, &map, goal, "goal")?,
            )
        };
        let mut inner = alone(&self.inner, "queue")?;
        let ticket = inner.queue.ask(start, goal).map_err(Failure::from)?;
        let number = inner.next;
        inner.next += 1;
        inner.tickets.insert(number, ticket);
        Ok(number)
    }

    /// Spends at most so many expansions on all requests; gives how many it spent.
    fn tick(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = numbers::expansions)] expansions: u64,
    ) -> PyResult<u64> {
        let work = || -> Outcome<u64> { Ok(alone(&self.inner, "queue")?.queue.tick(expansions)) };
        Ok(py.detach(work)?)
    }

    /// "pending", "found" or "no path".
    fn state(&self, #[pyo3(from_py_with = numbers::ticket)] ticket: u64) -> PyResult<&'static str> {
        let inner = alone(&self.inner, "queue")?;
        Ok(match inner.queue.state(inner.ticket(ticket)?) {
            Request::Pending => "pending",
            Request::Found(_) => "found",
            Request::NoPath => "no path",
            Request::Unknown => "unknown",
        })
    }

    /// Gives a ticket back, answered or not: the points int32 [n, 2], or None where there is no path yet.
    fn close<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = numbers::ticket)] ticket: u64,
    ) -> PyResult<Option<Bound<'py, PyArray2<i32>>>> {
        let mut inner = alone(&self.inner, "queue")?;
        let known = inner.ticket(ticket)?;
        inner.tickets.remove(&ticket);
        match inner.queue.close(known) {
            Request::Found(points) => to_array(py, points).map(Some),
            _ => Ok(None),
        }
    }

    /// Requests without an answer.
    #[getter]
    fn pending(&self) -> PyResult<usize> {
        Ok(alone(&self.inner, "queue")?.queue.pending())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("Requests(pending={})", self.pending()?))
    }
}
