//! The front door, as a game uses it: patches by value and whole layers, fields, groups, files with options, doors beside walls that
//! open, and everything as tasks of one pool of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use waypost::prelude::*;

const WATER: &str = "
..........
..~~~~~~..
..~~~~~~..
.......~..
..........";

fn water_world() -> (Navigator, Navigator) {
    let map = Map::from_text(WATER, |letter| match letter {
        '~' => Tile::Ground("water", 1.0),
        _ => Tile::Free,
    });
    // Walkers cannot swim: to the first type water is a wall.
    let footings = Footings::parse("water=#").expect("a legal text");
    let map = map.and_then(|map| Ok(map.with_footings(&footings)?));
    let nav = Navigator::build(map.expect("a legal map")).expect("a small map");
    let boat = UnitType::new("boat").blocked("free").factor("water", 1.0);
    let boat = nav.add_unit_type(boat.expect("a legal factor"));
    (nav, boat.expect("a new name"))
}

#[test]
fn a_layer_that_is_the_map_changes_nothing_to_anybody() {
    let (nav, boat) = water_world();
    let before = boat.distance((2, 1), (7, 3)).expect("water all the way");
    let layer = nav.map().grid().clone();
    assert_eq!(nav.patch(Patch::new().layer(&layer)), 0);
    assert_eq!(boat.distance((2, 1), (7, 3)).ok(), Some(before));
    assert!(!nav.is_free((3, 1)) && boat.is_free((3, 1)));
    // A dam is a wall to boats; the layer does not know of it and leaves it.
    nav.patch(Patch::new().block_rect((5, 1), (1, 2)));
    assert!(boat.path((2, 1), (7, 3)).is_err());
    nav.patch(Patch::new().layer(&layer));
    assert!(boat.path((2, 1), (7, 3)).is_err());
    // A bridge, and the level as it was.
    nav.patch(Patch::new().open_rect((5, 1), (1, 2)));
    assert!(nav.is_free((5, 1)) && boat.is_free((5, 1)));
    nav.patch(Patch::new().layer(&layer));
    assert!(!nav.is_free((5, 1)));
    assert_eq!(boat.distance((2, 1), (7, 3)).ok(), Some(before));
    // A type that comes late sees the same, and so does a fork.
    let fork = nav.fork().expect("a small map");
    let fork = fork.for_unit("boat").expect("it has them");
    assert_eq!(fork.distance((2, 1), (7, 3)).ok(), Some(before));
}

#[test]
fn a_layer_opens_and_blocks_what_differs() {
    let nav = Navigator::build(Map::from_fn(20, 9, |p| p.x != 10).expect("legal")).expect("small");
    let layer = Grid::from_fn(20, 9, |p| p.x != 10 || p.y == 4).expect("legal");
    assert_eq!(nav.patch(Patch::new().layer(&layer).block((0, 0))), 2);
    assert!(nav.path((1, 1), (19, 8)).is_ok() && !nav.is_free((0, 0)));
}

#[test]
fn patches_are_built_by_value_and_in_place() {
    let chained = Patch::new().block((1, 2)).open_rect((3, 4), (2, 1));
    let mut placed = Patch::new();
    placed.set((1, 2), false);
    placed.set_rect((3, 4), (2, 1), true);
    assert_eq!(chained, placed);
    let points = [(5, 5), (6, 5)].map(Point::from);
    let listed = Patch::new().open_all(points).block_all(points);
    assert_eq!(listed.edits().len(), 4);
}

/// Two halves of a map that a wall parts, with a closet of six cells at the right.
fn halves() -> Navigator {
    let map = Map::from_fn(41, 21, |p| {
        p.x != 20 && (p.x != 37 || p.y > 2) && (p.y != 2 || p.x < 38)
    });
    Navigator::build(map.expect("a legal size")).expect("a small map")
}

