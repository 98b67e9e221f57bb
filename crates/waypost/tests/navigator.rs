//! The door: one world for paths, crowds, doors, unit types and files, judged by the independent oracle.

mod common;

use common::engine_map;
use common::terrain::unit_map;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use waypost::Cell;
use waypost::index::IndexKind;
use waypost::index::slot::IndexState;
use waypost::prelude::*;
use waypost::progress::{NoProgress, Progress};
use waypost::search::{AStar, PathSearch};
use waypost_testkit::{Rules, TestMap, TestRng, check_path, optimal_cost, shapes};

fn point((x, y): (u32, u32)) -> Point {
    Point { x, y }
}

/// Compares paths between random ends with the oracle's.
fn paths_are_shortest(nav: &Navigator, map: &TestMap, rules: Rules, rng: &mut TestRng) {
    for _ in 0..12 {
        let (Some(from), Some(goal)) = (map.random_open_cell(rng), map.random_open_cell(rng))
        else {
            return;
        };
        let best = optimal_cost(map, rules, from, goal);
        match nav.path(from, goal) {
            Err(error) => assert!(best.is_none(), "{from:?} -> {goal:?}: {error}\n{map}"),
            Ok(path) => {
                let points: Vec<_> = path.points().iter().map(|p| (p.x, p.y)).collect();
                assert_eq!((points.first(), points.last()), (Some(&from), Some(&goal)));
                check_path(map, rules, &points).unwrap_or_else(|error| panic!("{error}\n{map}"));
                let best = best.unwrap_or_else(|| panic!("{from:?} -> {goal:?}\n{map}"));
                assert_eq!(u64::from(path.cost()), best, "{from:?} -> {goal:?}\n{map}");
                let distance = nav.distance(from, goal).expect("a path was found");
                assert_eq!(distance, path.length());
            }
        }
    }
}

fn random_patch(map: &mut TestMap, rng: &mut TestRng) -> Patch {
    let mut patch = Patch::new();
    for _ in 0..rng.between(1, 4) {
        let (x, y) = (rng.below(map.width()), rng.below(map.height()));
        let (width, height) = (rng.between(1, 4), rng.between(1, 3));
        let open = rng.percent(50);
        map.set_rectangle(
            x,
            y,
            width.min(map.width() - x),
            height.min(map.height() - y),
            open,
        );
        patch.set_rect((x, y), (width, height), open);
    }
    patch
}

#[test]
fn paths_see_patches_at_once_in_their_own_world_alone() {
    for seed in 0..40 {
        let mut rng = TestRng::new(seed);
        let rules = Rules::all()[seed as usize % Rules::all().len()];
        let mut here = shapes::any(seed, 20, 50);
        let nav = Navigator::build(engine_map(&here, rules)).expect("a small map");
        let mut there = here.clone();
        let fork = nav.fork().expect("the same world");
        for round in 0..5 {
            paths_are_shortest(&nav, &here, rules, &mut rng);
            paths_are_shortest(&fork, &there, rules, &mut rng);
            match round % 2 {
                0 => nav.patch(random_patch(&mut here, &mut rng)),
                _ => fork.patch(random_patch(&mut there, &mut rng)),
            };
        }
        let (from, goal) = (
            here.random_open_cell(&mut rng),
            here.random_open_cell(&mut rng),
        );
        if let (Some(from), Some(goal)) = (from, goal) {
            let batch = nav.paths(&[(point(from), point(goal)), (point(goal), point(from))]);
            let alone = nav.path(from, goal);
            assert_eq!(
                batch.path(0),
                alone.as_ref().map_or(&[][..], |path| path.points())
            );
            assert_eq!(batch.lengths[0].is_finite(), alone.is_ok());
        }
    }
}

