//! The move in which an agent takes a newer index over: it goes on where it was, and what the index needs beside it is there already.

mod common;

use common::lone::{Lone, try_build};
use waypost::Decision;
use waypost::agent::Scratch;
use waypost::index::{IndexKind, IndexRequest};
use waypost::progress::NoProgress;
use waypost_testkit::allocations::{Counting, measure};
use waypost_testkit::{Rules, TestMap, TestRng, check_path, optimal_cost, shapes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Builds the index again for the map as it is, by a job, and publishes it.
fn rebuild(lone: &Lone) {
    let slot = lone.indexes.slots().next().expect("one index");
    let job = slot
        .rebuild_job(&lone.map, true)
        .expect("none is under way");
    job.run(&NoProgress);
    let before = slot.version();
    for _ in 0..1_000 {
        lone.indexes.advance(&lone.map, 1 << 40, true);
    }
    assert!(slot.version() > before);
}

fn kind(lone: &Lone) -> IndexKind {
    let slot = lone.indexes.slots().next().expect("one index");
    slot.index().used_kind()
}

/// Every repair and rebuild made the default agent again in the next move, which forgot its plan and allocated.
#[test]
fn an_index_of_the_same_kind_is_taken_over_without_a_trace() {
    let cases = [
        ("waypost", shapes::noise(90, 90, 8, &mut TestRng::new(4))),
        ("labels", shapes::noise(90, 90, 8, &mut TestRng::new(4))),
        ("waypost", shapes::noise(90, 90, 38, &mut TestRng::new(4))),
        ("sectors", shapes::noise(90, 90, 38, &mut TestRng::new(4))),
    ];
    for (spec, map) in cases {
        let mut scratch = Scratch::new();
        let mut life = |mut lone: Lone| {
            let mut rng = TestRng::new(77);
            let mut any = || lone.test_map.random_open_cell(&mut rng).expect("open");
            let (from, goal) = (any(), any());
            lone.start(&mut scratch, from, goal);
            for _ in 0..8 {
                lone.ask(&mut scratch);
            }
            lone.patch_rectangle((40, 40), (2, 2), false);
            rebuild(&lone);
            lone.allocations = 0;
            lone.walk(&mut scratch, 100_000);
            lone.allocations
        };
        let lone = || Lone::new(spec, &map, Rules::all()[0], 4).expect("it suits the map");
        // The first life is the set-up of the thread's memory.
        life(lone());
        assert_eq!(life(lone()), 0, "{spec}");
    }
}

/// Where a rebuild has chosen labels in the place of sectors, the next move built a jump-point graph.
#[test]
fn what_an_index_of_another_kind_needs_is_made_by_whoever_builds_it() {
    let map = shapes::noise(240, 240, 40, &mut TestRng::new(9));
    let mut lone = Lone::new("waypost", &map, Rules::all()[0], 9).expect("it suits all maps");
    assert_eq!(kind(&lone), IndexKind::Sectors);
    let mut scratch = Scratch::new();
    lone.patch_rectangle((0, 0), (3, 3), true);
    lone.start(&mut scratch, (0, 0), (2, 2));
    lone.walk(&mut scratch, 100);
    // Pillars alone are left of the noise.
    for y in (0..240).step_by(6) {
        lone.patch_rectangle((0, y), (240, 5), true);
    }
    for x in (0..240).step_by(6) {
        lone.patch_rectangle((x, 0), (5, 240), true);
    }
    lone.start(&mut scratch, (0, 0), (239, 234));
    lone.ask(&mut scratch);
    rebuild(&lone);
    assert_eq!(kind(&lone), IndexKind::Labels);
    let bound = lone.bound().expect("the default has one, always");
    let graph = waypost::index::jump::JumpGraph::build(&lone.map);
    let graph_bytes = waypost::index::Index::memory_bytes(&graph) as u64;
    let (_, used) = measure(|| lone.ask(&mut scratch));
    assert!(used.bytes < graph_bytes / 2, "{used:?}, {graph_bytes}");
    assert!(lone.costliest <= bound);
    assert!(lone.walk(&mut scratch, 10_000).is_some());
    let mut open = TestMap::filled(240, 240, true);
    for y in (5..240).step_by(6) {
        for x in (5..240).step_by(6) {
            open.set(x, y, lone.test_map.is_open_at((x, y)));
        }
    }
    assert_eq!(open.to_text(), lone.test_map.to_text());
}

/// Walls across the way, each with a gap or two: a path has a hundred bends, so that it is laid out in pieces.
fn walls_with_gaps(rng: &mut TestRng, (width, height): (u32, u32)) -> TestMap {
    let mut map = TestMap::filled(width, height, true);
    for x in (3..width).step_by(4) {
        map.set_rectangle(x, 0, 1, height, false);
        for _ in 0..2 {
            map.set_rectangle(x, rng.below(height - 1), 1, 2, true);
        }
    }
    map
}

/// What was kept of a way of the labels before stood in the place of the agent's notes, where the map went from A to B and back to A with an
/// index of B published between: agents stood still for hundreds of moves.
#[test]
fn a_map_that_goes_back_after_an_index_was_published_does_not_stop_agents() {
    let mut scratch = Scratch::new();
    let mut longest_stand = 0;
    for seed in 0..30 {
        let mut rng = TestRng::new(seed);
        let map = walls_with_gaps(&mut rng, (240, 40));
        let mut lone = Lone::new("waypost", &map, Rules::all()[0], seed).expect("it suits the map");
        let (from, goal) = ((0, rng.below(40)), (238, rng.below(40)));
        lone.start(&mut scratch, from, goal);
        for _ in 0..8 {
            lone.ask(&mut scratch);
        }
        let (corner, size) = ((rng.between(60, 220) / 4 * 4 + 3, 0), (1, 40));
        let before = lone.open_cells(corner, size);
        match seed % 3 {
            0 => lone.patch_rectangle(corner, size, true),
            1 => lone.patch_rectangle(corner, (1, rng.between(10, 30)), true),
            _ => lone.patch_rectangle((corner.0, rng.below(20)), (1, 12), false),
        }
        rebuild(&lone);
        for _ in 0..rng.below(200) {
            lone.ask(&mut scratch);
        }
        lone.put_back(corner, size, &before);
        let mut stand = 0;
        loop {
            match lone.ask(&mut scratch) {
                Decision::Thinking => stand += 1,
                Decision::Step(_) => stand = 0,
                _ => break,
            }
            longest_stand = longest_stand.max(stand);
            assert!(stand < 2000, "{}", lone.story());
        }
    }
    assert!(longest_stand <= 64, "{longest_stand}");
}

/// Where labels of another order took the place of those of which a way was kept, one in eighty walks went on along a way that meant something else.
#[test]
fn labels_of_another_order_leave_walks_shortest() {
    let mut scratch = Scratch::new();
    for seed in (0..12).chain([163, 177, 257, 320, 377]) {
        let mut rng = TestRng::new(seed);
        let map = walls_with_gaps(&mut rng, (400, 24));
        let rules = Rules::all()[seed as usize % 6];
        let mut lone = Lone::new("labels", &map, rules, seed).expect("it suits the map");
        let (from, goal) = ((0, rng.below(24)), (398, rng.below(24)));
        lone.start(&mut scratch, from, goal);
        let mut path = vec![from];
        let mut ask = |lone: &mut Lone, moves: u32| {
            for _ in 0..moves {
                if let Decision::Step(_) = lone.ask(&mut scratch) {
                    path.push(lone.at);
                }
            }
        };
        ask(&mut lone, 1 + rng.below(60));
        for order in ["degree", "betweenness", "coverage"] {
            let request = IndexRequest::new(IndexKind::Labels).with("order", order);
            let index = try_build(&lone.map, &request).expect("it suits the map");
            let replaced = lone.indexes.replace(&lone.map, index);
            replaced.expect("it is of this map");
            ask(&mut lone, 1 + rng.below(200));
        }
        ask(&mut lone, 3_000);
        let walked = check_path(&map, rules, &path).expect("every step was checked");
        let best = optimal_cost(&map, rules, from, goal);
        assert_eq!((lone.at, Some(walked.cost)), (goal, best), "seed {seed}");
    }
}
