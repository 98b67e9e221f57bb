//! What a paper published: its tables with their values, its figures, and what it claims. A strict TOML file beside the
//! suite; `docs/guide/src/lab.md` describes its keys.

use super::SuiteError;
use super::measures::{Aggregate, PerProblem};
use serde::Deserialize;

/// Everything that a report compares with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The experiment in one line.
    pub title: String,
    /// Authors, title, place and year; empty where there is no paper.
    #[serde(default)]
    pub paper: String,
    /// A paragraph that says what is compared and how.
    #[serde(default)]
    pub about: String,
    /// The methods that the paper runs: each has rows of the suite as printed, whose names begin like this.
    #[serde(default)]
    pub methods: Vec<String>,
    /// What the paper says of its problems.
    #[serde(default)]
    pub problems: PublishedProblems,
    /// Tables.
    #[serde(default)]
    pub tables: Vec<TableText>,
    /// Tables of quotients of two algorithms.
    #[serde(default)]
    pub ratios: Vec<RatioTable>,
    /// Figures.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Claims.
    #[serde(default)]
    pub claims: Vec<Claim>,
}

/// What a paper says of its problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedProblems {
    /// Optimal costs.
    #[serde(default)]
    pub cost: PublishedSpread,
    /// States that A* expands for each move of the path.
    #[serde(default)]
    pub difficulty: PublishedSpread,
}

/// What a paper says of a list of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSpread {
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub median: Option<f64>,
    /// The standard deviation.
    pub deviation: Option<f64>,
    /// The least.
    pub least: Option<f64>,
    /// The most.
    pub most: Option<f64>,
}

/// A table with a row for each algorithm.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableText {
    /// The name of its CSV file.
    pub id: String,
    /// Its title.
    pub title: String,
    /// A remark under the table.
    #[serde(default)]
    pub note: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows; all algorithms of the suite where there are none.
    #[serde(default)]
    pub rows: Vec<Row>,
    /// Mark the algorithms that no other beats in all of these measures; for each of them, less is better.
    #[serde(default)]
    pub front: Vec<Aggregate>,
}

/// A column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// What it shows.
    pub measure: Aggregate,
    /// Its heading.
    pub title: String,
    /// The paper's unit over ours, where they differ: 3600 for hours against seconds.
    #[serde(default = "one")]
    pub paper_scale: f64,
    /// Values depend on the machine: compare them as multiples of this algorithm's.
    pub relative_to: Option<String>,
    /// For `break-even`: the algorithm to break even with.
    pub against: Option<String>,
    /// Show our value as a multiple of this algorithm's, on the maps that both ran on.
    pub over: Option<String>,
    /// Ours and the paper's agree where neither is more than so many times the other.
    #[serde(default = "two")]
    pub tolerance: f64,
}

fn one() -> f64 {
    1.0
}

fn two() -> f64 {
    2.0
}

/// A row of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The algorithm as the suite names it.
    pub algorithm: String,
    /// The paper's value for each column; `nan` where it has none.
    #[serde(default)]
    pub values: Vec<f64>,
    /// Measures whose value could not be otherwise: shown, and not counted as agreement.
    #[serde(default)]
    pub by_definition: Vec<Aggregate>,
    /// Measures whose value is that of another row or table, or follows from it: shown, and not counted as agreement.
    #[serde(default)]
    pub repeats: Vec<Aggregate>,
}

impl TableText {
    /// Is a value the paper's by definition? A row over itself always is.
    pub fn defines(&self, algorithm: &str, column: &Column) -> bool {
        let itself = [&column.relative_to, &column.over]
            .into_iter()
            .any(|reference| reference.as_deref() == Some(algorithm));
        itself || self.states(algorithm, column, |row| &row.by_definition)
    }

    /// Does a value follow from another row or table?
    pub fn repeats(&self, algorithm: &str, column: &Column) -> bool {
        self.states(algorithm, column, |row| &row.repeats)
    }

    fn states(&self, algorithm: &str, column: &Column, of: fn(&Row) -> &Vec<Aggregate>) -> bool {
        let rows = self.rows.iter().filter(|row| row.algorithm == algorithm);
        let mut stated = rows.flat_map(of);
        stated.any(|&measure| measure == column.measure)
    }
}

/// A table of quotients.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatioTable {
    /// The name of its CSV file.
    pub id: String,
    /// Its title.
    pub title: String,
    /// They follow from values of the tables: shown, and not counted as agreement.
    #[serde(default)]
    pub derived: bool,
    /// Its rows.
    pub rows: Vec<Ratio>,
}

/// One quotient.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// In words.
    pub text: String,
    /// Of what.
    pub measure: Aggregate,
    /// The dividend's algorithm.
    pub left: String,
    /// The divisor's algorithm.
    pub right: String,
    /// The paper's value.
    pub value: f64,
    /// As in [`Column::tolerance`].
    #[serde(default = "two")]
    pub tolerance: f64,
    /// Of problems at least this long alone.
    #[serde(default)]
    pub min_length: f64,
}

/// A figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The name of its SVG file.
    pub id: String,
    /// Its caption.
    pub title: String,
    /// A remark under the caption.
    #[serde(default)]
    pub note: String,
    /// What its points are.
    pub kind: FigureKind,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// `curves`: the width of a bucket of optimal lengths.
    #[serde(default = "bucket_width")]
    pub bucket: f64,
    /// Draw the front of the points that no other beats in both axes.
    #[serde(default)]
    pub front: bool,
    /// Its series; for `points` all algorithms where there are none.
    #[serde(default)]
    pub series: Vec<Series>,
    /// Points that the paper states.
    #[serde(default)]
    pub marks: Vec<Marks>,
}

