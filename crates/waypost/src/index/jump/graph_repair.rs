//! Repair of a jump-point graph after a change of the map, in one go or a slice at a time.

use super::JumpGraph;
use crate::grid::scan::{ScanRepair, Touched, moved};
use crate::grid::{Direction, Point};
use crate::map::Map;
use crate::search::jps::Renumbered;

/// Where more than one in so many passable cells has changed, a new build is faster.
const MIN_PART: u64 = 200;

/// Operations for looking behind a cell along a diagonal, and for finding the edges of a point, which scans in several
/// directions: set so that an operation takes about as long as one of [`ScanRepair`].
const LOOK: u64 = 1;
const EDGES: u64 = 64;

impl JumpGraph {
    /// Brings the graph up to date with a map that has changed; the result equals a new build.
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
    pub fn repair(&mut self, map: &Map) {
        let changes = map.changes_since(self.state);
        if !changes.is_some_and(|changes| self.can_repair(changes.len())) {
            *self = self.derive_again(map);
            return;
        }
        self.queue_repair(map);
        self.advance_repair(map, u64::MAX);
    }

    /// The same, a slice at a time: looks what has changed. Until [`JumpGraph::advance_repair`] says that the graph is right it
    /// must not be searched. The map may change once more before that, and be looked at again.
    pub fn queue_repair(&mut self, map: &Map) {
        if !self.scans.fit(map.grid(), map.rules().corners) {
            // Another map altogether.
            *self = JumpGraph::plain(map);
            self.is_numbered_anew = true;
            return;
        }
        self.bounds.follow(map);
        self.is_numbered_anew = true;
        match map.few_patches_since(self.state, self.scan_repair.room()) {
            Some(patches) => patches.for_each(|patch| self.scan_repair.queue(patch)),
            None => self.scan_repair.queue_all(&self.scans),
        }
        self.state = map.fingerprint();
    }

    /// Makes room for repairs of up to this many changed cells at once: they allocate nothing then, on maps of games.
    pub fn reserve_repair(&mut self, cells: usize) {
        self.scan_repair.reserve(&self.scans, cells);
        self.points.reserve(NUMBERS_A_CELL * cells);
        self.lists.reserve(NUMBERS_A_CELL * cells);
        self.derivation.reserve(cells, self.points.number_bound());
    }

    /// Whether a repair is faster than a new build after these changes.
    pub fn can_repair(&self, changed: usize) -> bool {
        changed as u64 * MIN_PART <= self.passable
    }

    /// Goes on with a repair for about this many operations; whether the graph is right now. `map` is the map with all changes
    /// that were queued.
    pub fn advance_repair(&mut self, map: &Map, mut operations: u64) -> bool {
        let portion = ScanRepair::portion(operations);
        loop {
            if self.derivation.is_under_way {
                let mut derivation = std::mem::take(&mut self.derivation);
                let is_done = self.advance_derivation(&mut derivation, &mut operations);
                self.derivation = derivation;
                if !is_done {
                    return false;
                }
                self.finish_derivation();
            }
            if self.scan_repair.is_done() {
                return true;
            }
            let repair = &mut self.scan_repair;
            let found = repair.advance(&mut self.scans, map.grid(), &mut operations, portion);
            let Some(touched) = found else {
                return false;
            };
            self.passable = self.passable.saturating_add_signed(touched.more_passable);
            self.derivation.begin(touched, self.points.number_bound());
        }
    }

    /// Whether no repair is under way.
    pub fn is_repaired(&self) -> bool {
        !self.derivation.is_under_way && self.scan_repair.is_done()
    }

    fn finish_derivation(&mut self) {
        self.derivation.is_under_way = false;
        let touched = std::mem::take(&mut self.derivation.touched);
        self.scan_repair.give_back(touched);
    }

