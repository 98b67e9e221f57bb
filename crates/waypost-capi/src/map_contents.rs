//! What a map says of itself.

use crate::border::{Output, exclusive, given, guarded, put_if_wanted};
use crate::map::waypost_map;
use crate::nav::waypost_door;
use crate::types::waypost_status;
use waypost::{Corners, CostPair, Map, Point};

/// Gives the number of columns and rows; either may be NULL. One thread at a time.
///
/// # Safety
/// `map` is a map that was not freed, or NULL; `width` and `height` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_size(
    map: *const waypost_map,
    width: *mut u32,
    height: *mut u32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let map = exclusive(&unsafe { given(map, "map") }?.0, "map")?;
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(width, map.grid().width());
            put_if_wanted(height, map.grid().height());
        }
        Ok(())
    })
}

/// Writes one byte a cell, row by row, 1 where it is free and 0 where it is a wall, and the number of cells into `count`, which may be NULL.
/// WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.
///
/// # Safety
/// `map` is a map that was not freed, or NULL; `out` is valid for writes of `capacity` bytes, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_cells(
    map: *const waypost_map,
    out: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (map, mut out) = unsafe { (given(map, "map")?, Output::new(out, capacity)) };
        let map = exclusive(&map.0, "map")?;
        for point in points(&map) {
            out.push(u8::from(map.passable_cell(point).is_some()));
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// All points of a map, row by row.
fn points(map: &Map) -> impl Iterator<Item = Point> {
    let (width, height) = (map.grid().width(), map.grid().height());
    (0..height).flat_map(move |y| (0..width).map(move |x| Point { x, y }))
}

/// Writes what a step costs in each cell, row by row, in lengths: 1 on plain ground, 0 for a wall, and the number of cells into `count`, which
/// may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.
///
/// # Safety
/// `map` is a map that was not freed, or NULL; `out` is valid for writes of `capacity` numbers, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_factors(
    map: *const waypost_map,
    out: *mut f64,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (map, mut out) = unsafe { (given(map, "map")?, Output::new(out, capacity)) };
        let map = exclusive(&map.0, "map")?;
        for point in points(&map) {
            out.push(match (map.passable_cell(point), map.ground()) {
                (None, _) => 0.0,
                (Some(_), None) => 1.0,
                (Some(cell), Some(ground)) => f64::from(ground.hundredths(cell)) / 100.0,
            });
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// Writes the doors of a map, in the order of rows, and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are
/// more than `capacity`. One thread at a time.
///
/// # Safety
/// `map` is a map that was not freed, or NULL; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_doors(
    map: *const waypost_map,
    out: *mut waypost_door,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (map, mut out) = unsafe { (given(map, "map")?, Output::new(out, capacity)) };
        let map = exclusive(&map.0, "map")?;
        for cell in map.doors().into_iter().flat_map(|doors| doors.cells()) {
            out.push(waypost_door {
                at: map.grid().point(cell).into(),
                is_open: i32::from(map.grid().is_passable(cell)),
            });
        }
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}

/// Gives how units may move: one of `waypost_corners` and one of `waypost_costs`; either may be NULL. One thread at a time.
///
/// # Safety
/// `map` is a map that was not freed, or NULL; `corners` and `costs` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_rules(
    map: *const waypost_map,
    corners: *mut u32,
    costs: *mut u32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let rules = exclusive(&unsafe { given(map, "map") }?.0, "map")?.rules();
        let number = match rules.corners {
            Corners::Never => 0,
            Corners::One => 1,
            Corners::Always => 2,
            Corners::NoDiagonals => 3,
        };
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(corners, number);
            put_if_wanted(costs, u32::from(rules.costs == CostPair::OnePointFour));
        }
        Ok(())
    })
}
