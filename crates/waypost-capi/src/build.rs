//! Worlds: built, opened, saved, forked.

use crate::border::{
    Failure, Output, array, failure, free, give, given, guarded, put, put_if_wanted, sized, text,
};
use crate::map::waypost_map;
use crate::types::{waypost_progress, waypost_release, waypost_status};
use std::ffi::{CString, c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use waypost::Navigator;
use waypost::navigator::{BuildOptions, UnitType};
use waypost::progress::Progress;

/// A world as one type of unit sees it. All functions on it may be called from any thread, also at the same time; paths see
/// changes at once, crowds at their next tick. Handles that come from one world (`waypost_nav_for_unit`, crowds) keep it alive
/// and may be freed in any order.
pub struct waypost_nav(pub(crate) Navigator);

/// A type of unit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct waypost_unit_type {
    /// Its name, UTF-8, one line.
    pub name: *const c_char,
    /// Cells on a side, from 1. Its position is its top left cell.
    pub cells: u32,
}

impl waypost_unit_type {
    /// # Safety
    /// The name is null or a text.
    unsafe fn read(&self) -> Result<UnitType, Failure> {
        // SAFETY: the caller's promise.
        Ok(UnitType::new(unsafe { text(self.name, "name") }?).size(self.cells))
    }
}

/// How a world is built. Fill with zeros and set `size`; what is 0 is as usual.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct waypost_build_options {
    /// sizeof(waypost_build_options)
    pub size: usize,
    /// The most memory that an index may take (0: 16 bytes a free cell, at least 64 MB).
    pub max_bytes: u64,
    /// The most seconds that building may take, by an estimate that is the same on every machine (0: 60).
    pub max_seconds: f64,
    /// Types of units beside the one of one cell, which is called `unit`.
    pub unit_types: *const waypost_unit_type,
    /// How many.
    pub unit_type_count: usize,
    /// Told how far the build is, or NULL.
    pub progress: waypost_progress,
    /// Given to `progress`.
    pub user: *mut c_void,
}

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
struct Shared(Arc<Callback>);

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

/// # Safety
/// The pointers in the options are valid.
unsafe fn read_options(
    given: &waypost_build_options,
) -> Result<(BuildOptions, Arc<Callback>), Failure> {
    let mut options = BuildOptions::default();
    if given.max_bytes != 0 {
        options = options.max_bytes(given.max_bytes);
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
    // SAFETY: the caller's promise.
    for unit in unsafe { array(given.unit_types, given.unit_type_count, "unit_types") }? {
        // SAFETY: the caller's promise.
        options = options.unit_type(unsafe { unit.read() }?);
    }
    let callback = Arc::new(Callback::new(given.progress, given.user));
    Ok((options.progress(Shared(callback.clone())), callback))
}

/// Builds the world of a map, on all cores: chooses the index that suits the map. The map is copied. `options` may be NULL. Free it with
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
    let lent = Lent {
        bytes,
        length,
        release,
        user,
    };
    let make = move || {
        // SAFETY: the caller's promise.
        let map = unsafe { array(bytes, length, "bytes").and(given(map, "map")) }?.copy()?;
        Ok(waypost_nav(Navigator::open(map, lent)?))
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}

/// Writes the file to ship with the map into `out` and its length into `size`, which may be NULL. WAYPOST_TOO_SMALL where
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
        let file = unsafe { given(nav, "nav") }?.0.save();
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

/// Gives the same world as another type of unit sees it. Free it with `waypost_nav_free`, in any order. Any thread.
///
/// # Safety
/// `nav` was not freed; `name` is a text; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_for_unit(
    nav: *const waypost_nav,
    name: *const c_char,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(out, || {
                let name = text(name, "name")?;
                Ok(waypost_nav(given(nav, "nav")?.0.for_unit(name)?))
            })
        }
    })
}

/// Adds a type of unit, builds its index and gives the world as that type sees it; a type of the same name is replaced. Free it
/// with `waypost_nav_free`. Any thread.
///
/// # Safety
/// `nav` was not freed; `unit_type` and its name are valid; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_add_unit_type(
    nav: *const waypost_nav,
    unit_type: *const waypost_unit_type,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(out, || {
                let unit = given(unit_type, "unit_type")?.read()?;
                Ok(waypost_nav(given(nav, "nav")?.0.add_unit_type(unit)?))
            })
        }
    })
}

/// Gives the number of unit types. Any thread.
///
/// # Safety
/// `nav` was not freed; `count` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_unit_type_count(
    nav: *const waypost_nav,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe { put(count, given(nav, "nav")?.0.unit_types().len(), "count") })
}

/// Gives the name of a unit type, with a zero at its end, and its cells on a side. `size` is the number of bytes with that zero; `size` and
/// `cells` may be NULL. Any thread.
///
/// # Safety
/// `nav` was not freed; `name` is valid for writes of `capacity` bytes, or NULL; `size` and `cells` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_unit_type(
    nav: *const waypost_nav,
    index: usize,
    name: *mut c_char,
    capacity: usize,
    size: *mut usize,
    cells: *mut u32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let units = unsafe { given(nav, "nav") }?.0.unit_types();
        let unit = units.get(index).ok_or_else(|| {
            failure(
                waypost_status::WAYPOST_NO_SUCH_UNIT_TYPE,
                format!("no unit type {index}; there are {}", units.len()),
            )
        })?;
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(cells, unit.cells());
            let mut out = Output::new(name.cast::<u8>(), capacity);
            unit.name().bytes().chain([0]).for_each(|b| out.push(b));
            out.finish(size)
        }
    })
}

/// Frees a handle of a world; the world ends with its last handle or crowd. NULL is ignored.
///
/// # Safety
/// `nav` was not freed, or is NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_free(nav: *mut waypost_nav) {
    free(nav);
}
