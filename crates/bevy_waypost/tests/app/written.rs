//! What the game writes, disables and takes away: walkers keep one place each, and lose none.

use crate::stage::*;
use bevy_ecs::entity_disabling::Disabled;
use bevy_math::UVec2;
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;

#[test]
fn walkers_written_back_keep_their_own_place() {
    let (mut app, map) = on_map(NavMap::new(open(40, 20)));
    let first = walker(&mut app, (2, 2), (30, 2));
    let second = walker(&mut app, (2, 10), (30, 10));
    ticks(&mut app, 5);
    let kept = look(&app, second).clone();
    // Each gets another unit; then one gets back what it was: rollback, undo.
    for entity in [first, second] {
        app.world_mut().entity_mut(entity).remove::<Walker>();
        app.world_mut().entity_mut(entity).insert(Walker::default());
    }
    ticks(&mut app, 3);
    *app.world_mut().get_mut(second).expect("there") = kept;
    ticks(&mut app, 1);
    // Another one's value, in the place of this one's: a prefab.
    let copy = look(&app, first).clone();
    *app.world_mut().get_mut(second).expect("there") = copy;
    let mut arrived = told_in::<Arrived>(&mut app, 60);
    arrived.sort_by_key(|news| news.cell.y);
    let (a, b) = (UVec2::new(30, 2), UVec2::new(30, 10));
    let expected = [(first, a), (second, b)].map(|(entity, cell)| Arrived { entity, cell });
    assert_eq!(arrived, expected);
    assert_eq!(position(&app, second), at(30, 10).translation);
    assert_eq!(nav_map(&mut app, map).walkers(), 2);
    send(&mut app, second, Goal::Cell(UVec2::new(5, 18)));
    ticks(&mut app, 40);
    assert_eq!((cell(&app, first), cell(&app, second)), ((30, 2), (5, 18)));
    app.world_mut().despawn(second);
    assert_eq!(nav_map(&mut app, map).walkers(), 1);
}

#[test]
fn another_value_changes_pace_and_nothing_else() {
    let (mut app, _) = on_map(NavMap::new(open(60, 20)));
    let entity = walker(&mut app, (2, 2), (50, 2));
    ticks(&mut app, 5);
    let unit = look(&app, entity).unit();
    app.world_mut().entity_mut(entity).insert(Walker::slow(4));
    ticks(&mut app, 1);
    *app.world_mut().get_mut(entity).expect("there") = Walker::slow(8);
    ticks(&mut app, 2);
    assert_eq!(look(&app, entity).unit(), unit);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Moving);
    let before = cell(&app, entity).0;
    ticks(&mut app, 16);
    assert_eq!(cell(&app, entity).0, before + 2, "eight ticks a step");
}

#[test]
fn maps_and_profiles_are_changed_in_place() {
    let map = NavMap::new(open(20, 20))
        .with_profile(NavProfile::new("tank", 2))
        .with_profile(NavProfile::new("car", 3));
    let (mut app, first) = on_map(map);
    let second = app.world_mut().spawn(NavMap::new(open(20, 20))).id();
    wait_until_ready(&mut app, second);
    let entity = (Walker::default(), at(3, 3), InMap(first));
    let entity = app.world_mut().spawn(entity).id();
    ticks(&mut app, 2);
    app.world_mut().get_mut::<InMap>(entity).expect("there").0 = second;
    ticks(&mut app, 2);
    assert_eq!(look(&app, entity).map(), Some(second));
    app.world_mut().get_mut::<InMap>(entity).expect("there").0 = first;
    let tank = NavProfile::new("tank", 2);
    app.world_mut().entity_mut(entity).insert(tank);
    ticks(&mut app, 2);
    let unit = look(&app, entity).unit();
    // The same again is no change.
    let tank = NavProfile::new("tank", 2);
    *app.world_mut().get_mut(entity).expect("there") = tank;
    ticks(&mut app, 2);
    assert_eq!(look(&app, entity).unit(), unit);
    assert_eq!(position(&app, entity).x.fract(), 0.0, "between two cells");
    *app.world_mut().get_mut(entity).expect("there") = NavProfile::new("car", 3);
    ticks(&mut app, 2);
    assert_eq!(
        position(&app, entity).x.fract(),
        0.5,
        "in the middle of three"
    );
    let walkers = |app: &mut bevy_app::App, map| nav_map(app, map).walkers();
    assert_eq!(
        (walkers(&mut app, first), walkers(&mut app, second)),
        (1, 0)
    );
}

#[test]
fn disabled_walkers_are_not_on_the_map() {
    let (mut app, map) = on_map(NavMap::new(open(40, 20)).exclusive());
    let entity = walker(&mut app, (3, 3), (30, 3));
    ticks(&mut app, 5);
    app.world_mut().entity_mut(entity).insert(Disabled);
    assert_eq!(nav_map(&mut app, map).walkers(), 0);
    let here = position(&app, entity);
    assert_eq!(told_in::<Arrived>(&mut app, 40), []);
    assert_eq!(position(&app, entity), here, "it has not gone on");
    // A goal that it is given meanwhile is taken when it is there again.
    send(&mut app, entity, Goal::Cell(UVec2::new(3, 10)));
    app.world_mut().entity_mut(entity).remove::<Disabled>();
    ticks(&mut app, 30);
    assert_eq!(cell(&app, entity), (3, 10));
    // Gone while disabled: no ghost stays behind.
    app.world_mut().entity_mut(entity).insert(Disabled);
    app.world_mut().despawn(entity);
    ticks(&mut app, 2);
    assert_eq!(nav_map(&mut app, map).walkers(), 0);
    let other = walker(&mut app, (3, 10), (3, 10));
    ticks(&mut app, 2);
    assert_eq!(cell(&app, other), (3, 10));
}

#[test]
fn who_cannot_join_yet_joins_later() {
    let (mut app, _) = on_map(NavMap::new(open(40, 20)));
    let disabled = walker(&mut app, (5, 5), (20, 5));
    app.world_mut().entity_mut(disabled).insert(Disabled);
    let nowhere = walker(&mut app, (5, 9), (20, 9));
    app.world_mut().entity_mut(nowhere).remove::<Transform>();
    let nobody = walker(&mut app, (5, 12), (20, 12));
    app.world_mut().entity_mut(nobody).remove::<Walker>();
    ticks(&mut app, 3);
    app.world_mut().entity_mut(disabled).remove::<Disabled>();
    app.world_mut().entity_mut(nowhere).insert(at(5, 9));
    app.world_mut().entity_mut(nobody).insert(Walker::default());
    ticks(&mut app, 30);
    for (entity, y) in [(disabled, 5), (nowhere, 9), (nobody, 12)] {
        assert_eq!(cell(&app, entity), (20, y));
    }
}
