//! The one stepping core of agents that follow paths on maps: single agents and walkers of crowds alike.
//!
//! A [`Follower`] owns the runs of a path, the cell where it should stand, the check of the next step against the map as it
//! is, the way back to the path after a push or a detour, and LRTA* for where nobody knows a way. Where runs come from is the
//! business of a [`Guide`], which all followers of a world share: it holds indexes, searches and whatever else planning
//! takes, so a follower costs its own path and no more.
//!
//! **On a map that has changed** a follower keeps its runs. Walls alone make no other path better, so runs that are free are as
//! good as they were; the first look at the changed map measures them, and cuts them off a little before the first wall, or, where they are a
//! piece of a way that is not laid out yet, after a few steps.
//! What comes after is planned from there while the rest is walked. Where the guide knows the changed map already, an agent alone plans from where it
//! stands. Where cells opened, runs of exact guides are in doubt: they are walked
//! until the guide has found others, so that nobody stands still on a map on which something opens all the time.
//! Every step is looked at before it is made, whatever anybody knows or was told.

use super::guide::{Ask, Bound, Carry, Effort, Found, Guide};
use super::lrta::{Lrta, LrtaParams};
use super::trail::{MAX_STEPS, Trail};
use super::walkers::Walkers;
use super::{Agent, Context, Decision, Leg, MEASURED_RUN, Meter};
use crate::grid::{Cell, Point};
use crate::map::{Map, News};
use crate::search::climb::Ground;
use crate::search::jps::Run;
use crate::space::Space;
use crate::stream::{Reader, Writer};

/// Steps of the old path that are walked while a way round a wall is looked for: this part of the way that is left, at most so
/// many. They may be in vain.
const COMMITTED_PART: u32 = 32;
const MAX_COMMITTED: u32 = 16;
/// Moves that a follower waits for its guide before it walks by LRTA*.
const PATIENCE: u8 = 192;
/// Moves in which a follower that doubts its runs asks for others.
const MAX_DOUBTS: u8 = 255;
/// Of these, those in which an agent alone asks for runs that are known at once, before it stops for a search.
const RESTED: u8 = 4;
/// Steps by LRTA* before a follower asks its guide again.
const LEARNED_AT_ONCE: u8 = 64;
/// Runs that are measured in one move: more wait for the next.
const MAX_MEASURED: usize = 32;
/// Runs that are measured at all: what comes after is seen when it is near.
const MEASURED_AHEAD: u16 = 256;
/// Runs that are stepped over, to where the last move has measured them, in the time of a look-up.
const PASSED_AN_OPERATION: u64 = 8;
/// Steps of a run that an agent alone looks at together, where it has as many as these.
const LOOKED_AHEAD: u32 = 64;
const LOOKS_AHEAD_FROM: u32 = 4;
/// All runs have been measured on the map as it is.
const ALL_MEASURED: u16 = u16::MAX;

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

/// Where an agent alone has other runs put while those of its trail are in doubt.
#[derive(Debug, Default)]
struct Spare<T>(T);

/// An agent that follows the runs that a guide finds.
pub struct Follower<G, T> {
    guide: G,
    lrta: Option<Box<Lrta>>,
    goal: Cell,
    /// Where it stands if nothing has come in between.
    expected: Cell,
    /// The state of the map that it looked at last.
    seen: u64,
    /// What the guide goes on with at the end of the trail: the numbers of a [`Carry`], or, where nothing is carried, the note and the pieces. A
    /// walker of a crowd has no room for both.
    numbers: [u32; 2],
    carry_kind: u8,
    trail: T,
    /// Moves in which it will ask for other runs, because cells have opened.
    doubts: u8,
    mode: Mode,
    /// This many runs ahead are free on the map as it is, or all of them.
    measured: u16,
    /// Moves that it has waited for its guide; while it learns, steps since it asked last.
    waited: u8,
}

