//! The sector agent on hostile maps: complete, legal, within its bound, close to optimal; its index in files.

mod common;

use common::terrain::unit_map;
use common::{cell, engine_map, map_count, points};
use std::sync::Arc;
use waypost::agent::Scratch;
use waypost::agent::{Agent, Budget, Context};
use waypost::artifact::Artifact;
use waypost::index::sectors::{SectorIndex, SectorRepair};
use waypost::index::slot::{IndexState, Reader, Slot};
use waypost::index::{Index, IndexKind, IndexRequest};
use waypost::methods::sectors::SectorsAgent;
use waypost::progress::NoProgress;
use waypost::run::{Outcome, walk};
use waypost::search::{AStar, PathSearch};
use waypost::terrain::Footings;
use waypost::trace::{Event, Trace};
use waypost::{ChangeSet, Decision, GridPatch, Map, Point, Space};
use waypost_testkit::allocations::{Counting, measure};
use waypost_testkit::shapes::{self, Shape};
use waypost_testkit::{Rules, TestMap, TestRng, check_path, optimal_cost};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn build(map: &Map, side: u32) -> Arc<SectorIndex> {
    let request = IndexRequest::new(IndexKind::Sectors).with("side", side);
    Arc::new(SectorIndex::build(map, &request, &NoProgress).expect("sides are right"))
}

fn every_shape(seed: u64) -> Vec<TestMap> {
    let mut rng = TestRng::new(seed);
    let mut maps: Vec<TestMap> = Shape::ALL
        .iter()
        .map(|shape| shape.make(rng.between(10, 60), rng.between(10, 60), &mut rng))
        .collect();
    maps.push(shapes::noise(50, 50, 40, &mut rng));
    maps
}

/// An agent that follows an index of the map.
fn agent_of(map: &Map, index: Arc<SectorIndex>) -> SectorsAgent {
    SectorsAgent::new(Reader::new(&slot_of(map, index)).expect("sectors"))
}

/// A slot for an index of the map.
fn slot_of(map: &Map, index: Arc<SectorIndex>) -> Arc<Slot> {
    Slot::new(map, index, IndexRequest::new(IndexKind::Sectors)).expect("an index of this map")
}

#[test]
fn every_reachable_goal_is_reached_within_the_bound() {
    let mut scratch = Scratch::new();
    for seed in 0..map_count(40) {
        for (i, test_map) in every_shape(seed).iter().enumerate() {
            let all = Rules::all();
            let rules = all[(seed as usize + i) % all.len()];
            let map = engine_map(test_map, rules);
            let side = [8, 16, 32][(seed % 3) as usize];
            let mut agent = agent_of(&map, build(&map, side));
            let mut context = Context::new(&map, &mut scratch);
            // Every other map under a budget that leaves most windows unfinished when the agent must move.
            if seed % 2 == 1 {
                context.budget = Budget { operations: 40 };
            }
            let bound = agent.operations_bound(&map).expect("it has one");
            let mut rng = TestRng::new(seed);
            for _ in 0..12 {
                let (Some(from), Some(goal)) = (
                    test_map.random_open_cell(&mut rng),
                    test_map.random_open_cell(&mut rng),
                ) else {
                    continue;
                };
                let about = || {
                    format!(
                        "seed {seed} {from:?} {goal:?} {rules:?}\n{}",
                        test_map.to_text()
                    )
                };
                let (a, b) = (cell(&map, from), cell(&map, goal));
                let walked = walk(&mut agent, &mut context, a, b, 1_000_000, &mut ())
                    .unwrap_or_else(|error| panic!("{error} {}", about()));
                let Some(optimal) = optimal_cost(test_map, rules, from, goal) else {
                    assert_eq!(walked.outcome, Outcome::Unreachable, "{}", about());
                    continue;
                };
                assert_eq!(walked.outcome, Outcome::Arrived, "{}", about());
                let checked = check_path(test_map, rules, &points(&map, &walked.path));
                let cost = checked.unwrap_or_else(|e| panic!("{e:?} {}", about())).cost;
                assert!(walked.operations_per_move_max <= bound, "{}", about());
                if seed % 2 == 0 {
                    assert!(
                        cost as f64 <= optimal as f64 * 1.6,
                        "{cost} {optimal} {}",
                        about()
                    );
                }
            }
        }
    }
}

