//! Maps from what levels are kept in.

use crate::border::{Failure, array, exclusive, failure, free, give, given, guarded, sized, text};
use crate::types::{waypost_point, waypost_status};
use std::ffi::c_char;
use std::sync::Mutex;
use waypost::navigator::FileChoice;
use waypost::{Corners, CostPair, Map, MoveRules, Point};

/// A map before it becomes a world: cells, rules, doors. One thread at a time (WAYPOST_BUSY otherwise).
pub struct waypost_map(pub(crate) Mutex<Map>);

impl waypost_map {
    pub(crate) fn copy(&self) -> Result<Map, Failure> {
        Ok(exclusive(&self.0, "map")?.clone())
    }
}

pub(crate) fn new_map(map: Result<Map, waypost::Error>) -> Result<waypost_map, Failure> {
    Ok(waypost_map(Mutex::new(map?)))
}

/// Makes a map from bits, row by row without padding, the least significant bit of a byte first: 1 is free. `length` is the
/// number of bytes. Free it with `waypost_map_free`. Any thread.
///
/// # Safety
/// `bits` is valid for reads of `length` bytes, `out` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_from_bits(
    width: u32,
    height: u32,
    bits: *const u8,
    length: usize,
    out: *mut *mut waypost_map,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe {
        give(out, || {
            new_map(Map::from_bits(width, height, array(bits, length, "bits")?))
        })
    })
}

/// Makes a map from one byte a cell, row by row: not 0 is free. `length` is the number of bytes. Free it with
/// `waypost_map_free`. Any thread.
///
/// # Safety
/// `cells` is valid for reads of `length` bytes, `out` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_from_cells(
    width: u32,
    height: u32,
    cells: *const u8,
    length: usize,
    out: *mut *mut waypost_map,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(out, || {
                let map = map_of_cells(width, height, array(cells, length, "cells")?)?;
                new_map(Ok(map))
            })
        }
    })
}

pub(crate) fn map_of_cells(width: u32, height: u32, cells: &[u8]) -> Result<Map, Failure> {
    let expected = u64::from(width) * u64::from(height);
    if (cells.len() as u64) < expected {
        let got = cells.len();
        return Err(failure(
            waypost_status::WAYPOST_BAD_MAP,
            format!("{width} x {height} cells take {expected} bytes; got {got}"),
        ));
    }
    let at = |p: Point| p.y as usize * width as usize + p.x as usize;
    Ok(Map::from_fn(width, height, |p| cells[at(p)] != 0)?)
}

/// Makes a map from the bytes of a map file: MovingAI, and PNG, Tiled or LDtk where the library was built with them
/// (`waypost_map_from_files` has a say in what is read of those). Free it with `waypost_map_free`. Any thread.
///
/// # Safety
/// `bytes` is valid for reads of `length` bytes, `out` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_from_file_bytes(
    bytes: *const u8,
    length: usize,
    out: *mut *mut waypost_map,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe {
        give(out, || {
            new_map(Map::from_bytes(array(bytes, length, "bytes")?))
        })
    })
}

/// A file that another one names.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct waypost_file {
    /// Its name as the other file has it, UTF-8, such as "tiles/walls.tsx".
    pub name: *const c_char,
    /// What it holds.
    pub bytes: *const u8,
    /// How many bytes.
    pub length: usize,
}

/// What of a map file is read. Fill with zeros and set `size`; what is 0 is as usual.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct waypost_file_options {
    /// sizeof(waypost_file_options)
    pub size: usize,
    /// LDtk: the level, by its name (NULL: the first).
    pub level: *const c_char,
    /// Tiled: the layer whose tiles are walls; LDtk: the layer of integers (NULL: found by their names).
    pub layer: *const c_char,
    /// Files that this one may name: tilesets of Tiled maps, levels of LDtk projects.
    pub files: *const waypost_file,
    /// How many.
    pub file_count: usize,
}

