//! kNN LRTA* as it was first published (AIIDE 2009): single subgoals.
//!
//! Bulitko and Björnsson, "kNN LRTA*: simple subgoaling for real-time search", figure 7. Records hold one subgoal each
//! (`method=2009`). The similarity is the *sum* of the two distances; records are tried from most to least similar, all of
//! them if need be; a record serves if climbing reaches its start from the agent and its goal from the agent's goal within
//! `climb` steps (m = 25), and if its subgoal was not used before on this problem (the taboo list). LRTA* with a lookahead
//! of 3 moves walks to the subgoal; then the next is selected. Where no record serves, it walks to the goal.
//!
//! The lookahead of `d` moves is a `gmax` of `d` of the most expensive edges: on grids everything within `d` moves.
//! [`crate::agent::lrta`] says what it adds to the printed algorithm so that lookaheads beyond one edge end their walks.
//!
//! Bounded by the size of the database, as in the paper: a selection looks at all records and may climb twice for each.
//! The taboo list is kept in LRTA*'s own table ([`Lrta::note`]), in blocks that set-up reserves, at most one entry per record.

use super::cases::{CaseQuery, CaseScratch, CaseSpace, Lookup};
use super::cases::{climbs, first_usable, look_ups_bound};
use super::spec::{database_among, database_of};
use crate::agent::learned::Weight;
use crate::agent::lrta::{Frontier, Lrta, LrtaParams};
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, WEIGHTS};
use crate::crowd::{MadeCrowd, Options, renewed_crowd};
use crate::grid::Cell;
use crate::index::subgoals::{Records, Similarity, SubgoalParameters, build_on_graph};
use crate::index::{IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm};
use crate::methods::lrta::{FRONTIER, parse_frontier};
use crate::progress::NoProgress;
use crate::space::{ExplicitGraph, Space};
use crate::world::World;
use std::sync::Arc;

/// The parameters of the 2009 version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knn2009Params {
    /// The paper's `m`: the most steps of a climb.
    pub climb: u32,
    /// The paper's `d`: the lookahead of LRTA*, in moves.
    pub lookahead: u32,
    /// How LRTA* values states at the end of its lookahead.
    pub frontier: Frontier,
}

/// As in the paper's experiments.
impl Default for Knn2009Params {
    fn default() -> Knn2009Params {
        Knn2009Params {
            climb: 25,
            lookahead: 3,
            frontier: Frontier::Path,
        }
    }
}

/// An agent of the 2009 version.
#[derive(Clone, Debug)]
pub struct Knn2009 {
    cases: Arc<Records>,
    /// Walks, and remembers the subgoals that were used.
    walker: Lrta,
    goal: Cell,
    climb: u32,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl Knn2009 {
    /// Records looked at and steps of climbs of one selection, at most.
    fn selection_bound(&self) -> [u64; 2] {
        let records = self.cases.len();
        let looks = look_ups_bound(Lookup::Scan, u32::MAX, records);
        [looks, (2 * records as u64 + 1) * u64::from(self.climb)]
    }

    /// An agent on a space that shares these records of one subgoal each.
    pub fn new<S: Space>(space: &S, cases: Arc<Records>, params: Knn2009Params) -> Knn2009 {
        let (highest, cheapest) = (space.max_edge_cost(), space.cheapest_edge().max(1));
        let reach = f64::from(highest) / f64::from(cheapest) * f64::from(params.lookahead);
        Knn2009 {
            seen: 0,
            cases,
            walker: Lrta::new(LrtaParams {
                gmax: reach.clamp(1.0, LrtaParams::MAX_GMAX),
                weight: Weight::ONE,
                frontier: params.frontier,
            }),
            goal: Cell::NONE,
            climb: params.climb,
        }
    }

    /// The subgoal, or goal, of the moment.
    pub fn target(&self) -> Cell {
        self.walker.goal()
    }

    /// Figure 7, lines 3 to 11.
    fn select<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) -> Cell {
        let (space, goal, climb) = (context.space, self.goal, self.climb);
        if climbs(space, &mut context.meter, at, goal, climb) {
            return goal;
        }
        let cases = self.cases.slices();
        let query = CaseQuery {
            from: at,
            goal,
            similarity: Similarity::Sum,
            lookup: Lookup::Scan,
            candidates: u32::MAX,
            landmarks: None,
        };
        let walker = &self.walker;
        let found = first_usable(context, cases.ends, &query, |meter, candidate| {
            let record = candidate.record;
            let [start, end] = cases.ends[record as usize];
            let subgoal = cases.state(record, 1);
            // A subgoal on which the agent stands would be reached, and taboo, at once.
            subgoal != at
                && !walker.is_noted(subgoal)
                && climbs(space, meter, at, start, climb)
                && climbs(space, meter, goal, end, climb)
        });
        let Some(record) = found else {
            return goal;
        };
        let subgoal = cases.state(record, 1);
        self.walker.note(context, subgoal);
        subgoal
    }
}

