//! `cpd`: an optimal move by one look-up in a compressed path database, with the paper's repair on maps that change
//! (Botea, AIIDE 2011, "CPDs and Dynamic Environments").
//!
//! On the map that the database was built for, a move is a look-up: no search, no allocation. When the map changes, the
//! path that the database gives is followed as long as it stays legal. Where it is blocked, a search spreads from the agent
//! until it meets any later cell of the path, and the detour is spliced in (`repair=at-once`); or the agent first walks up
//! to the obstacle (`repair=walk-up`), which may be gone by then. Where the database has no path at all (between cells
//! that were walls or islands when it was built) A* finds one, so the agent is complete. Every change drops the detour and
//! looks at the database's path afresh: obstacles that vanish restore the old path.
//!
//! Detours make paths longer than optimal, and shorter ways that a change opens are not seen: for permanent changes there
//! is [`PathDatabase::patched`].

use super::{Agent, Context, Decision};
use crate::crowd::{MadeCrowd, Options, renewed_crowd};
use crate::grid::Cell;
use crate::index::cpd::{Encoding, PathDatabase, Target};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::search::{PathSearch, Status};
use crate::spec::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::trace::Event;
use crate::world::World;
use std::sync::Arc;

/// When a blocked path is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Repair {
    /// As soon as it is known to be blocked.
    #[default]
    AtOnce,
    /// When the agent stands before the obstacle.
    WalkUp,
}

/// How the agent finds its next move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The map is the database's own: look-ups alone.
    Database,
    /// The map has changed and the way ahead has not been looked at.
    Unchecked,
    /// The database's path is legal for this many moves; all the way where there is no number.
    Checked(Option<u32>),
    /// A stored path is followed: a detour and what comes after it, or a path of A*.
    Stored,
}

/// The agent.
#[derive(Clone, Debug)]
pub struct DatabaseAgent {
    database: Arc<PathDatabase>,
    repair: Repair,
    goal: Cell,
    target: Option<Target>,
    mode: Mode,
    /// Moves by look-up since the start: more than there are cells means that the file lies.
    look_ups: u64,
    /// Where look-ups do not do. In a box: an agent on the database's own map does without.
    stored: Option<Box<Stored>>,
    /// The state of the map that it looked at last.
    seen: u64,
}

/// A path that is followed instead of look-ups, and what it is put together with.
#[derive(Clone, Debug, Default)]
struct Stored {
    path: Vec<Cell>,
    position: usize,
    ahead: Vec<Cell>,
    /// Cells of the path ahead and their places on it, sorted by cell.
    places: Vec<(Cell, u32)>,
    detour: Vec<Cell>,
}

impl DatabaseAgent {
    /// An agent without a problem yet.
    pub fn new(database: Arc<PathDatabase>, repair: Repair) -> DatabaseAgent {
        DatabaseAgent {
            seen: 0,
            database,
            repair,
            goal: Cell::NONE,
            target: None,
            mode: Mode::Unchecked,
            look_ups: 0,
            stored: None,
        }
    }

    /// Does it follow a stored path instead of look-ups?
    pub fn is_on_detour(&self) -> bool {
        self.mode == Mode::Stored
    }

    fn mode_for(&self, map: &Map) -> Mode {
        if self.database.is_for(map) {
            Mode::Database
        } else {
            Mode::Unchecked
        }
    }

    /// The move that the database gives; `None` where it has none.
    fn looked_up(&mut self, context: &mut Context<Map>, at: Cell) -> Option<Cell> {
        context.meter.look_ups += 1;
        self.look_ups += 1;
        if self.look_ups > self.database.cells() {
            return None;
        }
        let direction = self.database.first_move(at, self.target.as_ref()?)?;
        Some(self.database.grid().neighbour(at, direction))
    }

