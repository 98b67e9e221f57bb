//! `waypost demo`: the tour. Makes a map and problems, builds the default index, films a crowd under a closing door, runs every
//! algorithm in the small form of the experiment `all-methods`, and reports.

mod shown;

use crate::arguments::ThreadArgs;
use crate::bar::Bar;
use crate::commands::lab::{self, Job};
use crate::files::Output;
use crate::report::{Report, note};
use crate::shell;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::json;
use shown::{Work, conclusion, opening, six_rows};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use waypost::agent::{Context, Scratch};
use waypost::formats::scen;
use waypost::generate::{Kind, generate};
use waypost::grid::Cell;
use waypost::index::{Index, IndexKind, IndexRequest, Indexes, Shard, build};
use waypost::run::{Walk, walk};
use waypost::spec::AgentSpec;
use waypost::trace::{Event, Trace};
use waypost::{Map, MoveRules};
use waypost_lab::crowd::{DoorScene, Film, run_door};
use waypost_lab::lab::Experiment;
use waypost_lab::lab::places::Source;
use waypost_lab::lab::suite::{MapRecipe, Suite};
use waypost_lab::make::make_problems;
use waypost_lab::picture::Picture;
use waypost_lab::problems::Wanted;
use waypost_lab::table::{bytes, grouped, time};
use waypost_lab::workbench::Workbench;

const EXPERIMENT: &str = "all-methods";
const NAME: &str = "demo";
const WIDTH: u32 = 288;
const HEIGHT: u32 = 200;
const SEED: u64 = 11;
const PROBLEMS: usize = 60;
/// Learning agents may wander for long in a dead end: the pictures do not wait for ever.
const MAX_MOVES: u64 = 200_000;
/// The map of the film, and what happens in it.
const FILM_SIZE: (u32, u32) = (128, 80);
const SCENE: DoorScene = DoorScene {
    walkers: 120,
    ticks: 420,
    closes: 120,
    opens: 300,
    seed: SEED,
};

/// The tour.
#[derive(Args)]
#[command(after_help = "Example:\n  waypost demo --out my-demo")]
pub struct DemoArgs {
    /// The folder for map, problems, index, film, pictures and report; made where it is missing.
    #[arg(short, long, value_name = "DIR", default_value = "waypost-demo")]
    out: PathBuf,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// Runs the tour.
pub fn run(args: &DemoArgs) -> Result<Report> {
    if args.out.exists() && !args.out.is_dir() {
        bail!(
            "--out {}: this is a file; expected a folder, or a name for a new one",
            args.out.display()
        );
    }
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
        strewn: false,
    });
    let mut suite = Suite::parse(experiment.suite, "the experiment's suite", true)?;
    suite.problems.count = PROBLEMS;
    suite.problems.seed = SEED;
    let map = source.load(&suite)?;
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
    let file = index.to_bytes();
    write("demo.auto", file.as_ref())?;
    note(&format!(
        "the default index, built in {seconds:.2} s, {} in memory, a file of {}: demo.auto",
        bytes(index.memory_bytes() as u64),
        bytes(file.as_ref().len() as u64)
    ));
    let (scene, film) = film(suite.rules)?;
    note(&format!("{scene}: crowd.gif"));
    let ends = longest(&map, &problems).context("the tour's map has no problems")?;
    let lead = vec![
        ("crowd.gif", format!("{scene}."), film),
        (
            "search.png",
            "What A* looks at before its first move.".to_string(),
            search_picture(&map, ends)?,
        ),
        (
            "paths.png",
            "Three walks from the same start to the same goal.".to_string(),
            paths_picture(&map, ends)?,
        ),
    ];
    let work = Work::of(&map, &problems, index.clone())?;
    let algorithms = suite.algorithms.len();
    note(&format!("{algorithms} algorithms on the same problems"));
    // The tour shows what a run is like: it does not take yesterday's measurements.
    lab::claim_records(&args.out)?;
    lab::forget(&args.out)?;
    let job = Job {
        experiment,
        suite,
        sources: vec![source],
        quick: false,
        command: "waypost demo".to_string(),
        out: &args.out,
        lead,
        conclude: &|report| opening(report, &work),
    };
    let finished = job.run()?;
    let text = format!(
        "{}\n{}\nThe report, with all {algorithms} methods and the film: {}\nNext: {}\n",
        six_rows(&finished, &work),
        conclusion(&finished, &work).unwrap_or_default(),
        args.out.join("report.html").display(),
        next_command(&map, ends, &args.out),
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

/// A crowd under a closing door: what is seen, and the film.
fn film(rules: MoveRules) -> Result<(String, Vec<u8>)> {
    let (width, height) = FILM_SIZE;
    let map = Map::new(generate(Kind::Rooms, width, height, SEED)?, rules);
    let spec = AgentSpec::default();
    let mut bench = Workbench::new(Indexes::new());
    bench.prepare(&map, &spec, &Bar::default())?;
    let mut film = Film::new(map.grid(), SCENE.ticks);
    let run = run_door(&map, &spec, &bench, &SCENE, &mut film)?;
    let about = format!(
        "{} agents, a door shut from tick {} to {}, {} arrivals, slowest tick {}",
        SCENE.walkers,
        SCENE.closes,
        SCENE.opens,
        grouped(run.arrived as i64),
        time(Duration::from_secs_f64(run.slowest_tick_us / 1e6)),
    );
    Ok((about, film.to_gif()?))
}

/// A command that runs as it is printed, in the folder where the user is.
fn next_command(map: &Map, (from, goal): (Cell, Cell), out: &Path) -> String {
    let point = |cell| map.grid().point(cell);
    format!(
        "{} solve {} --from {} --to {} --png path.png",
        shell::program(),
        shell::word(&out.join("demo.map")),
        point(from),
        point(goal),
    )
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
fn database(map: &Map) -> Result<(Arc<dyn Index>, f64)> {
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
    (from, goal): (Cell, Cell),
    trace: Option<&mut Trace>,
) -> Option<Walk> {
    let spec = AgentSpec::parse(algo).ok()?;
    let mut agent = spec.build(map, &Indexes::new()).ok()?;
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    context.trace = trace;
    walk(agent.as_mut(), &mut context, from, goal, MAX_MOVES, &mut ()).ok()
}

/// What A* looks at for a problem.
fn search_picture(map: &Map, ends: (Cell, Cell)) -> Result<Vec<u8>> {
    let mut trace = Trace::with_limit(usize::MAX);
    let path = walked(map, "astar", ends, Some(&mut trace));
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
        picture.paths(&[("A*", &path.path)]);
    }
    picture.ends(ends.0, ends.1);
    Ok(picture.to_png()?)
}

/// Algorithms whose paths are drawn over each other, with their names in the picture.
const DRAWN: [(&str, &str); 3] = [
    ("A*, the shortest", "astar"),
    ("TBA*", "tba"),
    ("LRTA*, which learns on the way", "lrta"),
];

fn paths_picture(map: &Map, ends: (Cell, Cell)) -> Result<Vec<u8>> {
    let mut picture = Picture::of(map.grid());
    let walks = DRAWN.map(|(name, algo)| (name, walked(map, algo, ends, None)));
    let paths = walks
        .iter()
        .filter_map(|(name, walk)| Some((*name, &walk.as_ref()?.path[..])));
    picture.paths(&paths.collect::<Vec<_>>());
    picture.ends(ends.0, ends.1);
    Ok(picture.to_png()?)
}
