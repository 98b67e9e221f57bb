//! Knots of walkers: whoever can get there does, and of the others the crowd says who they are and why.

mod common;

use common::crowd::Stage;
use std::collections::{BTreeSet, VecDeque};
use waypost::Point;
use waypost::crowd::{Hindrance, Options, Snapshot, Status, WalkerId};
use waypost_testkit::{Rules, TestMap, TestRng, check_path};

/// Where a walker begins and where it is sent.
type Trip = ((u32, u32), (u32, u32));

fn stage_of(algorithm: &str, map: &TestMap, rules: Rules, trips: &[Trip]) -> Stage {
    let options = Options {
        exclusive: true,
        ..Options::default()
    };
    let mut stage = Stage::new(algorithm, map.clone(), rules, options, 0);
    for &((x, y), (to_x, to_y)) in trips {
        let id = stage.crowd.add(Point { x, y }).expect("a free cell");
        let goal = Point { x: to_x, y: to_y };
        stage.crowd.send(id, goal).expect("on the map");
        stage.ids.push(id);
    }
    stage
}

fn status(stage: &Stage, id: WalkerId) -> Status {
    stage.crowd.status(id).expect("there")
}

/// Ticks until everybody has arrived or is said to be stuck, and stays so for a while; gives what each is doing then.
fn come_to_rest(stage: &mut Stage, most_ticks: u64) -> Vec<Status> {
    let mut at_rest = 0;
    for _ in 0..most_ticks {
        stage.tick();
        let rests = |id: &WalkerId| {
            let status = status(stage, *id);
            matches!(
                status,
                Status::Arrived | Status::Stuck { .. } | Status::Holding
            )
        };
        at_rest = if stage.ids.iter().all(rests) {
            at_rest + 1
        } else {
            0
        };
        if at_rest == 20 {
            return stage.ids.iter().map(|&id| status(stage, id)).collect();
        }
    }
    let whole = stage.map.to_text();
    let doing: Vec<_> = stage.ids.iter().map(|&id| status(stage, id)).collect();
    println!("{:?}", stage.rules);
    panic!(
        "after {most_ticks} ticks on\n{whole}: {:?} {doing:?}",
        stage.places()
    );
}

/// Until those without a way have looked again whether there is one.
fn let_some_time_pass(stage: &mut Stage) {
    for _ in 0..200 {
        stage.tick();
    }
}

fn all_arrive(map: &TestMap, trips: &[Trip], most_ticks: u64) {
    let mut stage = stage_of("waypost", map, Rules::all()[0], trips);
    let doing = come_to_rest(&mut stage, most_ticks);
    assert!(doing.iter().all(|&s| s == Status::Arrived), "{doing:?}");
}

const STUCK: Status = Status::Stuck {
    why: Hindrance::NoRoom,
};

#[test]
fn a_corridor_without_a_bay_lets_one_through_and_says_so_of_the_other() {
    let map = TestMap::from_text("@@@@@@@@@@@@\n............\n@@@@@@@@@@@@\n");
    let trips = [((0, 1), (9, 1)), ((11, 1), (2, 1))];
    let mut stage = stage_of("waypost", &map, Rules::all()[0], &trips);
    let mut doing = come_to_rest(&mut stage, 2_000);
    doing.sort_by_key(|status| *status == STUCK);
    assert_eq!(doing, [Status::Arrived, STUCK]);
    // Whoever was in the way leaves: now there is room.
    let is_stuck = |id: &WalkerId| status(&stage, *id) == STUCK;
    let stuck = *stage.ids.iter().find(|id| is_stuck(id)).expect("one is");
    let other = *stage.ids.iter().find(|id| **id != stuck).expect("two are");
    stage.crowd.remove(other).expect("there");
    stage.ids = vec![stuck];
    let_some_time_pass(&mut stage);
    assert_eq!(come_to_rest(&mut stage, 500), [Status::Arrived]);
}

