//! `lab`: the experiments, with their records as rows.

use crate::errors::{Failure, Outcome, write};
use crate::json::rows;
use crate::long::{Watcher, watched};
use crate::numbers;
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use waypost::names;
use waypost::progress::Progress;
use waypost_lab::lab::measures::Aggregate;
use waypost_lab::lab::places::{Source, maps_in};
use waypost_lab::lab::published::Published;
use waypost_lab::lab::records::Records;
use waypost_lab::lab::report::{Report, Setup, report};
use waypost_lab::lab::run::{self, Ground, RunError, Watch};
use waypost_lab::lab::sample::{MapSample, Sample};
use waypost_lab::lab::suite::Suite;
use waypost_lab::lab::trial::{Measured, Outcome as Trial};
use waypost_lab::lab::{EXPERIMENTS, Experiment};

/// What a row of trials says of an algorithm on a map.
const MEASURES: &[(&str, Aggregate)] = &[
    ("solved_pct", Aggregate::Solved),
    ("suboptimality_pct", Aggregate::Suboptimality),
    ("suboptimality_pct_p50", Aggregate::SuboptimalityP50),
    ("suboptimality_pct_p95", Aggregate::SuboptimalityP95),
    ("suboptimality_pct_max", Aggregate::SuboptimalityMax),
    ("query_us", Aggregate::QueryUs),
    ("query_us_p95", Aggregate::QueryP95Us),
    ("move_us", Aggregate::MoveUs),
    ("move_us_p999", Aggregate::MoveP999Us),
    ("move_us_max", Aggregate::MoveMaxUs),
    ("first_move_us", Aggregate::FirstMoveUs),
    ("moves", Aggregate::Ticks),
    ("expansions", Aggregate::Expansions),
    ("expansions_per_move", Aggregate::ExpansionsPerMove),
    ("operations_per_move_max", Aggregate::OperationsMax),
    ("revisits", Aggregate::Revisits),
    ("online_kb", Aggregate::OnlineKb),
    ("index_kb", Aggregate::DatabaseKb),
    ("index_records", Aggregate::Records),
    ("build_seconds", Aggregate::BuildSeconds),
    ("build_cpu_seconds", Aggregate::BuildCpuSeconds),
];

/// The experiments that there are: dicts with `name` and `about`.
#[pyfunction]
pub fn experiments(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all: Vec<_> = EXPERIMENTS
        .iter()
        .map(|e| json!({ "name": e.name, "about": e.about }))
        .collect();
    rows(py, &all)
}

impl Watch for Watcher {
    fn planned(&self, total: u64, recorded: u64) {
        self.begin_at("experiment", recorded, total);
    }

    fn doing(&self, what: &str) {
        self.rename(what);
    }

    fn advance(&self, parts: u64) {
        Progress::advance(self, parts);
    }

    fn is_cancelled(&self) -> bool {
        Progress::is_cancelled(self)
    }
}

/// What was asked for.
struct Wanted {
    maps: Option<PathBuf>,
    quick: bool,
    count: Option<usize>,
    seed: u64,
    folder: PathBuf,
    report: bool,
}

impl Wanted {
    /// What was asked for, as a call.
    fn call(&self, experiment: &Experiment) -> String {
        let mut words = vec![format!("\"{}\"", experiment.name)];
        if self.quick {
            words.push("quick=True".into());
        }
        if let Some(count) = self.count {
            words.push(format!("count={count}"));
        }
        if self.seed != 0 {
            words.push(format!("seed={}", self.seed));
        }
        if let Some(maps) = &self.maps {
            words.push(format!("maps={maps:?}"));
        }
        format!("waypost.lab({})", words.join(", "))
    }

    fn run(&self, experiment: &Experiment, watcher: &Watcher) -> Outcome<(Vec<Ground>, Report)> {
        let suite = Suite::parse(experiment.suite, "the experiment's suite", self.quick);
        let mut suite = suite.map_err(Failure::value)?;
        if let Some(count) = self.count {
            suite.problems.count = count;
        }
        suite.shift_seeds(self.seed);
        let sources = match &self.maps {
            Some(folder) => maps_in(folder).map_err(Failure::value)?,
            None => suite.maps.iter().cloned().map(Source::Recipe).collect(),
        };
        let io = |error| Failure::Os(error, self.folder.display().to_string());
        std::fs::create_dir_all(&self.folder).map_err(io)?;
        let mut records =
            Records::open(&self.folder.join("records.jsonl")).map_err(Failure::value)?;
        let grounds = run::run(&suite, sources, &mut records, "unknown", watcher);
        let grounds = grounds.map_err(|error| match error {
            RunError::Cancelled => Failure::Cancelled,
            other => Failure::value(other),
        })?;
        let published = Published::parse(experiment.published, "published.toml");
        let setup = Setup {
            experiment: experiment.name,
            suite: &suite,
            published: &published.map_err(Failure::value)?,
            quick: self.quick,
            machine: std::env::consts::ARCH,
            program: concat!("waypost ", env!("CARGO_PKG_VERSION"), " for Python"),
            command: &self.call(experiment),
        };
        let finished = report(&setup, &grounds);
        if self.report {
            write_all(&finished, &self.folder)?;
        }
        Ok((grounds, finished))
    }
}