#[test]
fn a_group_goes_as_near_as_each_can_and_says_who_cannot() {
    for exclusive in [false, true] {
        let options = CrowdOptions {
            exclusive,
            ..CrowdOptions::default()
        };
        let mut crowd = halves().crowd(options).expect("the default method");
        let mut spawn = |x, y| crowd.spawn((x, y)).expect("free");
        let left: Vec<_> = (0..6).map(|i| spawn(3, 3 + i)).collect();
        let right: Vec<_> = (0..6).map(|i| spawn(30, 10 + i)).collect();
        let locked: Vec<_> = (0..6).map(|i| spawn(38 + i % 3, i / 3)).collect();
        let all = [&left[..], &right, &locked].concat();
        // The first cannot reach it, others can.
        let cannot = crowd.send_group(&all, (25, 10), Formation::Close);
        let mut expected = [&left[..], &locked].concat();
        expected.sort();
        assert_eq!(cannot.expect("inside"), expected);
        for _ in 0..300 {
            crowd.tick();
        }
        assert!(crowd.all_arrived(), "exclusive {exclusive}");
        let mut places: Vec<Point> = crowd.units().map(|unit| unit.position()).collect();
        places.sort_by_key(|p| (p.y, p.x));
        places.dedup();
        assert_eq!(places.len(), 18, "each has a cell of its own");
        let near = |unit: &UnitId, place: (u32, u32), most: u32| {
            let at = crowd.position(*unit).expect("there");
            let (dx, dy) = at.distances(place.into());
            dx.max(dy) <= most
        };
        assert!(left.iter().all(|unit| near(unit, (19, 10), 3)));
        assert!(right.iter().all(|unit| near(unit, (25, 10), 3)));
        // A place where nobody can go is gone to as near as can be.
        let cannot = crowd.send_group(&right, (39, 0), Formation::Kept);
        assert_eq!(cannot.expect("inside"), right);
        assert!(crowd.send_group(&right, (99, 0), Formation::Close).is_err());
    }
}

#[test]
fn a_walled_in_unit_does_not_keep_its_group() {
    let nav = halves();
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("default");
    let units: Vec<_> = (0..3)
        .map(|i| crowd.spawn((3 + i, 3)).expect("free"))
        .collect();
    crowd.patch(Patch::new().block((3, 3)));
    // To a wall, and to a floor.
    for place in [(20, 10), (10, 10)] {
        let cannot = crowd.send_group(&units, place, Formation::Close);
        assert_eq!(cannot.expect("inside"), units[..1]);
        for _ in 0..60 {
            crowd.tick();
        }
        for &unit in &units[1..] {
            let (dx, dy) = crowd.position(unit).expect("there").distances(place.into());
            assert!(dx <= 2 && dy <= 2, "{place:?}");
        }
    }
}

#[test]
fn fields_agree_with_distances() {
    let nav = Navigator::build(Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7).expect("legal"));
    let nav = nav.expect("small");
    let places = [(3, 4), (35, 28), (20, 3)].map(Point::from); // the last one is a wall
    let field = nav.field(places);
    for at in [(0, 0), (19, 29), (39, 0), (20, 7)] {
        let nearest = nav.path_to_nearest(at, &places).expect("a way").1.length();
        let value = field.value(at).expect("a way");
        assert!((value - nearest).abs() < 1e-3 * nearest, "{at:?}");
        let steps = nav.path_to_nearest(at, &places).expect("a way").1.steps() as u32;
        assert!(places.contains(&field.walk(at, steps)));
    }
    assert_eq!(field.value((20, 3)), None);
    assert_eq!(field.next((3, 4)), None);
    let weighted = nav.weighted_field([((3, 4), 5.0), ((4, 4), 0.0)]);
    assert_eq!(weighted.value((3, 4)), Some(1.0));
    assert!(field.is_current(&nav));
    nav.patch(Patch::new().block((0, 0)));
    assert!(!field.is_current(&nav));
}

#[test]
fn files_are_opened_with_limits_threads_and_more_types() {
    let map = Map::from_fn(64, 64, |p| p.x % 9 != 4 || p.y % 7 > 4).expect("legal");
    let file = Navigator::build(map.clone()).and_then(|nav| nav.save());
    let file = file.expect("a small map");
    let open = |options| Navigator::open_with(map.clone(), file.clone(), options);
    let tank = || UnitType::new("tank").size(2);
    let nav = open(BuildOptions::default().threads(2).unit_type(tank())).expect("its own map");
    let names: Vec<String> = nav.unit_types().iter().map(|t| t.name().into()).collect();
    assert_eq!(names, ["unit", "tank"]);
    let tanks = nav.for_unit("tank").expect("it has them");
    let built = BuildOptions::default().unit_type(tank());
    let built = Navigator::build_with(map.clone(), built).expect("a small map");
    assert_eq!(built.save().expect("built"), nav.save().expect("opened"));
    assert!(tanks.path((0, 0), (60, 60)).is_ok());
    // The file has a tank by now, and not a larger one.
    let file = nav.save().expect("opened");
    let again = Navigator::open_with(
        map.clone(),
        file.clone(),
        BuildOptions::default().unit_type(tank()),
    );
    assert_eq!(again.expect("the same").unit_types().len(), 2);
    let larger = BuildOptions::default().unit_type(tank().size(3));
    let refused = Navigator::open_with(map.clone(), file, larger).err();
    assert!(refused.is_some_and(|error| error.to_string().contains("tank")));
    let refused = open(BuildOptions::default().max_bytes(100)).err();
    assert!(refused.is_some_and(|error| error.to_string().contains("at most 100")));
}

