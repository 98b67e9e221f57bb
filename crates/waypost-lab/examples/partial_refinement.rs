//! The tables of AAAI 2005 on maps of your own: `cargo run --release -p waypost-lab --example partial_refinement --
//! [--start P] [--widen R] [--slack S] N MAP...` takes about N problems evenly from each `MAP.scen` and prints speed,
//! quality and frame tables. `--start 50 --slack 0` is the setting of the paper.

use std::path::Path;
use waypost::agent::pra::PraParams;
use waypost::agent::pra::frames::FrameModel;
use waypost::formats::{map, scen};
use waypost::hierarchy::Hierarchy;
use waypost::{Map, MoveRules};
use waypost_lab::refinement::{
    Bench, Clock, Trial, frame_table, percentile, quality_table, ratios, share_within, slowdown,
    speed_table,
};

const WIDTH: f64 = 64.0;
/// Paths from this length on are long.
const LONG: f64 = 256.0;
const USAGE: &str = "expected [--start P] [--widen R] [--slack S] N MAP...";

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut params = PraParams::default();
    let mut plain = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let field = match argument.as_str() {
            "--start" => &mut params.start_percent,
            "--widen" => &mut params.widen,
            "--slack" => &mut params.slack,
            _ => {
                plain.push(argument);
                continue;
            }
        };
        *field = arguments.next().ok_or(USAGE)?.parse()?;
    }
    let (most, maps) = plain.split_first().ok_or(USAGE)?;
    let parameters: Vec<PraParams> = [Some(2), Some(4), Some(8), Some(16), None]
        .into_iter()
        .map(|k| PraParams { k, ..params })
        .chain([PraParams {
            k: None,
            widen: 0,
            slack: 0,
            ..params
        }])
        .collect();
    let mut trials = Vec::new();
    for path in maps {
        let before = trials.len();
        run(Path::new(path), most.parse()?, &parameters, &mut trials)?;
        let own: Vec<&Trial> = trials[before..].iter().collect();
        let within = |method| share_within(&ratios(&own, method), 1.01);
        let nodes = |of: &dyn Fn(&Trial) -> u64| {
            own.iter().map(|trial| of(trial)).sum::<u64>() / own.len().max(1) as u64
        };
        println!(
            "{path}: {} problems, within 1%: {:.1}%, of single paths not widened {:.1}%; nodes {} and {}, A* {}",
            own.len(),
            within(4),
            within(5),
            nodes(&|t| t.pra[4].expansions()),
            nodes(&|t| t.pra[5].expansions()),
            nodes(&|t| t.astar.expansions()),
        );
    }
    print_tables(&trials);
    Ok(())
}

fn print_tables(trials: &[Trial]) {
    let speed = |method| speed_table(trials, method, WIDTH).to_markdown();
    println!("\nPRA*(inf)\n{}", speed(4));
    println!("PRA*(inf), single paths not widened\n{}", speed(5));
    println!("PRA*(16)\n{}", speed(3));
    let methods = [
        ("PRA*(2)", 0),
        ("PRA*(4)", 1),
        ("PRA*(8)", 2),
        ("PRA*(16)", 3),
        ("PRA*(inf)", 4),
    ];
    println!(
        "98th percentile of length over optimal\n{}",
        quality_table(trials, &methods, WIDTH).to_markdown()
    );
    for planning_ms in [10.0, 2.0, 1.0] {
        let model = FrameModel::with_planning_ms(planning_ms);
        for clock in [Clock::Paper, Clock::ThisMachine] {
            println!(
                "98th percentile of execution time over the ideal, {planning_ms} ms a frame, clock: {clock:?}\n{}",
                frame_table(trials, &methods, model, clock, WIDTH).to_markdown()
            );
            let long = trials.iter().filter(|t| t.astar.length >= LONG);
            let slow: Vec<f64> = long
                .map(|trial| slowdown(trial, &trial.pra[3], model, clock))
                .collect();
            println!(
                "PRA*(16), {} paths of at least {LONG} cells: {:.1}% within 5% of the ideal, 98th percentile {:.4}\n",
                slow.len(),
                share_within(&slow, 1.05),
                percentile(slow, 98.0)
            );
        }
    }
}

fn run(
    path: &Path,
    most: usize,
    parameters: &[PraParams],
    trials: &mut Vec<Trial>,
) -> Result<(), Failure> {
    let grid = map::parse(&std::fs::read(path)?)?;
    let scenario = std::fs::read(format!("{}.scen", path.display()))?;
    let problems = scen::parse(&scenario)?;
    let map = Map::new(grid, MoveRules::default());
    let hierarchy = Hierarchy::build(&map);
    let mut bench = Bench::new(&map, &hierarchy, parameters);
    let stride = problems.len().div_ceil(most.max(1)).max(1);
    for problem in problems.iter().step_by(stride) {
        // Some lines of public files start on a wall: they have no path.
        if let Ok((from, goal)) = problem.ends(map.grid()) {
            trials.extend(bench.run(from, goal));
        }
    }
    Ok(())
}