#[test]
fn the_bound_depends_on_the_sectors_and_not_on_the_map() {
    let bound = |width, height| {
        let test_map = TestMap::filled(width, height, true);
        let map = engine_map(&test_map, Rules::all()[0]);
        agent_of(&map, build(&map, 16)).operations_bound(&map)
    };
    assert_eq!(bound(20, 20), bound(700, 500));
}

#[test]
fn moves_allocate_nothing_once_the_agent_is_warm() {
    let mut rng = TestRng::new(5);
    let test_map = shapes::noise(200, 200, 25, &mut rng);
    let map = engine_map(&test_map, Rules::all()[0]);
    let mut agent = agent_of(&map, build(&map, 16));
    let mut scratch = Scratch::new();
    let mut context = Context::new(&map, &mut scratch);
    let mut pairs = Vec::new();
    while pairs.len() < 100 {
        let ends = (
            test_map.random_open_cell(&mut rng),
            test_map.random_open_cell(&mut rng),
        );
        let (Some(a), Some(b)) = ends else { continue };
        let (a, b) = (cell(&map, a), cell(&map, b));
        if map.connected(a, b) {
            pairs.push((a, b));
        }
    }
    agent.start(&mut context, pairs[0].0, pairs[0].1);
    let (moves, counted) = measure(|| {
        let mut moves = 0;
        for &(from, goal) in &pairs {
            let mut at = from;
            agent.start(&mut context, from, goal);
            while let Decision::Step(next) = agent.next_move(&mut context, at) {
                at = next;
                moves += 1;
            }
            assert_eq!(at, goal);
        }
        moves
    });
    assert!(moves > 5_000, "{moves} moves");
    assert_eq!(counted.count, 0, "allocations in {moves} moves");
}

/// Blocks or opens some cells, in the engine and in the test kit's map.
fn random_patch(test_map: &mut TestMap, map: &mut Map, rng: &mut TestRng) -> ChangeSet {
    let mut patch = GridPatch::new();
    let (x, y) = (rng.below(test_map.width()), rng.below(test_map.height()));
    for _ in 0..rng.between(1, 12) {
        let (x, y) = (
            (x + rng.below(5)).min(test_map.width() - 1),
            (y + rng.below(5)).min(test_map.height() - 1),
        );
        let open = rng.percent(40);
        test_map.set(x, y, open);
        patch.set(Point { x, y }, open);
    }
    map.apply(&patch)
}

#[test]
fn a_repaired_index_is_the_one_that_a_fresh_build_gives() {
    for seed in 0..map_count(30) {
        let mut rng = TestRng::new(seed);
        let mut test_map = shapes::any(seed, 30, 70);
        let all = Rules::all();
        let rules = all[seed as usize % all.len()];
        // Every third on terrain.
        let mut map = match seed % 3 {
            0 => unit_map(&test_map, rules, 1, seed).0,
            _ => engine_map(&test_map, rules),
        };
        let mut index = build(&map, 8);
        for _ in 0..4 {
            let changes = random_patch(&mut test_map, &mut map, &mut rng);
            if changes.is_empty() {
                continue;
            }
            let mut repair = SectorRepair::begin(index, &map, &changes);
            // Half of the repairs hear of more patches, at any time.
            let mut patches = if rng.percent(50) { 3 } else { 0 };
            let mut last = None;
            while !repair.is_done() {
                let operations = rng.between(1, 4_000);
                last = repair.advance(&map, u64::from(operations)).or(last);
                if patches > 0 && rng.percent(10) {
                    patches -= 1;
                    let more = random_patch(&mut test_map, &mut map, &mut rng);
                    repair.map_changed(&map, &more);
                }
            }
            index = last.expect("every repair gives an index");
            let fresh = build(&map, 8);
            assert_eq!(
                index.to_bytes(),
                fresh.to_bytes(),
                "seed {seed}\n{}",
                test_map.to_text()
            );
        }
    }
}

