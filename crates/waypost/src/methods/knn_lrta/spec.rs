//! `knn-lrta` in specs.

use super::cases::Lookup;
use super::select::MAX_BLENDED;
use super::{CaseExtras, Choice, Join, KnnLrta, KnnParams};
use crate::agent::Agent;
use crate::crowd::{MadeCrowd, Options, renewed_crowd};
use crate::index::landmarks::MAX_PIVOTS;
use crate::index::subgoals::{RecordCosts, SubgoalDatabase, SubgoalParameters, build_on_graph};
use crate::index::{IndexKind, IndexRequest, Indexes, Shard};
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::progress::NoProgress;
use crate::space::{ExplicitGraph, Space};
use crate::world::World;
use std::sync::Arc;

/// `knn-lrta` in specs.
pub(crate) static KNN_LRTA: Algorithm = Algorithm {
    name: "knn-lrta",
    about: "kNN LRTA* of 2010: follows the most similar record of a subgoal database",
    keys: &[
        ("records", "size of the database (10000)"),
        ("seed", "what its records are drawn by (1)"),
        (
            "component",
            "draw records from the `largest` component or from `all` (largest)",
        ),
        ("candidates", "most similar records to try, or `all` (10)"),
        ("climb", "most steps of a climb online (250)"),
        (
            "effort",
            "most steps of all climbs to and from the candidates of a selection, or `all` (1500 with 10 candidates and climbs of 250)",
        ),
        (
            "goal-first",
            "head for the goal where climbing reaches it (on)",
        ),
        (
            "first-subgoal",
            "skip a record's start where climbing reaches the next state (on)",
        ),
        (
            "last-subgoal",
            "skip a record's end where climbing reaches the goal (on)",
        ),
        ("lookup", "find records by `tree` or by `scan` (tree)"),
        (
            "visits",
            "most tree nodes that a query looks at, or `all` (1024)",
        ),
        (
            "quota",
            "travel before a second selection, in heuristic distances; 0 for none (3)",
        ),
        ("fragments", "use parts of records as well (off)"),
        ("learn", "walk by LRTA* where `needed` or `always` (needed)"),
        (
            "draw",
            "records of `random` problems, of `uncovered` ones for the most part, or between `regions` (random)",
        ),
        (
            "choose",
            "follow the usable record of most `similarity` or of least estimated `cost` (similarity)",
        ),
        (
            "join",
            "enter and leave records at their `ends` or at `any` of their states (ends)",
        ),
        (
            "k",
            "blend the subgoals of this many records into one, 1 to 8 (1)",
        ),
        (
            "landmarks",
            "pivots of a similarity that knows of obstacles, 0 to 64 (0: octile distance)",
        ),
        (
            "aware",
            "select again after this many steps onto states that have learned, then after twice as many, and so on; 0 for never (0)",
        ),
    ],
    parse: |text| Ok(Box::new(parse(text)?)),
};

#[derive(Clone)]
struct KnnFactory {
    request: IndexRequest,
    params: KnnParams,
    fragments: bool,
    landmarks: usize,
}

/// The database that a spec asks for: only the keys that it names, so that any database at hand will do for the rest.
pub(super) fn database_of(text: &SpecText, method: &str) -> Result<IndexRequest, SpecError> {
    let mut request = IndexRequest::new(IndexKind::Subgoals).with("method", method);
    for key in ["records", "seed", "component", "draw", "store"] {
        if let Some(value) = text.text(key) {
            request = request.with(key, value);
        }
    }
    match SubgoalParameters::of(&request) {
        Ok(_) => Ok(request),
        Err(crate::index::BuildError::BadParameter {
            key,
            value,
            expected,
            ..
        }) => Err(SpecError::BadValue {
            name: text.name().to_string(),
            key,
            value,
            expected,
        }),
        Err(other) => Err(SpecError::Unusable {
            name: text.name().to_string(),
            reason: other.to_string(),
        }),
    }
}

/// The database at hand that a request asks for.
pub(super) fn database_among(
    map: &Map,
    indexes: &Indexes,
    request: &IndexRequest,
) -> Result<Arc<SubgoalDatabase>, String> {
    let database: Arc<SubgoalDatabase> = indexes.find(map, request)?;
    if database.shard() != Shard::WHOLE {
        let Shard { index, count } = database.shard();
        return Err(format!(
            "the `subgoals` index is shard {index}/{count} of a build; merge all shards first"
        ));
    }
    Ok(database)
}

