//! Levels and indexes as assets.

use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetLoader, AssetPath, LoadContext};
use bevy_reflect::TypePath;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use waypost::formats::{self, FileKind, Level, Reading};
use waypost::{Error, Map};

/// A level from a file: MovingAI (`.map`), PNG, Tiled (`.tmx`, `.tmj`) or LDtk (`.ldtk`). What it is is seen from its contents, so
/// `asset_server.load::<NavLevel>("level.png")` does not disturb the loader of images. Every level of an LDtk project has its name as
/// its label: `load("project.ldtk#Yard")`.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct NavLevel {
    /// The map.
    pub map: Arc<Map>,
    /// What was decided while reading and nobody has said, for people.
    pub notes: Vec<String>,
}

impl NavLevel {
    fn of(level: Level) -> Result<NavLevel, Error> {
        Ok(NavLevel {
            map: Arc::new(Map::from_level(&level)?),
            notes: level.notes,
        })
    }
}

/// A `.nav` file: the indexes of a level, shipped with it so that the game builds none (`waypost::Navigator::save`).
#[derive(Asset, TypePath, Clone, Debug)]
pub struct NavIndex {
    /// Its bytes, checked when a map is made with it.
    pub bytes: Arc<[u8]>,
}

/// How a level is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NavLevelSettings {
    /// In Tiled maps: any tile on the layer with this name is a wall.
    pub blocking_layer: Option<String>,
    /// In Tiled maps: tiles with this property set to true are walls.
    pub blocking_property: Option<String>,
    /// In PNG images: the brightness from which on a pixel can be walked on, 1 to 255 (half of white where it is 0).
    pub threshold: u8,
    /// In LDtk projects: the level, by its name; the first one, unless told.
    pub ldtk_level: Option<String>,
    /// In LDtk projects: the layer of integers, by its name; one named for walls, else the first, unless told.
    pub ldtk_layer: Option<String>,
    /// In LDtk projects: the values that are walls; as the names of the values say, unless told.
    pub ldtk_walls: Vec<i32>,
    /// In MovingAI maps: the letters of doors, open at first where they are in lower case.
    pub door_letters: String,
}

impl NavLevelSettings {
    fn reading(&self) -> Reading {
        Reading {
            door_letters: self.door_letters.clone(),
            ..Reading::default()
        }
    }

    #[cfg(feature = "ldtk")]
    fn ldtk(&self) -> formats::ldtk::Choice {
        formats::ldtk::Choice {
            level: self.ldtk_level.clone(),
            layer: self.ldtk_layer.clone(),
            walls: self.ldtk_walls.clone(),
        }
    }
}

/// Reads [`NavLevel`]s.
#[derive(Clone, Copy, Debug, Default, TypePath)]
pub struct NavLevelLoader;

/// Reads [`NavIndex`]es.
#[derive(Clone, Copy, Debug, Default, TypePath)]
pub struct NavIndexLoader;

impl AssetLoader for NavLevelLoader {
    type Asset = NavLevel;
    type Settings = NavLevelSettings;
    type Error = Error;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &NavLevelSettings,
        context: &mut LoadContext<'_>,
    ) -> Result<NavLevel, Error> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let others = other_files(&bytes, settings, context).await;
        let mut file = |name: &str| others.get(name).cloned();
        let mut level = NavLevel::of(read(&bytes, settings, &mut file)?)?;
        for (name, named) in named_levels(&bytes, settings, &mut file) {
            match named.and_then(NavLevel::of) {
                Ok(named) => {
                    context.add_labeled_asset(name, named);
                }
                Err(error) => level.notes.push(format!("the level {name}: {error}")),
            }
        }
        Ok(level)
    }

    fn extensions(&self) -> &[&str] {
        &["map", "tmx", "tmj", "ldtk", "ldtkl"]
    }
}

impl AssetLoader for NavIndexLoader {
    type Asset = NavIndex;
    type Settings = ();
    type Error = std::io::Error;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        _context: &mut LoadContext<'_>,
    ) -> Result<NavIndex, std::io::Error> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        Ok(NavIndex {
            bytes: bytes.into(),
        })
    }

    fn extensions(&self) -> &[&str] {
        &["nav"]
    }
}

