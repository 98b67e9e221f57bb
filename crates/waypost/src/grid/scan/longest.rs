//! The longest walk in one direction: what bounds a scan.

use super::Scans;

impl Scans {
    /// The most legal steps in one direction from any cell.
    pub fn longest_run(&self) -> u32 {
        let (row, line) = (self.shape.row_words, self.shape.line_words);
        let planes = [
            (&self.row_walls, row, 1),
            (&self.column_walls, line, 1),
            // These mark the cells whose next step is illegal: the last cell of a run is one of them.
            (&self.falling_walls, line, 0),
            (&self.rising_walls, line, 0),
        ];
        let steps = planes.map(|(walls, words, last)| {
            let longest = walls.chunks_exact(words).map(longest_gap).max();
            longest.unwrap_or(0).saturating_sub(last)
        });
        steps.into_iter().max().unwrap_or(0) as u32
    }
}

/// The longest stretch of unset bits between set ones; what comes after the last of these is no part of the map.
fn longest_gap(line: &[u64]) -> u64 {
    let (mut longest, mut gap) = (0, 0);
    for &word in line {
        if word == 0 {
            gap += 64;
            continue;
        }
        longest = longest.max(gap + u64::from(word.trailing_zeros()));
        gap = u64::from(word.leading_zeros());
        if longest < 62 {
            longest = longest.max(longest_gap_within(word));
        }
    }
    longest
}

/// The same between the set bits of a word.
fn longest_gap_within(mut word: u64) -> u64 {
    let mut longest = 0;
    word >>= word.trailing_zeros();
    while word > 1 {
        word >>= 1;
        let gap = word.trailing_zeros();
        longest = longest.max(u64::from(gap));
        word >>= gap;
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::scan::StopAt;
    use crate::grid::{Corners, Direction, Grid, Point};

    #[test]
    fn no_run_is_longer_and_one_is_as_long() {
        let mut rng = crate::rng::Rng::new(8);
        for (width, height, walls) in [(70, 9, 10), (9, 150, 4), (40, 40, 2), (300, 200, 200)] {
            let grid = Grid::from_fn(width, height, |_| rng.below(walls) > 0);
            let grid = grid.expect("a legal size");
            let scans = Scans::new(&grid, Corners::Never, StopAt::Corners);
            let points = (0..width * height).map(|i| Point {
                x: i % width,
                y: i / width,
            });
            let runs = points.filter(|&at| scans.is_passable(at)).flat_map(|at| {
                let scans = &scans;
                Direction::ALL.into_iter().map(move |d| scans.run(at, d))
            });
            assert_eq!(Some(scans.longest_run()), runs.max());
        }
    }

    #[test]
    fn gaps_within_a_word_are_found() {
        assert_eq!(longest_gap(&[0b1000_0100_0001 | 1 << 63]), 51);
        assert_eq!(longest_gap_within(0b1000_0100_0001), 5);
        assert_eq!(longest_gap(&[u64::MAX, 0, 1 << 5]), 69);
    }
}
