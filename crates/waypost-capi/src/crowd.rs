//! Crowds: many units in one world.

use crate::border::{
    Failure, Outcome, Output, exclusive, failure, free, give, given, guarded, put, put_if_wanted,
    sized, text,
};
use crate::build::waypost_nav;
use crate::goals::{waypost_event, waypost_goal, waypost_unit, waypost_unit_id};
use crate::types::{waypost_point, waypost_status};
use std::ffi::c_char;
use std::sync::Mutex;
use waypost::navigator::{Crowd, CrowdOptions, Transform, UnitId};

/// Many units in one world. One thread at a time (WAYPOST_BUSY otherwise), not always the same; it keeps its world alive.
pub struct waypost_crowd(Mutex<Crowd>);

/// How a crowd is made. Fill with zeros and set `size`; what is 0 is as usual.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct waypost_crowd_options {
    /// sizeof(waypost_crowd_options)
    pub size: usize,
    /// The method that units walk by, as the command line names it (NULL: `waypost`).
    pub method: *const c_char,
    /// Weighted operations (about nanoseconds) of a tick that may be spent on plans.
    pub plan_operations: u64,
    /// Operations of a tick that may be spent on repairs and rebuilds of indexes.
    pub repair_operations: u64,
    /// Not 0 where only one unit may stand in a cell.
    pub exclusive: u32,
    /// Not 0 where an index that is late is not waited for: what happens then depends on threads too.
    pub free_running: u32,
    /// The top left corner of the cell 0,0 in the game's coordinates.
    pub origin: [f32; 2],
    /// The sides of a cell; the second is negative where y grows upwards (0: 1).
    pub cell: [f32; 2],
}

/// What a tick did.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_tick {
    /// Units that there are.
    pub units: u64,
    /// Events that happened: `waypost_crowd_events` gives them.
    pub events: u64,
    /// Steps made.
    pub moves: u64,
    /// Units that reached their goal.
    pub arrived: u64,
    /// Units that planned.
    pub planned: u64,
    /// Units that stood still because their next cell was taken.
    pub waits: u64,
}

/// # Safety
/// The method is null or a text.
unsafe fn read_options(given: &waypost_crowd_options) -> Result<CrowdOptions, Failure> {
    let usual = CrowdOptions::default();
    let or = |value: u64, usual: u64| if value == 0 { usual } else { value };
    let numbers = [
        given.origin[0],
        given.origin[1],
        given.cell[0],
        given.cell[1],
    ];
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(failure(
            waypost_status::WAYPOST_BAD_VALUE,
            "`origin` and `cell` must be finite numbers",
        ));
    }
    let side = |value: f32| if value == 0.0 { 1.0 } else { value };
    Ok(CrowdOptions {
        exclusive: given.exclusive != 0,
        plan_operations: or(given.plan_operations, usual.plan_operations),
        repair_operations: or(given.repair_operations, usual.repair_operations),
        lockstep: given.free_running == 0,
        method: match given.method.is_null() {
            true => usual.method,
            // SAFETY: the caller's promise.
            false => unsafe { text(given.method, "method") }?.to_string(),
        },
        transform: Transform {
            origin: given.origin,
            cell: given.cell.map(side),
        },
    })
}

/// Makes a crowd without units, of the handle's unit type. `options` may be NULL. Free it with `waypost_crowd_free`. Any thread.
///
/// # Safety
/// `nav` was not freed; `options` is NULL or valid with all that it points to; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_new(
    nav: *const waypost_nav,
    options: *const waypost_crowd_options,
    out: *mut *mut waypost_crowd,
) -> waypost_status {
    let make = || {
        // SAFETY: the caller's promise.
        let (nav, options) = unsafe { (given(nav, "nav")?, sized(options, "options")?) };
        let options = match options {
            None => CrowdOptions::default(),
            // SAFETY: the caller's promise.
            Some(options) => unsafe { read_options(&options) }?,
        };
        Ok(waypost_crowd(Mutex::new(nav.0.crowd(options)?)))
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}

/// Does something with a crowd that nobody else uses.
///
/// # Safety
/// `crowd` was not freed, or is null.
unsafe fn with(
    crowd: *const waypost_crowd,
    act: impl FnOnce(&mut Crowd) -> Outcome,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let crowd = unsafe { given(crowd, "crowd") }?;
        act(&mut *exclusive(&crowd.0, "crowd")?)
    })
}

/// Puts a unit on the map and gives its id. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `unit` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_spawn(
    crowd: *mut waypost_crowd,
    at: waypost_point,
    unit: *mut waypost_unit_id,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            put(unit, 0, "unit")?;
            put(
                unit,
                crowd.spawn(waypost::Point::from(at))?.to_bits(),
                "unit",
            )
        })
    }
}

/// Takes a unit off the map. One thread at a time.
///
/// # Safety
/// `crowd` was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_despawn(
    crowd: *mut waypost_crowd,
    unit: waypost_unit_id,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe { with(crowd, |crowd| Ok(crowd.despawn(UnitId::from_bits(unit))?)) }
}

/// Sends a unit to a goal, whatever it was doing. A goal that cannot be reached is taken too: an event tells so. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `goal` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_send(
    crowd: *mut waypost_crowd,
    unit: waypost_unit_id,
    goal: *const waypost_goal,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let goal = given(goal, "goal")?.read()?;
            Ok(crowd.send(UnitId::from_bits(unit), goal)?)
        })
    }
}

/// Withdraws a unit's goal: it stands still. One thread at a time.
///
/// # Safety
/// `crowd` was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_stop(
    crowd: *mut waypost_crowd,
    unit: waypost_unit_id,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe { with(crowd, |crowd| Ok(crowd.stop(UnitId::from_bits(unit))?)) }
}

/// Moves every unit that has a goal by one step, and writes where all units are, in the order of their ids. `positions` and
/// `report` may be NULL. WAYPOST_TOO_SMALL where there are more units than `capacity` and `positions` is not NULL: the tick
/// was done all the same. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `positions` is valid for writes of `capacity` points, or NULL; `report` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_tick(
    crowd: *mut waypost_crowd,
    positions: *mut waypost_point,
    capacity: usize,
    report: *mut waypost_tick,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let counts = crowd.tick().counts;
            let done = waypost_tick {
                units: crowd.len() as u64,
                events: crowd.events().len() as u64,
                moves: counts.moves,
                arrived: counts.arrived,
                planned: counts.set_up,
                waits: counts.waits,
            };
            put_if_wanted(report, done);
            if positions.is_null() {
                return Ok(());
            }
            let mut out = Output::new(positions, capacity);
            crowd.for_each(|unit| out.push(unit.position().into()));
            out.fits()
        })
    }
}

/// Writes what happened in the last tick, units in the order of their ids, and the number of events into `count`, which may be NULL.
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

/// Writes all units, in the order of their ids, and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are more
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

/// Writes two numbers a unit, in the order of ids: where it is in the game's coordinates, `part` of the way from the last tick to this one.
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
            let unit = crowd.unit(UnitId::from_bits(unit))?;
            put(out, unit.into(), "out")
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
            let ahead = crowd.path_ahead(UnitId::from_bits(unit))?;
            let mut out = Output::new(out, capacity);
            ahead.into_iter().for_each(|point| out.push(point.into()));
            out.finish(count)
        })
    }
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

/// Frees a crowd and its units; the world stays for its other handles. NULL is ignored.
///
/// # Safety
/// `crowd` was not freed, or is NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_free(crowd: *mut waypost_crowd) {
    free(crowd);
}
