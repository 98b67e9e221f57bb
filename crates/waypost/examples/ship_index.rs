//! Off-line: build for all unit types, with progress, and write one file. In the game: open it in no time.

use std::sync::atomic::{AtomicU64, Ordering};
use waypost::prelude::*;
use waypost::progress::Progress;

/// Counts the parts that are done; a tool would draw a bar.
struct Counter(AtomicU64);

impl Progress for Counter {
    fn begin(&self, stage: &str, total: u64) {
        println!("{stage}: {total} parts");
    }
    fn advance(&self, parts: u64) {
        self.0.fetch_add(parts, Ordering::Relaxed);
    }
}

fn level() -> Result<Map, Error> {
    Map::from_fn(200, 150, |p| p.x % 40 != 20 || p.y % 30 < 6)
}

fn main() -> Result<(), Error> {
    let options = BuildOptions::default()
        .unit_type(UnitType::new("tank").size(3))
        .progress(Counter(AtomicU64::new(0)));
    let file = Navigator::build_with(level()?, options)?.save()?;
    println!("{} bytes to ship", file.len());

    let nav = Navigator::open(level()?, file)?;
    let tank = nav.for_unit("tank")?;
    let (foot, wheels) = (
        nav.distance((5, 20), (190, 20))?,
        tank.distance((5, 20), (190, 20))?,
    );
    println!("a soldier walks {foot:.1}, a tank drives {wheels:.1}");
    let refused = Navigator::open(Map::from_fn(10, 10, |_| true)?, nav.save()?);
    println!(
        "another map: {}",
        refused.err().map_or(String::new(), |e| e.to_string())
    );
    Ok(())
}
