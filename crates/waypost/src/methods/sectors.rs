//! The agent of the sector index: near-optimal, in bounded work a move, on every map.
//!
//! [`crate::index::sectors`] explains the method and proves that it ends. The agent walks a committed piece of path while
//! the next window is searched from that piece's end, a slice of operations a move. Where a window is not ready in time,
//! as on the first move of a hard one, the agent behaves as Time-Bounded A* does inside the window: it steps towards the
//! most promising cell, and back along its own trail if that turns out wrong.
//!
//! After a patch, while the index is of an older map, the agent follows the old chain from where it stands. Windows are
//! searched on the map as it is, so every move is legal, and a chain is finite whatever the map; where a window holds no
//! path any more the agent walks by LRTA*, which is complete, until it gets a new goal, a repaired index or another
//! patch.

mod ends;
mod fields;
mod near;
mod spec;
mod windows;

pub(crate) use spec::SECTORS_AGENT;
pub(super) use spec::{SectorGuide, sector_agent};

use crate::agent::guide::{Ask, Bound, Found};
use crate::agent::learned::Weight;
use crate::agent::lrta::{Frontier, Lrta, LrtaParams};
use crate::agent::trail::Trail;
use crate::agent::walkers::Walkers;
use crate::agent::{Agent, Context, Decision, Meter};
use crate::grid::Cell;
use crate::index::sectors::SectorIndex;
use crate::index::sectors::Window;
use crate::index::slot::Reader;
use crate::map::{Map, News};
use ends::{MAX_CANDIDATES, WEIGHING_BOUND};
use fields::{Chain, Fields};
use near::NEAR_HOPS;
use windows::{Plan, STEPS_AN_OPERATION, WindowBuffers};

/// The most hops that a window may look ahead.
const MAX_HOPS: u32 = 6;
/// Cells that a piece of a window's path has at least where it is not the last: as many as a walker keeps runs.
const MIN_PIECE: u64 = 16;
/// A smaller budget a move is taken for this one: windows must be finished some day.
const MIN_SLICE: u64 = 16;
/// Steps that an agent alone makes at least before it begins to plan anew because the map or the index has changed again.
const STEPS_BETWEEN_CHANGES: u8 = 8;

