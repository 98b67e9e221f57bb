//! Caves: chambers where one smooth field is high, winding passages along the middle contour of another, smoothed by a
//! majority of neighbours, and tunnels from every chamber that is left alone to the largest.

use super::noise::{Field, TOP};
use crate::grid::{Components, Corners, Grid, Point};
use crate::rng::Rng;

/// Tunnels are looked for between this many cells of either end.
const SAMPLES: usize = 24;

pub(super) fn draw(grid: &mut Grid, rng: &mut Rng) {
    carve(grid, rng);
    smooth(grid);
    smooth(grid);
    join(grid, rng);
}

/// The first shape: two fields and a little roughness.
fn carve(grid: &mut Grid, rng: &mut Rng) {
    let (width, height) = (grid.width(), grid.height());
    let pitch = (width.max(height) / 9).clamp(10, 96);
    let mut chambers = Field::new(rng.next_u64(), pitch);
    let mut passages = Field::new(rng.next_u64(), pitch * 3 / 4);
    let mut detail = Field::new(rng.next_u64(), (pitch / 4).max(3));
    let mut grain = Field::new(rng.next_u64(), 3);
    let (mut chamber, mut passage) = (vec![0; width as usize], vec![0; width as usize]);
    let mut bits = vec![0u64; (width as usize).div_ceil(64)];
    for y in 0..height {
        chamber.fill(0);
        passage.fill(0);
        chambers.add_row(y, TOP * 7 / 10, &mut chamber);
        detail.add_row(y, TOP * 2 / 10, &mut chamber);
        grain.add_row(y, TOP / 10, &mut chamber);
        passages.add_row(y, TOP * 8 / 10, &mut passage);
        detail.add_row(y, TOP * 2 / 10, &mut passage);
        bits.fill(0);
        for x in 0..width as usize {
            let is_chamber = chamber[x] > TOP * 55 / 100;
            let is_passage = (passage[x] - TOP / 2).abs() < TOP / 22;
            bits[x / 64] |= u64::from(is_chamber || is_passage) << (x % 64);
        }
        grid.set_row_bits(y, &bits);
    }
}

/// A cell becomes what most of the nine cells around it are, 64 cells at a time.
fn smooth(grid: &mut Grid) {
    let words = grid.words_per_row();
    let old = grid.clone();
    let mut majority = vec![0u64; words];
    let mut shifted = vec![0u64; words];
    for y in 0..grid.height() {
        let here = (y as usize + 1) * words;
        for (i, word) in majority.iter_mut().enumerate() {
            let row = |start: usize| three_columns(&old.words()[start..start + words], i);
            let [a, b, c] = [row(here - words), row(here), row(here + words)];
            let (ones, carry) = add(a.0, b.0, c.0);
            let (twos, fours) = add(a.1, b.1, c.1);
            let (two, more) = (carry ^ twos, carry & twos);
            *word = (fours & more) | ((fours ^ more) & (two | ones));
        }
        // Rows of bits begin at column 0 of the map, rows of the grid at the border.
        for (i, word) in shifted.iter_mut().enumerate() {
            let next = majority.get(i + 1).copied().unwrap_or(0);
            *word = majority[i] >> 1 | next << 63;
        }
        grid.set_row_bits(y, &shifted);
    }
}

/// How many of a bit and its two neighbours in the row are set, as a bit of ones and a bit of twos.
fn three_columns(row: &[u64], i: usize) -> (u64, u64) {
    let before = if i > 0 { row[i - 1] >> 63 } else { 0 };
    let after = row.get(i + 1).map_or(0, |next| next << 63);
    add(row[i] << 1 | before, row[i], row[i] >> 1 | after)
}

fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, (a & b) | (c & (a ^ b)))
}

/// Digs tunnels from the larger separate caves to the largest one. Smaller ones stay for the caller to fill.
fn join(grid: &mut Grid, rng: &mut Rng) {
    let components = Components::find(grid, Corners::Never);
    let Some(largest) = components.largest() else {
        return;
    };
    let area = u64::from(grid.width()) * u64::from(grid.height());
    let least = (area / 4000).max(12);
    let samples = sample(grid, &components, least, rng);
    for component in 0..components.count() {
        if component as u32 == largest || samples[component].is_empty() {
            continue;
        }
        let near = |a: Point, b: Point| u64::from(a.x.abs_diff(b.x)) + u64::from(a.y.abs_diff(b.y));
        let ends = samples[component]
            .iter()
            .flat_map(|&from| samples[largest as usize].iter().map(move |&to| (from, to)))
            .min_by_key(|&(from, to)| (near(from, to), from, to));
        if let Some((from, to)) = ends {
            tunnel(grid, from, to, rng);
        }
    }
}

/// Some cells of every component with at least `least` cells, chosen evenly.
fn sample(grid: &Grid, components: &Components, least: u64, rng: &mut Rng) -> Vec<Vec<Point>> {
    let mut samples: Vec<Vec<Point>> = vec![Vec::new(); components.count()];
    let mut seen = vec![0u32; components.count()];
    for cell in grid.cells() {
        let Some(component) = components.of(cell) else {
            continue;
        };
        let index = component as usize;
        if components.size(component) < least {
            continue;
        }
        seen[index] += 1;
        if samples[index].len() < SAMPLES {
            samples[index].push(grid.point(cell));
        } else {
            let place = rng.below(seen[index]) as usize;
            if place < SAMPLES {
                samples[index][place] = grid.point(cell);
            }
        }
    }
    samples
}

/// Digs a passage three cells wide that wanders towards its end.
fn tunnel(grid: &mut Grid, from: Point, to: Point, rng: &mut Rng) {
    let mut at = from;
    let (dx, dy) = from.distances(to);
    // A third of the steps goes astray until the passage is four times as long as it need be.
    let mut wander = 4 * (dx + dy);
    while at != to {
        dig(grid, at);
        let (dx, dy) = at.distances(to);
        let along_x = rng.below(dx + dy) < dx;
        let astray = wander > 0 && rng.below(3) == 0;
        wander = wander.saturating_sub(1);
        let step = |from: u32, to: u32, back: bool, limit: u32| {
            let forward = if to == from {
                back
            } else {
                (to > from) != back
            };
            if forward {
                (from + 1).min(limit - 1)
            } else {
                from.saturating_sub(1)
            }
        };
        if along_x != astray {
            at.x = step(at.x, to.x, astray && rng.percent(50), grid.width());
        } else {
            at.y = step(at.y, to.y, astray && rng.percent(50), grid.height());
        }
    }
    dig(grid, to);
}

fn dig(grid: &mut Grid, at: Point) {
    for y in at.y.saturating_sub(1)..=at.y + 1 {
        grid.set_run(y, at.x.saturating_sub(1)..at.x + 2, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_takes_the_majority_of_nine() {
        for width in [5, 63, 64, 65, 130] {
            let mut rng = Rng::new(u64::from(width));
            let old = Grid::from_fn(width, 9, |_| rng.percent(50)).expect("a legal size");
            let mut grid = old.clone();
            smooth(&mut grid);
            let expected = Grid::from_fn(width, 9, |p| {
                let around = (p.y + 9 - 1..=p.y + 9 + 1)
                    .flat_map(|y| (p.x + 9 - 1..=p.x + 9 + 1).map(move |x| (x, y)))
                    .filter(|&(x, y)| x >= 9 && y >= 9)
                    .filter(|&(x, y)| old.passable_cell(Point { x: x - 9, y: y - 9 }).is_some());
                around.count() >= 5
            });
            assert_eq!(Ok(grid), expected, "width {width}");
        }
    }
}
