//! The table of `docs/measurements/labels.md`: what corner labels take and bring on every map of a folder, beside the jump-point graph,
//! compressed paths and A*.
//!
//! ```sh
//! cargo run --release -p waypost-lab --example label_table -- MAPS [--queries N] [--only NAME,...] [--orders] [--cpd-cells N]
//! ```
//!
//! Takes the problems of each `.map.scen` evenly (random pairs where there is none), runs every method on all of them
//! one after the other on one thread, cells of the path emitted, and counts a difference in cost as an error. `--orders` lists the orders of hubs
//! instead.

use std::path::{Path, PathBuf};
use std::time::Instant;
use waypost::index::cpd::PathDatabase;
use waypost::index::jump::JumpGraph;
use waypost::index::labels::{CornerLabels, HubOrder, LabelQuery, Settings};
use waypost::index::{IndexKind, IndexRequest};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::search::jps::JumpSearch;
use waypost::search::{AStar, PathSearch};
use waypost::{Cell, Map, MoveRules, Point};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let Some(folder) = arguments.first().filter(|a| !a.starts_with("--")) else {
        eprintln!("error: expected a folder of .map files");
        std::process::exit(2);
    };
    let queries: usize = value("--queries")
        .and_then(|n| n.parse().ok())
        .unwrap_or(300);
    let only: Option<Vec<String>> =
        value("--only").map(|names| names.split(',').map(str::to_string).collect());
    let cpd_cells: u64 = value("--cpd-cells")
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    let orders = arguments.iter().any(|a| a == "--orders");
    if orders {
        println!("| map | order | labels per corner | bytes | build s |");
        println!("|---|---|---|---|---|");
    } else {
        println!(
            "| map | corners | labels per corner | bytes | build s | µs a path: mean | p99 | max | distance alone µs | and first run µs | operations: mean | bound | jump-graph µs | cpd µs | A* µs | wrong |"
        );
        println!("|{}", "---|".repeat(16));
    }
    for file in map_files(Path::new(folder)) {
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .to_string();
        if only.as_ref().is_some_and(|names| !names.contains(&name)) {
            continue;
        }
        let map = match std::fs::read(&file).map(|bytes| waypost::formats::map::parse(&bytes)) {
            Ok(Ok(grid)) => Map::new(grid, MoveRules::default()),
            _ => {
                eprintln!("skipped: {} cannot be read", file.display());
                continue;
            }
        };
        if orders {
            list_orders(&name, &map);
        } else {
            let problems = problems(&file, &map, queries);
            list_map(&name, &map, &problems, cpd_cells);
        }
    }
}

fn map_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "map") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn problems(file: &Path, map: &Map, most: usize) -> Vec<(Cell, Cell)> {
    let scen = std::fs::read(file.with_extension("map.scen"))
        .ok()
        .and_then(|bytes| waypost::formats::scen::parse(&bytes).ok());
    if let Some(problems) = scen {
        let step = problems.len().div_ceil(most).max(1);
        return problems
            .iter()
            .step_by(step)
            .filter_map(|problem| problem.ends(map.grid()).ok())
            .collect();
    }
    let cells: Vec<Cell> = map.grid().cells().collect();
    let mut rng = Rng::new(1);
    let mut pairs = Vec::new();
    while pairs.len() < most {
        let [a, b] = [(); 2].map(|_| cells[rng.below(cells.len() as u32) as usize]);
        if map.components().connected(a, b) {
            pairs.push((a, b));
        }
    }
    pairs
}

/// The fastest of several times for each problem, in microseconds, and the costs found.
fn timed(
    problems: &[(Cell, Cell)],
    rounds: usize,
    mut solve: impl FnMut(Cell, Cell) -> Option<u32>,
) -> (Vec<f64>, Vec<Option<u32>>) {
    let mut best = vec![f64::MAX; problems.len()];
    let mut costs = vec![None; problems.len()];
    for _ in 0..rounds {
        for (i, &(from, to)) in problems.iter().enumerate() {
            let begun = Instant::now();
            costs[i] = solve(from, to);
            best[i] = best[i].min(begun.elapsed().as_secs_f64() * 1e6);
        }
    }
    (best, costs)
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len().max(1) as f64
}

