//! Groups, one walker a cell, sent where the order in which they come matters: dead ends, rooms that they fill, doors that others want too. Everybody gets
//! there, or is said to have no way; and then they rest.

mod common;

use common::crowd::Stage;
use waypost::crowd::{Formation, Options, Status, WalkerId};
use waypost::{GridPatch, Point};
use waypost_testkit::{Rules, TestMap};

fn stage(method: &str, map: TestMap) -> Stage {
    let options = Options {
        exclusive: true,
        ..Options::default()
    };
    Stage::new(method, map, Rules::all()[0], options, 0)
}

/// Puts so many walkers into rows of a width, from a corner on.
fn add(stage: &mut Stage, count: u32, corner: (u32, u32), width: u32) -> Vec<WalkerId> {
    let place = |i: u32| Point {
        x: corner.0 + i % width,
        y: corner.1 + i / width,
    };
    let ids = (0..count).map(|i| stage.crowd.add(place(i)).expect("a free cell"));
    let ids: Vec<WalkerId> = ids.collect();
    stage.ids.extend(&ids);
    ids
}

fn send(stage: &mut Stage, ids: &[WalkerId], (x, y): (u32, u32)) {
    let without = stage
        .crowd
        .send_group(ids, Point { x, y }, Formation::Close);
    assert_eq!(without, Ok(Vec::new()), "there is a cell for each");
}

fn statuses(stage: &Stage) -> Vec<Status> {
    let ids = stage.ids.iter();
    ids.map(|&id| stage.crowd.status(id).expect("it is there"))
        .collect()
}

/// Ticks until all are as they should be, and then some in which nobody moves. Gives how many it took.
fn come_to_rest(stage: &mut Stage, most_ticks: u64, is_right: impl Fn(Status) -> bool) -> u64 {
    for tick in 0..most_ticks {
        if statuses(stage).into_iter().all(&is_right) {
            for _ in 0..100 {
                assert_eq!(stage.tick().moves, 0, "{}: they jostle", stage.spec);
            }
            return tick;
        }
        stage.tick();
    }
    panic!(
        "{}, {most_ticks} ticks on\n{}: {:?} {:?}",
        stage.spec,
        stage.map.to_text(),
        stage.places(),
        statuses(stage)
    );
}

fn all_arrive(stage: &mut Stage, most_ticks: u64) -> u64 {
    come_to_rest(stage, most_ticks, |status| status == Status::Arrived)
}

/// A room, and a corridor of one cell that leads out of it and ends.
fn dead_end() -> TestMap {
    let mut map = TestMap::filled(40, 9, true);
    map.set_rectangle(9, 0, 31, 9, false);
    map.set_rectangle(9, 4, 31, 1, true);
    map
}

fn columns(stage: &Stage) -> Vec<u32> {
    let mut columns: Vec<u32> = stage.places().iter().map(|at| at.x).collect();
    columns.sort_unstable();
    columns
}

#[test]
fn a_group_that_is_sent_to_the_end_of_a_dead_end_fills_it_and_rests() {
    for method in ["waypost", "jump-graph", "sectors"] {
        let mut stage = stage(method, dead_end());
        let ids = add(&mut stage, 24, (0, 1), 8);
        send(&mut stage, &ids, (39, 4));
        all_arrive(&mut stage, 200);
        assert_eq!(columns(&stage), (16..40).collect::<Vec<u32>>(), "{method}");
    }
}

#[test]
fn slow_and_fast_fill_a_dead_end_and_one_with_bays() {
    for bays in [false, true] {
        let mut map = dead_end();
        for x in [14, 22, 30] {
            map.set_rectangle(x, 3, 1, 1, bays);
        }
        let mut stage = stage("waypost", map);
        let ids = add(&mut stage, 24, (0, 1), 8);
        for (&id, pace) in ids.iter().zip([3, 1, 4, 1, 5].into_iter().cycle()) {
            stage.crowd.set_pace(id, pace).expect("not too slow");
        }
        send(&mut stage, &ids, (39, 4));
        all_arrive(&mut stage, 2_000);
    }
}

#[test]
fn two_groups_exchange_rooms_through_one_door() {
    let mut map = TestMap::filled(21, 9, true);
    map.set_rectangle(10, 0, 1, 9, false);
    map.set(10, 4, true);
    let mut stage = stage("waypost", map);
    let left = add(&mut stage, 20, (0, 2), 4);
    let right = add(&mut stage, 20, (17, 2), 4);
    send(&mut stage, &left, (18, 4));
    send(&mut stage, &right, (2, 4));
    all_arrive(&mut stage, 6_000);
}

#[test]
fn a_group_fills_a_room_by_its_door() {
    let mut map = TestMap::filled(32, 12, true);
    map.set_rectangle(20, 0, 2, 12, false);
    map.set_rectangle(20, 5, 2, 1, true);
    let mut stage = stage("waypost", map);
    // 114 of the 120 cells behind the door.
    let ids = add(&mut stage, 114, (0, 0), 10);
    send(&mut stage, &ids, (31, 5));
    all_arrive(&mut stage, 2_000);
}

#[test]
fn a_group_goes_on_when_walls_have_closed_its_way_for_a_while() {
    let mut stage = stage("waypost", dead_end());
    let ids = add(&mut stage, 24, (0, 1), 8);
    send(&mut stage, &ids, (39, 4));
    for _ in 0..22 {
        stage.tick();
    }
    let places = stage.places();
    let free = (9..39).find(|&x| !places.contains(&Point { x, y: 4 }));
    let wall = Point {
        x: free.expect("not all are in the corridor"),
        y: 4,
    };
    for open in [false, true] {
        let mut patch = GridPatch::new();
        stage.set(&mut patch, wall, open);
        stage.crowd.patch(&patch);
        for _ in 0..300 {
            stage.tick();
        }
    }
    all_arrive(&mut stage, 2_000);
    assert_eq!(columns(&stage), (16..40).collect::<Vec<u32>>());
}

#[test]
fn those_who_keep_places_in_a_formation_do_not_exchange_them() {
    let mut stage = stage("waypost", TestMap::filled(40, 9, true));
    let ids = add(&mut stage, 12, (2, 2), 4);
    let before = stage.places();
    let sent = stage
        .crowd
        .send_group(&ids, Point { x: 30, y: 5 }, Formation::Kept);
    assert_eq!(sent, Ok(Vec::new()));
    all_arrive(&mut stage, 400);
    let after = stage.places();
    for (from, to) in before.iter().zip(&after) {
        let moved = (to.x - from.x, to.y - from.y);
        assert_eq!(moved, (after[0].x - before[0].x, after[0].y - before[0].y));
    }
}

#[test]
fn a_group_goes_on_from_a_snapshot_as_it_did() {
    let new = || {
        let mut stage = stage("waypost", dead_end());
        let ids = add(&mut stage, 24, (0, 1), 8);
        send(&mut stage, &ids, (39, 4));
        stage
    };
    for ticks in [0, 1, 25, 30, 35] {
        let mut stage = new();
        for _ in 0..ticks {
            stage.tick();
        }
        let then = stage.crowd.snapshot().expect("it has snapshots");
        let read = waypost::crowd::Snapshot::from_bytes(&then.to_bytes());
        let mut other = new();
        let read = read.expect("what was written");
        other.crowd.restore(&read).expect("of such a crowd");
        for tick in 0..60 {
            let [one, same] = [&mut stage, &mut other].map(|stage| {
                stage.tick();
                stage.crowd.snapshot().expect("as before").to_bytes()
            });
            assert_eq!(one, same, "{ticks} and {tick} ticks");
        }
    }
}
