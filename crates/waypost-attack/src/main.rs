//! Runs the attack for a time: `waypost-attack [--minutes N] [--seed S] [--target NAME] [--case SEED] [--binary FILE]`.
//!
//! Cases are numbered from the seed on and taken by all threads in turn; targets take turns by time. What is found is
//! printed with the command that shows it again, and the run goes on, so that a night tells of more than its first hour.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use waypost_attack::{Arena, TARGETS, Target, Work, run};

const USAGE: &str =
    "waypost-attack [--minutes N] [--seed S] [--target NAME] [--case SEED] [--binary FILE]";
/// Findings of one target that are printed: the first ones tell enough.
const PRINTED: usize = 5;

struct Plan {
    minutes: f64,
    seed: u64,
    target: Option<&'static Target>,
    case: Option<u64>,
    arena: Arena,
}

fn plan() -> Result<Plan, String> {
    let mut plan = Plan {
        minutes: 1.0,
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
                let minutes = value.parse().ok().filter(|m| (0.0..=100_000.0).contains(m));
                plan.minutes = minutes.ok_or(format!("--minutes {value}: expected 0 to 100000"))?;
            }
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

fn main() -> ExitCode {
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
    let share = Duration::from_secs_f64(60.0 * plan.minutes / targets.len() as f64);
    let found: usize = targets
        .iter()
        .map(|target| attack(target, &plan, share))
        .sum();
    ExitCode::from(u8::from(found > 0))
}

/// Attacks one target for a time, on all threads; says how many findings there were.
fn attack(target: &Target, plan: &Plan, time: Duration) -> usize {
    let begun = Instant::now();
    let next = AtomicU64::new(plan.seed);
    let total = Mutex::new((Work::default(), Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while begun.elapsed() < time {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let verdict = run(target, &plan.arena, seed);
                    let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                    match verdict {
                        Ok(work) => total.0 += work,
                        Err(found) => total.1.push((seed, found)),
                    }
                }
            });
        }
    });
    let (work, mut found) = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort();
    let seconds = begun.elapsed().as_secs_f64();
    let cases = next.into_inner() - plan.seed;
    println!(
        "{:<13} {cases:>9} cases from seed {}, {} executions ({:.0} a second), {} moves ({:.0} a second), {} findings",
        target.name,
        plan.seed,
        work.executions,
        work.executions as f64 / seconds,
        work.moves,
        work.moves as f64 / seconds,
        found.len()
    );
    for (seed, what) in found.iter().take(PRINTED) {
        println!(
            "  cargo xtask attack --target {} --case {seed}\n    {}",
            target.name,
            what.replace('\n', "\n    ")
        );
    }
    found.len()
}
