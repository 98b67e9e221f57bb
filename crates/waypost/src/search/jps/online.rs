//! Jump point search without preprocessing beyond bitmaps.

use super::{JumpPoints, JumpSpace, jump_scans};
use crate::cost::{Cost, CostPair};
use crate::grid::scan::{ScanRepair, Scans, Touched};
use crate::grid::{Direction, Directions, Point};
use crate::map::Map;

/// Finds jump points by scanning, when they are asked for. Right for all three corner rules.
#[derive(Clone, Debug)]
pub struct Jps {
    scans: Scans,
    points: JumpPoints,
    /// The moves worth trying from every point, by arrival.
    moves: Vec<[Directions; 8]>,
    state: u64,
    /// What of a repair is left to do.
    scan_repair: ScanRepair,
}

/// Numbers of points are a matter of history: the moves of equal points are compared in the order of cells.
impl PartialEq for Jps {
    fn eq(&self, other: &Jps) -> bool {
        let moves = |jps: &Jps| -> Vec<[Directions; 8]> {
            jps.points.ids().map(|id| jps.moves[id as usize]).collect()
        };
        self.scans == other.scans
            && self.points == other.points
            && self.state == other.state
            && moves(self) == moves(other)
    }
}

impl Eq for Jps {}

fn moves_from(scans: &Scans, at: Point) -> [Directions; 8] {
    Direction::ALL.map(|arrival| scans.moves(at, Some(arrival)))
}

impl Jps {
    /// Lays out the bitmaps of a map and counts their bits, so that the search's memory covers jump points alone.
    pub fn new(map: &Map) -> Jps {
        let scans = jump_scans(map);
        let points = JumpPoints::new(map.grid(), &scans);
        Jps {
            moves: points.iter().map(|at| moves_from(&scans, at)).collect(),
            points,
            scans,
            state: map.fingerprint(),
            scan_repair: ScanRepair::default(),
        }
    }

    /// Brings the bitmaps up to date with a map that has changed, in work that grows with the change and the lines through it.
    pub fn repair(&mut self, map: &Map) {
        self.queue_repair(map);
        self.advance_repair(map, u64::MAX);
    }

    /// The same, a slice at a time: looks what has changed. Until [`Jps::advance_repair`] says that they are right the bitmaps
    /// must not be searched. The map may change once more before that, and be looked at again.
    pub fn queue_repair(&mut self, map: &Map) {
        if !self.scans.fit(map.grid(), map.rules().corners) {
            // Another map altogether.
            *self = Jps::new(map);
            return;
        }
        match map.few_patches_since(self.state, self.scan_repair.room()) {
            Some(patches) => patches.for_each(|patch| self.scan_repair.queue(patch)),
            None => self.scan_repair.queue_all(&self.scans),
        }
        self.state = map.fingerprint();
    }

    /// Goes on with a repair for about this many operations. `map` is the map with all changes that were queued. Are the bitmaps
    /// right now?
    pub fn advance_repair(&mut self, map: &Map, mut operations: u64) -> bool {
        let portion = ScanRepair::portion(operations);
        while !self.scan_repair.is_done() {
            let repair = &mut self.scan_repair;
            match repair.advance(&mut self.scans, map.grid(), &mut operations, portion) {
                Some(touched) => {
                    self.renew_moves(&touched);
                    self.scan_repair.give_back(touched);
                }
                None => return false,
            }
        }
        true
    }

    /// Whether no repair is under way.
    pub(crate) fn is_repaired(&self) -> bool {
        self.scan_repair.is_done()
    }

    fn renew_moves(&mut self, touched: &Touched) {
        let mut renumbered = Vec::new();
        let marks = self.scans.marks_of(&touched.near);
        self.points.remark(marks, &mut renumbered);
        let no_moves = [Directions::NONE; 8];
        self.moves.resize(self.points.number_bound(), no_moves);
        for word in renumbered {
            for id in self.points.numbers(word.word) {
                self.moves[id as usize] = moves_from(&self.scans, self.points.point(id));
            }
        }
        for &at in &touched.near {
            if let Some(id) = self.points.marked(at) {
                self.moves[id as usize] = moves_from(&self.scans, at);
            }
        }
    }

    /// The state of the map that the bitmaps belong to, once their repair is done.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// Bytes of the bitmaps.
    pub fn memory_bytes(&self) -> usize {
        self.scans.memory_bytes() + self.points.memory_bytes() + self.moves.len() * 8
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
        let moves = self.moves[id as usize][arrival as usize];
        self.scans.for_each_stop(at, moves, |stop| {
            let cost = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
            visit(self.points.id(stop.at), stop.arrival, cost);
        });
    }
}
