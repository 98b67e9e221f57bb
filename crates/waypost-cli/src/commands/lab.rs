//! `waypost lab`: the tables and figures of papers, made again.

use crate::arguments::ThreadArgs;
use crate::files::{Output, Use, note_use};
use crate::machine;
use crate::report::Report;
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use waypost::names;
use waypost_lab::lab::compare::Verdict;
use waypost_lab::lab::places::{Source, maps_in};
use waypost_lab::lab::published::Published;
use waypost_lab::lab::records::Records;
use waypost_lab::lab::report::{self, Setup};
use waypost_lab::lab::run::{self, Watch};
use waypost_lab::lab::suite::Suite;
use waypost_lab::lab::{EXPERIMENTS, Experiment};
use waypost_lab::table::{Align, Table};

const EXAMPLES: &str = "\
Output, in --out DIR: report.html (one file that needs nothing beside it), report.md with figures/*.svg and maps/*.png, \
tables/*.csv, and records.jsonl with every trial. A run that was stopped goes on where it was: the same command reads \
records.jsonl and runs what is missing. A changed suite runs again only what changed.

Exit codes: 0 the report is written; 1 with --check where a claim fails; 2 bad usage or bad input.

Examples:
  waypost lab list
  waypost lab all --quick
  waypost lab all-methods --quick
  waypost lab knn-lrta-2009 --out results
  waypost lab all-methods --maps my-maps --count 500
  waypost lab case-based-2010 --print-suite > my-suite.toml
  waypost lab case-based-2010 --suite my-suite.toml";

/// Runs an experiment and reports on it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct LabArgs {
    /// The experiment, `list` for their names, or `all` for one after the other.
    experiment: String,

    /// Run on all .map files of this folder instead of on generated maps.
    #[arg(long, value_name = "DIR")]
    maps: Option<PathBuf>,

    /// The small form: a few problems on small maps.
    #[arg(long)]
    quick: bool,

    /// The folder for report and records; made where it is missing [default: waypost-lab/EXPERIMENT].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Run this suite instead of the experiment's own.
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,

    /// Print the experiment's suite and stop.
    #[arg(long)]
    print_suite: bool,

    /// This many problems for each map instead of the suite's number.
    #[arg(long, alias = "problems", value_name = "N")]
    count: Option<std::num::NonZeroUsize>,

    /// Shift the seeds of generated maps and of problems by this: other maps and problems of the same kind.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Throw earlier records away and run everything again.
    #[arg(long)]
    fresh: bool,

    /// Exit with 1 where a claim of the paper fails.
    #[arg(long)]
    check: bool,

    /// Threads for building indexes and for optimal lengths; algorithms are always timed on one.
    #[command(flatten)]
    threads: ThreadArgs,
}

/// Runs the experiment, or lists all.
pub fn run(args: &LabArgs) -> Result<Report> {
    if args.experiment == "list" {
        return Ok(list());
    }
    if args.experiment == "all" {
        return all(args);
    }
    let Some(experiment) = Experiment::find(&args.experiment) else {
        bail!("{}", unknown(&args.experiment));
    };
    if args.print_suite {
        return Ok(Report::done(
            json!({ "suite": experiment.suite }),
            experiment.suite,
        ));
    }
    let default = Path::new("waypost-lab").join(experiment.name);
    let out = args.out.clone().unwrap_or(default);
    let finished = one(args, experiment, &out)?;
    let page = out.join("report.html");
    let text = format!("{}\nThe report: {}\n", finished.to_text(), page.display());
    let json = answer(&finished, &out);
    Ok(Report::answer(json, text, args.check && fails(&finished)))
}

fn fails(report: &report::Report) -> bool {
    report.claims.iter().any(|c| c.verdict == Verdict::Fail)
}

/// Runs one experiment into a folder.
fn one(args: &LabArgs, experiment: &Experiment, out: &Path) -> Result<report::Report> {
    let suite = suite(args, experiment)?;
    let sources = sources(args, &suite)?;
    claim_records(out)?;
    if args.fresh {
        forget(out)?;
    }
    let job = Job {
        experiment,
        suite,
        sources,
        quick: args.quick,
        command: command(args, experiment),
        out,
        lead: Vec::new(),
        conclude: &|_| None,
    };
    args.threads.run(|| job.run())
}

