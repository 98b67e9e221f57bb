//! `waypost info`.

use crate::arguments::MapArgs;
use crate::report::Report;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use waypost_lab::table::{bytes, grouped};

/// Facts about a map.
#[derive(Args)]
#[command(after_help = "Example:\n  waypost info caves.map --json")]
pub struct InfoArgs {
    #[command(flatten)]
    map: MapArgs,
}

/// Reads a map and says what it is.
pub fn run(args: &InfoArgs) -> Result<Report> {
    let map = args.map.load()?;
    let grid = map.grid();
    let components = map.components();
    let largest = components.largest().map_or(0, |c| components.size(c));
    let passable = grid.passable_count();
    let fingerprint = format!("{:016x}", grid.fingerprint());
    let json = json!({
        "map": args.map.path().display().to_string(),
        "width": grid.width(),
        "height": grid.height(),
        "passable": passable,
        "components": components.count(),
        "largest_component": largest,
        "fingerprint": fingerprint,
        "memory_bytes": grid.memory_bytes() + map.ground().map_or(0, |g| g.memory_bytes()),
        "size": map.unit_size(),
        "terrain": map.ground().map(|ground| json!({
            "straight": ground.scale().straight,
            "diagonal": ground.scale().diagonal,
            "unit": f64::from(ground.scale().unit) / 100.0,
        })),
    });
    let share = |part: u64, whole: u64| part as f64 * 100.0 / (whole.max(1)) as f64;
    let area = u64::from(grid.width()) * u64::from(grid.height());
    let text = format!(
        "{}\n  size         {} x {}\n  passable     {} ({:.1}% of {})\n  components   {}, the largest {} ({:.1}% of the passable cells)\n  memory       {}\n  fingerprint  {fingerprint}\n",
        args.map.path().display(),
        grid.width(),
        grid.height(),
        grouped(passable as i64),
        share(passable, area),
        grouped(area as i64),
        grouped(components.count() as i64),
        grouped(largest as i64),
        share(largest, passable),
        bytes(grid.memory_bytes() as u64),
    );
    Ok(Report::done(json, text))
}
