//! Worlds: built, opened, saved, forked.

use crate::border::{Failure, array, failure, free, give, given, guarded, put_if_wanted, sized};
use crate::map::waypost_map;
use crate::progress::{Callback, Shared};
use crate::types::{waypost_progress, waypost_release, waypost_status};
use crate::unit_types::{read_types, waypost_unit_type};
use crate::world::waypost_nav;
use std::ffi::c_void;
use std::sync::Arc;
use waypost::Navigator;
use waypost::navigator::BuildOptions;

/// How a world is built. Fill with zeros and set `size`; what is 0 is as usual.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct waypost_build_options {
    /// sizeof(waypost_build_options)
    pub size: usize,
    /// The most memory that an index may take (0: 16 bytes a free cell, at least 67 MB).
    pub max_bytes: u64,
    /// The most seconds that building may take, by an estimate that is the same on every machine (0: 60).
    pub max_seconds: f64,
    /// Types of units beside the one of one cell, which is called `unit`; all of the same `size`.
    pub unit_types: *const waypost_unit_type,
    /// How many.
    pub unit_type_count: usize,
    /// Told how far the build is, or NULL.
    pub progress: waypost_progress,
    /// Given to `progress`.
    pub user: *mut c_void,
    /// Cuts labels to so many bytes (0: not at all). Paths stay shortest: a search finds what the labels do not know.
    pub fit_bytes: u64,
    /// Builds on so many threads of the build's own (0: on all cores). What is built does not depend on it.
    pub threads: usize,
}

/// The most threads that can be asked for.
const MAX_THREADS: usize = 1024;

/// # Safety
/// The pointers in the options are valid.
unsafe fn read_options(
    given: &waypost_build_options,
) -> Result<(BuildOptions, Arc<Callback>), Failure> {
    let mut options = BuildOptions::default();
    if given.max_bytes != 0 {
        options = options.max_bytes(given.max_bytes);
    }
    if given.fit_bytes != 0 {
        options = options.fit_bytes(given.fit_bytes);
    }
    if given.max_seconds.is_nan() || given.max_seconds < 0.0 {
        return Err(failure(
            waypost_status::WAYPOST_BAD_VALUE,
            format!("`max_seconds` is {}; give 0 or more", given.max_seconds),
        ));
    }
    if given.max_seconds != 0.0 {
        options = options.max_seconds(given.max_seconds);
    }
    if given.threads > MAX_THREADS {
        return Err(failure(
            waypost_status::WAYPOST_BAD_VALUE,
            format!(
                "`threads` is {}; give 1 to {MAX_THREADS}, or 0 for all cores",
                given.threads
            ),
        ));
    }
    if given.threads != 0 {
        options = options.threads(given.threads);
    }
    // SAFETY: the caller's promise.
    for unit in unsafe { read_types(given.unit_types, given.unit_type_count) }? {
        options = options.unit_type(unit);
    }
    let callback = Arc::new(Callback::new(given.progress, given.user));
    Ok((options.progress(Shared(callback.clone())), callback))
}

/// Builds the world of a map, on all cores unless told otherwise: chooses the index that suits the map. The map is copied. `options` may be NULL. Free it with
/// `waypost_nav_free`. Any thread; the map is used for a moment only.
///
/// # Safety
/// `map` is a map that was not freed; `options` is NULL or valid with all that it points to; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_build(
    map: *const waypost_map,
    options: *const waypost_build_options,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    let make = || {
        // SAFETY: the caller's promise.
        let (map, options) = unsafe { (given(map, "map")?.copy()?, sized(options, "options")?) };
        let Some(options) = options else {
            return Ok(waypost_nav(Navigator::build(map)?));
        };
        // SAFETY: the caller's promise.
        let (options, callback) = unsafe { read_options(&options) }?;
        let built = Navigator::build_with(map, options);
        callback.end();
        Ok(waypost_nav(built?))
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}

