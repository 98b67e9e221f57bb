//! Figure 17.3 of Game AI Pro, chapter 17: `cargo run --release -p waypost-lab --example search_spaces -- PROBLEMS MAP...`
//!
//! The grid, a graph of waypoints and a mesh of rectangles as search spaces of the same map, searched by the same A* for the same
//! problems, which are taken evenly from `MAP.scen`. Prints a Markdown row a space: its nodes and edges, what building it took,
//! nodes expanded and time a path, and the length of paths over that of the waypoints'.

use cpu_time::ThreadTime;
use waypost::formats::{map, scen};
use waypost::{Cell, Map, MoveRules, Space};
use waypost_lab::lab::places::evenly;
use waypost_lab::spaces::mesh::Mesh;
use waypost_lab::spaces::waypoints::Waypoints;
use waypost_lab::spaces::{GridSpace, length, pulled, search};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let usage = "usage: search_spaces PROBLEMS MAP...";
    let count: usize = words.next().ok_or(usage)?.parse()?;
    println!(
        "| map | space | nodes | edges | build ms | expanded a path | µs a path | length | pulled straight |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
    for path in words {
        let map = Map::new(map::parse(&std::fs::read(&path)?)?, MoveRules::default());
        let problems = scen::parse(&std::fs::read(format!("{path}.scen"))?)?;
        let ends: Vec<[Cell; 2]> = evenly(&problems, count)
            .iter()
            .filter_map(|problem| {
                let [from, to] = [problem.start, problem.goal].map(|p| map.passable_cell(p));
                Some([from?, to?])
            })
            .filter(|[from, to]| from != to && map.connected(*from, *to))
            .collect();
        let name = path.rsplit('/').next().unwrap_or_default();
        spaces(name, &map, &ends);
    }
    Ok(())
}

/// What a space took and gave over all problems.
#[derive(Default)]
struct Tally {
    expansions: u64,
    microseconds: f64,
    found: f64,
    pulled: f64,
}

fn spaces(name: &str, map: &Map, ends: &[[Cell; 2]]) {
    let begun = ThreadTime::now();
    let waypoints = Waypoints::of(map);
    let waypoints_ms = begun.elapsed().as_secs_f64() * 1e3;
    let begun = ThreadTime::now();
    let mesh = Mesh::of(map);
    let mesh_ms = begun.elapsed().as_secs_f64() * 1e3;
    let by_waypoints = tally(map, ends, |from, to| waypoints.path(map, from, to));
    let by_mesh = tally(map, ends, |from, to| mesh.path(map, from, to));
    let by_grid = tally(map, ends, |from, goal| {
        let found = search(&mut GridSpace { map, goal }, from.0);
        (
            found.nodes.into_iter().map(Cell).collect(),
            found.expansions,
        )
    });
    let mut edges = 0;
    for cell in map.grid().cells() {
        map.for_each_neighbour(cell, |_, _| edges += 1);
    }
    let cells = map.grid().passable_count() as usize;
    let least = by_waypoints.found;
    row(name, "grid", [cells, edges / 2], 0.0, &by_grid, ends, least);
    let size = [waypoints.len(), waypoints.edges()];
    row(
        "",
        "waypoints",
        size,
        waypoints_ms,
        &by_waypoints,
        ends,
        least,
    );
    let size = [mesh.rectangles().len(), mesh.portals()];
    row("", "rectangles", size, mesh_ms, &by_mesh, ends, least);
}

fn tally(
    map: &Map,
    ends: &[[Cell; 2]],
    mut path: impl FnMut(Cell, Cell) -> (Vec<Cell>, u64),
) -> Tally {
    let mut tally = Tally::default();
    for &[from, to] in ends {
        let begun = ThreadTime::now();
        let (cells, expansions) = path(from, to);
        tally.microseconds += begun.elapsed().as_secs_f64() * 1e6;
        tally.expansions += expansions;
        tally.found += length(map, &cells);
        tally.pulled += length(map, &pulled(map, &cells));
    }
    tally
}

fn row(
    name: &str,
    space: &str,
    [nodes, edges]: [usize; 2],
    build_ms: f64,
    tally: &Tally,
    ends: &[[Cell; 2]],
    least: f64,
) {
    let count = ends.len().max(1) as f64;
    println!(
        "| {name} | {space} | {nodes} | {edges} | {build_ms:.1} | {:.0} | {:.0} | {:.4} | {:.4} |",
        tally.expansions as f64 / count,
        tally.microseconds / count,
        tally.found / least,
        tally.pulled / least,
    );
}
