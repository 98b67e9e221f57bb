//! Measures compressed path databases on maps: size, build time and look-ups, as Markdown tables.
//!
//! ```text
//! cargo run --release -p waypost --example cpd_report -- [--encodings runs,rectangles] [--rows | --figures] MAP.map...
//! ```
//!
//! `--rows` prints how much rows of different cells have in common; `--figures` prints the figures of the 2011 paper in kind instead: speed-up over A* and nodes by path cost, compression
//! factor, rectangles and quad-tree squares, build time.
//!
//! Where `MAP.map.scen` lies beside a map its problems are used, otherwise random pairs of cells. `docs/measurements/cpd.md` holds
//! what this program printed. Times are processor times, of all threads together for builds.

use cpu_time::{ProcessTime, ThreadTime};
use std::collections::BTreeMap;
use std::path::Path;
use waypost::formats::{map, scen};
use waypost::index::cpd::{Encoding, PathDatabase};
use waypost::index::{Index, IndexKind, IndexRequest};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::search::{AStar, PathSearch};
use waypost::{Cell, Map, MoveRules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut encodings = Encoding::ALL.to_vec();
    let (mut figures, mut rows) = (false, false);
    let mut maps = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--encodings" {
            let names = arguments.next().unwrap_or_default();
            encodings = names.split(',').filter_map(Encoding::from_name).collect();
        } else if argument == "--figures" {
            figures = true;
        } else if argument == "--rows" {
            rows = true;
        } else {
            maps.push(argument);
        }
    }
    if figures {
        return maps
            .iter()
            .try_for_each(|path| paper_figures(Path::new(path)));
    }
    if rows {
        println!(
            "| map | rows | records | different rows | their records | as a neighbour's | records as differences | as one difference | rows that are one |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        return maps.iter().try_for_each(|path| redundancy(Path::new(path)));
    }
    println!(
        "| map | cells | encoding | records a row | bytes a cell | bytes | build CPU s | first move ns | ns a move | records compared a move | times A* over 300 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for path in maps {
        report(Path::new(&path), &encodings)?;
    }
    Ok(())
}

