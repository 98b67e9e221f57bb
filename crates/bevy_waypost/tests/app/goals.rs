//! Goals of all kinds, profiles, paces, budgets, events and what walkers look like between ticks.

use crate::stage::*;
use bevy_app::{App, TaskPoolPlugin, Update};
use bevy_ecs::prelude::*;
use bevy_math::{UVec2, Vec2, Vec3};
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use std::time::Duration;

fn open(side: u32) -> Map {
    Map::from_fn(side, side, |_| true).expect("a map")
}

#[test]
fn goals_of_all_kinds() {
    let (mut app, _) = on_map(NavMap::new(open(40)));
    let entity = walker(&mut app, (2, 2), (9, 2));
    ticks(&mut app, 10);
    assert_eq!(cell(&app, entity), (9, 2));
    send(
        &mut app,
        entity,
        Goal::Position(Vec3::new(20.5, -30.5, 7.0)),
    );
    ticks(&mut app, 40);
    assert_eq!(cell(&app, entity), (20, 30));
    let (corner, size) = (UVec2::new(5, 5), UVec2::new(4, 3));
    send(&mut app, entity, Goal::Area { corner, size });
    ticks(&mut app, 40);
    assert_eq!(cell(&app, entity), (8, 7), "the nearest corner");
    let far = UVec2::new(30, 30);
    send(
        &mut app,
        entity,
        Goal::Within {
            cell: far,
            cells: 6,
        },
    );
    ticks(&mut app, 40);
    let (x, y) = cell(&app, entity);
    assert_eq!(
        x.abs_diff(30).max(y.abs_diff(30)),
        6,
        "no further than needed"
    );
    assert!(look(&app, entity).has_arrived());
    send(&mut app, entity, Goal::Cell(UVec2::new(0, y)));
    ticks(&mut app, 5);
    send(&mut app, entity, Goal::None);
    ticks(&mut app, 5);
    assert_eq!(cell(&app, entity), (x - 5, y));
    assert_eq!(look(&app, entity).status(), WalkerStatus::Idle);
    // Outside the map.
    read::<Unreachable>(&mut app);
    for outside in [
        Goal::Position(Vec3::NAN),
        Goal::Cell(UVec2::new(40, 0)),
        Goal::Position(Vec3::new(-1.0, 0.0, 0.0)),
    ] {
        send(&mut app, entity, outside);
        let told = told_in::<Unreachable>(&mut app, 1);
        assert_eq!(told.len(), 1, "{outside:?}");
        assert_eq!((told[0].entity, told[0].nearest), (entity, None));
    }
}

#[test]
fn walkers_follow_walkers_and_things() {
    let (mut app, _) = on_map(NavMap::new(open(60)).with_profile(NavProfile::new("cart", 2)));
    let leader = walker(&mut app, (5, 5), (50, 5));
    let place = at(1, 5);
    let follower = app
        .world_mut()
        .spawn((Walker::default(), place, Goal::Follow(leader)))
        .id();
    let cart = (
        Walker::default(),
        NavProfile::new("cart", 2),
        at(1, 9),
        Goal::Follow(leader),
    );
    let cart = app.world_mut().spawn(cart).id();
    let flag = app.world_mut().spawn(at(10, 50)).id();
    let bearer = app
        .world_mut()
        .spawn((Walker::default(), at(1, 30), Goal::Follow(flag)))
        .id();
    ticks(&mut app, 80);
    assert_eq!(cell(&app, follower), (50, 5));
    assert_eq!(
        cell(&app, cart),
        (50, 5),
        "of another type, after it all the same"
    );
    assert_eq!(cell(&app, bearer), (10, 50));
    *app.world_mut().get_mut::<Transform>(flag).expect("there") = at(30, 50);
    ticks(&mut app, 40);
    assert_eq!(cell(&app, bearer), (30, 50));
    // Nobody to follow: they stand still.
    app.world_mut().despawn(flag);
    send(&mut app, leader, Goal::Cell(UVec2::new(5, 5)));
    ticks(&mut app, 10);
    app.world_mut().despawn(leader);
    ticks(&mut app, 3);
    let stood = (cell(&app, follower), cell(&app, cart), cell(&app, bearer));
    ticks(&mut app, 10);
    assert_eq!(
        (cell(&app, follower), cell(&app, cart), cell(&app, bearer)),
        stood
    );
}

