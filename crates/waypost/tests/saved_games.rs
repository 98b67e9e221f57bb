//! Saved games and rollback at the door, whatever has become of indexes; what fails leaves all as it was.

use waypost::prelude::*;
use waypost::progress::NoProgress;

fn levels() -> [Map; 2] {
    let wall = |p: Point| p.x == 30 && p.y < 30;
    let plain = Map::from_fn(60, 40, |p| !wall(p)).expect("legal");
    let factor = |p: Point| (!wall(p)).then_some(if p.y > 35 { 2.0 } else { 1.0 });
    [plain, Map::from_factors(60, 40, factor).expect("in range")]
}

fn crowd(nav: &Navigator) -> Crowd {
    nav.crowd(CrowdOptions::default()).expect("a crowd")
}

/// Where everybody is in each of some ticks.
fn run(crowd: &mut Crowd, ticks: u32) -> Vec<Vec<Point>> {
    let places = |crowd: &mut Crowd| {
        crowd.tick();
        crowd.units().map(|unit| unit.position()).collect()
    };
    (0..ticks).map(|_| places(crowd)).collect()
}

#[test]
fn a_game_saved_after_a_rebuild_goes_on_in_a_fresh_world() {
    for (kind, level) in levels().into_iter().enumerate() {
        for later_patches in [0, 1, 3] {
            let nav = Navigator::build(level.clone()).expect("small");
            nav.add_unit_type(UnitType::new("tank").size(2))
                .expect("it fits");
            let file = nav.save().expect("indexes");
            let mut played = crowd(&nav);
            for y in 0..8 {
                let unit = played.spawn((2, 2 + y)).expect("free");
                played.send(unit, (57, 2 + y)).expect("on the map");
            }
            played.tick();
            played.patch(Patch::new().block_rect((10, 10), (3, 3)).open((30, 2)));
            for job in nav.rebuild_jobs() {
                job.run(&NoProgress);
            }
            for _ in 0..3 {
                played.tick();
                nav.advance(100_000_000);
            }
            for i in 0..later_patches {
                played.patch(Patch::new().block((40 + i, 8)));
                played.tick();
            }
            let saved = played.snapshot().expect("in step").to_bytes();
            let saved = CrowdSnapshot::from_bytes(&saved).expect("whole");
            let fresh = Navigator::open(level.clone(), file).expect("the same level");
            let mut again = crowd(&fresh);
            let what = format!("level {kind}, {later_patches} patches");
            again
                .restore(&saved)
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(fresh.index_states(), nav.index_states(), "{what}");
            assert_eq!(run(&mut again, 120), run(&mut played, 120), "{what}");
            assert_eq!(fresh.map().grid().words(), nav.map().grid().words());
        }
    }
}

#[test]
fn a_crowd_can_look_ahead_in_a_fork() {
    let [level, _] = levels();
    let nav = Navigator::build(level).expect("small");
    let mut real = crowd(&nav);
    let unit = real.spawn((2, 2)).expect("free");
    real.send(unit, (57, 2)).expect("on the map");
    real.patch(Patch::new().block((6, 6)));
    real.tick();
    let then = real.snapshot().expect("in step");
    let fork = nav.fork().expect("whole");
    let mut ahead = crowd(&fork);
    ahead.restore(&then).expect("an equal world");
    assert_eq!(run(&mut ahead, 80), run(&mut real, 80));
}

#[test]
fn a_snapshot_that_does_not_fit_changes_nothing() {
    let [level, _] = levels();
    let world = |tank: u32| {
        let nav = Navigator::build(level.clone()).expect("small");
        nav.add_unit_type(UnitType::new("tank").size(tank))
            .expect("it fits");
        nav
    };
    for with_tank in [false, true] {
        for from_bytes in [false, true] {
            let (nav, other) = (world(2), world(3));
            let mut crowds = [crowd(&nav), crowd(&other)];
            for crowd in &mut crowds {
                let unit = crowd.spawn((2, 2)).expect("free");
                crowd.send(unit, (57, 2)).expect("on the map");
                if with_tank {
                    crowd.spawn_type("tank", (3, 3)).expect("free");
                }
                crowd.tick();
            }
            let [mine, theirs] = crowds.each_mut();
            let mut then = mine.snapshot().expect("in step");
            if from_bytes {
                then = CrowdSnapshot::from_bytes(&then.to_bytes()).expect("whole");
            }
            theirs.patch(Patch::new().block_rect((40, 5), (5, 5)));
            run(theirs, 5);
            let seen = || {
                let tank = other.for_unit("tank").expect("known");
                [&other, &tank].map(|nav| nav.map().grid().words().to_vec())
            };
            let places = |crowd: &Crowd| {
                crowd
                    .units()
                    .map(|unit| unit.position())
                    .collect::<Vec<_>>()
            };
            let before = (places(theirs), seen());
            assert!(theirs.restore(&then).is_err());
            assert_eq!((places(theirs), seen()), before);
        }
    }
}

