//! Repair of a jump-point graph after a change of the map, in one go or a slice at a time.

use super::JumpGraph;
use crate::grid::scan::{Touched, moved};
use crate::grid::{ChangeSet, Direction, Point};
use crate::map::Map;
use crate::search::jps::Renumbered;

/// Where more than one in so many passable cells has changed, a new build is faster.
const MIN_PART: u64 = 200;

/// Operations for looking behind a cell along a diagonal, and for finding the edges of a point, which scans in several
/// directions: set so that an operation takes about as long as one of [`ScanRepair`](crate::grid::scan::ScanRepair).
const LOOK: u64 = 1;
const EDGES: u64 = 64;

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
        self.queue_repair(map, changes);
        self.advance_repair(map, u64::MAX);
    }

    /// The same, a slice at a time: notes what has changed. Until [`JumpGraph::advance_repair`] says that the graph is right it
    /// must not be searched. More changes may be queued before that.
    pub fn queue_repair(&mut self, map: &Map, changes: &ChangeSet) {
        if changes.is_empty() {
            return;
        }
        if !self.can_repair(changes) {
            *self = JumpGraph::build(map);
            return;
        }
        self.scan_repair.queue(changes);
        self.state = map.fingerprint();
        self.passable = self.passable + changes.opened.len() as u64 - changes.blocked.len() as u64;
    }

    /// Whether a repair is faster than a new build after these changes.
    pub fn can_repair(&self, changes: &ChangeSet) -> bool {
        changes.len() as u64 * MIN_PART <= self.passable
    }

    /// Goes on with a repair for about so many operations; whether the graph is right now. `map` is the map with all changes
    /// that were queued.
    pub fn advance_repair(&mut self, map: &Map, mut operations: u64) -> bool {
        loop {
            if let Some(mut derivation) = self.derivation.take()
                && !self.advance_derivation(&mut derivation, &mut operations)
            {
                self.derivation = Some(derivation);
                return false;
            }
            if self.scan_repair.is_done() {
                return true;
            }
            let repair = &mut self.scan_repair;
            let Some(touched) = repair.advance(&mut self.scans, map.grid(), &mut operations) else {
                return false;
            };
            self.derivation = Some(Box::new(self.begin_derivation(&touched)));
        }
    }

    /// Is no repair under way?
    pub fn is_repaired(&self) -> bool {
        self.derivation.is_none() && self.scan_repair.is_done()
    }

    /// Numbers the points near a change anew and finds where to look for points that need new edges.
    fn begin_derivation(&mut self, touched: &Touched) -> Derivation {
        let renumbered = self.remark(touched);
        let mut work = Derivation::new(self.points.number_bound());
        for &at in &touched.near {
            if !self.scans.is_passable(at) {
                continue;
            }
            work.affected.extend(self.points.marked(at));
            let diagonals = Direction::ALL.into_iter().filter(|d| d.is_diagonal());
            work.looks.extend(diagonals.map(|d| (at, d)));
        }
        let rays = touched.rays.iter();
        work.pieces.extend(rays.map(|&(at, d)| self.piece(at, d)));
        for id in renumbered
            .iter()
            .flat_map(|word| self.points.numbers(word.word))
        {
            work.affected.add(id);
            let at = self.points.point(id);
            for arrival in self.points.arrivals(&self.scans, id) {
                if arrival.is_diagonal() {
                    work.looks.push((at, arrival));
                } else {
                    work.pieces.push(self.piece(at, arrival));
                }
            }
        }
        // Of pieces that begin at the same halt the longest holds all others.
        work.pieces.sort_unstable_by(|a, b| b.cmp(a));
        work.pieces
            .dedup_by(|a, b| (a.straight, a.halt) == (b.straight, b.halt));
        work.take_all_where_cheaper(self);
        work
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

    /// Finds points that need new edges, then those edges. Is it done?
    fn advance_derivation(&mut self, work: &mut Derivation, operations: &mut u64) -> bool {
        while let Some((at, diagonal)) = work.looks.pop() {
            if *operations == 0 {
                work.looks.push((at, diagonal));
                return false;
            }
            self.add_behind(at, diagonal, &mut work.affected);
            *operations = operations.saturating_sub(LOOK);
        }
        while let Some(mut piece) = work.pieces.pop() {
            self.add_turning(&mut piece, &mut work.affected, operations);
            if piece.length > 0 {
                work.pieces.push(piece);
                return false;
            }
        }
        let affected = &work.affected.ids;
        if work.derived == 0 {
            affected.iter().for_each(|&id| self.lists.clear(id));
        }
        while let Some(&id) = affected.get(work.derived) {
            if *operations == 0 {
                return false;
            }
            self.derive_edges(id);
            work.derived += 1;
            *operations = operations.saturating_sub(EDGES);
        }
        true
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

    /// Every point from which a walk turns into a piece of line, from its end on, as far as the operations go.
    fn add_turning(&self, piece: &mut Piece, affected: &mut Affected, operations: &mut u64) {
        let straight = Direction::from_number(piece.straight);
        let sides = [1, 7].map(|turn| Direction::from_number((piece.straight + turn) & 7));
        while piece.length > 0 && *operations > 0 {
            piece.length -= 1;
            let at = moved(piece.halt, straight, piece.length);
            affected.extend(self.points.marked(at));
            for diagonal in sides {
                self.add_behind(at, diagonal, affected);
            }
            *operations = operations.saturating_sub(2 * LOOK);
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

/// The search for points whose edges have changed, under way: bits are right already.
#[derive(Clone, Debug)]
pub(super) struct Derivation {
    /// Cells to look behind along a diagonal.
    looks: Vec<(Point, Direction)>,
    /// Cells to look for walks that turn into them.
    pieces: Vec<Piece>,
    affected: Affected,
    /// How many of those affected have their edges.
    derived: usize,
}

impl Derivation {
    fn new(number_bound: usize) -> Derivation {
        Derivation {
            looks: Vec::new(),
            pieces: Vec::new(),
            affected: Affected {
                ids: Vec::new(),
                seen: vec![0; number_bound.div_ceil(64)],
            },
            derived: 0,
        }
    }

    /// On wide open ground with few points, lines seen from everywhere are longer to look along than all edges are to find.
    fn take_all_where_cheaper(&mut self, graph: &JumpGraph) {
        let cells: u64 = self.pieces.iter().map(|p| u64::from(p.length)).sum();
        let looks = self.looks.len() as u64 + 2 * cells;
        if looks * LOOK > graph.points.len() as u64 * EDGES {
            self.affected.extend(graph.points.ids());
            self.looks.clear();
            self.pieces.clear();
        }
    }
}

/// Points whose edges must be found again, each once.
#[derive(Clone, Debug)]
struct Affected {
    ids: Vec<u32>,
    seen: Vec<u64>,
}

impl Affected {
    fn add(&mut self, id: u32) {
        let (word, mask) = (id as usize / 64, 1u64 << (id % 64));
        if self.seen[word] & mask == 0 {
            self.seen[word] |= mask;
            self.ids.push(id);
        }
    }

    fn extend(&mut self, ids: impl IntoIterator<Item = u32>) {
        ids.into_iter().for_each(|id| self.add(id));
    }
}
