//! Each walker's own stream of goals, so that methods can be compared: whoever arrives sooner draws sooner, and nobody else's
//! goals change.

use waypost::grid::Cell;
use waypost::rng::Rng;
use waypost::{Map, Space};

/// Draws for a goal that can be reached before it is given up.
const DRAWS: u32 = 1000;

/// The goals of one walker, one after the other: a function of the seed and the walker's number alone.
#[derive(Clone, Debug)]
pub struct Goals {
    rng: Rng,
}

impl Goals {
    /// The stream of a walker.
    pub fn new(seed: u64, walker: usize) -> Goals {
        Goals {
            rng: Rng::for_item(seed ^ 0x60a1, walker as u64),
        }
    }

    /// The next goal that can be reached from a cell; goals that cannot, and the cell itself, are skipped.
    pub fn next(&mut self, map: &Map, cells: &[Cell], from: Cell) -> Option<Cell> {
        (0..DRAWS)
            .map(|_| cells[self.rng.below(cells.len() as u32) as usize])
            .find(|&goal| goal != from && map.connected(from, goal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::grid::{Grid, GridPatch, MoveRules, Point};

    #[test]
    fn a_stream_skips_what_cannot_be_reached_and_is_the_same_otherwise() {
        let grid = Grid::from_fn(20, 20, |_| true).expect("a legal size");
        let mut map = Map::new(grid, MoveRules::default());
        let cells: Vec<Cell> = map.grid().cells().collect();
        let draw = |map: &Map, seed, walker| {
            let mut goals = Goals::new(seed, walker);
            let goals = (0..50).map(|_| goals.next(map, &cells, cells[0]));
            goals.map(|goal| goal.expect("an open map")).collect()
        };
        let before: Vec<Cell> = draw(&map, 3, 7);
        assert_ne!(before, draw(&map, 3, 8));
        assert_ne!(before, draw(&map, 4, 7));
        // A wall across the middle: what lies behind it is left out, and nothing else changes.
        let mut patch = GridPatch::new();
        (0..20).for_each(|y| patch.set(Point { x: 10, y }, false));
        map.apply(&patch);
        let near = |cell: &Cell| map.grid().point(*cell).x < 10;
        let kept: Vec<Cell> = before.into_iter().filter(near).collect();
        let after: Vec<Cell> = draw(&map, 3, 7);
        assert!(kept.len() > 10 && after.starts_with(&kept));
    }
}
