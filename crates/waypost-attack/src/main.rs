//! Runs the attack for a time, or a number of cases of each target.
//!
//! Cases are numbered from the seed on and taken by all threads in turn; targets take turns by time. What is found is
//! printed with the command that shows it again, and the run goes on, so that a night tells of more than its first hour.

mod campaign;

use campaign::{Campaign, attack};
use std::process::ExitCode;
use std::time::Duration;
use waypost_attack::{Arena, TARGETS, Target, run};

const USAGE: &str = "waypost-attack [--minutes N] [--cases N] [--seed S] [--target NAME] [--case SEED] [--threads N] [--binary FILE]";
/// Longer than anybody waits; where the number of cases is given, that ends the run.
const MAX_MINUTES: f64 = 100_000.0;

struct Plan {
    minutes: Option<f64>,
    cases: Option<u64>,
    threads: usize,
    seed: u64,
    target: Option<&'static Target>,
    case: Option<u64>,
    arena: Arena,
}

fn plan() -> Result<Plan, String> {
    let mut plan = Plan {
        minutes: None,
        cases: None,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        seed: 0,
        target: None,
        case: None,
        arena: Arena::default(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(flag) = words.next() {
        let value = words.next().ok_or(format!("{flag}: expected a value"))?;
        let number = || {
            value
                .parse()
                .map_err(|_| format!("{flag} {value}: expected a whole number"))
        };
        match flag.as_str() {
            "--minutes" => {
                let minutes = value
                    .parse()
                    .ok()
                    .filter(|m| (0.0..=MAX_MINUTES).contains(m));
                let expected = || format!("--minutes {value}: expected 0 to {MAX_MINUTES}");
                plan.minutes = Some(minutes.ok_or_else(expected)?);
            }
            "--cases" => plan.cases = Some(number()?),
            "--threads" => plan.threads = number()?.clamp(1, 1024) as usize,
            "--seed" => plan.seed = number()?,
            "--case" => plan.case = Some(number()?),
            "--binary" => plan.arena.binary = Some(value.into()),
            "--target" => {
                let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                let found = TARGETS.iter().find(|target| target.name == value);
                let expected = || format!("--target {value}: expected one of {}", known.join(", "));
                plan.target = Some(found.ok_or_else(expected)?);
            }
            _ => return Err(format!("unknown `{flag}`")),
        }
    }
    Ok(plan)
}

/// What `--help` prints.
fn help() -> String {
    let mut text = format!("Structured fuzzing from seeds\n\nUsage: {USAGE}\n\nTargets:\n");
    for target in TARGETS {
        text.push_str(&format!("  {:<14}{}\n", target.name, target.about));
    }
    text.push_str(
        "\nA case is a number: `--target NAME --case SEED` shows one again. Without --minutes and --cases all targets share a minute.\n\
         --binary is the `waypost` program that targets which start it run. Exit codes: 0 nothing found; 1 findings; 2 bad usage.\n",
    );
    text
}

fn main() -> ExitCode {
    if std::env::args()
        .skip(1)
        .any(|word| word == "--help" || word == "-h")
    {
        print!("{}", help());
        return ExitCode::SUCCESS;
    }
    let plan = match plan() {
        Ok(plan) => plan,
        Err(wrong) => {
            eprintln!("error: {wrong}; usage: {USAGE}");
            return ExitCode::from(2);
        }
    };
    // A finding is printed once, as a line of the summary; the panic's own words would drown it.
    std::panic::set_hook(Box::new(|_| {}));
    let targets: Vec<&Target> = match plan.target {
        Some(target) => vec![target],
        None => TARGETS.iter().collect(),
    };
    if let (Some(seed), [target]) = (plan.case, &targets[..]) {
        return match run(target, &plan.arena, seed) {
            Ok(work) => {
                println!("{} case {seed}: nothing found, {work:?}", target.name);
                ExitCode::SUCCESS
            }
            Err(found) => {
                println!("{} case {seed}: {found}", target.name);
                ExitCode::FAILURE
            }
        };
    }
    let minutes = match (plan.minutes, plan.cases) {
        (Some(minutes), _) => minutes,
        (None, Some(_)) => MAX_MINUTES,
        (None, None) => 1.0,
    };
    let campaign = Campaign {
        seed: plan.seed,
        cases: plan.cases.unwrap_or(u64::MAX),
        time: Duration::from_secs_f64(60.0 * minutes / targets.len() as f64),
        threads: plan.threads,
    };
    let found: usize = targets
        .iter()
        .map(|target| attack(target, &plan.arena, &campaign))
        .sum();
    ExitCode::from(u8::from(found > 0))
}
