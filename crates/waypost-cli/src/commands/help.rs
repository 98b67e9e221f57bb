//! `waypost help`.

use crate::Cli;
use crate::report::Report;
use anyhow::{Result, bail};
use clap::{Args, CommandFactory};
use serde_json::json;
use waypost::names;

/// Prints help.
#[derive(Args)]
#[command(after_help = "Examples:\n  waypost help\n  waypost help solve")]
pub struct HelpArgs {
    /// The command.
    command: Option<String>,
}

/// The long help of the program or of a command.
pub fn run(args: &HelpArgs) -> Result<Report> {
    let mut program = Cli::command();
    program.build();
    let Some(name) = &args.command else {
        let text = program.render_long_help().to_string();
        return Ok(Report::done(json!({ "help": text }), text));
    };
    let Some(command) = program.find_subcommand_mut(name) else {
        let known: Vec<&str> = program.get_subcommands().map(|c| c.get_name()).collect();
        bail!("unknown command `{name}`; {}", names::expected(name, &known));
    };
    let text = command.render_long_help().to_string();
    Ok(Report::done(json!({ "help": text }), text))
}
