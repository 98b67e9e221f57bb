//! Times of a walk that is so short that a single one says little: it is walked again and again, and the least of all is shown.

use anyhow::Result;
use std::fmt;
use std::time::{Duration, Instant};
use waypost_lab::move_clock::MoveClock;
use waypost_lab::table::time;

/// A walk that took as long is not walked again.
const LONG: Duration = Duration::from_secs(1);
/// The most walks, and when there are enough of them.
const MOST: u32 = 64;
const ENOUGH: Duration = Duration::from_millis(20);

/// What one walk took.
#[derive(Clone, Copy)]
pub struct WalkTimes {
    total: Duration,
    first: Duration,
    slowest: Duration,
}

impl WalkTimes {
    /// By a clock that was read around every move.
    pub fn of(clock: &MoveClock) -> WalkTimes {
        WalkTimes {
            total: clock.total,
            first: clock.first,
            slowest: clock.slowest,
        }
    }

    /// By nanoseconds of all moves, the first and the slowest.
    pub fn of_nanoseconds(total: u64, first: u64, slowest: u64) -> WalkTimes {
        let [total, first, slowest] = [total, first, slowest].map(Duration::from_nanos);
        WalkTimes {
            total,
            first,
            slowest,
        }
    }

    fn least(self, other: WalkTimes) -> WalkTimes {
        WalkTimes {
            total: self.total.min(other.total),
            first: self.first.min(other.first),
            slowest: self.slowest.min(other.slowest),
        }
    }
}

impl fmt::Display for WalkTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Single moves are timed in walks of their own: none takes longer than all.
        let [first, slowest] = [self.first, self.slowest].map(|part| part.min(self.total));
        let [total, first, slowest] = [self.total, first, slowest].map(time);
        write!(f, "{total}; first move {first}, slowest {slowest}")
    }
}

/// The least that walks with warm memory and caches took.
pub struct Steady {
    least: WalkTimes,
    walks: u32,
}

impl Steady {
    /// Whether there is any use in it after a first walk, which was cold, that took so long.
    pub fn is_worth(cold: Duration) -> bool {
        cold < LONG
    }

    /// Walks up to 64 times or for 20 ms.
    pub fn of(mut again: impl FnMut() -> Result<WalkTimes>) -> Result<Steady> {
        let begun = Instant::now();
        let mut steady = Steady {
            least: again()?,
            walks: 1,
        };
        while steady.walks < MOST && begun.elapsed() < ENOUGH {
            steady.least = steady.least.least(again()?);
            steady.walks += 1;
        }
        Ok(steady)
    }
}

impl fmt::Display for Steady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.walks {
            1 => write!(f, "{}, walked once more, warm;", self.least),
            walks => write!(f, "{}, the least of {walks} walks, warm;", self.least),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_several_walks_is_shown() {
        let mut walks = [(90, 50, 60), (40, 30, 35), (45, 20, 70)]
            .into_iter()
            .cycle();
        let again = || {
            let (total, first, slowest) = walks.next().expect("it goes round");
            Ok(WalkTimes::of_nanoseconds(total, first, slowest))
        };
        let steady = Steady::of(again).expect("no walk fails");
        let least = [steady.least.total, steady.least.first, steady.least.slowest];
        // At least one walk is made, however slow the machine.
        let expected = match steady.walks {
            1 => [90, 50, 60],
            2 => [40, 30, 35],
            _ => [40, 20, 35],
        };
        assert_eq!(least, expected.map(Duration::from_nanos));
    }

    #[test]
    fn no_move_takes_longer_than_all_of_them() {
        let times = WalkTimes::of_nanoseconds(1_000, 2_000, 3_000);
        let all = time(Duration::from_nanos(1_000));
        assert_eq!(
            times.to_string(),
            format!("{all}; first move {all}, slowest {all}")
        );
    }
}
