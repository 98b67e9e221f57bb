//! Films of crowds: the map at a size that fits a page, each agent a dot of its own colour.

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, ImageError, Rgba, RgbaImage};
use waypost::grid::{Cell, Grid, Point};

/// The longest side of a film, in pixels.
const SIDE: u32 = 640;
/// About how many frames a film has at most.
const FRAMES: u64 = 150;

const FLOOR: [u8; 3] = [238, 236, 228];
const WALL: [u8; 3] = [92, 96, 104];
/// Apart from each other for most eyes, and from the floor.
const COLOURS: [[u8; 3]; 8] = [
    [214, 39, 40],
    [31, 119, 180],
    [44, 140, 44],
    [148, 103, 189],
    [230, 110, 10],
    [23, 160, 175],
    [140, 86, 75],
    [200, 60, 150],
];

/// A run as pictures.
pub struct Film {
    base: RgbaImage,
    /// Pixels of a cell's side, or, where that is 1, cells of a pixel's side.
    enlarged: u32,
    reduced: u32,
    every: u64,
    frames: Vec<Frame>,
}

impl Film {
    /// A film of a run of so many ticks.
    pub fn new(grid: &Grid, ticks: u64) -> Film {
        let longer = grid.width().max(grid.height()).max(1);
        let (enlarged, reduced) = ((SIDE / longer).clamp(1, 16), longer.div_ceil(SIDE));
        let size = |side: u32| (side * enlarged).div_ceil(reduced).max(1);
        let mut film = Film {
            base: RgbaImage::new(size(grid.width()), size(grid.height())),
            enlarged,
            reduced,
            every: ticks.div_ceil(FRAMES).max(1),
            frames: Vec::new(),
        };
        film.show_map(grid);
        film
    }

    /// Draws the map as it is now.
    pub fn show_map(&mut self, grid: &Grid) {
        let (enlarged, reduced) = (self.enlarged, self.reduced);
        for (x, y, pixel) in self.base.enumerate_pixels_mut() {
            // A few cells stand for all that a pixel covers.
            let step = reduced.div_ceil(4);
            let (mut open, mut all) = (0u32, 0u32);
            for dy in (0..reduced).step_by(step as usize) {
                for dx in (0..reduced).step_by(step as usize) {
                    let point = Point {
                        x: x / enlarged * reduced + dx,
                        y: y / enlarged * reduced + dy,
                    };
                    open += u32::from(grid.passable_cell(point).is_some());
                    all += 1;
                }
            }
            let mix = |i: usize| {
                let (floor, wall) = (u32::from(FLOOR[i]), u32::from(WALL[i]));
                ((floor * open + wall * (all - open)) / all) as u8
            };
            *pixel = Rgba([mix(0), mix(1), mix(2), 255]);
        }
    }

    /// Is a tick in the film?
    pub fn wants(&self, tick: u64) -> bool {
        tick.is_multiple_of(self.every)
    }

    /// Adds a picture of agents, each with its number and place.
    pub fn shoot(&mut self, grid: &Grid, agents: impl Iterator<Item = (usize, Cell)>) {
        let mut picture = self.base.clone();
        let dot = self.enlarged.max(2);
        for (number, cell) in agents {
            let at = grid.point(cell);
            let [r, g, b] = COLOURS[number % COLOURS.len()];
            let corner = |v: u32| v * self.enlarged / self.reduced;
            for (dx, dy) in (0..dot).flat_map(|dy| (0..dot).map(move |dx| (dx, dy))) {
                let (x, y) = (corner(at.x) + dx, corner(at.y) + dy);
                if x < picture.width() && y < picture.height() {
                    picture.put_pixel(x, y, Rgba([r, g, b, 255]));
                }
            }
        }
        let delay = Delay::from_numer_denom_ms(80, 1);
        self.frames.push(Frame::from_parts(picture, 0, 0, delay));
    }

    /// The film as an animated GIF that repeats.
    pub fn to_gif(self) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Vec::new();
        let mut encoder = GifEncoder::new_with_speed(&mut bytes, 20);
        encoder.set_repeat(Repeat::Infinite)?;
        encoder.encode_frames(self.frames)?;
        drop(encoder);
        Ok(bytes)
    }
}
