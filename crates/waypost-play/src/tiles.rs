//! Tiles of the map at the zoom that is asked for, a byte a pixel.
//!
//! | byte | pixel |
//! |---|---|
//! | 0 | beyond the map |
//! | 1, 2 | wall, floor |
//! | 3, 4 | open door, closed door |
//! | 64 + 4 g + s | ground of kind g ([`ground_of`]), s thirds of it open |
//! | 128 + s | s of 63 parts are floor, the rest wall |

use crate::protocol::tell::{Kind, head};
use serde::Serialize;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};
use waypost::grid::Grid;
use waypost::terrain::{Class, Classes, Footing};
use waypost::{Map, Point, World};

/// Pixels on a side of a tile.
pub const SIDE: u32 = 256;
/// Rows of cells that a pixel looks at, at most.
const MAX_ROWS: u32 = 64;
/// Cells on a side that a pixel looks at where ground matters.
const GROUND_SAMPLES: u32 = 4;

const WALL: u8 = 1;
const FLOOR: u8 = 2;
const OPEN_DOOR: u8 = 3;
const CLOSED_DOOR: u8 = 4;
const GROUND: u8 = 64;
const SHARES: u8 = 128;

/// What tiles are made of. The world changes below it.
pub struct Scene {
    /// The map.
    pub world: Arc<World>,
    /// Doors.
    pub doors: RwLock<Option<Grid>>,
    /// Kinds of ground.
    pub classes: Option<Arc<Classes>>,
    /// By class: the kind of ground that the page has a colour for.
    grounds: Vec<u8>,
}

impl Scene {
    /// Of a world.
    pub fn new(world: Arc<World>, classes: Option<Arc<Classes>>, doors: Option<Grid>) -> Scene {
        let kinds = classes.iter().flat_map(|classes| classes.kinds());
        Scene {
            grounds: kinds.map(ground_of).collect(),
            world,
            doors: RwLock::new(doors),
            classes,
        }
    }

    /// The doors as they are.
    pub fn doors(&self) -> Option<Grid> {
        let doors = self.doors.read();
        doors.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The kind of ground that a class is: 0 plain, 1 roads, 2 swamp, 3 woods, 4 water, 5 other slow ground. By its name where that says
/// so, else by what a step on it costs.
pub fn ground_of(class: &Class) -> u8 {
    let name = class.name.to_lowercase();
    let named = [
        (1, &["g", "road", "path", "street"][..]),
        (2, &["s", "swamp", "mud", "marsh", "sand"]),
        (3, &["t", "tree", "wood", "forest"]),
        (4, &["w", "water", "river", "lake", "sea"]),
    ];
    let found = named.iter().find(|(_, words)| {
        let mut words = words.iter();
        words.any(|word| name == *word || word.len() > 1 && name.contains(word))
    });
    if let Some((ground, _)) = found {
        return *ground;
    }
    match class.footing {
        Footing::Wall => 0,
        Footing::Factor(factor) => match factor.hundredths() {
            ..=90 => 1,
            91..=120 => 0,
            121..=250 => 2,
            _ => 5,
        },
    }
}

/// A kind of ground of a map, for the page's legend.
#[derive(Debug, Serialize)]
pub struct Legend {
    kind: u8,
    name: String,
    factor: Option<f64>,
}

/// The kinds of ground of a map where they differ in what they cost or are called.
pub fn grounds(map: &Map, classes: &Classes) -> Vec<Legend> {
    let mut seen = vec![false; classes.kinds().len()];
    let (width, height) = (map.grid().width(), map.grid().height());
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        seen[usize::from(classes.at(Point { x, y }))] = true;
    }
    let kinds = classes.kinds().iter().zip(seen);
    let kinds = kinds.filter(|(class, seen)| *seen && !["@", "O"].contains(&&*class.name));
    let legends = kinds.map(|(class, _)| Legend {
        kind: ground_of(class),
        name: class.name.clone(),
        factor: match class.footing {
            Footing::Wall => None,
            Footing::Factor(factor) => Some(f64::from(factor.hundredths()) / 100.0),
        },
    });
    let legends: Vec<Legend> = legends.collect();
    match legends.len() {
        1 => Vec::new(),
        _ => legends,
    }
}

/// A tile as a frame.
pub fn frame(scene: &Scene, zoom: u8, x: u32, y: u32) -> Vec<u8> {
    let mut frame = head(Kind::Tile).to_vec();
    frame.extend_from_slice(&[zoom, 0]);
    frame.extend_from_slice(&x.to_le_bytes());
    frame.extend_from_slice(&y.to_le_bytes());
    let doors = scene.doors.read().unwrap_or_else(PoisonError::into_inner);
    let map = scene.world.map();
    let painter = Painter {
        map: &map,
        doors: doors.as_ref(),
        scene,
        zoom: u32::from(zoom),
    };
    painter.paint(x, y, &mut frame);
    frame
}

struct Painter<'a> {
    map: &'a Map,
    doors: Option<&'a Grid>,
    scene: &'a Scene,
    zoom: u32,
}

