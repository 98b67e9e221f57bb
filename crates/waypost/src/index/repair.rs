//! Indexes on maps that change: what each kind does about a patch, and who sees to it.
//!
//! An index is immutable, so a repair gives a new one. [`Index::repair`] is asked once for each patch and answers with a
//! [`Repair`]; [`Upkeep`] asks it for all indexes of a crowd, carries long repairs on a slice a tick, and hands over what is
//! ready. Until then agents go on with what they have, safely: no agent believes an index about a step without looking
//! at the map ([`crate::Agent::next_move`]).
//!
//! | kind | after a patch | agents meanwhile |
//! |---|---|---|
//! | components | repaired in [`Map::apply`] | |
//! | `jump` | repaired where the patch is, a slice a tick, for all walkers of a crowd; equal to a new build | old runs as far as they are free, else provisional steps until it is done |
//! | `hierarchy` | the first agent told repairs it, the others share that | plan on the repaired one |
//! | `subgoals` | records whose climbs no longer arrive are marked, a slice a tick | climb, or LRTA\* where a climb is blocked |
//! | `sectors` | repaired, a slice a tick; equal to a new build once no patch waits | old hops, windows on the map as it is, LRTA\* where one is empty |
//! | `labels` | need a build | plan on the repaired jump-point graph; on maps beyond 400,000 cells old labels, each run measured, LRTA\* round what is blocked |
//! | `cpd` | need a build ([`PathDatabase::patched`](crate::index::cpd::PathDatabase::patched) does it for small patches) | old paths with searched detours, A\* where there is none |
//! | `regions` | need a build | subgoals that can be reached, else LRTA\* |
//! | `climb-regions` | need a build | climb, or LRTA\* where a climb is blocked |
//! | `landmarks`, `tables` | need a build | are not asked: octile distance, search |
//!
//! What needs a build is built by the game, on a thread of its own and from a copy of the map, and handed over with
//! [`AnyCrowd::replace_index`](crate::crowd::AnyCrowd::replace_index). If the map has changed again meanwhile, agents treat it
//! as the one before: safely.

use super::{Index, IndexKind};
use crate::grid::ChangeSet;
use crate::map::Map;
use std::sync::Arc;

/// What an index does about a patch.
pub enum Repair {
    /// This one takes its place.
    Done(Arc<dyn Index>),
    /// It takes a while.
    Sliced(Box<dyn RepairJob>),
    /// The agents that use it share it and keep it in step themselves when they are told of the patch.
    ByAgents,
    /// It must be built again; agents that use the old one go on safely.
    Rebuild,
}

/// A repair under way.
pub trait RepairJob: Send {
    /// The map has changed once more.
    fn map_changed(&mut self, map: &Map, changes: &ChangeSet);

    /// Goes on for about so many operations; gives the repaired index when it is ready.
    fn advance(&mut self, map: &Map, operations: u64) -> Option<Arc<dyn Index>>;

    /// After an index was given: is there nothing left to do?
    fn is_done(&self) -> bool {
        true
    }
}

/// How an index of a crowd stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is of the map as it is, or what a patch touched in it is marked.
    Current,
    /// Its repair is under way.
    UnderRepair,
    /// It waits for somebody to build it again and hand it over.
    NeedsBuild,
}

struct Kept {
    index: Arc<dyn Index>,
    job: Option<Box<dyn RepairJob>>,
    needs_build: bool,
    /// Agents keep it in step.
    by_agents: bool,
}

/// Sees to the indexes of a crowd.
#[derive(Default)]
pub struct Upkeep {
    kept: Vec<Kept>,
}

impl Upkeep {
    /// Sees to these.
    pub fn of(indexes: impl IntoIterator<Item = Arc<dyn Index>>) -> Upkeep {
        let kept = |index| Kept {
            index,
            job: None,
            needs_build: false,
            by_agents: false,
        };
        Upkeep {
            kept: indexes.into_iter().map(kept).collect(),
        }
    }

    /// How each index stands; those that agents keep in step are current.
    pub fn standings(&self) -> impl Iterator<Item = (IndexKind, Standing)> + '_ {
        self.standings_with(true)
    }

    /// The same. Are agents done with those that they keep in step?
    pub fn standings_with(
        &self,
        agents_are_done: bool,
    ) -> impl Iterator<Item = (IndexKind, Standing)> + '_ {
        self.kept.iter().map(move |kept| {
            let standing = match (&kept.job, kept.needs_build) {
                (Some(_), _) => Standing::UnderRepair,
                (None, false) if kept.by_agents && !agents_are_done => Standing::UnderRepair,
                (None, true) => Standing::NeedsBuild,
                (None, false) => Standing::Current,
            };
            (kept.index.kind(), standing)
        })
    }

    /// The map has changed. What is repaired at once is handed over at once.
    pub fn map_changed(
        &mut self,
        map: &Map,
        changes: &ChangeSet,
        mut hand_over: impl FnMut(&Arc<dyn Index>),
    ) {
        for kept in &mut self.kept {
            if let Some(job) = &mut kept.job {
                job.map_changed(map, changes);
                continue;
            }
            match kept.index.clone().repair(map, changes) {
                Repair::Done(index) => {
                    kept.index = index;
                    hand_over(&kept.index);
                }
                Repair::Sliced(job) => kept.job = Some(job),
                Repair::ByAgents => kept.by_agents = true,
                Repair::Rebuild => kept.needs_build = true,
            }
        }
    }

    /// Carries repairs on for about so many operations, one index after the other.
    pub fn advance(
        &mut self,
        map: &Map,
        operations: u64,
        mut hand_over: impl FnMut(&Arc<dyn Index>),
    ) {
        let under_repair = self.kept.iter_mut().find(|kept| kept.job.is_some());
        let Some(kept) = under_repair else {
            return;
        };
        let ready = kept.job.as_mut().and_then(|j| j.advance(map, operations));
        if let Some(index) = ready {
            kept.index = index;
            kept.job = kept.job.take().filter(|job| !job.is_done());
            hand_over(&kept.index);
        }
    }

    /// Takes an index that was built for the map as it is, in the place of the one of its kind. Is there one?
    pub fn replace(&mut self, index: &Arc<dyn Index>) -> bool {
        let mut found = false;
        for kept in &mut self.kept {
            if kept.index.kind() == index.kind() {
                kept.index = index.clone();
                (kept.job, kept.needs_build) = (None, false);
                found = true;
            }
        }
        found
    }
}
