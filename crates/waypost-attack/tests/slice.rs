//! A slice of the attack, in every run of the tests. The whole: `cargo xtask attack --minutes N`. Targets that need the
//! program are run where it is built, in the tests of the command line.

use waypost_attack::{Arena, TARGETS, run, run_slice};

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

/// Cases that once were findings. Whoever changes how cases are drawn finds others: then these are no more than four of many.
#[test]
fn what_was_found_once_is_not_found_again() {
    let cases = [
        // A forged sectors index made walkers of a crowd circle.
        ("artifacts", 12_836),
        // Forged tables said that a goal in reach could not be reached.
        ("artifacts", 5_285_459),
        // The bound was not that of the agent that is made of a waiting index.
        ("agents", 1_000_003_237),
        // A move of quickpath took over a hierarchy with larger groups, after its bound was asked for.
        ("agents", 1_000_012_059),
    ];
    for (name, seed) in cases {
        let target = TARGETS.iter().find(|target| target.name == name);
        let target = target.expect("a target of this name");
        if let Err(found) = run(target, &Arena::default(), seed) {
            panic!("{name} case {seed}: {found}");
        }
    }
}
