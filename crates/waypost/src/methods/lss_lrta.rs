//! LSS-LRTA* (Koenig 2004; Koenig and Sun 2009) and RTAA* (Koenig and Likhachev 2006): A*-shaped lookahead, learning in the
//! whole local search space, then a walk to the best state of the frontier (JAIR 2010, section 4).
//!
//! Both expand up to `lookahead` states with A* from where the agent stands and raise the heuristic of every expanded
//! state. They differ in one line, the learning rule: LSS-LRTA* carries the frontier's values inwards with Dijkstra's
//! algorithm, RTAA* takes `f` of the best frontier state less `g`, which is cheaper and teaches less. The agent then makes
//! all moves to that state (or until one of them is not legal any more) before it plans again.
//!
//! # Depressions
//! Where values have risen the agent is in a depression of the heuristic, and the best frontier state often lies in it too.
//! `avoid` chooses among the frontier states as Hernandez and Baier do (JAIR 43, 2012, sections 4 and 5): `marked` takes the
//! best state whose value has not been raised, where there is one (aLSS-LRTA*, aRTAA*); `raised` takes the state whose value
//! has been raised least, of several the best (daLSS-LRTA*, daRTAA*). What is learned stays the same.
//!
//! Their proof that walks end wants a consistent heuristic, which a weighted one is not. So an agent that has made
//! [`MAX_QUIET_PLANS`] plans in a row without raising a value takes the best frontier state until it raises one again. Values
//! stop rising some day, and from then on walks end as they do without `avoid`.
//!
//! # Weights
//! With `weight` the initial heuristic is multiplied. Values may then fall faster along an edge than it costs, and the
//! lookahead reopens states; no value ever passes `weight` times the true cost, and once values have stopped rising every
//! plan leads to a state of lower value, so walks end.
//!
//! Cost of a planning move: `lookahead` expansions and learning in proportion; of the others, one step. Independent of
//! the map.

use super::lrta::parse_weight;
use crate::agent::learned::{LearnedHeuristic, Weight};
use crate::agent::local_search::{Local, LocalSearch};
use crate::agent::plan::Plan;
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, Meter};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::Indexes;
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::space::{ExplicitGraph, Space};

/// How the expanded states learn from the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LearningRule {
    /// LSS-LRTA*: the least cost to a frontier state plus its value.
    CheapestWayOut,
    /// RTAA*: `f` of the best frontier state less the state's own `g`.
    BestLessG,
}

/// Which frontier state the agent goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Avoidance {
    /// The best.
    Off,
    /// The best of those whose value has not been raised; the best of all where there is none.
    Marked,
    /// The one whose value has been raised least; of several the best.
    Raised,
}

/// The parameters of LSS-LRTA* and RTAA*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LssParams {
    /// Expansions per plan.
    pub lookahead: u32,
    /// Multiplies the initial heuristic.
    pub weight: Weight,
    /// How to learn.
    pub rule: LearningRule,
    /// Where to go.
    pub avoid: Avoidance,
}

/// The most that `lookahead` may be.
pub(crate) const MAX_LOOKAHEAD: u32 = 100_000;
/// Plans in a row that raise nothing, after which depressions are not avoided.
pub const MAX_QUIET_PLANS: u32 = 64;
/// The most blocks for learned values that set-up reserves.
const MAX_RESERVED_BLOCKS: usize = 4096;

