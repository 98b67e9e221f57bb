//! Terrain: ground on which moves cost more, or less, than their length.
//!
//! A cell has a *class* (a letter of a `.map` file, a property of a tile), and a unit type has a [`Factor`] for every class,
//! from 0.1 to 100. A step costs its length times the mean of the factors of its two cells, so it costs the same both ways.
//! A unit of several cells pays the largest factor among the cells that it covers.
//!
//! # Integers
//! Costs stay 32-bit integers. A straight step costs `S (a + b)` and a diagonal one `D (a + b)`, where `a` and `b` are the
//! factors of the two cells divided by what divides all factors in use, and `S` and `D` a pair of integers near the ratio
//! of 1 to the root of 2 that is chosen for each map: the finest one with which no shortest path of the map can pass half of
//! 32 bits and rings of buckets stay small. The ratio is wrong by 4 parts in ten million with 985/1393 and by 2 in a thousand
//! with 12/17, which only factors that differ by a thousand times or very long paths ask for. Where even that is too much (a
//! corridor of half a million moves at factor 100 beside ground of 0.1) factors are rounded to the nearest multiple of a coarser unit, and
//! [`Scale::is_exact`] says so: with 100 as the largest factor and ways of a million moves the unit is 1.59, so 4.5 counts as 4.77 and 0.33
//! as 1.59. Paths are shortest by these. The cost of a path that people read is added up from the factors themselves
//! ([`crate::Map::path_length`]).
//!
//! Maps without terrain have nothing of this: a bit a cell, and the costs of [`crate::CostPair`].

mod ground;
mod moves;
mod scale;

pub use ground::Ground;
pub(crate) use moves::TerrainMoves;
pub use scale::Scale;

use crate::grid::{Grid, Point};
use std::collections::BTreeMap;
use thiserror::Error;

/// The letters that every MovingAI map may have: plain ground first.
pub const LETTERS: [&str; 7] = [".", "G", "S", "W", "T", "@", "O"];

/// A factor in 32 bits is wrong by less than this many hundredths.
const HUNDREDTHS_OF_32_BITS: f64 = 0.001;

/// How many times its length a move on some ground costs, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(u16);

impl Factor {
    /// As long as it is.
    pub const ONE: Factor = Factor(100);
    /// The least factor, 0.1.
    pub const MIN: Factor = Factor(10);
    /// The largest factor.
    pub const MAX: Factor = Factor(10_000);

    /// A factor in hundredths, if it is in range.
    pub const fn from_hundredths(hundredths: u32) -> Option<Factor> {
        if hundredths < Factor::MIN.0 as u32 || hundredths > Factor::MAX.0 as u32 {
            return None;
        }
        Some(Factor(hundredths as u16))
    }

    /// A number that is a factor: `None` for what is out of range, not a number or has more than two decimals, as [`Factor::parse`] has it.
    /// Numbers that were kept in 32 bits are taken for what they stand for.
    pub fn from_number(number: f64) -> Option<Factor> {
        let nearest = Factor::nearest(number)?;
        let wrong_by = (number * 100.0 - f64::from(nearest.0)).abs();
        (wrong_by <= HUNDREDTHS_OF_32_BITS).then_some(nearest)
    }

    /// The nearest factor to a number that was computed; `None` for what is out of range or not a number.
    pub fn nearest(number: f64) -> Option<Factor> {
        (0.1..=100.0)
            .contains(&number)
            .then(|| Factor((number * 100.0).round() as u16))
    }

    /// Reads `2`, `4.5` or `0.25`.
    pub fn parse(text: &str) -> Option<Factor> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) || whole.len() > 4 || part.len() > 2 {
            return None;
        }
        let hundredths = format!("{part:0<2}").parse::<u32>().ok()?;
        Factor::from_hundredths(whole.parse::<u32>().ok()? * 100 + hundredths)
    }

    /// The factor in hundredths.
    pub const fn hundredths(self) -> u32 {
        self.0 as u32
    }
}

impl std::fmt::Display for Factor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, part) = (self.0 / 100, self.0 % 100);
        match part {
            0 => write!(f, "{whole}"),
            part if part % 10 == 0 => write!(f, "{whole}.{}", part / 10),
            part => write!(f, "{whole}.{part:02}"),
        }
    }
}

/// What a unit type makes of a class of ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Footing {
    /// It can be walked on at this factor.
    Factor(Factor),
    /// It is a wall.
    Wall,
}

