//! A slice of the attack, in every run of the tests. The whole: `cargo xtask attack --minutes N`. Targets that need the
//! program are run where it is built, in the tests of the command line.

use waypost_attack::{Arena, run_slice};

fn slice(name: &str) {
    match run_slice(name, &Arena::default()) {
        Ok(work) => {
            println!("{name}: {work:?}");
            assert!(work.executions > 0, "nothing was tried");
        }
        Err(found) => panic!("{found}"),
    }
}

#[test]
fn parsers() {
    slice("parsers");
}

#[test]
fn hole_11_forged_artifacts() {
    slice("artifacts");
}

#[test]
fn hole_11_forged_nav_files() {
    slice("nav-files");
}

#[test]
fn agents() {
    slice("agents");
}

#[test]
fn crowds() {
    slice("crowds");
}

#[test]
fn large_crowds() {
    slice("large-crowds");
}