    /// Goes on with what follows from the cells near a change. Is it done?
    fn advance_derivation(&mut self, work: &mut Derivation, operations: &mut u64) -> bool {
        loop {
            while work.at < self.items(work) {
                if *operations == 0 {
                    return false;
                }
                let spent = self.see_to(work, operations);
                *operations = operations.saturating_sub(spent);
            }
            work.at = 0;
            work.stage = match work.stage {
                Stage::Marks => Stage::Near,
                Stage::Near => Stage::Rays,
                Stage::Rays => Stage::Renumbered,
                Stage::Renumbered => {
                    let pieces = work.pieces.len() as u64;
                    *operations = operations.saturating_sub(pieces);
                    work.arrange_pieces(self)
                }
                Stage::All | Stage::Pieces => Stage::Clear,
                Stage::Looks => Stage::Pieces,
                Stage::Clear => Stage::Edges,
                Stage::Edges => return true,
            };
        }
    }

    /// How many items a stage has.
    fn items(&self, work: &Derivation) -> usize {
        match work.stage {
            Stage::Marks => work.touched.near.len().div_ceil(MARKED_AT_ONCE),
            Stage::Near => work.touched.near.len(),
            Stage::Rays => work.touched.rays.len(),
            Stage::Renumbered => work.renumbered.len(),
            Stage::All => self.points.marks().len(),
            Stage::Looks => work.looks.len(),
            Stage::Pieces => work.pieces.len(),
            Stage::Clear | Stage::Edges => work.affected.ids.len(),
        }
    }

    /// Sees to the next item of a stage, of pieces as far as the operations go; what it has cost.
    fn see_to(&mut self, work: &mut Derivation, operations: &mut u64) -> u64 {
        let at = work.at;
        work.at += 1;
        match work.stage {
            Stage::Marks => {
                self.remark(work, at);
                MARKED_AT_ONCE as u64
            }
            Stage::Near => {
                self.note_near(work, at);
                LOOK
            }
            Stage::Rays => {
                let (at, straight) = work.touched.rays[at];
                work.pieces.push(self.piece(at, straight));
                LOOK
            }
            Stage::Renumbered => self.note_renumbered(work, at),
            Stage::All => {
                work.affected.extend(self.points.numbers(at));
                LOOK
            }
            Stage::Looks => {
                let (at, diagonal) = work.looks[at];
                self.add_behind(at, diagonal, &mut work.affected);
                LOOK
            }
            Stage::Pieces => {
                let mut piece = work.pieces[at];
                self.add_turning(&mut piece, &mut work.affected, operations);
                work.pieces[at] = piece;
                work.at -= usize::from(piece.length > 0);
                0
            }
            Stage::Clear => {
                self.lists.clear(work.affected.ids[at]);
                LOOK
            }
            Stage::Edges => {
                let id = work.affected.take(at);
                self.derive_edges(id);
                EDGES
            }
        }
    }

    /// Marks some of the points near a change again and drops the edges of all whose numbers change.
    fn remark(&mut self, work: &mut Derivation, at: usize) {
        let near = &work.touched.near[at * MARKED_AT_ONCE..];
        let near = &near[..near.len().min(MARKED_AT_ONCE)];
        for (at, marked) in self.scans.marks_of(near) {
            self.marks.put(&self.scans, at, marked);
        }
        let known = work.renumbered.len();
        let marks = self.scans.marks_of(near);
        self.points.remark(marks, &mut work.renumbered);
        for old in &work.renumbered[known..] {
            (old.old_first..old.old_first + old.old_count).for_each(|id| self.lists.clear(id));
        }
    }

    /// The cells from which diagonal steps lead to a cell near a change.
    fn note_near(&self, work: &mut Derivation, at: usize) {
        let at = work.touched.near[at];
        if self.scans.is_passable(at) {
            work.affected.extend(self.points.marked(at));
            let diagonals = Direction::ALL.into_iter().filter(|d| d.is_diagonal());
            work.looks.extend(diagonals.map(|d| (at, d)));
        }
    }

