//! Goals of several cells and other units as goals: they keep their meaning while the map changes.

use waypost::prelude::*;

fn level(text: &str) -> Navigator {
    let tile = |c| match c {
        '#' => Tile::Wall,
        'C' => Tile::ClosedDoor,
        _ => Tile::Free,
    };
    let map = Map::from_text(text, tile).expect("a legal map");
    Navigator::build(map).expect("a small map")
}

fn crowd(nav: &Navigator) -> Crowd {
    nav.crowd(CrowdOptions::default()).expect("a crowd")
}

fn run(crowd: &mut Crowd, ticks: u32) -> Vec<Event> {
    (0..ticks)
        .flat_map(|_| crowd.tick().events().collect::<Vec<_>>())
        .collect()
}

const ROOM: &str = "
..........#####
..........#...#
..........C...#
..........#...#
..........#####";

#[test]
fn an_area_that_cannot_be_reached_is_told_and_waited_for() {
    let area = Goal::Area((11, 1).into(), (3, 3));
    let near = Goal::Within((12, 2).into(), 1);
    for goal in [area, near] {
        let nav = level(ROOM);
        let mut crowd = crowd(&nav);
        let unit = crowd.spawn((0, 2)).expect("free");
        crowd.send(unit, goal).expect("on the map");
        let events = run(&mut crowd, 30);
        assert!(
            matches!(events[..], [Event::Unreachable(told, Some(_))] if told == unit),
            "{events:?}"
        );
        assert!(!crowd.all_arrived());
        // One that a wall comes to elsewhere is not told again.
        crowd.patch(Patch::new().block((5, 0)));
        assert_eq!(run(&mut crowd, 5), []);
        crowd.set_door((10, 2), true).expect("a door");
        assert_eq!(run(&mut crowd, 30), [Event::Arrived(unit)]);
        assert_eq!(crowd.position(unit).expect("there").x, 11);
        assert_eq!(crowd.unit(unit).expect("there").status(), Status::Arrived);
    }
}

#[test]
fn the_part_of_an_area_that_can_be_reached_is_gone_to() {
    let nav = level(
        "
....................
.....#####..........
.....#...#..........
.....#...#..........
.....#####..........
....................",
    );
    let mut crowd = crowd(&nav);
    let unit = crowd.spawn((0, 2)).expect("free");
    crowd
        .send(unit, Goal::Area((6, 2).into(), (7, 2)))
        .expect("on the map");
    assert_eq!(run(&mut crowd, 40), [Event::Arrived(unit)]);
    let at = crowd.position(unit).expect("there");
    assert!((10..13).contains(&at.x) && (2..4).contains(&at.y), "{at}");
}

#[test]
fn within_counts_columns_and_rows() {
    let free = |p: Point| (p.x, p.y) == (14, 10) || (p.x, p.y) == (13, 13) || p.x > 14 || p.y > 13;
    let nav = Navigator::build(Map::from_fn(21, 21, free).expect("legal")).expect("small");
    let mut crowd = crowd(&nav);
    let unit = crowd.spawn((20, 20)).expect("free");
    crowd
        .send(unit, Goal::Within((10, 10).into(), 3))
        .expect("on the map");
    assert_eq!(run(&mut crowd, 40), [Event::Arrived(unit)]);
    assert_eq!(crowd.position(unit).expect("there"), (13, 13).into());
}

#[test]
fn another_cell_is_chosen_when_the_one_headed_for_is_blocked() {
    for goal in [
        Goal::Area((20, 2).into(), (5, 5)),
        Goal::Within((20, 4).into(), 1),
    ] {
        let nav = Navigator::build(Map::from_fn(30, 9, |_| true).expect("legal")).expect("small");
        let mut crowd = crowd(&nav);
        let unit = crowd.spawn((0, 4)).expect("free");
        crowd.send(unit, goal).expect("on the map");
        run(&mut crowd, 5);
        crowd.patch(Patch::new().block((20, 4)));
        assert_eq!(run(&mut crowd, 40), [Event::Arrived(unit)], "{goal:?}");
        let at = crowd.position(unit).expect("there");
        assert!(at.x >= 19 && nav.is_free(at), "{at}");
        // No cell of it is left.
        crowd.send(unit, (0, 4)).expect("on the map");
        run(&mut crowd, 40);
        crowd.send(unit, goal).expect("on the map");
        run(&mut crowd, 5);
        crowd.patch(Patch::new().block_rect((19, 2), (6, 5)));
        let events = run(&mut crowd, 40);
        assert!(
            matches!(events[..], [Event::Unreachable(told, Some(_))] if told == unit),
            "{events:?}"
        );
    }
}

