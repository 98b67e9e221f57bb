//! The tables of AAAI 2005 on maps of your own: `cargo run --release -p waypost-lab --example partial_refinement -- N
//! MAP...` takes every problem of `MAP.scen`, or about N of them evenly, and prints speed, quality and frame tables.

use std::path::Path;
use waypost::agent::pra::PraParams;
use waypost::agent::pra::frames::FrameModel;
use waypost::formats::{map, scen};
use waypost::hierarchy::Hierarchy;
use waypost::{Map, MoveRules};
use waypost_lab::refinement::{
    Bench, Clock, Trial, frame_table, quality_table, ratios, share_within, speed_table,
};

const WIDTH: f64 = 64.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let most: usize = arguments.next().ok_or("expected N MAP...")?.parse()?;
    let parameters: Vec<PraParams> = [Some(2), Some(4), Some(8), Some(16), None]
        .into_iter()
        .map(|k| PraParams {
            k,
            widen: 1,
            ..PraParams::default()
        })
        .chain([PraParams {
            k: None,
            widen: 0,
            ..PraParams::default()
        }])
        .collect();
    let mut trials = Vec::new();
    for path in arguments {
        let before = trials.len();
        run(Path::new(&path), most, &parameters, &mut trials)?;
        let own: Vec<&Trial> = trials[before..].iter().collect();
        let within = |method| share_within(&ratios(&own, method), 1.01);
        println!(
            "{path}: {} problems, within 1%: {:.1}% widened, {:.1}% not",
            own.len(),
            within(4),
            within(5)
        );
    }
    println!(
        "\nPRA*(inf), widened\n{}",
        speed_table(&trials, 4, WIDTH).to_markdown()
    );
    println!(
        "PRA*(inf), not widened\n{}",
        speed_table(&trials, 5, WIDTH).to_markdown()
    );
    let methods = [
        ("PRA*(2)", 0),
        ("PRA*(4)", 1),
        ("PRA*(8)", 2),
        ("PRA*(16)", 3),
        ("PRA*(inf)", 4),
    ];
    println!(
        "98th percentile of length over optimal\n{}",
        quality_table(&trials, &methods, WIDTH).to_markdown()
    );
    for planning_ms in [10.0, 2.0, 1.0] {
        let model = FrameModel::with_planning_ms(planning_ms);
        for clock in [Clock::Paper, Clock::ThisMachine] {
            println!(
                "98th percentile of execution time over the ideal, {planning_ms} ms a frame, clock: {clock:?}\n{}",
                frame_table(&trials, &methods, model, clock, WIDTH).to_markdown()
            );
        }
    }
    Ok(())
}

fn run(
    path: &Path,
    most: usize,
    parameters: &[PraParams],
    trials: &mut Vec<Trial>,
) -> Result<(), Box<dyn std::error::Error>> {
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
