//! The numbers of a crowd's units: 0, 1, 2... in the order in which they came, none of them twice.

use crate::errors::{Failure, Outcome};
use std::ops::Range;
use waypost::navigator::UnitId;

/// What is said of a number that no unit has.
pub fn no_unit(number: &str) -> Failure {
    Failure::Value(format!(
        "no unit has the id {number}: it was taken off the map, or never was"
    ))
}

/// The living, by number and by unit. Takes memory for them alone, however many there were.
#[derive(Clone, Default)]
pub struct Members {
    /// By number.
    living: Vec<(u64, UnitId)>,
    /// By unit: the order in which the crowd visits them.
    visited: Vec<(UnitId, u64)>,
    /// The number of the next unit.
    next: u64,
    /// The place among the living of each unit, in the order of visits; empty where it has to be found again.
    rows: Vec<u32>,
}

impl Members {
    /// As a snapshot has them; `None` where that cannot be.
    pub fn of(living: Vec<(u64, UnitId)>, next: u64) -> Option<Members> {
        let is_rising = living.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_below = living.last().is_none_or(|&(number, _)| number < next);
        let mut visited: Vec<_> = living
            .iter()
            .map(|&(number, unit)| (unit, number))
            .collect();
        visited.sort_unstable();
        let is_once = visited.windows(2).all(|pair| pair[0].0 != pair[1].0);
        (is_rising && is_below && is_once).then_some(Members {
            living,
            visited,
            next,
            rows: Vec::new(),
        })
    }

    /// All living: number and unit, by number.
    pub fn living(&self) -> &[(u64, UnitId)] {
        &self.living
    }

    /// The number that the next unit has.
    pub fn next(&self) -> u64 {
        self.next
    }

    fn place(&self, number: u64) -> Option<usize> {
        let (first, _) = self.living.first()?;
        // Where all are alive that came since the first, numbers are places.
        let guess = usize::try_from(number.checked_sub(*first)?).ok()?;
        if self.living.get(guess).is_some_and(|(n, _)| *n == number) {
            return Some(guess);
        }
        let found = self.living.binary_search_by_key(&number, |&(n, _)| n);
        found.ok()
    }

    /// The unit of a number.
    pub fn unit(&self, number: i64) -> Outcome<UnitId> {
        let place = u64::try_from(number).ok().and_then(|n| self.place(n));
        place
            .map(|at| self.living[at].1)
            .ok_or_else(|| no_unit(&number.to_string()))
    }

    /// The units of numbers.
    pub fn units(&self, numbers: &[i64]) -> Outcome<Vec<UnitId>> {
        numbers.iter().map(|&number| self.unit(number)).collect()
    }

    /// The number of a unit.
    pub fn number(&self, unit: UnitId) -> Option<u64> {
        let found = self.visited.binary_search_by_key(&unit, |&(unit, _)| unit);
        found.ok().map(|at| self.visited[at].1)
    }

    /// Numbers new units.
    pub fn add(&mut self, units: &[UnitId]) -> Range<u64> {
        let first = self.next;
        self.next += units.len() as u64;
        let numbered = || units.iter().copied().zip(first..);
        self.living
            .extend(numbered().map(|(unit, number)| (number, unit)));
        self.visited.extend(numbered());
        // Two sorted runs, or nearly: merged.
        self.visited.sort();
        self.rows.clear();
        first..self.next
    }

    /// Forgets units.
    pub fn remove(&mut self, units: &[UnitId]) {
        let mut gone = units.to_vec();
        gone.sort_unstable();
        let stays = |unit: UnitId| gone.binary_search(&unit).is_err();
        self.living.retain(|&(_, unit)| stays(unit));
        self.visited.retain(|&(unit, _)| stays(unit));
        self.rows.clear();
    }

    /// For every unit in the order of visits its place among the living.
    pub fn rows(&mut self) -> &[u32] {
        if self.rows.len() != self.visited.len() {
            let places = self.visited.iter().map(|&(_, number)| self.place(number));
            self.rows = places.map(|at| at.unwrap_or(0) as u32).collect();
        }
        &self.rows
    }
}
