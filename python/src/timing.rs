//! What the same work takes from Rust, in the same process: `benches/speed.py` compares.

use crate::arrays::{Pair, Points};
use crate::crowd::Crowd;
use crate::errors::Outcome;
use crate::navigator::Navigator;
use crate::requests::alone;
use pyo3::prelude::*;
use std::time::Instant;
use waypost::Point;

/// Seconds of `Navigator::paths` for the same queries, given as a Rust program has them.
#[pyfunction]
pub fn rust_paths_seconds(
    nav: &Bound<'_, Navigator>,
    starts: &Bound<'_, PyAny>,
    goals: &Bound<'_, PyAny>,
) -> PyResult<f64> {
    let (starts, goals) = (
        Points::read(starts, "starts")?,
        Points::read(goals, "goals")?,
    );
    let point = |&[x, y]: &Pair| Point {
        x: x as u32,
        y: y as u32,
    };
    let ends = starts.pairs()?.iter().zip(goals.pairs()?);
    let ends: Vec<_> = ends.map(|(a, b)| (point(a), point(b))).collect();
    let world = &nav.get().nav;
    Ok(nav.py().detach(|| {
        let begun = Instant::now();
        let batch = world.paths(&ends);
        let seconds = begun.elapsed().as_secs_f64();
        std::hint::black_box(batch);
        seconds
    }))
}

/// Seconds of a tick of `navigator::Crowd`.
#[pyfunction]
pub fn rust_tick_seconds(py: Python<'_>, crowd: &Bound<'_, Crowd>) -> PyResult<f64> {
    let crowd = crowd.get();
    Ok(py.detach(|| -> Outcome<f64> {
        let mut inner = alone(&crowd.inner, "crowd")?;
        let begun = Instant::now();
        std::hint::black_box(inner.crowd.tick());
        Ok(begun.elapsed().as_secs_f64())
    })?)
}
