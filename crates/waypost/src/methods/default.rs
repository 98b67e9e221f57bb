//! The default agent: whatever the chooser ([`crate::index::auto`]) found best for the map.

use crate::agent::guide::{Ask, Bound, Effort, Found, Guide, Memo};
use crate::agent::trail::Trail;
use crate::agent::{Agent, Context};
use crate::crowd::{MadeCrowd, Options, guided_crowd};
use crate::index::slot::Slot;
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm};
use crate::methods::labels::{self, LabelGuide};
use crate::methods::sectors::{self, SectorGuide};
use crate::world::World;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// `waypost` in specs.
pub static WAYPOST: Algorithm = Algorithm {
    name: "waypost",
    about: "the default: exact corner labels where the map allows them, sectors otherwise",
    keys: &[
        (
            "max-bytes",
            "the most memory that the index may take (default: 16 bytes a passable cell, at least 64 MB)",
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

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let slot = indexes.slot(map, &self.request)?;
        match chosen(&slot) {
            IndexKind::Labels => labels::label_agent(&slot, map),
            _ => sectors::sector_agent(&slot),
        }
    }

    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let guide = DefaultGuide::new(world.slot(&self.request)?, &world.map())?;
        Ok(Some(guided_crowd(world, options, Arc::new(guide))))
    }
}

/// The kind of index that was chosen.
fn chosen(slot: &Slot) -> IndexKind {
    let index = slot.index();
    index.inner().map_or(index.kind(), |inner| inner.kind())
}

/// Leads walkers by whatever was chosen, also where a rebuild has chosen another kind.
struct DefaultGuide {
    slot: Arc<Slot>,
    made: RwLock<(u64, Made)>,
}

enum Made {
    Labels(Arc<LabelGuide>),
    Sectors(Arc<SectorGuide>),
}

impl Made {
    fn new(slot: &Arc<Slot>, map: &Map) -> Result<Made, String> {
        Ok(match chosen(slot) {
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
}

impl DefaultGuide {
    fn new(slot: Arc<Slot>, map: &Map) -> Result<DefaultGuide, String> {
        let made = RwLock::new((slot.version(), Made::new(&slot, map)?));
        Ok(DefaultGuide { slot, made })
    }

    fn made(&self) -> RwLockReadGuard<'_, (u64, Made)> {
        self.made.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guide for DefaultGuide {
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found {
        match &self.made().1 {
            Made::Labels(guide) => guide.plan(context, ask, trail),
            Made::Sectors(guide) => guide.plan(context, ask, trail),
        }
    }

    fn follow(&self, map: &Map, operations: u64) -> bool {
        let version = self.slot.version();
        if self.made().0 != version {
            let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
            made.0 = version;
            if made.1.kind() != chosen(&self.slot)
                && let Ok(other) = Made::new(&self.slot, map)
            {
                made.1 = other;
            }
        }
        match &self.made().1 {
            Made::Labels(guide) => guide.follow(map, operations),
            Made::Sectors(guide) => guide.follow(map, operations),
        }
    }

    fn memo(&self) -> Memo {
        match &self.made().1 {
            Made::Labels(guide) => guide.memo(),
            Made::Sectors(guide) => guide.memo(),
        }
    }

    fn recall(&self, map: &Map, memo: &Memo) -> Option<()> {
        match &self.made().1 {
            Made::Labels(guide) => guide.recall(map, memo),
            Made::Sectors(guide) => guide.recall(map, memo),
        }
    }

    fn is_exact(&self) -> bool {
        matches!(self.made().1, Made::Labels(_))
    }

    fn is_ready(&self, map: &Map) -> bool {
        match &self.made().1 {
            Made::Labels(guide) => guide.is_ready(map),
            Made::Sectors(guide) => guide.is_ready(map),
        }
    }

    fn prepare(&self, context: &mut Context<Map>) -> usize {
        match &self.made().1 {
            Made::Labels(guide) => guide.prepare(context),
            Made::Sectors(guide) => guide.prepare(context),
        }
    }

    fn bound(&self, map: &Map, effort: Effort) -> Option<Bound> {
        match &self.made().1 {
            Made::Labels(guide) => guide.bound(map, effort),
            Made::Sectors(guide) => guide.bound(map, effort),
        }
    }
}
