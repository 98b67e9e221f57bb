//! Records of a map.

use super::SubgoalParameters;
use super::build::{CaseSource, make_records};
use super::records::RecordList;
use super::sample::CellSampler;
use crate::grid::Cell;
use crate::grid::scan::{Scans, StopAt};
use crate::index::BuildError;
use crate::index::subgoals::Scope;
use crate::map::Map;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::search::{AStar, PathSearch, climb};
use crate::space::Space;
use std::ops::Range;

/// Makes records of a map.
pub(super) fn make(
    map: &Map,
    parameters: &SubgoalParameters,
    numbers: Range<u32>,
    progress: &dyn Progress,
) -> Result<RecordList, BuildError> {
    let cells = CellSampler::new(map, parameters.scope == Scope::Largest);
    let scans = Scans::new(map.grid(), map.rules().corners, StopAt::JumpPoints);
    make_records(
        &MapCases { map, cells, scans },
        parameters,
        numbers,
        progress,
    )
}

struct MapCases<'a> {
    map: &'a Map,
    scans: Scans,
    cells: CellSampler,
}

impl CaseSource for MapCases<'_> {
    type Memory = AStar;

    fn memory(&self) -> AStar {
        AStar::new()
    }

    fn draw(&self, rng: &mut Rng) -> Option<(Cell, Cell)> {
        Some((self.cells.draw(rng)?, self.cells.draw(rng)?))
    }

    fn is_worth_solving(&self, from: Cell, goal: Cell) -> bool {
        from != goal && self.map.connected(from, goal) && self.map.legal_step(from, goal).is_none()
    }

    fn solve(&self, search: &mut AStar, from: Cell, goal: Cell, path: &mut Vec<Cell>) {
        path.clear();
        search.begin(self.map, from, goal);
        search.advance(self.map, u64::MAX);
        let _ = search.path_into(self.map, path);
    }

    fn reachable(&self, from: Cell, to: Cell) -> bool {
        climb::climb(self.map.grid(), &self.scans, from, to, u32::MAX).reached
    }
}
