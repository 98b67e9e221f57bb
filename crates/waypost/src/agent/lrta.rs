//! LRTA* (Korf 1990) as JAIR 2010 describes it in section 3 and figure 1: look ahead up to a cost, learn, make one step.
//!
//! [`Lrta`] is the core that other methods build on: it climbs to whatever goal it is given ([`Lrta::set_goal`]), so
//! kNN LRTA* and D LRTA* select subgoals and leave the walking to it. [`LrtaAgent`] gives it the agent's own goal.
//!
//! Each step generates the states within `gmax`, finds the frontier state of least `g + h` (ties to the higher `g`, then in
//! the fixed order), raises `h` of the current state to that value and moves one step towards the frontier state. With
//! `gmax` of one edge, the papers' setting, this is [`best_neighbour`]: exactly the step of hill climbing, so Theorem 5
//! holds by construction. Learned values are never lowered. `weight` multiplies the initial heuristic (weighted LRTA*,
//! Shimbo and Ishida 2003); walks end all the same, since no value ever passes `weight` times the true cost.
//!
//! # Where figure 1 walks in circles, and what is done about it
//! With `gmax` beyond one edge, figure 1 as printed can swing between two states for ever: it reads learned values at the
//! frontier alone, and the values of the two states, each inside the other's lookahead, grow without being seen. (From
//! `s` a bay on the left looks best; one step to the left its end can be seen, and the bay on the right, of which less is
//! visible now, looks better. A test holds such a map.) So a frontier state is valued here by the largest `g + h` on the
//! shortest path to it. Where nothing was learned, that is `g + h` of the frontier state itself, because a consistent
//! heuristic never falls along a path; with one edge it is so always. Once values have stopped rising, every step now
//! goes to a state of lower value: `h(s) >= c(s, n) + h(n)` for the next state `n`. Hence every walk ends.
//!
//! [`Frontier::End`] is figure 1 to the letter, for comparisons.
//!
//! Cost of a move: one expansion, or as many as there are states within `gmax`; independent of the map.

use super::learned::{LearnedHeuristic, Weight};
use super::{Agent, BYTES_PER_STATE, Context, Decision, Meter};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::map::News;
use crate::search::hill_climb::best_neighbour;
use crate::space::Space;
use crate::stream::{Reader, Writer};

/// Blocks for learned values that set-up reserves: 20,000 values or more.
const RESERVED_BLOCKS: usize = 256;

/// How the states at the end of a lookahead are valued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frontier {
    /// By the largest `g + h` on the way to them: every walk ends.
    #[default]
    Path,
    /// By their own `g + h`, as figure 1 is printed: walks may swing for ever.
    End,
}

impl Frontier {
    /// Its name in specs.
    pub const fn name(self) -> &'static str {
        match self {
            Frontier::Path => "path",
            Frontier::End => "end",
        }
    }
}

impl std::str::FromStr for Frontier {
    type Err = ();

    fn from_str(name: &str) -> Result<Frontier, ()> {
        let all = [Frontier::Path, Frontier::End];
        all.into_iter().find(|f| f.name() == name).ok_or(())
    }
}

/// The parameters of LRTA*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LrtaParams {
    /// How far to look ahead, in the space's cheapest edges (straight moves on grids). The neighbours of the current
    /// state are always seen.
    pub gmax: f64,
    /// Multiplies the initial heuristic.
    pub weight: Weight,
    /// How states at the end of the lookahead are valued.
    pub frontier: Frontier,
}

impl LrtaParams {
    /// The most that `gmax` may be.
    pub(crate) const MAX_GMAX: f64 = 100.0;

    /// `gmax` in the costs of a space.
    pub fn limit<S: Space>(&self, space: &S) -> Cost {
        let limit = self.gmax * f64::from(space.cheapest_edge());
        // Tenths of moves are not exact in binary: 1.4 straight moves of 5 are 7.
        (limit + 1e-6).min(f64::from(Cost::MAX)) as Cost
    }

    /// Reserves the shared memory of a lookahead.
    pub fn reserve<S: Space>(&self, context: &mut Context<S>) {
        let seen = self.most_seen(context.space) as usize;
        let seen = seen.min(context.space.id_bound());
        context.scratch.local.reserve(seen + 1);
    }

    /// At least the states that one lookahead sees: all within `gmax`, or within one edge.
    pub(crate) fn most_seen<S: Space>(&self, space: &S) -> u64 {
        space.most_within(self.limit(space).max(space.max_edge_cost()))
    }
}

/// One edge of lookahead and an unweighted heuristic, as the papers run it.
impl Default for LrtaParams {
    fn default() -> LrtaParams {
        LrtaParams {
            gmax: 1.0,
            weight: Weight::ONE,
            frontier: Frontier::Path,
        }
    }
}

