//! Our numbers beside the paper's: tables with ratios and verdicts, quotients, claims, and the front.

use super::measures::{Aggregate, Sample};
use super::published::{Claim, Column, Published, RatioTable, TableText};
use super::run::Ground;
use super::trial::{Measured, Outcome};
use crate::document::{Entry, Sheet, Tone, figure};

/// Everything measured in a run.
pub struct Results<'a> {
    grounds: Vec<&'a Ground>,
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::places::Source;
    use crate::lab::trial::{Counts, IndexRecord, ProblemRecord, Times, TrialRecord};
    use waypost::{Grid, Map, MoveRules};

    /// An algorithm that took `us` a path and was `longer` percent longer; not measured without them.
    type Row = (&'static str, Option<(f64, f64)>);

    fn ground(name: &str, rows: &[Row]) -> Ground {
        let grid = Grid::from_fn(8, 8, |_| true).expect("a legal size");
        let trials = rows.iter().map(|&(algorithm, values)| TrialRecord {
            key: String::new(),
            format: 0,
            commit: String::new(),
            map: name.to_string(),
            fingerprint: String::new(),
            cells: 64,
            algorithm: algorithm.to_string(),
            spec: String::new(),
            outcome: match values {
                None => Outcome::Refused("too large".to_string()),
                Some((us, longer)) => Outcome::Measured(Box::new(measured(us, longer))),
            },
        });
        Ground {
            source: Source::File(name.into()),
            name: name.to_string(),
            map: Map::new(grid, MoveRules::default()),
            skipped: None,
            trials: trials.collect(),
        }
    }

    fn measured(us: f64, longer: f64) -> Measured {
        Measured {
            problems: vec![ProblemRecord {
                optimal: 10.0,
                counts: Counts {
                    solved: true,
                    length: 10.0 + longer / 10.0,
                    moves: 10,
                    ..Counts::default()
                },
                times: Times {
                    cpu_ns: (us * 1e3) as u64,
                    first_move_ns: 0,
                },
                slowdowns: None,
            }],
            index: IndexRecord::default(),
            ..Measured::default()
        }
    }

    fn published() -> Published {
        let text = r#"
title = "t"
[[tables]]
id = "one"
title = "One"
columns = [
  { measure = "query-us", title = "time", relative_to = "a", tolerance = 1.5 },
  { measure = "suboptimality", title = "longer", tolerance = 2 },
]
rows = [{ algorithm = "a", values = [100, 0] }, { algorithm = "b", values = [50, 9] }, { algorithm = "c", values = [1, nan] }]
[[claims]]
text = "b is longer than a"
measure = "suboptimality"
left = "b"
is = ">"
right = "a"
[[claims]]
text = "c is a hundred times as fast as a"
measure = "query-us"
left = "c"
factor = 100
is = "<"
right = "a"
[[claims]]
text = "d is there"
measure = "solved"
left = "d"
is = ">"
value = 0
"#;
        Published::parse(text, "test").expect("good")
    }

    #[test]
    fn values_are_compared_as_they_should_be() {
        let grounds = [
            ground(
                "m",
                &[
                    ("a", Some((8.0, 0.0))),
                    ("b", Some((5.0, 10.0))),
                    ("c", None),
                ],
            ),
            ground(
                "n",
                &[
                    ("a", Some((4.0, 0.0))),
                    ("b", Some((1.0, 90.0))),
                    ("c", Some((1.0, 0.0))),
                ],
            ),
        ];
        let results = Results::new(&grounds);
        let published = published();
        let verdicts: Vec<Verdict> = check_all(&results, &published)
            .iter()
            .map(|c| c.verdict)
            .collect();
        assert_eq!(
            verdicts,
            [Verdict::Pass, Verdict::Fail, Verdict::NotChecked]
        );
        // c ran on one map alone: it is compared with a there, 1 with 4, not with a's mean.
        assert_eq!(
            results.pair("c", "a", Aggregate::QueryUs, None, 0.0),
            Some((1.0, 4.0))
        );
        let mut agreement = Agreement::default();
        let sheet = results.table(&published.tables[0], &mut agreement);
        assert_eq!(sheet.rows[2][0].text, "c (1 of 2 maps)");
        // b takes half of a's time, there and here; it is 50% longer, not 9.
        assert_eq!(sheet.rows[1][3].text, "1");
        assert_eq!(sheet.rows[1][6].tone, Tone::Bad);
        assert_eq!((agreement.compared, agreement.within), (5, 3), "{sheet:?}");
        let front = results.front(
            &["a", "b", "c"],
            &[Aggregate::QueryUs, Aggregate::Suboptimality],
        );
        assert_eq!(front, [true, true, false], "c did not run everywhere");
        let front = results.front(&["a", "b"], &[Aggregate::Suboptimality]);
        assert_eq!(front, [true, false]);
    }
}
