//! The plugin for Bevy, measured: beside the bare crowd, and beside bevy_northstar.

use crate::Answer;
use crate::arguments::Arguments;
use crate::steps::cargo;

/// The bench of the plugin, or with `--northstar` the comparison, which is outside the workspace.
pub fn measure(arguments: &Arguments) -> Answer {
    match arguments.words()[..] {
        [] => Ok(cargo(
            &["bench", "-p", "bevy_waypost", "--bench", "cost"],
            &[],
        )),
        ["--northstar", ref numbers @ ..] => Ok(northstar(numbers)),
        ref other => Err(format!("`{}`", other.join(" "))),
    }
}

/// The whole of Bevy asks for a newer toolchain than the parts of it that are built here need.
fn northstar(numbers: &[&str]) -> bool {
    let mut arguments = vec![
        "run",
        "--release",
        "--quiet",
        "--ignore-rust-version",
        "--manifest-path",
        "benches/northstar/Cargo.toml",
        "--target-dir",
        "target/northstar",
        "--",
    ];
    arguments.extend(numbers);
    cargo(&arguments, &[])
}
