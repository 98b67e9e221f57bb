//! PRA*(k) and PRA*(∞): path refinement on the clique abstraction (Sturtevant and Buro, AAAI 2005).
//!
//! A complete path is searched by A* on a coarse level. Below, A* runs inside a corridor, the children of the path above,
//! or with `widen` also of all its neighbours (what the published figures were made with, going by the author's code;
//! without it paths are longer and found faster). PRA*(k) refines only the next `k` nodes of each level; PRA*(∞) the whole
//! path.
//!
//! # Where we deviate
//! The paper starts at half of the level at which the ancestors of both ends are first the same or neighbours, and refines one
//! path. On the public maps that leaves one path in five more than 1% too long. The defaults make up for it:
//! - PRA*(k) starts at a sixth of that level and widens corridors by three rings. The search on that level is longer, but
//!   there is one for each problem.
//! - PRA*(∞) starts at a quarter of it and refines all nearly best paths at once (`near`). Where the ends are near, it starts on the
//!   ground: A* is done there before the levels above have been searched.
//!
//! [`PraParams::of_the_paper`], in specs `start=50,slack=0`, is the setting of the paper. `docs/measurements/hierarchy.md` has the figures
//! for both.
//!
//! # Where the paper leaves things open
//! - `k` counts the nodes after the one that the agent is in, so `k = 1` can walk.
//! - *Early exit*: a lower search ends at the first node inside the last of the `k` nodes, chosen by cost so far plus
//!   distance to the node after it.
//! - *Caching*: lanes of all levels are kept and searched again when fewer than `k / 2` of their nodes are ahead.
//! - *Completeness*: planning again before a lane is used up might in principle go round in circles. A loop watch notices
//!   when planning comes back to a cell; from then on lanes are used up to their ends (*strict*). Then every
//!   segment ends inside the next node of lane 1, every new lane 1 inside the next node of lane 2, and so on up to the
//!   complete lane of the start level, which is finite and never searched again: the agent arrives. Children of a node
//!   are connected and edges lie where children's edges do, so no search inside a corridor can fail.
//! - Under a limited budget the agent plans the next segment while it walks the present one, and answers
//!   [`Decision::Thinking`] only when it has nothing to walk.
//!
//! On a map change the hierarchy is repaired, and lanes and planned moves that are still paths are kept; when the goal
//! moves, lanes are cut where they pass by the new goal's ancestor, and kept up to there.
//!
//! Searches use memory that agents share ([`workspace`]); an agent holds it only while a search is under way.

mod corridor;
pub mod frames;
mod lanes;
mod near;
pub mod planner;
mod refine;
pub mod workspace;

use super::on_graphs::{LevelsAgent, Refinement};
use crate::agent::{Agent, BYTES_PER_STATE, Budget, Context, Decision, Meter};
use crate::grid::Cell;
use crate::hierarchy::graph_levels::GraphLevels;
use crate::index::hierarchy::{HierarchyIndex, LiveHierarchy};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::space::ExplicitGraph;
use planner::{Planning, PraPlanner};
use std::sync::Arc;
use workspace::Workspace;

/// The parameters of PRA*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PraParams {
    /// Nodes of each level to refine at a time; `None` for all.
    pub k: Option<u32>,
    /// How many rings of neighbours of the path above are part of the corridor: 0 for none, as if cut out exactly.
    pub widen: u32,
    /// The level to start from, in hundredths of the level where both ends come together; the paper takes half.
    pub start_percent: u32,
    /// PRA*(∞) only: refines all paths of the start level that are within `slack / sqrt(n)` percent of the best, where
    /// that has `n` nodes. 0 refines the best alone, level by level, as the paper does; PRA*(k) always does.
    pub slack: u32,
    /// PRA*(∞) with slack only: ends nearer to each other than this many cells are searched for on the ground at once, since looking at
    /// the levels above takes longer than it saves. 0 never does.
    pub ground: u32,
}

/// Below this distance A* is done before the levels above have been searched (`docs/measurements/hierarchy.md`).
const DEFAULT_GROUND: u32 = 768;

/// Enough slack for 98% of paths within 1% of optimal on the maps of `docs/measurements/hierarchy.md`, which also has what less of it costs.
const DEFAULT_SLACK: u32 = 20;

impl Default for PraParams {
    fn default() -> PraParams {
        PraParams::new(Some(16))
    }
}

