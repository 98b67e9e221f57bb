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
    infinite: bool,
    orientation: String,
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
    /// The layers of a group.
    #[serde(default)]
    layers: Vec<Layer>,
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
}

#[derive(serde::Deserialize)]
struct Property {
    name: String,
    value: Flag,
}

pub(super) fn map(bytes: &[u8]) -> Result<TiledMap, TiledError> {
    let map: Map = read(bytes, ".tmj")?;
    let mut layers = Vec::new();
    collect_layers(map.layers, &mut layers);
    Ok(TiledMap {
        width: map.width,
        height: map.height,
        is_infinite: map.infinite,
        orientation: map.orientation,
        layers,
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

/// Tile layers in the order of the file. The reader allows groups in groups only so deep, so this ends.
fn collect_layers(layers: Vec<Layer>, found: &mut Vec<model::Layer>) {
    for layer in layers {
        if layer.kind == "tilelayer" {
            found.push(model::Layer {
                name: layer.name,
                width: layer.width,
                height: layer.height,
                data: match layer.data {
                    Data::Numbers(numbers) => Tiles::Plain(numbers),
                    Data::Text(text) => Tiles::from_text(text, &layer.encoding, &layer.compression),
                },
            });
        }
        collect_layers(layer.layers, found);
    }
}

fn tileset_of(tileset: Tileset) -> model::Tileset {
    let tile = |tile: Tile| model::Tile {
        id: tile.id,
        true_properties: tile
            .properties
            .into_iter()
            .filter(|property| property.value.0)
            .map(|property| property.name)
            .collect(),
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

/// A property's value, of which we want to know only whether it is true.
struct Flag(bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flag, D::Error> {
        struct FlagVisitor;
        impl<'de> Visitor<'de> for FlagVisitor {
            type Value = Flag;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Flag, E> {
                Ok(Flag(value))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Flag, E> {
                Ok(Flag(false))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Flag, E> {
                Ok(Flag(false))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Flag, E> {
                Ok(Flag(false))
            }

            fn visit_str<E>(self, text: &str) -> Result<Flag, E> {
                Ok(Flag(text == "true"))
            }

            fn visit_unit<E>(self) -> Result<Flag, E> {
                Ok(Flag(false))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Flag, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Flag(false))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Flag, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Flag(false))
            }
        }
        deserializer.deserialize_any(FlagVisitor)
    }
}
