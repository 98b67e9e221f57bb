//! Snapshots: a crowd that is brought back does what it did, in the process and in another one.

mod common;

use common::crowd::indexes_for;
use waypost::crowd::{AnyCrowd, Options, Snapshot, SnapshotError, WalkerId};
use waypost::index::Indexes;
use waypost::prelude::{CrowdOptions, CrowdSnapshot, Goal, Navigator, UnitType};
use waypost::spec::AgentSpec;
use waypost::{GridPatch, Map, Point};
use waypost_testkit::TestRng;

/// A map with rooms, doors between them and a lake that closes nothing.
fn level() -> Map {
    let open = |p: Point| {
        let wall = p.x % 24 == 23 && p.y % 11 != 5 || p.y % 20 == 19 && p.x % 13 != 6;
        let lake = p.x.abs_diff(60) + p.y.abs_diff(40) < 9;
        !(wall || lake)
    };
    Map::from_fn(120, 90, open).expect("a legal size")
}

fn any_point(map: &Map, rng: &mut TestRng) -> Point {
    loop {
        let (width, height) = (map.grid().width(), map.grid().height());
        let point = Point {
            x: rng.below(width),
            y: rng.below(height),
        };
        if map.passable_cell(point).is_some() {
            return point;
        }
    }
}

/// A crowd, and all that is done to it, from seeds.
struct Play {
    crowd: Box<dyn AnyCrowd>,
    ids: Vec<WalkerId>,
}

impl Play {
    fn new(spec: &AgentSpec, map: &Map, indexes: &Indexes, options: Options) -> Play {
        let crowd = spec.crowd(map, indexes, options).expect("it suits the map");
        let ids = Vec::new();
        Play { crowd, ids }
    }

    /// Ticks with all that may happen between them; what was seen.
    fn go_on(&mut self, seed: u64, ticks: u32) -> Vec<u64> {
        let mut rng = TestRng::new(seed);
        let mut seen = Vec::new();
        for tick in 0..ticks {
            self.disturb(&mut rng, tick);
            let done = self.crowd.tick();
            seen.extend([done.moves, done.arrived, done.set_up, done.provisional]);
            seen.extend([done.waits, done.meter.operations()]);
            for &id in &self.ids {
                let view = self.crowd.view(id).expect("there");
                seen.push(u64::from(view.at.x) << 32 | u64::from(view.at.y));
            }
        }
        seen
    }

    fn disturb(&mut self, rng: &mut TestRng, tick: u32) {
        let map = self.crowd.map().clone();
        if tick % 7 == 3 {
            let at = any_point(&map, rng);
            let patch = match rng.percent(50) {
                true => GridPatch::new().block_rect(at, (3, 2)),
                false => GridPatch::new().open_rect(at, (4, 4)),
            };
            self.crowd.patch(&patch);
        }
        if tick % 23 == 11 {
            // A great deal at once: more than is queued cell by cell.
            let mut patch = GridPatch::new();
            for _ in 0..400 {
                let at = Point {
                    x: rng.below(map.grid().width()),
                    y: rng.below(map.grid().height()),
                };
                patch.set(at, !(tick / 23).is_multiple_of(2));
            }
            self.crowd.patch(&patch);
        }
        let map = self.crowd.map().clone();
        for _ in 0..2 {
            let (goal, who) = (
                any_point(&map, rng),
                rng.below(self.ids.len().max(1) as u32),
            );
            if let Some(&id) = self.ids.get(who as usize) {
                self.crowd.send(id, goal).expect("on the map");
            }
        }
        if tick % 9 == 4 {
            let (first, second) = (self.ids[0], self.ids[1]);
            self.crowd.follow(first, second).expect("there");
        }
        if tick % 11 == 5 && self.ids.len() > 10 {
            let gone = self
                .ids
                .swap_remove(rng.below(self.ids.len() as u32) as usize);
            self.crowd.remove(gone).expect("there");
        }
        if tick % 5 == 1 {
            self.spawn(&map, rng);
        }
    }

