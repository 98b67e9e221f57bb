//! Threads as the header allows them: a world for all of them at once, a crowd for one at a time, handles freed in any order.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};
use waypost_capi::*;

/// A handle that other threads use too.
struct Shared<T>(*mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        *self
    }
}
impl<T> Copy for Shared<T> {}

// SAFETY: what this test is about: the header says which calls may come from several threads.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn get(&self) -> *mut T {
        self.0
    }
}

fn point(x: u32, y: u32) -> waypost_point {
    waypost_point { x, y }
}

/// A world of two rooms with a door between them.
fn world() -> Shared<waypost_nav> {
    let cells: Vec<u8> = (0..64 * 64)
        .map(|at| u8::from(at % 64 != 32 || at / 64 == 9))
        .collect();
    let (mut map, mut nav) = (null_mut(), null_mut());
    // SAFETY: arrays are as long as told; the map is freed once.
    unsafe {
        waypost_map_from_cells(64, 64, cells.as_ptr(), cells.len(), &mut map);
        waypost_map_set_doors(map, &point(32, 9), 1);
        let status = waypost_nav_build(map, null(), &mut nav);
        assert_eq!(status, waypost_status::WAYPOST_OK);
        waypost_map_free(map);
    }
    Shared(nav)
}

#[test]
fn a_world_serves_all_threads_at_once() {
    let nav = world();
    let found = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let found = &found;
            scope.spawn(move || {
                let mut points = [waypost_point::default(); 256];
                for i in 0..500 {
                    let (mut count, mut length) = (0, 0.0);
                    let (from, goal) = (point(i % 30, i % 64), point(40 + i % 20, (i * 7) % 64));
                    // SAFETY: the array is as long as told.
                    let status = unsafe {
                        let out = points.as_mut_ptr();
                        waypost_nav_path(nav.get(), from, goal, out, 256, &mut count, &mut length)
                    };
                    match status {
                        waypost_status::WAYPOST_OK => {
                            assert!(points[..count].contains(&point(32, 9)));
                            found.fetch_add(1, Ordering::Relaxed);
                        }
                        other => assert_eq!(other, waypost_status::WAYPOST_UNREACHABLE),
                    }
                    if thread == 0 {
                        let door = point(32, 9);
                        let (open, close) = (usize::from(i % 2 == 1), usize::from(i % 2 == 0));
                        // SAFETY: arrays are as long as told.
                        unsafe {
                            waypost_nav_set_doors(nav.get(), &door, open, &door, close, null_mut());
                        }
                    }
                }
            });
        }
    });
    assert!(found.into_inner() > 0);
    // SAFETY: freed once, when no thread uses it.
    unsafe { waypost_nav_free(nav.get()) };
}

#[test]
fn a_crowd_is_for_one_thread_at_a_time() {
    let nav = world();
    let mut crowd = null_mut();
    // SAFETY: handles are freed once; the crowd keeps its world.
    unsafe {
        waypost_crowd_new(nav.get(), null(), &mut crowd);
        waypost_nav_free(nav.get());
    }
    let crowd = Shared(crowd);
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..3_u32 {
            let done = &done;
            scope.spawn(move || {
                let mut own = 0;
                // On a busy machine one that sleeps may be at it for long: whoever has had no turn yet goes on.
                for i in 0.. {
                    if i >= 400 && own > 0 {
                        break;
                    }
                    let mut unit = 0;
                    // SAFETY: all pointers are of this thread.
                    let status = unsafe {
                        match thread {
                            0 => waypost_crowd_tick(crowd.get(), null_mut(), 0, null_mut()),
                            _ => waypost_crowd_spawn(crowd.get(), point(i % 30, i % 64), &mut unit),
                        }
                    };
                    match status {
                        waypost_status::WAYPOST_OK => {
                            own += 1;
                            done.fetch_add(u64::from(thread != 0), Ordering::Relaxed);
                        }
                        other => assert_eq!(other, waypost_status::WAYPOST_BUSY),
                    }
                }
            });
        }
    });
    let mut units = 0;
    // SAFETY: freed once, when no thread uses it.
    unsafe {
        waypost_crowd_count(crowd.get(), &mut units, null_mut());
        waypost_crowd_free(crowd.get());
    }
    // Nothing was done where a thread was told that another one was at it.
    assert_eq!(units as u64, done.into_inner());
    assert!(units > 0);
}

#[test]
fn messages_are_a_threads_own() {
    // SAFETY: a message lives until the next failure of its thread.
    let message = || unsafe { std::ffi::CStr::from_ptr(waypost_last_error()).to_owned() };
    // SAFETY: null is refused.
    unsafe { waypost_map_size(null(), null_mut(), null_mut()) };
    let here = message();
    assert!(!here.is_empty());
    let there = std::thread::spawn(message).join().expect("no panic");
    assert!(there.is_empty());
    assert_eq!(here, message());
}
