//! The subgoal database of kNN LRTA*: problems solved off-line and compressed to states that hill climbing reaches.
//!
//! Bulitko, Björnsson and Lawrence, "Case-based subgoaling in real-time heuristic search for video game pathfinding"
//! (JAIR 39, 2010), sections 5 and 6; with `method=2009` the records of Bulitko and Björnsson, "kNN LRTA*: simple
//! subgoaling for real-time search" (AIIDE 2009), which hold one subgoal each.
//!
//! # How it is made
//! For each record a random pair of cells is drawn (from the largest component, or from all) and solved; paths of fewer
//! than three states are refused; the path is compressed by binary search over what climbing reaches (`compress`, figure 6).
//! The climb is [`crate::search::climb`], the same that agents check and walk with, run-wise over words of bits here.
//!
//! Which of several optimal paths is taken changes the records, so it is fixed: `exact_paths` says which search finds it.
//!
//! `draw=uncovered` looks for problems that earlier records do not serve (`coverage`), `draw=regions`
//! draws ends from the seeds of regions that climbing crosses (`pairs`, [`crate::index::climb_regions`]).
//!
//! # How it is stored
//! 4 bytes a state, 2 bytes a record for its length and 4 for every 32nd; the kd-tree is the order of the records and
//! takes nothing (`tree`, `records`). A record of two states thus costs 10.125 bytes; longer ones come closer to 4 bytes a state.
//!
//! # Deviations
//! - States are cell ids of 32 bits, as in the paper, in the order of the tree instead of the order drawn.
//! - A database may be built in shards. A shard keeps the order drawn; merging sorts. Agents refuse a shard.
//! - A record may have at most 65,537 states.
//!
//! Building takes `O(N (search + L log L climbs))` time for paths of `L` states, and memory for the records plus that of
//! one search per thread.

mod build;
pub(in crate::index) mod compress;
mod costs;
mod coverage;
mod file;
mod fragments;
mod graph;
mod grid;
mod marks;
mod pairs;
mod records;
mod sample;
mod tree;

#[cfg(test)]
mod tests;

pub use costs::RecordCosts;
pub use fragments::{Fragments, Part};
pub use graph::build_on_graph;
pub use marks::Marks;
pub use records::{RecordSlices, Records};
pub use tree::{Candidate, Query, Similarity, nearest, scan};

use crate::artifact::{AlignedBytes, Header, Identity};
use crate::grid::ChangeSet;
use crate::index::slot::Repair;
use crate::index::{BuildError, Index, IndexKind, IndexRequest, IndexType, Shard};
use crate::map::Map;
use crate::progress::Progress;
use crate::space::Space;
use records::RecordList;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The most records of a database.
pub(crate) const MAX_RECORDS: u32 = 1 << 24;
/// The parameter by which a shard's file says which part it is.
const SHARD_KEY: &str = "shard";

/// Which paper's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Whole paths, compressed (JAIR 2010).
    #[default]
    Jair2010,
    /// The first subgoal of each path (AIIDE 2009).
    Aiide2009,
}

impl Method {
    const fn name(self) -> &'static str {
        match self {
            Method::Jair2010 => "2010",
            Method::Aiide2009 => "2009",
        }
    }
}

/// Where the ends of records are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scope {
    /// The component with the most cells.
    #[default]
    Largest,
    /// All passable cells; pairs that are not connected are drawn again.
    All,
}

impl Scope {
    const fn name(self) -> &'static str {
        match self {
            Scope::Largest => "largest",
            Scope::All => "all",
        }
    }
}

/// Which problems records are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Draw {
    /// Random ones, as in the papers.
    #[default]
    Random,
    /// Ones that earlier records do not serve, for the most part (JAIR 2010, section 10).
    Uncovered,
    /// Ones between the seeds of regions that climbing crosses both ways (the same section; HCDPS).
    Regions,
}

impl std::str::FromStr for Draw {
    type Err = ();

    fn from_str(text: &str) -> Result<Draw, ()> {
        let all = [Draw::Random, Draw::Uncovered, Draw::Regions];
        all.into_iter().find(|draw| draw.name() == text).ok_or(())
    }
}

impl Draw {
    const fn name(self) -> &'static str {
        match self {
            Draw::Random => "random",
            Draw::Uncovered => "uncovered",
            Draw::Regions => "regions",
        }
    }
}

