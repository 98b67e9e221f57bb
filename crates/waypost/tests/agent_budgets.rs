//! What real-time agents promise about every single move: a bound on operations that is the same on maps of any size, and
//! memory in blocks of a fixed size. That moves of all agents allocate nothing is tested in `every_agent.rs`.

use waypost::agent::Scratch;
use waypost::index::{self, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::spec::AgentSpec;
use waypost::{Agent, Budget, Context, Decision, Grid, Map, Meter, MoveRules, Point, Space};
use waypost_testkit::allocations::{Counting, measure};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SPECS: &[&str] = &[
    "lrta",
    "lrta:gmax=4.3,weight=2",
    "lss-lrta:lookahead=20",
    "rtaa:lookahead=20,weight=1.5",
    "rtaa:lookahead=20,avoid=raised",
    "lss-lrta:lookahead=20,avoid=marked",
    "lrts:gmax=3,quota=100",
    "lrts:gmax=6,quota=2",
    "lrts:gmax=1,quota=3",
    "tba:slice=5",
    "tba:slice=100",
    "tba:slice=20,weight=3",
];

/// Agents whose index leaves the bound as it is: it depends on the parameters of index and agent alone. Those that take
/// theirs from what the index of a map has measured (`labels`, `cpd`, `d-lrta`, `hcdps`, `quickpath`) publish it as soon as the
/// index is built; `every_agent.rs` holds them to it.
const INDEXED: &[&str] = &[
    "knn-lrta:records=40",
    "knn-lrta:records=40,candidates=all,climb=20",
    "knn-lrta-2009:records=40",
    "sectors:side=64",
];

fn build(spec: &str, map: &Map) -> Box<dyn Agent<Map>> {
    let spec = AgentSpec::parse(spec).expect("a good spec");
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        let built = index::build(map, &request, Shard::WHOLE, &NoProgress);
        indexes.add(built.expect("a suitable map"));
    }
    spec.build(map, &indexes).expect("its index is there")
}

/// Beyond what set-up reserves, TBA*'s lists grow by blocks of a fixed size, each of them allocated at once.
#[test]
fn beyond_the_reserve_tba_allocates_blocks_of_a_fixed_size() {
    let map = walled_map(2000, 3);
    let ends = [Point { x: 1, y: 1 }, Point { x: 1998, y: 1998 }]
        .map(|point| map.passable_cell(point).expect("passable"));
    let mut agent = build("tba:slice=2000", &map);
    let mut scratch = Scratch::new();
    let mut context = Context::new(&map, &mut scratch);
    agent.start(&mut context, ends[0], ends[1]);
    let mut at = ends[0];
    let mut blocks = 0;
    for _ in 0..1500 {
        let (decision, used) = measure(|| agent.next_move(&mut context, at));
        blocks += used.count;
        // A block holds 256 pages, and an expansion touches no more than a few: 2,000 of them need few blocks.
        let moderate = used.count <= 100 && used.bytes <= used.count * 200_000;
        assert!(moderate, "{used:?} in one move");
        match decision {
            Decision::Step(to) => at = to,
            Decision::Thinking => {}
            _ => break,
        }
    }
    assert!(blocks > 0, "the map is too small for this test");
}

/// A map with long walls that leave gaps at alternating ends.
fn walled_map(side: u32, gap: u32) -> Map {
    let grid = Grid::from_fn(side, side, |p| {
        let wall = p.x % 97 == 50;
        let left = p.x / 97 % 2 == 0;
        let open = if left { p.y < gap } else { p.y >= side - gap };
        !wall || open
    });
    Map::new(grid.expect("a legal size"), MoveRules::default())
}

/// The most operations of any of the first moves of an agent.
fn most_operations(agent: &mut dyn Agent<Map>, map: &Map, budget: Budget) -> u64 {
    let side = map.grid().width();
    let ends = [
        Point { x: 1, y: 1 },
        Point {
            x: side - 2,
            y: side / 2,
        },
    ]
    .map(|point| map.passable_cell(point).expect("passable"));
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    context.budget = budget;
    agent.start(&mut context, ends[0], ends[1]);
    let (mut at, mut most) = (ends[0], 0);
    for _ in 0..2500 {
        context.meter = Meter::default();
        let decision = agent.next_move(&mut context, at);
        most = most.max(context.meter.operations());
        match decision {
            Decision::Step(to) => at = to,
            Decision::Thinking => {}
            _ => break,
        }
    }
    most
}

#[test]
fn bounds_hold_and_do_not_know_the_size_of_the_map() {
    let (small, large) = (walled_map(320, 2), walled_map(3200, 2));
    assert!(small.grid().passable_count() > 100_000 && large.grid().passable_count() > 10_000_000);
    for spec in SPECS.iter().chain(INDEXED) {
        let bound = build(spec, &small).operations_bound(&small);
        let bound = bound.expect("a bound");
        for map in [&small, &large] {
            let mut agent = build(spec, map);
            assert_eq!(agent.operations_bound(map), Some(bound), "{spec}");
            let most = most_operations(&mut *agent, map, Budget::UNLIMITED);
            assert!(most > 0 && most <= bound, "{spec}: {most} of {bound}");
            println!(
                "{spec}: bound {bound}, most {most} on {} ids",
                map.id_bound()
            );
        }
    }
}

#[test]
fn a_smaller_budget_makes_slices_smaller() {
    let map = walled_map(320, 2);
    let budget = Budget { operations: 37 };
    let mut agent = build("tba:slice=5000", &map);
    assert!(most_operations(&mut *agent, &map, budget) <= 37);
}
