//! Doors close, obstacles move, maps are swapped, entities go.

use crate::stage::*;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, UVec2, Vec3};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use waypost_testkit::TestRng;

/// Two rooms, a wall of 11 rows between them with gaps at the rows 2 and 8.
fn two_rooms() -> Map {
    Map::from_fn(21, 11, |p| p.x != 10 || p.y == 2 || p.y == 8).expect("a map")
}

#[test]
fn doors_close_under_walkers() {
    let map = two_rooms().and_doors([(10, 2), (10, 8)]);
    let (mut app, map) = on_map(NavMap::new(map));
    let entity = walker(&mut app, (0, 2), (20, 2));
    ticks(&mut app, 5);
    // The door in front of it closes: it goes round by the other one.
    nav_map(&mut app, map)
        .set_doors([], [UVec2::new(10, 2)])
        .expect("a door");
    ticks(&mut app, 6);
    assert!(cell(&app, entity).0 < 11);
    nav_map(&mut app, map)
        .set_doors([], [UVec2::new(10, 8)])
        .expect("a door");
    read::<Unreachable>(&mut app);
    let told = told_in::<Unreachable>(&mut app, 3);
    assert_eq!(told.len(), 1, "told once");
    assert_eq!(told[0].entity, entity);
    assert!(told[0].nearest.is_some_and(|cell| cell.x < 10));
    assert_eq!(look(&app, entity).status(), WalkerStatus::Unreachable);
    let wrong = nav_map(&mut app, map).set_doors([UVec2::new(3, 3)], []);
    assert!(wrong.is_err_and(|e| e.to_string().contains("3,3 is no door")));
    nav_map(&mut app, map)
        .set_doors([UVec2::new(10, 8)], [])
        .expect("a door");
    let arrived = told_in::<Arrived>(&mut app, 40);
    assert_eq!((cell(&app, entity), arrived.len()), ((20, 2), 1));
}

#[test]
fn obstacles_block_and_free_what_they_cover() {
    let (mut app, map) = on_map(NavMap::new(two_rooms()));
    let cart = app.world_mut().spawn((Obstacle::default(), at(10, 2))).id();
    let wagon = app
        .world_mut()
        .spawn((Obstacle::rectangle(1.0, 3.0), at(10, 8)))
        .id();
    ticks(&mut app, 1);
    assert!(!is_free(&app, map, 10, 2) && !is_free(&app, map, 10, 8));
    let entity = walker(&mut app, (0, 2), (20, 2));
    ticks(&mut app, 2);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Unreachable);
    // A second one on the same cell: when one of them leaves, the other still blocks.
    let second = app.world_mut().spawn((Obstacle::default(), at(10, 2))).id();
    ticks(&mut app, 1);
    app.world_mut().despawn(second);
    ticks(&mut app, 1);
    assert!(!is_free(&app, map, 10, 2));
    // One moves away: the walker goes through.
    *app.world_mut().get_mut::<Transform>(cart).expect("there") = at(4, 9);
    ticks(&mut app, 1);
    assert!(is_free(&app, map, 10, 2) && !is_free(&app, map, 4, 9));
    ticks(&mut app, 40);
    assert_eq!(cell(&app, entity), (20, 2));
    // It covered walls beside the gap: they stay walls.
    app.world_mut().despawn(wagon);
    assert!(is_free(&app, map, 10, 8) && !is_free(&app, map, 10, 7));
    // Without the component the cell is free as well.
    app.world_mut().entity_mut(cart).remove::<Obstacle>();
    assert!(is_free(&app, map, 4, 9));
}

#[test]
fn obstacles_take_turns_on_a_cell_in_one_tick() {
    let (mut app, map) = on_map(NavMap::new(two_rooms()));
    let one = app.world_mut().spawn((Obstacle::default(), at(3, 3))).id();
    let other = app.world_mut().spawn((Obstacle::default(), at(5, 3))).id();
    for round in 0..20 {
        let (a, b) = if round % 2 == 0 { (5, 3) } else { (3, 5) };
        *app.world_mut().get_mut::<Transform>(one).expect("there") = at(a, 3);
        *app.world_mut().get_mut::<Transform>(other).expect("there") = at(b, 3);
        ticks(&mut app, 1);
        assert!(!is_free(&app, map, 3, 3) && !is_free(&app, map, 5, 3));
    }
    app.world_mut().despawn(one);
    app.world_mut().despawn(other);
    assert!(is_free(&app, map, 3, 3) && is_free(&app, map, 5, 3));
}

