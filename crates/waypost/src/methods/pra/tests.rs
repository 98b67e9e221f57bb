use super::*;
use crate::agent::Scratch;
use crate::grid::{Grid, MoveRules, Point};
use crate::hierarchy::testing::{
    arrives, cells_of, patch_beside, specs_are_refused, test_map, two_cells,
};
use crate::methods::quickpath::QuickPathAgent;
use crate::rng::Rng;
use crate::run::walk;
use crate::search::{AStar, PathSearch};
use crate::space::Space;
use crate::spec::AgentSpec;
use crate::trace::{Event, Trace};

fn params() -> impl Iterator<Item = PraParams> {
    [Some(1), Some(2), Some(4), Some(16), None]
        .into_iter()
        .flat_map(|k| {
            [
                (0, 50, 0, 0),
                (1, 50, 0, 0),
                (1, 25, 8, 0),
                (1, 25, 8, 12),
                (2, 75, 100, 0),
            ]
            .map(|(widen, start_percent, slack, ground)| PraParams {
                k,
                widen,
                start_percent,
                slack,
                ground,
            })
        })
}

fn arrives_on_budget(map: &Map, agent: &mut dyn Agent<Map>, ends: [Cell; 2], budget: u64) -> u64 {
    let walk = arrives(map, agent, ends, budget, "");
    if budget != u64::MAX {
        // The trace of a path may come on top of the search that found it.
        let traced = walk.meter.trace_steps;
        assert!(walk.operations_per_move_max <= budget + traced);
    }
    walk.cost
}

#[test]
fn all_agents_arrive_on_all_kinds_of_maps() {
    for seed in 0..60 {
        let rules = MoveRules::ALL[seed as usize % 6];
        let map = test_map(seed, 2, 45, rules);
        let cells = cells_of(&map);
        if cells.is_empty() {
            continue;
        }
        let index = Arc::new(HierarchyIndex::build(&map));
        let mut rng = Rng::new(seed);
        for params in params() {
            let mut agent = PraAgent::new(index.clone(), params);
            for budget in [u64::MAX, 5] {
                let ends = two_cells(&mut rng, &cells);
                arrives_on_budget(&map, &mut agent, ends, budget);
            }
        }
        let mut agent = QuickPathAgent::new(LiveHierarchy::new(index));
        for _ in 0..5 {
            let ends = two_cells(&mut rng, &cells);
            arrives_on_budget(&map, &mut agent, ends, u64::MAX);
        }
    }
}

#[test]
fn quick_paths_keep_their_bound() {
    for seed in 0..30 {
        let map = test_map(seed, 10, 60, MoveRules::default());
        let cells = cells_of(&map);
        let index = Arc::new(HierarchyIndex::build(&map));
        let mut agent = QuickPathAgent::new(LiveHierarchy::new(index));
        let bound = agent.operations_bound(&map).expect("it has one");
        let mut rng = Rng::new(seed);
        let mut scratch = Scratch::new();
        for _ in 0..10 {
            let ends = two_cells(&mut rng, &cells);
            let mut context = Context::new(&map, &mut scratch);
            let walk = walk(&mut agent, &mut context, ends[0], ends[1], 100_000, &mut ());
            let walk = walk.expect("legal");
            assert!(walk.operations_per_move_max <= bound, "seed {seed}");
        }
    }
}

#[test]
fn quick_paths_publish_a_new_bound_after_a_repair() {
    let mut risen = 0;
    for seed in 0..20 {
        let mut map = test_map(seed, 20, 60, MoveRules::ALL[seed as usize % 6]);
        let index = Arc::new(HierarchyIndex::build(&map));
        let mut agent = QuickPathAgent::new(LiveHierarchy::new(index));
        let first = agent.operations_bound(&map);
        let mut rng = Rng::new(seed);
        let mut scratch = Scratch::new();
        for round in 0..60 {
            let patch = patch_beside(&mut rng, &map, &[], Cell::NONE);
            map.apply(&patch);
            let mut context = Context::new(&map, &mut scratch);
            let bound = agent.operations_bound(&map).expect("it has one");
            let cells = cells_of(&map);
            if cells.is_empty() {
                continue;
            }
            let ends = two_cells(&mut rng, &cells);
            let walk = walk(&mut agent, &mut context, ends[0], ends[1], 100_000, &mut ());
            let most = walk.expect("legal").operations_per_move_max;
            assert!(
                most <= bound,
                "seed {seed}, round {round}: {most} > {bound}"
            );
        }
        risen += u32::from(agent.operations_bound(&map) > first);
    }
    assert!(risen > 0, "patches make larger groups somewhere");
}

