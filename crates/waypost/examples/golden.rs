//! Prints the golden digests: for platforms where the tests cannot run. Compare with `tests/golden/golden.txt`.

#[path = "../tests/golden/digests.rs"]
mod digests;

fn main() {
    for line in digests::digests() {
        println!("{line}");
    }
}
