//! `waypost check`.

use crate::arguments::{MapArgs, ThreadArgs};
use crate::bar::Bar;
use crate::files;
use crate::report::Report;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use waypost::Map;
use waypost::cost::Length;
use waypost::formats::scen::{self, Problem};
use waypost::grid::Cell;
use waypost_lab::optimal::Optimal;

/// How many wrong problems the text lists; the JSON has all.
const LISTED: usize = 20;

/// Recomputes every optimal length.
#[derive(Args)]
#[command(
    after_help = "Lengths are compared as far as the digits printed in the file go. Problems whose start or goal is blocked or unreachable count as unsolvable, not as wrong.\n\nExamples:\n  waypost gen caves\n  waypost scen caves.map\n  waypost check caves.map caves.scen"
)]
pub struct CheckArgs {
    #[command(flatten)]
    map: MapArgs,

    /// The scenario file.
    scen: PathBuf,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// What is true of a problem.
enum Verdict {
    Right,
    Unsolvable,
    Wrong(f64),
}

/// Checks all problems on all threads.
pub fn run(args: &CheckArgs) -> Result<Report> {
    let map = args.map.load()?;
    let problems = read_problems(&args.scen, &map)?;
    let (algo, lengths) = args.threads.run(|| optimal_lengths(&map, &problems))?;
    let verdicts: Vec<Verdict> = problems
        .iter()
        .zip(&lengths)
        .map(|(problem, length)| judge(&map, problem, *length))
        .collect();
    let unsolvable = count(&verdicts, |v| matches!(v, Verdict::Unsolvable));
    let wrong = count(&verdicts, |v| matches!(v, Verdict::Wrong(_)));
    let mut list = Vec::new();
    let mut text = format!(
        "{}: {} problems, {wrong} wrong, {unsolvable} unsolvable (recomputed with {algo})\n",
        args.scen.display(),
        problems.len()
    );
    for (i, (problem, verdict)) in problems.iter().zip(&verdicts).enumerate() {
        let Verdict::Wrong(found) = verdict else {
            continue;
        };
        list.push(json!({
            "problem": i + 1,
            "from": [problem.start.x, problem.start.y],
            "to": [problem.goal.x, problem.goal.y],
            "stated": problem.length,
            "found": found,
        }));
        if list.len() <= LISTED {
            text += &format!(
                "  problem {}: {} to {} is {found:.8} long, the file says {}\n",
                i + 1,
                problem.start,
                problem.goal,
                problem.length
            );
        }
    }
    if wrong > LISTED {
        text += &format!("  ... and {} more (all with --json)\n", wrong - LISTED);
    }
    let json = json!({
        "map": args.map.path().display().to_string(),
        "scen": args.scen.display().to_string(),
        "problems": problems.len(),
        "wrong": wrong,
        "unsolvable": unsolvable,
        "algo": algo,
        "wrong_problems": Value::Array(list),
    });
    Ok(Report::answer(json, text, wrong > 0))
}

/// Reads a scenario file and makes sure that it is for this map.
pub fn read_problems(path: &std::path::Path, map: &Map) -> Result<Vec<Problem>> {
    let named = || path.display().to_string();
    let problems = scen::parse(&files::read(path)?).with_context(named)?;
    scen::check_size(&problems, map.grid()).with_context(named)?;
    Ok(problems)
}

/// The name of the search, and the moves of a shortest path for each problem that has one.
fn optimal_lengths(map: &Map, problems: &[Problem]) -> Result<(String, Vec<Option<Length>>)> {
    let bar = Bar::default();
    let optimal = Optimal::prepare(map, &bar)?;
    let pairs: Vec<(Cell, Cell)> = problems
        .iter()
        .map(|problem| problem.ends(map.grid()).unwrap_or((Cell::NONE, Cell::NONE)))
        .collect();
    let lengths = optimal.lengths(map, &pairs, &bar)?;
    Ok((optimal.spec().to_string(), lengths))
}

fn judge(map: &Map, problem: &Problem, length: Option<Length>) -> Verdict {
    let Some(length) = length else {
        return Verdict::Unsolvable;
    };
    let length = map.length(length);
    if problem.agrees_with(length) {
        Verdict::Right
    } else {
        Verdict::Wrong(length)
    }
}

fn count(verdicts: &[Verdict], is: impl Fn(&Verdict) -> bool) -> usize {
    verdicts.iter().filter(|verdict| is(verdict)).count()
}