/// A repair of a 10 x 10 block on noise: the operations of the most expensive call and of all.
fn repair_costs(width: u32, height: u32, budget: u64) -> (u64, u64) {
    let test_map = shapes::noise(width, height, 20, &mut TestRng::new(11));
    let mut map = engine_map(&test_map, Rules::all()[0]);
    let index = build(&map, 8);
    let mut patch = GridPatch::new();
    for i in 0..100 {
        patch.set(
            Point {
                x: 20 + i % 10,
                y: 20 + i / 10,
            },
            false,
        );
    }
    let changes = map.apply(&patch);
    let mut repair = SectorRepair::begin(index, &map, &changes);
    assert!(repair.operations() <= changes.blocked.len() as u64);
    let (mut worst, mut given) = (0, None);
    while !repair.is_done() {
        let before = repair.operations();
        given = repair.advance(&map, budget);
        worst = worst.max(repair.operations() - before);
    }
    let given = given.expect("an index at the end");
    assert_eq!(given.to_bytes(), build(&map, 8).to_bytes());
    (worst, repair.operations())
}

#[test]
fn no_call_of_a_repair_grows_with_the_map() {
    // What cannot be interrupted: choosing among the edges of one region, at most.
    const UNIT: u64 = 2_000;
    for budget in [1, 500, 20_000] {
        let (small, in_all) = repair_costs(64, 64, budget);
        let (large, in_all_large) = repair_costs(256, 256, budget);
        assert!(small <= budget + UNIT, "{small} for {budget}");
        assert!(large <= budget + UNIT, "{large} for {budget}");
        // Rows are the square of the map: a call that did a part of them unasked would show.
        assert!(in_all_large > 30 * in_all, "{in_all} {in_all_large}");
    }
}

/// Follows the hops between all regions that are said to be connected.
fn assert_chains_end(index: &SectorIndex, about: &str) {
    let regions = index.region_count() as u32;
    for (from, to) in (0..regions).flat_map(|a| (0..regions).map(move |b| (a, b))) {
        if !index.connected(from, to) {
            continue;
        }
        let (mut at, mut hops) = (from, 0);
        while at != to {
            at = index.next_hop(at, to).0.expect("a way on");
            hops += 1;
            assert!(hops <= regions, "no end from {from} to {to}, {about}");
        }
    }
}

#[test]
fn repairs_come_to_an_end_however_fast_patches_come() {
    for seed in 0..map_count(6) {
        let mut rng = TestRng::new(seed);
        let mut test_map = shapes::any(seed, 60, 90);
        let mut map = engine_map(&test_map, Rules::all()[0]);
        let slot = slot_of(&map, build(&map, 8));
        let (mut given, mut last) = (0, None);
        let mut tick = 0;
        let about = |tick: u32| format!("seed {seed}, tick {tick}");
        loop {
            let patched = tick < 3_000 && tick % 3 == 0;
            if patched {
                random_patch(&mut test_map, &mut map, &mut rng);
            }
            if slot.advance(&map, 2_000, true).is_some() {
                given += 1;
                last = Some(slot.index());
                let sectors = Reader::<SectorIndex>::new(&slot).expect("what was repaired");
                assert_chains_end(sectors.index(), &about(tick));
            }
            tick += 1;
            let under_repair = slot.index_state() == IndexState::Repairing;
            if tick == 3_000 {
                assert!(given >= 5, "{given} indexes, {}", about(tick));
            }
            if tick >= 3_000 && !under_repair {
                break;
            }
            assert!(tick < 100_000, "no end, {}", about(tick));
        }
        let last = last.expect("some were given");
        assert_eq!(
            last.to_bytes(),
            build(&map, 8).to_bytes(),
            "{}\n{}",
            about(tick),
            test_map.to_text()
        );
    }
}

