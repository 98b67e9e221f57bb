//! One walker a cell, tried hard: terrain, walls that close behind walkers, paces, groups in dead ends, two crowds in one world. Everybody gets there,
//! or is said to have no way; and who has a free better neighbour moves.

mod common;

use common::crowd::Stage;
use waypost::crowd::{AnyCrowd, Options, Status, WalkerId};
use waypost::index::Indexes;
use waypost::spec::AgentSpec;
use waypost::terrain::{Class, Classes, Factor, Footing};
use waypost::{Grid, GridPatch, Map, Point, World};
use waypost_testkit::{Rules, TestMap, TestRng, distances};

fn one_a_cell() -> Options {
    Options {
        exclusive: true,
        ..Options::default()
    }
}

fn stage(method: &str, map: TestMap) -> Stage {
    Stage::new(method, map, Rules::all()[0], one_a_cell(), 0)
}

fn add(stage: &mut Stage, (x, y): (u32, u32)) -> WalkerId {
    let id = stage.crowd.add(Point { x, y }).expect("a free cell");
    stage.ids.push(id);
    id
}

fn send(stage: &mut Stage, id: WalkerId, (x, y): (u32, u32)) {
    stage.crowd.send(id, Point { x, y }).expect("on the map");
}

fn has_arrived(stage: &Stage, id: WalkerId) -> bool {
    stage.crowd.status(id) == Ok(Status::Arrived)
}

/// Ticks until all have arrived.
fn all_arrive(stage: &mut Stage, most_ticks: u64) {
    for _ in 0..most_ticks {
        stage.tick();
        if stage.ids.iter().all(|&id| has_arrived(stage, id)) {
            return;
        }
    }
    let doing = stage.ids.iter().map(|&id| stage.crowd.status(id));
    let doing: Vec<_> = doing.collect();
    let whole = stage.map.to_text();
    panic!(
        "{most_ticks} ticks on\n{whole}: {:?} {doing:?}",
        stage.places()
    );
}

/// A road with a swamp along the one side and grass along the other.
fn road(is_swamp: impl Fn(u32) -> bool) -> Map {
    const WIDTH: u32 = 30;
    let kind = |name: &str, hundredths| Class {
        name: name.to_owned(),
        footing: Footing::Factor(Factor::from_hundredths(hundredths).expect("in range")),
    };
    let kinds = vec![kind("grass", 100), kind("swamp", 1_000)];
    let rows = (0..3).flat_map(|y| std::iter::repeat_n(u8::from(is_swamp(y)), WIDTH as usize));
    let classes = Classes::new(WIDTH, 3, kinds, rows.collect()).expect("as many as cells");
    let grid = Grid::from_fn(WIDTH, 3, |_| true).expect("a legal size");
    Map::for_unit(&grid, Default::default(), Some(&classes), 1).expect("costs fit")
}

/// The rows that anybody stood in until all who were sent had arrived.
fn rows_used(map: &Map, starts: &[Point], goals: &[Option<Point>]) -> Vec<u32> {
    let spec = AgentSpec::parse("astar").expect("a method");
    let crowd = spec.crowd(map, &Indexes::new(), one_a_cell());
    let mut crowd: Box<dyn AnyCrowd> = crowd.expect("it needs nothing");
    let ids = starts.iter().map(|&at| crowd.add(at).expect("free"));
    let ids: Vec<WalkerId> = ids.collect();
    let sent = || {
        ids.iter()
            .zip(goals)
            .filter_map(|(&id, goal)| Some((id, (*goal)?)))
    };
    for (id, goal) in sent() {
        crowd.send(id, goal).expect("on the map");
    }
    let mut rows = Vec::new();
    for _ in 0..200 {
        crowd.tick();
        rows.extend(ids.iter().map(|&id| crowd.position(id).expect("there").y));
        if sent().all(|(id, _)| crowd.status(id) == Ok(Status::Arrived)) {
            rows.sort_unstable();
            rows.dedup();
            return rows;
        }
    }
    panic!("somebody never arrives");
}

#[test]
fn units_that_meet_give_way_onto_cheap_ground() {
    let point = |x, y| Point { x, y };
    // Two towards two. By habit walkers pass each other on the right: one of the two sides would be the swamp.
    let starts = [2, 3, 26, 27].map(|x| point(x, 1));
    let goals = [26, 27, 2, 3].map(|x| Some(point(x, 1)));
    assert_eq!(rows_used(&road(|y| y == 0), &starts, &goals), [1, 2]);
    assert_eq!(rows_used(&road(|y| y == 2), &starts, &goals), [0, 1]);
}

