//! `waypost scen`.

use crate::arguments::{MapArgs, ThreadArgs};
use crate::bar::Bar;
use crate::files::Output;
use crate::report::Report;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::formats::scen;
use waypost_lab::problems::{Wish, make};

/// Makes problems.
#[derive(Args)]
#[command(
    after_help = "Problems are spread over lengths: the range is divided into --parts equal parts with as many problems each, as far\nas the map has them. --parts 1 takes random pairs as they come.\n\nExample:\n  waypost scen caves.map --count 500 --min-cost 50 --max-cost 400 --seed 7 -o caves.scen"
)]
pub struct ScenArgs {
    #[command(flatten)]
    map: MapArgs,

    /// How many problems.
    #[arg(long, value_name = "N")]
    count: usize,

    /// The seed: the same one gives the same problems.
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// The least optimal length.
    #[arg(long, value_name = "C", default_value_t = 0.0)]
    min_cost: f64,

    /// The greatest optimal length [default: the longest found].
    #[arg(long, value_name = "C")]
    max_cost: Option<f64>,

    /// Equal parts of the range of lengths that get as many problems each [default: one for every 10 problems].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    parts: Option<u32>,

    /// The scenario file to write.
    #[arg(short, long, value_name = "OUT.scen")]
    output: PathBuf,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// Makes the problems and writes them.
pub fn run(args: &ScenArgs) -> Result<Report> {
    let valid = |cost: f64| cost.is_finite() && cost >= 0.0;
    if !valid(args.min_cost) || !args.max_cost.is_none_or(valid) {
        bail!("--min-cost and --max-cost: expected lengths from 0 on");
    }
    if args.max_cost.is_some_and(|max| max < args.min_cost) {
        bail!("--max-cost is below --min-cost; expected it above");
    }
    let output = Output::at(&args.output)?;
    let map = args.map.load()?;
    let name = args.map.path().file_name();
    let wish = Wish {
        count: args.count,
        seed: args.seed,
        min_cost: args.min_cost,
        max_cost: args.max_cost,
        parts: args.parts.map_or(args.count / 10, |parts| parts as usize),
        map_name: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
    };
    let problems = args.threads.run(|| {
        let bar = Bar::default();
        make(&map, &wish, &bar).with_context(|| args.map.path().display().to_string())
    })?;
    output.write(&scen::write(&problems))?;
    let (shortest, longest) = (
        problems.first().map_or(0.0, |p| p.length),
        problems.last().map_or(0.0, |p| p.length),
    );
    let json = json!({
        "scen": output.path().display().to_string(),
        "problems": problems.len(),
        "shortest": shortest,
        "longest": longest,
    });
    let text = format!(
        "{}: {} problems with lengths from {shortest:.1} to {longest:.1}",
        output.path().display(),
        problems.len()
    );
    Ok(Report::done(json, text))
}
