//! Records of a map.
//!
//! **Which optimal path.** The one that [`JumpSearch`] finds on the jump-point graph: its module says how all ties are settled. It
//! is the fastest exact search of the engine that needs no long preparation (milliseconds, where hub labels take seconds on large maps), and the
//! scans that its graph is built from are the ones that climbing runs on. Where more than one cell in
//! [`DENSE`] is a jump point, jumping does not pay any more, and [`AStar`] finds the path: which of the two it is depends on the map
//! alone, so the records do not depend on anything else either.

use super::build::CaseSource;
use super::coverage::{Guide, make_in_rounds};
use super::records::RecordList;
use super::sample::CellSampler;
use super::tree::Candidate;
use super::{Draw, SubgoalParameters, partition};
use crate::grid::Cell;
use crate::index::BuildError;
use crate::index::jump::JumpGraph;
use crate::index::subgoals::Scope;
use crate::map::Map;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::search::jps::{JumpSearch, JumpSpace};
use crate::search::{AStar, PathSearch, climb};
use crate::space::Space;
use std::ops::Range;

/// A map is dense where there is a jump point to this many cells or fewer.
pub const DENSE: u64 = 5;

/// Pairs of seeds tried for one record before any cells will do: maps of two regions may have no pair that makes one.
const SEED_ATTEMPTS: u32 = 1000;

/// Makes records of a map.
pub(super) fn make(
    map: &Map,
    parameters: &SubgoalParameters,
    numbers: Range<u32>,
    progress: &dyn Progress,
) -> Result<RecordList, BuildError> {
    let graph = JumpGraph::build(map);
    let mut cases = MapCases {
        map,
        guide: None,
        seeds: Vec::new(),
        records: parameters.records,
        cells: CellSampler::new(map, parameters.scope == Scope::Largest),
        is_dense: graph.density_percent() * DENSE >= 100,
        graph,
    };
    if parameters.draw == Draw::Regions {
        let climbs = |from, to, cap| cases.climbs(from, to, cap);
        cases.seeds = partition::seeds(map, cases.cells.all(), climbs, parameters.seed);
    }
    make_in_rounds(&mut cases, parameters, numbers, progress, |cases, known| {
        cases.guide = Guide::new(map, known);
    })
}

struct MapCases<'a> {
    map: &'a Map,
    cells: CellSampler,
    /// The records of the rounds before.
    guide: Option<Guide>,
    /// What ends are drawn from instead of the cells.
    seeds: Vec<Cell>,
    records: u32,
    graph: JumpGraph,
    is_dense: bool,
}

/// Memory of a search; only the one in use grows.
#[derive(Default)]
struct Searches {
    jump: JumpSearch,
    astar: AStar,
    similar: Vec<Candidate>,
}

impl MapCases<'_> {
    fn climbs(&self, from: Cell, to: Cell, cap: u32) -> bool {
        climb::climb(self.map.grid(), self.graph.scans(), from, to, cap).reached
    }
}

impl CaseSource for MapCases<'_> {
    type Memory = Searches;

    fn memory(&self) -> Searches {
        Searches::default()
    }

    fn draw(&self, rng: &mut Rng, number: u32, attempt: u32) -> Option<(Cell, Cell)> {
        if self.seeds.len() > 1 && attempt < SEED_ATTEMPTS {
            // The first attempt may be in turn; a pair that makes no record is drawn again.
            let records = if attempt == 0 { self.records } else { 0 };
            return partition::pair_of(&self.seeds, number.into(), records.into(), rng);
        }
        Some((self.cells.draw(rng)?, self.cells.draw(rng)?))
    }

    fn is_worth_solving(&self, from: Cell, goal: Cell) -> bool {
        from != goal && self.map.connected(from, goal) && self.map.legal_step(from, goal).is_none()
    }

    fn solve(&self, memory: &mut Searches, from: Cell, goal: Cell, path: &mut Vec<Cell>) {
        path.clear();
        if self.is_dense {
            memory.astar.begin(self.map, from, goal);
            memory.astar.advance(self.map, u64::MAX);
            let _ = memory.astar.path_into(self.map, path);
            return;
        }
        let grid = self.map.grid();
        let (start, end) = (grid.point(from), grid.point(goal));
        if let Some(runs) = memory.jump.shortest(&self.graph, self.map, start, end) {
            runs.write_cells(grid, path);
        }
    }

    fn reachable(&self, from: Cell, to: Cell) -> bool {
        self.climbs(from, to, u32::MAX)
    }

    fn is_covered(&self, memory: &mut Searches, from: Cell, goal: Cell) -> bool {
        self.guide.as_ref().is_some_and(|guide| {
            let climbs = |from, to, cap| self.climbs(from, to, cap);
            guide.covers(self.map, climbs, [from, goal], &mut memory.similar)
        })
    }
}
