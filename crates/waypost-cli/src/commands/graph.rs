//! `waypost graph`.

use crate::algo;
use crate::catalogue;
use crate::files;
use crate::place::NodeArgs;
use crate::report::Report;
use crate::steady::{Steady, WalkTimes};
use crate::words;
use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use waypost::Cost;
use waypost::agent::Context;
use waypost::agent::Scratch;
use waypost::formats;
use waypost::grid::Cell;
use waypost::run::{Outcome, walk};
use waypost::search::PathSearch;
use waypost::space::ExplicitGraph;
use waypost::spec::AgentSpec;
use waypost_lab::measure::DEFAULT_MOVE_LIMIT;
use waypost_lab::move_clock::MoveClock;
use waypost_lab::table::{grouped, time};

/// Finds one path on a graph of waypoints.
#[derive(Args)]
#[command(
    after_help = "The file: `waypost-graph 1`, then lines `node X Y` (numbered from 0) and `edge A B [COST]`; `#` begins a \
                  comment. Without a cost an edge costs the distance, rounded up.\n\n\
                  Examples:\n  printf 'waypost-graph 1\\nnode 0 0\\nnode 3 4\\nedge 0 1\\n' > two.graph\n  \
                  waypost graph two.graph --from 0 --to 1"
)]
pub struct GraphArgs {
    /// The graph, or `-` for standard input.
    graph: PathBuf,

    #[command(flatten)]
    ends: NodeArgs,

    /// The algorithm, NAME or NAME:KEY=VALUE,...: one that works on graphs.
    ///
    /// On graphs: astar, lrta, lss-lrta, rtaa, lrts, tba, pra, quickpath, d-lrta, knn-lrta, knn-lrta-2009.
    #[arg(long, value_name = "SPEC", default_value = catalogue::DEFAULT_ON_GRAPHS)]
    algo: String,
}

/// Walks the agent from node to node.
pub fn run(args: &GraphArgs) -> Result<Report> {
    let spec = algo::one(&args.algo)?;
    let bytes = files::read(&args.graph)?;
    let graph = formats::graph::parse(&bytes).with_context(|| args.graph.display().to_string())?;
    let (from, goal) = args.ends.nodes(&graph)?;
    solve(&spec, &graph, from, goal)
}

/// Walks an agent between two nodes and says how it went.
pub fn solve(spec: &AgentSpec, graph: &ExplicitGraph, from: Cell, goal: Cell) -> Result<Report> {
    let mut agent = spec.build_on_graph(graph)?;
    let mut scratch = Scratch::new();
    let optimal = scratch
        .graph
        .shortest_path(graph, from, goal)
        .map(|path| path.cost);
    let mut context = Context::new(graph, &mut scratch);
    let mut timed = || {
        let mut clock = MoveClock::default();
        let agent = agent.as_mut();
        let walked = walk(
            agent,
            &mut context,
            from,
            goal,
            DEFAULT_MOVE_LIMIT,
            &mut clock,
        )?;
        anyhow::Ok((walked, clock))
    };
    let (walked, cold) = timed()?;
    let warm = Steady::is_worth(cold.total)
        .then(|| Steady::of(|| Ok(WalkTimes::of(&timed()?.1))))
        .transpose()?;
    let status = match walked.outcome {
        Outcome::Arrived => "arrived",
        Outcome::Unreachable if optimal.is_none() => "unreachable",
        Outcome::Unreachable => "gave-up",
        Outcome::OutOfMoves => "out-of-moves",
    };
    let arrived = walked.outcome == Outcome::Arrived;
    let path: Vec<u32> = walked.path.iter().map(|cell| cell.0).collect();
    let json = json!({
        "algo": spec.to_string(),
        "nodes": graph.len(),
        "status": status,
        "cost": if arrived { json!(walked.cost) } else { Value::Null },
        "optimal_cost": optimal,
        "moves": walked.path.len() - 1,
        "decisions": walked.decisions,
        "expansions": walked.meter.expansions,
        "operations": walked.meter.operations(),
        "ops_per_move_max": walked.operations_per_move_max,
        "path": if arrived { path } else { Vec::new() },
    });
    let mut text = match optimal {
        Some(optimal) if arrived => format!(
            "{status}: {}, cost {} ({:.2}% above the least, {}) with {spec}\n",
            words::count(walked.path.len() as u64 - 1, "move"),
            grouped(walked.cost as i64),
            over_pct(walked.cost, optimal),
            grouped(i64::from(optimal)),
        ),
        _ => format!("{status}: no path from {} to {}\n", from.0, goal.0),
    };
    text += &format!(
        "  operations  {}, up to {} for one move; {} expansions\n",
        grouped(walked.meter.operations() as i64),
        grouped(walked.operations_per_move_max as i64),
        grouped(walked.meter.expansions as i64),
    );
    text += &match warm {
        Some(warm) => format!(
            "  time        {warm}\n              {} the first time, with memory and caches cold\n",
            time(cold.total)
        ),
        None => format!(
            "  time        {}, walked once, from cold\n",
            WalkTimes::of(&cold)
        ),
    };
    Ok(Report::answer(json, text, !arrived))
}

/// How much more the walk cost, in percent.
fn over_pct(cost: u64, optimal: Cost) -> f64 {
    if optimal == 0 {
        return 0.0;
    }
    (cost as f64 / f64::from(optimal) - 1.0) * 100.0
}