#[test]
fn large_walkers_have_profiles() {
    // Gaps of one and of two cells.
    let level = || Map::from_fn(41, 21, |p| p.x != 20 || p.y == 3 || p.y / 2 == 8).expect("a map");
    for known in [true, false] {
        let mut map = NavMap::new(level());
        if known {
            map = map.with_profile(NavProfile::new("tank", 2));
        }
        let (mut app, map) = on_map(map);
        let small = walker(&mut app, (2, 3), (38, 3));
        let tank = (
            Walker::default(),
            NavProfile::new("tank", 2),
            Goal::Cell(UVec2::new(38, 3)),
        );
        let start = Transform::from_xyz(3.0, -4.0, 0.0); // covers 2..4 and 3..5
        let tank = app.world_mut().spawn((tank, start)).id();
        wait_until(&mut app, |world| {
            world.get::<Walker>(tank).is_some_and(|w| w.map().is_some())
        });
        let (mut lowest, mut straight) = (0, true);
        for _ in 0..120 {
            app.update();
            lowest = lowest.max(cell(&app, tank).1);
            straight &= cell(&app, small).1 == 3;
        }
        assert!(straight, "the small one goes through the narrow gap");
        assert_eq!(lowest, 16, "the tank goes round by the wide one");
        assert_eq!(cell(&app, tank), (38, 3));
        assert_eq!(
            position(&app, tank).truncate(),
            Vec2::new(39.0 + 0.0, -4.0),
            "in the middle of its cells"
        );
        // A profile of the same name and another size is refused: it never joins.
        let odd = (Walker::default(), NavProfile::new("tank", 3), at(5, 5));
        let odd = app.world_mut().spawn(odd).id();
        let told = told_in::<NavMapFailed>(&mut app, 5);
        assert_eq!(look(&app, odd).status(), WalkerStatus::Joining);
        assert!(
            told.len() == 1 && told[0].reason.contains("different names"),
            "{told:?}"
        );
        assert_eq!(app.world().get::<NavMap>(map).expect("a map").walkers(), 2);
    }
}

#[test]
fn paces_and_holding() {
    let (mut app, _) = on_map(NavMap::new(open(40)));
    let goal = Goal::Cell(UVec2::new(39, 0));
    let quick = app
        .world_mut()
        .spawn((Walker::default(), at(0, 0), goal))
        .id();
    let slow = app
        .world_mut()
        .spawn((Walker::slow(3), at(0, 0), goal))
        .id();
    ticks(&mut app, 31);
    let (quick_x, slow_x) = (cell(&app, quick).0, cell(&app, slow).0);
    assert!(
        (30..=31).contains(&quick_x) && (10..=12).contains(&slow_x),
        "{quick_x} {slow_x}"
    );
    app.world_mut()
        .get_mut::<Walker>(slow)
        .expect("there")
        .holds = true;
    ticks(&mut app, 3);
    let held = cell(&app, slow);
    ticks(&mut app, 10);
    assert_eq!(
        (cell(&app, slow), look(&app, slow).status()),
        (held, WalkerStatus::Holding)
    );
    app.world_mut()
        .get_mut::<Walker>(slow)
        .expect("there")
        .holds = false;
    ticks(&mut app, 100);
    assert_eq!(cell(&app, slow), (39, 0));
}

#[derive(Resource, Default)]
struct Seen(Vec<Entity>);

#[test]
fn events_reach_observers_of_one_and_of_all() {
    let (mut app, _) = on_map(NavMap::new(open(20)));
    app.init_resource::<Seen>();
    app.add_observer(|event: On<Arrived>, mut seen: ResMut<Seen>| seen.0.push(event.entity));
    let first = walker(&mut app, (0, 0), (5, 0));
    let second = walker(&mut app, (0, 5), (9, 5));
    app.world_mut().entity_mut(second).observe(
        |event: On<Arrived>, mut goals: Query<&mut Goal>| {
            assert_eq!(event.cell, UVec2::new(9, 5));
            *goals.get_mut(event.entity).expect("a walker") = Goal::Cell(UVec2::new(0, 0));
        },
    );
    ticks(&mut app, 12);
    assert_eq!(app.world().resource::<Seen>().0, [first, second]);
    // Its cell becomes a wall, and opens again.
    let rock = app.world_mut().spawn((Obstacle::default(), at(5, 0))).id();
    let blocked = told_in::<Blocked>(&mut app, 2);
    assert_eq!(blocked, [Blocked { entity: first }]);
    app.world_mut().despawn(rock);
    assert_eq!(told_in::<Freed>(&mut app, 2), [Freed { entity: first }]);
}

