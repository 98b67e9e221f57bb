//! One search: timed first, then once more with everything that it looks at recorded.

use super::Desk;
use crate::protocol::tell::{Kind, with_bytes, with_numbers};
use serde::Serialize;
use serde_json::json;
use std::time::Duration;
use waypost::agent::{Context, Scratch};
use waypost::grid::Cell;
use waypost::prelude::*;
use waypost::run::{Outcome, Walk, walk};
use waypost::spec::AgentSpec;
use waypost::trace::{Event as Traced, Trace};
use waypost_lab::measure::DEFAULT_MOVE_LIMIT;
use waypost_lab::move_clock::MoveClock;
use waypost_lab::posthoc::{self, Form};

/// Events of a search that are kept for the replay and the trace.
const MAX_EVENTS: usize = 400_000;
/// In the events of a frame: the agent has stepped to this cell; else it has looked at it.
const STEP: u32 = 1 << 31;

/// A search that is asked for.
#[derive(Clone, Debug)]
pub struct SearchWish {
    /// The page's number of it.
    pub number: u32,
    /// Which of the two places.
    pub slot: u8,
    /// The method with its keys.
    pub spec: String,
    /// The start.
    pub from: Point,
    /// The goal.
    pub goal: Point,
    /// Its turn among those for its place.
    pub turn: u32,
}

/// A search that was done, for the trace.
pub struct Found {
    from: Cell,
    goal: Cell,
    spec: String,
    trace: Trace,
}

/// What is told of a search.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Facts {
    number: u32,
    slot: u8,
    spec: String,
    status: &'static str,
    words: String,
    from: [u32; 2],
    goal: [u32; 2],
    length: f64,
    optimal: f64,
    moves: usize,
    expansions: u64,
    operations: u64,
    worst_move: u64,
    bound: Option<u64>,
    micros: f64,
    first_micros: f64,
    slowest_micros: f64,
    path: usize,
    events: usize,
    dropped: u64,
}

impl Desk {
    pub(super) fn search(&mut self, wish: SearchWish) {
        let mut facts = Facts {
            number: wish.number,
            slot: wish.slot,
            spec: wish.spec.clone(),
            from: [wish.from.x, wish.from.y],
            goal: [wish.goal.x, wish.goal.y],
            ..Facts::default()
        };
        let slot = usize::from(wish.slot);
        // The second is asked for after the first, or not at all.
        self.found[slot..].fill_with(|| None);
        let numbers = match self.try_search(&wish, &mut facts) {
            Ok((numbers, found)) => {
                self.found[slot] = found;
                numbers
            }
            // What was given up for a later one is nobody's any more.
            Err(_) if self.is_superseded(&wish) => return,
            Err(words) => {
                (facts.status, facts.words) = ("trouble", words);
                Vec::new()
            }
        };
        self.outbox
            .tell(with_numbers(Kind::Found, &facts, &numbers));
    }

