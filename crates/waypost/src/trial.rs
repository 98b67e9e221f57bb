//! Indexes that were tried before they are kept: what `build auto` chose walks problems that no part of the build has seen, and
//! the artifact says how well.

use crate::agent::{Agent, Context, Scratch};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::auto::AutoIndex;
use crate::index::jump::JumpGraph;
use crate::index::{self, BuildError, Index, IndexRequest, Indexes, Shard};
use crate::map::Map;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::run::{Outcome, walk};
use crate::search::jps::JumpSearch;
use crate::search::{AStar, PathSearch};
use crate::space::Space;
use crate::spec::AgentSpec;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The seed of the sample: no build draws from it.
const SEED: u64 = 0x7a3e_91c5_04bd_26f8;
/// Pairs drawn for a problem before it is given up.
const DRAWS: u32 = 64;

/// [`index::build`]; what `auto` chose is tried on as many problems as the request's `sample` says (200), and what that showed is
/// recorded.
pub fn build(
    map: &Map,
    request: &IndexRequest,
    shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    let built = index::build(map, request, shard, progress)?;
    let Some(choice) = (&*built as &dyn Any).downcast_ref::<AutoIndex>() else {
        return Ok(built);
    };
    let problems = choice.sample();
    let quality = measure(map, choice.chosen(), problems, progress);
    Ok(Arc::new(choice.with_figures(quality.figures())))
}

/// What the sample showed.
#[derive(Default)]
struct Quality {
    problems: u64,
    unsolved: u64,
    suboptimality_sum: f64,
    suboptimality_worst: f64,
    operations_per_move_max: u64,
}

impl Quality {
    /// The figures as parameters of the artifact; of no problems there are none.
    fn figures(&self) -> BTreeMap<String, String> {
        if self.problems == 0 {
            return BTreeMap::from([("sample-problems".to_string(), "0".to_string())]);
        }
        let mean = self.suboptimality_sum / self.problems as f64;
        let figures = [
            ("sample-problems", self.problems.to_string()),
            ("sample-unsolved", self.unsolved.to_string()),
            ("sample-mean-percent", format!("{mean:.3}")),
            (
                "sample-worst-percent",
                format!("{:.3}", self.suboptimality_worst),
            ),
            (
                "sample-operations-per-move-max",
                self.operations_per_move_max.to_string(),
            ),
        ];
        let figures = figures.into_iter();
        figures
            .map(|(key, value)| (key.to_string(), value))
            .collect()
    }
}

/// Walks problems between random connected cells and compares with optimal paths.
fn measure(map: &Map, index: &Arc<dyn Index>, problems: u64, progress: &dyn Progress) -> Quality {
    let mut quality = Quality::default();
    let mut indexes = Indexes::new();
    indexes.add(index.clone());
    let agent = AgentSpec::parse(index.kind().name()).and_then(|spec| spec.build(map, &indexes));
    let (Ok(mut agent), cells) = (agent, map.grid().cells().collect::<Vec<_>>()) else {
        return quality;
    };
    progress.begin("sample", problems);
    let mut exact = Exact::new(map);
    let mut scratch = Scratch::new();
    for number in 0..problems {
        progress.advance(1);
        if let Some((from, goal)) = draw(map, &cells, number) {
            let Some(optimal) = exact.cost(map, from, goal) else {
                continue;
            };
            let mut context = Context::new(map, &mut scratch);
            try_one(
                &mut quality,
                agent.as_mut(),
                &mut context,
                from,
                goal,
                u64::from(optimal),
            );
        }
    }
    quality
}

/// The fastest exact search of a map.
struct Exact {
    graph: Option<JumpGraph>,
    jumps: JumpSearch,
    cells: AStar,
}

impl Exact {
    fn new(map: &Map) -> Exact {
        Exact {
            graph: map.is_uniform().then(|| JumpGraph::build(map)),
            jumps: JumpSearch::new(),
            cells: AStar::new(),
        }
    }

    fn cost(&mut self, map: &Map, from: Cell, goal: Cell) -> Option<Cost> {
        let Some(graph) = &self.graph else {
            return self.cells.distance(map, from, goal);
        };
        let [start, end] = [from, goal].map(|cell| map.grid().point(cell));
        let path = self.jumps.shortest(graph, map, start, end);
        path.map(|path| path.cost(map.rules().costs))
    }
}

fn try_one(
    quality: &mut Quality,
    agent: &mut dyn Agent<Map>,
    context: &mut Context<Map>,
    from: Cell,
    goal: Cell,
    optimal: u64,
) {
    quality.problems += 1;
    let limit = 1000 + 20 * optimal;
    match walk(agent, context, from, goal, limit, &mut ()) {
        Ok(walked) if walked.outcome == Outcome::Arrived => {
            let percent = (walked.cost as f64 / optimal.max(1) as f64 - 1.0) * 100.0;
            quality.suboptimality_sum += percent;
            quality.suboptimality_worst = quality.suboptimality_worst.max(percent);
            quality.operations_per_move_max = quality
                .operations_per_move_max
                .max(walked.operations_per_move_max);
        }
        _ => quality.unsolved += 1,
    }
}

fn draw(map: &Map, cells: &[Cell], number: u64) -> Option<(Cell, Cell)> {
    let mut rng = Rng::for_item(SEED, number);
    let mut any = || cells.get(rng.below(cells.len() as u32) as usize).copied();
    (0..DRAWS)
        .filter_map(|_| Some((any()?, any()?)))
        .find(|&(from, goal)| from != goal && map.connected(from, goal))
}
