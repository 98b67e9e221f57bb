//! The golden digests on other platforms, as far as their standard libraries and emulators are here.

use crate::steps::{Outcome, cargo, succeeds};
use std::process::Command;

/// Another platform, and what runs its programs here.
pub struct Platform {
    /// What people call it.
    pub name: &'static str,
    target: &'static str,
    /// The ending of its programs' names.
    ending: &'static str,
    /// The variable that names its linker, and the linker, where the compiler has none of its own.
    linker: Option<(&'static str, &'static str)>,
    runner: &'static [&'static str],
}

/// Those that are tried.
pub const PLATFORMS: &[Platform] = &[
    Platform {
        name: "64-bit ARM",
        target: "aarch64-unknown-linux-gnu",
        ending: "",
        linker: Some((
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
            "aarch64-linux-gnu-gcc",
        )),
        runner: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
    },
    Platform {
        name: "WebAssembly",
        target: "wasm32-wasip1",
        ending: ".wasm",
        linker: None,
        runner: &["node", "--no-warnings", "xtask/src/wasi.mjs"],
    },
];

/// Builds the program that prints the digests for another platform, runs it there, and compares.
pub fn digests(platform: &Platform) -> Outcome {
    let linker = platform.linker.map(|(_, linker)| linker);
    let mut tools = linker.into_iter().chain([platform.runner[0]]);
    if let Some(missing) = tools.find(|tool| !succeeds(tool, &["--version"])) {
        println!("skipped: {missing} is not installed");
        return Outcome::Skipped;
    }
    if !has_standard_library(platform.target) {
        println!(
            "skipped: no standard library for {target} (rustup target add {target})",
            target = platform.target
        );
        return Outcome::Skipped;
    }
    let build = [
        "build",
        "--release",
        "-p",
        "waypost",
        "--example",
        "golden",
        "--target",
        platform.target,
    ];
    let variables: Vec<(&str, &str)> = platform.linker.into_iter().collect();
    if !cargo(&build, &variables) {
        return Outcome::Failed;
    }
    let target = platform.target;
    let program = format!("target/{target}/release/examples/golden{}", platform.ending);
    let output = Command::new(platform.runner[0])
        .args(&platform.runner[1..])
        .arg(program)
        .output();
    let golden = std::fs::read_to_string("crates/waypost/tests/golden/golden.txt");
    let (Ok(output), Ok(golden)) = (output, golden) else {
        return Outcome::Failed;
    };
    compare(&String::from_utf8_lossy(&output.stdout), &golden)
}

fn has_standard_library(target: &str) -> bool {
    let arguments = ["--print", "target-libdir", "--target", target];
    let output = Command::new("rustc").args(arguments).output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout);
        std::path::Path::new(folder.trim()).is_dir()
    })
}

fn compare(found: &str, golden: &str) -> Outcome {
    let known: Vec<&str> = golden.lines().collect();
    for line in found.lines().filter(|line| !known.contains(line)) {
        println!("differs: {line}");
    }
    println!(
        "{} digests, {} expected",
        found.lines().count(),
        known.len()
    );
    (found == golden).into()
}
