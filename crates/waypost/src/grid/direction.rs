//! The eight directions, clockwise from north. Their order is the fixed order that breaks the last ties everywhere.

/// A direction to a neighbour. Even numbers are straight, odd ones diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Direction {
    /// Up.
    North = 0,
    /// Up and right.
    NorthEast = 1,
    /// Right.
    East = 2,
    /// Down and right.
    SouthEast = 3,
    /// Down.
    South = 4,
    /// Down and left.
    SouthWest = 5,
    /// Left.
    West = 6,
    /// Up and left.
    NorthWest = 7,
}

/// One of eight octal digits, less 1: a table that needs no memory. The last digit is north's.
#[inline]
const fn digit(digits: u32, direction: Direction) -> i32 {
    (digits >> (3 * direction as u32) & 7) as i32 - 1
}

impl Direction {
    /// All directions in their fixed order.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::NorthEast,
        Direction::East,
        Direction::SouthEast,
        Direction::South,
        Direction::SouthWest,
        Direction::West,
        Direction::NorthWest,
    ];

    /// The direction with a number, modulo 8: a turn by `n` eighths is `from_number(d as u8 + n)`.
    #[inline]
    pub const fn from_number(number: u8) -> Direction {
        // Written out, it costs nothing but the modulo.
        match number & 7 {
            0 => Direction::North,
            1 => Direction::NorthEast,
            2 => Direction::East,
            3 => Direction::SouthEast,
            4 => Direction::South,
            5 => Direction::SouthWest,
            6 => Direction::West,
            _ => Direction::NorthWest,
        }
    }

    /// The change of column.
    #[inline]
    pub const fn dx(self) -> i32 {
        digit(0o0001_2221, self)
    }

    /// The change of row.
    #[inline]
    pub const fn dy(self) -> i32 {
        digit(0o0122_2100, self)
    }

    /// Whether it is one of the four diagonals.
    #[inline]
    pub const fn is_diagonal(self) -> bool {
        self as u8 & 1 != 0
    }

    /// The way back.
    #[inline]
    pub const fn opposite(self) -> Direction {
        Direction::from_number(self as u8 + 4)
    }

    /// The direction of a step by `dx` columns and `dy` rows, if it is one step.
    pub const fn of_step(dx: i32, dy: i32) -> Option<Direction> {
        match (dx, dy) {
            (0, -1) => Some(Direction::North),
            (1, -1) => Some(Direction::NorthEast),
            (1, 0) => Some(Direction::East),
            (1, 1) => Some(Direction::SouthEast),
            (0, 1) => Some(Direction::South),
            (-1, 1) => Some(Direction::SouthWest),
            (-1, 0) => Some(Direction::West),
            (-1, -1) => Some(Direction::NorthWest),
            _ => None,
        }
    }
}

/// A set of directions: bit `d` for [`Direction`] number `d`. Iterates in the fixed order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Directions(pub u8);

impl Directions {
    /// No direction.
    pub const NONE: Directions = Directions(0);

    /// Whether the direction is in the set.
    #[inline]
    pub const fn contains(self, direction: Direction) -> bool {
        self.0 >> direction as u8 & 1 != 0
    }

    /// The set with one more direction.
    #[inline]
    pub const fn with(self, direction: Direction) -> Directions {
        Directions(self.0 | 1 << direction as u8)
    }

    /// The set without a direction.
    #[inline]
    pub const fn without(self, direction: Direction) -> Directions {
        Directions(self.0 & !(1 << direction as u8))
    }

    /// How many directions.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no direction at all.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Iterator for Directions {
    type Item = Direction;

    #[inline]
    fn next(&mut self) -> Option<Direction> {
        if self.0 == 0 {
            return None;
        }
        let number = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(Direction::from_number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_directions_agree() {
        for d in Direction::ALL {
            assert_eq!(Direction::of_step(d.dx(), d.dy()), Some(d));
            let back = d.opposite();
            assert_eq!((back.dx(), back.dy()), (-d.dx(), -d.dy()));
            assert_eq!(d.is_diagonal(), d.dx() != 0 && d.dy() != 0);
        }
        assert_eq!(Direction::of_step(0, 0), None);
        assert_eq!(Direction::of_step(2, 0), None);
    }
}
