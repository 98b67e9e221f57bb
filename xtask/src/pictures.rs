//! The pictures of README and guide, made by the program itself.

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
    let labels = [
        "run",
        "--release",
        "--quiet",
        "-p",
        "waypost-lab",
        "--example",
        "label_pictures",
    ];
    cargo(&arguments, &[])
        && ["search.png", "crowd.gif"].iter().all(|name| {
            std::fs::copy(format!("target/demo/{name}"), format!("docs/{name}")).is_ok()
        })
        && cargo(&labels, &[])
}