#[test]
fn a_thousand_units_choose_again_without_a_word_of_unreachable() {
    let nav = Navigator::build(Map::from_fn(80, 60, |_| true).expect("legal")).expect("small");
    let mut crowd = crowd(&nav);
    for place in 0..1_000 {
        let unit = crowd.spawn((place % 40, place / 40)).expect("free");
        crowd
            .send(unit, Goal::Within((60, 30).into(), 2))
            .expect("on the map");
    }
    run(&mut crowd, 3);
    crowd.patch(Patch::new().block((60, 30)));
    let events = run(&mut crowd, 150);
    let arrived = events
        .iter()
        .filter(|e| matches!(e, Event::Arrived(_)))
        .count();
    assert_eq!((arrived, events.len()), (1_000, 1_000));
}

#[test]
fn one_that_stands_in_its_goal_takes_no_step() {
    let nav = Navigator::build(Map::from_fn(30, 9, |_| true).expect("legal")).expect("small");
    for exclusive in [false, true] {
        let options = CrowdOptions {
            exclusive,
            ..CrowdOptions::default()
        };
        let mut crowd = nav.crowd(options).expect("a crowd");
        for goal in [
            Goal::Within((7, 4).into(), 4),
            Goal::Area((2, 2).into(), (9, 9)),
            Goal::Cell((5, 4).into()),
        ] {
            let unit = crowd.spawn((5, 4)).expect("free");
            crowd.send(unit, goal).expect("on the map");
            assert_eq!(run(&mut crowd, 1), [Event::Arrived(unit)]);
            assert_eq!(crowd.position(unit).expect("there"), (5, 4).into());
            assert_eq!(run(&mut crowd, 3), []);
            crowd.despawn(unit).expect("there");
        }
    }
}

#[test]
fn goals_outside_the_map_are_refused() {
    let nav = Navigator::build(Map::from_fn(30, 9, |_| true).expect("legal")).expect("small");
    let mut crowd = crowd(&nav);
    let unit = crowd.spawn((5, 4)).expect("free");
    for goal in [
        Goal::Cell((100, 100).into()),
        Goal::Area((100, 100).into(), (3, 3)),
        Goal::Within((u32::MAX, u32::MAX).into(), 3),
    ] {
        let refused = crowd.send(unit, goal).expect_err("outside");
        assert!(
            matches!(refused, waypost::Error::Outside { .. }),
            "{refused}"
        );
    }
    assert_eq!(run(&mut crowd, 5), []);
    // Partly outside will do.
    for goal in [
        Goal::Area((25, 5).into(), (u32::MAX, u32::MAX)),
        Goal::Within((31, 4).into(), 2),
        Goal::Within((3, 3).into(), u32::MAX),
    ] {
        crowd.send(unit, goal).expect("on the map");
        assert_eq!(run(&mut crowd, 40), [Event::Arrived(unit)], "{goal:?}");
    }
}

