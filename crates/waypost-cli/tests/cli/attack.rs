//! The slice of the attack that needs the program.

use crate::support::binary;
use waypost_attack::{Arena, run_slice};

fn slice(name: &str) {
    let arena = Arena {
        binary: Some(binary().into()),
    };
    let work = run_slice(name, &arena).unwrap_or_else(|found| panic!("{found}"));
    assert!(work.executions > 0 || cfg!(not(unix)), "nothing was tried");
}

#[test]
fn odd_arguments_and_files() {
    slice("command-line");
}

#[test]
fn hole_10_kills_at_random_moments() {
    slice("kills");
}
