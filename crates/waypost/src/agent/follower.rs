//! The one stepping core of agents that follow paths on maps: single agents and walkers of crowds alike.
//!
//! A [`Follower`] owns the runs of a path, the cell where it should stand, the check of the next step against the map as it
//! is, the way back to the path after a push or a detour, and LRTA* for where nobody knows a way. Where runs come from is the
//! business of a [`Guide`], which all followers of a world share: it holds indexes, searches and whatever else planning
//! takes, so a follower costs its own path and no more.
//!
//! **On a map that has changed** a follower keeps its runs. Walls alone make no other path better, so runs that are free are as
//! good as they were; the first look at the changed map measures them, and cuts them off a little before the first wall.
//! What comes after is planned from there while the rest is walked. Where cells opened, runs of exact guides are dropped.
//! Every step is looked at before it is made, whatever anybody knows or was told.

use super::lrta::{Lrta, LrtaParams};
use super::trail::{MAX_STEPS, Trail};
use super::walkers::Walkers;
use super::{Agent, Context, Decision, Leg, Meter, WEIGHTS};
use crate::grid::{Cell, Point};
use crate::map::{Map, News};
use crate::search::climb::Ground;
use crate::search::jps::Run;

/// How a plan came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The trail holds the next piece of the way.
    Way,
    /// Not yet: ask again with the next move. The trail may hold steps that are good meanwhile.
    Later,
    /// The guide knows no way.
    Nothing,
}

/// How much a guide may do at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// All that the plan takes: walkers of a crowd plan in turns, under a budget of the crowd.
    Whole,
    /// No more than a move may take ([`Guide::operations_bound`]): the rest with the next moves.
    Slice,
}

/// What a follower asks its guide for.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Where the piece begins.
    pub from: Cell,
    /// Where the way ends.
    pub goal: Cell,
    /// What the guide has noted down about this follower; 0 for a new goal or a cell that no plan led to.
    pub note: u32,
    /// Pieces that were found one after the other since the note was 0. A guide whose index may go in circles counts on it.
    pub pieces: u32,
    /// How much may be done now.
    pub effort: Effort,
}

/// Plans for all followers of a world.
pub trait Guide: Send + Sync {
    /// Puts the next piece of way from `ask.from` behind what the trail holds.
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found;

    /// Brings what it plans with in step with the map, for about so many operations; whether all is in step. Crowds call this
    /// once a tick, so that planning itself never has to.
    fn follow(&self, map: &Map, operations: u64) -> bool {
        let _ = (map, operations);
        true
    }

    /// About the most runs of a path: memory for so many is reserved before the first move.
    fn max_runs(&self, map: &Map) -> usize {
        let _ = map;
        0
    }

    /// Whether its paths are shortest. Then runs from before cells opened are dropped: they may not be so any more.
    fn is_exact(&self) -> bool {
        false
    }

    /// The most operations of one call of [`Guide::plan`] with [`Effort::Slice`]; `None` where there is no bound.
    fn operations_bound(&self, map: &Map) -> Option<u64>;

    /// The same in weighted operations ([`Meter::weighted`]).
    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        Some(
            self.operations_bound(map)?
                .saturating_mul(WEIGHTS.expansions),
        )
    }
}

/// Steps of the old path that are walked while a way round a wall is looked for.
const COMMITTED: u32 = 16;
/// Moves that a follower waits for its guide before it walks by LRTA*.
const PATIENCE: u8 = 64;
/// Runs that may be measured in one move: more wait for the next.
const MAX_MEASURED: usize = 256;

/// How a follower goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Along its trail.
    Runs,
    /// Along its trail, while the guide is at work on what comes after.
    Waiting,
    /// By LRTA*: no way is known.
    Learning,
}

/// An agent that follows the runs that a guide finds.
pub struct Follower<G, T> {
    guide: G,
    lrta: Option<Box<Lrta>>,
    goal: Cell,
    /// Where it stands if nothing has come in between.
    expected: Cell,
    /// The state of the map that it looked at last.
    seen: u64,
    note: u32,
    pieces: u32,
    trail: T,
    mode: Mode,
    /// The trail must be measured: walls went up since.
    measure: bool,
    waited: u8,
    effort: Effort,
}

