//! What makes a cell a wall, a door or another kind of ground.

use super::model::{Properties, Tile, TiledMap};
use super::{Blocking, TiledError};
use crate::formats::text::quote;
use crate::terrain::{Class, Factor, Footing};

/// Properties of tiles, objects and layers that say "wall" where they are true, tried in this order.
const WALL_PROPERTIES: [&str; 3] = ["blocked", "solid", "collides"];
/// And one that says it where it is false.
const FLOOR_PROPERTY: &str = "walkable";
/// Layers of these names hold walls.
const WALL_LAYERS: [&str; 8] = [
    "collision",
    "collisions",
    "wall",
    "walls",
    "blocked",
    "solid",
    "obstacle",
    "obstacles",
];

/// What a map says of its tiles and objects.
pub(super) struct Meanings {
    pub rule: Rule,
    /// By tile number, sorted: what it is beyond a picture.
    tiles: Vec<(u32, TileMeaning)>,
    pub classes: Vec<Class>,
}

/// How walls are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Tiles with this property true.
    Property(String),
    /// Tiles with `walkable` set to false.
    NotWalkable,
    /// Tiles with collision shapes.
    Shapes,
    /// Any tile of layers with these names, and objects of object layers with these names.
    Layers(Vec<String>),
    /// Objects that are marked, on layers that are not.
    Objects,
    /// Cells without any tile.
    Empty,
}

#[derive(Clone, Copy, Default)]
pub(super) struct TileMeaning {
    pub wall: bool,
    pub door: Option<bool>,
    /// 0 where the tile says nothing of its ground.
    pub class: u8,
}

impl Meanings {
    /// Reads the meanings of all tiles. `tiles` are all that say something, with their numbers on layers.
    pub fn of(
        map: &TiledMap,
        tiles: &[(u32, &Tile)],
        blocking: &Blocking,
    ) -> Result<Meanings, TiledError> {
        let rule = match blocking {
            Blocking::Layer(name) => Rule::Layers(vec![name.clone()]),
            Blocking::Property(name) => Rule::Property(name.clone()),
            Blocking::Auto => choose(map, tiles),
        };
        let mut classes = vec![Class {
            name: "plain".to_string(),
            footing: Footing::Factor(Factor::ONE),
        }];
        let mut meanings = Vec::with_capacity(tiles.len());
        for &(number, tile) in tiles {
            let meaning = TileMeaning {
                wall: rule.makes_wall(tile),
                door: door(&tile.properties),
                class: class(&tile.properties, &mut classes)?,
            };
            meanings.push((number, meaning));
        }
        meanings.sort_by_key(|(number, _)| *number);
        let has_walls = meanings.iter().any(|(_, meaning)| meaning.wall);
        match &rule {
            Rule::Property(name) if !has_walls && !is_set_elsewhere(map, name) => {
                Err(TiledError::NoProperty {
                    name: quote(name.as_bytes()),
                })
            }
            _ => Ok(Meanings {
                rule,
                tiles: meanings,
                classes,
            }),
        }
    }

    /// What a tile is.
    pub fn tile(&self, number: u32) -> TileMeaning {
        let found = self
            .tiles
            .binary_search_by_key(&number, |(known, _)| *known);
        found.map_or(TileMeaning::default(), |at| self.tiles[at].1)
    }

    /// Whether everything on a layer is a wall.
    pub fn layer_is_wall(&self, name: &str, properties: &Properties) -> bool {
        match &self.rule {
            Rule::Layers(names) => names.iter().any(|n| n == name),
            Rule::Property(property) => properties.is_true(property),
            _ => false,
        }
    }

    /// Does an object block? Its own properties or those of its layer say so, or the layer's name.
    pub fn object_is_wall(&self, layer: (&str, &Properties), object: &Properties) -> bool {
        let says = |properties: &Properties| match &self.rule {
            Rule::Property(name) => properties.is_true(name),
            _ => says_wall(properties),
        };
        says(object)
            || says(layer.1)
            || self.layer_is_wall(layer.0, layer.1)
            || is_wall_name(layer.0)
    }
}

impl Rule {
    fn makes_wall(&self, tile: &Tile) -> bool {
        match self {
            Rule::Property(name) => tile.properties.is_true(name),
            Rule::NotWalkable => tile.properties.is_false(FLOOR_PROPERTY),
            Rule::Shapes => tile.collides,
            Rule::Layers(_) | Rule::Objects | Rule::Empty => false,
        }
    }

