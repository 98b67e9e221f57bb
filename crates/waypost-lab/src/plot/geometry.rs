//! Rectangles and lines in a picture, and how wide letters are.

use super::{BOTTOM, LEFT, RIGHT, TOP};

pub(super) type Spot = (f64, f64);
pub(super) type Segment = (Spot, Spot);

/// A rectangle in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
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

    /// The same with so much more on the left and on the right, and above and below.
    pub fn wider(self, by: f64, higher: f64) -> Box4 {
        Box4 {
            left: self.left - by,
            right: self.right + by,
            top: self.top - higher,
            bottom: self.bottom + higher,
        }
    }

    pub fn touches(&self, other: &Box4) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// How far a place is from the rectangle.
    pub fn distance(&self, (x, y): Spot) -> f64 {
        let dx = (self.left - x).max(x - self.right).max(0.0);
        let dy = (self.top - y).max(y - self.bottom).max(0.0);
        dx.hypot(dy)
    }

    /// The place of the rectangle that is nearest to another.
    pub fn nearest(&self, (x, y): Spot) -> Spot {
        (
            x.clamp(self.left, self.right),
            y.clamp(self.top, self.bottom),
        )
    }

    /// Does a line come into it?
    pub fn is_crossed_by(&self, (from, to): Segment) -> bool {
        // The part of the line, from 0 to 1, that is between the sides, then between top and bottom.
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        let sides = [
            (from.0, to.0 - from.0, self.left, self.right),
            (from.1, to.1 - from.1, self.top, self.bottom),
        ];
        for (begin, along, low, high) in sides {
            if along == 0.0 {
                if begin < low || begin > high {
                    return false;
                }
                continue;
            }
            let (a, b) = ((low - begin) / along, (high - begin) / along);
            first = first.max(a.min(b));
            last = last.min(a.max(b));
        }
        first <= last
    }

    /// Whether it is in the frame, clear of the strokes that break axes.
    pub fn inside(&self) -> bool {
        self.left >= LEFT + 5.0
            && self.right <= RIGHT
            && self.top >= TOP
            && self.bottom <= BOTTOM - 3.0
    }
}

/// Whether two lines have a point in common other than where both begin, or one ends at the other.
pub(super) fn cross(a: Segment, b: Segment) -> bool {
    let side = |(from, to): Segment, at: Spot| {
        (to.0 - from.0) * (at.1 - from.1) - (to.1 - from.1) * (at.0 - from.0)
    };
    let ends_at = |a: Segment, b: Segment| Box4::around(a.1.0, a.1.1, 3.0, 3.0).is_crossed_by(b);
    ends_at(a, b)
        || ends_at(b, a)
        || side(a, b.0) * side(a, b.1) < 0.0 && side(b, a.0) * side(b, a.1) < 0.0
}

/// How wide a text is in the letters of Helvetica, Arial and their kin, with room to spare: DejaVu, which many machines have
/// instead, is wider by a sixth.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | '\'' => 0.222,
        ' ' | 'f' | 't' | 'I' | '.' | ',' | ':' | ';' | '/' | '!' => 0.278,
        'r' | '(' | ')' | '-' => 0.333,
        '*' => 0.389,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 0.5,
        'a'..='z' if !matches!(letter, 'm' | 'w') => 0.556,
        '0'..='9' | 'L' => 0.556,
        '+' | '=' | '<' | '>' | '≥' | '≤' => 0.584,
        'F' | 'T' | 'Z' => 0.611,
        'm' | 'M' => 0.833,
        '%' | 'W' => 0.944,
        'G' | 'O' | 'Q' => 0.778,
        _ => 0.722,
    };
    text.chars().map(letter).sum::<f64>() * size * 1.2
}