/// LRTA* towards a goal that its owner selects.
#[derive(Clone, Debug)]
pub struct Lrta {
    params: LrtaParams,
    goal: Cell,
    learned: LearnedHeuristic,
    /// The largest lookahead so far, in states.
    most_seen: usize,
}

impl Lrta {
    /// LRTA* without a goal yet.
    pub fn new(params: LrtaParams) -> Lrta {
        Lrta {
            params,
            goal: Cell::NONE,
            learned: LearnedHeuristic::new(),
            most_seen: 0,
        }
    }

    /// Begins a new problem: forgets what was learned and reserves the shared memory that moves will use.
    pub fn start<S: Space>(&mut self, context: &mut Context<S>, goal: Cell) {
        self.forget(context);
        self.most_seen = 0;
        self.goal = goal;
        let blocks = reserved_blocks(context.space);
        context.scratch.heuristic_blocks.reserve(blocks);
        if !self.sees_neighbours_alone(context.space) {
            self.params.reserve(context);
        }
    }

    /// Looks ahead as these parameters say from now on; memory for that must have been reserved ([`LrtaParams::reserve`]).
    pub(crate) fn set_params(&mut self, params: LrtaParams) {
        self.params = params;
    }

    /// Climbs to another goal from now on. What was learned for the goals before is kept, each in a table of its own.
    pub fn set_goal(&mut self, goal: Cell) {
        self.goal = goal;
    }

    /// Where it climbs to.
    pub fn goal(&self) -> Cell {
        self.goal
    }

    /// Forgets what was learned for all goals.
    pub fn forget<S: Space>(&mut self, context: &mut Context<S>) {
        self.learned.forget(&mut context.scratch.heuristic_blocks);
    }

    /// Opened cells make ways shorter, so that learned values may be too high: they are forgotten. Blocked cells make
    /// ways longer only, and every learned value stays a lower bound.
    pub fn changed<S: Space>(&mut self, context: &mut Context<S>, news: News) {
        if news == News::Openings {
            self.forget(context);
        }
    }

