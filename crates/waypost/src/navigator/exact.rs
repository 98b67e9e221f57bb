//! Shortest paths from whatever the world's index allows: labels, jump points, or a search of cells by landmarks.

use super::path::Sum;
use super::{Error, Path};
use crate::agent::Context;
use crate::agent::guide::{Ask, Carry, Effort, Found, Guide};
use crate::agent::trail::{LongTrail, Trail};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::heuristic::Heuristic;
use crate::index::jump::JumpGraph;
use crate::index::landmarks::{Landmarks, Parameters, Placing};
use crate::index::slot::{Companion, Slot};
use crate::index::{IndexKind, IndexRequest};
use crate::map::Map;
use crate::methods::jump::Live;
use crate::methods::labels::LabelGuide;
use crate::parallel;
use crate::progress::NoProgress;
use crate::search::jps::Run;
use crate::search::{Guide as SearchGuide, PathSearch};
use crate::world::World;
use std::sync::{Arc, PoisonError, RwLock};

/// Finds shortest paths in one world.
pub(super) struct ExactPaths {
    slot: Arc<Slot>,
    solver: RwLock<(u64, Solver)>,
}

#[derive(Clone)]
enum Solver {
    Labels(Arc<LabelGuide>),
    Graph(Arc<Live<JumpGraph>>),
    Cells(SearchGuide),
}

/// Distances to this many cells round the rim guide the search of a map without order, while it is as it was when they were measured.
/// Paths through noise are nearly straight, and a pivot says most of a path that it lies in line with.
const MAX_PIVOTS: u64 = 32;
/// On large maps they are fewer, to take this much memory, but not fewer than these.
const PIVOT_BYTES: u64 = 64 << 20;
const MIN_PIVOTS: u64 = 10;

/// How often a path is asked for while others keep what all share in step with another state of the map.
const MAX_TRIES: u32 = 4;

/// A search by distances to landmarks; by the octile distance where there are none.
fn with_landmarks(map: &Map) -> SearchGuide {
    let bytes_each = map.grid().passable_count().max(1) * size_of::<Cost>() as u64;
    let pivots = (PIVOT_BYTES / bytes_each).clamp(MIN_PIVOTS, MAX_PIVOTS);
    let parameters = Parameters {
        pivots: pivots as usize,
        placing: Placing::Rim,
        states: 0,
    };
    // Whoever asks for it holds locks.
    let built = parallel::apart(|| Landmarks::build(map, &parameters, &NoProgress));
    let heuristic = built.map(|landmarks| Heuristic::Differential(Arc::new(landmarks)));
    SearchGuide {
        heuristic: heuristic.unwrap_or_default(),
        ..SearchGuide::default()
    }
}

impl Solver {
    fn new(slot: &Arc<Slot>, map: &Map) -> Solver {
        if let Ok(guide) = LabelGuide::of(slot, map) {
            return Solver::Labels(guide);
        }
        if !map.is_uniform() {
            return Solver::Cells(SearchGuide::default());
        }
        let graph = JumpGraph::build(map);
        match graph.is_too_dense() {
            true => Solver::Cells(with_landmarks(map)),
            false => Solver::Graph(Arc::new(Live::new(graph))),
        }
    }
}

