//! The commands, one file each.

mod bench;
mod build;
mod check;
mod completions;
mod crowd;
mod demo;
mod gen_map;
mod graph;
mod help;
mod info;
mod lab;
mod list;
mod merge;
mod play;
mod range;
mod scale;
mod scen;
mod solve;
mod verify;

use crate::report::Report;
use anyhow::Result;
use clap::Subcommand;

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Facts about a map: size, passable cells, components, fingerprint.
    Info(info::InfoArgs),
    /// Make a map from a seed.
    Gen(gen_map::GenArgs),
    /// Make each cell of a map FACTOR x FACTOR cells.
    Scale(scale::ScaleArgs),
    /// Make problems with optimal lengths for a map.
    Scen(scen::ScenArgs),
    /// Recompute every optimal length of a scenario file.
    Check(check::CheckArgs),
    /// Build an index of a map.
    Build(build::BuildArgs),
    /// Join the shards of one build: byte for byte the file of a build in one go.
    Merge(merge::MergeArgs),
    /// Check an index file: checksum, version, structure, map.
    Verify(verify::VerifyArgs),
    /// Find one path, and draw it.
    Solve(solve::SolveArgs),
    /// Find all cells within a cost.
    Range(range::RangeArgs),
    /// Find one path on a graph of waypoints.
    Graph(graph::GraphArgs),
    /// Run algorithms over a scenario file and measure them.
    Bench(bench::BenchArgs),
    /// Let many agents walk at once and time the ticks.
    Crowd(crowd::CrowdArgs),
    /// Open the playground in the browser.
    Play(play::PlayArgs),
    /// Make the tables and figures of a paper again, beside the paper's own values.
    Lab(lab::LabArgs),
    /// The tour: a map, its index, a film of a crowd, all algorithms compared, a report.
    Demo(demo::DemoArgs),
    /// List the algorithms, or show the keys of one with examples.
    Algorithms(list::AlgorithmsArgs),
    /// List the kinds of index, or show the parameters of one with examples.
    Indexes(list::IndexesArgs),
    /// Print the completions of a shell.
    Completions(completions::CompletionsArgs),
    /// Print this help, or that of a command.
    Help(help::HelpArgs),
}

impl Command {
    /// Carries it out. `json`: what it says itself before it ends is a JSON document too.
    pub fn run(&self, json: bool) -> Result<Report> {
        match self {
            Command::Info(args) => info::run(args),
            Command::Gen(args) => gen_map::run(args),
            Command::Scale(args) => scale::run(args),
            Command::Scen(args) => scen::run(args),
            Command::Check(args) => check::run(args),
            Command::Build(args) => build::run(args),
            Command::Merge(args) => merge::run(args),
            Command::Verify(args) => verify::run(args),
            Command::Solve(args) => solve::run(args),
            Command::Range(args) => range::run(args),
            Command::Graph(args) => graph::run(args),
            Command::Bench(args) => bench::run(args),
            Command::Crowd(args) => crowd::run(args),
            Command::Play(args) => play::run(args, json),
            Command::Lab(args) => lab::run(args),
            Command::Demo(args) => demo::run(args),
            Command::Algorithms(args) => list::algorithms(args),
            Command::Indexes(args) => list::indexes(args),
            Command::Completions(args) => completions::run(args),
            Command::Help(args) => help::run(args),
        }
    }
}
