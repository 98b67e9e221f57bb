//! Types of units whose indexes are built beside the game.

use crate::border::{Failure, exclusive, failure, free, give, given, guarded};
use crate::progress::{Callback, Shared};
use crate::types::{waypost_progress, waypost_status};
use crate::unit_types::{read_type, waypost_unit_type};
use crate::world::waypost_nav;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use waypost::navigator::{BuiltUnitType, UnitTypeJob};

/// A type of unit on its way into a world: made, run on any thread, added. One thread at a time (WAYPOST_BUSY otherwise), not always the same; it
/// does not keep the world alive.
pub struct waypost_type_job(Mutex<Stage>);

enum Stage {
    Made(Box<UnitTypeJob>),
    Built(Box<BuiltUnitType>),
    Over,
}

fn out_of_order(expected: &str) -> Failure {
    let message = format!("this job {expected}; make another one with `waypost_nav_type_job`");
    failure(waypost_status::WAYPOST_BAD_VALUE, message)
}

/// Begins to add a type of unit without building anything yet: `waypost_nav_add_unit_type` in three parts, so that the build runs
/// on a thread of the game's own, tells how far it is and can be stopped. Free it with `waypost_type_job_free`, added or not. Any thread.
///
/// # Safety
/// `nav` was not freed; `unit_type` and all that it points to are valid; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_type_job(
    nav: *const waypost_nav,
    unit_type: *const waypost_unit_type,
    out: *mut *mut waypost_type_job,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(out, || {
                let unit = read_type(unit_type)?;
                let job = given(nav, "nav")?.0.unit_type_job(unit);
                Ok(waypost_type_job(Mutex::new(Stage::Made(Box::new(job)))))
            })
        }
    })
}

/// Builds the index of a job, once; the world goes on meanwhile. `progress` may be NULL; what it stops is WAYPOST_CANCELLED. WAYPOST_BAD_UNIT_TYPE where
/// the name is taken. One thread at a time.
///
/// # Safety
/// `job` was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_type_job_run(
    job: *mut waypost_type_job,
    progress: waypost_progress,
    user: *mut c_void,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let mut stage = exclusive(&unsafe { given(job, "job") }?.0, "job")?;
        let made = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Made(made) => made,
            other => {
                *stage = other;
                return Err(out_of_order("was run before"));
            }
        };
        let callback = Arc::new(Callback::new(progress, user));
        let built = made.progress(Shared(callback.clone())).run();
        callback.end();
        *stage = Stage::Built(Box::new(built?));
        Ok(())
    })
}

/// Adds what a job has built to the world that it was made from, with all changes since, and gives the world as that type sees it; once, also
/// where it fails: WAYPOST_BAD_UNIT_TYPE where the name is taken by now, or the world is another one. Free that with `waypost_nav_free`. One thread
/// at a time for the job, any for the world.
///
/// # Safety
/// `job` and `nav` were not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_type_job_add(
    job: *mut waypost_type_job,
    nav: *const waypost_nav,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    let make = || {
        // SAFETY: the caller's promise.
        let (job, nav) = unsafe { (given(job, "job")?, given(nav, "nav")?) };
        let mut stage = exclusive(&job.0, "job")?;
        match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Built(built) => Ok(waypost_nav(nav.0.add_built_unit_type(*built)?)),
            other => {
                *stage = other;
                Err(out_of_order("has nothing built to add"))
            }
        }
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}

/// Frees a job. NULL is ignored.
///
/// # Safety
/// `job` was not freed, or is NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_type_job_free(job: *mut waypost_type_job) {
    free(job);
}
