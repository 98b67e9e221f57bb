//! Maps for tests, from a seed: plain shapes in which pathfinders go wrong. They are small and make no claim to beauty.

use crate::{TestMap, TestRng};

/// The kinds of test maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No wall at all.
    Field,
    /// Independent cells, 5 to 45% blocked.
    Noise,
    /// Smoothed noise: blobs and bays.
    Caves,
    /// Rectangles of rooms with one or two doors in each wall.
    Rooms,
    /// One corridor wound into a square.
    Spiral,
    /// One corridor laid to and fro.
    Serpentine,
    /// Corridors one cell wide, no loops.
    Maze,
    /// Single blocked cells and small blocks, spread out.
    Pillars,
    /// Long walls with single gaps.
    Bars,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 9] = [
        Shape::Field,
        Shape::Noise,
        Shape::Caves,
        Shape::Rooms,
        Shape::Spiral,
        Shape::Serpentine,
        Shape::Maze,
        Shape::Pillars,
        Shape::Bars,
    ];

    /// A map of this shape and size.
    pub fn make(self, width: u32, height: u32, rng: &mut TestRng) -> TestMap {
        match self {
            Shape::Field => TestMap::filled(width, height, true),
            Shape::Noise => {
                let percent = rng.between(5, 45);
                noise(width, height, percent, rng)
            }
            Shape::Caves => caves(width, height, rng),
            Shape::Rooms => rooms(width, height, rng),
            Shape::Spiral => spiral(width, height, rng),
            Shape::Serpentine => serpentine(width, height, rng),
            Shape::Maze => maze(width, height, rng),
            Shape::Pillars => pillars(width, height, rng),
            Shape::Bars => bars(width, height, rng),
        }
    }
}

/// A map of a random shape, `least` to `most` on a side. The same seed gives the same map.
pub fn any(seed: u64, least: u32, most: u32) -> TestMap {
    let mut rng = TestRng::new(seed);
    let shape = Shape::ALL[rng.below(Shape::ALL.len() as u32) as usize];
    let (width, height) = (rng.between(least, most), rng.between(least, most));
    shape.make(width, height, &mut rng)
}

/// Independent cells, `percent` of them blocked.
pub fn noise(width: u32, height: u32, percent: u32, rng: &mut TestRng) -> TestMap {
    let mut map = TestMap::filled(width, height, true);
    for y in 0..height {
        for x in 0..width {
            map.set(x, y, !rng.percent(percent));
        }
    }
    map
}

fn caves(width: u32, height: u32, rng: &mut TestRng) -> TestMap {
    let mut map = noise(width, height, 45, rng);
    for _ in 0..3 {
        let old = map.clone();
        for y in 0..height {
            for x in 0..width {
                let around = (-1..=1)
                    .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
                    .filter(|&(dx, dy)| old.is_open(i64::from(x) + dx, i64::from(y) + dy))
                    .count();
                map.set(x, y, around >= 5);
            }
        }
    }
    map
}

fn rooms(width: u32, height: u32, rng: &mut TestRng) -> TestMap {
    let mut map = TestMap::filled(width, height, true);
    let size = rng.between(3, 9);
    for x in (size..width).step_by(size as usize + 1) {
        map.set_rectangle(x, 0, 1, height, false);
    }
    for y in (size..height).step_by(size as usize + 1) {
        map.set_rectangle(0, y, width, 1, false);
    }
    for top in (0..height).step_by(size as usize + 1) {
        for left in (0..width).step_by(size as usize + 1) {
            for _ in 0..rng.between(0, 2) {
                map.set(left + size, top + rng.below(size), true);
                map.set(left + rng.below(size), top + size, true);
            }
        }
    }
    map
}

