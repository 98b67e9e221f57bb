//! Measurements that nobody wants any more end within a problem, not only between two.

use std::sync::atomic::{AtomicU64, Ordering};
use waypost::formats::scen::Problem;
use waypost::grid::{Grid, MoveRules};
use waypost::index::Indexes;
use waypost::progress::{NoProgress, Progress};
use waypost::spec::AgentSpec;
use waypost::{Map, Point};
use waypost_lab::bench::{Bench, BenchError};
use waypost_lab::journey::Conditions;
use waypost_lab::measure::MeasureError;

/// Has had enough after so many questions whether to go on.
struct Patience {
    left: AtomicU64,
    asked: AtomicU64,
}

impl Patience {
    fn of(questions: u64) -> Patience {
        Patience {
            left: questions.into(),
            asked: 0.into(),
        }
    }

    fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Progress for Patience {
    fn begin(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _parts: u64) {}
    fn is_cancelled(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        asked >= self.left.load(Ordering::Relaxed)
    }
}

/// A pocket that methods that learn take many moves to leave.
fn pocket() -> Map {
    let is_wall = |p: Point| {
        let inside = |n: u32| (20..=180).contains(&n);
        (p.x == 180 && inside(p.y)) || (inside(p.x) && (p.y == 20 || p.y == 180))
    };
    let grid = Grid::from_fn(200, 200, |p| !is_wall(p)).expect("a legal size");
    Map::new(grid, MoveRules::default())
}

fn problem(map: &Map) -> Problem {
    Problem {
        bucket: 0,
        map_name: "".into(),
        width: map.grid().width(),
        height: map.grid().height(),
        start: Point { x: 100, y: 100 },
        goal: Point { x: 199, y: 100 },
        length: 0.0,
        tolerance: 0.0,
    }
}

/// The moves of a problem under conditions, and what a bench says that has lost its patience after so many questions.
fn stopped(
    conditions: Conditions,
    questions: impl Fn(u64) -> u64,
) -> (u64, Option<BenchError>, u64) {
    let map = pocket();
    let specs = [AgentSpec::parse("lrta").expect("a good spec")];
    let listed = [problem(&map)];
    let given = Indexes::new();
    let bench = Bench::prepare(&map, &specs, &listed, given, conditions, &NoProgress);
    let bench = bench.expect("a problem with a way");
    let moves = bench.run(10_000_000, &NoProgress).expect("a walk")[0].moves_total;
    let patience = Patience::of(questions(moves));
    let refused = bench.run(10_000_000, &patience).err();
    (moves, refused, patience.asked())
}

fn is_cancelled(error: &Option<BenchError>) -> bool {
    matches!(error, Some(BenchError::Measure(MeasureError::Cancelled)))
}

#[test]
fn a_checked_walk_ends() {
    let (moves, error, asked) = stopped(Conditions::default(), |_| 100);
    assert!(is_cancelled(&error), "{error:?}");
    assert!(moves > 100_000 && asked < 110, "{asked} of {moves}");
}

/// The bare walk looks now and then, whatever its moves take.
#[test]
fn a_bare_walk_ends() {
    let (moves, error, _) = stopped(Conditions::default(), |moves| moves + 5);
    assert!(is_cancelled(&error), "{error:?} after {moves} moves");
}

#[test]
fn trials_end() {
    let conditions = Conditions {
        sensor: Some(3),
        trials: 5,
    };
    for questions in [100, 200_000] {
        let (_, error, asked) = stopped(conditions, |_| questions);
        assert!(is_cancelled(&error), "{error:?}");
        assert!(asked < questions + 10, "{asked}");
    }
}
