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

    /// How far a place is from the rectangle.
    pub fn distance(&self, (x, y): (f64, f64)) -> f64 {
        let dx = (self.left - x).max(x - self.right).max(0.0);
        let dy = (self.top - y).max(y - self.bottom).max(0.0);
        dx.hypot(dy)
    }

    pub fn holds(&self, at: (f64, f64)) -> bool {
        self.distance(at) == 0.0
    }

    /// Does a line come into it? Looked at in steps that are shorter than a label is high.
    pub fn is_crossed_by(&self, (from, to): ((f64, f64), (f64, f64))) -> bool {
        let steps = ((to.0 - from.0).hypot(to.1 - from.1) / 3.0).ceil().max(1.0);
        (0..=steps as u32).any(|i| {
            let share = f64::from(i) / steps;
            let along = |a: f64, b: f64| a + (b - a) * share;
            self.holds((along(from.0, to.0), along(from.1, to.1)))
        })
    }

    pub fn inside(&self) -> bool {
        self.left >= LEFT && self.right <= RIGHT && self.top >= TOP && self.bottom <= BOTTOM
    }
}

/// What is taken already.
pub(super) struct Room {
    marks: Vec<(f64, f64)>,
    labels: Vec<Box4>,
    lines: Vec<Segment>,
    /// The lines between marks of a series.
    curves: Vec<Segment>,
}

type Spot = (f64, f64);
pub(super) type Segment = (Spot, Spot);

/// What a label and the line to it keep clear of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Everything.
    All,
    /// The line to it may cross marks.
    Labels,
    /// The line to it may cross marks and labels.
    Text,
    /// And it may lie on a line between marks.
    Little,
}

impl Room {
    /// The room around these marks and the lines between them.
    pub fn around(marks: impl Iterator<Item = Spot>, curves: Vec<Segment>) -> Room {
        Room {
            marks: marks.collect(),
            labels: Vec::new(),
            lines: Vec::new(),
            curves,
        }
    }

    /// Takes a place for the label of a mark, and says where the line from the mark ends if there must be one.
    pub fn take(&mut self, mark: Spot, width: f64) -> Option<(Box4, Option<Spot>)> {
        // Where marks crowd, a line may cross others, or a label lie on a line; a label without a place would be worse.
        let mut ways = [Care::All, Care::Labels, Care::Text, Care::Little].into_iter();
        let (spot, end) = ways.find_map(|care| self.find(mark, width, care))?;
        self.labels.push(spot);
        self.lines.extend(end.map(|end| (mark, end)));
        Some((spot, end))
    }

    fn find(&self, mark: Spot, width: f64, care: Care) -> Option<(Box4, Option<Spot>)> {
        for (spot, far) in spots(mark.0, mark.1, width) {
            let covers = |curve: &Segment| spot.is_crossed_by(*curve);
            if !self.is_free(&spot) || care != Care::Little && self.curves.iter().any(covers) {
                continue;
            }
            let end = (
                mark.0.clamp(spot.left, spot.right),
                mark.1.clamp(spot.top, spot.bottom),
            );
            if !far && !self.is_doubtful(mark, &spot) {
                return Some((spot, None));
            }
            let line = (mark, end);
            let clear = match care {
                Care::All => !self.crosses_labels(line) && !self.crosses_marks(line, mark),
                Care::Labels => !self.crosses_labels(line),
                Care::Text | Care::Little => true,
            };
            if clear {
                return Some((spot, Some(end)));
            }
        }
        None
    }

    fn is_free(&self, spot: &Box4) -> bool {
        let mark = |&(x, y): &Spot| Box4::around(x, y, 6.5, 6.5);
        spot.inside()
            && self.labels.iter().all(|label| !label.touches(spot))
            && self.marks.iter().all(|m| !mark(m).touches(spot))
            && self.lines.iter().all(|line| !spot.is_crossed_by(*line))
    }

    /// Whether the label could be taken for that of another mark.
    fn is_doubtful(&self, mark: Spot, spot: &Box4) -> bool {
        let own = spot.distance(mark);
        let others = self.marks.iter().filter(|other| **other != mark);
        others
            .into_iter()
            .any(|&other| spot.distance(other) < own + 6.0)
    }

    fn crosses_labels(&self, line: Segment) -> bool {
        self.labels.iter().any(|label| label.is_crossed_by(line))
    }

    fn crosses_marks(&self, line: Segment, own: Spot) -> bool {
        let others = self.marks.iter().filter(|other| **other != own);
        let mut marks = others.map(|&(x, y)| Box4::around(x, y, 4.0, 4.0));
        marks.any(|mark| mark.is_crossed_by(line) && !mark.holds(own))
    }
}

/// Places for a label, the nearest first, and whether a line must show where it belongs.
fn spots(x: f64, y: f64, width: f64) -> impl Iterator<Item = (Box4, bool)> {
    let rings = [0.0, 12.0, 26.0, 42.0, 60.0, 84.0, 110.0, 140.0];
    rings.into_iter().flat_map(move |out| {
        let (dx, dy) = (width / 2.0 + 9.0 + out, LABEL_HEIGHT / 2.0 + 8.0 + out);
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
            (dx / 2.0, -dy),
            (dx / 2.0, dy),
            (-dx / 2.0, -dy),
            (-dx / 2.0, dy),
        ]
        .map(move |(dx, dy)| {
            let diagonal = dx != 0.0 && dy != 0.0;
            let spot = Box4::around(x + dx, y + dy, width / 2.0, flat);
            (spot, out > 0.0 || diagonal)
        })
    })
}