fn list_map(name: &str, map: &Map, problems: &[(Cell, Cell)], cpd_cells: u64) {
    let (grid, costs) = (map.grid(), map.rules().costs);
    let points = |(a, b): (Cell, Cell)| -> (Point, Point) { (grid.point(a), grid.point(b)) };
    let mut cells = Vec::new();
    let mut astar = AStar::new();
    let (astar_times, optimal) = timed(problems, 2, |from, to| {
        astar.begin(map, from, to);
        astar.advance(map, u64::MAX);
        astar.path_into(map, &mut cells)
    });
    let graph = JumpGraph::build(map);
    let mut search = JumpSearch::new();
    let (jump_times, jump_costs) = timed(problems, 5, |from, to| {
        let (from, to) = points((from, to));
        let path = search.shortest(&graph, map, from, to)?;
        path.write_cells(grid, &mut cells);
        Some(path.cost(costs))
    });
    let cpd = if map.grid().passable_count() <= cpd_cells {
        cpd_time(map, problems)
    } else {
        "-".to_string()
    };
    let begun = Instant::now();
    let labels = match CornerLabels::build(map, Settings::default(), &NoProgress) {
        Ok(labels) => labels,
        Err(error) => {
            println!(
                "| {name} | {} | refused | | | | | | | | | | {:.1} | {cpd} | {:.0} | 0 |",
                graph.points().len(),
                mean(&jump_times),
                mean(&astar_times)
            );
            eprintln!("{name}: {error}");
            return;
        }
    };
    let build = begun.elapsed().as_secs_f64();
    let mut query = LabelQuery::new();
    let mut operations = 0;
    let (mut times, label_costs) = timed(problems, 15, |from, to| {
        let (from, to) = points((from, to));
        let cost = query.path(&labels, from, to).map(|path| {
            path.write_cells(grid, &mut cells);
            path.cost(costs)
        });
        operations += query.operations();
        cost
    });
    let (distance_times, distances) = timed(problems, 15, |from, to| {
        let (from, to) = points((from, to));
        query.distance(&labels, from, to)
    });
    let (first_times, _) = timed(problems, 15, |from, to| {
        let (from, to) = points((from, to));
        query.first_run(&labels, from, to).map(|(cost, _)| cost)
    });
    let wrong = (0..problems.len())
        .filter(|&i| {
            let all = [label_costs[i], distances[i], jump_costs[i]];
            all.iter().any(|cost| *cost != optimal[i])
        })
        .count();
    times.sort_by(f64::total_cmp);
    let percentile = |p: usize| times.get((times.len() * p / 100).min(times.len().max(1) - 1));
    println!(
        "| {name} | {} | {:.1} | {} | {build:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {} | {} | {:.1} | {cpd} | {:.0} | {wrong} |",
        labels.corners(),
        labels.label_count() as f64 / labels.corners().max(1) as f64,
        labels.label_bytes(),
        mean(&times),
        percentile(99).copied().unwrap_or(0.0),
        times.last().copied().unwrap_or(0.0),
        mean(&distance_times),
        mean(&first_times),
        operations / 15 / problems.len().max(1) as u64,
        labels.measures().operations_bound(),
        mean(&jump_times),
        mean(&astar_times)
    );
}

/// Microseconds a path of the compressed path database, cells emitted.
fn cpd_time(map: &Map, problems: &[(Cell, Cell)]) -> String {
    match PathDatabase::build(map, &IndexRequest::new(IndexKind::Cpd), &NoProgress) {
        Err(error) => {
            eprintln!("{error}");
            "refused".to_string()
        }
        Ok(database) => {
            let mut cells = Vec::new();
            let (times, _) = timed(problems, 5, |from, to| {
                database.path_into(from, to, &mut cells).map(|_| 0)
            });
            format!("{:.1}", mean(&times))
        }
    }
}

fn list_orders(name: &str, map: &Map) {
    for order in HubOrder::ALL {
        let settings = Settings {
            order,
            ..Settings::default()
        };
        let begun = Instant::now();
        match CornerLabels::build(map, settings, &NoProgress) {
            Ok(labels) => println!(
                "| {name} | {} | {:.1} | {} | {:.2} |",
                order.name(),
                labels.label_count() as f64 / labels.corners().max(1) as f64,
                labels.label_bytes(),
                begun.elapsed().as_secs_f64()
            ),
            Err(error) => eprintln!("{name}, {}: {error}", order.name()),
        }
    }
}