impl PraParams {
    /// The defaults for a number of nodes to refine at a time.
    pub const fn new(k: Option<u32>) -> PraParams {
        let (start_percent, widen, slack, ground) = match k {
            Some(_) => (17, 3, 0, 0),
            None => (25, 1, DEFAULT_SLACK, DEFAULT_GROUND),
        };
        PraParams {
            k,
            widen,
            start_percent,
            slack,
            ground,
        }
    }

    /// Reads `pra:key=value,...`.
    pub fn parse(text: &SpecText) -> Result<PraParams, SpecError> {
        let k = match text.text("k") {
            Some("inf") => None,
            _ => Some(text.value("k", 16, "a whole number from 1, or `inf`", |&k| k > 0)?),
        };
        let usual = PraParams::new(k);
        let widen = match text.text("widen") {
            Some("on") => 1,
            Some("off") => 0,
            _ => {
                let expected = "on, off or a number up to 8";
                text.value("widen", usual.widen, expected, |&rings| rings <= 8)?
            }
        };
        let start_percent = text.value(
            "start",
            usual.start_percent,
            "a number up to 100",
            |&percent: &u32| percent <= 100,
        )?;
        let expected = match k {
            None => "a number up to 100",
            Some(_) => "0, or k=inf beside it",
        };
        let slack = text.value("slack", usual.slack, expected, |&slack: &u32| {
            slack <= 100 && (k.is_none() || slack == 0)
        })?;
        let expected = match k {
            None => "a number of cells",
            Some(_) => "0, or k=inf beside it",
        };
        let ground = text.value("ground", usual.ground, expected, |&cells: &u32| {
            k.is_none() || cells == 0
        })?;
        Ok(PraParams {
            k,
            widen,
            start_percent,
            slack,
            ground,
        })
    }

    /// The setting of the paper, with the corridor widened as in its author's code.
    pub const fn of_the_paper(k: Option<u32>) -> PraParams {
        PraParams {
            k,
            widen: 1,
            start_percent: 50,
            slack: 0,
            ground: 0,
        }
    }
}

