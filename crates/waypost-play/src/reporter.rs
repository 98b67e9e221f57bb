//! How far a build is, told to the page; and when it has taken too long.

use crate::outbox::Outbox;
use crate::protocol::tell;
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use waypost::progress::Progress;

/// How often the page is told.
const PAUSE: Duration = Duration::from_millis(120);

/// Tells a page how far a build is.
pub struct Reporter {
    outbox: Outbox,
    what: String,
    deadline: Option<Instant>,
    stop: Box<dyn Fn() -> bool + Send + Sync>,
    /// Whether its end is the end of the build.
    tells_end: bool,
    done: AtomicU64,
    state: Mutex<State>,
}

struct State {
    stage: String,
    total: u64,
    told: Option<Instant>,
}

impl Reporter {
    /// Of a build that the page knows by these words.
    pub fn new(outbox: &Outbox, what: impl Into<String>, time: Option<Duration>) -> Reporter {
        Reporter {
            outbox: outbox.clone(),
            what: what.into(),
            deadline: time.map(|time| Instant::now() + time),
            stop: Box::new(|| false),
            tells_end: true,
            done: AtomicU64::new(0),
            state: Mutex::new(State {
                stage: String::new(),
                total: 0,
                told: None,
            }),
        }
    }

    /// Ends the build also when this is so.
    pub fn until(mut self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Reporter {
        self.stop = Box::new(stop);
        self
    }

    /// Does not tell of the end: somebody keeps it for longer than the build takes.
    pub fn kept(mut self) -> Reporter {
        self.tells_end = false;
        self
    }

    /// Whether it was stopped because it took too long.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    fn tell(&self, state: &mut State) {
        if state.told.is_some_and(|told| told.elapsed() < PAUSE) {
            return;
        }
        state.told = Some(Instant::now());
        let share = self.done.load(Ordering::Relaxed) as f64 / state.total.max(1) as f64;
        let facts = json!({ "what": self.what, "stage": state.stage, "share": share.min(1.0) });
        self.outbox.tell(tell::note("building", facts));
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if !self.tells_end {
            return;
        }
        let ready = json!({ "what": "", "stage": "", "share": 1.0 });
        self.outbox.tell(tell::note("building", ready));
    }
}

impl Progress for Reporter {
    fn begin(&self, stage: &str, total: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.stage, state.total) = (stage.to_string(), total);
        self.done.store(0, Ordering::Relaxed);
        self.tell(&mut state);
    }

    fn advance(&self, parts: u64) {
        self.done.fetch_add(parts, Ordering::Relaxed);
        // Somebody else is telling already.
        if let Ok(mut state) = self.state.try_lock() {
            self.tell(&mut state);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_late() || self.outbox.has_ended() || (self.stop)()
    }
}