#[test]
fn files_open_for_their_map_and_no_other() {
    for seed in 0..20 {
        let mut rng = TestRng::new(seed);
        let rules = Rules::all()[0];
        let mut map = shapes::any(seed, 20, 60);
        let options = BuildOptions::default().unit_type(UnitType::new("cart").size(2));
        let nav = Navigator::build_with(engine_map(&map, rules), options).expect("a small map");
        let file = nav.save().expect("indexes");
        let opened = Navigator::open(engine_map(&map, rules), file.clone()).expect("the same map");
        assert_eq!(opened.save().expect("indexes"), file);
        assert_eq!(opened.unit_types(), nav.unit_types());
        paths_are_shortest(&opened, &map, rules, &mut rng);
        for _ in 0..200 {
            let mut damaged = file.clone();
            let at = rng.below(damaged.len() as u32) as usize;
            damaged[at] ^= 1 << rng.below(8);
            assert!(
                Navigator::open(engine_map(&map, rules), damaged).is_err(),
                "byte {at}"
            );
        }
        for length in [0, 7, 16, 40, file.len() - 1] {
            let cut = file[..length].to_vec();
            assert!(Navigator::open(engine_map(&map, rules), cut).is_err());
        }
        let (x, y) = (rng.below(map.width()), rng.below(map.height()));
        let open = map.is_open_at((x, y));
        map.set(x, y, !open);
        assert!(
            Navigator::open(engine_map(&map, rules), file).is_err(),
            "another map"
        );
    }
}

#[test]
fn large_units_keep_their_distance_and_follow_patches() {
    for seed in 0..20 {
        let mut rng = TestRng::new(seed);
        let rules = Rules::all()[0];
        let mut map = shapes::any(seed, 24, 50);
        let nav = Navigator::build(engine_map(&map, rules)).expect("a small map");
        let size = 2 + (seed % 3) as u32;
        let Ok(cart) = nav.add_unit_type(UnitType::new("cart").size(size)) else {
            assert!(map.width().min(map.height()) < size);
            continue;
        };
        for _ in 0..4 {
            let mut places = TestMap::filled(map.width(), map.height(), false);
            for y in 0..map.height() {
                for x in 0..map.width() {
                    let covered =
                        (0..size).flat_map(|dy| (0..size).map(move |dx| (x + dx, y + dy)));
                    let mut covered = covered;
                    let fits = covered.all(|(x, y)| {
                        x < map.width() && y < map.height() && map.is_open_at((x, y))
                    });
                    places.set(x, y, fits);
                }
            }
            paths_are_shortest(&cart, &places, rules, &mut rng);
            nav.patch(random_patch(&mut map, &mut rng));
        }
    }
}

#[test]
fn doors_never_make_an_index_stale() {
    for seed in 0..30 {
        let mut rng = TestRng::new(seed);
        let rules = Rules::all()[seed as usize % Rules::all().len()];
        let mut map = shapes::any(seed, 20, 50);
        let mut doors: Vec<(u32, u32)> = Vec::new();
        for _ in 0..20 {
            let door = (rng.below(map.width()), rng.below(map.height()));
            if !doors.contains(&door) {
                doors.push(door);
            }
        }
        let level = engine_map(&map, rules).and_doors(doors.iter().copied());
        let file = Navigator::build(level.clone())
            .expect("a small map")
            .save()
            .expect("indexes");
        let nav = Navigator::open(level, file).expect("the same map and doors");
        for _ in 0..5 {
            let (open, close): (Vec<_>, Vec<_>) =
                doors.iter().copied().partition(|_| rng.percent(30));
            open.iter().for_each(|&(x, y)| map.set(x, y, true));
            close.iter().for_each(|&(x, y)| map.set(x, y, false));
            nav.set_doors(open, close).expect("all of them are doors");
            paths_are_shortest(&nav, &map, rules, &mut rng);
            while nav.index_states()[0].2 == IndexState::Repairing {
                nav.advance(100_000);
            }
            assert_eq!(nav.index_states()[0].2, IndexState::Current, "seed {seed}");
        }
    }
}

