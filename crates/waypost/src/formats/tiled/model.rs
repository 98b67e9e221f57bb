//! What the loaders for XML and JSON have in common.

use super::tiles::Tiles;

/// A map, as far as it concerns us.
pub(super) struct TiledMap {
    pub width: u32,
    pub height: u32,
    /// Pixels of a tile, across and down.
    pub tile_size: [f64; 2],
    pub is_infinite: bool,
    pub orientation: String,
    /// Of staggered maps: whether columns are shifted, and whether the even ones are.
    pub stagger: Stagger,
    /// Tile layers, those in groups included.
    pub layers: Vec<Layer>,
    /// Object layers, those in groups included.
    pub object_layers: Vec<ObjectLayer>,
    pub tilesets: Vec<Tileset>,
}

/// Which rows or columns of a staggered map are shifted by half a tile.
#[derive(Clone, Copy, Default)]
pub(super) struct Stagger {
    pub columns: bool,
    pub even: bool,
}

/// A layer of tiles: one part as large as the map, or the chunks of an infinite one.
pub(super) struct Layer {
    pub name: String,
    pub properties: Properties,
    pub parts: Vec<Part>,
}

/// A rectangle of tiles.
pub(super) struct Part {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
    pub data: Tiles,
}

/// A layer of objects.
pub(super) struct ObjectLayer {
    pub name: String,
    pub properties: Properties,
    pub objects: Vec<Object>,
}

/// A rectangle, a polygon or a line, in pixels.
#[derive(Default)]
pub(super) struct Object {
    pub corner: [f64; 2],
    pub size: [f64; 2],
    /// Degrees, clockwise about the corner.
    pub rotation: f64,
    /// The corners of a polygon or a line as seen from the object's own; a rectangle has none.
    pub points: Vec<[f64; 2]>,
    pub is_line: bool,
    pub properties: Properties,
}

impl Object {
    /// Its corners on the map, where it is no upright rectangle.
    pub fn outline(&self) -> Option<Vec<[f64; 2]>> {
        let [width, height] = self.size;
        let own = match self.points.is_empty() {
            false => self.points.clone(),
            true if self.rotation == 0.0 || width <= 0.0 || height <= 0.0 => return None,
            true => vec![[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]],
        };
        let (sine, cosine) = self.rotation.to_radians().sin_cos();
        let turned = own.into_iter().map(|[x, y]| {
            [
                self.corner[0] + x * cosine - y * sine,
                self.corner[1] + x * sine + y * cosine,
            ]
        });
        Some(turned.collect())
    }
}

/// A tileset, or the name of the file that it is in.
#[derive(Default)]
pub(super) struct Tileset {
    /// Layers count the set's tiles from here.
    pub first_tile: u32,
    pub source: Option<String>,
    pub tiles: Vec<Tile>,
}

/// A tile that says something of itself.
pub(super) struct Tile {
    pub id: u32,
    pub properties: Properties,
    /// Whether it has collision shapes.
    pub collides: bool,
}

/// Names and values of properties, values as text.
#[derive(Default)]
pub(super) struct Properties(pub Vec<(String, String)>);

impl Properties {
    /// The value of a property.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether it is set, and to a number other than 0 or to a text that means yes.
    pub fn is_true(&self, name: &str) -> bool {
        matches!(self.get(name), Some("true" | "1" | "yes"))
    }

    /// Whether it is set to false.
    pub fn is_false(&self, name: &str) -> bool {
        matches!(self.get(name), Some("false" | "0" | "no"))
    }
}
