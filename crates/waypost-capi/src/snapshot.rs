//! Crowds as bytes: to go back, to go on elsewhere.

use crate::border::{Output, array};
use crate::crowd::{waypost_crowd, with};
use crate::types::waypost_status;
use waypost::navigator::CrowdSnapshot;

/// Writes what a crowd and its world are at this moment (units, goals, plans, changes of the map, repairs under way; not the indexes) into `out` and the
/// number of bytes into `size`, which may be NULL. WAYPOST_TOO_SMALL where `capacity` is less: ask with a capacity of 0. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `out` is valid for writes of `capacity` bytes, or NULL; `size` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_snapshot(
    crowd: *const waypost_crowd,
    out: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let bytes = crowd.snapshot()?.to_bytes();
            let mut out = Output::new(out, capacity);
            bytes.into_iter().for_each(|byte| out.push(byte));
            out.finish(size)
        })
    }
}

/// Goes back to a snapshot of this crowd, or on from one of another process with the same map, indexes and options: what happens next is what
/// happened then. WAYPOST_BAD_FILE for bytes that are damaged or of another crowd, which changes nothing. Other crowds of the world have to be restored
/// too. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `bytes` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_restore(
    crowd: *mut waypost_crowd,
    bytes: *const u8,
    length: usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let snapshot = CrowdSnapshot::from_bytes(array(bytes, length, "bytes")?)?;
            Ok(crowd.restore(&snapshot)?)
        })
    }
}
