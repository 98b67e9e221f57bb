//! `waypost solve`.

use crate::algo;
use crate::arguments::{IndexArgs, Loaded, MapArgs};
use crate::bar::Bar;
use crate::catalogue;
use crate::commands::graph;
use crate::files::Output;
use crate::place::EndArgs;
use crate::report::{self, Report};
use crate::steady::{Steady, WalkTimes};
use crate::words;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use waypost::Map;
use waypost::agent::Context;
use waypost::agent::Scratch;
use waypost::cost::Length;
use waypost::grid::Cell;
use waypost::progress::NoProgress;
use waypost::questions::{Smoothed, few_turns, nearest_goal, smooth, turns};
use waypost::run::{Outcome, Walk, walk};
use waypost::space::ExplicitGraph;
use waypost::spec::AgentSpec;
use waypost::trace::{Event, Trace};
use waypost_lab::journey::Conditions;
use waypost_lab::measure::{DEFAULT_MOVE_LIMIT, Problem, Walker, suboptimality_pct};
use waypost_lab::move_clock::MoveClock;
use waypost_lab::optimal::Optimal;
use waypost_lab::picture::Picture;
use waypost_lab::posthoc::{self, Form};
use waypost_lab::table::{bytes, grouped, time};
use waypost_lab::workbench::Workbench;

/// The most events that a trace or a picture shows: half a gigabyte of them.
const MAX_EVENTS: usize = 20_000_000;

const EXAMPLES: &str = "\
An index that the algorithm needs and no --index gives is built in memory.
`waypost algorithms` lists the algorithms; `waypost algorithms NAME` has the keys of one.

Examples:
  waypost gen caves
  waypost solve caves.map --from random --to random --png path.png
  waypost solve caves.map --from 10,12 --to 38,25 --nearest --algo tba:slice=50 --trace tba.yaml";

/// Finds one path.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SolveArgs {
    #[command(flatten)]
    map: MapArgs,

    #[command(flatten)]
    ends: EndArgs,

    /// The algorithm: NAME or NAME:KEY=VALUE,... [default: waypost; of a graph: astar].
    ///
    /// `waypost graph --help` names those that walk on graphs.
    #[arg(long, value_name = "SPEC")]
    algo: Option<String>,

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
    let given = args.algo.as_deref().map(algo::one).transpose()?;
    let png = args
        .png
        .as_deref()
        .map(|png| Output::image(png, "png"))
        .transpose()?;
    let trace_file = args.trace.as_deref().map(Output::at).transpose()?;
    let map = match args.map.load_any()? {
        Loaded::Map(map) => *map,
        Loaded::Graph(graph) => return solve_graph(args, given, &graph),
    };
    let spec = given.map_or_else(|| algo::one(catalogue::DEFAULT_ALGORITHM), Ok)?;
    let (from, goals) = args.ends.cells(&map)?;
    let goal = nearest_of(&map, from, &goals);
    let indexes = args.indexes.open(&map, [&spec])?;
    let mut trace = Trace::with_limit(MAX_EVENTS);
    if !map.components().connected(from, goal) {
        draw(&map, (from, goal), None, &trace, png.as_ref())?;
        write_trace(&map, from, goal, &trace, trace_file.as_ref())?;
        let outputs = [png.as_ref(), trace_file.as_ref()];
        return Ok(unreachable(&map, (from, &goals), &spec, outputs));
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
    let mut clock = MoveClock::default();
    let mut walked = walk(
        agent.as_mut(),
        &mut context,
        from,
        goal,
        DEFAULT_MOVE_LIMIT,
        &mut clock,
    )?;
    drop(agent);
    let warm = Steady::is_worth(clock.total)
        .then(|| steady(&map, &spec, &bench, (from, goal)))
        .transpose()?;
    drop(bar);
    if args.few_turns {
        walked.path = few_turns(&map, &walked.path);
    }
    let smoothed = args.smooth.then(|| smooth(&map, &walked.path));
    let drawn = Drawn {
        spec: &spec,
        path: &walked.path,
        smoothed: smoothed.as_ref(),
    };
    draw(&map, (from, goal), Some(&drawn), &trace, png.as_ref())?;
    write_trace(&map, from, goal, &trace, trace_file.as_ref())?;
    let shown = Shown {
        map: &map,
        spec: &spec,
        bench: &bench,
        ends: (from, goal),
        cold: clock,
        warm,
        smoothed: smoothed.as_ref(),
        outputs: [png.as_ref(), trace_file.as_ref()],
    };
    shown.describe(&walked)
}

