//! Tiled's XML: maps (`.tmx`) and tilesets (`.tsx`).

use super::model::{
    Layer, Object, ObjectLayer, Part, Properties, Stagger, Tile, TiledMap, Tileset,
};
use super::tiles::Tiles;
use super::{TiledError, text};
use crate::formats::text::quote;
use roxmltree::{Document, Node, ParsingOptions};

/// An element takes at least about this many bytes of a file that Tiled has written.
const BYTES_PER_NODE: usize = 6;

pub(super) fn map(bytes: &[u8]) -> Result<TiledMap, TiledError> {
    let document = document(bytes, ".tmx")?;
    let map = root(&document, "map", ".tmx")?;
    let layers = map.descendants().filter(|node| node.has_tag_name("layer"));
    let object_layers = map.children().flat_map(groups);
    let tilesets = map.children().filter(|node| node.has_tag_name("tileset"));
    Ok(TiledMap {
        width: number(map, "width")?,
        height: number(map, "height")?,
        tile_size: [decimal(map, "tilewidth"), decimal(map, "tileheight")],
        is_infinite: map.attribute("infinite") == Some("1"),
        orientation: map
            .attribute("orientation")
            .unwrap_or("orthogonal")
            .to_owned(),
        stagger: Stagger {
            columns: map.attribute("staggeraxis") == Some("x"),
            even: map.attribute("staggerindex") == Some("even"),
        },
        object_layers: object_layers.map(object_layer).collect(),
        layers: layers.map(layer).collect::<Result<_, _>>()?,
        tilesets: tilesets.map(tileset_element).collect::<Result<_, _>>()?,
    })
}

pub(super) fn tileset(bytes: &[u8]) -> Result<Tileset, TiledError> {
    let document = document(bytes, ".tsx")?;
    let tileset = root(&document, "tileset", ".tsx")?;
    Ok(Tileset {
        tiles: tiles_of_set(tileset)?,
        ..Tileset::default()
    })
}

fn document<'a>(bytes: &'a [u8], format: &'static str) -> Result<Document<'a>, TiledError> {
    let text = text(bytes, format)?;
    // A line that only names a definition elsewhere is harmless; definitions in the file itself could be made to grow.
    let start = text.find("<!DOCTYPE");
    let names_only = start.is_some_and(|at| {
        let end = text[at..].find('>').map_or(text.len(), |end| at + end);
        !text[at..end].contains('[')
    });
    let options = ParsingOptions {
        allow_dtd: names_only,
        nodes_limit: (bytes.len() / BYTES_PER_NODE + 64).min(u32::MAX as usize) as u32,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).map_err(|error| TiledError::Syntax {
        format,
        message: error.to_string(),
    })
}

fn root<'a>(
    document: &'a Document,
    name: &str,
    format: &'static str,
) -> Result<Node<'a, 'a>, TiledError> {
    let root = document.root_element();
    if root.has_tag_name(name) {
        return Ok(root);
    }
    Err(TiledError::Syntax {
        format,
        message: format!(
            "its element is {}",
            quote(root.tag_name().name().as_bytes())
        ),
    })
}

fn number(node: Node, attribute: &str) -> Result<u32, TiledError> {
    let value = node.attribute(attribute).unwrap_or("");
    value
        .trim()
        .parse()
        .map_err(|_| bad_number(node, attribute, value))
}

fn bad_number(node: Node, attribute: &str, value: &str) -> TiledError {
    let at = node.document().text_pos_at(node.range().start);
    let element = quote(node.tag_name().name().as_bytes());
    TiledError::Syntax {
        format: ".tmx",
        message: format!(
            "line {}: {attribute} of {element} is {}, expected a number",
            at.row,
            quote(value.as_bytes())
        ),
    }
}

/// A number of pixels; 0 where there is none.
fn decimal(node: Node, attribute: &str) -> f64 {
    let value = node
        .attribute(attribute)
        .and_then(|v| v.trim().parse().ok());
    value.unwrap_or(0.0)
}

