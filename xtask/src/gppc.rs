//! `cargo xtask gppc`: the competition entry, and a runner that drives it as the competition does.

use crate::capi::{self, SOURCES, SYSTEM, said};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "target/gppc";
/// Writes the entry and its runner; with `check` runs it on the maps of `WAYPOST_MAPS`.
pub fn write(check: bool) -> bool {
    capi::build() && said(compile()) && (!check || run())
}

fn compile() -> io::Result<()> {
    let (sources, folder) = (Path::new(SOURCES), Path::new(FOLDER));
    std::fs::create_dir_all(folder)?;
    let compiler = |program: &str, standard: &str| {
        let mut command = Command::new(program);
        command.args([
            standard,
            "-O2",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
            "-fPIC",
        ]);
        command.arg("-I").arg(sources.join("include"));
        command
    };
    let (c, cpp) = (folder.join("dynamic.o"), folder.join("classic.o"));
    let entry = folder.join("libGPPCentry.so");
    done(
        compiler("gcc", "-std=c99")
            .arg("-c")
            .arg(sources.join("gppc/dynamic.c"))
            .arg("-o")
            .arg(&c),
    )?;
    done(
        compiler("g++", "-std=c++17")
            .arg("-c")
            .arg(sources.join("gppc/classic.cpp"))
            .arg("-o")
            .arg(&cpp),
    )?;
    let mut link = Command::new("g++");
    link.args(["-shared", "-o"]).arg(&entry).args([&c, &cpp]);
    // The competition's functions alone are to be seen from outside.
    let exports = sources.join("gppc/exports.map");
    link.arg(format!("-Wl,--version-script={}", exports.display()));
    link.args(["-Wl,--gc-sections", "-Wl,--strip-debug"]);
    done(link.arg("target/release/libwaypost_capi.a").args(SYSTEM))?;
    let mut runner = compiler("g++", "-std=c++17");
    runner
        .arg(sources.join("gppc/runner.cpp"))
        .arg("-o")
        .arg(folder.join("runner"));
    done(
        runner
            .arg("-L")
            .arg(folder)
            .args(["-lGPPCentry", "-Wl,-rpath,$ORIGIN"]),
    )?;
    println!("{}", entry.display());
    Ok(())
}

fn done(command: &mut Command) -> io::Result<()> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{command:?} failed"))),
    }
}

/// Preprocesses and searches in processes of their own, with the index file between them.
fn run() -> bool {
    let Some(maps) = std::env::var_os("WAYPOST_MAPS").map(PathBuf::from) else {
        println!("skipped: the runner (set WAYPOST_MAPS to a folder of maps and scenarios)");
        return true;
    };
    let mut passed = true;
    let mut both = |prepare: &[&Path], check: &[&Path], kind: &str| {
        let runner = Path::new(FOLDER).join("runner");
        let prepared = done(
            Command::new(&runner)
                .arg(format!("-pre{kind}"))
                .args(prepare),
        );
        let checked = prepared.and_then(|()| {
            let mut command = Command::new(&runner);
            done(command.arg(format!("-check{kind}")).args(check))
        });
        passed &= said(checked);
    };
    let index = Path::new(FOLDER).join("index.nav");
    for scenario in with_ending(&maps.join("dynamic"), ".scen") {
        let patches = scenario.with_extension("patch");
        if patches.is_file() {
            both(
                &[&scenario, &patches, &index],
                &[&scenario, &patches, &index],
                "-dynamic",
            );
        }
    }
    let classic = [&maps, &maps.join("dynamic")];
    for scenario in classic.iter().flat_map(|m| with_ending(m, ".map.scen")) {
        let map = scenario.with_extension("");
        both(&[&map, &index], &[&map, &index, &scenario], "");
    }
    passed
}

/// The files of a folder whose name ends so, in order.
fn with_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}
