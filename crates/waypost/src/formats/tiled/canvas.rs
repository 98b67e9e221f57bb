//! From tiles and objects to cells: where tiles of any arrangement lie, and what they make of their cells.

use super::TiledError;
use super::model::{Layer, Part, TiledMap};
use super::outline;
use super::walls::{Meanings, Rule, door};
use crate::formats::level::{Door, Level};
use crate::formats::text::quote;
use crate::grid::{Grid, MAX_SIDE, Point};
use crate::terrain::Classes;
use std::ops::Range;

/// An infinite map whose parts lie far apart may have so many cells for each tile that it stores.
const CELLS_PER_TILE: u64 = 64;
/// Or so many in all.
const SPARE_CELLS: u64 = 1 << 22;

/// Where the tiles of a map become cells.
pub(super) struct Frame {
    /// The least coordinates, before they are moved to 0.
    origin: [i32; 2],
    pub width: u32,
    pub height: u32,
}

/// A tile's place in the grid of cells, before it is moved to the frame's origin.
fn place(map: &TiledMap, x: i32, y: i32) -> [i32; 2] {
    if map.orientation != "staggered" {
        return [x, y];
    }
    // Shifted rows: half tiles across, rows down; the two directions in which tiles touch are the new axes.
    let (along, across) = if map.stagger.columns { (y, x) } else { (x, y) };
    let odd = across.rem_euclid(2);
    let half = 2 * along + if map.stagger.even { -odd } else { odd };
    let (u, v) = ((half + across).div_euclid(2), (across - half).div_euclid(2));
    if map.stagger.columns { [u, -v] } else { [u, v] }
}

impl Frame {
    /// The frame of a map: its size, or the box of all tiles of an infinite or staggered one.
    pub fn of(map: &TiledMap) -> Result<Frame, TiledError> {
        for part in map
            .layers
            .iter()
            .flat_map(|layer| layer.parts.iter().map(move |p| (layer, p)))
        {
            check_part(map, part.0, part.1)?;
        }
        if !map.is_infinite && map.orientation != "staggered" {
            return Ok(Frame {
                origin: [0, 0],
                width: map.width,
                height: map.height,
            });
        }
        let mut bounds: Option<[i32; 4]> = None;
        let mut tiles = 0u64;
        for layer in &map.layers {
            for_each_tile(layer, |x, y, tile| {
                tiles += 1;
                if tile != 0 {
                    let [u, v] = place(map, x, y);
                    let [left, top, right, bottom] = bounds.unwrap_or([u, v, u, v]);
                    bounds = Some([left.min(u), top.min(v), right.max(u), bottom.max(v)]);
                }
            })?;
        }
        let [left, top, right, bottom] = bounds.ok_or_else(|| TiledError::Unsupported {
            what: "a map without any tile".to_string(),
            remedy: "draw something on a tile layer",
        })?;
        let side = |low: i32, high: i32| (i64::from(high) - i64::from(low) + 1) as u64;
        let (width, height) = (side(left, right), side(top, bottom));
        let most = SPARE_CELLS.max(tiles.saturating_mul(CELLS_PER_TILE));
        if width.max(height) > u64::from(MAX_SIDE) || width * height > most {
            return Err(TiledError::Unsupported {
                what: format!("a map whose parts lie {width} x {height} tiles apart"),
                remedy: "move its parts together, or export them as maps of their own",
            });
        }
        Ok(Frame {
            origin: [left, top],
            width: width as u32,
            height: height as u32,
        })
    }

    fn point(&self, map: &TiledMap, x: i32, y: i32) -> Option<Point> {
        let [u, v] = place(map, x, y);
        let point = Point {
            x: u32::try_from(i64::from(u) - i64::from(self.origin[0])).ok()?,
            y: u32::try_from(i64::from(v) - i64::from(self.origin[1])).ok()?,
        };
        (point.x < self.width && point.y < self.height).then_some(point)
    }
}