fn report(path: &Path, encodings: &[Encoding]) -> Result<(), Box<dyn std::error::Error>> {
    let map = Map::new(map::parse(&std::fs::read(path)?)?, MoveRules::default());
    let cells = map.grid().passable_count();
    let pairs = problems(&map, path)?;
    for &encoding in encodings {
        let request = IndexRequest::new(IndexKind::Cpd).with("encoding", encoding.name());
        let begun = ProcessTime::now();
        let database = match PathDatabase::build(&map, &request, &NoProgress) {
            Ok(database) => database,
            Err(error) => {
                println!(
                    "| {} | {cells} | {} | {error} |",
                    name(path),
                    encoding.name()
                );
                continue;
            }
        };
        let seconds = begun.elapsed().as_secs_f64();
        let bytes = database.to_bytes().as_ref().len();
        let speed = measure(&map, &database, &pairs);
        println!(
            "| {} | {cells} | {} | {:.1} | {:.1} | {bytes} | {seconds:.2} | {:.0} | {:.1} | {:.1} | {:.0} |",
            name(path),
            encoding.name(),
            database.records() as f64 / cells as f64,
            bytes as f64 / cells as f64,
            speed["first"],
            speed["move"],
            speed["compared"],
            speed["ratio"],
        );
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .to_string()
}

fn problems(map: &Map, path: &Path) -> Result<Vec<(Cell, Cell)>, Box<dyn std::error::Error>> {
    let beside = path.with_extension("map.scen");
    if let Ok(bytes) = std::fs::read(beside) {
        let problems = scen::parse(&bytes)?;
        let ends = problems.iter().filter_map(|p| p.ends(map.grid()).ok());
        return Ok(ends
            .filter(|&(a, b)| map.components().connected(a, b))
            .collect());
    }
    let cells: Vec<_> = map.grid().cells().collect();
    let mut rng = Rng::new(1);
    let mut any = || cells[rng.below(cells.len() as u32) as usize];
    let pairs = std::iter::repeat_with(|| (any(), any()));
    Ok(pairs
        .filter(|&(a, b)| map.components().connected(a, b))
        .take(1000)
        .collect())
}

/// Median time of a first move over many starts, mean time of a move of whole paths, records compared, and how many times as
/// fast as A* on problems longer than 300.
fn measure(
    map: &Map,
    database: &PathDatabase,
    pairs: &[(Cell, Cell)],
) -> BTreeMap<&'static str, f64> {
    let mut figures = BTreeMap::new();
    let mut path = Vec::new();
    let (mut moves, mut begun) = (0, ThreadTime::now());
    for round in 0..4 {
        if round == 1 {
            (moves, begun) = (0, ThreadTime::now());
        }
        for &(from, to) in pairs {
            database.path_into(from, to, &mut path);
            moves += path.len() - 1;
        }
    }
    figures.insert(
        "move",
        begun.elapsed().as_nanos() as f64 / moves.max(1) as f64,
    );
    let (mut compared, mut steps) = (0, 0);
    for &(from, to) in pairs {
        let mut walk = database.moves(from, to);
        steps += walk.by_ref().count();
        compared += walk.records_compared();
    }
    figures.insert("compared", compared as f64 / steps.max(1) as f64);
    // Sixteen look-ups between two clock readings; the median of such groups.
    let mut times: Vec<f64> = pairs
        .chunks(16)
        .map(|group| {
            let begun = ThreadTime::now();
            let mut found = 0;
            for &(from, to) in group {
                let target = database.target(to);
                found += usize::from(target.and_then(|t| database.first_move(from, &t)).is_some());
            }
            std::hint::black_box(found);
            begun.elapsed().as_nanos() as f64 / group.len() as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    figures.insert("first", times.get(times.len() / 2).copied().unwrap_or(0.0));
    let straight = map.rules().costs.straight();
    let long: Vec<_> = pairs
        .iter()
        .filter(|&&(a, b)| database.distance(a, b).is_some_and(|d| d > 300 * straight))
        .take(60)
        .collect();
    let mut search = AStar::new();
    let begun = ThreadTime::now();
    for &&(from, to) in &long {
        search.shortest_path(map, from, to);
    }
    let by_search = begun.elapsed().as_secs_f64();
    let begun = ThreadTime::now();
    for &&(from, to) in &long {
        database.path_into(from, to, &mut path);
    }
    figures.insert("ratio", by_search / begun.elapsed().as_secs_f64());
    figures
}

/// What rows of runs have in common.
fn redundancy(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let map = Map::new(map::parse(&std::fs::read(path)?)?, MoveRules::default());
    let request = IndexRequest::new(IndexKind::Cpd).with("encoding", Encoding::Runs.name());
    let database = PathDatabase::build(&map, &request, &NoProgress)?;
    let Some(r) = database.redundancy() else {
        return Ok(());
    };
    println!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        name(path),
        r.rows,
        r.records,
        r.distinct_rows,
        r.distinct_records,
        r.as_a_neighbour,
        r.as_differences,
        r.as_one_difference,
        r.differing_rows
    );
    Ok(())
}

/// Figures 2 to 6 of the paper for one map.
fn paper_figures(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let map = Map::new(map::parse(&std::fs::read(path)?)?, MoveRules::default());
    let pairs = problems(&map, path)?;
    let build = |encoding: Encoding| {
        let request = IndexRequest::new(IndexKind::Cpd).with("encoding", encoding.name());
        let begun = ProcessTime::now();
        PathDatabase::build(&map, &request, &NoProgress).map(|database| (database, begun.elapsed()))
    };
    let (rectangles, seconds) = build(Encoding::Rectangles)?;
    let (quadtree, _) = build(Encoding::Quadtree)?;
    let cells = map.grid().passable_count() as f64;
    let records = rectangles.records() as f64;
    println!("\n{} ({cells} cells)\n", name(path));
    println!(
        "| rectangles | quad-tree squares | compression factor, c = 1 / 2.5 / 6.5 | build CPU s |"
    );
    println!("|---|---|---|---|");
    println!(
        "| {} | {} | {:.0} / {:.0} / {:.0} | {:.1} |\n",
        rectangles.records(),
        quadtree.records(),
        cells * cells / records,
        cells * cells / records / 2.5,
        cells * cells / records / 6.5,
        seconds.as_secs_f64(),
    );
    println!("| path cost | problems | nodes visited | A* expansions | times A* |");
    println!("|---|---|---|---|---|");
    let straight = map.rules().costs.straight();
    let mut by_cost: BTreeMap<u32, Vec<(Cell, Cell)>> = BTreeMap::new();
    for &(from, to) in pairs.iter().step_by(pairs.len().div_ceil(400).max(1)) {
        let cost = rectangles.distance(from, to).unwrap_or(0) / straight;
        by_cost
            .entry(cost / 100 * 100)
            .or_default()
            .push((from, to));
    }
    let (mut search, mut cells) = (AStar::new(), Vec::new());
    for (cost, pairs) in by_cost {
        let (mut nodes, mut expansions) = (0, 0);
        let begun = ThreadTime::now();
        for &(from, to) in &pairs {
            search.shortest_path(&map, from, to);
            expansions += search.expansions();
        }
        let by_search = begun.elapsed().as_secs_f64();
        let begun = ThreadTime::now();
        for &(from, to) in &pairs {
            rectangles.path_into(from, to, &mut cells);
            nodes += cells.len();
        }
        let ratio = by_search / begun.elapsed().as_secs_f64();
        let count = pairs.len();
        println!(
            "| {cost} to {} | {count} | {} | {} | {ratio:.0} |",
            cost + 99,
            nodes / count,
            expansions / count as u64
        );
    }
    Ok(())
}
