//! What must pass before anything is merged.

use crate::Answer;
use crate::arguments::Arguments;
use crate::instructions;
use crate::play;
use crate::python;
use crate::steps::{Outcome, Steps, succeeds};
use crate::tools;
use std::path::Path;

/// Format, clippy, and the tests that take seconds.
pub fn quick(_: &Arguments) -> Answer {
    let mut steps = Steps::default();
    format_and_clippy(&mut steps);
    steps.cargo(
        "unit tests",
        &[
            "test",
            "--lib",
            "--bins",
            "--workspace",
            "--all-features",
            "--quiet",
        ],
    );
    steps.cargo(
        "golden digests and loaders",
        &[
            "test",
            // Of all crates, as the step before: what it has built serves here too.
            "--workspace",
            "--all-features",
            "--test",
            "golden",
            "--test",
            "loaders",
            "--quiet",
        ],
    );
    Ok(steps.sum_up())
}

/// Everything that must pass.
pub fn test(arguments: &Arguments) -> Answer {
    arguments.expect(&["--only"])?;
    if is_built_once() {
        return test_without_incremental_files(arguments);
    }
    install_components();
    // Tests of the C library say for themselves what they skip.
    for tool in tools::LANGUAGES.iter().chain([&tools::VALGRIND]) {
        tool.is_there_or_installed();
    }
    let mut steps = Steps::only(arguments.only());
    format_and_clippy(&mut steps);
    steps.cargo(
        "tests and doc tests",
        &["test", "--workspace", "--all-features", "--no-fail-fast"],
    );
    play::add_step(&mut steps, false);
    documentation(&mut steps);
    steps.run("instruction counts", || instructions::check(false).into());
    python::add_steps(&mut steps);
    steps.run("spelling", spelling);
    let passed = steps.sum_up();
    match std::env::var("WAYPOST_MAPS") {
        Ok(folder) if Path::new(&folder).is_dir() => println!("real maps: {folder}"),
        Ok(folder) => println!(
            "skipped: tests on real maps (WAYPOST_MAPS is `{folder}`, which is not a folder)"
        ),
        Err(_) => println!(
            "skipped: tests on real maps (set WAYPOST_MAPS to a folder of MovingAI .map and .map.scen files to run them)"
        ),
    }
    Ok(passed)
}

/// Known misspellings in code and documents, by the tool `typos`.
pub fn spelling() -> Outcome {
    match python::tool("typos") {
        Ok(typos) => {
            let status = std::process::Command::new(typos).status();
            status.is_ok_and(|status| status.success()).into()
        }
        Err(outcome) => outcome,
    }
}

/// Whether nothing was built here before: then files that make the next build faster take room and time for nothing.
fn is_built_once() -> bool {
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_string());
    let kept = std::fs::read_dir(Path::new(&target).join("debug/incremental"));
    let is_engine = |name: &str| name.starts_with("waypost-");
    let was_built = kept.is_ok_and(|folders| {
        let mut names = folders.flatten().map(|folder| folder.file_name());
        names.any(|name| name.to_str().is_some_and(is_engine))
    });
    !was_built && std::env::var_os("CARGO_INCREMENTAL").is_none()
}

/// The same task again, in a process that tells all builds below it.
fn test_without_incremental_files(arguments: &Arguments) -> Answer {
    let again = std::env::current_exe().and_then(|program| {
        let mut command = std::process::Command::new(program);
        command.arg("test").args(arguments.words());
        command.env("CARGO_INCREMENTAL", "0").status()
    });
    again
        .map(|status| status.success())
        .map_err(|error| format!("the task did not start again: {error}"))
}

/// The golden digests, or their renewal.
pub fn golden(arguments: &Arguments) -> Answer {
    let update: &[(&str, &str)] = match arguments.words()[..] {
        [] => &[],
        ["--update"] => &[("WAYPOST_GOLDEN_UPDATE", "1")],
        ref other => return Err(format!("`{}`", other.join(" "))),
    };
    let tests = ["-p", "waypost", "-p", "waypost-lab", "--test", "golden"];
    let mut steps = Steps::default();
    let mut run = |name, flags: &[&str]| {
        let arguments = [&["test"], flags, &tests[..]].concat();
        steps.cargo_with(name, &arguments, update);
    };
    run("golden digests", &[]);
    if update.is_empty() {
        run("golden digests in release", &["--release"]);
        steps.cargo(
            "golden digests without threads",
            &[
                "test",
                "-p",
                "waypost",
                "--no-default-features",
                "--test",
                "golden",
            ],
        );
    }
    Ok(steps.sum_up())
}

/// The two that every task begins with.
pub fn format_and_clippy(steps: &mut Steps) {
    steps.cargo("format", &["fmt", "--all", "--check"]);
    steps.cargo(
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
}

/// Documentation without a warning.
pub fn documentation(steps: &mut Steps) {
    steps.cargo_with(
        "documentation",
        &["doc", "--workspace", "--all-features", "--no-deps"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    );
}

/// Toolchains come without rustfmt and clippy at times: asks rustup for what is missing.
fn install_components() {
    for (component, command) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if succeeds("cargo", &[command, "--version"]) {
            continue;
        }
        println!("==> installing {component}");
        if !succeeds("rustup", &["component", "add", component]) {
            eprintln!(
                "error: {component} is missing and rustup could not add it; install it with your Rust toolchain"
            );
        }
    }
}