    fn spawn(&mut self, map: &Map, rng: &mut TestRng) {
        if let Ok(id) = self.crowd.add(any_point(map, rng)) {
            self.crowd
                .send(id, any_point(map, rng))
                .expect("on the map");
            self.crowd.set_pace(id, 1 + rng.below(3)).expect("a pace");
            self.ids.push(id);
        }
    }
}

fn options(exclusive: bool) -> Options {
    Options {
        exclusive,
        // Repairs take many ticks and plans have to wait: snapshots fall into the midst of both.
        set_up_operations: 40_000,
        repair_operations: 2_000,
        ..Options::default()
    }
}

#[test]
fn a_run_goes_on_as_it_did_in_the_process_and_elsewhere() {
    for method in [
        "waypost",
        "sectors:side=8",
        "labels",
        "jump-graph",
        "jps",
        "astar",
    ] {
        let (spec, map) = (AgentSpec::parse(method).expect("a method"), level());
        let indexes = indexes_for(&spec, &map);
        for exclusive in [false, true] {
            let mut play = Play::new(&spec, &map, &indexes, options(exclusive));
            let mut rng = TestRng::new(7);
            for _ in 0..60 {
                play.spawn(&map, &mut rng);
            }
            // A snapshot before the first tick, and after runs of different lengths.
            for (round, ticks) in [0, 40, 3, 61].into_iter().enumerate() {
                let seed = 100 + round as u64;
                play.go_on(seed, ticks);
                let then = play.crowd.snapshot().expect("in step or soon");
                let ids = play.ids.clone();
                let seen = play.go_on(seed + 50, 50);
                let bytes = play.crowd.snapshot().expect("as before").to_bytes();
                let what = format!("{method}, exclusive {exclusive}, round {round}");
                // Back, twice.
                for _ in 0..2 {
                    play.ids = ids.clone();
                    play.crowd.restore(&then).expect("of this crowd");
                    let again = play.go_on(seed + 50, 50);
                    assert!(seen == again, "{what}: another run in the process");
                }
                let same = play.crowd.snapshot().expect("as before").to_bytes();
                assert!(bytes == same, "{what}: another state in the process");
                // In a world that knows nothing of this one, and is somewhere else.
                let mut other = Play::new(&spec, &map, &indexes, options(exclusive));
                other.spawn(&map, &mut TestRng::new(1));
                other.spawn(&map, &mut TestRng::new(2));
                other.go_on(3, 10);
                let read = Snapshot::from_bytes(&then.to_bytes()).expect("whole");
                other.crowd.restore(&read).expect("of such a crowd");
                other.ids = ids;
                let again = other.go_on(seed + 50, 50);
                assert!(seen == again, "{what}: another run elsewhere");
                let same = other.crowd.snapshot().expect("as before").to_bytes();
                assert!(bytes == same, "{what}: another state elsewhere");
            }
        }
    }
}

