//! Larger copies of a map.

use crate::grid::{Grid, GridError};
use thiserror::Error;

/// Why a map could not be scaled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScaleError {
    /// The factor is 0.
    #[error("the factor is 0; expected at least 1")]
    ZeroFactor,
    /// The result would be too large.
    #[error("{width} x {height} cells times {factor}: {error}; use a smaller factor")]
    TooLarge {
        /// The map's width.
        width: u32,
        /// The map's height.
        height: u32,
        /// The factor asked for.
        factor: u32,
        /// The limit that it breaks.
        error: GridError,
    },
}

/// A map in which each cell has become `factor` x `factor` cells.
pub fn scale(grid: &Grid, factor: u32) -> Result<Grid, ScaleError> {
    if factor == 0 {
        return Err(ScaleError::ZeroFactor);
    }
    let (width, height) = (grid.width(), grid.height());
    let mut scaled = Grid::blocked(width.saturating_mul(factor), height.saturating_mul(factor))
        .map_err(|error| ScaleError::TooLarge {
            width,
            height,
            factor,
            error,
        })?;
    let mut row = vec![0u64; (scaled.width() as usize).div_ceil(64)];
    let words = grid.words_per_row();
    for y in 0..height {
        row.fill(0);
        let first = (y as usize + 1) * words;
        for (i, &word) in grid.words()[first..first + words].iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                // Column 0 of a row is the border, so a bit's column on the map is one less than its place.
                let x = i * 64 + rest.trailing_zeros() as usize - 1;
                rest &= rest - 1;
                set_bits(&mut row, x * factor as usize, factor as usize);
            }
        }
        for copy in 0..factor {
            scaled.set_row_bits(y * factor + copy, &row);
        }
    }
    Ok(scaled)
}

fn set_bits(row: &mut [u64], start: usize, count: usize) {
    for bit in start..start + count {
        row[bit / 64] |= 1 << (bit % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Point;

    #[test]
    fn each_cell_becomes_a_square() {
        for factor in [1, 2, 3, 7, 64] {
            for width in [1, 9, 63, 64, 65] {
                let grid = Grid::from_fn(width, 4, |p| (p.x * 7 + p.y * 3) % 5 < 2).expect("legal");
                let expected = Grid::from_fn(width * factor, 4 * factor, |p| {
                    let (x, y) = (p.x / factor, p.y / factor);
                    grid.passable_cell(Point { x, y }).is_some()
                });
                assert_eq!(
                    scale(&grid, factor).expect("legal"),
                    expected.expect("legal")
                );
            }
        }
    }

    #[test]
    fn factors_are_checked() {
        let grid = Grid::blocked(1000, 2).expect("a legal size");
        assert_eq!(scale(&grid, 0), Err(ScaleError::ZeroFactor));
        for factor in [66, u32::MAX] {
            assert!(matches!(
                scale(&grid, factor),
                Err(ScaleError::TooLarge { .. })
            ));
        }
    }
}
