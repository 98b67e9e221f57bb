//! DBA*: a search within the first region, a database of paths between regions, and a search within the last.
//!
//! Lee and Lawrence ("Fast Grid-based Path Finding for Video Games", 2013) cut a map into square sectors, call what is
//! connected within one a region, and store an optimal path between the cells that stand for neighbouring regions, compressed to
//! subgoals that climbing reaches one from the other. Dynamic programming tells the next region on the way to every other.
//! The database is that of HCDPS over other regions ([`crate::index::climb_regions`] with `sectors` and `levels`), and so is the way
//! along it ([`super::hcdps`]); the cells of a region are not chosen such that climbing leads to its middle, so A* within the
//! sector leads there from the start, and from the middle of the goal's region to the goal. Written from the published
//! descriptions.
//!
//! The paper's path trimming cuts the corners where stored paths are joined. Here the agent heads at every turn for the farthest
//! of the next `ahead` subgoals that climbing reaches; `ahead=0` goes by the middle of every region.
//!
//! # Bounds, and why it arrives
//! A search stays in one sector: no more expansions than it has cells. On the map that the index was made for it finds its
//! target, since regions are connected, and every climb of a route arrives: nothing is learned. After changes of the map a
//! search that fails leaves the way to LRTA*, as a climb does that is blocked, and [`super::hcdps`] says why that ends.

use super::hcdps::{Ends, Hcdps, MAX_AHEAD};
use super::one_index::OneIndex;
use crate::agent::plan::Plan;
use crate::agent::{Context, Meter};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::climb_regions::Cut;
use crate::index::climb_regions::sector_cut::sector_of;
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::method::{Algorithm, SpecError, SpecText};
use crate::space::Space;

/// The parameters of DBA*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DbaParams {
    /// Cells along a side of a sector.
    pub side: u32,
    /// How many regions away those may be to which stored paths lead.
    pub levels: u32,
    /// The most steps of a climb that is tried.
    pub climb: u32,
    /// Subgoals of the route that are tried.
    pub ahead: u8,
}

/// A* within a sector, to its middle and from there to the goal.
#[derive(Clone, Debug)]
pub struct SectorSearch {
    side: u32,
    /// The cell that a way is wanted to.
    target: Cell,
    /// The way has been searched for.
    searched: bool,
    plan: Plan,
    /// The largest search so far, in states.
    most_seen: usize,
}

impl SectorSearch {
    fn new(side: u32) -> SectorSearch {
        SectorSearch {
            side,
            target: Cell::NONE,
            searched: false,
            plan: Plan::default(),
            most_seen: 0,
        }
    }

    /// Finds a way that stays in the sector, if there is one.
    fn search(&mut self, context: &mut Context<Map>, at: Cell) {
        self.plan.clear();
        let (map, side, target) = (context.space, self.side, self.target);
        let sector = sector_of(map, at, side);
        if sector_of(map, target, side) != sector {
            return;
        }
        // Cells outside look so far away that they are never the best as long as one inside is left.
        let h = |cell| match sector_of(map, cell, side) == sector {
            true => map.heuristic(cell, target),
            false => Cost::MAX / 2,
        };
        let mut local = std::mem::take(&mut context.scratch.local);
        local.begin(at, h(at));
        local.towards(context, target, u64::from(side * side), h);
        self.most_seen = self.most_seen.max(local.len());
        if let Some(best) = local.top().filter(|best| local.cell(best.node) == target) {
            self.plan.set(context, local.path_back(best.node));
        }
        context.scratch.local = local;
    }
}

impl Ends for SectorSearch {
    fn start(&mut self, context: &mut Context<Map>) {
        (self.target, self.searched, self.most_seen) = (Cell::NONE, false, 0);
        let cells = (self.side * self.side) as usize;
        self.plan.clear();
        self.plan.reserve(cells);
        // Where a changed map has cut the region in two, the search goes on beyond the sector.
        let reached = 1 + cells * context.space.most_neighbours() as usize;
        context.scratch.local.reserve(reached);
    }

    fn expect(&mut self, target: Cell) {
        (self.target, self.searched) = (target, false);
    }

    fn step(&mut self, context: &mut Context<Map>, at: Cell, target: Cell) -> Option<Cell> {
        if target != self.target {
            return None;
        }
        if !self.searched {
            self.searched = true;
            self.search(context, at);
        }
        self.plan.next(context, at)
    }

    fn changed(&mut self) {
        self.searched = false;
    }

    fn states(&self) -> usize {
        self.most_seen
    }

