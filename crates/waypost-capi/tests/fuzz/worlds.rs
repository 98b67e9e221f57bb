//! Maps, worlds and their upkeep.

use super::{Fuzz, let_go, stop_at_times};
use std::ffi::CString;
use std::ptr::{null, null_mut};
use waypost_capi::*;

impl Fuzz {
    pub fn ground(&mut self) -> waypost_ground {
        let factor = [0.0, 1.0, 3.5, -1.0, f64::INFINITY][self.rng.below(5) as usize];
        let name = [c"a", c"b", c"a,b=", c""][self.rng.below(4) as usize];
        waypost_ground {
            name: name.as_ptr(),
            factor,
        }
    }

    pub fn new_map(&mut self) {
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
                6 => self.map_of_files(&mut map),
                _ => waypost_map_from_cells(24, 20, cells.as_ptr(), 480, &mut map),
            };
            self.said(status);
            if self.rng.percent(5) || !map.is_null() {
                waypost_map_free(std::mem::replace(&mut self.map, map));
            }
        }
    }

    /// A map of a file, with options that may not fit it.
    fn map_of_files(&mut self, map: &mut *mut waypost_map) -> waypost_status {
        let kinds = [
            "type octile\nheight 1\nwidth 2\nmap\n..\n",
            r#"<map orientation="orthogonal" width="1" height="1" tilewidth="8" tileheight="8"><tileset firstgid="1" source="a"/></map>"#,
            r#"{"levels":[{"identifier":"a","layerInstances":null,"externalRelPath":"b"}]}"#,
            "",
        ];
        let mut text = kinds[self.rng.below(4) as usize].as_bytes().to_vec();
        if self.rng.percent(30) && !text.is_empty() {
            let at = self.rng.below(text.len() as u32) as usize;
            text[at] ^= 1 << self.rng.below(7);
        }
        let names = [c"a", c"b", c"", c"W"].map(|name| name.as_ptr());
        let files = [0, 1].map(|_| waypost_file {
            name: names[self.rng.below(4) as usize],
            bytes: text.as_ptr(),
            length: self.rng.below(text.len() as u32 + 1) as usize,
        });
        let mut name = || match self.rng.percent(60) {
            true => null(),
            false => names[self.rng.below(4) as usize],
        };
        let (level, layer) = (name(), name());
        let options = waypost_file_options {
            size: self.size_of::<waypost_file_options>(),
            level,
            layer,
            files: files.as_ptr(),
            file_count: self.rng.below(3) as usize,
        };
        // SAFETY: arrays are as long as told, and all live through the call.
        unsafe { waypost_map_from_files(text.as_ptr(), text.len(), &options, map) }
    }

    pub fn new_nav(&mut self) {
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
            fit_bytes: u64::from(self.number(3)) * 10_000,
            threads: [0, 1, 2, 5000][self.rng.below(4) as usize],
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

    pub fn reopen(&mut self) {
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

    pub fn map_calls(&mut self) {
        let (a, b) = (self.number(4), self.number(3));
        let doors = [self.point(), self.point()];
        let count = self.rng.below(3) as usize;
        // SAFETY: arrays are as long as told.
        let status = unsafe {
            let (mut factors, room) = ([0.0; 9], self.rng.below(9) as usize);
            match self.rng.below(6) {
                3 => waypost_map_factors(self.map, factors.as_mut_ptr(), room, null_mut()),
                4 => waypost_map_doors(self.map, null_mut(), room, &mut 0),
                5 => waypost_map_rules(self.map, &mut 0, null_mut()),
                0 => waypost_map_set_rules(self.map, a, b),
                1 => waypost_map_set_doors(self.map, doors.as_ptr(), count),
                _ => waypost_map_size(self.map, null_mut(), &mut 0),
            }
        };
        self.said(status);
    }

    pub fn nav_calls(&mut self) {
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
            match self.rng.below(18) {
                17 => self.field(nav, &ends[..some], out, capacity),
                15 => waypost_nav_cost(nav, from, goal, &mut 0),
                16 => {
                    let (cells, room) = ([from.x as u8; 12], some * 6);
                    let (width, height) = (from.x % 5, goal.y % 5);
                    waypost_nav_patch_cells(nav, width, height, cells.as_ptr(), room, &mut count)
                }
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
                13 => {
                    let cost = [0.0, 2.5, 1e30, -1.0, f64::NAN][self.number(5) as usize % 5];
                    let (reached, room) = (out.cast(), capacity / 2);
                    waypost_nav_range(nav, from, cost, reached, room, &mut count)
                }
                14 => {
                    let (mut stays, all) = (0, ends.as_ptr());
                    waypost_nav_stays_connected(nav, all, some, all, all, some, &mut stays)
                }
                12 => {
                    waypost_nav_sees(nav, from, goal);
                    waypost_nav_would_wait(nav, u64::from(from.x));
                    waypost_nav_is_free(nav, goal);
                    waypost_nav_doors(nav, null_mut(), capacity, &mut count);
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

    pub fn upkeep_calls(&mut self) {
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
                _ if self.rng.percent(10) => self.type_job(&unit, &mut nav),
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
    /// A job in whatever order.
    fn type_job(&mut self, unit: &waypost_unit_type, nav: &mut *mut waypost_nav) -> waypost_status {
        let mut job = null_mut();
        // SAFETY: the job is freed once.
        unsafe {
            let status = waypost_nav_type_job(self.nav, unit, &mut job);
            self.said(status);
            for _ in 0..self.rng.below(4) {
                let user = (&raw mut self.done).cast();
                let status = match self.rng.percent(60) {
                    true => waypost_type_job_run(job, Some(stop_at_times), user),
                    false => waypost_type_job_add(job, self.nav, nav),
                };
                self.said(status);
                if !nav.is_null() {
                    break;
                }
            }
            waypost_type_job_free(job);
            waypost_nav_own_unit_type(self.nav, &mut 0)
        }
    }

    /// A field, asked and freed.
    unsafe fn field(
        &mut self,
        nav: *mut waypost_nav,
        places: &[waypost_point],
        out: *mut waypost_point,
        capacity: usize,
    ) -> waypost_status {
        let added = [0.0, 1e30, [2.0, -1.0, f64::NAN][self.rng.below(3) as usize]];
        let added = match self.rng.percent(50) {
            true => added.as_ptr(),
            false => std::ptr::null(),
        };
        let (at, value) = (
            self.point(),
            [0.0, 7.5, f64::NAN][self.rng.below(3) as usize],
        );
        let (mut field, mut away) = (null_mut(), null_mut());
        // SAFETY: arrays are as long as told; handles are freed once.
        unsafe {
            let made = waypost_nav_field(nav, places.as_ptr(), added, places.len(), &mut field);
            let fled = waypost_field_fleeing(field, &mut away);
            self.said(fled);
            for one in [field, away] {
                let (mut cost, mut next, mut count) = (0.0, at, 0);
                let (reached, room) = (out.cast(), capacity / 2);
                let found = waypost_field_value(one, at, &mut cost);
                self.said(found);
                let stepped = waypost_field_next(one, at, &mut next, null_mut());
                self.said(stepped);
                let walked = waypost_field_walk(one, at, self.number(50), &mut next);
                self.said(walked);
                let listed = waypost_field_within(one, value, reached, room, &mut count);
                self.said(listed);
                waypost_field_is_current(one, nav);
                waypost_field_free(one);
            }
            made
        }
    }
}
