//! Walkers that come inside a wall, and those who follow somebody out of reach: a tick has a bound all the same.

use crate::stage::*;
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use waypost_testkit::TestRng;

#[test]
fn walkers_that_come_inside_a_rock_are_taken_in_a_few_a_tick() {
    let side = 1_200;
    let map = Map::from_fn(side, side, |p| p.x >= 1_100).expect("a map");
    let (mut app, map) = on_map(NavMap::new(map));
    let mut rng = TestRng::new(1);
    let crowd: Vec<(Entity, u32)> = (0..60)
        .map(|_| {
            let (x, y) = (rng.below(500), rng.below(side));
            let one = app.world_mut().spawn((Walker::default(), at(x, y)));
            (one.id(), y)
        })
        .collect();
    let mut before = 0;
    for _ in 0..200 {
        ticks(&mut app, 1);
        let now = nav_map(&mut app, map).walkers();
        assert!(now - before <= 20, "{} in one tick", now - before);
        before = now;
    }
    assert_eq!(before, 60);
    for (one, y) in crowd {
        assert_eq!(cell(&app, one), (1_100, y), "the nearest");
    }
}

#[test]
fn one_search_is_enough_for_all_who_come_beside_the_map() {
    let map = Map::from_fn(1_200, 1_200, |p| p.x < 300).expect("a map");
    let (mut app, map) = on_map(NavMap::new(map));
    for _ in 0..100 {
        app.world_mut().spawn((Walker::default(), at(5_000, 800)));
    }
    ticks(&mut app, 3);
    assert_eq!(nav_map(&mut app, map).walkers(), 100);
}

#[test]
fn followers_of_those_out_of_reach_share_what_is_searched() {
    // A room without a door, with leaders in it.
    let is_wall = |x: u32, y: u32| {
        let (on, within) = (|v| v == 30 || v == 70, |v| (30..=70).contains(&v));
        on(x) && within(y) || on(y) && within(x)
    };
    let map = Map::from_fn(120, 100, |p| !is_wall(p.x, p.y)).expect("a map");
    let (mut app, _) = on_map(NavMap::new(map));
    let leaders: Vec<Entity> = (0..20)
        .map(|i| app.world_mut().spawn(at(42 + i, 35)).id())
        .collect();
    let follow = |app: &mut bevy_app::App, leader| {
        let one = (Walker::default(), at(35, 5), Goal::Follow(leader));
        app.world_mut().spawn(one).id()
    };
    // Of one leader all at once, of many a few a tick.
    let of_one: Vec<Entity> = (0..100).map(|_| follow(&mut app, leaders[0])).collect();
    ticks(&mut app, 2);
    let is_moving =
        |app: &bevy_app::App, one: &Entity| look(app, *one).status() == WalkerStatus::Moving;
    assert!(of_one.iter().all(|one| is_moving(&app, one)));
    let of_many: Vec<Entity> = leaders
        .iter()
        .map(|&leader| follow(&mut app, leader))
        .collect();
    ticks(&mut app, 1);
    let moving = of_many.iter().filter(|one| is_moving(&app, one)).count();
    assert!((1..=9).contains(&moving), "{moving}");
    ticks(&mut app, 4);
    // Leaders move all the time: nobody is forgotten.
    for i in 0..120 {
        for (n, &leader) in leaders.iter().enumerate() {
            let place = at(42 + n as u32, 35 + i % 3);
            *app.world_mut().get_mut::<Transform>(leader).expect("there") = place;
        }
        ticks(&mut app, 1);
    }
    for &one in of_one.iter().chain(&of_many) {
        assert_eq!(look(&app, one).cell().y, 29, "as near as can be");
    }
    assert_eq!(read::<Arrived>(&mut app), []);
    let goal = Goal::Cell(UVec2::new(100, 90));
    of_many.iter().for_each(|&one| send(&mut app, one, goal));
    ticks(&mut app, 120);
    assert!(of_many.iter().all(|&one| look(&app, one).has_arrived()));
}
