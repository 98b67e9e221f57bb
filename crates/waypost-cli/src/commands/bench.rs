//! `waypost bench`.

use crate::algo;
use crate::arguments::{IndexArgs, MapArgs, ThreadArgs};
use crate::bar::Bar;
use crate::catalogue;
use crate::commands::check::read_problems;
use crate::report::{Report, note};
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use waypost_lab::bench::Bench;
use waypost_lab::journey::{Conditions, MAX_SENSOR, MAX_TRIALS};
use waypost_lab::lab::places::evenly;
use waypost_lab::map_measures::measure;
use waypost_lab::measure::{DEFAULT_MOVE_LIMIT, Measurement};
use waypost_lab::table::{Align, Table, bytes, grouped, short, tail};

const EXAMPLES: &str = "\
An index that no --index gives is built in memory. Problems that are given up make the exit code 1.
`waypost algorithms` lists the algorithms; `waypost algorithms NAME` has the keys of one.

Examples:
  waypost gen caves
  waypost scen caves.map
  waypost bench caves.map --scen caves.scen
  waypost bench caves.map --scen caves.scen --algo 'astar;tba:slice=50;waypost' --limit 100 --json
  waypost bench caves.map --scen caves.scen --algo 'lrta;rtaa' --limit 20 --sensor 10
  waypost bench caves.map --scen caves.scen --algo 'lrta;rtaa' --limit 20 --trials 500";

/// Runs algorithms over a scenario file.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct BenchArgs {
    #[command(flatten)]
    map: MapArgs,

    /// The scenario file; problems without a solution are left out.
    #[arg(long, value_name = "FILE")]
    scen: PathBuf,

    /// The algorithms, with `;` between them.
    #[arg(long, value_name = "SPEC[;SPEC...]", default_value = catalogue::DEFAULT_ALGORITHM)]
    algo: Vec<String>,

    #[command(flatten)]
    indexes: IndexArgs,

    /// Take only this many problems, evenly from the whole file.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,

    /// Give a problem up after this many moves.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MOVE_LIMIT)]
    max_moves: u64,

    /// Agents do not know the map and see N cells around them.
    ///
    /// They take what they have not seen to be free of walls; N is columns and rows. Indexes are built of the map without walls.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SENSOR)))]
    sensor: Option<u32>,

    /// Let agents learn over up to N walks of a problem.
    ///
    /// An agent that has arrived is put back with what it has learned, until it walks the same way three times or has had N trials.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_TRIALS)))]
    trials: u32,

    /// Also measure how hard the map is, as `info` does.
    ///
    /// For real-time search, over this many random pairs of cells.
    #[arg(long, value_name = "PAIRS", num_args = 0..=1, default_missing_value = "200")]
    measures: Option<NonZeroUsize>,

    /// Threads for building indexes and for optimal lengths; algorithms are always timed on one.
    #[command(flatten)]
    threads: ThreadArgs,
}