    /// Writes down its goal and what it has learned.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.u32(self.goal.0);
        out.u64(self.most_seen as u64);
        let entries = self.learned.entries();
        out.u64(entries.len() as u64);
        for (goal, cell, value) in entries {
            out.u32(goal.0);
            out.u32(cell.0);
            out.u32(value);
        }
    }

    /// Takes up what [`Lrta::save`] wrote in the place of what it has learned; `None` where it is no such thing.
    pub(crate) fn load<S: Space>(
        &mut self,
        context: &mut Context<S>,
        from: &mut Reader,
    ) -> Option<()> {
        self.forget(context);
        self.goal = Cell(from.u32()?);
        self.most_seen = from.u64()? as usize;
        for _ in 0..from.count(12)? {
            let (goal, cell, value) = (Cell(from.u32()?), Cell(from.u32()?), from.u32()?);
            // Cell::NONE stands for an empty place in the table.
            if cell == Cell::NONE {
                return None;
            }
            let pool = &mut context.scratch.heuristic_blocks;
            self.learned.raise(pool, goal, cell, value);
        }
        Some(())
    }

    /// Notes a cell, for an owner that must know it again. Notes lie in the table of learned values, under no goal.
    pub fn note<S: Space>(&mut self, context: &mut Context<S>, cell: Cell) {
        let pool = &mut context.scratch.heuristic_blocks;
        self.learned.raise(pool, Cell::NONE, cell, 0);
    }

    /// Whether the cell was noted on this problem.
    pub(crate) fn is_noted(&self, cell: Cell) -> bool {
        self.learned.get(Cell::NONE, cell).is_some()
    }

    /// Whether a value of this cell was raised for the present goal.
    pub(crate) fn has_learned(&self, cell: Cell) -> bool {
        self.learned.get(self.goal, cell).is_some()
    }

    /// The heuristic of a cell towards the present goal, with what was learned.
    #[inline]
    pub fn h<S: Space>(&self, space: &S, cell: Cell) -> Cost {
        self.learned
            .value(space, self.params.weight, self.goal, cell)
    }

    /// Looks ahead, learns, and returns the neighbour to step to; `None` where there is no neighbour at all or the state
    /// is the goal. The goal must be connected to `at`, or the walk never ends.
    pub fn step<S: Space>(&mut self, context: &mut Context<S>, at: Cell) -> Option<Cell> {
        if at == self.goal {
            return None;
        }
        let space = context.space;
        let (next, f) = if self.sees_neighbours_alone(space) {
            let best = best_neighbour(space, at, |cell| self.h(space, cell))?;
            context.expanded(at, Cell::NONE, 0, cost_of(best.f()));
            context.meter.learning_steps += 1;
            self.most_seen = self.most_seen.max(1 + space.most_neighbours() as usize);
            (best.cell, best.f())
        } else {
            self.look_ahead(context, at)?
        };
        let value = cost_of(f);
        if value > self.h(space, at) {
            let pool = &mut context.scratch.heuristic_blocks;
            self.learned.raise(pool, self.goal, at, value);
        }
        Some(next)
    }

    /// The first step towards the best frontier state within `gmax`, and that state's value.
    fn look_ahead<S: Space>(&mut self, context: &mut Context<S>, at: Cell) -> Option<(Cell, u64)> {
        let space = context.space;
        let mut local = std::mem::take(&mut context.scratch.local);
        local.begin(at, self.h(space, at));
        let limit = self.params.limit(space);
        local.within(context, self.goal, limit, |cell| self.h(space, cell));
        self.most_seen = self.most_seen.max(local.len());
        let best = match self.params.frontier {
            Frontier::Path => local.best_by_path(context),
            Frontier::End => local.best_by_end(context),
        };
        let found = best.and_then(|best| Some((local.path_back(best.node).last()?, best.f)));
        context.scratch.local = local;
        found
    }

    /// Whether the lookahead ends at the immediate neighbours.
    fn sees_neighbours_alone<S: Space>(&self, space: &S) -> bool {
        self.params.limit(space) < space.cheapest_edge().saturating_mul(2)
    }

    /// States held in memory: the largest lookahead, every learned value (JAIR 2010, section 8.6) and every note.
    pub(crate) fn states_in_memory(&self) -> usize {
        self.most_seen + self.learned.len()
    }

    /// Bytes held by this agent alone.
    pub fn reserved_bytes(&self) -> usize {
        size_of::<Lrta>() + self.learned.reserved_bytes()
    }

    /// No step takes more operations than this.
    pub fn operations_bound<S: Space>(&self, space: &S) -> u64 {
        self.most_work(space).operations()
    }

    /// The same, weighted.
    pub fn weighted_bound<S: Space>(&self, space: &S) -> u64 {
        self.most_work(space).weighted()
    }

    /// The most that one step does. Each state within reach is expanded or popped once, and looked at once when the best is chosen; the
    /// path back to the first step is part of that.
    pub(crate) fn most_work<S: Space>(&self, space: &S) -> Meter {
        if self.sees_neighbours_alone(space) {
            return Meter {
                expansions: 1,
                learning_steps: 1,
                ..Meter::default()
            };
        }
        let seen = self.params.most_seen(space);
        Meter {
            expansions: seen,
            look_ups: seen,
            ..Meter::default()
        }
    }
}

fn reserved_blocks<S: Space>(space: &S) -> usize {
    RESERVED_BLOCKS.min(space.id_bound() / 64 + 2)
}

/// A value as a cost: sums of huge edges saturate.
fn cost_of(f: u64) -> Cost {
    Cost::try_from(f).unwrap_or(Cost::MAX)
}

/// LRTA* with the goal of the problem.
#[derive(Clone, Debug)]
pub struct LrtaAgent {
    core: Lrta,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl LrtaAgent {
    /// An agent with these parameters.
    pub fn new(params: LrtaParams) -> LrtaAgent {
        LrtaAgent {
            seen: 0,
            core: Lrta::new(params),
        }
    }
}

impl<S: Space> Agent<S> for LrtaAgent {
    fn start(&mut self, context: &mut Context<S>, _from: Cell, goal: Cell) {
        self.core.start(context, goal);
    }

    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        let goal = self.core.goal();
        if let Some(end) = Decision::at_once(context.space, at, goal) {
            return end;
        }
        match self.core.step(context, at) {
            Some(next) => Decision::Step(next),
            None => Decision::Unreachable,
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<S>, news: News) {
        self.core.changed(context, news);
    }

    fn memory_bytes(&self) -> usize {
        self.core.states_in_memory() * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        self.core.reserved_bytes()
    }

    fn learned_bytes(&self) -> usize {
        self.core.reserved_bytes() - size_of::<Lrta>()
    }

    fn operations_bound(&self, space: &S) -> Option<u64> {
        Some(self.core.operations_bound(space))
    }

