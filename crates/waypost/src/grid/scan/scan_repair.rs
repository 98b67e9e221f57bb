//! Repair of scans after a change of the map.

use super::bits::{bit, next_set, previous_set, put_bit};
use super::build::{DIAGONALS, STRAIGHTS, stops_diagonals};
use super::{Direction, Grid, Lines, Point, Scans, lines_of, moved};
use crate::grid::{Cell, ChangeSet};

/// What a repair of scans has found to be different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The changed cells and their neighbours on the map, walls included, each once: where moves and stops may be others.
    pub near: Vec<Point>,
    /// Passable cells of `near` and straight directions: a scan in that direction that comes to the cell ends at another stop
    /// than before, or no longer at one.
    pub rays: Vec<(Point, Direction)>,
    /// How many more cells are passable now; less than nothing where there are fewer.
    pub more_passable: i64,
}

/// Cells of a line from which scans end at a stop now, or no longer do.
#[derive(Clone, Copy, Debug)]
struct Flip {
    /// The cell after the first of them, in the direction of the scans.
    at: Point,
    straight: Direction,
    hit: bool,
    /// How many of them, and how many have been seen to.
    cells: u32,
    done: u32,
}

/// A repair of scans that can be carried out a slice at a time.
///
/// Moves and stops depend on the eight cells around, so only those near a change are looked at again. Whether a
/// diagonal cell leads to a stop depends on its row and column: a scan is the same before and after up to the first
/// cell near a change, so it ends elsewhere only where scans that begin at that cell do. From each such cell its line is
/// followed back to the halt before. The result equals a new build bit for bit; the work grows with the
/// length of those pieces of lines, and they are what is sliced: until all are done the planes must not be asked.
///
/// Where nobody knows what has changed, or that is much, the whole map is compared with the planes, word by word, and what differs is
/// repaired in portions.
#[derive(Clone, Debug, Default)]
pub struct ScanRepair {
    /// Cells that have changed and not been looked at yet.
    queued: Vec<Cell>,
    /// Words of the map that are still to be compared: the last so many.
    unseen: usize,
    /// Those that are looked at now.
    changed: Vec<Cell>,
    stage: Stage,
    /// How many cells of the stage have been seen to.
    at: usize,
    touched: Touched,
    /// One bit per cell id: the cells of `touched.near`.
    is_near: Vec<u64>,
    /// For each of them where scans that came to it ended before.
    before: Vec<[Option<Point>; 4]>,
    flips: Vec<Flip>,
}

/// What a repair of scans is busy with, one stage after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Idle,
    /// Finds the cells near the changes.
    Near,
    /// Looks where scans that come to them end.
    Before,
    /// Puts the walls.
    Walls,
    /// Brings up to date what depends on the cells around.
    Local,
    /// Looks where scans end now.
    After,
    /// Follows lines back from where they end elsewhere.
    Flips,
}

impl Stage {
    /// Operations for one cell.
    const fn cost(self) -> u64 {
        match self {
            Stage::Idle | Stage::Walls | Stage::Flips => 1,
            Stage::Near | Stage::Before | Stage::Local => 2,
            Stage::After => 4,
        }
    }

    const fn next(self) -> Stage {
        match self {
            Stage::Idle => Stage::Near,
            Stage::Near => Stage::Before,
            Stage::Before => Stage::Walls,
            Stage::Walls => Stage::Local,
            Stage::Local => Stage::After,
            Stage::After => Stage::Flips,
            Stage::Flips => Stage::Idle,
        }
    }
}

impl ScanRepair {
    /// How many cells of a flip are an operation: each costs a fraction of what an expansion does.
    const CELLS_PER_OPERATION: u32 = 4;

    /// How many words of the map are compared in an operation.
    const WORDS_PER_OPERATION: u64 = 8;

    /// Cells that may be queued; where more have changed all words are compared.
    const MAX_QUEUED: usize = 256;

    /// How many more cells may be queued.
    pub fn room(&self) -> usize {
        Self::MAX_QUEUED.saturating_sub(self.queued.len())
    }

    /// How many cells are repaired together in a slice of this many operations: the more, the less is done twice, but a part of what they take
    /// cannot be cut.
    pub fn portion(operations: u64) -> usize {
        usize::try_from(operations / 64).map_or(usize::MAX, |cells| cells.max(64))
    }

