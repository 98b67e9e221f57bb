//! Units larger than a cell: where a square of `size` x `size` cells, named by its top left cell, has room.
//!
//! The places are a grid of their own, the map *eroded*: every search and index works on it unchanged. Its moves are those of
//! the unit under the same corner rule. A straight move covers the cells of its two places and no others. A diagonal move from
//! `(x, y)` to `(x + 1, y + 1)` also passes over `(x + size, y)` and `(x, y + size)`, one at each side: the place `(x + 1, y)`
//! is free exactly where the first of them is, since its other cells belong to the two ends of the move, and `(x, y + 1)` where
//! the second is. So what the rule asks of the two places beside the move is what it asks of the two cells that the square
//! passes over.

use super::{Cell, ChangeSet, Grid, GridPatch, Point};

/// The largest unit.
pub const MAX_SIZE: u32 = 64;

impl Grid {
    /// Where a unit of `size` x `size` cells has room. A few operations a word for each doubling of the size.
    pub fn eroded(&self, size: u32) -> Grid {
        let words_per_row = self.words_per_row();
        let mut words = self.words().to_vec();
        for row in words.chunks_exact_mut(words_per_row) {
            doublings(size, |step| and_shifted(row, step as usize));
        }
        doublings(size, |step| {
            let below = step as usize * words_per_row;
            for at in 0..words.len() {
                words[at] &= words.get(at + below).copied().unwrap_or(0);
            }
        });
        let mut eroded = self.clone();
        eroded.replace_words(words);
        eroded
    }

    /// What a change of this grid changes where units of a size have room: at most this many columns and rows more than the change
    /// itself. `eroded` is as it was before.
    pub(crate) fn eroded_patch(&self, eroded: &Grid, changes: &ChangeSet, size: u32) -> GridPatch {
        let mut patch = GridPatch::new();
        for &cell in changes.blocked.iter().chain(&changes.opened) {
            let at = self.point(cell);
            for y in at.y.saturating_sub(size - 1)..=at.y {
                for x in at.x.saturating_sub(size - 1)..=at.x {
                    let place = Point { x, y };
                    let fits = self.has_room(place, size);
                    if fits == eroded.passable_cell(place).is_some() {
                        continue;
                    }
                    patch.set(place, fits);
                }
            }
        }
        patch
    }

    /// Whether all cells that a unit covers at a place are free.
    pub fn has_room(&self, place: Point, size: u32) -> bool {
        let (Some(last_x), Some(last_y)) =
            (place.x.checked_add(size - 1), place.y.checked_add(size - 1))
        else {
            return false;
        };
        if last_x >= self.width() || last_y >= self.height() {
            return false;
        }
        (place.y..=last_y).all(|y| self.row_is_free(y, place.x, last_x))
    }

    /// Are the cells of a row from `x` to `last` free? All are inside the map.
    fn row_is_free(&self, y: u32, x: u32, last: u32) -> bool {
        let row = (y + 1) * self.stride() + 1;
        (x..=last).all(|x| self.is_passable(Cell(row + x)))
    }
}

/// Calls `widen` with steps whose sum is one less than the size, none larger than all before it and one.
fn doublings(size: u32, mut widen: impl FnMut(u32)) {
    let mut covered = 1;
    while covered < size {
        let step = covered.min(size - covered);
        widen(step);
        covered += step;
    }
}

/// Keeps the bits whose neighbour `step` further on is set too.
fn and_shifted(row: &mut [u64], step: usize) {
    let (words, bits) = (step / 64, step % 64);
    let word = |row: &[u64], at: usize| row.get(at).copied().unwrap_or(0);
    for at in 0..row.len() {
        let low = word(row, at + words) >> bits;
        let high = match bits {
            0 => 0,
            _ => word(row, at + words + 1) << (64 - bits),
        };
        row[at] &= low | high;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn random_grid(rng: &mut Rng, percent: u32) -> Grid {
        let (width, height) = (1 + rng.below(200), 1 + rng.below(30));
        Grid::from_fn(width, height, |_| !rng.percent(percent)).expect("a legal size")
    }

    #[test]
    fn erosion_leaves_the_places_with_room() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let density = rng.below(25);
            let grid = random_grid(&mut rng, density);
            for size in [1, 2, 3, 4, 5, 7, 8, 13, 64] {
                let by_definition = Grid::from_fn(grid.width(), grid.height(), |p| {
                    let cells = (0..size).flat_map(|dy| (0..size).map(move |dx| (dx, dy)));
                    let mut cells = cells.map(|(dx, dy)| Point {
                        x: p.x + dx,
                        y: p.y + dy,
                    });
                    cells.all(|cell| grid.passable_cell(cell).is_some())
                });
                let eroded = grid.eroded(size);
                assert_eq!(Ok(&eroded), by_definition.as_ref(), "seed {seed}, {size}");
            }
        }
    }

    #[test]
    fn patches_repair_it() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let mut grid = random_grid(&mut rng, 12);
            let size = 1 + rng.below(5);
            let mut eroded = grid.eroded(size);
            for _ in 0..10 {
                let mut patch = GridPatch::new();
                for _ in 0..1 + rng.below(6) {
                    let at = Point {
                        x: rng.below(grid.width()),
                        y: rng.below(grid.height()),
                    };
                    patch.set(at, rng.percent(50));
                }
                let changes = grid.apply(&patch);
                let repair = grid.eroded_patch(&eroded, &changes, size);
                eroded.apply(&repair);
                assert_eq!(eroded.words(), grid.eroded(size).words(), "seed {seed}");
            }
        }
    }
}
