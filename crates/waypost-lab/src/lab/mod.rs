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
pub mod whole_path;

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

    /// What is wrong with a suite's rows as printed: methods of the paper without one, and rows beside the paper's values that are not
    /// the paper's.
    fn not_as_printed(published: &Published, suite: &Suite) -> Vec<String> {
        let mut wrong = Vec::new();
        let rows = |form: Form| suite.algorithms.iter().filter(move |a| a.form == form);
        for method in &published.methods {
            if !rows(Form::Printed).any(|row| row.name.starts_with(method)) {
                wrong.push(format!("{method} has no row as printed"));
            }
        }
        for row in published.tables.iter().flat_map(|table| &table.rows) {
            let compared = row.values.iter().any(|value| !value.is_nan());
            let is_the_papers = |form| matches!(form, Form::Printed | Form::Corrected);
            let mut own = suite.algorithms.iter();
            let own = own.find(|own| own.name == row.algorithm);
            if compared && !own.is_some_and(|own| is_the_papers(own.form)) {
                let name = &row.algorithm;
                wrong.push(format!(
                    "{name} stands beside the paper's values and is not the paper's"
                ));
            }
        }
        wrong
    }

    fn parsed(experiment: &Experiment, quick: bool) -> (Published, Suite) {
        let published = Published::parse(experiment.published, "published.toml")
            .unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
        let suite = Suite::parse(experiment.suite, "suite.toml", quick)
            .unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
        (published, suite)
    }

    #[test]
    fn every_method_of_a_paper_runs_as_printed() {
        for experiment in EXPERIMENTS {
            for quick in [false, true] {
                let (published, mut suite) = parsed(experiment, quick);
                assert_eq!(
                    published.paper.is_empty(),
                    published.methods.is_empty(),
                    "{}",
                    experiment.name
                );
                let wrong = not_as_printed(&published, &suite);
                assert!(
                    wrong.is_empty(),
                    "{} (quick: {quick}): {wrong:?}",
                    experiment.name
                );
                // Without the rows of a method the lack is seen, method by method.
                for method in &published.methods {
                    let kept = suite.algorithms.clone();
                    suite.algorithms.retain(|row| !row.name.starts_with(method));
                    let wrong = not_as_printed(&published, &suite);
                    let named = |line: &String| line.starts_with(&format!("{method} has no"));
                    assert!(wrong.iter().any(named), "{}: {method}", experiment.name);
                    suite.algorithms = kept;
                }
            }
        }
    }

    /// The letter of each paper, as words of specs that its rows as printed must have; the default of every other word is the paper's.
    #[test]
    fn rows_as_printed_say_what_the_papers_say() {
        let letter = [
            ("knn-lrta-2009", "LRTA*", "frontier=end"),
            (
                "knn-lrta-2009",
                "kNN LRTA*",
                "store=failures,component=all,frontier=end",
            ),
            (
                "knn-lrta-2009",
                "D LRTA*",
                "entries=next,patience=0,frontier=end",
            ),
            (
                "case-based-2010",
                "kNN LRTA*",
                "learn=always,component=all,effort=all,visits=all",
            ),
            ("case-based-2010", "D LRTA*", "entries=next,patience=0"),
            ("case-based-2010", "A*", "base=textbook"),
            ("pra-2005", "PRA*", "start=50,widen=off"),
            ("pra-2005", "A*", "base=textbook"),
            ("cpd-2011", "A*", "base=textbook"),
            ("cpd-2011", "CPD, rectangles", "encoding=rectangles"),
            ("cpd-2011", "CPD, quad-tree", "encoding=quadtree"),
        ];
        for (name, method, words) in letter {
            let experiment = Experiment::find(name).expect("known");
            for quick in [false, true] {
                let (_, suite) = parsed(experiment, quick);
                let own = suite.algorithms.iter();
                let own = own.filter(|a| a.form == Form::Printed && a.name.starts_with(method));
                let mut rows = 0;
                for row in own {
                    rows += 1;
                    for word in words.split(',') {
                        let said = row.spec.split([':', ',']).any(|part| part == word);
                        assert!(said, "{name}: {} lacks `{word}`: {}", row.name, row.spec);
                    }
                }
                assert!(rows > 0, "{name}: {method}");
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
