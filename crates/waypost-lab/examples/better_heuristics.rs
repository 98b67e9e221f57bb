//! Sections 17.3, 17.6 and 17.7 of Game AI Pro, chapter 17: `cargo run --release -p waypost-lab --example better_heuristics -- PROBLEMS MAP...`
//!
//! One plain A* on the grid with better estimates (landmarks, gateway and portal-based distances) and with overestimates (weights, weights found
//! for each area, optimistic search), for the same problems, taken evenly from `MAP.scen`. Prints a Markdown row each.

use cpu_time::ThreadTime;
use waypost::formats::{map, scen};
use waypost::{Cell, Map, MoveRules, Space};
use waypost_lab::lab::places::evenly;
use waypost_lab::spaces::gates::{GatedSpace, Gates};
use waypost_lab::spaces::marks::{MarkedSpace, Marks};
use waypost_lab::spaces::weights::{AreaWeights, optimistic};
use waypost_lab::spaces::{Found, GridSpace, search, search_weighted};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const LANDMARKS: usize = 10;
/// Cells to a side of the areas that gates lead out of.
const AREA: u32 = 16;
/// Cells to a side of the areas that have a weight of their own, paths that it is found by, and percent that they may be longer.
const WEIGHED: (u32, usize, f64) = (64, 10, 2.0);

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let usage = "usage: better_heuristics PROBLEMS MAP...";
    let count: usize = words.next().ok_or(usage)?.parse()?;
    println!(
        "| map | estimate | stored kB | build s | expanded a path | µs a path | longer %, mean | worst |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
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
        heuristics(name, &map, &ends);
    }
    Ok(())
}

fn timed<T>(make: impl FnOnce() -> T) -> (T, f64) {
    let begun = ThreadTime::now();
    (make(), begun.elapsed().as_secs_f64())
}

fn heuristics(name: &str, map: &Map, ends: &[[Cell; 2]]) {
    let grid = |goal| GridSpace { map, goal };
    let optimal: Vec<u64> = ends
        .iter()
        .map(|&[from, goal]| search(&mut grid(goal), from.0).cost)
        .collect();
    println!("| {name} | | | | | | | |");
    let row = |estimate: &str, bytes: usize, seconds: f64, path: &dyn Fn(Cell, Cell) -> Found| {
        let (mut expansions, mut longer, mut worst) = (0, 0.0, 0.0f64);
        let begun = ThreadTime::now();
        for (&[from, goal], &best) in ends.iter().zip(&optimal) {
            let found = path(from, goal);
            expansions += found.expansions;
            let excess = (found.cost as f64 / best as f64 - 1.0) * 100.0;
            longer += excess;
            worst = worst.max(excess);
        }
        let microseconds = begun.elapsed().as_secs_f64() * 1e6;
        let count = ends.len().max(1) as f64;
        println!(
            "| | {estimate} | {:.0} | {seconds:.2} | {:.0} | {:.0} | {:.2} | {worst:.1} |",
            bytes as f64 / 1e3,
            expansions as f64 / count,
            microseconds / count,
            longer / count,
        );
    };
    row("octile", 0, 0.0, &|from, goal| {
        search(&mut grid(goal), from.0)
    });
    let (marks, seconds) = timed(|| Marks::of(map, LANDMARKS));
    let bytes = marks.bytes();
    let named = format!("{LANDMARKS} landmarks");
    row(&named, bytes, seconds, &|from, goal| {
        let marks = &marks;
        search(&mut MarkedSpace { map, marks, goal }, from.0)
    });
    for (portals, kind) in [(false, "gateway"), (true, "portal-based")] {
        let (gates, seconds) = timed(|| Gates::of(map, AREA, portals));
        let named = format!("{kind}, {} gates", gates.len());
        row(&named, gates.bytes(), seconds, &|from, goal| {
            search(&mut GatedSpace::new(map, &gates, goal), from.0)
        });
    }
    for weight in [110, 150] {
        let named = format!("octile times {:.1}", f64::from(weight) / 100.0);
        row(&named, 0, 0.0, &|from, goal| {
            search_weighted(&mut grid(goal), from.0, weight)
        });
    }
    let (side, samples, tolerance) = WEIGHED;
    let (weights, seconds) = timed(|| AreaWeights::learn(map, side, tolerance, samples, 17));
    let named = format!(
        "weights of areas, {tolerance}% (mean {:.2})",
        weights.mean() / 100.0
    );
    row(&named, 0, seconds, &|from, goal| {
        search_weighted(&mut grid(goal), from.0, weights.of(map, goal))
    });
    for bound in [105, 110, 150] {
        let named = format!("optimistic, at most {}%", bound - 100);
        row(&named, 0, 0.0, &|from, goal| {
            optimistic(&mut grid(goal), from.0, bound)
        });
    }
}
