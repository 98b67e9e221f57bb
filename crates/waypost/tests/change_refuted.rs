//! What was promised of maps that change and once did not hold.

mod common;

use common::lone::Lone;
use common::terrain::unit_map;
use common::{engine_map, indexes_for};
use waypost::agent::{Agent, Scratch};
use waypost::prelude::*;
use waypost::spec::AgentSpec;
use waypost::{Context, Decision, GridPatch, MoveRules};
use waypost_testkit::allocations::Counting;
use waypost_testkit::{Rules, TestMap, TestRng, optimal_cost};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The default's crowd on 6 x 6 cells: one door in a corner, beside nobody's way, opens or closes with every tick.
#[test]
fn a_unit_arrives_while_a_door_beside_its_way_never_rests() {
    let mut test_map = TestMap::filled(6, 6, true);
    test_map.set_rectangle(3, 0, 1, 5, false);
    let map = engine_map(&test_map, Rules::all()[0]).and_doors([(5, 5)]);
    let nav = Navigator::build(map).expect("small");
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
    let unit = crowd.spawn((0, 0)).expect("free");
    crowd.send(unit, (4, 0)).expect("on the map");
    for tick in 0..1000 {
        nav.set_door((5, 5), tick % 2 == 1).expect("a door");
        crowd.tick();
    }
    let unit = crowd.unit(unit).expect("there");
    assert_eq!(unit.status(), Status::Arrived, "{unit:?}");
}

/// The default alone on open ground of 32 x 32 cells with terrain: one cell far from its way changes with every move.
#[test]
fn the_default_takes_a_step_on_terrain_that_never_rests() {
    let test_map = TestMap::filled(32, 32, true);
    let (mut map, _, _) = unit_map(&test_map, Rules::all()[0], 1, 0);
    let spec = AgentSpec::parse("waypost").expect("a spec");
    let indexes = indexes_for(&spec, &map);
    let mut agent = spec.build(&map, &indexes).expect("its own map");
    let mut scratch = Scratch::new();
    let cell = |map: &Map, x, y| map.grid().cell(Point { x, y }).expect("inside");
    let (mut at, goal) = (cell(&map, 0, 0), cell(&map, 30, 30));
    agent.start(&mut Context::new(&map, &mut scratch), at, goal);
    let mut steps = 0;
    for time in 0..2000 {
        let mut patch = GridPatch::new();
        patch.set((31, 0), time % 2 == 1);
        map.apply(&patch);
        indexes.advance(&map, 20_000, true);
        if let Decision::Step(next) = agent.next_move(&mut Context::new(&map, &mut scratch), at) {
            (at, steps) = (next, steps + 1);
        }
    }
    assert!(at == goal, "{steps} steps in 2000 moves");
}

/// A wall with three gaps: the near ones are closed, and one of them opens when the agent is on its way to the far one.
fn gaps(size: (u32, u32), near: u32) -> (TestMap, Point, Point) {
    let middle = size.0 / 2;
    let mut map = TestMap::filled(size.0, size.1, true);
    map.set_rectangle(middle, 0, 1, size.1, false);
    for y in [near, near - 10, size.1 - 5] {
        map.set(middle, y, true);
    }
    let gap = |y| Point { x: middle, y };
    (map, gap(near), gap(near - 10))
}

#[test]
fn a_door_that_opens_is_used_within_twenty_ticks() {
    let (mut test_map, near, other) = gaps((100, 400), 40);
    let rules = Rules::all()[0];
    let map = engine_map(&test_map, rules).and_doors([near, other]);
    let spec = AgentSpec::parse("waypost").expect("a spec");
    let indexes = indexes_for(&spec, &map);
    for gap in [near, other] {
        test_map.set(gap.x, gap.y, true);
    }
    let mut lone = Lone::on(spec, &test_map, map, indexes, (rules, 0)).expect("its own map");
    let mut scratch = Scratch::new();
    lone.patch_rectangle((near.x, near.y), (1, 1), false);
    lone.patch_rectangle((other.x, other.y), (1, 1), false);
    for _ in 0..20 {
        lone.indexes.advance(&lone.map, 20_000, true);
    }
    lone.start(&mut scratch, (45, 50), (55, 50));
    for _ in 0..4 {
        lone.indexes.advance(&lone.map, 20_000, true);
        lone.ask(&mut scratch);
    }
    lone.patch_rectangle((other.x, other.y), (1, 1), true);
    for _ in 0..20 {
        lone.indexes.advance(&lone.map, 20_000, true);
        lone.ask(&mut scratch);
    }
    let best = optimal_cost(&lone.test_map, rules, lone.at, lone.goal).expect("open");
    let walked = lone.walk(&mut scratch, 100_000).expect("open");
    assert_eq!(walked, best, "{:.2} times", walked as f64 / best as f64);
}

