//! Ids and speeds of units that come in.

use crate::arrays::{copied, kind, shown};
use crate::errors::Failure;
use numpy::{IxDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use waypost::crowd::MAX_MOVE_TICKS;

/// Ids as an array of whole numbers, or one.
pub fn read_ids(value: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    if let Ok(id) = value.extract::<i64>() {
        return Ok(vec![id]);
    }
    let (kind, dtype, size) = kind(value, "ids")?;
    if size == 0 {
        return Ok(Vec::new());
    }
    if !matches!(kind, 'i' | 'u') {
        let text =
            format!("ids has elements of type {dtype}; give the whole numbers that spawn gave");
        return Err(Failure::Type(text).into());
    }
    let array = copied::<i64, IxDyn>(value, "int64", "ids")?;
    if array.ndim() != 1 {
        let text = format!("ids has the shape {:?}; expected [n]", array.shape());
        return Err(Failure::Value(text).into());
    }
    Ok(array.as_slice().map_err(Failure::value)?.to_vec())
}

/// The ticks that a move takes: one number for all, or one for each.
pub fn read_speeds(value: Option<&Bound<'_, PyAny>>, units: usize) -> PyResult<Vec<u32>> {
    let Some(value) = value else {
        return Ok(vec![1]);
    };
    let given = match value.extract::<i64>() {
        Ok(one) => vec![one],
        Err(_) => read_ids(value).map_err(|_| {
            let text = format!(
                "speed is {}; give one whole number, or one for each unit",
                shown(value)
            );
            PyErr::from(Failure::Type(text))
        })?,
    };
    if given.len() != 1 && given.len() != units {
        let text = format!(
            "{} speeds for {units} units; give one, or one for each",
            given.len()
        );
        return Err(Failure::Value(text).into());
    }
    let pace = |&ticks: &i64| {
        let known = u32::try_from(ticks).ok();
        let known = known.filter(|ticks| (1..=MAX_MOVE_TICKS).contains(ticks));
        let refused = || {
            let text = format!("speed is {ticks}; a move takes 1 to {MAX_MOVE_TICKS} ticks");
            PyErr::from(Failure::Value(text))
        };
        known.ok_or_else(refused)
    };
    given.iter().map(pace).collect()
}
