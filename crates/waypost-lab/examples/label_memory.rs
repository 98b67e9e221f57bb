//! What building corner labels takes in memory at most, beside what is built: the table of `docs/measurements/labels.md`.
//!
//! ```sh
//! cargo run --release -p waypost-lab --example label_memory -- MAP.map...
//! ```
//!
//! Labels of all hubs, and the same in half of their bytes.

use waypost::index::Index;
use waypost::index::labels::{CornerLabels, Settings};
use waypost::progress::NoProgress;
use waypost::{Map, MoveRules};
use waypost_testkit::allocations::{Counting, held_by_all_threads, peak_of_all_threads};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    println!("| map | labels | file MB | map MB | result MB | peak MB | peak / (result + map) |");
    println!("|---|---|---|---|---|---|---|");
    for file in std::env::args().skip(1) {
        let before = held_by_all_threads();
        let grid = std::fs::read(&file)
            .ok()
            .and_then(|bytes| waypost::formats::map::parse(&bytes).ok());
        let Some(grid) = grid else {
            eprintln!("skipped: {file} cannot be read");
            continue;
        };
        let map = Map::new(grid, MoveRules::default());
        let of_map = held_by_all_threads() - before;
        let name = file.rsplit('/').next().unwrap_or(&file);
        let mut fit_bytes = None;
        for what in ["all", "in half of the bytes"] {
            let settings = Settings {
                fit_bytes,
                ..Settings::default()
            };
            let before = held_by_all_threads();
            let build = || CornerLabels::build(&map, settings, &NoProgress);
            let (built, peak) = peak_of_all_threads(build);
            let labels = match built {
                Ok(labels) => labels,
                Err(error) => {
                    eprintln!("{name}: {error}");
                    break;
                }
            };
            let result = held_by_all_threads() - before;
            let bytes = labels.to_bytes().as_ref().len() as u64;
            let mb = |bytes: i64| bytes as f64 / 1e6;
            println!(
                "| {name} | {what} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                mb(bytes as i64),
                mb(of_map),
                mb(result),
                mb(peak),
                peak as f64 / (result + of_map) as f64
            );
            fit_bytes = Some(bytes / 2);
        }
    }
}
