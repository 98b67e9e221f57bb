//! `cargo xtask test`: everything that must pass. The same command runs by hand and on every forge.
//!
//! A task is a function of a module here and a line in [`TASKS`].

mod arguments;
mod attack;
mod bevy;
mod capi;
mod checks;
mod full;
mod gppc;
mod instructions;
mod pictures;
mod platforms;
mod play;
mod python;
mod steps;
mod tools;

use arguments::Arguments;
use std::process::ExitCode;

/// What a task answers: whether all passed, or what was wrong with its arguments.
type Answer = Result<bool, String>;

struct Task {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(&Arguments) -> Answer,
}

const TASKS: &[Task] = &[
    Task {
        name: "quick",
        usage: "quick",
        about: "format, clippy and the fast tests: two minutes on a warm tree",
        run: checks::quick,
    },
    Task {
        name: "test",
        usage: "test [--only WORD,WORD]",
        about: "everything that must pass: format, clippy, tests, doc tests, documentation, instruction counts, the Python package, spelling; --only the steps whose names have such a word",
        run: checks::test,
    },
    Task {
        name: "full",
        usage: "full [--minutes N] [--only WORD,WORD]",
        about: "what takes hours: the tests in release, features, packages, the oldest toolchain, other platforms, and N minutes (60) each of attack, fuzzing and soak; --only steps with such a word",
        run: full::full,
    },
    Task {
        name: "attack",
        usage: "attack [--minutes N] [--cases N] [--seed S] [--target NAME] [--case SEED] [--threads N]",
        about: "structured fuzzing of everything for N minutes (10) or a number of cases, from a seed",
        run: attack::attack,
    },
    Task {
        name: "sanitize",
        usage: "sanitize [--minutes N] [--cases N] [--seed S] [--threads N]",
        about: "the readers of the attack, with the address sanitizer, for N minutes (10) or a number of cases each",
        run: attack::sanitize,
    },
    Task {
        name: "fuzz",
        usage: "fuzz [--minutes N]",
        about: "cargo-fuzz with the sanitizer on every parser for N minutes (10) in all",
        run: attack::fuzz,
    },
    Task {
        name: "soak",
        usage: "soak [--minutes N]",
        about: "crowds of every method for N minutes (10), every step checked, memory watched",
        run: attack::soak,
    },
    Task {
        name: "golden",
        usage: "golden [--update]",
        about: "compares the golden digests (debug, release, without threads), or writes them again",
        run: checks::golden,
    },
    Task {
        name: "platforms",
        usage: "platforms",
        about: "compares the golden digests on 64-bit ARM and WebAssembly, where their tools are here",
        run: |_| Ok(full::platforms()),
    },
    Task {
        name: "instructions",
        usage: "instructions [--update]",
        about: "compares the instruction counts of fixed queries with the record, or writes it again",
        run: |arguments| Ok(instructions::check(arguments.has("--update"))),
    },
    Task {
        name: "capi",
        usage: "capi [--header | --fuzz [CALLS] | --overhead]",
        about: "the C library with headers, pkg-config file and CMake package (target/capi); --header writes waypost.h again from the source, --fuzz does ten million calls with bad values (the tests do one), --overhead compares with calls from Rust",
        run: capi::capi,
    },
    Task {
        name: "gppc",
        usage: "gppc [--check]",
        about: "the competition entry (target/gppc); --check drives it on the maps of WAYPOST_MAPS and checks every path",
        run: |arguments| Ok(gppc::write(arguments.has("--check"))),
    },
    Task {
        name: "bevy",
        usage: "bevy [--northstar [SIDE QUERIES WALKERS FRAMES] | --window [--check]]",
        about: "what the plugin for Bevy costs beside the bare crowd; --northstar compares it with bevy_northstar, --window shows an example with the whole of Bevy",
        run: bevy::measure,
    },
    Task {
        name: "wheel",
        usage: "wheel",
        about: "the Python package (target/wheels)",
        run: |_| Ok(python::wheel()),
    },
    Task {
        name: "python",
        usage: "python",
        about: "the Python package in an environment of its own: wheel, tests, doctests, types",
        run: |_| Ok(python::test()),
    },
    Task {
        name: "play",
        usage: "play [--release | --large | --pictures]",
        about: "the playground in a real browser, with pictures of every step (target/play); --large measures a map of 100 million cells; --pictures draws those of the README again (docs/guide/src/images/playground.png, docs/playground.gif)",
        run: play::play,
    },
    Task {
        name: "pictures",
        usage: "pictures",
        about: "draws the film of the README and the pictures of the guide again (docs/crowd.gif, docs/guide/src/methods/images)",
        run: |_| Ok(pictures::draw()),
    },
];

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    if matches!(name.as_str(), "--help" | "-h" | "help") {
        for task in TASKS {
            println!("cargo xtask {}\n    {}", task.usage, task.about);
        }
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        let known: Vec<&str> = TASKS.iter().map(|task| task.name).collect();
        eprintln!(
            "error: unknown task `{name}`; expected one of: {}",
            known.join(", ")
        );
        return ExitCode::from(2);
    };
    match (task.run)(&Arguments::given()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(wrong) => {
            eprintln!("error: {wrong}; usage: cargo xtask {}", task.usage);
            ExitCode::from(2)
        }
    }
}