#[test]
fn footprints_turn_scale_and_follow_their_parents() {
    let level = Map::from_fn(40, 40, |_| true).expect("a map");
    let (mut app, _) = on_map(NavMap::new(level));
    let turned = Transform {
        translation: at(20, 20).translation,
        rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_2),
        scale: Vec3::splat(2.0),
    };
    let beam = app
        .world_mut()
        .spawn((Obstacle::rectangle(3.4, 0.4), turned))
        .id();
    let disc = app.world_mut().spawn((Obstacle::disc(2.1), at(8, 8))).id();
    ticks(&mut app, 1);
    let covered = |app: &App, entity| -> Vec<(u32, u32)> {
        let covered = app.world().get::<Covered>(entity).expect("there");
        covered.cells().iter().map(|c| (c.x, c.y)).collect()
    };
    let column: Vec<_> = (17..=23).map(|y| (20, y)).collect();
    assert_eq!(covered(&app, beam), column, "a beam of 6.8 x 0.8, upright");
    assert_eq!(covered(&app, disc).len(), 13, "a disc of radius 2.1");
    // A child goes where its parent goes.
    let parent = app.world_mut().spawn(Transform::default()).id();
    let child = app
        .world_mut()
        .spawn((Obstacle::default(), at(1, 1), ChildOf(parent)))
        .id();
    ticks(&mut app, 1);
    assert_eq!(covered(&app, child), [(1, 1)]);
    let moved = Transform::from_xyz(4.0, -7.0, 0.0);
    *app.world_mut().get_mut::<Transform>(parent).expect("there") = moved;
    ticks(&mut app, 1);
    assert_eq!(covered(&app, child), [(5, 8)]);
    // Out of the map it covers nothing.
    *app.world_mut().get_mut::<Transform>(parent).expect("there") =
        Transform::from_xyz(-90.0, 0.0, 0.0);
    ticks(&mut app, 1);
    assert_eq!(covered(&app, child), []);
}

#[test]
fn patches_under_obstacles_wait_until_they_leave() {
    let (mut app, map) = on_map(NavMap::new(two_rooms()));
    let cart = (Obstacle::rectangle(3.0, 3.0), at(10, 5));
    let cart = app.world_mut().spawn(cart).id();
    ticks(&mut app, 1);
    // The game opens the wall under the cart, and puts one up beside it.
    nav_map(&mut app, map).patch(Patch::new().open((10, 5)).block((9, 6)));
    assert!(!is_free(&app, map, 10, 5) && !is_free(&app, map, 9, 6));
    let ends = [(UVec2::new(0, 0), UVec2::new(20, 0))];
    let close = Patch::new().block((10, 2)).block((10, 8));
    assert!(!nav_map(&mut app, map).stays_connected(&close, &ends));
    app.world_mut().despawn(cart);
    assert!(is_free(&app, map, 10, 5) && is_free(&app, map, 9, 5));
    assert!(!is_free(&app, map, 9, 6) && !is_free(&app, map, 10, 4));
    assert!(nav_map(&mut app, map).stays_connected(&close, &ends));
}

