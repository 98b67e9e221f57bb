//! Places for labels: rectangles beside their marks that keep clear of each other, with a line from the mark where a label had to go
//! further away or another mark is as near.
//!
//! Every label has some two hundred places, each of which has a price: the length of the line, and what label and line would cover or
//! cross. Labels take the cheapest place one after the other, and then move in turns for as long as one of them finds a cheaper place.

use super::{BOTTOM, LABEL_HEIGHT, LEFT, RIGHT, TOP};

pub(super) type Spot = (f64, f64);
pub(super) type Segment = (Spot, Spot);

/// The most turns in which labels move: far more than they need.
const TURNS: usize = 40;
/// How many orders are tried.
const ORDERS: usize = 12;

/// A label over another or over a mark: no place at all.
const COVERED: f64 = 10_000.0;
/// A line through a label.
const THROUGH_TEXT: f64 = 1_500.0;
/// A label on a line between marks.
const ON_A_CURVE: f64 = 250.0;
/// A line through a mark that is not its own.
const THROUGH_A_MARK: f64 = 400.0;
/// A line that crosses another.
const CROSSING: f64 = 500.0;
/// What stays free between two labels beside each other.
const GAP: f64 = 5.0;
/// There is a line.
const LINE: f64 = 12.0;

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

    /// The same with so much more on the left and on the right.
    fn wider(self, by: f64) -> Box4 {
        Box4 {
            left: self.left - by,
            right: self.right + by,
            ..self
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
    fn nearest(&self, (x, y): Spot) -> Spot {
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

    pub fn inside(&self) -> bool {
        self.left >= LEFT && self.right <= RIGHT && self.top >= TOP && self.bottom <= BOTTOM
    }
}

/// Where a label stands, and the line from its mark if there must be one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub spot: Box4,
    pub line: Option<Segment>,
}

/// What labels keep clear of.
pub(super) struct Room {
    marks: Vec<Spot>,
    /// The lines between marks of a series.
    curves: Vec<Segment>,
}

impl Room {
    /// The room around these marks and the lines between them.
    pub fn around(marks: impl Iterator<Item = Spot>, curves: Vec<Segment>) -> Room {
        Room {
            marks: marks.collect(),
            curves,
        }
    }

    /// Places for labels, each given by its mark and its width. `None` where a label would cover something wherever it stood.
    pub fn place(&self, wanted: &[(Spot, f64)]) -> Vec<Option<Placed>> {
        let choices: Vec<Vec<(Placed, f64)>> = wanted
            .iter()
            .map(|&(mark, width)| self.choices(mark, width))
            .collect();
        // Who chooses first matters where it is crowded: several orders are tried. The first of equals is kept.
        let mut best = (f64::INFINITY, Vec::new());
        for start in 0..ORDERS.min(wanted.len()) {
            let shift = start * wanted.len() / ORDERS.min(wanted.len());
            let order = (0..wanted.len()).map(|i| (i + shift) % wanted.len());
            let placed = settle(&choices, &order.collect::<Vec<_>>());
            if placed.0 + 1e-6 < best.0 {
                best = placed;
            }
        }
        best.1
    }

    /// The places of one label with what each costs whatever the other labels do.
    fn choices(&self, mark: Spot, width: f64) -> Vec<(Placed, f64)> {
        let mut choices = Vec::new();
        for (rank, (spot, beside)) in spots(mark, width).enumerate() {
            let round = |&(x, y): &Spot| Box4::around(x, y, 6.5, 6.5);
            if !spot.inside() || self.marks.iter().any(|m| round(m).touches(&spot)) {
                continue;
            }
            let needs_line = !beside || self.is_doubtful(mark, &spot);
            let line = needs_line.then(|| (mark, spot.nearest(mark)));
            let on_curve = self.curves.iter().any(|c| spot.is_crossed_by(*c));
            let mut price = ON_A_CURVE * f64::from(on_curve) + rank as f64 * 1e-3;
            if let Some(line) = line {
                let strange = self.strange_marks(line).count();
                price += LINE + spot.distance(mark) + THROUGH_A_MARK * strange as f64;
            }
            choices.push((Placed { spot, line }, price));
        }
        choices
    }

    /// Whether the label could be taken for that of another mark.
    fn is_doubtful(&self, mark: Spot, spot: &Box4) -> bool {
        let own = spot.distance(mark);
        let mut others = self.marks.iter().filter(|other| **other != mark);
        others.any(|&other| spot.distance(other) < own + 6.0)
    }

    /// The marks on a line that are not the one where it begins.
    fn strange_marks(&self, line: Segment) -> impl Iterator<Item = &Spot> {
        self.marks.iter().filter(move |&&(x, y)| {
            let mark = Box4::around(x, y, 4.0, 4.0);
            mark.distance(line.0) > 0.0 && mark.is_crossed_by(line)
        })
    }
}

/// Places labels in this order, then lets them move in turns. Gives what all of it costs, and the places.
fn settle(choices: &[Vec<(Placed, f64)>], order: &[usize]) -> (f64, Vec<Option<Placed>>) {
    let mut taken: Vec<Option<Placed>> = vec![None; choices.len()];
    // Those without a place stand nowhere at the price of one that covers something.
    let mut own_prices = vec![COVERED; choices.len()];
    for _ in 0..TURNS {
        let mut moved = false;
        for &i in order {
            let now = taken[i].map_or(0.0, |place| among(&place, &taken, i));
            let mut best = (own_prices[i] + now, None);
            for choice in &choices[i] {
                // The others can only add to its own price.
                let cost = match choice.1 + 1e-6 < best.0 {
                    true => choice.1 + among(&choice.0, &taken, i),
                    false => continue,
                };
                if cost + 1e-6 < best.0 {
                    best = (cost, Some(choice));
                }
            }
            if let Some((place, own)) = best.1 {
                moved = true;
                taken[i] = Some(*place);
                own_prices[i] = *own;
            }
        }
        if !moved {
            break;
        }
    }
    let shared = |i: usize| taken[i].map_or(0.0, |place| among(&place, &taken, i)) / 2.0;
    let total = (0..choices.len()).map(|i| own_prices[i] + shared(i)).sum();
    (total, taken)
}

/// What a place costs among those that others have taken.
fn among(place: &Placed, taken: &[Option<Placed>], own: usize) -> f64 {
    let others = taken.iter().enumerate().filter(|(i, _)| *i != own);
    let mut price = 0.0;
    for other in others.filter_map(|(_, other)| other.as_ref()) {
        if other.spot.touches(&place.spot.wider(GAP)) {
            price += COVERED;
        }
        if other
            .line
            .is_some_and(|line| place.spot.is_crossed_by(line))
        {
            price += THROUGH_TEXT;
        }
        if place
            .line
            .is_some_and(|line| other.spot.is_crossed_by(line))
        {
            price += THROUGH_TEXT;
        }
        if let (Some(a), Some(b)) = (place.line, other.line)
            && cross(a, b)
        {
            price += CROSSING;
        }
    }
    price
}

/// Whether two lines have a point in common other than where both begin, or one ends at the other.
fn cross(a: Segment, b: Segment) -> bool {
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

/// Places for a label, the nearest first, and whether it stands so close that no line is needed.
fn spots((x, y): Spot, width: f64) -> impl Iterator<Item = (Box4, bool)> {
    let rings = [
        0.0, 8.0, 18.0, 30.0, 44.0, 60.0, 80.0, 104.0, 132.0, 164.0, 200.0,
    ];
    rings.into_iter().flat_map(move |out| {
        let (dx, dy) = (width / 2.0 + 9.0 + out, LABEL_HEIGHT / 2.0 + 8.0 + out);
        let beside = [0.0, -1.0, 1.0, -0.5, 0.5].map(|share| share * dy);
        let above = [0.0, 0.25, -0.25, 0.5, -0.5, 0.75, -0.75].map(|share| share * width);
        let beside = beside.into_iter().flat_map(move |dy| [(dx, dy), (-dx, dy)]);
        let above = above.into_iter().flat_map(move |dx| [(dx, -dy), (dx, dy)]);
        beside.chain(above).map(move |(dx, dy)| {
            let straight = dx == 0.0 || dy == 0.0;
            let spot = Box4::around(x + dx, y + dy, width / 2.0, LABEL_HEIGHT / 2.0);
            (spot, out == 0.0 && straight)
        })
    })
}
