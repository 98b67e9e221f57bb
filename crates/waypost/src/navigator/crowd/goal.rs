//! Where units are sent: goals of one cell, of several, and other units.

use super::UnitId;
use crate::grid::Point;
use crate::map::Map;
use crate::stream::{Reader, Writer};

/// How far around the nearest cell of an area a unit looks for a free one.
const MAX_SEARCH: u32 = 16;

/// Where a unit is sent.
///
/// A goal of several cells is reached as soon as the unit stands on one of them, at once where it does already. The unit heads for the
/// one that is nearest of those that it can reach, and for another one when a patch cuts that off; the goal is unreachable
/// where no cell of it can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A cell.
    Cell(Point),
    /// Any cell of a rectangle, by its top left point, columns and rows (at least one of each).
    Area(Point, (u32, u32)),
    /// Any cell at most this many columns and this many rows from a point.
    Within(Point, u32),
    /// Wherever another unit of the crowd is.
    Unit(UnitId),
}

impl<P: Into<Point>> From<P> for Goal {
    fn from(point: P) -> Goal {
        Goal::Cell(point.into())
    }
}

impl From<UnitId> for Goal {
    fn from(unit: UnitId) -> Goal {
        Goal::Unit(unit)
    }
}

impl Goal {
    /// The rectangle of cells that it is, by its first and its last point; `None` of a goal that is a unit.
    fn cells(self) -> Option<(Point, Point)> {
        match self {
            Goal::Unit(_) => None,
            Goal::Cell(point) => Some((point, point)),
            Goal::Area(first, (width, height)) => {
                let end = |first: u32, length: u32| first.saturating_add(length.max(1) - 1);
                let (x, y) = (end(first.x, width), end(first.y, height));
                Some((first, Point { x, y }))
            }
            Goal::Within(Point { x, y }, cells) => {
                let [first, last] = [
                    (x.saturating_sub(cells), y.saturating_sub(cells)),
                    (x.saturating_add(cells), y.saturating_add(cells)),
                ];
                Some((first.into(), last.into()))
            }
        }
    }

    /// Whether it is several cells.
    pub(super) fn has_choice(self) -> bool {
        self.cells().is_some_and(|(first, last)| first != last)
    }

    /// Whether it is reached at a place.
    pub(super) fn contains(self, at: Point) -> bool {
        let inside = |(first, last)| clamp(at, first, last) == at;
        self.cells().is_some_and(inside)
    }

    /// The cell to head for from a place, and whether it can be reached, where there is a choice; `None` where all of the goal is
    /// outside the map.
    pub(super) fn target(self, map: &Map, at: Point) -> Option<(Point, bool)> {
        let (first, last) = self.cells()?;
        let grid = map.grid();
        let corner = Point {
            x: grid.width() - 1,
            y: grid.height() - 1,
        };
        if first.x > corner.x || first.y > corner.y {
            return None;
        }
        if first == last {
            return Some((first, true));
        }
        let last = clamp(last, first, corner);
        if self.contains(at) {
            return Some((at, true));
        }
        let wish = clamp(at, first, last);
        let from = map.passable_cell(at);
        let nearest = from.and_then(|from| map.nearest_reachable_in(from, wish, (first, last)));
        Some(match nearest {
            Some(cell) => (grid.point(cell), true),
            None => (wish, false),
        })
    }

    /// A cell of it that nobody holds and that can be reached from a place, not far from the one that is nearest to it.
    pub(super) fn free_cell(
        self,
        map: &Map,
        at: Point,
        is_held: impl Fn(Point) -> bool,
    ) -> Option<Point> {
        let (first, last) = self.cells()?;
        let from = map.passable_cell(at)?;
        let near = clamp(at, first, last);
        let is_free = |&place: &Point| {
            let cell = map.passable_cell(place);
            cell.is_some_and(|cell| map.components().connected(from, cell)) && !is_held(place)
        };
        (0..=MAX_SEARCH).find_map(|away| {
            let span = |at: u32, first: u32, last: u32| {
                at.saturating_sub(away).max(first)..=at.saturating_add(away).min(last)
            };
            let rows = span(near.y, first.y, last.y);
            let ring =
                rows.flat_map(|y| span(near.x, first.x, last.x).map(move |x| Point { x, y }));
            let mut ring = ring.filter(|place| {
                let (dx, dy) = place.distances(near);
                dx.max(dy) == away
            });
            ring.find(is_free)
        })
    }

    /// Writes down a goal, or that there is none.
    pub(super) fn save(goal: Option<Goal>, out: &mut Writer) {
        match goal {
            None => out.u8(0),
            Some(Goal::Cell(point)) => {
                out.u8(1);
                save_point(out, point);
            }
            Some(Goal::Area(corner, (width, height))) => {
                out.u8(2);
                save_point(out, corner);
                out.u32(width);
                out.u32(height);
            }
            Some(Goal::Within(point, cells)) => {
                out.u8(3);
                save_point(out, point);
                out.u32(cells);
            }
            Some(Goal::Unit(unit)) => {
                out.u8(4);
                out.u64(unit.to_bits());
            }
        }
    }

    /// What [`Goal::save`] wrote; `None` where it is none of it.
    pub(super) fn load(from: &mut Reader) -> Option<Option<Goal>> {
        Some(match from.u8()? {
            0 => None,
            1 => Some(Goal::Cell(load_point(from)?)),
            2 => Some(Goal::Area(load_point(from)?, (from.u32()?, from.u32()?))),
            3 => Some(Goal::Within(load_point(from)?, from.u32()?)),
            4 => Some(Goal::Unit(UnitId::from_bits(from.u64()?))),
            _ => return None,
        })
    }
}

/// The point of a rectangle nearest to a place.
fn clamp(at: Point, first: Point, last: Point) -> Point {
    Point {
        x: at.x.clamp(first.x, last.x),
        y: at.y.clamp(first.y, last.y),
    }
}

pub(super) fn save_point(out: &mut Writer, point: Point) {
    out.u32(point.x);
    out.u32(point.y);
}

pub(super) fn load_point(from: &mut Reader) -> Option<Point> {
    Some(Point {
        x: from.u32()?,
        y: from.u32()?,
    })
}
