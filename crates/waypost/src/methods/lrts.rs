//! LRTS (Bulitko and Lee 2006), which joins LRTA*, weighted LRTA*, SLA* and SLA*T in one framework (JAIR 2010, section 4):
//! full-width lookahead, learning by max of mins, the whole walk to the frontier, a learning quota, backtracking.
//!
//! Levels stand one straight move apart up to `gmax` (by cost, so that duplicates have their true `g`; the paper counts
//! moves). At each level the least `g + h` of the frontier is a lower bound for the current state; the heuristic is raised
//! to the largest of them. The agent walks to the best state of the last level. What is learned in the problem adds up; beyond
//! `quota`, a state that still learns sends the agent back to where it planned before, as SLA*T does. A state that learns
//! nothing never sends it back: "backtracks otherwise", read to the letter, would let an agent whose quota is used up walk
//! back to its start and stay there.
//!
//! The way back is kept in a ring of [`TRAIL`] cells. What has dropped out of it cannot be backtracked to, and the agent goes
//! forward instead; backtracking is never needed for a walk to end. Each use of it takes learning, which is finite.
//!
//! Cost of a planning move: levels times states within `gmax`; of the others, one step. Independent of the map.

use super::lrta::parse_lrta;
use crate::agent::learned::{LearnedHeuristic, Weight};
use crate::agent::lrta::LrtaParams;
use crate::agent::plan::Plan;
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, Meter};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::Indexes;
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm};
use crate::space::{ExplicitGraph, Space};
use std::collections::VecDeque;

/// Cells of the way back that are kept.
pub const TRAIL: usize = 1024;
/// The most levels whose states are counted level by level for the bound.
const LEVELS_ADDED_UP: usize = 1024;
/// Blocks for learned values that set-up reserves: 20,000 values or more.
const RESERVED_BLOCKS: usize = 256;

/// The parameters of LRTS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LrtsParams {
    /// Lookahead and weight, as LRTA* has them.
    pub lookahead: LrtaParams,
    /// Learning, in straight moves, beyond which the agent backtracks; infinite for never.
    pub quota: f64,
}

/// An agent that runs LRTS.
#[derive(Clone, Debug)]
pub struct LrtsAgent {
    params: LrtsParams,
    goal: Cell,
    learned: LearnedHeuristic,
    /// How much was learned in this problem, in costs.
    learning: u64,
    plan: Plan,
    backtracking: bool,
    /// Cells walked over and not taken back, the last one last; true where the agent planned.
    trail: VecDeque<(Cell, bool)>,
    most_seen: usize,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl LrtsAgent {
    /// An agent with these parameters.
    pub fn new(params: LrtsParams) -> LrtsAgent {
        LrtsAgent {
            seen: 0,
            params,
            goal: Cell::NONE,
            learned: LearnedHeuristic::new(),
            learning: 0,
            plan: Plan::default(),
            backtracking: false,
            trail: VecDeque::new(),
            most_seen: 0,
        }
    }

    /// Looks ahead, learns, and plans the way to the frontier or back.
    fn make_plan<S: Space>(&mut self, context: &mut Context<S>, at: Cell) {
        let raised = self.look_ahead(context, at);
        self.learning = self.learning.saturating_add(u64::from(raised));
        let quota = self.params.quota * f64::from(context.space.cheapest_edge());
        self.backtracking = raised > 0 && self.learning as f64 > quota && self.plan_back(context);
    }

    /// Plans the walk to the best frontier state, raises the current state's value and says by how much.
    fn look_ahead<S: Space>(&mut self, context: &mut Context<S>, at: Cell) -> Cost {
        let mut local = std::mem::take(&mut context.scratch.local);
        let (space, goal) = (context.space, self.goal);
        let weight: Weight = self.params.lookahead.weight;
        let h = |cell| self.learned.value(space, weight, goal, cell);
        let known = h(at);
        local.begin(at, known);
        let (mut value, mut end) = (0, None);
        for limit in self.levels(space) {
            local.within(context, goal, limit, h);
            end = local.best_by_end(context);
            value = end.map_or(value, |best| best.f.max(value));
        }
        self.most_seen = self.most_seen.max(local.len());
        self.plan.clear();
        if let Some(best) = end {
            self.plan.set(context, local.path_back(best.node));
        }
        context.scratch.local = local;
        let value = Cost::try_from(value).unwrap_or(Cost::MAX);
        if value <= known {
            return 0;
        }
        let pool = &mut context.scratch.heuristic_blocks;
        self.learned.raise(pool, goal, at, value);
        value - known
    }

    /// The limits of the levels.
    fn levels<S: Space>(&self, space: &S) -> impl Iterator<Item = Cost> + use<S> {
        let limit = self.params.lookahead.limit(space);
        let step = space.cheapest_edge().max(1);
        (1..=limit / step).map(move |level| level * step)
    }

    /// Plans the way to the last cell where the agent planned; false where the trail does not lead to one.
    fn plan_back<S: Space>(&mut self, context: &mut Context<S>) -> bool {
        let Some(length) = self.trail.iter().rev().position(|&(_, planned)| planned) else {
            return false;
        };
        let first = self.trail.len() - 1 - length;
        self.plan
            .set(context, self.trail.range(first..).map(|&(cell, _)| cell));
        self.trail.truncate(first);
        true
    }

    /// Remembers a cell that a forward step leaves.
    fn leave(&mut self, at: Cell, planned: bool) {
        if self.backtracking || self.trail.back().is_some_and(|&(last, _)| last == at) {
            return;
        }
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        self.trail.push_back((at, planned));
    }

    fn drop_plans(&mut self) {
        self.plan.clear();
        self.trail.clear();
        self.backtracking = false;
    }
}

impl<S: Space> Agent<S> for LrtsAgent {
    fn start(&mut self, context: &mut Context<S>, _from: Cell, goal: Cell) {
        self.goal = goal;
        self.learning = 0;
        self.most_seen = 0;
        self.drop_plans();
        self.learned.forget(&mut context.scratch.heuristic_blocks);
        let ids = context.space.id_bound();
        let blocks = (ids / 64 + 2).min(RESERVED_BLOCKS);
        context.scratch.heuristic_blocks.reserve(blocks);
        let seen = self.params.lookahead.most_seen(context.space);
        let seen = (seen as usize).min(ids) + 1;
        context.scratch.local.reserve(seen);
        self.plan.reserve(seen.max(TRAIL));
        self.trail.reserve(TRAIL);
    }

    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        if let Some(next) = self.plan.next(context, at) {
            self.leave(at, false);
            return Decision::Step(next);
        }
        self.make_plan(context, at);
        match self.plan.next(context, at) {
            Some(next) => {
                self.leave(at, true);
                Decision::Step(next)
            }
            None if self.backtracking => {
                // The way back is closed: forget it and go forward next time.
                self.drop_plans();
                Decision::Thinking
            }
            None => Decision::Unreachable,
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<S>, news: News) {
        self.drop_plans();
        if news == News::Openings {
            self.learned.forget(&mut context.scratch.heuristic_blocks);
        }
    }

