//! `waypost crowd`.

use crate::algo;
use crate::arguments::{IndexArgs, MapArgs, ThreadArgs};
use crate::bar::Bar;
use crate::catalogue;
use crate::files::{self, Output};
use crate::report::Report;
use crate::words;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::crowd::Options;
use waypost::formats::gppc;
use waypost::spec::AgentSpec;
use waypost_lab::crowd::{CrowdRun, Film, MAX_AGENTS, Plan, ReplayPlan, replay, run as run_crowd};
use waypost_lab::stats::Times;
use waypost_lab::table::{bytes, grouped, has_tail, short};
use waypost_lab::workbench::Workbench;

const EXAMPLES: &str = "\
`waypost algorithms` lists the algorithms; `waypost algorithms NAME` has the keys of one.

Examples:
  waypost gen caves
  waypost crowd caves.map --agents 200 --ticks 300 --gif crowd.gif
  waypost crowd caves.map --agents 200 --ticks 300 --patch-every 50 --exclusive --json";

/// Lets many agents walk between random goals, drawn again on arrival, and times the ticks.
///
/// MAP may also be a scenario with map changes (`version 2`, the dynamic track of the Grid-based Path Planning
/// Competition): its patches are laid at their frames, and an agent walks for each of its queries.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("map", |map| map.help("The map (.map, .png, Tiled, LDtk, `-`), or a scenario with map changes (.scen)")))]
pub struct CrowdArgs {
    #[command(flatten)]
    map: MapArgs,

    /// How many agents, up to 16,777,216 [default: 1000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_AGENTS)))]
    agents: Option<u32>,

    /// How many ticks [default: 1000; of a scenario: until all have arrived].
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..))]
    ticks: Option<u64>,

    /// The algorithm.
    #[arg(long, value_name = "SPEC", default_value = catalogue::DEFAULT_ALGORITHM)]
    algo: String,

    #[command(flatten)]
    indexes: IndexArgs,

    /// The seed of starts and goals.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Give all agents new goals at once, after every T ticks [default: 0, never].
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    rush_every: u64,

    /// Block or open a square of cells after every T ticks [default: 0, never].
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    patch_every: u64,

    /// Cells of such a square, at least.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    patch_cells: u32,

    /// Of a scenario with map changes: ticks of a frame [default: until all have arrived].
    #[arg(long, value_name = "T", hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..))]
    frame_ticks: Option<u64>,

    /// Allow one agent a cell: others wait, step aside, plan again.
    #[arg(long)]
    exclusive: bool,

    /// Measure efficiency and throughput.
    ///
    /// Outside the clock and by exact distances: what the moves gained for what was walked (`efficiency`), and goals reached for each
    /// that the same agents would have reached by optimal paths without traffic (`throughput`).
    #[arg(long)]
    quality: bool,

    /// With --exclusive: run plain algorithms on the same problems too.
    ///
    /// Their quality is shown beside: priority inheritance with the exact distances of every agent (on maps of up to 100,000
    /// cells), and with one path each.
    #[arg(long, requires = "exclusive", hide_short_help = true)]
    peers: bool,

    /// Weighted operations a tick for plans to new goals.
    ///
    /// They are about nanoseconds. Agents whose turn has not come step towards their goal.
    #[arg(long, value_name = "N", default_value_t = Options::default().set_up_operations)]
    set_up: u64,

    /// Operations a tick for repairing indexes after the map has changed.
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = Options::default().repair_operations)]
    repair: u64,

    /// Draw the run as an animated GIF.
    #[arg(long, value_name = "OUT.gif")]
    gif: Option<PathBuf>,

    /// Threads; results do not depend on them.
    #[command(flatten)]
    threads: ThreadArgs,
}

