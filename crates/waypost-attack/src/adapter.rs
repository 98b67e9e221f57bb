//! The one place that knows how agents and crowds are driven. Where the protocol of the engine changes, this changes.

use std::sync::Arc;
use waypost::agent::Scratch;
use waypost::agent::{Context, Meter};
use waypost::crowd::{AnyCrowd, Options};
use waypost::grid::GridPatch;
use waypost::index::{self, Index, IndexRequest, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::spec::{ALGORITHMS, AgentSpec};
use waypost::{Agent, Cell, Decision, Map, Point};

/// Every algorithm, in a form that suits small maps.
pub fn specs() -> Vec<AgentSpec> {
    let spec = |name: &str, has_records: bool| match (name, has_records) {
        (_, true) => format!("{name}:records=40"),
        ("sectors", _) => "sectors:side=8".to_string(),
        _ => name.to_string(),
    };
    ALGORITHMS
        .iter()
        .map(|algorithm| {
            let has_records = algorithm.keys.iter().any(|(key, _)| *key == "records");
            AgentSpec::parse(&spec(algorithm.name, has_records)).expect("a good spec")
        })
        .collect()
}

/// Builds an index of a small map; `None` where the map does not suit it.
pub fn build(map: &Map, request: &IndexRequest) -> Option<Arc<dyn Index>> {
    index::build(map, request, Shard::WHOLE, &NoProgress).ok()
}

/// The indexes that a spec needs; `None` where one cannot be built.
pub fn indexes_for(spec: &AgentSpec, map: &Map) -> Option<Indexes> {
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        let index = build(map, &request)?;
        indexes.add_built(request, index);
    }
    Some(indexes)
}

/// An agent, the memory that it works in, and the indexes of its world.
pub struct Walker {
    agent: Box<dyn Agent<Map>>,
    scratch: Scratch,
    indexes: Indexes,
}

/// What an agent said, and what that took.
pub struct Said {
    /// What.
    pub decision: Decision,
    /// Operations of this move.
    pub operations: u64,
    /// What it promised before.
    pub bound: Option<u64>,
}

impl Walker {
    /// An agent in a world of its own; why not, where map or indexes do not suit it.
    pub fn new(spec: &AgentSpec, map: &Map, indexes: &Indexes) -> Result<Walker, String> {
        let indexes = indexes.fork();
        let agent = spec.build(map, &indexes);
        Ok(Walker {
            agent: agent.map_err(|error| error.to_string())?,
            scratch: Scratch::new(),
            indexes,
        })
    }

    /// A new problem.
    pub fn start(&mut self, map: &Map, from: Cell, goal: Cell) {
        let mut context = Context::new(map, &mut self.scratch);
        self.agent.start(&mut context, from, goal);
    }

    /// The next move.
    pub fn step(&mut self, map: &Map, at: Cell) -> Said {
        let bound = self.agent.operations_bound(map);
        let mut context = Context::new(map, &mut self.scratch);
        context.meter = Meter::default();
        let decision = self.agent.next_move(&mut context, at);
        Said {
            decision,
            operations: context.meter.operations(),
            bound,
        }
    }

    /// Carries the repairs of the world's indexes on.
    pub fn mend(&mut self, map: &Map, operations: u64) {
        self.indexes.follow(map);
        self.indexes.advance(map, operations, true);
    }

    /// Hands an index over; says whether it was taken.
    pub fn renew(&mut self, map: &Map, index: Arc<dyn Index>) -> bool {
        self.indexes.replace(map, index).is_ok()
    }
}

/// A crowd; why not, where map or indexes do not suit it.
pub fn crowd(
    spec: &AgentSpec,
    map: &Map,
    indexes: &Indexes,
    options: Options,
) -> Result<Box<dyn AnyCrowd>, String> {
    let crowd = spec.crowd(map, indexes, options);
    crowd.map_err(|error| error.to_string())
}

/// A patch of points that are opened or blocked.
pub fn patch_of(edits: &[((u32, u32), bool)]) -> GridPatch {
    let mut patch = GridPatch::new();
    for &((x, y), open) in edits {
        let point = Point { x, y };
        patch.set(point, open);
    }
    patch
}