/// Layers of finite maps are as large as the map; no part claims more tiles than its bytes can hold.
fn check_part(map: &TiledMap, layer: &Layer, part: &Part) -> Result<(), TiledError> {
    let got = u64::from(part.width) * u64::from(part.height);
    let expected = match map.is_infinite {
        true => got,
        false => u64::from(map.width) * u64::from(map.height),
    };
    let most = part.data.most_tiles();
    if got != expected || most < expected {
        return Err(TiledError::Tiles {
            layer: quote(layer.name.as_bytes()),
            expected,
            got: got.min(most),
        });
    }
    Ok(())
}

/// Visits all tiles of a layer with their places.
fn for_each_tile(layer: &Layer, mut visit: impl FnMut(i32, i32, u32)) -> Result<(), TiledError> {
    for part in &layer.parts {
        let expected = u64::from(part.width) * u64::from(part.height);
        let (mut x, mut y) = (0, 0);
        let count = part.data.for_each_tile(expected, |tile| {
            let at = |from: i32, by: u32| from.saturating_add_unsigned(by);
            visit(at(part.x, x), at(part.y, y), tile);
            x += 1;
            if x == part.width {
                (x, y) = (0, y + 1);
            }
        });
        let name = || quote(layer.name.as_bytes());
        match count {
            Ok(got) if got == expected => {}
            Ok(got) => {
                return Err(TiledError::Tiles {
                    layer: name(),
                    expected,
                    got,
                });
            }
            Err(message) => {
                return Err(TiledError::Data {
                    layer: name(),
                    message,
                });
            }
        }
    }
    Ok(())
}

/// Cells in the making.
struct Canvas<'a> {
    map: &'a TiledMap,
    frame: &'a Frame,
    grid: Grid,
    /// Cells that have a tile on some layer.
    drawn: Grid,
    doors: Vec<Door>,
    /// By cell, where any tile says what its ground is.
    classes: Vec<u8>,
}

/// Makes the level.
pub(super) fn level(
    map: &TiledMap,
    frame: &Frame,
    meanings: Meanings,
) -> Result<Level, TiledError> {
    let has_classes = meanings.classes.len() > 1;
    let cells = frame.width as usize * frame.height as usize;
    let mut grid = Grid::blocked(frame.width, frame.height)?;
    let drawn = grid.clone();
    for y in 0..frame.height {
        grid.set_run(y, 0..frame.width, true);
    }
    let mut canvas = Canvas {
        map,
        frame,
        grid,
        drawn,
        doors: Vec::new(),
        classes: vec![0; if has_classes { cells } else { 0 }],
    };
    canvas.draw_tiles(&meanings)?;
    canvas.draw_objects(&meanings);
    canvas.finish(meanings)
}

