//! `cpd`: an optimal move by one look-up in a compressed path database, with the paper's repair on maps that change
//! (Botea, AIIDE 2011, "CPDs and Dynamic Environments").
//!
//! On the map that the database was built for, a move is a look-up: no search, no allocation. When the map changes, the
//! path that the database gives is followed as long as it stays legal. Where it is blocked, a search spreads from the agent
//! until it meets any later cell of the path, and the detour is spliced in (`repair=at-once`); or the agent first walks up
//! to the obstacle (`repair=walk-up`), which may be gone by then. Where the database has no path at all (between cells
//! that were walls or islands when it was built) A* looks for one. Every change drops the detour and looks at the
//! database's path again: obstacles that vanish restore the old path.
//!
//! **Bounds.** One move looks up to [`MAX_AHEAD`] steps ahead and searches for up to [`MAX_EXPANSIONS`] expansions, unlike the
//! paper's, whose searches end where they end; farther ahead is looked at later. Where that finds no way, and after
//! [`MAX_PLANS`] plans for one goal on one map, LRTA* takes over, which is complete. The path that is followed is a block of
//! [`MAX_STORED`] cells, one of which is at the ready for the agents of a thread when one starts; nothing is allocated in moves once the
//! searches of the thread have grown to the map.
//!
//! Detours make paths longer than optimal, much longer where many doors are closed, for a search knows nothing of the doors behind the
//! one that it goes round; and shorter ways that a change opens are not seen: for permanent changes there is [`PathDatabase::patched`].

use super::one_index::OneIndex;
use crate::agent::lrta::{Lrta, LrtaParams};
use crate::agent::walkers::Walkers;
use crate::agent::{Agent, Context, Decision, Meter};
use crate::grid::Cell;
use crate::index::cpd::{Encoding, PathDatabase, Target};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm, SpecError, SpecText};
use crate::search::{PathSearch, Status};
use crate::trace::Event;
use std::sync::Arc;

/// Steps of the database's path that one move looks at.
pub const MAX_AHEAD: usize = 1024;
/// Expansions of one move.
pub const MAX_EXPANSIONS: u64 = 4096;
/// Cells of a path that are followed before the agent plans again.
pub const MAX_STORED: usize = 512;
/// Plans for one goal on one map.
pub const MAX_PLANS: u32 = 256;

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
    /// The database's path is legal for this many moves.
    Checked(u32),
    /// A stored path is followed: a detour and what comes after it, or a path of A*.
    Stored,
    /// No way was found within the bound: LRTA*.
    Learning,
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
    look_ups: u32,
    /// Plans since the start or the last change.
    plans: u32,
    /// Where look-ups do not do. In a box: an agent on the database's own map does without.
    stored: Option<Box<Stored>>,
    lrta: Option<Box<Lrta>>,
    /// The state of the map that it looked at last.
    seen: u64,
}

/// A path that is followed instead of look-ups.
#[derive(Clone, Debug)]
struct Stored {
    path: Vec<Cell>,
    position: usize,
}

