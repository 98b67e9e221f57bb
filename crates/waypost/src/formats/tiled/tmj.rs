//! Tiled's JSON: maps (`.tmj`) and tilesets (`.tsj`).

use super::model::{self, TiledMap};
use super::tiles::Tiles;
use super::{TiledError, text};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

#[derive(serde::Deserialize)]
struct Map {
    width: u32,
    height: u32,
    #[serde(default)]
    tilewidth: f64,
    #[serde(default)]
    tileheight: f64,
    #[serde(default)]
    infinite: bool,
    orientation: String,
    #[serde(default)]
    staggeraxis: String,
    #[serde(default)]
    staggerindex: String,
    layers: Vec<Layer>,
    #[serde(default)]
    tilesets: Vec<Tileset>,
}

#[derive(serde::Deserialize)]
struct Layer {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    width: u32,
    #[serde(default)]
    height: u32,
    #[serde(default)]
    data: Data,
    #[serde(default)]
    encoding: String,
    #[serde(default)]
    compression: String,
    #[serde(default)]
    chunks: Vec<Chunk>,
    #[serde(default)]
    objects: Vec<Object>,
    #[serde(default)]
    properties: Vec<Property>,
    /// The layers of a group.
    #[serde(default)]
    layers: Vec<Layer>,
}

#[derive(serde::Deserialize)]
struct Chunk {
    x: i32,
    y: i32,
    width: u32,
    height: u32,
    data: Data,
}

#[derive(serde::Deserialize)]
struct Object {
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    #[serde(default)]
    width: f64,
    #[serde(default)]
    height: f64,
    /// Objects that show a tile are pictures.
    #[serde(default)]
    gid: u32,
    #[serde(default)]
    rotation: f64,
    #[serde(default)]
    polygon: Vec<Corner>,
    #[serde(default)]
    polyline: Vec<Corner>,
    #[serde(default)]
    properties: Vec<Property>,
}

#[derive(Clone, serde::Deserialize)]
struct Corner {
    x: f64,
    y: f64,
}

#[derive(Default, serde::Deserialize)]
struct Shapes {
    #[serde(default)]
    objects: Vec<IgnoredAny>,
}

#[derive(serde::Deserialize)]
struct Tileset {
    #[serde(default)]
    firstgid: u32,
    source: Option<String>,
    #[serde(default)]
    tiles: Vec<Tile>,
}

#[derive(serde::Deserialize)]
struct Tile {
    id: u32,
    #[serde(default)]
    properties: Vec<Property>,
    #[serde(default)]
    objectgroup: Shapes,
}

#[derive(serde::Deserialize)]
struct Property {
    name: String,
    value: Value,
}

pub(super) fn map(bytes: &[u8]) -> Result<TiledMap, TiledError> {
    let map: Map = read(bytes, ".tmj")?;
    let (mut layers, mut object_layers) = (Vec::new(), Vec::new());
    collect_layers(map.layers, &mut layers, &mut object_layers);
    Ok(TiledMap {
        width: map.width,
        height: map.height,
        tile_size: [map.tilewidth, map.tileheight],
        is_infinite: map.infinite,
        orientation: map.orientation,
        stagger: model::Stagger {
            columns: map.staggeraxis == "x",
            even: map.staggerindex == "even",
        },
        layers,
        object_layers,
        tilesets: map.tilesets.into_iter().map(tileset_of).collect(),
    })
}

pub(super) fn tileset(bytes: &[u8]) -> Result<model::Tileset, TiledError> {
    Ok(tileset_of(read(bytes, ".tsj")?))
}

fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8], format: &'static str) -> Result<T, TiledError> {
    serde_json::from_str(text(bytes, format)?).map_err(|error| {
        // The message may quote a name of any length.
        let message: String = error.to_string().chars().take(200).collect();
        TiledError::Syntax { format, message }
    })
}

/// Layers in the order of the file. The reader allows groups in groups only so deep, so this ends.
fn collect_layers(
    layers: Vec<Layer>,
    found: &mut Vec<model::Layer>,
    objects: &mut Vec<model::ObjectLayer>,
) {
    for mut layer in layers {
        let inner = std::mem::take(&mut layer.layers);
        match layer.kind.as_str() {
            "tilelayer" => found.push(tile_layer(layer)),
            "objectgroup" => objects.push(object_layer(layer)),
            _ => {}
        }
        collect_layers(inner, found, objects);
    }
}

fn tile_layer(layer: Layer) -> model::Layer {
    let tiles = |data| match data {
        Data::Numbers(numbers) => Tiles::Plain(numbers),
        Data::Text(text) => Tiles::from_text(text, &layer.encoding, &layer.compression),
    };
    let chunk = |chunk: Chunk| model::Part {
        x: chunk.x,
        y: chunk.y,
        width: chunk.width,
        height: chunk.height,
        data: tiles(chunk.data),
    };
    let is_empty = matches!(&layer.data, Data::Numbers(numbers) if numbers.is_empty());
    let mut parts: Vec<_> = layer.chunks.into_iter().map(chunk).collect();
    // An infinite map's layer without chunks is empty and has no data of its own.
    if !is_empty || (parts.is_empty() && layer.width > 0 && layer.height > 0) {
        parts.push(model::Part {
            x: 0,
            y: 0,
            width: layer.width,
            height: layer.height,
            data: tiles(layer.data),
        });
    }
    model::Layer {
        name: layer.name,
        properties: properties(layer.properties),
        parts,
    }
}

fn object_layer(layer: Layer) -> model::ObjectLayer {
    let objects = layer.objects.into_iter().filter(|object| object.gid == 0);
    model::ObjectLayer {
        name: layer.name,
        properties: properties(layer.properties),
        objects: objects
            .map(|object| model::Object {
                corner: [object.x, object.y],
                size: [object.width, object.height],
                rotation: object.rotation,
                is_line: !object.polyline.is_empty(),
                points: [object.polyline, object.polygon]
                    .concat()
                    .iter()
                    .map(|corner| [corner.x, corner.y])
                    .collect(),
                properties: properties(object.properties),
            })
            .collect(),
    }
}

fn properties(properties: Vec<Property>) -> model::Properties {
    let pairs = properties.into_iter().map(|p| (p.name, p.value.0));
    model::Properties(pairs.collect())
}

fn tileset_of(tileset: Tileset) -> model::Tileset {
    let tile = |tile: Tile| model::Tile {
        id: tile.id,
        properties: properties(tile.properties),
        collides: !tile.objectgroup.objects.is_empty(),
    };
    model::Tileset {
        first_tile: tileset.firstgid,
        source: tileset.source,
        tiles: tileset.tiles.into_iter().map(tile).collect(),
    }
}

/// A layer's tiles: an array of numbers, or base64.
enum Data {
    Numbers(Vec<u32>),
    Text(String),
}

impl Default for Data {
    fn default() -> Data {
        Data::Numbers(Vec::new())
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Data, D::Error> {
        struct DataVisitor;
        impl<'de> Visitor<'de> for DataVisitor {
            type Value = Data;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an array of tile numbers or a base64 text")
            }

            fn visit_str<E>(self, text: &str) -> Result<Data, E> {
                Ok(Data::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Data, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element()? {
                    numbers.push(number);
                }
                Ok(Data::Numbers(numbers))
            }
        }
        deserializer.deserialize_any(DataVisitor)
    }
}

/// A property's value as text; nothing for lists and objects.
struct Value(String);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value(value.to_string()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value(value.to_string()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value(value.to_string()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value(value.to_string()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value(text.trim().to_owned()))
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value(String::new()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Value(String::new()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value(String::new()))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}
