//! What the engine makes of fixed seeds, as one line with a digest for each thing: maps, artifacts, paths, crowds. The same on
//! every platform, with any number of threads, in every build.

use std::collections::BTreeMap;
use waypost::agent::Scratch;
use waypost::crowd::Options;
use waypost::generate::{Kind, generate};
use waypost::index::{INDEX_TYPES, Index, IndexRequest, Indexes, Shard, build};
use waypost::progress::NoProgress;
use waypost::rng::Rng;
use waypost::run::{Outcome, walk};
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::{Cell, Context, Corners, CostPair, GridPatch, Map, MoveRules, Point, Space};
use xxhash_rust::xxh3::Xxh3;

const WIDTH: u32 = 72;
const HEIGHT: u32 = 56;
const PROBLEMS: usize = 8;
const MAX_MOVES: u64 = 300_000;

/// A digest in the making.
struct Digest(Xxh3);

impl Digest {
    fn new() -> Digest {
        Digest(Xxh3::new())
    }

    fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    fn line(&self, name: &str) -> String {
        format!("{name} {:016x}", self.0.digest())
    }
}

/// All lines.
pub fn digests() -> Vec<String> {
    let mut lines = Vec::new();
    let maps: Vec<(String, Map)> = Kind::ALL.into_iter().zip(rules()).map(made).collect();
    for (name, map) in &maps {
        let mut digest = Digest::new();
        digest.0.update(&waypost::formats::map::write(map.grid()));
        lines.push(digest.line(&format!("map {name}")));
        let mut artifacts = Artifacts::default();
        for kind in INDEX_TYPES {
            let mut request = IndexRequest::new(kind.kind);
            if kind.keys.iter().any(|(key, _)| *key == "records") {
                request = request.with("records", 40);
            }
            lines.push(artifacts.line(name, map, &request));
        }
        for spec in specs() {
            lines.push(paths(name, map, &spec, &mut artifacts));
        }
    }
    for (i, spec) in specs().iter().enumerate() {
        let (name, map) = &maps[i % maps.len()];
        lines.push(crowd(name, map, spec));
    }
    lines
}

/// One set of rules for each kind of map.
fn rules() -> impl Iterator<Item = MoveRules> {
    let costs = [CostPair::Sqrt2, CostPair::OnePointFour];
    let corners = [Corners::Never, Corners::One, Corners::Always];
    (0..6).map(move |i| MoveRules {
        corners: corners[i % 3],
        costs: costs[i / 3],
    })
}

fn made((kind, rules): (Kind, MoveRules)) -> (String, Map) {
    let grid = generate(kind, WIDTH, HEIGHT, 7).expect("a legal size");
    (
        format!("{}/{rules}", kind.name()).replace(' ', "-"),
        Map::new(grid, rules),
    )
}

/// Every algorithm, with databases of few records.
fn specs() -> Vec<AgentSpec> {
    let text = |name: &str, keys: &[(&str, &str)]| {
        let has_records = keys.iter().any(|(key, _)| *key == "records");
        format!("{name}{}", if has_records { ":records=40" } else { "" })
    };
    let spec = |text: String| AgentSpec::parse(&text).expect("a good spec");
    ALGORITHMS
        .iter()
        .map(|a| spec(text(a.name, a.keys)))
        .collect()
}

/// What was built for a map, by what was asked for.
#[derive(Default)]
struct Artifacts(BTreeMap<String, Option<std::sync::Arc<dyn Index>>>);

impl Artifacts {
    fn get(&mut self, map: &Map, request: &IndexRequest) -> Option<std::sync::Arc<dyn Index>> {
        let key = format!("{request:?}");
        let build = || build(map, request, Shard::WHOLE, &NoProgress).ok();
        self.0.entry(key).or_insert_with(build).clone()
    }