#[test]
fn obstacles_move_for_thousands_of_frames() {
    let level = noise(60, 11);
    let (mut app, map) = on_map(NavMap::new(map_of(&level)));
    let mut rng = TestRng::new(8);
    let spot = |rng: &mut TestRng| at(rng.below(60), rng.below(60));
    let obstacles: Vec<_> = (0..30)
        .map(|i| {
            let shape = match i % 3 {
                0 => Obstacle::default(),
                1 => Obstacle::rectangle(2.5, 4.0),
                _ => Obstacle::disc(1.8),
            };
            app.world_mut().spawn((shape, spot(&mut rng))).id()
        })
        .collect();
    let walkers: Vec<_> = (0..60)
        .map(|_| {
            let mut cell = || level.random_open_cell(&mut rng).expect("open");
            let (from, goal) = (cell(), cell());
            walker(&mut app, from, goal)
        })
        .collect();
    let mut arrivals = 0;
    for frame in 0..3_000 {
        let one = obstacles[rng.below(30) as usize];
        *app.world_mut().get_mut::<Transform>(one).expect("there") = spot(&mut rng);
        app.update();
        for &entity in &walkers {
            let walker = look(&app, entity);
            let here = walker.cell();
            let free = is_free(&app, map, here.x, here.y);
            let stands = matches!(
                walker.status(),
                WalkerStatus::Blocked | WalkerStatus::Joining
            );
            assert!(
                free || stands,
                "frame {frame}: {here} is a wall, {:?}",
                walker.status()
            );
        }
        let arrived = read::<Arrived>(&mut app);
        arrivals += arrived.len();
        for news in arrived {
            let goal = level.random_open_cell(&mut rng).expect("open");
            send(
                &mut app,
                news.entity,
                Goal::Cell(UVec2::new(goal.0, goal.1)),
            );
        }
    }
    assert!(arrivals > 500, "{arrivals}");
    let blocked = |app: &App| -> Vec<bool> {
        (0..3_600)
            .map(|i| is_free(app, map, i % 60, i / 60))
            .collect()
    };
    assert_ne!(blocked(&app), blocked_of(&level));
    obstacles
        .iter()
        .for_each(|&o| assert!(app.world_mut().despawn(o)));
    assert_eq!(blocked(&app), blocked_of(&level), "all is as it was");
}

fn blocked_of(level: &waypost_testkit::TestMap) -> Vec<bool> {
    (0..3_600)
        .map(|i| level.is_open_at((i % 60, i / 60)))
        .collect()
}

#[test]
fn maps_are_swapped_under_walkers() {
    let (mut app, map) = on_map(NavMap::new(two_rooms()));
    let entity = walker(&mut app, (0, 2), (20, 5));
    let inside = walker(&mut app, (5, 5), (5, 5));
    ticks(&mut app, 5);
    let before = cell(&app, entity);
    assert!(before.0 >= 3);
    // Where one of them stands there is a wall in the next map.
    let next = Map::from_fn(21, 11, |p| (p.x, p.y) != (5, 5)).expect("a map");
    nav_map(&mut app, map).replace(next);
    assert_eq!(nav_map(&mut app, map).state(), NavState::Renewing);
    wait_until_ready(&mut app, map);
    ticks(&mut app, 2);
    assert_ne!(cell(&app, inside), (5, 5));
    ticks(&mut app, 20);
    assert_eq!(
        cell(&app, entity),
        (20, 5),
        "straight through, where there was a wall"
    );
    // A map that cannot be: the old one stays.
    nav_map(&mut app, map).replace(Map::from_fn(3, 3, |_| true).expect("a map"));
    wait_until_ready(&mut app, map);
    ticks(&mut app, 2);
    assert!(cell(&app, entity).0 < 3, "the nearest cell of a small map");
}

#[test]
fn walkers_outlive_their_map_and_find_the_next() {
    let (mut app, map) = on_map(NavMap::new(two_rooms()));
    let entity = walker(&mut app, (0, 2), (20, 2));
    ticks(&mut app, 5);
    app.world_mut().despawn(map);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Joining);
    ticks(&mut app, 5);
    let here = position(&app, entity);
    let other = app.world_mut().spawn(NavMap::new(two_rooms())).id();
    wait_until_ready(&mut app, other);
    ticks(&mut app, 1);
    assert_eq!(look(&app, entity).map(), Some(other));
    assert!(
        position(&app, entity).distance(here) < 3.0,
        "it goes on where it stood"
    );
    ticks(&mut app, 40);
    assert_eq!(cell(&app, entity), (20, 2));
}