impl<G: std::ops::Deref<Target: Guide> + Send, T: Trail> Follower<G, T> {
    /// An agent without a problem yet.
    pub fn new(guide: G, effort: Effort) -> Follower<G, T> {
        Follower {
            guide,
            lrta: None,
            goal: Cell::NONE,
            expected: Cell::NONE,
            seen: 0,
            note: 0,
            pieces: 0,
            trail: T::default(),
            mode: Mode::Runs,
            measure: false,
            waited: 0,
            effort,
        }
    }

    /// The runs ahead, from where it is expected.
    pub fn trail(&self) -> &T {
        &self.trail
    }

    /// Drops runs and what was learned.
    fn forget(&mut self, context: &mut Context<Map>) {
        self.trail.forget();
        (self.note, self.pieces) = (0, 0);
        self.mode = Mode::Runs;
        self.measure = false;
        self.waited = 0;
        if let Some(lrta) = self.lrta.take() {
            Walkers::give_back(context, lrta);
        }
    }

    /// Asks the guide for what comes after the trail.
    fn plan(&mut self, context: &mut Context<Map>, from: Cell) {
        let mut ask = Ask {
            from,
            goal: self.goal,
            note: self.note,
            pieces: self.pieces,
            effort: self.effort,
        };
        if self.trail.is_empty() {
            self.trail.forget();
        }
        self.trail.set_more(false);
        let found = self.guide.plan(context, &mut ask, &mut self.trail);
        self.note = ask.note;
        self.pieces = self.pieces.saturating_add(u32::from(found == Found::Way));
        self.mode = match found {
            Found::Way if !self.trail.is_empty() => Mode::Runs,
            Found::Later if self.waited < PATIENCE => Mode::Waiting,
            _ => Mode::Learning,
        };
        if self.mode == Mode::Waiting {
            self.trail.set_more(true);
        } else {
            self.waited = 0;
        }
    }

    fn advance(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
            return Leg::single(decision);
        }
        if at != self.expected && self.mode != Mode::Learning {
            // One that was led aside after it had walked its piece may be led round and round: that counts.
            let pieces = if self.trail.is_empty() {
                self.pieces
            } else {
                0
            };
            self.forget(context);
            (self.expected, self.pieces) = (at, pieces);
        }
        if self.measure {
            self.measure_trail(context);
        }
        match self.mode {
            Mode::Waiting => {
                let end = self.end(context.space);
                self.plan(context, end);
            }
            Mode::Runs if self.trail.is_empty() => self.plan(context, at),
            _ => {}
        }
        if self.mode == Mode::Learning {
            return self.step_by_learning(context, at);
        }
        self.walk_run(context, at, most)
    }

    /// The cell where the trail ends.
    fn end(&self, map: &Map) -> Cell {
        let mut point = map.grid().point(self.expected);
        for run in self.trail.ahead() {
            point = moved(point, run);
        }
        map.grid().cell(point).unwrap_or(self.expected)
    }

    /// Looks how far the trail is free on the map as it is, and cuts it off where a wall has come into its way.
    fn measure_trail(&mut self, context: &mut Context<Map>) {
        self.measure = false;
        let (map, mut point, mut steps) =
            (context.space, context.space.grid().point(self.expected), 0);
        let mut at = 0;
        while let Some(run) = self.trail.get(at) {
            context.meter.climb_steps += 1;
            let free = map.run(point, run.direction, run.steps);
            steps += free;
            if free < run.steps {
                self.cut_off(steps.min(COMMITTED));
                return;
            }
            if at == MAX_MEASURED {
                return;
            }
            point = moved(point, run);
            at += 1;
        }
    }

    /// Keeps so many steps of the trail; the rest is planned again while they are walked.
    fn cut_off(&mut self, mut steps: u32) {
        let mut at = 0;
        while let Some(run) = self.trail.get(at) {
            if run.steps > steps {
                self.trail.cut(at, steps);
                break;
            }
            steps -= run.steps;
            at += 1;
        }
        self.trail.set_more(true);
        (self.note, self.pieces) = (0, 0);
        if self.effort == Effort::Slice {
            (self.mode, self.waited) = (Mode::Waiting, 0);
        }
    }

    /// The next run, as far as it is legal on the map as it is.
    fn walk_run(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        let map = context.space;
        let Some(run) = self.trail.first() else {
            self.waited = self.waited.saturating_add(1);
            return Leg::single(Decision::Thinking);
        };
        let steps = match most.min(run.steps) {
            1 => u32::from(map.legal(at).contains(run.direction)),
            many => map.run(map.grid().point(at), run.direction, many),
        };
        context.meter.trace_steps += 1;
        if steps == 0 {
            // Blocked although it was measured: something has changed in between. The next plan begins here.
            self.forget(context);
            return Leg::single(Decision::Thinking);
        }
        self.trail.walked(steps);
        let next = map.grid().neighbour(at, run.direction);
        let offset = next.0.wrapping_sub(at.0);
        self.expected = Cell(at.0.wrapping_add(offset.wrapping_mul(steps)));
        Leg {
            decision: Decision::Step(next),
            more: steps - 1,
        }
    }

    fn step_by_learning(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        let mut lrta = match self.lrta.take() {
            Some(lrta) => lrta,
            None => Walkers::take(context),
        };
        lrta.set_goal(self.goal);
        let step = lrta.step(context, at);
        self.lrta = Some(lrta);
        self.expected = step.unwrap_or(at);
        Leg::single(step.map_or(Decision::Unreachable, Decision::Step))
    }
}

