//! Records of a map. Paths, and with them the records, are those of [`ExactPaths`].

use super::build::CaseSource;
use super::coverage::{Guide, make_in_rounds};
use super::records::RecordList;
use super::sample::CellSampler;
use super::tree::Candidate;
use super::{Draw, SubgoalParameters, pairs};
use crate::grid::Cell;
use crate::index::BuildError;
use crate::index::climb_regions::partition::partition;
use crate::index::exact_paths::{ExactPaths, PathSearches};
use crate::index::subgoals::Scope;
use crate::map::Map;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::space::Space;
use std::ops::Range;

/// Pairs of seeds tried for one record before any cells will do: maps of two regions may have no pair that makes one.
const SEED_ATTEMPTS: u32 = 1000;

/// Makes records of a map.
pub(super) fn make(
    map: &Map,
    parameters: &SubgoalParameters,
    numbers: Range<u32>,
    progress: &dyn Progress,
) -> Result<RecordList, BuildError> {
    let mut cases = MapCases {
        map,
        guide: None,
        seeds: Vec::new(),
        records: parameters.records,
        cells: CellSampler::new(map, parameters.scope == Scope::Largest),
        paths: ExactPaths::new(map),
    };
    if parameters.draw == Draw::Regions {
        let climbs = |from, to, cap| cases.paths.climbs(from, to, cap);
        cases.seeds = partition(map, cases.cells.all(), climbs, parameters.seed).seeds;
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
    paths: ExactPaths<'a>,
}

/// Memory of searches for paths and for similar records.
#[derive(Default)]
struct Searches {
    paths: PathSearches,
    similar: Vec<Candidate>,
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
            return pairs::pair_of(&self.seeds, number.into(), records.into(), rng);
        }
        Some((self.cells.draw(rng)?, self.cells.draw(rng)?))
    }

    fn is_worth_solving(&self, from: Cell, goal: Cell) -> bool {
        from != goal && self.map.connected(from, goal) && self.map.legal_step(from, goal).is_none()
    }

    fn solve(&self, memory: &mut Searches, from: Cell, goal: Cell, path: &mut Vec<Cell>) {
        self.paths.find(&mut memory.paths, from, goal, path);
    }

    fn reachable(&self, from: Cell, to: Cell) -> bool {
        self.paths.climbs(from, to, u32::MAX)
    }

    fn is_covered(&self, memory: &mut Searches, from: Cell, goal: Cell) -> bool {
        self.guide.as_ref().is_some_and(|guide| {
            let climbs = |from, to, cap| self.paths.climbs(from, to, cap);
            guide.covers(self.map, climbs, [from, goal], &mut memory.similar)
        })
    }
}