#[test]
fn several_levels_at_once() {
    let (mut app, ground) = on_map(NavMap::new(two_rooms()));
    let cellar = NavMap::new(two_rooms())
        .with_transform(GridTransform::ground(Vec3::new(0.0, -3.0, 0.0), 2.0));
    let cellar = app.world_mut().spawn(cellar).id();
    wait_until_ready(&mut app, cellar);
    let goal = Goal::Cell(UVec2::new(20, 2));
    let above = app
        .world_mut()
        .spawn((Walker::default(), at(0, 2), goal, InMap(ground)))
        .id();
    let below = Transform::from_xyz(1.0, -3.0, 5.0);
    let below = app
        .world_mut()
        .spawn((Walker::default(), below, goal, InMap(cellar)))
        .id();
    let lost = walker(&mut app, (0, 2), (20, 2));
    let barrel = app
        .world_mut()
        .spawn((Obstacle::default(), at(10, 2), InMap(ground)))
        .id();
    ticks(&mut app, 2);
    assert_eq!(
        look(&app, lost).status(),
        WalkerStatus::Joining,
        "nobody says on which map"
    );
    assert!(!is_free(&app, ground, 10, 2) && is_free(&app, cellar, 10, 2));
    ticks(&mut app, 40);
    assert_eq!((cell(&app, above), cell(&app, below)), ((20, 2), (20, 2)));
    assert_eq!(
        position(&app, below),
        Vec3::new(41.0, -3.0, 5.0),
        "height is the game's own"
    );
    // Down the stairs.
    app.world_mut().entity_mut(above).insert(InMap(cellar));
    app.world_mut().entity_mut(barrel).insert(InMap(cellar));
    ticks(&mut app, 2);
    assert_eq!(look(&app, above).map(), Some(cellar));
    assert!(is_free(&app, ground, 10, 2));
    let walkers = |app: &App, map| app.world().get::<NavMap>(map).expect("a map").walkers();
    assert_eq!((walkers(&app, ground), walkers(&app, cellar)), (0, 2));
}

#[test]
fn copies_and_other_values_take_nothing_from_each_other() {
    let level = Map::from_fn(30, 30, |_| true).expect("a map");
    let (mut app, map) = on_map(NavMap::new(level));
    let rock = app.world_mut().spawn((Obstacle::default(), at(9, 9))).id();
    let first = walker(&mut app, (0, 0), (25, 0));
    ticks(&mut app, 5);
    // Copies of both: a walker and a rock of their own.
    let second = app.world_mut().entity_mut(first).clone_and_spawn();
    let pebble = app.world_mut().entity_mut(rock).clone_and_spawn();
    ticks(&mut app, 5);
    assert_ne!(look(&app, first).unit(), look(&app, second).unit());
    assert_eq!(nav_map(&mut app, map).walkers(), 2);
    app.world_mut().despawn(second);
    app.world_mut().despawn(pebble);
    ticks(&mut app, 1);
    assert_eq!(nav_map(&mut app, map).walkers(), 1);
    assert!(!is_free(&app, map, 9, 9), "the rock is still there");
    // Another value in the place of one: it goes on from where it is.
    let before = cell(&app, first);
    *app.world_mut().get_mut::<Walker>(first).expect("there") = Walker::slow(2);
    *app.world_mut().get_mut::<Obstacle>(rock).expect("there") = Obstacle::rectangle(3.0, 1.0);
    ticks(&mut app, 2);
    assert_eq!(nav_map(&mut app, map).walkers(), 1);
    assert!(cell(&app, first).0.abs_diff(before.0) <= 2);
    assert!(!is_free(&app, map, 8, 9) && !is_free(&app, map, 10, 9));
    ticks(&mut app, 60);
    assert_eq!(cell(&app, first), (25, 0));
    // Overwritten and gone before the next tick: no ghost stays behind.
    *app.world_mut().get_mut::<Walker>(first).expect("there") = Walker::default();
    app.world_mut().despawn(first);
    assert_eq!(nav_map(&mut app, map).walkers(), 0);
    app.world_mut().despawn(rock);
    assert!((8..11).all(|x| is_free(&app, map, x, 9)));
}

