//! Real-time agents that need no index: Theorem 5 of JAIR 2010 as a property, TBA* in one slice, explicit graphs, maps that
//! change under the agent. What every agent promises on every map is in `every_agent.rs`.

mod common;

use common::{BACKTRACKING_SPECS, REAL_TIME_SPECS, cell, engine_map, map_count, points};
use waypost::agent::Scratch;
use waypost::index::Indexes;
use waypost::run::{Outcome, walk};
use waypost::search::hill_climb::climb;
use waypost::space::ExplicitGraph;
use waypost::spec::AgentSpec;
use waypost::{Cell, Context, Decision, GridPatch, Map, Point, Space};
use waypost_testkit::{Rules, TestMap, TestRng, check_path, component_numbers, distances, shapes};

/// More moves than any of these agents needs on maps of this size.
const MOVES: u64 = 2_000_000;

#[test]
fn where_climbing_reaches_the_goal_lrta_walks_the_same_path() {
    let mut climbs = 0;
    for seed in 0..map_count(1000) {
        let test_map = shapes::any(seed, 4, 32);
        let rules = Rules::all()[seed as usize % 6];
        let map = engine_map(&test_map, rules);
        let mut rng = TestRng::new(seed + 77);
        let spec = AgentSpec::parse("lrta").expect("a good spec");
        let mut agent = spec
            .build(&map, &Indexes::default())
            .expect("needs no index");
        let mut scratch = Scratch::new();
        for _ in 0..10 {
            let (Some(a), Some(b)) = (
                test_map.random_open_cell(&mut rng),
                test_map.random_open_cell(&mut rng),
            ) else {
                break;
            };
            let (from, goal) = (cell(&map, a), cell(&map, b));
            let mut climbed = vec![from];
            if !climb(&map, from, goal, u32::MAX, |c| climbed.push(c)).reached {
                continue;
            }
            climbs += 1;
            let mut context = Context::new(&map, &mut scratch);
            let walk =
                walk(&mut *agent, &mut context, from, goal, MOVES, &mut ()).expect("legal moves");
            let what = format!("seed {seed}, {rules:?}, {a:?} to {b:?}\n{test_map}");
            assert_eq!(walk.path, climbed, "{what}");
            assert_eq!(walk.revisits, 0, "{what}");
        }
    }
    assert!(climbs > 1000, "only {climbs} climbs reached their goals");
}

