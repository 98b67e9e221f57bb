//! Programs that are ended in the middle of their work: after INT, TERM and HUP nothing unfinished is left; after KILL the
//! output is whole or the old one, and the next run removes what was left.

use crate::{Arena, Verdict, Work};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use waypost_testkit::TestRng;

const SIGNALS: [&str; 4] = ["INT", "TERM", "HUP", "KILL"];

/// A build, ended after a random time.
pub fn case(arena: &Arena, seed: u64) -> Verdict {
    let mut work = Work::default();
    let Some(binary) = arena.binary.as_deref().filter(|_| cfg!(unix)) else {
        return Ok(work);
    };
    let mut rng = TestRng::new(seed);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = folder.path();
    finished(
        binary,
        folder,
        "gen arena --width 240 --height 240 --seed 3 -o m.map",
    )?;
    finished(binary, folder, "build jump m.map -o out")?;
    let old = std::fs::read(folder.join("out")).map_err(|error| error.to_string())?;
    for _ in 0..5 {
        let signal = SIGNALS[rng.below(4) as usize];
        let pause = Duration::from_micros(u64::from(rng.below(120_000)));
        let line = match rng.below(3) {
            0 => "build subgoals m.map --records 600 -o out",
            1 => "build sectors m.map --side 8 -o out",
            _ => "scale m.map 12 -o out",
        };
        end_one(binary, folder, line, signal, pause)
            .and_then(|()| judge(binary, folder, signal, &old))
            .map_err(|wrong| format!("{line}, {signal} after {} us: {wrong}", pause.as_micros()))?;
        work.executions += 1;
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

fn end_one(
    binary: &Path,
    folder: &Path,
    line: &str,
    signal: &str,
    pause: Duration,
) -> Result<(), String> {
    let mut child = start(binary, folder, line)?;
    std::thread::sleep(pause);
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .stderr(Stdio::null())
        .status();
    sent.map_err(|error| format!("kill: {error}"))?;
    child.wait().map(drop).map_err(|error| error.to_string())
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
