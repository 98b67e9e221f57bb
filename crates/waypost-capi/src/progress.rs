//! Callbacks that are told how far a build is.

use crate::types::waypost_progress;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use waypost::progress::Progress;

/// The caller's progress callback, while a call runs.
pub(crate) struct Callback {
    progress: waypost_progress,
    user: *mut c_void,
    stage: Mutex<Stage>,
    is_over: AtomicBool,
    is_cancelled: AtomicBool,
}

#[derive(Default)]
struct Stage {
    name: CString,
    done: u64,
    total: u64,
}

// SAFETY: the header says that the callback comes from threads of Waypost's own; `stage` is locked around every call.
unsafe impl Send for Callback {}
// SAFETY: as above.
unsafe impl Sync for Callback {}

impl Callback {
    pub fn new(progress: waypost_progress, user: *mut c_void) -> Callback {
        Callback {
            progress,
            user,
            stage: Mutex::default(),
            is_over: AtomicBool::new(false),
            is_cancelled: AtomicBool::new(false),
        }
    }

    /// No call after this.
    pub fn end(&self) {
        let _nobody_is_in_it = self.stage.lock();
        self.is_over.store(true, Ordering::Release);
    }

    fn tell(&self, change: impl FnOnce(&mut Stage)) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stage);
        let Some(call) = self.progress else { return };
        if self.is_over.load(Ordering::Acquire) || self.is_cancelled.load(Ordering::Relaxed) {
            return;
        }
        // SAFETY: the caller's function, called while the call that it was given to runs.
        let stop = unsafe { call(self.user, stage.name.as_ptr(), stage.done, stage.total) };
        if stop != 0 {
            self.is_cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl Progress for Callback {
    fn begin(&self, name: &str, total: u64) {
        self.tell(|stage| {
            *stage = Stage {
                name: CString::new(name).unwrap_or_default(),
                done: 0,
                total,
            };
        });
    }

    fn advance(&self, parts: u64) {
        self.tell(|stage| stage.done += parts);
    }

    fn is_cancelled(&self) -> bool {
        // A world keeps its options: what it builds later is not stopped by a build that is over.
        self.is_cancelled.load(Ordering::Relaxed) && !self.is_over.load(Ordering::Acquire)
    }
}

/// The callback as the options of a world keep it.
pub(crate) struct Shared(pub Arc<Callback>);

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