#[test]
fn groups_in_a_corridor_without_a_bay_get_there_as_far_as_their_order_allows() {
    let map =
        TestMap::from_text("@@@@@@@@@@@@@@@@@@@@\n....................\n@@@@@@@@@@@@@@@@@@@@\n");
    // The first three want to stay in their order, the fourth wants to pass all of them.
    let trips = [
        ((2, 1), (9, 1)),
        ((5, 1), (12, 1)),
        ((9, 1), (15, 1)),
        ((16, 1), (3, 1)),
    ];
    let mut stage = stage_of("waypost", &map, Rules::all()[0], &trips);
    let doing = come_to_rest(&mut stage, 4_000);
    assert_eq!(
        doing.iter().filter(|&&s| s == Status::Arrived).count(),
        3,
        "{doing:?}"
    );
    assert_eq!(
        doing.iter().filter(|&&s| s == STUCK).count(),
        1,
        "{doing:?}"
    );
}

#[test]
fn a_bay_anywhere_lets_all_of_them_pass() {
    for bay in [1, 2, 5, 9, 14, 17, 18] {
        let mut map = TestMap::filled(20, 3, false);
        map.set_rectangle(0, 1, 20, 1, true);
        map.set_rectangle(bay, 0, 1, 1, true);
        all_arrive(&map, &[((3, 1), (16, 1)), ((12, 1), (4, 1))], 3_000);
    }
}

#[test]
fn dead_ends_let_out_who_is_in_them() {
    // The one at the end of the corridor wants out, two outside want to stand where it is and before it.
    let map = TestMap::from_text("@@@@@@@@...\n...........\n@@@@@@@@@@@\n");
    let trips = [
        ((8, 1), (0, 1)),
        ((9, 1), (1, 1)),
        ((0, 1), (10, 1)),
        ((1, 1), (10, 0)),
    ];
    all_arrive(&map, &trips, 4_000);
}

#[test]
fn rooms_filled_to_95_per_cent_sort_themselves_out() {
    for (side, walkers, seed) in [(8, 61, 1), (10, 95, 2), (12, 137, 3), (12, 137, 4)] {
        let map = TestMap::filled(side, side, true);
        let mut rng = TestRng::new(seed);
        let cells = |(x, y): (u32, u32)| (x, y);
        let mut goals: Vec<_> = (0..side)
            .flat_map(|x| (0..side).map(move |y| cells((x, y))))
            .collect();
        for i in (1..goals.len()).rev() {
            goals.swap(i, rng.below(i as u32 + 1) as usize);
        }
        let starts = (0..walkers).map(|i| (i % side, i / side));
        let trips: Vec<_> = starts.zip(goals).collect();
        all_arrive(&map, &trips, 6_000);
    }
}

#[test]
fn two_groups_change_rooms_through_a_door_of_one_cell() {
    let mut map = TestMap::filled(17, 8, true);
    map.set_rectangle(8, 0, 1, 8, false);
    map.set_rectangle(8, 3, 1, 1, true);
    let mut trips = Vec::new();
    for i in 0..24 {
        let (x, y) = (i % 3, i / 3);
        trips.push(((1 + x, y), (13 + x, y)));
        trips.push(((13 + x, y), (1 + x, y)));
    }
    all_arrive(&map, &trips, 8_000);
}

/// A corridor of one cell round a block.
fn ring() -> TestMap {
    let mut map = TestMap::filled(7, 6, true);
    map.set_rectangle(1, 1, 5, 4, false);
    map
}

#[test]
fn a_ring_turns_and_keeps_its_order() {
    // Each wants to where the one ahead of it stands, the ring is as good as full.
    let cells: Vec<(u32, u32)> = (0..7)
        .map(|x| (x, 0))
        .chain((1..6).map(|y| (6, y)))
        .chain((0..6).rev().map(|x| (x, 5)))
        .chain((1..5).rev().map(|y| (0, y)))
        .collect();
    let turned: Vec<Trip> = (0..20)
        .map(|i| (cells[i], cells[(i + 3) % cells.len()]))
        .collect();
    all_arrive(&ring(), &turned, 3_000);
    // Three whose goals are in the other order cannot all get there.
    let trips = [
        (cells[0], cells[0]),
        (cells[5], cells[12]),
        (cells[12], cells[5]),
    ];
    let mut stage = stage_of("waypost", &ring(), Rules::all()[0], &trips);
    let doing = come_to_rest(&mut stage, 4_000);
    assert_eq!(
        doing.iter().filter(|&&s| s == STUCK).count(),
        1,
        "{doing:?}"
    );
}

