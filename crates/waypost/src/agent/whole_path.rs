//! Agents that plan their whole path before the first move and then follow it: `astar`, `dijkstra`
//! ([`crate::methods::astar`]), and any other [`Planner`].
//!
//! The first move carries all the planning: exact, and not real-time. Under a limited [`crate::Budget`] planners that can
//! stop answer [`Decision::Thinking`] until they are done.

use super::{Agent, Budget, Context, Decision, Meter};
use crate::agent::Scratch;
use crate::grid::Cell;
use crate::map::News;
use crate::search::{PathSearch, Status};
use crate::space::Space;
use crate::trace::Trace;

/// The state of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    /// The path has been written.
    Path,
    /// There is no path.
    NoPath,
    /// The budget is used up: ask again with the same cells to go on.
    Unfinished,
}

/// Finds whole paths for a [`WholePath`] agent.
pub trait Planner<S: Space>: Send {
    /// Writes the path between two connected nodes, start first, and counts its work on the context's meter.
    fn plan(
        &mut self,
        context: &mut Context<S>,
        from: Cell,
        goal: Cell,
        path: &mut Vec<Cell>,
    ) -> Planned;

    /// Brings what it plans with in step with the space, for about this many operations; whether it is. Crowds call this once a
    /// tick; a planner that is asked before sees to it by itself.
    fn follow(&mut self, space: &S, operations: u64) -> bool {
        let _ = (space, operations);
        true
    }

    /// Memory that the last call of `plan` used, beyond the path.
    fn memory_bytes(&self) -> usize;
}

impl<S: Space, P: Planner<S> + ?Sized> Planner<S> for Box<P> {
    fn plan(
        &mut self,
        context: &mut Context<S>,
        from: Cell,
        goal: Cell,
        path: &mut Vec<Cell>,
    ) -> Planned {
        (**self).plan(context, from, goal, path)
    }

    fn follow(&mut self, space: &S, operations: u64) -> bool {
        (**self).follow(space, operations)
    }

    fn memory_bytes(&self) -> usize {
        (**self).memory_bytes()
    }
}

/// Plans with its planner and follows the path.
#[derive(Clone, Debug)]
pub struct WholePath<P> {
    planner: P,
    goal: Cell,
    path: Vec<Cell>,
    /// Where on the path the agent stands.
    position: usize,
    /// Did the last move plan? Then its memory counts.
    planned_now: bool,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl<P> WholePath<P> {
    /// An agent without a problem yet.
    pub fn new(planner: P) -> WholePath<P> {
        WholePath {
            seen: 0,
            planner,
            goal: Cell::NONE,
            path: Vec::new(),
            position: 0,
            planned_now: false,
        }
    }

    fn drop_path(&mut self) {
        self.path.clear();
        self.position = 0;
    }

    /// Whether all moves left on the path are legal.
    fn rest_is_legal<S: Space>(&self, space: &S) -> bool {
        self.path[self.position..]
            .windows(2)
            .all(|step| space.edge_cost(step[0], step[1]).is_some())
    }
}

impl<S: Space, P: Planner<S>> Agent<S> for WholePath<P> {
    fn start(&mut self, _context: &mut Context<S>, _from: Cell, goal: Cell) {
        self.goal = goal;
        self.drop_path();
    }

    fn decide(&mut self, context: &mut Context<S>, at: Cell) -> Decision {
        self.planned_now = false;
        // The agent may stand where the last move led to, or still where it was if that move was held up. Who is on a path has a way to
        // the goal: changes of the map were looked at.
        if self.path.get(self.position + 1) == Some(&at) {
            self.position += 1;
        } else if self.path.get(self.position) != Some(&at) {
            if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
                return decision;
            }
            self.drop_path();
            self.planned_now = true;
            match self.planner.plan(context, at, self.goal, &mut self.path) {
                Planned::Path => {}
                Planned::NoPath => return Decision::Unreachable,
                Planned::Unfinished => return Decision::Thinking,
            }
        }
        match self.path.get(self.position + 1) {
            Some(&next) => Decision::Step(next),
            // The goal itself may have become a wall.
            None => {
                Decision::at_once(context.space, at, self.goal).unwrap_or(Decision::Unreachable)
            }
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<S>, news: News) {
        // New walls make no other path better: a path that is still legal is still the best.
        if news == News::Openings || !self.rest_is_legal(context.space) {
            self.drop_path();
        }
    }

