//! From cells to the coordinates of a game, and back.

use crate::border::{Failure, failure, given, guarded, null, put};
use crate::types::{waypost_point, waypost_status};
use waypost::navigator::Transform;

/// Where cells lie in a game's own coordinates. Filled with zeros: cells of 1 x 1 from 0,0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct waypost_transform {
    /// The top left corner of the cell 0,0.
    pub origin: [f32; 2],
    /// The sides of a cell; the second is negative where y grows upwards (0: 1).
    pub cell: [f32; 2],
}

impl waypost_transform {
    pub(crate) fn read(&self) -> Result<Transform, Failure> {
        let numbers = self.origin.iter().chain(&self.cell);
        if numbers.into_iter().any(|number| !number.is_finite()) {
            return Err(failure(
                waypost_status::WAYPOST_BAD_VALUE,
                "`origin` and `cell` of a transform must be finite numbers",
            ));
        }
        let side = |value: f32| if value == 0.0 { 1.0 } else { value };
        Ok(Transform {
            origin: self.origin,
            cell: self.cell.map(side),
        })
    }
}

/// Gives the middle of a cell as two numbers. Any thread.
///
/// # Safety
/// `transform` is valid; `out` is valid for writes of two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_transform_position(
    transform: *const waypost_transform,
    cell: waypost_point,
    out: *mut f32,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let transform = unsafe { given(transform, "transform") }?.read()?;
        // SAFETY: the caller's promise.
        unsafe { put(out.cast(), transform.position(cell.into()), "out") }
    })
}

/// Gives the cell that holds a position of two numbers; WAYPOST_OUTSIDE left of or above the cell 0,0. Any thread.
///
/// # Safety
/// `transform` is valid; `position` is valid for reads of two numbers; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_transform_cell(
    transform: *const waypost_transform,
    position: *const f32,
    out: *mut waypost_point,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let transform = unsafe { given(transform, "transform") }?.read()?;
        if position.is_null() {
            return Err(null("position"));
        }
        // SAFETY: not null, and the caller's promise.
        let position = unsafe { position.cast::<[f32; 2]>().read() };
        let cell = transform.cell(position).ok_or_else(|| {
            failure(
                waypost_status::WAYPOST_OUTSIDE,
                format!("{},{} is in no cell", position[0], position[1]),
            )
        })?;
        // SAFETY: the caller's promise.
        unsafe { put(out, cell.into(), "out") }
    })
}
