//! Work that may take long: done by a thread of its own, while the thread that asked for it looks for Ctrl-C and tells how far it is.

use crate::errors::{Failure, Outcome};
use crate::pool::on_threads;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use waypost::progress::Progress;

/// How often the caller's thread looks up.
const LOOK: Duration = Duration::from_millis(50);

/// How far some work is, and whether it is to stop.
#[derive(Default)]
pub struct Watcher {
    is_cancelled: AtomicBool,
    stage: Mutex<Stage>,
}

#[derive(Clone, Default)]
struct Stage {
    /// Counts stages: two in a row may have one name.
    number: u64,
    name: String,
    done: u64,
    total: u64,
}

impl Watcher {
    fn stage(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stage begins, so many parts of which are done.
    pub fn begin_at(&self, name: &str, done: u64, total: u64) {
        let mut stage = self.stage();
        *stage = Stage {
            number: stage.number + 1,
            name: name.to_string(),
            done,
            total,
        };
    }

    /// What is being done within the stage.
    pub fn rename(&self, name: &str) {
        self.stage().name = name.to_string();
    }
}

impl Progress for Watcher {
    fn begin(&self, stage: &str, total: u64) {
        self.begin_at(stage, 0, total);
    }

    fn advance(&self, parts: u64) {
        self.stage().done += parts;
        // Builders look at `is_cancelled` when they are done; they tell of every part. So this is where work is left, through all
        // threads that are at it, without a word of the panic hook. `watched` takes it up.
        if self.is_cancelled() {
            std::panic::resume_unwind(Box::new(Stopped));
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// What unwinds where work is left in the middle.
struct Stopped;

/// A watcher as the options of a world keep it.
pub struct Shared(pub Arc<Watcher>);

impl Progress for Shared {
    fn begin(&self, stage: &str, total: u64) {
        self.0.begin(stage, total);
    }

    fn advance(&self, parts: u64) {
        self.0.advance(parts);
    }

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Where a result is put and waited for.
struct Desk<R> {
    result: Mutex<Option<R>>,
    is_there: Condvar,
}

impl<R> Desk<R> {
    fn put(&self, result: R) {
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.is_there.notify_one();
    }

    fn wait(&self) -> Option<R> {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .is_there
            .wait_timeout_while(result, LOOK, |result| result.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// What the caller gave for `progress`, as something to call with a stage, the parts done and those in all.
struct Reporter<'py> {
    call: Option<Bound<'py, PyAny>>,
    told: (u64, u64),
}

impl<'py> Reporter<'py> {
    fn new(py: Python<'py>, progress: Option<&Bound<'py, PyAny>>) -> PyResult<Reporter<'py>> {
        let module = py.import("waypost._progress")?;
        let made = module.call_method1("reporter", (progress,))?;
        Ok(Reporter {
            call: (!made.is_none()).then_some(made),
            told: (0, 0),
        })
    }

    fn tell(&mut self, watcher: &Watcher) -> PyResult<()> {
        let Some(call) = &self.call else {
            return Ok(());
        };
        let stage = watcher.stage().clone();
        if stage.number == 0 || self.told == (stage.number, stage.done) {
            return Ok(());
        }
        self.told = (stage.number, stage.done);
        call.call1((stage.name, stage.done, stage.total))?;
        Ok(())
    }

    fn end(self) -> PyResult<()> {
        match self
            .call
            .filter(|call| call.hasattr("close").unwrap_or(false))
        {
            Some(call) => call.call_method0("close").map(|_| ()),
            None => Ok(()),
        }
    }
}

/// Does work that a watcher watches. Ctrl-C, and what the caller's progress raises, stop it and are raised when it has stopped.
pub fn watched<R: Send>(
    py: Python<'_>,
    watcher: &Watcher,
    progress: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    work: impl FnOnce() -> Outcome<R> + Send,
) -> PyResult<R> {
    let mut reporter = Reporter::new(py, progress)?;
    watcher.is_cancelled.store(false, Ordering::Relaxed);
    let desk = Desk {
        result: Mutex::new(None),
        is_there: Condvar::new(),
    };
    let mut raised = None;
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            let work = std::panic::AssertUnwindSafe(|| on_threads(threads, work));
            let done = std::panic::catch_unwind(work);
            desk.put(done.unwrap_or_else(|left| match left.is::<Stopped>() {
                true => Err(Failure::Cancelled),
                false => Err(Failure::State(
                    "a mistake inside Waypost; please report what you called".to_string(),
                )),
            }));
        });
        loop {
            let desk = &desk;
            if let Some(result) = py.detach(move || desk.wait()) {
                return result;
            }
            if raised.is_none() {
                raised = py
                    .check_signals()
                    .and_then(|()| reporter.tell(watcher))
                    .err();
                if raised.is_some() {
                    watcher.is_cancelled.store(true, Ordering::Relaxed);
                }
            }
        }
    });
    if raised.is_none() {
        raised = reporter.tell(watcher).err();
    }
    let ended = reporter.end();
    match raised {
        Some(raised) => Err(raised),
        None => {
            ended?;
            Ok(result??)
        }
    }
}
