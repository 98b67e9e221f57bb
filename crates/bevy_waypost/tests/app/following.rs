//! Goals that move, are written again and again, or lead nowhere.

use crate::stage::*;
use bevy_ecs::prelude::*;
use bevy_math::{UVec2, Vec2, Vec3};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use std::collections::BTreeSet;

fn follower(app: &mut bevy_app::App, from: (u32, u32), leader: Entity) -> Entity {
    let place = at(from.0, from.1);
    app.world_mut()
        .spawn((Walker::default(), place, Goal::Follow(leader)))
        .id()
}

#[test]
fn leaders_are_not_lost() {
    let map = NavMap::new(open(60, 20)).with_profile(NavProfile::new("cart", 2));
    let (mut app, _) = on_map(map);
    let changes: [fn(&mut bevy_app::App, Entity); 4] = [
        |app, leader| {
            let cart = NavProfile::new("cart", 2);
            app.world_mut().entity_mut(leader).insert(cart);
        },
        |app, leader| {
            let other = Walker::slow(1);
            app.world_mut().entity_mut(leader).insert(other);
        },
        |app, leader| *app.world_mut().get_mut(leader).expect("there") = Walker::default(),
        |app, leader| {
            app.world_mut().entity_mut(leader).remove::<Walker>();
        },
    ];
    for (way, change) in changes.iter().enumerate() {
        let leader = walker(&mut app, (5, 5), (5, 5));
        let entity = follower(&mut app, (1, 5), leader);
        ticks(&mut app, 10);
        assert_eq!(cell(&app, entity), (5, 5));
        change(&mut app, leader);
        ticks(&mut app, 3);
        send(&mut app, leader, Goal::Cell(UVec2::new(40, 5)));
        if way == 3 {
            *app.world_mut().get_mut(leader).expect("there") = at(40, 5);
        }
        ticks(&mut app, 60);
        assert_eq!(cell(&app, entity), (40, 5), "way {way}");
        app.world_mut().despawn(leader);
        app.world_mut().despawn(entity);
    }
}

#[test]
fn leaders_below_other_entities_and_on_other_maps() {
    let (mut app, first) = on_map(NavMap::new(open(60, 20)));
    let ship = Transform::from_xyz(40.0, 0.0, 0.0);
    let ship = app.world_mut().spawn(ship).id();
    let flag = app.world_mut().spawn((at(5, 5), ChildOf(ship))).id();
    let entity = follower(&mut app, (1, 5), flag);
    ticks(&mut app, 60);
    assert_eq!(cell(&app, entity), (45, 5));
    // A leader on a map whose cells lie elsewhere.
    let aside = GridTransform::flat(Vec2::new(30.0, 0.0), 1.0);
    let second = NavMap::new(open(60, 20)).with_transform(aside);
    let second = app.world_mut().spawn(second).id();
    wait_until_ready(&mut app, second);
    let place = Transform::from_xyz(52.5, -9.5, 0.0);
    let leader = (Walker::default(), place, InMap(second));
    let leader = app.world_mut().spawn(leader).id();
    send(&mut app, entity, Goal::Follow(leader));
    ticks(&mut app, 30);
    assert_eq!(cell(&app, leader), (22, 9));
    assert_eq!(position(&app, entity), position(&app, leader));
    // It comes over.
    app.world_mut().entity_mut(leader).insert(InMap(first));
    ticks(&mut app, 2);
    send(&mut app, leader, Goal::Cell(UVec2::new(2, 18)));
    ticks(&mut app, 80);
    assert_eq!((cell(&app, leader), cell(&app, entity)), ((2, 18), (2, 18)));
}

#[test]
fn there_is_no_arriving_at_who_is_beyond_a_wall() {
    let level = Map::from_fn(20, 20, |p| p.x != 10).expect("a map");
    let (mut app, map) = on_map(NavMap::new(level));
    let thing = app.world_mut().spawn(at(15, 5)).id();
    let entity = follower(&mut app, (2, 5), thing);
    let (mut arrived, mut unreachable) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        ticks(&mut app, 1);
        arrived.extend(read::<Arrived>(&mut app));
        unreachable.extend(read::<Unreachable>(&mut app));
    }
    let nearest = Some(UVec2::new(9, 5));
    assert_eq!(arrived, []);
    assert_eq!(unreachable, [Unreachable { entity, nearest }]);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Unreachable);
    // The wall opens.
    nav_map(&mut app, map).patch(Patch::new().open((10, 5)));
    let told = told_in::<Arrived>(&mut app, 20);
    assert_eq!(told.len(), 1);
    assert_eq!(cell(&app, entity), (15, 5));
    assert!(look(&app, entity).has_arrived());
}

