//! Lays out a level: where halls, courtyards, corridors, ramps, doors, crates and pillars are, as polygons on a canvas.

use super::raster::Vector;
use crate::rng::Rng;

/// The longer side of the canvas, in units. A person would be about 30 units wide.
const CANVAS: i64 = 4096;
/// Halls stand about this far apart.
const PITCH: i64 = 780;

/// `(cos, sin, divisor)` of directions whose turned coordinates are integers.
const TURNS: [(i64, i64, i64); 6] = [
    (4, 3, 5),
    (3, 4, 5),
    (12, 5, 13),
    (5, -12, 13),
    (15, -8, 17),
    (24, 7, 25),
];

/// A polygon that is floor, or wall on what was drawn before.
pub(super) struct Shape {
    pub outline: Vec<Vector>,
    pub is_floor: bool,
}

pub(super) struct Level {
    pub size: Vector,
    pub shapes: Vec<Shape>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Hall,
    Octagon,
    Courtyard,
}

#[derive(Clone, Copy)]
struct Area {
    centre: Vector,
    /// Half the sides before turning.
    half: Vector,
    turn: (i64, i64, i64),
    style: Style,
}

pub(super) fn level(width: u32, height: u32, rng: &mut Rng) -> Level {
    let longer = i64::from(width.max(height));
    let size = Vector {
        x: (i64::from(width) * CANVAS / longer).max(1),
        y: (i64::from(height) * CANVAS / longer).max(1),
    };
    let areas = areas(size, rng);
    let mut floors = Vec::new();
    let mut walls = Vec::new();
    for area in &areas {
        floors.push(area.outline(100));
        alcoves(area, rng, &mut floors);
    }
    for (a, b) in connections(&areas, rng) {
        corridor(
            areas[a].centre,
            areas[b].centre,
            rng,
            &mut floors,
            &mut walls,
        );
    }
    for area in &areas {
        furnish(area, rng, &mut walls);
    }
    let shape = |is_floor| move |outline| Shape { outline, is_floor };
    let shapes = floors.into_iter().map(shape(true));
    let shapes = shapes.chain(walls.into_iter().map(shape(false))).collect();
    Level { size, shapes }
}

fn vector(x: i64, y: i64) -> Vector {
    Vector { x, y }
}

fn between(rng: &mut Rng, low: i64, high: i64) -> i64 {
    low + i64::from(rng.below((high - low + 1).max(1) as u32))
}

/// Turns an offset and moves it to a centre.
fn place(centre: Vector, turn: (i64, i64, i64), offset: Vector) -> Vector {
    let (cos, sin, divisor) = turn;
    vector(
        centre.x + (cos * offset.x - sin * offset.y) / divisor,
        centre.y + (sin * offset.x + cos * offset.y) / divisor,
    )
}

/// A turned rectangle with its corners cut off by `cut` units.
fn block(centre: Vector, turn: (i64, i64, i64), half: Vector, cut: i64) -> Vec<Vector> {
    let (x, y) = (half.x, half.y);
    let offsets: Vec<Vector> = if cut == 0 {
        [(-x, -y), (x, -y), (x, y), (-x, y)]
            .map(|(x, y)| vector(x, y))
            .to_vec()
    } else {
        let (cx, cy) = (x - cut, y - cut);
        [
            (-cx, -y),
            (cx, -y),
            (x, -cy),
            (x, cy),
            (cx, y),
            (-cx, y),
            (-x, cy),
            (-x, -cy),
        ]
        .map(|(x, y)| vector(x, y))
        .to_vec()
    };
    offsets
        .into_iter()
        .map(|offset| place(centre, turn, offset))
        .collect()
}

const STRAIGHT: (i64, i64, i64) = (1, 0, 1);

fn any_turn(rng: &mut Rng, straight_percent: u32) -> (i64, i64, i64) {
    if rng.percent(straight_percent) {
        STRAIGHT
    } else {
        TURNS[rng.below(TURNS.len() as u32) as usize]
    }
}

impl Area {
    /// The outline with its sides at `percent` of their length.
    fn outline(&self, percent: i64) -> Vec<Vector> {
        let half = vector(self.half.x * percent / 100, self.half.y * percent / 100);
        let cut = match self.style {
            Style::Hall => 0,
            Style::Octagon => half.x.min(half.y) * 6 / 10,
            Style::Courtyard => half.x.min(half.y) / 4,
        };
        block(self.centre, self.turn, half, cut)
    }
}

