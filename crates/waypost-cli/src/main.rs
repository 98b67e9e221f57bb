//! The command `waypost`: arguments, files, progress bars, printing, exit codes. Everything else is in the libraries.

mod algo;
mod arguments;
mod bar;
mod catalogue;
mod commands;
mod files;
mod machine;
mod mapped;
mod memory;
mod place;
mod report;
mod separators;
mod shell;
mod steady;
mod usage;
mod words;

use clap::Parser;
use commands::Command;
use std::process::ExitCode;

/// Pathfinding for game maps, with a published bound on the work of every move.
#[derive(Parser)]
#[command(name = "waypost", version, after_help = usage::EXAMPLES, disable_help_subcommand = true, max_term_width = 110)]
struct Cli {
    /// Print one JSON document on standard output and nothing else there.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::answer(&error),
    };
    match cli.command.run(cli.json).and_then(|r| r.print(cli.json)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}", report::one_line(&words::error(&error)));
            ExitCode::from(report::BAD_INPUT)
        }
    }
}
