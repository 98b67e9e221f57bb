//! The tables of AAAI 2005 on maps of your own: `cargo run --release -p waypost-lab --example partial_refinement --
//! [--start P] [--widen R] [--slack S] N MAP...` takes about N problems evenly from each `MAP.scen` and prints speed,
//! quality and frame tables. `--start 50 --slack 0` is the setting of the paper. `--settings START:WIDEN:SLACK[:GROUND]/...` shows
//! what settings of PRA*(inf) trade instead. Maps without a `.scen` get random problems.

use std::path::Path;
use waypost::formats::{map, scen};
use waypost::grid::Cell;
use waypost::hierarchy::Hierarchy;
use waypost::methods::pra::PraParams;
use waypost::methods::pra::frames::FrameModel;
use waypost::rng::Rng;
use waypost::{Map, MoveRules};
use waypost_lab::refinement::{
    Bench, Clock, Trial, delay, frame_table, frontier_table, percentile, quality_table, ratios,
    share_within, slowdown, speed_table,
};

const WIDTH: f64 = 256.0;
/// Runs of each problem, of which the least times count.
const REPEATS: u32 = 3;
/// Paths from this length on are long.
const LONG: f64 = 256.0;
const USAGE: &str = "expected [--start P] [--widen R] [--slack S] [--settings START:WIDEN:SLACK[:GROUND]/...] N MAP...";

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let (mut start, mut widen, mut slack) = (None, None, None);
    let mut settings = None;
    let mut plain = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let field = match argument.as_str() {
            "--start" => &mut start,
            "--widen" => &mut widen,
            "--slack" => &mut slack,
            "--settings" => {
                settings = Some(arguments.next().ok_or(USAGE)?);
                continue;
            }
            _ => {
                plain.push(argument);
                continue;
            }
        };
        *field = Some(arguments.next().ok_or(USAGE)?.parse()?);
    }
    let (most, maps) = plain.split_first().ok_or(USAGE)?;
    let params = |k: Option<u32>| {
        let usual = PraParams::new(k);
        PraParams {
            k,
            widen: widen.unwrap_or(usual.widen),
            start_percent: start.unwrap_or(usual.start_percent),
            slack: slack.unwrap_or(usual.slack),
            ground: usual.ground,
        }
    };
    let parameters: Vec<PraParams> = [Some(2), Some(4), Some(8), Some(16), None]
        .into_iter()
        .map(params)
        .chain([PraParams {
            widen: 0,
            slack: 0,
            ..params(None)
        }])
        .collect();
    if let Some(settings) = settings {
        return compare_settings(&settings, most.parse()?, maps);
    }
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

/// PRA*(inf) with several settings, each `start:widen:slack` or `start:widen:slack:ground`, side by side.
fn compare_settings(settings: &str, most: usize, maps: &[String]) -> Result<(), Failure> {
    let mut parameters = Vec::new();
    for setting in settings.split('/') {
        let numbers = setting.split(':').map(str::parse);
        let numbers = numbers.collect::<Result<Vec<u32>, _>>()?;
        let (start_percent, widen, slack, ground) = match numbers[..] {
            [start, widen, slack] => (start, widen, slack, 0),
            [start, widen, slack, ground] => (start, widen, slack, ground),
            _ => {
                return Err(format!(
                    "`{setting}` is not start:widen:slack or start:widen:slack:ground"
                )
                .into());
            }
        };
        parameters.push(PraParams {
            k: None,
            widen,
            start_percent,
            slack,
            ground,
        });
    }
    let mut trials = Vec::new();
    for path in maps {
        let before = trials.len();
        run(Path::new(path), most, &parameters, &mut trials)?;
        let own: Vec<&Trial> = trials[before..].iter().collect();
        let within =
            (0..parameters.len()).map(|i| format!("{:.1}%", share_within(&ratios(&own, i), 1.01)));
        println!(
            "{path}: {} problems, within 1%: {}",
            own.len(),
            within.collect::<Vec<_>>().join(" ")
        );
    }
    let methods: Vec<(String, usize)> = settings.split('/').map(String::from).zip(0..).collect();
    println!(
        "\n{}",
        frontier_table(&trials, &methods, WIDTH).to_markdown()
    );
    Ok(())
}

type Ratio = fn(&Trial, FrameModel, Clock) -> f64;

fn delay_of(trial: &Trial, model: FrameModel, clock: Clock) -> f64 {
    delay(&trial.pra[3], model, clock)
}

fn slowdown_of(trial: &Trial, model: FrameModel, clock: Clock) -> f64 {
    slowdown(trial, &trial.pra[3], model, clock)
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
            for (name, ratio) in [
                ("the same moves without thought", delay_of as Ratio),
                ("an optimal path", slowdown_of as Ratio),
            ] {
                let long = trials.iter().filter(|t| t.astar.length >= LONG);
                let slow: Vec<f64> = long.map(|trial| ratio(trial, model, clock)).collect();
                println!(
                    "PRA*(16), {} paths of at least {LONG} cells, against {name}: {:.1}% within 5%, 98th percentile {:.4}\n",
                    slow.len(),
                    share_within(&slow, 1.05),
                    percentile(slow, 98.0)
                );
            }
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
    let map = Map::new(grid, MoveRules::default());
    let hierarchy = Hierarchy::build(&map);
    let mut bench = Bench::new(&map, &hierarchy, parameters).repeating(REPEATS);
    for (from, goal) in problems(path, &map, most)? {
        trials.extend(bench.run(from, goal));
    }
    Ok(())
}

/// Problems of the map's scenario, evenly; random ones where it has none.
fn problems(path: &Path, map: &Map, most: usize) -> Result<Vec<(Cell, Cell)>, Failure> {
    let file = format!("{}.scen", path.display());
    if !Path::new(&file).exists() {
        let cells: Vec<Cell> = map.grid().cells().collect();
        let mut rng = Rng::new(1);
        let mut cell = || cells[rng.below(cells.len() as u32) as usize];
        return Ok((0..most).map(|_| (cell(), cell())).collect());
    }
    let problems = scen::parse(&std::fs::read(file)?)?;
    let stride = problems.len().div_ceil(most.max(1)).max(1);
    // Some lines of public files start on a wall: they have no path.
    let ends = |problem: &scen::Problem| problem.ends(map.grid()).ok();
    Ok(problems.iter().step_by(stride).filter_map(ends).collect())
}
