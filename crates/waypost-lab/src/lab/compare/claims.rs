//! Claims of papers, looked at: pass, fail, undecided with the reason, or true by definition.
//!
//! A verdict wants more than two numbers in the right order. A mean that holds walks that were given up is a lower bound: it
//! can lie above something, never below. And what other problems of the same kind might turn round is not decided.

use super::{Pairs, Reading, Results, decide};
use crate::document::{Entry, Sheet, Tone, figure};
use crate::lab::published::{Claim, Published, Threshold};
use crate::lab::sample::{CONFIDENCE_PERCENT, Sample, interval};

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// The numbers do not decide it.
    Undecided,
    /// It holds, and could not do otherwise.
    ByDefinition,
    /// What it compares was not measured.
    NotChecked,
}

impl Verdict {
    /// All of them, in the order of summaries.
    pub const ALL: [Verdict; 5] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Undecided,
        Verdict::ByDefinition,
        Verdict::NotChecked,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Undecided => "undecided",
            Verdict::ByDefinition => "by definition",
            Verdict::NotChecked => "not checked",
        }
    }

    fn tone(self) -> Tone {
        match self {
            Verdict::Pass => Tone::Good,
            Verdict::Fail => Tone::Bad,
            Verdict::Undecided => Tone::Plain,
            Verdict::ByDefinition | Verdict::NotChecked => Tone::Faint,
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
    /// Whose threshold it is, where it has one.
    pub threshold: Option<Threshold>,
    /// The two numbers with their unit, and how they should compare.
    pub numbers: String,
    /// Both sides, before the factor.
    pub sides: Option<(Reading, Reading)>,
    /// Multiplies the left side.
    pub factor: f64,
    /// The unit of both sides; empty for plain counts and ratios.
    pub unit: &'static str,
    /// The interval of the left side less the right one, where problems can be drawn again.
    pub difference: Option<(f64, f64)>,
    /// Both sides problem by problem, where a claim compares means of two algorithms.
    pub pairs: Option<Pairs>,
    /// How it fared.
    pub verdict: Verdict,
    /// Why it is undecided, or true by definition; empty otherwise.
    pub reason: String,
}

/// Two runs of one program differ by as much: a smaller difference of times decides nothing.
pub(crate) const TIMES_WANDER_PERCENT: f64 = 5.0;

/// What is counted a move is judged where at most so many walks of a hundred were given up.
const MOST_GIVEN_UP_PERCENT: f64 = 5.0;

impl Results<'_> {
    /// Looks at a claim.
    pub fn check(&self, claim: &Claim) -> Checked {
        let mut checked = Checked {
            text: claim.text.clone(),
            source: claim.source.clone(),
            threshold: claim.threshold,
            numbers: String::new(),
            sides: None,
            factor: 1.0,
            unit: "",
            difference: None,
            pairs: None,
            verdict: Verdict::NotChecked,
            reason: String::new(),
        };
        let sides = self.sides(claim);
        let Some((left, right)) = sides.readings(claim) else {
            return checked;
        };
        let unit = match claim.measure.unit() {
            "" => String::new(),
            unit => format!(" {unit}"),
        };
        let sign = claim.is.sign();
        let factor = match claim.factor {
            1.0 => String::new(),
            factor => format!("{} × ", figure(factor)),
        };
        let shown = (left.text(), right.text());
        checked.numbers = format!("{factor}{} {sign} {}{unit}", shown.0, shown.1);
        checked.sides = Some((left, right));
        checked.factor = claim.factor;
        checked.unit = claim.measure.unit();
        checked.pairs = sides.pairs(claim);
        let left = left.times(claim.factor);
        if let Some(reason) = sides.reason_of_walks(claim) {
            checked.verdict = Verdict::Undecided;
            checked.reason = reason;
            return checked;
        }
        let holds = match decide(claim.is, left, right) {
            Some(holds) => holds,
            None => {
                checked.verdict = Verdict::Undecided;
                checked.reason = sides.reason_of_bounds(left, right);
                return checked;
            }
        };
        if let Some(reason) = claim.by_definition.as_ref().filter(|_| holds) {
            checked.verdict = Verdict::ByDefinition;
            checked.reason.clone_from(reason);
            return checked;
        }
        checked.difference = sides.difference(claim);
        checked.verdict = if holds { Verdict::Pass } else { Verdict::Fail };
        if !holds && claim.possible {
            checked.verdict = Verdict::Undecided;
            checked.reason = "the paper says that it can be so; on these problems it is not".into();
            return checked;
        }
        if claim.measure.varies_with_problems() && checked.difference.is_none() {
            checked.verdict = Verdict::Undecided;
            checked.reason = "not every draw of the problems gives a value".into();
            return checked;
        }
        if claim.measure.is_time() && left.is_near(right) {
            checked.verdict = Verdict::Undecided;
            checked.reason = format!("times that differ by less than {TIMES_WANDER_PERCENT}%");
            return checked;
        }
        if let Some((low, high)) = checked.difference
            && (claim.is.holds(low, 0.0) != holds || claim.is.holds(high, 0.0) != holds)
        {
            checked.verdict = Verdict::Undecided;
            checked.reason = format!(
                "the {CONFIDENCE_PERCENT}% interval of the difference, {} to {}{unit}, holds both answers",
                figure(low),
                figure(high)
            );
        }
        checked
    }

    /// What a claim compares: both algorithms on the maps that both ran on.
    fn sides(&self, claim: &Claim) -> Sides<'_> {
        let maps = match &claim.right {
            None => self.clone(),
            Some(right) => self.common(&claim.left, right),
        };
        let sample = |name: &str| maps.sample(name, claim.min_length);
        Sides {
            left: sample(&claim.left),
            right: claim.right.as_deref().map(sample),
            against: claim.against.as_deref().map(sample),
        }
    }
}