fn spiral(width: u32, height: u32, rng: &mut TestRng) -> TestMap {
    let mut map = TestMap::filled(width, height, true);
    let corridor = rng.between(1, 3);
    let pitch = corridor + 1;
    let (mut left, mut top) = (corridor, corridor);
    let (mut right, mut bottom) = (width.saturating_sub(pitch), height.saturating_sub(pitch));
    // Each turn is three sides of a square and the start of the fourth, one pitch further in.
    while left < right && top < bottom {
        map.set_rectangle(
            left.saturating_sub(corridor),
            top,
            right - left + 1 + corridor,
            1,
            false,
        );
        map.set_rectangle(right, top, 1, bottom - top + 1, false);
        map.set_rectangle(left, bottom, right - left + 1, 1, false);
        if bottom > top + pitch {
            map.set_rectangle(left, top + pitch, 1, bottom - top - pitch + 1, false);
        }
        left += pitch;
        top += pitch;
        right = right.saturating_sub(pitch);
        bottom = bottom.saturating_sub(pitch);
    }
    map
}

fn serpentine(width: u32, height: u32, rng: &mut TestRng) -> TestMap {
    let mut map = TestMap::filled(width, height, true);
    let pitch = rng.between(2, 5);
    for (number, y) in (pitch - 1..height).step_by(pitch as usize).enumerate() {
        map.set_rectangle(0, y, width, 1, false);
        let door = if number % 2 == 0 { width - 1 } else { 0 };
        map.set(door, y, true);
    }
    map
}

fn maze(width: u32, height: u32, rng: &mut TestRng) -> TestMap {
    let mut map = TestMap::filled(width, height, false);
    let mut stack = vec![(0u32, 0u32)];
    map.set(0, 0, true);
    while let Some(&(x, y)) = stack.last() {
        let (x, y) = (i64::from(x), i64::from(y));
        let ways: Vec<(i64, i64)> = [(2, 0), (-2, 0), (0, 2), (0, -2)]
            .into_iter()
            .filter(|&(dx, dy)| {
                let (nx, ny) = (x + dx, y + dy);
                nx >= 0
                    && ny >= 0
                    && nx < i64::from(width)
                    && ny < i64::from(height)
                    && !map.is_open(nx, ny)
            })
            .collect();
        if ways.is_empty() {
            stack.pop();
            continue;
        }
        let (dx, dy) = ways[rng.below(ways.len() as u32) as usize];
        map.set((x + dx / 2) as u32, (y + dy / 2) as u32, true);
        map.set((x + dx) as u32, (y + dy) as u32, true);
        stack.push(((x + dx) as u32, (y + dy) as u32));
    }
    map
}

fn pillars(width: u32, height: u32, rng: &mut TestRng) -> TestMap {
    let mut map = TestMap::filled(width, height, true);
    for _ in 0..width * height / 20 + 1 {
        let (x, y) = (rng.below(width), rng.below(height));
        let (w, h) = (rng.between(1, 3), rng.between(1, 3));
        map.set_rectangle(x, y, w, h, false);
    }
    map
}

fn bars(width: u32, height: u32, rng: &mut TestRng) -> TestMap {
    let mut map = TestMap::filled(width, height, true);
    for _ in 0..(width + height) / 8 + 1 {
        if rng.percent(50) {
            let y = rng.below(height);
            map.set_rectangle(0, y, width, 1, false);
            map.set(rng.below(width), y, true);
        } else {
            let x = rng.below(width);
            map.set_rectangle(x, 0, 1, height, false);
            map.set(x, rng.below(height), true);
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Corner, component_numbers};

    #[test]
    fn every_shape_can_be_made_in_every_small_size() {
        for shape in Shape::ALL {
            for side in 1..12 {
                let mut rng = TestRng::new(u64::from(side));
                let map = shape.make(side, 13 - side, &mut rng);
                assert_eq!((map.width(), map.height()), (side, 13 - side));
                assert_eq!(
                    map,
                    shape.make(side, 13 - side, &mut TestRng::new(u64::from(side)))
                );
            }
        }
    }

    #[test]
    fn corridors_are_one_piece_and_long() {
        for shape in [Shape::Spiral, Shape::Serpentine, Shape::Maze] {
            for seed in 0..20 {
                let map = shape.make(31, 25, &mut TestRng::new(seed));
                let pieces = component_numbers(&map, Corner::Never)
                    .into_iter()
                    .flatten()
                    .max();
                assert_eq!(pieces, Some(0), "{shape:?} of seed {seed}:\n{map}");
                assert!(map.open_cells().len() < 31 * 25 * 9 / 10);
            }
        }
    }
}
