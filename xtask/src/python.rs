//! `cargo xtask wheel` and `cargo xtask python`: the Python package, built and tested in an environment of its own.
//!
//! `cargo xtask test` does the latter last, with a wheel linked from the crates that its tests have compiled. Where there is no Python
//! 3.10 with `venv`, or pip finds no packages, that is said and the steps count as skipped; they count as failed on forges (`CI` is set) and
//! where all tools must be there (`WAYPOST_ALL_TOOLS`).

use crate::steps::{Outcome, Steps, succeeds};
use crate::tools;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment: Python's own, its packages and nothing of the machine's.
const ENVIRONMENT: &str = "target/python/environment";
/// Wheels for tests: linked from what the tests have compiled.
const TEST_WHEELS: &str = "target/python/wheels";
/// What takes part in an environment before there is a wheel.
const BUILDER: &str = "maturin>=1.9.4,<2";
const MANIFEST: &str = "python/Cargo.toml";
const IS_GOOD: &str =
    "import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 1)";

/// Writes `target/wheels/*.whl`.
pub fn wheel() -> bool {
    let outcome = environment().and_then(|()| build(&["--release"], "target/wheels"));
    said(outcome.map(|wheel| println!("{}", wheel.display()))) == Outcome::Passed
}

/// Builds, installs and tests the package.
pub fn test() -> bool {
    let mut steps = Steps::default();
    add_steps(&mut steps);
    steps.sum_up()
}

/// The same as steps of another task.
pub fn add_steps(steps: &mut Steps) {
    let mut is_ready = false;
    steps.run("Python: wheel", || {
        let outcome = said(environment().and_then(|()| install()));
        is_ready = outcome == Outcome::Passed;
        outcome
    });
    if !is_ready {
        return;
    }
    steps.run("Python: tests, doctests", || {
        python(&["-m", "pytest"]).into()
    });
    steps.run("Python: types", || {
        let checked = python(&[
            "-m",
            "mypy",
            "package/waypost",
            "tests",
            "examples",
            "benches",
        ]);
        (checked
            && python(&[
                "-m",
                "mypy.stubtest",
                "waypost",
                "--allowlist",
                "stubtest.txt",
            ]))
        .into()
    });
}

/// A program of the machine's, or of the environment, where it is installed if it is missing: its name there is the package's.
pub fn tool(name: &str) -> Result<String, Outcome> {
    let here = program(name);
    if succeeds(name, &["--version"]) {
        return Ok(name.to_string());
    }
    if !succeeds(&here, &["--version"]) {
        let outcome = said(environment().and_then(|()| install_packages(&[name])));
        if outcome != Outcome::Passed {
            return Err(outcome);
        }
    }
    Ok(here)
}

/// Why something was not done.
enum Trouble {
    /// What it needs is not here.
    Missing(String),
    Failed(String),
}

fn said(outcome: Result<(), Trouble>) -> Outcome {
    match outcome {
        Ok(()) => Outcome::Passed,
        Err(Trouble::Failed(text)) => {
            eprintln!("error: {text}");
            Outcome::Failed
        }
        Err(Trouble::Missing(text)) if must_be_there() => {
            eprintln!("error: {text}; it must be there where CI or WAYPOST_ALL_TOOLS is set");
            Outcome::Failed
        }
        Err(Trouble::Missing(text)) => {
            println!("skipped: {text}");
            Outcome::Skipped
        }
    }
}

fn must_be_there() -> bool {
    let is_set = |name| std::env::var_os(name).is_some();
    is_set("CI") || is_set("WAYPOST_ALL_TOOLS")
}

/// Makes the environment where there is none.
fn environment() -> Result<(), Trouble> {
    if !succeeds(&program("python"), &["-c", IS_GOOD]) {
        let find = || {
            let mut known = ["python3", "python"].into_iter();
            known.find(|name| succeeds(name, &["-c", IS_GOOD]))
        };
        let found = find().or_else(|| {
            tools::PYTHON.install();
            find()
        });
        let found = found.ok_or_else(|| {
            let text = "Python 3.10 or newer with `venv` is not here (Debian: python3-venv)";
            Trouble::Missing(text.to_string())
        })?;
        if !succeeds(found, &["-m", "venv", "--clear", ENVIRONMENT]) {
            let text = format!("{found} cannot make an environment in {ENVIRONMENT}");
            return Err(Trouble::Missing(text));
        }
    }
    match succeeds(&program("maturin"), &["--version"]) {
        true => Ok(()),
        false => install_packages(&[BUILDER]),
    }
}

fn install_packages(packages: &[&str]) -> Result<(), Trouble> {
    let arguments = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    match run(&program("python"), &[&arguments, packages].concat(), ".") {
        true => Ok(()),
        false => Err(Trouble::Missing(format!(
            "pip could not install {}; is the network there?",
            packages.join(", ")
        ))),
    }
}

/// Builds a wheel into a folder, alone there.
fn build(options: &[&str], folder: &str) -> Result<PathBuf, Trouble> {
    let folder = Path::new(folder);
    let _ = std::fs::remove_dir_all(folder);
    let to = folder.display().to_string();
    let arguments = [
        "build",
        "--quiet",
        "--manifest-path",
        MANIFEST,
        "--out",
        &to,
    ];
    let failed = |text: &str| Trouble::Failed(text.to_string());
    if !run(&program("maturin"), &[&arguments, options].concat(), ".") {
        return Err(failed("maturin could not build the wheel"));
    }
    let wheels = std::fs::read_dir(folder).map_err(|error| failed(&error.to_string()))?;
    let mut wheels = wheels.flatten().map(|entry| entry.path());
    wheels
        .find(|path| path.extension().is_some_and(|e| e == "whl"))
        .ok_or_else(|| failed("maturin wrote no wheel"))
}

fn install() -> Result<(), Trouble> {
    let options = ["--profile", "dev", "--features", "as-in-tests"];
    let wheel = build(&options, TEST_WHEELS)?.display().to_string();
    install_packages(&[&format!("{wheel}[test]")])?;
    // The version may be the same and the wheel another one.
    install_packages(&["--force-reinstall", "--no-deps", &wheel])
}

/// A program of the environment.
fn program(name: &str) -> String {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    let path = Path::new(ENVIRONMENT).join(folder).join(name);
    let path = std::path::absolute(&path).unwrap_or(path);
    path.display().to_string()
}

/// Runs Python in the package's folder.
fn python(arguments: &[&str]) -> bool {
    run(&program("python"), arguments, "python")
}

fn run(program: &str, arguments: &[&str], folder: &str) -> bool {
    let environment = std::path::absolute(ENVIRONMENT).unwrap_or_else(|_| ENVIRONMENT.into());
    let status = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("VIRTUAL_ENV", environment)
        .env_remove("PYTHONPATH")
        .env_remove("PYTHONHOME")
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("error: {program} did not start: {error}");
            false
        }
    }
}
