//! Mazes: a depth-first walk over a lattice of corridors, with some walls opened afterwards so that there are loops and
//! long ways round as well as dead ends.

use crate::grid::Grid;
use crate::rng::Rng;

/// One wall in this many is opened after the walk.
const LOOPS: u32 = 25;

/// The lattice of a maze: squares of `corridor` cells, walls of one cell between them.
struct Lattice {
    columns: u32,
    rows: u32,
    corridor: u32,
}

impl Lattice {
    fn neighbour(&self, node: u32, direction: u32) -> Option<u32> {
        let (x, y) = (node % self.columns, node / self.columns);
        match direction {
            0 => (x + 1 < self.columns).then(|| node + 1),
            1 => (y + 1 < self.rows).then(|| node + self.columns),
            2 => (x > 0).then(|| node - 1),
            _ => (y > 0).then(|| node - self.columns),
        }
    }

    /// Opens the squares of two neighbours and the wall between them; `a` is the left or upper one.
    fn open(&self, grid: &mut Grid, a: u32, b: u32) {
        let pitch = self.corridor + 1;
        let left = a % self.columns * pitch;
        let top = a / self.columns * pitch;
        // The last corridors reach to the edge of the map, however much is left there.
        let end = |place: u32, count: u32, side: u32| {
            if place + 1 == count {
                side
            } else {
                place * pitch + self.corridor
            }
        };
        let right = end(b % self.columns, self.columns, grid.width());
        let bottom = end(b / self.columns, self.rows, grid.height());
        for y in top..bottom {
            grid.set_run(y, left..right, true);
        }
    }
}

pub(super) fn draw(grid: &mut Grid, rng: &mut Rng) {
    let side = grid.width().min(grid.height());
    // Corridors of 1, 2, 4, 8 or 16 cells, and at least 12 of them across.
    let widest = (side / 12).max(1).ilog2().min(4);
    let corridor = 1 << rng.between(0, widest);
    let lattice = Lattice {
        columns: (grid.width() + 1).div_euclid(corridor + 1).max(1),
        rows: (grid.height() + 1).div_euclid(corridor + 1).max(1),
        corridor,
    };
    if grid.width() < 2 || grid.height() < 2 {
        for y in 0..grid.height() {
            grid.set_run(y, 0..grid.width(), true);
        }
        return;
    }
    walk(grid, &lattice, rng);
    for node in 0..lattice.columns * lattice.rows {
        for direction in 0..2 {
            if let Some(next) = lattice.neighbour(node, direction)
                && rng.below(LOOPS) == 0
            {
                lattice.open(grid, node, next);
            }
        }
    }
}

/// Visits every square once, each from a neighbour, and opens the way.
fn walk(grid: &mut Grid, lattice: &Lattice, rng: &mut Rng) {
    let count = lattice.columns * lattice.rows;
    let mut seen = vec![false; count as usize];
    let mut stack = vec![rng.below(count)];
    seen[stack[0] as usize] = true;
    lattice.open(grid, stack[0], stack[0]);
    let mut last = 0;
    while let Some(&node) = stack.last() {
        // Going on straight two times in five gives corridors instead of a scribble.
        let first = if rng.percent(40) { last } else { rng.below(4) };
        let turn = if rng.percent(50) { 1 } else { 3 };
        let next = (0..4)
            .map(|i| (first + i * turn) % 4)
            .find_map(|direction| {
                let next = lattice.neighbour(node, direction)?;
                (!seen[next as usize]).then_some((direction, next))
            });
        let Some((direction, next)) = next else {
            stack.pop();
            continue;
        };
        seen[next as usize] = true;
        lattice.open(grid, node.min(next), node.max(next));
        stack.push(next);
        last = direction;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Point;

    #[test]
    fn every_square_is_reached() {
        for seed in 0..20 {
            let mut grid = Grid::blocked(61, 45).expect("a legal size");
            draw(&mut grid, &mut Rng::new(seed));
            let open = |x, y| grid.passable_cell(Point { x, y }).is_some();
            assert!(open(0, 0) && open(60, 44));
            assert!(grid.passable_count() > 61 * 45 / 3);
        }
    }
}
