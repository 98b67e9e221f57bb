//! What every function of the border does: no panic crosses, failures become a status and a message of the thread.

pub use crate::failure::{Failure, Outcome, failure};
use crate::failure::{keep, too_small};
use crate::types::waypost_status;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Runs the body of a function of the border.
pub fn guarded(body: impl FnOnce() -> Outcome) -> waypost_status {
    let failed = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return waypost_status::WAYPOST_OK,
        Ok(Err(failed)) => failed,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            let text = text.unwrap_or_default();
            // What a panic carries may panic in turn when it is dropped.
            std::mem::forget(panic);
            failure(
                waypost_status::WAYPOST_PANIC,
                format!("a mistake inside Waypost, please report it: {text}"),
            )
        }
    };
    keep(failed)
}

/// Frees a handle; a panic on the way is swallowed, for there is nobody to tell.
pub fn free<T>(handle: *mut T) {
    if handle.is_null() {
        return;
    }
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: a handle that is not null came from `Box::into_raw` in `give` and is freed once: the caller's promise.
        drop(unsafe { Box::from_raw(handle) });
    }));
}

/// Why a pointer that is needed is refused.
pub fn null(what: &str) -> Failure {
    failure(
        waypost_status::WAYPOST_NULL,
        format!("`{what}` is NULL; give a valid pointer"),
    )
}

/// A handle or a struct that the caller gave.
///
/// # Safety
/// Null, or valid for reads while the reference lives.
pub unsafe fn given<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// An array that the caller gave; a null pointer is one without elements.
///
/// # Safety
/// Null, or valid for reads of `count` elements while the slice lives.
pub unsafe fn array<'a, T>(
    pointer: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(what));
    }
    if count
        .checked_mul(size_of::<T>())
        .is_none_or(|bytes| bytes > isize::MAX as usize)
    {
        return Err(failure(
            waypost_status::WAYPOST_BAD_VALUE,
            format!("`{what}` of {count} elements is beyond memory"),
        ));
    }
    // SAFETY: not null, not beyond memory, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// A text that the caller gave.
///
/// # Safety
/// Null, or a text that ends with a zero and lives as long as the reference.
pub unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null, and the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    text.map_err(|_| {
        failure(
            waypost_status::WAYPOST_BAD_VALUE,
            format!("`{what}` is not UTF-8"),
        )
    })
}

/// Writes a value to where the caller wants it.
///
/// # Safety
/// Null, or valid for a write.
pub unsafe fn put<T>(pointer: *mut T, value: T, what: &str) -> Outcome {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null, and the caller's promise.
    unsafe { pointer.write(value) };
    Ok(())
}

/// [`put`] for results that the caller may leave out.
///
/// # Safety
/// As there.
pub unsafe fn put_if_wanted<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: not null, and the caller's promise.
        unsafe { pointer.write(value) };
    }
}

/// Makes a handle. The place for it is looked at before anything is made.
///
/// # Safety
/// `out` is null or valid for a write.
pub unsafe fn give<T>(out: *mut *mut T, make: impl FnOnce() -> Result<T, Failure>) -> Outcome {
    // SAFETY: the caller's promise. Nothing is left at the place if making fails.
    unsafe { put(out, std::ptr::null_mut(), "out") }?;
    let handle = Box::into_raw(Box::new(make()?));
    // SAFETY: the caller's promise.
    unsafe { put(out, handle, "out") }
}

/// The caller's array, written from its beginning; what does not fit is counted and left out.
pub struct Output<T> {
    pointer: *mut T,
    capacity: usize,
    count: usize,
}

impl<T> Output<T> {
    /// # Safety
    /// `pointer` is null or valid for writes of `capacity` elements while this lives.
    pub unsafe fn new(pointer: *mut T, capacity: usize) -> Output<T> {
        Output {
            pointer,
            capacity: if pointer.is_null() { 0 } else { capacity },
            count: 0,
        }
    }

    #[inline]
    pub fn push(&mut self, value: T) {
        if self.count < self.capacity {
            // SAFETY: within the array that `new` was promised.
            unsafe { self.pointer.add(self.count).write(value) };
        }
        self.count += 1;
    }

    /// Says how many elements there are, also where the array was too short for them.
    ///
    /// # Safety
    /// `count` is null or valid for a write.
    pub unsafe fn finish(self, count: *mut usize) -> Outcome {
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(count, self.count) };
        self.fits()
    }

    pub fn fits(&self) -> Outcome {
        self.has_room_for(self.count)
    }

    /// Whether so many elements fit into the array.
    pub fn has_room_for(&self, count: usize) -> Outcome {
        if count <= self.capacity {
            return Ok(());
        }
        Err(too_small(count, self.capacity))
    }
}

/// The one who may use a handle that one thread at a time may use.
pub fn exclusive<'a, T>(handle: &'a Mutex<T>, what: &str) -> Result<MutexGuard<'a, T>, Failure> {
    handle.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => failure(
            waypost_status::WAYPOST_BUSY,
            format!("another thread is using this {what}; use it from one thread at a time"),
        ),
        TryLockError::Poisoned(_) => failure(
            waypost_status::WAYPOST_PANIC,
            format!("an earlier call on this {what} failed inside Waypost; free it"),
        ),
    })
}

/// The size that options say they have, if it can be one.
///
/// # Safety
/// `options` begins with its size, a `size_t`.
pub unsafe fn size_of_options<T>(options: *const T) -> Option<usize> {
    // SAFETY: it begins with its size.
    let size = unsafe { options.cast::<usize>().read_unaligned() };
    let is_right = (size_of::<usize>()..=4096).contains(&size);
    (is_right && size.is_multiple_of(align_of::<T>())).then_some(size)
}

/// Reads a struct of options that says its own size: what a caller of an older header does not know is zero, and what a caller
/// of a newer one sets beyond this version is refused.
///
/// # Safety
/// `options` is null or begins with its size, a `size_t`, and is valid for reads of that many bytes. All-zero bytes are a
/// value of `T`.
pub unsafe fn sized<T: Copy>(options: *const T, what: &str) -> Result<Option<T>, Failure> {
    if options.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let Some(size) = (unsafe { size_of_options(options) }) else {
        // SAFETY: as above.
        let size = unsafe { options.cast::<usize>().read_unaligned() };
        return Err(failure(
            waypost_status::WAYPOST_BAD_VALUE,
            format!("`{what}.size` is {size}; set it to sizeof(*{what})"),
        ));
    };
    // SAFETY: valid for `size` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(options.cast::<u8>(), size) };
    let known = size.min(size_of::<T>());
    if bytes[known..].iter().any(|&byte| byte != 0) {
        return Err(failure(
            waypost_status::WAYPOST_BAD_VALUE,
            format!("`{what}` has settings that this version does not know; link a newer library"),
        ));
    }
    // SAFETY: all-zero bytes are a value; the bytes copied are fields that the caller has filled in.
    Ok(Some(unsafe {
        let mut value = std::mem::zeroed::<T>();
        let place = (&raw mut value).cast::<u8>();
        place.copy_from_nonoverlapping(bytes.as_ptr(), known);
        value
    }))
}