    fn memory_bytes(&self) -> usize {
        (self.most_seen + self.learned.len()) * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<LrtsAgent>()
            + self.learned.reserved_bytes()
            + self.plan.reserved_bytes()
            + self.trail.capacity() * size_of::<(Cell, bool)>()
    }

    fn learned_bytes(&self) -> usize {
        self.learned.reserved_bytes()
    }

    fn operations_bound(&self, space: &S) -> Option<u64> {
        Some(self.most_work(space).operations())
    }

    fn weighted_bound(&self, space: &S) -> Option<u64> {
        Some(self.most_work(space).weighted())
    }
}

impl LrtsAgent {
    fn most_work<S: Space>(&self, space: &S) -> Meter {
        let seen = self.params.lookahead.most_seen(space);
        let levels = self.levels(space).count();
        // At each level the frontier is taken up again, every state popped at most once more, and the best chosen.
        let looked_at = if levels <= LEVELS_ADDED_UP {
            let within = |limit: Cost| space.most_within(limit.max(space.max_edge_cost()));
            self.levels(space).map(within).sum()
        } else {
            seen.saturating_mul(levels as u64)
        };
        // Where it planned last is no further back than a plan is long.
        let back = match self.params.quota.is_finite() {
            true => TRAIL.min(levels + 2),
            false => 0,
        };
        // Then the plan forward, perhaps the one back, and two steps tried.
        Meter {
            expansions: looked_at,
            look_ups: looked_at.saturating_mul(2),
            trace_steps: seen + back as u64 + 2,
            ..Meter::default()
        }
    }
}

/// `lrts` in specs.
pub static LRTS: Algorithm = Algorithm {
    name: "lrts",
    about: "LRTS: full-width lookahead, max of mins, walks to the frontier, backtracks beyond a quota",
    keys: &[
        ("gmax", "lookahead in straight moves (default 1)"),
        ("weight", "multiplies the initial heuristic (default 1)"),
        (
            "quota",
            "learning, in straight moves, before it backtracks (default: never)",
        ),
    ],
    parse: |text| {
        let quota = text.value("quota", f64::INFINITY, "a number from 0 up", |q| *q >= 0.0)?;
        let lookahead = parse_lrta(text)?;
        Ok(Box::new(LrtsParams { lookahead, quota }))
    },
};

impl AgentFactory for LrtsParams {
    fn build(&self, _map: &Map, _indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        Ok(Box::new(LrtsAgent::new(*self)))
    }

    fn build_on_graph(&self, _graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        Some(Box::new(LrtsAgent::new(*self)))
    }
}