fn layer(node: Node) -> Result<Layer, TiledError> {
    let name = node.attribute("name").unwrap_or("").to_owned();
    let data = node.children().find(|child| child.has_tag_name("data"));
    let chunks = data.iter().flat_map(|data| data.children());
    let chunks: Vec<Node> = chunks.filter(|n| n.has_tag_name("chunk")).collect();
    if let (Some(data), false) = (data, chunks.is_empty()) {
        let parts = chunks.into_iter().map(|chunk| {
            Ok(Part {
                x: coordinate(chunk, "x")?,
                y: coordinate(chunk, "y")?,
                width: number(chunk, "width")?,
                height: number(chunk, "height")?,
                data: tiles(chunk, data)?,
            })
        });
        let parts = parts.collect::<Result<_, TiledError>>()?;
        return Ok(Layer {
            name,
            properties: properties(node),
            parts,
        });
    }
    let part = Part {
        x: 0,
        y: 0,
        width: number(node, "width")?,
        height: number(node, "height")?,
        data: data.map_or(Ok(Tiles::Plain(Vec::new())), |data| tiles(data, data))?,
    };
    // An infinite map's layer without chunks is empty.
    let is_empty = matches!(&part.data, Tiles::Plain(tiles) if tiles.is_empty());
    let root = node.document().root_element();
    let parts = match is_empty && root.attribute("infinite") == Some("1") {
        true => Vec::new(),
        false => vec![part],
    };
    Ok(Layer {
        name,
        properties: properties(node),
        parts,
    })
}

fn coordinate(node: Node, attribute: &str) -> Result<i32, TiledError> {
    let value = node.attribute(attribute).unwrap_or("");
    value
        .trim()
        .parse()
        .map_err(|_| bad_number(node, attribute, value))
}

/// Object layers, those in groups included.
fn groups<'a>(node: Node<'a, 'a>) -> Vec<Node<'a, 'a>> {
    // Object groups inside tilesets are collision shapes.
    if node.has_tag_name("tileset") {
        return Vec::new();
    }
    let found = node.descendants().filter(|n| n.has_tag_name("objectgroup"));
    found.collect()
}

fn object_layer(node: Node) -> ObjectLayer {
    let objects = node.children().filter(|n| n.has_tag_name("object"));
    ObjectLayer {
        name: node.attribute("name").unwrap_or("").to_owned(),
        properties: properties(node),
        // Objects that show a tile are pictures.
        objects: objects
            .filter(|n| n.attribute("gid").is_none())
            .map(object)
            .collect(),
    }
}

fn object(node: Node) -> Object {
    let child = |name: &'static str| node.children().find(move |n| n.has_tag_name(name));
    let line = child("polyline");
    let shape = line.or_else(|| child("polygon"));
    let points = shape.and_then(|shape| shape.attribute("points"));
    let pair = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some([x.trim().parse().ok()?, y.trim().parse().ok()?])
    };
    let points = points.unwrap_or("").split_whitespace();
    Object {
        corner: [decimal(node, "x"), decimal(node, "y")],
        size: [decimal(node, "width"), decimal(node, "height")],
        rotation: decimal(node, "rotation"),
        points: points.filter_map(pair).collect(),
        is_line: line.is_some(),
        properties: properties(node),
    }
}

/// Names and values, the latter as attributes or, if they have several lines, as text.
fn properties(node: Node) -> Properties {
    let lists = node.children().filter(|n| n.has_tag_name("properties"));
    let all = lists
        .flat_map(|list| list.children())
        .filter(|n| n.has_tag_name("property"));
    let pair = |node: Node| {
        let value = node.attribute("value").or(node.text()).unwrap_or("");
        Some((node.attribute("name")?.to_owned(), value.trim().to_owned()))
    };
    Properties(all.filter_map(pair).collect())
}

/// The tiles in an element, stored in the way that the layer's data says.
fn tiles(data: Node, how: Node) -> Result<Tiles, TiledError> {
    let encoding = how.attribute("encoding").unwrap_or("");
    if encoding.is_empty() {
        let tiles = data.children().filter(|child| child.has_tag_name("tile"));
        let numbers = tiles.map(|tile| match tile.attribute("gid") {
            Some(_) => number(tile, "gid"),
            None => Ok(0),
        });
        return Ok(Tiles::Plain(numbers.collect::<Result<_, _>>()?));
    }
    let compression = how.attribute("compression").unwrap_or("");
    let text = data.text().unwrap_or("").trim().to_owned();
    Ok(Tiles::from_text(text, encoding, compression))
}

fn tileset_element(node: Node) -> Result<Tileset, TiledError> {
    Ok(Tileset {
        first_tile: number(node, "firstgid")?,
        source: node.attribute("source").map(str::to_owned),
        tiles: tiles_of_set(node)?,
    })
}

fn tiles_of_set(tileset: Node) -> Result<Vec<Tile>, TiledError> {
    let tiles = tileset.children().filter(|node| node.has_tag_name("tile"));
    tiles
        .map(|tile| {
            let mut shapes = tile.children().filter(|n| n.has_tag_name("objectgroup"));
            Ok(Tile {
                id: number(tile, "id")?,
                properties: properties(tile),
                collides: shapes.any(|n| n.children().any(|o| o.has_tag_name("object"))),
            })
        })
        .collect()
}