impl Solver {
    /// Finds the runs of a shortest path; not where what it is found with is in step with another state of the map, as it may be where paths are asked
    /// for while patches are made.
    fn plan(
        &self,
        context: &mut Context<Map>,
        (from, goal): (Cell, Cell),
        trail: &mut LongTrail,
    ) -> bool {
        let map = context.space;
        trail.keep([]);
        match self {
            Solver::Labels(guide) => {
                let mut ask = Ask {
                    from,
                    goal,
                    note: 0,
                    carry: Carry::default(),
                    pieces: 0,
                    effort: Effort::Whole,
                };
                let mut found = guide.plan(context, &mut ask, trail);
                if found == Found::Later {
                    Companion::follow(&**guide, map, u64::MAX);
                    found = guide.plan(context, &mut ask, trail);
                }
                found == Found::Way
            }
            Solver::Graph(graph) => {
                graph.follow(map, u64::MAX);
                let search = &mut context.scratch.jump;
                let (a, b) = (map.grid().point(from), map.grid().point(goal));
                let found = graph.with(map, |graph| {
                    let path = search.shortest(graph, map, a, b)?;
                    trail.extend(path.runs().iter().copied());
                    Some(())
                });
                found.flatten().is_some()
            }
            Solver::Cells(guide) => {
                search_cells(context, guide, (from, goal), trail);
                true
            }
        }
    }
}

fn search_cells(
    context: &mut Context<Map>,
    guide: &SearchGuide,
    (from, goal): (Cell, Cell),
    trail: &mut LongTrail,
) {
    let (map, search) = (context.space, &mut context.scratch.guided);
    search.steer(guide.clone());
    let mut cells = Vec::new();
    trail.keep([]);
    search.begin(map, from, goal);
    search.advance(map, u64::MAX);
    search.path_into(map, &mut cells);
    trail.extend_by_cells(map.grid(), cells.into_iter());
}

impl ExactPaths {
    pub fn new(world: &World) -> Result<ExactPaths, Error> {
        let slot = world.slot(&IndexRequest::new(IndexKind::Auto));
        let slot = slot.map_err(Error::Map)?;
        let solver = RwLock::new((slot.version(), Solver::new(&slot, &world.map())));
        Ok(ExactPaths { slot, solver })
    }

    fn solver(&self, map: &Map) -> Solver {
        let version = self.slot.version();
        {
            let solver = self.solver.read().unwrap_or_else(PoisonError::into_inner);
            let chose_labels = matches!(solver.1, Solver::Labels(_));
            let is_labels = || {
                let chosen = self.slot.index().inner();
                chosen.is_some_and(|index| index.kind() == IndexKind::Labels)
            };
            if solver.0 == version || chose_labels == is_labels() {
                return solver.1.clone();
            }
        }
        let mut solver = self.solver.write().unwrap_or_else(PoisonError::into_inner);
        *solver = (version, Solver::new(&self.slot, map));
        solver.1.clone()
    }

    /// A shortest path between two cells that can be stood on.
    pub fn path(&self, context: &mut Context<Map>, ends: (Cell, Cell)) -> Option<Path> {
        let map = context.space;
        self.with_runs(context, ends, |runs| Path::of_runs(map, ends.0, runs))
    }

    /// The length of a shortest path whose runs are visited, first to last.
    pub fn length(
        &self,
        context: &mut Context<Map>,
        ends: (Cell, Cell),
        mut visit: impl FnMut(Run),
    ) -> Option<f64> {
        let map = context.space;
        self.with_runs(context, ends, |runs| {
            let mut sum = Sum::new(map, ends.0);
            runs.for_each(|run| {
                sum.add(run);
                visit(run);
            });
            sum.length()
        })
    }

    /// The runs of a shortest path.
    fn with_runs<R>(
        &self,
        context: &mut Context<Map>,
        (from, goal): (Cell, Cell),
        give: impl FnOnce(&mut dyn Iterator<Item = Run>) -> R,
    ) -> Option<R> {
        let map = context.space;
        if !map.components().connected(from, goal) {
            return None;
        }
        let mut trail = LongTrail::default();
        trail.keep([]);
        if from != goal {
            let solver = self.solver(map);
            let is_found = (0..MAX_TRIES).any(|_| solver.plan(context, (from, goal), &mut trail));
            if !is_found {
                // There is a way: others have kept what they share in step with the map as it was before, or is by now.
                search_cells(context, &SearchGuide::default(), (from, goal), &mut trail);
            }
        }
        Some(give(&mut trail.ahead()))
    }
}