/// A slice in which the whole search fits: TBA* is A* then, and weighted TBA* keeps its weight's promise.
#[test]
fn tba_in_one_slice_walks_the_path_of_its_search() {
    for seed in 0..map_count(600) {
        let test_map = shapes::any(seed, 4, 32);
        let rules = Rules::all()[seed as usize % 6];
        let map = engine_map(&test_map, rules);
        let mut rng = TestRng::new(seed + 123);
        let Some(from) = test_map.random_open_cell(&mut rng) else {
            continue;
        };
        let costs = distances(&test_map, rules, from);
        for (spec, weight) in [
            ("tba:slice=100000", 1.0),
            ("tba:slice=100000,weight=1.5", 1.5),
            ("tba:slice=100000,weight=4", 4.0),
        ] {
            let spec = AgentSpec::parse(spec).expect("a good spec");
            let mut agent = spec
                .build(&map, &Indexes::default())
                .expect("needs no index");
            let mut scratch = Scratch::new();
            for _ in 0..6 {
                let goal = test_map.random_open_cell(&mut rng).expect("as before");
                let Some(optimal) = costs[(goal.1 * test_map.width() + goal.0) as usize] else {
                    continue;
                };
                let mut context = Context::new(&map, &mut scratch);
                let ends = (cell(&map, from), cell(&map, goal));
                let walk = walk(&mut *agent, &mut context, ends.0, ends.1, MOVES, &mut ())
                    .expect("legal moves");
                let what =
                    format!("{spec}, seed {seed}, {rules:?}, {from:?} to {goal:?}\n{test_map}");
                let most = optimal as f64 * weight * (1.0 + 1.0 / 4096.0);
                assert!(
                    walk.cost as f64 <= most,
                    "{} > {most} {:?}: {what}",
                    walk.cost,
                    points(&map, &walk.path)
                );
                assert!(weight > 1.0 || walk.cost == optimal, "{what}");
                assert_eq!(
                    (walk.outcome, walk.revisits),
                    (Outcome::Arrived, 0),
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn blocked_and_foreign_cells_are_unreachable() {
    let test_map = TestMap::from_text("...\n.@.\n...");
    let map = engine_map(&test_map, Rules::all()[0]);
    let (free, wall) = (cell(&map, (0, 0)), cell(&map, (1, 1)));
    for spec in REAL_TIME_SPECS {
        let spec = AgentSpec::parse(spec).expect("a good spec");
        let mut agent = spec
            .build(&map, &Indexes::default())
            .expect("needs no index");
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        for (from, goal) in [
            (free, wall),
            (wall, free),
            (wall, wall),
            (free, waypost::Cell::NONE),
            (waypost::Cell(map.id_bound() as u32 + 7), free),
        ] {
            let walk = walk(&mut *agent, &mut context, from, goal, 10, &mut ()).expect("no move");
            assert_eq!(walk.outcome, Outcome::Unreachable, "{spec}");
        }
        let stay = walk::<Map, _>(&mut *agent, &mut context, free, free, 10, &mut ());
        assert_eq!(stay.expect("no move").outcome, Outcome::Arrived, "{spec}");
    }
}

/// A random graph of two or three clusters that may or may not be joined, with each node's cluster found by flooding.
fn random_graph(seed: u64) -> (ExplicitGraph, Vec<usize>) {
    let mut rng = TestRng::new(seed + 900);
    let nodes = rng.between(2, 60);
    let extent = [1, 40, 1000][rng.below(3) as usize];
    let positions = (0..nodes)
        .map(|_| [rng.below(extent) as i32, rng.below(extent) as i32])
        .collect();
    let highest = [1, 12, 100_000][rng.below(3) as usize];
    let edges: Vec<_> = (0..nodes * rng.between(1, 3) / 2 + 1)
        .map(|_| (rng.below(nodes), rng.below(nodes), rng.between(1, highest)))
        .collect();
    let mut cluster: Vec<usize> = (0..nodes as usize).collect();
    for _ in 0..nodes {
        for &(a, b, _) in &edges {
            let least = cluster[a as usize].min(cluster[b as usize]);
            cluster[a as usize] = least;
            cluster[b as usize] = least;
        }
    }
    (
        ExplicitGraph::new(positions, &edges).expect("a good graph"),
        cluster,
    )
}

#[test]
fn the_same_agents_walk_on_explicit_graphs() {
    let specs = REAL_TIME_SPECS
        .iter()
        .chain(&BACKTRACKING_SPECS)
        .chain(&["astar"]);
    for spec in specs {
        let spec = AgentSpec::parse(spec).expect("a good spec");
        for seed in 0..map_count(400) {
            let (graph, cluster) = random_graph(seed);
            let mut agent = spec.build_on_graph(&graph).expect("runs on graphs");
            let mut scratch = Scratch::new();
            let mut context = Context::new(&graph, &mut scratch);
            let mut rng = TestRng::new(seed);
            for _ in 0..4 {
                let from = rng.below(graph.len() as u32);
                let goal = rng.below(graph.len() as u32);
                let what = format!("{spec}, seed {seed}, {from} to {goal}");
                let walk = walk(
                    &mut *agent,
                    &mut context,
                    Cell(from),
                    Cell(goal),
                    MOVES,
                    &mut (),
                )
                .unwrap_or_else(|e| panic!("{e}: {what}"));
                let expected = if cluster[from as usize] == cluster[goal as usize] {
                    Outcome::Arrived
                } else {
                    Outcome::Unreachable
                };
                assert_eq!(walk.outcome, expected, "{what}");
                if let Some(bound) = agent.operations_bound(&graph) {
                    assert!(walk.operations_per_move_max <= bound, "{what}");
                }
            }
        }
    }
}

/// Blocks and opens some cells at random, but not the one under the agent.
fn random_patch(test_map: &mut TestMap, at: (u32, u32), rng: &mut TestRng) -> GridPatch {
    let mut patch = GridPatch::new();
    for _ in 0..=rng.below(6) {
        let (x, y) = (rng.below(test_map.width()), rng.below(test_map.height()));
        if (x, y) == at {
            continue;
        }
        let open = rng.percent(50);
        test_map.set(x, y, open);
        patch.set(Point { x, y }, open);
    }
    patch
}

/// Walks while the map changes every few moves, then waits for the end on the map as it is. `told` says whether the agent
/// hears of the changes.
fn walk_on_changing_map(spec: &AgentSpec, seed: u64, rules: Rules, told: bool) {
    let mut test_map = shapes::any(seed, 5, 20);
    let mut rng = TestRng::new(seed + 31);
    let Some(start) = test_map.random_open_cell(&mut rng) else {
        return;
    };
    let goal = test_map.random_open_cell(&mut rng).expect("as before");
    let mut map = engine_map(&test_map, rules);
    let mut agent = spec
        .build(&map, &Indexes::default())
        .expect("needs no index");
    let mut scratch = Scratch::new();
    let (mut at, goal_cell) = (start, cell(&map, goal));
    agent.start(
        &mut Context::new(&map, &mut scratch),
        cell(&map, start),
        goal_cell,
    );
    for moves in 0..200_000u32 {
        if moves < 60 && moves % 3 == 2 {
            let patch = random_patch(&mut test_map, at, &mut rng);
            map.apply(&patch);
        }
        let what =
            format!("{spec}, seed {seed}, {rules:?}, told {told}, {at:?} to {goal:?}\n{test_map}");
        let components = component_numbers(&test_map, rules.corner);
        let component = |p: (u32, u32)| components[(p.1 * test_map.width() + p.0) as usize];
        let reachable = component(at).is_some() && component(at) == component(goal);
        let decision = agent.next_move(&mut Context::new(&map, &mut scratch), cell(&map, at));
        match decision {
            Decision::Step(to) => {
                let next = points(&map, &[to])[0];
                check_path(&test_map, rules, &[at, next]).unwrap_or_else(|e| panic!("{e}: {what}"));
                assert!(reachable, "{what}");
                at = next;
            }
            Decision::Thinking => assert!(reachable, "{what}"),
            Decision::Arrived => {
                assert_eq!(at, goal, "{what}");
                if moves >= 60 {
                    return;
                }
            }
            Decision::Unreachable => {
                assert!(!reachable, "{what}");
                if moves >= 60 {
                    return;
                }
            }
        }
    }
    panic!("{spec}, seed {seed}: no end");
}

#[test]
fn agents_survive_changes_of_the_map() {
    for spec in REAL_TIME_SPECS.iter().chain(&BACKTRACKING_SPECS) {
        let spec = AgentSpec::parse(spec).expect("a good spec");
        for seed in 0..map_count(40) {
            let rules = Rules::all()[seed as usize % 6];
            walk_on_changing_map(&spec, seed, rules, true);
            walk_on_changing_map(&spec, seed, rules, false);
        }
    }
}