/// A wall with a door of one cell; the wall beside it may be opened.
fn door_world() -> (Navigator, Navigator) {
    let map = Map::from_fn(30, 20, |p| p.x != 15 || p.y == 18 || p.y == 19).expect("legal");
    let nav = Navigator::build(map.and_doors([(15, 7)])).expect("a small map");
    let tank = nav.add_unit_type(UnitType::new("tank").size(2));
    (nav, tank.expect("a new name"))
}

fn is_stale(nav: &Navigator) -> bool {
    let states = nav.index_states();
    states
        .iter()
        .any(|(_, _, state)| *state == IndexState::Stale)
}

fn renew(nav: &Navigator) {
    for job in nav.rebuild_jobs() {
        job.run(&NoProgress);
    }
    while nav
        .index_states()
        .iter()
        .any(|state| state.2 != IndexState::Current)
    {
        nav.advance(u64::MAX / 2);
    }
}

fn doors_of(nav: &Navigator) -> Vec<Point> {
    let map = nav.map();
    let cells = map.doors().into_iter().flat_map(|doors| doors.cells());
    cells.map(|cell| map.grid().point(cell)).collect()
}

#[test]
fn a_door_beside_which_a_wall_was_opened_makes_no_index_stale() {
    let (nav, tank) = door_world();
    let round = tank.distance((5, 7), (25, 7)).expect("round the wall");
    // The wall opens while the door is closed: that is what the index of tanks has to learn, and nothing else.
    nav.patch(Patch::new().open((15, 8)));
    assert_eq!(tank.distance((5, 7), (25, 7)).ok(), Some(round));
    renew(&nav);
    for open in [true, false, true, false] {
        nav.set_door((15, 7), open).expect("a door");
        assert!(!is_stale(&nav), "open: {open}");
        let found = tank.distance((5, 7), (25, 7)).expect("a way");
        assert_eq!(found < round, open);
        nav.advance(1_000_000);
    }
    // The wall is closed again: for tanks there is no door any more.
    nav.patch(Patch::new().block((15, 8)));
    assert!(doors_of(&tank).is_empty());
    nav.set_door((15, 7), true).expect("a door");
    assert_eq!(tank.distance((5, 7), (25, 7)).ok(), Some(round));
}

#[test]
fn doors_of_larger_units_follow_from_the_walls_around_them() {
    let (nav, tank) = door_world();
    let mut crowd = tank.crowd(CrowdOptions::default()).expect("default");
    let walker = crowd.spawn((3, 7)).expect("room");
    crowd.send(walker, (25, 7)).expect("inside");
    let start = crowd.snapshot().expect("all indexes are current");
    let mut state = 7u32;
    let mut random = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let mut middle = None;
    for round in 0..60 {
        let at = (13 + random(5), 5 + random(5));
        let mut patch = Patch::new();
        patch.set(at, random(3) > 0);
        nav.patch(&patch);
        nav.set_door((15, 7), random(2) == 0).expect("a door");
        let fresh = Navigator::build(Map::clone(&nav.map())).expect("a small map");
        let fresh = fresh.add_unit_type(UnitType::new("tank").size(2));
        let fresh = fresh.expect("a new name");
        assert_eq!(doors_of(&tank), doors_of(&fresh), "round {round}");
        assert_eq!(
            tank.map().file_fingerprint(),
            fresh.map().file_fingerprint()
        );
        let fork = nav.fork().and_then(|fork| fork.for_unit("tank"));
        assert_eq!(doors_of(&tank), doors_of(&fork.expect("a small map")));
        let (a, b) = (
            tank.distance((3, 3), (25, 15)),
            fresh.distance((3, 3), (25, 15)),
        );
        assert_eq!(a.ok(), b.ok(), "round {round}");
        crowd.tick();
        if round == 30 {
            middle = crowd.snapshot().ok().map(|then| (then, doors_of(&tank)));
        }
    }
    let (then, doors) = middle.expect("patches are few");
    for snapshot in [
        &then,
        &CrowdSnapshot::from_bytes(&then.to_bytes()).expect("its own bytes"),
    ] {
        crowd.restore(snapshot).expect("its own snapshot");
        assert_eq!(doors_of(&tank), doors);
        crowd.restore(&start).expect("its own snapshot");
        assert!(doors_of(&tank).is_empty());
        let fresh = door_world().1;
        assert_eq!(
            tank.map().file_fingerprint(),
            fresh.map().file_fingerprint()
        );
    }
}

