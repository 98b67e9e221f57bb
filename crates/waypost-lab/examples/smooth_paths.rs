//! What straightening does to the paths of scenario files: `cargo run --release -p waypost-lab --example smooth_paths -- SIZE MAP...`
//!
//! Every problem of `MAP.scen` that a unit of SIZE x SIZE cells can solve. Prints a Markdown row a map: turns and length of the
//! grid paths and of the straightened ones, how many of these are longer, and how many lines leave the free ground when the unit
//! is moved along them in steps of a thirty-second of a cell and must fit at every place that the middle of its upper left cell
//! touches.

use waypost::formats::{map, scen};
use waypost::questions::{smooth, turns};
use waypost::search::{AStar, PathSearch};
use waypost::{Cell, Grid, Map, MoveRules, Point};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let size: u32 = words
        .next()
        .ok_or("usage: smooth_paths SIZE MAP...")?
        .parse()?;
    println!(
        "| map | paths | turns | straightened | part | length | straightened | longer | into walls |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for path in words {
        let grid = map::parse(&std::fs::read(&path)?)?;
        let problems = scen::parse(&std::fs::read(format!("{path}.scen"))?)?;
        let map = Map::for_unit(&grid, MoveRules::default(), None, size)?;
        let mut search = AStar::new();
        let (mut paths, mut longer, mut wrong) = (0, 0, 0);
        let (mut bends, mut lengths) = ([0, 0], [0.0, 0.0]);
        for problem in &problems {
            let ends = [problem.start, problem.goal].map(|point| map.passable_cell(point));
            let [Some(from), Some(to)] = ends else {
                continue;
            };
            let Some(found) = search.shortest_path(&map, from, to) else {
                continue;
            };
            let length = map.length(map.path_length(&found.cells).unwrap_or_default());
            let straight = smooth(&map, &found.cells);
            paths += 1;
            bends[0] += turns(&map, &found.cells);
            bends[1] += straight.waypoints.len().saturating_sub(2);
            lengths[0] += length;
            lengths[1] += straight.length;
            longer += usize::from(straight.length > length * (1.0 + 1e-9));
            let lines = straight.waypoints.windows(2);
            wrong += lines
                .filter(|ends| !is_free(&grid, &map, ends, size))
                .count();
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        println!(
            "| {name} | {paths} | {} | {} | {:.2} | {:.0} | {:.0} | {longer} | {wrong} |",
            bends[0],
            bends[1],
            bends[1] as f64 / bends[0].max(1) as f64,
            lengths[0],
            lengths[1]
        );
    }
    Ok(())
}

/// Whether the unit fits at every place that a line from middle to middle touches.
fn is_free(grid: &Grid, map: &Map, ends: &[Cell], size: u32) -> bool {
    let [from, to] = [ends[0], ends[1]].map(|cell| {
        let point = map.grid().point(cell);
        [f64::from(point.x) + 0.5, f64::from(point.y) + 0.5]
    });
    let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    let steps = (32.0 * dx.abs().max(dy.abs())).ceil().max(1.0) as u32;
    let fits = |x: u32, y: u32| {
        let mut rows = y..y + size;
        rows.all(|y| (x..x + size).all(|x| grid.passable_cell(Point { x, y }).is_some()))
    };
    (0..=steps).all(|i| {
        let part = f64::from(i) / f64::from(steps);
        let [x, y] = [from[0] + dx * part, from[1] + dy * part];
        let mut hairs = [-1e-6, 1e-6].into_iter();
        hairs.all(|a| {
            let mut hairs = [-1e-6, 1e-6].into_iter();
            hairs.all(|b| fits((x + a) as u32, (y + b) as u32))
        })
    })
}