    /// Looks at the database's path from here and decides how to go on.
    fn check(&mut self, context: &mut Context<Map>, at: Cell) -> Option<()> {
        let mut stored = self.stored.take().unwrap_or_default();
        let mut ahead = std::mem::take(&mut stored.ahead);
        let known = self.database.path_into(at, self.goal, &mut ahead);
        context.meter.trace_steps += ahead.len() as u64;
        let found = if known.is_none() {
            None
        } else {
            match first_illegal_step(context.space, &ahead) {
                None => {
                    self.mode = Mode::Checked(None);
                    Some(())
                }
                Some(steps) if self.repair == Repair::WalkUp && steps > 0 => {
                    self.mode = Mode::Checked(Some(steps as u32));
                    Some(())
                }
                Some(_) => stored
                    .splice(context, &ahead)
                    .map(|()| self.mode = Mode::Stored),
            }
        };
        stored.ahead = ahead;
        self.stored = Some(stored);
        found.or_else(|| self.plan_by_search(context, at))
    }

    /// A* to the goal.
    fn plan_by_search(&mut self, context: &mut Context<Map>, at: Cell) -> Option<()> {
        let search = &mut context.scratch.astar;
        search.begin(context.space, at, self.goal);
        search.advance(context.space, u64::MAX);
        context.meter.expansions += search.expansions();
        self.mode = Mode::Stored;
        let stored = self.stored.get_or_insert_default();
        stored.position = 0;
        search
            .path_into(context.space, &mut stored.path)
            .map(|_| ())
    }

    /// The next cell of the stored path; `None` where the agent is not on it.
    fn next_stored(&mut self, at: Cell) -> Option<Cell> {
        self.stored.as_mut()?.next_cell(at)
    }

    fn step(&mut self, context: &mut Context<Map>, at: Cell) -> Option<Cell> {
        match self.mode {
            Mode::Database | Mode::Checked(None) => self.looked_up(context, at),
            Mode::Checked(Some(left)) if left > 0 => {
                self.mode = Mode::Checked(Some(left - 1));
                self.looked_up(context, at)
            }
            Mode::Stored => self.next_stored(at),
            Mode::Checked(_) | Mode::Unchecked => None,
        }
    }
}

impl Stored {
    /// Goes round every obstacle on the path ahead and stores the whole.
    fn splice(&mut self, context: &mut Context<Map>, ahead: &[Cell]) -> Option<()> {
        self.path.clear();
        self.position = 0;
        let mut from = 0;
        while let Some(steps) = first_illegal_step(context.space, &ahead[from..]) {
            let blocked = from + steps + 1;
            let rejoined = self.rejoin(context, ahead, from, blocked)?;
            self.path
                .extend_from_slice(&self.detour[..self.detour.len() - 1]);
            from = rejoined;
        }
        self.path.extend_from_slice(&ahead[from..]);
        Some(())
    }

    /// Spreads from one cell of the path until any cell at or after `blocked` is met; leaves the detour and returns the place.
    fn rejoin(
        &mut self,
        context: &mut Context<Map>,
        ahead: &[Cell],
        from: usize,
        blocked: usize,
    ) -> Option<usize> {
        self.places.clear();
        let later = ahead[blocked..].iter().zip(blocked as u32..);
        self.places
            .extend(later.map(|(&cell, place)| (cell, place)));
        self.places.sort_unstable();
        let (map, search) = (context.space, &mut context.scratch.dijkstra);
        search.begin_within(map, ahead[from], None, crate::cost::UNREACHED - 1);
        while search.advance(map, 1) == Status::Running {
            let Some(Event::Expanded { cell, .. }) = search.last_expanded(map) else {
                continue;
            };
            let Ok(found) = self.places.binary_search_by_key(&cell, |&(cell, _)| cell) else {
                continue;
            };
            context.meter.expansions += search.expansions();
            search.path_to(map, cell, &mut self.detour)?;
            return Some(self.places[found].1 as usize);
        }
        context.meter.expansions += search.expansions();
        None
    }

    fn next_cell(&mut self, at: Cell) -> Option<Cell> {
        if self.path.get(self.position + 1) == Some(&at) {
            self.position += 1;
        }
        (self.path.get(self.position) == Some(&at))
            .then(|| self.path.get(self.position + 1).copied())
            .flatten()
    }
}

/// The number of legal steps before the first illegal one; `None` where all are legal.
fn first_illegal_step(map: &Map, path: &[Cell]) -> Option<usize> {
    path.windows(2)
        .position(|step| map.legal_step(step[0], step[1]).is_none())
}

