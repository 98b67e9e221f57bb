//! `waypost scale`.

use crate::arguments::GridArgs;
use crate::files::Output;
use crate::report::Report;
use crate::words;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::generate::scale;

/// Makes a map larger.
#[derive(Args)]
#[command(after_help = "Examples:\n  waypost gen caves\n  waypost scale caves.map 8 -o caves8.map")]
pub struct ScaleArgs {
    #[command(flatten)]
    map: GridArgs,

    /// How many cells each cell becomes in either direction.
    factor: u32,

    /// The map to write.
    #[arg(short, long, alias = "output", value_name = "OUT.map")]
    out: PathBuf,
}

/// Reads a map, scales it, writes it.
pub fn run(args: &ScaleArgs) -> Result<Report> {
    Output::check_name_of_map(&args.out)?;
    let output = Output::at(&args.out)?;
    let grid = args.map.load()?;
    if args.factor == 0 {
        bail!("the factor is 0; expected at least 1");
    }
    let scaled =
        scale(&grid, args.factor).with_context(|| args.map.path().display().to_string())?;
    output.write_grid(&scaled)?;
    let json = json!({
        "map": output.path().display().to_string(),
        "width": scaled.width(),
        "height": scaled.height(),
        "passable": scaled.passable_count(),
    });
    let text = format!(
        "{}: {} x {}, {}",
        output.path().display(),
        scaled.width(),
        scaled.height(),
        words::count(scaled.passable_count(), "passable cell"),
    );
    Ok(Report::done(json, text))
}
