//! What a repair of the hierarchy costs, by the size of the patch and of the map, beside a fresh build: `cargo run --release
//! -p waypost-lab --example hierarchy_repair -- [SIDE...]`. Maps are generated arenas; a patch is a square whose cells all
//! become walls, and the next one opens what it closed.

use cpu_time::ThreadTime;
use waypost::generate::{Kind, generate};
use waypost::hierarchy::Hierarchy;
use waypost::rng::Rng;
use waypost::{GridPatch, Map, MoveRules, Point};
use waypost_lab::table::{Align, Table, short};

const ROUNDS: u32 = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sides: Vec<u32> = Vec::new();
    for argument in std::env::args().skip(1) {
        sides.push(argument.parse()?);
    }
    if sides.is_empty() {
        sides = vec![256, 1024, 4096];
    }
    let columns = [
        "side",
        "cells",
        "fresh build, us",
        "patch",
        "cells changed",
        "nodes, mean",
        "nodes, most",
        "us, mean",
        "us, most",
        "build over mean",
    ];
    let mut table = Table::new(&columns.map(|name| (name, Align::Right)));
    for side in sides {
        let grid = generate(Kind::Arena, side, side, 1)?;
        let mut map = Map::new(grid, MoveRules::default());
        let begun = ThreadTime::now();
        let mut hierarchy = Hierarchy::build(&map);
        let fresh = begun.elapsed().as_secs_f64() * 1e6;
        for patch_side in [1, 4, 16, 64] {
            let mut rng = Rng::for_item(1, u64::from(patch_side));
            let (mut changed, mut nodes, mut most_nodes) = (0, 0, 0);
            let (mut us, mut most_us) = (0.0, 0f64);
            for _ in 0..ROUNDS {
                let corner = [(); 2].map(|()| rng.below(side - patch_side));
                let points = passable(&map, corner, patch_side);
                for open in [false, true] {
                    let mut patch = GridPatch::new();
                    for &point in &points {
                        patch.set(point, open);
                    }
                    let changes = map.apply(&patch);
                    changed += changes.blocked.len() + changes.opened.len();
                    let begun = ThreadTime::now();
                    let repair = hierarchy.repair(&map, &changes);
                    let took = begun.elapsed().as_secs_f64() * 1e6;
                    nodes += repair.nodes;
                    most_nodes = most_nodes.max(repair.nodes);
                    us += took;
                    most_us = most_us.max(took);
                }
            }
            let repairs = f64::from(2 * ROUNDS);
            table.row([
                side.to_string(),
                short(map.grid().passable_count() as f64),
                short(fresh),
                format!("{patch_side} x {patch_side}"),
                short(changed as f64 / repairs),
                short(nodes as f64 / repairs),
                short(most_nodes as f64),
                short(us / repairs),
                short(most_us),
                short(fresh / (us / repairs)),
            ]);
        }
        hierarchy.check(&map).map_err(|flaw| flaw.to_string())?;
    }
    println!("{}", table.to_markdown());
    Ok(())
}

/// The passable cells of a square.
fn passable(map: &Map, [left, top]: [u32; 2], side: u32) -> Vec<Point> {
    let square = (top..top + side).flat_map(|y| (left..left + side).map(move |x| Point { x, y }));
    square
        .filter(|&point| map.grid().passable_cell(point).is_some())
        .collect()
}
