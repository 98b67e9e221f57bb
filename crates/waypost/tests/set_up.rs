//! What a move does for the first time in a life, set-up has made room for: moves allocate nothing once the thread is warm.

mod common;

use common::lone::Lone;
use waypost::Decision;
use waypost::agent::Scratch;
use waypost_testkit::allocations::Counting;
use waypost_testkit::{Rules, TestMap, TestRng, shapes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Two cells with a way between them.
fn joined_cells(lone: &mut Lone, rng: &mut TestRng) -> [(u32, u32); 2] {
    loop {
        let mut any = || lone.test_map.random_open_cell(rng).expect("open");
        (lone.at, lone.goal) = (any(), any());
        if lone.at != lone.goal && lone.is_connected() {
            return [lone.at, lone.goal];
        }
    }
}

/// Sectors made their window in the first move of an agent that had been started on its goal and was pushed off it.
#[test]
fn an_agent_that_is_pushed_off_its_goal_has_its_memory() {
    let cases = [
        ("sectors", shapes::noise(90, 90, 38, &mut TestRng::new(4))),
        ("waypost", shapes::noise(90, 90, 38, &mut TestRng::new(4))),
        ("waypost", shapes::noise(90, 90, 8, &mut TestRng::new(4))),
    ];
    for (spec, map) in cases {
        let mut scratch = Scratch::new();
        let mut life = || {
            let mut lone = Lone::new(spec, &map, Rules::all()[0], 4).expect("it suits the map");
            let [from, goal] = joined_cells(&mut lone, &mut TestRng::new(77));
            lone.start(&mut scratch, goal, goal);
            assert_eq!(lone.ask(&mut scratch), Decision::Arrived);
            lone.at = from;
            lone.walk(&mut scratch, 100_000);
            lone.allocations
        };
        life();
        assert_eq!(life(), 0, "{spec}");
    }
}

/// TBA* reserved nothing where its goal was out of reach.
#[test]
fn a_goal_that_is_given_back_finds_memory() {
    let mut scratch = Scratch::new();
    for spec in [
        "tba:slice=2",
        "tba:slice=50,weight=2",
        "rtaa",
        "lrts:gmax=3",
    ] {
        let mut life = || {
            let mut map = TestMap::filled(40, 40, true);
            map.set_rectangle(20, 0, 1, 40, false);
            let mut lone = Lone::new(spec, &map, Rules::all()[0], 4).expect("it suits the map");
            lone.start(&mut scratch, (3, 3), (36, 30));
            assert_eq!(lone.ask(&mut scratch), Decision::Unreachable);
            lone.patch_rectangle((20, 18), (1, 3), true);
            lone.walk(&mut scratch, 100_000);
            lone.allocations
        };
        life();
        assert_eq!(life(), 0, "{spec}");
    }
}

/// The first search of `cpd` made a table of the whole map, within the move.
#[test]
fn a_path_database_that_has_to_search_reads_what_is_there() {
    let map = shapes::Shape::Rooms.make(100, 100, &mut TestRng::new(5));
    let mut scratch = Scratch::new();
    let mut life = || {
        let mut lone = Lone::new("cpd", &map, Rules::all()[0], 4).expect("it suits the map");
        let [from, goal] = joined_cells(&mut lone, &mut TestRng::new(7));
        lone.start(&mut scratch, from, goal);
        lone.ask(&mut scratch);
        // Walls on all sides but one: there is no stored path to splice.
        let (x, y) = lone.at;
        lone.patch_rectangle((x.saturating_sub(1), y + 1), (3, 1), false);
        for _ in 0..200 {
            if !matches!(lone.ask(&mut scratch), Decision::Step(_)) {
                break;
            }
        }
        lone.allocations
    };
    life();
    assert_eq!(life(), 0);
}

/// The jump-point graph that an agent alone repairs, and the search that all share, outgrew what they were given at first.
#[test]
fn a_graph_that_grows_for_many_walks_is_given_room_when_they_start() {
    let map = shapes::noise(100, 100, 2, &mut TestRng::new(3));
    let mut scratch = Scratch::new();
    let mut life = |rounds: u32| {
        let mut lone = Lone::new("waypost", &map, Rules::all()[0], 4).expect("it suits all maps");
        let mut rng = TestRng::new(9);
        for _ in 0..rounds {
            let [from, goal] = joined_cells(&mut lone, &mut rng);
            lone.start(&mut scratch, from, goal);
            for _ in 0..5 {
                lone.ask(&mut scratch);
            }
            let kept = [lone.at, lone.goal].map(|cell| (cell, lone.open_cells(cell, (1, 1))));
            for _ in 0..100 {
                let cell = (rng.below(100), rng.below(100));
                let open = rng.percent(40);
                lone.patch_rectangle(cell, (1, 1), open);
            }
            for (cell, open) in kept {
                lone.put_back(cell, (1, 1), &open);
            }
            for _ in 0..300 {
                let decision = lone.ask(&mut scratch);
                if matches!(decision, Decision::Arrived | Decision::Unreachable) {
                    break;
                }
            }
        }
        lone.allocations
    };
    life(12);
    assert_eq!(life(12), 0);
}
