//! Is a path a path? Every move is tried against the rules in their own words.

use crate::oracle::is_legal;
use crate::{Rules, TestMap};
use std::fmt;

/// A path that passed the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkedPath {
    /// Its cost under the rules.
    pub cost: u64,
    /// Straight moves.
    pub straight: u64,
    /// Diagonal moves.
    pub diagonal: u64,
}

/// What is wrong with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathError {
    /// It has no cell at all.
    Empty,
    /// A cell is blocked or outside the map.
    NotOpen {
        /// The position in the path.
        index: usize,
        /// The cell.
        cell: (u32, u32),
    },
    /// Two cells in a row are the same, or not neighbours.
    NotANeighbour {
        /// The position of the first in the path.
        index: usize,
        /// The first cell.
        from: (u32, u32),
        /// The second cell.
        to: (u32, u32),
    },
    /// A diagonal move cuts a corner that the rule protects.
    CutsCorner {
        /// The position of the first in the path.
        index: usize,
        /// The first cell.
        from: (u32, u32),
        /// The second cell.
        to: (u32, u32),
    },
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathError::Empty => write!(f, "the path has no cells; expected at least its start"),
            PathError::NotOpen { index, cell } => {
                write!(
                    f,
                    "cell {index} of the path, {cell:?}, is blocked or outside the map"
                )
            }
            PathError::NotANeighbour { index, from, to } => {
                write!(
                    f,
                    "move {index} from {from:?} to {to:?} is not to a neighbour"
                )
            }
            PathError::CutsCorner { index, from, to } => {
                write!(f, "move {index} from {from:?} to {to:?} cuts a corner")
            }
        }
    }
}

impl std::error::Error for PathError {}

/// Walks a path and adds up its cost, or says where it breaks the rules.
pub fn check_path(
    map: &TestMap,
    rules: Rules,
    path: &[(u32, u32)],
) -> Result<WalkedPath, PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    for (index, &cell) in path.iter().enumerate() {
        if !map.is_open_at(cell) {
            return Err(PathError::NotOpen { index, cell });
        }
    }
    let mut walked = WalkedPath {
        cost: 0,
        straight: 0,
        diagonal: 0,
    };
    for (index, step) in path.windows(2).enumerate() {
        let (from, to) = (step[0], step[1]);
        let dx = i64::from(to.0) - i64::from(from.0);
        let dy = i64::from(to.1) - i64::from(from.1);
        if dx.abs().max(dy.abs()) != 1 {
            return Err(PathError::NotANeighbour { index, from, to });
        }
        let at = (i64::from(from.0), i64::from(from.1));
        if !is_legal(map, rules.corner, at, (dx, dy)) {
            return Err(PathError::CutsCorner { index, from, to });
        }
        if dx != 0 && dy != 0 {
            walked.diagonal += 1;
            walked.cost += rules.diagonal;
        } else {
            walked.straight += 1;
            walked.cost += rules.straight;
        }
    }
    Ok(walked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Corner;

    const NEVER: Rules = Rules {
        corner: Corner::Never,
        straight: 5,
        diagonal: 7,
    };

    fn map() -> TestMap {
        TestMap::from_text(
            "....
             ..@.
             ....",
        )
    }

    #[test]
    fn a_good_path_is_added_up() {
        let path = [(0, 0), (1, 1), (1, 2), (2, 2), (3, 2)];
        assert_eq!(
            check_path(&map(), NEVER, &path),
            Ok(WalkedPath {
                cost: 22,
                straight: 3,
                diagonal: 1
            })
        );
        let standing = WalkedPath {
            cost: 0,
            straight: 0,
            diagonal: 0,
        };
        assert_eq!(check_path(&map(), NEVER, &[(3, 0)]), Ok(standing));
    }

    #[test]
    fn every_kind_of_wrong_path_is_named() {
        let check = |path: &[(u32, u32)]| check_path(&map(), NEVER, path).unwrap_err();
        assert_eq!(check(&[]), PathError::Empty);
        let wall = PathError::NotOpen {
            index: 1,
            cell: (2, 1),
        };
        assert_eq!(check(&[(1, 1), (2, 1)]), wall);
        assert!(matches!(
            check(&[(3, 0), (4, 0)]),
            PathError::NotOpen { .. }
        ));
        assert!(matches!(
            check(&[(0, 0), (2, 0)]),
            PathError::NotANeighbour { .. }
        ));
        assert!(matches!(
            check(&[(0, 0), (0, 0)]),
            PathError::NotANeighbour { .. }
        ));
        let corner = PathError::CutsCorner {
            index: 0,
            from: (1, 1),
            to: (2, 2),
        };
        assert_eq!(check(&[(1, 1), (2, 2)]), corner);
    }

    #[test]
    fn corner_rules_decide_over_diagonals() {
        let one = Rules {
            corner: Corner::One,
            ..NEVER
        };
        assert!(check_path(&map(), one, &[(1, 1), (2, 2)]).is_ok());
        let gap = TestMap::from_text(".@\n@.");
        assert!(check_path(&gap, one, &[(0, 0), (1, 1)]).is_err());
        let always = Rules {
            corner: Corner::Always,
            ..NEVER
        };
        assert!(check_path(&gap, always, &[(0, 0), (1, 1)]).is_ok());
    }
}
