//! `waypost crowd`.

use crate::arguments::{IndexArgs, MapArgs, ThreadArgs};
use crate::bar::Bar;
use crate::files::Output;
use crate::report::Report;
use crate::usage;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use waypost::crowd::Options;
use waypost::spec::AgentSpec;
use waypost_lab::crowd::{CrowdRun, Film, Plan, run as run_crowd};
use waypost_lab::table::{bytes, grouped, short};
use waypost_lab::workbench::Workbench;

/// Lets many agents walk between random goals, drawn anew on arrival, and times the ticks.
#[derive(Args)]
#[command(after_help = usage::solving())]
pub struct CrowdArgs {
    #[command(flatten)]
    map: MapArgs,

    /// How many agents.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    agents: usize,

    /// How many ticks.
    #[arg(long, value_name = "T", default_value_t = 1000)]
    ticks: u64,

    /// The algorithm.
    #[arg(long, value_name = "SPEC", default_value = "waypost")]
    algo: String,

    #[command(flatten)]
    indexes: IndexArgs,

    /// The seed of starts and goals.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Give all agents new goals at once, every so many ticks.
    #[arg(long, value_name = "T", default_value_t = 0)]
    rush_every: u64,

    /// Allow one agent a cell: others wait, step aside, plan again.
    #[arg(long)]
    exclusive: bool,

    /// Operations a tick for setting agents up for new goals; agents whose turn has not come step towards their goal.
    #[arg(long, value_name = "N", default_value_t = Options::default().set_up_operations)]
    set_up: u64,

    /// Draw the run as an animated GIF.
    #[arg(long, value_name = "OUT.gif")]
    gif: Option<PathBuf>,

    /// Threads; results do not depend on them.
    #[command(flatten)]
    threads: ThreadArgs,
}

/// Runs the crowd.
pub fn run(args: &CrowdArgs) -> Result<Report> {
    if args.agents == 0 || args.ticks == 0 {
        bail!("--agents and --ticks want at least 1");
    }
    let spec = AgentSpec::parse(&args.algo)?;
    let map = args.map.load()?;
    let output = args.gif.as_deref().map(Output::at).transpose()?;
    let mut bench = Workbench::new(args.indexes.open(&map)?);
    let plan = Plan {
        agents: args.agents,
        ticks: args.ticks,
        seed: args.seed,
        rush_every: args.rush_every,
        options: Options {
            set_up_operations: args.set_up,
            exclusive: args.exclusive,
            ..Options::default()
        },
    };
    let mut film = output.as_ref().map(|_| Film::new(map.grid(), args.ticks));
    let shown = args.threads.run(|| {
        let bar = Bar::default();
        bench.prepare(&map, &spec, &bar)?;
        Ok(run_crowd(&map, &spec, &bench, &plan, film.as_mut(), &bar)?)
    })?;
    if let (Some(output), Some(film)) = (&output, film) {
        output.write(&film.to_gif()?)?;
    }
    let bad = shown.illegal_moves > 0 || shown.collisions > 0;
    let text = describe(&spec, &shown);
    let mut json = serde_json::to_value(&shown)?;
    json["algo"] = json!(spec.to_string());
    Ok(Report::answer(json, text, bad))
}

fn describe(spec: &AgentSpec, run: &CrowdRun) -> String {
    let mut text = format!(
        "{spec}: {} agents, {} ticks, {} moves, {} goals reached, {} waits, {} provisional moves\n",
        grouped(run.agents as i64),
        grouped(run.ticks as i64),
        grouped(run.moves_total as i64),
        grouped(run.arrived as i64),
        grouped(run.waits as i64),
        grouped(run.provisional_moves as i64),
    );
    text += &format!(
        "tick: mean {} us, p99 {} us, p99.9 {} us, max {} us; {} ns a move\n",
        short(run.tick_us.mean),
        short(run.tick_us.p99),
        short(run.tick_us.p999),
        short(run.tick_us.max),
        short(run.move_ns.mean),
    );
    text += &format!(
        "processor: mean {} us, p99 {} us, p99.9 {} us, max {} us a tick; {} times bare climbing\n",
        short(run.tick_cpu_us.mean),
        short(run.tick_cpu_us.p99),
        short(run.tick_cpu_us.p999),
        short(run.tick_cpu_us.max),
        short(run.ratio_to_climbing),
    );
    text += &format!(
        "memory: {} shared, {} an agent; illegal moves: {}; collisions: {} in {} ticks checked\n\n",
        bytes(run.memory_bytes.shared),
        bytes(run.memory_bytes.per_agent),
        run.illegal_moves,
        run.collisions,
        grouped(run.collisions_checked as i64),
    );
    let most = run.tick_histogram.iter().map(|b| b.1).max().unwrap_or(1);
    for &(up_to, count) in &run.tick_histogram {
        let bar = "#".repeat((count * 50).div_ceil(most) as usize);
        text += &format!(
            "up to {:>9} us {:>8} {bar}\n",
            grouped(up_to as i64),
            grouped(count as i64)
        );
    }
    text
}