/// What the method of 2009 stores of a path that climbing reaches to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Store {
    /// Its goal as the subgoal: the farthest state that climbing reaches, as the paper's text has it.
    #[default]
    Farthest,
    /// Nothing, as the paper's figure 4 has it; another pair is drawn.
    Failures,
}

impl Store {
    const fn name(self) -> &'static str {
        match self {
            Store::Farthest => "farthest",
            Store::Failures => "failures",
        }
    }
}

/// What a database is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubgoalParameters {
    /// How many records (the papers' `N`).
    pub records: u32,
    /// What they are drawn by.
    pub seed: u64,
    /// Where they are drawn from.
    pub scope: Scope,
    /// Which paper's records they are.
    pub method: Method,
    /// Which problems they are made of.
    pub draw: Draw,
    /// What the method of 2009 stores of easy problems.
    pub store: Store,
}

impl Default for SubgoalParameters {
    fn default() -> SubgoalParameters {
        SubgoalParameters {
            records: 10_000,
            seed: 1,
            scope: Scope::default(),
            method: Method::default(),
            draw: Draw::default(),
            store: Store::default(),
        }
    }
}

impl SubgoalParameters {
    /// Reads the parameters of a request.
    pub fn of(request: &IndexRequest) -> Result<SubgoalParameters, BuildError> {
        let default = SubgoalParameters::default();
        let one_of = |key: &str, default: &str, names: [&'static str; 2]| {
            let expected = names.join(" or ");
            request.value(key, default.to_string(), &expected, |text: &String| {
                names.contains(&text.as_str())
            })
        };
        Ok(SubgoalParameters {
            records: request.value(
                "records",
                default.records,
                "a number of records up to 16777216",
                |&records| records <= MAX_RECORDS,
            )?,
            seed: request.value("seed", default.seed, "a number", |_| true)?,
            scope: if one_of("component", "largest", ["largest", "all"])? == "all" {
                Scope::All
            } else {
                Scope::Largest
            },
            method: if one_of("method", "2010", ["2010", "2009"])? == "2009" {
                Method::Aiide2009
            } else {
                Method::Jair2010
            },
            draw: request.value("draw", default.draw, "random, uncovered or regions", |_| {
                true
            })?,
            store: if one_of("store", "farthest", ["farthest", "failures"])? == "failures" {
                Store::Failures
            } else {
                Store::Farthest
            },
        })
    }

    fn from_texts(texts: &BTreeMap<String, String>) -> Option<SubgoalParameters> {
        let request = IndexRequest {
            kind: IndexKind::Subgoals,
            parameters: texts.clone(),
        };
        SubgoalParameters::of(&request).ok()
    }

    /// All of them as texts, as artifacts record them.
    pub fn texts(&self) -> BTreeMap<String, String> {
        [
            ("records", self.records.to_string()),
            ("seed", self.seed.to_string()),
            ("component", self.scope.name().to_string()),
            ("method", self.method.name().to_string()),
            ("draw", self.draw.name().to_string()),
            ("store", self.store.name().to_string()),
        ]
        .map(|(key, value)| (key.to_string(), value))
        .into()
    }
}

/// Solved problems, compressed, in the order of their kd-tree. Shared by all agents.
#[derive(Clone, Debug)]
pub struct SubgoalDatabase {
    header: Header,
    records: Arc<Records>,
    shard: Shard,
    /// Made when first asked for.
    fragments: OnceLock<Option<Arc<Fragments>>>,
    costs: OnceLock<Arc<RecordCosts>>,
}

impl SubgoalDatabase {
    fn new(header: Header, records: Records, shard: Shard) -> SubgoalDatabase {
        SubgoalDatabase {
            header,
            records: Arc::new(records),
            shard,
            fragments: OnceLock::new(),
            costs: OnceLock::new(),
        }
    }