/// Where a run from a point ends.
fn moved(from: Point, run: Run) -> Point {
    crate::grid::scan::moved(from, run.direction, run.steps)
}

impl<G: std::ops::Deref<Target: Guide> + Send, T: Trail> Agent<Map> for Follower<G, T> {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.notice(context);
        self.forget(context);
        Walkers::prepare(context);
        self.trail.reserve(self.guide.max_runs(context.space));
        (self.expected, self.goal) = (from, goal);
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        self.advance(context, at, 1).decision
    }

    fn decide_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        self.advance(context, at, MAX_STEPS)
    }

    fn wants_plan(&self) -> bool {
        self.mode != Mode::Learning && self.trail.is_empty() && self.trail.has_more()
    }

    fn plan_ahead(&mut self, context: &mut Context<Map>, from: Cell) {
        if from != self.goal && from == self.expected {
            self.plan(context, from);
        }
    }

    fn runs_ahead(&self, visit: &mut dyn FnMut(Run)) {
        self.trail.ahead().for_each(visit);
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<Map>, news: News) {
        let may_be_longer = news == News::Openings && self.guide.is_exact();
        if self.mode == Mode::Learning || may_be_longer {
            // What LRTA* has learned may be too high where cells opened, and the guide may know a way again.
            let expected = self.expected;
            self.forget(context);
            self.expected = expected;
        }
        self.measure = true;
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Follower<G, T>>() + self.trail.heap_bytes() + self.learned_bytes()
    }

    fn learned_bytes(&self) -> usize {
        let lrta = self.lrta.as_ref();
        lrta.map_or(0, |lrta| size_of::<Lrta>() + lrta.reserved_bytes())
    }

    /// What the follower does itself comes on top of what its guide does; LRTA* is there where the guide has nothing.
    fn operations_bound(&self, map: &Map) -> Option<u64> {
        let guide = self.guide.operations_bound(map)?;
        let lrta = Lrta::new(LrtaParams::default()).operations_bound(map);
        Some(guide + OWN_WORK.operations() + lrta)
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        let guide = self.guide.weighted_bound(map)?;
        let lrta = Lrta::new(LrtaParams::default()).operations_bound(map);
        Some(guide + OWN_WORK.weighted() + lrta * WEIGHTS.expansions)
    }
}

/// The most that a follower does in one move beside its guide and LRTA*.
const OWN_WORK: Meter = Meter {
    expansions: 0,
    trace_steps: 1,
    climb_steps: MAX_MEASURED as u64 + 1,
    look_ups: 0,
};
