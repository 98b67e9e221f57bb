//! What an operation of each kind takes, beside [`waypost::agent::WEIGHTS`]: `cargo run --release -p waypost --example weights -- MAP [ROUNDS [SEED]]`
//!
//! Every part does one kind of work and nothing else, in a function of its own, for callgrind to tell
//! (`docs/measurements/change.md`). Prints nanoseconds of processor time an operation and, in units of a look-up, the weight.

use cpu_time::ThreadTime;
use std::hint::black_box;
use std::time::Duration;
use waypost::agent::Scratch;
use waypost::index::jump::JumpGraph;
use waypost::index::labels::{CornerLabels, LabelQuery, Settings};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::search::jps::JumpSearch;
use waypost::search::{AStar, PathSearch};
use waypost::spec::AgentSpec;
use waypost::{Cell, Context, Decision, Direction, GridPatch, Map, MoveRules, Point, formats};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
/// A part: what kind of operation it counts, by which work; does that and says how many operations it was, and their time where
/// that is not the time of all it does.
type Part<'a> = (
    &'static str,
    &'static str,
    Box<dyn FnMut() -> (u64, Option<Duration>) + 'a>,
);

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("usage: weights MAP [ROUNDS [SEED]]")?;
    let rounds: usize = words.next().map_or(Ok(2000), |text| text.parse())?;
    let seed: u64 = words.next().map_or(Ok(1), |text| text.parse())?;
    let map = Map::new(
        formats::map::parse(&std::fs::read(&path)?)?,
        MoveRules::default(),
    );
    let labels = CornerLabels::build(&map, Settings::default(), &NoProgress)?;
    let graph = JumpGraph::plain(&map);
    let cells: Vec<Cell> = map.grid().cells().collect();
    let mut rng = Rng::for_item(seed, 0);
    let mut any = || cells[rng.below(cells.len() as u32) as usize];
    let pairs: Vec<(Cell, Cell)> = (0..rounds).map(|_| (any(), any())).collect();
    let costly = costliest(&map, &labels, &pairs);
    let parts: Vec<Part> = vec![
        (
            "look-up",
            "labels of the costliest queries",
            Box::new(|| (look_ups(&map, &labels, &costly), None)),
        ),
        (
            "look-up",
            "labels of queries",
            Box::new(|| (look_ups(&map, &labels, &pairs), None)),
        ),
        (
            "expansion",
            "A* on cells",
            Box::new(|| (cell_expansions(&map, &pairs), None)),
        ),
        (
            "expansion",
            "jump points",
            Box::new(|| (jump_expansions(&map, &graph, &pairs), None)),
        ),
        (
            "expansion",
            "steps of LRTA*",
            Box::new(|| (steps_of(&map, "lrta", &pairs), None)),
        ),
        (
            "trace step",
            "following runs",
            Box::new(|| followed(&map, &pairs)),
        ),
        (
            "climb step",
            "runs measured",
            Box::new(|| (runs_measured(&map, &pairs), None)),
        ),
        (
            "climb step",
            "repair of jump points",
            Box::new(|| repairs(&map, &graph, &pairs)),
        ),
    ];
    let mut look_up = None;
    for (kind, what, mut part) in parts {
        part();
        let begun = ThreadTime::now();
        let (operations, own) = part();
        let time = own.unwrap_or_else(|| begun.elapsed());
        let each = time.as_secs_f64() * 1e9 / operations.max(1) as f64;
        let unit = *look_up.get_or_insert(each);
        println!(
            "| {kind} | {what} | {operations} | {each:.2} | {:.1} |",
            each / unit
        );
    }
    Ok(())
}

fn points(map: &Map, pair: (Cell, Cell)) -> (Point, Point) {
    (map.grid().point(pair.0), map.grid().point(pair.1))
}

/// Queries that read long lists, which is what bounds are made of: the costliest one in a hundred, a hundred times.
fn costliest(map: &Map, labels: &CornerLabels, pairs: &[(Cell, Cell)]) -> Vec<(Cell, Cell)> {
    let mut query = LabelQuery::new();
    let mut costs: Vec<_> = pairs
        .iter()
        .map(|&pair| {
            let (from, to) = points(map, pair);
            query.distance(labels, from, to);
            (query.operations(), pair)
        })
        .collect();
    costs.sort_unstable_by(|a, b| b.cmp(a));
    costs.truncate(pairs.len().div_ceil(100));
    let few = costs.iter().map(|&(_, pair)| pair);
    std::iter::repeat_n(few, 100).flatten().collect()
}

