//! Opens files as memory maps: the only unsafe call of the workspace.

use memmap2::Mmap;
use std::fs::File;

/// The file's bytes where they lie, read from disk as they are used.
#[allow(unsafe_code)]
pub fn open(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: a map is sound as long as nobody changes or shortens the file under it. Waypost never writes a file in
    // place: outputs are written beside the old file and renamed over it, which leaves an open map on the old contents.
    // Other programs that change an index while it is in use are outside of what can be promised, as with any map.
    unsafe { Mmap::map(file) }
}
