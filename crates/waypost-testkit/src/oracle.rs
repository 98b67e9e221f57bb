//! Shortest paths by the plainest means: Dijkstra over cells, all eight moves tried, exact integers.

use crate::TestMap;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What a diagonal move asks of the two cells beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// Both must be open.
    Never,
    /// At least one must be open.
    One,
    /// Nothing.
    Always,
    /// There are no diagonal moves.
    NoDiagonals,
}

impl Corner {
    /// The three rules of eight ways.
    pub const ALL: [Corner; 3] = [Corner::Never, Corner::One, Corner::Always];
}

/// A corner rule and the integer costs of a straight and of a diagonal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The corner rule.
    pub corner: Corner,
    /// The cost of a straight move.
    pub straight: u64,
    /// The cost of a diagonal move.
    pub diagonal: u64,
}

impl Rules {
    /// The six rules of the engine: three corner rules with costs 985 and 1393, and with 5 and 7.
    pub fn all() -> Vec<Rules> {
        let pairs = [(985, 1393), (5, 7)];
        pairs
            .into_iter()
            .flat_map(|(straight, diagonal)| {
                Corner::ALL.map(|corner| Rules {
                    corner,
                    straight,
                    diagonal,
                })
            })
            .collect()
    }
}

impl Rules {
    /// Four ways, with the costs of both pairs.
    pub fn four_ways() -> [Rules; 2] {
        [(985, 1393), (5, 7)].map(|(straight, diagonal)| Rules {
            corner: Corner::NoDiagonals,
            straight,
            diagonal,
        })
    }
}

/// May one move by `(dx, dy)` from `(x, y)`? Both ends must be open.
pub(crate) fn is_legal(map: &TestMap, corner: Corner, from: (i64, i64), step: (i64, i64)) -> bool {
    let (x, y) = from;
    let (dx, dy) = step;
    if !map.is_open(x, y) || !map.is_open(x + dx, y + dy) {
        return false;
    }
    if dx == 0 || dy == 0 {
        return true;
    }
    let beside = [map.is_open(x + dx, y), map.is_open(x, y + dy)];
    match corner {
        Corner::Never => beside[0] && beside[1],
        Corner::One => beside[0] || beside[1],
        Corner::Always => true,
        Corner::NoDiagonals => false,
    }
}

/// Counted moves, ordered by their true length: `straight + diagonal * sqrt 2`, without rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Straight moves.
    pub straight: u64,
    /// Diagonal moves.
    pub diagonal: u64,
}

impl Ord for Moves {
    fn cmp(&self, other: &Moves) -> Ordering {
        let straight = i128::from(self.straight) - i128::from(other.straight);
        let diagonal = i128::from(self.diagonal) - i128::from(other.diagonal);
        // The sign of straight + diagonal * sqrt 2: where the parts disagree, the larger square decides.
        match (straight.signum(), diagonal.signum()) {
            (s, d) if s >= 0 && d >= 0 => (s + d).cmp(&0),
            (s, d) if s <= 0 && d <= 0 => (s + d).cmp(&0),
            (1, _) => (straight * straight).cmp(&(2 * diagonal * diagonal)),
            _ => (2 * diagonal * diagonal).cmp(&(straight * straight)),
        }
    }
}

