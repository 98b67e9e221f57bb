//! Crowds: many units in one world.

use crate::border::{
    Failure, Outcome, Output, array, exclusive, failure, free, give, given, guarded, put,
    put_if_wanted, sized, text,
};
use crate::goals::{id_of, unit_of, waypost_goal, waypost_unit_id};
use crate::transform::waypost_transform;
use crate::types::{waypost_point, waypost_status};
use crate::world::waypost_nav;
use std::ffi::c_char;
use std::sync::Mutex;
use waypost::Point;
use waypost::crowd::Formation;
use waypost::navigator::{Crowd, CrowdOptions};

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
    /// Weighted operations (about nanoseconds) of a tick that may be spent on plans, for each type of unit.
    pub plan_operations: u64,
    /// Operations of a tick that may be spent on repairs and rebuilds of indexes.
    pub repair_operations: u64,
    /// Not 0 where only one unit may stand in a cell.
    pub exclusive: u32,
    /// Not 0 where an index that is late is not waited for: what happens then depends on threads too.
    pub free_running: u32,
    /// Where cells lie in the game's coordinates.
    pub transform: waypost_transform,
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
    /// Units that took a provisional step because it was not their turn to plan.
    pub provisional: u64,
    /// Weighted operations (about nanoseconds) of all units.
    pub operations: u64,
}

/// # Safety
/// The method is null or a text.
unsafe fn read_options(given: &waypost_crowd_options) -> Result<CrowdOptions, Failure> {
    let usual = CrowdOptions::default();
    let or = |value: u64, usual: u64| if value == 0 { usual } else { value };
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
        transform: given.transform.read()?,
    })
}

/// Makes a crowd without units, of the handle's unit type; others can be spawned in it too. `options` may be NULL. Free it with `waypost_crowd_free`. Any thread.
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
pub(crate) unsafe fn with(
    crowd: *const waypost_crowd,
    act: impl FnOnce(&mut Crowd) -> Outcome,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let crowd = unsafe { given(crowd, "crowd") }?;
        act(&mut *exclusive(&crowd.0, "crowd")?)
    })
}

/// Puts a unit of any type of the world on the map and gives its id. Units of different types take no room from each other:
/// WAYPOST_BAD_UNIT_TYPE in an exclusive crowd. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `unit_type` is a text; `unit` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_spawn_type(
    crowd: *mut waypost_crowd,
    unit_type: *const c_char,
    at: waypost_point,
    unit: *mut waypost_unit_id,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            put(unit, 0, "unit")?;
            let unit_type = text(unit_type, "unit_type")?;
            let spawned = crowd.spawn_type(unit_type, Point::from(at))?;
            put(unit, id_of(spawned), "unit")
        })
    }
}

/// Gives the world as a unit's type sees it, or as the crowd's own type where `unit` is 0. Free it with `waypost_nav_free`. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_nav(
    crowd: *const waypost_crowd,
    unit: waypost_unit_id,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            give(out, || {
                let nav = match unit {
                    0 => crowd.navigator(),
                    _ => crowd.navigator_of(unit_of(unit))?,
                };
                Ok(waypost_nav(nav.clone()))
            })
        })
    }
}

/// Puts a unit of the crowd's own type on the map and gives its id. One thread at a time.
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
            put(unit, id_of(crowd.spawn(Point::from(at))?), "unit")
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
    unsafe { with(crowd, |crowd| Ok(crowd.despawn(unit_of(unit))?)) }
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
            Ok(crowd.send(unit_of(unit), goal)?)
        })
    }
}

/// Sends units of one type to one place, each to a cell of its own around it; `formation` is one of `waypost_formation`. A place that is a wall stands
/// for the cell nearest to it that the first unit can reach. Who has no way to the place goes as near as it can, and is written into `cannot`;
/// `cannot_count` is the number of those. Both may be NULL. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `units` is valid for reads of `count` ids; `cannot` is NULL or valid for writes of `count` ids; `cannot_count` is NULL or
/// valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_send_group(
    crowd: *mut waypost_crowd,
    units: *const waypost_unit_id,
    count: usize,
    place: waypost_point,
    formation: u32,
    cannot: *mut waypost_unit_id,
    cannot_count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            let units = array(units, count, "units")?.iter();
            let units: Vec<_> = units.map(|&unit| unit_of(unit)).collect();
            let formation = match formation {
                0 => Formation::Close,
                1 => Formation::Kept,
                other => {
                    return Err(failure(
                        waypost_status::WAYPOST_BAD_VALUE,
                        format!("`formation` is {other}; give 0 or 1"),
                    ));
                }
            };
            let without_way = crowd.send_group(&units, Point::from(place), formation)?;
            let mut out = Output::new(cannot, count);
            without_way.iter().for_each(|&unit| out.push(id_of(unit)));
            put_if_wanted(cannot_count, without_way.len());
            Ok(())
        })
    }
}

/// Sets how many ticks a move of a unit takes: 1, as at first, to 16. One thread at a time.
///
/// # Safety
/// `crowd` was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_set_pace(
    crowd: *mut waypost_crowd,
    unit: waypost_unit_id,
    ticks: u32,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe { with(crowd, |crowd| Ok(crowd.set_pace(unit_of(unit), ticks)?)) }
}

/// Sets what a tick may spend from now on: weighted operations (about nanoseconds) of plans, and operations of repairs and rebuilds, for each
/// type of unit. One thread at a time.
///
/// # Safety
/// `crowd` was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_set_budget(
    crowd: *mut waypost_crowd,
    plan_operations: u64,
    repair_operations: u64,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            crowd.set_budget(plan_operations, repair_operations);
            Ok(())
        })
    }
}

/// The most weighted operations (about nanoseconds) that the move of one unit takes on the map as it is, its plan included; 0 where the method
/// has no bound, or nobody is there. One thread at a time.
///
/// # Safety
/// `crowd` was not freed; `operations` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_unit_bound(
    crowd: *const waypost_crowd,
    operations: *mut u64,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(crowd, |crowd| {
            put(operations, crowd.unit_bound().unwrap_or(0), "operations")
        })
    }
}

/// Lets a unit hold its ground (`holds` not 0) or go on: one that holds it keeps its goal, does not move, and gives way to nobody. One
/// thread at a time.
///
/// # Safety
/// `crowd` was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_crowd_hold(
    crowd: *mut waypost_crowd,
    unit: waypost_unit_id,
    holds: i32,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe { with(crowd, |crowd| Ok(crowd.hold(unit_of(unit), holds != 0)?)) }
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
    unsafe { with(crowd, |crowd| Ok(crowd.stop(unit_of(unit))?)) }
}

/// Moves every unit that has a goal by one step, and writes where all units are, in the order of `waypost_crowd_units`. `positions` and
/// `report` may be NULL. WAYPOST_TOO_SMALL where there are more units than `capacity` and `positions` is not NULL: nobody has
/// moved then. One thread at a time.
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
            let mut out = Output::new(positions, capacity);
            let counts = match positions.is_null() {
                true => crowd.tick().counts,
                false => {
                    out.has_room_for(crowd.len())?;
                    let write = |unit: waypost::navigator::Unit| out.push(unit.position().into());
                    crowd.tick_and_visit(write).counts
                }
            };
            let done = waypost_tick {
                units: crowd.len() as u64,
                events: crowd.events().len() as u64,
                moves: counts.moves,
                arrived: counts.arrived,
                planned: counts.set_up,
                waits: counts.waits,
                provisional: counts.provisional,
                operations: counts.meter.weighted(),
            };
            put_if_wanted(report, done);
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