#[test]
fn many_find_room_in_one_area() {
    let nav = Navigator::build(Map::from_fn(60, 30, |p| p.x != 40 || p.y == 15).expect("legal"))
        .expect("small");
    let options = CrowdOptions {
        exclusive: true,
        ..CrowdOptions::default()
    };
    let mut crowd = nav.crowd(options).expect("a crowd");
    let mut units = Vec::new();
    for i in 0..20 {
        let unit = crowd.spawn((i % 5, 10 + i / 5)).expect("free");
        crowd
            .send(unit, Goal::Area((41, 5).into(), (19, 20)))
            .expect("on the map");
        units.push(unit);
    }
    let mut arrived: Vec<_> = run(&mut crowd, 400)
        .into_iter()
        .filter_map(|event| match event {
            Event::Arrived(unit) => Some(unit),
            _ => None,
        })
        .collect();
    arrived.sort();
    assert!(arrived == units, "{} of 20", arrived.len());
    assert!(crowd.units().all(|unit| unit.position().x > 40));
}

const SHORE: &str = "type octile\nheight 4\nwidth 60\nmap\n";

#[test]
fn a_unit_of_another_type_is_followed_as_one_of_its_own_is() {
    let row = |letter: &str| letter.repeat(60) + "\n";
    let text = SHORE.to_string() + &row(".") + &row(".") + &row("W") + &row("W");
    let nav = Navigator::build(Map::from_movingai(&text).expect("legal")).expect("small");
    let boat = UnitType::new("boat")
        .blocked(".")
        .factor("W", 1.0)
        .expect("in range");
    nav.add_unit_type(boat).expect("it fits");
    nav.add_unit_type(UnitType::new("cart")).expect("it fits");
    let mut crowd = crowd(&nav);
    let man = crowd.spawn((2, 0)).expect("free");
    let boat = crowd.spawn_type("boat", (30, 3)).expect("water");
    crowd.send(man, Goal::Unit(boat)).expect("there");
    let events = run(&mut crowd, 20);
    assert!(
        matches!(events[..], [Event::Unreachable(told, Some(_))] if told == man),
        "{events:?}"
    );
    crowd.send(boat, (50, 3)).expect("on the map");
    assert_eq!(run(&mut crowd, 30), [Event::Arrived(boat)]);
    let cart = crowd.spawn_type("cart", (10, 0)).expect("free");
    crowd.send(cart, (55, 0)).expect("on the map");
    crowd.send(man, Goal::Unit(cart)).expect("there");
    let events = run(&mut crowd, 80);
    let of_man = events
        .iter()
        .filter(|event| **event == Event::Arrived(man))
        .count();
    assert_eq!(
        (of_man, crowd.position(man).expect("there")),
        (1, (55, 0).into())
    );
}

#[test]
fn places_between_ticks_follow_the_pace() {
    for exclusive in [false, true] {
        let nav = Navigator::build(Map::from_fn(20, 9, |_| true).expect("legal")).expect("small");
        let options = CrowdOptions {
            exclusive,
            ..CrowdOptions::default()
        };
        let mut crowd = nav.crowd(options).expect("a crowd");
        let (scout, cart) = (
            crowd.spawn((0, 0)).expect("free"),
            crowd.spawn((0, 2)).expect("free"),
        );
        crowd.set_pace(cart, 3).expect("possible");
        crowd.send(scout, (2, 0)).expect("on the map");
        crowd.send(cart, (3, 2)).expect("on the map");
        let mut was = [[0.5, 0.5], [0.5, 2.5]];
        for tick in 0..12 {
            crowd.tick();
            // A new goal while it is at a step does not change the step.
            if tick == 3 {
                crowd.send(cart, (1, 8)).expect("on the map");
            }
            crowd.set_pace(cart, 3).expect("possible");
            for (unit, was) in [scout, cart].into_iter().zip(&mut was) {
                let unit = crowd.unit(unit).expect("there");
                let [from, to] = [0.0, 1.0].map(|part| unit.position_between(part));
                let near = |a: f32, b: f32| (a - b).abs() < 1e-3;
                assert!(
                    near(from[0], was[0]) && near(from[1], was[1]),
                    "{exclusive} {tick}: {from:?} after {was:?}"
                );
                *was = to;
            }
            let scout = crowd.unit(scout).expect("there");
            let stands = tick > 1;
            assert_eq!(scout.heading().is_none(), stands, "{tick}");
            if stands {
                assert_eq!((scout.previous(), was[0]), ((2, 0).into(), [2.5, 0.5]));
            }
        }
        let walked = was[1][1] - 2.5;
        assert!(walked > 1.0, "{walked}");
    }
}

