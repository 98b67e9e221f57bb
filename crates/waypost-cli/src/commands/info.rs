//! `waypost info`.

use crate::arguments::MapArgs;
use crate::bar::Bar;
use crate::report::Report;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use waypost_lab::map_measures::measure;
use waypost_lab::table::{bytes, grouped};

/// Facts about a map.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  waypost gen caves\n  waypost info caves.map --json\n  waypost info caves.map --measures"
)]
pub struct InfoArgs {
    #[command(flatten)]
    map: MapArgs,

    /// Also measure how hard the map is for real-time search, over this many random pairs of cells.
    #[arg(long, value_name = "PAIRS", num_args = 0..=1, default_missing_value = "200")]
    measures: Option<std::num::NonZeroUsize>,
}

/// Reads a map and says what it is.
pub fn run(args: &InfoArgs) -> Result<Report> {
    let map = args.map.load()?;
    let grid = map.grid();
    let components = map.components();
    let largest = components.largest().map_or(0, |c| components.size(c));
    let passable = grid.passable_count();
    let fingerprint = format!("{:016x}", grid.fingerprint());
    let measures = args
        .measures
        .map(|pairs| measure(&map, pairs.get(), &Bar::default()));
    let measures = measures.transpose()?;
    let mut json = json!({
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
    if let Some(measures) = &measures {
        json["measures"] = json!(measures);
    }
    let share = |part: u64, whole: u64| part as f64 * 100.0 / (whole.max(1)) as f64;
    let area = u64::from(grid.width()) * u64::from(grid.height());
    let mut text = format!(
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
    if let Some(m) = measures {
        text += &format!(
            "  over {} random pairs of connected cells:\n    climbing arrives     {:.1}% of them\n    an optimal path      {:.1} climbs long in the mean\n    A* expands           {:.1} states a move (median {:.1})\n    octile distance      {:.1}% too short\n",
            m.pairs,
            m.climbable_pct,
            m.subgoals,
            m.difficulty,
            m.difficulty_median,
            m.estimate_error_pct,
        );
    }
    Ok(Report::done(json, text))
}