    /// The map has changed.
    pub fn queue(&mut self, changes: &ChangeSet) {
        let changed = changes.blocked.iter().chain(&changes.opened);
        self.queued.extend(changed);
    }

    /// The map may have changed anywhere.
    pub(crate) fn queue_all(&mut self, scans: &Scans) {
        self.queued.clear();
        self.unseen = scans.row_walls.len();
    }

    /// Whether there is nothing to do.
    pub fn is_done(&self) -> bool {
        self.queued.is_empty() && self.unseen == 0 && self.stage == Stage::Idle
    }

    /// Compares words of the map with the planes until a portion of cells that differ is found.
    fn compare_words(&mut self, scans: &Scans, grid: &Grid, operations: &mut u64, portion: usize) {
        let words = scans.row_walls.len();
        let affordable = operations.saturating_mul(Self::WORDS_PER_OPERATION);
        let mut left = affordable.min(self.unseen as u64);
        let compared = left;
        while left > 0 && self.queued.len() < portion {
            left -= 1;
            let at = words - self.unseen;
            self.unseen -= 1;
            let mut differs = !(grid.words()[at] ^ scans.row_walls[at]);
            while differs != 0 {
                let cell = Cell((at * 64) as u32 + differs.trailing_zeros());
                self.queued.push(cell);
                differs &= differs - 1;
            }
        }
        let spent = (compared - left).div_ceil(Self::WORDS_PER_OPERATION);
        *operations = operations.saturating_sub(spent);
    }

    /// Makes room for repairs of this many changed cells at once.
    pub fn reserve(&mut self, scans: &Scans, cells: usize) {
        let near = 9 * cells;
        self.queued.reserve(cells);
        self.changed.reserve(cells);
        self.before.reserve(near);
        self.flips.reserve(near);
        self.touched.near.reserve(near);
        self.touched.rays.reserve(near);
        self.is_near.resize(scans.row_walls.len(), 0);
    }

    /// Goes on for about this many operations, which are counted down; tells what is different once the planes are right for a portion of
    /// what was queued. `grid` is the map with all changes so far: those that were queued after the repair of a portion had begun are left
    /// for another.
    pub fn advance(
        &mut self,
        scans: &mut Scans,
        grid: &Grid,
        operations: &mut u64,
        portion: usize,
    ) -> Option<Touched> {
        if self.stage == Stage::Idle {
            if self.queued.is_empty() {
                self.compare_words(scans, grid, operations, portion);
                if self.queued.is_empty() && self.unseen > 0 {
                    return None;
                }
            }
            self.begin(scans, grid, portion);
        }
        while self.stage != Stage::Flips {
            while self.at < self.cells_of_stage() {
                if *operations == 0 {
                    return None;
                }
                self.see_to(scans, grid);
                self.at += 1;
                *operations = operations.saturating_sub(self.stage.cost());
            }
            (self.stage, self.at) = (self.stage.next(), 0);
        }
        while let Some(flip) = self.flips.last_mut() {
            let affordable = operations.saturating_mul(Self::CELLS_PER_OPERATION.into());
            let cells = affordable.min(u64::from(flip.cells - flip.done)) as u32;
            scans.put_hits(flip, cells);
            flip.done += cells;
            let spent = cells.div_ceil(Self::CELLS_PER_OPERATION);
            *operations = operations.saturating_sub(spent.into());
            if flip.done < flip.cells {
                return None;
            }
            self.flips.pop();
        }
        self.stage = Stage::Idle;
        Some(std::mem::take(&mut self.touched))
    }

    /// Takes the memory of what it has told back.
    pub(crate) fn give_back(&mut self, touched: Touched) {
        self.touched = touched;
    }

    fn begin(&mut self, scans: &Scans, grid: &Grid, portion: usize) {
        let first = self.queued.len().saturating_sub(portion);
        self.changed.clear();
        self.changed.extend(self.queued.drain(first..));
        // Cells may have changed more than once since they were queued.
        self.changed
            .retain(|&cell| scans.is_passable(grid.point(cell)) != grid.is_passable(cell));
        self.touched.near.clear();
        self.touched.rays.clear();
        self.touched.more_passable = 0;
        self.before.clear();
        self.is_near.resize(scans.row_walls.len(), 0);
        (self.stage, self.at) = (Stage::Near, 0);
    }

