//! Our numbers beside the paper's: tables with ratios and verdicts, quotients, claims, and the front.

mod claims;

pub use claims::{Checked, Verdict, check_all, claims_sheet};

use super::measures::{Aggregate, Sample};
use super::published::{Column, RatioTable, TableText};
use super::run::Ground;
use super::trial::{Measured, Outcome};
use crate::document::{Entry, Sheet, Tone};

/// Everything measured in a run.
pub struct Results<'a> {
    grounds: Vec<&'a Ground>,
}

/// How many of our values are near the paper's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Values with a paper's value beside them.
    pub compared: usize,
    /// Those of them within their tolerance.
    pub within: usize,
}

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
            Some((ground.map.grid().passable_count(), measured))
        });
        Sample {
            maps: maps.collect(),
            min_length,
        }
    }

    /// A measure of an algorithm.
    pub fn value(
        &self,
        algorithm: &str,
        measure: Aggregate,
        against: Option<&str>,
        min_length: f64,
    ) -> Option<f64> {
        let other = against.map(|name| self.sample(name, min_length));
        measure.of(&self.sample(algorithm, min_length), other.as_ref())
    }

    /// A measure of two algorithms, each on the maps that both ran on: otherwise one would be compared on small maps with the
    /// other on large ones.
    pub fn pair(
        &self,
        left: &str,
        right: &str,
        measure: Aggregate,
        against: Option<&str>,
        min_length: f64,
    ) -> Option<(f64, f64)> {
        let common = self.grounds.iter().copied().filter(|ground| {
            self.on_map(ground, left).is_some() && self.on_map(ground, right).is_some()
        });
        let common = Results {
            grounds: common.collect(),
        };
        let value = |name| common.value(name, measure, against, min_length);
        value(left).zip(value(right))
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
                if sample.maps.len() < self.grounds.len() || !sample.all_solved() {
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
            sheet.numbers("ours");
            sheet.numbers(&match &column.relative_to {
                Some(other) => format!("ratio, each over {other}'s"),
                None => "ratio".to_string(),
            });
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
            let mut cells = vec![Entry::text(self.heading(name))];
            for (c, column) in table.columns.iter().enumerate() {
                let ours = self.cell(name, column);
                if !compares(c) {
                    cells.push(ours.1);
                    continue;
                }
                let paper = |name: &str| {
                    let row = table.rows.iter().find(|row| row.algorithm == name)?;
                    row.values.get(c).copied().filter(|value| !value.is_nan())
                };
                let ratio = self.ratio(column, paper(name), ours.0, &paper);
                cells.push(Entry::number(paper(name)));
                cells.push(ours.1);
                cells.push(verdict_of(ratio, column.tolerance, agreement));
            }
            if !table.front.is_empty() {
                cells.push(Entry::text(if front[i] { "●" } else { "" }));
            }
            sheet.rows.push(cells);
        }
        sheet
    }

    fn cell(&self, algorithm: &str, column: &Column) -> (Option<f64>, Entry) {
        let against = column.against.as_deref();
        let value = match &column.over {
            None => self.value(algorithm, column.measure, against, 0.0),
            Some(other) => self
                .pair(algorithm, other, column.measure, against, 0.0)
                .map(|(ours, theirs)| quotient(ours, theirs)),
        };
        let entry = Entry::number(value);
        let partly = column.measure.is_lower_bound(&self.sample(algorithm, 0.0));
        let entry = if partly { entry.after("≥ ") } else { entry };
        if value.is_none() {
            return (None, Entry::text("–").toned(Tone::Faint));
        }
        (value, entry)
    }

    /// Ours over the paper's; each over the reference's own where times are of different machines.
    fn ratio(
        &self,
        column: &Column,
        paper: Option<f64>,
        ours: Option<f64>,
        paper_of: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        let (mut paper, mut ours) = (paper?, ours?);
        if let Some(reference) = &column.relative_to {
            paper /= paper_of(reference)?;
            // A reference of no time at all, as on tiny maps, compares with nothing.
            let reference = self.value(reference, column.measure, column.against.as_deref(), 0.0);
            ours /= reference.filter(|&value| value > 0.0)?;
        } else {
            paper *= column.paper_scale;
        }
        Some(quotient(ours, paper))
    }

    /// Mean suboptimality map by map.
    pub fn by_map(&self) -> Sheet {
        let note = "Mean suboptimality in percent; ≥ where problems were given up.";
        let mut sheet = Sheet::new("by-map", "Suboptimality, map by map", note);
        sheet.words("algorithm");
        self.grounds
            .iter()
            .for_each(|ground| sheet.numbers(&ground.name));
        for name in self.algorithms() {
            let mut cells = vec![Entry::text(name)];
            for &ground in &self.grounds {
                let alone = Results {
                    grounds: vec![ground],
                };
                let value = alone.value(name, Aggregate::Suboptimality, None, 0.0);
                let entry = Entry::number(value);
                let solved = alone.sample(name, 0.0).all_solved();
                cells.push(match value {
                    None => Entry::text("–").toned(Tone::Faint),
                    Some(_) if solved => entry,
                    Some(_) => entry.after("≥ "),
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
            let ours = self
                .pair(&row.left, &row.right, row.measure, None, row.min_length)
                .map(|(left, right)| quotient(left, right));
            let ratio = ours.map(|ours| quotient(ours, row.value));
            sheet.rows.push(vec![
                Entry::text(&row.text),
                Entry::number(Some(row.value)),
                Entry::number(ours),
                verdict_of(ratio, row.tolerance, agreement),
            ]);
        }
        sheet
    }
}

/// A quotient that knows that nothing is as much as nothing.
fn quotient(a: f64, b: f64) -> f64 {
    if a == b { 1.0 } else { a / b }
}

fn verdict_of(ratio: Option<f64>, tolerance: f64, agreement: &mut Agreement) -> Entry {
    let Some(ratio) = ratio else {
        return Entry::text("–").toned(Tone::Faint);
    };
    let within = ratio <= tolerance && ratio >= 1.0 / tolerance;
    agreement.compared += 1;
    agreement.within += usize::from(within);
    let entry = Entry::number(Some(ratio));
    if within {
        return entry.toned(Tone::Good);
    }
    Entry {
        text: format!("{} ✗", entry.text),
        ..entry.toned(Tone::Bad)
    }
}

#[cfg(test)]
mod tests;