/// Compares paths on terrain with searches of cells on the same map, which the oracle judges elsewhere.
fn paths_cost_what_a_search_says(nav: &Navigator, rng: &mut TestRng, seed: u64) -> usize {
    let (map, mut found) = (nav.map().clone(), 0);
    let cells: Vec<Cell> = map.grid().cells().collect();
    for _ in 0..if cells.is_empty() { 0 } else { 8 } {
        let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
        let best = AStar::new().shortest_path(&map, from, goal);
        let path = nav.path(map.grid().point(from), map.grid().point(goal));
        let (Some(best), Ok(path)) = (&best, &path) else {
            assert!(best.is_none() && path.is_err(), "seed {seed}");
            continue;
        };
        found += path.steps();
        assert_eq!(path.cost(), best.cost, "seed {seed}");
        let points = path.points().iter();
        let walked: Vec<Cell> = points.filter_map(|&p| map.passable_cell(p)).collect();
        assert_eq!(
            map.path_cost(&walked),
            Some(best.cost.into()),
            "seed {seed}"
        );
        let length = map.path_length(&walked).map(|moves| map.length(moves));
        assert_eq!(length, Some(path.length()), "seed {seed}");
        let distance = nav.distance(path.points()[0], map.grid().point(goal));
        assert_eq!(distance.ok(), length, "seed {seed}");
    }
    found
}

#[test]
fn ground_goes_along_with_units_rules_and_patches() {
    let mut steps = 0;
    for seed in 0..20 {
        let mut rng = TestRng::new(seed);
        let rules = Rules::all()[seed as usize % Rules::all().len()];
        let mut map = shapes::any(seed, 20, 50);
        let level = unit_map(&map, rules, 1, seed).0;
        let others = Rules::all()[(seed as usize + 1) % Rules::all().len()];
        let other = level.with_rules(common::engine_rules(others));
        let expected = unit_map(&map, others, 1, seed).0;
        assert_eq!(
            other.expect("costs fit").fingerprint(),
            expected.fingerprint()
        );
        let nav = Navigator::build(level).expect("a small map");
        let tank = nav.add_unit_type(UnitType::new("tank").size(2));
        let tank = tank.expect("a map of more than one row");
        let expected = unit_map(&map, rules, 2, seed).0;
        assert_eq!(
            tank.map().fingerprint(),
            expected.fingerprint(),
            "seed {seed}"
        );
        for _ in 0..3 {
            steps += paths_cost_what_a_search_says(&nav, &mut rng, seed);
            steps += paths_cost_what_a_search_says(&tank, &mut rng, seed);
            nav.patch(random_patch(&mut map, &mut rng));
        }
    }
    assert!(steps > 1000, "{steps}");
}

#[test]
fn bad_questions_get_clear_answers() {
    let nav = Navigator::build(Map::from_fn(20, 10, |p| p.x != 9).expect("legal")).expect("small");
    let says = |error: waypost::Error, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    says(nav.path((3, 3), (20, 3)).unwrap_err(), &["20,3", "20 x 10"]);
    says(
        nav.path((9, 3), (2, 3)).unwrap_err(),
        &["9,3", "wall", "8,3"],
    );
    says(nav.path((3, 3), (15, 3)).unwrap_err(), &["no way", "8,3"]);
    says(nav.for_unit("tank").unwrap_err(), &["tank", "unit"]);
    for size in [0, 11, 65] {
        assert!(nav.add_unit_type(UnitType::new("tank").size(size)).is_err());
    }
    let none: [(u32, u32); 0] = [];
    says(nav.set_doors(none, [(3, 3)]).unwrap_err(), &["3,3", "door"]);
    assert_eq!(nav.nearest_free((9, 3)), Some(Point { x: 8, y: 3 }));
    assert_eq!(
        nav.nearest_reachable((3, 3), (15, 3)),
        Some(Point { x: 8, y: 3 })
    );
    assert!(Map::from_bytes(b"\x00\xff\x00").is_err());
    assert!(Map::from_fn(0, 3, |_| true).is_err());
    assert!(Map::from_rows(&[vec![true; 3], vec![true; 2]]).is_err());
    assert!(Map::from_bits(9, 9, &[0; 10]).is_err());
}

struct StopAfter(AtomicU64, Arc<AtomicBool>);

