//! A world is one, whoever changes it and when: all unit types are at the same change, forks and files are whole.

use std::sync::atomic::{AtomicBool, Ordering};
use waypost::prelude::*;
use waypost::progress::{NoProgress, Progress};

fn open(width: u32, height: u32) -> Map {
    Map::from_fn(width, height, |_| true).expect("a legal map")
}

fn build(map: Map) -> Navigator {
    Navigator::build(map).expect("a small map")
}

/// Lets others run while an index is being built: says that it has begun, and waits for a word.
struct Gate {
    is_armed: std::sync::Arc<AtomicBool>,
    begun: std::sync::mpsc::SyncSender<()>,
    go_on: std::sync::Mutex<std::sync::mpsc::Receiver<()>>,
}

impl Progress for Gate {
    fn begin(&self, _: &str, _: u64) {
        if self.is_armed.swap(false, Ordering::SeqCst) {
            self.begun.send(()).expect("somebody waits");
            let go_on = self.go_on.lock().expect("no panic");
            go_on.recv().expect("somebody says so");
        }
    }

    fn advance(&self, _: u64) {}
}

#[test]
fn patches_and_paths_do_not_wait_for_a_type_that_is_built_and_reach_it() {
    let (begun, has_begun) = std::sync::mpsc::sync_channel(1);
    let (go, go_on) = std::sync::mpsc::sync_channel(1);
    let is_armed = std::sync::Arc::new(AtomicBool::new(false));
    let gate = Gate {
        is_armed: is_armed.clone(),
        begun,
        go_on: std::sync::Mutex::new(go_on),
    };
    let map = Map::from_fn(60, 40, |p| p.x % 9 != 4 || p.y % 7 == 3).expect("legal");
    let nav = Navigator::build_with(map, BuildOptions::default().progress(gate)).expect("small");
    is_armed.store(true, Ordering::SeqCst);
    let adding = nav.clone();
    let thread = std::thread::spawn(move || adding.add_unit_type(UnitType::new("tank").size(2)));
    has_begun.recv().expect("it builds");
    // More patches than anybody remembers one by one.
    for _ in 0..300 {
        nav.patch(Patch::new().block_rect((6, 4), (3, 3)));
        nav.patch(Patch::new().open_rect((6, 4), (3, 3)));
    }
    assert!(nav.patch(Patch::new().block_rect((6, 4), (2, 2))) > 0);
    assert!(nav.path((0, 0), (1, 0)).is_ok());
    go.send(()).expect("it waits");
    let tank = thread.join().expect("no panic").expect("it fits");
    for place in [(5, 3), (6, 4), (7, 5)] {
        assert!(!tank.is_free(place), "{place:?}");
    }
    let fresh = nav.fork().expect("whole");
    let fresh = fresh
        .add_unit_type(UnitType::new("as new").size(2))
        .expect("it fits");
    assert_eq!(tank.map().grid().words(), fresh.map().grid().words());
}

#[test]
fn a_job_belongs_to_its_world() {
    let (nav, other) = (build(open(20, 20)), build(open(20, 20)));
    let built = nav
        .unit_type_job(UnitType::new("tank").size(2))
        .run()
        .expect("it fits");
    let refused = other.add_built_unit_type(built).expect_err("another world");
    assert!(refused.to_string().contains("another world"), "{refused}");
}

#[test]
fn names_of_types_are_given_once() {
    let refused = |answer: Result<Navigator, waypost::Error>| {
        let error = answer.expect_err("refused");
        assert!(
            matches!(error, waypost::Error::BadUnitType { .. }),
            "{error}"
        );
    };
    let nav = build(open(40, 30));
    let tank = nav
        .add_unit_type(UnitType::new("tank").size(2))
        .expect("it fits");
    refused(nav.add_unit_type(UnitType::new("tank").size(3)));
    refused(nav.add_unit_type(UnitType::new("unit").size(2)));
    let taken = nav.unit_type_job(UnitType::new("tank")).run().err();
    assert!(matches!(taken, Some(waypost::Error::BadUnitType { .. })));
    let jeep = || UnitType::new("jeep").size(2);
    let late = nav.unit_type_job(jeep()).run().expect("it fits");
    nav.add_unit_type(jeep()).expect("nobody has the name yet");
    refused(nav.add_built_unit_type(late));
    nav.patch(Patch::new().block_rect((10, 0), (2, 30)));
    assert!(!nav.is_free((10, 4)) && !tank.is_free((10, 4)));
    assert_eq!(nav.unit_types().len(), 3);
    for names in [["a", "a"], ["a", "unit"]] {
        let [first, second] = names.map(|name| UnitType::new(name).size(2));
        let options = BuildOptions::default().unit_type(first).unit_type(second);
        refused(Navigator::build_with(open(40, 30), options));
    }
}

