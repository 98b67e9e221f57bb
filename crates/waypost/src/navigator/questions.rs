//! What games ask beside paths: the nearest of several goals, lines of sight, straight lines.

use super::{Error, Navigator, Path, standing};
use crate::grid::{Cell, Point};
use crate::questions;

/// A path of straight lines at any angle.
#[derive(Clone, Debug, PartialEq)]
pub struct SmoothPath {
    /// Start, turns, goal.
    pub waypoints: Vec<Point>,
    /// How long it is; on terrain what it costs. Never more than the path that it was made of.
    pub length: f64,
}

impl Navigator {
    /// The goal that costs least to reach: its number and a shortest path to it; the first of equals. Goals that cannot be
    /// stood on are passed over.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
    /// let wells = [(35, 28), (3, 20), (20, 0)].map(Point::from);
    /// let (nearest, path) = nav.path_to_nearest((3, 4), &wells)?;
    /// assert_eq!((nearest, path.steps()), (1, 16));
    /// # Ok(())
    /// # }
    /// ```
    pub fn path_to_nearest(
        &self,
        from: impl Into<Point>,
        goals: &[Point],
    ) -> Result<(usize, Path), Error> {
        let from = from.into();
        let nearest = {
            let map = self.live_map();
            let start = standing(&map, from)?;
            let cells: Vec<Cell> = goals.iter().filter_map(|&g| map.passable_cell(g)).collect();
            let mut scratch = self.borrow_scratch();
            let nearest = questions::nearest_goal(&map, &mut scratch, start, &cells);
            self.give_back(scratch);
            nearest.map(|(cell, _)| map.grid().point(cell))
        };
        let number = nearest.and_then(|point| goals.iter().position(|&goal| goal == point));
        let number = number.ok_or(Error::NoGoal {
            from,
            goals: goals.len(),
        })?;
        Ok((number, self.path(from, goals[number])?))
    }

    /// Whether a straight line between two points touches no wall, for the whole of the unit. A point outside or in a wall sees
    /// nothing.
    pub fn sees(&self, from: impl Into<Point>, to: impl Into<Point>) -> bool {
        let map = self.live_map();
        let ends = map
            .passable_cell(from.into())
            .zip(map.passable_cell(to.into()));
        ends.is_some_and(|(from, to)| questions::sees(&map, from, to))
    }

    /// A path straightened where the lines are free for the unit and cross one kind of ground: fewer turns, never longer. An
    /// error where the path is not free any more.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
    /// let path = nav.path((3, 4), (19, 7))?;
    /// let smooth = nav.smooth(&path)?;
    /// assert_eq!(smooth.waypoints.len(), 2);
    /// assert!(smooth.length < path.length());
    /// # Ok(())
    /// # }
    /// ```
    pub fn smooth(&self, path: &Path) -> Result<SmoothPath, Error> {
        let map = self.live_map();
        let cells: Result<Vec<Cell>, Error> =
            path.points().iter().map(|&p| standing(&map, p)).collect();
        let smoothed = questions::smooth(&map, &cells?);
        let points = smoothed.waypoints.iter();
        Ok(SmoothPath {
            waypoints: points.map(|&cell| map.grid().point(cell)).collect(),
            length: smoothed.length,
        })
    }
}
