//! Units of any size on ground of any cost: the rules in the words of their definition, and Dijkstra over them.

use crate::{Corner, Rules, TestMap, WalkedPath};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A square unit on a map whose cells have factors. Its place is its top left cell.
#[derive(Clone, Copy)]
pub struct Mover<'a> {
    /// Walls.
    pub map: &'a TestMap,
    /// Ways and lengths of moves.
    pub rules: Rules,
    /// Cells along a side of the unit.
    pub size: u32,
    /// The factor of every cell, row by row; `None` where all are alike and a move costs its length.
    pub factors: Option<&'a [u64]>,
}

impl Mover<'_> {
    fn covered(&self, (x, y): (i64, i64)) -> impl Iterator<Item = (i64, i64)> {
        let size = i64::from(self.size);
        (0..size).flat_map(move |dy| (0..size).map(move |dx| (x + dx, y + dy)))
    }

    /// Whether all cells that the unit covers are open.
    pub fn fits(&self, at: (i64, i64)) -> bool {
        self.covered(at).all(|(x, y)| self.map.is_open(x, y))
    }

    /// The largest factor among the cells that the unit covers.
    fn factor(&self, at: (i64, i64)) -> u64 {
        let width = i64::from(self.map.width());
        let of = |(x, y): (i64, i64)| self.factors.map_or(1, |f| f[(y * width + x) as usize]);
        self.covered(at).map(of).max().unwrap_or(1)
    }

    /// May it move by `(dx, dy)`? On a diagonal move the square passes over two cells that it covers neither before nor after.
    pub fn may_move(&self, from: (i64, i64), (dx, dy): (i64, i64)) -> bool {
        let ((x, y), size) = (from, i64::from(self.size));
        if !self.fits(from) || !self.fits((x + dx, y + dy)) {
            return false;
        }
        if dx == 0 || dy == 0 {
            return true;
        }
        let ahead = |at: i64, step: i64| if step > 0 { at + size } else { at - 1 };
        let behind = |at: i64, step: i64| if step > 0 { at } else { at + size - 1 };
        let one = self.map.is_open(ahead(x, dx), behind(y, dy));
        let other = self.map.is_open(behind(x, dx), ahead(y, dy));
        match self.rules.corner {
            Corner::Never => one && other,
            Corner::One => one || other,
            Corner::Always => true,
            Corner::NoDiagonals => false,
        }
    }

    /// A move's length times the sum of the factors of its two places, or the length alone where there are no factors.
    pub fn cost(&self, from: (i64, i64), (dx, dy): (i64, i64)) -> u64 {
        let length = if dx != 0 && dy != 0 {
            self.rules.diagonal
        } else {
            self.rules.straight
        };
        match self.factors {
            None => length,
            Some(_) => length * (self.factor(from) + self.factor((from.0 + dx, from.1 + dy))),
        }
    }

    /// The least cost from `source` to every cell, row by row; `None` where there is no path.
    pub fn distances(&self, source: (u32, u32)) -> Vec<Option<u64>> {
        let width = self.map.width() as usize;
        let index = |(x, y): (i64, i64)| y as usize * width + x as usize;
        let mut best: Vec<Option<u64>> = vec![None; width * self.map.height() as usize];
        let mut queue = BinaryHeap::new();
        let start = (i64::from(source.0), i64::from(source.1));
        if self.fits(start) {
            best[index(start)] = Some(0);
            queue.push(Reverse((0, start)));
        }
        while let Some(Reverse((cost, at))) = queue.pop() {
            if best[index(at)] != Some(cost) {
                continue;
            }
            for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
                if (dx, dy) == (0, 0) || !self.may_move(at, (dx, dy)) {
                    continue;
                }
                let (next, through) = ((at.0 + dx, at.1 + dy), cost + self.cost(at, (dx, dy)));
                let known = &mut best[index(next)];
                if known.is_none_or(|old| through < old) {
                    *known = Some(through);
                    queue.push(Reverse((through, next)));
                }
            }
        }
        best
    }

    /// Walks a path and adds up its cost; `None` where it breaks the rules.
    pub fn walk(&self, path: &[(u32, u32)]) -> Option<WalkedPath> {
        let place = |at: (u32, u32)| (i64::from(at.0), i64::from(at.1));
        let mut walked = WalkedPath {
            cost: 0,
            straight: 0,
            diagonal: 0,
        };
        let first = path.first().copied().map(place)?;
        self.fits(first).then_some(())?;
        for step in path.windows(2) {
            let (from, to) = (place(step[0]), place(step[1]));
            let by = (to.0 - from.0, to.1 - from.1);
            if by.0.abs().max(by.1.abs()) != 1 || !self.may_move(from, by) {
                return None;
            }
            walked.cost += self.cost(from, by);
            if by.0 != 0 && by.1 != 0 {
                walked.diagonal += 1;
            } else {
                walked.straight += 1;
            }
        }
        Some(walked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TestRng, distances, shapes};

    #[test]
    fn a_unit_of_one_cell_on_plain_ground_is_what_the_oracle_knows() {
        for seed in 0..40 {
            let map = shapes::any(seed, 3, 16);
            let mut rng = TestRng::new(seed);
            let Some(source) = map.random_open_cell(&mut rng) else {
                continue;
            };
            for rules in Rules::all().into_iter().chain(Rules::four_ways()) {
                let mover = Mover {
                    map: &map,
                    rules,
                    size: 1,
                    factors: None,
                };
                assert_eq!(mover.distances(source), distances(&map, rules, source));
            }
        }
    }

    #[test]
    fn a_large_unit_and_a_swamp_by_hand() {
        let map = TestMap::from_text(
            "....
             ....
             ..@.",
        );
        let factors = [2, 2, 2, 2, 2, 2, 9, 2, 2, 2, 2, 2];
        let mover = Mover {
            map: &map,
            rules: Rules {
                corner: Corner::Never,
                straight: 5,
                diagonal: 7,
            },
            size: 2,
            factors: Some(&factors),
        };
        // Columns 0 to 2 of the first row and column 0 of the second; (1, 0) covers the cell of factor 9.
        let found = mover.distances((0, 0));
        let expected = [Some(0), Some(55), Some(145), None, Some(20)];
        assert_eq!(found[..5], expected);
        assert!(!mover.fits((1, 1)) && !mover.may_move((0, 1), (1, -1)));
        let walked = mover.walk(&[(0, 1), (0, 0), (1, 0)]).expect("legal");
        assert_eq!((walked.cost, walked.straight), (75, 2));
        assert_eq!(mover.walk(&[(0, 1), (1, 0)]), None);
    }
}
