//! Our numbers beside the paper's: tables with ratios and verdicts, quotients, claims, and the front.

mod agreement;
mod claims;
mod pairs;

pub use agreement::Agreement;
pub use claims::{Checked, Verdict, check_all, claims_csv, claims_sheet};
pub use pairs::Pairs;

use super::measures::Aggregate;
use super::published::{
    Column, PublishedProblems, PublishedSpread, RatioTable, Relation, TableText,
};
use super::run::Ground;
use super::sample::{MapSample, Sample};
use super::trial::{Measured, Outcome, ProblemRecord};
use crate::difficulty::Spread;
use crate::document::{Entry, Sheet, Tone, figure};
use agreement::Standing;

/// Everything measured in a run.
#[derive(Clone)]
pub struct Results<'a> {
    grounds: Vec<&'a Ground>,
}

/// A measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The value.
    pub value: f64,
    /// The true value is this or more: walks were given up.
    pub lower_bound: bool,
}

impl Reading {
    /// A value that is no bound.
    pub fn exact(value: f64) -> Reading {
        Reading {
            value,
            lower_bound: false,
        }
    }

    /// A measure of a sample.
    pub fn of(measure: Aggregate, sample: &Sample, against: Option<&Sample>) -> Option<Reading> {
        Some(Reading {
            value: measure.of(sample, against)?,
            lower_bound: measure.is_lower_bound(sample),
        })
    }

    fn times(self, factor: f64) -> Reading {
        Reading {
            value: self.value * factor,
            ..self
        }
    }

    /// Do two times differ by no more than two runs of one program?
    fn is_near(self, other: Reading) -> bool {
        let larger = self.value.abs().max(other.value.abs());
        (self.value - other.value).abs() <= larger * claims::TIMES_WANDER_PERCENT / 100.0
    }

    /// For people: with a mark where it is a lower bound.
    pub fn text(self) -> String {
        let mark = if self.lower_bound { "≥ " } else { "" };
        format!("{mark}{}", figure(self.value))
    }

    fn entry(self) -> Entry {
        Entry::number(Some(self.value)).bounded(self.lower_bound)
    }
}

/// How two sides compare where one or both are lower bounds; `None` where that leaves it open.
fn decide(is: Relation, left: Reading, right: Reading) -> Option<bool> {
    let highest = |side: Reading| match side.lower_bound {
        true => f64::INFINITY,
        false => side.value,
    };
    let (small_left, large_left) = (
        is.holds(left.value, highest(right)),
        is.holds(highest(left), right.value),
    );
    let (at_best, at_worst) = match is {
        Relation::Less | Relation::AtMost => (small_left, large_left),
        Relation::More | Relation::AtLeast => (large_left, small_left),
    };
    (at_best == at_worst).then_some(at_best)
}

/// A name, what a paper says of it, and how it is read off a problem.
type SpreadRow<'a> = (&'a str, PublishedSpread, fn(&ProblemRecord) -> f64);

impl<'a> Results<'a> {
    /// The results on all maps that were used.
    pub fn new(grounds: &'a [Ground]) -> Results<'a> {
        let used = grounds.iter().filter(|ground| ground.skipped.is_none());
        Results {
            grounds: used.collect(),
        }
    }

    /// The maps that were used.
    pub fn grounds(&self) -> &[&'a Ground] {
        &self.grounds
    }

    /// What an algorithm did on one map.
    pub fn on_map(&self, ground: &'a Ground, algorithm: &str) -> Option<&'a Measured> {
        let trial = ground.trials.iter().find(|t| t.algorithm == algorithm)?;
        match &trial.outcome {
            Outcome::Measured(measured) => Some(measured),
            Outcome::Refused(_) => None,
        }
    }

    /// What an algorithm did on all maps, on problems at least so long.
    pub fn sample(&self, algorithm: &str, min_length: f64) -> Sample<'a> {
        let maps = self.grounds.iter().filter_map(|ground| {
            let measured = self.on_map(ground, algorithm)?;
            let cells = ground.map.grid().passable_count();
            Some(MapSample::new(cells, measured, min_length))
        });
        Sample {
            maps: maps.collect(),
        }
    }

    /// A measure of an algorithm.
    pub fn value(
        &self,
        algorithm: &str,
        measure: Aggregate,
        against: Option<&str>,
        min_length: f64,
    ) -> Option<Reading> {
        let other = against.map(|name| self.sample(name, min_length));
        Reading::of(measure, &self.sample(algorithm, min_length), other.as_ref())
    }

    /// The maps that both algorithms ran on: otherwise one would be compared on small maps with the other on large ones.
    pub fn common(&self, left: &str, right: &str) -> Results<'a> {
        let both = self.grounds.iter().copied().filter(|ground| {
            self.on_map(ground, left).is_some() && self.on_map(ground, right).is_some()
        });
        Results {
            grounds: both.collect(),
        }
    }

