//! What identifies a map: a hash of its size and of which cells are passable.
//!
//! The hash is a sum over words of bits, so a change of a few cells changes it by the terms of their words: a map in use
//! keeps it in step with every patch ([`crate::Map::fingerprint`]), and a map that is changed back has the one it had.

use super::{Cell, Grid};

impl Grid {
    /// Identifies the grid: depends on the size and on which cells are passable, not on how it came to be.
    pub fn fingerprint(&self) -> u64 {
        fingerprint_of(self.width, self.height, self.words.iter().copied())
    }

    /// What a fingerprint gains when these cells, in the order of ids and all different, have just been turned over. With doors:
    /// the fingerprint of the grid in which all of these are open.
    pub(crate) fn fingerprint_change(&self, cells: &[Cell], doors: Option<&Grid>) -> u64 {
        let words = cells.chunk_by(|a, b| a.0 >> 6 == b.0 >> 6);
        words.fold(0, |change: u64, group| {
            let at = (group[0].0 >> 6) as usize;
            let turned = group
                .iter()
                .fold(0, |mask, cell| mask | 1u64 << (cell.0 & 63));
            let (now, open) = (self.words[at], doors.map_or(0, |doors| doors.words[at]));
            change
                .wrapping_add(term(at, now | open))
                .wrapping_sub(term(at, (now ^ turned) | open))
        })
    }
}

/// What identifies a grid of this size whose rows of bits are these words.
pub(crate) fn fingerprint_of(width: u32, height: u32, words: impl Iterator<Item = u64>) -> u64 {
    let size = mix(u64::from(width) << 32 | u64::from(height));
    words
        .enumerate()
        .fold(size, |sum, (at, word)| sum.wrapping_add(term(at, word)))
}

/// A word's part; walls alone have none, so that padding does not matter.
fn term(at: usize, word: u64) -> u64 {
    if word == 0 {
        0
    } else {
        mix(mix(at as u64) ^ word)
    }
}

/// Spreads every bit over all others (the finaliser of SplitMix64, Steele, Lea and Flood 2014).
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use crate::grid::{Grid, GridPatch, MoveRules, Point};
    use crate::map::Map;

    #[test]
    fn a_map_in_use_keeps_the_fingerprint_of_its_grid() {
        let grid = Grid::from_fn(130, 9, |p| (p.x * 7 + p.y) % 5 != 0).expect("a legal size");
        let mut map = Map::new(grid, MoveRules::default());
        let before = map.fingerprint();
        for (x, y) in [(1, 1), (64, 0), (129, 8), (1, 1), (63, 4), (64, 4)] {
            let mut patch = GridPatch::new();
            let free = map.passable_cell(Point { x, y }).is_some();
            patch.set(Point { x, y }, !free);
            map.apply(&patch);
            assert_eq!(map.fingerprint(), map.grid().fingerprint());
        }
        let net = map.changes_since(before).expect("all of it is remembered");
        let mut back = GridPatch::new();
        net.blocked.iter().for_each(|&cell| {
            back.set(map.grid().point(cell), true);
        });
        net.opened.iter().for_each(|&cell| {
            back.set(map.grid().point(cell), false);
        });
        map.apply(&back);
        assert_eq!(map.fingerprint(), before);
    }

    #[test]
    fn grids_of_other_sizes_differ() {
        let grid = |w, h| Grid::blocked(w, h).expect("a legal size").fingerprint();
        assert_ne!(grid(3, 4), grid(4, 3));
    }
}