impl Progress for StopAfter {
    fn begin(&self, _stage: &str, _total: u64) {}
    fn advance(&self, parts: u64) {
        if self.0.fetch_add(parts, Ordering::Relaxed) > 3 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
    fn is_cancelled(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }
}

#[test]
fn builds_can_be_stopped() {
    let map = Map::from_fn(300, 200, |p| p.x % 13 != 6 || p.y % 11 < 3).expect("legal");
    let stop = StopAfter(AtomicU64::new(0), Arc::default());
    let stopped = Navigator::build_with(map, BuildOptions::default().progress(stop));
    assert!(matches!(stopped, Err(waypost::Error::Cancelled)));
}

#[test]
fn crowds_tell_what_happens() {
    let map = Map::from_fn(40, 20, |p| p.x != 20 || p.y == 10).expect("legal");
    let nav = Navigator::build(map).expect("a small map");
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("the default");
    let [walks, stays, follows] = [(2, 2), (3, 3), (4, 4)].map(|at| crowd.spawn(at).expect("free"));
    crowd.send(walks, (38, 18)).expect("a unit");
    crowd.send(follows, Goal::Unit(walks)).expect("a unit");
    let ahead = crowd.path_ahead(walks);
    assert_eq!(ahead.expect("a unit")[0], Point { x: 2, y: 2 });
    for _ in 0..5 {
        crowd.tick();
    }
    assert!(crowd.path_ahead(walks).expect("a unit").len() > 5);
    // The only gap closes under everybody's feet, and the cell of one of them becomes a wall.
    crowd.patch(Patch::new().block((20, 10)).block((3, 3)));
    let events: Vec<_> = crowd.tick().events().collect();
    assert!(events.contains(&Event::Blocked(stays)), "{events:?}");
    let lost = |event: &Event| matches!(event, Event::Unreachable(unit, Some(_)) if *unit == walks);
    assert!(events.iter().any(lost), "{events:?}");
    assert!(nav.path((2, 2), (38, 18)).is_err(), "paths see it too");
    nav.patch(Patch::new().open((20, 10)).open((3, 3)));
    let events: Vec<_> = crowd.tick().events().collect();
    assert!(events.contains(&Event::Freed(stays)), "{events:?}");
    let mut arrived = 0;
    for _ in 0..200 {
        let there = |event: &Event| *event == Event::Arrived(walks);
        arrived += crowd.tick().events().filter(there).count();
    }
    assert_eq!(
        (arrived, crowd.position(walks).ok()),
        (1, Some(Point { x: 38, y: 18 }))
    );
    crowd
        .send(stays, Goal::Within((30, 5).into(), 3))
        .expect("a unit");
    for _ in 0..60 {
        crowd.tick();
    }
    let (dx, dy) = crowd
        .position(stays)
        .expect("a unit")
        .distances((30, 5).into());
    assert!(dx.max(dy) <= 3);
    crowd.despawn(walks).expect("a unit");
    assert!(crowd.send(walks, (3, 3)).is_err() && crowd.unit(walks).is_err());
    let again = crowd.spawn((2, 2)).expect("free");
    assert_ne!(again, walks);
    let mut out = [Point::default(); 2];
    assert_eq!(crowd.positions(&mut out), 3);
}

#[test]
fn jobs_on_threads_are_published_in_lockstep() {
    let run = |delay: u64, take: bool| {
        let map = Map::from_fn(60, 40, |p| p.x != 30 || p.y > 35).expect("legal");
        let nav = Navigator::build(map).expect("a small map");
        let mut crowd = nav.crowd(CrowdOptions::default()).expect("the default");
        let unit = crowd.spawn((2, 2)).expect("free");
        nav.patch(Patch::new().open((30, 2)));
        let jobs = if take { nav.rebuild_jobs() } else { Vec::new() };
        let builder = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(delay));
            jobs.into_iter().for_each(|job| job.run(&NoProgress));
        });
        crowd.send(unit, (58, 2)).expect("a unit");
        let mut trace = Vec::new();
        for tick in 0..400 {
            let renewed = crowd
                .tick()
                .events()
                .filter(|e| matches!(e, Event::IndexRenewed { .. }));
            trace.push((tick, renewed.count(), crowd.position(unit).expect("a unit")));
        }
        builder.join().expect("it ends");
        (trace, nav.index_states()[0].2)
    };
    let (quick, state) = run(0, true);
    assert_eq!(state, IndexState::Current);
    assert_eq!(
        quick.iter().filter(|(_, renewed, _)| *renewed > 0).count(),
        1
    );
    assert_eq!(quick, run(60, true).0);
    assert_eq!(run(0, false).1, IndexState::Stale);
}

