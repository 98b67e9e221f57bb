//! Obstacles: where they are, however they got there, and what they cover.

use crate::stage::*;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, UVec2, Vec2, Vec3};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;

#[test]
fn an_obstacle_that_loses_its_parent_is_where_its_transform_says() {
    let (mut app, map) = on_map(NavMap::new(open(60, 20)));
    let ship = Transform::from_xyz(40.0, 0.0, 0.0);
    let ship = app.world_mut().spawn(ship).id();
    let crate_ = (Obstacle::default(), at(5, 5), ChildOf(ship));
    let crate_ = app.world_mut().spawn(crate_).id();
    ticks(&mut app, 2);
    assert_eq!(covered(&app, crate_), [(45, 5)]);
    app.world_mut().entity_mut(crate_).remove::<ChildOf>();
    ticks(&mut app, 1);
    assert_eq!(covered(&app, crate_), [(5, 5)]);
    assert!(is_free(&app, map, 45, 5) && !is_free(&app, map, 5, 5));
    app.world_mut().entity_mut(crate_).insert(ChildOf(ship));
    ticks(&mut app, 1);
    assert_eq!(covered(&app, crate_), [(45, 5)]);
    // Its parent sails on.
    let mut place = app.world_mut().get_mut::<Transform>(ship).expect("there");
    place.translation.x = 50.0;
    ticks(&mut app, 1);
    assert_eq!(covered(&app, crate_), [(55, 5)]);
}

#[test]
fn large_obstacles_are_cut_to_the_map() {
    let (mut app, map) = on_map(NavMap::new(open(5000, 4)));
    let wall = (Obstacle::rectangle(4000.0, 1.0), at(2500, 2));
    let wall = app.world_mut().spawn(wall).id();
    ticks(&mut app, 2);
    let in_row = |app: &bevy_app::App| covered(app, wall).iter().filter(|c| c.1 == 2).count();
    assert!((4000..=4001).contains(&in_row(&app)));
    for (sides, cells) in [
        (Vec2::new(5000.0, 1.0), 5000),
        (Vec2::new(1e9, 1.0), 5000),
        (Vec2::splat(f32::INFINITY), 5000 * 4),
    ] {
        let mut obstacle = app.world_mut().get_mut::<Obstacle>(wall).expect("there");
        obstacle.footprint = Footprint::Rectangle(sides);
        ticks(&mut app, 1);
        assert_eq!(covered(&app, wall).len(), cells, "{sides}");
        assert!(!is_free(&app, map, 2500, 2));
    }
}

#[test]
fn thin_walls_are_walls() {
    let (mut app, map) = on_map(NavMap::new(open(40, 40)));
    let middle = Transform::from_xyz(20.3, -20.2, 0.0);
    for degrees in [0.0, 30.0, 45.0, 60.0, 90.0, 117.0, 150.0] {
        let turn = Quat::from_rotation_z(f32::to_radians(degrees));
        let wall = (Obstacle::rectangle(200.0, 0.2), middle.with_rotation(turn));
        let wall = app.world_mut().spawn(wall).id();
        ticks(&mut app, 2);
        let nav = nav_map(&mut app, map);
        // A place on either side of it.
        let aside = |way: f32| {
            let at =
                Vec2::new(20.3, -20.2) + Vec2::from_angle(f32::to_radians(degrees + way)) * 9.0;
            nav.transform.cell(at.extend(0.0)).expect("on the map")
        };
        let (a, b) = (aside(90.0), aside(-90.0));
        assert!(
            !nav.stays_connected(Patch::new(), &[(a, b)]),
            "{degrees} degrees: a way from {a} to {b}"
        );
        app.world_mut().despawn(wall);
    }
    // Between two rows.
    let wall = Transform::from_xyz(20.5, -20.0, 0.0);
    let wall = app
        .world_mut()
        .spawn((Obstacle::rectangle(10.0, 0.4), wall))
        .id();
    ticks(&mut app, 2);
    let columns: std::collections::BTreeSet<u32> =
        covered(&app, wall).iter().map(|c| c.0).collect();
    assert!(columns.len() >= 10, "{columns:?}");
}

