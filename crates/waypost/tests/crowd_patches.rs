//! Crowds on changing maps, one for every kind of index: safe while the index is of an older map, told how it stands, and
//! better again with a new one.

mod common;

use common::crowd::{Stage, indexes_for};
use common::engine_map;
use std::sync::Arc;
use waypost::crowd::{Options, Status};
use waypost::index::cpd::PathDatabase;
use waypost::index::slot::IndexState;
use waypost::index::{Index, IndexKind};
use waypost::progress::NoProgress;
use waypost::spec::AgentSpec;
use waypost::{GridPatch, Point};
use waypost_testkit::{Rules, TestMap, TestRng, optimal_cost, shapes};

/// A method for each kind of index, and how that stands after a patch when repairs are done.
const METHODS: [(&str, IndexKind, IndexState); 13] = [
    ("labels", IndexKind::Labels, IndexState::Stale),
    ("waypost", IndexKind::Auto, IndexState::Current),
    (
        "knn-lrta:records=300",
        IndexKind::Subgoals,
        IndexState::Current,
    ),
    (
        "knn-lrta:records=300,choose=cost",
        IndexKind::Subgoals,
        IndexState::Current,
    ),
    ("sectors:side=8", IndexKind::Sectors, IndexState::Current),
    ("jump-graph", IndexKind::Jump, IndexState::Current),
    ("pra", IndexKind::Hierarchy, IndexState::Current),
    ("cpd", IndexKind::Cpd, IndexState::Stale),
    ("d-lrta", IndexKind::Regions, IndexState::Stale),
    ("hcdps", IndexKind::ClimbRegions, IndexState::Stale),
    ("astar:landmarks=2", IndexKind::Landmarks, IndexState::Stale),
    ("tables", IndexKind::Tables, IndexState::Stale),
    ("tables:zone=8", IndexKind::Tables, IndexState::Stale),
];

/// Whether every path of this method's walkers is shortest, on a map that its index is of.
fn is_exact(spec: &str) -> bool {
    ["labels", "jump-graph", "jps", "cpd", "astar", "tables"]
        .iter()
        .any(|name| spec.starts_with(name))
}

#[test]
fn crowds_of_all_indexes_survive_patches_and_take_new_indexes() {
    for (seed, (spec, kind, then)) in METHODS.into_iter().enumerate() {
        for exclusive in [false, true] {
            let map = shapes::noise(48, 40, 15, &mut TestRng::new(seed as u64));
            let options = Options {
                set_up_operations: 125_000,
                exclusive,
                ..Options::default()
            };
            let mut stage = Stage::new(spec, map, Rules::all()[0], options, seed as u64);
            stage.add(40);
            assert_eq!(stage.crowd.index_states(), [(kind, IndexState::Current)]);
            let mut arrived = 0;
            for tick in 0..200 {
                if tick % 40 == 0 {
                    stage.send_all();
                }
                if tick % 25 == 10 {
                    let keep = stage.places();
                    stage.patch(24, &keep);
                }
                arrived += stage.tick().arrived;
            }
            assert!(arrived > 50, "{}: only {arrived} arrived", stage.name());
            for _ in 0..2000 {
                if stage.crowd.index_states()[0].1 == IndexState::Repairing {
                    stage.tick();
                }
            }
            assert_eq!(
                stage.crowd.index_states(),
                [(kind, then)],
                "{}",
                stage.name()
            );
            if !exclusive {
                // The index is of an older map, or repaired: either way all get there.
                stage.send_all();
                stage.settle(5000);
                stage.rebuild_indexes();
                assert_eq!(stage.crowd.index_states(), [(kind, IndexState::Current)]);
                walks_are_shortest_again(&mut stage);
            }
        }
    }
}

