//! What the loaders for XML and JSON have in common.

use super::tiles::Tiles;

/// A map, as far as it concerns us.
pub(super) struct TiledMap {
    pub width: u32,
    pub height: u32,
    pub is_infinite: bool,
    pub orientation: String,
    /// Tile layers, those in groups included.
    pub layers: Vec<Layer>,
    pub tilesets: Vec<Tileset>,
}

/// A layer of tiles.
pub(super) struct Layer {
    pub name: String,
    pub width: u32,
    pub height: u32,
    pub data: Tiles,
}

/// A tileset, or the name of the file that it is in.
#[derive(Default)]
pub(super) struct Tileset {
    /// Layers count the set's tiles from here.
    pub first_tile: u32,
    pub source: Option<String>,
    pub tiles: Vec<Tile>,
}

/// A tile with the names of those of its properties that are true.
pub(super) struct Tile {
    pub id: u32,
    pub true_properties: Vec<String>,
}

impl Tile {
    pub fn has(&self, property: &str) -> bool {
        self.true_properties.iter().any(|name| name == property)
    }
}
