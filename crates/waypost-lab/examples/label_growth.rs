//! What a plan and a move by labels take, for tables of growth: the same figures of a small map and of a large one.
//!
//! ```sh
//! cargo run --release -p waypost-lab --example label_growth -- MAP INDEX [--queries N] [--seed S]
//! ```
//!
//! INDEX is a file of `waypost build labels` or `auto`. Takes random pairs of cells that are connected; prints the operations and the time of the
//! distance alone, of the first run and of all runs, then what the moves of an agent take that walks each of them, one after the other on one thread.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;
use waypost::agent::{Decision, Meter, Scratch};
use waypost::artifact::Artifact;
use waypost::index::labels::{CornerLabels, LabelQuery};
use waypost::index::{Indexes, open};
use waypost::rng::Rng;
use waypost::run::{Watch, walk};
use waypost::spec::AgentSpec;
use waypost::{Cell, Context, Map, MoveRules};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str, otherwise: u64| {
        let at = words.iter().position(|word| word == name);
        let number = at.and_then(|at| words.get(at + 1)?.parse().ok());
        number.unwrap_or(otherwise)
    };
    let usage = "usage: label_growth MAP INDEX [--queries N] [--seed S]";
    let (file, index) = (words.first().ok_or(usage)?, words.get(1).ok_or(usage)?);
    let grid = waypost::formats::map::parse(&std::fs::read(file)?)?;
    let map = Map::new(grid, MoveRules::default());
    let index = open(&Artifact::open(std::fs::read(index)?)?, &map)?;
    let problems = pairs(&map, value("--queries", 200), value("--seed", 1));
    let labels: Arc<dyn Any + Send + Sync> = index.inner().unwrap_or(index.clone());
    let labels = labels.downcast::<CornerLabels>();
    let labels = labels.map_err(|_| "the index holds no labels")?;
    list_queries(&map, &labels, &problems);
    let mut indexes = Indexes::new();
    indexes.add(index);
    let mut agent = AgentSpec::parse("waypost")?.build(&map, &indexes)?;
    let (mut scratch, mut moves) = (Scratch::new(), Moves::default());
    for &(from, to) in &problems {
        moves.is_first = true;
        let mut context = Context::new(&map, &mut scratch);
        walk(&mut *agent, &mut context, from, to, u64::MAX, &mut moves)?;
    }
    moves.list(problems.len(), agent.weighted_bound(&map));
    Ok(())
}

/// Random cells that are connected, two by two.
fn pairs(map: &Map, count: u64, seed: u64) -> Vec<(Cell, Cell)> {
    let mut rng = Rng::new(seed);
    let bound = map.grid().id_bound() as u32;
    let mut cell = || {
        loop {
            let cell = Cell(rng.below(bound));
            if map.grid().is_passable(cell) {
                return cell;
            }
        }
    };
    let mut found = Vec::new();
    while (found.len() as u64) < count {
        let pair = (cell(), cell());
        if pair.0 != pair.1 && map.components().connected(pair.0, pair.1) {
            found.push(pair);
        }
    }
    found
}

/// The mean and the largest of some numbers.
#[derive(Default)]
struct Spread {
    sum: f64,
    count: f64,
    most: f64,
}

impl Spread {
    fn add(&mut self, number: f64) {
        self.sum += number;
        self.count += 1.0;
        self.most = self.most.max(number);
    }

    fn text(&self) -> String {
        let mean = self.sum / self.count.max(1.0);
        format!("mean {mean:.1}, most {:.1}", self.most)
    }
}

/// Times of which the mean is taken without the thousandth that is longest: others that the machine went to in between.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn text(&mut self) -> String {
        self.0.sort_unstable_by(f64::total_cmp);
        let kept = &self.0[..self.0.len() - self.0.len() / 1000];
        let mean = kept.iter().sum::<f64>() / kept.len().max(1) as f64;
        let at = |part: f64| {
            let place = (self.0.len() as f64 * part) as usize;
            self.0.get(place).copied().unwrap_or_default()
        };
        let (median, p99) = (at(0.5), at(0.99));
        format!("mean {mean:.1}, median {median:.1}, p99 {p99:.1}")
    }
}

fn list_queries(map: &Map, labels: &CornerLabels, problems: &[(Cell, Cell)]) {
    let per_corner = labels.label_count() as f64 / labels.corners() as f64;
    println!(
        "{} corners, {per_corner:.0} labels each, {:?}",
        labels.corners(),
        labels.measures()
    );
    let mut query = LabelQuery::new();
    query.reserve(labels);
    let mut runs = Spread::default();
    for what in ["distance", "first run", "all runs"] {
        let (mut operations, mut time) = (Spread::default(), Spread::default());
        for &(from, to) in problems {
            let (from, to) = (map.grid().point(from), map.grid().point(to));
            let begun = Instant::now();
            match what {
                "distance" => drop(query.distance(labels, from, to)),
                "first run" => drop(query.first_run(labels, from, to)),
                _ => {
                    let path = query.path(labels, from, to);
                    runs.add(path.map_or(0, |path| path.runs().len()) as f64);
                }
            }
            time.add(begun.elapsed().as_secs_f64() * 1e6);
            operations.add(query.operations() as f64);
        }
        println!(
            "{what}: operations {}; us {}",
            operations.text(),
            time.text()
        );
    }
    println!("runs of a path: {}", runs.text());
}

/// What the moves of walks take.
#[derive(Default)]
struct Moves {
    begun: Option<Instant>,
    is_first: bool,
    operations: Spread,
    weighted: Spread,
    first: Times,
    others: Times,
    thinking: u64,
}

impl Watch for Moves {
    fn before(&mut self) {
        self.begun = Some(Instant::now());
    }

    fn after(&mut self, decision: Decision, meter: &Meter) {
        let spent = self
            .begun
            .map_or(0.0, |begun| begun.elapsed().as_secs_f64() * 1e9);
        let (first, others) = (&mut self.first, &mut self.others);
        let kind = if self.is_first { first } else { others };
        kind.0.push(spent);
        self.is_first = false;
        self.operations.add(meter.operations() as f64);
        self.weighted.add(meter.weighted() as f64);
        self.thinking += u64::from(decision == Decision::Thinking);
    }
}

impl Moves {
    fn list(&mut self, walks: usize, bound: Option<u64>) {
        println!("operations of a move: {}", self.operations.text());
        println!("weighted: {}; bound {bound:?}", self.weighted.text());
        println!("first move, ns: {}", self.first.text());
        println!("others, ns: {}", self.others.text());
        println!("moves without a step: {} in {walks} walks", self.thinking);
    }
}