    /// A measure of an algorithm over the same of another, on the maps that both ran on.
    fn quotient(
        &self,
        left: &str,
        right: &str,
        measure: Aggregate,
        against: Option<&str>,
        min_length: f64,
    ) -> Option<Reading> {
        let common = self.common(left, right);
        let value = |name| common.value(name, measure, against, min_length);
        let (left, right) = (value(left)?, value(right)?);
        // A quotient of two bounds, or by one, bounds nothing.
        (!right.lower_bound).then(|| Reading {
            value: quotient(left.value, right.value),
            lower_bound: left.lower_bound,
        })
    }

    /// Algorithms, in the suite's order.
    pub fn algorithms(&self) -> Vec<&'a str> {
        let trials = self.grounds.first().map(|ground| ground.trials.as_slice());
        let names = trials.unwrap_or_default().iter();
        names.map(|trial| trial.algorithm.as_str()).collect()
    }

    /// The spec of an algorithm.
    pub fn spec_of(&self, algorithm: &str) -> &'a str {
        let trials = self.grounds.iter().flat_map(|ground| &ground.trials);
        let mut own = trials.filter(|trial| trial.algorithm == algorithm);
        own.next().map_or("", |trial| trial.spec.as_str())
    }

    /// Those of the algorithms that no other beats: at most as much in every measure and less in one. Less is better. An
    /// algorithm that did not run on all maps, or not to the end of all problems, is not compared.
    pub fn front(&self, algorithms: &[&str], measures: &[Aggregate]) -> Vec<bool> {
        let values: Vec<Option<Vec<f64>>> = algorithms
            .iter()
            .map(|name| {
                let sample = self.sample(name, 0.0);
                if sample.maps.len() < self.grounds.len() || sample.given_up() > 0 {
                    return None;
                }
                let value = |measure: &Aggregate| measure.of(&sample, None);
                measures.iter().map(value).collect()
            })
            .collect();
        let beaten = |mine: &[f64]| {
            values.iter().flatten().any(|other| {
                let pairs = || other.iter().zip(mine);
                pairs().all(|(o, m)| o <= m) && pairs().any(|(o, m)| o < m)
            })
        };
        values
            .iter()
            .map(|mine| mine.as_ref().is_some_and(|mine| !beaten(mine)))
            .collect()
    }

    /// How a row is headed: with the number of maps where the algorithm did not run on all.
    fn heading(&self, algorithm: &str) -> String {
        let maps = self.sample(algorithm, 0.0).maps.len();
        if maps == self.grounds.len() || maps == 0 {
            return algorithm.to_string();
        }
        format!("{algorithm} ({maps} of {} maps)", self.grounds.len())
    }

    /// A table of the paper with our values.
    pub fn table(&self, table: &TableText, agreement: &mut Agreement) -> Sheet {
        let mut sheet = Sheet::new(&table.id, &table.title, &table.note);
        sheet.words("algorithm");
        let compares = |column: usize| {
            let values = table.rows.iter().filter_map(|row| row.values.get(column));
            values.clone().any(|value| !value.is_nan())
        };
        for (i, column) in table.columns.iter().enumerate() {
            if !compares(i) {
                sheet.numbers(&column.title);
                continue;
            }
            sheet.numbers(&format!("{}: paper", column.title));
            sheet.numbers_of(&column.title, "ours");
            let ratio = match &column.relative_to {
                Some(other) => format!("ratio, each over {other}'s"),
                None => "ratio".to_string(),
            };
            sheet.numbers_of(&column.title, &ratio);
        }
        let all = self.algorithms();
        let names: Vec<&str> = match table.rows.is_empty() {
            true => all,
            false => table
                .rows
                .iter()
                .map(|row| row.algorithm.as_str())
                .collect(),
        };
        let front = self.front(&names, &table.front);
        if !table.front.is_empty() {
            sheet.words("front");
        }
        for (i, name) in names.iter().enumerate() {
            let is_default = *name == DEFAULT;
            let mark = if is_default { " ◀ the default" } else { "" };
            let heading = self.heading(name);
            let mut cells = vec![Entry {
                is_default,
                text: format!("{heading}{mark}"),
                raw: Some(heading),
                ..Entry::default()
            }];
            for (c, column) in table.columns.iter().enumerate() {
                let ours = self.cell(name, column);
                let shown = match ours {
                    Some(reading) => reading.entry(),
                    None => Entry::text("–").toned(Tone::Faint),
                };
                if !compares(c) {
                    cells.push(shown);
                    continue;
                }
                let paper = |name: &str| {
                    let row = table.rows.iter().find(|row| row.algorithm == name)?;
                    row.values.get(c).copied().filter(|value| !value.is_nan())
                };
                let ratio = self.ratio(column, paper(name), ours, &paper);
                let standing = Standing {
                    what: format!("{name} {:?} {:?}", column.measure, column.relative_to),
                    by_definition: table.defines(name, column),
                    derived: table.repeats(name, column),
                    lower_bound: ours.is_some_and(|reading| reading.lower_bound),
                };
                cells.push(Entry::number(paper(name)));
                cells.push(shown);
                cells.push(agreement.judge(ratio, column.tolerance, &standing));
            }
            if !table.front.is_empty() {
                cells.push(Entry::text(if front[i] { "●" } else { "" }));
            }
            sheet.rows.push(cells);
        }
        sheet
    }

    fn cell(&self, algorithm: &str, column: &Column) -> Option<Reading> {
        let against = column.against.as_deref();
        match &column.over {
            None => self.value(algorithm, column.measure, against, 0.0),
            Some(other) => self.quotient(algorithm, other, column.measure, against, 0.0),
        }
    }

    /// Ours over the paper's; each over the reference's own where times are of different machines.
    fn ratio(
        &self,
        column: &Column,
        paper: Option<f64>,
        ours: Option<Reading>,
        paper_of: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        let (mut paper, mut ours) = (paper?, ours?.value);
        if let Some(reference) = &column.relative_to {
            paper /= paper_of(reference)?;
            // A reference of no time at all, as on tiny maps, compares with nothing.
            let reference =
                self.value(reference, column.measure, column.against.as_deref(), 0.0)?;
            ours /= Some(reference.value).filter(|&value| value > 0.0)?;
        } else {
            paper *= column.paper_scale;
        }
        Some(quotient(ours, paper))
    }

    /// How long and how hard the problems are, beside the paper's.
    pub fn problems(&self, paper: &PublishedProblems) -> Sheet {
        let note = "Difficulty: states that A* expands for each move of the path.";
        let mut sheet = Sheet::new("problems", "The problems", note);
        sheet.words("of the problems");
        sheet.words("on");
        for heading in ["mean", "median", "deviation", "least", "most"] {
            sheet.numbers(heading);
        }
        let kinds: [SpreadRow; 2] = [
            ("optimal cost", paper.cost, |p| p.optimal),
            ("difficulty", paper.difficulty, |p| p.difficulty),
        ];
        for (name, stated, of) in kinds {
            if stated != PublishedSpread::default() {
                let values = [
                    stated.mean,
                    stated.median,
                    stated.deviation,
                    stated.least,
                    stated.most,
                ];
                sheet
                    .rows
                    .push(spread_row(name, "the paper's maps", values));
            }
            let each = self.grounds.iter().map(|ground| vec![*ground]);
            // One map is all maps.
            let all = (self.grounds.len() > 1).then(|| self.grounds.clone());
            for grounds in each.chain(all) {
                let label = match grounds.as_slice() {
                    [one] => one.name.clone(),
                    _ => "all maps".to_string(),
                };
                let values = grounds.iter().flat_map(|ground| problems_of(ground));
                let Some(spread) = Spread::of(values.map(of).collect()) else {
                    continue;
                };
                let values = [
                    spread.mean,
                    spread.median,
                    spread.deviation,
                    spread.least,
                    spread.most,
                ];
                sheet.rows.push(spread_row(name, &label, values.map(Some)));
            }
        }
        sheet
    }

    /// How hard the problems of all maps are.
    pub fn difficulty(&self) -> Option<Spread> {
        let problems = self.grounds.iter().flat_map(|ground| problems_of(ground));
        Spread::of(problems.map(|problem| problem.difficulty).collect())
    }

    /// Mean suboptimality map by map.
    pub fn by_map(&self) -> Sheet {
        let note = "Mean suboptimality in percent; ≥ where problems were given up.";
        let mut sheet = Sheet::new("by-map", "Suboptimality, map by map", note);
        sheet.words("algorithm");
        self.grounds
            .iter()
            .for_each(|ground| sheet.numbers(&format!("{}, %", ground.name)));
        for name in self.algorithms() {
            let mut cells = vec![Entry::text(name)];
            for &ground in &self.grounds {
                let alone = Results {
                    grounds: vec![ground],
                };
                let value = alone.value(name, Aggregate::Suboptimality, None, 0.0);
                cells.push(match value {
                    None => Entry::text("–").toned(Tone::Faint),
                    Some(reading) => reading.entry(),
                });
            }
            sheet.rows.push(cells);
        }
        sheet
    }

    /// A table of quotients.
    pub fn ratios(&self, table: &RatioTable, agreement: &mut Agreement) -> Sheet {
        let mut sheet = Sheet::new(&table.id, &table.title, "");
        sheet.words("comparison");
        sheet.numbers("paper");
        sheet.numbers("ours");
        sheet.numbers("ratio");
        for row in &table.rows {
            let ours = self.quotient(&row.left, &row.right, row.measure, None, row.min_length);
            let ratio = ours.map(|ours| quotient(ours.value, row.value));
            let standing = Standing {
                what: format!("{} / {} {:?}", row.left, row.right, row.measure),
                by_definition: false,
                derived: table.derived,
                lower_bound: ours.is_some_and(|reading| reading.lower_bound),
            };
            sheet.rows.push(vec![
                Entry::text(&row.text),
                Entry::number(Some(row.value)),
                ours.map_or_else(|| Entry::text("–").toned(Tone::Faint), Reading::entry),
                agreement.judge(ratio, row.tolerance, &standing),
            ]);
        }
        sheet
    }
}

/// The problems of a map, once each.
fn problems_of(ground: &Ground) -> &[ProblemRecord] {
    let measured = ground.trials.iter().find_map(|trial| match &trial.outcome {
        Outcome::Measured(measured) => Some(measured),
        Outcome::Refused(_) => None,
    });
    measured.map_or(&[], |measured| {
        &measured.problems[..measured.problems.len() / measured.seeds()]
    })
}

fn spread_row(name: &str, on: &str, values: [Option<f64>; 5]) -> Vec<Entry> {
    let mut row = vec![Entry::text(name), Entry::text(on)];
    row.extend(values.map(Entry::number));
    row
}

/// The agent that runs where none is named: its row is marked.
pub const DEFAULT: &str = "waypost";

/// A quotient that knows that nothing is as much as nothing.
fn quotient(a: f64, b: f64) -> f64 {
    if a == b { 1.0 } else { a / b }
}

#[cfg(test)]
mod tests;
