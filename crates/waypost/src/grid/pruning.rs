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
//!
//! On terrain all of this holds where the cells around have the cell's own factor. Elsewhere [`Relief`] says what is left out: only
//! moves to which a way round the cell is strictly cheaper, which no optimal path has. With the factors `p` of the parent, `c` of the
//! cell, `n` of the successor and `r` of the cell that the way round goes over, and 1 and `d` for lengths:
//!
//! - everything backward: the parent reaches it by one straight move, `p + n` against at least `p + c + d (c + n)`;
//! - arrived straight, the side: one diagonal move of the parent, `d (p + n)` against `p + 2 c + n`, where no factor around is as much
//!   as `1 / (d - 1)` times `c`;
//! - arrived diagonally, the diagonal to the side: two straight moves, `p + 2 r + n` against `d (p + 2 c + n)`, where no factor around
//!   is more than `d` times `c`.

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

/// How the factors of the cells around a cell compare with its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Relief {
    /// Some are much larger: moves backward are left out.
    Steep,
    /// None is as much as 2.41 times as large: sideways moves too.
    Gentle,
    /// None is more than 1.41 times as large: sideways diagonals too.
    High,
    /// All are the same: whatever is dominated.
    Level,
}

impl Relief {
    /// For a cell of this factor among cells whose factors are from `least` to `most`, with these lengths of moves.
    pub fn of(here: u32, (least, most): (u32, u32), [straight, diagonal]: [u32; 2]) -> Relief {
        let [here, most, straight, diagonal] = [here, most, straight, diagonal].map(u64::from);
        if u64::from(least) == most && most == here {
            Relief::Level
        } else if straight * most <= diagonal * here {
            Relief::High
        } else if (diagonal - straight) * most < straight * here {
            Relief::Gentle
        } else {
            Relief::Steep
        }
    }

    /// The table for a corner rule.
    #[inline]
    pub fn table(self, corners: Corners) -> &'static SuccessorTable {
        match self {
            Relief::Level => Pruning::Dominated.table(corners),
            uneven => &UNEVEN[uneven as usize][corners as usize],
        }
    }
}

static UNEVEN: [[SuccessorTable; 4]; 3] = [
    tables(Kept::On(Relief::Steep)),
    tables(Kept::On(Relief::Gentle)),
    tables(Kept::On(Relief::High)),
];

/// What a table is made for.
#[derive(Clone, Copy)]
enum Kept {
    After(Pruning),
    On(Relief),
}

static TABLES: [[SuccessorTable; 4]; 3] = [
    tables(Kept::After(Pruning::None)),
    tables(Kept::After(Pruning::Parent)),
    tables(Kept::After(Pruning::Dominated)),
];

const fn tables(kept: Kept) -> [SuccessorTable; 4] {
    [
        table(kept, Corners::Never),
        table(kept, Corners::One),
        table(kept, Corners::Always),
        table(kept, Corners::NoDiagonals),
    ]
}

const fn table(kept: Kept, corners: Corners) -> SuccessorTable {
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
        let left = match kept {
            _ if arrival == NO_ARRIVAL => 255,
            Kept::After(Pruning::None) => 255,
            Kept::After(Pruning::Parent) => !opposite(arrival),
            _ if !rules.has_diagonals() => !opposite(arrival),
            Kept::After(Pruning::Dominated) => undominated(corners, arrival, around),
            Kept::On(relief) => kept_on(relief, corners, arrival, around),
        };
        table[i] = legal & left;
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
            let diagonal_from_parent = diagonal_from_parent(corners, behind_free);
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

/// The directions to which no way round the cell is cheaper for certain.
const fn kept_on(relief: Relief, corners: Corners, arrival: u8, around: Neighbourhood) -> u8 {
    let mut left_out = opposite(arrival);
    let mut side = 0;
    while side < 2 {
        let sign = if side == 0 { 1 } else { 7 };
        let sideways = bit(arrival + 2 * sign);
        let behind = (arrival + 3 * sign) & 7;
        let behind_free = around.is_passable(Direction::from_number(behind));
        left_out |= bit(behind);
        let dearer = match relief {
            Relief::Steep => false,
            Relief::Gentle => arrival & 1 == 0 && diagonal_from_parent(corners, behind_free),
            Relief::High | Relief::Level if arrival & 1 != 0 => behind_free,
            Relief::High | Relief::Level => diagonal_from_parent(corners, behind_free),
        };
        if dearer {
            left_out |= sideways;
        }
        side += 1;
    }
    !left_out
}

/// After a straight move, whether the parent can go diagonally to the sideways cell, past the one behind that and the cell itself.
const fn diagonal_from_parent(corners: Corners, behind_free: bool) -> bool {
    match corners {
        Corners::Never => behind_free,
        Corners::One | Corners::Always | Corners::NoDiagonals => true,
    }
}

const fn bit(direction: u8) -> u8 {
    1 << (direction & 7)
}

const fn opposite(direction: u8) -> u8 {
    bit(direction + 4)
}
