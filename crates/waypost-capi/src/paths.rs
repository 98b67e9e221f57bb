//! Paths into the caller's arrays.

use crate::border::{Outcome, Output, array, failure, given, guarded, put_if_wanted};
use crate::types::{waypost_point, waypost_query, waypost_status};
use crate::world::waypost_nav;
use waypost::Point;
use waypost::search::jps::Run;

/// Runs a query, visits its runs and writes the length of the path.
///
/// # Safety
/// `length` is null or valid for a write.
unsafe fn with_runs(
    nav: &waypost_nav,
    (from, goal): (waypost_point, waypost_point),
    length: *mut f64,
    visit: impl FnMut(Run),
) -> Outcome {
    let found = nav
        .0
        .try_path_runs(Point::from(from), Point::from(goal), visit)?;
    // SAFETY: the caller's promise.
    unsafe { put_if_wanted(length, found) };
    Ok(())
}

/// Finds a shortest path: writes its points, start and goal included, into `points`, their number into `count` and its length (a straight
/// step being 1; on terrain what it costs) into `length`; the last two may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity`: those that
/// fit are written, and `count` and `length` are right. WAYPOST_OUTSIDE, WAYPOST_WALL or WAYPOST_UNREACHABLE where there is none. Any thread.
///
/// # Safety
/// `nav` was not freed; `points` is valid for writes of `capacity` points, or NULL; `count` and `length` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_path(
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
        let (nav, mut out) = unsafe { (given(nav, "nav")?, Output::new(points, capacity)) };
        let mut at = from;
        out.push(at);
        let walk = |run: Run| {
            let (dx, dy) = (run.direction.dx(), run.direction.dy());
            for _ in 0..run.steps {
                at.x = at.x.wrapping_add_signed(dx);
                at.y = at.y.wrapping_add_signed(dy);
                out.push(at);
            }
        };
        // SAFETY: the caller's promise.
        unsafe { with_runs(nav, (from, goal), length, walk) }?;
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// As `waypost_nav_path`, but writes only the points at which the path turns, start and goal included. Any thread.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_path_corners(
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
        let (nav, mut out) = unsafe { (given(nav, "nav")?, Output::new(points, capacity)) };
        let (mut at, mut last) = (from, None);
        let walk = |run: Run| {
            if run.steps == 0 {
                return;
            }
            if last != Some(run.direction) {
                out.push(at);
            }
            last = Some(run.direction);
            let (dx, dy) = (run.direction.dx(), run.direction.dy());
            let steps = run.steps as i32;
            at.x = at.x.wrapping_add_signed(dx * steps);
            at.y = at.y.wrapping_add_signed(dy * steps);
        };
        // SAFETY: the caller's promise.
        unsafe { with_runs(nav, (from, goal), length, walk) }?;
        out.push(at);
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// Finds many shortest paths at once, on all cores; the world does not change meanwhile. The points of all paths are written
/// one after the other; path i is points[offsets[i]] to points[offsets[i + 1] - 1], and has no points where there is none.
/// `offsets` takes count + 1 numbers, `lengths` (may be NULL) takes count, infinite where there is no path. WAYPOST_TOO_SMALL where
/// offsets[count] is more than `capacity`; `offsets` and `lengths` are right all the same. Any thread.
///
/// # Safety
/// `nav` was not freed; the arrays are valid for as many elements as told.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_paths(
    nav: *const waypost_nav,
    queries: *const waypost_query,
    count: usize,
    points: *mut waypost_point,
    capacity: usize,
    offsets: *mut usize,
    lengths: *mut f64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, queries) = unsafe { (given(nav, "nav")?, array(queries, count, "queries")?) };
        if offsets.is_null() {
            return Err(failure(
                waypost_status::WAYPOST_NULL,
                "`offsets` is NULL; give count + 1 numbers",
            ));
        }
        let ends: Vec<_> = queries
            .iter()
            .map(|q| (q.from.into(), q.goal.into()))
            .collect();
        let batch = nav.0.paths(&ends);
        // SAFETY: the caller's promise.
        let (mut all, mut starts, mut long) = unsafe {
            (
                Output::new(points, capacity),
                Output::new(offsets, count.saturating_add(1)),
                Output::new(lengths, count),
            )
        };
        batch
            .points
            .iter()
            .for_each(|&point| all.push(point.into()));
        batch.offsets.iter().for_each(|&offset| starts.push(offset));
        batch.lengths.iter().for_each(|&length| long.push(length));
        all.fits()
    })
}
