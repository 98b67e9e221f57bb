//! Projects of the LDtk editor (`.ldtk`) and levels in files of their own (`.ldtkl`). Feature `ldtk`.
//!
//! Walls, doors and kinds of ground come from one layer of integers (`IntGrid`) of one level: see [`Choice`] for which, and for
//! what makes a value a wall. Levels in files of their own are asked for by name from the caller: the engine opens no file.

#[cfg(test)]
mod tests;

use crate::formats::level::{Door, Level, Reading};
use crate::formats::text::quote;
use crate::grid::{Grid, GridError, MAX_SIDE, Point};
use crate::terrain::{Class, Classes, Factor, Footing, TerrainError};
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// Words in the names of values and layers that say "wall".
const WALL_WORDS: [&str; 10] = [
    "wall",
    "walls",
    "solid",
    "solids",
    "collision",
    "collisions",
    "blocked",
    "block",
    "obstacle",
    "obstacles",
];
const MAX_CLASSES: usize = 254;

/// What of a project is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The level, by its name; the first, unless told.
    pub level: Option<String>,
    /// The layer of integers, by its name; one that is named for walls, else the first, unless told.
    pub layer: Option<String>,
    /// The values that are walls. Unless told those whose names say so (`walls`, `solid` and the like); where none does, all but 0,
    /// doors, and what the caller gives a cost.
    pub walls: Vec<i32>,
}

/// Why a project was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LdtkError {
    /// It is not JSON, or not a project.
    #[error(
        "the LDtk file cannot be read: {message}; expected a project saved by LDtk 1.0 or later"
    )]
    Syntax {
        /// What is wrong, and where.
        message: String,
    },
    /// No level has the name.
    #[error("there is no level {name}; expected {known}")]
    NoLevel {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The level lies in a file that was not given.
    #[error(
        "the level {level} lies in the file {file}, which was not found; put it where the project says, or save levels in the project"
    )]
    NoLevelFile {
        /// The level.
        level: String,
        /// The file.
        file: String,
    },
    /// No layer of integers has the name.
    #[error("level {level} has no IntGrid layer{}; expected {known}", name.as_ref().map_or(String::new(), |name| format!(" {name}")))]
    NoLayer {
        /// The level.
        level: String,
        /// The name asked for.
        name: Option<String>,
        /// The names that there are.
        known: String,
    },
    /// The width or height is not one that a map can have.
    #[error(
        "a layer of {width} x {height} cells: expected sides from 1 to {MAX_SIDE}; correct the file"
    )]
    Side {
        /// The width.
        width: u32,
        /// The height.
        height: u32,
    },
    /// A layer holds another number of cells than its size says.
    #[error("layer {layer}: expected {expected} cells, got {got}; is the file cut short?")]
    Cells {
        /// The layer.
        layer: String,
        /// What the size asks for.
        expected: u64,
        /// What is there.
        got: u64,
    },
    /// More kinds of ground than there are numbers for.
    #[error("a layer with more than {MAX_CLASSES} values; give fewer")]
    Values,
    /// The caller's factors do not fit.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// The sides are legal, the area is not.
    #[error(transparent)]
    Size(#[from] GridError),
}

#[derive(Deserialize)]
struct Project {
    #[serde(default)]
    levels: Vec<LevelJson>,
    #[serde(default)]
    worlds: Vec<World>,
    #[serde(default)]
    defs: Definitions,
}

