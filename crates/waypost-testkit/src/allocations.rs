//! A counting allocator: proves that a move allocates nothing and that a loader's memory follows the file.
//!
//! A test binary installs it once:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: waypost_testkit::allocations::Counting = waypost_testkit::allocations::Counting;
//!
//! let (list, used) = waypost_testkit::allocations::measure(|| vec![1u8, 2, 3]);
//! assert_eq!((list.len(), used.count, used.bytes), (3, 1, 3));
//! ```
//!
//! Counts are kept for each thread apart, so tests that run side by side do not disturb each other; work handed to other
//! threads is not seen, except by [`held_by_all_threads`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering};

/// The system's allocator, counting.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

/// What a piece of work allocated on its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Allocations {
    /// Calls of the allocator, growing an allocation included.
    pub count: u64,
    /// Bytes asked for in all; growing counts the bytes added.
    pub bytes: u64,
    /// The most bytes held at any one time beyond those held at the beginning.
    pub peak_bytes: u64,
    /// Bytes still held at the end beyond those held at the beginning; 0 where more was given back than taken.
    pub held_bytes: u64,
}

#[derive(Clone, Copy)]
struct Tally {
    count: u64,
    bytes: u64,
    held: i64,
    peak: i64,
}

thread_local! {
    // Constant and without a destructor: reading it neither allocates nor fails while a thread ends.
    static TALLY: Cell<Tally> = const { Cell::new(Tally { count: 0, bytes: 0, held: 0, peak: 0 }) };
}

/// Bytes held by the whole process, and the most since [`peak_of_all_threads`] was asked last.
static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// Bytes that the whole process holds now. For programs that do one thing at a time, over as many threads as it takes.
pub fn held_by_all_threads() -> i64 {
    HELD.load(Ordering::Relaxed)
}

/// Runs work over as many threads as it takes, and says how many bytes more than before the process held at most meanwhile. For programs that do
/// one thing at a time.
pub fn peak_of_all_threads<T>(work: impl FnOnce() -> T) -> (T, i64) {
    let before = held_by_all_threads();
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (result, PEAK.load(Ordering::Relaxed) - before)
}

fn record(added: usize, removed: usize) {
    let change = added as i64 - removed as i64;
    let held = HELD.fetch_add(change, Ordering::Relaxed) + change;
    if change > 0 {
        PEAK.fetch_max(held, Ordering::Relaxed);
    }
    TALLY.with(|tally| {
        let mut now = tally.get();
        if added > 0 {
            now.count += 1;
        }
        now.bytes += added.saturating_sub(removed) as u64;
        now.held += added as i64 - removed as i64;
        now.peak = now.peak.max(now.held);
        tally.set(now);
    });
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches a thread-local number only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record(layout.size(), 0);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        record(size, layout.size());
        // SAFETY: `pointer` came from `System` with this layout, because every allocation here does.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        record(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs work and says what it allocated on this thread. All zero unless [`Counting`] is the binary's allocator.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Allocations) {
    let before = TALLY.with(|tally| {
        let mut now = tally.get();
        now.peak = now.held;
        tally.set(now);
        now
    });
    let result = work();
    let after = TALLY.with(Cell::get);
    let used = Allocations {
        count: after.count - before.count,
        bytes: after.bytes - before.bytes,
        peak_bytes: (after.peak - before.held) as u64,
        held_bytes: (after.held - before.held).max(0) as u64,
    };
    (result, used)
}

/// Whether the counting allocator is installed in this binary.
pub fn is_counting() -> bool {
    measure(|| std::hint::black_box(Box::new(0u8))).1.count > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    #[test]
    fn nothing_is_counted_as_nothing() {
        assert!(is_counting());
        let mut sum = 0u64;
        let (_, used) = measure(|| (0..100).for_each(|i| sum += i));
        assert_eq!((sum, used), (4950, Allocations::default()));
    }

    #[test]
    fn growth_and_release_are_seen() {
        let (_, used) = measure(|| {
            let mut list: Vec<u8> = Vec::with_capacity(100);
            list.resize(300, 0);
            drop(list);
            let second: Vec<u64> = std::hint::black_box(Vec::with_capacity(10));
            second.capacity()
        });
        assert_eq!(used.count, 3);
        assert_eq!(used.bytes, 300 + 80);
        assert_eq!(used.peak_bytes, 300);
    }

    #[test]
    fn threads_are_counted_apart() {
        let (_, used) = measure(|| {
            let before = TALLY.with(Cell::get).bytes;
            std::thread::scope(|scope| {
                scope.spawn(|| std::hint::black_box(vec![0u8; 1 << 20]));
            });
            TALLY.with(Cell::get).bytes - before
        });
        assert!(used.bytes < 1 << 20);
    }
}