/// Runs the crowd.
pub fn run(args: &CrowdArgs) -> Result<Report> {
    let spec = algo::one(&args.algo)?;
    let output = args
        .gif
        .as_deref()
        .map(|gif| Output::image(gif, "gif"))
        .transpose()?;
    let path = args.map.path();
    let bytes = files::read(path)?;
    let (shown, film) = if bytes.starts_with(b"version 2") {
        run_scenario(args, &spec, &bytes, output.is_some())
            .with_context(|| path.display().to_string())?
    } else {
        run_random(args, &spec, &bytes, output.is_some())?
    };
    if let (Some(output), Some(film)) = (&output, film) {
        output.write(&film.to_gif()?)?;
    }
    let wrong = shown.replay.is_some_and(|r| r.wrongly_unreachable > 0);
    let bad = shown.illegal_moves + shown.collisions + shown.exchanges > 0 || wrong;
    let mut text = describe(&spec, &shown);
    if let Some(output) = &output {
        text += &format!("\nwritten: {}\n", output.path().display());
    }
    let mut json = serde_json::to_value(&shown)?;
    json["algo"] = json!(spec.to_string());
    Ok(Report::answer(json, text, bad))
}

fn run_random(
    args: &CrowdArgs,
    spec: &AgentSpec,
    bytes: &[u8],
    filmed: bool,
) -> Result<(CrowdRun, Option<Film>)> {
    if args.frame_ticks.is_some() {
        bail!("--frame-ticks is for scenarios with map changes; leave it out");
    }
    let map = args.map.parse(bytes)?;
    let mut bench = Workbench::new(args.indexes.open(&map, [spec])?);
    let plan = Plan {
        agents: args.agents.unwrap_or(1000) as usize,
        ticks: args.ticks.unwrap_or(1000),
        seed: args.seed,
        rush_every: args.rush_every,
        patch_every: args.patch_every,
        patch_cells: args.patch_cells,
        quality: args.quality,
        peers: args.peers,
        options: args.options(),
    };
    let mut film = filmed.then(|| Film::of_map(&map, plan.ticks));
    let shown = args.threads.run(|| {
        let bar = Bar::default();
        bench.prepare(&map, spec, &bar)?;
        Ok(run_crowd(&map, spec, &bench, &plan, film.as_mut(), &bar)?)
    })?;
    Ok((shown, film))
}

fn run_scenario(
    args: &CrowdArgs,
    spec: &AgentSpec,
    bytes: &[u8],
    filmed: bool,
) -> Result<(CrowdRun, Option<Film>)> {
    if args.agents.is_some()
        || args.rush_every > 0
        || args.patch_every > 0
        || args.quality
        || args.peers
    {
        bail!(
            "a scenario brings its own agents, goals, patches and optimal lengths; leave --agents, --rush-every, --patch-every, --quality and --peers out"
        );
    }
    let scenario = gppc::parse_scenario(bytes)?;
    let beside = args.map.path().with_file_name(&scenario.patch_name);
    let patches = gppc::parse_patches(&files::read(&beside)?)
        .with_context(|| beside.display().to_string())?;
    scenario.check_patches(&patches)?;
    let map = args.map.with_rules(scenario.first_map()?)?;
    let mut bench = Workbench::new(args.indexes.open(&map, [spec])?);
    let plan = ReplayPlan {
        frame_ticks: args.frame_ticks.unwrap_or(0),
        most_ticks: args.ticks.unwrap_or(u64::MAX),
        options: args.options(),
    };
    let mut film = filmed.then(|| Film::new(map.grid(), args.ticks.unwrap_or(10_000)));
    let shown = args.threads.run(|| {
        let bar = Bar::default();
        bench.prepare(&map, spec, &bar)?;
        let cast = (spec, &bench, &map);
        Ok(replay(
            &scenario,
            &patches,
            cast,
            &plan,
            film.as_mut(),
            &bar,
        )?)
    })?;
    Ok((shown, film))
}

impl CrowdArgs {
    fn options(&self) -> Options {
        Options {
            set_up_operations: self.set_up,
            repair_operations: self.repair,
            exclusive: self.exclusive,
            ..Options::default()
        }
    }
}

/// Mean, tails and maximum of times of ticks; no tail that too few ticks lie beyond.
fn spread(times: &Times, ticks: u64) -> String {
    let mut text = format!("mean {} µs", short(times.mean));
    for (name, percent, value) in [("p99", 99.0, times.p99), ("p99.9", 99.9, times.p999)] {
        if has_tail(percent, ticks) {
            text += &format!(", {name} {} µs", short(value));
        }
    }
    text + &format!(", max {} µs", short(times.max))
}