    fn heap_bytes(&self) -> usize {
        self.plan.reserved_bytes()
    }

    fn most_work(&self) -> Meter {
        let cells = u64::from(self.side * self.side);
        // The plan and its first step.
        Meter {
            expansions: cells,
            trace_steps: cells + 1,
            ..Meter::default()
        }
    }
}

/// `dba` in specs.
pub static DBA: Algorithm = Algorithm {
    name: "dba",
    about: "DBA*: A* within the sector of start and goal, stored paths between the regions of sectors",
    keys: &[
        ("side", "cells along a side of a sector, 4 to 64 (16)"),
        (
            "levels",
            "how many regions away those may be to which stored paths lead, 1 to 4 (1)",
        ),
        ("climb", "most steps of a climb that is tried (250)"),
        (
            "ahead",
            "subgoals of the route that are tried, 0 to 32; 0 goes by the middle of every region (4)",
        ),
    ],
    parse: |text| Ok(Box::new(parse(text)?)),
};

fn parse(text: &SpecText) -> Result<DbaParams, SpecError> {
    Ok(DbaParams {
        side: text.value("side", 16, "a number from 4 to 64", |side| {
            Cut::SIDES.contains(side)
        })?,
        levels: text.value("levels", 1, "a number from 1 to 4", |levels| {
            Cut::LEVELS.contains(levels)
        })?,
        climb: text.value("climb", 250, "a number from 1 to 10000", |climb| {
            (1..=10_000).contains(climb)
        })?,
        ahead: text.value("ahead", 4, "a number from 0 to 32", |&ahead| {
            usize::from(ahead) <= MAX_AHEAD
        })?,
    })
}

impl OneIndex for DbaParams {
    type Agent = Hcdps<SectorSearch>;

    fn request(&self) -> IndexRequest {
        let request = IndexRequest::new(IndexKind::ClimbRegions);
        request
            .with("sectors", self.side)
            .with("levels", self.levels)
    }

    fn agent(&self, map: &Map, indexes: &Indexes) -> Result<Hcdps<SectorSearch>, String> {
        let regions = indexes.find(map, &self.request())?;
        let ends = SectorSearch::new(self.side);
        Ok(Hcdps::with_ends(regions, ends, self.climb, self.ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;
    use crate::grid::MoveRules;
    use crate::hierarchy::testing::{arrives, cells_of, specs_are_refused, test_map, two_cells};
    use crate::index::climb_regions::ClimbRegions;
    use crate::progress::NoProgress;
    use crate::rng::Rng;
    use std::sync::Arc;

    /// On its map every search and every climb arrives, whatever is tried on the way.
    #[test]
    fn on_its_own_map_it_never_learns() {
        let (mut walks, mut searched) = (0, 0);
        for seed in 0..120 {
            let map = test_map(seed, 2, 70, MoveRules::ALL[seed as usize % 6]);
            let cells = cells_of(&map);
            if cells.is_empty() {
                continue;
            }
            let (side, levels) = ([4, 8, 16][seed as usize % 3], 1 + seed as u32 % 3);
            let cut = Cut::Sectors { side, levels };
            let regions = Arc::new(ClimbRegions::build(&map, cut, &NoProgress).expect("small"));
            let mut rng = Rng::new(seed);
            for (climb, ahead) in [(250, 4), (250, 0), (1, 32)] {
                let ends = SectorSearch::new(side);
                let mut agent = Hcdps::with_ends(regions.clone(), ends, climb, ahead);
                let what = format!("seed {seed}, {cut:?}, climb {climb}, ahead {ahead}");
                let ends = two_cells(&mut rng, &cells);
                let walk = arrives(&map, &mut agent, ends, u64::MAX, &what);
                let bound = agent.operations_bound(&map).expect("it has one");
                assert!(walk.operations_per_move_max <= bound, "{what}");
                assert_eq!(agent.learned_bytes(), 0, "{what}");
                walks += 1;
                searched += u32::from(agent.memory_bytes() > 9 * crate::agent::BYTES_PER_STATE);
            }
        }
        assert!(
            4 * searched > walks,
            "only {searched} of {walks} walks searched a sector"
        );
    }

    #[test]
    fn bad_specs_say_what_would_do() {
        specs_are_refused(&[
            ("dba:side=3", "a number from 4 to 64"),
            ("dba:levels=5", "a number from 1 to 4"),
            ("dba:ahead=33", "a number from 0 to 32"),
            ("dba:seed=1", "expected one of: side, levels, climb, ahead"),
        ]);
    }
}