    fn weighted_bound(&self, space: &S) -> Option<u64> {
        Some(self.core.weighted_bound(space))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Scratch;
    use crate::grid::{Grid, MoveRules, Point};
    use crate::map::Map;
    use crate::run::{Outcome, walk};

    /// A corridor with dead ends on which figure 1 as printed swings to and fro with `gmax` 4.3.
    const TRAP: [&str; 17] = [
        ".@.@", ".@.@", ".@.@", ".@.@", ".@.@", ".@.@", ".@.@", ".@.@", "...@", "@@.@", ".@.@",
        ".@.@", "...@", ".@@@", "...@", "@@.@", "...@",
    ];

    fn trap() -> (Map, Cell, Cell) {
        let open = |p: Point| TRAP[p.y as usize].as_bytes()[p.x as usize] == b'.';
        let grid = Grid::from_fn(4, 17, open).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        let cell = |x, y| map.passable_cell(Point { x, y }).expect("passable");
        let ends = (cell(0, 10), cell(0, 1));
        (map, ends.0, ends.1)
    }

    #[test]
    fn figure_1_as_printed_swings_for_ever_where_ours_arrives() {
        let (map, from, goal) = trap();
        let params = LrtaParams {
            gmax: 4.3,
            ..LrtaParams::default()
        };
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        let mut printed = Lrta::new(LrtaParams {
            frontier: Frontier::End,
            ..params
        });
        printed.start(&mut context, goal);
        let (mut at, mut seen) = (from, Vec::new());
        for _ in 0..20_000 {
            at = printed.step(&mut context, at).expect("a step");
            assert_ne!(at, goal, "the printed rule was expected to circle here");
            seen.push(at);
        }
        let mut last = seen.split_off(19_000);
        last.sort_unstable();
        last.dedup();
        assert_eq!(last.len(), 2, "it swings between two states: {last:?}");
        let mut agent = LrtaAgent::new(params);
        let walk = walk(&mut agent, &mut context, from, goal, 20_000, &mut ()).expect("legal");
        assert_eq!(walk.outcome, Outcome::Arrived);
    }

    #[test]
    fn values_learned_for_one_goal_stay_while_another_is_climbed_to() {
        let (map, from, goal) = trap();
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        let mut core = Lrta::new(LrtaParams::default());
        core.start(&mut context, goal);
        let mut at = from;
        for _ in 0..40 {
            at = core.step(&mut context, at).expect("a step");
        }
        let (count, raised) = (core.learned.len(), core.h(&map, from));
        assert!(count > 0 && raised > map.heuristic(from, goal));
        core.set_goal(at);
        assert_eq!(core.h(&map, from), map.heuristic(from, at));
        core.set_goal(goal);
        assert_eq!((core.learned.len(), core.h(&map, from)), (count, raised));
    }

    #[test]
    fn opened_cells_make_it_forget_and_blocked_ones_do_not() {
        let (map, from, goal) = trap();
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        let mut core = Lrta::new(LrtaParams::default());
        core.start(&mut context, goal);
        let mut at = from;
        for _ in 0..40 {
            at = core.step(&mut context, at).expect("a step");
        }
        let count = core.learned.len();
        core.changed(&mut context, News::Walls);
        assert_eq!(core.learned.len(), count);
        core.changed(&mut context, News::Openings);
        assert_eq!(core.learned.len(), 0);
    }

    #[test]
    fn the_bound_is_the_cells_of_the_lookahead() {
        let map = Map::new(
            Grid::from_fn(40, 40, |_| true).expect("a legal size"),
            MoveRules::default(),
        );
        // Within 2 straight moves lie 13 cells of an open plane: 1, 8 around it, 4 straight on.
        assert_eq!(map.most_within(2 * 985), 13);
        assert_eq!(map.most_within(984), 1);
        let counted = |cost: Cost| {
            let at = |v: i64| v.unsigned_abs() as u32;
            let pairs = (-9..=9).flat_map(|x: i64| (-9..=9).map(move |y: i64| (x, y)));
            let octile = |(x, y)| map.rules().costs.octile(at(x), at(y));
            pairs.filter(|&p| octile(p) <= cost).count() as u64
        };
        for cost in (0..8000).step_by(37) {
            assert_eq!(map.most_within(cost), counted(cost), "{cost}");
        }
    }

    #[test]
    fn a_step_is_one_operation_and_weighs_more_than_an_expansion() {
        let (map, from, goal) = trap();
        let mut agent = LrtaAgent::new(LrtaParams::default());
        let mut scratch = Scratch::new();
        let mut context = Context::new(&map, &mut scratch);
        agent.start(&mut context, from, goal);
        context.meter = Meter::default();
        assert!(matches!(
            agent.next_move(&mut context, from),
            Decision::Step(_)
        ));
        let step = context.meter;
        assert_eq!((step.operations(), step.learning_steps), (1, 1));
        assert_eq!(
            step.weighted(),
            crate::agent::WEIGHTS.expansions + crate::agent::WEIGHTS.learning_steps
        );
        assert_eq!(agent.operations_bound(&map), Some(1));
        assert_eq!(agent.weighted_bound(&map), Some(step.weighted()));
    }
}
