//! Unit types as keywords.

use crate::errors::Failure;
use crate::terrain::footings;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use waypost::navigator::UnitType;

/// A unit type of a size, with what it makes of kinds of ground.
pub fn unit_type(name: &str, size: u32, terrain: Option<&Bound<'_, PyAny>>) -> PyResult<UnitType> {
    let terrain = footings(terrain, "terrain")?;
    Ok(UnitType::new(name).size(size).terrain(terrain))
}

/// Several, as `{"tank": {"size": 2, "terrain": {"S": 3.0}}}`.
pub fn unit_types(given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<UnitType>> {
    let mut units = Vec::new();
    for (name, keywords) in given.into_iter().flat_map(|given| given.iter()) {
        let name: String = name.extract()?;
        let keywords = keywords.cast_into::<PyDict>().map_err(|_| {
            Failure::Type(format!(
                "units[{name:?}] must be a dict such as {{\"size\": 2}}"
            ))
        })?;
        let (mut size, mut terrain) = (1, None);
        for (key, value) in keywords.iter() {
            match &*key.extract::<String>()? {
                "size" => size = value.extract()?,
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