impl PartialOrd for Moves {
    fn partial_cmp(&self, other: &Moves) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The least cost from `source` to every cell, row by row; `None` where there is no path.
pub fn distances(map: &TestMap, rules: Rules, source: (u32, u32)) -> Vec<Option<u64>> {
    dijkstra(map, rules.corner, source, 0, |cost, is_diagonal| {
        cost + if is_diagonal {
            rules.diagonal
        } else {
            rules.straight
        }
    })
}

/// The cost of a best path between two cells; `None` where there is none.
pub fn optimal_cost(map: &TestMap, rules: Rules, from: (u32, u32), to: (u32, u32)) -> Option<u64> {
    if !map.is_open_at(to) {
        return None;
    }
    distances(map, rules, from)[(to.1 * map.width() + to.0) as usize]
}

/// The moves of a path of least true length (diagonal = sqrt 2, unrounded) from `source` to every cell.
pub fn optimal_moves(map: &TestMap, corner: Corner, source: (u32, u32)) -> Vec<Option<Moves>> {
    let none = Moves {
        straight: 0,
        diagonal: 0,
    };
    dijkstra(map, corner, source, none, |moves, is_diagonal| Moves {
        straight: moves.straight + u64::from(!is_diagonal),
        diagonal: moves.diagonal + u64::from(is_diagonal),
    })
}

fn dijkstra<C: Copy + Ord>(
    map: &TestMap,
    corner: Corner,
    source: (u32, u32),
    zero: C,
    add: impl Fn(C, bool) -> C,
) -> Vec<Option<C>> {
    let width = map.width() as usize;
    let index = |x: i64, y: i64| y as usize * width + x as usize;
    let mut best: Vec<Option<C>> = vec![None; width * map.height() as usize];
    let mut queue = BinaryHeap::new();
    if map.is_open_at(source) {
        let (x, y) = (i64::from(source.0), i64::from(source.1));
        best[index(x, y)] = Some(zero);
        queue.push(Reverse((zero, x, y)));
    }
    while let Some(Reverse((cost, x, y))) = queue.pop() {
        if best[index(x, y)] != Some(cost) {
            continue;
        }
        for dy in -1..=1 {
            for dx in -1..=1 {
                if (dx, dy) == (0, 0) || !is_legal(map, corner, (x, y), (dx, dy)) {
                    continue;
                }
                let next = add(cost, dx != 0 && dy != 0);
                let known = &mut best[index(x + dx, y + dy)];
                if known.is_none_or(|old| next < old) {
                    *known = Some(next);
                    queue.push(Reverse((next, x + dx, y + dy)));
                }
            }
        }
    }
    best
}

/// The number of each cell's component, row by row; `None` for walls. Numbers follow the first cell in reading order.
pub fn component_numbers(map: &TestMap, corner: Corner) -> Vec<Option<u32>> {
    let width = map.width();
    let mut numbers = vec![None; (width * map.height()) as usize];
    let mut count = 0;
    for start in map.open_cells() {
        if numbers[(start.1 * width + start.0) as usize].is_some() {
            continue;
        }
        let mut rest = vec![(i64::from(start.0), i64::from(start.1))];
        while let Some((x, y)) = rest.pop() {
            let number = &mut numbers[y as usize * width as usize + x as usize];
            if number.is_some() {
                continue;
            }
            *number = Some(count);
            for dy in -1..=1 {
                for dx in -1..=1 {
                    if is_legal(map, corner, (x, y), (dx, dy)) {
                        rest.push((x + dx, y + dy));
                    }
                }
            }
        }
        count += 1;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(corner: Corner, straight: u64, diagonal: u64) -> Rules {
        Rules {
            corner,
            straight,
            diagonal,
        }
    }

    #[test]
    fn a_wall_is_walked_round_as_the_corner_rule_says() {
        let map = TestMap::from_text(
            "...
             .@.
             ...",
        );
        // From (0,1) to (2,1): four straight and no diagonal, two diagonals, two diagonals.
        for (corner, cost) in [(Corner::Never, 20), (Corner::One, 14), (Corner::Always, 14)] {
            assert_eq!(
                optimal_cost(&map, rules(corner, 5, 7), (0, 1), (2, 1)),
                Some(cost)
            );
        }
    }

    #[test]
    fn only_always_passes_between_two_walls() {
        let map = TestMap::from_text(
            ".@
             @.",
        );
        let cost = |corner| optimal_cost(&map, rules(corner, 5, 7), (0, 0), (1, 1));
        assert_eq!(cost(Corner::Never), None);
        assert_eq!(cost(Corner::One), None);
        assert_eq!(cost(Corner::Always), Some(7));
        assert_eq!(
            component_numbers(&map, Corner::One),
            [Some(0), None, None, Some(1)]
        );
        assert_eq!(
            component_numbers(&map, Corner::Always),
            [Some(0), None, None, Some(0)]
        );
    }

    #[test]
    fn distances_of_a_small_map_by_hand() {
        let map = TestMap::from_text(
            "....
             .@@.
             ....",
        );
        let found = distances(&map, rules(Corner::Never, 10, 14), (0, 0));
        let expected = [0, 10, 20, 30, 10, 0, 0, 40, 20, 30, 40, 50];
        for (i, (&found, expected)) in found.iter().zip(expected).enumerate() {
            let wall = i == 5 || i == 6;
            assert_eq!(found, (!wall).then_some(expected), "cell {i}");
        }
    }

    #[test]
    fn from_a_wall_nothing_is_reached() {
        let map = TestMap::from_text("@.");
        assert_eq!(
            distances(&map, rules(Corner::Never, 5, 7), (0, 0)),
            [None, None]
        );
        assert_eq!(
            optimal_cost(&map, rules(Corner::Never, 5, 7), (1, 0), (0, 0)),
            None
        );
        assert_eq!(
            optimal_cost(&map, rules(Corner::Never, 5, 7), (1, 0), (1, 0)),
            Some(0)
        );
    }

    #[test]
    fn true_lengths_are_compared_without_rounding() {
        let moves = |straight, diagonal| Moves { straight, diagonal };
        assert!(moves(7, 0) < moves(0, 5)); // 7 < 7.07: the 1.4 of the papers calls it a tie
        assert!(moves(1393, 0) < moves(0, 985)); // 1393 < 1393.0004
        assert!(moves(577, 0) > moves(0, 407) && moves(577, 0) < moves(0, 409));
        assert!(moves(10, 0) > moves(0, 7)); // 10 > 9.9
        assert!(moves(0, 1) > moves(1, 0) && moves(0, 1) < moves(2, 0));
        assert_eq!(moves(3, 4).cmp(&moves(3, 4)), Ordering::Equal);
        assert!(moves(3, 4) < moves(3, 5) && moves(3, 4) < moves(4, 4));
    }

    #[test]
    fn free_fields_have_octile_distances() {
        let map = TestMap::filled(9, 7, true);
        let moves = optimal_moves(&map, Corner::Never, (2, 3));
        for (x, y) in map.open_cells() {
            let (dx, dy) = (u64::from(x.abs_diff(2)), u64::from(y.abs_diff(3)));
            let expected = Moves {
                straight: dx.max(dy) - dx.min(dy),
                diagonal: dx.min(dy),
            };
            assert_eq!(moves[(y * 9 + x) as usize], Some(expected));
        }
    }
}
