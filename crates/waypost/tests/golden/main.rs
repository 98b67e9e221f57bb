//! The engine makes the same of the same seeds: golden digests, one a line in `golden.txt`.
//!
//! A line that changes shows that paths, files or crowds have changed. Where that is wanted, `cargo xtask golden --update`
//! writes the file again, and the difference tells which things it touched.

mod digests;

use waypost_testkit::golden::{compare, compare_with_file};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/golden.txt");

/// The lines, made on so many threads.
fn on_threads(threads: usize) -> Vec<String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(digests::digests)
}

#[test]
fn digests_are_golden_on_one_thread_and_on_many() {
    let found = on_threads(4);
    compare_with_file(FILE, &found);
    compare(&on_threads(1), &found);
}
