//! Attacks that go on for as long as they are given.

use crate::Answer;
use crate::arguments::Arguments;
use crate::steps::{Outcome, Steps, cargo, succeeds};
use std::process::Command;

/// The structured fuzzer, built for speed, on the program built for speed.
pub fn attack(arguments: &Arguments) -> Answer {
    let minutes = arguments.minutes(
        10.0,
        &["--seed", "--target", "--case", "--cases", "--threads"],
    )?;
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
    if !words.contains(&"--minutes") && !words.contains(&"--cases") {
        run.extend(["--minutes", &minutes]);
    }
    cargo(&run, &[])
}

/// Targets of the attack that read files: those that run under the sanitizer.
const READERS: [&str; 2] = ["parsers", "artifacts"];

/// The structured fuzzer's readers with the address sanitizer, the time shared.
pub fn sanitize(arguments: &Arguments) -> Answer {
    let others = ["--seed", "--cases", "--threads"];
    let minutes = arguments.minutes(10.0, &others)? / READERS.len() as f64;
    let mut steps = Steps::default();
    run_sanitized(&mut steps, minutes, &arguments.words());
    Ok(steps.sum_up())
}

/// Adds the readers as steps, some minutes each; `words` may name a seed, a number of cases or of threads.
pub fn run_sanitized(steps: &mut Steps, minutes: f64, words: &[&str]) {
    let Some(host) = host() else {
        eprintln!("error: rustc does not say for which platform it builds");
        return steps.run("sanitizer", || Outcome::Failed);
    };
    let minutes = minutes.to_string();
    for target in READERS {
        let mut run = vec!["run", "--release", "--quiet", "-p", "waypost-attack"];
        run.extend(["--target", &host, "--target-dir", "target/sanitizer", "--"]);
        run.extend(["--target", target]);
        let given = words.chunks(2).filter(|pair| pair[0] != "--minutes");
        run.extend(given.flatten());
        if !words.contains(&"--cases") {
            run.extend(["--minutes", &minutes]);
        }
        // A stable toolchain builds with the sanitizer where it is told that it may.
        let variables = [
            ("RUSTC_BOOTSTRAP", "1"),
            ("RUSTFLAGS", "-Zsanitizer=address"),
        ];
        steps.cargo_with(&format!("sanitizer: {target}"), &run, &variables);
    }
}

/// The platform that rustc builds for.
fn host() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "))?;
    Some(line.to_string())
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
        // What is found goes to the first folder, which is not kept; the second is read.
        let (corpus, seeds) = (
            format!("fuzz/corpus/{target}"),
            format!("fuzz/seeds/{target}"),
        );
        if let Err(error) = std::fs::create_dir_all(&corpus) {
            eprintln!("error: {corpus}: {error}");
        }
        // A stable toolchain builds with the sanitizer where it is told that it may.
        steps.cargo_with(
            &format!("fuzzing {target}"),
            &[
                "fuzz",
                "run",
                target,
                &corpus,
                &seeds,
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
