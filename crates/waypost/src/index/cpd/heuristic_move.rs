//! The heuristic move: one that follows from the source, the target's side and the walls next to the source alone.
//!
//! Run-length rows have a symbol for it (as the successors of the 2011 paper do), so a single run can cover targets on
//! all sides of a source for which "straight at it" is optimal. The function is part of the file format: it may not
//! change without a new [`super::FORMAT`].

use crate::grid::{Direction, Directions};

/// The number of the symbol in runs; 0 to 7 are directions.
pub(crate) const SYMBOL: u32 = 8;

/// The side of a source that a target is on: `(sign of dx + 1) * 3 + sign of dy + 1`.
#[inline]
pub(crate) fn side(dx: i32, dy: i32) -> u32 {
    ((dx.signum() + 1) * 3 + dy.signum() + 1) as u32
}

/// How many sides there are, "here" included.
pub(crate) const TOWARDS_SIDES: usize = 9;

/// Diagonal moves where neither coordinate agrees: diagonals first is the canonical order of optimal paths.
const TOWARDS: [Direction; TOWARDS_SIDES] = [
    Direction::NorthWest,
    Direction::West,
    Direction::SouthWest,
    Direction::North,
    Direction::North,
    Direction::South,
    Direction::NorthEast,
    Direction::East,
    Direction::SouthEast,
];

/// Turns tried, in eighths, when the move towards the target is illegal.
const TURNS: [u8; 8] = [0, 1, 7, 2, 6, 3, 5, 4];

/// The heuristic moves of a source towards all nine sides, three bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeuristicMoves(pub u32);

impl HeuristicMoves {
    /// The moves of a cell with these legal moves; meaningless where there is none.
    pub fn of(legal: Directions) -> HeuristicMoves {
        let mut packed = 0;
        for (side, &towards) in TOWARDS.iter().enumerate() {
            let first_legal = TURNS
                .into_iter()
                .map(|turn| Direction::from_number(towards as u8 + turn))
                .find(|&d| legal.contains(d));
            packed |= (first_legal.unwrap_or(towards) as u32) << (3 * side);
        }
        HeuristicMoves(packed)
    }

    /// The move towards a side.
    #[inline]
    pub fn towards(self, side: u32) -> Direction {
        Direction::from_number((self.0 >> (3 * side)) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heuristic_moves_are_legal_and_point_at_the_target_where_they_can() {
        for bits in 1..=255u8 {
            let moves = HeuristicMoves::of(Directions(bits));
            for (dx, dy) in [
                (-5, -1),
                (-1, 0),
                (-2, 7),
                (0, -3),
                (0, 4),
                (9, -9),
                (1, 0),
                (2, 1),
            ] {
                let d = moves.towards(side(dx, dy));
                let straight = Direction::of_step(dx.signum(), dy.signum()).expect("a side");
                assert!(Directions(bits).contains(d));
                if Directions(bits).contains(straight) {
                    assert_eq!(d, straight);
                }
            }
        }
    }
}
