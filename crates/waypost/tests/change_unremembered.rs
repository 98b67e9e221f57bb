//! Changes that nobody was told of and that the map does not remember one by one: many cells, many patches, doors, forks, rebuilds.

mod common;

use common::{engine_map, indexes_for};
use std::sync::Arc;
use waypost::agent::{Agent, Scratch};
use waypost::index::slot::IndexState;
use waypost::index::{Index, IndexKind, IndexRequest, Indexes};
use waypost::map::Doors;
use waypost::run::walk;
use waypost::spec::AgentSpec;
use waypost::{Cell, Context, Corners, GridPatch, Map, MoveRules, Point};
use waypost_testkit::shapes::Shape;
use waypost_testkit::{Rules, TestRng};

/// A used index was taken by a map of the same cells under other rules, or with other doors: agents walked round no corner.
#[test]
fn an_index_of_other_rules_or_doors_is_refused_also_where_it_is_in_use() {
    let mut rng = TestRng::new(3);
    let map = engine_map(&Shape::Rooms.make(24, 24, &mut rng), Rules::all()[0]);
    let rules = MoveRules {
        corners: Corners::Always,
        ..map.rules()
    };
    let other_rules = Map::new(map.grid().clone(), rules);
    let mut doors = Doors::none(map.grid());
    doors.add(map.grid().point(map.grid().cells().next().expect("open")));
    let other_doors = Map::with_doors(map.grid().clone(), map.rules(), doors);
    for name in [
        "waypost",
        "labels",
        "jump-graph",
        "sectors",
        "quickpath",
        "cpd",
    ] {
        let spec = AgentSpec::parse(name).expect("a good spec");
        let indexes = indexes_for(&spec, &map);
        spec.build(&map, &indexes).expect("its own map");
        for other in [&other_rules, &other_doors] {
            assert!(spec.build(other, &indexes).is_err(), "{name}");
        }
        spec.build(&map, &indexes).expect("its own map, still");
    }
}

/// What a walk costs beyond a shortest one, in percent, and moves that it stood still; nobody carries anything on but the agent itself.
fn lengthening(map: &Map, agent: &mut dyn Agent<Map>, rng: &mut TestRng) -> (f64, u64) {
    let exact = AgentSpec::parse("jps").expect("a good spec");
    let mut exact = exact.build(map, &Indexes::new()).expect("it needs none");
    let mut scratch = Scratch::new();
    let cells: Vec<Cell> = map.grid().cells().collect();
    let (mut walked, mut shortest, mut waits) = (0, 0, 0);
    for _ in 0..12 {
        let [from, goal] = [(); 2].map(|()| cells[rng.below(cells.len() as u32) as usize]);
        let mut context = Context::new(map, &mut scratch);
        let best = walk(&mut *exact, &mut context, from, goal, 100_000, &mut ());
        let best = best.expect("legal");
        if best.path.last() != Some(&goal) {
            continue;
        }
        let own = walk(agent, &mut context, from, goal, 100_000, &mut ()).expect("legal");
        assert_eq!(own.path.last(), Some(&goal), "it does not arrive");
        (walked, shortest) = (walked + own.cost, shortest + best.cost);
        waits += own.decisions.saturating_sub(own.path.len() as u64);
    }
    (100.0 * (walked as f64 / shortest as f64 - 1.0), waits)
}

/// Where more cells had changed than a move may look at, or more patches than a map remembers, or a large part of a small map, an agent
/// alone walked by LRTA* for ever.
#[test]
fn an_agent_alone_catches_up_with_any_change() {
    for seed in 0..8 {
        let mut rng = TestRng::new(seed);
        let side = [60, 150][seed as usize % 2];
        let shape = [Shape::Rooms, Shape::Caves][seed as usize / 2 % 2];
        let mut map = engine_map(&shape.make(side, side, &mut rng), Rules::all()[0]);
        let spec = AgentSpec::parse("waypost").expect("a good spec");
        let indexes = indexes_for(&spec, &map);
        let mut agent = spec.build(&map, &indexes).expect("its own map");
        lengthening(&map, &mut *agent, &mut rng);
        let mut corner = || Point {
            x: rng.below(side),
            y: rng.below(side),
        };
        if seed < 4 {
            let mut blocks = GridPatch::new();
            for _ in 0..5 {
                let at = corner();
                for (x, y) in (0..10).flat_map(|x| (0..10).map(move |y| (at.x + x, at.y + y))) {
                    blocks.set(Point { x, y }, false);
                }
            }
            map.apply(&blocks);
        } else {
            for _ in 0..400 {
                let patch = GridPatch::new().block(corner()).open(corner());
                map.apply(&patch);
            }
        }
        let (first, _) = lengthening(&map, &mut *agent, &mut rng);
        let (then, waits) = lengthening(&map, &mut *agent, &mut rng);
        assert!(first < 100.0, "seed {seed}: {first}%");
        assert!(
            then < 5.0 && waits < 200,
            "seed {seed}: {then}%, {waits} waits"
        );
    }
}

