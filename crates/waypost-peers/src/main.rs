//! Waypost beside other crates.

fn main() {}
