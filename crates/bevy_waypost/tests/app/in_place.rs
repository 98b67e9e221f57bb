//! Maps that are written in place, without the plugin being told.

use crate::stage::*;
use bevy_math::UVec2;
use bevy_waypost::prelude::*;

#[test]
fn a_map_that_is_written_in_place_keeps_its_walkers() {
    let (mut app, map) = on_map(NavMap::new(open(40, 10)));
    let entity = walker(&mut app, (2, 2), (30, 2));
    let wall = app.world_mut().spawn((Obstacle::default(), at(20, 5))).id();
    ticks(&mut app, 5);
    *nav_map(&mut app, map) = NavMap::new(open(40, 10));
    ticks(&mut app, 1);
    wait_until_ready(&mut app, map);
    ticks(&mut app, 60);
    assert_eq!(cell(&app, entity), (30, 2));
    assert_eq!(nav_map(&mut app, map).walkers(), 1);
    assert_eq!(covered(&app, wall), [(20, 5)]);
    assert!(!is_free(&app, map, 20, 5));
}

#[test]
fn a_map_without_a_type_of_its_walkers_is_no_harm() {
    let cart = NavProfile::new("cart", 2);
    let (mut app, map) = on_map(NavMap::new(open(40, 10)).with_profile(cart.clone()));
    let goal = |x| Goal::Cell(UVec2::new(x, 2));
    let entity = (Walker::default(), at(2, 2), goal(30), cart);
    let entity = app.world_mut().spawn(entity).id();
    ticks(&mut app, 5);
    *nav_map(&mut app, map) = NavMap::new(open(40, 10));
    send(&mut app, entity, goal(3));
    wait_until_ready(&mut app, map);
    wait_until(&mut app, |world| {
        world.get::<Walker>(entity).expect("there").has_arrived()
    });
    assert_eq!(cell(&app, entity), (3, 2));
    // It is gone with its map in one go, between two ticks.
    *nav_map(&mut app, map) = NavMap::new(open(40, 10));
    app.world_mut().despawn(entity);
    wait_until_ready(&mut app, map);
    assert_eq!(nav_map(&mut app, map).walkers(), 0);
}

#[test]
fn maps_that_change_places_keep_their_walkers() {
    let (mut app, a) = on_map(NavMap::new(open(30, 30)));
    let b = app.world_mut().spawn(NavMap::new(open(40, 40))).id();
    wait_until_ready(&mut app, b);
    let goal = Goal::Cell(UVec2::new(25, 2));
    let one = (Walker::default(), at(2, 2), goal, InMap(a));
    let one = app.world_mut().spawn(one).id();
    let wall = (Obstacle::default(), at(9, 9), InMap(a));
    app.world_mut().spawn(wall);
    ticks(&mut app, 3);
    let [mut x, mut y] = app.world_mut().get_entity_mut([a, b]).expect("both");
    let (x, y) = (x.get_mut::<NavMap>(), y.get_mut::<NavMap>());
    std::mem::swap(&mut *x.expect("a map"), &mut *y.expect("a map"));
    ticks(&mut app, 40);
    assert_eq!(cell(&app, one), (25, 2));
    let walkers = [a, b].map(|map| nav_map(&mut app, map).walkers());
    assert_eq!(walkers, [1, 0]);
    assert!(!is_free(&app, a, 9, 9) && is_free(&app, b, 9, 9));
}