    fn cells_of_stage(&self) -> usize {
        match self.stage {
            Stage::Near | Stage::Walls => self.changed.len(),
            _ => self.touched.near.len(),
        }
    }

    /// Sees to the next cell of a stage.
    fn see_to(&mut self, scans: &mut Scans, grid: &Grid) {
        match self.stage {
            Stage::Near => self.note_near(grid, self.changed[self.at]),
            Stage::Before => self
                .before
                .push(scans.scan_ends(self.touched.near[self.at])),
            Stage::Walls => {
                let (cell, now) = (
                    self.changed[self.at],
                    grid.is_passable(self.changed[self.at]),
                );
                let at = grid.point(cell);
                let before = scans.is_passable(at);
                self.touched.more_passable += i64::from(now) - i64::from(before);
                scans.put_wall(at, !now);
            }
            Stage::Local => scans.refresh_local(self.touched.near[self.at]),
            Stage::After => self.compare(scans, grid),
            Stage::Idle | Stage::Flips => {}
        }
    }

    /// Notes a changed cell and its neighbours on the map, each once.
    fn note_near(&mut self, grid: &Grid, changed: Cell) {
        let at = grid.point(changed);
        let around = Direction::ALL.map(|d| moved(at, d, 1));
        for point in around.into_iter().chain([at]) {
            if let Some(cell) = grid.cell(point)
                && !bit(&self.is_near, cell.0 as usize)
            {
                put_bit(&mut self.is_near, cell.0 as usize, true);
                self.touched.near.push(point);
            }
        }
    }

    /// Looks where scans that come to the next cell end now, and what depends on that.
    fn compare(&mut self, scans: &mut Scans, grid: &Grid) {
        let (at, before) = (self.touched.near[self.at], self.before[self.at]);
        if let Some(cell) = grid.cell(at) {
            put_bit(&mut self.is_near, cell.0 as usize, false);
        }
        scans.refresh_hits(at);
        if !scans.is_passable(at) {
            return;
        }
        let now = scans.scan_ends(at);
        for straight in STRAIGHTS.map(Direction::from_number) {
            let number = straight as usize / 2;
            let (before, now) = (before[number], now[number]);
            if before != now {
                self.touched.rays.push((at, straight));
            }
            if before.is_some() == now.is_some() {
                continue;
            }
            let flip = Flip {
                at,
                straight,
                hit: now.is_some(),
                cells: scans.cells_behind(at, straight),
                done: 0,
            };
            self.flips.extend((flip.cells > 0).then_some(flip));
        }
    }
}

impl Scans {
    /// Brings the planes up to date with a grid that `changes` have been made to, and tells what is different: a
    /// [`ScanRepair`] in one go.
    pub fn repair(&mut self, grid: &Grid, changes: &ChangeSet) -> Touched {
        let mut repair = ScanRepair::default();
        repair.queue(changes);
        let mut unlimited = u64::MAX;
        let touched = repair.advance(self, grid, &mut unlimited, usize::MAX);
        touched.unwrap_or_default()
    }

    fn put_wall(&mut self, at: Point, wall: bool) {
        put_bit(&mut self.row_walls, self.shape.row_bit(at), wall);
        put_bit(&mut self.column_walls, self.shape.column_bit(at), wall);
    }

    /// By straight direction: the stop where a scan ends that comes to this cell, which may be the cell itself.
    fn scan_ends(&self, at: Point) -> [Option<Point>; 4] {
        let wall = !self.is_passable(at);
        STRAIGHTS.map(Direction::from_number).map(|d| {
            if wall {
                return None;
            }
            if bit(&self.halts[d as usize / 2], self.halt_bit(at, d)) {
                return Some(at);
            }
            let jump = self.jump(at, d);
            jump.stop.then(|| moved(at, d, jump.steps))
        })
    }

