//! Pixels and simple shapes. What lies outside is left out.

use image::{Rgb, RgbImage};

/// A place in pixels; it may lie outside.
pub type Spot = (i64, i64);

/// An image to draw on.
#[derive(Clone)]
pub struct Canvas {
    /// The pixels.
    pub image: RgbImage,
}

impl Canvas {
    /// All of one colour.
    pub fn new(width: u32, height: u32, colour: Rgb<u8>) -> Canvas {
        Canvas {
            image: RgbImage::from_pixel(width, height, colour),
        }
    }

    /// One pixel.
    pub fn dot(&mut self, (x, y): Spot, colour: Rgb<u8>) {
        let (width, height) = self.image.dimensions();
        if (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y) {
            self.image.put_pixel(x as u32, y as u32, colour);
        }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, (x, y): Spot, (width, height): Spot, colour: Rgb<u8>) {
        for py in y..y + height {
            for px in x..x + width {
                self.dot((px, py), colour);
            }
        }
    }

    /// A filled circle.
    pub fn disc(&mut self, middle: Spot, radius: i64, colour: Rgb<u8>) {
        for spot in disc(middle, radius) {
            self.dot(spot, colour);
        }
    }

    /// A filled square on its corner.
    pub fn diamond(&mut self, (x, y): Spot, radius: i64, colour: Rgb<u8>) {
        for dy in -radius..=radius {
            let half = radius - dy.abs();
            self.rectangle((x - half, y + dy), (2 * half + 1, 1), colour);
        }
    }

    /// The outline of a square on its corner.
    pub fn hollow_diamond(&mut self, (x, y): Spot, radius: i64, colour: Rgb<u8>) {
        for dy in -radius..=radius {
            let half = radius - dy.abs();
            self.dot((x - half, y + dy), colour);
            self.dot((x + half, y + dy), colour);
        }
    }
}

/// The pixels of a circle.
pub fn disc((x, y): Spot, radius: i64) -> impl Iterator<Item = Spot> {
    let side = -radius..=radius;
    let places = side
        .clone()
        .flat_map(move |dy| side.clone().map(move |dx| (dx, dy)));
    let inside = move |(dx, dy): &Spot| dx * dx + dy * dy <= radius * radius + radius / 2;
    places.filter(inside).map(move |(dx, dy)| (x + dx, y + dy))
}

/// The pixels of a straight line from one place to another.
pub fn line(from: Spot, to: Spot) -> impl Iterator<Item = Spot> {
    let steps = (from.0 - to.0).abs().max((from.1 - to.1).abs()).max(1);
    (0..=steps).map(move |i| {
        (
            from.0 + (to.0 - from.0) * i / steps,
            from.1 + (to.1 - from.1) * i / steps,
        )
    })
}
