//! Rebuilds on threads of the game's own.

use crate::border::{free, give, given, guarded, put_if_wanted};
use crate::build::{Callback, waypost_nav};
use crate::types::{waypost_progress, waypost_status};
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use waypost::index::slot::RebuildJob;

/// Rebuilds of indexes that wait for a thread. Any number of threads may run them at the same time.
pub struct waypost_jobs(Mutex<Vec<RebuildJob>>);

/// Takes the jobs that build again what is stale; there may be none. What they build is published by `waypost_nav_advance` or by ticks. Free
/// them with `waypost_jobs_free`: those that were not run are run by the world itself when they are due. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_rebuild_jobs(
    nav: *const waypost_nav,
    out: *mut *mut waypost_jobs,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(out, || {
                let jobs = given(nav, "nav")?.0.rebuild_jobs();
                Ok(waypost_jobs(Mutex::new(jobs)))
            })
        }
    })
}

/// Runs one job that no thread has taken, if there is one; `left` (may be NULL) is the number of those that wait still. `progress`
/// may be NULL; stopped by it, the world runs the job itself when it is due. Any thread, also several at the same time.
///
/// # Safety
/// `jobs` was not freed; `left` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_jobs_run(
    jobs: *const waypost_jobs,
    progress: waypost_progress,
    user: *mut c_void,
    left: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let jobs = unsafe { given(jobs, "jobs") }?;
        let (job, waiting) = {
            let mut jobs = jobs.0.lock().unwrap_or_else(PoisonError::into_inner);
            (jobs.pop(), jobs.len())
        };
        if let Some(job) = job {
            let callback = Callback::new(progress, user);
            job.run(&callback);
        }
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(left, waiting) };
        Ok(())
    })
}

/// Frees the list and the jobs that were not run. NULL is ignored.
///
/// # Safety
/// `jobs` was not freed, or is NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_jobs_free(jobs: *mut waypost_jobs) {
    free(jobs);
}