impl<G: std::ops::Deref<Target: Guide> + Send, T: Trail> Follower<G, T> {
    /// Agents alone hold all that they are told of their path and plan in slices; walkers of crowds plan in turns.
    const EFFORT: Effort = if T::HOLDS_ALL {
        Effort::Slice
    } else {
        Effort::Whole
    };

    /// An agent without a problem yet.
    pub fn new(guide: G) -> Follower<G, T> {
        Follower {
            guide,
            lrta: None,
            goal: Cell::NONE,
            expected: Cell::NONE,
            seen: 0,
            carry_kind: 0,
            numbers: [0; 2],
            trail: T::default(),
            doubts: 0,
            mode: Mode::Runs,
            measured: ALL_MEASURED,
            waited: 0,
        }
    }

    /// The runs ahead, from where it is expected.
    pub fn trail(&self) -> &T {
        &self.trail
    }

    /// Drops runs and what was learned.
    fn forget(&mut self, context: &mut Context<Map>) {
        self.trail.forget();
        self.set_notes(0, 0);
        self.mode = Mode::Runs;
        self.measured = ALL_MEASURED;
        (self.waited, self.doubts) = (0, 0);
        if let Some(lrta) = self.lrta.take() {
            Walkers::give_back(context, lrta);
        }
    }

    /// Nothing is carried.
    fn set_notes(&mut self, note: u32, pieces: u32) {
        (self.numbers, self.carry_kind) = ([note, pieces], 0);
    }

    /// Keeps what the guide has put down, this being so many pieces.
    fn keep(&mut self, ask: &Ask, pieces: u32) {
        match ask.carry.kind {
            0 => self.set_notes(ask.note, pieces),
            kind => (self.numbers, self.carry_kind) = (ask.carry.numbers, kind),
        }
    }

    /// Pieces so far: a guide that carries a way need not count them.
    fn pieces(&self) -> u32 {
        match self.carry_kind {
            0 => self.numbers[1],
            _ => 0,
        }
    }

    /// What is asked for from a cell on.
    fn ask(&self, from: Cell) -> Ask {
        let (note, carry) = match self.carry_kind {
            0 => (self.numbers[0], Carry::default()),
            kind => {
                let numbers = self.numbers;
                (0, Carry { numbers, kind })
            }
        };
        Ask {
            from,
            goal: self.goal,
            note,
            carry,
            pieces: self.pieces(),
            effort: Self::EFFORT,
        }
    }

    /// Asks the guide for what comes after the trail.
    fn plan(&mut self, context: &mut Context<Map>, from: Cell) {
        let mut ask = self.ask(from);
        if self.trail.is_empty() {
            self.trail.forget();
        }
        self.trail.set_more(false);
        let found = self.guide.plan(context, &mut ask, &mut self.trail);
        let is_found = matches!(found, Found::Way | Found::OldWay);
        self.keep(&ask, ask.pieces.saturating_add(u32::from(is_found)));
        self.mode = match found {
            _ if is_found && !self.trail.is_empty() => Mode::Runs,
            Found::Later if self.waited < PATIENCE => Mode::Waiting,
            _ => Mode::Learning,
        };
        if self.mode == Mode::Waiting {
            self.trail.set_more(true);
        } else {
            self.waited = 0;
        }
        if found == Found::OldWay {
            (self.measured, self.doubts) = (0, MAX_DOUBTS);
        }
    }