    /// What was chosen, for people.
    pub fn note(&self) -> String {
        let (what, instead) = match self {
            Rule::Property(name) => (
                format!("tiles with the property `{name}` are walls"),
                "--blocked-layer names a layer instead",
            ),
            Rule::NotWalkable => (
                format!("tiles whose property `{FLOOR_PROPERTY}` is false are walls"),
                "--blocked-layer names a layer instead",
            ),
            Rule::Shapes => (
                "tiles with collision shapes are walls".to_string(),
                "--blocked-property and --blocked-layer say otherwise",
            ),
            Rule::Layers(names) => (
                format!("what lies on the layer {} is a wall", names.join(", ")),
                "--blocked-property and --blocked-layer say otherwise",
            ),
            Rule::Objects => (
                "objects whose properties say so are walls".to_string(),
                "--blocked-property and --blocked-layer say otherwise",
            ),
            Rule::Empty => (
                "nothing in the map says what is a wall, so cells without a tile are".to_string(),
                "--blocked-property NAME and --blocked-layer NAME say otherwise",
            ),
        };
        format!("{what}; {instead}")
    }
}

fn says_wall(properties: &Properties) -> bool {
    WALL_PROPERTIES.iter().any(|name| properties.is_true(name))
        || properties.is_false(FLOOR_PROPERTY)
}

/// Whether a property is true for a layer or an object.
fn is_set_elsewhere(map: &TiledMap, name: &str) -> bool {
    let layers = map.layers.iter().map(|layer| &layer.properties);
    let objects = map.object_layers.iter().flat_map(|layer| {
        let objects = layer.objects.iter().map(|object| &object.properties);
        objects.chain([&layer.properties])
    });
    layers.chain(objects).any(|all| all.is_true(name))
}

fn is_wall_name(name: &str) -> bool {
    WALL_LAYERS
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// The first rule by which something in the map is a wall.
fn choose(map: &TiledMap, tiles: &[(u32, &Tile)]) -> Rule {
    let properties = WALL_PROPERTIES
        .iter()
        .map(|name| Rule::Property(name.to_string()));
    let rules = properties.chain([Rule::NotWalkable, Rule::Shapes]);
    for rule in rules {
        if tiles.iter().any(|(_, tile)| rule.makes_wall(tile)) {
            return rule;
        }
    }
    let tile_layers = map.layers.iter();
    let tile_layers =
        tile_layers.filter(|layer| is_wall_name(&layer.name) || says_wall(&layer.properties));
    let object_layers = map.object_layers.iter();
    let object_layers =
        object_layers.filter(|layer| is_wall_name(&layer.name) || says_wall(&layer.properties));
    let mut names: Vec<String> = tile_layers.map(|layer| layer.name.clone()).collect();
    names.extend(object_layers.map(|layer| layer.name.clone()));
    names.dedup();
    let mut objects = map.object_layers.iter().flat_map(|layer| &layer.objects);
    match names.is_empty() {
        false => Rule::Layers(names),
        true if objects.any(|object| says_wall(&object.properties)) => Rule::Objects,
        true => Rule::Empty,
    }
}

/// Whether it is a door, and open at first.
pub(super) fn door(properties: &Properties) -> Option<bool> {
    match properties.get("door")? {
        "open" => Some(true),
        "closed" => Some(false),
        _ => None,
    }
}

/// The class of ground that `terrain` names or `cost` gives a factor to; 0 where neither is there.
fn class(properties: &Properties, classes: &mut Vec<Class>) -> Result<u8, TiledError> {
    let cost = properties.get("cost");
    let name = match (properties.get("terrain"), cost) {
        (Some(name), _) => name.to_string(),
        (None, Some(cost)) => format!("cost {cost}"),
        (None, None) => return Ok(0),
    };
    let footing = match cost {
        None => Footing::Factor(Factor::ONE),
        Some(text) => {
            let factor = text.parse().ok().and_then(Factor::from_number);
            Footing::Factor(factor.ok_or_else(|| TiledError::Cost {
                value: quote(text.as_bytes()),
            })?)
        }
    };
    let known = classes.iter().position(|class| class.name == name);
    let number = known.unwrap_or(classes.len());
    if number > 254 {
        return Err(TiledError::Unsupported {
            what: "a map with more than 254 kinds of terrain".to_string(),
            remedy: "give fewer values to the property `terrain`",
        });
    }
    if known.is_none() {
        classes.push(Class { name, footing });
    }
    Ok(number as u8)
}
