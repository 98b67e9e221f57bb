//! Integer costs.
//!
//! Every search adds, compares and stores [`Cost`], a `u32`. Nothing is rounded, so ties are ties on every platform, and
//! first-move sets, canonical paths and records built from them are reproducible. Lengths that people read come from
//! [`Length`]: counted straight and diagonal moves, turned into a number once, at the end.

/// The cost of a path or an edge in the integer units of a [`CostPair`].
pub type Cost = u32;

/// More than any path costs: "not reached". Additions in searches saturate here, so a path beyond 4.3 million straight
/// moves counts as not found instead of wrapping round.
pub const UNREACHED: Cost = Cost::MAX;

/// What a straight and a diagonal move cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CostPair {
    /// 985 and 1393: a convergent of the square root of 2. Two paths that differ by fewer than 985 diagonal moves are
    /// ordered as their true lengths are.
    #[default]
    Sqrt2,
    /// 5 and 7: the 1 and 1.4 of the real-time search papers, exactly.
    OnePointFour,
}

impl CostPair {
    /// The cost of a straight move.
    #[inline]
    pub const fn straight(self) -> Cost {
        match self {
            CostPair::Sqrt2 => 985,
            CostPair::OnePointFour => 5,
        }
    }

    /// The cost of a diagonal move.
    #[inline]
    pub const fn diagonal(self) -> Cost {
        match self {
            CostPair::Sqrt2 => 1393,
            CostPair::OnePointFour => 7,
        }
    }

    /// Both costs.
    #[inline]
    pub const fn steps(self) -> StepCosts {
        StepCosts {
            straight: self.straight(),
            diagonal: self.diagonal(),
        }
    }

    /// The cheapest way over a free plane: diagonal moves first, then straight ones.
    #[inline]
    pub const fn octile(self, dx: u32, dy: u32) -> Cost {
        self.steps().octile(dx, dy)
    }

    /// A path's counted moves as the length that people read.
    pub fn length(self, moves: Length) -> f64 {
        let diagonal = match self {
            CostPair::Sqrt2 => std::f64::consts::SQRT_2,
            CostPair::OnePointFour => 1.4,
        };
        moves.straight as f64 + moves.diagonal as f64 * diagonal
    }

    /// An integer cost as an approximate length: for thresholds and estimates, not for reports of a path, which count
    /// moves (see [`CostPair::length`]).
    pub fn approximate_length(self, cost: Cost) -> f64 {
        f64::from(cost) / f64::from(self.straight())
    }

    /// The name that the command line and files use.
    pub const fn name(self) -> &'static str {
        match self {
            CostPair::Sqrt2 => "sqrt2",
            CostPair::OnePointFour => "1.4",
        }
    }
}

/// The costs of a straight and of a diagonal move that estimates reckon with: those of every move on a plain map, the least
/// of any on a map with terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCosts {
    /// One row or one column on.
    pub straight: Cost,
    /// One row and one column on.
    pub diagonal: Cost,
}

impl StepCosts {
    /// The cheapest way over a free plane: diagonal moves first, then straight ones.
    #[inline]
    pub const fn octile(self, dx: u32, dy: u32) -> Cost {
        let (small, large) = if dx < dy { (dx, dy) } else { (dy, dx) };
        large * self.straight + small * (self.diagonal - self.straight)
    }
}

/// Counted moves of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Length {
    /// Moves to a cell in the same row or column.
    pub straight: u64,
    /// Moves to a diagonal neighbour.
    pub diagonal: u64,
}

impl Length {
    /// The number of moves.
    pub const fn moves(self) -> u64 {
        self.straight + self.diagonal
    }
}

impl std::ops::AddAssign for Length {
    fn add_assign(&mut self, other: Length) {
        self.straight += other.straight;
        self.diagonal += other.diagonal;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octile_counts_diagonals_first() {
        assert_eq!(CostPair::OnePointFour.octile(5, 2), 3 * 5 + 2 * 7);
        assert_eq!(CostPair::Sqrt2.octile(3, 3), 3 * 1393);
        assert_eq!(CostPair::Sqrt2.octile(0, 0), 0);
    }

    #[test]
    fn lengths_use_the_true_root() {
        let moves = Length {
            straight: 1,
            diagonal: 2,
        };
        assert_eq!(
            CostPair::Sqrt2.length(moves),
            1.0 + 2.0 * std::f64::consts::SQRT_2
        );
        assert_eq!(CostPair::OnePointFour.length(moves), 1.0 + 2.0 * 1.4);
    }
}