#[test]
fn a_unit_that_wants_nothing_is_pushed_onto_cheap_ground() {
    let point = |x, y| Point { x, y };
    let starts = [point(2, 1), point(14, 1)];
    let goals = [Some(point(27, 1)), None];
    // The comer steers round the one that stands, or pushes it; neither sets foot on the swamp.
    assert!(!rows_used(&road(|y| y == 0), &starts, &goals).contains(&0));
    assert!(!rows_used(&road(|y| y == 2), &starts, &goals).contains(&2));
}

#[test]
fn walls_that_close_behind_walkers_leave_nobody_in_the_dark() {
    for method in ["waypost", "sectors", "jump-graph"] {
        // Two rooms and a corridor of one cell between them.
        let mut map = TestMap::filled(30, 9, true);
        map.set_rectangle(10, 0, 10, 9, false);
        map.set_rectangle(10, 4, 10, 1, true);
        let mut stage = stage(method, map);
        for i in 0..16 {
            add(&mut stage, (6 + i % 4, 2 + i / 4));
        }
        // The second half comes when the first is in the corridor.
        let ids = stage.ids.clone();
        let to = |i: u32| (22 + i % 4, 2 + i / 4);
        let send_half = |stage: &mut Stage, half: u32| {
            for i in 8 * half..8 * half + 8 {
                send(stage, ids[i as usize], to(i));
            }
        };
        send_half(&mut stage, 1);
        for _ in 0..12 {
            stage.tick();
        }
        send_half(&mut stage, 0);
        for _ in 0..6 {
            stage.tick();
        }
        // Walls go up wherever nobody stands in the corridor.
        let places = stage.places();
        let corridor = (10..20).map(|x| Point { x, y: 4 });
        let walls: Vec<Point> = corridor.filter(|at| !places.contains(at)).collect();
        assert!((1..10).contains(&walls.len()), "{method}: {walls:?}");
        let mut patch = GridPatch::new();
        for &at in &walls {
            stage.set(&mut patch, at, false);
        }
        stage.crowd.patch(&patch);
        stage.settle(2_000);
        let cut_off =
            |stage: &Stage, id| matches!(stage.crowd.status(id), Ok(Status::Unreachable { .. }));
        let (there, cut): (Vec<_>, Vec<_>) = ids.iter().partition(|&&id| has_arrived(&stage, id));
        assert!(cut.iter().all(|&&id| cut_off(&stage, id)), "{method}");
        assert!(!cut.is_empty(), "{method}: {} have arrived", there.len());
        // It opens: whoever is sent again gets there.
        let mut patch = GridPatch::new();
        for &at in &walls {
            stage.set(&mut patch, at, true);
        }
        stage.crowd.patch(&patch);
        for (i, &id) in (0..).zip(&ids) {
            send(&mut stage, id, to(i));
        }
        all_arrive(&mut stage, 2_000);
    }
}

#[test]
fn slow_and_fast_pass_each_other_at_a_bay() {
    let text = "@@@@@@@@@@.@@@@@@@@@\n....................\n@@@@@@@@@@@@@@@@@@@@\n";
    for paces in [[1, 4], [4, 1], [3, 2], [5, 5]] {
        let mut stage = stage("waypost", TestMap::from_text(text));
        let ends = [(1, 1), (18, 1)];
        for i in 0..2 {
            let id = add(&mut stage, ends[i]);
            send(&mut stage, id, ends[1 - i]);
            stage.crowd.set_pace(id, paces[i]).expect("not too slow");
        }
        all_arrive(&mut stage, 6_000);
    }
}

#[test]
fn a_full_room_of_slow_and_fast_sorts_itself_out() {
    const SIDE: u32 = 9;
    let mut rng = TestRng::new(5);
    let mut goals: Vec<(u32, u32)> = (0..SIDE * SIDE).map(|i| (i % SIDE, i / SIDE)).collect();
    for i in (1..goals.len()).rev() {
        goals.swap(i, rng.below(i as u32 + 1) as usize);
    }
    let mut stage = stage("waypost", TestMap::filled(SIDE, SIDE, true));
    for (i, goal) in (0..60).zip(goals) {
        let id = add(&mut stage, (i % SIDE, i / SIDE));
        send(&mut stage, id, goal);
        let pace = 1 + rng.below(4);
        stage.crowd.set_pace(id, pace).expect("not too slow");
    }
    all_arrive(&mut stage, 20_000);
}