#[derive(Deserialize)]
struct World {
    #[serde(default)]
    levels: Vec<LevelJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LevelJson {
    identifier: String,
    layer_instances: Option<Vec<LayerJson>>,
    external_rel_path: Option<String>,
}

#[derive(Deserialize)]
struct LayerJson {
    #[serde(rename = "__identifier")]
    name: String,
    #[serde(rename = "__type")]
    kind: String,
    #[serde(rename = "__cWid")]
    width: u32,
    #[serde(rename = "__cHei")]
    height: u32,
    #[serde(default, rename = "intGridCsv")]
    values: Vec<i32>,
}

#[derive(Default, Deserialize)]
struct Definitions {
    #[serde(default)]
    layers: Vec<LayerDefinition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayerDefinition {
    identifier: String,
    #[serde(default)]
    int_grid_values: Vec<ValueDefinition>,
}

#[derive(Deserialize)]
struct ValueDefinition {
    value: i32,
    identifier: Option<String>,
}

/// Reads a level. `file` is asked for levels that lie in files of their own, by the name that the project gives.
pub fn parse_level(
    bytes: &[u8],
    choice: &Choice,
    reading: &Reading,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Level, LdtkError> {
    let (levels, defs) = levels_of(bytes)?;
    let count = levels.len();
    let known = list(levels.iter().map(|level| level.identifier.as_str()));
    let wanted = choice.level.as_ref();
    let is_wanted = |level: &LevelJson| wanted.is_none_or(|wanted| *wanted == level.identifier);
    let found = levels.into_iter().find(is_wanted);
    let level = found.ok_or_else(|| LdtkError::NoLevel {
        name: quote(choice.level.as_deref().unwrap_or_default().as_bytes()),
        known,
    })?;
    let first = format!(
        "the first of {count} levels was read, {}",
        quote(level.identifier.as_bytes())
    );
    let mut level = level_of(level, &defs, choice, reading, file)?;
    if count > 1 && choice.level.is_none() {
        level.notes.insert(0, first);
    }
    Ok(level)
}

/// A level of a project by its name, or why it cannot be read.
pub type NamedLevel = (String, Result<Level, LdtkError>);

/// Reads all levels, in the order of the project, whichever `choice` names.
pub fn parse_levels(
    bytes: &[u8],
    choice: &Choice,
    reading: &Reading,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Vec<NamedLevel>, LdtkError> {
    let (levels, defs) = levels_of(bytes)?;
    let read = levels.into_iter().map(|level| {
        let name = level.identifier.clone();
        (name, level_of(level, &defs, choice, reading, file))
    });
    Ok(read.collect())
}

/// The levels of a project, or the one of a file of its own.
fn levels_of(bytes: &[u8]) -> Result<(Vec<LevelJson>, Definitions), LdtkError> {
    let project: Project = read(bytes)?;
    let mut levels = project.levels;
    levels.extend(project.worlds.into_iter().flat_map(|world| world.levels));
    if levels.is_empty() {
        levels.push(read(bytes)?);
    }
    Ok((levels, project.defs))
}

fn level_of(
    level: LevelJson,
    defs: &Definitions,
    choice: &Choice,
    reading: &Reading,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Level, LdtkError> {
    let (name, layers) = layers_of(level, file)?;
    let layer = choose_layer(&name, layers, choice)?;
    let mut notes = vec![format!(
        "cells are those of the layer {}",
        quote(layer.name.as_bytes())
    )];
    let values = Values::of(&layer, defs, choice, reading, &mut notes);
    let mut level = draw(&layer, &values, reading)?;
    level.notes = notes;
    Ok(level)
}

fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, LdtkError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| LdtkError::Syntax {
        // The message may quote a name of any length.
        message: error.to_string().chars().take(200).collect(),
    })
}

/// The layers of a level, and its name for people.
fn layers_of(
    level: LevelJson,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<(String, Vec<LayerJson>), LdtkError> {
    let name = quote(level.identifier.as_bytes());
    let layers = match (level.layer_instances, level.external_rel_path) {
        (Some(layers), _) => layers,
        (None, Some(path)) => {
            let bytes = file(&path).ok_or_else(|| LdtkError::NoLevelFile {
                level: name.clone(),
                file: quote(path.as_bytes()),
            })?;
            read::<LevelJson>(&bytes)?
                .layer_instances
                .unwrap_or_default()
        }
        (None, None) => Vec::new(),
    };
    Ok((name, layers))
}

fn choose_layer(
    level: &str,
    layers: Vec<LayerJson>,
    choice: &Choice,
) -> Result<LayerJson, LdtkError> {
    let grids: Vec<LayerJson> = layers.into_iter().filter(|l| l.kind == "IntGrid").collect();
    let found = match &choice.layer {
        Some(name) => grids.iter().position(|layer| layer.name == *name),
        None => {
            let named = grids.iter().position(|layer| says_wall(&layer.name));
            named.or((!grids.is_empty()).then_some(0))
        }
    };
    let known = list(grids.iter().map(|layer| layer.name.as_str()));
    let layer = found.and_then(|at| grids.into_iter().nth(at));
    let layer = layer.ok_or_else(|| LdtkError::NoLayer {
        level: level.to_string(),
        name: choice.layer.as_ref().map(|name| quote(name.as_bytes())),
        known,
    })?;
    let sides = 1..=MAX_SIDE;
    let (width, height) = (layer.width, layer.height);
    if !sides.contains(&width) || !sides.contains(&height) {
        return Err(LdtkError::Side { width, height });
    }
    let (expected, got) = (
        u64::from(width) * u64::from(height),
        layer.values.len() as u64,
    );
    if expected != got {
        return Err(LdtkError::Cells {
            layer: quote(layer.name.as_bytes()),
            expected,
            got,
        });
    }
    Ok(layer)
}

/// The names of the first few, for an error message.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.take(10).map(|name| quote(name.as_bytes())).collect();
    match names.is_empty() {
        true => "one, but there is none".to_owned(),
        false => format!("one of: {}", names.join(", ")),
    }
}

/// Whether a word of a name, in any case and however words are joined, says "wall".
fn says_wall(name: &str) -> bool {
    words(name).any(|word| WALL_WORDS.contains(&word.as_str()))
}

/// The words of a name: `stone_wall`, `stone wall` and `StoneWall` have two.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || was_lower && letter.is_uppercase() {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            let word = words.last_mut().into_iter();
            word.for_each(|word| word.extend(letter.to_lowercase()));
        }
        was_lower = letter.is_lowercase();
    }
    words.into_iter()
}

