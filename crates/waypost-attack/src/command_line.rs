//! The program itself, with odd arguments and odd files: it ends in time with a code of its own, never by a panic, leaves
//! no unfinished file, and destroys no input.

use crate::{Arena, Verdict, Work};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use waypost_testkit::{TestRng, damage, shapes};

/// No command of these sizes takes as long, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Files of the folder that every case works in.
const FILES: [&str; 8] = [
    "m.map",
    "m.scen",
    "m.jump",
    "d.scen",
    "walls.patch",
    "g.graph",
    "bad",
    "m.png",
];

/// A few commands, one after the other, in a folder with good and bad files.
pub fn case(arena: &Arena, seed: u64) -> Verdict {
    let mut work = Work::default();
    let Some(binary) = &arena.binary else {
        return Ok(work);
    };
    let mut rng = TestRng::new(seed);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    furnish(binary, folder.path(), &mut rng)?;
    for _ in 0..3 {
        let arguments = arguments(&mut rng);
        let before = contents(folder.path());
        run(binary, folder.path(), &arguments)
            .and_then(|()| inputs_are_whole(folder.path(), &arguments, &before))
            .map_err(|wrong| format!("waypost {}: {wrong}", arguments.join(" ")))?;
        work.executions += 1;
    }
    Ok(work)
}

fn furnish(binary: &Path, folder: &Path, rng: &mut TestRng) -> Result<(), String> {
    let map = shapes::any(u64::from(rng.next()), 8, 30).to_movingai();
    let mut bad = map.clone().into_bytes();
    damage(&mut bad, rng);
    let files: [(&str, &[u8]); 5] = [
        ("m.map", map.as_bytes()),
        ("bad", &bad),
        ("walls.patch", b"type patch\npatches 1\npatch 0\nheight 1\nwidth 2\nmap\n@@\n"),
        ("d.scen", b"version 2\nheight 8\nwidth 12\ncost 1 octile\npatch walls.patch\ncommands\nQ 0 0 1 11 1 11\nP 1 0 5 0\nQ 2 0 1 11 1 11\n"),
        ("g.graph", b"waypost-graph 1\nnode 0 0\nnode 3 0\nnode 3 3\nedge 0 1\nedge 1 2 5\n"),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).map_err(|error| error.to_string())?;
    }
    for line in [
        "scen m.map --count 3 -o m.scen",
        "build jump m.map -o m.jump",
        "scale m.map 1 -o m.png",
    ] {
        let arguments: Vec<String> = line.split(' ').map(str::to_string).collect();
        run(binary, folder, &arguments)?;
    }
    Ok(())
}

const COMMANDS: [&str; 13] = [
    "info", "gen", "scale", "scen", "check", "build", "merge", "verify", "solve", "bench", "crowd",
    "graph", "lab",
];
const FLAGS: [&str; 30] = [
    "-o",
    "--json",
    "--count",
    "--seed",
    "--min-cost",
    "--max-cost",
    "--threads",
    "--width",
    "--height",
    "--from",
    "--to",
    "--algo",
    "--index",
    "--png",
    "--trace",
    "--scen",
    "--limit",
    "--max-moves",
    "--map",
    "--agents",
    "--ticks",
    "--gif",
    "--shard",
    "--set",
    "--corners",
    "--costs",
    "--threshold",
    "--exclusive",
    "--records",
    "--side",
];
/// None of these is a name of a file beside those of the folder.
const VALUES: [&str; 34] = [
    "0",
    "1",
    "-1",
    "3",
    "12",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e9",
    "nan",
    "-0.0",
    "inf",
    "1,1",
    "2,3",
    "0,0",
    "-1,-1",
    "9,9,9",
    ",",
    "1/2",
    "2/1",
    "0/0",
    "never",
    "one",
    "always",
    "1.4",
    "astar",
    "waypost",
    "lrta:gmax=0",
    "knn-lrta:records=9",
    "a=b",
    "=",
    "",
    "\u{fffd}",
    "sectors",
];
const OUTPUTS: [&str; 6] = ["out", "out.png", "no/such/out", ".", "/dev/null", "./m.map"];
const KINDS: [&str; 8] = [
    "rooms",
    "caves",
    "jump",
    "sectors",
    "labels",
    "subgoals",
    "all-methods",
    "list",
];