/// What there is to say of a walk, besides the walk.
struct Shown<'a> {
    map: &'a Map,
    spec: &'a AgentSpec,
    bench: &'a Workbench,
    ends: (Cell, Cell),
    /// The first walk, with everything cold.
    cold: MoveClock,
    /// What more walks took, where the first was short.
    warm: Option<Steady>,
    smoothed: Option<&'a Smoothed>,
    outputs: [Option<&'a Output>; 2],
}

/// A path and how it is shown.
struct Drawn<'a> {
    spec: &'a AgentSpec,
    path: &'a [Cell],
    smoothed: Option<&'a Smoothed>,
}

/// What a game would see of a walk: memory, caches and scratch are cold the first time, and a search may have been recorded.
fn steady(
    map: &Map,
    spec: &AgentSpec,
    bench: &Workbench,
    (from, goal): (Cell, Cell),
) -> Result<Steady> {
    let mut walker = Walker::new(map, spec, bench, Conditions::default())?;
    let problem = Problem {
        from,
        goal,
        // For comparisons; none is made here.
        optimal: Length::default(),
    };
    Steady::of(|| {
        let timed = walker.walk(&problem, DEFAULT_MOVE_LIMIT, &NoProgress)?;
        Ok(WalkTimes::of_nanoseconds(
            timed.wall_ns,
            timed.first_move_ns,
            timed.slowest_move_ns,
        ))
    })
}

/// The goal, or the nearest of several: the first where none can be reached.
fn nearest_of(map: &Map, from: Cell, goals: &[Cell]) -> Cell {
    if let [only] = goals[..] {
        return only;
    }
    let nearest = nearest_goal(map, &mut Scratch::new(), from, goals);
    nearest.map_or(goals[0], |(goal, _)| goal)
}

fn solve_graph(
    args: &SolveArgs,
    given: Option<AgentSpec>,
    graph: &ExplicitGraph,
) -> Result<Report> {
    let for_maps = args.png.is_some() || args.trace.is_some() || args.indexes.is_given();
    if for_maps || args.smooth || args.few_turns {
        bail!(
            "--png, --trace, --index, --smooth and --few-turns are for maps; leave them out for a graph"
        );
    }
    let (from, goal) = args.ends.nodes(graph)?;
    let spec = given.map_or_else(|| algo::one(catalogue::DEFAULT_ON_GRAPHS), Ok)?;
    graph::solve(&spec, graph, from, goal)
}

fn unreachable(
    map: &Map,
    (from, goals): (Cell, &[Cell]),
    spec: &AgentSpec,
    outputs: [Option<&Output>; 2],
) -> Report {
    let goal = map.grid().point(goals[0]);
    let json = json!({
        "goal": [goal.x, goal.y],
        "algo": spec.to_string(),
        "status": "unreachable",
        "cost": Value::Null,
        "optimal_cost": Value::Null,
        "moves": 0,
        "path": [],
    });
    let grid = map.grid();
    let goals = goals.iter().map(|&goal| grid.point(goal).to_string());
    let goals: Vec<String> = goals.collect();
    let mut text = format!(
        "unreachable: there is no path from {} to {}\n",
        grid.point(from),
        goals.join(" or ")
    );
    text += &written(outputs);
    Report::answer(json, text, true)
}

/// The files that were written.
fn written(outputs: [Option<&Output>; 2]) -> String {
    let names = outputs.into_iter().flatten();
    let names: Vec<String> = names.map(|o| o.path().display().to_string()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("  written     {}\n", names.join(", ")),
    }
}

