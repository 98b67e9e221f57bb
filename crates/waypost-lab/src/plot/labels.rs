//! Places for labels: rectangles beside their marks that keep clear of each other, with a line from the mark where a label had to go
//! further away or another mark is as near.
//!
//! Every label has some hundreds of places, each of which has a price: the length of the line, and what label and line would cover or
//! cross. Labels change places at random, as long as that costs little more, and ever less as time goes on; in the end each takes the
//! cheapest place that the others leave it.

use super::LABEL_HEIGHT;
use super::geometry::{Box4, Segment, Spot, cross};
use waypost::rng::Rng;

/// How often all of it is tried.
const TRIES: u64 = 4;
/// How many random places each label looks at.
const LOOKS: usize = 2_000;
/// How much dearer a place may be at first.
const PATIENCE: f64 = 400.0;
/// The most turns in which labels take their cheapest places: far more than they need.
const TURNS: usize = 40;

/// A label over another: no place at all.
const COVERED: f64 = 10_000.0;
/// A line through a label.
const THROUGH_TEXT: f64 = 1_500.0;
/// A label on a line between marks.
const ON_A_CURVE: f64 = 1_500.0;
/// A line through a mark that is not its own, and through one that lies on its own.
const THROUGH_A_MARK: f64 = 400.0;
const THROUGH_THE_HEAP: f64 = 60.0;
/// A line that crosses another.
const CROSSING: f64 = 800.0;
/// A line to a label that crosses one between marks.
const ACROSS_A_CURVE: f64 = 40.0;
/// There is a line.
const LINE: f64 = 12.0;
/// What stays free between two labels beside each other, and between labels and the lines between marks.
const GAP: f64 = 5.0;
const OFF_A_CURVE: f64 = 2.0;
/// A shorter line would look like a hyphen.
const SHORTEST: f64 = 5.0;
/// What stays free between a label and the end of its line.
const OFF_TEXT: f64 = 1.5;
/// What stays free between a label and its mark, and between a label and any other mark.
const BESIDE: f64 = 5.0;
const CLEAR: f64 = 1.5;

/// A mark: where it stands, and how far it reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mark {
    pub spot: Spot,
    pub radius: f64,
}

impl Mark {
    fn overlaps(&self, other: &Mark) -> bool {
        let (dx, dy) = (other.spot.0 - self.spot.0, other.spot.1 - self.spot.1);
        dx.hypot(dy) < self.radius + other.radius
    }
}

/// Which part of the text stands at the end of its rectangle that is given by the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Where a label stands, and the line from its mark if there must be one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub spot: Box4,
    /// Texts may be narrower than their rectangles: they begin or end where the mark is.
    pub anchor: Anchor,
    pub line: Option<Segment>,
}

/// A place with what it costs whatever the other labels do. Nowhere is one too.
type Choice = (Option<Placed>, f64);

/// What labels keep clear of.
pub(super) struct Room {
    marks: Vec<Mark>,
    /// The lines between marks of a series.
    curves: Vec<Segment>,
}

impl Room {
    /// The room around these marks and the lines between them.
    pub fn around(marks: impl Iterator<Item = Mark>, curves: Vec<Segment>) -> Room {
        Room {
            marks: marks.collect(),
            curves,
        }
    }

    /// Places for labels, each given by its mark and its width. `None` where a label would cover something wherever it stood.
    pub fn place(&self, wanted: &[(Mark, f64)]) -> Vec<Option<Placed>> {
        let choices: Vec<Vec<Choice>> = wanted
            .iter()
            .map(|&(mark, width)| self.choices(mark, width))
            .collect();
        let tries = (1..=TRIES).map(|seed| {
            let mut taken: Vec<Choice> = choices.iter().map(|own| own[0]).collect();
            shuffle(&choices, &mut taken, Rng::new(seed));
            settle(&choices, &mut taken);
            (total(&taken), taken)
        });
        // The first of equals is kept.
        let best = tries.min_by(|a, b| a.0.total_cmp(&b.0));
        let taken = best.map_or(Vec::new(), |(_, taken)| taken);
        taken.into_iter().map(|(place, _)| place).collect()
    }

    /// The places of one label with what each costs whatever the other labels do, the cheapest first.
    fn choices(&self, mark: Mark, width: f64) -> Vec<Choice> {
        let mut choices = vec![(None, COVERED)];
        for (spot, anchor, taste) in spots(mark, width) {
            let covers = |other: &Mark| {
                let around = other.radius + CLEAR;
                Box4::around(other.spot.0, other.spot.1, around, around).touches(&spot)
            };
            if !spot.inside() || self.marks.iter().any(covers) {
                continue;
            }
            let beside = spot.distance(mark.spot) < mark.radius + BESIDE + 1.0;
            let needs_line = !beside || self.is_doubtful(mark, &spot);
            let line =
                needs_line.then(|| from_rim(mark, spot.wider(OFF_TEXT, 0.0).nearest(mark.spot)));
            if line.is_some_and(|(from, to)| (to.0 - from.0).hypot(to.1 - from.1) < SHORTEST) {
                continue;
            }
            let off = spot.wider(OFF_A_CURVE, OFF_A_CURVE);
            let on_curve = self.curves.iter().any(|c| off.is_crossed_by(*c));
            let mut price = ON_A_CURVE * f64::from(on_curve) + taste;
            if let Some(line) = line {
                let length = spot.distance(mark.spot) - mark.radius;
                price += LINE + length * (1.0 + length / 40.0) + self.in_the_way(mark, line);
            }
            let place = Placed { spot, anchor, line };
            choices.push((Some(place), price));
        }
        choices.sort_by(|a, b| a.1.total_cmp(&b.1));
        choices
    }