    fn line(&mut self, name: &str, map: &Map, request: &IndexRequest) -> String {
        let what = format!("artifact {name} {}", request.kind.name());
        match self.get(map, request) {
            None => format!("{what} refused"),
            Some(index) => {
                let mut digest = Digest::new();
                digest.0.update(index.to_bytes().as_ref());
                digest.line(&what)
            }
        }
    }

    fn indexes(&mut self, map: &Map, spec: &AgentSpec) -> Option<Indexes> {
        let mut indexes = Indexes::new();
        for request in spec.needs() {
            let index = self.get(map, &request)?;
            indexes.add_built(request, index);
        }
        Some(indexes)
    }
}

/// Connected pairs of cells, the same for every algorithm.
fn problems(map: &Map) -> Vec<(Cell, Cell)> {
    let cells: Vec<Cell> = map.grid().cells().collect();
    let mut rng = Rng::new(11);
    let mut any = || cells[rng.below(cells.len() as u32) as usize];
    std::iter::repeat_with(|| (any(), any()))
        .filter(|&(from, goal)| map.connected(from, goal))
        .take(PROBLEMS)
        .collect()
}

fn paths(name: &str, map: &Map, spec: &AgentSpec, artifacts: &mut Artifacts) -> String {
    let what = format!("paths {name} {spec}");
    let agent = artifacts
        .indexes(map, spec)
        .and_then(|indexes| spec.build(map, &indexes).ok());
    let Some(mut agent) = agent else {
        return format!("{what} refused");
    };
    let mut scratch = Scratch::new();
    let mut digest = Digest::new();
    for (from, goal) in problems(map) {
        let mut context = Context::new(map, &mut scratch);
        let walked = walk(agent.as_mut(), &mut context, from, goal, MAX_MOVES, &mut ());
        let walked = walked.expect("legal steps");
        digest.number(match walked.outcome {
            Outcome::Arrived => 1,
            Outcome::Unreachable => 2,
            Outcome::OutOfMoves => 3,
        });
        digest.number(walked.cost);
        digest.number(walked.meter.operations());
        for cell in walked.path {
            let point = map.grid().point(cell);
            digest.number(u64::from(point.x) << 32 | u64::from(point.y));
        }
    }
    digest.line(&what)
}

fn crowd(name: &str, map: &Map, spec: &AgentSpec) -> String {
    let what = format!("crowd {name} {spec}");
    let options = Options {
        set_up_operations: 75_000,
        repair_operations: 20_000,
        exclusive: true,
        ..Options::default()
    };
    let crowd = Artifacts::default()
        .indexes(map, spec)
        .and_then(|indexes| spec.crowd(map, &indexes, options).ok());
    let Some(mut crowd) = crowd else {
        return format!("{what} refused");
    };
    let mut rng = Rng::new(23);
    let mut any = |most: u32| rng.below(most);
    let mut ids = Vec::new();
    for _ in 0..400 {
        let at = Point {
            x: any(WIDTH),
            y: any(HEIGHT),
        };
        ids.extend(crowd.add(at).ok());
    }
    let mut digest = Digest::new();
    for tick in 0..60u32 {
        for &id in ids
            .iter()
            .filter(|id| (id.index() as u32 + tick).is_multiple_of(20))
        {
            let goal = Point {
                x: any(WIDTH),
                y: any(HEIGHT),
            };
            digest.number(u64::from(crowd.send(id, goal).is_ok()));
        }
        if tick % 15 == 9 {
            let mut patch = GridPatch::new();
            for _ in 0..30 {
                let at = Point {
                    x: any(WIDTH),
                    y: any(HEIGHT),
                };
                if any(2) == 0 {
                    patch.set(at, false);
                } else {
                    patch.set(at, true);
                }
            }
            crowd.patch(&patch);
        }
        let done = crowd.tick();
        digest.number(done.moves);
        for &id in &ids {
            let at = crowd.position(id).expect("nobody is lost");
            digest.number(u64::from(at.x) << 32 | u64::from(at.y));
        }
    }
    digest.line(&what)
}