/// Why terrain was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TerrainError {
    /// Not `CLASS=FACTOR`.
    #[error(
        "`{text}` in the terrain: expected CLASS=FACTOR or CLASS=#, items separated by commas, such as S=2,W=4.5,T=#"
    )]
    NoPair {
        /// What was given.
        text: String,
    },
    /// A factor out of range or not a number.
    #[error(
        "`{class}={value}` in the terrain: expected a factor from 0.1 to 100 with at most two decimals, or # for a wall"
    )]
    BadFactor {
        /// The class.
        class: String,
        /// What was given.
        value: String,
    },
    /// A class twice.
    #[error("`{class}` has two factors in the terrain; give one")]
    Twice {
        /// The class.
        class: String,
    },
    /// A class that the map does not know.
    #[error("the map has no class `{class}`; it has {known}{}", parted(.class))]
    UnknownClass {
        /// What was given.
        class: String,
        /// What there is.
        known: String,
    },
    /// Classes for a map of another size.
    #[error(
        "the terrain has {found} cells, the map {expected}; give one class for every cell, row by row"
    )]
    WrongSize {
        /// Cells of the map.
        expected: u64,
        /// Cells of the terrain.
        found: u64,
    },
    /// A cell of a class that there is not.
    #[error("a cell has class {number}; there are {classes}, counted from 0")]
    NoSuchNumber {
        /// What the cell has.
        number: u8,
        /// How many classes there are.
        classes: usize,
    },
    /// More classes than a byte tells apart.
    #[error("the terrain has more than 255 classes; join some of them")]
    TooManyClasses,
    /// No scale holds the costs.
    #[error(
        "paths of up to {moves} moves at factor {highest} would pass the largest cost: give factors that differ by less, such as whole numbers"
    )]
    TooExpensive {
        /// The moves of the longest shortest path, or more.
        moves: u64,
        /// The largest factor.
        highest: Factor,
    },
}

/// A word on separators for what looks like two items.
fn parted(class: &str) -> &'static str {
    match class.contains(['=', ';']) && class.len() > 1 {
        true => " (items are separated by commas)",
        false => "",
    }
}

/// What a unit type makes of the classes of a map, by their names; classes that are not named keep their meaning.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Footings(BTreeMap<String, Footing>);

impl Footings {
    /// Nothing is named.
    pub fn new() -> Footings {
        Footings::default()
    }

    /// Reads `S=2,W=4.5,T=#`.
    pub fn parse(text: &str) -> Result<Footings, TerrainError> {
        let mut all = BTreeMap::new();
        for item in text.split(',').map(str::trim) {
            let no_pair = || TerrainError::NoPair {
                text: item.to_string(),
            };
            // The class may be `=` itself or hold it: the last one parts.
            let (class, value) = item.rsplit_once('=').ok_or_else(no_pair)?;
            let (class, value) = (class.trim(), value.trim());
            if class.is_empty() {
                return Err(no_pair());
            }
            let footing = match value {
                "#" => Footing::Wall,
                _ => Footing::Factor(Factor::parse(value).ok_or_else(|| {
                    TerrainError::BadFactor {
                        class: class.to_string(),
                        value: value.to_string(),
                    }
                })?),
            };
            if all.insert(class.to_string(), footing).is_some() {
                return Err(TerrainError::Twice {
                    class: class.to_string(),
                });
            }
        }
        Ok(Footings(all))
    }

    /// Names a class.
    pub fn set(&mut self, class: &str, footing: Footing) {
        self.0.insert(class.to_string(), footing);
    }

    /// What a class was given.
    pub fn get(&self, class: &str) -> Option<Footing> {
        self.0.get(class).copied()
    }

    /// All that are named.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Footing)> {
        self.0
            .iter()
            .map(|(class, footing)| (class.as_str(), *footing))
    }

    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for Footings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (class, footing)) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            match footing {
                Footing::Factor(factor) => write!(f, "{comma}{class}={factor}")?,
                Footing::Wall => write!(f, "{comma}{class}=#")?,
            }
        }
        Ok(())
    }
}

/// A class of ground.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its name: a letter of a `.map` file, the value of a property in Tiled.
    pub name: String,
    /// What it is where nobody says otherwise.
    pub footing: Footing,
}

/// The class of every cell of a map, blocked ones included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    width: u32,
    height: u32,
    kinds: Vec<Class>,
    /// Row by row.
    cells: Vec<u8>,
}

impl Classes {
    /// Classes of cells, row by row, as numbers of `kinds`. Class 0 is plain ground: what a wall becomes when it is opened.
    pub fn new(
        width: u32,
        height: u32,
        kinds: Vec<Class>,
        cells: Vec<u8>,
    ) -> Result<Classes, TerrainError> {
        let expected = u64::from(width) * u64::from(height);
        if cells.len() as u64 != expected {
            return Err(TerrainError::WrongSize {
                expected,
                found: cells.len() as u64,
            });
        }
        let classes = kinds.len();
        if classes > 255 {
            return Err(TerrainError::TooManyClasses);
        }
        if let Some(&number) = cells.iter().find(|&&cell| usize::from(cell) >= classes) {
            return Err(TerrainError::NoSuchNumber { number, classes });
        }
        Ok(Classes {
            width,
            height,
            kinds,
            cells,
        })
    }

    /// The classes that there are.
    pub fn kinds(&self) -> &[Class] {
        &self.kinds
    }

    /// The number of a cell's class; 0 outside.
    pub fn at(&self, point: Point) -> u8 {
        if point.x >= self.width || point.y >= self.height {
            return 0;
        }
        self.cells[point.y as usize * self.width as usize + point.x as usize]
    }

