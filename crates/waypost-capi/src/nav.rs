//! Questions to a world, and changes of it.

use crate::border::{Output, array, failure, give, given, guarded, put, put_if_wanted};
use crate::map::{map_of_cells, new_map, waypost_map};
use crate::types::{waypost_edit, waypost_point, waypost_status};
use crate::world::waypost_nav;
use waypost::{GridPatch, Point};

/// Gives the number of columns and rows; either may be NULL. Any thread.
///
/// # Safety
/// `nav` was not freed; `width` and `height` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_size(
    nav: *const waypost_nav,
    width: *mut u32,
    height: *mut u32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let map = unsafe { given(nav, "nav") }?.0.world().map();
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(width, map.grid().width());
            put_if_wanted(height, map.grid().height());
        }
        Ok(())
    })
}

/// Gives the map of a world as it is now for the handle's unit type, walls and doors after all changes. Free it with `waypost_map_free`. Any
/// thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_map(
    nav: *const waypost_nav,
    out: *mut *mut waypost_map,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe {
        give(out, || {
            let map = waypost::Map::clone(&given(nav, "nav")?.0.world().map());
            new_map(Ok(map))
        })
    })
}

/// Whether a unit may stand there: 1 or 0, also 0 outside the map and for a NULL handle. Any thread.
///
/// # Safety
/// `nav` was not freed, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_is_free(nav: *const waypost_nav, point: waypost_point) -> i32 {
    let mut is_free = false;
    guarded(|| {
        // SAFETY: the caller's promise.
        is_free = unsafe { given(nav, "nav") }?.0.is_free(Point::from(point));
        Ok(())
    });
    i32::from(is_free)
}

/// A door, and whether it is open (1 or 0).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_door {
    /// Where it is.
    pub at: waypost_point,
    /// 1 where it is open, 0 where it is closed.
    pub is_open: i32,
}

/// Writes all doors of the world, in the order of rows, and their number into `count`. WAYPOST_TOO_SMALL where there are more than `capacity`.
/// Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_doors(
    nav: *const waypost_nav,
    out: *mut waypost_door,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, mut out) = unsafe { (given(nav, "nav")?, Output::new(out, capacity)) };
        for (at, is_open) in nav.0.doors() {
            out.push(waypost_door {
                at: at.into(),
                is_open: i32::from(is_open),
            });
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// Gives the length of a shortest path, a straight step being 1. Fails as `waypost_nav_path` does. Any thread.
///
/// # Safety
/// `nav` was not freed; `length` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_distance(
    nav: *const waypost_nav,
    from: waypost_point,
    goal: waypost_point,
    length: *mut f64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let nav = unsafe { given(nav, "nav") }?;
        let found = nav.0.try_distance(Point::from(from), Point::from(goal))?;
        // SAFETY: the caller's promise.
        unsafe { put(length, found, "length") }
    })
}

fn nothing_near(point: waypost_point) -> crate::border::Failure {
    failure(
        waypost_status::WAYPOST_UNREACHABLE,
        format!("no cell near {},{} can be reached", point.x, point.y),
    )
}

/// Gives the cell nearest to a goal that can be reached from a point: the goal itself where it can be. The goal may be a wall or
/// outside the map. WAYPOST_UNREACHABLE where the point cannot be stood on. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_nearest_reachable(
    nav: *const waypost_nav,
    from: waypost_point,
    goal: waypost_point,
    out: *mut waypost_point,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let nav = unsafe { given(nav, "nav") }?;
        let found = nav
            .0
            .nearest_reachable(Point::from(from), Point::from(goal));
        let found = found.ok_or_else(|| nothing_near(goal))?;
        // SAFETY: the caller's promise.
        unsafe { put(out, found.into(), "out") }
    })
}

/// Gives the cell nearest to a point that can be stood on, whatever can be reached from it. WAYPOST_UNREACHABLE where no cell is
/// free. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_nearest_free(
    nav: *const waypost_nav,
    point: waypost_point,
    out: *mut waypost_point,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let nav = unsafe { given(nav, "nav") }?;
        let found = nav.0.nearest_free(Point::from(point));
        let found = found.ok_or_else(|| nothing_near(point))?;
        // SAFETY: the caller's promise.
        unsafe { put(out, found.into(), "out") }
    })
}

/// Changes the world for all unit types: rectangles in order, the last word on a cell counts; what lies outside the map is ignored.
/// `changed` (may be NULL) is the number of cells that changed. Paths see it at once, crowds at their next tick. Any thread; waits for
/// paths that are being found.
///
/// # Safety
/// `nav` was not freed; `edits` is valid for reads of `count` edits; `changed` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_patch(
    nav: *const waypost_nav,
    edits: *const waypost_edit,
    count: usize,
    changed: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, edits) = unsafe { (given(nav, "nav")?, array(edits, count, "edits")?) };
        let mut patch = GridPatch::new();
        for edit in edits {
            let (at, size) = (Point::from(edit.at), (edit.width, edit.height));
            patch.set_rect(at, size, edit.passable != 0);
        }
        let cells = nav.0.patch(&patch);
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(changed, cells) };
        Ok(())
    })
}

/// Makes a part of the world, from its top left cell on, as one byte a cell says, row by row: not 0 is free. `changed` (may be NULL) is the
/// number of cells that changed. For all unit types, as `waypost_nav_patch`: a level that was loaded again. Any thread; waits for paths that are
/// being found.
///
/// # Safety
/// `nav` was not freed; `cells` is valid for reads of `length` bytes; `changed` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_patch_cells(
    nav: *const waypost_nav,
    width: u32,
    height: u32,
    cells: *const u8,
    length: usize,
    changed: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, cells) = unsafe { (given(nav, "nav")?, array(cells, length, "cells")?) };
        let layer = map_of_cells(width, height, cells)?;
        let cells = nav.0.patch(GridPatch::new().layer(layer.grid()));
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(changed, cells) };
        Ok(())
    })
}

/// Opens and closes doors; no index becomes stale by that. Fails at the first point that is no door, and changes nothing then. `changed` (may
/// be NULL) is the number of cells that changed. Any thread; waits for paths that are being found.
///
/// # Safety
/// `nav` was not freed; the arrays are valid for reads of as many points as told; `changed` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_set_doors(
    nav: *const waypost_nav,
    open: *const waypost_point,
    open_count: usize,
    close: *const waypost_point,
    close_count: usize,
    changed: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (nav, open, close) = unsafe {
            (
                given(nav, "nav")?,
                array(open, open_count, "open")?,
                array(close, close_count, "close")?,
            )
        };
        let cells = nav.0.set_doors(
            open.iter().map(|&point| Point::from(point)),
            close.iter().map(|&point| Point::from(point)),
        )?;
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(changed, cells) };
        Ok(())
    })
}
