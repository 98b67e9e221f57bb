//! Help texts, and bad usage in one line.

use clap::error::{Error, ErrorKind};
use std::process::ExitCode;
use waypost::index::INDEX_TYPES;
use waypost::spec::ALGORITHMS;

use crate::report::BAD_INPUT;

/// The end of `waypost --help`.
pub const EXAMPLES: &str = "\
Examples:
  waypost demo                                              the tour: a map, an index, all algorithms compared
  waypost gen caves --width 400 --height 300 -o caves.map
  waypost scen caves.map --count 200 -o caves.scen          problems with optimal lengths
  waypost solve caves.map --from 10,12 --to 380,250 --algo astar --png path.png
  waypost build sectors caves.map -o caves.sectors          an index, built once
  waypost bench caves.map --scen caves.scen --algo 'waypost;astar;tba:slice=50' --index caves.sectors
  waypost lab all-methods --quick                           a paper's experiment, or all methods, with a report

Maps are MovingAI .map files, PNG images or Tiled maps; `-` reads a .map from standard input.
Exit codes: 0 done; 1 a negative answer (no path, a check failed); 2 bad usage or bad input.
`waypost algorithms` and `waypost indexes` list names, keys and defaults.";

/// The algorithms and their keys, as a help text.
pub fn algorithms() -> String {
    let mut text = String::from("Algorithms, as NAME or NAME:KEY=VALUE,...\n");
    for algorithm in ALGORITHMS {
        text += &entry(algorithm.name, algorithm.about, algorithm.keys);
    }
    text
}

/// What `solve` and `bench` run where nothing else is asked for.
pub const DEFAULT_ALGORITHM: &str = "waypost";

/// The end of the help of commands that run algorithms.
pub fn solving() -> String {
    let examples = "\
Examples:
  waypost solve caves.map --from 10,12 --to 380,250 --algo tba:slice=50 --png path.png
  waypost bench caves.map --scen caves.scen --algo 'astar;lrta' --limit 100 --json

An index that an algorithm needs and no --index gives is built in memory.";
    format!("{}\n{examples}", algorithms())
}

/// The kinds of index and their parameters, as a help text.
pub fn indexes() -> String {
    let mut text = String::from("Indexes, with parameters as --KEY VALUE or --set KEY=VALUE\n");
    for index in INDEX_TYPES {
        text += &entry(index.kind.name(), index.about, index.keys);
    }
    text
}

fn entry(name: &str, about: &str, keys: &[(&str, &str)]) -> String {
    let mut text = format!("  {name:<14} {about}\n");
    for (key, about) in keys {
        text += &format!("      {key:<12} {about}\n");
    }
    text
}

/// Help goes to standard output; bad usage becomes one line on standard error that keeps the parser's suggestions.
pub fn answer(error: &Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // A reader of the help that has gone away needs no help.
            let _ = error.print();
            ExitCode::from(if error.use_stderr() { BAD_INPUT } else { 0 })
        }
        _ => {
            eprintln!("{}", one_line_of(&error.render().to_string()));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Joins the paragraphs of the parser's message, without the usage summary.
fn one_line_of(message: &str) -> String {
    let mut line = String::new();
    let mut help = "--help";
    for part in message.lines().map(str::trim).filter(|l| !l.is_empty()) {
        if part.starts_with("For more information") {
            continue;
        }
        if let Some(usage) = part.strip_prefix("Usage:") {
            help = usage
                .split_whitespace()
                .nth(1)
                .filter(|word| word.chars().all(|c| c.is_ascii_lowercase()))
                .unwrap_or(help);
            continue;
        }
        if !line.is_empty() {
            line += if line.ends_with(':') { " " } else { "; " };
        }
        line += part.strip_prefix("tip: ").unwrap_or(part);
    }
    match help {
        "--help" => line + "; see `waypost --help`",
        command => line + &format!("; see `waypost {command} --help`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_parser_become_one_line() {
        let message = "error: unexpected argument '--frm' found\n\n  tip: a similar argument exists: '--from'\n\n\
                       Usage: waypost solve --from <X,Y> <MAP>\n\nFor more information, try '--help'.\n";
        assert_eq!(
            one_line_of(message),
            "error: unexpected argument '--frm' found; a similar argument exists: '--from'; see `waypost solve --help`"
        );
    }
}
