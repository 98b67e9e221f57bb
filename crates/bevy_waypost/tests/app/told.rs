//! What is told of a goal is told once.

use crate::stage::*;
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;

#[test]
fn who_follows_beyond_a_wall_is_told_once() {
    let map = Map::from_fn(60, 40, |p| p.x != 30).expect("a map");
    let (mut app, map) = on_map(NavMap::new(map));
    let thing = app.world_mut().spawn(at(50, 10)).id();
    let entity = (Walker::default(), at(20, 10), Goal::Follow(thing));
    let entity = app.world_mut().spawn(entity).id();
    let cart = app.world_mut().spawn((Obstacle::default(), at(5, 30))).id();
    assert_eq!(told_in::<Unreachable>(&mut app, 30).len(), 1);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Unreachable);
    // A cart moves in a far corner, and then the one that is followed.
    for (moving, x, y) in [(cart, 5, 30), (thing, 40, 12)] {
        for i in 0..30 {
            let place = at(x + i % 10, y);
            *app.world_mut().get_mut::<Transform>(moving).expect("there") = place;
            assert_eq!(told_in::<Unreachable>(&mut app, 1), []);
        }
    }
    // A way that comes and goes is news.
    nav_map(&mut app, map).patch(Patch::new().open((30, 39)));
    ticks(&mut app, 5);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Moving);
    nav_map(&mut app, map).patch(Patch::new().block((30, 39)));
    assert_eq!(told_in::<Unreachable>(&mut app, 60).len(), 1);
}

#[test]
fn a_swap_is_no_news() {
    let level = || Map::from_fn(30, 10, |p| p.x != 25).expect("a map");
    let (mut app, map) = on_map(NavMap::new(level()));
    let arrived = walker(&mut app, (5, 5), (6, 5));
    let leader = walker(&mut app, (5, 2), (5, 2));
    let follower = (Walker::default(), at(3, 2), Goal::Follow(leader));
    let follower = app.world_mut().spawn(follower).id();
    walker(&mut app, (5, 6), (99, 5));
    let beyond = walker(&mut app, (5, 7), (28, 5));
    let (mut there, mut cut_off) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        ticks(&mut app, 1);
        there.extend(read::<Arrived>(&mut app));
        cut_off.extend(read::<Unreachable>(&mut app));
    }
    assert_eq!((there.len(), cut_off.len()), (3, 2));
    for _ in 0..3 {
        nav_map(&mut app, map).replace(level());
        wait_until_ready(&mut app, map);
        for _ in 0..20 {
            ticks(&mut app, 1);
            assert_eq!(read::<Arrived>(&mut app), []);
            assert_eq!(read::<Unreachable>(&mut app), []);
        }
    }
    assert!(look(&app, arrived).has_arrived());
    assert_eq!(look(&app, beyond).status(), WalkerStatus::Unreachable);
    // On a map with a way it is another matter, and so is another goal.
    nav_map(&mut app, map).replace(open(30, 10));
    let told: Vec<Entity> = told_in::<Arrived>(&mut app, 60)
        .iter()
        .map(|news| news.entity)
        .collect();
    assert_eq!(told, [beyond]);
    for x in [7, 6] {
        send(&mut app, arrived, Goal::Cell(UVec2::new(x, 5)));
        assert_eq!(told_in::<Arrived>(&mut app, 5).len(), 1);
    }
    *app.world_mut().get_mut(leader).expect("there") = at(15, 2);
    let told = told_in::<Arrived>(&mut app, 20);
    assert!(told.iter().any(|news| news.entity == follower), "caught up");
}

#[test]
fn to_make_way_is_no_arrival() {
    let corridor = Map::from_fn(30, 3, |p| p.y == 1 || p.x == 15).expect("a map");
    let (mut app, _) = on_map(NavMap::new(corridor).exclusive());
    let guard = walker(&mut app, (15, 1), (15, 1));
    let mut told = 0;
    for _ in 0..10 {
        let passer = walker(&mut app, (2, 1), (27, 1));
        let arrived = told_in::<Arrived>(&mut app, 60);
        told += arrived.iter().filter(|news| news.entity == guard).count();
        app.world_mut().despawn(passer);
    }
    assert_eq!(told, 1, "ten passers-by");
}

#[test]
fn who_is_put_elsewhere_and_comes_back_has_arrived_again() {
    let (mut app, _) = on_map(NavMap::new(open(60, 10)));
    let entity = walker(&mut app, (7, 5), (7, 5));
    assert_eq!(told_in::<Arrived>(&mut app, 5).len(), 1);
    *app.world_mut().get_mut(entity).expect("there") = at(40, 5);
    assert_eq!(told_in::<Arrived>(&mut app, 60).len(), 1);
}