/// Ticks, patches, paths, doors, forks and rebuilds are tasks of one pool of two threads: while a thread waits for its part of a
/// tick it takes up a patch, which must not wait for the tick.
#[test]
fn all_calls_may_be_tasks_of_one_pool() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("two threads");
    let map = Map::from_fn(96, 96, |p| p.x % 12 != 5 || p.y % 9 > 3).expect("legal");
    let nav = Navigator::build(map.and_doors([(5, 4), (17, 4)])).expect("small");
    nav.add_unit_type(UnitType::new("tank").size(2))
        .expect("a new name");
    let mut crowds: Vec<Crowd> = (0..2)
        .map(|i| {
            let mut crowd = nav.crowd(CrowdOptions::default()).expect("default");
            let free = |k: u32| (k * 7 % 96, k * 13 % 96);
            for (k, place) in (0..4_000)
                .map(|k| (k, free(k)))
                .filter(|p| nav.is_free(p.1))
            {
                let unit = crowd.spawn(place).expect("free");
                let goal = nav.nearest_reachable(place, free(k * 3 + i)).expect("free");
                crowd.send(unit, goal).expect("inside");
            }
            crowd
        })
        .collect();
    let failures = Mutex::new(Vec::new());
    let fail = |what: String| failures.lock().expect("no panic").push(what);
    for round in 0..60u32 {
        pool.scope(|scope| {
            for crowd in &mut crowds {
                scope.spawn(|_| _ = crowd.tick());
            }
            let (nav, fail) = (&nav, &fail);
            for i in 0..6 {
                scope.spawn(move |_| {
                    let at = (12 * i + 5, round * 5 % 96);
                    nav.patch(Patch::new().open(at).block((40 + i, round % 96)));
                    nav.patch(Patch::new().open((40 + i, round % 96)));
                });
            }
            scope.spawn(move |_| {
                let path = nav.path((0, 0), (95, 95));
                if let Err(error) = path
                    && !nav.stays_connected(Patch::new(), &[((0, 0).into(), (95, 95).into())])
                {
                    fail(error.to_string());
                }
            });
            scope.spawn(move |_| _ = nav.set_door((5, 4), round % 2 == 0));
            scope.spawn(move |_| {
                _ = nav.paths_between(50, |i| ((0, 0).into(), (i as u32, 95).into()))
            });
            if round % 10 == 3 {
                scope.spawn(move |_| {
                    _ = nav
                        .fork()
                        .map(|fork| fork.patch(Patch::new().block((3, 3))))
                });
                for job in nav.rebuild_jobs() {
                    scope.spawn(move |_| job.run(&NoProgress));
                }
            }
        });
    }
    let failures = failures.into_inner().expect("no panic");
    assert!(failures.is_empty(), "{failures:?}");
    // What was raced for is one world: both crowds and a fresh build see the same map.
    for crowd in &crowds {
        assert_eq!(
            crowd.navigator().map().fingerprint(),
            nav.map().fingerprint()
        );
    }
}

/// One half of a batch of plans takes much longer than the other: the thread that has made its half waits for the other one, and takes up patches
/// meanwhile. With a lock held over the tick it would wait for itself.
#[test]
fn a_thread_that_waits_for_its_part_of_a_tick_may_be_given_a_patch() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("two threads");
    let map = Map::from_fn(600, 600, |p| p.x % 12 != 5 || p.y % 290 > 283).expect("legal");
    let nav = Navigator::build(map).expect("it builds");
    let options = CrowdOptions {
        plan_operations: 1 << 40,
        method: "astar".to_string(),
        ..CrowdOptions::default()
    };
    let mut crowd = nav.crowd(options).expect("a known method");
    let units = (0..64).map(|y| crowd.spawn((0, y)).expect("free"));
    let units: Vec<UnitId> = units.collect();
    for round in 0..3 {
        for (y, &unit) in (0..).zip(&units) {
            let goal = match y < 32 {
                true => (150 + round, y),
                false => (590 + round, 599 - y),
            };
            crowd.send(unit, goal).expect("inside");
        }
        let is_over = AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                pool.install(|| _ = crowd.tick());
                is_over.store(true, Ordering::Release);
            });
            for i in 0.. {
                if is_over.load(Ordering::Acquire) {
                    break;
                }
                let (nav, at) = (nav.clone(), (150, 100 + i % 7));
                pool.spawn(move || {
                    nav.patch(Patch::new().block(at));
                    nav.patch(Patch::new().open(at));
                });
                // Some come while both threads plan.
                std::thread::sleep(Duration::from_millis(2));
            }
        });
    }
}