/// The samples that a claim compares.
struct Sides<'a> {
    left: Sample<'a>,
    right: Option<Sample<'a>>,
    against: Option<Sample<'a>>,
}

impl Sides<'_> {
    fn readings(&self, claim: &Claim) -> Option<(Reading, Reading)> {
        let read = |sample: &Sample| Reading::of(claim.measure, sample, self.against.as_ref());
        let left = read(&self.left)?;
        match &self.right {
            Some(right) => Some((left, read(right)?)),
            None => Some((left, Reading::exact(claim.value?))),
        }
    }

    /// Why what is counted a move, or against another algorithm, says nothing where too many walks were given up.
    fn reason_of_walks(&self, claim: &Claim) -> Option<String> {
        let sides = [Some(&self.left), self.right.as_ref()];
        let share = |sample: &Sample| sample.share(|problem| !problem.counts.solved);
        let most = sides.into_iter().flatten().map(share).fold(0.0, f64::max);
        if claim.measure.is_per_move() && most > MOST_GIVEN_UP_PERCENT {
            return Some(format!(
                "{}% of the walks of one side were given up, and their moves are of no arrival",
                figure(most)
            ));
        }
        let against = self.against.as_ref().filter(|s| s.given_up() > 0)?;
        Some(format!(
            "{} walks of the algorithm compared with were given up",
            against.given_up()
        ))
    }

    fn reason_of_bounds(&self, left: Reading, right: Reading) -> String {
        let walks = |sample: &Sample| match sample.given_up() {
            1 => "1 walk was given up".to_string(),
            count => format!("{count} walks were given up"),
        };
        let name = |is: bool, side, sample: Option<&Sample>| {
            let sample = sample.filter(|_| is)?;
            Some(format!(
                "the {side} side is a lower bound: {}",
                walks(sample)
            ))
        };
        [
            name(left.lower_bound, "left", Some(&self.left)),
            name(right.lower_bound, "right", self.right.as_ref()),
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; ")
    }

    fn pairs(&self, claim: &Claim) -> Option<Pairs> {
        Pairs::of(
            claim.measure,
            claim.factor,
            &self.left,
            self.right.as_ref()?,
        )
    }

    /// The interval of the left side less the right one.
    fn difference(&self, claim: &Claim) -> Option<(f64, f64)> {
        if !claim.measure.varies_with_problems() {
            return None;
        }
        interval(|draw| {
            let against = self.against.as_ref().map(|sample| sample.drawn(draw, 2));
            let of = |sample: &Sample, side| {
                let drawn = sample.drawn(draw, side);
                claim.measure.of(&drawn, against.as_ref())
            };
            let right = match &self.right {
                Some(right) => of(right, 1)?,
                None => claim.value?,
            };
            Some(of(&self.left, 0)? * claim.factor - right)
        })
    }
}