/// An agent that runs LSS-LRTA* or RTAA*.
#[derive(Clone, Debug)]
pub struct LssAgent {
    params: LssParams,
    goal: Cell,
    learned: LearnedHeuristic,
    plan: Plan,
    /// The largest lookahead so far, in states.
    most_seen: usize,
    /// Plans since a value was raised.
    quiet_plans: u32,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl LssAgent {
    /// An agent with these parameters.
    pub fn new(params: LssParams) -> LssAgent {
        LssAgent {
            seen: 0,
            params,
            goal: Cell::NONE,
            learned: LearnedHeuristic::new(),
            plan: Plan::default(),
            most_seen: 0,
            quiet_plans: 0,
        }
    }

    /// States that one lookahead can reach.
    fn most_reached<S: Space>(&self, space: &S) -> u64 {
        let others = u64::from(self.params.lookahead) - 1;
        1 + u64::from(space.most_neighbours()) + others * u64::from(space.most_new_neighbours())
    }

    fn make_plan<S: Space>(&mut self, context: &mut Context<S>, at: Cell) {
        let mut local = std::mem::take(&mut context.scratch.local);
        let (space, goal, weight) = (context.space, self.goal, self.params.weight);
        let most = u64::from(self.params.lookahead).min(context.budget.operations.max(1));
        let h = |cell| self.learned.value(space, weight, goal, cell);
        local.begin(at, h(at));
        local.towards(context, goal, most, h);
        self.most_seen = self.most_seen.max(local.len());
        if let Some(best) = local.top() {
            let target = self.target(context, &local).unwrap_or(best.node);
            self.plan.set(context, local.path_back(target));
            let raised = match self.params.rule {
                LearningRule::CheapestWayOut => self.learn_ways_out(context, &mut local),
                LearningRule::BestLessG => self.learn_less_g(context, &local, best.f),
            };
            self.quiet_plans = if raised { 0 } else { self.quiet_plans + 1 };
        }
        context.scratch.local = local;
    }

    /// The frontier state out of the depression, where depressions are avoided.
    fn target<S: Space>(&self, context: &mut Context<S>, local: &LocalSearch) -> Option<Local> {
        if self.params.avoid == Avoidance::Off || self.quiet_plans >= MAX_QUIET_PLANS {
            return None;
        }
        let (space, goal, weight) = (context.space, self.goal, self.params.weight);
        let most = match self.params.avoid {
            Avoidance::Marked => 1,
            _ => Cost::MAX,
        };
        local.best_by_rank(context, |cell, h| {
            let initial = weight.times(space.heuristic(cell, goal));
            h.saturating_sub(initial).min(most)
        })
    }

    /// Says whether a value was raised.
    fn learn_ways_out<S: Space>(
        &mut self,
        context: &mut Context<S>,
        local: &mut LocalSearch,
    ) -> bool {
        // The pool is taken out so that the context is free for counting.
        let mut pool = std::mem::take(&mut context.scratch.heuristic_blocks);
        let space = context.space;
        let mut raised = false;
        local.spread_from_frontier(context, |cell, value| {
            let known = self
                .learned
                .value(space, self.params.weight, self.goal, cell);
            if value > known {
                self.learned.raise(&mut pool, self.goal, cell, value);
                raised = true;
            }
        });
        context.scratch.heuristic_blocks = pool;
        raised
    }

    /// The most of each kind of operation in a move.
    fn bound<S: Space>(&self, space: &S) -> Meter {
        let lookahead = u64::from(self.params.lookahead);
        let reached = self.most_reached(space);
        let settled = match self.params.rule {
            LearningRule::CheapestWayOut => reached,
            LearningRule::BestLessG => 0,
        };
        let choices = u64::from(self.params.avoid != Avoidance::Off);
        Meter {
            expansions: lookahead + settled,
            // The plan and its first step, and a step tried before planning.
            trace_steps: lookahead + 2,
            // The passes of choice and learning.
            look_ups: (choices + 1) * reached,
            ..Meter::default()
        }
    }

    /// Says whether a value was raised.
    fn learn_less_g<S: Space>(
        &mut self,
        context: &mut Context<S>,
        local: &LocalSearch,
        f: u64,
    ) -> bool {
        context.meter.look_ups += local.len() as u64;
        let mut raised = false;
        for node in local.closed() {
            let value = f - u64::from(local.g(node)).min(f);
            let value = Cost::try_from(value).unwrap_or(Cost::MAX);
            if value > local.h(node) {
                let pool = &mut context.scratch.heuristic_blocks;
                self.learned.raise(pool, self.goal, local.cell(node), value);
                raised = true;
            }
        }
        raised
    }
}

impl<S: Space> Agent<S> for LssAgent {
    fn start(&mut self, context: &mut Context<S>, _from: Cell, goal: Cell) {
        self.goal = goal;
        self.plan.clear();
        self.most_seen = 0;
        self.quiet_plans = 0;
        self.learned.forget(&mut context.scratch.heuristic_blocks);
        let ids = context.space.id_bound();
        let blocks = (ids / 64 + 2).min(MAX_RESERVED_BLOCKS);
        context.scratch.heuristic_blocks.reserve(blocks);
        let reached = (self.most_reached(context.space) as usize).min(ids) + 1;
        context.scratch.local.reserve(reached);
        self.plan.reserve(self.params.lookahead as usize + 1);
    }

    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        if let Some(next) = self.plan.next(context, at) {
            return Decision::Step(next);
        }
        self.make_plan(context, at);
        match self.plan.next(context, at) {
            Some(next) => Decision::Step(next),
            None => Decision::Unreachable,
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<S>, news: News) {
        self.plan.clear();
        if news == News::Openings {
            self.learned.forget(&mut context.scratch.heuristic_blocks);
        }
    }

