//! Work that may take long: done by a thread of its own, while the thread that asked for it looks for Ctrl-C and tells how far it is.

use crate::errors::{Failure, Outcome};
use crate::pool::{on_own_threads, on_threads};
use pyo3::prelude::*;
use std::cell::RefCell;
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

    /// A failure where the work is to stop.
    pub fn go_on(&self) -> Outcome<()> {
        match self.is_cancelled() {
            true => Err(Failure::Cancelled),
            false => Ok(()),
        }
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

thread_local! {
    /// The watcher of the call that this thread works for.
    static OF_CALL: RefCell<Option<Arc<Watcher>>> = const { RefCell::new(None) };
}

/// What the options of a world keep: the watcher of whichever call builds something in it ([`watched_call`]).
pub struct OfCall;

impl OfCall {
    fn watcher<R>(&self, ask: impl FnOnce(&Watcher) -> R) -> Option<R> {
        let watcher = OF_CALL.with_borrow(|watcher| watcher.clone());
        watcher.map(|watcher| ask(&watcher))
    }
}

impl Progress for OfCall {
    fn begin(&self, stage: &str, total: u64) {
        self.watcher(|watcher| watcher.begin(stage, total));
    }

    fn advance(&self, parts: u64) {
        self.watcher(|watcher| watcher.advance(parts));
    }

    fn is_cancelled(&self) -> bool {
        self.watcher(Watcher::is_cancelled).unwrap_or(false)
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

/// Does work whose progress [`OfCall`] tells: on threads of its own, so that calls beside it have watchers of their own.
pub fn watched_call<R: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    work: impl FnOnce() -> Outcome<R> + Send,
) -> PyResult<R> {
    let watcher = Arc::new(Watcher::default());
    let own = watcher.clone();
    let begin = move || OF_CALL.set(Some(own.clone()));
    watched_on(py, &watcher, progress, || {
        on_own_threads(threads, begin, work)?
    })
}

/// Does work that a watcher watches. Ctrl-C, and what the caller's progress raises, stop it and are raised when it has stopped.
pub fn watched<R: Send>(
    py: Python<'_>,
    watcher: &Watcher,
    progress: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    work: impl FnOnce() -> Outcome<R> + Send,
) -> PyResult<R> {
    watched_on(py, watcher, progress, || on_threads(threads, work)?)
}

fn watched_on<R: Send>(
    py: Python<'_>,
    watcher: &Watcher,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> Outcome<R> + Send,
) -> PyResult<R> {
    let mut reporter = Reporter::new(py, progress)?;
    let desk = Desk {
        result: Mutex::new(None),
        is_there: Condvar::new(),
    };
    let mut raised = None;
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
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
            Ok(result?)
        }
    }
}
