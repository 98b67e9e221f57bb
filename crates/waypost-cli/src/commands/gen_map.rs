//! `waypost gen`.

use crate::files::Output;
use crate::report::Report;
use crate::words;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::formats::map;
use waypost::generate::{Kind, generate, terrain};
use waypost::names;

/// Makes a map.
#[derive(Args)]
#[command(
    after_help = "Kinds:\n  rooms   the floor of a building: rooms, corridors, doors, pillars\n  caves   chambers and winding passages\n  maze    corridors with dead ends and some loops\n  city    streets, blocks, courtyards, parks, a river with bridges\n  random  obstacles strewn over open ground\n  arena   a shooter's level, drawn as vectors and rasterised to any size\n\nExamples:\n  waypost gen caves                     # 400 x 300 cells, caves.map\n  waypost gen arena --width 2000 --height 1500 --seed 1 -o arena.map"
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

    /// Strew roads, swamps, woods and water over it, and print factors that fit.
    #[arg(long)]
    terrain: bool,

    /// The map to write: a .map file, or an image where the name ends in .png [default: KIND.map].
    #[arg(short, long, alias = "output", value_name = "OUT.map")]
    out: Option<PathBuf>,
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::from_name(name).ok_or_else(|| names::expected(name, &Kind::ALL.map(Kind::name)))
}

/// Makes the map and writes it.
pub fn run(args: &GenArgs) -> Result<Report> {
    if let Some(out) = &args.out {
        Output::check_name_of_map(out)?;
    }
    let named = PathBuf::from(format!("{}.map", args.kind.name()));
    let output = Output::named_or(args.out.as_deref(), &named)?;
    let grid = generate(args.kind, args.width, args.height, args.seed)?;
    let footings = args.terrain.then(terrain::footings);
    match &footings {
        None => output.write_grid(&grid)?,
        Some(_) if output.path().extension().is_some_and(|e| e == "png") => {
            bail!("--terrain needs letters; give -o a name that ends in .map")
        }
        Some(_) => output.write(&map::write_level(&terrain::strew(&grid, args.seed))?)?,
    }
    let passable = grid.passable_count();
    let json = json!({
        "map": output.path().display().to_string(),
        "kind": args.kind.name(),
        "seed": args.seed,
        "width": grid.width(),
        "height": grid.height(),
        "passable": passable,
        "fingerprint": format!("{:016x}", grid.fingerprint()),
        "terrain": footings.as_ref().map(ToString::to_string),
    });
    let text = format!(
        "{}: {} of {} x {}, {}{}",
        output.path().display(),
        args.kind.name(),
        grid.width(),
        grid.height(),
        words::count(passable, "passable cell"),
        footings.map_or(String::new(), |text| format!("\n--terrain {text}")),
    );
    Ok(Report::done(json, text))
}