fn write_all(report: &Report, folder: &Path) -> Outcome<()> {
    for (name, bytes) in report.files() {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            let io = |error| Failure::Os(error, parent.display().to_string());
            std::fs::create_dir_all(parent).map_err(io)?;
        }
        write(&path, &bytes)?;
    }
    Ok(())
}

/// Runs an experiment (`experiments()` lists them) and gives rows for pandas.
///
/// `rows` is "trials" (one for each map and algorithm), "problems" (one for each problem of each trial) or "claims" (what the paper says and
/// whether it holds). `maps` is a folder of .map files in the place of the experiment's own, `quick` the small form, `count` the number of
/// problems for each map. With `out` the report and the records are written there, and a run that was stopped goes on.
#[pyfunction]
#[pyo3(signature = (experiment, *, rows="trials", maps=None, quick=false, count=None, seed=0, out=None, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn lab<'py>(
    py: Python<'py>,
    experiment: &str,
    rows: &str,
    maps: Option<PathBuf>,
    quick: bool,
    #[pyo3(from_py_with = numbers::count)] count: Option<usize>,
    #[pyo3(from_py_with = numbers::seed)] seed: u64,
    out: Option<PathBuf>,
    #[pyo3(from_py_with = numbers::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let known: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
    let experiment = Experiment::find(experiment).ok_or_else(|| {
        let expected = names::expected(experiment, &known);
        Failure::Value(format!(
            "no experiment is called `{experiment}`; {expected}"
        ))
    })?;
    let describe = match rows {
        "trials" => trials,
        "problems" => problems,
        "claims" => claims,
        other => {
            let text = format!("rows is {other:?}; give \"trials\", \"problems\" or \"claims\"");
            return Err(Failure::Value(text).into());
        }
    };
    if count == Some(0) {
        return Err(Failure::value("count is 0; give 1 or more").into());
    }
    // Records need a file while the experiment runs.
    let temporary = py.import("tempfile")?.call_method0("TemporaryDirectory")?;
    let folder = match &out {
        Some(folder) => folder.clone(),
        None => temporary.getattr("name")?.extract()?,
    };
    let wanted = Wanted {
        maps,
        quick,
        count,
        seed,
        folder,
        report: out.is_some(),
    };
    let watcher = Watcher::default();
    let found = watched(py, &watcher, progress, threads, || {
        let (grounds, report) = wanted.run(experiment, &watcher)?;
        Ok(describe(experiment, &grounds, &report))
    });
    temporary.call_method0("cleanup")?;
    crate::json::rows(py, &found?)
}

/// What all rows of a trial begin with.
fn heads<'a>(
    experiment: &'a Experiment,
    grounds: &'a [Ground],
) -> impl Iterator<Item = (Value, Option<&'a Measured>)> {
    grounds
        .iter()
        .flat_map(|ground| &ground.trials)
        .map(|trial| {
            let (measured, refused) = match &trial.outcome {
                Trial::Measured(measured) => (Some(&**measured), None),
                Trial::Refused(reason) => (None, Some(reason)),
            };
            let head = json!({
                "experiment": experiment.name,
                "map": trial.map,
                "cells": trial.cells,
                "algorithm": trial.algorithm,
                "spec": trial.spec,
                "refused": refused,
            });
            (head, measured)
        })
}

fn trials(experiment: &Experiment, grounds: &[Ground], _: &Report) -> Vec<Value> {
    let with_measures = |(mut row, measured): (Value, Option<&Measured>)| {
        let cells = row["cells"].as_u64().unwrap_or(0);
        let maps = measured.map(|measured| MapSample::new(cells, measured, 0.0));
        let sample = Sample {
            maps: maps.into_iter().collect(),
        };
        row["problems"] = json!(sample.problems().count());
        for (name, measure) in MEASURES {
            row[*name] = json!(measure.of(&sample, None));
        }
        row
    };
    heads(experiment, grounds).map(with_measures).collect()
}

fn problems(experiment: &Experiment, grounds: &[Ground], _: &Report) -> Vec<Value> {
    let mut all = Vec::new();
    for (head, measured) in heads(experiment, grounds) {
        for (i, problem) in measured.iter().flat_map(|m| &m.problems).enumerate() {
            let (counts, mut row) = (&problem.counts, head.clone());
            row["problem"] = json!(i);
            row["optimal"] = json!(problem.optimal);
            row["difficulty"] = json!(problem.difficulty);
            row["solved"] = json!(counts.solved);
            row["length"] = json!(counts.length);
            row["moves"] = json!(counts.moves);
            row["expansions"] = json!(counts.expansions);
            row["operations_per_move_max"] = json!(counts.operations_max);
            row["revisits"] = json!(counts.revisits);
            row["online_bytes"] = json!(counts.online_bytes);
            row["query_us"] = json!(problem.times.cpu_ns as f64 / 1e3);
            row["first_move_us"] = json!(problem.times.first_move_ns as f64 / 1e3);
            all.push(row);
        }
    }
    all
}

fn claims(experiment: &Experiment, _: &[Ground], report: &Report) -> Vec<Value> {
    let claim = |claim: &waypost_lab::lab::compare::Checked| {
        json!({
            "experiment": experiment.name,
            "text": claim.text,
            "source": claim.source,
            "numbers": claim.numbers,
            "verdict": claim.verdict.name(),
            "reason": claim.reason,
        })
    };
    report.claims.iter().map(claim).collect()
}