#[test]
fn damaged_and_foreign_snapshots_are_refused_and_change_nothing() {
    let (spec, map) = (
        AgentSpec::parse("sectors:side=8").expect("a method"),
        level(),
    );
    let indexes = indexes_for(&spec, &map);
    let mut play = Play::new(&spec, &map, &indexes, options(true));
    let mut rng = TestRng::new(4);
    for _ in 0..20 {
        play.spawn(&map, &mut rng);
    }
    play.go_on(5, 30);
    let snapshot = play.crowd.snapshot().expect("in step or soon");
    let bytes = snapshot.to_bytes();
    for at in (0..bytes.len()).step_by(37) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(Snapshot::from_bytes(&damaged).is_err(), "byte {at}");
        assert!(Snapshot::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
    }
    assert_eq!(
        Snapshot::from_bytes(b"something else altogether").err(),
        Some(SnapshotError::NotASnapshot)
    );
    // Another map, another method, shared cells.
    let mut small = level();
    let patch = GridPatch::new().block((2, 2));
    small.apply(&patch);
    let read = Snapshot::from_bytes(&bytes).expect("whole");
    let tries = [
        (&spec, &small, options(true)),
        (
            &AgentSpec::parse("labels").expect("a method"),
            &map,
            options(true),
        ),
        (&spec, &map, options(false)),
    ];
    for (spec, map, options) in tries {
        let indexes = indexes_for(spec, map);
        let mut other = Play::new(spec, map, &indexes, options);
        for seed in 0..5 {
            other.spawn(map, &mut TestRng::new(seed));
        }
        other.go_on(8, 20);
        let before = other.crowd.snapshot().expect("in step or soon").to_bytes();
        let refused = other.crowd.restore(&read).expect_err("foreign");
        assert!(!refused.to_string().is_empty());
        let after = other.crowd.snapshot().expect("in step or soon").to_bytes();
        assert!(before == after, "{refused}");
    }
    // Methods whose agents cannot be written down say so.
    let learning = AgentSpec::parse("lrta").expect("a method");
    let crowd = learning.crowd(&map, &Indexes::new(), Options::default());
    let mut crowd = crowd.expect("it needs nothing");
    crowd.add(Point { x: 1, y: 1 }).expect("free");
    let refused = crowd.snapshot().expect_err("not offered").to_string();
    assert!(refused.contains("lrta"), "{refused}");
}

#[test]
fn a_world_with_several_types_of_units_comes_back_whole() {
    let world = || {
        let nav = Navigator::build(level()).expect("a navigator");
        let tank = UnitType::new("tank").size(2);
        nav.add_unit_type(tank).expect("a type");
        let idle = UnitType::new("barge").size(3);
        nav.add_unit_type(idle).expect("a type");
        nav
    };
    let nav = world();
    let mut crowd = nav.crowd(CrowdOptions::default()).expect("a crowd");
    let scout = crowd.spawn((2, 2)).expect("free");
    let tank = crowd.spawn_type("tank", (5, 5)).expect("free");
    crowd.send(scout, (110, 80)).expect("on the map");
    crowd.send(tank, Goal::Unit(scout)).expect("there");
    for _ in 0..10 {
        crowd.tick();
    }
    let patch = GridPatch::new().block_rect((30, 3), (4, 9));
    crowd.patch(&patch);
    let then = crowd.snapshot().expect("in step or soon");
    let run = |crowd: &mut waypost::prelude::Crowd| {
        let mut seen = Vec::new();
        for tick in 0..80 {
            if tick == 20 {
                let patch = GridPatch::new().open_rect((30, 3), (4, 9));
                crowd.patch(patch.block_rect((40, 0), (2, 15)));
            }
            let events: Vec<_> = crowd.tick().events().collect();
            seen.push((
                crowd.position(scout).expect("there"),
                crowd.position(tank).expect("there"),
                events,
            ));
        }
        seen
    };
    let seen = run(&mut crowd);
    crowd.restore(&then).expect("of this crowd");
    let barge = nav.for_unit("barge").expect("a type");
    assert!(!barge.is_free((30, 3)) && barge.is_free((40, 3)), "back");
    assert_eq!(run(&mut crowd), seen);
    let read = CrowdSnapshot::from_bytes(&then.to_bytes()).expect("whole");
    let other = world();
    let mut elsewhere = other.crowd(CrowdOptions::default()).expect("a crowd");
    elsewhere.restore(&read).expect("of such a world");
    assert_eq!(run(&mut elsewhere), seen);
    let mut bytes = then.to_bytes();
    bytes[40] ^= 4;
    assert!(CrowdSnapshot::from_bytes(&bytes).is_err());
    let single = Navigator::build(level()).expect("a navigator");
    let mut crowd = single.crowd(CrowdOptions::default()).expect("a crowd");
    assert!(crowd.restore(&read).is_err(), "it has no such types");
}
