//! The lab records the same of the same seeds: golden digests, one a line in `golden.txt`. `cargo xtask golden --update` writes
//! the file again.

mod digests;

use waypost_testkit::golden::{compare, compare_with_file};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/golden.txt");

/// The lines, made on so many threads.
fn on_threads(threads: usize) -> Vec<String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads")
        .install(|| digests::digests(&std::env::temp_dir()))
}

#[test]
fn records_are_golden_on_one_thread_and_on_many() {
    let found = on_threads(4);
    compare_with_file(FILE, &found);
    compare(&on_threads(1), &found);
}
