//! Transforms: no jumps, whatever happens, and what the game does to them.

use crate::stage::*;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::{UVec2, Vec3};
use bevy_time::{Time, Virtual};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;

/// The largest and the least move along x in so many frames.
fn moves(app: &mut App, entity: Entity, frames: u32) -> (f32, f32) {
    let mut before = position(app, entity).x;
    let (mut largest, mut least) = (f32::MIN, f32::MAX);
    for _ in 0..frames {
        app.update();
        let now = position(app, entity).x;
        (largest, least) = (largest.max(now - before), least.min(now - before));
        before = now;
    }
    (largest, least)
}

#[test]
fn slow_walkers_never_jump() {
    for (first, then, most) in [
        (16, 16, 1.0 / 16.0),
        (200, 200, 1.0 / 16.0),
        (8, 1, 2.0),
        (1, 8, 1.0),
        (16, 2, 1.0),
    ] {
        let mut app = app_between_ticks();
        let map = app.world_mut().spawn(NavMap::new(open(200, 5))).id();
        wait_until_ready(&mut app, map);
        let goal = Goal::Cell(UVec2::new(198, 2));
        let entity = (Walker::slow(first), at(2, 2), goal);
        let entity = app.world_mut().spawn(entity).id();
        (0..4).for_each(|_| app.update());
        // A quarter of a tick a frame.
        let limit = most / 4.0 + 1e-3;
        let (largest, least) = moves(&mut app, entity, 230);
        assert!(
            largest < limit && least > -1e-3,
            "{first}: {largest} {least}"
        );
        app.world_mut()
            .get_mut::<Walker>(entity)
            .expect("there")
            .pace = then;
        let (largest, least) = moves(&mut app, entity, 230);
        assert!(
            largest < limit && least > -1e-3,
            "{first}, {then}: {largest} {least}"
        );
        assert!(cell(&app, entity).0 > 8);
    }
}

#[test]
fn who_holds_its_ground_never_moves() {
    let (mut app, map) = on_map(NavMap::new(open(20, 20)));
    let goal = Goal::Cell(UVec2::new(15, 5));
    let stone = (Walker::holding(), at(5, 5), goal);
    let stone = app.world_mut().spawn(stone).id();
    let slow = (Walker::slow(16), at(5, 8), Goal::Cell(UVec2::new(15, 8)));
    let slow = app.world_mut().spawn(slow).id();
    ticks(&mut app, 12);
    assert_eq!(cell(&app, stone), (5, 5));
    assert_eq!(look(&app, stone).status(), WalkerStatus::Holding);
    assert_eq!(cell(&app, slow), (6, 8), "one step, of 16 ticks");
    for _ in 0..2 {
        nav_map(&mut app, map).replace(open(20, 20));
        wait_until_ready(&mut app, map);
        ticks(&mut app, 3);
        assert_eq!(cell(&app, stone), (5, 5));
    }
}

#[test]
fn a_map_that_is_swapped_moves_nobody() {
    let mut app = app_between_ticks();
    let map = app.world_mut().spawn(NavMap::new(open(60, 5))).id();
    wait_until_ready(&mut app, map);
    let goal = Goal::Cell(UVec2::new(50, 2));
    let entity = (Walker::slow(16), at(5, 2), goal);
    let entity = app.world_mut().spawn(entity).id();
    (0..170).for_each(|_| app.update());
    nav_map(&mut app, map).replace(open(60, 5));
    let (largest, least) = moves(&mut app, entity, 200);
    assert!(largest < 0.1 && least >= -0.1, "{largest} {least}");
    wait_until_ready(&mut app, map);
}

#[test]
fn walkers_go_with_their_map_in_the_same_frame() {
    let mut app = app_between_ticks();
    let map = app.world_mut().spawn(NavMap::new(open(80, 10))).id();
    wait_until_ready(&mut app, map);
    let moving = walker(&mut app, (2, 2), (78, 2));
    let still = walker(&mut app, (4, 4), (4, 4));
    (0..40).for_each(|_| app.update());
    let before = position(&app, moving).x;
    nav_map(&mut app, map).transform.origin.x -= 1000.0;
    app.update();
    let moved = position(&app, moving).x - before + 1000.0;
    assert!((moved - 0.25).abs() < 1e-2, "{moved} on the map");
    for _ in 0..20 {
        nav_map(&mut app, map).transform.origin.x += 0.25;
        app.update();
        let there = nav_map(&mut app, map).transform.position(UVec2::new(4, 4));
        assert_eq!(position(&app, still), there);
    }
    // Also while time stands still.
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    nav_map(&mut app, map).transform.origin = Vec3::new(500.0, 7.0, 0.0);
    (0..3).for_each(|_| app.update());
    let there = nav_map(&mut app, map).transform.position(UVec2::new(4, 4));
    assert_eq!(position(&app, still), there);
}

