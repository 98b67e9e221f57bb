//! `waypost scen`.

use crate::arguments::{MapArgs, ThreadArgs};
use crate::bar::Bar;
use crate::files::Output;
use crate::report::Report;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use waypost::formats::scen;
use waypost_lab::difficulty::{Difficulties, Range, Spread};
use waypost_lab::make::make_problems;
use waypost_lab::problems::Wanted;

/// Makes problems.
#[derive(Args)]
#[command(
    after_help = "Without --max-cost problems are random pairs of connected cells; with it they are spread evenly over the range of lengths, as far as the map has them. The difficulty of a problem is the number of states that A* expands for each move of the path.\n\nExamples:\n  waypost gen caves\n  waypost scen caves.map                # 200 problems, caves.scen\n  waypost scen caves.map --count 500 --min-cost 50 --max-cost 400 --seed 7 -o long.scen\n  waypost scen caves.map --count 50 --min-difficulty 2 -o hard.scen"
)]
pub struct ScenArgs {
    #[command(flatten)]
    map: MapArgs,

    /// How many problems.
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: usize,

    /// The seed: the same one gives the same problems.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The least optimal length.
    #[arg(long, value_name = "C", default_value_t = 0.0)]
    min_cost: f64,

    /// The greatest optimal length [default: none].
    #[arg(long, value_name = "C")]
    max_cost: Option<f64>,

    /// The least difficulty [default: any].
    #[arg(long, value_name = "D")]
    min_difficulty: Option<f64>,

    /// The greatest difficulty [default: any].
    #[arg(long, value_name = "D")]
    max_difficulty: Option<f64>,

    /// The scenario file to write [default: like the map, with .scen].
    #[arg(short, long, alias = "output", value_name = "OUT.scen")]
    out: Option<PathBuf>,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// Makes the problems and writes them.
pub fn run(args: &ScenArgs) -> Result<Report> {
    let named = args.map.path().with_extension("scen");
    if args.out.is_none() && args.map.path() == Path::new("-") {
        bail!("a map from standard input has no name; name the file to write with -o");
    }
    let output = Output::named_or(args.out.as_deref(), &named)?;
    let map = args.map.load()?;
    let name = args.map.path().file_name();
    let wanted = Wanted {
        count: args.count,
        seed: args.seed,
        least: args.min_cost,
        most: args.max_cost,
        difficulty: vec![Range::new(args.min_difficulty, args.max_difficulty)],
        map_name: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
    };
    let (problems, difficulties) = args.threads.run(|| {
        let problems = make_problems(&map, &wanted, &Bar::default())
            .with_context(|| args.map.path().display().to_string())?;
        let pairs = problems.iter().map(|problem| problem.ends(map.grid()));
        let pairs: Vec<_> = pairs.collect::<Result<_, _>>()?;
        let difficulties = Difficulties::prepare(&map)?;
        let all = difficulties.of_all(&map, &pairs, &Bar::default())?;
        anyhow::Ok((problems, all))
    })?;
    let difficulty = Spread::of(difficulties).unwrap_or_default();
    output.write(&scen::write(&problems))?;
    let lengths = || problems.iter().map(|problem| problem.length);
    let shortest = lengths().min_by(f64::total_cmp).unwrap_or(0.0);
    let longest = lengths().max_by(f64::total_cmp).unwrap_or(0.0);
    let json = json!({
        "scen": output.path().display().to_string(),
        "problems": problems.len(),
        "shortest": shortest,
        "longest": longest,
        "difficulty": {
            "mean": difficulty.mean,
            "median": difficulty.median,
            "least": difficulty.least,
            "most": difficulty.most,
        },
    });
    if problems.is_empty() {
        let text = format!(
            "{}: no problems, as --count 0 says",
            output.path().display()
        );
        return Ok(Report::done(json, text));
    }
    let text = format!(
        "{}: {} problems with lengths from {shortest:.1} to {longest:.1}; A* expands {:.1} states a move in the mean (median {:.1}, most {:.1})",
        output.path().display(),
        problems.len(),
        difficulty.mean,
        difficulty.median,
        difficulty.most,
    );
    Ok(Report::done(json, text))
}