#[test]
fn a_unit_that_is_walled_in_goes_to_its_new_goal_when_it_is_freed() {
    for exclusive in [false, true] {
        let nav = Navigator::build(Map::from_fn(30, 12, |_| true).expect("legal")).expect("small");
        let options = CrowdOptions {
            exclusive,
            ..CrowdOptions::default()
        };
        let mut crowd = nav.crowd(options).expect("a crowd");
        let unit = crowd.spawn((8, 5)).expect("free");
        crowd.send(unit, (20, 5)).expect("on the map");
        (0..3).for_each(|_| _ = crowd.tick());
        let at = crowd.position(unit).expect("there");
        crowd.patch(Patch::new().block(at));
        let events: Vec<_> = crowd.tick().events().collect();
        assert_eq!(events, [Event::Blocked(unit)]);
        crowd.send(unit, (2, 2)).expect("on the map");
        assert_eq!(crowd.tick().events().count(), 0, "it is known");
        crowd.patch(Patch::new().open(at));
        let mut events = Vec::new();
        (0..40).for_each(|_| events.extend(crowd.tick().events()));
        assert_eq!(events, [Event::Freed(unit), Event::Arrived(unit)]);
        assert_eq!(crowd.position(unit).expect("there"), (2, 2).into());
    }
}

#[test]
fn a_group_that_gets_the_same_order_again_arrives_again() {
    let nav = Navigator::build(Map::from_fn(30, 12, |_| true).expect("legal")).expect("small");
    let mut crowd = crowd(&nav);
    let units = [0, 1, 2].map(|x| crowd.spawn((x, 5)).expect("free"));
    for _ in 0..2 {
        crowd
            .send_group(&units, (15, 5), Formation::Close)
            .expect("there");
        let mut arrived = 0;
        (0..40).for_each(|_| arrived += crowd.tick().events().count());
        assert_eq!(arrived, 3);
    }
}

/// A wall on a unit, and a snapshot before the next tick: it was refused as damaged, by the very crowd that had made it.
#[test]
fn a_unit_that_a_wall_has_just_come_upon_is_saved() {
    for exclusive in [false, true] {
        let nav = Navigator::build(levels()[0].clone()).expect("small");
        let options = CrowdOptions {
            exclusive,
            ..CrowdOptions::default()
        };
        let mut played = nav.crowd(options).expect("a crowd");
        for y in 0..8 {
            let unit = played.spawn((2, 2 + y)).expect("free");
            played.send(unit, (57, 2 + y)).expect("on the map");
        }
        run(&mut played, 5);
        let at = played.units().next().expect("eight").position();
        played.patch(Patch::new().block(at));
        let then = played.snapshot().expect("in step");
        let bytes = CrowdSnapshot::from_bytes(&then.to_bytes()).expect("whole");
        let went_on = run(&mut played, 60);
        for then in [&then, &bytes] {
            played.restore(then).expect("its own");
            assert!(run(&mut played, 60) == went_on, "exclusive {exclusive}");
        }
    }
}

/// Legs of walkers that were pushed begin at the ends of their tracks: they seemed to lead off the map.
#[test]
fn an_exclusive_crowd_takes_its_own_snapshots() {
    for seed in 0..40 {
        let mut rng = waypost::rng::Rng::for_item(seed, 3);
        let map =
            Map::from_fn(22, 12, |p| p.x % 6 != 3 || p.y % 4 == seed as u32 % 4).expect("legal");
        let nav = Navigator::build(map).expect("small");
        let options = CrowdOptions {
            exclusive: true,
            ..CrowdOptions::default()
        };
        let mut played = nav.crowd(options).expect("a crowd");
        while played.len() < 28 {
            let _ = played.spawn((rng.below(22), rng.below(12)));
        }
        for _ in 0..40 {
            let ids: Vec<UnitId> = played.units().map(|unit| unit.id()).collect();
            let goal = (rng.below(22), rng.below(12));
            played
                .send(ids[rng.below(28) as usize], goal)
                .expect("on the map");
            played.tick();
            let then = played.snapshot().expect("in step");
            let bytes = CrowdSnapshot::from_bytes(&then.to_bytes()).expect("whole");
            played
                .restore(&bytes)
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
    }
}

/// Labels that were rebuilt as sectors and then repaired were of no map that the saved game named.
#[test]
fn a_game_saved_after_a_rebuild_and_a_repair_loads() {
    let level = Map::from_fn(96, 96, |p| p.x % 32 != 31 || p.y % 32 == 5).expect("legal");
    let nav = Navigator::build(level.clone()).expect("small");
    let file = nav.save().expect("indexes");
    let mut played = crowd(&nav);
    let unit = played.spawn((2, 2)).expect("free");
    played.send(unit, (90, 90)).expect("on the map");
    // So much noise that labels are no choice any more.
    let mut rng = waypost::rng::Rng::new(2);
    let mut noise = Patch::new();
    for _ in 0..2_600 {
        let at = (rng.below(96), rng.below(96));
        if at != (2, 2) && at != (90, 90) {
            noise.set(at, false);
        }
    }
    played.patch(&noise);
    for job in nav.rebuild_jobs() {
        job.run(&NoProgress);
    }
    for _ in 0..3 {
        played.tick();
        nav.advance(1 << 40);
    }
    played.patch(Patch::new().block_rect((40, 40), (3, 3)));
    for _ in 0..3 {
        played.tick();
        nav.advance(1 << 40);
    }
    // A debug view beside it is nobody's business.
    nav.inspect_kind(waypost::index::IndexKind::Hierarchy)
        .expect("built");
    played.tick();
    let saved = played.snapshot().expect("in step").to_bytes();
    let saved = CrowdSnapshot::from_bytes(&saved).expect("whole");
    let went_on = run(&mut played, 30);
    played.restore(&saved).expect("its own");
    let fresh = Navigator::open(level, file).expect("the same level");
    let mut again = crowd(&fresh);
    again.restore(&saved).expect("the same level and file");
    assert!(run(&mut again, 30) == went_on);
    assert!(run(&mut played, 30) == went_on);
}
