//! HCDPS: follows a route of subgoals from region to region, each of which it climbs to.
//!
//! Lawrence and Bulitko's Hill-Climbing Dynamic Programming Search, written from the idea; [`crate::index::climb_regions`] says
//! what is stored. The route of a problem is the seed of the start's region, the subgoals of the chain to the next region,
//! that region's seed, and so on to the seed of the goal's region and the goal. It is read off the index as the agent goes.
//!
//! At every subgoal, and at every turn on the way to one, the agent
//! - goes straight for its goal if climbing reaches it;
//! - else heads for the farthest of the next `ahead` subgoals of its route that climbing reaches, so that it cuts the corners
//!   where chains are joined and need not go to a seed that lies aside;
//! - else goes on to the subgoal that it was heading for, or to the next where it stands on that one.
//!
//! Climbs that are tried take `climb` steps at most. No move takes more work than [`Agent::operations_bound`] says, which
//! depends on the parameters and, by a logarithm, on how many regions lie along a row of the map.
//!
//! # No learning on the map that the index was made for
//! Climbing reaches a region's seed from each of its cells, each subgoal of a chain from the one before, and each cell of a
//! region from its seed. An agent leaves a climb only for one that was tried, and goes to a next subgoal without trying it
//! only from the subgoal before. So every climb succeeds, LRTA* is never needed, no cell is visited twice on the way to one
//! target, and routes come to no region twice. What is left of revisits lies where one climb ends and the next begins.
//!
//! # Why it always arrives
//! After changes of the map the index only gives hints. Where a climb is blocked, LRTA* walks to the subgoal instead
//! ([`super::climber`]), and arrives after finitely many steps where there is a path. A subgoal that is a wall or cut off is
//! passed over. Along a route the agent only ever goes forward, routes are finite, and a new one is begun only where
//! something has moved the agent. All subgoals taken since the last change are counted, and after as many as there are in the
//! index, plus [`SPARE`], which takes something that keeps moving the agent, it gives the route up and goes for its goal by
//! LRTA* for good. So it arrives once the map has stopped changing.

use super::climber::Climber;
use super::knn_lrta::cases::climbs;
use super::one_index::OneIndex;
use crate::agent::{Agent, BYTES_PER_STATE, Context, Decision, Leg, Meter};
use crate::grid::Cell;
use crate::index::climb_regions::{ClimbRegions, Place};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{Algorithm, SpecError, SpecText};
use crate::space::Space;
use std::sync::Arc;

/// The most subgoals that may be looked ahead.
pub const MAX_AHEAD: usize = 32;
/// Subgoals that may be taken beyond those in the index.
pub const SPARE: u32 = 1024;
/// Subgoals that are passed over in one move because they cannot be reached any more.
const MAX_PASSED: u32 = 16;

/// The parameters of HCDPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HcdpsParams {
    /// The seed of the index; `None` takes what is at hand.
    pub seed: Option<u64>,
    /// The most steps of a climb that is tried.
    pub climb: u32,
    /// Subgoals of the route that are tried.
    pub ahead: u8,
}

impl Default for HcdpsParams {
    fn default() -> HcdpsParams {
        HcdpsParams {
            seed: None,
            climb: 250,
            ahead: 4,
        }
    }
}

/// What the agent is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// A route has to be begun.
    Select,
    /// On its way along the route.
    Follow,
    /// On its way to the goal.
    Goal,
}

/// How an agent gets from a cell to the seed of its region, and from the goal's seed to the goal.
pub trait Ends: Clone + std::fmt::Debug + Send + 'static {
    /// Set-up, so that moves allocate nothing.
    fn start(&mut self, context: &mut Context<Map>);

    /// The next target is the seed of the agent's region, or the goal in its region.
    fn expect(&mut self, target: Cell);

    /// A step to the target, if it is the one that was expected and climbing is not what leads there.
    fn step(&mut self, context: &mut Context<Map>, at: Cell, target: Cell) -> Option<Cell>;

    /// The map has changed.
    fn changed(&mut self);

    /// States in memory.
    fn states(&self) -> usize;

    /// Bytes beyond its own size.
    fn heap_bytes(&self) -> usize;

    /// No step takes more than this.
    fn most_work(&self) -> Meter;
}

/// Climbing leads there: HCDPS.
impl Ends for () {
    fn start(&mut self, _context: &mut Context<Map>) {}
    fn expect(&mut self, _target: Cell) {}
    fn step(&mut self, _context: &mut Context<Map>, _at: Cell, _target: Cell) -> Option<Cell> {
        None
    }
    fn changed(&mut self) {}
    fn states(&self) -> usize {
        0
    }
    fn heap_bytes(&self) -> usize {
        0
    }
    fn most_work(&self) -> Meter {
        Meter::default()
    }
}

