//! Programs that are ended in the middle of their work: after INT, TERM and HUP nothing unfinished is left; after KILL the
//! output is whole or the old one, and the next run removes what was left.

use crate::{Arena, Verdict, Work};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use waypost_testkit::TestRng;

const SIGNALS: [&str; 4] = ["INT", "TERM", "HUP", "KILL"];
/// Programs that a case ends.
const KILLS: u64 = 20;
/// What is ended: builds that compute, and one that mostly writes.
const LINES: [&str; 4] = [
    "build subgoals m.map --records 600 -o out",
    "build sectors m.map --side 8 -o out",
    "build labels m.map -o out",
    "scale m.map 12 -o out",
];

/// Builds, each ended after a random part of the time that it takes. Only those that were hit count.
pub fn case(arena: &Arena, seed: u64) -> Verdict {
    let mut work = Work::default();
    let Some(binary) = arena.binary.as_deref().filter(|_| cfg!(unix)) else {
        return Ok(work);
    };
    let mut rng = TestRng::new(seed);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = folder.path();
    let map = "gen arena --width 240 --height 240 --seed 3 -o m.map";
    finished(binary, folder, map)?;
    let mut times = Vec::new();
    for line in LINES {
        let begun = Instant::now();
        finished(binary, folder, line)?;
        times.push(begun.elapsed());
    }
    let old = std::fs::read(folder.join("out")).map_err(|error| error.to_string())?;
    while work.executions < KILLS {
        let signal = SIGNALS[rng.below(4) as usize];
        let which = rng.below(LINES.len() as u32) as usize;
        let pause = times[which].mul_f64(f64::from(rng.below(1000)) / 1000.0);
        let line = LINES[which];
        let judged = end_one(binary, folder, line, signal, pause).and_then(|is_hit| {
            work.executions += u64::from(is_hit);
            judge(binary, folder, signal, &old)
        });
        judged
            .map_err(|wrong| format!("{line}, {signal} after {} us: {wrong}", pause.as_micros()))?;
    }
    Ok(work)
}

fn start(binary: &Path, folder: &Path, line: &str) -> Result<Child, String> {
    Command::new(binary)
        .args(line.split(' '))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())
}

fn finished(binary: &Path, folder: &Path, line: &str) -> Result<(), String> {
    let status = start(binary, folder, line)?.wait();
    match status {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("{line}: {other:?}")),
    }
}

/// Starts a program and sends it a signal; says whether that ended it.
fn end_one(
    binary: &Path,
    folder: &Path,
    line: &str,
    signal: &str,
    pause: Duration,
) -> Result<bool, String> {
    let mut child = start(binary, folder, line)?;
    std::thread::sleep(pause);
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .stderr(Stdio::null())
        .status();
    sent.map_err(|error| format!("kill: {error}"))?;
    let ended = child.wait().map_err(|error| error.to_string())?;
    match ended.success() {
        false if !is_by_signal(ended) => Err(format!("it ended with {ended}")),
        success => Ok(!success),
    }
}

#[cfg(unix)]
fn is_by_signal(ended: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&ended).is_some()
}

#[cfg(not(unix))]
fn is_by_signal(_: ExitStatus) -> bool {
    false
}

fn unfinished(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(".waypost-"))
        .count()
}

fn judge(binary: &Path, folder: &Path, signal: &str, old: &[u8]) -> Result<(), String> {
    let left = unfinished(folder);
    if left > 0 && signal != "KILL" {
        return Err(format!("{left} unfinished files are left"));
    }
    let now = std::fs::read(folder.join("out")).map_err(|error| error.to_string())?;
    let is_map = now.starts_with(b"type octile");
    if now != old {
        let check = if is_map {
            "info out"
        } else {
            "verify out --map m.map"
        };
        finished(binary, folder, check).map_err(|wrong| format!("a broken output: {wrong}"))?;
    }
    finished(binary, folder, "scale m.map 1 -o next")?;
    match unfinished(folder) {
        0 => Ok(()),
        left => Err(format!("the next run left {left} unfinished files")),
    }
}