#[test]
fn one_that_holds_its_ground_is_named_as_the_reason() {
    let map = TestMap::from_text("@@@@@@@@@@\n..........\n@@@@@@@@@@\n");
    let trips = [((5, 1), (9, 1)), ((0, 1), (8, 1))];
    let mut stage = stage_of("waypost", &map, Rules::all()[0], &trips);
    stage.crowd.hold(stage.ids[0], true).expect("there");
    let why = Hindrance::Holders;
    assert_eq!(
        come_to_rest(&mut stage, 1_000),
        [Status::Holding, Status::Stuck { why }]
    );
    stage.crowd.hold(stage.ids[0], false).expect("there");
    let_some_time_pass(&mut stage);
    assert_eq!(come_to_rest(&mut stage, 1_000), [Status::Arrived; 2]);
}

#[test]
fn two_with_one_goal_do_not_jostle_for_ever() {
    let map = TestMap::filled(9, 5, true);
    let trips = [((0, 0), (7, 3)), ((0, 4), (7, 3)), ((8, 0), (2, 2))];
    let mut stage = stage_of("waypost", &map, Rules::all()[0], &trips);
    let doing = come_to_rest(&mut stage, 3_000);
    let why = Hindrance::GoalTaken;
    assert_eq!(
        doing
            .iter()
            .filter(|&&s| s == Status::Stuck { why })
            .count(),
        1,
        "{doing:?}"
    );
    assert_eq!(
        doing.iter().filter(|&&s| s == Status::Arrived).count(),
        2,
        "{doing:?}"
    );
}

