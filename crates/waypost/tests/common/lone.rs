//! One agent alone on a map that changes, which the engine and the test kit both know: every answer is judged.

use super::{cell, engine_map};
use waypost::agent::Scratch;
use waypost::index::{self, IndexRequest, Indexes, Shard};
use waypost::progress::NoProgress;
use waypost::spec::AgentSpec;
use waypost::{Agent, Context, Decision, GridPatch, Map, Point};
use waypost_testkit::allocations::measure;
use waypost_testkit::{Rules, TestMap, TestRng, check_path, component_numbers};

/// The indexes that a spec needs, built for a map; why not, where map or rules do not suit them.
pub fn try_indexes(spec: &AgentSpec, map: &Map) -> Result<Indexes, String> {
    let mut indexes = Indexes::new();
    for request in spec.needs() {
        indexes.add(try_build(map, &request)?);
    }
    Ok(indexes)
}

/// An index of a map.
pub fn try_build(
    map: &Map,
    request: &IndexRequest,
) -> Result<std::sync::Arc<dyn index::Index>, String> {
    index::build(map, request, Shard::WHOLE, &NoProgress).map_err(|error| error.to_string())
}

/// An agent, its map twice, and where it stands.
pub struct Lone {
    pub spec: AgentSpec,
    pub seed: u64,
    pub rules: Rules,
    pub test_map: TestMap,
    pub map: Map,
    pub indexes: Indexes,
    pub at: (u32, u32),
    pub goal: (u32, u32),
    /// Operations of the costliest move, and allocations of all moves.
    pub costliest: u64,
    pub allocations: u64,
    agent: Box<dyn Agent<Map>>,
    has_bound: bool,
}

impl Lone {
    /// An agent without a problem; why not, where map or rules do not suit it.
    pub fn new(spec: &str, test_map: &TestMap, rules: Rules, seed: u64) -> Result<Lone, String> {
        let map = engine_map(test_map, rules);
        let spec = AgentSpec::parse(spec).map_err(|error| error.to_string())?;
        let indexes = try_indexes(&spec, &map)?;
        Lone::on(spec, test_map, map, indexes, (rules, seed))
    }

    /// An agent on a map with these indexes.
    pub fn on(
        spec: AgentSpec,
        test_map: &TestMap,
        map: Map,
        indexes: Indexes,
        (rules, seed): (Rules, u64),
    ) -> Result<Lone, String> {
        let agent = spec
            .build(&map, &indexes)
            .map_err(|error| error.to_string())?;
        Ok(Lone {
            has_bound: agent.operations_bound(&map).is_some(),
            agent,
            spec,
            seed,
            rules,
            test_map: test_map.clone(),
            map,
            indexes,
            at: (0, 0),
            goal: (0, 0),
            costliest: 0,
            allocations: 0,
        })
    }

    /// The published bound for the map as it is.
    pub fn bound(&self) -> Option<u64> {
        self.agent.operations_bound(&self.map)
    }

    /// For messages.
    pub fn story(&self) -> String {
        format!(
            "{} at {:?}, goal {:?}, seed {}, {:?}\n{}",
            self.spec,
            self.at,
            self.goal,
            self.seed,
            self.rules,
            self.test_map.to_text()
        )
    }

    /// A new problem.
    pub fn start(&mut self, scratch: &mut Scratch, from: (u32, u32), goal: (u32, u32)) {
        (self.at, self.goal) = (from, goal);
        let (from, goal) = (cell(&self.map, from), cell(&self.map, goal));
        let mut context = Context::new(&self.map, scratch);
        self.agent.start(&mut context, from, goal);
    }

    /// Walls go up or come down in a rectangle of cells, on both maps.
    pub fn patch_rectangle(&mut self, corner: (u32, u32), size: (u32, u32), open: bool) {
        let mut patch = GridPatch::new();
        for y in corner.1..(corner.1 + size.1).min(self.test_map.height()) {
            for x in corner.0..(corner.0 + size.0).min(self.test_map.width()) {
                self.test_map.set(x, y, open);
                let point = Point { x, y };
                patch.set(point, open);
            }
        }
        self.map.apply(&patch);
    }

