//! Places for labels: rectangles that keep clear of each other.

use super::{BOTTOM, LABEL_HEIGHT, LEFT, RIGHT, TOP};

/// A rectangle in the picture.
#[derive(Clone, Copy)]
pub(super) struct Box4 {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Box4 {
    pub fn around(x: f64, y: f64, half_width: f64, half_height: f64) -> Box4 {
        Box4 {
            left: x - half_width,
            right: x + half_width,
            top: y - half_height,
            bottom: y + half_height,
        }
    }

    pub fn touches(&self, other: &Box4) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub fn inside(&self) -> bool {
        self.left >= LEFT && self.right <= RIGHT && self.top >= TOP && self.bottom <= BOTTOM
    }
}

/// Places for a label, the nearest first, and whether a line must show where it belongs.
pub(super) fn spots(x: f64, y: f64, width: f64) -> impl Iterator<Item = (Box4, bool)> {
    let rings = [0.0, 12.0, 26.0, 42.0, 60.0, 84.0, 110.0];
    rings.into_iter().flat_map(move |out| {
        let (dx, dy) = (width / 2.0 + 8.0 + out, LABEL_HEIGHT / 2.0 + 8.0 + out);
        let flat = LABEL_HEIGHT / 2.0;
        [
            (dx, 0.0),
            (-dx, 0.0),
            (0.0, -dy),
            (0.0, dy),
            (dx, -dy),
            (dx, dy),
            (-dx, -dy),
            (-dx, dy),
        ]
        .map(move |(dx, dy)| (Box4::around(x + dx, y + dy, width / 2.0, flat), out > 0.0))
    })
}
