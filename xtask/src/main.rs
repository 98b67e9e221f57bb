//! `cargo xtask test`: everything that must pass. The same command runs by hand and in CI.

mod instructions;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

const HELP: &str = "\
cargo xtask test       everything that must pass: format, clippy, tests, doc tests, documentation
cargo xtask quick      format and clippy alone
cargo xtask instructions [--update]   compares the instruction counts of fixed queries with the record, or renews it
cargo xtask soak [--minutes N]        crowds of every method for N minutes (10), every step checked, memory watched
cargo xtask pictures   draws the pictures of README and guide again";

/// A step of a task: a name for the summary and the arguments of cargo.
struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const fn step(name: &'static str, arguments: &'static [&'static str]) -> Step {
    Step {
        name,
        arguments,
        environment: &[],
    }
}

const FORMAT: Step = step("format", &["fmt", "--all", "--check"]);
const CLIPPY: Step = step(
    "clippy",
    &[
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "-D",
        "warnings",
    ],
);
const TESTS: Step = step(
    "tests and doc tests",
    &["test", "--workspace", "--all-features", "--no-fail-fast"],
);
const DOCUMENTATION: Step = Step {
    name: "documentation",
    arguments: &["doc", "--workspace", "--all-features", "--no-deps"],
    environment: &[("RUSTDOCFLAGS", "-D warnings")],
};

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let done = match task.as_deref() {
        Some("test") => test(),
        Some("quick") => run(&[FORMAT, CLIPPY]),
        Some("pictures") => pictures(),
        Some("soak") => match minutes() {
            Ok(minutes) => soak(minutes),
            Err(found) => {
                eprintln!(
                    "error: `soak {found}`; expected `soak` or `soak --minutes N` with N from 0.1 to 10000"
                );
                return ExitCode::from(2);
            }
        },
        Some("instructions") => {
            instructions::check(std::env::args().any(|argument| argument == "--update"))
        }
        Some("--help" | "-h" | "help") => {
            println!("{HELP}");
            true
        }
        other => {
            let found = other.unwrap_or("nothing");
            eprintln!(
                "error: unknown task `{found}`; expected one of: test, quick, soak, pictures, instructions"
            );
            return ExitCode::from(2);
        }
    };
    ExitCode::from(if done { 0 } else { 1 })
}

fn test() -> bool {
    install_components();
    let passed = run(&[FORMAT, CLIPPY, TESTS, DOCUMENTATION]);
    println!("==> instruction counts");
    let passed = instructions::check(false) && passed;
    match std::env::var("WAYPOST_MAPS") {
        Ok(folder) if Path::new(&folder).is_dir() => println!("real maps: {folder}"),
        Ok(folder) => println!(
            "skipped: tests on real maps (WAYPOST_MAPS is `{folder}`, which is not a folder)"
        ),
        Err(_) => println!(
            "skipped: tests on real maps (set WAYPOST_MAPS to a folder of MovingAI .map and .map.scen files to run them)"
        ),
    }
    passed
}

/// How long to soak: ten minutes unless told.
fn minutes() -> Result<f64, String> {
    let words: Vec<String> = std::env::args().skip(2).collect();
    let number = match words.as_slice() {
        [] => return Ok(10.0),
        [flag, number] if flag == "--minutes" => number,
        other => return Err(other.join(" ")),
    };
    let parsed = number.parse().ok();
    parsed
        .filter(|minutes| (0.1..=10_000.0).contains(minutes))
        .ok_or_else(|| words.join(" "))
}

/// Crowds of every method, one after the other, until the time is up.
fn soak(minutes: f64) -> bool {
    let minutes = minutes.to_string();
    let arguments = [
        "test",
        "--release",
        "-p",
        "waypost",
        "--test",
        "crowd_soak",
        "--",
        "--nocapture",
    ];
    cargo(&arguments, &[("WAYPOST_SOAK_MINUTES", &minutes)])
}

/// Runs the steps in order, all of them even after a failure, and sums up.
fn run(steps: &[Step]) -> bool {
    let mut summary = Vec::new();
    for step in steps {
        println!("==> {}: cargo {}", step.name, step.arguments.join(" "));
        let begun = Instant::now();
        let passed = cargo(step.arguments, step.environment);
        summary.push((step.name, passed, begun.elapsed().as_secs()));
    }
    println!("\nsummary");
    for (name, passed, seconds) in &summary {
        let verdict = if *passed { "passed" } else { "FAILED" };
        println!("  {name:<20} {verdict}  {seconds:>4} s");
    }
    summary.iter().all(|(_, passed, _)| *passed)
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> bool {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let status = Command::new(program)
        .args(arguments)
        .envs(environment.iter().copied())
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("error: cargo did not start: {error}");
            false
        }
    }
}

/// Toolchains come without rustfmt and clippy at times: asks rustup for what is missing.
fn install_components() {
    for (component, command) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        let quiet = |program: &str, arguments: &[&str]| {
            Command::new(program)
                .args(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        if quiet("cargo", &[command, "--version"]) {
            continue;
        }
        println!("==> installing {component}");
        if !quiet("rustup", &["component", "add", component]) {
            eprintln!(
                "error: {component} is missing and rustup could not add it; install it with your Rust toolchain"
            );
        }
    }
}

/// The pictures of README and guide, made by the program itself.
fn pictures() -> bool {
    let waypost = |arguments: &[&str]| {
        let run: Vec<&str> = ["run", "--release", "--quiet", "--"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        cargo(&run, &[])
    };
    waypost(&["demo", "--out", "target/demo"])
        && std::fs::copy("target/demo/search.png", "docs/search.png").is_ok()
        && cargo(
            &[
                "run",
                "--release",
                "--quiet",
                "-p",
                "waypost-lab",
                "--example",
                "label_pictures",
            ],
            &[],
        )
}
