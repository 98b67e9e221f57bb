//! `sectors` by spec: its keys, and how agents of their own and the walkers of a crowd get what they need.

use super::{LEAST_SLICE, MOST_HOPS, SectorsAgent};
use crate::agent::{Agent, Context};
use crate::crowd::{Guide, MadeCrowd, Options, Trip, guided_crowd};
use crate::grid::ChangeSet;
use crate::index::sectors::SectorIndex;
use crate::index::{Index, IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::spec::{AgentFactory, Algorithm, SpecText};
use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `sectors` in specs.
pub static SECTORS_AGENT: Algorithm = Algorithm {
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
    manner: Manner,
    slice: Option<u64>,
}

/// How an agent uses its windows.
#[derive(Clone, Copy)]
struct Manner {
    hops: Option<u32>,
    commit: u32,
}

impl Manner {
    fn agent(self, index: Arc<SectorIndex>) -> SectorsAgent {
        let mut agent = SectorsAgent::new(index);
        if let Some(hops) = self.hops {
            agent.hops = hops as u8;
        }
        agent.commit = self.commit as u8;
        agent
    }
}

impl Parameters {
    fn parse(text: &SpecText) -> Result<Parameters, crate::spec::SpecError> {
        let side: u32 = text.value("side", 0, "8, 16, 32 or 64", |s| {
            [8, 16, 32, 64].contains(s)
        })?;
        let hops = text.value("k", 0, "1 to 6", |k| (1..=MOST_HOPS).contains(k))?;
        let slice = text.value("slice", 0, "at least 16", |&s| s >= LEAST_SLICE)?;
        Ok(Parameters {
            side: (side > 0).then(|| side.to_string()),
            manner: Manner {
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

    fn build(&self, _map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let mut agent = self.manner.agent(self.index(indexes)?);
        agent.slice = self.slice.unwrap_or_else(|| agent.default_slice());
        Ok(Box::new(agent))
    }

    /// Walkers that share agents: a window takes kilobytes, the piece of path that it gives a few bytes.
    fn crowd(&self, map: &Map, indexes: &Indexes, options: Options) -> MadeCrowd {
        let guide = SectorGuide {
            state: Mutex::new(SharedAgents {
                index: self.index(indexes)?,
                free: Vec::new(),
            }),
            manner: self.manner,
        };
        Ok(Some(guided_crowd(map, options, guide)))
    }
}

impl Parameters {
    fn index(&self, indexes: &Indexes) -> Result<Arc<SectorIndex>, String> {
        let index = indexes.find::<SectorIndex>(&self.needs()[0]);
        Ok(index.ok_or("it needs a `sectors` index; build one with `waypost build sectors`")?)
    }
}

/// What leads the walkers of a crowd: agents that they share, as many as there are threads.
struct SectorGuide {
    state: Mutex<SharedAgents>,
    manner: Manner,
}

struct SharedAgents {
    index: Arc<SectorIndex>,
    free: Vec<SectorsAgent>,
}

impl SectorGuide {
    fn state(&self) -> MutexGuard<'_, SharedAgents> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guide for SectorGuide {
    fn plan(&self, context: &mut Context<Map>, trip: &mut Trip) -> bool {
        let mut state = self.state();
        let (free, index) = (state.free.pop(), state.index.clone());
        drop(state);
        let mut agent = free.unwrap_or_else(|| self.manner.agent(index));
        let found = agent.next_piece(context, trip);
        let mut state = self.state();
        if Arc::ptr_eq(&agent.index, &state.index) {
            state.free.push(agent);
        }
        found
    }

    fn map_changed(&self, _map: &Map, _changes: &ChangeSet) {}

    fn replace_index(&self, index: &Arc<dyn Index>) {
        let any = index.clone() as Arc<dyn Any + Send + Sync>;
        let mut state = self.state();
        if let Ok(index) = any.downcast::<SectorIndex>()
            && !Arc::ptr_eq(&index, &state.index)
        {
            state.free.clear();
            state.index = index;
        }
    }
}
