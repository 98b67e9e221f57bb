//! Types of units: what they are, and the world as they see it.

use crate::border::{
    Failure, Output, array, failure, give, given, guarded, null, put, put_if_wanted, sized, text,
};
use crate::terrain::{factor_of, waypost_ground};
use crate::types::waypost_status;
use crate::world::waypost_nav;
use std::ffi::c_char;
use waypost::navigator::UnitType;
use waypost::terrain::Footings;

/// A type of unit. Fill with zeros and set `size`; what is 0 is as usual.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct waypost_unit_type {
    /// sizeof(waypost_unit_type)
    pub size: usize,
    /// Its name, UTF-8, one line.
    pub name: *const c_char,
    /// Cells on a side (0: 1). Its position is its top left cell.
    pub cells: u32,
    /// What it makes of classes of ground; classes that are not named are what the map says.
    pub grounds: *const waypost_ground,
    /// How many.
    pub ground_count: usize,
}

/// # Safety
/// `given` is null or valid with all that it points to.
pub(crate) unsafe fn read_type(given: *const waypost_unit_type) -> Result<UnitType, Failure> {
    // SAFETY: the caller's promise.
    let given = unsafe { sized(given, "unit_type") }?;
    let given = given.ok_or_else(|| null("unit_type"))?;
    // SAFETY: the caller's promise.
    let (name, grounds) = unsafe {
        (
            text(given.name, "unit_type.name")?,
            array(given.grounds, given.ground_count, "unit_type.grounds")?,
        )
    };
    let mut footings = Footings::new();
    for ground in grounds {
        // SAFETY: the caller's promise.
        let class = unsafe { ground.read() }?;
        footings.set(&class.name, class.footing);
    }
    let unit = UnitType::new(name).size(given.cells.max(1));
    Ok(unit.terrain(footings))
}

/// Types one after the other; how far apart they are is what the first says of its size.
///
/// # Safety
/// `first` is null with a count of 0, or points to so many types that are valid with all that they point to.
pub(crate) unsafe fn read_types(
    first: *const waypost_unit_type,
    count: usize,
) -> Result<Vec<UnitType>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if first.is_null() {
        return Err(null("unit_types"));
    }
    if count > MAX_TYPES {
        return Err(failure(
            waypost_status::WAYPOST_BAD_VALUE,
            format!("{count} unit types; give up to {MAX_TYPES}"),
        ));
    }
    // SAFETY: not null, and begins with its size.
    let apart = unsafe { first.cast::<usize>().read() };
    let mut types = Vec::with_capacity(count);
    for number in 0..count {
        let given = first.wrapping_byte_add(number.wrapping_mul(apart));
        // SAFETY: the size of the first was checked when it was read, and all have that size: the caller's promise.
        let (size, read) = unsafe { (given.cast::<usize>().read(), read_type(given)) };
        if size != apart {
            return Err(failure(
                waypost_status::WAYPOST_BAD_VALUE,
                format!("`unit_types[{number}].size` is {size}; the first has {apart}"),
            ));
        }
        types.push(read?);
    }
    Ok(types)
}

/// The most types in one call.
const MAX_TYPES: usize = 1024;

/// Gives the same world as another type of unit sees it. Free it with `waypost_nav_free`, in any order. Any thread.
///
/// # Safety
/// `nav` was not freed; `name` is a text; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_for_unit(
    nav: *const waypost_nav,
    name: *const c_char,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(out, || {
                let name = text(name, "name")?;
                Ok(waypost_nav(given(nav, "nav")?.0.for_unit(name)?))
            })
        }
    })
}

/// Adds a type of unit, builds its index and gives the world as that type sees it. A name that a type of the world has is refused, and so is `unit`, that of
/// the first type. Patches and paths of other threads do not wait for the build. Free it
/// with `waypost_nav_free`. Any thread.
///
/// # Safety
/// `nav` was not freed; `unit_type` and its name are valid; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_add_unit_type(
    nav: *const waypost_nav,
    unit_type: *const waypost_unit_type,
    out: *mut *mut waypost_nav,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(out, || {
                let unit = read_type(unit_type)?;
                Ok(waypost_nav(given(nav, "nav")?.0.add_unit_type(unit)?))
            })
        }
    })
}

/// Gives the number of unit types. Any thread.
///
/// # Safety
/// `nav` was not freed; `count` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_unit_type_count(
    nav: *const waypost_nav,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe { put(count, given(nav, "nav")?.0.unit_types().len(), "count") })
}

/// Gives the place of the handle's own unit type among them, for `waypost_nav_unit_type`. Any thread.
///
/// # Safety
/// `nav` was not freed; `index` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_own_unit_type(
    nav: *const waypost_nav,
    index: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let nav = &unsafe { given(nav, "nav") }?.0;
        let (own, units) = (nav.unit_type().name(), nav.unit_types());
        let place = units.iter().position(|unit| unit.name() == own);
        // SAFETY: the caller's promise.
        unsafe { put(index, place.unwrap_or(0), "index") }
    })
}

fn unit_at(units: &[UnitType], index: usize) -> Result<&UnitType, Failure> {
    units.get(index).ok_or_else(|| {
        failure(
            waypost_status::WAYPOST_NO_SUCH_UNIT_TYPE,
            format!("no unit type {index}; there are {}", units.len()),
        )
    })
}

/// Gives the name of a unit type, with a zero at its end, and its cells on a side. `size` is the number of bytes with that zero; `size` and
/// `cells` may be NULL. Any thread.
///
/// # Safety
/// `nav` was not freed; `name` is valid for writes of `capacity` bytes, or NULL; `size` and `cells` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_unit_type(
    nav: *const waypost_nav,
    index: usize,
    name: *mut c_char,
    capacity: usize,
    size: *mut usize,
    cells: *mut u32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let units = unsafe { given(nav, "nav") }?.0.unit_types();
        let unit = unit_at(&units, index)?;
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(cells, unit.cells());
            let mut out = Output::new(name.cast::<u8>(), capacity);
            unit.name().bytes().chain([0]).for_each(|b| out.push(b));
            out.finish(size)
        }
    })
}

/// Gives what a unit type makes of the classes of ground that it names, in the order of their names: a factor each, 0 for a wall, and the
/// names, each with a zero at its end, one after the other. `count` is how many classes there are and `size` the number of bytes of the names; both
/// may be NULL. WAYPOST_TOO_SMALL where factors or names do not fit. Any thread.
///
/// # Safety
/// `nav` was not freed; `factors` is valid for writes of `capacity` numbers, or NULL; `names` is valid for writes of `name_capacity`
/// bytes, or NULL; `count` and `size` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_unit_type_grounds(
    nav: *const waypost_nav,
    index: usize,
    factors: *mut f64,
    capacity: usize,
    count: *mut usize,
    names: *mut c_char,
    name_capacity: usize,
    size: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let units = unsafe { given(nav, "nav") }?.0.unit_types();
        // SAFETY: the caller's promise.
        let (mut factors, mut names) = unsafe {
            (
                Output::new(factors, capacity),
                Output::new(names.cast::<u8>(), name_capacity),
            )
        };
        for (name, footing) in unit_at(&units, index)?.footings().iter() {
            factors.push(factor_of(footing));
            name.bytes().chain([0]).for_each(|b| names.push(b));
        }
        // SAFETY: the caller's promise. Both counts are written before either can fail.
        unsafe {
            let fits = factors.finish(count);
            names.finish(size).and(fits)
        }
    })
}
