//! How many of our values are near the paper's. What could not be otherwise is no agreement, and what stands in two tables
//! of a paper is counted once.

use crate::document::{Entry, Tone};
use std::collections::BTreeSet;

/// Values beside a paper's, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Values with a paper's value beside them: no definitions, no repeats, no lower bounds that leave it open.
    pub compared: usize,
    /// Those of them within their tolerance.
    pub within: usize,
    /// Lower bounds that may or may not be within.
    pub undecided: usize,
    /// Values that are the paper's by definition.
    pub definitions: usize,
    /// Values that an earlier table has too.
    pub repeats: usize,
    seen: BTreeSet<String>,
}

/// What is known of a value before it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Names what is compared: the same name twice is a repeat.
    pub what: String,
    /// It could not be otherwise.
    pub by_definition: bool,
    /// It follows from values of other tables.
    pub derived: bool,
    /// Ours is a lower bound.
    pub lower_bound: bool,
}

/// A value that is the paper's by definition differs by no more than rounding.
const DEFINED: f64 = 0.05;

impl Agreement {
    /// Judges our value over the paper's, and counts it.
    pub fn judge(&mut self, ratio: Option<f64>, tolerance: f64, standing: &Standing) -> Entry {
        let Some(ratio) = ratio else {
            return Entry::text("–").toned(Tone::Faint);
        };
        let entry = Entry::number(Some(ratio)).bounded(standing.lower_bound);
        // A definition that does not come out is a mistake in the paper's values or in ours: it is judged as any other value.
        if standing.by_definition && (ratio - 1.0).abs() <= DEFINED {
            self.definitions += 1;
            return entry.followed_by(" (definition)").toned(Tone::Faint);
        }
        if standing.derived {
            self.repeats += 1;
            return entry.followed_by(" (as above)").toned(Tone::Faint);
        }
        let counts = self.seen.insert(standing.what.clone());
        self.repeats += usize::from(!counts);
        let above = ratio > tolerance;
        if standing.lower_bound && !above {
            self.undecided += usize::from(counts);
            return entry.followed_by(" ?");
        }
        let within = !above && ratio >= 1.0 / tolerance;
        self.compared += usize::from(counts);
        self.within += usize::from(counts && within);
        if within {
            return entry.toned(Tone::Good);
        }
        entry.followed_by(" ✗").toned(Tone::Bad)
    }

    /// In one line; `None` where nothing was compared.
    pub fn summary(&self) -> Option<String> {
        if self.compared + self.undecided == 0 {
            return None;
        }
        Some(format!(
            "Values: {} of {} are as the paper's within their stated tolerance; the others are marked ✗. Not counted: {} lower bounds that \
             leave it open (?), {} that are so by definition, {} that repeat or follow from other tables.",
            self.within, self.compared, self.undecided, self.definitions, self.repeats
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_could_be_otherwise_is_counted_once() {
        let mut agreement = Agreement::default();
        let plain = |what: &str| Standing {
            what: what.to_string(),
            by_definition: false,
            derived: false,
            lower_bound: false,
        };
        let bound = |what: &str| Standing {
            lower_bound: true,
            ..plain(what)
        };
        let mut tone = |ratio, standing: Standing| {
            let entry = agreement.judge(Some(ratio), 2.0, &standing);
            (entry.text, entry.tone)
        };
        assert_eq!(tone(1.5, plain("a")), ("1.50".into(), Tone::Good));
        assert_eq!(tone(1.5, plain("a")).1, Tone::Good, "a repeat");
        assert_eq!(tone(3.0, plain("b")), ("3 ✗".into(), Tone::Bad));
        assert_eq!(tone(1.5, bound("c")).0, "≥ 1.50 ?");
        assert_eq!(tone(0.1, bound("d")).0, "≥ 0.100 ?");
        assert_eq!(tone(2.5, bound("e")).1, Tone::Bad, "certain all the same");
        let defined = Standing {
            by_definition: true,
            ..plain("f")
        };
        assert_eq!(tone(1.0, defined.clone()).1, Tone::Faint);
        assert_eq!(tone(3.0, defined).1, Tone::Bad, "no definition after all");
        let derived = Standing {
            derived: true,
            ..plain("g")
        };
        assert_eq!(tone(3.0, derived).0, "3 (as above)");
        let counted = (
            agreement.compared,
            agreement.within,
            agreement.undecided,
            agreement.definitions,
            agreement.repeats,
        );
        assert_eq!(counted, (4, 1, 2, 1, 2));
    }
}
