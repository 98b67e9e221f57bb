//! `waypost solve` on an explicit graph.

use super::SolveArgs;
use crate::report::Report;
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use waypost::agent::Context;
use waypost::grid::Cell;
use waypost::run::{Outcome, Walk, walk};
use waypost::search::Scratch;
use waypost::space::{ExplicitGraph, Space};
use waypost::spec::AgentSpec;
use waypost_lab::measure::DEFAULT_MOVE_LIMIT;

/// The search that tells the optimal cost.
const EXACT: &str = "astar";

/// Walks the agent from node to node.
pub fn run(args: &SolveArgs, spec: &AgentSpec, graph: &ExplicitGraph) -> Result<Report> {
    if args.png.is_some() || args.trace.is_some() {
        bail!("--png and --trace are for maps; leave them out for a graph");
    }
    if args.indexes.is_given() {
        bail!("--index is for maps; leave it out for a graph");
    }
    let from = args.from.node(graph, "--from")?;
    let goal = args.to.node(graph, "--to")?;
    if !graph.connected(from, goal) {
        let json = json!({
            "algo": spec.to_string(),
            "status": "unreachable",
            "cost": Value::Null,
            "optimal_cost": Value::Null,
            "moves": 0,
            "path": [],
        });
        let text = format!(
            "unreachable: there is no path from node {from} to node {goal}",
            from = from.0,
            goal = goal.0
        );
        return Ok(Report::answer(json, text, true));
    }
    let walked = walked(spec, graph, from, goal)?;
    let optimal = walked_cost(EXACT, graph, from, goal)?;
    let nodes: Vec<u32> = walked.path.iter().map(|cell| cell.0).collect();
    let path: Vec<[i32; 2]> = walked
        .path
        .iter()
        .map(|&cell| graph.position(cell))
        .collect();
    let arrived = walked.outcome == Outcome::Arrived;
    let status = if arrived { "arrived" } else { "gave-up" };
    let json = json!({
        "algo": spec.to_string(),
        "status": status,
        "cost": walked.cost,
        "optimal_cost": optimal,
        "moves": walked.path.len() - 1,
        "decisions": walked.decisions,
        "expansions": walked.meter.expansions,
        "ops_per_move_max": walked.operations_per_move_max,
        "nodes": nodes,
        "path": path,
    });
    let text = format!(
        "{status}: node {} to node {} with {spec}\n  cost        {} ({} moves), the cheapest path costs {optimal}\n  expansions  {}\n",
        from.0,
        goal.0,
        walked.cost,
        walked.path.len() - 1,
        walked.meter.expansions,
    );
    Ok(Report::answer(json, text, !arrived))
}

fn walked(spec: &AgentSpec, graph: &ExplicitGraph, from: Cell, goal: Cell) -> Result<Walk> {
    let mut agent = spec.build_on_graph(graph)?;
    let mut scratch = Scratch::new();
    let mut context = Context::new(graph, &mut scratch);
    Ok(walk(
        agent.as_mut(),
        &mut context,
        from,
        goal,
        DEFAULT_MOVE_LIMIT,
        &mut (),
    )?)
}

fn walked_cost(algo: &str, graph: &ExplicitGraph, from: Cell, goal: Cell) -> Result<u64> {
    let spec = AgentSpec::parse(algo).context("the exact search")?;
    Ok(walked(&spec, graph, from, goal)?.cost)
}