#[test]
fn units_have_a_bound_where_their_method_has_one() {
    let nav =
        Navigator::build(Map::from_fn(48, 36, |p| p.x % 12 != 6 || p.y % 9 == 4).expect("legal"));
    let nav = nav.expect("small");
    for (method, bounded) in [("waypost", true), ("lrta", true), ("astar", false)] {
        let options = CrowdOptions {
            method: method.to_string(),
            ..CrowdOptions::default()
        };
        let mut crowd = nav.crowd(options).expect("known");
        assert_eq!(crowd.unit_bound(), None, "nobody is there");
        crowd.spawn((0, 0)).expect("free");
        assert_eq!(
            crowd.unit_bound().is_some_and(|bound| bound > 0),
            bounded,
            "{method}"
        );
    }
}

#[test]
fn what_indexes_know_can_be_drawn() {
    let map = Map::from_fn(48, 36, |p| p.x % 12 != 6 || p.y % 9 == 4).expect("legal");
    let nav = Navigator::build(map).expect("small");
    let labels = nav.inspect();
    let corners = labels.corners();
    assert!(labels.kind() == "labels" && !corners.is_empty());
    for (number, corner) in corners.iter().enumerate() {
        let hubs = labels.hubs(number);
        assert_eq!(hubs.len(), corner.hubs);
        assert!(nav.is_free(corner.at) && hubs.iter().all(|&hub| nav.is_free(hub)));
    }
    assert!(labels.hubs(corners.len()).is_empty() && labels.record_count() == 0);
    let seen = labels.corners_seen((0, 0));
    assert!(!seen.is_empty() && seen.iter().all(|&corner| corner < corners.len()));
    assert_eq!(labels.corners_seen(corners[3].at), [3]);
    assert!(labels.corners_seen((6, 0)).is_empty() && labels.corners_seen((99, 0)).is_empty());
    let sectors = nav.inspect_kind(IndexKind::Sectors).expect("built");
    let (side, regions) = sectors.sectors().expect("sectors");
    assert!(side > 1 && regions.iter().all(|region| nav.is_free(region.at)));
    let chain = sectors.chain((0, 0), (47, 35));
    assert!(chain.len() > 1 && chain.iter().all(|&at| nav.is_free(at)));
    assert!(sectors.chain((6, 0), (99, 9)).is_empty() && labels.chain((0, 0), (47, 35)).is_empty());
    let subgoals = nav.inspect_kind(IndexKind::Subgoals).expect("built");
    assert!(subgoals.record_count() > 10);
    let record = subgoals.record(7);
    assert!(record.len() >= 2 && record.iter().all(|&p| nav.is_free(p)));
    assert!(subgoals.record(subgoals.record_count()).is_empty());
    let chosen = subgoals.chosen_record(&nav.map(), (0, 0), (47, 35));
    assert!(chosen.is_some_and(|record| record < subgoals.record_count()));
    assert!(labels.chosen_record(&nav.map(), (0, 0), (47, 35)).is_none());
    let levels = nav.inspect_kind(IndexKind::Hierarchy).expect("built");
    let mut groups = usize::MAX;
    for level in 1..=levels.height() {
        let rows = levels.groups(level);
        let all: std::collections::BTreeSet<u32> =
            rows.iter().flatten().flatten().copied().collect();
        assert!(all.len() <= groups && !all.is_empty());
        groups = all.len();
        for (y, row) in (0..).zip(&rows) {
            for (x, group) in (0..).zip(row) {
                assert_eq!(
                    group.is_some(),
                    nav.is_free((x, y)),
                    "{x},{y} at level {level}"
                );
            }
        }
    }
    assert_eq!(groups, 1, "the map is connected");
    let database = nav.inspect_kind(IndexKind::Cpd).expect("built");
    let moves = database.first_moves((40, 30));
    assert!(moves.len() > 1000);
    for &(at, _) in moves.iter().step_by(97) {
        assert!(nav.path(at, (40, 30)).is_ok());
    }
    assert!(database.first_moves((6, 0)).is_empty() && database.first_moves((99, 0)).is_empty());
}

