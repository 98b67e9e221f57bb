//! Arrays and points that come in: copied once, by numpy, into memory that nobody else knows; and arrays that go out, without a copy.

use crate::errors::{Failure, Outcome};
use crate::pool::on_threads;
use crate::whole::{Other, Whole};
use numpy::ndarray::Array2;
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use waypost::grid::MAX_SIDE;
use waypost::navigator::FoundPaths;
use waypost::{Map, Navigator, Point};

/// A pair of numbers that may be no point of a map.
pub type Pair = [i64; 2];

/// How a value looks in a message.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|repr| repr.to_string_lossy().into_owned());
    let text = text.unwrap_or_else(|_| "a value that cannot be shown".to_string());
    let line = text.lines().next().unwrap_or_default();
    match line.chars().count() > 60 || text.lines().count() > 1 {
        true => format!("{}...", line.chars().take(60).collect::<String>()),
        false => text,
    }
}

/// A point given as `(x, y)`: a tuple, a list or an array of two whole numbers.
pub fn pair(value: &Bound<'_, PyAny>, name: &str) -> Outcome<Pair> {
    if let Ok((x, y)) = value.extract::<(i64, i64)>() {
        return Ok([x, y]);
    }
    let refused = || {
        Failure::Type(format!(
            "{name} is {}; give a point as (x, y), two whole numbers",
            shown(value)
        ))
    };
    let items = value.try_iter().map_err(|_| refused())?;
    let items: Vec<Bound<'_, PyAny>> = items
        .take(3)
        .collect::<PyResult<_>>()
        .map_err(|_| refused())?;
    let [x, y] = &items[..] else {
        return Err(refused());
    };
    let number = |item: &Bound<'_, PyAny>| match item.extract::<i64>() {
        Ok(number) => Ok(Some(number)),
        Err(error) if error.is_instance_of::<PyOverflowError>(item.py()) => Ok(None),
        Err(_) => Err(refused()),
    };
    match (number(x)?, number(y)?) {
        (Some(x), Some(y)) => Ok([x, y]),
        _ => Err(Failure::Value(outside_every_map(
            name,
            &shown(x),
            &shown(y),
        ))),
    }
}

/// What is said of a point with numbers of more than 63 bits.
pub fn outside_every_map(name: &str, x: &str, y: &str) -> String {
    format!(
        "{name} (x={x}, y={y}) is outside the map: no map has more than {MAX_SIDE} cells on a side"
    )
}

/// The point of a pair, if it is inside a map; an error that explains where people mix up the order.
pub fn inside(map: &Map, [x, y]: Pair, name: &str) -> Outcome<Point> {
    let (width, height) = (map.grid().width(), map.grid().height());
    let fits = |value: i64, side: u32| (0..i64::from(side)).contains(&value);
    if fits(x, width) && fits(y, height) {
        return Ok(Point {
            x: x as u32,
            y: y as u32,
        });
    }
    let mut text = format!(
        "{name} (x={x}, y={y}) is outside the map of {width} x {height} cells: x goes from 0 to {}, y from 0 to {}",
        width - 1,
        height - 1
    );
    if fits(y, width) && fits(x, height) {
        text += &format!(
            "; ({y}, {x}) would be inside: points are (x, y), that is (column, row), while arrays are [row, column]"
        );
    }
    Err(Failure::Value(text))
}

/// The point of a pair, if a unit may stand there.
pub fn standing(nav: &Navigator, map: &Map, at: Pair, name: &str) -> Outcome<Point> {
    let point = inside(map, at, name)?;
    if map.passable_cell(point).is_some() {
        return Ok(point);
    }
    let Point { x, y } = point;
    let mut text = format!("{name} (x={x}, y={y}) is a wall");
    let unit = nav.unit_type();
    if unit.cells() > 1 || !unit.footings().is_empty() {
        text += &format!(" for the unit type `{}`", unit.name());
    }
    let swapped = Point { x: y, y: x };
    if map.passable_cell(swapped).is_some() && x != y {
        text += &format!("; ({y}, {x}) is free: points are (x, y), that is (column, row)");
    }
    let free = |p: Point| map.passable_cell(p).is_some();
    if let Some(near) = nearest(map, point, free) {
        text += &format!("; a free cell near it is ({}, {})", near.x, near.y);
    }
    Err(Failure::Value(text))
}

/// A cell near a point that is like this, looked for in growing squares: for a word of advice.
fn nearest(map: &Map, Point { x, y }: Point, is: impl Fn(Point) -> bool) -> Option<Point> {
    const REACH: u32 = 64;
    let (width, height) = (map.grid().width(), map.grid().height());
    (1..REACH).find_map(|away| {
        let (left, top) = (x.saturating_sub(away), y.saturating_sub(away));
        let (right, bottom) = ((x + away).min(width - 1), (y + away).min(height - 1));
        let rows = (left..=right).flat_map(|x| [Point { x, y: top }, Point { x, y: bottom }]);
        let columns = (top..=bottom).flat_map(|y| [Point { x: left, y }, Point { x: right, y }]);
        rows.chain(columns).find(|&p| is(p))
    })
}