/// All claims as a table.
pub fn claims_sheet(checked: &[Checked]) -> Sheet {
    let note = format!(
        "≥ before a number: walks were given up, and it is a lower bound. The interval holds {CONFIDENCE_PERCENT}% of the differences, \
         left less right, that problems drawn again give; where it holds both answers the claim is undecided, and so are times that differ by less \
         than {TIMES_WANDER_PERCENT}%. What stands before × multiplies the left side. Problem by problem: on how many of them the left side has less or \
         more than the right one (open: walks were given up), and how likely that is where both are alike (sign test, open ones counted against it). It \
         speaks of most problems, not of means, and decides no claim."
    );
    let mut sheet = Sheet::new("claims", "Claims", &note);
    for heading in ["claim", "where", "threshold", "numbers"] {
        sheet.words(heading);
    }
    sheet.words("difference");
    sheet.words("problem by problem");
    sheet.words("verdict");
    sheet.words("why");
    for claim in checked {
        let difference = claim
            .difference
            .map(|(low, high)| format!("{} to {} {}", figure(low), figure(high), claim.unit));
        sheet.rows.push(vec![
            Entry::text(&claim.text),
            Entry::text(&claim.source),
            Entry::text(claim.threshold.map_or("", Threshold::name)),
            Entry::text(&claim.numbers),
            Entry::text(difference.unwrap_or_default()),
            Entry::text(claim.pairs.map(|pairs| pairs.text()).unwrap_or_default()),
            Entry::text(claim.verdict.name()).toned(claim.verdict.tone()),
            Entry::text(&claim.reason),
        ]);
    }
    sheet
}

/// All claims as programs read them: numbers with all their digits, a column each.
pub fn claims_csv(checked: &[Checked]) -> String {
    let mut sheet = Sheet::new("claims", "Claims", "");
    for heading in ["claim", "where", "threshold", "verdict", "why", "unit"] {
        sheet.words(heading);
    }
    for heading in [
        "factor of the left side",
        "left",
        "right",
        "difference, low",
        "difference, high",
        "problems where left is less",
        "problems where left is more",
        "problems where both are equal",
        "problems left open",
        "sign test, p",
    ] {
        sheet.numbers(heading);
    }
    for claim in checked {
        let side = |reading: Option<Reading>| {
            let value = reading.map(|reading| reading.value);
            Entry::number(value).bounded(reading.is_some_and(|reading| reading.lower_bound))
        };
        let (left, right) = claim.sides.unzip();
        let (low, high) = claim.difference.unzip();
        let pairs = |of: fn(&Pairs) -> f64| Entry::number(claim.pairs.as_ref().map(of));
        sheet.rows.push(vec![
            Entry::text(&claim.text),
            Entry::text(&claim.source),
            Entry::text(claim.threshold.map_or("", Threshold::name)),
            Entry::text(claim.verdict.name()),
            Entry::text(&claim.reason),
            Entry::text(claim.unit),
            Entry::number(Some(claim.factor)),
            side(left),
            side(right),
            Entry::number(low),
            Entry::number(high),
            pairs(|pairs| pairs.less as f64),
            pairs(|pairs| pairs.more as f64),
            pairs(|pairs| pairs.equal as f64),
            pairs(|pairs| pairs.open as f64),
            pairs(Pairs::likelihood),
        ]);
    }
    sheet.to_csv()
}

/// The claims of a paper, looked at.
pub fn check_all(results: &Results, published: &Published) -> Vec<Checked> {
    let claims = published.claims.iter();
    claims.map(|claim| results.check(claim)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::published::Relation;

    fn reading(value: f64, lower_bound: bool) -> Reading {
        Reading { value, lower_bound }
    }

    #[test]
    fn lower_bounds_decide_only_what_they_can() {
        use Relation::{AtLeast, AtMost, Less, More};
        // Each side with whether it is a bound, and what follows.
        let cases = [
            ((1.0, false), Less, (2.0, false), Some(true)),
            ((3.0, false), Less, (2.0, false), Some(false)),
            ((1.0, true), Less, (2.0, false), None),
            ((3.0, true), Less, (2.0, false), Some(false)),
            ((2.0, true), AtMost, (2.0, false), None),
            ((3.0, true), More, (2.0, false), Some(true)),
            ((1.0, true), More, (2.0, false), None),
            ((1.0, false), Less, (2.0, true), Some(true)),
            ((3.0, false), Less, (2.0, true), None),
            ((3.0, false), AtLeast, (2.0, true), None),
            ((1.0, false), AtLeast, (2.0, true), Some(false)),
            ((1.0, true), Less, (2.0, true), None),
            ((3.0, true), More, (2.0, true), None),
        ];
        for (left, is, right, expected) in cases {
            let decided = decide(is, reading(left.0, left.1), reading(right.0, right.1));
            assert_eq!(decided, expected, "{left:?} {} {right:?}", is.sign());
        }
    }

    #[test]
    fn no_lower_bound_on_the_left_passes_as_less() {
        for (left, right) in [(0.0, 1e9), (1.0, 2.0), (2.0, 2.0), (5.0, f64::MAX)] {
            for is in [Relation::Less, Relation::AtMost] {
                for bound in [false, true] {
                    let decided = decide(is, reading(left, true), reading(right, bound));
                    assert_ne!(decided, Some(true), "{left} {} {right}", is.sign());
                }
            }
        }
    }
}
