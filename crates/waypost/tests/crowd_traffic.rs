//! One walker a cell: corridors, dead ends, crowded rooms. Nobody waits for ever where there is a way.

mod common;

use common::crowd::Stage;
use waypost::Point;
use waypost::crowd::{Formation, Options, Status, WalkerId};
use waypost_testkit::{Rules, TestMap, TestRng};

/// Where a walker begins and where it is sent.
type Trip = ((u32, u32), (u32, u32));

/// Sends walkers on their trips, one a cell, until all stand on their goals at once; gives the count of waits.
fn all_arrive(test_map: &TestMap, trips: &[Trip], most_ticks: u64) -> u64 {
    let options = Options {
        exclusive: true,
        ..Options::default()
    };
    let mut stage = Stage::new("lrta", test_map.clone(), Rules::all()[0], options, 0);
    for &((x, y), (to_x, to_y)) in trips {
        let id = stage.crowd.add(Point { x, y }).expect("a free cell");
        let goal = Point { x: to_x, y: to_y };
        stage.crowd.send(id, goal).expect("on the map");
        stage.ids.push(id);
    }
    let mut waits = 0;
    for _ in 0..most_ticks {
        waits += stage.tick().waits;
        let arrived = |&id| stage.crowd.status(id) == Ok(Status::Arrived);
        if stage.ids.iter().all(arrived) {
            return waits;
        }
    }
    let whole = test_map.to_text();
    panic!(
        "after {most_ticks} ticks and {waits} waits on\n{whole}: {:?}",
        stage.places()
    );
}

#[test]
fn two_meet_in_a_corridor_with_a_bay_and_pass() {
    let wall = "@@@@@@@@@@@@@@@@@@@@\n";
    let bay = "@@@@@@@@@@.@@@@@@@@@\n";
    let corridor = "....................\n";
    // The bay is above the corridor, and below it.
    for rows in [[wall, bay, corridor, wall], [wall, wall, corridor, bay]] {
        let map = TestMap::from_text(&rows.concat());
        all_arrive(&map, &[((0, 2), (19, 2)), ((19, 2), (0, 2))], 500);
        // The bay is nearer to the one that comes second.
        all_arrive(&map, &[((4, 2), (19, 2)), ((19, 2), (0, 2))], 500);
        all_arrive(&map, &[((13, 2), (0, 2)), ((0, 2), (19, 2))], 500);
    }
}

#[test]
fn a_walker_in_a_dead_end_is_let_out() {
    let map = TestMap::from_text("@@@@@@@...\n..........\n@@@@@@@...\n");
    // The one outside has the older goal, at the end of the corridor where the other one stands.
    all_arrive(&map, &[((8, 1), (1, 1)), ((0, 1), (9, 0))], 500);
}

#[test]
fn two_groups_meet_in_a_corridor_that_has_a_way_round() {
    // Two rooms, joined by a corridor and by a loop above it.
    let mut map = TestMap::filled(40, 12, true);
    map.set_rectangle(8, 0, 24, 12, false);
    map.set_rectangle(8, 8, 24, 1, true);
    map.set_rectangle(8, 2, 24, 1, true);
    let mut trips = Vec::new();
    for i in 0..12 {
        let (x, y) = (i % 3, i / 3);
        trips.push(((7 - x, 7 + y), (34 + x, 7 + y)));
        trips.push(((34 + x, 7 + y), (7 - x, 7 + y)));
    }
    let waits = all_arrive(&map, &trips, 3000);
    assert!(waits > 0, "somebody had to wait, and it was counted");
}

#[test]
fn two_groups_meet_in_a_corridor_that_has_none() {
    let mut map = TestMap::filled(40, 12, true);
    map.set_rectangle(8, 0, 24, 12, false);
    map.set_rectangle(8, 8, 24, 1, true);
    let mut trips = Vec::new();
    for i in 0..6 {
        let (x, y) = (i % 2, i / 2);
        trips.push(((7 - x, 7 + y), (33 + x, 7 + y)));
        trips.push(((33 + x, 7 + y), (7 - x, 7 + y)));
    }
    all_arrive(&map, &trips, 5000);
}

#[test]
fn a_dense_crowd_in_one_room_sorts_itself_out() {
    let map = TestMap::filled(16, 16, true);
    let mut rng = TestRng::new(3);
    let mut goals: Vec<(u32, u32)> = (0..16).flat_map(|x| (0..16).map(move |y| (x, y))).collect();
    for i in (1..goals.len()).rev() {
        goals.swap(i, rng.below(i as u32 + 1) as usize);
    }
    let starts = (0..150).map(|i| (i % 16, i / 16));
    let trips: Vec<_> = starts.zip(goals).collect();
    all_arrive(&map, &trips, 5000);
}