fn parse(text: &SpecText) -> Result<KnnFactory, SpecError> {
    let default = KnnParams::default();
    let one_of = |key: &str, names: [&str; 2]| {
        let expected = names.join(" or ");
        text.value(key, names[0].to_string(), &expected, |value: &String| {
            names.contains(&value.as_str())
        })
    };
    let candidates = match text.text("candidates") {
        Some("all") => u32::MAX,
        _ => text.value(
            "candidates",
            default.candidates,
            "a number from 1 to 10000, or `all`",
            |n| (1..=10_000).contains(n),
        )?,
    };
    let climb = text.value("climb", default.climb, "a number from 1", |&n| n > 0)?;
    let effort = match text.text("effort") {
        Some("all") => u32::MAX,
        _ => text.value(
            "effort",
            KnnParams::default_effort(candidates, climb),
            "a number from 1, or `all`",
            |&n| n > 0,
        )?,
    };
    let visits = match text.text("visits") {
        Some("all") => u32::MAX,
        _ => text.value(
            "visits",
            KnnParams::VISITS,
            "a number from 1, or `all`",
            |&n| n > 0,
        )?,
    };
    Ok(KnnFactory {
        request: database_of(text, "2010")?,
        fragments: text.switch("fragments", false)?,
        landmarks: text.value("landmarks", 0, "0 to 64", |&n| n <= MAX_PIVOTS)?,
        params: KnnParams {
            candidates,
            climb,
            effort,
            lookup: if one_of("lookup", ["tree", "scan"])? == "scan" {
                Lookup::Scan
            } else {
                Lookup::Tree { visits }
            },
            quota: text.value("quota", default.quota, "a number from 0 to 1000", |q| {
                (0.0..=1000.0).contains(q)
            })?,
            goal_first: text.switch("goal-first", default.goal_first)?,
            first_subgoal: text.switch("first-subgoal", default.first_subgoal)?,
            last_subgoal: text.switch("last-subgoal", default.last_subgoal)?,
            learn_always: one_of("learn", ["needed", "always"])? == "always",
            choose: if one_of("choose", ["similarity", "cost"])? == "cost" {
                Choice::Cost
            } else {
                Choice::Similarity
            },
            join: if one_of("join", ["ends", "any"])? == "any" {
                Join::Any
            } else {
                Join::Ends
            },
            neighbours: text.value("k", default.neighbours, "1 to 8", |k| {
                (1..=MAX_BLENDED as u8).contains(k)
            })?,
            aware: text.value("aware", default.aware, "a number from 0 to 1000000", |&n| {
                n <= 1_000_000
            })?,
        },
    })
}

impl KnnFactory {
    fn landmarks_request(&self) -> Option<IndexRequest> {
        let request = IndexRequest::new(IndexKind::Landmarks);
        (self.landmarks > 0).then(|| request.with("count", self.landmarks))
    }

    /// Whether the options need more than records.
    fn has_extras(&self) -> bool {
        self.fragments || self.needs_costs() || self.landmarks > 0
    }

    fn needs_costs(&self) -> bool {
        self.params.choose == Choice::Cost || self.params.join == Join::Any
    }

    fn extras(
        &self,
        map: &Map,
        indexes: &Indexes,
        database: &SubgoalDatabase,
    ) -> Result<CaseExtras, String> {
        let landmarks = match self.landmarks_request() {
            None => None,
            Some(request) => Some(indexes.find(map, &request)?),
        };
        Ok(CaseExtras {
            fragments: match self.fragments {
                true => Some(database.fragments(map)?),
                false => None,
            },
            costs: self.needs_costs().then(|| database.costs(map)),
            landmarks,
        })
    }
}

impl KnnFactory {
    fn agent(&self, map: &Map, indexes: &Indexes) -> Result<KnnLrta, String> {
        let database = database_among(map, indexes, &self.request)?;
        let agent = KnnLrta::new(database.cases().clone(), self.params);
        if !self.has_extras() {
            return Ok(agent);
        }
        let extras = self.extras(map, indexes, &database)?;
        Ok(agent.with_extras(Arc::new(extras)))
    }
}

impl AgentFactory for KnnFactory {
    fn needs(&self) -> Vec<IndexRequest> {
        let mut all = vec![self.request.clone()];
        all.extend(self.landmarks_request());
        all
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        Ok(Box::new(self.agent(map, indexes)?))
    }

    /// Agents that share their records and parameters.
    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let factory = self.clone();
        let make = move |map: &Map, indexes: &Indexes| factory.agent(map, indexes);
        renewed_crowd(world, options, make).map(Some)
    }

    /// Parts of records, blends, landmarks and coverage need coordinates.
    fn build_on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        if self.fragments || self.landmarks > 0 || self.params.neighbours > 1 {
            return None;
        }
        let parameters = SubgoalParameters::of(&self.request).ok()?;
        let cases = Arc::new(build_on_graph(graph, &parameters, &NoProgress).ok()?);
        let agent = KnnLrta::new(cases.clone(), self.params);
        if !self.needs_costs() {
            return Some(Box::new(agent));
        }
        let costs = RecordCosts::of(&cases, |a, b| graph.heuristic(a, b));
        let extras = CaseExtras {
            costs: Some(Arc::new(costs)),
            ..CaseExtras::default()
        };
        Some(Box::new(agent.with_extras(Arc::new(extras))))
    }
}