/// Units that had been told were counted before those that had not: these were never told, nor sent to another cell of their goals.
#[test]
fn nobody_is_forgotten_where_many_are_cut_off_and_the_map_never_rests() {
    let nav = level(ROOM);
    let mut crowd = crowd(&nav);
    let room = Goal::Area((11, 1).into(), (3, 3));
    let units: Vec<UnitId> = (0..100)
        .map(|i| crowd.spawn((i % 10, i / 10 % 5)).expect("free"))
        .collect();
    for &unit in &units {
        crowd.send(unit, room).expect("on the map");
    }
    let mut told = Vec::new();
    for tick in 0..40 {
        let mut patch = Patch::new();
        patch.set((9, 4), tick % 2 != 0);
        crowd.patch(&patch);
        for event in crowd.tick().events() {
            if let Event::Unreachable(unit, _) = event {
                told.push(unit);
            }
        }
    }
    told.sort();
    let mut all = units.clone();
    all.sort();
    assert_eq!(told, all, "each once");
}

#[test]
fn units_that_take_a_cell_each_stay_in_the_area_that_they_were_sent_to() {
    for (count, side) in [(2, 2), (5, 5), (9, 5), (20, 8)] {
        let nav = Navigator::build(Map::from_fn(40, 30, |_| true).expect("legal")).expect("small");
        let options = CrowdOptions {
            exclusive: true,
            ..CrowdOptions::default()
        };
        let mut crowd = nav.crowd(options).expect("a crowd");
        let area = Goal::Area((20, 10).into(), (side, side));
        for i in 0..count {
            let unit = crowd.spawn((i % 4, 5 + i / 4)).expect("free");
            crowd.send(unit, area).expect("on the map");
        }
        let events = run(&mut crowd, 300);
        let arrived = |event: &&Event| matches!(event, Event::Arrived(_));
        assert_eq!(events.iter().filter(arrived).count(), count as usize);
        assert!(crowd.all_arrived());
        for unit in crowd.units() {
            let Point { x, y } = unit.position();
            let is_inside = (20..20 + side).contains(&x) && (10..10 + side).contains(&y);
            assert!(is_inside, "{count} units, {side} x {side}: one at {x},{y}");
        }
    }
}

#[test]
fn a_unit_goes_to_the_cell_around_a_point_that_is_nearest_to_it() {
    let nav = Navigator::build(Map::from_fn(60, 40, |p| p.x != 30 || p.y > 37).expect("legal"))
        .expect("small");
    let mut crowd = crowd(&nav);
    let unit = crowd.spawn((20, 5)).expect("free");
    crowd
        .send(unit, Goal::Within((33, 5).into(), 7))
        .expect("on the map");
    run(&mut crowd, 8);
    assert_eq!(crowd.position(unit).expect("there"), (26, 5).into());
}

#[test]
fn followers_of_a_leader_out_of_reach_are_told_once() {
    let nav = level(ROOM);
    nav.add_unit_type(UnitType::new("scout")).expect("it fits");
    let mut crowd = crowd(&nav);
    let leader = crowd.spawn((11, 1)).expect("free");
    let mut followers = vec![crowd.spawn_type("scout", (1, 1)).expect("free")];
    followers.extend((0..5).map(|y| crowd.spawn((3, y)).expect("free")));
    for &unit in &followers {
        crowd
            .send(unit, Goal::Unit(leader))
            .expect("both are there");
    }
    let mut told = 0;
    for tick in 0..60 {
        let corner = [(13, 1), (13, 3), (11, 3), (11, 1)][tick / 3 % 4];
        crowd.send(leader, corner).expect("on the map");
        let unreachable = |event: &Event| matches!(event, Event::Unreachable(..));
        told += crowd.tick().events().filter(unreachable).count();
    }
    assert_eq!(told, followers.len());
}