fn bucket_width() -> f64 {
    32.0
}

/// What the points of a figure are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureKind {
    /// An algorithm each.
    Points,
    /// Problems in buckets of optimal length, joined to lines.
    Curves,
    /// A map each.
    Maps,
}

/// An axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// What it shows: for `points` on both axes, for `maps` on the horizontal one (passable cells where it is missing).
    pub measure: Option<Aggregate>,
    /// Its label, with the unit.
    pub label: String,
    /// Whether it is logarithmic.
    #[serde(default)]
    pub log: bool,
}

/// A series of points.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// `points`: the algorithms, in the order of the line that joins them.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// `curves` and `maps`: the algorithm.
    pub algorithm: Option<String>,
    /// `curves`: what of each problem.
    pub of: Option<PerProblem>,
    /// `curves`: divided by the same of this algorithm on the same problem.
    pub over: Option<String>,
    /// `curves`: this percentile of the bucket; the mean where it is missing.
    pub percentile: Option<f64>,
    /// `maps`: what of each map.
    pub measure: Option<Aggregate>,
    /// Multiplies the vertical values.
    #[serde(default = "one")]
    pub scale: f64,
}

/// Points that the paper states.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// The name in the legend.
    pub name: String,
    /// The points.
    pub points: Vec<[f64; 2]>,
}

/// A claim of the paper that a run can check: `left * factor` against `right` or `value`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// In words.
    pub text: String,
    /// Where the paper says so.
    #[serde(default)]
    pub source: String,
    /// What is compared.
    pub measure: Aggregate,
    /// Whose.
    pub left: String,
    /// Multiplies the left side.
    #[serde(default = "one")]
    pub factor: f64,
    /// How they must compare.
    pub is: Relation,
    /// With whose.
    pub right: Option<String>,
    /// Or with which number.
    pub value: Option<f64>,
    /// For `break-even`: the algorithm to break even with.
    pub against: Option<String>,
    /// On problems at least this long alone.
    #[serde(default)]
    pub min_length: f64,
    /// Whose the factor or value is; a claim that has one must say.
    pub threshold: Option<Threshold>,
    /// Why it could not be otherwise, where that is so.
    pub by_definition: Option<String>,
    /// The paper says that something can be so: problems that do not show it refute nothing.
    #[serde(default)]
    pub possible: bool,
}

/// Whose a threshold is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Threshold {
    /// The paper's text has it.
    Paper,
    /// The paper speaks without a number; the number is ours.
    Ours,
}

impl Threshold {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Threshold::Paper => "the paper's",
            Threshold::Ours => "ours",
        }
    }
}

/// How two numbers must compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Relation {
    /// Less.
    #[serde(rename = "<")]
    Less,
    /// At most.
    #[serde(rename = "<=")]
    AtMost,
    /// More.
    #[serde(rename = ">")]
    More,
    /// At least.
    #[serde(rename = ">=")]
    AtLeast,
}

impl Relation {
    /// Whether it holds.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::More => left > right,
            Relation::AtLeast => left >= right,
        }
    }

    /// As a sign.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Less => "<",
            Relation::AtMost => "≤",
            Relation::More => ">",
            Relation::AtLeast => "≥",
        }
    }
}

impl Published {
    /// Reads the file. `file` names it in errors.
    pub fn parse(text: &str, file: &str) -> Result<Published, SuiteError> {
        let published: Published = toml::from_str(text).map_err(|error| {
            let before = |end: usize| &text.as_bytes()[..end.min(text.len())];
            SuiteError {
                file: file.to_string(),
                line: error
                    .span()
                    .map(|span| before(span.start).iter().filter(|&&b| b == b'\n').count() + 1),
                message: error.message().replace('\n', " "),
            }
        })?;
        match published.inconsistency() {
            None => Ok(published),
            Some(message) => Err(SuiteError {
                file: file.to_string(),
                line: None,
                message,
            }),
        }
    }

    fn inconsistency(&self) -> Option<String> {
        for table in &self.tables {
            for row in &table.rows {
                if row.values.len() > table.columns.len() {
                    return Some(format!(
                        "table `{}` has more values for `{}` than columns",
                        table.id, row.algorithm
                    ));
                }
            }
        }
        for claim in &self.claims {
            if claim.right.is_some() == claim.value.is_some() {
                return Some(format!(
                    "the claim `{}` wants either `right` or `value`",
                    claim.text
                ));
            }
            let has_threshold = claim.value.is_some() || claim.factor != 1.0;
            if has_threshold != claim.threshold.is_some() {
                return Some(format!(
                    "the claim `{}`: `threshold = \"paper\"` or `\"ours\"` says whose a `factor` or `value` is, and stands with one alone",
                    claim.text
                ));
            }
        }
        None
    }

    /// The paper's value of a measure, in our unit, from any table that has it.
    pub fn value(&self, algorithm: &str, measure: Aggregate) -> Option<f64> {
        self.tables.iter().find_map(|table| {
            let column = table.columns.iter().position(|c| c.measure == measure)?;
            let row = table.rows.iter().find(|row| row.algorithm == algorithm)?;
            let value = row.values.get(column)?;
            (!value.is_nan()).then_some(value * table.columns[column].paper_scale)
        })
    }
}