#[test]
fn disabled_obstacles_block_nothing() {
    let (mut app, map) = on_map(NavMap::new(open(20, 20)));
    let rock = app.world_mut().spawn((Obstacle::default(), at(9, 9))).id();
    ticks(&mut app, 1);
    assert!(!is_free(&app, map, 9, 9));
    app.world_mut().entity_mut(rock).insert(Disabled);
    assert!(is_free(&app, map, 9, 9));
    app.world_mut().entity_mut(rock).remove::<Disabled>();
    ticks(&mut app, 1);
    assert!(!is_free(&app, map, 9, 9));
    app.world_mut().entity_mut(rock).insert(Disabled);
    app.world_mut().despawn(rock);
    ticks(&mut app, 1);
    assert!(is_free(&app, map, 9, 9), "no ghost stays behind");
    // What it covers is taken from it: free, whatever the game means by that.
    let rock = app.world_mut().spawn((Obstacle::default(), at(9, 9))).id();
    ticks(&mut app, 1);
    app.world_mut().entity_mut(rock).remove::<Covered>();
    assert!(is_free(&app, map, 9, 9));
}

#[test]
fn nobody_is_let_in_below_an_obstacle() {
    // All of it is there before the map is ready, as at the start of a level.
    let mut app = app();
    let map = app.world_mut().spawn(NavMap::new(open(20, 20))).id();
    app.world_mut()
        .spawn((Obstacle::rectangle(5.0, 5.0), at(10, 10)));
    let entity = walker(&mut app, (10, 10), (2, 2));
    wait_until_ready(&mut app, map);
    ticks(&mut app, 40);
    assert_eq!(cell(&app, entity), (2, 2));
    // The map is swapped, and the nearest free cell of the next one is below the obstacle.
    send(&mut app, entity, Goal::Cell(UVec2::new(7, 10)));
    ticks(&mut app, 20);
    let next = Map::from_fn(20, 20, |p| p.x > 7 || p.x < 3).expect("a map");
    nav_map(&mut app, map).replace(next);
    wait_until_ready(&mut app, map);
    ticks(&mut app, 2);
    assert_ne!(look(&app, entity).status(), WalkerStatus::Blocked);
    let (x, y) = cell(&app, entity);
    assert!(is_free(&app, map, x, y), "{x} {y}");
}

#[test]
fn another_map_on_the_same_entity_has_the_obstacles_too() {
    let (mut app, map) = on_map(NavMap::new(open(20, 20)));
    app.world_mut()
        .spawn((Obstacle::rectangle(1.0, 100.0), at(10, 10)));
    let entity = walker(&mut app, (2, 10), (2, 10));
    ticks(&mut app, 2);
    for _ in 0..2 {
        let next = NavMap::new(open(20, 20));
        app.world_mut().entity_mut(map).insert(next);
        wait_until_ready(&mut app, map);
        ticks(&mut app, 2);
        assert!(!is_free(&app, map, 10, 10));
    }
    send(&mut app, entity, Goal::Cell(UVec2::new(18, 10)));
    ticks(&mut app, 30);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Unreachable);
}

#[test]
fn obstacles_without_height_cover_what_they_cover() {
    let (mut app, _) = on_map(NavMap::new(open(40, 40)));
    let place = at(20, 20).with_scale(Vec3::new(1.0, 1.0, 0.0));
    let sign = (Obstacle::rectangle(5.0, 5.0), place);
    let sign = app.world_mut().spawn(sign).id();
    let [flat, round] = [0.0, 1.0].map(|z| {
        let place = place.with_scale(Vec3::new(1.0, 1.0, z));
        let disc = (Obstacle::disc(3.0), place);
        app.world_mut().spawn(disc).id()
    });
    ticks(&mut app, 2);
    assert_eq!(covered(&app, sign).len(), 25);
    assert_eq!(covered(&app, flat), covered(&app, round));
    let ground = GridTransform::ground(Vec3::ZERO, 1.0);
    let (mut app, _) = on_map(NavMap::new(open(40, 40)).with_transform(ground));
    let place = Transform::from_translation(ground.position(UVec2::new(20, 20)));
    let turned = place.with_rotation(Quat::from_rotation_y(0.3));
    let [flat, high] = [0.0, 2.0].map(|y| {
        let place = turned.with_scale(Vec3::new(2.0, y, 1.0));
        let wall = (Obstacle::rectangle(6.0, 4.0), place);
        app.world_mut().spawn(wall).id()
    });
    ticks(&mut app, 2);
    assert_eq!(covered(&app, flat), covered(&app, high));
    assert!(covered(&app, flat).len() > 40);
}
