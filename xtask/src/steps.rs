//! Steps of tasks: run in order, all of them even after a failure, and summed up with their times.

use std::process::{Command, Stdio};
use std::time::Instant;

/// How a step went.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Passed,
    /// Not as it should.
    Failed,
    /// What it needs is not here.
    Skipped,
}

impl From<bool> for Outcome {
    fn from(passed: bool) -> Outcome {
        if passed {
            Outcome::Passed
        } else {
            Outcome::Failed
        }
    }
}

/// Runs steps and keeps the score.
#[derive(Default)]
pub struct Steps {
    /// Words that the names of steps must have one of; empty for all steps.
    only: Vec<String>,
    done: Vec<(String, Outcome, u64)>,
}

impl Steps {
    /// Steps of which those run whose names have one of these words in them, or all where there are none.
    pub fn only(words: Vec<String>) -> Steps {
        let done = Vec::new();
        Steps { only: words, done }
    }

    /// A step that runs cargo.
    pub fn cargo(&mut self, name: &str, arguments: &[&str]) {
        self.cargo_with(name, arguments, &[]);
    }

    /// A step that runs cargo with variables set.
    pub fn cargo_with(&mut self, name: &str, arguments: &[&str], variables: &[(&str, &str)]) {
        self.run(name, || {
            println!("    cargo {}", arguments.join(" "));
            cargo(arguments, variables).into()
        });
    }

    /// Any other step.
    pub fn run(&mut self, name: &str, step: impl FnOnce() -> Outcome) {
        let is_wanted = self.only.is_empty() || self.only.iter().any(|word| name.contains(word));
        if !is_wanted {
            return;
        }
        println!("==> {name}");
        let begun = Instant::now();
        let outcome = step();
        let seconds = begun.elapsed().as_secs();
        self.done.push((name.to_string(), outcome, seconds));
    }

    /// Prints the summary; true where nothing failed and something ran.
    pub fn sum_up(&self) -> bool {
        if self.done.is_empty() {
            eprintln!(
                "error: no step has `{}` in its name",
                self.only.join("` or `")
            );
            return false;
        }
        println!("\nsummary");
        for (name, outcome, seconds) in &self.done {
            let verdict = match outcome {
                Outcome::Passed => "passed",
                Outcome::Failed => "FAILED",
                Outcome::Skipped => "skipped",
            };
            println!("  {name:<34} {verdict:<8} {seconds:>5} s");
        }
        let failed = self.done.iter().filter(|done| done.1 == Outcome::Failed);
        failed.count() == 0
    }
}

/// Runs cargo; false where it fails or does not start.
pub fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> bool {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let status = Command::new(program)
        .args(arguments)
        .envs(variables.iter().copied())
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("error: cargo did not start: {error}");
            false
        }
    }
}

/// Runs a program without its output; returns whether it is there and succeeds.
pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
