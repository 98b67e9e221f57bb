//! Fuzzed calls through the border: bad values, orders and sizes, never bad pointers. `WAYPOST_FUZZ_CALLS` sets how many (1,000,000).

mod crowds;
mod inspections;
mod worlds;

use std::ptr::null_mut;
use waypost_capi::*;
use waypost_testkit::TestRng;

/// Written behind every array that is lent to the library.
const GUARD: u32 = 0xdead_beef;
const POINTS: usize = 300;
const STATUSES: usize = 19;

struct Fuzz {
    rng: TestRng,
    map: *mut waypost_map,
    nav: *mut waypost_nav,
    crowd: *mut waypost_crowd,
    requests: *mut waypost_requests,
    inspection: *mut waypost_inspection,
    tickets: Vec<waypost_ticket>,
    units: Vec<waypost_unit_id>,
    points: Vec<waypost_point>,
    /// How many calls were done, and how many of them came to each status.
    done: u64,
    came_to: [u64; STATUSES],
}

impl Fuzz {
    fn new(seed: u64) -> Fuzz {
        let guard = waypost_point { x: GUARD, y: GUARD };
        Fuzz {
            rng: TestRng::new(seed),
            map: null_mut(),
            nav: null_mut(),
            crowd: null_mut(),
            requests: null_mut(),
            inspection: null_mut(),
            tickets: vec![0, u64::MAX],
            units: vec![0, u64::MAX],
            points: vec![guard; POINTS + 1],
            done: 0,
            came_to: [0; STATUSES],
        }
    }

    /// Mostly a number that makes sense, now and then any.
    fn number(&mut self, sensible: u32) -> u32 {
        match self.rng.below(12) {
            0 => self.rng.next(),
            1 => u32::MAX,
            2 => 0,
            _ => self.rng.below(sensible),
        }
    }

    fn point(&mut self) -> waypost_point {
        waypost_point {
            x: self.number(24),
            y: self.number(20),
        }
    }

    fn unit(&mut self) -> waypost_unit_id {
        let any = self.rng.below(self.units.len() as u32) as usize;
        match self.rng.percent(90) {
            true => self.units[any],
            false => u64::from(self.rng.next()) << 32 | u64::from(self.rng.below(9)),
        }
    }

    /// Mostly the size of a struct, now and then a smaller one or one that cannot be.
    fn size_of<T>(&mut self) -> usize {
        match self.rng.below(12) {
            0 => self.rng.below(size_of::<T>() as u32) as usize,
            1 => usize::MAX,
            _ => size_of::<T>(),
        }
    }

    fn said(&mut self, status: waypost_status) {
        self.done += 1;
        assert_ne!(status, waypost_status::WAYPOST_PANIC, "{}", message());
        self.came_to[status as usize] += 1;
        if status != waypost_status::WAYPOST_OK {
            assert!(!message().is_empty());
        }
    }

    /// How much of the array of points is lent; what lies behind it must stay.
    fn lent(&mut self) -> (*mut waypost_point, usize) {
        let capacity = self.rng.below(POINTS as u32 + 1) as usize;
        self.points[capacity] = waypost_point { x: GUARD, y: GUARD };
        (self.points.as_mut_ptr(), capacity)
    }

    fn check_guard(&self, capacity: usize) {
        assert_eq!(self.points[capacity].x, GUARD, "written beyond the end");
    }

    /// Has something to work on again where there is nothing, more often than not.
    fn begin(&mut self) {
        while self.nav.is_null() {
            self.new_map();
            self.new_nav();
        }
        if self.crowd.is_null() {
            self.new_crowd();
        }
        if self.requests.is_null() {
            self.new_requests();
        }
    }

    fn step(&mut self) {
        if self.rng.percent(20) {
            self.begin();
        }
        match self.rng.below(100) {
            0 => self.new_map(),
            1 => self.new_nav(),
            2 => self.reopen(),
            3 => self.new_crowd(),
            4 if self.rng.percent(30) => self.new_requests(),
            4..=9 => self.map_calls(),
            10..=35 => self.nav_calls(),
            36 | 37 => self.inspect_calls(),
            38 | 39 => self.inspection_calls(),
            40..=49 => self.upkeep_calls(),
            50..=57 => self.request_calls(),
            _ => self.crowd_calls(),
        }
    }

    fn transform(&mut self) -> waypost_transform {
        waypost_transform {
            origin: [self.rng.next() as f32, 0.0],
            cell: [
                [0.0, f32::NAN, -1.0, 1e-38][self.rng.below(4) as usize],
                1.0,
            ],
        }
    }
}

impl Drop for Fuzz {
    fn drop(&mut self) {
        // SAFETY: each is freed once, in an order that no example shows.
        unsafe {
            waypost_map_free(self.map);
            waypost_nav_free(self.nav);
            waypost_requests_free(self.requests);
            waypost_inspection_free(self.inspection);
            waypost_crowd_free(self.crowd);
        }
    }
}

fn message() -> String {
    // SAFETY: the message lives until the next failure of this thread.
    let text = unsafe { std::ffi::CStr::from_ptr(waypost_last_error()) };
    text.to_string_lossy().into_owned()
}

/// Stops a build now and then.
unsafe extern "C" fn stop_at_times(
    user: *mut std::ffi::c_void,
    _stage: *const std::ffi::c_char,
    done: u64,
    _total: u64,
) -> i32 {
    // SAFETY: the number of calls, which nobody writes while a call runs; nothing where options were cut before it.
    let calls = unsafe { user.cast::<u64>().as_ref() }.map_or(0, |&calls| calls);
    i32::from((calls + done).is_multiple_of(97))
}

unsafe extern "C" fn let_go(user: *mut std::ffi::c_void, _bytes: *const u8, _length: usize) {
    // SAFETY: from `Box::into_raw`, released once.
    drop(unsafe { Box::from_raw(user.cast::<Vec<u64>>()) });
}

#[test]
fn no_value_order_or_size_breaks_the_border() {
    let calls = std::env::var("WAYPOST_FUZZ_CALLS");
    let calls = calls
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000_000_u64);
    let (mut done, mut came_to, mut seed) = (0, [0; STATUSES], 1);
    while done < calls {
        let mut fuzz = Fuzz::new(seed);
        fuzz.begin();
        while fuzz.done < 5_000 {
            fuzz.step();
        }
        (done, seed) = (done + fuzz.done, seed + 1);
        for (sum, count) in came_to.iter_mut().zip(fuzz.came_to) {
            *sum += count;
        }
    }
    eprintln!("{done} calls; by status from 0: {came_to:?}");
    assert!(came_to[0] > done * 5 / 10, "too few calls had to do");
    // Every way to fail but those that need a second thread, a mistake inside or a build without room.
    for status in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15] {
        assert!(came_to[status] > 0, "no call came to {status}");
    }
}