#[test]
fn a_room_filled_to_95_per_cent_sorts_itself_out() {
    let map = TestMap::filled(12, 12, true);
    let mut rng = TestRng::new(9);
    let mut goals: Vec<(u32, u32)> = (0..12).flat_map(|x| (0..12).map(move |y| (x, y))).collect();
    for i in (1..goals.len()).rev() {
        goals.swap(i, rng.below(i as u32 + 1) as usize);
    }
    let starts = (0..137).map(|i| (i % 12, i / 12));
    let trips: Vec<_> = starts.zip(goals).collect();
    all_arrive(&map, &trips, 20_000);
}

fn exclusive_stage(algorithm: &str, map: &TestMap) -> Stage {
    let options = Options {
        exclusive: true,
        ..Options::default()
    };
    Stage::new(algorithm, map.clone(), Rules::all()[0], options, 0)
}

#[test]
fn a_walker_that_holds_its_ground_gives_way_to_nobody() {
    let map = TestMap::from_text("@@@@@@@@@@\n..........\n@@@@@@@@@@\n");
    let mut stage = exclusive_stage("jump-graph", &map);
    let holder = stage.crowd.add(Point { x: 5, y: 1 }).expect("free");
    let comer = stage.crowd.add(Point { x: 0, y: 1 }).expect("free");
    stage.ids = vec![holder, comer];
    let send = |stage: &mut Stage, id, x| stage.crowd.send(id, Point { x, y: 1 }).expect("on it");
    send(&mut stage, holder, 9);
    send(&mut stage, comer, 8);
    stage.crowd.hold(holder, true).expect("there");
    for _ in 0..60 {
        stage.tick();
    }
    assert_eq!(stage.crowd.position(holder), Ok(Point { x: 5, y: 1 }));
    assert_eq!(stage.crowd.status(holder), Ok(Status::Holding));
    // Held up, it steps back now and then; it never gets past.
    let comer_at = stage.crowd.position(comer).expect("there");
    assert!(comer_at.x < 5, "{comer_at}");
    stage.crowd.hold(holder, false).expect("there");
    for _ in 0..60 {
        stage.tick();
    }
    assert_eq!(stage.crowd.status(holder), Ok(Status::Arrived));
    assert_eq!(stage.crowd.status(comer), Ok(Status::Arrived));
}

#[test]
fn a_slow_walker_moves_every_third_tick_and_others_pass_it() {
    for exclusive in [false, true] {
        let map = TestMap::filled(40, 3, true);
        let options = Options {
            exclusive,
            ..Options::default()
        };
        let mut stage = Stage::new("jump-graph", map, Rules::all()[0], options, 0);
        let slow = stage.crowd.add(Point { x: 2, y: 1 }).expect("free");
        let fast = stage.crowd.add(Point { x: 0, y: 1 }).expect("free");
        stage.ids = vec![slow, fast];
        for id in [slow, fast] {
            stage.crowd.send(id, Point { x: 39, y: 1 }).expect("on it");
        }
        stage.crowd.set_pace(slow, 3).expect("not too slow");
        assert!(stage.crowd.set_pace(slow, 0).is_err());
        assert!(stage.crowd.set_pace(slow, 17).is_err());
        for _ in 0..30 {
            stage.tick();
        }
        let [slow, fast] = [slow, fast].map(|id| stage.crowd.position(id).expect("there").x);
        assert_eq!(slow, 12, "exclusive {exclusive}");
        assert!(fast >= 28, "exclusive {exclusive}: {fast}");
    }
}

#[test]
fn a_group_arrives_around_its_place_and_comes_to_rest() {
    for formation in [Formation::Close, Formation::Kept] {
        let mut map = TestMap::filled(40, 30, true);
        map.set_rectangle(20, 0, 1, 12, false);
        map.set_rectangle(20, 14, 1, 16, false);
        let mut stage = exclusive_stage("waypost", &map);
        for i in 0..60 {
            let at = Point {
                x: 2 + i % 10,
                y: 4 + i / 10,
            };
            let id = stage.crowd.add(at).expect("a free cell");
            stage.ids.push(id);
        }
        let (ids, place) = (stage.ids.clone(), Point { x: 32, y: 20 });
        stage
            .crowd
            .send_group(&ids, place, formation)
            .expect("floor");
        for _ in 0..400 {
            stage.tick();
        }
        for &id in &ids {
            assert_eq!(stage.crowd.status(id), Ok(Status::Arrived), "{formation:?}");
            let at = stage.crowd.position(id).expect("there");
            assert!(
                at.x.abs_diff(place.x) <= 6 && at.y.abs_diff(place.y) <= 6,
                "{formation:?} {at}"
            );
        }
        assert_eq!(stage.tick().moves, 0, "nobody jostles");
        // One that comes through makes others give way, and they return.
        let through = stage
            .crowd
            .add(Point { x: 25, y: 20 })
            .expect("a free cell");
        stage.ids.push(through);
        stage
            .crowd
            .send(through, Point { x: 39, y: 20 })
            .expect("on it");
        for _ in 0..200 {
            stage.tick();
        }
        let arrived = |&id: &WalkerId| stage.crowd.status(id) == Ok(Status::Arrived);
        assert!(stage.ids.iter().all(arrived), "{formation:?}");
    }
}
