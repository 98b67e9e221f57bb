//! What takes hours: before a release, and at night.

use crate::arguments::Arguments;
use crate::steps::{Outcome, Steps, cargo, succeeds};
use crate::{Answer, attack, checks, platforms};
use std::process::Command;

/// Every part, each a step of the summary.
pub fn full(arguments: &Arguments) -> Answer {
    let minutes = arguments.minutes(60.0, &["--only"])?;
    let mut steps = Steps::only(arguments.only());
    checks::format_and_clippy(&mut steps);
    steps.cargo(
        "tests in debug",
        &["test", "--workspace", "--all-features", "--no-fail-fast"],
    );
    steps.cargo(
        "tests in release",
        &[
            "test",
            "--release",
            "--workspace",
            "--all-features",
            "--no-fail-fast",
        ],
    );
    steps.cargo(
        "tests without threads",
        &[
            "test",
            "-p",
            "waypost",
            "--no-default-features",
            "--no-fail-fast",
        ],
    );
    checks::documentation(&mut steps);
    steps.run("spelling", checks::spelling);
    features(&mut steps);
    packages(&mut steps);
    steps.run("oldest toolchain", oldest_toolchain);
    on_platforms(&mut steps);
    steps.run("attack", || attack::run_attack(minutes, &[]).into());
    attack::run_sanitized(&mut steps, minutes / 2.0, &[]);
    attack::run_fuzz(&mut steps, minutes);
    steps.run("soak", || attack::run_soak(minutes).into());
    Ok(steps.sum_up())
}

/// The golden digests on other platforms, alone.
pub fn platforms() -> bool {
    let mut steps = Steps::default();
    on_platforms(&mut steps);
    steps.sum_up()
}

fn on_platforms(steps: &mut Steps) {
    for platform in platforms::PLATFORMS {
        steps.run(&format!("golden digests on {}", platform.name), || {
            platforms::digests(platform)
        });
    }
}

/// Every combination of the features of the engine builds and passes clippy.
fn features(steps: &mut Steps) {
    let names = features_of_engine();
    for set in 0..1u32 << names.len() {
        let chosen: Vec<&str> = names
            .iter()
            .enumerate()
            .filter(|(bit, _)| set >> bit & 1 == 1)
            .map(|(_, name)| name.as_str())
            .collect();
        let list = chosen.join(",");
        steps.cargo(
            &format!("features [{list}]"),
            &[
                "clippy",
                "-p",
                "waypost",
                "--lib",
                "--no-default-features",
                "--features",
                &list,
                "--",
                "-D",
                "warnings",
            ],
        );
    }
}

/// The features in the engine's manifest, `default` aside.
fn features_of_engine() -> Vec<String> {
    let manifest = std::fs::read_to_string("crates/waypost/Cargo.toml").unwrap_or_default();
    manifest
        .lines()
        .skip_while(|line| line.trim() != "[features]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim().to_string())
        .filter(|name| name != "default")
        .collect()
}

/// Crates that are published, in the order in which they are.
const PUBLISHED: [&str; 6] = [
    "waypost",
    "waypost-lab",
    "waypost-play",
    "waypost-cli",
    "waypost-capi",
    "bevy_waypost",
];

/// The packages of all published crates are made and built from their own files.
fn packages(steps: &mut Steps) {
    let mut arguments = vec!["package", "--allow-dirty"];
    for name in PUBLISHED {
        arguments.extend(["-p", name]);
    }
    steps.cargo("packages", &arguments);
}

/// The toolchain that the manifest names builds everything.
fn oldest_toolchain() -> Outcome {
    let manifest = std::fs::read_to_string("Cargo.toml").unwrap_or_default();
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "))
        .map(|version| version.trim_matches('"').to_string());
    let Some(version) = version else {
        eprintln!("error: Cargo.toml names no rust-version");
        return Outcome::Failed;
    };
    let current = Command::new("rustc").arg("--version").output();
    let current = current.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    if current.is_ok_and(|text| text.starts_with(&format!("rustc {version}."))) {
        println!("the toolchain at hand is the oldest, {version}");
        return cargo(&["check", "--workspace", "--all-features"], &[]).into();
    }
    let toolchain = format!("+{version}");
    if !succeeds("cargo", &[&toolchain, "--version"]) {
        println!(
            "skipped: toolchain {version} is not installed (rustup toolchain install {version})"
        );
        return Outcome::Skipped;
    }
    let arguments = [
        "check",
        "--workspace",
        "--all-features",
        "--target-dir",
        "target/oldest",
    ];
    let status = Command::new("cargo")
        .arg(toolchain)
        .args(arguments)
        .status();
    status.is_ok_and(|status| status.success()).into()
}
