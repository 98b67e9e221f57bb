//! Compressed path databases through the public interface: no allocation a move, files of any shape.

mod common;

use common::{cell, engine_map};
use std::sync::Arc;
use waypost::agent::Scratch;
use waypost::agent::{Agent, Context, Decision};
use waypost::artifact::Artifact;
use waypost::index::cpd::{Encoding, PathDatabase};
use waypost::index::{IndexKind, IndexRequest, build, open};
use waypost::methods::cpd::{DatabaseAgent, Repair};
use waypost::progress::NoProgress;
use waypost_testkit::allocations::{Counting, is_counting, measure};
use waypost_testkit::{Rules, shapes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_move_allocates_nothing() {
    assert!(is_counting());
    let test = shapes::any(12, 30, 40);
    let map = engine_map(&test, Rules::all()[0]);
    let cells = test.open_cells();
    for encoding in Encoding::ALL {
        let request = IndexRequest::new(IndexKind::Cpd).with("encoding", encoding.name());
        let database = PathDatabase::build(&map, &request, &NoProgress).expect("a small map");
        let mut agent = DatabaseAgent::new(Arc::new(database), Repair::AtOnce);
        let mut scratch = Scratch::new();
        let (mut at, goal) = (cell(&map, cells[0]), cell(&map, cells[cells.len() - 1]));
        agent.start(&mut Context::new(&map, &mut scratch), at, goal);
        let (moves, allocations) = measure(|| {
            let mut context = Context::new(&map, &mut scratch);
            let mut moves = 0;
            while let Decision::Step(next) = agent.next_move(&mut context, at) {
                at = next;
                moves += 1;
            }
            moves
        });
        assert!(
            moves > 0 || !map.components().connected(at, goal),
            "{encoding:?}"
        );
        assert_eq!(allocations.count, 0, "{encoding:?}: {moves} moves");
    }
}

#[test]
fn a_file_gives_back_what_was_built() {
    for seed in 0..8 {
        let test = shapes::any(seed, 5, 30);
        let map = engine_map(&test, Rules::all()[(seed % 6) as usize]);
        let request = IndexRequest::new(IndexKind::Cpd);
        let built =
            build(&map, &request, waypost::index::Shard::WHOLE, &NoProgress).expect("small");
        let artifact = Artifact::open(built.to_bytes()).expect("just written");
        let opened = open(&artifact, &map).expect("just written");
        assert_eq!(opened.to_bytes(), built.to_bytes());
        assert_eq!(opened.records(), built.records());
    }
}
