//! The examples, as programs.

use std::path::PathBuf;
use std::process::Command;

/// What an example prints.
fn run(name: &str, arguments: &[&str]) -> String {
    let this = std::env::current_exe().expect("this program");
    let folder: PathBuf = this.ancestors().nth(2).expect("a folder").join("examples");
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        program.exists(),
        "{} is not there: `cargo test -p bevy_waypost` builds the examples, `--test app` alone does not",
        program.display()
    );
    let output = Command::new(program).args(arguments).output();
    let output = output.expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {text}{wrong}");
    text
}

/// The number before a word.
fn number_before(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().unwrap_or_default().trim_end();
    let digits = before.rsplit(' ').next().unwrap_or_default();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no number before `{word}` in {text}"))
}

#[test]
fn minimal_arrives_in_thirty_lines() {
    let lines = include_str!("../../examples/minimal.rs").lines().count();
    assert!(lines <= 30, "{lines} lines");
    assert!(run("minimal", &[]).contains("arrived at [57, 2]"));
}

#[test]
fn guards_go_through_doors() {
    let text = run("bevy_doors", &[]);
    assert_eq!(text.matches("is the closed one").count(), 12, "{text}");
    assert!(!text.contains("is no door"), "{text}");
    assert!(number_before(&text, "ways in") > 100, "{text}");
}

#[test]
fn enemies_are_never_cut_off() {
    let text = run("tower_defence", &[]);
    for (word, least) in [
        ("walls placed", 50),
        ("refused", 10),
        ("enemies at the gate", 100),
    ] {
        assert!(number_before(&text, word) >= least, "{text}");
    }
}

#[test]
fn ten_thousand_walk() {
    // A smaller level for as many walkers.
    let text = run("ten_thousand", &["300", "10000", "200"]);
    assert!(text.contains("Building:"), "{text}");
    assert!(text.contains("10000 walkers set out"), "{text}");
    assert!(number_before(&text, "steps,") > 1_000_000, "{text}");
}