#[test]
fn rows_of_components_that_a_patch_leaves_alone_are_kept() {
    let mut test_map = TestMap::filled(480, 192, true);
    test_map.set_rectangle(360, 0, 4, 192, false);
    let repaired = |x: u32| {
        let mut map = engine_map(&test_map, Rules::all()[0]);
        let index = build(&map, 8);
        let mut patch = GridPatch::new();
        for i in 0..6 {
            patch.set(Point { x: x + i, y: 40 }, false);
        }
        let changes = map.apply(&patch);
        let mut repair = SectorRepair::begin(index, &map, &changes);
        let given = repair.advance(&map, u64::MAX).expect("no limit");
        assert!(repair.is_done());
        assert_eq!(given.to_bytes(), build(&map, 8).to_bytes());
        repair.operations()
    };
    // The regions on the left are three times as many as on the right: nine times the pairs, and nothing for the others.
    let (left, right) = (repaired(100), repaired(420));
    assert!(left > 4 * right, "{left} {right}");
}

#[test]
fn on_terrain_goals_beyond_dear_ground_are_reached_round_it() {
    // A corridor round a block of wall, closed by woods on one side.
    let row = |y: u32| match y {
        16..80 => {
            let left = if (40..48).contains(&y) { "T" } else { "." };
            left.repeat(12) + &"@".repeat(40) + &".".repeat(12)
        }
        _ => ".".repeat(64),
    };
    let rows: Vec<String> = (0..96).map(row).collect();
    let text = format!(
        "type octile\nheight 96\nwidth 64\nmap\n{}\n",
        rows.join("\n")
    );
    let footings = Footings::parse("T=90").expect("good");
    let map = Map::from_movingai(&text).expect("a legal map");
    let map = map.with_footings(&footings).expect("costs fit");
    let index = build(&map, 16);
    let regions = index.region_count();
    let (mut scratch, mut worst) = (Scratch::new(), 0.0f64);
    for (from, to) in [
        ((5, 30), (5, 50)),
        ((2, 38), (9, 49)),
        ((5, 60), (3, 39)),
        ((60, 44), (5, 49)),
    ] {
        let [from, to] = [from, to].map(|at| cell(&map, at));
        let mut agent = agent_of(&map, index.clone());
        let mut context = Context::new(&map, &mut scratch);
        let walked = walk(&mut agent, &mut context, from, to, 10_000, &mut ()).expect("legal");
        let best = AStar::new().shortest_path(&map, from, to).expect("a way");
        worst = worst.max(walked.cost as f64 / f64::from(best.cost));
    }
    assert!(
        worst < 1.4,
        "{worst} times the optimum with {regions} regions"
    );
}

/// A belt of woods from the lower edge almost to the upper one, with a clearing on the right of it; the way round leads over the top.
fn belt_of_woods() -> Map {
    let letter = |x: u32, y: u32| match (x, y) {
        (78..80, 86..90) => ".",
        (64..80, 16..) => "T",
        _ => ".",
    };
    let row = |y: u32| (0..144).map(|x| letter(x, y)).collect::<String>();
    let rows: Vec<String> = (0..112).map(row).collect();
    let text = format!(
        "type octile\nheight 112\nwidth 144\nmap\n{}\n",
        rows.join("\n")
    );
    let footings = Footings::parse(".=0.1,T=33.33").expect("good");
    let map = Map::from_movingai(&text).expect("a legal map");
    map.with_footings(&footings).expect("costs fit")
}

