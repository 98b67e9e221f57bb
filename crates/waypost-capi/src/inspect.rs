//! What an index knows, for debug views.

use crate::border::{Failure, Output, failure, free, give, given, guarded, put, put_if_wanted};
use crate::types::{waypost_index_kind, waypost_point, waypost_status};
use crate::world::waypost_nav;
use std::ffi::c_char;
use waypost::index::IndexKind;
use waypost::navigator::Inspection;

/// What an index knows of a map, as it was when it was asked for. Any thread, also several at once.
pub struct waypost_inspection(Inspection);

/// A corner of the map that paths bend at.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_corner {
    /// Where it is.
    pub at: waypost_point,
    /// Hubs in its label.
    pub hubs: u32,
}

/// A region of a sector.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_region {
    /// Its number.
    pub number: u32,
    /// The cell that stands for it.
    pub at: waypost_point,
}

/// The first step of a path.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_first_move {
    /// From here.
    pub from: waypost_point,
    /// To the cell beside it.
    pub to: waypost_point,
}

/// The number of a cell that belongs to no group.
pub const WAYPOST_NO_GROUP: u32 = u32::MAX;

/// The number of no record.
pub const WAYPOST_NO_RECORD: u64 = u64::MAX;

fn kind_of(number: u32) -> Result<IndexKind, Failure> {
    let mut all = IndexKind::ALL.into_iter();
    let known = all.find(|&kind| kind as u32 == number);
    known.ok_or_else(|| {
        failure(
            waypost_status::WAYPOST_BAD_VALUE,
            format!("`kind` is {number}; give 0 or one of waypost_index_kind"),
        )
    })
}

/// Writes a text with a zero at its end.
fn push_text(out: &mut Output<u8>, text: &str) {
    let bytes = text.bytes().filter(|&byte| byte != 0);
    bytes.chain([0]).for_each(|byte| out.push(byte));
}

/// Gives what an index of the handle's unit type knows: of the one that was chosen where `kind` is 0, else of that kind (one of
/// `waypost_index_kind`), which is built where the world has none of it; WAYPOST_BUILD_FAILED where it cannot be. Free it with
/// `waypost_inspection_free`; it may outlive `nav`. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_nav_inspect(
    nav: *const waypost_nav,
    kind: u32,
    out: *mut *mut waypost_inspection,
) -> waypost_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe {
        give(out, || {
            let nav = &given(nav, "nav")?.0;
            Ok(waypost_inspection(match kind {
                0 => nav.inspect(),
                kind => nav.inspect_kind(kind_of(kind)?)?,
            }))
        })
    })
}

/// Gives the kind of index and the bytes that it takes beyond the map; either may be NULL. Any thread.
///
/// # Safety
/// `inspection` was not freed; `kind` and `memory_bytes` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_kind(
    inspection: *const waypost_inspection,
    kind: *mut waypost_index_kind,
    memory_bytes: *mut u64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let known = &unsafe { given(inspection, "inspection") }?.0;
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(kind, known.index_kind().into());
            put_if_wanted(memory_bytes, known.memory_bytes as u64);
        }
        Ok(())
    })
}

/// Says why the index was chosen, in one line of UTF-8 with a zero at its end, which is all there is of one that was asked for by its kind.
/// `size`, which may be NULL, is the number of bytes with that zero. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// `inspection` was not freed; `out` is valid for writes of `capacity` bytes, or NULL; `size` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_reason(
    inspection: *const waypost_inspection,
    out: *mut c_char,
    capacity: usize,
    size: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let known = &unsafe { given(inspection, "inspection") }?.0;
        // SAFETY: the caller's promise.
        let mut out = unsafe { Output::new(out.cast::<u8>(), capacity) };
        push_text(&mut out, &known.reason);
        // SAFETY: the caller's promise.
        unsafe { out.finish(size) }
    })
}

/// Writes facts for people, texts of UTF-8 with a zero at the end of each: a name, its value, the next name, and so on. `count` is the
/// number of facts, `size` that of bytes; both may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity` bytes. Any thread.
///
/// # Safety
/// `inspection` was not freed; `out` is valid for writes of `capacity` bytes, or NULL; `count` and `size` are NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_facts(
    inspection: *const waypost_inspection,
    count: *mut usize,
    out: *mut c_char,
    capacity: usize,
    size: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let known = &unsafe { given(inspection, "inspection") }?.0;
        // SAFETY: the caller's promise.
        let mut out = unsafe { Output::new(out.cast::<u8>(), capacity) };
        for (name, value) in &known.facts {
            push_text(&mut out, name);
            push_text(&mut out, value);
        }
        // SAFETY: the caller's promise.
        unsafe {
            put_if_wanted(count, known.facts.len());
            out.finish(size)
        }
    })
}

/// Writes the corners that paths bend at and their number into `count`, which may be NULL; none where the index is not one of labels.
/// WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// `inspection` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_corners(
    inspection: *const waypost_inspection,
    out: *mut waypost_corner,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        write_all(inspection, out, capacity, count, |known| {
            let corners = known.corners().into_iter();
            corners.map(|corner| waypost_corner {
                at: corner.at.into(),
                hubs: corner.hubs as u32,
            })
        })
    }
}

/// Writes the hubs in the label of a corner, by its place in the corners, and their number into `count`, which may be NULL; none where there
/// is no such corner. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// As `waypost_inspection_corners`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_hubs(
    inspection: *const waypost_inspection,
    corner: usize,
    out: *mut waypost_point,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        write_all(inspection, out, capacity, count, |known| {
            known.hubs(corner).into_iter().map(waypost_point::from)
        })
    }
}

