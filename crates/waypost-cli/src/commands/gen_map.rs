//! `waypost gen`.

use crate::files::Output;
use crate::report::Report;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::generate::{Kind, generate};
use waypost::names;
use waypost_lab::table::grouped;

/// Makes a map.
#[derive(Args)]
#[command(
    after_help = "Kinds:\n  rooms   the floor of a building: rooms, corridors, doors, pillars\n  caves   chambers and winding passages\n  maze    corridors with dead ends and some loops\n  city    streets, blocks, courtyards, parks, a river with bridges\n  random  obstacles strewn over open ground\n  arena   a shooter's level, drawn as vectors and rasterised to any size\n\nExamples:\n  waypost gen caves                                                  400 x 300 cells, caves.map\n  waypost gen arena --width 2000 --height 1500 --seed 1 -o arena.map"
)]
pub struct GenArgs {
    /// What it looks like.
    #[arg(value_parser = kind)]
    kind: Kind,

    /// Cells from left to right.
    #[arg(long, value_name = "W", default_value_t = 400)]
    width: u32,

    /// Cells from top to bottom.
    #[arg(long, value_name = "H", default_value_t = 300)]
    height: u32,

    /// The seed: the same one gives the same map.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The map to write: a .map file, or an image where the name ends in .png [default: KIND.map].
    #[arg(short, long, alias = "output", value_name = "OUT.map")]
    out: Option<PathBuf>,
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::from_name(name).ok_or_else(|| names::expected(name, &Kind::ALL.map(Kind::name)))
}

/// Makes the map and writes it.
pub fn run(args: &GenArgs) -> Result<Report> {
    let named = PathBuf::from(format!("{}.map", args.kind.name()));
    let output = Output::named_or(args.out.as_deref(), &named)?;
    let grid = generate(args.kind, args.width, args.height, args.seed)?;
    output.write_grid(&grid)?;
    let passable = grid.passable_count();
    let json = json!({
        "map": output.path().display().to_string(),
        "kind": args.kind.name(),
        "seed": args.seed,
        "width": grid.width(),
        "height": grid.height(),
        "passable": passable,
        "fingerprint": format!("{:016x}", grid.fingerprint()),
    });
    let text = format!(
        "{}: {} of {} x {}, {} passable cells",
        output.path().display(),
        args.kind.name(),
        grid.width(),
        grid.height(),
        grouped(passable as i64)
    );
    Ok(Report::done(json, text))
}
