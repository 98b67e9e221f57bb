//! One walker a cell: corridors, dead ends, crowded rooms. Nobody waits for ever where there is a way.

mod common;

use common::crowd::Stage;
use waypost::Point;
use waypost::crowd::{Options, Status};
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
    let map = TestMap::from_text(
        "@@@@@@@@@@@@@@@@@@@@\n@@@@@@@@@@.@@@@@@@@@\n....................\n@@@@@@@@@@@@@@@@@@@@\n",
    );
    all_arrive(&map, &[((0, 2), (19, 2)), ((19, 2), (0, 2))], 500);
    // The bay is nearer to the one that comes second.
    all_arrive(&map, &[((4, 2), (19, 2)), ((19, 2), (0, 2))], 500);
    all_arrive(&map, &[((13, 2), (0, 2)), ((0, 2), (19, 2))], 500);
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
