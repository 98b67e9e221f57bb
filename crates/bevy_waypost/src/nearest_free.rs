//! The free cell nearest to one inside a wall, by a search that can be left and gone on with.

use waypost::Map;
use waypost::prelude::Point;

/// Looks for the nearest cell that can be stood on: rows outwards from the middle, words of 64 cells outwards in each. The upper one of equals, then
/// the left one.
pub(crate) struct FreeSearch {
    middle: Point,
    /// Rows that have been looked at above and below.
    rows: u32,
    /// The cost of the best cell and where it is, row first.
    best: Option<(u32, (u32, u32))>,
}

impl FreeSearch {
    pub fn around(middle: Point) -> FreeSearch {
        FreeSearch {
            middle,
            rows: 0,
            best: None,
        }
    }

    /// The cell of a map that is nearest to a point, which may be outside.
    pub fn cut(map: &Map, point: Point) -> Point {
        let grid = map.grid();
        Point {
            x: point.x.min(grid.width() - 1),
            y: point.y.min(grid.height() - 1),
        }
    }

    pub fn middle(&self) -> Point {
        self.middle
    }

    /// Goes on while words may be looked at: the cell, or that there is none; `None` where it has not been found yet. A map that has changed
    /// since the search was begun may have a nearer one by now; what is given is free.
    pub fn go_on(&mut self, map: &Map, words: &mut u32) -> Option<Option<Point>> {
        let height = map.grid().height();
        loop {
            if self.is_done(map, height) {
                let found = self.best.map(|(_, (y, x))| Point { x, y });
                if found.is_none_or(|at| map.passable_cell(at).is_some()) {
                    return Some(found);
                }
                // Somebody has put a wall there meanwhile.
                (self.rows, self.best) = (0, None);
            }
            if *words == 0 {
                return None;
            }
            let (y, away) = (self.middle.y, self.rows);
            if away <= y {
                self.look_at(map, y - away, words);
            }
            if away > 0 && y + away < height {
                self.look_at(map, y + away, words);
            }
            self.rows += 1;
        }
    }

    /// Whether no row that is left can hold a nearer cell.
    fn is_done(&self, map: &Map, height: u32) -> bool {
        let is_nearest = self
            .best
            .is_some_and(|(cost, _)| cost <= map.rules().costs.octile(0, self.rows));
        is_nearest || self.rows > self.middle.y && self.rows + self.middle.y >= height
    }

    /// Looks at a row, to both sides of the middle, as far as the best cell allows.
    fn look_at(&mut self, map: &Map, y: u32, words: &mut u32) {
        let grid = map.grid();
        let (count, costs) = (grid.words_per_row(), map.rules().costs);
        let row = &grid.words()[(y as usize + 1) * count..][..count];
        let dy = y.abs_diff(self.middle.y);
        // A column has the bit after its number.
        let bit = self.middle.x + 1;
        let middle = (bit / 64) as usize;
        for is_right in [false, true] {
            let mut mask = match is_right {
                true => !0 << (bit % 64),
                false => !0 >> (63 - bit % 64),
            };
            let mut at = middle;
            loop {
                *words = words.saturating_sub(1);
                let free = row[at] & mask;
                if free != 0 {
                    let bit = match is_right {
                        true => free.trailing_zeros(),
                        false => 63 - free.leading_zeros(),
                    };
                    let x = at as u32 * 64 + bit - 1;
                    let found = (costs.octile(x.abs_diff(self.middle.x), dy), (y, x));
                    self.best = Some(self.best.map_or(found, |best| best.min(found)));
                    break;
                }
                let next = match is_right {
                    true => at + 1,
                    false => at.wrapping_sub(1),
                };
                if next >= count {
                    break;
                }
                (at, mask) = (next, !0);
                let away = match is_right {
                    true => at as u32 * 64 - bit,
                    false => bit - (at as u32 * 64 + 63),
                };
                if self.best.is_some_and(|b| costs.octile(away, dy) > b.0) {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost_testkit::TestRng;

    /// By looking at every cell.
    fn nearest(map: &Map, to: Point) -> Option<Point> {
        let grid = map.grid();
        let free = grid.cells().filter(|&cell| grid.is_passable(cell));
        let cost = |at: Point| {
            let (dx, dy) = at.distances(to);
            map.rules().costs.octile(dx, dy)
        };
        let places = free.map(|cell| grid.point(cell));
        places.min_by_key(|&at| (cost(at), at.y, at.x))
    }

    #[test]
    fn the_nearest_is_found_in_pieces() {
        let mut rng = TestRng::new(7);
        for round in 0..60 {
            let (width, height) = (1 + rng.below(200), 1 + rng.below(60));
            let rare = 1 + rng.below(400);
            let free: Vec<bool> = (0..width * height).map(|_| rng.below(rare) == 0).collect();
            let is_free = |p: Point| free[(p.y * width + p.x) as usize];
            let map = Map::from_fn(width, height, is_free).expect("a map");
            for _ in 0..20 {
                let wish = Point {
                    x: rng.below(2 * width),
                    y: rng.below(2 * height),
                };
                let wish = FreeSearch::cut(&map, wish);
                let mut search = FreeSearch::around(wish);
                let mut pieces = 0;
                let found = loop {
                    let mut words = 3;
                    pieces += 1;
                    assert!(pieces < 1_000, "it ends");
                    if let Some(found) = search.go_on(&map, &mut words) {
                        break found;
                    }
                };
                let cost = |at: Option<Point>| {
                    let (dx, dy) = at?.distances(wish);
                    Some(map.rules().costs.octile(dx, dy))
                };
                let known = nearest(&map, wish);
                assert_eq!(cost(found), cost(known), "round {round}");
            }
        }
    }

    #[test]
    fn a_cell_that_is_walled_up_meanwhile_is_not_given() {
        let mut map = Map::from_fn(300, 40, |p| p.x == 290).expect("a map");
        let mut search = FreeSearch::around(Point { x: 5, y: 20 });
        assert_eq!(search.go_on(&map, &mut 6), None);
        map.apply(&waypost::prelude::Patch::new().block((290, 20)));
        let found = search.go_on(&map, &mut 100_000).flatten();
        assert_eq!(found, Some(Point { x: 290, y: 19 }));
    }
}
