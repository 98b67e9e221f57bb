//! Terrain that comes in: arrays of factors or of classes, and what classes cost.

use crate::arrays::{copied, kind, shown};
use crate::errors::Failure;
use numpy::{Ix2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use std::collections::BTreeMap;
use waypost::terrain::{Class, Classes, Factor, Footing, Footings, LETTERS};

/// What classes cost: a dict of numbers, with `None` or `"#"` for walls. Keys may be texts or numbers.
pub fn footings(given: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Footings> {
    let mut all = Footings::new();
    let Some(given) = given.filter(|given| !given.is_none()) else {
        return Ok(all);
    };
    if let Ok(text) = given.extract::<String>() {
        return Ok(Footings::parse(&text).map_err(Failure::value)?);
    }
    let given = given.cast::<PyMapping>().map_err(|_| {
        Failure::Type(format!(
            "{name} is {}; give a dict such as {{\"S\": 2.0, \"T\": None}} (None is a wall)",
            shown(given)
        ))
    })?;
    for pair in given.items()?.iter() {
        let (class, value) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        all.set(
            &class.str()?.to_string_lossy(),
            footing(&class, &value, name)?,
        );
    }
    Ok(all)
}

fn footing(class: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, name: &str) -> PyResult<Footing> {
    if value.is_none() || value.extract::<&str>().is_ok_and(|text| text == "#") {
        return Ok(Footing::Wall);
    }
    let number = value.extract::<f64>().ok();
    let factor = number.and_then(Factor::from_number).ok_or_else(|| {
        Failure::Value(format!(
            "{name}[{}] is {}; give a factor from 0.1 to 100 with at most two decimals, or None for a wall",
            shown(class),
            shown(value)
        ))
    })?;
    Ok(Footing::Factor(factor))
}

/// The classes of all cells from an array of factors (floats) or of classes (whole numbers or texts).
pub fn classes(
    terrain: &Bound<'_, PyAny>,
    factors: &Footings,
    (height, width): (usize, usize),
) -> PyResult<Classes> {
    let (kind, dtype, _) = kind(terrain, "terrain")?;
    let (kinds, cells, shape) = match kind {
        'f' => of_factors(terrain, factors)?,
        'i' | 'u' => of_numbers(terrain, factors)?,
        'U' | 'S' => of_letters(terrain, factors)?,
        _ => {
            return Err(Failure::Type(format!(
                "terrain has elements of type {dtype}; give factors as floats, or classes as whole numbers or texts with factors={{class: factor}}"
            ))
            .into());
        }
    };
    if shape != [height, width] {
        let swapped = match shape == [width, height] {
            true => ": arrays are [row, column]; use terrain.T",
            false => "",
        };
        return Err(Failure::Value(format!(
            "terrain has the shape ({}, {}), the mask ({height}, {width}){swapped}",
            shape[0], shape[1]
        ))
        .into());
    }
    let classes =
        Classes::new(width as u32, height as u32, kinds, cells).map_err(Failure::value)?;
    let known = may_be_absent(&classes, factors);
    Ok(classes.with(factors, &known).map_err(Failure::value)?)
}

/// The names of a table that this level need not have: one table may serve many levels. Letters of `.map` files always; others where the table
/// names every class of the level but the plain one, so that none of them is a slip of the pen.
fn may_be_absent<'a>(classes: &Classes, factors: &'a Footings) -> Vec<&'a str> {
    let is_named = |class: &Class| factors.iter().any(|(name, _)| name == class.name);
    let are_all_named = classes.kinds().iter().skip(1).all(is_named);
    let names = factors.iter().map(|(name, _)| name);
    names
        .filter(|name| are_all_named || LETTERS.contains(name))
        .collect()
}

type Read = (Vec<Class>, Vec<u8>, [usize; 2]);

/// Numbers classes as they come, the plain one first.
struct Numbered {
    kinds: Vec<Class>,
    known: BTreeMap<String, u8>,
}

impl Numbered {
    fn new(plain: &str) -> Numbered {
        let mut all = Numbered {
            kinds: Vec::new(),
            known: BTreeMap::new(),
        };
        all.add(plain, Footing::Factor(Factor::ONE));
        all
    }

    /// The number of a class; 255 where there are too many, which `Classes::new` refuses.
    fn add(&mut self, name: &str, footing: Footing) -> u8 {
        if let Some(&number) = self.known.get(name) {
            return number;
        }
        let number = u8::try_from(self.kinds.len()).unwrap_or(u8::MAX);
        self.known.insert(name.to_string(), number);
        self.kinds.push(Class {
            name: name.to_string(),
            footing,
        });
        number
    }
}

fn of_factors(terrain: &Bound<'_, PyAny>, factors: &Footings) -> PyResult<Read> {
    if !factors.is_empty() {
        return Err(Failure::Value(
            "terrain holds factors (floats), so factors= has nothing to name; leave it out, or give classes".to_string(),
        )
        .into());
    }
    let array = copied::<f64, Ix2>(terrain, "float64", "terrain")?;
    let shape = [array.shape()[0], array.shape()[1]];
    let mut all = Numbered::new("1");
    let mut cells = Vec::with_capacity(array.len());
    for ((row, column), &number) in array.as_array().indexed_iter() {
        let Some(factor) = Factor::nearest(number) else {
            return Err(Failure::Value(format!(
                "terrain[{row}, {column}] is {number}; factors go from 0.1 to 100, and walls are False in the mask"
            ))
            .into());
        };
        cells.push(all.add(&factor.to_string(), Footing::Factor(factor)));
    }
    Ok((all.kinds, cells, shape))
}

fn needs_factors() -> PyErr {
    Failure::Value(
        "terrain holds classes; say what they cost with factors={class: factor}, or give the factors themselves as floats".to_string(),
    )
    .into()
}

fn of_numbers(terrain: &Bound<'_, PyAny>, factors: &Footings) -> PyResult<Read> {
    if factors.is_empty() {
        return Err(needs_factors());
    }
    let array = copied::<i64, Ix2>(terrain, "int64", "terrain")?;
    let shape = [array.shape()[0], array.shape()[1]];
    let mut all = Numbered::new("0");
    let number = |&class: &i64| all.add(&class.to_string(), Footing::Factor(Factor::ONE));
    let cells = array.as_array().iter().map(number).collect();
    Ok((all.kinds, cells, shape))
}

fn of_letters(terrain: &Bound<'_, PyAny>, factors: &Footings) -> PyResult<Read> {
    if factors.is_empty() {
        return Err(needs_factors());
    }
    let numpy = terrain.py().import("numpy")?;
    let copy = numpy.call_method1("array", (terrain, "U"))?;
    let shape: Vec<usize> = copy.getattr("shape")?.extract()?;
    let [height, width] = shape[..] else {
        let text = format!("terrain has the shape {shape:?}; expected [row, column]");
        return Err(Failure::Value(text).into());
    };
    let mut all = Numbered::new(".");
    let names: Vec<String> = copy
        .call_method0("ravel")?
        .call_method0("tolist")?
        .extract()?;
    let number = |name: &String| all.add(name, Footing::Factor(Factor::ONE));
    let cells = names.iter().map(number).collect();
    Ok((all.kinds, cells, [height, width]))
}
