//! The plugin for Bevy: measured beside the bare crowd and beside bevy_northstar, and shown in a window.

use crate::Answer;
use crate::arguments::Arguments;
use crate::steps::cargo;

/// The bench of the plugin; with `--northstar` the comparison and with `--window` the windowed example, which are both outside the workspace.
pub fn measure(arguments: &Arguments) -> Answer {
    match arguments.words()[..] {
        [] => Ok(cargo(
            &["bench", "-p", "bevy_waypost", "--bench", "cost"],
            &[],
        )),
        ["--northstar", ref numbers @ ..] => Ok(outside(
            "run",
            "benches/northstar/Cargo.toml",
            "target/northstar",
            numbers,
        )),
        ["--window"] => Ok(windowed("run")),
        ["--window", "--check"] => Ok(windowed("check")),
        ref other => Err(format!("`{}`", other.join(" "))),
    }
}

fn windowed(command: &str) -> bool {
    let manifest = "crates/bevy_waypost/windowed/Cargo.toml";
    outside(command, manifest, "target/windowed", &[])
}

/// Packages that depend on more of Bevy than its parts, which as a whole asks for a newer toolchain: whether the one that is here
/// can do it is left to the compiler.
fn outside(command: &str, manifest: &str, target: &str, numbers: &[&str]) -> bool {
    let mut arguments = vec![
        command,
        "--release",
        "--quiet",
        "--ignore-rust-version",
        "--manifest-path",
        manifest,
        "--target-dir",
        target,
    ];
    if !numbers.is_empty() {
        arguments.push("--");
        arguments.extend(numbers);
    }
    cargo(&arguments, &[])
}
