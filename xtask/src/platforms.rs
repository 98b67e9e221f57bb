//! The golden digests on other platforms, as far as their standard libraries and emulators are here.

use crate::steps::{Outcome, cargo, succeeds};
use crate::tools::{ARM, NODE, Tool};
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
    /// What that takes.
    tools: &'static [Tool],
    /// Further flags of its builds.
    flags: &'static [&'static str],
    programs: &'static [Program],
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
        tools: &ARM,
        flags: &[],
        programs: &[ENGINE, LAB],
    },
    Platform {
        name: "WebAssembly",
        target: "wasm32-wasip1",
        ending: ".wasm",
        linker: None,
        runner: &["node", "--no-warnings", "xtask/src/wasi.mjs"],
        tools: &[NODE],
        // There are no threads. Records of the lab hold sizes in memory, which are those of 64-bit platforms.
        flags: &["--no-default-features"],
        programs: &[ENGINE],
    },
];

/// A program that prints digests, and the file that holds them.
struct Program {
    package: &'static str,
    example: &'static str,
    golden: &'static str,
}

const ENGINE: Program = Program {
    package: "waypost",
    example: "golden",
    golden: "crates/waypost/tests/golden/golden.txt",
};
const LAB: Program = Program {
    package: "waypost-lab",
    example: "golden_records",
    golden: "crates/waypost-lab/tests/golden/golden.txt",
};

/// Builds the programs that print the digests for another platform, runs them there, and compares.
pub fn digests(platform: &Platform) -> Outcome {
    let mut tools = platform.tools.iter();
    if let Some(missing) = tools.find(|tool| !tool.is_there_or_installed()) {
        println!("skipped: {} is not installed", missing.program);
        return Outcome::Skipped;
    }
    if !has_standard_library(platform.target) {
        succeeds("rustup", &["target", "add", platform.target]);
    }
    if !has_standard_library(platform.target) {
        println!(
            "skipped: no standard library for {target} (rustup target add {target})",
            target = platform.target
        );
        return Outcome::Skipped;
    }
    let all = platform.programs.iter();
    let passed = all.filter(|program| is_golden(platform, program)).count();
    (passed == platform.programs.len()).into()
}

fn is_golden(platform: &Platform, program: &Program) -> bool {
    let mut build = vec!["build", "--release", "--target", platform.target];
    build.extend(["-p", program.package, "--example", program.example]);
    build.extend(platform.flags);
    let variables: Vec<(&str, &str)> = platform.linker.into_iter().collect();
    if !cargo(&build, &variables) {
        return false;
    }
    let (target, ending) = (platform.target, platform.ending);
    let file = format!(
        "target/{target}/release/examples/{}{ending}",
        program.example
    );
    let output = Command::new(platform.runner[0])
        .args(&platform.runner[1..])
        .arg(file)
        .output();
    let golden = std::fs::read_to_string(program.golden);
    let (Ok(output), Ok(golden)) = (output, golden) else {
        println!(
            "{}: it did not run, or its digests are not there",
            program.example
        );
        return false;
    };
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
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

fn compare(found: &str, golden: &str) -> bool {
    let known: Vec<&str> = golden.lines().collect();
    for line in found.lines().filter(|line| !known.contains(line)) {
        println!("differs: {line}");
    }
    println!(
        "{} digests, {} expected",
        found.lines().count(),
        known.len()
    );
    found == golden
}
