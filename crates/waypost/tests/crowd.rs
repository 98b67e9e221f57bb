//! Crowds: goals given, changed and withdrawn; statuses; followers; the same state whatever the number of threads.

mod common;

use common::crowd::Stage;
use waypost::crowd::{CrowdError, Options, Status, WalkerId};
use waypost::{GridPatch, Point};
use waypost_testkit::{Rules, TestMap, TestRng, optimal_cost, shapes};

fn open_stage(text: &str) -> Stage {
    let map = TestMap::from_text(text);
    Stage::new("lrta", map, Rules::all()[0], Options::default(), 1)
}

#[test]
fn every_walker_moves_on_the_first_tick_and_all_arrive() {
    let map = shapes::noise(80, 80, 10, &mut TestRng::new(4));
    let options = Options {
        set_up_operations: 10,
        ..Options::default()
    };
    let mut stage = Stage::new("lrta", map, Rules::all()[0], options, 4);
    let mut sent = 0;
    for _ in 0..600 {
        let id = stage.add_one();
        let (at, goal) = (stage.place(id), stage.any_point());
        let way = optimal_cost(&stage.map, stage.rules, (at.x, at.y), (goal.x, goal.y));
        if at != goal && way.is_some() {
            stage.crowd.send(id, goal).expect("a point of the map");
            sent += 1;
        }
    }
    let first = stage.tick();
    assert_eq!(first.moves, sent);
    assert!(first.set_up < 10, "a few plans at a time");
    assert!(first.provisional > 0, "the budget is too small for all");
    let mut arrived = first.arrived;
    for _ in 0..20_000 {
        arrived += stage.crowd.tick().arrived;
        if arrived == sent {
            break;
        }
    }
    assert_eq!(arrived, sent);
}

#[test]
fn unreachable_goals_name_the_nearest_cell() {
    let mut stage = open_stage(".....@..\n.....@..\n.....@..\n");
    let id = stage.crowd.add(Point { x: 0, y: 1 }).expect("free");
    let crowd = &mut stage.crowd;
    crowd.send(id, Point { x: 7, y: 1 }).expect("on the map");
    crowd.tick();
    let nearest = Some(Point { x: 4, y: 1 });
    assert_eq!(crowd.status(id), Ok(Status::Unreachable { nearest }));
    let patch = GridPatch::new().open(Point { x: 5, y: 0 });
    crowd.patch(&patch);
    assert!((0..50).any(|_| {
        crowd.tick();
        crowd.status(id) == Ok(Status::Arrived)
    }));
    crowd.remove(id).expect("it is there");
    assert!(crowd.status(id).is_err());
    assert!(crowd.is_empty());
}

#[test]
fn a_walker_in_a_new_wall_is_blocked_until_it_opens() {
    let mut stage = open_stage("........\n........\n");
    let id = stage.crowd.add(Point { x: 1, y: 0 }).expect("free");
    stage.ids.push(id);
    stage
        .crowd
        .send(id, Point { x: 7, y: 1 })
        .expect("on the map");
    let (wall, mut up, mut down) = (Point { x: 1, y: 0 }, GridPatch::new(), GridPatch::new());
    stage.set(&mut up, wall, false);
    stage.crowd.patch(&up);
    for _ in 0..5 {
        stage.tick();
        assert_eq!(stage.crowd.status(id), Ok(Status::Blocked));
        assert_eq!(stage.place(id), wall);
    }
    // Goals can be changed and withdrawn meanwhile.
    stage.crowd.halt(id).expect("it is there");
    assert_eq!(stage.crowd.status(id), Ok(Status::Blocked));
    stage
        .crowd
        .send(id, Point { x: 6, y: 0 })
        .expect("on the map");
    stage.set(&mut down, wall, true);
    stage.crowd.patch(&down);
    stage.settle(30);
    assert_eq!(stage.place(id), Point { x: 6, y: 0 });
}

#[test]
fn goals_are_changed_and_withdrawn_on_the_way() {
    let mut stage = open_stage("....................\n....................\n");
    let id = stage.crowd.add(Point { x: 9, y: 0 }).expect("free");
    stage.ids.push(id);
    stage
        .crowd
        .send(id, Point { x: 19, y: 0 })
        .expect("on the map");
    (0..3).for_each(|_| assert_eq!(stage.tick().moves, 1));
    assert_eq!(stage.place(id), Point { x: 12, y: 0 });
    stage
        .crowd
        .send(id, Point { x: 0, y: 0 })
        .expect("on the map");
    (0..2).for_each(|_| assert_eq!(stage.tick().moves, 1));
    assert_eq!(stage.place(id), Point { x: 10, y: 0 }, "it turned at once");
    stage.crowd.halt(id).expect("it is there");
    assert_eq!(stage.crowd.status(id), Ok(Status::Idle));
    assert_eq!(stage.tick().moves, 0);
    let outside = Point { x: 20, y: 0 };
    let refused = stage.crowd.send(id, outside);
    assert_eq!(refused, Err(CrowdError::Blocked { point: outside }));
}

#[test]
fn followers_catch_up_and_stop_where_their_leader_is_gone() {
    let map = TestMap::filled(60, 40, true);
    let mut stage = Stage::new("waypost", map, Rules::all()[0], Options::default(), 3);
    stage.add(11);
    let leader = stage.ids[0];
    for &id in &stage.ids[1..] {
        stage.crowd.follow(id, leader).expect("both are there");
    }
    stage
        .crowd
        .send(leader, Point { x: 59, y: 39 })
        .expect("on the map");
    for _ in 0..200 {
        stage.tick();
    }
    assert!(
        stage
            .places()
            .iter()
            .all(|&at| at == Point { x: 59, y: 39 })
    );
    stage.crowd.remove(leader).expect("it is there");
    stage.ids.remove(0);
    stage.tick();
    for &id in &stage.ids {
        assert_eq!(stage.crowd.status(id), Ok(Status::Idle));
    }
    assert_eq!(
        stage.crowd.follow(stage.ids[0], leader),
        Err(CrowdError::NoSuchWalker)
    );
    let late = stage.add_one();
    assert_eq!(late.index(), leader.index(), "its place is taken again");
    assert_ne!(late, leader, "its name is not");
}

#[test]
fn threads_do_not_change_anything() {
    for spec in ["lrta", "waypost", "sectors:side=8", "jump-graph"] {
        let run = |threads: usize| -> Vec<(WalkerId, Point, Status)> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("a pool").install(|| {
                let map = shapes::noise(90, 80, 15, &mut TestRng::new(11));
                let options = Options {
                    exclusive: true,
                    set_up_operations: 125_000,
                    ..Options::default()
                };
                let mut stage = Stage::new(spec, map, Rules::all()[3], options, 11);
                stage.add(700);
                stage.send_all();
                for tick in 0..60 {
                    if tick % 7 == 3 {
                        let keep = stage.places();
                        stage.patch(24, &keep);
                    }
                    stage.tick();
                }
                let facts = |&id| {
                    let status = stage.crowd.status(id).expect("there");
                    (id, stage.place(id), status)
                };
                stage.ids.iter().map(facts).collect()
            })
        };
        let one = run(1);
        assert_eq!(one, run(1), "{spec}: again");
        assert_eq!(one, run(2), "{spec}: two threads");
        assert_eq!(one, run(3), "{spec}: three threads");
    }
}