/// What `numpy.array(value, dtype=..., order="C", copy=True)` gives: memory of our own, whatever other threads do to the value.
pub fn copied<'py, T: Element, D: numpy::ndarray::Dimension>(
    value: &Bound<'py, PyAny>,
    dtype: &str,
    name: &str,
) -> PyResult<PyReadonlyArray<'py, T, D>> {
    let keywords = PyDict::new(value.py());
    keywords.set_item("dtype", dtype)?;
    keywords.set_item("order", "C")?;
    keywords.set_item("copy", true)?;
    let numpy = value.py().import("numpy")?;
    let copy = numpy.call_method("array", (value,), Some(&keywords))?;
    let array = copy.cast_into::<PyArray<T, D>>().map_err(|error| {
        let shape = error.into_inner().getattr("shape").map(|s| shown(&s));
        Failure::Value(format!(
            "{name} has the shape {}; expected {} dimensions",
            shape.unwrap_or_default(),
            D::NDIM.unwrap_or_default()
        ))
    })?;
    Ok(array.readonly())
}

/// The kind of an array's elements as numpy names it (`b`, `i`, `u`, `f`, `U`...), how they are called, and how many elements
/// there are.
pub fn kind(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(char, String, usize)> {
    let numpy = value.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|error| {
        let text = format!("{name} is {}; {error}", shown(value));
        PyErr::from(Failure::Value(text))
    })?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    let size = array.getattr("size")?.extract()?;
    Ok((kind.chars().next().unwrap_or('O'), dtype.to_string(), size))
}

/// Points as an array of whole numbers `[n, 2]`, copied.
pub struct Points<'py> {
    rows: PyReadonlyArray<'py, i64, numpy::Ix2>,
    /// The first point that is outside every map, in words; its numbers in the rows are others.
    outside: Option<String>,
}

impl<'py> Points<'py> {
    /// Reads an array, a list of points, or one point.
    pub fn read(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Points<'py>> {
        let of = |rows: Bound<'py, PyArray2<i64>>, outside| Points {
            rows: rows.readonly(),
            outside,
        };
        if let Ok((x, y)) = value.extract::<(i64, i64)>() {
            let one = PyArray2::from_vec2(value.py(), &[vec![x, y]])
                .map_err(|error| Failure::State(error.to_string()))?;
            return Ok(of(one, None));
        }
        let whole = Whole::read(value, name)?.map_err(|Other { kind, dtype }| {
            let remedy = match kind {
                'b' => "; a mask's points are numpy.argwhere(mask)[:, ::-1]",
                'f' => "; round them and use .astype(int)",
                _ => "",
            };
            Failure::Type(format!(
                "{name} has elements of type {dtype}; give points (x, y) as whole numbers{remedy}"
            ))
        })?;
        if whole.array.len() == 0 {
            return Ok(of(PyArray2::zeros(value.py(), [0, 2], false), None));
        }
        let shape = whole.array.shape().to_vec();
        match shape[..] {
            [_, 2] => {}
            [2] => {}
            [2, n] => {
                return Err(Failure::Value(format!(
                    "{name} has the shape (2, {n}); give one row (x, y) a point: {name}.T has the shape ({n}, 2)"
                ))
                .into());
            }
            _ => {
                return Err(Failure::Value(format!(
                    "{name} has the shape {shape:?}; expected [n, 2], a row (x, y) for each point"
                ))
                .into());
            }
        }
        let outside = whole.first_beyond().map(|place| {
            let row = place / 2;
            let [x, y] = [0, 1].map(|column| whole.given(row * 2 + column));
            outside_every_map(&format!("{name}[{row}]"), &x, &y)
        });
        let rows = whole.array.len() / 2;
        Ok(of(whole.array.reshape([rows, 2])?, outside))
    }

    /// An optional list of points: none where it is `None`.
    pub fn read_if_given(value: Option<&Bound<'py, PyAny>>, name: &str) -> PyResult<Vec<Pair>> {
        match value {
            None => Ok(Vec::new()),
            Some(value) => Ok(Points::read(value, name)?.pairs()?.to_vec()),
        }
    }

    /// Row by row; refuses points that are outside every map.
    pub fn pairs(&self) -> Outcome<&[Pair]> {
        match &self.outside {
            None => self.any_pairs(),
            Some(text) => Err(Failure::Value(text.clone())),
        }
    }

    /// Row by row; those outside every map are outside this one.
    pub fn any_pairs(&self) -> Outcome<&[Pair]> {
        let flat = self.rows.as_slice();
        let flat = flat.map_err(|error| Failure::State(error.to_string()))?;
        Ok(flat.as_chunks::<2>().0)
    }
}

/// Points as rows of an array of 32-bit numbers, without a copy.
pub fn to_array<'py>(py: Python<'py>, points: Vec<Point>) -> PyResult<Bound<'py, PyArray2<i32>>> {
    let rows = points.len();
    let numbers: Vec<i32> = match bytemuck::allocation::try_cast_vec(points) {
        Ok(numbers) => numbers,
        Err((_, points)) => points
            .iter()
            .flat_map(|p| [p.x as i32, p.y as i32])
            .collect(),
    };
    let array = Array2::from_shape_vec([rows, 2], numbers);
    let array = array.map_err(|error| Failure::State(error.to_string()))?;
    Ok(PyArray2::from_owned_array(py, array))
}

/// The points of many paths, written by all cores into memory of numpy's, which asks the system for it in larger pages than others do.
pub fn points_of<'py>(py: Python<'py>, found: &FoundPaths) -> PyResult<Bound<'py, PyArray2<i32>>> {
    let array = PyArray2::<i32>::zeros(py, [found.points(), 2], false);
    {
        let mut places = array.readwrite();
        let places: &mut [Point] = bytemuck::cast_slice_mut(places.as_slice_mut()?);
        py.detach(|| on_threads(None, || found.write_points(places)))?;
    }
    Ok(array)
}

/// Numbers as an array, without a copy.
pub fn numbers<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    PyArray1::from_vec(py, values)
}
