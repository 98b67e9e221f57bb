//! Classes of ground: maps on which steps cost more in some places, and what unit types make of them.

use crate::border::{Failure, array, failure, give, guarded, text};
use crate::map::{new_map, waypost_map};
use crate::types::waypost_status;
use std::ffi::c_char;
use waypost::Map;
use waypost::terrain::{Class, Factor, Footing, TerrainError};

/// A class of ground, by its name: the letter of a map file, the value of a property in Tiled, or whatever a map of the caller's calls it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct waypost_ground {
    /// Its name, UTF-8.
    pub name: *const c_char,
    /// How many times its length a step costs, 0.1 to 100 with at most two decimals; 0 is a wall.
    pub factor: f64,
}

impl waypost_ground {
    /// # Safety
    /// The name is null or a text.
    pub(crate) unsafe fn read(&self) -> Result<Class, Failure> {
        // SAFETY: the caller's promise.
        let name = unsafe { text(self.name, "ground.name") }?.to_string();
        if name.is_empty() {
            return Err(failure(
                waypost_status::WAYPOST_BAD_VALUE,
                "a class of ground without a name; give it one",
            ));
        }
        let footing = footing(self.factor).ok_or_else(|| TerrainError::BadFactor {
            class: name.clone(),
            value: self.factor.to_string(),
        });
        let footing = footing.map_err(waypost::Error::from)?;
        Ok(Class { name, footing })
    }
}

fn footing(factor: f64) -> Option<Footing> {
    match factor == 0.0 {
        true => Some(Footing::Wall),
        false => Factor::from_number(factor).map(Footing::Factor),
    }
}

/// A footing as the border has it.
pub(crate) fn factor_of(footing: Footing) -> f64 {
    match footing {
        Footing::Wall => 0.0,
        Footing::Factor(factor) => f64::from(factor.hundredths()) / 100.0,
    }
}

/// Makes a map from classes of ground, one byte a cell, row by row, each a number of `grounds`: walls are cells whose class is one, and a
/// step costs its length times the mean of the factors of its two cells. The first class is what a wall becomes when it is opened; WAYPOST_BAD_MAP where it is a wall itself. Free it
/// with `waypost_map_free`. Any thread.
///
/// # Safety
/// `cells` is valid for reads of `length` bytes, `grounds` of `ground_count` elements with their names, `out` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_from_classes(
    width: u32,
    height: u32,
    cells: *const u8,
    length: usize,
    grounds: *const waypost_ground,
    ground_count: usize,
    out: *mut *mut waypost_map,
) -> waypost_status {
    let make = || {
        // SAFETY: the caller's promise.
        let (cells, grounds) = unsafe {
            (
                array(cells, length, "cells")?,
                array(grounds, ground_count, "grounds")?,
            )
        };
        // SAFETY: the caller's promise.
        let kinds = grounds.iter().map(|ground| unsafe { ground.read() });
        let kinds: Vec<Class> = kinds.collect::<Result<_, _>>()?;
        if let Some(Class {
            name,
            footing: Footing::Wall,
        }) = kinds.first()
        {
            return Err(failure(
                waypost_status::WAYPOST_BAD_MAP,
                format!(
                    "the first class, {name}, is a wall; it is what a wall becomes when it is opened"
                ),
            ));
        }
        new_map(Map::from_classes(width, height, kinds, cells.to_vec()))
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}

/// Makes a map from one factor a cell, row by row: how many times its length a step costs there, 0.1 to 100, rounded to two decimals, and
/// up to 254 different ones; 0 is a wall. `length` is the number of factors. Free it with `waypost_map_free`. Any thread.
///
/// # Safety
/// `factors` is valid for reads of `length` numbers, `out` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_map_from_factors(
    width: u32,
    height: u32,
    factors: *const f64,
    length: usize,
    out: *mut *mut waypost_map,
) -> waypost_status {
    let make = || {
        // SAFETY: the caller's promise.
        let factors = unsafe { array(factors, length, "factors") }?;
        let expected = u64::from(width) * u64::from(height);
        if (factors.len() as u64) < expected {
            return Err(failure(
                waypost_status::WAYPOST_BAD_MAP,
                format!("{width} x {height} cells take {expected} factors; got {length}"),
            ));
        }
        let mut all = factors.iter();
        new_map(Map::from_factors(width, height, |_| {
            all.next().copied().filter(|&factor| factor != 0.0)
        }))
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}
