//! The pictures of the README, made by the program itself.

use crate::steps::cargo;

/// Draws them again.
pub fn draw() -> bool {
    let arguments = [
        "run",
        "--release",
        "--quiet",
        "--",
        "demo",
        "--out",
        "target/demo",
    ];
    cargo(&arguments, &[]) && std::fs::copy("target/demo/search.png", "docs/search.png").is_ok()
}
