//! The engine makes the same of the same seeds: golden digests, one a line in `golden.txt`.
//!
//! A line that changes shows that paths, files or crowds have changed. Where that is wanted, `cargo xtask golden --update`
//! writes the file again, and the difference tells which things it touched.

mod digests;

use std::path::Path;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/golden.txt");

/// The lines, made on so many threads.
fn on_threads(threads: usize) -> Vec<String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(digests::digests)
}

#[test]
fn digests_are_golden_on_one_thread_and_on_many() {
    let found = on_threads(4);
    if std::env::var_os("WAYPOST_GOLDEN_UPDATE").is_some() {
        std::fs::write(Path::new(FILE), found.join("\n") + "\n").expect("the file of digests");
        return;
    }
    let golden = std::fs::read_to_string(FILE).unwrap_or_default();
    let golden: Vec<&str> = golden.lines().collect();
    compare(&golden, &found);
    let single = on_threads(1);
    let single: Vec<&str> = single.iter().map(String::as_str).collect();
    compare(&single, &found);
}

/// Lists every line that differs, so that one run tells all.
fn compare(expected: &[&str], found: &[String]) {
    let differ: Vec<String> = found
        .iter()
        .filter(|line| !expected.contains(&line.as_str()))
        .cloned()
        .collect();
    assert!(
        differ.is_empty() && expected.len() == found.len(),
        "{} of {} digests differ ({} expected); where this is wanted: cargo xtask golden --update\n{}",
        differ.len(),
        found.len(),
        expected.len(),
        differ.join("\n")
    );
}
