use super::*;
use crate::agent::Scratch;
use crate::grid::{Grid, GridPatch, MoveRules, Point};
use crate::hierarchy::testing::{
    arrives, cells_of, patch_beside, specs_are_refused, test_map, two_cells,
};
use crate::index::climb_regions::Cut;
use crate::progress::NoProgress;
use crate::rng::Rng;
use crate::spec::AgentSpec;
use std::collections::BTreeSet;

fn agent_of(map: &Map, seed: u64, ahead: u8, climb: u32) -> Hcdps {
    let regions = ClimbRegions::build(map, Cut::Climbs { seed }, &NoProgress).expect("a small map");
    let params = HcdpsParams {
        seed: None,
        climb,
        ahead,
    };
    Hcdps::new(Arc::new(regions), params)
}

/// The theorem of the module: on its map every climb succeeds. Every step lowers the distance to the target of the
/// moment, so no cell is visited twice on the way to one target; nothing is learned; no region is come to twice.
#[test]
fn on_its_own_map_it_climbs_and_never_learns() {
    for seed in 0..150 {
        let rules = MoveRules::ALL[seed as usize % 6];
        let map = test_map(seed, 2, 70, rules);
        let cells = cells_of(&map);
        if cells.is_empty() {
            continue;
        }
        let mut rng = Rng::new(seed);
        let ahead = [0, 1, 8, 32][seed as usize % 4];
        let climb = [250, 30, 1][seed as usize % 3];
        let mut agent = agent_of(&map, seed, ahead, climb);
        let mut scratch = Scratch::new();
        for _ in 0..12 {
            let [mut at, goal] = two_cells(&mut rng, &cells);
            let what = format!("seed {seed}, ahead {ahead}, {at:?} to {goal:?}, {rules}");
            let mut context = Context::new(&map, &mut scratch);
            agent.start(&mut context, at, goal);
            let mut left = BTreeSet::new();
            let mut region = None;
            loop {
                match agent.next_move(&mut context, at) {
                    Decision::Step(next) => {
                        let target = agent.target();
                        let [before, after] = [at, next].map(|cell| map.heuristic(cell, target));
                        assert!(after < before, "{what}: {at:?} to {next:?}");
                        at = next;
                    }
                    Decision::Arrived => break,
                    other => {
                        let none = other == Decision::Unreachable && !map.connected(at, goal);
                        assert!(none, "{what}: {other:?}");
                        break;
                    }
                }
                let now = Some(agent.place.region);
                if agent.phase == Phase::Follow && now != region {
                    left.extend(region);
                    region = now;
                    assert!(!left.contains(&agent.place.region), "{what}: back again");
                }
            }
            assert_eq!(agent.learned_bytes(), 0, "{what}");
        }
    }
}

#[test]
fn it_arrives_within_its_bound_on_every_map() {
    for seed in 0..60 {
        let map = test_map(seed + 900, 2, 40, MoveRules::ALL[seed as usize % 6]);
        let cells = cells_of(&map);
        if cells.is_empty() {
            continue;
        }
        let mut rng = Rng::new(seed);
        for ahead in [0, 8] {
            let mut agent = agent_of(&map, seed, ahead, 250);
            let bound = agent.operations_bound(&map).expect("it has one");
            let what = format!("seed {seed}, ahead {ahead}");
            let walk = arrives(
                &map,
                &mut agent,
                two_cells(&mut rng, &cells),
                u64::MAX,
                &what,
            );
            assert!(walk.operations_per_move_max <= bound, "{what}");
        }
    }
}

#[test]
fn it_arrives_on_maps_that_change_under_it() {
    let mut learned = 0;
    for seed in 0..60 {
        let mut map = test_map(seed, 8, 40, MoveRules::ALL[seed as usize % 6]);
        let mut rng = Rng::new(seed);
        let cells = cells_of(&map);
        if cells.is_empty() {
            continue;
        }
        let mut agent = agent_of(&map, seed, [0, 8][seed as usize % 2], 250);
        let bound = agent.operations_bound(&map).expect("it has one");
        let [mut at, goal] = two_cells(&mut rng, &cells);
        let mut scratch = Scratch::new();
        agent.start(&mut Context::new(&map, &mut scratch), at, goal);
        for round in 0..200_000 {
            if round < 200 && rng.percent(30) {
                let patch = patch_beside(&mut rng, &map, &[at], goal);
                map.apply(&patch);
            }
            let mut context = Context::new(&map, &mut scratch);
            let decision = agent.next_move(&mut context, at);
            assert!(context.meter.operations() <= bound, "seed {seed}");
            match decision {
                Decision::Step(to) => {
                    assert!(map.legal_step(at, to).is_some(), "seed {seed}");
                    at = to;
                }
                Decision::Arrived => break,
                Decision::Unreachable => assert!(!map.connected(at, goal), "seed {seed}"),
                Decision::Thinking => {}
            }
        }
        learned += usize::from(agent.learned_bytes() > 0);
        assert!(at == goal || !map.connected(at, goal), "seed {seed}");
    }
    assert!(
        learned > 0,
        "no climb was ever blocked: the patches are too small"
    );
}

/// Something that carries the agent elsewhere all the time makes it begin routes without end, and it still gives up in time.
#[test]
fn routes_begun_again_and_again_come_to_an_end() {
    let map = test_map(3, 30, 40, MoveRules::default());
    let cells = cells_of(&map);
    let mut agent = agent_of(&map, 1, 0, 250);
    let mut rng = Rng::new(4);
    let goal = cells[0];
    let mut scratch = Scratch::new();
    let mut context = Context::new(&map, &mut scratch);
    agent.start(&mut context, goal, goal);
    for _ in 0..100 * SPARE {
        let at = cells[rng.below(cells.len() as u32) as usize];
        agent.next_move(&mut context, at);
    }
    assert_eq!((agent.patience, agent.target()), (0, goal));
}

/// An index of a map without a single cell, whose walls are opened afterwards.
#[test]
fn an_index_without_regions_leaves_lrta() {
    let grid = Grid::from_fn(12, 9, |_| false).expect("a legal size");
    let mut map = Map::new(grid, MoveRules::default());
    let mut agent = agent_of(&map, 1, 8, 250);
    let mut patch = GridPatch::new();
    for x in 0..12 {
        for y in 0..9 {
            patch.set(Point { x, y }, true);
        }
    }
    map.apply(&patch);
    let cells = cells_of(&map);
    arrives(&map, &mut agent, [cells[0], cells[100]], u64::MAX, "walls");
}

#[test]
fn bad_specs_say_what_would_do() {
    specs_are_refused(&[
        ("hcdps:climb=0", "a number from 1 to 10000"),
        ("hcdps:ahead=33", "a number from 0 to 32"),
        ("hcdps:seed=x", "a number"),
        ("hcdps:level=3", "expected one of: seed, climb, ahead"),
    ]);
    let map = test_map(1, 5, 9, MoveRules::default());
    let spec = AgentSpec::parse("hcdps:seed=7").expect("a good spec");
    let missing = spec.build(&map, &Indexes::new()).err().expect("no index");
    let message = missing.to_string();
    assert!(message.contains("waypost build climb-regions"), "{message}");
    assert!(message.contains("seed 7"), "{message}");
}
