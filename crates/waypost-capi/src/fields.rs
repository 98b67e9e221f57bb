//! Fields: how far it is from every cell to the nearest of some places, and where to flee from them.

use crate::border::{Output, array, failure, free, give, given, guarded, put, put_if_wanted};
use crate::questions::waypost_reached;
use crate::types::{waypost_point, waypost_status};
use crate::world::waypost_nav;
use waypost::Point;
use waypost::navigator::DistanceField;

/// A value for every cell: how far it is to the nearest of some places, for one type of unit on the map as it was. One field serves as many units
/// as like to ask it. It does not keep its world alive.
pub struct waypost_field(DistanceField);

/// Makes the field of some places: how far it is from everywhere to the nearest of them. `added` is NULL, or a length for each place, 0 or more: one that
/// costs 5 more is gone to where it is nearer by more than 5. Places that cannot be stood on are left out. Visits every cell once. Free it with
/// `waypost_field_free`. Any thread.
///
/// # Safety
/// `nav` was not freed; `places` is valid for reads of `count` points; `added` is NULL or valid for reads of `count` numbers; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_field(
    nav: *const waypost_nav,
    places: *const waypost_point,
    added: *const f64,
    count: usize,
    out: *mut *mut waypost_field,
) -> waypost_status {
    let make = || {
        // SAFETY: the caller's promise.
        let (nav, places) = unsafe { (given(nav, "nav")?, array(places, count, "places")?) };
        let places = places.iter().map(|&place| Point::from(place));
        if added.is_null() {
            return Ok(waypost_field(nav.0.field(places)));
        }
        // SAFETY: the caller's promise.
        let added = unsafe { array(added, count, "added") }?;
        if let Some(bad) = added
            .iter()
            .find(|length| length.is_nan() || **length < 0.0)
        {
            return Err(failure(
                waypost_status::WAYPOST_BAD_VALUE,
                format!("`added` holds {bad}; give lengths of 0 or more"),
            ));
        }
        let weighted = places.zip(added.iter().copied());
        Ok(waypost_field(nav.0.weighted_field(weighted)))
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}

/// Makes the field of those who flee what this one leads to: the farther, the lower, so that they pass by a pursuer to get out of a dead end. Its
/// values compare; they are no lengths. Free it with `waypost_field_free`. Any thread.
///
/// # Safety
/// `field` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_field_fleeing(
    field: *const waypost_field,
    out: *mut *mut waypost_field,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe {
        give(out, || {
            Ok(waypost_field(given(field, "field")?.0.fleeing()))
        })
    })
}

/// Gives the value of a cell: the length of a shortest path to the nearest place, on terrain what it costs. WAYPOST_UNREACHABLE where there is no way, on
/// walls and outside. Any thread.
///
/// # Safety
/// `field` was not freed; `value` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_field_value(
    field: *const waypost_field,
    at: waypost_point,
    value: *mut f64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let found = unsafe { given(field, "field") }?.0.value(Point::from(at));
        let found = found.ok_or_else(|| {
            failure(
                waypost_status::WAYPOST_UNREACHABLE,
                format!(
                    "there is no way from {} to any place of the field",
                    Point::from(at)
                ),
            )
        })?;
        // SAFETY: the caller's promise.
        unsafe { put(value, found, "value") }
    })
}

/// Gives the neighbouring cell to go to, and into `heading` (may be NULL) the direction of that step, 0 to 7 clockwise from up. Where there is no step, at a place, in
/// a hiding place and where there is no way, that is the cell itself and -1. Any thread.
///
/// # Safety
/// `field` was not freed; `next` is valid for a write; `heading` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_field_next(
    field: *const waypost_field,
    at: waypost_point,
    next: *mut waypost_point,
    heading: *mut i32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let field = &unsafe { given(field, "field") }?.0;
        let step = field.next(Point::from(at));
        let direction = field.heading(Point::from(at));
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(heading, direction.map_or(-1, |direction| direction as i32));
            put(next, step.map_or(at, waypost_point::from), "next")
        }
    })
}

/// Gives the cell where one is after so many steps: a goal to send a unit to. The cell itself where no step can be made. Any thread.
///
/// # Safety
/// `field` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_field_walk(
    field: *const waypost_field,
    from: waypost_point,
    steps: u32,
    out: *mut waypost_point,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let end = unsafe { given(field, "field") }?
            .0
            .walk(Point::from(from), steps);
        // SAFETY: the caller's promise.
        unsafe { put(out, end.into(), "out") }
    })
}

/// Writes every cell whose value is at most this one, row by row, and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are
/// more than `capacity`. Any thread.
///
/// # Safety
/// `field` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_field_within(
    field: *const waypost_field,
    value: f64,
    out: *mut waypost_reached,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (field, mut out) = unsafe { (given(field, "field")?, Output::new(out, capacity)) };
        for (at, cost) in field.0.within(value) {
            let at = at.into();
            out.push(waypost_reached { at, cost });
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// Whether the world is still as it was when the field was made, to units of its type: 1 or 0, also 0 for a NULL handle. Any thread.
///
/// # Safety
/// `field` and `nav` were not freed, or are NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_field_is_current(
    field: *const waypost_field,
    nav: *const waypost_nav,
) -> i32 {
    let mut is_current = false;
    guarded(|| {
        // SAFETY: the caller's promise.
        let (field, nav) = unsafe { (given(field, "field")?, given(nav, "nav")?) };
        is_current = field.0.is_current(&nav.0);
        Ok(())
    });
    i32::from(is_current)
}

/// Frees a field. NULL is ignored.
///
/// # Safety
/// `field` was not freed, or is NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_field_free(field: *mut waypost_field) {
    free(field);
}