    /// How many cells lie behind this one from which a scan in a straight direction comes to it: those up to the halt
    /// before, which is one of them unless it is a wall.
    pub(crate) fn cells_behind(&self, at: Point, straight: Direction) -> u32 {
        let halts = &self.halts[straight as usize / 2];
        let here = self.halt_bit(at, straight);
        let halt = if straight.dx() + straight.dy() > 0 {
            previous_set(halts, here - 1)
        } else {
            next_set(halts, here + 1)
        };
        let walls = if straight.dy() == 0 {
            &self.row_walls
        } else {
            &self.column_walls
        };
        halt.abs_diff(here) as u32 - u32::from(bit(walls, halt))
    }

    /// Scans from the next cells of a flip now end at a stop, or no longer do. Two diagonals have the direction at their side;
    /// from cell to cell the bit moves to the next line of the diagonal's plane, and round the map's edge.
    fn put_hits(&mut self, flip: &Flip, cells: u32) {
        let back = flip.straight.opposite();
        let first = moved(flip.at, back, flip.done + 1);
        let line_bits = self.shape.line_words as isize * 64;
        let all_bits = self.shape.cycle as isize * line_bits;
        for (diagonal, side) in at_side(flip.straight) {
            let lines = match lines_of(diagonal) {
                Some(Lines::Falling) => back.dx() - back.dy(),
                _ => back.dx() + back.dy(),
            };
            let step = lines as isize * line_bits + back.dy() as isize;
            let mut position = self.halt_bit(first, diagonal) as isize;
            let plane = &mut self.hits[diagonal as usize / 2][side];
            for _ in 0..cells {
                put_bit(plane, position as usize, flip.hit);
                position += step;
                if position >= all_bits {
                    position -= all_bits;
                } else if position < 0 {
                    position += all_bits;
                }
            }
        }
    }

    /// What depends on the eight cells around: legal diagonals, halts and stops.
    fn refresh_local(&mut self, at: Point) {
        let wall = bit(&self.row_walls, self.shape.row_bit(at));
        let around = self.around(at);
        for (d, lines) in [
            (Direction::SouthEast, Lines::Falling),
            (Direction::SouthWest, Lines::Rising),
        ] {
            let illegal = wall || around.legal(self.corners, d) & 1 == 0;
            let position = self.shape.bit(lines, at);
            match lines {
                Lines::Falling => put_bit(&mut self.falling_walls, position, illegal),
                _ => put_bit(&mut self.rising_walls, position, illegal),
            }
        }
        for d in STRAIGHTS.map(Direction::from_number) {
            let halt = wall || around.stops(self.kind, self.corners, d) & 1 != 0;
            let position = self.halt_bit(at, d);
            put_bit(&mut self.halts[d as usize / 2], position, halt);
        }
        if stops_diagonals(self.kind, self.corners) {
            for d in DIAGONALS.map(Direction::from_number) {
                let stop = wall || around.stops(self.kind, self.corners, d) & 1 != 0;
                let position = self.halt_bit(at, d);
                put_bit(&mut self.diagonal_stops[d as usize / 2], position, stop);
            }
        }
    }

    /// From which diagonals a scan to the side ends at a stop.
    fn refresh_hits(&mut self, at: Point) {
        let passable = self.is_passable(at);
        for d in STRAIGHTS.map(Direction::from_number) {
            let hit = passable && self.jump(at, d).stop;
            self.put_hit(at, d, hit);
        }
    }

    /// Whether a scan in a straight direction from here ends at a stop.
    fn put_hit(&mut self, at: Point, straight: Direction, hit: bool) {
        for (diagonal, side) in at_side(straight) {
            let position = self.halt_bit(at, diagonal);
            put_bit(&mut self.hits[diagonal as usize / 2][side], position, hit);
        }
    }

    pub(super) fn halt_bit(&self, at: Point, direction: Direction) -> usize {
        match lines_of(direction) {
            None => self.shape.row_bit(at),
            Some(lines) => self.shape.bit(lines, at),
        }
    }
}

/// The two diagonals that have a straight direction at their side, with that side.
fn at_side(straight: Direction) -> [(Direction, usize); 2] {
    // The straight direction is left of the diagonal after it and right of the one before.
    [(1, 0), (7, 1)].map(|(turn, side)| (Direction::from_number((straight as u8 + turn) & 7), side))
}
