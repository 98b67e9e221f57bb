//! What the first ticks of a crowd take, tick by tick: `cargo run --release -p waypost --example crowd_ticks -- MAP SPEC [AGENTS [TICKS [SEED]]]`
//!
//! All agents get a goal at once. Prints for each of the first ticks the microseconds of processor time, plans, provisional steps and the
//! weighted operations counted ([`waypost::agent::WEIGHTS`]), and for all ticks mean, the slowest ones and nanoseconds a weighted operation:
//! a budget in operations means time where these are near one.

use cpu_time::ThreadTime;
use waypost::crowd::{Options, Tick};
use waypost::index::{Indexes, Shard, build};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::spec::AgentSpec;
use waypost::{Cell, Map, MoveRules, formats};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Ticks that are printed.
const PRINTED: usize = 40;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: crowd_ticks MAP SPEC [AGENTS [TICKS [SEED]]]";
    let [path, spec, ..] = &words[..] else {
        return Err(usage.into());
    };
    let number = |at: usize, default: u64| words.get(at).map_or(Ok(default), |text| text.parse());
    let (agents, ticks, seed) = (number(2, 10_000)?, number(3, 200)?, number(4, 1)?);
    let map = Map::new(
        formats::map::parse(&std::fs::read(path)?)?,
        MoveRules::default(),
    );
    let spec = AgentSpec::parse(spec)?;
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        indexes.add(build(&map, &request, Shard::WHOLE, &NoProgress)?);
    }
    let cells: Vec<Cell> = map.grid().cells().collect();
    let mut rng = Rng::for_item(seed, 0);
    let mut any = || {
        map.grid()
            .point(cells[rng.below(cells.len() as u32) as usize])
    };
    let mut crowd = spec.crowd(&map, &indexes, Options::default())?;
    for _ in 0..agents {
        let id = crowd.add(any())?;
        crowd.send(id, any())?;
    }
    let mut times = Vec::new();
    let mut all = Tick::default();
    println!("tick: µs, plans, provisional steps, weighted operations");
    for number in 0..ticks as usize {
        let begun = ThreadTime::now();
        let tick = crowd.tick();
        let micros = begun.elapsed().as_nanos() as f64 / 1000.0;
        if number < PRINTED {
            let weighted = tick.meter.weighted();
            println!(
                "{number}: {micros:.0}, {}, {}, {weighted}",
                tick.set_up, tick.provisional
            );
        }
        times.push(micros);
        all.add(&tick);
    }
    let sum: f64 = times.iter().sum();
    times.sort_by(f64::total_cmp);
    let worst: Vec<String> = times
        .iter()
        .rev()
        .take(5)
        .map(|t| format!("{t:.0}"))
        .collect();
    println!(
        "mean {:.0} µs, slowest {}; {:?}; {:.2} ns a weighted operation",
        sum / ticks.max(1) as f64,
        worst.join(", "),
        all.meter,
        1000.0 * sum / all.meter.weighted().max(1) as f64
    );
    Ok(())
}