/// Whether walkers can all stand on their goals at once, by a search through all configurations.
fn can_all_arrive(map: &TestMap, rules: Rules, trips: &[Trip]) -> bool {
    let start: Vec<(u32, u32)> = trips.iter().map(|trip| trip.0).collect();
    let goal: Vec<(u32, u32)> = trips.iter().map(|trip| trip.1).collect();
    let mut seen = BTreeSet::from([start.clone()]);
    let mut queue = VecDeque::from([start]);
    while let Some(now) = queue.pop_front() {
        if now == goal {
            return true;
        }
        let ways: Vec<Vec<(u32, u32)>> = now
            .iter()
            .map(|&at| {
                let cells = map.open_cells().into_iter();
                let is_way =
                    |&to: &(u32, u32)| to == at || check_path(map, rules, &[at, to]).is_ok();
                cells.filter(is_way).collect()
            })
            .collect();
        let mut choice = vec![0; now.len()];
        loop {
            let next: Vec<_> = choice.iter().zip(&ways).map(|(&i, ways)| ways[i]).collect();
            let pairs = || (0..next.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let is_legal = pairs()
                .all(|(i, j)| next[i] != next[j] && !(next[i] == now[j] && next[j] == now[i]));
            if is_legal && seen.insert(next.clone()) {
                queue.push_back(next);
            }
            let Some(i) = (0..choice.len()).find(|&i| choice[i] + 1 < ways[i].len()) else {
                break;
            };
            choice[i] += 1;
            choice[..i].fill(0);
        }
    }
    false
}

#[test]
fn on_small_maps_all_arrive_wherever_that_is_possible_and_else_somebody_is_stuck() {
    let mut rng = TestRng::new(17);
    let (mut possible, mut impossible) = (0, 0);
    let all_rules = [Rules::all(), Rules::four_ways().to_vec()].concat();
    while possible + impossible < 240 {
        let rules = all_rules[rng.below(all_rules.len() as u32) as usize];
        let mut map = TestMap::filled(5, 5, false);
        // A walk that seldom turns back leaves corridors, bays and rings.
        let mut at = (rng.below(5), rng.below(5));
        let mut cells = vec![at];
        map.set(at.0, at.1, true);
        let count = 4 + rng.below(9) as usize;
        while cells.len() < count {
            let (dx, dy) = [(1, 0), (0, 1), (-1, 0), (0, -1)][rng.below(4) as usize];
            let (x, y) = (at.0.wrapping_add_signed(dx), at.1.wrapping_add_signed(dy));
            if x < 5 && y < 5 {
                at = (x, y);
                if !cells.contains(&at) {
                    cells.push(at);
                    map.set(x, y, true);
                }
            }
            if rng.percent(10) {
                at = cells[rng.below(cells.len() as u32) as usize];
            }
        }
        let mut shuffled = || {
            let mut all = cells.clone();
            for i in (1..all.len()).rev() {
                all.swap(i, rng.below(i as u32 + 1) as usize);
            }
            all
        };
        let trips: Vec<Trip> = shuffled().into_iter().zip(shuffled()).take(3).collect();
        let expected = can_all_arrive(&map, rules, &trips);
        let mut stage = stage_of("waypost", &map, rules, &trips);
        let doing = come_to_rest(&mut stage, 6_000);
        let arrived = doing.iter().all(|&s| s == Status::Arrived);
        assert_eq!(
            arrived,
            expected,
            "{trips:?} on\n{}: {doing:?}",
            map.to_text()
        );
        possible += u32::from(expected);
        impossible += u32::from(!expected);
    }
    assert!(possible > 50 && impossible > 10, "{possible} {impossible}");
}

/// Two groups that meet in a corridor with one bay: the search takes many ticks.
fn knotted() -> Stage {
    let mut map = TestMap::filled(20, 3, false);
    map.set_rectangle(0, 1, 20, 1, true);
    map.set_rectangle(9, 0, 1, 1, true);
    let trips = [(0, 15), (1, 16), (2, 17), (17, 2), (18, 3), (19, 4)];
    let trips = trips.map(|(from, to)| ((from, 1), (to, 1)));
    stage_of("waypost", &map, Rules::all()[0], &trips)
}

#[test]
fn a_knot_goes_on_after_a_snapshot_as_it_did() {
    let mut stage = knotted();
    let mut other = knotted();
    let mut snapshots = Vec::new();
    let mut seen = Vec::new();
    for tick in 0..1_200_usize {
        if tick % 40 == 17 {
            let taken = stage.crowd.snapshot().expect("offered");
            snapshots.push((tick, taken.to_bytes()));
        }
        let done = stage.tick();
        seen.push((stage.places(), done));
    }
    let mut parted = 0;
    for (tick, bytes) in snapshots {
        let snapshot = Snapshot::from_bytes(&bytes).expect("whole");
        other.crowd.restore(&snapshot).expect("of the same crowd");
        assert_eq!(other.places(), seen[tick - 1].0);
        for (places, done) in &seen[tick..(tick + 45).min(seen.len())] {
            let now = other.crowd.tick();
            assert_eq!((&other.places(), &now), (places, done), "{tick}");
            parted += u32::from(now.moves == 0 && now.meter.expansions > 1_000);
        }
    }
    assert!(
        parted > 0,
        "no snapshot was taken in the middle of a search"
    );
}

#[test]
fn a_game_is_told_who_is_stuck_and_why() {
    use waypost::prelude::*;
    let map = Map::from_fn(12, 3, |p| p.y == 1).expect("a legal size");
    let nav = Navigator::build(map).expect("it can be built");
    let options = CrowdOptions {
        exclusive: true,
        ..CrowdOptions::default()
    };
    let mut crowd = nav.crowd(options).expect("it can be made");
    let units = [(0, 9), (11, 2)].map(|(from, to)| {
        let unit = crowd.spawn((from, 1)).expect("a free cell");
        crowd.send(unit, (to, 1)).expect("on the map");
        unit
    });
    let mut told = Vec::new();
    for _ in 0..1_500 {
        let report = crowd.tick();
        told.extend(
            report
                .events()
                .filter(|event| matches!(event, Event::Stuck(..))),
        );
    }
    // Nothing has changed since, so it is told once.
    let [Event::Stuck(stuck, Hindrance::NoRoom)] = told[..] else {
        panic!("{told:?}");
    };
    let other = units[usize::from(stuck == units[0])];
    assert_eq!(crowd.unit(other).expect("there").status(), Status::Arrived);
    let why = Hindrance::NoRoom;
    assert_eq!(
        crowd.unit(stuck).expect("there").status(),
        Status::Stuck { why }
    );
}
