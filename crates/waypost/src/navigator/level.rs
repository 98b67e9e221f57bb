//! Maps from what levels are kept in.

use super::Error;
use crate::formats::{self, Level};
use crate::grid::{Grid, GridPatch, MoveRules, Point};
use crate::map::{Doors, Map};
use crate::terrain::{Class, Classes, Factor, Footing, Footings, TerrainError};

/// What of a file is read, where it holds more than one map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChoice {
    /// LDtk: the level, by its name; the first, unless told.
    pub level: Option<String>,
    /// Tiled: the layer whose tiles are walls; LDtk: the layer of integers. Found by their names, unless told.
    pub layer: Option<String>,
}

/// What a letter of a drawn map is ([`Map::from_text`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tile {
    /// Can be stood on.
    Free,
    /// Ground of this name: a step costs its length times the mean factor of its two cells, 0.1 to 100 (that of [`Tile::Free`] is 1). Unit types
    /// have other factors for it by its name ([`UnitType::factor`](crate::prelude::UnitType::factor)).
    Ground(&'static str, f64),
    /// Cannot.
    Wall,
    /// A door that is open at first.
    OpenDoor,
    /// A door that is closed at first.
    ClosedDoor,
}

impl Map {
    /// A map in which `passable` decides for every point, with the usual rules.
    pub fn from_fn(
        width: u32,
        height: u32,
        passable: impl FnMut(Point) -> bool,
    ) -> Result<Map, Error> {
        Ok(Map::of_grid(Grid::from_fn(width, height, passable)?))
    }

    /// A map from rows of booleans, the top one first: `true` can be stood on. Fails where a row has another length.
    pub fn from_rows<R: AsRef<[bool]>>(rows: &[R]) -> Result<Map, Error> {
        let width = rows.first().map_or(0, |row| row.as_ref().len());
        if let Some(odd) = rows.iter().position(|row| row.as_ref().len() != width) {
            let found = rows[odd].as_ref().len();
            return Err(Error::Map(format!(
                "row {odd} has {found} cells; expected {width}, as in the first"
            )));
        }
        let at = |p: Point| rows[p.y as usize].as_ref()[p.x as usize];
        Map::from_fn(width as u32, rows.len() as u32, at)
    }

    /// A map drawn as text, a line a row, the top one first; `tile` says what each letter is, blanks too. Lines that are shorter than the
    /// longest end in walls; empty lines before the first and after the last are no rows. The byte order mark
    /// that some editors write is no cell.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// let level = "
    /// ########
    /// #P...+T#
    /// ########";
    /// let map = Map::from_text(level, |letter| match letter {
    ///     '#' => Tile::Wall,
    ///     '+' => Tile::ClosedDoor,
    ///     _ => Tile::Free,
    /// })?;
    /// let nav = Navigator::build(map)?;
    /// assert!(nav.path((1, 1), (6, 1)).is_err());
    /// nav.set_door((5, 1), true)?;
    /// assert_eq!(nav.distance((1, 1), (6, 1))?, 5.0);
    /// # Ok::<(), waypost::Error>(())
    /// ```
    #[doc(alias = "from_ascii")]
    pub fn from_text(text: &str, mut tile: impl FnMut(char) -> Tile) -> Result<Map, Error> {
        let row = |line: &str| line.chars().map(&mut tile).collect();
        let rows: Vec<Vec<Tile>> = rows_of(text).into_iter().map(row).collect();
        let width = rows.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let at = |p: Point| {
            let row = &rows[p.y as usize];
            row.get(p.x as usize).copied().unwrap_or(Tile::Wall)
        };
        let all = || (0..rows.len() as u32).flat_map(|y| (0..width).map(move |x| Point { x, y }));
        let mut map = match all().any(|p| matches!(at(p), Tile::Ground(..))) {
            true => Map::from_tiles(width, rows.len() as u32, all().map(at))?,
            false => Map::from_fn(width, rows.len() as u32, |p| at(p) != Tile::Wall)?,
        };
        let mut closed = GridPatch::new();
        for point in all().filter(|&p| at(p) == Tile::ClosedDoor) {
            closed.set(point, false);
        }
        map.apply(&closed);
        let is_door = |p: &Point| matches!(at(*p), Tile::OpenDoor | Tile::ClosedDoor);
        let doors: Vec<Point> = all().filter(is_door).collect();
        Ok(if doors.is_empty() {
            map
        } else {
            map.and_doors(doors)
        })
    }

