//! Whoever looks at a world keeps nobody from changing it, from inside or from another thread.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use waypost::prelude::*;

fn world() -> Navigator {
    let map = Map::from_fn(40, 30, |p| p.x != 20 || p.y == 7).expect("legal");
    Navigator::build(map).expect("small")
}

/// Fails where the work hangs.
fn ends(what: &str, work: impl FnOnce() + Send + 'static) {
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        work();
        done.send(()).expect("somebody waits");
    });
    let ended = is_done.recv_timeout(Duration::from_secs(60));
    assert!(ended.is_ok(), "{what} hangs or has failed");
}

/// Looks on for some rounds while another thread patches.
fn beside_patches(nav: &Navigator, look: impl Fn()) {
    let (is_over, rounds) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                nav.patch(Patch::new().block((3, 3)));
                nav.patch(Patch::new().open((3, 3)));
            }
        });
        while rounds.fetch_add(1, Ordering::Relaxed) < 20_000 {
            look();
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_map_that_somebody_holds_on_to_stays_as_it_is() {
    ends("a held map", || {
        let nav = world();
        let map = nav.map();
        nav.patch(Patch::new().block((5, 5)));
        assert!(map.passable_cell((5, 5).into()).is_some() && !nav.is_free((5, 5)));
        assert!(nav.map().passable_cell((5, 5).into()).is_none());
        assert!(std::sync::Arc::ptr_eq(&nav.map(), &nav.map()));
        beside_patches(&nav, || {
            let map = nav.map();
            assert!(nav.is_free((6, 6)) && map.passable_cell((6, 6).into()).is_some());
        });
    });
}

#[test]
fn units_can_be_looked_at_while_the_world_changes() {
    ends("a visit of units", || {
        let nav = world();
        let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
        let unit = crowd.spawn((3, 4)).expect("free");
        crowd.send(unit, (35, 28)).expect("on the map");
        crowd.tick_and_visit(|unit| _ = nav.patch(Patch::new().block(unit.position())));
        crowd.for_each(|unit| _ = nav.patch(Patch::new().open(unit.position())));
        assert!(nav.is_free(crowd.position(unit).expect("there")));
        beside_patches(&nav, || {
            crowd.for_each(|unit| _ = nav.is_free(unit.position()))
        });
    });
}

#[test]
fn runs_of_a_path_can_be_visited_while_the_world_changes() {
    ends("a visit of runs", || {
        let nav = world();
        let mut steps = 0;
        let length = nav.path_runs((3, 4), (35, 28), |run| {
            steps += run.steps;
            nav.patch(Patch::new().block((0, steps % 30)));
        });
        assert!(length.is_ok() && steps > 20);
        beside_patches(&nav, || {
            let found = nav.path_runs((1, 4), (4, 4), |_| assert!(nav.is_free((6, 6))));
            assert!(found.is_ok());
        });
    });
}

#[test]
fn batches_of_paths_are_of_one_map() {
    ends("a batch", || {
        let nav = world();
        let pairs = [((3, 4).into(), (35, 28).into()); 2_000];
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    nav.patch(Patch::new().block((20, 7)));
                    std::thread::sleep(Duration::from_millis(7));
                    nav.patch(Patch::new().open((20, 7)));
                    std::thread::sleep(Duration::from_millis(7));
                }
            });
            for _ in 0..30 {
                let found = nav.paths(&pairs);
                let ways = found.lengths.iter().filter(|length| length.is_finite());
                let ways = ways.count();
                assert!(ways == 0 || ways == pairs.len(), "{ways}");
            }
            is_over.store(true, Ordering::Relaxed);
        });
    });
}

/// What is drawn ahead of a unit can be walked: it led through walls where a unit had been stopped, pushed or cut off.
#[test]
fn paths_ahead_are_legal_whatever_units_are_doing() {
    let mut rng = waypost::rng::Rng::new(4);
    for exclusive in [false, true] {
        let map = Map::from_fn(40, 30, |p| p.x % 8 != 7 || p.y % 9 == 4).expect("legal");
        let nav = Navigator::build(map).expect("small");
        let options = CrowdOptions {
            exclusive,
            ..CrowdOptions::default()
        };
        let mut crowd = nav.crowd(options).expect("a crowd");
        while crowd.len() < 40 {
            let _ = crowd.spawn((rng.below(40), rng.below(30)));
        }
        let ids: Vec<UnitId> = crowd.units().map(|unit| unit.id()).collect();
        let mut longest = 0;
        for tick in 0..300 {
            let unit = ids[rng.below(40) as usize];
            match rng.below(5) {
                0 => crowd.stop(unit).expect("there"),
                _ => crowd
                    .send(unit, (rng.below(40), rng.below(30)))
                    .expect("on the map"),
            }
            if tick % 7 == 0 {
                let at = (rng.below(40), rng.below(30));
                let mut patch = Patch::new();
                patch.set(at, !nav.is_free(at));
                crowd.patch(&patch);
            }
            crowd.tick();
            for unit in crowd.units() {
                let ahead = crowd.path_ahead(unit.id()).expect("there");
                assert_eq!(ahead[0], unit.position());
                longest = longest.max(ahead.len());
                let under_way = matches!(
                    unit.status(),
                    Status::Moving | Status::Waiting { .. } | Status::Holding
                );
                assert!(
                    under_way || ahead.len() == 1,
                    "{:?} {ahead:?}",
                    unit.status()
                );
                let map = nav.map();
                let cells: Vec<_> = ahead.iter().filter_map(|&p| map.passable_cell(p)).collect();
                assert!(
                    ahead.len() == 1
                        || cells.len() == ahead.len() && map.path_length(&cells).is_some(),
                    "{ahead:?}"
                );
            }
        }
        assert!(longest > 20, "{longest}");
    }
}
