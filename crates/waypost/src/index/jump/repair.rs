//! Repair of a jump-point graph after a change of the map.

use super::JumpGraph;
use crate::grid::scan::{Touched, moved};
use crate::grid::{ChangeSet, Direction, Point};
use crate::map::Map;
use crate::search::jps::Renumbered;

/// Where more than one in so many passable cells has changed, a new build is faster.
const LEAST_PART: u64 = 200;

impl JumpGraph {
    /// Brings the graph up to date with a map that `changes` have been made to; the result equals a new build.
    ///
    /// A point's edges depend on the walks that leave it, diagonal steps first, then straight ones, and on the neighbours of
    /// their cells. Up to the first cell near a change (changed, or next to a changed cell) such a walk is the same before
    /// and after. So a point needs new edges only if
    ///
    /// - it is near a change itself, or diagonal steps lead from it to a cell near one;
    /// - straight steps, or diagonal and then straight ones, lead from it to a cell near a change from where the scan ends
    ///   at another stop than before ([`Touched::rays`]): it turned off on the piece of line behind that cell;
    /// - it has an edge to a point that has another number now.
    ///
    /// All of these are found by going back from the change along bits; nothing else is looked at. The work
    /// grows with the open ground around the change, not with the map.
    pub fn repair(&mut self, map: &Map, changes: &ChangeSet) {
        if changes.is_empty() {
            return;
        }
        let changed = (changes.blocked.len() + changes.opened.len()) as u64;
        if changed * LEAST_PART > self.passable {
            *self = JumpGraph::build(map);
            return;
        }
        let touched = self.scans.repair(map.grid(), changes);
        self.revision = map.grid().revision();
        self.passable = self.passable + changes.opened.len() as u64 - changes.blocked.len() as u64;
        let renumbered = self.remark(&touched);
        let mut affected = Affected::new(self.points.number_bound());
        self.find_affected(&touched, &renumbered, &mut affected);
        for &id in &affected.ids {
            self.lists.clear(id);
        }
        for &id in &affected.ids {
            self.derive_edges(id);
        }
    }

    /// Marks the points near a change anew and drops the edges of all whose numbers change.
    fn remark(&mut self, touched: &Touched) -> Vec<Renumbered> {
        for (at, marked) in self.scans.marks_of(&touched.near) {
            self.marks.put(&self.scans, at, marked);
        }
        let renumbered = self.points.remark(self.scans.marks_of(&touched.near));
        for old in &renumbered {
            (old.old_first..old.old_first + old.old_count).for_each(|id| self.lists.clear(id));
        }
        renumbered
    }

    fn find_affected(&self, touched: &Touched, renumbered: &[Renumbered], affected: &mut Affected) {
        let mut pieces: Vec<Piece> = Vec::new();
        for &at in touched
            .near
            .iter()
            .filter(|&&at| self.scans.is_passable(at))
        {
            if let Some(id) = self.points.marked(at) {
                affected.add(id);
            }
            for diagonal in Direction::ALL.into_iter().filter(|d| d.is_diagonal()) {
                self.add_behind(at, diagonal, affected);
            }
        }
        pieces.extend(touched.rays.iter().map(|&(at, d)| self.piece(at, d)));
        for id in renumbered
            .iter()
            .flat_map(|word| self.points.numbers(word.word))
        {
            affected.add(id);
            let at = self.points.point(id);
            for arrival in self.points.arrivals(&self.scans, id) {
                if arrival.is_diagonal() {
                    self.add_behind(at, arrival, affected);
                } else {
                    pieces.push(self.piece(at, arrival));
                }
            }
        }
        // Of pieces that begin at the same halt the longest holds all others.
        pieces.sort_unstable();
        let longest = pieces.chunk_by(|a, b| (a.straight, a.halt) == (b.straight, b.halt));
        for piece in longest.filter_map(<[Piece]>::last) {
            self.add_turning(*piece, affected);
        }
    }

    /// The piece of line behind a cell from which scans come to it.
    fn piece(&self, at: Point, straight: Direction) -> Piece {
        let length = self.scans.cells_behind(at, straight);
        Piece {
            straight: straight as u8,
            halt: moved(at, straight.opposite(), length),
            length,
        }
    }

    /// Every point from which a walk turns into a piece of line.
    fn add_turning(&self, piece: Piece, affected: &mut Affected) {
        let straight = Direction::from_number(piece.straight);
        let sides = [1, 7].map(|turn| Direction::from_number((piece.straight + turn) & 7));
        for steps in 0..piece.length {
            let at = moved(piece.halt, straight, steps);
            if let Some(id) = self.points.marked(at) {
                affected.add(id);
            }
            for diagonal in sides {
                self.add_behind(at, diagonal, affected);
            }
        }
    }

    /// Every point from which diagonal steps lead to a cell.
    fn add_behind(&self, at: Point, diagonal: Direction, affected: &mut Affected) {
        self.marks
            .for_each_behind(&self.scans, at, diagonal, |point| {
                affected.add(self.points.id(point));
            });
    }
}

/// Cells on a straight line, from the halt before them on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    straight: u8,
    halt: Point,
    length: u32,
}

/// Points whose edges must be found again, each once.
struct Affected {
    ids: Vec<u32>,
    seen: Vec<u64>,
}

impl Affected {
    fn new(number_bound: usize) -> Affected {
        Affected {
            ids: Vec::new(),
            seen: vec![0; number_bound.div_ceil(64)],
        }
    }

    fn add(&mut self, id: u32) {
        let (word, mask) = (id as usize / 64, 1u64 << (id % 64));
        if self.seen[word] & mask == 0 {
            self.seen[word] |= mask;
            self.ids.push(id);
        }
    }
}
