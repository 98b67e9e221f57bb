//! What a snapshot of a crowd costs: `cargo run --release -p waypost-lab --example snapshot_costs -- MAP [UNITS [METHOD]]`
//!
//! Units walk to random goals for 200 ticks, with shared cells and one a cell. Then snapshots are taken, brought to bytes, read and gone back to, 50 times
//! with a tick between. Prints a Markdown row for each part: the thread's time, mean and worst, in milliseconds.

use cpu_time::ThreadTime;
use waypost::crowd::{Options, Snapshot, Status};
use waypost::index::{self, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::spec::AgentSpec;
use waypost::{Map, MoveRules, Point, formats};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const ROUNDS: usize = 50;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let path = words
        .next()
        .ok_or("usage: snapshot_costs MAP [UNITS [METHOD]]")?;
    let units: usize = words.next().map_or(Ok(10_000), |text| text.parse())?;
    let spec = AgentSpec::parse(&words.next().unwrap_or("waypost".to_string()))?;
    let grid = formats::map::parse(&std::fs::read(&path)?)?;
    let map = Map::new(grid, MoveRules::default());
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        indexes.add(index::build(&map, &request, Shard::WHOLE, &NoProgress)?);
    }
    println!("| cells | part | mean ms | worst ms |\n|---|---|---|---|");
    for exclusive in [false, true] {
        let options = Options {
            exclusive,
            ..Options::default()
        };
        measure(&spec, &map, &indexes, options, units)?;
    }
    Ok(())
}

fn any_point(map: &Map, rng: &mut Rng) -> Point {
    loop {
        let (width, height) = (map.grid().width(), map.grid().height());
        let point = Point {
            x: rng.below(width),
            y: rng.below(height),
        };
        if map.passable_cell(point).is_some() {
            return point;
        }
    }
}

fn measure(
    spec: &AgentSpec,
    map: &Map,
    indexes: &Indexes,
    options: Options,
    units: usize,
) -> Result<()> {
    let mut crowd = spec.crowd(map, indexes, options)?;
    let mut rng = Rng::new(1);
    let mut ids = Vec::with_capacity(units);
    while ids.len() < units {
        // Another walker may stand there.
        if let Ok(id) = crowd.add(any_point(map, &mut rng)) {
            ids.push(id);
        }
    }
    for tick in 0..200 {
        for &id in &ids {
            if tick == 0 || crowd.status(id)? == Status::Arrived {
                crowd.send(id, any_point(map, &mut rng))?;
            }
        }
        crowd.tick();
    }
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        let mut timed = |part: usize, begin: ThreadTime| {
            times[part].push(begin.elapsed().as_secs_f64() * 1e3);
        };
        let begin = ThreadTime::now();
        let snapshot = crowd.snapshot()?;
        timed(0, begin);
        crowd.tick();
        let begin = ThreadTime::now();
        crowd.restore(&snapshot)?;
        timed(1, begin);
        let begin = ThreadTime::now();
        let bytes = snapshot.to_bytes();
        timed(2, begin);
        let begin = ThreadTime::now();
        crowd.restore(&Snapshot::from_bytes(&bytes)?)?;
        timed(3, begin);
        crowd.tick();
    }
    let cells = if options.exclusive {
        "one each"
    } else {
        "shared"
    };
    let parts = [
        "taken",
        "gone back to",
        "to bytes",
        "gone back to, from bytes",
    ];
    for (part, times) in parts.into_iter().zip(times) {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let worst = times.into_iter().fold(0.0, f64::max);
        println!("| {cells} | {part} | {mean:.2} | {worst:.2} |");
    }
    Ok(())
}