/// A map with doors, some of which are closed in one go, and what a sectors index is after all upkeep.
struct Doored {
    map: Map,
    doors: Vec<Point>,
    indexes: Indexes,
}

impl Doored {
    fn new() -> Doored {
        let mut rng = TestRng::new(9);
        let map = engine_map(&Shape::Rooms.make(90, 90, &mut rng), Rules::all()[0]);
        let free = |x: u32, y: u32| map.passable_cell(Point { x, y }).is_some();
        let mut doors = Vec::new();
        for at in map.grid().cells().map(|cell| map.grid().point(cell)) {
            let beside = free(at.x.wrapping_sub(1), at.y) || free(at.x + 1, at.y);
            let above = free(at.x, at.y.wrapping_sub(1)) || free(at.x, at.y + 1);
            if beside != above {
                doors.push(at);
            }
        }
        let mut mask = Doors::none(map.grid());
        doors.iter().for_each(|&at| mask.add(at));
        let map = Map::with_doors(map.grid().clone(), map.rules(), mask);
        let indexes = indexes_for(&Doored::spec(), &map);
        Doored {
            map,
            doors,
            indexes,
        }
    }

    fn spec() -> AgentSpec {
        AgentSpec::parse("sectors").expect("a good spec")
    }

    fn use_it(&self) {
        let built = Doored::spec().build(&self.map, &self.indexes);
        built.expect("its own index");
    }

    fn set(&mut self, doors: &[Point], open: bool) {
        let mut patch = GridPatch::new();
        for &door in doors {
            patch.set(door, open);
        }
        self.map.apply(&patch);
    }

    fn finish(&self) -> Vec<u8> {
        finish(&self.map, &self.indexes)
    }
}

fn finish(map: &Map, indexes: &Indexes) -> Vec<u8> {
    for _ in 0..2_000 {
        indexes.advance(map, 20_000, true);
    }
    let states: Vec<IndexState> = indexes.states().map(|(_, state)| state).collect();
    assert_eq!(states, [IndexState::Current]);
    let request = IndexRequest::new(IndexKind::Sectors);
    let slot = indexes.slot(map, &request).expect("of this map");
    let index: Arc<dyn Index> = slot.index();
    index.to_bytes().as_ref().to_vec()
}

/// The index of a fork, of a rebuild and of a world whose doors moved more often than it remembers did not know which doors were closed,
/// and said that it was current.
#[test]
fn closed_doors_are_known_after_forks_rebuilds_and_hundreds_of_patches() {
    let mut control = Doored::new();
    assert!(control.doors.len() > 20, "{}", control.doors.len());
    let closed = control.doors[..control.doors.len() * 9 / 10].to_vec();
    control.use_it();
    let open = control.finish();
    control.set(&closed, false);
    let expected = control.finish();
    assert_ne!(open, expected);

    let mut forked = Doored::new();
    forked.use_it();
    forked.set(&closed, false);
    forked.indexes.advance(&forked.map, 10, true);
    let other = (forked.map.clone(), forked.indexes.fork());
    Doored::spec()
        .build(&other.0, &other.1)
        .expect("a fork has its index");
    assert_eq!(finish(&other.0, &other.1), expected, "forked");

    let mut rebuilt = Doored::new();
    rebuilt.use_it();
    rebuilt.set(&closed, false);
    rebuilt.finish();
    for slot in rebuilt.indexes.slots() {
        assert!(slot.rebuild_job(&rebuilt.map, true).is_some());
    }
    rebuilt.indexes.advance(&rebuilt.map, u64::MAX / 4, true);
    assert_eq!(rebuilt.finish(), expected, "rebuilt");

    let mut busy = Doored::new();
    busy.use_it();
    busy.set(&closed[..3], false);
    busy.finish();
    for round in 0..400 {
        let door = closed[round % closed.len()];
        busy.set(&[door], round % 3 == 0);
    }
    busy.set(&closed, false);
    assert_eq!(busy.finish(), expected, "busy");
}