/// With an index of the map as it is, exact methods walk shortest paths and all others arrive.
fn walks_are_shortest_again(stage: &mut Stage) {
    let costs = stage.rules;
    // One after the other: nobody has to step provisionally while others plan.
    for id in stage.ids.clone() {
        let (from, goal) = (stage.place(id), stage.any_point());
        let best = optimal_cost(&stage.map, costs, (from.x, from.y), (goal.x, goal.y));
        stage.crowd.send(id, goal).expect("on the map");
        let mut walked = 0;
        for _ in 0..5000 {
            let before = stage.place(id);
            stage.tick();
            let after = stage.place(id);
            let diagonal = before.x != after.x && before.y != after.y;
            walked += match (before == after, diagonal) {
                (true, _) => 0,
                (_, true) => costs.diagonal,
                _ => costs.straight,
            };
            if stage.crowd.status(id) != Ok(Status::Moving) {
                break;
            }
        }
        match best {
            None => assert!(matches!(
                stage.crowd.status(id),
                Ok(Status::Unreachable { .. } | Status::Arrived)
            )),
            Some(best) => {
                assert_eq!(stage.place(id), goal, "{}", stage.name());
                if is_exact(&stage.spec) {
                    assert_eq!(walked, best, "{} {from} -> {goal}", stage.name());
                }
            }
        }
    }
}

/// A path database whose changed rows alone were built again serves as a whole new one does.
#[test]
fn a_patched_path_database_gives_shortest_paths_again() {
    for (seed, spec) in ["cpd", "cpd:encoding=runs", "cpd:encoding=table"]
        .into_iter()
        .enumerate()
    {
        let map = shapes::noise(40, 36, 12, &mut TestRng::new(seed as u64));
        let rules = Rules::all()[0];
        let request = &AgentSpec::parse(spec).expect("a right spec").needs()[0];
        let before = PathDatabase::build(&engine_map(&map, rules), request, &NoProgress);
        let before = before.expect("a small map");
        let mut stage = Stage::new(spec, map, rules, Options::default(), seed as u64);
        stage.add(30);
        stage.send_all();
        for _ in 0..4 {
            let keep = stage.places();
            stage.patch(12, &keep);
            for _ in 0..3 {
                stage.tick();
            }
        }
        let kind = IndexKind::Cpd;
        assert_eq!(stage.crowd.index_states(), [(kind, IndexState::Stale)]);
        let patched = before.patched(&stage.crowd.map(), &NoProgress);
        let patched = patched.expect("the same size and rules");
        let patched: Arc<dyn Index> = Arc::new(patched.database);
        stage.crowd.replace_index(&patched).expect("of this map");
        assert_eq!(stage.crowd.index_states(), [(kind, IndexState::Current)]);
        walks_are_shortest_again(&mut stage);
    }
}

/// A jump-point graph is repaired over ticks, too; meanwhile everybody goes on legally, and afterwards plans as on a new one.
#[test]
fn jump_points_are_repaired_a_slice_a_tick() {
    for spec in ["jump-graph", "jps"] {
        let map = shapes::noise(90, 80, 8, &mut TestRng::new(5));
        let options = Options {
            repair_operations: 60,
            ..Options::default()
        };
        let mut stage = Stage::new(spec, map, Rules::all()[0], options, 5);
        stage.add(60);
        stage.send_all();
        let mut under_repair = 0;
        for tick in 0..120 {
            if tick % 30 == 3 {
                let keep = stage.places();
                stage.patch(20, &keep);
            }
            let done = stage.tick();
            let states = stage.crowd.index_states();
            if states == [(IndexKind::Jump, IndexState::Repairing)] {
                under_repair += 1;
                assert_eq!(done.set_up, 0, "nobody plans on half a graph");
            }
        }
        // The bitmaps of `jps` are no index that anybody hands over.
        assert_eq!(under_repair > 10, spec == "jump-graph", "{under_repair}");
        stage.settle(3000);
        while stage
            .crowd
            .index_states()
            .iter()
            .any(|state| state.1 == IndexState::Repairing)
        {
            stage.tick();
        }
        walks_are_shortest_again(&mut stage);
    }
}

