//! Whole numbers that come in as arrays: none of them wraps round, however large it is.

use crate::arrays::{copied, kind, shown};
use crate::errors::Failure;
use numpy::{IxDyn, PyArray1, PyArrayMethods, PyReadonlyArray, PyUntypedArray};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// Whole numbers, copied. What 64 bits with a sign do not hold is the largest or the least that they do.
pub struct Whole<'py> {
    /// The numbers.
    pub array: PyReadonlyArray<'py, i64, IxDyn>,
    /// The first numbers that are not as they were given, by their places row by row, as they were given.
    beyond: Vec<(usize, String)>,
}

/// So many of them can be told as they were given.
const TOLD: usize = 4;

/// Elements of another type, as numpy names their kind and type.
pub struct Other {
    pub kind: char,
    pub dtype: String,
}

impl<'py> Whole<'py> {
    /// Reads an array or a list; elements that are no whole numbers are the inner error.
    pub fn read(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Result<Whole<'py>, Other>> {
        let (kind, dtype, size) = kind(value, name)?;
        if size == 0 {
            let shape = value
                .py()
                .import("numpy")?
                .call_method1("shape", (value,))?;
            return Whole::of(&[], shape.extract()?, value.py()).map(Ok);
        }
        let is_small = matches!(&*dtype, "uint8" | "uint16" | "uint32");
        if kind == 'i' || is_small {
            let array = copied::<i64, IxDyn>(value, "int64", name)?;
            let beyond = Vec::new();
            return Ok(Ok(Whole { array, beyond }));
        }
        let read = match kind {
            'u' => Some(unsigned(value, name)?),
            // numpy makes these of lists with numbers of more than 63 bits.
            'O' => of_objects(value, name)?,
            'f' if !value.is_instance_of::<PyUntypedArray>() => of_objects(value, name)?,
            _ => None,
        };
        Ok(read.ok_or(Other { kind, dtype }))
    }

    /// The place of the first number that is not as it was given.
    pub fn first_beyond(&self) -> Option<usize> {
        self.beyond.first().map(|&(place, _)| place)
    }

    /// A number of the array as it was given.
    pub fn given(&self, place: usize) -> String {
        let known = self.beyond.iter().find(|(at, _)| *at == place);
        let number = || self.array.as_slice().ok()?.get(place).map(i64::to_string);
        match known {
            Some((_, number)) => number.clone(),
            None => number().unwrap_or_default(),
        }
    }

    fn of(
        numbers: &[(i64, Option<String>)],
        shape: Vec<usize>,
        py: Python<'py>,
    ) -> PyResult<Whole<'py>> {
        let far = numbers.iter().enumerate();
        let far = far.filter_map(|(at, (_, given))| Some((at, given.clone()?)));
        let flat = PyArray1::from_iter(py, numbers.iter().map(|(number, _)| *number));
        Ok(Whole {
            beyond: far.take(TOLD).collect(),
            array: flat.reshape(shape)?.readonly(),
        })
    }
}

fn unsigned<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Whole<'py>> {
    let array = copied::<u64, IxDyn>(value, "uint64", name)?;
    let numbers = array.as_slice().map_err(Failure::value)?.iter();
    let numbers = numbers.map(|&number| match i64::try_from(number) {
        Ok(number) => (number, None),
        Err(_) => (i64::MAX, Some(number.to_string())),
    });
    let numbers: Vec<_> = numbers.collect();
    Whole::of(&numbers, array.as_array().shape().to_vec(), value.py())
}

/// Objects that are all whole numbers; `None` where one is not.
fn of_objects<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Whole<'py>>> {
    let py = value.py();
    let made = py
        .import("numpy")?
        .call_method1("array", (value, "object"))
        .map_err(|error| Failure::Value(format!("{name} is {}; {error}", shown(value))))?;
    let shape: Vec<usize> = made.getattr("shape")?.extract()?;
    let mut numbers = Vec::new();
    for item in made
        .call_method0("ravel")?
        .call_method0("tolist")?
        .try_iter()?
    {
        let item = item?;
        numbers.push(match item.extract::<i64>() {
            Ok(number) if !item.is_instance_of::<PyBool>() => (number, None),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                let is_negative = item.lt(0).unwrap_or(false);
                let nearest = if is_negative { i64::MIN } else { i64::MAX };
                (nearest, Some(shown(&item)))
            }
            _ => return Ok(None),
        });
    }
    Whole::of(&numbers, shape, py).map(Some)
}
