//! Which successors of a grid cell are worth generating, as one look-up by arrival direction and neighbourhood.
//!
//! "No stepping back to the parent" (chapter 17.9) taken to its end: a successor is left out where another way from the
//! parent to it, round the cell, is cheaper, or as cheap and takes its diagonal move first. It is the local pruning of jump
//! point search, worked out here for the three corner rules of eight ways; of four ways only the way back is left out. With `d` the arrival direction:
//!
//! - arrived straight: straight on is kept; the forward diagonal is kept where the parent cannot go diagonally and then
//!   straight; the side is kept where the parent cannot go there diagonally (only if corners may not be cut and the cell
//!   behind the side is blocked); everything backward is nearer from the parent;
//! - arrived diagonally: straight on and both parts of the diagonal are kept; the diagonal to the side is kept where the
//!   cell between it and the parent is blocked; everything backward is nearer from the parent.
//!
//! No optimal cost is lost, though one parent per cell is kept: let `n` be the node of least optimal g that is missed. Every
//! optimal predecessor of `n` was expanded with its optimal g and dropped `n`, which at equal cost happens only to a
//! diagonal move after a straight one, in favour of a straight move into `n` from another optimal predecessor; a straight
//! move after any other is dropped only where a strictly cheaper way exists. So that predecessor did not drop `n`.

use crate::grid::{Corners, Direction, MoveRules, Neighbourhood};

/// Number of the link of a start: every legal move is kept.
pub const NO_ARRIVAL: u8 = 8;

/// Successors by `arrival << 8 | neighbourhood`. Sixteen arrivals, of which nine exist: a masked index needs no check.
pub type SuccessorTable = [u8; 16 * 256];

/// How much is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Pruning {
    /// Nothing: all legal moves.
    None,
    /// The move back to the parent.
    Parent,
    /// All that is dominated; see the module's documentation.
    #[default]
    Dominated,
}

impl Pruning {
    /// The table for a corner rule.
    pub fn table(self, corners: Corners) -> &'static SuccessorTable {
        &TABLES[self as usize][corners as usize]
    }
}

static TABLES: [[SuccessorTable; 4]; 3] = [
    tables(Pruning::None),
    tables(Pruning::Parent),
    tables(Pruning::Dominated),
];

const fn tables(pruning: Pruning) -> [SuccessorTable; 4] {
    [
        table(pruning, Corners::Never),
        table(pruning, Corners::One),
        table(pruning, Corners::Always),
        table(pruning, Corners::NoDiagonals),
    ]
}

const fn table(pruning: Pruning, corners: Corners) -> SuccessorTable {
    let rules = MoveRules {
        corners,
        costs: crate::cost::CostPair::Sqrt2,
    };
    let mut table = [0; 16 * 256];
    let mut i = 0;
    while i < 9 * 256 {
        let around = Neighbourhood(i as u8);
        let legal = rules.legal(around).0;
        let arrival = (i >> 8) as u8;
        let kept = match pruning {
            _ if arrival == NO_ARRIVAL => 255,
            Pruning::None => 255,
            Pruning::Parent => !opposite(arrival),
            Pruning::Dominated if !rules.has_diagonals() => !opposite(arrival),
            Pruning::Dominated => undominated(corners, arrival, around),
        };
        table[i] = legal & kept;
        i += 1;
    }
    table
}

/// The directions that no way round the cell makes needless.
const fn undominated(corners: Corners, arrival: u8, around: Neighbourhood) -> u8 {
    let mut kept = bit(arrival);
    let mut side = 0;
    while side < 2 {
        // Turns to one side: 1 eighth is forward diagonal or part of the diagonal, 2 is sideways, 3 is backward.
        let sign = if side == 0 { 1 } else { 7 };
        let forward = (arrival + sign) & 7;
        let sideways = (arrival + 2 * sign) & 7;
        let behind = (arrival + 3 * sign) & 7;
        let behind_free = around.is_passable(Direction::from_number(behind));
        if arrival & 1 != 0 {
            kept |= bit(forward);
            if !behind_free {
                kept |= bit(sideways);
            }
        } else {
            // From the parent the sideways cell is one diagonal move, past `behind` and the cell itself.
            let diagonal_from_parent = match corners {
                Corners::Never => behind_free,
                Corners::One | Corners::Always | Corners::NoDiagonals => true,
            };
            if !diagonal_from_parent {
                kept |= bit(sideways);
            }
            if !diagonal_from_parent || !around.is_passable(Direction::from_number(sideways)) {
                kept |= bit(forward);
            }
        }
        side += 1;
    }
    kept
}

const fn bit(direction: u8) -> u8 {
    1 << (direction & 7)
}

const fn opposite(direction: u8) -> u8 {
    bit(direction + 4)
}