#[test]
fn threads_that_patch_leave_all_types_with_one_map() {
    let row = "....................GGGGGSSSSS..........\n";
    let text = format!("type octile\nheight 20\nwidth 40\nmap\n{}", row.repeat(20));
    let nav = build(Map::from_movingai(&text).expect("legal"));
    let cart = UnitType::new("cart").factor("S", 3.0).expect("in range");
    let cart = nav.add_unit_type(cart).expect("it fits");
    let tank = nav
        .add_unit_type(UnitType::new("tank").size(2))
        .expect("it fits");
    for round in 0..100 {
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let nav = &nav;
                scope.spawn(move || {
                    for i in 0..20 {
                        match (i + thread) % 2 {
                            0 => nav.patch(Patch::new().block((10, 10))),
                            _ => nav.patch(Patch::new().open((10, 10))),
                        };
                    }
                });
            }
        });
        let free = [&nav, &cart, &tank].map(|nav| nav.is_free((10, 10)));
        assert_eq!(free, [free[0]; 3], "round {round}");
    }
}

/// Maps for which the default chooses each of its kinds of index.
fn levels() -> [Map; 2] {
    let labels = Map::from_fn(80, 40, |p| p.y % 8 != 4 || p.x % 37 == 10).expect("legal");
    let factor = |p: Point| Some([1.0, 2.5, 1.5][(p.x / 3 + p.y / 5) as usize % 3]);
    [labels, Map::from_factors(16, 40, factor).expect("in range")]
}

#[test]
fn worlds_are_forked_whatever_their_indexes_are_at() {
    for (kind, level) in levels().into_iter().enumerate() {
        for patches in [0u32, 1, 7, 60] {
            for operations in [0u64, 50, 1_000_000] {
                let nav = build(level.clone());
                nav.add_unit_type(UnitType::new("tank").size(2))
                    .expect("it fits");
                for i in 0..patches {
                    let x = i * 7 % 16;
                    match i % 2 {
                        0 => nav.patch(Patch::new().block((x, i % 4))),
                        _ => nav.patch(Patch::new().open_rect((0, 0), (16, 4))),
                    };
                    if operations > 0 {
                        nav.advance(operations);
                    }
                }
                let what = format!("level {kind}, {patches} patches, {operations} operations");
                let fork = nav.fork().unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(fork.index_states(), nav.index_states(), "{what}");
                assert_eq!(
                    fork.distance((0, 0), (15, 39)).ok(),
                    nav.distance((0, 0), (15, 39)).ok(),
                    "{what}"
                );
                // The same from now on.
                for _ in 0..40 {
                    let published = [&nav, &fork].map(|world| world.advance(2_000));
                    assert_eq!(published[0], published[1], "{what}");
                }
                assert_eq!(fork.index_states(), nav.index_states(), "{what}");
                let mut crowds = [&nav, &fork]
                    .map(|world| world.crowd(CrowdOptions::default()).expect("a crowd"));
                let mut places = [Vec::new(), Vec::new()];
                for (crowd, places) in crowds.iter_mut().zip(&mut places) {
                    let unit = crowd.spawn((0, 6)).expect("free");
                    crowd.send(unit, (15, 39)).expect("on the map");
                    for _ in 0..60 {
                        crowd.tick();
                        places.push((crowd.position(unit).expect("there"), crowd.unit_bound()));
                    }
                }
                assert_eq!(places[0], places[1], "{what}");
                // Neither hears of the other.
                nav.patch(Patch::new().block((8, 21)));
                assert!(fork.is_free((8, 21)) && !nav.is_free((8, 21)), "{what}");
            }
        }
    }
}

#[test]
fn a_fork_of_a_world_that_is_rebuilt_wants_a_rebuild_of_its_own() {
    let nav = build(levels()[0].clone());
    nav.patch(Patch::new().block_rect((20, 8), (10, 3)));
    let jobs = nav.rebuild_jobs();
    assert_eq!(jobs.len(), 1);
    let fork = nav.fork().expect("whole");
    let own = fork.rebuild_jobs();
    assert_eq!(own.len(), 1);
    for (world, jobs) in [(&nav, jobs), (&fork, own)] {
        jobs.into_iter().for_each(|job| job.run(&NoProgress));
        for _ in 0..200 {
            world.advance(1_000_000);
        }
        assert!(
            world
                .index_states()
                .iter()
                .all(|(_, _, state)| state.name() == "current")
        );
    }
}

