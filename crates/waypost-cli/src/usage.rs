//! Help texts, and bad usage in one line.

use clap::error::{Error, ErrorKind};
use clap::{Command, CommandFactory};
use std::process::ExitCode;

use crate::Cli;
use crate::report::BAD_INPUT;
use crate::separators;
use waypost::spec::ALGORITHMS;

/// The end of `waypost --help`.
pub const EXAMPLES: &str = "\
Examples:
  waypost demo                           # the tour: an index, all algorithms, a film, a report
  waypost gen caves                      # makes caves.map
  waypost scen caves.map                 # makes caves.scen: problems with optimal lengths
  waypost solve caves.map --from random --to random --png path.png
  waypost build auto caves.map -o caves.auto   # an index, built once and shipped with the map
  waypost bench caves.map --scen caves.scen --algo 'waypost;astar;tba:slice=50'
  waypost crowd caves.map --agents 200 --ticks 300 --index caves.auto --gif crowd.gif

Maps are MovingAI .map files, PNG images, Tiled maps or LDtk projects; `-` is standard input.
Exit codes: 0 done; 1 a negative answer (no path, a check failed); 2 bad usage or bad input.";

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
            let command = command_among(&Cli::command(), std::env::args().skip(1));
            let mut line = one_line_of(&error.render().to_string(), command.as_deref());
            if error.kind() == ErrorKind::UnknownArgument
                && let Some(advice) = several_algorithms(std::env::args().skip(1))
            {
                line = advice;
            }
            eprintln!("{line}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// The command that the arguments name, if they name one.
fn command_among(program: &Command, arguments: impl Iterator<Item = String>) -> Option<String> {
    let mut words = arguments.filter(|word| !word.starts_with('-'));
    let first = words.next()?;
    program.find_subcommand(&first).map(|_| first)
}

/// What to say where `--algo` is followed by several algorithms, of which the parser takes the first alone.
fn several_algorithms(arguments: impl Iterator<Item = String>) -> Option<String> {
    let after = arguments.skip_while(|word| word != "--algo").skip(1);
    let is_spec = |word: &String| {
        let name = word.split([':', ';']).next().unwrap_or(word);
        ALGORITHMS.iter().any(|algorithm| algorithm.name == name)
    };
    let specs: Vec<String> = after.take_while(is_spec).collect();
    (specs.len() > 1).then(|| {
        format!(
            "error: --algo {}: expected `;` between algorithms: --algo '{}'",
            specs.join(" "),
            specs.join(";")
        )
    })
}

/// Joins the paragraphs of the parser's message, without the usage summary. Its help is that of the command in the summary, or of this
/// one where there is no summary.
fn one_line_of(message: &str, command: Option<&str>) -> String {
    let mut line = String::new();
    let mut help = command.unwrap_or("--help");
    for part in message.lines().map(str::trim).filter(|l| !l.is_empty()) {
        // What looks like a flag is one.
        let is_noise = part.starts_with("tip: to pass ") && part.contains("as a value, use");
        if part.starts_with("For more information") || is_noise {
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
        line += &plain(part.strip_prefix("tip: ").unwrap_or(part));
    }
    if line.contains("arguments were not provided: --scen ") {
        line += "; `waypost scen MAP -o FILE` makes a file of problems for a map";
    }
    if help == "lab" && line.contains("not provided: <EXPERIMENT>") {
        line += "; `waypost lab list` names the experiments";
    }
    if help == "gen" && line.contains("'--size'") {
        line += "; --width and --height say how large the map is";
    }
    match help {
        "--help" => line + "; see `waypost --help`",
        command => line + &format!("; see `waypost {command} --help`"),
    }
}

/// A paragraph in words of people: what was expected, not why a parser of numbers gave up.
fn plain(part: &str) -> String {
    let words = [
        ("invalid digit found in string", "expected a whole number"),
        (
            "cannot parse integer from empty string",
            "expected a whole number",
        ),
        ("invalid float literal", "expected a number"),
        ("cannot parse float from empty string", "expected a number"),
        (
            "number would be zero for non-zero type",
            "expected 1 or more",
        ),
        (
            "number too large to fit in target type",
            "the number is too large",
        ),
    ];
    let mut part = part.to_string();
    for (parser, people) in words {
        part = part.replace(parser, people);
    }
    let value = part.split_once("invalid value '");
    let value = value.and_then(|(_, rest)| rest.split_once('\''));
    if let Some(meant) = value.and_then(|(value, _)| separators::ungrouped(value)) {
        return part.replace(
            "expected a whole number",
            &format!("write numbers without commas: {meant}"),
        );
    }
    let Some((before, range)) = part.split_once(" is not in ") else {
        return part;
    };
    let Some((named, _)) = before.rsplit_once(": ") else {
        return part;
    };
    match range.split_once("..") {
        Some((least, "")) => format!("{named}: expected {least} or more"),
        Some((least, most)) => {
            let most = most.trim_start_matches('=');
            format!("{named}: expected {least} to {most}")
        }
        None => part,
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
            one_line_of(message, None),
            "error: unexpected argument '--frm' found; a similar argument exists: '--from'; see `waypost solve --help`"
        );
        let message = "error: invalid value 'rnd' for '--from <X,Y>': expected X,Y\n\nFor more information, try '--help'.\n";
        assert_eq!(
            one_line_of(message, Some("range")),
            "error: invalid value 'rnd' for '--from <X,Y>': expected X,Y; see `waypost range --help`"
        );
    }

    #[test]
    fn numbers_are_asked_for_in_words_of_people() {
        let message = "error: invalid value '0' for '--size <N>': 0 is not in 1..=64\n";
        assert_eq!(
            one_line_of(message, Some("solve")),
            "error: invalid value '0' for '--size <N>': expected 1 to 64; see `waypost solve --help`"
        );
        assert_eq!(
            plain("error: invalid value '0' for '--ticks <T>': 0 is not in 1.."),
            "error: invalid value '0' for '--ticks <T>': expected 1 or more"
        );
        assert_eq!(
            plain("error: invalid value 'x' for '--size <N>': invalid digit found in string"),
            "error: invalid value 'x' for '--size <N>': expected a whole number"
        );
        assert_eq!(
            plain("error: invalid value '1,000' for '--agents <N>': invalid digit found in string"),
            "error: invalid value '1,000' for '--agents <N>': write numbers without commas: 1000"
        );
        let untouched = "error: invalid value 'q is not in 3' for '--algo'";
        assert_eq!(plain(untouched), untouched);
    }

    #[test]
    fn who_wants_problems_is_told_who_makes_them() {
        let message = "error: the following required arguments were not provided:\n  --scen <FILE>\n\n\
                       Usage: waypost bench --scen <FILE> <MAP>\n";
        assert!(one_line_of(message, None).contains("waypost scen MAP -o FILE"));
    }

    #[test]
    fn several_algorithms_behind_one_flag_are_seen() {
        let advice = |words: &str| several_algorithms(words.split(' ').map(str::to_string));
        let several = advice("bench m.map --algo astar tba:slice=50 --scen m.scen");
        assert!(several.is_some_and(|line| line.contains("--algo 'astar;tba:slice=50'")));
        assert_eq!(advice("bench --algo astar m.map --scen m.scen"), None);
        assert_eq!(advice("bench m.map tba"), None);
    }

    #[test]
    fn the_command_is_the_first_word() {
        let named = |words: &str| {
            let words = words.split(' ').map(str::to_string);
            command_among(&Cli::command(), words)
        };
        assert_eq!(named("--json solve m.map"), Some("solve".to_string()));
        assert_eq!(named("slove m.map"), None);
        assert_eq!(named("--jsn"), None);
    }
}
