//! What an index knows, for debug views.

use crate::border::{Output, given, guarded, put, put_if_wanted};
use crate::types::{waypost_point, waypost_status};
use crate::world::waypost_nav;
use std::ffi::c_char;

/// A corner of the map that paths bend at.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_corner {
    /// Where it is.
    pub at: waypost_point,
    /// Hubs in its label.
    pub hubs: u32,
}

/// A region of a sector.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_region {
    /// Its number.
    pub number: u32,
    /// The cell that stands for it.
    pub at: waypost_point,
}

/// Says of the index of the handle's unit type why it was chosen, in one line of UTF-8 with a zero at its end: `size` is the number of
/// bytes with that zero. `memory_bytes` is what the index takes beyond the map. `size` and `memory_bytes` may be NULL. WAYPOST_TOO_SMALL where
/// there are more than `capacity` bytes. Any thread.
///
/// # Safety
/// `nav` was not freed; `reason` is valid for writes of `capacity` bytes, or NULL; `size` and `memory_bytes` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_inspect(
    nav: *const waypost_nav,
    reason: *mut c_char,
    capacity: usize,
    size: *mut usize,
    memory_bytes: *mut u64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let inspection = unsafe { given(nav, "nav") }?.0.inspect();
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(memory_bytes, inspection.memory_bytes as u64);
            let mut out = Output::new(reason.cast::<u8>(), capacity);
            let text = inspection.reason.bytes().filter(|&byte| byte != 0);
            text.chain([0]).for_each(|byte| out.push(byte));
            out.finish(size)
        }
    })
}

/// Writes the corners that paths bend at and their number into `count`, which may be NULL; none where the index is not one of labels.
/// WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_corners(
    nav: *const waypost_nav,
    out: *mut waypost_corner,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, mut out) = unsafe { (given(nav, "nav")?, Output::new(out, capacity)) };
        for corner in nav.0.inspect().corners() {
            out.push(waypost_corner {
                at: corner.at.into(),
                hubs: corner.hubs as u32,
            });
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// Gives the side of a sector in cells (0 where the index is not one of sectors) and writes the regions and their number into `count`,
/// which may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// `nav` was not freed; `side` is valid for a write; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid
/// for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_sectors(
    nav: *const waypost_nav,
    side: *mut u32,
    out: *mut waypost_region,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, mut out) = unsafe { (given(nav, "nav")?, Output::new(out, capacity)) };
        let (cells, regions) = nav.0.inspect().sectors().unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { put(side, cells, "side") }?;
        for region in regions {
            out.push(waypost_region {
                number: region.number,
                at: region.at.into(),
            });
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}
