//! `sectors` by spec: its keys, and how agents of their own and the walkers of a crowd get what they need.

use super::fields::{Chain, Fields};
use super::{MAX_HOPS, MIN_SLICE, SectorsAgent};
use crate::agent::guide::{Ask, Bound, Effort, Found, Guide, Memo};
use crate::agent::trail::Trail;
use crate::agent::{Agent, Context};
use crate::crowd::{MadeCrowd, Options, guided_crowd};
use crate::index::sectors::SectorIndex;
use crate::index::slot::{Reader, Slot};
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::method::{AgentFactory, Algorithm, SpecText};
use crate::world::World;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// `sectors` in specs.
pub(crate) static SECTORS_AGENT: Algorithm = Algorithm {
    name: "sectors",
    about: "follows next hops between regions, with A* in a small window: near-optimal, bounded, complete on every map",
    keys: &[
        (
            "side",
            "cells on a side of a sector: 8, 16, 32 or 64 (default: by the map's size)",
        ),
        (
            "k",
            "hops that a window looks ahead, 1 to 6 (default: 3, or 2 with sectors of 32 and more)",
        ),
        (
            "commit",
            "the fewest moves walked before the next window takes over, 1 to 64 (default: 8)",
        ),
        (
            "slice",
            "operations a move, at least 16 (default: what finishes a window in time); crowds plan under a budget of their own",
        ),
    ],
    parse: |text| Ok(Box::new(Parameters::parse(text)?)),
};

struct Parameters {
    side: Option<String>,
    manner: WindowParams,
    slice: Option<u64>,
}

/// How an agent uses its windows.
#[derive(Clone, Copy)]
pub(in crate::methods) struct WindowParams {
    hops: Option<u32>,
    commit: u32,
}

impl Default for WindowParams {
    fn default() -> WindowParams {
        WindowParams {
            hops: None,
            commit: 8,
        }
    }
}

impl WindowParams {
    fn agent(self, index: Reader<SectorIndex>) -> SectorsAgent {
        let mut agent = SectorsAgent::new(index);
        if let Some(hops) = self.hops {
            agent.hops = hops as u8;
        }
        agent.commit = self.commit as u8;
        agent
    }
}

impl Parameters {
    fn parse(text: &SpecText) -> Result<Parameters, crate::method::SpecError> {
        let side: u32 = text.value("side", 0, "8, 16, 32 or 64", |s| {
            [8, 16, 32, 64].contains(s)
        })?;
        let hops = text.value("k", 0, "1 to 6", |k| (1..=MAX_HOPS).contains(k))?;
        let slice = text.value("slice", 0, "at least 16", |&s| s >= MIN_SLICE)?;
        Ok(Parameters {
            side: (side > 0).then(|| side.to_string()),
            manner: WindowParams {
                hops: (hops > 0).then_some(hops),
                commit: text.value("commit", 8, "1 to 64", |c| (1..=64).contains(c))?,
            },
            slice: (slice > 0).then_some(slice),
        })
    }
}

impl AgentFactory for Parameters {
    fn needs(&self) -> Vec<IndexRequest> {
        let request = IndexRequest::new(IndexKind::Sectors);
        vec![match &self.side {
            Some(side) => request.with("side", side),
            None => request,
        }]
    }

    fn reads_slots(&self) -> bool {
        true
    }

    fn build(&self, map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let slot = indexes.slot(map, &self.needs()[0])?;
        let mut agent = self.manner.agent(reader(&slot)?);
        agent.slice = self.slice.unwrap_or_else(|| agent.default_slice());
        Ok(Box::new(agent))
    }

    /// Walkers that share agents: a window takes kilobytes, the piece of path that it gives a few bytes.
    fn crowd(&self, world: &Arc<World>, options: Options) -> MadeCrowd {
        let slot = world.slot(&self.needs()[0])?;
        let guide = SectorGuide::new(&slot, self.manner)?;
        Ok(Some(guided_crowd(world, options, Arc::new(guide))))
    }
}

