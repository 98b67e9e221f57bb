//! Work that is counted as it is done, so that it can stop and go on another tick.

/// What may still be done. Work is counted in *touches*, each about what a read of memory takes: four nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    given: i64,
    left: i64,
}

/// An operation, as games count them in budgets, takes about 30 ns.
const TOUCHES_AN_OPERATION: u64 = 8;

impl Allowance {
    /// For this many operations.
    pub fn of_operations(operations: u64) -> Allowance {
        let touches = operations.saturating_mul(TOUCHES_AN_OPERATION);
        let given = i64::try_from(touches).unwrap_or(i64::MAX);
        Allowance { given, left: given }
    }

    /// For all there is to do.
    pub fn unlimited() -> Allowance {
        Allowance::of_operations(u64::MAX)
    }

    /// This many touches were made.
    #[inline]
    pub fn spend(&mut self, touches: usize) {
        self.left -= touches as i64;
    }

    /// Whether the work must stop.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.left <= 0
    }

    /// How many touches are left, at least one.
    pub fn left(&self) -> usize {
        self.left.max(1) as usize
    }

    /// The operations that the work done so far amounts to.
    pub fn operations_spent(&self) -> u64 {
        ((self.given - self.left) as u64).div_ceil(TOUCHES_AN_OPERATION)
    }
}
