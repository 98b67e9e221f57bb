//! Crowds of every method, for long: patches, new goals, withdrawals, followers, walkers that come and go, with and without
//! shared cells. Every step is checked by the independent checker; nobody is lost; memory stops growing and is given back.
//!
//! In CI each method walks once or twice. `cargo xtask soak --minutes N` goes on with other seeds and longer walks until the
//! time is up.

mod common;

use common::crowd::Stage;
use std::time::{Duration, Instant};
use waypost::crowd::Options;
use waypost::spec::ALGORITHMS;
use waypost_testkit::allocations::{Counting, held_by_all_threads};
use waypost_testkit::{Rules, TestRng, shapes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Parameters that suit small maps.
const SMALL: [(&str, &str); 3] = [
    ("knn-lrta", "knn-lrta:records=300"),
    ("knn-lrta-2009", "knn-lrta-2009:records=300"),
    ("sectors", "sectors:side=8"),
];

/// Methods for thousands; searches of whole maps for each walker and each patch are for fewer.
const FOR_THOUSANDS: [&str; 5] = ["waypost", "labels", "knn-lrta", "sectors", "lrta"];

/// What a run did.
#[derive(Debug, Default)]
struct Tally {
    moves: u64,
    arrived: u64,
    patches: u64,
    waits: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.moves += other.moves;
        self.arrived += other.arrived;
        self.patches += other.patches;
        self.waits += other.waits;
    }
}

/// Something that a game might do to its walkers.
fn disturb(stage: &mut Stage) {
    let id = stage.any_walker();
    match stage.rng.below(12) {
        0 => stage.crowd.halt(id).expect("it is there"),
        1 => {
            let leader = stage.any_walker();
            stage.crowd.follow(id, leader).expect("both are there");
        }
        2 => {
            stage.crowd.remove(id).expect("walker and agent are there");
            assert!(stage.crowd.position(id).is_err(), "{}", stage.name());
            stage.ids.retain(|&other| other != id);
            stage.add_one();
        }
        _ => {
            let goal = stage.any_point();
            stage.crowd.send(id, goal).expect("on the map");
        }
    }
}

/// The most bytes held in each third of the run, beyond those held before and what walkers have learned.
type Thirds = [i64; 3];

fn walk(stage: &mut Stage, ticks: u64, before: i64) -> (Tally, Thirds) {
    let (mut tally, mut most) = (Tally::default(), [0; 3]);
    let walkers = stage.ids.len();
    stage.send_all();
    for tick in 0..ticks {
        for _ in 0..stage.rng.between(0, 2 + walkers as u32 / 100) {
            disturb(stage);
        }
        if tick % 7 == 3 {
            // Now and then walls go up where walkers stand.
            let keep = if tick % 21 == 3 {
                Vec::new()
            } else {
                stage.places()
            };
            stage.patch(40, &keep);
            tally.patches += 1;
        }
        let done = stage.tick();
        tally.moves += done.moves;
        tally.arrived += done.arrived;
        tally.waits += done.waits;
        let third = (3 * tick / ticks) as usize;
        if tick % 5 == 0 {
            let learned = stage.crowd.memory().learned as i64;
            most[third] = most[third].max(held_by_all_threads() - before - learned);
        }
        assert_eq!(stage.crowd.len(), walkers, "{}", stage.name());
    }
    (tally, most)
}

fn soak(algorithm: &str, seed: u64, exclusive: bool, ticks: u64) -> Tally {
    let small = SMALL.iter().find(|(name, _)| *name == algorithm);
    let spec = small.map_or(algorithm, |(_, spec)| spec);
    let thousands = FOR_THOUSANDS.contains(&algorithm);
    let (walkers, side) = if thousands { (2000, 130) } else { (150, 50) };
    let before = held_by_all_threads();
    let tally = {
        let map = shapes::noise(side, side - 10, 15, &mut TestRng::new(seed));
        let options = Options {
            set_up_operations: 500_000,
            // Repairs end between patches: one that is begun again and again holds more every time.
            repair_operations: 1_000_000,
            exclusive,
            ..Options::default()
        };
        let rules = Rules::all()[seed as usize % 6];
        let mut stage = Stage::new(spec, map, rules, options, seed);
        stage.add(walkers);
        let (tally, [first, middle, last]) = walk(&mut stage, ticks, before);
        assert!(tally.arrived > 0, "{}: nobody arrives", stage.name());
        // Queues, searches and repairs go up and down; what is never given back goes up, and goes on to.
        let is_within = |last: i64, most: i64| last <= most + most / 5 + 100_000;
        if !is_within(last, first.max(middle)) {
            let (_, [_, later, at_last]) = walk(&mut stage, 2 * ticks, before);
            assert!(
                is_within(later.max(at_last), last),
                "{}: {first} bytes, {middle}, {last}, {later}, then {at_last}",
                stage.name()
            );
        }
        for id in stage.ids.clone() {
            stage.crowd.remove(id).expect("walker and agent are there");
        }
        assert!(stage.crowd.is_empty());
        tally
    };
    let left = held_by_all_threads() - before;
    assert!(
        left < 100_000,
        "{spec} seed {seed}: {left} bytes were not given back"
    );
    tally
}

#[test]
fn crowds_of_every_method_last() {
    let minutes: Option<f64> = std::env::var("WAYPOST_SOAK_MINUTES")
        .ok()
        .and_then(|text| text.parse().ok());
    let begun = Instant::now();
    let is_over = |minutes: f64| begun.elapsed() >= Duration::from_secs_f64(60.0 * minutes);
    let mut sum = Tally::default();
    let (mut runs, mut seed) = (0u64, 0u64);
    loop {
        for algorithm in ALGORITHMS {
            let ticks = if minutes.is_some() { 5000 } else { 1400 };
            let exclusive = seed % 2 == 1;
            sum.add(&soak(algorithm.name, seed, exclusive, ticks));
            seed += 1;
            runs += 1;
            if minutes.is_some_and(is_over) {
                break;
            }
        }
        // The number of methods is odd or even: the second round takes the other half of `exclusive`.
        seed += 1 - ALGORITHMS.len() as u64 % 2;
        let done = match minutes {
            None => runs >= 2 * ALGORITHMS.len() as u64,
            Some(minutes) => is_over(minutes),
        };
        if done {
            break;
        }
    }
    println!("{runs} runs: {sum:?}");
}