fn reader(slot: &Arc<Slot>) -> Result<Reader<SectorIndex>, String> {
    Ok(Reader::new(slot).ok_or("the index holds no sectors")?)
}

/// An agent of its own that follows the sectors in a slot.
pub(in crate::methods) fn sector_agent(slot: &Arc<Slot>) -> Result<Box<dyn Agent<Map>>, String> {
    Ok(Box::new(SectorsAgent::new(reader(slot)?)))
}

/// How much of a window's path the walkers of a crowd walk before they plan again, in a hundred moves. Agents of their own
/// walk less, since their plans come free while they walk.
const COMMIT_PERCENT: u8 = 70;

/// What leads the walkers of a crowd: agents that they share, as many as there are threads.
pub(in crate::methods) struct SectorGuide {
    index: Reader<SectorIndex>,
    manner: WindowParams,
    free: Mutex<Vec<SectorsAgent>>,
    /// Windows that had no field.
    missed: Mutex<Vec<Chain>>,
    /// Changed between plans only.
    fields: RwLock<Fields>,
}

impl SectorGuide {
    fn new(slot: &Arc<Slot>, manner: WindowParams) -> Result<SectorGuide, String> {
        Ok(SectorGuide {
            index: reader(slot)?,
            manner,
            free: Mutex::default(),
            missed: Mutex::default(),
            fields: RwLock::default(),
        })
    }

    /// A guide with the default parameters.
    pub fn of(slot: &Arc<Slot>) -> Result<SectorGuide, String> {
        SectorGuide::new(slot, WindowParams::default())
    }

    fn free(&self) -> MutexGuard<'_, Vec<SectorsAgent>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn missed(&self) -> MutexGuard<'_, Vec<Chain>> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends an agent to one walker.
    fn agent(&self) -> SectorsAgent {
        let free = self.free().pop();
        free.unwrap_or_else(|| {
            let mut agent = self.manner.agent(self.index.clone());
            agent.commit_percent = COMMIT_PERCENT;
            agent.may_be_short = self.manner.hops.is_none();
            agent
        })
    }
}

impl Guide for SectorGuide {
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found {
        let mut agent = self.agent();
        if u64::from(ask.pieces) > agent.max_pieces() {
            self.free().push(agent);
            return Found::Nothing;
        }
        let mut missed = None;
        let fields = self.fields.read().unwrap_or_else(PoisonError::into_inner);
        let found = agent.next_piece(context, ask, trail, &fields, &mut missed);
        drop(fields);
        self.free().push(agent);
        if let Some(missed) = missed {
            self.missed().push(missed);
        }
        found
    }

    /// Makes fields of windows that many walkers ask for. Planning need not wait for that.
    fn follow(&self, map: &Map, operations: u64) -> bool {
        let mut agent = self.agent();
        agent.refresh();
        let mut fields = self.fields.write().unwrap_or_else(PoisonError::into_inner);
        fields.ask(&mut self.missed());
        let new_window = || agent.new_room().window;
        fields.grow(agent.index.index(), map, new_window, operations);
        self.free().push(agent);
        true
    }

    /// The fields, and what was asked for in vain.
    fn memo(&self) -> Memo {
        let fields = self.fields.read().unwrap_or_else(PoisonError::into_inner);
        fields.memo(&self.missed())
    }

    fn recall(&self, map: &Map, memo: &Memo) -> Option<()> {
        let mut agent = self.agent();
        agent.refresh();
        let window = agent.new_room().window;
        let known = Fields::recall(agent.index.index(), map, window, memo);
        self.free().push(agent);
        let (fields, missed) = known?;
        *self.fields.write().unwrap_or_else(PoisonError::into_inner) = fields;
        *self.missed() = missed;
        Some(())
    }

    /// A plan looks straight ahead, follows the chain twice, and searches and traces one window, or follows a field.
    fn bound(&self, map: &Map, _effort: Effort) -> Option<Bound> {
        let agent = self.agent();
        let bound = agent.piece_bound(map);
        self.free().push(agent);
        Some(bound)
    }
}