impl<S: CaseSpace> Agent<S> for Knn2009 {
    fn start(&mut self, context: &mut Context<S>, _from: Cell, goal: Cell) {
        self.walker.start(context, Cell::NONE);
        let records = self.cases.len();
        context
            .scratch
            .room::<CaseScratch>()
            .reserve(u32::MAX, records);
        self.goal = goal;
    }

    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        let target = self.walker.goal();
        if target == Cell::NONE || at == target || !context.space.connected(at, target) {
            let target = self.select(context, at);
            // Records are connected when they are built; the map may have changed since.
            let stands = context.space.connected(at, target);
            self.walker
                .set_goal(if stands { target } else { self.goal });
        }
        match self.walker.step(context, at) {
            Some(next) => Decision::Step(next),
            None => Decision::Unreachable,
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<S>, news: News) {
        self.walker.changed(context, news);
        self.walker.set_goal(Cell::NONE);
    }

    fn memory_bytes(&self) -> usize {
        self.walker.states_in_memory() * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<Knn2009>() - size_of::<Lrta>() + self.walker.reserved_bytes()
    }

    fn learned_bytes(&self) -> usize {
        self.walker.reserved_bytes() - size_of::<Lrta>()
    }

    fn operations_bound(&self, space: &S) -> Option<u64> {
        let [selection, climbs] = self.selection_bound();
        Some(selection + climbs + self.walker.operations_bound(space))
    }

    fn weighted_bound(&self, space: &S) -> Option<u64> {
        let [selection, climbs] = self.selection_bound();
        let selecting = selection * WEIGHTS.look_ups + climbs * WEIGHTS.climb_steps;
        Some(selecting + self.walker.weighted_bound(space))
    }
}

/// `knn-lrta-2009` in specs.
pub(crate) static KNN_LRTA_2009: Algorithm = Algorithm {
    name: "knn-lrta-2009",
    about: "kNN LRTA* of 2009: single subgoals, taboo list, lookahead of 3 moves",
    keys: &[
        ("records", "size of the database (10000)"),
        ("seed", "what its records are drawn by (1)"),
        (
            "component",
            "draw records from the `largest` component or from `all` (largest)",
        ),
        (
            "store",
            "of paths that climbing reaches to the end: the `farthest` state, or nothing as in figure 4, of `failures` alone (farthest)",
        ),
        ("climb", "most steps of a climb on-line (25)"),
        ("lookahead", "lookahead of LRTA* in moves (3)"),
        FRONTIER,
    ],
    parse: |text| {
        let default = Knn2009Params::default();
        Ok(Box::new(Knn2009Factory {
            request: database_of(text, "2009")?,
            params: Knn2009Params {
                climb: text.value("climb", default.climb, "a number from 1", |&n| n > 0)?,
                lookahead: text.value(
                    "lookahead",
                    default.lookahead,
                    "a number from 1 to 50",
                    |n| (1..=50).contains(n),
                )?,
                frontier: parse_frontier(text)?,
            },
        }))
    },
};

#[derive(Clone)]
struct Knn2009Factory {
    request: IndexRequest,
    params: Knn2009Params,
}

impl Knn2009Factory {
    fn agent(&self, map: &Map, indexes: &Indexes) -> Result<Knn2009, String> {
        let database = database_among(map, indexes, &self.request)?;
        Ok(Knn2009::new(map, database.cases().clone(), self.params))
    }
}

impl AgentFactory for Knn2009Factory {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![self.request.clone()]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        Ok(Box::new(self.agent(map, indexes)?))
    }

    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let factory = self.clone();
        let make = move |map: &Map, indexes: &Indexes| factory.agent(map, indexes);
        renewed_crowd(world, options, make).map(Some)
    }

    fn build_on_graph(&self, graph: &ExplicitGraph) -> Option<Box<dyn Agent<ExplicitGraph>>> {
        let parameters = SubgoalParameters::of(&self.request).ok()?;
        let cases = build_on_graph(graph, &parameters, &NoProgress).ok()?;
        Some(Box::new(Knn2009::new(graph, Arc::new(cases), self.params)))
    }
}
