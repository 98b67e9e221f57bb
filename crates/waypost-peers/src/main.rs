//! Waypost beside the crates that a Rust user would pick instead: the same queries, one process, one thread, whole paths
//! cell by cell, each checked for legality and optimality.

mod condor;
mod contender;
mod others;
mod ours;
mod page;
mod queries;
mod report;
mod worth;

use anyhow::{Context as _, bail};
use clap::Parser;
use std::path::PathBuf;
use waypost::MoveRules;
use waypost::terrain::Footings;

/// Counts what builds and queries allocate.
#[global_allocator]
static ALLOCATOR: waypost_testkit::allocations::Counting = waypost_testkit::allocations::Counting;

/// Compares Waypost with other crates on one map and scenario file.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The map, in MovingAI format.
    map: PathBuf,
    /// The scenario file.
    #[arg(long)]
    scen: PathBuf,
    /// Cost factors of letters, or # for walls: S=2,W=4.5,T=#. Peers that have no costs of their own for moves are left out.
    #[arg(long, value_name = "KIND=FACTOR,...", value_parser = Footings::parse)]
    terrain: Option<Footings>,
    /// Takes this many problems, evenly from the whole file.
    #[arg(long)]
    limit: Option<usize>,
    /// Takes only problems whose optimal paths have at least this length.
    #[arg(long, default_value_t = 0.0)]
    least_length: f64,
    /// Runs every query this often and keeps the best time, against the noise of a shared machine.
    #[arg(long, default_value_t = 2)]
    rounds: u32,
    /// Runs only contenders whose names contain this text; may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Leaves out peers whose preparation takes minutes above this number of passable cells.
    #[arg(long, default_value_t = 60_000)]
    prepare_limit: u64,
    /// Compares A* with one optimisation on or off at a time, and with the textbook's, instead of with other crates.
    #[arg(long)]
    worth: bool,
    /// How many ways moves go: 8, or 4 for the peers that know no diagonals.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u8).range(4..=8))]
    moves: u8,
    /// Puts the table on this page too, in the place of the one of the same map and ways, or at its end.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Prints one JSON document.
    #[arg(long)]
    json: bool,
}

fn main() -> std::process::ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let rules = match arguments.moves {
        8 => MoveRules::default(),
        4 => MoveRules::FOUR_WAYS[0],
        other => bail!("moves go 4 or 8 ways, not {other}"),
    };
    let queries = queries::Queries::load(
        &arguments.map,
        &arguments.scen,
        arguments.terrain.as_ref(),
        rules,
        arguments.limit,
        arguments.least_length,
    )?;
    let builders = if arguments.worth {
        worth::builders()
    } else {
        let mut builders = ours::builders();
        builders.extend(others::builders(arguments.prepare_limit));
        builders.extend(condor::builders());
        builders
    };
    let rounds = arguments.rounds.max(1);
    let mut contenders = Vec::new();
    for builder in builders {
        let chosen = |text: &String| builder.name.contains(text.as_str());
        if !arguments.only.is_empty() && !arguments.only.iter().any(chosen) {
            continue;
        }
        eprintln!("{} ...", builder.name);
        match contender::measure(&builder, &queries, rounds) {
            Ok(prepared) => contenders.push(prepared),
            Err(reason) => eprintln!("{}: left out: {reason}", builder.name),
        }
    }
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds} ...");
        for prepared in &mut contenders {
            prepared.time_round(&queries);
        }
    }
    let results = contenders.into_iter().map(|p| p.outcome).collect();
    let report = report::Report::new(&arguments.map, &queries, results);
    if let Some(page) = &arguments.page {
        let limit = arguments.limit.map(|limit| format!(" --limit {limit}"));
        let ways = match arguments.moves {
            4 => " --moves 4",
            _ => "",
        };
        let only = arguments
            .only
            .iter()
            .map(|text| format!(" --only '{text}'"));
        let options = format!(
            "{ways}{} --rounds {rounds} --prepare-limit {}{}",
            limit.unwrap_or_default(),
            arguments.prepare_limit,
            only.collect::<String>()
        );
        page::keep(page, &report, arguments.moves, &options)?;
    }
    if arguments.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&report).context("writing JSON")?
        );
    } else {
        print!("{}", report.table());
    }
    Ok(())
}
