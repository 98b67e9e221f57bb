//! Claims of papers, looked at: pass or fail, with the numbers.

use super::Results;
use crate::document::{Entry, Sheet, Tone, figure};
use crate::lab::published::{Claim, Published};

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// What it compares was not measured.
    NotChecked,
}

impl Verdict {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "FAIL",
            Verdict::NotChecked => "not checked",
        }
    }
}

/// A claim that was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// In words.
    pub text: String,
    /// Where the paper says so.
    pub source: String,
    /// The two numbers and how they should compare.
    pub numbers: String,
    /// Does it hold?
    pub verdict: Verdict,
}

impl Results<'_> {
    /// Looks at a claim.
    pub fn check(&self, claim: &Claim) -> Checked {
        let against = claim.against.as_deref();
        let value = |name: &str| self.value(name, claim.measure, against, claim.min_length);
        let sides = match &claim.right {
            Some(right) => {
                let (left, measure) = (&claim.left, claim.measure);
                self.pair(left, right, measure, against, claim.min_length)
            }
            None => value(&claim.left).zip(claim.value),
        };
        let sides = sides.map(|(left, right)| (left * claim.factor, right));
        let (numbers, verdict) = match sides {
            None => (String::new(), Verdict::NotChecked),
            Some((left, right)) => {
                let holds = claim.is.holds(left, right);
                let numbers = format!("{} {} {}", figure(left), claim.is.sign(), figure(right));
                (numbers, if holds { Verdict::Pass } else { Verdict::Fail })
            }
        };
        Checked {
            text: claim.text.clone(),
            source: claim.source.clone(),
            numbers,
            verdict,
        }
    }
}

/// All claims as a table.
pub fn claims_sheet(checked: &[Checked]) -> Sheet {
    let mut sheet = Sheet::new("claims", "Claims", "");
    for heading in ["claim", "where", "numbers", "verdict"] {
        sheet.words(heading);
    }
    for claim in checked {
        let tone = match claim.verdict {
            Verdict::Pass => Tone::Good,
            Verdict::Fail => Tone::Bad,
            Verdict::NotChecked => Tone::Faint,
        };
        sheet.rows.push(vec![
            Entry::text(&claim.text),
            Entry::text(&claim.source),
            Entry::text(&claim.numbers),
            Entry::text(claim.verdict.name()).toned(tone),
        ]);
    }
    sheet
}

/// The claims of a paper, looked at.
pub fn check_all(results: &Results, published: &Published) -> Vec<Checked> {
    let claims = published.claims.iter();
    claims.map(|claim| results.check(claim)).collect()
}