    /// Builds a database on all threads of the current rayon pool, or one shard of it.
    pub fn build(
        map: &Map,
        parameters: &SubgoalParameters,
        shard: Shard,
        progress: &dyn Progress,
    ) -> Result<SubgoalDatabase, BuildError> {
        if shard.index == 0 || shard.index > shard.count {
            return Err(BuildError::BadParameter {
                index: IndexKind::Subgoals.name(),
                key: SHARD_KEY.to_string(),
                value: format!("{}/{}", shard.index, shard.count),
                expected: "I/N with I from 1 to N".to_string(),
            });
        }
        let numbers = file::numbers_of(parameters.records, shard);
        let list = grid::make(map, parameters, numbers, progress)?;
        let mut texts = parameters.texts();
        let records = if shard.count == 1 {
            file::in_tree_order(list, |cell| map.grid().point(cell))
        } else {
            let text = format!("{}/{}", shard.index, shard.count);
            texts.insert(SHARD_KEY.to_string(), text);
            list.finish()
        };
        let header = Header::of(IndexKind::Subgoals, map, texts);
        Ok(SubgoalDatabase::new(header, records, shard))
    }

    /// The records.
    pub fn cases(&self) -> &Arc<Records> {
        &self.records
    }

    /// All parts of the records, for the variant that uses them; shared by all agents and made once.
    pub fn fragments(&self, map: &Map) -> Result<Arc<Fragments>, String> {
        let fragments = self.fragments.get_or_init(|| {
            Fragments::of(&self.records, |cell| map.grid().point(cell)).map(Arc::new)
        });
        fragments
            .clone()
            .ok_or_else(|| "its records have more than 16 million parts; use fewer".to_string())
    }

    /// Costs along the records, for agents that choose by them; shared by all agents and made once.
    pub fn costs(&self, map: &Map) -> Arc<RecordCosts> {
        let costs = || RecordCosts::of(&self.records, |a, b| map.heuristic(a, b));
        self.costs.get_or_init(|| Arc::new(costs())).clone()
    }

    /// The same database with some records marked as unusable.
    fn with_marks(&self, marks: Marks) -> SubgoalDatabase {
        SubgoalDatabase {
            records: Arc::new(self.records.with_marks(marks)),
            ..self.clone()
        }
    }

    /// Which part of a build it is: [`Shard::WHOLE`] unless it still has to be merged with others.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// The header of the whole build that a shard belongs to.
    fn whole_header(&self) -> Header {
        let mut header = self.header.clone();
        header.parameters.remove(SHARD_KEY);
        header
    }
}

impl Index for SubgoalDatabase {
    fn kind(&self) -> IndexKind {
        IndexKind::Subgoals
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        file::to_bytes(self)
    }

    fn memory_bytes(&self) -> usize {
        size_of::<SubgoalDatabase>() + self.records.bytes()
    }

    fn records(&self) -> u64 {
        self.records.len() as u64
    }

    /// Records that the patch has touched are marked, a slice at a time.
    fn repair(self: Arc<Self>, map: &Map, changes: &ChangeSet) -> Repair {
        Repair::Sliced(Box::new(marks::Marking::new(self, map, changes)))
    }

    fn facts(&self) -> Vec<(String, String)> {
        let slices = self.records.slices();
        let longest = (0..self.records.len() as u32)
            .map(|record| slices.state_count(record))
            .max();
        let states = self.records.states();
        [
            ("states", states.to_string()),
            (
                "bytes_per_state",
                format!("{:.2}", self.records.bytes() as f64 / states.max(1) as f64),
            ),
            ("longest_record", longest.unwrap_or(0).to_string()),
        ]
        .map(|(name, fact)| (name.to_string(), fact))
        .into()
    }
}

/// Describes the database to the registry.
pub(crate) static SUBGOALS: IndexType = IndexType {
    kind: IndexKind::Subgoals,
    about: "solved problems compressed to subgoals, for kNN LRTA*",
    keys: &[
        ("records", "how many problems to solve (10000)"),
        ("seed", "what they are drawn by (1)"),
        (
            "component",
            "draw from the `largest` component or from `all` (largest)",
        ),
        ("method", "records of the paper of 2010 or of 2009 (2010)"),
        (
            "store",
            "2009, of paths that climbing reaches to the end: the `farthest` state, or nothing, of `failures` alone (farthest)",
        ),
        (
            "draw",
            "make records of `random` problems, of `uncovered` ones for the most part, or between `regions` of climbing (random)",
        ),
    ],
    build: |map, request, shard, progress| {
        let parameters = SubgoalParameters::of(request)?;
        let database = SubgoalDatabase::build(map, &parameters, shard, progress)?;
        Ok(Arc::new(database))
    },
    open: |artifact, map| Ok(Arc::new(file::open(artifact, map)?)),
    merge: Some(file::merge),
};
