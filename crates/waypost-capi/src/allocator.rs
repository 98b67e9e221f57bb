//! Memory from the caller's functions.
//!
//! The allocator of a Rust program is chosen when it is compiled, so the one here asks at run time where to go. It goes to the
//! system unless the caller's functions were set before the first byte was asked for, and never changes after that: every
//! block goes back to where it came from. With the feature `allocator` off it is not there.

use crate::border::{failure, guarded, size_of_options};
use crate::failure::refuse;
use crate::types::waypost_status;
use std::ffi::c_void;

/// Gives `size` bytes at a multiple of `alignment`, which is a power of two, or NULL where there are none: the program ends then.
pub type waypost_allocate =
    Option<unsafe extern "C" fn(user: *mut c_void, size: usize, alignment: usize) -> *mut c_void>;

/// Takes a block back that `waypost_allocate` gave for this size and alignment.
pub type waypost_release_memory = Option<
    unsafe extern "C" fn(user: *mut c_void, block: *mut c_void, size: usize, alignment: usize),
>;

/// Where all memory of the library comes from. The functions are called from any thread, also by several at once, and must not call
/// the library; they stay for as long as the program runs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct waypost_allocator {
    /// sizeof(waypost_allocator)
    pub size: usize,
    /// Gives memory.
    pub allocate: waypost_allocate,
    /// Takes it back.
    pub release: waypost_release_memory,
    /// Given to both.
    pub user: *mut c_void,
}

/// Sets where all memory of the library comes from, once, before any other function is called; WAYPOST_TOO_LATE after that. After
/// WAYPOST_NULL and WAYPOST_BAD_VALUE the call can be made again. Without it memory comes from the system. What the library keeps for the whole program (its threads, messages of failures) is not given back;
/// what threads of a build had comes back a little later.
/// One thread, before all else.
///
/// # Safety
/// `allocator` is valid; its functions do what they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_set_allocator(
    allocator: *const waypost_allocator,
) -> waypost_status {
    // Messages that take no memory: the system's would be in use from then on.
    if allocator.is_null() {
        return refuse(waypost_status::WAYPOST_NULL, c"`allocator` is NULL");
    }
    // SAFETY: the caller's promise.
    let size = unsafe { size_of_options(allocator) };
    if size != Some(size_of::<waypost_allocator>()) {
        return refuse(
            waypost_status::WAYPOST_BAD_VALUE,
            c"set `allocator.size` to sizeof(waypost_allocator)",
        );
    }
    // SAFETY: it is as long as it says.
    let given = unsafe { allocator.read() };
    let (Some(allocate), Some(release)) = (given.allocate, given.release) else {
        let message = c"`allocate` or `release` is NULL";
        return refuse(waypost_status::WAYPOST_NULL, message);
    };
    guarded(|| match forwarding::set(allocate, release, given.user) {
        true => Ok(()),
        false => Err(failure(
            waypost_status::WAYPOST_TOO_LATE,
            "an allocator must be set before any other function of the library is called, and only once",
        )),
    })
}

#[cfg(not(feature = "allocator"))]
mod forwarding {
    use super::{Allocate, Release};

    /// Built without: the system's allocator is in use from the start.
    pub fn set(_: Allocate, _: Release, _: *mut std::ffi::c_void) -> bool {
        false
    }
}

type Allocate = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
type Release = unsafe extern "C" fn(*mut c_void, *mut c_void, usize, usize);

#[cfg(feature = "allocator")]
mod forwarding {
    use super::{Allocate, Release};
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::ffi::c_void;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU8, Ordering};

    struct Functions {
        allocate: Allocate,
        release: Release,
        user: *mut c_void,
    }

    // SAFETY: the header says that the functions come from any thread.
    unsafe impl Send for Functions {}
    // SAFETY: as above.
    unsafe impl Sync for Functions {}

    /// Nobody has asked for memory yet.
    const UNUSED: u8 = 0;
    const SYSTEM: u8 = 1;
    const GIVEN: u8 = 2;

    /// Leaves [`UNUSED`] once, for ever.
    static SOURCE: AtomicU8 = AtomicU8::new(UNUSED);
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

    struct Forwarding;

    #[global_allocator]
    static GLOBAL: Forwarding = Forwarding;

    /// Takes the functions if nobody has asked for memory yet.
    pub fn set(allocate: Allocate, release: Release, user: *mut c_void) -> bool {
        if SOURCE.load(Ordering::Acquire) != UNUSED {
            return false;
        }
        let functions = Functions {
            allocate,
            release,
            user,
        };
        FUNCTIONS.set(functions).is_ok()
            && SOURCE
                .compare_exchange(UNUSED, GIVEN, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
    }

    /// The caller's functions, or nothing where the system serves.
    #[inline]
    fn functions() -> Option<&'static Functions> {
        let mut source = SOURCE.load(Ordering::Acquire);
        if source == UNUSED {
            let chosen =
                SOURCE.compare_exchange(UNUSED, SYSTEM, Ordering::AcqRel, Ordering::Acquire);
            source = chosen.err().unwrap_or(SYSTEM);
        }
        if source == SYSTEM {
            return None;
        }
        FUNCTIONS.get()
    }

    // SAFETY: every block comes from and goes back to the same source, which never changes; the system keeps the promises of a
    // global allocator, and the caller has promised that the functions do.
    unsafe impl GlobalAlloc for Forwarding {
        #[inline]
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            match functions() {
                // SAFETY: the layout is one of a global allocator's.
                None => unsafe { System.alloc(layout) },
                // SAFETY: as above.
                Some(given) => unsafe {
                    (given.allocate)(given.user, layout.size(), layout.align()).cast()
                },
            }
        }

        #[inline]
        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            match functions() {
                // SAFETY: the block is the system's.
                None => unsafe { System.dealloc(block, layout) },
                // SAFETY: the block is the caller's.
                Some(given) => unsafe {
                    (given.release)(given.user, block.cast(), layout.size(), layout.align());
                },
            }
        }

        #[inline]
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            if functions().is_none() {
                // SAFETY: the layout is one of a global allocator's.
                return unsafe { System.alloc_zeroed(layout) };
            }
            // SAFETY: as above.
            let block = unsafe { self.alloc(layout) };
            if !block.is_null() {
                // SAFETY: the block is as large as that.
                unsafe { block.write_bytes(0, layout.size()) };
            }
            block
        }

        #[inline]
        unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            if functions().is_none() {
                // SAFETY: the block is the system's.
                return unsafe { System.realloc(block, layout, size) };
            }
            // SAFETY: a size that a global allocator is asked for, rounded up, is within memory: its promise.
            let larger = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
            // SAFETY: as above.
            let moved = unsafe { self.alloc(larger) };
            if !moved.is_null() {
                // SAFETY: both blocks are as large as that, and they are two.
                unsafe {
                    moved.copy_from_nonoverlapping(block, layout.size().min(size));
                    self.dealloc(block, layout);
                }
            }
            moved
        }
    }
}
