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
