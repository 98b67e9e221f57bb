//! What tests of programs in other languages share. Each test uses a part of it.
#![allow(dead_code)]

use std::io::Write;
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

/// The folder of the libraries: cargo builds all kinds of them for this test, beside it, with the settings that it runs with.
pub fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let folder = test.parent().expect("a folder").to_path_buf();
    for name in ["libwaypost_capi.a", "libwaypost_capi.so"] {
        assert!(folder.join(name).is_file(), "{name} is not in {folder:?}");
    }
    folder
}

/// Runs a program that must succeed, and gives what it printed.
pub fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(output.status.success(), "{command:?}\n{out}{err}");
    out
}

/// What a static library needs of the system.
pub const SYSTEM: [&str; 5] = ["-lpthread", "-ldl", "-lm", "-lrt", "-lutil"];
/// What finds mistakes with memory, leaks included.
pub const SANITIZED: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover"];
pub const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Are these programs there? Says so where they are not: the test is skipped then, or fails where `WAYPOST_ALL_TOOLS` is set.
pub fn has(programs: &[&str], what: &str) -> bool {
    let is_there = |program: &&str| {
        let found = Command::new(program).arg("--version").output();
        found.is_ok_and(|output| output.status.success())
    };
    let missing: Vec<&str> = programs.iter().copied().filter(|p| !is_there(p)).collect();
    if missing.is_empty() {
        return true;
    }
    let missing = missing.join(", ");
    assert!(
        std::env::var_os("WAYPOST_ALL_TOOLS").is_none(),
        "{what}: {missing} must be installed where WAYPOST_ALL_TOOLS is set"
    );
    // Not by `eprintln`, which tests that pass keep to themselves.
    let _ = writeln!(
        std::io::stderr(),
        "skipped: {what} ({missing} not installed)"
    );
    false
}