/// An opening 300 moves before its renewed index is there.
#[test]
fn once_a_late_index_has_arrived_the_rest_is_shortest() {
    let (mut test_map, near, other) = gaps((1000, 1000), 15);
    test_map.set_rectangle(0, 10, 495, 1, false);
    let rules = Rules::all()[0];
    let mut lone = Lone::new("waypost", &test_map, rules, 0).expect("it suits every map");
    let mut scratch = Scratch::new();
    for gap in [near, other] {
        lone.patch_rectangle((gap.x, gap.y), (1, 1), false);
    }
    for _ in 0..20 {
        lone.indexes.advance(&lone.map, 20_000, true);
    }
    lone.start(&mut scratch, (5, 5), (505, 5));
    for time in 0..400 {
        if time == 10 {
            lone.patch_rectangle((near.x, near.y), (1, 1), true);
        }
        lone.indexes.advance(&lone.map, 20_000, true);
        lone.ask(&mut scratch);
    }
    for slot in lone.indexes.slots() {
        slot.rebuild_when_due(&lone.map);
        slot.advance(&lone.map, u64::MAX, true);
    }
    let best = optimal_cost(&lone.test_map, rules, lone.at, lone.goal).expect("open");
    let walked = lone.walk(&mut scratch, 100_000).expect("open");
    assert_eq!(walked, best, "{:.2} times", walked as f64 / best as f64);
}

/// Agents check whose map it is: at least no step is illegal and nothing panics.
#[test]
fn an_agent_asked_on_a_map_of_other_rules_makes_no_illegal_step() {
    let mut rng = TestRng::new(1);
    for seed in 0..60 {
        let test_map = waypost_testkit::shapes::any(seed, 8, 30);
        for name in ["jps", "jump-graph", "waypost", "astar"] {
            let from = test_map.random_open_cell(&mut rng);
            let (Some(from), Some(goal)) = (from, test_map.random_open_cell(&mut rng)) else {
                continue;
            };
            let always = Rules::all()
                .into_iter()
                .find(|r| matches!(r.corner, waypost_testkit::Corner::Always));
            let Ok(mut lone) = Lone::new(name, &test_map, always.expect("there is one"), seed)
            else {
                continue;
            };
            let mut scratch = Scratch::new();
            lone.start(&mut scratch, from, goal);
            for _ in 0..3 {
                lone.ask(&mut scratch);
            }
            lone.map = Map::new(lone.map.grid().clone(), MoveRules::default());
            lone.rules = Rules::all()[0];
            for _ in 0..40 {
                lone.ask(&mut scratch);
            }
        }
    }
}

#[test]
fn an_agent_asked_on_a_map_of_another_size_does_not_panic() {
    for seed in 0..30 {
        let [map, other] =
            [seed, seed + 1000].map(|seed| waypost_testkit::shapes::any(seed, 8, 40));
        for algorithm in waypost::spec::ALGORITHMS {
            let rules = Rules::all()[0];
            let Ok(mut lone) = Lone::new(algorithm.name, &map, rules, seed) else {
                continue;
            };
            let mut rng = TestRng::new(seed);
            let ends = [&map, &other].map(|map| map.random_open_cell(&mut rng));
            let [Some(from), Some(there)] = ends else {
                continue;
            };
            let Some(goal) = map.random_open_cell(&mut rng) else {
                continue;
            };
            let mut scratch = Scratch::new();
            lone.start(&mut scratch, from, goal);
            let other_map = engine_map(&other, rules);
            let is_inside = goal.0 < other.width() && goal.1 < other.height();
            if !is_inside {
                continue;
            }
            (lone.test_map, lone.map, lone.at) = (other.clone(), other_map, there);
            lone.start(&mut scratch, there, goal);
            assert!(lone.bound().is_none_or(|bound| bound > 0));
            lone.go(&mut scratch, 20);
        }
    }
}