#[test]
fn two_crowds_in_one_world_see_the_same_walls_and_all_arrive() {
    let grid = Grid::from_fn(40, 20, |p| p.x != 20 || p.y == 10).expect("a legal size");
    let map = Map::new(grid, Default::default());
    let spec = AgentSpec::parse("jump-graph").expect("a method");
    let world = World::new(map.clone(), &common::crowd::indexes_for(&spec, &map));
    let options = [one_a_cell(), Options::default()];
    let crowds = options.map(|options| spec.crowd_in(&world, options).expect("it suits the map"));
    let [mut first, mut second] = crowds;
    let mut sent = Vec::new();
    for i in 0..40 {
        let (x, y) = (1 + i % 8, 2 + i / 8);
        for (mirror, crowd) in [&mut first, &mut second].into_iter().enumerate() {
            let place = |x| match mirror {
                0 => Point { x, y },
                _ => Point { x: 39 - x, y },
            };
            let id = crowd.add(place(x)).expect("free");
            crowd.send(id, place(39 - x)).expect("on the map");
            sent.push((mirror, id));
        }
    }
    for tick in 0..600 {
        if tick == 8 {
            // By way of one crowd the only door of both goes shut, and another opens.
            let patch = GridPatch::new().block_rect(Point { x: 20, y: 10 }, (1, 1));
            first.patch(&patch.open_rect(Point { x: 20, y: 3 }, (1, 1)));
        }
        for crowd in [&mut first, &mut second] {
            crowd.tick();
        }
        let map = world.map();
        for &(which, id) in &sent {
            let crowd = [&first, &second][which];
            let at = crowd.position(id).expect("there");
            let stands = crowd.status(id) == Ok(Status::Blocked);
            assert!(stands || map.passable_cell(at).is_some(), "{at} at {tick}");
        }
        let arrived = |&(which, id): &(usize, WalkerId)| {
            let crowd = [&first, &second][which];
            crowd.status(id) == Ok(Status::Arrived)
        };
        if sent.iter().all(arrived) {
            return;
        }
    }
    let left = sent.iter().filter_map(|&(which, id)| {
        let crowd = [&first, &second][which];
        let status = crowd.status(id);
        (status != Ok(Status::Arrived)).then(|| (which, crowd.position(id), status))
    });
    panic!("left: {:?}", left.collect::<Vec<_>>());
}

/// Who stays, in a tick, though a free neighbour was nearer to its goal and is free still; and steps of all.
fn idlers(stage: &mut Stage, goals: &[(u32, u32)], fields: &[Vec<Option<u64>>]) -> (u64, u64) {
    let before = stage.places();
    stage.tick();
    let after = stage.places();
    let width = stage.map.width();
    let (mut idle, mut steps) = (0, 0);
    for (i, (&from, &to)) in before.iter().zip(&after).enumerate() {
        if (from.x, from.y) == goals[i] {
            continue;
        }
        steps += 1;
        if from != to {
            continue;
        }
        let left = |p: Point| fields[i][(p.y * width + p.x) as usize];
        let is_free = |x: i64, y: i64| {
            let (dx, dy) = (x - i64::from(from.x), y - i64::from(from.y));
            let open = |x, y| stage.map.is_open(x, y);
            let corners = open(i64::from(from.x) + dx, from.y.into())
                && open(from.x.into(), i64::from(from.y) + dy);
            let at = Point {
                x: x as u32,
                y: y as u32,
            };
            let free = open(x, y) && corners && !before.contains(&at) && !after.contains(&at);
            free && left(at) < left(from)
        };
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        let found = around
            .map(|(dx, dy)| (i64::from(from.x) + dx, i64::from(from.y) + dy))
            .any(|(x, y)| is_free(x, y));
        idle += u64::from(found);
    }
    (idle, steps)
}

#[test]
fn who_has_a_free_better_neighbour_moves() {
    for method in ["waypost", "jump-graph", "sectors"] {
        let (mut idle, mut steps) = (0, 0);
        for seed in 0..6 {
            let mut map = TestMap::filled(24, 18, true);
            map.set_rectangle(11, 0, 2, 18, false);
            map.set_rectangle(11, 8, 2, 3, true);
            let mut rng = TestRng::new(seed);
            let mut stage = stage(method, map);
            let (mut goals, mut fields) = (Vec::new(), Vec::new());
            for _ in 0..60 {
                let id = stage.add_one();
                let goal = stage
                    .map
                    .random_open_cell(&mut rng)
                    .expect("there is floor");
                send(&mut stage, id, goal);
                fields.push(distances(&stage.map, Rules::all()[0], goal));
                goals.push(goal);
            }
            for _ in 0..60 {
                let (some, all) = idlers(&mut stage, &goals, &fields);
                (idle, steps) = (idle + some, steps + all);
            }
        }
        assert!(steps > 4_000, "{method}: {steps}");
        assert_eq!(idle, 0, "{method}, of {steps} steps");
    }
}
