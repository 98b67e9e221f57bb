//! Maps of the Tiled editor, `.tmx` (XML) and `.tmj` (JSON). Feature `tiled`.
//!
//! What blocks is said by the caller, see [`Blocking`], or found in the map: the usual properties of tiles, collision shapes, and
//! tile and object layers whose names say so, tried in that order. Read are orthogonal, isometric and staggered maps with layers
//! as XML elements, CSV, JSON arrays or base64, plain or pressed with zlib or gzip; infinite maps are cropped to the box of
//! their tiles. Staggered maps are turned by an eighth, so that tiles which share an edge are neighbours in a row or column.
//! Hexagonal maps are refused: their cells have six neighbours. Tilesets in files of their own are asked for by name from the
//! caller: the engine opens no file.
//!
//! Objects block the cells that they touch: rectangles, turned ones too, polygons and lines; an ellipse counts as the rectangle round it.
//!
//! The property `terrain` of a tile names its kind of ground, `cost` gives that a factor, and `door` = `open` or `closed`
//! makes a door of a tile or of an object.
//!
//! The XML, JSON and deflate readers are the field's own (`roxmltree`, `serde_json`, `flate2`). The editor's crate `tiled` (0.16)
//! was looked at and not taken: it reads no JSON, wants to open files, fails on embedded images and on tilesets without a tile
//! count, which ours opens, and unpacks layers without a limit. Here layers are unpacked tile by tile into the grid, and a size
//! is believed once the file is long enough to hold it.

mod canvas;
mod model;
mod outline;
mod tiles;
mod tmj;
mod tmx;
mod walls;

#[cfg(test)]
mod tests;

use crate::formats::level::{Level, Reading};
use crate::formats::text::quote;
use crate::grid::{Grid, GridError, MAX_SIDE};
use crate::terrain::TerrainError;
use canvas::Frame;
use model::{Tile, TiledMap, Tileset};
use thiserror::Error;
use walls::Meanings;

/// What makes a cell a wall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// Any tile on the layer with this name.
    Layer(String),
    /// A tile, on any layer, with this property set to true.
    Property(String),
    /// Whatever the map says: the properties `blocked`, `solid` and `collides` of tiles, `walkable` set to false, collision
    /// shapes of tiles, layers of tiles or objects that are named for walls or marked so; without any of it, cells without a
    /// tile. What was found is in [`Level::notes`].
    Auto,
}

/// Why a Tiled map was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TiledError {
    /// It is not XML or JSON, or not a map.
    #[error("the {format} file cannot be read: {message}; expected a map saved by Tiled")]
    Syntax {
        /// `.tmx` or `.tmj`, or those of tilesets.
        format: &'static str,
        /// What is wrong, and where.
        message: String,
    },
    /// Something that is not read.
    #[error("{what} is not supported; {remedy}")]
    Unsupported {
        /// What it is.
        what: String,
        /// What to change in Tiled.
        remedy: &'static str,
    },
    /// The width or height is not one that a map can have.
    #[error(
        "a map of {width} x {height} tiles: expected sides from 1 to {MAX_SIDE}; correct the file"
    )]
    Side {
        /// The width.
        width: u32,
        /// The height.
        height: u32,
    },
    /// The property `cost` of a tile is no factor.
    #[error(
        "a tile has the property `cost` = {value}; expected a factor from 0.1 to 100 with at most two decimals"
    )]
    Cost {
        /// What it is.
        value: String,
    },
    /// The caller's factors do not fit the map.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// The sides are legal, the area is not.
    #[error(transparent)]
    Size(#[from] GridError),
    /// No layer has the name.
    #[error("there is no layer {name}; expected one of: {known}")]
    NoLayer {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// No tile has the property.
    #[error(
        "no tile, object or layer has the property {name} set to true; set it, for tiles in the tileset, or name a layer that blocks with --blocked-layer"
    )]
    NoProperty {
        /// The property asked for.
        name: String,
    },
    /// A layer is not of the map's size, or holds another number of tiles.
    #[error("layer {layer}: expected {expected} tiles, got {got}; is the file cut short?")]
    Tiles {
        /// The layer.
        layer: String,
        /// The tiles that the map's size asks for.
        expected: u64,
        /// The tiles that are there, or could be at most.
        got: u64,
    },
    /// A layer's data cannot be unpacked.
    #[error("layer {layer}: {message}; expected CSV, XML, or base64 with zlib, gzip or nothing")]
    Data {
        /// The layer.
        layer: String,
        /// What is wrong.
        message: String,
    },
    /// A tileset in a file of its own was not given.
    #[error(
        "the tileset {source_name} was not found, and a property of its tiles is asked for; put it beside the map, or embed it (Tiled: Tileset > Embed Tileset)"
    )]
    NoTileset {
        /// The name in the map.
        source_name: String,
    },
}

