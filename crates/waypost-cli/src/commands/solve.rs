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
use waypost::questions::{few_turns, nearest_goal, smooth, turns};
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

    /// Where to go. Given several times, the place that is nearest by cost is chosen.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true, required = true)]
    to: Vec<Place>,

    /// The algorithm: NAME or NAME:KEY=VALUE,... from the list below.
    #[arg(long, value_name = "SPEC", default_value = usage::DEFAULT_ALGORITHM)]
    algo: String,

    #[command(flatten)]
    indexes: IndexArgs,

    /// Also straighten the path: `waypoints` and `smooth_length`.
    #[arg(long)]
    smooth: bool,

    /// Settle what equal costs leave open for few turns.
    #[arg(long)]
    few_turns: bool,

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
    let goal = choose_goal(args, &map, from)?;
    let indexes = args.indexes.open(&map)?;
    let mut trace = Trace::with_limit(MOST_EVENTS);
    if !map.components().connected(from, goal) {
        draw(&map, from, goal, None, &trace, (png.as_ref(), false))?;
        write_trace(&map, from, goal, &trace, trace_file.as_ref())?;
        return Ok(unreachable(args, &map, &spec, goal));
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
    let mut walked = walk(
        agent.as_mut(),
        &mut context,
        from,
        goal,
        DEFAULT_MOVE_LIMIT,
        &mut (),
    )?;
    drop(bar);
    if args.few_turns {
        walked.path = few_turns(&map, &walked.path);
    }
    let drawn = (png.as_ref(), args.smooth);
    draw(&map, from, goal, Some(&walked), &trace, drawn)?;
    write_trace(&map, from, goal, &trace, trace_file.as_ref())?;
    describe(args, &map, &spec, (from, goal), &walked)
}

/// The goal, or the nearest of several: the first where none can be reached.
fn choose_goal(args: &SolveArgs, map: &Map, from: Cell) -> Result<Cell> {
    let goals = args.to.iter().map(|place| place.cell(map, "--to"));
    let goals = goals.collect::<Result<Vec<_>>>()?;
    if let [only] = goals[..] {
        return Ok(only);
    }
    let nearest = nearest_goal(map, &mut Scratch::new(), from, &goals);
    Ok(nearest.map_or(goals[0], |(goal, _)| goal))
}

fn solve_graph(args: &SolveArgs, spec: &AgentSpec, graph: &ExplicitGraph) -> Result<Report> {
    let for_maps = args.png.is_some() || args.trace.is_some() || args.indexes.is_given();
    if for_maps || args.smooth || args.few_turns {
        bail!(
            "--png, --trace, --index, --smooth and --few-turns are for maps; leave them out for a graph"
        );
    }
    let [to] = args.to[..] else {
        bail!("several goals are for maps; give --to once for a graph");
    };
    let from = args.from.node(graph, "--from")?;
    let goal = to.node(graph, "--to")?;
    graph::solve(spec, graph, from, goal)
}

fn unreachable(args: &SolveArgs, map: &Map, spec: &AgentSpec, goal: Cell) -> Report {
    let goal = map.grid().point(goal);
    let json = json!({
        "goal": [goal.x, goal.y],
        "algo": spec.to_string(),
        "status": "unreachable",
        "cost": Value::Null,
        "optimal_cost": Value::Null,
        "moves": 0,
        "path": [],
    });
    let text = format!(
        "unreachable: there is no path from {} to {}",
        args.from,
        list(&args.to)
    );
    Report::answer(json, text, true)
}

/// Places as text.
fn list(places: &[Place]) -> String {
    let texts: Vec<_> = places.iter().map(ToString::to_string).collect();
    texts.join(" or ")
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
    let (cost, optimal_cost) = (map.length(length), map.length(optimal));
    let goal = map.grid().point(ends.1);
    let path: Vec<[u32; 2]> = walked
        .path
        .iter()
        .map(|&cell| map.grid().point(cell))
        .map(|point| [point.x, point.y])
        .collect();
    let moves = walked.path.len().saturating_sub(1);
    let mut json = json!({
        "algo": spec.to_string(),
        "status": status,
        "goal": [goal.x, goal.y],
        "turns": turns(map, &walked.path),
        "cost": cost,
        "optimal_cost": optimal_cost,
        "moves": moves,
        "decisions": walked.decisions,
        "expansions": walked.meter.expansions,
        "operations": walked.meter.operations(),
        "ops_per_move_max": walked.operations_per_move_max,
        "path": path,
    });
    let mut text = format!(
        "{status}: {} to {} with {spec}\n  length      {cost:.4} ({} moves), {:.2}% above the shortest ({optimal_cost:.4})\n  expansions  {}, at most {} operations for one move\n",
        args.from,
        goal,
        moves,
        suboptimality_pct(map, length, optimal),
        grouped(walked.meter.expansions as i64),
        grouped(walked.operations_per_move_max as i64),
    );
    if args.smooth {
        let smoothed = smooth(map, &walked.path);
        let points = smoothed
            .waypoints
            .iter()
            .map(|&cell| map.grid().point(cell));
        let points: Vec<[u32; 2]> = points.map(|p| [p.x, p.y]).collect();
        text += &format!(
            "  straightened {:.4}, {} waypoints, {} turns instead of {}\n",
            smoothed.length,
            points.len(),
            turns(map, &smoothed.waypoints),
            turns(map, &walked.path),
        );
        json["waypoints"] = json!(points);
        json["smooth_length"] = json!(smoothed.length);
    }
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
    (output, smoothed): (Option<&Output>, bool),
) -> Result<()> {
    let Some(output) = output else {
        return Ok(());
    };
    let mut picture = Picture::of_map(map);
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
    if let Some(walked) = walked.filter(|_| smoothed) {
        picture.path(&smooth(map, &walked.path).waypoints, 1);
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
