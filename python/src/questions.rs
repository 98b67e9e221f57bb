//! Questions to a world and changes of it.

use crate::arrays::{Pair, Points, inside, standing};
use crate::errors::Outcome;
use crate::long::{Watcher, watched};
use crate::pool::on_threads;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use waypost::navigator::{FoundPaths, Path};
use waypost::progress::Progress;
use waypost::{Error, GridPatch, Map, Navigator, Point};

/// Asks a question about two points that can be stood on; no answer where there is no way.
pub fn between<T>(
    nav: &Navigator,
    start: Pair,
    goal: Pair,
    ask: impl FnOnce(Point, Point) -> Result<T, Error>,
) -> Outcome<Option<T>> {
    let (start, goal) = {
        let map = nav.world().map();
        (
            standing(nav, &map, start, "start")?,
            standing(nav, &map, goal, "goal")?,
        )
    };
    match ask(start, goal) {
        Ok(answer) => Ok(Some(answer)),
        Err(Error::Unreachable { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Refuses points that a unit cannot stand on.
pub fn all_standing(nav: &Navigator, points: &[Pair], name: &str) -> Outcome<()> {
    let map = nav.world().map();
    let bad = points.iter().position(|&[x, y]| {
        let point = u32::try_from(x).ok().zip(u32::try_from(y).ok());
        let cell = point.and_then(|(x, y)| map.passable_cell(Point { x, y }));
        cell.is_none()
    });
    match bad {
        None => Ok(()),
        Some(i) => standing(nav, &map, points[i], &format!("{name}[{i}]")).map(|_| ()),
    }
}

/// Paths that are found before anybody can have had enough.
const FEW_PATHS: usize = 1000;

/// Many paths at once, with the interpreter released; Ctrl-C stops many. Unless it is strict, ends that cannot be stood on have no
/// path.
pub fn batch(
    py: Python<'_>,
    nav: &Navigator,
    starts: &[Pair],
    goals: &[Pair],
    is_strict: bool,
) -> PyResult<FoundPaths> {
    let watcher = Watcher::default();
    let work = || found(nav, starts, goals, is_strict, &watcher);
    if starts.len() <= FEW_PATHS {
        return Ok(py.detach(|| on_threads(None, work))??);
    }
    let quiet = PyBool::new(py, false).to_owned();
    watched(py, &watcher, Some(quiet.as_any()), None, work)
}

fn found(
    nav: &Navigator,
    starts: &[Pair],
    goals: &[Pair],
    is_strict: bool,
    watcher: &Watcher,
) -> Outcome<FoundPaths> {
    if is_strict {
        all_standing(nav, starts, "starts")?;
        all_standing(nav, goals, "goals")?;
    }
    // What is no 32-bit number is outside every map.
    let number = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
    let place = |[x, y]: Pair| Point {
        x: number(x),
        y: number(y),
    };
    let nowhere = place([-1, -1]);
    let ends = |i: usize| match watcher.is_cancelled() {
        true => (nowhere, nowhere),
        false => (place(starts[i]), place(goals[i])),
    };
    let paths = nav.find_paths(starts.len(), ends);
    watcher.go_on()?;
    Ok(paths)
}

/// The number of the nearest goal, the fingerprint of the map and the path.
pub fn to_nearest(
    nav: &Navigator,
    start: Pair,
    goals: &[Pair],
) -> Outcome<Option<(usize, u64, Path)>> {
    let (start, goals, fingerprint) = {
        let map = nav.world().map();
        let goals = all_inside(&map, goals, "goals")?;
        (
            standing(nav, &map, start, "start")?,
            goals,
            map.fingerprint(),
        )
    };
    match nav.path_to_nearest(start, &goals) {
        Ok((number, path)) => Ok(Some((number, fingerprint, path))),
        Err(Error::NoGoal { .. } | Error::Unreachable { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The points of pairs that are all inside the map.
fn all_inside(map: &Map, pairs: &[Pair], name: &str) -> Outcome<Vec<Point>> {
    let place = |(i, &at): (usize, &Pair)| inside(map, at, &format!("{name}[{i}]"));
    pairs.iter().enumerate().map(place).collect()
}

/// Makes cells walls or free, with the interpreter released; says how many changed.
pub fn change(
    py: Python<'_>,
    nav: &Navigator,
    block: Option<&Bound<'_, PyAny>>,
    open: Option<&Bound<'_, PyAny>>,
) -> PyResult<usize> {
    let block = Points::read_if_given(block, "block")?;
    let open = Points::read_if_given(open, "open")?;
    Ok(py.detach(|| -> Outcome<usize> {
        let patch = patch_of(nav, &block, &open)?;
        Ok(nav.patch(&patch))
    })?)
}

/// A patch of points inside the map. A cell in both becomes a wall.
fn patch_of(nav: &Navigator, block: &[Pair], open: &[Pair]) -> Outcome<GridPatch> {
    let map = nav.world().map();
    let mut patch = GridPatch::new();
    for point in all_inside(&map, open, "open")? {
        patch.set(point, true);
    }
    for point in all_inside(&map, block, "block")? {
        patch.set(point, false);
    }
    Ok(patch)
}

/// Opens and closes doors.
pub fn set_doors(nav: &Navigator, open: &[Pair], close: &[Pair]) -> Outcome<usize> {
    let (open, close) = {
        let map = nav.world().map();
        (
            all_inside(&map, open, "open")?,
            all_inside(&map, close, "close")?,
        )
    };
    Ok(nav.set_doors(open, close)?)
}
