//! `cargo xtask play`: the playground in a real browser, and the pictures that the README shows of it.
//!
//! Where Node or a browser is missing and cannot be had the test is skipped with a word about it; on a forge (`CI` is set) that is a
//! failure.

use crate::Answer;
use crate::arguments::Arguments;
use crate::steps::{Outcome, Steps, cargo, succeeds};
use crate::tools;
use std::path::Path;
use std::process::Command;

/// Where pictures go, and what drives the browser.
const FOLDER: &str = "target/play";
/// What drives the browser, without one of its own.
const DRIVER: &str = "playwright-core@1.65";
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Tests the page, or draws the pictures of the README again.
pub fn play(arguments: &Arguments) -> Answer {
    let mut steps = Steps::default();
    match arguments.words()[..] {
        [] => add_step(&mut steps, false),
        ["--release"] => add_step(&mut steps, true),
        ["--large"] => steps.run("100 million cells in a browser", || run("large.mjs", true)),
        ["--pictures"] => steps.run("pictures of the playground", || run("pictures.mjs", true)),
        ref other => return Err(format!("`{}`", other.join(" "))),
    }
    Ok(steps.sum_up())
}

/// The test as a step of another task.
pub fn add_step(steps: &mut Steps, release: bool) {
    steps.run("playground in a browser", || run("main.mjs", release));
}

/// Runs a script with the program, the browser and the folder.
fn run(script: &str, release: bool) -> Outcome {
    let browser = match set_up() {
        Ok(browser) => browser,
        Err(missing) if std::env::var_os("CI").is_some() => {
            eprintln!("error: {missing}");
            return Outcome::Failed;
        }
        Err(missing) => {
            println!("skipped: {missing}");
            return Outcome::Skipped;
        }
    };
    // Without a release build: the program that the tests of the workspace have built.
    let build: &[&str] = match release {
        true => &["build", "--release", "-p", "waypost-cli"],
        false => &["build", "--workspace", "--all-features", "--bin", "waypost"],
    };
    if !cargo(build, &[]) {
        return Outcome::Failed;
    }
    let folder = if release { "release" } else { "debug" };
    let program = Path::new("target").join(folder).join("waypost");
    let script = Path::new("crates/waypost-play/tests/browser").join(script);
    let status = Command::new("node")
        .arg(script)
        .arg(program)
        .args([&browser, FOLDER])
        .status();
    status.is_ok_and(|status| status.success()).into()
}

/// Makes sure that Node, its package and a browser are there; the browser's place, or what is missing.
fn set_up() -> Result<String, String> {
    if !tools::NODE.is_there_or_installed() || !succeeds("npm", &["--version"]) {
        return Err("Node with npm is not here (Debian: nodejs, npm)".to_string());
    }
    let named = std::env::var("WAYPOST_BROWSER").ok();
    let known = named.iter().map(String::as_str).chain(BROWSERS);
    let known: Vec<&str> = known.collect();
    let found = || known.iter().find_map(|name| place(name));
    let browser = found().or_else(|| {
        tools::CHROMIUM.is_there_or_installed();
        found()
    });
    let browser = browser.ok_or(
        "no Chromium is here (Debian: chromium); set WAYPOST_BROWSER to one that lies elsewhere",
    )?;
    let driver = Path::new(FOLDER).join("node_modules/playwright-core");
    let install = [
        "install",
        "--no-audit",
        "--no-fund",
        "--prefix",
        FOLDER,
        DRIVER,
    ];
    if !(driver.is_dir() || std::fs::create_dir_all(FOLDER).is_ok() && succeeds("npm", &install)) {
        return Err(format!(
            "npm could not install {DRIVER}; is the network there?"
        ));
    }
    Ok(browser)
}

/// The file of a program: as it is, or on the path.
fn place(program: &str) -> Option<String> {
    if program.contains('/') {
        return Path::new(program).is_file().then(|| program.to_string());
    }
    let path = std::env::var_os("PATH")?;
    let files = std::env::split_paths(&path).map(|folder| folder.join(program));
    let mut files = files.filter(|file| file.is_file());
    Some(files.next()?.display().to_string())
}