/// On maps too large for the jump-point graph old labels go on, round new walls by LRTA*, legally, until the goal; labels built
/// for the map as it is take over in a running crowd.
#[test]
fn labels_of_the_old_map_serve_on_a_large_one_until_new_ones_come() {
    for replaced in [false, true] {
        let mut map = TestMap::filled(700, 600, true);
        map.set_rectangle(200, 100, 5, 300, false);
        let mut stage = Stage::new("labels", map, Rules::all()[0], Options::default(), 0);
        for i in 0..20 {
            let from = Point {
                x: 20 + i,
                y: 90 + 20 * i,
            };
            let id = stage.crowd.add(from).expect("a free cell");
            stage
                .crowd
                .send(id, Point { x: 600, y: 300 + i })
                .expect("on the map");
            stage.ids.push(id);
        }
        for _ in 0..100 {
            stage.tick();
        }
        let mut patch = GridPatch::new();
        for y in 250..330 {
            stage.set(&mut patch, Point { x: 400, y }, false);
        }
        stage.crowd.patch(&patch);
        let kind = IndexKind::Labels;
        assert_eq!(stage.crowd.index_states(), [(kind, IndexState::Stale)]);
        if replaced {
            for _ in 0..10 {
                stage.tick();
            }
            stage.rebuild_indexes();
            assert_eq!(stage.crowd.index_states(), [(kind, IndexState::Current)]);
        }
        stage.settle(6000);
        assert!(
            stage
                .ids
                .iter()
                .all(|&id| stage.crowd.status(id) == Ok(Status::Arrived))
        );
        if replaced {
            let id = stage.ids[0];
            stage.ids = vec![id];
            let from = stage.place(id);
            let goal = Point { x: 300, y: 280 };
            let walk = optimal_cost(&stage.map, stage.rules, (from.x, from.y), (goal.x, goal.y));
            stage.crowd.send(id, goal).expect("on the map");
            let mut ticks = 0;
            while stage.crowd.status(id) != Ok(Status::Arrived) {
                stage.tick();
                ticks += 1;
            }
            // Round the new wall and straight on: as many ticks as the shortest path has moves, no fewer and not many more.
            let best = walk.expect("reachable") / 985;
            assert!(ticks <= best, "{ticks} ticks for at most {best} moves");
        }
    }
}

/// A patch marks records, a patch back unmarks them, and sectors end as a new build would have them.
#[test]
fn indexes_are_repaired_a_slice_a_tick() {
    let map = engine_map(&TestMap::filled(64, 48, true), Rules::all()[0]);
    for spec in ["knn-lrta:records=200", "sectors:side=8"] {
        let parsed = AgentSpec::parse(spec).expect("a right spec");
        let indexes = indexes_for(&parsed, &map);
        let options = Options {
            repair_operations: 2_000,
            ..Options::default()
        };
        let mut crowd = parsed
            .crowd(&map, &indexes, options)
            .expect("indexes are there");
        let mut patch = GridPatch::new();
        for y in 0..40 {
            patch.set(Point { x: 30, y }, false);
        }
        crowd.patch(&patch);
        let mut ticks = 0;
        while crowd.index_states()[0].1 == IndexState::Repairing {
            crowd.tick();
            ticks += 1;
            assert!(ticks < 10_000, "{spec}");
        }
        assert!(ticks > 1, "{spec}: not in slices");
        assert_eq!(crowd.index_states()[0].1, IndexState::Current, "{spec}");
    }
}

/// Walkers went on to the end of their leg before they saw that their path was blocked behind it: here for 240 ticks the wrong way.
#[test]
fn a_wall_behind_the_end_of_a_leg_turns_walkers_back() {
    let mut ring = TestMap::filled(302, 9, false);
    ring.set_rectangle(1, 1, 300, 7, true);
    ring.set_rectangle(2, 2, 298, 5, false);
    for spec in ["waypost", "labels", "jump-graph", "astar"] {
        for exclusive in [false, true] {
            let options = Options {
                exclusive,
                ..Options::default()
            };
            let mut stage = Stage::new(spec, ring.clone(), Rules::all()[0], options, 1);
            let start = Point { x: 60, y: 1 };
            let id = stage.crowd.add(start).expect("free");
            stage.ids.push(id);
            stage.crowd.send(id, Point { x: 250, y: 7 }).expect("open");
            for _ in 0..20 {
                stage.tick();
            }
            let turned = stage.place(id);
            assert!(turned.x > start.x + 10, "{}", stage.name());
            let mut patch = GridPatch::new();
            stage.set(&mut patch, Point { x: 300, y: 4 }, false);
            stage.crowd.patch(&patch);
            for _ in 0..20 {
                stage.tick();
            }
            assert!(stage.place(id).x < turned.x, "{}", stage.name());
        }
    }
}
