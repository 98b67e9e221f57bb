//! Prints the golden digests of records: for platforms where the tests cannot run. Compare with `tests/golden/golden.txt`.

#[path = "../tests/golden/digests.rs"]
mod digests;

fn main() {
    for line in digests::digests(&std::env::temp_dir()) {
        println!("{line}");
    }
}
