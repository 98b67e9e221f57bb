//! Draws random cells of a component, or of the whole map, every one equally likely.

use crate::grid::Cell;
use crate::map::Map;
use crate::rng::Rng;

/// Words of the bitmap per count.
const SPAN: usize = 8;

/// A set of cells that can be drawn from: one bit a cell and a count every 512.
#[derive(Clone, Debug)]
pub(super) struct CellSampler {
    words: Vec<u64>,
    /// Members before each span of words, and after all.
    before: Vec<u32>,
}

impl CellSampler {
    /// The passable cells of a map; of its largest component alone where `largest` is set.
    pub fn new(map: &Map, largest: bool) -> CellSampler {
        let mut words = map.grid().words().to_vec();
        let components = map.components();
        if let (true, Some(wanted)) = (largest && components.count() > 1, components.largest()) {
            for (i, word) in words.iter_mut().enumerate() {
                let mut rest = *word;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    if components.of(Cell(i as u32 * 64 + bit)) != Some(wanted) {
                        *word &= !(1 << bit);
                    }
                }
            }
        }
        let mut before = vec![0];
        let mut total = 0;
        for span in words.chunks(SPAN) {
            total += span.iter().map(|word| word.count_ones()).sum::<u32>();
            before.push(total);
        }
        CellSampler { words, before }
    }

    /// How many cells there are to draw from.
    pub fn len(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }

    /// All of them, in the order of ids.
    pub fn all(&self) -> Vec<Cell> {
        (0..self.len()).filter_map(|i| self.member(i)).collect()
    }

    /// A random cell; `None` where there is none.
    pub fn draw(&self, rng: &mut Rng) -> Option<Cell> {
        self.member(rng.below(self.len()))
    }

    /// The cell with a number, in the order of ids.
    fn member(&self, number: u32) -> Option<Cell> {
        let span = self.before.partition_point(|&before| before <= number) - 1;
        let mut left = number - self.before[span];
        for (i, &word) in self.words.iter().enumerate().skip(span * SPAN).take(SPAN) {
            if left < word.count_ones() {
                let mut rest = word;
                (0..left).for_each(|_| rest &= rest - 1);
                return Some(Cell(i as u32 * 64 + rest.trailing_zeros()));
            }
            left -= word.count_ones();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, MoveRules};

    #[test]
    fn every_member_is_drawn_and_nothing_else() {
        let grid = Grid::from_fn(90, 30, |p| p.x != 60 && (p.x * 7 + p.y * 3) % 5 != 0);
        let map = Map::new(grid.expect("a legal size"), MoveRules::default());
        let components = map.components();
        for largest in [false, true] {
            let expected: Vec<Cell> = map
                .grid()
                .cells()
                .filter(|&cell| !largest || components.of(cell) == components.largest())
                .collect();
            let sampler = CellSampler::new(&map, largest);
            assert_eq!(sampler.all(), expected);
            assert_eq!(sampler.member(sampler.len()), None);
        }
    }

    #[test]
    fn a_map_of_walls_has_nothing_to_draw() {
        let grid = Grid::blocked(5, 5).expect("a legal size");
        let map = Map::new(grid, MoveRules::default());
        assert_eq!(CellSampler::new(&map, true).draw(&mut Rng::new(1)), None);
    }
}
