//! What can be looked at.

use super::Fuzz;
use std::ptr::null_mut;
use waypost_capi::*;

impl Fuzz {
    pub fn inspect_calls(&mut self) {
        let (nav, transform) = (self.nav, self.transform());
        let (mut count, mut side, mut map) = (0, 0, null_mut());
        let (mut cells, mut place) = ([7_u8; 601], [self.rng.next() as f32, f32::NAN]);
        let room = self.rng.below(601) as usize;
        let (mut factors, some) = ([7.0; 5], self.rng.below(5) as usize);
        let mut at = self.point();
        let name = cells.as_mut_ptr().cast();
        // SAFETY: arrays are as long as told.
        let status = unsafe {
            match self.rng.below(6) {
                0 => waypost_nav_unit_type_grounds(
                    nav,
                    self.rng.below(5) as usize,
                    factors.as_mut_ptr(),
                    some,
                    &mut count,
                    name,
                    room,
                    null_mut(),
                ),
                1 => waypost_nav_map(nav, &mut map),
                2 => waypost_map_cells(self.map, cells.as_mut_ptr(), room, &mut count),
                3 => waypost_transform_position(&transform, at, place.as_mut_ptr()),
                4 => waypost_transform_cell(&transform, place.as_ptr(), &mut at),
                _ => {
                    let index = self.rng.below(5) as usize;
                    waypost_nav_unit_type(nav, index, name, room, &mut count, &mut side)
                }
            }
        };
        self.said(status);
        assert_eq!(
            (cells[room], factors[some]),
            (7, 7.0),
            "written beyond the end"
        );
        if !map.is_null() {
            // SAFETY: freed once.
            unsafe { waypost_map_free(std::mem::replace(&mut self.map, map)) };
        }
    }

    pub fn inspection_calls(&mut self) {
        if self.inspection.is_null() || self.rng.percent(10) {
            self.new_inspection();
        }
        let (known, goal) = (self.inspection, self.point());
        let (out, capacity) = self.lent();
        let (mut count, mut side, number) = (0, 0, self.number(40));
        let mut texts = [7_u8; 601];
        let room = self.rng.below(601) as usize;
        let text = texts.as_mut_ptr().cast();
        // SAFETY: arrays are as long as told: half a point holds a group, two points hold what a corner, a region or a move takes.
        let status = unsafe {
            match self.rng.below(12) {
                0 => waypost_inspection_kind(known, null_mut(), null_mut()),
                1 => waypost_inspection_reason(known, text, room, &mut count),
                2 => waypost_inspection_facts(known, null_mut(), text, room, &mut count),
                3 => waypost_inspection_corners(known, out.cast(), capacity / 2, &mut count),
                4 => waypost_inspection_hubs(known, number as usize, out, capacity, &mut count),
                5 => {
                    let regions = out.cast();
                    waypost_inspection_sectors(known, &mut side, regions, capacity / 2, &mut count)
                }
                6 => waypost_inspection_record(known, number as usize, out, capacity, &mut count),
                7 => {
                    let (groups, room) = (out.cast(), capacity * 2);
                    waypost_inspection_groups(known, number, &mut side, groups, room, &mut count)
                }
                8 => {
                    let seen = out.cast();
                    waypost_inspection_corners_seen(known, goal, seen, capacity * 2, &mut count)
                }
                9 => {
                    let from = waypost_point { x: number, y: 3 };
                    waypost_inspection_chain(known, from, goal, out, capacity, &mut count)
                }
                10 => {
                    let mut record = 0;
                    waypost_inspection_chosen_record(known, self.nav, goal, goal, &mut record)
                }
                _ if self.rng.percent(20) => waypost_inspection_record_count(known, &mut count),
                _ => {
                    let moves = out.cast();
                    waypost_inspection_first_moves(known, goal, moves, capacity / 2, &mut count)
                }
            }
        };
        self.said(status);
        self.check_guard(capacity);
        assert_eq!(texts[room], 7, "written beyond the end");
    }

    /// Mostly of the index that was chosen: the others are built for it.
    fn new_inspection(&mut self) {
        let kind = match self.rng.percent(80) {
            true => 0,
            false => self.number(13),
        };
        let mut inspection = null_mut();
        // SAFETY: handles are freed once.
        unsafe {
            let status = waypost_nav_inspect(self.nav, kind, &mut inspection);
            self.said(status);
            if self.rng.percent(5) || !inspection.is_null() {
                waypost_inspection_free(std::mem::replace(&mut self.inspection, inspection));
            }
        }
    }
}