#[test]
fn thousands_that_are_cut_off_are_told_of_in_turns() {
    let nav = Navigator::build(Map::from_fn(60, 40, |_| true).expect("legal")).expect("small");
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
    let ids: Vec<UnitId> = (0..500)
        .map(|i| crowd.spawn((i % 20, i / 20)).expect("free"))
        .collect();
    for &id in &ids {
        crowd.send(id, (55, 20)).expect("on the map");
    }
    crowd.tick();
    crowd.patch(Patch::new().block_rect((50, 0), (1, 40)));
    let (mut told, mut ticks) = (Vec::new(), 0);
    while told.len() < ids.len() {
        let events: Vec<Event> = crowd.tick().events().collect();
        assert!(events.len() <= 64, "{} events in a tick", events.len());
        for event in events {
            let Event::Unreachable(unit, Some(nearest)) = event else {
                panic!("{event:?}");
            };
            assert_eq!(nearest, (49, 20).into());
            let status = crowd.unit(unit).expect("there").status();
            let nearest = Some(nearest);
            assert_eq!(status, waypost::crowd::Status::Unreachable { nearest });
            told.push(unit);
        }
        ticks += 1;
        assert!(ticks < 100, "{} told", told.len());
    }
    told.sort();
    assert_eq!(told, ids);
    crowd.for_each(|unit| {
        let status = unit.status();
        assert_eq!(
            status,
            waypost::crowd::Status::Unreachable { nearest: None }
        );
    });
}

#[test]
fn labels_that_fit_a_memory_stay_within_it_when_they_are_rebuilt() {
    let rules = Rules::all()[0];
    let labels = |nav: &Navigator| {
        let facts = nav.inspect().facts;
        let fact = |name: &str| facts.iter().find(|(key, _)| key == name).cloned();
        let number = |name| fact(name).and_then(|(_, value)| value.parse::<u64>().ok());
        number("hubs").zip(number("corners")).unwrap_or_default()
    };
    let found = (0..).find_map(|seed| {
        let map = shapes::any(seed, 40, 60);
        let nav = Navigator::build(engine_map(&map, rules)).expect("a small map");
        let (hubs, corners) = labels(&nav);
        assert_eq!(hubs, corners);
        (corners > 100).then_some((map, corners))
    });
    let (mut map, corners) = found.expect("some map has corners");
    // Three labels of 16 bytes for each corner, where they begin, and what the file has beside them.
    let bytes = (corners + 1) * 4 + corners * 3 * 16 + 1000;
    let options = BuildOptions::default().fit_bytes(bytes);
    let nav = Navigator::build_with(engine_map(&map, rules), options).expect("room for three hubs");
    assert!(labels(&nav).0 < corners, "{corners} corners");
    let mut rng = TestRng::new(5);
    paths_are_shortest(&nav, &map, rules, &mut rng);
    nav.patch(random_patch(&mut map, &mut rng));
    for job in nav.rebuild_jobs() {
        job.run(&NoProgress);
    }
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("the default");
    while nav.index_states()[0].2 != IndexState::Current {
        crowd.tick();
    }
    let (hubs, corners) = labels(&nav);
    assert!(hubs < corners && hubs > 0, "{hubs} hubs of {corners}");
    paths_are_shortest(&nav, &map, rules, &mut rng);
    let options = BuildOptions::default().fit_bytes(0);
    assert!(Navigator::build_with(engine_map(&map, rules), options).is_err());
}