    /// Where a letter stands in a level drawn as text, row by row: the points that [`Map::from_text`] gives its cells.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// let level = "
    /// ########
    /// #P...+T#
    /// ########";
    /// assert_eq!(Map::find_in_text(level, 'T'), [(6, 1).into()]);
    /// assert_eq!(Map::find_in_text(level, '.').len(), 3);
    /// ```
    pub fn find_in_text(text: &str, letter: char) -> Vec<Point> {
        let rows = rows_of(text).into_iter().zip(0..);
        let cells = rows.flat_map(|(row, y)| row.chars().zip(0..).map(move |(c, x)| (c, x, y)));
        let found = cells.filter(|&(c, ..)| c == letter);
        found.map(|(_, x, y)| Point { x, y }).collect()
    }

    /// A map of tiles with ground of several names, row by row; doors are open.
    fn from_tiles(
        width: u32,
        height: u32,
        tiles: impl Iterator<Item = Tile>,
    ) -> Result<Map, Error> {
        let class = |name: &str, footing| Class {
            name: name.to_string(),
            footing,
        };
        let mut kinds = vec![
            class("free", Footing::Factor(Factor::ONE)),
            class("wall", Footing::Wall),
        ];
        let mut cells = Vec::new();
        for tile in tiles {
            let (name, number) = match tile {
                Tile::Ground(name, factor) => (name, factor),
                Tile::Wall => {
                    cells.push(1);
                    continue;
                }
                _ => {
                    cells.push(0);
                    continue;
                }
            };
            let bad = || TerrainError::BadFactor {
                class: name.to_string(),
                value: number.to_string(),
            };
            let footing = Footing::Factor(Factor::from_number(number).ok_or_else(bad)?);
            let known = kinds.iter().position(|kind| kind.name == name);
            if known.is_some_and(|at| kinds[at].footing != footing) {
                return Err(Error::Map(format!(
                    "`{name}` has two factors, one of them {number}; give other ground another name"
                )));
            }
            let at = known.unwrap_or(kinds.len());
            if known.is_none() {
                kinds.push(class(name, footing));
            }
            cells.push(u8::try_from(at).map_err(|_| TerrainError::TooManyClasses)?);
        }
        Map::from_classes(width, height, kinds, cells)
    }

    /// A map from bits, row by row without padding, the least significant bit of a byte first: 1 can be stood on.
    pub fn from_bits(width: u32, height: u32, bits: &[u8]) -> Result<Map, Error> {
        let expected = (u64::from(width) * u64::from(height)).div_ceil(8);
        if (bits.len() as u64) < expected {
            return Err(Error::Map(format!(
                "{width} x {height} cells take {expected} bytes of bits; got {}",
                bits.len()
            )));
        }
        Map::from_fn(width, height, |p| {
            let at = u64::from(p.y) * u64::from(width) + u64::from(p.x);
            bits[(at / 8) as usize] >> (at % 8) & 1 != 0
        })
    }

    /// A map from classes of ground, row by row, each a number of `kinds`: walls are cells whose class is one, and steps cost what
    /// their classes say. Class 0 is what a wall becomes when it is opened.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// use waypost::terrain::{Class, Factor, Footing};
    /// let class = |name: &str, footing| Class { name: name.to_string(), footing };
    /// let kinds = vec![
    ///     class("road", Footing::Factor(Factor::ONE)),
    ///     class("swamp", Footing::Factor(Factor::from_number(4.0).expect("in range"))),
    ///     class("rock", Footing::Wall),
    /// ];
    /// let nav = Navigator::build(Map::from_classes(3, 2, kinds, vec![0, 1, 0, 0, 2, 0])?)?;
    /// assert_eq!(nav.distance((0, 0), (2, 0))?, 5.0);
    /// # Ok::<(), waypost::Error>(())
    /// ```
    pub fn from_classes(
        width: u32,
        height: u32,
        kinds: Vec<Class>,
        cells: Vec<u8>,
    ) -> Result<Map, Error> {
        // The size is checked before anything is made of it.
        let mut grid = Grid::blocked(width, height)?;
        for (i, class) in kinds.iter().enumerate() {
            if kinds[..i].iter().any(|other| other.name == class.name) {
                let class = class.name.clone();
                return Err(TerrainError::Twice { class }.into());
            }
        }
        let classes = Classes::new(width, height, kinds, cells)?;
        for y in 0..height {
            for x in 0..width {
                let at = Point { x, y };
                let class = &classes.kinds()[usize::from(classes.at(at))];
                grid.set(at, class.footing != Footing::Wall);
            }
        }
        Ok(Map::for_unit(
            &grid,
            MoveRules::default(),
            Some(&classes),
            1,
        )?)
    }