impl Canvas<'_> {
    fn draw_tiles(&mut self, meanings: &Meanings) -> Result<(), TiledError> {
        for layer in &self.map.layers {
            let all_walls = meanings.layer_is_wall(&layer.name, &layer.properties);
            for_each_tile(layer, |x, y, tile| {
                let Some(at) = self.frame.point(self.map, x, y).filter(|_| tile != 0) else {
                    return;
                };
                let meaning = meanings.tile(tile);
                self.drawn.set(at, true);
                if all_walls || meaning.wall {
                    self.grid.set(at, false);
                }
                if let Some(is_open) = meaning.door {
                    self.doors.push(Door { at, is_open });
                }
                let number = at.y as usize * self.frame.width as usize + at.x as usize;
                if let Some(class) = self.classes.get_mut(number)
                    && meaning.class > 0
                {
                    *class = meaning.class;
                }
            })?;
        }
        Ok(())
    }

    /// Objects that block or are doors.
    fn draw_objects(&mut self, meanings: &Meanings) {
        // Objects of isometric maps are measured in heights of tiles along both axes.
        let [across, down] = match self.map.orientation.as_str() {
            "isometric" => [self.map.tile_size[1]; 2],
            _ => self.map.tile_size,
        };
        for layer in &self.map.object_layers {
            for object in &layer.objects {
                let wall =
                    meanings.object_is_wall((&layer.name, &layer.properties), &object.properties);
                let door = door(&object.properties);
                if !wall && door.is_none() {
                    continue;
                }
                let points = match object.outline() {
                    Some(corners) => self.touched(&corners, object.is_line, [across, down]),
                    None => self.points(
                        cells_between(object.corner[0], object.size[0], across),
                        cells_between(object.corner[1], object.size[1], down),
                    ),
                };
                for at in points {
                    match door {
                        Some(is_open) => self.doors.push(Door { at, is_open }),
                        None => self.grid.set(at, false),
                    }
                }
            }
        }
    }

    /// The cells that a polygon or a line covers or touches, its corners in pixels.
    fn touched(&self, corners: &[[f64; 2]], is_line: bool, tile: [f64; 2]) -> Vec<Point> {
        if !(tile[0] > 0.0 && tile[1] > 0.0) {
            return Vec::new();
        }
        let tiles = corners.iter().map(|at| [at[0] / tile[0], at[1] / tile[1]]);
        let mut points = Vec::new();
        outline::touched(
            &tiles.collect::<Vec<_>>(),
            is_line,
            self.reach(1),
            |row, columns| {
                points.extend(self.points([columns.start, columns.end], [row, row + 1]));
            },
        );
        points
    }

    /// Along one axis: where cells of the frame can be. No object reaches further, or a box could be as large as numbers are.
    fn reach(&self, axis: usize) -> Range<i32> {
        let (origin, reach) = (
            self.frame.origin[axis],
            self.frame.width.max(self.frame.height) as i32 * 2 + 2,
        );
        origin.saturating_sub(reach)..origin.saturating_add(2 * reach)
    }

    /// The cells of a rectangle of tiles.
    fn points(&self, columns: [i32; 2], rows: [i32; 2]) -> Vec<Point> {
        let [across, down] = [0, 1].map(|axis| self.reach(axis));
        let columns = columns[0].max(across.start)..columns[1].min(across.end);
        let mut points = Vec::new();
        for y in rows[0].max(down.start)..rows[1].min(down.end) {
            for x in columns.clone() {
                points.extend(self.frame.point(self.map, x, y));
            }
        }
        points
    }

    fn finish(mut self, meanings: Meanings) -> Result<Level, TiledError> {
        if meanings.rule == Rule::Empty {
            for y in 0..self.frame.height {
                for x in 0..self.frame.width {
                    let at = Point { x, y };
                    let drawn = self.drawn.passable_cell(at).is_some();
                    let open = self.grid.passable_cell(at).is_some();
                    self.grid.set(at, drawn && open);
                }
            }
        }
        self.doors.sort_by_key(|door| (door.at.y, door.at.x));
        self.doors.dedup_by_key(|door| door.at);
        for door in &self.doors {
            self.grid.set(door.at, door.is_open);
        }
        let classes = match self.classes.is_empty() {
            true => None,
            false => {
                let (width, height) = (self.frame.width, self.frame.height);
                Some(Classes::new(width, height, meanings.classes, self.classes)?)
            }
        };
        Ok(Level {
            grid: self.grid,
            classes,
            doors: self.doors,
            notes: Vec::new(),
        })
    }
}

/// The tiles that a stretch of pixels covers at least in part.
fn cells_between(start: f64, length: f64, tile: f64) -> [i32; 2] {
    if !(start.is_finite() && length > 0.0 && length.is_finite() && tile > 0.0) {
        return [0, 0];
    }
    let first = (start / tile + 1e-6).floor();
    let end = ((start + length) / tile - 1e-6).ceil();
    [first as i32, end as i32]
}