    /// Which cells of a rectangle are open, row by row.
    pub fn open_cells(&self, corner: (u32, u32), size: (u32, u32)) -> Vec<bool> {
        let rows = corner.1..corner.1 + size.1;
        rows.flat_map(|y| (corner.0..corner.0 + size.0).map(move |x| (x, y)))
            .map(|place| self.test_map.is_open_at(place))
            .collect()
    }

    /// Makes a rectangle what [`Lone::open_cells`] said that it was.
    pub fn put_back(&mut self, corner: (u32, u32), size: (u32, u32), open: &[bool]) {
        let mut patch = GridPatch::new();
        for (number, &open) in (0..).zip(open) {
            let (x, y) = (corner.0 + number % size.0, corner.1 + number / size.0);
            self.test_map.set(x, y, open);
            patch.set(Point { x, y }, open);
        }
        self.map.apply(&patch);
    }

    /// A rectangle anywhere.
    pub fn patch_anywhere(&mut self, rng: &mut TestRng) {
        let corner = (
            rng.below(self.test_map.width()),
            rng.below(self.test_map.height()),
        );
        let size = (rng.between(1, 4), rng.between(1, 4));
        let open = rng.percent(45);
        self.patch_rectangle(corner, size, open);
    }

    /// Whether the oracle says that the goal can be reached.
    pub fn is_connected(&self) -> bool {
        let components = component_numbers(&self.test_map, self.rules.corner);
        let of = |(x, y): (u32, u32)| components[(y * self.test_map.width() + x) as usize];
        of(self.at).is_some() && of(self.at) == of(self.goal)
    }

    /// One move: it must be legal, right, and within the bound, which is there for as long as it was there at first.
    pub fn ask(&mut self, scratch: &mut Scratch) -> Decision {
        let at = cell(&self.map, self.at);
        let mut context = Context::new(&self.map, scratch);
        let (decision, used) = measure(|| self.agent.next_move(&mut context, at));
        let operations = context.meter.operations();
        self.allocations += used.count;
        self.costliest = self.costliest.max(operations);
        let bound = self.agent.operations_bound(&self.map);
        let weighted = self.agent.weighted_bound(&self.map);
        let keeps = bound.map_or(!self.has_bound, |bound| operations <= bound)
            && weighted.map_or(!self.has_bound, |most| context.meter.weighted() <= most);
        assert!(
            keeps,
            "{:?}, bounds {bound:?} and {weighted:?}: {}",
            context.meter,
            self.story()
        );
        match decision {
            Decision::Step(to) => {
                let point = self.map.grid().point(to);
                let step = [self.at, (point.x, point.y)];
                check_path(&self.test_map, self.rules, &step)
                    .unwrap_or_else(|error| panic!("{error}: {}", self.story()));
                self.at = step[1];
            }
            Decision::Thinking => {}
            Decision::Arrived => {
                let right = self.at == self.goal && self.test_map.is_open_at(self.goal);
                assert!(right, "arrived: {}", self.story());
            }
            Decision::Unreachable => {
                assert!(!self.is_connected(), "unreachable: {}", self.story());
            }
        }
        decision
    }

    /// So many moves, of which nothing but their legality is judged.
    pub fn go(&mut self, scratch: &mut Scratch, moves: u32) {
        for _ in 0..moves {
            let at = cell(&self.map, self.at);
            let mut context = Context::new(&self.map, scratch);
            if let Decision::Step(to) = self.agent.next_move(&mut context, at) {
                let point = self.map.grid().point(to);
                let step = [self.at, (point.x, point.y)];
                check_path(&self.test_map, self.rules, &step)
                    .unwrap_or_else(|error| panic!("{error}: {}", self.story()));
                self.at = step[1];
            }
        }
    }

    /// Moves until the agent has arrived or says that it cannot: it must end. The length of the walk, where it arrived.
    pub fn walk(&mut self, scratch: &mut Scratch, max_moves: u32) -> Option<u64> {
        let mut path = vec![self.at];
        for _ in 0..max_moves {
            match self.ask(scratch) {
                Decision::Step(_) => path.push(self.at),
                Decision::Thinking => {}
                Decision::Unreachable => return None,
                Decision::Arrived => {
                    let checked = check_path(&self.test_map, self.rules, &path);
                    return Some(checked.expect("every step was checked").cost);
                }
            }
        }
        panic!("no end after {max_moves} moves: {}", self.story());
    }
}