/// What detours are put together with: one per thread.
#[derive(Clone, Debug, Default)]
pub struct Detours {
    ahead: Vec<Cell>,
    /// Cells of the path ahead and their places on it, sorted by cell.
    places: Vec<(Cell, u32)>,
    detour: Vec<Cell>,
    // Boxes go from here to agents that need one: a move that begins to follow a stored path allocates nothing.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<Stored>>,
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
            plans: 0,
            stored: None,
            lrta: None,
        }
    }

    /// Whether it follows a stored path instead of look-ups.
    #[cfg(test)]
    pub(crate) fn is_on_detour(&self) -> bool {
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
        self.look_ups = self.look_ups.saturating_add(1);
        if u64::from(self.look_ups) > self.database.cells() {
            return None;
        }
        let direction = self.database.first_move(at, self.target.as_ref()?)?;
        Some(self.database.grid().neighbour(at, direction))
    }

    /// Looks at the database's path from here and decides how to go on.
    fn plan(&mut self, context: &mut Context<Map>, at: Cell) {
        self.plans += 1;
        self.mode = Mode::Learning;
        if self.plans > MAX_PLANS {
            return;
        }
        let mut detours = std::mem::take(context.scratch.room::<Detours>());
        let known = self.look_ahead(context, at, &mut detours.ahead);
        let limit = context.meter.expansions + MAX_EXPANSIONS;
        if known {
            match first_illegal_step(context.space, &detours.ahead) {
                None => self.mode = Mode::Checked(detours.ahead.len() as u32 - 1),
                Some(steps) if self.repair == Repair::WalkUp && steps > 0 => {
                    self.mode = Mode::Checked(steps as u32);
                }
                Some(_) => {
                    let stored = self.stored.get_or_insert_with(|| detours.take_stored());
                    if stored.splice(context, &mut detours, limit).is_some() {
                        self.mode = Mode::Stored;
                    }
                }
            }
        }
        *context.scratch.room() = detours;
        if self.mode == Mode::Learning {
            self.plan_by_search(context, at, limit);
        }
    }

    /// Writes the next cells of the database's path, this one included; whether it has one.
    fn look_ahead(&self, context: &mut Context<Map>, at: Cell, ahead: &mut Vec<Cell>) -> bool {
        ahead.clear();
        ahead.push(at);
        let mut moves = self.database.moves(at, self.goal);
        while ahead.len() <= MAX_AHEAD && moves.next().is_some() {
            ahead.push(moves.at());
        }
        context.meter.trace_steps += ahead.len() as u64;
        ahead.len() > MAX_AHEAD || moves.at() == self.goal
    }

    /// A* to the goal, within the limit of expansions; LRTA* where that does not reach.
    fn plan_by_search(&mut self, context: &mut Context<Map>, at: Cell, limit: u64) {
        let search = &mut context.scratch.astar;
        search.begin(context.space, at, self.goal);
        search.advance(
            context.space,
            limit.saturating_sub(context.meter.expansions),
        );
        context.meter.expansions += search.expansions();
        let mut path = std::mem::take(&mut context.scratch.room::<Detours>().detour);
        self.mode = Mode::Learning;
        let found = context.scratch.astar.path_into(context.space, &mut path);
        if found.is_some() {
            let detours = context.scratch.room::<Detours>();
            let stored = self.stored.get_or_insert_with(|| detours.take_stored());
            stored.begin();
            stored.extend(&path);
            self.mode = Mode::Stored;
        }
        context.scratch.room::<Detours>().detour = path;
    }

    fn step_by_learning(&mut self, context: &mut Context<Map>, at: Cell) -> Option<Cell> {
        let mut lrta = match self.lrta.take() {
            Some(lrta) => lrta,
            None => Walkers::take(context),
        };
        lrta.set_goal(self.goal);
        let step = lrta.step(context, at);
        self.lrta = Some(lrta);
        step
    }

    /// Everything but the database's path is out of date.
    fn begin(&mut self, context: &mut Context<Map>) {
        if let Some(stored) = &mut self.stored {
            stored.begin();
        }
        if let Some(lrta) = self.lrta.take() {
            Walkers::give_back(context, lrta);
        }
        self.plans = 0;
        self.mode = self.mode_for(context.space);
    }

    /// The next cell of the stored path; `None` where the agent is not on it.
    fn next_stored(&mut self, at: Cell) -> Option<Cell> {
        self.stored.as_mut()?.next_cell(at)
    }

    fn step(&mut self, context: &mut Context<Map>, at: Cell) -> Option<Cell> {
        match self.mode {
            Mode::Database => self.looked_up(context, at),
            Mode::Checked(left @ 1..) => {
                self.mode = Mode::Checked(left - 1);
                self.looked_up(context, at)
            }
            Mode::Stored => self.next_stored(at),
            Mode::Learning => self.step_by_learning(context, at),
            Mode::Checked(0) | Mode::Unchecked => None,
        }
    }
}

impl Stored {
    fn boxed() -> Box<Stored> {
        Box::new(Stored {
            path: Vec::with_capacity(MAX_STORED),
            position: 0,
        })
    }

    fn begin(&mut self) {
        self.path.clear();
        self.position = 0;
    }

    /// Puts cells behind the path, as many as there is room for.
    fn extend(&mut self, cells: &[Cell]) {
        let room = MAX_STORED - self.path.len();
        self.path.extend_from_slice(&cells[..cells.len().min(room)]);
    }