    /// Whether any class has a cost of its own.
    pub fn matter(&self) -> bool {
        let plain = |class: &Class| match class.footing {
            Footing::Factor(factor) => factor == Factor::ONE,
            Footing::Wall => true,
        };
        !self.kinds.iter().all(plain)
    }

    /// The same cells with what a unit type makes of their classes. Names that no class has are refused, unless they are among
    /// `known`, names that maps of this kind may have.
    pub fn with(&self, footings: &Footings, known: &[&str]) -> Result<Classes, TerrainError> {
        let mut changed = self.clone();
        for (name, footing) in footings.iter() {
            match changed.kinds.iter_mut().find(|class| class.name == name) {
                Some(class) => class.footing = footing,
                None if known.contains(&name) => {}
                None => {
                    let names: Vec<_> = self.kinds.iter().map(|class| &*class.name).collect();
                    return Err(TerrainError::UnknownClass {
                        class: name.to_string(),
                        known: names.join(", "),
                    });
                }
            }
        }
        Ok(changed)
    }

    /// Plain ground everywhere.
    pub fn plain(width: u32, height: u32) -> Classes {
        let ground = Class {
            name: LETTERS[0].to_string(),
            footing: Footing::Factor(Factor::ONE),
        };
        Classes {
            width,
            height,
            kinds: vec![ground],
            cells: vec![0; width as usize * height as usize],
        }
    }

    /// Blocks the cells of a grid whose class has become a wall and opens those whose class was one and is none any more, but no
    /// door: one that is closed stays so.
    pub fn shape(&self, before: &Classes, grid: &mut Grid, is_door: impl Fn(Point) -> bool) {
        for y in 0..self.height {
            for x in 0..self.width {
                let at = Point { x, y };
                let class = usize::from(self.at(at));
                let walls = [before, self].map(|c| c.kinds[class].footing == Footing::Wall);
                if walls[0] != walls[1] && (walls[1] || !is_door(at)) {
                    grid.set(at, !walls[1]);
                }
            }
        }
    }

    /// The factor of a cell in hundredths: that of its class, or that of class 0 where it is a wall.
    pub(crate) fn hundredths(&self) -> Vec<u32> {
        let of = |class: &Class| match class.footing {
            Footing::Factor(factor) => Some(factor.hundredths()),
            Footing::Wall => None,
        };
        let plain = self.kinds.first().and_then(of);
        let plain = plain.unwrap_or(Factor::ONE.hundredths());
        let factors = self.kinds.iter().map(|class| of(class).unwrap_or(plain));
        factors.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_and_written() {
        for (text, hundredths) in [
            ("2", 200),
            ("4.5", 450),
            ("0.1", 10),
            ("100", 10_000),
            ("1.25", 125),
            ("0.10", 10),
        ] {
            let factor = Factor::parse(text).expect(text);
            assert_eq!(factor.hundredths(), hundredths, "{text}");
            assert_eq!(Factor::parse(&factor.to_string()), Some(factor));
        }
        for text in [
            "",
            "0",
            "0.09",
            "-1",
            "100.01",
            "nan",
            "inf",
            "1e2",
            "1.234",
            ".5",
            "2.",
            "+2",
            "99999999999",
            "\u{661}",
        ] {
            assert_eq!(Factor::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_factors_where_their_texts_are() {
        for hundredths in 10..=10_000 {
            let factor = Factor::from_hundredths(hundredths);
            let number = f64::from(hundredths) / 100.0;
            assert_eq!(Factor::from_number(number), factor, "{number}");
            let short = f64::from(number as f32);
            assert_eq!(Factor::from_number(short), factor, "{short}");
            assert_eq!(
                Factor::nearest(number + 0.004),
                factor.filter(|_| hundredths < 10_000)
            );
            assert_eq!(Factor::from_number(number + 0.004), None, "{number}");
        }
        let bad = [
            f64::NAN,
            f64::INFINITY,
            -f64::INFINITY,
            0.0,
            -0.0,
            -1.0,
            0.0999,
            100.001,
            1e300,
        ];
        for number in bad {
            assert_eq!(Factor::from_number(number), None, "{number}");
            assert_eq!(Factor::nearest(number), None, "{number}");
        }
        assert_eq!(Factor::from_number(2.499), None);
        assert_eq!(Factor::nearest(2.499), Factor::parse("2.5"));
    }

    #[test]
    fn terrain_is_read_or_refused_with_the_reason() {
        let footings = Footings::parse("S=2, W=4.5,T=#").expect("good");
        assert_eq!(footings.to_string(), "S=2,T=#,W=4.5");
        assert_eq!(footings.get("T"), Some(Footing::Wall));
        for (text, word) in [
            ("S", "CLASS=FACTOR"),
            ("=2", "CLASS=FACTOR"),
            ("S=2,,W=3", "CLASS=FACTOR"),
            ("S=0", "0.1 to 100"),
            ("S=-1", "0.1 to 100"),
            ("S=x", "0.1 to 100"),
            ("S=1000", "0.1 to 100"),
            ("S=NaN", "0.1 to 100"),
            ("S=2,S=3", "two factors"),
        ] {
            let error = Footings::parse(text).expect_err(text).to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