/// Halls on a jittered lattice; some places stay empty.
fn areas(size: Vector, rng: &mut Rng) -> Vec<Area> {
    let columns = ((size.x + PITCH / 2) / PITCH).max(1);
    let rows = ((size.y + PITCH / 2) / PITCH).max(1);
    let (pitch_x, pitch_y) = (size.x / columns, size.y / rows);
    let mut areas = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if rng.percent(7) && columns * rows > 4 {
                continue;
            }
            let style = match rng.below(10) {
                0..6 => Style::Hall,
                6 | 7 => Style::Octagon,
                _ => Style::Courtyard,
            };
            let (low, high) = if style == Style::Courtyard {
                (40, 49)
            } else {
                (25, 43)
            };
            let turn = any_turn(rng, 70);
            // A turned hall takes more room: it is made smaller.
            let shrink = if turn == STRAIGHT { 100 } else { 85 };
            let half = vector(
                pitch_x * between(rng, low, high) * shrink / 10_000,
                pitch_y * between(rng, low, high) * shrink / 10_000,
            );
            let jitter = |rng: &mut Rng, pitch: i64| between(rng, -pitch / 9, pitch / 9);
            let centre = vector(
                pitch_x * column + pitch_x / 2 + jitter(rng, pitch_x),
                pitch_y * row + pitch_y / 2 + jitter(rng, pitch_y),
            );
            areas.push(Area {
                centre,
                half,
                turn,
                style,
            });
        }
    }
    areas
}

/// Small bays along the sides.
fn alcoves(area: &Area, rng: &mut Rng, floors: &mut Vec<Vec<Vector>>) {
    for _ in 0..rng.below(4) {
        let along = between(rng, -70, 70);
        let offset = match rng.below(4) {
            0 => vector(area.half.x, area.half.y * along / 100),
            1 => vector(-area.half.x, area.half.y * along / 100),
            2 => vector(area.half.x * along / 100, area.half.y),
            _ => vector(area.half.x * along / 100, -area.half.y),
        };
        let half = vector(between(rng, 30, 90), between(rng, 30, 90));
        floors.push(block(
            place(area.centre, area.turn, offset),
            area.turn,
            half,
            0,
        ));
    }
}

/// Pairs of areas to join: a spanning tree of short corridors, and loops between close neighbours.
fn connections(areas: &[Area], rng: &mut Rng) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(i64, usize, usize)> = Vec::new();
    for a in 0..areas.len() {
        for b in 0..a {
            let (p, q) = (areas[a].centre, areas[b].centre);
            let square = (p.x - q.x).pow(2) + (p.y - q.y).pow(2);
            pairs.push((square * between(rng, 80, 125) / 100, a, b));
        }
    }
    pairs.sort_unstable();
    let mut group: Vec<usize> = (0..areas.len()).collect();
    let mut joined = Vec::new();
    for (square, a, b) in pairs {
        let (from, to) = (group[a], group[b]);
        let is_close = square < (PITCH * 15 / 10).pow(2);
        if from != to {
            group
                .iter_mut()
                .filter(|g| **g == from)
                .for_each(|g| *g = to);
            joined.push((a, b));
        } else if is_close && rng.percent(60) {
            joined.push((a, b));
        }
    }
    joined
}

/// A corridor of one or two straight pieces.
fn corridor(
    from: Vector,
    to: Vector,
    rng: &mut Rng,
    floors: &mut Vec<Vec<Vector>>,
    walls: &mut Vec<Vec<Vector>>,
) {
    let half = between(rng, 40, 92);
    let elbow = match rng.below(10) {
        0..3 => None,
        3..7 => Some(vector(from.x, to.y)),
        _ => Some(vector(to.x, from.y)),
    };
    let stops = [Some(from), elbow, Some(to)];
    let stops: Vec<Vector> = stops.into_iter().flatten().collect();
    for piece in stops.windows(2) {
        let Some(frame) = Frame::new(piece[0], piece[1]) else {
            continue;
        };
        floors.push(frame.strip((-half, frame.length + half), (-half, half)));
        if frame.length < 420 {
            continue;
        }
        let middle = between(rng, frame.length * 4 / 10, frame.length * 6 / 10);
        match rng.below(10) {
            // A door: two jambs.
            0..3 => {
                let gap = (half * 45 / 100).max(16);
                walls.push(frame.strip((middle - 12, middle + 12), (-half - 2, -gap)));
                walls.push(frame.strip((middle - 12, middle + 12), (gap, half + 2)));
            }
            // A ramp: the corridor widens, and a wall parts the way up from the way past.
            3..6 => {
                let run = frame.length / 5;
                let (first, last) = (middle - run, middle + run);
                floors.push(frame.strip((first - 60, last + 60), (-half, half + 110)));
                walls.push(frame.strip((first, last), (half - 8, half + 8)));
            }
            // A crate on one side.
            6..8 => {
                let side = if rng.percent(50) {
                    half - 24
                } else {
                    -half + 24
                };
                walls.push(frame.strip((middle - 22, middle + 22), (side - 22, side + 22)));
            }
            _ => {}
        }
    }
}

