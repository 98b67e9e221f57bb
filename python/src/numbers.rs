//! Numbers that callers give, by the names of their arguments: one that does not fit is a `ValueError` that names it.

use crate::arrays::shown;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A number, none or a pair of them.
pub trait Number: Sized {
    /// What each can be, in words.
    fn range() -> String;
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self>;
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl Number for $type {
            fn range() -> String {
                format!("a whole number from 0 to {}", <$type>::MAX)
            }
            fn read(value: &Bound<'_, PyAny>) -> PyResult<$type> {
                value.extract()
            }
        }
    )*};
}

whole!(u8, u32, u64, usize, i64);

impl<T: Number> Number for Option<T> {
    fn range() -> String {
        T::range()
    }
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
        match value.is_none() {
            true => Ok(None),
            false => T::read(value).map(Some),
        }
    }
}

impl Number for f64 {
    fn range() -> String {
        "a number that a float can hold".to_string()
    }
    fn read(value: &Bound<'_, PyAny>) -> PyResult<f64> {
        value.extract()
    }
}

impl Number for (u32, u32) {
    fn range() -> String {
        u32::range()
    }
    fn read(value: &Bound<'_, PyAny>) -> PyResult<(u32, u32)> {
        value.extract()
    }
}

/// A number that is no argument itself: whatever does not fit is named, also what is no number.
pub fn named<T: Number>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    read(value, name).map_err(|error| {
        if !error.is_instance_of::<PyTypeError>(value.py()) {
            return error;
        }
        let given = shown(value);
        PyTypeError::new_err(format!("`{name}` is {given}; give {}", T::range()))
    })
}

fn read<T: Number>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    T::read(value).map_err(|error| {
        if !error.is_instance_of::<PyOverflowError>(value.py()) {
            return error;
        }
        // Numbers of thousands of digits are not written out.
        let given = value.repr().map(|text| text.to_string());
        let given = given.unwrap_or_else(|_| "far too large".to_string());
        PyValueError::new_err(format!("`{name}` is {given}; give {}", T::range()))
    })
}

macro_rules! arguments {
    ($($name:ident)*) => {$(
        pub fn $name<T: Number>(value: &Bound<'_, PyAny>) -> PyResult<T> {
            read(value, stringify!($name))
        }
    )*};
}

arguments! {
    area cost count expansions factor height id leader limit max_bytes max_cost max_moves max_seconds min_cost moves operations plan_operations repair_operations
    seed sensor shard short size threads threshold ticket trials width within
}
