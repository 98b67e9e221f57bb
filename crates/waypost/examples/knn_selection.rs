//! How long selections and moves of kNN LRTA* take on a map, beside A*, on a machine that others use too.
//!
//! Every selection and every walk is repeated and its least time taken: what other programs do to the clock goes away,
//! what the map does to the agent stays. Operations are counted as well; they do not depend on the machine.
//!
//! ```text
//! cargo run --release -p waypost --example knn_selection -- MAP [RECORDS] [PROBLEMS]
//! ```

use std::time::{Duration, Instant};
use waypost::agent::Scratch;
use waypost::formats;
use waypost::index::Shard;
use waypost::index::subgoals::{SubgoalDatabase, SubgoalParameters};
use waypost::methods::knn_lrta::{KnnLrta, KnnParams};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::search::{AStar, PathSearch};
use waypost::{Agent, Cell, Context, Decision, Map, Meter, MoveRules, Space};

const REPEATS: u32 = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        return Err("usage: knn_selection MAP [RECORDS] [PROBLEMS]".into());
    };
    let number = |i: usize, default: u32| arguments.get(i).map_or(Ok(default), |text| text.parse());
    let (records, problems) = (number(1, 60_000)?, number(2, 1000)?);
    let map = Map::new(
        formats::map::parse(&std::fs::read(path)?)?,
        MoveRules::default(),
    );
    let parameters = SubgoalParameters {
        records,
        ..SubgoalParameters::default()
    };
    let database = SubgoalDatabase::build(&map, &parameters, Shard::WHOLE, &NoProgress)?;
    let cases = database.cases();
    println!(
        "{path}: {} records, {:.2} states each, {:.2} bytes a state",
        cases.len(),
        cases.states() as f64 / cases.len().max(1) as f64,
        cases.bytes() as f64 / cases.states().max(1) as f64
    );
    let mut agent = KnnLrta::new(cases.clone(), KnnParams::default());
    let bound = Agent::<Map>::operations_bound(&agent, &map);
    let pairs = random_pairs(&map, problems);
    selections(&map, &mut agent, &pairs, bound);
    moves(&map, &mut agent, &pairs);
    Ok(())
}

fn random_pairs(map: &Map, count: u32) -> Vec<(Cell, Cell)> {
    let cells: Vec<Cell> = map.grid().cells().collect();
    let mut rng = Rng::new(77);
    let mut draw = || cells[rng.below(cells.len() as u32) as usize];
    let pairs = std::iter::repeat_with(|| (draw(), draw()));
    pairs
        .take(100 * count as usize)
        .filter(|&(from, goal)| from != goal && map.connected(from, goal))
        .take(count as usize)
        .collect()
}

/// The first move of a problem: a selection and the first leg.
fn selections(map: &Map, agent: &mut KnnLrta, pairs: &[(Cell, Cell)], bound: Option<u64>) {
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    let (mut times, mut look_ups, mut climbs, mut operations) = (vec![], vec![], vec![], 0);
    let mut without_record = 0;
    for &(from, goal) in pairs {
        let mut least = Duration::MAX;
        for _ in 0..REPEATS {
            agent.start(&mut context, from, goal);
            context.meter = Meter::default();
            let begun = Instant::now();
            let decision = agent.next_move(&mut context, from);
            least = least.min(begun.elapsed());
            std::hint::black_box(decision);
        }
        times.push(least.as_nanos() as u64);
        look_ups.push(context.meter.look_ups);
        climbs.push(context.meter.climb_steps);
        operations = operations.max(context.meter.operations());
        // LRTA* came into play: no record was found.
        without_record += u32::from(Agent::<Map>::reserved_bytes(agent) > size_of::<KnnLrta>());
    }
    println!(
        "selections: {} of {} found no record; at most {operations} operations, published bound {}",
        without_record,
        pairs.len(),
        bound.unwrap_or(0)
    );
    for (name, mut values) in [
        ("ns", times),
        ("tree nodes", look_ups),
        ("climb steps", climbs),
    ] {
        values.sort_unstable();
        let at = |part: f64| values[((values.len() - 1) as f64 * part) as usize];
        let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
        println!(
            "  {name:12} mean {mean:9.0}   p50 {:7}   p99 {:7}   max {:7}",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
}

/// Whole walks, for problems that kNN LRTA* solves without a search, and A* on the same ones.
fn moves(map: &Map, agent: &mut KnnLrta, pairs: &[(Cell, Cell)]) {
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    let mut search = AStar::new();
    let (mut knn, mut astar) = (Duration::ZERO, Duration::ZERO);
    let (mut knn_moves, mut astar_moves, mut walks) = (0u64, 0u64, 0);
    for &(from, goal) in pairs.iter().take(100) {
        let (mut least, mut steps) = (Duration::MAX, 0);
        for _ in 0..REPEATS {
            let begun = Instant::now();
            steps = walk(agent, &mut context, from, goal);
            least = least.min(begun.elapsed());
        }
        if steps == 0 {
            continue;
        }
        let mut whole = Duration::MAX;
        let mut path = None;
        for _ in 0..2 {
            let begun = Instant::now();
            path = search.shortest_path(map, from, goal);
            whole = whole.min(begun.elapsed());
        }
        astar += whole;
        astar_moves += path.map_or(0, |path| path.cells.len() as u64 - 1);
        knn += least;
        knn_moves += steps;
        walks += 1;
    }
    let per_move = |time: Duration, moves: u64| time.as_nanos() as f64 / moves.max(1) as f64;
    let (knn, astar) = (per_move(knn, knn_moves), per_move(astar, astar_moves));
    println!(
        "moves over {walks} walks: kNN LRTA* {knn:.1} ns, A* {astar:.0} ns, 1/{:.0}",
        astar / knn
    );
}

/// The moves of a walk; 0 where it takes more than 20 times the heuristic.
fn walk(agent: &mut KnnLrta, context: &mut Context<Map>, from: Cell, goal: Cell) -> u64 {
    let straight = u64::from(context.space.cheapest_edge());
    let limit = 20 * u64::from(context.space.heuristic(from, goal)) / straight;
    agent.start(context, from, goal);
    let (mut at, mut steps) = (from, 0);
    while steps < limit {
        match agent.next_move(context, at) {
            Decision::Step(to) => at = to,
            _ => return steps,
        }
        steps += 1;
    }
    0
}