/// Memory that the caller lends.
struct Lent {
    bytes: *const u8,
    length: usize,
    release: waypost_release,
    user: *mut c_void,
}

// SAFETY: the memory is only read, and the header says that `release` comes from any thread.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        if self.bytes.is_null() {
            return &[];
        }
        // SAFETY: the caller lends `length` bytes until `release` is called, which happens when this is dropped.
        unsafe { std::slice::from_raw_parts(self.bytes, self.length) }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the caller's function with what it was given for.
            unsafe { release(self.user, self.bytes, self.length) };
        }
    }
}

/// Opens what `waypost_nav_save` wrote, for the same map, doors and rules; WAYPOST_BAD_FILE for others. The bytes are used where
/// they lie if that is a multiple of 8 (a memory map of the file will do) and must not change until `release` is called: once,
/// also where opening fails. With `release` NULL they must stay until every handle of the world is freed. Free it with `waypost_nav_free`.
/// Any thread; the map is used for a moment only.
///
/// # Safety
/// `map` is a map that was not freed; `bytes` is valid for reads of `length` bytes until released; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_open(
    map: *const waypost_map,
    bytes: *const u8,
    length: usize,
    release: waypost_release,
    user: *mut c_void,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe { waypost_nav_open_with(map, bytes, length, release, user, std::ptr::null(), out) }
}

/// As `waypost_nav_open` with the options of a build, which may be NULL: an index beyond the limits is WAYPOST_BUILD_FAILED, and types of units that the file does not
/// have are built. Limits and threads hold for what is built for this world later, too. Any thread; the map is used for a moment only.
///
/// # Safety
/// As there; `options` is NULL or valid with all that it points to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_open_with(
    map: *const waypost_map,
    bytes: *const u8,
    length: usize,
    release: waypost_release,
    user: *mut c_void,
    options: *const waypost_build_options,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    let lent = Lent {
        bytes,
        length,
        release,
        user,
    };
    let make = move || {
        // SAFETY: the caller's promise.
        let map = unsafe { array(bytes, length, "bytes").and(given(map, "map")) }?.copy()?;
        // SAFETY: the caller's promise.
        let Some(options) = unsafe { sized(options, "options") }? else {
            return Ok(waypost_nav(Navigator::open(map, lent)?));
        };
        // SAFETY: the caller's promise.
        let (options, callback) = unsafe { read_options(&options) }?;
        let opened = Navigator::open_with(map, lent, options);
        callback.end();
        Ok(waypost_nav(opened?))
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}

/// Writes the file to ship with the map that the indexes are of: the map as it was built or, when every index is WAYPOST_INDEX_CURRENT again after a rebuild, as it
/// is now. Goes into `out` and its length into `size`, which may be NULL. WAYPOST_TOO_SMALL where
/// `capacity` is less, with nothing but `size` written: ask with a capacity of 0. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for writes of `capacity` bytes, or NULL with 0; `size` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_save(
    nav: *const waypost_nav,
    out: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let file = unsafe { given(nav, "nav") }?.0.save()?;
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(size, file.len()) };
        if out.is_null() || capacity < file.len() {
            return Err(failure(
                waypost_status::WAYPOST_TOO_SMALL,
                format!("the file takes {} bytes; got {capacity}", file.len()),
            ));
        }
        // SAFETY: `out` holds at least that many bytes.
        unsafe { out.copy_from_nonoverlapping(file.as_ptr(), file.len()) };
        Ok(())
    })
}

/// Makes another world, equal to this one until either changes: what-if questions, another floor of the same plan. Free it with
/// `waypost_nav_free`. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_fork(
    nav: *const waypost_nav,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, || Ok(waypost_nav(given(nav, "nav")?.0.fork()?))) })
}

/// Frees a handle of a world; the world ends with its last handle or crowd. NULL is ignored.
///
/// # Safety
/// `nav` was not freed, or is NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_free(nav: *mut waypost_nav) {
    free(nav);
}