    /// Whether the label could be taken for that of another mark.
    fn is_doubtful(&self, mark: Mark, spot: &Box4) -> bool {
        let gap = |mark: &Mark| spot.distance(mark.spot) - mark.radius;
        let mut others = self.marks.iter().filter(|other| other.spot != mark.spot);
        others.any(|other| {
            let nearer = if mark.overlaps(other) { 6.0 } else { 2.0 };
            gap(other) < gap(&mark) + nearer
        })
    }

    /// What a line costs that runs through marks and lines between marks.
    fn in_the_way(&self, own: Mark, line: Segment) -> f64 {
        let mut price = 0.0;
        for other in self.marks.iter().filter(|other| other.spot != own.spot) {
            let (x, y) = other.spot;
            if Box4::around(x, y, 4.0, 4.0).is_crossed_by(line) {
                price += match own.overlaps(other) {
                    true => THROUGH_THE_HEAP,
                    false => THROUGH_A_MARK,
                };
            }
        }
        let across = self.curves.iter().filter(|curve| cross(line, **curve));
        price + ACROSS_A_CURVE * across.count() as f64
    }
}

/// Lets labels change places at random. What a change may cost goes down to nothing.
fn shuffle(choices: &[Vec<Choice>], taken: &mut [Choice], mut rng: Rng) {
    let looks = LOOKS * choices.len();
    for look in 0..looks {
        let i = rng.below(choices.len() as u32) as usize;
        // The cheaper half of the places is looked at three times as often.
        let half = choices[i].len() as u32 >> rng.below(2);
        let next = choices[i][rng.below(half.max(1)) as usize];
        let left = 1.0 - look as f64 / looks as f64;
        let now = taken[i].1 + among(&taken[i], taken, i);
        let allowed = now + PATIENCE * left * left * left;
        if next.1 <= allowed && next.1 + among(&next, taken, i) <= allowed {
            taken[i] = next;
        }
    }
}

/// Each label takes the cheapest place that the others leave it, in turns for as long as one finds a cheaper one.
fn settle(choices: &[Vec<Choice>], taken: &mut [Choice]) {
    for _ in 0..TURNS {
        let mut moved = false;
        for i in 0..choices.len() {
            let mut best = taken[i].1 + among(&taken[i], taken, i);
            for next in &choices[i] {
                // The others can only add to its own price.
                if next.1 + 1e-6 >= best {
                    break;
                }
                let price = next.1 + among(next, taken, i);
                if price + 1e-6 < best {
                    (best, taken[i], moved) = (price, *next, true);
                }
            }
        }
        if !moved {
            break;
        }
    }
}

/// What all labels cost.
fn total(taken: &[Choice]) -> f64 {
    let price = |(i, own): (usize, &Choice)| own.1 + among(own, taken, i) / 2.0;
    taken.iter().enumerate().map(price).sum()
}

/// What a place costs among those that others have taken.
fn among((place, _): &Choice, taken: &[Choice], own: usize) -> f64 {
    let Some(place) = place else { return 0.0 };
    let others = taken.iter().enumerate().filter(|(i, _)| *i != own);
    let mut price = 0.0;
    for other in others.filter_map(|(_, (other, _))| other.as_ref()) {
        if other.spot.touches(&place.spot.wider(GAP, 0.0)) {
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

/// The line from the rim of a mark.
fn from_rim(mark: Mark, to: Spot) -> Segment {
    let (dx, dy) = (to.0 - mark.spot.0, to.1 - mark.spot.1);
    let share = (mark.radius / dx.hypot(dy).max(mark.radius)).min(1.0);
    ((mark.spot.0 + dx * share, mark.spot.1 + dy * share), to)
}

/// Places for a label, beside its mark and above and below it, and how much dearer each is as a matter of taste.
fn spots(mark: Mark, width: f64) -> impl Iterator<Item = (Box4, Anchor, f64)> {
    let rings = [
        0.0, 4.0, 9.0, 15.0, 22.0, 30.0, 40.0, 52.0, 66.0, 84.0, 106.0, 132.0, 164.0, 200.0,
    ];
    let (x, y) = mark.spot;
    rings.into_iter().flat_map(move |out| {
        let away = mark.radius + BESIDE + out;
        let (dx, dy) = (width / 2.0 + away, LABEL_HEIGHT / 2.0 + away);
        let beside = [
            0.0_f64, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1.0, 1.0, -1.5, 1.5, -2.0, 2.0,
        ];
        let beside = beside.into_iter().flat_map(move |share| {
            let taste = if share == 0.0 { 0.0 } else { 3.0 + share.abs() };
            let right = (dx, share * dy, Anchor::Start, taste);
            [right, (-dx, share * dy, Anchor::End, taste + 0.5)]
        });
        let above = [0.0_f64, 0.25, -0.25, 0.5, -0.5].into_iter();
        let above = above.flat_map(move |share| {
            let anchor = match share {
                0.5 => Anchor::Start,
                -0.5 => Anchor::End,
                _ => Anchor::Middle,
            };
            let taste = 1.0 + share.abs();
            let on_top = (share * width, -dy, anchor, taste);
            [on_top, (share * width, dy, anchor, taste + 0.1)]
        });
        beside.chain(above).map(move |(dx, dy, anchor, taste)| {
            let spot = Box4::around(x + dx, y + dy, width / 2.0, LABEL_HEIGHT / 2.0);
            (spot, anchor, taste)
        })
    })
}
