//! Unit types as keywords.

use crate::errors::Failure;
use crate::numbers;
use crate::terrain::footings;
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use waypost::navigator::UnitType;

/// A unit type of a size, with what it makes of kinds of ground.
pub fn unit_type(name: &str, size: u32, terrain: Option<&Bound<'_, PyAny>>) -> PyResult<UnitType> {
    let terrain = footings(terrain, "terrain")?;
    Ok(UnitType::new(name).size(size).terrain(terrain))
}

/// Several, as `{"tank": {"size": 2, "terrain": {"S": 3.0}}}`.
pub fn unit_types(given: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<UnitType>> {
    let mut units = Vec::new();
    let Some(given) = given else {
        return Ok(units);
    };
    for pair in given.items()?.iter() {
        let (name, keywords) = pair.extract::<(String, Bound<'_, PyAny>)>()?;
        let keywords = keywords.cast_into::<PyMapping>().map_err(|_| {
            Failure::Type(format!(
                "units[{name:?}] must be a dict such as {{\"size\": 2}}"
            ))
        })?;
        let (mut size, mut terrain) = (1, None);
        for pair in keywords.items()?.iter() {
            let (key, value) = pair.extract::<(String, Bound<'_, PyAny>)>()?;
            match &*key {
                "size" => size = numbers::named(&value, &format!("units[{name:?}][\"size\"]"))?,
                "terrain" => terrain = Some(value),
                other => {
                    let text = format!(
                        "units[{name:?}] has the key {other:?}; give \"size\" and \"terrain\""
                    );
                    return Err(Failure::Value(text).into());
                }
            }
        }
        units.push(unit_type(&name, size, terrain.as_ref())?);
    }
    Ok(units)
}
