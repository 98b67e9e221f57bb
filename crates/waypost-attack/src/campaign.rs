//! Cases by the million: numbered from a seed, taken by all threads in turn, until the time is up or the number is reached.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use waypost_attack::{Arena, Target, Work, run};

/// Findings of one target that are printed: the first ones tell enough.
const PRINTED: usize = 5;
/// A case that takes longer hangs. The slowest ones, crowds of ten thousand, take seconds, and many minutes on a machine that is busy.
const HANG: Duration = Duration::from_secs(3600);
/// How often a long run says how far it is.
const REPORT: Duration = Duration::from_secs(60);

/// How much is tried.
pub struct Campaign {
    /// The first case.
    pub seed: u64,
    /// The number of cases that are taken, or as many as the time allows.
    pub cases: u64,
    /// When no further case is begun.
    pub time: Duration,
    /// Threads that take cases.
    pub threads: usize,
}

/// What has been done and found so far.
#[derive(Default)]
struct Score {
    work: Work,
    cases: u64,
    found: Vec<(u64, String)>,
    /// What every thread is at, and since when.
    under_way: Vec<Option<(u64, Instant)>>,
    is_over: bool,
}

struct Board {
    score: Mutex<Score>,
    over: Condvar,
}

impl Board {
    fn score(&self) -> MutexGuard<'_, Score> {
        self.score.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Attacks one target; says how many findings there were.
pub fn attack(target: &Target, arena: &Arena, campaign: &Campaign) -> usize {
    let begun = Instant::now();
    let next = AtomicU64::new(0);
    let board = Board {
        score: Mutex::new(Score {
            under_way: vec![None; campaign.threads],
            ..Score::default()
        }),
        over: Condvar::new(),
    };
    std::thread::scope(|scope| {
        scope.spawn(|| watch(target, campaign.seed, &board, begun));
        let threads: Vec<_> = (0..campaign.threads)
            .map(|thread| {
                let (board, next) = (&board, &next);
                scope.spawn(move || {
                    while begun.elapsed() < campaign.time {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= campaign.cases {
                            break;
                        }
                        one(target, arena, campaign.seed + number, thread, board);
                    }
                })
            })
            .collect();
        for thread in threads {
            let _ = thread.join();
        }
        board.score().is_over = true;
        board.over.notify_all();
    });
    let mut score = board.score();
    score.found.sort();
    println!("{}", summary(target, campaign.seed, &score, begun));
    for (seed, what) in score.found.iter().take(PRINTED) {
        println!(
            "  cargo xtask attack --target {} --case {seed}\n    {}",
            target.name,
            what.replace('\n', "\n    ")
        );
    }
    score.found.len()
}

fn one(target: &Target, arena: &Arena, seed: u64, thread: usize, board: &Board) {
    board.score().under_way[thread] = Some((seed, Instant::now()));
    let verdict = run(target, arena, seed);
    let mut score = board.score();
    score.under_way[thread] = None;
    score.cases += 1;
    match verdict {
        Ok(work) => score.work += work,
        Err(found) => {
            let first = found.lines().next().unwrap_or_default();
            eprintln!("{} case {seed}: {first}", target.name);
            score.found.push((seed, found));
        }
    }
}

/// Says now and then how far the run is, and ends the program where a case does not end.
fn watch(target: &Target, seed: u64, board: &Board, begun: Instant) {
    let mut score = board.score();
    while !score.is_over {
        let waited = board.over.wait_timeout(score, REPORT);
        score = waited.unwrap_or_else(PoisonError::into_inner).0;
        if score.is_over {
            return;
        }
        let mut hanging = score.under_way.iter().flatten();
        if let Some((case, since)) = hanging.find(|(_, since)| since.elapsed() > HANG) {
            let seconds = since.elapsed().as_secs();
            let name = target.name;
            println!(
                "  cargo xtask attack --target {name} --case {case}\n    has not ended after {seconds} s"
            );
            process::exit(1);
        }
        eprintln!("{}", summary(target, seed, &score, begun));
    }
}

fn summary(target: &Target, seed: u64, score: &Score, begun: Instant) -> String {
    let seconds = begun.elapsed().as_secs_f64();
    format!(
        "{:<13} {:>9} cases from seed {seed}, {} executions ({:.0} a second), {} moves ({:.0} a second), {} findings",
        target.name,
        score.cases,
        score.work.executions,
        score.work.executions as f64 / seconds,
        score.work.moves,
        score.work.moves as f64 / seconds,
        score.found.len()
    )
}
