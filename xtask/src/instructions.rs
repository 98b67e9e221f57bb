//! Counts the instructions of fixed sets of queries and compares them with the record.
//!
//! Times wander on shared machines; instruction counts do not. `crates/waypost/examples/instructions.rs` runs the queries of
//! one algorithm on generated maps; callgrind counts what happens inside them. The counts belong to one version of the
//! compiler, which the record names: with another one they are printed and not compared.

use crate::steps::cargo;
use crate::tools::VALGRIND;
use std::path::Path;
use std::process::Command;

/// `SPEC COUNT` a line, after a line with the compiler's version.
const RECORD: &str = "xtask/instructions.txt";
/// What is counted.
const SPECS: [&str; 5] = [
    "astar",
    "astar:landmarks=10",
    "dijkstra",
    "jps",
    "jump-graph",
];
/// How much more than recorded is a failure, in percent.
const TOLERANCE_PERCENT: u64 = 10;

/// Counts and compares, or writes the record again. False where a count has grown too much or could not be taken.
pub fn check(update: bool) -> bool {
    if !VALGRIND.is_there_or_installed() {
        println!("skipped: instruction counts (valgrind is not installed; install it to run them)");
        return true;
    }
    let built = cargo(
        &[
            "build",
            "--release",
            "-p",
            "waypost",
            "--example",
            "instructions",
        ],
        &[],
    );
    if !built {
        return false;
    }
    let counted: Option<Vec<_>> = SPECS
        .into_iter()
        .map(|spec| Some((spec, count(spec)?)))
        .collect();
    let Some(counts) = counted else {
        return false;
    };
    if update {
        return write(&counts);
    }
    compare(&counts)
}

/// The instructions of one algorithm's queries.
fn count(spec: &str) -> Option<u64> {
    let program = "target/release/examples/instructions";
    collected("*measured_queries*", program, spec)
}

/// The instructions that a program with one argument spends in the functions of a name, on one thread: what others do for it is not seen.
pub fn collected(functions: &str, program: &str, argument: &str) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={functions}"))
        .args([program, argument])
        .env("RAYON_NUM_THREADS", "1")
        .output();
    let text = match output {
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => {
            eprintln!("error: valgrind did not start: {error}");
            return None;
        }
    };
    let number = text
        .lines()
        .find_map(|line| line.split("Collected :").nth(1));
    let count = number.and_then(|text| text.trim().parse().ok());
    if count.is_none() {
        eprintln!("error: no instruction count for `{argument}`; valgrind said:\n{text}");
    }
    count
}

fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
    let machine = std::env::consts::ARCH;
    format!(
        "{}, {machine}",
        text.unwrap_or_else(|_| "unknown".to_string())
    )
}

fn write(counts: &[(&str, u64)]) -> bool {
    let mut text = format!("{}\n", compiler());
    for (spec, count) in counts {
        text += &format!("{spec} {count}\n");
    }
    println!("{text}");
    match std::fs::write(Path::new(RECORD), text) {
        Ok(()) => true,
        Err(error) => {
            eprintln!("error: {RECORD} cannot be written: {error}");
            false
        }
    }
}

fn compare(counts: &[(&str, u64)]) -> bool {
    let record = std::fs::read_to_string(RECORD).unwrap_or_default();
    let mut lines = record.lines();
    let same_compiler = lines.next() == Some(compiler().as_str());
    if !same_compiler {
        println!(
            "instruction counts are not compared: they were recorded with another compiler than {} ({RECORD})",
            compiler()
        );
    }
    let recorded: Vec<(&str, u64)> = lines
        .filter_map(|line| line.rsplit_once(' '))
        .filter_map(|(spec, count)| Some((spec, count.parse().ok()?)))
        .collect();
    let mut passed = true;
    for &(spec, count) in counts {
        let before = recorded.iter().find(|(known, _)| *known == spec);
        let Some(&(_, before)) = before else {
            println!("  {spec:<24} {count:>14}  not in the record");
            passed &= !same_compiler;
            continue;
        };
        let change = (count as f64 / before.max(1) as f64 - 1.0) * 100.0;
        println!("  {spec:<24} {count:>14}  recorded {before:>14}  {change:+.2}%");
        if same_compiler && count > before + before * TOLERANCE_PERCENT / 100 {
            passed = false;
        }
    }
    if !passed {
        eprintln!(
            "error: instruction counts have grown by more than {TOLERANCE_PERCENT}% or are not recorded; find out why, or accept them with `cargo xtask instructions --update`"
        );
    }
    passed
}
