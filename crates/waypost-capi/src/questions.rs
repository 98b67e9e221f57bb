//! What games ask beside paths: the nearest of several goals, how far a unit gets, lines of sight, straight lines, what a wall would cut off.

use crate::border::{Output, array, given, guarded, put, put_if_wanted};
use crate::types::{waypost_point, waypost_status};
use crate::world::waypost_nav;
use waypost::{GridPatch, Point};

/// Finds the goal that costs least to reach, the first of equals, and writes its number into `nearest`; the rest as `waypost_nav_path` for
/// that goal. Goals that cannot be stood on are passed over; WAYPOST_UNREACHABLE where none can be reached. Any thread.
///
/// # Safety
/// `nav` was not freed; `goals` is valid for reads of `goal_count` points; `nearest` is valid for a write; the rest as there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_path_to_nearest(
    nav: *const waypost_nav,
    from: waypost_point,
    goals: *const waypost_point,
    goal_count: usize,
    nearest: *mut usize,
    points: *mut waypost_point,
    capacity: usize,
    count: *mut usize,
    length: *mut f64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, goals) = unsafe { (given(nav, "nav")?, array(goals, goal_count, "goals")?) };
        let goals: Vec<Point> = goals.iter().map(|&goal| goal.into()).collect();
        let (number, path) = nav.0.path_to_nearest(Point::from(from), &goals)?;
        // SAFETY: the caller's promise.
        unsafe {
            put(nearest, number, "nearest")?;
            put_if_wanted(length, path.length());
            let mut out = Output::new(points, capacity);
            path.points().iter().for_each(|&at| out.push(at.into()));
            out.finish(count)
        }
    })
}

/// Gives what a shortest path costs in whole units, the same on every machine, for games that compare and add costs exactly: a straight
/// step on plain ground is 985 and a diagonal one 1393 (5 and 7 with WAYPOST_COSTS_ONE_POINT_FOUR); where ground has factors, steps are scaled by one number
/// for the whole map. Fails as `waypost_nav_path` does. Any thread.
///
/// # Safety
/// `nav` was not freed; `cost` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_cost(
    nav: *const waypost_nav,
    from: waypost_point,
    goal: waypost_point,
    cost: *mut u64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let nav = &unsafe { given(nav, "nav") }?.0;
        let path = nav.path(Point::from(from), Point::from(goal))?;
        // SAFETY: the caller's promise.
        unsafe { put(cost, u64::from(path.cost()), "cost") }
    })
}

/// As `waypost_nav_path`, but straightened where lines are free for the unit and cross one kind of ground: writes start, turns at any angle
/// and goal. Never longer than the path. Any thread.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_smooth_path(
    nav: *const waypost_nav,
    from: waypost_point,
    goal: waypost_point,
    points: *mut waypost_point,
    capacity: usize,
    count: *mut usize,
    length: *mut f64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let nav = &unsafe { given(nav, "nav") }?.0;
        let path = nav.path(Point::from(from), Point::from(goal))?;
        let smooth = nav.smooth(&path)?;
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(length, smooth.length);
            let mut out = Output::new(points, capacity);
            smooth.waypoints.iter().for_each(|&at| out.push(at.into()));
            out.finish(count)
        }
    })
}

/// Whether a straight line between two points touches no wall, for the whole of the unit: 1 or 0, also 0 where an end cannot be stood on
/// and for a NULL handle. Any thread.
///
/// # Safety
/// `nav` was not freed, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_sees(
    nav: *const waypost_nav,
    from: waypost_point,
    to: waypost_point,
) -> i32 {
    let mut sees = false;
    guarded(|| {
        // SAFETY: the caller's promise.
        let nav = unsafe { given(nav, "nav") }?;
        sees = nav.0.sees(Point::from(from), Point::from(to));
        Ok(())
    });
    i32::from(sees)
}

/// A cell that can be reached.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_reached {
    /// Where it is.
    pub at: waypost_point,
    /// What the cheapest path to it costs.
    pub cost: f64,
}

/// Writes every cell whose cheapest path from a point costs at most `cost`, row by row, and their number into `count`, which may be NULL: where a
/// unit can go this turn. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_range(
    nav: *const waypost_nav,
    from: waypost_point,
    cost: f64,
    out: *mut waypost_reached,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, mut out) = unsafe { (given(nav, "nav")?, Output::new(out, capacity)) };
        for (at, cost) in nav.0.range(Point::from(from), cost)? {
            out.push(waypost_reached {
                at: at.into(),
                cost,
            });
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// Whether each of `pair_count` pairs of points would still have a way between them if these cells were blocked: 1 or 0 into `stays`. Nothing
/// is changed: a game asks before it lets a wall be built. Takes about as long as a copy of the map. Any thread.
///
/// # Safety
/// `nav` was not freed; the arrays are valid for reads of as many points as told; `stays` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_stays_connected(
    nav: *const waypost_nav,
    block: *const waypost_point,
    block_count: usize,
    from: *const waypost_point,
    to: *const waypost_point,
    pair_count: usize,
    stays: *mut i32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, block, from, to) = unsafe {
            (
                given(nav, "nav")?,
                array(block, block_count, "block")?,
                array(from, pair_count, "from")?,
                array(to, pair_count, "to")?,
            )
        };
        let mut patch = GridPatch::new();
        for &cell in block {
            patch.set(Point::from(cell), false);
        }
        let ends = from.iter().zip(to).map(|(&a, &b)| (a.into(), b.into()));
        let ends: Vec<(Point, Point)> = ends.collect();
        let all = nav.0.stays_connected(&patch, &ends);
        // SAFETY: the caller's promise.
        unsafe { put(stays, i32::from(all), "stays") }
    })
}
