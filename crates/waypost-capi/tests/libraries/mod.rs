//! What tests of programs in other languages share.

use std::path::PathBuf;
use std::process::Command;

pub fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A folder for what a test makes.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

pub fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    found.is_ok_and(|output| output.status.success())
}

/// The folder of the libraries, built by the cargo that runs this test, with the settings that it runs with.
pub fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let folder = test
        .ancestors()
        .nth(2)
        .expect("target/profile")
        .to_path_buf();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "waypost-capi", "--lib"]);
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    // The features of the test, so that the engine is not built once more.
    if cfg!(all(feature = "png", feature = "tiled")) {
        cargo.arg("--all-features");
    }
    assert!(cargo.status().expect("cargo runs").success());
    folder
}

pub fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(output.status.success(), "{command:?}\n{out}{err}");
    out
}

pub const SYSTEM: [&str; 5] = ["-lpthread", "-ldl", "-lm", "-lrt", "-lutil"];

pub fn skipped(what: &str, missing: &str) {
    eprintln!("skipped: {what} ({missing} is not installed)");
}