/// The agent.
#[derive(Clone, Debug)]
pub struct PraAgent {
    hierarchy: LiveHierarchy,
    planner: PraPlanner,
    /// The memory of a search that goes on with the next move.
    workspace: Option<Box<Workspace>>,
    goal: Cell,
    /// Cells planned, and where on them the agent stands.
    path: Vec<Cell>,
    position: usize,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl PraAgent {
    /// An agent on the hierarchy of its map.
    pub fn new(index: Arc<HierarchyIndex>, params: PraParams) -> PraAgent {
        PraAgent {
            seen: 0,
            hierarchy: LiveHierarchy::new(index),
            planner: PraPlanner::new(params),
            workspace: None,
            goal: Cell::NONE,
            path: Vec::new(),
            position: 0,
        }
    }

    fn begin(&mut self, map: &Map, at: Cell) {
        self.planner.start(self.hierarchy.get(), map, at, self.goal);
        self.path.clear();
        self.path.push(at);
        self.position = 0;
    }

    /// Cells ahead that are planned.
    fn ahead(&self) -> usize {
        self.path.len().saturating_sub(self.position + 1)
    }

    /// Drops what has been walked and appends the new segment.
    fn take_segment(&mut self) {
        self.path.drain(..self.position);
        self.position = 0;
        self.path.extend_from_slice(self.planner.segment());
    }

    /// Plans until there is something to walk and, under a limited budget, on until that is used up or the next two
    /// segments are ready.
    fn plan(&mut self, context: &mut Context<Map>) -> Planning {
        let shared = context.scratch.room::<workspace::Workspaces>();
        let mut workspace = self.workspace.take().unwrap_or_else(|| shared.take());
        let planning = self.plan_in(context, &mut workspace);
        if self.planner.is_searching() {
            self.workspace = Some(workspace);
        } else {
            context
                .scratch
                .room::<workspace::Workspaces>()
                .give_back(workspace);
        }
        planning
    }

    fn plan_in(&mut self, context: &mut Context<Map>, workspace: &mut Workspace) -> Planning {
        let mut ready = u32::from(self.ahead() > 0);
        let wanted = if context.budget == Budget::UNLIMITED {
            1
        } else {
            2
        };
        self.planner.keep_events(context.trace.is_some());
        while ready < wanted {
            let left = context
                .budget
                .operations
                .saturating_sub(context.meter.operations());
            let planning = self.planner.advance(
                self.hierarchy.get(),
                context.space,
                workspace,
                &mut context.meter,
                left,
            );
            if let Some(trace) = context.trace.as_deref_mut() {
                self.planner
                    .take_events()
                    .for_each(|event| trace.record(event));
            }
            match planning {
                Planning::Segment => self.take_segment(),
                other => return other,
            }
            ready += 1;
        }
        Planning::Segment
    }

    /// The part of the planned moves that can still be walked.
    fn keep_legal_moves(&mut self, map: &Map) {
        let legal = self.path[self.position..]
            .windows(2)
            .take_while(|step| map.legal_step(step[0], step[1]).is_some())
            .count();
        self.path.truncate(self.position + legal + 1);
    }
}

impl Agent<Map> for PraAgent {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        let map = context.space;
        let follows_on = self.goal != Cell::NONE
            && self.path.get(self.position) == Some(&from)
            && self.hierarchy.get().state() == map.fingerprint()
            && map.grid().is_passable(goal)
            && map.grid().is_passable(from);
        self.hierarchy.follow(map);
        self.goal = goal;
        let kept = follows_on && self.planner.change_goal(self.hierarchy.get(), map, goal);
        if !kept && map.grid().is_passable(from) && map.grid().is_passable(goal) {
            self.begin(map, from);
        }
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            // The next problem begins with nothing kept.
            self.path.clear();
            self.position = 0;
            return end;
        }
        if self.path.get(self.position + 1) == Some(&at) {
            self.position += 1;
        } else if self.path.get(self.position) != Some(&at) {
            self.begin(context.space, at);
        }
        let planning = self.plan(context);
        let Some(&next) = self.path.get(self.position + 1) else {
            return match planning {
                Planning::NoPath => Decision::Unreachable,
                _ => Decision::Thinking,
            };
        };
        // A wall that nobody told of: plan again from here.
        if context.space.legal_step(at, next).is_none() {
            self.begin(context.space, at);
            return Decision::Thinking;
        }
        Decision::Step(next)
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<Map>, _news: News) {
        let map = context.space;
        self.hierarchy.follow(map);
        let stands = self.path.get(self.position).copied();
        if stands.is_none_or(|at| !map.grid().is_passable(at)) || !map.grid().is_passable(self.goal)
        {
            self.path.clear();
            self.position = 0;
            return;
        }
        self.keep_legal_moves(map);
        let planned_to = self.path[self.path.len() - 1];
        self.planner
            .map_changed(self.hierarchy.get(), map, planned_to);
    }

    fn memory_bytes(&self) -> usize {
        (self.planner.states_in_memory() + self.path.len()) * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        let held = self.workspace.as_ref().map_or(0, |w| w.memory_bytes());
        self.planner.memory_bytes() + held + self.path.capacity() * 4
    }

    fn operations_bound(&self, _map: &Map) -> Option<u64> {
        None
    }
}

/// `pra` in specs.
pub static PRA: Algorithm = Algorithm {
    name: "pra",
    about: "PRA*: plans on the clique abstraction and refines the next k nodes of each level",
    keys: &[
        (
            "k",
            "nodes to refine at a time, or `inf` for all (default 16)",
        ),
        (
            "widen",
            "rings of neighbours of the path above to search too, 0 to 8; on is 1, off is 0 (default 3, for k=inf 1)",
        ),
        (
            "start",
            "level to start from, in percent of the level where both ends meet (default 17, for k=inf 25; the paper takes 50)",
        ),
        (
            "slack",
            "for k=inf, refine all abstract paths within slack/sqrt(nodes) percent of the best, 0 to 100 (default 20; 0 as in the paper)",
        ),
        (
            "ground",
            "for k=inf with slack, search the ground at once where the ends are nearer than this many cells (default 768; 0 never)",
        ),
    ],
    parse: |text| Ok(Box::new(PraParams::parse(text)?)),
};

impl AgentFactory for PraParams {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![IndexRequest::new(IndexKind::Hierarchy)]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let index = find_hierarchy(map, indexes)?;
        Ok(Box::new(PraAgent::new(index, *self)))
    }

    fn build_on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        let refinement = Refinement::Search {
            start_percent: self.start_percent,
            k: self.k,
        };
        let levels = Arc::new(GraphLevels::of(graph));
        Some(Box::new(LevelsAgent::new(levels, refinement)))
    }
}

/// The hierarchy among the indexes at hand.
pub(super) fn find_hierarchy(map: &Map, indexes: &Indexes) -> Result<Arc<HierarchyIndex>, String> {
    indexes.find(map, &IndexRequest::new(IndexKind::Hierarchy))
}

#[cfg(test)]
mod tests;