fn describe(spec: &AgentSpec, run: &CrowdRun) -> String {
    let mut text = format!(
        "{spec}: {}, {}, {} moves, {} goals reached, {} waits, {} provisional moves\n",
        words::count(run.agents as u64, "agent"),
        words::count(run.ticks, "tick"),
        grouped(run.moves_total as i64),
        grouped(run.arrived as i64),
        grouped(run.waits as i64),
        grouped(run.provisional_moves as i64),
    );
    text += &format!(
        "tick: {}; {} ns a move\n",
        spread(&run.tick_us, run.ticks),
        short(run.move_ns.mean),
    );
    text += &format!(
        "processor: {} a tick; {} times what as many plain steps towards the goals take\n",
        spread(&run.tick_cpu_us, run.ticks),
        short(run.ratio_to_climbing),
    );
    text += &format!(
        "memory: {} shared, {} an agent, {} learned in all; illegal moves: {}",
        bytes(run.memory_bytes.shared),
        bytes(run.memory_bytes.per_agent),
        bytes(run.memory_bytes.learned),
        run.illegal_moves,
    );
    if run.collisions_checked > 0 {
        text += &format!(
            "; collisions: {} in {} ticks checked",
            run.collisions,
            grouped(run.collisions_checked as i64),
        );
    }
    text.push('\n');
    if let Some(quality) = &run.quality {
        text += &format!(
            "quality: efficiency {:.3} ({} gained of {} walked), throughput {:.3} (of {} goals without traffic)\n",
            quality.efficiency,
            grouped(quality.progress.round() as i64),
            grouped(quality.walked.round() as i64),
            quality.throughput,
            grouped(quality.ideal_arrivals as i64),
        );
    }
    for peer in &run.peers {
        text += &format!(
            "peer `{}`: {} goals reached, {} waits, efficiency {:.3}, throughput {:.3}, {} plans, processor: mean {} µs a tick\n",
            peer.name,
            grouped(peer.arrived as i64),
            grouped(peer.waits as i64),
            peer.quality.efficiency,
            peer.quality.throughput,
            grouped(peer.plans as i64),
            short(peer.tick_cpu_us),
        );
    }
    if run.patches > 0 {
        text += &format!(
            "patches: {} of {} cells in all; processor: mean {} µs, max {} µs a patch\n",
            grouped(run.patches as i64),
            grouped(run.cells_changed as i64),
            short(run.patch_cpu_us.mean),
            short(run.patch_cpu_us.max),
        );
    }
    for (kind, standing) in &run.indexes {
        text += &format!("index `{kind}`: {standing}\n");
    }
    if let Some(replay) = &run.replay {
        text += &format!(
            "scenario: {} queries in {} frames, {} arrived, {} unreachable, {} refused, {} under way{}\n",
            grouped(replay.queries as i64),
            grouped(replay.frames as i64),
            grouped(run.arrived as i64),
            grouped(run.unreachable as i64),
            grouped(replay.refused as i64),
            grouped(replay.under_way as i64),
            replay.suboptimality_pct.map_or(String::new(), |pct| {
                // The file rounds its lengths: what is less than nothing is nothing.
                format!("; {}% longer than optimal", short(pct.max(0.0)))
            }),
        );
        text += &format!(
            "unreachable, by search: {} goals in new walls, {} cut off, {} wrongly said; under way: {} in new walls\n",
            grouped(replay.goals_in_walls as i64),
            grouped(replay.goals_cut_off as i64),
            grouped(replay.wrongly_unreachable as i64),
            grouped(replay.in_walls as i64),
        );
    }
    text += "\nticks by the time that they took:\n";
    let most = run.tick_histogram.iter().map(|b| b.1).max().unwrap_or(1);
    for &(up_to, count) in &run.tick_histogram {
        let bar = "#".repeat((count * 50).div_ceil(most) as usize);
        text += &format!(
            "up to {:>9} µs {:>8} {bar}\n",
            grouped(up_to as i64),
            grouped(count as i64)
        );
    }
    text
}
