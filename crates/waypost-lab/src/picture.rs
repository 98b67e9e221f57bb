//! Pictures of maps: walls, the cells that searches touched, paths. Small maps are drawn large enough to be seen, large ones
//! small enough.

use image::{ExtendedColorType, ImageEncoder, ImageError, Rgb, RgbImage};
use waypost::Map;
use waypost::grid::{Cell, Grid, Point};
use waypost::rng::Rng;

/// Small maps grow to at most this many pixels on their longer side.
const GROW_TO: u32 = 1000;
/// Large maps shrink to at most this many.
const SHRINK_TO: u32 = 1600;

const WALL: Rgb<u8> = Rgb([44, 52, 64]);
const FLOOR: Rgb<u8> = Rgb([243, 239, 230]);
/// Ground that costs less than its length, and ground that costs most.
const ROAD: Rgb<u8> = Rgb([222, 190, 130]);
const DEAR: Rgb<u8> = Rgb([104, 148, 112]);
const SEARCHED_FIRST: Rgb<u8> = Rgb([140, 200, 225]);
const SEARCHED_LAST: Rgb<u8> = Rgb([70, 130, 190]);
const START: Rgb<u8> = Rgb([38, 140, 80]);
const GOAL: Rgb<u8> = Rgb([190, 30, 45]);
const OUTLINE: Rgb<u8> = Rgb([255, 255, 255]);
/// Colours of paths, in the order that they are drawn.
pub const PATHS: [Rgb<u8>; 6] = [
    Rgb([225, 75, 40]),
    Rgb([120, 60, 170]),
    Rgb([20, 140, 130]),
    Rgb([205, 140, 20]),
    Rgb([60, 80, 200]),
    Rgb([150, 40, 100]),
];

/// How many pixels a cell takes, or how many cells a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Up(u32),
    Down(u32),
}

/// A picture of a map that can be drawn on.
#[derive(Clone)]
pub struct Picture<'a> {
    grid: &'a Grid,
    /// Cells along a side of the unit whose places the grid has.
    unit: u32,
    scale: Scale,
    image: RgbImage,
}

