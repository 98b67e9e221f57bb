//! What the library says of itself: its version, and what went wrong last.

use crate::failure;
use std::ffi::c_char;

/// The version as a number: major * 65536 + minor * 256 + patch. Within one major version functions and numbers are only added.
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn waypost_version() -> u32 {
    let part = |text: &str| text.parse::<u32>().unwrap_or(0);
    part(env!("CARGO_PKG_VERSION_MAJOR")) << 16
        | part(env!("CARGO_PKG_VERSION_MINOR")) << 8
        | part(env!("CARGO_PKG_VERSION_PATCH"))
}

/// The version as a text; lives for ever. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn waypost_version_text() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// What went wrong in this thread's last call that failed, and what to do about it; never NULL. UTF-8, valid until the next
/// call of this thread that fails. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn waypost_last_error() -> *const c_char {
    failure::last_message()
}
