//! Several types of walkers on one map.

use crate::stage::*;
use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::UVec2;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_waypost::prelude::*;
use waypost_testkit::TestRng;

/// Ten walkers of two types that the map was not made with, the first of which takes longer to build. The game sends whoever arrives to a place drawn
/// at random, in the order of the messages.
fn walk(threads: usize) -> String {
    let mut app = App::new();
    let pools = TaskPoolPlugin {
        task_pool_options: TaskPoolOptions::with_num_threads(threads),
    };
    app.add_plugins((pools, TimePlugin, WaypostPlugin::default()));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.update();
    let level = noise(600, 31);
    let is_open = |x, y| x >= 600 || level.is_open_at((x, y));
    let map = Map::from_fn(640, 600, |p| is_open(p.x, p.y)).expect("a map");
    let map = app.world_mut().spawn(NavMap::new(map)).id();
    wait_until_ready(&mut app, map);
    let around = |x, y| Goal::Within {
        cell: UVec2::new(x, y),
        cells: 12,
    };
    let mut crowd = Vec::new();
    for i in 0..10 {
        let (x, y) = (610, 10 + 12 * i);
        let profile = match i % 2 {
            0 => NavProfile::new("small", 2),
            _ => NavProfile::new("huge", 10),
        };
        let one = (Walker::default(), at(x, y), around(x, y), profile);
        crowd.push(app.world_mut().spawn(one).id());
    }
    let map_of = |world: &World| -> (usize, u64) {
        let map = world.get::<NavMap>(map).expect("a map");
        assert_eq!(map.error(), None);
        (map.walkers(), map.ticks())
    };
    wait_until(&mut app, |world| map_of(world).0 == 10);
    let mut rng = TestRng::new(4);
    let mut order = Vec::new();
    let end = map_of(app.world()).1 + 200;
    while map_of(app.world()).1 < end {
        for news in read::<Arrived>(&mut app) {
            order.push(crowd.iter().position(|&e| e == news.entity));
            let goal = around(605 + rng.below(20), rng.below(580));
            send(&mut app, news.entity, goal);
        }
        app.update();
    }
    let cells: Vec<_> = crowd.iter().map(|&one| cell(&app, one)).collect();
    let states = nav_map(&mut app, map).index_states();
    let mut names: Vec<_> = states.into_iter().map(|(name, ..)| name).collect();
    names.dedup();
    format!("{order:?} {cells:?} {names:?}")
}

#[test]
fn walk_in_a_process() {
    if let Ok(threads) = std::env::var(PART) {
        println!("walk {}", walk(threads.parse().expect("a number")));
    }
}

#[test]
fn types_come_in_the_order_in_which_they_were_asked_for() {
    let walk = |threads: &str| {
        let text = in_its_own_process("types::walk_in_a_process", threads, threads);
        let line = text.lines().find_map(|line| line.split_once("walk "));
        line.expect("a walk").1.to_string()
    };
    let first = walk("1");
    assert!(first.contains(r#"["unit", "small", "huge"]"#), "{first}");
    for threads in ["1", "4", "16"] {
        assert_eq!(walk(threads), first, "{threads} threads");
    }
}

#[test]
fn types_do_not_keep_apart_from_each_other() {
    let scout = NavProfile::new("scout", 1);
    let map = NavMap::new(open(30, 3)).exclusive();
    let (mut app, _) = on_map(map.with_profile(scout.clone()));
    let guard = walker(&mut app, (15, 1), (15, 1));
    let second = walker(&mut app, (15, 1), (14, 1));
    let other = walker(&mut app, (15, 1), (15, 1));
    app.world_mut().entity_mut(other).insert(scout);
    ticks(&mut app, 5);
    assert_eq!(cell(&app, guard), cell(&app, other), "as the guide says");
    assert_ne!(cell(&app, guard), cell(&app, second));
}
