//! Help texts, and bad usage in one line.

use clap::error::{Error, ErrorKind};
use std::process::ExitCode;

use crate::report::BAD_INPUT;

/// The end of `waypost --help`.
pub const EXAMPLES: &str = "\
Examples:
  waypost demo                               the tour: an index, all algorithms, a film, a report
  waypost gen caves                          makes caves.map
  waypost scen caves.map                     makes caves.scen: problems with optimal lengths
  waypost solve caves.map --from random --to random --png path.png
  waypost build auto caves.map -o caves.auto     an index, built once and shipped with the map
  waypost bench caves.map --scen caves.scen --algo 'waypost;astar;tba:slice=50'
  waypost crowd caves.map --agents 200 --ticks 300 --index caves.auto --gif crowd.gif

Maps are MovingAI .map files, PNG images or Tiled maps; `-` reads a .map from standard input.
Exit codes: 0 done; 1 a negative answer (no path, a check failed); 2 bad usage or bad input.
`waypost algorithms` and `waypost indexes` list names, keys and defaults; `-h` is short, `--help` is long.";

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
