//! `waypost demo`: the tour. Makes a map and problems, builds every index, runs every algorithm, draws and reports.

use crate::arguments::ThreadArgs;
use crate::bar::Bar;
use crate::commands::bench;
use crate::files::Output;
use crate::report::{Report, note};
use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use waypost::Map;
use waypost::agent::Context;
use waypost::formats::scen;
use waypost::generate::{Kind, generate};
use waypost::grid::{Cell, MoveRules};
use waypost::run::{Walk, walk};
use waypost::search::Scratch;
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::trace::{Event, Trace};
use waypost_lab::measure::{Measurement, Problem};
use waypost_lab::optimal::make_problems;
use waypost_lab::picture::Picture;
use waypost_lab::problems::Wanted;
use waypost_lab::table::{Align, Table, bytes, grouped};
use waypost_lab::workbench::Workbench;

const WIDTH: u32 = 320;
const HEIGHT: u32 = 220;
const SEED: u64 = 11;
const PROBLEMS: usize = 120;
/// Learning agents may wander for long in a dead end: the tour does not wait for ever.
const MOST_MOVES: u64 = 200_000;

/// The tour.
#[derive(Args)]
#[command(after_help = "Example:\n  waypost demo --out my-demo")]
pub struct DemoArgs {
    /// The folder for map, problems, indexes, pictures and report; made where it is missing.
    #[arg(long, value_name = "DIR", default_value = "waypost-demo")]
    out: PathBuf,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// Runs the tour.
pub fn run(args: &DemoArgs) -> Result<Report> {
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let write = |name: &str, bytes: &[u8]| Output::at(&args.out.join(name))?.write(bytes);
    let grid = generate(Kind::Arena, WIDTH, HEIGHT, SEED)?;
    write("demo.map", &waypost::formats::map::write(&grid))?;
    let map = Map::new(grid, MoveRules::default());
    note(&format!(
        "a map of {WIDTH} x {HEIGHT} cells, {} of them passable",
        grouped(map.grid().passable_count() as i64)
    ));
    let (problems, bench, specs) = args.threads.run(|| {
        let problems = problems(&map)?;
        let (bench, specs) = prepare(&map);
        Ok((problems, bench, specs))
    })?;
    write("demo.scen", &scen::write(&problems.1))?;
    let built = built_table(&bench);
    for (i, index) in bench.indexes().iter().enumerate() {
        // Two algorithms may want the same kind with other parameters.
        let kind = index.kind();
        let before = bench.indexes().iter().take(i);
        let name = match before.filter(|earlier| earlier.kind() == kind).count() {
            0 => format!("demo.{}", kind.name()),
            more => format!("demo.{}-{}", kind.name(), more + 1),
        };
        write(&name, index.to_bytes().as_ref())?;
    }
    note(&format!(
        "{PROBLEMS} problems, {} algorithms, {} indexes built",
        specs.len(),
        bench.built().len()
    ));
    let results = bench::measure_all(&map, &specs, &bench, &problems.0, MOST_MOVES)?;
    let hardest = problems.0.iter().max_by_key(|p| p.optimal.moves());
    if let Some(problem) = hardest {
        write("search.png", &search_picture(&map, &bench, problem)?)?;
        write("paths.png", &paths_picture(&map, &bench, problem)?)?;
    }
    let report = report(&map, &built, &results);
    write("report.md", report.as_bytes())?;
    Ok(conclude(&args.out, &map, &built, &results))
}

/// Random problems with their optimal lengths, for the agents and for the file.
fn problems(map: &Map) -> Result<(Vec<Problem>, Vec<scen::Problem>)> {
    let wanted = Wanted {
        count: PROBLEMS,
        seed: SEED,
        least: 0.0,
        most: None,
        map_name: "demo.map".to_string(),
    };
    let listed = make_problems(map, &wanted, &Bar::default())?;
    let (problems, _) = bench::solvable(map, &listed)?;
    Ok((problems, listed))
}

/// Every algorithm with its defaults, and the indexes that they need. What does not suit the map is left out.
fn prepare(map: &Map) -> (Workbench, Vec<AgentSpec>) {
    let bar = Bar::default();
    let mut bench = Workbench::default();
    let mut specs = Vec::new();
    for algorithm in ALGORITHMS {
        let prepared = AgentSpec::parse(algorithm.name)
            .map_err(anyhow::Error::from)
            .and_then(|spec| {
                bench.prepare(map, &spec, &bar)?;
                spec.build(map, bench.indexes())?;
                Ok(spec)
            });
        match prepared {
            Ok(spec) => specs.push(spec),
            Err(error) => note(&format!("{} is left out: {error:#}", algorithm.name)),
        }
    }
    (bench, specs)
}

fn built_table(bench: &Workbench) -> Table {
    let mut table = Table::new(&[
        ("index", Align::Left),
        ("records", Align::Right),
        ("memory", Align::Right),
        ("build s", Align::Right),
    ]);
    for (request, seconds) in bench.built() {
        if let Some(index) = bench.indexes().get(request) {
            table.row([
                request.kind.name().to_string(),
                grouped(index.records() as i64),
                bytes(index.memory_bytes() as u64),
                format!("{seconds:.2}"),
            ]);
        }
    }
    table
}

/// The walk of an algorithm, recorded where a trace is given.
fn walked(
    map: &Map,
    bench: &Workbench,
    algo: &str,
    problem: &Problem,
    trace: Option<&mut Trace>,
) -> Option<Walk> {
    let spec = AgentSpec::parse(algo).ok()?;
    let mut agent = spec.build(map, bench.indexes()).ok()?;
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    context.trace = trace;
    walk(
        agent.as_mut(),
        &mut context,
        problem.from,
        problem.goal,
        MOST_MOVES,
        &mut (),
    )
    .ok()
}

/// What A* looks at for the longest problem.
fn search_picture(map: &Map, bench: &Workbench, problem: &Problem) -> Result<Vec<u8>> {
    let mut trace = Trace::with_limit(usize::MAX);
    let path = walked(map, bench, "astar", problem, Some(&mut trace));
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
    picture.ends(problem.from, problem.goal);
    Ok(picture.to_png()?)
}

/// Algorithms whose paths are drawn over each other, the last on top.
const DRAWN: [&str; 3] = ["lrta", "tba", "astar"];

fn paths_picture(map: &Map, bench: &Workbench, problem: &Problem) -> Result<Vec<u8>> {
    let mut picture = Picture::of(map.grid());
    for (i, algo) in DRAWN.iter().enumerate() {
        if let Some(walked) = walked(map, bench, algo, problem, None) {
            picture.path(&walked.path, DRAWN.len() - 1 - i);
        }
    }
    picture.ends(problem.from, problem.goal);
    Ok(picture.to_png()?)
}

fn report(map: &Map, built: &Table, results: &[Measurement]) -> String {
    format!(
        "# Waypost: the tour\n\n\
         A map of {WIDTH} x {HEIGHT} cells ({} passable), {PROBLEMS} random problems, {}.\n\
         `demo.map` and `demo.scen` hold them, `demo.*` the indexes.\n\n\
         ## Indexes\n\n{}\n\
         ## Algorithms\n\n{}\n\
         *longer %*: how much longer the paths are than the shortest. *move ns*: the time of single moves; a method that\n\
         plans a whole path first does all of it in its first move. *ops/move max*: the most operations that any single\n\
         move took.\n\n\
         ## One problem\n\n\
         ![What A* looks at](search.png)\n\n\
         Blue: the cells that A* expanded, the later the darker. Orange: its path.\n\n\
         ![Three walks](paths.png)\n\n\
         Orange: A*. Violet: TBA*. Green: LRTA*, which learns while it walks.\n",
        grouped(map.grid().passable_count() as i64),
        map.rules(),
        built.to_markdown(),
        bench::table(results).to_markdown(),
    )
}

fn conclude(out: &Path, map: &Map, built: &Table, results: &[Measurement]) -> Report {
    let json = json!({
        "folder": out.display().to_string(),
        "map": { "width": WIDTH, "height": HEIGHT, "passable": map.grid().passable_count() },
        "problems": PROBLEMS,
        "results": results,
    });
    let text = format!(
        "{built}\n{}\nWritten to {}: report.md, search.png, paths.png, demo.map, demo.scen and the indexes.\n\
         Next: waypost solve {}/demo.map --from 10,10 --to 300,200 --png path.png\n",
        bench::table(results),
        out.display(),
        out.display(),
    );
    Report::done(json, text)
}
