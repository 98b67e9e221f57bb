//! Worlds in which something changes all the time: walkers get on, rebuilt indexes are what was asked for, saved games load.

mod common;

use common::indexes_for;
use waypost::agent::{Agent, Scratch};
use waypost::generate::{Kind, generate};
use waypost::index::{self, IndexKind, IndexRequest, Shard};
use waypost::navigator::BuildOptions;
use waypost::prelude::*;
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::spec::AgentSpec;
use waypost::{Cell, Context, Decision, GridPatch, Space};

fn caves(seed: u64) -> Map {
    let grid = generate(Kind::Caves, 160, 120, seed).expect("a legal size");
    Map::new(grid, MoveRules::default())
}

fn any(map: &Map, rng: &mut Rng) -> Cell {
    let cells: Vec<Cell> = map.grid().cells().collect();
    cells[rng.below(cells.len() as u32) as usize]
}

/// Walks until the end or so many moves are over, while one cell beside the way opens and closes with every move; says whether it arrived.
fn walk_on_a_restless_map(spec: &AgentSpec, seed: u64, upkeep: u64) -> bool {
    let (mut map, mut rng) = (caves(seed), Rng::for_item(seed, 1));
    let indexes = indexes_for(spec, &map);
    let mut agent = spec.build(&map, &indexes).expect("its own map");
    let mut scratch = Scratch::new();
    let (from, goal) = loop {
        let ends = (any(&map, &mut rng), any(&map, &mut rng));
        if map.components().connected(ends.0, ends.1) && map.heuristic(ends.0, ends.1) > 60_000 {
            break ends;
        }
    };
    agent.start(&mut Context::new(&map, &mut scratch), from, goal);
    let mut at = from;
    for _ in 0..6_000 {
        let cell = Cell(rng.below(map.grid().id_bound() as u32));
        let point = map.grid().point(cell);
        if cell != at && cell != goal && map.grid().cell(point) == Some(cell) {
            let mut patch = GridPatch::new();
            patch.set(point, !map.grid().is_passable(cell));
            map.apply(&patch);
        }
        if upkeep > 0 {
            indexes.advance(&map, upkeep, true);
        }
        let mut context = Context::new(&map, &mut scratch);
        match agent.next_move(&mut context, at) {
            Decision::Step(next) => {
                assert!(map.legal_step(at, next).is_some(), "{at:?} to {next:?}");
                at = next;
            }
            Decision::Thinking => {}
            Decision::Arrived => return true,
            Decision::Unreachable => return !map.components().connected(at, goal),
        }
    }
    false
}

/// With every cell that opened an agent dropped its runs, which were free, and began again to wait for its guide: it stood still for ever.
#[test]
fn an_agent_gets_there_while_cells_open_with_every_move() {
    for name in ["waypost", "labels", "sectors"] {
        let spec = AgentSpec::parse(name).expect("a good spec");
        for seed in 0..6 {
            for upkeep in [0, 2_000] {
                let arrives = walk_on_a_restless_map(&spec, seed, upkeep);
                assert!(arrives, "{name}, seed {seed}, upkeep {upkeep}");
            }
        }
    }
}

/// Nobody in a crowd planned while the jump-point graph was being repaired, though labels know the ways round closed doors at once.
#[test]
fn a_crowd_plans_while_doors_open_and_close_in_every_tick() {
    let (map, mut rng) = (caves(3), Rng::new(5));
    let doors: Vec<Point> = (0..60)
        .map(|_| map.grid().point(any(&map, &mut rng)))
        .collect();
    let nav = Navigator::build(map.and_doors(doors.clone())).expect("small");
    // Upkeep that never gets done with two doors a tick.
    let options = CrowdOptions {
        repair_operations: 200,
        ..CrowdOptions::default()
    };
    let mut crowd = nav.crowd(options).expect("a crowd");
    let (map, mut sent) = (nav.map(), 0);
    while sent < 60 {
        let [from, goal] = [any(&map, &mut rng), any(&map, &mut rng)].map(|c| map.grid().point(c));
        if doors.contains(&goal) || nav.distance(from, goal).is_err() {
            continue;
        }
        let unit = crowd.spawn(from).expect("free");
        crowd.send(unit, goal).expect("on the map");
        sent += 1;
    }
    let mut planned = 0;
    for _ in 0..600 {
        for _ in 0..2 {
            let door = doors[rng.below(60) as usize];
            let is_open = nav.is_free(door);
            nav.set_door(door, !is_open).expect("a door");
        }
        planned += crowd.tick().counts.set_up;
    }
    assert!(planned >= 60, "{planned} plans");
    let arrived = crowd
        .units()
        .filter(|unit| unit.status() == Status::Arrived)
        .count();
    assert!(arrived >= 55, "{arrived} of 60 have arrived");
}

