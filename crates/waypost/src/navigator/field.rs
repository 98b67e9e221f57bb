//! Fields: a value for every cell that says how far it is to the nearest of some places, or where to flee from them. One field
//! serves as many units as like to ask it.

use super::Navigator;
use crate::cost::{Cost, UNREACHED};
use crate::grid::{Cell, Direction, Point};
use crate::map::Map;
use crate::questions::Field;
use std::sync::Arc;

/// How far it is from every cell to the nearest of some places (a Dijkstra map), for one type of unit on the map as it was.
///
/// ```
/// use waypost::prelude::*;
/// # fn main() -> Result<(), Error> {
/// let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7)?)?;
/// let wells = nav.field([(3, 4), (35, 28)]);
/// assert_eq!(wells.value((3, 6)), Some(2.0));
/// assert_eq!(wells.next((3, 6)), Some((3, 5).into()));
/// assert_eq!(wells.within(1.0).count(), 10); // each well and its four neighbours
///
/// let wolf = nav.field([(10, 7)]).fleeing(); // also round corners and out of dead ends
/// let hiding_place = wolf.walk((12, 8), 40);
/// assert!(nav.distance((10, 7), hiding_place)? > 25.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DistanceField {
    map: Arc<Map>,
    field: Field,
}

impl Navigator {
    /// How far it is from everywhere to the nearest of these places. Those that cannot be stood on are left out. Visits every cell once.
    #[doc(alias = "dijkstra_map")]
    pub fn field<P: Into<Point>>(&self, places: impl IntoIterator<Item = P>) -> DistanceField {
        self.weighted_field(places.into_iter().map(|place| (place, 0.0)))
    }

    /// The same with a length added at each place, 0 or more: one that costs 5 more is gone to where it is nearer by more than 5.
    pub fn weighted_field<P: Into<Point>>(
        &self,
        places: impl IntoIterator<Item = (P, f64)>,
    ) -> DistanceField {
        let map = self.map();
        let added = |length: f64| {
            let unit = f64::from(1 << 20) / map.approximate_length(1 << 20);
            (length.max(0.0) * unit).min(f64::from(UNREACHED - 1)) as Cost
        };
        let cells = places.into_iter().filter_map(|(place, length)| {
            let cell = map.passable_cell(place.into())?;
            Some((cell, added(length)))
        });
        let cells: Vec<(Cell, Cost)> = cells.collect();
        DistanceField {
            field: Field::towards(&map, &cells),
            map,
        }
    }
}

impl DistanceField {
    /// The field of those who flee what this one leads to: the farther, the lower, and smoothed, so that they pass by a pursuer to get out of
    /// a dead end. Its values compare; they are no lengths.
    pub fn fleeing(&self) -> DistanceField {
        DistanceField {
            field: self.field.fleeing(&self.map),
            map: self.map.clone(),
        }
    }

    /// The length of a shortest path to the nearest place, to a thousandth; on terrain what it costs. `None` where there is no way, on
    /// walls and outside.
    pub fn value(&self, at: impl Into<Point>) -> Option<f64> {
        self.value_of(self.map.passable_cell(at.into())?)
    }

    fn value_of(&self, cell: Cell) -> Option<f64> {
        let value = self.field.value(cell);
        (value != UNREACHED).then(|| self.map.approximate_length(value))
    }

    /// The neighbouring cell to go to; `None` at a place, in a hiding place and where there is no way.
    pub fn next(&self, at: impl Into<Point>) -> Option<Point> {
        let cell = self.map.passable_cell(at.into())?;
        let next = self.step(cell)?;
        Some(self.map.grid().point(next))
    }

    /// The direction of that step.
    pub fn heading(&self, at: impl Into<Point>) -> Option<Direction> {
        let cell = self.map.passable_cell(at.into())?;
        self.field.downhill(&self.map, cell)
    }

    fn step(&self, cell: Cell) -> Option<Cell> {
        let direction = self.field.downhill(&self.map, cell)?;
        Some(self.map.grid().neighbour(cell, direction))
    }

    /// Where one is after this many steps: a goal to send a unit to. The point itself where no step can be made.
    pub fn walk(&self, from: impl Into<Point>, steps: u32) -> Point {
        let from = from.into();
        let Some(mut cell) = self.map.passable_cell(from) else {
            return from;
        };
        for _ in 0..steps {
            match self.step(cell) {
                Some(next) => cell = next,
                None => break,
            }
        }
        self.map.grid().point(cell)
    }

    /// All cells whose value is at most this one, with their values, row by row.
    pub fn within(&self, value: f64) -> impl Iterator<Item = (Point, f64)> + '_ {
        let cells = self.map.grid().cells();
        cells.filter_map(move |cell| {
            let own = self.value_of(cell).filter(|&own| own <= value)?;
            Some((self.map.grid().point(cell), own))
        })
    }

    /// Whether the world is still as it was when the field was made, to units of its type.
    pub fn is_current(&self, nav: &Navigator) -> bool {
        self.field.state() == nav.live_map().fingerprint()
    }
}