    /// Goes round every obstacle on the path ahead and stores the whole, as far as there is room.
    fn splice(
        &mut self,
        context: &mut Context<Map>,
        detours: &mut Detours,
        limit: u64,
    ) -> Option<()> {
        self.begin();
        let mut from = 0;
        while let Some(steps) = first_illegal_step(context.space, &detours.ahead[from..]) {
            if self.path.len() == MAX_STORED {
                return Some(());
            }
            let blocked = from + steps + 1;
            from = detours.rejoin(context, [from, blocked], limit)?;
            self.extend(&detours.detour[..detours.detour.len() - 1]);
        }
        self.extend(&detours.ahead[from..]);
        Some(())
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

impl Detours {
    /// Makes room, so that moves need none.
    fn reserve(&mut self) {
        for cells in [&mut self.ahead, &mut self.detour] {
            cells.reserve((MAX_EXPANSIONS as usize).saturating_sub(cells.len()));
        }
        let places = (MAX_AHEAD + 1).saturating_sub(self.places.len());
        self.places.reserve(places);
        if self.idle.is_empty() {
            self.idle.push(Stored::boxed());
        }
    }

    fn take_stored(&mut self) -> Box<Stored> {
        self.idle.pop().unwrap_or_else(Stored::boxed)
    }

    /// Spreads from one cell of the path until any cell at or after `blocked` is met; leaves the detour and returns the place.
    fn rejoin(
        &mut self,
        context: &mut Context<Map>,
        [from, blocked]: [usize; 2],
        limit: u64,
    ) -> Option<usize> {
        self.places.clear();
        let later = self.ahead[blocked..].iter().zip(blocked as u32..);
        self.places
            .extend(later.map(|(&cell, place)| (cell, place)));
        self.places.sort_unstable();
        let (map, search) = (context.space, &mut context.scratch.dijkstra);
        search.begin_within(map, self.ahead[from], None, crate::cost::UNREACHED - 1);
        let most = limit.saturating_sub(context.meter.expansions);
        let mut found = None;
        while found.is_none()
            && search.expansions() < most
            && search.advance(map, 1) == Status::Running
        {
            let Some(Event::Expanded { cell, .. }) = search.last_expanded(map) else {
                continue;
            };
            let place = self.places.binary_search_by_key(&cell, |&(cell, _)| cell);
            found = place.ok().map(|place| (cell, self.places[place].1));
        }
        context.meter.expansions += search.expansions();
        let (cell, place) = found?;
        search.path_to(map, cell, &mut self.detour)?;
        Some(place as usize)
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
        self.begin(context);
        Walkers::prepare(context);
        context.scratch.room::<Detours>().reserve();
        // A search round what has changed reads it: no move makes it.
        context.space.prepare_search();
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if let Some(decision) = Decision::at_once(context.space, at, self.goal) {
            return decision;
        }
        // Off the path, before an obstacle, after a change, or let down by the file: then a plan, and in the end LRTA*.
        for attempt in 0..3 {
            if let Some(next) = self.step(context, at)
                && (self.mode == Mode::Database || context.space.legal_step(at, next).is_some())
            {
                return Decision::Step(next);
            }
            match attempt {
                0 if self.mode == Mode::Database => {
                    // The file lies: the next move plans, under the bound that is published from now on.
                    self.mode = Mode::Unchecked;
                    return Decision::Thinking;
                }
                0 => self.plan(context, at),
                _ => self.mode = Mode::Learning,
            }
        }
        Decision::Unreachable
    }

    fn seen(&mut self) -> &mut u64 {
        &mut self.seen
    }

    fn changed(&mut self, context: &mut Context<Map>, _news: News) {
        self.begin(context);
    }

    fn memory_bytes(&self) -> usize {
        let stored = self.stored.as_ref();
        let cells = stored.map_or(0, |stored| stored.path.len());
        size_of::<DatabaseAgent>() + cells * size_of::<Cell>() + self.learned_bytes()
    }

    fn reserved_bytes(&self) -> usize {
        let stored = self.stored.as_ref().map_or(0, |stored| {
            size_of::<Stored>() + stored.path.capacity() * size_of::<Cell>()
        });
        size_of::<DatabaseAgent>() + stored + self.learned_bytes()
    }

    fn learned_bytes(&self) -> usize {
        let lrta = self.lrta.as_ref();
        lrta.map_or(0, |lrta| size_of::<Lrta>() + lrta.reserved_bytes())
    }

    /// One look-up on the database's own map; a plan where the map has changed or the file has turned out to lie.
    fn operations_bound(&self, map: &Map) -> Option<u64> {
        Some(self.most_work(map).operations())
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        Some(self.most_work(map).weighted())
    }
}

impl DatabaseAgent {
    fn most_work(&self, map: &Map) -> Meter {
        let by_look_up = self.mode == Mode::Database || self.goal == Cell::NONE;
        if by_look_up && self.database.is_for(map) {
            return Meter {
                look_ups: 1,
                ..Meter::default()
            };
        }
        let mut most = Lrta::new(LrtaParams::default()).most_work(map);
        most.add(&Meter {
            look_ups: 2,
            trace_steps: MAX_AHEAD as u64 + 1,
            expansions: MAX_EXPANSIONS + 1,
            ..Meter::default()
        });
        most
    }
}

/// `cpd`.
pub(crate) static CPD: Algorithm = Algorithm {
    name: "cpd",
    about: "Compressed path database: every move an optimal one by look-up, while no door is closed; detours round doors and new walls",
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

impl OneIndex for Factory {
    type Agent = DatabaseAgent;

    fn request(&self) -> IndexRequest {
        let request = IndexRequest::new(IndexKind::Cpd);
        match self.encoding {
            Some(encoding) => request.with("encoding", encoding.name()),
            None => request,
        }
    }

    fn agent(&self, map: &Map, indexes: &Indexes) -> Result<DatabaseAgent, String> {
        let database: Arc<PathDatabase> = indexes.find(map, &self.request())?;
        Ok(DatabaseAgent::new(database, self.repair))
    }
}

#[cfg(test)]
mod tests;