    fn advance(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        // The next step has been looked at on the map as it is, and leads on to the goal.
        let has_looked = self.trail.clear() > 0 && at == self.expected;
        let is_settled = self.measured == ALL_MEASURED && self.doubts == 0;
        if has_looked && is_settled && self.mode == Mode::Runs {
            return self.walk_run(context, at, most);
        }
        if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
            return Leg::single(decision);
        }
        if at != self.expected && self.mode != Mode::Learning {
            // One that was led aside after it had walked its piece may be led round and round: that counts.
            let pieces = if self.trail.is_empty() {
                self.pieces()
            } else {
                0
            };
            self.forget(context);
            self.expected = at;
            self.set_notes(0, pieces);
        }
        if self.may_begin_again(context) {
            self.forget(context);
            self.expected = at;
        }
        if self.measured != ALL_MEASURED && self.measure_trail(context) {
            // What comes after is planned with the next moves.
            return self.walk_run(context, at, most);
        }
        if self.doubts > 0 && self.mode == Mode::Runs && !self.trail.is_empty() {
            return self.doubt(context, at, most);
        }
        match self.mode {
            Mode::Waiting => {
                let end = self.end(context.space);
                self.plan(context, end);
            }
            Mode::Runs if self.trail.is_empty() => self.plan(context, at),
            Mode::Learning => self.try_again(context, at),
            Mode::Runs => {}
        }
        if self.mode == Mode::Learning {
            return self.step_by_learning(context, at);
        }
        self.walk_run(context, at, most)
    }

    /// Whether the guide knows the changed map already, so that an agent alone plans from where it stands: steps on the way to what has
    /// become a wall, or away from what has opened, would be in vain.
    fn may_begin_again(&self, context: &Context<Map>) -> bool {
        let is_in_vain = match self.mode {
            Mode::Runs => self.measured != ALL_MEASURED || self.doubts > 0,
            // The guide has come to know the map while the last steps are walked. Without them it is at work from here.
            Mode::Waiting => !self.trail.is_empty() && self.carry_kind == 0,
            Mode::Learning => false,
        };
        is_in_vain && Self::EFFORT == Effort::Slice && self.guide.is_current(context.space)
    }

    /// Asks for other runs than those of the trail, which may not be shortest any more, and walks on meanwhile. A walker of a crowd waits for
    /// its turn to plan as soon as the guide is ready.
    fn doubt(&mut self, context: &mut Context<Map>, at: Cell, most: u32) -> Leg {
        let is_ready = self.guide.is_ready(context.space);
        self.doubts -= u8::from(is_ready);
        if Self::EFFORT == Effort::Whole {
            if !is_ready {
                return self.walk_run(context, at, most);
            }
            // One more step of the old runs: who stood still, or went by guess, whenever something opens would not arrive where that is always.
            let leg = self.walk_run(context, at, 1);
            if let Decision::Step(to) = leg.decision {
                self.forget(context);
                self.trail.set_more(true);
                self.expected = to;
            }
            return leg;
        }
        if self.doubts <= MAX_DOUBTS - RESTED {
            // Nothing has opened for a while: there is time for a search, which begins where a few more steps lead.
            self.doubts = 0;
            self.cut_off(self.committed(context.space));
            return self.advance(context, at, most);
        }
        // Agents of a thread take turns with it.
        let mut spare = std::mem::take(&mut context.scratch.room::<Spare<T>>().0);
        let mut ask = Ask {
            from: at,
            goal: self.goal,
            note: 0,
            carry: Carry::default(),
            pieces: 0,
            effort: Self::EFFORT,
        };
        spare.forget();
        spare.set_more(false);
        let found = self.guide.plan(context, &mut ask, &mut spare);
        if found == Found::Way && !spare.is_empty() {
            std::mem::swap(&mut self.trail, &mut spare);
            self.keep(&ask, 1);
            self.doubts = 0;
        }
        context.scratch.room::<Spare<T>>().0 = spare;
        if found == Found::Later && ask.carry != Carry::default() {
            // The guide knows a way and is at work on it: that is waited for here, since it begins here.
            self.forget(context);
            self.expected = at;
            self.keep(&ask, 0);
            self.mode = Mode::Waiting;
            return Leg::single(Decision::Thinking);
        }
        self.walk_run(context, at, most)
    }

    /// Asks the guide now and then whether it knows a way again, and waits for a while, without a step in vain. What was learned is
    /// kept, so that walks end whatever the guide says.
    fn try_again(&mut self, context: &mut Context<Map>, at: Cell) {
        self.waited += 1;
        if self.waited < LEARNED_AT_ONCE {
            return;
        }
        self.trail.forget();
        self.set_notes(0, self.pieces());
        (self.expected, self.waited) = (at, PATIENCE / 2);
        self.plan(context, at);
        if self.mode == Mode::Waiting {
            self.trail.forget();
        }
    }

    /// The cell where the trail ends.
    fn end(&self, map: &Map) -> Cell {
        let mut point = map.grid().point(self.expected);
        for run in self.trail.ahead() {
            point = moved(point, run);
        }
        map.grid().cell(point).unwrap_or(self.expected)
    }

    /// Looks how far the trail is free on the map as it is, and cuts it off where a wall has come into its way. Whether that is enough
    /// for this move.
    fn measure_trail(&mut self, context: &mut Context<Map>) -> bool {
        let map = context.space;
        let is_enough = Self::EFFORT == Effort::Slice && !self.trail.is_empty();
        let (mut point, mut steps) = (map.grid().point(self.expected), 0);
        let (first, mut at) = (usize::from(self.measured), 0);
        self.measured = ALL_MEASURED;
        context.meter.look_ups += first as u64 / PASSED_AN_OPERATION;
        while let Some(run) = self.trail.get(at) {
            if at >= first {
                context.meter.climb_steps += MEASURED_RUN;
                let free = map.run(point, run.direction, run.steps);
                if free < run.steps {
                    self.cut_off((steps + free).min(self.committed(map)));
                    break;
                }
            }
            steps += run.steps;
            point = moved(point, run);
            at += 1;
            if at == first + MAX_MEASURED {
                let is_far = at >= usize::from(MEASURED_AHEAD);
                self.measured = if is_far { ALL_MEASURED } else { at as u16 };
                break;
            }
        }
        // What comes after this piece of the way may be blocked: it is looked at now, not when the piece is walked.
        let is_piece = self.mode == Mode::Runs && self.trail.has_more();
        if Self::EFFORT == Effort::Slice && self.measured == ALL_MEASURED && is_piece {
            self.cut_off(self.committed(map));
        }
        is_enough
    }

    /// How many steps of a blocked path are walked before the way round it is known.
    fn committed(&self, map: &Map) -> u32 {
        let left = map.heuristic(self.expected, self.goal) / map.cheapest_edge().max(1);
        (left / COMMITTED_PART).clamp(1, MAX_COMMITTED)
    }

    /// Keeps this many steps of the trail; the rest is planned again while they are walked.
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
        self.set_notes(0, 0);
        if Self::EFFORT == Effort::Slice {
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
        context.meter.trace_steps += 1;
        let steps = match most {
            1 => u32::from(self.next_is_clear(context, at, run)),
            _ => map.run(map.grid().point(at), run.direction, most.min(run.steps)),
        };
        if steps == 0 {
            // Blocked although it was measured: something has changed in between. The next plan begins here.
            self.forget(context);
            return Leg::single(Decision::Thinking);
        }
        self.trail.walked(steps);
        if steps == run.steps && self.measured != ALL_MEASURED {
            self.measured = self.measured.saturating_sub(1);
        }
        let next = map.grid().neighbour(at, run.direction);
        let offset = next.0.wrapping_sub(at.0);
        self.expected = Cell(at.0.wrapping_add(offset.wrapping_mul(steps)));
        Leg {
            decision: Decision::Step(next),
            more: steps - 1,
        }
    }

    /// Whether the next step is legal. An agent alone looks at some more of the run, so that it need not with the next moves.
    #[inline]
    fn next_is_clear(&mut self, context: &mut Context<Map>, at: Cell, run: Run) -> bool {
        if self.trail.clear() > 0 {
            return true;
        }
        let map = context.space;
        if !T::HOLDS_ALL || run.steps < LOOKS_AHEAD_FROM {
            return map.legal(at).contains(run.direction);
        }
        context.meter.climb_steps += MEASURED_RUN;
        let most = run.steps.min(LOOKED_AHEAD);
        let clear = map.run(map.grid().point(at), run.direction, most);
        self.trail.set_clear(clear);
        clear > 0
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
        let runs = self.guide.prepare(context, Self::EFFORT);
        self.trail.reserve(runs);
        if Self::EFFORT == Effort::Slice {
            context.scratch.room::<Spare<T>>().0.reserve(runs);
        }
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

    fn runs_ahead(&self, from: Cell, visit: &mut dyn FnMut(Run)) {
        if from == self.expected {
            self.trail.ahead().for_each(visit);
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, _context: &mut Context<Map>, news: News) {
        // While it learns the guide is asked again before long. What was learned is kept, though it may be too high where cells opened: walks
        // end all the same.
        if self.mode != Mode::Learning && news == News::Openings && self.guide.is_exact() {
            self.doubts = MAX_DOUBTS;
        }
        self.measured = 0;
        if self.carry_kind != 0 {
            self.set_notes(0, 0);
        }
        self.trail.set_clear(0);
    }

    fn save(&self, out: &mut Writer) -> bool {
        out.u32(self.goal.0);
        out.u32(self.expected.0);
        out.u64(self.seen);
        out.u8(self.carry_kind);
        for number in self.numbers {
            out.u32(number);
        }
        self.trail.save(out);
        out.u8(match self.mode {
            Mode::Runs => 0,
            Mode::Waiting => 1,
            Mode::Learning => 2,
        });
        out.u16(self.measured);
        out.u8(self.doubts);
        out.u8(self.waited);
        out.u8(u8::from(self.lrta.is_some()));
        if let Some(lrta) = &self.lrta {
            lrta.save(out);
        }
        true
    }

    fn load(&mut self, context: &mut Context<Map>, from: &mut Reader) -> Option<()> {
        self.forget(context);
        let bound = context.space.grid().id_bound();
        (self.goal, self.expected) = (from.cell(bound)?, from.cell(bound)?);
        (self.seen, self.carry_kind) = (from.u64()?, from.u8()?);
        self.numbers = [from.u32()?, from.u32()?];
        self.trail.load(from)?;
        self.mode = match from.u8()? {
            0 => Mode::Runs,
            1 => Mode::Waiting,
            2 => Mode::Learning,
            _ => return None,
        };
        (self.measured, self.doubts, self.waited) = (from.u16()?, from.u8()?, from.u8()?);
        if from.u8()? != 0 {
            let mut lrta = Walkers::take(context);
            lrta.load(context, from)?;
            self.lrta = Some(lrta);
        }
        Some(())
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Follower<G, T>>() + self.trail.heap_bytes() + self.learned_bytes()
    }

    fn learned_bytes(&self) -> usize {
        let lrta = self.lrta.as_ref();
        lrta.map_or(0, |lrta| size_of::<Lrta>() + lrta.reserved_bytes())
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        Some(self.bound(map)?.operations)
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        Some(self.bound(map)?.weighted)
    }
}

impl<G: std::ops::Deref<Target: Guide> + Send, T: Trail> Follower<G, T> {
    /// A move is a plan, with a step by LRTA* where none is found, or a look at the trail on a map that has changed; walkers of
    /// crowds look at their short one and plan at once.
    fn bound(&self, map: &Map) -> Option<Bound> {
        let plan = self.guide.bound(map, Self::EFFORT)?;
        let planned = plan.then(Bound::of(Meter {
            trace_steps: 1,
            climb_steps: if T::HOLDS_ALL { MEASURED_RUN } else { 0 },
            ..Lrta::new(LrtaParams::default()).most_work(map)
        }));
        Some(match Self::EFFORT {
            Effort::Slice => planned.or(Bound::of(MEASURING)),
            Effort::Whole => planned.then(Bound::of(MEASURING)),
        })
    }
}

/// The most that a follower does in one move to look at its trail.
const MEASURING: Meter = Meter {
    expansions: 0,
    trace_steps: 1,
    climb_steps: (MAX_MEASURED as u64 + 1) * MEASURED_RUN,
    look_ups: MEASURED_AHEAD as u64 / PASSED_AN_OPERATION,
    learning_steps: 0,
};