/// Measures every algorithm.
pub fn run(args: &BenchArgs) -> Result<Report> {
    let specs = algo::several(&args.algo)?;
    let map = args.map.load()?;
    let mut listed = read_problems(&args.scen, &map)?;
    if let Some(limit) = args.limit {
        listed = evenly(&listed, limit.get());
    }
    let conditions = Conditions {
        sensor: args.sensor,
        trials: args.trials,
    };
    let unknown = conditions.unknown(&map);
    let given = args
        .indexes
        .open(unknown.as_ref().unwrap_or(&map), &specs)?;
    let bench = args.threads.run(|| {
        let bar = Bar::default();
        Ok(Bench::prepare(
            &map, &specs, &listed, given, conditions, &bar,
        )?)
    })?;
    let (problems, unsolvable) = (bench.problems(), bench.unsolvable());
    let results = bench.run(args.max_moves, &Bar::default())?;
    let measures = args.measures.map(|pairs| {
        args.threads
            .run(|| Ok(measure(&map, pairs.get(), &Bar::default())?))
    });
    let measures = measures.transpose()?;
    let rules = map.rules();
    let json = json!({
        "map": args.map.path().display().to_string(),
        "rules": {
            "costs": rules.costs.name(),
            "corners": rules.corners.name(),
            "moves": rules.ways(),
        },
        "problems": problems,
        "unsolvable": unsolvable,
        "sensor": args.sensor,
        "trials": args.trials,
        "map_measures": measures,
        "results": results,
    });
    let mut text = format!(
        "{}, {} problems of {} ({rules})",
        args.map.path().display(),
        grouped(problems as i64),
        args.scen.display(),
    );
    if unsolvable > 0 {
        text += &format!(", {unsolvable} left out: they have no solution");
    }
    if let Some(radius) = args.sensor {
        text += &format!(", unknown but for {radius} cells around");
    }
    if let Some(m) = measures {
        text += &format!(
            "\nover {} random pairs of cells climbing arrives for {:.1}%, an optimal path is {:.1} climbs long, A* expands {:.1} states a move, octile distance is {:.1}% too short",
            m.pairs, m.climbable_pct, m.subgoals, m.difficulty, m.estimate_error_pct,
        );
    }
    text += &format!("\n\n{}\n{}", paths_table(&results), moves_table(&results));
    if args.trials > 1 {
        text += &format!("\n{}", trials_table(&results));
    }
    let failed = results.iter().any(|result| result.failed > 0);
    for result in results.iter().filter(|result| result.failed > 0) {
        note(&format!(
            "{} gave up {} of {} problems after {} moves each (--max-moves): exit code 1",
            result.algo,
            grouped(result.failed as i64),
            grouped(problems as i64),
            grouped(args.max_moves as i64)
        ));
    }
    Ok(Report::answer(json, text, failed))
}

/// The measurements for people: whole paths, and what they take.
fn paths_table(results: &[Measurement]) -> Table {
    let mut table = Table::new(&[
        ("algorithm", Align::Left),
        ("solved", Align::Right),
        ("longer % mean", Align::Right),
        ("p95", Align::Right),
        ("max", Align::Right),
        ("query µs", Align::Right),
        ("online", Align::Right),
        ("index", Align::Right),
        ("build s", Align::Right),
    ]);
    for result in results {
        let solved = match result.failed {
            0 => grouped(result.solved as i64),
            failed => format!("{} of {}", result.solved, result.solved + failed),
        };
        table.row([
            result.algo.clone(),
            solved,
            short(result.suboptimality_pct.mean),
            tail(result.suboptimality_pct.p95, 95.0, result.solved),
            short(result.suboptimality_pct.max),
            short(result.query_us.mean),
            bytes(result.online_bytes.max),
            bytes(result.index_bytes),
            short(result.build_seconds),
        ]);
    }
    table
}

/// The measurements for people: single moves.
fn moves_table(results: &[Measurement]) -> Table {
    let mut table = Table::new(&[
        ("algorithm", Align::Left),
        ("move ns mean", Align::Right),
        ("p99.9", Align::Right),
        ("max", Align::Right),
        ("first move ns", Align::Right),
        ("ops/move max", Align::Right),
        ("ticks", Align::Right),
    ]);
    for result in results {
        table.row([
            result.algo.clone(),
            short(result.move_ns.mean),
            tail(result.move_ns.p999, 99.9, result.moves_total),
            short(result.move_ns.max),
            short(result.first_move_ns.mean),
            grouped(result.ops_per_move_max as i64),
            short(result.ticks),
        ]);
    }
    table
}

/// What several trials came to, for people.
fn trials_table(results: &[Measurement]) -> Table {
    let mut table = Table::new(&[
        ("algorithm", Align::Left),
        ("settled", Align::Right),
        ("trials mean", Align::Right),
        ("max", Align::Right),
        ("last longer % mean", Align::Right),
        ("max", Align::Right),
        ("all walks / optimal", Align::Right),
    ]);
    for result in results {
        let Some(convergence) = &result.convergence else {
            continue;
        };
        table.row([
            result.algo.clone(),
            format!(
                "{} of {}",
                convergence.settled,
                result.solved + result.failed
            ),
            short(convergence.trials.mean),
            short(convergence.trials.max),
            short(convergence.last_suboptimality_pct.mean),
            short(convergence.last_suboptimality_pct.max),
            short(convergence.travelled_ratio.mean),
        ]);
    }
    table
}
