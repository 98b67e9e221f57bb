//! Attacks that go on for as long as they are given.

use crate::Answer;
use crate::arguments::Arguments;
use crate::steps::{Outcome, Steps, cargo, succeeds};

/// The structured fuzzer, built for speed, on the program built for speed.
pub fn attack(arguments: &Arguments) -> Answer {
    let minutes = arguments.minutes(10.0, &["--seed", "--target", "--case"])?;
    Ok(run_attack(minutes, &arguments.words()))
}

/// Runs the fuzzer; `words` may name a seed, a target or a case.
pub fn run_attack(minutes: f64, words: &[&str]) -> bool {
    if !cargo(&["build", "--release", "-p", "waypost-cli"], &[]) {
        return false;
    }
    let minutes = minutes.to_string();
    let binary = format!("target/release/waypost{}", std::env::consts::EXE_SUFFIX);
    let Ok(binary) = std::path::Path::new(&binary).canonicalize() else {
        eprintln!("error: {binary} is not there after its build");
        return false;
    };
    let binary = binary.to_string_lossy();
    let mut run = vec!["run", "--release", "--quiet", "-p", "waypost-attack", "--"];
    run.extend(["--binary", &binary]);
    run.extend(words);
    if !words.contains(&"--minutes") {
        run.extend(["--minutes", &minutes]);
    }
    cargo(&run, &[])
}

/// Targets of cargo-fuzz.
const FUZZ_TARGETS: [&str; 7] = ["map", "scen", "png", "tiled", "graph", "spec", "artifact"];

/// cargo-fuzz with the address sanitizer, the time shared by all targets.
pub fn fuzz(arguments: &Arguments) -> Answer {
    let minutes = arguments.minutes(10.0, &[])?;
    let mut steps = Steps::default();
    run_fuzz(&mut steps, minutes);
    Ok(steps.sum_up())
}

/// Adds the targets as steps.
pub fn run_fuzz(steps: &mut Steps, minutes: f64) {
    if !succeeds("cargo", &["fuzz", "--version"]) {
        steps.run("fuzzing", || {
            println!("skipped: cargo-fuzz is not installed (cargo install cargo-fuzz)");
            Outcome::Skipped
        });
        return;
    }
    let seconds = (60.0 * minutes / FUZZ_TARGETS.len() as f64).ceil() as u64;
    let time = format!("-max_total_time={seconds}");
    for target in FUZZ_TARGETS {
        // A stable toolchain builds with the sanitizer where it is told that it may.
        steps.cargo_with(
            &format!("fuzzing {target}"),
            &[
                "fuzz",
                "run",
                target,
                "--",
                &time,
                "-timeout=20",
                "-rss_limit_mb=2000",
            ],
            &[("RUSTC_BOOTSTRAP", "1")],
        );
    }
}

/// Crowds of every method, one after the other, until the time is up.
pub fn soak(arguments: &Arguments) -> Answer {
    Ok(run_soak(arguments.minutes(10.0, &[])?))
}

/// The soak for some minutes.
pub fn run_soak(minutes: f64) -> bool {
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
