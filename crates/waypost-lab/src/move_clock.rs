//! The time that the decisions of one walk took.

use std::time::{Duration, Instant};
use waypost::agent::{Decision, Meter};
use waypost::run::Watch;

/// Reads the clock around every decision of a walk; may end a walk that takes too long.
#[derive(Debug, Clone, Default)]
pub struct MoveClock {
    begun: Option<Instant>,
    deadline: Option<Instant>,
    decisions: u64,
    /// All decisions together.
    pub total: Duration,
    /// The first decision.
    pub first: Duration,
    /// The slowest decision.
    pub slowest: Duration,
}

impl MoveClock {
    /// A clock that ends the walk when this much time has passed from now on.
    pub fn with_limit(time: Duration) -> MoveClock {
        MoveClock {
            deadline: Instant::now().checked_add(time),
            ..MoveClock::default()
        }
    }
}

impl Watch for MoveClock {
    fn before(&mut self) {
        self.begun = Some(Instant::now());
    }

    fn after(&mut self, _decision: Decision, _meter: &Meter) {
        let spent = self.begun.take().map_or(Duration::ZERO, |b| b.elapsed());
        if self.decisions == 0 {
            self.first = spent;
        }
        self.decisions += 1;
        self.total += spent;
        self.slowest = self.slowest.max(spent);
    }

    fn goes_on(&self) -> bool {
        let looks = self.decisions.is_multiple_of(64);
        !(looks && self.deadline.is_some_and(|end| Instant::now() >= end))
    }
}
