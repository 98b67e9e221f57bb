//! Ids and speeds of units that come in.

use crate::arrays::shown;
use crate::errors::Failure;
use crate::members::no_unit;
use crate::whole::{Other, Whole};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use waypost::crowd::MAX_MOVE_TICKS;

/// Ids as an array of whole numbers, or one.
pub fn read_ids(value: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    if let Ok(id) = value.extract::<i64>() {
        return Ok(vec![id]);
    }
    let whole = Whole::read(value, "ids")?.map_err(|Other { dtype, .. }| {
        Failure::Type(format!(
            "ids has elements of type {dtype}; give the whole numbers that spawn gave"
        ))
    })?;
    if let Some(place) = whole.first_beyond() {
        return Err(no_unit(&whole.given(place)).into());
    }
    if whole.array.len() == 0 {
        return Ok(Vec::new());
    }
    if whole.array.ndim() != 1 {
        let text = format!("ids has the shape {:?}; expected [n]", whole.array.shape());
        return Err(Failure::Value(text).into());
    }
    Ok(whole.array.as_slice().map_err(Failure::value)?.to_vec())
}

/// The ticks that a move takes: one number for all, or one for each.
pub fn read_speeds(value: Option<&Bound<'_, PyAny>>, units: usize) -> PyResult<Vec<u32>> {
    let Some(value) = value else {
        return Ok(vec![1]);
    };
    let no_numbers = || {
        let text = format!(
            "speed is {}; give one whole number, or one for each unit",
            shown(value)
        );
        PyErr::from(Failure::Type(text))
    };
    let whole = Whole::read(value, "speed").map_err(|_| no_numbers())?;
    let whole = whole.map_err(|_| no_numbers())?;
    if whole.array.ndim() > 1 {
        return Err(no_numbers());
    }
    let given = whole.array.as_slice().map_err(Failure::value)?;
    if given.len() != 1 && given.len() != units {
        let text = format!(
            "{} speeds for {units} units; give one, or one for each",
            given.len()
        );
        return Err(Failure::Value(text).into());
    }
    let pace = |(place, &ticks): (usize, &i64)| {
        let known = u32::try_from(ticks).ok();
        let known = known.filter(|ticks| (1..=MAX_MOVE_TICKS).contains(ticks));
        known.ok_or_else(|| {
            let given = whole.given(place);
            let text = format!("speed is {given}; a move takes 1 to {MAX_MOVE_TICKS} ticks");
            PyErr::from(Failure::Value(text))
        })
    };
    given.iter().enumerate().map(pace).collect()
}
