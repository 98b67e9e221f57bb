//! A town: districts, each with its own direction and size of street grid, avenues between them, blocks of houses with
//! courtyards and alleys, parks with trees, squares, and a river crossed by bridges.
//!
//! Every cell is decided on its own from its district and the block it falls into. Directions are Pythagorean (3-4-5 and
//! such), so that turned coordinates are exact integers.

use super::noise::{Field, TOP};
use crate::grid::Grid;
use crate::rng::Rng;

/// `(cos, sin, divisor)` of the directions of street grids.
const TURNS: [(i64, i64, i64); 7] = [
    (1, 0, 1),
    (24, 7, 25),
    (15, 8, 17),
    (4, 3, 5),
    (4, -3, 5),
    (12, -5, 13),
    (24, -7, 25),
];

/// Positions inside blocks are in these parts of a cell, so that slanted walls are smooth.
const FINE: i64 = 4;

struct District {
    x: i64,
    y: i64,
    turn: (i64, i64, i64),
    /// Pitch of the street grid in both directions, in cells.
    pitch: (i64, i64),
    street: i64,
    seed: u64,
}

/// What stands on a block.
#[derive(Clone, Copy)]
enum Block {
    Solid,
    Courtyard,
    Houses,
    Park,
    Square,
}

struct River {
    is_vertical: bool,
    middle: i64,
    half_width: i64,
    swing: i64,
    bends: Vec<i32>,
}

pub(super) fn draw(grid: &mut Grid, rng: &mut Rng) {
    let (width, height) = (grid.width(), grid.height());
    let districts = districts(width, height, rng);
    let river = river(width, height, rng);
    let avenue = i64::from(width.min(height) / 60).clamp(1, 8);
    let mut bits = vec![0u64; (width as usize).div_ceil(64)];
    for y in 0..height {
        bits.fill(0);
        for x in 0..width {
            let (px, py) = (i64::from(x), i64::from(y));
            let (district, margin) = nearest(&districts, px, py);
            let is_avenue = margin < avenue;
            let passable = match river.as_ref().map(|river| river.depth(px, py)) {
                Some(depth) if depth > 0 => is_avenue || river_bridge(&districts[district], px, py),
                Some(depth) if depth > -2 * avenue => true,
                _ => is_avenue || districts[district].is_free(px, py),
            };
            bits[x as usize / 64] |= u64::from(passable) << (x % 64);
        }
        grid.set_row_bits(y, &bits);
    }
}

fn districts(width: u32, height: u32, rng: &mut Rng) -> Vec<District> {
    let side = width.min(height);
    let count = (u64::from(width) * u64::from(height) / 40_000).clamp(1, 24) as u32;
    let largest = i64::from(side / 5).clamp(6, 64);
    (0..count + 2)
        .map(|_| {
            let pitch = |rng: &mut Rng| i64::from(rng.between(largest as u32 / 2, largest as u32));
            let pitch = (pitch(rng), pitch(rng));
            District {
                x: i64::from(rng.below(width)),
                y: i64::from(rng.below(height)),
                turn: TURNS[rng.below(TURNS.len() as u32) as usize],
                pitch,
                street: (pitch.0.min(pitch.1) / 6).clamp(1, 6),
                seed: rng.next_u64(),
            }
        })
        .collect()
}

/// The district of a point, and about how many cells the border to the next is away.
fn nearest(districts: &[District], x: i64, y: i64) -> (usize, i64) {
    let (mut best, mut second) = ((i64::MAX, 0), (i64::MAX, 0));
    for (i, district) in districts.iter().enumerate() {
        let square = (district.x - x).pow(2) + (district.y - y).pow(2);
        if square < best.0 {
            second = best;
            best = (square, i);
        } else if square < second.0 {
            second = (square, i);
        }
    }
    let (a, b) = (&districts[best.1], &districts[second.1]);
    let apart = ((a.x - b.x).pow(2) + (a.y - b.y).pow(2))
        .unsigned_abs()
        .isqrt() as i64;
    (best.1, (second.0 - best.0) / (2 * apart.max(1)))
}

impl District {
    /// The block of a point and the place in it, in parts of a cell, from the block's corner.
    fn locate(&self, x: i64, y: i64) -> ((i64, i64), (i64, i64)) {
        let (cos, sin, divisor) = self.turn;
        let (dx, dy) = (x - self.x, y - self.y);
        let u = (cos * dx + sin * dy) * FINE / divisor;
        let v = (cos * dy - sin * dx) * FINE / divisor;
        let (pu, pv) = (self.pitch.0 * FINE, self.pitch.1 * FINE);
        let block = (u.div_euclid(pu), v.div_euclid(pv));
        (block, (u.rem_euclid(pu), v.rem_euclid(pv)))
    }

