//! Hole 10: nothing unfinished stays behind a program that was told to end, and what a killed one left is removed by the
//! next. The numbers of `cargo xtask attack` are larger.
#![cfg(unix)]

use crate::support::Place;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a build that takes long enough to be caught in it.
fn build(place: &Place) -> Child {
    place
        .command("build subgoals m.map --records 3000 -o m.db".split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .stderr(Stdio::null())
        .status();
    sent.expect("kill runs");
}

fn unfinished(place: &Place) -> Vec<String> {
    let mut names = place.names();
    names.retain(|name| name.starts_with(".waypost-"));
    names
}

#[test]
fn hole_10_signals_leave_nothing_behind() {
    let place = Place::new();
    place.done("gen arena --width 300 --height 300 --seed 3 -o m.map");
    for (round, name) in ["INT", "TERM", "HUP"]
        .into_iter()
        .cycle()
        .take(30)
        .enumerate()
    {
        let mut child = build(&place);
        std::thread::sleep(Duration::from_millis(round as u64 * 7));
        signal(&child, name);
        child.wait().expect("ended");
        assert_eq!(unfinished(&place), Vec::<String>::new(), "SIG{name}");
        if place.path("m.db").exists() {
            place.done("verify m.db --map m.map");
        }
    }
}

#[test]
fn hole_10_a_program_that_ends_by_a_signal_says_so() {
    use std::os::unix::process::ExitStatusExt;
    let place = Place::new();
    place.done("gen arena --width 500 --height 500 --seed 3 -o m.map");
    let mut child = place
        .command("build subgoals m.map --records 300000 --threads 1 -o m.db".split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    std::thread::sleep(Duration::from_millis(400));
    signal(&child, "TERM");
    let begun = Instant::now();
    let status = child.wait().expect("ended");
    assert_eq!(status.signal(), Some(15), "{status}");
    assert!(begun.elapsed() < Duration::from_secs(20), "it ends at once");
}

#[test]
fn hole_10_the_next_run_removes_what_a_killed_one_left() {
    let place = Place::with_map();
    place.write(
        ".waypost-0123456789abcdef.part",
        "left by a program that is gone",
    );
    place.write(".waypost-notes.txt", "not ours");
    std::fs::create_dir(place.path(".waypost-folder.part")).expect("a folder");
    // One that is being written is held by its writer.
    let held = place.write(".waypost-00000000000000aa.part", "being written");
    let writer = std::fs::File::open(&held).expect("a file");
    writer.lock().expect("locks on the temporary folder");
    place.done("scale m.map 2 -o big.map");
    assert_eq!(
        unfinished(&place),
        [
            ".waypost-00000000000000aa.part",
            ".waypost-folder.part",
            ".waypost-notes.txt"
        ]
    );
    drop(writer);
    place.done("scale m.map 2 -o big.map");
    assert!(!held.exists());
}

#[test]
fn hole_10_signals_that_are_ignored_stay_ignored() {
    let place = Place::with_map();
    let script = format!(
        "trap '' HUP; '{}' build subgoals m.map --records 2000 -o m.db & sleep 0.1; kill -HUP $!; wait $!",
        crate::support::binary()
    );
    let status = Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("a shell").success());
    place.done("verify m.db --map m.map");
}
