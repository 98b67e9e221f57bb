//! The same calls give the same walks: in every run, on any number of threads.

use crate::stage::*;
use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::{UVec2, Vec3};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use bevy_waypost::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use waypost_testkit::{TestMap, TestRng};

/// Walkers of two sizes under moving obstacles, patches that make the index stale, and a map that is swapped. Everything is done
/// at ticks of the map, not at frames: how many frames a build takes depends on the machine.
fn digest(threads: usize) -> u64 {
    let mut app = App::new();
    let pools = TaskPoolPlugin {
        task_pool_options: TaskPoolOptions::with_num_threads(threads),
    };
    app.add_plugins((pools, TimePlugin, WaypostPlugin::default()));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.update();
    let levels = [noise(120, 31), noise(140, 32)];
    let map = app.world_mut().spawn(NavMap::new(map_of(&levels[0]))).id();
    wait_until_ready(&mut app, map);
    let mut rng = TestRng::new(77);
    let crowd = spawn_all(&mut app, &levels[0], &mut rng);
    let obstacles: Vec<Entity> = (0..10)
        .map(|_| {
            let place = at(rng.below(120), rng.below(120));
            app.world_mut()
                .spawn((Obstacle::rectangle(3.0, 2.0), place))
                .id()
        })
        .collect();
    let mut state = DefaultHasher::new();
    for step in 0..1_500 {
        let now = ticks(&app, map);
        if step % 10 == 0 {
            let one = obstacles[rng.below(10) as usize];
            let place = at(rng.below(120), rng.below(120));
            *app.world_mut().get_mut::<Transform>(one).expect("there") = place;
        }
        if step % 40 == 7 {
            let corner = (rng.below(110), rng.below(110));
            let mut nav_map = app.world_mut().get_mut::<NavMap>(map).expect("a map");
            match step % 80 < 40 {
                true => nav_map.patch(Patch::new().open_rect(corner, (6, 6))),
                false => nav_map.patch(Patch::new().block_rect(corner, (2, 3))),
            };
        }
        if step == 800 {
            let next = map_of(&levels[1]);
            app.world_mut()
                .get_mut::<NavMap>(map)
                .expect("a map")
                .replace(next);
        }
        // One more tick of the map, in however many frames.
        wait_until(&mut app, |world| {
            let ticks = world.get::<NavMap>(map).expect("a map").ticks();
            ticks == now + 1 || step >= 800 && ticks == 1 && now != 1
        });
        for &entity in &crowd {
            let walker = look(&app, entity);
            (walker.cell(), walker.status() as u8).hash(&mut state);
        }
        for news in read::<Arrived>(&mut app) {
            news.cell.hash(&mut state);
            let goal = UVec2::new(rng.below(120), rng.below(120));
            send(&mut app, news.entity, Goal::Cell(goal));
        }
        read::<bevy_waypost::IndexRenewed>(&mut app)
            .iter()
            .for_each(|news| news.late.hash(&mut state));
    }
    state.finish()
}

fn ticks(app: &App, map: Entity) -> u64 {
    app.world().get::<NavMap>(map).expect("a map").ticks()
}

fn spawn_all(app: &mut App, level: &TestMap, rng: &mut TestRng) -> Vec<Entity> {
    (0..400)
        .map(|i| {
            let mut cell = || level.random_open_cell(rng).expect("open");
            let (from, goal) = (cell(), cell());
            let entity = walker(app, from, goal);
            if i % 4 == 0 {
                // Its index is built when the first of them comes.
                app.world_mut()
                    .entity_mut(entity)
                    .insert(NavProfile::new("large", 2));
            }
            entity
        })
        .collect()
}

#[test]
fn digest_for_a_number_of_threads() {
    if let Ok(threads) = std::env::var(PART) {
        println!("digest {:016x}", digest(threads.parse().expect("a number")));
    }
}

#[test]
fn walks_do_not_depend_on_runs_or_threads() {
    let run = |threads: &str| {
        let test = "reproducible::digest_for_a_number_of_threads";
        let text = in_its_own_process(test, threads, threads);
        let mut digests = text.lines().filter_map(|line| line.split_once("digest "));
        digests.next().map(|(_, digest)| digest.to_string())
    };
    let first = run("1");
    assert!(first.is_some());
    for threads in ["1", "2", "4"] {
        assert_eq!(run(threads), first, "{threads} threads");
    }
}

#[test]
fn odd_positions_become_cells() {
    // Walkers whose position is no number, or far outside.
    let (mut app, _) = on_map(NavMap::new(Map::from_fn(9, 9, |p| p.x > 2).expect("a map")));
    let mut spawn = |x: f32| {
        let place = Transform::from_translation(Vec3::new(x, x, x));
        app.world_mut().spawn((Walker::default(), place)).id()
    };
    let odd = [
        spawn(f32::NAN),
        spawn(1e30),
        spawn(-1e30),
        spawn(f32::INFINITY),
    ];
    (0..3).for_each(|_| app.update());
    for entity in odd {
        assert!(look(&app, entity).map().is_some());
        assert!(position(&app, entity).truncate().is_finite());
    }
}
