//! Fuzzed calls through the border: bad values, orders and sizes, never bad pointers. `WAYPOST_FUZZ_CALLS` sets how many (1,000,000).

use std::ffi::CString;
use std::ptr::{null, null_mut};
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
            36..=39 => self.inspect_calls(),
            40..=49 => self.upkeep_calls(),
            50..=57 => self.request_calls(),
            _ => self.crowd_calls(),
        }
    }

    fn ground(&mut self) -> waypost_ground {
        let factor = [0.0, 1.0, 3.5, -1.0, f64::INFINITY][self.rng.below(5) as usize];
        let name = [c"a", c"b", c"a,b=", c""][self.rng.below(4) as usize];
        waypost_ground {
            name: name.as_ptr(),
            factor,
        }
    }

    fn new_map(&mut self) {
        // SAFETY: handles are freed once, arrays are as long as told.
        unsafe {
            let mut map = null_mut();
            let cells: Vec<u8> = (0..480).map(|_| u8::from(!self.rng.percent(15))).collect();
            let length = self.rng.below(481) as usize;
            let (width, height) = (self.number(25), self.number(21));
            let factors: Vec<f64> = (0..480)
                .map(|_| [0.0, 1.0, 1.0, 2.5, 99.99, 1e9, f64::NAN][self.rng.below(7) as usize])
                .collect();
            let grounds = [self.ground(), self.ground()];
            let count = self.rng.below(3) as usize;
            let status = match self.rng.below(8) {
                4 => waypost_map_from_classes(
                    24,
                    20,
                    cells.as_ptr(),
                    480,
                    grounds.as_ptr(),
                    count,
                    &mut map,
                ),
                5 => waypost_map_from_factors(width, height, factors.as_ptr(), length, &mut map),
                0 => waypost_map_from_bits(width, height, cells.as_ptr(), length, &mut map),
                1 => waypost_map_from_cells(width, height, cells.as_ptr(), length, &mut map),
                2 => waypost_map_from_file_bytes(cells.as_ptr(), length, &mut map),
                _ => waypost_map_from_cells(24, 20, cells.as_ptr(), 480, &mut map),
            };
            self.said(status);
            if self.rng.percent(5) || !map.is_null() {
                waypost_map_free(std::mem::replace(&mut self.map, map));
            }
        }
    }

    fn new_nav(&mut self) {
        let name = CString::new(["tank", "", "a\nb", "tank"][self.rng.below(4) as usize]);
        let name = name.expect("no zeros");
        let grounds = [self.ground(), self.ground()];
        let units = [0, 1].map(|_| waypost_unit_type {
            size: self.size_of::<waypost_unit_type>(),
            name: name.as_ptr(),
            cells: self.number(5),
            grounds: grounds.as_ptr(),
            ground_count: self.rng.below(6) as usize / 2,
        });
        let size = match self.rng.below(5) {
            0 => self.rng.below(9000) as usize % size_of::<waypost_build_options>(),
            1 => usize::MAX,
            _ => size_of::<waypost_build_options>(),
        };
        let options = waypost_build_options {
            size,
            max_bytes: u64::from(self.number(100_000)),
            max_seconds: [0.0, f64::NAN, -1.0, 1e300, 5.0][self.rng.below(5) as usize],
            unit_types: if self.rng.percent(70) {
                units.as_ptr()
            } else {
                null()
            },
            unit_type_count: self.rng.below(3) as usize,
            progress: if self.rng.percent(50) {
                Some(stop_at_times)
            } else {
                None
            },
            user: (&raw mut self.done).cast(),
        };
        // SAFETY: handles are freed once; the options live through the call.
        unsafe {
            let mut nav = null_mut();
            let chosen = if self.rng.percent(60) {
                null()
            } else {
                &raw const options
            };
            let status = waypost_nav_build(self.map, chosen, &mut nav);
            self.said(status);
            if self.rng.percent(5) || !nav.is_null() {
                waypost_nav_free(std::mem::replace(&mut self.nav, nav));
            }
        }
    }

    fn reopen(&mut self) {
        let mut size = 0;
        // SAFETY: handles are freed once; the bytes live until they are released.
        unsafe {
            let status = waypost_nav_save(self.nav, null_mut(), 0, &mut size);
            self.said(status);
            let mut words = vec![0_u64; size.div_ceil(8) + 1];
            let bytes = words.as_mut_ptr().cast::<u8>();
            let status = waypost_nav_save(self.nav, bytes, size, &mut size);
            self.said(status);
            for _ in 0..self.rng.below(3) {
                let at = self.rng.below(size as u32 + 1) as usize;
                *bytes.add(at) ^= 1 << self.rng.below(8);
            }
            let length = if self.rng.percent(80) {
                size
            } else {
                self.rng.below(size as u32 + 1) as usize
            };
            let (mut nav, kept) = (null_mut(), Box::into_raw(Box::new(words)));
            let status =
                waypost_nav_open(self.map, bytes, length, Some(let_go), kept.cast(), &mut nav);
            self.said(status);
            if !nav.is_null() {
                waypost_nav_free(std::mem::replace(&mut self.nav, nav));
            }
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

    fn new_requests(&mut self) {
        let mut requests = null_mut();
        let short = self.number(30);
        // SAFETY: handles are freed once.
        unsafe {
            let status = waypost_requests_new(self.nav, short, &mut requests);
            self.said(status);
            if self.rng.percent(5) || !requests.is_null() {
                waypost_requests_free(std::mem::replace(&mut self.requests, requests));
            }
        }
    }

    fn request_calls(&mut self) {
        let (from, goal, requests) = (self.point(), self.point(), self.requests);
        let (out, capacity) = self.lent();
        let any = self.rng.below(self.tickets.len() as u32) as usize;
        let (ticket, expansions) = (self.tickets[any], u64::from(self.number(300)));
        let (mut asked, mut count) = (0, 0);
        let mut state = waypost_request_state::WAYPOST_REQUEST_UNKNOWN;
        // SAFETY: arrays are as long as told.
        let status = unsafe {
            match self.rng.below(8) {
                0 | 1 => waypost_requests_ask(requests, from, goal, &mut asked),
                2 | 3 => waypost_requests_tick(requests, expansions, null_mut()),
                4 | 5 => {
                    waypost_requests_state(requests, ticket, &mut state, out, capacity, &mut count)
                }
                6 => waypost_requests_close(requests, ticket),
                _ => waypost_requests_pending(requests, &mut count),
            }
        };
        self.said(status);
        self.check_guard(capacity);
        if asked != 0 && self.tickets.len() < 50 {
            self.tickets.push(asked);
        }
    }

    fn inspect_calls(&mut self) {
        let (nav, transform) = (self.nav, self.transform());
        let (out, capacity) = self.lent();
        let (mut count, mut side, mut map) = (0, 0, null_mut());
        let (mut cells, mut place) = ([7_u8; 601], [self.rng.next() as f32, f32::NAN]);
        let room = self.rng.below(601) as usize;
        let mut at = self.point();
        // SAFETY: arrays are as long as told: two points hold what a corner or a region takes, and half of them fit.
        let status = unsafe {
            match self.rng.below(8) {
                0 => waypost_nav_inspect(
                    nav,
                    cells.as_mut_ptr().cast(),
                    room,
                    &mut count,
                    null_mut(),
                ),
                1 => waypost_nav_corners(nav, out.cast(), capacity / 2, &mut count),
                2 => waypost_nav_sectors(nav, &mut side, out.cast(), capacity / 2, &mut count),
                3 => waypost_nav_map(nav, &mut map),
                4 => waypost_map_cells(self.map, cells.as_mut_ptr(), room, &mut count),
                5 => waypost_transform_position(&transform, at, place.as_mut_ptr()),
                6 => waypost_transform_cell(&transform, place.as_ptr(), &mut at),
                _ => {
                    let index = self.rng.below(5) as usize;
                    let name = cells.as_mut_ptr().cast();
                    waypost_nav_unit_type(nav, index, name, room, &mut count, &mut side)
                }
            }
        };
        self.said(status);
        self.check_guard(capacity);
        assert_eq!(cells[room], 7, "written beyond the end");
        if !map.is_null() {
            // SAFETY: freed once.
            unsafe { waypost_map_free(std::mem::replace(&mut self.map, map)) };
        }
    }

    fn new_crowd(&mut self) {
        let method = CString::new(["waypost", "lrta", "no such", ""][self.rng.below(4) as usize]);
        let method = method.expect("no zeros");
        let options = waypost_crowd_options {
            size: size_of::<waypost_crowd_options>() - self.rng.below(2) as usize * 8,
            method: if self.rng.percent(70) {
                null()
            } else {
                method.as_ptr()
            },
            plan_operations: u64::from(self.number(100_000)),
            repair_operations: u64::from(self.number(100_000)),
            exclusive: self.rng.below(2),
            free_running: self.rng.below(2),
            transform: self.transform(),
        };
        // SAFETY: handles are freed once; the options live through the call.
        unsafe {
            let mut crowd = null_mut();
            let status = waypost_crowd_new(self.nav, &options, &mut crowd);
            self.said(status);
            if self.rng.percent(5) || !crowd.is_null() {
                waypost_crowd_free(std::mem::replace(&mut self.crowd, crowd));
                self.units.truncate(2);
            }
        }
    }

    fn map_calls(&mut self) {
        let (a, b) = (self.number(4), self.number(3));
        let doors = [self.point(), self.point()];
        let count = self.rng.below(3) as usize;
        // SAFETY: arrays are as long as told.
        let status = unsafe {
            match self.rng.below(3) {
                0 => waypost_map_set_rules(self.map, a, b),
                1 => waypost_map_set_doors(self.map, doors.as_ptr(), count),
                _ => waypost_map_size(self.map, null_mut(), &mut 0),
            }
        };
        self.said(status);
    }

    fn nav_calls(&mut self) {
        let (from, goal, nav) = (self.point(), self.point(), self.nav);
        let (out, capacity) = self.lent();
        let (mut count, mut length, mut point) = (0, 0.0, from);
        let queries = [
            waypost_query { from, goal },
            waypost_query {
                from: goal,
                goal: from,
            },
        ];
        let edits = [waypost_edit {
            at: from,
            width: self.number(3),
            height: self.number(3),
            passable: self.rng.below(2),
        }; 2];
        let some = self.rng.below(3) as usize;
        let ends = [from, goal, goal];
        // SAFETY: arrays are as long as told.
        let status = unsafe {
            match self.rng.below(13) {
                10 => {
                    let (goals, length) = (ends.as_ptr(), &mut length);
                    waypost_nav_path_to_nearest(
                        nav,
                        from,
                        goals,
                        some,
                        &mut count,
                        out,
                        capacity,
                        null_mut(),
                        length,
                    )
                }
                11 => {
                    waypost_nav_smooth_path(nav, from, goal, out, capacity, &mut count, null_mut())
                }
                12 => {
                    waypost_nav_sees(nav, from, goal);
                    waypost_nav_is_free(nav, goal);
                    waypost_nav_size(nav, null_mut(), null_mut())
                }
                0..=2 => waypost_nav_path(nav, from, goal, out, capacity, &mut count, &mut length),
                3 => {
                    waypost_nav_path_corners(nav, from, goal, out, capacity, &mut count, null_mut())
                }
                4 => {
                    let mut offsets = [0; 3];
                    waypost_nav_paths(
                        nav,
                        queries.as_ptr(),
                        some,
                        out,
                        capacity,
                        offsets.as_mut_ptr(),
                        null_mut(),
                    )
                }
                5 => waypost_nav_distance(nav, from, goal, &mut length),
                6 => waypost_nav_nearest_reachable(nav, from, goal, &mut point),
                7 => waypost_nav_nearest_free(nav, goal, &mut point),
                8 => waypost_nav_patch(nav, edits.as_ptr(), some, &mut count),
                _ => waypost_nav_set_doors(nav, ends.as_ptr(), 1, ends.as_ptr(), some, &mut count),
            }
        };
        self.said(status);
        self.check_guard(capacity);
    }

    fn upkeep_calls(&mut self) {
        let mut left = 0;
        let mut nav = null_mut();
        let unit = waypost_unit_type {
            size: self.size_of::<waypost_unit_type>(),
            name: c"tank".as_ptr(),
            cells: self.number(4),
            grounds: null(),
            ground_count: self.rng.below(9) as usize / 8,
        };
        let operations = u64::from(self.number(50_000));
        // SAFETY: handles are freed once.
        let status = unsafe {
            match self.rng.below(8) {
                0 | 1 => {
                    let user = (&raw mut self.done).cast();
                    waypost_nav_rebuild(self.nav, Some(stop_at_times), user, &mut left)
                }
                2..=4 => waypost_nav_advance(self.nav, operations, &mut left),
                5 => waypost_nav_fork(self.nav, &mut nav),
                6 => waypost_nav_for_unit(self.nav, c"tank".as_ptr(), &mut nav),
                _ if self.rng.percent(10) => waypost_nav_add_unit_type(self.nav, &unit, &mut nav),
                _ => {
                    let mut info = Vec::with_capacity(4);
                    waypost_nav_index_states(
                        self.nav,
                        info.as_mut_ptr(),
                        self.rng.below(5) as usize,
                        &mut left,
                    )
                }
            }
        };
        self.said(status);
        if !nav.is_null() && self.rng.percent(50) {
            std::mem::swap(&mut nav, &mut self.nav);
        }
        // SAFETY: one of the two handles, freed once.
        unsafe { waypost_nav_free(nav) };
    }

    fn crowd_calls(&mut self) {
        let (at, unit, crowd) = (self.point(), self.unit(), self.crowd);
        let (out, capacity) = self.lent();
        let mut count = 0;
        let goal = waypost_goal {
            kind: self.number(5),
            at,
            width: self.number(4),
            height: self.number(4),
            unit: self.unit(),
        };
        let mut spawned = 0;
        // SAFETY: arrays are as long as told.
        let status = unsafe {
            match self.rng.below(24) {
                0..=2 if self.units.len() < 60 => waypost_crowd_spawn(crowd, at, &mut spawned),
                3 if self.units.len() < 60 => {
                    waypost_crowd_spawn_type(crowd, c"tank".as_ptr(), at, &mut spawned)
                }
                20 => {
                    let mut nav = null_mut();
                    let status = waypost_crowd_nav(crowd, unit, &mut nav);
                    waypost_nav_free(nav);
                    status
                }
                4..=8 => waypost_crowd_send(crowd, unit, &goal),
                9 => waypost_crowd_stop(crowd, unit),
                10 => waypost_crowd_despawn(crowd, unit),
                11 => waypost_crowd_path_ahead(crowd, unit, out, capacity, &mut count),
                12 => {
                    let mut events = Vec::with_capacity(10);
                    waypost_crowd_events(
                        crowd,
                        events.as_mut_ptr(),
                        self.rng.below(11) as usize,
                        &mut count,
                    )
                }
                13 => {
                    let mut units = Vec::with_capacity(100);
                    waypost_crowd_units(
                        crowd,
                        units.as_mut_ptr(),
                        self.rng.below(101) as usize,
                        &mut count,
                    )
                }
                16 => waypost_crowd_hold(crowd, unit, self.rng.below(2) as i32),
                17 => waypost_crowd_set_pace(crowd, unit, self.number(18)),
                18 => {
                    let (group, formation) = ([unit, self.unit(), self.unit()], self.number(3));
                    let count = self.rng.below(4) as usize;
                    waypost_crowd_send_group(crowd, group.as_ptr(), count, at, formation)
                }
                19 => {
                    let mut found = std::mem::MaybeUninit::uninit();
                    waypost_crowd_unit(crowd, unit, found.as_mut_ptr())
                }
                14 => waypost_crowd_count(crowd, &mut count, null_mut()),
                15 => {
                    let places = capacity.min(POINTS);
                    waypost_crowd_positions_between(crowd, 0.5, out.cast(), places, &mut count)
                }
                _ => waypost_crowd_tick(crowd, out, capacity, null_mut()),
            }
        };
        self.said(status);
        self.check_guard(capacity);
        if spawned != 0 {
            self.units.push(spawned);
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