/// The agent. Clones share the index.
#[derive(Clone, Debug)]
pub struct Hcdps<E = ()> {
    regions: Arc<ClimbRegions>,
    ends: E,
    climber: Climber,
    goal: Cell,
    goal_region: u32,
    /// The target's place on the route.
    place: Place,
    /// Subgoals that may still be taken before the route is given up.
    patience: u32,
    climb: u32,
    ahead: u8,
    phase: Phase,
    /// The state of the map that it looked at last.
    seen: u64,
}

impl Hcdps {
    /// An agent on the climbing regions of its map.
    pub fn new(regions: Arc<ClimbRegions>, params: HcdpsParams) -> Hcdps {
        Hcdps::with_ends(regions, (), params.climb, params.ahead)
    }
}

impl<E: Ends> Hcdps<E> {
    /// An agent that finds its way within the first and the last region like this.
    pub(crate) fn with_ends(
        regions: Arc<ClimbRegions>,
        ends: E,
        climb: u32,
        ahead: u8,
    ) -> Hcdps<E> {
        Hcdps {
            seen: 0,
            regions,
            ends,
            climber: Climber::default(),
            goal: Cell::NONE,
            goal_region: 0,
            place: Place::default(),
            patience: 0,
            climb,
            ahead: ahead.min(MAX_AHEAD as u8),
            phase: Phase::Select,
        }
    }

    /// The subgoal, or goal, of the moment.
    pub fn target(&self) -> Cell {
        self.climber.target()
    }

    fn go_to_goal(&mut self) {
        self.phase = Phase::Goal;
        self.climber.head_for(self.goal);
    }

    fn give_up(&mut self) {
        self.patience = 0;
        self.go_to_goal();
    }

    /// Heads for a subgoal of the route, unless there were too many.
    fn take(&mut self, place: Place, subgoal: Cell) {
        self.patience = self.patience.saturating_sub(1);
        if self.patience == 0 {
            return self.give_up();
        }
        self.phase = Phase::Follow;
        self.place = place;
        self.climber.head_for(subgoal);
    }

    /// Begins a route at the seed of the region that the agent stands in.
    fn select(&mut self, context: &mut Context<Map>, at: Cell) {
        let [(region, looks), (goal_region, more)] =
            [at, self.goal].map(|cell| self.regions.region(context.space, cell));
        context.meter.look_ups += u64::from(looks + more);
        self.goal_region = goal_region;
        let position = 0;
        match self.regions.seed(region) {
            Some(seed) => {
                self.ends.expect(seed);
                self.take(Place { region, position }, seed);
            }
            // There was no cell to stand on when the index was built.
            None => self.give_up(),
        }
    }

    /// Heads for the goal or for a subgoal further on, where climbing reaches one.
    fn look_ahead(&mut self, context: &mut Context<Map>, at: Cell) {
        if self.reaches(context, at, self.goal) {
            return self.go_to_goal();
        }
        let mut route = [(self.place, Cell::NONE); MAX_AHEAD];
        let (mut length, mut last) = (0, self.place);
        while length < usize::from(self.ahead) {
            context.meter.look_ups += 1;
            let Some(next) = self.regions.next_place(last, self.goal_region) else {
                break;
            };
            (route[length], last) = (next, next.0);
            length += 1;
        }
        // The first is taken untried where the agent stands on the one before.
        let untried = usize::from(at == self.climber.target());
        let route = route.get(untried..length).unwrap_or_default();
        for &(place, subgoal) in route.iter().rev() {
            if self.reaches(context, at, subgoal) {
                return self.take(place, subgoal);
            }
        }
    }

    fn reaches(&self, context: &mut Context<Map>, at: Cell, to: Cell) -> bool {
        let grid = context.space.grid();
        let (dx, dy) = grid.point(at).distances(grid.point(to));
        // A climb makes one step for each cell of distance at least.
        dx.max(dy) <= self.climb && climbs(context.space, &mut context.meter, at, to, self.climb)
    }

    /// Goes on along the route from a subgoal that was reached, and past those that cannot be.
    fn go_on(&mut self, context: &mut Context<Map>, at: Cell) {
        for _ in 0..MAX_PASSED {
            let target = self.climber.target();
            if self.phase == Phase::Goal || at != target && context.space.connected(at, target) {
                return;
            }
            context.meter.look_ups += 1;
            match self.regions.next_place(self.place, self.goal_region) {
                Some((place, subgoal)) => self.take(place, subgoal),
                None if self.place.region == self.goal_region => {
                    self.ends.expect(self.goal);
                    self.go_to_goal();
                }
                None => self.give_up(),
            }
        }
        if at == self.climber.target() || !context.space.connected(at, self.climber.target()) {
            self.give_up();
        }
    }

