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

/// What `--help` prints, of the program or of a command.
pub fn run(args: &HelpArgs) -> Result<Report> {
    let program = Cli::command();
    let name = args.command.as_deref();
    if let Some(name) = name.filter(|name| program.find_subcommand(name).is_none()) {
        let known: Vec<&str> = program.get_subcommands().map(|c| c.get_name()).collect();
        bail!(
            "unknown command `{name}`; {}",
            names::expected(name, &known)
        );
    }
    let words = [Some("waypost"), name, Some("--help")];
    // To the parser, words that ask for help are an error whose text is the help.
    let asked = program.try_get_matches_from(words.into_iter().flatten());
    let text = asked
        .err()
        .map_or(String::new(), |help| help.render().to_string());
    Ok(Report::done(json!({ "help": text }), text))
}
