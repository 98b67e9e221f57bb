//! What kNN LRTA* promises about every single move: no allocation, and a bound that does not know the map.

mod common;

use common::{cell, engine_map};
use waypost::agent::Scratch;
use waypost::index::{self, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::run::{Outcome, walk};
use waypost::spec::AgentSpec;
use waypost::{Agent, Context, Decision, Grid, Map, Meter, MoveRules, Point};
use waypost_testkit::allocations::{Counting, is_counting, measure};
use waypost_testkit::shapes::Shape;
use waypost_testkit::{Rules, TestRng};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn build(spec: &str, map: &Map) -> Box<dyn Agent<Map>> {
    let spec = AgentSpec::parse(spec).expect("a good spec");
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        let built = index::build(map, &request, Shard::WHOLE, &NoProgress);
        indexes.add(built.expect("a suitable map"));
    }
    spec.build(map, &indexes).expect("its index is there")
}

/// Few records on many rooms: agents climb, search and learn.
#[test]
fn moves_allocate_nothing() {
    assert!(is_counting());
    let mut rng = TestRng::new(12);
    let rooms = Shape::Rooms.make(250, 250, &mut rng);
    let map = engine_map(&rooms, Rules::all()[0]);
    for spec in [
        "knn-lrta:records=300",
        "knn-lrta:records=300,candidates=all,learn=always",
        "knn-lrta:records=50,lookup=scan,fragments=on",
    ] {
        let mut agent = build(spec, &map);
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        let (mut moves, mut learned) = (0, 0);
        for problem in 0..40 {
            let ends = [(); 2].map(|()| {
                let point = rooms.random_open_cell(&mut rng).expect("open ground");
                cell(&map, point)
            });
            agent.start(&mut context, ends[0], ends[1]);
            let mut at = ends[0];
            let (_, used) = measure(|| {
                for _ in 0..3000 {
                    let Decision::Step(to) = agent.next_move(&mut context, at) else {
                        break;
                    };
                    at = to;
                    moves += 1;
                }
            });
            assert_eq!(used.count, 0, "{spec}, problem {problem}: {used:?}");
            learned += usize::from(agent.memory_bytes() > 1000);
        }
        assert!(
            moves > 2000 && learned > 0,
            "{spec}: {moves} moves, {learned} learned"
        );
    }
}

/// Walls with gaps at alternating ends.
fn walled_map(side: u32) -> Map {
    let grid = Grid::from_fn(side, side, |p| {
        let left = p.x / 97 % 2 == 0;
        p.x % 97 != 50 || if left { p.y < 2 } else { p.y >= side - 2 }
    });
    Map::new(grid.expect("a legal size"), MoveRules::default())
}

#[test]
fn the_bound_depends_on_parameters_alone() {
    let maps = [walled_map(200), walled_map(2000)];
    for spec in [
        "knn-lrta:records=400",
        "knn-lrta:records=400,visits=50,candidates=3,climb=20",
        "knn-lrta:records=400,candidates=all",
        "knn-lrta-2009:records=400",
    ] {
        let bounds = maps.each_ref().map(|map| {
            let mut agent = build(spec, map);
            let bound = agent.operations_bound(map).expect("a bound");
            let side = map.grid().width();
            let end = |x, y| map.passable_cell(Point { x, y }).expect("passable");
            let (mut at, goal) = (end(1, 1), end(side - 2, side / 2));
            let mut scratch = Scratch::new();
            let mut context = Context::new(map, &mut scratch);
            agent.start(&mut context, at, goal);
            for _ in 0..2000 {
                context.meter = Meter::default();
                let Decision::Step(to) = agent.next_move(&mut context, at) else {
                    break;
                };
                at = to;
                let operations = context.meter.operations();
                assert!(operations <= bound, "{spec}: {operations} of {bound}");
            }
            bound
        });
        assert_eq!(bounds[0], bounds[1], "{spec}");
    }
}

/// Real maps, where there are any (`WAYPOST_MAPS`): databases of records that climbing follows, walks that arrive.
#[test]
fn real_maps_are_walked() {
    let Some(folder) = std::env::var_os("WAYPOST_MAPS") else {
        println!("skipped: WAYPOST_MAPS names no folder of maps");
        return;
    };
    for name in ["brc202d", "orz900d", "AcrosstheCape", "random512-25-0"] {
        let path = std::path::Path::new(&folder).join(format!("{name}.map"));
        let Ok(bytes) = std::fs::read(&path) else {
            println!("skipped: {name} is not there");
            continue;
        };
        let grid = waypost::formats::map::parse(&bytes).expect("a good map");
        let map = Map::new(grid, MoveRules::default());
        let mut agent = build("knn-lrta:records=1500", &map);
        let bound = agent.operations_bound(&map).expect("a bound");
        let cells: Vec<_> = map.grid().cells().collect();
        let mut rng = waypost::rng::Rng::new(6);
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        for _ in 0..40 {
            let [from, goal] = [0; 2].map(|_| cells[rng.below(cells.len() as u32) as usize]);
            let walk = walk(&mut *agent, &mut context, from, goal, 3_000_000, &mut ());
            let walk = walk.expect("legal moves");
            let connected = waypost::Space::connected(&map, from, goal);
            let expected = match walk.outcome {
                Outcome::Unreachable => !connected,
                // Where no record is found, LRTA* may need more than anybody waits for.
                Outcome::Arrived | Outcome::OutOfMoves => connected,
            };
            assert!(expected, "{name}: {from:?} to {goal:?}");
            assert!(walk.operations_per_move_max <= bound, "{name}");
        }
    }
}