/// An agent that follows the sector index.
#[derive(Debug)]
pub struct SectorsAgent {
    index: Reader<SectorIndex>,
    slice: u64,
    goal: Cell,
    goal_region: u32,
    /// The region that the goal's is come to by: on terrain it may be one beside it, else it is the goal's own.
    via: u32,
    /// Where the agent must stand for its plan to be of use.
    expected: Cell,
    plan: Plan,
    /// The regions that the window covers: `c(m)` to `c(j)`.
    chain: [u32; MAX_HOPS as usize + 1],
    chain_length: u8,
    /// Where in this chain the next window's begins.
    next_first: u8,
    hops: u8,
    commit: u8,
    /// How much of a window's path is walked at least, in a hundred moves.
    commit_percent: u8,
    /// Whether windows may look one hop less far where that will do: those of walkers of a crowd, unless somebody has said how far.
    may_be_short: bool,
    /// Whether the window at hand does.
    is_short: bool,
    /// Whether the window at hand holds all of the way to the goal.
    is_near: bool,
    room: Option<Box<WindowBuffers>>,
    fallback: Option<Box<Lrta>>,
    /// Steps since it began to plan anew on a changed map, up to a few.
    steps_since_change: u8,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl SectorsAgent {
    /// An agent with the default parameters.
    pub fn new(index: Reader<SectorIndex>) -> SectorsAgent {
        let hops = if index.index().layout().side() < 32 {
            3
        } else {
            2
        };
        let mut agent = SectorsAgent {
            seen: 0,
            index,
            slice: 0,
            goal: Cell::NONE,
            goal_region: 0,
            via: 0,
            expected: Cell::NONE,
            plan: Plan::None,
            chain: [0; MAX_HOPS as usize + 1],
            chain_length: 0,
            next_first: 1,
            hops,
            commit: 8,
            commit_percent: 0,
            may_be_short: false,
            is_short: false,
            is_near: false,
            room: None,
            fallback: None,
            steps_since_change: STEPS_BETWEEN_CHANGES,
        };
        agent.slice = agent.default_slice();
        agent
    }

    /// Takes the index that is in its slot now; the next move plans with it.
    fn refresh(&mut self) {
        let side = self.index.index().layout().side();
        if self.index.refresh() {
            if self.index.index().layout().side() != side {
                self.room = None;
            }
            self.expected = Cell::NONE;
            self.steps_since_change = 0;
        }
    }

    fn may_begin_anew(&self) -> bool {
        self.steps_since_change >= STEPS_BETWEEN_CHANGES
    }

    /// Whether walkers of a crowd share the agent.
    fn is_lent(&self) -> bool {
        self.commit_percent > 0
    }

    /// Operations a move that search and trace the largest window while the shortest piece is walked.
    fn default_slice(&self) -> u64 {
        (2 * self.index.index().window_bound(self.hops.into())).div_ceil(u64::from(self.commit))
    }

    /// More pieces than any chain that leads to a goal has: a window is left behind after a few pieces of its path, and no region
    /// comes twice. A walker that was given more follows an index that somebody made up, and goes in circles.
    fn max_pieces(&self) -> u64 {
        let index = self.index.index();
        let of_a_window = 1 + index.window_bound(self.hops.into()) / MIN_PIECE;
        of_a_window.saturating_mul(index.region_count() as u64)
    }

    /// All the memory that the agent will ever need: a path cannot be longer than its window has cells.
    fn new_room(&self) -> Box<WindowBuffers> {
        let hops = self.hops.into();
        let cells = self.index.index().window_bound(hops) as usize;
        Box::new(WindowBuffers {
            window: Window::new(
                self.index.index().layout(),
                SectorIndex::window_sectors(hops),
                SectorIndex::window_box(hops),
            ),
            path: Vec::with_capacity(cells),
            ahead: Vec::with_capacity(cells),
            tails: [0; MAX_HOPS as usize + 1],
            tails_at: (u32::MAX, u32::MAX),
            places: [(0, 0); MAX_HOPS as usize + 1],
            placed: 0,
            expansions: 0,
            followed: 0,
            weighing: None,
        })
    }

    /// The next piece of path, without regard to a budget, for walkers that share this agent. A walker's note is the region that
    /// its next window begins with, plus one; without one it is the region where it stands, as on a first move. The piece
    /// is kept in the trail as far as it fits. Where it does not, the same window serves again from where it ends. Windows that
    /// have a field are not searched; the others go to `missed`.
    fn next_piece<T: Trail>(
        &mut self,
        context: &mut Context<Map>,
        trip: &mut Ask,
        trail: &mut T,
        fields: &Fields,
        missed: &mut Option<Chain>,
    ) -> Found {
        self.refresh();
        self.goal = trip.goal;
        let mut room = self.room.take().unwrap_or_else(|| self.new_room());
        room.path.clear();
        room.ahead.clear();
        self.plan = Plan::Lost;
        let grid = context.space.grid();
        let ends = [trip.from, self.goal].map(|cell| self.index.index().region(grid.point(cell)));
        let is_first = trip.note == 0;
        self.is_short = self.may_be_short && (is_first || !self.index.index().is_shattered());
        // An index that took the place of another has other numbers: a note that means nothing in it is dropped.
        let (noted, via) = self.read_note(context, trip.note);
        if let [here, Some(there)] = ends
            && let Some(here) = noted.or(here)
            && self.index.index().connected(here, there)
        {
            self.chain[0] = here;
            self.chain_length = 1;
            room.placed = 0;
            self.goal_region = there;
            let joined = |&via: &u32| self.index.index().connected(here, via);
            self.via = via.filter(joined).unwrap_or(there);
            self.find_piece(context, &mut room, trip.from, is_first, (fields, missed));
            context.meter.look_ups += u64::from(room.placed) * cold_region(context.space);
        }
        if matches!(self.plan, Plan::Searching) {
            // The ends had nothing to choose from. A window is searched with the next turn, for this one has had its work.
            trip.note = self.chain[0] + 1;
            self.room = Some(room);
            return Found::Later;
        }
        let ready = self.plan == Plan::Ready;
        if ready {
            let piece = room.ahead.iter().rev().copied();
            let path = [trip.from].into_iter().chain(piece);
            let kept = trail.extend_by_cells(context.space.grid(), path);
            let fits = kept == room.ahead.len();
            let ends = self.target() == self.goal;
            let first = self.next_first.min(self.chain_length - 1);
            let next = if fits { first } else { 0 };
            trip.note = self.note(context, self.chain[usize::from(next)]);
            trail.set_more(!(fits && ends));
        }
        self.room = Some(room);
        match ready {
            true => Found::Way,
            false => Found::Nothing,
        }
    }

    /// Finds a piece of path from a cell on: straight ahead, in a field, or by a search. A window that is open afterwards was not searched.
    fn find_piece(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        from: Cell,
        is_first: bool,
        (fields, missed): (&Fields, &mut Option<Chain>),
    ) {
        self.is_near = false;
        if self.find_direct(context, room, from) {
            return;
        }
        if is_first && self.has_ends(context, from) {
            self.begin_ends(context, room, from);
            self.choose(context, room, u64::MAX);
            if self.plan == Plan::Searching {
                return;
            }
        } else {
            self.look_near(context, room);
            if self.is_near || !self.find_in_field(context, room, from, fields, missed) {
                self.begin_window(context, room, from);
            }
        }
        self.work(context, room, u64::MAX);
    }

    /// The most work of [`SectorsAgent::next_piece`]. On plain ground no ends are chosen; on terrain a turn that chooses them does nothing else.
    fn piece_bound(&self, map: &Map) -> Bound {
        let index = self.index.index();
        let window = index.window_bound(self.hops.into());
        let hops = u64::from(MAX_HOPS) + u64::from(self.hops) + 2 + NEAR_HOPS as u64;
        let looks = SectorIndex::MOST_LOOKS * hops + MAX_COLD_REGION * (u64::from(MAX_HOPS) + 1);
        let of_window = Bound::of(Meter {
            expansions: window,
            trace_steps: window + window / STEPS_AN_OPERATION,
            climb_steps: self.straight_ways_bound(),
            look_ups: looks,
            learning_steps: 0,
        });
        if map.ground().is_none() {
            return of_window;
        }
        let block = (9 * index.layout().area()) as u64;
        of_window.or(Bound::of(Meter {
            expansions: 2 * block,
            trace_steps: block,
            climb_steps: self.straight_ways_bound(),
            look_ups: looks + 3 * WEIGHING_BOUND,
            learning_steps: 0,
        }))
    }

    /// The next step of the plan, of a provisional one, or of LRTA*; `None` where the budget does not reach to one.
    fn step(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        at: Cell,
    ) -> Option<Cell> {
        if at != self.expected {
            self.restart(context, room, at);
        }
        let budget = self.slice.min(context.budget.operations.max(MIN_SLICE));
        let was_choosing = matches!(self.plan, Plan::Choosing { .. });
        self.work(context, room, budget);
        if room.path.is_empty() && self.plan == Plan::Ready {
            self.take_over(context, room, at);
        }
        let planned = match room.path.pop() {
            Some(next) => Some(next),
            None if self.plan == Plan::Lost => return self.step_by_learning(context, at),
            // Nothing is known yet of where the way will lead.
            None if was_choosing => None,
            None => provisional_step(context, room, at, provisional_bound(budget))
                .filter(|&next| !leads_over_dear_ground(context.space, at, next)),
        };
        // A map that changed without a word: this move is spent on planning again.
        let legal = planned.is_none_or(|next| context.space.legal_step(at, next).is_some());
        if !legal {
            self.restart(context, room, at);
        }
        planned.filter(|_| legal)
    }

    fn step_by_learning(&mut self, context: &mut Context<Map>, at: Cell) -> Option<Cell> {
        let mut lrta = match self.fallback.take() {
            Some(lrta) => lrta,
            None => {
                let mut lrta = Walkers::take(context);
                lrta.set_params(FALLBACK);
                lrta
            }
        };
        lrta.set_goal(self.goal);
        let step = lrta.step(context, at);
        self.fallback = Some(lrta);
        step
    }

    /// Drops what LRTA* has learned for the last problem or on the last map.
    fn end_fallback(&mut self, context: &mut Context<Map>) {
        if let Some(lrta) = self.fallback.take() {
            Walkers::give_back(context, lrta);
        }
    }
}

/// A step over dear ground that may have to be taken back costs more than a wait.
fn leads_over_dear_ground(map: &Map, from: Cell, to: Cell) -> bool {
    let Some(ground) = map.ground() else {
        return false;
    };
    let units = ground.units(from) + ground.units(to);
    ground.is_dear(units * ground.scale().straight)
}

/// The most steps that are traced back for a provisional step, where a move has this budget.
fn provisional_bound(budget: u64) -> u64 {
    budget / 2
}

/// A step while the window is not ready: towards its most promising cell, or back along the trail.
fn provisional_step(
    context: &mut Context<Map>,
    room: &WindowBuffers,
    at: Cell,
    budget: u64,
) -> Option<Cell> {
    let space = context.space;
    let mut cell = space.grid().cell(room.window.best()?)?;
    for _ in 0..budget {
        context.meter.trace_steps += 1;
        let Some(before) = room.window.before(space, cell) else {
            return room.window.before(space, at);
        };
        if before == at {
            return Some(cell);
        }
        cell = before;
    }
    None
}

impl Agent<Map> for SectorsAgent {
    fn start(&mut self, context: &mut Context<Map>, _from: Cell, goal: Cell) {
        self.goal = goal;
        self.plan = Plan::None;
        self.expected = Cell::NONE;
        self.steps_since_change = STEPS_BETWEEN_CHANGES;
        self.end_fallback(context);
        Walkers::prepare(context);
        FALLBACK.reserve(context);
        // Also where it stands on its goal: somebody may push it off.
        let mut room = self.room.take().unwrap_or_else(|| self.new_room());
        room.window.fit(context.space);
        if context.space.ground().is_some() {
            room.weighing.get_or_insert_default();
        }
        self.room = Some(room);
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
            return decision;
        }
        if self.may_begin_anew() || self.plan == Plan::Lost || self.expected == Cell::NONE {
            self.refresh();
        }
        let mut room = self.room.take().unwrap_or_else(|| self.new_room());
        let step = self.step(context, &mut room, at);
        self.room = Some(room);
        match step {
            Some(next) => {
                self.expected = next;
                self.steps_since_change = self.steps_since_change.saturating_add(1);
                Decision::Step(next)
            }
            None => Decision::Thinking,
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    /// Each step is looked at before it is made, so a plan may be kept. One that would be made anew with every change of a map that never
    /// rests would never be ready: a few steps of the last one are made first.
    fn changed(&mut self, context: &mut Context<Map>, _news: News) {
        if !self.may_begin_anew() {
            return;
        }
        self.steps_since_change = 0;
        // What was learned is kept for as long as no other way is known, or walks need not end.
        if self.plan != Plan::Lost {
            self.end_fallback(context);
        }
        self.expected = Cell::NONE;
    }

    fn memory_bytes(&self) -> usize {
        let room = |room: &WindowBuffers| {
            let cells = room.path.capacity() + room.ahead.capacity();
            let weighing = room.weighing.as_ref();
            size_of::<WindowBuffers>()
                + cells * size_of::<Cell>()
                + room.window.memory_bytes()
                + weighing.map_or(0, |weighing| weighing.memory_bytes())
        };
        size_of::<SectorsAgent>()
            + self.room.as_deref().map_or(0, room)
            + self
                .fallback
                .as_ref()
                .map_or(0, |lrta| lrta.reserved_bytes())
    }

    fn learned_bytes(&self) -> usize {
        let fallback = self.fallback.as_ref();
        fallback.map_or(0, |lrta| lrta.reserved_bytes())
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        Some(self.move_bound(map).operations)
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        Some(self.move_bound(map).weighted)
    }
}

/// Where the index has no way, because walls came that it is not repaired for yet, LRTA* looks so far ahead: beyond most of what is built
/// in a game, and less than a window is.
const FALLBACK: LrtaParams = LrtaParams {
    gmax: 12.0,
    weight: Weight::ONE,
    frontier: Frontier::Path,
};

/// What a region of a chain costs a walker of a crowd beyond the looks at its row, in look-ups: lines of row, edges and representative that
/// nobody has touched for long. One for so many cells of the map, for of smaller indexes more is in the cache.
const MAX_COLD_REGION: u64 = 300;
const CELLS_A_COLD_LOOK: u64 = 56_000;

fn cold_region(map: &Map) -> u64 {
    let cells = u64::from(map.grid().width()) * u64::from(map.grid().height());
    (cells / CELLS_A_COLD_LOOK).min(MAX_COLD_REGION)
}

impl SectorsAgent {
    /// Search and trace within a slice; a provisional step traces at most as far again, and the way back from such steps is no
    /// longer than there are moves while a window is worked on; hops are looked up; LRTA* takes over where there is no window.
    fn move_bound(&self, map: &Map) -> Bound {
        let window = 2 * self.index.index().window_bound(self.hops.into());
        let mut most = Lrta::new(FALLBACK).most_work(map);
        most.add(&Meter {
            expansions: self.slice,
            trace_steps: provisional_bound(self.slice) + window.div_ceil(self.slice) + 2,
            look_ups: MAX_CANDIDATES as u64
                + SectorIndex::MOST_LOOKS * (u64::from(self.hops) + NEAR_HOPS as u64 + 2),
            ..Meter::default()
        });
        Bound::of(most)
    }
}
