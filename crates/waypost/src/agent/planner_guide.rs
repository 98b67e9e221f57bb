//! A guide made of planners of whole shortest paths: the walkers of a crowd share as many of them as there are threads.
//!
//! What is left of a shortest path is one too, so walks stay optimal although walkers keep a few runs at a time.

use super::Context;
use super::guide::{Ask, Bound, Effort, Found, Guide};
use super::trail::Trail;
use super::whole_path::{Planned, Planner};
use crate::grid::Cell;
use crate::map::Map;
use crate::world::World;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A planner and the memory for one path.
struct Desk {
    planner: Box<dyn Planner<Map>>,
    path: Vec<Cell>,
}

/// What makes planners.
type MakePlanner = dyn Fn(&Map, &World) -> Result<Box<dyn Planner<Map>>, String> + Send + Sync;

/// Guides walkers by planners of whole shortest paths.
pub struct PlannerGuide {
    world: Arc<World>,
    make: Box<MakePlanner>,
    desks: Mutex<ScratchPool>,
    /// Whether what the planners use is in step with the map: nobody plans before.
    is_in_step: AtomicBool,
}

#[derive(Default)]
struct ScratchPool {
    free: Vec<Desk>,
    /// The version of the indexes that the planners were made with.
    version: u64,
}

impl PlannerGuide {
    /// A guide with one planner for each thread: after a patch planners of the map as it was could not be made any more.
    pub fn new(world: &Arc<World>, make: Box<MakePlanner>) -> Result<PlannerGuide, String> {
        let guide = PlannerGuide {
            world: world.clone(),
            make,
            desks: Mutex::default(),
            is_in_step: AtomicBool::new(true),
        };
        let map = world.map();
        let desks: Result<Vec<_>, _> = (0..crate::parallel::threads())
            .map(|_| guide.make_desk(&map))
            .collect();
        *guide.desks() = ScratchPool {
            free: desks?,
            version: world.indexes().version(),
        };
        Ok(guide)
    }

    fn desks(&self) -> MutexGuard<'_, ScratchPool> {
        let mut desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        let version = self.world.indexes().version();
        if desks.version != version {
            desks.free.clear();
            desks.version = version;
        }
        desks
    }

    fn make_desk(&self, map: &Map) -> Result<Desk, String> {
        let planner = (self.make)(map, &self.world)?;
        let path = Vec::new();
        Ok(Desk { planner, path })
    }
}

impl Guide for PlannerGuide {
    fn plan<T: Trail>(&self, context: &mut Context<Map>, ask: &mut Ask, trail: &mut T) -> Found {
        if !self.is_in_step.load(Ordering::Relaxed) {
            return Found::Later;
        }
        let map = context.space;
        let free = self.desks().free.pop();
        let Ok(mut desk) = free.map_or_else(|| self.make_desk(map), Ok) else {
            return Found::Nothing;
        };
        desk.path.clear();
        let planned = desk
            .planner
            .plan(context, ask.from, ask.goal, &mut desk.path);
        if planned == Planned::Path {
            trail.extend_by_cells(map.grid(), desk.path.iter().copied());
        }
        self.desks().free.push(desk);
        match planned {
            Planned::Path => Found::Way,
            Planned::NoPath => Found::Nothing,
            Planned::Unfinished => Found::Later,
        }
    }

    fn follow(&self, map: &Map, operations: u64) -> bool {
        let mut all = true;
        let mut desks = self.desks();
        // What planners share lasts as long as one of them: whether there is one must not depend on who has planned before.
        if desks.free.is_empty()
            && let Ok(desk) = self.make_desk(map)
        {
            desks.free.push(desk);
        }
        for desk in &mut desks.free {
            let operations = if all { operations } else { 0 };
            all &= desk.planner.follow(map, operations);
        }
        self.is_in_step.store(all, Ordering::Relaxed);
        all
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn is_ready(&self, _map: &Map) -> bool {
        self.is_in_step.load(Ordering::Relaxed)
    }

    /// Whole paths at once: agents of their own have no bound either.
    fn bound(&self, _map: &Map, _effort: Effort) -> Option<Bound> {
        None
    }
}