#[inline(never)]
fn look_ups(map: &Map, labels: &CornerLabels, pairs: &[(Cell, Cell)]) -> u64 {
    let mut query = LabelQuery::new();
    let ops = |&pair: &(Cell, Cell)| {
        let (from, to) = points(map, pair);
        black_box(query.path(labels, from, to).is_some());
        query.operations()
    };
    pairs.iter().map(ops).sum()
}

#[inline(never)]
fn cell_expansions(map: &Map, pairs: &[(Cell, Cell)]) -> u64 {
    let mut search = AStar::new();
    let few = &pairs[..pairs.len().div_ceil(50)];
    few.iter()
        .map(|&(from, to)| {
            black_box(search.distance(map, from, to));
            search.expansions()
        })
        .sum()
}

#[inline(never)]
fn jump_expansions(map: &Map, graph: &JumpGraph, pairs: &[(Cell, Cell)]) -> u64 {
    let mut search = JumpSearch::new();
    let ops = |&pair: &(Cell, Cell)| {
        let (from, to) = points(map, pair);
        search.begin(graph, map, from, to);
        search.advance(graph, 200);
        search.expansions()
    };
    pairs.iter().map(ops).sum()
}

#[inline(never)]
fn steps_of(map: &Map, spec: &str, pairs: &[(Cell, Cell)]) -> u64 {
    let Ok(spec) = AgentSpec::parse(spec) else {
        return 0;
    };
    let Ok(mut agent) = spec.build(map, &Default::default()) else {
        return 0;
    };
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    for &(from, goal) in pairs {
        agent.start(&mut context, from, goal);
        let mut at = from;
        for _ in 0..100 {
            match agent.next_move(&mut context, at) {
                Decision::Step(next) => at = next,
                _ => break,
            }
        }
    }
    context.meter.expansions
}

/// The moves of an agent that has its path: those after the first.
#[inline(never)]
fn followed(map: &Map, pairs: &[(Cell, Cell)]) -> (u64, Option<Duration>) {
    let Ok(spec) = AgentSpec::parse("labels") else {
        return (0, None);
    };
    let mut indexes = waypost::index::Indexes::new();
    for request in spec.needs() {
        let built = waypost::index::build(map, &request, waypost::index::Shard::WHOLE, &NoProgress);
        if let Ok(index) = built {
            indexes.add(index);
        }
    }
    let Ok(mut agent) = spec.build(map, &indexes) else {
        return (0, None);
    };
    let mut scratch = Scratch::new();
    let mut context = Context::new(map, &mut scratch);
    let (mut steps, mut time) = (0, Duration::ZERO);
    for &(from, goal) in &pairs[..pairs.len().div_ceil(10)] {
        agent.start(&mut context, from, goal);
        let mut at = from;
        if let Decision::Step(next) = agent.next_move(&mut context, at) {
            at = next;
            let begun = ThreadTime::now();
            steps += follow(&mut *agent, &mut context, at);
            time += begun.elapsed();
        }
    }
    (steps, Some(time))
}

#[inline(never)]
fn follow(agent: &mut dyn waypost::Agent<Map>, context: &mut Context<Map>, mut at: Cell) -> u64 {
    let before = context.meter.trace_steps;
    while let Decision::Step(next) = agent.next_move(context, at) {
        at = next;
    }
    context.meter.trace_steps - before
}

#[inline(never)]
fn runs_measured(map: &Map, pairs: &[(Cell, Cell)]) -> u64 {
    use waypost::search::climb::Ground;
    let mut measured = 0;
    for &(from, _) in pairs {
        for direction in Direction::ALL {
            black_box(map.run(map.grid().point(from), direction, 40));
            measured += 1;
        }
    }
    measured
}

fn repairs(still: &Map, graph: &JumpGraph, pairs: &[(Cell, Cell)]) -> (u64, Option<Duration>) {
    let (mut map, mut graph) = (still.clone(), graph.clone());
    let (mut operations, mut time) = (0, Duration::ZERO);
    for &(at, _) in &pairs[..pairs.len().div_ceil(20)] {
        let at = map.grid().point(at);
        for open in [false, true] {
            let mut patch = GridPatch::new();
            for (x, y) in (0..10).flat_map(|x| (0..10).map(move |y| (at.x + x, at.y + y))) {
                let point = Point { x, y };
                if still.passable_cell(point).is_some() {
                    patch.set(point, open);
                }
            }
            map.apply(&patch);
            let begun = ThreadTime::now();
            graph.queue_repair(&map);
            operations += advance(&map, &mut graph);
            time += begun.elapsed();
        }
    }
    (operations, Some(time))
}

#[inline(never)]
fn advance(map: &Map, graph: &mut JumpGraph) -> u64 {
    const SLICE: u64 = 100;
    let mut operations = SLICE;
    while !graph.advance_repair(map, SLICE) {
        operations += SLICE;
    }
    operations
}