/// Coordinates along and across a piece of corridor.
struct Frame {
    origin: Vector,
    direction: Vector,
    length: i64,
}

impl Frame {
    fn new(from: Vector, to: Vector) -> Option<Frame> {
        let direction = vector(to.x - from.x, to.y - from.y);
        let square = direction.x.pow(2) + direction.y.pow(2);
        let length = square.unsigned_abs().isqrt() as i64;
        (length > 0).then_some(Frame {
            origin: from,
            direction,
            length,
        })
    }

    fn strip(&self, along: (i64, i64), across: (i64, i64)) -> Vec<Vector> {
        let turn = (self.direction.x, self.direction.y, self.length);
        [
            (along.0, across.0),
            (along.1, across.0),
            (along.1, across.1),
            (along.0, across.1),
        ]
        .map(|(x, y)| place(self.origin, turn, vector(x, y)))
        .to_vec()
    }
}

/// Obstacles in the inner part of an area: its edge stays free all round.
fn furnish(area: &Area, rng: &mut Rng, walls: &mut Vec<Vec<Vector>>) {
    let inner = vector(area.half.x * 62 / 100, area.half.y * 62 / 100);
    if area.style == Style::Courtyard {
        courtyard(area, inner, rng, walls);
    }
    if area.style == Style::Hall && rng.percent(35) {
        pillars(area, inner, rng, walls);
    } else if area.style == Style::Hall && rng.percent(30) {
        // A wall across the middle with a gap at both ends.
        let (half, offset) = if rng.percent(50) {
            (
                vector(14, inner.y),
                vector(between(rng, -inner.x / 2, inner.x / 2), 0),
            )
        } else {
            (
                vector(inner.x, 14),
                vector(0, between(rng, -inner.y / 2, inner.y / 2)),
            )
        };
        walls.push(block(
            place(area.centre, area.turn, offset),
            area.turn,
            half,
            0,
        ));
    }
    let room = inner.x * inner.y / 12_000;
    for _ in 0..between(rng, 1, 1 + room.clamp(0, 7)) {
        crates(area, inner, rng, walls);
    }
}

/// A fountain or a small house in the middle, planters around it.
fn courtyard(area: &Area, inner: Vector, rng: &mut Rng, walls: &mut Vec<Vec<Vector>>) {
    let side = inner.x.min(inner.y) * between(rng, 25, 50) / 100;
    let cut = if rng.percent(60) { side * 6 / 10 } else { 0 };
    walls.push(block(area.centre, area.turn, vector(side, side), cut));
    if rng.percent(60) {
        for (x, y) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
            let offset = vector(inner.x * 85 * x / 100, inner.y * 85 * y / 100);
            let half = vector(inner.x / 8, inner.y / 8);
            walls.push(block(
                place(area.centre, area.turn, offset),
                area.turn,
                half,
                0,
            ));
        }
    }
}

fn pillars(area: &Area, inner: Vector, rng: &mut Rng, walls: &mut Vec<Vec<Vector>>) {
    let half = between(rng, 12, 20);
    let count = between(rng, 3, 6);
    for i in 0..count {
        for side in [-1, 1] {
            let along = -inner.x + 2 * inner.x * i / (count - 1);
            let offset = vector(along, side * inner.y * 7 / 10);
            let centre = place(area.centre, area.turn, offset);
            walls.push(block(centre, area.turn, vector(half, half), half / 2));
        }
    }
}

/// One crate, or some side by side.
fn crates(area: &Area, inner: Vector, rng: &mut Rng, walls: &mut Vec<Vec<Vector>>) {
    let offset = vector(
        between(rng, -inner.x, inner.x),
        between(rng, -inner.y, inner.y),
    );
    let centre = place(area.centre, area.turn, offset);
    let half = between(rng, 14, 30);
    let turn = if rng.percent(65) {
        area.turn
    } else {
        any_turn(rng, 0)
    };
    walls.push(block(centre, turn, vector(half, half), 0));
    let more = rng.below(3);
    for i in 0..i64::from(more) {
        let step = [vector(2 * half, 0), vector(0, 2 * half)][rng.below(2) as usize];
        let next = place(centre, turn, vector(step.x * (1 - i), step.y * (1 - i)));
        walls.push(block(next, turn, vector(half, half), 0));
    }
}
