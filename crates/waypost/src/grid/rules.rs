//! Move rules: which of the eight moves are legal, and what they cost.

use super::{Direction, Directions};
use crate::cost::{Cost, CostPair, StepCosts};

/// What a diagonal move asks of the two straight neighbours that it passes between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Corners {
    /// Both must be passable: no corner is cut (MovingAI, the competitions, PRA*).
    #[default]
    Never,
    /// At least one must be passable.
    One,
    /// Neither matters (the real-time search papers).
    Always,
    /// There are no diagonal moves: four ways instead of eight.
    NoDiagonals,
}

impl Corners {
    /// The corner rules of eight ways.
    pub const ALL: [Corners; 3] = [Corners::Never, Corners::One, Corners::Always];

    /// The name that the command line and files use.
    pub const fn name(self) -> &'static str {
        match self {
            Corners::Never => "never",
            Corners::One => "one",
            Corners::Always => "always",
            Corners::NoDiagonals => "no diagonals",
        }
    }

    /// Whether two cells that touch only at a corner can be connected by a single move where both straight cells are blocked.
    pub(crate) const fn connects_diagonally(self) -> bool {
        matches!(self, Corners::Always)
    }
}

/// Which of the eight cells around a cell are passable, in reading order: NW, N, NE, W, E, SW, S, SE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbourhood(pub u8);

/// The bit of a direction in a [`Neighbourhood`].
const READING_ORDER: [u8; 8] = [1, 2, 4, 7, 6, 5, 3, 0];

impl Neighbourhood {
    /// Whether the neighbour in this direction is passable.
    #[inline]
    pub const fn is_passable(self, direction: Direction) -> bool {
        self.0 >> READING_ORDER[direction as usize] & 1 != 0
    }
}

/// How agents may move and what it costs: part of every problem and of every database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MoveRules {
    /// Whether diagonal moves may cut corners.
    pub corners: Corners,
    /// The costs of straight and diagonal moves.
    pub costs: CostPair,
}

impl MoveRules {
    /// Tells rules apart in fingerprints of maps: 0 for the default rules.
    pub(crate) fn digest(self) -> u64 {
        let number = |rules: MoveRules| rules.corners as u64 * 16 + rules.costs as u64;
        match number(self) ^ number(MoveRules::default()) {
            0 => 0,
            other => crate::grid::fingerprint::mix(other),
        }
    }

    /// All six combinations for eight ways.
    pub const ALL: [MoveRules; 6] = {
        let mut all = [MoveRules {
            corners: Corners::Never,
            costs: CostPair::Sqrt2,
        }; 6];
        let mut i = 0;
        while i < 6 {
            all[i].corners = Corners::ALL[i % 3];
            if i >= 3 {
                all[i].costs = CostPair::OnePointFour;
            }
            i += 1;
        }
        all
    };

    /// Four ways, with both cost pairs.
    pub const FOUR_WAYS: [MoveRules; 2] = [
        MoveRules {
            corners: Corners::NoDiagonals,
            costs: CostPair::Sqrt2,
        },
        MoveRules {
            corners: Corners::NoDiagonals,
            costs: CostPair::OnePointFour,
        },
    ];

    /// Whether there are diagonal moves.
    pub const fn has_diagonals(self) -> bool {
        !matches!(self.corners, Corners::NoDiagonals)
    }

    /// How many ways moves go: 8 or 4.
    pub const fn ways(self) -> u32 {
        if self.has_diagonals() { 8 } else { 4 }
    }

    /// What going on by one row, by one column, or by both at once costs at least. Without diagonal moves the last is two
    /// straight ones, which makes the octile distance the Manhattan distance.
    pub const fn steps(self) -> StepCosts {
        let straight = self.costs.straight();
        StepCosts {
            straight,
            diagonal: if self.has_diagonals() {
                self.costs.diagonal()
            } else {
                2 * straight
            },
        }
    }

    /// The legal moves from a cell with these neighbours: one look-up.
    #[inline]
    pub const fn legal(self, around: Neighbourhood) -> Directions {
        Directions(LEGAL[self.corners as usize][around.0 as usize])
    }

    /// What a move costs.
    #[inline]
    pub const fn cost(self, direction: Direction) -> Cost {
        if direction.is_diagonal() {
            self.costs.diagonal()
        } else {
            self.costs.straight()
        }
    }
}

impl std::fmt::Display for MoveRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}, costs {}",
            match self.corners {
                Corners::NoDiagonals => "four ways".to_string(),
                corners => format!("corners {}", corners.name()),
            },
            self.costs.name()
        )
    }
}

static LEGAL: [[u8; 256]; 4] = [
    legal_table(Corners::Never),
    legal_table(Corners::One),
    legal_table(Corners::Always),
    legal_table(Corners::NoDiagonals),
];

const fn legal_table(corners: Corners) -> [u8; 256] {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let around = Neighbourhood(bits as u8);
        let mut number = 0;
        while number < 8 {
            let direction = Direction::from_number(number);
            let allowed = if direction.is_diagonal() {
                let left = around.is_passable(Direction::from_number(number + 7));
                let right = around.is_passable(Direction::from_number(number + 1));
                match corners {
                    Corners::Never => left && right,
                    Corners::One => left || right,
                    Corners::Always => true,
                    Corners::NoDiagonals => false,
                }
            } else {
                true
            };
            if allowed && around.is_passable(direction) {
                table[bits] |= 1 << number;
            }
            number += 1;
        }
        bits += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(corners: Corners) -> MoveRules {
        MoveRules {
            corners,
            ..MoveRules::default()
        }
    }

    #[test]
    fn corner_rules_differ_only_in_diagonals() {
        let open = Neighbourhood(255);
        // North is blocked: NE and NW pass its corner.
        let wall = Neighbourhood(!(1 << 1));
        for corners in Corners::ALL {
            assert_eq!(rules(corners).legal(open).len(), 8);
        }
        assert_eq!(rules(Corners::NoDiagonals).legal(open).len(), 4);
        assert_eq!(rules(Corners::NoDiagonals).legal(wall).len(), 3);
        assert_eq!(rules(Corners::Never).legal(wall).len(), 5);
        assert_eq!(rules(Corners::One).legal(wall).len(), 7);
        assert_eq!(rules(Corners::Always).legal(wall).len(), 7);
        // Only the diagonals are passable.
        let checker = Neighbourhood(0b1010_0101);
        assert_eq!(rules(Corners::One).legal(checker).len(), 0);
        assert_eq!(rules(Corners::Always).legal(checker).len(), 4);
    }

    #[test]
    fn all_rules_are_different() {
        let all = [&MoveRules::ALL[..], &MoveRules::FOUR_WAYS].concat();
        for (i, a) in all.iter().enumerate() {
            assert!(!all[i + 1..].contains(a));
        }
    }
}
