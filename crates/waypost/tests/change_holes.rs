//! Holes that attacks once found in how agents and indexes follow a map that changes. Each has a test of its own.

mod common;

use common::lone::{Lone, try_build};
use common::{cell, engine_map};
use waypost::agent::Scratch;
use waypost::crowd::{Options, Status};
use waypost::index::Indexes;
use waypost::index::slot::ReplaceError;
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::{Decision, GridPatch, Point};
use waypost_testkit::allocations::{Counting, measure};
use waypost_testkit::shapes::Shape;
use waypost_testkit::{Rules, TestMap, TestRng};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MAX_MOVES: u32 = 100_000;

fn registered() -> impl Iterator<Item = String> {
    ALGORITHMS.iter().map(|algorithm| {
        let draws_records = algorithm.keys.iter().any(|(key, _)| *key == "records");
        let records = if draws_records { ":records=20" } else { "" };
        format!("{}{records}", algorithm.name)
    })
}

/// Two clones of a map under one spec exchanged their repaired graphs: agents of the one walked through walls of the other.
#[test]
fn hole_1_two_worlds_of_one_spec_share_nothing_that_differs() {
    let open = TestMap::filled(12, 7, true);
    let rules = Rules::all()[0];
    for spec in registered() {
        let Ok(origin) = Lone::new(&spec, &open, rules, 1) else {
            continue;
        };
        let world = || {
            let spec = AgentSpec::parse(&spec).expect("a good spec");
            let (map, indexes) = (origin.map.clone(), origin.indexes.clone());
            Lone::on(spec, &open, map, indexes, (rules, 1)).expect("the same map")
        };
        let (mut first, mut second) = (world(), world());
        let mut scratch = Scratch::new();
        first.start(&mut scratch, (0, 3), (11, 3));
        second.start(&mut scratch, (0, 3), (11, 3));
        first.patch_rectangle((0, 6), (12, 1), false);
        second.patch_rectangle((6, 0), (1, 6), false);
        for _ in 0..6 {
            first.ask(&mut scratch);
            second.ask(&mut scratch);
        }
        assert!(first.walk(&mut scratch, MAX_MOVES).is_some(), "{spec}");
        assert!(second.walk(&mut scratch, MAX_MOVES).is_some(), "{spec}");
    }
}

/// Agents that nobody told of a patch made illegal steps, looped or said `Unreachable`.
#[test]
fn hole_2_nobody_has_to_be_told_of_a_patch() {
    for seed in 0..24 {
        let mut rng = TestRng::new(seed);
        let rules = Rules::all()[seed as usize % 6];
        let map = Shape::Rooms.make(24, 24, &mut rng);
        for spec in registered() {
            let Ok(mut lone) = Lone::new(&spec, &map, rules, seed) else {
                continue;
            };
            let mut scratch = Scratch::new();
            let ends = [(); 2].map(|()| map.random_open_cell(&mut rng).expect("open"));
            lone.start(&mut scratch, ends[0], ends[1]);
            for _ in 0..8 {
                for _ in 0..3 {
                    lone.ask(&mut scratch);
                }
                lone.patch_anywhere(&mut rng);
            }
            lone.walk(&mut scratch, MAX_MOVES);
        }
    }
}

/// An index of another map or size was taken: illegal steps, panics, an endless push.
#[test]
fn hole_3_an_index_of_another_map_is_refused_with_a_clear_error() {
    let rules = Rules::all()[0];
    let map = TestMap::filled(20, 14, true);
    let mut other = TestMap::filled(31, 9, true);
    other.set_rectangle(5, 3, 4, 4, false);
    let same_size = {
        let mut map = map.clone();
        map.set_rectangle(3, 3, 5, 5, false);
        map
    };
    for spec in registered() {
        let Ok(lone) = Lone::new(&spec, &map, rules, 1) else {
            continue;
        };
        for wrong in [&other, &same_size] {
            let Ok(wrong) = Lone::new(&spec, wrong, rules, 1) else {
                continue;
            };
            if lone.spec.needs().is_empty() {
                continue;
            }
            let refused = lone.spec.build(&lone.map, &wrong.indexes).err();
            let message = refused.map(|error| error.to_string()).unwrap_or_default();
            assert!(message.contains("another map"), "{spec}: {message:?}");
            for index in wrong.indexes.iter() {
                let refused = lone.indexes.replace(&lone.map, index.clone());
                let message = refused.map_err(|error| error.to_string());
                let message = message.err().unwrap_or_default();
                assert!(message.contains("another map"), "{spec}: {message:?}");
            }
        }
    }
}

