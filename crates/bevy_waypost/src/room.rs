//! Room for walkers whose own cell is taken: around it, as near as can be, by searches that go on from walker to walker and from tick to
//! tick.

use crate::nearest_free::FreeSearch;
use std::collections::{HashMap, HashSet, VecDeque};
use waypost::Map;
use waypost::prelude::Point;

/// Cells of a tick that are looked at for walkers whose own cell is taken.
const MAX_CELLS: u32 = 2_048;
/// Words of the map, of 64 cells each, that a tick looks at for walkers that come inside a wall.
const MAX_WORDS: u32 = 65_536;
/// Nearest free cells that are kept at the same time.
const MAX_KNOWN: usize = 4_096;

/// Searches that are kept at the same time.
const MAX_ROOMS: usize = 16;

/// What a tick may still look at for walkers whose own cell is taken.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub cells: u32,
    pub words: u32,
}

impl Effort {
    pub fn of_a_tick() -> Effort {
        Effort {
            cells: MAX_CELLS,
            words: MAX_WORDS,
        }
    }
}

/// Searches for room, one for each cell that was asked for.
#[derive(Default)]
pub(crate) struct Rooms {
    searches: VecDeque<Search>,
    /// Cells inside walls, and the free cells nearest to them. Never iterated over, so that hashing decides nothing.
    nearest: HashMap<Point, Option<Point>>,
    /// The search for one that is not known yet.
    pending: Option<FreeSearch>,
    /// The changes of the map that they know.
    changes: u32,
}

/// The cells around one, nearest first, as far as they have been looked at.
struct Search {
    middle: Point,
    front: VecDeque<Point>,
    /// Never iterated over, so that hashing decides nothing.
    seen: HashSet<Point>,
}

/// A search that may look at so many cells.
pub(crate) struct Around<'a> {
    search: &'a mut Search,
    tries: &'a mut u32,
}

impl Rooms {
    /// A tick begins. Searches that have seen all cells begin again: somebody may have left. On a map that has changed all do.
    pub fn begin(&mut self, changes: u32) {
        let is_same = self.changes == changes;
        let goes_on = |search: &Search| is_same && !search.front.is_empty();
        self.searches.retain(goes_on);
        if !is_same || self.nearest.len() > MAX_KNOWN {
            self.nearest.clear();
        }
        self.changes = changes;
    }

    /// The free cell nearest to one, searched for once for all who ask on the map as it is. `None` where there is none, or where it takes longer
    /// than this tick: then the search goes on in the next one, whoever asks.
    pub fn nearest_free(&mut self, map: &Map, wish: Point, words: &mut u32) -> Option<Point> {
        let wish = FreeSearch::cut(map, wish);
        loop {
            if let Some(known) = self.nearest.get(&wish) {
                return *known;
            }
            let search = self.pending.get_or_insert_with(|| FreeSearch::around(wish));
            let found = search.go_on(map, words)?;
            self.nearest.insert(search.middle(), found);
            self.pending = None;
        }
    }

    /// The search around a cell, new or where it was left.
    pub fn around<'a>(&'a mut self, middle: Point, tries: &'a mut u32) -> Around<'a> {
        let known = self.searches.iter().position(|s| s.middle == middle);
        let place = known.unwrap_or_else(|| {
            if self.searches.len() == MAX_ROOMS {
                self.searches.pop_front();
            }
            self.searches.push_back(Search {
                middle,
                front: VecDeque::from([middle]),
                seen: HashSet::from([middle]),
            });
            self.searches.len() - 1
        });
        Around {
            search: &mut self.searches[place],
            tries,
        }
    }
}

impl Around<'_> {
    /// The first cell that has room, along free cells side by side, so that there is a way from it to the middle.
    pub fn find<T>(
        self,
        is_free: impl Fn(Point) -> bool,
        mut has_room: impl FnMut(Point) -> Option<T>,
    ) -> Option<(T, Point)> {
        while *self.tries > 0 {
            let at = self.search.front.pop_front()?;
            *self.tries -= 1;
            for next in beside(at) {
                if is_free(next) && self.search.seen.insert(next) {
                    self.search.front.push_back(next);
                }
            }
            if let Some(found) = has_room(at) {
                return Some((found, at));
            }
        }
        None
    }
}

/// The cells beside one; beyond the first column and row there are none.
fn beside(at: Point) -> impl Iterator<Item = Point> {
    let steps = [(0, -1), (-1, 0), (1, 0), (0, 1)];
    steps.into_iter().filter_map(move |(dx, dy)| {
        Some(Point {
            x: at.x.checked_add_signed(dx)?,
            y: at.y.checked_add_signed(dy)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: u32, y: u32) -> Point {
        Point { x, y }
    }

    #[test]
    fn searches_go_on_where_they_were_left() {
        let is_free = |p: Point| p.x < 3 && p.y < 3;
        let (mut rooms, mut tries) = (Rooms::default(), 100);
        let mut taken = HashSet::new();
        let mut find = |rooms: &mut Rooms, tries: &mut u32| {
            let search = rooms.around(point(1, 1), tries);
            search.find(is_free, |at| taken.insert(at).then_some(()))
        };
        assert_eq!(find(&mut rooms, &mut tries), Some(((), point(1, 1))));
        for _ in 0..8 {
            assert!(find(&mut rooms, &mut tries).is_some());
        }
        assert_eq!(tries, 91, "no cell is looked at twice");
        assert_eq!(find(&mut rooms, &mut tries), None);
        assert_eq!(tries, 91, "full costs nothing");
        rooms.begin(0);
        tries = 4;
        assert_eq!(find(&mut rooms, &mut tries), None);
        assert_eq!(tries, 0, "no more than is allowed");
        rooms.begin(0);
        assert_eq!(rooms.searches.len(), 1, "goes on in the next tick");
        rooms.begin(1);
        assert_eq!(rooms.searches.len(), 0, "a wall may be between");
    }
}
