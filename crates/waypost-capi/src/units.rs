//! What a crowd says of its units.

use crate::border::{Output, failure, put, put_if_wanted};
use crate::crowd::{waypost_crowd, with};
use crate::goals::{unit_of, waypost_event, waypost_unit, waypost_unit_id};
use crate::types::{waypost_point, waypost_status};

/// Writes what happened in the last tick, units in the order of `waypost_crowd_units`, and the number of events into `count`, which may be NULL.
/// WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `out` is valid for writes of `capacity` events, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_events(
    crowd: *const waypost_crowd,
    out: *mut waypost_event,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let mut out = Output::new(out, capacity);
            crowd
                .events()
                .iter()
                .for_each(|&event| out.push(event.into()));
            out.finish(count)
        })
    }
}

/// Writes all units, in the order of the low 32 bits of their ids, and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are more
/// than `capacity`. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `out` is valid for writes of `capacity` units, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_units(
    crowd: *const waypost_crowd,
    out: *mut waypost_unit,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let mut out = Output::new(out, capacity);
            crowd.for_each(|unit| out.push(unit.into()));
            out.finish(count)
        })
    }
}

/// Writes two numbers a unit, in the order of `waypost_crowd_units`: where it is in the game's coordinates, `part` of the way from the last tick to this one.
/// `count` (may be NULL) is the number of units; `capacity` counts units too. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `out` is valid for writes of 2 * `capacity` numbers, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_positions_between(
    crowd: *const waypost_crowd,
    part: f32,
    out: *mut f32,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            if !part.is_finite() {
                return Err(failure(
                    waypost_status::WAYPOST_BAD_VALUE,
                    format!("`part` is {part}; give 0 to 1"),
                ));
            }
            let mut out = Output::new(out.cast::<[f32; 2]>(), capacity);
            crowd.for_each(|unit| out.push(unit.position_between(part)));
            out.finish(count)
        })
    }
}

/// Gives one unit. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_unit(
    crowd: *const waypost_crowd,
    unit: waypost_unit_id,
    out: *mut waypost_unit,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let unit = crowd.unit(unit_of(unit))?;
            put(out, unit.into(), "out")
        })
    }
}

/// Writes the other units that share a cell with one, or are at most `cells` columns and rows away from it, as `waypost_crowd_units` does. Looks at every
/// unit. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `out` is valid for writes of `capacity` units, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_units_near(
    crowd: *const waypost_crowd,
    unit: waypost_unit_id,
    cells: u32,
    out: *mut waypost_unit,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let mut out = Output::new(out, capacity);
            let near = crowd.units_near(unit_of(unit), cells)?;
            near.into_iter().for_each(|unit| out.push(unit.into()));
            out.finish(count)
        })
    }
}

/// Writes the cells that a unit is going to walk, as far as its plan reaches, its own first, and their number into `count`, which may be NULL.
/// WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `out` is valid for writes of `capacity` points, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_path_ahead(
    crowd: *const waypost_crowd,
    unit: waypost_unit_id,
    out: *mut waypost_point,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let ahead = crowd.path_ahead(unit_of(unit))?;
            let mut out = Output::new(out, capacity);
            ahead.into_iter().for_each(|point| out.push(point.into()));
            out.finish(count)
        })
    }
}

/// Gives the number of units that wait for a plan: where it grows from tick to tick, the crowd's budget is too small. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `waiting` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_planning(
    crowd: *const waypost_crowd,
    waiting: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe { with(crowd, |crowd| put(waiting, crowd.planning(), "waiting")) }
}

/// Gives the number of units, and whether every one that was sent somewhere has arrived (1 or 0); either may be NULL. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `units` and `all_arrived` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_count(
    crowd: *const waypost_crowd,
    units: *mut usize,
    all_arrived: *mut i32,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            put_if_wanted(units, crowd.len());
            put_if_wanted(all_arrived, i32::from(crowd.all_arrived()));
            Ok(())
        })
    }
}