impl Shown<'_> {
    fn describe(&self, walked: &Walk) -> Result<Report> {
        let (map, spec) = (self.map, self.spec);
        let status = match walked.outcome {
            Outcome::Arrived => "arrived",
            Outcome::Unreachable => "gave-up",
            Outcome::OutOfMoves => "out-of-moves",
        };
        let Some(length) = map.path_length(&walked.path) else {
            bail!("{spec} walked an illegal path; please report this map and these points");
        };
        let bar = Bar::default();
        let lengths = Optimal::prepare(map, &bar)?.lengths(map, &[self.ends], &bar)?;
        let optimal = lengths[0].unwrap_or_default();
        let (cost, optimal_cost) = (map.length(length), map.length(optimal));
        let point = |cell: Cell| map.grid().point(cell);
        let goal = point(self.ends.1);
        let moves = walked.path.len().saturating_sub(1);
        // On terrain a way has a length, and what it costs is something else.
        let (what, least) = match map.ground() {
            None => ("length", "shortest"),
            Some(_) => ("cost", "least"),
        };
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
            "path": self.points(&walked.path),
        });
        let mut text = format!(
            "{status}: {} to {} with {spec}\n  {what:<11} {} ({}), {:.2}% above the {least} ({})\n",
            point(self.ends.0),
            goal,
            words::length(cost),
            words::count(moves as u64, "move"),
            suboptimality_pct(map, length, optimal),
            words::length(optimal_cost),
        );
        if let Some(smoothed) = self.smoothed {
            text += &self.straightened(smoothed, walked);
            json["waypoints"] = json!(self.points(&smoothed.waypoints));
            json["smooth_length"] = json!(smoothed.length);
        }
        text += &self.work(walked);
        text += &written(self.outputs);
        let negative = walked.outcome != Outcome::Arrived;
        Ok(Report::answer(json, text, negative))
    }

    /// Cells as they stand in the answer.
    fn points(&self, cells: &[Cell]) -> Vec<[u32; 2]> {
        let points = cells.iter().map(|&cell| self.map.grid().point(cell));
        points.map(|point| [point.x, point.y]).collect()
    }

    fn straightened(&self, smoothed: &Smoothed, walked: &Walk) -> String {
        format!(
            "  straight    {}, {} waypoints, {} turns instead of {}\n",
            words::length(smoothed.length),
            smoothed.waypoints.len(),
            turns(self.map, &smoothed.waypoints),
            turns(self.map, &walked.path),
        )
    }

    /// What the walk took: work, time, and the building of indexes.
    fn work(&self, walked: &Walk) -> String {
        let recorded = match self.outputs.iter().any(Option::is_some) {
            true => " and the search recorded",
            false => "",
        };
        let times = match &self.warm {
            Some(warm) => format!(
                "{warm}\n              {} the first time, with memory and caches cold{recorded}",
                time(self.cold.total),
            ),
            None => format!(
                "{}, walked once, from cold{recorded}",
                WalkTimes::of(&self.cold)
            ),
        };
        let mut text = format!(
            "  operations  {}, up to {} for one move; {} expansions\n  time        {times}\n",
            grouped(walked.meter.operations() as i64),
            grouped(walked.operations_per_move_max as i64),
            grouped(walked.meter.expansions as i64),
        );
        let (bytes_used, seconds) = self.bench.price_of(self.spec);
        if bytes_used > 0 {
            let origin = match seconds > 0.0 {
                true => format!("built in {}", time(Duration::from_secs_f64(seconds))),
                false => "from a file".to_string(),
            };
            text += &format!("  index       {} in memory, {origin}\n", bytes(bytes_used));
        }
        text
    }
}

fn draw(
    map: &Map,
    (from, goal): (Cell, Cell),
    drawn: Option<&Drawn>,
    trace: &Trace,
    output: Option<&Output>,
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
    if let Some(drawn) = drawn {
        picture.paths(&[(&drawn.spec.to_string(), drawn.path)]);
    }
    if let Some(smoothed) = drawn.and_then(|drawn| drawn.smoothed) {
        picture.waypoints("straightened", &smoothed.waypoints, 1);
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
