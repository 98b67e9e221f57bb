//! The default agent: whatever the chooser ([`crate::index::auto`]) found best for the map.

use crate::agent::guide::{Ask, Bound, Effort, Found, Guide, Memo};
use crate::agent::trail::Trail;
use crate::agent::{Agent, Context, Decision, Leg};
use crate::crowd::{MadeCrowd, Options, guided_crowd};
use crate::grid::Cell;
use crate::index::slot::{Companion, Slot};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::{Map, News};
use crate::method::{AgentFactory, Algorithm};
use crate::methods::labels::{self, LabelGuide};
use crate::methods::sectors::{self, SectorGuide};
use crate::search::jps::Run;
use crate::world::World;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// `waypost` in specs.
pub static WAYPOST: Algorithm = Algorithm {
    name: "waypost",
    about: "the default: exact corner labels where the map allows them, sectors otherwise",
    keys: &[
        (
            "max-bytes",
            "the most memory that the index may take (default: 16 bytes a passable cell, at least 67 MB)",
        ),
        (
            "fit-bytes",
            "cut labels to so many bytes: exact still, by a search for what they do not know (default: whole labels or none)",
        ),
        (
            "max-seconds",
            "the most time that labels may take, by an estimate that is the same on every machine (default: 60)",
        ),
    ],
    parse: |text| {
        let mut request = IndexRequest::new(IndexKind::Auto);
        for key in ["max-bytes", "fit-bytes", "max-seconds"] {
            let value = text.value(key, 0.0, "a number above 0", |v: &f64| *v > 0.0)?;
            if let (true, Some(given)) = (value > 0.0, text.text(key)) {
                request = request.with(key, given);
            }
        }
        Ok(Box::new(Parameters { request }))
    },
};

/// The default without limits of its own.
pub(crate) fn factory() -> Box<dyn AgentFactory> {
    Box::new(Parameters {
        request: IndexRequest::new(IndexKind::Auto),
    })
}

struct Parameters {
    request: IndexRequest,
}

impl AgentFactory for Parameters {
    fn needs(&self) -> Vec<IndexRequest> {
        vec![self.request.clone()]
    }

    fn reads_slots(&self) -> bool {
        true
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let guide = DefaultGuide::of(&indexes.slot(map, &self.request)?, map)?;
        Ok(Box::new(DefaultAgent::new(guide)?))
    }

    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let slot = world.slot(&self.request)?;
        // Each crowd has a guide of its own: its fields are a part of the crowd's state.
        let own = DefaultGuide::new(&slot, &world.map())?;
        let guide = slot.keep(&world.map(), own);
        Ok(Some(guided_crowd(world, options, guide)))
    }
}

/// Leads walkers by whatever was chosen, also where a rebuild has chosen another kind.
pub(super) struct DefaultGuide {
    slot: Arc<Slot>,
    made: RwLock<Made>,
    /// Counts the guides that there have been: one look says whether there is another.
    version: AtomicU64,
}

/// A guide of the kind that was chosen.
#[derive(Clone)]
enum Made {
    Labels(Arc<LabelGuide>),
    Sectors(Arc<SectorGuide>),
}

impl Made {
    fn new(slot: &Arc<Slot>, map: &Map) -> Result<Made, String> {
        Ok(match slot.index().used_kind() {
            IndexKind::Labels => Made::Labels(LabelGuide::of(slot, map)?),
            _ => Made::Sectors(Arc::new(SectorGuide::of(slot)?)),
        })
    }

    fn kind(&self) -> IndexKind {
        match self {
            Made::Labels(_) => IndexKind::Labels,
            Made::Sectors(_) => IndexKind::Sectors,
        }
    }

    /// An agent alone of this kind.
    fn agent(&self, slot: &Arc<Slot>) -> Result<Box<dyn Agent<Map>>, String> {
        match self {
            Made::Labels(guide) => Ok(labels::guided_agent(guide.clone())),
            Made::Sectors(_) => sectors::sector_agent(slot),
        }
    }
}

impl DefaultGuide {
    /// What the agents alone of this world share, made by the first of them.
    fn of(slot: &Arc<Slot>, map: &Map) -> Result<Arc<DefaultGuide>, String> {
        slot.companion(map, || DefaultGuide::new(slot, map))
    }

    fn new(slot: &Arc<Slot>, map: &Map) -> Result<DefaultGuide, String> {
        Ok(DefaultGuide {
            made: RwLock::new(Made::new(slot, map)?),
            slot: slot.clone(),
            version: AtomicU64::new(0),
        })
    }

