//! Maps between processes: what `pickle` and Dask send.

use crate::errors::Failure;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use waypost::formats::{Door, Level};
use waypost::grid::Grid;
use waypost::terrain::{Class, Classes, Factor, Footing};
use waypost::{MoveRules, Point};

/// What a pickled map consists of: size, bits of passable cells, doors as runs of numbers, kinds of ground, their cells, rules, unit
/// size, name.
pub type Packed = (
    (u32, u32),
    Py<PyBytes>,
    Vec<(u32, u32)>,
    Option<(Vec<(String, u32)>, Py<PyBytes>)>,
    (String, String, u32),
    u32,
    Option<String>,
);

/// What a map is made of: its level, its rules, the size of its unit, its name.
pub type Parts = (Level, MoveRules, u32, Option<String>);

/// Takes a map apart.
pub fn pack(py: Python<'_>, parts: (&Level, MoveRules, u32, Option<&String>)) -> Packed {
    let (level, rules, size, name) = parts;
    let grid = &level.grid;
    let (width, height) = (grid.width(), grid.height());
    let mut bits = vec![0u8; (u64::from(width) * u64::from(height)).div_ceil(8) as usize];
    for cell in grid.cells() {
        let Point { x, y } = grid.point(cell);
        let at = u64::from(y) * u64::from(width) + u64::from(x);
        bits[(at / 8) as usize] |= 1 << (at % 8);
    }
    let doors = level.doors.iter().map(|door| (door.at.x, door.at.y));
    let ground = level.classes.as_ref().map(|classes| {
        let kinds = classes.kinds().iter().map(|class| match class.footing {
            Footing::Factor(factor) => (class.name.clone(), factor.hundredths()),
            Footing::Wall => (class.name.clone(), 0),
        });
        let points = (0..height).flat_map(|y| (0..width).map(move |x| Point { x, y }));
        let cells: Vec<u8> = points.map(|p| classes.at(p)).collect();
        (kinds.collect(), PyBytes::new(py, &cells).unbind())
    });
    let corners = match rules.has_diagonals() {
        true => rules.corners.name(),
        false => "never",
    };
    let rules = (
        corners.to_string(),
        rules.costs.name().to_string(),
        rules.ways(),
    );
    let bits = PyBytes::new(py, &bits).unbind();
    (
        (width, height),
        bits,
        doors.collect(),
        ground,
        rules,
        size,
        name.cloned(),
    )
}

/// Puts it together again.
pub fn unpack(py: Python<'_>, packed: &Packed) -> PyResult<Parts> {
    let ((width, height), bits, doors, ground, rules, size, name) = packed;
    let (width, height) = (*width, *height);
    let bits = bits.as_bytes(py);
    let cells = u64::from(width) * u64::from(height);
    if bits.len() as u64 != cells.div_ceil(8) {
        let text = "the bytes of a pickled map are too few or too many";
        return Err(Failure::Value(text.to_string()).into());
    }
    let is_passable = |p: Point| {
        let at = u64::from(p.y) * u64::from(width) + u64::from(p.x);
        bits[(at / 8) as usize] >> (at % 8) & 1 != 0
    };
    let grid = Grid::from_fn(width, height, is_passable).map_err(Failure::value)?;
    let mut level = Level::plain(grid);
    for &(x, y) in doors {
        let at = Point { x, y };
        let is_open = level.grid.passable_cell(at).is_some();
        level.doors.push(Door { at, is_open });
    }
    if let Some((kinds, cells)) = ground {
        let kinds = kinds.iter().map(|(name, hundredths)| Class {
            name: name.clone(),
            footing: Factor::from_hundredths(*hundredths).map_or(Footing::Wall, Footing::Factor),
        });
        let cells = cells.as_bytes(py).to_vec();
        let classes = Classes::new(width, height, kinds.collect(), cells);
        level.classes = Some(classes.map_err(Failure::value)?);
    }
    let costs = PyString::new(py, &rules.1).into_any();
    let rules = crate::reading::rules(&rules.0, &costs, rules.2)?;
    Ok((level, rules, *size, name.clone()))
}
