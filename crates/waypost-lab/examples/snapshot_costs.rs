//! What a snapshot of 10,000 units takes: `cargo run --release -p waypost-lab --example snapshot_costs -- MAP [METHOD]`.

use cpu_time::ThreadTime;
use std::error::Error;
use waypost::crowd::{Options, Snapshot};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::spec::AgentSpec;
use waypost_lab::workbench::Workbench;

const UNITS: usize = 10_000;
const ROUNDS: u32 = 40;
const TICKS: u32 = 25;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("give a map")?;
    let spec = AgentSpec::parse(&arguments.next().unwrap_or("waypost".to_string()))?;
    let grid = waypost::formats::map::parse(&std::fs::read(path)?)?;
    let map = waypost::Map::new(grid, waypost::MoveRules::default());
    let mut bench = Workbench::default();
    bench.prepare(&map, &spec, &NoProgress)?;
    for exclusive in [false, true] {
        let options = Options {
            exclusive,
            ..Options::default()
        };
        let mut crowd = spec.crowd(&map, bench.indexes(), options)?;
        let cells: Vec<_> = map.grid().cells().collect();
        let mut rng = Rng::new(1);
        let mut any = || {
            map.grid()
                .point(cells[rng.below(cells.len() as u32) as usize])
        };
        while crowd.len() < UNITS {
            if let Ok(id) = crowd.add(any()) {
                crowd.send(id, any())?;
            }
        }
        let mut times = [(0.0, 0.0f64); 4];
        let mut bytes = 0;
        let mut note = |kind: usize, begun: ThreadTime| {
            let ms = begun.elapsed().as_secs_f64() * 1e3;
            times[kind] = (times[kind].0 + ms, times[kind].1.max(ms));
        };
        for _ in 0..ROUNDS {
            let begun = ThreadTime::now();
            let then = crowd.snapshot()?;
            note(0, begun);
            let begun = ThreadTime::now();
            let written = then.to_bytes();
            note(1, begun);
            bytes = written.len();
            (0..TICKS).for_each(|_| _ = crowd.tick());
            let begun = ThreadTime::now();
            crowd.restore(&then)?;
            note(2, begun);
            let begun = ThreadTime::now();
            crowd.restore(&Snapshot::from_bytes(&written)?)?;
            note(3, begun);
            (0..TICKS).for_each(|_| _ = crowd.tick());
        }
        println!("{spec}, exclusive {exclusive}: {bytes} bytes for {UNITS} units");
        let names = ["taken", "written", "restored", "read and restored"];
        for (name, (sum, most)) in names.iter().zip(times) {
            let mean = sum / f64::from(ROUNDS);
            println!("  {name}: {mean:.2} ms, {most:.2} at most");
        }
    }
    Ok(())
}