#[test]
fn near_goals_are_reached_by_optimal_paths() {
    let mut astar = AStar::new();
    for seed in 0..20 {
        let map = test_map(seed, 20, 60, MoveRules::default());
        let cells = cells_of(&map);
        let index = Arc::new(HierarchyIndex::build(&map));
        let mut rng = Rng::new(seed);
        for _ in 0..20 {
            let ends = two_cells(&mut rng, &cells);
            let level = index.hierarchy().meeting_level(&map, ends[0], ends[1]);
            if level.is_some_and(|level| level < 2) {
                let mut agent = PraAgent::new(index.clone(), PraParams::of_the_paper(Some(16)));
                let cost = arrives_on_budget(&map, &mut agent, ends, u64::MAX);
                let best = astar.distance(&map, ends[0], ends[1]);
                assert_eq!(Some(cost), best.map(u64::from), "seed {seed}");
            }
        }
    }
}

/// One step at a time while walls come and go and the goal jumps; ends when everything has been quiet for long enough.
#[test]
fn agents_follow_changes_of_map_and_goal() {
    for seed in 0..40 {
        let rules = MoveRules::ALL[seed as usize % 6];
        let mut map = test_map(seed, 12, 40, rules);
        let mut rng = Rng::new(seed);
        let index = Arc::new(HierarchyIndex::build(&map));
        let mut agents: Vec<Box<dyn Agent<Map>>> = vec![
            Box::new(PraAgent::new(index.clone(), PraParams::default())),
            Box::new(PraAgent::new(
                index.clone(),
                PraParams {
                    widen: 0,
                    ..PraParams::of_the_paper(Some(2))
                },
            )),
            Box::new(PraAgent::new(
                index.clone(),
                PraParams {
                    ground: 10,
                    ..PraParams::new(None)
                },
            )),
            Box::new(QuickPathAgent::new(LiveHierarchy::new(index))),
        ];
        let cells = cells_of(&map);
        if cells.is_empty() {
            continue;
        }
        let mut scratch = Scratch::new();
        let [mut goal, from] = two_cells(&mut rng, &cells);
        let mut at = vec![from; agents.len()];
        for (agent, &at) in agents.iter_mut().zip(&at) {
            agent.start(&mut Context::new(&map, &mut scratch), at, goal);
        }
        for round in 0..6000 {
            let busy = round < 300;
            if busy && rng.percent(20) {
                map.apply(&patch_beside(&mut rng, &map, &at, goal));
            }
            if busy && rng.percent(5) {
                [goal, _] = two_cells(&mut rng, &cells_of(&map));
                for (agent, &at) in agents.iter_mut().zip(&at) {
                    agent.start(&mut Context::new(&map, &mut scratch), at, goal);
                }
            }
            for (agent, at) in agents.iter_mut().zip(&mut at) {
                let mut context = Context::new(&map, &mut scratch);
                if round % 3 > 0 {
                    context.budget = Budget { operations: 40 };
                }
                match agent.next_move(&mut context, *at) {
                    Decision::Step(to) => {
                        assert!(
                            map.legal_step(*at, to).is_some(),
                            "seed {seed}, round {round}"
                        );
                        *at = to;
                    }
                    Decision::Arrived => assert_eq!(*at, goal),
                    Decision::Unreachable => assert!(!map.connected(*at, goal), "seed {seed}"),
                    Decision::Thinking => {}
                }
            }
        }
        for (i, &at) in at.iter().enumerate() {
            assert!(
                at == goal || !map.connected(at, goal),
                "agent {i}, seed {seed}"
            );
        }
    }
}

#[test]
fn a_moved_goal_keeps_the_lanes_that_lead_to_it() {
    let grid = Grid::from_fn(300, 300, |p| p.x % 30 != 29 || p.y % 30 == 3).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let index = HierarchyIndex::build(&map);
    let hierarchy = index.hierarchy();
    let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
    let mut planner = PraPlanner::new(PraParams::of_the_paper(Some(16)));
    planner.start(hierarchy, &map, cell(0, 0), cell(290, 290));
    let mut meter = Meter::default();
    let mut workspace = Workspace::default();
    assert_eq!(
        planner.advance(hierarchy, &map, &mut workspace, &mut meter, u64::MAX),
        Planning::Segment
    );
    let first = meter.expansions;
    assert!(
        planner.change_goal(hierarchy, &map, cell(285, 288)),
        "nearly the same goal"
    );
    meter = Meter::default();
    assert_eq!(
        planner.advance(hierarchy, &map, &mut workspace, &mut meter, u64::MAX),
        Planning::Segment
    );
    assert!(
        meter.expansions * 2 < first,
        "{} after {first}",
        meter.expansions
    );
    assert!(
        !planner.change_goal(hierarchy, &map, cell(0, 299)),
        "another way"
    );
}

