//! A crowd on a map that both the engine and the test kit know: every step goes through the independent checker.

pub use super::indexes_for;
use super::{engine_map, engine_rules};
use std::collections::HashSet;
use std::sync::Arc;
use waypost::crowd::{AnyCrowd, Options, Status, Tick, WalkerId};
use waypost::index::{Index, Shard, build};
use waypost::progress::NoProgress;
use waypost::spec::AgentSpec;
use waypost::{GridPatch, Point};
use waypost_testkit::{Rules, TestMap, TestRng, check_path};

/// A crowd, its map twice, and who is on it.
pub struct Stage {
    pub spec: String,
    pub rules: Rules,
    pub map: TestMap,
    pub crowd: Box<dyn AnyCrowd>,
    pub ids: Vec<WalkerId>,
    pub rng: TestRng,
    exclusive: bool,
    seed: u64,
}

impl Stage {
    /// A stage without walkers.
    pub fn new(spec: &str, map: TestMap, rules: Rules, options: Options, seed: u64) -> Stage {
        let parsed = AgentSpec::parse(spec).expect("a right spec");
        let engine = engine_map(&map, rules);
        let indexes = indexes_for(&parsed, &engine);
        let crowd = parsed.crowd(&engine, &indexes, options);
        Stage {
            spec: spec.to_string(),
            rules,
            map,
            crowd: crowd
                .unwrap_or_else(|error| panic!("{spec}, {:?}: {error}", engine_rules(rules))),
            ids: Vec::new(),
            rng: TestRng::new(seed),
            exclusive: options.exclusive,
            seed,
        }
    }

    /// An open cell.
    pub fn any_point(&mut self) -> Point {
        loop {
            let (x, y) = (
                self.rng.below(self.map.width()),
                self.rng.below(self.map.height()),
            );
            if self.map.is_open_at((x, y)) {
                return Point { x, y };
            }
        }
    }

    /// One of the walkers.
    pub fn any_walker(&mut self) -> WalkerId {
        self.ids[self.rng.below(self.ids.len() as u32) as usize]
    }

    /// Puts one more walker somewhere.
    pub fn add_one(&mut self) -> WalkerId {
        loop {
            let at = self.any_point();
            if let Ok(id) = self.crowd.add(at) {
                self.ids.push(id);
                return id;
            }
        }
    }

    /// Puts walkers anywhere.
    pub fn add(&mut self, walkers: usize) {
        for _ in 0..walkers {
            self.add_one();
        }
    }

    /// Sends everybody somewhere.
    pub fn send_all(&mut self) {
        for id in self.ids.clone() {
            let goal = self.any_point();
            self.crowd.send(id, goal).expect("on the map");
        }
    }

    pub fn place(&self, id: WalkerId) -> Point {
        self.crowd.position(id).expect("nobody is lost")
    }

    pub fn places(&self) -> Vec<Point> {
        self.ids.iter().map(|&id| self.place(id)).collect()
    }

    /// Walls go up and come down on both maps, so that in the long run one cell in six is a wall; cells in `keep` stay open.
    pub fn patch(&mut self, most: u32, keep: &[Point]) {
        let keep: HashSet<Point> = keep.iter().copied().collect();
        let mut patch = GridPatch::new();
        for _ in 0..self.rng.between(1, most) {
            let at = Point {
                x: self.rng.below(self.map.width()),
                y: self.rng.below(self.map.height()),
            };
            let open = self.rng.percent(84);
            if open || !keep.contains(&at) {
                self.set(&mut patch, at, open);
            }
        }
        self.crowd.patch(&patch);
    }

    /// One cell of a patch, on the test kit's map too.
    pub fn set(&mut self, patch: &mut GridPatch, at: Point, open: bool) {
        self.map.set(at.x, at.y, open);
        patch.set(at, open);
    }

    /// A tick whose every step is checked.
    pub fn tick(&mut self) -> Tick {
        let before = self.places();
        let tick = self.crowd.tick();
        let mut taken = HashSet::new();
        for (&id, from) in self.ids.iter().zip(before) {
            let to = self.place(id);
            if to != from {
                let step = [(from.x, from.y), (to.x, to.y)];
                check_path(&self.map, self.rules, &step).unwrap_or_else(|error| {
                    panic!("{}: {error}\n{}", self.name(), self.map.to_text())
                });
            }
            let free = taken.insert(to);
            assert!(free || !self.exclusive, "{}: two at {to}", self.name());
        }
        tick
    }

    /// Ticks until everybody has arrived or cannot.
    pub fn settle(&mut self, most_ticks: u64) {
        for _ in 0..most_ticks {
            self.tick();
            if self.ids.iter().all(|&id| self.is_settled(id)) {
                return;
            }
        }
        let left: Vec<_> = self
            .ids
            .iter()
            .filter(|&&id| !self.is_settled(id))
            .collect();
        let whole = self.map.to_text();
        panic!(
            "{}: {left:?} still walk after {most_ticks} ticks\n{whole}",
            self.name()
        );
    }

    fn is_settled(&self, id: WalkerId) -> bool {
        use Status::{Arrived, Blocked, Idle, Unreachable};
        let status = self.crowd.status(id).expect("nobody is lost");
        matches!(status, Arrived | Blocked | Idle | Unreachable { .. })
    }

    /// Indexes of the map as it is, built again and handed over.
    pub fn rebuild_indexes(&mut self) {
        let spec = AgentSpec::parse(&self.spec).expect("a right spec");
        for request in spec.needs() {
            let built = build(&self.crowd.map(), &request, Shard::WHOLE, &NoProgress);
            let built: Arc<dyn Index> =
                built.unwrap_or_else(|error| panic!("{}: {error}", self.name()));
            let replaced = self.crowd.replace_index(&built);
            replaced.unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        }
    }

    /// What to print when a test fails.
    pub fn name(&self) -> String {
        format!(
            "{} seed {} exclusive {}",
            self.spec, self.seed, self.exclusive
        )
    }
}