/// The command that makes a report again; of files and folders the last names alone.
fn command(args: &LabArgs, experiment: &Experiment) -> String {
    let mut words = format!("waypost lab {}", experiment.name);
    let mut add = |word: &str, value: String| {
        let gap = if value.is_empty() { "" } else { " " };
        words += &format!(" {word}{gap}{value}");
    };
    let last = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    if args.quick {
        add("--quick", String::new());
    }
    for (word, path) in [("--maps", &args.maps), ("--suite", &args.suite)] {
        if let Some(path) = path {
            add(word, last(path));
        }
    }
    if let Some(count) = args.count {
        add("--count", count.to_string());
    }
    if args.seed != 0 {
        add("--seed", args.seed.to_string());
    }
    words
}

/// Runs every experiment into a folder of its own, and says what came out and how long each took.
fn all(args: &LabArgs) -> Result<Report> {
    if args.suite.is_some() || args.print_suite {
        bail!("`--suite` and `--print-suite` are about one experiment; name it instead of `all`");
    }
    let folder = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("waypost-lab"));
    let mut table = Table::new(&[
        ("experiment", Align::Left),
        ("s", Align::Right),
        ("claims", Align::Left),
    ]);
    let (mut answers, mut failed) = (Vec::new(), false);
    for experiment in EXPERIMENTS {
        let begun = std::time::Instant::now();
        let out = folder.join(experiment.name);
        let finished = one(args, experiment, &out)
            .with_context(|| format!("the experiment {}", experiment.name))?;
        failed |= fails(&finished);
        let seconds = begun.elapsed().as_secs_f64();
        let verdicts = report::counted(&finished.claims);
        table.row([
            experiment.name.to_string(),
            format!("{seconds:.1}"),
            verdicts,
        ]);
        let mut answer = answer(&finished, &out);
        answer["seconds"] = json!(seconds);
        answers.push(answer);
    }
    let text = format!("{table}\nThe reports: {}\n", folder.display());
    let json = json!({ "experiments": answers });
    Ok(Report::answer(json, text, args.check && failed))
}

/// The file of records within a report's folder.
const RECORDS: &str = "records.jsonl";

/// Refuses records that are an input of the same command.
pub fn claim_records(out: &Path) -> Result<()> {
    note_use(&out.join(RECORDS), Use::Write)
}

/// Removes the records in a report's folder.
pub fn forget(out: &Path) -> Result<()> {
    let records = out.join(RECORDS);
    match std::fs::remove_file(&records) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| records.display().to_string())
        }
        _ => Ok(()),
    }
}

/// An experiment to run.
pub struct Job<'a> {
    /// Which.
    pub experiment: &'a Experiment,
    /// What it runs.
    pub suite: Suite,
    /// On which maps.
    pub sources: Vec<Source>,
    /// Whether it is in the small form.
    pub quick: bool,
    /// What was asked for, as a command.
    pub command: String,
    /// Where its files go.
    pub out: &'a Path,
    /// Pictures that the report opens with: names of files, captions, bytes.
    pub lead: Vec<(&'static str, String, Vec<u8>)>,
    /// What is said before everything else, seen from the finished report.
    pub conclude: &'a (dyn Fn(&report::Report) -> Option<String> + Sync),
}

impl Job<'_> {
    /// Runs what is not recorded and writes the report.
    pub fn run(self) -> Result<report::Report> {
        let named = || format!("{}: the folder cannot be made", self.out.display());
        std::fs::create_dir_all(self.out).with_context(named)?;
        let published = Published::parse(self.experiment.published, "published.toml")?;
        let mut records = Records::open(&self.out.join(RECORDS))?;
        let bar = LabBar::default();
        let commit = match machine::commit() {
            "" => "unknown",
            commit => commit,
        };
        let grounds = run::run(&self.suite, self.sources, &mut records, commit, &bar)?;
        drop(bar);
        let setup = Setup {
            experiment: self.experiment.name,
            suite: &self.suite,
            published: &published,
            quick: self.quick,
            machine: &machine::machine(),
            program: &machine::program(),
            command: &self.command,
        };
        let mut finished = report::report(&setup, &grounds);
        finished.lead = self.lead;
        let conclusion = (self.conclude)(&finished);
        finished.summary.splice(0..0, conclusion);
        for (name, bytes) in finished.files() {
            let path = self.out.join(name);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            }
            Output::at(&path)?.write(&bytes)?;
        }
        Ok(finished)
    }
}

