//! How the indexes of a world stand, and what carries them on.

use crate::border::{Output, given, guarded, put_if_wanted};
use crate::progress::Callback;
use crate::types::{waypost_index_state, waypost_progress, waypost_status};
use crate::world::waypost_nav;
use std::ffi::{c_char, c_void};
use waypost::index::slot::IndexState;

/// How an index of a unit type stands.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct waypost_index_info {
    /// The name of the unit type, with a zero at its end, cut to fit.
    pub unit_type: [c_char; 64],
    /// The kind of index: 7 labels, 8 sectors, 9 whichever was chosen; the same numbers as in its file.
    pub kind: u32,
    /// How it stands.
    pub state: waypost_index_state,
}

/// A name as an array of C; whole letters where it is cut.
fn fixed_name(name: &str) -> [c_char; 64] {
    let mut end = name.len().min(63);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let mut fixed = [0; 64];
    let places = fixed.iter_mut().zip(name[..end].bytes());
    places.for_each(|(place, byte)| *place = byte as c_char);
    fixed
}

/// Writes how the indexes of all unit types stand and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are more
/// than `capacity`. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_index_states(
    nav: *const waypost_nav,
    out: *mut waypost_index_info,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, mut out) = unsafe { (given(nav, "nav")?, Output::new(out, capacity)) };
        for (name, kind, state) in nav.0.index_states() {
            out.push(waypost_index_info {
                unit_type: fixed_name(&name),
                kind: kind as u32,
                state: match state {
                    IndexState::Current => waypost_index_state::WAYPOST_INDEX_CURRENT,
                    IndexState::Repairing => waypost_index_state::WAYPOST_INDEX_REPAIRING,
                    IndexState::Rebuilding => waypost_index_state::WAYPOST_INDEX_REBUILDING,
                    IndexState::Stale => waypost_index_state::WAYPOST_INDEX_STALE,
                },
            });
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// Carries repairs and rebuilds of indexes on for about this many operations for each unit type; `published` (may be NULL) is the number of
/// indexes that serve from now on. Ticks of crowds do this by themselves; a world without crowds does it here. Any thread; a job that is due
/// is waited for.
///
/// # Safety
/// `nav` was not freed; `published` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_advance(
    nav: *const waypost_nav,
    operations: u64,
    published: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let done = unsafe { given(nav, "nav") }?.0.advance(operations);
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(published, done.len()) };
        Ok(())
    })
}

/// Whether a tick in lockstep with so many operations of upkeep would wait for an index that is due and not there yet: 1 or 0, also 0 for a
/// NULL handle. A game that must not stand still asks before, and ticks later. Any thread.
///
/// # Safety
/// `nav` was not freed, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_would_wait(nav: *const waypost_nav, operations: u64) -> i32 {
    let mut waits = false;
    guarded(|| {
        // SAFETY: the caller's promise.
        waits = unsafe { given(nav, "nav") }?.0.would_wait(operations);
        Ok(())
    });
    i32::from(waits)
}

/// Builds again what is stale, on this thread: call it from a thread of the game's own while the game goes on. `ran` (may be NULL)
/// is the number of indexes that were built; they are published by `waypost_nav_advance` or by ticks, in lockstep with them. `progress`
/// may be NULL; what it stops, the world builds itself when it is due. Any thread, also several at the same time; `progress` must not
/// advance or tick this world, which may wait for the build.
///
/// # Safety
/// `nav` was not freed; `ran` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_rebuild(
    nav: *const waypost_nav,
    progress: waypost_progress,
    user: *mut c_void,
    ran: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let jobs = unsafe { given(nav, "nav") }?.0.rebuild_jobs();
        let callback = Callback::new(progress, user);
        let count = jobs
            .into_iter()
            .filter_map(|job| job.build(&callback).then_some(()))
            .count();
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(ran, count) };
        Ok(())
    })
}
