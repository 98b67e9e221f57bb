//! Whole numbers that callers give, by the names of their arguments: one that is negative or too large is a `ValueError` that names it.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// A number, none or a pair of them, and the largest that each can be.
pub trait Whole: Sized {
    const MAX: u64;
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self>;
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl Whole for $type {
            const MAX: u64 = <$type>::MAX as u64;
            fn read(value: &Bound<'_, PyAny>) -> PyResult<$type> {
                value.extract()
            }
        }
    )*};
}

whole!(u8, u32, u64, usize, i64);

impl<T: Whole> Whole for Option<T> {
    const MAX: u64 = T::MAX;
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
        match value.is_none() {
            true => Ok(None),
            false => T::read(value).map(Some),
        }
    }
}

impl Whole for (u32, u32) {
    const MAX: u64 = u32::MAX as u64;
    fn read(value: &Bound<'_, PyAny>) -> PyResult<(u32, u32)> {
        value.extract()
    }
}

fn read<T: Whole>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    T::read(value).map_err(|error| {
        if !error.is_instance_of::<PyOverflowError>(value.py()) {
            return error;
        }
        // Numbers of thousands of digits are not written out.
        let given = value.repr().map(|text| text.to_string());
        let given = given.unwrap_or_else(|_| "far too large".to_string());
        let most = T::MAX;
        PyValueError::new_err(format!(
            "`{name}` is {given}; give a whole number from 0 to {most}"
        ))
    })
}

macro_rules! arguments {
    ($($name:ident)*) => {$(
        pub fn $name<T: Whole>(value: &Bound<'_, PyAny>) -> PyResult<T> {
            read(value, stringify!($name))
        }
    )*};
}

arguments! {
    area count expansions factor height id leader limit max_bytes max_moves moves operations plan_operations repair_operations
    seed sensor shard short size threads threshold ticket trials width within
}