    fn try_search(
        &self,
        wish: &SearchWish,
        facts: &mut Facts,
    ) -> Result<(Vec<u32>, Option<Found>), String> {
        let spec = AgentSpec::parse(&wish.spec).map_err(|error| error.to_string())?;
        facts.spec = spec.to_string();
        let nav = &self.nav;
        spec.check_moves(&nav.world().map())
            .map_err(|e| e.to_string())?;
        let map = nav.world().map();
        let cell = |at: Point| {
            let cell = map.passable_cell(at);
            cell.ok_or_else(|| format!("{at} is a wall; drag it to the floor"))
        };
        let (from, goal) = (cell(wish.from)?, cell(wish.goal)?);
        if !map.components().connected(from, goal) {
            facts.status = "unreachable";
            facts.words =
                "there is no way between the two, and that is known without a search".to_string();
            return Ok((Vec::new(), None));
        }
        drop(map);
        self.provide(&spec.needs(), wish)?;
        let map = nav.world().map();
        let indexes = nav.world().indexes();
        let ends = (from, goal);
        let mut clock = MoveClock::with_limit(self.limits.search);
        let mut agent = spec.build(&map, &indexes).map_err(|e| e.to_string())?;
        facts.bound = agent.operations_bound(&*map);
        let mut scratch = Scratch::new();
        let mut context = Context::new(&*map, &mut scratch);
        let walked = walked(agent.as_mut(), &mut context, ends, &mut clock)?;
        let mut trace = Trace::with_limit(MAX_EVENTS);
        // What took long is not done twice; its path is shown without the search.
        if clock.total * 2 < self.limits.search {
            let mut again = spec.build(&map, &indexes).map_err(|e| e.to_string())?;
            let mut context = Context::new(&*map, &mut scratch);
            context.trace = Some(&mut trace);
            let mut limit = MoveClock::with_limit(self.limits.search);
            walk(
                again.as_mut(),
                &mut context,
                from,
                goal,
                DEFAULT_MOVE_LIMIT,
                &mut limit,
            )
            .map_err(|error| error.to_string())?;
        }
        facts.fill(&map, &walked, &clock);
        facts.optimal = nav
            .distance(wish.from, wish.goal)
            .map_err(|e| e.to_string())?;
        (facts.events, facts.dropped) = (trace.events().len(), trace.dropped());
        let numbers = numbers(&map, &walked, &trace);
        let found = Found {
            from,
            goal,
            spec: facts.spec.clone(),
            trace,
        };
        Ok((numbers, Some(found)))
    }

    /// The last search as a file for Posthoc; of two methods head to head, a file each.
    pub(super) fn trace(&self) {
        if self.found.iter().all(Option::is_none) {
            return self.trouble("there is no search to write down; set a start and a goal first");
        }
        self.found
            .iter()
            .flatten()
            .for_each(|found| self.tell_trace(found));
    }

    fn tell_trace(&self, found: &Found) {
        let map = self.nav.world().map();
        let text = posthoc::write(&map, found.from, found.goal, &found.trace, Form::Yaml);
        let name = found.spec.split(':').next().unwrap_or("search");
        let facts = json!({ "name": format!("{name}.trace.yaml"), "type": "text/yaml", "dropped": found.trace.dropped() });
        self.outbox
            .tell(with_bytes(Kind::File, &facts, text.as_bytes()));
    }
}

fn walked(
    agent: &mut dyn waypost::Agent<Map>,
    context: &mut Context<Map>,
    (from, goal): (Cell, Cell),
    clock: &mut MoveClock,
) -> Result<Walk, String> {
    let walked = walk(agent, context, from, goal, DEFAULT_MOVE_LIMIT, clock);
    walked.map_err(|error| error.to_string())
}

impl Facts {
    fn fill(&mut self, map: &Map, walked: &Walk, clock: &MoveClock) {
        self.status = match walked.outcome {
            Outcome::Arrived => "arrived",
            Outcome::Unreachable => "gave-up",
            Outcome::OutOfMoves => "stopped",
        };
        if self.status == "stopped" {
            self.words = "it was stopped: it took too long, or too many moves".to_string();
        }
        let length = map.path_length(&walked.path);
        self.length = length.map_or(f64::NAN, |length| map.length(length));
        self.moves = walked.path.len() - 1;
        self.path = walked.path.len();
        self.expansions = walked.meter.expansions;
        self.operations = walked.meter.operations();
        self.worst_move = walked.operations_per_move_max;
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        self.micros = micros(clock.total);
        self.first_micros = micros(clock.first);
        self.slowest_micros = micros(clock.slowest);
    }
}

/// The cells of the path, then the events, each counted row by row.
fn numbers(map: &Map, walked: &Walk, trace: &Trace) -> Vec<u32> {
    let width = map.grid().width();
    let number = |cell: Cell| {
        let at = map.grid().point(cell);
        at.y * width + at.x
    };
    let path = walked.path.iter().map(|&cell| number(cell));
    let events = trace.events().iter().map(|event| match *event {
        Traced::Expanded { cell, .. } => number(cell),
        Traced::Stepped { to } => number(to) | STEP,
    });
    path.chain(events).collect()
}