    fn memory_bytes(&self) -> usize {
        let planning = if self.planned_now {
            self.planner.memory_bytes()
        } else {
            0
        };
        planning + self.path.len() * size_of::<Cell>()
    }

    fn operations_bound(&self, _space: &S) -> Option<u64> {
        None
    }
}

/// Plans with a search: in the memory that the thread shares, or under a limited budget in memory of its own, which keeps
/// the search from one move to the next.
#[derive(Clone, Debug)]
pub struct SearchPlanner<R> {
    shared: fn(&mut Scratch) -> &mut R,
    own: Option<Box<R>>,
    progress: PlanProgress,
}

impl<R> SearchPlanner<R> {
    /// A planner that uses the search that `shared` picks from the thread's memory.
    pub fn new(shared: fn(&mut Scratch) -> &mut R) -> SearchPlanner<R> {
        SearchPlanner {
            shared,
            own: None,
            progress: PlanProgress::default(),
        }
    }
}

impl<S: Space, R: PathSearch<S> + Default> Planner<S> for SearchPlanner<R> {
    fn plan(
        &mut self,
        context: &mut Context<S>,
        from: Cell,
        goal: Cell,
        path: &mut Vec<Cell>,
    ) -> Planned {
        let search = if context.budget == Budget::UNLIMITED {
            (self.shared)(context.scratch)
        } else {
            &mut **self.own.get_or_insert_default()
        };
        let work = Work {
            space: context.space,
            budget: context.budget,
            meter: &mut context.meter,
            trace: context.trace.as_deref_mut(),
        };
        self.progress.drive(search, work, from, goal, path)
    }

    fn memory_bytes(&self) -> usize {
        self.progress.used_bytes
    }
}

/// What a planner lends to a search.
pub(crate) struct Work<'a, S: Space> {
    pub space: &'a S,
    pub budget: Budget,
    pub meter: &'a mut Meter,
    pub trace: Option<&'a mut Trace>,
}

/// How far a planner's search has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlanProgress {
    /// The ends of the search, and the state of the space that it began on.
    under_way: Option<(Cell, Cell, u64)>,
    pub used_bytes: usize,
}

impl PlanProgress {
    /// Begins a search or goes on with the one under way, within the budget.
    pub(crate) fn drive<S: Space, R: PathSearch<S> + ?Sized>(
        &mut self,
        search: &mut R,
        work: Work<S>,
        from: Cell,
        goal: Cell,
        path: &mut Vec<Cell>,
    ) -> Planned {
        let space = work.space;
        // Under no limit the search's memory is shared: nothing in it is from the last move.
        if work.budget == Budget::UNLIMITED || self.under_way != Some((from, goal, space.state())) {
            search.begin(space, from, goal);
        }
        let before = search.expansions();
        let status = advance(search, space, work.budget.operations, work.trace);
        work.meter.expansions += search.expansions() - before;
        self.used_bytes = search.used_bytes();
        self.under_way = (status == Status::Running).then_some((from, goal, space.state()));
        match status {
            Status::Running => Planned::Unfinished,
            Status::NotFound => Planned::NoPath,
            Status::Found => {
                search.path_into(space, path);
                Planned::Path
            }
        }
    }
}

/// Goes on with a search; where there is a trace, node by node, so that each is recorded.
pub(crate) fn advance<S: Space, R: PathSearch<S> + ?Sized>(
    search: &mut R,
    space: &S,
    most_expansions: u64,
    trace: Option<&mut Trace>,
) -> Status {
    match trace {
        None => search.advance(space, most_expansions),
        Some(trace) => advance_traced(search, space, most_expansions, trace),
    }
}

/// Goes on node by node and records each.
fn advance_traced<S: Space, R: PathSearch<S> + ?Sized>(
    search: &mut R,
    space: &S,
    most_expansions: u64,
    trace: &mut Trace,
) -> Status {
    let mut status = Status::Running;
    for _ in 0..most_expansions {
        let before = search.expansions();
        status = search.advance(space, 1);
        if search.expansions() > before
            && let Some(event) = search.last_expanded(space)
        {
            trace.record(event);
        }
        if status != Status::Running {
            break;
        }
    }
    status
}