#[test]
fn goals_at_the_far_edge_of_woods_are_reached_from_there() {
    let map = belt_of_woods();
    let index = build(&map, 16);
    let mut scratch = Scratch::new();
    for (from, to) in [((100, 88), (65, 82)), ((130, 60), (64, 94))] {
        let [from, to] = [from, to].map(|at| cell(&map, at));
        let mut agent = agent_of(&map, index.clone());
        let mut context = Context::new(&map, &mut scratch);
        let walked = walk(&mut agent, &mut context, from, to, 10_000, &mut ()).expect("legal");
        let best = AStar::new().shortest_path(&map, from, to).expect("a way");
        let times = walked.cost as f64 / f64::from(best.cost);
        assert!(times < 1.4, "{times} times the optimum");
    }
}

#[test]
fn no_step_over_dear_ground_is_taken_before_the_way_is_known() {
    let map = belt_of_woods();
    let index = build(&map, 16);
    let mut scratch = Scratch::new();
    let mut waits = 0;
    for (x, y) in (65..79)
        .step_by(2)
        .flat_map(|x| [(x, 40), (x, 57), (x, 75)])
    {
        let [from, to] = [(x, y), (40, 100)].map(|at| cell(&map, at));
        let mut agent = agent_of(&map, index.clone());
        let mut context = Context::new(&map, &mut scratch);
        context.budget = Budget { operations: 40 };
        agent.start(&mut context, from, to);
        let mut at = from;
        let mut way = vec![from];
        for _ in 0..200 {
            match agent.next_move(&mut context, at) {
                Decision::Step(next) => {
                    assert!(!way.contains(&next), "back to {next:?} after {way:?}");
                    way.push(next);
                    at = next;
                    if way.len() > 4 {
                        break;
                    }
                }
                Decision::Thinking => waits += 1,
                other => panic!("{other:?}"),
            }
        }
        assert!(way.len() > 1, "it never moves");
    }
    assert!(waits > 0, "all ways were known at once");
}

#[test]
fn agents_with_an_old_index_still_arrive_by_legal_moves() {
    let mut scratch = Scratch::new();
    for seed in 0..map_count(60) {
        let mut rng = TestRng::new(seed);
        let mut test_map = shapes::any(seed, 20, 60);
        let all = Rules::all();
        let rules = all[seed as usize % all.len()];
        let mut map = engine_map(&test_map, rules);
        let index = build(&map, 8);
        // Every other agent gets the indexes of a repair that patches overtake.
        let slot = slot_of(&map, index);
        let mut agent = SectorsAgent::new(Reader::new(&slot).expect("sectors"));
        let bound = agent.operations_bound(&map).expect("it has one");
        let (Some(from), Some(goal)) = (
            test_map.random_open_cell(&mut rng),
            test_map.random_open_cell(&mut rng),
        ) else {
            continue;
        };
        let (mut at, goal) = (cell(&map, from), cell(&map, goal));
        agent.start(&mut Context::new(&map, &mut scratch), at, goal);
        for tick in 0..200_000 {
            if tick % 5 == 4 && tick < 200 {
                random_patch(&mut test_map, &mut map, &mut rng);
                if !map.contains(at) {
                    break;
                }
            }
            if seed % 2 == 1 {
                slot.advance(&map, 5_000, true);
            }
            let mut context = Context::new(&map, &mut scratch);
            let about = || format!("seed {seed} tick {tick}\n{}", test_map.to_text());
            let decision = agent.next_move(&mut context, at);
            assert!(context.meter.operations() <= bound, "{}", about());
            match decision {
                Decision::Step(next) => {
                    assert!(map.legal_step(at, next).is_some(), "{}", about());
                    at = next;
                }
                Decision::Thinking => {}
                Decision::Arrived => {
                    assert_eq!(at, goal);
                    break;
                }
                Decision::Unreachable => {
                    assert!(!map.connected(at, goal), "{}", about());
                    if tick >= 200 {
                        break;
                    }
                }
            }
            assert!(tick < 199_999, "never arrived: {}", about());
        }
    }
}