fn suite(args: &LabArgs, experiment: &Experiment) -> Result<Suite> {
    let mut suite = match &args.suite {
        None => Suite::parse(experiment.suite, "the experiment's suite", args.quick)?,
        Some(path) => {
            let bytes = crate::files::read(path)?;
            let text = std::str::from_utf8(&bytes)
                .with_context(|| format!("{}: expected a text in UTF-8", path.display()))?;
            Suite::parse(text, &path.display().to_string(), args.quick)?
        }
    };
    if let Some(count) = args.count {
        suite.problems.count = count.get();
    }
    suite.shift_seeds(args.seed);
    Ok(suite)
}

fn sources(args: &LabArgs, suite: &Suite) -> Result<Vec<Source>> {
    match &args.maps {
        Some(folder) => {
            let sources = maps_in(folder).context("--maps")?;
            for source in &sources {
                if let Source::File(path) = source {
                    note_use(path, Use::Read)?;
                }
            }
            Ok(sources)
        }
        None => Ok(suite.maps.iter().cloned().map(Source::Recipe).collect()),
    }
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
    format!(
        "unknown experiment `{name}`; {}, or `list`",
        names::expected(name, &known)
    )
}

fn list() -> Report {
    let mut table = Table::new(&[("experiment", Align::Left), ("what it makes", Align::Left)]);
    for experiment in EXPERIMENTS {
        table.row([experiment.name.to_string(), experiment.about.to_string()]);
    }
    let listed: Vec<Value> = EXPERIMENTS
        .iter()
        .map(|e| json!({ "name": e.name, "about": e.about }))
        .collect();
    let text = format!("{table}\nwaypost lab EXPERIMENT runs one; --quick runs its small form.\n");
    Report::done(json!({ "experiments": listed }), text)
}

/// What `--json` prints of a report.
pub fn answer(report: &report::Report, out: &Path) -> Value {
    let claims: Vec<Value> = report
        .claims
        .iter()
        .map(|claim| {
            json!({
                "text": claim.text,
                "source": claim.source,
                "numbers": claim.numbers,
                "difference": claim.difference.map(|(low, high)| [low, high]),
                "threshold": claim.threshold.map(|threshold| threshold.name()),
                "verdict": claim.verdict.name(),
                "reason": claim.reason,
            })
        })
        .collect();
    let tables: Vec<Value> = report
        .tables
        .iter()
        .map(|sheet| {
            let (columns, rows) = sheet.for_programs();
            json!({ "id": sheet.id, "title": sheet.title, "columns": columns, "rows": rows })
        })
        .collect();
    json!({
        "experiment": report.experiment,
        "report": out.join("report.html").display().to_string(),
        "records": out.join(RECORDS).display().to_string(),
        "summary": report.summary,
        "claims": claims,
        "tables": tables,
    })
}

/// One bar over a whole experiment, with the time left; only where standard error is a terminal.
struct LabBar {
    bar: ProgressBar,
}

impl Default for LabBar {
    fn default() -> LabBar {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:<40!} {wide_bar} {percent:>3}%  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        LabBar { bar }
    }
}

impl Watch for LabBar {
    fn planned(&self, total: u64, recorded: u64) {
        self.bar.set_length(total);
        self.bar.set_position(recorded);
        // What was recorded before says nothing of the speed of this run.
        self.bar.reset_eta();
        self.bar.enable_steady_tick(Duration::from_millis(500));
    }

    fn doing(&self, what: &str) {
        self.bar.set_message(what.to_string());
    }

    fn advance(&self, parts: u64) {
        self.bar.inc(parts);
    }
}

impl Drop for LabBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