#[test]
fn who_is_sent_nowhere_has_not_arrived() {
    let (mut app, _) = on_map(NavMap::new(open(60, 20)));
    let entity = walker(&mut app, (5, 5), (9, 5));
    ticks(&mut app, 10);
    assert!(look(&app, entity).has_arrived());
    let dead = app.world_mut().spawn_empty().id();
    app.world_mut().despawn(dead);
    for nowhere in [
        Goal::Position(Vec3::new(-50.0, 0.0, 0.0)),
        Goal::Cell(UVec2::new(500, 5)),
        Goal::Follow(dead),
        Goal::Position(Vec3::NAN),
    ] {
        send(&mut app, entity, nowhere);
        assert_eq!(told_in::<Unreachable>(&mut app, 3).len(), 1, "{nowhere:?}");
        let status = look(&app, entity).status();
        assert_eq!(status, WalkerStatus::Unreachable, "{nowhere:?}");
    }
    send(&mut app, entity, Goal::Cell(UVec2::new(20, 5)));
    ticks(&mut app, 3);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Moving);
    send(&mut app, entity, Goal::Position(Vec3::new(-50.0, 0.0, 0.0)));
    ticks(&mut app, 3);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Unreachable);
    send(&mut app, entity, Goal::None);
    ticks(&mut app, 1);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Idle);
}

#[test]
fn a_goal_that_is_taken_away_is_none() {
    let (mut app, _) = on_map(NavMap::new(open(60, 20)));
    let entity = walker(&mut app, (5, 5), (50, 5));
    ticks(&mut app, 5);
    app.world_mut().entity_mut(entity).remove::<Goal>();
    let here = cell(&app, entity);
    ticks(&mut app, 5);
    assert_eq!(cell(&app, entity), here);
    assert_eq!(look(&app, entity).status(), WalkerStatus::Idle);
    let goal = Goal::Cell(UVec2::new(50, 5));
    app.world_mut().entity_mut(entity).insert(goal);
    ticks(&mut app, 50);
    assert_eq!(cell(&app, entity), (50, 5));
}

#[test]
fn the_same_goal_again_is_no_news() {
    let level = Map::from_fn(40, 20, |p| p.x != 30).expect("a map");
    let (mut app, _) = on_map(NavMap::new(level));
    for (goal, arrivals, failures) in [
        (Goal::Cell(UVec2::new(20, 5)), 1, 0),
        (Goal::Cell(UVec2::new(35, 5)), 0, 1),
        (Goal::Position(Vec3::new(-9.0, 0.0, 0.0)), 0, 1),
    ] {
        let entity = app.world_mut().spawn((Walker::default(), at(2, 5))).id();
        let (mut arrived, mut unreachable) = (0, 0);
        for _ in 0..40 {
            send(&mut app, entity, goal);
            ticks(&mut app, 1);
            arrived += read::<Arrived>(&mut app).len();
            unreachable += read::<Unreachable>(&mut app).len();
        }
        assert_eq!((arrived, unreachable), (arrivals, failures), "{goal:?}");
    }
}

#[test]
fn who_is_pushed_out_of_an_area_can_be_sent_back() {
    let corridor = Map::from_fn(30, 9, |p| p.y == 4).expect("a map");
    let (mut app, _) = on_map(NavMap::new(corridor).exclusive());
    let area = Goal::Area {
        corner: UVec2::new(10, 4),
        size: UVec2::new(2, 1),
    };
    let guard = (Walker::default(), at(14, 4), area);
    let guard = app.world_mut().spawn(guard).id();
    ticks(&mut app, 10);
    assert_eq!(cell(&app, guard), (11, 4));
    let other = walker(&mut app, (2, 4), (13, 4));
    // It comes back for a while.
    ticks(&mut app, 600);
    assert!(cell(&app, guard).0 > 13, "pushed away");
    app.world_mut().despawn(other);
    send(&mut app, guard, area);
    ticks(&mut app, 10);
    assert_eq!(cell(&app, guard), (11, 4));
    assert!(look(&app, guard).has_arrived());
}

/// How many of 300 walkers have arrived at some time in 900 ticks, if in every tick their goals are written, as many rows further down as this
/// says, where no wall is.
fn arrivals(write: impl Fn(u32) -> Option<u32>) -> usize {
    let level = noise(200, 3);
    let (mut app, _) = on_map(NavMap::new(map_of(&level)));
    let mut rng = waypost_testkit::TestRng::new(4);
    let crowd: Vec<(Entity, UVec2)> = (0..300)
        .map(|_| {
            let mut cell = || level.random_open_cell(&mut rng).expect("open");
            let (from, goal) = (cell(), cell());
            (walker(&mut app, from, goal), UVec2::new(goal.0, goal.1))
        })
        .collect();
    // So little that most wait for a plan for long.
    let mut settings = app.world_mut().resource_mut::<NavSettings>();
    settings.plan_operations = 60_000;
    let mut arrived = BTreeSet::new();
    for tick in 0..900 {
        for &(entity, goal) in &crowd {
            if let Some(rows) = write(tick) {
                let aside = goal + UVec2::new(0, rows);
                let is_open = aside.y < 200 && level.is_open_at(aside.into());
                let goal = if is_open { aside } else { goal };
                send(&mut app, entity, Goal::Cell(goal));
            }
        }
        ticks(&mut app, 1);
        arrived.extend(read::<Arrived>(&mut app).iter().map(|news| news.entity));
    }
    arrived.len()
}

#[test]
fn goals_written_in_every_tick_are_reached() {
    let once = arrivals(|_| None);
    let again = arrivals(|_| Some(0));
    let moving = arrivals(|tick| Some(tick % 2));
    assert!(once > 250, "{once} arrive at goals that are written once");
    assert_eq!(again, once, "written again with the same value");
    assert!(
        moving * 100 >= once * 98,
        "{moving} arrive at goals that move, not {once}"
    );
}