#[test]
fn forks_can_be_made_while_others_patch() {
    let nav = build(levels()[1].clone());
    nav.add_unit_type(UnitType::new("tank").size(2))
        .expect("it fits");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0.. {
                match i % 2 {
                    0 => nav.patch(Patch::new().block_rect((3, 3), (2, 9))),
                    _ => nav.patch(Patch::new().open_rect((3, 3), (2, 9))),
                };
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for _ in 0..60 {
            let fork = nav.fork().expect("whole");
            let tank = fork.for_unit("tank").expect("known");
            assert_eq!(fork.is_free((3, 3)), tank.is_free((3, 3)));
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_tank_is_told_rightly_what_a_wall_would_cut_off() {
    let nav = build(levels()[1].clone());
    let tank = nav
        .add_unit_type(UnitType::new("tank").size(2))
        .expect("it fits");
    nav.patch(Patch::new().block((0, 39)));
    let ends = [((0, 0).into(), (14, 0).into())];
    assert!(tank.stays_connected(Patch::new().block((15, 39)), &ends));
    assert!(!tank.stays_connected(Patch::new().block_rect((7, 0), (1, 40)), &ends));
    assert!(tank.path((0, 0), (14, 0)).is_ok());
}

#[test]
fn files_are_of_one_map_whatever_the_indexes_are_at() {
    let level =
        || Map::from_fn(80, 40, |p| p.y % 8 != 4 || p.x % 37 < 12 && p.x % 37 > 8).expect("legal");
    let now = |nav: &Navigator| Map::from_fn(80, 40, |p| nav.is_free(p)).expect("legal");
    let opens = |nav: &Navigator, map: Map| {
        let file = nav.save().expect("indexes");
        Navigator::open(map, file)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for rebuilt in 0..3 {
        let nav = build(level());
        nav.add_unit_type(UnitType::new("tank").size(2))
            .expect("it fits");
        nav.patch(Patch::new().block_rect((20, 8), (10, 3)).block((10, 20)));
        let jobs = nav.rebuild_jobs();
        assert_eq!(jobs.len(), 2);
        for job in jobs.into_iter().take(rebuilt) {
            job.run(&NoProgress);
        }
        // What no job has built in time is built by the slot itself where somebody waits for it; one that is not wanted stays stale.
        if rebuilt > 0 {
            for _ in 0..100 {
                nav.advance(1_000_000);
            }
        }
        let is_current =
            |state: &(String, _, waypost::index::slot::IndexState)| state.2.name() == "current";
        match nav.index_states().iter().all(is_current) {
            true => assert_eq!(opens(&nav, now(&nav)), Ok(())),
            false => assert_eq!(opens(&nav, level()), Ok(())),
        }
    }
    // One current, the other stale.
    let nav = build(level());
    nav.add_unit_type(UnitType::new("tank").size(2))
        .expect("it fits");
    nav.patch(Patch::new().block_rect((20, 8), (10, 3)).block((10, 20)));
    nav.world().rebuild_stale();
    for _ in 0..100 {
        nav.advance(1_000_000);
    }
    assert_eq!(opens(&nav, level()), Ok(()));
    // A type that knows nothing of the level as it was.
    let nav = build(level());
    nav.patch(Patch::new().block_rect((20, 8), (10, 3)));
    nav.add_unit_type(UnitType::new("tank").size(2))
        .expect("it fits");
    assert_eq!(opens(&nav, level()), Ok(()));
}

const LAKE: &str = "type octile\nheight 6\nwidth 24\nmap\n";

fn lake() -> Map {
    let rows = [".", "W", "W", "W", "W", "."].map(|letter| letter.repeat(24) + "\n");
    Map::from_movingai(&(LAKE.to_string() + &rows.concat())).expect("legal")
}

fn boat(name: &str, size: u32) -> UnitType {
    let boat = UnitType::new(name).size(size).blocked(".");
    boat.factor("W", 1.0).expect("in range")
}

#[test]
fn names_of_ground_come_back_from_files() {
    let names = [
        "a,b",
        " lead",
        "trail ",
        "",
        "100%",
        "x=y",
        "two words",
        "%2c;",
    ];
    let class = |name: &str| waypost::terrain::Class {
        name: name.to_string(),
        footing: Footing::Factor(Factor::ONE),
    };
    let kinds: Vec<_> = std::iter::once("plain").chain(names).map(class).collect();
    let cells: Vec<u8> = (0..80).map(|i| (i % 9) as u8).collect();
    let level = Map::from_classes(10, 8, kinds.clone(), cells).expect("legal");
    let mut cart = UnitType::new("cart");
    for name in names {
        cart = cart.factor(name, 2.5).expect("in range");
    }
    let nav = build(level.clone());
    nav.add_unit_type(cart.clone()).expect("it fits");
    let opened = Navigator::open(level, nav.save().expect("indexes")).expect("the same level");
    assert_eq!(opened.unit_types()[1], cart);
    let error = Map::from_classes(1, 1, kinds[..1].to_vec(), vec![7]).expect_err("no such class");
    assert!(error.to_string().contains("class 7"), "{error}");
    let twice = vec![kinds[0].clone(), kinds[0].clone()];
    assert!(Map::from_classes(1, 1, twice, vec![0]).is_err());
}

#[test]
fn a_dam_is_a_wall_to_types_that_come_after_it() {
    let nav = build(lake());
    let first = nav.add_unit_type(boat("first", 1)).expect("it fits");
    nav.patch(Patch::new().block_rect((12, 1), (1, 4)));
    let second = nav.add_unit_type(boat("second", 1)).expect("it fits");
    let fork = nav.fork().expect("whole");
    let third = fork.add_unit_type(boat("third", 1)).expect("it fits");
    for boat in [&first, &second, &third] {
        assert!(boat.path((2, 2), (20, 2)).is_err());
    }
    // Whoever opens the file knows the level and no dam.
    let file = nav.save().expect("indexes");
    let opened = Navigator::open(lake(), file).expect("the same level");
    assert!(
        opened
            .for_unit("second")
            .expect("known")
            .path((2, 2), (20, 2))
            .is_ok()
    );
    nav.patch(Patch::new().open((12, 3)));
    for boat in [&first, &second] {
        assert!(boat.path((2, 2), (20, 2)).is_ok());
    }
    assert!(third.path((2, 2), (20, 2)).is_err() && nav.is_free((12, 3)));
}

#[test]
fn a_crowd_that_goes_back_takes_dams_and_new_types_along() {
    for from_bytes in [false, true] {
        let nav = build(lake());
        let old = nav.add_unit_type(boat("old", 2)).expect("it fits");
        let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
        let unit = crowd.spawn((1, 0)).expect("free");
        crowd.send(unit, (20, 0)).expect("on the map");
        crowd.patch(Patch::new().block((5, 2)));
        crowd.tick();
        let mut then = crowd.snapshot().expect("in step");
        if from_bytes {
            then = CrowdSnapshot::from_bytes(&then.to_bytes()).expect("whole");
        }
        let seen = |nav: &Navigator| nav.map().grid().words().to_vec();
        let was = [seen(&nav), seen(&old)];
        let new = nav.add_unit_type(boat("new", 2)).expect("it fits");
        let tank = nav
            .add_unit_type(UnitType::new("tank").size(1))
            .expect("it fits");
        crowd.patch(
            Patch::new()
                .block((10, 2))
                .open((5, 2))
                .block_rect((4, 0), (3, 1)),
        );
        crowd.tick();
        crowd.restore(&then).expect("of this crowd");
        assert_eq!([seen(&nav), seen(&old)], was);
        assert_eq!([seen(&tank), seen(&new)], was);
        // A rock that comes and goes elsewhere brings none of them back.
        crowd.patch(Patch::new().block((11, 3)));
        crowd.restore(&then).expect("of this crowd");
        assert_eq!([seen(&nav), seen(&old)], was);
        assert_eq!([seen(&tank), seen(&new)], was);
    }
}

#[test]
fn types_without_units_do_not_burden_snapshots() {
    let map = Map::from_fn(60, 40, |p| p.x != 30 || p.y > 30).expect("legal");
    let nav = build(map);
    nav.add_unit_type(UnitType::new("tank").size(2))
        .expect("it fits");
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
    let unit = crowd.spawn((2, 2)).expect("free");
    crowd.send(unit, (57, 2)).expect("on the map");
    let mut sizes = Vec::new();
    for i in 0..2_000u32 {
        match i % 2 {
            0 => crowd.patch(Patch::new().block_rect((10, 10), (3, 3))),
            _ => crowd.patch(Patch::new().open_rect((10, 10), (3, 3))),
        };
        crowd.tick();
        if i == 999 || i == 1_999 {
            (0..50).for_each(|_| _ = crowd.tick());
            sizes.push(crowd.snapshot().expect("in step").to_bytes().len());
        }
    }
    assert_eq!(sizes[0], sizes[1]);
    // Nor do types that nobody has, in a world that is kept up by hand.
    let still = build(open(30, 30));
    still
        .add_unit_type(UnitType::new("tank").size(2))
        .expect("it fits");
    let mut sizes = Vec::new();
    for i in 0..600u32 {
        match i % 2 {
            0 => still.patch(Patch::new().block((10, 10))),
            _ => still.patch(Patch::new().open((10, 10))),
        };
        still.advance(100_000);
        if i == 299 || i == 599 {
            let crowd = still.crowd(CrowdOptions::default()).expect("a crowd");
            sizes.push(crowd.snapshot().expect("in step").to_bytes().len());
        }
    }
    assert_eq!(sizes[0], sizes[1]);
}

/// Does something with the world from within a job that the world waits for.
struct Meddler {
    nav: Navigator,
    what: fn(&Navigator),
    begun: std::sync::mpsc::SyncSender<()>,
    go_on: std::sync::Mutex<std::sync::mpsc::Receiver<()>>,
    is_armed: AtomicBool,
}

impl Progress for Meddler {
    fn begin(&self, _: &str, _: u64) {
        if self.is_armed.swap(false, Ordering::SeqCst) {
            self.begun.send(()).expect("somebody waits");
            self.go_on.lock().expect("no panic").recv().expect("a word");
            (self.what)(&self.nav);
        }
    }

    fn advance(&self, _: u64) {}
}

/// Upkeep that was due waited for the job with the world held, and the job's progress waited for the world.
#[test]
fn what_reports_the_progress_of_a_job_may_change_the_world_that_waits_for_it() {
    let deeds: [fn(&Navigator); 4] = [
        |nav| _ = nav.map(),
        |nav| _ = nav.path((0, 0), (59, 39)),
        |nav| _ = nav.patch(Patch::new().block((1, 1))),
        |nav| _ = nav.advance(1),
    ];
    for what in deeds {
        let map = Map::from_fn(60, 40, |p| p.x % 9 != 4 || p.y % 7 == 3).expect("legal");
        let nav = build(map);
        nav.patch(Patch::new().block_rect((10, 5), (3, 20)));
        let job = nav.rebuild_jobs().pop().expect("labels want one");
        let (begun, has_begun) = std::sync::mpsc::sync_channel(1);
        let (go, go_on) = std::sync::mpsc::sync_channel(1);
        let meddler = Meddler {
            nav: nav.clone(),
            what,
            begun,
            go_on: std::sync::Mutex::new(go_on),
            is_armed: AtomicBool::new(true),
        };
        let building = std::thread::spawn(move || job.run(&meddler));
        has_begun.recv().expect("it builds");
        let keeping_up = nav.clone();
        let upkeep = std::thread::spawn(move || keeping_up.advance(1 << 40));
        // Time to begin to wait: without it the test says less, and is right all the same.
        std::thread::sleep(std::time::Duration::from_millis(50));
        go.send(()).expect("it waits");
        building.join().expect("no panic");
        upkeep.join().expect("no panic");
        nav.advance(1 << 40);
        assert!(nav.path((0, 0), (59, 39)).is_ok());
    }
}

/// Every copy of the map that a game asked for was a world of its own to agents: each had a jump-point graph, which nobody kept up.
#[test]
fn agents_on_copies_of_the_map_share_what_the_world_keeps_up() {
    let map = Map::from_fn(120, 120, |p| p.x % 8 != 4 || p.y % 16 == 3).expect("legal");
    let nav = build(map);
    let spec = waypost::spec::AgentSpec::default();
    let mut agents = Vec::new();
    for i in 0..6 {
        nav.patch(Patch::new().block((9 + i, 5)));
        let map = nav.map();
        let agent = spec.build(&map, &nav.world().indexes());
        agents.push(agent.expect("its index is there"));
        nav.advance(20_000);
    }
    let map = nav.map();
    let ends = [(0, 0), (119, 118)].map(|place: (u32, u32)| map.passable_cell(place.into()));
    let [Some(from), Some(goal)] = ends else {
        panic!("passable")
    };
    let mut scratch = waypost::agent::Scratch::new();
    let best = nav.path((0, 0), (119, 118)).expect("joined").cost();
    for mut agent in agents {
        agent.start(&mut waypost::Context::new(&map, &mut scratch), from, goal);
        let (mut at, mut path, mut waited) = (from, vec![from], 0);
        loop {
            match agent.next_move(&mut waypost::Context::new(&map, &mut scratch), at) {
                waypost::Decision::Step(to) => {
                    at = to;
                    path.push(at);
                }
                waypost::Decision::Thinking => waited += 1,
                _ => break,
            }
        }
        // Upkeep has brought in step what they share: nobody repairs a graph in its moves.
        assert!(waited <= 8, "{waited}");
        assert_eq!((at, map.path_cost(&path)), (goal, Some(best.into())));
    }
}