    #[inline]
    fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    fn made(&self) -> RwLockReadGuard<'_, Made> {
        self.made.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Companion for DefaultGuide {
    /// The labels' guide is a companion itself; sectors are repaired by their slot.
    fn follow(&self, _map: &Map, _operations: u64) -> bool {
        true
    }

    /// A guide of another kind is made where a build has chosen that: here, and not by the next to plan.
    fn renewed(&self, map: &Map) {
        if self.made().kind() != self.slot.index().used_kind()
            && let Ok(other) = Made::new(&self.slot, map)
        {
            *self.made.write().unwrap_or_else(PoisonError::into_inner) = other;
            self.version.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// An agent alone: of the kind that was chosen, and made again where a build has chosen another. Otherwise agents see by themselves that
/// there is a newer index.
struct DefaultAgent {
    guide: Arc<DefaultGuide>,
    version: u64,
    kind: IndexKind,
    agent: Box<dyn Agent<Map>>,
    goal: Cell,
}

impl DefaultAgent {
    fn new(guide: Arc<DefaultGuide>) -> Result<DefaultAgent, String> {
        let (version, made) = (guide.version(), guide.made().clone());
        Ok(DefaultAgent {
            agent: made.agent(&guide.slot)?,
            kind: made.kind(),
            version,
            guide,
            goal: Cell::NONE,
        })
    }

    /// Looks whether another kind was chosen.
    #[inline]
    fn look(&mut self, context: &mut Context<Map>, at: Cell) {
        if self.version != self.guide.version() {
            self.renew(context, at);
        }
    }

    /// An agent of another kind is set up for its first move, which allocates. One that cannot be made leaves this one, which is safe.
    #[cold]
    fn renew(&mut self, context: &mut Context<Map>, at: Cell) {
        self.version = self.guide.version();
        let made = self.guide.made().clone();
        if made.kind() != self.kind
            && let Ok(agent) = made.agent(&self.guide.slot)
        {
            (self.agent, self.kind) = (agent, made.kind());
            self.agent.start(context, at, self.goal);
        }
    }

    /// A bound of the agent that makes the next move.
    fn bound(&self, of: impl Fn(&dyn Agent<Map>) -> Option<u64>) -> Option<u64> {
        if self.version == self.guide.version() {
            return of(&*self.agent);
        }
        let made = self.guide.made().clone();
        if made.kind() == self.kind {
            return of(&*self.agent);
        }
        match made.agent(&self.guide.slot) {
            Ok(next) => of(&*next),
            Err(_) => of(&*self.agent),
        }
    }
}

impl Agent<Map> for DefaultAgent {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.goal = goal;
        self.look(context, from);
        self.agent.start(context, from, goal);
    }

    fn next_move(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        self.look(context, at);
        self.agent.next_move(context, at)
    }

    fn next_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        self.look(context, at);
        self.agent.next_leg(context, at)
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        self.look(context, at);
        self.agent.decide(context, at)
    }

    fn decide_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        self.look(context, at);
        self.agent.decide_leg(context, at)
    }

    fn wants_plan(&self) -> bool {
        self.agent.wants_plan()
    }

    fn plan_ahead(&mut self, context: &mut Context<Map>, from: Cell) {
        self.agent.plan_ahead(context, from);
    }

    fn runs_ahead(&self, from: Cell, visit: &mut dyn FnMut(Run)) {
        self.agent.runs_ahead(from, visit);
    }

    fn seen(&mut self) -> &mut u64 {
        self.agent.seen()
    }

    fn changed(&mut self, context: &mut Context<Map>, news: News) {
        self.agent.changed(context, news);
    }

    fn memory_bytes(&self) -> usize {
        self.agent.memory_bytes()
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<DefaultAgent>() + self.agent.reserved_bytes()
    }

    fn learned_bytes(&self) -> usize {
        self.agent.learned_bytes()
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        self.bound(|agent| agent.operations_bound(map))
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        self.bound(|agent| agent.weighted_bound(map))
    }
}

impl Guide for DefaultGuide {
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found {
        match &*self.made() {
            Made::Labels(guide) => guide.plan(context, ask, trail),
            Made::Sectors(guide) => guide.plan(context, ask, trail),
        }
    }

    fn follow(&self, map: &Map, operations: u64) -> bool {
        match &*self.made() {
            Made::Labels(guide) => Guide::follow(&**guide, map, operations),
            Made::Sectors(guide) => guide.follow(map, operations),
        }
    }

    fn memo(&self) -> Memo {
        match &*self.made() {
            Made::Labels(guide) => guide.memo(),
            Made::Sectors(guide) => guide.memo(),
        }
    }

    fn recall(&self, map: &Map, memo: &Memo) -> Option<()> {
        match &*self.made() {
            Made::Labels(guide) => guide.recall(map, memo),
            Made::Sectors(guide) => guide.recall(map, memo),
        }
    }

    fn is_exact(&self) -> bool {
        matches!(*self.made(), Made::Labels(_))
    }

    fn is_current(&self, map: &Map) -> bool {
        match &*self.made() {
            Made::Labels(guide) => guide.is_current(map),
            Made::Sectors(guide) => guide.is_current(map),
        }
    }

    fn is_ready(&self, map: &Map) -> bool {
        match &*self.made() {
            Made::Labels(guide) => guide.is_ready(map),
            Made::Sectors(guide) => guide.is_ready(map),
        }
    }

    fn prepare(&self, context: &mut Context<Map>, effort: Effort) -> usize {
        match &*self.made() {
            Made::Labels(guide) => guide.prepare(context, effort),
            Made::Sectors(guide) => guide.prepare(context, effort),
        }
    }

    fn bound(&self, map: &Map, effort: Effort) -> Option<Bound> {
        match &*self.made() {
            Made::Labels(guide) => guide.bound(map, effort),
            Made::Sectors(guide) => guide.bound(map, effort),
        }
    }
}