/// Reads the walls of a Tiled map: [`parse_level`] without terrain and doors.
pub fn parse(
    bytes: &[u8],
    blocking: &Blocking,
    tileset: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Grid, TiledError> {
    Ok(parse_level(bytes, blocking, &Reading::default(), tileset)?.grid)
}

/// Reads a Tiled map, XML or JSON. `tileset` is asked for tilesets that lie in files of their own, by the name that the
/// map gives; one that it does not find is done without, unless the caller asks for a property.
pub fn parse_level(
    bytes: &[u8],
    blocking: &Blocking,
    reading: &Reading,
    tileset: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Level, TiledError> {
    let map = if is_json(bytes) {
        tmj::map(bytes)?
    } else {
        tmx::map(bytes)?
    };
    check_size(&map)?;
    if let Blocking::Layer(name) = blocking
        && !all_layers(&map).any(|known| known == name)
    {
        return Err(TiledError::NoLayer {
            name: quote(name.as_bytes()),
            known: known_layers(&map),
        });
    }
    let frame = Frame::of(&map)?;
    let mut notes = Vec::new();
    let sets = tilesets(&map, blocking, tileset, &mut notes)?;
    let tiles: Vec<(u32, &Tile)> = map
        .tilesets
        .iter()
        .zip(&sets)
        .flat_map(|(reference, read)| {
            let own = read.as_ref().unwrap_or(reference);
            let first = reference.first_tile;
            own.tiles
                .iter()
                .map(move |tile| (first.saturating_add(tile.id), tile))
        })
        .collect();
    let meanings = Meanings::of(&map, &tiles, blocking)?;
    if *blocking == Blocking::Auto {
        notes.push(meanings.rule.note());
    }
    if map.orientation == "staggered" {
        notes.push("a staggered map is turned by an eighth: tiles that share an edge are neighbours in a row or column".to_string());
    }
    let mut level = canvas::level(&map, &frame, meanings)?;
    level.notes = notes;
    match &level.classes {
        Some(classes) => {
            let named = classes.with(&reading.footings, &[])?;
            let doors = &level.doors;
            named.shape(classes, &mut level.grid, |at| {
                doors.iter().any(|door| door.at == at)
            });
            level.classes = Some(named);
        }
        None if reading.footings.is_empty() => {}
        None => {
            return Err(TiledError::Unsupported {
                what: "terrain on a map without kinds of ground".to_string(),
                remedy: "give tiles the property `terrain` in Tiled, or leave --terrain out",
            });
        }
    }
    Ok(level)
}

/// The tilesets that lie in files of their own.
fn tilesets(
    map: &TiledMap,
    blocking: &Blocking,
    tileset: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Tileset>>, TiledError> {
    let mut sets = Vec::new();
    for reference in &map.tilesets {
        let Some(source) = &reference.source else {
            sets.push(None);
            continue;
        };
        match tileset(source) {
            Some(bytes) => sets.push(Some(external_tileset(&bytes)?)),
            None if matches!(blocking, Blocking::Property(_)) => {
                return Err(TiledError::NoTileset {
                    source_name: quote(source.as_bytes()),
                });
            }
            None => {
                notes.push(format!(
                    "the tileset {} was not found; what its tiles say is not known",
                    quote(source.as_bytes())
                ));
                sets.push(None);
            }
        }
    }
    Ok(sets)
}

fn is_json(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.trim_ascii_start().first() == Some(&b'{')
}

/// UTF-8 without its byte order mark.
fn text<'a>(bytes: &'a [u8], format: &'static str) -> Result<&'a str, TiledError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| TiledError::Syntax {
        format,
        message: error.to_string(),
    })
}

fn check_size(map: &TiledMap) -> Result<(), TiledError> {
    let (width, height) = (map.width, map.height);
    match map.orientation.as_str() {
        "orthogonal" | "isometric" | "staggered" => {}
        "hexagonal" => {
            return Err(TiledError::Unsupported {
                what: "a hexagonal map, whose cells have six neighbours,".to_owned(),
                remedy: "grids have four or eight; save it as orthogonal, or make a waypoint graph of it",
            });
        }
        other => {
            return Err(TiledError::Unsupported {
                what: format!("orientation {}", quote(other.as_bytes())),
                remedy: "use an orthogonal, isometric or staggered map",
            });
        }
    }
    let sides = 1..=MAX_SIDE;
    if !map.is_infinite && (!sides.contains(&width) || !sides.contains(&height)) {
        return Err(TiledError::Side { width, height });
    }
    Ok(())
}

/// The names of all layers, of tiles and of objects.
fn all_layers(map: &TiledMap) -> impl Iterator<Item = &String> {
    let tiles = map.layers.iter().map(|layer| &layer.name);
    tiles.chain(map.object_layers.iter().map(|layer| &layer.name))
}

/// The names of the first layers, for an error message.
fn known_layers(map: &TiledMap) -> String {
    let names = all_layers(map).take(10).map(|name| quote(name.as_bytes()));
    let names: Vec<_> = names.collect();
    match names.is_empty() {
        true => "none, the map has no layers".to_owned(),
        false => names.join(", "),
    }
}

fn external_tileset(bytes: &[u8]) -> Result<Tileset, TiledError> {
    if is_json(bytes) {
        tmj::tileset(bytes)
    } else {
        tmx::tileset(bytes)
    }
}