/// What the values of a layer mean.
struct Values {
    /// By value: its name, where it has one.
    names: BTreeMap<i32, String>,
    walls: Walls,
}

enum Walls {
    /// These values.
    These(Vec<i32>),
    /// All but 0, doors and these.
    AllBut(Vec<i32>),
}

impl Values {
    fn of(
        layer: &LayerJson,
        defs: &Definitions,
        choice: &Choice,
        reading: &Reading,
        notes: &mut Vec<String>,
    ) -> Values {
        let definition = defs.layers.iter().find(|def| def.identifier == layer.name);
        let names: BTreeMap<i32, String> = definition
            .iter()
            .flat_map(|def| &def.int_grid_values)
            .filter_map(|value| Some((value.value, value.identifier.clone()?)))
            .collect();
        let named: Vec<i32> = names
            .iter()
            .filter(|(_, name)| says_wall(name))
            .map(|(&v, _)| v)
            .collect();
        let walls = if !choice.walls.is_empty() {
            Walls::These(choice.walls.clone())
        } else if !named.is_empty() {
            notes.push(format!("values whose names say so are walls: {named:?}"));
            Walls::These(named)
        } else {
            notes.push("no value is named for walls, so all but 0 are".to_string());
            let has_cost = |name: &str| reading.footings.get(name).is_some();
            let ground = names.iter().filter(|(_, name)| has_cost(name));
            Walls::AllBut(ground.map(|(&value, _)| value).collect())
        };
        Values { names, walls }
    }

    fn is_wall(&self, value: i32) -> bool {
        match &self.walls {
            Walls::These(values) => values.contains(&value),
            Walls::AllBut(values) => value != 0 && !values.contains(&value),
        }
    }

    /// Whether some cell of a layer is ground with a name: kept for unit types to ask for.
    fn name_ground(&self, layer: &LayerJson) -> bool {
        let is_ground = |value: &i32| !self.is_wall(*value) && self.door(*value).is_none();
        let mut named = self.names.keys().filter(|&value| is_ground(value));
        self.names.len() <= MAX_CLASSES && named.any(|value| layer.values.contains(value))
    }

    /// Whether it is a door, and open at first.
    fn door(&self, value: i32) -> Option<bool> {
        let name = self.names.get(&value)?;
        let is_door = words(name).any(|word| matches!(word.as_str(), "door" | "doors"));
        is_door.then(|| !words(name).any(|word| word == "closed"))
    }
}

fn draw(layer: &LayerJson, values: &Values, reading: &Reading) -> Result<Level, LdtkError> {
    let mut level = Level::plain(Grid::blocked(layer.width, layer.height)?);
    let has_ground = !reading.footings.is_empty() || values.name_ground(layer);
    let mut kinds = vec![class("plain")];
    let mut numbers = BTreeMap::new();
    let mut cells = Vec::with_capacity(if has_ground { layer.values.len() } else { 0 });
    for (i, &value) in layer.values.iter().enumerate() {
        let at = Point {
            x: i as u32 % layer.width,
            y: i as u32 / layer.width,
        };
        let door = values.door(value);
        if let Some(is_open) = door {
            level.doors.push(Door { at, is_open });
        }
        level.grid.set(at, door.unwrap_or(!values.is_wall(value)));
        if has_ground {
            let number = *numbers
                .entry(value)
                .or_insert_with(|| match values.names.get(&value) {
                    Some(name) if door.is_none() => {
                        kinds.push(class(name));
                        kinds.len() - 1
                    }
                    _ => 0,
                });
            if number > MAX_CLASSES {
                return Err(LdtkError::Values);
            }
            cells.push(number as u8);
        }
    }
    if has_ground {
        let classes = Classes::new(layer.width, layer.height, kinds, cells)?;
        let known: Vec<&str> = values.names.values().map(String::as_str).collect();
        let named = classes.with(&reading.footings, &known)?;
        let doors = &level.doors;
        let is_door = |at: Point| {
            let found = doors.binary_search_by_key(&(at.y, at.x), |door| (door.at.y, door.at.x));
            found.is_ok()
        };
        named.shape(&classes, &mut level.grid, is_door);
        level.classes = Some(named);
    }
    Ok(level)
}

fn class(name: &str) -> Class {
    Class {
        name: name.to_string(),
        footing: Footing::Factor(Factor::ONE),
    }
}
