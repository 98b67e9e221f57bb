//! `waypost demo`: the tour. Makes a map and problems, builds the default index, runs every algorithm in the small form of
//! the experiment `all-methods`, draws one problem, and reports.

use crate::arguments::ThreadArgs;
use crate::bar::Bar;
use crate::commands::lab::{self, Job};
use crate::files::Output;
use crate::report::{Report, note};
use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use waypost::Map;
use waypost::agent::Context;
use waypost::formats::scen;
use waypost::generate::Kind;
use waypost::grid::Cell;
use waypost::index::{Index, IndexKind, IndexRequest, Indexes, Shard, build};
use waypost::run::{Walk, walk};
use waypost::search::Scratch;
use waypost::spec::AgentSpec;
use waypost::trace::{Event, Trace};
use waypost_lab::lab::Experiment;
use waypost_lab::lab::places::Source;
use waypost_lab::lab::suite::{MapRecipe, Suite};
use waypost_lab::optimal::make_problems;
use waypost_lab::picture::Picture;
use waypost_lab::problems::Wanted;
use waypost_lab::table::{bytes, grouped};

const EXPERIMENT: &str = "all-methods";
const NAME: &str = "demo";
const WIDTH: u32 = 320;
const HEIGHT: u32 = 220;
const SEED: u64 = 11;
const PROBLEMS: usize = 60;
/// Learning agents may wander for long in a dead end: the pictures do not wait for ever.
const MOST_MOVES: u64 = 200_000;