    fn is_free(&self, x: i64, y: i64) -> bool {
        let ((bx, by), (u, v)) = self.locate(x, y);
        let street = self.street * FINE;
        if u < street || v < street {
            return true;
        }
        let item = (bx as u64) << 32 ^ (by as u64 & 0xffff_ffff);
        let mut rng = Rng::for_item(self.seed, item);
        let block = match rng.below(20) {
            0..7 => Block::Houses,
            7..13 => Block::Courtyard,
            13..17 => Block::Solid,
            17..19 => Block::Park,
            _ => Block::Square,
        };
        let size = (self.pitch.0 * FINE - street, self.pitch.1 * FINE - street);
        block.is_free((u - street, v - street), size, &mut rng)
    }
}

impl Block {
    /// Whether one may walk at a place inside the block.
    fn is_free(self, at: (i64, i64), size: (i64, i64), rng: &mut Rng) -> bool {
        let (u, v) = at;
        let edge = u.min(v).min(size.0 - 1 - u).min(size.1 - 1 - v);
        match self {
            Block::Solid => {
                // A corner of the house is missing.
                let notch = (
                    i64::from(rng.below(size.0 as u32 / 2 + 1)),
                    i64::from(rng.below(size.1 as u32 / 2 + 1)),
                );
                let (flip_u, flip_v) = (rng.percent(50), rng.percent(50));
                let u = if flip_u { size.0 - 1 - u } else { u };
                let v = if flip_v { size.1 - 1 - v } else { v };
                u < notch.0 && v < notch.1
            }
            Block::Courtyard => {
                let depth = size.0.min(size.1) / 4;
                let gate = (depth / 2).max(2 * FINE);
                let at_gate = if rng.percent(50) {
                    (u - size.0 / 2).abs() < gate / 2 && v < size.1 / 2
                } else {
                    (v - size.1 / 2).abs() < gate / 2 && u < size.0 / 2
                };
                edge >= depth || at_gate
            }
            Block::Houses => {
                // Plots of two or three by two, alleys between them, some of them empty.
                let columns = i64::from(rng.between(2, 3));
                let plot = (size.0 / columns, size.1 / 2);
                let (i, j) = (
                    (u / plot.0.max(1)).min(columns - 1),
                    (v / plot.1.max(1)).min(1),
                );
                let alley = FINE + FINE / 2;
                let is_alley =
                    i > 0 && u % plot.0.max(1) < alley || j > 0 && v % plot.1.max(1) < alley;
                let empty = rng.below(8) as i64;
                is_alley || i * 2 + j == empty
            }
            Block::Park => {
                // Trees stand on a loose grid.
                let pitch = 5 * FINE;
                let tree = Rng::for_item(rng.next_u64(), ((u / pitch) * 1000 + v / pitch) as u64);
                let mut tree = tree;
                let (tu, tv) = (i64::from(tree.below(16)), i64::from(tree.below(16)));
                let near = |a: i64, b: i64| (0..FINE + 2).contains(&(a % pitch - b));
                !(tree.percent(55) && near(u, tu) && near(v, tv)) || edge < FINE
            }
            Block::Square => {
                // A monument in the middle.
                let (du, dv) = ((u - size.0 / 2).abs(), (v - size.1 / 2).abs());
                du + dv > size.0.min(size.1) / 6
            }
        }
    }
}

fn river(width: u32, height: u32, rng: &mut Rng) -> Option<River> {
    if width.min(height) < 96 || rng.percent(35) {
        return None;
    }
    let is_vertical = rng.percent(50);
    let (along, across) = if is_vertical {
        (height, width)
    } else {
        (width, height)
    };
    let mut bends = vec![0; along as usize];
    let pitch = (along / 3).max(8);
    Field::new(rng.next_u64(), pitch).add_row(0, TOP * 8 / 10, &mut bends);
    Field::new(rng.next_u64(), pitch / 4).add_row(0, TOP * 2 / 10, &mut bends);
    Some(River {
        is_vertical,
        middle: i64::from(rng.between(across * 3 / 10, across * 7 / 10)),
        half_width: i64::from(across / 34).max(3),
        swing: i64::from(across) / 3,
        bends,
    })
}

impl River {
    /// How deep in the river a point lies, in cells from the bank; negative on land.
    fn depth(&self, x: i64, y: i64) -> i64 {
        let (along, across) = if self.is_vertical { (y, x) } else { (x, y) };
        let bend = i64::from(self.bends[along as usize]) - i64::from(TOP / 2);
        let middle = self.middle + bend * self.swing / i64::from(TOP);
        self.half_width - (across - middle).abs()
    }
}

/// Every fourth street of a district goes over the river.
fn river_bridge(district: &District, x: i64, y: i64) -> bool {
    let ((bx, by), (u, v)) = district.locate(x, y);
    let street = district.street * FINE;
    bx.rem_euclid(4) == 0 && u < street || by.rem_euclid(4) == 0 && v < street
}