/// A slot took the index of a clone that had changed on its own, where that clone came with it.
#[test]
fn hole_3_an_index_of_a_clone_that_has_changed_is_refused() {
    let map = Shape::Caves.make(40, 40, &mut TestRng::new(3));
    for spec in ["waypost", "labels", "sectors", "jump-graph", "cpd"] {
        let lone = Lone::new(spec, &map, Rules::all()[0], 1).expect("it suits the map");
        let mut clone = lone.map.clone();
        let equal = lone.map.clone();
        let mut patch = GridPatch::new();
        for x in 5..25 {
            patch.set(Point { x, y: 20 }, x % 2 == 0);
        }
        clone.apply(&patch);
        let index = try_build(&clone, &lone.spec.needs()[0]).expect("it suits the map");
        let refused = lone.indexes.replace(&clone, index);
        assert_eq!(refused, Err(ReplaceError::OtherWorld), "{spec}");
        let own = try_build(&equal, &lone.spec.needs()[0]).expect("it suits the map");
        lone.indexes.replace(&equal, own).expect("an equal map");
    }
}

/// A slot took an index of a map that it had never followed, where that map came with it.
#[test]
fn hole_3_an_index_that_comes_with_another_map_is_refused() {
    let mut rng = TestRng::new(31);
    let rules = Rules::all()[0];
    let [first, other] = [(); 2].map(|()| Shape::Caves.make(40, 40, &mut rng));
    for spec in ["waypost", "labels", "sectors", "jump-graph"] {
        let mut lone = Lone::new(spec, &first, rules, 3).expect("it suits the map");
        let stranger = Lone::new(spec, &other, rules, 3).expect("it suits the map");
        let index = stranger.indexes.iter().next().expect("one").clone();
        let refused = lone.indexes.replace(&stranger.map, index);
        assert!(matches!(refused, Err(ReplaceError::OtherMap(_))), "{spec}");
        // The slot's own map is taken however often it has changed since anybody looked.
        for _ in 0..300 {
            lone.patch_anywhere(&mut rng);
        }
        let request = &lone.spec.needs()[0];
        let own = try_build(&lone.map, request).expect("it suits the map");
        lone.indexes.replace(&lone.map, own).expect("its own map");
    }
}

/// Each default agent built a jump graph of its own after a patch, inside a move, and its bound was gone for good.
#[test]
fn hole_4_a_hundred_agents_share_what_a_patch_costs() {
    let mut rng = TestRng::new(3);
    let map = Shape::Rooms.make(200, 200, &mut rng);
    let rules = Rules::all()[0];
    let mut first = Lone::new("waypost", &map, rules, 3).expect("rooms suit labels");
    let bytes_and_operations = |agents: usize, first: &mut Lone| {
        let (map, indexes) = (first.map.clone(), first.indexes.fork());
        let spec = AgentSpec::default();
        let mut built: Vec<_> = (0..agents)
            .map(|_| spec.build(&map, &indexes).expect("its own index"))
            .collect();
        let mut map = map;
        let mut scratch = Scratch::new();
        let mut rng = TestRng::new(9);
        let ends: Vec<_> = (0..agents)
            .map(|_| {
                [(); 2].map(|()| {
                    cell(
                        &map,
                        first.test_map.random_open_cell(&mut rng).expect("open"),
                    )
                })
            })
            .collect();
        for (agent, [from, goal]) in built.iter_mut().zip(&ends) {
            let mut context = waypost::Context::new(&map, &mut scratch);
            agent.start(&mut context, *from, *goal);
            agent.next_move(&mut context, *from);
        }
        let mut patch = GridPatch::new();
        for (x, y) in (90..100).flat_map(|x| (90..100).map(move |y| (x, y))) {
            patch.set(Point { x, y }, false);
        }
        let walk = || {
            map.apply(&patch);
            let mut operations = 0;
            for (agent, [from, goal]) in built.iter_mut().zip(&ends) {
                let mut at = *from;
                let mut context = waypost::Context::new(&map, &mut scratch);
                let bound = agent.operations_bound(&map).expect("a bound, always");
                for _ in 0..1_000 {
                    context.meter = waypost::Meter::default();
                    match agent.next_move(&mut context, at) {
                        Decision::Step(to) => at = to,
                        Decision::Thinking => {}
                        Decision::Arrived | Decision::Unreachable => break,
                    }
                    assert!(context.meter.operations() <= bound);
                    operations += context.meter.operations();
                }
                assert!(at == *goal || !map.components().connected(at, *goal));
            }
            operations
        };
        let (operations, used) = measure(walk);
        (used.held_bytes, operations)
    };
    let one = bytes_and_operations(1, &mut first);
    let hundred = bytes_and_operations(100, &mut first);
    // What they share is made once; each has a path of its own, a few kilobytes at most.
    let grown = hundred.0 - one.0;
    assert!(grown < 100 * 4_096, "{one:?}, {hundred:?}");
}

