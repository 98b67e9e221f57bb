//! `waypost solve`.

use crate::arguments::{IndexArgs, Loaded, MapArgs, Place};
use crate::bar::Bar;
use crate::commands::graph;
use crate::files::Output;
use crate::report::{self, Report};
use crate::usage;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use waypost::Map;
use waypost::agent::Context;
use waypost::grid::Cell;
use waypost::run::{Outcome, Walk, walk};
use waypost::search::Scratch;
use waypost::space::ExplicitGraph;
use waypost::spec::AgentSpec;
use waypost::trace::{Event, Trace};
use waypost_lab::measure::{DEFAULT_MOVE_LIMIT, suboptimality_pct};
use waypost_lab::optimal::Optimal;
use waypost_lab::picture::Picture;
use waypost_lab::posthoc::{self, Form};
use waypost_lab::table::grouped;
use waypost_lab::workbench::Workbench;

/// The most events that a trace or a picture shows: half a gigabyte of them.
const MOST_EVENTS: usize = 20_000_000;

/// Finds one path.
#[derive(Args)]
#[command(after_help = usage::solving())]
pub struct SolveArgs {
    #[command(flatten)]
    map: MapArgs,

    /// Where to start: a cell, or a node's number on a graph.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    from: Place,

    /// Where to go.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    to: Place,

    /// The algorithm: NAME or NAME:KEY=VALUE,... from the list below.
    #[arg(long, value_name = "SPEC", default_value = usage::DEFAULT_ALGORITHM)]
    algo: String,

    #[command(flatten)]
    indexes: IndexArgs,

    /// Draw the map, the searched cells and the path.
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,

    /// Write the search as a Posthoc trace (YAML, or JSON where the name ends in .json).
    #[arg(long, value_name = "OUT")]
    trace: Option<PathBuf>,
}

/// Walks the agent from start to goal.
pub fn run(args: &SolveArgs) -> Result<Report> {
    let spec = AgentSpec::parse(&args.algo)?;
    let png = args.png.as_deref().map(Output::at).transpose()?;
    let trace_file = args.trace.as_deref().map(Output::at).transpose()?;
    let map = match args.map.load_any()? {
        Loaded::Map(map) => *map,
        Loaded::Graph(graph) => return solve_graph(args, &spec, &graph),
    };
    let from = args.from.cell(&map, "--from")?;
    let goal = args.to.cell(&map, "--to")?;
    let indexes = args.indexes.open(&map)?;
    let mut trace = Trace::with_limit(MOST_EVENTS);
    if !map.components().connected(from, goal) {
        draw(&map, from, goal, None, &trace, png.as_ref())?;
        write_trace(&map, from, goal, &trace, trace_file.as_ref())?;
        return Ok(unreachable(args, &spec));
    }
    let bar = Bar::default();
    let mut bench = Workbench::new(indexes);
    bench.prepare(&map, &spec, &bar)?;
    let mut agent = spec.build(&map, bench.indexes())?;
    let mut scratch = Scratch::new();
    let mut context = Context::new(&map, &mut scratch);
    if png.is_some() || trace_file.is_some() {
        context.trace = Some(&mut trace);
    }
    let walked = walk(
        agent.as_mut(),
        &mut context,
        from,
        goal,
        DEFAULT_MOVE_LIMIT,
        &mut (),
    )?;
    drop(bar);
    draw(&map, from, goal, Some(&walked), &trace, png.as_ref())?;
    write_trace(&map, from, goal, &trace, trace_file.as_ref())?;
    describe(args, &map, &spec, (from, goal), &walked)
}

fn solve_graph(args: &SolveArgs, spec: &AgentSpec, graph: &ExplicitGraph) -> Result<Report> {
    if args.png.is_some() || args.trace.is_some() || args.indexes.is_given() {
        bail!("--png, --trace and --index are for maps; leave them out for a graph");
    }
    let from = args.from.node(graph, "--from")?;
    let goal = args.to.node(graph, "--to")?;
    graph::solve(spec, graph, from, goal)
}

fn unreachable(args: &SolveArgs, spec: &AgentSpec) -> Report {
    let json = json!({
        "algo": spec.to_string(),
        "status": "unreachable",
        "cost": Value::Null,
        "optimal_cost": Value::Null,
        "moves": 0,
        "path": [],
    });
    let text = format!(
        "unreachable: there is no path from {} to {}",
        args.from, args.to
    );
    Report::answer(json, text, true)
}

fn describe(
    args: &SolveArgs,
    map: &Map,
    spec: &AgentSpec,
    ends: (Cell, Cell),
    walked: &Walk,
) -> Result<Report> {
    let status = match walked.outcome {
        Outcome::Arrived => "arrived",
        Outcome::Unreachable => "gave-up",
        Outcome::OutOfMoves => "out-of-moves",
    };
    let Some(length) = map.path_length(&walked.path) else {
        bail!("{spec} walked an illegal path; please report this map and these points");
    };
    let bar = Bar::default();
    let lengths = Optimal::prepare(map, &bar)?.lengths(map, &[ends], &bar)?;
    let optimal = lengths[0].unwrap_or_default();
    let costs = map.rules().costs;
    let (cost, optimal_cost) = (costs.length(length), costs.length(optimal));
    let path: Vec<[u32; 2]> = walked
        .path
        .iter()
        .map(|&cell| map.grid().point(cell))
        .map(|point| [point.x, point.y])
        .collect();
    let json = json!({
        "algo": spec.to_string(),
        "status": status,
        "cost": cost,
        "optimal_cost": optimal_cost,
        "moves": length.moves(),
        "decisions": walked.decisions,
        "expansions": walked.meter.expansions,
        "operations": walked.meter.operations(),
        "ops_per_move_max": walked.operations_per_move_max,
        "path": path,
    });
    let text = format!(
        "{status}: {} to {} with {spec}\n  length      {cost:.4} ({} moves), {:.2}% above the shortest ({optimal_cost:.4})\n  expansions  {}, at most {} operations for one move\n",
        args.from,
        args.to,
        length.moves(),
        suboptimality_pct(map, length, optimal),
        grouped(walked.meter.expansions as i64),
        grouped(walked.operations_per_move_max as i64),
    );
    Ok(Report::answer(
        json,
        text,
        walked.outcome != Outcome::Arrived,
    ))
}

fn draw(
    map: &Map,
    from: Cell,
    goal: Cell,
    walked: Option<&Walk>,
    trace: &Trace,
    output: Option<&Output>,
) -> Result<()> {
    let Some(output) = output else {
        return Ok(());
    };
    let mut picture = Picture::of(map.grid());
    let searched: Vec<Cell> = trace
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::Expanded { cell, .. } => Some(*cell),
            Event::Stepped { .. } => None,
        })
        .collect();
    picture.searched(&searched);
    if let Some(walked) = walked {
        picture.path(&walked.path, 0);
    }
    picture.ends(from, goal);
    output.write(&picture.to_png()?)
}

fn write_trace(
    map: &Map,
    from: Cell,
    goal: Cell,
    trace: &Trace,
    output: Option<&Output>,
) -> Result<()> {
    let Some(output) = output else {
        return Ok(());
    };
    if trace.dropped() > 0 {
        report::note(&format!(
            "the trace holds the first {} events of {}",
            trace.events().len(),
            trace.events().len() as u64 + trace.dropped()
        ));
    }
    let json = output.path().extension().is_some_and(|e| e == "json");
    let form = if json { Form::Json } else { Form::Yaml };
    output.write(posthoc::write(map, from, goal, trace, form).as_bytes())
}