    fn memory_bytes(&self) -> usize {
        (self.most_seen + self.learned.len()) * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<LssAgent>() + self.learned.reserved_bytes() + self.plan.reserved_bytes()
    }

    fn learned_bytes(&self) -> usize {
        self.learned.reserved_bytes()
    }

    fn operations_bound(&self, space: &S) -> Option<u64> {
        Some(self.bound(space).operations())
    }

    fn weighted_bound(&self, space: &S) -> Option<u64> {
        Some(self.bound(space).weighted())
    }
}

const KEYS: &[(&str, &str)] = &[
    ("lookahead", "expansions per plan (default 10)"),
    ("weight", "multiplies the initial heuristic (default 1)"),
    (
        "avoid",
        "depressions of the heuristic: `off` (default); `marked` goes to states not raised yet, `raised` to those raised least",
    ),
];

/// `lss-lrta` in specs.
pub(crate) static LSS_LRTA: Algorithm = Algorithm {
    name: "lss-lrta",
    about: "LSS-LRTA*: A*-shaped lookahead, all expanded states learn the cheapest way out",
    keys: KEYS,
    parse: |text| Ok(Box::new(parse(text, LearningRule::CheapestWayOut)?)),
};

/// `rtaa` in specs.
pub static RTAA: Algorithm = Algorithm {
    name: "rtaa",
    about: "RTAA*: A*-shaped lookahead, all expanded states learn from the best frontier state",
    keys: KEYS,
    parse: |text| Ok(Box::new(parse(text, LearningRule::BestLessG)?)),
};

fn parse(text: &SpecText, rule: LearningRule) -> Result<LssParams, SpecError> {
    Ok(LssParams {
        lookahead: text.value("lookahead", 10, "a whole number from 1 to 100000", |n| {
            (1..=MAX_LOOKAHEAD).contains(n)
        })?,
        weight: parse_weight(text)?,
        rule,
        avoid: match text.text("avoid") {
            None | Some("off") => Avoidance::Off,
            Some("marked") => Avoidance::Marked,
            Some("raised") => Avoidance::Raised,
            Some(_) => return Err(text.bad_value("avoid", "`off`, `marked` or `raised`")),
        },
    })
}

impl AgentFactory for LssParams {
    fn build(&self, _map: &Map, _indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        Ok(Box::new(LssAgent::new(*self)))
    }

    fn build_on_graph(&self, _graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        Some(Box::new(LssAgent::new(*self)))
    }
}
