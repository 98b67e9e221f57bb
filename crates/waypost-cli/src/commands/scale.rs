//! `waypost scale`.

use crate::arguments::GridArgs;
use crate::files::Output;
use crate::report::Report;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::formats;
use waypost::grid::{Grid, GridError, Point};

/// Makes a map larger.
#[derive(Args)]
#[command(after_help = "Example:\n  waypost scale arena.map 8 -o arena8.map")]
pub struct ScaleArgs {
    #[command(flatten)]
    map: GridArgs,

    /// How many cells each cell becomes in either direction.
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    factor: u32,

    /// The map to write.
    #[arg(short, long, value_name = "OUT.map")]
    output: PathBuf,
}

/// Reads a map, scales it, writes it.
pub fn run(args: &ScaleArgs) -> Result<Report> {
    let output = Output::at(&args.output)?;
    let grid = args.map.load()?;
    let scaled = scale(&grid, args.factor)
        .with_context(|| format!("{} times {}", args.map.path().display(), args.factor))?;
    output.write(&formats::map::write(&scaled))?;
    let json = json!({
        "map": output.path().display().to_string(),
        "width": scaled.width(),
        "height": scaled.height(),
        "passable": scaled.passable_count(),
    });
    let text = format!(
        "{}: {} x {}, {} passable cells",
        output.path().display(),
        scaled.width(),
        scaled.height(),
        scaled.passable_count()
    );
    Ok(Report::done(json, text))
}

fn scale(grid: &Grid, factor: u32) -> Result<Grid, GridError> {
    let side = |length: u32| length.saturating_mul(factor);
    let mut scaled = Grid::blocked(side(grid.width()), side(grid.height()))?;
    for cell in grid.cells() {
        let Point { x, y } = grid.point(cell);
        for row in y * factor..(y + 1) * factor {
            scaled.set_run(row, x * factor..(x + 1) * factor, true);
        }
    }
    Ok(scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_becomes_a_square() {
        let grid = Grid::from_fn(3, 2, |p| (p.x + p.y) % 2 == 0).expect("a legal size");
        let scaled = scale(&grid, 3).expect("a legal size");
        for y in 0..6 {
            for x in 0..9 {
                let small = Point { x: x / 3, y: y / 3 };
                assert_eq!(
                    scaled.passable_cell(Point { x, y }).is_some(),
                    grid.passable_cell(small).is_some()
                );
            }
        }
        assert!(scale(&grid, u32::MAX).is_err());
    }
}