/// A line that looks like a command: mostly words that fit, some that do not.
fn arguments(rng: &mut TestRng) -> Vec<String> {
    let pick =
        |list: &[&str], rng: &mut TestRng| list[rng.below(list.len() as u32) as usize].to_string();
    let command = pick(&COMMANDS, rng);
    let mut line = vec![command.clone()];
    if matches!(command.as_str(), "gen" | "build" | "lab") {
        line.push(pick(&KINDS, rng));
    }
    if command == "lab" {
        // Experiments take minutes: their arguments are tried, not they.
        line.push("--print-suite".to_string());
    }
    if rng.percent(85) {
        line.push(pick(&FILES, rng));
    }
    // Runs are kept short wherever the line does not say otherwise.
    for (name, bound) in [
        ("crowd", "--ticks 20 --agents 5"),
        ("bench", "--limit 2 --max-moves 5000"),
    ] {
        if command == name && rng.percent(90) {
            line.extend(bound.split(' ').map(str::to_string));
        }
    }
    for _ in 0..rng.below(6) {
        let flag = pick(&FLAGS, rng);
        let takes_file = matches!(flag.as_str(), "--index" | "--scen" | "--map");
        let is_output = matches!(flag.as_str(), "-o" | "--png" | "--trace" | "--gif");
        line.push(flag);
        if is_output {
            let outputs: &[&str] = if rng.percent(30) { &FILES } else { &OUTPUTS };
            line.push(pick(outputs, rng));
        } else if takes_file {
            line.push(pick(&FILES, rng));
        } else if rng.percent(85) {
            line.push(pick(&VALUES, rng));
        }
    }
    line
}

fn run(binary: &Path, folder: &Path, arguments: &[String]) -> Result<(), String> {
    let mut child = Command::new(binary)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let begun = Instant::now();
    let mut pause = Duration::from_micros(200);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("no end after {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let mut said = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        let _ = std::io::Read::read_to_string(&mut stderr, &mut said);
    }
    if !matches!(status.code(), Some(0..=2)) || said.contains("panicked") {
        return Err(format!("{status}: {said}"));
    }
    let left: Vec<PathBuf> = contents(folder)
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| path.to_string_lossy().contains(".part"))
        .collect();
    if !left.is_empty() {
        return Err(format!("unfinished files: {left:?}"));
    }
    Ok(())
}

fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(PathBuf, Vec<u8>)> = entries
        .map(|entry| entry.path())
        .filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?)))
        .collect();
    files.sort();
    files
}

/// The file given first is an input of every command: it is as it was.
fn inputs_are_whole(
    folder: &Path,
    arguments: &[String],
    before: &[(PathBuf, Vec<u8>)],
) -> Result<(), String> {
    let after = contents(folder);
    let input = arguments.iter().find(|word| FILES.contains(&word.as_str()));
    let Some(input) = input.filter(|_| arguments[0] != "gen") else {
        return Ok(());
    };
    // A line may name the same file as an input and, the only time, as an output.
    let given_as_output = arguments.windows(2).any(|pair| {
        matches!(pair[0].as_str(), "-o" | "--png" | "--trace" | "--gif") && pair[1] == *input
    });
    let times = arguments.iter().filter(|word| *word == input).count();
    let of = |files: &[(PathBuf, Vec<u8>)]| {
        let place = folder.join(input);
        files
            .iter()
            .find(|(path, _)| *path == place)
            .map(|(_, bytes)| bytes.clone())
    };
    if of(before) != of(&after) && !(given_as_output && times == 1) {
        return Err(format!("{input} was an input and has changed"));
    }
    Ok(())
}
