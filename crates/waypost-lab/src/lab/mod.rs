//! The lab: experiments that make the tables and figures of papers again.
//!
//! An experiment is two files. The *suite* says what to run: maps, problems, rules, algorithms. The *published* file says
//! what to compare with: the paper's tables with their values, its figures, its claims. [`run::run`] carries out the trials of
//! a suite, each of which is recorded as it ends, so that a killed run goes on; [`report::report`] reads the records and
//! writes tables, plots and verdicts. Both files are in this crate's `experiments` folder and embedded in the program; the
//! repository's own `experiments` folder, with a README for each, links to them.

pub mod compare;
pub mod families;
pub mod figures;
pub mod measures;
pub mod places;
pub mod published;
pub mod records;
pub mod report;
pub mod run;
pub mod sample;
pub mod suite;
pub mod trial;

use thiserror::Error;

/// A mistake in a suite or in published values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}{place}: {message}", place = .line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct SuiteError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// What is wrong; the key is named.
    pub message: String,
}

/// An experiment that this program knows.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name.
    pub name: &'static str,
    /// In one line.
    pub about: &'static str,
    /// Its suite.
    pub suite: &'static str,
    /// What it compares with.
    pub published: &'static str,
}

macro_rules! experiment {
    ($name:literal, $about:literal) => {
        Experiment {
            name: $name,
            about: $about,
            suite: include_str!(concat!("../../experiments/", $name, "/suite.toml")),
            published: include_str!(concat!("../../experiments/", $name, "/published.toml")),
        }
    };
}

/// All experiments.
pub static EXPERIMENTS: &[Experiment] = &[
    experiment!(
        "all-methods",
        "every algorithm of Waypost on the same problems: quality, time a move, memory, preparation, and the front"
    ),
    experiment!(
        "knn-lrta-2009",
        "AIIDE 2009, kNN LRTA*: table 1 and figure 8 (LRTA*, kNN LRTA*, D LRTA* on small game maps)"
    ),
    experiment!(
        "case-based-2010",
        "JAIR 2010, case-based subgoaling: tables 1 to 7, figures 12 to 15 (maps of millions of cells)"
    ),
    experiment!(
        "pra-2005",
        "AAAI 2005, partial refinement: figures 5, 6 and 7 (run time, path length, frames by path length)"
    ),
    experiment!(
        "cpd-2011",
        "AIIDE 2011, compressed path databases: figures 2 to 6 (speed, nodes, compression, preparation)"
    ),
    experiment!(
        "game-ai-pro-17",
        "Game AI Pro chapter 17: what each optimisation of A* is worth, alone and on top of each other"
    ),
    experiment!(
        "unknown-maps",
        "maps that agents see ten cells of, and the same problems again and again until walks settle"
    ),
];

impl Experiment {
    /// The experiment with a name.
    pub fn find(name: &str) -> Option<&'static Experiment> {
        EXPERIMENTS
            .iter()
            .find(|experiment| experiment.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::published::Published;
    use super::suite::{Form, Suite};
    use super::*;

    #[test]
    fn every_method_of_a_paper_runs_as_printed() {
        for experiment in EXPERIMENTS {
            let published = Published::parse(experiment.published, "published.toml")
                .unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
            assert_eq!(
                published.paper.is_empty(),
                published.methods.is_empty(),
                "{}",
                experiment.name
            );
            for quick in [false, true] {
                let suite = Suite::parse(experiment.suite, "suite.toml", quick)
                    .unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
                for method in &published.methods {
                    let printed = suite.algorithms.iter().any(|algorithm| {
                        matches!(algorithm.form, Form::Printed | Form::Corrected)
                            && algorithm.name.starts_with(method)
                    });
                    assert!(
                        printed,
                        "{} (quick: {quick}): {method} has no row as printed",
                        experiment.name
                    );
                }
                // What is compared with the paper's values is what the paper printed.
                for row in published.tables.iter().flat_map(|table| &table.rows) {
                    let compared = row.values.iter().any(|value| !value.is_nan());
                    let improved = suite
                        .algorithms
                        .iter()
                        .any(|a| a.name == row.algorithm && a.form == Form::Improved);
                    assert!(
                        !(compared && improved),
                        "{}: {} stands beside the paper's values and is not the paper's",
                        experiment.name,
                        row.algorithm
                    );
                }
            }
        }
    }

    #[test]
    fn embedded_files_are_good() {
        for experiment in EXPERIMENTS {
            let published = Published::parse(experiment.published, "published.toml")
                .unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
            let full = Suite::parse(experiment.suite, "suite.toml", false)
                .unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
            Suite::parse(experiment.suite, "suite.toml", true)
                .unwrap_or_else(|error| panic!("{} --quick: {error}", experiment.name));
            let known = |name: &str| full.algorithms.iter().any(|a| a.name == name);
            let tables = published.tables.iter().flat_map(|table| &table.rows);
            let claims = published.claims.iter();
            let names = tables.map(|row| &row.algorithm).chain(
                claims
                    .flat_map(|claim| [Some(&claim.left), claim.right.as_ref()])
                    .flatten(),
            );
            for name in names {
                assert!(
                    known(name),
                    "{}: `{name}` is not in the suite",
                    experiment.name
                );
            }
            for series in published.figures.iter().flat_map(|figure| &figure.series) {
                let one = series.algorithm.iter().chain(&series.over);
                for name in series.algorithms.iter().chain(one) {
                    assert!(
                        known(name),
                        "{}: `{name}` is not in the suite",
                        experiment.name
                    );
                }
            }
        }
    }
}