impl<'a> Picture<'a> {
    /// The walls and floors of a map. Where one pixel stands for many cells, it shows their mixture.
    pub fn of(grid: &'a Grid) -> Picture<'a> {
        Picture::fitted(grid, 1, GROW_TO, SHRINK_TO)
    }

    /// The same with the ground of a map in colours, greener where it costs more, and drawn to the scale of its unit: floor is what
    /// the unit covers anywhere, and paths run through its middle.
    pub fn of_map(map: &'a Map) -> Picture<'a> {
        let mut picture = Picture::fitted(map.grid(), map.unit_size(), GROW_TO, SHRINK_TO);
        let Some(ground) = map.ground() else {
            return picture;
        };
        let cells = map.grid().cells();
        let dearest = cells
            .map(|cell| ground.hundredths(cell))
            .max()
            .unwrap_or(100);
        for cell in map.grid().cells() {
            let factor = ground.hundredths(cell) as f32 / 100.0;
            let colour = match factor {
                ..1.0 => mix(FLOOR, ROAD, (-factor.ln()).min(1.0)),
                _ => mix(
                    FLOOR,
                    DEAR,
                    factor.ln() / (dearest as f32 / 100.0).ln().max(0.01),
                ),
            };
            picture.fill(cell, colour);
        }
        picture
    }

    /// The same with at most so many pixels on the longer side.
    pub fn small(grid: &'a Grid, side: u32) -> Picture<'a> {
        Picture::fitted(grid, 1, side, side)
    }

    fn fitted(grid: &'a Grid, unit: u32, grow_to: u32, shrink_to: u32) -> Picture<'a> {
        let longer = grid.width().max(grid.height());
        let scale = if longer > shrink_to {
            Scale::Down(longer.div_ceil(shrink_to))
        } else {
            Scale::Up((grow_to / longer).clamp(1, 24))
        };
        let (width, height) = match scale {
            Scale::Up(by) => (grid.width() * by, grid.height() * by),
            Scale::Down(by) => (grid.width().div_ceil(by), grid.height().div_ceil(by)),
        };
        let mut picture = Picture {
            grid,
            unit,
            scale,
            image: RgbImage::from_pixel(width, height, WALL),
        };
        picture.draw_floor();
        picture
    }

    fn draw_floor(&mut self) {
        let (width, height) = self.image.dimensions();
        let grid = self.grid;
        let reach = self.unit - 1;
        let passable = |x: u32, y: u32| {
            let ys = y.saturating_sub(reach)..=y;
            let mut places = ys.flat_map(|y| (x.saturating_sub(reach)..=x).map(move |x| (x, y)));
            places.any(|(x, y)| grid.passable_cell(Point { x, y }).is_some())
        };
        for py in 0..height {
            for px in 0..width {
                let share = match self.scale {
                    Scale::Up(by) => f32::from(u8::from(passable(px / by, py / by))),
                    Scale::Down(by) => {
                        let xs = px * by..(px * by + by).min(grid.width());
                        let ys = py * by..(py * by + by).min(grid.height());
                        let cells = (xs.len() * ys.len()) as f32;
                        let open = ys
                            .flat_map(|y| xs.clone().map(move |x| (x, y)))
                            .filter(|&(x, y)| passable(x, y))
                            .count();
                        open as f32 / cells
                    }
                };
                self.image.put_pixel(px, py, mix(WALL, FLOOR, share));
            }
        }
    }

    /// Colours the cells that a search expanded, the later the darker.
    pub fn searched(&mut self, cells: &[Cell]) {
        let last = cells.len().max(2) as f32 - 1.0;
        for (i, &cell) in cells.iter().enumerate() {
            let colour = mix(SEARCHED_FIRST, SEARCHED_LAST, i as f32 / last);
            self.fill(cell, colour);
        }
    }

    /// Draws a path as a line through the middles of its cells, in the colour with this number. Each colour is shifted by
    /// the width of a line, so that paths of several colours over the same cells are all seen.
    pub fn path(&mut self, cells: &[Cell], colour: usize) {
        let number = colour % PATHS.len();
        let colour = PATHS[number];
        let radius = self.line_radius();
        let shift = number as i64 * 2 * radius;
        for (radius, colour) in [(radius + 1, OUTLINE), (radius, colour)] {
            for step in cells.windows(2) {
                let (from, to) = (self.middle(step[0]), self.middle(step[1]));
                let steps = (from.0 - to.0).abs().max((from.1 - to.1).abs()).max(1);
                for i in 0..=steps {
                    let x = from.0 + (to.0 - from.0) * i / steps;
                    let y = from.1 + (to.1 - from.1) * i / steps;
                    self.disc(x + shift, y - shift, radius, colour);
                }
            }
        }
    }

    /// Marks start and goal; a large unit as the square that it covers.
    pub fn ends(&mut self, from: Cell, goal: Cell) {
        let radius = self.line_radius() * 2 + 2;
        for (cell, colour) in [(from, START), (goal, GOAL)] {
            if let (Scale::Up(by), 2..) = (self.scale, self.unit) {
                let (x, y) = self.corner(cell);
                let side = self.unit * by;
                for at in 0..side {
                    for (dx, dy) in [(at, 0), (at, side - 1), (0, at), (side - 1, at)] {
                        self.dot(i64::from(x + dx), i64::from(y + dy), colour);
                    }
                }
            }
            let (x, y) = self.middle(cell);
            self.disc(x, y, radius + 2, OUTLINE);
            self.disc(x, y, radius, colour);
        }
    }

    /// Colours the cells of each numbered part (a region, a component) alike; parts get clearly different colours.
    pub fn parts(&mut self, part_of: impl Fn(Cell) -> Option<u32>) {
        let grid = self.grid;
        for cell in grid.cells() {
            let Some(part) = part_of(cell) else { continue };
            let mut rng = Rng::for_item(17, u64::from(part));
            let mut channel = || 110 + rng.below(130) as u8;
            let colour = Rgb([channel(), channel(), channel()]);
            self.fill(cell, colour);
        }
    }

    /// Draws walkers as dots, each in the colour of its number.
    pub fn walkers(&mut self, cells: impl Iterator<Item = (usize, Cell)>) {
        let radius = self.line_radius();
        for (number, cell) in cells {
            let (x, y) = self.middle(cell);
            self.disc(x, y, radius, PATHS[number % PATHS.len()]);
        }
    }

    /// The pixels.
    pub fn image(&self) -> &RgbImage {
        &self.image
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Vec::new();
        image::codecs::png::PngEncoder::new_with_quality(
            &mut bytes,
            image::codecs::png::CompressionType::Best,
            image::codecs::png::FilterType::Adaptive,
        )
        .write_image(
            self.image.as_raw(),
            self.image.width(),
            self.image.height(),
            ExtendedColorType::Rgb8,
        )?;
        Ok(bytes)
    }

    fn line_radius(&self) -> i64 {
        match self.scale {
            Scale::Up(by) => i64::from(by / 5).max(1),
            Scale::Down(_) => 1,
        }
    }

    /// The top left pixel of a cell.
    fn corner(&self, cell: Cell) -> (u32, u32) {
        let point = self.grid.point(cell);
        match self.scale {
            Scale::Up(by) => (point.x * by, point.y * by),
            Scale::Down(by) => (point.x / by, point.y / by),
        }
    }

    fn middle(&self, cell: Cell) -> (i64, i64) {
        let (x, y) = self.corner(cell);
        // The middle of the unit.
        let half = match self.scale {
            Scale::Up(by) => i64::from(self.unit * by / 2),
            Scale::Down(by) => i64::from(self.unit / 2 / by),
        };
        (i64::from(x) + half, i64::from(y) + half)
    }

    fn fill(&mut self, cell: Cell, colour: Rgb<u8>) {
        let (x, y) = self.corner(cell);
        let side = match self.scale {
            Scale::Up(by) => by,
            Scale::Down(_) => 1,
        };
        for py in y..y + side {
            for px in x..x + side {
                self.dot(i64::from(px), i64::from(py), colour);
            }
        }
    }

    fn disc(&mut self, x: i64, y: i64, radius: i64, colour: Rgb<u8>) {
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                if dx * dx + dy * dy <= radius * radius + radius / 2 {
                    self.dot(x + dx, y + dy, colour);
                }
            }
        }
    }

    fn dot(&mut self, x: i64, y: i64, colour: Rgb<u8>) {
        let (width, height) = self.image.dimensions();
        if (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y) {
            self.image.put_pixel(x as u32, y as u32, colour);
        }
    }
}

fn mix(from: Rgb<u8>, to: Rgb<u8>, share: f32) -> Rgb<u8> {
    let channel = |i: usize| {
        let (a, b) = (f32::from(from.0[i]), f32::from(to.0[i]));
        (a + (b - a) * share.clamp(0.0, 1.0)).round() as u8
    };
    Rgb([channel(0), channel(1), channel(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: u32, height: u32) -> (u32, u32) {
        let grid = Grid::from_fn(width, height, |_| true).expect("a legal size");
        Picture::of(&grid).image.dimensions()
    }

    #[test]
    fn pictures_can_be_seen_whatever_the_size_of_the_map() {
        assert_eq!(size(1, 1), (24, 24));
        assert_eq!(size(50, 20), (1000, 400));
        assert_eq!(size(1600, 3), (1600, 3));
        assert_eq!(size(5000, 3000), (1250, 750));
        assert_eq!(size(65_535, 1), (1599, 1));
    }

    #[test]
    fn what_is_drawn_is_there() {
        let grid = Grid::from_fn(10, 10, |p| p.x != 5).expect("a legal size");
        let mut picture = Picture::of(&grid);
        let cell = |x, y| grid.cell(Point { x, y }).expect("inside");
        picture.searched(&[cell(1, 1)]);
        picture.path(&[cell(2, 2), cell(3, 3)], 0);
        let middle = |x: u32, y: u32| *picture.image.get_pixel(x * 24 + 12, y * 24 + 12);
        assert_eq!(middle(5, 0), WALL);
        assert_eq!(middle(8, 8), FLOOR);
        assert_eq!(middle(1, 1), SEARCHED_FIRST);
        assert_eq!(middle(2, 2), PATHS[0]);
        assert_eq!(&picture.to_png().expect("a PNG")[1..4], b"PNG");
    }
}
