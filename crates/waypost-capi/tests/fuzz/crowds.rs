//! Crowds and requests for paths.

use super::{Fuzz, POINTS};
use std::ffi::CString;
use std::ptr::{null, null_mut};
use waypost_capi::*;

impl Fuzz {
    pub fn new_crowd(&mut self) {
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

    pub fn crowd_calls(&mut self) {
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
                11 if self.rng.percent(30) => {
                    let (mut near, cells) = (Vec::with_capacity(8), self.number(9));
                    let room = self.rng.below(9) as usize;
                    waypost_crowd_units_near(
                        crowd,
                        unit,
                        cells,
                        near.as_mut_ptr(),
                        room,
                        &mut count,
                    )
                }
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
                17 if self.rng.percent(10) => {
                    let plans = u64::from(self.number(2_000_000));
                    waypost_crowd_set_budget(crowd, plans, plans / 2)
                }
                17 if self.rng.percent(10) => {
                    let mut bytes = vec![0; self.number(4000) as usize % 4000];
                    let room = bytes.len();
                    let took = waypost_crowd_snapshot(crowd, bytes.as_mut_ptr(), room, &mut count);
                    self.said(took);
                    waypost_crowd_restore(crowd, bytes.as_ptr(), count.min(room))
                }
                17 if self.rng.percent(10) => {
                    let mut bound = 0;
                    waypost_crowd_unit_bound(crowd, &mut bound)
                }
                17 => waypost_crowd_set_pace(crowd, unit, self.number(18)),
                18 => {
                    let (group, formation) = ([unit, self.unit(), self.unit()], self.number(3));
                    let count = self.rng.below(4) as usize;
                    let (mut cannot, mut gone) = ([0; 3], 0);
                    let (out, gone) = match self.rng.percent(50) {
                        true => (cannot.as_mut_ptr(), &raw mut gone),
                        false => (std::ptr::null_mut(), std::ptr::null_mut()),
                    };
                    waypost_crowd_send_group(crowd, group.as_ptr(), count, at, formation, out, gone)
                }
                19 => {
                    let mut found = std::mem::MaybeUninit::uninit();
                    waypost_crowd_unit(crowd, unit, found.as_mut_ptr())
                }
                14 => {
                    waypost_crowd_planning(crowd, &mut count);
                    waypost_crowd_count(crowd, &mut count, null_mut())
                }
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

    pub fn new_requests(&mut self) {
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

    pub fn request_calls(&mut self) {
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
}