/// A follower in a wall became idle when its leader was removed, and could be asked to step out of the wall.
#[test]
fn hole_5_a_blocked_follower_without_a_leader_stays_in_its_wall() {
    let map = engine_map(&TestMap::filled(12, 7, true), Rules::all()[0]);
    let spec = AgentSpec::parse("astar").expect("a good spec");
    let options = Options {
        exclusive: true,
        ..Options::default()
    };
    let mut crowd = spec
        .crowd(&map, &Indexes::new(), options)
        .expect("A* runs anywhere");
    let leader = crowd.add(Point { x: 9, y: 3 }).expect("free");
    let follower = crowd.add(Point { x: 2, y: 3 }).expect("free");
    let pusher = crowd.add(Point { x: 1, y: 3 }).expect("free");
    crowd.follow(follower, leader).expect("both are there");
    let patch = GridPatch::new().block(Point { x: 2, y: 3 });
    crowd.patch(&patch);
    crowd.tick();
    crowd.remove(leader).expect("it is there");
    crowd
        .send(pusher, Point { x: 11, y: 3 })
        .expect("on the map");
    for _ in 0..40 {
        crowd.tick();
        let at = crowd.position(follower).expect("nobody is lost");
        assert_eq!(at, Point { x: 2, y: 3 });
    }
    assert_eq!(crowd.status(pusher), Ok(Status::Arrived));
}

/// `sectors` remembered what could be reached: moved to another island it said `Unreachable` for ever, even on its goal.
#[test]
fn hole_6_reachability_is_looked_at_and_not_remembered() {
    let mut islands = TestMap::filled(40, 12, true);
    islands.set_rectangle(19, 0, 2, 12, false);
    for rules in Rules::all() {
        for spec in registered() {
            let Ok(mut lone) = Lone::new(&spec, &islands, rules, 6) else {
                continue;
            };
            let mut scratch = Scratch::new();
            lone.start(&mut scratch, (1, 1), (17, 10));
            lone.ask(&mut scratch);
            lone.at = (30, 5);
            assert_eq!(lone.ask(&mut scratch), Decision::Unreachable, "{spec}");
            lone.at = (17, 10);
            assert_eq!(lone.ask(&mut scratch), Decision::Arrived, "{spec}");
            lone.at = (2, 7);
            assert!(lone.walk(&mut scratch, MAX_MOVES).is_some(), "{spec}");
        }
    }
}

/// Agents said `Arrived` on a goal that had become a wall.
#[test]
fn hole_13_nobody_arrives_in_a_wall() {
    let open = TestMap::filled(20, 9, true);
    for rules in Rules::all() {
        for spec in registered() {
            let Ok(mut lone) = Lone::new(&spec, &open, rules, 13) else {
                continue;
            };
            let mut scratch = Scratch::new();
            lone.start(&mut scratch, (1, 4), (18, 4));
            assert!(lone.walk(&mut scratch, MAX_MOVES).is_some(), "{spec}");
            lone.patch_rectangle((18, 4), (1, 1), false);
            assert_eq!(lone.ask(&mut scratch), Decision::Unreachable, "{spec}");
            lone.patch_rectangle((18, 4), (1, 1), true);
            assert_eq!(lone.ask(&mut scratch), Decision::Arrived, "{spec}");
        }
    }
}

/// Moves of `sectors` and `cpd` allocated after patches, and those of `labels` and `quickpath` where nobody kept what follows the map
/// in step beside the moves.
#[test]
fn hole_13_moves_after_patches_allocate_nothing() {
    let mut failures = Vec::new();
    for (spec, told) in registered().flat_map(|spec| [(spec.clone(), true), (spec, false)]) {
        let mut rng = TestRng::new(5);
        let map = Shape::Rooms.make(48, 48, &mut rng);
        let mut scratch = Scratch::new();
        // The first life is the set-up of the thread's memory; the second is the same and allocates nothing.
        let mut life = || {
            let mut rng = TestRng::new(31);
            let mut lone = Lone::new(&spec, &map, Rules::all()[0], 5).ok()?;
            for _ in 0..12 {
                let ends = [(); 2].map(|()| lone.test_map.random_open_cell(&mut rng));
                lone.start(&mut scratch, ends[0]?, ends[1]?);
                for _ in 0..40 {
                    lone.ask(&mut scratch);
                }
                lone.patch_anywhere(&mut rng);
                if told {
                    lone.indexes.advance(&lone.map, u64::MAX, true);
                    let before = lone.allocations;
                    // Takes over what was published.
                    lone.ask(&mut scratch);
                    lone.allocations = before;
                }
                lone.walk(&mut scratch, MAX_MOVES);
            }
            let bounded = lone.bound().is_some();
            Some((bounded, lone.allocations))
        };
        life();
        if let Some((true, allocations)) = life()
            && allocations > 0
        {
            failures.push(format!("{spec}, told {told}: {allocations}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