#[test]
fn the_game_can_put_walkers_elsewhere() {
    let (mut app, map) = on_map(NavMap::new(open(60, 20)));
    let standing = walker(&mut app, (5, 5), (5, 5));
    let moving = walker(&mut app, (5, 8), (50, 8));
    ticks(&mut app, 5);
    send(&mut app, standing, Goal::None);
    for (entity, y) in [(standing, 5), (moving, 8)] {
        *app.world_mut().get_mut(entity).expect("there") = at(30, y);
    }
    ticks(&mut app, 3);
    assert_eq!(cell(&app, standing), (30, 5));
    assert_eq!(position(&app, standing), at(30, 5).translation);
    assert!((30..34).contains(&cell(&app, moving).0));
    ticks(&mut app, 30);
    assert_eq!(cell(&app, moving), (50, 8), "on to its goal");
    assert_eq!(nav_map(&mut app, map).walkers(), 2);
    // Height, a little, and off the map are the game's own affair.
    let places = [
        Vec3::new(30.5, -5.5, 9.0),
        Vec3::new(30.9, -5.2, 9.0),
        Vec3::new(-80.0, 0.0, 0.0),
        Vec3::NAN,
    ];
    for place in places {
        let unit = look(&app, standing).unit();
        let mut transform = app
            .world_mut()
            .get_mut::<Transform>(standing)
            .expect("there");
        transform.translation = place;
        ticks(&mut app, 3);
        assert_eq!(cell(&app, standing), (30, 5), "{place}");
        assert_eq!(look(&app, standing).unit(), unit);
    }
}

#[test]
fn who_is_no_walker_any_more_is_left_alone() {
    let (mut app, _) = on_map(NavMap::new(open(60, 20)));
    let goal = Goal::Cell(UVec2::new(30, 8));
    let entity = (Walker::slow(16), at(5, 8), goal);
    let entity = app.world_mut().spawn(entity).id();
    ticks(&mut app, 20);
    app.world_mut().entity_mut(entity).remove::<Walker>();
    let place = Transform::from_xyz(50.0, -1.0, 0.0);
    *app.world_mut().get_mut(entity).expect("there") = place;
    ticks(&mut app, 10);
    assert_eq!(position(&app, entity), place.translation);
}

#[test]
fn cells_of_another_size_are_those_of_the_next_map() {
    let (mut app, map) = on_map(NavMap::new(open(60, 20)));
    let entity = app.world_mut().spawn((Walker::default(), at(20, 10))).id();
    ticks(&mut app, 2);
    let place = position(&app, entity);
    nav_map(&mut app, map).replace(open(120, 40));
    nav_map(&mut app, map).transform = GridTransform::flat(bevy_math::Vec2::ZERO, 0.5);
    // Until it is there, nobody moves; then they stand in the cells that are there.
    wait_until(&mut app, |world| {
        let now = world.get::<Transform>(entity).expect("there").translation;
        assert!(now.distance(place) < 0.5, "{now}");
        let map = world.get::<NavMap>(map).expect("a map");
        map.size().x == 120 && map.ticks() > 2
    });
    assert!((40..=41).contains(&cell(&app, entity).0));
    assert_eq!(
        position(&app, entity).x,
        cell(&app, entity).0 as f32 / 2.0 + 0.25
    );
}

#[test]
fn a_walker_that_is_nudged_in_every_frame_still_walks() {
    let mut app = app_between_ticks();
    let map = app.world_mut().spawn(NavMap::new(open(80, 10))).id();
    wait_until_ready(&mut app, map);
    let entity = walker(&mut app, (2, 2), (70, 2));
    (0..20).for_each(|_| app.update());
    for frame in 0..240 {
        let aside = if frame % 2 == 0 { 0.01 } else { -0.01 };
        let transform = app.world_mut().get_mut::<Transform>(entity);
        transform.expect("there").translation.y += aside;
        app.update();
        let away = position(&app, entity).x - cell(&app, entity).0 as f32 - 0.5;
        assert!(away.abs() <= 1.0, "{away} in frame {frame}");
    }
    assert!(cell(&app, entity).0 > 50);
}

#[test]
fn who_is_put_elsewhere_and_sent_in_one_go_is_not_taken_for_another() {
    let (mut app, _) = on_map(NavMap::new(open(60, 10)));
    let entity = app.world_mut().spawn((Walker::default(), at(7, 5))).id();
    ticks(&mut app, 5);
    *app.world_mut().get_mut(entity).expect("there") = at(40, 5);
    send(&mut app, entity, Goal::Cell(UVec2::new(7, 5)));
    ticks(&mut app, 1);
    assert!(cell(&app, entity).0 >= 39, "noticed before the tick");
    let told = told_in::<Arrived>(&mut app, 60);
    assert_eq!(told.len(), 1);
    assert_eq!(position(&app, entity), at(7, 5).translation);
}
