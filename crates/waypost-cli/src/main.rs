//! The command line of Waypost.

fn main() {}