#[test]
fn those_who_wait_long_are_told_of() {
    // A corridor that somebody stands in.
    let level = Map::from_fn(20, 3, |p| p.y == 1).expect("a map");
    let (mut app, _) = on_map(NavMap::new(level).exclusive());
    let stone = (Walker::holding(), at(10, 1));
    app.world_mut().spawn(stone);
    let entity = walker(&mut app, (0, 1), (19, 1));
    // It steps back and comes again: that is no news.
    let told = told_in::<Waiting>(&mut app, 100);
    let here = UVec2::new(9, 1);
    assert_eq!(told, [Waiting { entity, cell: here }]);
    // Sent again, it waits again.
    send(&mut app, entity, Goal::Cell(UVec2::new(18, 1)));
    assert_eq!(told_in::<Waiting>(&mut app, 100), told);
    // Away, and back.
    send(&mut app, entity, Goal::Cell(UVec2::new(2, 1)));
    assert_eq!(told_in::<Waiting>(&mut app, 20), []);
    send(&mut app, entity, Goal::Cell(UVec2::new(18, 1)));
    assert_eq!(told_in::<Waiting>(&mut app, 100), told);
    app.world_mut().resource_mut::<NavSettings>().waiting_ticks = 0;
    send(&mut app, entity, Goal::Cell(UVec2::new(19, 1)));
    assert_eq!(told_in::<Waiting>(&mut app, 100), [], "not asked for");
}

/// The plans that 1,200 walkers make in eight ticks, on so many maps, with so many types of walkers each. The first ticks, in which crowds
/// find out what a plan costs, are left out.
fn plans_in_eight_ticks(maps: usize, types: usize) -> u64 {
    let level = noise(120, 4);
    let mut app = app();
    let profile = |i: usize| NavProfile::new(format!("type {i}"), 1);
    let maps: Vec<Entity> = (0..maps)
        .map(|_| {
            let map = NavMap::new(map_of(&level));
            let map = (1..types).fold(map, |map, i| map.with_profile(profile(i)));
            app.world_mut().spawn(map).id()
        })
        .collect();
    for &map in &maps {
        wait_until_ready(&mut app, map);
    }
    app.world_mut()
        .resource_mut::<NavSettings>()
        .plan_operations = 500_000;
    let mut rng = waypost_testkit::TestRng::new(2);
    for i in 0..1_200 {
        let mut cell = || level.random_open_cell(&mut rng).expect("open");
        let (from, goal) = (cell(), cell());
        let entity = walker(&mut app, from, goal);
        let mut entity = app.world_mut().entity_mut(entity);
        entity.insert(InMap(maps[i % maps.len()]));
        match i / maps.len() % types {
            0 => {}
            other => _ = entity.insert(profile(other)),
        }
    }
    let mut plans = 0;
    ticks(&mut app, 3);
    for _ in 0..8 {
        ticks(&mut app, 1);
        let counts = maps.iter().map(|&map| {
            let map = app.world().get::<NavMap>(map).expect("a map");
            map.last_tick().set_up
        });
        plans += counts.sum::<u64>();
    }
    plans
}

#[test]
fn one_budget_for_all_maps_and_profiles() {
    let one = plans_in_eight_ticks(1, 1);
    let six = plans_in_eight_ticks(3, 2);
    assert!((50..1_000).contains(&one), "{one} plans in eight ticks");
    // In each crowd at least one walker plans in a tick. With a budget for each there would be six times as many.
    assert!(
        six >= one / 2 && six <= one + one / 3 + 48,
        "{six} plans in eight ticks by six crowds, {one} by one"
    );
}

#[test]
fn transforms_lie_between_ticks() {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        WaypostPlugin::default(),
    ));
    app.insert_resource(Time::<Fixed>::from_hz(10.0));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(
        25,
    )));
    let map = NavMap::new(open(30)).with_transform(GridTransform::ground(Vec3::ZERO, 2.0));
    let map = app.world_mut().spawn(map).id();
    wait_until_ready(&mut app, map);
    let start = Transform::from_xyz(1.0, 5.0, 1.0);
    let goal = Goal::Cell(UVec2::new(20, 0));
    let entity = app.world_mut().spawn((Walker::default(), start, goal)).id();
    let frames = |app: &mut App, count: u32| (0..count).for_each(|_| app.update());
    frames(&mut app, 8);
    let mut before = position(&app, entity);
    for frame in 0..40 {
        app.update();
        let now = position(&app, entity);
        let step = now - before;
        assert!(
            (step.x - 0.5).abs() < 1e-3,
            "frame {frame}: a quarter of a cell, not {step}"
        );
        assert_eq!((now.y, now.z), (5.0, 1.0));
        before = now;
    }
    frames(&mut app, 200);
    assert_eq!(position(&app, entity), Vec3::new(41.0, 5.0, 1.0));
}

#[test]
fn another_schedule_ticks_every_frame() {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        WaypostPlugin::in_schedule(Update),
    ));
    let map = app.world_mut().spawn(NavMap::new(open(30))).id();
    wait_until_ready(&mut app, map);
    let entity = walker(&mut app, (0, 3), (20, 3));
    for x in 1..=20 {
        app.update();
        assert_eq!(position(&app, entity), at(x, 3).translation);
    }
    assert_eq!(look(&app, entity).heading(), bevy_math::IVec2::X);
}
