//! Where those go who follow somebody out of reach.

use std::collections::HashMap;
use waypost::navigator::Navigator;
use waypost::prelude::Point;

/// Searches of a tick for the cell nearest to somebody out of reach. Who comes too late goes on as before and is looked after in the next tick.
const MAX_SEARCHES: u32 = 8;
/// Places that are kept from tick to tick: leaders move, and those of earlier are of no use.
const MAX_KNOWN: usize = 64;

/// The way to a place for one who goes as near as it can.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Near {
    /// There is a way.
    There,
    /// There is none: as far as here.
    Short(Point),
    /// Nobody has looked yet.
    Later,
}

/// The cells nearest to places, on the map as it is.
#[derive(Default)]
pub(crate) struct NearestCells {
    /// The changes of the map that they are of.
    changes: u32,
    searches_left: u32,
    /// By squad, part of the map and place. Never iterated over, so that hashing decides nothing.
    known: HashMap<(u32, u32, Point), Point>,
}

impl NearestCells {
    /// A tick begins.
    pub fn begin(&mut self) {
        self.searches_left = MAX_SEARCHES;
        if self.known.len() > MAX_KNOWN {
            self.known.clear();
        }
    }

    /// Forgets what is of the map as it was before changes.
    pub fn keep_up(&mut self, changes: u32) {
        if self.changes != changes {
            self.known.clear();
            self.changes = changes;
        }
    }

    /// The way to a place for a walker of a squad, from where it stands.
    pub fn find(&mut self, nav: &Navigator, (squad, from): (u32, Point), to: Point) -> Near {
        let map = nav.world().map();
        let part_of = |at| {
            let cell = map.passable_cell(at);
            cell.and_then(|cell| map.components().of(cell))
        };
        let Some((part, cell)) = part_of(from).zip(map.passable_cell(from)) else {
            // It stands in a wall.
            return Near::Short(to);
        };
        if part_of(to) == Some(part) {
            return Near::There;
        }
        let key = (squad, part, to);
        if let Some(&nearest) = self.known.get(&key) {
            return Near::Short(nearest);
        }
        if self.searches_left == 0 {
            return Near::Later;
        }
        self.searches_left -= 1;
        let nearest = map.nearest_reachable(cell, to);
        let nearest = nearest.map_or(to, |cell| map.grid().point(cell));
        self.known.insert(key, nearest);
        Near::Short(nearest)
    }
}