    /// A move that needs thought.
    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        self.climber.halt();
        if let Some(end) = Decision::at_once(context.space, at, self.goal) {
            return end;
        }
        if self.phase == Phase::Select || self.climber.was_moved(at) {
            self.select(context, at);
        }
        if self.phase == Phase::Follow {
            self.look_ahead(context, at);
            self.go_on(context, at);
        }
        let mut next = self.ends.step(context, at, self.climber.target());
        if next.is_none() && self.climber.is_climbing() {
            next = self.climber.climb(context, at);
        }
        match next.or_else(|| self.climber.walk(context, at)) {
            Some(next) => {
                self.climber.stepped(at, next);
                Decision::Step(next)
            }
            None => Decision::Unreachable,
        }
    }

    /// As many subgoals as any route has, and some.
    fn fresh_patience(&self) -> u32 {
        let subgoals = self.regions.subgoal_count() + self.regions.region_count();
        u32::try_from(subgoals)
            .unwrap_or(u32::MAX)
            .saturating_add(SPARE)
    }
}

impl<E: Ends> Agent<Map> for Hcdps<E> {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.ends.start(context);
        self.climber.start(context, from);
        self.goal = goal;
        self.phase = Phase::Select;
        self.patience = self.fresh_patience();
    }

    #[inline]
    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        // The way to a subgoal may lead over the goal.
        if at != self.goal
            && let Some(next) = self.climber.ahead(context, at)
        {
            return Decision::Step(next);
        }
        self.decide(context, at)
    }

    fn decide_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        let decision = self.next_move(context, at);
        self.climber.leg(context.space, decision, self.goal)
    }

    fn wants_plan(&self) -> bool {
        self.phase == Phase::Select
    }

    fn plan_ahead(&mut self, context: &mut Context<Map>, from: Cell) {
        if from != self.goal && context.space.connected(from, self.goal) {
            self.select(context, from);
            self.climber.stand_at(from);
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<Map>, news: News) {
        self.climber.changed(context, news);
        self.ends.changed();
        // A route is followed further; a goal that climbing reached may need one now.
        if self.phase == Phase::Goal {
            self.phase = Phase::Select;
        }
        self.patience = self.fresh_patience();
    }

    fn memory_bytes(&self) -> usize {
        (self.climber.states_in_memory() + self.ends.states()) * BYTES_PER_STATE
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<Hcdps<E>>() + self.climber.learned_bytes() + self.ends.heap_bytes()
    }

    fn learned_bytes(&self) -> usize {
        self.climber.learned_bytes()
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        let work = self.most_selecting().operations() + self.ends.most_work().operations();
        Some(work + Climber::operations_bound(map))
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        let work = self.most_selecting().weighted() + self.ends.most_work().weighted();
        Some(work + Climber::weighted_bound(map))
    }
}

impl<E: Ends> Hcdps<E> {
    /// The most that is looked up and tried for a subgoal.
    fn most_selecting(&self) -> Meter {
        let ahead = u64::from(self.ahead);
        Meter {
            look_ups: 2 * self.regions.most_looks() + ahead + u64::from(MAX_PASSED),
            climb_steps: (ahead + 1) * u64::from(self.climb),
            ..Meter::default()
        }
    }
}

/// `hcdps` in specs.
pub static HCDPS: Algorithm = Algorithm {
    name: "hcdps",
    about: "HCDPS: climbs from subgoal to subgoal along a route between climbing regions",
    keys: &[
        (
            "seed",
            "what the seeds of regions are drawn by (default: what is at hand, or 1)",
        ),
        ("climb", "most steps of a climb that is tried (250)"),
        (
            "ahead",
            "subgoals of the route that are tried, 0 to 32; 0 visits every one (4)",
        ),
    ],
    parse: |text| Ok(Box::new(parse(text)?)),
};

fn parse(text: &SpecText) -> Result<HcdpsParams, SpecError> {
    let default = HcdpsParams::default();
    let seed = match text.text("seed") {
        None => None,
        Some(_) => Some(text.value("seed", 0, "a number", |_| true)?),
    };
    Ok(HcdpsParams {
        seed,
        climb: text.value(
            "climb",
            default.climb,
            "a number from 1 to 10000",
            |climb| (1..=10_000).contains(climb),
        )?,
        ahead: text.value("ahead", default.ahead, "a number from 0 to 32", |&ahead| {
            usize::from(ahead) <= MAX_AHEAD
        })?,
    })
}

impl OneIndex for HcdpsParams {
    type Agent = Hcdps;

    fn request(&self) -> IndexRequest {
        let request = IndexRequest::new(IndexKind::ClimbRegions).with("sectors", 0);
        match self.seed {
            Some(seed) => request.with("seed", seed),
            None => request,
        }
    }

    fn agent(&self, map: &Map, indexes: &Indexes) -> Result<Hcdps, String> {
        let regions = indexes.find(map, &self.request())?;
        Ok(Hcdps::new(regions, *self))
    }
}

#[cfg(test)]
#[path = "hcdps_tests.rs"]
mod tests;