    /// A map from the factor of every point, 0.1 to 100; `None` is a wall. Numbers may be computed and are rounded to hundredths. Up to 254
    /// factors may differ; each is a class of its own, named by its number, such as `2.5`.
    pub fn from_factors(
        width: u32,
        height: u32,
        mut factor: impl FnMut(Point) -> Option<f64>,
    ) -> Result<Map, Error> {
        Grid::blocked(width, height)?;
        let class = |name: String, footing| Class { name, footing };
        let mut kinds = vec![
            class(Factor::ONE.to_string(), Footing::Factor(Factor::ONE)),
            class("#".to_string(), Footing::Wall),
        ];
        let mut cells = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            for x in 0..width {
                let Some(number) = factor(Point { x, y }) else {
                    cells.push(1);
                    continue;
                };
                let bad = || TerrainError::BadFactor {
                    class: format!("the cell at {x},{y}"),
                    value: number.to_string(),
                };
                let footing = Footing::Factor(Factor::nearest(number).ok_or_else(bad)?);
                let known = kinds.iter().position(|kind| kind.footing == footing);
                let at = known.unwrap_or(kinds.len());
                if known.is_none() {
                    let Footing::Factor(factor) = footing else {
                        continue;
                    };
                    kinds.push(class(factor.to_string(), footing));
                }
                cells.push(u8::try_from(at).map_err(|_| TerrainError::TooManyClasses)?);
            }
        }
        Map::from_classes(width, height, kinds, cells)
    }

    /// A map of the MovingAI kind: `.`, `G` and `S` can be stood on. Where it has letters beyond `.` and `@`, they are kept as
    /// classes of ground for unit types to name, at a byte a cell.
    pub fn from_movingai(text: &str) -> Result<Map, Error> {
        let failed = |e: formats::MapError| Error::Map(e.to_string());
        let grid = formats::map::parse(text.as_bytes()).map_err(failed)?;
        let body = text.split_once("\nmap").map_or("", |(_, body)| body);
        if !body.contains(['G', 'S', 'W', 'T', 'O']) {
            return Ok(Map::of_grid(grid));
        }
        let reading = formats::Reading {
            footings: Footings::parse(".=1")?,
            ..formats::Reading::default()
        };
        let level = formats::map::parse_level(text.as_bytes(), &reading);
        Map::from_level(&level.map_err(failed)?)
    }

    /// A map from an image: what is at least half as bright as white can be stood on.
    #[cfg(feature = "png")]
    pub fn from_png(bytes: &[u8]) -> Result<Map, Error> {
        let grid = formats::png::parse(bytes, formats::png::DEFAULT_THRESHOLD);
        Ok(Map::of_grid(grid.map_err(|e| Error::Map(e.to_string()))?))
    }

    /// A map of the Tiled editor, XML or JSON: walls, kinds of ground and doors are what the map says they are
    /// ([`formats::tiled::Blocking::Auto`]). `tileset` is asked for tilesets in files of their own.
    #[cfg(feature = "tiled")]
    pub fn from_tiled(
        bytes: &[u8],
        tileset: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    ) -> Result<Map, Error> {
        Map::of_tiled(bytes, &formats::tiled::Blocking::Auto, tileset)
    }

    #[cfg(feature = "tiled")]
    fn of_tiled(
        bytes: &[u8],
        blocking: &formats::tiled::Blocking,
        tileset: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    ) -> Result<Map, Error> {
        let reading = formats::Reading::default();
        let level = formats::tiled::parse_level(bytes, blocking, &reading, tileset);
        Map::from_level(&level.map_err(|e| Error::Map(e.to_string()))?)
    }

    /// A level of the LDtk editor: walls, doors and kinds of ground are what a layer of integers says they are
    /// ([`formats::ldtk::Choice`]). `file` is asked for levels in files of their own.
    #[cfg(feature = "ldtk")]
    pub fn from_ldtk(
        bytes: &[u8],
        choice: &formats::ldtk::Choice,
        file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    ) -> Result<Map, Error> {
        let reading = formats::Reading::default();
        let level = formats::ldtk::parse_level(bytes, choice, &reading, file);
        Map::from_level(&level.map_err(|e| Error::Map(e.to_string()))?)
    }

    /// A map from a level, with the usual rules: what the readers of [`formats`] give, ground and doors included.
    pub fn from_level(level: &Level) -> Result<Map, Error> {
        Ok(level.map(MoveRules::default(), 1)?)
    }

    /// A map from the bytes of a file of any kind that this build reads: the kind is seen from the contents. Of an LDtk project it is
    /// the first level.
    pub fn from_bytes(bytes: &[u8]) -> Result<Map, Error> {
        Map::from_files(bytes, &FileChoice::default(), &mut |_| None)
    }

    /// As [`Map::from_bytes`], with a say in what is read. `beside` is asked for files that this one names: tilesets of Tiled maps,
    /// levels of LDtk projects.
    ///
    /// ```
    /// use waypost::prelude::*;
    /// # fn main() -> Result<(), waypost::Error> {
    /// let map = Map::from_files(b"type octile\nheight 1\nwidth 2\nmap\n.@\n", &FileChoice::default(), &mut |_| None)?;
    /// assert_eq!(map.grid().width(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_files(
        bytes: &[u8],
        choice: &FileChoice,
        beside: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    ) -> Result<Map, Error> {
        let kind = formats::FileKind::of(bytes);
        #[cfg(feature = "ldtk")]
        if kind == formats::FileKind::Ldtk {
            let choice = formats::ldtk::Choice {
                level: choice.level.clone(),
                layer: choice.layer.clone(),
                walls: Vec::new(),
            };
            return Map::from_ldtk(bytes, &choice, beside);
        }
        let refused = |what: &str, kinds: &str| {
            let text = format!("a {what} was named, and the bytes are no {kinds}");
            Err(Error::Map(text))
        };
        if choice.level.is_some() {
            return refused("level", "LDtk project");
        }
        #[cfg(feature = "tiled")]
        if kind == formats::FileKind::Tiled {
            use formats::tiled::Blocking;
            let layer = choice.layer.clone();
            let blocking = layer.map_or(Blocking::Auto, Blocking::Layer);
            return Map::of_tiled(bytes, &blocking, beside);
        }
        if choice.layer.is_some() {
            return refused("layer", "LDtk project or Tiled map");
        }
        #[cfg(feature = "png")]
        if kind == formats::FileKind::Png {
            return Map::from_png(bytes);
        }
        // Nothing else names other files, and a small build tells no kinds apart.
        let _ = (beside, kind);
        match std::str::from_utf8(bytes) {
            Ok(text) => Map::from_movingai(text),
            Err(_) => Err(Error::Map(
                "the bytes are no map of a kind that this build reads (MovingAI, PNG, Tiled, LDtk)"
                    .into(),
            )),
        }
    }

    fn of_grid(grid: Grid) -> Map {
        Map::new(grid, MoveRules::default())
    }

    /// The same map with these cells as doors beside those that it has: open where they can be stood on now, closed where they are walls. Points
    /// outside the map are ignored.
    pub fn and_doors<P: Into<Point>>(self, doors: impl IntoIterator<Item = P>) -> Map {
        let mut mask = match self.doors() {
            Some(doors) => doors.clone(),
            None => Doors::none(self.grid()),
        };
        for point in doors {
            mask.add(point.into());
        }
        self.with_door_cells(mask)
    }
}

/// The rows of a level drawn as text: its lines from the first to the last that is not empty.
fn rows_of(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows: Vec<&str> = text.lines().collect();
    while rows.last().is_some_and(|row| row.is_empty()) {
        rows.pop();
    }
    let first = rows.iter().position(|row| !row.is_empty()).unwrap_or(0);
    rows.split_off(first)
}