/// # Safety
/// `options` is null or valid with all that it points to.
unsafe fn map_of_files(
    bytes: &[u8],
    options: *const waypost_file_options,
) -> Result<waypost_map, Failure> {
    // SAFETY: the caller's promise.
    let Some(options) = (unsafe { sized(options, "options") })? else {
        return new_map(Map::from_bytes(bytes));
    };
    let named = |name: *const c_char, what: &str| match name.is_null() {
        true => Ok(None),
        // SAFETY: the caller's promise.
        false => unsafe { text(name, what) }.map(|name| Some(name.to_string())),
    };
    let choice = FileChoice {
        level: named(options.level, "options.level")?,
        layer: named(options.layer, "options.layer")?,
    };
    // SAFETY: the caller's promise.
    let files = unsafe { array(options.files, options.file_count, "options.files") }?;
    let mut beside = Vec::with_capacity(files.len());
    for file in files {
        // SAFETY: the caller's promise.
        let (name, bytes) = unsafe {
            (
                text(file.name, "file.name")?,
                array(file.bytes, file.length, "file.bytes")?,
            )
        };
        beside.push((name, bytes));
    }
    let mut find = |wanted: &str| {
        let found = beside.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, bytes)| bytes.to_vec())
    };
    new_map(Map::from_files(bytes, &choice, &mut find))
}

/// As `waypost_map_from_file_bytes`, with a say in what is read and with the files that the map names. `options` may be NULL. Any thread.
///
/// # Safety
/// `bytes` is valid for reads of `length` bytes, `options` is NULL or valid with all that it points to, `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_from_files(
    bytes: *const u8,
    length: usize,
    options: *const waypost_file_options,
    out: *mut *mut waypost_map,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe {
        give(out, || {
            map_of_files(array(bytes, length, "bytes")?, options)
        })
    })
}

/// Sets how units may move: one of `waypost_corners` and one of `waypost_costs`. One thread at a time.
///
/// # Safety
/// `map` is a map that was not freed, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_set_rules(
    map: *mut waypost_map,
    corners: u32,
    costs: u32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let mut map = exclusive(&unsafe { given(map, "map") }?.0, "map")?;
        let bad = |what: &str, value: u32, last: usize| {
            failure(
                waypost_status::WAYPOST_BAD_VALUE,
                format!("`{what}` is {value}; give 0 to {last}"),
            )
        };
        let known = [CostPair::Sqrt2, CostPair::OnePointFour];
        let rules = MoveRules {
            corners: match corners {
                0 => Corners::Never,
                1 => Corners::One,
                2 => Corners::Always,
                3 => Corners::NoDiagonals,
                other => return Err(bad("corners", other, 3)),
            },
            costs: *known
                .get(costs as usize)
                .ok_or_else(|| bad("costs", costs, 1))?,
        };
        *map = map
            .clone()
            .with_rules(rules)
            .map_err(waypost::Error::from)?;
        Ok(())
    })
}

/// Makes these cells doors, in the place of earlier ones: open where they are free now, closed where they are walls. Doors open
/// and close at once (`waypost_nav_set_doors`) and make no index stale. One thread at a time.
///
/// # Safety
/// `map` is a map that was not freed, or NULL; `doors` is valid for reads of `count` points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_set_doors(
    map: *mut waypost_map,
    doors: *const waypost_point,
    count: usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (map, doors) = unsafe { (given(map, "map")?, array(doors, count, "doors")?) };
        let mut map = exclusive(&map.0, "map")?;
        let grid = map.grid();
        if let Some(&bad) = doors.iter().find(|&&p| grid.cell(p.into()).is_none()) {
            let (width, height) = (grid.width(), grid.height());
            return Err(failure(
                waypost_status::WAYPOST_OUTSIDE,
                format!(
                    "the door {},{} is outside the map of {width} x {height} cells",
                    bad.x, bad.y
                ),
            ));
        }
        *map = map.clone().and_doors(doors.iter().map(|&p| Point::from(p)));
        Ok(())
    })
}

/// Frees a map; worlds built from it stay. NULL is ignored.
///
/// # Safety
/// `map` is a map that was not freed, or NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_free(map: *mut waypost_map) {
    free(map);
}