impl Agent<Map> for DatabaseAgent {
    fn start(&mut self, context: &mut Context<Map>, _from: Cell, goal: Cell) {
        self.goal = goal;
        self.target = self.database.target(goal);
        self.look_ups = 0;
        self.stored = None;
        self.mode = self.mode_for(context.space);
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
            return decision;
        }
        if let Some(next) = self.step(context, at)
            && (self.mode == Mode::Database || context.space.legal_step(at, next).is_some())
        {
            return Decision::Step(next);
        }
        // Off the path, before an obstacle, after a change, or let down by the file.
        let checked = match self.mode {
            Mode::Database => self.plan_by_search(context, at),
            _ => self.check(context, at),
        };
        match checked.and_then(|()| self.step(context, at)) {
            Some(next) if context.space.legal_step(at, next).is_some() => Decision::Step(next),
            _ => match self
                .plan_by_search(context, at)
                .and_then(|()| self.next_stored(at))
            {
                Some(next) => Decision::Step(next),
                None => Decision::Unreachable,
            },
        }
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<Map>, _news: News) {
        if let Some(stored) = &mut self.stored {
            stored.path.clear();
        }
        self.mode = self.mode_for(context.space);
    }

    fn memory_bytes(&self) -> usize {
        let cells = match (&self.mode, &self.stored) {
            (Mode::Database, _) | (_, None) => 0,
            (_, Some(s)) => s.path.len() + s.ahead.len() + s.detour.len() + 2 * s.places.len(),
        };
        size_of::<DatabaseAgent>() + cells * size_of::<Cell>()
    }

    fn reserved_bytes(&self) -> usize {
        let stored = self.stored.as_ref().map_or(0, |s| {
            let cells = s.path.capacity() + s.ahead.capacity() + s.detour.capacity();
            size_of::<Stored>() + (cells + 2 * s.places.capacity()) * size_of::<Cell>()
        });
        size_of::<DatabaseAgent>() + stored
    }

    /// One look-up on the database's own map; detours have no bound.
    fn operations_bound(&self, map: &Map) -> Option<u64> {
        self.database.is_for(map).then_some(1)
    }
}

/// `cpd`.
pub static CPD: Algorithm = Algorithm {
    name: "cpd",
    about: "Compressed path database: every move an optimal one by look-up; repairs its path when the map changes",
    keys: &[
        (
            "encoding",
            "table, rectangles, quadtree, runs or auto (default auto): the database's encoding",
        ),
        (
            "repair",
            "at-once or walk-up (default at-once): when to search round an obstacle",
        ),
    ],
    parse: |text: &SpecText| -> Result<Box<dyn AgentFactory>, SpecError> {
        let encoding = text.value(
            "encoding",
            "auto".to_string(),
            "auto, table, rectangles, quadtree or runs",
            |name: &String| name == "auto" || Encoding::from_name(name).is_some(),
        )?;
        let repair = text.value(
            "repair",
            "at-once".to_string(),
            "at-once or walk-up",
            |name: &String| name == "at-once" || name == "walk-up",
        )?;
        let repair = match repair.as_str() {
            "walk-up" => Repair::WalkUp,
            _ => Repair::AtOnce,
        };
        let encoding = Encoding::from_name(&encoding);
        Ok(Box::new(Factory { encoding, repair }))
    },
};

#[derive(Clone)]
struct Factory {
    encoding: Option<Encoding>,
    repair: Repair,
}

impl Factory {
    fn request(&self) -> IndexRequest {
        let request = IndexRequest::new(IndexKind::Cpd);
        match self.encoding {
            Some(encoding) => request.with("encoding", encoding.name()),
            None => request,
        }
    }
}

impl AgentFactory for Factory {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![self.request()]
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        Ok(Box::new(self.agent(map, indexes)?))
    }

    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let factory = self.clone();
        let make = move |map: &Map, indexes: &Indexes| factory.agent(map, indexes);
        renewed_crowd(world, options, make).map(Some)
    }
}

impl Factory {
    fn agent(&self, map: &Map, indexes: &Indexes) -> Result<DatabaseAgent, String> {
        let database: Arc<PathDatabase> = indexes.find(map, &self.request())?;
        Ok(DatabaseAgent::new(database, self.repair))
    }
}

#[cfg(test)]
mod tests;
