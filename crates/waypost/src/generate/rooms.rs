//! The floor of a building: a rectangle is cut in two again and again, sometimes by a corridor, until the pieces are rooms.
//! Every wall gets at least one door, so all rooms are connected: by induction, both sides of a cut are.

use crate::grid::{Grid, Point};
use crate::rng::Rng;

#[derive(Clone, Copy, Debug)]
struct Rectangle {
    x: u32,
    y: u32,
    w: u32,
    h: u32,
}

/// A wall one cell thick that a cut has left.
#[derive(Clone, Copy, Debug)]
struct Wall {
    is_vertical: bool,
    /// The column of a vertical wall, the row of a horizontal one.
    at: u32,
    from: u32,
    to: u32,
    /// How many of the contacts between two rooms get a door, in percent.
    doors: u32,
}

/// The sides of rooms, in cells.
struct Sizes {
    least: u32,
    most: u32,
}

pub(super) fn draw(grid: &mut Grid, rng: &mut Rng) {
    let (width, height) = (grid.width(), grid.height());
    // An outer wall where there is space for one.
    let edge = u32::from(width.min(height) >= 5);
    let whole = Rectangle {
        x: edge,
        y: edge,
        w: width - 2 * edge,
        h: height - 2 * edge,
    };
    let sizes = Sizes {
        least: 4,
        most: (width.min(height) / 7).clamp(8, 26),
    };
    let mut walls = Vec::new();
    let mut pieces = vec![whole];
    let mut rooms = Vec::new();
    while let Some(piece) = pieces.pop() {
        if !cut(piece, &sizes, rng, &mut pieces, &mut rooms, &mut walls) {
            rooms.push(piece);
        }
    }
    for room in &rooms {
        fill(grid, *room, true);
    }
    for wall in &walls {
        open_doors(grid, *wall, rng);
    }
    for room in rooms {
        furnish(grid, room, rng);
    }
}

/// Cuts a piece in two, perhaps with a corridor between; false where it is a room.
fn cut(
    piece: Rectangle,
    sizes: &Sizes,
    rng: &mut Rng,
    pieces: &mut Vec<Rectangle>,
    rooms: &mut Vec<Rectangle>,
    walls: &mut Vec<Wall>,
) -> bool {
    let long = piece.w.max(piece.h);
    let is_hall = long <= 3 * sizes.most && rng.percent(9);
    if long <= sizes.most && rng.percent(70) || is_hall || long < 2 * sizes.least + 1 {
        return false;
    }
    let is_vertical = match piece.w.cmp(&piece.h) {
        std::cmp::Ordering::Equal => rng.percent(50),
        order => order == std::cmp::Ordering::Greater,
    };
    // Corridors run where a piece is large enough to need one.
    let corridor = if long > 2 * sizes.most && rng.percent(55) {
        rng.between(2, 4)
    } else {
        0
    };
    let gap = if corridor > 0 { corridor + 2 } else { 1 };
    let least = sizes.least.max(long / 4);
    if long < 2 * least + gap {
        return false;
    }
    let first = rng.between(least, long - least - gap);
    let part = |from: u32, length: u32| {
        if is_vertical {
            Rectangle {
                x: piece.x + from,
                w: length,
                ..piece
            }
        } else {
            Rectangle {
                y: piece.y + from,
                h: length,
                ..piece
            }
        }
    };
    let mut wall = |offset: u32, doors: u32| {
        let (origin, from, length) = if is_vertical {
            (piece.x, piece.y, piece.h)
        } else {
            (piece.y, piece.x, piece.w)
        };
        walls.push(Wall {
            is_vertical,
            at: origin + offset,
            from,
            to: from + length,
            doors,
        });
    };
    pieces.push(part(first + gap, long - first - gap));
    pieces.push(part(0, first));
    if corridor > 0 {
        rooms.push(part(first + 1, corridor));
        wall(first, 75);
        wall(first + 1 + corridor, 75);
    } else {
        wall(first, 45);
    }
    true
}

fn fill(grid: &mut Grid, area: Rectangle, passable: bool) {
    for y in area.y..area.y + area.h {
        grid.set_run(y, area.x..area.x + area.w, passable);
    }
}

/// Opens doors where rooms touch on both sides of a wall.
fn open_doors(grid: &mut Grid, wall: Wall, rng: &mut Rng) {
    let point = |along: u32, across: u32| {
        if wall.is_vertical {
            Point {
                x: across,
                y: along,
            }
        } else {
            Point {
                x: along,
                y: across,
            }
        }
    };
    let free =
        |grid: &Grid, along: u32, across: u32| grid.passable_cell(point(along, across)).is_some();
    let mut contacts: Vec<(u32, u32)> = Vec::new();
    for along in wall.from..wall.to {
        if free(grid, along, wall.at - 1) && free(grid, along, wall.at + 1) {
            match contacts.last_mut() {
                Some(last) if last.1 == along => last.1 += 1,
                _ => contacts.push((along, along + 1)),
            }
        }
    }
    let always = rng.below(contacts.len() as u32) as usize;
    for (i, &(from, to)) in contacts.iter().enumerate() {
        let length = to - from;
        if i != always && (length < 3 || !rng.percent(wall.doors)) {
            continue;
        }
        // Now and then the whole wall is missing: two rooms are one.
        let door = if rng.percent(6) {
            length
        } else {
            rng.between(1, 3).min(length)
        };
        let first = from + rng.below(length - door + 1);
        for along in first..first + door {
            grid.set(point(along, wall.at), true);
        }
    }
}

/// Pillars, cut corners and furniture, one cell off the walls so that no door is blocked.
fn furnish(grid: &mut Grid, room: Rectangle, rng: &mut Rng) {
    if room.w < 6 || room.h < 6 {
        return;
    }
    let inner = Rectangle {
        x: room.x + 1,
        y: room.y + 1,
        w: room.w - 2,
        h: room.h - 2,
    };
    match rng.below(10) {
        0 | 1 if room.w.min(room.h) >= 9 => pillars(grid, inner, rng),
        2 => {
            let (w, h) = (inner.w / 3, inner.h / 3);
            let block = Rectangle {
                x: inner.x + (inner.w - w) / 2,
                y: inner.y + (inner.h - h) / 2,
                w,
                h,
            };
            fill(grid, block, false);
        }
        3..7 => {
            for _ in 0..rng.between(1, 2 + inner.w * inner.h / 40) {
                let (w, h) = (rng.between(1, 3), rng.between(1, 2));
                let piece = Rectangle {
                    x: inner.x + rng.below(inner.w + 1 - w),
                    y: inner.y + rng.below(inner.h + 1 - h),
                    w,
                    h,
                };
                fill(grid, piece, false);
            }
        }
        _ => {}
    }
}

fn pillars(grid: &mut Grid, inner: Rectangle, rng: &mut Rng) {
    let side = if inner.w.min(inner.h) >= 14 { 2 } else { 1 };
    let pitch = rng.between(side + 3, side + 5);
    for y in (inner.y + 1..(inner.y + inner.h).saturating_sub(side)).step_by(pitch as usize) {
        for x in (inner.x + 1..(inner.x + inner.w).saturating_sub(side)).step_by(pitch as usize) {
            let pillar = Rectangle {
                x,
                y,
                w: side,
                h: side,
            };
            fill(grid, pillar, false);
        }
    }
}