#[test]
fn rebuilt_indexes_have_the_parameters_of_those_in_whose_place_they_come() {
    let map = caves(1);
    for kind in IndexKind::ALL {
        let request = IndexRequest::new(kind);
        let Ok(built) = index::build(&map, &request, Shard::WHOLE, &NoProgress) else {
            continue;
        };
        let mut again = request.clone();
        for (key, value) in built.parameters() {
            if index::IndexType::of(kind)
                .expect("known")
                .keys
                .iter()
                .any(|(k, _)| k == key)
            {
                again = again.with(key, value);
            }
        }
        let again = index::build(&map, &again, Shard::WHOLE, &NoProgress);
        let again = again.unwrap_or_else(|error| panic!("{}: {error}", kind.name()));
        assert_eq!(again.parameters(), built.parameters(), "{}", kind.name());
    }
    let nav =
        Navigator::build_with(map, BuildOptions::default().max_bytes(40_000)).expect("sectors");
    let memory = |nav: &Navigator| {
        let indexes = nav.world().indexes();
        indexes
            .slots()
            .map(|slot| slot.index().memory_bytes())
            .max()
    };
    let before = memory(&nav);
    nav.patch(Patch::new().block_rect((20, 20), (30, 3)));
    for slot in nav.world().indexes().slots() {
        let job = slot
            .rebuild_job(&nav.map(), true)
            .expect("nothing is under way");
        job.run(&NoProgress);
    }
    nav.advance(1 << 40);
    assert!(
        memory(&nav) <= before.map(|bytes| bytes + bytes / 4),
        "{:?}",
        memory(&nav)
    );
}

#[test]
fn an_index_with_other_parameters_than_asked_for_takes_no_place() {
    let map = caves(2);
    let spec = AgentSpec::parse("sectors:side=16").expect("a good spec");
    let indexes = indexes_for(&spec, &map);
    let _agent: Box<dyn Agent<Map>> = spec.build(&map, &indexes).expect("its own map");
    for (side, fits) in [(16, true), (32, false)] {
        let request = IndexRequest::new(IndexKind::Sectors).with("side", side);
        let other = index::build(&map, &request, Shard::WHOLE, &NoProgress).expect("small");
        assert_eq!(indexes.replace(&map, other).is_ok(), fits, "side {side}");
    }
}

/// A repair could not be forked: all that was done since the world was in step was done again, for seconds.
#[test]
fn a_fork_in_mid_repair_goes_on_as_the_world_does() {
    let grid = generate(Kind::Random, 96, 96, 4).expect("a legal size");
    let nav = Navigator::build(Map::new(grid, MoveRules::default())).expect("small");
    let mut rng = Rng::new(8);
    for _ in 0..40 {
        let at = Point::from((rng.below(96), rng.below(96)));
        nav.patch(Patch::new().block(at));
        nav.advance(300);
    }
    let fork = nav.fork().expect("a fork");
    for round in 0..400 {
        assert_eq!(nav.index_states(), fork.index_states(), "round {round}");
        nav.advance(2_000);
        fork.advance(2_000);
    }
    let [one, other] = [&nav, &fork].map(|nav| nav.save().expect("in step"));
    assert!(one == other);
}