/// Writes the corners that a point sees, by their places in the corners, and their number into `count`, which may be NULL: those at which a path
/// from there may turn first. None where the index is not one of labels or the point is a wall. WAYPOST_TOO_SMALL where there are more than
/// `capacity`. Any thread.
///
/// # Safety
/// As `waypost_inspection_corners`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_corners_seen(
    inspection: *const waypost_inspection,
    from: waypost_point,
    out: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        write_all(inspection, out, capacity, count, |known| {
            known
                .corners_seen(from)
                .into_iter()
                .map(|corner| corner as u32)
        })
    }
}

/// Writes the chain of regions that leads from a point to another, by the cells that stand for them, and their number into `count`, which may be
/// NULL; none where the index is not one of sectors or there is no way. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// As `waypost_inspection_corners`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_chain(
    inspection: *const waypost_inspection,
    from: waypost_point,
    goal: waypost_point,
    out: *mut waypost_point,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        write_all(inspection, out, capacity, count, |known| {
            known.chain(from, goal).into_iter().map(waypost_point::from)
        })
    }
}

/// Gives the side of a sector in cells (0 where the index is not one of sectors) and writes the regions and their number into `count`,
/// which may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// As `waypost_inspection_corners`; `side` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_sectors(
    inspection: *const waypost_inspection,
    side: *mut u32,
    out: *mut waypost_region,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let known = &unsafe { given(inspection, "inspection") }?.0;
        let (cells, regions) = known.sectors().unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe {
            put(side, cells, "side")?;
            let mut out = Output::new(out, capacity);
            for region in regions {
                out.push(waypost_region {
                    number: region.number,
                    at: region.at.into(),
                });
            }
            out.finish(count)
        }
    })
}

/// Gives the number of records; 0 where the index is not one of subgoals. Any thread.
///
/// # Safety
/// `inspection` was not freed; `count` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_record_count(
    inspection: *const waypost_inspection,
    count: *mut usize,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let known = &unsafe { given(inspection, "inspection") }?.0;
        // SAFETY: the caller's promise.
        unsafe { put(count, known.record_count(), "count") }
    })
}

/// The record that kNN LRTA* chooses on the map of `nav`, for `waypost_inspection_record`; WAYPOST_NO_RECORD where it goes without one or the index
/// is not one of subgoals for this map. Any thread.
///
/// # Safety
/// `inspection` and `nav` were not freed; `record` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_chosen_record(
    inspection: *const waypost_inspection,
    nav: *const waypost_nav,
    from: waypost_point,
    goal: waypost_point,
    record: *mut u64,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (known, nav) = unsafe { (given(inspection, "inspection")?, given(nav, "nav")?) };
        let chosen = known.0.chosen_record(&nav.0.world().map(), from, goal);
        let chosen = chosen.map_or(WAYPOST_NO_RECORD, |number| number as u64);
        // SAFETY: the caller's promise.
        unsafe { put(record, chosen, "record") }
    })
}

/// Writes the start, the subgoals and the goal of a record and their number into `count`, which may be NULL; none where there is no such
/// record. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.
///
/// # Safety
/// As `waypost_inspection_corners`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_record(
    inspection: *const waypost_inspection,
    record: usize,
    out: *mut waypost_point,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        write_all(inspection, out, capacity, count, |known| {
            known.record(record).into_iter().map(waypost_point::from)
        })
    }
}

/// Writes the number of the group that each cell belongs to at a level of the clique abstraction (from 1), row by row, WAYPOST_NO_GROUP for walls
/// and cells without a move, and the number of cells into `count`, which may be NULL; none where the index is another one. `levels`, which may be NULL, is
/// the number of levels. WAYPOST_TOO_SMALL where there are more cells than `capacity`. Any thread.
///
/// # Safety
/// As `waypost_inspection_corners`; `levels` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_groups(
    inspection: *const waypost_inspection,
    level: u32,
    levels: *mut u32,
    out: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        write_all(inspection, out, capacity, count, |known| {
            put_if_wanted(levels, known.height());
            let groups = known.groups(level).into_iter().flatten();
            groups.map(|group| group.unwrap_or(WAYPOST_NO_GROUP))
        })
    }
}

/// Writes the first step of a shortest path to a goal from every cell that has one, row by row, and their number into `count`, which may be
/// NULL; none where the index is not a path database or the goal is no free cell. WAYPOST_TOO_SMALL where there are more than `capacity`. Any
/// thread.
///
/// # Safety
/// As `waypost_inspection_corners`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_first_moves(
    inspection: *const waypost_inspection,
    goal: waypost_point,
    out: *mut waypost_first_move,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        write_all(inspection, out, capacity, count, |known| {
            let moves = known.first_moves(goal).into_iter();
            moves.map(|(from, direction)| {
                let to = waypost_point {
                    x: from.x.wrapping_add_signed(direction.dx()),
                    y: from.y.wrapping_add_signed(direction.dy()),
                };
                waypost_first_move {
                    from: from.into(),
                    to,
                }
            })
        })
    }
}

/// Frees an inspection. NULL is ignored.
///
/// # Safety
/// `inspection` was not freed, or is NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_inspection_free(inspection: *mut waypost_inspection) {
    free(inspection);
}

/// Writes whatever is asked of an inspection.
///
/// # Safety
/// `inspection` is null or was not freed; `out` is null or valid for writes of `capacity` elements; `count` is null or valid for a write.
unsafe fn write_all<T, I: Iterator<Item = T>>(
    inspection: *const waypost_inspection,
    out: *mut T,
    capacity: usize,
    count: *mut usize,
    all: impl FnOnce(&Inspection) -> I,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (known, mut out) =
            unsafe { (given(inspection, "inspection")?, Output::new(out, capacity)) };
        all(&known.0).for_each(|element| out.push(element));
        // SAFETY: the caller's promise.
        unsafe { out.finish(count) }
    })
}
