//! The attack: what a hostile or careless world does to Waypost, made from numbers.
//!
//! A **case** is a seed. The same seed is the same attack on every machine, so a number is all that a report of a failure
//! needs: `cargo xtask attack --target NAME --case SEED`. A case that finds nothing says how much it tried ([`Work`]); one
//! that finds something says what. Panics count as findings.
//!
//! Judgements are made by the test kit, which shares no code with the engine: its own map, its own rules, its own checker.
//! Everything here that depends on how agents and crowds are driven is in [`adapter`].

pub mod adapter;
mod agents;
mod artifacts;
mod command_line;
mod crowds;
mod kills;
mod large_crowds;
mod nav_files;
mod parsers;
mod scene;

use std::ops::AddAssign;
use std::path::PathBuf;

/// What a case did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Files read, agents asked to start, commands run: whatever the target counts.
    pub executions: u64,
    /// Moves of agents and walkers, every one judged.
    pub moves: u64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.executions += other.executions;
        self.moves += other.moves;
    }
}

/// What a case found, or how much it did.
pub type Verdict = Result<Work, String>;

/// What is attacked.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Cases of the slice that the tests run.
    pub slice: u64,
    /// Runs the case of a seed.
    pub run: fn(&Arena, u64) -> Verdict,
}

/// What cases need of the outside.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// The program under test; targets that need it do nothing where there is none.
    pub binary: Option<PathBuf>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "parsers",
        about: "maps, scenarios, patches, images, Tiled maps, graphs and specs, damaged",
        slice: 40_000,
        run: parsers::case,
    },
    Target {
        name: "artifacts",
        about: "index files of every kind with forged contents and a right checksum, opened and walked with",
        slice: 20_000,
        run: artifacts::case,
    },
    Target {
        name: "nav-files",
        about: ".nav files with forged lists and indexes and right checksums, opened, asked for paths, leading crowds",
        slice: 5_000,
        run: nav_files::case,
    },
    Target {
        name: "agents",
        about: "the agent protocol: maps, rules, patches, teleports, restarts, several worlds, renewals",
        slice: 1_500,
        run: agents::case,
    },
    Target {
        name: "crowds",
        about: "crowds under patches, new goals, followers, removals",
        slice: 200,
        run: crowds::case,
    },
    Target {
        name: "large-crowds",
        about: "crowds of up to 10,000 for thousands of ticks, a patch every 20",
        slice: 1,
        run: large_crowds::case,
    },
    Target {
        name: "command-line",
        about: "odd arguments and files, given to the program",
        slice: 120,
        run: command_line::case,
    },
    Target {
        name: "kills",
        about: "builds that are ended at random moments by INT, TERM, HUP and KILL",
        slice: 2,
        run: kills::case,
    },
];

/// Runs a case; a panic is a finding.
pub fn run(target: &Target, arena: &Arena, seed: u64) -> Verdict {
    let outcome = std::panic::catch_unwind(|| (target.run)(arena, seed));
    outcome.unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("no message")))
    })
}

/// Runs the slice of a target, and stops at the first finding.
pub fn run_slice(name: &str, arena: &Arena) -> Verdict {
    let target = TARGETS
        .iter()
        .find(|target| target.name == name)
        .ok_or_else(|| format!("no target `{name}`"))?;
    let mut sum = Work::default();
    for seed in 0..target.slice {
        let again = format!("cargo xtask attack --target {name} --case {seed}");
        sum += run(target, arena, seed).map_err(|found| format!("{again}\n{found}"))?;
    }
    Ok(sum)
}
