//! A build that nobody wants any more ends within a few pieces of work, not with the last one.

use std::sync::atomic::{AtomicU64, Ordering};
use waypost::generate::{Kind, generate};
use waypost::index::{BuildError, IndexKind, IndexRequest, Shard, build};
use waypost::progress::Progress;
use waypost::{Map, MoveRules};

/// Wants no more after so many parts.
struct Enough {
    parts: u64,
    done: AtomicU64,
}

impl Progress for Enough {
    fn begin(&self, _stage: &str, _total: u64) {}

    fn advance(&self, parts: u64) {
        self.done.fetch_add(parts, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.parts
    }
}

fn parts_done(request: &IndexRequest) -> u64 {
    let grid = generate(Kind::Rooms, 120, 120, 1).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let progress = Enough {
        parts: 1,
        done: AtomicU64::new(0),
    };
    let built = build(&map, request, Shard::WHOLE, &progress);
    assert!(matches!(built, Err(BuildError::Cancelled)));
    progress.done.into_inner()
}

#[test]
fn records_are_not_made_to_the_end() {
    let request = IndexRequest::new(IndexKind::Subgoals).with("records", 1_000_000);
    assert!(parts_done(&request) < 10_000);
}

#[test]
fn rows_are_not_made_to_the_end() {
    let request = IndexRequest::new(IndexKind::Cpd);
    assert!(parts_done(&request) < 8_000);
}

#[test]
fn sectors_are_not_made_to_the_end() {
    let request = IndexRequest::new(IndexKind::Sectors).with("side", 8);
    assert!(parts_done(&request) < 100);
}