/// The tour.
#[derive(Args)]
#[command(after_help = "Example:\n  waypost demo --out my-demo")]
pub struct DemoArgs {
    /// The folder for map, problems, index, pictures and report; made where it is missing.
    #[arg(long, value_name = "DIR", default_value = "waypost-demo")]
    out: PathBuf,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// Runs the tour.
pub fn run(args: &DemoArgs) -> Result<Report> {
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    args.threads.run(|| tour(args))
}

fn tour(args: &DemoArgs) -> Result<Report> {
    let write = |name: &str, bytes: &[u8]| Output::at(&args.out.join(name))?.write(bytes);
    let experiment = Experiment::find(EXPERIMENT).context("the tour's experiment is missing")?;
    let source = Source::Recipe(MapRecipe {
        name: NAME.to_string(),
        kind: Kind::Arena,
        width: WIDTH,
        height: HEIGHT,
        seed: SEED,
        scale: 1,
    });
    let mut suite = Suite::parse(experiment.suite, "the experiment's suite", true)?;
    suite.problems.count = PROBLEMS;
    suite.problems.seed = SEED;
    let map = source.load(suite.rules)?;
    let passable = map.grid().passable_count();
    write("demo.map", &waypost::formats::map::write(map.grid()))?;
    note(&format!(
        "a map of {WIDTH} x {HEIGHT} cells, {} of them passable: demo.map",
        grouped(passable as i64)
    ));
    let problems = problems(&map)?;
    write("demo.scen", &scen::write(&problems))?;
    note(&format!(
        "{PROBLEMS} problems with optimal lengths: demo.scen"
    ));
    let (index, seconds) = database(&map)?;
    write("demo.auto", index.to_bytes().as_ref())?;
    note(&format!(
        "the default index, {} in {seconds:.2} s: demo.auto",
        bytes(index.memory_bytes() as u64)
    ));
    note(&format!(
        "{} algorithms on the same problems",
        suite.algorithms.len()
    ));
    let pictures = match longest(&map, &problems) {
        Some((from, goal)) => vec![
            ("A* on the longest problem: blue, the cells that it looked at, the later the darker".to_string(), "search.png", search_picture(&map, from, goal)?),
            ("Three walks: orange A*, violet TBA*, green LRTA*, which learns while it walks".to_string(), "paths.png", paths_picture(&map, from, goal)?),
        ],
        None => Vec::new(),
    };
    for (_, name, png) in &pictures {
        write(name, png)?;
    }
    // The tour shows what a run is like: it does not take yesterday's measurements.
    lab::forget(&args.out)?;
    let job = Job {
        experiment,
        suite,
        sources: vec![source],
        quick: true,
        out: &args.out,
        pictures: pictures
            .into_iter()
            .map(|(caption, _, png)| (caption, png))
            .collect(),
    };
    let finished = job.run()?;
    let page = args.out.join("report.html");
    let text = format!(
        "{}\nThe report: {}\nNext: waypost solve {folder}/demo.map --from 10,10 --to 300,200 --index {folder}/demo.auto --png path.png\n",
        finished.to_text(),
        page.display(),
        folder = args.out.display(),
    );
    let json = json!({
        "folder": args.out.display().to_string(),
        "map": { "width": WIDTH, "height": HEIGHT, "passable": passable },
        "problems": PROBLEMS,
        "index_bytes": index.memory_bytes(),
        "lab": lab::answer(&finished, &args.out),
    });
    Ok(Report::done(json, text))
}

/// The problems of the tour: those that the experiment makes from the same seed.
fn problems(map: &Map) -> Result<Vec<scen::Problem>> {
    let wanted = Wanted {
        count: PROBLEMS,
        seed: SEED,
        least: 0.0,
        most: None,
        difficulty: Vec::new(),
        map_name: "demo.map".to_string(),
    };
    Ok(make_problems(map, &wanted, &Bar::default())?)
}

/// The index of the default agent, and the seconds that it took.
fn database(map: &Map) -> Result<(std::sync::Arc<dyn Index>, f64)> {
    let begun = Instant::now();
    let request = IndexRequest::new(IndexKind::Auto);
    let index = build(map, &request, Shard::WHOLE, &Bar::default())?;
    Ok((index, begun.elapsed().as_secs_f64()))
}

fn longest(map: &Map, problems: &[scen::Problem]) -> Option<(Cell, Cell)> {
    let problem = problems
        .iter()
        .max_by(|a, b| a.length.total_cmp(&b.length))?;
    problem.ends(map.grid()).ok()
}

/// The walk of an algorithm that needs no index, recorded where a trace is given.
fn walked(
    map: &Map,
    algo: &str,
    from: Cell,
    goal: Cell,
    trace: Option<&mut Trace>,
) -> Option<Walk> {
    let spec = AgentSpec::parse(algo).ok()?;
    let mut agent = spec.build(map, &Indexes::new()).ok()?;
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    context.trace = trace;
    walk(
        agent.as_mut(),
        &mut context,
        from,
        goal,
        MOST_MOVES,
        &mut (),
    )
    .ok()
}

/// What A* looks at for a problem.
fn search_picture(map: &Map, from: Cell, goal: Cell) -> Result<Vec<u8>> {
    let mut trace = Trace::with_limit(usize::MAX);
    let path = walked(map, "astar", from, goal, Some(&mut trace));
    let searched: Vec<Cell> = trace
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::Expanded { cell, .. } => Some(*cell),
            Event::Stepped { .. } => None,
        })
        .collect();
    let mut picture = Picture::of(map.grid());
    picture.searched(&searched);
    if let Some(path) = path {
        picture.path(&path.path, 0);
    }
    picture.ends(from, goal);
    Ok(picture.to_png()?)
}

/// Algorithms whose paths are drawn over each other, the last on top.
const DRAWN: [&str; 3] = ["lrta", "tba", "astar"];

fn paths_picture(map: &Map, from: Cell, goal: Cell) -> Result<Vec<u8>> {
    let mut picture = Picture::of(map.grid());
    for (i, algo) in DRAWN.iter().enumerate() {
        if let Some(walked) = walked(map, algo, from, goal, None) {
            picture.path(&walked.path, DRAWN.len() - 1 - i);
        }
    }
    picture.ends(from, goal);
    Ok(picture.to_png()?)
}
