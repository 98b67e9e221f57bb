//! Golden files: lines that stay as they are until somebody wants them changed.

/// Set to write files again instead of comparing with them.
const UPDATE: &str = "WAYPOST_GOLDEN_UPDATE";

/// Compares lines with those of a file, or writes them there where `WAYPOST_GOLDEN_UPDATE` is set.
///
/// # Panics
/// Where a line differs; all of them are listed, so that one run tells everything.
pub fn compare_with_file(file: &str, found: &[String]) {
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(file, found.join("\n") + "\n").expect("the golden file");
        return;
    }
    let golden = std::fs::read_to_string(file).unwrap_or_default();
    let golden: Vec<String> = golden.lines().map(str::to_string).collect();
    compare(&golden, found);
}

/// Compares lines with others.
///
/// # Panics
/// Where a line differs.
pub fn compare(expected: &[String], found: &[String]) {
    let differ: Vec<&str> = found
        .iter()
        .filter(|line| !expected.contains(line))
        .map(String::as_str)
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
