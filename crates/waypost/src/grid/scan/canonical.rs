//! Which moves are worth trying after a move: canonical ordering of paths, diagonal moves first.
//!
//! Harabor and Grastien (AAAI 2011) prune a neighbour `n` of `x`, entered from `p`, when a path from `p` to `n` that stays
//! in the eight cells around `x` but avoids `x` is shorter than `p, x, n`, or as long and begins with a diagonal move
//! where `p, x, n` begins with a straight one. Their published case lists are for corner rule `always`; carrying those
//! lists over to `never` is the best-known way to write a wrong jump point search. Here nothing is carried over: the
//! definition itself is evaluated for every corner rule, arrival and neighbourhood, at compile time, into a table.
//!
//! What comes out, for the record: under `never` only straight arrivals have forced moves (a free side whose rear is
//! blocked forces the side and the diagonal before it); under `one` and `always` a blocked side with a legal diagonal
//! past it forces that diagonal, for straight and for diagonal arrivals.

use crate::grid::{Corners, Direction, Directions, Neighbourhood};

/// The moves worth trying from a cell that was entered by moving in direction `arrival`.
#[inline]
pub fn after(corners: Corners, arrival: Direction, around: Neighbourhood) -> Directions {
    Directions(AFTER[corners as usize][arrival as usize][around.0 as usize])
}

/// The moves that go on after `arrival` on open ground: straight on; for a diagonal also its two straight parts.
#[inline]
pub const fn natural(arrival: Direction) -> Directions {
    let d = arrival as u8;
    let set = Directions::NONE.with(arrival);
    if arrival.is_diagonal() {
        set.with(Direction::from_number(d + 7))
            .with(Direction::from_number(d + 1))
    } else {
        set
    }
}

// The table is worth the seconds: 6,144 small cases, all by definition.
#[allow(long_running_const_eval)]
static AFTER: [[[u8; 256]; 8]; 4] = [
    table(Corners::Never),
    table(Corners::One),
    table(Corners::Always),
    table(Corners::NoDiagonals),
];

const fn table(corners: Corners) -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut bits = 0;
    while bits < 256 {
        let mut arrival = 0;
        while arrival < 8 {
            table[arrival][bits] = kept(
                corners,
                Direction::from_number(arrival as u8),
                Neighbourhood(bits as u8),
            );
            arrival += 1;
        }
        bits += 1;
    }
    table
}

const STRAIGHT: u32 = 5;
const DIAGONAL: u32 = 7;

const fn kept(corners: Corners, arrival: Direction, around: Neighbourhood) -> u8 {
    let mut kept = 0;
    let mut number = 0;
    while number < 8 {
        let out = Direction::from_number(number);
        if move_cost(corners, around, 0, 0, out) != 0
            && !pruned(corners, arrival, around, out)
            && arrival.opposite() as u8 != number
        {
            kept |= 1 << number;
        }
        number += 1;
    }
    kept
}

/// Whether the neighbour in direction `out` is reached as well from the cell behind without passing the centre.
const fn pruned(
    corners: Corners,
    arrival: Direction,
    around: Neighbourhood,
    out: Direction,
) -> bool {
    let (px, py) = (-arrival.dx(), -arrival.dy());
    let (nx, ny) = (out.dx(), out.dy());
    let through = cost(arrival) + cost(out);
    let mut first = 0;
    while first < 8 {
        let d = Direction::from_number(first);
        first += 1;
        let (x, y) = (px + d.dx(), py + d.dy());
        let first_cost = move_cost(corners, around, px, py, d);
        if first_cost == 0 || (x == 0 && y == 0) {
            continue;
        }
        let total = if x == nx && y == ny {
            first_cost
        } else {
            let Some(last) = Direction::of_step(nx - x, ny - y) else {
                continue;
            };
            let last_cost = move_cost(corners, around, x, y, last);
            if last_cost == 0 {
                continue;
            }
            first_cost + last_cost
        };
        if total < through || (total == through && d.is_diagonal() && !arrival.is_diagonal()) {
            return true;
        }
    }
    false
}

const fn cost(direction: Direction) -> u32 {
    if direction.is_diagonal() {
        DIAGONAL
    } else {
        STRAIGHT
    }
}

/// The cost of a move between two of the nine cells; 0 where it is illegal or leaves them.
const fn move_cost(
    corners: Corners,
    around: Neighbourhood,
    x: i32,
    y: i32,
    direction: Direction,
) -> u32 {
    let (dx, dy) = (direction.dx(), direction.dy());
    if !free(around, x + dx, y + dy) {
        return 0;
    }
    if !direction.is_diagonal() {
        return STRAIGHT;
    }
    let (one, other) = (free(around, x + dx, y), free(around, x, y + dy));
    let legal = match corners {
        Corners::Never => one && other,
        Corners::One => one || other,
        Corners::Always => true,
        Corners::NoDiagonals => false,
    };
    if legal { DIAGONAL } else { 0 }
}

const fn free(around: Neighbourhood, x: i32, y: i32) -> bool {
    if x == 0 && y == 0 {
        return true;
    }
    match Direction::of_step(x, y) {
        Some(d) => around.is_passable(d),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_ground_keeps_the_natural_moves() {
        for corners in Corners::ALL {
            for arrival in Direction::ALL {
                assert_eq!(
                    after(corners, arrival, Neighbourhood(255)),
                    natural(arrival),
                    "{corners:?} {arrival:?}"
                );
            }
        }
    }

    #[test]
    fn diagonals_force_nothing_where_corners_may_not_be_cut() {
        for bits in 0..=255 {
            for arrival in [1, 3, 5, 7].map(Direction::from_number) {
                let back = arrival.opposite() as u8;
                let around = Neighbourhood(bits);
                let entered = [back, back + 1, back + 7]
                    .iter()
                    .all(|&n| around.is_passable(Direction::from_number(n)));
                if entered {
                    let extra = after(Corners::Never, arrival, around).0 & !natural(arrival).0;
                    assert_eq!(extra, 0, "{bits:08b} {arrival:?}");
                }
            }
        }
    }
}