#[test]
fn upper_plans_are_cached() {
    let grid = Grid::from_fn(400, 400, |p| p.x % 40 != 39 || p.y % 40 < 3).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let index = HierarchyIndex::build(&map);
    let hierarchy = index.hierarchy();
    let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
    let mut planner = PraPlanner::new(PraParams::of_the_paper(Some(4)));
    planner.start(hierarchy, &map, cell(0, 20), cell(390, 380));
    let mut costs = Vec::new();
    loop {
        let mut meter = Meter::default();
        let mut workspace = Workspace::default();
        match planner.advance(hierarchy, &map, &mut workspace, &mut meter, u64::MAX) {
            Planning::Segment => costs.push(meter.operations()),
            Planning::Complete => break,
            other => panic!("{other:?}"),
        }
    }
    let most = costs[1..].iter().max().expect("many segments");
    assert!(costs.len() > 20 && most * 2 < costs[0], "{costs:?}");
}

#[test]
fn bad_specs_say_what_would_do() {
    specs_are_refused(&[
        ("pra:k=0", "a whole number from 1, or `inf`"),
        ("pra:k=-3", "a whole number from 1, or `inf`"),
        ("pra:widen=perhaps", "on, off or a number up to 8"),
        ("pra:start=101", "a number up to 100"),
        ("pra:slack=5", "0, or k=inf beside it"),
        ("pra:k=inf,slack=101", "a number up to 100"),
        ("pra:level=3", "expected one of: k, widen, start, slack"),
        ("quickpath:k=3", "expected one of: none"),
    ]);
    let map = test_map(1, 5, 9, MoveRules::default());
    let spec = AgentSpec::parse("pra:k=inf").expect("a good spec");
    let missing = spec.build(&map, &Indexes::new()).err().expect("no index");
    assert!(
        missing.to_string().contains("waypost build hierarchy"),
        "{missing}"
    );
}

#[test]
fn agents_record_what_they_expand() {
    let grid = Grid::from_fn(120, 90, |p| p.x % 17 != 16 || p.y % 30 == 4).expect("a legal size");
    let map = Map::new(grid, MoveRules::default());
    let ends = [(3, 3), (115, 80)].map(|(x, y)| map.passable_cell(Point { x, y }).expect("free"));
    let index = Arc::new(HierarchyIndex::build(&map));
    let mut agents: Vec<Box<dyn Agent<Map>>> = vec![
        Box::new(PraAgent::new(index.clone(), PraParams::new(Some(4)))),
        Box::new(PraAgent::new(index.clone(), PraParams::new(None))),
        Box::new(PraAgent::new(index.clone(), PraParams::of_the_paper(None))),
        Box::new(QuickPathAgent::new(LiveHierarchy::new(index))),
    ];
    for (i, agent) in agents.iter_mut().enumerate() {
        let mut costs = Vec::new();
        for traced in [false, true] {
            let mut scratch = Scratch::new();
            let mut trace = Trace::with_limit(1_000_000);
            let mut context = Context::new(&map, &mut scratch);
            context.trace = traced.then_some(&mut trace);
            let walk = walk(
                agent.as_mut(),
                &mut context,
                ends[0],
                ends[1],
                100_000,
                &mut (),
            );
            let walk = walk.expect("legal");
            costs.push((walk.cost, walk.meter.expansions));
            if !traced {
                continue;
            }
            let expanded = trace.events().iter().filter_map(|event| match *event {
                Event::Expanded { cell, .. } => Some(cell),
                Event::Stepped { .. } => None,
            });
            let cells: Vec<Cell> = expanded.collect();
            assert!(cells.iter().all(|&cell| map.grid().is_passable(cell)));
            assert!(!cells.is_empty(), "agent {i}");
            // Partial refinements end with a node that is no place, and QuickPath shows the ground alone.
            let all = i == 1 || i == 2;
            assert!(cells.len() as u64 <= walk.meter.expansions, "agent {i}");
            assert!(!all || cells.len() as u64 == walk.meter.expansions);
        }
        assert_eq!(costs[0], costs[1], "a trace changes nothing, agent {i}");
    }
}
