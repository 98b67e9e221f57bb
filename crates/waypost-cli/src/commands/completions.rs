//! `waypost completions`.

use crate::Cli;
use crate::report::Report;
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use serde_json::json;

/// Prints the completions of a shell.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mkdir -p ~/.local/share/bash-completion/completions\n  waypost completions bash > ~/.local/share/bash-completion/completions/waypost\n  mkdir -p ~/.config/fish/completions\n  waypost completions fish > ~/.config/fish/completions/waypost.fish"
)]
pub struct CompletionsArgs {
    /// Which shell.
    shell: Shell,
}

/// Writes the script from the definitions of all arguments.
pub fn run(args: &CompletionsArgs) -> Result<Report> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "waypost", &mut script);
    let script = String::from_utf8(script)?;
    let json = json!({ "shell": args.shell.to_string(), "script": script });
    Ok(Report::done(json, script))
}
