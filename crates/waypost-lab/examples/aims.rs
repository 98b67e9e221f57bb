//! The aims of the default agent, checked map by map:
//! `cargo run --release -p waypost-lab --example aims -- [--algo SPEC] [--problems N] MAP...`
//!
//! Problems come from `MAP.scen` beside the map, or are drawn. Prints a Markdown row a map; exits with 1 where an aim is
//! missed. The aims: nothing unsolved; mean at most 2% (3.5% on noise), 99th percentile at most 12%, worst at most 40%
//! above the optimum; fewer than one revisit a problem; at most 4 bytes a passable cell; no move over the agent's bound.

use rayon::prelude::*;
use std::process::ExitCode;
use std::time::Instant;
use waypost::agent::Context;
use waypost::agent::Scratch;
use waypost::index::jump::JumpGraph;
use waypost::progress::NoProgress;
use waypost::run::{Outcome, walk};
use waypost::spec::AgentSpec;
use waypost::{Cell, Map, MoveRules};
use waypost_lab::measure::suboptimality_pct;
use waypost_lab::optimal::Optimal;
use waypost_lab::problems::{ProblemMaker, Wanted};
use waypost_lab::workbench::Workbench;

/// Corners in a hundred cells from which on a map counts as noise.
const NOISE_PERCENT: u64 = 20;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool> {
    let (mut algo, mut problems, mut maps) = ("sectors".to_string(), 1000, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--algo" => algo = words.next().ok_or("--algo wants a spec")?,
            "--problems" => problems = words.next().ok_or("--problems wants a number")?.parse()?,
            _ => maps.push(word),
        }
    }
    println!(
        "| map | passable | problems | unsolved | mean % | p99 % | worst % | revisits | ops max | bound | bytes a cell | build s | aims |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut all_met = true;
    for path in &maps {
        all_met &= one_map(path, &algo, problems).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(all_met)
}

/// What one problem showed.
struct Shown {
    solved: bool,
    percent: f64,
    revisits: u64,
    operations: u64,
}

fn one_map(path: &str, algo: &str, most_problems: usize) -> Result<bool> {
    let map = Map::new(
        waypost::formats::map::parse(&std::fs::read(path)?)?,
        MoveRules::default(),
    );
    let spec = AgentSpec::parse(algo)?;
    let mut bench = Workbench::default();
    let begun = Instant::now();
    bench.prepare(&map, &spec, &NoProgress)?;
    let seconds = begun.elapsed().as_secs_f64();
    let problems = problems_of(&map, path, most_problems)?;
    let shown: Vec<Shown> = problems
        .par_chunks(problems.len().div_ceil(16).max(1))
        .map(|part| walk_all(&map, &spec, &bench, part))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    let bound = spec
        .build(&map, bench.indexes())?
        .operations_bound(&map)
        .ok_or("the agent has no bound")?;
    let noise = JumpGraph::build(&map).density_percent() >= NOISE_PERCENT;
    Ok(report(
        path, &map, &bench, &spec, &shown, bound, seconds, noise,
    ))
}

/// Ends and optimal moves of the problems.
fn problems_of(map: &Map, path: &str, most: usize) -> Result<Vec<(Cell, Cell, waypost::Length)>> {
    let optimal = Optimal::prepare(map, &NoProgress)?;
    let scenario = format!("{path}.scen");
    let pairs: Vec<(Cell, Cell)> = if std::path::Path::new(&scenario).exists() {
        let problems = waypost::formats::scen::parse(&std::fs::read(&scenario)?)?;
        let every = problems.len().div_ceil(most).max(1);
        let ends = |p: &waypost::formats::scen::Problem| p.ends(map.grid()).ok();
        problems.iter().step_by(every).filter_map(ends).collect()
    } else {
        let wanted = Wanted {
            count: most,
            seed: 1,
            least: 0.0,
            most: None,
            difficulty: Vec::new(),
            map_name: String::new(),
        };
        let maker = ProblemMaker::new(map, &wanted)?;
        (0..most as u64)
            .into_par_iter()
            .map_init(
                || optimal.solver(map).ok(),
                |solver, item| {
                    let solver = solver.as_mut().ok_or("no exact search")?;
                    let solve = |a, b| solver.length(a, b).ok().flatten();
                    let problem = maker.problem(item, solve, |_, _| None)?;
                    Ok(problem.ends(map.grid())?)
                },
            )
            .collect::<Result<_>>()?
    };
    let lengths = optimal.lengths(map, &pairs, &NoProgress)?;
    let solved = pairs.into_iter().zip(lengths);
    Ok(solved
        .filter_map(|((a, b), length)| Some((a, b, length?)))
        .filter(|(_, _, length)| length.moves() > 0)
        .collect())
}

fn walk_all(
    map: &Map,
    spec: &AgentSpec,
    bench: &Workbench,
    problems: &[(Cell, Cell, waypost::Length)],
) -> Result<Vec<Shown>> {
    let mut agent = spec.build(map, bench.indexes())?;
    let mut scratch = Scratch::new();
    problems
        .iter()
        .map(|&(from, goal, optimal)| {
            let mut context = Context::new(map, &mut scratch);
            let limit = 10_000 + 100 * optimal.moves();
            let walked = walk(agent.as_mut(), &mut context, from, goal, limit, &mut ())?;
            let length = map.path_length(&walked.path).ok_or("an illegal path")?;
            Ok(Shown {
                solved: walked.outcome == Outcome::Arrived,
                percent: suboptimality_pct(map, length, optimal),
                revisits: walked.revisits,
                operations: walked.operations_per_move_max,
            })
        })
        .collect()
}

#[expect(clippy::too_many_arguments, reason = "the columns of one table")]
fn report(
    path: &str,
    map: &Map,
    bench: &Workbench,
    spec: &AgentSpec,
    shown: &[Shown],
    bound: u64,
    seconds: f64,
    noise: bool,
) -> bool {
    let count = shown.len().max(1);
    let unsolved = shown.iter().filter(|s| !s.solved).count();
    let mut percents: Vec<f64> = shown.iter().map(|s| s.percent).collect();
    percents.sort_by(f64::total_cmp);
    let mean = percents.iter().sum::<f64>() / count as f64;
    let p99 = percents
        .get(percents.len() * 99 / 100)
        .copied()
        .unwrap_or(0.0);
    let worst = percents.last().copied().unwrap_or(0.0);
    let revisits = shown.iter().map(|s| s.revisits).sum::<u64>() as f64 / count as f64;
    let operations = shown.iter().map(|s| s.operations).max().unwrap_or(0);
    let bytes = bench.price_of(spec).0 as f64 / map.grid().passable_count().max(1) as f64;
    let mut missed = Vec::new();
    let mut aim = |met: bool, name: &'static str| {
        if !met {
            missed.push(name);
        }
    };
    aim(unsolved == 0, "unsolved");
    aim(mean <= if noise { 3.5 } else { 2.0 }, "mean");
    aim(p99 <= 12.0, "p99");
    aim(worst <= 40.0, "worst");
    aim(revisits < 1.0, "revisits");
    aim(operations <= bound, "bound");
    aim(bytes <= 4.0 || spec.name() != "sectors", "bytes");
    let name = path.rsplit('/').next().unwrap_or(path);
    println!(
        "| {name} | {} | {} | {unsolved} | {mean:.2} | {p99:.1} | {worst:.1} | {revisits:.2} | {operations} | {bound} | {bytes:.2} | {seconds:.2} | {} |",
        map.grid().passable_count(),
        shown.len(),
        if missed.is_empty() {
            "met".to_string()
        } else {
            format!("missed: {}", missed.join(", "))
        },
    );
    missed.is_empty()
}
