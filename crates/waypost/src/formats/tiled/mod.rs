//! Maps of the Tiled editor, `.tmx` (XML) and `.tmj` (JSON). Feature `tiled`.
//!
//! What blocks is said by the caller, see [`Blocking`]: a layer whose tiles are walls, or a property of tiles. Read are
//! orthogonal and isometric maps of fixed size with layers as XML elements, CSV, JSON arrays or base64, plain or pressed
//! with zlib or gzip. Tilesets in files of their own are asked for by name from the caller: the engine opens no file.
//!
//! The XML, JSON and deflate readers are the field's own (`roxmltree`, `serde_json`, `flate2`). The crate `tiled` was
//! looked at and not taken: it reads no JSON, panics on a layer shorter than its size, and unpacks layers without a limit.
//! Here layers are unpacked tile by tile into the grid, and a size is believed once the file is long enough to hold it.

mod model;
mod tiles;
mod tmj;
mod tmx;

#[cfg(test)]
mod tests;

use crate::formats::text::quote;
use crate::grid::{Grid, GridError, MAX_SIDE};
use model::{Layer, TiledMap, Tileset};
use thiserror::Error;

/// What makes a cell a wall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// Any tile on the layer with this name.
    Layer(String),
    /// A tile, on any layer, with this property set to true.
    Property(String),
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
    /// The sides are legal, the area is not.
    #[error(transparent)]
    Size(#[from] GridError),
    /// No layer has the name.
    #[error("there is no tile layer {name}; expected one of: {known}")]
    NoLayer {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// No tile has the property.
    #[error(
        "no tile has the property {name} set to true; set it in the tileset, or name a layer that blocks"
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
        "the tileset {source_name} was not found; put it beside the map, or embed it (Tiled: Tileset > Embed Tileset)"
    )]
    NoTileset {
        /// The name in the map.
        source_name: String,
    },
}

/// Reads a Tiled map, XML or JSON. `tileset` is asked for tilesets that lie in files of their own, by the name that the
/// map gives; a layer that blocks needs none.
pub fn parse(
    bytes: &[u8],
    blocking: &Blocking,
    tileset: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Grid, TiledError> {
    let map = if is_json(bytes) {
        tmj::map(bytes)?
    } else {
        tmx::map(bytes)?
    };
    check_size(&map)?;
    match blocking {
        Blocking::Layer(name) => {
            let walls: Vec<&Layer> = map.layers.iter().filter(|l| l.name == *name).collect();
            if walls.is_empty() {
                return Err(TiledError::NoLayer {
                    name: quote(name.as_bytes()),
                    known: known_layers(&map),
                });
            }
            fill(&map, &walls, |_| true)
        }
        Blocking::Property(name) => {
            let walls = blocking_tiles(&map, name, tileset)?;
            let layers: Vec<&Layer> = map.layers.iter().collect();
            fill(&map, &layers, |tile| walls.binary_search(&tile).is_ok())
        }
    }
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
    if map.is_infinite {
        return Err(TiledError::Unsupported {
            what: "an infinite map".to_owned(),
            remedy: "in Tiled, clear Map > Map Properties > Infinite",
        });
    }
    if !matches!(map.orientation.as_str(), "orthogonal" | "isometric") {
        return Err(TiledError::Unsupported {
            what: format!("orientation {}", quote(map.orientation.as_bytes())),
            remedy: "use an orthogonal or isometric map",
        });
    }
    let sides = 1..=MAX_SIDE;
    if !sides.contains(&width) || !sides.contains(&height) {
        return Err(TiledError::Side { width, height });
    }
    Ok(())
}

/// The names of the first layers, for an error message.
fn known_layers(map: &TiledMap) -> String {
    if map.layers.is_empty() {
        return "none, the map has no tile layers".to_owned();
    }
    let names = map.layers.iter().take(10).map(|l| quote(l.name.as_bytes()));
    names.collect::<Vec<_>>().join(", ")
}

/// The numbers of all tiles that have the property, sorted.
fn blocking_tiles(
    map: &TiledMap,
    property: &str,
    tileset: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Vec<u32>, TiledError> {
    let mut walls = Vec::new();
    for reference in &map.tilesets {
        let external;
        let tiles = match &reference.source {
            None => &reference.tiles,
            Some(source) => {
                let bytes = tileset(source).ok_or_else(|| TiledError::NoTileset {
                    source_name: quote(source.as_bytes()),
                })?;
                external = external_tileset(&bytes)?;
                &external.tiles
            }
        };
        let with_property = tiles.iter().filter(|tile| tile.has(property));
        walls.extend(with_property.map(|tile| reference.first_tile.saturating_add(tile.id)));
    }
    if walls.is_empty() {
        return Err(TiledError::NoProperty {
            name: quote(property.as_bytes()),
        });
    }
    walls.sort_unstable();
    Ok(walls)
}

fn external_tileset(bytes: &[u8]) -> Result<Tileset, TiledError> {
    if is_json(bytes) {
        tmj::tileset(bytes)
    } else {
        tmx::tileset(bytes)
    }
}

/// A grid in which the cells with a blocking tile on one of the layers are walls.
fn fill(
    map: &TiledMap,
    layers: &[&Layer],
    blocks: impl Fn(u32) -> bool,
) -> Result<Grid, TiledError> {
    let expected = u64::from(map.width) * u64::from(map.height);
    for layer in layers {
        let got = u64::from(layer.width) * u64::from(layer.height);
        let most = layer.data.most_tiles();
        if got != expected || most < expected {
            return Err(TiledError::Tiles {
                layer: quote(layer.name.as_bytes()),
                expected,
                got: got.min(most),
            });
        }
    }
    let mut grid = Grid::blocked(map.width, map.height)?;
    for y in 0..map.height {
        grid.set_run(y, 0..map.width, true);
    }
    for layer in layers {
        let (mut x, mut y) = (0, 0);
        let count = layer.data.for_each_tile(expected, |tile| {
            if tile != 0 && blocks(tile) {
                grid.set_run(y, x..x + 1, false);
            }
            x += 1;
            if x == map.width {
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
    Ok(grid)
}