/// What a level asks for that lies in files of their own: tilesets, levels of LDtk. A change of one loads the level again.
async fn other_files(
    bytes: &[u8],
    settings: &NavLevelSettings,
    context: &mut LoadContext<'_>,
) -> HashMap<String, Vec<u8>> {
    let mut names = Vec::new();
    let mut ask = |name: &str| {
        names.push(name.to_string());
        None
    };
    // Asked without answers first: what is missing or wrong is told by the second reading.
    let _ = read(bytes, settings, &mut ask);
    named_levels(bytes, settings, &mut ask);
    names.sort();
    names.dedup();
    let folder = context.path().parent();
    let mut found = HashMap::new();
    for name in names {
        let path = match &folder {
            Some(folder) => folder.resolve_str(&name).ok(),
            None => AssetPath::try_parse(&name)
                .ok()
                .map(|path| path.into_owned()),
        };
        let Some(path) = path else {
            continue;
        };
        if let Ok(bytes) = context.read_asset_bytes(path).await {
            found.insert(name, bytes);
        }
    }
    found
}

/// The levels of an LDtk project by their names; none in other files.
fn named_levels(
    bytes: &[u8],
    settings: &NavLevelSettings,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Vec<(String, Result<Level, Error>)> {
    #[cfg(feature = "ldtk")]
    if FileKind::of(bytes) == FileKind::Ldtk {
        let levels =
            formats::ldtk::parse_levels(bytes, &settings.ldtk(), &settings.reading(), file);
        let mut levels = levels.unwrap_or_default();
        // Of two with one name the first is meant.
        let mut known = std::collections::HashSet::new();
        levels.retain(|(name, _)| known.insert(name.clone()));
        let told = |error: formats::ldtk::LdtkError| Error::Map(error.to_string());
        let levels = levels.into_iter();
        return levels
            .map(|(name, level)| (name, level.map_err(told)))
            .collect();
    }
    let _ = (bytes, settings, file);
    Vec::new()
}

fn read(
    bytes: &[u8],
    settings: &NavLevelSettings,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Level, Error> {
    let reading = settings.reading();
    let wrong = |error: &dyn std::fmt::Display| Error::Map(error.to_string());
    #[cfg(feature = "png")]
    if FileKind::of(bytes) == FileKind::Png {
        let threshold = match settings.threshold {
            0 => formats::png::DEFAULT_THRESHOLD,
            threshold => threshold,
        };
        let grid = formats::png::parse(bytes, threshold).map_err(|e| wrong(&e))?;
        return Ok(Level::plain(grid));
    }
    #[cfg(feature = "ldtk")]
    if FileKind::of(bytes) == FileKind::Ldtk {
        let level = formats::ldtk::parse_level(bytes, &settings.ldtk(), &reading, file);
        return level.map_err(|e| wrong(&e));
    }
    #[cfg(feature = "tiled")]
    if FileKind::of(bytes) == FileKind::Tiled {
        use formats::tiled::{Blocking, parse_level};
        let blocking = match (&settings.blocking_layer, &settings.blocking_property) {
            (Some(layer), _) => Blocking::Layer(layer.clone()),
            (None, Some(property)) => Blocking::Property(property.clone()),
            (None, None) => Blocking::Auto,
        };
        return parse_level(bytes, &blocking, &reading, file).map_err(|e| wrong(&e));
    }
    // Kinds that are left here are those whose feature is off.
    let _ = file;
    let feature = match FileKind::of(bytes) {
        FileKind::Png => "png",
        FileKind::Ldtk => "ldtk",
        FileKind::Tiled => "tiled",
        _ => "",
    };
    if !feature.is_empty() {
        return Err(wrong(&format!(
            "files of this kind are read with the feature `{feature}` of bevy_waypost, which is off"
        )));
    }
    formats::map::parse_level(bytes, &reading).map_err(|e| wrong(&e))
}
