//! The pictures of README and guide, made by the program itself.

use crate::steps::cargo;

/// Draws them again.
pub fn draw() -> bool {
    let tour = [
        "run",
        "--release",
        "--quiet",
        "--",
        "demo",
        "--out",
        "target/demo",
    ];
    let labels = [
        "run",
        "--release",
        "--quiet",
        "-p",
        "waypost-lab",
        "--example",
        "label_pictures",
    ];
    cargo(&tour, &[])
        && std::fs::copy("target/demo/crowd.gif", "docs/crowd.gif").is_ok()
        && cargo(&labels, &[])
}
