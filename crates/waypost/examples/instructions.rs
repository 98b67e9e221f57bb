//! A fixed set of queries on generated maps, for counting instructions: `instructions SPEC`.
//!
//! `cargo xtask instructions` runs it under callgrind, which counts only what happens inside [`measured_queries`], and
//! compares the counts with the recorded ones.

use waypost::agent::Scratch;
use waypost::index::{Indexes, Shard, build};
use waypost::progress::NoProgress;
use waypost::spec::AgentSpec;
use waypost::{Agent, Cell, Context, Decision, Grid, Map, MoveRules};
use waypost_testkit::{TestRng, shapes::Shape};

const SIDE: u32 = 192;
const QUERIES: usize = 40;

fn main() {
    let Some(spec) = std::env::args().nth(1) else {
        eprintln!("error: expected an algorithm spec, such as astar");
        std::process::exit(2);
    };
    let spec = AgentSpec::parse(&spec).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        std::process::exit(2);
    });
    let mut total = 0;
    for (number, shape) in [Shape::Caves, Shape::Rooms, Shape::Pillars]
        .into_iter()
        .enumerate()
    {
        let mut rng = TestRng::new(number as u64 + 1);
        let test_map = shape.make(SIDE, SIDE, &mut rng);
        let grid = Grid::from_fn(SIDE, SIDE, |p| test_map.is_open_at((p.x, p.y)));
        let map = Map::new(grid.expect("a legal size"), MoveRules::default());
        let queries = queries(&map, &mut rng);
        let mut indexes = Indexes::new();
        for request in spec.needs() {
            let index = build(&map, &request, Shard::WHOLE, &NoProgress);
            indexes.add(index.expect("the map suits every index"));
        }
        let mut agent = spec.build(&map, &indexes).expect("the map suits the agent");
        let mut scratch = Scratch::new();
        // Once without counting, so that memory has grown to the map.
        measured(agent.as_mut(), &map, &mut scratch, &queries[..1]);
        total += measured_queries(agent.as_mut(), &map, &mut scratch, &queries);
    }
    println!("{spec}: {total} moves");
}

/// Pairs of cells between which there is a way.
fn queries(map: &Map, rng: &mut TestRng) -> Vec<(Cell, Cell)> {
    let cells: Vec<Cell> = map.grid().cells().collect();
    let mut queries = Vec::new();
    while queries.len() < QUERIES {
        let mut cell = || cells[rng.below(cells.len() as u32) as usize];
        let (from, to) = (cell(), cell());
        if map.components().connected(from, to) {
            queries.push((from, to));
        }
    }
    queries
}

/// What is counted.
#[inline(never)]
fn measured_queries(
    agent: &mut dyn Agent<Map>,
    map: &Map,
    scratch: &mut Scratch,
    queries: &[(Cell, Cell)],
) -> u64 {
    measured(agent, map, scratch, queries)
}

fn measured(
    agent: &mut dyn Agent<Map>,
    map: &Map,
    scratch: &mut Scratch,
    queries: &[(Cell, Cell)],
) -> u64 {
    let mut context = Context::new(map, scratch);
    let mut moves = 0;
    for &(from, to) in queries {
        agent.start(&mut context, from, to);
        let mut at = from;
        while let Decision::Step(next) = agent.next_move(&mut context, at) {
            at = next;
            moves += 1;
        }
    }
    moves
}
