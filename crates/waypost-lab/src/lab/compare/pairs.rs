//! Two algorithms compared problem by problem, and the sign test.
//!
//! A mean that holds walks that were given up is a lower bound, and two of them decide nothing. Problem by problem there is more to
//! see: a walk that arrived is shorter than one that was given up after going further. How often one side has less is judged by
//! the sign test, which asks nothing of how values are distributed: were both sides alike, each would have less as often as
//! the other. It speaks of most problems, not of means, so it decides no claim about means; it stands beside the verdict.

use super::{Reading, decide};
use crate::document::figure;
use crate::lab::measures::Aggregate;
use crate::lab::published::Relation;
use crate::lab::sample::Sample;

/// On how many problems which side has less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// The left side has less.
    pub less: u64,
    /// The left side has more.
    pub more: u64,
    /// Both have the same.
    pub equal: u64,
    /// Walks were given up, and that leaves it open.
    pub open: u64,
}

impl Pairs {
    /// Compares a mean, problem by problem; the mean of its seeds of records stands for each. `None` where the measure is
    /// not a mean over problems.
    pub fn of(measure: Aggregate, factor: f64, left: &Sample, right: &Sample) -> Option<Pairs> {
        if !measure.is_mean_over_problems() {
            return None;
        }
        let read = |sample: &Sample| {
            // What is counted a move of a walk without end is of no arrival.
            let is_of_arrivals = !measure.is_per_move() || sample.given_up() == 0;
            Reading::of(measure, sample, None).filter(|_| is_of_arrivals)
        };
        let mut pairs = Pairs::default();
        for (left, right) in left.each_problem().zip(right.each_problem()) {
            pairs.count(read(&left).map(|left| left.times(factor)), read(&right));
        }
        Some(pairs)
    }

    fn count(&mut self, left: Option<Reading>, right: Option<Reading>) {
        let sides = left.zip(right);
        let is = |relation| sides.and_then(|(left, right)| decide(relation, left, right));
        match (is(Relation::Less), is(Relation::More)) {
            (Some(true), _) => self.less += 1,
            (_, Some(true)) => self.more += 1,
            (Some(false), Some(false)) => self.equal += 1,
            _ => self.open += 1,
        }
    }

    /// How likely a difference as large or larger is where both sides are alike, whatever the open problems would have given: they are
    /// counted for the side that has less of the others. Problems where both have the same do not count.
    pub fn likelihood(&self) -> f64 {
        let fewer = self.less.min(self.more) + self.open;
        let count = self.less + self.more + self.open;
        if 2 * fewer >= count {
            return 1.0;
        }
        // The binomial distribution up to `fewer`, summed as logarithms: 2 to the power of -count is too small for a number.
        let mut term = -(count as f64) * std::f64::consts::LN_2;
        let mut tail = 0.0;
        for i in 0..=fewer {
            tail += term.exp();
            term += ((count - i) as f64 / (i + 1) as f64).ln();
        }
        (2.0 * tail).min(1.0)
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut parts = vec![format!("less on {}, more on {}", self.less, self.more)];
        if self.equal > 0 {
            parts.push(format!("equal on {}", self.equal));
        }
        if self.open > 0 {
            parts.push(format!("open on {}", self.open));
        }
        let likelihood = match self.likelihood() {
            small if small < 0.001 => "p < 0.001".to_string(),
            p => format!("p = {}", figure(p)),
        };
        format!("{}; {likelihood}", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(less: u64, more: u64, open: u64) -> Pairs {
        Pairs {
            less,
            more,
            equal: 7,
            open,
        }
    }

    #[test]
    fn likelihoods_are_those_of_coins() {
        // Ten coins, all the same: two ways of 1,024. Nine of ten: 22 ways.
        assert!((pairs(10, 0, 0).likelihood() - 2.0 / 1024.0).abs() < 1e-12);
        assert!((pairs(1, 9, 0).likelihood() - 22.0 / 1024.0).abs() < 1e-12);
        assert_eq!(pairs(5, 5, 0).likelihood(), 1.0);
        assert_eq!(pairs(0, 0, 0).likelihood(), 1.0);
        assert!(pairs(3000, 1, 0).likelihood() < 1e-9);
        assert!(
            pairs(1600, 1400, 0).likelihood() > 1e-4,
            "no overflow on the way"
        );
    }

    #[test]
    fn open_problems_count_against_a_difference() {
        assert!(pairs(20, 2, 0).likelihood() < 0.001);
        assert!(pairs(20, 2, 9).likelihood() > 0.05);
        assert_eq!(pairs(20, 2, 18).likelihood(), 1.0);
    }

    #[test]
    fn a_walk_that_was_given_up_is_longer_than_one_that_arrived_before() {
        let exact = |value| Some(Reading::exact(value));
        let bound = |value| {
            Some(Reading {
                value,
                lower_bound: true,
            })
        };
        let mut counted = Pairs::default();
        counted.count(exact(1.0), bound(2.0));
        counted.count(exact(3.0), bound(2.0));
        counted.count(bound(3.0), exact(2.0));
        counted.count(bound(1.0), bound(2.0));
        counted.count(exact(2.0), exact(2.0));
        counted.count(None, exact(2.0));
        let expected = Pairs {
            less: 1,
            more: 1,
            equal: 1,
            open: 3,
        };
        assert_eq!(counted, expected);
    }
}