#[test]
fn maps_are_moved_with_all_that_is_on_them() {
    let level = Map::from_fn(30, 30, |_| true).expect("a map");
    let (mut app, map) = on_map(NavMap::new(level));
    let still = walker(&mut app, (3, 4), (3, 4));
    let moving = walker(&mut app, (0, 9), (29, 9));
    let rock = app.world_mut().spawn((Obstacle::default(), at(9, 20))).id();
    ticks(&mut app, 5);
    let far = GridTransform::ground(Vec3::new(1000.0, 0.0, 0.0), 2.0);
    nav_map(&mut app, map).transform = far;
    ticks(&mut app, 2);
    for entity in [still, moving] {
        let here: UVec2 = look(&app, entity).cell();
        let away = position(&app, entity) - far.position(here);
        // Between the last two ticks.
        assert!(away.x.abs() <= 2.0 && away.z == 0.0, "{away}");
    }
    let covered = app.world().get::<Covered>(rock).expect("there");
    assert!(covered.cells().is_empty(), "the rock is not on it any more");
    assert!(is_free(&app, map, 9, 20));
}

#[test]
fn what_is_taken_from_a_walker_counts() {
    let (mut app, first) = on_map(NavMap::new(two_rooms()));
    let second = app.world_mut().spawn(NavMap::new(two_rooms())).id();
    wait_until_ready(&mut app, second);
    let profile = NavProfile::new("large", 2);
    let spawned = (Walker::default(), at(2, 2), profile, InMap(second));
    let entity = app.world_mut().spawn(spawned).id();
    let rock = app
        .world_mut()
        .spawn((Obstacle::default(), at(5, 5), InMap(second)))
        .id();
    wait_until(&mut app, |world| {
        world
            .get::<Walker>(entity)
            .is_some_and(|w| w.map().is_some())
    });
    assert!(!is_free(&app, second, 5, 5));
    let middle = position(&app, entity);
    app.world_mut().entity_mut(entity).remove::<NavProfile>();
    ticks(&mut app, 1);
    assert_ne!(
        position(&app, entity),
        middle,
        "one cell is all that it has"
    );
    // Nobody says on which map, and there are two.
    app.world_mut().entity_mut(entity).remove::<InMap>();
    app.world_mut().entity_mut(rock).remove::<InMap>();
    ticks(&mut app, 2);
    assert_eq!(look(&app, entity).map(), None);
    assert!(is_free(&app, second, 5, 5));
    app.world_mut().despawn(first);
    ticks(&mut app, 1);
    assert_eq!(look(&app, entity).map(), Some(second));
    assert!(!is_free(&app, second, 5, 5));
}

#[test]
fn entities_go_while_they_plan() {
    let level = noise(150, 5);
    let (mut app, map) = on_map(NavMap::new(map_of(&level)).exclusive());
    // So little that most of them wait for a plan all the time.
    app.world_mut()
        .resource_mut::<NavSettings>()
        .plan_operations = 500;
    let mut rng = TestRng::new(21);
    let mut alive: Vec<Entity> = Vec::new();
    for frame in 0..1_500 {
        for _ in 0..4 {
            let mut cell = || level.random_open_cell(&mut rng).expect("open");
            let (from, goal) = (cell(), cell());
            alive.push(walker(&mut app, from, goal));
        }
        // Some go before their first tick, some while they plan, some with their component alone.
        while alive.len() > 400 {
            let entity = alive.swap_remove(rng.below(alive.len() as u32) as usize);
            match frame % 3 {
                0 => {
                    app.world_mut().entity_mut(entity).remove::<Walker>();
                }
                _ => assert!(app.world_mut().despawn(entity)),
            }
        }
        if frame % 100 == 50 {
            // Inserted again it begins again.
            app.world_mut()
                .entity_mut(alive[0])
                .insert(Walker::default());
        }
        app.update();
    }
    app.world_mut()
        .resource_mut::<NavSettings>()
        .plan_operations = 60_000;
    ticks(&mut app, 2);
    let joined = alive.iter().filter(|&&e| look(&app, e).map().is_some());
    assert_eq!(joined.count(), alive.len());
    assert_eq!(nav_map(&mut app, map).walkers(), alive.len());
}
