//! Tiled's XML: maps (`.tmx`) and tilesets (`.tsx`).

use super::model::{Layer, Tile, TiledMap, Tileset};
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
    let tilesets = map.children().filter(|node| node.has_tag_name("tileset"));
    Ok(TiledMap {
        width: number(map, "width")?,
        height: number(map, "height")?,
        is_infinite: map.attribute("infinite") == Some("1"),
        orientation: map
            .attribute("orientation")
            .unwrap_or("orthogonal")
            .to_owned(),
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
    let options = ParsingOptions {
        nodes_limit: (bytes.len() / BYTES_PER_NODE + 64).min(u32::MAX as usize) as u32,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text(bytes, format)?, options).map_err(|error| {
        TiledError::Syntax {
            format,
            message: error.to_string(),
        }
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
    value.trim().parse().map_err(|_| {
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
    })
}

fn layer(node: Node) -> Result<Layer, TiledError> {
    let data = node.children().find(|child| child.has_tag_name("data"));
    Ok(Layer {
        name: node.attribute("name").unwrap_or("").to_owned(),
        width: number(node, "width")?,
        height: number(node, "height")?,
        data: data.map_or(Ok(Tiles::Plain(Vec::new())), tiles)?,
    })
}

fn tiles(data: Node) -> Result<Tiles, TiledError> {
    let encoding = data.attribute("encoding").unwrap_or("");
    if encoding.is_empty() {
        let tiles = data.children().filter(|child| child.has_tag_name("tile"));
        let numbers = tiles.map(|tile| match tile.attribute("gid") {
            Some(_) => number(tile, "gid"),
            None => Ok(0),
        });
        return Ok(Tiles::Plain(numbers.collect::<Result<_, _>>()?));
    }
    let compression = data.attribute("compression").unwrap_or("");
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
            let lists = tile
                .children()
                .filter(|node| node.has_tag_name("properties"));
            let properties = lists.flat_map(|list| list.children());
            let is_true = |node: &Node| node.attribute("value") == Some("true");
            Ok(Tile {
                id: number(tile, "id")?,
                true_properties: properties
                    .filter(|node| node.has_tag_name("property") && is_true(node))
                    .filter_map(|node| node.attribute("name").map(str::to_owned))
                    .collect(),
            })
        })
        .collect()
}
