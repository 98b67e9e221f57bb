//! Jump point search without preprocessing beyond bitmaps.

use super::{JumpPoints, JumpSpace, jump_scans};
use crate::cost::{Cost, CostPair};
use crate::grid::scan::Scans;
use crate::grid::{ChangeSet, Direction, Directions};
use crate::map::Map;

/// Finds jump points by scanning, when they are asked for. Right for all three corner rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jps {
    scans: Scans,
    points: JumpPoints,
    /// The moves worth trying from every point by arrival, eight each.
    moves: Vec<Directions>,
    revision: u64,
}

fn moves_of(points: &JumpPoints, scans: &Scans) -> Vec<Directions> {
    let moves = |at| Direction::ALL.map(|arrival| scans.moves(at, Some(arrival)));
    points.iter().flat_map(moves).collect()
}

impl Jps {
    /// Lays out the bitmaps of a map and counts their bits, so that the search's memory covers jump points alone.
    pub fn new(map: &Map) -> Jps {
        let scans = jump_scans(map);
        let points = JumpPoints::new(map.grid(), &scans);
        Jps {
            moves: moves_of(&points, &scans),
            points,
            scans,
            revision: map.grid().revision(),
        }
    }

    /// Brings the bitmaps up to date with a map that has changed.
    pub fn repair(&mut self, map: &Map, changes: &ChangeSet) {
        self.scans.repair(map.grid(), changes);
        self.points = JumpPoints::new(map.grid(), &self.scans);
        self.moves = moves_of(&self.points, &self.scans);
        self.revision = map.grid().revision();
    }

    /// The revision of the map that the bitmaps belong to.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Bytes of the bitmaps.
    pub fn memory_bytes(&self) -> usize {
        self.scans.memory_bytes() + self.points.memory_bytes() + self.moves.len()
    }
}

impl JumpSpace for Jps {
    #[inline]
    fn points(&self) -> &JumpPoints {
        &self.points
    }

    #[inline]
    fn scans(&self) -> &Scans {
        &self.scans
    }

    #[inline]
    fn for_each_successor(
        &self,
        id: u32,
        arrival: Direction,
        costs: CostPair,
        mut visit: impl FnMut(u32, Direction, Cost),
    ) {
        let at = self.points.point(id);
        let moves = self.moves[id as usize * 8 + arrival as usize];
        self.scans.for_each_stop(at, moves, |stop| {
            let cost = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
            visit(self.points.id(stop.at), stop.arrival, cost);
        });
    }
}