impl Painter<'_> {
    fn paint(&self, x: u32, y: u32, out: &mut Vec<u8>) {
        let (width, height) = (self.map.grid().width(), self.map.grid().height());
        for py in 0..SIDE {
            let rows = self.span(y, py, height);
            for px in 0..SIDE {
                let columns = self.span(x, px, width);
                out.push(match rows.is_empty() || columns.is_empty() {
                    true => 0,
                    false => self.pixel(columns, rows.clone()),
                });
            }
        }
    }

    /// The cells along one side of a pixel, as far as the map goes.
    fn span(&self, tile: u32, pixel: u32, side: u32) -> Range<u32> {
        let cells = 1u64 << self.zoom;
        let first = (u64::from(tile) * u64::from(SIDE) + u64::from(pixel)) * cells;
        let end = (first + cells).min(u64::from(side));
        first.min(end) as u32..end as u32
    }

    fn pixel(&self, columns: Range<u32>, rows: Range<u32>) -> u8 {
        let door = self
            .doors
            .and_then(|doors| self.door(doors, &columns, &rows));
        if let Some(door) = door {
            return door;
        }
        if let Some(classes) = &self.scene.classes {
            return self.ground(classes, &columns, &rows);
        }
        let (open, all) = share(self.map.grid(), &columns, &rows);
        match (self.zoom, open) {
            (0, 0) => WALL,
            (0, _) => FLOOR,
            _ => SHARES + (open * 63 / all) as u8,
        }
    }

    /// A closed door is seen before an open one, and any door before what is around it, up to the zoom at which a pixel is a room.
    fn door(&self, doors: &Grid, columns: &Range<u32>, rows: &Range<u32>) -> Option<u8> {
        if self.zoom > 4 || share(doors, columns, rows).0 == 0 {
            return None;
        }
        let points = rows
            .clone()
            .flat_map(|y| columns.clone().map(move |x| Point { x, y }));
        let is_closed =
            |at: Point| doors.passable_cell(at).is_some() && self.map.passable_cell(at).is_none();
        let mut points = points;
        Some(match points.any(is_closed) {
            true => CLOSED_DOOR,
            false => OPEN_DOOR,
        })
    }

    fn ground(&self, classes: &Classes, columns: &Range<u32>, rows: &Range<u32>) -> u8 {
        let step =
            |range: &Range<u32>| ((range.end - range.start) / GROUND_SAMPLES).max(1) as usize;
        let (mut open, mut all, mut kinds) = (0, 0, [0u32; 8]);
        for y in rows.clone().step_by(step(rows)) {
            for x in columns.clone().step_by(step(columns)) {
                let at = Point { x, y };
                let ground = self.scene.grounds[usize::from(classes.at(at))];
                let is_open = self.map.passable_cell(at).is_some();
                // Walls have a colour of their own only where they are trees or water.
                let counts = is_open || ground == 3 || ground == 4;
                kinds[usize::from(ground)] += u32::from(counts);
                open += u32::from(is_open);
                all += 1;
            }
        }
        let most = (0..8u8).max_by_key(|&kind| (kinds[usize::from(kind)], 8 - kind));
        let most = most.unwrap_or(0);
        match (kinds[usize::from(most)], self.zoom, most, open) {
            (0, 0, ..) => WALL,
            (0, ..) => SHARES,
            (_, 0, 0, _) => FLOOR,
            (_, _, 0, _) => SHARES + (open * 63 / all) as u8,
            _ => GROUND + most * 4 + (open * 3 / all) as u8,
        }
    }
}

