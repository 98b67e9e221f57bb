//! `waypost range`.

use crate::arguments::MapArgs;
use crate::files::Output;
use crate::place::StartArgs;
use crate::report::Report;
use crate::words;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::Map;
use waypost::questions::{Reached, range};
use waypost::search::Dijkstra;
use waypost_lab::picture::Picture;

/// All cells within a cost.
#[derive(Args)]
#[command(mut_arg("from", |from| from.help("Where to start: a cell X,Y, or `random`")))]
#[command(
    after_help = "Examples:\n  waypost gen caves\n  waypost range caves.map --from random --cost 8 --terrain S=2 --png range.png"
)]
pub struct RangeArgs {
    #[command(flatten)]
    map: MapArgs,

    #[command(flatten)]
    start: StartArgs,

    /// The most that a path may cost: its length, on terrain times the factors.
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    cost: f64,

    /// Draw the map and the cells in reach, the farther the darker.
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,
}

/// Finds the cells.
pub fn run(args: &RangeArgs) -> Result<Report> {
    if !(args.cost >= 0.0 && args.cost.is_finite()) {
        bail!("--cost {}: expected a number from 0 on", args.cost);
    }
    let png = args
        .png
        .as_deref()
        .map(|png| Output::image(png, "png"))
        .transpose()?;
    let map = args.map.load()?;
    let from = args.start.start(&map)?;
    let reached = range(&map, &mut Dijkstra::new(), from, args.cost);
    let mut written = String::new();
    if let Some(png) = png {
        png.write(&draw(&map, from, &reached)?)?;
        written = format!("; written: {}", png.path().display());
    }
    let cells: Vec<_> = reached
        .iter()
        .map(|reached| {
            let point = map.grid().point(reached.cell);
            json!([point.x, point.y, map.length(reached.length)])
        })
        .collect();
    let farthest = reached.iter().map(|r| map.length(r.length));
    let text = format!(
        "{} within {} of {}, the farthest at {}{written}",
        words::count(reached.len() as u64, "cell"),
        args.cost,
        map.grid().point(from),
        words::length(farthest.fold(0.0, f64::max)),
    );
    Ok(Report::done(json!({ "cells": cells }), text))
}

fn draw(map: &Map, from: waypost::Cell, reached: &[Reached]) -> Result<Vec<u8>> {
    let mut order: Vec<&Reached> = reached.iter().collect();
    order.sort_by_key(|reached| reached.cost);
    let cells: Vec<_> = order.iter().map(|reached| reached.cell).collect();
    let mut picture = Picture::of_map(map);
    picture.reached(&cells);
    picture.ends(from, from);
    Ok(picture.to_png()?)
}
