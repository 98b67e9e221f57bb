//! Why there is no path, told at once.

use super::{Error, Navigator, standing, unreachable};
use crate::grid::{Cell, Point};
use crate::map::Map;
use crate::search::jps::Run;

/// Why there is no path. Unlike an [`Error`] it names no cell that would do instead, which is looked for on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPath {
    /// A point outside the map.
    Outside(Point),
    /// A point that cannot be stood on.
    Wall(Point),
    /// There is no way from the one to the other.
    Unreachable(Point, Point),
}

impl NoPath {
    /// The cells at two points that can be stood on.
    pub(super) fn ends(map: &Map, from: Point, goal: Point) -> Result<(Cell, Cell), NoPath> {
        let cell = |point: Point| match map.grid().cell(point) {
            Some(cell) if map.grid().is_passable(cell) => Ok(cell),
            Some(_) => Err(NoPath::Wall(point)),
            None => Err(NoPath::Outside(point)),
        };
        Ok((cell(from)?, cell(goal)?))
    }

    /// The same with what would do instead.
    pub(super) fn explained(self, map: &Map) -> Error {
        let (from, goal) = match self {
            NoPath::Outside(point) | NoPath::Wall(point) => (point, point),
            NoPath::Unreachable(from, goal) => (from, goal),
        };
        match standing(map, from) {
            Ok(cell) => unreachable(map, cell, from, goal),
            Err(error) => error,
        }
    }
}

impl Navigator {
    /// [`Navigator::path_runs`] for those who ask often for paths that are not there: a refusal costs no more than the look at
    /// both ends.
    ///
    /// ```
    /// use waypost::navigator::NoPath;
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20)?)?;
    /// let wall = nav.try_path_runs((3, 4), (20, 7), |_| {});
    /// assert_eq!(wall, Err(NoPath::Wall((20, 7).into())));
    /// let beyond = nav.try_path_runs((3, 4), (35, 28), |_| {});
    /// assert_eq!(beyond, Err(NoPath::Unreachable((3, 4).into(), (35, 28).into())));
    /// # Ok(())
    /// # }
    /// ```
    pub fn try_path_runs(
        &self,
        from: impl Into<Point>,
        goal: impl Into<Point>,
        visit: impl FnMut(Run),
    ) -> Result<f64, NoPath> {
        self.runs_or(from.into(), goal.into(), visit, |why, _| why)
    }

    /// [`Navigator::distance`] in the manner of [`Navigator::try_path_runs`].
    pub fn try_distance(
        &self,
        from: impl Into<Point>,
        goal: impl Into<Point>,
    ) -> Result<f64, NoPath> {
        self.length_or(from.into(), goal.into(), |_| {}, |why, _| why)
    }
}