/// How many cells of a rectangle are passable, and of how many; of large ones a part of the rows is looked at.
fn share(grid: &Grid, columns: &Range<u32>, rows: &Range<u32>) -> (u32, u32) {
    let (words, width) = (grid.words(), columns.end - columns.start);
    let step = (rows.end - rows.start).div_ceil(MAX_ROWS).max(1);
    let (mut open, mut all) = (0, 0);
    for y in rows.clone().step_by(step as usize) {
        // A row begins with the border.
        let first = (y as usize + 1) * grid.words_per_row();
        open += ones(&words[first..], columns.start + 1, width);
        all += width;
    }
    (open, all)
}

/// Bits that are set among `count` bits from a place on.
fn ones(words: &[u64], from: u32, count: u32) -> u32 {
    let (first, end) = (from as usize, (from + count) as usize);
    let below = |bit: usize| (1u64 << (bit % 64)) - 1;
    if first / 64 == end / 64 {
        return (words[first / 64] & below(end) & !below(first)).count_ones();
    }
    let mut found = (words[first / 64] & !below(first)).count_ones();
    let whole = &words[first / 64 + 1..end / 64];
    found += whole.iter().map(|word| word.count_ones()).sum::<u32>();
    if end % 64 > 0 {
        found += (words[end / 64] & below(end)).count_ones();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost::generate::{Kind, generate};
    use waypost::grid::MoveRules;
    use waypost::index::Indexes;

    fn scene(width: u32, height: u32) -> Scene {
        let grid = generate(Kind::Caves, width, height, 3).expect("legal");
        let world = World::new(Map::new(grid, MoveRules::default()), &Indexes::default());
        Scene::new(world, None, None)
    }

    #[test]
    fn pixels_are_what_cells_are() {
        let scene = scene(300, 200);
        let (tile, map) = (frame(&scene, 0, 1, 0), scene.world.map());
        assert_eq!(tile.len(), 12 + 65536);
        for y in 0..256 {
            for x in 0..256 {
                let at = Point { x: x + 256, y };
                let expected = match (map.grid().cell(at), map.passable_cell(at)) {
                    (None, _) => 0,
                    (_, None) => WALL,
                    (_, Some(_)) => FLOOR,
                };
                assert_eq!(tile[12 + (y * 256 + x) as usize], expected, "{at}");
            }
        }
    }

    #[test]
    fn shares_are_counted() {
        let scene = scene(1000, 700);
        let map = scene.world.map();
        for zoom in [1u8, 3, 5] {
            let tile = frame(&scene, zoom, 0, 0);
            let side = 1u32 << zoom;
            for (px, py) in [(0, 0), (7, 9), (20, 11), (30, 20)] {
                let (columns, rows) = (px * side..(px + 1) * side, py * side..(py + 1) * side);
                let cells = rows.flat_map(|y| columns.clone().map(move |x| Point { x, y }));
                let inside = cells.filter(|&at| map.grid().cell(at).is_some());
                let all: Vec<bool> = inside.map(|at| map.passable_cell(at).is_some()).collect();
                let open = all.iter().filter(|&&open| open).count();
                let expected = match all.len() {
                    0 => 0,
                    all => SHARES + (open * 63 / all) as u8,
                };
                assert_eq!(
                    tile[12 + (py * 256 + px) as usize],
                    expected,
                    "{px},{py} at {zoom}"
                );
            }
        }
        // Beyond the map, however far.
        assert!(
            frame(&scene, 16, u32::MAX, u32::MAX)[12..]
                .iter()
                .all(|&byte| byte == 0)
        );
    }

    #[test]
    fn doors_are_seen() {
        let scene = scene(300, 200);
        let (open, closed) = {
            let map = scene.world.map();
            let mut doors = crate::source::no_cells(&map);
            let open = map.grid().cells().next().expect("a floor");
            let open = map.grid().point(open);
            let closed = Point { x: 0, y: 0 };
            assert!(map.passable_cell(closed).is_none());
            doors.set(open, true);
            doors.set(closed, true);
            *scene.doors.write().expect("nobody panics") = Some(doors);
            (open, closed)
        };
        let tile = frame(&scene, 0, 0, 0);
        let pixel = |tile: &[u8], at: Point, zoom: u32| {
            tile[12 + ((at.y >> zoom) * 256 + (at.x >> zoom)) as usize]
        };
        assert_eq!(pixel(&tile, open, 0), OPEN_DOOR);
        assert_eq!(pixel(&tile, closed, 0), CLOSED_DOOR);
        assert_eq!(pixel(&frame(&scene, 2, 0, 0), closed, 2), CLOSED_DOOR);
    }
}