    /// Points with new numbers, and where those are that have edges to them.
    fn note_renumbered(&self, work: &mut Derivation, at: usize) -> u64 {
        let mut spent = LOOK;
        for id in self.points.numbers(work.renumbered[at].word) {
            work.affected.add(id);
            let at = self.points.point(id);
            for arrival in self.points.arrivals(&self.scans, id) {
                if arrival.is_diagonal() {
                    work.looks.push((at, arrival));
                } else {
                    work.pieces.push(self.piece(at, arrival));
                }
                spent += LOOK;
            }
        }
        spent
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

/// The search for points whose edges have changed: bits are right already.
#[derive(Clone, Debug, Default)]
pub(super) struct Derivation {
    pub(super) is_under_way: bool,
    stage: Stage,
    /// How many items of the stage have been seen to.
    at: usize,
    touched: Touched,
    renumbered: Vec<Renumbered>,
    /// Cells to look behind along a diagonal.
    looks: Vec<(Point, Direction)>,
    /// Cells to look for walks that turn into them.
    pieces: Vec<Piece>,
    affected: Affected,
}

/// What a derivation is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Marks points near the change again.
    #[default]
    Marks,
    /// Notes what to look behind: cells near the change, rays that end elsewhere, points with new numbers.
    Near,
    Rays,
    Renumbered,
    /// Finds the points whose edges change: all of them, or by looks and pieces.
    All,
    Looks,
    Pieces,
    /// Drops the edges of all these, and finds them again.
    Clear,
    Edges,
}

/// Points near a change that are marked again at once.
const MARKED_AT_ONCE: usize = 8;
/// Numbers that a changed cell makes about necessary: those of the words of marks round it.
const NUMBERS_A_CELL: usize = 16;

impl Derivation {
    fn begin(&mut self, touched: Touched, number_bound: usize) {
        (self.is_under_way, self.stage, self.at) = (true, Stage::Marks, 0);
        self.touched = touched;
        self.renumbered.clear();
        self.looks.clear();
        self.pieces.clear();
        self.affected.ids.clear();
        self.affected.make_room(number_bound);
    }

    fn reserve(&mut self, cells: usize, number_bound: usize) {
        let numbers = NUMBERS_A_CELL * cells;
        self.renumbered.reserve(9 * cells);
        self.looks.reserve(4 * 9 * cells + numbers);
        self.pieces.reserve(9 * cells + 4 * numbers);
        self.affected.ids.reserve(number_bound + numbers);
        self.affected
            .seen
            .reserve((number_bound + numbers).div_ceil(64));
    }

    /// Of pieces that begin at the same halt the longest holds all others. On wide open ground with few points, lines seen from
    /// everywhere are longer to look along than all edges are to find.
    fn arrange_pieces(&mut self, graph: &JumpGraph) -> Stage {
        self.pieces.sort_unstable_by(|a, b| b.cmp(a));
        self.pieces
            .dedup_by(|a, b| (a.straight, a.halt) == (b.straight, b.halt));
        let cells: u64 = self.pieces.iter().map(|p| u64::from(p.length)).sum();
        let looks = self.looks.len() as u64 + 2 * cells;
        match looks * LOOK > graph.points.len() as u64 * EDGES {
            true => Stage::All,
            false => Stage::Looks,
        }
    }
}

/// Points whose edges must be found again, each once.
#[derive(Clone, Debug, Default)]
struct Affected {
    ids: Vec<u32>,
    seen: Vec<u64>,
}

impl Affected {
    fn make_room(&mut self, number_bound: usize) {
        let words = number_bound.div_ceil(64);
        if self.seen.len() < words {
            self.seen.resize(words, 0);
        }
    }

    fn add(&mut self, id: u32) {
        // Numbers may be larger than when the repair began.
        self.make_room(id as usize + 1);
        let (word, mask) = (id as usize / 64, 1u64 << (id % 64));
        if self.seen[word] & mask == 0 {
            self.seen[word] |= mask;
            self.ids.push(id);
        }
    }

    fn extend(&mut self, ids: impl IntoIterator<Item = u32>) {
        ids.into_iter().for_each(|id| self.add(id));
    }

    /// The id at a place, which can be added again.
    fn take(&mut self, at: usize) -> u32 {
        let id = self.ids[at];
        self.seen[id as usize / 64] &= !(1 << (id % 64));
        id
    }
}