#[test]
fn an_idle_agent_is_small() {
    assert!(
        size_of::<SectorsAgent>() <= 128,
        "{}",
        size_of::<SectorsAgent>()
    );
}

#[test]
fn files_come_back_and_damage_is_found() {
    let mut rng = TestRng::new(3);
    let test_map = shapes::noise(40, 24, 30, &mut rng);
    let map = engine_map(&test_map, Rules::all()[0]);
    let index = build(&map, 8);
    let bytes = index.to_bytes();
    let artifact = Artifact::open(bytes.clone()).expect("a good artifact");
    let opened = SectorIndex::open(&artifact, &map).expect("a good index");
    assert_eq!(opened.to_bytes(), bytes);
    for cut in 0..bytes.as_ref().len() {
        assert!(Artifact::open(bytes.as_ref()[..cut].to_vec()).is_err());
    }
    for at in 0..bytes.as_ref().len() {
        let mut bad = bytes.as_ref().to_vec();
        bad[at] ^= 0x10;
        assert!(Artifact::open(bad).is_err(), "byte {at}");
    }
}

#[test]
fn contents_that_make_no_sense_never_panic() {
    let mut rng = TestRng::new(3);
    let test_map = shapes::noise(40, 24, 30, &mut rng);
    let map = engine_map(&test_map, Rules::all()[0]);
    let bytes = build(&map, 8).to_bytes();
    let body = bytes.as_ref().len() - 8;
    let mut scratch = Scratch::new();
    let mut opened = 0;
    for at in (72..body).step_by(4) {
        for value in [0u32, 1, 0x7fff_ffff, u32::MAX] {
            let mut bad = bytes.as_ref().to_vec();
            bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
            let checksum = waypost::artifact::checksum(&bad[..body]);
            bad[body..].copy_from_slice(&checksum.to_le_bytes());
            let Ok(artifact) = Artifact::open(bad) else {
                continue;
            };
            let Ok(index) = SectorIndex::open(&artifact, &map) else {
                continue;
            };
            opened += 1;
            let mut agent = agent_of(&map, Arc::new(index));
            let mut context = Context::new(&map, &mut scratch);
            let from = cell(&map, test_map.open_cells()[0]);
            let goal = cell(&map, *test_map.open_cells().last().expect("open cells"));
            let _ = walk(&mut agent, &mut context, from, goal, 300, &mut ());
        }
    }
    assert!(opened > 0);
}

/// A trace shows every expansion that the meter counts, and changes no move.
#[test]
fn traces_show_what_windows_expand() {
    let mut rng = TestRng::new(8);
    let test_map = shapes::noise(120, 90, 25, &mut rng);
    let map = engine_map(&test_map, Rules::all()[0]);
    let mut agent = agent_of(&map, build(&map, 16));
    let mut scratch = Scratch::new();
    let mut traced = 0;
    for _ in 0..20 {
        let [a, b] = [(); 2].map(|()| test_map.random_open_cell(&mut rng).expect("open"));
        let (from, goal) = (cell(&map, a), cell(&map, b));
        let mut context = Context::new(&map, &mut scratch);
        let plain = walk(&mut agent, &mut context, from, goal, 100_000, &mut ()).expect("legal");
        let mut trace = Trace::with_limit(1_000_000);
        let mut context = Context::new(&map, &mut scratch);
        context.trace = Some(&mut trace);
        let shown = walk(&mut agent, &mut context, from, goal, 100_000, &mut ()).expect("legal");
        assert_eq!((&shown.path, shown.meter), (&plain.path, plain.meter));
        let expanded = |event: &&Event| matches!(event, Event::Expanded { .. });
        let count = trace.events().iter().filter(expanded).count() as u64;
        assert_eq!(count, shown.meter.expansions);
        traced += count;
    }
    assert!(traced > 1000, "{traced}");
}
